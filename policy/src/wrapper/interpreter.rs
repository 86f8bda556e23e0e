//! Interpreters: whether the program comes from standard input.
use super::{Carried, Class, DYNAMIC, Inner, Peel, UNKNOWN};
use crate::arg::Arg;
use crate::getopt::{Item, parse};
use crate::tables::interpreters::Interpreter;

/// Paths that are standard input under another name.
pub(super) fn is_stdin(word: &[u8]) -> bool {
    matches!(word, b"-" | b"/dev/stdin" | b"/dev/fd/0" | b"/proc/self/fd/0" | b"/proc/thread-self/fd/0")
}

fn stdin() -> Peel {
    Peel::Carries(Carried::new(Class::Carrier, vec![Inner::Stdin]))
}

fn refuse(why: &'static str, at: usize) -> Peel {
    Peel::Refused { why: why.into(), at: Some(at), class: Class::Carrier }
}

/// Judges an interpreter's words: [`Peel::No`] if its program is named or given in them.
pub(super) fn peel(row: &Interpreter, args: &[Arg]) -> Peel {
    let mut operands = 0_usize;
    // Unknown options that may have swallowed the next word.
    let mut greedy: Option<usize> = None;
    let mut unknown = 0_usize;
    // Where the code is has been said, but a later option may name standard input besides.
    let mut given = false;
    if let [Arg::Literal(only)] = args
        && matches!(only.as_slice(), b"-v" | b"-V" | b"--version" | b"-h" | b"--help" | b"-version")
    {
        return Peel::No;
    }
    for item in parse(&row.options, args) {
        let (name, value, at): (&[u8], Option<Arg>, usize) = match &item {
            Item::Short(l, i) => (&[*l], None, *i),
            Item::ShortValue(l, i, v) => (&[*l], Some(v.clone()), *i),
            Item::Long(n, i) => (n.as_bytes(), None, *i),
            Item::LongValue(n, i, v) => (n.as_bytes(), Some(v.clone()), *i),
            Item::LongTwo(n, i, ..) => (n.as_bytes(), None, *i),
            Item::End(_) => continue,
            Item::Operand(i) => {
                let word = args.get(*i);
                let literal = word.and_then(Arg::literal);
                operands += 1;
                if row.operands == 0 || operands > 1 {
                    continue;
                }
                if literal.is_some_and(is_stdin) && row.language {
                    return stdin();
                }
                let rest = args.get(i + 1..).unwrap_or_default();
                for read in row.reads.iter() {
                    let mut words = read.split(|b| *b == b' ');
                    if words.next() == literal {
                        let dash = rest.iter().any(|a| a.literal().is_some_and(is_stdin));
                        if words.next().is_none() || dash {
                            return stdin();
                        }
                    }
                }
                continue;
            }
            Item::Unknown(i) => {
                let word = args.get(*i).and_then(Arg::literal).unwrap_or_default();
                let long = word.strip_prefix(b"--");
                let harmless =
                    long.is_some_and(|l| l.contains(&b'=') || row.flags.iter().any(|f| l.starts_with(f)));
                if row.operands == 0 || harmless {
                    continue;
                }
                if long.is_none() && !row.options.single_dash_long {
                    return refuse(UNKNOWN, *i);
                }
                unknown += 1;
                greedy = greedy.or(Some(*i));
                continue;
            }
            Item::DynamicOption(i) => {
                if row.operands == 0 || operands > 0 || !row.language {
                    operands += 1;
                    continue;
                }
                return refuse(DYNAMIC, *i);
            }
        };
        if row.code.has(name) {
            // Languages take what follows their code for its arguments.
            if row.language && row.operands > 0 {
                return Peel::No;
            }
            given = true;
        }
        if row.stdin.has(name) {
            return stdin();
        }
        if row.files.has(name) {
            match value.as_ref().map(Arg::literal) {
                Some(Some(b)) if is_stdin(b) => return stdin(),
                Some(None) => return refuse(DYNAMIC, at),
                _ if row.language && row.operands > 0 => return Peel::No,
                _ => given = true,
            }
        }
    }
    if given || row.operands == 0 || operands >= row.operands.saturating_add(unknown) {
        return Peel::No;
    }
    match greedy {
        Some(at) if operands > 0 => refuse(UNKNOWN, at),
        _ => stdin(),
    }
}
