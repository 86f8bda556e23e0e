//! All documents together, for one agent.
//!
//! Three steps. Each layer is resolved by itself: agent, then `*`, then `defaults`, and its config's `tools.exec`
//! as one more voice of the same layer, the stricter counting. Then the system's and the owner's layers are
//! combined; what one leaves unset sets no floor, and the built-in values fill what both leave unset. Then come
//! those that can only tighten: the layer an environment variable names where the user has a document already,
//! and the flags of the call. They meet finished values, so that what the user left unsaid is not theirs to say.
use super::allowlist::AllowList;
use super::check::Words;
use super::config::{Exec, Skills, stricter};
use super::policy::Layer;
use super::{Accept, Ask, Security};
use super::{AskOrAllow, Effective, Entry, Redirections, SafeBinProfile, Sourced};

/// What one or several layers say for one agent; unset where they say nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub security: Option<Sourced<Security>>,
    pub ask: Option<Sourced<Ask>>,
    pub ask_fallback: Option<Sourced<Security>>,
    pub auto_allow_skills: Option<Sourced<bool>>,
    /// One list for each layer that has the key.
    pub allow: Vec<AllowList>,
    /// Which of them the user's own entries go to.
    pub user_allow: Option<usize>,
    pub asklist: Vec<Entry>,
    pub denylist: Vec<Entry>,
    /// Whether the refusing lists distinguish case, as far as a layer with such a list has said.
    pub refusals_case: Option<bool>,
    /// The rest; its security, ask, askFallback and autoAllowSkills have gone into those above.
    pub exec: Exec,
    pub skills: Option<Skills>,
}

/// What becomes of a list that loosens where two layers have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loosening {
    Intersect,
    Join,
}

fn stricter_of<T: Words + PartialEq>(a: Option<Sourced<T>>, b: Option<Sourced<T>>) -> Option<Sourced<T>> {
    match (a, b) {
        (Some(a), Some(b)) => {
            let first = T::VALUES.iter().find(|v| **v == a.value || **v == b.value);
            Some(if first.is_some_and(|v| *v == a.value) { a } else { b })
        }
        (a, b) => a.or(b),
    }
}

fn both_true(a: Option<Sourced<bool>>, b: Option<Sourced<bool>>) -> Option<Sourced<bool>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.value { b } else { a }),
        (a, b) => a.or(b),
    }
}

fn any(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a || b),
        (a, b) => a.or(b),
    }
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Two lists that loosen.
pub(crate) fn loosening<T: PartialEq>(
    a: Option<Vec<T>>,
    b: Option<Vec<T>>,
    how: Loosening,
) -> Option<Vec<T>> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            match how {
                Loosening::Intersect => a.retain(|x| b.contains(x)),
                Loosening::Join => {
                    for x in b {
                        if !a.contains(&x) {
                            a.push(x);
                        }
                    }
                }
            }
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

/// Profiles by name. Joined, the outer layer's counts where a name is in both; intersected, a name stays only if
/// both say the same of it.
fn profiles(
    a: Option<Vec<(String, SafeBinProfile)>>,
    b: Option<Vec<(String, SafeBinProfile)>>,
    how: Loosening,
) -> Option<Vec<(String, SafeBinProfile)>> {
    match (a, b, how) {
        (Some(mut a), Some(b), Loosening::Join) => {
            for (name, profile) in b {
                if !a.iter().any(|(n, _)| *n == name) {
                    a.push((name, profile));
                }
            }
            Some(a)
        }
        (a, b, how) => loosening(a, b, how),
    }
}

impl View {
    /// What one layer says for an agent.
    pub fn of(layer: &Layer, agent: &str) -> View {
        let mut view = View::default();
        if let Some(doc) = &layer.approvals {
            let scopes: Vec<_> = doc.scopes(agent).collect();
            let first = |f: fn(&super::approvals::Scope) -> Option<Sourced<Security>>| {
                scopes.iter().find_map(|s| f(s))
            };
            view.security = first(|s| s.security.clone());
            view.ask_fallback = first(|s| s.ask_fallback.clone());
            view.ask = scopes.iter().find_map(|s| s.ask.clone());
            view.auto_allow_skills = scopes.iter().find_map(|s| s.auto_allow_skills.clone());
            // The seed's order: those of every agent, then the agent's own.
            let (last, others) = scopes.split_last().map_or((None, scopes.as_slice()), |(l, o)| (Some(l), o));
            let mut allow: Option<AllowList> = None;
            for s in others.iter().rev().chain(last) {
                if let Some(list) = &s.allowlist {
                    allow = Some(match allow {
                        Some(a) => a.joined(list),
                        None => list.clone(),
                    });
                }
                view.asklist.extend(s.asklist.iter().flatten().cloned());
                view.denylist.extend(s.denylist.iter().flatten().cloned());
            }
            view.allow.extend(allow);
        }
        if let Some(config) = &layer.config {
            let mut exec = config.exec_for(agent);
            view.security = stricter_of(view.security.take(), exec.security.take());
            view.ask = stricter_of(view.ask.take(), exec.ask.take());
            view.ask_fallback = stricter_of(view.ask_fallback.take(), exec.ask_fallback.take());
            view.auto_allow_skills = both_true(view.auto_allow_skills.take(), exec.auto_allow_skills.take());
            view.exec = exec;
            view.skills = config.skills.clone();
        }
        if !view.asklist.is_empty() || !view.denylist.is_empty() {
            view.refusals_case = Some(view.exec.case_sensitive.unwrap_or(false));
        }
        view
    }

