//! What a word known only at run time may begin with, as far as the text that it stands in decides that.
//!
//! Where `dynamicOption` lets such words pass, what comes from elsewhere is one of them. But what the text itself
//! assigns, edits or prints, and what its environment says, is known: it is tried, or where it cannot be known may be any
//! option.
use crate::arg::Arg;
use crate::tables::words::{WordList, words};

/// Programs that print what is there (names of files, folders, revisions, processes; what a file says), or lines of that
/// whole, or their own words (which are tried).
const TAME: WordList = words![
    "basename", "cat", "command", "date", "dirname", "docker", "echo", "fd", "find", "getconf", "git",
    "grep", "head", "hostname", "id", "kubectl", "ls", "mktemp", "nproc", "pgrep", "pidof", "podman", "pwd",
    "readlink", "realpath", "rg", "sort", "tail", "type", "uname", "uniq", "wc", "which", "whoami",
];

/// Deepest chain of variables that is followed.
pub(super) const DEEPEST: usize = 8;

/// True if a word with this source may begin with any option. Those that it may be are put into `tries`; `of` gives
/// the words that a variable may be, none for one from elsewhere.
pub(super) fn anything(
    source: &[u8],
    of: &dyn Fn(&[u8]) -> Vec<Arg>,
    tries: &mut Vec<Vec<u8>>,
    depth: usize,
) -> bool {
    let mut rest = source;
    while let Some((byte, after)) = rest.split_first() {
        rest = match byte {
            b'"' => after,
            b'\'' | b'\\' => return after.first() == Some(&b'-'),
            b'-' => {
                let known = rest.iter().position(|b| b"$`".contains(b)).unwrap_or(rest.len());
                let (known, after) = rest.split_at(known);
                let start = unquoted(known);
                if !after.is_empty() {
                    // What stands behind is tried behind it.
                    let mut more = vec![b"x".to_vec()];
                    if anything(after, of, &mut more, depth) {
                        return true;
                    }
                    tries.extend(more.iter().map(|m| [start.as_slice(), m].concat()));
                }
                tries.push(start);
                return false;
            }
            b'`' => return true,
            b'$' => match after.first() {
                Some(b'(') if after.starts_with(b"((") => return false,
                Some(b'(') => {
                    let (inside, next) = enclosed(after, b'(', b')');
                    tries.extend(printed(inside).map(unquoted));
                    // What is in its variables is printed as well.
                    let mut open = inside.split(u8::is_ascii_whitespace).filter(|w| w.contains(&b'$'));
                    if !tame(inside) || open.any(|w| depth >= DEEPEST || anything(w, of, tries, depth + 1)) {
                        return true;
                    }
                    next
                }
                Some(b'{') => {
                    let (inside, next) = enclosed(after, b'{', b'}');
                    let (name, op) = inside.split_at(name(inside));
                    match op.first() {
                        _ if name.is_empty() => return inside.first() != Some(&b'#'),
                        None | Some(b'[') => {}
                        Some(_) if edited(&of(name), op, of, tries, depth) => return true,
                        // What stands behind belongs to the same word.
                        Some(_) if instead(op).first() == Some(&b'-') && next.iter().any(|b| *b != b'"') => {
                            return true;
                        }
                        Some(_) => {
                            rest = next;
                            continue;
                        }
                    }
                    match variable(&of(name), inside.len() + 3 >= bare(source), of, tries, depth) {
                        Some(any) => return any,
                        None => next,
                    }
                }
                // `$'\x2d'`: nothing is read in it.
                Some(b'\'') => return true,
                // Both may be empty.
                Some(b'!' | b'-') => after.get(1..).unwrap_or_default(),
                Some(_) => {
                    let (name, next) = after.split_at(name(after));
                    match variable(&of(name), name.len() + 1 >= bare(source), of, tries, depth) {
                        Some(any) => return any,
                        None => next,
                    }
                }
                None => return false,
            },
            _ => return false,
        };
    }
    false
}

/// What a plain variable may begin with; `whole` = it is all of the word. `None`: nothing, so what follows counts.
fn variable(
    words: &[Arg],
    whole: bool,
    of: &dyn Fn(&[u8]) -> Vec<Arg>,
    tries: &mut Vec<Vec<u8>>,
    depth: usize,
) -> Option<bool> {
    let mut empty = words.is_empty();
    for word in words {
        match word {
            Arg::Literal(value) if whole => tries.push(value.clone()),
            Arg::Literal(value) if value.first() == Some(&b'-') || value.windows(2).any(|w| w == b" -") => {
                return Some(true);
            }
            Arg::Literal(value) => empty |= value.is_empty(),
            Arg::Dynamic { source, .. } => {
                if depth >= DEEPEST || anything(source, of, tries, depth + 1) {
                    return Some(true);
                }
                empty = true;
            }
        }
    }
    if empty { None } else { Some(false) }
}

