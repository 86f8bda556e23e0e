//! Programs that can only work on their standard input, with the options that keep them so.
//!
//! Each program's options are listed *all*, the refused ones too, because `getopt_long` lets a long option be
//! shortened to any prefix that is unique among all of them. Short options stand in the string getopt(3) would be
//! given. An option that is in no row does not exist for us and is refused.
//! Sources: GNU coreutils 9.1 and grep 3.8 (their manuals and `--help`), jq 1.6 to 1.8 (its manual).
use crate::getopt::longs;
use crate::getopt::{Spec, Takes};

/// The default list of the seed.
pub const DEFAULT: &[&str] = &["jq", "grep", "cut", "sort", "uniq", "head", "tail", "tr", "wc"];

/// What an option's value must look like. A value that is none of these is refused, whatever the program
/// would make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number with an optional sign and size suffix: `5`, `+2`, `-10`, `1k`, `2MiB`.
    Count,
    /// A size for `sort -S`: a number with a suffix or `%`.
    Size,
    /// A list of positions: `1`, `2-`, `-3`, `1,4-6`.
    List,
    /// A sort key: `1`, `2,2`, `2.3,4nr`.
    Key,
    /// A word of letters and dashes from the program's own set: `always`, `auto`.
    Word,
    /// Any text: it is never taken for a name.
    Text,
}

/// What a profile says of one option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It may stand alone.
    Flag,
    /// It may stand with a value of this kind.
    Value(Kind),
    /// It may stand alone or with an attached value of this kind.
    Optional(Kind),
    /// It must not stand.
    No,
    /// It may stand, and ends the program before it does anything: no operand is needed.
    Help,
    /// It gives grep its pattern.
    Pattern,
}

/// One option under its two names.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// The letter, or 0.
    pub short: u8,
    /// The long name without dashes, or empty.
    pub long: &'static str,
    /// What the profile says of it.
    pub rule: Rule,
    /// What it does: the reason it may or may not stand.
    pub what: &'static str,
}

/// What operands a program may be given. `-` is standard input and may stand beside them, except for `tr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// None.
    None,
    /// One pattern, unless an option gave it.
    Pattern,
    /// One or two sets of characters; everything is data.
    Sets,
}

/// How a first word like `-5` or `+5` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obsolete {
    /// Not at all: it is refused.
    None,
    /// head: a dash, digits and letters, before anything else.
    Head,
    /// tail: a dash or plus, digits and one letter, with nothing but `-` behind it.
    Tail,
}

/// The profile of one program.
#[derive(Clone, Copy, Debug)]
pub struct SafeBin {
    /// Its names.
    pub names: &'static [&'static str],
    /// How it parses its options.
    pub spec: Spec,
    /// Every option it has.
    pub options: &'static [Opt],
    /// What operands it may have.
    pub operands: Operands,
    /// The old forms of a count.
    pub obsolete: Obsolete,
}

macro_rules! safe_bin {
    ($id:ident $names:expr, $short:literal, permute $permute:literal, $operands:ident, $obsolete:ident;
     long { $($s:literal $long:literal $takes:ident $rule:expr, $what:literal;)* }
     short { $($only:literal $only_rule:expr, $only_what:literal;)* }) => {
        const $id: SafeBin = SafeBin {
            names: $names,
            spec: Spec {
                short: $short,
                long: longs![$(($long, Takes::$takes),)*],
                permute: $permute,
                abbreviate: true,
                single_dash_long: false,
            },
            options: &[
                $(Opt { short: $s, long: $long, rule: $rule, what: $what },)*
                $(Opt { short: $only, long: "", rule: $only_rule, what: $only_what },)*
            ],
            operands: Operands::$operands,
            obsolete: Obsolete::$obsolete,
        };
    };
}

use Kind::{Count, Key, List, Size, Text, Word};
use Rule::{Flag, Help, No, Optional, Pattern, Value};

