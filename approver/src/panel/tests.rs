//! The panel over plain HTTP, as a browser without JavaScript or somebody who is no browser speaks to it.
use std::sync::Arc;

use protocol::ask::{WireFinding, WireQuestion};
use protocol::operator::State;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::form::encode;
use super::listen;
use crate::desk::Asker;
use crate::draft;
use crate::handle::{Handle, Panel, Taken};
use crate::listen::door::FIRST_LINE;
use crate::peer::Work;
use crate::testing::{Stage, question, run};

/// A desk with its page, and a browser that was let in.
struct Web {
    handle: Handle,
    port: u16,
    panel: Arc<dyn Panel>,
    /// `/s/ID/`.
    base: String,
    cookie: String,
    csrf: String,
}

/// An answer.
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|l| l.split_once(": "));
        lines.filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v).next()
    }
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no {from}: {text}")).1;
    rest.split_once(to).unwrap_or_else(|| panic!("no {to}")).0
}

/// Sends bytes and reads until the other side has nothing more to say.
async fn raw(port: u16, request: &str) -> Reply {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let _ = stream.write_all(request.as_bytes()).await;
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}

impl Web {
    async fn open(stage: &Stage) -> Web {
        let handle = stage.handle();
        let listening = listen(handle.clone(), 0).await.unwrap();
        let (port, panel) = (listening.site.port, listening.entry());
        tokio::spawn(listening.serve());
        let mut web =
            Web { handle, port, panel, base: String::new(), cookie: String::new(), csrf: String::new() };
        let reply = web.send("GET", &web.path_of_link(), &[], "").await;
        assert_eq!(reply.status, 303, "{}", reply.head);
        web.base = reply.header("location").unwrap().to_owned();
        let cookie = reply.header("set-cookie").unwrap().to_owned();
        for word in ["HttpOnly", "SameSite=Strict", &format!("Path={}", web.base), "Max-Age="] {
            assert!(cookie.contains(word), "{cookie}");
        }
        web.cookie = cookie.split(';').next().unwrap().to_owned();
        web.csrf = between(&web.get("").await.body, "name=\"csrf\" value=\"", "\"").to_owned();
        web
    }

    fn path_of_link(&self) -> String {
        let link = self.panel.link(Work::default());
        link.strip_prefix(&format!("http://127.0.0.1:{}", self.port)).unwrap().to_owned()
    }

    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(n, _)| *n == "Host") {
            text.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers.iter().filter(|(_, v)| !v.is_empty()) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str("Content-Type: application/x-www-form-urlencoded\r\n");
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        raw(self.port, &format!("{text}\r\n{body}")).await
    }

    /// A page, as the browser that was let in asks for it.
    async fn get(&self, page: &str) -> Reply {
        self.send("GET", &format!("{}{page}", self.base), &[("Cookie", &self.cookie)], "").await
    }

    /// A form of a page.
    async fn post(&self, page: &str, fields: &[(&str, &str)]) -> Reply {
        let origin = format!("http://127.0.0.1:{}", self.port);
        let mut all = vec![("csrf", self.csrf.as_str())];
        all.extend(fields);
        let body: Vec<String> = all.iter().map(|(n, v)| format!("{n}={}", encode(v))).collect();
        let headers = [("Cookie", self.cookie.as_str()), ("Origin", origin.as_str())];
        self.send("POST", &format!("{}{page}", self.base), &headers, &body.join("&")).await
    }

    fn ask(&self, n: usize, q: &WireQuestion) -> Taken {
        let asker = Asker { uid: sys::ids::uid(), pid: None, session: None, root: None };
        let (q, draft) = draft::of_request(&id(n), &q.to_text(), asker, self.handle.rules()).unwrap();
        self.handle.ask(draft, Some(&q)).unwrap()
    }

    fn state(&self, n: usize) -> State {
        self.handle.show(&id(n)).unwrap().0.state
    }
}

fn id(n: usize) -> String {
    format!("{n:08}-0000-4000-8000-000000000000")
}

