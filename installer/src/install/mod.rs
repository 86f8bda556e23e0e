//! `install`, `uninstall`, `refresh`: a plan is made without touching anything, shown or carried out, and can be taken
//! back by the manifest that is written first.
pub mod agents;
pub mod args;
mod block;
pub mod discover;
pub mod manifest;
mod names;
pub mod plan;
mod step;
mod wanted;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;

use self::args::{Install, Refresh, Uninstall};
use self::manifest::Manifest;
use self::plan::{Plan, Surroundings};
use self::step::{State, Undone};
use self::wanted::Wanted;
use crate::cli::{Init, Preset};
use crate::exit::{Exit, Failure};
use crate::say::{self, Page};

pub use protocol::shown;

/// A path that is known to be text.
pub fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// `install`.
///
/// # Errors
/// Something is in the way, and nothing was done; or a change failed, and those before it are made.
pub fn install(args: &Install) -> Result<Exit, Failure> {
    let s = Surroundings::of_process()?;
    s.one_home()?;
    let old = Manifest::read(&s.folder)?;
    let mut asked = Wanted::of(args);
    asked.agents = agents_asked(args, &s)?;
    let wanted = old.wanted.clone().and(asked);
    carry_out(&s, old, wanted, Some(args.policy), args.dry_run, args.json)
}

/// The agents that the command line names, `all-found` as those that are here.
fn agents_asked(args: &Install, s: &Surroundings) -> Result<BTreeSet<String>, Failure> {
    let project = match args.project {
        true => {
            let here =
                std::env::current_dir().map_err(|e| Failure::trouble(format!("the working folder: {e}")))?;
            if here.to_str().is_none_or(|p| p.chars().any(char::is_control)) {
                return Err(Failure::trouble(format!("{}: cannot stand in the manifest", shown(&here))));
            }
            Some(here)
        }
        false => None,
    };
    let mut ids: Vec<&str> = Vec::new();
    for word in &args.agent {
        if word == "all-found" {
            let found =
                agents::AGENTS.iter().filter(|a| a.is_here(s) && (project.is_none() || a.project.is_some()));
            ids.extend(found.map(|a| a.id));
        } else {
            ids.push(word);
        }
    }
    if ids.is_empty() && !args.agent.is_empty() {
        return Err(Failure::not("no agent is found here, in PATH or by its folder in the home"));
    }
    Ok(ids.into_iter().map(|id| wanted::Agent { id, project: project.as_deref() }.word()).collect())
}

/// `refresh`.
///
/// # Errors
/// As [`install`]; nothing is installed.
pub fn refresh(args: &Refresh) -> Result<Exit, Failure> {
    let s = Surroundings::of_process()?;
    s.one_home()?;
    let old = Manifest::read(&s.folder)?;
    if old.made.is_empty() {
        return Err(Failure::not("nothing is installed").advise("exec-guardctl install --help"));
    }
    let wanted = old.wanted.clone();
    carry_out(&s, old, wanted, None, args.dry_run, args.json)
}

/// Makes the first documents where none rule.
fn first_policy(preset: Preset, dry_run: bool) -> Result<(), Failure> {
    let places = crate::approvals::places();
    if !crate::approvals::load(&places)?.policy.is_embedded() {
        return Ok(());
    }
    if dry_run {
        say::word(format!("would make the first policy: exec-guardctl init --preset {}", preset.name()));
        return Ok(());
    }
    crate::init::run(&Init { preset, dry_run: false, force: false }).map(|_| ())
}

