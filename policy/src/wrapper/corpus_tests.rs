//! The wrapper rows of the corpora: a peer's cases, with a word wherever the outcome differs, and attacks.
use serde_json::Value;

use super::tests::{summary, words};
use super::*;

fn corpus(name: &str) -> Vec<Value> {
    let path = format!("{}/../tests/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|l| !l.trim().is_empty()).map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn strings(v: &Value) -> Vec<String> {
    v.as_array().map(|a| a.iter().map(|s| s.as_str().unwrap().to_owned()).collect()).unwrap_or_default()
}

fn of_argv(argv: &[String]) -> Peel {
    let args: Vec<Arg> = argv.iter().skip(1).map(Arg::lit).collect();
    let name = argv[0].as_bytes();
    peel(&[name], name, &args, &[])
}

/// The first command inside, as literal words.
fn inner_argv(peel: &Peel) -> Option<Vec<String>> {
    let Peel::Carries(c) = peel else { return None };
    match c.inner.first()? {
        Inner::Argv { words, .. } | Inner::Elsewhere { words, .. } => {
            Some(words.iter().map(|w| String::from_utf8_lossy(w.shown()).into_owned()).collect())
        }
        _ => None,
    }
}

/// Peels to the bottom: the last outcome, and how many layers were taken off.
fn bottom(argv: &[String]) -> (Peel, usize) {
    let (mut argv, mut layers) = (argv.to_vec(), 0);
    loop {
        let peel = of_argv(&argv);
        match inner_argv(&peel) {
            Some(inner) if layers < 8 => {
                argv = inner;
                layers += 1;
            }
            _ => return (peel, layers),
        }
    }
}

/// The shell text at the bottom.
fn payload(argv: &[String]) -> Option<String> {
    let Peel::Carries(c) = bottom(argv).0 else { return None };
    match c.inner.first()? {
        Inner::Text { text: Some(text), .. } => Some(String::from_utf8_lossy(text).into_owned()),
        _ => None,
    }
}

/// Rows whose outcome is not the peer's, with the reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("dispatch-016", "arch -e sets variables: refused here too, as a carrier"),
    ("dispatch-019", "arch names an architecture: a carrier with its own entry"),
    ("dispatch-021", "doas: privileged, own entry and inner command"),
    ("dispatch-022", "ionice: modelled, so transparent"),
    ("dispatch-035", "env --block-signal changes signals only: transparent"),
    ("dispatch-040", "env with assignments alone prints: an ordinary program"),
    ("dispatch-047", "nohup --help prints: an ordinary program"),
    ("dispatch-048", "stdbuf with an attached value is as good as with a separate one"),
    ("dispatch-054", "timeout without a command: an ordinary program"),
    ("dispatch-061", "flock -c before the file is an unknown option"),
    ("dispatch-062", "setsid: modelled, so transparent"),
    ("dispatch-086", "busybox is a multi-call program"),
    ("dispatch-089", "builtin is a wrapper"),
    ("inline-142", "fish is another language: refused, no text"),
    ("inline-134", "PowerShell is another language: refused, no text"),
    ("inline-144", "PowerShell is another language: refused, no text"),
    ("inline-146", "the same text, under a privileged multi-call program"),
    ("inline-154", "bash ends its options at --; the text is ls"),
    ("inline-161", "what follows a script is its arguments"),
    ("inline-163", "bash reads -cls as the letters c, l and s: stricter than a text"),
    ("inline-168", "fish is another language: refused, no text"),
    ("inline-177", "PowerShell is another language: refused, no text"),
    ("pkgmgr-npx_-c_tsx-a-ts", "the text of npx -c is judged as a text"),
];

fn differs(id: &str) -> bool {
    DIFFERENT.iter().any(|(d, _)| *d == id)
}

/// True if nothing satisfies it but its inner command or less: at least as strict as the peer's *blocked*.
fn strict(peel: &Peel) -> bool {
    match peel {
        Peel::Refused { .. } => true,
        Peel::Carries(c) => c.class > Class::Transparent,
        Peel::Empty | Peel::No => false,
    }
}

