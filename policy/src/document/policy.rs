//! The documents in force, and the settings that do not depend on the command.
use std::sync::Arc;

use super::approvals::{Approvals, Socket};
use super::config::{Config, stricter};
use super::merge::{Loosening, View, loosening};
use super::{Ask, DenyOrAllow, Effective, JournalText, Security, SocketDialect, Sourced, Tty, presets};

/// The two documents of one folder, as far as they exist.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// `exec-approvals.json`.
    pub approvals: Option<Arc<Approvals>>,
    /// `config.json`.
    pub config: Option<Arc<Config>>,
}

impl Layer {
    /// A layer of these documents.
    pub fn new(approvals: Option<Approvals>, config: Option<Config>) -> Layer {
        Layer { approvals: approvals.map(Arc::new), config: config.map(Arc::new) }
    }
}

/// What the call itself asks for; it can only tighten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// `--security`.
    pub security: Option<Security>,
    /// `--ask`.
    pub ask: Option<Ask>,
    /// `--ask-fallback`.
    pub ask_fallback: Option<Security>,
    /// An operator asks to skip approvals. Counts only if the system layer says `"elevated": "full"`; the caller
    /// has made sure that it is an operator who asks.
    pub elevated: bool,
    /// Who asks for it, for the words.
    pub from: &'static str,
}

/// The documents in force. Having one tells you that every document was read, was its owner's and was
/// understood; it says nothing of a command yet.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    system: Layer,
    /// The user's documents, OpenClaw's among them; where there is none, those of `EXEC_GUARD_HOME`.
    owner: Layer,
    /// Those of `EXEC_GUARD_HOME` where the user has one.
    tighten: Layer,
    call: Call,
}

impl Policy {
    /// The documents of all layers. `home` is the folder that `EXEC_GUARD_HOME` names; since whoever starts the
    /// guard chooses it, it stands alone only where the user has no document of either kind, OpenClaw's included.
    pub fn new(system: Layer, user: Layer, home: Layer, openclaw: Option<Approvals>) -> Policy {
        let approvals = user.approvals.or(openclaw.map(Arc::new));
        let user = Layer { approvals, config: user.config };
        let (owner, tighten) = match (&user.approvals, &user.config) {
            (None, None) => (home, Layer::default()),
            _ => (user, home),
        };
        Policy { system, owner, tighten, call: Call::default() }
    }

    /// A policy of one user's documents.
    pub fn of_user(approvals: Option<Approvals>, config: Option<Config>) -> Policy {
        Policy::new(Layer::default(), Layer::new(approvals, config), Layer::default(), None)
    }

    /// No document anywhere: the *cautious* preset.
    pub fn embedded() -> Policy {
        Policy::default()
    }

    /// The same with other documents of the user's, kind by kind; what `layer` has not stays as it is. For trying a
    /// policy out, not for judging what is to run.
    #[must_use]
    pub fn with_owner(mut self, layer: Layer) -> Policy {
        self.owner.approvals = layer.approvals.or(self.owner.approvals);
        self.owner.config = layer.config.or(self.owner.config);
        self
    }

    /// The same under what the call asks for, or somebody for it.
    pub fn with_call(mut self, call: Call) -> Policy {
        self.call = call;
        self
    }

    /// True if no approvals document speaks for system or user, so that the embedded preset fills what is unset.
    pub fn is_embedded(&self) -> bool {
        self.system.approvals.is_none() && self.owner.approvals.is_none()
    }

    fn layers(&self) -> [&Layer; 3] {
        [&self.system, &self.owner, &self.tighten]
    }

    fn configs(&self) -> impl Iterator<Item = &Config> {
        self.layers().into_iter().filter_map(|l| l.config.as_deref())
    }

    /// The documents in force: layer and file, outermost first.
    pub fn documents(&self) -> Vec<(&'static str, &str)> {
        let names = ["system", "user", "EXEC_GUARD_HOME"];
        let mut out = Vec::new();
        for (name, layer) in names.iter().zip(self.layers()) {
            out.extend(layer.approvals.iter().map(|d| (*name, &*d.file)));
            out.extend(layer.config.iter().map(|d| (*name, &*d.file)));
        }
        out
    }

    /// The approvals documents in force, outermost first.
    pub fn approvals(&self) -> impl Iterator<Item = &Approvals> {
        self.layers().into_iter().filter_map(|l| l.approvals.as_deref())
    }

