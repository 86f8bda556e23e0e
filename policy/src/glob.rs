//! Path globs, argument globs and argument expressions, as entries write them.
//!
//! A path glob is anchored at both ends. `**` stands for anything including `/`, `*` and `?` never for a `/`,
//! `[…]` and `{a,b}` are globset's, a leading `~/` is the user's home, and a path equal to the pattern byte for
//! byte always matches (`/usr/bin/[` is a program). Case is folded for ASCII only, unless told otherwise.
//!
//! Compiling a glob costs some twenty microseconds and the guard lives for one command, so most patterns never
//! are: exact ones and those with a single star are compared as text, and [`may_match`] sorts out the rest.
use std::fmt;

use globset::GlobBuilder;
use regex_automata::Input;
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{Config, WhichCaptures};
use regex_automata::util::syntax;

use crate::resolve::last_component;

/// Why a pattern cannot be evaluated. Not a miss: on an allowlist it matches nothing, on asklist and denylist
/// it must be refused when the document is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobError(String);

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for GlobError {}

/// Longest pattern that is compiled, in bytes.
const MAX_PATTERN: usize = 4096;

/// Largest compiled expression, in bytes: `a{1000}{1000}` is refused, not built.
const MAX_COMPILED: usize = 1 << 20;

/// A compiled expression, run by the engine without preparations: what is compiled here is asked once, and the
/// faster engines would make the guard a third of a megabyte larger.
#[derive(Clone, Debug)]
struct Regex(PikeVM);

impl Regex {
    fn is_match(&self, text: &[u8]) -> bool {
        self.0.is_match(&mut self.0.create_cache(), Input::new(text))
    }
}

#[derive(Clone, Debug)]
enum Kind {
    /// No metacharacter.
    Exact,
    /// One star (or one `**` at the very end) and nothing else: text before, text after.
    Star { before: Vec<u8>, after: Vec<u8>, crosses: bool },
    /// Everything else.
    Compiled(Box<Regex>),
}

/// A glob over a path. Having one tells you that it can be evaluated.
#[derive(Clone, Debug)]
pub struct PathGlob {
    /// The pattern with the home put in, as bytes: a path equal to it matches whatever it contains.
    literal: Vec<u8>,
    /// The home's folder if the pattern began with `~`; then `kind` speaks of what follows it.
    home: Vec<u8>,
    kind: Kind,
    case_sensitive: bool,
}

fn eq(a: &[u8], b: &[u8], case_sensitive: bool) -> bool {
    if case_sensitive { a == b } else { a.eq_ignore_ascii_case(b) }
}

fn strip_prefix<'a>(text: &'a [u8], prefix: &[u8], case_sensitive: bool) -> Option<&'a [u8]> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    eq(head, prefix, case_sensitive).then_some(rest)
}

fn strip_suffix<'a>(text: &'a [u8], suffix: &[u8], case_sensitive: bool) -> Option<&'a [u8]> {
    let (rest, tail) = text.split_at_checked(text.len().checked_sub(suffix.len())?)?;
    eq(tail, suffix, case_sensitive).then_some(rest)
}

fn is_meta(b: u8) -> bool {
    matches!(b, b'*' | b'?' | b'[' | b']' | b'{' | b'}' | b'\\')
}

