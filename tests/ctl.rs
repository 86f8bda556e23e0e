//! exec-guardctl from outside: what it writes, what it refuses to write, and what it never loses.
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Child;
use std::time::Instant;

use serde_json::{Value, json};

use crate::stage::run::wait;
use crate::stage::trace::{impossible, traced};
use crate::stage::{Cast, Run, Stage, Way, cannot, own, programs};

const DOC: &str = "guard/exec-approvals.json";

fn words(rest: &[&str]) -> Vec<String> {
    let ctl = programs().ctl.to_str().expect("path").to_owned();
    std::iter::once(ctl).chain(rest.iter().map(|w| (*w).to_owned())).collect()
}

fn cast<'a>(stage: &'a Stage, rest: &[&str]) -> Cast<'a> {
    stage.cast(&words(rest)).way(Way::Path)
}

fn ctl(stage: &Stage, rest: &[&str]) -> Run {
    cast(stage, rest).run()
}

fn add(stage: &Stage, rest: &[&str]) -> Run {
    ctl(stage, &[&["approvals", "allowlist", "add"], rest].concat())
}

fn remove(stage: &Stage, rest: &[&str]) -> Run {
    ctl(stage, &[&["approvals", "allowlist", "remove"], rest].concat())
}

/// Ended so, with that word on stderr or stdout.
#[track_caller]
fn said(run: &Run, code: i32, word: &str) {
    assert!(run.code() == code, "not {code}: {run:?}");
    assert!(run.stderr.contains(word) || run.stdout.contains(word), "no word of {word:?}: {run:?}");
}

/// Whoever forgot the `--` is told first what was meant.
#[test]
fn a_command_without_its_dashes() {
    let stage = Stage::new();
    let guard = programs().guard.to_str().expect("path").to_owned();
    for (words, meant) in
        [(&["git", "status"][..], "git status"), (&["git", "log", "a b", "x\x1b"], r"git log 'a b' $'x\x1b'")]
    {
        let words = [&[guard.as_str()], words].concat();
        let run = stage.cast(&words).way(Way::Path).run();
        let first = run.stderr.lines().next().unwrap_or_default();
        assert_eq!(first, format!("exec-guardctl: did you mean: exec-guard -- {meant}"), "{run:?}");
        assert_eq!(run.code(), 2, "{run:?}");
    }
    // A word of ours that is wrong further on is no command.
    assert!(!ctl(&stage, &["approvals", "git"]).stderr.contains("did you mean: exec-guard --"));
}

fn document(stage: &Stage) -> Value {
    serde_json::from_slice(&fs::read(stage.path(DOC)).expect("a document")).expect("JSON")
}

fn list(doc: &Value, agent: &str, name: &str) -> Vec<String> {
    doc["agents"][agent][name]
        .as_array()
        .into_iter()
        .flatten()
        .map(|e| e["pattern"].as_str().expect("a pattern").to_owned())
        .collect()
}

