//! Which documents are believed: owner, mode, content; and what the system layer holds over the user's.
//!
//! What is not believed denies everything and is named: `policy-unreadable`, status 125.
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};

use serde_json::{Value, json};

use crate::stage::{Cast, Run, Stage, Way, cannot, own, player, programs};

fn stage() -> Stage {
    Stage::new().tool("tool").tool("other").allowing(&["tool"])
}

fn mode(stage: &Stage, rel: &str, bits: u32) {
    fs::set_permissions(stage.path(rel), fs::Permissions::from_mode(bits)).expect("mode");
}

/// Refused because of that document, which is named.
#[track_caller]
fn unreadable(run: &Run, file: &str) {
    run.refused(125, "policy-unreadable");
    assert!(run.stderr.contains(file), "the file is not named: {run:?}");
}

#[test]
fn an_allowlisted_tool_runs_and_another_does_not() {
    let stage = stage();
    stage.run(&["tool", "x"]).allowed();
    stage.run(&["other"]).refused(126, "allowlist-miss");
    stage.run(&["nosuch"]).refused(127, "not-found");
}

#[test]
fn modes_of_the_user_layer() {
    let stage = stage().config(&json!({}));
    for file in ["guard/exec-approvals.json", "guard/config.json"] {
        for good in [0o600, 0o400, 0o640, 0o644, 0o440] {
            mode(&stage, file, good);
            stage.run(&["tool"]).allowed();
        }
        for bad in [0o660, 0o602, 0o666, 0o622, 0o777] {
            mode(&stage, file, bad);
            unreadable(&stage.run(&["tool"]), file.trim_start_matches("guard/"));
        }
        mode(&stage, file, 0o600);
    }
}

#[test]
fn owners_of_the_user_layer() {
    if player().is_none() {
        return cannot("giving files away needs root");
    }
    let stage = stage();
    let doc = stage.path("guard/exec-approvals.json");
    // Root may write a user's policy (a container's read-only mount); a third user may not.
    mode(&stage, "guard/exec-approvals.json", 0o644);
    chown(&doc, Some(0), Some(0)).expect("chown");
    stage.run(&["tool"]).allowed();
    chown(&doc, Some(4711), Some(4711)).expect("chown");
    unreadable(&stage.run(&["tool"]), "exec-approvals.json");
}

#[test]
fn a_document_nobody_can_read_denies() {
    let stage = stage();
    // Not the player's to read: unreadable is not the same as absent.
    mode(&stage, "guard/exec-approvals.json", 0o000);
    unreadable(&stage.run(&["tool"]), "exec-approvals.json");
    fs::remove_file(stage.path("guard/exec-approvals.json")).expect("remove");
    fs::create_dir(stage.path("guard/exec-approvals.json")).expect("a folder in its place");
    unreadable(&stage.run(&["tool"]), "exec-approvals.json");
}

#[test]
fn content_that_is_wrong_denies() {
    let stage = stage();
    let good = fs::read(stage.path("guard/exec-approvals.json")).expect("document");
    let entry = json!({"pattern": stage.text("bin/tool")});
    let doc = |main: Value| json!({"version": 1, "agents": {"main": main}}).to_string().into_bytes();
    let bad: Vec<(&str, Vec<u8>)> = vec![
        ("empty", vec![]),
        ("cut off", good[..good.len() - 3].to_vec()),
        ("not JSON", b"security = full".to_vec()),
        ("a list", b"[]".to_vec()),
        ("version 2", json!({"version": 2, "defaults": {"security": "full"}}).to_string().into_bytes()),
        ("no version", json!({"defaults": {"security": "full", "ask": "off"}}).to_string().into_bytes()),
        ("unknown security", doc(json!({"security": "Full", "allowlist": [entry]}))),
        ("unknown ask", doc(json!({"security": "full", "ask": "never"}))),
        ("security is a number", doc(json!({"security": 1}))),
        ("allowlist is an object", doc(json!({"security": "allowlist", "allowlist": {"0": entry}}))),
        (
            "twice the same key",
            br#"{"version":1,"defaults":{"security":"deny","security":"full","ask":"off"}}"#.to_vec(),
        ),
        ("invalid UTF-8", [b"{\"version\":1,\"x\":\"".as_slice(), b"\xff\"}"].concat()),
        ("two documents", [good.as_slice(), good.as_slice()].concat()),
        ("deep", [vec![b'['; 200_000], vec![b']'; 200_000]].concat()),
    ];
    for (what, bytes) in bad {
        stage.write("guard/exec-approvals.json", &bytes, 0o600);
        let run = stage.run(&["tool"]);
        assert!(run.records.is_empty() && run.code() == 125, "{what}: {run:?}");
        unreadable(&run, "exec-approvals.json");
    }
    // The control: it is the content that was wrong.
    stage.write("guard/exec-approvals.json", &good, 0o600);
    stage.run(&["tool"]).allowed();
}

#[test]
fn without_any_document_nothing_runs_unattended() {
    let stage = Stage::new().tool("tool");
    let run = stage.run(&["tool"]);
    assert!(run.records.is_empty() && run.code() == 126, "{run:?}");
}

