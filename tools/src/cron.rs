//! The user's crontab: entries that were made here, each of which has exec-guard judge its command again when it runs.
//!
//! ```text
//! # exec-guard:ID                                   made here, and the only lines that are touched
//! 0 4 * * * /path/to/exec-guard -c 'git fetch'
//! ```
//!
//! The table is read by `crontab -l` and replaced as a whole by `crontab -`, under a lock of ours.
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::call::What;
use crate::result::{Code, CronEntry, Outcome, ToolResult};

/// Begins the line in front of an entry of ours.
const MARK: &str = "# exec-guard:";
/// Most entries of ours.
const MOST: usize = 200;
/// How long the lock is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Words in place of five fields (crontab(5)).
const WORDS: &[&str] =
    &["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually", "@reboot"];

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Show the entries.
    List,
    /// Add one.
    Add {
        /// When.
        schedule: String,
    },
    /// Take one away.
    Remove {
        /// Which.
        id: String,
    },
}

impl Wish {
    /// What the arguments say.
    ///
    /// # Errors
    /// Which of them is wrong.
    pub fn of(args: &Map<String, Value>) -> Result<Wish, ToolResult> {
        let bad = |what: &str| Err(ToolResult::no(Code::InvalidField, what));
        let text = |name: &str| args.get(name).and_then(Value::as_str);
        match text("action") {
            Some("list") => Ok(Wish::List),
            Some("add") => match text("schedule").map(str::trim) {
                Some(s) if is_schedule(s) => Ok(Wish::Add { schedule: s.to_owned() }),
                Some(_) => bad("schedule: neither five fields of a crontab nor one of its words"),
                None => bad("schedule: missing"),
            },
            Some("remove") => match text("id") {
                Some(id) if is_id(id) => Ok(Wish::Remove { id: id.to_owned() }),
                _ => bad("id: missing, or none"),
            },
            _ => bad("action: neither add, list nor remove"),
        }
    }
}

fn is_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

fn is_schedule(text: &str) -> bool {
    let field = |f: &str| {
        !f.is_empty()
            && f.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'*' | b'/' | b',' | b'-'))
    };
    WORDS.contains(&text) || (text.split(' ').count() == 5 && text.split(' ').all(field))
}

/// The crontab of this user.
#[derive(Debug)]
pub struct Crontab {
    program: PathBuf,
    guard: PathBuf,
    lock: PathBuf,
}

impl Crontab {
    /// By this program, or the system's. `guard` is what entries call.
    ///
    /// # Errors
    /// There is no such program.
    pub fn new(program: Option<&Path>, guard: Option<PathBuf>, state: &Path) -> Result<Crontab, ToolResult> {
        let no = |what: &str| ToolResult::no(Code::Failed, what);
        let found =
            program.map(Path::to_path_buf).or_else(|| sys::cage::find("crontab", &["/usr/bin", "/bin"]));
        let program = found.ok_or_else(|| no("there is no crontab on this machine"))?;
        let guard = guard.ok_or_else(|| no("exec-guard is not beside this program, and entries call it"))?;
        Ok(Crontab { program, guard, lock: state.join("tools/cron.lock") })
    }

    /// Does it; the entries there are then.
    ///
    /// # Errors
    /// Why not, in a sentence.
    pub fn grant(&self, wish: &Wish, what: Option<&What>) -> ToolResult {
        match self.change(wish, what) {
            Ok(entries) => ToolResult::yes(Outcome::Cron { entries }),
            Err(e) => ToolResult::no(Code::Failed, format!("the crontab: {e}")),
        }
    }

    fn change(&self, wish: &Wish, what: Option<&What>) -> io::Result<Vec<CronEntry>> {
        if let Some(folder) = self.lock.parent() {
            sys::edit::private_folder(folder)?;
        }
        let _lock = sys::edit::lock(&self.lock, PATIENCE)?;
        let table = self.read()?;
        let new = match wish {
            Wish::List => return Ok(entries(&table)),
            Wish::Remove { id } => {
                if !entries(&table).iter().any(|e| e.id == *id) {
                    return Err(io::Error::other("no entry that was made here has that id"));
                }
                without(&table, id)
            }
            Wish::Add { schedule } => {
                if entries(&table).len() >= MOST {
                    return Err(io::Error::other(format!("{MOST} entries were made here already")));
                }
                let command = what.ok_or_else(|| io::Error::other("no command"))?;
                let line = self.line(schedule, command)?;
                let gap = if table.is_empty() || table.ends_with('\n') { "" } else { "\n" };
                format!("{table}{gap}{MARK}{}\n{line}\n", sys::edit::uuid())
            }
        };
        self.write(&new)?;
        Ok(entries(&self.read()?))
    }

