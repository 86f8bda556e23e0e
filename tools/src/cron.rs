//! The user's crontab: entries that were made here, each of which has exec-guard judge its command again when it runs.
//!
//! ```text
//! # exec-guard:ID:DIGEST                            made here, and the only lines that are touched
//! 0 4 * * * /path/to/exec-guard -c 'git fetch'
//! ```
//!
//! The digest is that of the line behind the mark as it was written. A line that is another one now is somebody's: it is
//! neither shown nor taken out, and neither is what stands behind a mark whose line is gone.
//!
//! The table is read by `crontab -l` and replaced as a whole by `crontab -`, under a lock of ours.
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::call::What;
use crate::result::{Code, CronEntry, Outcome, ToolResult};

/// Begins the line in front of an entry of ours.
const MARK: &str = "# exec-guard:";
/// Most entries of ours.
const MOST: usize = 200;
/// How long the lock is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long crontab(1) may take.
const ANSWER: Duration = Duration::from_secs(20);
/// Longest table, bytes.
const MOST_BYTES: usize = 1 << 20;
/// Longest command of a line, bytes: Vixie cron leaves out what is behind that and runs the rest (`MAX_COMMAND` of its
/// `cron.h`).
const LONGEST: usize = 999;
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
    let fields: Vec<&str> = text.split(' ').collect();
    let all = || fields.iter().zip(FIELDS).all(|(text, field)| field.holds(text));
    WORDS.contains(&text) || (fields.len() == FIELDS.len() && all())
}

/// One of the five fields (crontab(5)): its lowest and highest number, and its names, from the first number on.
struct Field(u32, u32, &'static str);

const FIELDS: [Field; 5] = [
    Field(0, 59, ""),
    Field(0, 23, ""),
    Field(1, 31, ""),
    Field(1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"),
    Field(0, 7, "sun mon tue wed thu fri sat"),
];

impl Field {
    /// `*`, numbers, ranges and lists of them, each with a step behind. Some crons install a line with a number that none
    /// is, and never run it.
    fn holds(&self, text: &str) -> bool {
        text.split(',').all(|part| {
            let (range, step) = part.split_once('/').map_or((part, None), |(r, s)| (r, Some(s)));
            let ends = range.split_once('-').unwrap_or((range, range));
            let range = range == "*"
                || matches!((self.number(ends.0), self.number(ends.1)), (Some(a), Some(b)) if a <= b);
            range && step.is_none_or(|s| digits(s).is_some_and(|n| n > 0))
        })
    }

    fn number(&self, text: &str) -> Option<u32> {
        let Field(least, most, names) = self;
        let named =
            || (*least..).zip(names.split_ascii_whitespace()).find(|(_, n)| text.eq_ignore_ascii_case(n));
        digits(text).filter(|n| (least..=most).contains(&n)).or_else(|| named().map(|(n, _)| n))
    }
}

fn digits(text: &str) -> Option<u32> {
    Some(text).filter(|t| t.len() <= 2 && t.bytes().all(|b| b.is_ascii_digit())).and_then(|t| t.parse().ok())
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
                    let left = table.lines().any(|l| Mark::of(l).is_some_and(|m| m.id == *id));
                    return Err(io::Error::other(match left {
                        true => {
                            "the line behind that id's mark is not the one that was written there: it is a person's now, \
                             and only a person takes it out (crontab -e)"
                        }
                        false => "no entry that was made here has that id",
                    }));
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
                format!("{table}{gap}{}\n{line}\n", mark(&sys::edit::uuid(), &line))
            }
        };
        // From here on it is done to its end, also where nobody waits any more: crontab(1) would go on by itself, and a call
        // that was written down as cancelled would have changed the table.
        let _to_its_end = sys::cage::told::Told::listen()?;
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
        let words = words.replace('%', "\\%");
        if words.len() > LONGEST {
            let e = format!(
                "the line would have a command of {} bytes, of which some crons run the first {LONGEST}; put it into a script",
                words.len()
            );
            return Err(io::Error::other(e));
        }
        Ok(format!("{schedule} {words}"))
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
        let out = answer(self.command().arg("-l"), None, ANSWER)?;
        let said = String::from_utf8_lossy(&out.stderr);
        match out.status.success() {
            true if out.stdout.len() > MOST_BYTES => Err(io::Error::other("it is too long")),
            true => String::from_utf8(out.stdout).map_err(|_| io::Error::other("it is no text")),
            // Who has none gets an error and that word.
            false if said.contains("no crontab") => Ok(String::new()),
            false => Err(io::Error::other(protocol::Shown::text(said.trim().as_bytes()).into_string())),
        }
    }

    fn write(&self, table: &str) -> io::Result<()> {
        let whole = held(&self.lock.with_file_name("cron.new"), table)?;
        let out = answer(self.command().arg("-"), Some(whole), ANSWER)?;
        let said = String::from_utf8_lossy(&out.stderr);
        match out.status.success() {
            true => Ok(()),
            false => Err(io::Error::other(protocol::Shown::text(said.trim().as_bytes()).into_string())),
        }
    }
}

