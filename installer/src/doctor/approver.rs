//! The approver: does it answer, and where the guards ask?
use super::{Finding, State};
use crate::approver::ask;
use crate::install::manifest::Manifest;
use crate::install::shown;
use crate::operator::{Address, Trouble};

const AREA: &str = "approver";

/// Looks for it. Nothing is said where none was ever started, and none is to be.
pub fn approver(manifest: &Manifest) -> Option<Finding> {
    // Documents that cannot be read are told elsewhere.
    let address = Address::known().ok()?;
    let state = crate::approvals::state()?;
    let start = "exec-guardctl approver start";
    let dead = |what: String| Some(Finding::new(AREA, State::Broken, what).mend(start));
    match ask(&address) {
        Ok(status) => {
            let policy = store::load(&crate::approvals::places()).ok()?.policy;
            let asked = policy.settings("main").socket.path;
            let what = format!("answers operators, and is asked at {}", status.socket);
            match asked {
                // Where the documents name no place it is the usual one.
                Some(path) if !same(&path, &status.socket) => {
                    let what = format!("it is asked at {}, the documents say {path}", status.socket);
                    dead(what).map(|f| f.mend("exec-guardctl approver stop; exec-guardctl approver start"))
                }
                _ if !reached(&status.socket) => dead(format!("{} leads to nobody", status.socket)),
                // It holds questions and takes answers, and is not all that it was told to be.
                _ if !status.faults.is_empty() => dead(status.faults.join("; "))
                    .map(|f| f.mend("exec-guardctl approver stop; exec-guardctl approver start")),
                _ => Some(Finding::new(AREA, State::Live, what)),
            }
        }
        Err(Trouble::Absent(path)) => {
            let left = std::fs::symlink_metadata(&path).is_ok();
            let ran = state.join("approver").is_dir();
            if manifest.wanted.units {
                dead(format!("{}: its units are installed, and nobody listens", shown(&path))).map(|f| {
                    f.mend("systemctl --user start exec-guard-operator.socket exec-guard-approver.socket")
                })
            } else if left {
                dead(format!("{} is there and nobody listens: it was ended, not stopped", shown(&path)))
            } else if ran {
                let what = "none is running: where there is no terminal, what would be asked is refused";
                Some(Finding::new(AREA, State::Doubt, what).mend(start))
            } else {
                None
            }
        }
        Err(Trouble::Refused(code, detail)) => {
            dead(format!("it refuses operators: {} {}", code.word(), detail.unwrap_or_default()))
        }
        Err(Trouble::Ended(e)) => dead(format!("it does not answer: {e}")),
        Err(Trouble::Other(what)) => dead(what),
    }
}

/// The same place, by a path or through a home.
fn same(said: &str, is: &str) -> bool {
    let real = |p: &str| std::fs::canonicalize(p).ok();
    said == is || said.starts_with("~/") || (real(said).is_some() && real(said) == real(is))
}

fn reached(path: &str) -> bool {
    std::os::unix::net::UnixStream::connect(path).is_ok()
}
