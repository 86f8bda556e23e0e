//! The words that one becomes by what the text says: its variables, what they are edited to, what is printed, braces, and
//! the names of files that the text itself makes, where a pattern takes them.
use std::cell::Cell;

use super::edits::{Pattern, WORDS, edited, elements, range};
use super::made::{DEEPEST, enclosed, instead, name, printed, reads_files, tame, unquoted};
use crate::arg::Arg;
use crate::tables::words::{WordList, words};

/// Commands that print none of their own words.
const QUIET: WordList = words![
    "git describe",
    "git rev-parse HEAD",
    "git rev-parse --short",
    "git branch --show-current",
    "git log",
    "git status",
    "git diff",
    "git ls-files",
    "git merge-base",
    "ls",
    "pwd",
    "nproc",
    "wc",
    "find",
    "mktemp",
    "whoami",
    "hostname",
    "uname",
    "id",
    "docker ps",
    "docker images",
    "kubectl get",
    "pgrep",
    "pidof",
    "date +%",
    "which",
    "command -v",
];

/// Commands that print names of files.
const LISTERS: WordList = words!["git ls-files", "git status", "git diff", "ls", "find", "fd", "rg", "grep"];

/// Commands that print pieces of paths.
const CUTTERS: WordList = words!["basename", "dirname", "realpath", "readlink"];

/// Commands that print their own words, or what they make of them.
const SAYERS: WordList = words!["echo", "printf", "print", "expr", "date", "command", "builtin", "env"];

/// What the text says.
#[derive(Clone, Copy)]
pub(super) struct Said<'a> {
    /// Of a variable.
    pub of: &'a dyn Fn(&[u8]) -> Vec<Arg>,
    /// To what makes files.
    pub made: &'a [Arg],
    /// To git, as names and messages.
    pub told: &'a [Arg],
    /// Into files, or may.
    pub files: bool,
    /// Set once a value is edited: `${x#y}`.
    pub edits: Option<&'a Cell<bool>>,
    /// In the body of a function.
    pub body: &'a dyn Fn(&[u8]) -> Option<&'a [u8]>,
}

/// The words that one with this source becomes by what the text says of its variables, put where they stand: `--$x=y` with
/// `x=pre` is `--pre=y`. What nobody knows is an `x`, what nobody has set nothing. None where nothing is known of any of them; `None` if
/// they are too many, or what is known of it goes through something that is not followed.
pub(super) fn readings(source: &[u8], said: Said<'_>) -> Option<Vec<Vec<u8>>> {
    let mut filler = Filler::new(said);
    let mut out = filler.word(source, 0)?;
    if filler.varies {
        // Where it is set may not be where it is used, or may not have run.
        let with = |lacks: Lacks| Filler { lacks, ..Filler::new(said) }.word(source, 0);
        for word in with(Lacks::Each).or_else(|| with(Lacks::All))? {
            if !out.contains(&word) {
                out.push(word);
            }
        }
    }
    if filler.braces && out.len() > 1 {
        // All that braces make stands there at once.
        out.push(out.join(&b' '));
    }
    let mut more = Vec::new();
    for word in &mut out {
        let own = [UNSET, UNKNOWN].iter().any(|b| word.contains(b)) && is_of_account(word);
        if own && word.contains(&UNKNOWN) {
            more.push(word.iter().copied().filter(|b| *b > UNSET).collect());
        }
        let unset = own && word.contains(&UNSET);
        word.retain(|b| *b != UNSET);
        word.iter_mut().filter(|b| **b == UNKNOWN).for_each(|b| *b = b'x');
        if unset && !filler.known {
            more.push(word.clone());
        }
    }
    for word in out.iter().filter(|_| !said.made.is_empty()) {
        more.extend(taken_by(word, said)?);
    }
    if !filler.known {
        out.clear();
    }
    for word in more {
        if !out.contains(&word) {
            out.push(word);
        }
    }
    Some(out)
}

/// Stands for what is there, and nobody knows: no word has it.
const UNKNOWN: u8 = 0;

/// Stands for a variable that nobody has set: nothing.
const UNSET: u8 = 1;

/// True if what nobody knows stands between letters, or behind a name that is called: they are one word where it is nothing.
fn glues(word: &[u8]) -> bool {
    let letter = u8::is_ascii_alphanumeric;
    word.windows(3).any(|w| matches!(w, [a, ..=UNSET, b] if letter(a) && (letter(b) || *b == b'(')))
}

