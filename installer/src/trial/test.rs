//! `policy test`: every example of every entry, and the lists of expected verdicts that people write.
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use policy::{Evaluation, Reason, World};
use protocol::Shown;
use serde_json::{Value, json};

use super::cases::{self, Case, Want};
use crate::cli::Test;
use crate::court::Court;
use crate::exit::{Exit, Failure};
use crate::say::{Page, Tint};

/// Name of the list beside a document.
const LIST: &str = "policy-tests.json";

/// What came of a case.
enum Outcome {
    Passed,
    /// It is something else.
    Failed(Box<Evaluation>),
    /// Its program is not here, which says nothing of the policy.
    Skipped,
}

/// Does it.
///
/// # Errors
/// The policy or a list cannot be read; there is nothing to test.
pub fn run(args: &Test) -> Result<Exit, Failure> {
    let mut court = Court::of_caller(None)?;
    if let Some(folder) = &args.policy {
        court = court.under(folder)?;
    }
    let mut all: Vec<Case> = court.policy.approvals().flat_map(cases::examples).collect();
    for file in lists(args, &court) {
        let name = Shown::text(file.as_os_str().as_bytes()).into_string();
        let text = std::fs::read(&file).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
        all.extend(cases::listed(&text, &name)?);
    }
    if all.is_empty() {
        return Err(Failure::not(
            "there is nothing to test: no entry has examples, and there is no list of tests",
        )
        .advise(format!(
            "write examples, or a {LIST} beside exec-approvals.json like [{{\"command\": \"git status\", \"expect\": \"allow\"}}]; see exec-guard.policy(5)"
        )));
    }
    let mut judged = Vec::with_capacity(all.len());
    for case in all {
        let outcome = judge(&court, &case)?;
        judged.push((case, outcome));
    }
    let mut page = Page::new();
    if args.json {
        page.json(&as_json(&judged));
    } else {
        print(&judged, &mut page);
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    let failed = judged.iter().any(|(_, o)| matches!(o, Outcome::Failed(_)));
    Ok(if failed { Exit::Not } else { Exit::Done })
}

/// The lists to be read: those that are named, else those beside the documents.
fn lists(args: &Test, court: &Court) -> Vec<PathBuf> {
    if !args.files.is_empty() {
        return args.files.clone();
    }
    let mut out: Vec<PathBuf> = Vec::new();
    let documents = court.policy.documents();
    let folders = documents.iter().filter_map(|(_, file)| Path::new(file).parent());
    for folder in folders.chain(args.policy.as_deref()) {
        let list = folder.join(LIST);
        if list.exists() && !out.contains(&list) {
            out.push(list);
        }
    }
    out
}

fn judge(court: &Court, case: &Case) -> Result<Outcome, Failure> {
    let host = court.host();
    let cwd = case.cwd.as_deref().map(|cwd| folder(cwd, court.home(), &host));
    let inv = court.invocation_of(&case.agent, case.form.clone(), cwd);
    let eval = court.judge(&inv, &host)?;
    let missing = |r: Reason| matches!(r, Reason::NotFound | Reason::Unresolved);
    Ok(if case.want.is_met(eval.decision) {
        Outcome::Passed
    } else if case.rule.is_some()
        && case.want != Want::NotAllow
        && eval.findings.iter().any(|f| missing(f.reason))
    {
        // A preset's examples name programs that not everybody has.
        Outcome::Skipped
    } else {
        Outcome::Failed(Box::new(eval))
    })
}

/// The folder of a case. One that is not here is taken as it is written: the policy of another machine can be tested.
fn folder(cwd: &str, home: Option<&[u8]>, world: &dyn World) -> Vec<u8> {
    let path = match (cwd.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => [home, b"/", rest.as_bytes()].concat(),
        _ => cwd.as_bytes().to_vec(),
    };
    world.real(&path).unwrap_or(path)
}

/// Passed, failed, skipped.
fn counts(judged: &[(Case, Outcome)]) -> (usize, usize, usize) {
    let count = |f: fn(&Outcome) -> bool| judged.iter().filter(|(_, o)| f(o)).count();
    (
        count(|o| matches!(o, Outcome::Passed)),
        count(|o| matches!(o, Outcome::Failed(_))),
        count(|o| matches!(o, Outcome::Skipped)),
    )
}

fn print(judged: &[(Case, Outcome)], page: &mut Page) {
    for (case, outcome) in judged {
        let Outcome::Failed(eval) = outcome else { continue };
        page.tinted(Tint::Red, format!("FAILED  {}:{}", case.file, case.pointer));
        if let Some((list, pattern)) = &case.rule {
            page.line(format!("  rule      {list} {pattern}"));
        }
        let what = if case.rule.is_some() { "example" } else { "command" };
        page.line(format!("  {what:9} {} (agent {})", super::command(&case.form), case.agent));
        page.line(format!("  expected  {}", case.want.word()));
        page.line(format!("  is        {} {}", eval.decision.word(), super::ground(eval)));
        if let Some(note) = &case.note {
            page.line(format!("  note      {note}"));
        }
    }
    let (passed, failed, skipped) = counts(judged);
    let mut line = format!("{passed} passed, {failed} failed");
    if skipped > 0 {
        line.push_str(&format!(", {skipped} skipped: their programs are not installed here"));
    }
    page.tinted(if failed > 0 { Tint::Red } else { Tint::Green }, line);
}

fn as_json(judged: &[(Case, Outcome)]) -> Value {
    let (passed, failed, skipped) = counts(judged);
    let failures: Vec<Value> = judged
        .iter()
        .filter_map(|(case, outcome)| {
            let Outcome::Failed(eval) = outcome else { return None };
            let ground = eval.ground();
            Some(json!({
                "file": case.file,
                "pointer": case.pointer,
                "list": case.rule.as_ref().map(|(list, _)| list),
                "pattern": case.rule.as_ref().map(|(_, pattern)| pattern),
                "command": super::command(&case.form),
                "agent": case.agent,
                "expect": case.want.word(),
                "decision": eval.decision.word(),
                "code": ground.map(|f| f.reason.code()),
                "message": ground.map(|f| f.message.clone()),
                "note": case.note,
            }))
        })
        .collect();
    let skips: Vec<Value> = judged
        .iter()
        .filter(|(_, o)| matches!(o, Outcome::Skipped))
        .map(|(case, _)| json!({"file": case.file, "pointer": case.pointer, "command": super::command(&case.form)}))
        .collect();
    json!({"passed": passed, "failed": failed, "skipped": skipped, "failures": failures, "notInstalled": skips})
}
