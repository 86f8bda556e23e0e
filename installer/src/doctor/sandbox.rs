//! The sandboxes of `tool bash`: which work here, and does what runs in them stay inside?
//!
//! Each is tried by a process of its own (`tool-probe`), since whoever watches a command in a sandbox adopts what that
//! leaves behind.
use serde_json::{Value, json};
use tools::config::{Sandbox, Settings};
use tools::probe::{Seen, fire};
use tools::sandbox::NAMES;

use super::fire as run;
use super::{Finding, State};
use crate::exit::{Exit, Failure};
use crate::say::Page;

/// Tries one, for [`sandboxes`]: what was seen as JSON.
///
/// # Errors
/// There is no folder for a file that must not be read, or the result cannot be written.
pub fn probe(name: &str) -> Result<Exit, Failure> {
    let state = crate::approvals::state().ok_or_else(|| Failure::trouble("there is no folder for state"))?;
    // With settings that cannot be used no tool runs, which is told elsewhere.
    let seen = fire(
        name,
        &settings().unwrap_or_else(|| Settings::default().sandbox),
        &sys::environ::entries(),
        &state,
    );
    let (word, why) = match seen {
        Seen::Holds => ("holds", None),
        Seen::Leaks => ("leaks", None),
        Seen::Absent => ("absent", None),
        Seen::Broken(why) => ("broken", Some(why)),
    };
    let mut page = Page::new();
    page.json_line(&json!({"seen": word, "why": why}));
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(Exit::Done)
}

fn settings() -> Option<Sandbox> {
    let policy = store::load(&crate::approvals::places()).ok()?.policy;
    Some(Settings::of(&policy).ok()?.sandbox)
}

/// A finding for each sandbox.
pub fn sandboxes() -> Vec<Finding> {
    // Documents that cannot be used are told elsewhere.
    let Some(settings) = settings() else { return Vec::new() };
    if crate::approvals::state().is_none_or(|state| !state.is_dir()) {
        return Vec::new();
    }
    let seen: Vec<(&str, Seen)> = NAMES.iter().map(|name| (*name, ask(name))).collect();
    findings(&settings, &seen)
}

fn ask(name: &str) -> Seen {
    let broken = |what: &str| Seen::Broken(what.to_owned());
    let Ok(me) = std::env::current_exe() else { return broken("exec-guardctl cannot be found") };
    let said = match run::run(&me, &["tool-probe", name], b"") {
        Ok(said) if !said.late => said,
        Ok(_) => return broken("it does not end"),
        Err(e) => return Seen::Broken(e.to_string()),
    };
    let value: Value = serde_json::from_str(&said.stdout).unwrap_or_default();
    match value.get("seen").and_then(Value::as_str) {
        Some("holds") => Seen::Holds,
        Some("leaks") => Seen::Leaks,
        Some("absent") => Seen::Absent,
        _ => Seen::Broken(value.get("why").and_then(Value::as_str).unwrap_or("it broke off").to_owned()),
    }
}

fn findings(settings: &Sandbox, seen: &[(&str, Seen)]) -> Vec<Finding> {
    let wanted = |name: &str| match &settings.backend {
        _ if !settings.enabled => false,
        Some(only) => only == name,
        None => settings.container.enabled || !matches!(name, "docker" | "podman"),
    };
    // In the order in which calls try them.
    let used = seen.iter().find(|(name, seen)| wanted(name) && *seen == Seen::Holds).map(|(name, _)| *name);
    let mut out = Vec::new();
    for (name, seen) in seen {
        let named = settings.enabled && settings.backend.as_deref() == Some(*name);
        let finding = |state, what: String| Finding::new(format!("sandbox:{name}"), state, what);
        out.push(match seen {
            Seen::Holds if used == Some(*name) => {
                finding(State::Live, "works, and is what commands of tools run in".into())
            }
            Seen::Holds => finding(State::Live, "works: a secret could not be read in it".into()),
            Seen::Leaks => finding(State::NotInTheWay, "a command in it read a secret of yours".into())
                .mend("name another in security.sandbox.backend"),
            Seen::Absent if named => finding(State::Broken, "named in sandbox.backend, and not here".into())
                .mend("install it, or name another in security.sandbox.backend"),
            Seen::Absent => finding(State::Fine, "not here".into()),
            Seen::Broken(why) => {
                let state = if wanted(name) { State::Broken } else { State::Doubt };
                let what = format!("is there, and a command in it did not run: {why}");
                match *name {
                    "docker" | "podman" => {
                        finding(state, what).mend(format!("{name} pull {}", settings.container.image))
                    }
                    _ => finding(state, what),
                }
            }
        });
    }
    let none = match (settings.enabled, used) {
        (true, Some(_)) => None,
        (true, None) if settings.require || settings.backend.is_some() => {
            Some("none works: commands of tools are refused")
        }
        (true, None) => Some("none works: commands of tools run with nothing around them"),
        (false, _) => Some("sandbox.enabled is false: commands of tools run with nothing around them"),
    };
    out.extend(none.map(|what| {
        Finding::new("sandbox", State::Doubt, what)
            .mend("install bubblewrap, and set security.sandbox.require")
    }));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sandbox(change: impl Fn(&mut Sandbox)) -> Sandbox {
        let mut sandbox = Settings::default().sandbox;
        change(&mut sandbox);
        sandbox
    }

    #[test]
    fn what_is_said_of_each() {
        let broken = || Seen::Broken("no image".into());
        let (plain, container) = (sandbox(|_| {}), sandbox(|s| s.container.enabled = true));
        let named = sandbox(|s| s.backend = Some("podman".into()));
        let off = sandbox(|s| s.enabled = false);
        for (settings, seen, want) in [
            (&plain, [Seen::Holds, Seen::Absent, Seen::Holds, Seen::Holds], ["live", "ok", "live", "live"]),
            (
                &plain,
                [broken(), Seen::Absent, Seen::Leaks, Seen::Holds],
                ["note", "ok", "not in the way", "live"],
            ),
            (
                &container,
                [broken(), Seen::Absent, Seen::Holds, Seen::Holds],
                ["broken", "ok", "live", "live"],
            ),
            (&named, [Seen::Absent, Seen::Absent, Seen::Holds, broken()], ["ok", "broken", "live", "note"]),
            (&off, [Seen::Absent, Seen::Absent, Seen::Holds, Seen::Holds], ["ok", "ok", "live", "live"]),
        ] {
            let seen: Vec<(&str, Seen)> = NAMES.iter().copied().zip(seen).collect();
            let found = findings(settings, &seen);
            let words: Vec<&str> = found.iter().take(4).map(|f| f.state.word()).collect();
            assert_eq!(words, want, "{found:?}");
            let used: Vec<&str> = found
                .iter()
                .filter(|f| f.what.contains("commands of tools run in"))
                .map(|f| &*f.area)
                .collect();
            let expected: &[&str] = match (settings.enabled, &settings.backend, settings.container.enabled) {
                (false, ..) | (_, Some(_), _) => &[],
                (.., true) => &["sandbox:bubblewrap"],
                _ if seen[2].1 == Seen::Holds => &["sandbox:bubblewrap"],
                _ => &["sandbox:landlock"],
            };
            assert_eq!(used, expected, "{found:?}");
            assert_eq!(found.len() == 5, expected.is_empty(), "{found:?}");
        }
    }
}
