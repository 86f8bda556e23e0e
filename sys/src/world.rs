//! The real file system, as the policy asks about it.
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::AtFlags;
use nix::unistd::AccessFlags;
use policy::{FileId, FileInfo, FileKind, NameKind, World};

/// Longest chain of symbolic links followed, as in path_resolution(7).
const MAX_LINKS: u32 = 40;

/// The most files that are looked at for one command. One that names thousands of programs, under a PATH of thousands
/// of folders, would hold us up for minutes.
const MAX_LOOKS: usize = 100_000;

/// What a component of a path is.
#[derive(Clone, Debug)]
enum Step {
    /// A symbolic link to this.
    Link(Vec<u8>),
    /// Something that is no link.
    Here,
    /// Nothing, or not to be looked at.
    Gone,
}

/// Why a look says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The kernel's error.
    Kernel(Errno),
    /// There were [`MAX_LOOKS`] before it.
    TooMany,
}

/// Which program the guard is.
#[derive(Debug, Default)]
enum Guard {
    /// None that anybody asks for.
    #[default]
    Unknown,
    /// This one.
    Is(FileId),
    /// The one that runs: looked at when it first matters, by a link of the kernel's that is made for that look.
    Running(OnceCell<Option<FileId>>),
}

/// The real file system. What it has seen once it does not look at again: an answer is good for one
/// judgement, and what is executed is checked again right before.
#[derive(Debug, Default)]
pub struct Host {
    guard: Guard,
    infos: RefCell<BTreeMap<Vec<u8>, Option<FileInfo>>>,
    steps: RefCell<BTreeMap<Vec<u8>, Step>>,
    shells: OnceCell<Vec<Vec<u8>>>,
    /// The first look that failed for a reason that says nothing about the file.
    fault: RefCell<Option<(Vec<u8>, Fault)>>,
}

impl Host {
    /// A fresh look at the file system.
    pub fn new() -> Host {
        Host::default()
    }

    /// The same for the guard, which is the running program.
    pub fn of_guard() -> Host {
        Host { guard: Guard::Running(OnceCell::new()), ..Host::default() }
    }

    /// The same for another program that judges as the guard does, which is this file.
    pub fn beside_guard(guard: Option<FileId>) -> Host {
        Host { guard: guard.map_or(Guard::Unknown, Guard::Is), ..Host::default() }
    }

    /// Notes that this path is known to have no symbolic link in it (what `getcwd(2)` returned), so that
    /// resolving a path below it costs nothing for the folders it shares.
    pub fn canonical(&self, path: &[u8]) {
        let mut steps = self.steps.borrow_mut();
        for (at, _) in path.iter().enumerate().filter(|(at, b)| **b == b'/' && *at > 0) {
            steps.insert(path.get(..at).unwrap_or_default().to_vec(), Step::Here);
        }
        steps.insert(path.to_vec(), Step::Here);
    }

    /// A look that failed although the file may be there: the path, and the kernel's error (EIO, or no descriptor
    /// left). The policy was told that there is no such file; whether a verdict may rest on that is for the caller
    /// to say.
    pub fn fault(&self) -> Option<(Vec<u8>, std::io::Error)> {
        self.fault.borrow().as_ref().map(|(path, fault)| {
            let error = match fault {
                Fault::Kernel(e) => (*e).into(),
                Fault::TooMany => {
                    std::io::Error::other(format!("more than {MAX_LOOKS} files for one command"))
                }
            };
            (path.clone(), error)
        })
    }

    /// True as long as there may be another look.
    fn may_look(&self, path: &[u8]) -> bool {
        let looks = self.infos.borrow().len() + self.steps.borrow().len();
        if looks >= MAX_LOOKS {
            self.fault.borrow_mut().get_or_insert_with(|| (path.to_vec(), Fault::TooMany));
        }
        looks < MAX_LOOKS
    }

