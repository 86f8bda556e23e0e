//! A program's name → the file it is.
//!
//! A word with `/` is taken relative to the tracked working folder; a bare name is searched in the absolute
//! entries of PATH, in order. The guard itself and its shims are skipped by identity, never by folder name:
//! a shim that is named by its path stands for the program of its name in PATH, so no loop is possible.
use crate::tables::words::{WordList, words};
use crate::world::{FileId, FileKind, World};

/// A file that exists, is regular, may be executed, and was looked at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// Folders canonicalised, last component kept: multi-call programs decide by name.
    pub found: Vec<u8>,
    /// Everything resolved.
    pub real: Vec<u8>,
    /// What it was when looked at.
    pub id: FileId,
}

impl Executable {
    /// Last component of `found`.
    pub fn name(&self) -> &[u8] {
        last_component(&self.found)
    }
    /// Last component of `real`.
    pub fn real_name(&self) -> &[u8] {
        last_component(&self.real)
    }
}

/// What looking a name up gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A program.
    Found(Executable),
    /// Nothing executable of that name.
    Missing,
    /// A relative path, and the working folder is not known.
    CwdUnknown,
    /// A program, but a relative entry of PATH in front of it has another one of that name, which a shell would run.
    Shadowed(Executable),
}

/// Search path when PATH is unset: what musl's `execvp` uses.
pub const DEFAULT_PATH: &[u8] = b"/usr/local/bin:/bin:/usr/bin";

/// Names of the guard's own programs: these are not skipped when named by path.
const OWN_NAMES: WordList = words!["exec-guard", "exec-guardctl", "exec-guard-approver"];

/// The part after the last slash.
pub fn last_component(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|b| *b == b'/') {
        Some(p) => path.get(p + 1..).unwrap_or_default(),
        None => path,
    }
}

/// The part before the last slash; `/` for a file in the root.
pub fn parent(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|b| *b == b'/') {
        Some(0) => b"/",
        Some(p) => path.get(..p).unwrap_or_default(),
        None => b"",
    }
}

/// `base` and `rest` joined; an absolute `rest` stands alone.
pub fn join(base: &[u8], rest: &[u8]) -> Vec<u8> {
    if rest.first() == Some(&b'/') {
        return rest.to_vec();
    }
    let mut out = base.to_vec();
    if out.last() != Some(&b'/') {
        out.push(b'/');
    }
    out.extend_from_slice(rest);
    out
}

/// True if no segment of an absolute path is empty or begins with a dot: as most are written.
fn is_normal(path: &[u8]) -> bool {
    let mut before = 0;
    for byte in path {
        if before == b'/' && matches!(byte, b'/' | b'.') {
            return false;
        }
        before = *byte;
    }
    path.first() == Some(&b'/') && before != b'/'
}

/// An absolute path with dot segments removed by their spelling, as a shell's logical `cd` does.
pub fn normalise(path: &[u8]) -> Vec<u8> {
    if is_normal(path) {
        return path.to_vec();
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            p => parts.push(p),
        }
    }
    let mut out = Vec::with_capacity(path.len());
    for p in parts {
        out.push(b'/');
        out.extend_from_slice(p);
    }
    if out.is_empty() {
        out.push(b'/');
    }
    out
}

/// True if an absolute path leads into a folder of proc(5) that belongs to one process. What it names is another thing
/// for the process that looks at it to judge and for the one that runs, and for that one another after each `cd`. A link
/// to it (`/dev/fd`, `/dev/stdin`, `/proc/mounts`) is found out when it is followed: see [`World::real`].
pub fn of_process(path: &[u8]) -> bool {
    let mut before: &[u8] = b"/";
    for (i, part) in path.split(|b| *b == b'/').filter(|p| !matches!(*p, b"" | b".")).enumerate() {
        // A container may have the host's proc somewhere else.
        let own = matches!(part, b"self" | b"thread-self") || (i == 1 && is_of_process(part));
        if before == b"proc" && own {
            return true;
        }
        before = part;
    }
    false
}

/// False if no path can be [`of_process`] by ending in this name: whoever follows a path step by step need not look at
/// all that lies behind it.
pub fn is_of_process(name: &[u8]) -> bool {
    matches!(name, b"self" | b"thread-self") || name.iter().all(u8::is_ascii_digit)
}

/// True if a folder of PATH is the same folder for everybody, wherever he stands.
pub(crate) fn is_fixed(dir: &[u8]) -> bool {
    dir.first() == Some(&b'/') && !of_process(dir)
}

/// Where names are looked up.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    /// The tracked working folder.
    pub cwd: Option<&'a [u8]>,
    /// PATH; `None` = unset.
    pub path: Option<&'a [u8]>,
}