#[test]
fn nobody_sees_anything_without_being_let_in() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let _waits = web.ask(1, &question(&["secret-command"]));
        let link = web.path_of_link();
        let (base, cookie) = (web.base.as_str(), web.cookie.as_str());
        let none = format!("{}{}/", &base[..3], "0".repeat(32));
        for (path, cookie) in [
            ("/", cookie),
            (base, ""),
            (base, "exec_guard_panel=0000"),
            (none.as_str(), cookie),
            ("/enter", cookie),
            ("/enter?0000", cookie),
        ] {
            for path in [path.to_owned(), format!("{path}history"), format!("{path}events")] {
                let reply = web.send("GET", &path, &[("Cookie", cookie)], "").await;
                assert_eq!(reply.status, 403, "{path}");
                assert!(reply.body.contains("exec-guardctl panel") && !reply.body.contains("secret-command"));
                assert!(reply.header("set-cookie").is_none(), "{path}");
            }
        }
        // What only looks takes no link away.
        assert_eq!(web.send("HEAD", &link, &[], "").await.status, 405);
        assert_eq!(web.send("GET", &link, &[], "").await.status, 303);
        assert_eq!(web.send("GET", &link, &[], "").await.status, 403, "a link is good once");
        assert!(web.get("").await.body.contains("secret-command"));
    });
}

#[test]
fn other_names_of_this_machine_and_other_pages_are_refused() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let _waits = web.ask(1, &question(&["tool"]));
        let host = format!("127.0.0.1:{}", web.port);
        let cookie = ("Cookie", web.cookie.as_str());
        for bad in ["evil.example", &format!("evil.example:{}", web.port), "127.0.0.1", "127.0.0.1:1"] {
            let reply = web.send("GET", &web.base, &[("Host", bad), cookie], "").await;
            assert_eq!(reply.status, 421, "{bad}");
        }
        for good in ["localhost", "[::1]"] {
            let good = format!("{good}:{}", web.port);
            assert_eq!(
                web.send("GET", &web.base, &[("Host", &good), cookie], "").await.status,
                200,
                "{good}"
            );
        }
        let ours = format!("http://{host}");
        let form = format!("csrf={}&ids={}&choice=allow-once", web.csrf, id(1));
        let elsewhere = format!("http://127.0.0.1:{}", web.port - 1);
        let answer = format!("{}answer", web.base);
        for (headers, body, status) in [
            (vec![], form.clone(), 403),
            (vec![("Origin", "http://evil.example")], form.clone(), 403),
            (vec![("Origin", elsewhere.as_str())], form.clone(), 403),
            (vec![("Origin", "null")], form.clone(), 403),
            (vec![("Origin", ours.as_str()), ("Sec-Fetch-Site", "cross-site")], form.clone(), 403),
            (vec![("Origin", "null"), ("Sec-Fetch-Site", "same-site")], form.clone(), 403),
            (vec![("Origin", ours.as_str())], form.replace(&web.csrf, ""), 403),
            (vec![("Origin", ours.as_str())], form.replace(&web.csrf, &"0".repeat(64)), 403),
            (vec![("Origin", ours.as_str())], "a".repeat(300 << 10), 400),
        ] {
            let mut headers = headers;
            headers.push(cookie);
            let reply = web.send("POST", &answer, &headers, &body).await;
            assert_eq!((reply.status, web.state(1)), (status, State::Waiting), "{headers:?}");
        }
        // A page of another site that sends people here shows them nothing.
        for site in ["cross-site", "same-site"] {
            assert_eq!(web.send("GET", &web.base, &[cookie, ("Sec-Fetch-Site", site)], "").await.status, 403);
        }
        // Without a form's token nothing happens by looking.
        assert_eq!(web.get("answer?choice=allow-once").await.status, 405);
        let good = [cookie, ("Origin", "null"), ("Sec-Fetch-Site", "same-origin")];
        assert_eq!(web.send("POST", &answer, &good, &form).await.status, 303);
        assert_eq!(web.state(1), State::Answered);
    });
}

#[test]
fn every_answer_has_its_headers() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let asset = super::assets::address("panel.js");
        for (path, cookie, kept) in
            [(web.base.as_str(), web.cookie.as_str(), false), ("/nothing", "", false), (&asset, "", true)]
        {
            let reply = web.send("GET", path, &[("Cookie", cookie)], "").await;
            let csp = reply.header("content-security-policy").unwrap();
            assert!(csp.contains("default-src 'none'") && csp.contains("frame-ancestors 'none'"), "{csp}");
            assert!(!csp.contains("unsafe") && !csp.contains('*'), "{csp}");
            for (name, value) in [
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "no-referrer"),
                ("x-frame-options", "DENY"),
            ] {
                assert_eq!(reply.header(name), Some(value), "{path}");
            }
            assert_eq!(reply.header("cache-control") == Some("no-store"), !kept, "{path}");
        }
        // Nothing inline, and nothing from elsewhere.
        for page in ["", "policy", "history", "targets"] {
            let body = web.get(page).await.body;
            assert!(body.contains("<html lang=\"en\">") && body.matches("<h1").count() == 1, "{page}");
            for word in [" style=", "<style", " onclick", "javascript:", "//cdn", "https://"] {
                assert!(!body.contains(word), "{page}: {word}");
            }
            assert_eq!(
                body.matches("<script").count(),
                body.matches("<script src=\"/assets/").count(),
                "{page}"
            );
        }
    });
}

