//! The policy documents, as the approver needs them: where it listens, with which token, what an override may do, where
//! *always* goes.
//!
//! They are the guard's documents, found and checked by the same [`store::locate`]. They are read again when one of the
//! files is another one than it was, or what was read is older than a second, so that an edit counts at once and without a
//! restart; a document that cannot be believed stops everything until it is mended, as it does for the guard.
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use policy::document::{Approvals, Ask, Layer, Policy, Security, Settings};
use policy::tables::marks::Marks;
use protocol::token::Token;
use store::edit::Target;
use store::locate::{APPROVALS, CONFIG};
use store::{Loaded, Places};

/// How old what was read may be, milliseconds.
const FRESH_MS: u64 = 1_000;

/// The documents in force.
#[derive(Debug)]
pub struct Documents {
    loaded: Loaded,
    /// The settings that do not depend on an agent.
    pub settings: Settings,
    /// The secret of the socket; `None` if no document has one.
    pub token: Option<Token>,
    /// Signs by which agents are known.
    pub marks: Marks,
}

impl Documents {
    fn of(loaded: Loaded) -> Documents {
        let settings = loaded.policy.settings("main");
        Documents {
            token: settings.socket.token.as_deref().and_then(Token::new),
            marks: Marks::with(&settings.mark_env, &settings.mark_programs),
            settings,
            loaded,
        }
    }

    /// All documents.
    pub fn policy(&self) -> &Policy {
        &self.loaded.policy
    }

    /// As they were read.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The document that *always* is written to.
    pub fn editable(&self) -> Option<&Target> {
        self.loaded.editable.as_ref()
    }

    /// The folder of state.
    pub fn state(&self) -> Option<&PathBuf> {
        self.loaded.state.as_ref()
    }

    /// Milliseconds that a late yes stays good for an agent's question.
    pub fn ticket_ttl_ms(&self, agent: &str) -> u64 {
        self.loaded.policy.settings(agent).ticket_ttl_ms
    }

    /// What `security` and `ask` of an override come to for an agent: as if they stood in the user's document, so that
    /// the system's layer stays the floor. And whether the agent has a denylist.
    pub fn overridden(
        &self,
        agent: &str,
        security: Option<Security>,
        ask: Option<Ask>,
    ) -> (Security, Ask, bool) {
        let now = self.loaded.policy.effective(agent);
        let wanted = (security.unwrap_or(now.security.value), ask.unwrap_or(now.ask.value));
        let scope = serde_json::json!({
            "security": protocol::words::security(wanted.0),
            "ask": protocol::words::ask(wanted.1),
        });
        let document = serde_json::json!({"version": 1, "agents": {agent: scope}}).to_string();
        let denylist = !now.denylist.is_empty();
        match Approvals::parse(document.as_bytes(), "override") {
            Ok(user) => {
                let policy = self.loaded.policy.clone().with_owner(Layer::new(Some(user), None));
                let then = policy.effective(agent);
                (then.security.value, then.ask.value, denylist)
            }
            // It says nothing that could be understood: nothing changes.
            Err(_) => (now.security.value, now.ask.value, denylist),
        }
    }
}

/// By which a file is told from what it was before: device, number, size, and when it was written and changed.
type Stamp = Option<(u64, u64, u64, [i64; 4])>;

/// The files that may be documents, as they are now. A second's age is looked at as well, since two edits in one tick of the
/// kernel's clock look the same.
fn stamps(places: &Places) -> Vec<Stamp> {
    let stamp = |path: &Path| {
        let m = std::fs::metadata(path).ok()?;
        Some((m.dev(), m.ino(), m.size(), [m.mtime(), m.mtime_nsec(), m.ctime(), m.ctime_nsec()]))
    };
    let folders = [Some(places.system.clone()), places.user_folder(), places.named.clone()];
    let files = folders.iter().flatten().flat_map(|f| [f.join(APPROVALS), f.join(CONFIG)]);
    files.chain(places.openclaw()).map(|path| stamp(&path)).collect()
}

#[derive(Debug)]
struct Read {
    at_ms: u64,
    stamps: Vec<Stamp>,
    documents: Result<Arc<Documents>, String>,
}

/// Where the documents are, and what was read last.
#[derive(Debug)]
pub struct Rules {
    places: Places,
    read: Mutex<Option<Read>>,
}

impl Rules {
    /// Nothing is read yet.
    pub fn new(places: Places) -> Rules {
        Rules { places, read: Mutex::new(None) }
    }

