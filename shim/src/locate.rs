//! Which documents rule, and what of them is for the guard itself.
use std::path::PathBuf;

use policy::document::Policy;

/// The guard's own folder inside a home.
const FOLDER: &str = ".exec-guard";

/// Where things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Home of the user database; `None` for an id it does not know.
    pub home: Option<PathBuf>,
    /// The guard's folders, the nearest first: `$EXEC_GUARD_HOME`, then the one in the home.
    pub folders: Vec<PathBuf>,
}

/// Settings of the guard itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long a person has to answer, milliseconds.
    pub timeout_ms: u64,
    /// False if the terminal is never asked.
    pub tty: bool,
    /// A decision that cannot be written down is a refusal.
    pub journal_required: bool,
    /// Command text stands in the journal as it is, secrets included.
    pub journal_full: bool,
    /// Where locks and the journal lie; `None` if there is no place.
    pub state: Option<PathBuf>,
}

/// Finds the places.
pub fn places(env: &[Vec<u8>]) -> Places {
    use std::os::unix::ffi::OsStrExt;
    let home = sys::ids::user(sys::ids::uid()).map(|u| u.home);
    let named = sys::environ::value(env, b"EXEC_GUARD_HOME").filter(|v| v.first() == Some(&b'/'));
    let named = named.map(|v| PathBuf::from(std::ffi::OsStr::from_bytes(v)));
    let folders = named.into_iter().chain(home.as_ref().map(|h| h.join(FOLDER))).collect();
    Places { home, folders }
}

/// Reads the documents.
///
/// # Errors
///
/// What is wrong with a document, and what to do: then nothing may run.
pub fn load(places: &Places) -> Result<(Policy, Settings), String> {
    let settings = Settings {
        timeout_ms: 120_000,
        tty: true,
        journal_required: false,
        journal_full: false,
        state: places.folders.first().cloned(),
    };
    Ok((Policy::default(), settings))
}
