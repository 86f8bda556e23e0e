//! Every text has a verdict, and a verdict keeps its word.
#![no_main]

use libfuzzer_sys::fuzz_target;
use policy::{Form, decide_as};

#[path = "world.rs"]
mod world;

fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else { return };
    let shell = ["dash", "bash", "zsh", "fish"][usize::from(first % 4)];
    let form = Form::Text { text: text.to_vec(), shell: Some(format!("/usr/bin/{shell}").into_bytes()), args: vec![] };
    let e = decide_as(world::effective(first & 4 != 0), &world::invocation(form), world::world());
    world::check(&e);
});
