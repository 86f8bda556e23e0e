//! The evaluator in a small world, bash unless said otherwise.
use super::*;
use crate::document::{Accept, AllowList, Entry, Redirections, Sourced};
use crate::evaluation::{Permit, SatisfiedBy};
use crate::question::{Answer, Choice, digest};
use crate::world::FakeWorld;

mod folder;
mod given;
mod leads;
mod led;
mod operands;
mod pieces;

fn world() -> FakeWorld {
    let mut w = FakeWorld::new();
    for p in [
        "git", "ls", "cat", "bash", "dash", "env", "timeout", "nice", "xargs", "find", "jq", "grep", "head",
        "sort", "python3", "touch", "rm", "npm", "sudo", "ssh", "echo", "printf", "mkdir", "nohup", "tail",
        "wc",
    ] {
        w = w.program(&format!("/usr/bin/{p}"));
    }
    w.link("/bin", "/usr/bin")
        .link("/usr/bin/sh", "/usr/bin/dash")
        .program("/home/u/p/tool")
        .program("/home/u/q/tool")
        .file("/home/u/p/x.sh", b"#!/bin/sh\n")
}

struct Case {
    policy: Effective,
    inv: Invocation,
    world: FakeWorld,
}

fn entry(pattern: &str) -> Entry {
    Entry { pattern: pattern.into(), ..Entry::default() }
}

impl Case {
    fn new(allow: &[&str]) -> Case {
        let s = |value| Sourced { value, from: "test".to_owned() };
        let mut policy = Effective::built_in("main");
        policy.security = s(Security::Allowlist);
        policy.shell_program = "/bin/bash".into();
        policy.allow = vec![AllowList::new(allow.iter().map(|p| entry(p)).collect())];
        policy.user_allow = Some(0);
        let inv = Invocation {
            form: Form::Program { argv: vec![], by_link: false },
            env: vec![b"PATH=/usr/bin:/bin".to_vec(), b"HOME=/home/u".to_vec()],
            cwd: Some(b"/home/u/p".to_vec()),
            agents: vec!["main".into()],
            session: None,
            now_ms: 1_000,
            home: Some(b"/home/u".to_vec()),
            unattended: true,
            guard: crate::invocation::Guard { own_paths: vec![b"/home/u/.exec-guard".to_vec()] },
        };
        Case { policy, inv, world: world() }
    }
    fn ask(mut self, ask: Ask) -> Case {
        self.policy.ask.value = ask;
        self
    }
    fn security(mut self, s: Security) -> Case {
        self.policy.security.value = s;
        self
    }
    fn checked(mut self) -> Case {
        self.policy.shell_accept = Accept::Checked;
        self.policy.redirections = Redirections::Harmless;
        self
    }
    fn with(mut self, f: impl FnOnce(&mut Effective)) -> Case {
        f(&mut self.policy);
        self
    }
    fn env(mut self, e: &str) -> Case {
        self.inv.env.push(e.as_bytes().to_vec());
        self
    }
    fn text(&mut self, text: &str) -> Evaluation {
        let made = self.plain(text);
        if made.decision != Decision::Allow {
            // What asks asks wherever it stands.
            for (front, behind) in AROUND {
                let around = [front, text, behind].concat();
                let made = self.plain(&around);
                assert_ne!(made.decision, Decision::Allow, "{around}");
            }
            self.inv.form = Form::Text { text: text.as_bytes().to_vec(), shell: None, args: vec![] };
        }
        made
    }
    fn plain(&mut self, text: &str) -> Evaluation {
        self.inv.form = Form::Text { text: text.as_bytes().to_vec(), shell: None, args: vec![] };
        decide_as(self.policy.clone(), &self.inv, &self.world)
    }
    fn argv(&mut self, words: &[&str]) -> Evaluation {
        let argv = words.iter().map(|w| w.as_bytes().to_vec()).collect();
        self.inv.form = Form::Program { argv, by_link: false };
        decide_as(self.policy.clone(), &self.inv, &self.world)
    }
    fn link(&mut self, words: &[&str]) -> Evaluation {
        let argv = words.iter().map(|w| w.as_bytes().to_vec()).collect();
        self.inv.form = Form::Program { argv, by_link: true };
        decide_as(self.policy.clone(), &self.inv, &self.world)
    }
}

/// What a text may stand in without being another one.
const AROUND: &[(&str, &str)] = &[
    ("echo $(", ")"),
    ("zq=\"$(", ")\""),
    ("for zq in $(", "); do :; done"),
    ("(", "\n)"),
    ("if true; then ", "\nfi"),
    ("for zq in 1 2; do ", "\ndone"),
    ("zq() { ", "\n}; zq"),
    ("echo $(echo $(", "\n))"),
    ("true && { ", "\n}"),
];

fn codes(e: &Evaluation) -> Vec<&'static str> {
    e.findings.iter().map(|f| f.reason.code()).collect()
}

#[track_caller]
fn allowed(e: &Evaluation) -> Permit {
    assert_eq!(e.decision, Decision::Allow, "{:?}", e.findings);
    e.permit().expect("an allow gives a permit")
}

#[track_caller]
fn asks(e: &Evaluation, code: &str) {
    assert_eq!(e.decision, Decision::Ask, "{:?}", e.segments);
    assert!(codes(e).contains(&code), "{code} not in {:?}", e.findings);
    assert!(e.permit().is_none());
}

#[track_caller]
fn denies(e: &Evaluation, code: &str) {
    assert_eq!(e.decision, Decision::Deny, "{:?}", e.segments);
    assert!(codes(e).contains(&code), "{code} not in {:?}", e.findings);
}

fn words(p: &Permit) -> Vec<String> {
    p.argv().iter().map(|w| String::from_utf8_lossy(w).into_owned()).collect()
}

#[test]
fn one_program() {
    let mut c = Case::new(&["/usr/bin/git"]);
    let p = allowed(&c.argv(&["git", "status"]));
    assert_eq!(words(&p), ["git", "status"]);
    assert_eq!(p.exe().found, b"/usr/bin/git");
    asks(&c.argv(&["rm", "x"]), "allowlist-miss");
    let e = c.argv(&["nosuch"]);
    assert_eq!(e.decision, Decision::Deny);
    assert!(e.has(Reason::NotFound));
}

#[test]
fn merged_usr_and_case() {
    allowed(&Case::new(&["/bin/git"]).argv(&["git"]));
    allowed(&Case::new(&["/usr/bin/GIT"]).argv(&["git"]));
    asks(&Case::new(&["/usr/bin/GIT"]).with(|p| p.case_sensitive = true).argv(&["git"]), "allowlist-miss");
    asks(&Case::new(&["git"]).argv(&["git"]), "allowlist-miss");
    allowed(&Case::new(&["/usr/*/git"]).argv(&["git"]));
    asks(&Case::new(&["/usr/*"]).argv(&["git"]), "allowlist-miss");
    allowed(&Case::new(&["/usr/**"]).argv(&["git"]));
}