#[test]
fn questions_are_answered_by_forms_alone() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let mut waits = Vec::new();
        for n in 1..=3 {
            waits.push(web.ask(n, &question(&["tool", "same"])));
        }
        waits.push(web.ask(4, &question(&["other"])));
        waits.push(web.ask(5, &question(&["third"])));
        let page = web.get("").await.body;
        assert!(page.contains("× 3: one answer for all") && page.matches("<article").count() == 3, "{page}");
        let ids = between(&page, "id=\"once-", "hx");
        let ids = between(ids, "value=\"", "\"");
        assert_eq!(ids.split(' ').count(), 3);
        assert_eq!(web.post("answer", &[("ids", ids), ("choice", "allow-once")]).await.status, 303);
        assert!((1..=3).all(|n| web.state(n) == State::Answered));
        assert!(web.get("").await.body.contains("Allowed once by panel: tool same (3 questions)"));
        assert!(!web.get("").await.body.contains("Allowed once"), "said once");
        let deny = [("ids", id(4)), ("choice", "deny".into()), ("reason", "not <b>now</b>".into())];
        web.post("answer", &deny.each_ref().map(|(n, v)| (*n, v.as_str()))).await;
        let row = web.handle.show(&id(4)).unwrap().0;
        assert_eq!((row.by.as_deref(), row.reason.as_deref()), (Some("panel"), Some("not <b>now</b>")));
        assert!(web.get("").await.body.contains("not &lt;b&gt;now&lt;/b&gt;"));
        // A beginning of an id, no id, no choice, a scope that is none.
        let five = id(5);
        for fields in [
            vec![("ids", &five[..6]), ("choice", "allow-once")],
            vec![("ids", ""), ("choice", "allow-once")],
            vec![("ids", &five)],
            vec![("ids", &five), ("choice", "allow-always"), ("scope", "world")],
            vec![("ids", &five), ("choice", "allow-always"), ("scope", "arguments")],
            vec![("ids", &five), ("choice", "deny"), ("reason", &"x".repeat(3000))],
        ] {
            web.post("answer", &fields).await;
            assert_eq!(web.state(5), State::Waiting, "{fields:?}");
            assert!(web.get("").await.body.contains("message bad"), "{fields:?}");
        }
        web.post("answer", &[("ids", &five), ("choice", "allow-always"), ("scope", "program")]).await;
        assert_eq!(web.state(5), State::Answered);
        assert_eq!(stage.document()["agents"]["main"]["allowlist"][0]["pattern"], "/usr/bin/third");
        web.post("answer", &[("ids", &five), ("choice", "deny")]).await;
        assert!(web.get("").await.body.contains("It was answered already"));
    });
}

/// Text that would be markup, an attribute's end, a script, or moved, hidden and reordered on a page.
const HOSTILE: &str = "<b>x</b>\"'><script>alert(1)</script>&lt;\u{202e}abc\u{200b}\u{1b}[2J\r\n\u{85}";

/// The worst that a name can be.
const MARKUP: &str = "<b>x</b>\"'><script>alert(1)</script>";

