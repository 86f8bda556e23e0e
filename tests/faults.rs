//! Every system call on the way to the exec fails once: the command must not run, and the reason is said.
//!
//! The calls are taken from a trace of a good run and failed one by one by strace. Two kinds of calls may fail
//! without refusing: those that decide nothing (the table below, and the run must then be the same to a byte),
//! and the journal's under the default setting, where stderr says so.
use std::sync::Mutex;

use serde_json::json;

use crate::stage::record::difference;
use crate::stage::trace::{Call, calls, dynamic, failing, impossible, traced};
use crate::stage::{Run, Stage, Way, cannot, listed, programs};

/// Calls whose failure changes neither the verdict nor what is executed: name, part of the line, why.
const INDIFFERENT: &[(&str, &str, &str)] = &[
    ("sigaltstack", "", "the runtime's stack for reporting an overflow"),
    ("rt_sigaction", "SIGPIPE, NULL", "what was inherited is then taken to be the default"),
    ("poll", "", "0, 1, 2 are then taken to be open"),
    ("lstat", "/etc/exec-guard\"", "the documents are then looked for one by one"),
    ("lstat", "/.exec-guard\"", "the documents are then looked for one by one"),
    ("lstat", "/guard\"", "the documents are then looked for one by one"),
    // The same calls of a build for glibc.
    ("statx", "/etc/exec-guard\"", "the documents are then looked for one by one"),
    ("statx", "/.exec-guard\"", "the documents are then looked for one by one"),
    ("statx", "/guard\"", "the documents are then looked for one by one"),
    ("statx", "/proc/self/exe", "the place of the program itself, which is found otherwise"),
    ("statx", "/shims/tool", "not there as far as can be told: the next folder of PATH"),
    ("statx", "statx(0, NULL", "std asks whether there is such a call"),
    ("fcntl", "F_GETFD", "std's own check, in a development build"),
    ("rt_sigaction", "SIGSEGV", "the runtime's report of an overflow"),
    ("rt_sigaction", "SIGBUS", "the runtime's report of an overflow"),
    ("rt_sigprocmask", "", "around the runtime's thread bookkeeping"),
    ("brk", "", "the allocator goes on with mmap"),
    ("mmap", "", "the allocator or the runtime's spare stack; without memory the guard ends"),
    ("munmap", "", "giving memory back"),
    ("mprotect", "", "guard pages of the runtime's spare stack"),
    ("madvise", "", "advice"),
    ("getrandom", "", "seeds of hash tables, with a fallback"),
    ("arch_prctl", "", "the loader's and the C library's own start"),
    ("set_tid_address", "", "for threads, of which there are none"),
    ("set_robust_list", "", "for threads, of which there are none"),
    ("rseq", "", "for threads, of which there are none"),
    ("sched_getaffinity", "", "part of the same look at the main thread"),
    ("close", "", "a descriptor that has been read"),
    ("gettid", "", "cannot fail"),
    ("getpid", "", "cannot fail"),
    ("getuid", "", "cannot fail"),
    ("geteuid", "", "cannot fail"),
    ("clock_gettime", "", "an entry that expires is then not believed"),
    ("getcwd", "", "an unknown folder can only tighten"),
    // A process above that cannot be looked at counts as an agent's: that can only tighten.
    ("getsid", "", "who calls is then unknown, which counts as marked"),
    ("getppid", "", "who calls is then unknown, which counts as marked"),
    ("openat", "/proc/", "who calls is then unknown, which counts as marked"),
    ("read", "(strace)", "who calls is then unknown, which counts as marked"),
    ("read", "\"strace\\n\"", "who calls is then unknown, which counts as marked"),
    ("read", "(3, \"\"", "the end of a file whose content has been read"),
    ("open", "/dev/tty", "then nobody is asked"),
    ("openat", "/dev/tty", "then nobody is asked"),
    ("readlink", "", "the place of the program itself"),
    ("stat", "/proc/self/exe", "the place of the program itself, which is found otherwise"),
    // A file in an earlier folder of PATH that cannot be looked at is none, as for a shell; what is judged is
    // what is executed.
    ("stat", "/shims/tool", "not there as far as can be told: the next folder of PATH"),
    ("faccessat", "/shims/tool", "not there as far as can be told: the next folder of PATH"),
    ("faccessat2", "/shims/tool", "not there as far as can be told: the next folder of PATH"),
];

fn indifferent(call: &Call) -> bool {
    INDIFFERENT.iter().any(|(name, part, _)| *name == call.name && call.line.contains(part))
}

/// Calls whose failure ends the process before it can speak: the runtime's and the loader's own.
const SPEECHLESS: &[&str] =
    &["mmap", "brk", "mprotect", "arch_prctl", "pread64", "poll", "rt_sigaction", "sigaltstack"];

fn stage(required: bool) -> Stage {
    Stage::new()
        .tool_says("tool", "7", "")
        .shim("tool")
        .allowing(&["tool"])
        .config(&json!({"journal": {"required": required}}))
}

enum Verdict {
    Fine,
    Bad(String),
}

fn judge(good: &Run, run: &Run, call: &Call, required: bool) -> Verdict {
    let bad =
        |what: &str| Verdict::Bad(format!("{what}: status {} stderr {:?}", run.code(), run.stderr.trim()));
    if run.records.is_empty() {
        return match run.code() {
            125..=127 if run.stderr.starts_with("exec-guard: ") => Verdict::Fine,
            _ if SPEECHLESS.contains(&call.name.as_str()) => Verdict::Fine,
            125..=127 => bad("refused without saying why"),
            _ => bad("did not run, but ended oddly"),
        };
    }
    let (before, _) = good.records[0].comparable(true, None);
    let (after, wrong) = run.records[0].comparable(true, None);
    let mut differ = difference(&before, &after);
    differ.extend(wrong);
    // Said aloud and executed: only the journal, and only if it is not required.
    let said = run.stderr.contains("journal");
    if !differ.is_empty() {
        bad(&format!("ran, and otherwise than it should: {}", differ.join(", ")))
    } else if said && required {
        bad("ran without the journal that is required")
    } else if said || indifferent(call) {
        Verdict::Fine
    } else {
        bad("ran, and said nothing")
    }
}

