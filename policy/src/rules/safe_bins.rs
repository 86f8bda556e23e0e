//! Safe bins: is this call of a stdin-only program certain to touch nothing but its standard input?
//!
//! Two questions: do the words fit the program's closed profile, parsed as the program parses them ([`judge`]),
//! and is the file really that program ([`trusted`])? The first asks the file system nothing, so an answer never
//! tells whether a file exists. Everything here assumes that `POSIXLY_CORRECT` and `_POSIX2_VERSION` are not set:
//! they change what an operand is, and are removed where a safe bin is started.
use crate::arg::Arg;
use crate::document::SafeBinProfile;
use crate::getopt::{self, Item};
use crate::rules::jq;
use crate::tables::safe_bins::{Kind, Obsolete, Operands, Opt, PROFILES, Rule, SafeBin};

mod own;
mod trust;

pub use own::{check_profile, never};
pub(crate) use trust::grep_by_another_name;
pub use trust::trusted;

/// Why a call is not that of a safe bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeBinMiss {
    /// One clause for a person.
    pub why: String,
    /// The index of the argument (without `argv[0]`), if one is to blame.
    pub at: Option<usize>,
}

impl SafeBinMiss {
    pub(crate) fn at(at: usize, why: impl Into<String>) -> SafeBinMiss {
        SafeBinMiss { why: why.into(), at: Some(at) }
    }

    pub(crate) fn whole(why: impl Into<String>) -> SafeBinMiss {
        SafeBinMiss { why: why.into(), at: None }
    }
}

/// Judges the arguments (without `argv[0]`) of the safe bin `bin`, a last component of a path in lower case.
///
/// `own` is the profile of that name from `safeBinProfiles`. For a program with a built-in profile both must
/// hold: an own profile can tighten, never widen.
///
/// # Errors
///
/// What is not certain to work on standard input alone, and every word that is not known before it runs.
pub fn judge(bin: &str, args: &[Arg], own: Option<&SafeBinProfile>) -> Result<(), SafeBinMiss> {
    let mut words = Vec::with_capacity(args.len());
    for (at, arg) in args.iter().enumerate() {
        match arg.literal() {
            Some(word) => words.push(word),
            None => return Err(SafeBinMiss::at(at, "the word is known only at run time")),
        }
    }
    let built_in = if bin == "jq" {
        jq::judge(&words)?;
        true
    } else if let Some(profile) = PROFILES.iter().find(|p| p.names.contains(&bin)) {
        by_profile(profile, args, &words)?;
        true
    } else {
        false
    };
    match own {
        Some(profile) => {
            check_profile(bin, profile).map_err(SafeBinMiss::whole)?;
            own::judge(profile, &words)
        }
        None if built_in => Ok(()),
        None => Err(SafeBinMiss::whole(format!("`{bin}` has no profile in safeBinProfiles"))),
    }
}

/// True if `name` has a profile that ships with the guard.
pub fn is_built_in(name: &str) -> bool {
    name == "jq" || PROFILES.iter().any(|p| p.names.contains(&name))
}

