//! Where a command runs: a container, bubblewrap, Landlock with seccomp, or nothing around it.
//!
//! docs/sandbox.md tells what each of them stops. In all of them: a group of its own, an end to its time, a limit to what
//! is kept of its output, a private HOME and TMPDIR that are gone afterwards, and an environment of a few variables.
//!
//! The programs are looked for in folders of the system, never in the caller's PATH: whoever calls must not choose what
//! stands around the command.
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use policy::Permit;
use sys::cage::{Around, CageError, Limits, lock};

use crate::config::Sandbox;
use crate::result::Ran;

/// Variables that a call cannot set.
pub const OURS: &[&str] = &["PATH", "HOME", "TMPDIR", "TERM", "SHELL", "PWD", "OLDPWD", "LANG"];
/// The PATH inside.
pub const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Where the programs that stand around are looked for.
const FOLDERS: &[&str] = &["/usr/local/bin", "/usr/bin", "/bin", "/snap/bin"];
/// The private folder, as it is seen from inside.
const INSIDE: &str = "/workdir";
/// From TERM to KILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long a program may take to say that it works.
const PATIENCE: Duration = Duration::from_secs(10);
/// Processes a command may have at once.
const PROCESSES: u64 = 256;
/// Bytes of memory.
const MEMORY: u64 = 512 << 20;
/// Bytes of a file, and of all private files where they lie in memory.
const FILES: u64 = 64 << 20;
/// Devices that hold nothing.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What of it may not.
const SECRETS: &[&str] = &["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"];

/// What can stand around a command, by name.
pub const NAMES: &[&str] = &["docker", "podman", "bubblewrap", "landlock"];

/// What stands around a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// A container of docker.
    Docker,
    /// A container of podman.
    Podman,
    /// Own namespaces.
    Bubblewrap,
    /// Locks that the process puts on itself.
    Landlock,
    /// Nothing.
    Nothing,
}

impl Backend {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Docker => "docker",
            Backend::Podman => "podman",
            Backend::Bubblewrap => "bubblewrap",
            Backend::Landlock => "landlock",
            Backend::Nothing => "none",
        }
    }
}

/// A backend that answered, and its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Which.
    pub backend: Backend,
    program: PathBuf,
}

impl Chosen {
    /// The one of that name, if it works here.
    pub fn named(name: &str, sandbox: &Sandbox, env: &[Vec<u8>]) -> Option<Chosen> {
        let own = sandbox.container.program.as_deref().filter(|_| matches!(name, "docker" | "podman"));
        if let Some(own) = own {
            return stand_in(own, env).filter(|c| c.backend.name() == name);
        }
        match name {
            "docker" | "podman" => engine(name, env),
            "bubblewrap" => bubblewrap(),
            "landlock" => landlock(),
            _ => None,
        }
    }

    fn nothing() -> Chosen {
        Chosen { backend: Backend::Nothing, program: PathBuf::new() }
    }
}

/// The backend that these settings come to here. `env` is our own environment, for programs that find their server by it.
///
/// # Errors
/// None works, and one is required.
pub fn choose(sandbox: &Sandbox, env: &[Vec<u8>]) -> Result<Chosen, String> {
    if !sandbox.enabled {
        return Ok(Chosen::nothing());
    }
    if let Some(name) = &sandbox.backend {
        let found = Chosen::named(name, sandbox, env);
        return found.ok_or_else(|| format!("sandbox.backend is {name}, which does not work here"));
    }
    let container = || {
        let named = sandbox.container.program.as_deref().and_then(|p| stand_in(p, env));
        named.or_else(|| engine("docker", env)).or_else(|| engine("podman", env))
    };
    let found = sandbox.container.enabled.then(container).flatten();
    match found.or_else(bubblewrap).or_else(landlock) {
        Some(chosen) => Ok(chosen),
        None if sandbox.require => {
            Err("sandbox.require is set, and neither a container, bubblewrap nor Landlock works here".into())
        }
        None => Ok(Chosen::nothing()),
    }
}

fn engine(name: &str, env: &[Vec<u8>]) -> Option<Chosen> {
    stand_in(&sys::cage::find(name, FOLDERS)?, env)
}

fn stand_in(program: &Path, env: &[Vec<u8>]) -> Option<Chosen> {
    let backend = match program.file_name()?.to_str()? {
        "podman" => Backend::Podman,
        _ => Backend::Docker,
    };
    let mut words = vec![bytes(program), b"version".to_vec()];
    if backend == Backend::Docker {
        // Without this it is content with the client alone.
        words.extend([b"--format".to_vec(), b"{{.Server.Version}}".to_vec()]);
    }
    sys::cage::answers(&words, env, PATIENCE).then(|| Chosen { backend, program: program.to_owned() })
}