#[test]
fn text_of_others_stays_text() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let h = || HOSTILE.to_owned();
        let bytes = || [HOSTILE.as_bytes(), b"\xff\xfe"].concat();
        let plain = question(&["tool"]);
        let finding = || WireFinding { code: h(), message: h(), advice: Some(h()), segment: None };
        let mut segment = plain.segments[0].clone();
        (segment.text, segment.argv) = (bytes(), vec![bytes()]);
        (segment.dynamic, segment.satisfied_by, segment.real) = (vec![false], Some(h()), Some(bytes()));
        let cases = [
            WireQuestion { argv: vec![bytes(), bytes()], always: Err(h()), ..plain.clone() },
            WireQuestion { argv: vec![bytes()], text: Some(bytes()), is_text: true, ..plain.clone() },
            WireQuestion { agent: h(), agents: vec![h(), h()], ..plain.clone() },
            WireQuestion { session: Some(h()), ..plain.clone() },
            WireQuestion { host: h(), user: Some(h()), shell: Some(h()), ..plain.clone() },
            WireQuestion { cwd: Some(bytes()), ..plain.clone() },
            WireQuestion { found: bytes(), real: [bytes(), b"2".to_vec()].concat(), ..plain.clone() },
            WireQuestion { security_from: h(), ask_from: h(), ..plain.clone() },
            WireQuestion { ground: finding(), findings: vec![finding()], ..plain.clone() },
            WireQuestion { segments: vec![plain.segments[0].clone(), segment], ..plain.clone() },
        ];
        let mut waits = Vec::new();
        for (n, q) in cases.iter().enumerate() {
            waits.push(web.ask(n, q));
        }
        web.handle
            .override_set(MARKUP, Some(MARKUP), (None, Some(policy::document::Ask::Always)), 60_000, &h())
            .unwrap();
        for n in 0..cases.len() {
            web.post("answer", &[("ids", &id(n + 100)), ("choice", "deny")]).await;
        }
        let check = |page: &str, body: &str| {
            for word in ["<b>x", "<script>alert", "\u{202e}", "\u{200b}", "\u{1b}", "\u{85}", "\u{fffd}"] {
                assert!(!body.contains(word), "{page}: {word:?} as it came");
            }
            // A quote that ends an attribute would leave this behind.
            assert!(!body.contains("\"'><"), "{page}");
        };
        let page = web.get("").await.body;
        check("pending", &page);
        assert!(
            page.matches("&lt;b&gt;x&lt;/b&gt;").count() > 20
                && page.contains("\\u{202e}")
                && page.contains("\\xff")
        );
        assert_eq!(page.matches("<article").count(), cases.len());
        for n in 0..cases.len() {
            web.post("answer", &[("ids", &id(n)), ("choice", "deny"), ("reason", HOSTILE)]).await;
        }
        check("messages", &web.get("").await.body);
        stage.put(&serde_json::json!({"version": 1, "socket": {"token": "t"}, "agents": {HOSTILE: {
            "security": "allowlist",
            "allowlist": [{"pattern": HOSTILE, "args": [HOSTILE], "cwd": HOSTILE, "note": HOSTILE, "source": HOSTILE,
                "lastUsedAt": 5, "lastUsedCommand": HOSTILE, "lastResolvedPath": HOSTILE}],
            "denylist": [HOSTILE]}}}).to_string());
        web.handle.rules().changed();
        // The journal is written behind the scenes.
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
        let scope = format!("policy?scope=agent:{}", encode(&encode(HOSTILE)));
        for page in [scope.as_str(), "policy", "history", "targets"] {
            loop {
                let body = web.get(page).await.body;
                check(page, &body);
                if page == "policy" || body.contains("&lt;b&gt;x&lt;/b&gt;") {
                    break;
                }
                assert!(tokio::time::Instant::now() < deadline, "{page}: {body}");
            }
        }
        let reply = web.send("GET", &web.path_of_link(), &[("User-Agent", "<b>x</b>\"'><")], "").await;
        assert_eq!(reply.status, 303);
        check("targets", &web.get("targets").await.body);
    });
}

#[test]
fn a_long_command_is_shown_whole() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let long = format!("{}END", "x<".repeat(50_000));
        let _waits = web.ask(1, &question(&["tool", &long]));
        let _other = web.ask(2, &question(&["tool", "short"]));
        let page = web.get("").await.body;
        assert!(page.contains(&format!("{}END", "x&lt;".repeat(50_000))));
    });
}