/// True if what is left of a word without its variables is of account: where one is all of the word nothing is, and what is
/// left of a program without its numbers and names is none.
fn is_of_account(word: &[u8]) -> bool {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_=./:@+~\0\x01".contains(b);
    word.iter().any(|b| *b > UNSET) && (glues(word) || word.iter().all(plain))
}

/// The names of files that the text makes, as far as a pattern takes them; `None` if that cannot be told.
pub(super) fn taken_by(pattern: &[u8], said: Said<'_>) -> Option<Vec<Vec<u8>>> {
    Filler::new(said).taken(pattern)
}

/// What commands may print of the names that the text gives to what makes files, and to git.
pub(super) fn names_printed(commands: &[u8], said: Said<'_>) -> Option<Vec<Vec<u8>>> {
    let any = |is: &dyn Fn(&[u8]) -> bool| commands.split(|b| SPLITS.contains(b)).any(|c| is(c.trim_ascii()));
    let mut filler = Filler::new(said);
    let mut out = if any(&|c| is_one(c, LISTERS)) { filler.names()? } else { Vec::new() };
    if any(&tells) {
        out.extend(filler.told()?);
    }
    Some(out)
}

/// What lies between commands.
const SPLITS: &[u8] = b"|;&(\n`";

/// True if a command of git prints names or messages.
fn tells(command: &[u8]) -> bool {
    const TELLERS: WordList = words![
        "describe",
        "branch",
        "log",
        "for-each-ref",
        "tag",
        "config",
        "symbolic-ref",
        "show",
        "status",
        "rev-parse",
        "stash",
        "name-rev",
        "show-ref",
        "shortlog",
        "reflog",
        "remote",
        "worktree",
        "cat-file",
        "rev-list",
        "ls-remote",
        "fast-export",
        "whatchanged",
        "diff",
        "format-patch",
        "notes",
        "var",
    ];
    let mut words = command.split(u8::is_ascii_whitespace);
    words.next() == Some(b"git") && words.any(|w| TELLERS.has(w))
}

fn is_one(command: &[u8], list: WordList) -> bool {
    list.iter().any(|q| command.starts_with(q))
}

/// Which variables that the text sets are nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lacks {
    None,
    /// Each with and without.
    Each,
    All,
}

struct Filler<'a> {
    said: Said<'a>,
    lacks: Lacks,
    /// A variable that is set stands beside other letters.
    varies: bool,
    /// How many functions were looked into, and those that are.
    calls: usize,
    bodies: Vec<Vec<u8>>,
    /// Something is known of one of the variables.
    known: bool,
    /// There are braces.
    braces: bool,
    /// The variables whose values are being filled.
    within: Vec<Vec<u8>>,
}

