//! The real shells as the judge of the policy, as often as one likes.
//!
//! `shell_oracle --witness FILE [--quick FILE] [--seed N] [--count N] [--seconds N] [--shell NAME]… [--most N]`, started
//! in a view of the file system where `/run` is its own and there is no network: `scripts/oracle` makes one.
//!
//! A text that `policy::decide` allows at `checked` is run by the plain shell, and as the guard would run it. Every
//! program that ran must be one that a judged segment names, and both runs must have done the same: the same programs
//! with the same words, folder, variables and input, in the same order, with the same output and status. The
//! order counts where nothing runs side by side.
//!
//! What counts as an execution: one run of a text that was allowed, by dash, bash or zsh, whose records were compared. A
//! run that only looks again (a difference, the check of the quick way) counts for nothing, and neither does one without
//! a shell, where the guard executes the only program itself.
//!
//! With `--quick` shells are loaded once: `quick.c` says how. Every run that shows a difference is made again without,
//! and so is every 64th, which must be the same.
mod compare;
mod dice;
mod found;
mod grammar;
mod quick;
mod stage;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use policy::document::{Accept, AllowList, Effective, Entry, Redirections, Security, Sourced};
use policy::shell::construct::Treatment;
use policy::shell::{Dialect, parse};
use policy::{Arg, Decision, Evaluation, Form, Guard, Invocation, SegmentKind, decide_as};

use crate::compare::{difference, racy};
use crate::dice::Dice;
use crate::found::FOUND;
use crate::stage::{REAL, ROOT, Ran, Remembered, Stage};

/// How often a difference is looked at before it counts: members of a pipeline race, and a machine may stand still.
const ATTEMPTS: usize = 6;

/// Of so many quick runs one is made again by a new process.
const CHECKED: u64 = 64;

/// What differs from one run to the next in the plain shell too, or tells that a program was started by its path.
const RESTLESS: &[&str] = &[
    "$$",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "EPOCH",
    "BASHPID",
    "PPID",
    "BASH_",
    "TIMEFORMAT",
    "times",
    "${$",
    "$-",
    "${-",
    "type ",
    "cd -",
    "hash",
    // The builtin reaches whoever looks on.
    "kill",
    // Walks the whole file system.
    "find /",
    "find ..",
];

struct Options {
    witness: PathBuf,
    quick: Option<PathBuf>,
    seed: u64,
    count: u64,
    seconds: u64,
    shells: Vec<Dialect>,
    most: usize,
    text: Option<String>,
}

fn options() -> Option<Options> {
    let mut out = Options {
        witness: PathBuf::new(),
        quick: None,
        seed: 1,
        count: 1000,
        seconds: u64::MAX,
        shells: Vec::new(),
        most: 40,
        text: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.as_str() {
            "--witness" => out.witness = value.into(),
            "--quick" => out.quick = Some(value.into()),
            "--seed" => out.seed = value.parse().ok()?,
            "--count" => out.count = value.parse().ok()?,
            "--seconds" => out.seconds = value.parse().ok()?,
            "--shell" => out.shells.push(Dialect::of_name(value.as_bytes())?),
            "--most" => out.most = value.parse().ok()?,
            "--text" => out.text = Some(value),
            _ => return None,
        }
    }
    if out.shells.is_empty() {
        out.shells = vec![Dialect::Dash, Dialect::Bash, Dialect::Zsh];
    }
    out.shells.retain(|d| Path::new("/usr/bin").join(d.word()).exists());
    Some(out)
}

