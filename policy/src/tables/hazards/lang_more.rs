//! More interpreters, debuggers and macro processors.
use super::Category::{InlineCode, LoadsCode, RunsProgram};
use super::{DASH, EXACT, EXACT_POSIX, GNU, Opts, POSIX, Program, Style, Test, When, row};
use crate::tables::words::{WordList, words};

const INLINE: &str = "evaluates code from the command line";

const STDIN: &str = "takes its program from standard input";

const PRELOAD: &str = "loads code before the program";

const DASH_FILE: Test = Test::Is(words!["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

const DEBUGGER: Style = Style { stop: u16::MAX, abbreviate: true, single_dash: true, bundle: false };

const DEBUG: WordList = words![
    "shell",
    "!",
    "python",
    "py",
    "pi",
    "python-interactive",
    "pipe",
    "|",
    "source",
    "guile",
    "gu",
    "gr",
    "call",
    "print",
    "p",
    "set",
    "dump",
    "run",
    "r",
    "start",
    "compile",
    "make",
    "script",
    "platform",
    "target",
    "append",
    "save",
    "define",
    "eval",
    "command",
    "generate-core-file",
    "gcore",
    "expr",
    "expression",
    "e",
    "signal",
    "jump",
    "restore",
    "load",
    "edit",
    "output",
    "printf",
    "inspect",
    "x",
    "plugin",
    "process",
];

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &[
            "julia", "crystal", "elixir", "iex", "mix", "raku", "perl6", "rakudo", "nim", "swift", "groovy",
            "kotlin", "clojure", "clj", "bb",
        ],
        opts: Opts::new(
            EXACT_POSIX,
            "e:E:L:J:r:I:M:p:",
            "eval= print= load= require= sysimage= rpc-eval= erl= init=",
        ),
        rows: &[
            row(
                When::Opt("-e -E --eval --print --rpc-eval"),
                InlineCode,
                INLINE,
                "julia(1) -e; elixir(1) -e",
                "-e 1",
            ),
            row(
                When::Opt("-L --load -J --sysimage -r --require --erl --init -I -M"),
                LoadsCode,
                PRELOAD,
                "julia(1) -L; elixir(1) -r",
                "-L x.jl a.jl",
            ),
            row(When::Nth(0, Test::Is(words!["eval", "e"])), InlineCode, INLINE, "crystal eval", "eval 1"),
            row(When::Nth(0, DASH_FILE), LoadsCode, STDIN, "julia(1)", "-"),
        ],
        subs: &[],
    },
    Program {
        names: &["julia", "iex", "raku", "perl6", "groovysh", "clj", "ghci", "irb", "jshell", "utop"],
        opts: Opts::new(EXACT_POSIX, "e:E:", "eval="),
        rows: &[row(
            When::Bare("-e -E --eval -v --version -h --help"),
            LoadsCode,
            STDIN,
            "julia(1), iex(1), jshell(1)",
            "",
        )],
        subs: &[],
    },
    Program {
        names: &["erl", "escript"],
        opts: Opts::new(DASH, "", "eval= s= run= pa= pz= config= boot= args_file="),
        rows: &[row(
            When::Opt("--eval --s --run --pa --pz --config --boot --args_file"),
            InlineCode,
            INLINE,
            "erl(1) -eval",
            "-noshell -eval 'x.'",
        )],
        subs: &[],
    },
    Program {
        names: &["ghc", "ghci", "runghc", "runhaskell", "stack", "cabal"],
        opts: Opts::new(EXACT_POSIX, "e:F", "ghc-arg= ghci-script="),
        rows: &[
            row(When::Opt("-e"), InlineCode, INLINE, "ghc(1) -e", "-e 1"),
            row(
                When::Word(Test::Starts(words!["-pgm", "-fplugin", "-F", "-ghci-script", "-optP"])),
                LoadsCode,
                "loads a plugin or names a preprocessor",
                "ghc users guide: -pgmF -fplugin",
                "-pgmF ./x a.hs",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["scala", "ocaml", "swipl", "gprolog", "octave", "matlab", "maxima", "gp", "sage"],
        opts: Opts::new(EXACT_POSIX, "e:g:t:f:s:l:I:r:", "eval= eval-string= batch= init="),
        rows: &[row(
            When::Opt("-e -g -t -f -s -l -r --eval --eval-string --batch --init -init"),
            InlineCode,
            INLINE,
            "scala(1) -e; swipl(1) -g; octave(1) --eval",
            "-e 1",
        )],
        subs: &[],
    },
    Program {
        names: &[
            "guile",
            "racket",
            "sbcl",
            "clisp",
            "ecl",
            "chicken-csi",
            "csi",
            "gosh",
            "scheme",
            "mit-scheme",
            "chez",
            "newlisp",
            "janet",
            "fennel",
        ],
        opts: Opts::new(
            EXACT_POSIX,
            "c:l:e:f:r:t:s:x:i:L:I:",
            "eval= load= script= require= init= userinit= sysinit= core=",
        ),
        rows: &[
            row(When::Opt("-c -e -x --eval"), InlineCode, INLINE, "guile(1) -c; sbcl(1) --eval", "-c 1"),
            row(
                When::Opt("-l -f -r -t -i -L --load --require --init --userinit --sysinit --core"),
                LoadsCode,
                PRELOAD,
                "guile(1) -l; sbcl(1) --load",
                "-l x.scm a.scm",
            ),
            row(
                When::Bare("-c -e -x -s --eval --script -v --version -h --help"),
                LoadsCode,
                STDIN,
                "guile(1)",
                "-q",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["tclsh", "wish", "expect", "osascript"],
        opts: Opts::new(POSIX, "c:f:e:l:s:", "encoding="),
        rows: &[
            row(When::Opt("-c -e"), InlineCode, INLINE, "expect(1) -c; osascript(1) -e", "-c 'spawn id'"),
            row(When::Bare("-c -e -f -v"), LoadsCode, STDIN, "tclsh(1)", ""),
            row(When::Nth(0, DASH_FILE), LoadsCode, STDIN, "expect(1)", "-"),
        ],
        subs: &[],
    },
    Program {
        names: &["jshell", "jrunscript", "jdb"],
        opts: Opts::new(DASH, "", "startup= e= f= l= class-path="),
        rows: &[row(
            When::Always,
            InlineCode,
            "evaluates Java from its input or arguments",
            "jshell(1)",
            "x.jsh",
        )],
        subs: &[],
    },
    Program {
        names: &["gdb", "lldb", "rr", "cgdb", "gdb-multiarch"],
        opts: Opts::new(
            DEBUGGER,
            "",
            "x= command= ix= init-command= ex= iex= eval-command= init-eval-command= p= pid= c= core= d= \
             directory= cd= s= symbols= e= exec= se= data-directory= o= one-line= O= one-line-before-file= \
             S= source= source-before-file= b= l= tty= P python args batch",
        ),
        rows: &[
            row(
                When::Opt("--x --command --ix --init-command --source --source-before-file --P --python"),
                LoadsCode,
                "runs debugger commands from a file, which can run programs",
                "gdb(1) -x",
                "-x x.gdb a",
            ),
            row(
                When::Val(
                    "--ex --iex --eval-command --init-eval-command --o --one-line --O",
                    Test::WordFold(DEBUG),
                ),
                RunsProgram,
                "runs debugger commands, which can run programs",
                "gdb(1) -ex; GTFOBins gdb",
                "-nx -batch -ex '!id'",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["dc"],
        opts: Opts::new(GNU, "e:f:", "expression= file="),
        rows: &[
            row(
                When::Val("-e --expression", Test::Has(words!["!"])),
                RunsProgram,
                "`!` runs a shell line",
                "dc(1) !",
                "-e '!id'",
            ),
            row(When::Opt("-f --file"), LoadsCode, "runs a program from a file", "dc(1) -f", "-f x"),
            row(
                When::Bare("-e --expression -f --file -V --version -h --help"),
                LoadsCode,
                "`!` in its input runs a shell line",
                "dc(1) !",
                "",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["m4", "gm4"],
        opts: Opts::new(
            GNU,
            "D:U:I:B:F:R:o:t:l:L:",
            "define= include= error-output= freeze-state= reload-state= debugfile= prepend-include=",
        ),
        rows: &[row(
            When::Always,
            RunsProgram,
            "`syscmd` in its input runs a shell line",
            "GNU m4 manual, syscmd",
            "x.m4",
        )],
        subs: &[],
    },
    Program {
        names: &["jrunscript", "nashorn", "jjs", "rhino", "d8", "qjs", "mujs"],
        opts: Opts::new(EXACT, "e:f:", "eval= require="),
        rows: &[row(When::Opt("-e --eval --require"), InlineCode, INLINE, "qjs -e", "-e 1")],
        subs: &[],
    },
    Program {
        names: &["dotnet", "csi", "fsi", "dotnet-script", "csharp"],
        opts: Opts::new(EXACT, "e:", "exec= load= use= eval="),
        rows: &[
            row(
                When::Opt("--exec --load --use --eval -e"),
                InlineCode,
                INLINE,
                "dotnet fsi --exec",
                "fsi --use:x --exec x",
            ),
            row(
                When::Path("fsi"),
                InlineCode,
                "evaluates F# from its input or a file",
                "dotnet fsi",
                "fsi x.fsx",
            ),
        ],
        subs: &[],
    },
];
