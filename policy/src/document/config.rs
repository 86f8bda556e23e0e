//! `config.json`: how commands are judged, where questions go, what is recorded. JSON, or JSON5 as the seed's
//! forwarding example is written.
use std::sync::Arc;

use super::approvals::{flag, version, word};
use super::check::{self, Fold, Words};
use super::entries::strings;
use super::error::{Fault, LoadError, LoadErrorKind};
use super::json::{self, Dialect, Tree, pointer};
use super::keys;
use super::{
    Accept, Ask, AskOrAllow, Confinement, DenyOrAllow, EnvMode, JournalText, Login, Redirections,
    SafeBinProfile, Security, Sourced, Tty, Unproven,
};
use crate::tables::hazards::Category;
use crate::tables::{never_safe, safe_bins};

/// One config document as written. Having one tells you: every known key was understood.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file it was read from.
    pub file: Arc<str>,
    pub(crate) exec: Exec,
    pub(crate) agents: Vec<(String, Exec)>,
    pub(crate) skills: Option<Skills>,
    /// `"userPolicy": "merge"`; counts on the system layer only.
    pub user_policy_merge: Option<bool>,
    /// `"elevated": "full"`; counts on the system layer only.
    pub elevated: bool,
    pub(crate) run: Run,
    pub(crate) journal: Journal,
    pub(crate) submit: Submit,
    pub(crate) hook_rewrite: Option<bool>,
    pub(crate) hook_quiet: Option<Vec<String>>,
    pub(crate) marks: Marks,
    /// Sections that other rooms read themselves, by name: `security`, `toolOverrides`, `allowlist`, `approvals`,
    /// `tools`.
    pub sections: Vec<(&'static str, serde_json::Value)>,
    /// Unknown keys and the like, for `check` and `doctor`.
    pub notes: Vec<String>,
}

/// `tools.exec` as written, nothing filled in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exec {
    pub security: Option<Sourced<Security>>,
    pub ask: Option<Sourced<Ask>>,
    pub ask_fallback: Option<Sourced<Security>>,
    pub auto_allow_skills: Option<Sourced<bool>>,
    pub safe_bins: Option<Vec<String>>,
    pub safe_bin_profiles: Option<Vec<(String, SafeBinProfile)>>,
    pub safe_bin_trusted_dirs: Option<Vec<String>>,
    pub safe_bin_confinement: Option<Confinement>,
    pub strict_inline_eval: Option<bool>,
    pub case_sensitive: Option<bool>,
    pub accept: Option<Accept>,
    pub redirections: Option<Redirections>,
    pub readable: Option<Vec<String>>,
    pub writable: Option<Vec<String>>,
    pub program: Option<String>,
    pub login: Option<Login>,
    pub unproven: Option<Unproven>,
    pub echo_dynamic: Option<AskOrAllow>,
    pub dynamic_option: Option<AskOrAllow>,
    pub env_mode: Option<EnvMode>,
    pub env_trusted: Option<Vec<String>>,
    pub hazards: Vec<(Category, AskOrAllow)>,
    pub approval_timeout_ms: Option<u64>,
    pub running_notice_ms: Option<u64>,
    pub ticket_ttl_ms: Option<u64>,
    pub tty: Option<Tty>,
}

/// `skills.bins`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skills {
    pub bins: Vec<(String, String)>,
    pub dirs: Vec<String>,
}

/// `run` as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub writable: Option<Vec<String>>,
    pub readable: Option<Vec<String>>,
    pub secret: Option<Vec<String>>,
    pub network: Option<DenyOrAllow>,
    pub unix_sockets: Option<DenyOrAllow>,
    pub require_full: Option<bool>,
}

/// `journal` as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal {
    pub required: Option<bool>,
    pub text: Option<JournalText>,
    pub max_bytes: Option<u64>,
}

/// `submit` as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Submit {
    pub max_output: Option<u64>,
    pub keep: Option<u64>,
    pub keep_days: Option<u64>,
}

/// `marks` as written: further signs of an agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    pub env: Vec<(String, String)>,
    pub programs: Vec<(String, String)>,
}

