//! What `install`, `doctor` and `uninstall` believe of files that others write: nothing that a settings file names is
//! run, what is weak is put right or told, and no text of an agent's is lost.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::install::{ctl, doctor, done, environment, homes, says};
use crate::stage::{Run, Stage, own, programs};

/// A text in a file of the stage, with the folders above it.
fn write(stage: &Stage, rel: &str, text: &str, mode: u32) {
    let above: Vec<&Path> = Path::new(rel).ancestors().skip(1).collect();
    for folder in above.iter().rev().filter(|f| f.components().count() > 0) {
        if !stage.path(folder.to_str().expect("text")).exists() {
            stage.folder(folder.to_str().expect("text"), 0o755);
        }
    }
    stage.write(rel, text.as_bytes(), mode);
}

fn read(stage: &Stage, rel: &str) -> String {
    fs::read_to_string(stage.path(rel)).unwrap_or_else(|e| panic!("{rel}: {e}"))
}

/// Claude Code's settings with one hook of this command.
fn hook(command: &str) -> String {
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": command, "timeout": 600, "onFailure": "block"}]}]}})
    .to_string()
}

fn ready() -> Stage {
    let stage = Stage::new();
    done(&ctl(&stage, &["init", "--preset", "cautious"]).run(), 0);
    stage.folder("work/.git", 0o755);
    stage
}

/// The command line that the installer writes.
fn ours(id: &str) -> String {
    format!("{} hook {id}", programs().guard.display())
}

#[track_caller]
fn untouched(stage: &Stage, what: &str, run: &Run) {
    assert!(!stage.path("home/ran").exists(), "{what} was run: {run:?}");
}

#[test]
fn nothing_that_a_project_names_is_run() {
    let stage = ready();
    let touch = format!("/usr/bin/touch {}", stage.text("home/ran"));
    let guard = ours("claude");
    // Says no to everything, as the guard would, and leaves a mark.
    let no = "echo '{\"reason\":\"exec-guard: denied [x] y\"}'; echo 'exec-guard: denied [x] y' >&2; exit 2";
    write(&stage, "work/x/exec-guard", &format!("#!/bin/sh\n{touch}\n{no}\n"), 0o755);
    let absolute = format!("{} hook claude", stage.text("work/x/exec-guard"));
    let tricks = [
        format!("{touch}; x/exec-guard hook claude"),
        "x/exec-guard hook claude".to_owned(),
        absolute,
        format!("{touch}; {guard}"),
        format!("{guard}; {touch}"),
        format!("{guard} `{touch}`"),
        format!("$({touch}) {guard}"),
        format!("{touch}\n{guard}"),
        format!("PATH=$({touch}) {guard}"),
        format!("'{}/../x/exec-guard' hook claude", stage.text("work/.git")),
    ];
    for trick in tricks {
        write(&stage, "work/.claude/settings.json", &hook(&trick), 0o644);
        let before = homes(&stage);
        let dry = ctl(&stage, &["install", "--agent", "claude", "--project", "--dry-run"]).run();
        done(&dry, 0);
        untouched(&stage, &trick, &dry);
        assert_eq!(homes(&stage), before);
        let run = ctl(&stage, &["install", "--agent", "claude", "--project"]).run();
        done(&run, 0);
        untouched(&stage, &trick, &run);
        assert!(!run.stderr.contains("and guards"), "{trick}: {run:?}");
        // Ours stands beside it.
        let is: Value = serde_json::from_str(&read(&stage, "work/.claude/settings.json")).expect("JSON");
        let list = is.pointer("/hooks/PreToolUse").and_then(Value::as_array).expect("a list");
        assert!(list.iter().any(|g| g["hooks"][0]["command"] == guard.as_str()), "{trick}: {is}");
        says(&stage, 0, &format!("agent:claude:{}", stage.text("work")), "live");
        // A later pull that takes ours out again.
        write(&stage, "work/.claude/settings.json", &hook(&format!("{trick} # exec-guard")), 0o644);
        let run = ctl(&stage, &["doctor"]).run();
        done(&run, 1);
        untouched(&stage, &trick, &run);
        write(&stage, "work/.claude/settings.json", &hook(&trick), 0o644);
        let run = ctl(&stage, &["doctor"]).run();
        done(&run, 1);
        untouched(&stage, &trick, &run);
        for words in [&["refresh"][..], &["import", "claude", "--dry-run"], &["uninstall"]] {
            untouched(&stage, &trick, &ctl(&stage, words).run());
        }
    }
}

