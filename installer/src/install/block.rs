//! Our lines in somebody else's text file: put in and taken out without changing a byte of the rest.
//!
//! The marks say all that is needed to take the lines out again, so that a lost manifest loses nothing. What somebody wrote
//! between them is known by not looking like ours, and stays: below the marks, or where they were.

const BEGIN: &[u8] = b"# >>> exec-guard >>>";
/// The file's last line had no newline, so we put one: it goes with our lines.
const BEGIN_JOINED: &[u8] = b"# >>> exec-guard, after a line without an end >>>";
const END: &[u8] = b"# <<< exec-guard <<<";

/// What our lines begin and end with, in their order; one that is all begin has no other end.
const FORMS: &[(&str, &str)] = &[
    ("case \"$PATH:\" in", ""),
    ("    '", ":*) ;;"),
    ("    *) PATH='", "; export PATH ;;"),
    ("esac", ""),
    ("fpath=('", " $fpath)"),
];

/// The text with our lines in it: in place of those that are there, else at the end.
///
/// # Errors
/// There are marks that do not belong together: a begin without an end, or more than one.
pub fn put(text: &[u8], lines: &str) -> Result<Vec<u8>, String> {
    match find(text)? {
        Some(there) => {
            let mark = if there.joined { BEGIN_JOINED } else { BEGIN };
            let (before, after) = (text.get(..there.start), text.get(there.end..));
            let theirs = theirs(text, &there);
            Ok([before.unwrap_or_default(), &block(mark, lines), &theirs, after.unwrap_or_default()].concat())
        }
        None if text.is_empty() || text.ends_with(b"\n") => Ok([text, &block(BEGIN, lines)].concat()),
        None => Ok([text, b"\n", &block(BEGIN_JOINED, lines)].concat()),
    }
}

/// The text without our lines; `None` if it has none.
///
/// # Errors
/// As [`put`].
pub fn take(text: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let Some(there) = find(text)? else { return Ok(None) };
    let before = text.get(..there.start).unwrap_or_default();
    let after = text.get(there.end..).unwrap_or_default();
    // What was written behind our lines since then needs the newline in front.
    let theirs = theirs(text, &there);
    let before = match before.strip_suffix(b"\n") {
        Some(line) if there.joined && after.is_empty() && theirs.is_empty() => line,
        _ => before,
    };
    Ok(Some([before, &theirs, after].concat()))
}

/// True if there are lines between our marks that are not ours.
pub fn has_others(text: &[u8]) -> bool {
    matches!(find(text), Ok(Some(there)) if !theirs(text, &there).is_empty())
}

/// Lines between our marks that are not ours.
fn theirs(text: &[u8], there: &There) -> Vec<u8> {
    let between = text.get(there.start..there.end).unwrap_or_default();
    let lines: Vec<&[u8]> = between.split_inclusive(|b| *b == b'\n').collect();
    let inner = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
    let mut forms = FORMS.iter();
    let mut next = forms.next();
    let mut out = Vec::new();
    for line in inner {
        let is = |(begin, end): &(&str, &str)| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let rest = line.strip_prefix(begin.as_bytes());
            rest.is_some_and(|r| if end.is_empty() { r.is_empty() } else { r.ends_with(end.as_bytes()) })
        };
        match next {
            Some(form) if is(form) => next = forms.next(),
            _ => out.extend_from_slice(line),
        }
    }
    out
}

fn block(mark: &[u8], lines: &str) -> Vec<u8> {
    [mark, b"\n", lines.as_bytes(), END, b"\n"].concat()
}

/// Where our lines are, marks included.
struct There {
    start: usize,
    end: usize,
    joined: bool,
}