impl Config {
    /// Reads the text of a document; `file` is its name for messages and sources.
    ///
    /// # Errors
    /// Anything that is neither JSON nor JSON5, or a known key with a value that means nothing.
    pub fn parse(text: &[u8], file: &str) -> Result<Config, LoadError> {
        let text = json::text(text, file)?;
        let tree = json::parse(text, file, Dialect::Json5)?;
        Config::read(&tree, file).map_err(|fault| json::located(fault, text, file))
    }

    /// The keys of `tools.exec` that say the same as keys of an approvals document's `defaults` do, as far as they are
    /// said.
    pub fn says(&self) -> Vec<&'static str> {
        let exec = &self.exec;
        [
            ("security", exec.security.is_some()),
            ("ask", exec.ask.is_some()),
            ("askFallback", exec.ask_fallback.is_some()),
            ("autoAllowSkills", exec.auto_allow_skills.is_some()),
        ]
        .into_iter()
        .filter_map(|(key, said)| said.then_some(key))
        .collect()
    }

    fn read(tree: &Tree<'_>, file: &str) -> Result<Config, Fault> {
        let mut notes = Vec::new();
        version(tree, false)?;
        check::check(tree, keys::CONFIG, Fold::Case, &mut notes)?;
        let global = match tree.at(&["tools", "exec"]) {
            Some(t) => exec(t, file, "/tools/exec")?,
            None => Exec::default(),
        };
        let mut agents = Vec::new();
        for (id, value) in tree.get("agents").and_then(Tree::as_map).unwrap_or_default() {
            if let Some(t) = value.at(&["tools", "exec"]) {
                let base = format!("{}/tools/exec", pointer("/agents", id));
                agents.push((id.clone().into_owned(), exec(t, file, &base)?));
            }
        }
        let config = Config {
            file: file.into(),
            skills: tree.at(&["skills", "bins"]).map(|t| skills(t, &mut notes)).transpose()?,
            user_policy_merge: tree.get("userPolicy").and_then(Tree::as_str).map(|w| is(w, "merge")),
            elevated: tree.get("elevated").and_then(Tree::as_str).is_some_and(|w| is(w, "full")),
            run: run(tree),
            journal: Journal {
                required: tree.at(&["journal", "required"]).and_then(Tree::as_bool),
                text: choice(tree, &["journal", "text"]),
                max_bytes: tree.at(&["journal", "maxBytes"]).and_then(Tree::as_u64),
            },
            submit: Submit {
                max_output: tree.at(&["submit", "maxOutput"]).and_then(Tree::as_u64),
                keep: tree.at(&["submit", "keep"]).and_then(Tree::as_u64),
                keep_days: tree.at(&["submit", "keepDays"]).and_then(Tree::as_u64),
            },
            hook_rewrite: tree.at(&["hook", "rewrite"]).and_then(Tree::as_bool),
            hook_quiet: quiet(tree)?,
            marks: Marks {
                env: pairs(tree.at(&["marks", "env"])),
                programs: pairs(tree.at(&["marks", "programs"])),
            },
            sections: sections(tree),
            exec: global,
            agents,
            notes,
        };
        config.safe_bins_have_profiles()?;
        Ok(config)
    }

    /// The settings of `tools.exec` for an agent: its own, then those of `*`, then everybody's. Scalars fall
    /// through, lists are joined.
    pub(crate) fn exec_for(&self, agent: &str) -> Exec {
        let named = |id: &str| self.agents.iter().find(|(a, _)| a == id).map(|(_, e)| e);
        let own = if agent == "*" { None } else { named(agent) };
        own.into_iter().chain(named("*")).chain(std::iter::once(&self.exec)).fold(Exec::default(), Exec::over)
    }

    /// A name among `safeBins` without a profile is refused: nobody has said what it may be told.
    fn safe_bins_have_profiles(&self) -> Result<(), Fault> {
        let scopes = std::iter::once(("/tools/exec".to_owned(), &self.exec))
            .chain(self.agents.iter().map(|(id, e)| (format!("{}/tools/exec", pointer("/agents", id)), e)));
        for (base, e) in scopes {
            for (i, name) in e.safe_bins.iter().flatten().enumerate() {
                let own = |e: &Exec| e.safe_bin_profiles.iter().flatten().any(|(n, _)| n == name);
                let built_in =
                    safe_bins::DEFAULT.contains(&name.as_str()) || matches!(name.as_str(), "egrep" | "fgrep");
                let what = match never_safe::reason(name) {
                    Some(why) => format!("{name:?} cannot be a safe bin: {why}"),
                    None if name.contains('/') || name.is_empty() => format!("{name:?} is no program's name"),
                    None if !built_in && !own(e) && !own(&self.exec) => {
                        format!("the safe bin {name:?} has no profile")
                    }
                    None => continue,
                };
                let at = format!("{base}/safeBins/{i}");
                let remedy = "give it a profile in safeBinProfiles, or an entry in the allowlist";
                return Err(Fault::new(LoadErrorKind::Value, at, what, remedy));
            }
        }
        Ok(())
    }
}

