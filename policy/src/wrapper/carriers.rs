//! Carriers with a grammar of their own: xargs, find, fd, parallel, entr.
use super::walk::Cx;
use super::words::{dynamic, fits, plain};
use super::{Carried, DYNAMIC, Inner, Peel, UNKNOWN};
use crate::arg::Arg;
use crate::tables::wrappers::Kind;

/// What stands for words that come from a list.
const LIST: &[u8] = b"...";

/// True if it stands for the words that a program puts behind its command at run time.
pub(crate) fn is_list(word: &Arg) -> bool {
    matches!(word, Arg::Dynamic { source, single: false, .. } if source == LIST)
}

/// A word in which a mark is replaced at run time. Nothing is known of it from the mark on, be the mark whole only with
/// what a dynamic word turns out to be.
fn marked(word: &Arg, mark: &[u8], single: bool) -> Arg {
    let known = word.known_prefix();
    let open = word.is_dynamic();
    let place = (0..known.len()).find(|p| {
        let rest = known.get(*p..).unwrap_or_default();
        rest.starts_with(mark) || (open && mark.starts_with(rest))
    });
    match place.filter(|_| !mark.is_empty()) {
        Some(p) => {
            let alone = !matches!(word, Arg::Dynamic { single: false, .. });
            dynamic(word.shown(), known.get(..p).unwrap_or_default(), single && alone)
        }
        None => word.clone(),
    }
}

/// xargs: the command with words of standard input behind it, or in place of a mark.
pub(super) fn xargs(cx: &Cx) -> Result<Peel, Peel> {
    let mut w = cx.walk()?;
    let mut mark: Option<Vec<u8>> = None;
    let mut appends = true;
    for (name, value) in &w.seen {
        match *name {
            "I" | "J" | "R" | "i" | "replace" => {
                // BSD's -R only counts.
                if *name == "R" {
                    continue;
                }
                let value = match value {
                    None => b"{}".to_vec(),
                    Some(v) => match v.literal() {
                        Some(b) if !b.is_empty() => b.to_vec(),
                        _ => return Err(cx.refuse("what xargs replaces is not known", None)),
                    },
                };
                mark = Some(value);
                appends = *name == "J";
            }
            // The later of these wins over a replacement: words are appended again.
            "n" | "max-args" | "L" | "l" | "max-lines" => appends = true,
            _ => {}
        }
    }
    let command = cx.args.get(w.next..).unwrap_or_default();
    let mut words: Vec<Arg> = if command.is_empty() { vec![Arg::lit("echo")] } else { command.to_vec() };
    if let Some(mark) = &mark {
        words = words.iter().map(|a| marked(a, mark, true)).collect();
    }
    if appends || command.is_empty() {
        words.push(dynamic(LIST, b"", false));
    }
    w.carried.inner.push(Inner::Argv { words, range: w.next..cx.args.len() });
    Ok(Peel::Carries(w.carried))
}

fn is_exec(word: Option<&[u8]>) -> bool {
    matches!(word, Some(b"-exec" | b"-execdir" | b"-ok" | b"-okdir"))
}

/// True if it is a glob and nothing else: it becomes names of files.
fn source_is_glob(word: &Arg) -> bool {
    matches!(word, Arg::Dynamic { source, .. } if source != LIST && !source.iter().any(|b| matches!(b, b'$' | b'`')))
}

/// True if the word at a place outside any `-exec` may turn out to be one with its command: it may become several
/// words (a list, an unquoted variable; names of files that a glob finds are left to the rules of arguments), or it
/// may become the `-exec` of the literal words behind it.
fn brings_exec(cx: &Cx, at: usize) -> bool {
    let Some(word @ Arg::Dynamic { single, .. }) = cx.args.get(at) else { return false };
    if !word.may_be_option() {
        return false;
    }
    if !single {
        return !source_is_glob(word);
    }
    // As the command, a word that begins with a dash is no program.
    let command = cx.args.get(at + 1).is_some_and(|a| a.known_prefix().first() != Some(&b'-'));
    command && (at + 2..cx.args.len()).any(|i| matches!(cx.literal(i), Some(b";" | b"+")))
}

