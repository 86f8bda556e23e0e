//! Shell text is read to its end whatever it holds, and what is rendered reads as the same text again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use policy::shell::construct::Treatment;
use policy::shell::{Dialect, parse, render};

fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else { return };
    let dialect = match first % 3 {
        0 => Dialect::Dash,
        1 => Dialect::Bash,
        _ => Dialect::Zsh,
    };
    let parsed = parse(text, dialect);
    // Only what can be satisfied is ever rendered.
    if parsed.noted.iter().any(|n| n.construct.checked() != Treatment::Judge) {
        return;
    }
    let Ok(once) = render(&parsed.script, text, dialect, &|_| None) else { return };
    let again = parse(&once, dialect);
    let twice = render(&again.script, &once, dialect, &|_| None);
    let Ok(twice) = twice else {
        panic!("what was rendered is refused: {:?}", String::from_utf8_lossy(&once));
    };
    assert_eq!(joined(&once), joined(&twice));
});

/// Text with neighbouring quotes joined (`'a''b'` and `'ab'` are one word) and without blanks around arithmetic.
fn joined(text: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(text).into_owned();
    for (from, to) in [("''", ""), ("(( ", "(("), (" ))", "))")] {
        while text.contains(from) {
            text = text.replace(from, to);
        }
    }
    text
}