fn is(word: &str, want: &str) -> bool {
    word.trim().eq_ignore_ascii_case(want)
}

fn choice<T: Words>(tree: &Tree<'_>, path: &[&str]) -> Option<T> {
    T::of(tree.at(path)?.as_str()?, Fold::Case)
}

fn list(tree: &Tree<'_>, path: &[&str]) -> Option<Vec<String>> {
    Some(strings(tree.at(path)?.as_list()?).into_iter().map(|s| s.trim().to_owned()).collect())
}

fn pairs(tree: Option<&Tree<'_>>) -> Vec<(String, String)> {
    let members = tree.and_then(Tree::as_map).unwrap_or_default();
    members.iter().filter_map(|(k, v)| Some((k.trim().to_owned(), v.as_str()?.trim().to_owned()))).collect()
}

fn is_place(text: &str) -> bool {
    text.starts_with('/') || text == "~" || text.starts_with("~/")
}

/// Refuses a path that is not absolute: what it would be relative to is the caller's choice.
fn place(text: &str, at: &str) -> Result<(), Fault> {
    if is_place(text) {
        return Ok(());
    }
    let what = format!("{text:?} is no absolute path");
    Err(Fault::new(LoadErrorKind::Value, at, what, "begin it with / or ~/"))
}

fn exec(t: &Tree<'_>, file: &str, base: &str) -> Result<Exec, Fault> {
    let places = |path: &[&str]| -> Result<Option<Vec<String>>, Fault> {
        let found = list(t, path);
        for (i, p) in found.iter().flatten().enumerate() {
            place(p, &format!("{base}/{}/{i}", path.join("/")))?;
        }
        Ok(found)
    };
    let program = t.at(&["shell", "program"]).and_then(Tree::as_str).map(|p| p.trim().to_owned());
    if let Some(p) = &program {
        place(p, &format!("{base}/shell/program"))?;
    }
    let mut hazards = Vec::new();
    for category in Category::ALL {
        hazards.extend(choice(t, &["hazards", category.word()]).map(|c| (*category, c)));
    }
    Ok(Exec {
        security: word(t, file, base, "security", Fold::Case),
        ask: word(t, file, base, "ask", Fold::Case),
        ask_fallback: word(t, file, base, "askFallback", Fold::Case),
        auto_allow_skills: flag(t, file, base, "autoAllowSkills"),
        safe_bins: list(t, &["safeBins"]),
        safe_bin_profiles: t.get("safeBinProfiles").map(|p| profiles(p, base)).transpose()?,
        safe_bin_trusted_dirs: places(&["safeBinTrustedDirs"])?,
        safe_bin_confinement: choice(t, &["safeBinConfinement"]),
        strict_inline_eval: t.get("strictInlineEval").and_then(Tree::as_bool),
        case_sensitive: t.get("caseSensitive").and_then(Tree::as_bool),
        accept: choice(t, &["shell", "accept"]),
        redirections: choice(t, &["shell", "redirections"]),
        readable: places(&["shell", "readable"])?,
        writable: places(&["shell", "writable"])?,
        program,
        login: choice(t, &["shell", "login"]),
        unproven: choice(t, &["shell", "unproven"]),
        // Written in either place; where both say something the stricter counts.
        echo_dynamic: stricter(choice(t, &["shell", "echoDynamic"]), choice(t, &["echoDynamic"])),
        dynamic_option: stricter(choice(t, &["shell", "dynamicOption"]), choice(t, &["dynamicOption"])),
        env_mode: choice(t, &["env", "mode"]),
        env_trusted: list(t, &["env", "trusted"]),
        hazards,
        approval_timeout_ms: t.get("approvalTimeoutMs").and_then(Tree::as_u64),
        running_notice_ms: t.get("approvalRunningNoticeMs").and_then(Tree::as_u64),
        ticket_ttl_ms: t.get("ticketTtlMs").and_then(Tree::as_u64),
        tty: choice(t, &["tty"]),
    })
}

