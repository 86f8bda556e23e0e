//! The corpora: rows, the fixture they run in, and the jobs made of them.
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::view::{View, job};
use super::{own, programs};

/// Rows of `tests/corpus/NAME`, or of the folder `EXEC_GUARD_CORPUS` names.
pub fn rows(name: &str) -> Vec<Value> {
    let folder = std::env::var_os("EXEC_GUARD_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"), PathBuf::from);
    let text = fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let rows: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("a row")).collect();
    assert!(!rows.is_empty(), "{name} has no rows");
    rows
}

/// Names of programs that the rows' lists speak of, for the view.
pub fn names(rows: &[Value], lists: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for row in rows {
        for p in row[lists]["allowlist"].as_array().into_iter().flatten() {
            let p = p.as_str().expect("a pattern");
            if p.contains(['*', '?', '[', '$', ' ']) {
                continue;
            }
            if p.starts_with("/usr/local/") && !p.ends_with("/git") {
                out.insert(p.to_owned());
            } else if let Some(name) = p.rsplit('/').next() {
                out.insert(name.to_owned());
            }
        }
    }
    out
}

/// A row made ready: its folder, its words, its environment.
pub struct Scene {
    /// The row's id.
    pub id: String,
    /// `$CWD`.
    pub cwd: PathBuf,
    /// Bytes of the shell text, or the words.
    pub form: Form,
    /// The shell it is for.
    pub shell: String,
    /// Its environment, without EXEC_GUARD_HOME.
    pub env: Vec<(String, Vec<u8>)>,
    /// Standard input.
    pub stdin: PathBuf,
    /// True if a NUL keeps it from ever being an argument.
    pub nul: bool,
}

/// What is asked about.
pub enum Form {
    /// Shell text.
    Text(Vec<u8>),
    /// Words.
    Words(Vec<Vec<u8>>),
}

/// PATH of a scene without one of its own.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin";

fn fill(text: &str, cwd: &Path) -> String {
    let mut out = text.replace("$CWD", cwd.to_str().expect("path"));
    // In the view every program lies in one folder.
    while let Some(at) = out.find("{dir:") {
        let end = out[at..].find('}').expect("a closing brace") + at;
        out.replace_range(at..=end, "/usr/bin");
    }
    out
}

fn file(path: &Path, bytes: &[u8], mode: u32) {
    fs::write(path, bytes).expect("file");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("mode");
    own(path);
}