fn by_profile(profile: &SafeBin, args: &[Arg], words: &[&[u8]]) -> Result<(), SafeBinMiss> {
    let skip = match obsolete(profile.obsolete, words)? {
        Old::No => 0,
        Old::Count => 1,
        Old::Whole => return Ok(()),
    };
    let rest = args.get(skip..).unwrap_or_default();
    let mut operands = Vec::new();
    let (mut pattern_given, mut helps) = (false, false);
    for item in getopt::parse(&profile.spec, rest) {
        let (option, at, value) = match &item {
            Item::Operand(at) => {
                operands.push(*at + skip);
                continue;
            }
            Item::End(_) => continue,
            Item::Short(c, at) => (short(profile, *c), *at + skip, None),
            Item::ShortValue(c, at, v) => (short(profile, *c), *at + skip, Some(v)),
            Item::Long(n, at) => (long(profile, n), *at + skip, None),
            Item::LongValue(n, at, v) => (long(profile, n), *at + skip, Some(v)),
            Item::LongTwo(_, at, ..) | Item::Unknown(at) | Item::DynamicOption(at) => {
                (None, *at + skip, None)
            }
        };
        let Some(option) = option else {
            return Err(SafeBinMiss::at(at, "an option the profile does not know, or an ambiguous one"));
        };
        let value = value.map(|v| v.literal().unwrap_or_default());
        match (option.rule, value) {
            (Rule::Flag, None) | (Rule::Optional(_), None) => {}
            (Rule::Help, None) => helps = true,
            (Rule::Pattern, Some(_)) => pattern_given = true,
            (Rule::Value(kind) | Rule::Optional(kind), Some(v)) if fits(kind, v) => {}
            (Rule::Value(_) | Rule::Optional(_), _) => {
                return Err(SafeBinMiss::at(
                    at,
                    format!("{} has a value its profile does not list", shown(option)),
                ));
            }
            (Rule::No, _) | (Rule::Flag | Rule::Help, Some(_)) | (Rule::Pattern, None) => {
                return Err(SafeBinMiss::at(at, format!("{} {}", shown(option), option.what)));
            }
        }
    }
    judge_operands(profile, words, &operands, pattern_given, helps)
}

fn judge_operands(
    profile: &SafeBin,
    words: &[&[u8]],
    operands: &[usize],
    pattern_given: bool,
    helps: bool,
) -> Result<(), SafeBinMiss> {
    let data = match profile.operands {
        Operands::None => 0,
        Operands::Pattern => usize::from(!pattern_given),
        Operands::Sets => {
            return match operands {
                [] if helps => Ok(()),
                [] => Err(SafeBinMiss::whole("no set of characters")),
                [_] | [_, _] => Ok(()),
                [_, _, extra, ..] => Err(SafeBinMiss::at(*extra, "more than two sets")),
            };
        }
    };
    if operands.len() < data && !helps {
        return Err(SafeBinMiss::whole("no pattern"));
    }
    let mut stdin_seen = false;
    for at in operands.iter().skip(data).copied() {
        match words.get(at).copied() {
            // A second `-` is the *output* of uniq; nobody needs it anywhere.
            Some(b"-") if !stdin_seen => stdin_seen = true,
            _ => return Err(SafeBinMiss::at(at, "an operand that names a file")),
        }
    }
    Ok(())
}

fn short(profile: &SafeBin, letter: u8) -> Option<&'static Opt> {
    profile.options.iter().find(|o| o.short == letter && letter != 0)
}

fn long(profile: &SafeBin, name: &str) -> Option<&'static Opt> {
    profile.options.iter().find(|o| o.long == name && !name.is_empty())
}

fn shown(option: &Opt) -> String {
    match option.long {
        "" => format!("-{}", char::from(option.short)),
        long => format!("--{long}"),
    }
}

enum Old {
    /// The first word is no old form.
    No,
    /// It is a count, the rest is parsed as usual.
    Count,
    /// The whole line is understood.
    Whole,
}

/// The old forms of head and tail, as their `main` looks for them before getopt does. Anywhere else a digit is
/// an unknown option, and `+5` an operand.
fn obsolete(form: Obsolete, words: &[&[u8]]) -> Result<Old, SafeBinMiss> {
    let Some((sign, body)) = words.first().and_then(|w| w.split_first()) else { return Ok(Old::No) };
    let digits = body.iter().take_while(|b| b.is_ascii_digit()).count();
    let letters = body.get(digits..).unwrap_or_default();
    match (form, *sign) {
        (Obsolete::Head, b'-') if digits > 0 => {
            if letters.iter().all(|b| b"cbkmlqvz".contains(b)) {
                return Ok(Old::Count);
            }
            Err(SafeBinMiss::at(0, "a letter behind the count that head does not have"))
        }
        (Obsolete::Tail, b'-' | b'+') if digits > 0 => {
            if !matches!(letters, [] | [b'b' | b'c' | b'l']) {
                return Err(SafeBinMiss::at(0, "a letter behind the count: `f` would wait without end"));
            }
            match words.get(1..).unwrap_or_default() {
                [] | [b"-"] | [b"--"] | [b"--", b"-"] => Ok(Old::Whole),
                _ => Err(SafeBinMiss::at(1, "tail takes nothing but `-` behind the old form of a count")),
            }
        }
        _ => Ok(Old::No),
    }
}