    /// Unknown keys, ignored entries and the like of every document.
    pub fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        for layer in self.layers() {
            if let Some(d) = &layer.approvals {
                out.extend(d.notes.iter().map(|n| format!("{}: {n}", d.file)));
            }
            if let Some(d) = &layer.config {
                out.extend(d.notes.iter().map(|n| format!("{}: {n}", d.file)));
            }
        }
        out
    }

    /// A section of `config.json` that other rooms read themselves (`security`, `approvals` …): the outermost
    /// document's that has it, with its file.
    pub fn section(&self, name: &str) -> Option<(&str, &serde_json::Value)> {
        self.configs()
            .find_map(|c| Some((&*c.file, c.sections.iter().find(|(n, _)| *n == name).map(|(_, v)| v)?)))
    }

    fn lists(&self) -> Loosening {
        let says = |layer: &Layer| {
            layer.approvals.as_ref().and_then(|d| d.user_policy_merge).unwrap_or(false)
                || layer.config.as_ref().and_then(|d| d.user_policy_merge).unwrap_or(false)
        };
        if says(&self.system) { Loosening::Join } else { Loosening::Intersect }
    }

    fn view(&self, agent: &str) -> View {
        let mut view = View::of(&self.system, agent).with(View::of(&self.owner, agent), self.lists());
        if self.is_embedded() {
            view = view.over(View::of(presets::embedded(), agent));
        }
        let mut view = view.filled();
        if self.tighten.approvals.is_some() || self.tighten.config.is_some() {
            view = view.tightened(View::of(&self.tighten, agent));
        }
        if self.call.security.is_some() || self.call.ask.is_some() || self.call.ask_fallback.is_some() {
            let from = || self.call.from.to_owned();
            view = view.tightened(View {
                security: self.call.security.map(|value| Sourced { value, from: from() }),
                ask: self.call.ask.map(|value| Sourced { value, from: from() }),
                ask_fallback: self.call.ask_fallback.map(|value| Sourced { value, from: from() }),
                ..View::default()
            });
        }
        view
    }

    /// What rules for one agent.
    pub fn effective(&self, agent: &str) -> Effective {
        let mut effective = self.view(agent).effective(agent, self.notes());
        let leave = self.system.config.as_ref().filter(|c| c.elevated);
        if let (true, Some(config)) = (self.call.elevated, leave) {
            let from = format!("{}:/elevated", config.file);
            effective.security = Sourced { value: Security::Full, from: from.clone() };
            effective.ask = Sourced { value: Ask::Off, from };
            effective.asklist.clear();
            effective.elevated = true;
        }
        effective
    }

    /// The settings that do not depend on the command.
    pub fn settings(&self, agent: &str) -> Settings {
        let exec = self.view(agent).exec;
        let mut s = Settings {
            socket: self.socket(),
            approval_timeout_ms: exec.approval_timeout_ms.unwrap_or(120_000),
            running_notice_ms: exec.running_notice_ms.unwrap_or(10_000),
            ticket_ttl_ms: exec.ticket_ttl_ms.unwrap_or(300_000),
            tty: exec.tty.unwrap_or(Tty::Auto),
            hook_quiet: self.quiet(),
            hook_rewrite: self.configs().filter_map(|c| c.hook_rewrite).reduce(|a, b| a || b).unwrap_or(true),
            journal: self.journal(),
            submit: self.submit(),
            run: self.run(),
            mark_env: Vec::new(),
            mark_programs: Vec::new(),
        };
        for c in self.configs() {
            s.mark_env.extend(c.marks.env.iter().cloned());
            s.mark_programs.extend(c.marks.programs.iter().cloned());
        }
        s
    }

    /// The socket of the system's document if it names one, else the owner's: a document that the environment
    /// chose must not choose who answers.
    fn socket(&self) -> SocketSettings {
        let system = self.system.approvals.as_ref().filter(|d| d.socket != Socket::default());
        let Some(doc) = system.or(self.owner.approvals.as_ref()) else { return SocketSettings::default() };
        let folder = doc.file.rsplit_once('/').map(|(folder, _)| folder);
        SocketSettings {
            path: doc.socket.path.clone().or_else(|| folder.map(|f| format!("{f}/exec-approvals.sock"))),
            token: doc.socket.token.clone(),
            allow_uids: doc.socket.allow_uids.clone(),
            dialect: doc.socket.dialect.unwrap_or(SocketDialect::Own),
        }
    }

    fn journal(&self) -> JournalSettings {
        let all = || self.configs().map(|c| &c.journal);
        JournalSettings {
            required: all().any(|j| j.required == Some(true)),
            text: all().fold(None, |t, j| stricter(t, j.text)).unwrap_or(JournalText::Masked),
            max_bytes: all().find_map(|j| j.max_bytes).unwrap_or(16 << 20).max(4096),
        }
    }

    fn submit(&self) -> SubmitSettings {
        let all = || self.configs().map(|c| &c.submit);
        let days = all().find_map(|s| s.keep_days).unwrap_or(30);
        SubmitSettings {
            max_output: all().find_map(|s| s.max_output).unwrap_or(10 << 20),
            keep: all().find_map(|s| s.keep).unwrap_or(100),
            keep_ms: days.saturating_mul(24 * 60 * 60 * 1000),
        }
    }

    /// A list that loosens: where a document was chosen by the environment it cannot add to it.
    fn quiet(&self) -> Vec<String> {
        let of = |layer: &Layer| layer.config.as_ref().and_then(|c| c.hook_quiet.clone());
        let said = loosening(of(&self.system), of(&self.owner), self.lists()).unwrap_or_default();
        loosening(Some(said), of(&self.tighten), Loosening::Intersect).unwrap_or_default()
    }

    fn run(&self) -> RunSettings {
        let all = || self.configs().map(|c| &c.run);
        let owners = [&self.system, &self.owner].map(|l| l.config.as_ref().map(|c| &c.run));
        let how = self.lists();
        let (system, owner) = (owners.first().copied().flatten(), owners.last().copied().flatten());
        let tighten = self.tighten.config.as_ref().map(|c| &c.run);
        let both = |f: fn(&super::config::Run) -> Option<Vec<String>>| {
            loosening(system.and_then(f), owner.and_then(f), how)
        };
        let writable = both(|r| r.writable.clone());
        let readable = both(|r| r.readable.clone());
        RunSettings {
            // What is unset stands for the default folders, which a tightening layer cannot widen.
            writable: writable.map(|w| {
                loosening(Some(w), tighten.and_then(|t| t.writable.clone()), Loosening::Intersect)
                    .unwrap_or_default()
            }),
            readable: loosening(readable, tighten.and_then(|t| t.readable.clone()), Loosening::Intersect),
            secret: all().flat_map(|r| r.secret.iter().flatten().cloned()).collect(),
            network: all().fold(None, |n, r| stricter(n, r.network)).unwrap_or(DenyOrAllow::Allow),
            unix_sockets: {
                let said = owners.iter().flatten().fold(None, |n, r| stricter(n, r.unix_sockets));
                let said = said.unwrap_or(DenyOrAllow::Deny);
                stricter(Some(said), tighten.and_then(|t| t.unix_sockets)).unwrap_or(DenyOrAllow::Deny)
            },
            require_full: all().any(|r| r.require_full == Some(true)),
        }
    }
}