impl Scene {
    /// The row's folder with the fixture; the `setup` is a job of its own.
    pub fn new(view: &View, row: &Value) -> Scene {
        let id = row["id"].as_str().expect("id").to_owned();
        // One folder deeper than the others, since some rows look at `..`.
        let cwd = view.dir.join("rows").join(&id).join("lab");
        fs::create_dir_all(cwd.join("sub")).expect("folder");
        fs::create_dir_all(cwd.join("home")).expect("folder");
        for d in [cwd.parent().expect("folder"), &cwd, &cwd.join("sub"), &cwd.join("home")] {
            own(d);
        }
        file(&cwd.join("secret.txt"), b"API_KEY=CANARY-FILE-7f3a\n", 0o644);
        file(&cwd.join(".env"), b"API_KEY=CANARY-FILE-7f3a\n", 0o644);
        file(&cwd.join("data.json"), b"{\"k\":\"CANARY-FILE-7f3a\"}\n", 0o644);
        file(&cwd.join("in.txt"), b"b\na\nc\n", 0o644);
        file(&cwd.join("README.md"), b"hello\n", 0o644);
        file(&cwd.join("evil.sh"), format!("#!/bin/sh\n: > {}/PWNED\n", cwd.display()).as_bytes(), 0o755);
        let stdin = match row["stdin"].as_str() {
            None => cwd.join("in.txt"),
            Some(s) => match s.strip_prefix('@') {
                // Made by the setup.
                Some(name) => cwd.join(name),
                None => {
                    let path = cwd.parent().expect("folder").join("stdin");
                    file(&path, s.as_bytes(), 0o644);
                    path
                }
            },
        };
        let mut env = vec![
            ("HOME".to_owned(), cwd.join("home").to_str().expect("path").as_bytes().to_vec()),
            ("PATH".to_owned(), PATH.as_bytes().to_vec()),
            ("LANG".to_owned(), b"C.UTF-8".to_vec()),
            ("CANARY_ENV".to_owned(), b"CANARY-ENV-91bc".to_vec()),
        ];
        for more in [&row["env"], &row["allow_config"]["env"]] {
            for (k, v) in more.as_object().into_iter().flatten() {
                let v = fill(v.as_str().expect("text"), &cwd).into_bytes();
                env.retain(|(n, _)| n != k);
                env.push((k.clone(), v));
            }
        }
        let raw = row["encoding"].is_string();
        let bytes = |s: &str| -> Vec<u8> {
            if raw { s.chars().map(|c| c as u8).collect() } else { s.as_bytes().to_vec() }
        };
        let form = match row["command"].as_str() {
            Some(c) => Form::Text(bytes(c)),
            None => {
                let words = row["argv"].as_array().expect("argv");
                Form::Words(words.iter().map(|w| bytes(w.as_str().expect("a word"))).collect())
            }
        };
        let nul = match &form {
            Form::Text(t) => t.contains(&0),
            Form::Words(w) => w.iter().any(|w| w.contains(&0)),
        };
        let shell = row["shell"].as_str().and_then(|s| s.split(' ').next()).filter(|s| *s != "exec");
        Scene { id, cwd, form, shell: shell.unwrap_or("bash").to_owned(), env, stdin, nul }
    }

    /// The job of the row's `setup`, for the real tools.
    pub fn setup(&self, row: &Value) -> Option<Value> {
        let setup = row["setup"].as_str()?;
        let argv: Vec<Vec<u8>> = ["/bin/bash", "-c", setup].iter().map(|w| w.as_bytes().to_vec()).collect();
        let mut env = self.env.clone();
        env.retain(|(k, _)| k != "PATH");
        env.push(("PATH".into(), b"/usr/local/bin:/usr/bin:/bin".to_vec()));
        Some(job(&self.id, &self.cwd, &argv, &env))
    }

