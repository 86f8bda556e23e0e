//! Which documents rule, and what of them is for the guard itself.
use std::path::PathBuf;

use policy::document::{JournalText, Policy, SocketSettings, SubmitSettings, Tty};
use policy::tables::marks::Marks;
use store::edit::Target;
use store::journal::Journal;

/// Where things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Home of the user database; `None` for an id it does not know.
    pub home: Option<PathBuf>,
    /// The guard's folders: `$EXEC_GUARD_HOME`, the one in the home, the system's.
    pub folders: Vec<PathBuf>,
    at: store::Places,
}

/// Settings of the guard itself.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a person has to answer, milliseconds.
    pub timeout_ms: u64,
    /// How long we wait ourselves, milliseconds: where that is less, the question is left behind unanswered.
    pub patience_ms: u64,
    /// A yes that came by an approver is left for the guard that follows: we are a hook and run nothing ourselves.
    pub leaves_grant: bool,
    /// Whether the terminal is asked.
    pub tty: Tty,
    /// A decision that cannot be written down is a refusal.
    pub journal_required: bool,
    /// Command text stands in the journal as it is, secrets included.
    pub journal_full: bool,
    /// Where records go; `None` if there is no place.
    pub journal: Option<Journal>,
    /// Where locks lie; `None` if there is no place.
    pub state: Option<PathBuf>,
    /// The document that *always allow* is written to; `None` if there is no place.
    pub editable: Option<Target>,
    /// A hook has the agent run what was judged.
    pub hook_rewrite: bool,
    /// Tools from elsewhere that run nothing here.
    pub hook_quiet: Vec<String>,
    /// Where an approver is.
    pub socket: SocketSettings,
    /// When a long run is announced, milliseconds.
    pub notice_ms: u64,
    /// What is kept of commands that nobody waits for.
    pub submit: SubmitSettings,
    /// Signs by which a calling agent is known.
    pub marks: Marks,
}

/// Finds the places.
///
/// # Errors
///
/// Why they cannot be told: then nothing may run.
pub fn places(env: &[Vec<u8>]) -> Result<Places, String> {
    let at = store::Places::known(env).map_err(|e| e.to_string())?;
    let folders =
        [at.named.clone(), at.user_folder(), Some(at.system.clone())].into_iter().flatten().collect();
    Ok(Places { home: at.home.clone(), folders, at })
}

/// Reads the documents.
///
/// # Errors
///
/// What is wrong with a document, and what to do: then nothing may run.
pub fn load(places: &Places) -> Result<(Policy, Settings), String> {
    let loaded = store::load(&places.at).map_err(|e| e.to_string())?;
    // What depends on an agent among these is how long a person has: the caller's agent is not known yet.
    let s = loaded.policy.settings("main");
    let signs = store::caller::signs(&s);
    let settings = Settings {
        timeout_ms: s.approval_timeout_ms,
        patience_ms: u64::MAX,
        leaves_grant: false,
        tty: s.tty,
        journal_required: s.journal.required,
        journal_full: s.journal.text == JournalText::Full,
        journal: loaded.state.as_deref().map(|state| Journal::new(state, s.journal.max_bytes)),
        state: loaded.state,
        editable: loaded.editable,
        hook_rewrite: s.hook_rewrite,
        hook_quiet: s.hook_quiet,
        socket: s.socket,
        notice_ms: s.running_notice_ms,
        submit: s.submit,
        marks: signs,
    };
    Ok((loaded.policy, settings))
}