#[test]
fn the_table() {
    use Security::{Allowlist, Deny, Full};
    for (security, ask, hit, miss) in [
        (Deny, Ask::Off, Decision::Deny, Decision::Deny),
        (Deny, Ask::Always, Decision::Deny, Decision::Deny),
        (Allowlist, Ask::Off, Decision::Allow, Decision::Deny),
        (Allowlist, Ask::OnMiss, Decision::Allow, Decision::Ask),
        (Allowlist, Ask::Always, Decision::Ask, Decision::Ask),
        (Full, Ask::Off, Decision::Allow, Decision::Allow),
        (Full, Ask::OnMiss, Decision::Allow, Decision::Allow),
        (Full, Ask::Always, Decision::Ask, Decision::Ask),
    ] {
        let mut c = Case::new(&["/usr/bin/git"]).security(security).ask(ask);
        assert_eq!(c.argv(&["git"]).decision, hit, "{security:?} {ask:?} hit");
        assert_eq!(c.argv(&["rm"]).decision, miss, "{security:?} {ask:?} miss");
        assert_eq!(c.text("git & rm $(x").decision, miss, "{security:?} {ask:?} not analysable");
    }
}

#[test]
fn fallback() {
    let mut c = Case::new(&["/usr/bin/git"]).ask(Ask::Always);
    assert!(c.argv(&["git"]).fallback().is_none());
    let mut c =
        Case::new(&["/usr/bin/git"]).ask(Ask::Always).with(|p| p.ask_fallback.value = Security::Allowlist);
    assert!(c.argv(&["git"]).fallback().is_some(), "ask=always alone does not spoil satisfied");
    assert!(c.argv(&["rm"]).fallback().is_none());
    let mut c = Case::new(&[]).with(|p| p.ask_fallback.value = Security::Full);
    assert!(c.argv(&["rm"]).fallback().is_none(), "the fallback is capped by security");
}

#[test]
fn a_chain_needs_every_segment() {
    let mut c = Case::new(&["/usr/bin/git", "/usr/bin/ls"]);
    let p = allowed(&c.text("git status && ls | head -5; git log"));
    assert_eq!(words(&p)[..5], ["bash", "--noprofile", "--norc", "-p", "-c"]);
    assert!(words(&p)[5].contains("'/usr/bin/git'"), "{:?}", words(&p));
    for t in ["git status; rm x", "git status && rm x", "git status || rm x", "git log | rm", "git log\nrm x"]
    {
        asks(&c.text(t), "allowlist-miss");
    }
    asks(&c.text("git log > out"), "redirection");
    asks(&c.text("git log $(rm x)"), "substitution");
    asks(&c.text("git log &"), "background");
    asks(&c.text("git 'unterminated"), "syntax");
}

#[test]
fn one_segment_runs_without_a_shell() {
    let mut c = Case::new(&["/usr/bin/git"]);
    let p = allowed(&c.text("git commit -m 'a; b' # no"));
    assert_eq!(words(&p), ["git", "commit", "-m", "a; b"]);
    assert_eq!(p.exe().found, b"/usr/bin/git");
    let p = allowed(&c.text("git log $x"));
    assert_eq!(words(&p)[0], "bash");
}

/// What braces make of one word is written out again in full: a word less would be another command.
#[test]
fn braces_in_the_name_keep_their_words() {
    let mut c = Case::new(&["/usr/bin/git", "/usr/bin/nice", "/usr/bin/bash"]).checked();
    for (text, script) in [
        ("{nice,git} log x; true", "'/usr/bin/nice' 'git' 'log' 'x'; true"),
        ("{nice,git} log x >/dev/null", "'/usr/bin/nice' 'git' 'log' 'x' > '/dev/null'"),
        ("f() { {nice,git} log x; }; f", "f() { '/usr/bin/nice' 'git' 'log' 'x'; }; f"),
        ("bash -{x,c} 'true'; true", "'/usr/bin/bash' '--noprofile' '--norc' '-p' '-x' '-c' 'true'; true"),
    ] {
        let p = allowed(&c.text(text));
        assert_eq!(p.plan().script.as_deref().map(String::from_utf8_lossy).unwrap(), script, "{text}");
    }
    asks(&c.text("{nice,touch} git; true"), "allowlist-miss");
}

/// bash 5.2 writes the commands of a substitution out again, and behind a here-document it loses a `;`: of `sort` and
/// `echo -o x` it makes one command.
#[test]
fn a_here_document_in_a_substitution_stands_alone() {
    let mut c = Case::new(&["/usr/bin/git", "/usr/bin/cat"]).checked();
    for text in [
        "echo $(cat <<'E'\nx\nE\nsort; echo -o x)",
        "echo \"$(cat <<'E'\nx\nE\nsort\necho -o x)\"",
        "echo `cat <<'E'\nx\nE\nsort; echo -o x`",
        "echo $( { cat <<'E'; sort; echo -o x; }\nx\nE\n)",
        "echo $( if true; then sort; echo -o x; fi; cat <<'E'\nx\nE\n)",
    ] {
        asks(&c.text(text), "here-document");
    }
    allowed(&c.text("git commit -m \"$(cat <<'E'\nx; y\nE\n)\""));
    allowed(&c.text("git commit -m \"$(cat <<'E' | sort\nx; y\nE\n)\"; cat <<'E'\nx\nE\necho a; echo b"));
}

/// An entry for find speaks for find: a word that may bring an `-exec` of its own brings a command nobody judged.
#[test]
fn a_dynamic_word_of_find_may_bring_a_command() {
    let mut c = Case::new(&["/usr/bin/find", "/usr/bin/git", "/usr/bin/xargs", "/usr/bin/cat"]).checked();
    for text in [
        "x='-exec touch y ;'; find . $x",
        "find . \"$@\"",
        "find $x -name y",
        "find . -name $x",
        "for f in -exec; do find . $f touch y ';'; done",
        "find . \"$x\" touch y ';'",
        "cat | xargs find .",
        "find . $(cat)",
        "find ./$x -name y",
    ] {
        asks(&c.text(text), "wrapper");
    }
    for text in [
        "find \"$x\" -name y",
        "find . -name \"$x\" -type f",
        "find \"$x\" -name y -exec git log {} ';'",
        "find * -name y",
        "find ~ -name y",
    ] {
        allowed(&c.text(text));
    }
}