/// The word behind `-`, `=` or `+`, with or without a colon.
pub(super) fn instead(op: &[u8]) -> &[u8] {
    let op = op.strip_prefix(b":").unwrap_or(op);
    let word = op.strip_prefix(b"-").or(op.strip_prefix(b"=")).or(op.strip_prefix(b"+")).unwrap_or_default();
    word.strip_prefix(b"\"").unwrap_or(word)
}

/// True if `${NAME…}` with that operator may be any option: of words of the text a piece can be.
fn edited(
    words: &[Arg],
    op: &[u8],
    of: &dyn Fn(&[u8]) -> Vec<Arg>,
    tries: &mut Vec<Vec<u8>>,
    depth: usize,
) -> bool {
    let op = op.strip_prefix(b":").unwrap_or(op);
    // The value is another word, itself (`?` ends the shell) or its beginning; the rest takes pieces out of it, or puts
    // others in.
    let (instead, whole) = match op.split_first() {
        Some((b'-' | b'=' | b'+', word)) => (Some(word), true),
        _ if words.is_empty() => return false,
        Some((b'?' | b'%', _)) => (None, true),
        _ => (None, false),
    };
    let dash = |w: &Arg| match w {
        Arg::Literal(value) if whole => {
            value.first() == Some(&b'-')
                || value.windows(2).any(|w| matches!(w, [b' ' | b'\t' | b'\n', b'-']))
        }
        Arg::Literal(value) => value.contains(&b'-'),
        Arg::Dynamic { source, .. } => {
            let mut pieces = Vec::new();
            depth >= DEEPEST
                || anything(source, of, &mut pieces, depth + 1)
                || pieces.iter().any(|p| p.contains(&b'-'))
        }
    };
    words.iter().any(dash)
        || match instead {
            Some(word) => depth >= DEEPEST || anything(word, of, tries, depth + 1),
            None => !whole && op.contains(&b'-'),
        }
}

/// The words of commands, as those that print their own words may print them: a here-string's too.
pub(super) fn printed(commands: &[u8]) -> impl Iterator<Item = &[u8]> {
    // `date +x` prints x.
    commands
        .split(|b| b.is_ascii_whitespace() || b"<>|;&()".contains(b))
        .map(|w| w.strip_prefix(b"+").unwrap_or(w))
        .filter(|w| !w.is_empty())
}

/// Those of them that print what a file says.
const OF_FILES: WordList = words!["cat", "grep", "head", "rg", "sort", "tail", "uniq"];

/// True if the commands may print what a file says.
pub(super) fn reads_files(commands: &[u8]) -> bool {
    OF_FILES.iter().any(|name| commands.windows(name.len()).any(|w| w == name))
}

/// True if what the commands print is nothing that the text says, but for its words as they stand.
pub(super) fn tame(commands: &[u8]) -> bool {
    let holds = |w: &[u8], part: &[u8]| w.windows(part.len()).any(|p| p == part);
    let says = |name: &[u8], w: &[u8]| {
        speaks(w)
            || matches!(w, b"--only-matching" | b"--bytes" | b"--replace")
            // Pieces of lines: `head -c`, `grep -o`, `rg -r`.
            || (matches!(name, b"head" | b"tail") && w.starts_with(b"-c"))
            || (matches!(name, b"grep" | b"rg") && single_dash(w).contains(&b'o'))
            || (name == b"rg" && (single_dash(w).contains(&b'r') || w.starts_with(b"--replace=")))
    };
    // Dates and hashes begin with no dash.
    let plain = |name: &[u8], w: &[u8]| match (name, unquoted(w).as_slice()) {
        (b"date", w) => {
            w.starts_with(b"+%")
                && !holds(w, b"%n")
                && !holds(w, b"%t")
                && w.iter().all(|b| b.is_ascii_alphanumeric() || b"%+-_:./".contains(b))
        }
        (b"git", w) if w.starts_with(b"--sort=-") => {
            w.iter().skip(8).all(|b| b.is_ascii_alphabetic() || *b == b':')
        }
        (b"git", w) => {
            let format = w.strip_prefix(b"--format=").or(w.strip_prefix(b"--pretty=")).unwrap_or_default();
            matches!(format.strip_prefix(b"format:").unwrap_or(format), b"%H" | b"%h" | b"%T" | b"%t")
        }
        _ => false,
    };
    let commands = of_refs(commands);
    commands.split(|b| b"|;&(`\n".contains(b)).all(|command| {
        let mut words = command.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        words.next().is_none_or(|name| TAME.has(name) && !words.any(|w| says(name, w) && !plain(name, w)))
    })
}