    /// Notes a failed look, unless it is an answer: not there, not for us, no such path.
    fn failed(&self, path: &[u8], e: &std::io::Error) {
        let errno = Errno::from_raw(e.raw_os_error().unwrap_or(libc::EINVAL));
        // What whoever starts us could bring about by a limit, or a broken disk. A network that is away is an
        // answer as well: a shell would go on with the next folder of PATH.
        let answer = !matches!(errno, Errno::EMFILE | Errno::ENFILE | Errno::ENOMEM | Errno::EIO);
        if !answer {
            self.fault.borrow_mut().get_or_insert_with(|| (path.to_vec(), Fault::Kernel(errno)));
        }
    }

    /// One component: `path` is canonical but for its last name.
    fn step(&self, path: &[u8]) -> Step {
        if let Some(known) = self.steps.borrow().get(path) {
            return known.clone();
        }
        if !self.may_look(path) {
            return Step::Gone;
        }
        let step = match std::fs::read_link(of(path)) {
            Ok(target) => Step::Link(target.into_os_string().into_vec()),
            // readlink(2): EINVAL = it exists and is no symbolic link.
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => Step::Here,
            Err(e) => {
                self.failed(path, &e);
                Step::Gone
            }
        };
        self.steps.borrow_mut().insert(path.to_vec(), step.clone());
        step
    }

    /// True if it is a folder, which `.`, `..` and a slash at the end demand of what stands before them.
    fn is_folder(&self, path: &[u8]) -> bool {
        path.is_empty() || self.info(path).is_some_and(|i| i.kind == FileKind::Directory)
    }
}

impl World for Host {
    fn info(&self, path: &[u8]) -> Option<FileInfo> {
        if let Some(known) = self.infos.borrow().get(path) {
            return *known;
        }
        if !self.may_look(path) {
            return None;
        }
        let info = look(path).inspect_err(|e| self.failed(path, e)).ok();
        self.infos.borrow_mut().insert(path.to_vec(), info);
        info
    }

    fn real(&self, path: &[u8]) -> Option<Vec<u8>> {
        if path.first() != Some(&b'/') || path.contains(&0) || path.len() >= libc::PATH_MAX as usize {
            return None;
        }
        let mut todo: Vec<Cow<'_, [u8]>> = path.split(|b| *b == b'/').rev().map(Cow::Borrowed).collect();
        let mut done: Vec<u8> = Vec::with_capacity(path.len());
        let mut links = 0;
        while let Some(part) = todo.pop() {
            match &*part {
                // A slash at the end: what stands before must be a folder. Elsewhere the next component sees.
                b"" | b"." if todo.is_empty() || *part == *b"." => {
                    if !self.is_folder(&done) {
                        return None;
                    }
                }
                b"" => {}
                b".." => {
                    if !self.is_folder(&done) {
                        return None;
                    }
                    let cut = done.iter().rposition(|b| *b == b'/').unwrap_or(0);
                    done.truncate(cut);
                }
                name => {
                    let kept = done.len();
                    done.push(b'/');
                    done.extend_from_slice(name);
                    if policy::is_of_process(name) && policy::of_process(&done) {
                        return None;
                    }
                    match self.step(&done) {
                        Step::Here => {}
                        Step::Gone => return None,
                        Step::Link(target) => {
                            links += 1;
                            if links > MAX_LINKS || target.is_empty() {
                                return None;
                            }
                            done.truncate(if target.first() == Some(&b'/') { 0 } else { kept });
                            todo.extend(target.split(|b| *b == b'/').rev().map(|p| Cow::Owned(p.to_vec())));
                        }
                    }
                }
            }
        }
        if done.is_empty() {
            done.push(b'/');
        }
        Some(done)
    }

    fn head(&self, path: &[u8]) -> Option<Vec<u8>> {
        head(path).inspect_err(|e| self.failed(path, e)).ok().flatten()
    }

