//! Whom the approver's page lets in, and whose answer it takes: by plain HTTP, as a browser without JavaScript speaks it, and
//! everybody else who can reach the port.
use serde_json::{Value, json};

use crate::panel::{LONG, asks, end, stage};
use crate::stage::browser::{Reply, http};
use crate::stage::pty::Terminal;
use crate::stage::service::{Person, Service, asker};
use crate::stage::{Stage, Way, cannot, player, programs};

/// A browser without JavaScript.
struct Plain {
    port: u16,
    cookie: String,
    base: String,
    csrf: String,
}

impl Plain {
    fn enter(stage: &Stage) -> Plain {
        // As a person gets it.
        let terminal = Terminal::new();
        let ctl = programs().ctl.to_str().expect("a path");
        let said = stage.cast(&[ctl, "panel"]).way(Way::Path).terminal(&terminal).run();
        Plain::by(said.stdout.trim())
    }

    fn by(link: &str) -> Plain {
        let rest = link.strip_prefix("http://127.0.0.1:").expect("a link to this machine");
        let (port, path) = rest.split_once('/').expect("a path");
        let port = port.parse().expect("a port");
        let path = format!("/{path}");
        let reply = http(port, "GET", &path, &[], "").expect("an answer");
        let header =
            |name: &str| reply.header(name).unwrap_or_else(|| panic!("no {name}: {reply:?}")).to_owned();
        let mut plain = Plain { port, cookie: String::new(), base: header("location"), csrf: String::new() };
        plain.cookie = header("set-cookie").split(';').next().expect("a cookie").to_owned();
        let again = http(port, "GET", &path, &[], "").expect("an answer");
        assert!(
            again.status == 403 && again.header("set-cookie").is_none(),
            "a link is good once: {again:?}"
        );
        let page = plain.get();
        plain.csrf = page
            .split("name=\"csrf\" value=\"")
            .nth(1)
            .and_then(|r| r.split('"').next())
            .expect("a form")
            .into();
        plain
    }

    fn get(&self) -> String {
        http(self.port, "GET", &self.base, &[("Cookie", &self.cookie)], "").expect("a page").body
    }

    fn post(&self, headers: &[(&str, &str)], fields: &str) -> Reply {
        let mut all = vec![("Content-Type", "application/x-www-form-urlencoded")];
        all.extend(headers);
        http(self.port, "POST", &format!("{}answer", self.base), &all, fields).expect("an answer")
    }
}

#[test]
fn forms_work_without_javascript_and_for_nobody_else() {
    let stage = stage();
    let service = Service::with_panel(&stage);
    let me = Plain::enter(&stage);
    let guard = asks(&stage, &["plain"]);
    service.until(1);
    let page = me.get();
    let ids = page
        .split("name=\"ids\"")
        .nth(1)
        .and_then(|r| r.split("value=\"").nth(1)?.split('"').next())
        .expect("ids");
    let origin = format!("http://127.0.0.1:{}", me.port);
    let (cookie, origin) = (("Cookie", me.cookie.as_str()), ("Origin", origin.as_str()));
    let fields = format!("csrf={}&ids={ids}&choice=allow-once", me.csrf);
    let port = format!("evil.example:{}", me.port);
    for (headers, fields, status) in [
        (vec![origin], fields.clone(), 403),
        (vec![("Cookie", "exec_guard_panel=1"), origin], fields.clone(), 403),
        (vec![cookie], fields.clone(), 403),
        (vec![cookie, ("Origin", "http://127.0.0.1:1")], fields.clone(), 403),
        (vec![cookie, origin, ("Sec-Fetch-Site", "same-site")], fields.clone(), 403),
        (vec![cookie, origin], fields.replace(&me.csrf, "x"), 403),
        (vec![cookie, origin, ("Host", port.as_str())], fields.clone(), 421),
    ] {
        let reply = me.post(&headers, &fields);
        assert_eq!((reply.status, service.waiting()), (status, 1), "{headers:?}");
    }
    assert_eq!(me.post(&[cookie, origin], &fields).status, 303);
    assert_eq!(end(guard).0, 0);
    assert!(me.get().contains("Allowed once by panel: tool plain"));
}

