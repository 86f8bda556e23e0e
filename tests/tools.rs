//! Tools of agent gateways: who may use which, who is asked, what is counted, what is handed on.
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::stage::approver::TOKEN;
use crate::stage::service::{LONG, Service};
use crate::stage::{Stage, programs};

/// The gateway's secret.
pub const GATEWAY: &str = "a secret of the gateway";

/// A world in which everything may be run, with these settings for tools; the gateway has a file with its secret.
pub fn stage(security: Value) -> Stage {
    under(security, &json!({"security": "full", "ask": "off"}))
}

/// The same under another exec policy.
fn under(mut security: Value, exec: &Value) -> Stage {
    security["gatewayToken"] = json!(GATEWAY);
    let stage = Stage::new();
    stage.write("token", GATEWAY.as_bytes(), 0o600);
    let approvals = json!({"version": 1, "socket": {"token": TOKEN}, "defaults": exec});
    stage.policy(&approvals).config(&json!({"security": security}))
}

/// A call by exec-guardctl: its result.
#[track_caller]
pub fn call(stage: &Stage, tool: &str, user: &str, args: &Value, more: &[&str]) -> Value {
    let args = args.to_string();
    let token = stage.text("token");
    let ctl = programs().ctl.to_str().expect("path");
    let mut words = vec![ctl, "tool", tool, "--user", user, "--args", &args, "--token-file", &token];
    words.extend(more);
    let run = stage.cast(&words).way(crate::stage::Way::Path).limit(2 * LONG).run();
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    assert_eq!(run.status.success(), result["success"] == true, "{run:?}");
    result
}

/// A request to the approver's socket for tools, as its gateway.
pub fn http(stage: &Stage, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let answer = raw(stage, method, path, &body.to_string(), Some(GATEWAY)).expect("an answer");
    (answer.0, serde_json::from_str(&answer.1).unwrap_or(Value::Null))
}

fn raw(
    stage: &Stage,
    method: &str,
    path: &str,
    body: &str,
    token: Option<&str>,
) -> std::io::Result<(u16, String)> {
    // A name that is short enough for an address.
    let folder = std::fs::File::open(stage.path("guard/tools"))?;
    let at = format!("/proc/self/fd/{}/tools.sock", std::os::fd::AsRawFd::as_raw_fd(&folder));
    let mut stream = UnixStream::connect(at)?;
    stream.set_read_timeout(Some(2 * LONG))?;
    let token = token.map_or(String::new(), |t| format!("Authorization: Bearer {t}\r\n"));
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{token}Content-Length: {}\r\n\r\n",
        body.len()
    );
    // One that has its answer already need not read the rest.
    let _ = stream.write_all([head.as_bytes(), body.as_bytes()].concat().as_slice());
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    Ok((status, body.to_owned()))
}

/// Looks until there is something.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

const ECHO: fn() -> Value = || json!({"command": "echo hello"});

#[test]
fn the_three_modes_without_an_approver() {
    let both = json!({"bash": "always-require-approval", "cron": "always-require-approval"});
    for (security, tool, user, code) in [
        (json!({"mode": "always-require-approval"}), "bash", "user:1", "nobody-to-ask"),
        (
            json!({"mode": "always-require-approval", "ownerId": "user:admin"}),
            "bash",
            "user:admin",
            "nobody-to-ask",
        ),
        (json!({"mode": "owner-only", "ownerId": "user:admin"}), "bash", "user:admin", ""),
        (json!({"mode": "owner-only", "ownerId": "user:admin"}), "bash", "user:1", "nobody-to-ask"),
        (json!({"mode": "owner-only", "ownerId": "user:admin"}), "browser", "user:1", ""),
        (json!({"mode": "yolo"}), "bash", "user:1", ""),
        // An override wins in both directions.
        (json!({"mode": "always-require-approval", "toolOverrides": {"bash": "yolo"}}), "bash", "user:1", ""),
        (json!({"mode": "yolo", "toolOverrides": both}), "bash", "user:1", "nobody-to-ask"),
        (json!({"mode": "yolo", "toolOverrides": {"bash": "deny"}}), "bash", "user:1", "tool-denied"),
        (
            json!({"mode": "yolo", "toolOverrides": {"browser": "always-require-approval"}}),
            "browser",
            "user:1",
            "nobody-to-ask",
        ),
        (json!({"mode": "yolo"}), "teleport", "user:1", "unknown-tool"),
    ] {
        let stage = stage(security.clone());
        let args = if tool == "bash" { ECHO() } else { json!({"url": "u"}) };
        let result = call(&stage, tool, user, &args, &[]);
        assert_eq!(result["code"].as_str().unwrap_or(""), code, "{security} {tool} {user}: {result}");
        // Nobody was asked, and it says so.
        assert_eq!(result["approvalRequested"], false, "{result}");
        match (code, tool) {
            ("", "bash") => assert_eq!(result["result"]["stdout"], "hello\n", "{result}"),
            ("", _) => assert_eq!(result["result"], json!({"delegate": tool, "args": args}), "{result}"),
            _ => assert_eq!(result["result"], Value::Null, "{result}"),
        }
    }
}

