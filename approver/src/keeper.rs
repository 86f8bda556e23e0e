//! What outlives a restart: late answers, hooks' grants, overrides, and questions that were left behind.
//!
//! ```text
//! STATE/approver/lock                held as long as an approver runs: one a state folder
//! STATE/approver/kept.json           grants and overrides; replaced whole, 0600
//! STATE/approver/questions/ID.json   one file a question whose asker gave up waiting
//! STATE/approver/overrides           overrides once more, a line each, for guards: only what makes them stricter counts
//! ```
//!
//! A yes is written down before anybody is told that it counts, and struck out before it is handed to whoever asked: so
//! a crash at any point loses it at most, and never makes two of it. That holds against a crash of the program, which
//! leaves the kernel's view of the files whole. After a crash of the machine an older file may come back: what was kept
//! under another boot is therefore no yes any more. Nor does a wall clock that is set back between two approvers bring
//! back what had ended: ends are written down by the clock that nobody can set as well, and the earlier one counts.
//!
//! The overrides that can only tighten outlive that too, and a stopped approver: they end with their time.
//!
//! A file that is torn, foreign or too large is said and left out: with it go answers, and nothing is gained.
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use policy::document::{Ask, Security};
use protocol::operator::Override as WireOverride;
use protocol::shown;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::desk::grants::Kind;
use crate::desk::{Asker, Desk, Override, Question};

/// Largest file that is read, bytes: a question has at most a line's length, spelled out once more.
const MAX_BYTES: u64 = 8 << 20;

/// The folder, locked.
#[derive(Debug)]
pub struct Keeper {
    folder: PathBuf,
    /// Where guards look for overrides.
    overrides: PathBuf,
    boot: Option<String>,
    _lock: sys::edit::Lock,
}

/// A question that was left behind before a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its id.
    pub id: String,
    /// Who asked. The process is gone, and its id may be another's now; by its session, and by the uppermost process of its
    /// work, it is told from whoever may answer. After the machine was started anew both are gone.
    pub asker: Asker,
    /// The question, exactly as it came.
    pub request: String,
    /// When it was asked, milliseconds of the wall clock.
    pub asked_ms: u64,
    /// Until when it can be answered, milliseconds of the wall clock.
    pub expires_ms: u64,
}

impl Keeper {
    /// Takes the folder in this state folder.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if another approver has it; those of making it.
    pub fn open(state: &Path) -> io::Result<Keeper> {
        let folder = state.join("approver");
        sys::edit::private_folder(&folder)?;
        sys::edit::private_folder(&folder.join("questions"))?;
        let lock = sys::edit::lock(&folder.join("lock"), Duration::from_millis(500))?;
        let overrides = state.join(store::locate::OVERRIDES);
        Ok(Keeper { folder, overrides, boot: sys::proc::boot_id(), _lock: lock })
    }

