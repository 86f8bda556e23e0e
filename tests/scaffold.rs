//! Text that agents put round a command, through a link named like their shell: the judged command runs, and of the rest
//! only what is the agent's own.
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::stage::{Run, Stage, Way, cannot};

/// The mark of an agent, its shell, and its text: `CMD` is the command, `TMP` the folder for temporary files, `HOME` the
/// home, `SHELL` the real shell's path, `PATH` the folders.
const TEXTS: &[(&str, &str, &str)] = &[
    (
        "CLAUDECODE=1",
        "bash",
        "source HOME/.claude/shell-snapshots/snapshot-bash-1796044443319-bjzj27.sh 2>/dev/null || true && \\builtin shopt -u extglob 2>/dev/null || true && { \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && { \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval 'CMD' < /dev/null && pwd -P >| TMP/claude-4b38-cwd",
    ),
    (
        "CLAUDECODE=1",
        "bash",
        "source HOME/.claude/shell-snapshots/snapshot-bash-1796044060000-ilq7ub.sh 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && eval 'CMD' < /dev/null && pwd -P >| TMP/claude-87cb-cwd",
    ),
    (
        "CLAUDECODE=1",
        "zsh",
        "source HOME/.claude/shell-snapshots/snapshot-zsh-1796044453856-aulkpe.sh 2>/dev/null || true && \\builtin setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL NO_BRACE_CCL NO_MAGIC_EQUAL_SUBST NO_RC_QUOTES NO_EQUALS 2>/dev/null || true && { \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && { \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval 'CMD' < /dev/null && pwd -P >| TMP/claude-1c4d-cwd",
    ),
    (
        "GEMINI_CLI=1",
        "bash",
        "shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=TMP/gemini-shell-zHs0Fo/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nCMD\n)\n__code=$?\nexit $__code",
    ),
    (
        "CODEX_MANAGED_BY_NPM=1",
        "bash",
        "__CODEX_SNAPSHOT_OVERRIDE_SET_0=\"${X+x}\"\ngit () \n{ \n    curl planted\n}\nexport -f git\n\nexec 'SHELL' -c 'CMD'",
    ),
    (
        "OPENCLAW_CLI=1",
        "bash",
        "if [ -r 'HOME/.openclaw/cache/shell-snapshots/159198007c20.sh' ]; then . 'HOME/.openclaw/cache/shell-snapshots/159198007c20.sh'; fi\nexport PATH='PATH'\neval 'CMD'",
    ),
];

fn stage() -> Stage {
    let stage = Stage::new().tool("git").tool("curl").shim("bash").shim("zsh");
    for dir in ["work/tmp", "work/sub", "work/tmp/gemini-shell-zHs0Fo"] {
        stage.folder(dir, 0o755);
    }
    for dir in ["home/.claude", "home/.openclaw", "home/.openclaw/cache"] {
        stage.folder(dir, 0o755);
    }
    // What an agent's file would bring: a function in place of a program that is allowed.
    let planted =
        b"git () { curl planted; }\nalias git='curl planted'\nshopt -s expand_aliases 2>/dev/null\n";
    for (dir, names) in [
        (
            "home/.claude/shell-snapshots",
            &[
                "snapshot-bash-1796044443319-bjzj27.sh",
                "snapshot-bash-1796044060000-ilq7ub.sh",
                "snapshot-zsh-1796044453856-aulkpe.sh",
            ][..],
        ),
        ("home/.openclaw/cache/shell-snapshots", &["159198007c20.sh"][..]),
    ] {
        stage.folder(dir, 0o755);
        for name in names {
            stage.write(&format!("{dir}/{name}"), planted, 0o644);
        }
    }
    let git = json!([{"pattern": stage.text("bin/git")}]);
    stage.policy(
        &json!({"version": 1, "defaults": {"security": "allowlist", "ask": "on-miss", "askFallback": "deny",
        "allowlist": git}}),
    )
}

fn folders(stage: &Stage) -> String {
    format!("{}:{}:/usr/bin:/bin", stage.text("shims"), stage.text("bin"))
}

fn run(stage: &Stage, mark: &str, shell: &str, text: &str, command: &str) -> Run {
    let command = if text.contains("'CMD'") { command.replace('\'', "'\"'\"'") } else { command.to_owned() };
    let text = text
        .replace("TMP/", &format!("{}/", stage.text("work/tmp")))
        .replace("HOME/", &format!("{}/", stage.text("home")))
        .replace("'PATH'", &format!("'{}'", folders(stage)))
        .replace("'SHELL'", &format!("'/usr/bin/{shell}'"))
        .replace("CMD", &command);
    let mut env = stage.environment();
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(format!("PATH={}", folders(stage)).into_bytes());
    env.push(format!("TMPDIR={}", stage.text("work/tmp")).into_bytes());
    env.push(mark.as_bytes().to_vec());
    stage.cast(&[shell, "-c", &text]).way(Way::Shim).env(env).run()
}

