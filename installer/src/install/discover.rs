//! Which programs exist and would be stood in front of.
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Looks into the folders of a PATH, without those of our own links.
#[derive(Debug)]
pub struct Programs {
    folders: Vec<PathBuf>,
    guard: Option<policy::FileId>,
}

impl Programs {
    /// The folders of `path` (absolute ones; others follow the working folder) without `ours`.
    pub fn new(path: &[u8], ours: &[PathBuf], guard: &Path) -> Programs {
        let folders = path
            .split(|b| *b == b':')
            .filter(|f| f.starts_with(b"/"))
            .map(|f| PathBuf::from(std::ffi::OsStr::from_bytes(f)))
            .filter(|f| !ours.contains(f));
        Programs { folders: folders.collect(), guard: sys::world::identity(guard.as_os_str().as_bytes()) }
    }

    /// Without the folders in this one.
    pub fn without(mut self, root: &Path) -> Programs {
        let real = |p: &Path| fs::canonicalize(p).unwrap_or_else(|_| p.to_path_buf());
        self.folders.retain(|f| !f.starts_with(root) && !real(f).starts_with(real(root)));
        self
    }

    /// Without the folders that end so.
    pub fn without_any(mut self, end: &str) -> Programs {
        self.folders.retain(|f| !f.ends_with(end));
        self
    }

    /// The program that a name stands for: the first that can be executed and is not the guard.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        self.folders.iter().map(|f| f.join(name)).find(|p| self.is_program(p))
    }

    /// The first hit of a name, the guard included.
    pub fn first(&self, name: &str) -> Option<PathBuf> {
        self.folders.iter().map(|f| f.join(name)).find(|p| is_executable(p))
    }

    /// True if it is the guard, under whatever name.
    pub fn is_guard(&self, path: &Path) -> bool {
        self.guard.is_some() && sys::world::identity(path.as_os_str().as_bytes()) == self.guard
    }

    /// The names of all programs. Names that are no text, or that a manifest could not hold, are left out.
    pub fn names(&self) -> BTreeSet<String> {
        let entries = self.folders.iter().filter_map(|f| fs::read_dir(f).ok()).flatten().flatten();
        entries
            .filter(|e| self.is_program(&e.path()))
            .filter_map(|e| e.file_name().into_string().ok())
            .filter(|n| n.chars().all(|c| c.is_ascii_graphic()) && !n.starts_with("exec-guard"))
            .collect()
    }

    fn is_program(&self, path: &Path) -> bool {
        is_executable(path) && !self.is_guard(path)
    }
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