/// True if the value is of that kind.
fn fits(kind: Kind, value: &[u8]) -> bool {
    match kind {
        Kind::Text => true,
        Kind::Word => value.iter().all(|b| b.is_ascii_lowercase() || *b == b'-') && !value.is_empty(),
        Kind::List => {
            !value.is_empty() && value.iter().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'-' | b' '))
        }
        Kind::Key => {
            value.first().is_some_and(u8::is_ascii_digit)
                && value.iter().all(|b| b.is_ascii_digit() || b".,bdfgiMhnRrV".contains(b))
        }
        Kind::Count | Kind::Size => {
            let unsigned = match value.first() {
                Some(b'+' | b'-') if kind == Kind::Count => value.get(1..).unwrap_or_default(),
                _ => value,
            };
            let digits = unsigned.iter().take_while(|b| b.is_ascii_digit()).count();
            let suffix = unsigned.get(digits..).unwrap_or_default();
            digits > 0
                && match suffix {
                    [] => true,
                    [b'%'] => kind == Kind::Size,
                    [s, tail @ ..] => {
                        b"bkKmMgGtTPEZYRQ".contains(s) && matches!(tail, [] | [b'B'] | [b'i', b'B'])
                    }
                }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> (String, Vec<Arg>) {
        let mut words = line.split_ascii_whitespace().map(|w| if w == "''" { "" } else { w });
        (words.next().unwrap().to_owned(), words.map(Arg::lit).collect())
    }

    fn allowed(line: &str) -> bool {
        let (bin, args) = words(line);
        judge(&bin, &args, None).is_ok()
    }

    #[test]
    fn every_option_of_every_profile_both_ways() {
        for profile in PROFILES {
            let name = profile.names[0];
            let operand: &[&str] = match profile.operands {
                Operands::None => &[],
                Operands::Pattern => &["x"],
                Operands::Sets => &["a", "b"],
            };
            for option in profile.options {
                let mut forms: Vec<Vec<String>> = Vec::new();
                let value = match option.rule {
                    Rule::Value(Kind::Word) | Rule::Optional(Kind::Word) => "auto",
                    _ => "1",
                };
                let takes =
                    |o: &str| profile.spec.long.iter().find(|(n, _)| *n == o.as_bytes()).map(|(_, t)| t);
                if option.short != 0 {
                    let letter = char::from(option.short);
                    let at = profile.spec.short.find(letter).unwrap();
                    if profile.spec.short.as_bytes().get(at + 1) == Some(&b':') {
                        forms.push(vec![format!("-{letter}{value}")]);
                        forms.push(vec![format!("-{letter}"), value.into()]);
                    } else {
                        forms.push(vec![format!("-{letter}")]);
                    }
                }
                if let Some(takes) = takes(option.long) {
                    use crate::getopt::Takes;
                    if takes != Takes::Nothing {
                        forms.push(vec![format!("--{}={value}", option.long)]);
                    }
                    if takes == Takes::Value {
                        forms.push(vec![format!("--{}", option.long), value.into()]);
                    } else {
                        forms.push(vec![format!("--{}", option.long)]);
                    }
                }
                assert!(!forms.is_empty());
                for form in forms {
                    let args: Vec<Arg> = form
                        .iter()
                        .map(String::as_str)
                        .chain(operand.iter().copied())
                        .map(Arg::lit)
                        .collect();
                    let args = if option.rule == Rule::Pattern { args[..form.len()].to_vec() } else { args };
                    assert_eq!(judge(name, &args, None).is_ok(), option.rule != Rule::No, "{name} {form:?}");
                }
            }
        }
    }

    #[test]
    fn allowed_calls() {
        for line in [
            "grep -5 x",
            "grep -n5 x",
            "grep -ie x",
            "grep -ecase",
            "grep x -",
            "grep -e x -- -",
            "grep -- -x",
            "grep /etc/passwd",
            "grep ../x",
            "grep ~x",
            "grep *",
            "grep -e /a -e ./b",
            "grep x -v",
            "grep --color=auto x",
            "grep --regex=x",
            "grep -A3 -B 2 x",
            "grep --help",
            "grep -V",
            "egrep a|b",
            "fgrep x",
            "grep -qw done",
            "grep -oP \\d+",
            "grep --color x",
            "grep -c ''",
            "grep --label=/etc/passwd -H x",
            "sort",
            "sort -",
            "sort -rn",
            "sort --ke=1,1",
            "sort -k2,2nr -k1.3,1",
            "sort -t / -k2",
            "sort -t/",
            "sort -S50%",
            "sort -S 1M --parallel=2",
            "sort -c",
            "sort -C",
            "sort --check=quiet",
            "sort -m -",
            "sort -to",
            "sort --sort=numeric",
            "sort -bdfghiMnrRVusz",
            "sort --",
            "sort -- -",
            "uniq",
            "uniq -c",
            "uniq -dui",
            "uniq --group",
            "uniq --group=both",
            "uniq -f1 -s 2 -w3",
            "uniq -",
            "uniq --all-repeated=separate",
            "head",
            "head -5",
            "head -5q",
            "head -n 5",
            "head -n-5",
            "head -c 1k",
            "head --lin=5",
            "head --lines 5",
            "head -qvz",
            "head -",
            "head -n 1 -",
            "head -n5 --",
            "head -10 -v",
            "head -n +5",
            "tail",
            "tail -5",
            "tail +5",
            "tail -5c",
            "tail -n +2",
            "tail -n5",
            "tail -c20",
            "tail -5 -",
            "tail -5 -- -",
            "tail --lines=+3",
            "tail -qz",
            "cut -d/ -f2",
            "cut -d , -f 2-",
            "cut -c1-10",
            "cut -b 1,3-",
            "cut --delimiter=/ --fields=1",
            "cut -sf1 --output-delimiter=/",
            "cut -zf1 -",
            "cut --output=: -f1",
            "cut --complement -nb1",
            "tr / _",
            "tr -d /",
            "tr a-z A-Z",
            "tr -cs a b",
            "tr -- -a b",
            "tr a -",
            "tr ~ *",
            "tr -d",
            "tr a -d",
            "wc",
            "wc -l",
            "wc -lwcmL",
            "wc --total=auto",
            "wc -",
            "wc --max",
            "wc --help",
            "sort --version",
        ] {
            // `tr -d` alone is an error of tr itself, and has no set: refused below.
            if line == "tr -d" {
                continue;
            }
            let (bin, args) = words(line);
            assert_eq!(judge(&bin, &args, None), Ok(()), "{line}");
        }
    }

    #[test]
    fn refused_calls() {
        for line in [
            "grep",
            "grep -i",
            "grep -ix",
            "grep x file",
            "grep -e x file",
            "grep file -e x",
            "grep x -- file",
            "grep -ie pat file",
            "grep - file",
            "grep x - -",
            "grep -f p",
            "grep -fp x",
            "grep -nf p x",
            "grep -r x",
            "grep -R x",
            "grep -nr x",
            "grep -d recurse x",
            "grep -drecurse x",
            "grep --deref x",
            "grep --dir=recurse x",
            "grep --include=*.c x",
            "grep --exclude-from=p x",
            "grep --fil=p x",
            "grep --f=p x",
            "grep --rec x",
            "grep -D read x",
            "grep --n x",
            "grep -A x",
            "grep -A x y",
            "grep --label",
            "grep --colo=auto x",
            "grep -u x",
            "grep -X egrep x",
            "grep --quiet=1 x",
            "grep -k x",
            "grep ./x y",
            "egrep x y",
            "grep -m1 x y",
            "grep --=x y",
            "grep --= y",
            "sort f",
            "sort -o f",
            "sort -of",
            "sort -uof",
            "sort - -o f",
            "sort --o=f",
            "sort --ou f",
            "sort -T d",
            "sort --temp=d",
            "sort --files0-from=-",
            "sort --files0-fro=f",
            "sort --compress-prog=sh",
            "sort --comp=sh",
            "sort --random-source=f",
            "sort --random-so f",
            "sort -m f",
            "sort -k",
            "sort -k /x",
            "sort -k1 f",
            "sort +0 -1",
            "sort +1",
            "sort -1",
            "sort --batch-size=2",
            "sort -to -o f",
            "sort -t",
            "sort --key",
            "sort -S C:\\temp\\b",
            "sort -y0",
            "sort -- f",
            "sort - -",
            "sort -S",
            "sort ''",
            "uniq f",
            "uniq - f",
            "uniq a b",
            "uniq -f 1 - f",
            "uniq +1",
            "uniq -1",
            "uniq - -",
            "uniq --group sep",
            "uniq -f x",
            "uniq --skip=1",
            "head f",
            "head -n1 -- f",
            "head -n",
            "head -n x",
            "head -n *",
            "head -5x",
            "head -q -5",
            "head -5 f",
            "head ---presume-input-pipe",
            "head ---p",
            "head --s --q f",
            "head -n5 -- -x",
            "head +5",
            "head -c5 f",
            "tail f",
            "tail -f",
            "tail -F",
            "tail -fn 1",
            "tail -5f",
            "tail +5f",
            "tail --follow",
            "tail --fol=name",
            "tail --retry",
            "tail --pid=1",
            "tail --p 1",
            "tail -s1",
            "tail --sleep=1",
            "tail --max=1",
            "tail -n 5 +5",
            "tail -5 f",
            "tail -5 -- f",
            "tail -5 -q",
            "tail -qf",
            "tail -q -5",
            "tail -5 -- - f",
            "tail ---presume-input-pipe",
            "cut f",
            "cut -f1 f",
            "cut -d= -f2 .env",
            "cut -f x",
            "cut -f",
            "cut -x",
            "cut --o=f --c",
            "cut -- -f1 f",
            "tr",
            "tr -d",
            "tr a b c",
            "tr a b -d",
            "tr -S a b",
            "tr -A a b",
            "tr --x a",
            "tr -- a b c",
            "wc f",
            "wc --files0-from=-",
            "wc --fi=f",
            "wc --f f",
            "wc -x",
            "wc -l f",
            "wc - f",
            "wc --debug",
            "wc -c -- f",
            "cat",
            "awk 1",
            "nosuch",
        ] {
            assert!(!allowed(line), "{line}");
        }
    }

    #[test]
    fn a_word_known_only_at_run_time_is_refused_anywhere() {
        let x = || Arg::Dynamic { source: b"$x".to_vec(), prefix: b"a".to_vec(), single: true };
        for (bin, args) in [
            ("head", vec![Arg::lit("-n"), x()]),
            ("grep", vec![x()]),
            ("grep", vec![Arg::lit("-e"), x()]),
            ("jq", vec![x()]),
            ("jq", vec![Arg::lit("--arg"), Arg::lit("a"), x(), Arg::lit(".")]),
            ("tr", vec![Arg::lit("a"), x()]),
        ] {
            let at = args.iter().position(Arg::is_dynamic);
            assert_eq!(judge(bin, &args, None).unwrap_err().at, at, "{bin}");
        }
    }

    #[test]
    fn the_word_to_blame_is_named() {
        for (line, at) in
            [("grep -n x file", 2), ("sort -r -o f", 1), ("head -5 f", 1), ("tail -5 f", 1), ("uniq - f", 1)]
        {
            let (bin, args) = words(line);
            assert_eq!(judge(&bin, &args, None).unwrap_err().at, Some(at), "{line}");
        }
    }
}