    /// A folder with the documents of a variant, to be EXEC_GUARD_HOME.
    pub fn documents(&self, view: &View, variant: &str, list: &Value, exec: &Value) -> PathBuf {
        let dir = view.dir.join("policies").join(format!("{}-{variant}", self.id));
        fs::create_dir_all(&dir).expect("folder");
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).expect("mode");
        own(&dir);
        let list: Vec<Value> = list
            .as_array()
            .into_iter()
            .flatten()
            .map(|p| json!({"pattern": fill(p.as_str().expect("a pattern"), &self.cwd)}))
            .collect();
        let approvals = json!({"version": 1, "agents": {"main":
            {"security": "allowlist", "ask": "on-miss", "askFallback": "deny", "allowlist": list}}});
        let mut exec = exec.clone();
        exec["shell"]["program"] = format!("/usr/bin/{}", self.shell).into();
        file(&dir.join("exec-approvals.json"), approvals.to_string().as_bytes(), 0o600);
        file(&dir.join("config.json"), json!({"tools": {"exec": exec}}).to_string().as_bytes(), 0o600);
        dir
    }

    fn job(&self, what: &str, home: &Path, mut words: Vec<Vec<u8>>) -> Value {
        words.insert(0, programs().guard.to_str().expect("path").as_bytes().to_vec());
        match &self.form {
            Form::Text(t) => words.extend([b"-c".to_vec(), t.clone()]),
            Form::Words(w) => {
                words.push(b"--".to_vec());
                words.extend(w.iter().cloned());
            }
        }
        self.guarded(what, home, &words)
    }

    fn guarded(&self, what: &str, home: &Path, words: &[Vec<u8>]) -> Value {
        let mut env = self.env.clone();
        env.push(("EXEC_GUARD_HOME".into(), home.to_str().expect("path").as_bytes().to_vec()));
        let mut j = job(&format!("{} {what}", self.id), &self.cwd, words, &env);
        j["stdin"] = self.stdin.to_str().expect("path").into();
        j
    }

    /// `check --json` of it.
    pub fn check(&self, what: &str, home: &Path) -> Value {
        let mut words: Vec<Vec<u8>> = vec![b"check".to_vec(), b"--json".to_vec()];
        if matches!(self.form, Form::Text(_)) {
            words.extend([b"--shell".to_vec(), self.shell.clone().into_bytes()]);
        }
        self.job(what, home, words)
    }

    /// The text in its real shell, without a guard.
    pub fn plain(&self, what: &str) -> Option<Value> {
        let Form::Text(t) = &self.form else { return None };
        let argv = vec![format!("/usr/bin/{}", self.shell).into_bytes(), b"-c".to_vec(), t.clone()];
        let mut j = job(&format!("{} {what}", self.id), &self.cwd, &argv, &self.env);
        j["stdin"] = self.stdin.to_str().expect("path").into();
        Some(j)
    }

    /// The same by a link named after the row's shell, as whoever has the guard for a shell starts it; `None` where no
    /// shell is called.
    pub fn by_link(&self, what: &str, home: &Path, view: &View) -> Option<Value> {
        let (shell, rest) = match &self.form {
            Form::Text(t) => (self.shell.as_str(), vec![b"-c".to_vec(), t.clone()]),
            Form::Words(w) => {
                let (first, rest) = w.split_first()?;
                (std::str::from_utf8(first).ok()?.rsplit('/').next()?, rest.to_vec())
            }
        };
        if !["bash", "dash", "sh", "zsh"].contains(&shell) {
            return None;
        }
        let link = view.dir.join("links").join(shell);
        if fs::symlink_metadata(&link).is_err() {
            fs::create_dir_all(link.parent().expect("folder")).expect("folder");
            std::os::unix::fs::symlink(&programs().guard, &link).expect("link");
        }
        let mut words = vec![link.to_str().expect("path").as_bytes().to_vec()];
        words.extend(rest);
        Some(self.guarded(what, home, &words))
    }

    /// The real thing, with nobody to ask.
    pub fn execute(&self, what: &str, home: &Path) -> Value {
        self.job(what, home, Vec::new())
    }
}

/// The verdict of a `check --json` result, its exit code compared with its words.
pub fn verdict(result: &Value) -> Result<(String, Value), String> {
    let out = result["stdout"].as_str().unwrap_or_default();
    let Ok(v) = serde_json::from_str::<Value>(out) else {
        return Err(format!("no verdict: status {}, {}{}", result["status"], out, result["stderr"]));
    };
    let decision = v["decision"].as_str().unwrap_or_default().to_owned();
    let expected = match decision.as_str() {
        "allow" => 0,
        "ask" => 3,
        "deny" => 4,
        _ => return Err(format!("not a decision: {out}")),
    };
    if result["status"] != expected {
        return Err(format!("says {decision} and exits {}", result["status"]));
    }
    Ok((decision, v))
}

/// Why a run is not the refusal it should have been; `None` if it is.
pub fn not_refused(result: &Value) -> Option<String> {
    let seen = result["records"].as_array().expect("records");
    if !seen.is_empty() {
        let what: Vec<String> = seen.iter().map(|r| r["argv"].to_string()).collect();
        return Some(format!("ran {}", what.join(" ")));
    }
    let stderr = result["stderr"].as_str().unwrap_or_default();
    if !matches!(result["status"].as_i64(), Some(125..=127)) {
        return Some(format!("status {} signal {}, {stderr}", result["status"], result["signal"]));
    }
    if !result["stdout"].as_str().unwrap_or_default().is_empty() {
        return Some(format!("said {}", result["stdout"]));
    }
    if !(stderr.starts_with("exec-guard: ") && stderr.lines().next().is_some_and(|l| l.contains('['))) {
        return Some(format!("does not say why: {stderr}"));
    }
    None
}
