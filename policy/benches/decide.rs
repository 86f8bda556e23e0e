//! Time of a verdict: a literal hit, a glob hit, a miss, scripts of 2 KB and more. `cargo bench -p exec-guard-policy`.
//!
//! No clock is in the library, so none is mocked: this measures the pure part of the path of a command. The median is
//! what is felt on a machine that does nothing else; the best run is what the code can do, on any machine. It is built
//! as the programs are shipped (the profile `bench` is `release`, optimised for size).
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use policy::document::{Accept, Effective, Entry, Redirections, Security};
use policy::{
    Decision, Evaluation, FakeWorld, FileId, FileInfo, Form, Guard, Invocation, NameKind, World, decide_as,
};

/// The guard's own: memory lies in one piece.
#[global_allocator]
static MEMORY: sys::arena::Arena = sys::arena::Arena::new();

/// The pretended files, with what was answered once: a verdict is measured, not a list that is searched from its
/// beginning for each question. (The guard's own file system remembers its answers too, for as long as it runs.)
struct Remembered {
    world: FakeWorld,
    infos: RefCell<BTreeMap<Vec<u8>, Option<FileInfo>>>,
    reals: RefCell<BTreeMap<Vec<u8>, Option<Vec<u8>>>>,
}

fn remembered<T: Clone>(
    answers: &RefCell<BTreeMap<Vec<u8>, T>>,
    path: &[u8],
    ask: impl FnOnce(&[u8]) -> T,
) -> T {
    if let Some(answer) = answers.borrow().get(path) {
        return answer.clone();
    }
    let answer = ask(path);
    answers.borrow_mut().insert(path.to_vec(), answer.clone());
    answer
}

impl World for Remembered {
    fn info(&self, path: &[u8]) -> Option<FileInfo> {
        remembered(&self.infos, path, |path| self.world.info(path))
    }
    fn real(&self, path: &[u8]) -> Option<Vec<u8>> {
        remembered(&self.reals, path, |path| self.world.real(path))
    }
    fn head(&self, path: &[u8]) -> Option<Vec<u8>> {
        self.world.head(path)
    }
    fn writable(&self, path: &[u8]) -> bool {
        self.world.writable(path)
    }
    fn link(&self, path: &[u8]) -> bool {
        World::link(&self.world, path)
    }
    fn target(&self, link: &[u8]) -> Option<Vec<u8>> {
        self.world.target(link)
    }
    fn names(&self, folder: &[u8], most: usize) -> Option<Vec<(Vec<u8>, NameKind)>> {
        self.world.names(folder, most)
    }
    fn is_guard(&self, file: &FileId) -> bool {
        self.world.is_guard(file)
    }
}

/// The verdict that is measured: `valgrind --tool=callgrind --toggle-collect='*measured*'` counts its instructions.
#[inline(never)]
fn measured(effective: Effective, invocation: &Invocation, world: &Remembered) -> Evaluation {
    decide_as(effective, invocation, world)
}

/// Most runs of a case.
const MOST: usize = 1 << 20;

/// Commands of a deployment, 45 in 2 KB.
const DEPLOY: &str = include_str!("deploy.sh");

/// Little of it is run.
fn mostly_text() -> String {
    let mut out = String::from("git log -n 1\n");
    for i in 0..12 {
        out.push_str(&format!(
            "# Step {i}: what follows is text, it's not a \"command\" $(and) nothing in it runs.\n"
        ));
    }
    out.push_str("cat <<'END'\n");
    for i in 0..12 {
        out.push_str(&format!(
            "line {i} of a letter; it's long, has $variables, `ticks` and (brackets) & all that\n"
        ));
    }
    out.push_str("END\necho done\n");
    out
}