fn main() {
    let Some(options) = options() else {
        eprintln!("shell_oracle: see the first lines of its source");
        std::process::exit(2);
    };
    let mut corpus = corpus();
    corpus.extend(FOUND.iter().map(|t| (*t).to_owned()));
    let names = names(&corpus);
    let stage = Stage::new(&options.witness, options.quick.as_deref(), &names).expect("a stage");
    let world = stage.world(&names);
    let mut oracle = Oracle {
        effective: effective(&names),
        quick: options.quick.is_some(),
        stage,
        world,
        tally: Tally::default(),
    };
    let began = Instant::now();
    let mut dice = Dice::new(options.seed);
    let mut seen = HashSet::new();
    let mut wrong: Vec<String> = Vec::new();
    let mut round = 0u64;
    let mut first: Vec<(Dialect, String)> = Vec::new();
    for text in options
        .text
        .iter()
        .map(String::as_str)
        .chain(FOUND.iter().copied().filter(|_| options.text.is_none()))
    {
        first.extend(options.shells.iter().map(|d| (*d, text.to_owned())));
    }
    first.reverse();
    while oracle.tally.runs < options.count
        && wrong.len() < options.most
        && began.elapsed().as_secs() < options.seconds
    {
        round += 1;
        let (dialect, text) = match first.pop() {
            Some(one) => one,
            None if options.text.is_some() => break,
            // The shells that start soonest run most of the texts.
            None => {
                let turn = [0, 1, 0, 1, 2][(round % 5) as usize];
                (options.shells[turn % options.shells.len()], dice.text(&corpus))
            }
        };
        let mut hasher = DefaultHasher::new();
        (dialect, &text).hash(&mut hasher);
        if !seen.insert(hasher.finish()) {
            oracle.tally.again += 1;
            continue;
        }
        oracle.tally.texts += 1;
        let mood = if racy(text.as_bytes()) { "n" } else { "c" };
        let mood = format!("{mood}{}", dice.roll(4));
        if let Some(fault) = oracle.judge(dialect, &text, &mood, options.text.is_some()) {
            println!("{fault}\n");
            wrong.push(fault);
        }
        if round.is_multiple_of(20_000) {
            println!("# {} {:.0} s", oracle.tally, began.elapsed().as_secs_f64());
        }
    }
    println!(
        "# seed {}: {} {:.0} s, {} counter-examples",
        options.seed,
        oracle.tally,
        began.elapsed().as_secs_f64(),
        wrong.len()
    );
    std::process::exit(i32::from(!wrong.is_empty()));
}

/// What was done.
#[derive(Default)]
struct Tally {
    texts: u64,
    again: u64,
    allowed: BTreeMap<&'static str, u64>,
    runs: u64,
    endless: u64,
    restless: u64,
    direct: u64,
    checked: u64,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let allowed: u64 = self.allowed.values().sum();
        write!(
            f,
            "{} texts ({} more met again), {allowed} allowed {:?}, {} executions by a shell, {} without one, {} made \
             again slowly, {} texts without an end, {} never the same twice,",
            self.texts,
            self.again,
            self.allowed,
            self.runs,
            self.direct,
            self.checked,
            self.endless,
            self.restless
        )
    }
}

struct Oracle {
    effective: Effective,
    quick: bool,
    stage: Stage,
    world: Remembered,
    tally: Tally,
}

