//! Oracle 1, *no guard*: an allowed program sees the same world with the guard in front as without it, except
//! for `EXEC_GUARD_DEPTH`, appended last.
use crate::stage::record::difference;
use crate::stage::{Stage, Way, cannot, listed};

const WAYS: &[Way] = &[Way::Dash, Way::Shim, Way::Text];

/// One odd situation.
#[derive(Clone, Default)]
struct Case {
    name: String,
    chain: Vec<&'static str>,
    launch: Vec<String>,
    /// Words after the tool's name.
    args: Vec<Vec<u8>>,
    /// Entries after the stage's own.
    env: Vec<Vec<u8>>,
    argv0: Option<Vec<u8>>,
    cwd: Option<&'static [u8]>,
    /// Status the tool answers with.
    reply: &'static str,
    as_root: bool,
}

fn case(name: impl Into<String>) -> Case {
    Case { name: name.into(), reply: "0", ..Case::default() }
}

/// A stage on which one tool may run.
fn stage() -> Stage {
    let stage = Stage::new().tool("tool").shim("tool").allowing(&["tool"]);
    stage.folder("work/sub", 0o755);
    std::fs::create_dir(stage.path("work").join(std::ffi::OsStr::new("a b\n'"))).expect("folder");
    stage
}

/// Where the ways differ from the plain run; empty = transparent.
fn compare(stage: Stage, case: &Case, ways: &[Way]) -> (Stage, Vec<String>) {
    use std::os::unix::ffi::OsStrExt;
    let stage = stage.tool_says("tool", case.reply, "said\n");
    let mut words = vec![b"tool".to_vec()];
    words.extend(case.args.iter().cloned());
    let cast = |way: Way| {
        let launch: Vec<&str> = case.launch.iter().map(String::as_str).collect();
        let mut c = stage.cast(&words).way(way).chain(&case.chain).launch(&launch).stdin(b"fed\n");
        let mut env = stage.environment();
        env.extend(case.env.iter().cloned());
        c = c.env(env);
        if let Some(w) = &case.argv0
            && matches!(way, Way::Plain | Way::Shim)
        {
            c = c.argv0(w);
        }
        if let Some(d) = case.cwd {
            c = c.cwd(stage.path("work").join(std::ffi::OsStr::from_bytes(d)));
        }
        if case.as_root {
            c = c.with_root();
        }
        c.run()
    };
    let pid = |run: &crate::stage::Run| (!case.as_root).then_some(run.pid);
    let plain = cast(Way::Plain);
    let mut out = Vec::new();
    let [before] = plain.records.as_slice() else {
        return (stage, vec![format!("{}: without a guard: {plain:?}", case.name)]);
    };
    let (before, wrong) = before.comparable(false, pid(&plain));
    out.extend(wrong.into_iter().map(|e| format!("{}: without a guard: {e}", case.name)));
    for way in ways {
        // Only where the caller names the file itself can it choose another argv[0].
        if case.argv0.is_some() && !matches!(way, Way::Shim) {
            continue;
        }
        let run = cast(*way);
        let mut say = |what: String| out.push(format!("{} by {way:?}: {what}", case.name));
        let [after] = run.records.as_slice() else {
            say(format!("did not run once: status {}, {}", run.code(), run.stderr.trim()));
            continue;
        };
        let (after, wrong) = after.comparable(true, pid(&run));
        wrong.into_iter().chain(difference(&before, &after)).for_each(&mut say);
        if (run.status, &run.stdout, &run.stderr) != (plain.status, &plain.stdout, &plain.stderr) {
            say(format!(
                "ended otherwise: {:?} {:?} {:?} against {:?} {:?} {:?}",
                run.status, run.stdout, run.stderr, plain.status, plain.stdout, plain.stderr
            ));
        }
    }
    (stage, out)
}

#[track_caller]
fn transparent(cases: &[Case]) {
    let mut bad = Vec::new();
    let mut s = stage();
    for c in cases {
        let (back, found) = compare(s, c, WAYS);
        s = back;
        bad.extend(found);
    }
    assert!(bad.is_empty(), "{} differences in {} cases:\n{}", bad.len(), cases.len(), listed(&bad));
}

fn with_launch(words: &[&str]) -> Case {
    let mut c = case(words.join(" "));
    c.launch = words.iter().map(|w| (*w).to_owned()).collect();
    c
}

fn subsets_closed() -> Vec<Case> {
    (0..8)
        .map(|bits| {
            let mut words = Vec::new();
            for n in 0..3 {
                if bits & (1 << n) != 0 {
                    words.extend(["--close".to_owned(), n.to_string()]);
                }
            }
            Case { launch: words.clone(), ..case(format!("closed: {}", words.join(" "))) }
        })
        .collect()
}

#[test]
fn closed_descriptors() {
    let mut cases = subsets_closed();
    // A closed number below an open one is where a file opened on the way would land.
    for c in subsets_closed() {
        let mut launch: Vec<String> = vec!["--extra".into(), "3".into(), "--extra".into(), "9".into()];
        launch.extend(c.launch);
        cases.push(Case { launch, ..case(format!("{} and extra 3, 9", c.name)) });
    }
    transparent(&cases);
}