#[test]
fn a_name_counts_for_nothing_without_proof() {
    let stage = stage(json!({"mode": "owner-only", "ownerId": "user:admin"}));
    let ctl = |words: &[&str]| {
        let mut all = vec![programs().ctl.to_str().expect("path"), "tool", "bash"];
        all.extend(words);
        stage.cast(&all).way(crate::stage::Way::Path).limit(LONG).run()
    };
    let run = ctl(&["--user", "user:admin", "--args", "{\"command\":\"echo x\"}"]);
    let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((result["code"].as_str(), run.code()), (Some("sender"), 1), "{run:?}");
    // A secret that others can read is none.
    stage.write("open", GATEWAY.as_bytes(), 0o644);
    let run = ctl(&["--user", "user:admin", "--token-file", &stage.text("open"), "--args", "{}"]);
    assert!(run.code() == 2 && run.stderr.contains("chmod 600"), "{run:?}");
    stage.write("wrong", b"another secret of nobody", 0o600);
    let run = ctl(&["--token-file", &stage.text("wrong"), "--args", "{\"command\":\"echo x\"}"]);
    assert!(run.stdout.contains("bad-token"), "{run:?}");
    // The same for the document it stands in.
    let config = std::fs::read(stage.path("guard/config.json")).expect("config");
    stage.write("guard/config.json", &config, 0o644);
    let result = call(&stage, "bash", "user:admin", &ECHO(), &[]);
    assert!(result["code"] == "settings" && result["error"].as_str().expect("why").contains("chmod 600"));
}

#[test]
fn the_exec_policy_is_not_lifted() {
    let rule = |list: Value| json!({"security": "full", "ask": "off", "denylist": list});
    let deny = under(json!({"mode": "yolo"}), &rule(json!(["echo"])));
    let listed = json!({"command": "ls /"});
    for (stage, args, code) in [
        (&deny, json!({"command": "/bin/echo x"}), "policy-denied"),
        (&deny, json!({"command": "timeout 5 /bin/echo x"}), "policy-denied"),
        (&deny, listed.clone(), ""),
        (&under(json!({"mode": "yolo"}), &json!({"security": "deny"})), listed.clone(), "policy-denied"),
        (
            &under(json!({"mode": "yolo"}), &json!({"security": "allowlist", "ask": "on-miss"})),
            listed.clone(),
            "nobody-to-ask",
        ),
        (
            &under(json!({"mode": "yolo"}), &json!({"security": "allowlist", "ask": "off"})),
            listed.clone(),
            "policy-denied",
        ),
        // A pattern lifts the tool's question, and never the policy's.
        (
            &under(
                json!({"approval": {"autoApprovePatterns": ["command: ls*"]}}),
                &json!({"security": "allowlist", "ask": "on-miss"}),
            ),
            listed.clone(),
            "nobody-to-ask",
        ),
        (&stage(json!({"approval": {"autoApprovePatterns": ["command: ls*"]}})), listed, ""),
        (
            &stage(json!({"approval": {"autoApprovePatterns": ["command: ls*"]}})),
            json!({"command": "ls / && id"}),
            "nobody-to-ask",
        ),
        (
            &under(
                json!({"approval": {"autoApprovePatterns": ["command: /bin/echo*"]}}),
                &rule(json!(["echo"])),
            ),
            json!({"command": "/bin/echo x"}),
            "policy-denied",
        ),
        (&stage(json!({"mode": "yolo"})), json!({"command": "rm -rf build"}), "blocked-command"),
        // This is the guard's own no, before anybody's list.
        (&stage(json!({"mode": "yolo"})), json!({"command": "rm -rf /"}), "policy-denied"),
        (&stage(json!({"mode": "yolo"})), json!({"command": "echo format rm"}), ""),
    ] {
        let result = call(stage, "bash", "user:1", &args, &[]);
        assert_eq!(result["code"].as_str().unwrap_or(""), code, "{args}: {result}");
    }
}