fn find(text: &[u8]) -> Result<Option<There>, String> {
    let mut found: Option<There> = None;
    let mut open: Option<(usize, bool)> = None;
    let mut at = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        let start = at;
        at += line.len();
        let word = line.trim_ascii_end();
        if word == BEGIN || word == BEGIN_JOINED {
            if open.is_some() || found.is_some() {
                return Err("the mark of exec-guard's lines is there more than once".into());
            }
            open = Some((start, word == BEGIN_JOINED));
        } else if word == END {
            let Some((start, joined)) = open.take() else {
                return Err("the end mark of exec-guard's lines is there without a begin".into());
            };
            found = Some(There { start, end: at, joined });
        }
    }
    if open.is_some() {
        return Err("the begin mark of exec-guard's lines is there without an end".into());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: &str = "case \"$PATH:\" in\n    '/x':*) ;;\n    *) PATH='/x':\"$PATH\"; export PATH ;;\nesac\n";
    const Y: &str = "case \"$PATH:\" in\n    '/y y':*) ;;\n    *) PATH='/y y':\"$PATH\"; export PATH ;;\nesac\nfpath=('/f' $fpath)\n";

    #[test]
    fn what_was_written_between_the_marks_stays() {
        for at in 1..6 {
            for text in ["a\n", "a", ""] {
                let with = String::from_utf8(put(text.as_bytes(), X).unwrap()).unwrap();
                let begin = with.lines().position(|l| l.contains(">>>")).unwrap();
                let mut lines: Vec<&str> = with.lines().collect();
                lines.insert(begin + at, "export THEIRS=1");
                lines.insert(begin + at, "esac # theirs");
                let edited = lines.join("\n") + "\n";
                assert!(has_others(edited.as_bytes()) && !has_others(with.as_bytes()));
                let newer = put(edited.as_bytes(), Y).unwrap();
                let out = "esac # theirs\nexport THEIRS=1\n";
                assert!(newer.ends_with(out.as_bytes()), "{}", String::from_utf8_lossy(&newer));
                assert_eq!(put(&newer, Y).unwrap(), newer, "once");
                let kept = if text.is_empty() { out.to_owned() } else { format!("a\n{out}") };
                for with in [edited.as_bytes(), &newer] {
                    assert_eq!(String::from_utf8(take(with).unwrap().unwrap()).unwrap(), kept, "{at}");
                }
            }
        }
    }

    #[test]
    fn out_is_the_inverse_of_in() {
        for text in [
            "",
            "a",
            "a\n",
            "a\n\n",
            "a\r\nb",
            "# x\n\tif\n",
            "\u{e9}\n",
            "a\n# >>> other >>>\n# <<< other <<<\n",
        ] {
            let with = put(text.as_bytes(), X).unwrap();
            assert_ne!(with, text.as_bytes());
            // Twice is once.
            assert_eq!(put(&with, X).unwrap(), with);
            // A newer version takes the place of an older one.
            let newer = put(&with, Y).unwrap();
            for with in [with, newer] {
                assert_eq!(take(&with).unwrap().unwrap(), text.as_bytes(), "{text:?}");
            }
        }
    }

    #[test]
    fn what_was_added_since_stays() {
        for text in ["a", "a\n"] {
            let with = [put(text.as_bytes(), X).unwrap(), b"later\n".to_vec()].concat();
            assert_eq!(take(&with).unwrap().unwrap(), b"a\nlater\n");
            let with = [b"earlier\n".to_vec(), put(text.as_bytes(), X).unwrap()].concat();
            assert_eq!(take(&with).unwrap().unwrap(), [b"earlier\n", text.as_bytes()].concat());
        }
    }

    #[test]
    fn half_a_block_is_left_alone() {
        let with = put(b"a\n", X).unwrap();
        let cut = with.strip_suffix(b"# <<< exec-guard <<<\n").unwrap();
        assert!(put(cut, X).is_err() && take(cut).is_err());
        let twice = [with.clone(), with.clone()].concat();
        assert!(put(&twice, X).is_err() && take(&twice).is_err());
        assert!(take(b"# <<< exec-guard <<<\n").is_err());
        assert_eq!(take(b"a\n").unwrap(), None);
    }
}
