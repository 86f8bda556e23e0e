//! `doctor`, sabotaged: each layer is installed, found live, taken out of the way in one way or another, and missed.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::install::{ctl, doctor, done, environment, says};
use crate::stage::service::Service;
use crate::stage::{Stage, own};

const AGENTS: &[(&str, &str)] = &[
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("copilot", ".copilot/hooks/exec-guard.json"),
    ("cursor", ".cursor/hooks.json"),
    ("opencode", ".config/opencode/plugins/exec-guard.js"),
    ("openclaw", ".openclaw/openclaw.json"),
    ("goose", ".agents/plugins/exec-guard/hooks/hooks.json"),
    ("crush", ".config/crush/crush.json"),
    ("qwen", ".qwen/settings.json"),
    ("cline", ".cline/hooks/PreToolUse"),
    ("pi", ".pi/agent/extensions/exec-guard.js"),
];

fn all() -> Vec<&'static str> {
    AGENTS.iter().map(|(id, _)| *id).collect()
}

/// The hooks of these agents, by a guard of the stage's own.
fn stage(agents: &[&str]) -> Stage {
    let stage = Stage::new().tool("tool");
    let words = ["install", "--programs", &stage.text("guard/programs"), "--agent", &agents.join(",")];
    done(&ctl(&stage, &words).run(), 0);
    stage
}

/// Checks that of the hooks that are installed exactly these are not live.
#[track_caller]
fn only(stage: &Stage, missed: &[&str]) {
    let (code, rows) = doctor(stage);
    let here = |id: &str| rows.iter().any(|(a, _)| *a == format!("agent:{id}"));
    assert!(missed.iter().all(|id| here(id)), "{rows:?}");
    for (id, _) in AGENTS.iter().filter(|(id, _)| here(id)) {
        let area = format!("agent:{id}");
        let states: Vec<&str> = rows.iter().filter(|(a, _)| *a == area).map(|(_, s)| s.as_str()).collect();
        let bad = states.iter().any(|s| ["not in the way", "broken"].contains(s));
        assert_eq!(bad, missed.contains(id), "{id}: {states:?}");
        assert_eq!(states.contains(&"live"), !bad, "{id}: {states:?}");
    }
    assert_eq!(code, i32::from(!missed.is_empty()), "{rows:?}");
}

/// Changes a file of the home, and gives back how to mend it.
fn spoil(stage: &Stage, rel: &str, how: impl FnOnce(&str) -> Option<String>) -> Box<dyn FnOnce()> {
    let path = stage.path("home").join(rel);
    let before = fs::read(&path).expect("a settings file");
    let mode = fs::metadata(&path).expect("a settings file").permissions();
    match how(std::str::from_utf8(&before).expect("text")) {
        Some(text) => fs::write(&path, text).expect("written"),
        None => fs::remove_file(&path).expect("removed"),
    }
    Box::new(move || {
        fs::write(&path, before).expect("written");
        fs::set_permissions(&path, mode).expect("mode");
        own(&path);
    })
}

#[test]
fn hooks_are_live_until_somebody_spoils_them() {
    let stage = stage(&all());
    only(&stage, &[]);
    // All at once, so that the doctor is called once a way.
    type How = fn(&str) -> Option<String>;
    let other: How = |text| {
        let text = text.replace("/exec-guard\";", "/other\";").replace("/exec-guard hook", "/other hook");
        let text = text.replace("\"exec-guard\": {", "\"other\": {");
        Some(text)
    };
    let ways: &[(&str, How)] = &[
        ("blanked", |_| Some(String::new())),
        ("removed", |_| None),
        ("another command", other),
        ("another agent's", |text| {
            let text = text.replace(" hook ", " hook x").replace("AGENT = \"", "AGENT = \"x");
            Some(text.replace("/openclaw\"", "/other\""))
        }),
        ("half of it", |text| text.get(..text.len() / 2).map(str::to_owned)),
    ];
    for (name, how) in ways {
        println!("{name}");
        let mend: Vec<_> = AGENTS.iter().map(|(_, rel)| spoil(&stage, rel, how)).collect();
        only(&stage, &all());
        mend.into_iter().for_each(|mend| mend());
    }
    only(&stage, &[]);
}

