//! Who may enter: links that are good once, and the sessions of browsers that used one.
//!
//! A session is two secrets. One stands in the path of every page, the other in a cookie that the browser sends to that
//! path only. Cookies know no ports: without the path, a server on another port of this machine, which an agent may
//! well have started, would be sent the cookie by any browser that looks at it.
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::encode::hex;
use protocol::mac::sha256;
use tokio::sync::watch;

use crate::peer::Work;

/// How long a link is good, milliseconds.
pub const LINK_MS: u64 = 120_000;
/// Longest life of a session, milliseconds.
pub const SESSION_MS: u64 = 12 * 3_600_000;
/// A session that is not used ends after that, milliseconds.
const IDLE_MS: u64 = 2 * 3_600_000;
/// Links at once; one more takes the place of the oldest.
const LINKS: usize = 16;
/// Sessions at once; one more takes the place of the one that was used least recently.
const SESSIONS: usize = 32;
/// Messages that wait for the next page of a session.
const MESSAGES: usize = 20;

/// A browser that was let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// In the path of its pages.
    pub id: String,
    /// In every form of its pages.
    pub csrf: String,
    /// When it began, by the desk's clock.
    pub started_ms: u64,
    /// When it was used last, by the desk's clock.
    pub used_ms: u64,
    /// What the browser says it is, made visible.
    pub browser: String,
    /// Who fetched its link.
    pub by: Work,
    /// Of the cookie's value.
    hash: String,
}

/// What happened, for the next page that a session looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// False for a refusal.
    pub good: bool,
    /// A sentence.
    pub text: String,
}

struct Link {
    hash: String,
    by: Work,
    until_ms: u64,
}

#[derive(Default)]
struct Inner {
    links: Vec<Link>,
    sessions: Vec<Session>,
    messages: Vec<(String, Message)>,
}

/// The door.
pub struct Door {
    inner: Mutex<Inner>,
    changed: watch::Sender<()>,
}

impl Default for Door {
    fn default() -> Door {
        Door { inner: Mutex::default(), changed: watch::channel(()).0 }
    }
}

/// Compares without telling by its time where the two differ.
pub fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |diff, (a, b)| diff | (a ^ b)) == 0
}

fn secret() -> Option<String> {
    let mut bytes = [0u8; 32];
    sys::edit::random(&mut bytes).ok()?;
    Some(hex(&bytes))
}