/// Looks a command's name up.
pub(crate) fn resolve(name: &[u8], at: Lookup<'_>, world: &dyn World) -> Resolution {
    if name.is_empty() || name.contains(&0) {
        return Resolution::Missing;
    }
    if !name.contains(&b'/') {
        return search(name, at, world);
    }
    let full = if name.first() == Some(&b'/') {
        name.to_vec()
    } else {
        match at.cwd {
            Some(cwd) => join(cwd, name),
            None => return Resolution::CwdUnknown,
        }
    };
    if of_process(&full) {
        return Resolution::CwdUnknown;
    }
    match look(&full, world, true) {
        Some(exe) if world.is_guard(&exe.id) && !OWN_NAMES.has(exe.name()) => search(exe.name(), at, world),
        Some(exe) => Resolution::Found(exe),
        None => Resolution::Missing,
    }
}

/// Looks a script up as a shell does that is given it as its operand: the path itself (sh(1), `command_file`). The
/// execute bit is not needed. Where there is no such file bash searches PATH and dash and zsh do not: nothing is found.
pub(crate) fn resolve_script(name: &[u8], at: Lookup<'_>, world: &dyn World) -> Resolution {
    if name.is_empty() || name.contains(&0) {
        return Resolution::Missing;
    }
    let full = match (name.first(), at.cwd) {
        (Some(b'/'), _) => name.to_vec(),
        (_, Some(cwd)) => join(cwd, name),
        (_, None) => return Resolution::CwdUnknown,
    };
    if of_process(&full) {
        return Resolution::CwdUnknown;
    }
    match look(&full, world, false) {
        Some(exe) => Resolution::Found(exe),
        None => Resolution::Missing,
    }
}

fn search(name: &[u8], at: Lookup<'_>, world: &dyn World) -> Resolution {
    let mut shadowed = false;
    for dir in at.path.unwrap_or(DEFAULT_PATH).split(|b| *b == b':') {
        if !is_fixed(dir) {
            // Never taken, but never passed over in silence either. In an unknown folder anything may be there.
            shadowed |= match at.cwd {
                Some(cwd) if !of_process(dir) => is_program(&join(&join(cwd, dir), name), world),
                _ => true,
            };
            continue;
        }
        let candidate = join(dir, name);
        let Some(info) = world.info(&candidate) else { continue };
        if info.kind != FileKind::Regular || !info.executable {
            continue;
        }
        if world.is_guard(&info.id) && !OWN_NAMES.has(name) {
            continue;
        }
        match named(&candidate, info.id, world) {
            Some(exe) if shadowed => return Resolution::Shadowed(exe),
            Some(exe) => return Resolution::Found(exe),
            // It is there, and what it is cannot be told.
            None => shadowed = true,
        }
    }
    Resolution::Missing
}

fn is_program(path: &[u8], world: &dyn World) -> bool {
    world.info(path).is_some_and(|i| i.kind == FileKind::Regular && i.executable && !world.is_guard(&i.id))
}

/// Looks at one path.
pub(crate) fn look(path: &[u8], world: &dyn World, must_execute: bool) -> Option<Executable> {
    let info = world.info(path)?;
    if info.kind != FileKind::Regular || (must_execute && !info.executable) {
        return None;
    }
    named(path, info.id, world)
}

