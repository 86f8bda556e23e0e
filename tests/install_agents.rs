//! `install --agent`: a hook in an agent's own settings, every other byte as it was, and out again.
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use crate::install::{ctl, done, environment, homes, killed_half_way};
use crate::stage::programs::repository;
use crate::stage::{Run, Stage, Way, own};

/// An agent, its settings file below the home, and whether that is a file of ours.
const AGENTS: &[(&str, &str, bool)] = &[
    ("claude", ".claude/settings.json", false),
    ("codex", ".codex/hooks.json", false),
    ("gemini", ".gemini/settings.json", false),
    ("copilot", ".copilot/hooks/exec-guard.json", true),
    ("cursor", ".cursor/hooks.json", false),
    ("opencode", ".config/opencode/plugins/exec-guard.js", true),
    ("openclaw", ".openclaw/openclaw.json", false),
    ("goose", ".agents/plugins/exec-guard/hooks/hooks.json", true),
    ("crush", ".config/crush/crush.json", false),
    ("qwen", ".qwen/settings.json", false),
    ("cline", ".cline/hooks/PreToolUse", true),
    ("pi", ".pi/agent/extensions/exec-guard.js", true),
];

fn all() -> String {
    AGENTS.iter().map(|(id, ..)| *id).collect::<Vec<_>>().join(",")
}

/// A file of the player's in the home, with the folders above it.
fn settings(stage: &Stage, rel: &str, text: &str) {
    let path = Path::new("home").join(rel);
    let mut folders: Vec<&Path> = path.ancestors().skip(1).filter(|p| p.components().count() > 1).collect();
    folders.reverse();
    for folder in folders {
        if !stage.path(folder.to_str().expect("text")).exists() {
            stage.folder(folder.to_str().expect("text"), 0o755);
        }
    }
    stage.write(path.to_str().expect("text"), text.as_bytes(), 0o600);
}

fn read(stage: &Stage, rel: &str) -> String {
    fs::read_to_string(stage.path("home").join(rel)).unwrap_or_else(|e| panic!("{rel}: {e}"))
}

/// What people have in the file already, as each agent loads it.
const BEFORE: &[fn(&str) -> &'static str] = &[
    |id| match id {
        "openclaw" => {
            "{\n  // my model\n  model: 'x', /* two */\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]},\n}\n"
        }
        "gemini" | "qwen" => {
            "{\n  // my model\n  \"model\": \"x\", /* two */\n  \"tools\": {\"allow\": [\"x\"]}\n}\n"
        }
        "codex" => "{\n  \"description\": \"// mine\",\n  \"hooks\": {\"Stop\": []}\n}\n",
        _ => "{\n  \"model\": \"x // no comment\",\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n",
    },
    |id| match id {
        "codex" => "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t}\r\n}",
        // A byte order mark, which these two take.
        "claude" | "qwen" => "\u{feff}{\r\n\t\"a\": [\r\n\t\t1\r\n\t]\r\n}",
        _ => "{\r\n\t\"a\": [\r\n\t\t1\r\n\t]\r\n}",
    },
    |_| "{}",
    |_| "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}}\n",
];

#[test]
fn a_hook_goes_in_and_out_again_to_the_byte() {
    for text in BEFORE {
        let stage = Stage::new();
        for (id, rel, _) in AGENTS.iter().filter(|(_, _, whole)| !whole) {
            settings(&stage, rel, text(id));
        }
        settings(&stage, ".codex/config.toml", "model = \"x\"\n# the end");
        let before = homes(&stage);
        let dry = ctl(&stage, &["install", "--agent", &all(), "--dry-run"]).run();
        done(&dry, 0);
        assert_eq!(homes(&stage), before, "a dry run changes nothing");
        assert!(
            dry.stdout.lines().any(|l| l.starts_with("    + ") && l.contains("exec-guard hook claude")),
            "{dry:?}"
        );
        done(&ctl(&stage, &["install", "--agent", &all()]).run(), 0);
        let after = homes(&stage);
        for (id, rel, _) in AGENTS {
            let now = read(&stage, rel);
            assert!(now.contains("exec-guard"), "{id}: {now}");
            let kept = text(id).bytes().all({
                let mut bytes = now.bytes();
                move |b| bytes.any(|n| n == b)
            });
            assert!(kept || AGENTS.iter().any(|(i, _, whole)| i == id && *whole), "{id}: {now}");
        }
        let again = ctl(&stage, &["install", "--agent", &all()]).run();
        done(&again, 0);
        assert!(again.stdout.contains("all of it is there already"), "{again:?}");
        assert_eq!(homes(&stage), after);
        // One goes alone, and comes back.
        done(&ctl(&stage, &["uninstall", "--agent", "claude"]).run(), 0);
        assert_eq!(read(&stage, ".claude/settings.json"), text("claude"));
        assert!(read(&stage, ".gemini/settings.json").contains("exec-guard"));
        done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
        assert_eq!(homes(&stage).get(".claude/settings.json"), after.get(".claude/settings.json"));
        done(&ctl(&stage, &["uninstall"]).run(), 0);
        assert_eq!(homes(&stage), before);
    }
}