fn carry_out(
    s: &Surroundings,
    old: Manifest,
    wanted: Wanted,
    policy: Option<Preset>,
    dry: bool,
    json: bool,
) -> Result<Exit, Failure> {
    let lock = if dry { None } else { Some(manifest::lock(&s.folder)?) };
    // What another run did while we waited counts.
    let old = if lock.is_some() { Manifest::read(&s.folder)? } else { old };
    let mut plan = plan::plan(&wanted, s, &old)?;
    leave_theirs(&mut plan, &s.guard(&wanted));
    let looks: Vec<State> = plan.steps.iter().map(|step| step.look(old.of(&step.path))).collect();
    let blocked: Vec<String> = plan
        .steps
        .iter()
        .zip(&looks)
        .filter_map(|(step, state)| match state {
            State::InTheWay(why) => Some(format!("{}: {why}", shown(&step.path))),
            _ => None,
        })
        .collect();
    // What is there as an agent wants it and was not made here, written by hand perhaps: ours from now on.
    let found: Vec<&step::Step> = plan
        .steps
        .iter()
        .zip(&looks)
        .filter(|(step, state)| {
            let entry = !matches!(step.what, step::What::Folder(_)) && step.part.starts_with("agent:");
            entry && **state == State::Done && old.of(&step.path).is_none()
        })
        .map(|(step, _)| step)
        .collect();
    let todo: Vec<_> = plan
        .steps
        .iter()
        .zip(&looks)
        .filter(|(_, state)| matches!(state, State::Missing | State::Older))
        .map(|(step, _)| step)
        .collect();
    // What an earlier run made and nobody wants now: a link whose program is gone; what somebody else removed already.
    let gone = |m: &step::Made| std::fs::symlink_metadata(&m.path).is_err();
    let stale: Vec<_> = old
        .made
        .iter()
        .filter(|m| gone(m) || (m.part == "shims" && matches!(m.kind, step::Kind::Link(_))))
        .filter(|m| !plan.steps.iter().any(|step| step.path == m.path))
        .cloned()
        .collect();
    let mut page = Page::new();
    if json {
        page.json(&json!({
            "dryRun": dry,
            "steps": plan.steps.iter().zip(&looks).map(|(step, state)| json!({
                "part": step.part, "path": text(&step.path), "does": step.words(),
                "state": match state {
                    State::Done => "done", State::Missing => "to do", State::Older => "to renew",
                    State::InTheWay(_) => "in the way",
                },
                "why": match state { State::InTheWay(why) => Some(why), _ => None },
            })).collect::<Vec<_>>(),
            "removes": stale.iter().map(|m| text(&m.path)).collect::<Vec<_>>(),
            "notes": plan.notes,
        }));
    } else {
        for line in summary(&todo) {
            page.line(format!("{}{line}", if dry { "would " } else { "" }));
        }
        for step in todo.iter().filter(|_| dry) {
            let lines = step.difference();
            if !lines.is_empty() {
                page.line(format!("  {}:", shown(&step.path)));
                lines.iter().for_each(|l| page.line(l));
            }
        }
        for made in stale.iter().filter(|m| !gone(m)) {
            page.line(format!("{}{}", if dry { "would " } else { "" }, made.words()));
        }
    }
    if !blocked.is_empty() {
        for line in &blocked {
            say::word(line);
        }
        return Err(Failure::not("in the way; nothing was done")
            .advise("mend these, or move them away, and install again"));
    }
    // Behind the last look: before it nothing is made.
    if let Some(preset) = policy {
        first_policy(preset, dry)?;
    }
    if !dry {
        let record = [todo.as_slice(), &found].concat();
        apply(s, old, wanted, &plan, (&todo, &record), &stale)?;
    }
    if !json && todo.is_empty() && stale.is_empty() {
        page.line("all of it is there already");
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    tell_left(&Manifest::read(&s.folder)?.made);
    if !json {
        for note in &plan.notes {
            say::word(note);
        }
        if !dry {
            say::word(
                "`exec-guardctl doctor` tells whether it is in the way; `exec-guardctl uninstall` takes it back",
            );
        }
    }
    Ok(Exit::Done)
}

/// Names what a run that was killed left beside settings and nobody but a person removes.
fn tell_left(made: &[step::Made]) {
    for (file, what) in made.iter().flat_map(step::Made::left) {
        say::word(format!("{}: {what}: compare it with the settings, then remove it", shown(&file)));
    }
}

/// Takes out of a plan what stands there already by somebody else's hand: a hook by another path that says no to a
/// probe. It is left as it is, now and when ours is taken out; one that does not guard gets ours beside it. Nothing that
/// a settings file names is run for that, unless it is the guard itself.
fn leave_theirs(plan: &mut Plan, guard: &Path) {
    let found: Vec<_> =
        plan.steps.iter().filter_map(|s| Some((s.part.clone(), shown(&s.path), s.theirs()?))).collect();
    for (part, path, hook) in found {
        let mut words = part.splitn(3, ':').skip(1);
        let (id, project) = (words.next().unwrap_or_default(), words.next().map(Path::new));
        let command = agents::json::command(&hook).unwrap_or_default();
        match crate::doctor::guards(id, &hook, guard, project) {
            Ok(()) => {
                plan.steps.retain(|step| step.part != part);
                let what = "was not put there by this program and guards: it is left as it is, and ours is not put beside it";
                plan.notes.push(format!("{path}: `{command}` {what}"));
            }
            Err(why) => {
                let what = "was not put there by this program and does not guard: it is left, and ours stands beside it";
                plan.notes.push(format!("{path}: `{command}` {what} ({why})"));
            }
        }
    }
}

/// The steps in words, many links of one folder as one line.
fn summary(todo: &[&step::Step]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut links: Vec<(&Path, Vec<String>)> = Vec::new();
    for step in todo {
        match (&step.what, step.path.parent(), step.path.file_name()) {
            (step::What::Link(to), Some(folder), Some(name)) if to.ends_with("exec-guard") => {
                let name = name.to_string_lossy().into_owned();
                match links.iter_mut().find(|(f, _)| *f == folder) {
                    Some((_, names)) => names.push(name),
                    None => links.push((folder, vec![name])),
                }
            }
            _ => lines.push(step.words()),
        }
    }
    for (folder, names) in links {
        lines.push(format!("link {} in {}: {}", names.len(), shown(folder), names.join(" ")));
    }
    lines
}

fn apply(
    s: &Surroundings,
    mut manifest: Manifest,
    wanted: Wanted,
    plan: &Plan,
    (todo, record): (&[&step::Step], &[&step::Step]),
    stale: &[step::Made],
) -> Result<(), Failure> {
    manifest.wanted = wanted;
    for step in record {
        // Before it is made: whether a file was made for our lines is seen only now.
        manifest.add(step.record());
    }
    if plan.steps.is_empty() && manifest.made.is_empty() {
        return Ok(());
    }
    manifest.write(&s.folder)?;
    manifest.made.iter().for_each(step::Made::tidy);
    for step in todo {
        step.make().map_err(|e| {
            Failure::trouble(format!("{}: {e}", shown(&step.path))).advise(
                "what came before it is done; install again goes on from here, uninstall takes it back",
            )
        })?;
    }
    for made in stale {
        made.undo(false).map_err(|e| Failure::trouble(format!("{}: {e}", shown(&made.path))))?;
        manifest.made.retain(|m| m != made);
    }
    if stale.is_empty() { Ok(()) } else { manifest.write(&s.folder) }
}

/// `uninstall`.
///
/// # Errors
/// A part is not known; something could not be taken back, and the manifest still names it.
pub fn uninstall(args: &Uninstall) -> Result<Exit, Failure> {
    const PARTS: &[&str] = &["shims", "shell", "links", "completions", "man", "units", "programs", "agent"];
    let parts: Vec<String> =
        args.parts.iter().cloned().chain(args.agent.iter().map(|a| format!("agent:{a}"))).collect();
    for part in &parts {
        let head = part.split(':').next().unwrap_or_default();
        if !PARTS.contains(&head) {
            let what = format!("{}: no part; there are {}", shown(Path::new(part)), PARTS.join(", "));
            return Err(Failure::usage(what));
        }
    }
    let chosen = |part: &str| {
        parts.is_empty()
            || parts
                .iter()
                .any(|p| part == p || part.strip_prefix(p.as_str()).is_some_and(|r| r.starts_with(':')))
    };
    let s = Surroundings::of_process()?;
    s.one_home()?;
    let folder: PathBuf = s.folder;
    if !folder.is_dir() {
        return Err(Failure::not("nothing is installed"));
    }
    let _lock = if args.dry_run { None } else { Some(manifest::lock(&folder)?) };
    let mut manifest = Manifest::read(&folder)?;
    let goes: Vec<step::Made> = manifest.made.iter().rev().filter(|m| chosen(&m.part)).cloned().collect();
    let rest = manifest.wanted.clone().without(&chosen);
    if goes.is_empty() && rest == manifest.wanted {
        return Err(Failure::not("nothing of that is installed"));
    }
    let (mut page, mut rows, mut failed) = (Page::new(), Vec::new(), Vec::new());
    for made in &goes {
        match made.undo(args.dry_run) {
            Ok(undone @ (Undone::Gone | Undone::Kept(_))) => {
                if let Undone::Kept(what) = &undone {
                    say::word(format!("{}: {what}", shown(&made.path)));
                }
                rows.push(json!({"path": text(&made.path), "does": made.words(), "left": null}));
                page_line(
                    &mut page,
                    args,
                    format!("{}{}", if args.dry_run { "would " } else { "" }, made.words()),
                );
            }
            Ok(Undone::Nothing) => {}
            Ok(Undone::Left(why)) => {
                rows.push(json!({"path": text(&made.path), "does": null, "left": why}));
                // A folder that others use as well is no news.
                if !matches!(made.kind, step::Kind::Folder) {
                    say::word(format!("{} is left as it is: it {why}", shown(&made.path)));
                }
            }
            Err(e) => {
                failed.push(made.clone());
                say::word(format!("{}: {e}", shown(&made.path)));
            }
        }
    }
    tell_left(&goes);
    if args.json {
        page.json(&json!({"dryRun": args.dry_run, "steps": rows}));
    }
    if !args.dry_run {
        manifest.made.retain(|m| !chosen(&m.part) || failed.contains(m));
        // A folder that another part came to use goes with that.
        for folder in goes.iter().filter(|m| matches!(m.kind, step::Kind::Folder) && m.path.exists()) {
            let user =
                manifest.made.iter().find(|m| m.path != folder.path && m.path.starts_with(&folder.path));
            if let Some(part) = user.map(|m| m.part.clone()) {
                manifest.made.insert(0, step::Made { part, ..folder.clone() });
            }
        }
        manifest.wanted = rest;
        manifest.write(&folder)?;
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    if failed.is_empty() {
        if !args.json && parts.is_empty() && !args.dry_run {
            if let Some(pid) = crate::approver::running() {
                say::word(format!(
                    "the approver is still running, as process {pid}: exec-guardctl approver stop, or kill {pid}"
                ));
            }
            say::word(format!(
                "policy and journal stay in {}; remove the folder if you are done with them",
                shown(&folder)
            ));
        }
        Ok(Exit::Done)
    } else {
        Err(Failure::trouble("not all of it could be taken back").advise("mend that, and uninstall again"))
    }
}

fn page_line(page: &mut Page, args: &Uninstall, line: String) {
    if !args.json {
        page.line(line);
    }
}
