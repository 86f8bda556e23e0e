//! Which documents rule.
//!
//! ```text
//! /etc/exec-guard/            the floor; root's alone, with every folder above it
//! ~/.exec-guard/              the user's; the home is the user database's, never $HOME
//! ~/.openclaw/exec-approvals.json   the user's where ~/.exec-guard has no approvals document; read in place
//! $EXEC_GUARD_HOME/           one more layer: tightens what the user has, stands alone where the user has no document
//! embedded                    where there is no approvals document at all
//! ```
//!
//! A document that cannot be believed denies everything, so a file that exists is never passed over.
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use policy::document::{Approvals, Config, Details, Layer, LoadError, LoadErrorKind, Policy};
use sys::file::{Checked, FileError, Owner};

use crate::edit::{Begin, Target};
use crate::index;

/// Name of the document with the lists.
pub const APPROVALS: &str = "exec-approvals.json";
/// Name of the document with the settings.
pub const CONFIG: &str = "config.json";
/// The operator's socket, in the state folder: its folder is for its owner alone, and is not given to a container that
/// is given the socket for questions.
pub const OPERATOR: &str = "operator/operator.sock";
/// What operators set for a while, in the folder of state: written by the approver, read by guards that may only become
/// stricter by it.
pub const OVERRIDES: &str = "approver/overrides";
/// Name of the guard's folder in a home.
const FOLDER: &str = ".exec-guard";
/// The system layer's folder.
const SYSTEM: &str = "/etc/exec-guard";
/// Largest document that is read, bytes; the reader's own limit.
pub(crate) const MAX_BYTES: u64 = 16 << 20;

/// Where documents may be. Nothing has been looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Folder of the system layer.
    pub system: PathBuf,
    /// Home of the user database; `None` for an id it does not know.
    pub home: Option<PathBuf>,
    /// What `EXEC_GUARD_HOME` says, if anything.
    pub named: Option<PathBuf>,
    /// Effective user id: who may own the user's documents, besides root.
    pub uid: u32,
}

impl Places {
    /// The places of this process, with the environment it was given (entries `NAME=value`). A user database that
    /// cannot be read counts as one that does not know us: for what a person types, not for judging.
    pub fn from_process(env: &[Vec<u8>]) -> Places {
        let uid = sys::ids::uid();
        Places::of(env, uid, sys::ids::user(uid).ok().flatten())
    }

    /// The same for judging.
    ///
    /// # Errors
    /// The user database cannot be read (a limit on open files is enough): whose documents rule is not known then,
    /// and without the user's the rest may be looser.
    pub fn known(env: &[Vec<u8>]) -> Result<Places, LoadError> {
        let uid = sys::ids::uid();
        let user = sys::ids::user(uid).map_err(|e| Details {
            file: "/etc/passwd".into(),
            line: None,
            column: None,
            field: None,
            kind: LoadErrorKind::Unreadable,
            what: format!("cannot be read, so that the user's documents cannot be found: {e}"),
            remedy: "look at its mode and at the limit on open files".into(),
        })?;
        Ok(Places::of(env, uid, user))
    }

    fn of(env: &[Vec<u8>], uid: u32, user: Option<sys::ids::User>) -> Places {
        let named = sys::environ::value(env, b"EXEC_GUARD_HOME").filter(|v| !v.is_empty());
        Places {
            system: PathBuf::from(SYSTEM),
            home: user.map(|u| u.home),
            named: named.map(|v| PathBuf::from(OsStr::from_bytes(v))),
            uid,
        }
    }

    /// The user's own folder.
    pub fn user_folder(&self) -> Option<PathBuf> {
        self.home.as_ref().map(|h| h.join(FOLDER))
    }

    /// OpenClaw's document.
    pub fn openclaw(&self) -> Option<PathBuf> {
        self.home.as_ref().map(|h| h.join(".openclaw").join(APPROVALS))
    }
}

/// The documents in force, and where the user's own things go.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// All documents.
    pub policy: Policy,
    /// The approvals document that *always allow* is written to; it need not exist yet. `None` if there is no
    /// place for one.
    pub editable: Option<Target>,
    /// Folder of journal, tickets and locks; need not exist yet. The user's, so that the environment cannot lead
    /// the journal away; `EXEC_GUARD_HOME` where the user has no document.
    pub state: Option<PathBuf>,
}

