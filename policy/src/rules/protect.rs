//! The guard's own files and commands, and the settings in which agents keep their hooks.
//!
//! The path of a policy document in a command is a question whatever the lists say: a command that may edit the
//! policy may do anything afterwards.
use crate::tables::words::{WordList, words};
use std::borrow::Cow;
use std::cell::RefCell;

use crate::arg::Arg;
use crate::invocation::Guard;
use crate::resolve::{join, last_component, normalise};
use crate::rules::unpack::may_be;
use crate::tables::writers::{Named, writes};

/// `exec-guardctl` sub-commands that only read. All others ask.
const READ_ONLY: &[&[&[u8]]] = &[
    &[b"approvals", b"get"],
    &[b"approvals", b"pending"],
    &[b"log", b"show"],
    &[b"log", b"verify"],
    &[b"doctor"],
    &[b"policy", b"test"],
    &[b"policy", b"replay"],
    &[b"friction"],
    &[b"help"],
    &[b"--help"],
    &[b"-h"],
    &[b"--version"],
    &[b"-V"],
];

/// Files in which agents keep hooks or permissions, by the end of their path. Source: the agents' manuals.
const HOOK_FILES: WordList = words![
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".cursor/hooks.json",
    ".cursor/cli-config.json",
    ".copilot/config.json",
    ".config/opencode/opencode.json",
    "opencode.json",
    ".openclaw/openclaw.json",
    ".config/goose/config.yaml",
    "crush.json",
];

/// Files that other programs run or read their orders from, by the end of their path: who writes one runs code later.
/// Source: the programs' manuals (githooks(5), git-config(1), bash(1), sshd(8), direnv(1), crontab(5)).
const START_UP: WordList = words![
    ".git/config",
    ".gitconfig",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".config/fish/config.fish",
    ".ssh/authorized_keys",
    ".ssh/config",
    ".ssh/rc",
    ".npmrc",
    ".pypirc",
    ".netrc",
    ".inputrc",
    ".vimrc",
    ".jq",
];

/// Folders whose every file is one.
const START_UP_FOLDERS: WordList = words![
    ".git/hooks/",
    ".git/info/",
    ".git/modules/",
    ".git/worktrees/",
    ".config/autostart/",
    ".config/systemd/user/",
    "/etc/cron."
];

/// Why a command writes a file that something else will run; `None` if it does not. No matter of self-protection:
/// a hazard like those of the table.
pub(crate) fn starts_up(name: &[u8], args: &[Arg]) -> Option<&'static str> {
    if writes(name) != Some(Named::Written) {
        return None;
    }
    args.iter().filter_map(Arg::literal).find_map(|a| {
        let ends = |f: &&[u8]| {
            a.strip_suffix(*f).is_some_and(|rest| {
                rest.is_empty() || rest.last() == Some(&b'/') || rest.last() == Some(&b'=')
            })
        };
        let hit = START_UP.iter().find(ends).is_some() || START_UP_FOLDERS.iter().any(|f| contains(a, f));
        hit.then_some("it names a file that another program runs or takes orders from")
    })
}

/// Those that are read wherever they lie; the others are in the home.
const ANYWHERE: WordList = words![".git/config", ".npmrc"];

/// True if an absolute path without dot segments is such a file, or, where a shell fills it in, may be; `afloat` = it
/// begins in a folder that is not known.
pub(crate) fn is_start_up(path: &[u8], glob: bool, afloat: bool, home: Option<&[u8]>) -> bool {
    let fits = |part: &[u8], name: &[u8]| part == name || (glob && may_be(part, name));
    let ends = |file: &[u8]| {
        let mut parts = path.rsplit(|b| *b == b'/').filter(|part| !part.is_empty());
        let mut names = file.rsplit(|b| *b == b'/').filter(|name| !name.is_empty());
        names.all(|name| parts.next().map_or(afloat, |part| fits(part, name)))
    };
    let last = path.rsplit(|b| *b == b'/').find(|part| !part.is_empty());
    // Where the last names differ, no more is looked at.
    let mut files =
        START_UP.iter().filter(|file| last.map_or(afloat, |last| fits(last, last_component(file))));
    files.any(|file| match home {
        Some(home) if !ANYWHERE.has(file) => ends(&normalise(&join(home, file))),
        _ => ends(file),
    }) || START_UP_FOLDERS.iter().any(|f| contains(path, f))
}

/// Folders whose every file is a hook.
const HOOK_FOLDERS: WordList =
    words![".claude/hooks/", ".codex/hooks/", ".github/hooks/", ".cline/hooks/", ".cursor/hooks/"];

