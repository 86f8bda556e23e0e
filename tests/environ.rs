//! What an unattended run does not inherit: variables that make an allowed program run something else.
use serde_json::json;

use crate::stage::pty::Terminal;
use crate::stage::{Stage, Way};

const HIJACKERS: &[&str] = &[
    "LD_PRELOAD=/tmp/x.so",
    "LD_LIBRARY_PATH=/tmp",
    "BASH_ENV=/tmp/x",
    "ENV=/tmp/x",
    "BASH_FUNC_git%%=() { id; }",
    "GIT_SSH_COMMAND=id",
    "GIT_EXTERNAL_DIFF=id",
    "PERL5OPT=-Mx",
    "PYTHONSTARTUP=/tmp/x",
    "PYTHONPATH=/tmp",
    "NODE_OPTIONS=--require=/tmp/x",
    "RUBYOPT=-rx",
    "JAVA_TOOL_OPTIONS=-javaagent:x",
];

const HARMLESS: &[&str] =
    &["A=1", "PAGER=cat", "GIT_PAGER=cat", "EDITOR=true", "LC_ALL=C", "NO_COLOR=1", "Z=2"];

fn stage() -> Stage {
    let mut stage = Stage::new().tool("tool").shim("tool").allowing(&["tool"]);
    for (i, h) in HIJACKERS.iter().enumerate() {
        stage = stage.env(h);
        if let Some(e) = HARMLESS.get(i) {
            stage = stage.env(e);
        }
    }
    stage
}

fn seen(run: &crate::stage::Run) -> Vec<String> {
    let [record] = run.records.as_slice() else { panic!("{run:?}") };
    record.env().iter().map(|e| String::from_utf8_lossy(e).into_owned()).collect()
}

#[test]
fn hijackers_are_scrubbed_and_the_rest_keeps_its_order() {
    let stage = stage();
    for way in [Way::Dash, Way::Shim, Way::Text] {
        let run = stage.cast(&["tool"]).way(way).run();
        let env = seen(&run);
        let left: Vec<&&str> = HIJACKERS.iter().filter(|h| env.iter().any(|e| e == *h)).collect();
        assert!(left.is_empty(), "{way:?}: {left:?}");
        let kept: Vec<&str> = env.iter().map(String::as_str).filter(|e| HARMLESS.contains(e)).collect();
        assert_eq!(kept, HARMLESS, "{way:?}");
    }
}

#[test]
fn what_is_trusted_stays() {
    let stage = stage().config(&json!({"tools": {"exec": {"env": {"trusted": ["PYTHONPATH"]}}}}));
    let env = seen(&stage.run(&["tool"]));
    assert!(env.iter().any(|e| e == "PYTHONPATH=/tmp"), "{env:?}");
    assert!(!env.iter().any(|e| e.starts_with("LD_PRELOAD=")), "{env:?}");
    let stage = self::stage().config(&json!({"tools": {"exec": {"env": {"mode": "pass"}}}}));
    let env = seen(&stage.run(&["tool"]));
    assert!(HIJACKERS.iter().all(|h| env.iter().any(|e| e == h)), "{env:?}");
    let stage = self::stage().config(&json!({"tools": {"exec": {"env": {"mode": "ask"}}}}));
    stage.run(&["tool"]).refused(126, "environment");
}

/// A person's own shell keeps what the person set.
#[test]
fn at_a_terminal_nothing_is_scrubbed() {
    let (stage, terminal) = (stage(), Terminal::new());
    let run = stage.cast(&["tool"]).way(Way::Dash).terminal(&terminal).run();
    let env = seen(&run);
    let gone: Vec<&&str> = HIJACKERS.iter().filter(|h| !env.iter().any(|e| e == *h)).collect();
    assert!(gone.is_empty(), "{gone:?}");
}

#[test]
fn relative_and_empty_folders_of_path_are_dropped() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    let bin = stage.text("bin");
    let mut env = stage.environment();
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(format!("PATH=.:{bin}::node_modules/.bin:/usr/bin:").into_bytes());
    let run = stage.cast(&["tool"]).way(Way::Dash).env(env.clone()).run();
    assert_eq!(run.records[0].var("PATH"), Some(format!("{bin}:/usr/bin")), "{run:?}");
    // A program that such a folder would give is never the one that runs.
    std::fs::copy(&crate::stage::programs().witness, stage.path("work/evil")).expect("a program");
    let run = stage.cast(&["evil"]).way(Way::Dash).env(env).run();
    run.refused(127, "not-found");
}
