//! Many at the approver's doors for tools: nobody keeps another out, and what all of them may hold has an end.
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::service::{LONG, Service};
use crate::stage::{Way, cannot, player, programs};
use crate::tools::{GATEWAY, call, http, stage, until};
use crate::tools_door::{connect, records, sent, uid};

/// Root is named as a gateway: it and the approver's own user share what there is.
fn shared(mut security: Value) -> Value {
    security["gatewayUids"] = json!([0]);
    security
}

/// Starts a program with fewer descriptors.
fn prlimit() -> Option<&'static str> {
    ["/usr/bin/prlimit", "/bin/prlimit"].into_iter().find(|p| std::path::Path::new(p).exists())
}

#[test]
fn an_owners_calls_do_not_take_all_turns() {
    if player().is_none() {
        return cannot("a second user takes root");
    }
    let stage = stage(shared(json!({
        "mode": "yolo", "sandbox": {"enabled": false, "timeout": 600_000}, "rateLimit": {"limit": 1_000}
    })));
    let _service = Service::start(&stage);
    let ask = |user: usize| {
        let mut stream = connect(&stage);
        let body = json!({"user": format!("user:{user}"), "args": {"command": "sleep 301"}});
        stream.write_all(&sent("bash", &body)).expect("sent");
        stream
    };
    let crowd: Vec<UnixStream> = (0..40).map(ask).collect();
    let started = || records(&stage).iter().filter(|r| r["event"] == "tool.started").count();
    until("half of the turns are taken", || (started() == 4).then_some(()));
    // All of them were taken in; that is written each second.
    until("the rest waits", || {
        let all = std::fs::read_to_string(stage.path("guard/tools/calls.json")).unwrap_or_default();
        (0..40).all(|n| all.contains(&format!("user:{n}\""))).then_some(())
    });
    let mine = call(&stage, "bash", "me", &json!({"command": "echo hello"}), &[]);
    assert_eq!(mine["result"]["stdout"], "hello\n", "{mine}");
    drop(crowd);
    let sleeps = || records(&stage).iter().filter(|r| r["event"] == "tool.finished").count();
    until("they are ended", || (sleeps() >= 5).then_some(()));
}

#[test]
fn connections_have_an_end_and_a_user_has_a_share_of_them() {
    let Some(prlimit) = prlimit() else { return cannot("prlimit") };
    // A quarter of what is left of these after the approver's own, half of that for the socket: eighteen places.
    let approver = programs().approver.to_str().expect("a path");
    let words = [prlimit, "--nofile=400:400", approver, "--no-panel"];
    let two = player().is_some();
    let most = if two { 9 } else { 18 };
    let security = json!({"mode": "yolo", "toolOverrides": {"browser": "always-require-approval"}, "approval": {"timeout": 3_600}});
    let stage = stage(if two { shared(security) } else { security });
    let service = Service::of(&stage, &stage.cast(&words).way(Way::Path));
    let looks = || {
        let mut stream = connect(&stage);
        let _ = stream.write_all(&sent("canvas", &json!({"user": "u", "args": {"commands": [1]}})));
        let mut head = [0; 12];
        stream.read_exact(&mut head).is_ok() && head == *b"HTTP/1.1 200"
    };
    // Those that say nothing, or half of a head, make room, however many they are.
    let mut idle: Vec<UnixStream> = (0..60).map(|_| connect(&stage)).collect();
    for stream in idle.iter_mut().skip(30) {
        let _ = stream.write_all(b"POST /v1/tools/canvas HTTP/1.1\r\nHo");
    }
    assert!(looks(), "those that say nothing kept a caller out");
    drop(idle);
    // Those that wait for a person stay.
    let mut waiting: Vec<UnixStream> = Vec::new();
    for n in 1..=most {
        until(&format!("there is room for {n}"), || {
            let mut stream = connect(&stage);
            let user = format!("u{}", n % 3);
            stream.write_all(&sent("browser", &json!({"user": user, "args": {"url": n}}))).ok()?;
            waiting.push(stream);
            let begun = std::time::Instant::now();
            while service.waiting() < n && begun.elapsed() < Duration::from_secs(5) {}
            (service.waiting() == n).then_some(())
        });
    }
    assert!(!looks(), "one more than may be was served");
    if two {
        let mine = call(&stage, "canvas", "me", &json!({"commands": [1]}), &[]);
        assert_eq!(mine["success"], true, "{mine}");
    }
    drop(waiting);
    service.until(0);
    until("there is room again", || looks().then_some(()));
}

