//! Does an entry of a list match an executable with its arguments?
//!
//! On the allowlist whatever cannot be evaluated is *no match*; on asklist and denylist it is a *match*.
use crate::arg::Arg;
use crate::document::Entry;
use crate::glob::{ArgGlob, ArgPattern, PathGlob};
use crate::resolve::{Executable, last_component, parent};
use crate::rules::folders;
use crate::tables::words::{WordList, words};
use crate::world::World;

/// What an entry is compared with.
pub(crate) struct Subject<'a> {
    /// The name as typed; `None` if dynamic.
    pub typed: Option<&'a [u8]>,
    /// The file; `None` if the name did not resolve.
    pub exe: Option<&'a Executable>,
    /// The arguments, without `argv[0]`.
    pub args: &'a [Arg],
    /// The tracked working folder.
    pub cwd: Option<&'a [u8]>,
    /// Milliseconds since 1970.
    pub now_ms: u64,
    /// The user's home.
    pub home: Option<&'a [u8]>,
    /// Patterns distinguish case.
    pub case_sensitive: bool,
}

/// How far an allowlist entry matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    /// Another program.
    No,
    /// The program, but the entry has expired.
    Expired,
    /// The program, but not these arguments or this folder.
    Restricted,
    /// The program, but an argument the entry looks at is known only at run time.
    Dynamic,
    /// Everything.
    Full,
}

/// True if an allowlist ignores the entry: a pattern without a slash would match a name anywhere.
pub(crate) fn ignored(entry: &Entry) -> bool {
    !entry.pattern.contains('/')
}

/// True if an entry of the allowlist covers the program, whatever it says of arguments.
pub(crate) fn covers(entry: &Entry, s: &Subject<'_>, world: &dyn World) -> bool {
    s.exe.is_some_and(|exe| !ignored(entry) && path_matches(entry, exe, s, world))
}

/// Compares with an entry of the allowlist.
pub(crate) fn allows(entry: &Entry, s: &Subject<'_>, world: &dyn World) -> Match {
    if covers(entry, s, world) { grants(entry, s, world) } else { Match::No }
}

/// How far an entry that covers the program matches the rest.
pub(crate) fn grants(entry: &Entry, s: &Subject<'_>, world: &dyn World) -> Match {
    // Without a clock nobody knows: for an entry that lets something pass it has expired.
    if entry.expires_at.is_some_and(|t| t <= s.now_ms || s.now_ms == 0) {
        return Match::Expired;
    }
    let restricted = entry.args.is_some() || entry.arg_pattern.is_some() || entry.cwd.is_some();
    if restricted && s.exe.is_some_and(|exe| is_dressed(entry, exe, s, world)) {
        return Match::Restricted;
    }
    match (cwd_matches(entry, s, world), args_match(entry, s.args)) {
        (Some(false), _) | (_, Some(false)) => Match::Restricted,
        (None, _) => Match::Restricted,
        (_, None) => Match::Dynamic,
        (Some(true), Some(true)) => Match::Full,
    }
}

/// True if an entry of the asklist or denylist names the program, whatever it says of arguments.
pub(crate) fn names_it(entry: &Entry, s: &Subject<'_>, world: &dyn World) -> bool {
    if ignored(entry) {
        let candidates =
            [s.typed.map(last_component), s.exe.map(Executable::name), s.exe.map(Executable::real_name)];
        // A pattern that does not compile never gets here: the document is refused.
        let glob = PathGlob::new(&entry.pattern, s.home, s.case_sensitive);
        glob.is_ok_and(|g| candidates.iter().flatten().any(|c| g.matches(c)))
    } else {
        match s.exe {
            Some(exe) => {
                spellings(entry, s, world).iter().any(|g| g.matches(&exe.found) || g.matches(&exe.real))
            }
            // A path that names no program now may name one by the time it runs.
            None => s.typed.is_some_and(|t| {
                PathGlob::new(&entry.pattern, s.home, s.case_sensitive).is_ok_and(|g| g.matches(t))
            }),
        }
    }
}

