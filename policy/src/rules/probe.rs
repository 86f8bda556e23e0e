//! A command that asks whether the guard is in the way: denied under every policy, harmless where there is no guard.
//!
//! `exec-guardctl doctor` sends it through each layer as that is really configured. A policy that allows everything
//! denies it too, so that a layer that lets it pass is not there.
use crate::arg::Arg;

/// Begin of the word; the nonce of the one who asks follows.
const BEGIN: &[u8] = b"exec-guard-probe:";

/// Length of the nonce: hexadecimal digits.
const DIGITS: usize = 32;

/// The word of a probe with this nonce, which has to be 32 hexadecimal digits. As the last argument of any command
/// it has that command denied with `[probe]`.
pub fn word(nonce: &str) -> String {
    format!("{}{nonce}", String::from_utf8_lossy(BEGIN))
}

/// True if a word is that of a probe.
pub(crate) fn is_probe(arg: &Arg) -> bool {
    let nonce = arg.literal().and_then(|word| word.strip_prefix(BEGIN));
    nonce.is_some_and(|n| n.len() == DIGITS && n.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_word_is_one() {
        let nonce = "0123456789abcdef0123456789abcdef";
        let is = |word: String| is_probe(&Arg::Literal(word.into_bytes()));
        assert!(is(word(nonce)));
        for near in ["", "x", &nonce[1..], &format!("{nonce}0"), "0123456789abcdef0123456789abcdeg"] {
            assert!(!is(word(near)), "{near}");
        }
        assert!(!is(format!(" {}", word(nonce))) && !is(nonce.to_owned()));
    }
}
