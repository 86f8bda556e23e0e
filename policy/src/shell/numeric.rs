//! Names that this text itself has set to digits: arithmetic with them runs nothing.
//!
//! A shell evaluates the value of a name in `$((n + 1))` as an expression of its own, and a subscript in it can run
//! commands. So a name counts only if a plain list at the top of the text has set it to digits before, and nothing
//! anywhere in the text sets it to anything but digits or the result of arithmetic.

use std::collections::{BTreeMap, BTreeSet};

use crate::shell::Dialect;
use crate::shell::ast::{Assignment, Command, CommandKind, ListEnd, Parsed, Part, Script, Simple, Word};
use crate::shell::construct::Construct;
use crate::shell::lex::{is_name, is_name_start, name_length};
use crate::shell::visit::Node;

/// Builtins that set the variables their arguments name.
const ASSIGNERS: &[&[u8]] = &[
    b"read",
    b"mapfile",
    b"readarray",
    b"declare",
    b"typeset",
    b"local",
    b"export",
    b"readonly",
    b"let",
    b"getopts",
    b"unset",
    b"eval",
    b"source",
    b".",
    b"builtin",
    b"command",
    b"trap",
    b"alias",
    b"wait",
    b"printf",
];

/// Turns [`Construct::ArithName`] into [`Construct::ArithExpansion`] where every name is known to be a number.
pub(super) fn settle(parsed: &mut Parsed, dialect: Dialect) {
    // In zsh more names are special than can be listed.
    if dialect == Dialect::Zsh || !parsed.noted.iter().any(|n| n.construct == Construct::ArithName) {
        return;
    }
    let mut known = set_at_the_top(&parsed.script);
    drop_others(&parsed.script, &mut known);
    if known.is_empty() {
        return;
    }
    let mut uses: BTreeMap<usize, BTreeSet<Vec<u8>>> = BTreeMap::new();
    parsed.script.walk(&mut |node| {
        let (start, expr) = match node {
            Node::Part(Part::Arith { expr, span }) => (span.start, expr),
            Node::Command(Command { kind: CommandKind::Arith(expr), span, .. }) => (span.start, expr),
            _ => return,
        };
        names_of(expr, uses.entry(start).or_default());
    });
    for note in parsed.noted.iter_mut().filter(|n| n.construct == Construct::ArithName) {
        let settled = uses.get(&note.span.start).is_some_and(|names| {
            !names.is_empty()
                && names.iter().all(|name| known.get(name).is_some_and(|at| *at <= note.span.start))
        });
        if settled {
            note.construct = Construct::ArithExpansion;
        }
    }
}

/// Names set to digits by a list of their own, and where that list ends.
fn set_at_the_top(script: &Script) -> BTreeMap<Vec<u8>, usize> {
    let mut known = BTreeMap::new();
    for list in &script.lists {
        let [Command { kind: CommandKind::Simple(simple), redirects, span }] = list.first.commands.as_slice()
        else {
            continue;
        };
        if list.end == ListEnd::Background || !simple.words.is_empty() || !redirects.is_empty() {
            continue;
        }
        for assignment in &simple.assignments {
            // Capitals may be variables of the shell's own.
            let plain =
                assignment.name.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
                    && assignment.name.first().is_some_and(u8::is_ascii_lowercase);
            if plain && is_digits(&assignment.value) && is_numeric(assignment) {
                known.entry(assignment.name.clone()).or_insert(span.end);
            }
        }
    }
    known
}

/// Drops the names that something else in the text may set.
fn drop_others(script: &Script, known: &mut BTreeMap<Vec<u8>, usize>) {
    script.walk(&mut |node| match node {
        Node::Command(command) => match &command.kind {
            CommandKind::Simple(simple) => drop_set_by(simple, known),
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

fn drop_set_by(simple: &Simple, known: &mut BTreeMap<Vec<u8>, usize>) {
    for assignment in simple.assignments.iter().filter(|a| !is_numeric(a)) {
        known.remove(&assignment.name);
    }
    let mut words = simple.words.iter();
    let Some(name) = words.next() else { return };
    let Some(name) = name.literal() else {
        // It could be a builtin that sets anything.
        known.clear();
        return;
    };
    let assigner = ASSIGNERS.contains(&name.as_slice());
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

/// True if the assignment gives a number.
fn is_numeric(assignment: &Assignment) -> bool {
    let arithmetic = match assignment.value.parts.as_slice() {
        [Part::Arith { .. }] => true,
        [Part::Double(inner)] => matches!(inner.as_slice(), [Part::Arith { .. }]),
        _ => false,
    };
    !assignment.append && !assignment.array && (arithmetic || is_digits(&assignment.value))
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
