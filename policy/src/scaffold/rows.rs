//! The forms, one row each: the agent and the versions in which it was seen.
use super::Part::{
    self, Anything, Bare, Drop, Folders, Keep, Maybe, Path, Quoted, Same, Say, Shell, Written,
};
use crate::shell::Dialect::{self, Bash, Dash, Zsh};

/// A form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The agent.
    pub agent: &'static str,
    /// What it is, and where it was seen.
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the table, and its tests"))]
    pub source: &'static str,
    /// The languages of the shell.
    pub dialects: &'static [Dialect],
    /// What the text begins with: a look that costs ordinary text next to nothing.
    pub begins: &'static str,
    /// The text, from its first byte to its last.
    pub parts: &'static [Part],
}

/// Claude Code's file of functions and aliases, which is not read; without it in case it could not be made.
const SNAPSHOT: Part =
    Maybe(&[Drop("source "), Path("*/shell-snapshots/snapshot-@-#-@.sh"), Drop(" 2>/dev/null || true && ")]);

const WHICH: Part = Keep(
    "{ \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && \
     { \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && ",
);

const CLAUDE_CWD: Part = Written("*/claude-%-cwd", true);

/// The end of the text that makes Claude Code's snapshot.
const SNAPSHOT_END: &str = "\n\n      # Exit silently on success, only report errors\n      if [ ! -f \"$SNAPSHOT_FILE\" ]; \
     then\n        echo \"Error: Snapshot file was not created at $SNAPSHOT_FILE\" >&2\n        exit 1\n      fi\n    ";

const fn claude(
    source: &'static str,
    dialects: &'static [Dialect],
    begins: &'static str,
    parts: &'static [Part],
) -> Row {
    Row { agent: "claude", source, dialects, begins, parts }
}

macro_rules! claude_command {
    ($source:literal, $dialect:ident, $begins:literal, [$($options:expr),*]) => {
        claude($source, &[$dialect], $begins, &[
            SNAPSHOT,
            $($options,)*
            Keep("eval "),
            Quoted,
            Keep(" < /dev/null && pwd -P >| "),
            CLAUDE_CWD,
        ])
    };
}

