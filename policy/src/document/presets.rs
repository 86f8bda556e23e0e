//! Ready policies. Each is two ordinary documents and carries examples by which it proves itself.
use std::sync::OnceLock;

use super::policy::Layer;
use super::{Approvals, Config};

/// One ready policy.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for the help.
    pub text: &'static str,
    /// Text of its `exec-approvals.json`.
    pub approvals: &'static str,
    /// Text of its `config.json`.
    pub config: &'static str,
}

macro_rules! preset {
    ($name:literal, $text:literal) => {
        Preset {
            name: $name,
            text: $text,
            approvals: include_str!(concat!("presets/", $name, "/exec-approvals.json")),
            config: include_str!(concat!("presets/", $name, "/config.json")),
        }
    };
}

/// The one that rules where there is none. By itself, so that the guard need not hold the others.
pub const CAUTIOUS: &Preset = &preset!("cautious", "a person is asked about everything that is not listed");

/// From strict to loose.
pub const PRESETS: &[Preset] = &[
    preset!("deny-all", "nothing runs and nobody is asked"),
    *CAUTIOUS,
    preset!("developer", "what developers run all day passes, the rest is asked about"),
    preset!("yolo", "everything runs"),
];

/// The preset of that name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name)
}

/// The documents of the preset that rules where there is none: *cautious*.
pub(crate) fn embedded() -> &'static Layer {
    static LAYER: OnceLock<Layer> = OnceLock::new();
    LAYER.get_or_init(|| {
        let p = CAUTIOUS;
        // If they could not be read the built-in values would rule, which are stricter; a test reads them.
        let approvals = Approvals::parse(p.approvals.as_bytes(), "preset cautious").ok();
        let config = Config::parse(p.config.as_bytes(), "preset cautious").ok();
        Layer::new(approvals, config)
    })
}
