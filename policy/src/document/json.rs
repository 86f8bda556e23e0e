//! Text to tree: strict JSON through serde_json, JSON5 through json5, both through one seed that refuses what a
//! policy must not contain (a key twice, bottomless nesting) and remembers where it stood.
//!
//! Positions of values are not kept: a document without faults, which is nearly all of them, should not pay for
//! the line numbers of one with. [`position`] reads the text again to find them.
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::{Details, Fault, LoadError, LoadErrorKind};

/// Largest document, in bytes.
pub const MAX_BYTES: usize = 16 << 20;

/// Deepest nesting. A document in use needs nine levels.
const MAX_DEPTH: usize = 64;

/// A parsed document. Having one tells you: valid JSON or JSON5, no key twice in any object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree<'a> {
    Null,
    Bool(bool),
    Whole(u64),
    /// Negative, fractional or too large.
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Tree<'a>>),
    Map(Vec<(Cow<'a, str>, Tree<'a>)>),
}

impl<'a> Tree<'a> {
    /// The member of that name; `None` also where it is null, since null means unset.
    pub fn get(&self, key: &str) -> Option<&Tree<'a>> {
        self.as_map()?.iter().find(|(k, _)| k == key).map(|(_, v)| v).filter(|v| !matches!(v, Tree::Null))
    }

    /// The member at the end of a path of names.
    pub fn at(&self, path: &[&str]) -> Option<&Tree<'a>> {
        path.iter().try_fold(self, |t, k| t.get(k))
    }

    pub fn as_map(&self) -> Option<&[(Cow<'a, str>, Tree<'a>)]> {
        match self {
            Tree::Map(m) => Some(m),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Tree<'a>]> {
        match self {
            Tree::List(l) => Some(l),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Tree::Text(s) => Some(s),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Tree::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Tree::Whole(n) => Some(*n),
            _ => None,
        }
    }

    /// The type in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Tree::Null => "null",
            Tree::Bool(_) => "true or false",
            Tree::Whole(_) | Tree::Number(_) => "a number",
            Tree::Text(_) => "a string",
            Tree::List(_) => "a list",
            Tree::Map(_) => "an object",
        }
    }

    /// The same as a value of serde_json, for the parts other rooms read.
    pub fn to_value(&self) -> serde_json::Value {
        use serde_json::Value;
        match self {
            Tree::Null => Value::Null,
            Tree::Bool(b) => Value::Bool(*b),
            Tree::Whole(n) => Value::from(*n),
            Tree::Number(n) => Value::from(*n),
            Tree::Text(s) => Value::String(s.clone().into_owned()),
            Tree::List(l) => Value::Array(l.iter().map(Tree::to_value).collect()),
            Tree::Map(m) => {
                Value::Object(m.iter().map(|(k, v)| (k.clone().into_owned(), v.to_value())).collect())
            }
        }
    }
}

/// One component added to a JSON pointer (RFC 6901).
pub(crate) fn push_pointer(pointer: &mut String, component: &str) {
    pointer.push('/');
    if component.contains(['~', '/']) {
        pointer.push_str(&component.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(component);
    }
}

/// `base` with one more component.
pub(crate) fn pointer(base: &str, component: &str) -> String {
    let mut out = String::with_capacity(base.len() + 1 + component.len());
    out.push_str(base);
    push_pointer(&mut out, component);
    out
}

/// What went wrong while reading, gathered on the way out of the recursion.
#[derive(Default)]
struct Context {
    kind: RefCell<Option<LoadErrorKind>>,
    /// Names from the fault outwards.
    trail: RefCell<Vec<String>>,
}

impl Context {
    fn leave(&self, name: impl Into<String>) {
        self.trail.borrow_mut().push(name.into());
    }

    fn pointer(&self) -> String {
        let mut out = String::new();
        for name in self.trail.borrow().iter().rev() {
            push_pointer(&mut out, name);
        }
        out
    }
}

#[derive(Clone, Copy)]
struct Seed<'c> {
    context: &'c Context,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Tree<'de>;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Tree<'de>, D::Error> {
        d.deserialize_any(self)
    }
}