impl Oracle {
    /// What is wrong with a text, if anything is.
    fn judge(&mut self, dialect: Dialect, text: &str, mood: &str, say: bool) -> Option<String> {
        // An inner shell is started by its path, which is its `$0`.
        if text.contains("sh ") && (text.contains("$0") || text.contains("${0")) {
            return None;
        }
        if text.contains('\0') || RESTLESS.iter().any(|w| text.contains(w)) {
            return None;
        }
        // Most texts are refused: soonest by what they are made of.
        if !say
            && parse(text.as_bytes(), dialect).noted.iter().any(|n| n.construct.checked() == Treatment::Ask)
        {
            return None;
        }
        let invocation = invocation(dialect, text, mood);
        let judged = decide_as(self.effective.clone(), &invocation, &self.world);
        if say {
            for s in &judged.segments {
                println!("segment {:?} {:?} {:?}", s.kind, s.argv, s.satisfied_by);
            }
            for f in &judged.findings {
                println!("{:?} {}", f.decision, f.message);
            }
        }
        let permit = judged.permit().filter(|_| judged.decision == Decision::Allow)?;
        // What an inner shell is told is seen there only.
        let told = |word: &Vec<u8>| RESTLESS.iter().any(|w| String::from_utf8_lossy(word).contains(w));
        if permit.argv().iter().any(told) {
            return None;
        }
        // The words of a witness that should have carried something are not the same when that is rendered.
        let idle = |s: &policy::Segment| {
            s.kind == SegmentKind::Program
                && !real(s)
                && !s.argv.first().is_some_and(|a| a.shown().starts_with(b"w"))
        };
        let carried = |s: &policy::Segment| {
            s.span.is_none() && s.within.is_some_and(|up| judged.segments.get(up).is_some_and(idle))
        };
        if judged.segments.iter().any(carried) {
            return None;
        }
        let shell = PathBuf::from("/usr/bin").join(dialect.word());
        let mut argv = vec![dialect.word().as_bytes().to_vec()];
        argv.extend(match dialect {
            Dialect::Bash => vec![b"--norc".to_vec(), b"--noprofile".to_vec()],
            Dialect::Dash => Vec::new(),
            Dialect::Zsh => vec![b"-f".to_vec()],
        });
        argv.extend([b"-c".to_vec(), b"--".to_vec(), text.as_bytes().to_vec()]);
        if let Form::Text { args, .. } = &invocation.form {
            argv.extend_from_slice(args);
        }
        let file = PathBuf::from(std::ffi::OsStr::new(std::str::from_utf8(&permit.exe().found).ok()?));
        let by_shell = permit.argv().iter().any(|a| a == b"-c") && file.starts_with("/usr/bin");
        *self.tally.allowed.entry(dialect.word()).or_default() += 1;
        let racy = racy(text.as_bytes());
        let (mut without, mut with): (Vec<Ran>, Vec<Ran>) = (Vec::new(), Vec::new());
        for attempt in 0..ATTEMPTS {
            let plain = self.stage.run(&shell, &argv, &invocation.env, attempt == 0).expect("a run");
            if say {
                println!("{plain:?}");
            }
            for call in &plain.calls {
                if !explained(&judged, call) {
                    let call = shown(call);
                    return Some(format!(
                        "UNNAMED {} {text:?}\n  ran {call}\n  {}",
                        dialect.word(),
                        segments(&judged)
                    ));
                }
            }
            if attempt == 0 && !plain.ended {
                self.tally.endless += 1;
                return None;
            }
            if attempt == 0 && self.quick && self.tally.runs % CHECKED < 2 {
                self.tally.checked += 1;
                let slowly =
                    |stage: &mut Stage| stage.run(&shell, &argv, &invocation.env, false).expect("a run");
                let mut others = Vec::new();
                while others.iter().all(|o| difference(o, &plain, racy).is_some()) && others.len() < ATTEMPTS
                {
                    others.push(slowly(&mut self.stage));
                }
                if let Some(what) = others.last().and_then(|o| difference(o, &plain, racy))
                    && !racy
                {
                    return Some(format!("QUICK {} {text:?}\n  {what}", dialect.word()));
                }
            }
            if plain.files && !text.contains('>') {
                return Some(format!("FILES {} {text:?}", dialect.word()));
            }
            let guarded = self.stage.run(&file, permit.argv(), permit.env(), attempt == 0).expect("a run");
            if say {
                println!(
                    "{:?}\n{guarded:?}",
                    permit.argv().iter().map(|a| String::from_utf8_lossy(a)).collect::<Vec<_>>()
                );
            }
            if attempt == 0 {
                self.tally.runs += 1 + u64::from(by_shell);
                self.tally.direct += u64::from(!by_shell);
            }
            for call in &guarded.calls {
                if !explained(&judged, call) {
                    let call = shown(call);
                    return Some(format!(
                        "UNNAMED rendered {} {text:?}\n  ran {call}\n  {}",
                        dialect.word(),
                        segments(&judged)
                    ));
                }
            }
            // Who looks at the whole environment sees that there is a guard.
            let looks = |r: &Vec<u8>| String::from_utf8_lossy(r).contains("EXEC_GUARD_DEPTH");
            if looks(&guarded.stdout) || guarded.records.iter().any(looks) {
                return None;
            }
            without.push(plain);
            with.push(guarded);
            if without.iter().any(|p| with.iter().any(|g| difference(p, g, racy).is_none())) {
                return None;
            }
        }
        if without.windows(2).any(|w| difference(&w[0], &w[1], racy).is_some()) {
            self.tally.restless += 1;
            if !racy {
                println!("restless {} {text:?}\n  {:?}\n  {:?}", dialect.word(), without[0], without[1]);
            }
            return None;
        }
        let what = difference(without.last()?, with.last()?, racy)?;
        let rendering =
            permit.argv().iter().map(|a| String::from_utf8_lossy(a).into_owned()).collect::<Vec<_>>();
        Some(format!("DIFFERS {} W={mood} {text:?}\n  as {rendering:?}\n  {what}", dialect.word()))
    }
}

/// True if the program is what it is called, and no witness.
fn real(segment: &policy::Segment) -> bool {
    segment.exe.as_ref().is_some_and(|e| e.real.starts_with(b"/usr/bin/"))
}

/// True if a call is one that the words of a segment could have become.
fn explained(judged: &Evaluation, call: &[Vec<u8>]) -> bool {
    judged.segments.iter().filter(|s| s.kind == SegmentKind::Program).any(|s| {
        let Some((Arg::Literal(name), words)) = s.argv.split_first() else { return false };
        let last = name.rsplit(|b| *b == b'/').next().unwrap_or_default();
        call.split_first().is_some_and(|(n, rest)| n == last && fits(words, rest))
    })
}

