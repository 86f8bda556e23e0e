//! The ways to a tool, and away from it: the approver's socket and port, a terminal, a browser; callers that go away,
//! that forge, that say nothing.
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sandbox::{gone, marked};
use crate::stage::browser::Browser;
use crate::stage::pty::Terminal;
use crate::stage::service::{LONG, Service};
use crate::stage::{Run, Stage, Way, cannot, player, programs};
use crate::tools::{GATEWAY, call, http, stage, until};

const QUESTION: &str = "y, or n and why? (denied in ";

/// The user that programs of a stage have.
pub fn uid() -> u32 {
    player().map_or_else(|| nix::unistd::getuid().as_raw(), |(uid, _)| uid)
}

/// A connection to the socket for tools.
pub fn connect(stage: &Stage) -> UnixStream {
    let folder = std::fs::File::open(stage.path("guard/tools")).expect("a folder");
    let at = format!("/proc/self/fd/{}/tools.sock", std::os::fd::AsRawFd::as_raw_fd(&folder));
    let stream = UnixStream::connect(at).expect("a connection");
    stream.set_read_timeout(Some(2 * LONG)).expect("a deadline");
    stream
}

/// A call by the gateway as it is sent.
pub fn sent(tool: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST /v1/tools/{tool} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {GATEWAY}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Records of the journal about calls of tools.
pub fn records(stage: &Stage) -> Vec<Value> {
    let text = std::fs::read_to_string(stage.path("guard/journal/journal.jsonl")).unwrap_or_default();
    let all = text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
    all.filter(|r| r["event"].as_str().is_some_and(|e| e.starts_with("tool."))).collect()
}

#[test]
fn a_call_that_nobody_waits_for_any_more_is_ended() {
    for backend in ["bubblewrap", "landlock", "none"] {
        let sandbox = match backend {
            "none" => json!({"enabled": false, "timeout": 600_000}),
            name => json!({"backend": name, "timeout": 600_000}),
        };
        let stage = stage(json!({"mode": "yolo", "sandbox": sandbox}));
        let works = call(&stage, "bash", "user:1", &json!({"command": "true"}), &[]);
        if works["success"] != true {
            cannot(&format!("{backend}: {works}"));
            continue;
        }
        let _service = Service::start(&stage);
        let value = format!("{backend}{}", std::process::id());
        let mark = format!("AWAY={value}");
        let command = "sleep 301 & setsid sh -c 'sleep 302; true'; sleep 303";
        let mut stream = connect(&stage);
        let body = json!({"user": "user:1", "args": {"command": command, "env": {"AWAY": value}}});
        stream.write_all(&sent("bash", &body)).expect("sent");
        // The text's shell, two that sleep, and the other shell.
        until("it runs", || (marked(&mark) >= 4).then_some(()));
        drop(stream);
        assert!(gone(&mark), "{backend}: something outlived whoever called");
        let last =
            until("it is written down", || records(&stage).pop().filter(|r| r["event"] == "tool.finished"));
        assert_eq!((&last["code"], &last["user"]), (&json!("cancelled"), &json!("user:1")), "{last}");
        assert!(last["words"].as_str().is_some_and(|w| w.contains("ended")), "{last}");
    }
}

#[test]
fn a_question_that_nobody_waits_for_any_more_is_withdrawn() {
    let stage = stage(json!({"mode": "always-require-approval", "approval": {"timeout": 3_600}}));
    let service = Service::start(&stage);
    let mut stream = connect(&stage);
    let body = json!({"user": "user:1", "args": {"command": "echo x"}});
    stream.write_all(&sent("bash", &body)).expect("sent");
    service.until(1);
    let id = service.rows()[0]["id"].clone();
    drop(stream);
    service.until(0);
    let last = until("it is written down", || records(&stage).pop());
    assert_eq!(
        (&last["event"], &last["code"], &last["id"]),
        (&json!("tool.denied"), &json!("cancelled"), &id),
        "{last}"
    );
    // And a yes that comes now is for nothing.
    let late =
        service.operator(&[json!({"do": "resolve", "id": id, "decision": "allow-once", "reason": null})]);
    assert_eq!(late[0]["value"]["code"], "withdrawn", "{late:?}");
}

#[test]
fn a_call_whose_turn_does_not_come_is_taken_back() {
    let stage = stage(json!({"mode": "yolo", "sandbox": {"enabled": false, "timeout": 600_000}}));
    let _service = Service::start(&stage);
    let value = format!("turn{}", std::process::id());
    let ask = |command: &str, user: usize| {
        let mut stream = connect(&stage);
        let args = json!({"command": command, "env": {"TURN": value}});
        stream
            .write_all(&sent("bash", &json!({"user": format!("user:{user}"), "args": args})))
            .expect("sent");
        stream
    };
    let count = |event: &str| records(&stage).iter().filter(|r| r["event"] == event).count();
    let busy: Vec<UnixStream> = (0..8).map(|n| ask("sleep 301", n)).collect();
    until("eight run", || (count("tool.started") == 8).then_some(()));
    let ninth = ask(&format!("touch {}", stage.text("work/ninth")), 9);
    // It was counted, so that it was taken and waits; that is written each second.
    until("it waits", || {
        let all = std::fs::read_to_string(stage.path("guard/tools/calls.json")).unwrap_or_default();
        all.contains("user:9").then_some(())
    });
    drop(ninth);
    let no = until("it is written down", || records(&stage).pop().filter(|r| r["event"] == "tool.denied"));
    assert_eq!((&no["code"], &no["user"]), (&json!("cancelled"), &json!("user:9")), "{no}");
    drop(busy);
    until("all are ended", || (count("tool.finished") == 8).then_some(()));
    assert!(gone(&format!("TURN={value}")) && !stage.path("work/ninth").exists());
}

/// A table that is being replaced is replaced, and written down as that: crontab(1) would not stop half-way because whoever
/// called is gone.
#[test]
fn a_crontab_that_is_being_written_is_written_to_its_end() {
    let stage = stage(json!({"mode": "yolo"}));
    let (table, go, writes) =
        (stage.text("work/table"), stage.text("work/go"), stage.path("work/table.writes"));
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = -l ] && exec cat {table}\n: > {table}.writes\n\
         until [ -e {go} ]; do sleep 0.1; done\ncat > {table}.new && mv {table}.new {table}\n"
    );
    stage.write("bin/crontab", script.as_bytes(), 0o755);
    stage.write("work/table", b"5 5 * * * /mine\n", 0o644);
    let security = json!({"mode": "yolo", "gatewayToken": GATEWAY, "crontab": stage.text("bin/crontab")});
    stage.write("guard/config.json", json!({"security": security}).to_string().as_bytes(), 0o600);
    let service = Service::start(&stage);
    let mut stream = connect(&stage);
    let args = json!({"action": "add", "schedule": "@daily", "command": "date"});
    stream.write_all(&sent("cron", &json!({"user": "user:1", "args": args}))).expect("sent");
    until("it is being written", || writes.exists().then_some(()));
    drop(stream);
    // Whoever does it has been told, and goes on.
    until("it is told", || told_to_end(service.pid()).then_some(()));
    stage.write("work/go", b"", 0o644);
    let last = until("it is written down", || records(&stage).pop().filter(|r| r["event"] != "tool.started"));
    assert_eq!((&last["event"], &last["code"]), (&json!("tool.finished"), &Value::Null), "{last}");
    let now = std::fs::read_to_string(&table).expect("a table");
    assert!(now.starts_with("5 5 * * * /mine\n# exec-guard:") && now.ends_with(" -c 'date'\n"), "{now}");
}

