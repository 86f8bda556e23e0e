//! The socket for tools: an agent gateway calls, a person is asked at the desk where somebody has to say yes.
//!
//! ```text
//! POST /v1/tools/NAME              a call; its result, or with wait=false the id of its question
//! GET  /v1/requests                the calls that wait for a yes
//! GET  /v1/requests/ID             what became of a call that was not waited for
//! POST /v1/requests/ID             an owner's answer, by a gateway
//! GET  /v1/openapi.json            this, for programs
//! ```
//!
//! A call that has to be asked about *is a question of the desk*: it is listed, shown, answered and told of like every
//! other, and `Row::tool` says which tool, for whom. The approver itself starts no command: what was allowed is done by
//! `exec-guardctl tool-work`, a process a call, which judges it again before it does.
mod book;
mod call;
mod door;
mod http;
mod worker;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::{TcpListener, UnixListener};
use tools::engine::Scene;
use tools::result::{Code, ToolResult};

use crate::handle::Handle;
use crate::listen::loopback;
use crate::rules::Documents;
use crate::shares::{Part, Shares, Turns};
use book::Counter;

/// Calls that are carried out at once; others wait for their turn.
const AT_ONCE: usize = 8;
/// Calls that are judged at once. That looks at folders that callers name, which may lie where nobody answers: a thread for
/// each, of which there are 512 for all that could stand still.
const JUDGED: usize = 64;
/// Calls that are held at once, those that wait for a person included.
const HELD: usize = 4_096;
/// Results that are kept for whoever did not wait; one more takes the place of the oldest of the user that has most.
const KEPT: usize = 1_000;
/// Bytes of the bodies of calls that are held, and of those that are still coming.
const BODIES: usize = 64 << 20;

/// Everything the rooms of this one share. Clones are the same.
#[derive(Clone)]
pub struct Tools(Arc<Shared>);

struct Shared {
    handle: Handle,
    counter: Counter,
    turns: Turns,
    judging: Turns,
    held: Shares,
    bodies: Shares,
    later: Mutex<Later>,
    scene: Mutex<Option<Seen>>,
    /// Held while a caller at the port is looked for.
    search: Mutex<()>,
}

/// Documents, and what they say of tools.
type Seen = (Arc<Documents>, Result<Arc<Scene>, ToolResult>);

/// What becomes of calls that nobody waits for.
#[derive(Default)]
struct Later {
    /// Whose call it was, and its result once there is one.
    results: HashMap<String, (String, Option<ToolResult>)>,
    /// The user id that called, and the call's, oldest first.
    order: VecDeque<(u32, String)>,
}

impl Tools {
    /// Ready to take calls. `state` is the folder the calls are counted in.
    pub fn new(handle: Handle, state: &std::path::Path) -> Tools {
        Tools(Arc::new(Shared {
            handle,
            counter: Counter::of(state),
            turns: Turns::of(AT_ONCE),
            judging: Turns::of(JUDGED),
            held: Shares::of(HELD),
            bodies: Shares::of(BODIES),
            later: Mutex::new(Later::default()),
            scene: Mutex::new(None),
            search: Mutex::new(()),
        }))
    }

    /// The documents in force, as far as they are about tools.
    fn scene(&self) -> Result<Arc<Scene>, ToolResult> {
        let rules = self.0.handle.rules();
        let documents = rules.current().map_err(|e| ToolResult::no(Code::Settings, e))?;
        let mut read = self.0.scene.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, scene)) = &*read
            && Arc::ptr_eq(seen, &documents)
        {
            return scene.clone();
        }
        let scene = Scene::of(rules.places(), documents.loaded().clone(), sys::environ::entries());
        let scene = scene.map(Arc::new);
        *read = Some((documents, scene.clone()));
        scene
    }

    /// The same as it was seen last, without a look at the files.
    fn last_scene(&self) -> Option<Arc<Scene>> {
        let read = self.0.scene.lock().unwrap_or_else(PoisonError::into_inner);
        read.as_ref().and_then(|(_, scene)| scene.as_ref().ok().cloned())
    }

    /// Room for the body of a user's call; none is taken yet.
    fn room(&self, uid: u32) -> Part {
        self.0.bodies.part(uid, self.users(uid))
    }

    fn later(&self) -> MutexGuard<'_, Later> {
        self.0.later.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be kept from one start to the next.
    pub fn save(&self) {
        self.0.counter.save();
    }
}

impl Later {
    fn begin(&mut self, id: &str, user: &str, uid: u32) {
        self.results.insert(id.to_owned(), (user.to_owned(), None));
        self.order.push_back((uid, id.to_owned()));
        if self.order.len() <= KEPT {
            return;
        }
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for (uid, _) in &self.order {
            *counts.entry(*uid).or_default() += 1;
        }
        let most = counts.values().max().copied();
        let oldest = self.order.iter().position(|(uid, _)| counts.get(uid).copied() == most);
        if let Some((_, id)) = oldest.and_then(|at| self.order.remove(at)) {
            self.results.remove(&id);
        }
    }

    fn end(&mut self, id: &str, result: ToolResult) {
        if let Some((_, slot)) = self.results.get_mut(id) {
            *slot = Some(result);
        }
    }
}

/// Connections at once: those that are held, and some that only look.
pub const MOST: usize = HELD + 64;

/// The port of this machine for tools, where the documents name one; empty where they do not.
///
/// # Errors
/// Another program has it: a sentence. Whoever calls there shows that one the token, whether we run or not.
pub async fn port(tools: &Tools) -> Result<Vec<TcpListener>, String> {
    let Some(port) = tools.scene().ok().and_then(|scene| scene.settings.port) else { return Ok(Vec::new()) };
    loopback::listen(port).await.map_err(|e| {
        format!(
            "no port for tools (security.port): {e}; whoever calls there shows that program the gateway's token: end it or \
             name another port, write another gatewayToken, and start the approver anew"
        )
    })
}

/// Takes calls until it is dropped; `most` connections at once, at a port as well if there is one.
pub async fn serve(socket: UnixListener, port: Vec<TcpListener>, tools: Tools, most: usize) {
    let saving = tools.clone();
    let routes = http::routes(tools.clone());
    tokio::select! {
        () = door::serve(tools, socket, port, routes, most) => {}
        () = async { loop { tokio::time::sleep(std::time::Duration::from_secs(1)).await; saving.save(); } } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_one_user_do_not_push_out_anothers() {
        let mut later = Later::default();
        later.begin("theirs", "user:1", 2);
        later.end("theirs", ToolResult::no(Code::Failed, "x"));
        for n in 0..3 * KEPT {
            later.begin(&format!("call{n}"), "user:2", 1);
        }
        assert_eq!((later.results.len(), later.order.len()), (KEPT, KEPT));
        assert!(
            later.results.get("theirs").is_some_and(|(user, result)| user == "user:1" && result.is_some())
        );
        let last = format!("call{}", 3 * KEPT - 1);
        assert!(later.results.contains_key(&last) && !later.results.contains_key("call0"));
    }
}