/// Most memory that a process has had, bytes.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a status");
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

#[test]
fn bodies_that_do_not_end_take_no_more_than_their_room() {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let stage = stage(json!({"mode": "yolo", "port": port, "rateLimit": {"limit": 1_000}}));
    let service = Service::start(&stage);
    let begin = peak(service.pid());
    let part = vec![b'x'; 250_000];
    let head = format!(
        "POST /v1/tools/canvas HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {GATEWAY}\r\nContent-Length: 300000\r\n\r\n"
    );
    until("the port is there", || TcpStream::connect(("127.0.0.1", port)).ok());
    // Whoever is refused is not read any more.
    let deadline = Some(Duration::from_secs(2));
    let mut held: Vec<Box<dyn Write>> = Vec::new();
    for n in 0..700 {
        let mut stream: Box<dyn Write> = if n % 2 == 0 {
            let stream = connect(&stage);
            stream.set_write_timeout(deadline).expect("a deadline");
            Box::new(stream)
        } else {
            let stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
            stream.set_write_timeout(deadline).expect("a deadline");
            Box::new(stream)
        };
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&part));
        held.push(stream);
        if n % 100 == 99 {
            // Others are served meanwhile, at the socket for tools and where guards ask.
            let (status, _) = http(&stage, "GET", "/v1/requests", &json!({}));
            assert_eq!((status, service.waiting()), (200, 0), "after {n}");
            let run = stage.cast(&["true"]).way(Way::Dash).run();
            assert!(run.code() != 125, "{run:?}");
        }
    }
    let took = peak(service.pid()).saturating_sub(begin);
    println!("700 unfinished bodies of 250 KB: {} MB more", took >> 20);
    // 64 MiB are theirs; what is around each of them is not counted there.
    assert!(took < 128 << 20, "{took} bytes");
    drop(held);
    until("there is room again", || {
        let (status, _) =
            http(&stage, "POST", "/v1/tools/canvas", &json!({"user": "u", "args": {"commands": [1]}}));
        (status == 200).then_some(())
    });
}

#[test]
fn half_a_head_at_the_port_keeps_nobody_out() {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let Some(prlimit) = prlimit() else { return cannot("prlimit") };
    let approver = programs().approver.to_str().expect("a path");
    let words = [prlimit, "--nofile=400:400", approver, "--no-panel"];
    let stage = stage(json!({"mode": "yolo", "port": port}));
    let _service = Service::of(&stage, &stage.cast(&words).way(Way::Path));
    let say = || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.write_all(b"POST /v1/tools/canvas HTTP/1.1\r\nHo").ok()?;
        Some(stream)
    };
    until("the port is there", || say().map(drop));
    let crowd: Vec<TcpStream> = (0..100).filter_map(|_| say()).collect();
    let head = format!(
        "GET /v1/requests HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {GATEWAY}\r\nConnection: close\r\n\r\n"
    );
    for _ in 0..5 {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
        stream.set_read_timeout(Some(LONG)).expect("a deadline");
        stream.write_all(head.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    drop(crowd);
}

#[test]
fn an_owner_who_was_just_named_may_call_at_once() {
    let stage = stage(json!({"mode": "yolo", "owners": ["user:somebody"]}));
    let _service = Service::start(&stage);
    let own = format!("uid:{}", uid());
    let ctl = programs().ctl.to_str().expect("a path");
    let call = || {
        let words = [ctl, "tool", "canvas", "--args", "{\"commands\":[1]}"];
        let run = stage.cast(&words).way(Way::Path).limit(LONG).run();
        let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
        result["code"].as_str().unwrap_or("").to_owned()
    };
    for _ in 0..5 {
        assert_eq!(call(), "sender");
        assert_eq!(crate::operator::ctl(&stage, &["owners", "add", &own]).code(), 0);
        assert_eq!(call(), "");
        assert_eq!(crate::operator::ctl(&stage, &["owners", "remove", &own]).code(), 0);
    }
}