/// A text as a file without a name. Not through a pipe: whoever is ended while it writes into one leaves a beginning there, or
/// nothing, and crontab(1) would take that for the whole table.
fn held(path: &Path, text: &str) -> io::Result<File> {
    let _ = std::fs::remove_file(path);
    let mut file = File::options().read(true).write(true).create_new(true).mode(0o600).open(path)?;
    std::fs::remove_file(path)?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

/// What a program says that is given that file, in time: a turn is held meanwhile. It is ended where it does not, and nothing
/// waits for what it may have started.
///
/// # Errors
/// It does not, or it ended well and has not read all.
fn answer(command: &mut Command, given: Option<File>, patience: Duration) -> io::Result<Output> {
    let until = Instant::now() + patience;
    let stdin = given.as_ref().map_or(Ok(Stdio::null()), |file| file.try_clone().map(Stdio::from))?;
    let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // None of them waits for another.
    let (stdout, stderr) = (heard(child.stdout.take()), heard(child.stderr.take()));
    let late = || io::Error::other("crontab(1) does not answer");
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            gone => {
                let _ = child.kill();
                let _ = child.wait();
                return gone.and(Err(late()));
            }
        }
    };
    let left = || until.saturating_duration_since(Instant::now()).max(Duration::from_secs(1));
    let stdout = stdout.recv_timeout(left()).map_err(|_| late())?;
    let stderr = stderr.recv_timeout(left()).map_err(|_| late())?;
    // One that ends before it has read all of it says why. (Where it reads is ours to see: the file is the same open one.)
    if let Some(mut file) = given
        && status.success()
        && file.stream_position()? < file.metadata()?.len()
    {
        return Err(io::Error::other("crontab(1) has not read all of the table"));
    }
    Ok(Output { status, stdout, stderr })
}

/// The beginning of what a stream holds, once that has ended.
fn heard(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (to, from) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX).saturating_add(1);
            let _ = stream.by_ref().take(most).read_to_end(&mut kept);
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        to.send(kept)
    });
    from
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

/// The line in front of an entry.
fn mark(id: &str, line: &str) -> String {
    format!("{MARK}{id}:{}", digest(line))
}

/// What tells a line from every other one.
fn digest(line: &str) -> String {
    protocol::mac::sha256(line.as_bytes())
}

/// What a mark says.
struct Mark<'a> {
    id: &'a str,
    digest: &'a str,
}

impl Mark<'_> {
    fn of(line: &str) -> Option<Mark<'_>> {
        let (id, digest) = line.strip_prefix(MARK)?.split_once(':')?;
        is_id(id).then_some(Mark { id, digest })
    }

    /// True of the line that was written behind it.
    fn fits(&self, line: &str) -> bool {
        digest(line) == self.digest
    }
}

