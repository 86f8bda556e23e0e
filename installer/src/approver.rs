//! `approver` and `panel`: the program that holds questions until a person answers them.
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command as Program, Stdio};
use std::time::{Duration, Instant};

use protocol::operator::{Answer, Command, Status};
use protocol::{Shown, shown};
use serde_json::json;
use sys::spawn::Side;

use crate::cli::{Approver, Panel};
use crate::exit::{Exit, Failure};
use crate::operator::{Address, Operator, Trouble, unexpected};
use crate::say::{self, Page, Tint};
use crate::when;

/// Name of the program, beside ours.
const PROGRAM: &str = "exec-guard-approver";
/// How long one that was started may take until it answers, and one that was stopped until it is gone.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long between two looks.
const AGAIN: Duration = Duration::from_millis(50);
/// As much of its last words is shown.
const MAX_WORDS: u64 = 4096;

/// Does it.
///
/// # Errors
/// It could not be started or stopped.
pub fn run(command: &Approver) -> Result<Exit, Failure> {
    match command {
        Approver::Start { no_panel } => start(*no_panel),
        Approver::Stop => stop(),
        Approver::Status { json } => status(*json),
    }
}

/// How the one at this address is.
///
/// # Errors
/// There is none, or it does not answer.
pub fn ask(address: &Address) -> Result<Status, Trouble> {
    match Operator::open(address)?.ask(&Command::Status)? {
        Answer::Status(status) => Ok(status),
        _ => Err(Trouble::Other("the approver answered something else than was asked".into())),
    }
}

/// The process of the approver that answers here, if one does.
pub fn running() -> Option<u64> {
    ask(&Address::known().ok()?).ok().map(|status| status.pid)
}

fn start(no_panel: bool) -> Result<Exit, Failure> {
    let address = Address::known()?;
    match ask(&address) {
        Ok(status) => {
            say::word("it is running already");
            return started(&status);
        }
        Err(Trouble::Absent(_)) => {}
        Err(e) => return Err(e.into()),
    }
    let own = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let program = own.with_file_name(PROGRAM);
    if !program.is_file() {
        return Err(Failure::not(format!("{} is not installed beside exec-guardctl", PROGRAM))
            .advise(format!("it is looked for at {}", shown(&program))));
    }
    // Its words go where they can be read after it failed, or later.
    let log = crate::approvals::state().map(|state| state.join("approver.log"));
    let log = log.ok_or_else(|| Failure::not("there is no folder for its state"))?;
    if let Some(folder) = log.parent() {
        sys::edit::private_folder(folder).map_err(|e| Failure::trouble(format!("{}: {e}", shown(folder))))?;
    }
    let open = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&log);
    let mut words = open.map_err(|e| Failure::trouble(format!("{}: {e}", shown(&log))))?;
    let begin = words.metadata().map_or(0, |m| m.len());
    let mut child = match sys::spawn::detach() {
        Err(e) => return Err(Failure::trouble(format!("no process could be started: {e}"))),
        Ok(Side::Caller(child)) => child,
        Ok(Side::Detached) => {
            let mut command = Program::new(&program);
            command.args(no_panel.then_some("--no-panel")).current_dir("/").stdin(Stdio::null());
            let err = words.try_clone().map_or_else(|_| Stdio::null(), Stdio::from);
            let e = command.stdout(Stdio::null()).stderr(err).exec();
            use std::io::Write;
            let _ = writeln!(words, "{PROGRAM}: {e}");
            sys::spawn::leave(125)
        }
    };
    let until = Instant::now() + PATIENCE;
    loop {
        // It may have written a token into the documents.
        match Address::known().map(|address| ask(&address)) {
            Ok(Ok(status)) if i64::try_from(status.pid) == Ok(child.pid().into()) => {
                return started(&status);
            }
            // Somebody else was quicker. Ours must be gone first: it would take the place of one that is stopped soon.
            Ok(Ok(status)) if child.ended().is_some() => {
                say::word("it is running already");
                return started(&status);
            }
            Ok(Ok(_)) => {}
            Ok(Err(Trouble::Absent(_) | Trouble::Ended(_) | Trouble::Other(_))) | Err(_) => {}
            Ok(Err(e)) => return Err(e.into()),
        }
        let ended = child.ended();
        // Where another one has the lock, it is that one that is waited for.
        let coming = ended.is_none() || lock().as_deref().is_some_and(sys::edit::is_held);
        if coming && Instant::now() < until {
            std::thread::sleep(AGAIN);
            continue;
        }
        let mut said = String::new();
        let _ = words.seek(SeekFrom::Start(begin));
        let _ = words.take(MAX_WORDS).read_to_string(&mut said);
        for line in said.lines() {
            say::word(line);
        }
        return Err(Failure::trouble(match ended {
            Some(code) => format!("the approver ended with code {code} before it answered"),
            None => format!("the approver does not answer after {} s", PATIENCE.as_secs()),
        })
        .advise(format!("its words are in {}", shown(&log))));
    }
}