fn bubblewrap() -> Option<Chosen> {
    let program = sys::cage::find("bwrap", FOLDERS)?;
    let mut words = around_bubblewrap(&program, None, None);
    words.push(b"true".to_vec());
    let env = vec![format!("PATH={PATH}").into_bytes()];
    sys::cage::answers(&words, &env, PATIENCE)
        .then(|| Chosen { backend: Backend::Bubblewrap, program: program.clone() })
}

fn landlock() -> Option<Chosen> {
    let works = lock::Locks::new(&lock::Files::default()).is_ok();
    works.then(|| Chosen { backend: Backend::Landlock, program: PathBuf::new() })
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// A place for one command: a backend, and a private folder where that needs one.
#[derive(Debug)]
pub struct Place {
    chosen: Chosen,
    private: Option<Private>,
    name: String,
}

impl Place {
    /// Makes it.
    ///
    /// # Errors
    /// The private folder cannot be made.
    pub fn new(chosen: Chosen) -> io::Result<Place> {
        let name = format!("{PRIVATE}{}", sys::edit::uuid());
        // In bubblewrap the private files lie in memory.
        let private = (chosen.backend != Backend::Bubblewrap).then(|| Private::new(&name)).transpose()?;
        Ok(Place { chosen, private, name })
    }

    /// What it is.
    pub fn backend(&self) -> Backend {
        self.chosen.backend
    }

    /// The private folder as the command sees it.
    fn home(&self) -> PathBuf {
        match (self.chosen.backend, &self.private) {
            (Backend::Landlock | Backend::Nothing, Some(private)) => private.0.clone(),
            _ => PathBuf::from(INSIDE),
        }
    }

    /// The environment of the command: nothing of ours, and what the call asked for.
    pub fn environment(&self, wanted: &[(String, String)]) -> Vec<Vec<u8>> {
        let home = self.home();
        let temporary = match self.chosen.backend {
            Backend::Bubblewrap | Backend::Docker | Backend::Podman => Path::new("/tmp"),
            Backend::Landlock | Backend::Nothing => home.as_path(),
        };
        environment(&home, temporary, wanted)
    }

    /// Runs what was permitted, with the environment it was judged with, and removes everything private afterwards.
    ///
    /// # Errors
    /// It was not started.
    pub fn run(self, permit: &Permit, how: &How<'_>) -> Result<Ran, CageError> {
        let limits = Limits {
            time: Duration::from_millis(how.timeout_ms),
            grace: GRACE,
            output: how.max_output,
            processes: Some(PROCESSES),
            memory: Some(MEMORY),
            file: Some(FILES),
        };
        let home = self.home();
        let (around, folder, locks) = match self.chosen.backend {
            Backend::Bubblewrap => {
                let filter = lock::filter_file()?;
                let words =
                    around_bubblewrap(&self.chosen.program, how.cwd, Some(&sys::cage::number(&filter)));
                (Around::Before { words, pass: vec![filter] }, None, None)
            }
            Backend::Docker | Backend::Podman => {
                if how.cwd.is_some_and(|cwd| cwd.as_os_str().as_bytes().contains(&b':')) {
                    // It would say where the folder is mounted, and how.
                    let what = "a container cannot be given a folder with a colon in its name";
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
                }
                let words = self.around_container(permit, how);
                let stop = ["kill".into(), self.name.clone()].map(String::into_bytes);
                let stop = std::iter::once(bytes(&self.chosen.program)).chain(stop).collect();
                (Around::Elsewhere { words, stop, client: how.client.to_vec() }, None, None)
            }
            Backend::Landlock => {
                let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
                let mut files = lock::Files {
                    read: paths(sys::cage::SYSTEM),
                    write: vec![home.clone()],
                    devices: paths(DEVICES),
                };
                files.read.extend(how.cwd.map(Path::to_path_buf));
                let folder = how.cwd.map_or(home, Path::to_path_buf);
                (Around::Nothing, Some(folder), Some(lock::Locks::new(&files)?))
            }
            Backend::Nothing => (Around::Nothing, Some(how.cwd.map_or(home, Path::to_path_buf)), None),
        };
        let done = sys::cage::run(permit, &around, folder.as_deref(), locks, limits)?;
        let [stdout, stderr] = &done.streams;
        let [out_cut, err_cut] = done.cut;
        Ok(Ran {
            stdout: text(stdout, out_cut),
            stderr: text(stderr, err_cut),
            exit_code: done.code,
            timed_out: done.timed_out,
            told: done.told,
            truncated: out_cut > 0 || err_cut > 0,
            sandbox: self.chosen.backend.name().into(),
        })
    }

    /// `docker run …` as words: nothing is quoted, nothing is read as a shell's text but the text itself.
    fn around_container(&self, permit: &Permit, how: &How<'_>) -> Vec<Vec<u8>> {
        let (uid, gid) = sys::ids::real();
        let mut words: Vec<OsString> = vec![self.chosen.program.clone().into_os_string()];
        let mut add = |list: &[&str]| words.extend(list.iter().map(OsString::from));
        add(&["run", "--rm", "-i", "--name", &self.name, "--network", "none", "--read-only"]);
        add(&["--user", &format!("{uid}:{gid}"), "--cap-drop", "ALL"]);
        add(&["--security-opt", "no-new-privileges", "--pids-limit", &PROCESSES.to_string()]);
        add(&["--memory", &format!("{MEMORY}b"), "--tmpfs", &format!("/tmp:size={FILES}")]);
        add(&["--shm-size", &format!("{FILES}b")]);
        if let Some(private) = &self.private {
            let mut mount = private.0.clone().into_os_string();
            mount.push(format!(":{INSIDE}"));
            words.extend(["-v".into(), mount]);
        }
        match how.cwd {
            Some(cwd) => {
                let mut mount = cwd.as_os_str().to_owned();
                mount.push(":");
                mount.push(cwd);
                mount.push(":ro");
                words.extend(["-v".into(), mount, "-w".into(), cwd.as_os_str().to_owned()]);
            }
            None => words.extend(["-w".into(), INSIDE.into()]),
        }
        // What was judged is run, and not handed to a program that the image names.
        words.extend(["--entrypoint".into(), OsString::new()]);
        // Its own PATH is the image's.
        let env = permit.env().iter().filter(|e| !e.starts_with(b"PATH="));
        words.extend(env.flat_map(|e| ["-e".into(), OsString::from_vec(e.clone())]));
        words.push(how.image.into());
        words.into_iter().map(OsString::into_vec).collect()
    }
}

/// The environment of a command of which only the outcome of judging is wanted: no place differs from it in what the
/// policy looks at.
pub fn nominal(wanted: &[(String, String)]) -> Vec<Vec<u8>> {
    environment(Path::new(INSIDE), Path::new("/tmp"), wanted)
}

fn environment(home: &Path, temporary: &Path, wanted: &[(String, String)]) -> Vec<Vec<u8>> {
    let fixed = [("PATH", PATH), ("SHELL", "/bin/sh"), ("TERM", "dumb"), ("LANG", "C.UTF-8")];
    let entry = |name: &str, value: &[u8]| [name.as_bytes(), b"=", value].concat();
    let mut out: Vec<Vec<u8>> = fixed.iter().map(|(name, value)| entry(name, value.as_bytes())).collect();
    out.push(entry("HOME", home.as_os_str().as_bytes()));
    out.push(entry("TMPDIR", temporary.as_os_str().as_bytes()));
    out.extend(wanted.iter().map(|(name, value)| entry(name, value.as_bytes())));
    out
}

/// How a command is run.
#[derive(Clone, Copy, Debug)]
pub struct How<'a> {
    /// Milliseconds it may take.
    pub timeout_ms: u64,
    /// Bytes of each stream that are kept.
    pub max_output: usize,
    /// The folder it is run in, where it may read; a private one without.
    pub cwd: Option<&'a Path>,
    /// The container's image.
    pub image: &'a str,
    /// Our own environment, for the program that speaks to a container engine.
    pub client: &'a [Vec<u8>],
}