#[test]
fn nobody_is_asked_about_what_is_not_there() {
    let mut c = Case::new(&["/usr/bin/git"]);
    let e = c.text("nosuch --version # really");
    assert_eq!((e.decision, codes(&e)), (Decision::Deny, vec!["not-found"]));
    for t in
        ["nosuch; git log", "git log | nosuch", "nosuch > f", "nosuch $(git log)", "! nosuch", "env nosuch"]
    {
        asks(&c.text(t), "unresolved");
    }
}

#[test]
fn dynamic_words() {
    let mut c = Case::new(&["/usr/bin/git"]);
    allowed(&c.text("git log $x *.c \"$y\""));
    asks(&c.text("$x status"), "dynamic-name");
    asks(&c.text("head $x"), "safe-bin");
    let mut e = entry("/usr/bin/git");
    e.args = Some(vec!["log".into(), "x".into()]);
    let mut c = Case::new(&[]).with(|p| p.allow = vec![AllowList::new(vec![e])]);
    asks(&c.text("git log $x"), "dynamic-argument");
    asks(&c.text("git push x"), "args-miss");
    allowed(&c.text("git log x"));
}

#[test]
fn safe_bins_and_builtins() {
    let mut c = Case::new(&["/usr/bin/git"]);
    let e = c.text("git log | grep fix | sort -u | head -3");
    allowed(&e);
    assert_eq!(e.segments[1].satisfied_by, Some(SatisfiedBy::SafeBin));
    asks(&c.text("grep x /etc/passwd"), "safe-bin");
    asks(&c.text("sort -o f"), "safe-bin");
    let e = c.text("echo hi && true");
    allowed(&e);
    assert_eq!(e.segments[0].satisfied_by, Some(SatisfiedBy::Builtin));
    asks(&c.text("eval 'git status'"), "builtin");
    asks(&c.text("source x"), "builtin");
}

#[test]
fn jq_loads_nothing_from_home() {
    let mut c = Case::new(&["/usr/bin/git"]);
    let p = allowed(&c.text("jq ."));
    assert!(p.env().contains(&b"HOME=/nonexistent".to_vec()), "direct");
    let p = allowed(&c.text("git log | jq ."));
    assert!(words(&p).last().unwrap().contains("HOME='/nonexistent' '/usr/bin/jq'"), "{:?}", words(&p));
    allowed(&c.text("timeout 5 jq ."));
    c.world = c.world.file("/home/u/.jq", b"def x: 1;");
    asks(&c.text("timeout 5 jq ."), "safe-bin");
    allowed(&c.text("git log | jq ."));
}

#[test]
fn cd_moves_along_and() {
    let mut c = Case::new(&["/home/u/q/tool"]);
    let p = allowed(&c.text("cd ../q && ./tool"));
    assert!(words(&p)[5].contains("/home/u/q"), "{:?}", words(&p));
    asks(&c.text("cd ../q; ./tool"), "cwd-unknown");
    asks(&c.text("cd ../q || ./tool"), "cwd-unknown");
    asks(&c.text("true || cd ../q && ./tool"), "cwd-unknown");
    asks(&c.text("! cd ../q && ./tool"), "cwd-unknown");
    asks(&c.text("cd $x && ./tool"), "cwd-unknown");
    asks(&c.text("cd - && ./tool"), "cwd-unknown");
    asks(&c.text("./tool"), "allowlist-miss");
    asks(&c.text("cd ../q | true && ./tool"), "cwd-unknown");
}

#[test]
fn wrappers_judge_both_layers() {
    let mut c = Case::new(&["/usr/bin/git"]);
    let e = c.text("timeout 5 nice git status");
    allowed(&e);
    assert_eq!(e.segments[2].within, Some(1));
    asks(&c.text("timeout 5 rm x"), "allowlist-miss");
    asks(&Case::new(&["/usr/bin/timeout"]).argv(&["timeout", "5", "rm", "x"]), "allowlist-miss");
    allowed(&c.argv(&["env", "CI=1", "git", "status"]));
    asks(&c.argv(&["env", "LD_PRELOAD=x", "git", "status"]), "assignment");
    asks(&c.text("ls | xargs git"), "allowlist-miss");
    asks(&c.text("git ls-files | xargs git add"), "wrapper-entry");
    allowed(&Case::new(&["/usr/bin/git", "/usr/bin/xargs"]).text("git ls-files | xargs git add"));
    asks(&Case::new(&["/usr/bin/xargs"]).text("echo x | xargs rm"), "allowlist-miss");
    asks(&Case::new(&["/usr/bin/git"]).argv(&["sudo", "git", "status"]), "wrapper-entry");
    asks(&Case::new(&["/usr/bin/ssh"]).argv(&["ssh", "host", "ls"]), "remote");
}

#[test]
fn egrep_and_fgrep_are_grep() {
    const SCRIPT: &[u8] = b"#!/bin/sh\nexec grep -E \"$@\"\n";
    let with = |allow: &[&str], text: &str| {
        let mut c = Case::new(allow);
        c.world = c.world.script("/usr/bin/egrep", SCRIPT).link("/usr/bin/fgrep", "/usr/bin/grep");
        c.text(text)
    };
    for text in ["git log | egrep 'a|b'", "git log | fgrep x", "git log | timeout 5 egrep -c x"] {
        // grep is a safe bin; else it takes an entry.
        allowed(&with(&["/usr/bin/git"], text));
    }
    asks(&with(&["/usr/bin/git"], "egrep -r x ."), "safe-bin");
    asks(&with(&["/usr/bin/git"], "fgrep x file"), "safe-bin");
    allowed(&with(&["/usr/bin/grep"], "egrep -r x . && fgrep x file"));
    // An entry of their own is one for all they do.
    allowed(&with(&["/usr/bin/egrep"], "egrep -r x ."));
    let e = with(&["/usr/bin/git"], "egrep -r x .");
    let path = |p: &crate::learn::Proposal| p.entries[0].pattern.clone();
    let c = Case::new(&["/usr/bin/git"]);
    let stored = crate::learn::proposals(&e, &c.inv, &c.world);
    assert!(stored.is_err() || stored.is_ok_and(|p| p.iter().all(|p| path(p) == "/usr/bin/grep")));
    // Another program of that name is judged as what it is.
    let mut c = Case::new(&["/usr/bin/git"]);
    c.world = c.world.program("/usr/bin/egrep");
    asks(&c.text("git log | egrep x"), "allowlist-miss");
}