#[test]
fn a_slow_request_is_cut_off_and_a_full_house_recovers() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        tokio::time::pause();
        // The clock runs on as soon as nobody has anything to do.
        let reply = raw(web.port, "GET / HTTP/1.1\r\nHost: 127").await;
        assert_ne!(reply.status, 200);
        let slow = format!(
            "POST {}answer HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nCookie: {}\r\nOrigin: http://127.0.0.1:{}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\nConnection: close\r\n\r\ncsrf",
            web.base, web.port, web.cookie, web.port
        );
        assert_eq!(raw(web.port, &slow).await.status, 408);
        tokio::time::resume();
        // Who says half a request, or whole ones to which it has no right, keeps nobody out, and is not waited for.
        let mut open = Vec::new();
        for n in 0..200 {
            let mut stream = TcpStream::connect(("127.0.0.1", web.port)).await.unwrap();
            let whole = format!("GET /s/x/ HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", web.port);
            let text = if n % 2 == 0 { &whole } else { "GET / HTTP/1.1\r\nHost: 127" };
            let _ = stream.write_all(text.as_bytes()).await;
            open.push(stream);
        }
        let begun = tokio::time::Instant::now();
        assert_eq!(web.get("").await.status, 200);
        assert!(begun.elapsed() < FIRST_LINE, "{:?}", begun.elapsed());
        drop(open);
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
        while web.get("").await.status != 200 {
            assert!(tokio::time::Instant::now() < deadline, "it does not recover");
        }
        let head =
            format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX: {}\r\n\r\n", web.port, "x".repeat(100_000));
        assert_eq!(raw(web.port, &head).await.status, 431);
    });
}

#[test]
fn a_browser_is_logged_out() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let other = web.send("GET", &web.path_of_link(), &[("User-Agent", "another one")], "").await;
        let place = other.header("location").unwrap().to_owned();
        let cookie = other.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let look = async || web.send("GET", &place, &[("Cookie", &cookie)], "").await;
        assert_eq!(look().await.status, 200);
        let page = web.get("targets").await.body;
        assert!(page.contains("another one"));
        let its = place.split('/').nth(2).unwrap().to_owned();
        assert_eq!(web.post("targets/session", &[("id", &its)]).await.status, 303);
        assert_eq!(look().await.status, 403);
        web.post("leave", &[]).await;
        assert_eq!(web.get("").await.status, 403);
    });
}

/// The hash in a page's forms.
fn base(page: &str) -> String {
    between(page, "name=\"base\" value=\"", "\"").to_owned()
}

#[test]
fn the_policy_is_edited_and_a_conflict_loses_nothing() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let page = web.get("policy?scope=agent:main").await.body;
        assert!(
            page.contains("exec-approvals.json:/agents/main/security"),
            "where a value comes from: {page}"
        );
        let first = base(&page);
        let settings = |base: &str, security: &'static str| {
            vec![
                ("base", base.to_owned()),
                ("scope", "agent:main".to_owned()),
                ("security", security.to_owned()),
                ("ask", "always".to_owned()),
                ("autoAllowSkills", "true".to_owned()),
            ]
        };
        let post = async |page: &str, fields: Vec<(&'static str, String)>| {
            let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
            web.post(page, &fields).await
        };
        assert_eq!(post("policy", settings(&first, "full")).await.status, 303);
        let main = stage.document()["agents"]["main"].clone();
        assert_eq!(
            (&main["security"], &main["ask"], &main["autoAllowSkills"]),
            (&"full".into(), &"always".into(), &true.into())
        );
        // The hash is that of a text that is no more.
        let reply = post("policy", settings(&first, "deny")).await;
        assert_eq!((reply.status, &stage.document()["agents"]["main"]["security"]), (409, &"full".into()));
        let both = between(&reply.body, "Somebody else changed", "</table>");
        assert!(
            both.contains("<td data-label=\"In the document now\">full") && both.contains("<b>deny</b>"),
            "{both}"
        );
        assert!(reply.body.contains("<option value=\"deny\" selected>deny"), "what was typed is in the form");
        assert_eq!(post("policy", settings(&base(&reply.body), "deny")).await.status, 303);
        assert_eq!(stage.document()["agents"]["main"]["security"], "deny");
        // Entries, with the same care.
        let add = |base: &str, pattern: &str| {
            vec![
                ("base", base.to_owned()),
                ("scope", "agent:main".to_owned()),
                ("list", "allowlist".to_owned()),
                ("pattern", pattern.to_owned()),
                ("args", "log\r\n...".to_owned()),
            ]
        };
        let now = base(&web.get("policy?scope=agent:main").await.body);
        assert_eq!(post("policy/add", add(&now, "/usr/bin/git")).await.status, 303);
        let reply = post("policy/add", add(&now, "/usr/bin/typed-in-vain")).await;
        assert!(reply.status == 409 && reply.body.contains("value=\"/usr/bin/typed-in-vain\""));
        let entry = stage.document()["agents"]["main"]["allowlist"][0].clone();
        assert_eq!(
            (&entry["pattern"], &entry["args"]),
            (&"/usr/bin/git".into(), &serde_json::json!(["log", "..."]))
        );
        let gone = |base: &str| {
            let words =
                [("list", "allowlist"), ("place", "0"), ("pattern", "/usr/bin/git"), ("scope", "agent:main")];
            let mut all: Vec<(&'static str, String)> = words.map(|(n, v)| (n, v.to_owned())).to_vec();
            all.push(("base", base.to_owned()));
            all
        };
        assert_eq!(post("policy/remove", gone(&now)).await.status, 409);
        assert!(stage.document()["agents"]["main"]["allowlist"][0].is_object());
        let now = base(&web.get("policy?scope=agent:main").await.body);
        assert_eq!(post("policy/remove", gone(&now)).await.status, 303);
        assert_eq!(stage.document()["agents"]["main"]["allowlist"], serde_json::json!([]));
        // What would make no document is refused, and said.
        let now = base(&web.get("policy?scope=agent:main").await.body);
        post("policy", settings(&now, "most")).await;
        assert!(web.get("policy").await.body.contains("Nothing was written"));
        assert!(
            stage.document()["socket"]["token"] == "t"
                && !web.get("policy").await.body.contains("&quot;t&quot;")
        );
    });
}

