//! Interpreters: when they take their program from standard input.
//!
//! Code on the command line is a hazard, a program in a file an operand; only code that somebody else writes
//! into a pipe is dealt with here.
use crate::getopt::{Longs, longs};
use crate::getopt::{Spec, Takes};
use crate::tables::index::{self, Index};
use crate::tables::words::{WordList, words};
use crate::tables::wrappers::is;

/// One interpreter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interpreter {
    /// Names, exact bytes; versions are stripped before.
    pub(crate) names: &'static [&'static str],
    /// Its options.
    pub(crate) options: Spec,
    /// Options that say where the code is, or that none is run: with one of them standard input is data.
    pub(crate) code: WordList,
    /// Options whose value is a program file; `-` there is standard input.
    pub(crate) files: WordList,
    /// Options after which it reads standard input whatever else is said.
    pub(crate) stdin: WordList,
    /// First operands that are sub-commands which read code from standard input; `"run -"` = if `-` follows.
    pub(crate) reads: WordList,
    /// With fewer operands than this it reads its code from standard input; 0 = never for want of one.
    pub(crate) operands: usize,
    /// Beginnings of long options without a value that are too many to list.
    pub(crate) flags: WordList,
    /// False for programs people use as filters or clients: *allow always* may store them.
    pub(crate) language: bool,
    /// Where that is written.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the reader and the tests"))]
    pub(crate) reason: &'static str,
}

/// Standard input is read whatever the operands are.
pub(crate) const ALWAYS: usize = usize::MAX;

const N: Takes = Takes::Nothing;
const V: Takes = Takes::Value;
const O: Takes = Takes::Optional;

const fn spec(short: &'static str, long: Longs) -> Spec {
    Spec { short, long, permute: false, abbreviate: false, single_dash_long: false }
}

const BASE: Interpreter = Interpreter {
    names: &[],
    options: spec("", Longs::NONE),
    code: WordList::NONE,
    files: WordList::NONE,
    stdin: WordList::NONE,
    reads: WordList::NONE,
    operands: 1,
    flags: WordList::NONE,
    language: true,
    reason: "",
};

/// Every interpreter.
pub(crate) static INTERPRETERS: &[Interpreter] = ALL;

/// The names of each.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const NAMES: [&[&str]; ALL.len()] = index::names!(ALL, ALL.len());

static INDEX: Index<{ index::count(&NAMES) }> = Index::new(&NAMES);

/// The interpreter of exactly that name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Interpreter> {
    let mut rows = INDEX.of(name).filter_map(|at| INTERPRETERS.get(at));
    rows.find(|i| i.names.iter().any(|n| is(n, name)))
}

