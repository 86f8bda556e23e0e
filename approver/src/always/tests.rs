use super::*;
use crate::testing::question;
use policy::Proposal;
use serde_json::json;

fn proposal(scope: Scope, pattern: &str, args: Option<&[&str]>) -> Proposal {
    let args = args.map(|a| a.iter().map(|w| (*w).to_owned()).collect());
    Proposal { scope, entries: vec![Entry { pattern: pattern.into(), args, ..Entry::default() }] }
}

/// A question whose segment is that command, with what it proposes.
fn asking(argv: &[&str], found: &str, real: &str, always: Vec<Proposal>) -> WireQuestion {
    let mut q = question(argv);
    q.found = found.into();
    q.real = real.into();
    for s in &mut q.segments {
        (s.found, s.real) = (Some(found.into()), Some(real.into()));
    }
    q.always = Ok(always);
    q
}

const TOOL: &str = "/usr/bin/tool";

#[test]
fn exactly_what_was_shown() {
    let always =
        vec![proposal(Scope::Arguments, TOOL, Some(&["status"])), proposal(Scope::Program, TOOL, None)];
    let q = asking(&["tool", "status"], TOOL, TOOL, always);
    let stored = entries(&q, Scope::Arguments).unwrap();
    assert_eq!((&stored[0]["pattern"], &stored[0]["args"]), (&TOOL.into(), &serde_json::json!(["status"])));
    assert!(stored[0].get("hazards").is_none() && stored[0].get("carries").is_none());
    assert_eq!(entries(&q, Scope::Subcommand).unwrap_err(), "not in the scope `subcommand`");
}

#[test]
fn what_the_prompt_would_not_offer_is_not_taken_from_an_asker() {
    let program = |p: &str| proposal(Scope::Program, p, None);
    let words = |w: &[&str]| proposal(Scope::Arguments, TOOL, Some(w));
    for (argv, found, real, always) in [
        (&["bash"][..], "/bin/bash", "/bin/bash", program("/bin/bash")),
        (&["tool"], TOOL, "/usr/bin/python3", program(TOOL)),
        (&["/opt/env"], "/opt/env", "/opt/env", program("/opt/env")),
        (&["tool", "--password=hunter2hunter2"], TOOL, TOOL, words(&["--password=hunter2hunter2"])),
        (&["tool", "--token", "hunter2hunter2"], TOOL, TOOL, words(&["--token", "hunter2hunter2"])),
        (&["tool"], "tool", TOOL, program("tool")),
    ] {
        let scope = always.scope;
        let q = asking(argv, found, real, vec![always]);
        assert!(entries(&q, scope).is_err(), "{argv:?}");
    }
}

#[test]
fn an_agent_in_doubt_gets_nothing() {
    let mut q = asking(&["tool"], TOOL, TOOL, vec![proposal(Scope::Program, TOOL, None)]);
    assert!(entries(&q, Scope::Program).is_ok());
    q.agents.push("other".into());
    assert!(entries(&q, Scope::Program).is_err());
    q.agents.pop();
    q.agent = "*".into();
    assert!(entries(&q, Scope::Program).is_err());
    q.always = Err("because".into());
    assert_eq!(entries(&q, Scope::Program).unwrap_err(), "because");
}

#[test]
fn a_question_that_proposes_more_than_it_shows_is_no_question() {
    let shown = asking(&["ls"], "/bin/ls", "/bin/ls", vec![proposal(Scope::Program, "/bin/ls", None)]);
    assert!(WireQuestion::parse(&shown.to_text()).is_ok());
    for (pattern, args) in
        [("**", None), ("/bin/*", None), ("/bin/rm", None), ("/bin/ls", Some(&["..."][..]))]
    {
        let mut q = shown.clone();
        q.always = Ok(vec![proposal(Scope::Program, pattern, args)]);
        assert!(WireQuestion::parse(&q.to_text()).is_err(), "{pattern}");
    }
}

#[test]
fn no_place_is_no_store() {
    assert!(write(None, "main", &[]).is_err());
}

#[test]
fn a_person_is_told_what_was_stored_and_how_to_take_it_back() {
    let entry = |n: u8| json!({"id": format!("id{n}"), "pattern": "/bin/x", "args": ["a b", "..."]});
    let told = |n: u8, new| {
        let entries: Vec<Value> = (0..n).map(entry).collect();
        always_told("/f/e.json", "my agent", &entries, new)
    };
    assert_eq!(
        told(1, 1),
        [
            "stored for agent my agent in /f/e.json: /bin/x 'a b' ...",
            "to take it back: exec-guardctl approvals allowlist remove id0 --agent 'my agent'"
        ]
    );
    assert!(told(2, 1)[1].contains("remove /bin/x "), "one of them has another id");
    assert_eq!(told(1, 0), ["nothing new was stored: /f/e.json says so for agent my agent already"]);
    assert_eq!(told(9, 9).len(), 9);
    let bare = [json!({"pattern": "/b", "args": []}), json!({"pattern": "/c", "cwd": "/w"})];
    assert!(always_told("/f", "m", &bare, 2)[0].ends_with("/b, without arguments"));
    assert!(always_told("/f", "m", &bare, 2)[2].ends_with("/c, any arguments, in /w"));
}

fn always_told(file: &str, agent: &str, entries: &[Value], new: usize) -> Vec<String> {
    told(Path::new(file), agent, entries, new)
}
