//! The hooks of agents: is ours in the settings, is it switched on, and does what stands there say no to a probe?
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::calls::call;
use super::{Finding, State};
use super::{believe, fire};
use crate::install::agents::json::{self as text, calls, command};
use crate::install::agents::settings;
use crate::install::agents::{self, AGENTS, Handler, Kind, Spec, matcher, toml};
use crate::install::manifest::Manifest;
use crate::install::plan::Surroundings;
use crate::install::shown;

/// A hook that should be there.
struct Place<'a> {
    s: &'a Surroundings,
    spec: &'static Spec,
    project: Option<PathBuf>,
    file: PathBuf,
    guard: PathBuf,
}

/// Every hook that was installed, or that stands in a person's settings.
pub fn agents(s: &Surroundings, manifest: &Manifest) -> Vec<Finding> {
    let mut wanted: BTreeSet<(&str, Option<PathBuf>)> =
        manifest.wanted.agents().map(|a| (a.id, a.project.map(Path::to_path_buf))).collect();
    // Written by hand.
    for spec in AGENTS {
        let file = spec.file(s, None);
        let there = file.and_then(|f| settings::foreign(&f).ok().flatten());
        if there.is_some_and(|t| t.contains("exec-guard")) {
            wanted.insert((spec.id, None));
        }
    }
    let place = |(id, project): (&str, Option<PathBuf>)| {
        let spec = Spec::named(id)?;
        let file = spec.file(s, project.as_deref())?;
        Some(Place { s, spec, project, file, guard: s.guard(&manifest.wanted) })
    };
    let mut out = Vec::new();
    for place in wanted.into_iter().filter_map(place) {
        let found = place.look();
        let live = found.iter().any(|f| f.state == State::Live);
        out.extend(found);
        // What no hook of this agent's closes.
        if live {
            let (open, closes) = place.spec.open;
            let closes = closes.replace("@LINKS@", &shown(&s.links()));
            out.push(place.finding(State::Doubt, format!("open: {open}")).mend(closes));
        }
    }
    out
}

/// That a hook somebody wrote guards: its command line is the guard's own, that says no to a probe, and nothing in it
/// keeps it from being asked. `guard` is the one that is installed, `project` the folder whose own settings these are.
///
/// # Errors
/// It does not, or it is not certain: why.
pub fn guards(id: &str, hook: &Value, guard: &Path, project: Option<&Path>) -> Result<(), String> {
    if let Some(why) = super::idle::weak(id, hook) {
        return Err(why);
    }
    let program = believe::command(id, command(hook).unwrap_or_default(), guard, project)?;
    probe(id, &program)
}

/// That the guard, as the hook of an agent, says no to a probe. It is started by itself, through no shell.
fn probe(id: &str, guard: &Path) -> Result<(), String> {
    let probe = fire::probe()?;
    // Harmless in any shell: `:` does nothing.
    let input = call(id, &format!(": {probe}"), "/").to_string();
    fire::must_refuse(guard, &["hook", id], input.as_bytes(), fire::refused_as_hook)
}

