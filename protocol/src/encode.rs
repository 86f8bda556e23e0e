//! Bytes as text: hexadecimal, and base64 (RFC 4648 section 4, with padding). Both ways are exact: one spelling a value.

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |d: u8| char::from_digit(u32::from(d), 16).unwrap_or('0');
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// The bytes of lower-case hexadecimal; `None` for any other text.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64.
pub fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let group = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let sextet = usize::try_from(group >> (18 - 6 * i) & 63).unwrap_or(0);
            let letter = ALPHABET.get(sextet).filter(|_| usize::try_from(i).unwrap_or(0) <= chunk.len());
            out.push(letter.map_or('=', |b| char::from(*b)));
        }
    }
    out
}

/// The bytes of base64; `None` for any other text, also one that only another program would write (no padding, bits that
/// say nothing).
pub fn unbase64(text: &str) -> Option<Vec<u8>> {
    let (groups, rest) = text.as_bytes().as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(groups.len() * 3);
    for group in groups {
        let padding = group.iter().rev().take_while(|b| **b == b'=').count();
        let mut bits = 0u32;
        for b in group {
            let sextet = match b {
                b'A'..=b'Z' => b - b'A',
                b'a'..=b'z' => b - b'a' + 26,
                b'0'..=b'9' => b - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' => 0,
                _ => return None,
            };
            bits = bits << 6 | u32::from(sextet);
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        out.extend(bytes.get(..3usize.checked_sub(padding)?)?);
    }
    // Padding in the middle, and stray bits at the end, do not come back as they were.
    (base64(&out) == text).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn vectors_of_rfc_4648() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, text) in cases {
            assert_eq!(base64(plain.as_bytes()), text);
            assert_eq!(unbase64(text).as_deref(), Some(plain.as_bytes()));
        }
        for wrong in ["Zg", "Zg=", "Zh==", "Zg==Zg==", "Z===", "====", "Zg=a", "Zm 9", "Zm9v\n", "-_-_"] {
            assert_eq!(unbase64(wrong), None, "{wrong}");
        }
        assert_eq!(hex(&[0, 0x7f, 0xff]), "007fff");
        for wrong in ["0", "0G", "FF", " 0"] {
            assert_eq!(unhex(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn both_ways(bytes: Vec<u8>) {
            prop_assert_eq!(unhex(&hex(&bytes)), Some(bytes.clone()));
            prop_assert_eq!(unbase64(&base64(&bytes)), Some(bytes));
        }

        #[test]
        fn any_text_has_an_answer(text in ".*") {
            let _ = (unhex(&text), unbase64(&text));
        }
    }
}