impl Seed<'_> {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= MAX_DEPTH {
            *self.context.kind.borrow_mut() = Some(LoadErrorKind::TooDeep);
            return Err(E::custom(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(Seed { depth: self.depth + 1, ..self })
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Null)
    }
    fn visit_none<E>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Null)
    }
    fn visit_bool<E>(self, v: bool) -> Result<Tree<'de>, E> {
        Ok(Tree::Bool(v))
    }
    fn visit_u64<E>(self, v: u64) -> Result<Tree<'de>, E> {
        Ok(Tree::Whole(v))
    }
    fn visit_i64<E>(self, v: i64) -> Result<Tree<'de>, E> {
        Ok(u64::try_from(v).map_or(Tree::Number(v as f64), Tree::Whole))
    }
    fn visit_u128<E>(self, v: u128) -> Result<Tree<'de>, E> {
        Ok(u64::try_from(v).map_or(Tree::Number(v as f64), Tree::Whole))
    }
    fn visit_i128<E>(self, v: i128) -> Result<Tree<'de>, E> {
        Ok(u64::try_from(v).map_or(Tree::Number(v as f64), Tree::Whole))
    }
    fn visit_f64<E>(self, v: f64) -> Result<Tree<'de>, E> {
        // `1.0` and `1` are one number to every other reader of these files.
        let whole = v.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&v);
        Ok(if whole { Tree::Whole(v as u64) } else { Tree::Number(v) })
    }
    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Borrowed(v)))
    }
    fn visit_str<E>(self, v: &str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(v.to_owned())))
    }
    fn visit_string<E>(self, v: String) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(v)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree<'de>, A::Error> {
        let inner = self.deeper()?;
        let mut out = Vec::new();
        loop {
            match seq.next_element_seed(inner) {
                Ok(Some(v)) => out.push(v),
                Ok(None) => return Ok(Tree::List(out)),
                Err(e) => {
                    self.context.leave(out.len().to_string());
                    return Err(e);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree<'de>, A::Error> {
        let inner = self.deeper()?;
        // Nearly all objects of a long document are entries of one member; room for four would be touched for nothing.
        let mut out: Vec<(Cow<'de, str>, Tree<'de>)> = Vec::with_capacity(1);
        let mut seen: BTreeSet<Cow<'de, str>> = BTreeSet::new();
        loop {
            // A few names are compared faster than sorted.
            if out.len() == 16 {
                seen.extend(out.iter().map(|(k, _)| k.clone()));
            }
            let known = if out.len() < 16 { Known::Few(&out) } else { Known::Many(&mut seen) };
            let Some(key) = map.next_key_seed(Key { known, context: Some(self.context) })? else {
                return Ok(Tree::Map(out));
            };
            match map.next_value_seed(inner) {
                Ok(v) => out.push((key, v)),
                Err(e) => {
                    self.context.leave(key);
                    return Err(e);
                }
            }
        }
    }
}

/// The names an object has so far.
enum Known<'m, 'de> {
    Few(&'m [(Cow<'de, str>, Tree<'de>)]),
    Many(&'m mut BTreeSet<Cow<'de, str>>),
}

/// Reads a name and refuses one that is known: here, so that the error bears the name's own place.
struct Key<'m, 'de> {
    known: Known<'m, 'de>,
    context: Option<&'m Context>,
}

impl<'de> Key<'_, 'de> {
    fn fresh<E: serde::de::Error>(self, key: Cow<'de, str>) -> Result<Cow<'de, str>, E> {
        let twice = match self.known {
            Known::Few(out) => out.iter().any(|(k, _)| *k == key),
            Known::Many(seen) => !seen.insert(key.clone()),
        };
        if !twice {
            return Ok(key);
        }
        if let Some(context) = self.context {
            *context.kind.borrow_mut() = Some(LoadErrorKind::DuplicateKey);
            context.leave(key.clone());
        }
        Err(E::custom(format!("the key {key:?} stands twice in one object")))
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_, 'de> {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Cow<'de, str>, D::Error> {
        d.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'_, 'de> {
    type Value = Cow<'de, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_borrowed_str<E: serde::de::Error>(self, v: &'de str) -> Result<Cow<'de, str>, E> {
        self.fresh(Cow::Borrowed(v))
    }
    fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Cow<'de, str>, E> {
        self.fresh(Cow::Owned(v.to_owned()))
    }
    fn visit_string<E: serde::de::Error>(self, v: String) -> Result<Cow<'de, str>, E> {
        self.fresh(Cow::Owned(v))
    }
}

/// Which languages a document may be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Json,
    /// JSON if it is that, else JSON5 (comments, trailing commas, bare keys).
    Json5,
}

