//! Programs that run another one: how each finds its command, and why it is listed.
//!
//! A row is data only; `crate::wrapper` reads it. Options are modelled one by one, in the spelling of the
//! manual page: an option that is not listed makes the use unjudgeable, because nobody knows whether it
//! swallows the next word. Abbreviated long options are not accepted, for the same reason.
use crate::getopt::Longs;
use crate::getopt::{Spec, Takes};
use crate::tables::index::{self, Index};
use crate::tables::words::{WordList, words};
use crate::wrapper::Class;

mod carriers;
mod privileged;
mod remote;
mod runners;
mod surroundings;
mod transparent;

/// What an option's value or an operand must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anything, also a value known only at run time if it is certain to be one word.
    Any,
    /// A file that is written: a finding of its own, unless it is `/dev/null`.
    Output,
    /// Any literal word.
    Word,
    /// A whole number with an optional sign.
    Number,
    /// How many are started at once: up to 64, or up to 400 of a hundred processors (`50%`).
    Few,
    /// A number of seconds, with a fraction and a unit (`s m h d`).
    Duration,
    /// A buffer mode: `L`, `0` or a size.
    Buffer,
    /// A CPU mask or list.
    Cpus,
    /// A signal by name or number.
    Signal,
}

/// What an option does to the judgement. An option without an effect changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The use cannot be judged with it: why.
    Refuse(&'static str),
    /// It deserves a finding: what it does. `/dev/null` as its value is no finding.
    Also(&'static str),
    /// The value is the folder the command starts in.
    Chdir,
    /// The command starts in a folder that is not known from the words.
    Away,
    /// The value names a variable that is removed.
    Unset,
    /// All variables are removed.
    Clear,
    /// The value is `NAME=VALUE`, put into the environment.
    Assign,
    /// The value is a text that `sh` runs.
    Text,
    /// The program prints something and runs nothing.
    Query,
    /// The value must look like this.
    Is(Kind),
}

/// How a wrapper's command is found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Operands of these kinds, then the command; nothing inside is an ordinary use.
    Command(&'static [Kind]),
    /// The same, but without a command a shell is started.
    OrShell(&'static [Kind]),
    /// Assignments, then the command.
    Assigns,
    /// The command follows `--`, whatever stands before it.
    Dashes,
    /// The operands, joined by spaces, are a text for `sh`.
    Joined,
    /// Each operand is a text for `sh`.
    Texts,
    /// Sub-commands; without one of these the program is an ordinary one.
    Subs(&'static [Sub]),
    /// What it runs is not known from its words.
    Opaque,
    /// No wrapper in this sub-command.
    Ordinary,
    /// Never judged: why.
    Refused(&'static str),
    /// Like the form in it, but the command starts in a folder that is not known from the words.
    Away(&'static Form),
    /// A grammar of its own.
    Own(Own),
}

/// Grammars that need code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the program of that name")]
pub(crate) enum Own {
    Env,
    Nice,
    Xargs,
    Find,
    Fd,
    Parallel,
    Entr,
    Flock,
    Su,
    Script,
    Setarch,
    SystemdRun,
    Multiplexer,
    Loader,
    Capsh,
    StartStopDaemon,
    UvRun,
    Implicit,
    Fetched,
    NixShell,
    Ssh,
    At,
    Crontab,
    Tmux,
    Screen,
    Gdb,
    Guard,
}

/// One sub-command of a program that is a wrapper only in some of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sub {
    /// The words, alternatives joined by `|`: `"compose run|exec"`; empty = any other first operand.
    pub(crate) words: &'static str,
    /// Options after these words.
    pub(crate) options: Spec,
    /// What they do.
    pub(crate) effects: &'static [(&'static str, Effect)],
    /// How the command is found.
    pub(crate) form: Form,
}

/// One wrapper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Names it is known by: last components, exact bytes.
    pub(crate) names: &'static [&'static str],
    /// How it is satisfied.
    pub(crate) class: Class,
    /// Its options (of programs with sub-commands: those before the sub-command).
    pub(crate) options: Spec,
    /// What they do; a name of one letter is a short option.
    pub(crate) effects: &'static [(&'static str, Effect)],
    /// How the command is found.
    pub(crate) form: Form,
    /// What it does, and where that is written.
    #[cfg(test)]
    pub(crate) reason: &'static str,
}

// Short names keep a row on few lines.
const N: Takes = Takes::Nothing;
const V: Takes = Takes::Value;
const O: Takes = Takes::Optional;

/// The effects of a program that has none.
const PLAIN: &[(&str, Effect)] = &[];

/// Options in front of the operands (POSIX order), long names in full.
const fn spec(short: &'static str, long: Longs) -> Spec {
    Spec { short, long, permute: false, abbreviate: false, single_dash_long: false }
}

/// No options at all.
const NONE: Spec = spec("", Longs::NONE);