/// The stricter of two words: the one that stands first in its list.
pub(crate) fn stricter<T: Words + PartialEq>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => T::VALUES.iter().copied().find(|v| *v == a || *v == b),
        (one, other) => one.or(other),
    }
}

fn profiles(tree: &Tree<'_>, base: &str) -> Result<Vec<(String, SafeBinProfile)>, Fault> {
    let mut out = Vec::new();
    for (name, t) in tree.as_map().unwrap_or_default() {
        let at = pointer(&format!("{base}/safeBinProfiles"), name);
        if let Some(why) = never_safe::reason(name) {
            let what = format!("{name:?} cannot be a safe bin: {why}");
            return Err(Fault::new(LoadErrorKind::Value, at, what, "remove the profile"));
        }
        let count =
            |key: &str| t.get(key).and_then(Tree::as_u64).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let options = |key: &str| -> Result<Vec<String>, Fault> {
            let found = list(t, &[key]).unwrap_or_default();
            match found.iter().position(|f| !f.starts_with('-') || f == "-" || f == "--") {
                Some(i) => {
                    let what = "no option: it has no dash, or nothing else";
                    Err(Fault::new(
                        LoadErrorKind::Value,
                        format!("{at}/{key}/{i}"),
                        what,
                        "write -x or --long",
                    ))
                }
                None => Ok(found),
            }
        };
        let data = t.get("positional").and_then(Tree::as_str).is_some_and(|w| is(w, "data"));
        let min_positional = count("minPositional").unwrap_or(0);
        let max_positional = count("maxPositional").unwrap_or(if data { usize::MAX } else { 0 });
        if min_positional > max_positional || (!data && max_positional > 0) {
            let (what, remedy) = if data {
                ("minPositional is larger than maxPositional", "correct one of them")
            } else {
                ("operands are counted but not said to be data", "write \"positional\": \"data\"")
            };
            return Err(Fault::new(LoadErrorKind::Value, at, what, remedy));
        }
        let profile = SafeBinProfile {
            min_positional,
            max_positional,
            flags: options("flags")?,
            value_flags: options("valueFlags")?,
            denied_flags: options("deniedFlags")?,
            positional_is_data: data,
        };
        out.push((name.clone().into_owned(), profile));
    }
    Ok(out)
}

fn skills(tree: &Tree<'_>, notes: &mut Vec<String>) -> Result<Skills, Fault> {
    let mut out = Skills::default();
    match tree {
        Tree::Map(_) => {
            for (name, path) in pairs(Some(tree)) {
                place(&path, &pointer("/skills/bins", &name))?;
                out.bins.push((name, path));
            }
        }
        _ => {
            for dir in list(tree, &[]).unwrap_or_default() {
                if is_place(&dir) {
                    out.dirs.push(dir);
                } else {
                    notes.push(format!("skills.bins: {dir:?} is only a name, write name: path or a folder"));
                }
            }
        }
    }
    Ok(out)
}

/// `hook.quiet`. A name that begins with any rest would be that of every tool there is, an agent's own among them.
fn quiet(tree: &Tree<'_>) -> Result<Option<Vec<String>>, Fault> {
    let found = list(tree, &["hook", "quiet"]);
    for (i, name) in found.iter().flatten().enumerate() {
        if name.is_empty() || name.starts_with('*') {
            let what = format!("{name:?} begins with no name");
            let remedy = "begin it with the name of a tool or a server: mcp__jira__*";
            return Err(Fault::new(LoadErrorKind::Value, format!("/hook/quiet/{i}"), what, remedy));
        }
    }
    Ok(found)
}

