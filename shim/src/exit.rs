//! Exit codes: one enum, one reason each. The command's own code never passes through here: we become it.

/// How the guard leaves when it does not become the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// What was asked for was said: `--version`, `--help`, `check` of what is allowed.
    Done = 0,
    /// Wrong use: nothing was judged.
    Usage = 2,
    /// `check`: a person would be asked.
    WouldAsk = 3,
    /// `check`: it would be denied.
    WouldDeny = 4,
    /// `submit`: a person is asked; what comes of it is told elsewhere.
    Pending = 75,
    /// The guard itself could not work (policy unreadable, a bug): nothing was run, and this is no refusal.
    Guard = 125,
    /// Refused, or not executable.
    Refused = 126,
    /// The program does not exist.
    NotFound = 127,
}

impl Exit {
    /// A hook's no: the only code that agents take for one.
    pub const HOOK_DENIED: Exit = Exit::Usage;

    /// Leaves.
    pub fn leave(self) -> ! {
        std::process::exit(self as i32)
    }
}

/// Stack that the deepest text takes which is judged at all (160 KB, measured), and more than half as much again.
const STACK: u64 = 256 << 10;

/// Refuses to begin what the limit on the stack would end by a signal, which says nothing.
///
/// # Errors
///
/// The way to leave; it was said.
pub fn room() -> Result<(), Exit> {
    let Some(what) = cramped() else { return Ok(()) };
    crate::say::Message::error(policy::Reason::Internal, &what).say();
    Err(Exit::Guard)
}

/// What is wrong with the room on the stack, if there is too little.
pub fn cramped() -> Option<String> {
    Some(match sys::entry::stack_left() {
        Ok(left) if left >= STACK => return None,
        Ok(left) => format!(
            "the limit on the stack (ulimit -s) leaves {} KB, and {} are needed; nothing was run",
            left >> 10,
            STACK >> 10
        ),
        Err(e) => {
            let e = std::io::Error::from(e);
            format!("the limit on the stack cannot be asked for: {e}; nothing was run")
        }
    })
}

/// Makes a bug a refusal that is said: one line, and the code of a guard that could not work.
pub fn on_panic() {
    std::panic::set_hook(Box::new(|info| {
        sys::tty::rescue();
        // The message of a panic may hold foreign bytes; the place in our own source is enough.
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        crate::say::Message::error(policy::Reason::Internal, &format!("a bug{place}; nothing was run")).say();
        Exit::Guard.leave()
    }));
}