const fn row(
    names: &'static [&'static str],
    class: Class,
    options: Spec,
    effects: &'static [(&'static str, Effect)],
    form: Form,
    #[cfg_attr(not(test), expect(unused_variables, reason = "for the tests"))] reason: &'static str,
) -> Row {
    Row {
        names,
        class,
        options,
        effects,
        form,
        #[cfg(test)]
        reason,
    }
}

const fn sub(
    words: &'static str,
    options: Spec,
    effects: &'static [(&'static str, Effect)],
    form: Form,
) -> Sub {
    Sub { words, options, effects, form }
}

/// All rows, by family.
const FAMILIES: [&[Row]; 6] =
    [transparent::ROWS, carriers::ROWS, surroundings::ROWS, runners::ROWS, privileged::ROWS, remote::ROWS];

/// Every row.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().copied()
}

/// True if a name of a table is exactly this one. Nearly all differ in the first byte.
#[inline(always)]
pub(crate) fn is(listed: &str, name: &[u8]) -> bool {
    matches!((listed.as_bytes(), name), ([a, ..], [b, ..]) if a == b) && listed.as_bytes() == name
}

/// How many there are.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const COUNT: usize = {
    let (mut n, mut family) = (0, 0);
    while family < FAMILIES.len() {
        n += FAMILIES[family].len();
        family += 1;
    }
    n
};

/// Each of them.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const ALL: [&Row; COUNT] = {
    let mut all = [&FAMILIES[0][0]; COUNT];
    let (mut n, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            all[n] = &FAMILIES[family][row];
            n += 1;
            row += 1;
        }
        family += 1;
    }
    all
};

/// The names of each.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const NAMES: [&[&str]; COUNT] = index::names!(ALL, COUNT);

static INDEX: Index<{ index::count(&NAMES) }> = Index::new(&NAMES);
static ROWS: [&Row; COUNT] = ALL;

/// The row of exactly that name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Row> {
    let mut rows = INDEX.of(name).filter_map(|at| ROWS.get(at).copied());
    rows.find(|row| row.names.iter().any(|listed| is(listed, name)))
}

/// Multi-call programs that look for their applet in `argv[0]` first and in the first operand otherwise.
/// Their own names may carry a suffix (`busybox.static`, `toybox-x86_64`).
pub(crate) const MULTICALL: &[&str] = &["busybox", "toybox", "coreutils", "uutils"];

/// True if the program decides by its first operand under this name.
pub(crate) fn is_multicall(name: &[u8]) -> bool {
    MULTICALL.iter().any(|m| name.starts_with(m.as_bytes()))
}

/// Names under which coreutils installs links to a multi-call program: under one of them the first operand
/// is no applet. Source: GNU coreutils manual, uutils documentation.
pub(crate) const COREUTILS: WordList = words![
    "[",
    "arch",
    "b2sum",
    "b3sum",
    "base32",
    "base64",
    "basename",
    "basenc",
    "cat",
    "chcon",
    "chgrp",
    "chmod",
    "chown",
    "chroot",
    "cksum",
    "comm",
    "cp",
    "csplit",
    "cut",
    "date",
    "dd",
    "df",
    "dir",
    "dircolors",
    "dirname",
    "du",
    "echo",
    "env",
    "expand",
    "expr",
    "factor",
    "false",
    "fmt",
    "fold",
    "groups",
    "hashsum",
    "head",
    "hostid",
    "hostname",
    "id",
    "install",
    "join",
    "kill",
    "link",
    "ln",
    "logname",
    "ls",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mknod",
    "mktemp",
    "more",
    "mv",
    "nice",
    "nl",
    "nohup",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pathchk",
    "pinky",
    "pr",
    "printenv",
    "printf",
    "ptx",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "runcon",
    "seq",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shred",
    "shuf",
    "sleep",
    "sort",
    "split",
    "stat",
    "stdbuf",
    "stty",
    "sum",
    "sync",
    "tac",
    "tail",
    "tee",
    "test",
    "timeout",
    "touch",
    "tr",
    "true",
    "truncate",
    "tsort",
    "tty",
    "uname",
    "unexpand",
    "uniq",
    "unlink",
    "uptime",
    "users",
    "vdir",
    "wc",
    "who",
    "whoami",
    "yes",
];

/// Names a package manager's implicit run would take from PATH, if no script of the project bears them
/// (`pnpm touch x`). Names that projects use for scripts themselves (test, install, sync, link) are left out.
pub(crate) const IMPLICIT: WordList = words![
    "cat", "chmod", "chown", "cp", "curl", "dd", "echo", "env", "find", "git", "kill", "ln", "ls", "mkdir",
    "mv", "nice", "nohup", "npm", "npx", "printenv", "printf", "rm", "rmdir", "rsync", "scp", "sed", "shred",
    "ssh", "sudo", "tar", "tee", "timeout", "touch", "truncate", "unlink", "wget", "xargs", "yes",
];

/// Sub-commands of package managers that are called like programs.
pub(crate) const NOT_IMPLICIT: WordList = words!["ls", "rm", "ln", "env"];
