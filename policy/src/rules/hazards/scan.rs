//! Words into options and operands, in the manner of one program, where only some options are known.
//!
//! Differs from [`crate::getopt`] on purpose: that one closes the list (an unknown option is a doubt), this
//! one looks for a few options among many and takes an unknown one for a flag.
use crate::arg::Arg;
use crate::tables::hazards::Opts;

/// A value as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Val<'a> {
    /// These bytes.
    Known(&'a [u8]),
    /// Bytes that begin so, the rest is known at run time.
    Dynamic(&'a [u8]),
}

/// An option's name as written, without dashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name<'a> {
    Short(u8),
    Long(&'a [u8]),
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opt<'a> {
    pub(super) name: Name<'a>,
    pub(super) val: Option<Val<'a>>,
    pub(super) at: usize,
}

/// A command line taken apart.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) args: &'a [Arg],
    pub(super) opts: Vec<Opt<'a>>,
    /// Operands by their place.
    pub(super) operands: Vec<usize>,
    /// Dynamic words that could turn out to be options.
    pub(super) dynamic: Vec<usize>,
    /// The place of `--`, or the number of words.
    pub(super) end: usize,
    /// Another reading may be the program's.
    pub(super) doubt: bool,
    reading: Reading,
}

/// How to read a word behind an option that takes a value, or may. Versions and sub-commands differ in which do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// It is the value.
    Value,
    /// It is the value, and if it looks like an option it is one as well; what is short for an option's name may as
    /// well be the name of a flag.
    Both,
}

impl<'a> Seen<'a> {
    /// The value of the word at a place.
    pub(super) fn word(&self, at: usize) -> Option<Val<'a>> {
        self.args.get(at).map(value)
    }
}

/// What is known of one word.
pub(super) fn value(arg: &Arg) -> Val<'_> {
    match arg {
        Arg::Literal(b) => Val::Known(b),
        Arg::Dynamic { prefix, .. } => Val::Dynamic(prefix),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    /// A value whatever it looks like, in every version.
    Whatever,
    Attached,
    Digits,
    Last,
}

/// Whether options may follow.
#[derive(PartialEq, Eq)]
enum Goes {
    On,
    Ended,
}

/// Takes `args` apart. `stop` = the first operand ends the options whatever the style (it is a sub-command).
pub(super) fn scan<'a>(opts: &Opts, args: &'a [Arg], stop: bool, reading: Reading) -> Seen<'a> {
    let mut seen = Seen {
        args,
        opts: Vec::new(),
        operands: Vec::new(),
        dynamic: Vec::new(),
        end: args.len(),
        doubt: false,
        reading,
    };
    let most = if stop { 1 } else { usize::from(opts.style.stop) };
    let mut i = 0;
    let mut only_operands = false;
    while let Some(arg) = args.get(i) {
        let at = i;
        i += 1;
        if only_operands {
            seen.operands.push(at);
            continue;
        }
        let (word, known) = match arg {
            Arg::Literal(b) => (b.as_slice(), true),
            Arg::Dynamic { prefix, .. } => (prefix.as_slice(), false),
        };
        if word == b"--" && known {
            seen.end = at;
            only_operands = true;
        } else if word.len() > 1 && word.first() == Some(&b'-') {
            let rest = word.get(1..).unwrap_or_default();
            let double = rest.strip_prefix(b"-");
            if !known {
                seen.dynamic.push(at);
            }
            let goes = match (double, opts.style.single_dash) {
                (Some(name), _) => long(opts, name, known, at, &mut i, &mut seen),
                (None, true) => long(opts, rest, known, at, &mut i, &mut seen),
                (None, false) => cluster(opts, rest, known, at, &mut i, &mut seen, false),
            };
            if goes == Goes::Ended {
                only_operands = true;
                seen.end = i;
            }
        } else if at == 0 && known && opts.style.bundle && !word.is_empty() {
            let _ = cluster(opts, word, true, at, &mut i, &mut seen, true);
        } else {
            if arg.is_dynamic() && arg.may_be_option() {
                seen.dynamic.push(at);
            }
            seen.operands.push(at);
            if seen.operands.len() >= most {
                only_operands = true;
                seen.end = seen.end.min(at + 1);
            }
        }
    }
    seen
}

fn long<'a>(opts: &Opts, word: &'a [u8], known: bool, at: usize, i: &mut usize, seen: &mut Seen<'a>) -> Goes {
    let (name, attached) = match word.iter().position(|b| *b == b'=') {
        Some(p) => (word.get(..p).unwrap_or_default(), word.get(p + 1..)),
        None => (word, None),
    };
    if attached.is_none() && !known {
        // `--out$x` may name anything: the word is already noted as dynamic.
        return Goes::On;
    }
    let takes = long_takes(opts, name);
    let val = match attached {
        Some(v) if known => Some(Val::Known(v)),
        Some(v) => Some(Val::Dynamic(v)),
        None => match takes {
            (Takes::Value, false) => {
                seen.doubt = true;
                if seen.reading == Reading::Both { None } else { next(seen, i, Takes::Value) }
            }
            (Takes::Whatever, false) => None,
            (takes @ (Takes::Value | Takes::Whatever | Takes::Last), _) => next(seen, i, takes),
            _ => None,
        },
    };
    seen.opts.push(Opt { name: Name::Long(name), val, at });
    if takes.0 == Takes::Last { Goes::Ended } else { Goes::On }
}

