//! What a caller claims to want.
/// Someone claims to want to run this; nothing has been checked. Every byte of it is foreign.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What is to be run.
    pub form: Form,
    /// The environment, entry by entry, as raw bytes in the order received; entries without `=` included.
    pub env: Vec<Vec<u8>>,
    /// The working folder as an absolute path without symbolic links; `None` if it is gone or unreadable.
    pub cwd: Option<Vec<u8>>,
    /// The agent ids to judge under: one, or two when the claimed id differs from the caller's mark. The
    /// strictest verdict wins.
    pub agents: Vec<String>,
    /// The caller's session key, if it gave one.
    pub session: Option<String>,
    /// Milliseconds since 1970-01-01 UTC, for `expiresAt`; 0 if nobody knows.
    pub now_ms: u64,
    /// Home folder of the user database (not `$HOME`), for `~/` in patterns.
    pub home: Option<Vec<u8>>,
    /// True if no terminal prompt would be possible: the session bears an agent's mark or has no terminal.
    pub unattended: bool,
    /// What the guard itself consists of.
    pub guard: Guard,
}

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// One program to be exec'd without a shell. `argv[0]` is the name as written: it is looked up like a
    /// shell would, and given to the program unchanged. A link named after a shell arrives here too, with
    /// the shell's own arguments.
    Program {
        /// The words, `argv[0]` first; never empty.
        argv: Vec<Vec<u8>>,
        /// True if the guard was called through a link named like the program.
        by_link: bool,
    },
    /// Shell text: `exec-guard -c TEXT [NAME [ARGS…]]`.
    Text {
        /// The text, as received.
        text: Vec<u8>,
        /// Path or name of the shell that will run it; `None` = `tools.exec.shell.program` of the policy.
        shell: Option<Vec<u8>>,
        /// `$0` and the positional parameters given after the text.
        args: Vec<Vec<u8>>,
    },
}

/// The guard's own files, protected from the commands it judges. (Which program it is the world knows:
/// [`World::is_guard`](crate::World::is_guard).)
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// Absolute paths of the guard's own folders and documents (policy, state, sockets).
    pub own_paths: Vec<Vec<u8>>,
}
