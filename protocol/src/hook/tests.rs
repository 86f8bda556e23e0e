use super::*;
use proptest::prelude::*;

/// A call of each agent: the one that was measured (or documented) with `COMMAND` in it, and one of another tool.
const CALLS: &[(&str, &str, Option<&str>)] = &[
    (
        "claude",
        r#"{"session_id":"s","cwd":"/p","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"COMMAND","description":"d"},"tool_use_id":"t"}"#,
        Some(
            r#"{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/x"}}"#,
        ),
    ),
    (
        "codex",
        r#"{"session_id":"s","turn_id":"t","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"COMMAND"}}"#,
        Some(
            r#"{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{}}"#,
        ),
    ),
    (
        "gemini",
        r#"{"session_id":"s","cwd":"/p","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"COMMAND"}}"#,
        Some(
            r#"{"session_id":"s","cwd":"/p","hook_event_name":"BeforeTool","tool_name":"read_file","tool_input":{}}"#,
        ),
    ),
    (
        "copilot",
        r#"{"sessionId":"s","timestamp":1,"cwd":"/p","toolName":"bash","toolArgs":{"command":"COMMAND","description":"d"}}"#,
        Some(r#"{"sessionId":"s","timestamp":1,"cwd":"/p","toolName":"view","toolArgs":{"path":"/x"}}"#),
    ),
    (
        "cursor",
        r#"{"conversation_id":"s","hook_event_name":"beforeShellExecution","workspace_roots":["/p"],"command":"COMMAND","cwd":""}"#,
        None,
    ),
    (
        "opencode",
        r#"{"tool":"bash","sessionID":"s","callID":"c","args":{"command":"COMMAND"},"cwd":"/p"}"#,
        Some(r#"{"tool":"read","sessionID":"s","callID":"c","args":{},"cwd":"/p"}"#),
    ),
    (
        "openclaw",
        r#"{"event":{"toolName":"exec","params":{"command":"COMMAND"}},"ctx":{"agentId":"main","sessionKey":"s"},"cwd":"/p"}"#,
        Some(r#"{"event":{"toolName":"process","params":{"action":"poll"}},"ctx":{},"cwd":"/p"}"#),
    ),
    (
        "goose",
        r#"{"event":"PreToolUse","session_id":"s","tool_name":"developer__shell","tool_input":{"command":"COMMAND"},"working_dir":"/p"}"#,
        Some(
            r#"{"event":"PreToolUse","tool_name":"developer__text_editor","tool_input":{},"working_dir":"/p"}"#,
        ),
    ),
    (
        "crush",
        r#"{"event":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"bash","tool_input":{"command":"COMMAND"}}"#,
        Some(r#"{"event":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"view","tool_input":{}}"#),
    ),
    (
        "qwen",
        r#"{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"command":"COMMAND"}}"#,
        Some(
            r#"{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"glob","tool_input":{}}"#,
        ),
    ),
    (
        "cline",
        r#"{"taskId":"s","workspaceRoots":["/p"],"tool_call":{"name":"run_commands","input":{"commands":["COMMAND"]}},"preToolUse":{"toolName":"run_commands","parameters":{"commands":"[\"COMMAND\"]"}}}"#,
        Some(
            r#"{"taskId":"s","workspaceRoots":["/p"],"preToolUse":{"toolName":"read_files","parameters":{}}}"#,
        ),
    ),
    (
        "pi",
        r#"{"type":"tool_call","toolName":"bash","toolCallId":"c","input":{"command":"COMMAND"},"cwd":"/p"}"#,
        Some(r#"{"type":"tool_call","toolName":"edit","toolCallId":"c","input":{},"cwd":"/p"}"#),
    ),
];

fn agent(id: &str) -> &'static Agent {
    Agent::named(id.as_bytes()).unwrap()
}

#[test]
fn every_agent_has_its_call() {
    let ids: Vec<&str> = CALLS.iter().map(|c| c.0).collect();
    for a in AGENTS {
        assert!(ids.contains(&a.id), "{}", a.id);
        assert!(a.budget_ms >= 5000 && !a.facts.is_empty(), "{}", a.id);
    }
    assert_eq!(ids.len(), AGENTS.len());
}

#[test]
fn a_call_is_its_command_and_its_folder() {
    for (id, call, quiet) in CALLS {
        let Input::Call(read) = agent(id).read(call.as_bytes()) else { panic!("{id}: not read") };
        assert_eq!(
            (read.commands.as_slice(), read.cwd.as_str()),
            (&["COMMAND".to_owned()][..], "/p"),
            "{id}"
        );
        assert_eq!(read.session.as_deref(), (*id != "pi").then_some("s"), "{id}");
        if let Some(quiet) = quiet {
            assert_eq!(agent(id).read(quiet.as_bytes()), Input::NotAShell, "{id}");
        }
        // A tool of a name that nobody knows is not nobody's business, and where it may be another's, it is handed a
        // command all the same.
        for name in ["Bash", "bash", "exec", "run_shell_command", "run_commands", "developer__shell"] {
            let other = call.replace(&format!("\"{name}\""), "\"brand_new_tool\"");
            if other == *call {
                continue;
            }
            match agent(id).read(other.as_bytes()) {
                Input::Unknown(tool) => assert!(tool == "brand_new_tool" && marked(id), "{id}"),
                Input::Call(call) => {
                    assert!(call.foreign && !marked(id), "{id}");
                    assert_eq!(
                        (call.commands.as_slice(), call.cwd.as_str()),
                        (&["COMMAND".to_owned()][..], "/p")
                    );
                }
                read => panic!("{id}: {read:?}"),
            }
        }
    }
}

/// True if the names of tools from elsewhere are marked as such.
fn marked(id: &str) -> bool {
    ["claude", "codex", "qwen", "gemini", "crush"].contains(&id)
}

#[test]
fn what_else_a_call_says_of_its_command() {
    let read = |id: &str, from: &str, to: &str| {
        let call = CALLS.iter().find(|c| c.0 == id).unwrap().1;
        let changed = call.replace(from, to);
        assert_ne!(changed, call, "{id}: {from}");
        agent(id).read(changed.as_bytes())
    };
    let cwd = |input: Input| match input {
        Input::Call(call) => call.cwd,
        other => panic!("{other:?}"),
    };
    let folder = |key: &str, dir: &str| format!(r#""command":"COMMAND","{key}":"{dir}""#);
    let command = r#""command":"COMMAND""#;
    for (id, key) in
        [("gemini", "dir_path"), ("qwen", "directory"), ("opencode", "workdir"), ("openclaw", "workdir")]
    {
        assert_eq!(cwd(read(id, command, &folder(key, "sub"))), "/p/sub", "{id}");
        assert_eq!(cwd(read(id, command, &folder(key, "/other"))), "/other", "{id}");
        assert!(matches!(read(id, command, &format!(r#"{command},"{key}":7"#)), Input::Broken(_)), "{id}");
    }
    assert_eq!(cwd(read("cursor", r#""cwd":"""#, r#""cwd":"/q""#)), "/q");
    // Older versions of Copilot write the input as text.
    let old = read("copilot", r#"{"command":"COMMAND","description":"d"}"#, r#""{\"command\":\"COMMAND\"}""#);
    assert_eq!(cwd(old), "/p");
    // OpenClaw's own agents, variables and hosts.
    let Input::Call(call) =
        read("openclaw", command, &format!(r#"{command},"env":{{"A":"b"}},"host":"gateway""#))
    else {
        panic!("not read")
    };
    assert_eq!((call.agent.as_deref(), call.env.as_slice()), (Some("main"), &[("A".into(), "b".into())][..]));
    for bad in [
        r#","env":{"A":1}"#,
        r#","env":["A=b"]"#,
        r#","env":{"A=":"b"}"#,
        r#","host":"node""#,
        r#","host":"sandbox""#,
    ] {
        assert!(matches!(read("openclaw", command, &format!("{command}{bad}")), Input::Broken(_)), "{bad}");
    }
    // Several commands run at the same time, and both ways of saying them must say the same.
    let two = CALLS.iter().find(|c| c.0 == "cline").unwrap().1;
    let two = two.replace(r#"["COMMAND"]"#, r#"["a","b"]"#).replace(r#"[\"COMMAND\"]"#, r#"[\"a\",\"b\"]"#);
    let Input::Call(call) = agent("cline").read(two.as_bytes()) else { panic!("not read") };
    assert_eq!(call.commands, ["a", "b"]);
}

#[test]
fn what_cannot_be_judged_is_broken() {
    for (id, call, _) in CALLS {
        let long = call.replace("COMMAND", &"x".repeat(MOST));
        let with = |from: &str, to: &str| call.replace(from, to);
        let mut bad = vec![
            String::new(),
            " \n".into(),
            "null".into(),
            "[]".into(),
            "\"ls\"".into(),
            "{}".into(),
            format!("{call}x"),
            format!("{call}{call}"),
            call[1..].to_owned(),
            call[..call.len() - 1].to_owned(),
            with("\"COMMAND\"", "7"),
            with("\"COMMAND\"", "null"),
            with("COMMAND", r"a\u0000b"),
            with("COMMAND", r"\ud800"),
            with("\"/p\"", "\"p\""),
            with("\"/p\"", "null"),
            with("\"/p\"", r#""/p\u0000""#),
            with("\"command\"", "\"commandx\"").replace("\"commands\"", "\"commandsx\""),
            long,
        ];
        if *id == "cline" {
            bad.push(with(r#"["COMMAND"]}"#, r#"["other"]}"#));
            bad.push(with(r#"["COMMAND"]}"#, r#"["COMMAND","other"]}"#));
            bad.push(call.replace(r#"["COMMAND"]"#, "[]").replace(r#"[\"COMMAND\"]"#, "[]"));
        }
        for text in bad {
            let read = agent(id).read(text.as_bytes());
            assert!(matches!(read, Input::Broken(_)), "{id}: {read:?}: {text:.200}");
        }
        assert!(matches!(agent(id).read(b"\xff{}"), Input::Broken(_)), "{id}");
    }
    let typed = r#"{"sessionId":"s","cwd":"/p","toolName":"write_bash","toolArgs":{"input":"ls"}}"#;
    assert!(matches!(agent("copilot").read(typed.as_bytes()), Input::Broken(_)));
    let typed = r#"{"event":{"toolName":"process","params":{"action":"submit"}},"ctx":{},"cwd":"/p"}"#;
    assert!(matches!(agent("openclaw").read(typed.as_bytes()), Input::Broken(_)));
}

#[test]
fn a_session_that_cannot_be_written_down_is_left_out() {
    let call = CALLS[0].1.replace("\"s\"", "\"a\\nb\"");
    let Input::Call(call) = agent("claude").read(call.as_bytes()) else { panic!("not read") };
    assert_eq!(call.session, None);
}

/// What an agent makes of an answer, as it was measured or is documented: `Some(true)` runs, `Some(false)` stops,
/// `None` leaves it to the agent's own prompt; an answer that it does not understand is an error.
fn understood(id: &str, out: &Output) -> Result<Option<bool>, String> {
    let bad = || format!("{id}: {out:?}");
    if out.stdout.is_empty() {
        return if out.code == 0 { Ok(None) } else { Err(bad()) };
    }
    let v: Value = serde_json::from_str(&out.stdout).map_err(|_| bad())?;
    let at = |path: &str| v.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (decision, why) = match id {
        "claude" | "codex" | "qwen" => {
            assert_eq!(at("/hookSpecificOutput/hookEventName"), "PreToolUse");
            let d = "/hookSpecificOutput/permissionDecision";
            (at(d), at(&format!("{d}Reason")))
        }
        "copilot" => (at("/permissionDecision"), at("/permissionDecisionReason")),
        "cursor" => (at("/permission"), at("/agent_message")),
        "cline" => {
            let cancel = v.get("cancel").and_then(Value::as_bool).ok_or_else(bad)?;
            (if cancel { "deny" } else { "allow" }.to_owned(), at("/errorMessage"))
        }
        "opencode" | "openclaw" | "pi" => {
            assert_eq!(v.get("execGuard"), Some(&1.into()));
            (at("/decision"), at("/reason"))
        }
        _ => (at("/decision"), at("/reason")),
    };
    match (decision.as_str(), out.code) {
        ("deny" | "block", 2) if !why.trim().is_empty() => Ok(Some(false)),
        // Codex takes an allow with the input it is to use, and no other.
        ("allow", 0) if id == "codex" && v.pointer("/hookSpecificOutput/updatedInput").is_none() => {
            Err(bad())
        }
        ("allow", 0) => Ok(Some(true)),
        ("pass", 0) => Ok(None),
        ("ask", 0) if ["claude", "copilot", "qwen", "openclaw", "pi"].contains(&id) && !why.is_empty() => {
            Ok(None)
        }
        _ => Err(bad()),
    }
}

#[test]
fn every_answer_is_understood() {
    let input = r#"{"command": "ls", "description": "d"}"#;
    for a in AGENTS {
        let says = |answer: Answer<'_>| understood(a.id, &a.answer(&answer)).unwrap();
        for why in ["because", "", " \n", "\u{1}", &"é".repeat(9000)] {
            assert_eq!(says(Answer::Deny(why)), Some(false), "{}", a.id);
            let asked = says(Answer::Ask(why));
            assert_eq!(asked, if a.asks { None } else { Some(false) }, "{}", a.id);
        }
        assert_ne!(says(Answer::Allow), Some(false), "{}", a.id);
        // What was judged, or nothing.
        let rewritten = says(Answer::Rewrite { command: "x", input });
        assert_eq!(rewritten, Some(a.rewrites), "{}", a.id);
        assert_ne!(says(Answer::Pass), Some(false), "{}", a.id);
        for piece in ["é", "\\", "\"", "\u{1}", "x\u{1b}", "\n"] {
            let long = a.answer(&Answer::Deny(&format!("x{}", piece.repeat(9000))));
            assert!(long.stdout.len() < 9500, "{}: cut short by the agent it would be no answer", a.id);
        }
    }
    for answer in [Answer::Allow, Answer::Pass, Answer::Deny("x"), Answer::Ask("x")] {
        let out = NOBODY.answer(&answer);
        for id in ["claude", "codex", "qwen", "copilot", "cursor", "cline", "gemini", "goose", "crush"] {
            let v: Value = serde_json::from_str(&out.stdout).unwrap();
            assert!(v.get("cancel") == Some(&true.into()), "{id}");
            let out = Output { code: DENIED, ..out.clone() };
            assert_eq!(understood(id, &out), Ok(Some(false)), "{id}");
        }
    }
}

#[test]
fn a_rewriting_keeps_the_rest_of_the_input() {
    let input =
        r#"{"description": "d", "command": "ls", "timeout": 5, "x": [1.50, 1e2, {"y": -0}], "b": false}"#;
    let rewrite = Answer::Rewrite { command: "x 'ls'", input };
    // Numbers as they came: `1.50` is no `1.5` to whoever reads texts.
    let whole = r#"{"description":"d","timeout":5,"x":[1.50, 1e2, {"y": -0}],"b":false,"command":"x 'ls'"}"#;
    let alone = r#""command":"x 'ls'""#;
    for (id, want) in [
        ("claude", format!(r#""updatedInput":{whole}}}"#)),
        ("codex", format!(r#""updatedInput":{whole}}}"#)),
        ("copilot", format!(r#""modifiedArgs":{whole}}}"#)),
        ("gemini", format!(r#""tool_input":{{{alone}}}"#)),
        ("crush", format!(r#""updated_input":{{{alone}}}"#)),
        ("opencode", alone.to_owned()),
        ("openclaw", alone.to_owned()),
        ("pi", alone.to_owned()),
    ] {
        let out = agent(id).answer(&rewrite).stdout;
        assert!(out.contains(&want), "{id}: {out}");
        assert!(serde_json::from_str::<Value>(&out).is_ok(), "{id}: {out}");
    }
    // Those that would run the command as it was are told no, and so is who reads only so much.
    for id in ["qwen", "cline", "cursor", "goose"] {
        assert_eq!(agent(id).answer(&rewrite).code, DENIED, "{id}");
    }
    let long = "x".repeat(12_000);
    let out = agent("claude").answer(&Answer::Rewrite { command: &long, input });
    assert_eq!(understood("claude", &out), Ok(Some(false)));
    assert_eq!(agent("claude").answer(&Answer::Rewrite { command: "x", input: "7" }).code, DENIED);
}

/// The input that is written back is the one that came.
#[test]
fn the_input_of_a_call_is_kept_as_it_was_written() {
    for (id, from) in [("claude", "tool_input"), ("codex", "tool_input"), ("copilot", "toolArgs")] {
        let call = CALLS.iter().find(|c| c.0 == id).unwrap().1;
        let input = r#"{ "command" : "COMMAND", "timeout":1.50 }"#;
        let start = call.find(from).unwrap() + from.len() + 2;
        let end = start + call[start..].find('}').unwrap() + 1;
        let call = format!("{}{input}{}", &call[..start], &call[end..]);
        let Input::Call(read) = agent(id).read(call.as_bytes()) else { panic!("{id}: {call}") };
        assert_eq!((read.input.as_str(), read.odd), (input, None), "{id}");
    }
    let old = r#"{"sessionId":"s","cwd":"/p","toolName":"bash","toolArgs":"{\"command\":\"ls\",\"timeout\":1.50}"}"#;
    let Input::Call(read) = agent("copilot").read(old.as_bytes()) else { panic!("not read") };
    assert_eq!(read.input, r#"{"command":"ls","timeout":1.50}"#);
}

/// A member of the input that may change what runs is no part of the judgement of its command.
/// Cursor's calls grow members that say nothing of the command; what may change it is told all the same.
#[test]
fn what_else_cursor_says() {
    let read = |more: &str| {
        let text = format!(
            r#"{{"hook_event_name":"beforeShellExecution","conversation_id":"c","command":"ls","cwd":"/p",{more}}}"#
        );
        match agent("cursor").read(text.as_bytes()) {
            Input::Call(call) => call.odd,
            other => panic!("{other:?}: {text}"),
        }
    };
    for fine in [
        r#""plan":"pro""#,
        r#""sandbox":true"#,
        r#""attempt":2"#,
        r#""tags":[]"#,
        r#""env":{}"#,
        r#""env":null"#,
    ] {
        assert_eq!(read(fine), None, "{fine}");
    }
    for (odd, name) in [
        (r#""env":{"LD_PRELOAD":"x"}"#, "env"),
        (r#""env":"A=b""#, "env"),
        (r#""shell":"/bin/zsh""#, "shell"),
        (r#""args":["x"]"#, "args"),
        (r#""brand_new":{"x":1}"#, "brand_new"),
        (r#""next_command":"x""#, "next_command"),
        (r#""host":"there""#, "host"),
    ] {
        assert!(read(odd).is_some_and(|why| why.contains(name)), "{odd}");
    }
}

#[test]
fn what_else_is_said_is_known_or_odd() {
    for (id, call, _) in CALLS.iter().filter(|c| c.0 != "cursor") {
        let read = |more: &str| {
            // The last of them is what Cline is said to be told.
            let at = call.rfind("COMMAND").unwrap() + "COMMAND".len();
            let at = at + call[at..].find('}').unwrap();
            let text = format!("{},{more}{}", &call[..at], &call[at..]);
            match agent(id).read(text.as_bytes()) {
                Input::Call(call) => call.odd,
                other => panic!("{id}: {other:?}: {text}"),
            }
        };
        for odd in ["elevated", "dangerouslyDisableSandbox", "stdin", "login", "user", "brand_new"] {
            for value in ["true", "\"x\"", "1", "{}", "[\"x\"]"] {
                let why = read(&format!("\"{odd}\":{value}"));
                assert!(why.is_some_and(|w| w.contains(odd)), "{id}: {odd} {value}");
            }
            for unset in ["null", "false", "\"\""] {
                assert_eq!(read(&format!("\"{odd}\":{unset}")), None, "{id}: {odd} {unset}");
            }
        }
        assert_eq!(read("\"timeout\":1.5"), None, "{id}");
    }
}

#[test]
fn a_name_that_stands_twice_is_a_no() {
    for (id, call, _) in CALLS {
        for (from, to) in [
            ("\"command\":\"COMMAND\"", "\"command\":\"COMMAND\",\"command\":\"other\""),
            ("\"cwd\":", "\"cwd\":\"/q\",\"cwd\":"),
            ("\"working_dir\":", "\"working_dir\":\"/q\",\"working_dir\":"),
            ("\"taskId\":", "\"taskId\":\"x\",\"taskId\":"),
        ] {
            if call.contains(from) {
                let read = agent(id).read(call.replace(from, to).as_bytes());
                assert!(matches!(read, Input::Broken(_)), "{id}: {read:?}");
            }
        }
    }
    let old = r#"{"sessionId":"s","cwd":"/p","toolName":"bash","toolArgs":"{\"command\":\"ls\",\"command\":\"rm\"}"}"#;
    assert!(matches!(agent("copilot").read(old.as_bytes()), Input::Broken(_)));
}

/// A tool that carries other tools' calls, or is handed a command from elsewhere, is looked into.
#[test]
fn calls_within_calls() {
    let batch = |calls: &str| {
        let text =
            format!(r#"{{"tool":"batch","sessionID":"s","args":{{"tool_calls":{calls}}},"cwd":"/p"}}"#);
        agent("opencode").read(text.as_bytes())
    };
    for quiet in ["[]", r#"[{"tool":"read","parameters":{}},{"tool":"task","parameters":{"command":"x"}}]"#] {
        assert_eq!(batch(quiet), Input::NotAShell, "{quiet}");
    }
    for bad in [
        "null",
        "{}",
        "[7]",
        r#"[{"tool":"read"},{"tool":"bash","parameters":{"command":"rm x"}}]"#,
        r#"[{"tool":"batch","parameters":{"tool_calls":[{}]}}]"#,
        r#"[{"tool":"brand_new_tool","parameters":{"shellCommand":"x"}}]"#,
        r#"[{"tool":"brand_new_tool","parameters":{"code":"x"}}]"#,
    ] {
        assert!(matches!(batch(bad), Input::Broken(_)), "{bad}");
    }
}

/// The pieces that stand in an agent's own process ask about every tool that is not known to run nothing.
#[test]
fn plugins_leave_out_what_is_quiet() {
    let quiet = |text: &str| {
        let (_, list) = text.split_once("quiet: \"").unwrap();
        let words = list.split_once('"').unwrap().0.replace('\\', " ");
        words.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let asset = |text: &str| {
        let (_, list) = text.split_once("const QUIET = new Set(").unwrap();
        let words = list.split_once(";").unwrap().0.split('"').skip(1).step_by(2);
        words
            .flat_map(str::split_ascii_whitespace)
            .filter(|w| !w.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for (id, own, js) in [
        ("opencode", include_str!("opencode.rs"), include_str!("../../../shim/src/hook/assets/opencode.js")),
        (
            "openclaw",
            include_str!("openclaw.rs"),
            include_str!("../../../shim/src/hook/assets/openclaw/index.js"),
        ),
        ("pi", include_str!("pi.rs"), include_str!("../../../shim/src/hook/assets/pi.js")),
    ] {
        let mut named = asset(js);
        // The separator that the list is split at.
        named.retain(|w| w != " ");
        assert_eq!(named, quiet(own), "{id}");
    }
}

/// What each agent's hook makes of a tool from elsewhere that is handed this.
fn foreign(id: &str, tool: &str, input: &str) -> Input {
    let quiet = CALLS.iter().find(|c| c.0 == id).unwrap().2.unwrap();
    let tool = match id {
        "gemini" | "crush" => format!("mcp_x_{tool}"),
        id if marked(id) => format!("mcp__x__{tool}"),
        _ => tool.to_owned(),
    };
    let mut call: Value = serde_json::from_str(quiet).unwrap();
    let holder = ["event", "preToolUse"].into_iter().find(|n| call.get(n).is_some_and(Value::is_object));
    let inner = match holder {
        Some(name) => &mut call[name],
        None => &mut call,
    };
    for (names, value) in [
        (["tool_name", "toolName", "tool"], Value::from(tool)),
        (["tool_input", "toolArgs", "args"], serde_json::from_str(input).unwrap()),
        (["params", "parameters", "input"], serde_json::from_str(input).unwrap()),
    ] {
        if let Some(name) = names.into_iter().find(|n| inner.get(n).is_some()) {
            inner[name] = value;
        }
    }
    agent(id).read(call.to_string().as_bytes())
}

#[test]
fn a_tool_from_elsewhere_is_judged_by_what_it_is_handed() {
    for (id, ..) in CALLS.iter().filter(|c| c.2.is_some()) {
        // Commands, by whatever name and in whatever form.
        for (input, commands) in [
            (r#"{"command":"a b"}"#, &["a b"][..]),
            (r#"{"shellCommand":"a b"}"#, &["a b"]),
            (r#"{"shell_command":"a b"}"#, &["a b"]),
            (r#"{"Cmd-Line":"a b"}"#, &["a b"]),
            (r#"{"bashCommand":"a b"}"#, &["a b"]),
            (r#"{"exec":"a b"}"#, &["a b"]),
            (r#"{"run":"a b"}"#, &["a b"]),
            (r#"{"command":["a","b c","$d"]}"#, &["a 'b c' '$d'"]),
            (r#"{"argv":["a","b"]}"#, &["a b"]),
            (r#"{"commands":["a b","c"]}"#, &["a b", "c"]),
            (r#"{"cmds":[["a","b"],"c"]}"#, &["a b", "c"]),
            (r#"{"command":"a","args":["b","c d"]}"#, &["a b 'c d'"]),
            (r#"{"command":"a","args":"b; c"}"#, &["a b; c"]),
            (r#"{"command":"a","Args":"[\"b\",\"c d\"]"}"#, &["a b 'c d'"]),
            (r#"{"x":{"y":[{"run":"a"},{"name":"z","cmd":"b"}]}}"#, &["a", "b"]),
            // JSON within a string, under such a name or not.
            (r#"{"cmd":"[\"a\",\"b c\"]"}"#, &["a 'b c'"]),
            (r#"{"command":"{\"cmd\":\"a b\"}"}"#, &["a b"]),
            (r#"{"arguments":"{\"shellCommand\":\"a b\"}"}"#, &["a b"]),
            (r#"{"commands":"[\"a\",\"b\"]"}"#, &["a", "b"]),
            (r#"{"command[0]":"a"}"#, &["a"]),
            (r#"{"cmd_str":"a b"}"#, &["a b"]),
            (r#"{"command_to_execute":"a b"}"#, &["a b"]),
            (r#"{"commandList":["a b","c"]}"#, &["a b", "c"]),
            (r#"{"file":"/bin/sh","args":["-c","a b"]}"#, &["/bin/sh -c 'a b'"]),
            (r#"{"exe":"a","arguments":"[\"b\"]"}"#, &["a b"]),
            ("{\"x\":\"\\ufeff {\\\"cmd\\\":\\\"a b\\\"}\"}", &["a b"]),
            ("{\"x\":\"\\u00a0\\u000b{\\\"cmd\\\":\\\"a b\\\"}\"}", &["a b"]),
            // A string in a string.
            (r#"{"x":"\"{\\\"cmd\\\":\\\"a b\\\"}\""}"#, &["a b"]),
            // A program by its place, with its words or without.
            (r#"{"launchOptions":{"executablePath":"/tmp/x","args":["-c","a b"]}}"#, &["/tmp/x -c 'a b'"]),
            (r#"{"launchOptions":{"executablePath":"/tmp/x"}}"#, &["/tmp/x"]),
            (r#"{"appPath":"/tmp/x.app","args":["-c","a b"]}"#, &["/tmp/x.app -c 'a b'"]),
            (r#"{"programPath":"/bin/sh","args":["-c","a b"]}"#, &["/bin/sh -c 'a b'"]),
            (r#"{"exec_path":"/bin/sh","args":["-c","a b"]}"#, &["/bin/sh -c 'a b'"]),
            (r#"{"program_name":"/bin/sh","arg":["-c","a b"]}"#, &["/bin/sh -c 'a b'"]),
            (r#"{"file":"/bin/sh","params":["-c","a b"]}"#, &["/bin/sh -c 'a b'"]),
            (r#"{"exe":"/bin/sh","argList":["-c","a b"]}"#, &["/bin/sh -c 'a b'"]),
            // What only looks like it.
            (r#"{"command":"[ -f x ] && a"}"#, &["[ -f x ] && a"]),
            (r#"{"command":"{ a; }"}"#, &["{ a; }"]),
        ] {
            match foreign(id, "y", input) {
                Input::Call(call) => {
                    assert_eq!(call.commands, commands, "{id}: {input}");
                    assert!(call.foreign && call.odd.is_none(), "{id}: {input}: {call:?}");
                }
                read => panic!("{id}: {input}: {read:?}"),
            }
        }
        // What cannot be read is no yes.
        for input in [
            r#"{"command":{"x":"a"}}"#,
            r#"{"command":[7]}"#,
            r#"{"command":"[7]"}"#,
            r#"{"command":"a; b","args":["c"]}"#,
            r#"{"command":"a","cwd":"/x","workdir":"/y"}"#,
            r#"{"command":"a","cwd":["/x"]}"#,
            r#"{"code":"print(1)"}"#,
            r#"{"x":[{"Script":"a"}]}"#,
            r#"{"tool_calls":[{}]}"#,
            r#"{"command":"a","stdin":"b"}"#,
            r#"{"x":"{\"cmd\":\"a\",\"cmd\":\"b\"}"}"#,
            r#"{"x":"{\"cmd\":\"a\"};"}"#,
            r#"{"x":"{\"cmd\":\"a\"} // c"}"#,
            r#"{"x":"{\"id\":1}\n{\"cmd\":\"a\"}"}"#,
            r#"{"x":"{/**/\"\\u0063md\":\"a\"}"}"#,
            r#"{"type":"command","value":"a"}"#,
            r#"{"id":"shell_command","val":"a"}"#,
            r#"{"property":"cmd","values":["a"]}"#,
            r#"{"session_id":"s","input":"a"}"#,
            r#"{"pane":"%1","text":"a"}"#,
            r#"{"terminal":1,"keys":"a"}"#,
            r#"{"cell_source":"a"}"#,
            r#"{"rust_code":"a"}"#,
            r#"{"code":["X","a b"]}"#,
            r#"{"code":{"source":"a","language":"python"}}"#,
            r#"{"code":{"language":"import os"}}"#,
            r#"{"program":{"lines":["a"]}}"#,
            r#"{"server":"x","tool_name":"send_keys","arguments":{"text":"a"}}"#,
            r#"{"server_name":"terminal","tool_name":"x","arguments":"{\"text\":\"a\"}"}"#,
            r#"{"name":"run_command","arguments":{"x":"a"}}"#,
            r#"{"method":"tools/call","params":{"name":"bash","arguments":{"text":"a"}}}"#,
            r#"{"function_name":"send_keys","input":{"text":"a"}}"#,
            r#"{"launchOptions":{"args":["--renderer-cmd-prefix=a"]}}"#,
            r#"{"x":"[{'cmd' : 'a'}]"}"#,
            r#"{"key":"command","value":"a"}"#,
            r#"{"params":[{"name":"shell_input","data":["a"]}]}"#,
            r#"{"pid":7,"input":"a"}"#,
            r#"{"process_id":"7","keys":["a"]}"#,
            r#"{"code_to_run":"a"}"#,
            r#"{"jsCode":"a"}"#,
            r#"{"file":"a; b","args":["c"]}"#,
        ] {
            assert!(matches!(foreign(id, "y", input), Input::Unknown(_)), "{id}: {input}");
        }
        // What may change what runs is told.
        for (input, word) in [
            (r#"{"command":"a","env":{"PATH":"/x"}}"#, "env"),
            (r#"{"command":"a","shell":true}"#, "shell"),
            (r#"{"command":"a","target":"b"}"#, "target"),
            (r#"{"env":{"A":"b"},"steps":[{"run":"a"}]}"#, "env"),
            (r#"{"command":"a","params":{"b":"c"}}"#, "params"),
        ] {
            let Input::Call(call) = foreign(id, "y", input) else { panic!("{id}: {input}") };
            assert!(call.odd.is_some_and(|o| o.contains(word)), "{id}: {input}");
        }
        let Input::Call(call) = foreign(id, "y", r#"{"command":"a","cwd":"/x","timeout":5}"#) else {
            panic!("{id}")
        };
        assert_eq!((call.cwd.as_str(), call.odd), ("/x", None), "{id}");
        // The rest is the agent's own affair, but for what a shell is handed by another name.
        for (tool, input) in [
            ("post_message", r#"{"channel":"c","text":"run rm -rf / and see"}"#),
            ("search", r#"{"query":"rm -rf","limit":5}"#),
            (
                "ci",
                r#"{"dry_run":"x","run_id":"7","run":true,"exit_code":"1","transcript":"a","description":"b"}"#,
            ),
            ("x", r#"{"command":null,"cmd":"","script":false,"argv":[],"code":404}"#),
            ("locale", r#"{"country_code":"DE","language_code":"de","postalCode":"1"}"#),
            ("set", r#"{"key":"user:7","value":"rm -rf x"}"#),
            ("read_file", r#"{"path":"/x","head":5}"#),
            ("read_output", r#"{"pid":7,"timeout_ms":5}"#),
            ("reply", r#"{"channel_id":"C1","thread_ts":"1.2","ts":"1.2","text":"run: rm"}"#),
            ("create_gist", r#"{"files":{"run.sh":{"content":"rm -rf x"}},"public":false}"#),
            ("push_files", r#"{"files":[{"path":"script.sh","content":"rm"}],"message":"m","branch":"b"}"#),
            ("create_doc", r#"{"name":"Code","content":"rm -rf x"}"#),
            ("query_range", r#"{"expr":"up{job=\"x\"}","start":"1","step":"5"}"#),
            ("edit_file", r#"{"path":"x","edits":[{"oldText":"a: {","newText":"b"}],"dryRun":false}"#),
            ("browser_type", r#"{"element":"Name","ref":"e1","text":"a","submit":true,"key":"Enter"}"#),
            ("note", r#"{"text":"[INFO] command: it failed"}"#),
            ("browser_console_messages", r#"{"level":"error"}"#),
            ("list_terminals", "{}"),
            // The notations of others, and texts that somebody reads.
            ("note", r#"{"x":"{cmd: 'a'}"}"#),
            ("note", r#"{"x":"```json\n{\"cmd\":\"a b\"}\n```"}"#),
            ("note", r#"{"text":"{\"cmd\":\"a b\"}","contents":["{\"cmd\":\"a b\"}"]}"#),
            ("tables", r#"{"code":{"type":"select","x":{"name":"a b"}}}"#),
            ("hub", r#"{"server":"ssh.example.org","tool":"status"}"#),
            ("hub", r#"{"name":"search_code","arguments":{"q":"a"},"method":"POST"}"#),
            ("item", r#"{"name":"bash","text":"a"}"#),
            ("ask_about", r#"{"session_id":"s","text":"a","data":"b"}"#),
            ("terminal_size", r#"{"columns":80}"#),
        ] {
            assert_eq!(foreign(id, tool, input), Input::NotAShell, "{id}: {tool} {input}");
        }
        for tool in
            ["terminal_write", "sendToTerminal", "tmux-send-keys", "ssh", "runSSH", "tmux__send", "x__repl"]
        {
            let read = foreign(id, tool, r#"{"keys":"rm -rf x\n"}"#);
            assert!(matches!(read, Input::Unknown(_)), "{id}: {tool}: {read:?}");
        }
    }
}

#[test]
fn words_are_quoted_for_every_shell() {
    let words: Vec<String> =
        ["/a/b", "-c", "", "it's", "''", "a b", "$x", "é", "a\nb"].map(String::from).into();
    let line = quoted(&words);
    assert_eq!(line, r"/a/b -c '' 'it'\''s' ''\'''\''' 'a b' '$x' 'é' 'a".to_owned() + "\nb'");
    assert_eq!(shell_words::split(&line).unwrap(), words);
}

proptest! {
    /// Whatever comes in, nothing is none of our business but a call of a tool that is known to run nothing.
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for a in AGENTS {
            prop_assert!(matches!(a.read(&bytes), Input::Broken(_)));
        }
    }

    /// A call with one byte changed, left out or put in is read as what it says, or not at all.
    #[test]
    fn a_call_gone_wrong(at in any::<prop::sample::Index>(), byte in any::<u8>(), how in 0..3u8) {
        for (id, call, _) in CALLS {
            let mut bytes = call.as_bytes().to_vec();
            let i = at.index(bytes.len());
            match how {
                0 => bytes[i] = byte,
                1 => { bytes.remove(i); }
                _ => bytes.insert(i, byte),
            }
            match agent(id).read(&bytes) {
                Input::NotAShell => {
                    // Only if a name became another one that is known.
                    let v: Value = serde_json::from_slice(&bytes).unwrap();
                    let text = v.to_string();
                    let known = ["\"Bash\"", "\"bash\"", "\"exec\"", "\"run_shell_command\"", "\"run_commands\"", "\"developer__shell\""];
                    prop_assert!(!known.iter().any(|k| text.contains(k)), "{id}: {text}");
                }
                Input::Call(call) => prop_assert!(!call.commands.is_empty() && call.cwd.starts_with('/')),
                Input::Broken(why) => prop_assert!(!why.is_empty()),
                // A name that became another one; the agent's own is known.
                Input::Unknown(tool) => prop_assert!(!call.contains(&format!("\"{tool}\"")), "{id}: {tool}"),
            }
        }
    }

    #[test]
    fn quoting_keeps_words(words in prop::collection::vec("[^\\x00]{0,20}", 1..5)) {
        prop_assert_eq!(shell_words::split(&quoted(&words)).unwrap(), words);
    }
}