#[test]
fn a_plugin_or_a_script_that_was_changed_is_not_loaded() {
    let stage = ready();
    let mark = stage.text("home/ran");
    done(&ctl(&stage, &["install", "--agent", "opencode", "--project"]).run(), 0);
    done(&ctl(&stage, &["install", "--agent", "pi,openclaw,cline"]).run(), 0);
    let (code, rows) = doctor(&stage);
    assert_eq!(code, 0, "{rows:?}");
    let js = format!("import fs from \"node:fs\"; fs.writeFileSync(\"{mark}\", \"\"); export default {{}}\n");
    let sh = format!("#!/bin/sh\n: >{mark}\n");
    for (area, rel, front) in [
        (format!("agent:opencode:{}", stage.text("work")), "work/.opencode/plugins/exec-guard.js", &js),
        ("agent:pi".to_owned(), "home/.pi/agent/extensions/exec-guard.js", &js),
        ("agent:openclaw".to_owned(), "guard/openclaw/index.js", &js),
        ("agent:cline".to_owned(), "home/.cline/hooks/PreToolUse", &sh),
    ] {
        let was = read(&stage, rel);
        // In front of ours, where a look at the rest finds all as it should be; and alone.
        for text in [format!("{front}{was}"), format!("{was}{front}"), front.clone()] {
            fs::write(stage.path(rel), &text).expect("written");
            says(&stage, 1, &area, "not in the way");
            assert!(!stage.path("home/ran").exists(), "{rel} was loaded");
        }
        fs::write(stage.path(rel), was).expect("written");
        says(&stage, 0, &area, "live");
    }
}

/// A shell that the project brings, first in PATH.
#[test]
fn the_doctor_starts_no_program_of_the_project() {
    let stage = ready();
    done(&ctl(&stage, &["install", "--shims", "tool", "--shell", "bash"]).run(), 0);
    write(&stage, "work/bin/bash", &format!("#!/bin/sh\n: >{}\n", stage.text("home/ran")), 0o755);
    // A project's folder of programs, seen from a working tree within it.
    for dir in ["home/repo", "home/repo/lib", "home/repo/lib/.git"] {
        stage.folder(dir, 0o755);
    }
    write(&stage, "home/repo/bin/bash", &format!("#!/bin/sh\n: >{}\n", stage.text("home/ran")), 0o755);
    let mut env = environment(&stage);
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(
        format!("PATH={}:{}:/usr/bin:/bin", stage.text("home/repo/bin"), stage.text("guard/bin"))
            .into_bytes(),
    );
    let run = ctl(&stage, &["doctor"]).env(env).cwd(stage.path("home/repo/lib")).run();
    untouched(&stage, "lib", &run);
    for first in [stage.text("work/bin"), "bin".to_owned(), ".".to_owned(), String::new()] {
        let mut env = environment(&stage);
        let rest = format!("{}:/usr/bin:/bin", stage.text("guard/bin"));
        env.retain(|e| !e.starts_with(b"PATH="));
        env.push(format!("PATH={first}:{rest}").into_bytes());
        let run = ctl(&stage, &["doctor"]).env(env).run();
        untouched(&stage, &first, &run);
    }
}

/// What a hook of ours was bent to, in three ways; each is put right by the next `install`.
#[test]
fn a_hook_of_ours_that_was_weakened_is_put_right() {
    let stage = ready();
    for (key, bent) in [("async", json!(true)), ("if", json!("Bash(git *)")), ("args", json!(["x"]))] {
        let mut value: Value = serde_json::from_str(&hook(&ours("claude"))).expect("JSON");
        value["hooks"]["PreToolUse"][0]["hooks"][0][key] = bent;
        write(&stage, "home/.claude/settings.json", &value.to_string(), 0o600);
        says(&stage, 1, "agent:claude", "not in the way");
        let run = ctl(&stage, &["install", "--agent", "claude"]).run();
        done(&run, 0);
        assert!(!run.stdout.contains("all of it is there already"), "{key}: {run:?}");
        assert_eq!(read(&stage, "home/.claude/settings.json").matches(" hook claude").count(), 1, "{key}");
        says(&stage, 0, "agent:claude", "live");
        done(&ctl(&stage, &["uninstall"]).run(), 0);
    }
}

