//! Layers that stand between a caller and a program, each tried as it is.
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::fire;
use super::{Finding, State};
use crate::install::discover::Programs;
use crate::install::manifest::Manifest;
use crate::install::plan::Surroundings;
use crate::install::shown;

/// What was installed and is not as it was.
pub fn installed(_: &Surroundings, manifest: &Manifest) -> Vec<Finding> {
    let gone = manifest.made.iter().filter(|m| std::fs::symlink_metadata(&m.path).is_err());
    gone.map(|m| {
        let what = format!("{} was installed and is gone", shown(&m.path));
        Finding::new(m.part.clone(), State::NotInTheWay, what).mend("exec-guardctl refresh")
    })
    .collect()
}

/// The links in front of programs: first in PATH, and really the guard?
pub fn shims(s: &Surroundings, manifest: &Manifest) -> Vec<Finding> {
    let folder = s.shims();
    let names = links_in(&folder);
    if names.is_empty() {
        return Vec::new();
    }
    let area = "shims";
    let guard = s.guard(&manifest.wanted);
    let path = Programs::new(&s.path, &[], &guard);
    let on_path = s.path.split(|b| *b == b':').any(|f| f == folder.as_os_str().as_bytes());
    if !on_path {
        let what = format!("{} is not in this PATH: its {} links are passed by", shown(&folder), names.len());
        let mend = if manifest.wanted.shells.is_empty() {
            "exec-guardctl install --shell bash (zsh, fish), and start a new shell; or set PATH where the agent is started"
        } else {
            "start a new shell; or set PATH where the agent is started"
        };
        return vec![Finding::new(area, State::NotInTheWay, what).mend(mend)];
    }
    let (mut live, mut out) = (0, Vec::new());
    for name in names {
        let link = folder.join(&name);
        if std::fs::metadata(&link).is_err() {
            let to = std::fs::read_link(&link).map(|to| shown(&to)).unwrap_or_default();
            let what = format!("{name}: {} leads to {to}, where nothing is", shown(&link));
            out.push(Finding::new(area, State::NotInTheWay, what).mend("exec-guardctl refresh"));
            continue;
        }
        let first = path.first(&name);
        let found = match &first {
            Some(first) if path.is_guard(first) => first.clone(),
            Some(first) => {
                let what = format!("{name}: PATH finds {} first", shown(first));
                let mend = format!("put {} first in PATH", shown(&folder));
                out.push(Finding::new(area, State::NotInTheWay, what).mend(mend));
                continue;
            }
            None => {
                let what = format!("{name}: {} does not lead to a program", shown(&folder.join(&name)));
                out.push(Finding::new(area, State::Broken, what).mend("exec-guardctl refresh"));
                continue;
            }
        };
        // Only what is known to be the guard is started: another program might do something with the word.
        match fire::probe().and_then(|probe| fire::must_refuse(&found, &[probe], b"", fire::refused)) {
            Ok(()) => live += 1,
            Err(why) => out.push(
                Finding::new(area, State::NotInTheWay, format!("{name}: {why}"))
                    .mend("exec-guardctl refresh"),
            ),
        }
    }
    if live > 0 {
        let what = format!("{live} names in {} refuse a probe", shown(&folder));
        out.insert(0, Finding::new(area, State::Live, what));
    }
    out
}

/// New shells: do they find the guard first?
pub fn shells(s: &Surroundings, manifest: &Manifest) -> Vec<Finding> {
    let Some(name) = links_in(&s.shims()).into_iter().next() else { return Vec::new() };
    let behind = s.outside();
    let mut out = Vec::new();
    for shell in &manifest.wanted.shells {
        let area = format!("shell:{shell}");
        let Some(program) = behind.find(shell) else {
            out.push(Finding::new(area, State::Doubt, format!("{shell} is not in PATH")));
            continue;
        };
        // As it starts in a terminal, with what its start-up files say of PATH.
        let said = fire::run(&program, &["-i", "-c", &format!("command -v {name}")], b"");
        let want = s.shims().join(&name);
        let hit = said.as_ref().ok().and_then(|s| s.stdout.lines().last().map(str::to_owned));
        out.push(match hit {
            Some(hit) if Path::new(&hit) == want => {
                Finding::new(area, State::Live, format!("a new {shell} finds {}", shown(&want)))
            }
            hit => {
                let got = hit.filter(|h| !h.is_empty()).unwrap_or_else(|| "nothing".into());
                let what = format!("a new {shell} finds {got} for {name}, not {}", shown(&want));
                let mend = format!(
                    "exec-guardctl install --shell {shell}; then look what changes PATH after our lines"
                );
                Finding::new(area, State::NotInTheWay, what).mend(mend)
            }
        });
    }
    out
}

/// The links named after shells: do they judge text?
pub fn links(s: &Surroundings, _: &Manifest) -> Vec<Finding> {
    let folder = s.links();
    links_in(&folder)
        .into_iter()
        .map(|name| {
            let area = format!("link:{name}");
            let path = folder.join(&name);
            // Harmless in any shell: `:` does nothing.
            let fired = fire::probe().and_then(|probe| {
                fire::must_refuse(&path, &["-c".to_owned(), format!(": {probe}")], b"", fire::refused)
            });
            match fired {
                Ok(()) => {
                    let mut what = format!("{} refuses a probe", shown(&path));
                    if !named(&path) {
                        // An agent may be told of it elsewhere.
                        what.push_str(", for whoever starts it: neither SHELL nor PATH names it here");
                    }
                    Finding::new(area, State::Live, what)
                }
                Err(why) => {
                    let what = format!("{}: {why}", shown(&path));
                    Finding::new(area, State::NotInTheWay, what).mend("exec-guardctl refresh")
                }
            }
        })
        .collect()
}

/// True if the environment leads to this link: by `SHELL`, or as the first of its name in `PATH`.
fn named(link: &Path) -> bool {
    let value = |name: &str| std::env::var_os(name).unwrap_or_default();
    let first = |folder: &PathBuf| link.file_name().is_some_and(|name| folder.join(name).exists());
    Path::new(&value("SHELL")) == link
        || std::env::split_paths(&value("PATH")).find(first).as_deref() == link.parent()
}

/// Names in a folder of links.
fn links_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|e| -> PathBuf { e.path() })
        .filter(|p| p.is_symlink())
        .filter_map(|p| p.file_name().and_then(OsStr::to_str).map(str::to_owned))
        .filter(|n| !n.ends_with(".tmp"))
        .collect();
    names.sort();
    names
}
