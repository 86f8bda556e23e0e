//! A peer's cases (OpenClaw's own tests and measured outcomes), as far as they map on ours.
//!
//! Each kind of row is turned into a policy and an invocation and judged by the library. Where we decide
//! otherwise, [`DIFFERENT`] says why in a word; a difference without a word fails, and so does a word without a
//! difference.
use crate::stage::listed;
use std::collections::BTreeMap;

use policy::document::{Effective, Entry, SafeBinProfile, Security};
use policy::{Decision, Evaluation, FakeWorld, Form, Guard, Invocation, Reason, decide_as};
use serde_json::Value;

use crate::stage::corpus::rows;

/// Why we decide otherwise, and where.
const DIFFERENT: &[(&str, &[&str])] = &[
    // Looser than they are.
    (
        "a wrapper is judged by what it carries",
        &[
            "eval-bash-lc",
            "eval-sh-c",
            "eval-sh-c-chain",
            "eval-command-builtin",
            "eval-env-plain",
            "eval-exec-builtin",
            "eval-nohup",
            "eval-timeout",
        ],
    ),
    ("a comment is none of the commands", &["eval-comment"]),
    ("a newline and a trailing `;` separate commands", &["eval-newline-both", "eval-semicolon-trailing"]),
    ("/bin is a link to /usr/bin: both spellings are one place", &["eval-usrbin-pattern-bin-cmd"]),
    ("an awk program is judged by what it does", &["eval-inline-195", "eval-inline-196", "eval-inline-251"]),
    ("a pattern that is the path itself matches it", &["glob-021"]),
    ("braces in a pattern are alternatives", &["glob-039"]),
    (
        "the profile knows what each option does; theirs knows those with a value",
        &[
            "sbv-grep-158",
            "sbv-head-115",
            "sbv-head-117",
            "sbv-jq-172",
            "sbv-sort-165",
            "sbv-tr-145",
            "sbv-uniq-135",
            "sbv-wc-147",
            "sbv-wc-152",
        ],
    ),
    ("the value of -e is a pattern, never a file", &["sbv-grep-163"]),
    ("a jq program is read, not searched", &["sbv-jq-181"]),
    // Stricter than they are.
    ("a variable that is not known to be inert asks", &["env-foo"]),
    ("no file of that name", &["eval-case"]),
    ("text that the shell would not parse", &["eval-empty-stage", "table-allowlist-off-unparsable-durable"]),
    ("what a carrier carries is judged too", &["eval-find-exec-escaped", "eval-xargs", "eval-inline-217"]),
    ("an entry for a shell says nothing about what it is told", &["eval-sh-allowlisted"]),
    ("a name without a profile is no safe bin", &["eval-unprofiled-safebin"]),
    (
        "code from a file that is named by an option, or one more way to name code",
        &[
            "eval-inline-215",
            "eval-inline-220",
            "eval-inline-222",
            "eval-inline-226",
            "eval-inline-229",
            "eval-inline-232",
            "eval-inline-234",
            "eval-inline-237",
            "eval-inline-240",
            "eval-inline-242",
            "eval-inline-243",
            "eval-inline-244",
            "eval-inline-246",
            "eval-inline-247",
            "eval-inline-250",
            "eval-inline-253",
            "eval-inline-260",
            "eval-inline-263",
            "eval-inline-264",
        ],
    ),
    (
        "an interpreter without a script reads code from its input",
        &["eval-inline-224", "glob-022", "glob-023"],
    ),
    ("`?` never matches a slash", &["glob-004"]),
    ("blanks belong to the path", &["glob-035"]),
    ("`~` alone names a folder", &["glob-045"]),
    ("a module can be any file", &["sbv-jq-175"]),
    ("an option that waits for a process", &["sbv-tail-123"]),
];

/// Families of rows that are not judged here: kind and begin of the id (empty = all others of the kind), and why. The
/// last that fits counts.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("parse", "", "compared below, command by command"),
    ("schema", "", "documents: exec-guard-policy's openclaw_documents"),
    ("decision", "minsec", "documents: exec-guard-policy's openclaw_documents"),
    ("decision", "maxask", "documents: exec-guard-policy's openclaw_documents"),
    ("decision", "fallback", "documents: exec-guard-policy's openclaw_documents"),
    ("cli", "", "commands of their chat"),
    ("persist", "", "what an answer stores: ours is narrower by design, see exec-guard-policy's learn"),
    ("decision", "ask", "one cell of their table, as a yes or no"),
    ("decision", "bind", "their plan binds a script by its hash; ours is judged as a program of its own"),
    ("decision", "nobind", "their plan binds a script by its hash"),
    ("decision", "unbindable", "their plan binds a script by its hash"),
    ("decision", "flow", "what became of an answer"),
    ("decision", "invoke", "what their node host executes after an answer"),
    ("decision", "node", "events of their node host"),
    ("decision", "skill", "their list of skills has another form"),
    ("resolve", "", "made of files that a fixture brings; resolution has tests of its own"),
    ("glob", "argv", "the hash of one exact call: no such pattern here"),
    ("glob", "glob", "no file is resolved in them: nothing that could be judged"),
    ("safebin", "", "Windows, or no verdict given"),
    ("wrapper", "", "what is inside, as words: exec-guard-policy's wrapper::corpus_tests"),
    ("wrapper", "display", "what a person is shown: the terminal's tests"),
    ("wrapper", "norm", "Windows"),
];

