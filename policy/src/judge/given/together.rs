//! Words that a text makes together where one stands: by a substitution or list without quotes, by all the words that it
//! is given, and by what it hands to xargs.
use super::{Given, MOST, dynamic};
use crate::arg::Arg;
use crate::judge::made;
use crate::tables::words::{WordList, words};

/// Most words of one list from each of which on it is tried: xargs hands on some at a time, and in front may stand options
/// of what prints them.
const FRONTS: usize = 16;

/// Deepest chain of variables that is followed.
const DEEPEST: usize = 4;

/// Commands that print their own words.
const SAYERS: WordList = words!["echo", "printf", "print", "cat"];

impl Given {
    /// The words that one known only at run time may become together. None for one that stays one word.
    pub(super) fn together(&self, source: &[u8], single: bool, body: bool, env: &[Vec<u8>]) -> Vec<Vec<Arg>> {
        self.together_at(source, single, body, env, 0)
    }

    fn together_at(
        &self,
        source: &[u8],
        single: bool,
        body: bool,
        env: &[Vec<u8>],
        depth: usize,
    ) -> Vec<Vec<Arg>> {
        let mut out = Vec::new();
        let listed = self.listed.is_some() && !source.iter().any(|b| b"$`".contains(b));
        if listed {
            for list in self.handed(body, env) {
                self.put(source, &list, &mut out);
            }
            return out;
        }
        if single {
            return out;
        }
        if let Some((front, inside, behind)) = substitution(source) {
            for text in self.said(inside, body, env) {
                let mut words = fields(&text, false);
                if let Some(Arg::Literal(word) | Arg::Dynamic { source: word, .. }) = words.first_mut() {
                    word.splice(0..0, front.iter().copied());
                }
                if let Some(Arg::Literal(word) | Arg::Dynamic { source: word, .. }) = words.last_mut() {
                    word.extend_from_slice(&behind);
                }
                add(&words, &mut out);
            }
        }
        for words in self.lists(source, body) {
            add(&words, &mut out);
        }
        // What a variable is set to, or read as, that is printed.
        if depth < DEEPEST {
            for value in self.values_printed(source, body, env) {
                out.extend(self.together_at(&value, false, body, env, depth + 1));
                out.truncate(MOST / 2);
            }
        }
        out
    }

    /// The substitutions that the first variable in a word is set to, or reads.
    fn values_printed(&self, source: &[u8], body: bool, env: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let Some(at) = source.iter().position(|b| *b == b'$') else { return Vec::new() };
        let after = source.get(at + 1..).unwrap_or_default();
        let name = after.strip_prefix(b"{").unwrap_or(after);
        let name = name.get(..made::name(name)).unwrap_or_default();
        if name.is_empty() {
            return Vec::new();
        }
        let words = self.words_of(name, body, env).into_iter();
        let printed = |word: Arg| match word {
            Arg::Dynamic { source, .. } if source != b"`" => Some(source),
            _ => None,
        };
        words.filter_map(printed).take(FRONTS).collect()
    }

    /// The lists of words that xargs may be handed: as it cuts them, and at blanks alone.
    fn handed(&self, body: bool, env: &[Vec<u8>]) -> Vec<Vec<Arg>> {
        let mut texts: Vec<Vec<u8>> = Vec::new();
        if let Some(fed) = self.fed.as_deref() {
            let inside = fed.strip_prefix(b"$(").and_then(|f| f.strip_suffix(b")")).unwrap_or_default();
            texts.extend(self.said(inside, body, env));
        }
        texts.extend(self.written.iter().map(|w| w.shown().to_vec()).filter(|w| w != b"`"));
        let mut out = Vec::new();
        for text in texts {
            for quotes in [true, false] {
                let words = fields(&text, quotes);
                if !out.contains(&words) && out.len() < MOST {
                    out.push(words);
                }
            }
        }
        out
    }

    /// What commands may print of their words, those of the text's functions with them: one text a command, and all of
    /// them as one, since they come one behind the other.
    fn said(&self, commands: &[u8], body: bool, env: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut texts = said(commands);
        let (mut todo, mut seen): (Vec<&[u8]>, Vec<&[u8]>) = (vec![commands], Vec::new());
        while let Some(commands) = todo.pop() {
            for command in commands.split(|b| b"|;&(\n`{".contains(b)) {
                let mut words = command.trim_ascii().split(u8::is_ascii_whitespace);
                let front = |w: &&[u8]| matches!(*w, b"then" | b"do" | b"else" | b"!");
                let name = words.find(|w| !front(w)).unwrap_or_default();
                if let Some(body) = self.bodies.get(name).filter(|_| !seen.contains(&name)) {
                    seen.push(name);
                    texts.extend(said(body));
                    todo.push(body);
                }
            }
        }
        // What a loop prints of its variable is one value behind the other.
        let spread: Vec<Vec<u8>> = texts.iter().filter_map(|text| self.spread(text, body, env)).collect();
        texts.extend(spread);
        if (2..MOST).contains(&texts.len()) {
            texts.push(texts.join(&b' '));
        }
        texts
    }

