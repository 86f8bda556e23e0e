//! Names that this text itself has set to digits: arithmetic with them runs nothing.
//!
//! A shell evaluates the value of a name in `$((n + 1))` as an expression of its own, and a subscript in it can run
//! commands. So a name counts only if a plain list at the top of the text has set it to digits before (or the loop
//! around it does), and nothing anywhere in the text sets it to anything but digits, the result of arithmetic, or
//! what a program prints that counts.

use crate::tables::words::{WordList, words};
use std::collections::{BTreeMap, BTreeSet};

use crate::decision::Span;
use crate::shell::Dialect;
use crate::shell::ast::{Assignment, Command, CommandKind, ListEnd, Parsed, Part, Script, Simple, Word};
use crate::shell::construct::Construct;
use crate::shell::lex::{is_name, is_name_start, name_length};
use crate::shell::visit::Node;
use crate::tables::environment::{BASH_SPECIAL, SHELL_SPECIAL, is_name as stands_for};

/// Builtins that set the variables their arguments name.
const ASSIGNERS: WordList = words![
    "read",
    "mapfile",
    "readarray",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "let",
    "getopts",
    "unset",
    "eval",
    "source",
    ".",
    "builtin",
    "command",
    "trap",
    "alias",
    "wait",
    "printf",
];

/// Names and the stretches of the text in which they are numbers.
type Known = BTreeMap<Vec<u8>, Vec<Span>>;

/// Turns [`Construct::ArithName`] into [`Construct::ArithExpansion`] where every name is known to be a number, and
/// lists the parameters that are digits for certain: those are one word without quotes.
pub(super) fn settle(parsed: &mut Parsed, dialect: Dialect) {
    // In zsh more names are special than can be listed.
    if dialect == Dialect::Zsh {
        return;
    }
    let counting = !parsed.holds.functions || !defines(&parsed.script);
    let mut known = Known::new();
    set_at_the_top(&parsed.script, counting, &mut known);
    if parsed.holds.loops {
        set_by_loops(&parsed.script, counting, &mut known);
    }
    if known.is_empty() && !parsed.noted.iter().any(|n| n.construct == Construct::ArithFor) {
        return;
    }
    let mut unsure = BTreeSet::new();
    drop_others(&parsed.script, counting, &mut known, &mut unsure);
    let within = |name: &[u8], at: usize| {
        known.get(name).is_some_and(|spans| spans.iter().any(|s| s.start <= at && at <= s.end))
    };
    let mut uses: BTreeMap<usize, BTreeSet<Vec<u8>>> = BTreeMap::new();
    let mut numbers = Vec::new();
    parsed.script.walk(&mut |node| match node {
        Node::Part(Part::Arith { expr, span }) => names_of(expr, uses.entry(span.start).or_default()),
        Node::Part(Part::Param { name, op: None, span }) => {
            // One side of a comparison in `[[ ]]` is noted where it stands.
            uses.entry(span.start).or_default().insert(name.clone());
            if within(name, span.start) && !unsure.contains(name) {
                numbers.push(*span);
            }
        }
        Node::Command(Command { kind: CommandKind::Arith(expr), span, .. })
        | Node::Command(Command { kind: CommandKind::ArithFor { header: expr, .. }, span, .. }) => {
            names_of(expr, uses.entry(span.start).or_default());
        }
        _ => {}
    });
    parsed.numbers = numbers;
    for note in &mut parsed.noted {
        let settled = match note.construct {
            Construct::ArithName => Construct::ArithExpansion,
            Construct::ArithFor => Construct::ArithForPlain,
            _ => continue,
        };
        let all = |names: &BTreeSet<Vec<u8>>| names.iter().all(|name| within(name, note.span.start));
        // `for ((;;))` holds none at all.
        let none = note.construct == Construct::ArithFor;
        if uses.get(&note.span.start).is_some_and(|n| (none || !n.is_empty()) && all(n)) {
            note.construct = settled;
        }
    }
}

/// True if the text defines a function: then a program's name may mean something else.
fn defines(script: &Script) -> bool {
    let mut found = false;
    script.walk(&mut |node| {
        found |= matches!(node, Node::Command(Command { kind: CommandKind::Function { .. }, .. }));
    });
    found
}

/// A variable that no shell sets or obeys itself.
fn is_plain(name: &[u8]) -> bool {
    !SHELL_SPECIAL.iter().chain(BASH_SPECIAL.iter()).any(|n| stands_for(n, name, true))
}

