use super::*;
use crate::testing::question;
use policy::Proposal;

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
