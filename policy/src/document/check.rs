//! A document against the table of its keys: types, words, lists; and which words stand for which values.
use super::Ask;
use super::error::{Fault, LoadErrorKind};
use super::json::{Tree, push_pointer};
use super::keys::{ASK, ASK_OR_ALLOW, Key, SECURITY, Shape};

/// Where the check stands: names from the root, without allocating for a document without faults.
#[derive(Clone, Copy)]
struct At<'a> {
    up: Option<&'a At<'a>>,
    name: Name<'a>,
}

#[derive(Clone, Copy)]
enum Name<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    fn key(&'a self, name: &'a str) -> At<'a> {
        At { up: Some(self), name: Name::Key(name) }
    }
    fn index(&'a self, i: usize) -> At<'a> {
        At { up: Some(self), name: Name::Index(i) }
    }
    fn pointer(&self) -> String {
        let mut out = self.up.map(At::pointer).unwrap_or_default();
        match self.name {
            Name::Root => {}
            Name::Key(k) => push_pointer(&mut out, k),
            Name::Index(i) => push_pointer(&mut out, &i.to_string()),
        }
        out
    }
}

/// How words are compared: approvals documents exactly, config as people type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Exact,
    Case,
}

/// The place of a word in its list; blanks around it do not count.
pub(crate) fn word_index(words: &[&str], text: &str, fold: Fold) -> Option<usize> {
    let text = text.trim();
    words.iter().position(|w| match fold {
        Fold::Exact => *w == text,
        Fold::Case => w.eq_ignore_ascii_case(text),
    })
}

/// Checks a document against its keys; unknown keys go to `notes` with their pointers.
pub(crate) fn check(
    tree: &Tree<'_>,
    keys: &'static [Key],
    fold: Fold,
    notes: &mut Vec<String>,
) -> Result<(), Fault> {
    if !matches!(tree, Tree::Map(_)) {
        return Err(wrong(tree, "an object", &At { up: None, name: Name::Root }));
    }
    shape(tree, &Shape::Object(keys), &At { up: None, name: Name::Root }, fold, notes)
}

fn wrong(tree: &Tree<'_>, want: &str, at: &At<'_>) -> Fault {
    Fault::new(
        LoadErrorKind::Type,
        at.pointer(),
        format!("{} where {want} belongs", tree.kind()),
        "correct the type",
    )
}

fn shape(
    tree: &Tree<'_>,
    want: &Shape,
    at: &At<'_>,
    fold: Fold,
    notes: &mut Vec<String>,
) -> Result<(), Fault> {
    match (tree, want) {
        (Tree::Null, _)
        | (_, Shape::Any)
        | (Tree::Bool(_), Shape::Bool)
        | (Tree::Whole(_), Shape::Whole | Shape::Number)
        | (Tree::Number(_), Shape::Number)
        | (Tree::Text(_), Shape::Text) => Ok(()),
        (Tree::Number(_), Shape::Whole) => Err(Fault::new(
            LoadErrorKind::Value,
            at.pointer(),
            "a number that is negative, broken or too large",
            "write a whole number",
        )),
        (Tree::Text(text), Shape::Word(words)) => match word_index(words, text, fold) {
            Some(_) => Ok(()),
            None => Err(Fault::new(
                LoadErrorKind::Value,
                at.pointer(),
                format!("unknown value {:?}", text.chars().take(60).collect::<String>()),
                format!("use {}", words.join(", ")),
            )),
        },
        (Tree::List(items), Shape::Texts) => {
            for (i, item) in items.iter().enumerate() {
                if !matches!(item, Tree::Text(_)) {
                    return Err(wrong(item, "a string", &at.index(i)));
                }
            }
            Ok(())
        }
        (Tree::Map(members), Shape::Object(keys) | Shape::Open(keys)) => {
            for (name, value) in members {
                match keys.iter().find(|k| k.name == name) {
                    Some(k) => shape(value, &k.shape, &at.key(name), fold, notes)?,
                    None if matches!(want, Shape::Object(_)) => {
                        notes.push(format!("unknown key {}", at.key(name).pointer()));
                    }
                    None => {}
                }
            }
            Ok(())
        }
        (Tree::Map(members), Shape::Map(inner)) => {
            members.iter().try_for_each(|(name, value)| shape(value, inner, &at.key(name), fold, notes))
        }
        (Tree::List(items), Shape::List(inner)) => items.iter().enumerate().try_for_each(|(i, item)| {
            // A hole in a list is no way of leaving something unset.
            if matches!(item, Tree::Null) {
                return Err(wrong(item, "a value", &at.index(i)));
            }
            shape(item, inner, &at.index(i), fold, notes)
        }),
        (_, Shape::Either(a, b)) => {
            if matches_type(tree, a) {
                shape(tree, a, at, fold, notes)
            } else {
                shape(tree, b, at, fold, notes)
            }
        }
        (_, want) => Err(wrong(tree, describe(want), at)),
    }
}