#[test]
fn calls_are_counted_across_processes() {
    let stage = stage(json!({"mode": "yolo", "rateLimit": {"limit": 2, "windowMs": 3_600_000}}));
    let canvas = |user| call(&stage, "canvas", user, &json!({"commands": [1]}), &[]);
    assert_eq!(canvas("a")["rateLimit"]["remaining"], 1);
    assert_eq!(canvas("a")["result"], json!({"commands": [1]}));
    let third = canvas("a");
    assert_eq!((third["code"].as_str(), &third["rateLimit"]["remaining"]), (Some("rate-limited"), &json!(0)));
    assert!(third["rateLimit"]["resetsAtMs"].as_u64().expect("a time") > 0);
    assert_eq!(canvas("b")["success"], true);
    assert_eq!(call(&stage, "file", "a", &json!({}), &[])["success"], true);
    // An approver goes on counting where the others were.
    let _service = Service::start(&stage);
    assert_eq!(canvas("a")["code"], "rate-limited");
    assert_eq!(canvas("b")["rateLimit"]["remaining"], 0);
}

#[test]
fn a_person_says_yes_or_no() {
    let stage = stage(json!({"mode": "always-require-approval", "ownerId": "user:admin"}));
    let service = Service::start(&stage);
    // By a process of its own: nobody may answer what they, or a process above them, asked.
    let ask = |command: &str| {
        let args = json!({"command": command});
        call(&stage, "bash", "user:1", &args, &["--channel", "c\u{202e}", "--message", "m"])
    };
    std::thread::scope(|s| {
        let first = s.spawn(|| ask("echo one"));
        service.until(1);
        let row = service.rows().remove(0);
        let tool = json!({"name": "bash", "user": "user:1", "channel": "c\\u{202e}", "message": "m"});
        assert_eq!((&row["tool"], &row["ground"]), (&tool, &json!("tool-approval")));
        let id = row["id"].as_str().expect("an id");
        let shown = crate::operator::ctl(&stage, &["approvals", "pending"]);
        assert!(
            shown.stdout.contains("`user:1` asks for the tool bash") && shown.stdout.contains("echo one"),
            "{shown:?}"
        );
        let done =
            service.operator(&[json!({"do": "resolve", "id": id, "decision": "allow-once", "reason": null})]);
        assert_eq!(done[0]["kind"], "resolved", "{done:?}");
        let result = first.join().expect("a thread");
        assert_eq!(result["result"]["stdout"], "one\n", "{result}");
        assert_eq!((&result["approvalRequested"], &result["approvalId"]), (&json!(true), &json!(id)));
        // A second answer does not count, and it is not done again.
        let again =
            service.operator(&[json!({"do": "resolve", "id": id, "decision": "deny", "reason": null})]);
        assert_eq!(again[0]["value"]["code"], "already-answered", "{again:?}");
        let second = s.spawn(|| ask("echo two"));
        service.until(1);
        let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
        service
            .operator(&[json!({"do": "resolve", "id": id, "decision": "deny", "reason": "not on a friday"})]);
        let result = second.join().expect("a thread");
        assert_eq!((&result["code"], &result["success"]), (&json!("rejected"), &json!(false)));
        assert!(result["error"].as_str().expect("why").contains("not on a friday"), "{result}");
        // Always makes no sense for a call.
        let third = s.spawn(|| ask("echo three"));
        service.until(1);
        let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
        let always = json!({"do": "resolve", "id": id, "decision": "allow-always", "scope": "program", "reason": null});
        assert_eq!(service.operator(&[always])[0]["value"]["code"], "not-offered");
        service.operator(&[json!({"do": "resolve", "id": id, "decision": "deny", "reason": null})]);
        assert_eq!(third.join().expect("a thread")["code"], "rejected");
    });
    assert_eq!(service.waiting(), 0);
}

