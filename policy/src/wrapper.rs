//! Programs that run another one: one layer is peeled by the table in `tables::wrappers`.
//!
//! A program is known under several names: as typed, as found, as it really is. Each name is looked up, with
//! version and `.exe`-like suffixes stripped, and the strictest outcome counts. What is not modelled is
//! refused, never guessed: an unknown option may swallow the word that looked like the command.
#![allow(clippy::result_large_err, reason = "an early outcome is no error; it is moved once")]
use std::borrow::Cow;
use std::ops::Range;

use crate::arg::Arg;

mod carriers;
mod elsewhere;
mod interpreter;
mod names;
mod own;
mod runners;
mod shells;
mod walk;
mod words;

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
mod tests;

pub(crate) use carriers::is_list;
#[cfg(test)]
pub use names::known_for;
pub(crate) use names::{Hits, hits};
pub use names::{class_of, is_shell, learnable};

/// How a wrapper is satisfied, from the least strict to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Satisfied when what it carries is.
    Transparent,
    /// Needs an entry of its own, and what it carries satisfied.
    Carrier,
    /// The same, and never learned by *allow always*.
    Privileged,
    /// What it carries runs elsewhere or is not known here: its entry must say so by `args` or `carries`. The
    /// inner commands are named as far as they can be read ([`Inner::Elsewhere`]); there may be none.
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
    /// A command on another host, in another root, or of a program that is not known here: named for deny
    /// lists and for showing, and not judged, since the entry must speak for it.
    Elsewhere {
        /// The words.
        words: Vec<Arg>,
        /// Which words of the wrapper's own arguments they are.
        range: Range<usize>,
    },
    /// Shell text that is exactly one word of the arguments, so that another can be put in its place.
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
    /// Which shell it is, e.g. `bash`: the most telling of the names it is known by. `sh` if nothing more is
    /// known, [`FROM_ENVIRONMENT`] if the program takes it from the variable `SHELL`.
    pub name: Vec<u8>,
    /// True if start-up files would run (`-l`, `--login`, `-i`, argv[0] with a dash).
    pub startup: bool,
    /// Options that must be kept in the executed form (`-e`, `-u`, `-x`, `-o pipefail`, `-O extglob` …), as words.
    pub keep: Vec<Vec<u8>>,
}

/// The name of a shell that is whatever the variable `SHELL` says (`flock -c`, `script -c`): no language is
/// known for it.
pub const FROM_ENVIRONMENT: &[u8] = b"$SHELL";

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

impl Carried {
    /// Carries these, changes nothing.
    fn new(class: Class, inner: Vec<Inner>) -> Carried {
        Carried {
            class,
            inner,
            assignments: Vec::new(),
            unset: Some(Vec::new()),
            chdir: None,
            also_ask: None,
        }
    }
}

/// What stands in a refusal for a word whose value is known only at run time.
const DYNAMIC: &str = "a word known only at run time stands where an option or the command could be";

/// What stands in a refusal for an option that is in no table.
const UNKNOWN: &str = "an option that is not known here";

/// Looks one layer into a command.
///
/// `names` are the last components under which the program is known, as typed, as found, as it really is;
/// `argv0` is what the program will read as its own name; `args` are the words after it; `shells` are the
/// lines of /etc/shells. Total: what cannot be judged is [`Peel::Refused`].
pub fn peel(names: &[&[u8]], argv0: &[u8], args: &[Arg], shells: &[Vec<u8>]) -> Peel {
    peel_as(&hits(names, argv0, shells), argv0, args)
}

/// The same for what a program was found to be under its names.
pub(crate) fn peel_as(hits: &Hits, argv0: &[u8], args: &[Arg]) -> Peel {
    let mut best = Peel::No;
    for hit in &hits.found {
        let mut peel = match hit.what {
            names::What::Row(row) => walk::row(row, argv0, args),
            names::What::Interpreter(row) => interpreter::peel(row, args),
            names::What::Unlinked => Peel::Refused {
                why: "a program that is many in one, under a name it may not know".into(),
                at: None,
                class: Class::Privileged,
            },
        };
        if !hit.certain {
            raise(&mut peel);
        }
        best = stricter(best, peel);
    }
    if let Some(shell) = &hits.shell {
        let mut peel = shells::peel(shell, argv0, args);
        if !shell.certain {
            raise(&mut peel);
        }
        best = stricter(best, peel);
    }
    best
}

/// A name that only resembles the one in the table needs an entry of its own.
fn raise(peel: &mut Peel) {
    match peel {
        Peel::Carries(c) => c.class = c.class.max(Class::Carrier),
        Peel::Refused { class, .. } => *class = (*class).max(Class::Carrier),
        Peel::No | Peel::Empty => {}
    }
}

/// The stricter of two outcomes; the first if they are alike.
fn stricter(a: Peel, b: Peel) -> Peel {
    fn rank(p: &Peel) -> (u8, Option<Class>) {
        match p {
            Peel::No => (0, None),
            Peel::Empty => (1, None),
            Peel::Carries(c) => (2, Some(c.class)),
            Peel::Refused { class, .. } => (3, Some(*class)),
        }
    }
    if rank(&b) > rank(&a) { b } else { a }
}