#[test]
fn extra_descriptors() {
    let numbers: &[&[&str]] =
        &[&["3"], &["4"], &["9"], &["63"], &["255"], &["3", "4", "5", "6", "7"], &["5", "100"]];
    let cases: Vec<Case> = numbers
        .iter()
        .map(|set| {
            let words: Vec<&str> = set.iter().flat_map(|n| ["--extra", n]).collect();
            with_launch(&words)
        })
        .collect();
    transparent(&cases);
}

const SIGNALS: &[&str] = &[
    "PIPE", "HUP", "INT", "QUIT", "TERM", "CHLD", "USR1", "USR2", "WINCH", "TSTP", "TTIN", "TTOU", "ALRM",
    "XFSZ",
];

#[test]
fn signals() {
    let mut cases = vec![case("all as they come")];
    for s in SIGNALS {
        let option: &'static str = Box::leak(format!("--ignore-signal={s}").into_boxed_str());
        cases.push(Case { chain: vec!["/usr/bin/env", option], ..case(format!("{s} ignored")) });
        cases.push(with_launch(&["--block", &format!("SIG{s}")]));
    }
    cases.push(Case { chain: vec!["/usr/bin/env", "--ignore-signal"], ..case("every signal ignored") });
    cases.push(Case {
        chain: vec!["/usr/bin/env", "--ignore-signal=PIPE"],
        launch: vec!["--block".into(), "SIGPIPE".into(), "--close".into(), "0".into()],
        ..case("SIGPIPE ignored and blocked, stdin closed")
    });
    transparent(&cases);
}

#[test]
fn arguments() {
    let list: Vec<(&str, Vec<Vec<u8>>)> = vec![
        ("none", vec![]),
        ("one empty", vec![vec![]]),
        ("empties", vec![vec![], b"x".to_vec(), vec![]]),
        (
            "dashes",
            vec![b"-".to_vec(), b"--".to_vec(), b"-x".to_vec(), b"--help".to_vec(), b"--version".to_vec()],
        ),
        ("like the guard's own", vec![b"--agent".to_vec(), b"x".to_vec(), b"check".to_vec(), b"-c".to_vec()]),
        ("blanks", vec![b" ".to_vec(), b"a b".to_vec(), b"\t".to_vec()]),
        ("quotes", vec![b"'".to_vec(), b"\"".to_vec(), b"\\".to_vec(), b"a'b\"c\\d".to_vec()]),
        (
            "like operators",
            [";", "&&", "|", ">", "$(id)", "`id`", "$HOME", "*", "~", "{a,b}", "#", "!", "&"]
                .map(|w| w.as_bytes().to_vec())
                .to_vec(),
        ),
        ("UTF-8", vec!["Grüße".into(), "日本".into(), "🦀".into()]),
        ("a hundred KB", vec![vec![b'x'; 100_000]]),
        ("a thousand", (0..1000).map(|i| format!("arg{i}").into_bytes()).collect()),
        ("assignment-like", vec![b"A=1".to_vec(), b"=".to_vec()]),
    ];
    let cases: Vec<Case> = list.into_iter().map(|(n, args)| Case { args, ..case(n) }).collect();
    transparent(&cases);
}

#[test]
fn arguments_that_are_not_text() {
    let list: Vec<Vec<u8>> = vec![
        vec![0xff],
        vec![0xc3, 0x28],
        b"new\nline".to_vec(),
        b"\x1b[31m".to_vec(),
        (1..=255).collect(),
        "\u{202e}txt".into(),
        b"\r".to_vec(),
    ];
    let mut bad = Vec::new();
    let mut s = stage();
    for a in list {
        let c = Case { args: vec![a.clone()], ..case(format!("argument {:?}", String::from_utf8_lossy(&a))) };
        // As text for a shell such bytes are another question: the analysis may well refuse them.
        let (back, found) = compare(s, &c, &[Way::Dash, Way::Shim]);
        s = back;
        bad.extend(found);
    }
    assert!(bad.is_empty(), "{}", listed(&bad));
}

#[test]
fn environment() {
    let list: Vec<(&str, Vec<&[u8]>)> = vec![
        ("no equals sign", vec![b"NOEQ"]),
        ("empty entry", vec![b""]),
        ("empty name", vec![b"=value"]),
        ("only an equals sign", vec![b"="]),
        ("empty value", vec![b"EMPTY="]),
        ("twice", vec![b"TWICE=1", b"TWICE=2", b"TWICE=1"]),
        ("order", vec![b"Z=1", b"A=2", b"M=3", b"B=4"]),
        ("not text", vec![b"X=\xff\xfe", b"\xff=\xff", b"Y=\x01\x02\n\x1b"]),
        ("odd names", vec![b"a-b=1", b"1=2", b"a b=3", b"a.b=4"]),
        ("equals in value", vec![b"X==a=b="]),
        ("a longer name of ours", vec![b"EXEC_GUARD_DEPTHS=7", b"XEXEC_GUARD_DEPTH=7"]),
    ];
    let mut cases: Vec<Case> = list
        .into_iter()
        .map(|(n, env)| Case { env: env.into_iter().map(<[u8]>::to_vec).collect(), ..case(n) })
        .collect();
    let long = [b"LONG=".as_slice(), &vec![b'x'; 100_000]].concat();
    cases.push(Case { env: vec![long], ..case("a hundred KB") });
    cases.push(Case {
        env: (0..2000).map(|i| format!("V{i}={i}").into_bytes()).collect(),
        ..case("2000 variables")
    });
    transparent(&cases);
}