fn every_call_once(required: bool) {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let good_stage = stage(required);
    let words = ["tool", "x"];
    // The second run, since the first makes what later ones find: the journal's folder.
    traced(&good_stage, &words, &[]).way(Way::Shim).run().ran(&[&words]);
    let good = traced(&good_stage, &words, &[]).way(Way::Shim).run();
    assert_eq!((good.records.len(), good.code()), (1, 7), "{good:?}");
    let mut all = calls(&good_stage);
    if dynamic(&programs().guard) {
        // What comes before the guard's first call of its own is the loader's.
        all.drain(..all.iter().position(|c| c.name == "poll").expect("the guard's start"));
    }
    assert!(all.len() > 10, "a trace of the way to the exec: {all:?}");
    let todo = Mutex::new(all.iter());
    let bad = Mutex::new(Vec::new());
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let stage = stage(required);
                traced(&stage, &words, &["-e", "trace=none"]).way(Way::Shim).run().ran(&[&words]);
                let good = traced(&stage, &words, &["-e", "trace=none"]).way(Way::Shim).run();
                loop {
                    let Some(call) = todo.lock().expect("lock").next() else { break };
                    let run = failing(&stage, &words, Way::Shim, call, "EIO");
                    if let Verdict::Bad(what) = judge(&good, &run, call, required) {
                        bad.lock()
                            .expect("lock")
                            .push(format!("{} #{}: {what}\n    {}", call.name, call.nth, call.line));
                    }
                }
            });
        }
    });
    let bad = bad.into_inner().expect("lock");
    assert!(bad.is_empty(), "{} of {} calls:\n{}", bad.len(), all.len(), listed(&bad));
}

#[test]
fn each_call_fails_once() {
    every_call_once(false);
}

#[test]
fn each_call_fails_once_with_the_journal_required() {
    every_call_once(true);
}

/// What would end by a signal, which says nothing, is refused by a word: too small a stack, and no memory.
#[test]
fn limits_on_stack_and_memory() {
    let stage = stage(false);
    let run = |limit: &str| stage.cast(&["tool"]).launch(&["--limit", limit]).way(Way::Dash).run();
    for kb in [64, 128, 255] {
        let run = run(&format!("stack={}", kb << 10));
        run.refused(125, "internal");
        assert!(run.stderr.contains("ulimit -s"), "{run:?}");
    }
    run("stack=1048576").ran(&[&["tool"]]);
    // The stack is what arguments and environment leave of it.
    let mut env = stage.environment();
    env.push([b"X=".as_slice(), &[b'x'; 100 << 10]].concat());
    let long =
        |limit: &str| stage.cast(&["tool"]).env(env.clone()).launch(&["--limit", limit]).way(Way::Dash).run();
    long(&format!("stack={}", 300 << 10)).refused(125, "internal");
    long(&format!("stack={}", 500 << 10)).ran(&[&["tool"]]);
    // A document that has no room, where a small one has.
    let limit = format!("as={}", 16 << 20);
    run(&limit).ran(&[&["tool"]]);
    let document = std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document");
    let document = [document, vec![b' '; 15 << 20]].concat();
    stage.write("guard/exec-approvals.json", &document, 0o600);
    run(&limit).refused(125, "internal");
    run("core=0").ran(&[&["tool"]]);
}

/// Shows that the injection reaches the guard's own calls: the exec of the command fails, and that is said.
#[test]
fn the_exec_itself_fails() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let stage = stage(false);
    traced(&stage, &["tool"], &[]).way(Way::Shim).run().ran(&[&["tool"]]);
    let all = calls(&stage);
    let exec = all.last().expect("an exec");
    for error in ["EIO", "EACCES", "ENOMEM", "E2BIG", "ETXTBSY"] {
        let run = failing(&stage, &["tool"], Way::Shim, exec, error);
        assert!(run.records.is_empty(), "{error}: {run:?}");
        assert!(run.stderr.starts_with("exec-guard: ") && run.stderr.contains("tool"), "{error}: {run:?}");
        assert!(matches!(run.code(), 125..=127), "{error}: {run:?}");
    }
}

/// An edit that is killed between its two steps leaves the old document, and the next one clears up after it.
#[test]
fn a_killed_edit_leaves_nothing_for_long() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let stage = stage(false);
    let document = || std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document");
    let left = || {
        let folder = std::fs::read_dir(stage.path("guard")).expect("folder").flatten();
        let names = folder.map(|e| e.file_name().to_string_lossy().into_owned());
        names.filter(|n| n.ends_with(".tmp")).collect::<Vec<_>>()
    };
    let ctl = programs().ctl.to_str().expect("path");
    let words = [ctl, "approvals", "allowlist", "add", "/usr/bin/id"];
    let before = document();
    let options = ["-e", "trace=fsync", "-e", "inject=fsync:signal=KILL:when=1"];
    let run = traced(&stage, &words, &options).way(Way::Path).run();
    assert_ne!(run.code(), 0, "{run:?}");
    assert_eq!((document(), left().len()), (before.clone(), 1), "{run:?}");
    let run = stage.cast(&words).way(Way::Path).run();
    assert_eq!(run.code(), 0, "{run:?}");
    assert_ne!(document(), before);
    assert_eq!(left(), Vec::<String>::new());
}
