//! Build tools, package managers, linters and test runners.
use super::Category::{Deletes, InlineCode, LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{DASH, EXACT, GNU, Opts, Program, Test, When, row};

const CONFIG: &str = "the configuration it names is code, or names code to load";
const PLUGIN: &str = "loads the plugin it names";
const PROGRAM: &str = "runs a program of the caller's choice";
const WRITES: &str = "writes a report over a file";
const SETS: &str = "writes a setting that can name a program which runs later";
const SHARED: &str = "builds a project from a folder that everyone can write";
const INDEX: &str = "takes packages, which are code, from another place";

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["make", "gmake", "bmake", "remake"],
        opts: Opts::new(
            GNU,
            "C:f:I:j::l::o:W:O::E:",
            "directory= file= makefile= eval= include-dir= jobs=? load-average=? old-file= assume-old= \
             what-if= new-file= assume-new= output-sync=? debug=? shuffle=?",
        ),
        rows: &[
            row(
                When::Opt("--eval -E"),
                InlineCode,
                "evaluates text as a makefile",
                "make(1) --eval; GTFOBins make",
                "--eval='x:;id' x",
            ),
            row(
                When::Operand(Test::MakeVariable),
                RunsProgram,
                "sets a variable that names a program, or whose value runs one",
                "GNU make manual, Overriding Variables",
                "SHELL=./x",
            ),
            row(
                When::Val(
                    "-f --file --makefile",
                    Test::Not(&["Makefile", "makefile", "GNUmakefile", "./Makefile"]),
                ),
                LoadsCode,
                "runs the recipes of a file of the caller's choice",
                "make(1) -f",
                "-f x.mk",
            ),
            row(
                When::Opt("-I --include-dir"),
                LoadsCode,
                "takes included makefiles from a folder",
                "make(1) -I",
                "-I x",
            ),
            row(
                When::Val("-C --directory", Test::SharedFolder),
                LoadsCode,
                SHARED,
                "make(1) -C",
                "-C /tmp/x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["just", "task", "rake", "invoke", "scons", "waf", "fab", "grunt", "gulp"],
        opts: Opts::new(
            EXACT,
            "f:d:t:c:r:I:e:E:p:",
            "justfile= taskfile= rakefile= gulpfile= gruntfile= shell= shell-arg= working-directory=",
        ),
        rows: &[
            row(
                When::Opt("-f --justfile --taskfile --rakefile --gulpfile --gruntfile"),
                LoadsCode,
                "runs the recipes of a file of the caller's choice",
                "just(1) --justfile, rake(1) -f",
                "--justfile x",
            ),
            row(When::Opt("--shell"), RunsProgram, PROGRAM, "just(1) --shell", "--shell ./x build"),
        ],
        subs: &[],
    },
    Program {
        names: &["gcc", "g++", "cc", "c++", "cpp", "clang", "clang++", "tcc", "gfortran", "icx", "emcc"],
        opts: Opts::new(EXACT, "", ""),
        rows: &[
            row(
                When::Word(Test::Starts(&[
                    "-fplugin",
                    "-fpass-plugin",
                    "-specs",
                    "--specs",
                    "-wrapper",
                    "-B",
                    "-load",
                    "-Wl,-plugin",
                    "-Wl,--plugin",
                    "--ld-path",
                    "--config",
                    "-Xclang=-load",
                ])),
                LoadsCode,
                "loads a plugin or specs into the compiler, or takes its parts from another folder",
                "gcc(1) -fplugin, -B, -specs, -wrapper; GTFOBins gcc",
                "-fplugin=./x.so -c a.c",
            ),
            row(
                When::Word(Test::Starts(&["@"])),
                LoadsCode,
                "takes options from a file",
                "gcc(1) @file",
                "@opts a.c",
            ),
            row(
                When::Word(Test::Starts(&["-fuse-ld=/", "-fuse-ld=."])),
                RunsProgram,
                PROGRAM,
                "clang(1) -fuse-ld",
                "-fuse-ld=./x a.c",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["ld", "ld.lld", "lld", "mold", "gold"],
        opts: Opts::new(EXACT, "o:L:l:T:", ""),
        rows: &[row(
            When::Word(Test::Starts(&["-plugin", "--plugin", "@"])),
            LoadsCode,
            PLUGIN,
            "ld(1) --plugin",
            "--plugin x.so a.o",
        )],
        subs: &[],
    },
    Program {
        names: &["javac"],
        opts: Opts::new(
            DASH,
            "",
            "cp= classpath= class-path= d= s= h= processor= processorpath= processor-path= \
             processor-module-path= sourcepath= source= target= release= encoding=",
        ),
        rows: &[
            row(
                When::Opt("--processor --processorpath --processor-path --processor-module-path"),
                LoadsCode,
                "runs an annotation processor during compilation",
                "javac(1) -processor",
                "-processorpath e.jar -processor E P.java",
            ),
            row(
                When::Word(Test::Starts(&["-Xplugin", "-J-", "@"])),
                LoadsCode,
                "loads a plugin, an agent, or options from a file",
                "javac(1) -Xplugin",
                "-Xplugin:x P.java",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["cargo"],
        opts: Opts::new(
            EXACT,
            "p:j:F:Z:C:",
            "package= jobs= features= config= manifest-path= target= target-dir= bin= example= test= bench= \
             profile= message-format= color= exclude= lockfile-path= registry= index=",
        ),
        rows: &[
            row(
                When::Val("--config", Test::CargoSetting),
                RunsProgram,
                "a setting given to cargo can name the compiler, a wrapper or a runner",
                "cargo(1) --config",
                "--config build.rustc-wrapper='x' check",
            ),
            row(
                When::Val("--manifest-path", Test::SharedFolder),
                LoadsCode,
                SHARED,
                "cargo(1) --manifest-path",
                "check --manifest-path /tmp/x/Cargo.toml",
            ),
            row(
                When::All(&[
                    When::Path("rustc|rustdoc|clippy"),
                    When::From(1, Test::Has(&["linker=", "codegen-backend", "plugin", "-Zthreads=@"])),
                ]),
                RunsProgram,
                "names the linker or loads a compiler backend",
                "rustc(1) -C linker",
                "rustc -- -C linker=./x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["rustc", "rustdoc", "clippy-driver"],
        opts: Opts::new(
            EXACT,
            "C:Z:L:l:o:A:W:D:F:",
            "crate-name= crate-type= edition= emit= out-dir= extern= sysroot= test-builder= runtool=",
        ),
        rows: &[
            row(
                When::Val("-C --codegen", Test::Has(&["linker=", "link-self-contained", "linker-plugin"])),
                RunsProgram,
                "names the linker",
                "rustc(1) -C linker",
                "-C linker=./x a.rs",
            ),
            row(
                When::Opt("--extern --sysroot --test-builder --runtool"),
                LoadsCode,
                "loads a procedural macro, another standard library or a test runner",
                "rustc(1) --extern",
                "--extern x=./x.so a.rs",
            ),
            row(
                When::Val("-Z", Test::Has(&["codegen-backend", "llvm-plugins"])),
                LoadsCode,
                PLUGIN,
                "rustc(1) -Z codegen-backend",
                "-Z codegen-backend=./x.so a.rs",
            ),
            row(
                When::Word(Test::Starts(&["@"])),
                LoadsCode,
                "takes options from a file",
                "rustc(1) @path",
                "@opts",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["rustup"],
        opts: Opts::new(EXACT, "", "toolchain= profile="),
        rows: &[
            row(
                When::Path("toolchain|override|self link|set|update"),
                RunsProgram,
                "chooses another compiler for later runs",
                "rustup(1) toolchain link",
                "toolchain link x ./y",
            ),
            row(
                When::All(&[When::Path("default"), When::Nth(1, Test::HasSlash)]),
                RunsProgram,
                "chooses another compiler for later runs",
                "rustup(1) default",
                "default ./y",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["go"],
        opts: Opts::new(
            DASH,
            "",
            "run= bench= count= timeout= tags= ldflags= gcflags= o= p= C= mod= modfile= coverprofile= \
             toolexec= exec= vettool= overlay= gccgoflags= asmflags= parallel= cpu= args",
        ),
        rows: &[
            row(
                When::Opt("--toolexec --exec --vettool"),
                RunsProgram,
                "runs a program in place of or around the tools",
                "go help build: -toolexec; go help vet",
                "build -toolexec=./x ./...",
            ),
            row(
                When::Val("--ldflags --gcflags --gccgoflags", Test::Has(&["extld", "linker", "plugin"])),
                RunsProgram,
                "names the external linker",
                "go tool link -help: -extld",
                "build -ldflags=-extld=./x ./...",
            ),
            row(
                When::Opt("--overlay --modfile"),
                LoadsCode,
                "replaces source files by others",
                "go help build: -overlay",
                "build -overlay=x.json ./...",
            ),
            row(
                When::All(&[When::Path("env"), When::Opt("--w --u")]),
                RunsProgram,
                SETS,
                "go help env",
                "env -w CC=./x",
            ),
            row(
                When::Val("--C", Test::SharedFolder),
                LoadsCode,
                SHARED,
                "go help build: -C",
                "build -C /tmp/x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["npm", "pnpm", "yarn", "bun", "cnpm"],
        opts: Opts::new(
            GNU,
            "w:C:",
            "prefix= script-shell= node-options= userconfig= globalconfig= registry= workspace= filter= cwd= \
             dir= tag= shell= editor= viewer= browser= loglevel= cache= init-module= use-yarnrc= onload-script= \
             otp= scope= depth= omit= include= preid= production preload= eval= print=",
        ),
        rows: &[
            row(
                When::Opt("--script-shell --shell --config.script-shell"),
                RunsProgram,
                "runs the scripts with another shell",
                "npm-config(7) script-shell",
                "test --script-shell=./x",
            ),
            row(
                When::Opt("--node-options --onload-script --init-module --preload"),
                LoadsCode,
                "loads a module into node or npm",
                "npm-config(7) node-options",
                "test --node-options=--require=./x",
            ),
            row(
                When::Opt("--userconfig --globalconfig --use-yarnrc"),
                RunsProgram,
                SETS,
                "npm-config(7) userconfig",
                "test --userconfig ./x",
            ),
            row(
                When::Opt("--editor --viewer --browser"),
                RunsProgram,
                PROGRAM,
                "npm-config(7) editor",
                "help x --viewer=./y",
            ),
            row(
                When::Val("--registry", Test::HasNot(&["registry.npmjs.org", "registry.yarnpkg.com"])),
                LoadsCode,
                INDEX,
                "npm-config(7) registry",
                "install x --registry=https://y",
            ),
            row(
                When::Val("--prefix --cwd --dir -C", Test::SharedFolder),
                LoadsCode,
                SHARED,
                "npm-config(7) prefix",
                "--prefix /tmp/x test",
            ),
            row(
                When::Path("config|c set|edit|delete|import"),
                RunsProgram,
                SETS,
                "npm-config(1)",
                "config set script-shell ./x",
            ),
            row(When::Path("set"), RunsProgram, SETS, "npm-config(1)", "set script-shell=./x"),
            row(
                When::All(&[
                    When::Path("pkg|set-script"),
                    When::Operand(Test::Has(&["scripts"])),
                    When::Operand(Test::Is(&["set"])),
                ]),
                RunsProgram,
                "writes a script that runs later",
                "npm-pkg(1)",
                "pkg set scripts.test=./x",
            ),
            row(
                When::Path("explore|edit|set-script"),
                RunsProgram,
                "opens a shell or an editor",
                "npm-explore(1)",
                "explore x",
            ),
            row(
                When::All(&[When::Path("init|create|innit"), When::More(1)]),
                LoadsCode,
                "fetches and runs a package",
                "npm-init(1)",
                "init foo",
            ),
            row(When::Path("plugin import"), LoadsCode, PLUGIN, "yarn plugin import", "plugin import ./x.js"),
        ],
        subs: &[],
    },
    Program {
        names: &["pip", "pipx"],
        opts: Opts::new(
            GNU,
            "i:f:r:c:e:t:d:w:b:",
            "index-url= extra-index-url= find-links= trusted-host= proxy= python= target= log= report= prefix= \
             root= requirement= constraint= editable= config-settings= global-option= upgrade-strategy= pypi-url= index=",
        ),
        rows: &[
            row(
                When::Val("-i --index-url --index --pypi-url", Test::HasNot(&["https://pypi.org/"])),
                LoadsCode,
                INDEX,
                "pip install --index-url",
                "install -i https://x y",
            ),
            row(
                When::Opt("--extra-index-url -f --find-links --trusted-host"),
                LoadsCode,
                INDEX,
                "pip install --extra-index-url",
                "install --extra-index-url https://x y",
            ),
            row(When::Opt("--python"), RunsProgram, PROGRAM, "pip --python", "--python ./x list"),
            row(
                When::Opt("--config-settings --global-option"),
                LoadsCode,
                "passes options to the build backend",
                "pip install --config-settings",
                "install --config-settings=x=y .",
            ),
            row(
                When::Val("--log --report", Test::File),
                WritesFile,
                WRITES,
                "pip --log",
                "install --log x y",
            ),
            row(
                When::Path("config set|edit"),
                LoadsCode,
                SETS,
                "pip config",
                "config set global.index-url https://x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["uv"],
        opts: Opts::new(
            EXACT,
            "p:",
            "index-url= extra-index-url= default-index= index= find-links= python= config-file=",
        ),
        rows: &[row(
            When::All(&[
                When::Path("pip|add|sync|lock"),
                When::Opt("--index-url --extra-index-url --default-index --index --find-links --config-file"),
            ]),
            LoadsCode,
            INDEX,
            "uv help: --index-url",
            "pip install --index-url https://x y",
        )],
        subs: &[],
    },
    Program {
        names: &["cmake"],
        opts: Opts::new(
            EXACT,
            "D:C:P:B:S:G:T:A:U:E!",
            "build= target= config= install= prefix= toolchain= parallel=? trace-redirect= graphviz= profiling-output= debug-output preset=",
        ),
        rows: &[
            row(When::Opt("-P"), LoadsCode, "runs a script", "cmake(1) -P; GTFOBins cmake", "-P x.cmake"),
            row(
                When::Val(
                    "-E",
                    Test::Is(&["env", "time", "chdir", "rm", "remove", "remove_directory", "bin2c"]),
                ),
                RunsProgram,
                "runs a command, or deletes files",
                "cmake(1) -E",
                "-E env ./x",
            ),
            row(When::Opt("-C"), LoadsCode, "runs an initial script", "cmake(1) -C", "-C x.cmake ."),
            row(
                When::Val(
                    "-D",
                    Test::Has(&[
                        "_LAUNCHER",
                        "TOOLCHAIN_FILE",
                        "_INCLUDE",
                        "MAKE_PROGRAM",
                        "RULE_LAUNCH",
                        "MODULE_PATH",
                        "_COMPILER=.",
                        "_COMPILER:FILEPATH=.",
                        "_LINKER=",
                        "EMULATOR",
                    ]),
                ),
                RunsProgram,
                "names a program or script that the build runs",
                "cmake-variables(7)",
                "-DCMAKE_C_COMPILER_LAUNCHER=./x .",
            ),
            row(
                When::Opt("--toolchain"),
                LoadsCode,
                "runs a toolchain script",
                "cmake(1) --toolchain",
                "--toolchain x .",
            ),
            row(
                When::Opt("--trace-redirect --graphviz --profiling-output"),
                WritesFile,
                WRITES,
                "cmake(1) --trace-redirect",
                "--graphviz=x .",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["ninja", "samu", "meson"],
        opts: Opts::new(EXACT, "f:C:j:k:l:t:d:w:D:", "native-file= cross-file="),
        rows: &[
            row(
                When::Opt("-f"),
                LoadsCode,
                "runs the rules of a file of the caller's choice",
                "ninja(1) -f",
                "-f x.ninja",
            ),
            row(When::Val("-C", Test::SharedFolder), LoadsCode, SHARED, "ninja(1) -C", "-C /tmp/x"),
            row(
                When::Opt("--native-file --cross-file"),
                RunsProgram,
                "names the compilers",
                "meson(1) --native-file",
                "setup --native-file x b",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["bazel", "bazelisk", "buck2"],
        opts: Opts::new(
            EXACT,
            "c:",
            "bazelrc= run_under= workspace_status_command= server_javabase= output_base=",
        ),
        rows: &[row(
            When::Opt(
                "--run_under --workspace_status_command --bazelrc --server_javabase --override_repository --host_jvm_args",
            ),
            RunsProgram,
            PROGRAM,
            "bazel command-line reference: --run_under",
            "test --run_under=./x //...",
        )],
        subs: &[],
    },
    Program {
        names: &["mvn", "mvnw"],
        opts: Opts::new(
            DASH,
            "",
            "f= file= s= settings= gs= t= toolchains= pl= projects= P= T= threads= l= log-file= rf=",
        ),
        rows: &[
            row(
                When::Operand(Test::Has(&[
                    "exec-maven-plugin",
                    "exec:exec",
                    "exec:java",
                    "antrun",
                    "groovy",
                    "gmavenplus",
                ])),
                RunsProgram,
                "the goal runs a program",
                "exec-maven-plugin",
                "exec:exec -Dexec.executable=./x",
            ),
            row(
                When::Opt("--s --settings --gs --t --toolchains --f --file"),
                LoadsCode,
                CONFIG,
                "mvn(1) -s -f",
                "-s x.xml test",
            ),
            row(
                When::Word(Test::Starts(&[
                    "-Dmaven.ext.class.path",
                    "-Dexec.",
                    "-DargLine",
                    "-Djvm",
                    "-Dmaven.repo.remote",
                ])),
                LoadsCode,
                "loads an extension or an agent",
                "mvn(1) maven.ext.class.path",
                "-Dmaven.ext.class.path=x.jar test",
            ),
            row(When::Opt("--l --log-file"), WritesFile, WRITES, "mvn(1) -l", "-l x test"),
        ],
        subs: &[],
    },
    Program {
        names: &["gradle", "gradlew"],
        opts: Opts::new(
            EXACT,
            "I:b:c:p:g:D:P:x:",
            "init-script= build-file= settings-file= include-build= project-dir= gradle-user-home= tests= project-cache-dir=",
        ),
        rows: &[
            row(
                When::Opt("-I --init-script -b --build-file -c --settings-file --include-build"),
                LoadsCode,
                "runs a script of the caller's choice",
                "gradle(1) --init-script",
                "--init-script x.gradle build",
            ),
            row(
                When::Val(
                    "-D",
                    Test::Starts(&["org.gradle.jvmargs", "org.gradle.java.home", "gradle.user.home"]),
                ),
                LoadsCode,
                "loads an agent or another Java",
                "gradle manual, build environment",
                "-Dorg.gradle.jvmargs=-javaagent:x build",
            ),
            row(
                When::Val("-p --project-dir", Test::SharedFolder),
                LoadsCode,
                SHARED,
                "gradle(1) -p",
                "-p /tmp/x build",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["ant"],
        opts: Opts::new(
            DASH,
            "",
            "f= file= buildfile= lib= logger= listener= main= propertyfile= inputhandler= l= logfile=",
        ),
        rows: &[row(
            When::Opt("--f --file --buildfile --lib --logger --listener --main --inputhandler"),
            LoadsCode,
            CONFIG,
            "ant manual, running Ant",
            "-f x.xml",
        )],
        subs: &[],
    },
    Program {
        names: &["eslint", "stylelint", "tslint", "standard", "xo"],
        opts: Opts::new(
            EXACT,
            "c:o:f:",
            "config= rulesdir= resolve-plugins-relative-to= plugin= parser= format= formatter= output-file= \
             ext= rule= env= custom-formatter= custom-syntax= ignore-path= max-warnings= cache-location=",
        ),
        rows: &[
            row(When::Opt("-c --config"), LoadsCode, CONFIG, "eslint CLI: --config", "-c e.js ."),
            row(
                When::Opt(
                    "--rulesdir --resolve-plugins-relative-to --plugin --parser --custom-formatter --custom-syntax",
                ),
                LoadsCode,
                PLUGIN,
                "eslint CLI: --rulesdir",
                "--rulesdir x .",
            ),
            row(
                When::Val("-f --format --formatter", Test::Has(&["/", ".js", ".cjs", ".mjs"])),
                LoadsCode,
                "loads the formatter it names",
                "eslint CLI: --format",
                "-f ./x.js .",
            ),
            row(When::Opt("-o --output-file"), WritesFile, WRITES, "eslint CLI: --output-file", "-o x ."),
        ],
        subs: &[],
    },
    Program {
        names: &["jest", "vitest", "mocha", "ava", "karma", "cypress", "playwright", "jasmine", "tap"],
        opts: Opts::new(
            EXACT,
            "c:r:t:w:g:R:u:",
            "config= plugin= require= import= setup-files= global-setup= reporter= reporters= runner= \
             test-runner= transform= resolver= preset= loader= ui= globalSetup= setupFiles= \
             setupFilesAfterEnv= testRunner= environment= outputFile= testNamePattern= rootDir= root=",
        ),
        rows: &[
            row(When::Opt("--config"), LoadsCode, CONFIG, "jest CLI: --config", "--config x.js"),
            row(
                When::Opt(
                    "--plugin --require --import --setup-files --global-setup --runner --test-runner \
                     --transform --resolver --preset --loader --globalSetup --setupFiles --setupFilesAfterEnv --testRunner",
                ),
                LoadsCode,
                "loads the module it names",
                "mocha CLI: --require",
                "--require ./x.js",
            ),
            row(When::Opt("-r"), LoadsCode, "loads the module it names", "mocha CLI: -r", "-r ./x.js"),
            row(
                When::Val("--reporter --reporters -R --environment", Test::Has(&["/", ".js"])),
                LoadsCode,
                "loads the module it names",
                "mocha CLI: --reporter",
                "--reporter ./x.js",
            ),
            row(When::Opt("--outputFile"), WritesFile, WRITES, "jest CLI: --outputFile", "--outputFile=x"),
        ],
        subs: &[],
    },
    Program {
        names: &["jest", "vitest", "playwright", "webpack", "vite"],
        opts: Opts::new(EXACT, "c:t:p:w:g:u:d:o:", ""),
        rows: &[row(When::Opt("-c"), LoadsCode, CONFIG, "jest CLI: -c; webpack CLI: -c", "-c x.js")],
        subs: &[],
    },
    Program {
        names: &["prettier"],
        opts: Opts::new(EXACT, "", "config= plugin= parser= ignore-path= log-level= stdin-filepath="),
        rows: &[
            row(When::Opt("--config"), LoadsCode, CONFIG, "prettier CLI: --config", "--config x.js a"),
            row(When::Opt("--plugin"), LoadsCode, PLUGIN, "prettier CLI: --plugin", "--plugin ./x.js a"),
        ],
        subs: &[],
    },
    Program {
        names: &[
            "webpack", "vite", "rollup", "esbuild", "parcel", "babel", "postcss", "tsup", "swc", "next",
            "nuxt",
        ],
        opts: Opts::new(
            EXACT,
            "c:p:o:d:r:",
            "config= plugin= presets= plugins= require= use= out-dir= outfile= outdir= mode= port= host=",
        ),
        rows: &[
            row(
                When::Opt("--config --config-file"),
                LoadsCode,
                CONFIG,
                "webpack CLI: --config",
                "--config x.js",
            ),
            row(
                When::Opt("--plugin --presets --plugins --require --use"),
                LoadsCode,
                PLUGIN,
                "rollup CLI: --plugin",
                "--plugin ./x.js",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["pytest", "py.test"],
        opts: Opts::new(
            GNU,
            "p:c:o:k:m:n:r:W:",
            "config-file= rootdir= override-ini= pdbcls= junitxml= junit-xml= log-file= basetemp= cov= \
             cov-report= cov-config= maxfail= tb= durations= ignore= deselect= import-mode= timeout= \
             numprocesses= dist= confcutdir= color= capture= report-log= html= json-report-file=",
        ),
        rows: &[
            row(When::Val("-p", Test::NotStarts(&["no:"])), LoadsCode, PLUGIN, "pytest -p", "-p x"),
            row(When::Opt("-c --config-file"), LoadsCode, CONFIG, "pytest -c", "-c x.ini"),
            row(
                When::Val(
                    "-o --override-ini",
                    Test::Starts(&["addopts", "pythonpath", "python_files", "usefixtures"]),
                ),
                LoadsCode,
                "sets options that load code",
                "pytest -o addopts",
                "-o addopts=-px",
            ),
            row(
                When::Opt("--pdbcls"),
                LoadsCode,
                "loads the debugger it names",
                "pytest --pdbcls",
                "--pdbcls=x:y",
            ),
            row(
                When::Val("--junitxml --junit-xml --log-file --report-log --html", Test::File),
                WritesFile,
                WRITES,
                "pytest --junit-xml",
                "--junitxml=x",
            ),
            row(
                When::Opt("--basetemp"),
                Deletes,
                "empties the folder it names",
                "pytest --basetemp",
                "--basetemp=x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &[
            "pylint",
            "flake8",
            "mypy",
            "pyright",
            "bandit",
            "isort",
            "sphinx-build",
            "mkdocs",
            "tox",
            "nox",
            "pre-commit",
        ],
        opts: Opts::new(
            EXACT,
            "c:f:j:d:e:r:p:b:D:",
            "load-plugins= init-hook= rcfile= config= config-file= plugin= python-executable= \
             custom-typeshed-dir= noxfile= conf= append-config= html-report= xml-report= junit-xml= output-file= \
             format= disable= enable= max-line-length= select= ignore= exclude= python-version= settings-path=",
        ),
        rows: &[
            row(
                When::Opt("--load-plugins --plugin"),
                LoadsCode,
                PLUGIN,
                "pylint --load-plugins",
                "--load-plugins=x a.py",
            ),
            row(
                When::Opt("--init-hook"),
                InlineCode,
                "evaluates Python",
                "pylint --init-hook",
                "--init-hook='x' a.py",
            ),
            row(
                When::Opt("--rcfile --config-file --noxfile --append-config --config --conf"),
                LoadsCode,
                CONFIG,
                "mypy --config-file: plugins",
                "--config-file x.ini src",
            ),
            row(
                When::Opt("--python-executable"),
                RunsProgram,
                PROGRAM,
                "mypy --python-executable",
                "--python-executable ./x src",
            ),
            row(
                When::Opt("--html-report --xml-report --junit-xml --output-file"),
                WritesFile,
                WRITES,
                "mypy --html-report",
                "--html-report x src",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["apt", "apt-get", "apt-cache", "aptitude"],
        opts: Opts::new(GNU, "o:c:t:a:q::", "option= config-file= target-release="),
        rows: &[
            row(
                When::Val(
                    "-o --option",
                    Test::HasFold(&[
                        "invoke",
                        "dpkg::pre",
                        "dpkg::post",
                        "update::",
                        "autodetect",
                        "dir",
                        "solver",
                        "pager",
                        "changelog",
                        "::methods",
                        "apt::get::download",
                    ]),
                ),
                RunsProgram,
                "a setting given to apt can name a command that it runs",
                "apt.conf(5); GTFOBins apt-get",
                "update -o APT::Update::Pre-Invoke::=x",
            ),
            row(
                When::Opt("-c --config-file"),
                RunsProgram,
                CONFIG,
                "apt-get(8) -c; GTFOBins apt-get",
                "update -c x",
            ),
            row(
                When::Path("changelog"),
                RunsProgram,
                "opens a pager, which takes commands",
                "apt-get(8) changelog; GTFOBins apt-get",
                "changelog apt",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["dpkg"],
        opts: Opts::new(GNU, "", "pre-invoke= post-invoke= root= admindir= instdir= status-logger= log="),
        rows: &[row(
            When::Opt("--pre-invoke --post-invoke --status-logger --root --admindir --instdir"),
            RunsProgram,
            "runs a command, or works on another system root",
            "dpkg(1) --pre-invoke; GTFOBins dpkg",
            "--pre-invoke=x -i y.deb",
        )],
        subs: &[],
    },
    Program {
        names: &["rpm", "rpmbuild", "rpmspec"],
        opts: Opts::new(EXACT, "E:D:", "eval= define= pipe= load= macros= rcfile= root="),
        rows: &[row(
            When::Opt("-E --eval -D --define --pipe --load --macros --rcfile"),
            RunsProgram,
            "expands macros, which can run commands, or pipes its output to one",
            "rpm(8) --eval, --pipe; GTFOBins rpm",
            "--eval '%(id)'",
        )],
        subs: &[],
    },
    Program {
        names: &["yum", "dnf", "zypper"],
        opts: Opts::new(EXACT, "c:x:R:", "config= setopt= installroot= repofrompath= plus-repo= root="),
        rows: &[row(
            When::Opt("-c --config --setopt --installroot --repofrompath --plus-repo --root"),
            LoadsCode,
            INDEX,
            "dnf(8) --setopt; GTFOBins yum",
            "install -c x y",
        )],
        subs: &[],
    },
    Program {
        names: &["gem", "bundle", "bundler", "composer"],
        opts: Opts::new(GNU, "e:s:d:", "editor= source= config-file= gemfile= working-dir= clear-sources"),
        rows: &[
            row(
                When::All(&[When::Path("open"), When::Opt("-e --editor")]),
                RunsProgram,
                PROGRAM,
                "gem open --editor",
                "open -e ./x y",
            ),
            row(
                When::Opt("--gemfile --config-file"),
                LoadsCode,
                CONFIG,
                "bundle install --gemfile",
                "install --gemfile=x",
            ),
            row(
                When::Opt("--source"),
                LoadsCode,
                INDEX,
                "gem install --source",
                "install --source https://x y",
            ),
            row(
                When::All(&[When::Path("config"), When::More(2)]),
                RunsProgram,
                SETS,
                "bundle config; composer config",
                "config set path x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["brew"],
        opts: Opts::new(EXACT, "e:", ""),
        rows: &[
            row(
                When::Path("ruby|sh|irb"),
                InlineCode,
                "evaluates Ruby or opens a shell",
                "brew(1) ruby",
                "ruby -e x",
            ),
            row(When::Path("tap-new|edit|create"), RunsProgram, "opens an editor", "brew(1) edit", "edit x"),
        ],
        subs: &[],
    },
    Program {
        names: &["twine", "vsce", "semantic-release"],
        opts: Opts::new(GNU, "r:u:p:", "repository= repository-url= config-file="),
        rows: &[row(
            When::Opt("--repository-url --config-file"),
            Uploads,
            "sends the package to another place",
            "twine upload --repository-url",
            "upload --repository-url https://x y",
        )],
        subs: &[],
    },
    Program {
        names: &["protoc", "buf", "thrift", "flatc", "bindgen", "swig"],
        opts: Opts::new(EXACT, "I:o:", "plugin= descriptor_set_out="),
        rows: &[
            row(
                When::Opt("--plugin"),
                RunsProgram,
                PROGRAM,
                "protoc --plugin",
                "--plugin=protoc-gen-x=./y a.proto",
            ),
            row(
                When::Word(Test::Starts(&["@"])),
                LoadsCode,
                "takes options from a file",
                "protoc @file",
                "@opts",
            ),
        ],
        subs: &[],
    },
];