#[test]
fn where_there_was_nothing_nothing_stays() {
    let stage = Stage::new();
    let before = homes(&stage);
    done(&ctl(&stage, &["install", "--agent", &all()]).run(), 0);
    for (id, rel, _) in AGENTS.iter().filter(|(_, rel, _)| rel.ends_with(".json")) {
        let value: Value = serde_json::from_str(&read(&stage, rel)).unwrap_or_else(|e| panic!("{id}: {e}"));
        assert!(value.is_object(), "{id}");
    }
    let mode =
        fs::metadata(stage.path("home/.cline/hooks/PreToolUse")).expect("a script").permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    assert_eq!(homes(&stage), before);
}

/// The command in the settings, called as the agent calls it, with a call of its own.
#[test]
fn what_is_written_there_says_no_to_what_is_refused() {
    let stage = Stage::new().tool("git").tool("rm");
    let stage = stage
        .policy(&serde_json::json!({"version": 1, "defaults": {"security": "allowlist", "ask": "off"},
        "agents": {"*": {"denylist": [{"pattern": "rm"}]}}}));
    done(&ctl(&stage, &["install", "--agent", &all()]).run(), 0);
    for (id, rel, _) in AGENTS {
        let text = read(&stage, rel);
        let command = match serde_json::from_str::<Value>(&text) {
            Ok(value) => commands(&value),
            Err(_) if *id == "cline" => vec![stage.path("home").join(rel).to_str().expect("text").to_owned()],
            // Plugins start the program that they name.
            Err(_) => guards(&text, id),
        };
        let command = match (*id, command) {
            ("openclaw", _) => {
                guards(&fs::read_to_string(stage.path("guard/openclaw/index.js")).expect("a plugin"), id)
            }
            (_, command) => command,
        };
        let [command] = command.as_slice() else { panic!("{id}: {command:?} in {text}") };
        let call = repository().join("tests/golden/hooks").join(id).join("refused.in.json");
        let call =
            fs::read_to_string(call).expect("a call").replace("$STAGE", stage.root().to_str().expect("text"));
        let run: Run = stage
            .cast(&["/bin/sh", "-c", command])
            .way(Way::Path)
            .env(environment(&stage))
            .stdin(call.as_bytes())
            .run();
        assert_eq!(run.code(), 2, "{id}: {run:?}");
        assert!(run.stderr.starts_with("exec-guard: denied ["), "{id}: {run:?}");
    }
}

/// All texts of keys that hold a command.
fn commands(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(k, v)| match v.as_str() {
                Some(text) if k == "command" || k == "bash" => vec![text.to_owned()],
                _ => commands(v),
            })
            .collect(),
        Value::Array(list) => list.iter().flat_map(commands).collect(),
        _ => Vec::new(),
    }
}

fn guards(script: &str, id: &str) -> Vec<String> {
    let line = script.lines().find_map(|l| l.strip_prefix("const GUARD = ")?.strip_suffix(';'));
    line.map(|l| format!("{l} hook {id}")).into_iter().collect()
}

