//! What words become that programs write to: with the values of their variables, which may be patterns, and with what the
//! commands of a substitution or of a pipeline print of their own words. For the question where a word may lead, so that
//! one too many costs a look at a file and no more.
use crate::tables::words::{WordList, words};
use std::cell::Cell;

use super::{Given, MOST, made};
use crate::arg::Arg;
use crate::resolve::last_component;

/// Deepest chain of variables that is followed.
const DEEPEST: usize = 6;

/// Programs that print names of what lies in a folder. (What find(1) finds is asked of its own words.)
const LISTS: WordList = words![
    "dir", "du", "exa", "eza", "fd", "fdfind", "file", "find", "git", "grep", "ls", "lsd", "lsattr", "rg",
    "stat", "tree", "vdir", "wc",
];

/// Programs that print where a link leads.
const LEADS: WordList = words!["readlink", "realpath"];

/// What the words of one command become.
#[derive(Debug, Default)]
pub(in crate::judge) struct Spelled {
    /// Words, as patterns.
    pub words: Vec<Vec<u8>>,
    /// The words of each find(1) whose output may be in them.
    pub finds: Vec<Vec<Arg>>,
    /// There may be others, too many to tell.
    pub too_many: bool,
    /// There may be others, since something in the word comes from elsewhere.
    pub open: bool,
}

impl Given {
    /// What a word may become; `mark` = what xargs puts its words in place of, where the command is one of its.
    pub fn spelled(&self, word: &Arg, mark: &[u8], body: bool, env: &[Vec<u8>]) -> Spelled {
        let (mut out, looks) = (Spelled::default(), Cell::new(0));
        let Arg::Dynamic { source, .. } = word else { return out };
        let scope = Scope { given: self, body: Cell::new(body), env, looks: &looks };
        let mut known = false;
        let mut words = scope.spell(source, 0, &mut known, &mut out);
        if self.listed.is_some() && !source.contains(&b'$') {
            out.open = true;
            let mut list = self.fed.as_deref().map(|fed| scope.spell(fed, 0, &mut known, &mut out));
            for word in &self.written {
                list.get_or_insert_default().extend(scope.value(word, 0, &mut known, &mut out));
            }
            if let Some(fed) = self.fed.as_deref() {
                let cut = self.cut(fed);
                let (more, cut_off) = self.look_up(fed, false, body, env);
                let more = more.filter(|all| all.len() < MOST);
                out.too_many |= cut_off;
                let list = list.get_or_insert_default();
                let more = more.iter().flat_map(|all| all.iter()).flat_map(|reading| &reading.words);
                list.extend(more.map(|word| word.shown().to_vec()));
                for word in &cut {
                    list.extend(scope.value(word, 0, &mut known, &mut out));
                }
            }
            let list = list.unwrap_or_default();
            known |= !list.is_empty();
            words = match source.windows(mark.len().max(1)).position(|w| w == mark) {
                Some(at) if !mark.is_empty() => {
                    let (front, behind) = source.split_at(at);
                    let behind = behind.get(mark.len()..).unwrap_or_default();
                    list.iter().map(|w| [front, w, behind].concat()).collect()
                }
                _ => list,
            };
        }
        if known {
            out.words = words;
        }
        out.too_many |= looks.get() > MOST;
        out
    }
}

impl Given {
    /// What is given as it stands outside, where that is known at run time only: patterns, and commands that print it.
    /// `find` = the words of the find(1) that puts names in place of `{}`.
    pub fn led(
        mut self,
        positional: &[Arg],
        outer: &Given,
        mark: &[u8],
        find: Option<&[Arg]>,
        body: bool,
        env: &[Vec<u8>],
    ) -> Given {
        let names = |word: &[u8]| Arg::Dynamic { source: word.to_vec(), prefix: Vec::new(), single: false };
        for word in positional.iter().filter(|word| word.is_dynamic()) {
            let source = word.shown();
            let spelled = outer.spelled(word, mark, body, env);
            self.led.extend(spelled.words.iter().map(|w| names(w)));
            let of_find = find.filter(|_| source.windows(2).any(|w| w == b"{}"));
            for find in spelled.finds.iter().map(Vec::as_slice).chain(of_find) {
                let words: Vec<&[u8]> = find.iter().map(Arg::shown).collect();
                self.led.push(names(&[b"$(find ", words.join(&b' ').as_slice(), b")"].concat()));
            }
            if !source.iter().any(|b| b"$`".contains(b)) {
                self.led.push(names(source));
            }
        }
        self
    }
}

/// Where words are looked up.
struct Scope<'g> {
    given: &'g Given,
    /// It stands in a function, or what one sets or prints is in it.
    body: Cell<bool>,
    env: &'g [Vec<u8>],
    looks: &'g Cell<usize>,
}