#[test]
fn masks_limits_priorities() {
    let mut cases = Vec::new();
    for m in ["000", "022", "027", "077", "777"] {
        cases.push(with_launch(&["--umask", m]));
    }
    for l in ["nofile=64", "nofile=256", "core=0", "stack=1048576", "cpu=100", "fsize=10000000"] {
        cases.push(with_launch(&["--limit", l]));
    }
    for chain in [
        vec!["nice", "-n", "5"],
        vec!["nice", "-n", "19"],
        vec!["ionice", "-c", "3"],
        vec!["taskset", "1"],
        vec!["setpriv", "--no-new-privs"],
        vec!["chrt", "--batch", "0"],
        vec!["choom", "-n", "500", "--"],
        vec!["setarch", "-R"],
    ] {
        cases.push(Case { chain: chain.clone(), ..case(chain.join(" ")) });
    }
    transparent(&cases);
}

#[test]
fn working_folders() {
    let mut cases = vec![with_launch(&["--gone"])];
    for d in [b"".as_slice(), b"sub", b"a b\n'", b"/", b"/tmp", b"/usr/bin"] {
        cases.push(Case { cwd: Some(d), ..case(format!("cwd {:?}", String::from_utf8_lossy(d))) });
    }
    transparent(&cases);
}

#[test]
fn how_it_ends() {
    let cases: Vec<Case> = ["0", "1", "2", "75", "125", "126", "127", "128", "200", "255", "abort"]
        .into_iter()
        .map(|reply| Case { reply, ..case(format!("status {reply}")) })
        .collect();
    transparent(&cases);
}

#[test]
fn argv0_stays_what_was_typed() {
    let s = stage();
    let cases = ["tool".to_owned(), s.text("shims/tool")];
    let cases: Vec<Case> = cases
        .into_iter()
        .map(|w| Case { argv0: Some(w.clone().into_bytes()), ..case(format!("argv[0] {w}")) })
        .collect();
    let mut bad = Vec::new();
    let mut s = s;
    for c in &cases {
        let (back, found) = compare(s, c, WAYS);
        s = back;
        bad.extend(found);
    }
    assert!(bad.is_empty(), "{}", listed(&bad));
}

#[test]
fn process_one() {
    if !nix::unistd::geteuid().is_root() {
        return cannot("a pid namespace needs root here");
    }
    let probe = std::process::Command::new("unshare").args(["-pf", "--mount-proc", "true"]).output();
    if !probe.is_ok_and(|o| o.status.success()) {
        return cannot("the kernel gives no pid namespace");
    }
    let drop = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let mut chain = vec!["unshare", "-pf", "--mount-proc", "setpriv"];
    chain.extend(drop);
    let c = Case { chain, as_root: true, ..case("process 1") };
    let (s, bad) = compare(stage(), &c, WAYS);
    assert!(bad.is_empty(), "{}", listed(&bad));
    // The witness really was process 1.
    let run = s.cast(&["tool"]).chain(&c.chain).with_root().run();
    assert_eq!(run.records.first().map(|r| r.status("NSpid")), Some("1".to_owned()), "{run:?}");
}

/// The stage can see: a guard written without care is found out in each of the ways it disturbs.
#[test]
fn a_clumsy_guard_is_seen() {
    let expect = [
        (with_launch(&["--close", "0"]), "/fds/0"),
        (with_launch(&["--close", "2"]), "/fds/2"),
        (
            Case { chain: vec!["/usr/bin/env", "--ignore-signal=PIPE"], ..case("SIGPIPE ignored") },
            "/status/SigIgn",
        ),
        (Case { env: vec![b"NOEQ".to_vec()], ..case("entry without equals sign") }, "/env"),
        (Case { env: vec![b"Z=1".to_vec(), b"A=1".to_vec()], ..case("order") }, "EXEC_GUARD_DEPTH"),
    ];
    // No shim on PATH: it is this guard that has to find the tool.
    let mut s = stage();
    std::fs::remove_file(s.path("shims/tool")).expect("the shim");
    for (c, mark) in expect {
        let (back, found) = compare(s, &c, &[Way::Clumsy]);
        s = back;
        assert!(found.iter().any(|f| f.contains(mark)), "{}: {mark} was not seen in {found:?}", c.name);
    }
}