#[test]
fn a_question_that_nobody_answers_answers_its_caller() {
    let stage = stage(json!({"mode": "always-require-approval", "approval": {"timeout": 1}}));
    let service = Service::start(&stage);
    let begun = Instant::now();
    let result = call(&stage, "bash", "user:1", &ECHO(), &[]);
    assert_eq!(
        (&result["code"], &result["approvalRequested"]),
        (&json!("timed-out"), &json!(true)),
        "{result}"
    );
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert_eq!(service.waiting(), 0);
    // One who goes away takes the question along.
    let long = stage_text(&stage, 600);
    std::fs::write(stage.path("guard/config.json"), long).expect("config");
    let body = json!({"user": "user:1", "args": {"command": "echo x"}}).to_string();
    until("the new settings count", || {
        let folder = std::fs::File::open(stage.path("guard/tools")).expect("a folder");
        let at = format!("/proc/self/fd/{}/tools.sock", std::os::fd::AsRawFd::as_raw_fd(&folder));
        let mut stream = UnixStream::connect(at).expect("a socket");
        let head = format!(
            "POST /v1/tools/bash HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {GATEWAY}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let long = until("it waits", || service.rows().pop());
        let span = long["expiresAtMs"].as_u64()? - long["askedAtMs"].as_u64()?;
        drop(stream);
        service.until(0);
        (span > 100_000).then_some(())
    });
}

fn stage_text(_: &Stage, timeout: u64) -> String {
    let security = json!({
        "mode": "always-require-approval", "approval": {"timeout": timeout}, "gatewayToken": GATEWAY,
        "rateLimit": {"limit": 1000}
    });
    json!({"security": security}).to_string()
}

#[test]
fn who_does_not_wait_looks_later_and_an_owner_answers_by_the_gateway() {
    let stage = stage(json!({"mode": "owner-only", "ownerId": "user:admin"}));
    let service = Service::start(&stage);
    let result = call(&stage, "bash", "user:1", &ECHO(), &["--no-wait", "--channel", "c"]);
    assert_eq!((&result["code"], &result["success"]), (&json!("approval-required"), &json!(false)));
    let id = result["approvalId"].as_str().expect("an id").to_owned();
    let other = call(&stage, "bash", "user:2", &json!({"command": "echo other"}), &["--no-wait"]);
    assert_ne!(other["approvalId"], result["approvalId"]);
    let mine = |user: &str| {
        let (_, list) = http(&stage, "GET", &format!("/v1/requests?user={user}"), &Value::Null);
        let mut users: Vec<String> = list
            .as_array()
            .expect("a list")
            .iter()
            .map(|r| r["user"].as_str().expect("a user").into())
            .collect();
        users.sort();
        users
    };
    assert_eq!((mine("user:1"), mine("user:3").len()), (vec!["user:1".to_owned()], 0));
    assert_eq!(mine("user:admin"), ["user:1", "user:2"]);
    let path = format!("/v1/requests/{id}");
    let look = |user: &str| http(&stage, "GET", &format!("{path}?user={user}"), &Value::Null);
    assert_eq!(look("user:1").1["waiting"], true);
    assert_eq!(look("user:2").0, 404, "it is another's");
    let answer = |user: &str, approved: bool| {
        http(&stage, "POST", &path, &json!({"user": user, "approved": approved, "reason": "r"})).0
    };
    assert_eq!(answer("user:1", true), 403, "nobody but an owner answers");
    assert_eq!(raw(&stage, "POST", &path, "{\"approved\":true}", None).expect("an answer").0, 403);
    assert_eq!(answer("user:admin", true), 200);
    assert_eq!(answer("user:admin", false), 409, "a second answer does not count");
    let done = until("it is done", || {
        let (_, status) = look("user:1");
        (status["waiting"] == false).then_some(status)
    });
    assert_eq!(done["result"]["result"]["stdout"], "hello\n", "{done}");
    let (code, text) = look("user:2");
    assert!(code == 404 && !text.to_string().contains("hello"), "{text}");
    assert_eq!(look("user:admin").1, done, "an owner may see it");
    assert_eq!(service.waiting(), 1);
    // What somebody said yes to is what runs: not after the policy has changed its mind.
    let id = other["approvalId"].as_str().expect("an id");
    let deny = json!({"version": 1, "socket": {"token": TOKEN}, "defaults": {"security": "deny"}});
    std::fs::write(stage.path("guard/exec-approvals.json"), deny.to_string()).expect("a document");
    let path = format!("/v1/requests/{id}");
    assert_eq!(http(&stage, "POST", &path, &json!({"user": "user:admin", "approved": true})).0, 200);
    let done = until("it is refused", || {
        let (_, status) = http(&stage, "GET", &format!("{path}?user=user:2"), &Value::Null);
        (status["waiting"] == false).then_some(status)
    });
    assert_eq!(done["result"]["code"], "policy-denied", "{done}");
}

#[test]
fn another_folder_or_sandbox_is_not_what_was_said_yes_to() {
    let stage = stage(json!({"mode": "owner-only", "ownerId": "user:admin"}));
    stage.folder("work", 0o755);
    stage.folder("secret", 0o755);
    stage.write("secret/key", b"k", 0o644);
    let _service = Service::start(&stage);
    for change in ["folder", "sandbox", "nothing"] {
        let args = json!({"command": "ls", "cwd": stage.text("work")});
        let id = call(&stage, "bash", "user:1", &args, &["--no-wait"])["approvalId"].clone();
        match change {
            "folder" => {
                std::fs::rename(stage.path("work"), stage.path("old")).expect("moved");
                std::fs::rename(stage.path("secret"), stage.path("work")).expect("moved");
            }
            "sandbox" => {
                let path = stage.path("guard/config.json");
                let text = std::fs::read_to_string(&path).expect("config");
                let mut config: Value = serde_json::from_str(&text).expect("JSON");
                config["security"]["sandbox"] = json!({"enabled": false});
                std::fs::write(path, config.to_string()).expect("config");
            }
            _ => {}
        }
        let path = format!("/v1/requests/{}", id.as_str().expect("an id"));
        assert_eq!(http(&stage, "POST", &path, &json!({"user": "user:admin", "approved": true})).0, 200);
        let done = until("it is done", || {
            let (_, status) = http(&stage, "GET", &format!("{path}?user=user:1"), &Value::Null);
            (status["waiting"] == false).then_some(status)
        });
        let code = if change == "nothing" { Value::Null } else { json!("rejected") };
        assert_eq!(done["result"]["code"], code, "{change}: {done}");
    }
}

#[test]
fn an_owner_confirms_where_somebody_is_at_hand() {
    let stage = stage(json!({"mode": "owner-only", "ownerId": "user:admin"}));
    let service = Service::start(&stage);
    // Nobody watches: it runs.
    assert_eq!(call(&stage, "bash", "user:admin", &ECHO(), &[])["success"], true);
    let person = service.person("allow-once");
    let result = call(&stage, "bash", "user:admin", &ECHO(), &[]);
    assert_eq!((&result["success"], &result["approvalRequested"]), (&json!(true), &json!(true)), "{result}");
    // A safe tool needs none.
    assert_eq!(call(&stage, "browser", "user:admin", &json!({}), &[])["approvalRequested"], false);
    drop(person);
}

/// A page that is served and that nobody has open is nobody: what needs a yes waits for one, and what the mode lets an owner do
/// is done.
#[test]
fn a_page_that_nobody_looks_at_is_nobody() {
    for (mode, code) in [("always-require-approval", json!("approval-required")), ("owner-only", Value::Null)]
    {
        let stage = stage(json!({"mode": mode, "ownerId": "user:admin"}));
        let service = Service::with_panel(&stage);
        let _link = service.link();
        let result = call(&stage, "bash", "user:admin", &ECHO(), &["--no-wait"]);
        assert_eq!(result.get("code").cloned().unwrap_or_default(), code, "{mode}: {result}");
        assert_eq!(service.waiting(), u64::from(mode != "owner-only"));
    }
}

#[test]
fn nonsense_is_answered_with_what_is_wrong() {
    let stage = stage(json!({"mode": "yolo"}));
    let _service = Service::start(&stage);
    for (method, path, body, status, word) in [
        ("POST", "/v1/tools/bash", "{", 400, "body"),
        ("POST", "/v1/tools/bash", "{\"args\":{},\"args\":{}}", 400, "twice"),
        (
            "POST",
            "/v1/tools/bash",
            "{\"user\":\"a\",\"args\":{\"command\":\"x\"},\"sandbox\":false}",
            400,
            "sandbox",
        ),
        ("POST", "/v1/tools/bash", "{\"user\":\"a\",\"args\":{\"timeout\":1}}", 400, "command: missing"),
        ("POST", "/v1/tools/rm", "{\"user\":\"a\"}", 404, "no tool"),
        ("POST", "/v1/nothing", "{}", 404, "path"),
        ("GET", "/v1/requests/none", "", 404, "id"),
    ] {
        let (got, text) = raw(&stage, method, path, body, Some(GATEWAY)).expect("an answer");
        assert!(got == status && text.contains(word), "{method} {path} {body}: {got} {text}");
    }
    assert_eq!(raw(&stage, "POST", "/v1/tools/canvas", "{}", Some("wrong")).expect("an answer").0, 403);
    // A body that never comes whole is not waited for by anybody else.
    let (_, doc) = http(&stage, "GET", "/v1/openapi.json", &Value::Null);
    assert_eq!(doc["openapi"], "3.1.0");
}

#[test]
fn scheduled_commands_go_through_the_guard() {
    let stage = stage(json!({"mode": "yolo", "crontab": "/"}));
    let table = stage.text("work/table");
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = -l ]; then cat {table} 2>/dev/null || {{ echo 'no crontab for you' >&2; exit 1; }}\nelse cat > {table}.new && mv {table}.new {table}; fi\n"
    );
    stage.write("bin/crontab", script.as_bytes(), 0o755);
    let config = |mode: &str| {
        let security = json!({"mode": mode, "crontab": stage.text("bin/crontab"), "gatewayToken": GATEWAY});
        std::fs::write(stage.path("guard/config.json"), json!({"security": security}).to_string())
            .expect("config");
    };
    config("yolo");
    let cron = |args: Value| call(&stage, "cron", "user:1", &args, &[]);
    assert_eq!(cron(json!({"action": "list"}))["result"]["entries"], json!([]));
    let added = cron(json!({"action": "add", "schedule": "0 4 * * *", "command": "date +%s | cat"}));
    let entry = &added["result"]["entries"][0];
    assert_eq!(entry["schedule"], "0 4 * * *", "{added}");
    let text = std::fs::read_to_string(&table).expect("a table");
    let guard = programs().guard.to_str().expect("a path");
    assert!(text.contains(&format!("0 4 * * * '{guard}' -c 'date +\\%s | cat'")), "{text}");
    // Judged when it is added as well.
    let no = cron(json!({"action": "add", "schedule": "@daily", "command": "rm -rf build"}));
    assert_eq!(no["code"], "blocked-command", "{no}");
    assert_eq!(cron(json!({"action": "add", "schedule": "daily", "command": "ls"}))["code"], "invalid-field");
    let cwd = json!({"action": "add", "schedule": "@daily", "command": "ls", "cwd": "/srv"});
    assert_eq!(cron(cwd)["code"], "invalid-field", "the entry would not have it");
    let gone = cron(json!({"action": "remove", "id": entry["id"]}));
    assert_eq!((&gone["success"], &gone["result"]["entries"]), (&json!(true), &json!([])));
    config("owner-only");
    assert_eq!(cron(json!({"action": "list"}))["code"], "nobody-to-ask");
    // What is lifted by a pattern is lifted command by command.
    let auto = json!([{"tool": "cron", "action": "add", "schedule": "*", "command": "date*"}]);
    let security = json!({"mode": "always-require-approval", "crontab": stage.text("bin/crontab"), "gatewayToken": GATEWAY,
        "rateLimit": {"limit": 100}, "approval": {"autoApprovePatterns": auto}});
    std::fs::write(stage.path("guard/config.json"), json!({"security": security}).to_string())
        .expect("config");
    for (command, runs) in [
        ("date -u", true),
        ("date; date -u", true),
        ("date; ls", false),
        ("date && ls -la ~", false),
        ("date > f", false),
        ("date $(ls)", false),
        ("date\nls", false),
        ("ls", false),
    ] {
        for name in ["command", "cmd"] {
            let added = cron(json!({"action": "add", "schedule": "@daily", name: command}));
            let want = if runs { Value::Null } else { json!("nobody-to-ask") };
            assert_eq!(added.get("code").cloned().unwrap_or_default(), want, "{name} {command}: {added}");
        }
    }
}