impl PathGlob {
    /// Makes a pattern ready to be compared.
    ///
    /// # Errors
    /// The pattern is no glob, is too long, could match a `/` with `[…]`, or begins with `~/` while the home is
    /// not known.
    pub fn new(pattern: &str, home: Option<&[u8]>, case_sensitive: bool) -> Result<PathGlob, GlobError> {
        if pattern.len() > MAX_PATTERN {
            return Err(GlobError(format!("the pattern is longer than {MAX_PATTERN} bytes")));
        }
        let (home, rest) = match pattern.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let home = home
                    .ok_or_else(|| GlobError("`~` cannot be resolved: the home folder is unknown".into()))?;
                let end = home.iter().rposition(|b| *b != b'/').map_or(0, |p| p + 1);
                (home.get(..end).unwrap_or_default().to_vec(), rest)
            }
            _ => (Vec::new(), pattern),
        };
        let literal = [home.as_slice(), rest.as_bytes()].concat();
        let kind = if !rest.bytes().any(is_meta) {
            Kind::Exact
        } else if let Some((before, after, crosses)) = one_star(rest) {
            Kind::Star { before: before.as_bytes().to_vec(), after: after.as_bytes().to_vec(), crosses }
        } else {
            Kind::Compiled(Box::new(compile(&spell_out(rest)?, case_sensitive, true)?))
        };
        Ok(PathGlob { literal, home, kind, case_sensitive })
    }

    /// True if the whole path matches.
    pub fn matches(&self, path: &[u8]) -> bool {
        if eq(path, &self.literal, self.case_sensitive) {
            return true;
        }
        let Some(rest) = strip_prefix(path, &self.home, self.case_sensitive) else { return false };
        match &self.kind {
            Kind::Exact => false,
            Kind::Star { before, after, crosses } => strip_prefix(rest, before, self.case_sensitive)
                .and_then(|r| strip_suffix(r, after, self.case_sensitive))
                .is_some_and(|middle| if *crosses { !middle.is_empty() } else { !middle.contains(&b'/') }),
            Kind::Compiled(re) => re.is_match(rest),
        }
    }

    /// True if the pattern has no metacharacter: it names one file.
    pub fn is_exact(&self) -> bool {
        matches!(self.kind, Kind::Exact)
    }
}

/// A pattern whose only metacharacter is one `*`, or one `/**` at its end.
fn one_star(pattern: &str) -> Option<(&str, &str, bool)> {
    let (before, after) = pattern.split_once('*')?;
    if before.bytes().any(is_meta) {
        return None;
    }
    match after.strip_prefix('*') {
        Some("") if before.ends_with('/') => Some((before, "", true)),
        Some(_) => None,
        None if after.bytes().any(is_meta) => None,
        None => Some((before, after, false)),
    }
}

/// Writes a pattern so that globset reads it as this module's head says: `**` crosses `/` wherever it stands
/// (globset takes it so only between slashes), and no class matches `/`.
fn spell_out(pattern: &str) -> Result<String, GlobError> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut chars = pattern.chars().peekable();
    let mut prev = None;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '*' => {
                let mut stars = 1;
                while chars.next_if_eq(&'*').is_some() {
                    stars += 1;
                }
                if stars == 1 {
                    out.push('*');
                } else if matches!(prev, None | Some('/')) && matches!(chars.peek(), None | Some('/')) {
                    out.push_str("**");
                } else {
                    out.push_str("{*,*/**/*}");
                }
            }
            '[' => class(&mut chars, &mut out)?,
            _ => out.push(c),
        }
        prev = Some(c);
    }
    Ok(out)
}

/// Copies a class after its `[`, adding `/` to a negated one and refusing one that names `/`.
fn class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) -> Result<(), GlobError> {
    out.push('[');
    let negated = chars.next_if(|c| matches!(c, '!' | '^'));
    out.extend(negated);
    let mut members: Vec<char> = Vec::new();
    loop {
        match chars.next() {
            None => return Err(GlobError("`[` has no `]`".into())),
            Some(']') if !members.is_empty() => break,
            Some(c) => members.push(c),
        }
    }
    let has_slash = members.contains(&'/')
        || members.windows(3).any(|w| matches!(w, [a, '-', b] if (*a..=*b).contains(&'/')));
    if has_slash && negated.is_none() {
        return Err(GlobError("a class `[…]` cannot stand for `/`".into()));
    }
    if negated.is_some() && !has_slash {
        // First, so that a `-` at the end keeps its plain meaning; a `]` must stay in front of it.
        if members.first() == Some(&']') {
            out.push(']');
            out.push('/');
            out.extend(members.iter().skip(1));
        } else {
            out.push('/');
            out.extend(members.iter());
        }
    } else {
        out.extend(members.iter());
    }
    out.push(']');
    Ok(())
}

fn compile(glob: &str, case_sensitive: bool, separator: bool) -> Result<Regex, GlobError> {
    let glob = GlobBuilder::new(glob)
        .literal_separator(separator)
        .backslash_escape(true)
        .case_insensitive(!case_sensitive)
        .build()
        .map_err(|e| GlobError(e.kind().to_string()))?;
    // globset's expressions switch Unicode off themselves, so that folding is ASCII's.
    regex(glob.regex(), case_sensitive)
}

