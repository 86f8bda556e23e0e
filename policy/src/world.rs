//! The few questions policy may ask about files.

/// Identity of a file at one moment: if all fields are equal later, it is taken to be the same content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Device number.
    pub dev: u64,
    /// Inode number.
    pub ino: u64,
    /// Size in bytes.
    pub size: u64,
    /// Last change of content, nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Last change of inode, nanoseconds since 1970.
    pub ctime_ns: i128,
}

impl FileId {
    /// True if both are the same inode, whatever happened to it between.
    pub fn same_file(&self, other: &FileId) -> bool {
        self.dev == other.dev && self.ino == other.ino
    }
}

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A folder.
    Directory,
    /// Anything else: device, socket, fifo.
    Other,
}

/// What a name in a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A symbolic link.
    Link,
    /// A folder.
    Folder,
    /// Anything else.
    Other,
}

/// What one look at a file told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Its identity.
    pub id: FileId,
    /// Its kind.
    pub kind: FileKind,
    /// Permission bits (`st_mode & 0o7777`).
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// True if the caller may execute it (`faccessat` with `X_OK` and effective ids).
    pub executable: bool,
}

/// The questions. The real file system answers in `sys`; [`FakeWorld`] in tests.
///
/// Paths are absolute. An answer of `None` means "no such file, or it could not be looked at": to a policy
/// that is a miss in both cases.
pub trait World {
    /// Looks at a file, following symbolic links.
    fn info(&self, path: &[u8]) -> Option<FileInfo>;
    /// The path with every symbolic link and dot segment resolved (`realpath(3)`); `None` also if it leads through what is
    /// another thing for every process ([`of_process`](crate::of_process)).
    fn real(&self, path: &[u8]) -> Option<Vec<u8>>;
    /// Up to the first 256 bytes of a regular file, for `#!` lines.
    fn head(&self, path: &[u8]) -> Option<Vec<u8>>;
    /// True if the caller could change the file's content or replace it.
    fn writable(&self, path: &[u8]) -> bool;
    /// True if the path itself is a symbolic link, wherever it leads.
    fn link(&self, path: &[u8]) -> bool;
    /// What a symbolic link says; `None` if it is none, or its folder is not spelled without links.
    fn target(&self, _link: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// What lies in a folder; `None` if it cannot be read, or holds more than `most` names.
    fn names(&self, _folder: &[u8], _most: usize) -> Option<Vec<(Vec<u8>, NameKind)>> {
        None
    }
    /// True if this executable file is the guard itself: links to it are shims, and are skipped. Asked rather than told,
    /// since nearly every file is known to be another without a look at the guard.
    fn is_guard(&self, _file: &FileId) -> bool {
        false
    }
    /// Names of the shells of `/etc/shells` (absolute paths); empty if it cannot be read.
    fn shells(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// From so many bytes on the kernel takes no path (limits.h).
const PATH_MAX: usize = 4096;

/// A file system made of a list, for tests.
#[derive(Clone, Debug, Default)]
pub struct FakeWorld {
    files: std::collections::BTreeMap<Vec<u8>, (Vec<u8>, u64, bool)>,
    links: std::collections::BTreeMap<Vec<u8>, Vec<u8>>,
    /// Paths that the caller may write.
    pub writable: std::collections::BTreeSet<Vec<u8>>,
    /// The guard's own path.
    pub guard: Option<Vec<u8>>,
}

impl FakeWorld {
    /// An empty file system.
    pub fn new() -> FakeWorld {
        FakeWorld::default()
    }

    /// Adds an executable regular file.
    #[must_use]
    pub fn program(mut self, path: &str) -> FakeWorld {
        let ino = 1000 + self.files.len() as u64;
        self.files.insert(path.as_bytes().to_vec(), (b"\x7fELF".to_vec(), ino, true));
        self
    }

    /// Adds a regular file that is not executable, with its first bytes.
    #[must_use]
    pub fn file(mut self, path: &str, head: &[u8]) -> FakeWorld {
        let ino = 1000 + self.files.len() as u64;
        self.files.insert(path.as_bytes().to_vec(), (head.to_vec(), ino, false));
        self
    }

    /// Adds an executable script, with its first bytes.
    #[must_use]
    pub fn script(mut self, path: &str, head: &[u8]) -> FakeWorld {
        self = self.file(path, head);
        if let Some(file) = self.files.get_mut(path.as_bytes()) {
            file.2 = true;
        }
        self
    }

    /// Adds a symbolic link (absolute target).
    #[must_use]
    pub fn link(mut self, path: &str, target: &str) -> FakeWorld {
        self.links.insert(path.as_bytes().to_vec(), target.as_bytes().to_vec());
        self
    }

    fn is_folder(&self, path: &[u8]) -> bool {
        let folder = path.strip_suffix(b"/").unwrap_or(path);
        let lies_in = |k: &Vec<u8>| k.strip_prefix(folder).is_some_and(|rest| rest.first() == Some(&b'/'));
        self.files.keys().chain(self.links.keys()).any(lies_in)
    }
}

impl World for FakeWorld {
    fn info(&self, path: &[u8]) -> Option<FileInfo> {
        let real = self.real(path)?;
        let id = |ino| FileId { dev: 1, ino, size: 1, mtime_ns: 0, ctime_ns: 0 };
        match self.files.get(&real) {
            Some((_, ino, x)) => Some(FileInfo {
                id: id(*ino),
                kind: FileKind::Regular,
                mode: if *x { 0o755 } else { 0o644 },
                uid: 0,
                gid: 0,
                executable: *x,
            }),
            None => Some(FileInfo {
                id: id(real.iter().fold(7u64, |a, b| a.wrapping_mul(31).wrapping_add(u64::from(*b)))),
                kind: FileKind::Directory,
                mode: 0o755,
                uid: 0,
                gid: 0,
                executable: true,
            }),
        }
    }

    fn real(&self, path: &[u8]) -> Option<Vec<u8>> {
        // As the kernel: path_resolution(7), ENAMETOOLONG.
        if path.len() >= PATH_MAX {
            return None;
        }
        let mut todo: Vec<&[u8]> = path.split(|b| *b == b'/').rev().collect();
        let mut done: Vec<u8> = Vec::with_capacity(path.len() + 1);
        let mut hops = 0;
        while let Some(part) = todo.pop() {
            match part {
                b"" | b"." => {}
                b".." => {
                    let cut = done.iter().rposition(|b| *b == b'/').unwrap_or(0);
                    done.truncate(cut);
                }
                name => {
                    done.push(b'/');
                    done.extend_from_slice(name);
                    if let Some(target) = self.links.get(&done) {
                        hops += 1;
                        if hops > 40 {
                            return None;
                        }
                        todo.extend(target.split(|b| *b == b'/').rev());
                        done.clear();
                    } else if crate::resolve::is_of_process(name) && crate::resolve::of_process(&done) {
                        return None;
                    }
                }
            }
        }
        if done.is_empty() {
            done.push(b'/');
        }
        (self.files.contains_key(&done) || self.is_folder(&done)).then_some(done)
    }

    fn head(&self, path: &[u8]) -> Option<Vec<u8>> {
        self.files.get(&self.real(path)?).map(|f| f.0.clone())
    }

    fn writable(&self, path: &[u8]) -> bool {
        self.writable.contains(path)
    }

    fn link(&self, path: &[u8]) -> bool {
        self.links.contains_key(path)
    }

    fn target(&self, link: &[u8]) -> Option<Vec<u8>> {
        self.links.get(link).cloned()
    }

    fn names(&self, folder: &[u8], most: usize) -> Option<Vec<(Vec<u8>, NameKind)>> {
        let mut front = self.real(folder)?;
        if front.last() != Some(&b'/') {
            front.push(b'/');
        }
        let mut out = std::collections::BTreeMap::new();
        for path in self.files.keys().chain(self.links.keys()) {
            let Some(rest) = path.strip_prefix(front.as_slice()) else { continue };
            let name = rest.split(|b| *b == b'/').next().unwrap_or_default();
            let is = match (name.len() < rest.len(), self.links.contains_key(path)) {
                (true, _) => NameKind::Folder,
                (_, true) => NameKind::Link,
                _ => NameKind::Other,
            };
            out.insert(name.to_vec(), is);
        }
        (out.len() <= most).then(|| out.into_iter().collect())
    }

    fn is_guard(&self, file: &FileId) -> bool {
        self.guard.as_ref().and_then(|g| self.info(g)).is_some_and(|g| g.id.same_file(file))
    }
}