fn named(path: &[u8], id: FileId, world: &dyn World) -> Option<Executable> {
    let last = last_component(path);
    if matches!(last, b"" | b"." | b"..") {
        return None;
    }
    let real = world.real(path)?;
    let dir = parent(path);
    // Most programs are no links: then their folder need not be resolved a second time.
    let found = if last_component(&real) == last && world.real(dir).is_some_and(|d| d == parent(&real)) {
        real.clone()
    } else {
        join(&world.real(dir)?, last)
    };
    Some(Executable { found, real, id })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::FakeWorld;

    fn world() -> FakeWorld {
        FakeWorld::new()
            .program("/usr/bin/git")
            .program("/usr/bin/busybox")
            .program("/opt/guard/exec-guard")
            .link("/usr/bin/ls", "/usr/bin/busybox")
            .link("/bin", "/usr/bin")
            .link("/shims/git", "/opt/guard/exec-guard")
            .file("/usr/bin/data", b"x")
    }

    fn lookup(name: &str, path: &str, cwd: Option<&str>) -> Option<(String, String)> {
        let mut w = world();
        w.guard = Some(b"/opt/guard/exec-guard".to_vec());
        let at = Lookup { cwd: cwd.map(str::as_bytes), path: Some(path.as_bytes()) };
        match resolve(name.as_bytes(), at, &w) {
            Resolution::Found(e) => {
                Some((String::from_utf8(e.found).unwrap(), String::from_utf8(e.real).unwrap()))
            }
            _ => None,
        }
    }

    #[test]
    fn names() {
        let s = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(lookup("git", "/usr/bin", None), s("/usr/bin/git", "/usr/bin/git"));
        assert_eq!(lookup("git", "/bin", None), s("/usr/bin/git", "/usr/bin/git"));
        assert_eq!(lookup("ls", "/bin", None), s("/usr/bin/ls", "/usr/bin/busybox"));
        assert_eq!(lookup("git", ":.:bin", Some("/usr")), None, "relative entries are not searched");
        assert_eq!(lookup("bin/git", "", Some("/usr")), s("/usr/bin/git", "/usr/bin/git"));
        assert_eq!(lookup("./bin/../bin/git", "", Some("/usr")), s("/usr/bin/git", "/usr/bin/git"));
        assert_eq!(lookup("./git", "/usr/bin", None), None, "no folder, no relative program");
        assert_eq!(lookup("data", "/usr/bin", None), None, "not executable");
        assert_eq!(lookup("git", "/shims:/usr/bin", None), s("/usr/bin/git", "/usr/bin/git"), "shim skipped");
        assert_eq!(lookup("git", "/shims", None), None, "only a shim is nothing");
        assert_eq!(
            lookup("/shims/git", "/shims:/usr/bin", None),
            s("/usr/bin/git", "/usr/bin/git"),
            "a shim named by path stands for its name"
        );
        assert_eq!(
            lookup("ls", ":.:/usr/bin", Some("/usr")),
            s("/usr/bin/ls", "/usr/bin/busybox"),
            "nothing there"
        );
        assert_eq!(lookup("git", "bin:/usr/bin", Some("/usr")), None, "shadowed");
        assert_eq!(lookup("git", ".:/usr/bin", None), None, "unknown folder");
        assert_eq!(
            lookup("git", "/usr/bin:.", Some("/usr/bin")),
            s("/usr/bin/git", "/usr/bin/git"),
            "behind it"
        );
        assert_eq!(lookup("", "/usr/bin", None), None);
        assert_eq!(lookup("/usr/bin", "/usr/bin", None), None, "a folder");
    }

    #[test]
    fn a_script_is_not_looked_for_in_path() {
        let w = world();
        let script =
            |name: &str, cwd| resolve_script(name.as_bytes(), Lookup { cwd, path: Some(b"/usr/bin") }, &w);
        assert!(matches!(script("git", Some(b"/usr/bin")), Resolution::Found(_)));
        assert!(matches!(script("/usr/bin/git", None), Resolution::Found(_)));
        assert!(matches!(script("git", Some(b"/")), Resolution::Missing));
        assert!(matches!(script("git", None), Resolution::CwdUnknown));
    }

    #[test]
    fn what_is_another_thing_for_every_process_is_not_looked_up() {
        let w = world().link("/l", "/proc/self/cwd").link("/dev/fd", "/proc/self/fd").link("/m", "/l/git");
        let at = |path| Lookup { cwd: Some(b"/usr/bin"), path: Some(path) };
        for name in [
            "/proc/self/cwd/git",
            "/proc/thread-self/cwd/git",
            "/proc/1234/root/usr/bin/git",
            "/proc//self/./exe",
            "/l/git",
            "/m",
            "/dev/fd/3",
            "../../l/git",
            "/proc/self/../self/cwd/git",
        ] {
            assert!(
                matches!(
                    resolve(name.as_bytes(), at(b"/usr/bin"), &w),
                    Resolution::CwdUnknown | Resolution::Missing
                ),
                "{name}"
            );
            assert!(
                matches!(
                    resolve_script(name.as_bytes(), at(b"/usr/bin"), &w),
                    Resolution::CwdUnknown | Resolution::Missing
                ),
                "{name}"
            );
            assert_eq!(w.real(name.as_bytes()), None, "{name}");
        }
        for path in [b"/proc/self/cwd:/usr/bin".as_slice(), b"/proc/1/root/bin:/usr/bin"] {
            assert!(matches!(resolve(b"git", at(path), &w), Resolution::Shadowed(_)));
        }
        assert!(matches!(resolve(b"git", at(b"/usr/bin:/proc/self/cwd"), &w), Resolution::Found(_)));
        for path in ["/proc/sys/kernel", "/home/u/proc/7", "/home/self", "/proc", "/self/proc/x"] {
            assert!(!of_process(path.as_bytes()), "{path}");
        }
        assert!(of_process(b"/proc/1") && of_process(b"/host/proc/self/cwd"));
    }

    #[test]
    fn paths() {
        assert_eq!(normalise(b"/a/./b/../c//d"), b"/a/c/d");
        assert_eq!(normalise(b"/.."), b"/");
        assert_eq!(parent(b"/a"), b"/");
        assert_eq!(last_component(b"/a/b"), b"b");
    }
}