#[test]
fn a_file_that_is_no_place_for_it_is_told_and_left() {
    type Spoil = fn(&Stage);
    let cases: &[(&str, Spoil)] = &[
        ("line 1: key must be a string", |s| settings(s, ".claude/settings.json", "{\"a\": 1,, }")),
        ("is no list", |s| settings(s, ".claude/settings.json", "{\"hooks\": {\"PreToolUse\": 1}}")),
        ("is not an object", |s| settings(s, ".claude/settings.json", "{\"hooks\": []}")),
        // What the agent would not load, hook and all.
        ("line 2: has a comment", |s| settings(s, ".claude/settings.json", "{\n// c\n}")),
        ("line 3: trailing comma", |s| settings(s, ".claude/settings.json", "{\n\"a\": 1,\n}")),
        ("line 2: `allow` is not a list", |s| {
            settings(s, ".claude/settings.json", "{\"permissions\":\n{\"allow\": 5}}");
        }),
        ("line 1: trailing comma", |s| settings(s, ".gemini/settings.json", "{\"a\": 1,}")),
        ("line 1: begins with a byte order mark", |s| settings(s, ".gemini/settings.json", "\u{feff}{}")),
        ("twice", |s| settings(s, ".claude/settings.json", "{\"hooks\": {}, \"hooks\": {}}")),
        ("UTF-8", |s| {
            settings(s, ".claude/settings.json", "");
            s.write("home/.claude/settings.json", b"{\"a\": \"\xff\"}", 0o600);
        }),
        ("by everybody", |s| {
            settings(s, ".claude/settings.json", "{}");
            let path = s.path("home/.claude/settings.json");
            fs::set_permissions(path, fs::Permissions::from_mode(0o606)).expect("mode");
        }),
        ("in a folder that everybody", |s| {
            settings(s, ".claude/settings.json", "{}");
            fs::set_permissions(s.path("home/.claude"), fs::Permissions::from_mode(0o777)).expect("mode");
        }),
        ("outside of your home", |s| {
            s.folder("home/.claude", 0o755);
            s.write("work/settings.json", b"{}", 0o600);
            symlink(s.path("work/settings.json"), s.path("home/.claude/settings.json")).expect("a link");
            own_link(s);
        }),
        ("leads nowhere", |s| {
            s.folder("home/.claude", 0o755);
            symlink("nothing", s.path("home/.claude/settings.json")).expect("a link");
            own_link(s);
        }),
        ("is no regular file", |s| s.folder("home/.claude/settings.json", 0o755)),
    ];
    for (word, spoil) in cases {
        let stage = Stage::new();
        spoil(&stage);
        // The policy is made first; here it is there.
        done(&ctl(&stage, &["init", "--preset", "cautious"]).run(), 0);
        let before = homes(&stage);
        let run = ctl(&stage, &["install", "--agent", "claude,gemini"]).run();
        done(&run, 1);
        assert!(run.stderr.contains("settings.json") && run.stderr.contains(word), "{word}: {run:?}");
        assert_eq!(homes(&stage), before, "{word}");
    }
    // A file in the place of ours.
    let stage = Stage::new();
    settings(&stage, ".cline/hooks/PreToolUse", "#!/bin/sh\n");
    let run = ctl(&stage, &["install", "--agent", "cline"]).run();
    done(&run, 1);
    assert!(run.stderr.contains("not from here"), "{run:?}");
}