/// Checks size and encoding, and takes a byte order mark off.
pub(crate) fn text<'a>(bytes: &'a [u8], file: &str) -> Result<&'a str, LoadError> {
    let plain = |kind, what: String, remedy: &str| Details {
        file: file.into(),
        line: None,
        column: None,
        field: None,
        kind,
        what,
        remedy: remedy.into(),
    };
    if bytes.len() > MAX_BYTES {
        return Err(
            plain(LoadErrorKind::TooBig, format!("larger than {MAX_BYTES} bytes"), "remove entries").into()
        );
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|e| {
        let before = bytes.get(..e.valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        Details {
            line: Some(line),
            column: Some(column),
            ..plain(LoadErrorKind::Encoding, "not UTF-8".into(), "save the file as UTF-8")
        }
        .into()
    })
}

/// Reads a document.
pub(crate) fn parse<'a>(text: &'a str, file: &str, dialect: Dialect) -> Result<Tree<'a>, LoadError> {
    let context = Context::default();
    let mut json = serde_json::Deserializer::from_str(text);
    let seed = Seed { context: &context, depth: 0 };
    let e = match seed.deserialize(&mut json).and_then(|t| json.end().map(|()| t)) {
        Ok(t) => return Ok(t),
        Err(e) => e,
    };
    let said = |kind: LoadErrorKind, line, column, what: String, context: &Context| -> LoadError {
        Details {
            file: file.into(),
            line,
            column,
            field: Some(context.pointer()),
            kind,
            what,
            remedy: match kind {
                LoadErrorKind::DuplicateKey => "keep one of them".into(),
                LoadErrorKind::TooDeep => "no document needs that".into(),
                _ => "correct it by hand, or put the last good version back".into(),
            },
        }
        .into()
    };
    let found = context.kind.borrow_mut().take();
    if dialect == Dialect::Json || found.is_some() {
        let mut what = e.to_string();
        // The position is told apart from the text.
        if let Some(at) = what.rfind(" at line ") {
            what.truncate(at);
        }
        let kind = found.unwrap_or(LoadErrorKind::Syntax);
        if kind == LoadErrorKind::Syntax && is_comment(text, e.line(), e.column()) {
            return Err(Details {
                file: file.into(),
                line: Some(e.line()),
                column: Some(e.column()),
                field: None,
                kind,
                what: "a comment, and this document is plain JSON".into(),
                remedy: "take it out, or say it in a `note` beside the entry; config.json may have comments"
                    .into(),
            }
            .into());
        }
        let what = if kind == LoadErrorKind::Syntax { format!("not JSON: {what}") } else { what };
        return Err(said(kind, Some(e.line()), Some(e.column()), what, &context));
    }
    let context = Context::default();
    let mut json5 = json5::Deserializer::from_str(text);
    let read = Seed { context: &context, depth: 0 }.deserialize(&mut json5);
    // Only json5's own entry looks whether something follows.
    read.and_then(|t| json5::from_str::<IgnoredAny>(text).map(|_| t)).map_err(|e| {
        let kind = context.kind.borrow_mut().take().unwrap_or(LoadErrorKind::Syntax);
        let at = e.position();
        let mut what = e.to_string();
        if let Some(cut) = what.rfind(" at line ") {
            what.truncate(cut);
        }
        let what =
            if kind == LoadErrorKind::Syntax { format!("neither JSON nor JSON5: {what}") } else { what };
        said(kind, at.map(|p| p.line + 1), at.map(|p| p.column + 1), what, &context)
    })
}

