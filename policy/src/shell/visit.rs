//! Every simple command of a script, wherever it stands.

use crate::shell::ast::{Command, CommandKind, Part, Pipeline, Redirect, Script, Simple, Word};

impl Script {
    /// The simple commands in source order, those inside substitutions, here-documents, groups and function
    /// bodies included.
    pub fn simples(&self) -> Vec<&Simple> {
        let mut out = Vec::new();
        script(self, &mut out);
        out.sort_by_key(|simple| simple.id);
        out
    }
}

fn script<'a>(script: &'a Script, out: &mut Vec<&'a Simple>) {
    for list in &script.lists {
        pipeline(&list.first, out);
        list.rest.iter().for_each(|(_, p)| pipeline(p, out));
    }
}

fn pipeline<'a>(pipeline: &'a Pipeline, out: &mut Vec<&'a Simple>) {
    pipeline.commands.iter().for_each(|c| command(c, out));
}

fn command<'a>(command_: &'a Command, out: &mut Vec<&'a Simple>) {
    match &command_.kind {
        CommandKind::Simple(simple) => {
            out.push(simple);
            simple.assignments.iter().for_each(|a| word(&a.value, out));
            simple.words.iter().for_each(|w| word(w, out));
        }
        CommandKind::Subshell(inner) | CommandKind::Group(inner) => script(inner, out),
        CommandKind::If { arms, otherwise } => {
            for (condition, body) in arms {
                script(condition, out);
                script(body, out);
            }
            otherwise.iter().for_each(|s| script(s, out));
        }
        CommandKind::Loop { condition, body, .. } => {
            script(condition, out);
            script(body, out);
        }
        CommandKind::For { words, body, .. } | CommandKind::Select { words, body, .. } => {
            words.iter().flatten().for_each(|w| word(w, out));
            script(body, out);
        }
        CommandKind::ArithFor { header, body } => {
            parts(header, out);
            script(body, out);
        }
        CommandKind::Case { word: subject, arms } => {
            word(subject, out);
            for (patterns, body, _) in arms {
                patterns.iter().for_each(|w| word(w, out));
                script(body, out);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coproc(body) => command(body, out),
        CommandKind::Cond(words) => words.iter().for_each(|w| word(w, out)),
        CommandKind::Arith(inner) => parts(inner, out),
    }
    command_.redirects.iter().for_each(|r| redirect(r, out));
}

fn redirect<'a>(redirect: &'a Redirect, out: &mut Vec<&'a Simple>) {
    word(&redirect.target, out);
    redirect.body.iter().for_each(|body| parts(&body.parts, out));
}

fn word<'a>(word: &'a Word, out: &mut Vec<&'a Simple>) {
    parts(&word.parts, out);
}

fn parts<'a>(list: &'a [Part], out: &mut Vec<&'a Simple>) {
    for part in list {
        match part {
            Part::Command { script: inner, .. } | Part::Process { script: inner, .. } => script(inner, out),
            Part::Double(inner) | Part::Arith { expr: inner, .. } | Part::Brace { inner, .. } => {
                parts(inner, out)
            }
            Part::Param { op: Some(op), .. } => parts(&op.word, out),
            Part::Param { op: None, .. }
            | Part::Bare(_)
            | Part::Quoted(_)
            | Part::Glob(_)
            | Part::Tilde(_) => {}
        }
    }
}
