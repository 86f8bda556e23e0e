//! Option parsing as GNU `getopt_long` does it, over words that may be dynamic.
//!
//! Shared by safe bins, wrappers and hazards: each describes a program's options as a [`Spec`] and reads
//! the [`Item`]s. Nothing here decides.
//! Source: getopt(3), glibc manual "Parsing Long Options with getopt_long".
use crate::arg::Arg;

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// No value.
    Nothing,
    /// A value, attached or in the next word.
    Value,
    /// A value only if attached (`-eX`, `--name=X`).
    Optional,
    /// Two values in the next two words (jq's `--arg`).
    Two,
}

/// The options of one program.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Short options, as in getopt(3): a letter, followed by `:` for a value, `::` for an optional one.
    pub short: &'static str,
    /// Long options without the leading dashes.
    pub long: Longs,
    /// True: options may follow operands (GNU). False: the first operand ends them (`+`, POSIX).
    pub permute: bool,
    /// True: long options may be shortened to any unique prefix.
    pub abbreviate: bool,
    /// True: a single dash introduces long options too (find, java, gcc).
    pub single_dash_long: bool,
}

/// Names of long options with what they take, in one piece: see [`WordList`](crate::tables::words::WordList).
#[derive(Clone, Copy, Debug)]
pub struct Longs(&'static [u8]);

impl Longs {
    /// No option.
    pub const NONE: Longs = Longs(&[]);

    /// What [`packed`] made.
    pub const fn of(packed: &'static [u8]) -> Longs {
        Longs(packed)
    }

    /// Each of them, in order.
    pub fn iter(self) -> impl Iterator<Item = (&'static [u8], Takes)> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let [takes, length, after @ ..] = rest else { return None };
            let (name, behind) = after.split_at_checked(usize::from(*length))?;
            rest = behind;
            let takes = match takes {
                0 => Takes::Nothing,
                1 => Takes::Value,
                2 => Takes::Optional,
                _ => Takes::Two,
            };
            Some((name, takes))
        })
    }

    /// True if there is none.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// How long a list is when it is packed, in bytes.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
pub const fn size(options: &[(&str, Takes)]) -> usize {
    let (mut size, mut at) = (0, 0);
    while at < options.len() {
        size += 2 + options[at].0.len();
        at += 1;
    }
    size
}

/// Each option as what it takes, the length of its name, and the name.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
pub const fn packed<const SIZE: usize>(options: &[(&str, Takes)]) -> [u8; SIZE] {
    let mut out = [0; SIZE];
    let (mut to, mut at) = (0, 0);
    while at < options.len() {
        let name = options[at].0.as_bytes();
        assert!(name.len() < 256, "a longer name has no place here");
        out[to] = match options[at].1 {
            Takes::Nothing => 0,
            Takes::Value => 1,
            Takes::Optional => 2,
            Takes::Two => 3,
        };
        out[to + 1] = name.len() as u8;
        to += 2;
        let mut byte = 0;
        while byte < name.len() {
            out[to] = name[byte];
            to += 1;
            byte += 1;
        }
        at += 1;
    }
    out
}

/// [`Longs`] of pairs that are constant.
macro_rules! longs {
    ($($option:expr),* $(,)?) => {{
        const LIST: &[(&str, $crate::getopt::Takes)] = &[$($option),*];
        const PACKED: [u8; $crate::getopt::size(LIST)] = $crate::getopt::packed(LIST);
        $crate::getopt::Longs::of(&PACKED)
    }};
}
pub(crate) use longs;