    /// Guards look into this state folder, which need not be the one that is locked.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn guards_look_into(&mut self, state: &Path) -> io::Result<()> {
        self.overrides = state.join(store::locate::OVERRIDES);
        self.overrides.parent().map_or(Ok(()), sys::edit::private_folder)
    }

    /// Writes the overrides down for guards.
    ///
    /// # Errors
    /// It could not be written: guards know of an older state.
    pub fn publish(&self, desk: &Desk, clock: &Clock) -> io::Result<()> {
        let all = desk.overrides().all();
        if all.is_empty() {
            return remove(&self.overrides);
        }
        let line = |o: &Override| {
            // What can tighten nothing is none of theirs.
            let security = o.security.filter(|s| *s != Security::Full).map_or("-", protocol::words::security);
            let ask = o.ask.filter(|a| *a != Ask::Off).map_or("-", protocol::words::ask);
            let session = o.session.as_ref().map(|s| format!("\t{s}")).unwrap_or_default();
            format!("{}\t{security}\t{ask}\t{}{session}\n", clock.wall(o.until_ms), o.agent)
        };
        let text: String = all.iter().map(line).collect();
        sys::edit::replace(&self.overrides, text.as_bytes(), 0o600)
    }

    fn kept(&self) -> PathBuf {
        self.folder.join("kept.json")
    }

    fn question(&self, id: &str) -> PathBuf {
        self.folder.join("questions").join(format!("{id}.json"))
    }

    /// Writes down the grants and overrides of a desk.
    ///
    /// # Errors
    /// Neither could they be written nor the old file removed: what stands there may be a yes that was used up.
    pub fn save(&self, desk: &Desk, clock: &Clock) -> io::Result<()> {
        let grants: Vec<Value> = desk
            .grants()
            .all()
            .map(|(kind, key, until)| {
                let (wall, boot) = (clock.wall(until), clock.boot(until));
                json!({"kind": kind.word(), "key": key, "untilMs": wall, "untilBootMs": boot})
            })
            .collect();
        let all = desk.overrides().all();
        let overrides: Vec<Value> = all.iter().map(|o| wire(o, clock).to_json()).collect();
        let ends: Vec<u64> = all.iter().map(|o| clock.boot(o.until_ms)).collect();
        if grants.is_empty() && overrides.is_empty() {
            return remove(&self.kept());
        }
        let text = json!({"v": 1, "boot": self.boot, "grants": grants, "overrides": overrides,
            "overridesUntilBootMs": ends})
        .to_string();
        match sys::edit::replace(&self.kept(), text.as_bytes(), 0o600) {
            Ok(()) => Ok(()),
            // None is better than an old one: it costs a question more.
            Err(e) => match remove(&self.kept()) {
                Ok(()) => {
                    crate::say(&format!("late answers and overrides will not outlive a restart: {e}"));
                    Ok(())
                }
                Err(_) => Err(e),
            },
        }
    }

    /// Puts back what an earlier approver saved. What cannot be read is said and left out.
    pub fn restore(&self, desk: &mut Desk, clock: &Clock) {
        let path = self.kept();
        let Some(value) = read(&path) else { return };
        let same_boot =
            self.boot.is_some() && value.get("boot").and_then(Value::as_str) == self.boot.as_deref();
        let now = clock.now();
        let list = |name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        for g in list("grants").iter().filter(|_| same_boot) {
            let text = |name: &str| g.get(name).and_then(Value::as_str);
            let whole = |name: &str| g.get(name).and_then(Value::as_u64);
            let (wall, boot) = (whole("untilMs"), whole("untilBootMs"));
            if let (Some(kind), Some(key), Some(wall), Some(boot)) =
                (text("kind").and_then(Kind::of), text("key"), wall, boot)
            {
                let until = clock.desk(wall).min(clock.of_boot(boot));
                desk.grants_mut().give(kind, key.to_owned(), until, now);
            }
        }
        let ends = list("overridesUntilBootMs");
        for (at, o) in list("overrides").iter().enumerate() {
            let Some(mut o) = WireOverride::read(o).ok().and_then(|o| own(&o, clock)) else { continue };
            // One that tightens may as well last longer, and outlives the machine's clock.
            if !o.only_tightens() {
                let Some(boot) = ends.get(at).and_then(Value::as_u64).filter(|_| same_boot) else { continue };
                o.until_ms = o.until_ms.min(clock.of_boot(boot));
            }
            desk.overrides_mut(now).set(o, now);
        }
    }

    /// Writes down a question that was left behind.
    ///
    /// # Errors
    /// It could not be written: a restart would lose it.
    pub fn leave(&self, q: &Question, clock: &Clock) -> io::Result<()> {
        let text = json!({
            "v": 1,
            "id": q.draft.id,
            "boot": self.boot,
            "uid": q.draft.asker.uid,
            "session": q.draft.asker.session,
            "root": q.draft.asker.root.map(|(pid, started)| json!([pid, started])),
            "askedAtMs": clock.wall(q.asked_ms),
            "expiresAtMs": clock.wall(q.expires_ms),
            "request": &*q.draft.body,
        });
        sys::edit::replace(&self.question(&q.draft.id), text.to_string().as_bytes(), 0o600)
    }

    /// Strikes a question out.
    pub fn drop_question(&self, id: &str) {
        if let Err(e) = remove(&self.question(id)) {
            crate::say(&format!("{}: {e}", shown(&self.question(id))));
        }
    }

    /// The questions that were left behind. Files that are none are removed.
    pub fn left(&self) -> Vec<Left> {
        let mut out = Vec::new();
        let Ok(entries) = std::fs::read_dir(self.folder.join("questions")) else { return out };
        for entry in entries.flatten() {
            let left = read(&entry.path()).and_then(|v| Left::of(&v, self.boot.as_deref()));
            match left {
                Some(left) if self.question(&left.id) == entry.path() => out.push(left),
                _ => {
                    let _ = remove(&entry.path());
                }
            }
        }
        out.sort_by_key(|l| l.asked_ms);
        out
    }
}

