//! Real agents, with a hook that `install --agent` wrote: a model asks for two commands, of which one is allowed. That one
//! runs, the other does not, and the model is told why.
//!
//! `tests/agents/install FOLDER` gets the agents (`EXEC_GUARD_AGENTS` names the folder). Each that is not there is skipped
//! with the reason. They see no network but their own, where that can be had.
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::stage::programs;
use crate::stage::programs::repository;

/// How long an agent may take, seconds: the machine is slow, and others are at work on it.
const SECONDS: u32 = 300;

/// Those that can be had from npm, and speak to a model that is not theirs.
const AGENTS: &[&str] = &["claude", "codex", "gemini", "opencode", "qwen", "openclaw"];

fn folder() -> PathBuf {
    match std::env::var_os("EXEC_GUARD_AGENTS") {
        Some(folder) => folder.into(),
        None => repository().join("target/agents"),
    }
}

/// Why an agent cannot be run here.
fn missing(folder: &Path, agent: &str) -> Option<String> {
    let reason = |name: &str| fs::read_to_string(folder.join(format!("{name}.reason"))).ok();
    if folder.join(agent).join("node_modules").is_dir() {
        let node = Command::new("node").arg("--version").output();
        return node.err().map(|e| format!("node: {e}"));
    }
    let why = reason(agent).or_else(|| reason("npm"));
    Some(why.unwrap_or_else(|| format!("tests/agents/install has not put it into {}", folder.display())))
}

/// A program in a network of its own, with nobody else in it, where this process may make one.
fn alone(words: &[&str]) -> Command {
    let inside = ["-n", "-p", "-f", "--kill-child", "--mount-proc"];
    let tried = |more: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(more).args(inside).args(["sh", "-c", "ip link set lo up"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    // As oneself where that can be had: who is root there has root's documents.
    let ways = [&[][..], &["--map-current-user", "--keep-caps"], &["-r"]];
    let Some(more) = ways.into_iter().find(|m| tried(m)) else {
        let (first, rest) = words.split_first().expect("a program");
        let mut command = Command::new(first);
        command.args(rest);
        return command;
    };
    let mut command = Command::new("unshare");
    command.args(more).args(inside).args(["sh", "-c", "ip link set lo up; exec \"$@\"", "sh"]).args(words);
    command
}

/// `Err`: the agent did not come to its second command, which is its own affair once.
fn guarded(folder: &Path, agent: &str) -> Result<String, String> {
    // Their own: an agent's login shell is that of the user database, and nobody has none.
    let dir = tempfile::Builder::new().prefix("a").tempdir().expect("a folder");
    let path = |rel: &str| dir.path().join(rel).to_str().expect("text").to_owned();
    for rel in ["home", "work", "guard", "tmp"] {
        fs::create_dir(path(rel)).expect("a folder");
        fs::set_permissions(path(rel), PermissionsExt::from_mode(0o755)).expect("a mode");
    }
    let policy = json!({"version": 1, "defaults": {"security": "allowlist", "ask": "off", "askFallback": "deny",
        "allowlist": [{"pattern": "/usr/bin/touch"}, {"pattern": "/bin/touch"}]}});
    fs::write(path("guard/exec-approvals.json"), policy.to_string()).expect("a policy");
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port().to_string();
    let environment = |command: &mut Command| {
        command.env_clear().current_dir(path("work")).stdin(Stdio::null());
        command.envs([
            ("HOME", path("home")),
            ("EXEC_GUARD_HOME", path("guard")),
            ("TMPDIR", path("tmp")),
            ("SHELL", "/bin/bash".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
        ]);
    };
    let done = |command: &mut Command| {
        environment(command);
        let out = command.output().expect("started");
        assert!(out.status.success(), "{agent}: {command:?}: {out:?}");
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    let drive = repository().join("tests/agents/drive.mjs");
    let (drive, agents) = (drive.to_str().expect("text"), folder.to_str().expect("text"));
    done(Command::new("node").args([drive, "prepare", agent, agents, &port]));
    done(Command::new(&programs().ctl).args(["install", "--agent", agent]));
    let (yes, no) = (format!("touch {}", path("work/YES")), format!("mkdir {}", path("work/NO")));
    let seconds = SECONDS.to_string();
    let said = done(&mut alone(&["node", drive, "run", agent, agents, &port, &seconds, &yes, &no]));
    let value: Value = serde_json::from_str(said.trim()).unwrap_or_else(|e| panic!("{agent}: {e}: {said}"));
    assert!(!Path::new(&path("work/NO")).exists(), "{agent}: a denied command ran: {value:#}");
    if value["results"].as_array().is_none_or(|r| r.len() < 2) {
        return Err(format!("{agent}: {value:#}"));
    }
    assert!(Path::new(&path("work/YES")).exists(), "{agent}: an allowed command did not run: {value:#}");
    let told = value["results"][1].as_str().unwrap_or_default();
    assert!(told.contains("exec-guard: denied ["), "{agent}: the model was not told why: {value:#}");
    // By this hook, and by nothing else.
    let journal = fs::read_to_string(path("guard/journal/journal.jsonl")).expect("a journal");
    assert!(journal.contains("\"via\":\"hook\""), "{agent}: {journal}");
    Ok(format!("ended with {}", value["code"]))
}

/// One after another: each takes a processor and more.
#[test]
fn a_real_agent_runs_what_is_allowed_and_is_told_why_the_rest_does_not() {
    let folder = folder();
    for agent in AGENTS {
        match missing(&folder, agent) {
            Some(why) => eprintln!("SKIPPED: {agent}: {}", why.trim()),
            None => {
                let began = std::time::Instant::now();
                let again = |why: String| {
                    eprintln!("once more: {why}");
                    guarded(&folder, agent)
                };
                let ended = guarded(&folder, agent).or_else(again).unwrap_or_else(|why| panic!("{why}"));
                println!("{agent}: {ended}, {:.1} s", began.elapsed().as_secs_f32());
            }
        }
    }
}