safe_bin! { GREP &["grep", "egrep", "fgrep"],
    "0123456789A:B:C:D:EFGHIPTUVX:abcd:e:f:hiLlm:noqRrsuvwxyZz", permute true, Pattern, None;
    long {
        b'e' "regexp" Value Pattern, "gives the pattern as data";
        b'f' "file" Value No, "reads patterns from a file";
        b'i' "ignore-case" Nothing Flag, "ignores case";
        0 "no-ignore-case" Nothing Flag, "distinguishes case";
        b'v' "invert-match" Nothing Flag, "selects the other lines";
        b'c' "count" Nothing Flag, "counts";
        b'n' "line-number" Nothing Flag, "numbers lines";
        b'o' "only-matching" Nothing Flag, "prints the match only";
        b'q' "quiet" Nothing Flag, "prints nothing";
        0 "silent" Nothing Flag, "prints nothing";
        b's' "no-messages" Nothing Flag, "says nothing of unreadable files";
        b'w' "word-regexp" Nothing Flag, "matches words";
        b'x' "line-regexp" Nothing Flag, "matches lines";
        b'E' "extended-regexp" Nothing Flag, "syntax of the pattern";
        b'F' "fixed-strings" Nothing Flag, "syntax of the pattern";
        0 "fixed-regexp" Nothing Flag, "old name of --fixed-strings";
        b'G' "basic-regexp" Nothing Flag, "syntax of the pattern";
        b'P' "perl-regexp" Nothing Flag, "syntax of the pattern";
        b'h' "no-filename" Nothing Flag, "prints no names";
        b'H' "with-filename" Nothing Flag, "prints the name of standard input";
        b'a' "text" Nothing Flag, "treats data as text";
        b'b' "byte-offset" Nothing Flag, "prints offsets";
        b'z' "null-data" Nothing Flag, "lines end in NUL";
        b'Z' "null" Nothing Flag, "names end in NUL";
        b'U' "binary" Nothing Flag, "keeps carriage returns";
        b'L' "files-without-match" Nothing Flag, "prints the name of standard input";
        b'l' "files-with-matches" Nothing Flag, "prints the name of standard input";
        0 "color" Optional Optional(Word), "colours the output";
        0 "colour" Optional Optional(Word), "colours the output";
        b'm' "max-count" Value Value(Count), "stops after a number of lines";
        b'A' "after-context" Value Value(Count), "lines of context";
        b'B' "before-context" Value Value(Count), "lines of context";
        b'C' "context" Value Value(Count), "lines of context";
        0 "group-separator" Value Value(Text), "text between groups of context";
        0 "no-group-separator" Nothing Flag, "nothing between groups of context";
        0 "label" Value Value(Text), "text to call standard input by";
        0 "line-buffered" Nothing Flag, "flushes each line";
        b'T' "initial-tab" Nothing Flag, "aligns the output";
        0 "binary-files" Value Value(Word), "how binary data is treated";
        b'u' "unix-byte-offsets" Nothing No, "obsolete and without effect";
        b'r' "recursive" Nothing No, "reads the files of the working folder";
        b'R' "dereference-recursive" Nothing No, "reads the files of the working folder";
        b'd' "directories" Value No, "may read the files of a folder";
        b'D' "devices" Value No, "says how files are read";
        0 "include" Value No, "chooses among files";
        0 "exclude" Value No, "chooses among files";
        0 "exclude-dir" Value No, "chooses among files";
        0 "exclude-from" Value No, "reads patterns from a file";
        b'V' "version" Nothing Help, "prints the version";
        0 "help" Nothing Help, "prints the usage";
    }
    short {
        b'I' Flag, "treats binary data as not matching";
        b'y' Flag, "old name of -i";
        b'X' No, "undocumented choice of a matcher";
        b'0' Flag, "a digit of -NUM, lines of context";
        b'1' Flag, "a digit of -NUM, lines of context";
        b'2' Flag, "a digit of -NUM, lines of context";
        b'3' Flag, "a digit of -NUM, lines of context";
        b'4' Flag, "a digit of -NUM, lines of context";
        b'5' Flag, "a digit of -NUM, lines of context";
        b'6' Flag, "a digit of -NUM, lines of context";
        b'7' Flag, "a digit of -NUM, lines of context";
        b'8' Flag, "a digit of -NUM, lines of context";
        b'9' Flag, "a digit of -NUM, lines of context";
    }
}