    /// Where they are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The documents in force.
    ///
    /// # Errors
    /// What is wrong with one, and what to do.
    pub fn current(&self) -> Result<Arc<Documents>, String> {
        let now = sys::time::since_boot_ms().unwrap_or(0);
        let Ok(mut read) = self.read.lock() else { return Err("the documents could not be read".into()) };
        // Before they are read: what changes meanwhile is read again.
        let stamps = stamps(&self.places);
        match &*read {
            Some(r) if now.saturating_sub(r.at_ms) < FRESH_MS && now > 0 && r.stamps == stamps => {
                r.documents.clone()
            }
            _ => {
                let documents =
                    store::load(&self.places).map(|l| Arc::new(Documents::of(l))).map_err(|e| e.to_string());
                *read = Some(Read { at_ms: now, stamps, documents: documents.clone() });
                documents
            }
        }
    }

    /// They were changed: the next look reads them.
    pub fn changed(&self) {
        if let Ok(mut read) = self.read.lock() {
            *read = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn put(path: &std::path::Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
    }

    fn stage(system: &str, user: &str) -> (tempfile::TempDir, Rules) {
        let dir = tempfile::tempdir().unwrap();
        let places = Places {
            system: dir.path().join("etc"),
            home: Some(dir.path().join("home")),
            named: None,
            uid: sys::ids::uid(),
        };
        put(&dir.path().join("home/.exec-guard/exec-approvals.json"), user);
        // The system's layer must be root's with every folder above it: what the tests cannot make stands in for it.
        let mut read = store::load(&places).unwrap();
        if !system.is_empty() {
            let floor = Approvals::parse(system.as_bytes(), "floor").unwrap();
            let user = Approvals::parse(user.as_bytes(), "user").unwrap();
            let layer = |a| Layer::new(Some(a), None);
            read.policy = Policy::new(layer(floor), layer(user), Layer::default(), None);
        }
        let rules = Rules::new(places);
        let at_ms = u64::MAX / 2;
        if !system.is_empty() {
            let stamps = stamps(&rules.places);
            *rules.read.lock().unwrap() =
                Some(Read { at_ms, stamps, documents: Ok(Arc::new(Documents::of(read))) });
        }
        (dir, rules)
    }

    const USER: &str =
        r#"{"version":1,"socket":{"token":"t"},"agents":{"main":{"security":"allowlist","ask":"on-miss"}}}"#;

    #[test]
    fn an_override_stands_in_for_the_users_document_and_never_below_the_floor() {
        for (floor, security, ask, want) in [
            ("", Some(Security::Full), None, (Security::Full, Ask::OnMiss)),
            ("", None, Some(Ask::Off), (Security::Allowlist, Ask::Off)),
            ("", Some(Security::Full), Some(Ask::Off), (Security::Full, Ask::Off)),
            (r#"{"security":"allowlist"}"#, Some(Security::Full), None, (Security::Allowlist, Ask::OnMiss)),
            (r#"{"ask":"on-miss"}"#, Some(Security::Full), Some(Ask::Off), (Security::Full, Ask::OnMiss)),
            (
                r#"{"security":"deny","ask":"always"}"#,
                Some(Security::Full),
                Some(Ask::Off),
                (Security::Deny, Ask::Always),
            ),
        ] {
            let floor = if floor.is_empty() {
                String::new()
            } else {
                format!(r#"{{"version":1,"defaults":{floor}}}"#)
            };
            let (_dir, rules) = stage(&floor, USER);
            let (s, a, denylist) = rules.current().unwrap().overridden("main", security, ask);
            assert_eq!(((s, a), denylist), (want, false), "{floor} {security:?} {ask:?}");
        }
    }

    #[test]
    fn a_document_that_cannot_be_believed_stops_everything_until_it_is_mended() {
        let (dir, rules) = stage("", USER);
        assert!(rules.current().unwrap().token.is_some());
        let path = dir.path().join("home/.exec-guard/exec-approvals.json");
        // At once, whoever wrote it: nothing tells us.
        put(&path, "{");
        assert!(rules.current().unwrap_err().contains("exec-approvals.json"));
        put(&path, r#"{"version":1}"#);
        assert!(rules.current().unwrap().token.is_none());
        // Also where there was none before, and none is left.
        let other = dir.path().join("home/.exec-guard/config.json");
        put(&other, "{");
        assert!(rules.current().unwrap_err().contains("config.json"));
        fs::remove_file(&other).unwrap();
        assert!(rules.current().is_ok());
    }

    #[test]
    fn what_is_as_it_was_is_not_read_again() {
        let (_dir, rules) = stage("", USER);
        let first = rules.current().unwrap();
        // However slow this machine is.
        rules.read.lock().unwrap().as_mut().unwrap().at_ms = u64::MAX / 2;
        assert!(Arc::ptr_eq(&first, &rules.current().unwrap()));
    }
}