/// Reads the documents that rule.
///
/// # Errors
/// A document that exists but cannot be read, could have been written by somebody else, or is not understood:
/// with file, line, field and remedy. Then nothing may run.
pub fn load(places: &Places) -> Result<Loaded, LoadError> {
    let named = named(places)?;
    let system = layer(&places.system, Owner::Root)?;
    let owner = Owner::User(places.uid);
    let user_folder = places.user_folder();
    let user = match &user_folder {
        Some(folder) => layer(folder, owner)?,
        None => Layer::default(),
    };
    let home = match named {
        // Naming the user's own folder adds nothing.
        Some(folder) if Some(folder) != user_folder.as_deref() => {
            layer_if_any(folder, owner)?.ok_or_else(|| nowhere(folder))?
        }
        _ => Layer::default(),
    };
    let mut openclaw = None;
    let mut openclaw_file = None;
    if user.approvals.is_none()
        && let Some(path) = places.openclaw()
    {
        openclaw = approvals(&path, owner)?;
        openclaw_file = openclaw.is_some().then_some(path);
    }
    let has_user = user.approvals.is_some() || user.config.is_some() || openclaw.is_some();
    let folder = match (has_user, named, user_folder) {
        (true, _, Some(user)) => Some(user),
        (_, Some(named), _) => Some(named.to_path_buf()),
        (_, None, user) => user,
    };
    let editable = openclaw_file.or_else(|| folder.as_ref().map(|f| f.join(APPROVALS)));
    let policy = Policy::new(system, user, home, openclaw);
    let begin = if policy.is_embedded() { Begin::Cautious } else { Begin::Empty };
    Ok(Loaded { editable: editable.map(|path| Target { path, begin }), policy, state: folder })
}

/// The policy as it would be with the documents of another folder in place of the user's, kind by kind; the system's
/// stays the floor. For trying out only: nobody is asked whose files they are.
///
/// # Errors
/// A document cannot be read or is not understood, or the folder has none.
pub fn trial(in_force: Policy, folder: &Path) -> Result<Policy, LoadError> {
    let text = |name: &str| -> Result<Option<(Vec<u8>, String)>, LoadError> {
        let path = folder.join(name);
        match std::fs::read(&path) {
            Ok(text) => Ok(Some((text, shown(&path)))),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(unreadable(&path, e.to_string())),
        }
    };
    let approvals = text(APPROVALS)?.map(|(t, file)| Approvals::parse(&t, &file)).transpose()?;
    let config = text(CONFIG)?.map(|(t, file)| Config::parse(&t, &file)).transpose()?;
    if approvals.is_none() && config.is_none() {
        return Err(unreadable(folder, format!("there is neither {APPROVALS} nor {CONFIG} in it")));
    }
    Ok(in_force.with_owner(Layer::new(approvals, config)))
}

fn unreadable(path: &Path, what: String) -> LoadError {
    Details {
        file: shown(path),
        line: None,
        column: None,
        field: None,
        kind: LoadErrorKind::Unreadable,
        what,
        remedy: "name a folder with policy documents".into(),
    }
    .into()
}

/// The folder `EXEC_GUARD_HOME` names.
fn named(places: &Places) -> Result<Option<&Path>, LoadError> {
    match &places.named {
        Some(p) if !p.is_absolute() => Err(Details {
            file: shown(p),
            line: None,
            column: None,
            field: None,
            kind: LoadErrorKind::Unsafe,
            what: "EXEC_GUARD_HOME is no absolute path".into(),
            remedy: "give it an absolute path, or unset it".into(),
        }
        .into()),
        p => Ok(p.as_deref()),
    }
}

/// What is wrong with `EXEC_GUARD_HOME` naming a folder that is not there: whoever set it meant documents that would
/// rule, and without them looser ones may.
fn nowhere(folder: &Path) -> LoadError {
    let file = shown(folder);
    Details {
        line: None,
        column: None,
        field: None,
        kind: LoadErrorKind::Unreadable,
        what: "EXEC_GUARD_HOME names it, and it does not exist".into(),
        remedy: format!("correct or unset EXEC_GUARD_HOME; for a policy there: mkdir -m 700 {file}"),
        file,
    }
    .into()
}

fn layer(folder: &Path, owner: Owner) -> Result<Layer, LoadError> {
    Ok(layer_if_any(folder, owner)?.unwrap_or_default())
}

/// The documents of a folder; `None` if there is no such folder.
fn layer_if_any(folder: &Path, owner: Owner) -> Result<Option<Layer>, LoadError> {
    // One look spares four where there is no such folder, which is the rule for two of three.
    match std::fs::symlink_metadata(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(m) if m.is_symlink() => match std::fs::metadata(folder) {
            // A link that leads nowhere may have led to the floor.
            Err(_) => return Err(refused(folder, owner, &FileError::NotRegular)),
            Ok(m) => believed(folder, owner, &m)?,
        },
        Ok(m) => believed(folder, owner, &m)?,
        Err(_) => {}
    }
    let layer = Layer::new(approvals(&folder.join(APPROVALS), owner)?, config(&folder.join(CONFIG), owner)?);
    Ok(Some(layer))
}