impl Place<'_> {
    fn finding(&self, state: State, what: impl Into<String>) -> Finding {
        Finding::new(agents::part(self.spec.id, self.project.as_deref()), state, what)
    }

    fn not(&self, what: impl Into<String>) -> Finding {
        let id = self.spec.id;
        let mend = match &self.project {
            None => format!("exec-guardctl install --agent {id}"),
            Some(root) => format!("cd {} && exec-guardctl install --agent {id} --project", shown(root)),
        };
        self.finding(State::NotInTheWay, what).mend(mend)
    }

    fn look(&self) -> Vec<Finding> {
        let file = shown(&self.file);
        let text = match settings::text(&self.file) {
            Ok(text) if text.trim().is_empty() => {
                return vec![self.not(format!("{file}: there is no hook in it"))];
            }
            Ok(text) => text,
            Err(why) => {
                let what = format!("{file} {why}");
                let mend = format!("mend the file; then exec-guardctl install --agent {}", self.spec.id);
                return vec![self.finding(State::NotInTheWay, what).mend(mend)];
            }
        };
        if self.spec.list().is_some()
            && let Err(why) = agents::reads::loads(self.spec.id, &text)
        {
            let finding = self.finding(State::NotInTheWay, format!("{file}: {why}"));
            return vec![finding.mend("mend that line")];
        }
        match self.spec.kind {
            Kind::Entry(at, handler) | Kind::File(at, handler) => match text::value(&text, false) {
                Ok(value) => self.settings(&value, at, handler),
                Err(why) => vec![self.not(format!("{file} {why}"))],
            },
            Kind::Script => match std::fs::metadata(&self.file) {
                Ok(meta) if std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o100 == 0 => {
                    vec![self.not(format!("{file} cannot be executed")).mend(format!("chmod +x {file}"))]
                }
                _ => vec![match believe::script(&text) {
                    Ok(line) => self.fire(&[line]),
                    Err(why) => self.not(format!("{file} {why}")),
                }],
            },
            Kind::Plugin(_) if super::idle::variable(self.spec.id).is_some() => {
                let name = super::idle::variable(self.spec.id).unwrap_or_default();
                let what = format!("`{name}` in the environment has it start without plugins");
                vec![self.finding(State::NotInTheWay, what).mend(format!("unset {name}"))]
            }
            Kind::Plugin(_) => match self.excluded() {
                Some(finding) => vec![finding],
                None => vec![self.plugin(&self.file, &text)],
            },
            Kind::Folder => self.folder(&text),
        }
    }

    /// A list of hooks in settings.
    fn settings(&self, value: &Value, at: &[&str], handler: Handler) -> Vec<Finding> {
        let (id, file) = (self.spec.id, shown(&self.file));
        let mut out = Vec::new();
        let list = at.iter().try_fold(value, |v, key| v.get(*key)).and_then(Value::as_array);
        let wanted = match handler {
            Handler::Group(matcher, _) => Some(matcher),
            Handler::Plain(extra, _) => extra.iter().find_map(|(k, v)| match v {
                agents::Extra::Text(matcher) if *k == "matcher" => Some(*matcher),
                _ => None,
            }),
        };
        let (mut hooks, mut elsewhere) = (Vec::new(), None);
        for group in list.into_iter().flatten() {
            let under = group.get("matcher").and_then(Value::as_str).unwrap_or_default();
            let handlers = match group.get("hooks").and_then(Value::as_array) {
                Some(inner) => inner.iter().collect(),
                None => vec![group],
            };
            // Ours, or something that calls ours.
            let near = |h: &&&Value| command(h).is_some_and(|c| calls(c, id) || c.contains("exec-guard"));
            let found: Vec<&Value> = handlers.iter().filter(near).copied().collect();
            if matcher::covers(id, under, wanted.unwrap_or_default()) {
                hooks.extend(found);
            } else if !found.is_empty() {
                elsewhere = Some(under);
            }
        }
        match (hooks.is_empty(), elsewhere) {
            (true, Some(under)) => {
                let what = match matcher::understood(id, under) {
                    true => "",
                    false => ", which is not understood here: that the agent reads it so is not certain",
                };
                let what = format!("{file}: our hook stands under the matcher `{under}`{what}");
                return vec![self.not(what).mend(format!("write `{}` there", wanted.unwrap_or_default()))];
            }
            (true, None) => {
                return vec![self.not(format!("{file}: `{}` holds no hook of ours", at.join(".")))];
            }
            (false, _) => {}
        }
        let (hooks, idle): (Vec<&Value>, Vec<&Value>) =
            hooks.into_iter().partition(|hook| super::idle::why(id, handler, hook).is_none());
        if hooks.is_empty()
            && let Some((key, why)) = idle.iter().find_map(|hook| super::idle::why(id, handler, hook))
        {
            let what = format!("{file}: our hook does not guard: {why}");
            return vec![self.finding(State::NotInTheWay, what).mend(format!("mend `{key}` in it"))];
        }
        let mut commands: Vec<&str> = hooks.iter().filter_map(|h| command(h)).collect();
        match super::idle::switched_off(self.s, id, &self.file, value, &hooks) {
            Ok(None) => {}
            Ok(Some((file, key))) => {
                let does = match key.ends_with("CLAUDE_CODE_SHELL_PREFIX") {
                    true => "has another program start every hook",
                    false => "switches hooks off",
                };
                let what = format!("{}: `{key}` {does}", shown(&file));
                return vec![self.finding(State::NotInTheWay, what).mend(format!("take `{key}` out of it"))];
            }
            Err((file, why)) => {
                let what = format!("{} {why}: whether it switches hooks off is not known", shown(&file));
                out.push(self.finding(State::Doubt, what).mend("look at that file, or remove it"));
            }
        }
        if id == "codex" {
            // Those that it skips say nothing.
            let skipped: Vec<_> = commands.iter().map(|c| self.untrusted(value, c)).collect();
            let mut skips = skipped.iter().map(Option::is_some);
            commands.retain(|_| !skips.next().unwrap_or_default());
            if commands.is_empty()
                && let Some(finding) = skipped.into_iter().flatten().next()
            {
                return vec![finding];
            }
        }
        let fired = self.fire(&commands);
        let live = fired.state == State::Live;
        out.push(fired);
        let closed = ["onFailure", "on_failure", "failClosed"];
        let extra = match handler {
            Handler::Group(_, extra) | Handler::Plain(extra, _) => extra,
        };
        let switch = extra.iter().map(|(k, _)| *k).find(|k| closed.contains(k));
        let ours = |line: &str| believe::command(id, line, &self.guard, self.project.as_deref()).is_ok();
        if let (true, Some(key)) = (live, switch)
            && hooks.iter().any(|h| h.get(key).is_none() && command(h).is_some_and(ours))
        {
            let what = format!("{file}: without `{key}` a guard that is missing or killed lets commands run");
            let mend = format!("exec-guardctl uninstall --agent {id}; exec-guardctl install --agent {id}");
            out.push(self.finding(State::Doubt, what).mend(mend));
        }
        out
    }

    /// Codex skips a hook that is not trusted, without a word.
    fn untrusted(&self, value: &Value, command: &str) -> Option<Finding> {
        let config = self.s.codex.join("config.toml");
        let text = settings::text(&config).unwrap_or_default();
        let off = |file: &Path, key: &str| {
            let what = format!("{}: `{key}` switches hooks off", shown(file));
            Some(self.finding(State::NotInTheWay, what).mend("take it out of there"))
        };
        if let Some((file, key)) =
            super::idle::codex_off(self.s, &std::env::current_dir().unwrap_or_default())
        {
            return off(&file, key);
        }
        let row = agents::trusted(&self.file, value, command)?;
        let table: Vec<&str> = row.table.iter().map(String::as_str).collect();
        if toml::flag(&text, &table, "enabled").is_ok_and(|v| v == Some(false)) {
            return off(&config, "enabled = false");
        }
        if let Some(root) = &self.project
            && !root.ancestors().any(|dir| self.trusts(&text, dir))
        {
            let what = format!("{} does not trust {}: Codex skips its hooks", shown(&config), shown(root));
            return Some(
                self.finding(State::NotInTheWay, what).mend("start codex there, and trust the folder"),
            );
        }
        let mend = "exec-guardctl install --agent codex; or start codex, and review the hook";
        match toml::get(&text, &row.table, &row.key) {
            Ok(Some(hash)) if hash == row.value => None,
            Ok(Some(_)) => {
                let what = "the hook was changed since it was trusted: Codex skips it";
                Some(self.finding(State::NotInTheWay, what).mend(mend))
            }
            Ok(None) => {
                let what = format!("{} does not trust the hook: Codex skips it", shown(&config));
                Some(self.finding(State::NotInTheWay, what).mend(mend))
            }
            Err(why) => Some(self.not(format!("{} {why}", shown(&config)))),
        }
    }

    /// True if Codex's settings say that a folder is trusted.
    fn trusts(&self, config: &str, folder: &Path) -> bool {
        let table = ["projects".to_owned(), crate::install::text(folder)];
        toml::get(config, &table, "trust_level").is_ok_and(|level| level.as_deref() == Some("trusted"))
    }

    /// A probe through the guard of command lines that are its own; one no is enough for all of them.
    fn fire(&self, commands: &[&str]) -> Finding {
        let mut why = String::new();
        for line in commands {
            let guard = believe::command(self.spec.id, line, &self.guard, self.project.as_deref());
            match guard.and_then(|guard| probe(self.spec.id, &guard)) {
                Ok(()) => {
                    let what = format!("`{line}`, as {} has it, refuses a probe", shown(&self.file));
                    return self.finding(State::Live, what);
                }
                Err(e) => why = format!("`{line}`: {e}"),
            }
        }
        self.not(why)
    }

    /// A plugin: by its text, which is that of the installer, and the guard that it names. It is never loaded.
    fn plugin(&self, file: &Path, is: &str) -> Finding {
        let named = is.lines().find_map(|l| l.strip_prefix("const GUARD = ")?.strip_suffix(';'));
        let named = named.and_then(|l| serde_json::from_str::<PathBuf>(l).ok());
        let guard = named.as_deref().unwrap_or(&self.guard);
        let ours = self.spec.plugin(guard).unwrap_or_default();
        // Without the first line it is what somebody put there by hand.
        if is != ours && Some(is) != ours.split_once('\n').map(|(_, rest)| rest) {
            return self.not(format!("{} is not the plugin that is installed", shown(file)));
        }
        let guard = believe::program(guard, &self.guard, self.project.as_deref());
        match guard.and_then(|guard| probe(self.spec.id, guard).map(|()| guard)) {
            Ok(guard) => {
                let guard = shown(guard);
                let what = format!("{} is as it was installed, and {guard} refuses a probe", shown(file));
                self.finding(State::Live, what)
            }
            Err(why) => self.not(format!("{}: {why}", shown(file))),
        }
    }

    /// pi leaves out what its settings exclude.
    fn excluded(&self) -> Option<Finding> {
        if self.spec.id != "pi" {
            return None;
        }
        let (what, mend) = match super::idle::excluded(self.s, &self.file) {
            Ok(None) => return None,
            Ok(Some((file, entry))) => {
                (format!("{}: `{entry}` leaves our extension out", shown(&file)), "take it out of there")
            }
            Err((file, why)) => {
                (format!("{} {why}: what it leaves out is not known", shown(&file)), "mend that file")
            }
        };
        Some(self.finding(State::NotInTheWay, what).mend(mend))
    }

    /// OpenClaw: two entries in its settings, and the plugin.
    fn folder(&self, text: &str) -> Vec<Finding> {
        let folder = self.s.folder.join("openclaw");
        let file = shown(&self.file);
        let value = match text::value(text, true) {
            Ok(value) => value,
            Err(why) => return vec![self.not(format!("{file} {why}"))],
        };
        let listed = value.pointer("/plugins/load/paths").and_then(Value::as_array);
        let listed =
            listed.is_some_and(|l| l.iter().any(|p| p.as_str().map(Path::new) == Some(folder.as_path())));
        let enabled = value.pointer("/plugins/entries/exec-guard/enabled") == Some(&true.into())
            && value.pointer("/plugins/enabled") != Some(&false.into());
        if !listed || !enabled {
            return vec![self.not(format!("{file} does not load the plugin, or switches it off"))];
        }
        // A list of those that are allowed counts if there is anything in it; one that is denied is out in any case.
        let has = |list: &Value| list.as_array().is_some_and(|l| l.iter().any(|p| p == "exec-guard"));
        let empty = |list: &Value| list.is_null() || list.as_array().is_some_and(Vec::is_empty);
        let list = |key: &str| value.pointer(&format!("/plugins/{key}")).cloned().unwrap_or_default();
        let (allow, deny) = (list("allow"), list("deny"));
        let mend = match (has(&deny), empty(&allow) || has(&allow)) {
            (true, _) => Some(("plugins.deny", "take exec-guard out of it")),
            (false, false) => Some(("plugins.allow", "put \"exec-guard\" into it")),
            (false, true) => None,
        };
        if let Some((key, mend)) = mend {
            let what = format!("{file}: by `{key}` the plugin is not loaded");
            return vec![self.finding(State::NotInTheWay, what).mend(mend)];
        }
        for (name, ours) in agents::OPENCLAW.iter().filter(|(name, _)| name.ends_with(".json")) {
            let path = folder.join(name);
            if settings::text(&path).ok().as_deref() != Some(*ours) {
                return vec![self.not(format!("{} is not as it was installed", shown(&path)))];
            }
        }
        let index = folder.join("index.js");
        vec![match settings::text(&index) {
            Ok(text) => self.plugin(&index, &text),
            Err(why) => self.not(format!("{} {why}", shown(&index))),
        }]
    }
}