/// True if a comment of JSON5 begins at that line and column, both from 1, in bytes.
fn is_comment(text: &str, line: usize, column: usize) -> bool {
    let line = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let at = line.as_bytes().get(column.saturating_sub(1)..).unwrap_or_default();
    at.starts_with(b"//") || at.starts_with(b"/*")
}

/// Stops at the place a pointer names, so that the reader's own error tells the line.
///
/// serde_json gives an error raised in front of a value the value's place, json5 one raised inside it.
struct Find<'p>(&'p [String], Raise);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Raise {
    Before,
    Inside,
}

impl<'de> DeserializeSeed<'de> for Find<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        if self.0.is_empty() && self.1 == Raise::Before {
            return self.scalar();
        }
        d.deserialize_any(self)
    }
}

impl Find<'_> {
    /// A scalar: either it is the place, or the pointer leads nowhere.
    fn scalar<E: serde::de::Error>(self) -> Result<(), E> {
        if self.0.is_empty() { Err(E::custom("here")) } else { Ok(()) }
    }
}

impl<'de> Visitor<'de> for Find<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Some((want, rest)) = self.0.split_first() else { return self.scalar() };
        for i in 0usize.. {
            let more = if *want == i.to_string() {
                seq.next_element_seed(Find(rest, self.1))?
            } else {
                seq.next_element::<IgnoredAny>()?.map(|_| ())
            };
            if more.is_none() {
                break;
            }
        }
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((want, rest)) = self.0.split_first() else { return self.scalar() };
        while let Some(key) = map.next_key_seed(Key { known: Known::Few(&[]), context: None })? {
            if key == want.as_str() {
                map.next_value_seed(Find(rest, self.1))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
    fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<(), E> {
        self.scalar()
    }
    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.scalar()
    }
    fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<(), E> {
        self.scalar()
    }
    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<(), E> {
        self.scalar()
    }
    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<(), E> {
        self.scalar()
    }
    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<(), E> {
        self.scalar()
    }
}

/// Line and column (from 1) of the value a pointer names, for messages only.
pub(crate) fn position(text: &str, pointer: &str) -> Option<(usize, usize)> {
    let path: Vec<String> =
        pointer.split('/').skip(1).map(|c| c.replace("~1", "/").replace("~0", "~")).collect();
    let e = Find(&path, Raise::Before).deserialize(&mut serde_json::Deserializer::from_str(text)).err();
    if let Some(e) = e.filter(|e| e.is_data() && e.line() > 0) {
        return Some((e.line(), e.column()));
    }
    let e = Find(&path, Raise::Inside).deserialize(&mut json5::Deserializer::from_str(text)).err()?;
    e.position().filter(|_| e.code().is_none()).map(|p| (p.line + 1, p.column + 1))
}

