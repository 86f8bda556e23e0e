//! The same script, whatever its quotes and blanks: what a rendering must keep.

use std::fmt::Write;

use crate::shell::ast::{
    AndOr, Command, CommandKind, ListEnd, Part, Pipeline, Redirect, RedirectOp, Script, Simple, Word,
};
use crate::shell::cond::is_operator;

/// True if two scripts mean the same to a shell: spans, the kind of quotes, `;` against newline, backticks against
/// `$(…)` and the delimiters of here-documents aside.
pub fn same(a: &Script, b: &Script) -> bool {
    normal(a) == normal(b)
}

/// A script in one form only, for comparing and for showing differences. Not shell text.
pub fn normal(script: &Script) -> String {
    let mut out = String::new();
    put_script(script, &mut out);
    out
}

fn put_script(script: &Script, out: &mut String) {
    out.push('{');
    for AndOr { first, rest, end, .. } in &script.lists {
        put_pipeline(first, out);
        for (op, pipeline) in rest {
            let _ = write!(out, " {op:?} ");
            put_pipeline(pipeline, out);
        }
        out.push_str(if *end == ListEnd::Background { "&" } else { ";" });
    }
    out.push('}');
}

fn put_pipeline(pipeline: &Pipeline, out: &mut String) {
    let _ = write!(out, "!{} {:?} {:?}", pipeline.negations, pipeline.time, pipeline.stderr_too);
    for command in &pipeline.commands {
        out.push('|');
        put_command(command, out);
    }
}

fn put_command(command: &Command, out: &mut String) {
    match &command.kind {
        CommandKind::Simple(Simple { assignments, words, .. }) => {
            out.push_str("simple");
            for a in assignments {
                let _ = write!(out, " {:?} append={} array={} ", a.name, a.append, a.array);
                match &a.elements {
                    Some(words) => words.iter().for_each(|w| put_word(w, out)),
                    None => put_parts(&a.value.parts, out),
                }
            }
            words.iter().for_each(|w| put_word(w, out));
        }
        CommandKind::Subshell(script) => {
            out.push_str("subshell");
            put_script(script, out);
        }
        CommandKind::Group(script) => {
            out.push_str("group");
            put_script(script, out);
        }
        CommandKind::If { arms, otherwise } => {
            out.push_str("if");
            for (condition, body) in arms {
                put_script(condition, out);
                put_script(body, out);
            }
            if let Some(body) = otherwise {
                out.push_str("else");
                put_script(body, out);
            }
        }
        CommandKind::Loop { until, condition, body } => {
            let _ = write!(out, "loop {until}");
            put_script(condition, out);
            put_script(body, out);
        }
        CommandKind::For { name, words, body } => {
            let _ = write!(out, "for {name:?} {}", words.is_some());
            words.iter().flatten().for_each(|w| put_word(w, out));
            put_script(body, out);
        }
        CommandKind::ArithFor { header, body } => {
            out.push_str("for((");
            put_expr(header, out);
            put_script(body, out);
        }
        CommandKind::Select { name, words, body } => {
            let _ = write!(out, "select {name:?} {}", words.is_some());
            words.iter().flatten().for_each(|w| put_word(w, out));
            put_script(body, out);
        }
        CommandKind::Case { word, arms } => {
            out.push_str("case");
            put_word(word, out);
            for (patterns, body, end) in arms {
                out.push_str(" arm");
                patterns.iter().for_each(|w| put_word(w, out));
                put_script(body, out);
                let end: &[u8] = if end.is_empty() { b";;" } else { end };
                let _ = write!(out, "{end:?}");
            }
        }
        CommandKind::Function { name, body } => {
            let _ = write!(out, "function {name:?} ");
            put_command(body, out);
        }
        CommandKind::Cond(words) => {
            out.push_str("cond");
            let mut regex = false;
            for word in words {
                let op = word.literal().filter(|w| word.is_bare() && is_operator(w));
                if let Some(op) = op {
                    let _ = write!(out, " op{op:?}");
                    regex = op == b"=~";
                } else if regex {
                    out.push_str(" regex");
                    put_kept(&word.parts, out);
                    regex = false;
                } else {
                    put_word(word, out);
                }
            }
        }
        CommandKind::Arith(expr) => {
            out.push_str("arith");
            put_expr(expr, out);
        }
        CommandKind::Coproc(command) => {
            out.push_str("coproc ");
            put_command(command, out);
        }
    }
    command.redirects.iter().for_each(|r| put_redirect(r, out));
}

fn put_redirect(redirect: &Redirect, out: &mut String) {
    let _ = write!(out, " redirect {:?} {:?}", redirect.fd, redirect.op);
    match &redirect.body {
        Some(body) => put_parts(&body.parts, out),
        None if redirect.op == RedirectOp::HereDoc => out.push_str(" no body"),
        None => put_word(&redirect.target, out),
    }
}

