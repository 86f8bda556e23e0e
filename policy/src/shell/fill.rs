//! Puts the bodies of here-documents into the tree: they stand behind the line that names them, so they are read
//! after their redirection.

use std::collections::BTreeMap;

use crate::shell::ast::{AndOr, Command, CommandKind, HereDoc, Part, Script, Word};

/// Bodies by the offset of their redirection.
pub(super) type Bodies = BTreeMap<usize, HereDoc>;

/// Fills every here-document in `script`.
pub(super) fn script(script: &mut Script, bodies: &mut Bodies) {
    if bodies.is_empty() {
        return;
    }
    for list in &mut script.lists {
        let AndOr { first, rest, .. } = list;
        for pipeline in std::iter::once(first).chain(rest.iter_mut().map(|(_, p)| p)) {
            pipeline.commands.iter_mut().for_each(|c| command(c, bodies));
        }
    }
}

fn command(command_: &mut Command, bodies: &mut Bodies) {
    match &mut command_.kind {
        CommandKind::Simple(simple) => {
            simple.assignments.iter_mut().for_each(|a| word(&mut a.value, bodies));
            simple.words.iter_mut().for_each(|w| word(w, bodies));
        }
        CommandKind::Subshell(inner) | CommandKind::Group(inner) => script(inner, bodies),
        CommandKind::If { arms, otherwise } => {
            for (condition, body) in arms {
                script(condition, bodies);
                script(body, bodies);
            }
            otherwise.iter_mut().for_each(|s| script(s, bodies));
        }
        CommandKind::Loop { condition, body, .. } => {
            script(condition, bodies);
            script(body, bodies);
        }
        CommandKind::For { words, body, .. } | CommandKind::Select { words, body, .. } => {
            words.iter_mut().flatten().for_each(|w| word(w, bodies));
            script(body, bodies);
        }
        CommandKind::ArithFor { header, body } => {
            header.iter_mut().for_each(|p| part(p, bodies));
            script(body, bodies);
        }
        CommandKind::Case { word: subject, arms } => {
            word(subject, bodies);
            for (patterns, body, _) in arms {
                patterns.iter_mut().for_each(|w| word(w, bodies));
                script(body, bodies);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coproc(body) => command(body, bodies),
        CommandKind::Cond(words) => words.iter_mut().for_each(|w| word(w, bodies)),
        CommandKind::Arith(parts) => parts.iter_mut().for_each(|p| part(p, bodies)),
    }
    for redirect in &mut command_.redirects {
        word(&mut redirect.target, bodies);
        if let Some(mut body) = bodies.remove(&redirect.span.start) {
            body.parts.iter_mut().for_each(|p| part(p, bodies));
            redirect.body = Some(body);
        }
    }
}

fn word(word: &mut Word, bodies: &mut Bodies) {
    word.parts.iter_mut().for_each(|p| part(p, bodies));
}

fn part(part_: &mut Part, bodies: &mut Bodies) {
    match part_ {
        Part::Command { script: inner, .. } | Part::Process { script: inner, .. } => script(inner, bodies),
        Part::Double(parts) | Part::Arith { expr: parts, .. } | Part::Brace { inner: parts, .. } => {
            parts.iter_mut().for_each(|p| part(p, bodies));
        }
        Part::Param { op: Some(op), .. } => op.word.iter_mut().for_each(|p| part(p, bodies)),
        Part::Param { op: None, .. } | Part::Bare(_) | Part::Quoted(_) | Part::Glob(_) | Part::Tilde(_) => {}
    }
}