#[test]
fn a_hook_that_is_switched_off_is_missed() {
    let stage = stage(&["claude", "codex", "gemini", "qwen", "openclaw", "cline", "copilot", "pi"]);
    let with = |text: &str, f: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(text).expect("JSON");
        f(&mut value);
        Some(value.to_string())
    };
    type Change = &'static dyn Fn(&mut Value);
    let cases: &[(&str, &str, Change)] = &[
        ("claude", ".claude/settings.json", &|v| v["disableAllHooks"] = true.into()),
        ("claude", ".claude/settings.json", &|v| v["hooks"]["PreToolUse"][0]["matcher"] = "Edit".into()),
        ("claude", ".claude/settings.json", &|v| {
            v["hooks"]["PreToolUse"][0]["hooks"][0]["if"] = "Bash(git *)".into();
        }),
        ("claude", ".claude/settings.json", &|v| {
            v["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = true.into();
        }),
        ("codex", ".codex/hooks.json", &|v| v["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 5.into()),
        ("codex", ".codex/hooks.json", &|v| {
            let list = v["hooks"]["PreToolUse"].as_array_mut().expect("a list");
            list.insert(0, json!({"hooks": []}));
        }),
        ("gemini", ".gemini/settings.json", &|v| v["hooksConfig"] = json!({"enabled": false})),
        ("gemini", ".gemini/settings.json", &|v| v["hooksConfig"] = json!({"disabled": ["exec-guard"]})),
        ("qwen", ".qwen/settings.json", &|v| v["disableAllHooks"] = true.into()),
        ("openclaw", ".openclaw/openclaw.json", &|v| {
            v["plugins"]["entries"]["exec-guard"]["enabled"] = false.into();
        }),
        ("openclaw", ".openclaw/openclaw.json", &|v| v["plugins"]["enabled"] = false.into()),
        ("openclaw", ".openclaw/openclaw.json", &|v| v["plugins"]["allow"] = json!(["other"])),
        ("openclaw", ".openclaw/openclaw.json", &|v| v["plugins"]["deny"] = json!(["x", "exec-guard"])),
        ("copilot", ".copilot/hooks/exec-guard.json", &|v| {
            v["hooks"]["preToolUse"][0]["timeoutSec"] = 0.into();
        }),
        ("copilot", ".copilot/hooks/exec-guard.json", &|v| {
            v["hooks"]["preToolUse"][0]["timeoutSec"] = 5.into();
        }),
        ("copilot", ".copilot/hooks/exec-guard.json", &|v| v["disableAllHooks"] = true.into()),
        ("claude", ".claude/settings.json", &|v| v["env"] = json!({"CLAUDE_CODE_SIMPLE": "1"})),
        // The agent loads nothing of such a file.
        ("claude", ".claude/settings.json", &|v| v["permissions"] = json!({"allow": 5})),
        ("claude", ".claude/settings.json", &|v| {
            let list = v["hooks"]["PreToolUse"].as_array_mut().expect("a list");
            list.push(json!({"matcher": 5, "hooks": "x"}));
        }),
        ("codex", ".codex/hooks.json", &|v| {
            v["hooks"]["PreToolUse"].as_array_mut().expect("a list").push(5.into());
        }),
        ("codex", ".codex/hooks.json", &|v| v["hooks"]["Stop"] = json!([{"hooks": [{"type": "zzz"}]}])),
    ];
    for (id, rel, how) in cases {
        let mend = spoil(&stage, rel, |text| with(text, how));
        only(&stage, &[id]);
        mend();
    }
    for (id, rel, ways) in [
        ("claude", ".claude/settings.json", &["// c\n{}", "/* c */{}", "{,}"][..]),
        ("codex", ".codex/hooks.json", &["// c\n{}", "{,}", "\u{feff}{}"]),
        ("gemini", ".gemini/settings.json", &["{,}", "\u{feff}{}"]),
    ] {
        for way in ways {
            // In front of the text, or its last comma.
            let mend = spoil(&stage, rel, |text| match way.strip_suffix("{}") {
                Some(front) => Some(format!("{front}{text}")),
                None => Some(format!("{},}}", text.trim_end().strip_suffix('}').expect("an object"))),
            });
            println!("{id} {way:?}");
            only(&stage, &[id]);
            mend();
        }
    }
    // A byte order mark that the agent takes, and comments.
    for (rel, front) in [(".claude/settings.json", "\u{feff}"), (".qwen/settings.json", "\u{feff}// c\n")] {
        let mend = spoil(&stage, rel, |text| Some(format!("{front}{text}")));
        only(&stage, &[]);
        mend();
    }
    for text in ["[features]\nhooks = false\n", "[features]\ncodex_hooks = false\n", "enabled = false\n", ""]
    {
        let mend = spoil(&stage, ".codex/config.toml", |old| {
            Some(match text {
                "" => String::new(),
                // In the table of the hook, which is the last.
                "enabled = false\n" => format!("{old}{text}"),
                _ => format!("{text}{old}"),
            })
        });
        only(&stage, &["codex"]);
        mend();
    }
    let script = stage.path("home/.cline/hooks/PreToolUse");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).expect("mode");
    only(&stage, &["cline"]);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("mode");
    let settings = stage.path("home/.claude/settings.json");
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o666)).expect("mode");
    only(&stage, &["claude"]);
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o644)).expect("mode");
    // Files beside the one with the hook.
    for (id, folder, file, text) in [
        ("copilot", "home/.copilot", "settings.json", r#"{"disableAllHooks": true}"#),
        ("copilot", "work/.github/copilot", "settings.json", r#"{"disableAllHooks": true}"#),
        ("gemini", "home/.gemini", "trustedFolders.json", r#"{"$WORK": "DO_NOT_TRUST"}"#),
        ("qwen", "home/.qwen", "trustedFolders.json", r#"{"$WORK": "DO_NOT_TRUST"}"#),
        ("pi", "home/.pi/agent", "settings.json", r#"{"extensions": ["-extensions/exec-guard.js"]}"#),
        ("pi", "work/.pi", "settings.json", r#"{"extensions": ["./mine.js", "!**/*.js"]}"#),
        ("codex", "work/.codex", "config.toml", "[features]\nhooks = false\n"),
    ] {
        let mut made = std::path::PathBuf::new();
        for name in Path::new(folder) {
            made.push(name);
            if !stage.path(made.to_str().expect("text")).exists() {
                stage.folder(made.to_str().expect("text"), 0o755);
            }
        }
        let rel = format!("{folder}/{file}");
        stage.write(&rel, text.replace("$WORK", &stage.text("work")).as_bytes(), 0o644);
        println!("{rel}");
        only(&stage, &[id]);
        let other = text.replace("exec-guard", "other").replace("true", "false").replace("= false", "= true");
        let other = other.replace("DO_NOT_TRUST", "TRUST_FOLDER").replace("*.js", "*.ts");
        stage.write(&rel, other.replace("$WORK", &stage.text("work")).as_bytes(), 0o644);
        only(&stage, &[]);
        fs::remove_file(stage.path(&rel)).expect("removed");
    }
    let manifest = stage.path("guard/openclaw/openclaw.plugin.json");
    let text = fs::read(&manifest).expect("a manifest");
    fs::write(&manifest, "{}").expect("written");
    only(&stage, &["openclaw"]);
    fs::write(&manifest, text).expect("written");
    // A project's settings, where the doctor stands in it.
    stage.folder("work/.claude", 0o755);
    stage.write("work/.claude/settings.local.json", b"{\"disableAllHooks\": true}", 0o644);
    only(&stage, &["claude"]);
    // Files that never end or never begin: not read, and told.
    let local = stage.path("work/.claude/settings.local.json");
    for endless in [true, false] {
        fs::remove_file(&local).expect("removed");
        if endless {
            std::os::unix::fs::symlink("/dev/zero", &local).expect("a link");
        } else {
            nix::unistd::mkfifo(&local, nix::sys::stat::Mode::from_bits_truncate(0o666)).expect("a fifo");
            own(&local);
        }
        let run = ctl(&stage, &["doctor"]).run();
        done(&run, 0);
        assert!(run.stdout.contains("settings.local.json is no regular file"), "{run:?}");
    }
    fs::remove_dir_all(stage.path("work/.claude")).expect("removed");
    // Without its switch it works, and a person is told.
    let mend = spoil(&stage, ".claude/settings.json", |text| {
        with(text, &|v| {
            let hook = v["hooks"]["PreToolUse"][0]["hooks"][0].as_object_mut().expect("a hook");
            hook.remove("onFailure");
        })
    });
    let run = ctl(&stage, &["doctor"]).run();
    done(&run, 0);
    assert!(run.stdout.contains("without `onFailure`"), "{run:?}");
    mend();
    only(&stage, &[]);
}

#[test]
fn a_plugin_is_known_by_its_text_where_there_is_no_node() {
    let stage = stage(&["opencode", "pi", "openclaw"]);
    let look = || {
        let mut env = environment(&stage);
        env.retain(|e| !e.starts_with(b"PATH="));
        env.push(format!("PATH={}", stage.text("bin")).into_bytes());
        let run = ctl(&stage, &["doctor", "--json"]).env(env).run();
        let value: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let rows = value["findings"].as_array().expect("findings").clone();
        let live =
            |r: &&Value| r["state"] == "live" && r["area"].as_str().is_some_and(|a| a.starts_with("agent:"));
        (run.code(), rows.iter().filter(live).count())
    };
    assert_eq!(look(), (0, 3));
    for rel in ["home/.config/opencode/plugins/exec-guard.js", "guard/openclaw/index.js"] {
        let text = fs::read_to_string(stage.path(rel)).expect("a plugin");
        // Lets everything pass, and looks like ours at a glance.
        fs::write(stage.path(rel), text.replace("\"deny\"", "\"allow\"")).expect("written");
        assert_eq!(look(), (1, 2), "{rel}");
        fs::write(stage.path(rel), text).expect("written");
    }
    assert_eq!(look(), (0, 3));
}

#[test]
fn another_program_in_the_guards_place_is_missed() {
    let stage = stage(&all());
    done(&ctl(&stage, &["install", "--shims", "tool", "--links"]).run(), 0);
    let guard = stage.path("guard/programs/exec-guard");
    let real = stage.path("guard/programs/real");
    fs::rename(&guard, &real).expect("moved");
    for program in [Some("/bin/true"), Some("/bin/cat"), None] {
        let _ = fs::remove_file(&guard);
        if let Some(program) = program {
            fs::copy(program, &guard).expect("a copy");
            own(&guard);
        }
        only(&stage, &all());
        says(&stage, 1, "link:bash", "not in the way");
        says(&stage, 1, "shims", "not in the way");
    }
    let _ = fs::remove_file(&guard);
    fs::rename(&real, &guard).expect("moved");
    only(&stage, &[]);
    says(&stage, 0, "shims", "live");
}

#[test]
fn links_taken_out_of_path_are_missed() {
    let stage = stage(&["claude"]);
    done(&ctl(&stage, &["install", "--shims", "tool"]).run(), 0);
    says(&stage, 0, "shims", "live");
    let mut env = environment(&stage);
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(b"PATH=/usr/bin:/bin".to_vec());
    let run = ctl(&stage, &["doctor", "--json"]).env(env).run();
    done(&run, 1);
    assert!(run.stdout.contains("is not in this PATH"), "{run:?}");
    // A policy that anybody could have written stops everything: the layers stand, and the doctor tells.
    let policy = stage.path("guard/exec-approvals.json");
    fs::set_permissions(&policy, fs::Permissions::from_mode(0o666)).expect("mode");
    says(&stage, 1, "policy", "broken");
    says(&stage, 1, "agent:claude", "live");
}

#[test]
fn an_approver_that_was_killed_is_missed() {
    let stage = crate::stage::approver::stage();
    done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
    let rows = doctor(&stage).1;
    assert!(!rows.iter().any(|(a, _)| a == "approver"), "{rows:?}");
    let mut service = Service::start(&stage);
    says(&stage, 0, "approver", "live");
    let (code, _) = service.end(Some(Signal::SIGKILL));
    assert_eq!(code, 128 + 9);
    says(&stage, 1, "approver", "broken");
    let mut service = Service::start(&stage);
    says(&stage, 0, "approver", "live");
    service.end(Some(Signal::SIGTERM));
    // Stopped as it should be: what would be asked is refused, and a person may know.
    says(&stage, 0, "approver", "note");
}

#[test]
fn entries_that_say_too_much_or_nothing_are_told() {
    let stage = Stage::new();
    done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
    for (pattern, more, word) in [
        ("*", json!({}), "entry ignored"),
        ("/**", json!({}), "allows every program"),
        ("/usr/bin/../bin/git", json!({}), "can never match"),
        ("/usr/bin", json!({}), "can never match"),
        ("/usr/bin/git", json!({"expiresAt": 1000}), "can never match"),
    ] {
        let mut entry = json!({"pattern": pattern});
        entry.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let doc = json!({"version": 1, "agents": {"*": {"security": "allowlist", "ask": "on-miss",
            "askFallback": "deny", "allowlist": [entry]}}});
        stage.write("guard/exec-approvals.json", doc.to_string().as_bytes(), 0o600);
        let run = ctl(&stage, &["doctor"]).run();
        assert!(run.stdout.contains(word) && run.stdout.contains(pattern), "{pattern}: {run:?}");
    }
    assert!(Path::new("/usr/bin").is_dir());
}