impl<'a> Filler<'a> {
    fn new(said: Said<'a>) -> Filler<'a> {
        Filler {
            said,
            lacks: Lacks::None,
            varies: false,
            calls: 0,
            bodies: Vec::new(),
            known: false,
            braces: false,
            within: Vec::new(),
        }
    }

    fn word(&mut self, source: &[u8], depth: usize) -> Option<Vec<Vec<u8>>> {
        let mut out = vec![Vec::new()];
        let (mut rest, mut quoted) = (source, false);
        while let Some((byte, after)) = rest.split_first() {
            let mut literal = *byte;
            let here = rest;
            rest = after;
            match byte {
                b'"' => {
                    quoted = !quoted;
                    continue;
                }
                b'\\' => match after.split_first() {
                    Some((next, behind)) if !quoted || b"$`\"\\".contains(next) => {
                        literal = *next;
                        rest = behind;
                    }
                    _ => {}
                },
                b'\'' if !quoted => {
                    let end = after.iter().position(|b| *b == b'\'').unwrap_or(after.len());
                    let (text, behind) = after.split_at(end);
                    out.iter_mut().for_each(|w| w.extend_from_slice(text));
                    rest = behind.get(1..).unwrap_or_default();
                    continue;
                }
                b'{' if !quoted => {
                    let (inside, behind) = enclosed(here, b'{', b'}');
                    if let Some(words) = self.brace(inside, depth)? {
                        (self.known, self.braces) = (true, true);
                        out = each(&out, &words)?;
                        rest = behind;
                        continue;
                    }
                }
                b'`' => {
                    // One alone stands for what nobody knows, but whoever wrote the text.
                    let end = (0..after.len()).find(|at| {
                        after.get(*at) == Some(&b'`') && (*at == 0 || after.get(at - 1) != Some(&b'\\'))
                    })?;
                    let (inside, behind) = after.split_at(end);
                    let words = self.command(inside, depth)?;
                    out = each(&out, &words)?;
                    rest = behind.get(1..).unwrap_or_default();
                    continue;
                }
                b'$' if !quoted && after.first() == Some(&b'"') => continue,
                b'$' if !quoted && after.first() == Some(&b'\'') => {
                    let inside = after.get(1..).unwrap_or_default();
                    let end = inside.iter().position(|b| *b == b'\'').unwrap_or(inside.len());
                    let (text, behind) = inside.split_at(end);
                    if text.contains(&b'\\') {
                        return None;
                    }
                    out.iter_mut().for_each(|w| w.extend_from_slice(text));
                    rest = behind.get(1..).unwrap_or_default();
                    continue;
                }
                b'$' => {
                    if let Some((mut words, behind)) = self.dollar(after, depth)? {
                        let alone = |text: &[u8]| text.iter().all(|b| *b == b'"');
                        let set = words.iter().any(|w| w.iter().any(|b| *b > UNSET));
                        if depth == 0 && set && !(alone(behind) && out.iter().all(Vec::is_empty)) {
                            self.varies = true;
                            match self.lacks {
                                Lacks::None => {}
                                Lacks::Each => words.push(vec![UNSET]),
                                Lacks::All => words = vec![vec![UNSET]],
                            }
                        }
                        out = each(&out, &words)?;
                        rest = behind;
                        continue;
                    }
                }
                _ => {
                    // As many as mean nothing else.
                    let marks = |b: &u8| matches!(b, b'"' | b'\\' | b'\'' | b'{' | b'`' | b'$');
                    let end = after.iter().position(marks).unwrap_or(after.len());
                    let (text, behind) = here.split_at(end + 1);
                    // A pattern that takes no name stays as it is typed.
                    self.known |= depth == 0 && !quoted && text.iter().any(|b| b"*?[".contains(b));
                    out.iter_mut().for_each(|w| w.extend_from_slice(text));
                    rest = behind;
                    continue;
                }
            }
            out.iter_mut().for_each(|w| w.push(literal));
        }
        Some(out)
    }

    /// The words that braces make; nothing if they are none of those that do.
    #[expect(clippy::option_option, reason = "`?` ends both loops")]
    fn brace(&mut self, inside: &[u8], depth: usize) -> Option<Option<Vec<Vec<u8>>>> {
        let elements = elements(inside);
        // With dots and a comma in quotes bash takes the braces away.
        let bared = inside.contains(&b',') && inside.windows(2).any(|w| w == b"..");
        if elements.len() < 2 && !bared {
            return range(inside);
        }
        if depth > DEEPEST {
            return None;
        }
        let mut words = Vec::new();
        for element in elements {
            words.extend(self.word(element, depth + 1)?);
        }
        (words.len() <= WORDS).then_some(Some(words))
    }

    /// What stands behind a dollar, as words, and what follows; nothing if it is a dollar and no more.
    #[expect(clippy::type_complexity, reason = "`?` ends both loops")]
    fn dollar<'s>(&mut self, after: &'s [u8], depth: usize) -> Option<Option<(Vec<Vec<u8>>, &'s [u8])>> {
        let (mut words, mut unset) = (Vec::new(), false);
        let behind = match after.first() {
            Some(b'(') => {
                let (inside, behind) = enclosed(after, b'(', b')');
                // Its brackets do not pair.
                if inside.windows(5).any(|w| matches!(w, [b'c', b'a', b's', b'e', b' ' | b'\t' | b'\n'])) {
                    return None;
                }
                // `$((a) | b)` is none.
                if inside.first() != Some(&b'(') || !enclosed(inside, b'(', b')').1.is_empty() {
                    words = self.command(inside, depth)?;
                }
                behind
            }
            Some(b'{') => {
                let (inside, behind) = enclosed(after, b'{', b'}');
                let (name, op) = inside.split_at(name(inside));
                match (name, op) {
                    ([], [b'!' | b'-']) => unset = true,
                    ([], [b'#', ..] | [b'?' | b'$']) => {}
                    // Names of variables, flags of zsh, substitutions in substitutions.
                    ([], _) => return None,
                    _ => {
                        let op = subscripted(op);
                        unset = true;
                        match op.strip_prefix(b":").unwrap_or(op).first() {
                            // Of a variable that is not set, nothing.
                            Some(b'+') => words.push(vec![UNSET]),
                            _ => self.values(name, op, depth, &mut words)?,
                        }
                        let word = instead(op);
                        if !word.is_empty() && depth < DEEPEST {
                            self.known = true;
                            words.extend(self.word(word, depth + 1)?);
                        }
                    }
                }
                behind
            }
            Some(_) => {
                let (name, behind) = after.split_at(name(after));
                match (name, after.split_first()) {
                    // The last job, and the options: there may be none.
                    ([], Some((b'!' | b'-', behind))) => {
                        unset = true;
                        behind
                    }
                    ([], Some((b'?' | b'$' | b'#', behind))) => behind,
                    ([], _) => return Some(None),
                    _ => {
                        self.values(name, b"", depth, &mut words)?;
                        unset = true;
                        behind
                    }
                }
            }
            None => return Some(None),
        };
        if words.is_empty() {
            words.push(vec![if unset { UNSET } else { UNKNOWN }]);
        }
        Some(Some((words, behind)))
    }

