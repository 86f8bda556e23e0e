//! Tables: what is known of programs, variables and builtins, as data with a reason a row.
pub mod builtins;
pub mod environment;
pub mod hazards;
pub mod marks;
pub mod never_safe;
pub mod safe_bins;

pub(crate) mod folders;
pub(crate) mod index;
pub(crate) mod interpreters;
pub(crate) mod shells;
pub(crate) mod words;
pub(crate) mod wrappers;
pub(crate) mod writers;
