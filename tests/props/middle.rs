//! Stands between guards and an approver, and passes nothing on unless it is told to.
//!
//! ```text
//! middle LISTEN REAL
//! ```
//!
//! It says, a line of JSON each: `{"n":1,"comes":true}` (the first guard), `{"n":1,"from":"guard","text":"…"}` (a line of
//! its, with its end), `{"n":1,"from":"approver","text":null}` (nothing more comes), `{"n":1,"connected":true}`. It does
//! what it is told so: `{"n":1,"connect":true}` (to the approver), `{"n":1,"to":"guard","text":"…"}`,
//! `{"n":1,"close":"approver"}`. A character of a text is a byte.
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

type Ends = Arc<Mutex<HashMap<(u64, String), UnixStream>>>;

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
    let [listen, real] = words.as_slice() else { panic!("middle LISTEN REAL") };
    let listener = UnixListener::bind(listen)?;
    let ends = Ends::default();
    let theirs = ends.clone();
    say(&json!({"ready": true}));
    std::thread::spawn(move || {
        for (n, stream) in (1..).zip(listener.incoming()) {
            say(&json!({"n": n, "comes": true}));
            follow(&theirs, n, "guard", stream.expect("a connection"));
        }
    });
    for line in io::stdin().lock().lines() {
        let told: Value = serde_json::from_str(&line?)?;
        let n = told["n"].as_u64().expect("a number");
        if told["connect"] == true {
            let stream = UnixStream::connect(real);
            say(&json!({"n": n, "connected": stream.is_ok()}));
            stream.into_iter().for_each(|s| follow(&ends, n, "approver", s));
        } else if let Some(end) = told["close"].as_str() {
            if let Some(stream) = ends.lock().expect("a lock").remove(&(n, end.to_owned())) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        } else {
            let bytes: Vec<u8> = told["text"].as_str().expect("a text").chars().map(|c| c as u8).collect();
            let at = (n, told["to"].as_str().expect("an end").to_owned());
            if let Some(stream) = ends.lock().expect("a lock").get_mut(&at) {
                // Whoever is gone hears nothing.
                let _ = stream.write_all(&bytes);
            }
        }
    }
    Ok(())
}

/// Tells every line that comes from there.
fn follow(ends: &Ends, n: u64, name: &'static str, stream: UnixStream) {
    let mut from = BufReader::new(stream.try_clone().expect("a descriptor"));
    ends.lock().expect("a lock").insert((n, name.to_owned()), stream);
    std::thread::spawn(move || {
        loop {
            let mut line = Vec::new();
            // One that was killed resets the connection.
            if from.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
                return say(&json!({"n": n, "from": name, "text": null}));
            }
            let text: String = line.iter().map(|b| char::from(*b)).collect();
            say(&json!({"n": n, "from": name, "text": text}));
        }
    });
}

fn say(what: &Value) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{what}").and_then(|()| out.flush());
}
