//! Where policy documents and the journal live: reading them safely, and the one writer.
//!
//! [`locate`] finds the documents that rule and refuses those somebody else could have written; [`edit`] is the
//! only writer of approvals documents there is; [`journal`] is what happened, [`seal`] makes a chain of it, [`runs`] what
//! nobody waited for; [`caller`] tells whose policy rules; [`talk`] is a connection to an approver that is believed; [`usage`] when entries were last used.
#![forbid(unsafe_code)]

pub mod caller;
pub mod edit;
pub mod index;
pub mod journal;
pub mod locate;
pub mod runs;
pub mod seal;
pub mod talk;
pub mod usage;

pub use locate::{Loaded, Places, load};
