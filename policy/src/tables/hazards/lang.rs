//! Interpreters: code on the command line, on standard input, in modules loaded before the program.
use super::Category::{InlineCode, LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{DASH_POSIX, EXACT, EXACT_POSIX, Opts, POSIX, Program, Test, When, row};
use crate::tables::words::words;

const INLINE: &str = "evaluates code from the command line";

const STDIN: &str = "takes its program from standard input";

const PRELOAD: &str = "loads code before the program";

const DASH_FILE: Test = Test::Is(words!["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["python", "pypy", "python2", "jython", "micropython", "python3-dbg", "pythonw"],
        opts: Opts::new(POSIX, "c!m!W:X:Q:", "check-hash-based-pycs= help version"),
        rows: &[
            row(When::Opt("-c"), InlineCode, INLINE, "python(1) -c", "-c pass"),
            row(
                When::Bare("-c -m -V --version -h --help --help-all --help-env -?"),
                LoadsCode,
                STDIN,
                "python(1)",
                "-u",
            ),
            row(
                When::All(&[When::Without("-c -m"), When::Nth(0, DASH_FILE)]),
                LoadsCode,
                STDIN,
                "python(1)",
                "-",
            ),
            row(
                When::Val("-m", Test::Is(words!["timeit", "pdb", "code", "asyncio", "bdb"])),
                InlineCode,
                "the module evaluates its arguments or its input",
                "Python library: timeit, pdb, code",
                "-m timeit x",
            ),
            row(
                When::Val("-m", Test::Is(words!["webbrowser", "antigravity", "idlelib", "pydoc"])),
                RunsProgram,
                "the module opens a browser or an editor",
                "Python library: webbrowser",
                "-m webbrowser x",
            ),
            row(
                When::Val("-m", Test::Is(words!["http.server", "SimpleHTTPServer", "smtpd", "pyftpdlib"])),
                Uploads,
                "the module gives the folder's files to everyone who asks",
                "Python library: http.server",
                "-m http.server 8000",
            ),
            row(
                When::All(&[
                    When::Val("-m", Test::Is(words!["json.tool", "json", "gzip", "base64"])),
                    When::More(1),
                ]),
                WritesFile,
                "the second operand is an output file",
                "Python library: json.tool",
                "-m json.tool a b",
            ),
            row(
                When::Val("-m", Test::Is(words!["zipapp"])),
                WritesFile,
                "writes an archive",
                "Python library: zipapp",
                "-m zipapp x",
            ),
            row(
                When::Val("-W", Test::Has(words!["."])),
                LoadsCode,
                "the filter's category is imported",
                "python(1) -W",
                "-W error::x.Y a.py",
            ),
            row(
                When::Val("-X", Test::Starts(words!["pycache_prefix", "presite"])),
                LoadsCode,
                "takes compiled code from another folder",
                "python(1) -X pycache_prefix",
                "-X pycache_prefix=x a.py",
            ),
            row(
                When::Opt("-i"),
                InlineCode,
                "goes on with code from standard input",
                "python(1) -i",
                "-i a.py",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["ipython", "bpython", "ptpython"],
        opts: Opts::new(EXACT, "c:m:i", "ext= profile= startup= config="),
        rows: &[
            row(When::Opt("-c"), InlineCode, INLINE, "ipython(1) -c", "-c pass"),
            row(When::Opt("--ext --profile --config"), LoadsCode, PRELOAD, "ipython --ext", "--ext=x"),
        ],
        subs: &[],
    },
    Program {
        names: &["jupyter", "jupyter-nbconvert", "papermill"],
        opts: Opts::new(EXACT, "", "to= template= config= output= output-dir= post= writer= preprocessors="),
        rows: &[
            row(
                When::Opt("--config --template --post --writer --preprocessors"),
                LoadsCode,
                PRELOAD,
                "jupyter nbconvert --config",
                "nbconvert --config x.py a.ipynb",
            ),
            row(
                When::Opt("--execute"),
                LoadsCode,
                "runs the notebook",
                "jupyter nbconvert --execute",
                "nbconvert --execute a.ipynb",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["node", "nodejs", "iojs"],
        opts: Opts::new(
            EXACT_POSIX,
            "e:r:C:",
            "eval= require= import= loader= experimental-loader= env-file= env-file-if-exists= \
             build-snapshot-config= conditions= input-type= test-reporter= test-name-pattern= title= icu-data-dir= \
             openssl-config= redirect-warnings= report-directory= diagnostic-dir= max-old-space-size= run= \
             watch-path= localstorage-file= snapshot-blob= test-global-setup= cpu-prof-dir= \
             entry-url= experimental-config-file= test-reporter-destination=",
        ),
        rows: &[
            row(When::Opt("-e --eval -p --print"), InlineCode, INLINE, "node(1) -e -p", "-e 1"),
            row(
                When::Opt(
                    "-r --require --import --loader --experimental-loader --snapshot-blob --test-global-setup --entry-url",
                ),
                LoadsCode,
                PRELOAD,
                "node(1) -r --import",
                "-r ./x.js a.js",
            ),
            row(
                When::Opt("--env-file --env-file-if-exists --openssl-config --experimental-config-file"),
                LoadsCode,
                "takes variables such as NODE_OPTIONS, or a configuration, from a file",
                "node(1) --env-file",
                "--env-file=x a.js",
            ),
            row(
                When::Opt(
                    "--redirect-warnings --localstorage-file --test-reporter-destination --trace-event-file-pattern",
                ),
                WritesFile,
                "writes a file beside the program",
                "node(1) --redirect-warnings",
                "--redirect-warnings=x a.js",
            ),
            row(
                When::Val("--test-reporter", Test::Has(words!["/", ".js"])),
                LoadsCode,
                PRELOAD,
                "node(1) --test-reporter",
                "--test --test-reporter=./x.js",
            ),
            row(
                When::Word(Test::Starts(words!["--inspect"])),
                RunsProgram,
                "opens a port on which code can be given to it",
                "node(1) --inspect",
                "--inspect=0.0.0.0 a.js",
            ),
            row(
                When::Bare(
                    "-v --version -h --help -e --eval -p --print --test --run --v8-options \
--completion-bash --prof-process",
                ),
                LoadsCode,
                STDIN,
                "node(1)",
                "-i",
            ),
            row(When::Nth(0, DASH_FILE), LoadsCode, STDIN, "node(1)", "-"),
        ],
        subs: &[],
    },
    Program {
        names: &["deno", "bun", "tsx", "ts-node", "swc-node", "esno"],
        opts: Opts::new(
            EXACT,
            "e:p:r:c:P:",
            "eval= print= require= import= preload= config= import-map= cert= env-file= \
unsafely-ignore-certificate-errors",
        ),
        rows: &[
            row(When::Path("eval"), InlineCode, INLINE, "deno eval", "eval 1"),
            row(When::Opt("-e --eval -p --print"), InlineCode, INLINE, "bun -e; tsx -e; ts-node -e", "-e 1"),
            row(
                When::Opt("--require --import --preload --import-map"),
                LoadsCode,
                PRELOAD,
                "bun --preload; deno run --import-map",
                "--preload ./x.ts a.ts",
            ),
            row(
                When::All(&[
                    When::Path("run|serve|install|test|bench"),
                    When::From(1, Test::StartsFold(words!["http:", "https:", "data:", "blob:"])),
                ]),
                LoadsCode,
                "runs code from another host",
                "deno run",
                "run https://x/y.ts",
            ),
            row(
                When::All(&[When::Path("run"), When::From(1, DASH_FILE)]),
                LoadsCode,
                STDIN,
                "deno run -",
                "run -",
            ),
            row(When::Nth(0, DASH_FILE), LoadsCode, STDIN, "deno run -", "-"),
            row(When::Path("repl|console"), InlineCode, STDIN, "deno repl", "repl"),
        ],
        subs: &[],
    },
    Program {
        names: &["bun", "tsx", "ts-node", "swc-node"],
        opts: Opts::new(EXACT_POSIX, "e:p:r:c:P:", ""),
        rows: &[row(When::Opt("-r"), LoadsCode, PRELOAD, "bun -r; ts-node -r", "-r ./x.ts a.ts")],
        subs: &[],
    },
    Program {
        names: &["perl"],
        opts: Opts::new(POSIX, "e:E:I:m:M:i::x::F::C::d::D::l#0#T", ""),
        rows: &[
            row(When::Opt("-e -E"), InlineCode, INLINE, "perlrun(1) -e", "-lane 'print'"),
            row(When::Opt("-i"), WritesFile, "rewrites the files in place", "perlrun(1) -i", "-pi -e 1 a"),
            row(When::Val("-M -m", Test::Any), LoadsCode, PRELOAD, "perlrun(1) -M", "-Mx a.pl"),
            row(When::Opt("-I"), LoadsCode, "takes modules from another folder", "perlrun(1) -I", "-I. a.pl"),
            row(When::Opt("-x"), LoadsCode, "runs a program embedded in a text", "perlrun(1) -x", "-x a.txt"),
            row(When::Opt("-d"), LoadsCode, "loads a debugger", "perlrun(1) -d", "-d:x a.pl"),
            row(When::Bare("-e -E -v -V -h"), LoadsCode, STDIN, "perlrun(1)", "-w"),
            row(
                When::All(&[When::Without("-e -E"), When::Nth(0, DASH_FILE)]),
                LoadsCode,
                STDIN,
                "perlrun(1)",
                "-",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["ruby", "jruby", "irb", "truffleruby", "mruby"],
        opts: Opts::new(
            POSIX,
            "e:I:r:C:E:i::x::F::K::W::T#0#X:",
            "require= enable= disable= encoding= external-encoding= internal-encoding= yjit=?",
        ),
        rows: &[
            row(When::Opt("-e"), InlineCode, INLINE, "ruby(1) -e", "-e 1"),
            row(When::Opt("-i"), WritesFile, "rewrites the files in place", "ruby(1) -i", "-pi -e 1 a"),
            row(When::Opt("-r --require"), LoadsCode, PRELOAD, "ruby(1) -r", "-r ./x a.rb"),
            row(When::Opt("-I"), LoadsCode, "takes modules from another folder", "ruby(1) -I", "-I. a.rb"),
            row(When::Opt("-x"), LoadsCode, "runs a program embedded in a text", "ruby(1) -x", "-x a.txt"),
            row(
                When::Word(Test::Starts(words!["--crash-report", "--yjit-log", "--yjit-dump"])),
                WritesFile,
                "writes the file, or pipes a report to a command",
                "ruby(1) --crash-report",
                "--crash-report=x a.rb",
            ),
            row(When::Bare("-e -v --version -h --help --copyright"), LoadsCode, STDIN, "ruby(1)", "-w"),
            row(When::All(&[When::Without("-e"), When::Nth(0, DASH_FILE)]), LoadsCode, STDIN, "ruby(1)", "-"),
        ],
        subs: &[],
    },
    Program {
        names: &["php", "hhvm", "php-cgi"],
        opts: Opts::new(
            POSIX,
            "r!B:R:E:F:f:d:z:c:S:t:",
            "run= process-code= process-begin= process-end= process-file= define= php-ini= \
zend-extension= server= docroot= rf= rc= re=",
        ),
        rows: &[
            row(
                When::Opt("-r -B -R -E --run --process-code --process-begin --process-end"),
                InlineCode,
                INLINE,
                "php(1) -r",
                "-r 1;",
            ),
            row(
                When::Val(
                    "-d --define",
                    Test::Has(words![
                        "prepend",
                        "append",
                        "extension",
                        "include_path",
                        "sendmail",
                        "open_basedir",
                        "disable_",
                        "ffi",
                        "preload",
                        "allow_url",
                        "error_log",
                        "mail.log",
                        "auto_",
                    ]),
                ),
                LoadsCode,
                "the setting loads code or names a program",
                "php(1) -d; php.ini",
                "-d auto_prepend_file=x a.php",
            ),
            row(
                When::Opt("-z --zend-extension -c --php-ini"),
                LoadsCode,
                PRELOAD,
                "php(1) -z",
                "-z x.so a.php",
            ),
            row(
                When::Opt("-S --server"),
                Uploads,
                "gives the folder's files to everyone who asks",
                "php(1) -S",
                "-S 0.0.0.0:80",
            ),
            row(
                When::Bare(
                    "-r -B -R -E -f -v --version -h --help -i --info -m --modules --ini -S --server \
--rf --rc --re --run",
                ),
                LoadsCode,
                STDIN,
                "php(1)",
                "-a",
            ),
            row(When::All(&[When::Without("-r"), When::Nth(0, DASH_FILE)]), LoadsCode, STDIN, "php(1)", "-"),
        ],
        subs: &[],
    },
    Program {
        names: &["lua", "luajit", "texlua", "luau"],
        opts: Opts::new(POSIX, "e:l:j:O:b", ""),
        rows: &[
            row(When::Opt("-e"), InlineCode, INLINE, "lua(1) -e", "-e 1"),
            row(When::Opt("-l -j"), LoadsCode, PRELOAD, "lua(1) -l", "-l x a.lua"),
            row(When::Bare("-e -v"), LoadsCode, STDIN, "lua(1)", "-i"),
            row(When::Nth(0, DASH_FILE), LoadsCode, STDIN, "lua(1)", "-"),
        ],
        subs: &[],
    },
    Program {
        names: &["R", "Rscript", "r", "littler"],
        opts: Opts::new(POSIX, "e:f:g:d:", "file= args gui= debugger= default-packages="),
        rows: &[
            row(When::Opt("-e"), InlineCode, INLINE, "Rscript(1) -e", "-e 1"),
            row(When::Bare("-e -f --file --version --help -h"), LoadsCode, STDIN, "R(1)", "--no-save"),
            row(When::Opt("-d --debugger"), RunsProgram, "runs a debugger", "R(1) -d", "-d gdb"),
            row(When::Nth(0, DASH_FILE), LoadsCode, STDIN, "Rscript(1)", "-"),
        ],
        subs: &[],
    },
    Program {
        names: &["java"],
        opts: Opts::new(
            DASH_POSIX,
            "",
            "cp= classpath= class-path= p= module-path= m=! module=! jar=! add-modules= \
add-exports= add-opens= source= upgrade-module-path=",
        ),
        rows: &[
            row(
                When::Word(Test::Starts(words![
                    "-agent",
                    "-javaagent",
                    "-Xbootclasspath",
                    "-XX:Flags",
                    "-XX:VMOptionsFile",
                    "-Djava.system.class.loader",
                    "-Djdk.module",
                    "@",
                ])),
                LoadsCode,
                PRELOAD,
                "java(1) -agentlib, -javaagent",
                "-javaagent:x.jar A",
            ),
            row(
                When::Word(Test::Starts(words!["-XX:OnError", "-XX:OnOutOfMemoryError"])),
                RunsProgram,
                "runs a command when it fails",
                "java(1) -XX:OnError",
                "-XX:OnError=x A",
            ),
            row(
                When::All(&[When::Without("--jar --m --module"), When::Nth(0, Test::Ends(words![".java"]))]),
                LoadsCode,
                "compiles and runs a source file",
                "java(1), source launcher; JEP 330",
                "X.java",
            ),
            row(
                When::Opt("--source"),
                LoadsCode,
                "compiles and runs a source file",
                "java(1) --source",
                "--source 17 x",
            ),
            row(
                When::Word(Test::Starts(words![
                    "-Xlog:",
                    "-Xloggc:",
                    "-XX:HeapDumpPath",
                    "-XX:StartFlightRecording",
                    "-XX:ErrorFile",
                ])),
                WritesFile,
                "writes a log over a file",
                "java(1) -Xlog",
                "-Xlog:gc:x A",
            ),
        ],
        subs: &[],
    },
];
