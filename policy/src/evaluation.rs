//! The verdict with its grounds, and the only value that can be executed.
use std::sync::Arc;

use crate::arg::Arg;
use crate::decision::{Decision, Finding, Span};
use crate::document::{Ask, Confinement, Effective, Security};
use crate::reason::Reason;
use crate::resolve::Executable;
use crate::shell::Dialect;

/// What satisfied a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SatisfiedBy {
    /// An entry of the allowlist.
    Allowlist,
    /// A safe bin within its profile.
    SafeBin,
    /// A skill.
    Skill,
    /// A free builtin.
    Builtin,
    /// A transparent wrapper around satisfied segments.
    Wrapper,
}

impl SatisfiedBy {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            SatisfiedBy::Allowlist => "allowlist",
            SatisfiedBy::SafeBin => "safe-bin",
            SatisfiedBy::Skill => "skill",
            SatisfiedBy::Builtin => "builtin",
            SatisfiedBy::Wrapper => "wrapper",
        }
    }
}

/// What kind of thing a segment's name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// A program file.
    Program,
    /// A builtin of the shell that will run the text.
    Builtin,
    /// A function the text defines.
    Function,
}

impl SegmentKind {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            SegmentKind::Program => "program",
            SegmentKind::Builtin => "builtin",
            SegmentKind::Function => "function",
        }
    }
}

/// One simple command of a chain or pipeline, as judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The source text, or the argv quoted, for showing.
    pub text: Vec<u8>,
    /// The words after quote removal.
    pub argv: Arc<[Arg]>,
    /// The file, if it is a program that resolved.
    pub exe: Option<Arc<Executable>>,
    /// The file whose text it runs, if words name one: of an interpreter, or of the shell's own `.`.
    pub reads: Option<Arc<Executable>>,
    /// What its name is.
    pub kind: SegmentKind,
    /// Index of the segment whose wrapper or substitution it stands in.
    pub within: Option<usize>,
    /// What satisfied it.
    pub satisfied_by: Option<SatisfiedBy>,
    /// The pattern of the entry that satisfied it, and where it is written.
    pub entry: Option<Arc<(String, String)>>,
    /// The operator that follows: `&&`, `||`, `;`, `|`.
    pub operator: Option<&'static str>,
    /// Bytes of the text.
    pub span: Option<Span>,
}

/// What is executed: one `execve`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The file given to `execve`.
    pub exe: Executable,
    /// The words, `argv[0]` first.
    pub argv: Vec<Vec<u8>>,
    /// Names of inherited variables that are removed.
    pub scrub: Vec<Vec<u8>>,
    /// A new value for PATH, if its relative and empty entries are dropped.
    pub path: Option<Vec<u8>>,
    /// A new value for HOME: jq loads `$HOME/.jq` unasked.
    pub home: Option<Vec<u8>>,
    /// Confinement of a safe bin.
    pub confine: Option<(String, Confinement)>,
    /// Other files that must still be what was judged.
    pub recheck: Vec<Arc<Executable>>,
    /// The text the shell is given, if this starts a shell.
    pub script: Option<Vec<u8>>,
}

/// A decision with its grounds. Having one tells you that every segment went through every rule.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The verdict, before any fallback.
    pub decision: Decision,
    /// What rules, with the source of each value.
    pub effective: Effective,
    /// The segments, in source order.
    pub segments: Vec<Segment>,
    /// Of a question: programs that its words name besides those of the segments.
    pub(crate) named: Vec<Arc<Executable>>,
    /// All findings above allow, strictest first within a segment.
    pub findings: Vec<Finding>,
    /// The language the text was read as; `None` for argv form.
    pub dialect: Option<Dialect>,
    /// True if every segment is satisfied and nothing was found above allow (ask=always alone excepted).
    pub satisfied: bool,
    /// What an unattended allow executes; `None` if nothing can be (not found, unrenderable).
    pub(crate) judged: Option<Plan>,
    /// What a person's yes executes: the original bytes.
    pub(crate) original: Option<Plan>,
    /// What a shell that was started by its link is told, without what the agent put round it: what a hook was asked
    /// about before.
    pub said: Option<Vec<u8>>,
    /// The working folder of the invocation.
    pub cwd: Option<Vec<u8>>,
    /// The environment of the invocation.
    pub(crate) env: Vec<Vec<u8>>,
}

/// Why a permit was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The policy allowed it.
    Policy,
    /// Nobody could be asked and askFallback allowed it.
    Fallback,
    /// A person said yes.
    Person,
}

/// A rule or a person allowed exactly these bytes. The only value that can be executed; it has private fields
/// and three makers.
#[derive(Debug)]
pub struct Permit {
    plan: Plan,
    env: Vec<Vec<u8>>,
    ground: Ground,
}