#[test]
fn without_a_clock_what_expires_has_expired() {
    let at = |expires_at: u64, now_ms: u64, deny: bool| {
        let mut c = Case::new(&[]);
        let git = Entry { expires_at: Some(expires_at), ..entry("/usr/bin/git") };
        if deny {
            c.policy.denylist = vec![git];
            c.policy.allow = vec![AllowList::new(vec![entry("/usr/bin/git")])];
        } else {
            c.policy.allow = vec![AllowList::new(vec![git])];
        }
        c.inv.now_ms = now_ms;
        c.argv(&["git", "status"]).decision
    };
    assert_eq!(
        [at(500, 499, false), at(500, 500, false), at(500, 0, false)],
        [Decision::Allow, Decision::Ask, Decision::Ask]
    );
    // What refuses holds.
    assert_eq!(
        [at(500, 499, true), at(500, 500, true), at(500, 0, true)],
        [Decision::Deny, Decision::Allow, Decision::Deny]
    );
}

/// On Alpine `sh` is busybox: its ash is read as dash where the two agree, and what only it understands asks.
#[test]
fn the_shell_of_busybox() {
    let alpine = || {
        let mut c = Case::new(&["/usr/bin/git"]);
        c.policy.shell_program = "/bin/sh".into();
        c.world = FakeWorld::new()
            .program("/usr/bin/busybox")
            .program("/usr/bin/git")
            .program("/usr/bin/rm")
            .link("/usr/bin/sh", "/usr/bin/busybox")
            .link("/usr/bin/ash", "/usr/bin/busybox")
            .link("/usr/bin/bash", "/usr/bin/busybox")
            .link("/usr/bin/head", "/usr/bin/busybox")
            .link("/bin", "/usr/bin");
        c
    };
    let p = allowed(&alpine().text("git log | head -5 && git status"));
    assert_eq!(
        words(&p),
        ["sh", "-c", "'/usr/bin/git' 'log' | '/usr/bin/head' '-5' && '/usr/bin/git' 'status'"]
    );
    assert_eq!(p.exe().found, b"/usr/bin/sh");
    for words in [&["sh", "-c", "git log; git status"][..], &["/bin/ash", "-ec", "git status && git log"]] {
        allowed(&alpine().argv(words));
        allowed(&alpine().link(words));
    }
    let mut c = alpine();
    c.policy.allow = vec![AllowList::new(vec![entry("/usr/bin/git"), entry("/usr/bin/busybox")])];
    allowed(&c.argv(&["busybox", "sh", "-c", "git status; git log"]));
    asks(&c.argv(&["busybox", "sh", "-c", "git status; rm x"]), "allowlist-miss");
    asks(&c.argv(&["busybox", "bash", "-c", "git status"]), "wrapper");
    for (text, code) in [
        ("git status; rm x", "allowlist-miss"),
        ("git log $'a\\'; rm x; '", "construct"),
        ("git log <(rm x)", "syntax"),
        ("git log >&x", "syntax"),
        ("git log &>x", "background"),
        ("git log 10>x", "construct"),
        ("function git { rm x; }; git log", "builtin"),
        ("[[ a == b ]]", "builtin"),
        ("git log [[ a && git status ]]", "construct"),
        ("source x", "builtin"),
        ("let x=1", "builtin"),
        ("git log ${x/a/b}", "construct"),
    ] {
        asks(&alpine().checked().text(text), code);
        asks(&alpine().checked().argv(&["sh", "-c", text]), code);
    }
    // Under another shell's name it is not known what it does.
    asks(&alpine().argv(&["bash", "-c", "git status"]), "wrapper");
}

/// An entry for who would read code that nobody has seen changes nothing, so none is advised.
#[test]
fn no_entry_is_advised_for_a_reader_of_code() {
    for text in ["git log | sh", "git log | bash -s -- x", "git log | python3 -", "git log | timeout 5 sh"] {
        let e = Case::new(&["/usr/bin/git"]).text(text);
        asks(&e, "code-on-stdin");
        let advice: Vec<&str> = e.findings.iter().filter_map(|f| f.advice.as_deref()).collect();
        assert!(!advice.iter().any(|a| a.contains("allowlist add")), "{text}: {advice:?}");
        assert!(advice.iter().any(|a| a.contains("save it")), "{text}: {advice:?}");
    }
    // With a script it does.
    let e = Case::new(&["/home/u/p/x.sh"]).argv(&["bash", "x.sh"]);
    assert!(e.findings.iter().any(|f| f.advice.as_deref().is_some_and(|a| a.ends_with("add /usr/bin/bash"))));
}

/// What is advised lets pass what was asked about, and no more: no other agent, and of an interpreter no other script.
#[test]
fn advice_is_as_narrow_as_the_question() {
    let said = |agents: &[&str], argv: &[&str]| {
        let mut c = Case::new(&["/usr/bin/git"]);
        c.inv.agents = agents.iter().map(|a| (*a).to_owned()).collect();
        c.argv(argv).findings.iter().find_map(|f| f.advice.clone()).unwrap_or_default()
    };
    let add = "exec-guardctl approvals allowlist add";
    assert_eq!(said(&["main"], &["touch", "f"]), format!("{add} /usr/bin/touch"));
    assert_eq!(said(&["claude"], &["touch", "f"]), format!("{add} /usr/bin/touch --agent claude"));
    assert_eq!(said(&["claude", "codex"], &["touch", "f"]), format!("{add} /usr/bin/touch"));
    assert_eq!(
        said(&["claude"], &["python3", "a b.py", "-v"]),
        format!("{add} /usr/bin/python3 --agent claude --args 'a b.py' -v")
    );
    let long = "x".repeat(300);
    assert_eq!(said(&["main"], &["python3", "a.py", &long]), format!("{add} /usr/bin/python3"));
    assert_eq!(said(&["main"], &["python3", "a.py", "--token=s3cret"]), format!("{add} /usr/bin/python3"));
}