/// Names set to digits by a list of their own: from where that list ends.
fn set_at_the_top(script: &Script, counting: bool, known: &mut Known) {
    for list in &script.lists {
        let [Command { kind: CommandKind::Simple(simple), redirects, span }] = list.first.commands.as_slice()
        else {
            continue;
        };
        if list.end == ListEnd::Background || !simple.words.is_empty() || !redirects.is_empty() {
            continue;
        }
        for assignment in &simple.assignments {
            let numeric = is_numeric(assignment) || (counting && is_count(assignment));
            if numeric && is_plain(&assignment.name) {
                let from = Span::new(span.end, usize::MAX);
                known.entry(assignment.name.clone()).or_default().push(from);
            }
        }
    }
}

/// Names that a loop over digits sets: inside the loop.
fn set_by_loops(script: &Script, counting: bool, known: &mut Known) {
    script.walk(&mut |node| match node {
        Node::Command(Command { kind: CommandKind::For { name, words: Some(words), .. }, span, .. })
            if is_plain(name) && words.iter().all(|w| is_range(w, counting)) =>
        {
            // Behind the words, which are expanded before the first round.
            let from = words.last().map_or(span.end, |w| w.span.end);
            known.entry(name.clone()).or_default().push(Span::new(from, span.end));
        }
        Node::Command(Command { kind: CommandKind::ArithFor { header, .. }, span, .. }) => {
            for name in initialised(header).into_iter().filter(|n| is_plain(n)) {
                known.entry(name).or_default().push(*span);
            }
        }
        _ => {}
    });
}

/// The names that the first expression of `for ((a=0, b=1; …` sets to digits, if it does nothing else.
fn initialised(header: &[Part]) -> Vec<Vec<u8>> {
    let Some(Part::Bare(bytes)) = header.first() else { return Vec::new() };
    let Some(end) = bytes.iter().position(|b| *b == b';') else { return Vec::new() };
    let mut out = Vec::new();
    for one in bytes.get(..end).unwrap_or_default().split(|b| *b == b',') {
        let one = one.trim_ascii();
        let len = name_length(one);
        let value = one.get(len..).unwrap_or_default().trim_ascii_start();
        let Some(value) = value.strip_prefix(b"=").map(<[u8]>::trim_ascii_start) else { return Vec::new() };
        if len == 0 || value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
            return Vec::new();
        }
        out.push(one.get(..len).unwrap_or_default().to_vec());
    }
    out
}

/// A word that becomes digits only: `1`, `{1..5}`, `$(seq 1 5)`.
fn is_range(word: &Word, counting: bool) -> bool {
    let digits = |w: &[u8]| !w.is_empty() && w.iter().all(u8::is_ascii_digit);
    let seq = || match word.parts.as_slice() {
        [Part::Command { script, .. }] => {
            let words = only_words(script);
            words
                .split_first()
                .is_some_and(|(name, numbers)| name == b"seq" && numbers.iter().all(|n| digits(n)))
        }
        _ => false,
    };
    is_digits(word)
        || word.expand_braces().is_some_and(|words| words.iter().all(|w| digits(w)))
        || (counting && seq())
}

/// The literal words of the last command of a script that is one pipeline; none if it is more than that.
fn only_words(script: &Script) -> Vec<Vec<u8>> {
    let [list] = script.lists.as_slice() else { return Vec::new() };
    let Some(Command { kind: CommandKind::Simple(simple), redirects, .. }) = list.first.commands.last()
    else {
        return Vec::new();
    };
    let plain = list.rest.is_empty() && list.end != ListEnd::Background && list.first.time.is_none();
    if !plain || !redirects.is_empty() || !simple.assignments.is_empty() {
        return Vec::new();
    }
    simple.words.iter().map(Word::literal).collect::<Option<_>>().unwrap_or_default()
}

/// Drops the names that something else in the text may set, and tells those that may be empty or hold blanks.
fn drop_others(script: &Script, counting: bool, known: &mut Known, unsure: &mut BTreeSet<Vec<u8>>) {
    script.walk(&mut |node| match node {
        Node::Command(command) => match &command.kind {
            CommandKind::Simple(simple) => drop_set_by(simple, counting, known, unsure),
            CommandKind::For { words: Some(words), .. } if words.iter().all(|w| is_range(w, counting)) => {}
            CommandKind::For { name, .. } | CommandKind::Select { name, .. } => {
                known.remove(name);
            }
            CommandKind::Coproc(_) => known.clear(),
            _ => {}
        },
        Node::Part(Part::Param { op: Some(op), name, .. }) if matches!(op.op.as_slice(), b":=" | b"=") => {
            known.remove(name);
        }
        Node::Part(_) => {}
    });
}