safe_bin! { SORT &["sort"],
    "bcCdfghik:mMno:rRsS:t:T:uVy:z", permute true, None, None;
    long {
        b'b' "ignore-leading-blanks" Nothing Flag, "how lines compare";
        b'd' "dictionary-order" Nothing Flag, "how lines compare";
        b'f' "ignore-case" Nothing Flag, "how lines compare";
        b'g' "general-numeric-sort" Nothing Flag, "how lines compare";
        b'h' "human-numeric-sort" Nothing Flag, "how lines compare";
        b'i' "ignore-nonprinting" Nothing Flag, "how lines compare";
        b'M' "month-sort" Nothing Flag, "how lines compare";
        b'n' "numeric-sort" Nothing Flag, "how lines compare";
        b'r' "reverse" Nothing Flag, "the other way round";
        b'R' "random-sort" Nothing Flag, "shuffles";
        b'V' "version-sort" Nothing Flag, "how lines compare";
        b'u' "unique" Nothing Flag, "drops equal lines";
        b's' "stable" Nothing Flag, "keeps the order of equal lines";
        b'z' "zero-terminated" Nothing Flag, "lines end in NUL";
        b'c' "check" Optional Optional(Word), "checks the order";
        b'm' "merge" Nothing Flag, "merges its inputs: standard input alone";
        b'k' "key" Value Value(Key), "the fields to compare";
        b't' "field-separator" Value Value(Text), "one character between fields";
        b'S' "buffer-size" Value Value(Size), "how much memory it may use";
        0 "parallel" Value Value(Count), "number of threads";
        0 "debug" Nothing Flag, "shows the keys";
        0 "sort" Value Value(Word), "how lines compare, by a word";
        b'o' "output" Value No, "writes a file";
        b'T' "temporary-directory" Value No, "chooses where temporary files are written";
        0 "files0-from" Value No, "reads the files that a list names";
        0 "compress-program" Value No, "runs a program";
        0 "random-source" Value No, "reads a file";
        0 "batch-size" Value No, "is of no use with one input";
        0 "version" Nothing Help, "prints the version";
        0 "help" Nothing Help, "prints the usage";
    }
    short {
        b'C' Flag, "checks the order silently";
        b'y' No, "obsolete: takes the next word only if it is a number";
    }
}

safe_bin! { UNIQ &["uniq"],
    "Dcdf:is:uw:z", permute true, None, None;
    long {
        b'c' "count" Nothing Flag, "counts";
        b'd' "repeated" Nothing Flag, "which lines are printed";
        0 "all-repeated" Optional Optional(Word), "which lines are printed";
        b'u' "unique" Nothing Flag, "which lines are printed";
        b'i' "ignore-case" Nothing Flag, "how lines compare";
        b'z' "zero-terminated" Nothing Flag, "lines end in NUL";
        b'f' "skip-fields" Value Value(Count), "how lines compare";
        b's' "skip-chars" Value Value(Count), "how lines compare";
        b'w' "check-chars" Value Value(Count), "how lines compare";
        0 "group" Optional Optional(Word), "separates groups";
        0 "version" Nothing Help, "prints the version";
        0 "help" Nothing Help, "prints the usage";
    }
    short {
        b'D' Flag, "which lines are printed";
    }
}

