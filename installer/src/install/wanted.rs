//! What a person asked to be installed, as the manifest keeps it.
use std::collections::BTreeSet;
use std::path::PathBuf;

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
            programs: args.programs.clone(),
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

    /// As the manifest keeps it.
    pub fn json(&self) -> Value {
        json!({
            "shims": self.shims, "presets": self.presets, "shells": self.shells,
            "links": self.links, "completions": self.completions, "man": self.man, "units": self.units,
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
            programs: value.get("programs").and_then(Value::as_str).map(PathBuf::from),
        })
    }
}
