//! Words of `allowlist add` → an entry that is worth writing: what could not match, or not be evaluated, is refused
//! here with advice, not found out later.
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use jiff::Zoned;
use policy::glob::{ArgGlob, PathGlob};
use serde_json::{Map, Value};

use crate::cli::{Add, List};
use crate::exit::Failure;
use crate::when::{self, Towards};

/// Longest pattern, argument glob or note, in bytes: that of a path on Linux.
const MAX_WORD: usize = 4096;

/// Makes the entry. `home` is the user's, for `~/`; `path` the search path, for advice.
///
/// # Errors
/// [`Failure::usage`] with what is wrong and what to write instead.
pub fn entry(
    add: &Add,
    home: Option<&Path>,
    path: Option<&OsStr>,
    now: &Zoned,
) -> Result<Map<String, Value>, Failure> {
    pattern(&add.pattern, add.list, home, path)?;
    let mut out = Map::new();
    let behind = behind(&add.pattern, home, path)?;
    if let Some(program) = &behind {
        crate::say::word(format!("note: {} is a link of the guard's; behind it is {program}", add.pattern));
    }
    out.insert("pattern".into(), behind.unwrap_or_else(|| add.pattern.clone()).into());
    if let Some(words) = &add.args {
        let list = args(words)?;
        out.insert("args".into(), list.into());
    }
    if let Some(cwd) = &add.cwd {
        let rooted = cwd.starts_with(['/', '~', '*']);
        if !rooted {
            return Err(Failure::usage(format!("--cwd {cwd}: a working folder is an absolute path"))
                .advise("begin it with / or ~/"));
        }
        glob("--cwd", cwd, home)?;
        out.insert("cwd".into(), cwd.clone().into());
    }
    if let Some(expires) = &add.expires {
        let at = when::parse(expires, Towards::Future, now)
            .map_err(|what| Failure::usage(format!("--expires: {what}")))?;
        if i128::from(at) <= i128::from(now.timestamp().as_millisecond()) {
            return Err(Failure::usage(format!("--expires {expires}: that is past")));
        }
        out.insert("expiresAt".into(), at.into());
    }
    if let Some(note) = &add.note {
        short("--note", note)?;
        out.insert("note".into(), note.clone().into());
    }
    Ok(out)
}

fn short(what: &str, word: &str) -> Result<(), Failure> {
    if word.len() > MAX_WORD {
        return Err(Failure::usage(format!("{what} is longer than {MAX_WORD} bytes")));
    }
    Ok(())
}

fn glob(what: &str, pattern: &str, home: Option<&Path>) -> Result<(), Failure> {
    short(what, pattern)?;
    let home = home.map(|h| h.as_os_str().as_bytes());
    PathGlob::new(pattern, home, false)
        .map(drop)
        .map_err(|e| Failure::usage(format!("{what} {pattern}: {e}")))
}

fn pattern(pattern: &str, list: List, home: Option<&Path>, path: Option<&OsStr>) -> Result<(), Failure> {
    if pattern.trim().is_empty() {
        return Err(Failure::usage("the pattern is empty"));
    }
    glob("pattern", pattern, home)?;
    if pattern.contains('/') {
        // What a path glob is compared with is absolute and has no dot segments: these could never match.
        let rooted = pattern.starts_with(['/', '*', '[', '{', '?']) || pattern.starts_with("~/");
        if !rooted {
            return Err(Failure::usage(format!(
                "pattern {pattern}: no path begins so, it would match nothing"
            ))
            .advise("write the whole path, or **/ in front"));
        }
        if pattern.split('/').any(|part| part == "." || part == "..") {
            return Err(Failure::usage(format!(
                "pattern {pattern}: paths are compared without . and .. in them"
            ))
            .advise("write the path it leads to"));
        }
        return Ok(());
    }
    if list != List::Allowlist {
        return Ok(());
    }
    let plain = !pattern.contains(['*', '?', '[', '{', '~']);
    let failure = Failure::usage(format!("pattern {pattern}: a bare name is ignored on the allowlist"));
    Err(match plain.then(|| search(pattern, path)).flatten() {
        Some(found) => failure.advise(format!(
            "it is here: exec-guardctl approvals allowlist add {}",
            protocol::Shown::word(found.as_os_str().as_bytes())
        )),
        None => failure.advise("write the program's path, such as /usr/bin/NAME or **/NAME"),
    })
}

/// True if it leads to a guard under another name, wherever that guard lies.
fn is_link_of_ours(path: &Path) -> bool {
    let is_guard = |p: &Path| p.file_name().is_some_and(|n| n == "exec-guard");
    !is_guard(path) && std::fs::canonicalize(path).is_ok_and(|real| is_guard(&real))
}

/// The program behind a link of the guard's, which is what `command -v` says once links stand in front: an entry with the
/// link's own path would cover nothing. `None` if the pattern is no such link.
fn behind(pattern: &str, home: Option<&Path>, path: Option<&OsStr>) -> Result<Option<String>, Failure> {
    let link = match (pattern.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(pattern),
    };
    if !link.is_absolute() || !is_link_of_ours(&link) {
        return Ok(None);
    }
    let name = link.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let found = search(name, path).and_then(|p| p.into_os_string().into_string().ok());
    found.map(Some).ok_or_else(|| {
        Failure::usage(format!(
            "pattern {pattern}: that is a link of the guard's, and no program is behind it in PATH"
        ))
        .advise("write the path of the program itself")
    })
}

