//! Commands that nobody waited for (`exec-guard submit`): where they and what they wrote are kept.
//!
//! ```text
//! STATE/runs/ID/meta.json   what it is and how it stands, replaced as a whole at each step      0600
//!               stdout      what it wrote, as far as `submit.maxOutput` goes                      0600
//!               stderr
//!               lock        held by whoever waits for the answer and starts the command           0600
//! ```
//!
//! ID is that of the question. A run that is not over and whose lock nobody holds was *lost*: whoever was to start it, or
//! to see its end, was killed. It is never started again.
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// Longest `meta.json` that is read, bytes.
const MAX_META: u64 = 8 << 20;
/// Names of the two streams.
pub const STREAMS: [&str; 2] = ["stdout", "stderr"];

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It was asked about, and nobody answered yet.
    Waiting,
    /// It runs.
    Running,
    /// It came to its end.
    Finished,
    /// It was not run: a person or the time said no.
    Denied,
    /// It was allowed, and could not be started.
    Failed,
    /// Whoever was to start it or to see its end is gone.
    Lost,
}

impl State {
    /// Every state.
    pub const ALL: [State; 6] =
        [State::Waiting, State::Running, State::Finished, State::Denied, State::Failed, State::Lost];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Running => "running",
            State::Finished => "finished",
            State::Denied => "denied",
            State::Failed => "failed",
            State::Lost => "lost",
        }
    }

    /// True if nothing more will come of it.
    pub fn is_over(self) -> bool {
        !matches!(self, State::Waiting | State::Running)
    }
}

/// How much a stream wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Bytes.
    pub bytes: u64,
    /// Of these, how many are kept.
    pub kept: u64,
}

/// What is known of a run. Nothing of it is believed for more than showing: its folder is its user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Its id, which is that of its question.
    pub id: String,
    /// The agent.
    pub agent: String,
    /// The session.
    pub session: Option<String>,
    /// The command in one line, made visible; secrets masked unless the journal keeps them.
    pub command: String,
    /// The working folder, made visible.
    pub cwd: Option<String>,
    /// How it stands.
    pub state: State,
    /// When it was given in, milliseconds since 1970.
    pub submitted_at_ms: u64,
    /// Until when it could be answered; `None` if it was not asked about.
    pub expires_at_ms: Option<u64>,
    /// When it was started.
    pub started_at_ms: Option<u64>,
    /// When it ended, or was denied.
    pub ended_at_ms: Option<u64>,
    /// Its process id.
    pub pid: Option<i32>,
    /// Exit code, or 128 + signal.
    pub code: Option<u32>,
    /// Who decided: `policy`, `person`, `fallback`.
    pub by: Option<String>,
    /// Why it was not run: a reason's code.
    pub reason: Option<String>,
    /// The same in words; made visible.
    pub message: Option<String>,
    /// What the streams wrote.
    pub sizes: [Size; 2],
}

/// What stands in `meta.json`, its fields in this order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    v: u32,
    id: &'a str,
    agent: &'a str,
    session: Option<&'a str>,
    command: &'a str,
    cwd: Option<&'a str>,
    state: &'static str,
    submitted_at_ms: u64,
    expires_at_ms: Option<u64>,
    started_at_ms: Option<u64>,
    ended_at_ms: Option<u64>,
    duration_ms: Option<u64>,
    pid: Option<i32>,
    code: Option<u32>,
    by: Option<&'a str>,
    reason: Option<&'a str>,
    message: Option<&'a str>,
    stdout: Size,
    stderr: Size,
}

impl Meta {
    /// How long it ran, milliseconds.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.ended_at_ms?.saturating_sub(self.started_at_ms?))
    }

    /// As JSON, for programs.
    pub fn to_json(&self) -> Value {
        // There is nothing in it that could fail.
        serde_json::to_value(self.written()).unwrap_or_default()
    }

    fn written(&self) -> Written<'_> {
        Written {
            v: 1,
            id: &self.id,
            agent: &self.agent,
            session: self.session.as_deref(),
            command: &self.command,
            cwd: self.cwd.as_deref(),
            state: self.state.word(),
            submitted_at_ms: self.submitted_at_ms,
            expires_at_ms: self.expires_at_ms,
            started_at_ms: self.started_at_ms,
            ended_at_ms: self.ended_at_ms,
            duration_ms: self.duration_ms(),
            pid: self.pid,
            code: self.code,
            by: self.by.as_deref(),
            reason: self.reason.as_deref(),
            message: self.message.as_deref(),
            stdout: self.sizes[0],
            stderr: self.sizes[1],
        }
    }

    /// Reads one; `None` for anything else.
    pub fn read(value: &Value) -> Option<Meta> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let whole = |key: &str| value.get(key).and_then(Value::as_u64);
        let size = |key: &str| {
            let of = |part: &str| value.get(key).and_then(|s| s.get(part)).and_then(Value::as_u64);
            Size { bytes: of("bytes").unwrap_or(0), kept: of("kept").unwrap_or(0) }
        };
        let state = text("state")?;
        Some(Meta {
            id: text("id")?,
            agent: text("agent")?,
            session: text("session"),
            command: text("command")?,
            cwd: text("cwd"),
            state: State::ALL.into_iter().find(|s| s.word() == state)?,
            submitted_at_ms: whole("submittedAtMs")?,
            expires_at_ms: whole("expiresAtMs"),
            started_at_ms: whole("startedAtMs"),
            ended_at_ms: whole("endedAtMs"),
            pid: whole("pid").and_then(|p| i32::try_from(p).ok()),
            code: whole("code").and_then(|c| u32::try_from(c).ok()),
            by: text("by"),
            reason: text("reason"),
            message: text("message"),
            sizes: STREAMS.map(size),
        })
    }
}