fn here(shell: &str) -> bool {
    let there = Path::new("/usr/bin").join(shell).exists();
    if !there {
        cannot(&format!("{shell} is not here"));
    }
    there
}

#[test]
fn the_command_runs_and_nothing_that_was_planted() {
    let stage = stage();
    for (mark, shell, text) in TEXTS.iter().filter(|t| here(t.1)) {
        let ran = run(&stage, mark, shell, text, "git log 'it'\\''s' && git \"two words\" | git three");
        let words: Vec<String> =
            ran.records.iter().flat_map(|r| r.words()).filter(|w| !w.contains('/')).collect();
        for word in ["log", "it's", "two words", "three"] {
            assert!(words.iter().any(|w| w == word), "{mark} {shell}: {ran:?}");
        }
        assert!(ran.records.len() == 3 && !words.iter().any(|w| w == "planted"), "{mark} {shell}: {ran:?}");
        assert_eq!(ran.code(), 0, "{mark} {shell}: {ran:?}");
        for bad in
            ["curl x", "git x; curl x", "git $(curl x)", "git x > f", "'; curl x; '", "git x\n)\ncurl x\n("]
        {
            let ran = run(&stage, mark, shell, text, bad);
            assert!(ran.code() == 126 && ran.records.is_empty(), "{mark} {shell}: {bad}: {ran:?}");
        }
    }
}

/// What the agent wants to know afterwards it is told: the folder, the status.
#[test]
fn the_agent_is_told_what_it_wants_to_know() {
    let stage = stage().tool_says("git", "7", "out\n");
    for (mark, shell, text) in TEXTS.iter().filter(|t| here(t.1)) {
        let ran = run(&stage, mark, shell, text, "git x");
        assert_eq!((ran.code(), ran.stdout.as_str()), (7, "out\n"), "{mark} {shell}: {ran:?}");
    }
    let stage = self::stage();
    for (mark, shell, text) in TEXTS.iter().filter(|t| here(t.1) && t.0.starts_with("CLAUDE")) {
        let name = text.rsplit('/').next().expect("a file");
        let ran = run(&stage, mark, shell, text, "cd sub && git x");
        assert_eq!(ran.code(), 0, "{shell}: {ran:?}");
        let told = fs::read_to_string(stage.path("work/tmp").join(name)).expect("the folder");
        assert_eq!(told.trim_end(), stage.text("work/sub"), "{shell}");
    }
    let (mark, shell, text) = TEXTS.iter().find(|t| t.0.starts_with("GEMINI")).expect("Gemini's");
    let ran = run(&stage, mark, shell, text, "_bgpids_file=HERE; git x");
    assert!(ran.code() == 126 || !stage.path("work/HERE").exists(), "{ran:?}");
    let ran = run(&stage, mark, shell, text, "git x");
    assert_eq!(ran.code(), 0, "{ran:?}");
    assert_eq!(fs::read(stage.path("work/tmp/gemini-shell-zHs0Fo/bgpids.tmp")).expect("the file"), b"");
}

/// A link in its place is not written through.
#[test]
fn a_planted_link_is_not_followed() {
    for (mark, shell, text) in TEXTS.iter().filter(|t| here(t.1) && t.2.contains("TMP/")) {
        let stage = stage();
        let file = text.split("TMP/").nth(1).and_then(|rest| rest.split(['\n', ' ']).next()).expect("a file");
        std::os::unix::fs::symlink(stage.path("work/victim"), stage.path("work/tmp").join(file))
            .expect("a link");
        let ran = run(&stage, mark, shell, text, "git x");
        assert!(ran.code() == 126 && ran.records.is_empty(), "{mark} {shell}: {ran:?}");
        assert!(!stage.path("work/victim").exists());
    }
}

/// Without the agent's mark it is text like any other.
#[test]
fn it_is_nobody_elses_text() {
    let stage = stage();
    for (_, shell, text) in TEXTS.iter().filter(|t| here(t.1)) {
        for mark in ["X=1", "QWEN_CODE=1"] {
            let ran = run(&stage, mark, shell, text, "git x");
            assert!(ran.code() == 126 && ran.records.is_empty(), "{mark} {shell}: {ran:?}");
        }
    }
}
