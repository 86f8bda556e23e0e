//! Fields of a form or of a query, as they were sent.
use axum::Form;
use axum::body::Body;
use axum::extract::{FromRequest, Query, Request};
use axum::http::{HeaderValue, Uri, header};

/// Longest form, bytes. The reason of a no is short, a pattern is too.
pub const MAX: usize = 256 << 10;
/// Most fields.
const FIELDS: usize = 2_000;

/// Fields in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Of the body of a POST (`application/x-www-form-urlencoded`); `None` if that is none, or too long.
    pub async fn of_body(kind: Option<&HeaderValue>, body: Body) -> Option<Fields> {
        let bytes = axum::body::to_bytes(body, MAX).await.ok()?;
        let request = Request::post("/").header(header::CONTENT_TYPE, kind?).body(Body::from(bytes)).ok()?;
        let Form(pairs) = Form::<Vec<(String, String)>>::from_request(request, &()).await.ok()?;
        (pairs.len() <= FIELDS).then_some(Fields(pairs))
    }

    /// Of a query.
    pub fn of_uri(uri: &Uri) -> Fields {
        uri.query().and_then(Fields::read).unwrap_or_default()
    }

    /// Of the text of one.
    pub fn read(text: &str) -> Option<Fields> {
        let uri: Uri = format!("/?{text}").parse().ok()?;
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&uri).ok()?;
        (pairs.len() <= FIELDS).then_some(Fields(pairs))
    }

    /// The first value of a field; empty if there is none.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v.as_str())
    }

    /// The value of a field without blanks around it, if there is one and it is not empty.
    pub fn filled(&self, name: &str) -> Option<&str> {
        Some(self.get(name).trim()).filter(|v| !v.is_empty())
    }
}

/// A text as a part of a query.
pub fn encode(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// The text that was encoded so. Names of others travel through a page in this form: nothing in it hides or reorders.
pub fn decode(text: &str) -> String {
    Fields::read(&format!("t={text}")).map(|f| f.get("t").to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let f = Fields::read("a=1&b=%2Fx+y%0A&a=2&c").unwrap();
        assert_eq!((f.get("a"), f.get("b"), f.get("c"), f.get("d")), ("1", "/x y\n", "", ""));
        assert_eq!((f.filled("b"), f.filled("c")), (Some("/x y"), None));
        for text in ["", "é\u{202e}/&=%+ x"] {
            assert_eq!(decode(&encode(text)), text);
        }
        assert!(Fields::read(&"a&".repeat(FIELDS + 1)).is_none());
    }
}
