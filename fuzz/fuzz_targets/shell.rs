//! Shell text is read to its end whatever it holds, and what is rendered reads as the same text again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use policy::shell::{Dialect, parse, render};

fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else { return };
    let dialect = match first % 3 {
        0 => Dialect::Dash,
        1 => Dialect::Bash,
        _ => Dialect::Zsh,
    };
    let parsed = parse(text, dialect);
    let Ok(once) = render(&parsed.script, text, dialect, &|_| None) else { return };
    let again = parse(&once, dialect);
    let twice = render(&again.script, &once, dialect, &|_| None);
    assert!(twice.as_ref() == Ok(&once), "{:?} against {twice:?}", String::from_utf8_lossy(&once));
});