    /// A text with all the values of each variable in its place; nothing where none is known.
    fn spread(&self, text: &[u8], body: bool, env: &[Vec<u8>]) -> Option<Vec<u8>> {
        let (mut out, mut rest, mut any) = (Vec::new(), text, false);
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            let name = after.strip_prefix(b"{").unwrap_or(after);
            let name = name.get(..made::name(name)).filter(|name| *byte == b'$' && !name.is_empty());
            let Some(name) = name else {
                out.push(*byte);
                continue;
            };
            let values = self.words_of(name, body, env);
            let values: Vec<&[u8]> = values.iter().filter_map(Arg::literal).take(FRONTS).collect();
            any |= !values.is_empty();
            out.extend_from_slice(&values.join(&b' '));
            rest = match after.strip_prefix(b"{") {
                Some(inside) => inside.iter().position(|b| *b == b'}').and_then(|at| inside.get(at + 1..))?,
                None => after.get(name.len()..).unwrap_or_default(),
            };
        }
        any.then_some(out)
    }

    /// One list behind the words of the command, or in place of the mark in one of them.
    fn put(&self, source: &[u8], list: &[Arg], out: &mut Vec<Vec<Arg>>) {
        let shown: Vec<&[u8]> = list.iter().map(Arg::shown).collect();
        match self.replaced(source, &shown.join(&b' ')) {
            Some(whole) => {
                out.push(vec![Arg::Literal(whole)]);
                let each = list.iter().filter_map(Arg::literal).filter_map(|w| self.replaced(source, w));
                out.extend(each.map(|word| vec![Arg::Literal(word)]));
            }
            None => {
                out.extend(list.iter().take(FRONTS).filter(|w| !w.is_dynamic()).map(|w| vec![w.clone()]));
                add(list, out);
            }
        }
        out.truncate(MOST / 2);
    }

    /// What the lists become that stand in a word: arrays, and all the words that it is given.
    fn lists(&self, source: &[u8], body: bool) -> Vec<Vec<Arg>> {
        let mut out = Vec::new();
        let Some(at) = source.iter().position(|b| *b == b'$') else { return out };
        let after = source.get(at + 1..).unwrap_or_default();
        let name = after.strip_prefix(b"{").unwrap_or(after);
        match name.first() {
            Some(b'@' | b'*') => {
                let words =
                    |words: &mut dyn Iterator<Item = &Vec<u8>>| words.map(Arg::lit).collect::<Vec<_>>();
                out.push(words(&mut self.positional.iter().skip(1).flatten()));
                out.push(words(&mut self.handed_on.iter()));
                if body {
                    out.push(words(&mut self.calls.iter()));
                }
            }
            _ => {
                let name = name.get(..made::name(name)).unwrap_or_default();
                out.extend(self.assigned.get(name).cloned());
            }
        }
        out
    }
}

/// A list, from each of its first words on, as far as several are left.
fn add(words: &[Arg], out: &mut Vec<Vec<Arg>>) {
    let fronts = words.len().saturating_sub(1).min(FRONTS);
    let all = (0..fronts).filter_map(|at| words.get(at..)).map(<[Arg]>::to_vec);
    out.extend(all.filter(|_| words.len() < MOST));
    out.truncate(MOST / 2);
}

/// The first substitution in a word, with what stands before and behind it.
fn substitution(source: &[u8]) -> Option<(Vec<u8>, &[u8], Vec<u8>)> {
    let at = source.iter().position(|b| b"$`".contains(b))?;
    let (front, rest) = source.split_at(at);
    let (inside, behind) = match rest.split_first()? {
        (b'`', rest) => {
            let end = rest.iter().position(|b| *b == b'`')?;
            (rest.get(..end)?, rest.get(end + 1..)?)
        }
        (_, rest) if rest.starts_with(b"(") && !rest.starts_with(b"((") => made::enclosed(rest, b'(', b')'),
        _ => return None,
    };
    Some((made::unquoted(front), inside, made::unquoted(behind)))
}