fn run(tree: &Tree<'_>) -> Run {
    Run {
        writable: list(tree, &["run", "writable"]),
        readable: list(tree, &["run", "readable"]),
        secret: list(tree, &["run", "secret"]),
        network: choice(tree, &["run", "network"]),
        unix_sockets: choice(tree, &["run", "unixSockets"]),
        require_full: tree.at(&["run", "require"]).and_then(Tree::as_str).map(|w| is(w, "full")),
    }
}

fn sections(tree: &Tree<'_>) -> Vec<(&'static str, serde_json::Value)> {
    let mut out = Vec::new();
    for name in ["security", "toolOverrides", "allowlist", "approvals", "tools"] {
        // `tools` matters only if it says something of other tools than exec.
        let known =
            |t: &&Tree<'_>| name != "tools" || t.as_map().is_some_and(|m| m.iter().any(|(k, _)| k != "exec"));
        out.extend(tree.get(name).filter(known).map(|t| (name, t.to_value())));
    }
    out
}

/// One list of two that both speak in one document, this one first, each item once.
fn joined<T: PartialEq + Clone>(a: Option<Vec<T>>, b: &Option<Vec<T>>) -> Option<Vec<T>> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            for item in b {
                if !a.contains(item) {
                    a.push(item.clone());
                }
            }
            Some(a)
        }
        (a, b) => a.or_else(|| b.clone()),
    }
}

impl Exec {
    /// These settings with those of a wider scope of the same document below them.
    pub(crate) fn over(self, below: &Exec) -> Exec {
        let mut profiles = self.safe_bin_profiles;
        if let Some(b) = &below.safe_bin_profiles {
            let all = profiles.get_or_insert_with(Vec::new);
            for (name, profile) in b {
                if !all.iter().any(|(n, _)| n == name) {
                    all.push((name.clone(), profile.clone()));
                }
            }
        }
        let mut hazards = self.hazards;
        for (category, choice) in &below.hazards {
            if !hazards.iter().any(|(c, _)| c == category) {
                hazards.push((*category, *choice));
            }
        }
        Exec {
            security: self.security.or_else(|| below.security.clone()),
            ask: self.ask.or_else(|| below.ask.clone()),
            ask_fallback: self.ask_fallback.or_else(|| below.ask_fallback.clone()),
            auto_allow_skills: self.auto_allow_skills.or_else(|| below.auto_allow_skills.clone()),
            safe_bins: joined(self.safe_bins, &below.safe_bins),
            safe_bin_profiles: profiles,
            safe_bin_trusted_dirs: joined(self.safe_bin_trusted_dirs, &below.safe_bin_trusted_dirs),
            safe_bin_confinement: self.safe_bin_confinement.or(below.safe_bin_confinement),
            strict_inline_eval: self.strict_inline_eval.or(below.strict_inline_eval),
            case_sensitive: self.case_sensitive.or(below.case_sensitive),
            accept: self.accept.or(below.accept),
            redirections: self.redirections.or(below.redirections),
            readable: joined(self.readable, &below.readable),
            writable: joined(self.writable, &below.writable),
            program: self.program.or_else(|| below.program.clone()),
            login: self.login.or(below.login),
            unproven: self.unproven.or(below.unproven),
            echo_dynamic: self.echo_dynamic.or(below.echo_dynamic),
            dynamic_option: self.dynamic_option.or(below.dynamic_option),
            env_mode: self.env_mode.or(below.env_mode),
            env_trusted: joined(self.env_trusted, &below.env_trusted),
            hazards,
            approval_timeout_ms: self.approval_timeout_ms.or(below.approval_timeout_ms),
            running_notice_ms: self.running_notice_ms.or(below.running_notice_ms),
            ticket_ttl_ms: self.ticket_ttl_ms.or(below.ticket_ttl_ms),
            tty: self.tty.or(below.tty),
        }
    }
}
