//! A real browser, told what to do by chromedriver (W3C WebDriver: JSON over HTTP, of which a handful of commands is
//! needed here; a client library would be a hundred crates more).
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::cannot;

/// No wait of a test is longer: the machine may be slow and busy.
const LONG: Duration = Duration::from_secs(120);

/// What a server answered.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The head, with its first line.
    pub head: String,
    /// The body, if its length was said or the connection ended.
    pub body: String,
}

impl Reply {
    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|l| l.split_once(':'));
        lines.filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim()).next()
    }
}

/// One request on a connection of its own.
pub fn http(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> std::io::Result<Reply> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(LONG))?;
    let mut text =
        format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(n, _)| *n == "Host") {
        text.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    (&stream).write_all(format!("{text}\r\n{body}").as_bytes())?;
    let mut reader = BufReader::new(&stream);
    let mut reply = Reply { status: 0, head: String::new(), body: String::new() };
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        reply.head.push_str(&line);
    }
    reply.status = reply.head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    let mut bytes = Vec::new();
    match reply.header("content-length").and_then(|n| n.parse().ok()) {
        Some(n) => reader.take(n).read_to_end(&mut bytes)?,
        None => reader.read_to_end(&mut bytes)?,
    };
    reply.body = String::from_utf8_lossy(&bytes).into_owned();
    Ok(reply)
}

/// chromedriver, and the port it serves. It lets the system choose a free port of IPv6 and ends if the same one is taken
/// in IPv4, as happens while other tests run: then it is started again.
fn start() -> std::io::Result<(Child, u16)> {
    let mut said = String::new();
    for _ in 0..10 {
        // A group of its own: the browser's many processes end with it.
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let mut out = BufReader::new(driver.stdout.take().expect("piped"));
        said.clear();
        let mut seen = 0;
        while out.read_line(&mut said).is_ok_and(|n| n > 0) {
            let port = said[seen..].split("successfully on port ").nth(1);
            if let Some(port) = port.and_then(|r| r.trim().trim_end_matches('.').parse().ok()) {
                // Whatever else it says is read, so that it never stands still.
                std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
                return Ok((driver, port));
            }
            seen = said.len();
        }
        driver.wait()?;
        if !said.contains("port not available") {
            break;
        }
    }
    panic!("chromedriver says no port: {said}")
}

/// A browser with one window. It ends when dropped.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Opens one with a window of that size; says why and returns `None` where there is none.
    pub fn open(width: u32, height: u32) -> Option<Browser> {
        let (driver, port) = match start() {
            Ok(started) => started,
            Err(e) => {
                cannot(&format!("chromedriver: {e}"));
                return None;
            }
        };
        let mut browser = Browser { driver, port, session: String::new() };
        let options = json!({
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--disable-extensions", format!("--window-size={width},{height}")],
            // Narrower than a window can be.
            "mobileEmulation": {"deviceMetrics": {"width": width, "height": height, "pixelRatio": 1.0, "mobile": false, "touch": false}},
        });
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}});
        match browser.send("POST", "/session", &wanted) {
            Ok(value) => browser.session = value["sessionId"].as_str().expect("a session").to_owned(),
            Err(e) if e.contains("cannot find Chrome binary") => {
                cannot(&format!("chromium: {e}"));
                return None;
            }
            Err(e) => panic!("no browser: {e}"),
        }
        Some(browser)
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let text = if method == "GET" || method == "DELETE" { String::new() } else { body.to_string() };
        let reply = http(self.port, method, path, &[("Content-Type", "application/json")], &text);
        let reply = reply.map_err(|e| format!("chromedriver: {e}"))?;
        let value: Value =
            serde_json::from_str(&reply.body).map_err(|e| format!("chromedriver: {e}: {reply:?}"))?;
        if reply.status == 200 {
            Ok(value["value"].clone())
        } else {
            Err(value["value"]["message"].to_string())
        }
    }

    #[track_caller]
    fn command(&self, path: &str, body: &Value) -> Value {
        self.send("POST", &format!("/session/{}{path}", self.session), body)
            .unwrap_or_else(|e| panic!("{path} {body}: {e}"))
    }

    /// Goes to an address.
    #[track_caller]
    pub fn goto(&self, url: &str) {
        self.command("/url", &json!({ "url": url }));
    }

    /// What an expression comes to in the page.
    #[track_caller]
    pub fn js(&self, expression: &str) -> Value {
        self.command("/execute/sync", &json!({"script": format!("return ({expression})"), "args": []}))
    }

    /// Waits until an expression is true in the page.
    #[track_caller]
    pub fn until(&self, expression: &str) {
        let begun = Instant::now();
        while self.js(&format!("Boolean({expression})")) != json!(true) {
            let page = || {
                self.js(
                    "document.body.innerText + '\\n' + JSON.stringify([document.activeElement.outerHTML])",
                )
            };
            assert!(begun.elapsed() < LONG, "not so: {expression}\n{}", page().as_str().unwrap_or_default());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    fn element(&self, css: &str) -> String {
        let found = self.command("/element", &json!({"using": "css selector", "value": css}));
        let id = found.as_object().and_then(|o| o.values().next()).and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("no {css}")).to_owned()
    }

    /// Clicks as a person does: where it is, if nothing lies over it.
    #[track_caller]
    pub fn click(&self, css: &str) {
        self.until(&format!("document.querySelector({})", json!(css)));
        self.command(&format!("/element/{}/click", self.element(css)), &json!({}));
    }

    /// Types into a field.
    #[track_caller]
    pub fn fill(&self, css: &str, text: &str) {
        self.command(&format!("/element/{}/value", self.element(css)), &json!({ "text": text }));
    }

    /// Presses keys, wherever the focus is. `\u{e007}` is Enter, `\u{e00c}` Escape.
    #[track_caller]
    pub fn keys(&self, keys: &str) {
        let each = keys
            .chars()
            .flat_map(|c| ["keyDown", "keyUp"].map(|t| json!({"type": t, "value": c.to_string()})));
        let actions: Vec<Value> = each.collect();
        self.command(
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}),
        );
    }

    /// A window of another width.
    #[track_caller]
    pub fn resize(&self, width: u32, height: u32) {
        let params = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        let cmd = "Emulation.setDeviceMetricsOverride";
        self.command("/goog/cdp/execute", &json!({"cmd": cmd, "params": params}));
    }

    /// Light or dark, as the system would say.
    #[track_caller]
    pub fn scheme(&self, scheme: &str) {
        let params = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.command("/goog/cdp/execute", &json!({"cmd": "Emulation.setEmulatedMedia", "params": params}));
    }

    /// What the browser complained of since the last look: errors of scripts, and what the page's own policy refused.
    #[track_caller]
    pub fn complaints(&self) -> Vec<Value> {
        let log = self.command("/se/log", &json!({"type": "browser"}));
        log.as_array().into_iter().flatten().filter(|e| e["level"] == "SEVERE").cloned().collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = self.send("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = killpg(Pid::from_raw(i32::try_from(self.driver.id()).expect("a pid")), Signal::SIGKILL);
        let _ = self.driver.wait();
    }
}