/// What commands may print of their words, one text a command.
fn said(commands: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let (mut words, mut word, mut rest) = (Vec::new(), None::<Vec<u8>>, commands);
    let mut end = |words: &mut Vec<Vec<u8>>| {
        // What stands behind `<<<` is read; the rest is what is printed, if it is that kind of command.
        let says = words.iter().position(|w| SAYERS.has(w.as_slice()));
        let read = words.iter().position(|w| w.starts_with(b"<<<"));
        if let Some(from) = says.or(read) {
            let text = words.get(from..).unwrap_or_default();
            let text: Vec<&[u8]> =
                text.iter().map(|w| w.strip_prefix(b"<<<").unwrap_or(w)).filter(|w| !w.is_empty()).collect();
            let skip = usize::from(says.is_some());
            out.push(text.get(skip..).unwrap_or_default().join(&b' '));
        }
        words.clear();
    };
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\'' | b'"' => {
                let quote = *byte;
                let word = word.get_or_insert_default();
                while let Some((byte, after)) = rest.split_first() {
                    rest = after;
                    match byte {
                        b if *b == quote => break,
                        b'\\' if quote == b'"' => {
                            if let Some((next, after)) = after.split_first() {
                                if !b"$`\"\\".contains(next) {
                                    word.push(b'\\');
                                }
                                word.push(*next);
                                rest = after;
                            }
                        }
                        _ => word.push(*byte),
                    }
                }
            }
            b'\\' => {
                if let Some((next, after)) = after.split_first() {
                    word.get_or_insert_default().push(*next);
                    rest = after;
                }
            }
            b' ' | b'\t' => words.extend(word.take()),
            b'\n' | b'|' | b';' | b'&' | b'(' | b')' | b'{' | b'}'
                if word.is_none() || b"\n|;&()".contains(byte) =>
            {
                words.extend(word.take());
                end(&mut words);
            }
            _ => word.get_or_insert_default().push(*byte),
        }
    }
    words.extend(word);
    end(&mut words);
    out
}

/// The words of a text: cut at blanks (and where a format of printf says so); as xargs reads them, `quotes` and
/// backslashes group and are gone. Source: POSIX xargs, INPUT FILES.
fn fields(text: &[u8], quotes: bool) -> Vec<Arg> {
    let (mut out, mut word, mut rest) = (Vec::new(), None::<Vec<u8>>, text);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b if b.is_ascii_whitespace() => out.extend(word.take()),
            b'\\' if !quotes && matches!(after.first(), Some(b'n' | b't')) => {
                out.extend(word.take());
                rest = after.get(1..).unwrap_or_default();
            }
            b'\\' if quotes => {
                if let Some((next, after)) = after.split_first() {
                    word.get_or_insert_default().push(*next);
                    rest = after;
                }
            }
            b'\'' | b'"' if quotes => {
                let end = after.iter().position(|b| b == byte).unwrap_or(after.len());
                let (text, behind) = after.split_at(end);
                word.get_or_insert_default().extend_from_slice(text);
                rest = behind.get(1..).unwrap_or_default();
            }
            _ => word.get_or_insert_default().push(*byte),
        }
    }
    out.extend(word);
    let known = |word: Vec<u8>| match word.iter().any(|b| b"$`".contains(b)) {
        true => dynamic(&word),
        false => Arg::Literal(word),
    };
    out.into_iter().map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &[Arg]) -> String {
        let words: Vec<_> = words.iter().map(|w| String::from_utf8_lossy(w.shown())).collect();
        words.join("|")
    }

    #[test]
    fn what_commands_say() {
        for (commands, want) in [
            ("echo a 'b c'", "a b c"),
            ("printf %s x | cat", "%s x/"),
            ("cat <<<'a b'", "a b"),
            ("tail -1 <<< \"a b\"", "a b"),
            ("ls x; echo y", "y"),
            ("( echo a; echo b )", "a/b"),
            ("echo \"'a' \\\"b\\\"\"", "'a' \"b\""),
            ("git log a b", ""),
        ] {
            let got = said(commands.as_bytes()).join(&b'/');
            assert_eq!(String::from_utf8_lossy(&got), want, "{commands}");
        }
    }

    #[test]
    fn what_xargs_makes_of_it() {
        for (text, quoted, plain) in [
            ("a b", "a|b", "a|b"),
            ("'a b' c", "a b|c", "'a|b'|c"),
            ("co\"re.x\" ./y", "core.x|./y", "co\"re.x\"|./y"),
            ("f\\ x out", "f x|out", "f\\|x|out"),
            ("a\\nb", "anb", "a|b"),
            ("$x b", "$x|b", "$x|b"),
        ] {
            assert_eq!(shown(&fields(text.as_bytes(), true)), quoted, "{text}");
            assert_eq!(shown(&fields(text.as_bytes(), false)), plain, "{text}");
        }
    }
}