/// True if a child of that process has a TERM that it holds back.
fn told_to_end(parent: u32) -> bool {
    let all = std::fs::read_dir("/proc").expect("processes").flatten();
    all.filter_map(|p| std::fs::read_to_string(p.path().join("status")).ok()).any(|status| {
        let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name)).map(str::trim);
        let pending = field("ShdPnd:").and_then(|set| u64::from_str_radix(set, 16).ok()).unwrap_or(0);
        field("PPid:") == Some(&parent.to_string()) && pending & 1 << 14 != 0
    })
}

/// A request to a port of this machine: its status and body.
fn at_port(port: u16, head: &str, body: &str) -> Option<(u16, Value)> {
    ask_by(TcpStream::connect(("127.0.0.1", port)).ok()?, head, body)
}

fn ask_by(mut stream: TcpStream, head: &str, body: &str) -> Option<(u16, Value)> {
    stream.set_read_timeout(Some(2 * LONG)).expect("a deadline");
    let text = format!("{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let _ = stream.write_all(text.as_bytes());
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, serde_json::from_str(body).unwrap_or(Value::Null)))
}

#[test]
fn the_port_is_for_whoever_has_the_token() {
    // One that nobody has at the moment.
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let off = stage(json!({"mode": "yolo"}));
    let service = Service::start(&off);
    assert!(at_port(port, "GET /v1/requests HTTP/1.1\r\nHost: x", "").is_none(), "it is off by default");
    drop(service);
    // The user id proves nothing there: another's program could be made to call.
    let on = stage(
        json!({"mode": "yolo", "port": port, "gatewayUids": [uid(), 0], "owners": [format!("uid:{}", uid())]}),
    );
    let _service = Service::start(&on);
    let post = "POST /v1/tools/canvas HTTP/1.1\r\nHost: ";
    let name = format!("127.0.0.1:{port}");
    let token = format!("\r\nAuthorization: Bearer {GATEWAY}");
    let body = json!({"user": "user:1", "args": {"commands": [1]}}).to_string();
    let good = until("the port is there", || at_port(port, &format!("{post}{name}{token}"), &body));
    assert_eq!((good.0, &good.1["result"]), (200, &json!({"commands": [1]})), "{good:?}");
    for (head, code) in [
        (format!("{post}{name}"), "bad-token"),
        (format!("{post}{name}\r\nAuthorization: Bearer another secret of nobody"), "bad-token"),
        (format!("GET /v1/openapi.json HTTP/1.1\r\nHost: {name}"), "bad-token"),
        (format!("GET /v1/requests HTTP/1.1\r\nHost: {name}"), "bad-token"),
        (format!("{post}evil.example{token}"), "sender"),
        (format!("{post}localhost:1{token}"), "sender"),
        (format!("{post}{name}{token}\r\nOrigin: http://{name}"), "sender"),
        (format!("{post}{name}{token}\r\nSec-Fetch-Site: same-origin"), "sender"),
    ] {
        let no = at_port(port, &head, &body).expect("an answer");
        assert_eq!((no.0, &no.1["code"]), (403, &json!(code)), "{head}: {no:?}");
    }
    // Before the body: whoever may not call fills nothing. (A body is waited for half a minute.)
    let begun = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    stream.set_read_timeout(Some(LONG)).expect("a deadline");
    let head = format!("{post}{name}\r\nAuthorization: Bearer nobody\r\nContent-Length: 300000\r\n\r\n{{");
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = [0; 64];
    let read = stream.read(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..read]);
    assert!(answer.starts_with("HTTP/1.1 403") && begun.elapsed() < Duration::from_secs(25), "{answer}");
    let localhost = at_port(port, &format!("{post}localhost:{port}{token}"), &body).expect("an answer");
    assert_eq!(localhost.0, 200, "{localhost:?}");
    // Nothing beyond this machine.
    let listening = std::fs::read_to_string("/proc/net/tcp").expect("a table");
    let word = format!(":{port:04X} 00000000:0000 0A");
    let at: Vec<&str> = listening.lines().filter(|l| l.contains(&word)).collect();
    let home = format!("{:08X}", u32::from_ne_bytes([127, 0, 0, 1]));
    assert!(!at.is_empty() && at.iter().all(|l| l.contains(&home)), "{at:?}");
}

