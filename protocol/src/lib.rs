//! Words that programs of different trust share, and foreign bytes made visible.
#![forbid(unsafe_code)]

pub mod secret;
pub mod show;
pub mod verdict;
pub mod words;

pub use secret::{mask_text, mask_words};
pub use show::Shown;