/// Settings that do not depend on the command, all filled in.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where questions go.
    pub socket: SocketSettings,
    /// Milliseconds a person has to answer.
    pub approval_timeout_ms: u64,
    /// Milliseconds after which a run is announced.
    pub running_notice_ms: u64,
    /// Milliseconds a late yes stays good.
    pub ticket_ttl_ms: u64,
    /// Whether the terminal is asked.
    pub tty: Tty,
    /// Tools from elsewhere that a person says run nothing here: names, `*` is any rest.
    pub hook_quiet: Vec<String>,
    /// Whether a hook has the agent run what was judged.
    pub hook_rewrite: bool,
    /// What is recorded.
    pub journal: JournalSettings,
    /// `exec-guard submit`.
    pub submit: SubmitSettings,
    /// `exec-guard run`.
    pub run: RunSettings,
    /// Further marks: `NAME` or `NAME=VALUE`, agent.
    pub mark_env: Vec<(String, String)>,
    /// Further marks: program name, agent.
    pub mark_programs: Vec<(String, String)>,
}

/// True if one of the names of `hook.quiet` is this tool's. Capitals count; `*` stands for any run of characters.
pub fn is_quiet(names: &[String], tool: &str) -> bool {
    names.iter().any(|name| {
        let mut parts = name.split('*');
        let Some(mut rest) = parts.next().and_then(|first| tool.strip_prefix(first)) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        for part in parts {
            let Some((_, after)) = rest.split_once(part) else { return false };
            rest = after;
        }
        rest.ends_with(last)
    })
}

/// Where questions go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketSettings {
    /// Path; `~/` is the home. `None` if no document names a folder.
    pub path: Option<String>,
    /// Shared secret.
    pub token: Option<String>,
    /// Further users whose approver is believed.
    pub allow_uids: Vec<u32>,
    /// How to speak.
    pub dialect: SocketDialect,
}

impl Default for SocketSettings {
    fn default() -> SocketSettings {
        SocketSettings { path: None, token: None, allow_uids: Vec::new(), dialect: SocketDialect::Own }
    }
}

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalSettings {
    /// Nothing runs that cannot be recorded.
    pub required: bool,
    /// Whether secrets are masked.
    pub text: JournalText,
    /// Size in bytes at which the journal is moved aside.
    pub max_bytes: u64,
}

/// `exec-guard submit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmitSettings {
    /// Bytes of each output stream that are kept; the rest is counted only.
    pub max_output: u64,
    /// How many runs that are over are kept.
    pub keep: u64,
    /// How long they are kept, milliseconds.
    pub keep_ms: u64,
}

/// `exec-guard run`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSettings {
    /// Folders a tree may write; `None` = the default ones.
    pub writable: Option<Vec<String>>,
    /// Folders a tree may read; `None` = all.
    pub readable: Option<Vec<String>>,
    /// Folders it may not read, besides the default ones.
    pub secret: Vec<String>,
    /// TCP.
    pub network: DenyOrAllow,
    /// Unix sockets.
    pub unix_sockets: DenyOrAllow,
    /// Refuse to start below the full grade.
    pub require_full: bool,
}
