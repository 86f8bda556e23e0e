//! What is the same for every command of one name: a text may name one program thousands of times, under thousands of
//! entries. Each thing is found out when it is first asked for.
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::{Context, Judge};
use crate::document::Entry;
use crate::resolve::{DEFAULT_PATH, Executable, Resolution, is_fixed, last_component, resolve};
use crate::rules::entry::{self, Subject};
use crate::rules::hazards::{self, Hazardous};
use crate::wrapper::{self, Hits};

/// The entries of each allowlist that cover a program.
pub(super) type Covering = Rc<Vec<Vec<Entry>>>;

/// What is known of a name.
pub(super) struct Known {
    /// Where it was looked up.
    path: Option<Rc<[u8]>>,
    /// The folder it was looked up in, if that is of any account.
    cwd: Option<Option<Rc<[u8]>>>,
    pub found: Found,
    hits: OnceCell<Hits>,
    hazardous: OnceCell<Hazardous>,
    covering: OnceCell<Covering>,
    refusals: OnceCell<Rc<Refusals>>,
}

/// What looking it up gave; see [`Resolution`].
pub(super) enum Found {
    Program(Arc<Executable>),
    Shadowed(Arc<Executable>),
    Missing,
    CwdUnknown,
    /// The shell itself runs it.
    NotLookedUp,
}

impl Found {
    /// The file.
    pub fn exe(&self) -> Option<&Arc<Executable>> {
        match self {
            Found::Program(exe) | Found::Shadowed(exe) => Some(exe),
            Found::Missing | Found::CwdUnknown | Found::NotLookedUp => None,
        }
    }
}

impl Known {
    /// A name that the shell does not look up.
    pub fn of_the_shell() -> Rc<Known> {
        Rc::new(Known::of(Found::NotLookedUp))
    }

    fn of(found: Found) -> Known {
        Known {
            path: None,
            cwd: None,
            found,
            hits: OnceCell::new(),
            hazardous: OnceCell::new(),
            covering: OnceCell::new(),
            refusals: OnceCell::new(),
        }
    }

    /// The last components it is known under: as typed, as found, as it really is.
    pub fn names<'n>(&'n self, typed: &'n [u8]) -> Names<'n> {
        let typed = last_component(typed);
        let mut names = Names { names: [typed, &[], &[]], len: 1 };
        if let Some(exe) = self.found.exe().filter(|exe| exe.found != exe.real || exe.name() != typed) {
            for name in [exe.name(), exe.real_name()] {
                if names.last() != Some(&name)
                    && let Some(slot) = names.names.get_mut(names.len)
                {
                    *slot = name;
                    names.len += 1;
                }
            }
        }
        names
    }

    /// What runs another program it is.
    pub fn hits(&self, names: &[&[u8]], argv0: &[u8], shells: &[Vec<u8>]) -> &Hits {
        self.hits.get_or_init(|| wrapper::hits(names, argv0, shells))
    }

    /// The rows of hazards that speak of it.
    pub fn hazardous(&self, typed: &[u8]) -> &Hazardous {
        self.hazardous.get_or_init(|| hazards::of(&self.names(typed)))
    }
}

/// Up to three names, each once.
#[derive(Clone, Copy)]
pub(super) struct Names<'n> {
    names: [&'n [u8]; 3],
    len: usize,
}

impl<'n> std::ops::Deref for Names<'n> {
    type Target = [&'n [u8]];
    fn deref(&self) -> &[&'n [u8]] {
        self.names.get(..self.len).unwrap_or_default()
    }
}

/// What was found out so far.
#[derive(Default)]
pub(super) struct Memory {
    by_name: HashMap<Vec<u8>, Rc<Known>>,
    /// Entries that cover a program, by its *found* and *real* paths.
    covering: HashMap<(Vec<u8>, Vec<u8>), Covering>,
    /// Entries of denylist and asklist that name a program which is no file, by its name as typed.
    refusals: HashMap<Vec<u8>, Rc<Refusals>>,
}

/// Which entries of the denylist, and which of the asklist, name a program.
pub(super) type Refusals = [Vec<usize>; 2];

impl Judge<'_> {
    /// What is known of a command's name, where the command stands.
    pub(super) fn known(&self, name: &[u8], ctx: &Context) -> Rc<Known> {
        if let Some(known) = self.memory.borrow().by_name.get(name)
            && known.path == ctx.path
            && known.cwd.as_ref().is_none_or(|cwd| *cwd == ctx.cwd)
        {
            return Rc::clone(known);
        }
        let found = match resolve(name, self.lookup(ctx), self.world) {
            Resolution::Found(exe) => Found::Program(Arc::new(exe)),
            Resolution::Shadowed(exe) => Found::Shadowed(Arc::new(exe)),
            Resolution::Missing => Found::Missing,
            Resolution::CwdUnknown => Found::CwdUnknown,
        };
        let mut known = Known::of(found);
        known.path.clone_from(&ctx.path);
        let path = ctx.path.as_deref().unwrap_or(DEFAULT_PATH);
        let fixed = match name.contains(&b'/') {
            true => false,
            false => path.split(|b| *b == b':').all(is_fixed),
        };
        known.cwd = (!fixed).then(|| ctx.cwd.clone());
        let known = Rc::new(known);
        // The last one stays: a name is mostly looked up in one place.
        self.memory.borrow_mut().by_name.insert(name.to_vec(), Rc::clone(&known));
        known
    }

    /// The entries that cover a program, list by list.
    pub(super) fn covering(&self, exe: &Executable, s: &Subject<'_>) -> Covering {
        let key = (exe.found.clone(), exe.real.clone());
        if let Some(known) = self.memory.borrow().covering.get(&key) {
            return Rc::clone(known);
        }
        let found: Vec<Vec<Entry>> = self
            .policy
            .allow
            .iter()
            .map(|list| {
                let all = list.candidates(&exe.found, &exe.real).into_iter();
                all.filter(|e| entry::covers(e, s, self.world)).map(std::borrow::Cow::into_owned).collect()
            })
            .collect();
        let found = Rc::new(found);
        self.memory.borrow_mut().covering.insert(key, Rc::clone(&found));
        found
    }

    /// The same, for a program that is known.
    pub(super) fn covering_known(&self, known: &Known, exe: &Executable, s: &Subject<'_>) -> Covering {
        Rc::clone(known.covering.get_or_init(|| self.covering(exe, s)))
    }

    /// The entries of denylist and asklist that name a program, whatever they say of its arguments.
    pub(super) fn refusals(&self, known: Option<&Known>, s: &Subject<'_>) -> Rc<Refusals> {
        let find = || {
            let of = |list: &[Entry]| {
                list.iter()
                    .enumerate()
                    .filter_map(|(i, e)| entry::names_it(e, s, self.world).then_some(i))
                    .collect()
            };
            Rc::new([of(&self.policy.denylist), of(&self.policy.asklist)])
        };
        if let Some(known) = known {
            return Rc::clone(known.refusals.get_or_init(find));
        }
        let Some(typed) = s.typed.filter(|_| s.exe.is_none()) else { return find() };
        if let Some(found) = self.memory.borrow().refusals.get(typed) {
            return Rc::clone(found);
        }
        let found = find();
        self.memory.borrow_mut().refusals.insert(typed.to_vec(), Rc::clone(&found));
        found
    }
}
