//! Documents are read or refused, never half read; and no user's document loosens what the system's says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use policy::Policy;
use policy::document::{Approvals, Config, Layer};

fuzz_target!(|data: &[u8]| {
    // Two documents, one after the other, with a NUL between.
    let cut = data.iter().position(|b| *b == 0).unwrap_or(data.len());
    let (above, below) = (&data[..cut], data.get(cut + 1..).unwrap_or(b"{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"off\"}}"));
    let config = Config::parse(below, "below.json");
    let (Ok(above), Ok(below)) = (Approvals::parse(above, "above.json"), Approvals::parse(below, "below.json")) else {
        return;
    };
    let floor = Layer::new(Some(above), None);
    let alone = Policy::new(floor.clone(), Layer::default(), Layer::default(), None);
    let user = Layer::new(Some(below), config.ok());
    let both = Policy::new(floor, user, Layer::default(), None);
    for agent in ["main", "claude", "*"] {
        let (a, b) = (alone.effective(agent), both.effective(agent));
        // What the system leaves unset is no floor.
        if a.security.from.starts_with("above") {
            assert!(b.security.value <= a.security.value, "{agent}: {:?} over {:?}", b.security, a.security);
        }
        if a.ask.from.starts_with("above") {
            assert!(b.ask.value >= a.ask.value, "{agent}: {:?} over {:?}", b.ask, a.ask);
        }
        assert!(b.denylist.len() >= a.denylist.len() && b.asklist.len() >= a.asklist.len(), "lists that refuse are joined");
        assert!(b.ask_fallback.value <= b.security.value, "the fallback is capped by security");
    }
});
