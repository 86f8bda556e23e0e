//! A call's text looked at as text: what of it is repeated to an agent is repeated byte by byte, since a tree keeps
//! neither how a number was written nor that a name stood twice. The text is JSON already ([`serde_json`] has read it).
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The value of a member of an object, as it is written.
pub(super) fn member<'t>(object: &'t str, name: &str) -> Option<&'t str> {
    members(object)?.into_iter().find(|(n, _)| n == name).map(|(_, value)| value)
}

/// The members of an object with their values as they are written; `None` if it is no object.
pub(super) fn members(object: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let mut out = Vec::new();
    let mut rest = object.trim_ascii().strip_prefix('{')?.trim_ascii_start();
    while !rest.starts_with('}') {
        let (name, after) = rest.split_at_checked(string(rest)?)?;
        let after = after.trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
        let (value, after) = after.split_at_checked(value(after)?)?;
        out.push((decoded(name)?, value.trim_ascii_end()));
        rest = after.strip_prefix(',').unwrap_or(after).trim_ascii_start();
    }
    Some(out)
}

/// True if some object in the text has a name twice: readers differ in which of the two counts.
pub(super) fn twice(text: &str) -> bool {
    // The names seen in each open object; of an array, none.
    let mut open: Vec<Option<BTreeSet<Cow<'_, str>>>> = Vec::new();
    let mut name_comes = false;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => {
                name_comes = *byte == b'{';
                open.push(name_comes.then(BTreeSet::new));
            }
            b'}' | b']' => drop(open.pop()),
            b',' => name_comes = matches!(open.last(), Some(Some(_))),
            b'"' => {
                let Some(here) = text.get(at - 1..) else { return true };
                let Some((word, _)) = string(here).and_then(|end| here.split_at_checked(end)) else {
                    return true;
                };
                at += word.len() - 1;
                if let (true, Some(Some(names))) = (name_comes, open.last_mut()) {
                    name_comes = false;
                    if decoded(word).is_none_or(|name| !names.insert(name)) {
                        return true;
                    }
                }
            }
            _ => {}
        }
    }
    false
}

/// Where the string ends that begins here.
fn string(text: &str) -> Option<usize> {
    let mut escaped = text.as_bytes().first() != Some(&b'"');
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Where the value ends that begins here: before a comma, or before the end of what it stands in.
fn value(text: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        let here = text.get(at..)?;
        match here.bytes().next()? {
            b'"' => at += string(here)?,
            b',' if depth == 0 => return Some(at),
            b'}' | b']' if depth == 0 => return Some(at),
            byte => {
                depth = match byte {
                    b'{' | b'[' => depth + 1,
                    b'}' | b']' => depth - 1,
                    _ => depth,
                };
                at += here.chars().next()?.len_utf8();
            }
        }
    }
}

/// What a string says.
fn decoded(string: &str) -> Option<Cow<'_, str>> {
    if string.contains('\\') {
        return serde_json::from_str(string).ok().map(Cow::Owned);
    }
    string.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn values_are_what_is_written() {
        let text = r#" { "a" : 1.50 ,"b":{"x":[1,{"y":"}"}]}, "c\u0064":"\"}," , "é":[ ] } "#;
        for (name, value) in
            [("a", "1.50"), ("b", r#"{"x":[1,{"y":"}"}]}"#), ("cd", r#""\"},""#), ("é", "[ ]")]
        {
            assert_eq!(member(text, name), Some(value), "{name}");
        }
        assert_eq!(member(text, "x"), None);
        assert_eq!(members("{}"), Some(Vec::new()));
        for bad in ["", "[]", "7", "\"{}\"", "{", "{\"a\"", "{\"a\":", "{\"a\":1"] {
            assert_eq!(members(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_name_that_stands_twice_is_seen() {
        for bad in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":1}"#,
            r#"{"b":[{"x":{},"c":1,"x":2}]}"#,
            r#"{"b":{"x":1},"c":[1,"x"],"b":1}"#,
        ] {
            assert!(twice(bad), "{bad}");
        }
        for good in [
            r#"{"a":{"a":["a","a",{"a":"a"}]},"b":"a"}"#,
            r#"[{"a":1},{"a":1}]"#,
            r#"{"a":"\",\"a\":"}"#,
            "7",
        ] {
            assert!(!twice(good), "{good}");
        }
    }

    proptest! {
        #[test]
        fn any_object_is_taken_apart(
            members_of in prop::collection::btree_map(".{0,9}", (".{0,9}", any::<i64>(), prop::collection::vec(".{0,9}", 0..4)), 0..6),
        ) {
            let value = serde_json::to_value(&members_of).unwrap();
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                prop_assert!(!twice(&text));
                let parts = members(&text).unwrap();
                prop_assert_eq!(parts.len(), members_of.len());
                for (name, part) in parts {
                    let read: Value = serde_json::from_str(part).unwrap();
                    prop_assert_eq!(Some(&read), value.get(name.as_ref()));
                }
            }
        }

        #[test]
        fn any_text_has_an_answer(text: String) {
            let _ = (members(&text), twice(&text));
        }
    }
}