/// A link on the way to a settings file that leads out of the home, or out of the project.
#[test]
fn a_folder_that_is_a_link_out_of_the_home_is_told_and_left() {
    for (id, folder, file) in [
        ("claude", ".claude", "settings.json"),
        ("copilot", ".copilot", "hooks/exec-guard.json"),
        ("copilot", ".copilot/hooks", "exec-guard.json"),
        ("cline", ".cline", "hooks/PreToolUse"),
        ("goose", ".agents", "plugins/exec-guard/hooks/hooks.json"),
    ] {
        let stage = Stage::new();
        done(&ctl(&stage, &["init", "--preset", "cautious"]).run(), 0);
        stage.folder("work/elsewhere", 0o755);
        if let Some((above, _)) = folder.rsplit_once('/') {
            stage.folder(&format!("home/{above}"), 0o755);
        }
        let link = stage.path("home").join(folder);
        symlink(stage.path("work/elsewhere"), &link).expect("a link");
        let run = ctl(&stage, &["install", "--agent", id]).run();
        done(&run, 1);
        assert!(run.stderr.contains("outside of your home"), "{id}: {run:?}");
        assert_eq!(fs::read_dir(stage.path("work/elsewhere")).expect("a folder").count(), 0, "{id}");
        // One that leads to another place of the home is followed, and taken back.
        fs::remove_file(&link).expect("removed");
        stage.folder("home/dot", 0o755);
        symlink(stage.path("home/dot"), &link).expect("a link");
        let before = homes(&stage);
        done(&ctl(&stage, &["install", "--agent", id]).run(), 0);
        assert!(stage.path("home/dot").join(file).is_file(), "{id}");
        // Led elsewhere since: it stays, and is not forgotten.
        fs::remove_file(&link).expect("removed");
        symlink(stage.path("work/elsewhere"), &link).expect("a link");
        let run = ctl(&stage, &["uninstall", "--agent", id]).run();
        assert!(run.code() != 0 && run.stderr.contains("outside of your home"), "{id}: {run:?}");
        fs::remove_file(&link).expect("removed");
        symlink(stage.path("home/dot"), &link).expect("a link");
        done(&ctl(&stage, &["uninstall", "--agent", id]).run(), 0);
        assert_eq!(homes(&stage), before, "{id}");
    }
    // A project's, which somebody else may have made.
    let stage = Stage::new();
    done(&ctl(&stage, &["init", "--preset", "cautious"]).run(), 0);
    stage.folder("home/dot", 0o755);
    symlink(stage.path("home/dot"), stage.path("work/.claude")).expect("a link");
    let run = ctl(&stage, &["install", "--agent", "claude", "--project"]).run();
    done(&run, 1);
    assert!(run.stderr.contains("outside of the project"), "{run:?}");
    assert_eq!(fs::read_dir(stage.path("home/dot")).expect("a folder").count(), 0);
}

fn own_link(stage: &Stage) {
    if let Some((uid, gid)) = crate::stage::player() {
        std::os::unix::fs::lchown(stage.path("home/.claude/settings.json"), Some(uid), Some(gid))
            .expect("chown");
    }
}

#[test]
fn a_link_within_the_home_stays_one() {
    let stage = Stage::new();
    settings(&stage, "dot/claude.json", "{\"a\": 1}\n");
    stage.folder("home/.claude", 0o755);
    symlink("../dot/claude.json", stage.path("home/.claude/settings.json")).expect("a link");
    own_link(&stage);
    done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
    assert!(stage.path("home/.claude/settings.json").is_symlink());
    assert!(read(&stage, "dot/claude.json").contains("exec-guard"));
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    assert!(stage.path("home/.claude/settings.json").is_symlink());
    assert_eq!(read(&stage, "dot/claude.json"), "{\"a\": 1}\n");
}

#[test]
fn what_was_changed_since_stays() {
    let stage = Stage::new();
    done(&ctl(&stage, &["install", "--agent", "claude,codex"]).run(), 0);
    // As an agent writes its settings anew, with more in them.
    let mut value: Value = serde_json::from_str(&read(&stage, ".claude/settings.json")).expect("JSON");
    value["model"] = "y".into();
    value["hooks"]["PreToolUse"].as_array_mut().expect("a list").push(serde_json::json!({"hooks": []}));
    settings(&stage, ".claude/settings.json", &format!("{value:#}"));
    let more =
        format!("{}[projects.\"/x\"]\ntrust_level = \"trusted\"\n", read(&stage, ".codex/config.toml"));
    settings(&stage, ".codex/config.toml", &more);
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    let after: Value = serde_json::from_str(&read(&stage, ".claude/settings.json")).expect("JSON");
    assert_eq!(after, serde_json::json!({"model": "y", "hooks": {"PreToolUse": [{"hooks": []}]}}));
    assert_eq!(read(&stage, ".codex/config.toml").trim(), "[projects.\"/x\"]\ntrust_level = \"trusted\"");
    assert!(!stage.path("home/.codex/hooks.json").exists());
}