/// The folder of all runs.
pub fn folder(state: &Path) -> PathBuf {
    state.join("runs")
}

/// True if a text can be the id of a run: it becomes the name of a folder.
pub fn is_id(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    !text.is_empty() && text.len() <= 64 && text.bytes().all(plain)
}

/// A run of this process: its lock is held until this is dropped, or until the process ends.
#[derive(Debug)]
pub struct Held {
    folder: PathBuf,
    _lock: sys::edit::Lock,
}

impl Held {
    /// Begins a run: its folder must not be there yet, so that an id is good once.
    ///
    /// # Errors
    /// The id is none or was used already ([`io::ErrorKind::AlreadyExists`]); those of the calls.
    pub fn begin(state: &Path, meta: &Meta) -> io::Result<Held> {
        use std::os::unix::fs::DirBuilderExt;
        if !is_id(&meta.id) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let all = folder(state);
        sys::edit::private_folder(&all)?;
        let folder = all.join(&meta.id);
        fs::DirBuilder::new().mode(0o700).create(&folder)?;
        let lock = sys::edit::lock(&folder.join("lock"), Duration::from_secs(2))?;
        let held = Held { folder, _lock: lock };
        held.write(meta)?;
        Ok(held)
    }

    /// Replaces what is known of it.
    ///
    /// # Errors
    /// Those of writing; what was there is there still.
    pub fn write(&self, meta: &Meta) -> io::Result<()> {
        let text = serde_json::to_string(&meta.written())?;
        sys::edit::replace(&self.folder.join("meta.json"), text.as_bytes(), 0o600)
    }

    /// Takes all of it back: it never was.
    pub fn forget(self) {
        let _ = fs::remove_dir_all(&self.folder);
    }

    /// Opens the files of the two streams.
    ///
    /// # Errors
    /// Those of open(2).
    pub fn streams(&self) -> io::Result<[File; 2]> {
        let open = |name: &str| {
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.folder.join(name))
        };
        let [out, err] = STREAMS;
        Ok([open(out)?, open(err)?])
    }
}

/// Every run, newest first. What is no run is passed over.
///
/// # Errors
/// The folder is there and cannot be read.
pub fn list(state: &Path) -> io::Result<Vec<Meta>> {
    let entries = match fs::read_dir(folder(state)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut out = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if let Some(meta) = name.to_str().and_then(|id| get(state, id)) {
            out.push(meta);
        }
    }
    Ok(policy::by_key(out, |run| u64::MAX - run.submitted_at_ms))
}

/// One run by its whole id, as it stands now.
pub fn get(state: &Path, id: &str) -> Option<Meta> {
    use std::io::Read;
    if !is_id(id) {
        return None;
    }
    let folder = folder(state).join(id);
    let read = || {
        let mut text = Vec::new();
        sys::file::open_regular(&folder.join("meta.json"))
            .ok()?
            .take(MAX_META)
            .read_to_end(&mut text)
            .ok()?;
        Meta::read(&serde_json::from_slice(&text).ok()?).filter(|m| m.id == id)
    };
    let meta = read()?;
    if meta.state.is_over() || sys::edit::is_held(&folder.join("lock")) {
        return Some(meta);
    }
    // It may have come to its end between the two looks.
    let meta = read()?;
    Some(if meta.state.is_over() { meta } else { Meta { state: State::Lost, ..meta } })
}

/// What a run wrote on a stream (0 standard output, 1 standard error), as far as it is kept.
///
/// # Errors
/// It is not there, or cannot be read.
pub fn open(state: &Path, id: &str, stream: usize) -> io::Result<File> {
    let name = STREAMS.get(stream).filter(|_| is_id(id)).ok_or(io::ErrorKind::InvalidInput)?;
    sys::file::open_regular(&folder(state).join(id).join(name))
}

