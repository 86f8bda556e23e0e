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
use tokio::sync::Semaphore;
use tools::engine::Scene;
use tools::result::{Code, ToolResult};

use crate::handle::Handle;
use book::Counter;

/// Calls that are carried out at once; others wait for their turn.
const AT_ONCE: usize = 8;
/// Calls that are held at once, those that wait for a person included.
const HELD: usize = 4_096;
/// Results that are kept for whoever did not wait.
const KEPT: usize = 1_000;
/// How old the documents that were read may be, milliseconds.
const FRESH_MS: u64 = 1_000;

/// Everything the rooms of this one share. Clones are the same.
#[derive(Clone)]
pub struct Tools(Arc<Shared>);

struct Shared {
    handle: Handle,
    counter: Counter,
    turns: Arc<Semaphore>,
    held: Arc<Semaphore>,
    later: Mutex<Later>,
    scene: Mutex<Option<Seen>>,
}

/// When the documents were read, and what came of it.
type Seen = (u64, Result<Arc<Scene>, ToolResult>);

/// What becomes of calls that nobody waits for.
#[derive(Default)]
struct Later {
    /// Whose call it was, and its result once there is one.
    results: HashMap<String, (String, Option<ToolResult>)>,
    order: VecDeque<String>,
}

impl Tools {
    /// Ready to take calls. `state` is the folder the calls are counted in.
    pub fn new(handle: Handle, state: &std::path::Path) -> Tools {
        Tools(Arc::new(Shared {
            handle,
            counter: Counter::of(state),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            held: Arc::new(Semaphore::new(HELD)),
            later: Mutex::new(Later::default()),
            scene: Mutex::new(None),
        }))
    }

    /// The documents in force, as far as they are about tools.
    fn scene(&self) -> Result<Arc<Scene>, ToolResult> {
        let now = sys::time::since_boot_ms().unwrap_or(0);
        let mut read = self.0.scene.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, scene)) = &*read
            && now > 0
            && now.saturating_sub(*at) < FRESH_MS
        {
            return scene.clone();
        }
        let places = self.0.handle.rules().places();
        let scene = store::load(places)
            .map_err(|e| ToolResult::no(Code::Settings, e.to_string()))
            .and_then(|loaded| Scene::of(places, loaded, sys::environ::entries()))
            .map(Arc::new);
        *read = Some((now, scene.clone()));
        scene
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
    fn begin(&mut self, id: &str, user: &str) {
        self.results.insert(id.to_owned(), (user.to_owned(), None));
        self.order.push_back(id.to_owned());
        while self.order.len() > KEPT {
            if let Some(oldest) = self.order.pop_front() {
                self.results.remove(&oldest);
            }
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

/// The port of this machine for tools, where the documents name one.
///
/// # Errors
/// Another program has it. Callers would show that one the token, so nothing begins.
pub async fn port(tools: &Tools) -> Result<Option<TcpListener>, String> {
    let Some(port) = tools.scene().ok().and_then(|scene| scene.settings.port) else { return Ok(None) };
    let listener = TcpListener::bind(("127.0.0.1", port)).await;
    listener.map(Some).map_err(|e| {
        format!(
            "port {port} of 127.0.0.1 (security.port): {e}; who has it is shown the token by whoever calls there: end that \
             program, or name another port"
        )
    })
}

/// Takes calls until it is dropped; `most` connections at once, at a port as well if there is one.
pub async fn serve(socket: UnixListener, port: Option<TcpListener>, tools: Tools, most: usize) {
    let saving = tools.clone();
    let routes = http::routes(tools.clone());
    tokio::select! {
        () = door::serve(tools, socket, port, routes, most) => {}
        () = async { loop { tokio::time::sleep(std::time::Duration::from_secs(1)).await; saving.save(); } } => {}
    }
}
