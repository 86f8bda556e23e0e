//! Three whole documents that gateways begin with (strict, owner-only, yolo), each line of them, and what calls come to.
use serde_json::{Value, json};

use crate::stage::approver::TOKEN;
use crate::stage::service::Service;
use crate::stage::{Stage, cannot};
use crate::tools::{GATEWAY, call};

/// A world with this `config.json`, and a gateway that has a token.
fn world(mut config: Value) -> Stage {
    config["security"]["gatewayToken"] = json!(GATEWAY);
    let stage = Stage::new();
    stage.write("token", GATEWAY.as_bytes(), 0o600);
    let exec =
        json!({"version": 1, "socket": {"token": TOKEN}, "defaults": {"security": "full", "ask": "off"}});
    stage.policy(&exec).config(&config)
}

fn strict() -> Value {
    json!({
        "security": {
            "mode": "always-require-approval",
            "ownerId": "user:admin",
            "sandbox": {
                "enabled": true,
                "timeout": 30000,
                "maxOutput": 10000,
                "blockedCommands": [
                    "rm", "del", "erase", "dd", "format", "mkfs", "chmod", "chown", "useradd", "userdel", "passwd",
                    "sudo", "su", "kill", "pkill", ":", ">", ">>", "|", "reboot", "shutdown", "halt", "poweroff"
                ],
                "container": {"enabled": true, "image": "alpine:latest", "timeout": 60000}
            },
            "approval": {"timeout": 300, "requireConfirmation": true, "autoApprovePatterns": []}
        },
        "toolOverrides": {"bash": "always-require-approval", "cron": "always-require-approval"}
    })
}

fn owner_only() -> Value {
    json!({
        "security": {
            "mode": "owner-only",
            "ownerId": "user:admin",
            "sandbox": {"enabled": true, "timeout": 30000, "maxOutput": 10000},
            "approval": {"timeout": 600, "requireConfirmation": false}
        },
        "toolOverrides": {}
    })
}

fn yolo() -> Value {
    json!({
        "security": {"mode": "yolo", "sandbox": {"enabled": true, "timeout": 30000, "maxOutput": 10000}},
        "toolOverrides": {}
    })
}

fn echo() -> Value {
    json!({"command": "echo hello"})
}

/// The word of what a call comes to; empty if it did what was asked.
fn code(stage: &Stage, tool: &str, user: &str, args: &Value) -> String {
    let result = call(stage, tool, user, args, &[]);
    // Nobody is there to be asked, and nothing may run.
    assert_eq!(
        result["code"] == "nobody-to-ask",
        result["error"].as_str().is_some_and(|e| e.contains("a person"))
    );
    result["code"].as_str().unwrap_or_default().to_owned()
}

/// Every tool by the owner and by another user, under each document.
#[test]
fn who_needs_a_yes_under_each() {
    let (stricter, owners, loose) = (world(strict()), world(owner_only()), world(yolo()));
    let list = json!({"action": "list"});
    let any = json!({"url": "u", "commands": []});
    for (tool, args, want) in [
        // Strict: owner, other; owner-only: owner, other; yolo: other.
        ("bash", &echo(), ["ask", "ask", "", "ask", ""]),
        ("cron", &list, ["ask", "ask", "", "ask", ""]),
        ("browser", &any, ["", "", "", "", ""]),
        ("canvas", &any, ["", "", "", "", ""]),
        ("image", &any, ["", "", "", "", ""]),
        ("file", &any, ["", "", "", "", ""]),
        ("teleport", &any, ["unknown-tool", "unknown-tool", "unknown-tool", "unknown-tool", "unknown-tool"]),
    ] {
        let columns = [
            (&stricter, "user:admin"),
            (&stricter, "user:1"),
            (&owners, "user:admin"),
            (&owners, "user:1"),
            (&loose, "user:1"),
        ];
        for ((stage, user), want) in columns.into_iter().zip(want) {
            let got = code(stage, tool, user, args);
            let asks = got == "nobody-to-ask";
            // That a machine has no crontab is no question.
            let fits = match (tool, want) {
                (_, "ask") => asks,
                ("cron", _) => !asks,
                (_, want) => got == want,
            };
            assert!(fits, "{tool} by {user}: {got:?}, not {want:?}");
        }
    }
}