/// Removes the runs that are over and too many or too old, by when they were last written; returns how many. What
/// cannot be removed stays, and so does what somebody still looks after.
pub fn sweep(state: &Path, keep: u64, keep_ms: u64, now_ms: u64) -> usize {
    let written = |folder: &Path| {
        let at = fs::symlink_metadata(folder.join("meta.json")).and_then(|m| m.modified()).ok()?;
        let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    };
    let entries = fs::read_dir(folder(state)).into_iter().flatten().flatten();
    let runs = entries.filter(|e| e.file_name().to_str().is_some_and(is_id)).map(|e| e.path());
    let over: Vec<(u64, PathBuf)> = runs
        .filter(|path| !sys::edit::is_held(&path.join("lock")))
        .filter_map(|path| Some((written(&path)?, path)))
        .collect();
    let over = policy::by_key(over, |(written, _)| *written);
    let keep = usize::try_from(keep).unwrap_or(usize::MAX);
    let newest_first = over.into_iter().rev().enumerate();
    let out =
        newest_first.filter(|(at, (written, _))| *at >= keep || written.saturating_add(keep_ms) < now_ms);
    out.filter(|(_, (_, path))| fs::remove_dir_all(path).is_ok()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn meta(id: &str, at: u64, state: State) -> Meta {
        Meta {
            id: id.into(),
            agent: "main".into(),
            session: None,
            command: "x".into(),
            cwd: None,
            state,
            submitted_at_ms: at,
            expires_at_ms: Some(at + 10),
            started_at_ms: Some(at + 1),
            ended_at_ms: state.is_over().then_some(at + 5),
            pid: Some(7),
            code: None,
            by: Some("person".into()),
            reason: None,
            message: None,
            sizes: [Size { bytes: 3, kept: 2 }, Size::default()],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        for (at, state) in State::ALL.into_iter().enumerate().filter(|(_, s)| *s != State::Lost) {
            let m = meta(&format!("a{at}"), at as u64, state);
            let held = Held::begin(dir.path(), &m).unwrap();
            assert_eq!(get(dir.path(), &m.id), Some(m.clone()));
            assert_eq!(Held::begin(dir.path(), &m).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            drop(held);
            // Nobody is there any more who could see its end.
            let want = if state.is_over() { state } else { State::Lost };
            assert_eq!(get(dir.path(), &m.id).unwrap().state, want);
        }
        let mode = |p: PathBuf| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        let runs = folder(dir.path());
        assert_eq!((mode(runs.join("a0")), mode(runs.join("a0/meta.json"))), (0o700, 0o600));
        assert_eq!(
            list(dir.path()).unwrap().iter().map(|m| m.submitted_at_ms).collect::<Vec<_>>(),
            [4, 3, 2, 1, 0]
        );
    }

    #[test]
    fn an_id_is_no_path() {
        let dir = tempfile::tempdir().unwrap();
        for id in ["", "..", "a/b", "/etc", "a.b", "\u{e9}", &"x".repeat(65)] {
            assert!(!is_id(id) && get(dir.path(), id).is_none() && open(dir.path(), id, 0).is_err(), "{id}");
            assert!(Held::begin(dir.path(), &meta(id, 0, State::Waiting)).is_err());
        }
    }

    #[test]
    fn foreign_files_are_no_runs() {
        let dir = tempfile::tempdir().unwrap();
        let runs = folder(dir.path());
        fs::create_dir_all(runs.join("abc")).unwrap();
        fs::write(runs.join("abc/meta.json"), "{\"id\":\"other\"}").unwrap();
        fs::create_dir_all(runs.join("def")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", runs.join("def/meta.json")).unwrap();
        fs::write(runs.join("file"), "").unwrap();
        assert_eq!(list(dir.path()).unwrap(), []);
    }

    #[test]
    fn old_and_many_are_swept_and_what_runs_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let begin = |n: u64| {
            let held = Held::begin(dir.path(), &meta(&format!("r{n}"), n * 100, State::Finished)).unwrap();
            let at = std::time::UNIX_EPOCH + Duration::from_millis(n * 100);
            let file = File::options().write(true).open(held.folder.join("meta.json")).unwrap();
            file.set_modified(at).unwrap();
            held
        };
        let held = begin(0);
        (1..6).for_each(|n| drop(begin(n)));
        fs::write(folder(dir.path()).join("no.run"), "").unwrap();
        assert_eq!(sweep(dir.path(), 3, u64::MAX, 1000), 2);
        let left = || list(dir.path()).unwrap().into_iter().map(|m| m.id).collect::<Vec<_>>();
        assert_eq!(left(), ["r5", "r4", "r3", "r0"]);
        assert_eq!(sweep(dir.path(), 3, 500, 1000), 2);
        assert_eq!(left(), ["r5", "r0"]);
        drop(held);
    }
}
