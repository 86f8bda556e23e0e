//! Judging without running: the evaluator of exec-guard, given what `exec-guard check` would give it.
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use policy::document::{Approvals, Config, Layer, Policy};
use policy::{Decision, Evaluation, FileId, Form, Guard, Invocation, World, decide};
use protocol::Shown;
use store::Places;
use sys::world::Host;

use crate::cli::Preset;
use crate::exit::Failure;

/// A policy and a caller, ready to judge. Having one tells you that every document in force was read and understood.
pub struct Court {
    /// What rules.
    pub policy: Policy,
    /// Where records of what happened lie; `None` if there is no place.
    pub state: Option<PathBuf>,
    agents: Vec<String>,
    unattended: bool,
    env: Vec<Vec<u8>>,
    here: Option<Vec<u8>>,
    home: Option<Vec<u8>>,
    guard: Guard,
    /// The guard's program, if it is there.
    exe: Option<FileId>,
}

impl Court {
    /// With the documents in force, and whoever calls: `agent` is what the command line claims.
    ///
    /// # Errors
    /// A document cannot be used; the environment claims an agent that can be none.
    pub fn of_caller(agent: Option<String>) -> Result<Court, Failure> {
        let env = sys::environ::entries();
        let places = Places::known(&env).map_err(|e| Failure::trouble(e.to_string()))?;
        let loaded = crate::approvals::load(&places)?;
        let settings = loaded.policy.settings("main");
        let signs = store::caller::signs(&settings);
        let caller = store::caller::caller(agent, None, &env, &signs, settings.tty)
            .map_err(|e| Failure::usage(format!("{} holds what can be no id", e.0)))?;
        let folders = [places.named.clone(), places.user_folder(), Some(places.system.clone())];
        let bytes = |p: &Path| p.as_os_str().as_bytes().to_vec();
        Ok(Court {
            policy: loaded.policy,
            state: loaded.state,
            agents: caller.agents,
            unattended: caller.terminal.is_err(),
            here: sys::environ::cwd(),
            home: places.home.as_deref().map(bytes),
            exe: guard().as_deref().and_then(sys::world::identity),
            guard: Guard { own_paths: folders.iter().flatten().map(|p| bytes(p)).collect() },
            env,
        })
    }

    /// The same under the documents of another folder in place of the user's.
    ///
    /// # Errors
    /// They cannot be read or are not understood.
    pub fn under(mut self, folder: &Path) -> Result<Court, Failure> {
        self.policy = store::locate::trial(self.policy, folder).map_err(|e| Failure::usage(e.to_string()))?;
        Ok(self)
    }

    /// The same under a preset in place of the user's documents.
    ///
    /// # Errors
    /// The preset is broken, which a test rules out.
    pub fn under_preset(mut self, preset: Preset) -> Result<Court, Failure> {
        let broken = |e: String| Failure::trouble(format!("preset {}: {e}", preset.name()));
        let p = policy::document::preset(preset.name()).ok_or_else(|| broken("not there".into()))?;
        let name = format!("preset {}", p.name);
        let approvals = Approvals::parse(p.approvals.as_bytes(), &name).map_err(|e| broken(e.to_string()))?;
        let config = Config::parse(p.config.as_bytes(), &name).map_err(|e| broken(e.to_string()))?;
        self.policy = self.policy.with_owner(Layer::new(Some(approvals), Some(config)));
        Ok(self)
    }

    /// The user's home.
    pub fn home(&self) -> Option<&[u8]> {
        self.home.as_deref()
    }

    /// Someone claims to want to run this, here or in another folder.
    pub fn invocation(&self, form: Form, cwd: Option<Vec<u8>>) -> Invocation {
        Invocation {
            form,
            env: self.env.clone(),
            cwd: cwd.or_else(|| self.here.clone()),
            agents: self.agents.clone(),
            session: None,
            now_ms: sys::time::now_ms(),
            home: self.home.clone(),
            unattended: self.unattended,
            guard: self.guard.clone(),
        }
    }

    /// The same for another agent, with nobody at a terminal.
    pub fn invocation_of(&self, agent: &str, form: Form, cwd: Option<Vec<u8>>) -> Invocation {
        let agents = vec![agent.to_owned()];
        Invocation { agents, unattended: true, ..self.invocation(form, cwd) }
    }

    /// A fresh look at the files, for one judgement.
    pub fn host(&self) -> Host {
        let host = Host::beside_guard(self.exe);
        if let Some(here) = &self.here {
            host.canonical(here);
        }
        host
    }

    /// Judges.
    ///
    /// # Errors
    /// A file could not be looked at, so that the verdict would rest on nothing.
    pub fn judge(&self, inv: &Invocation, host: &Host) -> Result<Evaluation, Failure> {
        let eval = decide(&self.policy, inv, host);
        match host.fault() {
            // A refusal stands whatever was not seen.
            Some((path, e)) if eval.decision != Decision::Deny => {
                Err(Failure::trouble(format!("{} could not be looked at: {e}", Shown::text(&path))))
            }
            _ => Ok(eval),
        }
    }

    /// A folder without symbolic links, relative ones from here.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn folder(&self, dir: &OsStr) -> Result<Vec<u8>, Failure> {
        let dir = dir.as_bytes();
        let path = match (dir.first(), &self.here) {
            (Some(b'/'), _) => Some(dir.to_vec()),
            (_, Some(here)) => Some([here.as_slice(), b"/", dir].concat()),
            (_, None) => None,
        };
        path.and_then(|p| self.host().real(&p))
            .ok_or_else(|| Failure::usage(format!("--cwd {}: no such folder", Shown::text(dir))))
    }
}

/// The guard that this program belongs to lies beside it.
fn guard() -> Option<Vec<u8>> {
    let me = PathBuf::from(OsStr::from_bytes(&sys::environ::myself().path?));
    let beside = std::fs::canonicalize(me.parent()?.join("exec-guard")).ok()?;
    Some(beside.into_os_string().as_encoded_bytes().to_vec())
}