/// What a running approver holds.
fn lock() -> Option<PathBuf> {
    crate::approvals::state().map(|state| state.join("approver/lock"))
}

fn stop() -> Result<Exit, Failure> {
    let address = Address::known()?;
    let told = Operator::open(&address).and_then(|mut operator| operator.ask(&Command::Shutdown));
    match told {
        Err(Trouble::Absent(_)) => {
            say::word("no approver is running");
            return Ok(Exit::Done);
        }
        // It may be gone before its answer is read.
        Ok(Answer::Done) | Err(Trouble::Ended(_)) => {}
        Ok(_) => return Err(unexpected()),
        Err(e) => return Err(e.into()),
    }
    let lock = lock();
    let until = Instant::now() + PATIENCE;
    while matches!(ask(&address), Ok(_) | Err(Trouble::Ended(_)))
        || lock.as_deref().is_some_and(sys::edit::is_held)
    {
        if Instant::now() >= until {
            return Err(Failure::trouble("the approver was told to stop and still runs"));
        }
        std::thread::sleep(AGAIN);
    }
    say::word("the approver has stopped");
    Ok(Exit::Done)
}

fn status(json: bool) -> Result<Exit, Failure> {
    match ask(&Address::known()?) {
        Ok(status) => print(&status, json),
        Err(trouble) => {
            let exit = if matches!(trouble, Trouble::Absent(_)) { Exit::Not } else { Exit::Trouble };
            let failure = Failure::from(trouble);
            if !json {
                return Err(Failure { exit, ..failure });
            }
            let mut page = Page::new();
            page.json(&json!({"running": false, "why": failure.what}));
            page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
            Ok(exit)
        }
    }
}

/// It runs. Where it lacks something that it was to serve, whoever starts it must learn that: a port that another program has
/// is one at which that program is shown what is meant for us.
fn started(status: &Status) -> Result<Exit, Failure> {
    let exit = print(status, false)?;
    if status.faults.is_empty() {
        return Ok(exit);
    }
    say::word("it runs, and does not serve all that it was told to");
    Ok(Exit::Not)
}

fn print(status: &Status, json: bool) -> Result<Exit, Failure> {
    let mut page = Page::new();
    if json {
        let mut value = status.to_json();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("running".into(), true.into());
        }
        page.json(&value);
    } else {
        let zone = when::now().time_zone().clone();
        let since = when::local(status.started_at_ms, &zone);
        page.tinted(
            Tint::Green,
            format!("running since {since} (process {}, {})", status.pid, status.version),
        );
        page.line(format!("asked at  {}", status.socket));
        match &status.panel {
            Some(panel) => page.line(format!("panel     {panel} (enter by: exec-guardctl panel)")),
            None => page.line("panel     none"),
        }
        page.line(match status.waiting {
            0 => "no question waits".to_owned(),
            1 => "1 question waits (exec-guardctl approvals pending)".to_owned(),
            n => format!("{n} questions wait (exec-guardctl approvals pending)"),
        });
        for fault in &status.faults {
            let fault = Shown::text(fault.as_bytes());
            page.tinted(Tint::Red, format!("missing   {fault}"));
        }
        if status.sessions > 0 {
            page.tinted(
                Tint::Yellow,
                format!("overrides in force: {} (exec-guardctl session list)", status.sessions),
            );
        }
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(Exit::Done)
}

/// `panel`: a link, once.
///
/// # Errors
/// No approver is running, or it has no panel.
pub fn panel(args: &Panel) -> Result<Exit, Failure> {
    let link = match Operator::open(&Address::known()?)?.ask(&Command::PanelLink) {
        Ok(Answer::Link(link)) => link,
        Ok(_) => return Err(unexpected()),
        Err(Trouble::Refused(protocol::Code::Unknown, detail)) => {
            return Err(Failure::not(detail.unwrap_or_else(|| "there is no panel".into())));
        }
        Err(e) => return Err(e.into()),
    };
    let plain =
        link.strip_prefix("http://").is_some_and(|rest| !rest.contains(|c: char| !c.is_ascii_graphic()));
    if !plain {
        return Err(Failure::trouble(format!(
            "the approver gave something that is no link: {}",
            Shown::text(link.as_bytes())
        )));
    }
    let mut page = Page::new();
    page.line(&link);
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    let nowhere = ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none());
    if args.open && nowhere {
        say::word("there is no display here, so nothing was opened: open the link in a browser of yours");
    } else if args.open {
        let opener: PathBuf = "xdg-open".into();
        let started = Program::new(&opener)
            .arg(&link)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match started {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(Failure::not(format!("xdg-open: {status}"))),
            Err(e) => return Err(Failure::not(format!("xdg-open: {e}"))),
        }
    }
    say::word("it lets one browser in, once, within two minutes; what follows # or ? is a secret");
    Ok(Exit::Done)
}