/// Another user of the machine says half of hundreds of requests, and goes on.
#[test]
fn another_user_keeps_nobody_out_of_the_page() {
    let Some((uid, _)) = player() else { return cannot("a second user takes root") };
    let stage = stage();
    let service = Service::with_panel(&stage);
    let link = service.link();
    let port = link.split(['/', ':']).nth(4).expect("a port").to_owned();
    let script = format!(
        "say() {{ exec {{f}}<>/dev/tcp/127.0.0.1/{port} && printf 'GET / HTTP/1.1\\r\\nHo' >&$f; }}; \
         for i in {{1..300}}; do say; done; echo ready; while say; do /bin/sleep 0.05; done"
    );
    let uid = format!("--reuid={}", uid - 1);
    let cast = stage.cast(&["/bin/bash", "-c", &script]).way(Way::Path).with_root();
    let mut other =
        Person::start(cast.chain(&["/usr/bin/setpriv", uid.as_str(), "--regid=65534", "--clear-groups"]));
    assert_eq!(other.line().as_deref(), Some("ready"));
    let path = link.split_once(&port).expect("a path").1;
    let reply = http(port.parse().expect("a number"), "GET", path, &[], "").expect("an answer");
    assert_eq!(reply.status, 303, "{reply:?}");
    for _ in 0..5 {
        Plain::enter(&stage).get();
    }
}

/// An answer to that question by a browser.
fn answered(plain: &Plain, id: &str, choice: &str) -> u16 {
    let origin = format!("http://127.0.0.1:{}", plain.port);
    let headers = [("Cookie", plain.cookie.as_str()), ("Origin", origin.as_str())];
    plain.post(&headers, &format!("csrf={}&ids={id}&choice={choice}", plain.csrf)).status
}

/// A browser whose link was fetched by what started everybody else: one piece of work with those that ask.
fn agents(service: &Service<'_>) -> Plain {
    let answer = service.operator(&[json!({"do": "panel-link"})]);
    Plain::by(answer[0]["value"].as_str().expect("a link"))
}

/// Whoever fetched the link and whoever asks were started by one process that is no shell at a terminal.
#[test]
fn a_link_that_an_agent_fetched_does_not_answer_its_questions() {
    let stage = stage();
    let service = Service::with_panel(&stage);
    let plain = agents(&service);
    let mut guard = asks(&stage, &["x"]);
    service.until(1);
    let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(answered(&plain, &id, "allow-once"), 303);
    assert!(plain.get().contains("fetched by whoever asks"), "{}", plain.get());
    assert_eq!(service.waiting(), 1);
    // A person at a terminal has another link, and answers.
    assert_eq!(answered(&Plain::enter(&stage), &id, "deny"), 303);
    assert_eq!(guard.wait().expect("its end").code(), Some(126));
}

/// Whoever asked is gone, and the approver was killed: it is still known whose question that is.
#[test]
fn ones_own_question_is_not_answered_after_a_restart_either() {
    let stage = stage();
    let mut service = Service::start(&stage);
    let left = asker(&stage, &["leave", "7"]).run();
    assert_eq!(left.stdout, "noted\n", "{left:?}");
    assert_eq!(service.waiting(), 1);
    service.end(Some(nix::sys::signal::Signal::SIGKILL));
    for _ in 0..2 {
        let mut service = Service::with_panel(&stage);
        assert_eq!(service.waiting(), 1);
        let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
        let plain = agents(&service);
        assert_eq!(answered(&plain, &id, "allow-once"), 303);
        assert!(plain.get().contains("fetched by whoever asks"), "{}", plain.get());
        assert_eq!(service.waiting(), 1);
        service.end(Some(nix::sys::signal::Signal::SIGKILL));
    }
    let service = Service::with_panel(&stage);
    let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(answered(&Plain::enter(&stage), &id, "deny"), 303);
    assert_eq!(service.waiting(), 0);
}

