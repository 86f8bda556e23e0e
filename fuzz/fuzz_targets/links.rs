//! Every list of words has a verdict: wrappers around wrappers, links named like shells, odd options.
#![no_main]

use libfuzzer_sys::fuzz_target;
use policy::{Form, decide_as};

#[path = "world.rs"]
mod world;

fuzz_target!(|data: &[u8]| {
    // The first byte chooses the program, the rest are its words.
    let Some((first, rest)) = data.split_first() else { return };
    let name = world::PROGRAMS[usize::from(*first) % world::PROGRAMS.len()];
    let mut argv = vec![name.as_bytes().to_vec()];
    argv.extend(rest.split(|b| *b == 0 || *b == b'\n').map(<[u8]>::to_vec));
    let form = Form::Program { argv, by_link: first & 1 == 0 };
    let e = decide_as(world::effective(true), &world::invocation(form), world::world());
    world::check(&e);
});