    /// `SCHEDULE GUARD -c 'TEXT'`. A percent sign would end the line for cron, unless a backslash stands before it:
    /// crontab(5).
    fn line(&self, schedule: &str, what: &What) -> io::Result<String> {
        let guard = self.guard.to_str().ok_or_else(|| io::Error::other("exec-guard's path is no text"))?;
        let words = match what {
            What::Text(text) => format!("{} -c {}", quoted(guard), quoted(text)),
            What::Words(words) => {
                let words: Vec<String> = words.iter().map(|w| quoted(w)).collect();
                format!("{} -- {}", quoted(guard), words.join(" "))
            }
        };
        if words.contains(['\n', '\r']) {
            return Err(io::Error::other("a command of several lines has no place in it"));
        }
        Ok(format!("{schedule} {}", words.replace('%', "\\%")))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().env("PATH", crate::sandbox::PATH).env("LC_ALL", "C");
        for name in ["HOME", "LOGNAME", "USER"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    fn read(&self) -> io::Result<String> {
        let out = self.command().arg("-l").stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&out.stderr);
        match out.status.success() {
            true => String::from_utf8(out.stdout).map_err(|_| io::Error::other("it is no text")),
            // Who has none gets an error and that word.
            false if said.contains("no crontab") => Ok(String::new()),
            false => Err(io::Error::other(protocol::Shown::text(said.trim().as_bytes()).into_string())),
        }
    }

    fn write(&self, table: &str) -> io::Result<()> {
        let mut child = self
            .command()
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(table.as_bytes())?;
        }
        let out = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&out.stderr);
        match out.status.success() {
            true => Ok(()),
            false => Err(io::Error::other(protocol::Shown::text(said.trim().as_bytes()).into_string())),
        }
    }
}

/// A word for the shell, in which no backslash stands before another one or a percent sign: cron would take the pair for
/// one sign, some for `%` alone. Two quotes between them are nothing to the shell.
fn quoted(word: &str) -> String {
    let mut out = String::from("'");
    let mut signs = word.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\'' => out.push_str("'\\''"),
            '\\' if matches!(signs.peek(), Some('\\' | '%')) => out.push_str("\\''"),
            sign => out.push(sign),
        }
    }
    out.push('\'');
    out
}

/// The entries that were made here.
fn entries(table: &str) -> Vec<CronEntry> {
    let mut out = Vec::new();
    let mut lines = table.lines();
    while let Some(line) = lines.next() {
        let Some(id) = line.strip_prefix(MARK).filter(|id| is_id(id)) else { continue };
        let Some(entry) = lines.next() else { break };
        if !is_made(entry) {
            continue;
        }
        let fields = if entry.starts_with('@') { 1 } else { 5 };
        let at = entry.match_indices(' ').nth(fields - 1).map_or(entry.len(), |(at, _)| at);
        let (schedule, command) = entry.split_at(at);
        out.push(CronEntry {
            id: id.to_owned(),
            schedule: schedule.to_owned(),
            command: command.trim_start().replace("\\%", "%"),
        });
    }
    out
}

/// True of a line as it is made here: behind its schedule it starts the guard.
fn is_made(entry: &str) -> bool {
    let fields = if entry.starts_with('@') { 1 } else { 5 };
    let command = entry.splitn(fields + 1, ' ').nth(fields).unwrap_or_default();
    let guard =
        command.split_once(" -c ").or_else(|| command.split_once(" -- ")).map_or("", |(guard, _)| guard);
    guard.trim_matches('\'').ends_with("/exec-guard")
}