/// A call at the port for tools is a process's as well: the one that holds the other end.
#[test]
fn whoever_asks_at_the_port_does_not_answer() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("one").port();
    let security = json!({"mode": "always-require-approval", "port": port, "approval": {"timeout": 900}});
    let stage = crate::tools::stage(security);
    let service = Service::with_panel(&stage);
    let plain = agents(&service);
    let body = json!({"user": "user:1", "args": {"command": "echo hello"}}).to_string();
    let request = format!(
        "POST /v1/tools/bash HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nAuthorization: Bearer {}\\r\\nConnection: close\\r\\n\
         Content-Length: {}\\r\\n\\r\\n",
        crate::tools::GATEWAY,
        body.len()
    );
    let (person, operator) =
        (programs().person.to_str().expect("a path"), stage.text("guard/operator/operator.sock"));
    // It calls, and tries to have a link of its own once its question waits.
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port} || exit 1
         printf '{request}%s' '{body}' >&3
         say() {{ '{person}' '{operator}' '{token}' do \"$1\"; }}
         until say '{{\"do\":\"status\"}}' | /bin/grep -q '\"waiting\":1'; do :; done
         say '{{\"do\":\"panel-link\"}}'
         /bin/cat <&3",
        token = crate::stage::approver::TOKEN
    );
    let cast = stage.cast(&["/bin/bash", "-c", &script]).way(Way::Path).limit(LONG);
    let run = cast.talk(|| {
        service.until(1);
        let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
        assert_eq!(answered(&plain, &id, "allow-once"), 303);
        assert!(plain.get().contains("fetched by whoever asks"), "{}", plain.get());
        assert_eq!(service.waiting(), 1);
        assert_eq!(answered(&Plain::enter(&stage), &id, "allow-once"), 303);
    });
    assert!(run.stdout.contains("\"own-question\"") && run.stdout.contains("hello\\n"), "{run:?}");
}

/// A process that cannot be found asks nobody: it could be the one that answers.
#[test]
fn a_caller_at_the_port_that_cannot_be_found_asks_nobody() {
    let Some((player, _)) = player() else { return cannot("a second user takes root") };
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("one").port();
    let security = json!({
        "mode": "yolo", "toolOverrides": {"browser": "always-require-approval"}, "port": port, "approval": {"timeout": 900}
    });
    let stage = crate::tools::stage(security);
    let service = Service::start(&stage);
    let token = format!("Bearer {}", crate::tools::GATEWAY);
    let headers = [("Authorization", token.as_str())];
    // The kernel says that this user has opened it, and none of that user's processes holds it.
    let ask = |tool: &'static str| {
        let headers = headers.map(|(n, v)| (n, v.to_owned()));
        let asked = std::thread::spawn(move || {
            nix::unistd::setfsuid(nix::unistd::Uid::from_raw(player));
            let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
            http(
                port,
                "POST",
                &format!("/v1/tools/{tool}"),
                &headers,
                "{\"user\":\"u\",\"args\":{\"commands\":[1]}}",
            )
        });
        let reply = asked.join().expect("a thread").expect("an answer");
        let value: Value = serde_json::from_str(&reply.body).unwrap_or_else(|e| panic!("{e}: {reply:?}"));
        (reply.status, value)
    };
    crate::tools::until("the port is there", || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
    let (status, no) = ask("browser");
    assert_eq!((status, &no["code"]), (403, &json!("sender")), "{no}");
    assert!(no["error"].as_str().is_some_and(|e| e.contains("could not be found")), "{no}");
    assert_eq!(service.waiting(), 0);
    // What needs nobody's yes is done all the same.
    let (status, yes) = ask("canvas");
    assert_eq!((status, &yes["success"]), (200, &json!(true)), "{yes}");
}
