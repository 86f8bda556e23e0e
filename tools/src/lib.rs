//! Tool calls of agent gateways: who may use which tool, who is asked, and the sandbox a command runs in.
//!
//! ```text
//!  call       a tool's name, who is said to use it, its arguments              nothing believed
//!  identity   whose word that is: a gateway's, or the caller's user id
//!  sender     may this one ask at all
//!  fields     validated; a bad one is named
//!  rate       so many calls of a tool a user and window
//!  mode       does this tool, for this user, need somebody's yes; deny
//!  exec       for commands: policy::decide, the lists of the sandbox by analysed parts; the stricter wins
//!  question   at most one, for both
//!  run        commands in the sandbox; other tools are handed on
//!  journal    what came of it
//! ```
//!
//! Every doubt is a no with its reason in the result. The approver and exec-guardctl use the same steps; only who asks
//! the question differs.
#![forbid(unsafe_code)]

pub mod config;
pub mod mode;

pub mod call;
pub mod identity;
pub mod rate;
pub mod result;

pub mod auto;
pub mod bash;
pub mod cron;
pub mod probe;
pub mod sandbox;

pub mod engine;
pub mod question;
pub mod record;

pub mod api;

/// The approver's socket for tools, in the state folder.
pub const SOCKET: &str = "tools/tools.sock";
