//! What the program was called with.
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What `--help` says.
pub const HELP: &str = "\
exec-guard-approver: holds the questions of exec-guard until a person answers them

usage: exec-guard-approver [--socket PATH] [--state DIR] [--panel-port N] [--no-panel]

      --socket PATH   take questions on this socket (default: socket.path of the policy documents)
      --state DIR     keep journal, tickets and the operator's socket here (default: the folder of the documents)
      --panel-port N  serve the web page at this port of the loopback addresses (default: any that is free)
      --no-panel      serve no web page
      --version       say the version
      --help          say this

It runs in the foreground until SIGTERM or SIGINT. Questions are answered by `exec-guardctl approvals` or in the web
panel (`exec-guardctl panel`). exec-guard-approver(8) says more.
";

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Args {
    /// Say the version.
    Version,
    /// Say how it is used.
    Help,
    /// Serve.
    Serve(Serve),
}

/// How to serve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Serve {
    /// Where questions come in, if not where the documents say.
    pub socket: Option<PathBuf>,
    /// The state folder, if not that of the documents.
    pub state: Option<PathBuf>,
    /// No web page.
    pub no_panel: bool,
    /// The page's port; 0 for any.
    pub panel_port: u16,
}

/// Reads the words after the program's name.
///
/// # Errors
/// What is wrong with them, one clause.
pub fn read(words: impl Iterator<Item = OsString>) -> Result<Args, String> {
    let mut out = Serve::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let (name, inline) = split(&word);
        let mut path = |name: &str| -> Result<PathBuf, String> {
            let value = inline.clone().or_else(|| words.next()).ok_or(format!("{name} needs a path"))?;
            let path = PathBuf::from(value);
            // Another folder to be in must not mean another socket.
            if path.is_absolute() { Ok(path) } else { Err(format!("{name} needs an absolute path")) }
        };
        match name.to_str() {
            Some("--socket") => out.socket = Some(path("--socket")?),
            Some("--state") => out.state = Some(path("--state")?),
            Some("--panel-port") => {
                let value = inline.or_else(|| words.next());
                let port = value.as_deref().and_then(OsStr::to_str).and_then(|v| v.parse().ok());
                out.panel_port = port.ok_or("--panel-port needs a number up to 65535")?;
            }
            Some("--no-panel") if inline.is_none() => out.no_panel = true,
            Some("--version" | "-V") if inline.is_none() => return Ok(Args::Version),
            Some("--help" | "-h") if inline.is_none() => return Ok(Args::Help),
            _ => {
                let shown = protocol::Shown::text(word.as_encoded_bytes());
                return Err(format!("{shown} is not understood"));
            }
        }
    }
    Ok(Args::Serve(out))
}

/// `--name=value` in its two parts.
fn split(word: &OsStr) -> (OsString, Option<OsString>) {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = word.as_bytes();
    match bytes.iter().position(|b| *b == b'=') {
        Some(at) if bytes.starts_with(b"--") => {
            let part = |bytes: Option<&[u8]>| OsString::from_vec(bytes.unwrap_or_default().to_vec());
            (part(bytes.get(..at)), Some(part(bytes.get(at + 1..))))
        }
        _ => (word.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Result<Args, String> {
        read(words.iter().map(OsString::from))
    }

    #[test]
    fn words() {
        let serve = |socket: Option<&str>, state: Option<&str>, no_panel| {
            Ok(Args::Serve(Serve {
                socket: socket.map(PathBuf::from),
                state: state.map(PathBuf::from),
                no_panel,
                panel_port: 0,
            }))
        };
        assert_eq!(of(&[]), serve(None, None, false));
        assert_eq!(
            of(&["--socket", "/a", "--state=/b=c", "--no-panel"]),
            serve(Some("/a"), Some("/b=c"), true)
        );
        assert_eq!(of(&["--no-panel", "--version"]), Ok(Args::Version));
        assert_eq!(of(&["--help"]), Ok(Args::Help));
        for (words, what) in [
            (&["--socket"][..], "--socket needs a path"),
            (&["--state", "b"], "--state needs an absolute path"),
            (&["serve"], "serve is not understood"),
            (&["--panel-port", "65536"], "--panel-port needs a number up to 65535"),
            (&["--no-panel=yes"], "--no-panel=yes is not understood"),
            (&["--\u{1b}[2J"], "--\\x1b[2J is not understood"),
        ] {
            assert_eq!(of(words), Err(what.to_owned()));
        }
    }
}