/// Programs known to only read the files they are given; naming a hook file to one of these is fine.
const READERS: WordList = words![
    "cat",
    "ls",
    "stat",
    "head",
    "tail",
    "wc",
    "grep",
    "rg",
    "less",
    "more",
    "file",
    "diff",
    "cmp",
    "jq",
    "bat",
    "sha256sum",
    "md5sum",
    "test",
    "[",
    "tree",
    "du",
    "readlink",
    "realpath",
    "basename",
    "dirname",
    "echo",
    "printf",
];

/// True of a word that names, behind an `=` or by itself, what git runs or takes orders from.
pub(crate) fn is_git_order(word: &[u8]) -> bool {
    let path = word.rsplit(|b| *b == b'=').next().unwrap_or(word);
    path.ends_with(b".git/config")
        || START_UP_FOLDERS.iter().any(|f| f.starts_with(b".git/") && contains(path, f))
}

/// True of a program that is known to only read the files it is given.
pub(crate) fn only_reads(name: &[u8]) -> bool {
    READERS.has(last_component(name))
}

/// Bytes from which on the kernel takes no path (path_resolution(7)).
const PATH_MAX: usize = 4096;

/// Pieces of one word that are looked at where a protected name stands in it; nobody writes that many.
const MAX_PIECES: usize = 1000;

/// Names that betray a path of the guard even in a word that is known only at run time.
const OWN_MARKS: WordList = words![".exec-guard", "exec-approvals", "/etc/exec-guard", "EXEC_GUARD_HOME"];

/// One of these stands in each of them.
const OWN_BEGIN: WordList = words!["exec-", "EXEC_"];

/// What is watched over, made ready to be looked for in many words.
pub(crate) struct Watch<'g> {
    guard: &'g Guard,
    home: Option<&'g [u8]>,
    /// Last names of the protected paths: a path is none of them unless one of these stands in it.
    last: Vec<&'g [u8]>,
    /// Marked for the two bytes that each of them begins with.
    begins: [bool; 256],
    /// One is too short to be told so.
    any: bool,
    /// The home, and the folder asked about last, lie in a protected one: there a relative path may name any file of it.
    home_within: bool,
    cwd_within: RefCell<(Vec<u8>, bool)>,
}

/// The mark of two bytes; several pairs share one.
fn mark(first: u8, second: u8) -> usize {
    usize::from(first.wrapping_mul(31) ^ second)
}

