//! Every command and every part of a script, wherever it stands.

use crate::shell::ast::{Command, CommandKind, Part, Script, Simple, Word};

/// What a walk meets.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A command.
    Command(&'a Command),
    /// A part of a word, an expression or the body of a here-document.
    Part(&'a Part),
}

impl Script {
    /// The simple commands in source order, those inside substitutions, here-documents, groups and function
    /// bodies included.
    pub fn simples(&self) -> Vec<&Simple> {
        let mut out = Vec::new();
        self.walk(&mut |node| {
            if let Node::Command(Command { kind: CommandKind::Simple(simple), .. }) = node {
                out.push(simple);
            }
        });
        crate::order::by_key(out, |simple| simple.id as u64)
    }

    /// Calls `visit` for every command and part, the outer before the inner.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(Node<'a>)) {
        for list in &self.lists {
            for pipeline in std::iter::once(&list.first).chain(list.rest.iter().map(|(_, p)| p)) {
                pipeline.commands.iter().for_each(|c| command(c, visit));
            }
        }
    }
}

fn command<'a>(command_: &'a Command, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Command(command_));
    match &command_.kind {
        CommandKind::Simple(simple) => {
            simple.assignments.iter().for_each(|a| word(&a.value, visit));
            simple.words.iter().for_each(|w| word(w, visit));
        }
        CommandKind::Subshell(inner) | CommandKind::Group(inner) => inner.walk(visit),
        CommandKind::If { arms, otherwise } => {
            for (condition, body) in arms {
                condition.walk(visit);
                body.walk(visit);
            }
            otherwise.iter().for_each(|s| s.walk(visit));
        }
        CommandKind::Loop { condition, body, .. } => {
            condition.walk(visit);
            body.walk(visit);
        }
        CommandKind::For { words, body, .. } | CommandKind::Select { words, body, .. } => {
            words.iter().flatten().for_each(|w| word(w, visit));
            body.walk(visit);
        }
        CommandKind::ArithFor { header, body } => {
            parts(header, visit);
            body.walk(visit);
        }
        CommandKind::Case { word: subject, arms } => {
            word(subject, visit);
            for (patterns, body, _) in arms {
                patterns.iter().for_each(|w| word(w, visit));
                body.walk(visit);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coproc(body) => command(body, visit),
        CommandKind::Cond(words) => words.iter().for_each(|w| word(w, visit)),
        CommandKind::Arith(inner) => parts(inner, visit),
    }
    for redirect in &command_.redirects {
        word(&redirect.target, visit);
        redirect.body.iter().for_each(|body| parts(&body.parts, visit));
    }
}

fn word<'a>(word: &'a Word, visit: &mut dyn FnMut(Node<'a>)) {
    parts(&word.parts, visit);
}

fn parts<'a>(list: &'a [Part], visit: &mut dyn FnMut(Node<'a>)) {
    for part in list {
        visit(Node::Part(part));
        match part {
            Part::Command { script: inner, .. } | Part::Process { script: inner, .. } => inner.walk(visit),
            Part::Double(inner) | Part::Arith { expr: inner, .. } | Part::Brace { inner, .. } => {
                parts(inner, visit)
            }
            Part::Param { op: Some(op), .. } => parts(&op.word, visit),
            Part::Param { op: None, .. }
            | Part::Bare(_)
            | Part::Quoted(_)
            | Part::Glob(_)
            | Part::Tilde(_) => {}
        }
    }
}