safe_bin! { HEAD &["head"],
    "c:n:qvz", permute true, None, Head;
    long {
        b'n' "lines" Value Value(Count), "how much is printed";
        b'c' "bytes" Value Value(Count), "how much is printed";
        b'q' "quiet" Nothing Flag, "prints no header";
        0 "silent" Nothing Flag, "prints no header";
        b'v' "verbose" Nothing Flag, "prints a header";
        b'z' "zero-terminated" Nothing Flag, "lines end in NUL";
        0 "-presume-input-pipe" Nothing No, "undocumented, for the program's own tests";
        0 "version" Nothing Help, "prints the version";
        0 "help" Nothing Help, "prints the usage";
    }
    short {}
}

safe_bin! { TAIL &["tail"],
    "c:n:fFqs:vz", permute true, None, Tail;
    long {
        b'n' "lines" Value Value(Count), "how much is printed";
        b'c' "bytes" Value Value(Count), "how much is printed";
        b'q' "quiet" Nothing Flag, "prints no header";
        0 "silent" Nothing Flag, "prints no header";
        b'v' "verbose" Nothing Flag, "prints a header";
        b'z' "zero-terminated" Nothing Flag, "lines end in NUL";
        b'f' "follow" Optional No, "waits without end";
        0 "retry" Nothing No, "waits without end";
        0 "pid" Value No, "waits for another process";
        b's' "sleep-interval" Value No, "waits without end";
        0 "max-unchanged-stats" Value No, "waits without end";
        0 "-presume-input-pipe" Nothing No, "undocumented, for the program's own tests";
        0 "version" Nothing Help, "prints the version";
        0 "help" Nothing Help, "prints the usage";
    }
    short {
        b'F' No, "waits without end";
    }
}

safe_bin! { CUT &["cut"],
    "b:c:d:f:nsz", permute true, None, None;
    long {
        b'b' "bytes" Value Value(List), "which part of a line";
        b'c' "characters" Value Value(List), "which part of a line";
        b'f' "fields" Value Value(List), "which part of a line";
        b'd' "delimiter" Value Value(Text), "one character between fields";
        b's' "only-delimited" Nothing Flag, "drops lines without the delimiter";
        b'z' "zero-terminated" Nothing Flag, "lines end in NUL";
        0 "complement" Nothing Flag, "the other part of a line";
        0 "output-delimiter" Value Value(Text), "text between fields";
        0 "version" Nothing Help, "prints the version";
        0 "help" Nothing Help, "prints the usage";
    }
    short {
        b'n' Flag, "ignored";
    }
}

safe_bin! { TR &["tr"],
    "AcCdst", permute false, Sets, None;
    long {
        b'c' "complement" Nothing Flag, "the other characters";
        b'd' "delete" Nothing Flag, "deletes";
        b's' "squeeze-repeats" Nothing Flag, "squeezes";
        b't' "truncate-set1" Nothing Flag, "shortens the first set";
        0 "version" Nothing Help, "prints the version";
        0 "help" Nothing Help, "prints the usage";
    }
    short {
        b'C' Flag, "the other characters";
        b'A' No, "undocumented";
    }
}

safe_bin! { WC &["wc"],
    "clLmw", permute true, None, None;
    long {
        b'c' "bytes" Nothing Flag, "what is counted";
        b'm' "chars" Nothing Flag, "what is counted";
        b'l' "lines" Nothing Flag, "what is counted";
        b'w' "words" Nothing Flag, "what is counted";
        b'L' "max-line-length" Nothing Flag, "what is counted";
        0 "total" Value Value(Word), "when a total is printed";
        0 "files0-from" Value No, "reads the files that a list names";
        0 "debug" Nothing No, "shows how it counts (since 9.5)";
        0 "version" Nothing Help, "prints the version";
        0 "help" Nothing Help, "prints the usage";
    }
    short {}
}

/// Every profile but jq's, which parses its arguments in a way of its own (`rules::jq`).
pub const PROFILES: &[SafeBin] = &[GREP, SORT, UNIQ, HEAD, TAIL, CUT, TR, WC];

