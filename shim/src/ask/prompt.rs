//! What the prompt says, and what an answer means. Text in, text out: no terminal here.
//!
//! No foreign byte can stand at the start of a line: each line begins with a label of ours or with blanks and a
//! bar, and lines are broken here and not by the terminal. So no argument can draw a field or a choice.
use policy::{Evaluation, Invocation, Plan, Proposal, Scope};
use protocol::Shown;

use protocol::words;

/// More than this is not shown, and what is not shown whole is not asked.
const MAX_LINES: usize = 1000;

/// One thing that is shown: a label of ours, and lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    label: &'static str,
    lines: Vec<String>,
}

fn field(label: &'static str, line: impl Into<String>) -> Field {
    Field { label, lines: vec![line.into()] }
}

fn shown(bytes: &[u8]) -> String {
    Shown::text(bytes).into_string()
}

/// Everything that a person has to know; `None` if there is nothing that could be executed.
pub fn fields(eval: &Evaluation, inv: &Invocation, host: &[u8]) -> Option<Vec<Field>> {
    let plan = eval.asks_about()?;
    let mut out = vec![Field { label: "command", lines: command(plan) }];
    out.push(field("in", inv.cwd.as_deref().map_or("a folder that cannot be told".into(), shown)));
    let mut program = shown(&plan.exe.found);
    if plan.exe.real != plan.exe.found {
        program = format!("{program} -> {}", shown(&plan.exe.real));
    }
    out.push(field("program", program));
    let agents: Vec<String> = inv.agents.iter().map(|a| shown(a.as_bytes())).collect();
    out.push(field("agent", agents.join(" or ")));
    if let Some(session) = &inv.session {
        out.push(field("session", shown(session.as_bytes())));
    }
    out.push(field("host", shown(host)));
    let (security, ask) = (&eval.effective.security, &eval.effective.ask);
    out.push(Field {
        label: "policy",
        lines: vec![
            shown(format!("security {} ({})", words::security(security.value), security.from).as_bytes()),
            shown(format!("ask {} ({})", words::ask(ask.value), ask.from).as_bytes()),
        ],
    });
    let mut because: Vec<String> = Vec::new();
    for f in &eval.findings {
        let line = shown(format!("[{}] {}", f.reason.code(), f.message).as_bytes());
        if !because.contains(&line) {
            because.push(line);
        }
    }
    out.push(Field { label: "because", lines: because });
    Some(out)
}

/// The command as it will be executed. A word of several lines is named in its place and shown below.
fn command(plan: &Plan) -> Vec<String> {
    let mut texts = Vec::new();
    let words: Vec<String> = plan
        .argv
        .iter()
        .map(|word| {
            if word.contains(&b'\n') || plan.script.as_ref() == Some(word) {
                texts.push(Shown::lines(word));
                format!("<text {}>", texts.len())
            } else {
                Shown::word(word).into_string()
            }
        })
        .collect();
    if texts.is_empty() {
        return vec![Shown::argv(&plan.argv).into_string()];
    }
    let mut out = vec![words.join(" ")];
    for (at, lines) in texts.into_iter().enumerate() {
        out.push(format!("text {}:", at + 1));
        // Two blanks of ours in front, so that a line of the text is none of the lines around it.
        out.extend(lines.into_iter().map(|l| format!("  {l}")));
    }
    out
}

/// The fields as lines no wider than the terminal; `None` if they are too many to be shown.
pub fn layout(fields: &[Field], width: usize) -> Option<Vec<String>> {
    let width = width.max(20);
    // On a narrow terminal labels stand on lines of their own.
    let margin = if width >= 60 { 10 } else { 2 };
    let mut out = Vec::new();
    for f in fields {
        let mut first = true;
        if margin == 2 {
            out.push(f.label.to_owned());
        }
        for line in &f.lines {
            for (at, piece) in broken(line, width - margin - 3).into_iter().enumerate() {
                let label = if first && margin > 2 { f.label } else { "" };
                // The bar marks the start of a line, the dot its continuation.
                let mark = if at == 0 { '|' } else { '.' };
                out.push(format!("{label:margin$}{mark} {piece}"));
                first = false;
            }
            if out.len() > MAX_LINES {
                return None;
            }
        }
    }
    Some(out)
}