#[test]
fn a_hook_of_ours_that_was_changed_is_named_when_it_stays() {
    let stage = ready();
    let guard = ours("claude");
    for (from, to) in [
        ("\"Bash\"".to_owned(), "\"mcp__.*\"".to_owned()),
        (guard.clone(), format!("X=1 {guard}")),
        (guard.clone(), format!("{guard} 2>/dev/null")),
    ] {
        write(&stage, "home/.claude/settings.json", "{\"model\": \"x\"}\n", 0o600);
        done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
        let text = read(&stage, "home/.claude/settings.json").replace(&from, &to);
        write(&stage, "home/.claude/settings.json", &text, 0o600);
        for words in [&["uninstall", "--dry-run"][..], &["uninstall"]] {
            let run = ctl(&stage, words).run();
            done(&run, 0);
            let named = ["settings.json", " hook claude", "not as it was installed"];
            assert!(named.iter().all(|word| run.stderr.contains(word)), "{to}: {run:?}");
        }
        assert_eq!(read(&stage, "home/.claude/settings.json"), text);
    }
}

/// Emptied, and about to be written by a descriptor that is open.
#[test]
fn a_file_that_is_empty_for_a_moment_is_no_missing_one() {
    use std::io::Write;
    let stage = ready();
    let rel = "home/.claude/settings.json";
    for (word, was) in [("install", "{\"model\": \"x\"}".to_owned()), ("uninstall", hook(&ours("claude")))] {
        for blank in ["", " \n"] {
            write(&stage, rel, &was, 0o600);
            if word == "uninstall" {
                done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
            }
            let mut agent = fs::File::create(stage.path(rel)).expect("emptied");
            agent.write_all(blank.as_bytes()).expect("written");
            let run = ctl(&stage, &[word, "--agent", "claude"]).run();
            assert_ne!(run.code(), 0, "{run:?}");
            assert!(run.stderr.contains("settings.json") && run.stderr.contains("is empty"), "{run:?}");
            agent.write_all(was.as_bytes()).expect("written");
            drop(agent);
            assert_eq!(read(&stage, rel), format!("{blank}{was}"));
            done(&ctl(&stage, &[word, "--agent", "claude"]).run(), 0);
            let there = read(&stage, rel).contains(" hook claude");
            assert_eq!(there, word == "install");
            let _ = ctl(&stage, &["uninstall"]).run();
        }
    }
}

/// The same for files that may be empty: a person's start-up file, and TOML.
#[test]
fn what_is_being_written_is_not_taken_out() {
    use std::io::Write;
    let stage = ready();
    let was = "model = \"m\"\n".to_owned();
    for (rel, words) in [
        ("home/.bashrc", &["install", "--shims", "git", "--shell", "bash"][..]),
        ("home/.codex/config.toml", &["install", "--agent", "codex"]),
    ] {
        write(&stage, rel, &was, 0o600);
        let mut other = fs::File::create(stage.path(rel)).expect("emptied");
        let run = ctl(&stage, words).run();
        assert_ne!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains("by another program"), "{run:?}");
        other.write_all(was.as_bytes()).expect("written");
        drop(other);
        assert_eq!(read(&stage, rel), was);
        done(&ctl(&stage, words).run(), 0);
        assert!(read(&stage, rel).starts_with(&was));
        // Taken back neither: who has it open may be about to empty it.
        let other = fs::File::options().append(true).open(stage.path(rel)).expect("opened");
        assert_ne!(ctl(&stage, &["uninstall"]).run().code(), 0);
        drop(other);
        done(&ctl(&stage, &["uninstall"]).run(), 0);
        assert_eq!(read(&stage, rel), was);
        // One that is empty and nobody's.
        write(&stage, rel, "", 0o600);
        done(&ctl(&stage, words).run(), 0);
        done(&ctl(&stage, &["uninstall"]).run(), 0);
        assert_eq!(read(&stage, rel), "");
    }
}

