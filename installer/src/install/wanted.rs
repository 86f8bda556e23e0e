//! What a person asked to be installed, as the manifest keeps it.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::args::{Install, Names, Shell};

/// Parts of an installation. Two requests add up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Names of links.
    pub shims: BTreeSet<String>,
    /// Presets of names, by their word.
    pub presets: BTreeSet<String>,
    /// Shells whose PATH is changed, by their word.
    pub shells: BTreeSet<String>,
    /// Links named after shells.
    pub links: bool,
    /// Completions.
    pub completions: bool,
    /// Manual pages.
    pub man: bool,
    /// Units of systemd.
    pub units: bool,
    /// Agents, by their word; with a project's folder behind a blank where its own file is meant.
    pub agents: BTreeSet<String>,
    /// Folder of copies of the programs.
    pub programs: Option<PathBuf>,
}

impl Wanted {
    /// What the command line asks for.
    pub fn of(args: &Install) -> Wanted {
        let word = |v: &dyn Fn() -> Option<clap::builder::PossibleValue>| {
            v().map(|p| p.get_name().to_owned()).unwrap_or_default()
        };
        Wanted {
            shims: args.shims.iter().cloned().collect(),
            presets: args.preset.iter().map(|p| word(&|| p.to_possible_value())).collect(),
            shells: args.shell.iter().map(|s| word(&|| s.to_possible_value())).collect(),
            links: args.links,
            completions: args.completions,
            man: args.man,
            units: args.units,
            agents: BTreeSet::new(),
            // In another folder it would be another one.
            programs: args.programs.clone().map(|dir| match std::env::current_dir() {
                Ok(here) if dir.is_relative() && !dir.starts_with("~") => here.join(dir),
                _ => dir,
            }),
        }
    }

    /// Both together.
    pub fn and(mut self, other: Wanted) -> Wanted {
        self.shims.extend(other.shims);
        self.presets.extend(other.presets);
        self.shells.extend(other.shells);
        self.links |= other.links;
        self.completions |= other.completions;
        self.man |= other.man;
        self.units |= other.units;
        self.agents.extend(other.agents);
        self.programs = other.programs.or(self.programs);
        self
    }

    /// Without these parts.
    pub fn without(mut self, part: &dyn Fn(&str) -> bool) -> Wanted {
        if part("shims") {
            self.shims.clear();
            self.presets.clear();
        }
        self.shells.retain(|s| !part(&format!("shell:{s}")));
        self.links &= !part("links");
        self.completions &= !part("completions");
        self.man &= !part("man");
        self.units &= !part("units");
        let agents = std::mem::take(&mut self.agents);
        self.agents = agents.into_iter().filter(|a| !part(&agent(a).part())).collect();
        self.programs = self.programs.filter(|_| !part("programs"));
        self
    }

    /// The presets.
    pub fn presets(&self) -> impl Iterator<Item = Names> {
        self.presets.iter().filter_map(|p| Names::from_str(p, false).ok())
    }

    /// The shells.
    pub fn shells(&self) -> impl Iterator<Item = Shell> {
        self.shells.iter().filter_map(|s| Shell::from_str(s, false).ok())
    }

    /// The agents.
    pub fn agents(&self) -> impl Iterator<Item = Agent<'_>> {
        self.agents.iter().map(|a| agent(a))
    }

    /// As the manifest keeps it.
    pub fn json(&self) -> Value {
        json!({
            "shims": self.shims, "presets": self.presets, "shells": self.shells,
            "links": self.links, "completions": self.completions, "man": self.man, "units": self.units,
            "agents": self.agents,
            "programs": self.programs.as_deref().map(super::text),
        })
    }

    /// From the manifest.
    pub fn parse(value: &Value) -> Option<Wanted> {
        let words = |name: &str| -> Option<BTreeSet<String>> {
            value.get(name)?.as_array()?.iter().map(|v| v.as_str().map(str::to_owned)).collect()
        };
        let flag = |name: &str| value.get(name).and_then(Value::as_bool);
        Some(Wanted {
            shims: words("shims")?,
            presets: words("presets")?,
            shells: words("shells")?,
            links: flag("links")?,
            completions: flag("completions")?,
            man: flag("man")?,
            units: flag("units")?,
            // Manifests of before there was this have none.
            agents: words("agents").unwrap_or_default(),
            programs: value
                .get("programs")
                .and_then(Value::as_str)
                .map(PathBuf::from)
                .filter(|dir| dir.is_absolute() || dir.starts_with("~")),
        })
    }
}

/// An agent that is wanted, for a person or for a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent<'a> {
    /// Its id.
    pub id: &'a str,
    /// The project's folder.
    pub project: Option<&'a Path>,
}

impl Agent<'_> {
    /// The part of an installation that it is.
    pub fn part(&self) -> String {
        super::agents::part(self.id, self.project)
    }

    /// As it is kept.
    pub fn word(&self) -> String {
        self.project.map_or_else(|| self.id.to_owned(), |p| format!("{} {}", self.id, super::text(p)))
    }
}

fn agent(word: &str) -> Agent<'_> {
    match word.split_once(' ') {
        Some((id, project)) => Agent { id, project: Some(Path::new(project)) },
        None => Agent { id: word, project: None },
    }
}
