//! The stage: a small world in a throw-away folder, with a witness in place of every tool.
//!
//! ```text
//! DIR/home      HOME                 DIR/bin      tools: copies of the witness, on PATH
//! DIR/guard     EXEC_GUARD_HOME      DIR/shims    links to exec-guard, first on PATH where a test says so
//! DIR/records   what witnesses saw   DIR/replies  what they answer        DIR/work  working folder
//! ```
//!
//! "Refused" means that no witness wrote anything. Programs run in a session of their own, as an ordinary user
//! even where the tests run as root, with an environment of which every byte is known.
pub mod approver;
pub mod browser;
pub mod corpus;
pub mod middle;
pub mod programs;
pub mod pty;
pub mod record;
pub mod run;
pub mod service;
pub mod trace;
pub mod view;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub use programs::programs;
pub use record::Record;
pub use run::{Cast, Run, Way};

/// The user that plays: `nobody` where the tests run as root, else whoever runs them.
pub fn player() -> Option<(u32, u32)> {
    nix::unistd::geteuid().is_root().then_some((65534, 65534))
}

/// True where nothing may be left out for want of a tool.
pub fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|v| !v.is_empty() && v != "false")
}

/// Says why a test proves nothing here; a failure where all must be proved.
pub fn cannot(what: &str) {
    assert!(!in_ci(), "not provable here, and this is CI: {what}");
    eprintln!("SKIPPED: {what}");
}

/// A small world.
#[must_use]
pub struct Stage {
    dir: tempfile::TempDir,
    extra_env: Vec<Vec<u8>>,
}

impl Stage {
    /// An empty world: no policy document, no tool.
    pub fn new() -> Stage {
        let dir = tempfile::Builder::new().prefix("s").tempdir_in(&programs().base).expect("a folder");
        let stage = Stage { dir, extra_env: Vec::new() };
        fs::set_permissions(stage.root(), fs::Permissions::from_mode(0o755)).expect("mode");
        own(stage.root());
        for (name, mode) in [
            ("home", 0o700),
            ("guard", 0o700),
            ("bin", 0o755),
            ("shims", 0o755),
            ("replies", 0o755),
            ("work", 0o755),
        ] {
            stage.folder(name, mode);
        }
        stage.write("records", b"", 0o644);
        stage
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    /// A path below its folder.
    pub fn path(&self, rel: &str) -> PathBuf {
        self.root().join(rel)
    }

    /// The same as text.
    pub fn text(&self, rel: &str) -> String {
        self.path(rel).to_str().expect("a path of the stage").to_owned()
    }

    /// Makes a folder of the player's.
    pub fn folder(&self, rel: &str, mode: u32) {
        let path = self.path(rel);
        fs::create_dir_all(&path).expect("folder");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mode");
        own(&path);
    }

    /// Writes a file of the player's.
    pub fn write(&self, rel: &str, bytes: &[u8], mode: u32) {
        let path = self.path(rel);
        fs::write(&path, bytes).expect("file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mode");
        own(&path);
    }

    /// The user layer's `exec-approvals.json`.
    pub fn policy(self, doc: &Value) -> Stage {
        self.write("guard/exec-approvals.json", doc.to_string().as_bytes(), 0o600);
        self
    }

    /// The user layer's `config.json`.
    pub fn config(self, doc: &Value) -> Stage {
        self.write("guard/config.json", doc.to_string().as_bytes(), 0o600);
        self
    }

    /// An allowlist of these tools of the stage, nobody asked, no fallback.
    pub fn allowing(self, tools: &[&str]) -> Stage {
        let list: Vec<Value> =
            tools.iter().map(|t| json!({"pattern": self.text(&format!("bin/{t}"))})).collect();
        let doc = json!({"version": 1, "agents": {"main":
            {"security": "allowlist", "ask": "on-miss", "askFallback": "deny", "allowlist": list}}});
        self.policy(&doc)
    }

    /// A witness of that name on PATH. A file of its own: a link made elsewhere meanwhile would change it.
    pub fn tool(self, name: &str) -> Stage {
        fs::copy(&programs().witness, self.path("bin").join(name)).expect("a witness");
        self
    }

    /// The same, answering with that status (`abort`, `cat` and numbers) and output.
    pub fn tool_says(self, name: &str, status: &str, out: &str) -> Stage {
        let stage = if self.path("bin").join(name).exists() { self } else { self.tool(name) };
        stage.write(&format!("replies/{name}"), format!("{status}\n{out}").as_bytes(), 0o644);
        stage
    }

    /// A link named like the tool to the guard, in the folder of shims.
    pub fn shim(self, name: &str) -> Stage {
        symlink(&programs().guard, self.path("shims").join(name)).expect("a shim");
        self
    }

    /// One more entry at the end of the environment.
    pub fn env(mut self, entry: &str) -> Stage {
        self.extra_env.push(entry.as_bytes().to_vec());
        self
    }

    /// The environment every program starts with.
    pub fn environment(&self) -> Vec<Vec<u8>> {
        let mut out: Vec<Vec<u8>> = [
            format!("HOME={}", self.text("home")),
            format!("PATH={}:{}", self.text("shims"), self.text("bin")),
            "LANG=C.UTF-8".to_owned(),
            format!("EXEC_GUARD_HOME={}", self.text("guard")),
            "TERM=dumb".to_owned(),
        ]
        .into_iter()
        .map(String::into_bytes)
        .collect();
        out.extend(self.extra_env.iter().cloned());
        out
    }

    /// A run to be made ready.
    pub fn cast<W: AsRef<[u8]>>(&self, words: &[W]) -> Cast<'_> {
        Cast::new(self, words.iter().map(|w| w.as_ref().to_vec()).collect())
    }

    /// `exec-guard -- WORDS`.
    pub fn run<W: AsRef<[u8]>>(&self, words: &[W]) -> Run {
        self.cast(words).way(Way::Dash).run()
    }

    /// `exec-guard -c TEXT`.
    pub fn run_text(&self, text: &str) -> Run {
        self.guard(&["-c", text])
    }

    /// The guard with these words of its own.
    pub fn guard<W: AsRef<[u8]>>(&self, words: &[W]) -> Run {
        self.guard_cast(words).run()
    }

    /// The same, to be made ready.
    pub fn guard_cast<W: AsRef<[u8]>>(&self, words: &[W]) -> Cast<'_> {
        let mut all = vec![programs().guard.to_str().expect("path").as_bytes().to_vec()];
        all.extend(words.iter().map(|w| w.as_ref().to_vec()));
        Cast::new(self, all).way(Way::Path)
    }

    /// Forgets what witnesses wrote.
    pub fn clear(&self) {
        fs::write(self.path("records"), b"").expect("records");
    }

    /// What witnesses wrote since the last look.
    pub fn records(&self) -> Vec<Record> {
        let text = fs::read_to_string(self.path("records")).expect("records");
        text.lines().map(|l| Record(serde_json::from_str(l).expect("a record"))).collect()
    }
}

/// A list of faults for a panic: not more than can be read.
pub fn listed(bad: &[String]) -> String {
    let most = 60;
    let mut out = bad.iter().take(most).map(String::as_str).collect::<Vec<_>>().join("\n");
    if bad.len() > most {
        out.push_str(&format!("\n… and {} more", bad.len() - most));
    }
    out
}

/// Gives a path to the player.
pub fn own(path: &Path) {
    if let Some((uid, gid)) = player() {
        chown(path, Some(uid), Some(gid)).expect("chown");
    }
}