    /// What a variable may be, edited as the operator says.
    fn values(&mut self, name: &[u8], op: &[u8], depth: usize, words: &mut Vec<Vec<u8>>) -> Option<()> {
        if let Some(edits) = self.said.edits {
            let whole = |b: &u8| b"-=+?[".contains(b);
            edits.set(edits.get() || !op.strip_prefix(b":").unwrap_or(op).first().is_none_or(whole));
        }
        for arg in (self.said.of)(name) {
            match arg {
                Arg::Literal(value) => {
                    self.known = true;
                    words.extend(edited(&value, op)?);
                }
                Arg::Dynamic { source, .. } if depth < DEEPEST => {
                    let before = std::mem::replace(&mut self.known, false);
                    self.within.push(name.to_vec());
                    let mut filled = self.word(&source, depth + 1)?;
                    self.within.pop();
                    // The home is known to whoever starts it.
                    self.known |= matches!(source.as_slice(), [b'~'] | [b'~', b'/', ..]);
                    for at in 0..filled.len() {
                        // `for x in *`: a name of a file is a value.
                        let taken = self.taken(filled.get(at).map_or(b"", |w| w))?;
                        self.known |= !taken.is_empty();
                        filled.extend(taken);
                    }
                    // A piece of a name from elsewhere is one of those.
                    let own = self.known || matters(&source);
                    for word in filled {
                        match own {
                            true => words.extend(edited(&word, op)?),
                            false => words.push(word),
                        }
                    }
                    self.known |= before;
                }
                // What is put together of itself was looked at often enough.
                Arg::Dynamic { .. } if self.within.iter().any(|n| n == name) => {}
                Arg::Dynamic { .. } => return None,
            }
        }
        (words.len() <= WORDS).then_some(())
    }

