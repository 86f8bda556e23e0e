//! Programs that run another one: one layer is peeled by the table in `tables::wrappers`.
use std::borrow::Cow;
use std::ops::Range;

use crate::arg::Arg;

/// How a wrapper is satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Satisfied when what it carries is.
    Transparent,
    /// Needs an entry of its own, and what it carries satisfied.
    Carrier,
    /// The same, and never learned by *allow always*.
    Privileged,
    /// What it carries runs elsewhere or is not known here: its entry must say so by `args` or `carries`.
    Remote,
}

/// What a wrapper carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inner {
    /// A program with arguments.
    Argv {
        /// The words; arguments that the wrapper completes at run time are dynamic.
        words: Vec<Arg>,
        /// Which words of the wrapper's own arguments (without `argv[0]`) they are.
        range: Range<usize>,
    },
    /// Shell text in one word.
    Text {
        /// The text; `None` if the word is dynamic.
        text: Option<Vec<u8>>,
        /// Index of the word in the wrapper's arguments.
        at: usize,
        /// The shell that runs it: the wrapper itself, or `sh` for programs that call it.
        shell: ShellUse,
        /// `$0` and positional parameters after the text, as indexes into the arguments.
        positional: Range<usize>,
    },
    /// A script file given to a shell: judged as a program of its own.
    Script {
        /// The word.
        word: Arg,
        /// Its index in the arguments.
        at: usize,
    },
    /// Code on standard input.
    Stdin,
}

/// How a shell is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellUse {
    /// Name of the shell (last component), e.g. `bash`.
    pub name: Vec<u8>,
    /// True if start-up files would run (`-l`, `--login`, `-i`, argv[0] with a dash).
    pub startup: bool,
    /// Options that must be kept in the executed form (`-e`, `-u`, `-x`, `-o pipefail`, `-O extglob` …), as words.
    pub keep: Vec<Vec<u8>>,
}

/// What peeling one layer gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peel {
    /// Not a program that runs another one.
    No,
    /// A wrapper, but with nothing inside: an ordinary program that needs its own entry.
    Empty,
    /// It carries something.
    Carries(Carried),
    /// A wrapper used in a way that cannot be judged: unknown option, ambiguous form.
    Refused {
        /// What could not be judged, one clause.
        why: Cow<'static, str>,
        /// The index of the word, if one is to blame.
        at: Option<usize>,
        /// The class, for *allow always* and entries with `carries`.
        class: Class,
    },
}

/// What a wrapper carries, and what it changes for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// How the wrapper itself is satisfied.
    pub class: Class,
    /// What it runs (find may have several).
    pub inner: Vec<Inner>,
    /// Assignments it makes in the environment of what it carries (`env A=1`), in order.
    pub assignments: Vec<(Vec<u8>, Arg)>,
    /// Variables it removes (`env -u X`); `None` = all (`env -i`).
    pub unset: Option<Vec<Vec<u8>>>,
    /// The folder it changes to first (`env -C`, `git -C` is none).
    pub chdir: Option<Arg>,
    /// A finding the wrapper deserves besides (e.g. `time -o FILE` writes a file).
    pub also_ask: Option<Cow<'static, str>>,
}
pub fn peel(_n: &[&[u8]], _a0: &[u8], _a: &[Arg], _s: &[Vec<u8>]) -> Peel {
    Peel::No
}
pub fn is_shell(_n: &[u8], _s: &[Vec<u8>]) -> bool {
    false
}
pub fn learnable(_n: &[&[u8]]) -> bool {
    true
}