/// What one of jq's options takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jq {
    /// Nothing.
    Flag,
    /// A number in the next word.
    Number,
    /// A name and its value in the next two words.
    Named,
    /// The operands after it, the program excepted, are data.
    Data,
    /// It prints and ends.
    Help,
}

/// jq's options that may stand: letter or 0, long name or empty, what it takes. It has no abbreviations and no
/// `--name=value`; what is not here is refused (`-f`, `-L`, `--slurpfile`, `--rawfile`, `--argfile`,
/// `--run-tests` read files; `--debug-dump-disasm` and `--debug-trace` are the program's own).
pub const JQ: &[(u8, &str, Jq)] = &[
    (b'r', "raw-output", Jq::Flag),
    (0, "raw-output0", Jq::Flag),
    (b'c', "compact-output", Jq::Flag),
    (b'S', "sort-keys", Jq::Flag),
    (b's', "slurp", Jq::Flag),
    (b'n', "null-input", Jq::Flag),
    (b'R', "raw-input", Jq::Flag),
    (b'j', "join-output", Jq::Flag),
    (b'a', "ascii-output", Jq::Flag),
    (b'C', "color-output", Jq::Flag),
    (b'M', "monochrome-output", Jq::Flag),
    (b'e', "exit-status", Jq::Flag),
    (0, "tab", Jq::Flag),
    (0, "unbuffered", Jq::Flag),
    (0, "seq", Jq::Flag),
    (0, "stream", Jq::Flag),
    (0, "indent", Jq::Number),
    (0, "arg", Jq::Named),
    (0, "argjson", Jq::Named),
    (0, "args", Jq::Data),
    (0, "jsonargs", Jq::Data),
    (b'h', "help", Jq::Help),
    (b'V', "version", Jq::Help),
];

/// Words of jq's grammar that may stand in a program. (`import`, `include` and `module` may not.)
#[rustfmt::skip]
pub const JQ_KEYWORDS: &[&str] = &[
    "__loc__", "and", "as", "break", "catch", "def", "elif", "else", "end", "foreach", "if", "label", "or",
    "reduce", "then", "try",
];

/// Functions of jq that read something else than its input, with what they read.
pub const JQ_READS: &[(&str, &str)] = &[
    ("env", "the environment"),
    ("import", "a module from a file"),
    ("include", "a module from a file"),
    ("module", "a module's description"),
    ("modulemeta", "a module from a file"),
    ("input_filename", "the name of a file"),
    ("get_search_list", "the folders of modules"),
    ("get_jq_origin", "the folder of jq"),
    ("get_prog_origin", "the folder of the program"),
];