/// Whoever can write a folder can take the documents in it away, and what rules without them may be looser.
fn believed(folder: &Path, owner: Owner, meta: &Metadata) -> Result<(), LoadError> {
    let Owner::User(uid) = owner else { return Ok(()) };
    let fault = match meta.uid() {
        theirs if theirs != uid && theirs != 0 => FileError::Owner(theirs),
        _ if meta.mode() & 0o022 != 0 && meta.mode() & 0o1000 == 0 => FileError::Mode(meta.mode() & 0o7777),
        _ => return Ok(()),
    };
    Err(refused(folder, owner, &FileError::Folder(folder.to_path_buf(), Box::new(fault))))
}

fn approvals(path: &Path, owner: Owner) -> Result<Option<Approvals>, LoadError> {
    let Some(file) = look(path, owner)? else { return Ok(None) };
    if let Some(doc) = index::open(path, owner, &file) {
        return Ok(Some(doc));
    }
    let text = file.read(MAX_BYTES).map_err(|e| refused(path, owner, &e))?;
    Approvals::parse(&text, &shown(path)).map(Some)
}

fn config(path: &Path, owner: Owner) -> Result<Option<Config>, LoadError> {
    match read(path, owner)? {
        Some(text) => Config::parse(&text, &shown(path)).map(Some),
        None => Ok(None),
    }
}

/// The content of a document; `None` if there is none.
///
/// # Errors
/// It exists and cannot be read or believed.
pub fn read(path: &Path, owner: Owner) -> Result<Option<Vec<u8>>, LoadError> {
    let Some(file) = look(path, owner)? else { return Ok(None) };
    file.read(MAX_BYTES).map(Some).map_err(|e| refused(path, owner, &e))
}

/// Opens a document; `None` if there is none.
fn look(path: &Path, owner: Owner) -> Result<Option<Checked>, LoadError> {
    match Checked::open(path, owner) {
        Ok(file) => Ok(Some(file)),
        Err(FileError::Missing) => match std::fs::symlink_metadata(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(refused(path, owner, &FileError::Io(e))),
            // A link that leads nowhere is no missing document: what it led to may have been the floor.
            Ok(_) => Err(refused(path, owner, &FileError::NotRegular)),
        },
        Err(e) => Err(refused(path, owner, &e)),
    }
}

/// A path for messages and sources.
pub(crate) fn shown(path: &Path) -> String {
    protocol::Shown::text(path.as_os_str().as_bytes()).into_string()
}

pub(crate) fn refused(path: &Path, owner: Owner, e: &FileError) -> LoadError {
    let file = shown(path);
    let (kind, remedy) = match e {
        FileError::Owner(_) => {
            (LoadErrorKind::Unsafe, format!("look at it, then: chown {} {file}", whose(owner)))
        }
        FileError::Mode(_) => {
            (LoadErrorKind::Unsafe, format!("look at it, then: chmod {} {file}", mode(owner)))
        }
        FileError::Folder(folder, inner) => {
            let folder = shown(folder);
            let mend = match **inner {
                FileError::Owner(_) => format!("chown {} {folder}", whose(owner)),
                _ => format!("chmod go-w {folder}"),
            };
            (LoadErrorKind::Unsafe, format!("look at the document, then: {mend}"))
        }
        FileError::TooBig(_) => (LoadErrorKind::TooBig, "remove entries".into()),
        FileError::NotRegular => (LoadErrorKind::Unsafe, "put a plain file there, or remove it".into()),
        FileError::Changed => (LoadErrorKind::Unreadable, "try again".into()),
        FileError::Missing | FileError::Io(_) => {
            (LoadErrorKind::Unreadable, "make it readable for the user the guard runs as".into())
        }
    };
    Details { file, line: None, column: None, field: None, kind, what: e.to_string(), remedy }.into()
}

fn whose(owner: Owner) -> String {
    match owner {
        Owner::Root => "root".into(),
        Owner::User(uid) => uid.to_string(),
    }
}

