//! Is the file found under a safe bin's name really that program?
use super::is_built_in;
use crate::tables::words::{WordList, words};
use crate::world::World;

/// Folders in which a safe bin is trusted, before `safeBinTrustedDirs`.
const TRUSTED: &[&str] = &["/bin", "/usr/bin"];

/// Names a multi-call program has, that chooses the tool by `argv[0]`.
const MULTI_CALL: WordList = words!["busybox", "toybox", "coreutils"];

/// True if the file found under a safe bin's name is the program its profile describes:
/// *found* and *real* lie directly in `/bin`, `/usr/bin` or one of `dirs`, neither folder may be
/// written by its group or by everybody, and for a built-in profile the real file bears the name (or is a
/// multi-call program). That PATH leads there says nothing.
///
/// `found` has its folders resolved and its last component kept; `real` is resolved throughout.
pub fn trusted(found: &[u8], real: &[u8], dirs: &[String], world: &dyn World) -> bool {
    let (Some((_, name)), Some((_, real_name))) = (split(found), split(real)) else { return false };
    lies_in(found, dirs, world) && lies_in(real, dirs, world) && is_the_program(name, real_name)
}

/// The option under which grep is what `egrep` and `fgrep` are (grep(1)), if the file found under one of these names is
/// grep itself or the script of two lines that GNU grep installs: in a trusted folder, and running `grep` from PATH.
pub(crate) fn grep_by_another_name(
    found: &[u8],
    real: &[u8],
    dirs: &[String],
    world: &dyn World,
) -> Option<&'static str> {
    let (_, name) = split(found)?;
    let option = match name {
        b"egrep" => "-E",
        b"fgrep" => "-F",
        _ => return None,
    };
    if trusted(found, real, dirs, world) {
        return Some(option);
    }
    let script = || {
        let head = world.head(real)?;
        let last = head.trim_ascii_end().rsplit(|b| *b == b'\n').next()?;
        let runs = [format!("exec grep {option} \"$@\""), format!("exec grep {option} ${{1+\"$@\"}}")];
        Some(head.starts_with(b"#!/bin/sh\n") && runs.iter().any(|r| r.as_bytes() == last))
    };
    (lies_in(found, dirs, world) && lies_in(real, dirs, world) && script() == Some(true)).then_some(option)
}

fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let cut = path.iter().rposition(|b| *b == b'/')?;
    let folder = path.get(..cut)?;
    let name = path.get(cut + 1..).filter(|n| !n.is_empty())?;
    Some((if folder.is_empty() { b"/" } else { folder }, name))
}

fn lies_in(path: &[u8], dirs: &[String], world: &dyn World) -> bool {
    let Some((folder, _)) = split(path) else { return false };
    let is_trusted = TRUSTED.iter().copied().chain(dirs.iter().map(String::as_str)).any(|dir| {
        let dir = dir.trim_end_matches('/').as_bytes();
        // On most systems /bin is a link to /usr/bin, and the found path has its folders resolved.
        dir.first() == Some(&b'/') && (dir == folder || world.real(dir).is_some_and(|real| real == folder))
    });
    is_trusted && world.info(folder).is_some_and(|info| info.mode & 0o022 == 0)
}