/// The entries that were made here.
fn entries(table: &str) -> Vec<CronEntry> {
    let lines = table.split('\n');
    let pairs = lines.clone().zip(lines.skip(1));
    let made = pairs.filter_map(|(line, entry)| Some((Mark::of(line).filter(|m| m.fits(entry))?.id, entry)));
    made.map(|(id, entry)| {
        let fields = if entry.starts_with('@') { 1 } else { 5 };
        let at = entry.match_indices(' ').nth(fields - 1).map_or(entry.len(), |(at, _)| at);
        let (schedule, command) = entry.split_at(at);
        let command = command.trim_start().replace("\\%", "%");
        CronEntry { id: id.to_owned(), schedule: schedule.to_owned(), command }
    })
    .collect()
}

/// The table without one entry of ours; everything else as it was.
fn without(table: &str, id: &str) -> String {
    let mut out = String::new();
    let mut lines = table.split_inclusive('\n').peekable();
    let bare = |line: &str| line.strip_suffix('\n').unwrap_or(line).to_owned();
    while let Some(line) = lines.next() {
        let marked = bare(line);
        let made = Mark::of(&marked).filter(|mark| mark.id == id);
        if made.is_some_and(|mark| lines.peek().is_some_and(|entry| mark.fits(&bare(entry)))) {
            lines.next();
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
            ("59 23 31 dec sat-7", true),
            ("59 23 31 dec sun-sat", true),
            ("0-59/2 */6 1,15 */2 1-5", true),
            ("61 * * * *", false),
            ("* 24 * * *", false),
            ("* * 0 * *", false),
            ("* * * 13 *", false),
            ("* * * jab *", false),
            ("*/0 * * * *", false),
            ("5-1 * * * *", false),
            ("1, * * * *", false),
            ("+1 * * * *", false),
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

    /// A crontab that is a file: that, and where it lies.
    fn stand_in(dir: &Path) -> (Crontab, PathBuf) {
        use std::os::unix::fs::PermissionsExt;
        let (kept, program) = (dir.join("table"), dir.join("crontab"));
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = -l ]; then cat {0} 2>/dev/null || {{ echo 'no crontab for x' >&2; exit 1; }}\nelse cat > {0}.new; mv {0}.new {0}; fi\n",
            kept.display()
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        (Crontab::new(Some(&program), Some("/opt/exec-guard".into()), dir).unwrap(), kept)
    }

    #[test]
    fn a_program_that_does_not_answer_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let run = |text: &str, given: Option<&str>, ms: u64| {
            let mut command = Command::new("/bin/sh");
            let given = given.map(|text| held(&dir.path().join("new"), text).unwrap());
            answer(command.args(["-c", text]), given, Duration::from_millis(ms))
        };
        let begun = Instant::now();
        // Also where something that it has started holds its output.
        for text in ["exec sleep 300", "sleep 30 & exit 0", "cat >/dev/null; exec sleep 300"] {
            assert!(run(text, Some("x"), 100).unwrap_err().to_string().contains("does not answer"), "{text}");
        }
        assert!(begun.elapsed() < Duration::from_secs(200));
        let long = "x".repeat(MOST_BYTES / 2);
        let out = run("cat; echo e >&2; exit 3", Some(&long), 60_000).unwrap();
        assert_eq!(
            (out.stdout.len(), out.stderr.as_slice(), out.status.code()),
            (long.len(), &b"e\n"[..], Some(3))
        );
        let flood = run("yes | head -c 3000000", None, 60_000).unwrap();
        assert_eq!(flood.stdout.len(), MOST_BYTES + 1);
        // The whole of it is there from the beginning, whatever becomes of us, and nobody else comes to it.
        let whole = run("test -f /dev/stdin && cat", Some("x"), 60_000).unwrap();
        assert_eq!((whole.stdout, whole.status.code()), (b"x".to_vec(), Some(0)));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        // Without a reader, and said well: it is not whole.
        assert!(run("exec <&-; exit 0", Some(&long), 60_000).is_err());
    }

    #[test]
    fn what_is_not_ours_stays_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let (tab, kept) = stand_in(dir.path());
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
        // Some crons would run the beginning of it.
        let head = "'/opt/exec-guard' -c ''".len();
        for (text, ok) in
            [("x".repeat(999 - head), true), ("x".repeat(1000 - head), false), ("%".repeat(500), false)]
        {
            let added = tab.line("@daily", &What::Text(text));
            assert_eq!(added.is_ok(), ok, "{added:?}");
        }
        let gone = tab.change(&Wish::Remove { id: all[0].id.clone() }, None).unwrap();
        assert_eq!(gone, &all[1..]);
        assert!(tab.change(&Wish::Remove { id: all[0].id.clone() }, None).is_err());
        tab.change(&Wish::Remove { id: all[1].id.clone() }, None).unwrap();
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), format!("{mine}\n"));
    }

    #[test]
    fn a_line_is_ours_by_what_was_written_and_by_nothing_else() {
        let (one, two) = ("0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7");
        let ours = "0 4 * * * '/opt/exec-guard' -c 'git fetch'";
        let (first, second) = (mark(one, ours), mark(two, ours));
        let ids = |table: &str| entries(table).into_iter().map(|e| e.id).collect::<Vec<_>>();
        let old = format!("{MARK}{one}");
        for (table, found, after) in [
            (format!("{first}\n{ours}\n"), &[one][..], String::new()),
            (format!("{first}\n{ours}"), &[one], String::new()),
            (format!("a\n{first}\n{ours}\nb\n"), &[one], "a\nb\n".into()),
            // A person wrote one of our form behind a mark whose line is gone.
            (format!("{first}\n9 9 * * * '/opt/exec-guard' -c 'mine'\n"), &[], String::from("=")),
            (format!("{first}\n9 9 * * * /usr/bin/important -c x\n"), &[], "=".into()),
            // Edited by hand: another hour, a blank.
            (format!("{first}\n{}\n", ours.replace('4', "5")), &[], "=".into()),
            (format!("{first}\n{ours} \n"), &[], "=".into()),
            (format!("{first}\n\n{ours}\n"), &[], "=".into()),
            (first.clone(), &[], "=".into()),
            (format!("{first}\n"), &[], "=".into()),
            // Two marks in a row, of which the first is one whose line is gone.
            (format!("{second}\n{first}\n{ours}\n"), &[one], format!("{second}\n")),
            (format!("{first}\n{second}\n{ours}\n"), &[two], "=".into()),
            (format!("{first}\n{first}\n{ours}\n"), &[one], format!("{first}\n")),
            // Without a digest, or with another's.
            (format!("{old}\n{ours}\n"), &[], "=".into()),
            (format!("{old}:\n{ours}\n"), &[], "=".into()),
            (format!("{}\n{ours}\n", mark(one, "x")), &[], "=".into()),
        ] {
            assert_eq!(ids(&table), found, "{table:?}");
            let want = if after == "=" { &table } else { &after };
            assert_eq!(&without(&table, one), want, "{table:?}");
        }
    }

    #[test]
    fn what_a_person_edited_is_said_to_be_a_persons() {
        let dir = tempfile::tempdir().unwrap();
        let (tab, kept) = stand_in(dir.path());
        let add = Wish::Add { schedule: "0 4 * * *".into() };
        let id = tab.change(&add, Some(&What::Text("true".into()))).unwrap()[0].id.clone();
        let edited = std::fs::read_to_string(&kept).unwrap().replace("0 4 ", "0 5 ");
        std::fs::write(&kept, &edited).unwrap();
        assert_eq!(tab.change(&Wish::List, None).unwrap(), []);
        let no = tab.change(&Wish::Remove { id }, None).unwrap_err().to_string();
        assert!(no.contains("a person's now"), "{no}");
        let other = tab.change(&Wish::Remove { id: "0f8fad5b-d9cb-469f-a165-70867728950e".into() }, None);
        assert!(other.unwrap_err().to_string().starts_with("no entry"));
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), edited);
    }
}
