//! One evaluation under one agent's policy: every segment through every rule.
//!
//! [`Judge`] collects segments and raw findings while the text is walked ([`walk`]) and each simple command is
//! judged ([`command`]). What a raw finding leads to is decided at the end, by the table of `decide`: a rule never
//! knows the policy's `security` and `ask`.
mod builtin;
mod carry;
mod command;
mod cuts;
mod edits;
mod filled;
mod functions;
mod given;
mod known;
mod leads;
mod made;
mod redirect;
mod walk;
mod writes;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use crate::arg::Arg;
use crate::decision::Span;
use crate::document::Effective;
use crate::evaluation::{Segment, SegmentKind};
use crate::invocation::Invocation;
use crate::reason::Reason;
use crate::resolve::{Executable, Lookup};
use crate::rules::protect::Watch;
use crate::shell::Dialect;
use crate::world::World;

pub(crate) use carry::hardening;
pub(crate) use walk::Text;

/// How much a raw finding weighs, before the policy's `security` and `ask` are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Turns its segment into a miss; nothing under `security: full`.
    Miss,
    /// The same, and under `full` it asks if there is a denylist: what runs cannot be told.
    Unknowable,
    /// Asks whatever the lists say: asklist, self-protection.
    Ask,
    /// Denied whatever the lists say.
    Deny,
}

/// A finding before the policy's table is applied.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub reason: Reason,
    pub weight: Weight,
    pub segment: Option<usize>,
    pub span: Option<Span>,
    pub message: String,
    pub nearest: Option<String>,
}

/// Where a command stands.
#[derive(Clone)]
pub(crate) struct Context {
    /// The tracked working folder.
    pub cwd: Option<Rc<[u8]>>,
    /// Every folder that it may stand in, where it is not known which; `None` = anywhere.
    pub places: Option<Rc<Vec<Rc<[u8]>>>>,
    /// The folder as the shell spells it (`$PWD`), for a logical `cd`.
    pub logical: Option<Rc<[u8]>>,
    /// PATH for lookups; `None` = unset.
    pub path: Option<Rc<[u8]>>,
    /// The shell whose keywords and builtins come first; `None` = no shell reads this command.
    pub dialect: Option<Dialect>,
    /// Builtins are looked up (false behind `env`, `nice` …).
    pub builtins: bool,
    /// Functions of the text are looked up.
    pub functions: bool,
    /// Layers of wrappers around it.
    pub depth: usize,
    /// The segment whose wrapper or substitution it stands in.
    pub within: Option<usize>,
    /// Spans are offsets into the outermost text only.
    pub outermost: bool,
    /// The whole invocation is a link named like this shell: the shell itself needs no entry.
    pub linked_shell: bool,
    /// True once a `cd` moved the folder in the and-or list under way.
    pub moved: bool,
    /// The function whose body it stands in.
    pub body: Option<Rc<[u8]>>,
}

/// What judging one command told its caller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// Its segment.
    pub segment: usize,
    /// The file, if the command is a program.
    pub exe: Option<Arc<Executable>>,
    /// True if the command is a builtin, function or keyword of the shell.
    pub builtin: bool,
    /// Words to put in place of a word, for the form that is executed.
    pub rewrites: Vec<(usize, Vec<Vec<u8>>)>,
    /// The folder it moves the shell to: `Some(None)` = somewhere unknown.
    pub chdir: Option<Option<Place>>,
    /// Other files that must still be what was judged.
    pub recheck: Vec<Arc<Executable>>,
    /// The name of the safe bin it was satisfied as.
    pub safe_bin: Option<String>,
    /// The original bytes are executed although it is a shell: an entry says that it may carry anything.
    pub verbatim: bool,
}

/// A folder by its logical and its physical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub logical: Vec<u8>,
    pub physical: Option<Vec<u8>>,
}

/// What is written about a command besides its words.
#[derive(Clone, Default)]
pub(crate) struct Meta {
    pub text: Vec<u8>,
    pub span: Option<Span>,
    pub operator: Option<&'static str>,
}

/// One evaluation under way.
pub(crate) struct Judge<'a> {
    pub inv: &'a Invocation,
    pub policy: &'a Effective,
    pub world: &'a dyn World,
    pub segments: Vec<Segment>,
    pub raw: Vec<Raw>,
    /// What a shell that was started by its link is told, without what the agent put round it.
    pub said: Option<Vec<u8>>,
    /// Functions of the text being walked.
    functions: functions::Functions,
    /// What that text is given with it.
    given: Rc<given::Given>,
    /// Variables that the text itself exports, wherever: assigning one later reaches programs as well.
    exported: HashSet<Vec<u8>>,
    /// One of them may leave the shell in another folder.
    functions_move: bool,
    /// The text being walked has functions, and a command that leaves the folder, wherever it stands.
    roams: bool,
    shells: OnceCell<Vec<Vec<u8>>>,
    /// The guard's own files.
    watch: Watch<'a>,
    memory: RefCell<known::Memory>,
    /// The guard's own folders as links lead to them, and words that were looked at, by path: true of those that lead there.
    leads: RefCell<leads::Leads>,
    /// How many patterns were looked for in folders so far.
    looked: Cell<usize>,
    /// What programs write and put under other names so far.
    writing: RefCell<writes::Writing>,
    /// The guard's own folders, and those above them, that a `cd` so far may have come to.
    near: Vec<Vec<u8>>,
    /// A redirection so far opens a file to be read as a descriptor from 3 on; one makes standard output or standard error
    /// of such a descriptor.
    inputs_elsewhere: bool,
    outputs_of_others: bool,
    /// What xargs puts its words in place of, in the command walked.
    mark: Vec<u8>,
    /// The words of the find(1) that runs it.
    find: Option<Vec<Arg>>,
}