/// find: each `-exec … ;` and `-exec … {} +`. Whether such a word is the value of another test is not asked:
/// taking it for an action is the stricter reading.
pub(super) fn find(cx: &Cx) -> Peel {
    let mut inner = Vec::new();
    let mut elsewhere = false;
    let mut at = cx.from;
    while at < cx.args.len() {
        let word = cx.literal(at);
        if !is_exec(word) {
            if brings_exec(cx, at) {
                return cx.refuse("a word known only at run time may be an -exec", at);
            }
            at += 1;
            continue;
        }
        elsewhere |= matches!(word, Some(b"-execdir" | b"-okdir"));
        let start = at + 1;
        let Some(end) = (start..cx.args.len()).find(|i| {
            cx.literal(*i) == Some(b";") || (cx.literal(*i) == Some(b"+") && cx.literal(i - 1) == Some(b"{}"))
        }) else {
            return cx.refuse("-exec without its end", at);
        };
        let many = cx.literal(end) == Some(b"+");
        let words = cx.args.get(start..end).unwrap_or_default();
        for (i, word) in words.iter().enumerate() {
            // A word that becomes `;` ends the command early, and more actions may follow.
            let more =
                words.get(i + 1..).unwrap_or_default().iter().any(|a| a.known_prefix().starts_with(b"-"));
            if word.is_dynamic() && (!fits(Kind::Any, word) || (more && word.may_be_option())) {
                return cx.refuse("a word known only at run time may end the -exec", start + i);
            }
        }
        if words.is_empty() {
            return cx.refuse("-exec without a command", at);
        }
        let words = words.iter().map(|a| marked(a, b"{}", !many)).collect();
        inner.push(Inner::Argv { words, range: start..end });
        at = end + 1;
    }
    if inner.is_empty() {
        return Peel::No;
    }
    let mut peel = cx.carries(inner);
    if let (Peel::Carries(c), true) = (&mut peel, elsewhere) {
        c.chdir = Some(dynamic(b"{}", b"", true));
    }
    peel
}

