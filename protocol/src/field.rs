//! Reading the fields of a message: each by its name and kind, with a longest length, and none besides.
use std::fmt;

use serde_json::{Map, Value};

/// A message that does not say what it has to say. Names the field by our own words; nothing foreign is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    field: &'static str,
    what: &'static str,
}

impl Malformed {
    /// This field is that.
    pub fn new(field: &'static str, what: &'static str) -> Malformed {
        Malformed { field, what }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.what)
    }
}

impl std::error::Error for Malformed {}

/// What reading gives.
pub type Read<T> = Result<T, Malformed>;

/// Longest id, bytes. A UUID has 36.
pub const MAX_ID: usize = 64;

/// The fields of one object. Having read all that one knows, [`Fields::end`] refuses what is left.
#[derive(Debug)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    seen: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of an object.
    ///
    /// # Errors
    /// It is none.
    pub fn of(value: &'a Value, what: &'static str) -> Read<Fields<'a>> {
        let map = value.as_object().ok_or(Malformed::new(what, "no object"))?;
        Ok(Fields { map, seen: Vec::new() })
    }

    /// The value of that name; null is the same as absent.
    pub fn get(&mut self, name: &'static str) -> Option<&'a Value> {
        self.seen.push(name);
        self.map.get(name).filter(|v| !v.is_null())
    }

    /// A value that must be there.
    ///
    /// # Errors
    /// It is missing.
    pub fn need(&mut self, name: &'static str) -> Read<&'a Value> {
        self.get(name).ok_or(Malformed::new(name, "missing"))
    }

    /// A text of at most `max` bytes.
    ///
    /// # Errors
    /// It is missing, no text, or longer.
    pub fn text(&mut self, name: &'static str, max: usize) -> Read<&'a str> {
        self.maybe_text(name, max)?.ok_or(Malformed::new(name, "missing"))
    }

    /// The same, where it may be missing.
    ///
    /// # Errors
    /// It is no text, or longer.
    pub fn maybe_text(&mut self, name: &'static str, max: usize) -> Read<Option<&'a str>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.as_str().ok_or(Malformed::new(name, "no text"))?;
        if text.len() > max { Err(Malformed::new(name, "too long")) } else { Ok(Some(text)) }
    }

    /// A word of a list.
    ///
    /// # Errors
    /// It is missing, or none of them.
    pub fn word<T>(&mut self, name: &'static str, of: impl Fn(&str) -> Option<T>) -> Read<T> {
        of(self.text(name, 64)?).ok_or(Malformed::new(name, "unknown word"))
    }

    /// The same, where it may be missing.
    ///
    /// # Errors
    /// It is none of them.
    pub fn maybe_word<T>(&mut self, name: &'static str, of: impl Fn(&str) -> Option<T>) -> Read<Option<T>> {
        let Some(text) = self.maybe_text(name, 64)? else { return Ok(None) };
        of(text).map(Some).ok_or(Malformed::new(name, "unknown word"))
    }

    /// A whole number.
    ///
    /// # Errors
    /// It is missing, or none.
    pub fn whole(&mut self, name: &'static str) -> Read<u64> {
        self.need(name)?.as_u64().ok_or(Malformed::new(name, "no whole number"))
    }

    /// The same, where it may be missing.
    ///
    /// # Errors
    /// It is none.
    pub fn maybe_whole(&mut self, name: &'static str) -> Read<Option<u64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        value.as_u64().map(Some).ok_or(Malformed::new(name, "no whole number"))
    }

    /// True or false.
    ///
    /// # Errors
    /// It is missing, or neither.
    pub fn flag(&mut self, name: &'static str) -> Read<bool> {
        self.need(name)?.as_bool().ok_or(Malformed::new(name, "neither true nor false"))
    }

    /// A list of at most `max` members.
    ///
    /// # Errors
    /// It is missing, none, or longer.
    pub fn list(&mut self, name: &'static str, max: usize) -> Read<&'a [Value]> {
        let list = self.need(name)?.as_array().ok_or(Malformed::new(name, "no list"))?;
        if list.len() > max { Err(Malformed::new(name, "too long")) } else { Ok(list) }
    }

    /// An id: letters, digits, `-` and `_`, 1 to [`MAX_ID`] of them.
    ///
    /// # Errors
    /// It is missing, or none.
    pub fn id(&mut self, name: &'static str) -> Read<String> {
        let text = self.text(name, MAX_ID)?;
        if is_id(text) { Ok(text.to_owned()) } else { Err(Malformed::new(name, "no id")) }
    }

    /// 32 bytes in lower-case hexadecimal, as its text.
    ///
    /// # Errors
    /// It is missing, or no such text.
    pub fn hash(&mut self, name: &'static str) -> Read<String> {
        let text = self.text(name, 64)?;
        if is_hash(text) { Ok(text.to_owned()) } else { Err(Malformed::new(name, "no hash")) }
    }

    /// Refuses what was not asked for: whoever sends it means something by it that is not known here.
    ///
    /// # Errors
    /// There is such a field.
    pub fn end(self) -> Read<()> {
        match self.map.keys().all(|k| self.seen.contains(&k.as_str())) {
            true => Ok(()),
            false => Err(Malformed::new("message", "a field that is not known")),
        }
    }
}

/// True for what can be an id.
pub fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_ID
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// True for 32 bytes in lower-case hexadecimal.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && crate::encode::unhex(text).is_some()
}

/// True for 32 bytes in base64.
pub fn is_nonce(text: &str) -> bool {
    crate::encode::unbase64(text).is_some_and(|bytes| bytes.len() == 32)
}
