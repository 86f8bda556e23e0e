//! `exec-approvals.json`, version 1: drop-in compatible with OpenClaw's, stricter where that one shrugs.
//!
//! OpenClaw drops what it does not understand and falls back to its defaults; here a word that means nothing, a
//! list that is no list or a version nobody knows is an error, and an error denies everything.
use std::sync::Arc;

use super::allowlist::{AllowList, Body, Part};
use super::check::{self, Fold, Words};
use super::entries::{self, Kind};
use super::error::{Fault, LoadError, LoadErrorKind};
use super::json::{self, Dialect, Tree, pointer};
use super::keys;
use super::{Ask, Entry, Security, SocketDialect, Sourced, migrate};

/// One approvals document as written. Having one tells you: every known field was understood.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    /// The file it was read from.
    pub file: Arc<str>,
    /// Where questions go.
    pub socket: Socket,
    /// `"userPolicy": "merge"`; counts on the system layer only.
    pub user_policy_merge: Option<bool>,
    /// What holds for every agent that says nothing else.
    pub(crate) defaults: Scope,
    /// By agent id; `*` is every agent.
    pub(crate) agents: Vec<(String, Scope)>,
    /// Unknown keys and ignored entries, for `check` and `doctor`.
    pub notes: Vec<String>,
}

/// `socket` of a document; nothing filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Socket {
    /// Path; `~/` is the home.
    pub path: Option<String>,
    /// Shared secret.
    pub token: Option<String>,
    /// Further users whose approver is believed.
    pub allow_uids: Vec<u32>,
    /// How to speak.
    pub dialect: Option<SocketDialect>,
}

/// `defaults`, or one agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub security: Option<Sourced<Security>>,
    pub ask: Option<Sourced<Ask>>,
    pub ask_fallback: Option<Sourced<Security>>,
    pub auto_allow_skills: Option<Sourced<bool>>,
    pub allowlist: Option<AllowList>,
    pub asklist: Option<Vec<Entry>>,
    pub denylist: Option<Vec<Entry>>,
}

impl Approvals {
    /// Reads the text of a document; `file` is its name for messages and sources.
    ///
    /// # Errors
    /// Anything that is not version 1 of the document, said with file, line and field.
    pub fn parse(text: &[u8], file: &str) -> Result<Approvals, LoadError> {
        let text = json::text(text, file)?;
        let tree = json::parse(text, file, Dialect::Json)?;
        Approvals::read(&tree, file).map_err(|fault| json::located(fault, text, file))
    }

    pub(crate) fn read(tree: &Tree<'_>, file: &str) -> Result<Approvals, Fault> {
        let mut notes = Vec::new();
        // The version first: what a later one means by its fields is not ours to say.
        version(tree, true)?;
        check::check(tree, keys::APPROVALS, Fold::Exact, &mut notes)?;
        let mut agents = Vec::new();
        for (id, value) in tree.get("agents").and_then(Tree::as_map).unwrap_or_default() {
            agents.push((id.clone().into_owned(), scope(value, file, &pointer("/agents", id), &mut notes)?));
        }
        migrate::legacy_default(&mut agents);
        let defaults = match tree.get("defaults") {
            Some(value) => scope(value, file, "/defaults", &mut notes)?,
            None => Scope::default(),
        };
        let socket = tree.get("socket").map(socket).transpose()?.unwrap_or_default();
        let user_policy_merge = tree.get("userPolicy").and_then(Tree::as_str).map(|w| w.trim() == "merge");
        Ok(Approvals { file: file.into(), socket, user_policy_merge, defaults, agents, notes })
    }

    /// The ids of agents that have settings of their own.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(|(id, _)| id.as_str())
    }

    /// The scopes that speak for an agent, nearest first: its own, `*`, `defaults`.
    pub(crate) fn scopes(&self, agent: &str) -> impl Iterator<Item = &Scope> {
        let named = |id: &str| self.agents.iter().find(|(a, _)| a == id).map(|(_, s)| s);
        let own = if agent == "*" { None } else { named(agent) };
        own.into_iter().chain(named("*")).chain(std::iter::once(&self.defaults))
    }

    /// Every entry of the document, with its agent (`None` = defaults) and the name of its list.
    pub fn entries(&self) -> Vec<(Option<&str>, &'static str, Entry)> {
        let mut out = Vec::new();
        let scopes = std::iter::once((None, &self.defaults))
            .chain(self.agents.iter().map(|(id, s)| (Some(id.as_str()), s)));
        for (agent, s) in scopes {
            if let Some(list) = &s.allowlist {
                out.extend(list.all().into_iter().map(|e| (agent, "allowlist", e.into_owned())));
            }
            out.extend(s.asklist.iter().flatten().map(|e| (agent, "asklist", e.clone())));
            out.extend(s.denylist.iter().flatten().map(|e| (agent, "denylist", e.clone())));
        }
        out
    }
}

