//! What is the same for every command of one name: a text may name one program thousands of times, under thousands of
//! entries. Each thing is found out when it is first asked for.
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::{Context, Judge};
use crate::document::{AllowList, Entry};
use crate::resolve::{DEFAULT_PATH, Executable, Resolution, is_fixed, last_component, resolve};
use crate::rules::entry::{self, Subject};
use crate::rules::hazards::{self, Hazardous};
use crate::rules::unpack::{self, Writer};
use crate::tables::writers::{Named, writes};
use crate::wrapper::{self, Hits};

/// The entries of each allowlist that cover a program.
pub(super) type Covering = Rc<Vec<Vec<Covered>>>;

/// One of them.
pub(super) struct Covered {
    entry: Entry,
    label: OnceCell<Arc<(String, String)>>,
}

impl Covered {
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Its pattern and place.
    pub fn label(&self) -> Arc<(String, String)> {
        let label = || Arc::new((self.entry.pattern.clone(), self.entry.from.clone()));
        Arc::clone(self.label.get_or_init(label))
    }
}

/// What is known of a name.
pub(super) struct Known {
    /// Where it was looked up.
    path: Option<Rc<[u8]>>,
    /// The folder it was looked up in, if that is of any account.
    cwd: Option<Option<Rc<[u8]>>>,
    pub found: Found,
    hits: OnceCell<Hits>,
    hazardous: OnceCell<Hazardous>,
    writer: OnceCell<Option<Writer>>,
    written: OnceCell<bool>,
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
            writer: OnceCell::new(),
            written: OnceCell::new(),
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
    pub fn hits(&self, typed: &[u8], shells: &[Vec<u8>]) -> &Hits {
        self.hits.get_or_init(|| wrapper::hits(&self.names(typed), typed, shells))
    }

    /// The rows of hazards that speak of it.
    pub fn hazardous(&self, typed: &[u8]) -> &Hazardous {
        self.hazardous.get_or_init(|| hazards::of(&self.names(typed)))
    }

    /// Whether it writes files that no word names.
    pub fn writer(&self, typed: &[u8]) -> Option<Writer> {
        *self.writer.get_or_init(|| unpack::writer(&self.names(typed)))
    }

    /// Whether it writes the files that its words name.
    pub fn is_written_by(&self, typed: &[u8]) -> bool {
        *self.written.get_or_init(|| writes(typed) == Some(Named::Written))
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

/// What was found out so far: of names, where they were looked up last; of files, by their *found* and *real* paths; and
/// of names that are no file. (One type of table: each costs the guard some kilobytes.)
#[derive(Default)]
pub(super) struct Memory {
    names: BTreeMap<Vec<u8>, Rc<Known>>,
    files: BTreeMap<Vec<u8>, Rc<Known>>,
    others: BTreeMap<Vec<u8>, Rc<Known>>,
}

/// Which entries of the denylist, and which of the asklist, name a program.
pub(super) type Refusals = [Vec<usize>; 2];

impl Judge<'_> {
    /// What is known of a command's name, where the command stands.
    pub(super) fn known(&self, name: &[u8], ctx: &Context) -> Rc<Known> {
        if let Some(known) = self.memory.borrow().names.get(name)
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
        self.memory.borrow_mut().names.insert(name.to_vec(), Rc::clone(&known));
        known
    }

    /// What is known of a file that is no command's name: a script.
    pub(super) fn known_file(&self, exe: &Arc<Executable>) -> Rc<Known> {
        let key = [exe.found.as_slice(), b"\0", &exe.real].concat();
        let mut memory = self.memory.borrow_mut();
        Rc::clone(
            memory.files.entry(key).or_insert_with(|| Rc::new(Known::of(Found::Program(Arc::clone(exe))))),
        )
    }

    /// What is known of a name that is not looked up.
    pub(super) fn known_other(&self, name: Option<&[u8]>) -> Rc<Known> {
        let Some(name) = name else { return Known::of_the_shell() };
        let mut memory = self.memory.borrow_mut();
        Rc::clone(memory.others.entry(name.to_vec()).or_insert_with(Known::of_the_shell))
    }

    /// The entries that cover a program, list by list.
    pub(super) fn covering(&self, known: &Known, exe: &Executable, s: &Subject<'_>) -> Covering {
        let of = |list: &AllowList| {
            let all = list.candidates(&exe.found, &exe.real).into_iter();
            let all = all.filter(|e| entry::covers(e, s, self.world));
            all.map(|e| Covered { entry: e.into_owned(), label: OnceCell::new() }).collect()
        };
        Rc::clone(known.covering.get_or_init(|| Rc::new(self.policy.allow.iter().map(of).collect())))
    }

    /// The entries of denylist and asklist that name a program, whatever they say of its arguments.
    pub(super) fn refusals(&self, known: &Known, s: &Subject<'_>) -> Rc<Refusals> {
        let of = |list: &[Entry]| {
            let named = list.iter().enumerate().filter(|(_, e)| entry::names_it(e, s, self.world));
            named.map(|(i, _)| i).collect()
        };
        let find = || Rc::new([of(&self.policy.denylist), of(&self.policy.asklist)]);
        Rc::clone(known.refusals.get_or_init(find))
    }
}