/// By either of its names: whoever calls `localhost` may come to `::1` first, and show the token to whoever sits there. And
/// whoever takes a port does not keep questions from being held and answered.
#[test]
fn a_port_that_another_program_has_is_told_and_all_else_is_served() {
    for (name, free) in [("127.0.0.1", "::1"), ("[::1]", "127.0.0.1")] {
        let Ok(other) = TcpListener::bind(format!("{name}:0")) else {
            cannot("IPv6");
            continue;
        };
        let port = other.local_addr().expect("an address").port();
        let stage = stage(json!({"mode": "yolo", "port": port, "rateLimit": {"limit": 100}}));
        let ctl = |words: &[&str]| {
            let mut all = vec![programs().ctl.to_str().expect("a path")];
            all.extend(words);
            stage.cast(&all).way(Way::Path).limit(2 * LONG).run()
        };
        let run = ctl(&["approver", "start", "--no-panel"]);
        let who = format!("port {port} of {name}");
        let uid = format!("user id {}", nix::unistd::getuid());
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        assert!(run.stdout.contains(&who) && run.stdout.contains(&uid), "{run:?}");
        assert!(run.stdout.contains("write another gatewayToken"), "{run:?}");
        // It was running already, and lacks it still.
        assert_eq!(ctl(&["approver", "start"]).status.code(), Some(1));
        assert!(ctl(&["approver", "status"]).stdout.contains(&who));
        let status: Value =
            serde_json::from_str(&ctl(&["approver", "status", "--json"]).stdout).expect("JSON");
        assert!(status["faults"][0].as_str().is_some_and(|f| f.contains(&who)), "{status}");
        let doctor = ctl(&["doctor"]);
        let broken = doctor.stdout.lines().any(|l| l.contains("approver") && l.contains("broken"));
        assert!(broken && doctor.stdout.contains(&who), "{doctor:?}");
        // Neither of the two is listened at, and nothing is missing but that.
        assert!(TcpStream::connect((free, port)).is_err(), "{free}");
        assert_eq!(call(&stage, "canvas", "user:1", &json!({"commands": [1]}), &[])["success"], true);
        assert_eq!(ctl(&["approver", "stop"]).status.code(), Some(0));
        // Once it is gone.
        drop(other);
        let run = ctl(&["approver", "start", "--no-panel"]);
        assert!(run.status.success() && !run.stdout.contains("port"), "{run:?}");
        assert_eq!(ctl(&["approver", "stop"]).status.code(), Some(0));
    }
}

