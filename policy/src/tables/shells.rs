//! Shells: which languages are read here, and the options that may stand before a text.
use crate::tables::words::{WordList, words};

/// The option grammar of a shell whose language is read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// `sh`, whatever it really is: the options of bash, less its long ones where dash has none.
    Sh,
    /// bash.
    Bash,
    /// dash, ash, busybox sh.
    Dash,
    /// zsh.
    Zsh,
}

/// One shell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shell {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its options; `None` = its language is not read here.
    pub(crate) grammar: Option<Grammar>,
    /// Why it stands here.
    #[cfg(test)]
    pub(crate) reason: &'static str,
}

const fn shell(
    name: &'static str,
    grammar: Option<Grammar>,
    #[cfg_attr(not(test), expect(unused_variables, reason = "for the tests"))] reason: &'static str,
) -> Shell {
    Shell {
        name,
        grammar,
        #[cfg(test)]
        reason,
    }
}

/// Every shell known by name; those of /etc/shells come besides.
pub(crate) const SHELLS: &[Shell] = &[
    shell("sh", Some(Grammar::Sh), "the system's shell"),
    shell("bash", Some(Grammar::Bash), "bash(1)"),
    shell("dash", Some(Grammar::Dash), "dash(1)"),
    shell("ash", Some(Grammar::Dash), "dash's ancestor; busybox"),
    shell("zsh", Some(Grammar::Zsh), "zsh(1)"),
    shell("rbash", None, "restricted bash still runs programs of PATH"),
    shell("rzsh", None, "restricted zsh still runs programs of PATH"),
    shell("ksh", None, "another language"),
    shell("ksh93", None, "another language"),
    shell("rksh", None, "another language"),
    shell("mksh", None, "another language"),
    shell("lksh", None, "another language"),
    shell("pdksh", None, "another language"),
    shell("oksh", None, "another language"),
    shell("yash", None, "another language"),
    shell("posh", None, "another language"),
    shell("hush", None, "another language"),
    shell("fish", None, "another language"),
    shell("csh", None, "another language"),
    shell("tcsh", None, "another language"),
    shell("nu", None, "another language"),
    shell("nushell", None, "another language"),
    shell("xonsh", None, "another language"),
    shell("elvish", None, "another language"),
    shell("osh", None, "another language"),
    shell("ysh", None, "another language"),
    shell("oil", None, "another language"),
    shell("ion", None, "another language"),
    shell("brush", None, "another reader of bash's language"),
    shell("murex", None, "another language"),
    shell("rc", None, "another language"),
    shell("es", None, "another language"),
    shell("sash", None, "another language"),
    shell("scsh", None, "another language"),
    shell("git-shell", None, "runs commands of a list"),
    shell("pwsh", None, "another language"),
    shell("pwsh-preview", None, "another language"),
    shell("powershell", None, "another language"),
    shell("cmd", None, "another language"),
];

/// Lines of /etc/shells that are no shells: they run nothing.
pub(crate) const NO_SHELLS: WordList = words!["nologin", "false", "true", "sync", "shutdown", "halt"];

/// Single-letter options that may stand before a text and are kept in what is executed. Left out, and so
/// refused: those that change what words mean (`-k`, `-a`, `-H`, `-P`), read other files, or end the shell
/// early. Source: bash(1), dash(1), zshoptions(1).
pub(crate) fn letters(grammar: Grammar) -> &'static [u8] {
    match grammar {
        Grammar::Bash | Grammar::Sh => b"euxvfnCbmhBETp",
        Grammar::Dash => b"euxvfnCbm",
        Grammar::Zsh => b"euxvfnC",
    }
}

/// Names after `-o` that are kept. Source: bash(1) `set`, dash(1), zshoptions(1).
pub(crate) fn set_names(grammar: Grammar) -> &'static [&'static str] {
    match grammar {
        Grammar::Bash | Grammar::Sh => &[
            "errexit",
            "nounset",
            "xtrace",
            "verbose",
            "pipefail",
            "noglob",
            "noclobber",
            "errtrace",
            "functrace",
            "notify",
            "monitor",
            "braceexpand",
            "hashall",
            "noexec",
            "nolog",
            "privileged",
            "posix",
        ],
        Grammar::Dash => &[
            "errexit",
            "nounset",
            "xtrace",
            "verbose",
            "pipefail",
            "noglob",
            "noclobber",
            "notify",
            "monitor",
            "noexec",
            "nolog",
        ],
        Grammar::Zsh => &[
            "errexit",
            "nounset",
            "xtrace",
            "verbose",
            "pipefail",
            "noclobber",
            "noexec",
            "nullglob",
            "nonomatch",
            "norcs",
            "noglobalrcs",
            "globdots",
        ],
    }
}

/// Names after bash's `-O` that are kept: they change only how globs match. Source: bash(1) `shopt`.
pub(crate) const SHOPT: WordList = words![
    "extglob",
    "globstar",
    "nullglob",
    "failglob",
    "dotglob",
    "nocaseglob",
    "globasciiranges",
    "globskipdots",
    "inherit_errexit",
    "checkwinsize",
    "checkhash",
    "nocasematch",
];

/// What a long option of bash does. Source: bash(1), OPTIONS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Long {
    /// Start-up files run.
    Startup,
    /// Kept in what is executed.
    Keep,
    /// Says less of what the executed form says anyway.
    Drop,
    /// Refused: why.
    Refuse(&'static str),
}

/// bash's long options, that stand before the single letters.
pub(crate) const LONG: &[(&str, Long)] = &[
    ("login", Long::Startup),
    ("noprofile", Long::Drop),
    ("norc", Long::Drop),
    ("noediting", Long::Drop),
    ("posix", Long::Keep),
    ("verbose", Long::Keep),
    ("rcfile", Long::Refuse("another start-up file runs first")),
    ("init-file", Long::Refuse("another start-up file runs first")),
    ("restricted", Long::Refuse("a restricted shell is another language")),
    // With one dash they look like letters.
    ("help", Long::Refuse("it tells about the shell and runs nothing")),
    ("version", Long::Refuse("it tells about the shell and runs nothing")),
    ("debugger", Long::Refuse("the debugger's profile runs first")),
    ("debug", Long::Refuse("an option not known here")),
    ("dump-strings", Long::Refuse("an option not known here")),
    ("dump-po-strings", Long::Refuse("an option not known here")),
    ("pretty-print", Long::Refuse("an option not known here")),
    ("protected", Long::Refuse("an option not known here")),
    ("wordexp", Long::Refuse("an option not known here")),
];
