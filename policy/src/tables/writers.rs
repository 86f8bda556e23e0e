//! Programs that write files which their words name: what they may have put in place is not what was judged. Source:
//! their manuals.
use crate::resolve::last_component;
use crate::tables::wrappers::is;

/// What a file stands for that such a program is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// It is written, or copied to where it is written: naming one that is dangerous to write is a question.
    Written,
    /// It may be written, and as often is only read, packed or worked on by the program's own language, whose hazards
    /// have rows of their own.
    Perhaps,
}

/// Name, what the files it names are, how it writes them.
const WRITERS: &[(&str, Named, &str)] = &[
    ("cp", Named::Written, "copies to its last operand"),
    ("mv", Named::Written, "moves to its last operand"),
    ("ln", Named::Written, "puts a link where its last operand is"),
    ("install", Named::Written, "copies to its last operand, and makes it executable"),
    ("sed", Named::Written, "`-i` and `w` write the files they name"),
    ("tee", Named::Written, "writes each operand"),
    ("dd", Named::Written, "writes `of=`"),
    ("curl", Named::Written, "`-o` writes, and what comes is somebody else's"),
    ("wget", Named::Written, "`-O` writes, and what comes is somebody else's"),
    ("rsync", Named::Written, "copies to its last operand"),
    ("patch", Named::Written, "changes the files it is given"),
    ("truncate", Named::Written, "cuts or makes each operand"),
    ("scp", Named::Written, "copies to its last operand"),
    ("unzip", Named::Perhaps, "what it writes stands in the archive, below `-d`"),
    ("tar", Named::Perhaps, "what it writes stands in the archive, below `-C`; packing only reads"),
    ("ed", Named::Perhaps, "`w` writes what it was given, in its own language"),
    ("perl", Named::Perhaps, "`-i` writes its operands; else they are a script and its words"),
    ("rename", Named::Perhaps, "what the new names are, an expression says"),
];

/// A bit for the letter that a name begins with; several share one.
const fn first(name: &[u8]) -> u32 {
    match name {
        [first, ..] => 1 << (*first & 31),
        [] => 0,
    }
}

/// Those of all names: nearly every other is told by it.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const BEGINS: u32 = {
    let (mut all, mut at) = (0, 0);
    while at < WRITERS.len() {
        all |= first(WRITERS[at].0.as_bytes());
        at += 1;
    }
    all
};

/// What the files are that a program's words name; `None` if it is not known to write any.
pub(crate) fn writes(program: &[u8]) -> Option<Named> {
    let name = last_component(program);
    if BEGINS & first(name) == 0 {
        return None;
    }
    WRITERS.iter().find(|(n, ..)| n.len() == name.len() && is(n, name)).map(|(_, named, _)| *named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stands_once_and_says_how() {
        for (i, (name, _, why)) in WRITERS.iter().enumerate() {
            assert!(!why.is_empty() && WRITERS.iter().skip(i + 1).all(|(n, ..)| n != name), "{name}");
        }
        assert_eq!(writes(b"/usr/bin/cp"), Some(Named::Written));
        assert_eq!(writes(b"tar"), Some(Named::Perhaps));
        assert_eq!(writes(b"cat"), None);
    }
}
