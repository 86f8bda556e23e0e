//! Whether a command may be run in the folder that a call names: whatever lies in it can be read there.
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use policy::World;
use sys::world::Host;

use super::Scene;
use crate::result::{Code, ToolResult};

/// Folders that hold no work: the machine, its settings and its sockets.
const NO_WORK: &[&str] = &["/proc", "/sys", "/dev", "/run", "/etc", "/boot"];

/// Folders in which everybody's passing files lie, those of other commands of tools among them.
const EVERYBODYS: &[&str] = &["/tmp", "/var/tmp"];

/// Why everything below a folder is not for a command to read, if it is not. The path is real.
fn no_work(real: &Path, homes: &[PathBuf]) -> Option<&'static str> {
    if NO_WORK.iter().any(|p| real.starts_with(p) || Path::new(p).starts_with(real)) {
        return Some("a folder of the system, or one that holds it");
    }
    if EVERYBODYS.iter().any(|p| Path::new(p).starts_with(real)) {
        return Some("a folder of everybody's passing files, or one that holds it: name one below it");
    }
    if real.ancestors().any(crate::sandbox::is_private) {
        return Some("another command's private folder");
    }
    // That of another user is one as well.
    let other: Option<PathBuf> = real
        .strip_prefix("/home")
        .ok()
        .map(|rest| Path::new("/home").join(rest.iter().next().unwrap_or_default()));
    let others = [other, Some(PathBuf::from("/root"))];
    for home in homes.iter().chain(others.iter().flatten()) {
        if home.starts_with(real) {
            return Some("a home, or a folder that holds it");
        }
        let below = real.strip_prefix(home).ok().and_then(|rest| rest.iter().next());
        if below.is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
            return Some("a folder of settings and secrets in a home");
        }
    }
    None
}

/// A folder a command may be run in, and read: there, none of the guard's own, and none of secrets. Its real path.
///
/// # Errors
/// Why not.
pub fn of(scene: &Scene, host: &Host, path: &Path) -> Result<PathBuf, ToolResult> {
    let bad = |what: &str| Err(ToolResult::no(Code::InvalidField, format!("cwd: {what}")));
    let Some(real) = host.real(path.as_os_str().as_encoded_bytes()) else { return bad("no such folder") };
    let real = PathBuf::from(OsString::from_vec(real));
    if !real.is_dir() {
        return bad("no folder");
    }
    let resolved = |p: &[u8]| PathBuf::from(OsString::from_vec(host.real(p).unwrap_or_else(|| p.to_vec())));
    let own = |p: &Vec<u8>| {
        let own = resolved(p);
        real.starts_with(&own) || own.starts_with(&real)
    };
    if scene.own.iter().any(own) {
        return bad("the guard's own folder, or one that holds it");
    }
    // By the user database, and where our caller keeps things.
    let env = scene.env.iter().filter_map(|e| e.strip_prefix(b"HOME="));
    let homes = scene.home.as_deref().into_iter().chain(env).filter(|h| h.starts_with(b"/")).map(resolved);
    match no_work(&real, &homes.collect::<Vec<_>>()) {
        Some(what) => bad(what),
        None => Ok(real),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_work_and_others() {
        for (path, work) in [
            ("/home/u/project", true),
            ("/home/u/project/.git", true),
            ("/srv/work", true),
            ("/tmp/.x/work", true),
            ("/tmp/exec-guard-stage.7/work", true),
            ("/tmp/exec-guard-0f8fad5b-d9cb-469f-a165-70867728950e/x", false),
            ("/tmp/exec-guard-0f8fad5b-d9cb-469f-a165-70867728950e", false),
            ("/srv/exec-guard-0f8fad5b-d9cb-469f-a165-70867728950e", true),
            ("/tmp", false),
            ("/var/tmp", false),
            ("/var/tmp/work", true),
            ("/rooted", true),
            ("/root/project", true),
            ("/", false),
            ("/home", false),
            ("/home/u", false),
            ("/home/u/.ssh", false),
            ("/home/u/.config/gh", false),
            ("/home/other/.aws", false),
            ("/home/other", false),
            ("/root", false),
            ("/root/.gnupg", false),
            ("/proc/1", false),
            ("/sys", false),
            ("/dev/shm", false),
            ("/run/user/1000", false),
            ("/etc/ssh", false),
        ] {
            for homes in [&["/home/u".into()][..], &["/root".into(), "/home/u".into()], &["/".into()], &[]] {
                assert_eq!(no_work(Path::new(path), homes).is_none(), work, "{path} {homes:?}");
            }
        }
        let home = &[PathBuf::from("/var/lib/gateway")];
        for (path, work) in [("", false), ("/.ssh/x", false), ("/work", true)] {
            let path = format!("/var/lib/gateway{path}");
            assert_eq!(no_work(Path::new(&path), home).is_none(), work, "{path}");
        }
        assert!(no_work(Path::new("/var/lib"), home).is_some());
    }
}
