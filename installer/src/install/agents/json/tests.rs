use super::*;
use serde_json::json;

fn hook(path: &str) -> Op {
    let command = format!("{path}/exec-guard hook claude");
    Op::new(
        vec!["hooks".into(), "PreToolUse".into()],
        Mark::Hook("claude".into()),
        json!({"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}),
    )
}

/// Files as people have them.
const FILES: &[&str] = &[
    "",
    "\n",
    "{}",
    "{ }",
    "{\n}\n",
    "{\n  // nothing yet\n}\n",
    "{\"a\": 1}",
    "{\"a\": [1, 2], \"b\": {}}\n",
    "{\n  \"a\": 1 // one\n}\n",
    "{\n  \"a\": 1, // one\n}",
    "{\n\t\"a\": {\n\t\t\"b\": null\n\t}\n}\n",
    "{\r\n    \"a\": \"\u{e9}\u{1f600}\"\r\n}\r\n",
    "{\"hooks\": {}}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  },\n  \"z\": 0\n}\n",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
    "{\n \"hooks\": {\n  \"PreToolUse\": [\n   {\"hooks\": []}, /* theirs */\n   {\"hooks\": []} // too\n  ],\n  \"Stop\": []\n }\n}",
    "/* head */ {\"a\": \"// no comment { [\", \"hooks\": {\"Stop\": [1]}} // tail",
];

#[test]
fn out_is_the_inverse_of_in() {
    for text in FILES {
        let op = hook("/usr/bin");
        let (with, what) = put(text, &op, false).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        let read = value(&with, false).unwrap_or_else(|e| panic!("{with:?}: {e}"));
        let list = read.pointer("/hooks/PreToolUse").unwrap().as_array().unwrap();
        assert_eq!(list.last(), Some(&op.value), "{with}");
        // Everything that was there is there, in its order.
        let mut bytes = with.bytes();
        assert!(text.bytes().all(|b| bytes.any(|w| w == b)), "{with}");
        // Twice is once.
        assert_eq!(
            put(&with, &op, false).unwrap(),
            (with.clone(), Put { text: String::new(), ..put(&with, &op, false).unwrap().1 })
        );
        assert_eq!(take(&with, &op, &what, false).unwrap().as_deref(), Some(*text), "{with:?}");
        assert_eq!(take(text, &op, &what, false).unwrap(), None, "{text:?}");
        assert_eq!(with.contains("\r\n"), text.contains("\r\n"));
        assert!(
            !with.replace("\r\n", "").contains('\r')
                && (!text.contains("\r\n") || !with.replace("\r\n", "").contains('\n')),
            "{with:?}"
        );
        // A guard that moved: its path alone is changed.
        let here = Op { also: op.command().map(|c| vec![c.to_owned()]), ..hook("/opt/x y") };
        let (moved, none) = put(&with, &here, false).unwrap();
        assert_eq!(moved, with.replace("/usr/bin/", "/opt/x y/"));
        assert_eq!(none.text, "");
        let back = take(&moved, &here, &what, false).unwrap().unwrap();
        let plain = |t: &str| value(t, false).unwrap();
        assert_eq!(plain(&back), plain(text), "{moved:?} {back:?}");
    }
}

#[test]
fn what_was_written_since_stays() {
    let op = hook("/usr/bin");
    for (text, change, want) in [
        // Reformatted, and a key more.
        (
            "{}",
            "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"command\":\"/usr/bin/exec-guard hook claude\"}]}]},\"b\":2}",
            "{\"b\":2}",
        ),
        // Another hook in our group, and one in the list.
        (
            "{}",
            "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"command\":\"a\"}, {\"command\":\"/usr/bin/exec-guard hook claude\"}]}]}}",
            "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"command\":\"a\"}]}]}}",
        ),
        (
            "{}",
            "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"command\":\"/usr/bin/exec-guard hook claude\"}]}, 7]}}",
            "{\"hooks\":{\"PreToolUse\":[7]}}",
        ),
        // A list that was there stays, though empty.
        (
            "{\"hooks\": {\"PreToolUse\": []}}",
            "{\"hooks\":{\"PreToolUse\":[\n{\"hooks\":[{\"command\":\"/usr/bin/exec-guard hook claude\"}]}\n]}}",
            "{\"hooks\":{\"PreToolUse\":[]}}",
        ),
    ] {
        let (_, what) = put(text, &op, false).unwrap();
        assert_eq!(take(change, &op, &what, false).unwrap().as_deref(), Some(want));
    }
}

/// A person has hooks of his own that call the guard: under another matcher, before and after ours is put.
#[test]
fn what_a_person_wrote_stays() {
    let theirs = "{\"hooks\": {\"PreToolUse\": [\n  {\"matcher\": \"mcp__.*\", \"hooks\": [{\"command\": \"/usr/bin/exec-guard hook claude\"}, {\"command\": \"audit\"}]}\n]}}\n";
    let op = hook("/usr/bin");
    let (with, what) = put(theirs, &op, false).unwrap();
    assert_ne!(with, theirs);
    assert_eq!(take(&with, &op, &what, false).unwrap().as_deref(), Some(theirs));
    // Put in front of ours afterwards.
    let (ours, what) = put("{}", &op, false).unwrap();
    let group =
        "{\"matcher\": \"mcp__.*\", \"hooks\": [{\"command\": \"/usr/bin/exec-guard hook claude\"}]}, ";
    let at = ours.find('[').unwrap() + 1;
    let both = format!("{}{group}{}", &ours[..at], &ours[at..]);
    let left = take(&both, &op, &what, false).unwrap().unwrap();
    assert!(left.contains("mcp__.*") && !left.contains("\"Bash\""), "{left}");
    assert!(serde_json::from_str::<Value>(&left).is_ok(), "{left}");
    assert_eq!(take(&left, &op, &what, false).unwrap(), None);
}

/// A hook that calls a guard at another path is ours only if we put it there.
#[test]
fn a_hook_by_another_path_is_somebodys() {
    let op = hook("/usr/bin");
    let theirs_is = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"command\": \"/opt/team/exec-guard hook claude\", \"type\": \"command\"}]}]}}";
    let found = theirs(theirs_is, &op, false).unwrap();
    assert_eq!(found, json!({"type": "command", "command": "/opt/team/exec-guard hook claude"}));
    // Ours goes beside it, and alone out again.
    let (both, what) = put(theirs_is, &op, false).unwrap();
    assert_eq!(both.matches(" hook claude").count(), 2, "{both}");
    assert_eq!(theirs(&both, &op, false), None);
    assert_eq!(take(&both, &op, &what, false).unwrap().as_deref(), Some(theirs_is));
    assert_eq!(take(theirs_is, &op, &what, false).unwrap(), None);
    // One that was ours, or may have been.
    for also in [Some(vec!["/opt/team/exec-guard hook claude".to_owned()]), None] {
        let op = Op { also, ..op.clone() };
        assert_eq!(theirs(theirs_is, &op, false), None);
        assert_eq!(put(theirs_is, &op, false).unwrap().0, theirs_is.replace("/opt/team", "/usr/bin"));
    }
    // Under another matcher it stands in nobody's way.
    assert_eq!(theirs(&theirs_is.replace("\"Bash\"", "\"Edit\""), &op, false), None);
}

/// A hook of ours that somebody weakened is put right, with what else he wrote into it.
#[test]
fn a_weakened_hook_is_put_right() {
    let op = hook("/usr/bin");
    for bent in [
        "\"async\": true",
        "\"if\": \"Bash(git *)\"",
        "\"timeout\": 5",
        "\"args\": [\"x\"]",
        "\"once\": true",
    ] {
        for (open, close) in [("{", "}"), ("{\n      ", "\n    }")] {
            let handler = format!(
                "{open}\"type\": \"command\", \"command\": \"/usr/bin/exec-guard hook claude\", {bent}, \"statusMessage\": \"x\"{close}"
            );
            let text = format!(
                "{{\"a\": 1, \"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"Bash|Edit\", \"hooks\": [{handler}]}}]}}}}"
            );
            let (now, what) = put(&text, &op, false).unwrap();
            let is = value(&now, false).unwrap();
            let want = json!({"type": "command", "command": "/usr/bin/exec-guard hook claude", "statusMessage": "x"});
            let group = is.pointer("/hooks/PreToolUse/0").unwrap();
            assert_eq!(group, &json!({"matcher": "Bash|Edit", "hooks": [want]}), "{now}");
            assert_eq!((is["a"].clone(), what.text.as_str()), (json!(1), ""));
            // Once is enough.
            assert_eq!(put(&now, &op, false).unwrap().0, now);
        }
    }
}

/// What older manifests kept: the text alone.
#[test]
fn a_hook_is_read_from_the_text_that_was_put() {
    let (_, what) = put("{}", &hook("/usr/bin"), false).unwrap();
    assert!(what.text.contains("\"type\": \"command\""));
    assert_eq!(hook_in(&what.text), json!({"matcher": "Bash", "command": "/usr/bin/exec-guard hook claude"}));
}

#[test]
fn a_mark_of_byte_order_stays() {
    let text = "\u{feff}{\"a\": 1}\n";
    let op = hook("/usr/bin");
    let (with, what) = put(text, &op, false).unwrap();
    assert!(with.starts_with("\u{feff}{\"a\": 1"), "{with:?}");
    assert_eq!(put(&with, &op, false).unwrap().0, with);
    assert_eq!(take(&with, &op, &what, false).unwrap().as_deref(), Some(text));
    assert_eq!(value(&with, false).unwrap()["a"], 1);
}

#[test]
fn what_is_no_place_for_it_is_refused() {
    let op = hook("/usr/bin");
    for text in [
        "[]",
        "1",
        "{",
        "{\"a\": 1,, }",
        "{a: 1}",
        "{\"hooks\": []}",
        "{\"hooks\": {\"PreToolUse\": {}}}",
        "{\"hooks\": {}, \"hooks\": {}}",
        "{\"hooks\": null}",
        "// only words",
    ] {
        assert!(put(text, &op, false).is_err(), "{text}");
    }
    let key = Op::new(vec!["a".into(), "b".into()], Mark::Key, json!({"enabled": true}));
    assert!(put("{a: {b: {enabled: false}}}", &key, true).is_err());
    assert_eq!(put("{a: {b: {enabled: true, c: 1}}}", &key, true).unwrap().1.text, "");
    let (with, what) = put("{a: {\n  c: 'x',\n}}", &key, true).unwrap();
    assert_eq!(take(&with, &key, &what, true).unwrap().as_deref(), Some("{a: {\n  c: 'x',\n}}"));
}

#[test]
fn only_the_guards_own_command_is_ours() {
    for (command, is) in [
        ("/usr/bin/exec-guard hook claude", true),
        ("'/home/a b/exec-guard' hook claude", true),
        ("exec-guard hook claude", true),
        ("/usr/bin/exec-guard hook codex", false),
        ("/usr/bin/exec-guard hook claude; true", false),
        ("/usr/bin/my-exec-guard hook claude", false),
        ("echo hook claude", false),
    ] {
        assert_eq!(calls(command, "claude"), is, "{command}");
    }
}
