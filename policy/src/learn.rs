//! What an *always allow* may store.
//!
//! One entry for each segment that nothing covers, all of them or none; and only if the same invocation, judged
//! again with them, is allowed. So redirections, constructs, environment findings and hazards are never stored:
//! an entry does not satisfy them.
use crate::arg::Arg;
use crate::decide::decide_as;
use crate::decision::Decision;
use crate::document::{Effective, Entry};
use crate::evaluation::{Evaluation, Segment};
use crate::invocation::Invocation;
use crate::question::Scope;
use crate::reason::Reason;
use crate::resolve::last_component;
use crate::world::World;
use crate::wrapper;

/// Entries that an *always allow* of one scope would store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// How far they reach.
    pub scope: Scope,
    /// The entries, without ids.
    pub entries: Vec<Entry>,
}

/// Findings that an entry can answer.
const ANSWERED: &[Reason] = &[Reason::AllowlistMiss, Reason::ArgsMiss, Reason::Expired];

/// What can be stored so that this invocation is allowed from now on, narrowest first.
///
/// # Errors
/// Nothing durable can be derived: the reason, one clause for the prompt.
pub fn proposals(
    evaluation: &Evaluation,
    inv: &Invocation,
    world: &dyn World,
) -> Result<Vec<Proposal>, String> {
    if evaluation.decision != Decision::Ask {
        return Err("it is not a question".into());
    }
    if evaluation.asks_always() {
        return Err("the policy asks about every command".into());
    }
    if inv.agents.len() > 1 {
        return Err("the caller's agent is in doubt".into());
    }
    if let Some(f) = evaluation.findings.iter().find(|f| !ANSWERED.contains(&f.reason)) {
        return Err(format!("an entry would not answer [{}]", f.reason.code()));
    }
    let missing: Vec<&Segment> = evaluation
        .segments
        .iter()
        .enumerate()
        .filter(|(i, s)| {
            s.satisfied_by.is_none() && evaluation.findings.iter().any(|f| f.segment == Some(*i))
        })
        .map(|(_, s)| s)
        .collect();
    if missing.is_empty() {
        return Err("there is no segment that an entry could cover".into());
    }
    for s in &missing {
        learnable(s)?;
    }
    let mut out = Vec::new();
    for scope in [Scope::Arguments, Scope::Subcommand, Scope::Program] {
        let entries: Option<Vec<Entry>> = missing.iter().map(|s| entry(s, scope)).collect();
        let Some(mut entries) = entries else { continue };
        entries.dedup();
        let policy = with(&evaluation.effective, &entries);
        let again = decide_as(policy, inv, world);
        if again.decision == Decision::Allow {
            out.push(Proposal { scope, entries });
        }
    }
    if out.is_empty() { Err("with one for its programs it would ask all the same".into()) } else { Ok(out) }
}

fn with(policy: &Effective, entries: &[Entry]) -> Effective {
    let mut policy = policy.clone();
    policy.add_user_entries(entries);
    policy
}

fn learnable(s: &Segment) -> Result<(), String> {
    let Some(exe) = &s.exe else { return Err("a name does not resolve".into()) };
    if runs_anything(s) {
        return Err("a shell, interpreter or program that runs programs is never stored".into());
    }
    let Ok(path) = std::str::from_utf8(&exe.found) else {
        return Err("the program's path is not text".into());
    };
    if path.contains(['*', '?', '{', '}', '\\', '[', ']']) {
        return Err("the program's path has characters that a pattern would read".into());
    }
    Ok(())
}

/// The arguments that an entry for a program that runs anything should be bound to; `None` for other programs, and where
/// they cannot be told or should not be written down.
pub(crate) fn only_these(s: &Segment) -> Option<Vec<String>> {
    runs_anything(s).then(|| entry(s, Scope::Arguments)?.args)?
}

/// True of a shell, an interpreter, and what runs other programs in any way.
fn runs_anything(s: &Segment) -> bool {
    let typed = s.argv.first().and_then(Arg::literal).map(last_component).unwrap_or_default();
    s.exe.as_ref().is_none_or(|exe| !wrapper::learnable(&[typed, exe.name(), exe.real_name()]))
}

fn entry(s: &Segment, scope: Scope) -> Option<Entry> {
    let exe = s.exe.as_ref()?;
    let args = s.argv.get(1..).unwrap_or_default();
    let args = match scope {
        Scope::Arguments => {
            if args.iter().any(|a| secret(a.shown())) {
                return None;
            }
            Some(args.iter().map(|a| literal_glob(a.literal()?)).collect::<Option<Vec<_>>>()?)
        }
        Scope::Subcommand => {
            let word = std::str::from_utf8(args.first()?.literal()?).ok()?;
            let plain = word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            if !plain || !word.starts_with(|c: char| c.is_ascii_lowercase()) {
                return None;
            }
            Some(vec![word.to_owned(), "...".to_owned()])
        }
        Scope::Program => None,
    };
    Some(Entry { pattern: std::str::from_utf8(&exe.found).ok()?.to_owned(), args, ..Entry::default() })
}

/// A glob that matches exactly this word; `None` if none is sure to.
pub fn literal_glob(word: &[u8]) -> Option<String> {
    let word = std::str::from_utf8(word).ok()?;
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' => {
                out.push('[');
                out.push(c);
                out.push(']');
            }
            // What a backslash or `!` means in a class differs; such a word is not stored.
            '\\' => return None,
            c if c.is_control() => return None,
            c => out.push(c),
        }
    }
    // A last `...` would mean "any rest".
    if out == "..." {
        out = "[.]..".into();
    }
    Some(out)
}

/// Words that should not be written into a file: names of secrets, and what looks like one.
fn secret(word: &[u8]) -> bool {
    const NAMES: &[&str] = &[
        "password",
        "passwd",
        "secret",
        "token",
        "apikey",
        "api_key",
        "api-key",
        "authorization",
        "bearer",
        "credential",
    ];
    const PREFIXES: &[&str] =
        &["ghp_", "gho_", "github_pat_", "sk-", "AKIA", "xoxb-", "xoxp-", "glpat-", "eyJ"];
    let text = String::from_utf8_lossy(word);
    let lower = text.to_ascii_lowercase();
    if NAMES.iter().any(|n| lower.contains(n)) {
        return true;
    }
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).any(|t| {
        PREFIXES.iter().any(|p| t.starts_with(p) && t.len() > p.len() + 8)
            || (t.len() >= 32
                && t.chars().any(|c| c.is_ascii_digit())
                && t.chars().any(|c| c.is_ascii_uppercase())
                && t.chars().any(|c| c.is_ascii_lowercase()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_of_words() {
        assert_eq!(literal_glob(b"a*b").as_deref(), Some("a[*]b"));
        assert_eq!(literal_glob(b"...").as_deref(), Some("[.].."));
        assert_eq!(literal_glob(b"a\\b"), None);
        for w in ["a*b", "x[1]", "{a,b}", "...", "plain"] {
            let g = crate::glob::ArgGlob::new(&literal_glob(w.as_bytes()).unwrap()).unwrap();
            assert!(g.matches(w.as_bytes()), "{w}");
        }
    }

    #[test]
    fn secrets() {
        for w in ["--password=x", "ghp_abcdefghijklmnop", "Authorization: Bearer x", "AKIAABCDEFGHIJKLMNOP"] {
            assert!(secret(w.as_bytes()), "{w}");
        }
        for w in ["status", "--oneline", "src/main.rs", "d670460b4b4aece5915caf5c68d12f560a9fe3e4"] {
            assert!(!secret(w.as_bytes()), "{w}");
        }
    }
}