fn put_word(word: &Word, out: &mut String) {
    match word.expand_braces() {
        Some(words) => words.iter().for_each(|w| {
            let _ = write!(out, " <{:?}>", String::from_utf8_lossy(w));
        }),
        None => {
            out.push_str(" <");
            put_parts(&word.parts, out);
            out.push('>');
        }
    }
}

/// Parts with literals joined, whatever their quotes.
fn put_parts(parts: &[Part], out: &mut String) {
    let mut literal: Option<Vec<u8>> = None;
    put_joined(parts, false, &mut literal, out);
    flush(&mut literal, out);
}

fn flush(literal: &mut Option<Vec<u8>>, out: &mut String) {
    if let Some(bytes) = literal.take() {
        let _ = write!(out, "{:?}", String::from_utf8_lossy(&bytes));
        if std::str::from_utf8(&bytes).is_err() {
            let _ = write!(out, "{bytes:?}");
        }
    }
}

fn put_joined(parts: &[Part], quoted: bool, literal: &mut Option<Vec<u8>>, out: &mut String) {
    for part in parts {
        match part {
            Part::Bare(bytes) | Part::Quoted(bytes) => {
                literal.get_or_insert_default().extend_from_slice(bytes)
            }
            Part::Double(inner) => {
                if inner.is_empty() {
                    literal.get_or_insert_default();
                }
                put_joined(inner, true, literal, out);
            }
            part => {
                flush(literal, out);
                put_dynamic(part, quoted, out);
            }
        }
    }
}

fn put_dynamic(part: &Part, quoted: bool, out: &mut String) {
    out.push_str(if quoted { "\"$" } else { "$" });
    match part {
        Part::Param { name, op, .. } => {
            let _ = write!(out, "({:?}", String::from_utf8_lossy(name));
            if let Some(op) = op {
                let _ = write!(out, " {:?}", String::from_utf8_lossy(&op.op));
                put_kept(&op.word, out);
            }
            out.push(')');
        }
        Part::Command { script, .. } => put_script(script, out),
        Part::Process { script, direction, .. } => {
            let _ = write!(out, "process {direction}");
            put_script(script, out);
        }
        Part::Arith { expr, .. } => put_expr(expr, out),
        Part::Glob(bytes) => {
            let _ = write!(out, "glob {bytes:?}");
        }
        Part::Tilde(bytes) => {
            let _ = write!(out, "tilde {bytes:?}");
        }
        Part::Brace { source, .. } => {
            let _ = write!(out, "brace {source:?}");
        }
        Part::Bare(_) | Part::Quoted(_) | Part::Double(_) => put_kept(std::slice::from_ref(part), out),
    }
}

/// Parts where it matters whether text was quoted, however often the quotes began anew.
fn put_kept(parts: &[Part], out: &mut String) {
    let mut quoted: Option<Vec<u8>> = None;
    put_kept_in(parts, &mut quoted, out);
    flush_quoted(&mut quoted, out);
}

fn flush_quoted(quoted: &mut Option<Vec<u8>>, out: &mut String) {
    if let Some(bytes) = quoted.take() {
        let _ = write!(out, " quoted{:?}", String::from_utf8_lossy(&bytes));
    }
}

fn put_kept_in(parts: &[Part], quoted: &mut Option<Vec<u8>>, out: &mut String) {
    for part in parts {
        match part {
            Part::Quoted(bytes) => quoted.get_or_insert_default().extend_from_slice(bytes),
            Part::Bare(bytes) => {
                flush_quoted(quoted, out);
                let _ = write!(out, " bare{:?}", String::from_utf8_lossy(bytes));
            }
            Part::Double(inner) => {
                if inner.is_empty() {
                    quoted.get_or_insert_default();
                }
                for part in inner {
                    match part {
                        Part::Bare(bytes) | Part::Quoted(bytes) => {
                            quoted.get_or_insert_default().extend_from_slice(bytes);
                        }
                        part => {
                            flush_quoted(quoted, out);
                            put_dynamic(part, true, out);
                        }
                    }
                }
            }
            part => {
                flush_quoted(quoted, out);
                put_dynamic(part, false, out);
            }
        }
    }
}

/// An expression, blanks at its ends aside.
fn put_expr(parts: &[Part], out: &mut String) {
    let mut inner = String::new();
    for part in parts {
        match part {
            Part::Bare(bytes) => inner.push_str(&String::from_utf8_lossy(bytes)),
            part => put_dynamic(part, true, &mut inner),
        }
    }
    let _ = write!(out, "(( {} ))", inner.trim_matches([' ', '\t', '\n']));
}