fn matches_type(tree: &Tree<'_>, shape: &Shape) -> bool {
    matches!(
        (tree, shape),
        (Tree::Text(_), Shape::Text | Shape::Word(_))
            | (Tree::Bool(_), Shape::Bool)
            | (Tree::Whole(_) | Tree::Number(_), Shape::Whole | Shape::Number)
            | (Tree::List(_), Shape::List(_) | Shape::Texts)
            | (Tree::Map(_), Shape::Object(_) | Shape::Open(_) | Shape::Map(_))
    )
}

fn describe(shape: &Shape) -> &'static str {
    match shape {
        Shape::Bool => "true or false",
        Shape::Whole | Shape::Number => "a number",
        Shape::Text | Shape::Word(_) => "a string",
        Shape::Texts => "a list of strings",
        Shape::List(_) => "a list",
        Shape::Object(_) | Shape::Open(_) | Shape::Map(_) => "an object",
        Shape::Either(_, b) => describe(b),
        Shape::Any => "a value",
    }
}

/// A set of words that stands for an enum's values, in the same order.
pub(crate) trait Words: Copy + 'static {
    /// The words, strict first.
    const WORDS: &'static [&'static str];
    /// The values, in the order of the words.
    const VALUES: &'static [Self];

    fn of(text: &str, fold: Fold) -> Option<Self> {
        word_index(Self::WORDS, text, fold).and_then(|i| Self::VALUES.get(i)).copied()
    }
}

macro_rules! words {
    ($($type:ty: $words:expr => [$($value:expr),+ $(,)?];)+) => {$(
        impl Words for $type {
            const WORDS: &'static [&'static str] = $words;
            const VALUES: &'static [Self] = &[$($value),+];
        }
    )+};
}

words! {
    super::Security: SECURITY => [super::Security::Deny, super::Security::Allowlist, super::Security::Full];
    Ask: ASK => [Ask::Always, Ask::OnMiss, Ask::Off];
    super::AskOrAllow: ASK_OR_ALLOW => [super::AskOrAllow::Ask, super::AskOrAllow::Allow];
    super::Accept: &["strict", "checked"] => [super::Accept::Strict, super::Accept::Checked];
    super::Redirections: &["ban", "harmless", "scoped"] =>
        [super::Redirections::Ban, super::Redirections::Harmless, super::Redirections::Scoped];
    super::EnvMode: &["ask", "scrub", "pass"] =>
        [super::EnvMode::Ask, super::EnvMode::Scrub, super::EnvMode::Pass];
    super::Confinement: &["require", "best-effort", "off"] =>
        [super::Confinement::Require, super::Confinement::BestEffort, super::Confinement::Off];
    super::Login: &["ask", "drop"] => [super::Login::Ask, super::Login::Drop];
    super::Unproven: &["ask", "supervise"] => [super::Unproven::Ask, super::Unproven::Supervise];
    super::Tty: &["never", "auto", "always"] => [super::Tty::Never, super::Tty::Auto, super::Tty::Always];
    super::SocketDialect: &["exec-guard", "openclaw"] =>
        [super::SocketDialect::Own, super::SocketDialect::OpenClaw];
    super::DenyOrAllow: &["deny", "allow"] => [super::DenyOrAllow::Deny, super::DenyOrAllow::Allow];
    super::JournalText: &["masked", "full"] => [super::JournalText::Masked, super::JournalText::Full];
}