fn mode(owner: Owner) -> &'static str {
    match owner {
        Owner::Root => "644",
        Owner::User(_) => "600",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use policy::document::Security;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    struct Stage(tempfile::TempDir, Places);

    impl Stage {
        fn new() -> Stage {
            let dir = tempfile::tempdir().unwrap();
            let places = Places {
                system: dir.path().join("etc"),
                home: Some(dir.path().join("home")),
                named: None,
                uid: sys::ids::uid(),
            };
            Stage(dir, places)
        }

        fn put(&self, path: &str, text: &str) -> PathBuf {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Whatever the umask is.
            fs::set_permissions(path.parent().unwrap(), PermissionsExt::from_mode(0o755)).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
            path
        }

        fn named(mut self) -> Stage {
            self.1.named = Some(self.0.path().join("named"));
            self
        }

        fn security(&self) -> Security {
            load(&self.1).unwrap().policy.effective("main").security.value
        }
    }

    fn doc(security: &str) -> String {
        format!("{{\"version\":1,\"defaults\":{{\"security\":\"{security}\"}}}}")
    }

    #[test]
    fn the_nearest_document_rules() {
        let s = Stage::new();
        assert_eq!(s.security(), Security::Allowlist);
        let l = load(&s.1).unwrap();
        let target = l.editable.unwrap();
        assert_eq!(target.path, s.0.path().join("home/.exec-guard/exec-approvals.json"));
        assert_eq!(target.begin, Begin::Cautious);
        let claw = s.put("home/.openclaw/exec-approvals.json", &doc("full"));
        assert_eq!(s.security(), Security::Full);
        assert_eq!(load(&s.1).unwrap().editable, Some(Target::at(claw)));
        s.put("home/.exec-guard/config.json", "{ /* only settings */ }");
        assert_eq!(s.security(), Security::Full);
        let own = s.put("home/.exec-guard/exec-approvals.json", &doc("deny"));
        assert_eq!(s.security(), Security::Deny);
        assert_eq!(load(&s.1).unwrap().editable, Some(Target::at(own)));
    }

    #[test]
    fn a_folder_that_others_can_write_is_not_believed() {
        let s = Stage::new().named();
        s.put("named/exec-approvals.json", &doc("deny"));
        s.put("home/.exec-guard/exec-approvals.json", &doc("deny"));
        for folder in ["home/.exec-guard", "named"] {
            let path = s.0.path().join(folder);
            for (mode, believed) in
                [(0o777, false), (0o775, false), (0o757, false), (0o1777, true), (0o755, true)]
            {
                fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
                let told = load(&s.1).map(|_| ()).map_err(|e| e.to_string());
                assert_eq!(told.is_ok(), believed, "{folder} {mode:o}: {told:?}");
                assert!(told.is_ok() || told.unwrap_err().contains("chmod go-w"), "{folder} {mode:o}");
            }
        }
        // Without its documents too: they may have been taken away.
        fs::remove_file(s.0.path().join("home/.exec-guard/exec-approvals.json")).unwrap();
        fs::set_permissions(s.0.path().join("home/.exec-guard"), PermissionsExt::from_mode(0o777)).unwrap();
        load(&s.1).unwrap_err();
    }

    #[test]
    fn a_named_folder_stands_alone_or_tightens() {
        let s = Stage::new().named();
        let claw = s.put("home/.openclaw/exec-approvals.json", &doc("full"));
        s.put("named/exec-approvals.json", &doc("allowlist"));
        // OpenClaw's document is the user's as well: what the environment names does not replace it, and does not
        // loosen it.
        assert_eq!(s.security(), Security::Allowlist);
        let l = load(&s.1).unwrap();
        assert_eq!(l.state, Some(s.0.path().join("home/.exec-guard")));
        assert_eq!(l.editable, Some(Target::at(claw.clone())));
        s.put("home/.openclaw/exec-approvals.json", &doc("allowlist"));
        s.put("named/exec-approvals.json", &doc("full"));
        assert_eq!(s.security(), Security::Allowlist);
        fs::remove_file(claw).unwrap();
        // Where the user has no document, it stands alone.
        assert_eq!(s.security(), Security::Full);
        let l = load(&s.1).unwrap();
        assert_eq!(l.state, Some(s.0.path().join("named")));
        assert_eq!(l.editable, Some(Target::at(s.0.path().join("named/exec-approvals.json"))));
        // A config of the user's is one: the embedded policy is what it goes with.
        let config = s.put("home/.exec-guard/config.json", "{}");
        assert_eq!(s.security(), Security::Allowlist);
        fs::remove_file(config).unwrap();
        let own = s.put("home/.exec-guard/exec-approvals.json", &doc("allowlist"));
        assert_eq!(s.security(), Security::Allowlist);
        let l = load(&s.1).unwrap();
        assert_eq!((l.editable, l.state), (Some(Target::at(own)), Some(s.0.path().join("home/.exec-guard"))));
        s.put("named/exec-approvals.json", &doc("deny"));
        assert_eq!(s.security(), Security::Deny);
        let mut s = s;
        s.1.named = Some("relative".into());
        assert!(load(&s.1).unwrap_err().to_string().contains("absolute"));
    }

    #[test]
    fn a_named_folder_that_is_not_there_is_a_mistake() {
        let s = Stage::new().named();
        let e = load(&s.1).unwrap_err().to_string();
        assert!(e.contains("/named") && e.contains("EXEC_GUARD_HOME") && e.contains("mkdir"), "{e}");
        // What the user has does not mend it: the folder was to tighten that.
        s.put("home/.exec-guard/exec-approvals.json", &doc("full"));
        assert_eq!(load(&s.1).unwrap_err().kind, LoadErrorKind::Unreadable);
        // A file in its place is none either, nor is what lies below one.
        let file = s.put("named", "");
        assert!(load(&s.1).is_err());
        let mut below = s.1.clone();
        below.named = Some(file.join("x"));
        assert!(load(&below).is_err());
        // A folder without documents is one that a policy may be put in.
        fs::remove_file(file).unwrap();
        fs::create_dir(s.0.path().join("named")).unwrap();
        assert_eq!(s.security(), Security::Full);
        // The user's own folder need not be there, named or not.
        let mut s = Stage::new();
        s.1.named = s.1.user_folder();
        assert_eq!(s.security(), Security::Allowlist);
    }

    #[test]
    fn a_trial_replaces_what_it_has() {
        let s = Stage::new();
        s.put("home/.exec-guard/exec-approvals.json", &doc("allowlist"));
        s.put("home/.exec-guard/config.json", r#"{"tools":{"exec":{"strictInlineEval":true}}}"#);
        let other = s.put("other/exec-approvals.json", &doc("full"));
        fs::set_permissions(&other, PermissionsExt::from_mode(0o666)).unwrap();
        let loaded = || load(&s.1).unwrap().policy;
        let tried = trial(loaded(), &s.0.path().join("other")).unwrap().effective("main");
        assert_eq!((tried.security.value, tried.strict_inline_eval), (Security::Full, true));
        assert!(trial(loaded(), &s.0.path().join("etc")).is_err());
        s.put("bad/config.json", "{");
        assert!(trial(loaded(), &s.0.path().join("bad")).is_err());
    }

    #[test]
    fn what_cannot_be_believed_denies() {
        let s = Stage::new();
        let own = s.put("home/.exec-guard/exec-approvals.json", &doc("full"));
        for (mode, ok) in [(0o600, true), (0o644, true), (0o666, false), (0o620, false), (0o755, false)] {
            fs::set_permissions(&own, PermissionsExt::from_mode(mode)).unwrap();
            match load(&s.1) {
                Ok(_) => assert!(ok, "{mode:o}"),
                Err(e) => {
                    assert!(!ok && e.kind == LoadErrorKind::Unsafe, "{mode:o}: {e}");
                    assert!(e.to_string().contains("chmod 600"), "{e}");
                }
            }
        }
        fs::set_permissions(&own, PermissionsExt::from_mode(0o600)).unwrap();
        fs::write(&own, "{\n\"version\": 1,\n\"defaults\": {\"ask\": \"maybe\"}}").unwrap();
        let e = load(&s.1).unwrap_err();
        assert!(e.to_string().contains("exec-approvals.json:3:"), "{e}");
        fs::remove_file(&own).unwrap();
        fs::create_dir(&own).unwrap();
        assert_eq!(load(&s.1).unwrap_err().kind, LoadErrorKind::Unsafe);
        fs::remove_dir(&own).unwrap();
        // A link that leads nowhere is a fault; one that leads to a good document is followed.
        std::os::unix::fs::symlink("elsewhere", &own).unwrap();
        assert_eq!(load(&s.1).unwrap_err().kind, LoadErrorKind::Unsafe);
        s.put("home/.exec-guard/elsewhere", &doc("full"));
        assert_eq!(s.security(), Security::Full);
    }

    #[test]
    fn the_system_layer_must_be_roots_up_to_the_top() {
        let s = Stage::new();
        s.put("etc/exec-approvals.json", &doc("full"));
        // The stage lies in a folder that everybody may write.
        let e = load(&s.1).unwrap_err();
        assert_eq!(e.kind, LoadErrorKind::Unsafe, "{e}");
    }
}
