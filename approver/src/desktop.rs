//! A question that waits is announced on the desktop, if the documents say so (`approvals.desktop`): by notify-send(1), and
//! who clicks there gets the panel.
//!
//! What is shown was made visible, has its secrets masked, and means nothing to whoever draws it. No shell is started: the
//! programs are found in absolute folders of PATH and get their words one by one.
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

use protocol::operator::{EventKind, Row};
use protocol::{Shown, mask_text};
use serde_json::Value;
use tokio::process::Command;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinHandle;

use crate::handle::Handle;

/// Announcements at once. Who is asked more than that at a time looks at the panel anyway.
const MOST: usize = 3;

/// What notify-send(1) writes when somebody clicks.
const OPEN: &str = "open";

/// Announces until it is dropped.
pub async fn serve(handle: Handle) {
    let mut events = handle.watch_for_nobody();
    let mut shown: BTreeMap<String, JoinHandle<()>> = BTreeMap::new();
    loop {
        let event = match events.recv().await {
            Ok(event) => event,
            // What was missed is not announced any more.
            Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        let Some(id) = event.id.clone() else { continue };
        match (event.kind, &event.row) {
            (EventKind::Requested, Some(row)) if wanted(&handle) => {
                shown.retain(|_, task| !task.is_finished());
                if shown.len() < MOST {
                    shown.insert(id, tokio::spawn(announce(handle.clone(), row.clone())));
                }
            }
            (EventKind::Resolved, _) => {
                if let Some(task) = shown.remove(&id) {
                    // With it ends the program.
                    task.abort();
                }
            }
            _ => {}
        }
    }
}

/// True if the documents want it.
fn wanted(handle: &Handle) -> bool {
    let documents = handle.rules().current();
    documents.is_ok_and(|d| {
        let section = d.policy().section("approvals").and_then(|(_, v)| v.get("desktop"));
        section == Some(&Value::Bool(true))
    })
}

/// Announces one question, and opens the panel if somebody clicks.
async fn announce(handle: Handle, row: Row) {
    let Some(program) = find("notify-send") else {
        return crate::say("approvals.desktop: there is no notify-send in PATH");
    };
    let panel = handle.panel();
    let left = row.expires_at_ms.saturating_sub(sys::time::now_ms());
    let mut command = Command::new(program);
    command.args(words(&row, left, panel.is_some()));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let said = match command.output().await {
        Ok(out) => out.stdout,
        Err(e) => return crate::say(&format!("approvals.desktop: notify-send: {e}")),
    };
    let clicked = said.trim_ascii() == OPEN.as_bytes();
    if let (true, Some(panel)) = (clicked, panel) {
        // By a task of its own: the answer that follows ends this one.
        tokio::spawn(open(panel.link(crate::peer::Work::default())));
    }
}

async fn open(link: String) {
    let Some(program) = find("xdg-open") else {
        return crate::say("approvals.desktop: there is no xdg-open in PATH");
    };
    let mut command = Command::new(program);
    command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(e) = command.status().await {
        crate::say(&format!("approvals.desktop: xdg-open: {e}"));
    }
}

/// The words for notify-send(1), without its name.
fn words(row: &Row, left_ms: u64, panel: bool) -> Vec<String> {
    let agent = Shown::text(row.agent.as_bytes());
    let command = mask_text(row.command.as_bytes());
    let more = if row.cut { " …" } else { "" };
    let cwd = row.cwd.as_deref().map(|d| format!("\nin {}", Shown::text(d.as_bytes()))).unwrap_or_default();
    let command = Shown::text(&command);
    let mut out = vec![
        "--app-name=exec-guard".to_owned(),
        "--category=exec-guard.question".to_owned(),
        format!("--expire-time={}", left_ms.clamp(1_000, 120_000)),
    ];
    if panel {
        out.push(format!("--action={OPEN}=Open panel"));
    }
    // Behind this nothing is an option.
    out.push("--".to_owned());
    out.push(format!("{agent} asks to run a command"));
    out.push(plain(&format!("{command}{more}{cwd}")));
    out
}

/// Text that stays what it is: in the body a notification may have markup, and notify-send(1) reads backslashes.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' => out.push_str("\\\\"),
            c => out.push(c),
        }
    }
    out
}

/// The program of that name in an absolute folder of PATH.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(name)).find(|file| {
        std::fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::operator::State;

    #[test]
    fn what_is_shown_is_visible_masked_and_no_markup() {
        let row = Row {
            id: "x".into(),
            state: State::Waiting,
            agent: "<b>a".into(),
            session: None,
            command: "curl --password=hunter2 '<b>&\\x1b[2J' $'\\n'".into(),
            cut: true,
            cwd: Some("/w/\u{202e}".into()),
            ground: "allowlist-miss".into(),
            asked_at_ms: 0,
            expires_at_ms: 0,
            detached: false,
            scopes: Vec::new(),
            choice: None,
            by: None,
            reason: None,
            stored: Vec::new(),
            tool: None,
        };
        let all = words(&row, 5, true);
        let [.., end, title, body] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((end.as_str(), title.as_str()), ("--", "<b>a asks to run a command"));
        assert!(!body.contains("hunter2") && !body.contains(['<', '\u{202e}']), "{body}");
        assert!(
            body.contains("'&lt;b&gt;&amp;\\\\x1b[2J'") && body.contains("\nin /w/\\\\u{202e}"),
            "{body}"
        );
        assert!(all.contains(&"--expire-time=1000".to_owned()));
        assert!(all.iter().any(|w| w == "--action=open=Open panel"));
        assert!(!words(&row, 5, false).iter().any(|w| w.contains("--action")));
    }
}