    /// Looks at the file and at every folder above it, since who can write a folder can put another file in
    /// its place. For root, who can change everything, the answer is about everybody else: it is asked in
    /// order to warn, and a warning about every file warns of nothing.
    fn writable(&self, path: &[u8]) -> bool {
        let real = self.real(path).unwrap_or_else(|| path.to_vec());
        let uid = crate::ids::uid();
        Path::new(OsStr::from_bytes(&real)).ancestors().any(|p| {
            let Ok(m) = std::fs::metadata(p) else { return false };
            // In a folder with the sticky bit only the owner of a file may replace it.
            let shared = m.mode() & 0o022 != 0 && !(m.is_dir() && m.mode() & 0o1000 != 0);
            if uid == 0 {
                return m.uid() != 0 || shared;
            }
            let sticky = m.is_dir() && m.mode() & 0o1000 != 0;
            m.uid() == uid
                || (!sticky && allowed(p.as_os_str().as_bytes(), AccessFlags::W_OK).unwrap_or(true))
        })
    }

    fn link(&self, path: &[u8]) -> bool {
        if !self.may_look(path) {
            return false;
        }
        let meta = std::fs::symlink_metadata(of(path)).inspect_err(|e| self.failed(path, e));
        meta.is_ok_and(|m| m.file_type().is_symlink())
    }

    fn target(&self, link: &[u8]) -> Option<Vec<u8>> {
        match self.step(link) {
            Step::Link(target) => Some(target),
            Step::Here | Step::Gone => None,
        }
    }

    fn names(&self, folder: &[u8], most: usize) -> Option<Vec<(Vec<u8>, NameKind)>> {
        if !self.may_look(folder) {
            return None;
        }
        let mut out = Vec::new();
        for entry in std::fs::read_dir(of(folder)).inspect_err(|e| self.failed(folder, e)).ok()? {
            let entry = entry.ok()?;
            if out.len() >= most {
                return None;
            }
            // The folder mostly says so itself: getdents(2), d_type.
            let is = match entry.file_type() {
                Ok(t) if t.is_symlink() => NameKind::Link,
                Ok(t) if t.is_dir() => NameKind::Folder,
                _ => NameKind::Other,
            };
            out.push((entry.file_name().into_vec(), is));
        }
        Some(out)
    }

    fn is_guard(&self, file: &FileId) -> bool {
        match &self.guard {
            Guard::Unknown => false,
            Guard::Is(guard) => guard.same_file(file),
            // A file that is shorter than what was loaded of ours is another one, as nearly all programs are.
            Guard::Running(_) if file.size < crate::entry::loaded_bytes() => false,
            Guard::Running(id) => {
                id.get_or_init(|| crate::environ::myself().id).is_some_and(|guard| guard.same_file(file))
            }
        }
    }

    fn shells(&self) -> Vec<Vec<u8>> {
        let read = || {
            let path = b"/etc/shells";
            let text = crate::file::slurp(of(path), 1 << 20).inspect_err(|e| self.failed(path, e));
            let text = text.unwrap_or_default();
            let lines = text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
            lines.filter(|l| l.starts_with(b"/")).map(Vec::from).collect()
        };
        self.shells.get_or_init(read).clone()
    }
}