/// The table without one entry of ours; everything else as it was.
fn without(table: &str, id: &str) -> String {
    let mut out = String::new();
    let mut lines = table.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if line.trim_end().strip_prefix(MARK) == Some(id) {
            // Whatever else stands there now is somebody's.
            out.extend(lines.next().filter(|entry| !is_made(entry)));
            continue;
        }
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schedules() {
        for (text, want) in [
            ("0 4 * * *", true),
            ("*/5 0-6,8 1 JAN mon", true),
            ("@daily", true),
            ("@every", false),
            ("0 4 * *", false),
            ("0 4 * * * root", false),
            ("0 4 * * *\n0 5", false),
            ("0 4 * * %", false),
            ("", false),
        ] {
            assert_eq!(is_schedule(text), want, "{text:?}");
        }
        let of = |v: Value| Wish::of(v.as_object().unwrap()).map_err(|r| r.error.unwrap());
        assert_eq!(of(json!({"action": "list"})), Ok(Wish::List));
        assert!(of(json!({"action": "add", "schedule": "@reboot now"})).unwrap_err().starts_with("schedule"));
        assert!(of(json!({"action": "remove", "id": "x"})).unwrap_err().starts_with("id"));
        assert!(of(json!({})).unwrap_err().starts_with("action"));
    }

    /// What cron makes of the command of a line, and its standard input: `do_command.c` of Vixie cron (`pairs`: it takes
    /// two backslashes for one) and of cronie.
    fn by_cron(line: &str, pairs: bool) -> (String, Option<String>) {
        let (mut out, mut escaped) = (String::new(), false);
        for (at, sign) in line.char_indices() {
            if escaped {
                if sign == '%' || (sign == '\\' && pairs) {
                    out.pop();
                }
                escaped = false;
            } else if sign == '%' {
                return (out, Some(line[at + 1..].to_owned()));
            } else {
                escaped = sign == '\\';
            }
            out.push(sign);
        }
        (out, None)
    }

    #[test]
    fn cron_and_the_shell_give_back_the_text() {
        let tab = Crontab { program: "/p".into(), guard: "/g".into(), lock: "/l".into() };
        for text in [
            "date +%s",
            r"printf '100\%'",
            r"printf '\\%s' a",
            r"printf '\\\%\\'",
            r"a\'%b",
            r"'\''%'\",
            r"%\",
            r"\%\%%\\",
        ] {
            let line = tab.line("@daily", &What::Text(text.into())).unwrap();
            let command = line.strip_prefix("@daily ").unwrap();
            for pairs in [true, false] {
                let (words, rest) = by_cron(command, pairs);
                assert_eq!(rest, None, "{text}: {line}");
                let want = format!("/g -c {text}");
                let shown = Command::new("/bin/sh")
                    .args(["-c", &format!("set -- {words}; printf '%s %s %s' \"$@\"")])
                    .output()
                    .unwrap();
                assert_eq!(String::from_utf8(shown.stdout).unwrap(), want, "{line}");
            }
        }
    }

    #[test]
    fn what_is_not_ours_stays_as_it_was() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let kept = dir.path().join("table");
        let program = dir.path().join("crontab");
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = -l ]; then cat {0} 2>/dev/null || {{ echo 'no crontab for x' >&2; exit 1; }}\nelse cat > {0}.new; mv {0}.new {0}; fi\n",
            kept.display()
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let tab = Crontab::new(Some(&program), Some("/opt/exec-guard".into()), dir.path()).unwrap();
        let add = |text: &str| {
            tab.change(&Wish::Add { schedule: "0 4 * * *".into() }, Some(&What::Text(text.into())))
        };
        assert_eq!(tab.change(&Wish::List, None).unwrap(), []);
        let mine = "MAILTO=me\n# exec-guard: not ours\n5 5 * * * /mine";
        std::fs::write(&kept, mine).unwrap();
        add("date +%s; echo 'a b'").unwrap();
        let all = add("true").unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].schedule, "0 4 * * *");
        assert_eq!(all[0].command, r"'/opt/exec-guard' -c 'date +%s; echo '\''a b'\'''");
        assert!(std::fs::read_to_string(&kept).unwrap().contains(r"date +\%s"));
        assert!(add("a\nb").is_err());
        let gone = tab.change(&Wish::Remove { id: all[0].id.clone() }, None).unwrap();
        assert_eq!(gone, &all[1..]);
        assert!(tab.change(&Wish::Remove { id: all[0].id.clone() }, None).is_err());
        tab.change(&Wish::Remove { id: all[1].id.clone() }, None).unwrap();
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), format!("{mine}\n"));
        // Our line was taken out by hand, and the mark stayed: what follows now is a person's.
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        let left = format!("{MARK}{id}\n9 9 * * * /usr/bin/important -c x\n");
        assert_eq!(entries(&left), []);
        assert_eq!(without(&left, id), "9 9 * * * /usr/bin/important -c x\n");
    }
}