#[test]
fn a_port_has_both_names_and_one_rule() {
    let Ok(free) = TcpListener::bind("[::1]:0") else { return cannot("IPv6") };
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let stage = stage(json!({"mode": "yolo", "port": port, "rateLimit": {"limit": 100}}));
    let _service = Service::start(&stage);
    for name in ["127.0.0.1", "::1"] {
        let at = |head: &str| {
            let stream = TcpStream::connect((name, port)).expect("it listens");
            ask_by(stream, head, "{\"user\": \"user:1\", \"args\": {\"commands\": [1]}}").expect("an answer")
        };
        let post = "POST /v1/tools/canvas HTTP/1.1\r\nHost: ";
        let token = format!("\r\nAuthorization: Bearer {GATEWAY}");
        for host in ["127.0.0.1", "localhost", "[::1]"] {
            let good = at(&format!("{post}{host}:{port}{token}"));
            assert_eq!((good.0, &good.1["success"]), (200, &json!(true)), "{name} {host}: {good:?}");
        }
        for head in [format!("{post}[::1]:{port}"), format!("{post}[::2]:{port}{token}")] {
            assert_eq!(at(&head).0, 403, "{name} {head}");
        }
    }
}

#[test]
fn a_port_for_the_page_that_another_program_has_is_told() {
    let Ok(other) = TcpListener::bind("[::1]:0") else { return cannot("IPv6") };
    let port = other.local_addr().expect("an address").port();
    let stage = stage(json!({"mode": "yolo"}));
    let words = [programs().approver.to_str().expect("a path"), "--panel-port", &port.to_string()];
    let mut service = Service::of(&stage, &stage.cast(&words).way(Way::Path));
    let status = &service.operator(&[json!({"do": "status"})])[0]["value"];
    assert_eq!(status["panel"], Value::Null, "{status}");
    let fault = status["faults"][0].as_str().expect("a fault");
    assert!(fault.starts_with(&format!("no panel: port {port} of [::1]: ")), "{fault}");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(service.end(Some(nix::sys::signal::Signal::SIGTERM)).1.contains(fault));
}