impl<'g> Watch<'g> {
    pub fn new(guard: &'g Guard, home: Option<&'g [u8]>) -> Watch<'g> {
        let own = guard.own_paths.iter().map(Vec::as_slice);
        let hooks = HOOK_FILES.iter().chain(HOOK_FOLDERS.iter()).map(|hook| -> &[u8] { hook });
        let all = own.chain(hooks);
        let mut out = Watch {
            guard,
            home,
            last: Vec::with_capacity(guard.own_paths.len() + 8),
            begins: [false; 256],
            any: false,
            home_within: home.is_some_and(|home| within(home, guard)),
            cwd_within: RefCell::default(),
        };
        for path in all {
            let last = last_component(path.strip_suffix(b"/").unwrap_or(path));
            match last {
                [first, second, ..] => {
                    if let Some(slot) = out.begins.get_mut(mark(*first, *second)) {
                        *slot = true;
                    }
                }
                _ => out.any = true,
            }
            if !out.last.contains(&last) {
                out.last.push(last);
            }
        }
        out
    }

    /// Why a command touches what it must not; `None` if it does not.
    pub fn touches(&self, name: &[u8], args: &[Arg], cwd: Option<&[u8]>) -> Option<(String, Option<usize>)> {
        let name = last_component(name);
        if name == b"exec-guardctl" || name == b"exec-guard" {
            let words: Vec<&[u8]> = args.iter().map(|a| a.literal().unwrap_or(b"\0")).collect();
            let first = words.first().copied().unwrap_or(b"--help");
            let judged_by_peel = name == b"exec-guard"
                && (first.starts_with(b"-")
                    || matches!(first, b"check" | b"run" | b"hook" | b"submit" | b"tool"));
            if !judged_by_peel && !READ_ONLY.iter().any(|r| words.starts_with(r)) && !words.is_empty() {
                return Some(("exec-guardctl would change the policy or its surroundings".into(), Some(0)));
            }
        }
        if name == b"exec-guard-approver" {
            return Some(("an approver of its own could answer its own questions".into(), None));
        }
        let mut may_write = None;
        for (i, arg) in args.iter().enumerate() {
            if arg.literal().is_some_and(|word| !self.may_name(word, cwd)) {
                continue;
            }
            let may_write = *may_write.get_or_insert_with(|| !READERS.has(name));
            if let Some(why) = self.word(arg, cwd, may_write) {
                return Some((why, Some(i)));
            }
        }
        None
    }

    /// True if a program of this name is told by each of its words by itself ([`Watch::touches`]).
    pub fn word_by_word(name: &[u8]) -> bool {
        !last_component(name).starts_with(b"exec-guard")
    }

    /// Why one word (an argument, the target of a redirection) names a protected file.
    pub fn word(&self, arg: &Arg, cwd: Option<&[u8]>, may_write: bool) -> Option<String> {
        match arg {
            Arg::Literal(bytes) => {
                if !self.may_name(bytes, cwd) {
                    return None;
                }
                // `--output=/path`, `of=/path`, `@/path`, `-o/path`: the path may begin anywhere before its first slash.
                let mut starts = vec![bytes.as_slice()];
                let marks = bytes.iter().enumerate().filter(|(_, b)| b"=@:,".contains(b));
                if marks.clone().count() > MAX_PIECES {
                    return Some("a word with the name of a protected file in it, in too many pieces".into());
                }
                // No more than the kernel would take for a path, or a word of commas costs the square of its length.
                starts.extend(
                    marks
                        .filter_map(|(i, _)| bytes.get(i + 1..))
                        .map(|rest| rest.get(..PATH_MAX).unwrap_or(rest)),
                );
                if bytes.first() == Some(&b'-') {
                    starts.extend(bytes.get(2..));
                }
                starts.into_iter().find_map(|start| path(start, cwd, self.home, self.guard, may_write))
            }
            Arg::Dynamic { source, .. } => {
                let quotes = |b: &u8| matches!(b, b'\'' | b'"' | b'\\');
                let mut plain = Cow::Borrowed(source.as_slice());
                if source.iter().any(quotes) {
                    plain.to_mut().retain(|b| !quotes(b));
                }
                let marked = |text: &[u8]| {
                    OWN_BEGIN.iter().any(|begin| contains(text, begin))
                        && OWN_MARKS.iter().any(|m| contains(text, m))
                };
                // `~/.exec''-guard` is a spelling of it.
                if marked(source) || marked(&plain) {
                    return Some("a word names the guard's own files".into());
                }
                if !may_write {
                    return None;
                }
                (self.has_last(&plain) && hook_file(&plain))
                    .then(|| "a word names a file that holds an agent's hooks".into())
            }
        }
    }

    /// False if no path that begins anywhere in these bytes can be a protected one: their last names do not stand in
    /// them, and the folders that relative paths begin in are none of them. Nearly every word is done with here.
    fn may_name(&self, bytes: &[u8], cwd: Option<&[u8]>) -> bool {
        if self.any || self.home_within || self.cwd_is_within(cwd) {
            return true;
        }
        self.has_last(bytes)
    }

    /// True if the last name of a protected path stands in these bytes.
    fn has_last(&self, bytes: &[u8]) -> bool {
        let Some((first, rest)) = bytes.split_first() else { return self.any };
        let mut before = *first;
        self.any
            || rest.iter().enumerate().any(|(at, byte)| {
                let begins = self.begins.get(mark(before, *byte)) == Some(&true);
                before = *byte;
                begins
                    && bytes.get(at..).is_some_and(|rest| self.last.iter().any(|name| rest.starts_with(name)))
            })
    }

    /// Commands mostly stand where the one before them stood.
    fn cwd_is_within(&self, cwd: Option<&[u8]>) -> bool {
        let Some(cwd) = cwd else { return false };
        let mut known = self.cwd_within.borrow_mut();
        if known.0 != cwd {
            *known = (cwd.to_vec(), within(cwd, self.guard));
        }
        known.1
    }
}

/// True if a path that begins in this folder may name a protected one without its last name.
fn within(folder: &[u8], guard: &Guard) -> bool {
    let folder = join(&normalise(folder), b"");
    let mut hooks = HOOK_FILES.iter().chain(HOOK_FOLDERS.iter());
    guard.own_paths.iter().any(|own| folder.starts_with(own)) || hooks.any(|h| contains(&folder, h))
}

