//! Programs that can only work on their standard input, with the options that keep them so.

/// The default list of the seed.
pub const DEFAULT: &[&str] = &["jq", "grep", "cut", "sort", "uniq", "head", "tail", "tr", "wc"];
