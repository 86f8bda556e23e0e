//! `doctor`: is the guard really in the way? Each layer that is installed is tried as it is configured, by a command
//! that every policy denies; what answers otherwise is not there.
mod agents;
mod approver;
mod believe;
mod calls;
mod claude;
mod fire;
mod idle;
mod layers;
mod papers;
mod sandbox;

pub use agents::guards;
pub use idle::weak;
pub use sandbox::probe as tool_probe;

use serde_json::json;

use crate::cli::Doctor;
use crate::exit::{Exit, Failure};
use crate::install::manifest::Manifest;
use crate::install::plan::Surroundings;
use crate::say::{self, Page, Tint};

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A probe was sent through it and was denied.
    Live,
    /// Looked at, and as it should be.
    Fine,
    /// Works, but think about it.
    Doubt,
    /// It should guard and does not.
    NotInTheWay,
    /// It cannot work so.
    Broken,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Live => "live",
            State::Fine => "ok",
            State::Doubt => "note",
            State::NotInTheWay => "not in the way",
            State::Broken => "broken",
        }
    }

    fn is_bad(self) -> bool {
        matches!(self, State::NotInTheWay | State::Broken)
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What it is: `policy`, `shims`, `shell:bash`, `link:bash` …
    pub area: String,
    /// How it stands.
    pub state: State,
    /// One sentence.
    pub what: String,
    /// The command or the deed that mends it; empty if there is nothing to mend.
    pub mend: String,
}

impl Finding {
    fn new(area: impl Into<String>, state: State, what: impl Into<String>) -> Finding {
        Finding { area: area.into(), state, what: what.into(), mend: String::new() }
    }

    fn mend(mut self, how: impl Into<String>) -> Finding {
        self.mend = how.into();
        self
    }
}

/// Does it.
///
/// # Errors
/// There is nothing to look at: no home.
pub fn run(args: &Doctor) -> Result<Exit, Failure> {
    let s = Surroundings::of_process()?;
    let mut findings = papers::programs(&s);
    let manifest = match Manifest::read(&s.folder) {
        Ok(manifest) => manifest,
        Err(e) => {
            findings.push(Finding::new("manifest", State::Broken, e.what).mend(e.advice.unwrap_or_default()));
            Manifest::default()
        }
    };
    findings.extend(papers::policy());
    findings.extend(layers::installed(&s, &manifest));
    findings.extend(layers::shims(&s, &manifest));
    findings.extend(layers::shells(&s, &manifest));
    findings.extend(layers::links(&s, &manifest));
    findings.extend(agents::agents(&s, &manifest));
    for made in &manifest.made {
        findings.extend(made.left().into_iter().map(|(file, what)| {
            let what = format!("{} {what}", crate::install::shown(&file));
            Finding::new(made.part.clone(), State::Doubt, what)
                .mend("compare it with the settings, then remove it")
        }));
    }
    let layers = findings.iter().any(|f| f.state == State::Live || f.state == State::NotInTheWay);
    if !layers {
        let what = "`install` has put no layer here (links made by hand are not looked at): nothing passes the guard unless it is called";
        findings.push(Finding::new("layers", State::NotInTheWay, what).mend("exec-guardctl install --help"));
    }
    findings.extend(approver::approver(&manifest));
    findings.extend(sandbox::sandboxes());
    let bad = findings.iter().any(|f| f.state.is_bad());
    let mut page = Page::new();
    if args.json {
        page.json(&json!({
            "ok": !bad,
            "findings": findings.iter().map(|f| json!({
                "area": f.area, "state": f.state.word(), "what": f.what,
                "mend": if f.mend.is_empty() { None } else { Some(&f.mend) },
            })).collect::<Vec<_>>(),
        }));
    } else {
        for f in &findings {
            let tint = match f.state {
                State::Live | State::Fine => Tint::Green,
                State::Doubt => Tint::Yellow,
                State::NotInTheWay | State::Broken => Tint::Red,
            };
            page.tinted(tint, format!("{:<14} {:<14} {}", f.state.word(), f.area, f.what));
            if !f.mend.is_empty() {
                page.line(format!("{:30}mend: {}", "", f.mend));
            }
        }
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    if bad {
        if !args.json {
            say::word("something that should guard does not");
        }
        return Ok(Exit::Not);
    }
    Ok(Exit::Done)
}