fn of(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

/// The first 256 bytes of a regular file.
fn head(path: &[u8]) -> std::io::Result<Option<Vec<u8>>> {
    let mut file = crate::file::open(of(path))?;
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut head = vec![0; 256];
    let mut len = 0;
    while let Some(rest) = head.get_mut(len..).filter(|r| !r.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    head.truncate(len);
    Ok(Some(head))
}

/// One look: stat(2), and access(2) with effective ids where the kind can be executed.
fn look(path: &[u8]) -> std::io::Result<FileInfo> {
    let m = std::fs::metadata(of(path))?;
    let kind = if m.is_file() {
        FileKind::Regular
    } else if m.is_dir() {
        FileKind::Directory
    } else {
        FileKind::Other
    };
    let executable = kind != FileKind::Other && m.mode() & 0o111 != 0 && allowed(path, AccessFlags::X_OK)?;
    Ok(FileInfo { id: id(&m), kind, mode: m.mode() & 0o7777, uid: m.uid(), gid: m.gid(), executable })
}

fn allowed(path: &[u8], how: AccessFlags) -> std::io::Result<bool> {
    match nix::unistd::faccessat(nix::fcntl::AT_FDCWD, of(path), how, AtFlags::AT_EACCESS) {
        Ok(()) => Ok(true),
        // Not allowed; or, for a write, on a file system that nobody writes, or a program that is running.
        Err(Errno::EACCES | Errno::EPERM | Errno::EROFS | Errno::ETXTBSY) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// The identity that a look at a file tells.
pub fn id(m: &Metadata) -> FileId {
    let ns = |s: i64, n: i64| i128::from(s) * 1_000_000_000 + i128::from(n);
    FileId {
        dev: m.dev(),
        ino: m.ino(),
        size: m.size(),
        mtime_ns: ns(m.mtime(), m.mtime_nsec()),
        ctime_ns: ns(m.ctime(), m.ctime_nsec()),
    }
}

/// The identity of a file as it is now, following symbolic links; `None` if it cannot be looked at.
pub fn identity(path: &[u8]) -> Option<FileId> {
    std::fs::metadata(of(path)).ok().map(|m| id(&m))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn bytes(p: &Path) -> Vec<u8> {
        p.as_os_str().as_bytes().to_vec()
    }

    #[test]
    fn names_of_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("d")).unwrap();
        std::fs::write(dir.path().join("f"), "x").unwrap();
        symlink("nowhere", dir.path().join("l")).unwrap();
        let host = Host::new();
        let mut names = host.names(&bytes(dir.path()), 3).unwrap();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        let want = [(&b"d"[..], NameKind::Folder), (b"f", NameKind::Other), (b"l", NameKind::Link)]
            .map(|(n, k)| (n.to_vec(), k));
        assert_eq!(names, want);
        assert_eq!(host.names(&bytes(dir.path()), 2), None);
        assert_eq!(host.names(&bytes(&dir.path().join("f")), 9), None);
        assert_eq!(host.target(&bytes(&dir.path().join("l"))), Some(b"nowhere".to_vec()));
        assert_eq!(host.target(&bytes(&dir.path().join("f"))), None);
        assert!(host.fault().is_none());
    }

    #[test]
    fn real_agrees_with_realpath() {
        let dir = tempfile::tempdir().unwrap();
        let d = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(d.join("a/b")).unwrap();
        std::fs::write(d.join("a/b/f"), "x").unwrap();
        symlink("b/f", d.join("a/rel")).unwrap();
        symlink(d.join("a"), d.join("abs")).unwrap();
        symlink("../abs/./b/", d.join("a/dir")).unwrap();
        symlink("loop", d.join("loop")).unwrap();
        symlink("nowhere", d.join("dangling")).unwrap();
        let cases = [
            "a/b/f",
            "a/rel",
            "abs/rel",
            "a/dir/f",
            "a/dir",
            "a/dir/..",
            "abs/../abs/b/./f",
            "loop",
            "dangling",
            "a/b/f/",
            "a/b/f/.",
            "a/b/f/..",
            "a/b/f/x",
            "a/b/",
            "none",
            "a//b///f",
            "../..",
            "a/rel/..",
        ];
        let host = Host::new();
        for case in cases {
            let p = d.join(case);
            // `Path` normalises a trailing slash and dots away, so the bytes are put together by hand.
            let mut raw = bytes(&d);
            raw.push(b'/');
            raw.extend_from_slice(case.as_bytes());
            let want = std::fs::canonicalize(OsStr::from_bytes(&raw)).ok().map(|p| bytes(&p));
            assert_eq!(host.real(&raw), want, "{}", p.display());
        }
    }

    #[test]
    fn what_is_another_thing_for_every_process_is_no_answer() {
        let dir = tempfile::tempdir().unwrap();
        let d = dir.path().canonicalize().unwrap();
        symlink("/proc/self/cwd", d.join("cwd")).unwrap();
        symlink("cwd/x", d.join("x")).unwrap();
        let mine = format!("/proc/{}/exe", std::process::id());
        let own = d.join("cwd").into_os_string().into_string().unwrap();
        for path in
            ["/proc/self", "/proc/self/cwd", "/proc/thread-self/exe", &mine, "/dev/stdin", "/dev/fd/0", &own]
        {
            assert_eq!(Host::new().real(path.as_bytes()), None, "{path}");
        }
        assert_eq!(Host::new().real(&bytes(&d.join("x"))), None);
        assert!(Host::new().real(b"/proc/sys").is_some());
    }

    #[test]
    fn what_getcwd_said_is_not_looked_at_again() {
        let host = Host::new();
        host.canonical(b"/no/such/folder");
        assert_eq!(host.real(b"/no/such/folder"), Some(b"/no/such/folder".to_vec()));
        assert_eq!(host.real(b"/no/such/folder/x"), None);
    }

    #[test]
    fn info_tells_kind_and_x() {
        let host = Host::new();
        let sh = host.info(b"/bin/sh").unwrap();
        assert!(sh.executable && sh.kind == FileKind::Regular);
        assert_eq!(host.info(b"/").unwrap().kind, FileKind::Directory);
        assert!(!host.info(b"/etc/passwd").unwrap().executable);
        assert_eq!(host.info(b"/dev/null").unwrap().kind, FileKind::Other);
        assert_eq!(host.info(b"/no/such"), None);
        assert_eq!(host.info(b"/bin/sh\0x"), None);
    }

    #[test]
    fn plain_answers_are_no_faults() {
        let host = Host::new();
        for path in [&b"/no/such"[..], b"/etc/passwd/x", b"/a\0b"] {
            assert_eq!((host.info(path), host.real(path), host.head(path)), (None, None, None));
        }
        assert!(host.fault().is_none());
        host.failed(b"/x", &Errno::EMFILE.into());
        host.failed(b"/y", &Errno::EIO.into());
        assert_eq!(host.fault().unwrap().0, b"/x");
    }

    #[test]
    fn the_running_program_is_the_guard() {
        let id = |path: &Path| identity(&bytes(path)).unwrap();
        let me = std::env::current_exe().unwrap();
        let dir = tempfile::tempdir().unwrap();
        symlink(&me, dir.path().join("shim")).unwrap();
        std::fs::copy(&me, dir.path().join("copy")).unwrap();
        let host = Host::of_guard();
        assert!(host.is_guard(&id(&me)) && host.is_guard(&id(&dir.path().join("shim"))));
        assert!(!host.is_guard(&id(&dir.path().join("copy"))) && !host.is_guard(&id(Path::new("/bin/sh"))));
        assert!(!Host::new().is_guard(&id(&me)));
        let beside = Host::beside_guard(identity(b"/bin/sh"));
        assert!(beside.is_guard(&id(Path::new("/bin/sh"))) && !beside.is_guard(&id(&me)));
    }

    #[test]
    fn looks_have_an_end() {
        let host = Host::new();
        (0..MAX_LOOKS).for_each(|n| assert_eq!(host.info(format!("/no/such/{n}").as_bytes()), None));
        assert!(host.fault().is_none());
        assert_eq!(host.info(b"/bin/sh"), None);
        assert_eq!(host.fault().unwrap().0, b"/bin/sh");
    }

    #[test]
    fn head_reads_regular_files_only() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("s"), "#!/bin/sh\n").unwrap();
        let host = Host::new();
        assert_eq!(host.head(&bytes(&dir.path().join("s"))), Some(b"#!/bin/sh\n".to_vec()));
        assert_eq!(host.head(&bytes(dir.path())), None);
        assert_eq!(host.head(b"/dev/zero"), None);
    }

    #[test]
    fn a_file_in_a_folder_of_ours_is_writable() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("x"), "").unwrap();
        std::fs::set_permissions(dir.path().join("x"), std::os::unix::fs::PermissionsExt::from_mode(0o777))
            .unwrap();
        assert!(Host::new().writable(&bytes(&dir.path().join("x"))));
    }
}