/// True if an entry that names the program speaks of this command.
pub(crate) fn speaks(entry: &Entry, s: &Subject<'_>, world: &dyn World) -> bool {
    let other = |args: &[Arg]| args.first().is_some_and(|a| is_no_name(entry, a, s.home));
    entry.expires_at.is_none_or(|t| t > s.now_ms)
        && cwd_matches(entry, s, world) != Some(false)
        && sub_commands(s.args, in_front(s))
            .enumerate()
            .any(|(n, args)| n > MOST || (!other(args) && args_match(entry, args) != Some(false)))
}

/// True if a word is an option with its value (`--work-tree=$HOME`), and the entry's first one is none: whatever the
/// value is, this is not what the entry names.
fn is_no_name(entry: &Entry, word: &Arg, home: Option<&[u8]>) -> bool {
    let Arg::Dynamic { source, single, .. } = word else { return false };
    let first = entry.args.as_ref().and_then(|args| args.first());
    let named = first.is_some_and(|glob| {
        let inside = glob.strip_prefix('{').unwrap_or(glob);
        inside.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !glob.contains("{-")
            && !glob.contains(",-")
    });
    if !is_joined(word) || entry.arg_pattern.is_some() || !named {
        return false;
    }
    // What a shell takes apart may have the name in it, but the home.
    let whole = |home: &[u8]| !home.iter().any(|b| b" \t\n*?[".contains(b));
    *single || (home.is_some_and(whole) && has_only_home(source))
}

/// True if nothing else in a word is filled in by the shell.
fn has_only_home(source: &[u8]) -> bool {
    let mut rest = source;
    while let Some((byte, after)) = rest.split_first() {
        rest = match byte {
            b'$' => {
                let known = after.strip_prefix(b"{HOME}").or_else(|| after.strip_prefix(b"HOME"));
                match known {
                    Some(rest) if !rest.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') => {
                        rest
                    }
                    Some(rest) if after.first() == Some(&b'{') => rest,
                    _ => return false,
                }
            }
            b'`' | b'*' | b'?' | b'[' | b'{' => return false,
            _ => after,
        };
    }
    true
}

/// True for a long option with its value behind `=`: it takes none of the next word.
fn is_joined(word: &Arg) -> bool {
    word.known_prefix().strip_prefix(b"--").is_some_and(|w| w.contains(&b'='))
}

/// More words than that in front of a sub-command are taken for a reason to refuse.
const MOST: usize = 64;

/// Options in front of git's sub-command, each with the next word for its value. Source: git(1).
pub(crate) const GIT_VALUES: &str = "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source \
    --shallow-file";

/// Those that take none. Source: git(1).
const GIT_FLAGS: &str = "-p --paginate -P --no-pager --bare --no-replace-objects --no-lazy-fetch --no-optional-locks \
    --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs";

/// How many words are options and their values for certain, so that none of them is the sub-command whatever it turns
/// out to be: `-C "$PWD"` in front of `status`. A value that a shell takes apart is none.
fn in_front(s: &Subject<'_>) -> usize {
    let names = [s.typed.map(last_component), s.exe.map(Executable::name), s.exe.map(Executable::real_name)];
    let is_one = |word: &[u8], list: &str| list.split_ascii_whitespace().any(|w| w.as_bytes() == word);
    let whole = |at: usize| s.args.get(at).is_some_and(|a| !matches!(a, Arg::Dynamic { single: false, .. }));
    let mut at = 0;
    if names.iter().flatten().any(|name| *name == b"git") {
        while let Some(arg) = s.args.get(at).filter(|_| whole(at)) {
            match arg.literal() {
                Some(word) if is_one(word, GIT_VALUES) && whole(at + 1) => at += 2,
                Some(word) if is_one(word, GIT_FLAGS) => at += 1,
                _ if is_joined(arg) => at += 1,
                _ => break,
            }
        }
    }
    at
}