fn get(stage: &Stage) -> Value {
    let run = ctl(stage, &["approvals", "get", "--json"]);
    assert_eq!(run.code(), 0, "{run:?}");
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn what_is_added_runs_and_what_is_removed_does_not() {
    let stage =
        Stage::new().tool("tool").policy(&json!({"version": 1, "defaults": {"security": "allowlist"}}));
    let tool = stage.text("bin/tool");
    stage.run(&["tool"]).refused(126, "allowlist-miss");
    said(&add(&stage, &[&tool]), 0, &tool);
    stage.run(&["tool", "x"]).allowed();
    let before = fs::read(stage.path(DOC)).expect("document");
    said(&add(&stage, &[&tool]), 0, "already");
    assert_eq!(fs::read(stage.path(DOC)).expect("document"), before, "nothing was to be written");
    said(&remove(&stage, &[&tool]), 0, &tool);
    stage.run(&["tool", "x"]).refused(126, "allowlist-miss");
    said(&remove(&stage, &[&tool]), 1, "not found");
    // An agent that was emptied is gone.
    assert_eq!(document(&stage)["agents"].as_object().map_or(0, serde_json::Map::len), 0);
}

#[test]
fn what_a_preset_allows_every_agent_can_be_removed() {
    let stage = Stage::new().tool("tool");
    let tool = stage.text("bin/tool");
    let stage = stage.policy(&json!({"version": 1, "defaults": {"security": "allowlist",
        "allowlist": [{"pattern": tool}, {"pattern": "/bin/other"}]}}));
    stage.run(&["tool"]).allowed();
    said(&remove(&stage, &[&tool]), 0, "every agent");
    stage.run(&["tool"]).refused(126, "allowlist-miss");
    assert_eq!(document(&stage)["defaults"]["allowlist"].as_array().map(Vec::len), Some(1));
    // What stands with one agent is not taken for everybody's, but it is said how to get at it.
    said(&add(&stage, &[&tool, "--agent", "a", "--list", "denylist"]), 0, "denylist of agent a");
    said(&remove(&stage, &[&tool]), 1, &format!("remove {tool} --agent a --list denylist"));
}

#[test]
fn what_was_written_is_said() {
    let stage =
        Stage::new().tool("tool").policy(&json!({"version": 1, "defaults": {"security": "allowlist"}}));
    let run = add(&stage, &["/nonexistent/tool", "--cwd", "~/src", "--args", "a b", "..."]);
    said(&run, 0, "/nonexistent/tool 'a b' ..., in ~/src");
    // A path that leads nowhere is written all the same; the program may come.
    said(&run, 0, &format!("no /nonexistent/tool here now; in PATH tool is {}", stage.text("bin/tool")));
    assert!(!add(&stage, &[&stage.text("bin/tool")]).stderr.contains("note"));
    stage.write("work/new.json", br#"{"version": 1, "defaults": {"secuirty": "full"}}"#, 0o644);
    said(
        &ctl(&stage, &["approvals", "set", "--file", &stage.text("work/new.json")]),
        0,
        "/defaults/secuirty",
    );
}

#[test]
fn the_log_can_be_read_while_a_document_cannot() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    stage.run(&["tool", "x"]).allowed();
    stage.write("guard/config.json", b"{ oops", 0o600);
    let run = ctl(&stage, &["log", "show"]);
    said(&run, 0, "config.json");
    assert!(run.stdout.contains("tool x"), "{run:?}");
}

#[test]
fn arguments_restrict() {
    let stage =
        Stage::new().tool("tool").policy(&json!({"version": 1, "defaults": {"security": "allowlist"}}));
    let tool = stage.text("bin/tool");
    said(&add(&stage, &[&tool, "--agent", "main", "--note", "why", "--args", "status", "..."]), 0, "");
    stage.run(&["tool", "status", "-x"]).allowed();
    stage.run(&["tool", "push"]).refused(126, "args-miss");
    let entry = document(&stage)["agents"]["main"]["allowlist"][0].clone();
    assert_eq!((entry["args"].clone(), entry["note"].clone()), (json!(["status", "..."]), json!("why")));
    assert_eq!(entry["id"].as_str().map(str::len), Some(36), "{entry}");
    // The same pattern with other arguments is another entry.
    said(&add(&stage, &[&tool, "--agent", "main", "--args", r#"["log"]"#]), 0, "");
    said(&remove(&stage, &[&tool, "--agent", "main", "--args", "status", "..."]), 0, "");
    stage.run(&["tool", "log"]).allowed();
    stage.run(&["tool", "status"]).refused(126, "args-miss");
}

#[test]
fn the_denylist_wins() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    stage.run(&["tool"]).allowed();
    said(&add(&stage, &["tool", "--list", "denylist"]), 0, "");
    stage.run(&["tool"]).refused(126, "denylist");
    said(&remove(&stage, &["TOOL", "--list", "denylist"]), 0, "");
    stage.run(&["tool"]).allowed();
}

#[test]
fn what_could_not_match_is_not_written() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    let before = document(&stage);
    said(&add(&stage, &["tool"]), 2, &stage.text("bin/tool"));
    for bad in ["/a/[b", "/a/{b", "rel/x", "", "/a/../b"] {
        said(&add(&stage, &[bad]), 2, "pattern");
    }
    said(&add(&stage, &["/bin/x", "--expires", "2001-01-01"]), 2, "past");
    said(&add(&stage, &["/bin/x", "--list", "denylist", "--cwd", "/a/[b"]), 2, "cwd");
    assert_eq!(document(&stage), before);
}

#[test]
fn fields_it_does_not_know_survive() {
    let doc = json!({
        "version": 1, "zeta": [1, {"b": 1, "a": 2}],
        "agents": {"z": {"allowlist": [{"pattern": "/x/y", "vendor": {"k": null}}]}, "a": {"other": true}}
    });
    let stage = Stage::new().policy(&doc);
    said(&add(&stage, &["/usr/bin/x", "--agent", "z"]), 0, "");
    let after = document(&stage);
    assert_eq!(after["zeta"], doc["zeta"]);
    assert_eq!(after["agents"]["a"], doc["agents"]["a"]);
    assert_eq!(after["agents"]["z"]["allowlist"][0]["vendor"], json!({"k": null}));
    assert_eq!(list(&after, "z", "allowlist"), ["/x/y", "/usr/bin/x"]);
}

#[test]
fn edits_at_once_lose_nothing() {
    let stage = Stage::new().policy(&json!({"version": 1}));
    let patterns: Vec<String> = (0..12).map(|i| format!("/usr/bin/p{i}")).collect();
    let children: Vec<Child> = patterns
        .iter()
        .map(|p| cast(&stage, &["approvals", "allowlist", "add", p, "--agent", "main"]).start())
        .collect();
    for mut child in children {
        assert!(wait(&mut child, Instant::now(), std::time::Duration::from_secs(60)).success());
    }
    let mut seen = list(&document(&stage), "main", "allowlist");
    seen.sort();
    let mut expected = patterns;
    expected.sort();
    assert_eq!(seen, expected);
    // No lock or temporary file is left that a reader could take for a document.
    let left: Vec<_> =
        fs::read_dir(stage.path("guard")).expect("folder").flatten().map(|e| e.file_name()).collect();
    assert!(!left.iter().any(|n| n.to_string_lossy().contains("tmp")), "{left:?}");
}

#[test]
fn set_wants_the_hash_it_was_given() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    let first = get(&stage);
    let hash = first["baseHash"].as_str().expect("a hash").to_owned();
    let deny = json!({"version": 1, "defaults": {"security": "deny"}}).to_string();
    let set = |hash: &str, text: &str| {
        cast(&stage, &["approvals", "set", "--stdin", "--base-hash", hash]).stdin(text.as_bytes()).run()
    };
    said(&set("0000", &deny), 1, "changed");
    said(&set("none", &deny), 1, "changed");
    stage.run(&["tool"]).allowed();
    said(&set(&hash, &deny), 0, "");
    let run = stage.run(&["tool"]);
    assert!(run.code() == 126 && run.records.is_empty(), "{run:?}");
    said(&set(&hash, &deny), 1, "changed");
    assert_ne!(get(&stage)["baseHash"], hash.as_str());
}

#[test]
fn set_checks_before_it_writes() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    let before = fs::read(stage.path(DOC)).expect("document");
    let set = |text: &[u8]| cast(&stage, &["approvals", "set", "--stdin"]).stdin(text).run();
    for (text, word) in [
        (&b"{"[..], ""),
        (b"[]", ""),
        (b"{\"version\": 2}", "version"),
        (b"{\"version\": 1, \"defaults\": {\"security\": \"loose\"}}", "security"),
        (b"{\"version\": 1, \"version\": 1}", "twice"),
        (b"{version: 1, defaults: {ask: 'off', ask: 'off'}}", "twice"),
        (b"{\"version\": 1, \"defaults\": {\"denylist\": [\"/a/[b\"]}}", ""),
        (b"\xff", ""),
    ] {
        said(&set(text), 2, word);
    }
    let long = format!("{{\"version\": 1, \"x\": \"{}\"}}", "y".repeat(1 << 20));
    said(&set(long.as_bytes()), 2, "1 MiB");
    assert_eq!(fs::read(stage.path(DOC)).expect("document"), before);
    // A file, in JSON5: its comments are not kept, and that is said.
    stage.write("work/new.json", b"{ // mine\n version: 1, defaults: {security: 'deny'}, }", 0o644);
    said(&ctl(&stage, &["approvals", "set", "--file", "new.json"]), 0, "comments");
    assert_eq!(document(&stage), json!({"version": 1, "defaults": {"security": "deny"}}));
    said(&ctl(&stage, &["approvals", "set", "--file", "missing.json"]), 2, "missing.json");
}

