//! The rules, in the order they are asked.
//!
//! 1. `protect`, `unpack`: the guard's own files and commands; `probe`: a command that only asks whether the guard is there
//! 2. `entry`: denylist and asklist
//! 3. the policy's `security` and `ask` (the table in `decide`)
//! 4. `entry`: allowlist; `skills`; `safe_bins`; `builtins`
//! 5. `environ`: variables that change what runs
//! 6. `hazards`: options by which an allowed program does more than its name announces
//!
//! A rule never knows what its finding leads to: the strictest finding wins, by the table.
pub mod builtins;
pub(crate) mod entry;
pub mod environ;
pub(crate) mod folders;
pub mod hazards;
pub mod jq;
pub mod probe;
pub(crate) mod protect;
pub mod safe_bins;
pub(crate) mod skills;
pub(crate) mod unpack;