/// `bwrap …` as words, without the command.
fn around_bubblewrap(program: &Path, cwd: Option<&Path>, filter: Option<&str>) -> Vec<Vec<u8>> {
    let mut words: Vec<OsString> = vec![program.into()];
    let mut add = |list: &[&str]| words.extend(list.iter().map(OsString::from));
    add(&[
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--hostname",
        "sandbox",
    ]);
    add(&["--proc", "/proc", "--dev", "/dev"]);
    for path in sys::cage::SYSTEM {
        add(&["--ro-bind-try", path, path]);
    }
    // Root reads them whatever their mode.
    for path in SECRETS.iter().filter(|p| Path::new(p).exists()) {
        add(&["--ro-bind", "/dev/null", path]);
    }
    let size = FILES.to_string();
    for path in ["/tmp", "/dev/shm", INSIDE] {
        add(&["--size", &size, "--tmpfs", path]);
    }
    if let Some(fd) = filter {
        add(&["--seccomp", fd]);
    }
    let folder = match cwd {
        Some(cwd) => {
            words.extend(["--ro-bind".into(), cwd.as_os_str().to_owned(), cwd.as_os_str().to_owned()]);
            cwd
        }
        None => Path::new(INSIDE),
    };
    // What holds all that lies in memory too, and has no size: nothing is written there.
    words.extend(["--remount-ro", "/dev", "--remount-ro", "/", "--chdir"].map(OsString::from));
    words.extend([folder.as_os_str().to_owned(), "--".into()]);
    words.into_iter().map(OsString::into_vec).collect()
}