#[test]
fn shells_carry_text() {
    let mut c = Case::new(&["/usr/bin/git"]);
    let p = allowed(&c.argv(&["bash", "-lc", "git status"]));
    assert_eq!(words(&p)[..5], ["bash", "--noprofile", "--norc", "-p", "-c"]);
    assert_eq!(words(&p).len(), 6);
    asks(&c.argv(&["bash", "-c", "git status; rm x"]), "allowlist-miss");
    asks(&Case::new(&["/usr/bin/bash"]).argv(&["bash", "-c", "rm x"]), "allowlist-miss");
    allowed(&c.text("timeout 5 sh -c 'git status && git log'"));
    asks(&c.text("echo x | sh"), "code-on-stdin");
    asks(&c.text("echo x | python3"), "code-on-stdin");
    asks(&c.argv(&["bash", "x.sh"]), "script-entry");
    asks(&Case::new(&["/usr/bin/bash"]).argv(&["bash", "x.sh"]), "script-entry");
    asks(&Case::new(&["/home/u/p/x.sh"]).argv(&["bash", "x.sh"]), "wrapper-entry");
    allowed(&Case::new(&["/usr/bin/bash", "/home/u/p/x.sh"]).argv(&["bash", "x.sh"]));
    allowed(&Case::new(&["/home/u/p/x.sh"]).link(&["bash", "x.sh"]));
    allowed(&c.link(&["bash", "-c", "git status | head"]));
    let mut any = entry("/usr/bin/bash");
    any.carries_anything = true;
    let mut c = Case::new(&[]).with(|p| p.allow = vec![AllowList::new(vec![any])]);
    let p = allowed(&c.argv(&["bash", "-lc", "rm x"]));
    assert_eq!(words(&p), ["bash", "-lc", "rm x"]);
    let mut deep = "git status".to_owned();
    for _ in 0..12 {
        deep = format!("sh -c {}", String::from_utf8(line(&[deep.into_bytes()])).unwrap());
    }
    asks(&Case::new(&["/usr/bin/git"]).text(&deep), "too-complex");
}

#[test]
fn lists_that_tighten() {
    let deny = |c: Case, p: &str| c.with(|e| e.denylist = vec![entry(p)]);
    let mut c = deny(Case::new(&["/usr/bin/**"]), "rm");
    assert_eq!(c.argv(&["rm", "x"]).decision, Decision::Deny);
    assert_eq!(c.text("git status; rm x").decision, Decision::Deny);
    assert_eq!(c.text("timeout 5 rm x").decision, Decision::Deny);
    assert_eq!(c.text("sh -c 'rm x'").decision, Decision::Deny);
    allowed(&c.argv(&["git"]));
    let mut c = deny(Case::new(&[]).security(Security::Full), "/usr/bin/rm");
    assert_eq!(c.text("rm x").decision, Decision::Deny);
    assert_eq!(c.text("git status").decision, Decision::Allow);
    assert_eq!(c.text("$x y").decision, Decision::Ask, "an unknown name could be the denied one");
    assert_eq!(
        c.text("git log $x > out & for f in *; do ls $f; done").decision,
        Decision::Allow,
        "all is named"
    );
    assert_eq!(c.text("echo $(rm x)").decision, Decision::Deny);
    assert_eq!(c.text("ls 'unterminated").decision, Decision::Ask);
    let mut c = Case::new(&["/usr/bin/**"]).with(|e| e.asklist = vec![entry("git")]);
    asks(&c.argv(&["git"]), "asklist");
    let mut c = Case::new(&[]).security(Security::Full).with(|e| e.asklist = vec![entry("git")]);
    asks(&c.argv(&["git"]), "asklist");
    assert_eq!(c.ask(Ask::Off).argv(&["git"]).decision, Decision::Deny);
}

#[test]
fn the_guard_protects_itself() {
    for security in [Security::Allowlist, Security::Full] {
        let mut c = Case::new(&["/usr/bin/**"]).security(security);
        asks(&c.argv(&["cat", "/home/u/.exec-guard/config.json"]), "self-protection");
        asks(&c.text("rm ../.exec-guard/x"), "self-protection");
    }
    let mut c = Case::new(&["/usr/bin/git"]);
    assert_eq!(c.text("EXEC_GUARD_AGENT=x git status").decision, Decision::Deny);
}

#[test]
fn assignments() {
    let mut c = Case::new(&["/usr/bin/npm", "/usr/bin/git"]);
    allowed(&c.text("CI=1 npm test"));
    allowed(&c.text("FOO=bar; npm test"));
    for t in [
        "PATH=/tmp npm test",
        "LD_PRELOAD=x npm test",
        "FOO=bar npm test",
        "PATH=/tmp; npm test",
        "export GIT_SSH=x; git pull",
        "IFS=x; git log",
        "GIT_PAGER=x git log",
    ] {
        asks(&c.text(t), "assignment");
    }
    asks(&Case::new(&["/usr/bin/git"]).env("FOO=1").text("FOO=2; git log"), "assignment");
}

#[test]
fn scrubbing_is_for_unattended_runs() {
    let mut c = Case::new(&["/usr/bin/git"]).env("LD_PRELOAD=x").env("PAGER=cat").env("EDITOR=vi");
    c.inv.env[0] = b"PATH=.:/usr/bin::bin".to_vec();
    let p = allowed(&c.argv(&["git", "log"]));
    let env: Vec<String> = p.env().iter().map(|e| String::from_utf8_lossy(e).into_owned()).collect();
    assert!(!env.iter().any(|e| e.starts_with("LD_PRELOAD") || e.starts_with("EDITOR")), "{env:?}");
    assert!(env.contains(&"PAGER=cat".to_owned()));
    assert!(env.contains(&"PATH=/usr/bin".to_owned()), "{env:?}");
    assert_eq!(env.last().unwrap(), "EXEC_GUARD_DEPTH=1");
    c.inv.unattended = false;
    let p = allowed(&c.argv(&["git", "log"]));
    assert!(p.env().contains(&b"LD_PRELOAD=x".to_vec()));
}

#[test]
fn a_yes_is_bound_to_its_question() {
    let mut c = Case::new(&[]);
    let e = c.text("git log > out");
    let yes = Answer::new(Choice::AllowOnce, digest(&e), None);
    let p = e.permit_of(&yes).unwrap();
    assert_eq!(words(&p), ["bash", "-c", "git log > out"], "the original bytes");
    let dash = c.text("-x > out");
    let p = dash.permit_of(&Answer::new(Choice::AllowOnce, digest(&dash), None)).unwrap();
    assert_eq!(words(&p), ["bash", "-c", "--", "-x > out"], "a text is no option");
    let other = c.text("git log > out2");
    assert!(other.permit_of(&yes).is_none());
    assert!(e.permit_of(&Answer::new(Choice::Deny, digest(&e), None)).is_none());
    let denied = Case::new(&[]).ask(Ask::Off).text("git log");
    assert!(denied.permit_of(&Answer::new(Choice::AllowOnce, digest(&denied), None)).is_none());
}

#[test]
fn loops_end() {
    let mut c = Case::new(&["/usr/bin/git"]).env("EXEC_GUARD_DEPTH=64");
    assert_eq!(c.argv(&["git"]).decision, Decision::Deny);
    let mut c = Case::new(&["/usr/bin/git"]).env("EXEC_GUARD_DEPTH=junk");
    assert_eq!(c.argv(&["git"]).decision, Decision::Deny);
}