/// The arguments from each word on that may be the sub-command: the first, and those that only options stand in front of,
/// each with a value or without. So `push` is refused behind `--no-pager` and `-C x` as well. The first `known` words are
/// options and their values for certain.
fn sub_commands(args: &[Arg], known: usize) -> impl Iterator<Item = &[Arg]> {
    // `cargo +nightly publish`: rustup's word in front.
    let plus = |at: usize| at == 0 && args.first().is_some_and(|a| a.shown().starts_with(b"+"));
    let dashed = move |at: usize| {
        plus(at) || args.get(at).is_none_or(|a| a.is_dynamic() || a.shown().starts_with(b"-"))
    };
    let whole = |a: &Arg| is_joined(a) && !matches!(a, Arg::Dynamic { single: false, .. });
    let takes = move |at: usize| !plus(at) && dashed(at) && !args.get(at).is_some_and(whole);
    let in_front = move |at: usize| dashed(at) || (at > known && takes(at - 1));
    let later = (known.max(1)..args.len()).take_while(move |at| *at == known || in_front(at - 1));
    std::iter::once(args).chain(later.filter_map(|at| args.get(at..)))
}

/// The pattern as written, and with its literal folder prefix canonicalised (`/bin/ls` on a merged-/usr machine).
fn spellings(entry: &Entry, s: &Subject<'_>, world: &dyn World) -> Vec<PathGlob> {
    let mut out = Vec::with_capacity(2);
    out.extend(PathGlob::new(&entry.pattern, s.home, s.case_sensitive).ok());
    if let Some(other) = canonical_spelling(entry, s.home, world) {
        out.extend(PathGlob::new(&other, s.home, s.case_sensitive).ok());
    }
    out
}

fn canonical_spelling(entry: &Entry, home: Option<&[u8]>, world: &dyn World) -> Option<String> {
    let full = match (entry.pattern.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => format!("{}/{rest}", std::str::from_utf8(home).ok()?),
        (Some(_), None) => return None,
        (None, _) => entry.pattern.clone(),
    };
    let literal_end = full.find(['*', '?', '[', '{', '\\']).unwrap_or(full.len());
    let slash = full.get(..literal_end)?.rfind('/')?;
    let (dir, rest) = full.split_at_checked(slash)?;
    let real = world.real(if dir.is_empty() { b"/" } else { dir.as_bytes() })?;
    let real = std::str::from_utf8(&real).ok()?;
    // The real folder is literal text: characters that a glob would read must not be put into one.
    if real == dir || real.contains(['*', '?', '[', ']', '{', '}', '\\', '!']) {
        return None;
    }
    Some(format!("{}{rest}", real.trim_end_matches('/')))
}

fn path_matches(entry: &Entry, exe: &Executable, s: &Subject<'_>, world: &dyn World) -> bool {
    let real_counts = same_program(exe.name(), exe.real_name());
    let hit = |pattern: &str| {
        PathGlob::new(pattern, s.home, s.case_sensitive)
            .is_ok_and(|g| g.matches(&exe.found) || (real_counts && g.matches(&exe.real)))
    };
    if hit(&entry.pattern) {
        return true;
    }
    if !last_component_may_match(&entry.pattern, exe, real_counts) {
        return false;
    }
    canonical_spelling(entry, s.home, world).is_some_and(|p| hit(&p))
}

/// True if the entry covers the program only for where its link leads, and the link lies in a folder that the caller can
/// write: what a program reads beside the name it was started by (Python's `pyvenv.cfg` and what that names) is then the
/// caller's, and a restriction to some arguments would promise what it cannot keep. Source: site(3py), "Virtual
/// environments".
fn is_dressed(entry: &Entry, exe: &Executable, s: &Subject<'_>, world: &dyn World) -> bool {
    if exe.found == exe.real || !world.writable(parent(&exe.found)) || world.writable(&exe.real) {
        return false;
    }
    !spellings(entry, s, world).iter().any(|g| g.matches(&exe.found))
}

/// A cheap no: the pattern's last component is literal and is neither name. Spares a look at the file system.
fn last_component_may_match(pattern: &str, exe: &Executable, real_counts: bool) -> bool {
    let last = last_component(pattern.as_bytes());
    if last.iter().any(|b| b"*?[{\\".contains(b)) {
        return true;
    }
    last.eq_ignore_ascii_case(exe.name()) || (real_counts && last.eq_ignore_ascii_case(exe.real_name()))
}

