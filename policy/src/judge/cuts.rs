//! Where what is read is cut into words: at blanks, at IFS, and at what `read -d` and `xargs -d` are told. Which of them
//! holds for which text is not followed: each is tried on all of them.
use std::rc::Rc;

use super::edits::WORDS;
use crate::arg::Arg;

/// Where the text being walked may cut.
#[derive(Clone, Debug, Default)]
pub(super) struct Cuts {
    /// Sets of separators.
    sets: Vec<Vec<u8>>,
    /// Wherever: so many bytes at a time, or at what is known only at run time.
    anywhere: bool,
    /// Words are handed on some at a time.
    grouped: bool,
}

impl Cuts {
    /// True if at blanks only, and all at once or one by one.
    pub fn is_plain(&self) -> bool {
        self.sets.is_empty() && !self.anywhere && !self.grouped
    }

    /// Notes a value of IFS.
    pub fn ifs(&mut self, value: &Arg) {
        self.at(value);
    }

    /// Notes what a command that reads words is told.
    pub fn told(&mut self, words: &[Arg]) {
        let is = |a: &Arg| {
            matches!(
                a.literal(),
                Some(b"read" | b"mapfile" | b"readarray" | b"xargs" | b"gxargs" | b"parallel")
            )
        };
        for (at, word) in words.iter().enumerate().filter(|(_, a)| is(a)) {
            let rest = words.get(at + 1..).unwrap_or_default();
            match word.literal() {
                Some(b"read" | b"mapfile" | b"readarray") => self.read(rest),
                name => {
                    self.grouped |= name == Some(b"parallel");
                    self.xargs(rest);
                }
            }
        }
    }

    /// Options of `read`, `mapfile` (bash(1)) and zsh's `read` (zshbuiltins(1)).
    fn read(&mut self, words: &[Arg]) {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            // Names of variables may stand between them in zsh alone; none of them begins with a dash.
            let Some(letters) = word.known_prefix().strip_prefix(b"-") else { continue };
            let mut letters = letters.iter();
            while let Some(letter) = letters.next() {
                if b"nNkq".contains(letter) {
                    self.anywhere = true;
                }
                if b"dptiuaO".contains(letter) {
                    let rest = letters.as_slice();
                    let value = match rest.is_empty() {
                        true => words.next().cloned(),
                        false => Some(Arg::lit(rest)),
                    };
                    if let Some(value) = value.filter(|_| *letter == b'd') {
                        self.at(&value);
                    }
                    break;
                }
            }
        }
    }

    /// Options of xargs(1) and parallel(1).
    fn xargs(&mut self, words: &[Arg]) {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(option) = word.known_prefix().strip_prefix(b"-") else { break };
            if let Some(long) = option.strip_prefix(b"-") {
                let mut halves = long.splitn(2, |b| *b == b'=');
                let (name, value) = (halves.next().unwrap_or_default(), halves.next());
                let own = ["delimiter", "colsep"]
                    .iter()
                    .any(|n| !name.is_empty() && n.as_bytes().starts_with(name));
                if own {
                    match value.filter(|_| !word.is_dynamic()) {
                        Some(value) => self.at(&Arg::lit(value)),
                        None if value.is_none() => words.next().into_iter().for_each(|v| self.at(v)),
                        None => self.anywhere = true,
                    }
                }
                self.grouped |= !own && !matches!(name, b"null" | b"no-run-if-empty" | b"verbose");
                continue;
            }
            let mut letters = option.iter();
            while let Some(letter) = letters.next() {
                self.grouped |= b"nLlsEexNm".contains(letter);
                // What these take may be another word.
                if b"dCaEILnPsj".contains(letter) {
                    let rest = letters.as_slice();
                    let value = match rest.is_empty() {
                        true => words.next().cloned(),
                        false => Some(Arg::lit(rest)),
                    };
                    if let Some(value) = value.filter(|_| b"dC".contains(letter)) {
                        self.at(&value);
                    }
                    break;
                }
            }
        }
    }

    fn at(&mut self, value: &Arg) {
        let set = match value.literal() {
            Some(b"\\n") => b"\n",
            Some(b"\\t") => b"\t",
            // NUL stands in no text.
            Some(b"" | b"\\0") => return,
            Some(set) if set.len() > 1 && set.contains(&b'\\') => return self.anywhere = true,
            Some(set) => set,
            None => return self.anywhere = true,
        };
        if self.sets.len() < WORDS && !self.sets.iter().any(|s| s == set) {
            self.sets.push(set.to_vec());
        }
    }

    /// The words, beside those between its blanks, that a text may be cut into, and several of them with blanks between;
    /// `None` if it may be any piece of it.
    pub fn words(&self, text: &[u8]) -> Option<Vec<Vec<u8>>> {
        if self.anywhere {
            return None;
        }
        let mut out: Vec<Vec<u8>> = Vec::new();
        let mut add = |word: Vec<u8>| {
            if !word.is_empty() && out.len() <= 4 * WORDS && !out.contains(&word) {
                out.push(word);
            }
        };
        for set in &self.sets {
            let mut all: Vec<&[u8]> = Vec::new();
            for line in text.split(|b| *b == b'\n') {
                let fields: Vec<&[u8]> = line.split(|b| set.contains(b)).collect();
                let mut from = 0;
                for field in &fields {
                    add(field.trim_ascii().to_vec());
                    // The last variable gets what is left of the line.
                    add(line.get(from..).unwrap_or_default().trim_ascii().to_vec());
                    from += field.len() + 1;
                }
                all.extend(fields.into_iter().filter(|f| !f.is_empty()));
            }
            add(all.join(&b' '));
            self.groups(&all, &mut add);
        }
        let blanks: Vec<&[u8]> = text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect();
        self.groups(&blanks, &mut add);
        (out.len() <= 4 * WORDS).then_some(out)
    }

    /// Some at a time.
    fn groups(&self, words: &[&[u8]], add: &mut dyn FnMut(Vec<u8>)) {
        if !self.grouped {
            return;
        }
        for many in 2..=4 {
            words.windows(many).for_each(|some| add(some.join(&b' ')));
        }
        for many in 5..words.len() {
            words.get(..many).into_iter().for_each(|some| add(some.join(&b' ')));
        }
    }
}