/// A hook that somebody wrote by the path of another guard is his, works or not.
#[test]
fn a_hook_by_another_path_is_left() {
    let hook = |path: &str| {
        format!(
            "{{\"hooks\":{{\"PreToolUse\":[{{\"matcher\":\"Bash\",\"hooks\":[{{\"type\":\"command\",\"command\":\"{path} hook claude\",\"timeout\":600}}]}}]}}}}\n"
        )
    };
    let stage = Stage::new();
    done(&ctl(&stage, &["init", "--preset", "cautious"]).run(), 0);
    stage.folder("team", 0o755);
    let team = stage.text("team/exec-guard");
    fs::copy(&crate::stage::programs().guard, &team).expect("a copy");
    settings(&stage, ".claude/settings.json", &hook(&team));
    let before = homes(&stage);
    for words in [&["install", "--agent", "claude"][..], &["install", "--agent", "claude", "--dry-run"]] {
        let run = ctl(&stage, words).run();
        done(&run, 0);
        assert!(run.stderr.contains("was not put there by this program and guards"), "{run:?}");
        assert_eq!(homes(&stage), before);
    }
    // It counts: the doctor has tried it.
    crate::install::says(&stage, 0, "agent:claude", "live");
    done(&ctl(&stage, &["uninstall", "--agent", "claude"]).run(), 1);
    assert_eq!(homes(&stage), before);
    // With something of ours beside it, whose removal does not touch it.
    done(&ctl(&stage, &["install", "--agent", "claude,gemini"]).run(), 0);
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    assert_eq!(homes(&stage), before);
    // One that does not guard is left, and ours stands beside it.
    for broken in
        [hook("/nowhere/exec-guard"), hook(&team).replace("\"timeout\"", "\"async\":true,\"timeout\"")]
    {
        settings(&stage, ".claude/settings.json", &broken);
        let run = ctl(&stage, &["install", "--agent", "claude"]).run();
        done(&run, 0);
        assert!(run.stderr.contains("does not guard"), "{run:?}");
        assert_eq!(read(&stage, ".claude/settings.json").matches(" hook claude").count(), 2);
        crate::install::says(&stage, 0, "agent:claude", "live");
        done(&ctl(&stage, &["uninstall"]).run(), 0);
        assert_eq!(read(&stage, ".claude/settings.json"), broken);
    }
}

/// Codex is told to trust ours, and no other that calls a guard.
#[test]
fn a_hook_of_somebody_elses_is_not_trusted_for_him() {
    let stage = Stage::new();
    let theirs = "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"/nowhere/exec-guard hook codex\"}]}]}}";
    settings(&stage, ".codex/hooks.json", theirs);
    done(&ctl(&stage, &["install", "--agent", "codex"]).run(), 0);
    let config = read(&stage, ".codex/config.toml");
    assert!(config.contains(":pre_tool_use:1:0") && !config.contains(":pre_tool_use:0:0"), "{config}");
    crate::install::says(&stage, 0, "agent:codex", "live");
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    assert_eq!(read(&stage, ".codex/hooks.json"), theirs);
}

