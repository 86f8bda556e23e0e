//! `exec-guardctl import`: what an agent's own rules allowed is allowed, nothing more, and what is left out is named.
use std::fs;

use serde_json::{Value, json};

use crate::install::{ctl, done, environment};
use crate::stage::{Run, Stage, Way, own, programs};

/// Tools in PATH, and a policy that allows nothing of them.
fn stage() -> Stage {
    let stage = Stage::new();
    let stage = ["git", "npm", "make", "rm", "curl", "sh-like", "cat"].iter().fold(stage, |s, t| s.tool(t));
    stage.policy(&json!({"version": 1, "defaults": {"security": "allowlist", "ask": "on-miss", "askFallback": "deny"}}))
}

/// The verdict on a command for an agent: `allow`, `ask` or `deny`.
fn verdict(stage: &Stage, agent: &str, words: &[&str]) -> String {
    let guard = programs().guard.to_str().expect("text");
    let all: Vec<&str> =
        [guard, "check", "--json", "--agent", agent, "--"].iter().chain(words).copied().collect();
    let run = stage.cast(&all).way(Way::Path).env(environment(stage)).run();
    let value: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    value["decision"].as_str().unwrap_or_else(|| panic!("{value}")).to_owned()
}

fn import(stage: &Stage, words: &[&str]) -> Run {
    ctl(stage, &[&["import"], words].concat()).run()
}