/// What xargs or parallel replaces by what it reads, as far as their words say it.
pub(super) fn mark(words: &[Arg]) -> Rc<[u8]> {
    for (at, word) in words.iter().enumerate() {
        let Some(option) = word.literal().and_then(|w| w.strip_prefix(b"-")) else { continue };
        if let Some(long) = option.strip_prefix(b"-") {
            if let Some(mark) = long.strip_prefix(b"replace=") {
                return mark.into();
            }
            continue;
        }
        let Some(letter) = option.iter().position(|b| b"IiJ".contains(b)) else { continue };
        return match (option.get(letter + 1..).unwrap_or_default(), option.get(letter)) {
            ([], Some(b'i')) => break,
            ([], _) => words.get(at + 1).and_then(Arg::literal).unwrap_or_default().into(),
            (mark, _) => mark.into(),
        };
    }
    b"{}".as_slice().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str) -> Cuts {
        let mut cuts = Cuts::default();
        cuts.told(&command.split(' ').map(Arg::lit).collect::<Vec<_>>());
        cuts
    }

    #[test]
    fn what_a_text_is_cut_into() {
        for (command, text, words) in [
            ("read -d: a", "pre:x", "pre|pre:x|x|pre x"),
            ("read -d : a", "pre:x", "pre|pre:x|x|pre x"),
            ("read -rd: a", "pre:x", "pre|pre:x|x|pre x"),
            ("read -r a", "pre:x", ""),
            ("read -a a", "a,b", ""),
            ("xargs -d, git config", "a,b c", "a|a,b c|b c|a b c"),
            ("xargs -rd, x", "a,b", "a|a,b|b|a b"),
            ("xargs --delimiter=, x", "a,b", "a|a,b|b|a b"),
            ("xargs --delim , x", "a,b", "a|a,b|b|a b"),
            ("xargs -d \\n x", "a\nb", "a|b|a b"),
            ("xargs -0 x", "a,b", ""),
            ("xargs x -d,", "a,b", ""),
            ("xargs -n2 x", "a b c", "a b|a b c|b c"),
            ("env xargs -L 1 x", "a b\nc", "a b|a b c|b c"),
        ] {
            let got = told(command).words(text.as_bytes()).unwrap().join(&b'|');
            let mut got: Vec<_> = got.split(|b| *b == b'|').map(String::from_utf8_lossy).collect();
            let mut want: Vec<_> = words.split('|').collect();
            got.sort();
            want.sort();
            assert_eq!(got, want, "{command}");
        }
        for command in ["read -n3 a", "read -rn 3 a", "read -N3 a", "xargs -d \\x2c x"] {
            assert_eq!(told(command).words(b"abc"), None, "{command}");
        }
        let mut cuts = Cuts::default();
        assert!(cuts.is_plain());
        cuts.ifs(&Arg::lit(""));
        assert!(cuts.is_plain());
        cuts.ifs(&Arg::lit(":,"));
        assert_eq!(cuts.words(b"a:b,c").unwrap().join(&b' '), b"a a:b,c b b,c c a b c");
        let many: Vec<u8> = (0..300).flat_map(|n| format!("{n},").into_bytes()).collect();
        assert_eq!(cuts.words(&many), None);
    }

    #[test]
    fn what_is_replaced() {
        for (command, want) in [
            ("-I% make", "%"),
            ("-I % make", "%"),
            ("-0rI XX make", "XX"),
            ("-i make", "{}"),
            ("-i@ make", "@"),
            ("--replace=@ make", "@"),
            ("--replace make", "{}"),
            ("make", "{}"),
        ] {
            let words: Vec<Arg> = command.split(' ').map(Arg::lit).collect();
            assert_eq!(*mark(&words), *want.as_bytes(), "{command}");
        }
    }
}
