//! Words that programs of different trust share, and foreign bytes made visible.
//!
//! What travels on sockets is a line of JSON a message ([`frame`]). A guard asks on one socket ([`message`], [`ask`];
//! the plain dialect: [`openclaw`]), a person answers on the other ([`operator`]). [`mac`] is what binds an answer to
//! its question. docs/protocol.md is the normative text. Nothing is sent or received here.
#![forbid(unsafe_code)]

pub mod hook;
pub mod secret;
pub mod show;
pub mod verdict;
pub mod words;

pub mod encode;
pub mod field;
pub mod frame;
pub mod json;

pub mod mac;
pub mod token;

pub mod ask;
pub mod code;
pub mod message;
pub mod openclaw;

mod event;
pub mod operator;

pub use code::Code;
pub use field::Malformed;
pub use secret::{mask_text, mask_words};
pub use show::{Shown, shown};
pub use token::Token;

/// What every program of a release calls itself: the version, and the commit it was built from where the build was told
/// (`EXEC_GUARD_COMMIT`, which scripts/build sets).
pub fn version() -> &'static str {
    static VERSION: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    VERSION.get_or_init(|| {
        let version = env!("CARGO_PKG_VERSION");
        match option_env!("EXEC_GUARD_COMMIT").filter(|c| !c.is_empty()) {
            Some(commit) => format!("{version} ({commit})"),
            None => version.to_owned(),
        }
    })
}
