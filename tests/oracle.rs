//! Oracle 2, *the real shells*: what really ran was named, and what is executed instead means the same.
//!
//! The shells are real, every program is a witness. An allowed text is run as it is by the shell, and by the
//! guard: the same programs with the same arguments, the same output, the same status. Run once with programs that
//! succeed and once with programs that fail, so that both sides of `&&` and `||` are seen.
use std::process::Command;

use serde_json::{Value, json};

use crate::stage::corpus::{Scene, names, rows, verdict};
use crate::stage::view::{Bins, View, impossible};
use crate::stage::{cannot, listed};

/// Texts made by chance, each run by the plain shell and as the guard would run it: `props/shell_oracle` says what
/// must hold. `EXEC_GUARD_ORACLE=N` is for N executions instead of a few, `EXEC_GUARD_SEED=N` for other texts;
/// `scripts/oracle` does the same faster.
#[test]
fn texts_of_chance_do_what_was_judged() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let number = |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.to_owned());
    let (oracle, witness) = (env!("CARGO_BIN_EXE_shell_oracle"), env!("CARGO_BIN_EXE_shell_witness"));
    let mut cmd = Command::new("bwrap");
    // Start-up files of the host would run for `bash -l`.
    cmd.args([
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/etc",
        "--tmpfs",
        "/run",
    ]);
    cmd.args([
        "--dir",
        "/run/oracle",
        "--unshare-all",
        "--die-with-parent",
        "--uid",
        "1000",
        "--gid",
        "1000",
    ]);
    cmd.args(["--chdir", "/run/oracle", "--", oracle, "--witness", witness]);
    cmd.args(["--count", &number("EXEC_GUARD_ORACLE", "600"), "--seed", &number("EXEC_GUARD_SEED", "1")]);
    let out = cmd.env_clear().output().expect("bwrap");
    let said = String::from_utf8_lossy(&out.stdout);
    println!("{said}");
    assert!(out.status.success(), "{said}{}", String::from_utf8_lossy(&out.stderr));
}

/// Words of each program that ran, the name by its last component: a rendering names the file itself.
fn ran(result: &Value, unordered: bool) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = result["records"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|r| {
            let words = r["argv"].as_array().expect("argv");
            let mut words: Vec<String> =
                words.iter().map(|w| w.as_str().unwrap_or_default().to_owned()).collect();
            if let Some(first) = words.first_mut() {
                *first = first.rsplit('/').next().unwrap_or_default().to_owned();
            }
            words
        })
        .collect();
    if unordered {
        out.sort();
    }
    out
}

/// How often a pipeline is run before a difference counts.
const ATTEMPTS: usize = 4;

/// What the text did otherwise through the guard (`g`) than without it (`p`).
fn difference(text: &str, p: &Value, g: &Value) -> Option<String> {
    // Start-up files never run for an unattended allow: there the two differ by design.
    if text.contains(" -lc ") || text.contains("--login") {
        return None;
    }
    // Members of a pipeline start in any order.
    let unordered = text.contains('|') || text.contains('&');
    let (was, is) = (ran(p, unordered), ran(g, unordered));
    // Which member of a pipeline writes first is nobody's promise either.
    let outs = |v: &Value| {
        let mut l: Vec<String> =
            v["stdout"].as_str().unwrap_or_default().lines().map(str::to_owned).collect();
        if unordered {
            l.sort();
        }
        l
    };
    if was != is {
        Some(format!("ran {was:?} without and {is:?} with, stderr {}", g["stderr"]))
    } else if p["status"] != g["status"] || p["signal"] != g["signal"] {
        Some(format!("ended {} without and {} with, stderr {}", p["status"], g["status"], g["stderr"]))
    } else if outs(p) != outs(g) {
        Some(format!("said {} without and {} with", p["stdout"], g["stdout"]))
    } else {
        None
    }
}

#[test]
fn an_allowed_text_does_the_same_through_the_guard() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let rows = rows("benign.jsonl");
    let view = View::new("oracle", Bins::Shells, &names(&rows, "expect_with"));
    let scenes: Vec<Scene> = rows.iter().map(|r| Scene::new(&view, r)).collect();
    let lanes = 2;
    for accept in ["strict", "checked"] {
        let exec = json!({"shell": {"accept": accept}});
        let homes: Vec<_> = scenes
            .iter()
            .zip(&rows)
            .map(|(s, r)| s.documents(&view, accept, &r["expect_with"]["allowlist"], &exec))
            .collect();
        let checks: Vec<Value> = scenes.iter().zip(&homes).map(|(s, h)| s.check("check", h)).collect();
        let checks = view.run(&checks, lanes);
        let allowed: Vec<_> = scenes
            .iter()
            .zip(&homes)
            .zip(&rows)
            .filter(|((s, _), _)| verdict(&checks[&format!("{} check", s.id)]).is_ok_and(|v| v.0 == "allow"))
            .collect();
        assert!(allowed.len() > rows.len() / 4, "{} of {} rows are allowed", allowed.len(), rows.len());
        let mut bad = Vec::new();
        for reply in ["drain 0\nout\n", "drain 1\n"] {
            view.reply(lanes, reply);
            let mut left: Vec<_> = allowed.iter().map(|a| (a, Vec::new(), Vec::new())).collect();
            // Members of a pipeline race (a shell's own `true` reads nothing, and ends what writes to it by SIGPIPE),
            // without the guard as with it. What differs is run again; what none of the runs without the guard did is
            // a difference.
            for attempt in 1..=ATTEMPTS {
                let plain: Vec<Value> =
                    left.iter().filter_map(|(((s, _), _), ..)| s.plain("plain")).collect();
                let guarded: Vec<Value> =
                    left.iter().map(|(((s, h), _), ..)| s.execute("guarded", h)).collect();
                let plain = view.run(&plain, lanes);
                let guarded = view.run(&guarded, lanes);
                left.retain_mut(|(((s, _), r), without, with)| {
                    without.push(plain[&format!("{} plain", s.id)].clone());
                    with.push(guarded[&format!("{} guarded", s.id)].clone());
                    let text = r["command"].as_str().expect("command");
                    let same = without.iter().any(|p| with.iter().any(|g| difference(text, p, g).is_none()));
                    if same {
                        return false;
                    }
                    let again = text.contains('|') && attempt < ATTEMPTS;
                    if !again && let (Some(p), Some(g)) = (without.last(), with.last()) {
                        let what = difference(text, p, g).unwrap_or_default();
                        bad.push(format!("{} {accept} {what}: {text:?}", s.id));
                    }
                    again
                });
            }
        }
        println!("{accept}: {} allowed texts compared", allowed.len());
        assert!(bad.is_empty(), "{} differences:\n{}", bad.len(), listed(&bad));
    }
}
