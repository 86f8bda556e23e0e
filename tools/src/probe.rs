//! Does a sandbox hold? One command is run in it, which tries to read a file that only its user may read.
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use policy::document::{Ask, Effective, Security};
use policy::{Form, Guard, Invocation};
use sys::world::Host;

use crate::config::Sandbox;
use crate::engine::AGENT;
use crate::sandbox::{Chosen, How, Place};

/// Longest that the command may take, milliseconds.
const TIME_MS: u64 = 15_000;
/// As much of what it says is kept, bytes.
const OUTPUT: usize = 4_096;
/// What the command says once it has tried.
const DONE: &str = "tried";

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The command ran and could not read the file.
    Holds,
    /// It could.
    Leaks,
    /// There is no such sandbox here.
    Absent,
    /// The sandbox is there, and the command did not run: what was said.
    Broken(String),
}

/// Tries one by its name. The file lies in `folder` for that long. `env` is our own environment.
///
/// The program that calls this has to be one that runs this and then ends, as [`sys::cage`] wants it.
pub fn fire(name: &str, sandbox: &Sandbox, env: &[Vec<u8>], folder: &Path) -> Seen {
    match Chosen::named(name, sandbox, env) {
        None => Seen::Absent,
        Some(chosen) => tried(chosen, sandbox, env, folder).unwrap_or_else(Seen::Broken),
    }
}

fn tried(chosen: Chosen, sandbox: &Sandbox, env: &[Vec<u8>], folder: &Path) -> Result<Seen, String> {
    let secret = Secret::new(folder).map_err(|e| format!("no file to be read: {e}"))?;
    let place = Place::new(chosen).map_err(|e| format!("no private folder: {e}"))?;
    let quoted = secret.path.to_string_lossy().replace('\'', "'\\''");
    let inv = Invocation {
        form: Form::Text {
            text: format!("cat '{quoted}'; echo {DONE}").into_bytes(),
            shell: None,
            args: Vec::new(),
        },
        env: place.environment(&[]),
        cwd: Some(b"/".to_vec()),
        agents: vec![AGENT.to_owned()],
        session: None,
        now_ms: sys::time::now_ms(),
        home: None,
        unattended: true,
        guard: Guard::default(),
    };
    // The text is ours: nobody's policy is asked about it.
    let mut policy = Effective::built_in(AGENT);
    policy.security.value = Security::Full;
    policy.ask.value = Ask::Off;
    let eval = policy::decide_as(policy, &inv, &Host::new());
    let ground = || eval.ground().map_or("it may not run".to_owned(), |f| f.message.clone());
    let permit = eval.permit().ok_or_else(ground)?;
    let image = &sandbox.container.image;
    let how = How { timeout_ms: TIME_MS, max_output: OUTPUT, cwd: None, image, client: env };
    let ran = place.run(&permit, &how).map_err(|e| e.to_string())?;
    if ran.stdout.contains(&secret.text) {
        return Ok(Seen::Leaks);
    }
    if ran.stdout.lines().any(|l| l == DONE) {
        return Ok(Seen::Holds);
    }
    let said = ran.stderr.lines().rfind(|l| !l.trim().is_empty()).unwrap_or("it said nothing");
    Err(match ran.timed_out {
        true => format!("nothing came of it in {} s", TIME_MS / 1000),
        false => protocol::Shown::text(said.as_bytes()).into_string(),
    })
}

/// A file with a word that nobody can guess, removed afterwards.
struct Secret {
    path: PathBuf,
    text: String,
}

impl Secret {
    fn new(folder: &Path) -> std::io::Result<Secret> {
        let path = folder.join(format!("probe-{}", sys::edit::uuid()));
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let secret = Secret { path, text: sys::edit::uuid() };
        file.write_all(secret.text.as_bytes())?;
        Ok(secret)
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
