//! From the documents to three sockets that are listened at, in an order that matters.
//!
//! ```text
//!  documents   whose socket, which token: what cannot be believed stops here
//!  lock        the state folder is ours alone: from here on no second approver touches a socket
//!  sockets     handed over by systemd, or bound; one at which nobody listens any more is put out of the way
//!  desk        with what an earlier approver left
//!  closed      no privileges to gain any more, and no other process of this user traces us or reads our memory
//!  serve       until SIGTERM, SIGINT, SIGHUP or an operator's word; then no new question, and those that wait are told
//! ```
use std::io;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use policy::document::SocketSettings;
use protocol::shown;
use store::journal::Journal;
use store::locate::OPERATOR;
use sys::socket::{Activated, Audience, activated, bind};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::Serve;
use crate::desk::Limits;
use crate::handle::{Handle, Parts};
use crate::keeper::Keeper;
use crate::rules::{Documents, Rules};
use crate::tools::Tools;
use crate::{desktop, listen, operator, panel, tools};

/// Descriptors that are kept for everything but questions: operators, the panel, documents, the journal.
const SPARE: u64 = 256;

/// Descriptors there are where nobody says how many.
const FEW: u64 = 1_024;

/// Connections for questions at most.
const MOST: usize = 32_768;

/// Longest time in which those that wait are told that we stop.
const GOODBYE: Duration = Duration::from_secs(2);

/// Everything is ready to be served.
pub struct Ready {
    handle: Handle,
    asking: UnixListener,
    operator: UnixListener,
    calls: UnixListener,
    tools: Tools,
    /// The page's port; 0 for any, `None` for no page.
    panel: Option<u16>,
    /// Sockets that we bound, and remove when we stop.
    ours: Vec<PathBuf>,
}

/// Gets everything ready, or says what is in the way, where, and what to do about it.
///
/// # Errors
/// One or two sentences for a person.
pub fn prepare(args: &Serve) -> Result<Ready, String> {
    let env = sys::environ::entries();
    // First of all, as long as nothing else has been opened.
    let handed = activated(&env).map_err(|e| format!("the sockets that systemd hands over: {e}"))?;
    let places = store::Places::known(&env).map_err(|e| e.to_string())?;
    let home = places.home.clone();
    let rules = Rules::new(places);
    let documents = rules.current()?;
    let state = args.state.clone().or_else(|| documents.state().cloned()).ok_or(
        "there is no folder for state: the user database names no home for this user; name one with --state",
    )?;
    sys::edit::private_folder(&state).map_err(|e| format!("{}: {e}", shown(&state)))?;
    let mut keeper = Keeper::open(&state).map_err(|e| match e.kind() {
        io::ErrorKind::TimedOut => format!("another approver runs already with {}", shown(&state)),
        _ => format!("{}: {e}", shown(&state.join("approver"))),
    })?;
    if let Some(theirs) = documents.state() {
        keeper.guards_look_into(theirs).map_err(|e| format!("{}: {e}", shown(theirs)))?;
    }
    if documents.token.is_none() {
        make_token(&documents)?;
        rules.changed();
    }
    let documents = rules.current()?;
    let settings = &documents.settings;
    if documents.token.is_none() {
        // A layer that we do not write names the socket.
        return Err("the document that names the socket has no socket.token; write one into it".into());
    }
    let mut sockets = Sockets::new(handed);
    let asking = place(args.socket.clone(), &settings.socket, home.as_deref(), &state)?;
    let audience = if settings.socket.allow_uids.is_empty() { Audience::Own } else { Audience::Listed };
    let (asking, asked_at) = sockets.take(b"ask", asking, audience)?;
    let (operator, _) = sockets.take(b"operator", state.join(OPERATOR), Audience::Own)?;
    // Others than us only where the documents say that they are gateways; who they are is looked at with each call.
    let gateways =
        ::tools::config::Settings::of(documents.policy()).is_ok_and(|s| !s.gateway_uids.is_empty());
    let audience = if gateways { Audience::Listed } else { Audience::Own };
    let (calls, _) = sockets.take(b"tools", state.join(::tools::SOCKET), audience)?;
    let handle = Handle::new(Parts {
        rules,
        keeper,
        journal: Some(Journal::new(&state, settings.journal.max_bytes)),
        socket: shown(&asked_at),
        limits: Limits { owner: Some(sys::ids::uid()), ..Limits::default() },
    })
    .map_err(|e| format!("no thread for the journal: {e}"))?;
    let panel = (!args.no_panel).then_some(args.panel_port);
    let tools = Tools::new(handle.clone(), &state);
    Ok(Ready { handle, asking, operator, calls, tools, panel, ours: sockets.ours })
}

/// Writes a token into the document, so that guards and operators can prove themselves.
fn make_token(documents: &Documents) -> Result<(), String> {
    let target =
        documents.editable().ok_or("there is no place for a policy document; run exec-guardctl init")?;
    let mut bytes = [0u8; 32];
    sys::edit::random(&mut bytes).map_err(|e| format!("/dev/urandom: {e}"))?;
    let token = protocol::encode::hex(&bytes);
    store::edit::edit(target, |doc| {
        let doc = doc.as_object_mut().ok_or("the document is no object")?;
        let socket = doc.entry("socket").or_insert(serde_json::Value::Null);
        if socket.is_null() {
            *socket = serde_json::json!({});
        }
        let socket = socket.as_object_mut().ok_or("socket is no object")?;
        socket.insert("token".into(), token.into());
        Ok(())
    })
    .map_err(|e| format!("{}: no token for the socket could be written: {e}", shown(&target.path)))
}

