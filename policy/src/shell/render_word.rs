//! Words for the real shell: literals quoted, what is dynamic in the one form that was accepted.

use crate::shell::ast::{CommandKind, Part, RedirectOp, Script, Word};
use crate::shell::construct::Construct;
use crate::shell::lex::name_length;
use crate::shell::render::{Done, Writer, quote};
use crate::shell::visit::Node;

impl Writer<'_> {
    pub(super) fn word(&mut self, word: &Word) -> Done {
        if let [Part::Bare(bytes) | Part::Quoted(bytes)] = word.parts.as_slice()
            && !bytes.is_empty()
        {
            quote(bytes, &mut self.out);
            return Ok(());
        }
        if let Some(words) = word.expand_braces() {
            return self.literals(&words, false);
        }
        // `export A=$x`: with the name quoted it would be no assignment, and `$x` would split.
        let (head, rest) = assignment_head(&word.parts);
        if !head.is_empty() {
            self.put(head);
            let mut parts = vec![Part::Bare(rest.to_vec())];
            parts.extend(word.parts.iter().skip(1).cloned());
            if rest.is_empty() {
                parts.remove(0);
            }
            return self.parts(&parts);
        }
        if word.parts.is_empty() {
            return Err(Construct::Unknown);
        }
        self.parts(&word.parts)
    }

    /// The parts of a word outside quotes.
    pub(super) fn parts(&mut self, parts: &[Part]) -> Done {
        if let [Part::Bare(bytes) | Part::Quoted(bytes)] = parts
            && !bytes.is_empty()
        {
            quote(bytes, &mut self.out);
            return Ok(());
        }
        let mut literal = Vec::new();
        let mut after_tilde = false;
        for (i, part) in parts.iter().enumerate() {
            let before_tilde = matches!(parts.get(i + 1), Some(Part::Tilde(_)));
            match part {
                Part::Bare(bytes) => {
                    let mut bytes = bytes.as_slice();
                    // A tilde is only active beside an unquoted slash, colon or equals sign.
                    if after_tilde && let [first @ (b'/' | b':'), rest @ ..] = bytes {
                        self.put(&[*first]);
                        bytes = rest;
                    }
                    let tail: &[u8] = match bytes {
                        [rest @ .., last @ (b':' | b'=')] if before_tilde => {
                            bytes = rest;
                            std::slice::from_ref(last)
                        }
                        _ => b"",
                    };
                    literal.extend_from_slice(bytes);
                    if !tail.is_empty() {
                        self.flush(&mut literal);
                        self.put(tail);
                    }
                }
                Part::Quoted(bytes) if bytes.is_empty() => {
                    self.flush(&mut literal);
                    self.put(b"''");
                }
                Part::Quoted(bytes) => literal.extend_from_slice(bytes),
                Part::Double(inner) => {
                    if inner.is_empty() {
                        self.flush(&mut literal);
                        self.put(b"''");
                    }
                    for part in inner {
                        match part {
                            Part::Bare(bytes) | Part::Quoted(bytes) => literal.extend_from_slice(bytes),
                            part => {
                                self.flush(&mut literal);
                                self.put(b"\"");
                                self.dynamic(part, true)?;
                                self.put(b"\"");
                            }
                        }
                    }
                }
                part => {
                    self.flush(&mut literal);
                    self.dynamic(part, false)?;
                }
            }
            after_tilde = matches!(part, Part::Tilde(_));
        }
        self.flush(&mut literal);
        Ok(())
    }

    /// A piece of a pattern. A quote behind a dollar at its end would make `$'…'` of the two: another word.
    fn glob(&mut self, bytes: &[u8]) -> Done {
        if bytes.ends_with(b"$") {
            return Err(Construct::Unknown);
        }
        self.put(bytes);
        Ok(())
    }

    pub(super) fn flush(&mut self, literal: &mut Vec<u8>) {
        if !literal.is_empty() {
            quote(literal, &mut self.out);
            literal.clear();
        }
    }

    /// A part whose value is known only at run time; `quoted` = it stands in double quotes.
    pub(super) fn dynamic(&mut self, part: &Part, quoted: bool) -> Done {
        match part {
            Part::Param { name, op, .. } => {
                self.put(b"${");
                match op {
                    None => self.put(name),
                    Some(op) if op.op == b"len" => {
                        self.put(b"#");
                        self.put(name);
                    }
                    Some(op) if op.op == b"[" => {
                        self.put(name);
                        self.put(b"[");
                        self.param_word(&op.word, true)?;
                        self.put(b"]");
                    }
                    Some(op) => {
                        let followed = matches!(
                            op.op.as_slice(),
                            b":-" | b"-" | b":+" | b"+" | b":?" | b"?" | b"#" | b"##" | b"%" | b"%%"
                        );
                        if !followed {
                            return Err(match op.op.as_slice() {
                                b":=" | b"=" => Construct::ParamAssign,
                                [b'!', ..] => Construct::ParamIndirect,
                                _ => Construct::ParamOther,
                            });
                        }
                        self.put(name);
                        self.put(&op.op);
                        self.param_word(&op.word, quoted)?;
                    }
                }
                self.put(b"}");
            }
            Part::Command { script, .. } => {
                if !self.waiting.is_empty() && has_newline(script) {
                    // Whose body the next line is would not be the same everywhere.
                    return Err(Construct::HereDocLiteral);
                }
                if has_here_document(script) && !is_one_list(script) {
                    // bash writes the commands of a substitution out again before it runs them, and behind a
                    // here-document it loses a `;` (5.2): two commands become one.
                    return Err(Construct::HereDocLiteral);
                }
                let waiting = std::mem::take(&mut self.waiting);
                let flat = self.flat;
                self.flat |= !waiting.is_empty();
                self.put(b"$( ");
                self.script(script)?;
                self.bodies();
                self.put(b" )");
                self.waiting = waiting;
                self.flat = flat;
            }
            Part::Arith { expr, .. } => {
                self.put(b"$(( ");
                self.arithmetic(expr)?;
                self.put(b" ))");
            }
            Part::Glob(bytes) if !quoted => self.glob(bytes)?,
            Part::Tilde(bytes) if !quoted => self.put(bytes),
            Part::Brace { source, inner, .. } if !quoted => {
                if !inner.iter().all(renders_as_source) || source.contains(&b'\n') {
                    return Err(Construct::Unknown);
                }
                self.put(source);
            }
            Part::Process { .. } => return Err(Construct::ProcessSubstitution),
            _ => return Err(Construct::Unknown),
        }
        Ok(())
    }

    /// The word in `${x:-word}`. Unquoted text in it stays so: it still splits.
    pub(super) fn param_word(&mut self, parts: &[Part], quoted: bool) -> Done {
        for part in parts {
            match part {
                Part::Bare(bytes) => {
                    if bytes.iter().any(|b| matches!(b, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'{' | b'}')) {
                        return Err(Construct::ParamOther);
                    }
                    self.put(bytes);
                }
                Part::Glob(bytes) => self.glob(bytes)?,
                Part::Quoted(bytes) if !quoted => quote(bytes, &mut self.out),
                Part::Double(_) if !quoted => self.parts(std::slice::from_ref(part))?,
                Part::Quoted(_) | Part::Double(_) => return Err(Construct::ParamOther),
                part => self.dynamic(part, quoted)?,
            }
        }
        Ok(())
    }

    pub(super) fn arithmetic(&mut self, parts: &[Part]) -> Done {
        for part in parts {
            match part {
                Part::Bare(bytes) => {
                    let plain = |b: &u8| {
                        b.is_ascii_alphanumeric()
                            || matches!(b, b'_' | b' ' | b'\t' | b'\n' | b'#')
                            || b"+-*/%<>=!&|^~?:,();".contains(b)
                    };
                    if !bytes.iter().all(plain) {
                        return Err(Construct::ArithSubscript);
                    }
                    self.put(bytes);
                }
                Part::Param { op, .. } if op.as_ref().is_none_or(|op| op.op == b"len") => {
                    self.dynamic(part, true)?
                }
                Part::Arith { .. } => self.dynamic(part, true)?,
                _ => return Err(Construct::ArithSubscript),
            }
        }
        Ok(())
    }
}