/// Refuses a version that is not 1; `required` also its absence.
pub(crate) fn version(tree: &Tree<'_>, required: bool) -> Result<(), Fault> {
    let (what, remedy) = match tree.get("version") {
        Some(Tree::Whole(1)) => return Ok(()),
        None if !required || tree.as_map().is_none() => return Ok(()),
        None => ("no version".to_owned(), "write \"version\": 1"),
        Some(Tree::Whole(n)) => (format!("unknown version {n}"), "this program knows version 1 only"),
        Some(other) => (format!("{} as version", other.kind()), "write \"version\": 1"),
    };
    Err(Fault::new(LoadErrorKind::Version, "/version", what, remedy))
}

pub(crate) fn source(file: &str, base: &str, name: &str) -> String {
    let mut out = String::with_capacity(file.len() + base.len() + name.len() + 2);
    out.push_str(file);
    out.push(':');
    out.push_str(base);
    json::push_pointer(&mut out, name);
    out
}

/// A word with its source. The shape was checked, so a word that is there is known.
pub(crate) fn word<T: Words>(
    tree: &Tree<'_>,
    file: &str,
    base: &str,
    name: &str,
    fold: Fold,
) -> Option<Sourced<T>> {
    let value = T::of(tree.get(name)?.as_str()?, fold)?;
    Some(Sourced { value, from: source(file, base, name) })
}

pub(crate) fn flag(tree: &Tree<'_>, file: &str, base: &str, name: &str) -> Option<Sourced<bool>> {
    Some(Sourced { value: tree.get(name)?.as_bool()?, from: source(file, base, name) })
}

fn scope(tree: &Tree<'_>, file: &str, base: &str, notes: &mut Vec<String>) -> Result<Scope, Fault> {
    let refusals = |name: &str| -> Result<Option<Vec<Entry>>, Fault> {
        let Some(list) = tree.get(name) else { return Ok(None) };
        let at = pointer(base, name);
        let entries = entries::entries(list, Kind::Refuse, &at, &mut Vec::new())?;
        Ok(Some(entries.into_iter().map(|(i, e)| Entry { from: format!("{file}:{at}/{i}"), ..e }).collect()))
    };
    let (asklist, denylist) = (refusals("asklist")?, refusals("denylist")?);
    let allowlist = match tree.get("allowlist") {
        Some(list) => {
            let at = pointer(base, "allowlist");
            let entries = entries::entries(list, Kind::Allow, &at, notes)?;
            Some(AllowList::of(Part::new(format!("{file}:{at}"), Body::Parsed(entries))))
        }
        None => None,
    };
    Ok(Scope {
        security: word(tree, file, base, "security", Fold::Exact),
        ask: word(tree, file, base, "ask", Fold::Exact),
        ask_fallback: word(tree, file, base, "askFallback", Fold::Exact),
        auto_allow_skills: flag(tree, file, base, "autoAllowSkills"),
        allowlist,
        asklist,
        denylist,
    })
}

fn socket(tree: &Tree<'_>) -> Result<Socket, Fault> {
    let text = |name: &str| {
        tree.get(name).and_then(Tree::as_str).map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned)
    };
    let mut allow_uids = Vec::new();
    for (i, uid) in tree.get("allowUids").and_then(Tree::as_list).unwrap_or_default().iter().enumerate() {
        let uid = uid.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| {
            Fault::new(LoadErrorKind::Value, format!("/socket/allowUids/{i}"), "no user id", "write a uid")
        })?;
        allow_uids.push(uid);
    }
    Ok(Socket {
        path: text("path"),
        token: text("token"),
        allow_uids,
        dialect: tree.get("dialect").and_then(Tree::as_str).and_then(|t| SocketDialect::of(t, Fold::Exact)),
    })
}