/// Why a row is not judged here.
fn elsewhere(row: &Value) -> Option<&'static str> {
    let config = &row["config"];
    if config["platform"] == "win32" || config["note_platform"] == "win32" {
        return Some("Windows");
    }
    let fits =
        |(kind, begin, _): &&(&str, &str, &str)| row["kind"] == *kind && text(&row["id"]).starts_with(begin);
    ELSEWHERE.iter().rev().find(fits).map(|(.., why)| *why)
}

fn text(v: &Value) -> &str {
    v.as_str().unwrap_or_default()
}

fn words(v: &Value) -> Vec<Vec<u8>> {
    v.as_array().into_iter().flatten().map(|w| text(w).as_bytes().to_vec()).collect()
}

/// Programs of a usual machine. `/bin` is a link, as on a merged system.
fn machine() -> FakeWorld {
    let names = [
        "awk",
        "bash",
        "busybox",
        "bun",
        "bunx",
        "cat",
        "chroot",
        "cp",
        "curl",
        "cut",
        "dash",
        "deno",
        "diff",
        "doas",
        "echo",
        "entr",
        "env",
        "fakeroot",
        "fd",
        "find",
        "firejail",
        "fish",
        "flock",
        "gawk",
        "git",
        "go",
        "grep",
        "head",
        "id",
        "ionice",
        "jq",
        "ksh",
        "ls",
        "ltrace",
        "lua",
        "make",
        "mawk",
        "nawk",
        "nice",
        "node",
        "nohup",
        "npm",
        "npx",
        "osascript",
        "parallel",
        "perl",
        "php",
        "pkexec",
        "pnpm",
        "printf",
        "pwsh",
        "python",
        "python2",
        "python3",
        "rg",
        "rm",
        "ruby",
        "runuser",
        "script",
        "sed",
        "setsid",
        "sort",
        "stdbuf",
        "strace",
        "su",
        "sudo",
        "systemd-run",
        "tail",
        "tee",
        "time",
        "timeout",
        "toybox",
        "tr",
        "tsx",
        "uniq",
        "unbuffer",
        "uv",
        "watch",
        "wc",
        "whoami",
        "xargs",
        "yarn",
        "zsh",
        "caffeinate",
        "arch",
        "sandbox-exec",
        "cpulimit",
        "nodejs",
        "pypy",
        "pypy3",
        "ash",
        "csh",
        "tcsh",
        "gsed",
        "Rscript",
        "elixir",
        "ghci",
        "tclsh",
        "wish",
        "julia",
    ];
    names
        .iter()
        .fold(FakeWorld::new(), |w, n| w.program(&format!("/usr/bin/{n}")))
        .link("/bin", "/usr/bin")
        .link("/usr/bin/sh", "/usr/bin/dash")
        .file("/tmp/x", b"")
}

fn allowlist() -> Effective {
    let mut e = Effective::built_in("main");
    e.security.value = Security::Allowlist;
    e.shell_program = "/usr/bin/bash".into();
    e
}

fn entry(v: &Value) -> Entry {
    Entry {
        pattern: v["pattern"].as_str().or(v.as_str()).unwrap_or_default().to_owned(),
        arg_pattern: v["argPattern"].as_str().map(str::to_owned),
        ..Entry::default()
    }
}

fn listing(e: &mut Effective, list: &Value) {
    let list: Vec<Entry> = list.as_array().into_iter().flatten().map(entry).collect();
    e.add_user_entries(&list);
}

fn judge(e: Effective, world: &FakeWorld, form: Form, path: &str, home: &str) -> Evaluation {
    let invocation = Invocation {
        form,
        env: vec![format!("PATH={path}").into_bytes(), format!("HOME={home}").into_bytes()],
        cwd: Some(b"/tmp".to_vec()),
        agents: vec!["main".into()],
        session: None,
        now_ms: 0,
        home: Some(home.as_bytes().to_vec()),
        unattended: true,
        guard: Guard::default(),
    };
    decide_as(e, &invocation, world)
}