#[test]
fn the_strict_list_names_programs_and_constructs() {
    // The list counts before anybody is asked, so that no yes lifts it.
    let stage = world(strict());
    for (command, blocked) in [
        ("rm -rf /tmp/x", true),
        ("\\rm x", true),
        ("echo a > b", true),
        ("echo a >> b", true),
        ("ls | wc", true),
        (":", true),
        ("env sudo ls", true),
        // A word is no program.
        ("echo format rm del", false),
        ("echo reforming", false),
        ("printf 'a>b|c:'", false),
    ] {
        let got = code(&stage, "bash", "user:admin", &json!({"command": command}));
        assert_eq!(got == "blocked-command", blocked, "{command}: {got}");
        assert!(blocked || got == "nobody-to-ask", "{command}: {got}");
    }
}

#[test]
fn a_yes_runs_it_under_the_strict_document() {
    let stage = world(strict());
    let service = Service::start(&stage);
    std::thread::scope(|s| {
        let call = s.spawn(|| {
            call(&stage, "bash", "user:1", &echo(), &["--channel", "channel:1", "--message", "msg:1"])
        });
        service.until(1);
        let row = service.rows().remove(0);
        assert_eq!(
            row["tool"],
            json!({"name": "bash", "user": "user:1", "channel": "channel:1", "message": "msg:1"})
        );
        let answer = json!({"do": "resolve", "id": row["id"], "decision": "allow-once", "reason": null});
        assert_eq!(service.operator(&[answer])[0]["kind"], "resolved");
        let result = call.join().expect("a thread");
        assert_eq!(
            (&result["success"], &result["approvalRequested"]),
            (&json!(true), &json!(true)),
            "{result}"
        );
        assert_eq!((&result["result"]["stdout"], &result["approvalId"]), (&json!("hello\n"), &row["id"]));
        assert_ne!(result["result"]["sandbox"], "none", "{result}");
    });
    // 300 s, as the document says.
    let result = call(&stage, "bash", "user:1", &echo(), &["--no-wait"]);
    assert_eq!((&result["success"], &result["approvalRequested"]), (&json!(false), &json!(true)), "{result}");
    let row = service.rows().remove(0);
    let span = row["expiresAtMs"].as_u64().zip(row["askedAtMs"].as_u64()).map(|(e, a)| e - a);
    assert_eq!(span, Some(300_000), "{row}");
}

#[test]
fn an_owner_is_not_asked_again_where_the_document_says_so() {
    let stage = world(owner_only());
    let service = Service::start(&stage);
    // Somebody is at hand, and `requireConfirmation` is false.
    let person = service.person("deny");
    let result = call(&stage, "bash", "user:admin", &echo(), &[]);
    assert_eq!((&result["success"], &result["approvalRequested"]), (&json!(true), &json!(false)), "{result}");
    let other = call(&stage, "bash", "user:1", &echo(), &[]);
    assert_eq!((&other["code"], &other["approvalRequested"]), (&json!("rejected"), &json!(true)), "{other}");
    drop(person);
}

#[test]
fn yolo_still_has_a_sandbox_and_its_limits() {
    let stage = world(yolo());
    let works = call(&stage, "bash", "user:1", &echo(), &[]);
    if works["result"]["sandbox"] == "none" {
        return cannot("a sandbox");
    }
    assert_eq!(works["result"]["stdout"], "hello\n", "{works}");
    let long = call(&stage, "bash", "user:1", &json!({"command": "head -c 20000 /dev/zero; exit 3"}), &[]);
    let r = &long["result"];
    assert_eq!(
        (&r["truncated"], &r["exitCode"], &long["code"]),
        (&json!(true), &json!(3), &json!("exit-code"))
    );
    assert!(long["error"].as_str().is_some_and(|e| e.contains("exit code 3")), "{long}");
    let late = call(&stage, "bash", "user:1", &json!({"command": "sleep 100", "timeout": 300}), &[]);
    assert_eq!((&late["success"], &late["result"]["timedOut"]), (&json!(false), &json!(true)), "{late}");
    // The list there is without one.
    assert_eq!(code(&stage, "bash", "user:1", &json!({"command": "rm x"})), "blocked-command");
    for (args, field) in [
        (json!({"command": "x".repeat(1_001)}), "command"),
        (json!({"command": "x", "timeout": 60_001}), "timeout"),
        (json!({"command": "x", "timeout": 0}), "timeout"),
        (json!({"command": "x", "timeout": 1.5}), "timeout"),
        (json!({"command": "x", "maxOutput": 100_001}), "maxOutput"),
        (json!({}), "command"),
    ] {
        let no = call(&stage, "bash", "user:2", &args, &[]);
        let named = no["error"].as_str().is_some_and(|e| e.starts_with(&format!("{field}: ")));
        assert!(no["code"] == "invalid-field" && named, "{args}: {no}");
    }
}