/// Suffixes that the alternatives systems of distributions add to a program's name.
const ALTERNATIVE_SUFFIXES: WordList = words![
    ".basic",
    ".tiny",
    ".nox",
    ".gtk3",
    ".gtk",
    ".athena",
    ".openbsd",
    ".traditional",
    ".gnu",
    ".bsd",
    ".distrib",
    ".debian",
    ".real",
];

/// True if the file behind a link is the same program under a versioned or alternatives name
/// (`python3` → `python3.11`, `vi` → `vim.basic`): then an entry for the real path covers the link.
pub(crate) fn same_program(found: &[u8], real: &[u8]) -> bool {
    if found == real {
        return true;
    }
    let stem = ALTERNATIVE_SUFFIXES.iter().find_map(|s| real.strip_suffix(s)).unwrap_or(real);
    if stem == found || (found == b"vi" && stem == b"vim") {
        return true;
    }
    match stem.strip_prefix(found) {
        Some(rest) => {
            !found.is_empty()
                && rest.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'_'))
                && rest.iter().any(u8::is_ascii_digit)
        }
        None => false,
    }
}

/// `Some(true)`, `Some(false)`, or `None` if it cannot be told. It must hold for the folder the program is started in and
/// for those that its options name (`make -C`): if only some lie there, that is nothing anybody could tell.
fn cwd_matches(entry: &Entry, s: &Subject<'_>, world: &dyn World) -> Option<bool> {
    let Some(pattern) = &entry.cwd else { return Some(true) };
    let cwd = s.cwd?;
    let names: Vec<&[u8]> =
        [s.typed.map(last_component), s.exe.map(Executable::name), s.exe.map(Executable::real_name)]
            .into_iter()
            .flatten()
            .collect();
    let globs = cwd_globs(pattern, s, world);
    let here = lies_under(&globs, cwd);
    match folders::elsewhere(&names, s.args, cwd, world) {
        Some(others) if others.iter().all(|o| lies_under(&globs, o) == here) => Some(here),
        _ => None,
    }
}

fn cwd_globs(pattern: &str, s: &Subject<'_>, world: &dyn World) -> Vec<PathGlob> {
    let mut globs = Vec::new();
    globs.extend(PathGlob::new(pattern, s.home, s.case_sensitive).ok());
    let as_entry = Entry { pattern: pattern.to_owned(), ..Entry::default() };
    if let Some(other) = canonical_spelling(&as_entry, s.home, world) {
        globs.extend(PathGlob::new(&other, s.home, s.case_sensitive).ok());
    }
    if !pattern.contains(['*', '?', '[', '{']) {
        // A plain folder without a slash at its end names the folder itself too.
        if let Some(real) = pattern_folder(pattern, s.home).and_then(|p| world.real(&p)) {
            globs.extend(std::str::from_utf8(&real).ok().and_then(|r| PathGlob::new(r, None, true).ok()));
        }
    }
    globs
}

/// The folder or any folder above it matches.
fn lies_under(globs: &[PathGlob], folder: &[u8]) -> bool {
    let mut dir = folder;
    loop {
        if globs.iter().any(|g| g.matches(dir)) {
            return true;
        }
        if dir == b"/" || dir.is_empty() {
            return false;
        }
        dir = parent(dir);
    }
}

fn pattern_folder(pattern: &str, home: Option<&[u8]>) -> Option<Vec<u8>> {
    match pattern.strip_prefix("~/") {
        Some(rest) => Some(crate::resolve::join(home?, rest.as_bytes())),
        None if pattern == "~" => Some(home?.to_vec()),
        None => Some(pattern.as_bytes().to_vec()),
    }
}