/// Names of branches and tags are what is there, like hashes: for one of these fields as for the hash.
fn of_refs(commands: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    const FIELDS: WordList = words!["%(refname:short)", "%(refname)", "%(objectname)", "%(objectname:short)"];
    let Some(at) = commands.windows(2).position(|w| w == b"%(") else { return commands.into() };
    let (front, rest) = commands.split_at(at);
    let mut out = front.to_vec();
    let mut rest = rest;
    while let Some((byte, after)) = rest.split_first() {
        match FIELDS.iter().find_map(|f| rest.strip_prefix(f)) {
            Some(behind) => {
                out.extend_from_slice(b"%h");
                rest = behind;
            }
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    out.into()
}

/// True if a format stands in a word, or a dash where something before it may be taken away.
fn speaks(word: &[u8]) -> bool {
    word.iter().enumerate().any(|(at, byte)| {
        let rest = || word.get(at..).unwrap_or_default();
        match byte {
            b'%' | b'\\' => true,
            b'/' | b'+' | b'=' => word.get(at + 1) == Some(&b'-'),
            b'f' => rest().starts_with(b"format"),
            b'p' => rest().starts_with(b"pretty") || rest().starts_with(b"printf"),
            b't' => rest().starts_with(b"template"),
            b'j' => rest().starts_with(b"jsonpath"),
            _ => false,
        }
    })
}

/// The letters behind a single dash.
fn single_dash(word: &[u8]) -> &[u8] {
    word.strip_prefix(b"-").filter(|w| w.first() != Some(&b'-')).unwrap_or_default()
}

/// How long the name is that begins here: letters, or one digit or special character.
pub(super) fn name(text: &[u8]) -> usize {
    let letters = text.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    match text.first() {
        Some(b) if b.is_ascii_digit() => text.iter().take_while(|b| b.is_ascii_digit()).count(),
        Some(b'@' | b'*') => 1,
        _ => letters,
    }
}

/// What stands between these two, and what follows.
pub(super) fn enclosed(text: &[u8], open: u8, close: u8) -> (&[u8], &[u8]) {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match *byte {
            b if b == open => depth += 1,
            b if b == close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let inside = text.get(1..at).unwrap_or_default();
                    return (inside, text.get(at + 1..).unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    (text.get(1..).unwrap_or_default(), b"")
}

pub(super) fn unquoted(word: &[u8]) -> Vec<u8> {
    word.iter().copied().filter(|b| !b"'\"\\".contains(b)).collect()
}

/// How long it is without quotes.
fn bare(word: &[u8]) -> usize {
    word.iter().filter(|b| **b != b'"').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_word_may_be() {
        let dynamic =
            |source: &str| Arg::Dynamic { source: source.into(), prefix: Vec::new(), single: false };
        let of = |name: &[u8]| match name {
            b"lit" => vec![Arg::lit("a.txt"), Arg::lit("b")],
            b"opt" => vec![Arg::lit("--pre=./evil")],
            b"inner" => vec![Arg::lit("x--pre=./evil")],
            b"empty" => vec![Arg::lit("")],
            b"glob" => vec![dynamic("*.c")],
            b"said" => vec![dynamic("$(printf %s --pre)")],
            b"loop" => vec![dynamic("$loop")],
            b"again" => vec![dynamic("\"$opt\"")],
            b"arg" => vec![dynamic("$inner")],
            b"path" => vec![Arg::lit("/home/a-b")],
            b"many" => vec![Arg::lit("a -b")],
            _ => Vec::new(),
        };
        for (source, any, tried) in [
            ("$env", false, ""),
            ("\"$env\"", false, ""),
            ("${env}", false, ""),
            ("$lit", false, "a.txt b"),
            ("\"${opt}\"", false, "--pre=./evil"),
            ("\"$again\"", false, "--pre=./evil"),
            ("$opt$lit", true, ""),
            ("$lit$opt", false, ""),
            ("$env$opt", true, ""),
            ("$empty--pre=./evil", false, "--pre=./evil"),
            ("$env--pre=$x", false, "--pre= --pre=x"),
            ("-j$(nproc)", false, "-j -jnproc"),
            ("-$inner", false, "-x--pre=./evil"),
            ("--pre=$(printf %s x)", true, ""),
            ("\"$env/$x\"", false, ""),
            ("${inner#x}", true, ""),
            ("${inner:1}", true, ""),
            ("${lit%.txt}", false, ""),
            ("${lit/a/-}", true, ""),
            ("${env##*/}", false, ""),
            ("${env:-HEAD}", false, ""),
            ("${env:---pre=./evil}", false, "--pre=./evil"),
            ("${env:-$opt}", false, "--pre=./evil"),
            ("${!env}", true, ""),
            ("${#env}", false, ""),
            ("${glob%.c}", false, ""),
            ("$glob", false, ""),
            ("$loop", true, ""),
            ("$said", true, ""),
            ("$((1 - 2))", false, ""),
            ("`ls`", true, ""),
            ("$(printf %s --pre=./evil)", true, ""),
            ("$(echo x | tr x -)", true, ""),
            ("$(ls | sed s/x/y/)", true, ""),
            ("$(git log -1 --format=%s)", true, ""),
            ("$(echo a.txt b)", false, "a.txt b"),
            ("$(echo \"$opt\")", false, "--pre=./evil"),
            ("$(echo $said)", true, ""),
            ("$(echo $loop)", true, ""),
            ("$(basename \"$path\")", false, ""),
            ("$(git log -1 $env)", false, ""),
            ("$(echo --pre=./evil)", false, "--pre=./evil"),
            ("$(echo '\\055-pre')", true, ""),
            ("$(basename x/--pre=evil)", true, ""),
            ("$(date +--pre=evil)", true, ""),
            ("$(echo x--pre=evil | tail -c 10)", true, ""),
            ("$(echo x--pre=evil | grep -ho '.-pre.*')", true, ""),
            ("$(echo x--pre=evil | rg -Nr '' x)", true, ""),
            ("$(grep -rl x src)", false, ""),
            ("$(command -v git)", false, ""),
            ("$(command sed s/x/-/ f)", true, ""),
            ("$(git config --default=--pre=./evil a.b)", true, ""),
            ("$env$'\\x2d-pre=./evil'", true, ""),
            ("${path:-/x}", false, ""),
            ("${path:-x-y}", false, ""),
            ("${path:---pre=./evil}", false, "--pre=./evil"),
            ("${path:?not-set}", false, ""),
            ("${path%-*}", false, ""),
            ("${path##*/}", true, ""),
            ("${path:3}", true, ""),
            ("${path: -2}", true, ""),
            ("${opt:-x}", true, ""),
            ("${many:-x}", true, ""),
            ("${env:+x}${env:--}-pre=./evil", true, ""),
            ("$!--pre=./evil", false, "--pre=./evil"),
            ("${arg#x}", true, ""),
            ("$(rg -l x src)", false, ""),
            ("$(git log -1 --pretty=x)", true, ""),
            ("$(git rev-parse --show-toplevel)", false, "--show-toplevel"),
            ("$(git rev-parse --pre=./evil)", false, "--pre=./evil"),
            ("\"$(git ls-files '*.c' | head -n 3)\"/x", false, "-n"),
            ("$(dirname \"$(which x)\")", false, ""),
            ("$(date +%F)", false, ""),
            ("$(date '+%Y-%m-%d')", false, ""),
            ("$(date +%F%n--pre)", true, ""),
            ("$(git log -1 --format=%H)", false, ""),
            ("$(git log -1 --format=%H%s)", true, ""),
            ("$(git branch --format='%(refname:short)')", false, ""),
            ("$(git for-each-ref --sort=-committerdate --format='%(refname)' refs/heads)", false, ""),
            ("$(git for-each-ref --format='%(refname:short)x%(contents)')", true, ""),
            ("$(git for-each-ref --format='%(contents)' refs/heads)", true, ""),
            ("$(git for-each-ref --sort=-x%(contents))", true, ""),
            ("$(git log -1 --pretty='format:%h' | head -n 1)", false, ""),
            ("*.c", false, ""),
        ] {
            let mut tries = Vec::new();
            assert_eq!(anything(source.as_bytes(), &of, &mut tries, 0), any, "{source}");
            for word in tried.split_whitespace() {
                assert!(tries.iter().any(|t| t == word.as_bytes()), "{source}: {word} not tried");
            }
        }
    }
}