fn is_the_program(name: &[u8], real: &[u8]) -> bool {
    if !std::str::from_utf8(name).is_ok_and(is_built_in) {
        return true;
    }
    // egrep and fgrep are often scripts that look for `grep` in PATH: only links to grep count.
    let wanted: &[u8] = if name == b"egrep" || name == b"fgrep" { b"grep" } else { name };
    let version = |rest: &[u8]| {
        rest.split_first().is_none_or(|(first, more)| {
            *first == b'-' && more.iter().all(|b| b.is_ascii_digit() || *b == b'.') && !more.is_empty()
        })
    };
    MULTI_CALL.has(real)
        || real.strip_prefix(wanted).is_some_and(version)
        || real.strip_prefix(b"g").and_then(|r| r.strip_prefix(wanted)).is_some_and(version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::FakeWorld;

    struct Loose<'a>(&'a FakeWorld, &'static str);
    impl World for Loose<'_> {
        fn link(&self, path: &[u8]) -> bool {
            self.0.link(path)
        }
        fn info(&self, path: &[u8]) -> Option<crate::world::FileInfo> {
            let mut info = self.0.info(path)?;
            if path == self.1.as_bytes() {
                info.mode = 0o775;
            }
            Some(info)
        }
        fn real(&self, path: &[u8]) -> Option<Vec<u8>> {
            self.0.real(path)
        }
        fn head(&self, path: &[u8]) -> Option<Vec<u8>> {
            self.0.head(path)
        }
        fn writable(&self, path: &[u8]) -> bool {
            self.0.writable(path)
        }
    }

    #[test]
    fn trusted_folders() {
        let world = FakeWorld::new()
            .program("/usr/bin/jq")
            .program("/usr/bin/grep")
            .program("/usr/bin/busybox")
            .program("/usr/bin/sub/jq")
            .program("/usr/local/bin/jq")
            .program("/opt/x/jq")
            .program("/tmp/evil/jq")
            .link("/bin", "/usr/bin");
        let none: &[String] = &[];
        let opt = &["/opt/x/".to_owned()][..];
        let relative = &["opt/x".to_owned(), String::new()][..];
        for (found, real, dirs, good) in [
            ("/usr/bin/jq", "/usr/bin/jq", none, true),
            ("/usr/bin/jq", "/usr/bin/jq-1.7", none, true),
            ("/usr/bin/jq", "/usr/bin/gojq", none, false),
            ("/usr/bin/sort", "/usr/bin/busybox", none, true),
            ("/usr/bin/sort", "/usr/bin/gsort", none, true),
            ("/usr/bin/sort", "/usr/bin/python3", none, false),
            ("/usr/bin/fmt", "/usr/bin/anything", none, true),
            ("/usr/bin/egrep", "/usr/bin/grep", none, true),
            ("/usr/bin/egrep", "/usr/bin/egrep", none, false),
            ("/usr/bin/sub/jq", "/usr/bin/sub/jq", none, false),
            ("/usr/local/bin/jq", "/usr/local/bin/jq", none, false),
            ("/usr/bin/jq", "/opt/x/jq", none, false),
            ("/opt/x/jq", "/usr/bin/jq", none, false),
            ("/opt/x/jq", "/opt/x/jq", none, false),
            ("/opt/x/jq", "/opt/x/jq", opt, true),
            ("/opt/x/jq", "/opt/x/jq", relative, false),
            ("/tmp/evil/jq", "/tmp/evil/jq", opt, false),
            ("jq", "jq", opt, false),
            ("/usr/bin/", "/usr/bin/", none, false),
        ] {
            assert_eq!(trusted(found.as_bytes(), real.as_bytes(), dirs, &world), good, "{found} {real}");
        }
        let world = FakeWorld::new()
            .program("/usr/bin/grep")
            .link("/usr/bin/egrep", "/usr/bin/grep")
            .file("/usr/bin/fgrep", b"#!/bin/sh\ncmd=${0##*/}\nexec grep -F \"$@\"\n")
            .file("/opt/fgrep", b"#!/bin/sh\nexec grep -F \"$@\"\n");
        let option = |found: &str, real: &str, dirs: &[String]| {
            grep_by_another_name(found.as_bytes(), real.as_bytes(), dirs, &world)
        };
        assert_eq!(option("/usr/bin/egrep", "/usr/bin/grep", none), Some("-E"));
        assert_eq!(option("/usr/bin/fgrep", "/usr/bin/fgrep", none), Some("-F"));
        assert_eq!(option("/opt/fgrep", "/opt/fgrep", none), None);
        assert_eq!(option("/opt/fgrep", "/opt/fgrep", &["/opt".to_owned()]), Some("-F"));
        assert_eq!(option("/usr/bin/grep", "/usr/bin/grep", none), None);
        for other in [
            &b"#!/bin/sh\nexec grep -E \"$@\"\n"[..],
            b"#!/bin/sh\nexec grep -F \"$@\"; rm x\n",
            b"#!/bin/sh\nexec grep -F \"$@\"\nrm x\n",
            b"#!/bin/bash\nexec grep -F \"$@\"\n",
            b"\x7fELF",
            b"",
        ] {
            let world = FakeWorld::new().program("/usr/bin/grep").file("/usr/bin/fgrep", other);
            let fgrep = b"/usr/bin/fgrep";
            assert_eq!(grep_by_another_name(fgrep, fgrep, none, &world), None, "{other:?}");
        }
        let jq = b"/usr/bin/jq";
        assert!(trusted(jq, jq, none, &Loose(&world, "/nowhere")));
        assert!(!trusted(jq, jq, none, &Loose(&world, "/usr/bin")));
    }
}
