//! What a witness wrote down.
use serde_json::Value;

/// How one program was executed. Text holds one character a byte.
#[derive(Clone, Debug)]
pub struct Record(pub Value);

impl Record {
    fn list(&self, name: &str) -> Vec<Vec<u8>> {
        let list = self.0[name].as_array().expect("a list");
        list.iter().map(|v| v.as_str().expect("text").chars().map(|c| c as u8).collect()).collect()
    }

    /// Its words.
    pub fn argv(&self) -> Vec<Vec<u8>> {
        self.list("argv")
    }

    /// Its words, for messages and comparison with literals.
    pub fn words(&self) -> Vec<String> {
        self.argv().iter().map(|w| String::from_utf8_lossy(w).into_owned()).collect()
    }

    /// Its environment, entry by entry.
    pub fn env(&self) -> Vec<Vec<u8>> {
        self.list("env")
    }

    /// The value of the first entry of that name.
    pub fn var(&self, name: &str) -> Option<String> {
        let prefix = format!("{name}=");
        let env = self.env();
        let v = env.iter().find_map(|e| e.strip_prefix(prefix.as_bytes()))?;
        Some(String::from_utf8_lossy(v).into_owned())
    }

    /// A text field.
    pub fn text(&self, name: &str) -> String {
        self.0[name].as_str().unwrap_or_default().to_owned()
    }

    /// A field of `/proc/self/status`.
    pub fn status(&self, name: &str) -> String {
        self.0["status"][name].as_str().unwrap_or_default().to_owned()
    }

    /// The record as it would be without the guard: what has to differ is checked and taken out.
    ///
    /// `guarded`: the loop counter has to be there, last and once. `pid`: who was started; the guard must have
    /// become the program, not have started it; `None` where something else starts it.
    /// Returns with it what was found wrong already.
    pub fn comparable(&self, guarded: bool, pid: Option<u32>) -> (Value, Vec<String>) {
        let mut v = self.0.clone();
        let mut wrong = Vec::new();
        let counter = |e: &Vec<u8>| e.starts_with(b"EXEC_GUARD_DEPTH=");
        let env = self.env();
        if guarded {
            if env.iter().filter(|e| counter(e)).count() != 1 || !env.last().is_some_and(counter) {
                wrong.push("EXEC_GUARD_DEPTH is not there once, as the last entry".into());
            }
            let is_not = |e: &Value| !e.as_str().is_some_and(|e| e.starts_with("EXEC_GUARD_DEPTH="));
            v["env"].as_array_mut().expect("a list").retain(is_not);
        } else if env.iter().any(counter) {
            wrong.push("EXEC_GUARD_DEPTH without a guard".into());
        }
        let own = self.status("Pid");
        if let Some(pid) = pid
            && own != pid.to_string()
        {
            wrong.push(format!("process {own} is not the one that was started, {pid}"));
        }
        for name in ["Pid", "NSpid"] {
            v["status"][name] = Value::Null;
        }
        if pid.is_none() {
            // Not started by us directly: who did is another in each run.
            for name in ["PPid", "TracerPid"] {
                v["status"][name] = Value::Null;
            }
            for name in ["pgrp", "session", "tpgid"] {
                v["stat"][name] = Value::Null;
            }
        }
        for name in ["pgrp", "session", "tpgid"] {
            if v["stat"][name].as_str() == Some(own.as_str()) {
                v["stat"][name] = "self".into();
            }
        }
        // The folder of a removed working directory is named after the process.
        let cwd = self.text("cwd").replace(&format!("exec-guard-gone.{own}"), "exec-guard-gone");
        v["cwd"] = cwd.into();
        (v, wrong)
    }
}

/// Where two records differ, in words.
pub fn difference(plain: &Value, guarded: &Value) -> Vec<String> {
    let mut out = Vec::new();
    walk("", plain, guarded, &mut out);
    out
}

fn walk(at: &str, a: &Value, b: &Value, out: &mut Vec<String>) {
    if a == b {
        return;
    }
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            let keys: std::collections::BTreeSet<&String> = x.keys().chain(y.keys()).collect();
            for k in keys {
                walk(&format!("{at}/{k}"), &a[k], &b[k], out);
            }
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            for (i, (p, q)) in x.iter().zip(y).enumerate() {
                walk(&format!("{at}/{i}"), p, q, out);
            }
        }
        _ => {
            let short = |v: &Value| {
                let t = v.to_string();
                if t.len() > 300 { format!("{}… ({} bytes)", &t[..300], t.len()) } else { t }
            };
            out.push(format!("{at}: without {}, with {}", short(a), short(b)));
        }
    }
}