impl Scope<'_> {
    fn value(&self, word: &Arg, depth: usize, known: &mut bool, out: &mut Spelled) -> Vec<Vec<u8>> {
        match word {
            Arg::Literal(value) => {
                *known = true;
                vec![value.clone()]
            }
            Arg::Dynamic { source, .. } => {
                // A pattern.
                *known |= !source.iter().any(|b| b"$`".contains(b));
                self.spell(source, depth, known, out)
            }
        }
    }

    fn spell(&self, source: &[u8], depth: usize, known: &mut bool, out: &mut Spelled) -> Vec<Vec<u8>> {
        let mut words = vec![Vec::new()];
        let (mut rest, mut quoted) = (source, false);
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            let (raw, behind) = match byte {
                b'"' => {
                    quoted = !quoted;
                    continue;
                }
                b'\\' => {
                    let (next, behind) = after.split_at(after.len().min(1));
                    words.iter_mut().for_each(|w| w.extend_from_slice(next));
                    rest = behind;
                    continue;
                }
                b'\'' if !quoted => {
                    let end = after.iter().position(|b| *b == b'\'').unwrap_or(after.len());
                    words.iter_mut().for_each(|w| w.extend_from_slice(after.get(..end).unwrap_or_default()));
                    rest = after.get(end + 1..).unwrap_or_default();
                    continue;
                }
                b'`' => after.split_at(after.iter().position(|b| *b == b'`').unwrap_or(after.len())),
                b'$' => match after.first() {
                    Some(b'(') => made::enclosed(after, b'(', b')'),
                    Some(b'{') => made::enclosed(after, b'{', b'}'),
                    // The last job and the options: there may be none.
                    Some(b'!' | b'-') => {
                        *known = true;
                        rest = after.get(1..).unwrap_or_default();
                        continue;
                    }
                    _ => after.split_at(made::name(after)),
                },
                _ => {
                    let marks = |b: &u8| matches!(b, b'"' | b'\\' | b'\'' | b'`' | b'$');
                    let (text, behind) = after.split_at(after.iter().position(marks).unwrap_or(after.len()));
                    for word in &mut words {
                        word.push(*byte);
                        word.extend_from_slice(text);
                    }
                    rest = behind;
                    continue;
                }
            };
            let behind = if *byte == b'`' { behind.get(1..).unwrap_or_default() } else { behind };
            let mut more = match after.first() {
                _ if depth >= DEEPEST => Vec::new(),
                _ if *byte == b'`' => self.printed(raw, depth + 1, known, out),
                Some(b'(') if raw.first() == Some(&b'(') => Vec::new(),
                Some(b'(') => self.printed(raw, depth + 1, known, out),
                _ => self.variable(raw, depth + 1, known, out),
            };
            let raw = whole(source, after, behind);
            rest = behind;
            // A piece of a name may be nothing.
            let joined = |byte: Option<&u8>| byte.is_some_and(|b| !b"/\"".contains(b));
            let piece = joined(behind.first()) || words.iter().any(|w| joined(w.last()));
            if piece && !more.is_empty() && !more.iter().any(Vec::is_empty) {
                more.push(Vec::new());
            }
            if more.is_empty() {
                // It stays what is not known.
                out.open = true;
                words.iter_mut().for_each(|w| w.extend_from_slice(raw));
                continue;
            }
            if words.len() * more.len() > MOST {
                out.too_many = true;
                return words;
            }
            words = words.iter().flat_map(|f| more.iter().map(|b| [f.as_slice(), b].concat())).collect();
        }
        words
    }

    /// What a variable may be, `inside` its braces.
    fn variable(&self, inside: &[u8], depth: usize, known: &mut bool, out: &mut Spelled) -> Vec<Vec<u8>> {
        self.looks.set(self.looks.get() + 1);
        if self.looks.get() > MOST {
            return Vec::new();
        }
        let (name, op) = inside.split_at(made::name(inside));
        let mut words = Vec::new();
        self.given.enters(name, &self.body);
        let mut values = self.given.words_of(name, self.body.get(), self.env);
        if name.first().is_some_and(|b| b.is_ascii_digit() || b"@*".contains(b)) {
            values.extend_from_slice(&self.given.led);
        }
        for value in values {
            // Of a value that is written down pieces are known elsewhere; one of a name of a file may be any.
            match (&value, op.first()) {
                (_, None | Some(b'[')) => words.extend(self.value(&value, depth, known, out)),
                (Arg::Dynamic { .. }, Some(_)) => {
                    *known = true;
                    words.push(b"*".to_vec());
                }
                (Arg::Literal(_), Some(_)) => {}
            }
        }
        if op.strip_prefix(b":").unwrap_or(op).starts_with(b"+") {
            *known = true;
            words.push(Vec::new());
        }
        let instead = made::instead(op);
        if !instead.is_empty() {
            *known = true;
            words.extend(self.spell(instead, depth, known, out));
        }
        words.sort_unstable();
        words.dedup();
        words
    }

    /// What commands may print of their words, and of what these name.
    fn printed(&self, commands: &[u8], depth: usize, known: &mut bool, out: &mut Spelled) -> Vec<Vec<u8>> {
        let mut words: Vec<Vec<u8>> = Vec::new();
        out.open = true;
        for command in commands.split(|b| b"|;&\n()".contains(b)) {
            let mut parts =
                command.split(|b| b.is_ascii_whitespace() || b"<>".contains(b)).filter(|w| !w.is_empty());
            let in_front = |w: &&[u8]| {
                matches!(*w, b"command" | b"sudo" | b"env" | b"nice" | b"{" | b"do" | b"then" | b"else")
                    || w.contains(&b'=')
            };
            let Some(name) = parts.find(|w| !in_front(w)) else { continue };
            if depth < DEEPEST
                && let Some(body) = self.given.body(name, &self.body)
            {
                self.looks.set(self.looks.get() + 1);
                if self.looks.get() <= MOST {
                    words.extend(self.printed(body, depth + 1, known, out));
                }
                continue;
            }
            let name = last_component(name);
            let is = |list: WordList| list.has(name);
            let (lists, leads, finds) = (is(LISTS), is(LEADS), matches!(name, b"find" | b"gfind"));
            let is_ls = !matches!(name, b"git" | b"grep" | b"rg");
            let (mut all, mut itself, mut named) = (false, false, Vec::new());
            let mut args = Vec::new();
            for part in parts {
                let spelled = match part.iter().any(|b| b"$`".contains(b)) {
                    true => self.spell(part, depth, known, out),
                    false => vec![made::unquoted(part)],
                };
                for word in spelled {
                    if word.first() == Some(&b'-') && !word.starts_with(b"-/") {
                        let letters = word.get(1..).unwrap_or_default();
                        let long = letters.strip_prefix(b"-");
                        all |= long.map_or(is_ls && letters.iter().any(|b| b"aAfH".contains(b)), |l| {
                            l.starts_with(b"all") || l.starts_with(b"almost") || l == b"hidden"
                        });
                        itself |= letters == b"d" || (letters.contains(&b'd') && !letters.contains(&b'-'));
                        named.extend(
                            word.iter()
                                .position(|b| *b == b'=')
                                .and_then(|at| word.get(at + 1..))
                                .map(<[u8]>::to_vec),
                        );
                    } else {
                        named.push(word.clone());
                    }
                    args.push(Arg::Literal(word));
                }
            }
            if finds {
                let name = args.iter().position(|a| matches!(a.literal(), Some(b"-name" | b"-iname")));
                let name = name.and_then(|at| args.get(at + 1)).map_or(&b"*"[..], Arg::shown);
                // What stands behind the first test is no place to start.
                let option = |a: &&Arg| matches!(a.shown(), b"-H" | b"-L" | b"-P");
                let starts = args.iter().skip_while(option).map(Arg::shown);
                let starts = starts.take_while(|w| !w.starts_with(b"-") && !matches!(*w, b"!" | b"("));
                let deep: Vec<Vec<u8>> = starts.map(|w| [w, &b"/"[..], name].concat()).collect();
                words.extend(deep);
                out.finds.push(args);
                *known = true;
                continue;
            }
            if name == b"printf" {
                words.extend(named.first().map(|format| filled_in(format)));
            }
            *known |= !named.is_empty() || lists;
            if lists && !(itself && name == b"ls") {
                for word in &named {
                    words.push([word, &b"/*"[..]].concat());
                    if all {
                        words.push([word, &b"/.*"[..]].concat());
                    }
                }
                words.push(b"*".to_vec());
                if all {
                    words.push(b".*".to_vec());
                }
            }
            if leads {
                words.extend(named.iter().map(|w| [w, &b"/."[..]].concat()));
            }
            words.extend(named);
        }
        words.sort_unstable();
        words.dedup();
        words.truncate(MOST);
        words
    }
}

/// A format of printf(1) as a pattern.
fn filled_in(format: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), format);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte == b'%' {
            let end = after.iter().position(u8::is_ascii_alphabetic).map_or(after.len(), |end| end + 1);
            rest = after.get(end..).unwrap_or_default();
            // A backslash is gone by now, and what stood behind it may be the end of the line.
            out.push(b'*');
        } else {
            out.push(*byte);
        }
    }
    match out.strip_suffix(b"*n") {
        Some(front) => [front, b"*"].concat(),
        None => out,
    }
}

/// A dollar or backquote and what belongs to it.
fn whole<'s>(source: &'s [u8], after: &[u8], behind: &[u8]) -> &'s [u8] {
    let from = source.len() - after.len() - 1;
    source.get(from..source.len() - behind.len()).unwrap_or_default()
}
