//! A guard as one would write it in an afternoon: `std` from end to end. The stage must see every trace it
//! leaves; a test that passes with this one in the guard's place proves nothing.
use std::os::unix::process::CommandExt;

fn main() {
    let mut args = std::env::args_os().skip(1).skip_while(|a| a != "--").skip(1);
    let Some(name) = args.next() else { std::process::exit(2) };
    let error = std::process::Command::new(name).args(args).env("EXEC_GUARD_DEPTH", "1").exec();
    eprintln!("clumsy: {error}");
    std::process::exit(126);
}