pub(super) const ROWS: &[Row] = &[
    claude_command!(
        "a command, Claude Code 2.1.332 with bash",
        Bash,
        "source /",
        [Keep("\\builtin shopt -u extglob 2>/dev/null || true && "), WHICH]
    ),
    claude_command!(
        "the same without its snapshot",
        Bash,
        "\\builtin shopt -u extglob ",
        [Keep("\\builtin shopt -u extglob 2>/dev/null || true && "), WHICH]
    ),
    claude_command!(
        "a command, Claude Code 2.1.332 with zsh",
        Zsh,
        "source /",
        [
            Keep(
                "\\builtin setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL NO_BRACE_CCL NO_MAGIC_EQUAL_SUBST NO_RC_QUOTES NO_EQUALS \
             2>/dev/null || true && "
            ),
            WHICH
        ]
    ),
    claude_command!(
        "a command, Claude Code 2.1.197 with bash",
        Bash,
        "source /",
        [Keep("shopt -u extglob 2>/dev/null || true && ")]
    ),
    claude_command!(
        "a command, Claude Code 2.1.197 with zsh",
        Zsh,
        "source /",
        [Keep("setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL 2>/dev/null || true && ")]
    ),
    // Its own start: an empty snapshot is made in place of one of the person's functions.
    claude(
        "its start, Claude Code 2.1.197 and 2.1.332",
        &[Bash, Zsh],
        "SNAPSHOT_FILE=/",
        &[
            Drop("SNAPSHOT_FILE="),
            Say("echo '# Snapshot file' >| "),
            Written("*/shell-snapshots/snapshot-@-#-@.sh", false),
            Drop("\n"),
            Anything,
            Drop(SNAPSHOT_END),
        ],
    ),
    Row {
        agent: "gemini",
        source: "a command, Gemini CLI 0.61.0",
        dialects: &[Bash],
        begins: "shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=/",
        parts: &[
            Keep("shopt -u promptvars nullglob extglob nocaseglob dotglob; "),
            Drop("_bgpids_file="),
            // The name of the file, and not the variable: the command could set that.
            Say("(\n  trap 'jobs -p > "),
            Written("*/gemini-shell-@/bgpids.tmp", true),
            Say("' EXIT\n"),
            Drop("\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n"),
            Bare,
            Keep("\n)\n__code=$?\nexit $__code"),
        ],
    },
    Row {
        agent: "codex",
        source: "its start, Codex 0.171.0: a snapshot of functions and variables; none is made",
        dialects: &[Bash],
        begins: "if [ -z \"${BASH_ENV-}\" ] && [ -n \"${HOME-}\" ]",
        parts: &[
            Drop(
                "if [ -z \"${BASH_ENV-}\" ] && [ -n \"${HOME-}\" ] && [ -r \"$HOME/.bashrc\" ]; then\n  . \"$HOME/.bashrc\"\nfi\n\
                 echo '# Snapshot file'\n",
            ),
            Say(":"),
            Anything,
            Drop("  done < <(compgen -e)\n)\n\nprintf '\\0'\n\n"),
        ],
    },
    Row {
        agent: "codex",
        source: "its start, Codex 0.171.0: a snapshot is tried out; it is not read",
        dialects: &[Bash, Zsh, Dash],
        begins: "set -e; . \"/",
        parts: &[Drop("set -e; . \""), Path("*/shell_snapshots/%-%-%-%-%.tmp-#"), Drop("\""), Say(":")],
    },
    Row {
        agent: "codex",
        source: "a command, Codex 0.171.0: a snapshot, and the shell once more; only the command is run",
        dialects: &[Bash, Zsh, Dash],
        begins: "__CODEX_SNAPSHOT_OVERRIDE_SET_0=\"${",
        parts: &[
            Drop("__CODEX_SNAPSHOT_OVERRIDE_SET_0=\"${"),
            Anything,
            Drop("\n\nexec "),
            Shell,
            Drop(" -c "),
            Say("eval "),
            Quoted,
        ],
    },
    Row {
        agent: "openclaw",
        source: "its start, OpenClaw 2026.9.6: a snapshot of functions and variables; none is made",
        dialects: &[Bash, Zsh],
        begins: "{\n:\nprintf '\\n%s\\n' '__OPENCLAW_SHELL_SNAPSHOT_CAPTURE__'\n",
        parts: &[
            Drop("{\n:\nprintf '\\n%s\\n' '__OPENCLAW_SHELL_SNAPSHOT_CAPTURE__'\n"),
            Say(":"),
            Anything,
            Drop("process.stdout.write(JSON.stringify(out));'\n} > '"),
            Path("*/openclaw-shell-snapshot-%-%-%-%-%-@/snapshot.out"),
            Drop("'"),
        ],
    },
    Row {
        agent: "openclaw",
        source: "its start, OpenClaw 2026.9.6: a snapshot is tried out; it is not read",
        dialects: &[Bash, Zsh, Dash],
        begins: ". '/",
        parts: &[Drop(". '"), Path("*/cache/shell-snapshots/%.#.#.tmp"), Drop("' >/dev/null 2>&1"), Say(":")],
    },
    Row {
        agent: "openclaw",
        source: "a command, OpenClaw 2026.9.6",
        dialects: &[Bash, Zsh, Dash],
        begins: "if [ -r '/",
        parts: &[
            Drop("if [ -r '"),
            Path("*/cache/shell-snapshots/%.sh"),
            Drop("' ]; then . '"),
            Same,
            Drop("'; fi\n"),
            Keep("export PATH="),
            Folders,
            Keep("\neval "),
            Quoted,
        ],
    },
    Row {
        agent: "openclaw",
        source: "the same without its snapshot",
        dialects: &[Bash, Zsh, Dash],
        begins: "export PATH='/",
        parts: &[Keep("export PATH="), Folders, Keep("\neval "), Quoted],
    },
];
