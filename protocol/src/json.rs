//! JSON written straight into a text, its fields in the order in which they are given: for what the guard itself sends.
//! Trees would do as well; this is a fraction of their code.

/// An object being written.
#[derive(Debug)]
#[must_use]
pub struct Object(String);

impl Object {
    /// `{`.
    pub fn new() -> Object {
        Object("{".into())
    }

    /// A value that is JSON already.
    pub fn raw(mut self, name: &str, json: &str) -> Object {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        string(&mut self.0, name);
        self.0.push(':');
        self.0.push_str(json);
        self
    }

    /// A text.
    pub fn text(self, name: &str, text: &str) -> Object {
        self.raw(name, &quoted(text))
    }

    /// A text, or null.
    pub fn maybe(self, name: &str, text: Option<&str>) -> Object {
        let json = text.map_or_else(|| "null".to_owned(), quoted);
        self.raw(name, &json)
    }

    /// A whole number.
    pub fn whole(self, name: &str, n: u64) -> Object {
        self.raw(name, &n.to_string())
    }

    /// A whole number, or null.
    pub fn maybe_whole(self, name: &str, n: Option<u64>) -> Object {
        let json = n.map_or_else(|| "null".to_owned(), |n| n.to_string());
        self.raw(name, &json)
    }

    /// True or false.
    pub fn flag(self, name: &str, flag: bool) -> Object {
        self.raw(name, if flag { "true" } else { "false" })
    }

    /// A list of values that are JSON already.
    pub fn list(self, name: &str, values: impl Iterator<Item = String>) -> Object {
        let json = list(values);
        self.raw(name, &json)
    }

    /// `}`.
    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

impl Default for Object {
    fn default() -> Object {
        Object::new()
    }
}

/// A list of values that are JSON already.
pub fn list(values: impl Iterator<Item = String>) -> String {
    let mut out = String::from("[");
    for value in values {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&value);
    }
    out.push(']');
    out
}

/// The tree of a text that was written here.
pub(crate) fn tree(written: &str) -> serde_json::Value {
    serde_json::from_str(written).unwrap_or_default()
}

/// A text as JSON (RFC 8259 section 7).
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    string(&mut out, text);
    out
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => {
                let digit = |d: u32| char::from_digit(d, 16).unwrap_or('0');
                out.push_str("\\u00");
                out.extend([digit(u32::from(c) >> 4), digit(u32::from(c) & 15)]);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn objects() {
        let text = Object::new()
            .text("a\"", "b")
            .maybe("n", None)
            .whole("w", u64::MAX)
            .maybe_whole("m", Some(0))
            .flag("f", false)
            .list("l", ["1", "{}"].map(str::to_owned).into_iter())
            .end();
        assert_eq!(text, r#"{"a\"":"b","n":null,"w":18446744073709551615,"m":0,"f":false,"l":[1,{}]}"#);
        assert_eq!(Object::new().end(), "{}");
        assert_eq!(list(std::iter::empty()), "[]");
    }

    proptest! {
        #[test]
        fn any_text_is_read_back(text: String) {
            let read: Value = serde_json::from_str(&quoted(&text)).unwrap();
            prop_assert_eq!(read, json!(text));
        }
    }
}
