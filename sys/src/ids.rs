//! Who we are: ids, and the home folder of the user database (never `$HOME`, which a caller can set).
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

/// Effective user id. Asked once: no program of ours changes it.
pub fn uid() -> u32 {
    static UID: OnceLock<u32> = OnceLock::new();
    *UID.get_or_init(|| nix::unistd::geteuid().as_raw())
}

static PID: AtomicI32 = AtomicI32::new(0);

/// Real user and group id: who a container is to write files for.
pub fn real() -> (u32, u32) {
    (nix::unistd::getuid().as_raw(), nix::unistd::getgid().as_raw())
}

/// Our process id. Asked once, and once more behind a fork.
pub fn pid() -> i32 {
    match PID.load(Ordering::Relaxed) {
        0 => {
            let pid = nix::unistd::getpid().as_raw();
            PID.store(pid, Ordering::Relaxed);
            pid
        }
        pid => pid,
    }
}

/// We are another process than before.
pub(crate) fn forked() {
    PID.store(0, Ordering::Relaxed);
}

/// The line of a user in the user database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Login name, raw bytes.
    pub name: Vec<u8>,
    /// Home folder; absolute.
    pub home: PathBuf,
    /// Login shell as it is written; may be empty.
    pub shell: Vec<u8>,
}

/// The user with this id; `None` if the database does not know it or names no absolute home folder.
///
/// `/etc/passwd` is read first and by hand: it is one small file, and a static program that asks the C library
/// would have it load modules of the system's. Only where it does not name the id the C library is asked, so
/// that users of a directory service have a home as well.
///
/// # Errors
///
/// Those of reading the file, but for its absence: nobody knows then whose documents rule.
pub fn user(uid: u32) -> io::Result<Option<User>> {
    let text = match crate::file::slurp(Path::new("/etc/passwd"), 64 << 20) {
        // Small containers have none.
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        text => text?,
    };
    let known = in_passwd(&text, uid).or_else(|| from_library(uid));
    Ok(known.filter(|u| u.home.is_absolute()))
}

/// The fields of passwd(5): name, password, uid, gid, comment, home, shell.
fn in_passwd(text: &[u8], uid: u32) -> Option<User> {
    text.split(|b| *b == b'\n').find_map(|line| {
        let mut fields = line.split(|b| *b == b':');
        let name = fields.next()?;
        let id: u32 = std::str::from_utf8(fields.nth(1)?).ok()?.parse().ok()?;
        let home = fields.nth(2)?;
        let shell = fields.next().unwrap_or_default();
        // Lines that begin with `+` or `-` are directives of old NIS set-ups, not users.
        let is_user = !name.is_empty() && !name.starts_with(b"+") && !name.starts_with(b"-");
        (id == uid && is_user).then(|| User {
            name: name.to_vec(),
            home: Path::new(std::ffi::OsStr::from_bytes(home)).to_path_buf(),
            shell: shell.to_vec(),
        })
    })
}

#[cfg(not(all(target_env = "gnu", target_feature = "crt-static")))]
fn from_library(uid: u32) -> Option<User> {
    let found = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(uid)).ok()??;
    let shell = found.shell.into_os_string().into_encoded_bytes();
    Some(User { name: found.name.into_bytes(), home: found.dir, shell })
}

/// glibc linked statically would load its modules at run time, of whatever version lies about: not asked.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
fn from_library(_: u32) -> Option<User> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwd_lines_are_read_by_field() {
        let text =
            b"+::::::\nroot:x:0:0:root:/root:/bin/sh\nbroken\na:x:10:1::/home/a b:/bin/sh\nb:x:10:1::/b:\n";
        let cases: &[(u32, Option<&str>)] = &[(0, Some("/root")), (10, Some("/home/a b")), (1, None)];
        for (uid, home) in cases {
            assert_eq!(in_passwd(text, *uid).map(|u| u.home), home.map(PathBuf::from), "{uid}");
        }
    }

    #[test]
    fn the_login_shell_is_the_last_field() {
        let text = b"a:x:10:1:,,,:/home/a:/usr/bin/zsh\nb:x:11:1::/b:\nc:x:12:1::/c\n";
        for (uid, shell) in [(10, "/usr/bin/zsh"), (11, ""), (12, "")] {
            assert_eq!(in_passwd(text, uid).map(|u| u.shell), Some(shell.as_bytes().to_vec()), "{uid}");
        }
    }

    #[test]
    fn an_unknown_id_has_no_home() {
        assert_eq!(user(3_999_999_999).unwrap(), None);
    }
}