/// An agent that writes its settings all the while, as they do: read, change, write beside, rename.
#[test]
fn what_an_agent_writes_meanwhile_is_not_lost() {
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicBool, Ordering};

    let stage = Stage::new();
    done(&ctl(&stage, &["init", "--preset", "cautious"]).run(), 0);
    settings(&stage, ".claude/settings.json", "{\n  \"permissions\": {}\n}\n");
    let file = stage.path("home/.claude/settings.json");
    let temp = stage.path("home/.claude/theirs");
    let stop = AtomicBool::new(false);
    let keys = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut keys = BTreeSet::new();
            while !stop.load(Ordering::Relaxed) {
                let text = fs::read_to_string(&file).expect("always there");
                let mut value: Value = serde_json::from_str(&text).expect("always whole");
                let key = format!("k{}", keys.len());
                value[&key] = 1.into();
                fs::write(&temp, format!("{value:#}\n")).expect("written");
                own(&temp);
                fs::rename(&temp, &file).expect("renamed");
                keys.insert(key);
                std::thread::sleep(std::time::Duration::from_millis(4));
            }
            keys
        });
        for _ in 0..12 {
            for word in ["install", "uninstall"] {
                // Too busy is a word and no harm.
                let run = ctl(&stage, &[word, "--agent", "claude"]).run();
                let busy =
                    run.stderr.contains("by another program") || run.stderr.contains("nothing of that");
                assert!(run.code() == 0 || busy, "{run:?}");
            }
        }
        stop.store(true, Ordering::Relaxed);
        writer.join().expect("a writer")
    });
    let value: Value = serde_json::from_str(&read(&stage, ".claude/settings.json")).expect("JSON");
    let lost: Vec<&String> = keys.iter().filter(|k| value.get(k.as_str()).is_none()).collect();
    assert!(lost.is_empty() && !keys.is_empty(), "lost {lost:?} of {}", keys.len());
    assert!(value.get("permissions").is_some(), "{value}");
    // When it is quiet again, all goes as ever.
    done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
    assert!(read(&stage, ".claude/settings.json").contains("exec-guard hook claude"));
}

/// The version that Cursor's file needs stays where a hook of somebody's needs it.
#[test]
fn a_version_stays_with_the_hooks_of_others() {
    let stage = Stage::new();
    done(&ctl(&stage, &["install", "--agent", "cursor"]).run(), 0);
    let mut value: Value = serde_json::from_str(&read(&stage, ".cursor/hooks.json")).expect("JSON");
    value["hooks"]["stop"] = serde_json::json!([{"command": "mine"}]);
    settings(&stage, ".cursor/hooks.json", &format!("{value:#}\n"));
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    let value: Value = serde_json::from_str(&read(&stage, ".cursor/hooks.json")).expect("JSON");
    assert_eq!(value, serde_json::json!({"version": 1, "hooks": {"stop": [{"command": "mine"}]}}));
}

/// A variable that says where an agent's settings are.
#[test]
fn variables_that_name_another_home_are_followed() {
    let stage = Stage::new();
    done(&ctl(&stage, &["init", "--preset", "cautious"]).run(), 0);
    for (id, variable, rel) in [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("qwen", "QWEN_HOME", "settings.json"),
        ("copilot", "COPILOT_HOME", "hooks/exec-guard.json"),
        ("pi", "PI_CODING_AGENT_DIR", "extensions/exec-guard.js"),
        ("crush", "CRUSH_GLOBAL_CONFIG", "crush.json"),
        ("openclaw", "OPENCLAW_HOME", ".openclaw/openclaw.json"),
        ("openclaw", "OPENCLAW_STATE_DIR", "openclaw.json"),
    ] {
        let mut env = environment(&stage);
        env.push(format!("{variable}={}", stage.text("home/elsewhere")).into_bytes());
        done(&ctl(&stage, &["install", "--agent", id]).env(env.clone()).run(), 0);
        assert!(stage.path("home/elsewhere").join(rel).is_file(), "{variable}");
        let run = ctl(&stage, &["doctor"]).env(env.clone()).run();
        done(&run, 0);
        assert!(run.stdout.contains("elsewhere") || id == "openclaw", "{variable}: {run:?}");
        done(&ctl(&stage, &["uninstall"]).env(env).run(), 0);
        assert!(!stage.path("home/elsewhere").exists(), "{variable}");
    }
}

#[test]
fn what_was_written_by_hand_is_taken_out_as_well() {
    let stage = Stage::new();
    done(&ctl(&stage, &["install", "--agent", "claude,cline"]).run(), 0);
    // As somebody wrote it who read the manual: nothing records it.
    fs::remove_file(stage.path("guard/install.json")).expect("removed");
    let text = read(&stage, ".claude/settings.json").replace("\"Bash\"", "\"Edit|Bash\"");
    settings(&stage, ".claude/settings.json", &text);
    let run = ctl(&stage, &["install", "--agent", "claude,cline"]).run();
    done(&run, 0);
    assert!(run.stdout.contains("all of it is there already"), "{run:?}");
    // A file that cannot be read now keeps what is known of it.
    settings(&stage, ".claude/settings.json", "{");
    done(&ctl(&stage, &["uninstall", "--agent", "claude"]).run(), 125);
    settings(&stage, ".claude/settings.json", &text);
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    assert!(!read(&stage, ".claude/settings.json").contains("exec-guard"));
    assert!(!stage.path("home/.cline/hooks/PreToolUse").exists());
}

