//! `exec-guard hook AGENT`: what an agent is told, in its own words, whatever comes in.
//!
//! `golden/hooks/AGENT/NAME.in.json` is a call as the agent makes it (measured, or from its documentation), `.out.json` the
//! answer and `.exit` its exit code. `EXEC_GUARD_BLESS=1` writes the answers anew; look at what changed.
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use protocol::message::{Choice, Decision, FromApprover, FromGuard};

use crate::install::ctl;
use crate::stage::approver::{Peer, TOKEN, answering};
use crate::stage::programs::repository;
use crate::stage::{Run, Stage, Way, listed, programs};

/// Agents, and whether their own prompt is used.
const AGENTS: &[(&str, bool)] = &[
    ("claude", true),
    ("codex", false),
    ("gemini", false),
    ("copilot", true),
    ("cursor", false),
    ("opencode", false),
    ("openclaw", true),
    ("goose", false),
    ("crush", false),
    ("qwen", true),
    ("cline", false),
    ("pi", true),
];

/// `git` is allowed, `rm` is not, about the rest a person would be asked.
pub fn stage() -> Stage {
    let stage = Stage::new().tool("git").tool("curl").tool("rm");
    let doc = json!({"version": 1, "socket": {"token": TOKEN}, "defaults": {"security": "allowlist", "ask": "on-miss", "askFallback": "deny",
        "allowlist": [{"pattern": stage.text("bin/git")}]}, "agents": {"*": {"denylist": [{"pattern": "rm"}]}}});
    stage.policy(&doc)
}

pub fn environment(stage: &Stage, more: &[&str]) -> Vec<Vec<u8>> {
    let mut env = stage.environment();
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(format!("PATH={}:{}:/usr/bin:/bin", stage.text("shims"), stage.text("bin")).into_bytes());
    env.push(b"SHELL=/bin/bash".to_vec());
    env.extend(more.iter().map(|e| e.as_bytes().to_vec()));
    env
}

fn hook_in(stage: &Stage, agent: &str, call: &[u8], more: &[&str]) -> Run {
    let guard = programs().guard.to_str().expect("a path").to_owned();
    stage
        .cast(&[guard.as_str(), "hook", agent])
        .way(Way::Path)
        .env(environment(stage, more))
        .stdin(call)
        .run()
}

pub fn hook(stage: &Stage, agent: &str, call: &[u8]) -> Run {
    hook_in(stage, agent, call, &[])
}

fn golden() -> PathBuf {
    repository().join("tests/golden/hooks")
}

