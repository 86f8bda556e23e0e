//! What cannot be written: a command runs once at most, and never without a yes.
use serde_json::json;

use crate::stage::Way;
use crate::stage::approver::stage;
use crate::stage::service::{LONG, Service, asker, program};

/// Nothing more can be written: what was said yes to runs once, and nobody is told that more was kept than was.
#[test]
fn a_full_disk_makes_no_yes_of_a_no_and_loses_no_document() {
    let stage = stage();
    let before = std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document");
    // Every write to a file fails, as it does on a disk that is full.
    let full = ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""];
    let service = Service::of(&stage, &program(&stage, &[]).chain(&full));
    for (answer, runs) in [("allow-once", true), ("deny", false), ("allow-always", true)] {
        let person = service.person(answer);
        stage.clear();
        let run = stage.cast(&["tool", answer]).way(Way::Dash).limit(2 * LONG).run();
        assert_eq!(run.records.len(), usize::from(runs), "{answer}: {run:?}");
        drop(person);
    }
    assert_eq!(std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document"), before);
    // An override that guards could not be told of is none.
    let set = json!({"do": "session-set", "agent": "main", "security": "deny", "ask": null, "session": null, "forMs": 600_000});
    let answers = service.operator(&[set, json!({"do": "session-list"})]);
    assert_eq!((&answers[0]["value"]["code"], &answers[1]["value"]), (&json!("internal"), &json!([])));
    stage.run(&["listed"]).allowed();
    // A late yes is good once, as long as this approver lives.
    assert_eq!(asker(&stage, &["leave", "5"]).run().stdout.trim(), "noted");
    let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
    service.operator(&[json!({"do": "resolve", "id": id, "decision": "allow-once", "reason": null})]);
    let once = || asker(&stage, &["once", "5", "1500"]).run().stdout.trim().to_owned();
    assert_eq!((once().as_str(), once().as_str()), ("allow-once ticket", "expired"));
    assert!(!stage.path("guard/approver/kept.json").exists());
}