/// Pieces that fit. Whatever is not ASCII counts as two columns, which is never too few.
fn broken(line: &str, width: usize) -> Vec<String> {
    let (mut out, mut piece, mut used) = (Vec::new(), String::new(), 0);
    for c in line.chars() {
        let w = if c.is_ascii() { 1 } else { 2 };
        if used + w > width {
            out.push(std::mem::take(&mut piece));
            used = 0;
        }
        piece.push(c);
        used += w;
    }
    out.push(piece);
    out
}

/// What a person typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Run it now.
    Once,
    /// Run it now and from now on: a scope is to be chosen.
    Always,
    /// Do not, and why.
    Deny(Option<String>),
    /// Nothing that can be taken for an answer.
    Unclear,
}

/// Reads an answer. There is no default: an empty line is none.
pub fn reply(line: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    match (word.to_ascii_lowercase().as_str(), rest) {
        ("y" | "yes" | "once" | "allow-once", "") => Reply::Once,
        ("a" | "always" | "allow-always", "") => Reply::Always,
        ("n" | "no" | "deny", reason) => {
            let reason: String = Shown::text(reason.as_bytes()).as_str().chars().take(500).collect();
            Reply::Deny((!reason.is_empty()).then_some(reason))
        }
        _ => Reply::Unclear,
    }
}

/// The choices.
pub fn choices(always: Result<(), &str>) -> Vec<Field> {
    let mut out = vec![field("y", "allow once")];
    match always {
        Ok(()) => out.push(field("a", "always allow (you choose how far)")),
        Err(why) => out.push(field("-", format!("always allow is not offered: {}", shown(why.as_bytes())))),
    }
    out.push(field("n", "deny; `n REASON` tells the caller why"));
    out
}

/// The scopes to choose from, with the entries that each would store.
pub fn scopes(proposals: &[Proposal]) -> Vec<Field> {
    const NUMBERS: [&str; 3] = ["1", "2", "3"];
    proposals
        .iter()
        .zip(NUMBERS)
        .map(|(p, number)| {
            let mut lines = vec![
                match p.scope {
                    Scope::Arguments => "exactly these arguments",
                    Scope::Subcommand => "this sub-command, any further arguments",
                    Scope::Program => "this program, any arguments",
                }
                .to_owned(),
            ];
            for e in &p.entries {
                let args = e.args.as_ref().map_or(" (any arguments)".to_owned(), |args| {
                    args.iter().map(|a| format!(" {}", Shown::word(a.as_bytes()))).collect()
                });
                lines.push(format!("  {}{args}", shown(e.pattern.as_bytes())));
            }
            Field { label: number, lines }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let deny = |r: Option<&str>| Reply::Deny(r.map(Into::into));
        let cases: &[(&[u8], Reply)] = &[
            (b"y", Reply::Once),
            (b" YES \r", Reply::Once),
            (b"y es", Reply::Unclear),
            (b"", Reply::Unclear),
            (b"a", Reply::Always),
            (b"n", deny(None)),
            (b"no  not today\x1b[1m", deny(Some("not today\\x1b[1m"))),
            (b"yy", Reply::Unclear),
            // One letter more than is offered is one slip more that runs something.
            (b"o", Reply::Unclear),
            (b"d", Reply::Unclear),
            (b"\xff", Reply::Unclear),
        ];
        for (line, want) in cases {
            assert_eq!(reply(line), *want, "{line:?}");
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_none_begins_with_foreign_text() {
        let f = [
            field("command", "x".repeat(300)),
            Field { label: "in", lines: vec!["你".repeat(70), "y".into()] },
        ];
        for width in [20usize, 40, 59, 60, 80, 200] {
            for line in layout(&f, width).unwrap() {
                let wide: usize = line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
                assert!(wide < width, "{width}: {line}");
                assert!(!line.starts_with(['x', '你', 'y']), "{line}");
            }
        }
    }

    #[test]
    fn what_cannot_be_shown_whole_is_not_shown() {
        let f = [Field { label: "command", lines: vec!["x".into(); MAX_LINES + 1] }];
        assert_eq!(layout(&f, 80), None);
    }

    #[test]
    fn nothing_is_lost_by_breaking() {
        for n in [0, 1, 5, 6, 7, 12, 13] {
            let line = "a".repeat(n);
            assert_eq!(broken(&line, 6).concat(), line);
        }
    }
}