/// `Some(true)`, `Some(false)`, or `None` if a word the entry looks at is known only at run time.
fn args_match(entry: &Entry, args: &[Arg]) -> Option<bool> {
    let mut unknown = false;
    if let Some(globs) = &entry.args {
        let (globs, open) = match globs.split_last() {
            Some((last, rest)) if last == "..." => (rest, true),
            _ => (globs.as_slice(), false),
        };
        // An unquoted dynamic word may become any number of words, so that nothing behind it has a place.
        let fixed = args.iter().position(|a| matches!(a, Arg::Dynamic { single: false, .. }));
        let looked_at = fixed.map_or(args, |at| args.get(..at).unwrap_or(args));
        if fixed.is_none() && (args.len() < globs.len() || (!open && args.len() != globs.len())) {
            return Some(false);
        }
        if fixed.is_some_and(|at| !open || at < globs.len()) {
            unknown = true;
        }
        for (glob, arg) in globs.iter().zip(looked_at) {
            match arg.literal() {
                Some(word) if ArgGlob::new(glob).is_ok_and(|g| g.matches(word)) => {}
                Some(_) => return Some(false),
                None if glob == "*" => {}
                None => unknown = true,
            }
        }
    }
    if let Some(pattern) = &entry.arg_pattern {
        let Ok(regex) = ArgPattern::new(pattern) else { return None };
        let words = args.iter().map(Arg::literal).collect::<Option<Vec<_>>>()?;
        if !regex.matches(&words) {
            return Some(false);
        }
    }
    if unknown { None } else { Some(true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_alternatives() {
        for (f, r) in [
            ("python3", "python3.11"),
            ("vi", "vim.basic"),
            ("nc", "nc.openbsd"),
            ("gcc", "gcc-12"),
            ("a", "a"),
        ] {
            assert!(same_program(f.as_bytes(), r.as_bytes()), "{f} {r}");
        }
        for (f, r) in
            [("ls", "busybox"), ("sh", "dash"), ("git", "gitk"), ("python", "python-evil"), ("awk", "mawk")]
        {
            assert!(!same_program(f.as_bytes(), r.as_bytes()), "{f} {r}");
        }
    }

    #[test]
    fn a_sub_command_is_found_behind_options() {
        for (line, want) in [
            ("push origin", true),
            ("--no-pager push", true),
            ("-C . push", true),
            ("-c color.ui=never --no-pager -P push x", true),
            ("commit -m push x", false),
            ("log push", false),
            ("--git-dir=x commit push", false),
            ("--git-dir=x push", true),
            ("--git-dir commit push", true),
            ("-x", false),
            ("", false),
        ] {
            let args: Vec<Arg> = line.split_ascii_whitespace().map(Arg::lit).collect();
            let is_push = |a: &[Arg]| a.first().and_then(Arg::literal) == Some(b"push");
            assert_eq!(sub_commands(&args, 0).any(is_push), want, "{line}");
            let git = Subject { typed: Some(b"git"), ..subject(&args) };
            assert_eq!(sub_commands(&args, in_front(&git)).any(is_push), want, "git {line}");
        }
    }

    fn subject(args: &[Arg]) -> Subject<'_> {
        Subject { typed: None, exe: None, args, cwd: None, now_ms: 1, home: None, case_sensitive: true }
    }

    #[test]
    fn what_an_option_takes_for_its_value_is_no_sub_command() {
        let push = Entry {
            pattern: "git".into(),
            args: Some(vec!["push".into(), "...".into()]),
            ..Entry::default()
        };
        let world = crate::world::FakeWorld::new();
        // A word in quotes is one whatever it becomes, one with a dollar alone may become several.
        for (line, want) in [
            ("-C \"$d\" status", false),
            ("-C ~/p pull", false),
            ("--no-pager -C \"$d\" log \"$x\"", false),
            ("-C \"$d\" -c \"$x\" checkout \"$b\"", false),
            ("--git-dir \"$d\" --work-tree=\"$w\" status", false),
            ("-C push status", false),
            ("-C \"$d\" push", true),
            ("-C \"$d\" \"$x\"", true),
            ("-C \"$d\" -x \"$x\"", true),
            ("-C -C push", true),
            ("-C \"$d\" -C push status", false),
            ("-C \"$d\" --unknown push", true),
            ("-C $d status", true),
            ("-C\"$d\" status", true),
            ("-x \"$d\" status", true),
            ("\"$d\" status", true),
            ("-C", false),
        ] {
            let word = |w: &str| {
                let dynamic = Arg::Dynamic {
                    source: w.into(),
                    prefix: w[..w.find(['"', '$', '~']).unwrap_or_default()].into(),
                    single: w.contains('"') || w.starts_with('~'),
                };
                if w.contains(['$', '~']) { dynamic } else { Arg::lit(w) }
            };
            let args: Vec<Arg> = line.split_ascii_whitespace().map(word).collect();
            let git = Subject { typed: Some(b"git"), ..subject(&args) };
            assert_eq!(speaks(&push, &git, &world), want, "git {line}");
            // Of another program nobody knows which options take a value.
            let other = Subject { typed: Some(b"gut"), ..subject(&args) };
            assert!(speaks(&push, &other, &world) || !line.contains('"'), "gut {line}");
        }
    }

    #[test]
    fn an_option_with_its_value_is_no_sub_command() {
        let dynamic = |source: &str, single| {
            let end = source.find('$').unwrap();
            Arg::Dynamic { source: source.into(), prefix: source[..end].into(), single }
        };
        let entry = |first: &str| Entry {
            pattern: "git".into(),
            args: Some(vec![first.into(), "...".into()]),
            ..Entry::default()
        };
        for (first, word, single, home, want) in [
            ("push", "--git-dir=$HOME/.d", false, "/home/u", true),
            ("{send-pack,http-push}", "--git-dir=${HOME}/.d", false, "/home/u", true),
            ("push", "--git-dir=$x", true, "/home/u", true),
            ("push", "--git-dir=$HOME", false, "/home/a b", false),
            ("push", "--git-dir=$HOMER", false, "/home/u", false),
            ("push", "--git-dir=$x", false, "/home/u", false),
            ("push", "--git-dir=$HOME$x", false, "/home/u", false),
            ("push", "--git-dir$x", true, "/home/u", false),
            ("push", "-c$x", true, "/home/u", false),
            ("push", "$x", true, "/home/u", false),
            ("--git-dir=*", "--git-dir=$x", true, "/home/u", false),
            ("{a,--git-dir=*}", "--git-dir=$x", true, "/home/u", false),
            ("*", "--git-dir=$x", true, "/home/u", false),
        ] {
            let got = is_no_name(&entry(first), &dynamic(word, single), Some(home.as_bytes()));
            assert_eq!(got, want, "{first} {word} {home}");
        }
    }

    #[test]
    fn words() {
        let lit = |w: &[&str]| w.iter().map(Arg::lit).collect::<Vec<_>>();
        let entry = |globs: &[&str]| Entry {
            args: Some(globs.iter().map(|g| (*g).to_owned()).collect()),
            ..Entry::default()
        };
        assert_eq!(args_match(&entry(&["status", "..."]), &lit(&["status"])), Some(true));
        assert_eq!(args_match(&entry(&["status", "..."]), &lit(&["status", "-s"])), Some(true));
        assert_eq!(args_match(&entry(&["status"]), &lit(&["status", "-s"])), Some(false));
        assert_eq!(args_match(&entry(&["sta*"]), &lit(&["status"])), Some(true));
        assert_eq!(args_match(&entry(&[]), &lit(&[])), Some(true));
        assert_eq!(args_match(&entry(&[]), &lit(&["x"])), Some(false));
        let one = Arg::Dynamic { source: b"\"$x\"".to_vec(), prefix: vec![], single: true };
        let many = Arg::Dynamic { source: b"$x".to_vec(), prefix: vec![], single: false };
        assert_eq!(args_match(&entry(&["status", "..."]), &[Arg::lit("status"), many.clone()]), Some(true));
        assert_eq!(args_match(&entry(&["status", "*"]), &[Arg::lit("status"), one.clone()]), Some(true));
        assert_eq!(args_match(&entry(&["status", "a"]), &[Arg::lit("status"), one]), None);
        assert_eq!(args_match(&entry(&["status", "..."]), &[many.clone(), Arg::lit("status")]), None);
        assert_eq!(args_match(&entry(&["status"]), &[Arg::lit("status"), many.clone()]), None);
        assert_eq!(args_match(&entry(&["status"]), &[Arg::lit("push"), many]), Some(false));
    }
}
