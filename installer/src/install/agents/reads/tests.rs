use serde_json::json;

use super::*;

/// Our hook for this agent, with a change.
fn with(id: &str, change: &dyn Fn(&mut Value)) -> String {
    let mut value = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks":
            [{"type": "command", "command": format!("/g/exec-guard hook {id}"), "timeout": 600}]}]}});
    change(&mut value);
    format!("{value:#}")
}

/// Each row was tried with the agent itself.
#[test]
fn what_the_agent_throws_away_is_known() {
    type Change = &'static dyn Fn(&mut Value);
    fn group(v: &mut Value, group: Value) {
        v["hooks"]["PreToolUse"].as_array_mut().unwrap().push(group);
    }
    fn handler(v: &mut Value, more: Value) {
        let mut handler = json!({"type": "command", "command": "x"});
        handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        group(v, json!({"matcher": "a", "hooks": [handler]}));
    }
    let rows: &[(bool, bool, Change)] = &[
        (true, true, &|_| {}),
        (false, false, &|v| group(v, json!(5))),
        (false, false, &|v| group(v, json!({"matcher": 5, "hooks": "x"}))),
        (false, false, &|v| group(v, json!({"matcher": 5, "hooks": []}))),
        (false, true, &|v| group(v, json!({"matcher": null, "hooks": []}))),
        (false, true, &|v| group(v, json!({"matcher": "a"}))),
        (false, false, &|v| group(v, json!({"hooks": null}))),
        (true, true, &|v| group(v, json!({"matcher": "a", "hooks": [], "zz": 1}))),
        (false, false, &|v| handler(v, json!({"type": "zzz"}))),
        (false, false, &|v| group(v, json!({"hooks": [{"type": "command"}]}))),
        (false, false, &|v| group(v, json!({"hooks": [{"command": "x"}]}))),
        (false, true, &|v| group(v, json!({"hooks": [{"type": "prompt"}]}))),
        (true, true, &|v| group(v, json!({"hooks": [{"type": "prompt", "prompt": "x"}]}))),
        (true, false, &|v| group(v, json!({"hooks": [{"type": "http", "url": "https://x/"}]}))),
        (false, false, &|v| handler(v, json!({"timeout": "5"}))),
        (false, true, &|v| handler(v, json!({"timeout": 0}))),
        (true, false, &|v| handler(v, json!({"timeout": 1.5}))),
        (false, true, &|v| handler(v, json!({"timeout": null}))),
        (false, false, &|v| handler(v, json!({"async": "x"}))),
        (false, true, &|v| handler(v, json!({"if": 5}))),
        (false, true, &|v| handler(v, json!({"onFailure": "zz"}))),
        (true, true, &|v| handler(v, json!({"onFailure": "continue"}))),
        (true, true, &|v| handler(v, json!({"zz": 1}))),
        (true, false, &|v| v["hooks"]["Stop"] = json!([5])),
        (true, false, &|v| v["hooks"]["Stop"] = json!(5)),
        (false, false, &|v| v["hooks"]["PermissionRequest"] = json!([5])),
        (true, true, &|v| v["hooks"]["NoSuch"] = json!([5])),
        (true, false, &|v| v["zzz"] = json!(5)),
        (true, true, &|v| v["description"] = json!("x")),
        (false, false, &|v| v["permissions"] = json!({"allow": 5})),
        (true, false, &|v| v["permissions"] = json!({"allow": [5], "zz": 1})),
        (false, false, &|v| v["permissions"] = json!(5)),
        (false, false, &|v| v["permissions"] = json!({"defaultMode": "zz"})),
        (true, false, &|v| v["permissions"] = json!({"defaultMode": "dontAsk"})),
        (false, false, &|v| v["model"] = json!(5)),
        (false, false, &|v| v["env"] = json!(["x"])),
        (true, false, &|v| v["env"] = json!({"A": 5})),
        (false, false, &|v| v["statusLine"] = json!({"command": "x"})),
        (false, false, &|v| v["sandbox"] = json!({"enabled": "x"})),
        (true, false, &|v| v["theme"] = json!(5)),
    ];
    for (n, (claude, codex, change)) in rows.iter().enumerate() {
        for (id, is) in [("claude", claude), ("codex", codex)] {
            let text = with(id, change);
            let said = loads(id, &text);
            assert_eq!(said.is_ok(), *is, "row {n}, {id}: {said:?} of {text}");
        }
    }
}

#[test]
fn what_is_no_json_to_the_agent_is_known() {
    for (before, after, claude, codex, gemini, qwen) in [
        ("", "", true, true, true, true),
        ("\u{feff}", "", true, false, false, true),
        ("\u{feff}\u{feff}", "", false, false, false, false),
        ("// c\n", "", false, false, true, true),
        ("", "/* c */", false, false, true, true),
        ("", " /* c", false, false, false, false),
        ("", ",", false, false, false, false),
        ("\u{a0}", "", false, false, false, false),
    ] {
        for (id, is) in [("claude", claude), ("codex", codex), ("gemini", gemini), ("qwen", qwen)] {
            let text = format!("{before}{}{after}", with(id, &|_| {}));
            assert_eq!(loads(id, &text).is_ok(), is, "{id}: {text}");
            // The last comma of an object.
            let text = text.replace("  }\n}", "  },\n}");
            assert!(loads(id, &text).is_err(), "{id}: {text}");
        }
    }
    assert!(loads("openclaw", "{a: 'x', /* c */ }").is_ok());
    assert!(loads("openclaw", "{a: }").is_err());
    assert!(loads("claude", " \n").is_ok());
    assert!(loads("codex", "{\"hooks\": {}, \"hooks\": {}}").is_err());
}

#[test]
fn the_line_is_named() {
    for (id, text, words) in [
        ("claude", "{\n  \"a\": \"// no\",\n  // c\n  \"b\": 1\n}", "line 3: has a comment"),
        ("claude", "{\n  \"a\": 1,\n}", "line 3: trailing comma"),
        ("claude", "{\n\n\"permissions\": {\n\"allow\": 5}}", "line 4: `allow` is not a list"),
        ("claude", "\u{feff}{\n\"model\": 5}", "line 2: `model` is not a text"),
        ("codex", "\u{feff}{}", "line 1: begins with a byte order mark"),
        ("codex", "{\"hooks\": {\n\"Stop\": [\n5]}}", "line 3: `Stop` is not an object"),
        ("codex", "{\n\"$schema\": \"x\"}", "line 2: `$schema` is a key that it does not know"),
        ("gemini", "{/* a\n\n */\n \"a\": 1,}", "line 4: trailing comma"),
    ] {
        let said = loads(id, text).unwrap_err();
        assert!(said.ends_with(words), "{said}");
    }
}
