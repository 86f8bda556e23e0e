//! The one room for system calls and for `unsafe`.
//!
//! Rules of the room: a function here does one thing to the kernel and says in types what came of it; it
//! decides nothing and writes no words for people beyond the name of a file and the kernel's own error.
//! Everything opened here is close-on-exec. Every `unsafe` block has its reason beside it; there are few, and
//! `grep -c 'unsafe {'` is how they are counted.
//!
//! In reading order: what we were given ([`entry`], [`environ`], [`ids`], [`proc`]), what we look at
//! ([`world`], [`file`]), how a person is asked ([`tty`], [`socket`]), how long somebody waits for us ([`watch`]), the one
//! way out ([`exec`]), the same for a command that nobody waits for ([`spawn`]),
//! and for one that is run in a cage ([`cage`]).
pub mod entry;
pub mod environ;
pub mod ids;
pub mod limit;
pub mod proc;
pub mod time;

pub mod arena;

pub mod edit;
pub mod file;
pub mod lease;
pub mod swap;
pub mod world;

pub mod socket;
pub mod tty;

pub mod watch;

pub mod cage;
pub mod confine;
pub mod exec;
pub mod spawn;
