//! Functions of a text: a call is one only where the definition has certainly been executed before, in the same process.
//! Anywhere else the shell looks for a program of that name, and so does the judgement.
use crate::tables::words::{WordList, words};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::shell::ast::{CommandKind, Script, Word};

use super::walk::{Subshells, any_command};

/// The functions of the text being walked. One of no text knows none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions {
    /// How often each name is defined, wherever.
    count: HashMap<Vec<u8>, usize>,
    /// Those that are certainly defined where the walk is.
    defined: Rc<HashSet<Vec<u8>>>,
    /// Which others the body of each calls.
    calls: HashMap<Vec<u8>, HashSet<Vec<u8>>>,
    /// The text may start processes of the shell's own beside each other.
    forks: bool,
}

/// Which functions were certainly defined at some place of the walk.
pub(crate) type Defined = Rc<HashSet<Vec<u8>>>;

/// Builtins that take a definition away: `unset f` does where no variable has that name.
const TAKERS: WordList = words!["unset", "unfunction", "unhash", "disable"];

impl Functions {
    /// Counts the functions that a text defines, wherever. One that is taken away again, wherever, is none: whether it
    /// is there is not followed.
    pub fn define(&mut self, script: &Script, source: &[u8]) {
        let mut taken: HashSet<Vec<u8>> = HashSet::new();
        let mut all = false;
        any_command(script, Subshells::Enter, &mut |c| {
            match &c.kind {
                CommandKind::Function { name, .. } => *self.count.entry(name.clone()).or_default() += 1,
                CommandKind::Simple(s) if s.words.iter().any(is_taker) => {
                    let words = s.words.iter().flat_map(|w| w.to_args(b""));
                    for word in words {
                        match word.literal() {
                            Some(name) => drop(taken.insert(name.to_vec())),
                            None => all = true,
                        }
                    }
                }
                _ => {}
            }
            false
        });
        self.count.retain(|name, _| !all && !taken.contains(name));
        self.forks = !self.count.is_empty() && forks(source);
    }

    /// True if the text defines a function of that name, somewhere.
    pub fn is_one(&self, name: &[u8]) -> bool {
        self.count.contains_key(name)
    }

    /// True if it is defined more than once.
    pub fn is_twice(&self, name: &[u8]) -> bool {
        self.count.get(name).is_some_and(|n| *n > 1)
    }

    /// What is certainly defined here.
    pub fn now(&self) -> Defined {
        Rc::clone(&self.defined)
    }

    /// Behind something that may not have run, or ran in a copy of the shell: what was defined before it.
    pub fn back_to(&mut self, defined: Defined) {
        self.defined = defined;
    }

    /// Its definition was executed.
    pub fn is_defined(&mut self, name: &[u8]) {
        if self.is_one(name) {
            Rc::make_mut(&mut self.defined).insert(name.to_vec());
        }
    }

    /// True if a call of the name, here, is one of the function. In the body of another one (`within`) that is seen
    /// only when that one is called: then all that it calls must be defined.
    pub fn is_called(&mut self, name: &[u8], within: Option<&[u8]>) -> bool {
        if !self.is_one(name) {
            return false;
        }
        if let Some(body) = within {
            self.calls.entry(body.to_vec()).or_default().insert(name.to_vec());
            return true;
        }
        let mut seen: HashSet<&[u8]> = HashSet::new();
        let mut todo = vec![name];
        while let Some(name) = todo.pop() {
            if !self.defined.contains(name) {
                return false;
            }
            if seen.insert(name) {
                todo.extend(self.calls.get(name).into_iter().flatten().map(Vec::as_slice));
            }
        }
        true
    }

    /// True if the function, whose body was walked, calls itself, directly or by others, in a text that starts processes
    /// beside each other: that may be a fork bomb. By too many others counts.
    pub fn may_fill_the_machine(&self, name: &[u8]) -> bool {
        if !self.forks {
            return false;
        }
        let called = |n: &[u8]| self.calls.get(n).into_iter().flatten().map(Vec::as_slice);
        let mut seen: HashSet<&[u8]> = HashSet::new();
        let mut todo: Vec<&[u8]> = called(name).collect();
        while let Some(next) = todo.pop() {
            if seen.insert(next) {
                todo.extend(called(next));
            }
            if seen.len() > 1000 {
                return true;
            }
        }
        seen.contains(name)
    }
}

fn is_taker(word: &Word) -> bool {
    word.any_literal(|l| TAKERS.has(l))
}

/// True if the text may start processes of the shell's own beside each other: by `&`, `|`, `(…)`, `$(…)` or backticks.
fn forks(source: &[u8]) -> bool {
    let mut rest = source;
    while let Some((byte, after)) = rest.split_first() {
        rest = match (byte, after.first()) {
            (b'`', _) => return true,
            (b'&', Some(b'&')) | (b'|', Some(b'|')) | (b'(', Some(b')')) => {
                after.get(1..).unwrap_or_default()
            }
            (b'&' | b'|' | b'(', _) => return true,
            _ => after,
        };
    }
    false
}