fn drop_set_by(simple: &Simple, counting: bool, known: &mut Known, unsure: &mut BTreeSet<Vec<u8>>) {
    for assignment in simple.assignments.iter().filter(|a| !is_numeric(a)) {
        if counting && is_count(assignment) {
            unsure.insert(assignment.name.clone());
        } else {
            known.remove(&assignment.name);
        }
    }
    let mut words = simple.words.iter();
    let Some(name) = words.next() else { return };
    let Some(name) = name.literal() else {
        // It could be a builtin that sets anything.
        known.clear();
        return;
    };
    let assigner = ASSIGNERS.has(name.as_slice());
    for word in words {
        match word.literal() {
            Some(text) => {
                let named = name_length(&text);
                let rest = text.get(named..).unwrap_or_default();
                if rest.is_empty() || matches!(rest.first(), Some(b'=' | b'+' | b'[')) {
                    known.remove(text.get(..named).unwrap_or_default());
                }
                // `-v name` in one word, expressions of `let`.
                if assigner {
                    known.retain(|name, _| !text.windows(name.len()).any(|w| w == name));
                }
            }
            None if assigner && name != b"printf" => known.clear(),
            None => {}
        }
    }
    let first_is_plain =
        simple.words.get(1).and_then(Word::literal).is_some_and(|format| format.first() != Some(&b'-'));
    if name == b"printf" && !first_is_plain {
        known.clear();
    }
}

/// The only part of a value, in quotes or not.
fn only_part(word: &Word) -> Option<&Part> {
    match word.parts.as_slice() {
        [Part::Double(inner)] if inner.len() == 1 => inner.first(),
        [part] => Some(part),
        _ => None,
    }
}

/// True if the assignment gives a number.
fn is_numeric(assignment: &Assignment) -> bool {
    let number = match only_part(&assignment.value) {
        Some(Part::Arith { .. }) => true,
        Some(Part::Param { name, op: None, .. }) => matches!(name.as_slice(), b"#" | b"?" | b"$"),
        _ => false,
    };
    !assignment.append && !assignment.array && (number || is_digits(&assignment.value))
}

/// True if the assignment gives what a program prints that only counts: digits, with blanks around them, or nothing
/// at all.
fn is_count(assignment: &Assignment) -> bool {
    let Some(Part::Command { script, .. }) = only_part(&assignment.value) else { return false };
    let words = only_words(script);
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    let counts = match words.as_slice() {
        [b"date", b"+%s" | b"+%s%N"] | [b"nproc"] | [b"id", b"-u" | b"-g"] => true,
        [b"wc", b"-l" | b"-c" | b"-w" | b"-m" | b"--lines"] => true,
        [b"grep", b"-c", pattern] => pattern.first() != Some(&b'-'),
        _ => false,
    };
    !assignment.append && !assignment.array && counts
}

fn is_digits(word: &Word) -> bool {
    word.literal().is_some_and(|value| !value.is_empty() && value.iter().all(u8::is_ascii_digit))
}

/// The names in an expression; a parameter that is no name leaves one that is never known.
fn names_of(expr: &[Part], out: &mut BTreeSet<Vec<u8>>) {
    for part in expr {
        match part {
            Part::Bare(bytes) => {
                let mut rest = bytes.as_slice();
                while let Some(first) = rest.first() {
                    let len = rest.iter().take_while(|b| is_name(**b)).count().max(1);
                    let token = rest.get(..len).unwrap_or_default();
                    if is_name_start(*first) {
                        out.insert(token.to_vec());
                    }
                    rest = rest.get(len..).unwrap_or_default();
                }
            }
            // Always digits.
            Part::Param { name, op: None, .. } if matches!(name.as_slice(), b"#" | b"?" | b"$") => {}
            Part::Param { op: Some(op), .. } if op.op == b"len" => {}
            Part::Param { name, op: None, .. } => {
                out.insert(name.clone());
            }
            Part::Arith { expr, .. } => names_of(expr, out),
            _ => {
                out.insert(Vec::new());
            }
        }
    }
}