/// Output as text, with a mark where it was cut.
fn text(bytes: &[u8], cut: u64) -> String {
    let mut out = String::from_utf8_lossy(bytes).into_owned();
    if cut > 0 {
        out.push_str(&format!("\n[exec-guard: cut here, {cut} bytes more]\n"));
    }
    out
}

/// Where private folders lie, and how the name of one begins; an id follows.
const PRIVATES: &str = "/tmp";
const PRIVATE: &str = "exec-guard-";

/// True of what is, or looks like, the private folder of a command.
pub fn is_private(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_prefix(PRIVATE));
    path.parent() == Some(Path::new(PRIVATES)) && name.is_some_and(|id| id.len() == 36)
}

/// A folder for one command, removed with everything in it.
#[derive(Debug)]
struct Private(PathBuf);

impl Private {
    fn new(name: &str) -> io::Result<Private> {
        let path = Path::new(PRIVATES).join(name);
        // An error if it is there: then somebody made it for us.
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Private(path))
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        clear(&self.0);
        let _ = fs::remove_dir(&self.0);
    }
}

/// Removes everything below a folder, also what its owner may not enter, and however deep it goes: what lies two levels down
/// is moved up before it is looked at, so that no path grows longer and no more than two folders are open at once.
fn clear(top: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let entries = |folder: &Path| {
        let _ = fs::set_permissions(folder, PermissionsExt::from_mode(0o700));
        fs::read_dir(folder).into_iter().flatten().flatten()
    };
    // A link is not followed.
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|t| t.is_dir());
    loop {
        let mut done = 0_usize;
        for entry in entries(top) {
            let path = entry.path();
            if !is_folder(&entry) {
                done += usize::from(fs::remove_file(&path).is_ok());
                continue;
            }
            for inner in entries(&path) {
                let path = inner.path();
                let gone = if is_folder(&inner) {
                    // One that its owner may not write cannot be moved.
                    let _ = fs::set_permissions(&path, PermissionsExt::from_mode(0o700));
                    fs::rename(&path, top.join(sys::edit::uuid()))
                } else {
                    fs::remove_file(&path)
                };
                done += usize::from(gone.is_ok());
            }
            done += usize::from(fs::remove_dir(&path).is_ok());
        }
        if done == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_folder_is_gone_whatever_is_in_it() {
        for text in [
            "true",
            "echo x > a; ln -s / root; mkdir -p b/c; echo y > b/c/d; mkfifo p",
            "mkdir -p a/b; echo x > a/b/c; chmod 0 a/b a",
            "mkdir -p a/b/c d; chmod 500 a/b/c a/b a",
            "n=0; while [ $n -lt 1500 ]; do mkdir d e && cd d || exit 1; n=$((n+1)); done; echo x > f",
            "mkdir a; cd a; n=0; while [ $n -lt 500 ]; do mkdir $n; n=$((n+1)); done",
        ] {
            let outside = tempfile::tempdir().unwrap();
            fs::write(outside.path().join("kept"), "x").unwrap();
            let private = Private::new(&format!("exec-guard-{}", sys::edit::uuid())).unwrap();
            let path = private.0.clone();
            assert!(is_private(&path) && !is_private(Path::new("/tmp/exec-guard-x")));
            std::os::unix::fs::symlink(outside.path(), path.join("link")).unwrap();
            let made = std::process::Command::new("/bin/sh").args(["-ec", text]).current_dir(&path).status();
            assert!(made.unwrap().success(), "{text}");
            drop(private);
            assert!(fs::symlink_metadata(&path).is_err(), "{text}");
            assert!(outside.path().join("kept").exists(), "{text}");
        }
    }
}
