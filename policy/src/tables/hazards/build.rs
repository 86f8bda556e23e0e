//! Build tools and compilers.
use super::Category::{LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{DASH, EXACT, GNU, Opts, Program, Test, When, row};
use crate::tables::words::{WordList, words};

const CONFIG: &str = "the configuration it names is code, or names code to load";

const PLUGIN: &str = "loads the plugin it names";

const PROGRAM: &str = "runs a program of the caller's choice";

const WRITES: &str = "writes a report over a file";

const SETS: &str = "writes a setting that can name a program which runs later";

const SHARED: &str = "builds a project from a folder that everyone can write";

/// What has rustc run or load something else.
const RUSTC_RUNS: WordList = words![
    "linker=",
    "dlltool=",
    "codegen-backend",
    "link-self-contained",
    "llvm-args=-load",
    "-fuse-ld=/",
    "-fuse-ld=.",
    "=-B",
    " -B",
    "plugin",
    "-wrapper",
    "-specs",
    "=@",
];

/// What is more than text to a shell, wherever it stands in one.
const SHELL_TEXT: WordList = words![";", "|", "&", "<", ">", "$", "`", "\n"];

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["make", "gmake", "bmake", "remake"],
        opts: Opts::new(
            GNU,
            "C:f:I:j::l::o:W:O::E:V:",
            "directory= environment-overrides file= makefile= eval= include-dir= jobs=? load-average=? old-file= \
             assume-old= what-if= new-file= assume-new= output-sync=? debug=? shuffle=?",
        ),
        rows: &[
            row(
                When::Opt("--eval -E -V"),
                // No language of its own: each line of a recipe is a shell's.
                RunsProgram,
                "evaluates text as a makefile, or an expression of it",
                "make(1) --eval; BSD make(1) -V; GTFOBins make",
                "--eval='x:;id' x",
            ),
            row(
                When::Opt("-e --environment-overrides"),
                RunsProgram,
                "variables of the environment win over those of the makefile",
                "make(1) -e",
                "-e",
            ),
            row(
                When::Operand(Test::MakeVariable),
                RunsProgram,
                "sets a variable that names a program, or is text that make or a recipe's shell runs",
                "GNU make manual, Overriding Variables",
                "SHELL=./x",
            ),
            row(
                When::Val(
                    "-f --file --makefile",
                    Test::Not(words!["Makefile", "makefile", "GNUmakefile", "./Makefile"]),
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
            row(
                When::Anywhere(Test::Has(SHELL_TEXT)),
                RunsProgram,
                "the word is text in a recipe, which a shell runs",
                "just manual, Recipe Parameters; Task guide, CLI_ARGS",
                "test 'a;x'",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["rake"],
        opts: Opts::new(
            GNU,
            "e:E:p:r:I:R:f:",
            "execute= execute-print= execute-continue= require= libdir= rakelibdir=",
        ),
        rows: &[row(
            When::Opt(
                "-e -E -p -r -I -R --execute --execute-print --execute-continue --require --libdir --rakelibdir",
            ),
            RunsProgram,
            "evaluates Ruby, or loads it",
            "rake --help",
            "-e x",
        )],
        subs: &[],
    },
    Program {
        names: &["just"],
        opts: Opts::new(EXACT, "c!f:d:E:", "command=! chooser= shell-arg="),
        rows: &[row(
            When::Opt("-c --command --choose --chooser --shell-arg -e --edit"),
            RunsProgram,
            PROGRAM,
            "just(1) --command, --chooser",
            "--command ./x",
        )],
        subs: &[],
    },
    Program {
        names: &["gcc", "g++", "cc", "c++", "cpp", "clang", "clang++", "tcc", "gfortran", "icx", "emcc"],
        opts: Opts::new(EXACT, "", ""),
        rows: &[
            row(
                When::Word(Test::Starts(words![
                    "-fplugin",
                    "-fpass-plugin",
                    "-specs",
                    "--specs",
                    "-wrapper",
                    "-B",
                    "-load",
                    "-Wl,@",
                    "-plugin",
                    "--plugin",
                    "--prefix",
                    "-ccc-install-dir",
                    "-gcc-toolchain",
                    "--gcc-toolchain",
                    "--gcc-install-dir",
                    "-iplugindir",
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
                When::Word(Test::Starts(words!["@"])),
                LoadsCode,
                "takes options from a file",
                "gcc(1) @file",
                "@opts a.c",
            ),
            row(
                When::Word(Test::Has(words![",-plugin", ",--plugin", ",@"])),
                LoadsCode,
                "loads a plugin into the linker",
                "ld(1) -plugin",
                "-Wl,-z,now,-plugin,./x.so a.c",
            ),
            row(
                When::Word(Test::Starts(words!["-fuse-ld=/", "-fuse-ld=."])),
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
            When::Word(Test::Starts(words!["-plug", "--plug", "@"])),
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
                When::Word(Test::Starts(words!["-Xplugin", "-J-", "@"])),
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
                When::Nth(0, Test::HasSlash),
                RunsProgram,
                "runs a program of that name behind `cargo-`, in a folder of the caller's",
                "cargo(1), custom commands",
                "x/evil",
            ),
            row(
                When::Val("--config", Test::CargoSetting),
                RunsProgram,
                "a setting given to cargo can name the compiler, a wrapper or a runner",
                "cargo(1) --config",
                "--config build.rustc-wrapper='x' check",
            ),
            row(
                When::Val("--target", Test::Ends(words![".json"])),
                RunsProgram,
                "the target's description can name the linker",
                "rustc book, Custom Targets",
                "build --target x.json",
            ),
            row(
                When::Val("--manifest-path", Test::SharedFolder),
                LoadsCode,
                SHARED,
                "cargo(1) --manifest-path",
                "check --manifest-path /tmp/x/Cargo.toml",
            ),
            row(
                When::All(&[When::Path("rustc|rustdoc|clippy"), When::From(1, Test::LinkArgs)]),
                RunsProgram,
                "hands the linker options, which can name programs and files of options",
                "rustc(1) -C link-arg; gcc(1) -B",
                "rustc -- -Clink-args=@f",
            ),
            row(
                When::All(&[When::Path("rustc|rustdoc|clippy"), When::From(1, Test::Has(RUSTC_RUNS))]),
                RunsProgram,
                "names the linker or loads a compiler backend",
                "rustc(1) -C linker",
                "rustc -- -C linker=./x",
            ),
            row(
                When::All(&[
                    When::Path("rustc|rustdoc|clippy"),
                    When::From(
                        1,
                        Test::Starts(words!["@", "-L", "--extern", "--sysroot", "--test-", "--runtool"]),
                    ),
                ]),
                LoadsCode,
                "loads a procedural macro, another standard library or a test runner",
                "rustc(1) --extern",
                "rustdoc -- --test-runtool ./x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["rustc", "rustdoc", "clippy-driver"],
        opts: Opts::new(
            EXACT,
            "C:Z:L:l:o:A:W:D:F:",
            "codegen= crate-name= crate-type= edition= emit= out-dir= extern= sysroot= test-builder= runtool= \
             test-runtool= target=",
        ),
        rows: &[
            row(
                When::Val("-C --codegen", Test::LinkArgs),
                RunsProgram,
                "hands the linker options, which can name programs and files of options",
                "rustc(1) -C link-arg; gcc(1) -B",
                "-C link-arg=--prefix=./ a.rs",
            ),
            row(
                When::Val("-C --codegen", Test::Has(RUSTC_RUNS)),
                RunsProgram,
                "names the linker",
                "rustc(1) -C linker",
                "-C linker=./x a.rs",
            ),
            row(
                When::Opt("--extern --sysroot --test-builder --runtool --test-runtool -L"),
                LoadsCode,
                "loads a procedural macro, another standard library or a test runner",
                "rustc(1) --extern",
                "--extern x=./x.so a.rs",
            ),
            row(
                When::Val("--target", Test::Ends(words![".json"])),
                RunsProgram,
                "the target's description can name the linker",
                "rustc book, Custom Targets",
                "--target x.json a.rs",
            ),
            row(
                When::Val(
                    "-o --out-dir --emit --print",
                    Test::Starts(words!["/usr/", "/bin/", "/sbin/", "/lib", "/opt/", "/etc/"]),
                ),
                WritesFile,
                "writes where programs lie",
                "rustc(1) -o",
                "-o /usr/local/bin/x a.rs",
            ),
            row(
                When::Val("-Z", Test::Has(words!["codegen-backend", "llvm-plugins"])),
                LoadsCode,
                PLUGIN,
                "rustc(1) -Z codegen-backend",
                "-Z codegen-backend=./x.so a.rs",
            ),
            row(
                When::Word(Test::Starts(words!["@"])),
                LoadsCode,
                "takes options from a file",
                "rustc(1) @path",
                "@opts",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["rustfmt", "cargo-fmt"],
        opts: Opts::new(
            GNU,
            "hlqvV",
            "config-path= config= edition= style-edition= color= emit= file-lines= print-config= check backup files-with-diff",
        ),
        rows: &[row(
            When::Opt("--print-config"),
            WritesFile,
            "writes its settings over a file",
            "rustfmt --help",
            "--print-config default x",
        )],
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
                When::Val("--ldflags --gcflags --gccgoflags", Test::Has(words!["extld", "linker", "plugin"])),
                RunsProgram,
                "names the external linker",
                "go tool link -help: -extld",
                "build -ldflags=-extld=./x ./...",
            ),
            row(
                When::All(&[When::Path("run"), When::Nth(1, Test::Has(words!["@"]))]),
                LoadsCode,
                "fetches a package from the net, and runs it",
                "go help run: package@version",
                "run example.org/x@latest",
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
        names: &["cmake"],
        opts: Opts::new(
            EXACT,
            "D:C:P:B:S:G:T:A:U:E!",
            "build= target= config= install= prefix= toolchain= parallel=? trace-redirect= \
graphviz= profiling-output= debug-output preset=",
        ),
        rows: &[
            row(When::Opt("-P"), LoadsCode, "runs a script", "cmake(1) -P; GTFOBins cmake", "-P x.cmake"),
            row(
                When::Val(
                    "-E",
                    Test::Not(words![
                        "capabilities",
                        "cat",
                        "compare_files",
                        "echo",
                        "echo_append",
                        "environment",
                        "false",
                        "make_directory",
                        "md5sum",
                        "sha1sum",
                        "sha256sum",
                        "sha512sum",
                        "sleep",
                        "true",
                    ]),
                ),
                RunsProgram,
                "runs a command, or writes or deletes files",
                "cmake(1) -E",
                "-E env ./x",
            ),
            row(When::Opt("-C"), LoadsCode, "runs an initial script", "cmake(1) -C", "-C x.cmake ."),
            row(
                When::Val(
                    "-D",
                    Test::Has(words![
                        "_LAUNCHER",
                        "TOOLCHAIN_FILE",
                        "_INCLUDE",
                        "MAKE_PROGRAM",
                        "RULE_LAUNCH",
                        "MODULE_PATH",
                        "_LINKER=",
                        "EMULATOR",
                        "_CREATE_",
                        "_COMPILE_OBJECT",
                        "_ARCHIVE_CREATE",
                        "_ARCHIVE_APPEND",
                        "_ARCHIVE_FINISH",
                        "RULES_OVERRIDE",
                    ]),
                ),
                RunsProgram,
                "names a program or script that the build runs",
                "cmake-variables(7)",
                "-DCMAKE_C_COMPILER_LAUNCHER=./x .",
            ),
            row(
                When::Val("-D", Test::CMakeProgram),
                RunsProgram,
                "names a program that the build runs",
                "cmake-variables(7) CMAKE_LANG_COMPILER",
                "-DCMAKE_C_COMPILER=/tmp/x .",
            ),
            row(
                When::All(&[When::Opt("--build"), When::From(0, Test::MakeVariable)]),
                RunsProgram,
                "hands it to make, for which it is a variable",
                "cmake(1) --build",
                "--build b -- SHELL=./x",
            ),
            row(
                When::All(&[
                    When::Opt("--build"),
                    When::Anywhere(Test::Starts(words![
                        "--ev", "-f", "-t", "--fi", "--ma", "-C", "--di", "-I", "--in", "-e", "--en",
                    ])),
                ]),
                LoadsCode,
                "hands it to the build tool, which reads rules from it",
                "cmake(1) --build; make(1) -f, --eval",
                "--build b -- --eval=x",
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
        names: &["meson"],
        opts: Opts::new(GNU, "C:j:t:", "wrapper= wrap= gdb-path= internal=! setup= suite="),
        rows: &[
            row(
                When::Opt("--wrapper --wrap --gdb-path --internal"),
                RunsProgram,
                PROGRAM,
                "meson(1) test --wrapper",
                "test --wrapper ./x",
            ),
            row(When::Path("devenv|runpython|wrap"), RunsProgram, PROGRAM, "meson(1) devenv", "devenv ./x"),
        ],
        subs: &[],
    },
    Program {
        names: &["ctest"],
        opts: Opts::new(
            EXACT,
            "S:C:R:E:L:I:j:T:M:D:O:U:",
            "build-and-test build-makeprogram= test-command=! output-log= output-junit= overwrite=",
        ),
        rows: &[
            row(
                When::Opt(
                    "-S --script --script-new-process --build-and-test --launch --build-makeprogram --test-command \
                     --overwrite",
                ),
                RunsProgram,
                "runs a script, or a build of the caller's choice",
                "ctest(1) -S, --build-and-test",
                "--build-and-test a b --build-generator x",
            ),
            row(
                When::Val("-D -M -T", Test::Has(words!["Submit", "Experimental", "Nightly", "Continuous"])),
                Uploads,
                "updates and builds, and sends what came of it to a dashboard",
                "ctest(1) -D",
                "-D Experimental",
            ),
            row(
                When::Val("-O --output-log --output-junit", Test::File),
                WritesFile,
                WRITES,
                "ctest(1) -O",
                "-O x",
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
                "--run_under --workspace_status_command --bazelrc --server_javabase \
--override_repository --override_module --host_jvm_args --shell_executable --extra_toolchains \
--crosstool_top --python_top --python_path",
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
                When::Operand(Test::Has(words![
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
                When::Word(Test::Starts(words![
                    "-Dmaven.ext.class.path",
                    "-Dexec.",
                    "-DargLine",
                    "-Djvm",
                    "-Dmaven.repo.remote",
                    "-Dmaven.compiler.exec",
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
            "init-script= build-file= settings-file= include-build= project-dir= \
gradle-user-home= tests= project-cache-dir=",
        ),
        rows: &[
            row(
                When::Opt(
                    "-I --init-script -b --build-file -c --settings-file --include-build -g --gradle-user-home",
                ),
                LoadsCode,
                "runs a script of the caller's choice",
                "gradle(1) --init-script",
                "--init-script x.gradle build",
            ),
            row(
                When::Val(
                    "-D",
                    Test::Starts(words!["org.gradle.jvmargs", "org.gradle.java.home", "gradle.user.home"]),
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
                When::Word(Test::Starts(words!["@"])),
                LoadsCode,
                "takes options from a file",
                "protoc @file",
                "@opts",
            ),
        ],
        subs: &[],
    },
];
