//! The rules of the house, held by reading the sources.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::stage::programs::repository;
use crate::stage::{cannot, programs};

/// Crates of programs and libraries, without the tests.
const CRATES: &[&str] = &["policy", "protocol", "sys", "store", "tools", "shim", "installer", "approver"];

/// Every file below a folder of the repository that could be under version control.
fn files(below: &str) -> Vec<PathBuf> {
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if name == ".git" {
                continue;
            }
            if path.is_dir() {
                if !["target", "node_modules", "dist", "corpus", "artifacts"].iter().any(|d| name == *d) {
                    walk(&path, out);
                }
            } else {
                out.push(path);
            }
        }
    }
    let mut out = Vec::new();
    walk(&repository().join(below), &mut out);
    out.sort();
    out
}

fn sources(below: &str) -> Vec<PathBuf> {
    files(below).into_iter().filter(|f| f.extension().is_some_and(|e| e == "rs")).collect()
}

/// Code without its line comments; what stands in strings stays. Nothing of a file that is all tests.
fn code(path: &Path) -> String {
    let shown = path.to_string_lossy();
    // Test modules beside the code they test: `tests.rs`, `x_tests.rs`, and the rooms below `tests/`.
    let tests = shown.ends_with("tests.rs") || shown.contains("/tests/");
    if tests && !path.starts_with(repository().join("tests")) {
        return String::new();
    }
    let text = fs::read_to_string(path).expect("a source");
    text.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Lines of the code outside its test module.
fn code_without_tests(path: &Path) -> String {
    let code = code(path);
    code.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(repository()).unwrap_or(path).display().to_string()
}

/// True if `word` stands in `text` as a word of its own.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(i, _)| !part(text[..i].chars().next_back()) && !part(text[i + word.len()..].chars().next()))
}

/// Every source of the crates whose code matches, by the sentence that forbids it.
#[track_caller]
fn none(crates: &[&str], rule: &str, breaks: impl Fn(&Path, &str) -> bool) {
    let mut bad = Vec::new();
    for c in crates {
        for f in sources(&format!("{c}/src")) {
            if breaks(&f, &code_without_tests(&f)) {
                bad.push(shown(&f));
            }
        }
    }
    assert!(bad.is_empty(), "{rule}: {bad:?}");
}

#[test]
fn only_sys_speaks_to_the_kernel() {
    let others: Vec<&str> = CRATES.iter().copied().filter(|c| *c != "sys").collect();
    none(&others, "unsafe code belongs in sys/", |_, code| {
        ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "#[unsafe("]
            .iter()
            .any(|w| code.contains(w))
    });
    none(&others, "libc and nix are named in sys/ only", |_, code| {
        // `unix::` is not `nix::`.
        let used = |w: &str| {
            has_word(code, w) && (code.contains(&format!("{w}::")) || code.contains(&format!("use {w};")))
        };
        ["libc", "nix", "rustix", "landlock", "seccompiler"].into_iter().any(used)
    });
    // The stage's props may use the safe half of nix, and start at the C main.
    let props: BTreeSet<&str> = BTreeSet::from(["tests/props/witness.rs", "tests/props/launch.rs"]);
    for f in sources("tests") {
        let name = shown(&f);
        let code = code(&f);
        let writes = code
            .lines()
            .any(|l| l.trim_start().starts_with("#[unsafe(") || l.trim_start().starts_with("unsafe {"));
        assert!(!writes || props.contains(name.as_str()), "unsafe code in {name}");
    }
    for c in &others {
        let manifest = fs::read_to_string(repository().join(c).join("Cargo.toml")).unwrap_or_default();
        assert!(
            manifest.is_empty() || manifest.contains("[lints]\nworkspace = true"),
            "{c} forbids unsafe code"
        );
    }
}

#[test]
fn every_unsafe_block_says_why() {
    for f in sources("sys") {
        let text = fs::read_to_string(&f).expect("a source");
        let lines: Vec<&str> = text.lines().collect();
        for (i, l) in lines.iter().enumerate() {
            if l.trim_start().starts_with("//") || !l.contains("unsafe {") {
                continue;
            }
            let near = lines[i.saturating_sub(6)..=i].iter().any(|l| l.contains("SAFETY:"));
            assert!(near, "{}:{}: no SAFETY reason", shown(&f), i + 1);
        }
    }
}