fn call(stage: &Stage, agent: &str, name: &str) -> String {
    let path = golden().join(agent).join(format!("{name}.in.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.replace("$STAGE", stage.root().to_str().expect("a path"))
}

/// The call of an agent with another command in it.
pub fn call_of(stage: &Stage, agent: &str, command: &str) -> String {
    let quoted = |s: &str| Value::from(s).to_string();
    let inner = quoted(command);
    let inner = &inner[1..inner.len() - 1];
    let call = call(stage, agent, "allow");
    let (once, twice) = ("\"git status\"", "[\\\"git status\\\"]");
    let as_text = quoted(&format!("[{}]", quoted(command)));
    call.replace(twice, &as_text[1..as_text.len() - 1]).replace(once, &format!("\"{inner}\""))
}

/// What stands for the folders and programs of this run, and for the advice, whose words are another's.
fn shown(stage: &Stage, text: &str) -> String {
    let mut text = text
        .replace(programs().guard.to_str().expect("a path"), "$GUARD")
        .replace(stage.root().to_str().expect("a path"), "$STAGE");
    while let Some(at) = text.find("a person would have to say yes") {
        let end = text[at..].find('"').map_or(text.len(), |n| at + n);
        text.replace_range(at..end, "$ADVICE");
    }
    // The login shell is the account's.
    ["/bin/bash", "/usr/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/zsh"].iter().fold(text, |text, shell| {
        text.replace(
            &format!("--agent codex --session 01a22ca8-bb4f-7fd1-9106-03d9dde286ae -- {shell} "),
            "--agent codex \
             --session 01a22ca8-bb4f-7fd1-9106-03d9dde286ae -- $LOGIN_SHELL ",
        )
    })
}

#[test]
fn answers_are_those_written_down() {
    let bless = std::env::var_os("EXEC_GUARD_BLESS").is_some();
    let mut bad = Vec::new();
    let mut seen = 0;
    let stage = stage();
    for (agent, _) in AGENTS {
        let mut names: Vec<String> = fs::read_dir(golden().join(agent))
            .expect("goldens")
            .filter_map(|e| e.ok()?.file_name().to_str()?.strip_suffix(".in.json").map(str::to_owned))
            .collect();
        names.sort();
        for name in names {
            let run = hook(&stage, agent, call(&stage, agent, &name).as_bytes());
            let (out, exit) = (shown(&stage, &run.stdout), format!("{}\n", run.code()));
            let file = |end: &str| golden().join(agent).join(format!("{name}.{end}"));
            if bless {
                fs::write(file("out.json"), &out).expect("written");
                fs::write(file("exit"), &exit).expect("written");
            }
            let want = |end: &str| fs::read_to_string(file(end)).unwrap_or_default();
            if out != want("out.json") || exit != want("exit") {
                bad.push(format!("{agent}/{name}: {run:?}"));
            }
            // An exit code without words stops some agents not at all.
            if (run.code() == 2) != run.stderr.starts_with("exec-guard: ") || ![0, 2].contains(&run.code()) {
                bad.push(format!("{agent}/{name}: exit code and words: {run:?}"));
            }
            seen += 1;
        }
    }
    assert!(bad.is_empty(), "{}", listed(&bad));
    assert!(seen > 60, "{seen}");
}

/// True if the answer is the agent's own no.
fn denied(agent: &str, run: &Run) -> bool {
    let v: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let at = |p: &str| v.pointer(p).and_then(Value::as_str).unwrap_or_default().to_owned();
    let why = match agent {
        "claude" | "codex" | "qwen" if at("/hookSpecificOutput/permissionDecision") == "deny" => {
            at("/hookSpecificOutput/permissionDecisionReason")
        }
        "copilot" if at("/permissionDecision") == "deny" => at("/permissionDecisionReason"),
        "cursor" if at("/permission") == "deny" => at("/user_message"),
        "cline" if v.get("cancel") == Some(&true.into()) => at("/errorMessage"),
        "gemini" | "goose" | "crush" | "opencode" | "openclaw" | "pi"
            if ["deny", "block"].contains(&at("/decision").as_str()) =>
        {
            at("/reason")
        }
        _ => return false,
    };
    run.code() == 2 && why.starts_with("exec-guard: ") && run.stderr.starts_with("exec-guard: ")
}

#[test]
fn whatever_goes_wrong_is_a_no() {
    let stage = stage();
    for (agent, _) in AGENTS {
        let fine = call(&stage, agent, "allow");
        for (what, bytes) in [
            ("nothing", Vec::new()),
            ("no text", vec![0xff; 100]),
            ("null", b"null".to_vec()),
            ("an array", b"[]".to_vec()),
            ("too deep", [b"[".repeat(100_000), b"]".repeat(100_000)].concat()),
            ("too long", [fine.as_bytes(), &vec![b' '; 5 << 20]].concat()),
        ] {
            let run = hook(&stage, agent, &bytes);
            assert!(denied(agent, &run), "{agent}: {what}: {run:?}");
        }
        let run =
            hook_in(&stage, agent, fine.as_bytes(), &["EXEC_GUARD_AGENT=x", "EXEC_GUARD_SESSION=\u{1}"]);
        assert!(denied(agent, &run) || run.code() == 0, "{agent}: {run:?}");
        let run = hook_in(&stage, agent, fine.as_bytes(), &["EXEC_GUARD_DEPTH=64"]);
        assert!(denied(agent, &run), "{agent}: without end: {run:?}");
    }
    // Policies that cannot be believed.
    let stage = stage.config(&json!({"tools": {"exec": {"ask": "never"}}}));
    for (agent, _) in AGENTS {
        let run = hook(&stage, agent, call(&stage, agent, "allow").as_bytes());
        assert!(denied(agent, &run) && run.stdout.contains("policy-unreadable"), "{agent}: {run:?}");
    }
}

#[test]
fn an_answer_that_reaches_nobody_is_a_no() {
    let stage = stage();
    let guard = programs().guard.to_str().expect("a path").to_owned();
    for (agent, _) in AGENTS {
        let call = call(&stage, agent, "allow");
        for how in ["1", "0"] {
            let run = stage
                .cast(&[guard.as_str(), "hook", agent])
                .way(Way::Path)
                .launch(&["--close", how])
                .env(environment(&stage, &[]))
                .stdin(call.as_bytes())
                .run();
            assert_eq!(run.code(), 2, "{agent} {how}: {run:?}");
            assert!(run.stderr.starts_with("exec-guard: "), "{agent} {how}: {run:?}");
        }
    }
}

/// Most agents run the command when their own time is up: the guard is there before.
#[test]
fn a_call_that_never_ends_is_a_no_in_time() {
    let stage = stage();
    let guard = programs().guard.to_str().expect("a path").to_owned();
    // Open for writing as well, so that it never ends.
    let script = "mkfifo f && exec \"$0\" hook openclaw <>f";
    let words = ["/bin/sh", "-c", script, &guard];
    let run =
        stage.cast(&words).way(Way::Path).env(environment(&stage, &[])).limit(Duration::from_secs(120)).run();
    assert!(denied("openclaw", &run) && run.stdout.contains("in time"), "{run:?}");
}

#[test]
fn a_name_that_nobody_has() {
    let stage = stage();
    let guard = programs().guard.to_str().expect("a path").to_owned();
    let call = call(&stage, "claude", "allow");
    for words in
        [&["hook"][..], &["hook", "nobody"], &["hook", ""], &["hook", "Claude"], &["hook", "claude", "x"]]
    {
        let words = [&[guard.as_str()], words].concat();
        let run = stage.cast(&words).way(Way::Path).stdin(call.as_bytes()).run();
        assert_eq!(run.code(), 2, "{words:?}: {run:?}");
        assert!(run.stderr.starts_with("exec-guard: error [usage]"), "{words:?}: {run:?}");
        for (agent, _) in AGENTS.iter().filter(|(a, _)| !["opencode", "openclaw", "pi"].contains(a)) {
            assert!(denied(agent, &run) || words.len() == 4, "{agent} {words:?}: {run:?}");
        }
    }
}

/// What is put in place of a command runs exactly what was judged, through a real shell, in every way it was written.
#[test]
fn what_replaces_a_command_runs_it() {
    let stage = stage();
    for (agent, path) in [
        ("claude", "/hookSpecificOutput/updatedInput/command"),
        ("codex", "/hookSpecificOutput/updatedInput/command"),
        ("gemini", "/hookSpecificOutput/tool_input/command"),
        ("copilot", "/modifiedArgs/command"),
        ("crush", "/updated_input/command"),
        ("opencode", "/command"),
        ("openclaw", "/command"),
        ("pi", "/command"),
    ] {
        for (command, words) in [
            ("git status", vec!["git", "status"]),
            ("git log 'it'\\''s' \"a b\"", vec!["git", "log", "it's", "a b"]),
            ("git é \\$HOME\ngit two", vec!["git", "two"]),
            ("git ''\"'\"''", vec!["git", "'"]),
        ] {
            let run = hook(&stage, agent, call_of(&stage, agent, command).as_bytes());
            let v: Value =
                serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{agent}: {e}: {run:?}"));
            let line = v.pointer(path).and_then(Value::as_str).unwrap_or_else(|| panic!("{agent}: {run:?}"));
            assert!(line.contains("exec-guard"), "{agent}: {line}");
            for shell in ["/bin/sh", "/bin/bash"] {
                stage.clear();
                let run = stage.cast(&[shell, "-c", line]).way(Way::Path).env(environment(&stage, &[])).run();
                let last = run.records.last().unwrap_or_else(|| panic!("{agent}: {line}: {run:?}"));
                // The name is the path it was judged as.
                assert_eq!(last.words()[1..], words[1..], "{agent} {shell}: {line}");
                assert!(last.words()[0].ends_with("/bin/git"), "{agent} {shell}: {line}");
            }
        }
    }
    // Nothing is put in its place where a person wants it so.
    let stage = stage.config(&json!({"hook": {"rewrite": false}}));
    for (agent, _) in AGENTS {
        let run = hook(&stage, agent, call(&stage, agent, "allow").as_bytes());
        assert!(run.code() == 0 && !run.stdout.contains("-c "), "{agent}: {run:?}");
    }
}

/// An allow is what was judged, put in place of the command, or it is none.
#[test]
fn an_agent_that_takes_a_rewriting_gets_one_or_a_no() {
    let stage = stage();
    let with = |agent: &str, command: &str, more: &str| {
        let call = call_of(&stage, agent, command);
        let written = Value::from(command).to_string();
        call.replacen(&written, &format!("{written}{more}"), 1)
    };
    for (agent, prompts) in AGENTS {
        let rewrites = !["qwen", "cline", "cursor", "goose"].contains(agent);
        let said = |run: &Run| run.stdout.contains("exec-guard -") || run.stdout.contains("exec-guard --");
        // A number is repeated as it came.
        if *agent != "cline" && *agent != "cursor" {
            let run = hook(&stage, agent, with(agent, "git status", r#","timeout":1.50"#).as_bytes());
            assert!(run.code() == 0 && said(&run) == rewrites, "{agent}: {run:?}");
            if ["claude", "codex", "copilot"].contains(agent) {
                assert!(run.stdout.contains(r#""timeout":1.50,"#), "{agent}: {run:?}");
            }
            // What else it says is known, or asked about.
            let run = hook(&stage, agent, with(agent, "git status", r#","elevated":true"#).as_bytes());
            let asks = run.code() == 0 && run.stdout.contains("ask") && !said(&run);
            assert!(if *prompts { asks } else { denied(agent, &run) }, "{agent}: {run:?}");
            assert!(run.stdout.contains("elevated"), "{agent}: {run:?}");
        }
        // Claude Code reads only so much of an answer.
        let run =
            hook(&stage, agent, call_of(&stage, agent, &format!("git {}", "x".repeat(12_000))).as_bytes());
        match *agent {
            "claude" => {
                assert!(
                    run.stdout.contains("\"ask\"") && run.stdout.contains("split it"),
                    "{agent}: {run:?}"
                );
            }
            _ => assert!(run.code() == 0 && said(&run) == rewrites, "{agent}: {run:?}"),
        }
    }
    let long = call_of(&stage, "claude", &format!("git {}", "x".repeat(12_000)));
    let run = hook_in(&stage, "claude", long.as_bytes(), &["CLAUDE_CODE_SESSION_ATTENDED=0"]);
    assert!(denied("claude", &run), "{run:?}");
    let stage = stage.config(&json!({"hook": {"rewrite": false}}));
    assert_eq!(hook(&stage, "claude", long.as_bytes()).code(), 0);
}

/// What a person says of a tool from elsewhere counts for that one, and never for an agent's own.
#[test]
fn a_tool_that_a_person_calls_quiet() {
    let stage = stage();
    let here = stage.text("work");
    let input = json!({"code": "x"});
    let foreign = |agent: &str, tool: &str, input: &Value| {
        let call = match agent {
            "codex" | "claude" => {
                json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "cwd": here, "session_id": "s"})
            }
            "opencode" => json!({"tool": tool, "args": input, "cwd": here}),
            _ => {
                let hub = json!({"server_name": "jira", "tool_name": tool, "arguments": input.to_string()});
                json!({"workspaceRoots": [here], "preToolUse": {"toolName": "use_mcp_tool", "parameters": hub}})
            }
        };
        call.to_string()
    };
    let all = [
        ("claude", "mcp__jira__add", "mcp__jira__add"),
        ("codex", "mcp__jira__add", "mcp__jira__add"),
        ("opencode", "jira_add", "jira_add"),
        ("cline", "add", "use_mcp_tool/jira/add"),
    ];
    let passed = |agent: &str, run: &Run| match agent {
        "cline" => run.stdout.contains(r#""cancel":false"#),
        "opencode" => run.stdout.contains("\"pass\""),
        _ => run.stdout.is_empty() && run.code() == 0,
    };
    // Code, and a command that policy denies: the way out is named with both.
    for input in [&input, &json!({"command": "rm x"})] {
        for (agent, tool, name) in all {
            let run = hook(&stage, agent, foreign(agent, tool, input).as_bytes());
            assert!(!passed(agent, &run), "{agent}: {run:?}");
            let way = format!(r#"\"quiet\": [\"{name}\"]"#);
            assert!(run.stdout.contains(&way), "{agent}: {way}: {run:?}");
        }
    }
    // A name that could not stand there as it is is nobody's advice.
    let run = hook(&stage, "claude", foreign("claude", "mcp__x*__y", &input).as_bytes());
    assert!(run.stdout.contains("ask") && !run.stdout.contains("quiet"), "{run:?}");
    let names = ["mcp__jira__*", "jira_*", "use_mcp_tool/jira/*", "B*", "b*", "N*", "write_stdin"];
    let stage = stage.config(&json!({"hook": {"quiet": names}}));
    for input in [&input, &json!({"command": "rm x"})] {
        for (agent, tool, _) in all {
            let run = hook(&stage, agent, foreign(agent, tool, input).as_bytes());
            assert!(passed(agent, &run), "{agent}: {run:?}");
        }
    }
    for (agent, tool, input) in [
        ("claude", "mcp__jirax__add", &input),
        ("claude", "Bash", &json!({"command": "rm x"})),
        ("claude", "BrandNewShell", &json!({"command": "rm x"})),
        ("claude", "NewTool", &input),
        ("codex", "write_stdin", &input),
        ("opencode", "bash", &json!({"command": "rm x"})),
    ] {
        let run = hook(&stage, agent, foreign(agent, tool, input).as_bytes());
        assert!(!passed(agent, &run), "{agent} {tool}: {run:?}");
    }
    // And it is not forgotten that they do.
    let run = ctl(&stage, &["doctor"]).run();
    assert!(run.stdout.contains("`mcp__jira__*`") && run.stdout.contains("hook.quiet"), "{run:?}");
    // Documents that cannot be read say nothing.
    let stage = stage.config(&json!({"hook": {"quiet": ["*"]}}));
    let run = hook(&stage, "codex", foreign("codex", "mcp__jira__add", &input).as_bytes());
    assert!(denied("codex", &run), "{run:?}");
}

/// Variables that a call sets are judged as if `env` set them.
#[test]
fn variables_of_a_call_are_judged() {
    let stage = stage();
    let with = |env: &Value| {
        let mut call: Value = serde_json::from_str(&call(&stage, "openclaw", "allow")).expect("JSON");
        call["event"]["params"]["env"] = env.clone();
        call.to_string()
    };
    for (env, allowed) in [
        (json!({}), true),
        (json!({"LC_ALL": "C", "CI": "1"}), true),
        (json!({"HOME": "/x"}), false),
        (json!({"CC": "./evil"}), false),
        (json!({"CI": "$(id)"}), false),
        (json!({"LC_ALL": "C", "MADE_UP": "1"}), false),
        (json!({"EXEC_GUARD_HOME": "/x"}), false),
        (json!({"PATH": "/x"}), false),
        (json!({"LD_PRELOAD": "x"}), false),
    ] {
        let run = hook(&stage, "openclaw", with(&env).as_bytes());
        assert_eq!(run.stdout.contains(r#""decision":"allow""#), allowed, "{env}: {run:?}");
        assert!(allowed || run.stdout.contains("[environment]"), "{env}: {run:?}");
        // The same by `env` before the command.
        let words = env.as_object().expect("an object").iter();
        let words: Vec<String> = words.map(|(n, v)| format!("{n}='{}'", v.as_str().expect("text"))).collect();
        let text = format!("env {} git status", words.join(" "));
        let run = hook(&stage, "openclaw", call_of(&stage, "openclaw", &text).as_bytes());
        assert_eq!(run.stdout.contains(r#""decision":"allow""#), allowed, "{text}: {run:?}");
    }
    // A yes to the command is none to them.
    let mut call: Value = serde_json::from_str(&call(&stage, "openclaw", "asks")).expect("JSON");
    call["event"]["params"]["env"] = json!({"MADE_UP": "1"});
    let run = hook(&stage, "openclaw", call.to_string().as_bytes());
    assert!(run.stdout.contains("MADE_UP") && run.stdout.contains("ask"), "{run:?}");
}

/// Without a rewriting the agent's own shell finds the programs: in folders that a judgement skips, too.
#[test]
fn what_the_agent_runs_by_itself_is_what_was_judged() {
    let stage = stage();
    for (agent, rewrites) in [("qwen", false), ("cline", false), ("cursor", false), ("claude", true)] {
        let path = format!("PATH=.:{}:/usr/bin:/bin", stage.text("bin"));
        let mut env = environment(&stage, &[]);
        env.retain(|e| !e.starts_with(b"PATH="));
        env.push(path.into_bytes());
        let guard = programs().guard.to_str().expect("a path").to_owned();
        let call = call(&stage, agent, "allow");
        let run =
            stage.cast(&[guard.as_str(), "hook", agent]).way(Way::Path).env(env).stdin(call.as_bytes()).run();
        assert_eq!(denied(agent, &run), !rewrites, "{agent}: {run:?}");
    }
}

#[test]
fn the_journal_knows() {
    let stage = stage();
    for (name, decision) in [("allow", "allow"), ("refused", "deny"), ("asks", "ask")] {
        let _ = hook(&stage, "claude", call(&stage, "claude", name).as_bytes());
        let text = fs::read_to_string(stage.path("guard/journal/journal.jsonl")).expect("a journal");
        let last: Value = serde_json::from_str(text.lines().last().expect("a record")).expect("JSON");
        assert_eq!(last["decision"], decision, "{last}");
        assert_eq!((&last["via"], &last["agent"]), (&"hook".into(), &"claude".into()), "{last}");
        assert_eq!(last["session"], "00636f3e-bbc9-44ac-b686-2462b3d25582");
    }
}

fn asked(stage: &Stage, agent: &str, script: impl FnOnce(&mut Peer) + Send) -> Run {
    let guard = programs().guard.to_str().expect("a path").to_owned();
    let call = call_of(stage, agent, "curl x");
    let cast = stage.cast(&[guard.as_str(), "hook", agent]).way(Way::Path).env(environment(stage, &[]));
    let run = answering(stage, cast.stdin(call.as_bytes()), script);
    fs::remove_file(stage.path("guard/exec-approvals.sock")).expect("the socket");
    run
}

/// Where an agent's prompt does not ask, an approver is asked: a yes lets the command run as the person saw it.
#[test]
fn an_approver_answers_for_an_agent() {
    let stage = stage();
    for (agent, _) in AGENTS.iter().filter(|(_, asks)| !asks) {
        let run = asked(&stage, agent, |peer| {
            let asked = peer.asked();
            assert!(asked.question.agent == *agent && asked.question.timeout_ms == 120_000);
            // As the agent will run it.
            assert_eq!(asked.question.text.as_deref(), Some(&b"curl x"[..]), "{agent}");
            peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
        });
        assert!(run.code() == 0 && !run.stdout.contains("exec-guard -"), "{agent}: {run:?}");
        assert!(!run.stdout.contains("deny") && !run.stdout.contains("block"), "{agent}: {run:?}");
        let run = asked(&stage, agent, |peer| {
            let asked = peer.asked();
            let reason = Some("not today".into());
            let no = asked.signed(Decision { reason, ..asked.decision(Choice::Deny) });
            peer.say(&FromApprover::Decision(no));
        });
        assert!(denied(agent, &run) && run.stdout.contains("not today"), "{agent}: {run:?}");
    }
}

/// An agent waits only so long. The question stays, and the agent is told what to do after a yes.
#[test]
fn a_question_is_left_behind_in_time() {
    let stage = stage();
    let mut id = String::new();
    let run = asked(&stage, "goose", |peer| {
        let asked = peer.asked();
        id.clone_from(&asked.request.id);
        let line = peer.line().expect("a detach");
        assert_eq!(FromGuard::parse(&line), Ok(FromGuard::Detach { id: id.clone() }));
        peer.say(&FromApprover::Noted { id: id.clone() });
    });
    assert!(denied("goose", &run), "{run:?}");
    assert!(run.stdout.contains(&format!("question {id} stays open")), "{run:?}");
}

/// Nobody is asked to say yes to what is not there.
#[test]
fn a_program_that_is_not_there_is_a_no() {
    let stage = stage();
    for (agent, _) in AGENTS {
        let run = hook(&stage, agent, call_of(&stage, agent, "no-such-program x").as_bytes());
        assert!(denied(agent, &run) && run.stdout.contains("[not-found]"), "{agent}: {run:?}");
    }
}

/// Where nobody looks at an agent's prompts, they are not used.
#[test]
fn a_prompt_that_nobody_sees_is_no_prompt() {
    let stage = stage();
    let call = call(&stage, "claude", "asks");
    let run = hook_in(&stage, "claude", call.as_bytes(), &["CLAUDE_CODE_SESSION_ATTENDED=0"]);
    assert!(denied("claude", &run), "{run:?}");
    let run = hook_in(&stage, "claude", call.as_bytes(), &["CLAUDE_CODE_SESSION_ATTENDED=1"]);
    assert_eq!(run.code(), 0, "{run:?}");
}

/// The pieces that stand in an agent's own process: only a yes of this program is a yes.
#[test]
fn plugins_take_nothing_else_for_a_yes() {
    let Some(node) = std::env::var("PATH")
        .unwrap_or_default()
        .split(':')
        .map(|dir| format!("{dir}/node"))
        .find(|path| Path::new(path).is_file())
    else {
        eprintln!("SKIPPED: node is not here");
        return;
    };
    let stage = stage();
    let assets = repository().join("shim/src/hook/assets");
    let place = |from: &Path, to: &str, guard: &str, late: bool| {
        let own = fs::read_to_string(from).expect("an asset");
        let text = [own, fs::read_to_string(assets.join("ask.js")).expect("an asset")].join("\n");
        let text = text.replace("@EXEC_GUARD@", guard);
        // Nobody waits for what never comes, and what comes may take its time.
        let ms = if late { "500" } else { "60000" };
        let text = text.replace("LIMIT_MS = 115000", &format!("LIMIT_MS = {ms}"));
        let text = text.replace("LIMIT_MS = 14500", &format!("LIMIT_MS = {ms}"));
        assert!(text.contains(&format!("LIMIT_MS = {ms}")));
        stage.write(to, text.as_bytes(), 0o644);
        stage.text(to)
    };
    stage.write("work/driver.mjs", include_bytes!("golden/plugins.mjs"), 0o644);
    let script = |body: &str| format!("#!/bin/sh\ncat > /dev/null\n{body}\n");
    let real = programs().guard.to_str().expect("a path").to_owned();
    let answers: Vec<(&str, String, bool, bool)> = vec![
        ("the guard, allowed", real.clone(), true, true),
        ("the guard, refused", real, false, false),
        ("missing", "/nowhere/exec-guard".into(), true, false),
        ("nothing", script("exit 0"), true, false),
        ("no JSON", script("echo yes"), true, false),
        ("null", script("echo null"), true, false),
        ("another's yes", script("echo '{\"decision\":\"allow\"}'"), true, false),
        ("a yes and a code", script("echo '{\"execGuard\":1,\"decision\":\"allow\"}'; exit 1"), true, false),
        (
            "a yes of another kind",
            script("echo '{\"execGuard\":1,\"decision\":\"allow\",\"command\":7}'"),
            true,
            false,
        ),
        ("no opinion", script("echo '{\"execGuard\":1,\"decision\":\"pass\"}'"), true, false),
        ("another word", script("echo '{\"execGuard\":1,\"decision\":\"maybe\"}'"), true, false),
        (
            "an empty no",
            script("echo '{\"execGuard\":1,\"decision\":\"deny\",\"reason\":\"\"}'; exit 2"),
            true,
            false,
        ),
        ("killed", script("kill -9 $$"), true, false),
        ("late", script("exec sleep 100"), true, false),
        ("a plain yes", script("echo '{\"execGuard\":1,\"decision\":\"allow\"}'"), true, true),
    ];
    for (kind, file) in [("opencode", "opencode.js"), ("pi", "pi.js"), ("openclaw", "openclaw/index.js")] {
        for (what, guard, fine, runs) in &answers {
            let path = match guard.starts_with('#') {
                true => {
                    stage.write("work/answer", guard.as_bytes(), 0o755);
                    stage.text("work/answer")
                }
                false => guard.clone(),
            };
            let plugin = place(&assets.join(file), "work/plugin.mjs", &path, *what == "late");
            let command = if *fine { "git status" } else { "rm x" };
            let words = [node.as_str(), &stage.text("work/driver.mjs"), kind, &plugin, command];
            let env = environment(&stage, &[]);
            let run = stage.cast(&words).way(Way::Path).env(env).limit(Duration::from_secs(90)).run();
            let said = &run.stdout;
            let v: Value =
                serde_json::from_str(said).unwrap_or_else(|e| panic!("{kind}: {what}: {e}: {run:?}"));
            assert_eq!(v["runs"], *runs, "{kind}: {what}: {said}");
            if !*runs {
                assert!(v["reason"].as_str().is_some_and(|r| !r.trim().is_empty()), "{kind}: {what}: {said}");
            }
            // Another tool that carries a command, and one that carries none.
            if what.starts_with("the guard, allowed") {
                let tool = |name: &str, args: &str| {
                    let words =
                        [node.as_str(), &stage.text("work/driver.mjs"), kind, &plugin, "", name, args];
                    let env = environment(&stage, &[]);
                    let run = stage.cast(&words).way(Way::Path).env(env).limit(Duration::from_secs(90)).run();
                    let v: Value =
                        serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
                    v["runs"].as_bool()
                };
                let inner = r#"{"tool_calls":[{"tool":"bash","parameters":{"command":"rm x"}}]}"#;
                assert_eq!(tool("batch", inner), Some(false), "{kind}");
                assert_eq!(tool("new_tool", r#"{"x":[{"Script":"rm x"}]}"#), Some(false), "{kind}");
                for name in [
                    "shellCommand",
                    "run_cmd",
                    "command[0]",
                    "argv",
                    "cmd_str",
                    "exec",
                    "run",
                    "code",
                    "jsCode",
                ] {
                    let deep = format!(r#"{{"x":"[{{\"{name}\":\"rm x\"}}]"}}"#);
                    assert_eq!(tool("new_tool", &deep), Some(false), "{kind}: {name}");
                }
                assert_eq!(tool("sendToTerminal", r#"{"keys":"rm x"}"#), Some(false), "{kind}");
                assert_eq!(tool("list_terminal", "{}"), Some(true), "{kind}");
                assert_eq!(tool("new_tool", r#"{"cmd":"git status"}"#), Some(true), "{kind}");
                for fine in [r#"{"query":"rm x"}"#, r#"{"text":"rm x","run_id":"x","description":"[rm x]"}"#]
                {
                    assert_eq!(tool("new_tool", fine), Some(true), "{kind}: {fine}");
                }
                let inner = r#"{"tool_calls":[{"tool":"read","parameters":{"filePath":"x"}}]}"#;
                assert_eq!(tool("batch", inner), Some(kind == "opencode"), "{kind}");
            }
            if what.starts_with("the guard, allowed") {
                assert!(
                    v["command"].as_str().is_some_and(|c| c.ends_with("-c 'git status'")),
                    "{kind}: {said}"
                );
            }
        }
    }
}