impl Door {
    fn lock(&self, now_ms: u64) -> MutexGuard<'_, Inner> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.links.retain(|l| l.until_ms > now_ms);
        inner.sessions.retain(|s| now_ms < s.started_ms + SESSION_MS && now_ms < s.used_ms + IDLE_MS);
        let Inner { sessions, messages, .. } = &mut *inner;
        messages.retain(|(id, _)| sessions.iter().any(|s| &s.id == id));
        inner
    }

    /// What stands in a new link that was fetched by this work; `None` where there are no random bytes.
    pub fn link(&self, by: Work, now_ms: u64) -> Option<String> {
        let token = secret()?;
        let mut inner = self.lock(now_ms);
        if inner.links.len() >= LINKS {
            inner.links.remove(0);
        }
        let until_ms = now_ms.saturating_add(LINK_MS);
        inner.links.push(Link { hash: sha256(token.as_bytes()), by, until_ms });
        Some(token)
    }

    /// Uses a link up: the session, and the value of its cookie. `None` if the link is not good.
    pub fn enter(&self, token: &str, browser: String, now_ms: u64) -> Option<(Session, String)> {
        let hash = sha256(token.as_bytes());
        let mut inner = self.lock(now_ms);
        let at = inner.links.iter().position(|l| same(&l.hash, &hash))?;
        let by = inner.links.remove(at).by;
        let cookie = secret()?;
        let session = Session {
            id: secret()?.get(..32)?.to_owned(),
            csrf: secret()?,
            started_ms: now_ms,
            used_ms: now_ms,
            browser,
            by,
            hash: sha256(cookie.as_bytes()),
        };
        if inner.sessions.len() >= SESSIONS
            && let Some(at) =
                (0..inner.sessions.len()).min_by_key(|at| inner.sessions.get(*at).map(|s| s.used_ms))
        {
            inner.sessions.remove(at);
        }
        inner.sessions.push(session.clone());
        drop(inner);
        self.changed.send_replace(());
        Some((session, cookie))
    }

    /// The session with that id, if the cookie is its own; it counts as used.
    pub fn session(&self, id: &str, cookie: &str, now_ms: u64) -> Option<Session> {
        let hash = sha256(cookie.as_bytes());
        let mut inner = self.lock(now_ms);
        let session = inner.sessions.iter_mut().find(|s| same(&s.id, id) && same(&s.hash, &hash))?;
        session.used_ms = session.used_ms.max(now_ms);
        Some(session.clone())
    }

    /// True as long as the session is there. A page that is open counts as use.
    pub fn lasts(&self, id: &str, now_ms: u64) -> bool {
        let mut inner = self.lock(now_ms);
        let session = inner.sessions.iter_mut().find(|s| s.id == id);
        session.map(|s| s.used_ms = s.used_ms.max(now_ms)).is_some()
    }

    /// Told whenever a session begins or is ended.
    pub fn watch(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Every session, the newest first.
    pub fn sessions(&self, now_ms: u64) -> Vec<Session> {
        self.lock(now_ms).sessions.iter().rev().cloned().collect()
    }

    /// Ends one; false if there is none.
    pub fn end(&self, id: &str, now_ms: u64) -> bool {
        let mut inner = self.lock(now_ms);
        let before = inner.sessions.len();
        inner.sessions.retain(|s| s.id != id);
        let ended = inner.sessions.len() != before;
        drop(inner);
        self.changed.send_replace(());
        ended
    }

    /// Leaves a message for the next page of a session.
    pub fn say(&self, id: &str, message: Message, now_ms: u64) {
        let mut inner = self.lock(now_ms);
        if inner.messages.iter().filter(|(to, _)| to == id).count() < MESSAGES {
            inner.messages.push((id.to_owned(), message));
        }
    }

    /// Takes the messages for a session.
    pub fn said(&self, id: &str, now_ms: u64) -> Vec<Message> {
        let mut inner = self.lock(now_ms);
        let (mine, others) = std::mem::take(&mut inner.messages).into_iter().partition(|(to, _)| to == id);
        inner.messages = others;
        let mine: Vec<(String, Message)> = mine;
        mine.into_iter().map(|(_, message)| message).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_good_once_and_not_for_long() {
        let door = Door::default();
        let token = door.link(Work::default(), 0).unwrap();
        assert_eq!(token.len(), 64);
        assert!(
            door.enter("", String::new(), 1).is_none() && door.enter(&token[1..], String::new(), 1).is_none()
        );
        let (session, cookie) = door.enter(&token, "b".into(), 1).unwrap();
        assert!(door.enter(&token, String::new(), 1).is_none());
        assert!(door.session(&session.id, &cookie, 2).is_some());
        assert!(door.session(&session.id, &token, 2).is_none() && door.session("", &cookie, 2).is_none());
        let late = door.link(Work::default(), 10).unwrap();
        assert!(door.enter(&late, String::new(), 10 + LINK_MS).is_none());
        // A flood of links pushes old ones out and nothing else.
        let first = door.link(Work::default(), 20).unwrap();
        for _ in 0..LINKS {
            door.link(Work::default(), 20).unwrap();
        }
        assert!(door.enter(&first, String::new(), 21).is_none());
        assert!(door.session(&session.id, &cookie, 21).is_some());
    }

    #[test]
    fn sessions_end() {
        let door = Door::default();
        let enter = |at| door.enter(&door.link(Work::default(), at).unwrap(), String::new(), at).unwrap();
        let (idle, cookie) = enter(0);
        assert!(door.session(&idle.id, &cookie, IDLE_MS - 1).is_some());
        assert!(door.session(&idle.id, &cookie, 2 * IDLE_MS - 2).is_some());
        assert!(door.session(&idle.id, &cookie, 4 * IDLE_MS).is_none());
        let (busy, cookie) = enter(0);
        for at in (0..SESSION_MS).step_by(IDLE_MS as usize / 2) {
            assert!(door.session(&busy.id, &cookie, at).is_some());
        }
        assert!(door.session(&busy.id, &cookie, SESSION_MS).is_none());
        let (ended, cookie) = enter(0);
        let seen = door.watch();
        assert!(door.end(&ended.id, 1) && !door.end(&ended.id, 1) && seen.has_changed().unwrap());
        assert!(door.session(&ended.id, &cookie, 1).is_none());
        for at in 0..100 {
            enter(at);
        }
        assert_eq!(door.sessions(100).len(), SESSIONS);
    }

    #[test]
    fn a_message_is_for_one_session_and_read_once() {
        let door = Door::default();
        let (one, _) = door.enter(&door.link(Work::default(), 0).unwrap(), String::new(), 0).unwrap();
        let (two, _) = door.enter(&door.link(Work::default(), 0).unwrap(), String::new(), 0).unwrap();
        let message = Message { good: true, text: "done".into() };
        door.say(&one.id, message.clone(), 0);
        assert!(door.said(&two.id, 0).is_empty());
        assert_eq!(door.said(&one.id, 0), [message]);
        assert!(door.said(&one.id, 0).is_empty());
    }

    #[test]
    fn equal_is_equal() {
        assert!(same("", "") && same("ab", "ab"));
        assert!(!same("ab", "aB") && !same("ab", "abc") && !same("abc", "ab"));
    }
}