/// `NAME=` at the unquoted start of a word, and what follows in the same part.
fn assignment_head(parts: &[Part]) -> (&[u8], &[u8]) {
    let Some(Part::Bare(bytes)) = parts.first() else { return (&[], &[]) };
    let name = name_length(bytes);
    let rest = bytes.get(name..).unwrap_or_default();
    let sign = if rest.starts_with(b"=") {
        1
    } else if rest.starts_with(b"+=") {
        2
    } else {
        0
    };
    if name == 0 || sign == 0 || parts.len() == 1 { (&[], &[]) } else { bytes.split_at(name + sign) }
}

/// True if a part of a brace expansion means the same when its source is written again.
pub(super) fn renders_as_source(part: &Part) -> bool {
    match part {
        Part::Double(inner) => inner.iter().all(renders_as_source),
        Part::Param { op, .. } => op.is_none(),
        Part::Quoted(_) | Part::Bare(_) | Part::Glob(_) => true,
        _ => false,
    }
}

/// True if the rendering of `script` could hold a newline that is a token.
fn has_newline(script: &Script) -> bool {
    // Only bodies of here-documents bring one; looking at the redirections of the whole tree is not worth it.
    let mut text = Writer::new(b"", true, &|_| None);
    text.script(script).is_err() || !text.waiting.is_empty() || text.out.windows(2).any(|w| w == b"<<")
}

/// True if a here-document stands anywhere in it.
fn has_here_document(script: &Script) -> bool {
    let mut found = false;
    script.walk(&mut |node| {
        if let Node::Command(command) = node {
            found |= command.redirects.iter().any(|r| r.op == RedirectOp::HereDoc);
        }
    });
    found
}

/// True if it is one list of simple commands: nothing in it is separated by `;` or a newline.
fn is_one_list(script: &Script) -> bool {
    script.lists.len() <= 1
        && script.lists.iter().all(|list| {
            std::iter::once(&list.first)
                .chain(list.rest.iter().map(|(_, p)| p))
                .all(|p| p.commands.iter().all(|c| matches!(c.kind, CommandKind::Simple(_))))
        })
}

#[cfg(test)]
mod tests {
    use crate::shell::{Dialect, parse, render};

    #[test]
    fn a_dollar_of_a_pattern_meets_no_quote() {
        for text in ["echo [$,'nb/evil\\x41'", "echo [$,'a'b]"] {
            let Ok(once) =
                render(&parse(text.as_bytes(), Dialect::Zsh).script, text.as_bytes(), Dialect::Zsh, &|_| {
                    None
                })
            else {
                continue;
            };
            assert!(!once.windows(2).any(|w| w == b"$'"), "{text}: {}", String::from_utf8_lossy(&once));
        }
    }
}