#[test]
fn a_peers_wrapper_cases() {
    let rows = corpus("openclaw-cases.jsonl");
    let mut seen = 0;
    let mut wrong = Vec::new();
    for row in rows.iter().filter(|r| r["kind"] == "wrapper") {
        let id = row["id"].as_str().unwrap();
        let argv = strings(&row["argv"]);
        let want = &row["expect"];
        let family = id.split('-').next().unwrap();
        if argv.is_empty() || differs(id) {
            continue;
        }
        let got = of_argv(&argv);
        let ok = match family {
            // What their newest build does not know is an ordinary program or stricter here.
            "dispatch" if want["kind"] == "not-wrapper" => {
                strict(&got) || matches!(got, Peel::No | Peel::Empty)
            }
            "dispatch" | "multiplex" if want["kind"] == "blocked" => strict(&got) || got == Peel::Empty,
            "dispatch" if want["kind"] == "unwrapped" => inner_argv(&got) == Some(strings(&want["argv"])),
            // A wrapper without a command is still known as one.
            "class" | "classx" => {
                let name = argv[0].as_bytes();
                let known = want["dispatchWrapper"] == true || want["shellWrapper"] == true;
                let shell = want["shellWrapper"] == true || row["eras"]["now"]["shellWrapper"] == true;
                (!known || class_of(&[name]).is_some()) && (!shell || is_shell(name, &[]))
            }
            "envparse" => match want["inner"].as_array() {
                Some(_) => inner_argv(&got) == Some(strings(&want["inner"])),
                None => matches!(got, Peel::Refused { .. }),
            },
            "envkeys" => {
                let mut keys: Vec<String> = match &got {
                    Peel::Carries(c) => {
                        c.assignments.iter().map(|(n, _)| String::from_utf8_lossy(n).into_owned()).collect()
                    }
                    _ => Vec::new(),
                };
                keys.sort();
                keys == strings(&want["assignedKeys"])
            }
            "envbefore" => {
                let assigned = matches!(&got, Peel::Carries(c) if !c.assignments.is_empty());
                assigned == (want["envManipulated"] == true)
            }
            "inline" => match want["payload"].as_str() {
                Some(text) => payload(&argv).as_deref() == Some(text),
                None => payload(&argv).is_none(),
            },
            "pkgmgr" => match want.as_array() {
                Some(_) => inner_argv(&got) == Some(strings(want)),
                None => got == Peel::No,
            },
            "plan" => match want["policyBlocked"] == true {
                // Depth is capped by the evaluator, assignments are judged by its environment rule.
                true => matches!(bottom(&argv).1, 1..),
                false => {
                    let (_, layers) = bottom(&argv);
                    let chain = want["wrapperChain"].as_array().map_or(0, Vec::len);
                    layers >= chain
                }
            },
            _ => continue,
        };
        seen += 1;
        if !ok {
            wrong.push(format!("{id} {argv:?}\n   want {want}\n   got  {}", summary(&got)));
        }
    }
    assert!(seen > 20, "the corpus was read: {seen}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Where we differ we are not laxer by accident: each such row still gives what its note says.
#[test]
fn differences_from_the_peer() {
    for (id, want) in [
        ("env --block-signal ls", "T [ls]"),
        ("stdbuf -oL ls", "T [ls]"),
        ("bash -c -- ls", "T bash:'ls'"),
        ("bash -cls", "refused"),
        ("fish -c 'echo hi'", "refused"),
        ("pwsh -Command Get-Date", "refused"),
        ("flock -c ls /tmp/l", "refused"),
        ("doas bash -lc 'echo hi'", "P [bash -lc echo hi]"),
    ] {
        let args = words(id);
        let name = args[0].shown().to_vec();
        assert_eq!(summary(&peel(&[&name], &name, &args[1..], &[])), want, "{id}");
    }
}

/// Splits at `;`, `|` and `&&` outside quotes: enough for the attacks of these classes.
fn commands(line: &str) -> Vec<String> {
    let (mut out, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', q) if q != Some('\'') => {
                word.push(c);
                word.extend(chars.next());
                continue;
            }
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(q)) if c == q => quote = None,
            (';' | '|' | '\n', None) => {
                out.push(std::mem::take(&mut word));
                continue;
            }
            ('&', None) if chars.peek() == Some(&'&') => {
                chars.next();
                out.push(std::mem::take(&mut word));
                continue;
            }
            _ => {}
        }
        word.push(c);
    }
    out.push(word);
    out.retain(|w| !w.trim().is_empty());
    out
}

/// Every attack through a wrapper or a shell is seen for what it is: something is carried, or nothing judged.
#[test]
fn attacks_through_wrappers_and_shells() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in corpus("attacks.jsonl") {
        let class = row["class"].as_str().unwrap();
        if !matches!(class, "wrapper" | "shell-interpreter") {
            continue;
        }
        seen += 1;
        let peels: Vec<Peel> = match row["command"].as_str() {
            Some(line) => commands(line)
                .iter()
                .map(|c| {
                    let args = words(c);
                    let name = args[0].shown().to_vec();
                    peel(&[&name], &name, &args[1..], &[])
                })
                .collect(),
            None => vec![of_argv(&strings(&row["argv"]))],
        };
        if !peels.iter().any(|p| matches!(p, Peel::Carries(_) | Peel::Refused { .. })) {
            let shown: Vec<String> = peels.iter().map(summary).collect();
            wrong.push(format!("{} {} {}: {shown:?}", row["id"], row["command"], row["argv"]));
        }
    }
    assert!(seen > 20, "the corpus was read: {seen}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
