//! `log verify` and `log seal`: is what was written still what stands there?
use std::time::Duration;

use serde_json::{Value, json};
use store::journal::Journal;
use store::seal::{Checked, CheckedFile, GRACE, check};

use crate::cli::Verify;
use crate::exit::{Exit, Failure};
use crate::say::{self, Page, Tint};

/// Checks.
///
/// # Errors
/// There is no journal, or it cannot be read.
pub fn run(args: &Verify) -> Result<Exit, Failure> {
    let journal = super::journal()?;
    // First what is ripe is sealed: to be unsealed proves nothing about a file.
    if let Err(e) = store::seal::seal(&journal, GRACE)
        && e.kind() != std::io::ErrorKind::NotFound
    {
        say::word(format!("note: not everything could be sealed: {e}"));
    }
    let checked = check(&journal, args.anchor.as_deref())
        .map_err(|e| Failure::trouble(format!("the journal cannot be read: {e}")))?;
    if checked.files.is_empty() && checked.faults.is_empty() {
        return Err(super::none(&journal));
    }
    let mut page = Page::new();
    if args.json {
        page.json(&report(&checked));
    } else {
        print(&checked, &mut page);
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(if checked.faults.is_empty() { Exit::Done } else { Exit::Not })
}

/// Moves the file that grows aside and seals all that can be.
///
/// # Errors
/// There is no journal, or it cannot be written.
pub fn seal() -> Result<Exit, Failure> {
    let trouble = |e: std::io::Error| Failure::trouble(format!("the journal cannot be sealed: {e}"));
    let journal = super::journal()?;
    if journal.files().map_err(trouble)?.is_empty() {
        return Err(super::none(&journal));
    }
    // At any size: every file that holds something is past it.
    let state = journal.folder().parent().unwrap_or(journal.folder()).to_path_buf();
    match Journal::new(&state, 1).rotate() {
        // There is none that grows, or it was just moved by somebody else.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        moved => drop(moved.map_err(trouble)?),
    }
    // A guard that had the file open a moment ago may still write its line.
    std::thread::sleep(GRACE + Duration::from_millis(10));
    let done = store::seal::seal(&journal, GRACE).map_err(trouble)?;
    let checked = check(&journal, None).map_err(trouble)?;
    let mut page = Page::new();
    page.line(match done {
        0 => "nothing new to seal".to_owned(),
        1 => "1 file sealed".to_owned(),
        n => format!("{n} files sealed"),
    });
    last(&checked, &mut page);
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(Exit::Done)
}

fn name(file: &CheckedFile) -> String {
    file.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn report(checked: &Checked) -> Value {
    let files: Vec<Value> = checked
        .files
        .iter()
        .map(|f| json!({"file": name(f), "number": f.n, "lines": f.lines, "noRecord": f.odd, "torn": f.torn}))
        .collect();
    let faults: Vec<Value> = checked
        .faults
        .iter()
        .map(|f| json!({"code": f.code(), "file": f.file(), "line": f.line(), "message": f.to_string()}))
        .collect();
    let head = checked.head.as_ref();
    json!({
        "intact": faults.is_empty(),
        "files": files,
        "faults": faults,
        "last": head.map(|l| json!({"number": l.n, "file": l.file, "sha256": l.sha256})),
    })
}

fn print(checked: &Checked, page: &mut Page) {
    for file in &checked.files {
        let lines = if file.lines == 1 { "line" } else { "lines" };
        let state = match file.n {
            Some(n) => format!("sealed as number {n}"),
            None => "not sealed yet".to_owned(),
        };
        let mut line = format!("{}: {} {lines}, {state}", name(file), file.lines);
        if let Some(first) = file.odd.first() {
            line.push_str(&match file.odd.len() {
                1 => format!("; line {first} is no record"),
                n => format!("; {n} lines are no records, the first is {first}"),
            });
        }
        if file.torn {
            line.push_str("; the last line is cut short and skipped");
        }
        page.line(line);
    }
    for fault in &checked.faults {
        page.tinted(Tint::Red, fault.to_string());
    }
    let sealed = checked.files.iter().filter(|f| f.n.is_some()).count();
    match (checked.faults.len(), sealed) {
        (0, 0) => page.line("nothing is sealed yet: changes would not show"),
        (0, _) => page.tinted(Tint::Green, "what is sealed is as it was sealed"),
        (1, _) => page.tinted(Tint::Red, "1 thing is not as it was sealed"),
        (n, _) => page.tinted(Tint::Red, format!("{n} things are not as they were sealed")),
    }
    last(checked, page);
}

fn last(checked: &Checked, page: &mut Page) {
    if let Some(link) = &checked.head {
        page.tinted(Tint::Dim, format!("last: number {}, {} (note it for --anchor)", link.n, link.sha256));
    }
}