fn main() {
    const NAMES: &[&str] = &[
        "awk", "cat", "cp", "curl", "dash", "bash", "docker", "find", "git", "grep", "head", "jq", "kubectl",
        "ls", "make", "mkdir", "npm", "sort", "tail", "tar", "uniq", "wc",
    ];
    let world = NAMES.iter().fold(FakeWorld::new(), |w, n| w.program(&format!("/usr/bin/{n}")));
    let world = world.file("/home/u/src/README", b"");
    let world = Remembered { world, infos: RefCell::default(), reals: RefCell::default() };
    let program = |words: &[&str]| Form::Program {
        argv: words.iter().map(|w| w.as_bytes().to_vec()).collect(),
        by_link: false,
    };
    let text = |t: &str| Form::Text {
        text: t.as_bytes().to_vec(),
        shell: Some(b"/usr/bin/bash".to_vec()),
        args: vec![],
    };
    let long = "git status && ls -l | head -n 5; ".repeat(100);
    let pipeline =
        format!("git log --format=%an{}", " | grep -v 'x y' | sort | uniq -c | head -n 50".repeat(45));
    let letter = mostly_text();
    // Lines are whole commands: any number of copies is a script.
    let copies = |n: usize| DEPLOY.repeat(n);
    let list = |n: usize, last: &str| {
        let mut list: Vec<Entry> = (0..n)
            .map(|i| Entry {
                pattern: if i % 2 == 0 {
                    format!("/opt/t{i}/bin/p{i}")
                } else {
                    format!("/opt/t{i}/**/p{i}*")
                },
                ..Entry::default()
            })
            .collect();
        list.push(Entry { pattern: last.into(), ..Entry::default() });
        list
    };
    let cases = [
        // The long ones first: of some of the others a block stays, and the area fills up.
        ("text of 300 commands", text(&long), list(100, "/usr/bin/*"), Decision::Allow),
        ("script, 2 KB", text(DEPLOY), list(100, "/usr/bin/*"), Decision::Allow),
        ("script, 4 KB", text(&copies(2)), list(100, "/usr/bin/*"), Decision::Allow),
        ("script, 16 KB", text(&copies(8)), list(100, "/usr/bin/*"), Decision::Allow),
        ("script, 64 KB", text(&copies(32)), list(100, "/usr/bin/*"), Decision::Allow),
        ("here-document, 2 KB", text(&letter), list(100, "/usr/bin/*"), Decision::Allow),
        ("pipeline, 2 KB", text(&pipeline), list(100, "/usr/bin/*"), Decision::Allow),
        ("literal hit among 100", program(&["git", "status"]), list(100, "/usr/bin/git"), Decision::Allow),
        ("glob hit among 100", program(&["git", "status"]), list(100, "/usr/*/g?t"), Decision::Allow),
        ("miss among 100", program(&["make"]), list(100, "/usr/bin/git"), Decision::Ask),
        (
            "literal hit among 10,000",
            program(&["git", "status"]),
            list(10_000, "/usr/bin/git"),
            Decision::Allow,
        ),
        ("safe bin", program(&["jq", ".a"]), Vec::new(), Decision::Allow),
        ("text of one command", text("git status"), list(100, "/usr/bin/git"), Decision::Allow),
    ];
    // `cargo bench -p exec-guard-policy -- script` runs those whose name holds the word.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    // `--rounds=10`: each so often, for who counts instructions.
    let rounds = std::env::args().find_map(|a| a.strip_prefix("--rounds=")?.parse::<usize>().ok());
    let cases: Vec<_> = cases
        .into_iter()
        .filter(|(name, ..)| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str())))
        .map(|(name, form, entries, expected)| {
            let mut effective = Effective::built_in("main");
            effective.security.value = Security::Allowlist;
            effective.shell_accept = Accept::Checked;
            effective.redirections = Redirections::Harmless;
            effective.add_user_entries(&entries);
            let invocation = Invocation {
                form,
                env: vec![b"PATH=/usr/bin:/bin".to_vec()],
                cwd: Some(b"/home/u/p".to_vec()),
                agents: vec!["main".into()],
                session: None,
                now_ms: 0,
                home: Some(b"/home/u".to_vec()),
                unattended: true,
                guard: Guard::default(),
            };
            // From here on what is asked of files is remembered.
            let made = decide_as(effective.clone(), &invocation, &world);
            assert_eq!(made.decision, expected, "{name}: {:?}", made.findings);
            (name, effective, invocation, expected)
        })
        .collect();
    let mut times = Vec::with_capacity(MOST);
    println!("medians, and the best");
    // What was allocated so far lies elsewhere: after each verdict the area is empty again.
    MEMORY.open(sys::arena::Last { word: "no memory left\n", status: 1 });
    for (name, effective, invocation, expected) in &cases {
        times.clear();
        let began = Instant::now();
        let enough = |n: usize| match rounds {
            Some(rounds) => n >= rounds,
            None => n >= 5 && (began.elapsed() >= Duration::from_millis(400) || n >= MOST),
        };
        while !enough(times.len()) {
            // The copy of the lists is not part of the verdict.
            let effective = effective.clone();
            let at = Instant::now();
            let made = black_box(measured(effective, black_box(invocation), &world));
            times.push(at.elapsed());
            assert_eq!(made.decision, *expected, "{name}");
        }
        times.sort_unstable();
        let at = |i: usize| times.get(i).copied().unwrap_or_default().as_secs_f64() * 1e6;
        println!("{name:26} {:9.1} µs, at best {:9.1}", at(times.len() / 2), at(0));
    }
}