const ALL: &[Interpreter] = &[
    Interpreter {
        names: &[
            "python",
            "pypy",
            "jython",
            "micropython",
            "graalpy",
            "pythonw",
            "ipython",
            "bpython",
            "ptpython",
        ],
        options: spec(
            "bBdEhiIm:OPqRsStuvVW:xX:c:?",
            longs![
                ("help", N),
                ("version", N),
                ("help-env", N),
                ("help-xoptions", N),
                ("help-all", N),
                ("check-hash-based-pycs", V),
            ],
        ),
        code: words!["c", "m", "V", "h", "?", "help", "version", "help-env", "help-xoptions", "help-all"],
        stdin: words!["i"],
        reason: "python(1)",
        ..BASE
    },
    Interpreter {
        names: &["node", "nodejs", "iojs"],
        options: spec(
            "e:p:ivr:chC:",
            longs![
                ("eval", V),
                ("print", V),
                ("interactive", N),
                ("version", N),
                ("help", N),
                ("v8-options", N),
                ("check", N),
                ("require", V),
                ("import", V),
                ("loader", V),
                ("experimental-loader", V),
                ("conditions", V),
                ("input-type", V),
                ("env-file", V),
                ("env-file-if-exists", V),
                ("title", V),
                ("icu-data-dir", V),
                ("openssl-config", V),
                ("redirect-warnings", V),
                ("diagnostic-dir", V),
                ("cpu-prof-dir", V),
                ("heap-prof-dir", V),
                ("max-old-space-size", V),
                ("stack-size", V),
                ("inspect", O),
                ("inspect-brk", O),
                ("inspect-port", V),
                ("test", N),
                ("test-name-pattern", V),
                ("test-reporter", V),
                ("test-reporter-destination", V),
                ("test-concurrency", V),
                ("watch", N),
                ("watch-path", V),
                ("run", V),
                ("expose-gc", N),
                ("enable-source-maps", N),
                ("prof", N),
                ("cpu-prof", N),
                ("heap-prof", N),
                ("throw-deprecation", N),
                ("pending-deprecation", N),
                ("preserve-symlinks", N),
                ("preserve-symlinks-main", N),
                ("permission", N),
            ],
        ),
        code: words!["e", "eval", "p", "print", "v", "version", "h", "help", "v8-options", "test", "run"],
        stdin: words!["i", "interactive"],
        flags: words![
            "no-",
            "trace-",
            "harmony",
            "experimental-",
            "allow-",
            "unhandled-rejections=",
            "report-"
        ],
        reason: "node(1)",
        ..BASE
    },
    Interpreter {
        names: &["perl", "raku"],
        // The digits of -0 and -l count as flags: they may stand before -e in one word.
        options: spec(
            "0123456789aceC::D::d::E:e:fF::hI:i::lM:m:npsStTuUvV::wWxX",
            longs![("help", N), ("version", N)],
        ),
        code: words!["e", "E", "v", "V", "h", "help", "version"],
        reason: "perlrun(1)",
        ..BASE
    },
    Interpreter {
        names: &["ruby", "jruby", "truffleruby"],
        options: spec(
            "0123456789acC:dE:e:F::hI:i::K::lnpr:sSUvwW::x::yX:",
            longs![
                ("version", N),
                ("help", N),
                ("copyright", N),
                ("verbose", N),
                ("yjit", N),
                ("jit", N),
                ("enable", V),
                ("disable", V),
                ("encoding", V),
                ("external-encoding", V),
                ("internal-encoding", V),
            ],
        ),
        code: words!["e", "h", "version", "help", "copyright"],
        flags: words!["yjit-", "enable=", "disable=", "disable-", "enable-"],
        reason: "ruby(1)",
        ..BASE
    },
    Interpreter {
        names: &["php", "hhvm"],
        options: spec(
            "aB:c:Cd:eE:F:f:hHilmnqr:R:sS:t:vwz:",
            longs![
                ("version", N),
                ("help", N),
                ("info", N),
                ("ini", O),
                ("modules", N),
                ("rf", V),
                ("rc", V),
                ("re", V),
                ("ri", V),
                ("run", V),
                ("server", V),
                ("docroot", V),
                ("define", V),
                ("no-php-ini", N),
                ("php-ini", V),
            ],
        ),
        code: words![
            "r", "R", "B", "E", "F", "S", "v", "h", "i", "m", "version", "help", "info", "ini", "modules",
            "rf", "rc", "re", "ri", "run", "server",
        ],
        files: words!["f"],
        stdin: words!["a"],
        reason: "php(1)",
        ..BASE
    },
    Interpreter {
        names: &["lua", "luajit", "texlua", "luau"],
        options: spec("e:l:ivEWj:O::b", Longs::NONE),
        code: words!["e", "b"],
        stdin: words!["i"],
        reason: "lua(1)",
        ..BASE
    },
    Interpreter {
        names: &["R"],
        options: spec(
            "e:f:g:d:q",
            longs![
                ("version", N),
                ("help", N),
                ("no-save", N),
                ("save", N),
                ("vanilla", N),
                ("slave", N),
                ("no-echo", N),
                ("quiet", N),
                ("silent", N),
                ("interactive", N),
                ("no-restore", N),
                ("no-environ", N),
                ("no-site-file", N),
                ("no-init-file", N),
                ("file", V),
                ("args", N),
            ],
        ),
        code: words!["e", "version", "help"],
        files: words!["f", "file"],
        reason: "R(1)",
        ..BASE
    },
    Interpreter {
        names: &["Rscript", "littler"],
        options: spec(
            "e:",
            longs![
                ("version", N),
                ("help", N),
                ("vanilla", N),
                ("verbose", N),
                ("default-packages", V),
                ("no-save", N),
                ("no-restore", N),
                ("no-environ", N),
                ("no-init-file", N),
                ("no-site-file", N),
            ],
        ),
        code: words!["e", "version", "help"],
        operands: 0,
        reason: "Rscript(1)",
        ..BASE
    },
    Interpreter {
        names: &["deno"],
        options: spec(
            "hVqL:A",
            longs![("help", N), ("version", N), ("quiet", N), ("log-level", V), ("unstable", N)],
        ),
        code: words!["h", "V", "help", "version"],
        reads: words!["repl", "run -"],
        flags: words!["unstable-", "allow-", "no-"],
        reason: "deno manual",
        ..BASE
    },
    Interpreter {
        names: &["bun"],
        options: spec(
            "vhe:p:r:b",
            longs![
                ("version", N),
                ("help", N),
                ("revision", N),
                ("eval", V),
                ("print", V),
                ("preload", V),
                ("cwd", V),
                ("bun", N),
                ("watch", N),
                ("hot", N),
                ("silent", N),
                ("smol", N),
                ("filter", V),
                ("env-file", V),
            ],
        ),
        code: words!["v", "h", "e", "p", "version", "help", "revision", "eval", "print"],
        reads: words!["repl", "run -"],
        flags: words!["no-", "inspect"],
        reason: "bun manual",
        ..BASE
    },
    Interpreter {
        names: &[
            "tsx",
            "ts-node",
            "tsm",
            "esno",
            "swc-node",
            "coffee",
            "babel-node",
            "esbuild-node",
            "vite-node",
        ],
        options: spec(
            "e:p:ivhr:TP:",
            longs![
                ("eval", V),
                ("print", V),
                ("version", N),
                ("help", N),
                ("require", V),
                ("transpile-only", N),
                ("project", V),
                ("esm", N),
                ("tsconfig", V),
                ("import", V),
            ],
        ),
        code: words!["e", "p", "v", "h", "eval", "print", "version", "help"],
        flags: words!["no-", "experimental-"],
        reason: "runs TypeScript; their manuals",
        ..BASE
    },
    Interpreter {
        names: &["julia"],
        options: spec(
            "e:E:p:t:L:J:iqvhO::g::",
            longs![
                ("eval", V),
                ("print", V),
                ("project", O),
                ("version", N),
                ("help", N),
                ("threads", V),
                ("load", V),
                ("sysimage", V),
                ("quiet", N),
                ("startup-file", V),
                ("color", V),
            ],
        ),
        code: words!["e", "E", "v", "h", "eval", "print", "version", "help"],
        stdin: words!["i"],
        reason: "julia(1)",
        ..BASE
    },
    Interpreter {
        names: &["expect"],
        options: spec("c:dDf:inNvb", Longs::NONE),
        files: words!["f"],
        stdin: words!["i"],
        reason: "expect(1)",
        ..BASE
    },
    Interpreter {
        names: &[
            "tclsh",
            "wish",
            "ocaml",
            "guile",
            "racket",
            "scheme",
            "mit-scheme",
            "chez",
            "csi",
            "gsi",
            "sbcl",
            "clisp",
            "ecl",
            "ghci",
            "runghc",
            "irb",
            "pry",
            "iex",
            "elixir",
            "erl",
            "escript",
            "swipl",
            "gprolog",
            "octave",
            "gp",
            "maxima",
            "clojure",
            "clj",
            "bb",
            "groovysh",
            "scala",
            "scala-cli",
            "jshell",
            "kotlin",
            "kotlinc",
            "psysh",
            "janet",
            "fennel",
            "hy",
            "nim",
            "dart",
            "gosh",
            "rhino",
            "qjs",
            "d8",
            "jsc",
            "osascript",
            "gnuplot",
            "m4",
            "utop",
            "cling",
            "evcxr",
            "lein",
        ],
        options: spec(
            "e:c:",
            longs![("eval", V), ("version", N), ("help", N), ("command", V), ("expr", V), ("quiet", N)],
        ),
        code: words!["e", "c", "eval", "version", "help", "command", "expr"],
        reason: "without an operand they read a program from standard input; their manuals",
        ..BASE
    },
    Interpreter {
        names: &["sqlite3", "duckdb"],
        options: Spec {
            short: "",
            long: longs![
                ("version", N),
                ("help", N),
                ("readonly", N),
                ("header", N),
                ("noheader", N),
                ("csv", N),
                ("json", N),
                ("column", N),
                ("line", N),
                ("list", N),
                ("table", N),
                ("box", N),
                ("markdown", N),
                ("html", N),
                ("quote", N),
                ("ascii", N),
                ("tabs", N),
                ("batch", N),
                ("bail", N),
                ("echo", N),
                ("safe", N),
                ("interactive", N),
                ("separator", V),
                ("newline", V),
                ("nullvalue", V),
                ("cmd", V),
                ("init", V),
                ("c", V),
                ("s", V),
                ("f", V),
            ],
            permute: true,
            abbreviate: false,
            single_dash_long: true,
        },
        code: words!["version", "help", "c", "s", "f"],
        stdin: words!["interactive"],
        operands: 2,
        language: false,
        reason: "commands on standard input may be .shell; sqlite3(1)",
        ..BASE
    },
    Interpreter {
        names: &["psql"],
        options: Spec {
            short: "c:f:d:h:p:U:wWv:AtqXF:R:o:lVHxz0P:TeEansSL:b?1",
            long: longs![
                ("command", V),
                ("file", V),
                ("dbname", V),
                ("host", V),
                ("port", V),
                ("username", V),
                ("no-password", N),
                ("password", N),
                ("set", V),
                ("variable", V),
                ("no-align", N),
                ("tuples-only", N),
                ("quiet", N),
                ("no-psqlrc", N),
                ("field-separator", V),
                ("output", V),
                ("list", N),
                ("version", N),
                ("help", O),
                ("csv", N),
                ("expanded", N),
                ("pset", V),
                ("single-transaction", N),
                ("echo-all", N),
            ],
            permute: true,
            abbreviate: false,
            single_dash_long: false,
        },
        code: words!["c", "command", "l", "list", "V", "version", "help", "?"],
        files: words!["f", "file"],
        operands: ALWAYS,
        language: false,
        reason: "commands on standard input may be \\!; psql(1)",
        ..BASE
    },
    Interpreter {
        names: &["mysql", "mariadb"],
        options: Spec {
            short: "e:h:u:p::P:D:S:NBsrtvVABCEHX?",
            long: longs![
                ("execute", V),
                ("host", V),
                ("user", V),
                ("password", O),
                ("port", V),
                ("database", V),
                ("socket", V),
                ("batch", N),
                ("raw", N),
                ("silent", N),
                ("table", N),
                ("skip-column-names", N),
                ("version", N),
                ("help", N),
                ("defaults-file", V),
                ("defaults-extra-file", V),
                ("ssl-mode", V),
                ("protocol", V),
                ("default-character-set", V),
            ],
            permute: true,
            abbreviate: false,
            single_dash_long: false,
        },
        code: words!["e", "execute", "V", "version", "help", "?"],
        operands: ALWAYS,
        language: false,
        reason: "commands on standard input may be \\!; mysql(1)",
        ..BASE
    },
    Interpreter {
        names: &["ed", "red", "ex"],
        options: spec(
            "sp:EGrvhVlc:",
            longs![
                ("help", N),
                ("version", N),
                ("quiet", N),
                ("silent", N),
                ("prompt", V),
                ("loose-exit-status", N),
                ("traditional", N),
                ("restricted", N),
                ("extended-regexp", N),
                ("verbose", N),
            ],
        ),
        code: words!["h", "V", "help", "version"],
        operands: ALWAYS,
        reason: "commands on standard input may be !; ed(1)",
        ..BASE
    },
    Interpreter {
        names: &["dc"],
        options: spec("e:f:hV", longs![("expression", V), ("file", V), ("help", N), ("version", N)]),
        code: words!["e", "h", "V", "expression", "help", "version"],
        files: words!["f", "file"],
        reason: "commands on standard input may be !; dc(1)",
        ..BASE
    },
    Interpreter {
        names: &["awk", "gawk", "mawk", "nawk", "original-awk", "goawk"],
        options: spec(
            "f:F:v:e:E:i:l:bcCghnNOPrsStVW:",
            longs![
                ("file", V),
                ("exec", V),
                ("field-separator", V),
                ("assign", V),
                ("source", V),
                ("include", V),
                ("csv", N),
                ("sandbox", N),
                ("posix", N),
                ("version", N),
                ("help", N),
                ("re-interval", N),
                ("traditional", N),
                ("characters-as-bytes", N),
            ],
        ),
        code: words!["e", "source", "version", "help"],
        files: words!["f", "file", "E", "exec", "i", "include"],
        operands: 0,
        reason: "a program file may be standard input; awk(1)",
        ..BASE
    },
    Interpreter {
        names: &["sed", "gsed"],
        options: Spec {
            short: "nre:f:i::l:suzEabI::",
            long: longs![
                ("expression", V),
                ("file", V),
                ("in-place", O),
                ("quiet", N),
                ("silent", N),
                ("regexp-extended", N),
                ("null-data", N),
                ("separate", N),
                ("unbuffered", N),
                ("line-length", V),
                ("posix", N),
                ("sandbox", N),
                ("debug", N),
                ("follow-symlinks", N),
                ("version", N),
                ("help", N),
            ],
            permute: true,
            abbreviate: false,
            single_dash_long: false,
        },
        files: words!["f", "file"],
        operands: 0,
        language: false,
        reason: "a program file may be standard input; sed(1)",
        ..BASE
    },
    Interpreter {
        names: &["make", "gmake", "bmake", "just", "task", "ninja"],
        options: Spec {
            short: "f:C:j::kBnsqtwdeirSI:l::o:W:vhpEN",
            long: longs![
                ("file", V),
                ("makefile", V),
                ("directory", V),
                ("jobs", O),
                ("justfile", V),
                ("taskfile", V),
            ],
            permute: true,
            abbreviate: false,
            single_dash_long: false,
        },
        files: words!["f", "file", "makefile", "justfile", "taskfile"],
        operands: 0,
        language: false,
        reason: "a makefile may be standard input; make(1)",
        ..BASE
    },
];
