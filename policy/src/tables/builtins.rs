//! Names that a shell takes for itself before it looks for a program.
//!
//! A name of these lists that no free profile covers is refused, never looked up in PATH. The lists are those the
//! shells themselves print (`compgen -bk` of bash 5.2, `${(k)builtins} ${(k)reswords}` of `zsh -f` 5.9, dash 0.5.12
//! with `type`, completed from dash(1) and the builtins of busybox ash, which is read as the same language).
//! A name too many costs a question, a name too few would judge a file that never runs.
use crate::shell::Dialect;
use crate::tables::words::{WordList, words};

/// Builtins that only read or change what a profile in `rules::builtins` can follow.
#[rustfmt::skip]
pub const FREE: &[&str] = &[
    ":", "true", "false", "cd", "pwd", "echo", "printf", "test", "[", "exit", "set", "type", "wait",
    "umask", "export", "local", "readonly", "read", "return", "break", "continue", "shift", "hash", "ulimit",
];

/// A builtin of zsh alone that is free in the way of `type`.
pub const FREE_ZSH: &str = "which";

/// Builtins that run a program: as wrappers they are judged with what they carry.
pub const WRAPPERS: &[&str] = &["command", "exec"];

#[rustfmt::skip]
const DASH: WordList = words![
    // dash
    ".", ":", "[", "alias", "bg", "break", "cd", "chdir", "command", "continue", "echo", "eval", "exec",
    "exit", "export", "false", "fc", "fg", "getopts", "hash", "jobs", "kill", "local", "printf", "pwd",
    "read", "readonly", "return", "set", "shift", "test", "times", "trap", "true", "type", "ulimit",
    "umask", "unalias", "unset", "wait",
    // busybox ash besides
    "[[", "help", "history", "let", "source",
    // reserved words
    "!", "{", "}", "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until",
    "while", "function",
];

#[rustfmt::skip]
const BASH: WordList = words![
    ".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen",
    "complete", "compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec",
    "exit", "export", "false", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let",
    "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly",
    "return", "set", "shift", "shopt", "source", "suspend", "test", "times", "trap", "true", "type",
    "typeset", "ulimit", "umask", "unalias", "unset", "wait",
    // reserved words
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while",
];

#[rustfmt::skip]
const ZSH: WordList = words![
    // Those of modules that are only loaded by `zmodload` (which is not free) are not among them.
    "-", ".", ":", "[", "alias", "autoload", "bg", "bindkey", "break", "builtin", "bye", "cd", "chdir",
    "command", "compadd", "comparguments", "compcall", "compctl", "compdescribe", "compfiles",
    "compgroups", "compquote", "compset", "comptags", "comptry", "compvalues", "continue", "declare",
    "dirs", "disable", "disown", "echo", "echotc", "echoti", "emulate", "enable", "eval", "exec",
    "exit", "export", "false", "fc", "fg", "float", "functions", "getln", "getopts", "hash", "history",
    "integer", "jobs", "kill", "let", "limit", "local", "log", "logout", "noglob", "popd", "print",
    "printf", "private", "pushd", "pushln", "pwd", "r", "read", "readonly", "rehash", "return", "sched",
    "set", "setopt", "shift", "source", "suspend", "test", "times", "trap", "true", "ttyctl", "type",
    "typeset", "ulimit", "umask", "unalias", "unfunction", "unhash", "unlimit", "unset", "unsetopt",
    "vared", "wait", "whence", "where", "which", "zcompile", "zformat", "zle", "zmodload", "zparseopts",
    "zregexparse", "zstyle",
    // reserved words
    "!", "[[", "case", "coproc", "do", "done", "elif", "else", "end", "esac", "fi", "for", "foreach",
    "function", "if", "in", "nocorrect", "repeat", "select", "then", "time", "until", "while", "{", "}",
];

/// Every builtin and reserved word of a shell.
pub fn names(dialect: Dialect) -> WordList {
    match dialect {
        Dialect::Dash => DASH,
        Dialect::Bash => BASH,
        Dialect::Zsh => ZSH,
    }
}

/// True if the name is one of them. Asked for every command, and few are.
pub fn is_one(name: &[u8], dialect: Dialect) -> bool {
    static MARKS: [[u64; 4]; 3] = [marks(DASH), marks(BASH), marks(ZSH)];
    let place = mark(name);
    let marks = MARKS.get(dialect as usize).and_then(|marks| marks.get(place / 64));
    marks.is_some_and(|marks| marks >> (place % 64) & 1 == 1) && names(dialect).has(name)
}

/// A place of 256 for a name, by its ends and its length; several names share one.
const fn mark(name: &[u8]) -> usize {
    match name {
        [first, .., last] => {
            (first.wrapping_mul(31) ^ last.wrapping_mul(7)).wrapping_add(name.len() as u8) as usize
        }
        [only] => *only as usize,
        [] => 0,
    }
}

/// The places of these names, marked.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const fn marks(names: WordList) -> [u64; 4] {
    let mut marks = [0; 4];
    let mut rest = names.bytes();
    while let [length, behind @ ..] = rest {
        let (name, next) = behind.split_at(*length as usize);
        let place = mark(name);
        marks[place / 64] |= 1 << (place % 64);
        rest = next;
    }
    marks
}

/// Variables whose assignment the shell evaluates as arithmetic without being told, so that a value with a
/// subscript runs what stands in it (`RANDOM='a[$(cmd)]'`; tried in bash 5.2 and zsh 5.9). Of zsh every special
/// parameter of integer kind, of bash those with the integer attribute.
#[rustfmt::skip]
pub const INTEGER_VARIABLES: WordList = words![
    "RANDOM", "SRANDOM", "OPTIND", "HISTCMD", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS",
    "EPOCHREALTIME", "BASH_SUBSHELL", "BASH_MONOSECONDS", "PPID", "UID", "EUID", "GID", "EGID", "USERNAME",
    "COLUMNS", "LINES", "SHLVL", "HISTSIZE", "SAVEHIST", "FUNCNEST", "KEYTIMEOUT", "LISTMAX", "LOGCHECK",
    "MAILCHECK", "PERIOD", "REPORTTIME", "REPORTMEMORY", "TTYIDLE", "TRY_BLOCK_ERROR",
    "TRY_BLOCK_INTERRUPT", "BAUD", "DIRSTACKSIZE", "ERRNO", "MAIL_CHECK", "TMOUT", "ZSH_SUBSHELL",
    "POSTEDIT", "HISTNO", "CURSOR", "MARK", "NUMERIC",
];

/// Parts of a name, in upper case, that make a variable look like a secret: its value is not printed unasked.
pub const SECRET: WordList = words!["KEY", "TOKEN", "SECRET", "PASS"];