    /// These layers with an inner one: the stricter of every value.
    pub fn with(self, inner: View, how: Loosening) -> View {
        let mut allow = self.allow;
        let mut user_allow = None;
        match (how, inner.allow.is_empty(), allow.pop()) {
            (_, true, Some(outer)) => {
                allow.push(outer);
                // Under merge the user's entries would go into the one list; else into one of their own.
                user_allow = (how == Loosening::Join).then(|| allow.len() - 1);
            }
            (Loosening::Join, false, Some(outer)) => {
                allow.push(inner.allow.iter().fold(outer, |o, i| o.joined(i)));
                user_allow = Some(allow.len() - 1);
            }
            (_, false, outer) => {
                allow.extend(outer);
                user_allow = Some(allow.len());
                allow.extend(inner.allow);
            }
            (_, true, None) => {}
        }
        let skills = match (self.skills, inner.skills) {
            (Some(a), Some(b)) => Some(Skills {
                bins: loosening(Some(a.bins), Some(b.bins), how).unwrap_or_default(),
                dirs: loosening(Some(a.dirs), Some(b.dirs), how).unwrap_or_default(),
            }),
            (a, b) => a.or(b),
        };
        View {
            security: stricter_of(self.security, inner.security),
            ask: stricter_of(self.ask, inner.ask),
            ask_fallback: stricter_of(self.ask_fallback, inner.ask_fallback),
            auto_allow_skills: both_true(self.auto_allow_skills, inner.auto_allow_skills),
            allow,
            user_allow,
            asklist: [self.asklist, inner.asklist].concat(),
            denylist: [self.denylist, inner.denylist].concat(),
            refusals_case: match (self.refusals_case, inner.refusals_case) {
                (Some(a), Some(b)) => Some(a && b),
                (a, b) => a.or(b),
            },
            exec: exec(self.exec, inner.exec, how),
            skills,
        }
    }

    /// Fills what is unset from values that need not be asked for (a preset's).
    pub fn over(self, below: View) -> View {
        View {
            security: self.security.or(below.security),
            ask: self.ask.or(below.ask),
            ask_fallback: self.ask_fallback.or(below.ask_fallback),
            auto_allow_skills: self.auto_allow_skills.or(below.auto_allow_skills),
            exec: self.exec.over(&below.exec),
            ..self
        }
    }

    /// Fills what is unset with the built-in values.
    pub fn filled(mut self) -> View {
        let built_in = Effective::built_in("");
        self.security.get_or_insert(built_in.security);
        self.ask.get_or_insert(built_in.ask);
        self.ask_fallback.get_or_insert(built_in.ask_fallback);
        self.auto_allow_skills.get_or_insert(built_in.auto_allow_skills);
        self.skills.get_or_insert_default();
        let e = &mut self.exec;
        e.safe_bins.get_or_insert(built_in.safe_bins);
        e.safe_bin_profiles.get_or_insert_default();
        e.safe_bin_trusted_dirs.get_or_insert_default();
        e.safe_bin_confinement.get_or_insert(built_in.safe_bin_confinement);
        e.strict_inline_eval.get_or_insert(built_in.strict_inline_eval);
        e.case_sensitive.get_or_insert(built_in.case_sensitive);
        let accept = *e.accept.get_or_insert(built_in.shell_accept);
        e.redirections.get_or_insert(match accept {
            Accept::Strict => Redirections::Ban,
            Accept::Checked => Redirections::Harmless,
        });
        e.readable.get_or_insert_default();
        e.writable.get_or_insert_default();
        e.program.get_or_insert(built_in.shell_program);
        e.login.get_or_insert(super::Login::Drop);
        e.unproven.get_or_insert(built_in.unproven);
        e.echo_dynamic.get_or_insert(AskOrAllow::Allow);
        e.dynamic_option.get_or_insert(AskOrAllow::Allow);
        e.env_mode.get_or_insert(built_in.env_mode);
        e.env_trusted.get_or_insert_default();
        self
    }

    /// A filled view with a layer that can only tighten it.
    pub fn tightened(mut self, mut by: View) -> View {
        // A category nobody has spoken of asks; only a layer of the owner's can change that.
        by.exec
            .hazards
            .retain(|(c, v)| *v == AskOrAllow::Ask || self.exec.hazards.iter().any(|(d, _)| d == c));
        // Without a list nothing matches, and that must stay so.
        if self.allow.is_empty() && !by.allow.is_empty() {
            self.allow.push(AllowList::default());
            self.user_allow = Some(0);
        }
        let user_allow = self.user_allow;
        let lists = self.allow.len();
        let mut out = self.with(by, Loosening::Intersect);
        out.user_allow = user_allow.filter(|i| *i < lists);
        // Strict accept leaves harmless redirections that checked implied.
        if out.exec.accept == Some(Accept::Strict) && out.exec.redirections == Some(Redirections::Harmless) {
            out.exec.redirections = Some(Redirections::Ban);
        }
        out
    }