#[test]
fn a_guard_that_moved_is_followed() {
    let stage = Stage::new();
    done(&ctl(&stage, &["install", "--agent", &all()]).run(), 0);
    done(
        &ctl(&stage, &["install", "--agent", "claude", "--programs", &stage.text("guard/programs")]).run(),
        0,
    );
    let path = stage.text("guard/programs/exec-guard");
    for (id, rel, _) in AGENTS.iter().filter(|(id, ..)| *id != "openclaw") {
        let text = read(&stage, rel);
        assert!(text.contains(&path) && text.matches(" hook ").count() <= 1, "{id}: {text}");
    }
    done(&ctl(&stage, &["uninstall", "agent"]).run(), 0);
    let left: Vec<_> = homes(&stage).into_keys().filter(|k| k.starts_with('.')).collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_project_has_a_file_of_its_own() {
    let stage = Stage::new();
    stage.write("work/crush.json", b"{\n}\n", 0o644);
    own(&stage.path("work"));
    done(&ctl(&stage, &["install", "--agent", "claude,codex,crush", "--project"]).run(), 0);
    let text = fs::read_to_string(stage.path("work/.claude/settings.json")).expect("a file");
    assert!(text.contains("hook claude"), "{text}");
    assert!(!stage.path("home/.claude").exists());
    assert!(read(&stage, ".codex/config.toml").contains(&stage.text("work/.codex/hooks.json")));
    // With yours beside it, each goes by itself.
    done(&ctl(&stage, &["install", "--agent", "codex"]).run(), 0);
    done(&ctl(&stage, &["uninstall", &format!("agent:codex:{}", stage.text("work"))]).run(), 0);
    assert!(!stage.path("work/.codex").exists());
    let trust = read(&stage, ".codex/config.toml");
    assert!(
        trust.contains(&stage.text("home/.codex/hooks.json")) && !trust.contains("work/.codex"),
        "{trust}"
    );
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    assert!(!stage.path("work/.claude").exists() && !stage.path("home/.codex").exists());
    assert_eq!(fs::read_to_string(stage.path("work/crush.json")).expect("a file"), "{\n}\n");
    let run = ctl(&stage, &["install", "--agent", "cline", "--project"]).run();
    done(&run, 2);
}

#[test]
fn agents_that_are_here_are_found() {
    let stage = Stage::new().tool("codex");
    let stage_path = format!("PATH={}", stage.text("bin"));
    let mut env = environment(&stage);
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(stage_path.into_bytes());
    stage.folder("home/.gemini", 0o755);
    done(&ctl(&stage, &["install", "--agent", "all-found"]).env(env.clone()).run(), 0);
    let there: Vec<&str> = AGENTS
        .iter()
        .filter(|(_, rel, _)| stage.path("home").join(rel).exists())
        .map(|(id, ..)| *id)
        .collect();
    assert_eq!(there, ["codex", "gemini"]);
    let stage = Stage::new();
    env.retain(|e| {
        !e.starts_with(b"PATH=") && !e.starts_with(b"HOME=") && !e.starts_with(b"EXEC_GUARD_HOME=")
    });
    for (name, rel) in [("PATH", "bin"), ("HOME", "home"), ("EXEC_GUARD_HOME", "guard")] {
        env.push(format!("{name}={}", stage.text(rel)).into_bytes());
    }
    done(&ctl(&stage, &["install", "--agent", "all-found"]).env(env).run(), 1);
    done(&ctl(&stage, &["install", "--agent", "emacs"]).run(), 2);
}

#[test]
fn killed_half_way_and_run_again_it_ends_right() {
    let stage = Stage::new();
    for (id, rel, _) in AGENTS.iter().filter(|(_, _, whole)| !whole) {
        settings(&stage, rel, BEFORE[0](id));
    }
    killed_half_way(&stage, &["install", "--agent", &all()], 16);
}