impl Left {
    fn of(value: &Value, boot: Option<&str>) -> Option<Left> {
        let whole = |name: &str| value.get(name).and_then(Value::as_u64);
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let known = boot.is_some() && value.get("boot").and_then(Value::as_str) == boot;
        let pid = |v: &Value| v.as_i64().and_then(|s| i32::try_from(s).ok());
        let session = value.get("session").and_then(pid).filter(|_| known);
        let root = value.get("root").filter(|_| known);
        let root = root.and_then(|r| Some((pid(r.get(0)?)?, r.get(1)?.as_u64()?)));
        Some(Left {
            id: text("id")?,
            asker: Asker { uid: u32::try_from(whole("uid")?).ok()?, pid: None, session, root },
            request: text("request")?,
            asked_ms: whole("askedAtMs")?,
            expires_ms: whole("expiresAtMs")?,
        })
    }
}

/// An override for others, its end by the wall clock.
pub fn wire(o: &Override, clock: &Clock) -> WireOverride {
    WireOverride {
        agent: o.agent.clone(),
        session: o.session.clone(),
        security: o.security.map(|s| protocol::words::security(s).to_owned()),
        ask: o.ask.map(|a| protocol::words::ask(a).to_owned()),
        until_ms: clock.wall(o.until_ms),
        by: o.by.clone(),
    }
}

/// An override from the wire; `None` if a word in it is unknown.
pub fn own(o: &WireOverride, clock: &Clock) -> Option<Override> {
    Some(Override {
        agent: o.agent.clone(),
        session: o.session.clone(),
        security: o.security.as_deref().map(|w| security(w).ok_or(())).transpose().ok()?,
        ask: o.ask.as_deref().map(|w| ask(w).ok_or(())).transpose().ok()?,
        until_ms: clock.desk(o.until_ms),
        by: o.by.clone(),
    })
}

/// The value with that word.
pub fn security(word: &str) -> Option<policy::document::Security> {
    use policy::document::Security::{Allowlist, Deny, Full};
    [Deny, Allowlist, Full].into_iter().find(|s| protocol::words::security(*s) == word)
}

/// The value with that word.
pub fn ask(word: &str) -> Option<policy::document::Ask> {
    use policy::document::Ask::{Always, Off, OnMiss};
    [Off, OnMiss, Always].into_iter().find(|a| protocol::words::ask(*a) == word)
}

fn read(path: &Path) -> Option<Value> {
    use sys::file::Owner;
    let owner = Owner::User(sys::ids::uid());
    let bytes = match sys::file::open_checked(path, owner, MAX_BYTES) {
        Ok((bytes, _)) => bytes,
        Err(e) if e.is_missing() => return None,
        Err(e) => {
            crate::say(&format!("{}: left out: {e}", shown(path)));
            return None;
        }
    };
    let value = serde_json::from_slice::<Value>(&bytes).ok();
    let value = value.filter(|v| v.get("v").and_then(Value::as_u64) == Some(1));
    if value.is_none() {
        crate::say(&format!("{}: left out: it is not what an approver writes", shown(path)));
    }
    value
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests;