/// One item of a command line, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A short option: its letter, the index of the word it stands in.
    Short(u8, usize),
    /// A short option with its value.
    ShortValue(u8, usize, Arg),
    /// A long option by its full name.
    Long(&'static str, usize),
    /// A long option with its value.
    LongValue(&'static str, usize, Arg),
    /// A long option with two values.
    LongTwo(&'static str, usize, Arg, Arg),
    /// An operand, by the index of its word.
    Operand(usize),
    /// The `--` that ends the options.
    End(usize),
    /// An option the program does not have, an ambiguous abbreviation, a missing or unexpected value.
    Unknown(usize),
    /// A dynamic word in a place where it could become an option.
    DynamicOption(usize),
}

/// Splits `args` (without `argv[0]`) into items. Total: it never fails, what is not understood is
/// [`Item::Unknown`].
pub fn parse(spec: &Spec, args: &[Arg]) -> Vec<Item> {
    items(spec, args).collect()
}

/// The same one by one, for who stops early: what stands behind is then not looked at.
pub fn items<'a>(spec: &'a Spec, args: &'a [Arg]) -> Items<'a> {
    Items { spec, args, i: 0, only_operands: false, ready: Vec::new().into_iter() }
}

/// The items of a command line.
#[derive(Debug)]
pub struct Items<'a> {
    spec: &'a Spec,
    args: &'a [Arg],
    i: usize,
    only_operands: bool,
    /// Those of the word read last.
    ready: std::vec::IntoIter<Item>,
}

impl Iterator for Items<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.next() {
                return Some(item);
            }
            let arg = self.args.get(self.i)?;
            let mut out = Vec::new();
            self.word(arg, &mut out);
            self.ready = out.into_iter();
        }
    }
}

impl Items<'_> {
    /// Reads one word, and the words that are values of its options.
    fn word(&mut self, arg: &Arg, out: &mut Vec<Item>) {
        let Items { spec, args, .. } = *self;
        let at = self.i;
        self.i += 1;
        if self.only_operands {
            out.push(Item::Operand(at));
            return;
        }
        let word = match arg {
            Arg::Literal(b) => b.as_slice(),
            Arg::Dynamic { .. } => {
                if arg.may_be_option() {
                    out.push(Item::DynamicOption(at));
                } else {
                    out.push(Item::Operand(at));
                }
                self.only_operands |= !spec.permute;
                return;
            }
        };
        if word == b"--" {
            out.push(Item::End(at));
            self.only_operands = true;
        } else if let Some(rest) = word.strip_prefix(b"--") {
            long(spec, rest, at, args, &mut self.i, out);
        } else if word.len() > 1 && word.first() == Some(&b'-') {
            let rest = word.get(1..).unwrap_or_default();
            if spec.single_dash_long {
                long(spec, rest, at, args, &mut self.i, out);
            } else {
                cluster(spec, rest, at, args, &mut self.i, out);
            }
        } else {
            out.push(Item::Operand(at));
            self.only_operands |= !spec.permute;
        }
    }
}

fn long(spec: &Spec, rest: &[u8], at: usize, args: &[Arg], i: &mut usize, out: &mut Vec<Item>) {
    let (name, attached) = match rest.iter().position(|b| *b == b'=') {
        Some(p) => (rest.get(..p).unwrap_or_default(), rest.get(p + 1..)),
        None => (rest, None),
    };
    let Some((name, takes)) = find_long(spec, name) else {
        out.push(Item::Unknown(at));
        return;
    };
    match (takes, attached) {
        (Takes::Nothing, None) | (Takes::Optional, None) => out.push(Item::Long(name, at)),
        (Takes::Nothing, Some(_)) | (Takes::Two, Some(_)) => out.push(Item::Unknown(at)),
        (Takes::Value | Takes::Optional, Some(v)) => out.push(Item::LongValue(name, at, Arg::lit(v))),
        (Takes::Value, None) => match args.get(*i) {
            Some(v) => {
                *i += 1;
                out.push(Item::LongValue(name, at, v.clone()));
            }
            None => out.push(Item::Unknown(at)),
        },
        (Takes::Two, None) => match (args.get(*i), args.get(*i + 1)) {
            (Some(a), Some(b)) => {
                *i += 2;
                out.push(Item::LongTwo(name, at, a.clone(), b.clone()));
            }
            _ => out.push(Item::Unknown(at)),
        },
    }
}