    /// What commands print; `None` where it is made of what the text says in a way that is not followed.
    fn command(&mut self, commands: &[u8], depth: usize) -> Option<Vec<Vec<u8>>> {
        let mut words = Vec::new();
        let (mut says, mut alters) = (false, false);
        for command in commands.split(|b| SPLITS.contains(b)) {
            let command = bare(command);
            if let Some(name) = command.split(u8::is_ascii_whitespace).next()
                && !self.bodies.iter().any(|b| b == name)
                && let Some(body) = (self.said.body)(name)
            {
                // What a function prints is made of its words, and of those it is called with.
                self.calls += 1;
                if depth >= DEEPEST || self.calls > WORDS {
                    return None;
                }
                self.bodies.push(name.to_vec());
                words.extend(self.command(body, depth + 1)?);
                self.bodies.pop();
                self.known = true;
                continue;
            }
            if is_one(command, LISTERS) && !self.said.made.is_empty() {
                let names = self.names()?;
                self.known |= !names.is_empty();
                words.extend(names);
            }
            if !self.said.told.is_empty() && tells(command) {
                let told = self.told()?;
                self.known |= !told.is_empty();
                words.extend(told);
            }
            if command.is_empty() {
                continue;
            }
            if command == b"pwd" {
                self.values(b"PWD", b"", depth, &mut words)?;
            }
            let tame = tame(command);
            let quiet = is_one(command, QUIET) && (tame || !command.starts_with(b"date"));
            if quiet && tame {
                continue;
            }
            if makes_more(command) || (self.said.files && !quiet && (reads_files(command) || !tame)) {
                return None;
            }
            let sayer = command.split(u8::is_ascii_whitespace).next();
            says |= sayer.is_some_and(|name| SAYERS.has(name)) && self.says(command, depth)?
                || command.windows(2).any(|w| w == b"<<");
            alters |= !quiet && !tame;
            self.known = true;
            for word in printed(command) {
                match word.contains(&b'$') && depth < DEEPEST {
                    true => words.extend(self.word(word, depth + 1)?),
                    false => words.push(unquoted(word)),
                }
            }
            if CUTTERS.iter().any(|c| command.starts_with(c)) {
                let pieces: Vec<Vec<u8>> = words.iter().flat_map(|w| path_pieces(w, &words)).collect();
                words.extend(pieces);
            }
            if !tame {
                // A program of its own (sed, awk) may print any piece of its words.
                let piece = |b: &u8| !b.is_ascii_alphanumeric() && !b"-_.".contains(b);
                for piece in command.split(piece).filter(|p| p.len() > 1) {
                    if !words.iter().any(|w| w == piece) {
                        words.push(piece.to_vec());
                    }
                }
            }
            if words.len() > WORDS {
                return None;
            }
        }
        if says && alters {
            return None;
        }
        words.push(vec![UNKNOWN]);
        Some(words)
    }

