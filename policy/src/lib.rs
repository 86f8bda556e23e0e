//! The verdict of exec-guard, as a pure library.
//!
//! The path of a verdict: an [`Invocation`] (someone claims to want to run this) is judged under a
//! [`Policy`] (documents in force) with the help of a [`World`] (the few questions policy may ask about
//! files). [`decide`] returns an [`Evaluation`]: a [`Decision`] with every [`Finding`] that led to it.
//! Only an evaluation that says *allow*, or a person's [`Answer`], gives a [`Permit`], and only a permit
//! can be executed.
//!
//! This crate opens nothing, reads no clock and no environment: the same inputs give the same verdict for
//! ever. It never prints.
#![forbid(unsafe_code)]

// In reading order.
mod arg;
mod decision;
mod evaluation;
mod invocation;
mod world;

pub mod document;
pub mod shell;
pub mod tables;

mod getopt;
pub mod glob;
mod judge;
mod order;
mod resolve;
mod scaffold;
pub mod wrapper;

mod decide;
mod learn;
mod named;
mod nearest;

pub mod rules;

mod question;
mod reason;

pub use arg::Arg;
pub use decide::{decide, decide_as};
pub use decision::{Decision, Finding, Span};
pub use document::Policy;
pub use evaluation::{
    DEPTH, Evaluation, Ground, MAX_DEPTH, Permit, Plan, SatisfiedBy, Segment, SegmentKind, depth,
};
pub use invocation::{Form, Guard, Invocation};
pub use learn::{Proposal, literal_glob, proposals};
pub use nearest::{Nearest, nearest};
pub use order::by_key;
pub use question::{Answer, Choice, Scope, digest};
pub use reason::Reason;
pub use resolve::{Executable, is_of_process, of_process};
pub use world::{FakeWorld, FileId, FileInfo, FileKind, NameKind, World};
