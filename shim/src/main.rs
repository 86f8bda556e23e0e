//! `exec-guard`: stands between a caller and execve; judges a command, then becomes it, refuses it, or asks.
//!
//! No thread, no daemon, no privilege given up: whatever this process takes on, the command would inherit.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), no_main)]

// In reading order: how we are called, what rules, what comes of it, how we leave.
mod invoke;

mod locate;
mod tighten;

mod ask;
mod check;
mod hook;
mod record;
mod remember;
mod submit;

mod exit;
mod guard;
mod say;

use exit::Exit;
use invoke::{Called, Usage};
use say::Message;

/// A process that becomes another in a millisecond gives nothing back.
#[global_allocator]
static MEMORY: sys::arena::Arena = sys::arena::Arena::new();

#[cfg(not(test))]
sys::program!(start);

#[cfg_attr(test, expect(dead_code, reason = "tests start at the harness's main"))]
fn start() {
    MEMORY.open(sys::arena::Last {
        word: "exec-guard: error [internal] there is no memory left; nothing was run\n",
        status: Exit::Guard as i32,
    });
    // First of all: from here on a bug is a refusal, with a line that says so.
    exit::on_panic();
    let called = invoke::read(sys::environ::argv());
    // A hook says no in its agent's words.
    if !matches!(called, Ok(Called::Hook(_)))
        && let Err(exit) = exit::room()
    {
        exit.leave()
    }
    // Before anything that can fail, so that an installation can always be asked what it is.
    let exit = match called {
        Ok(Called::Version) => shown(&format!("exec-guard {}\n", protocol::version())),
        Ok(Called::Help) => shown(invoke::HELP),
        Ok(Called::Run(claim)) => guard::run(claim),
        Ok(Called::Check(claim, check)) => guard::check(claim, check),
        Ok(Called::Submit(claim)) => submit::run(claim),
        Ok(Called::Hook(words)) => hook::answer(&words),
        Ok(Called::Companion(args)) => guard::companion(args),
        Err(Usage(what)) => {
            Message::error(policy::Reason::Usage, &what).line("see exec-guard --help").say();
            Exit::Usage
        }
    };
    exit.leave()
}

fn shown(text: &str) -> Exit {
    say::print(text).map_or_else(|exit| exit, |()| Exit::Done)
}