/// What a run left that was killed may be what an agent wrote.
#[test]
fn a_text_that_is_not_ours_is_named_and_never_removed() {
    let stage = ready();
    let rel = "home/.claude/settings.json";
    let temp = "home/.claude/.settings.json.0123456789abcdef.tmp";
    write(&stage, rel, "{\"model\": \"x\"}\n", 0o600);
    done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
    let with = read(&stage, rel);
    let precious = "{\"model\": \"x\", \"precious\": 1}\n";
    stage.write(temp, precious.as_bytes(), 0o600);
    for words in [
        &["doctor"][..],
        &["install", "--agent", "claude"],
        &["install", "--agent", "claude", "--dry-run"],
        &["refresh"],
        &["install", "--agent", "gemini"],
        &["uninstall", "--agent", "claude", "--dry-run"],
        &["uninstall", "--agent", "claude"],
    ] {
        let run = ctl(&stage, words).run();
        let said = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(read(&stage, temp), precious, "{words:?}");
        assert!(
            said.contains(".settings.json.0123456789abcdef.tmp") || words.contains(&"gemini"),
            "{words:?}: {run:?}"
        );
    }
    fs::remove_file(stage.path(temp)).expect("removed");
    // What is nothing but ours, or what stands there without ours, goes.
    for left in [
        "{\"model\": \"x\"}\n".to_owned(),
        with.clone(),
        with.get(..with.len() / 2).expect("half").to_owned(),
    ] {
        stage.write(temp, left.as_bytes(), 0o600);
        done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
        done(&ctl(&stage, &["uninstall", "--agent", "claude"]).run(), 0);
        assert!(!stage.path(temp).exists(), "{left}");
    }
}

/// Claude Code starts every hook by another program.
#[test]
fn a_prefix_for_every_command_is_missed() {
    let stage = ready();
    done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
    let prefix = "{\"env\": {\"CLAUDE_CODE_SHELL_PREFIX\": \"/bin/true\"}}";
    for rel in ["work/.claude/settings.json", "work/.claude/settings.local.json"] {
        write(&stage, rel, prefix, 0o644);
        says(&stage, 1, "agent:claude", "not in the way");
        write(&stage, rel, "{\"env\": {\"CLAUDE_CODE_SHELL_PREFIX\": \"\"}}", 0o644);
        says(&stage, 0, "agent:claude", "live");
        fs::remove_file(stage.path(rel)).expect("removed");
    }
    let mut env = environment(&stage);
    env.push(b"CLAUDE_CODE_SHELL_PREFIX=/bin/true".to_vec());
    let run = ctl(&stage, &["doctor"]).env(env).run();
    done(&run, 1);
    assert!(run.stdout.contains("CLAUDE_CODE_SHELL_PREFIX"), "{run:?}");
    // A person's own, and the project that says otherwise.
    let mut value: Value = serde_json::from_str(&read(&stage, "home/.claude/settings.json")).expect("JSON");
    value["env"] = json!({"CLAUDE_CODE_SHELL_PREFIX": "/bin/true"});
    write(&stage, "home/.claude/settings.json", &value.to_string(), 0o600);
    says(&stage, 1, "agent:claude", "not in the way");
    value["env"] = json!({});
    value["disableAllHooks"] = true.into();
    write(&stage, "home/.claude/settings.json", &value.to_string(), 0o600);
    says(&stage, 1, "agent:claude", "not in the way");
    write(&stage, "work/.claude/settings.local.json", "{\"disableAllHooks\": false}", 0o644);
    says(&stage, 0, "agent:claude", "live");
}

/// A guard of the same bytes counts as long as nobody else can make it another program.
#[test]
fn a_guard_that_others_can_write_is_not_believed() {
    let stage = ready();
    stage.folder("team", 0o755);
    let team = stage.path("team/exec-guard");
    fs::copy(&programs().guard, &team).expect("a copy");
    own(&team);
    write(&stage, "home/.claude/settings.json", &hook(&format!("{} hook claude", team.display())), 0o600);
    says(&stage, 0, "agent:claude", "live");
    for path in [&team, &stage.path("team")] {
        let mode = fs::metadata(path).expect("there").permissions();
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("mode");
        says(&stage, 1, "agent:claude", "not in the way");
        fs::set_permissions(path, mode).expect("mode");
    }
    says(&stage, 0, "agent:claude", "live");
}