fn regex(pattern: &str, case_sensitive: bool) -> Result<Regex, GlobError> {
    PikeVM::builder()
        .thompson(
            Config::new().utf8(false).which_captures(WhichCaptures::None).nfa_size_limit(Some(MAX_COMPILED)),
        )
        .syntax(
            syntax::Config::new()
                .unicode(false)
                .utf8(false)
                .dot_matches_new_line(true)
                .case_insensitive(!case_sensitive)
                .nest_limit(64),
        )
        .build(pattern)
        .map(Regex)
        .map_err(|e| {
            GlobError(std::error::Error::source(&e).map_or_else(|| e.to_string(), |s| s.to_string()))
        })
}

/// What the last component of a path must look like, read off a pattern without compiling it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last<'a> {
    /// It could be anything.
    Any,
    /// It is exactly this, up to ASCII case.
    Exact(&'a str),
    /// It begins and ends so, up to ASCII case.
    Affix(&'a str, &'a str),
}

impl Last<'_> {
    /// False only if a path with this last component cannot match the pattern.
    pub fn admits(self, name: &[u8]) -> bool {
        match self {
            Last::Any => true,
            Last::Exact(want) => eq(name, want.as_bytes(), false),
            Last::Affix(before, after) => strip_prefix(name, before.as_bytes(), false)
                .is_some_and(|r| strip_suffix(r, after.as_bytes(), false).is_some()),
        }
    }
}

/// False only if a path with this last component cannot match the pattern. Every pattern of a list is asked for every
/// command, so most are told apart by one byte.
pub fn admits(pattern: &str, name: &[u8]) -> bool {
    // What ends with a plain byte matches only what ends with the same one, up to ASCII case.
    match (pattern.as_bytes(), name) {
        ([.., end], [.., last]) if pattern != "~" && !is_meta(*end) && *end != b'/' => {
            end.eq_ignore_ascii_case(last) && last_of(pattern).admits(name)
        }
        _ => last_of(pattern).admits(name),
    }
}

/// Reads off a pattern what the last component must look like, in one look at each byte.
pub fn last_of(pattern: &str) -> Last<'_> {
    let slash = pattern.bytes().rposition(|b| b == b'/');
    let (head, last) = match slash {
        Some(slash) => (pattern.get(..slash), pattern.get(slash + 1..)),
        None => (Some(""), Some(pattern)),
    };
    let (Some(head), Some(last)) = (head, last) else { return Last::Any };
    // What an escape does, or a class or group with a `/` in the last component, is not worth knowing here.
    let (mut braces, mut squares, mut plain) = (0_i32, 0_i32, true);
    for b in head.bytes() {
        match b {
            b'{' => (braces, plain) = (braces + 1, false),
            b'}' => (braces, plain) = (braces - 1, false),
            b'[' => (squares, plain) = (squares + 1, false),
            b']' => (squares, plain) = (squares - 1, false),
            b'\\' => return Last::Any,
            _ => {}
        }
    }
    let (mut first, mut end) = (None, 0);
    let (mut opens, mut closes, mut twice, mut before) = (false, false, false, 0);
    for (i, b) in last.bytes().enumerate() {
        match b {
            b'\\' => return Last::Any,
            b'*' => twice |= before == b'*',
            b'{' | b'[' => opens = true,
            b'}' | b']' => closes = true,
            b'?' => {}
            _ => {
                before = b;
                continue;
            }
        }
        before = b;
        first = first.or(Some(i));
        end = i + 1;
    }
    // A last `**/` takes whole components, the last one included.
    let whole = last.is_empty() && head.ends_with("**");
    if whole || last == "~" || !(plain || braces == 0 && squares == 0 && !closes) {
        return Last::Any;
    }
    let Some(first) = first else { return Last::Exact(last) };
    // A `**` may stand for whole folders: what comes before it need not be in the last component.
    let before = if twice { "" } else { last.get(..first).unwrap_or_default() };
    if opens {
        // The name may be the pattern itself (`/usr/bin/[`), so only the text in front is sure.
        return Last::Affix(before, "");
    }
    Last::Affix(before, last.get(end..).unwrap_or_default())
}

/// False only if the path cannot match the pattern: compares the literal text in front of the first
/// metacharacter and the last component, compiles nothing. A pattern that begins with `~` is compared by its
/// last component alone.
pub fn may_match(pattern: &str, path: &[u8]) -> bool {
    if !admits(pattern, last_component(path)) {
        return false;
    }
    if pattern.starts_with('~') {
        return true;
    }
    let literal = pattern.as_bytes().split(|b| is_meta(*b)).next().unwrap_or_default();
    strip_prefix(path, literal, false).is_some()
}