#[test]
fn checked_judges_what_is_inside() {
    let mut c = Case::new(&["/usr/bin/git", "/usr/bin/cat", "/usr/bin/npm"]).checked();
    allowed(&c.text("git commit -m \"$(cat <<'EOF'\nfix: x\nEOF\n)\""));
    allowed(&c.text("npm test 2>&1 | tail -20"));
    allowed(&c.text("if git diff --quiet; then echo clean; fi"));
    allowed(&c.text("for f in a b; do cat \"$f\"; done"));
    asks(&c.text("git log $(rm x)"), "allowlist-miss");
    asks(&c.text("if rm x; then git log; fi"), "allowlist-miss");
    asks(&c.text("git log > out"), "redirection");
    asks(&c.text("cat() { git log; }; cat x"), "function");
    asks(&c.text("echo x | bash <<EOF\nrm x\nEOF"), "code-on-stdin");
}

#[test]
fn scoped_files() {
    let mut c = Case::new(&["/usr/bin/git"]).with(|p| {
        p.redirections = Redirections::Scoped;
        p.shell_writable = vec!["/home/u/p/out/**".into()];
        p.shell_readable = vec!["/home/u/p/*.txt".into()];
    });
    c.world = c.world.file("/home/u/p/out/a", b"").file("/home/u/p/in.txt", b"").file("/home/u/p/.env", b"");
    c.world = c.world.link("/home/u/p/out/ln", "/home/u/p/.env").link("/home/u/p/out/new", "/etc/new");
    c.world = c.world.link("/home/u/p/out/dir", "/home/u/q");
    for t in [
        "git log > out/a",
        "git log >> /home/u/p/out/b",
        "git log 2>&1 < in.txt",
        "git log >/dev/null",
        "cd out && git log > a",
    ] {
        allowed(&c.text(t));
    }
    for t in [
        "git log > x",
        "git log > out/ln",
        "git log > out/new",
        "git log > out/dir/x",
        "git log > out/../x",
        "git log > out/$x",
        "git log > out/no/x",
        "git log < .env",
        "git log < out/a",
        "git log <> out/a",
        "cd out; git log > a",
    ] {
        asks(&c.text(t), "redirection");
    }
    asks(&c.text("git log > ../.exec-guard/x"), "self-protection");
}

#[test]
fn an_entry_that_its_caller_can_write_is_said() {
    let mut c = Case::new(&["/home/u/p/tool", "/usr/bin/git"]);
    c.world.writable.insert(b"/home/u/p/tool".to_vec());
    let e = c.text("./tool && git log");
    allowed(&e);
    let said = e.cautions(&c.world);
    assert_eq!(
        said.iter().map(|f| (f.reason.code(), f.segment)).collect::<Vec<_>>(),
        [("entry-writable", Some(0))]
    );
}

#[test]
fn learning() {
    use crate::learn::proposals;
    use crate::question::Scope;
    let mut c = Case::new(&[]);
    let e = c.text("git status -s && ls x.c");
    let offers = proposals(&e, &c.inv, &c.world).unwrap();
    assert_eq!(offers.len(), 2, "{offers:?}: `ls x.c` has no sub-command that all share");
    assert_eq!(offers[0].scope, Scope::Arguments);
    assert_eq!(offers[0].entries[0].args.as_deref(), Some(&["status".to_owned(), "-s".to_owned()][..]));
    for t in [
        "git log > out",
        "bash -c 'git log > x'",
        "python3 x.py",
        "sudo git log",
        "GIT_PAGER=x git log",
        "xargs git",
        "$x",
    ] {
        let e = c.text(t);
        assert!(proposals(&e, &c.inv, &c.world).is_err(), "{t}");
    }
    let e = c.text("bash -c 'git status'");
    let offers = proposals(&e, &c.inv, &c.world).unwrap();
    assert!(offers.iter().all(|o| o.entries.iter().all(|e| e.pattern == "/usr/bin/git")), "{offers:?}");
}

#[test]
fn a_probe_is_denied_whatever_the_policy_says() {
    let word = crate::rules::probe::word("0123456789abcdef0123456789abcdef");
    for security in [Security::Allowlist, Security::Full] {
        for ask in [Ask::Off, Ask::OnMiss, Ask::Always] {
            let mut c = Case::new(&["/usr/bin/*"]).security(security).ask(ask);
            denies(&c.argv(&["git", &word]), "probe");
            denies(&c.text(&format!(": {word}")), "probe");
            denies(&c.text(&format!("ls && git {word} | wc")), "probe");
            denies(&c.text(&format!("bash -c ': {word}'")), "probe");
        }
    }
}

#[test]
fn a_sub_command_is_no_path() {
    let mut c = Case::new(&["/usr/bin/*"]);
    for words in [&["git", "x/evil"][..], &["git", "-p", "x/evil"], &["git", "-C", "d", "./evil", "y"]] {
        asks(&c.argv(words), "hazard");
    }
    for words in [&["git", "log", "x/y"][..], &["git", "show", "a/b"], &["git", "-C", "a/b", "status"]] {
        assert_eq!(c.argv(words).decision, Decision::Allow, "{words:?}");
    }
}

#[test]
fn what_unpacks_over_the_guards_files_asks() {
    let mut c = Case::new(&["/usr/bin/*"]);
    asks(&c.text("cd ~ && git apply p.patch"), "self-protection");
    asks(&c.text("git -C ../ apply p.patch"), "self-protection");
    asks(&c.text("git -C \"$HOME\" apply p.patch"), "self-protection");
    asks(&c.text("cd && git reset --hard FETCH_HEAD"), "self-protection");
    asks(&c.text("cd ~ && git init -q && git fetch -q /w && git checkout -f FETCH_HEAD"), "self-protection");
    asks(&c.text("rm -rf ~/.[a-z]*"), "self-protection");
    asks(&c.text("cd ~ && rm -rf {.*,x}"), "self-protection");
    asks(&c.text("rm -rf ~"), "self-protection");
    asks(&c.text("git mv x .git/hooks/pre-commit"), "hazard");
    c.world = world().file("/home/u/p/.git/hooks/x", b"");
    asks(&c.text("cd .git/hooks && git checkout HEAD -- pre-commit"), "hazard");
    for text in [
        "git apply p.patch",
        "git reset --hard",
        "git pull",
        "rm -rf build",
        "rm -rf *",
        "rm -rf ~/p/x",
        "cd ~/p && git pull",
    ] {
        assert_eq!(c.text(text).decision, Decision::Allow, "{text}");
    }
    // By another name, it is the same program.
    c.world = world().link("/usr/bin/g", "/usr/bin/git");
    asks(&c.text("cd ~ && g reset --hard"), "self-protection");
}

