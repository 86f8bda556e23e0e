//! Lists of words in one piece. A slice of slices costs sixteen bytes a word in the program, and the tables have
//! thousands of words.

/// WordList, each behind its length. Made by [`words!`](crate::tables::words!).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordList(&'static [u8]);

impl WordList {
    /// No word.
    pub const NONE: WordList = WordList(&[]);

    /// What [`packed`] made.
    pub const fn of(packed: &'static [u8]) -> WordList {
        WordList(packed)
    }

    /// Each of them, in order.
    pub fn iter(self) -> impl Iterator<Item = &'static [u8]> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let word = first(rest)?;
            rest = rest.get(word.len() + 1..)?;
            Some(word)
        })
    }

    /// True if the word is one of them.
    pub fn has(self, word: &[u8]) -> bool {
        self.iter().any(|w| w == word)
    }

    /// The word whose length stands at that place, in bytes from the beginning.
    pub fn at(self, place: usize) -> Option<&'static [u8]> {
        first(self.0.get(place..)?)
    }

    /// The bytes, for what the compiler works out of them: see [`packed`].
    pub const fn bytes(self) -> &'static [u8] {
        self.0
    }
}

/// The word that a packed list begins with.
fn first(packed: &'static [u8]) -> Option<&'static [u8]> {
    let (length, rest) = packed.split_first()?;
    rest.get(..usize::from(*length))
}

/// How long a list is when it is packed, in bytes.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
pub const fn size(words: &[&str]) -> usize {
    let (mut size, mut at) = (0, 0);
    while at < words.len() {
        size += 1 + words[at].len();
        at += 1;
    }
    size
}

/// The words, each behind its length in one byte.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
pub const fn packed<const SIZE: usize>(words: &[&str]) -> [u8; SIZE] {
    let mut out = [0; SIZE];
    let (mut to, mut at) = (0, 0);
    while at < words.len() {
        let word = words[at].as_bytes();
        assert!(word.len() < 256, "a longer word has no place here");
        out[to] = word.len() as u8;
        to += 1;
        let mut byte = 0;
        while byte < word.len() {
            out[to] = word[byte];
            to += 1;
            byte += 1;
        }
        at += 1;
    }
    out
}

/// [`WordList`] of texts that are constant.
macro_rules! words {
    ($($word:expr),* $(,)?) => {{
        const LIST: &[&str] = &[$($word),*];
        const PACKED: [u8; $crate::tables::words::size(LIST)] = $crate::tables::words::packed(LIST);
        $crate::tables::words::WordList::of(&PACKED)
    }};
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_out_as_they_went_in() {
        const NAMES: WordList = words!["a", "", "bcd", "ä"];
        let all: Vec<&[u8]> = NAMES.iter().collect();
        assert_eq!(all, [b"a".as_slice(), b"", b"bcd", "ä".as_bytes()]);
        assert!(NAMES.has(b"bcd") && NAMES.has(b"") && !NAMES.has(b"bc"));
        assert_eq!(NAMES.at(3), Some(b"bcd".as_slice()));
        assert_eq!(WordList::NONE.iter().count(), 0);
        assert_eq!(words![].iter().count(), 0);
    }
}