/// The next word as a value. Where the options end with it, there is nothing to doubt.
fn next<'a>(seen: &mut Seen<'a>, i: &mut usize, takes: Takes) -> Option<Val<'a>> {
    let arg = seen.args.get(*i)?;
    let option = takes == Takes::Value && looks_like_one(arg);
    seen.doubt |= option;
    if !option || seen.reading == Reading::Value {
        *i += 1;
    }
    Some(value(arg))
}

/// An option, rather than `-`, `--`, a number (`-2 days`) or an item of a list (`- fix it`).
fn looks_like_one(arg: &Arg) -> bool {
    match arg.known_prefix() {
        [b'-', second, ..] => {
            !second.is_ascii_digit() && !second.is_ascii_whitespace() && arg.literal() != Some(b"--")
        }
        [b'-'] => arg.is_dynamic(),
        _ => false,
    }
}

/// The words of a list, separated by blanks.
pub(super) fn words(list: &str) -> impl Iterator<Item = &[u8]> {
    let mut rest = list.as_bytes();
    std::iter::from_fn(move || {
        loop {
            let mut end = 0;
            while rest.get(end).is_some_and(|b| *b != b' ') {
                end += 1;
            }
            let (word, behind) = rest.split_at_checked(end)?;
            rest = behind.get(1..).unwrap_or_default();
            if !word.is_empty() {
                return Some(word);
            }
            if behind.is_empty() {
                return None;
            }
        }
    })
}

/// Whether a long option takes a separate value: by its full name (then `true`), or by the names it can be short for.
fn long_takes(opts: &Opts, name: &[u8]) -> (Takes, bool) {
    let mut found = Takes::Nothing;
    for entry in words(opts.long) {
        // Another one: most are told by what they begin with.
        if name.first().is_some_and(|first| *first != b'_' && entry.first() != Some(first)) {
            continue;
        }
        let eq = entry.iter().position(|b| *b == b'=').unwrap_or(entry.len());
        let full = entry.get(..eq).unwrap_or_default();
        let takes = match entry.get(eq + 1..) {
            Some(b"?") => Takes::Attached,
            Some(b"!") => Takes::Last,
            Some(b"+") => Takes::Whatever,
            Some(_) => Takes::Value,
            None => Takes::Nothing,
        };
        if spelled(name, full) {
            return (takes, true);
        }
        if opts.style.abbreviate && full.starts_with(name) {
            found = takes;
        }
    }
    (found, false)
}

/// The same name; an underscore is as good as a dash, as node and other programs read it.
fn spelled(written: &[u8], full: &[u8]) -> bool {
    written.len() == full.len() && written.iter().zip(full).all(|(w, f)| w == f || (*w == b'_' && *f == b'-'))
}

/// True if the long option `written` is `full`, or is short for it.
pub(super) fn is_long(opts: &Opts, written: &[u8], full: &[u8]) -> bool {
    if spelled(written, full) {
        return true;
    }
    opts.style.abbreviate
        && !written.is_empty()
        && full.starts_with(written)
        && !words(opts.long).any(|e| e.split(|b| *b == b'=').next() == Some(written))
}

fn cluster<'a>(
    opts: &Opts,
    letters: &'a [u8],
    known: bool,
    at: usize,
    i: &mut usize,
    seen: &mut Seen<'a>,
    bundle: bool,
) -> Goes {
    let mut k = 0;
    while let Some(letter) = letters.get(k).copied() {
        k += 1;
        let rest = letters.get(k..).unwrap_or_default();
        let name = Name::Short(letter);
        let attached = if known { Val::Known(rest) } else { Val::Dynamic(rest) };
        match short_takes(opts, letter) {
            Takes::Nothing => seen.opts.push(Opt { name, val: None, at }),
            // In a bundle the values follow in order, and letters go on.
            Takes::Value if bundle => {
                let val = next(seen, i, Takes::Value);
                seen.opts.push(Opt { name, val, at });
            }
            takes @ (Takes::Value | Takes::Whatever) => {
                let val = if rest.is_empty() && known { next(seen, i, takes) } else { Some(attached) };
                seen.opts.push(Opt { name, val, at });
                return Goes::On;
            }
            Takes::Last => {
                let val = if rest.is_empty() && known { next(seen, i, Takes::Last) } else { Some(attached) };
                seen.opts.push(Opt { name, val, at });
                return Goes::Ended;
            }
            Takes::Attached => {
                let val = (!rest.is_empty() || !known).then_some(attached);
                seen.opts.push(Opt { name, val, at });
                return Goes::On;
            }
            Takes::Digits => {
                seen.opts.push(Opt { name, val: None, at });
                while letters.get(k).is_some_and(u8::is_ascii_digit) {
                    k += 1;
                }
            }
        }
    }
    Goes::On
}