const PATH: &str = "/usr/bin:/bin";

fn shell(text: &str) -> Form {
    Form::Text { text: text.as_bytes().to_vec(), shell: None, args: Vec::new() }
}

fn program(argv: Vec<Vec<u8>>) -> Form {
    Form::Program { argv, by_link: false }
}

/// Whether they let it pass, and whether we do; `None` where the row does not map.
fn outcome(row: &Value) -> Option<(bool, bool)> {
    let id = text(&row["id"]);
    let config = &row["config"];
    let expect = &row["expect"];
    let seed = &row["eras"]["seed"];
    if config["platform"] == "win32" || config["note_platform"] == "win32" {
        return None;
    }
    let kind = id.split('-').next().unwrap_or_default();
    let allows = |e: &Evaluation| e.decision == Decision::Allow;
    match (text(&row["kind"]), kind) {
        ("decision", "table") => table(config, expect),
        ("decision", "eval") => {
            let theirs = seed["allowlistSatisfied"].as_bool().or(expect["allowlistSatisfied"].as_bool())?;
            let mut e = allowlist();
            listing(&mut e, &config["allowlist"]);
            if let Some(bins) = config["safeBins"].as_array() {
                e.safe_bins = bins.iter().map(|b| text(b).to_owned()).collect();
            }
            Some((theirs, allows(&judge(e, &machine(), shell(text(&row["command"])), PATH, "/home/u"))))
        }
        ("decision", "env") => {
            let (name, value) = config["requestedEnv"].as_object()?.iter().next()?;
            let theirs = !expect["overrideBlocked"].as_bool()?;
            let mut e = allowlist();
            e.add_user_entries(&[entry(&"/usr/bin/git".into())]);
            let line = format!("env '{name}={}' git status", text(value));
            Some((theirs, allows(&judge(e, &machine(), shell(&line), PATH, "/home/u"))))
        }
        ("glob", "glob" | "argpat") => {
            let theirs = match seed.get("match").or(expect.get("match")) {
                Some(m) => !m.is_null(),
                None => expect["matched"].as_bool()?,
            };
            let resolved = text(&config["resolution"]["resolvedPath"]);
            let (folder, name) = resolved.rsplit_once('/')?;
            let mut argv = words(&row["argv"]);
            // What is typed decides only how it is found.
            argv[0] = if argv[0].contains(&b'/') { argv[0].clone() } else { name.as_bytes().to_vec() };
            let mut e = allowlist();
            listing(&mut e, &config["entries"]);
            let home = config["HOME"].as_str().unwrap_or("/home/u");
            Some((
                theirs,
                allows(&judge(e, &FakeWorld::new().program(resolved), program(argv), folder, home)),
            ))
        }
        ("safebin", "sb" | "sbv") => {
            let argv = words(&row["argv"]);
            let theirs = expect["allowed"].as_bool().or(expect["valid"].as_bool())?;
            let name = config["bin"].as_str().or(config["safeBins"][0].as_str())?.to_owned();
            let at = config["resolvedPath"].as_str().map_or(format!("/usr/bin/{name}"), str::to_owned);
            let mut e = allowlist();
            for (n, p) in config["safeBinProfiles"].as_object().into_iter().flatten() {
                let _ = p;
                e.safe_bin_profiles.push((n.clone(), SafeBinProfile::default()));
            }
            e.safe_bins = vec![name];
            let folder = at.rsplit_once('/')?.0.to_owned();
            Some((theirs, allows(&judge(e, &machine().program(&at), program(argv), &folder, "/home/u"))))
        }
        ("wrapper", "eval") => {
            let argv = words(&row["argv"]);
            let inline = !expect["inlineEval"].is_null();
            let name = String::from_utf8(argv.first()?.clone()).ok()?;
            let file = name.rsplit('/').next()?.to_owned();
            let mut e = allowlist();
            e.strict_inline_eval = true;
            let world = machine().program(&format!("/usr/bin/{file}"));
            e.add_user_entries(&[entry(&format!("/usr/bin/{file}").into())]);
            let made = judge(e, &world, program(argv), PATH, "/home/u");
            Some((!inline, !(made.has(Reason::InlineCode) || made.has(Reason::Hazard)) && allows(&made)))
        }
        _ => None,
    }
}