fn path(
    bytes: &[u8],
    cwd: Option<&[u8]>,
    home: Option<&[u8]>,
    guard: &Guard,
    may_write: bool,
) -> Option<String> {
    let full = match (bytes.first(), cwd) {
        (Some(b'/'), _) => normalise(bytes),
        (Some(b'~'), _) => match (home, bytes.strip_prefix(b"~/")) {
            (Some(h), Some(rest)) => normalise(&join(h, rest)),
            _ => bytes.to_vec(),
        },
        (Some(_), Some(cwd)) => normalise(&join(cwd, bytes)),
        (Some(_), None) => bytes.to_vec(),
        (None, _) => return None,
    };
    for own in &guard.own_paths {
        let below =
            full.strip_prefix(own.as_slice()).is_some_and(|r| r.is_empty() || r.first() == Some(&b'/'));
        if below {
            return Some("it names the guard's own files".into());
        }
    }
    (may_write && hook_file(&full)).then(|| "it names a file that holds an agent's hooks".into())
}

fn hook_file(path: &[u8]) -> bool {
    let ends =
        |f: &[u8]| path.strip_suffix(f).is_some_and(|rest| rest.is_empty() || rest.last() == Some(&b'/'));
    HOOK_FILES.iter().any(ends) || HOOK_FOLDERS.iter().any(|f| contains(path, f))
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    let Some((first, rest)) = needle.split_first() else { return true };
    let mut left = haystack;
    while let Some(at) = left.iter().position(|b| b == first) {
        left = left.get(at + 1..).unwrap_or_default();
        if left.starts_with(rest) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touches(
        name: &[u8],
        args: &[Arg],
        cwd: Option<&[u8]>,
        home: Option<&[u8]>,
        guard: &Guard,
    ) -> Option<(String, Option<usize>)> {
        Watch::new(guard, home).touches(name, args, cwd)
    }

    fn word(
        arg: &Arg,
        cwd: Option<&[u8]>,
        home: Option<&[u8]>,
        guard: &Guard,
        may_write: bool,
    ) -> Option<String> {
        Watch::new(guard, home).word(arg, cwd, may_write)
    }

    fn asks(words: &[&str]) -> bool {
        let guard = Guard { own_paths: vec![b"/home/u/.exec-guard".to_vec()] };
        let args: Vec<Arg> = words[1..].iter().map(Arg::lit).collect();
        touches(words[0].as_bytes(), &args, Some(b"/home/u/p"), Some(b"/home/u"), &guard).is_some()
    }

    #[test]
    fn own_files() {
        for w in [
            &["cp", "x", "/home/u/.exec-guard/exec-approvals.json"][..],
            &["cat", "../.exec-guard/config.json"],
            &["dd", "of=/home/u/.exec-guard/x"],
            &["curl", "-o/home/u/.exec-guard/x", "u"],
            &["tar", "--directory=/home/u/.exec-guard"],
            &["rm", "-r", "/home/u/./x/../.exec-guard"],
            &["x", "--a=b,c:/home/u/.exec-guard/x"],
            &["x", "--a=b,~/.exec-guard/../.exec-guard/x"],
            &["tee", "--a=b,.claude/settings.json"],
            &["tee", "--a=b:../.claude/hooks/x,y"],
            &["exec-guardctl", "approvals", "allowlist", "add", "/bin/sh"],
            &["exec-guard", "approvals", "set", "--file", "x"],
            &["exec-guardctl", "init"],
            &["tee", ".claude/settings.json"],
            &["cp", "x", "/p/.git/../.claude/hooks/a.sh"],
            &["exec-guard-approver"],
        ] {
            assert!(asks(w), "{w:?}");
        }
        for w in [
            &["cat", ".claude/settings.json"][..],
            &["exec-guardctl", "approvals", "get"],
            &["exec-guard", "--", "ls"],
            &["exec-guardctl", "doctor", "--json"],
            &["git", "status"],
            &["cat", "/home/u/.exec-guardian"],
        ] {
            assert!(!asks(w), "{w:?}");
        }
        // From within, no name of it stands in the word.
        let guard = Guard { own_paths: vec![b"/home/u/.exec-guard".to_vec()] };
        for cwd in ["/home/u/.exec-guard", "/home/u/.exec-guard/journal"] {
            let inside = |w: &str| word(&Arg::lit(w), Some(cwd.as_bytes()), None, &guard, false).is_some();
            assert!(inside("--a=x,config.json") && inside("x"), "{cwd}");
            assert!(!inside("/tmp/x") && inside("--a=b,/tmp/x"), "{cwd}: `--a=b,…` is a file of that folder");
        }
        let hooks = |w: &str| word(&Arg::lit(w), Some(b"/p/.claude/hooks"), None, &guard, true).is_some();
        assert!(hooks("--a=x,y.sh") && hooks("y.sh") && !hooks("/tmp/y.sh"));
        let dynamic = Arg::Dynamic { source: b"$HOME/.exec-guard/x".to_vec(), prefix: vec![], single: false };
        assert!(word(&dynamic, None, None, &Guard::default(), false).is_some());
    }
}