impl Permit {
    /// The file to execute.
    pub fn exe(&self) -> &Executable {
        &self.plan.exe
    }
    /// The words.
    pub fn argv(&self) -> &[Vec<u8>] {
        &self.plan.argv
    }
    /// The environment, entry by entry, in order.
    pub fn env(&self) -> &[Vec<u8>] {
        &self.env
    }
    /// Confinement to put on right before the exec: the safe bin's name and how much it matters.
    pub fn confine(&self) -> Option<(&str, Confinement)> {
        self.plan.confine.as_ref().map(|(n, c)| (n.as_str(), *c))
    }
    /// Other files that must be unchanged.
    pub fn recheck(&self) -> impl Iterator<Item = &Executable> {
        self.plan.recheck.iter().map(|exe| &**exe)
    }
    /// Why it was given.
    pub fn ground(&self) -> Ground {
        self.ground
    }
    /// What will run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

/// Name of the loop counter: the only variable the guard adds, always last.
pub const DEPTH: &[u8] = b"EXEC_GUARD_DEPTH";

/// At this depth the guard takes it that it calls itself without end.
pub const MAX_DEPTH: u32 = 64;

/// The nesting depth that an environment tells; nonsense counts as the maximum.
pub fn depth(env: &[Vec<u8>]) -> u32 {
    env.iter()
        .find_map(|e| e.strip_prefix(DEPTH)?.strip_prefix(b"="))
        .map_or(0, |v| std::str::from_utf8(v).ok().and_then(|v| v.parse().ok()).unwrap_or(MAX_DEPTH))
}

fn environment(plan: &Plan, env: &[Vec<u8>], scrub: bool) -> Vec<Vec<u8>> {
    let name_of =
        |e: &[u8]| e.iter().position(|b| *b == b'=').map(|p| e.get(..p).unwrap_or_default().to_vec());
    let mut out = Vec::with_capacity(env.len() + 1);
    for e in env {
        let name = name_of(e);
        if name.as_deref() == Some(DEPTH) {
            continue;
        }
        if scrub && name.as_ref().is_some_and(|n| plan.scrub.binary_search(n).is_ok()) {
            continue;
        }
        match (&plan.path, &plan.home, name.as_deref()) {
            (Some(p), _, Some(b"PATH")) if scrub => out.push([b"PATH=".as_slice(), p].concat()),
            (_, Some(h), Some(b"HOME")) if scrub => out.push([b"HOME=".as_slice(), h].concat()),
            _ => out.push(e.clone()),
        }
    }
    if let (Some(h), true) = (&plan.home, scrub)
        && !out.iter().any(|e| e.starts_with(b"HOME="))
    {
        out.push([b"HOME=".as_slice(), h].concat());
    }
    out.push([DEPTH, b"=", (depth(env) + 1).to_string().as_bytes()].concat());
    out
}

impl Evaluation {
    /// The permit of an allow; `None` for ask and deny.
    pub fn permit(&self) -> Option<Permit> {
        match self.decision {
            Decision::Allow => self.make(self.judged.as_ref()?, Ground::Policy),
            Decision::Ask | Decision::Deny => None,
        }
    }

    /// The permit of `askFallback`, when a person would have to be asked and none can be reached.
    pub fn fallback(&self) -> Option<Permit> {
        if self.decision != Decision::Ask {
            return None;
        }
        match self.effective.ask_fallback.value.min(self.effective.security.value) {
            Security::Deny => None,
            Security::Allowlist if self.satisfied => self.make(self.judged.as_ref()?, Ground::Fallback),
            Security::Allowlist => None,
            Security::Full => self.make(self.original.as_ref()?, Ground::Fallback),
        }
    }

    /// The permit a person's yes gives: the original bytes, the environment untouched.
    pub fn permit_of(&self, answer: &crate::question::Answer) -> Option<Permit> {
        if self.decision != Decision::Ask
            || !answer.is_yes()
            || answer.digest() != crate::question::digest(self)
        {
            return None;
        }
        let mut permit = self.make(self.original.as_ref()?, Ground::Person)?;
        // A person saw what they are now, and time went by.
        permit.plan.recheck = self.files().cloned().collect();
        Some(permit)
    }

    /// The files that a yes is bound to: the programs, those whose text they run, and what else looks like one.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Arc<Executable>> {
        self.segments.iter().flat_map(|s| s.exe.iter().chain(&s.reads)).chain(&self.named)
    }

    fn make(&self, plan: &Plan, ground: Ground) -> Option<Permit> {
        Some(Permit {
            env: environment(plan, &self.env, ground != Ground::Person),
            plan: plan.clone(),
            ground,
        })
    }

    /// What an allow would execute.
    pub fn executes(&self) -> Option<&Plan> {
        self.judged.as_ref()
    }

    /// What a person is asked about: the original bytes.
    pub fn asks_about(&self) -> Option<&Plan> {
        self.original.as_ref()
    }

    /// The finding that decided: the strictest, first in order.
    pub fn ground(&self) -> Option<&Finding> {
        self.findings.iter().max_by(|a, b| a.decision.cmp(&b.decision).then(std::cmp::Ordering::Greater))
    }

    /// True if *always allow* makes no sense because the policy asks about every command.
    pub fn asks_always(&self) -> bool {
        self.effective.ask.value == Ask::Always
    }

    /// What a person should know although it allows: findings of their own, for explaining, never on the way to an
    /// exec. An entry that covers a file its caller can write is *write, then run*.
    pub fn cautions(&self, world: &dyn crate::world::World) -> Vec<Finding> {
        let writable = |(i, s): (usize, &Segment)| {
            let exe = s.exe.as_ref()?;
            let (pattern, _) = s.entry.as_deref()?;
            world.writable(&exe.real).then(|| Finding {
                reason: Reason::EntryWritable,
                decision: Decision::Allow,
                segment: Some(i),
                span: s.span,
                message: format!("`{pattern}` covers a file that its caller can write"),
                advice: Some(Reason::EntryWritable.advice().to_owned()),
                nearest: None,
            })
        };
        self.segments.iter().enumerate().filter_map(writable).collect()
    }

    /// True if one of the findings has this reason.
    pub fn has(&self, reason: Reason) -> bool {
        self.findings.iter().any(|f| f.reason == reason)
    }
}