/// The option of that name: exact, or the only one it is a prefix of.
fn find_long(spec: &Spec, name: &[u8]) -> Option<(&'static str, Takes)> {
    let text = |(name, takes)| Some((std::str::from_utf8(name).ok()?, takes));
    if let Some(hit) = spec.long.iter().find(|(n, _)| *n == name) {
        return text(hit);
    }
    if !spec.abbreviate || name.is_empty() {
        return None;
    }
    let mut hits = spec.long.iter().filter(|(n, _)| n.starts_with(name));
    let first = hits.next()?;
    // getopt_long calls two names of one option unambiguous; we do not know that they are one.
    if hits.next().is_some() { None } else { text(first) }
}

fn cluster(spec: &Spec, letters: &[u8], at: usize, args: &[Arg], i: &mut usize, out: &mut Vec<Item>) {
    let mut k = 0;
    while let Some(letter) = letters.get(k).copied() {
        k += 1;
        let rest = letters.get(k..).unwrap_or_default();
        match short_takes(spec, letter) {
            None => {
                out.push(Item::Unknown(at));
                return;
            }
            Some(Takes::Nothing | Takes::Two) => out.push(Item::Short(letter, at)),
            Some(Takes::Optional) => {
                if rest.is_empty() {
                    out.push(Item::Short(letter, at));
                } else {
                    out.push(Item::ShortValue(letter, at, Arg::lit(rest)));
                }
                return;
            }
            Some(Takes::Value) => {
                if !rest.is_empty() {
                    out.push(Item::ShortValue(letter, at, Arg::lit(rest)));
                } else if let Some(v) = args.get(*i) {
                    *i += 1;
                    out.push(Item::ShortValue(letter, at, v.clone()));
                } else {
                    out.push(Item::Unknown(at));
                }
                return;
            }
        }
    }
}

fn short_takes(spec: &Spec, letter: u8) -> Option<Takes> {
    if letter == b':' {
        return None;
    }
    let s = spec.short.as_bytes();
    let at = s.iter().position(|b| *b == letter)?;
    Some(match (s.get(at + 1), s.get(at + 2)) {
        (Some(b':'), Some(b':')) => Takes::Optional,
        (Some(b':'), _) => Takes::Value,
        _ => Takes::Nothing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: Spec = Spec {
        short: "no:e::",
        long: longs![("output", Takes::Value), ("quiet", Takes::Nothing), ("quick", Takes::Optional)],
        permute: true,
        abbreviate: true,
        single_dash_long: false,
    };

    fn items(words: &[&str]) -> Vec<Item> {
        parse(&SPEC, &words.iter().map(Arg::lit).collect::<Vec<_>>())
    }

    #[test]
    fn clusters_values_and_abbreviations() {
        assert_eq!(items(&["-nofile"]), [Item::Short(b'n', 0), Item::ShortValue(b'o', 0, Arg::lit("file"))]);
        assert_eq!(items(&["-no", "f"]), [Item::Short(b'n', 0), Item::ShortValue(b'o', 0, Arg::lit("f"))]);
        assert_eq!(items(&["--out=f"]), [Item::LongValue("output", 0, Arg::lit("f"))]);
        assert_eq!(items(&["--qui"]), [Item::Unknown(0)]);
        assert_eq!(items(&["--quie"]), [Item::Long("quiet", 0)]);
        assert_eq!(items(&["-x"]), [Item::Unknown(0)]);
        assert_eq!(
            items(&["a", "-n", "--", "-n"]),
            [Item::Operand(0), Item::Short(b'n', 1), Item::End(2), Item::Operand(3)]
        );
        assert_eq!(items(&["-"]), [Item::Operand(0)]);
        assert_eq!(items(&["-o"]), [Item::Unknown(0)]);
    }
}