/// What a document leads to is there.
#[test]
fn links_of_documents_lead_somewhere() {
    let mut bad = Vec::new();
    for f in files("").into_iter().filter(|f| f.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(&f).expect("text");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap_or_default();
            if path.is_empty() || path.contains("://") || path.contains(char::is_whitespace) {
                continue;
            }
            if !f.parent().expect("a folder").join(path).exists() {
                bad.push(format!("{}: {target}", shown(&f)));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn policy_is_pure() {
    none(&["policy"], "policy/ opens nothing, reads no clock and no environment", |_, code| {
        ["fs", "env", "process", "net", "time", "thread", "os"]
            .iter()
            .any(|m| code.contains(&format!("std::{m}::")) || code.contains(&format!("use std::{m};")))
    });
    none(&["policy", "protocol"], "policy/ and protocol/ never print", |_, code| {
        ["println!", "eprintln!", "print!", "eprint!"]
            .iter()
            .any(|m| has_word(code, m.trim_end_matches('!')) && code.contains(m))
    });
}

#[test]
fn nothing_turns_an_error_into_allow() {
    none(CRATES, "no default verdict", |_, code| {
        let flat: String = code.split_whitespace().collect::<Vec<_>>().join(" ");
        flat.contains("impl Default for Decision")
            || flat.contains("unwrap_or(Decision::Allow)")
            || flat.contains("unwrap_or(Allow)")
            || flat.contains("unwrap_or_else(|_| Decision::Allow)")
            || (flat.contains("enum Decision")
                && flat
                    .split("enum Decision")
                    .next()
                    .is_some_and(|b| b.rsplit("#[derive(").next().is_some_and(|d| d.contains("Default"))))
    });
}

#[test]
fn arguments_and_environment_are_bytes() {
    none(
        &["shim", "sys", "installer", "approver"],
        "argv and environment are bytes, never String",
        |_, code| ["env::args()", "env::vars()"].iter().any(|w| code.contains(w)),
    );
}

#[test]
fn the_guard_starts_no_process_and_no_thread() {
    none(&["shim"], "shim/ starts no process and no thread", |_, code| {
        ["process::Command", "Command::new", "thread::spawn", "thread::Builder"]
            .iter()
            .any(|w| code.contains(w))
    });
    none(&["shim"], "say.rs is the only writer to stderr", |f, code| {
        f.file_name().is_some_and(|n| n != "say.rs")
            && ["eprintln!", "eprint!", "io::stderr"].iter().any(|w| code.contains(w))
    });
}

#[test]
fn no_test_is_switched_off() {
    let off = format!("#[{}", "ignore");
    for f in sources("") {
        let code = code(&f);
        assert!(
            !code.lines().any(|l| l.trim_start().starts_with(&off)),
            "a test is switched off in {}",
            shown(&f)
        );
    }
}

#[test]
fn no_machine_of_a_developer_is_named() {
    let own = repository();
    let mut marks = vec![format!("{}/", own.display())];
    let common = ["/", "/tmp", "/var/tmp", "/home", "/root", "/opt", "/srv", "/usr/src", "/builds"];
    if let Some(parent) = own.parent().filter(|p| !common.iter().any(|c| *p == Path::new(c))) {
        marks.push(format!("{}/", parent.display()));
    }
    for f in files("") {
        let Ok(text) = fs::read_to_string(&f) else { continue };
        for m in &marks {
            // `$STAGE/work/x` is a path below something else.
            let below = |at: usize| text[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.}".contains(c));
            let named = text.match_indices(m.as_str()).any(|(at, _)| !below(at));
            assert!(!named, "{} names {m}", shown(&f));
        }
    }
}

/// A page of the manual as it is read.
fn manual(name: &str) -> Option<String> {
    let out = Command::new("mandoc")
        .args(["-Tascii", "-Owidth=200"])
        .arg(repository().join("docs/man").join(name))
        .output();
    match out {
        // Bold and underlined letters are a letter, a backspace and the letter.
        Ok(out) if out.status.success() => {
            let text = String::from_utf8(out.stdout).expect("ASCII");
            let mut page = String::new();
            for c in text.chars() {
                if c == '\u{8}' {
                    page.pop();
                } else {
                    page.push(c);
                }
            }
            Some(page)
        }
        other => {
            cannot(&format!("docs/man/{name}: {other:?}"));
            None
        }
    }
}

#[test]
fn every_reason_is_in_the_manual() {
    let Some(manual) = manual("exec-guard.1") else { return };
    let source = fs::read_to_string(repository().join("policy/src/reason.rs")).expect("reasons");
    // `Variant "code" "meaning" "advice";`
    let codes: Vec<&str> = source
        .lines()
        .filter_map(|l| {
            let l = l.trim_start();
            let (variant, rest) = l.split_once(" \"")?;
            let single = variant.bytes().all(|b| b.is_ascii_alphanumeric()) && l.ends_with(';');
            single.then(|| rest.split('"').next()).flatten()
        })
        .collect();
    assert!(codes.len() > 30, "the reasons were found: {codes:?}");
    let missing: Vec<&&str> = codes
        .iter()
        .filter(|c| !manual.lines().any(|l| l.trim_start().split("  ").next() == Some(c)))
        .collect();
    assert!(missing.is_empty(), "reasons the manual does not name: {missing:?}");
}

/// Long options that a program's help names.
fn flags(program: &Path, words: &[&str]) -> BTreeSet<String> {
    let out = Command::new(program).args(words).output().expect("help");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|w| w.len() > 3 && w.starts_with("--") && w.as_bytes()[2] != b'-')
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_flag_is_in_the_manual() {
    let guard: &[&[&str]] = &[&["--help"]];
    let ctl: &[&[&str]] = &[
        &["--help"],
        &["init", "--help"],
        &["approvals", "get", "--help"],
        &["approvals", "set", "--help"],
        &["approvals", "allowlist", "add", "--help"],
        &["approvals", "allowlist", "remove", "--help"],
        &["approvals", "pending", "--help"],
        &["approvals", "resolve", "--help"],
        &["approvals", "watch", "--help"],
        &["approver", "start", "--help"],
        &["approver", "status", "--help"],
        &["panel", "--help"],
        &["session", "set", "--help"],
        &["session", "clear", "--help"],
        &["tool", "--help"],
        &["owners", "list", "--help"],
        &["runs", "list", "--help"],
        &["runs", "show", "--help"],
        &["runs", "logs", "--help"],
        &["log", "show", "--help"],
        &["log", "verify", "--help"],
        &["log", "export", "--help"],
        &["log", "seal", "--help"],
        &["explain", "--help"],
        &["policy", "test", "--help"],
        &["policy", "replay", "--help"],
        &["friction", "--help"],
    ];
    let approver: &[&[&str]] = &[&["--help"]];
    for (program, page, helps) in [
        (&programs().guard, "exec-guard.1", guard),
        (&programs().ctl, "exec-guardctl.1", ctl),
        (&programs().approver, "exec-guard-approver.8", approver),
    ] {
        if flags(program, &["--help"]).is_empty() {
            eprintln!("SKIPPED: {} is not there yet", program.display());
            continue;
        }
        let Some(manual) = manual(page) else { continue };
        for words in helps {
            let flags = flags(program, words);
            assert!(flags.contains("--help"), "{words:?} names its options: {flags:?}");
            let missing: Vec<&String> = flags.iter().filter(|f| !manual.contains(f.as_str())).collect();
            assert!(missing.is_empty(), "{page} does not name {missing:?}");
        }
    }
}

#[test]
fn dependencies_equal_the_ledger() {
    let Ok(ledger) = fs::read_to_string(repository().join("docs/dependencies.md")) else {
        eprintln!("SKIPPED: docs/dependencies.md is not written yet");
        return;
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let out = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--locked", "--offline"])
        .current_dir(repository())
        .output()
        .expect("cargo");
    let meta: Value = serde_json::from_slice(&out.stdout).expect("metadata");
    let mut used = BTreeSet::new();
    for p in meta["packages"].as_array().expect("packages") {
        for d in p["dependencies"].as_array().expect("dependencies") {
            let name = d["name"].as_str().expect("a name");
            if !name.starts_with("exec-guard") {
                used.insert(name.to_owned());
            }
        }
    }
    // A row: | `crate` | why | where | …
    let listed: BTreeSet<String> = ledger
        .lines()
        .filter_map(|l| l.strip_prefix("| `")?.split_once('`').map(|n| n.0.to_owned()))
        .collect();
    let missing: Vec<_> = used.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&used).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "not in the ledger: {missing:?}; no longer used: {stale:?}"
    );
}

#[test]
fn every_row_of_the_attack_register_has_its_test() {
    let Ok(register) = fs::read_to_string(repository().join("docs/attacks.md")) else {
        eprintln!("SKIPPED: docs/attacks.md is not written yet");
        return;
    };
    let mut tests = BTreeSet::new();
    for f in sources("") {
        let text = fs::read_to_string(&f).expect("a source");
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for (i, l) in lines.iter().enumerate() {
            let Some(name) = l.strip_prefix("fn ").and_then(|l| l.split('(').next()) else { continue };
            if lines[i.saturating_sub(3)..i].iter().any(|l| l.starts_with("#[test]")) {
                tests.insert(name.to_owned());
            }
        }
    }
    // A row: | trick | what stops it | `file::test`, `file::test` |
    let mut rows = 0;
    for l in register
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| trick") && !l.starts_with("| ---"))
    {
        rows += 1;
        let last = l.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
        let named: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test: {l}");
        for n in named {
            let name = n.rsplit("::").next().unwrap_or(n);
            assert!(tests.contains(name), "no test is called {name}: {l}");
        }
    }
    assert!(rows > 10, "the register has rows");
}