    /// What rules, from a filled view.
    pub fn effective(self, agent: &str, notes: Vec<String>) -> Effective {
        let built_in = Effective::built_in(agent);
        let security = self.security.unwrap_or(built_in.security);
        let mut ask_fallback = self.ask_fallback.unwrap_or(built_in.ask_fallback);
        if ask_fallback.value > security.value {
            ask_fallback = security.clone();
        }
        let case_sensitive = self.exec.case_sensitive.unwrap_or(built_in.case_sensitive);
        let skills = self.skills.unwrap_or_default();
        let e = self.exec;
        Effective {
            agent: agent.into(),
            security,
            ask: self.ask.unwrap_or(built_in.ask),
            ask_fallback,
            auto_allow_skills: self.auto_allow_skills.unwrap_or(built_in.auto_allow_skills),
            allow: self.allow,
            user_allow: self.user_allow,
            asklist: self.asklist,
            denylist: self.denylist,
            safe_bins: e.safe_bins.unwrap_or_default(),
            safe_bin_profiles: e.safe_bin_profiles.unwrap_or_default(),
            safe_bin_trusted_dirs: e.safe_bin_trusted_dirs.unwrap_or_default(),
            safe_bin_confinement: e.safe_bin_confinement.unwrap_or(built_in.safe_bin_confinement),
            skill_bins: skills.bins,
            skill_dirs: skills.dirs,
            strict_inline_eval: e.strict_inline_eval.unwrap_or(built_in.strict_inline_eval),
            case_sensitive,
            refusals_case_sensitive: self.refusals_case.unwrap_or(case_sensitive),
            shell_accept: e.accept.unwrap_or(built_in.shell_accept),
            redirections: e.redirections.unwrap_or(built_in.redirections),
            shell_program: e.program.unwrap_or(built_in.shell_program),
            shell_readable: e.readable.unwrap_or_default(),
            shell_writable: e.writable.unwrap_or_default(),
            login_ask: e.login == Some(super::Login::Ask),
            echo_dynamic_ask: e.echo_dynamic == Some(AskOrAllow::Ask),
            dynamic_option_ask: e.dynamic_option == Some(AskOrAllow::Ask),
            unproven: e.unproven.unwrap_or(built_in.unproven),
            env_mode: e.env_mode.unwrap_or(built_in.env_mode),
            env_trusted: e.env_trusted.unwrap_or_default(),
            hazards: e.hazards,
            elevated: false,
            notes,
        }
    }
}

fn exec(a: Exec, b: Exec, how: Loosening) -> Exec {
    let mut hazards = a.hazards;
    for (category, choice) in b.hazards {
        match hazards.iter_mut().find(|(c, _)| *c == category) {
            Some((_, slot)) => *slot = (*slot).min(choice),
            None => hazards.push((category, choice)),
        }
    }
    Exec {
        security: stricter_of(a.security, b.security),
        ask: stricter_of(a.ask, b.ask),
        ask_fallback: stricter_of(a.ask_fallback, b.ask_fallback),
        auto_allow_skills: both_true(a.auto_allow_skills, b.auto_allow_skills),
        safe_bins: loosening(a.safe_bins, b.safe_bins, how),
        safe_bin_profiles: profiles(a.safe_bin_profiles, b.safe_bin_profiles, how),
        safe_bin_trusted_dirs: loosening(a.safe_bin_trusted_dirs, b.safe_bin_trusted_dirs, how),
        safe_bin_confinement: stricter(a.safe_bin_confinement, b.safe_bin_confinement),
        strict_inline_eval: any(a.strict_inline_eval, b.strict_inline_eval),
        case_sensitive: any(a.case_sensitive, b.case_sensitive),
        accept: stricter(a.accept, b.accept),
        redirections: stricter(a.redirections, b.redirections),
        readable: loosening(a.readable, b.readable, how),
        writable: loosening(a.writable, b.writable, how),
        program: a.program.or(b.program),
        login: stricter(a.login, b.login),
        unproven: stricter(a.unproven, b.unproven),
        echo_dynamic: stricter(a.echo_dynamic, b.echo_dynamic),
        dynamic_option: stricter(a.dynamic_option, b.dynamic_option),
        env_mode: stricter(a.env_mode, b.env_mode),
        env_trusted: loosening(a.env_trusted, b.env_trusted, how),
        hazards,
        approval_timeout_ms: least(a.approval_timeout_ms, b.approval_timeout_ms),
        running_notice_ms: a.running_notice_ms.or(b.running_notice_ms),
        ticket_ttl_ms: least(a.ticket_ttl_ms, b.ticket_ttl_ms),
        tty: stricter(a.tty, b.tty),
    }
}