/// A glob over one argument, in place: `*` stands for any bytes (`/` too), case counts.
#[derive(Clone, Debug)]
pub struct ArgGlob {
    literal: Vec<u8>,
    kind: Kind,
}

impl ArgGlob {
    /// Makes a pattern ready to be compared.
    ///
    /// # Errors
    /// It is no glob, or too long.
    pub fn new(pattern: &str) -> Result<ArgGlob, GlobError> {
        if pattern.len() > MAX_PATTERN {
            return Err(GlobError(format!("the pattern is longer than {MAX_PATTERN} bytes")));
        }
        let kind = if !pattern.bytes().any(is_meta) {
            Kind::Exact
        } else {
            match pattern.split_once('*') {
                Some((before, after)) if !before.bytes().any(is_meta) && !after.bytes().any(is_meta) => {
                    Kind::Star {
                        before: before.as_bytes().to_vec(),
                        after: after.as_bytes().to_vec(),
                        crosses: true,
                    }
                }
                _ => Kind::Compiled(Box::new(compile(&pattern.replace("**", "*"), true, false)?)),
            }
        };
        Ok(ArgGlob { literal: pattern.as_bytes().to_vec(), kind })
    }

    /// True if the whole argument matches. A pattern that names a folder (`build/*`) does not match what leads out of it
    /// again (`build/../x`).
    pub fn matches(&self, arg: &[u8]) -> bool {
        let up =
            |text: &[u8]| text.split(|b| matches!(b, b'/' | b'=' | b',' | b':')).any(|part| part == b"..");
        if !matches!(self.kind, Kind::Exact) && self.literal.contains(&b'/') && up(arg) && !up(&self.literal)
        {
            return false;
        }
        arg == self.literal
            || match &self.kind {
                Kind::Exact => false,
                Kind::Star { before, after, .. } => {
                    strip_prefix(arg, before, true).is_some_and(|r| r.ends_with(after))
                }
                Kind::Compiled(re) => re.is_match(arg),
            }
    }
}

/// `argPattern`: a regular expression searched for in all arguments at once, case counts. They are joined by one
/// space; if the expression contains a NUL (itself or as `\0`, `\x00`), each is followed by one, and no argument at
/// all is two of them: one NUL is one empty argument. So it is in OpenClaw, whose documents are read as they are.
#[derive(Clone, Debug)]
pub struct ArgPattern {
    re: Box<Regex>,
    nul: bool,
}

impl ArgPattern {
    /// Compiles the expression; it works on bytes, with ASCII classes.
    ///
    /// # Errors
    /// It is no regular expression of this engine (no look-around, no back-references), or too big.
    pub fn new(pattern: &str) -> Result<ArgPattern, GlobError> {
        if pattern.len() > MAX_PATTERN {
            return Err(GlobError(format!("the expression is longer than {MAX_PATTERN} bytes")));
        }
        let nul = pattern.contains('\0') || pattern.contains("\\0") || pattern.contains("\\x00");
        // This engine knows no `\0`; it is what people write for a NUL elsewhere.
        let spelled =
            if pattern.contains("\\0") { pattern.replace("\\0", "\\x00") } else { pattern.to_owned() };
        Ok(ArgPattern { re: Box::new(regex(&spelled, true)?), nul })
    }