#[test]
fn set_keeps_the_socket_where_nothing_is_said() {
    let stage =
        Stage::new().policy(&json!({"version": 1, "socket": {"path": "/run/s", "token": "secret-token"}}));
    let set = |text: &str| {
        said(&cast(&stage, &["approvals", "set", "--stdin"]).stdin(text.as_bytes()).run(), 0, "")
    };
    set(r#"{"version": 1}"#);
    assert_eq!(document(&stage)["socket"], json!({"path": "/run/s", "token": "secret-token"}));
    set(r#"{"version": 1, "socket": {"path": "/run/other"}}"#);
    assert_eq!(document(&stage)["socket"], json!({"path": "/run/other", "token": "secret-token"}));
    // What get shows can be set again: the token is not shown and not lost.
    let shown = get(&stage);
    assert!(!shown.to_string().contains("secret-token"), "{shown}");
    set(&shown["document"].to_string());
    assert_eq!(document(&stage)["socket"], json!({"path": "/run/other", "token": "secret-token"}));
    let text = ctl(&stage, &["approvals", "get"]);
    assert!(text.code() == 0 && !text.stdout.contains("secret-token"), "{text:?}");
}

#[test]
fn get_names_the_source_of_every_value() {
    let stage =
        Stage::new().tool("tool").allowing(&["tool"]).config(&json!({"tools": {"exec": {"ask": "always"}}}));
    let all = get(&stage);
    let main = &all["agents"]["main"];
    assert_eq!(main["security"]["value"], "allowlist");
    assert_eq!(main["security"]["from"], format!("{}:/agents/main/security", stage.text(DOC)));
    assert_eq!(main["allowlist"][0]["pattern"], stage.text("bin/tool"));
    assert_eq!(all["editable"], stage.text(DOC));
    let files: Vec<&str> =
        all["documents"].as_array().expect("list").iter().filter_map(|d| d["file"].as_str()).collect();
    assert_eq!(files, [stage.text(DOC), stage.text("guard/config.json")]);
    // An agent nobody names has what holds for everybody.
    let run = ctl(&stage, &["approvals", "get", "--json", "--agent", "stranger"]);
    let other: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(other["agents"]["stranger"]["security"]["value"], "deny");
}

#[test]
fn get_shows_when_an_entry_was_last_used() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    assert!(get(&stage)["agents"]["main"]["allowlist"][0]["lastUsedAt"].is_null());
    stage.run(&["tool", "a b"]).allowed();
    let entry = get(&stage)["agents"]["main"]["allowlist"][0].clone();
    assert!(entry["lastUsedAt"].as_u64().is_some(), "{entry}");
    assert_eq!(entry["lastUsedCommand"], "tool 'a b'");
    assert_eq!(entry["lastResolvedPath"], stage.text("bin/tool"));
}

#[test]
fn an_unsafe_document_is_neither_shown_nor_edited() {
    let stage = Stage::new().allowing(&[]);
    fs::set_permissions(stage.path(DOC), fs::Permissions::from_mode(0o666)).expect("mode");
    let before = fs::read(stage.path(DOC)).expect("document");
    for run in [
        ctl(&stage, &["approvals", "get"]),
        add(&stage, &["/usr/bin/x"]),
        remove(&stage, &["/usr/bin/x"]),
        cast(&stage, &["approvals", "set", "--stdin"]).stdin(b"{\"version\": 1}").run(),
    ] {
        said(&run, 125, "chmod 600");
    }
    assert_eq!(fs::read(stage.path(DOC)).expect("document"), before);
    // So is one that is wrong: an edit does not paper over it.
    stage.write(DOC, b"{\"version\": 1, \"defaults\": {\"ask\": \"maybe\"}}", 0o600);
    said(&add(&stage, &["/usr/bin/x"]), 125, "ask");
}

#[test]
fn a_linked_document_stays_a_link() {
    let stage = Stage::new();
    stage.folder("dotfiles", 0o700);
    stage.write("dotfiles/approvals.json", b"{\"version\": 1}", 0o600);
    symlink(stage.path("dotfiles/approvals.json"), stage.path(DOC)).expect("link");
    said(&add(&stage, &["/usr/bin/x", "--agent", "main"]), 0, "");
    assert!(fs::symlink_metadata(stage.path(DOC)).expect("link").is_symlink());
    assert_eq!(list(&document(&stage), "main", "allowlist"), ["/usr/bin/x"]);
    // A link that leads nowhere may have been the policy: nothing is put in its place.
    fs::remove_file(stage.path("dotfiles/approvals.json")).expect("remove");
    said(&add(&stage, &["/usr/bin/x"]), 125, "exec-approvals.json");
    assert!(!stage.path("dotfiles/approvals.json").exists());
}

#[test]
fn a_full_disk_leaves_the_old_document() {
    let stage = Stage::new().allowing(&["tool"]);
    let before = fs::read(stage.path(DOC)).expect("document");
    let words = ["approvals", "allowlist", "add", "/usr/bin/x"];
    let run = cast(&stage, &words).launch(&["--block", "SIGXFSZ", "--limit", "fsize=16"]).run();
    assert_ne!(run.code(), 0, "{run:?}");
    assert_eq!(fs::read(stage.path(DOC)).expect("document"), before);
    let left: Vec<_> =
        fs::read_dir(stage.path("guard")).expect("folder").flatten().map(|e| e.file_name()).collect();
    assert!(!left.iter().any(|n| n.to_string_lossy().contains("tmp")), "{left:?}");
    said(&cast(&stage, &words).run(), 0, "");
}

#[test]
fn init_waits_for_nothing_and_writes_where_nobody_else_does() {
    let stage = Stage::new();
    let fifo = stage.path("guard/config.json");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo");
    assert!(made.success());
    own(&fifo);
    said(&ctl(&stage, &["init", "--preset", "yolo"]), 1, "is there already");
    said(&ctl(&stage, &["init", "--preset", "yolo", "--force"]), 125, "not a regular file");
    fs::remove_file(fifo).expect("removed");
    stage.folder("guard", 0o777);
    said(&ctl(&stage, &["init", "--preset", "deny-all"]), 125, "chmod go-w");
    assert!(!stage.path("guard/exec-approvals.json").exists());
    // And the guard believes nothing that lies there.
    let stage = stage.policy(&json!({"version": 1, "defaults": {"security": "full", "ask": "off"}}));
    stage.folder("guard", 0o777);
    let run = ctl(&stage, &["doctor"]);
    assert!(run.stdout.contains("broken") && run.stdout.contains("chmod go-w"), "{run:?}");
}

#[test]
fn init_makes_documents_once() {
    let stage = Stage::new().tool("tool").env("PAGER=most");
    fs::remove_dir(stage.path("guard")).expect("remove");
    // The stage's folder is the player's, so the guard's can be made in it.
    own(stage.root());
    let dry = ctl(&stage, &["init", "--preset", "cautious", "--dry-run"]);
    said(&dry, 0, "\"on-miss\"");
    assert!(!stage.path("guard").exists(), "{dry:?}");
    let run = ctl(&stage, &["init", "--preset", "cautious"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let mode = |rel: &str| fs::metadata(stage.path(rel)).expect(rel).permissions().mode() & 0o7777;
    assert_eq!((mode("guard"), mode(DOC), mode("guard/config.json")), (0o700, 0o600, 0o600));
    let token = document(&stage)["socket"]["token"].as_str().expect("a token").to_owned();
    assert!(token.len() >= 43 && !dry.stdout.contains(&token) && !run.stdout.contains(&token));
    stage.run(&["tool"]).refused(126, "allowlist-miss");
    let config: Value =
        serde_json::from_slice(&fs::read(stage.path("guard/config.json")).expect("settings")).expect("JSON");
    assert_eq!(config["tools"]["exec"]["env"]["trusted"], json!(["PAGER"]));
    // The same once more is no trouble, and changes nothing.
    let before = fs::read(stage.path(DOC)).expect("a policy");
    said(&ctl(&stage, &["init", "--preset", "cautious"]), 0, "holds the preset cautious already");
    assert_eq!(fs::read(stage.path(DOC)).expect("a policy"), before);
    // Never over what is there.
    said(&ctl(&stage, &["init", "--preset", "yolo"]), 1, "--force");
    stage.run(&["tool"]).refused(126, "allowlist-miss");
    said(&ctl(&stage, &["init", "--preset", "yolo", "--force"]), 0, "");
    stage.run(&["tool"]).allowed();
    let old: Value =
        serde_json::from_slice(&fs::read(stage.path("guard/exec-approvals.json.bak")).expect("the old one"))
            .expect("JSON");
    assert_eq!(old["socket"]["token"], token.as_str());
    // What is kept is kept, however often; and what a preset says nothing of stays in force.
    let kept = fs::read(stage.path("guard/exec-approvals.json.bak")).expect("the old one");
    let mut config: Value =
        serde_json::from_slice(&fs::read(stage.path("guard/config.json")).expect("settings")).expect("JSON");
    config["security"] = json!({"owners": ["uid:7"]});
    config["tools"] = json!({"sandbox": {"timeout": 5000}, "exec": {"strictInlineEval": true}});
    stage.write("guard/config.json", config.to_string().as_bytes(), 0o600);
    let run = ctl(&stage, &["init", "--preset", "developer", "--force"]);
    said(&run, 0, "exec-approvals.json.bak.1");
    assert!(run.stderr.contains("taken over") && run.stderr.contains("security"), "{run:?}");
    assert_eq!(fs::read(stage.path("guard/exec-approvals.json.bak")).expect("the old one"), kept);
    let config: Value =
        serde_json::from_slice(&fs::read(stage.path("guard/config.json")).expect("settings")).expect("JSON");
    assert_eq!(
        (&config["security"]["owners"][0], &config["tools"]["sandbox"]["timeout"]),
        (&json!("uid:7"), &json!(5000))
    );
    assert_eq!(config["tools"]["exec"].get("strictInlineEval"), None);
}

#[test]
fn every_preset_is_accepted() {
    for preset in ["deny-all", "cautious", "developer", "yolo"] {
        let stage = Stage::new().tool("tool");
        let init = ctl(&stage, &["init", "--preset", preset]);
        said(&init, 0, "");
        assert_eq!(ctl(&stage, &["approvals", "get"]).code(), 0);
        let run = stage.run(&["tool"]);
        assert_eq!(run.code() == 0, preset == "yolo", "{preset}: {run:?}");
        // What it says to try it allows, if it allows anything.
        let sample = init.stderr.split('`').nth(1).expect("a command to try");
        let guard = programs().guard.display().to_string();
        let script = sample.replacen("exec-guard", &format!("'{guard}'"), 1);
        let env = stage.environment().into_iter().filter(|e| !e.starts_with(b"PATH="));
        let env: Vec<Vec<u8>> = env.chain([b"PATH=/usr/bin:/bin".to_vec()]).collect();
        let run = stage.cast(&["/bin/sh", "-c", &script]).way(Way::Path).env(env).run();
        assert_eq!(run.code(), if preset == "deny-all" { 4 } else { 0 }, "{sample}: {run:?}");
    }
}

/// Killed at any step, it leaves a policy that is no looser than the one before and the one that was wanted, and the next
/// run completes it.
#[test]
fn an_init_that_was_killed_is_completed() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    // How loose a preset is; without documents it is the cautious one that rules.
    let presets = ["deny-all", "cautious", "developer", "yolo"];
    for (before, wanted) in
        [(None, 0), (None, 1), (None, 2), (None, 3), (Some(3), 1), (Some(1), 3), (Some(0), 2), (Some(2), 0)]
    {
        let stage = Stage::new().tool("tool").env("PAGER=most");
        let wanted_name = presets[wanted];
        for nth in 1.. {
            let _ = fs::remove_dir_all(stage.path("guard"));
            own(stage.root());
            if let Some(before) = before {
                said(&ctl(&stage, &["init", "--preset", presets[before]]), 0, "");
            }
            let force = if before.is_some() { &["--force"][..] } else { &[] };
            let words = words(&[&["init", "--preset", wanted_name][..], force].concat());
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let inject = format!("inject=rename,renameat,renameat2:signal=KILL:when={nth}");
            let options = ["-e", "trace=rename,renameat,renameat2", "-e", &inject];
            let run = traced(&stage, &words, &options).way(Way::Path).run();
            if run.status.success() {
                assert!(nth > 2, "{run:?}");
                break;
            }
            // Everything runs under one of them only, and lists under two: programs that filter run under three.
            let runs = |words: &[&str]| {
                let guard = programs().guard.display().to_string();
                let env = stage.environment().into_iter().filter(|e| !e.starts_with(b"PATH="));
                let env: Vec<Vec<u8>> = env.chain([b"PATH=/usr/bin:/bin".to_vec()]).collect();
                let all = [&[guard.as_str(), "check"], words].concat();
                stage.cast(&all).way(Way::Path).env(env).run().code() == 0
            };
            let tool = stage.text("bin/tool");
            let seen = match (
                runs(&["--", &tool]),
                runs(&["-c", "ls > /dev/null"]),
                runs(&["-c", "echo a | wc -w"]),
            ) {
                (true, ..) => 3,
                (_, true, _) => 2,
                (_, _, true) => 1,
                _ => 0,
            };
            let most = before.unwrap_or(1).max(wanted);
            assert!(seen <= most, "{before:?} {wanted_name}, killed at {nth}: {seen}");
            // What is unfinished denies or is the embedded preset; else it is one of the two.
            assert!(seen <= 1 || Some(seen) == before || seen == wanted, "{wanted_name} {nth}: {seen}");
            let again = ctl(&stage, &[&["init", "--preset", wanted_name][..], force].concat());
            let done = again.code() == 0;
            let complete = fs::read_to_string(stage.path(DOC)).is_ok_and(|d| !d.contains("unfinished"));
            assert!(complete && (done || again.stderr.contains("is there already")), "{nth}: {again:?}");
            assert!(stage.path("guard/config.json").exists(), "{nth}: {again:?}");
            if before.is_some() {
                let old =
                    fs::read_to_string(stage.path("guard/exec-approvals.json.bak")).expect("the old one");
                assert!(!old.contains("unfinished"), "{old}");
            }
        }
    }
}

#[test]
fn the_log_survives_torn_and_foreign_lines() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    stage.run(&["tool", "\x1b[2Jx"]).allowed();
    let _ = stage.run(&["tool2"]);
    let log = stage.path("guard/journal/journal.jsonl");
    let mut bytes = fs::read(&log).expect("a journal");
    bytes.extend_from_slice(b"\xff\xfe\n[]\n{\"ts\": 1, \"decis");
    fs::write(&log, bytes).expect("journal");
    own(&log);
    let run = ctl(&stage, &["log", "show"]);
    said(&run, 0, "3 ");
    assert!(!run.stdout.contains('\x1b') && run.stdout.contains("tool"), "{run:?}");
    let run = ctl(&stage, &["log", "show", "--json", "--decision", "allow"]);
    let lines: Vec<Value> = run.stdout.lines().map(|l| serde_json::from_str(l).expect("a record")).collect();
    assert_eq!(lines.len(), 1, "{run:?}");
    assert_eq!(lines[0]["decision"], "allow");
    assert_eq!(ctl(&stage, &["log", "show", "--json", "--agent", "nobody"]).code(), 1);
    said(&ctl(&stage, &["log", "show", "--since", "yesterday"]), 2, "--since");
}

#[test]
fn without_a_home_it_says_so() {
    let stage = Stage::new();
    // The user database names a home that does not exist, and the environment names none.
    let env: Vec<Vec<u8>> = stage
        .environment()
        .into_iter()
        .filter(|e| !e.starts_with(b"HOME=") && !e.starts_with(b"EXEC_GUARD_HOME="))
        .collect();
    let run = cast(&stage, &["approvals", "get"]).env(env.clone()).run();
    said(&run, 0, "cautious");
    if crate::stage::player().is_some() {
        let run = cast(&stage, &["approvals", "allowlist", "add", "/usr/bin/x"]).env(env).run();
        assert_eq!(run.code(), 125, "{run:?}");
    }
}

#[test]
fn words_for_shells_and_people() {
    let stage = Stage::new();
    for shell in ["bash", "zsh", "fish"] {
        said(&ctl(&stage, &["completions", shell]), 0, "allowlist");
    }
    said(&ctl(&stage, &["--version"]), 0, "exec-guardctl ");
    let help = ctl(&stage, &["approvals", "allowlist", "add", "--help"]);
    said(&help, 0, "Exit codes:");
    assert!(help.stderr.is_empty(), "{help:?}");
    for bad in
        [&["frobnicate"][..], &["doctors"], &["approvals"], &[], &["init"], &["log", "show", "-n", "x"]]
    {
        let run = ctl(&stage, bad);
        assert!(run.code() == 2 && run.stdout.is_empty(), "{bad:?}: {run:?}");
    }
    // The guard hands words it does not know to the program beside it, which knows what was meant by them.
    said(&stage.guard(&["approvals", "get"]), 0, "cautious");
    said(&stage.guard(&["git", "status"]), 2, "exec-guard -- git status");
    let nested = ctl(&stage, &["log", "git"]);
    assert!(nested.code() == 2 && !nested.stderr.contains("exec-guard -- "), "{nested:?}");
    // A reader that goes away is no fault.
    let run = stage
        .cast(&["/bin/sh", "-c", &format!("{} --help | /usr/bin/head -n 1", words(&[])[0])])
        .way(Way::Path)
        .run();
    assert_eq!(run.code(), 0, "{run:?}");
}
