//! The approver: holds questions, takes answers, and tells who asked.
#![forbid(unsafe_code)]

pub mod args;
pub mod desk;