/// What is written where, how many rules are left out, and verdicts afterwards.
struct Case {
    from: &'static str,
    rel: &'static str,
    text: String,
    left: &'static [&'static str],
    verdicts: &'static [(&'static str, &'static str)],
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            from: "claude",
            rel: "home/.claude/settings.json",
            text: json!({"permissions": {
                "allow": ["Bash(npm run test:*)", "Bash(git status)", "Bash(git log *)", "Bash(make b*)", "Read(~/**)",
                    "WebFetch", "Bash", "Bash(*)", "Bash(:*)", "Bash(no-such-program:*)", "Bash(git diff > x)",
                    "Bash(FOO=1 make)", "Bash(./x:*)", "Bash(n*)", "Bash(echo $HOME)", "Bash(git add && rm:*)",
                    "Bash(cat:*)"],
                "ask": ["Bash(git push:*)"],
                "deny": ["Bash(rm:*)", "Bash(curl -X POST:*)", "Read(./.env)"]
            }})
            .to_string(),
            left: &[
                "allow Read(~/**): it is about a tool that runs no command",
                "allow WebFetch: it is about a tool",
                // It held for `cat .env` as well.
                "deny Read(./.env): it is about files",
                "allow Bash(cat:*): `deny Read(./.env)` is left out",
                "allow Bash: it would allow every program",
                "allow Bash(*): it would allow every program",
                "allow Bash(:*)",
                "no-such-program is not in PATH",
                "`>` may mean",
                "FOO=1 make): it sets a variable",
                "Bash(./x:*): its path depends",
                "Bash(n*): the program is not named whole",
                "`$` may mean",
                "`&` may mean",
            ],
            verdicts: &[
                ("npm run test", "allow"),
                ("npm run test -- x", "allow"),
                ("npm run build", "ask"),
                ("npm", "ask"),
                ("git status", "allow"),
                ("git status -s", "ask"),
                ("git log", "ask"),
                ("git log -3", "allow"),
                ("make build x", "allow"),
                ("make clean", "ask"),
                ("git push", "ask"),
                ("rm x", "deny"),
                ("curl -X POST x", "deny"),
                ("curl x", "ask"),
                ("git add", "ask"),
                ("cat .env", "ask"),
            ],
        },
        Case {
            from: "claude",
            rel: "home/.claude/settings.json",
            // A name with stars takes away every tool that it fits, and gives none.
            text: json!({"permissions": {
                "allow": ["Bash(git status)", "*", "Ba*"],
                "ask": ["Bash(git push:*)"],
                "deny": ["B*h", "Bread*"]
            }})
            .to_string(),
            left: &[
                "deny B*h: every command: set `security` to deny",
                "deny Bread*: it is about a tool that runs no command",
                "allow Bash(git status): `deny B*h` is left out",
                "allow *: it is about a tool that runs no command",
                "allow Ba*: it is about a tool that runs no command",
            ],
            verdicts: &[("git push", "ask"), ("git status", "ask")],
        },
        Case {
            from: "claude",
            rel: "home/.claude/settings.json",
            // What is forbidden and cannot be said here is not allowed either.
            text: json!({"permissions": {
                "allow": ["Bash(git:*)", "Bash(make:*)", "Bash(curl x)"],
                "deny": ["Bash(git * --force:*)", "Bash(curl x | sh)"]
            }})
            .to_string(),
            left: &[
                "allow Bash(git:*): `deny Bash(git * --force:*)` is left out",
                "deny Bash(git * --force:*): `*` in the middle",
                "allow Bash(curl x)",
                "deny Bash(curl x | sh)",
            ],
            verdicts: &[("git push x --force", "ask"), ("make x", "allow"), ("curl x", "ask")],
        },
        Case {
            from: "claude",
            rel: "home/.claude/settings.json",
            text: json!({"permissions": {
                "allow": ["Bash(git:*)"], "ask": ["Bash"], "deny": ["Bash(rm:*)"]
            }})
            .to_string(),
            left: &["allow Bash(git:*): `ask Bash` is left out", "ask Bash: every command"],
            verdicts: &[("git x", "ask"), ("rm x", "deny")],
        },
        Case {
            from: "codex",
            rel: "home/.codex/rules/default.rules",
            text: r#"# mine
prefix_rule(pattern=["git", ["status", 'diff']])
prefix_rule(
    pattern = ["make"],  # all
    decision = "prompt",
    match = [["make", "x"]],
)
prefix_rule(pattern=["rm"], decision="forbidden")
x = 1
host_executable(name="git", paths=["/usr/bin/git"])
prefix_rule(pattern=["npm", "a b"])
prefix_rule(pattern=["npm", "test"])
prefix_rule(pattern=["npm"], decision="whatever")
prefix_rule(pattern=["make", "x"], when="night")
prefix_rule(pattern=[])
prefix_rule(pattern=["git", "*"])
prefix_rule(pattern=["curl"])"#
                .into(),
            left: &[
                "x = 1: only plain calls",
                "host_executable",
                "npm a b: ` ` may mean",
                "decision is not known",
                "npm test: `deny prefix_rule",
                "argument that is not known",
                "it would allow every program",
                "git *: `*` may mean",
            ],
            verdicts: &[
                ("git status -s", "allow"),
                ("git diff", "allow"),
                ("git push", "ask"),
                ("make x", "ask"),
                ("rm x", "deny"),
                ("npm test", "ask"),
                ("curl x", "allow"),
            ],
        },
        Case {
            from: "codex",
            rel: "home/.codex/rules/default.rules",
            text: r#"prefix_rule(pattern=["git"])
prefix_rule(pattern=["rm"], decision="forbidden")
prefix_rule(pattern=PATTERN, decision="forbidden")
prefix_rule(["make"], "forbidden")
prefix_rule(pattern=["npm", """x"""])
prefix_rule(pattern=["npm"]) or f()
def f():
    prefix_rule(pattern=["curl"], decision="forbidden")
f()"#
            .into(),
            left: &[
                "allow git: `prefix_rule(pattern=PATTERN",
                "PATTERN, decision=\"forbidden\"): it is not made",
                "an argument without a name",
                "a text that is not plain",
                "more than a call",
                "def f",
                "f(): only plain",
            ],
            verdicts: &[("git status", "ask"), ("rm x", "deny")],
        },
        Case {
            from: "gemini",
            rel: "home/.gemini/settings.json",
            text: "{\n // mine\n \"tools\": {\"allowed\": [\"run_shell_command(git status)\", \"run_shell_command\", \"read_file\", \"ShellTool(make)\", \"run_shell_command(npm *)\"], \"exclude\": [\"run_shell_command(rm)\", \"run_shell_command(git push)\"]}}".into(),
            left: &["run_shell_command: it would allow every program", "npm *): `*` may mean"],
            verdicts: &[
                ("git status -s", "allow"),
                ("git log", "ask"),
                ("make all", "allow"),
                ("rm x", "deny"),
                ("git push -f", "deny"),
                ("npm run t", "ask"),
            ],
        },
        Case {
            from: "opencode",
            rel: "home/.config/opencode/opencode.json",
            text: "{\"permission\": {\"bash\": {\"*\": \"ask\", \"git *\": \"allow\", \"git push *\": \"deny\", \"make\": \"allow\", \"rm *\": \"deny\", \"npm ?\": \"allow\"}}}".into(),
            left: &["ask *: what no entry covers", "npm ?: `?` may mean"],
            verdicts: &[
                ("git status", "allow"),
                ("git", "ask"),
                ("git push x", "deny"),
                ("make", "allow"),
                ("make x", "ask"),
                ("rm x", "deny"),
                ("npm run t", "ask"),
            ],
        },
        Case {
            from: "opencode",
            rel: "home/.config/opencode/opencode.json",
            // What the last one takes back cannot be said here: then nothing before it is allowed either.
            text: "{\"permission\": {\"bash\": {\"git *\": \"allow\", \"*; *\": \"deny\", \"make *\": \"allow\"}}}".into(),
            left: &["allow git *: `*; *` behind it", "deny *; *"],
            verdicts: &[("git status", "ask"), ("make x", "allow")],
        },
    ]
}