/// Most segments of one evaluation.
const MAX_SEGMENTS: usize = 4096;

/// Most layers of wrappers.
const MAX_LAYERS: usize = 8;

impl<'a> Judge<'a> {
    pub fn new(inv: &'a Invocation, policy: &'a Effective, world: &'a dyn World) -> Judge<'a> {
        Judge {
            inv,
            policy,
            world,
            segments: Vec::new(),
            raw: Vec::new(),
            said: None,
            functions: functions::Functions::default(),
            given: Rc::default(),
            exported: HashSet::new(),
            functions_move: false,
            roams: false,
            shells: OnceCell::new(),
            watch: Watch::new(&inv.guard, inv.home.as_deref()),
            memory: RefCell::default(),
            leads: RefCell::default(),
            looked: Cell::new(0),
            writing: RefCell::default(),
            near: Vec::new(),
            inputs_elsewhere: false,
            outputs_of_others: false,
            mark: Vec::new(),
            find: None,
        }
    }

    /// The context of the invocation itself.
    pub fn top(&self) -> Context {
        let pwd = variable(&self.inv.env, b"PWD").filter(|p| p.first() == Some(&b'/'));
        let logical = match (&self.inv.cwd, pwd) {
            (Some(cwd), Some(pwd)) if crate::resolve::normalise(pwd) == pwd && pwd != cwd.as_slice() => {
                // A shell believes $PWD if it leads to the same folder.
                (self.world.real(pwd).as_deref() == Some(cwd))
                    .then(|| pwd.to_vec())
                    .or_else(|| Some(cwd.clone()))
            }
            (cwd, _) => cwd.clone(),
        };
        Context {
            cwd: self.inv.cwd.as_deref().map(Rc::from),
            places: self.inv.cwd.as_deref().map(|cwd| Rc::new(vec![Rc::from(cwd)])),
            logical: logical.map(Rc::from),
            path: variable(&self.inv.env, b"PATH").map(Rc::from),
            dialect: None,
            builtins: false,
            functions: false,
            depth: 0,
            within: None,
            outermost: true,
            linked_shell: false,
            moved: false,
            body: None,
        }
    }

    /// Sets what the text that is walked next is given with it.
    pub fn give(&mut self, words: &[Vec<u8>]) {
        let words: Vec<Arg> = words.iter().map(Arg::lit).collect();
        self.given = Rc::new(given::Given::of(&words, &self.given, &self.inv.env));
    }

    pub fn lookup<'c>(&'c self, ctx: &'c Context) -> Lookup<'c> {
        Lookup { cwd: ctx.cwd.as_deref(), path: ctx.path.as_deref() }
    }

    fn shells(&self) -> &[Vec<u8>] {
        self.shells.get_or_init(|| self.world.shells())
    }

    fn push(&mut self, argv: &Arc<[Arg]>, meta: Meta, ctx: &Context) -> usize {
        self.segments.push(Segment {
            text: meta.text,
            argv: Arc::clone(argv),
            exe: None,
            reads: None,
            kind: SegmentKind::Program,
            within: ctx.within,
            satisfied_by: None,
            entry: None,
            operator: meta.operator,
            span: meta.span,
        });
        self.segments.len() - 1
    }

    /// Records a finding. The segment it speaks of is no longer satisfied, nor is any that it stands in.
    pub fn found(&mut self, weight: Weight, reason: Reason, segment: Option<usize>, message: String) {
        let span = segment.and_then(|s| self.segments.get(s)).and_then(|s| s.span);
        self.raw.push(Raw { reason, weight, segment, span, message, nearest: None });
    }

    fn segment(&mut self, at: usize) -> Option<&mut Segment> {
        self.segments.get_mut(at)
    }

    /// True if nothing was found about the segment so far and something satisfied it.
    fn satisfied(&self, at: usize) -> bool {
        self.segments.get(at).is_some_and(|s| s.satisfied_by.is_some())
            && !self.raw.iter().any(|r| r.segment == Some(at))
    }
}

/// The home a safe bin is given instead of the caller's, if it would read files there unasked: jq loads `~/.jq`.
pub(crate) fn home_of(safe_bin: &str) -> Option<&'static [u8]> {
    (safe_bin == "jq").then_some(b"/nonexistent")
}

/// The value of an environment variable; the first entry wins, as `getenv` has it.
pub(crate) fn variable<'e>(env: &'e [Vec<u8>], name: &[u8]) -> Option<&'e [u8]> {
    env.iter().find_map(|e| e.strip_prefix(name)?.strip_prefix(b"="))
}

/// Foreign bytes made visible for a message: controls, quotes and what is not ASCII spelled out.
pub(crate) fn visible(bytes: &[u8]) -> String {
    const MOST: usize = 200;
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_ascii_graphic() || c == ' ' || (c.is_alphanumeric() && !c.is_ascii()) {
                out.push(c);
            } else {
                out.extend(c.escape_default());
            }
        }
        for b in chunk.invalid() {
            out.push_str(&format!("\\x{b:02x}"));
        }
        if out.len() > MOST {
            let cut = (0..=MOST).rev().find(|i| out.is_char_boundary(*i)).unwrap_or(0);
            out.truncate(cut);
            out.push('…');
            break;
        }
    }
    out
}

/// Words as one line that a shell would split into the same words.
pub(crate) fn line(words: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for w in words {
        if !out.is_empty() {
            out.push(b' ');
        }
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(b);
        if !w.is_empty() && w.iter().all(plain) {
            out.extend_from_slice(w);
        } else {
            out.push(b'\'');
            for b in w {
                if *b == b'\'' {
                    out.extend_from_slice(b"'\\''");
                } else {
                    out.push(*b);
                }
            }
            out.push(b'\'');
        }
    }
    out
}