#[test]
fn a_named_folder_that_is_not_there_denies_until_it_is_made() {
    let stage = stage();
    fs::remove_dir_all(stage.path("guard")).expect("remove");
    let run = stage.run(&["tool"]);
    unreadable(&run, "/guard");
    assert!(run.stderr.contains("EXEC_GUARD_HOME"), "the variable is not named: {run:?}");
    // Making a policy there is what the variable may be set for; the stage's folder has to be the player's for it.
    own(stage.root());
    let ctl = programs().ctl.to_str().expect("path");
    let init = stage.cast(&[ctl, "init", "--preset", "yolo"]).way(Way::Path).run();
    assert_eq!(init.code(), 0, "{init:?}");
    stage.run(&["tool"]).allowed();
}

/// A run with `DIR/system` as `/etc/exec-guard`.
fn with_system<'a>(stage: &'a Stage, words: &[&str]) -> Cast<'a> {
    let system = stage.text("system");
    let mut chain = vec!["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/etc"];
    for keep in ["/etc/passwd", "/etc/group", "/etc/alternatives", "/etc/ld.so.cache"] {
        chain.extend(["--ro-bind-try", keep, keep]);
    }
    chain.extend(["--bind", &system, "/etc/exec-guard", "--"]);
    if player().is_some() {
        chain.extend(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    stage.cast(words).chain(&chain).with_root().way(Way::Dash)
}

fn system(stage: &Stage, doc: &Value) {
    let dir = stage.path("system");
    fs::create_dir_all(&dir).expect("folder");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).expect("mode");
    let file = dir.join("exec-approvals.json");
    fs::write(&file, doc.to_string()).expect("document");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("mode");
}

/// True where the system layer can be put in place.
fn has_system_layer() -> bool {
    if player().is_none() {
        cannot("files of root's need root");
        return false;
    }
    if let Some(why) = crate::stage::view::impossible() {
        cannot(&why);
        return false;
    }
    true
}

#[test]
fn the_system_layer_is_the_floor() {
    if !has_system_layer() {
        return;
    }
    let stage = Stage::new().tool("tool").tool("other");
    let entry = |t: &str| json!({"pattern": stage.text(&format!("bin/{t}"))});
    let main = |v: Value| json!({"version": 1, "agents": {"main": v}});
    let user_full = main(json!({"security": "full", "ask": "off", "askFallback": "full"}));
    let user_both = main(json!({"security": "allowlist", "allowlist": [entry("tool"), entry("other")]}));
    let lists_tool = main(json!({"security": "allowlist", "ask": "on-miss", "allowlist": [entry("tool")]}));
    let denies = main(json!({"security": "full", "ask": "off", "denylist": [entry("other")]}));
    let mut merges = lists_tool.clone();
    merges["userPolicy"] = "merge".into();
    // What the system says, what the user says, whether `tool` and `other` run.
    let table = [
        ("a full user under an allowlist", &lists_tool, &user_full, true, false),
        ("lists are intersected", &lists_tool, &user_both, true, false),
        ("lists are joined where the system says merge", &merges, &user_both, true, true),
        ("a denylist holds", &denies, &user_full, true, false),
        ("security deny", &main(json!({"security": "deny"})), &user_full, false, false),
        (
            "ask always",
            &main(json!({"security": "full", "ask": "always", "askFallback": "deny"})),
            &user_full,
            false,
            false,
        ),
        ("a floor that is no bar", &main(json!({"security": "full", "ask": "off"})), &user_both, true, true),
    ];
    for (what, above, below, tool, other) in table {
        system(&stage, above);
        stage.write("guard/exec-approvals.json", below.to_string().as_bytes(), 0o600);
        for (name, runs) in [("tool", tool), ("other", other)] {
            let run = with_system(&stage, &[name]).run();
            assert_eq!(run.records.len(), usize::from(runs), "{what}, {name}: {run:?}");
        }
    }
}

#[test]
fn the_system_layer_is_root_s_alone() {
    if !has_system_layer() {
        return;
    }
    let stage = stage();
    let doc = json!({"version": 1, "agents": {"main": {"security": "full", "ask": "off"}}});
    let file = stage.path("system/exec-approvals.json");
    system(&stage, &doc);
    with_system(&stage, &["tool"]).run().allowed();
    for bits in [0o664, 0o646, 0o666] {
        system(&stage, &doc);
        fs::set_permissions(&file, fs::Permissions::from_mode(bits)).expect("mode");
        unreadable(&with_system(&stage, &["tool"]).run(), "/etc/exec-guard");
    }
    system(&stage, &doc);
    chown(&file, Some(65534), None).expect("chown");
    unreadable(&with_system(&stage, &["tool"]).run(), "/etc/exec-guard");
    chown(&file, Some(0), None).expect("chown");
    // The folder decides who can replace the file.
    for (owner, bits) in [(0, 0o775), (0, 0o757), (65534, 0o755)] {
        system(&stage, &doc);
        fs::set_permissions(stage.path("system"), fs::Permissions::from_mode(bits)).expect("mode");
        chown(stage.path("system"), Some(owner), None).expect("chown");
        unreadable(&with_system(&stage, &["tool"]).run(), "/etc/exec-guard");
    }
}