#[test]
fn a_link_of_the_caller_s_does_not_dress_a_restricted_program() {
    let mut c = Case::new(&[]);
    c.world = world().link("/home/u/p/bin/python3", "/usr/bin/python3");
    c.world.writable.insert(b"/home/u/p/bin".to_vec());
    let restricted = Entry { args: Some(vec!["s.py".into()]), ..entry("/usr/bin/python3") };
    c.policy.allow = vec![AllowList::new(vec![restricted])];
    assert_eq!(c.argv(&["python3", "s.py"]).decision, Decision::Allow);
    asks(&c.argv(&["bin/python3", "s.py"]), "args-miss");
    // What the entry names itself, or allows with any arguments, is as it was.
    let named = Entry { args: Some(vec!["s.py".into()]), ..entry("/home/u/p/bin/python3") };
    for e in [named, entry("/usr/bin/python3")] {
        c.policy.allow = vec![AllowList::new(vec![e])];
        assert_eq!(c.argv(&["bin/python3", "s.py"]).decision, Decision::Allow);
    }
}

#[test]
fn a_descriptor_in_a_condition_is_digits() {
    let mut c = Case::new(&["/usr/bin/*"]).checked();
    c.policy.shell_program = "/usr/bin/zsh".into();
    c.world = world().program("/usr/bin/zsh");
    for text in ["[[ -t 'path[$(touch x)1]' ]]", "[[ -t $z ]] && ls", "while [[ -t \"$z\" ]]; do ls; done"] {
        assert_eq!(c.text(text).decision, Decision::Ask, "{text}");
    }
    assert_eq!(c.text("[[ -t 1 ]] && ls").decision, Decision::Allow);
}

#[test]
fn a_function_that_calls_itself_asks() {
    let mut c = Case::new(&["/usr/bin/*"]).checked();
    for text in [
        "f() { f | f & }; f",
        ":() { :|:& };:",
        "f() { ls; if ls; then f & fi; }; f",
        "f() { g & }; g() { f & }; f",
        "f() { ls \"$(f)\"; }; f",
        "f() { ( f & ); }; f",
    ] {
        asks(&c.text(text), "function");
    }
    for text in [
        "f() { ls & }; f; f",
        "g() { ls; }; f() { g | g; }; f",
        "f() { ls; }; f | f",
        "f() { if ls; then f; fi; }; f && f || ls",
    ] {
        assert!(c.text(text).findings.iter().all(|f| f.reason.code() != "function"), "{text}");
    }
}

#[test]
fn options_that_the_text_itself_makes() {
    let mut c =
        Case::new(&["/usr/bin/rg", "/usr/bin/git", "/usr/bin/bash", "/usr/bin/sort", "/usr/bin/xargs"])
            .checked();
    c.world = c.world.program("/usr/bin/rg");
    for text in [
        "rg x \"$(printf %s --pre=./evil)\"",
        "p=--pre=./evil; rg x $p",
        "p=x--pre=./evil; rg x \"${p#x}\"",
        "for p in --pre=./evil; do rg x \"$p\"; done",
        "for p in a --pre=./evil; do rg x \"$p\"; done",
        "p=--pre; q==./evil; rg x $p$q",
        "rg x \"${y:---pre=./evil}\"",
        "rg x \"$y--pre=./evil\"",
        "p=$(printf %s --pre=./evil); rg x \"$p\"",
        "p='a --pre=./evil'; rg x $p",
        "p='--pre ./evil'; rg x $p",
        "p='-n --pre ./evil'; rg x $p",
        "p=--; p+=pre=./evil; rg x $p",
        "f() { rg x \"${1#x}\"; }; f x--pre=./evil",
        "echo --pre=./evil | while read p; do rg x \"$p\"; done",
        "bash -c 'rg x \"${0#x}\"' x--pre=./evil",
        "rg x $(git rev-parse --pre=./evil)",
        "rg x `git status`",
        "echo --pre=./evil | xargs rg x",
        "printf %s%s -- pre=./evil | xargs rg x",
        "printf %s%s -- pre=./evil | while read p; do rg x \"$p\"; done",
        "echo x--pre=./evil | cut -c2- | xargs rg x",
        "git status | xargs rg x; echo --pre=./evil | sort | xargs env rg x",
        "echo --pre=./evil | { sort | xargs rg x; }",
        "echo --pre=./evil | bash -c 'xargs rg x'",
        "f() { xargs rg x; }; echo --pre=./evil | f",
        "xargs rg x <<<--pre=./evil",
        "xargs rg x <<E\n--pre=./evil\nE",
        "read p <<<--pre=./evil; rg x \"$p\"",
        "echo --pre=./evil >f; rg x $(cat f)",
        ": --pre=./evil; rg x \"$_\"",
        "read <<<--pre=./evil; rg x $REPLY",
        "[[ x--pre=./evil =~ -.* ]]; rg x $BASH_REMATCH",
        "rg x $(date +--pre=./evil)",
        "bash -c 'a=$1; rg x ${a#x}' _ x--pre=./evil",
        "echo --pre=./evil >f; cat f | xargs rg x",
        "echo --pre=./evil >f; xargs rg x <f",
        "echo --pre=./evil >>f; read p <f; rg x \"$p\"",
        "echo --pre=./evil | xargs -I{} rg x {}",
        "echo --pre=./evil | xargs -I{} rg x {}\"$y\"",
        "echo --pre=./evil | xargs -I{} rg x \"{$y\"",
    ] {
        let e = c.text(text);
        assert_eq!(e.decision, Decision::Ask, "{text}");
        assert!(
            codes(&e).iter().any(|c| ["dynamic-option", "hazard"].contains(c)),
            "{text}: {:?}",
            e.findings
        );
    }
    for text in [
        "rg x $y",
        "rg x \"$y/z\"",
        "f=a.txt; rg x \"$f\"",
        "f=-n; rg x $f",
        "for f in *.c; do rg x \"$f\"; done",
        "for f in a-b.c; do rg x \"$f\"; done",
        "rg x \"$(git rev-parse --show-toplevel)\"",
        "top=$(git rev-parse --show-toplevel); rg x \"$top\"",
        "git log $(git merge-base main HEAD)..HEAD",
        "rg x \"${DIR:-src}\"",
        "git ls-files | while read f; do rg x \"$f\"; done",
        "rg x $((1 + 2))",
        "git ls-files | xargs rg x",
        "git ls-files '*.c' | sort | xargs -I{} rg x {}",
        "git diff --name-only | head -5 | xargs rg x",
        "xargs rg x <<E\na.txt\nb.txt\nE",
        "echo a.txt | xargs rg x",
        "cat list | xargs -n1 rg x",
        "rg x $(cat list) 2>/dev/null",
        "while read -r f; do rg x \"$f\"; done <list",
    ] {
        let e = c.text(text);
        assert!(
            codes(&e).iter().all(|c| !["dynamic-option", "hazard"].contains(c)),
            "{text}: {:?}",
            e.findings
        );
    }
}