/// Where questions come in.
fn place(
    flag: Option<PathBuf>,
    settings: &SocketSettings,
    home: Option<&Path>,
    state: &Path,
) -> Result<PathBuf, String> {
    if let Some(path) = flag {
        return Ok(path);
    }
    let Some(text) = &settings.path else { return Ok(state.join("exec-approvals.sock")) };
    let path = match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) => return Err(format!("socket.path {text}: the user database names no home")),
        (None, _) => PathBuf::from(text),
    };
    if path.is_absolute() { Ok(path) } else { Err(format!("socket.path {text} is no absolute path")) }
}

struct Sockets {
    handed: Vec<Activated>,
    ours: Vec<PathBuf>,
}

impl Sockets {
    fn new(handed: Vec<Activated>) -> Sockets {
        Sockets { handed, ours: Vec::new() }
    }

    /// The socket that was handed over under that name, or at that path, or else bound there.
    fn take(
        &mut self,
        name: &[u8],
        path: PathBuf,
        audience: Audience,
    ) -> Result<(UnixListener, PathBuf), String> {
        let fits = |a: &Activated| a.name == name || a.path.as_deref() == Some(&path);
        if let Some(at) = self.handed.iter().position(fits) {
            let a = self.handed.swap_remove(at);
            return Ok((a.listener, a.path.unwrap_or(path)));
        }
        let listener = bind(&path, audience).map_err(|e| {
            let advice = match e.kind() {
                io::ErrorKind::AddrInUse => "; name another socket with --socket, or stop what listens there",
                io::ErrorKind::PermissionDenied => {
                    "; its folder and those above it must be yours or root's alone"
                }
                _ => "",
            };
            format!("{}: cannot listen there: {e}{advice}", shown(&path))
        })?;
        self.ours.push(path.clone());
        Ok((listener, path))
    }
}

impl Ready {
    /// The desk, for those who serve it in other ways as well.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Serves until it is told to stop.
    ///
    /// # Errors
    /// It could not begin: what is in the way.
    pub fn serve(self) -> Result<(), String> {
        // An agent under the same user could speak through us, or read the token and what is answered out of our memory.
        if let Err(e) = sys::limit::close_to_others() {
            crate::say(&format!("other processes of this user can look into this one: {e}"));
        }
        // A connection is a descriptor: without that a thousand waiting questions would be too many.
        let files = sys::limit::raise_files().unwrap_or_else(|e| {
            crate::say(&format!("the limit on open files could not be raised: {e}"));
            FEW
        });
        let most = usize::try_from(files.saturating_sub(SPARE)).unwrap_or(usize::MAX).clamp(16, MOST);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| format!("no runtime: {e}"))?;
        let done = runtime.block_on(self.run(most));
        runtime.shutdown_timeout(GOODBYE);
        done
    }

    async fn run(self, most: usize) -> Result<(), String> {
        let Ready { handle, asking, operator, calls, tools, panel, ours } = self;
        let signals = |kind| signal(kind).map_err(|e| format!("no signal handler: {e}"));
        let (mut term, mut int) = (signals(SignalKind::terminate())?, signals(SignalKind::interrupt())?);
        // Also where the terminal it was started in is closed.
        let mut hangup = signals(SignalKind::hangup())?;
        let listener = |l: UnixListener| {
            l.set_nonblocking(true)?;
            tokio::net::UnixListener::from_std(l)
        };
        let asking = listener(asking).map_err(|e| format!("the asking socket: {e}"))?;
        let operator = listener(operator).map_err(|e| format!("the operator's socket: {e}"))?;
        let calls = listener(calls).map_err(|e| format!("the socket for tools: {e}"))?;
        // Every user of the machine can take a port. Who does must not keep questions from being held and answered: what has
        // no port goes without, and says so.
        let port = tools::port(&tools).await.unwrap_or_else(|e| {
            handle.add_fault(&e);
            Vec::new()
        });
        let page = match panel {
            Some(port) => panel::listen(handle.clone(), port).await.inspect_err(|e| handle.add_fault(e)).ok(),
            None => None,
        };
        // Before anybody is answered how we do.
        if let Some(page) = &page {
            handle.set_panel(page.entry());
        }
        let of_tools = (most / 4).min(tools::MOST);
        let mut taking = vec![
            tokio::spawn(listen::serve(asking, handle.clone(), most - of_tools)),
            tokio::spawn(operator::serve(operator, handle.clone())),
            tokio::spawn(tools::serve(calls, port, tools.clone(), of_tools)),
        ];
        if let Some(page) = page {
            taking.push(tokio::spawn(page.serve()));
        }
        taking.push(tokio::spawn(desktop::serve(handle.clone())));
        let time = tokio::spawn({
            let handle = handle.clone();
            async move { handle.keep_time().await }
        });
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
            _ = hangup.recv() => {}
            () = handle.stopped() => {}
        }
        handle.stop();
        for task in &taking {
            task.abort();
        }
        for path in ours {
            // Whoever comes now finds nobody, and need not wait to learn it.
            let _ = std::fs::remove_file(path);
        }
        handle.goodbye(GOODBYE).await;
        time.abort();
        tools.save();
        Ok(())
    }
}
