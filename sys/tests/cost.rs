//! What a verdict on a script costs, in blocks of memory and bytes of them: counts, which do not flicker as times do. It
//! stands here because a counting allocator is unsafe code.
#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use policy::document::{Accept, Effective, Entry, Redirections, Security};
use policy::{Decision, FakeWorld, Form, Guard, Invocation, decide_as};

thread_local! {
    /// Blocks and bytes that this thread asked for.
    static ASKED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(bytes: usize) {
    // A thread that ends has nothing to count with.
    let _ = ASKED.try_with(|asked| {
        let (blocks, sum) = asked.get();
        asked.set((blocks + 1, sum + bytes));
    });
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's layout, unchanged.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the system's block, with the caller's layout.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the system's block, with the caller's layout and size.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// The script that `cargo bench -p exec-guard-policy` measures: 45 commands in 2 KB.
const DEPLOY: &str = include_str!("../../policy/benches/deploy.sh");

/// Blocks and bytes that a verdict on a text takes, which has to be *allow*.
fn cost(text: &str) -> (usize, usize) {
    const NAMES: &[&str] = &[
        "awk", "cat", "cp", "curl", "docker", "find", "git", "grep", "head", "jq", "kubectl", "ls", "make",
        "mkdir", "npm", "sort", "tail", "tar", "uniq", "wc", "bash",
    ];
    let world = NAMES.iter().fold(FakeWorld::new(), |w, n| w.program(&format!("/usr/bin/{n}")));
    let world = world.file("/home/u/src/README", b"");
    let mut effective = Effective::built_in("main");
    effective.security.value = Security::Allowlist;
    effective.shell_accept = Accept::Checked;
    effective.redirections = Redirections::Harmless;
    let other = |i| Entry { pattern: format!("/opt/t{i}/**/p{i}*"), ..Entry::default() };
    let mut entries: Vec<Entry> = (0..100).map(other).collect();
    entries.push(Entry { pattern: "/usr/bin/*".into(), ..Entry::default() });
    effective.add_user_entries(&entries);
    let invocation = Invocation {
        form: Form::Text { text: text.into(), shell: Some(b"/usr/bin/bash".to_vec()), args: vec![] },
        env: vec![b"PATH=/usr/bin:/bin".to_vec()],
        cwd: Some(b"/home/u/p".to_vec()),
        agents: vec!["main".into()],
        session: None,
        now_ms: 0,
        home: Some(b"/home/u".to_vec()),
        unattended: true,
        guard: Guard { own_paths: vec![b"/home/u/.exec-guard".to_vec()] },
    };
    let before = ASKED.get();
    let made = decide_as(effective, &invocation, &world);
    let after = ASKED.get();
    assert_eq!(made.decision, Decision::Allow, "{:?}", made.findings);
    (after.0 - before.0, after.1 - before.1)
}

/// A command may cost so many blocks; one more for each of its words than there are now would break it.
#[test]
fn a_command_takes_few_blocks_of_memory() {
    let (blocks, bytes) = cost(DEPLOY);
    println!("45 commands: {blocks} blocks, {bytes} bytes");
    assert!(blocks <= 6_000, "45 commands take {blocks} blocks of memory");
    let pipeline = format!("git log{}", " | grep -v 'x y' | sort | uniq -c | head -n 50".repeat(45));
    let (blocks, bytes) = cost(&pipeline);
    println!("181 commands: {blocks} blocks, {bytes} bytes");
    assert!(blocks <= 3_400, "181 commands take {blocks} blocks of memory");
}

/// Thirty-two times the text takes no more than thirty-two times the memory.
#[test]
fn a_long_text_costs_in_proportion() {
    let (one, many) = (cost(DEPLOY), cost(&DEPLOY.repeat(32)));
    println!("{one:?} {many:?}");
    assert!(many.0 <= one.0 * 32, "{} blocks against {}", many.0, one.0);
    assert!(many.1 <= one.1 * 40, "{} bytes against {}", many.1, one.1);
}