/// Gives a fault its file and its line.
pub(crate) fn located(fault: Fault, text: &str, file: &str) -> LoadError {
    // The value may be missing altogether: then the object it belongs to is the place.
    let mut place = fault.pointer.as_str();
    let at = loop {
        if let Some(at) = position(text, place) {
            break Some(at);
        }
        match place.rsplit_once('/') {
            Some((up, _)) => place = up,
            None => break None,
        }
    };
    Details {
        file: file.into(),
        line: at.map(|a| a.0),
        column: at.map(|a| a.1),
        field: Some(fault.pointer),
        kind: fault.kind,
        what: fault.what,
        remedy: fault.remedy,
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn err(text: &str, dialect: Dialect) -> LoadError {
        parse(text, "f", dialect).unwrap_err()
    }

    #[test]
    fn faults_say_where() {
        for (text, kind, line, field) in [
            ("{\n\"a\": 1,\n\"a\": 2}", LoadErrorKind::DuplicateKey, 3, "/a"),
            ("{\"x\": [1, {\n\"b/c\": 1, \"b/c\": 1}]}", LoadErrorKind::DuplicateKey, 2, "/x/1/b~1c"),
            ("{\n\"a\": tru}", LoadErrorKind::Syntax, 2, "/a"),
            ("{}\n{}", LoadErrorKind::Syntax, 2, ""),
            ("", LoadErrorKind::Syntax, 1, ""),
        ] {
            let e = err(text, Dialect::Json);
            assert_eq!((e.kind, e.line, e.field.as_deref()), (kind, Some(line), Some(field)), "{text}: {e}");
            let e = err(text, Dialect::Json5);
            assert_eq!((e.kind, e.field.as_deref()), (kind, Some(field)), "{text}: {e}");
        }
        let many: String = (0..40).map(|i| format!("\"k{i}\":1,")).collect();
        assert_eq!(err(&format!("{{{many}\"k3\":1}}"), Dialect::Json).field.as_deref(), Some("/k3"));
        // The same spelled with an escape is the same key.
        assert_eq!(err(r#"{"a":1,"\u0061":2}"#, Dialect::Json).kind, LoadErrorKind::DuplicateKey);
    }

    #[test]
    fn a_comment_in_plain_json_is_named() {
        for (text, at) in [
            ("{\n  // why\n  \"a\": 1}", (2, 3)),
            ("/* why */ {}", (1, 1)),
            ("{\"a\": 1, // why\n \"b\": 2}", (1, 10)),
            ("{\"a\": /* why */ 1}", (1, 7)),
            ("{\"a\" /* why */: 1}", (1, 6)),
            ("{\"a\": [1 // why\n]}", (1, 10)),
            ("{}\n// the end", (2, 1)),
            ("{\"a\": 1\n}\n\n  /* ö */", (4, 3)),
        ] {
            let e = err(text, Dialect::Json);
            assert_eq!((e.kind, e.line.zip(e.column)), (LoadErrorKind::Syntax, Some(at)), "{text}: {e}");
            assert!(
                e.to_string().contains("a comment") && e.to_string().contains("config.json"),
                "{text}: {e}"
            );
        }
        for text in ["{\"a\": /}", "{\"a\": 1/2}", "{\"a\": \"// none\", }", "# none"] {
            assert!(!err(text, Dialect::Json).to_string().contains("comment"), "{text}");
        }
    }

    #[test]
    fn json5_is_read_where_it_may_be() {
        let text = "{ // word\n a: 'x', b: [1, 0x10, ], }";
        assert!(parse(text, "f", Dialect::Json).is_err());
        let t = parse(text, "f", Dialect::Json5).unwrap();
        assert_eq!(t.get("a").and_then(Tree::as_str), Some("x"));
        assert_eq!(t.get("b"), Some(&Tree::List(vec![Tree::Whole(1), Tree::Whole(16)])));
        let e = err("{ a: 1,\n a: 2 }", Dialect::Json5);
        assert_eq!((e.kind, e.line), (LoadErrorKind::DuplicateKey, Some(2)), "{e}");
    }

    #[test]
    fn bombs_are_refused() {
        for bomb in ["[".repeat(100_000), "{\"a\":".repeat(100_000)] {
            for d in [Dialect::Json, Dialect::Json5] {
                assert_eq!(err(&bomb, d).kind, LoadErrorKind::TooDeep);
            }
        }
        assert_eq!(text(&vec![b' '; MAX_BYTES + 1], "f").unwrap_err().kind, LoadErrorKind::TooBig);
        let e = text(b"{\n\"a\": \"\xff\"}", "f").unwrap_err();
        assert_eq!((e.kind, e.line, e.column), (LoadErrorKind::Encoding, Some(2), Some(7)));
    }

    #[test]
    fn values_are_found_again() {
        let text = "{\n\"a\": {\n  \"b\": [\n    1,\n    {\"c\": 2}\n  ]\n}}";
        assert_eq!(position(text, "/a").map(|p| p.0), Some(2));
        assert_eq!(position(text, "/a/b/1").map(|p| p.0), Some(5));
        assert_eq!(position(text, "/a/b/1/c").map(|p| p.0), Some(5));
        assert_eq!(position(text, "/a/nope"), None);
        assert_eq!(position("{ // x\n a: {\n b: 1 } }", "/a/b").map(|p| p.0), Some(3));
    }
}