/// fd: everything after `-x` or `-X`, up to a `;`. Letters of a cluster are read as fd does.
pub(super) fn fd(cx: &Cx) -> Peel {
    /// Short options with a value.
    const VALUES: &[u8] = b"eEtdSocjC";
    let mut at = cx.from;
    let mut start = None;
    let mut chdir = None;
    while let Some(word) = cx.args.get(at) {
        at += 1;
        let Some(w) = word.literal() else {
            // `-xPROGRAM` is one word.
            if word.may_be_option() && !source_is_glob(word) {
                return cx.refuse("a word known only at run time may be an -x", at - 1);
            }
            continue;
        };
        if w == b"--" {
            break;
        }
        if matches!(w, b"--exec" | b"--exec-batch") {
            start = Some((at, None));
            break;
        }
        if let Some(first) = w.strip_prefix(b"--exec=").or(w.strip_prefix(b"--exec-batch=")) {
            start = Some((at, Some(first.to_vec())));
            break;
        }
        if w == b"--base-directory" {
            chdir = cx.args.get(at).cloned();
            at += 1;
            continue;
        }
        if let Some(to) = w.strip_prefix(b"--base-directory=") {
            chdir = Some(Arg::lit(to));
        }
        let Some(letters) = w.strip_prefix(b"-").filter(|l| !l.starts_with(b"-")) else { continue };
        for (i, letter) in letters.iter().enumerate() {
            let rest = letters.get(i + 1..).unwrap_or_default();
            match letter {
                b'x' | b'X' => {
                    let rest = rest.strip_prefix(b"=").unwrap_or(rest);
                    start = Some((at, (!rest.is_empty()).then(|| rest.to_vec())));
                    break;
                }
                l if VALUES.contains(l) => {
                    // The value is attached, or the next word.
                    if *l == b'C' {
                        let to = rest.strip_prefix(b"=").unwrap_or(rest);
                        chdir = if rest.is_empty() { cx.args.get(at).cloned() } else { Some(Arg::lit(to)) };
                    }
                    if rest.is_empty() {
                        at += 1;
                    }
                    break;
                }
                _ => {}
            }
        }
        if start.is_some() {
            break;
        }
    }
    let Some((from, attached)) = start else { return Peel::No };
    let end = (from..cx.args.len()).find(|i| cx.literal(*i) == Some(b";")).unwrap_or(cx.args.len());
    if end + 1 < cx.args.len() {
        return cx.refuse("words after the end of fd's command", end + 1);
    }
    let mut words: Vec<Arg> = attached.map(|a| Arg::lit(&a)).into_iter().collect();
    words.extend(cx.args.get(from..end).unwrap_or_default().iter().cloned());
    if words.is_empty() {
        return cx.refuse("-x without a command", None);
    }
    let has_mark = words.iter().any(|a| a.literal().is_some_and(|b| b.contains(&b'{')));
    let mut words: Vec<Arg> = words.iter().map(|a| marked(a, b"{", false)).collect();
    if !has_mark {
        words.push(dynamic(LIST, b"", false));
    }
    let mut carried = Carried::new(cx.class, vec![Inner::Argv { words, range: from..end }]);
    carried.chdir = chdir;
    Peel::Carries(carried)
}

/// entr: the command, `/_` being the file that changed.
pub(super) fn entr(cx: &Cx) -> Result<Peel, Peel> {
    let mut peel = cx.command(cx.walk()?, &[], None)?;
    if let Peel::Carries(c) = &mut peel {
        for inner in &mut c.inner {
            if let Inner::Argv { words, .. } = inner {
                *words = words.iter().map(|a| marked(a, b"/_", true)).collect();
            }
        }
    }
    Ok(peel)
}

/// parallel: the words up to `:::`, run by a shell for each item. Only words that mean the same to every shell
/// are read; without a command the items themselves are commands.
pub(super) fn parallel(cx: &Cx) -> Result<Peel, Peel> {
    let mut w = cx.walk()?;
    let separator = |i: &usize| matches!(cx.literal(*i), Some(b":::" | b"::::" | b":::+" | b"::::+"));
    let end = (w.next..cx.args.len()).find(separator).unwrap_or(cx.args.len());
    let words = cx.args.get(w.next..end).unwrap_or_default();
    if words.is_empty() {
        w.carried.inner.push(Inner::Stdin);
        return Ok(Peel::Carries(w.carried));
    }
    // Marks and `=` mean nothing to a shell behind the first word.
    let bare = |b: &[u8]| plain(&b.iter().copied().filter(|c| !b"{}=".contains(c)).collect::<Vec<u8>>());
    for (i, word) in words.iter().enumerate() {
        match word.literal() {
            None => return Err(cx.refuse(DYNAMIC, w.next + i)),
            Some(b"{}") if i > 0 => {}
            Some(b"{}") => return Err(cx.refuse("the items are commands", w.next)),
            Some(b) if !bare(b) => {
                return Err(
                    cx.refuse("a text that parallel hands to a shell after replacing marks", w.next + i)
                );
            }
            Some(b) if i == 0 && b.contains(&b'=') => return Err(cx.refuse(UNKNOWN, w.next)),
            Some(_) => {}
        }
    }
    let mut out: Vec<Arg> = words.iter().map(|a| marked(a, b"{", true)).collect();
    out.push(dynamic(LIST, b"", false));
    w.carried.inner.push(Inner::Argv { words: out, range: w.next..end });
    Ok(Peel::Carries(w.carried))
}