#[test]
fn of_thousands_of_patterns_some_are_shown_and_all_are_found() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let list: Vec<String> = (0..2_000).map(|n| format!("/opt/tool{n:04}")).collect();
        let agents = serde_json::json!({"main": {"security": "allowlist", "allowlist": list}});
        let doc = serde_json::json!({"version": 1, "socket": {"token": "t"}, "agents": agents});
        stage.put(&doc.to_string());
        let page = web.get("policy?scope=agent:main").await.body;
        assert!(
            page.contains("/opt/tool0299") && !page.contains("/opt/tool0300") && page.contains(": 1700 of")
        );
        let page = web.get("policy?scope=agent:main&find=TOOL1234").await.body;
        assert!(page.contains("/opt/tool1234") && page.contains("name=\"place\" value=\"1234\""));
        assert!(!page.contains("/opt/tool0000"));
    });
}

#[test]
fn a_document_with_comments_is_shown_and_not_edited() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        stage.put("{\"version\": 1, \"socket\": {\"token\": \"t\"}, \"defaults\": {\"security\": \"most\"}}");
        assert!(web.get("policy").await.body.contains("A document cannot be believed"));
        assert!(web.get("targets").await.body.contains("nothing runs"));
    });
}

#[test]
fn a_page_follows_the_desk() {
    run(async {
        let stage = Stage::new();
        let web = Web::open(&stage).await;
        let page = web.get("").await.body;
        let events = between(&page, "sse-connect=\"", "\"").to_owned();
        let mut stream = TcpStream::connect(("127.0.0.1", web.port)).await.unwrap();
        let head = format!(
            "GET {events} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nCookie: {}\r\n\r\n",
            web.port, web.cookie
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut seen = String::new();
        let mut until = async |what: &str| {
            let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
            loop {
                if let Some(at) = seen.find(what) {
                    return seen.split_off(at);
                }
                let mut piece = [0; 65536];
                let n =
                    tokio::time::timeout_at(deadline, stream.read(&mut piece)).await.expect(what).unwrap();
                assert!(n > 0, "it ended before {what}: {seen}");
                seen.push_str(&String::from_utf8_lossy(&piece[..n]));
            }
        };
        until("text/event-stream").await;
        let _one = web.ask(1, &question(&["tool", "a"]));
        until("New question: main asks to run tool").await;
        let _two = web.ask(2, &question(&["tool", "a"]));
        until("× 2: one answer for all").await;
        web.post("answer", &[("ids", &id(1)), ("choice", "allow-once")]).await;
        web.post("answer", &[("ids", &id(2)), ("choice", "deny"), ("reason", "no more")]).await;
        until("Denied by panel: no more").await;
        web.handle
            .override_set("main", None, (None, Some(policy::document::Ask::Always)), 60_000, "t")
            .unwrap();
        until("Override in force").await;
        // One that comes back is told everything; one that is logged out is told nothing.
        web.handle.override_clear("main", None);
        let _three = web.ask(3, &question(&["tool", "b"]));
        until("New question").await;
        web.post("leave", &[]).await;
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
        let mut piece = [0; 65536];
        while tokio::time::timeout_at(deadline, stream.read(&mut piece)).await.expect("an end").unwrap_or(0)
            > 0
        {}
    });
}