    /// True if a command that prints its words has one that the text knows.
    fn says(&mut self, command: &[u8], depth: usize) -> Option<bool> {
        for word in command.split(u8::is_ascii_whitespace).skip(1) {
            let word: Vec<u8> = word.iter().copied().filter(|b| !b"'\"".contains(b)).collect();
            if word.contains(&b'$') {
                let before = std::mem::replace(&mut self.known, false);
                if depth < DEEPEST {
                    self.word(&word, depth + 1)?;
                }
                let known = std::mem::replace(&mut self.known, before);
                if known {
                    return Some(true);
                }
            } else if matters(&unformatted(&word)) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Names and messages that the text gives to git.
    fn told(&mut self) -> Option<Vec<Vec<u8>>> {
        let told = std::mem::take(&mut self.said.told);
        let mut out = Vec::new();
        for word in told {
            match word {
                Arg::Literal(word) => out.push(word.clone()),
                Arg::Dynamic { source, .. } => out.extend(self.word(source, 1)?),
            }
        }
        self.said.told = told;
        (out.len() <= WORDS).then_some(out)
    }

    /// The names of files that the text makes, as far as a pattern takes them.
    fn taken(&mut self, pattern: &[u8]) -> Option<Vec<Vec<u8>>> {
        if self.said.made.is_empty() || !pattern.iter().any(|b| b"*?[".contains(b)) {
            return Some(Vec::new());
        }
        // One that ends in a slash takes folders, and the slash is theirs.
        let (bare, slash) = match pattern.strip_suffix(b"/") {
            Some(bare) => (bare, &b"/"[..]),
            None => (pattern, &b""[..]),
        };
        let read = Pattern::of(bare);
        let takes = |name: &[u8]| read.as_ref().is_none_or(|p| !p.counts(name) || p.takes(name));
        let names = self.names()?;
        let mut out: Vec<Vec<u8>> = Vec::new();
        let mut add = |name: &[u8]| {
            if takes(name) && out.len() <= WORDS {
                out.push([name, slash].concat());
            }
        };
        names.iter().for_each(|name| add(name));
        if bare.contains(&b'/') {
            // Any of them may be a folder, and any other in it.
            for folder in &names {
                for name in names.iter().filter(|n| !n.contains(&b'/')) {
                    add(&[folder, &b"/"[..], name].concat());
                }
            }
            // And what is in it may be anybody's: a repository that was cloned.
            for at in (0..bare.len()).filter(|at| bare.get(*at) == Some(&b'/')) {
                let (front, behind) = bare.split_at(at);
                let read = Pattern::of(front);
                for folder in names.iter().filter(|f| read.as_ref().is_some_and(|p| p.takes(f))) {
                    if out.len() <= WORDS {
                        out.push([folder.as_slice(), &unquoted(behind), slash].concat());
                    }
                }
            }
        }
        (out.len() <= WORDS).then_some(out)
    }

    /// The names of files that the text makes, and what is left of each behind a folder.
    fn names(&mut self) -> Option<Vec<Vec<u8>>> {
        let made = std::mem::take(&mut self.said.made);
        let mut out: Vec<Vec<u8>> = Vec::new();
        for word in made {
            let words = match word {
                Arg::Literal(word) => vec![word.clone()],
                Arg::Dynamic { source, .. } => self.word(source, 1)?,
            };
            for word in &words {
                let mut rest = word.strip_suffix(b"/").unwrap_or(word);
                loop {
                    if !rest.is_empty() && !out.iter().any(|w| w == rest) {
                        out.push(rest.to_vec());
                    }
                    let Some(slash) = rest.iter().position(|b| *b == b'/') else { break };
                    rest = rest.get(slash + 1..).unwrap_or_default();
                }
            }
            if out.len() > 2 * WORDS {
                return None;
            }
        }
        self.said.made = made;
        Some(out)
    }
}

/// A command without the words of the shell in front of it; nothing if there is none, or one that prints nothing.
fn bare(command: &[u8]) -> &[u8] {
    const FRONT: WordList = words!["{", "!", "if", "then", "elif", "else", "while", "until", "do"];
    const SILENT: WordList = words![
        "}", "fi", "done", "esac", "local", "return", "shift", "read", "test", "[", "[[", "true", "false",
        ":", "cd", "exit",
    ];
    let mut rest = command.trim_ascii();
    loop {
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if SILENT.has(word) {
            return b"";
        }
        if !FRONT.has(word) {
            return rest;
        }
        rest = behind.trim_ascii();
    }
}

/// What basename and dirname may make of a path: what stands in front of a slash or behind it, without an end that is one
/// of the other words.
fn path_pieces(path: &[u8], ends: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let last = path.rsplit(|b| *b == b'/').find(|p| !p.is_empty()).unwrap_or(path);
    out.push(last.to_vec());
    out.extend(ends.iter().filter_map(|end| last.strip_suffix(end.as_slice())).map(<[u8]>::to_vec));
    let slash = path.iter().rposition(|b| *b == b'/');
    out.extend(slash.and_then(|at| path.get(..at)).map(<[u8]>::to_vec));
    out.retain(|piece| !piece.is_empty() && piece != path);
    out
}

/// The operator behind a subscript.
fn subscripted(op: &[u8]) -> &[u8] {
    if op.first() == Some(&b'[') { enclosed(op, b'[', b']').1 } else { op }
}

/// True if there is something in it that a name could be made of.
fn matters(word: &[u8]) -> bool {
    let bare = word.split(|b| *b == b'$').next().unwrap_or_default();
    bare.iter().any(u8::is_ascii_alphanumeric)
}

/// A word of printf, date or echo without `%s`, `%03d`, `\n` and options.
fn unformatted(word: &[u8]) -> Vec<u8> {
    if matches!(word, b"-n" | b"-e" | b"-E" | b"-ne" | b"-en" | b"-r" | b"-f" | b"-d" | b"-u") {
        return Vec::new();
    }
    let (mut out, mut rest) = (Vec::new(), word);
    while let Some((byte, after)) = rest.split_first() {
        rest = match (byte, after.first()) {
            (b'%', _) => {
                let end = after.iter().position(u8::is_ascii_alphabetic).map_or(after.len(), |at| at + 1);
                after.get(end..).unwrap_or_default()
            }
            (b'\\', Some(b'n' | b't' | b'r')) => after.get(1..).unwrap_or_default(),
            _ => {
                out.push(*byte);
                after
            }
        };
    }
    out
}

/// True if a command may print what no piece of its words is: escapes, strings put together, letters made others.
fn makes_more(command: &[u8]) -> bool {
    let has = |part: &[u8]| command.windows(part.len()).any(|w| w == part);
    let escape = |at: usize| match command.get(at + 1..).unwrap_or_default() {
        [b'x' | b'0' | b'o' | b'u' | b'U' | b'L', ..] => true,
        [b'1'..=b'3', b'0'..=b'7', b'0'..=b'7', ..] => true,
        [b'd', a, b, c, ..] => [a, b, c].iter().all(|d| d.is_ascii_digit()),
        _ => false,
    };
    let marks = command.iter().enumerate().filter(|(_, b)| **b == b'\\');
    let made = |words: &[&str]| words.iter().any(|w| has(w.as_bytes()));
    marks.into_iter().any(|(at, _)| escape(at))
        || has(b"%x")
        || (has(b"awk") && made(&["BEGIN", "printf", "toupper", "tolower"]))
        || (command.starts_with(b"jq") && made(&["-n", "-rn", "-nr", "--null-input", "--arg"]))
}

/// Each of these with each of those behind it.
fn each(front: &[Vec<u8>], back: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    if front.len() * back.len() > WORDS {
        return None;
    }
    Some(front.iter().flat_map(|f| back.iter().map(move |b| [f.as_slice(), b].concat())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'a>(of: &'a dyn Fn(&[u8]) -> Vec<Arg>) -> Said<'a> {
        Said { of, made: &[], told: &[], files: false, edits: None, body: &|_| None }
    }

    #[test]
    fn values_stand_where_the_variables_did() {
        let dynamic =
            |source: &str| Arg::Dynamic { source: source.into(), prefix: Vec::new(), single: false };
        let of = |name: &[u8]| match name {
            b"x" => vec![Arg::lit("pre")],
            b"two" => vec![Arg::lit("a"), Arg::lit("b")],
            b"y" => vec![dynamic("--$x=./evil")],
            b"loop" => vec![dynamic("$loop")],
            b"many" => (0..70).map(|n| Arg::lit(n.to_string())).collect(),
            _ => Vec::new(),
        };
        for (source, want) in [
            ("--$x=./evil", "--pre=./evil --=./evil"),
            ("--\"${x}\"=./evil", "--pre=./evil --=./evil"),
            (
                "-{-,x}$x=./evil",
                "--pre=./evil -xpre=./evil --=./evil -x=./evil --pre=./evil -xpre=./evil --=./evil -x=./evil",
            ),
            ("$two$two", "aa ab ba bb a b a b "),
            ("$y", "--pre=./evil"),
            ("--$(echo pre)=e", "--echo=e --pre=e --x=e --=e"),
            ("$(cat <<<--pre=e)", "cat --pre=e x"),
            ("--${none:-pre}=e", "--pre=e --=e"),
            ("\"BEGIN{$x(\\\"e\\\")}\"", "BEGIN{pre(\"e\")} BEGIN{(\"e\")}"),
            ("a'$x'\\$x$none", ""),
            ("$none/x", "/x"),
            ("$none", ""),
            ("${none},${none}p", ""),
            ("sys${none}tem(1)", "system(1)"),
            ("$none'env'", "env"),
            ("\"$none\"", ""),
            ("--$(git rev-parse HEAD)", "--"),
            ("e$(git rev-parse HEAD)nv", "env"),
            ("SHELL$(git diff)=e", "SHELL=e"),
            ("e$!nv", "env"),
            ("SH${HOME+}ELL=e", "SHELL=e"),
            ("SH${none:+a}ELL=e", "SHELL=e SHaELL=e"),
            ("e$(false)nv", "env"),
            ("s/[x]/.\\/e/e", "s/[x]/./e/e"),
            ("S$((echo a) | cat)b", "Sechob Sab Scatb Sxb Sb"),
            ("S$((1 + 2))b", "Sb"),
            ("`echo pre`$none", "echo pre x"),
            ("--${x#p}", "--re --"),
            ("--${x%%e*}", "--pr --"),
            ("--${a[1]#x}", "--"),
            ("{$x,{a,b}}", "pre a b pre a b"),
            ("S{K..L}", "SK SL SK SL"),
            ("$'a'$x$\"b\"", "apreb ab"),
            ("S$(date +%F)", "S"),
            ("a'$x'$two", "a$xa a$xb a$x"),
            ("\"$\"$x", "$pre $"),
        ] {
            let got = readings(source.as_bytes(), said(&of)).unwrap().join(&b' ');
            assert_eq!(String::from_utf8_lossy(&got), want, "{source}");
        }
        assert_eq!(readings(b"$many", said(&of)), None);
        assert_eq!(readings(b"$two$two$two$two$two$two$two", said(&of)), None);
        assert!(readings(b"$loop", said(&of)).is_some());
    }
}
