//! The manual pages hold tables that come from the sources. This test holds the pages to them, and writes them anew
//! with `BLESS=1 cargo test -p exec-guardctl manual`.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use policy::Reason;
use policy::document::PRESETS;
use policy::document::keys::{self, Shape};
use policy::shell::construct::{Construct, Treatment};
use policy::tables::{builtins, hazards, safe_bins};

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/man").join(name)
}

/// Text as mdoc(7) wants it on a line of its own.
fn text(words: &str) -> String {
    let words = words.replace('\\', "\\e").replace('`', "").replace(" --", " \\-\\-").replace(" -", " \\-");
    let mut out = String::new();
    let mut column = 0;
    for word in words.split(' ') {
        if column > 0 && column + word.chars().count() > 76 {
            out.push('\n');
            column = 0;
        }
        if column == 0 && word.starts_with(['.', '\'']) {
            out.push_str("\\&");
        }
        if column > 0 {
            out.push(' ');
        }
        out.push_str(word);
        column += word.chars().count() + 1;
    }
    out.replace('–', "\\(en").replace('…', "...")
}

/// An argument of a macro: what would be punctuation or a macro is neither.
fn arg(word: &str) -> String {
    let word = word.replace('\\', "\\e").replace('"', "\\(dq").replace('-', "\\-").replace('…', "...");
    format!("\"{}\"", word.replace('`', ""))
}

fn reasons() -> String {
    let mut out = String::from(".Bl -tag -width Ds -compact\n");
    for r in Reason::ALL {
        let _ = writeln!(out, ".It Li {}\n{}", r.code(), text(r.meaning()));
        if !r.advice().is_empty() {
            let _ = writeln!(out, ".br\n{}", text(&format!("Advice: {}", r.advice())));
        }
    }
    out + ".El\n"
}

fn constructs() -> String {
    // The column of names stands last: nothing stands behind it that a long one could run into.
    let mut out = String::from(".Bl -column \"strict\" \"checked\" \"construct\"\n");
    out.push_str(".It Em strict Ta Em checked Ta Em construct\n");
    let word = |t| if t == Treatment::Judge { "judge" } else { "ask" };
    for c in Construct::ALL {
        let _ = writeln!(out, ".It {} Ta {} Ta {}", word(c.strict()), word(c.checked()), arg(c.name()));
    }
    out + ".El\n"
}

fn hazard_list() -> String {
    let mut out = String::from(".Bl -tag -width Ds\n");
    for c in hazards::Category::ALL {
        let what = match c {
            hazards::Category::RunsProgram => "an option that runs another program",
            hazards::Category::InlineCode => "code on the command line of an interpreter",
            hazards::Category::LoadsCode => "code loaded from a file or folder that the command names",
            hazards::Category::WritesFile => "a file overwritten or created where the name does not say so",
            hazards::Category::Deletes => "files deleted where the name does not say so",
            hazards::Category::Uploads => "a file sent away",
        };
        let _ = writeln!(out, ".It Li {}\n{what}", c.word());
    }
    out + ".El\n"
}

/// Every key with its strict direction. What stands more than once (an agent's scope, the entries of each list)
/// is listed once; the page says so.
fn key_list() -> String {
    let mut out = String::new();
    let mut file = "";
    for (pointer, key) in keys::all() {
        let (document, path) = pointer.split_once(":/").unwrap();
        let again = (document == "exec-approvals.json" && path.starts_with("agents/*/"))
            || path.contains("list/-/")
            || path.starts_with("agents/*/tools/");
        if again {
            continue;
        }
        if document != file {
            if !file.is_empty() {
                out.push_str(".El\n");
            }
            let _ = write!(out, ".Ss Keys of {document}\n.Bl -tag -width Ds -compact\n");
            file = if document == "config.json" { "config.json" } else { "exec-approvals.json" };
        }
        let strict = key.strict.words();
        let words = words(&key.shape);
        let _ = writeln!(out, ".It Li {}", arg(&path.replace('/', ".")));
        let mut line = key.text.to_owned();
        if !words.is_empty() {
            line.push_str(&format!(": {}", words.join(", ")));
        }
        if !strict.is_empty() {
            line.push_str(&format!(" [stricter: {strict}]"));
        }
        let _ = writeln!(out, "{}", text(&line));
    }
    out + ".El\n"
}

/// The words a key takes.
fn words(shape: &Shape) -> &'static [&'static str] {
    match shape {
        Shape::Word(words) => words,
        Shape::Map(inner) | Shape::List(inner) => words(inner),
        _ => &[],
    }
}

fn presets() -> String {
    let mut out = String::from(".Bl -tag -width Ds\n");
    for p in PRESETS {
        let _ = writeln!(out, ".It Li {}\n{}", p.name, text(p.text));
    }
    out + ".El\n"
}

/// Names in one sentence.
fn names(list: &[&str]) -> String {
    let quoted: Vec<String> = list.iter().map(|n| arg(n)).collect();
    format!(".Li {}\n", quoted.join(" , "))
}

/// Puts the tables between their markers.
fn filled(page: &str, tables: &[(&str, String)]) -> String {
    let mut out = page.to_owned();
    for (name, table) in tables {
        let (begin, end) = (format!(".\\\" BEGIN {name}\n"), format!(".\\\" END {name}\n"));
        let from = out.find(&begin).unwrap_or_else(|| panic!("no BEGIN {name}")) + begin.len();
        let to = out.find(&end).unwrap_or_else(|| panic!("no END {name}"));
        out.replace_range(from..to, table);
    }
    out
}

#[track_caller]
fn check(name: &str, tables: &[(&str, String)]) {
    let path = page(name);
    let old = std::fs::read_to_string(&path).unwrap();
    let new = filled(&old, tables);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &new).unwrap();
    } else {
        let differs = old.lines().zip(new.lines()).find(|(o, n)| o != n);
        assert!(
            old == new,
            "{name} is out of date ({differs:?}): BLESS=1 cargo test -p exec-guardctl manual"
        );
    }
}

#[test]
fn exec_guard_1() {
    check("exec-guard.1", &[("reasons", reasons())]);
}

#[test]
fn exec_guard_policy_5() {
    check(
        "exec-guard.policy.5",
        &[
            ("keys", key_list()),
            ("constructs", constructs()),
            ("builtins", names(builtins::FREE)),
            ("safebins", names(safe_bins::DEFAULT)),
            ("hazards", hazard_list()),
            ("presets", presets()),
        ],
    );
}

#[test]
fn pages_are_sound() {
    let mut run = std::process::Command::new("mandoc");
    run.args(["-Tlint", "-Wwarning"])
        .args(["exec-guard.1", "exec-guardctl.1", "exec-guard.policy.5"].map(page));
    match run.output() {
        Ok(out) => {
            let said = String::from_utf8_lossy(&out.stdout);
            let faults: Vec<&str> =
                said.lines().filter(|l| !l.contains("referenced manual not found")).collect();
            assert!(faults.is_empty(), "{faults:#?}");
        }
        Err(e) => {
            assert!(std::env::var_os("CI").is_none_or(|v| v == "false"), "mandoc: {e}");
            eprintln!("SKIPPED: mandoc: {e}");
        }
    }
}