#[test]
fn what_was_allowed_is_allowed_and_nothing_more() {
    for case in cases() {
        let stage = stage();
        let path = stage.path(case.rel);
        let folder = path.parent().expect("a folder");
        fs::create_dir_all(folder).expect("folders");
        for folder in folder.ancestors().take_while(|p| *p != stage.path("home")) {
            own(folder);
        }
        stage.write(case.rel, case.text.as_bytes(), 0o600);
        let policy = fs::read(stage.path("guard/exec-approvals.json")).expect("a policy");
        let dry = import(&stage, &[case.from, "--dry-run"]);
        done(&dry, 0);
        assert_eq!(fs::read(stage.path("guard/exec-approvals.json")).expect("a policy"), policy);
        let run = import(&stage, &[case.from]);
        done(&run, 0);
        assert_eq!(run.stdout, dry.stdout);
        let left: Vec<&str> = run.stdout.lines().filter(|l| l.starts_with("left out")).collect();
        assert_eq!(left.len(), case.left.len(), "{}: {left:#?}", case.from);
        for word in case.left {
            assert!(left.iter().any(|l| l.contains(word)), "{}: no {word} in {left:#?}", case.from);
        }
        for (command, want) in case.verdicts {
            let words: Vec<&str> = command.split(' ').collect();
            let got = verdict(&stage, case.from, &words);
            assert_eq!(got, *want, "{}: {command}\n{}", case.from, run.stdout);
            // Somebody else's rules are not loosened by it.
            if *want == "allow" {
                assert_eq!(verdict(&stage, "another", &words), "ask", "{}: {command}", case.from);
            }
        }
        // Twice is once.
        let policy = fs::read(stage.path("guard/exec-approvals.json")).expect("a policy");
        let again = import(&stage, &[case.from]);
        assert!(again.stderr.contains("0 entries added"), "{again:?}");
        let entries = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
        let now = fs::read(stage.path("guard/exec-approvals.json")).expect("a policy");
        assert_eq!(entries(&now), entries(&policy));
    }
}