    /// True if the expression is found in the joined arguments (the words after the program's name).
    pub fn matches(&self, args: &[&[u8]]) -> bool {
        let joined = if self.nul {
            let mut all = args.join(&b'\0');
            all.push(b'\0');
            if args.is_empty() {
                all.push(b'\0');
            }
            all
        } else {
            args.join(&b' ')
        };
        self.re.is_match(&joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hit(pattern: &str, path: &str) -> bool {
        PathGlob::new(pattern, Some(b"/home/u"), false).unwrap().matches(path.as_bytes())
    }

    #[test]
    fn paths() {
        for (pattern, path, want) in [
            ("/usr/bin/ls", "/usr/bin/ls", true),
            ("/usr/bin/ls", "/usr/bin/LS", true),
            ("/usr/bin/ls", "/usr/bin/ls/", false),
            ("/usr/bin/ls/", "/usr/bin/ls", false),
            ("/usr/bin/ls*", "/usr/bin/ls", true),
            ("/usr/bin/*", "/usr/bin/ls", true),
            ("/usr/bin/*", "/usr/bin/x/ls", false),
            ("/usr/bin/*", "/usr/bin/x/../../../tmp/evil", false),
            ("/usr/bin/**", "/usr/bin/x/ls", true),
            ("/usr/bin/**", "/usr/bin/ls", true),
            ("/usr/bin/**", "/usr/bin/", false),
            ("/usr/bin/***", "/usr/bin/sub/ls", true),
            ("/usr/bin/*++", "/usr/bin/g++", true),
            ("/usr/bin/clang++", "/usr/bin/clang++", true),
            ("/tmp/a?b", "/tmp/a/b", false),
            ("/tmp/a?b", "/tmp/axb", true),
            ("/opt/*/rg", "/opt/homebrew/rg", true),
            ("/opt/*/rg", "/opt/homebrew/bin/rg", false),
            ("/opt/**/rg", "/opt/homebrew/bin/rg", true),
            ("/opt/**/rg", "/opt/rg", true),
            ("/opt/**/python*", "/opt/homebrew/opt/python@3.14/bin/python3.14", true),
            ("/opt/**/python*", "/opt/python3/evil", false),
            ("/usr/lib**", "/usr/lib64/x/y", true),
            ("/usr/l**64/y", "/usr/lib/x64/y", true),
            ("/usr/{bin,sbin}/ls", "/usr/sbin/ls", true),
            ("/usr/bin/[a-m]s", "/usr/bin/ls", true),
            ("/usr/bin/[!a-m]s", "/usr/bin/ls", false),
            ("/usr[!x]bin/ls", "/usr/bin/ls", false),
            ("/usr/bin/[!]]s", "/usr/bin/ls", true),
            ("/opt/builds/tool[1](stable)", "/opt/builds/tool[1](stable)", true),
            ("~/bin/x", "/home/u/bin/x", true),
            ("~/**", "/home/u/bin/x", true),
            ("~/**", "/home/uu/bin/x", false),
            ("~", "/home/u", true),
            ("~x/y", "~x/y", true),
            ("/a\\*b", "/a*b", true),
            ("/a\\*b", "/axb", false),
            ("/É", "/é", false),
            ("/x*", "/x\n", true),
            ("**", "/x/y", true),
            ("**/x", "/x", true),
            ("**/x", "/y/x", true),
        ] {
            assert_eq!(hit(pattern, path), want, "{pattern} against {path}");
            if want {
                assert!(may_match(pattern, path.as_bytes()), "prefilter loses {path} under {pattern}");
            }
        }
    }

    #[test]
    fn case_counts_when_told() {
        let glob = |p| PathGlob::new(p, None, true).unwrap();
        for p in ["/usr/bin/ls", "/usr/bin/l*", "/usr/{bin,x}/l?"] {
            assert!(glob(p).matches(b"/usr/bin/ls"), "{p}");
            assert!(!glob(p).matches(b"/usr/bin/LS"), "{p}");
        }
    }

    #[test]
    fn a_home_is_never_a_pattern() {
        let glob = PathGlob::new("~/b?n/*", Some(b"/home/[u]*/"), false).unwrap();
        assert!(glob.matches(b"/home/[u]*/bin/x"));
        assert!(!glob.matches(b"/home/uuu/bin/x"));
        assert!(PathGlob::new("~/x", None, false).is_err());
        assert!(PathGlob::new("~/x", Some(b"/h\xff"), false).unwrap().matches(b"/h\xff/x"));
    }

    #[test]
    fn no_class_stands_for_a_slash() {
        for bad in ["/a[/]b", "/a[+-9]b", "/a[", "/a{b", "/[z-a]"] {
            assert!(PathGlob::new(bad, None, false).is_err(), "{bad}");
        }
    }

    #[test]
    fn arguments() {
        for (pattern, arg, want) in [
            ("status", "status", true),
            ("status", "Status", false),
            ("*", "", true),
            ("*", "/a/b", true),
            ("--file=*", "--file=/etc/x", true),
            ("a?c", "a/c", true),
            ("{push,pull}", "pull", true),
            ("a**", "abc", true),
            ("[ab]", "c", false),
            ("[ab]", "[ab]", true),
            ("a*b", "ab", true),
            ("ab*b", "ab", false),
            // Not out of the folder that it names.
            ("build/*", "build/x/y", true),
            ("build/*", "build/../x", false),
            ("/w/*", "/w/../x", false),
            ("--out=build/*", "--out=build/../x", false),
            ("../build/*", "../build/x", true),
            ("*", "../x", true),
            ("build/*", "build/a..b", true),
        ] {
            assert_eq!(
                ArgGlob::new(pattern).unwrap().matches(arg.as_bytes()),
                want,
                "{pattern} against {arg}"
            );
        }
        assert!(ArgGlob::new("*").unwrap().matches(b"\xff\x00"));
    }

    #[test]
    fn expressions() {
        for (pattern, args, want) in [
            (r"^a\.py$", &["a.py"][..], true),
            (r"^a\.py$", &["b.py"], false),
            (r"^a\.py$", &["a.py", "--verbose"], false),
            (r"^(a|b)\.py$", &["b.py"], true),
            ("^hello world\0$", &["hello world"], true),
            ("^hello world\0$", &["hello", "world"], false),
            (r"^x\0y\0$", &["x", "y"], true),
            ("^\0$", &[], false),
            ("^\0\0$", &[], true),
            (r"^\x00\x00$", &[], true),
            ("^\0$", &[""], true),
            ("^\0\0$", &[""], false),
            ("^\0", &["x"], false),
            ("^$", &[], true),
            ("status", &["push", "status"], true),
            (r"^\w+$", &["é"], false),
        ] {
            let args: Vec<&[u8]> = args.iter().map(|a| a.as_bytes()).collect();
            assert_eq!(
                ArgPattern::new(pattern).unwrap().matches(&args),
                want,
                "{pattern:?} against {args:?}"
            );
        }
        for bad in ["(", "(?=x)", "(a{1000}){1000}{1000}", r"(a)\1"] {
            assert!(ArgPattern::new(bad).is_err(), "{bad}");
        }
        // A closed bracket and a byte that is no text.
        assert!(ArgPattern::new("^.$").unwrap().matches(&[b"\xff"]));
    }

    #[test]
    fn last_components() {
        assert_eq!(last_of("/usr/bin/git"), Last::Exact("git"));
        assert_eq!(last_of("/usr/bin/py*3"), Last::Affix("py", "3"));
        assert_eq!(last_of("/usr/bin/**x"), Last::Affix("", "x"));
        assert_eq!(last_of("/usr/{bin,sbin}/x"), Last::Exact("x"));
        assert_eq!(last_of("/usr/{bin/a,x}"), Last::Any);
        assert_eq!(last_of("git"), Last::Exact("git"));
        assert_eq!(last_of("/usr/bin/["), Last::Affix("", ""));
    }

    proptest! {
        #[test]
        fn prefilter_never_loses(pattern in "[/a~*?b{},\\[\\]\\\\]{0,8}", path in "[/ab*?\\[\\]]{0,8}") {
            if let Ok(glob) = PathGlob::new(&pattern, Some(b"/a"), false)
                && glob.matches(path.as_bytes()) {
                prop_assert!(may_match(&pattern, path.as_bytes()));
                prop_assert!(admits(&pattern, last_component(path.as_bytes())));
                prop_assert!(last_of(&pattern).admits(last_component(path.as_bytes())));
            }
        }

        #[test]
        fn the_short_way_agrees_with_globset(pattern in "(/[ab*]{1,3}){1,3}", path in "(/[ab]{1,3}){1,4}") {
            let short = PathGlob::new(&pattern, None, true).unwrap().matches(path.as_bytes());
            let long = compile(&spell_out(&pattern).unwrap(), true, true).unwrap().is_match(path.as_bytes());
            prop_assert_eq!(short, long, "{} against {}", pattern, path);
        }

        #[test]
        fn nothing_panics(pattern in ".{0,40}", path in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(g) = PathGlob::new(&pattern, Some(b"/h"), false) { g.matches(&path); }
            if let Ok(g) = ArgGlob::new(&pattern) { g.matches(&path); }
            if let Ok(g) = ArgPattern::new(&pattern) { g.matches(&[&path]); }
            may_match(&pattern, &path);
        }
    }
}
