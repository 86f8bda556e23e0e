//! Our lines in somebody else's text file: put in and taken out without changing a byte of the rest.
//!
//! The marks say all that is needed to take the lines out again, so that a lost manifest loses nothing.

const BEGIN: &[u8] = b"# >>> exec-guard >>>";
/// The file's last line had no newline, so we put one: it goes with our lines.
const BEGIN_JOINED: &[u8] = b"# >>> exec-guard, after a line without an end >>>";
const END: &[u8] = b"# <<< exec-guard <<<";

/// The text with our lines in it: in place of those that are there, else at the end.
///
/// # Errors
/// There are marks that do not belong together: a begin without an end, or more than one.
pub fn put(text: &[u8], lines: &str) -> Result<Vec<u8>, String> {
    match find(text)? {
        Some(there) => {
            let mark = if there.joined { BEGIN_JOINED } else { BEGIN };
            let (before, after) = (text.get(..there.start), text.get(there.end..));
            Ok([before.unwrap_or_default(), &block(mark, lines), after.unwrap_or_default()].concat())
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
    let before = match before.strip_suffix(b"\n") {
        Some(line) if there.joined && after.is_empty() => line,
        _ => before,
    };
    Ok(Some([before, after].concat()))
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
            let with = put(text.as_bytes(), "PATH=x\n").unwrap();
            assert_ne!(with, text.as_bytes());
            // Twice is once.
            assert_eq!(put(&with, "PATH=x\n").unwrap(), with);
            // A newer version takes the place of an older one.
            let newer = put(&with, "PATH=y\nPATH=z\n").unwrap();
            for with in [with, newer] {
                assert_eq!(take(&with).unwrap().unwrap(), text.as_bytes(), "{text:?}");
            }
        }
    }

    #[test]
    fn what_was_added_since_stays() {
        for text in ["a", "a\n"] {
            let with = [put(text.as_bytes(), "x\n").unwrap(), b"later\n".to_vec()].concat();
            assert_eq!(take(&with).unwrap().unwrap(), b"a\nlater\n");
            let with = [b"earlier\n".to_vec(), put(text.as_bytes(), "x\n").unwrap()].concat();
            assert_eq!(take(&with).unwrap().unwrap(), [b"earlier\n", text.as_bytes()].concat());
        }
    }

    #[test]
    fn half_a_block_is_left_alone() {
        let with = put(b"a\n", "x\n").unwrap();
        let cut = with.strip_suffix(b"# <<< exec-guard <<<\n").unwrap();
        assert!(put(cut, "x\n").is_err() && take(cut).is_err());
        let twice = [with.clone(), with.clone()].concat();
        assert!(put(&twice, "x\n").is_err() && take(&twice).is_err());
        assert!(take(b"# <<< exec-guard <<<\n").is_err());
        assert_eq!(take(b"a\n").unwrap(), None);
    }
}