#[test]
fn who_says_nothing_is_not_waited_for() {
    let stage = stage(json!({"mode": "yolo"}));
    let _service = Service::start(&stage);
    for head in ["", "POST /v1/tools/canvas HTTP/1.1\r\nHost: x\r\n"] {
        let mut stream = connect(&stage);
        stream.write_all(head.as_bytes()).expect("sent");
        let begun = Instant::now();
        let mut rest = String::new();
        let _ = stream.read_to_string(&mut rest);
        let took = begun.elapsed();
        assert!(took >= Duration::from_secs(2) && took < LONG, "{head:?}: {took:?} {rest}");
        assert!(!rest.contains("200 OK"), "{rest}");
    }
}

#[test]
fn what_the_kernel_says_of_a_caller_is_what_is_shown() {
    let own = format!("uid:{}", uid());
    let stage = stage(json!({"mode": "always-require-approval", "owners": [own.clone()]}));
    let service = Service::start(&stage);
    // By a gateway: what the kernel calls a user is not its to give, unless it is that one.
    let other = if uid() == nix::unistd::geteuid().as_raw() { "uid:0" } else { &own };
    let (status, no) =
        http(&stage, "POST", "/v1/tools/bash", &json!({"user": other, "args": {"command": "id"}}));
    assert_eq!((status, &no["code"]), (400, &json!("invalid-field")), "{no}");
    // By anybody else: it is a claim, and told as one.
    let ctl = programs().ctl.to_str().expect("a path");
    let words = [ctl, "tool", "bash", "--user", "uid:0", "--args", "{\"command\":\"id\"}", "--no-wait"];
    let run = stage.cast(&words).way(Way::Path).limit(LONG).run();
    assert!(run.stdout.contains("approval-required"), "{run:?}");
    service.until(1);
    assert_eq!(service.rows()[0]["tool"]["user"], json!(own));
    let shown = crate::operator::ctl(&stage, &["approvals", "pending"]);
    let sentence = format!("`{own}` asks for the tool bash (claims to be `uid:0`, which nobody vouches for)");
    assert!(shown.stdout.contains(&sentence), "{shown:?}");
}

/// A call of `echo hello` by the owner of this user id, at a terminal.
fn asked_at(stage: &Stage, terminal: &Terminal, meanwhile: impl FnOnce()) -> (Run, Value) {
    let ctl = programs().ctl.to_str().expect("a path");
    let args = json!({"command": "echo hello"}).to_string();
    // Whoever calls says yes all the time, where it can.
    let yes = "printf 'y\\ny\\ny\\n' | \"$0\" \"$@\"";
    let words = ["/bin/sh", "-c", yes, ctl, "tool", "bash", "--args", &args];
    let run = stage.cast(&words).way(Way::Path).terminal(terminal).limit(LONG).talk(meanwhile);
    let result = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    (run, result)
}