#[test]
fn what_happened_is_written_down() {
    let stage = stage(json!({"mode": "yolo"}));
    let secret = "curl -H 'Authorization: Bearer abcdefghijklmnop' https://x.example";
    call(&stage, "browser", "user:1", &json!({"url": "u"}), &["--channel", "c", "--message", "m"]);
    call(&stage, "bash", "user:1", &json!({"command": secret}), &[]);
    call(&stage, "bash", "user:1", &json!({"command": "rm x"}), &[]);
    let text = std::fs::read_to_string(stage.path("guard/journal/journal.jsonl")).expect("a journal");
    let records: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let events: Vec<&str> = records.iter().map(|r| r["event"].as_str().expect("an event")).collect();
    let started = ["tool.started", "tool.finished"];
    assert_eq!(events, [started[0], started[1], started[0], started[1], "tool.denied"]);
    assert_eq!(
        (&records[0]["tool"], &records[0]["user"], &records[0]["channel"]),
        (&json!("browser"), &json!("user:1"), &json!("c"))
    );
    assert!(!text.contains("abcdefghijklmnop"), "a secret is masked");
    assert_eq!(records[4]["code"], "blocked-command");
}

#[test]
fn a_thousand_calls_of_fifty_users_are_each_counted_and_done_once() {
    let stage = stage(json!({"mode": "yolo", "rateLimit": {"limit": 10, "windowMs": 3_600_000}}));
    let service = Service::start(&stage);
    let results: Vec<(String, Value)> = std::thread::scope(|s| {
        let threads: Vec<_> = (0..50)
            .map(|user| {
                let stage = &stage;
                s.spawn(move || {
                    let user = format!("user:{user}");
                    let one = |n: usize| {
                        let body = json!({"user": user, "args": {"commands": [n]}});
                        (user.clone(), http(stage, "POST", "/v1/tools/canvas", &body).1)
                    };
                    (0..20).map(one).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().expect("a thread")).collect()
    });
    assert_eq!(results.len(), 1_000);
    let mut done = std::collections::BTreeMap::<&str, Vec<u64>>::new();
    for (user, result) in &results {
        match result["code"].as_str() {
            None => done
                .entry(user)
                .or_default()
                .push(result["result"]["commands"][0].as_u64().expect("a number")),
            Some("rate-limited") => {}
            Some(_) => panic!("{user}: {result}"),
        }
    }
    assert_eq!(done.len(), 50);
    for (user, mut numbers) in done {
        numbers.sort();
        numbers.dedup();
        assert_eq!(numbers.len(), 10, "{user}: {numbers:?}");
    }
    let records = || {
        let text = std::fs::read_to_string(stage.path("guard/journal/journal.jsonl")).unwrap_or_default();
        let started = text.lines().filter(|l| l.contains("\"tool.started\"")).count();
        (started, text.lines().filter(|l| l.contains("\"tool.finished\"")).count())
    };
    assert_eq!(until("all are written down", || Some(records()).filter(|r| r.1 >= 500)), (500, 500));
    // Commands are each a process; as many are tried as a machine with little does in a moment.
    let ran: usize = std::thread::scope(|s| {
        let threads: Vec<_> = (0..5)
            .map(|user| {
                let stage = &stage;
                s.spawn(move || {
                    let body = json!({"user": format!("user:{user}"), "args": {"command": "echo done"}});
                    let one = |_| http(stage, "POST", "/v1/tools/bash", &body).1;
                    (0..12).map(one).filter(|r| r["result"]["stdout"] == "done\n").count()
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().expect("a thread")).sum()
    });
    assert_eq!(ran, 50);
    drop(service);
}

/// `EXEC_GUARD_LONG=1` makes it a hundred thousand calls, and `--nocapture` shows what they cost.
#[test]
fn calls_leave_nothing_behind_in_memory() {
    let stage = stage(json!({"mode": "yolo", "rateLimit": {"limit": 1_000_000}}));
    let service = Service::start(&stage);
    let long = std::env::var_os("EXEC_GUARD_LONG").is_some();
    let calls = |n: usize| {
        std::thread::scope(|s| {
            for thread in 0..4 {
                let stage = &stage;
                s.spawn(move || {
                    for at in 0..n / 4 {
                        let body = json!({"user": format!("u{thread}"), "args": {"commands": [at]}});
                        assert_eq!(http(stage, "POST", "/v1/tools/canvas", &body).1["success"], true);
                    }
                });
            }
        });
    };
    let resident = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", service.pid())).expect("status");
        let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).expect("a line");
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().expect("a number")
    };
    let (mut done, mut before) = (0, 0);
    let begun = Instant::now();
    for all in if long { vec![1_000, 10_000, 100_000] } else { vec![1_000, 3_000] } {
        calls(all - done);
        done = all;
        let now = resident();
        println!("resident after {all} calls: {now} kB, {:.0} s", begun.elapsed().as_secs_f64());
        if before == 0 {
            before = now;
        }
        assert!(now < before + 16_384, "{before} kB after the first, {now} kB after {all}");
    }
}
