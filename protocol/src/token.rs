//! The secret that both ends of a socket share.
use std::fmt;

use crate::mac;

/// `socket.token` of the document. Nothing shows it, and comparing takes the same time wherever two differ.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token; `None` for an empty one, with which everybody could speak.
    pub fn new(text: &str) -> Option<Token> {
        let text = text.trim();
        (!text.is_empty()).then(|| Token(text.to_owned()))
    }

    /// The key of a MAC: the bytes of the text.
    pub(crate) fn key(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The text, for the one place that sends it: the plain dialect.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl PartialEq for Token {
    fn eq(&self, other: &Token) -> bool {
        // Hashes under each key: only who has the key can tell where they differ.
        mac::verify(self, &["token"], &mac::sign(other, &["token"]))
    }
}

impl Eq for Token {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_shown() {
        let token = Token::new(" s3cret\n").unwrap();
        assert_eq!(token.reveal(), "s3cret");
        assert!(!format!("{token:?} {:#?}", Some(&token)).contains("s3cret"));
        assert!(Token::new(" \n").is_none());
    }

    #[test]
    fn tokens_compare_by_their_text() {
        let t = |s: &str| Token::new(s).unwrap();
        assert_eq!(t("abc"), t("abc"));
        for other in ["abd", "ab", "abcd", "ABC"] {
            assert_ne!(t("abc"), t(other));
        }
    }
}