/// Functions of jq 1.5 to 1.8 that see nothing but their input and arguments (`input` and `inputs` read on from
/// standard input), in order of bytes for the binary search. A name that is neither here nor defined in the
/// program itself is refused: another jq may give it a meaning, and so may a file `~/.jq`.
#[rustfmt::skip]
pub const JQ_FUNCTIONS: &[&str] = &[
    "GROUP_BY", "IN", "INDEX", "JOIN", "UNIQUE_BY", "abs", "acos", "acosh", "add", "all", "any", "arrays",
    "ascii", "ascii_downcase", "ascii_upcase", "asin", "asinh", "atan", "atan2", "atanh", "booleans",
    "bsearch", "builtins", "capture", "cbrt", "ceil", "combinations", "contains", "copysign", "cos", "cosh",
    "date", "dateadd", "datesub", "debug", "del", "delpaths", "drem", "empty", "endswith", "erf", "erfc",
    "error", "exp", "exp10", "exp2", "explode", "expm1", "fabs", "false", "fdim", "finites", "first",
    "flatten", "floor", "fma", "fmax", "fmin", "fmod", "format", "frexp", "from_entries", "fromdate",
    "fromdateiso8601", "fromjson", "fromstream", "gamma", "getpath", "gmtime", "group_by", "gsub", "halt",
    "halt_error", "has", "have_decnum", "have_literal_numbers", "hypot", "implode", "in", "index",
    "indices", "infinite", "input", "input_line_number", "inputs", "inside", "isempty", "isfinite",
    "isinfinite", "isnan", "isnormal", "isvalid", "iterables", "j0", "j1", "jn", "join", "keys",
    "keys_unsorted", "last", "ldexp", "leaf_paths", "length", "lgamma", "lgamma_r", "limit", "localtime",
    "log", "log10", "log1p", "log2", "logb", "ltrim", "ltrimstr", "map", "map_values", "match", "max",
    "max_by", "min", "min_by", "mktime", "modf", "nan", "nearbyint", "nextafter", "nexttoward", "normals",
    "not", "now", "nth", "null", "nulls", "numbers", "objects", "path", "paths", "pick", "pow", "pow10",
    "range", "recurse", "recurse_down", "remainder", "repeat", "reverse", "rindex", "rint", "round",
    "rtrim", "rtrimstr", "scalars", "scalars_or_empty", "scalb", "scalbln", "scan", "select", "setpath",
    "significand", "sin", "sinh", "skip", "sort", "sort_by", "split", "splits", "sqrt", "startswith",
    "stderr", "strflocaltime", "strftime", "strings", "strptime", "sub", "tan", "tanh", "test", "tgamma",
    "to_entries", "toarray", "toboolean", "todate", "todateiso8601", "tojson", "tonumber", "tostream",
    "tostring", "transpose", "trim", "trimstr", "true", "trunc", "truncate_stream", "type", "unique",
    "unique_by", "until", "utf8bytelength", "values", "walk", "while", "with_entries", "y0", "y1", "yn",
];