/// Where a name leads in PATH: absolute entries only, as the guard looks.
pub fn search(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let own = std::env::current_exe().ok();
    let guard = own.as_deref().and_then(Path::parent).map(|p| p.join("exec-guard"));
    let guard = guard.and_then(|g| std::fs::canonicalize(g).ok());
    let executable = |candidate: &PathBuf| {
        use std::os::unix::fs::PermissionsExt;
        let fits =
            std::fs::metadata(candidate).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
        // A link to the guard is no program of its own.
        fits && !is_link_of_ours(candidate)
            && (guard.is_none() || std::fs::canonicalize(candidate).ok() != guard)
    };
    let candidate = std::env::split_paths(path?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(executable)?;
    // The name is kept, since programs decide by it; the folders are resolved, as the guard resolves them.
    let folder = std::fs::canonicalize(candidate.parent()?).ok()?;
    Some(folder.join(name))
}

/// The globs of `--args`: a JSON list, or the words themselves.
///
/// # Errors
/// A word that is no text or no glob; words after a JSON list.
pub fn args(words: &[OsString]) -> Result<Vec<String>, Failure> {
    let mut list = Vec::new();
    for word in words {
        let word = word
            .to_str()
            .ok_or_else(|| Failure::usage("--args: a word is not UTF-8, and a document must be"))?;
        list.push(word.to_owned());
    }
    if let Some((first, rest)) = list.split_first()
        && first.trim_start().starts_with('[')
        && let Ok(parsed) = serde_json::from_str::<Vec<String>>(first)
    {
        if !rest.is_empty() {
            return Err(Failure::usage("--args: nothing may follow a JSON list")
                .advise("--args takes every word that follows, so put it last"));
        }
        list = parsed;
    }
    let last = list.len().saturating_sub(1);
    for (at, word) in list.iter().enumerate() {
        short("--args", word)?;
        if word == "..." {
            if at != last {
                return Err(Failure::usage("--args: `...` stands for the rest, so only the last may be it"));
            }
            continue;
        }
        ArgGlob::new(word).map_err(|e| Failure::usage(format!("--args {word}: {e}")))?;
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Allowlist, Approvals, Cli, Command};
    use crate::exit::Exit;
    use clap::Parser;

    fn made(words: &[&str]) -> Result<Value, Failure> {
        let all = ["x", "approvals", "allowlist", "add"].iter().chain(words);
        let cli = Cli::try_parse_from(all).unwrap();
        let Command::Approvals(Approvals::Allowlist(Allowlist::Add(add))) = cli.command else { panic!() };
        let now = jiff::civil::date(2030, 1, 1).at(0, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
        entry(&add, Some(Path::new("/home/u")), Some(OsStr::new(".::/bin")), &now).map(Value::Object)
    }

    #[test]
    fn entries() {
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        for (words, entry) in [
            (&["/usr/bin/git"][..], r#"{"pattern":"/usr/bin/git"}"#),
            (&["~/.cargo/bin/*", "--note", "a b"], r#"{"pattern":"~/.cargo/bin/*","note":"a b"}"#),
            (&["/b/git", "--args", "status", "..."], r#"{"pattern":"/b/git","args":["status","..."]}"#),
            (&["/b/git", "--args", r#"["-C","*","log"]"#], r#"{"pattern":"/b/git","args":["-C","*","log"]}"#),
            (&["/b/test", "--args", "[", "x"], r#"{"pattern":"/b/test","args":["[","x"]}"#),
            (&["/b/git", "--args"], r#"{"pattern":"/b/git","args":[]}"#),
            (&["/b/x", "--expires", "1d"], r#"{"pattern":"/b/x","expiresAt":1893542400000}"#),
            (&["/b/x", "--cwd", "~/src/**"], r#"{"pattern":"/b/x","cwd":"~/src/**"}"#),
            (&["--list", "denylist", "terraform"], r#"{"pattern":"terraform"}"#),
            (&["**/bin/rg"], r#"{"pattern":"**/bin/rg"}"#),
        ] {
            match made(words) {
                Ok(made) => assert_eq!(made, json(entry), "{words:?}"),
                // `[` alone is no glob; that it is not taken for JSON shows in the message.
                Err(e) => assert!(words.contains(&"[") && !e.what.contains("JSON"), "{words:?}: {e:?}"),
            }
        }
    }

    #[test]
    fn what_would_match_nothing_is_refused() {
        for words in [
            &[""][..],
            &["git"],
            &["sh"],
            &["*"],
            &["./x"],
            &["bin/x"],
            &["~user/x"],
            &["/usr/../bin/x"],
            &["/a/[b"],
            &["/a/{b"],
            &["/b/x", "--cwd", "src"],
            &["/b/x", "--cwd", "/a/[b"],
            &["/b/x", "--expires", "soon"],
            &["/b/x", "--expires", "2029-01-01"],
            &["/b/x", "--args", "...", "a"],
            &["/b/x", "--args", "{a"],
            &["/b/x", "--args", r#"["a"]"#, "--agent", "b"],
        ] {
            let failure = made(words).expect_err(&format!("{words:?}"));
            assert_eq!(failure.exit, Exit::Usage, "{words:?}");
        }
        assert!(made(&[&"/x".repeat(3000)]).is_err());
    }

    #[test]
    fn a_bare_name_is_answered_with_its_path() {
        let advice = made(&["sh"]).unwrap_err().advice.unwrap();
        assert!(advice.contains("/bin/sh"), "{advice}");
        let advice = made(&["no-such-program"]).unwrap_err().advice.unwrap();
        assert!(advice.contains("**/NAME"), "{advice}");
        // Relative and empty entries are not looked at.
        assert_eq!(search("Cargo.toml", Some(OsStr::new(".::relative"))), None);
    }
}