#[test]
fn a_person_at_the_terminal_is_asked_where_no_approver_runs() {
    let own = format!("uid:{}", uid());
    let world = |more: Value| {
        let mut security = json!({"mode": "always-require-approval", "owners": [own.clone()]});
        for (k, v) in more.as_object().expect("an object") {
            security[k] = v.clone();
        }
        stage(security)
    };
    for (keys, code, words) in [
        ("y\n", "", "hello"),
        ("n\n", "rejected", "no reason given"),
        ("no not now\n", "rejected", "not now"),
        ("\u{3}", "nobody-to-ask", "interrupted"),
        ("\u{4}", "nobody-to-ask", "end of input"),
    ] {
        let (stage, terminal) = (world(json!({})), Terminal::new());
        let (run, result) = asked_at(&stage, &terminal, || {
            terminal.expect(QUESTION, 0);
            terminal.send(keys);
        });
        let shown = terminal.shown();
        for part in [format!("`{own}` asks for the tool bash"), "echo hello".into(), "tool-approval".into()] {
            // A line may be broken.
            assert!(shown.replace("\r\n         . ", "").contains(&part), "{part} was not shown: {shown}");
        }
        assert_eq!(result["code"].as_str().unwrap_or(""), code, "{keys:?}: {run:?}");
        assert!(result.to_string().contains(words), "{keys:?}: {result}");
        assert_eq!(result["approvalRequested"], true, "{result}");
        let last = records(&stage).pop().expect("a record");
        let by =
            if code == "nobody-to-ask" { "nobody".into() } else { format!("uid {} at the terminal", uid()) };
        assert_eq!(last["by"], json!(by), "{last}");
    }
    // In time.
    let (stage, terminal) = (world(json!({"approval": {"timeout": 1}})), Terminal::new());
    let (_, late) = asked_at(&stage, &terminal, || {
        terminal.expect(QUESTION, 0);
    });
    assert_eq!(late["code"], "timed-out", "{late}");
    // An agent could type the answer itself; and where the documents say so nobody is asked there.
    let marked = world(json!({})).env("CLAUDECODE=1");
    let never = world(json!({})).config(&json!({
        "security": {"mode": "always-require-approval", "owners": [own.clone()]}, "tools": {"exec": {"tty": "never"}}
    }));
    for stage in [marked, never] {
        let terminal = Terminal::new();
        let (run, no) = asked_at(&stage, &terminal, || {});
        assert_eq!((&no["code"], terminal.shown().as_str()), (&json!("nobody-to-ask"), ""), "{run:?}");
    }
    // An owner's own call is confirmed where the mode lets it run.
    let confirm =
        |required: bool| world(json!({"mode": "owner-only", "approval": {"requireConfirmation": required}}));
    let terminal = Terminal::new();
    let (_, yes) = asked_at(&confirm(true), &terminal, || {
        terminal.expect(QUESTION, 0);
        terminal.send("y\n");
    });
    assert!(yes["success"] == true && terminal.shown().contains("tool-confirmation"), "{}", terminal.shown());
    let terminal = Terminal::new();
    let (_, yes) = asked_at(&confirm(false), &terminal, || {});
    assert_eq!((&yes["success"], terminal.shown().as_str()), (&json!(true), ""), "{yes}");
}

/// The sandbox's lists are a net: what passes it by means that are nobody's syntax is the exec policy's to stop.
#[test]
fn what_runs_another_program_by_its_own_means_asks() {
    let list = json!([{"pattern": "/usr/bin/*"}, {"pattern": "/bin/*"}]);
    let exec = json!({"version": 1, "agents": {"main": {"security": "allowlist", "ask": "on-miss", "allowlist": list}}});
    let stage = stage(json!({"mode": "yolo", "rateLimit": {"limit": 100}})).policy(&exec);
    for (command, code) in [
        ("ls /", ""),
        ("awk 'BEGIN { print 1 }' /dev/null", ""),
        ("awk 'BEGIN { system(\"rm x\") }'", "nobody-to-ask"),
        ("git -c alias.x='!rm x' x", "nobody-to-ask"),
        ("sed '1e rm x' /etc/hostname", "nobody-to-ask"),
        ("find /tmp -delete", "nobody-to-ask"),
        ("tar --checkpoint=1 --checkpoint-action=exec='rm x' -cf /dev/null /etc/hostname", "nobody-to-ask"),
    ] {
        let result = call(&stage, "bash", "user:1", &json!({"command": command}), &[]);
        assert_eq!(result["code"].as_str().unwrap_or(""), code, "{command}: {result}");
    }
}

#[test]
fn owners_are_named_and_it_is_said() {
    let stage = stage(json!({"mode": "owner-only"}));
    let owners = |words: &[&str]| crate::operator::ctl(&stage, &[&["owners"], words].concat());
    for (words, code, said) in [
        (&["list"][..], 0, "no owner is named"),
        (&["add", "user:a"], 0, "`user:a` is an owner now"),
        (&["add", "user:a"], 0, "is an owner already"),
        (&["add", "user:b"], 0, "`user:b` is an owner now"),
        (&["list"], 0, "user:a\nuser:b\n"),
        (&["remove", "user:a"], 0, "1 left"),
        (&["remove", "user:a"], 1, "is no owner"),
        (&["remove", "user:b"], 0, "nobody is"),
        (&["add", "a\u{7}b"], 2, "nobody's name"),
    ] {
        let run = owners(words);
        assert_eq!(run.code(), code, "{words:?}: {run:?}");
        assert!(format!("{}{}", run.stdout, run.stderr).contains(said), "{words:?}: {run:?}");
    }
}