#[test]
fn a_function_is_one_only_where_it_is_certainly_defined() {
    let mut c = Case::new(&["/usr/bin/*"]).checked();
    for text in [
        "(zz() { ls; }); zz",
        "zz; zz() { ls; }",
        "false && zz() { ls; }; zz",
        "true || zz() { ls; }; zz",
        "if ls; then zz() { ls; }; fi; zz",
        "for i in 1; do zz() { ls; }; done; zz",
        "while ls; do zz() { ls; }; done; zz",
        "case x in y) zz() { ls; };; esac; zz",
        "ls | zz() { ls; }; zz",
        "zz() { ls; } & zz",
        "yy() { zz() { ls; }; }; zz",
        "yy() { zz; }; yy; zz() { ls; }",
        "zz() { ls; }; bash -c zz",
        "zz() { ls; }; env zz",
        "zz() { ls; }; command zz",
        "zz() { ls; }; unset zz; zz",
        "zz() { ls; }; unset -f zz; zz",
        "zz() { ls; }; unset \"$x\"; zz",
        "ls $(zz() { ls; }); zz",
    ] {
        assert_eq!(c.text(text).decision, Decision::Ask, "{text}");
    }
    for text in [
        "zz() { ls; }; zz",
        "zz() { ls; } && zz",
        "zz() { ls; }; zz | wc -l; (zz); if zz; then zz; fi; for i in 1 2; do zz $i; done; ls $(zz)",
        "yy() { zz; }; zz() { ls; }; yy",
        "zz() { yy; ls; }; yy() { wc -l; }; xx() { zz | yy; }; xx",
        "(zz() { ls; }; zz)",
        "if ls; then zz() { ls; }; zz; fi",
        "bash -c 'zz() { ls; }; zz'",
        "zz() { if ls; then zz; fi; }; zz",
    ] {
        assert_eq!(c.text(text).decision, Decision::Allow, "{text}: {:?}", c.text(text).findings);
    }
}

#[test]
fn a_variable_that_is_looked_at_stands_once() {
    let c = || Case::new(&["/usr/bin/*"]);
    asks(&c().env("PATH=/tmp/evil:/usr/bin").text("timeout 5 ls | wc -l"), "environment");
    asks(&c().env("PATH=/tmp/evil:/usr/bin").argv(&["ls"]), "environment");
    asks(&c().env("HOME=/tmp/evil").argv(&["git", "status"]), "environment");
    // The same twice, or a name that nobody looks at, is only odd.
    assert_eq!(c().env("PATH=/usr/bin:/bin").text("timeout 5 ls | wc -l").decision, Decision::Allow);
    assert_eq!(c().env("A=1").env("A=2").text("ls").decision, Decision::Allow);
}

/// What a file says is run by the shell itself: nobody reads it here, wherever it lies and whoever may run it.
#[test]
fn a_file_that_the_shell_reads_asks() {
    let files =
        ["git", "ls", "cat", "bash", "env", "echo", "source", "x.sh"].map(|p| format!("/usr/bin/{p}"));
    let mut list: Vec<&str> = files.iter().map(String::as_str).collect();
    list.extend(["/usr/bin/zsh", "/usr/bin/dash", "/srv/**"]);
    for mut c in [Case::new(&list), Case::new(&list).checked()] {
        c.world = c.world.program("/usr/bin/x.sh").program("/usr/bin/zsh").program("/srv/x.sh");
        for call in [
            ". ./x.sh",
            ". x.sh",
            ". /srv/x.sh",
            ". x",
            ". /dev/stdin",
            ". /dev/fd/0",
            ". /proc/self/fd/0",
            ". -",
            ". -- x.sh",
            ". \"$x\"",
            ". x.sh a b",
            ". /dev/stdin <<E\nid\nE",
            ". /dev/stdin <<<id",
            "ls | . /dev/stdin",
            ". <(ls)",
            "'.' x.sh",
            "\\. x.sh",
            "\"\". x.sh",
            "command . x.sh",
            "ls && . x.sh",
            "if . x.sh; then ls; fi",
            "{ . x.sh; }",
            "(. x.sh)",
            "f() { . x.sh; }; f",
            ". x.sh & ls",
            "! . x.sh",
            "x=1 . x.sh",
            "eval . x.sh",
            "ls $(. x.sh)",
            "trap '. x.sh' EXIT",
        ] {
            for shell in ["bash", "dash", "zsh", "sh"] {
                let nested = [shell, "-c", call];
                for e in [c.text(call), c.argv(&nested), c.link(&nested)] {
                    assert_eq!(e.decision, Decision::Ask, "{shell}: {call}");
                }
            }
            // dash has no `source`: there it is a program, or nothing.
            let call = call.replacen(". x", "source x", 1).replacen(". /", "source /", 1);
            for shell in ["bash", "zsh"] {
                assert_eq!(c.argv(&[shell, "-c", &call]).decision, Decision::Ask, "{shell}: {call}");
            }
        }
        for (shell, call) in [
            ("bash", "builtin . x.sh"),
            ("bash", "builtin source x.sh"),
            ("bash", "command source x.sh"),
            ("bash", "{.,x.sh}"),
            ("bash", "$'.' x.sh"),
            ("bash", "x=.; $x x.sh"),
            ("bash", "time . x.sh"),
            ("bash", "coproc . x.sh"),
            ("zsh", "builtin . x.sh"),
            ("zsh", "noglob . x.sh"),
            ("zsh", "- . x.sh"),
            ("zsh", "nocorrect source x.sh"),
            ("zsh", "exec . x.sh"),
            ("zsh", "command source x.sh"),
            ("zsh", "emulate sh -c '. x.sh'"),
        ] {
            assert_eq!(c.argv(&[shell, "-c", call]).decision, Decision::Ask, "{shell}: {call}");
        }
    }
}

#[test]
fn a_word_goes_on_behind_an_array() {
    let mut c = Case::new(&["/usr/bin/*"]).checked();
    for text in [
        "x=(a)# touch y",
        "x=()# touch y",
        "y=1 x=(a)# touch y",
        "x=(a)b",
        "x=(a)'b'",
        "x+=(a)# ls",
        "x=(a)(b)",
    ] {
        assert_eq!(c.text(text).decision, Decision::Ask, "{text}");
    }
    for text in ["x=(a b); ls", "x=(a) # a comment", "x=(a)\nls", "x=(a)&& ls"] {
        assert_eq!(c.text(text).decision, Decision::Allow, "{text}: {:?}", c.text(text).findings);
    }
}