/// Programs that can be no safe bin whatever the profile, with the reason. Compared in lower case and without
/// a version.
#[rustfmt::skip]
pub const NEVER: &[(&str, &[&str])] = &[
    (
        "is a shell",
        &[
            "sh", "bash", "rbash", "dash", "ash", "zsh", "rzsh", "ksh", "rksh", "mksh", "pdksh", "lksh",
            "oksh", "yash", "fish", "csh", "tcsh", "nu", "xonsh", "elvish", "pwsh", "powershell", "osh",
            "oil", "ysh", "rc", "es", "scsh", "ion", "murex", "busybox", "toybox", "coreutils", "sash",
            "slsh",
        ],
    ),
    (
        "has a language that can run programs or write files",
        &[
            "awk", "gawk", "mawk", "nawk", "bwk", "original-awk", "goawk", "frawk", "sed", "gsed", "ssed",
            "perl", "rperl", "raku", "python", "pypy", "ipython", "bpython", "micropython", "jython", "uv",
            "ruby", "irb", "jruby", "mruby", "node", "nodejs", "deno", "bun", "qjs", "d8", "js", "tsx",
            "ts-node", "php", "lua", "luajit", "luac", "tclsh", "wish", "expect", "r", "rscript", "julia",
            "octave", "java", "jshell", "groovy", "kotlin", "scala", "clojure", "clj", "bb", "ghc", "ghci",
            "runghc", "runhaskell", "ocaml", "elixir", "iex", "erl", "escript", "guile", "racket", "gosh",
            "chibi-scheme", "csi", "sbcl", "clisp", "ecl", "emacs", "emacsclient", "go", "swift", "dotnet",
            "mono", "osascript", "gforth", "gst", "rexx", "regina", "pike", "janet", "nim", "crystal", "v",
            "zig", "tcc", "m4", "gnuplot", "dc", "bc", "sqlite3", "sqlite", "psql", "mysql", "duckdb",
            "mongosh", "redis-cli", "make", "gmake", "ninja", "cmake", "just", "gdb", "lldb",
        ],
    ),
    (
        "is an editor or pager that can run programs",
        &[
            "vi", "vim", "nvim", "view", "ex", "rvim", "rview", "vimdiff", "ed", "red", "nano", "pico",
            "micro", "joe", "helix", "hx", "kak", "less", "more", "most", "lesspipe", "man", "info", "pg",
            "bat",
        ],
    ),
    (
        "runs other programs",
        &[
            "env", "xargs", "find", "fd", "fdfind", "parallel", "watch", "entr", "time", "timeout", "nice",
            "nohup", "setsid", "stdbuf", "ionice", "chrt", "taskset", "sudo", "doas", "su", "runuser",
            "setpriv", "chroot", "unshare", "nsenter", "bwrap", "systemd-run", "flock", "script", "strace",
            "ltrace", "prlimit", "setarch", "ssh", "scp", "sftp", "rsync", "docker", "podman", "kubectl",
            "at", "batch", "crontab", "tmux", "screen", "git", "hg", "svn", "tar", "bsdtar", "zip", "unzip",
            "cpio", "rg", "ag", "ack", "fzf", "npx", "npm", "pnpm", "yarn", "cargo", "pip", "pipx",
            "poetry", "socat", "nc", "ncat", "netcat", "exec-guard", "exec-guardctl",
        ],
    ),
    (
        "has a language that can read files or the environment",
        &["yq", "gojq", "jaq", "xq", "tomlq", "jqp", "xmlstarlet"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_parsed_has_a_row_and_takes_what_its_rule_says() {
        for bin in PROFILES {
            let mut letters: Vec<(u8, Takes)> = Vec::new();
            let mut bytes = bin.spec.short.bytes().peekable();
            while let Some(letter) = bytes.next() {
                let value = bytes.next_if_eq(&b':').is_some();
                let optional = bytes.next_if_eq(&b':').is_some();
                letters.push((
                    letter,
                    match (value, optional) {
                        (_, true) => Takes::Optional,
                        (true, _) => Takes::Value,
                        _ => Takes::Nothing,
                    },
                ));
            }
            for (letter, takes) in &letters {
                let rows: Vec<_> = bin.options.iter().filter(|o| o.short == *letter).collect();
                assert_eq!(rows.len(), 1, "{} -{}", bin.names[0], char::from(*letter));
                // A short option never has an optional value, even if its long name does.
                let fits = match rows[0].rule {
                    Rule::Flag | Rule::Help | Rule::Optional(_) => *takes == Takes::Nothing,
                    Rule::Value(_) | Rule::Pattern => *takes == Takes::Value,
                    Rule::No => true,
                };
                assert!(fits, "{} -{}", bin.names[0], char::from(*letter));
            }
            for option in bin.options {
                assert!(option.short == 0 || letters.iter().any(|(l, _)| *l == option.short), "{option:?}");
                assert!(!option.what.is_empty());
                let Some((_, takes)) = bin.spec.long.iter().find(|(n, _)| *n == option.long.as_bytes())
                else {
                    assert_eq!(option.long, "");
                    continue;
                };
                let fits = match option.rule {
                    Rule::Flag | Rule::Help => takes == Takes::Nothing,
                    Rule::Value(_) | Rule::Pattern => takes == Takes::Value,
                    Rule::Optional(_) => takes == Takes::Optional,
                    Rule::No => true,
                };
                assert!(fits, "{option:?}");
            }
        }
    }

    #[test]
    fn tables_are_in_order_and_disjoint() {
        assert!(JQ_FUNCTIONS.is_sorted(), "the search is binary");
        for (name, _) in JQ_READS {
            assert!(!JQ_FUNCTIONS.contains(name) && !JQ_KEYWORDS.contains(name), "{name}");
        }
        for name in DEFAULT {
            assert!(*name == "jq" || PROFILES.iter().any(|p| p.names.contains(name)), "{name}");
            assert!(NEVER.iter().all(|(_, names)| !names.contains(name)), "{name}");
        }
    }
}