fn table(config: &Value, expect: &Value) -> Option<(bool, bool)> {
    use policy::document::Ask;
    let mut e = allowlist();
    e.security.value = match text(&config["security"]) {
        "deny" => Security::Deny,
        "full" => Security::Full,
        _ => Security::Allowlist,
    };
    e.ask.value = match text(&config["ask"]) {
        "off" => Ask::Off,
        "always" => Ask::Always,
        _ => Ask::OnMiss,
    };
    // Their durable approval of one exact command is an entry of ours.
    let satisfied = config["allowlistSatisfied"] == true || config["durableApprovalSatisfied"] == true;
    if satisfied {
        e.add_user_entries(&[entry(&"/usr/bin/ls".into())]);
    }
    let line = if config["analysisOk"] == true { "ls" } else { "ls \"" };
    let made = judge(e, &machine(), shell(line), PATH, "/home/u");
    // The table has three outcomes: a row maps only if all three agree or ours is stricter.
    let rank = |w: &str| ["allow", "ask", "deny"].iter().position(|x| *x == w);
    let (theirs, ours) = (rank(text(&expect["outcome"]))?, rank(made.decision.word())?);
    Some(match ours.cmp(&theirs) {
        std::cmp::Ordering::Equal => (true, true),
        std::cmp::Ordering::Less => (false, true),
        std::cmp::Ordering::Greater => (true, false),
    })
}

#[test]
fn where_we_decide_otherwise_there_is_a_reason() {
    let rows = rows("openclaw-cases.jsonl");
    let known: BTreeMap<&str, &str> =
        DIFFERENT.iter().flat_map(|(why, ids)| ids.iter().map(move |id| (*id, *why))).collect();
    let (mut mapped, mut bad, mut seen) = (0, Vec::new(), Vec::new());
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &rows {
        let Some((theirs, ours)) = outcome(row) else {
            match elsewhere(row) {
                Some(why) => *left.entry(why).or_default() += 1,
                None => bad.push(format!("{}: not judged, and nothing says why", text(&row["id"]))),
            }
            continue;
        };
        mapped += 1;
        let id = text(&row["id"]);
        if theirs == ours {
            continue;
        }
        seen.push(id.to_owned());
        if !known.contains_key(id) {
            let what = row["command"].as_str().map_or_else(|| row["argv"].to_string(), str::to_owned);
            let how = if ours { "LOOSER" } else { "stricter" };
            bad.push(format!("{id}: {how}: {what} {}", row["config"]));
        }
    }
    println!("{mapped} of {} rows map, {} differ", rows.len(), seen.len());
    for (why, rows) in &left {
        println!("{rows} are not judged here: {why}");
    }
    assert!(mapped >= 230, "only {mapped} rows map");
    for (id, why) in &known {
        if rows.iter().any(|r| r["id"] == **id) && !seen.iter().any(|s| s == id) {
            bad.push(format!("{id} agrees by now: {why}"));
        }
    }
    assert!(bad.is_empty(), "{} unexplained:\n{}", bad.len(), listed(&bad));
}

/// What they read as commands, we read as commands too, or do not claim to understand.
#[test]
fn no_command_is_missed() {
    let mut bad = Vec::new();
    let mut compared = 0;
    for row in rows("openclaw-cases.jsonl")
        .iter()
        .filter(|r| r["kind"] == "parse" && r["config"]["platform"] == "linux")
    {
        let made = judge(allowlist(), &machine(), shell(text(&row["command"])), PATH, "/home/u");
        // Their strictest era refuses whole constructs that are understood here.
        let understood_here = ["parse-x078", "parse-x100", "parse-009", "parse-011"];
        let ok = row["eras"]["seed"]["ok"].as_bool().or(row["expect"]["ok"].as_bool());
        if made.decision == Decision::Allow
            && ok == Some(false)
            && !understood_here.contains(&text(&row["id"]))
        {
            bad.push(format!("{}: allowed: {}", text(&row["id"]), row["command"]));
        }
        let understood = made.findings.iter().all(|f| {
            matches!(
                f.reason,
                Reason::AllowlistMiss | Reason::Unresolved | Reason::Builtin | Reason::Redirection
            )
        });
        let Some(theirs) = row["expect"]["executables"].as_array().filter(|_| understood) else { continue };
        compared += 1;
        let ours: Vec<String> = made
            .segments
            .iter()
            .filter_map(|s| s.argv.first())
            .map(|a| String::from_utf8_lossy(a.literal().unwrap_or_default()).into_owned())
            .collect();
        // They split what is no command for the shell: keywords and assignments.
        let no_command = |w: &str| ["{", "}", "!", "for", "do", "done", "time", "FOO=1"].contains(&w);
        for t in theirs.iter().map(text).filter(|t| !no_command(t)) {
            if !ours.iter().any(|o| o == t) {
                bad.push(format!("{}: {t} is missing in {ours:?}: {}", text(&row["id"]), row["command"]));
            }
        }
    }
    assert!(compared > 8, "{compared} rows compared");
    assert!(bad.is_empty(), "{}", listed(&bad));
}