/// True if these words could have become the call.
fn fits(words: &[Arg], call: &[Vec<u8>]) -> bool {
    match (words.split_first(), call.split_first()) {
        (None, None) => true,
        (Some((Arg::Literal(word), words)), Some((got, call))) => word == got && fits(words, call),
        (Some((Arg::Dynamic { prefix, single: true, .. }, words)), Some((got, call))) => {
            got.starts_with(prefix) && fits(words, call)
        }
        (Some((Arg::Dynamic { single: false, .. }, words)), _) => {
            (0..=call.len()).any(|n| fits(words, call.get(n..).unwrap_or_default()))
        }
        _ => false,
    }
}

fn shown(call: &[Vec<u8>]) -> String {
    format!("{:?}", call.iter().map(|w| String::from_utf8_lossy(w)).collect::<Vec<_>>())
}

fn segments(judged: &Evaluation) -> String {
    let shown: Vec<String> = judged
        .segments
        .iter()
        .map(|s| {
            format!("{:?}", s.argv.iter().map(|a| String::from_utf8_lossy(a.shown())).collect::<Vec<_>>())
        })
        .collect();
    shown.join(" ")
}

fn effective(names: &BTreeSet<String>) -> Effective {
    let mut out = Effective::built_in("main");
    out.security = Sourced { value: Security::Allowlist, from: "test".to_owned() };
    out.shell_accept = Accept::Checked;
    out.redirections = Redirections::Harmless;
    // Safe bins are run by the guard itself; here all are programs that entries name.
    out.safe_bins = Vec::new();
    let entry = |name: &String| Entry {
        pattern: format!("{ROOT}/bin/{}", name.replace('[', "\\[")),
        hazards_allow: !REAL.contains(&name.as_str()),
        ..Entry::default()
    };
    out.allow = vec![AllowList::new(names.iter().map(entry).collect())];
    out
}

fn invocation(dialect: Dialect, text: &str, mood: &str) -> Invocation {
    let env = [
        "PATH=/run/oracle/bin",
        "HOME=/run/oracle/home",
        "LC_ALL=C.UTF-8",
        "NODE_ENV=a b",
        &format!("W={mood}"),
    ];
    Invocation {
        form: Form::Text {
            text: text.as_bytes().to_vec(),
            shell: Some(format!("/usr/bin/{}", dialect.word()).into_bytes()),
            args: [b"sh".as_slice(), b"p1", b"p 2"].iter().map(|a| a.to_vec()).collect(),
        },
        env: env.iter().map(|e| e.as_bytes().to_vec()).collect(),
        cwd: Some(format!("{ROOT}/cwd").into_bytes()),
        agents: vec!["main".into()],
        session: None,
        now_ms: 0,
        home: Some(format!("{ROOT}/home").into_bytes()),
        unattended: true,
        guard: Guard::default(),
    }
}

/// The texts of the corpora.
fn corpus() -> Vec<String> {
    let mut out = Vec::new();
    for rows in [
        include_str!("../../corpus/benign.jsonl"),
        include_str!("../../corpus/attacks.jsonl"),
        include_str!("../../corpus/openclaw-cases.jsonl"),
    ] {
        for row in rows.lines().filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok()) {
            if let Some(text) = row["command"].as_str().filter(|t| t.len() < 1000) {
                out.push(text.to_owned());
            }
        }
    }
    let mut everyday: Vec<String> = Vec::new();
    for line in include_str!("../../../policy/tests/everyday.txt").lines() {
        match line.split_once(' ') {
            Some(("|", rest)) => {
                if let Some(last) = everyday.last_mut() {
                    last.push('\n');
                    last.push_str(rest);
                }
            }
            Some((mark, rest)) if mark.len() == 2 => everyday.push(rest.to_owned()),
            _ => {}
        }
    }
    out.extend(everyday);
    out
}

/// Names of all programs that the texts speak of.
fn names(corpus: &[String]) -> BTreeSet<String> {
    let mut out: BTreeSet<String> = Stage::own_names().map(str::to_owned).collect();
    for text in corpus {
        let parsed = parse(text.as_bytes(), Dialect::Bash);
        for simple in parsed.script.simples() {
            let name = simple.words.first().and_then(policy::shell::Word::literal).unwrap_or_default();
            let plain = |b: &u8| b.is_ascii_alphanumeric() || b"_-.+".contains(b);
            if let Ok(name) = String::from_utf8(name)
                && !name.is_empty()
                && name.len() < 40
                && name.bytes().all(|b| plain(&b))
                && !name.contains("exec-guard")
                && !name.starts_with(['.', '-'])
            {
                out.insert(name);
            }
        }
    }
    out
}