/// Sources that allow `git status` in one place and take it back in another: each as its agent reads it.
#[test]
fn what_another_place_takes_back_is_not_allowed() {
    let git = r#""bash": {"git status": "allow"}"#;
    let rule = "prefix_rule(pattern=[\"git\", \"status\"])\n";
    let plain = |text: &str| text.to_owned();
    for (from, file, text, allowed) in [
        ("opencode", "a.json", format!("{{\"permission\": {{{git}}}}}"), true),
        ("opencode", "a.json", format!("{{\"permission\": {{\"*\": \"deny\", {git}}}}}"), true),
        ("opencode", "a.json", format!("{{\"permission\": {{{git}, \"*\": \"deny\"}}}}"), false),
        ("opencode", "a.json", format!("{{\"permission\": {{{git}, \"ba*\": \"ask\"}}}}"), false),
        ("opencode", "a.json", format!("{{\"permission\": {{{git}, \"edit\": \"deny\"}}}}"), true),
        (
            "opencode",
            "a.json",
            format!("{{\"tools\": {{\"bash\": false}}, \"permission\": {{{git}}}}}"),
            false,
        ),
        (
            "opencode",
            "a.json",
            format!(
                "{{\"agent\": {{\"b\": {{\"permission\": {{\"bash\": \"deny\"}}}}}}, \"permission\": {{{git}}}}}"
            ),
            false,
        ),
        ("gemini", "a.json", plain(r#"{"tools": {"allowed": ["run_shell_command(git status)"]}}"#), true),
        (
            "gemini",
            "a.json",
            plain(r#"{"tools": {"core": ["read_file"], "allowed": ["run_shell_command(git status)"]}}"#),
            false,
        ),
        (
            "gemini",
            "a.json",
            plain(
                r#"{"tools": {"core": ["run_shell_command(ls)"], "allowed": ["run_shell_command(git status)"]}}"#,
            ),
            false,
        ),
        (
            "gemini",
            "a.json",
            plain(
                r#"{"tools": {"core": ["run_shell_command"], "allowed": ["run_shell_command(git status)"]}}"#,
            ),
            true,
        ),
        (
            "gemini",
            "a.json",
            plain(
                r#"{"tools": {"exclude": ["run_shell_command(git"], "allowed": ["run_shell_command(git status)"]}}"#,
            ),
            false,
        ),
        (
            "gemini",
            "a.json",
            plain(r#"{"tools": {"exclude": ["*"], "allowed": ["run_shell_command(git status)"]}}"#),
            false,
        ),
        ("claude", "a.json", plain(r#"{"permissions": {"allow": ["Bash(git status)"]}}"#), true),
        (
            "claude",
            "a.json",
            plain(r#"{"permissions": {"allow": ["Bash(git status)"], "deny": "Bash"}}"#),
            false,
        ),
        ("claude", "a.json", plain("{/* x */ \"permissions\": {\"allow\": [\"Bash(git status)\"]}}"), false),
        ("codex", "a.rules", plain(rule), true),
        ("codex", "a.rules", format!("x = \\\n{rule}"), false),
        ("codex", "a.rules", format!("x = \"\"\"\n{rule}\"\"\"\n"), false),
        ("codex", "a.rules", format!("# x\nx = 1\n{rule}"), true),
        ("codex", "a.rules", rule.replace("])", "], not_match=[\"git status\"])"), false),
        (
            "codex",
            "a.rules",
            rule.replace("])", "], not_match=[\"git log\"], match=[\"git status -s\"])"),
            true,
        ),
        ("codex", "a.rules", rule.replace("])", "], match=[[\"git\", \"log\"]])"), false),
    ] {
        let stage = stage();
        stage.write(file, text.as_bytes(), 0o600);
        let run = import(&stage, &[from, &stage.text(file)]);
        let got = verdict(&stage, from, &["git", "status"]);
        assert_eq!(got == "allow", allowed, "{from} {text}: {run:?}");
        // What is left out is named.
        assert!(
            allowed || !run.stderr.is_empty() || run.stdout.contains("left out"),
            "{from} {text}: {run:?}"
        );
    }
}

#[test]
fn rules_of_a_project_count_there() {
    let stage = stage();
    stage.folder("work/.claude", 0o755);
    let text = json!({"permissions": {"allow": ["Bash(git status)"]}}).to_string();
    stage.write("work/.claude/settings.json", text.as_bytes(), 0o644);
    done(&import(&stage, &["claude", &stage.text("work/.claude/settings.json"), "--agent", "main"]), 0);
    assert_eq!(verdict(&stage, "main", &["git", "status"]), "allow");
    let guard = programs().guard.to_str().expect("text");
    let words = [guard, "check", "--json", "--agent", "main", "--", "git", "status"];
    let run = stage.cast(&words).way(Way::Path).env(environment(&stage)).cwd(stage.path("home")).run();
    assert!(run.stdout.contains("\"ask\""), "{run:?}");
}

#[test]
fn openclaw_goes_over_agent_by_agent() {
    let stage = stage();
    let git = stage.text("bin/git");
    let doc = json!({"version": 1, "defaults": {"security": "full"}, "agents": {
        "ops": {"ask": "always", "allowlist": [stage.text("bin/curl")]},
        "none": {"security": "deny", "allowlist": [stage.text("bin/curl")]},
        "main": {"security": "full", "ask": "off", "allowlist": [
            {"id": "x", "pattern": git, "argPattern": "^status$", "lastUsedAt": 1},
            {"pattern": "git"}, "/**", {"pattern": stage.text("bin/make"), "sandbox": true}]},
        "default": {"allowlist": [stage.text("bin/npm")]}
    }});
    stage.write("work/approvals.json", doc.to_string().as_bytes(), 0o644);
    let run = import(&stage, &["openclaw", &stage.text("work/approvals.json")]);
    done(&run, 0);
    for word in [
        "main: git: a bare name",
        "main: /**: it would allow",
        "`sandbox` may make",
        "main: security",
        "main: ask",
    ] {
        assert!(run.stdout.contains(word), "no {word}: {run:?}");
    }
    for (words, want) in [
        (&["git", "status"][..], "allow"),
        (&["git", "log"], "ask"),
        (&["make"], "ask"),
        (&["npm", "run", "t"], "allow"),
    ] {
        assert_eq!(verdict(&stage, "main", words), want, "{words:?}");
    }
}

#[test]
fn what_is_no_source_is_refused() {
    let stage = stage();
    done(&import(&stage, &["claude"]), 1);
    stage.write("work/x.json", b"{\"permissions\": ", 0o644);
    done(&import(&stage, &["claude", &stage.text("work/x.json")]), 2);
    stage.write("work/x.json", b"{}", 0o644);
    done(&import(&stage, &["claude", &stage.text("work/x.json")]), 1);
    stage.write("work/x.json", b"\xff", 0o644);
    done(&import(&stage, &["codex", &stage.text("work/x.json")]), 2);
    // What never ends, or never begins, is not read.
    let fifo = stage.path("work/fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::from_bits_truncate(0o666)).expect("a fifo");
    own(&fifo);
    fs::File::create(stage.path("work/large")).and_then(|f| f.set_len(5 << 20)).expect("a file");
    own(&stage.path("work/large"));
    for (file, word) in [
        ("/dev/zero".to_owned(), "is no regular file"),
        (stage.text("work/fifo"), "is no regular file"),
        (stage.text("work/large"), "is larger than 4 MiB"),
    ] {
        let run = import(&stage, &["claude", &file]);
        done(&run, 2);
        assert!(run.stderr.contains(word), "{run:?}");
    }
    // Nothing of it can be taken over: told, and nothing is changed.
    let before = fs::read(stage.path("guard/exec-approvals.json")).expect("a policy");
    stage.write("work/x.json", b"{\"permissions\": {\"allow\": [\"Bash\"]}}", 0o644);
    let run = import(&stage, &["claude", &stage.text("work/x.json"), "--json"]);
    done(&run, 1);
    let value: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert!(value["rules"][0]["leftOut"].is_string(), "{value}");
    assert_eq!(fs::read(stage.path("guard/exec-approvals.json")).expect("a policy"), before);
    done(&import(&stage, &["emacs"]), 2);
}