fn short_takes(opts: &Opts, letter: u8) -> Takes {
    if b":#!+".contains(&letter) {
        return Takes::Nothing;
    }
    let s = opts.short.as_bytes();
    let Some(at) = s.iter().position(|b| *b == letter) else {
        return Takes::Nothing;
    };
    match (s.get(at + 1), s.get(at + 2)) {
        (Some(b':'), Some(b':')) => Takes::Attached,
        (Some(b':'), Some(b'+')) => Takes::Whatever,
        (Some(b':'), _) => Takes::Value,
        (Some(b'#'), _) => Takes::Digits,
        (Some(b'!'), _) => Takes::Last,
        _ => Takes::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::hazards::{BUNDLE, GNU};

    const OPTS: Opts = Opts::new(GNU, "f:i::l#I:c!", "file= in-place=? filter");

    fn show(opts: &Opts, words: &[&str]) -> String {
        read(opts, words, Reading::Value)
    }

    fn read(opts: &Opts, words: &[&str], reading: Reading) -> String {
        let args: Vec<Arg> = words.iter().map(Arg::lit).collect();
        let seen = scan(opts, &args, false, reading);
        let mut out: Vec<String> = seen
            .opts
            .iter()
            .map(|o| {
                let name = match o.name {
                    Name::Short(c) => char::from(c).to_string(),
                    Name::Long(n) => String::from_utf8_lossy(n).into_owned(),
                };
                match o.val {
                    Some(Val::Known(v)) => format!("{name}={}", String::from_utf8_lossy(v)),
                    Some(Val::Dynamic(v)) => format!("{name}~{}", String::from_utf8_lossy(v)),
                    None => name,
                }
            })
            .collect();
        out.extend(seen.operands.iter().map(|at| format!("@{at}")));
        out.join(" ")
    }

    #[test]
    fn clusters_values_and_bundles() {
        for (words, expected) in [
            (vec!["-nffile", "x"], "n f=file @1"),
            (vec!["-nf", "file", "x"], "n f=file @2"),
            (vec!["-i.bak", "x"], "i=.bak @1"),
            (vec!["-l0ne"], "l n e"),
            (vec!["--fi", "a", "b"], "fi @1 @2"),
            (vec!["--file", "a", "b"], "file=a @2"),
            (vec!["-nc", "code", "-x"], "n c=code @2"),
            (vec!["--file=a", "--", "-x"], "file=a @2"),
        ] {
            assert_eq!(show(&OPTS, &words), expected, "{words:?}");
        }
        let tar = Opts::new(BUNDLE, "f:I:b:", "");
        assert_eq!(show(&tar, &["cbf", "20", "a.tar", "-I", "x", "y"]), "c b=20 f=a.tar I=x @5");
    }

    #[test]
    fn a_value_that_looks_like_an_option_is_one_as_well() {
        for (words, expected) in [
            (vec!["-f", "--file=x", "a"], "f=--file=x file=x @2"),
            (vec!["--file", "-f", "x", "a"], "file=-f f=x @3"),
            (vec!["-f", "-I", "--filter"], "f=-I I=--filter filter"),
            (vec!["-f", "--", "--filter"], "f=-- filter"),
            (vec!["-f", "-", "-f", "-2x", "-f", "- x"], "f=- f=-2x f=- x"),
            (vec!["-c", "-f", "x"], "c=-f @2"),
            // Two begin so, and one is a flag.
            (vec!["--fil", "x", "a"], "fil @1 @2"),
        ] {
            assert_eq!(read(&OPTS, &words, Reading::Both), expected, "{words:?}");
        }
        let shortened = Opts::new(GNU, "", "word-regex=");
        let args = [Arg::lit("--word"), Arg::lit("x")];
        assert!(scan(&shortened, &args, false, Reading::Value).doubt);
        assert_eq!(read(&shortened, &["--word", "x"], Reading::Value), "word=x");
        assert_eq!(read(&shortened, &["--word", "x"], Reading::Both), "word @1");
    }

    #[test]
    fn an_abbreviation_is_the_option_unless_it_is_another() {
        assert!(is_long(&OPTS, b"in-pl", b"in-place"));
        assert!(!is_long(&OPTS, b"file", b"filename"));
        assert!(is_long(&OPTS, b"in_place", b"in-place"));
        assert!(!is_long(&OPTS, b"in-place", b"in_place"));
        assert!(!is_long(&OPTS, b"in-places", b"in-place"));
    }

    #[test]
    fn the_known_start_of_a_dynamic_word_counts() {
        let arg = |prefix: &str| Arg::Dynamic {
            source: b"x".to_vec(),
            prefix: prefix.as_bytes().to_vec(),
            single: true,
        };
        let args = [arg("--file="), arg("-f/etc"), arg("")];
        let seen = scan(&OPTS, &args, false, Reading::Value);
        assert_eq!(seen.opts.len(), 2);
        assert_eq!(seen.opts[1].val, Some(Val::Dynamic(b"/etc")));
        assert_eq!(seen.dynamic, [0, 1, 2]);
    }
}