#[test]
fn the_doctor_tries_each_sandbox() {
    let stage = stage(json!({"mode": "yolo"}));
    let run = crate::operator::ctl(&stage, &["doctor", "--json"]);
    let value: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let of = |name: &str| {
        let area = format!("sandbox:{name}");
        let found = value["findings"].as_array().expect("findings").iter().find(|f| f["area"] == json!(area));
        found.unwrap_or_else(|| panic!("no {area}: {value}")).clone()
    };
    let mut used = Vec::new();
    for name in ["docker", "podman", "bubblewrap", "landlock"] {
        let finding = of(name);
        // What the doctor says and what a call comes to.
        let wanted = world(name);
        let works = call(&wanted, "bash", "user:1", &json!({"command": "true"}), &[]);
        let live = finding["state"] == "live";
        assert_eq!(live, works["success"] == true, "{finding}: {works}");
        if finding["what"].as_str().is_some_and(|w| w.contains("commands of tools run in")) {
            used.push(name);
        }
    }
    let result = call(&stage, "bash", "user:1", &json!({"command": "true"}), &[]);
    match result["result"]["sandbox"].as_str() {
        Some("none") | None => assert!(used.is_empty(), "{used:?}"),
        Some(name) => assert_eq!(used, [name]),
    }
    // Nothing of the probes is left.
    let names = std::fs::read_dir(stage.path("guard")).expect("the folder").flatten();
    let left: Vec<_> =
        names.map(|e| e.file_name()).filter(|n| n.to_string_lossy().starts_with("probe-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn world(backend: &str) -> Stage {
    stage(json!({"mode": "yolo", "sandbox": {"backend": backend, "container": {"enabled": true}}}))
}

#[test]
fn the_page_shows_whose_call_it_is_and_takes_a_reason() {
    let Some(browser) = Browser::open(1000, 900) else { return };
    let stage = stage(json!({
        "mode": "always-require-approval", "approval": {"timeout": 900}, "ownerId": "<i>admin", "toolOverrides": {"cron": "deny"}
    }));
    let service = Service::with_panel(&stage);
    browser.goto(&service.link());
    browser.until("document.querySelector('#live')?.dataset.live === 'yes'");
    let base = browser.js("location.href").as_str().expect("an address").to_owned();
    let ask = |command: &str| {
        let args = json!({"command": command});
        call(&stage, "bash", "user:1", &args, &["--channel", "#work\u{202e}", "--message", "<b>m</b>"])
    };
    let card = "document.querySelector('.card:not(.over)')";
    std::thread::scope(|s| {
        let first = s.spawn(|| ask("echo one"));
        browser.until(&format!("{card}?.innerText.includes('echo one')"));
        let text = browser.js(&format!("{card}.innerText"));
        let text = text.as_str().expect("text");
        for part in [
            "user:1 asks for the tool bash",
            "Tool",
            "User",
            "Channel",
            "#work\\u{202e}",
            "Message",
            "<b>m</b>",
            "time left",
            "Approve once",
            "Deny",
        ] {
            assert!(text.contains(part), "no {part}: {text}");
        }
        assert!(!text.contains("Always allow ") && !text.contains('\u{202e}'), "{text}");
        browser.fill(".card:not(.over) input[name=reason]", "not on a friday");
        browser.keys("\u{e007}");
        let no = first.join().expect("a thread");
        assert_eq!(no["code"], "rejected", "{no}");
        assert_eq!(no["error"], "rejected by panel: not on a friday", "{no}");
        let second = s.spawn(|| ask("echo two"));
        browser.until(&format!("{card}?.innerText.includes('echo two')"));
        browser.click(".card:not(.over) form.once button");
        let yes = second.join().expect("a thread");
        assert_eq!(yes["result"]["stdout"], "two\n", "{yes}");
    });
    browser.goto(&format!("{base}targets"));
    let text = browser.js("document.querySelector('[aria-labelledby=tools]').innerText");
    for part in ["always-require-approval", "cron deny", "<i>admin", "owners add|remove", "config.json"] {
        assert!(text.as_str().is_some_and(|t| t.contains(part)), "no {part}: {text}");
    }
    assert_eq!(browser.complaints(), [] as [Value; 0]);
}
