//! What older documents mean today. Done on reading, never written back by a plain run.
use super::Entry;
use super::allowlist::{AllowList, Body, Part};
use super::approvals::Scope;
use super::entries::same;

/// `agents.default` becomes `agents.main`: a field of main wins, lists are main's followed by what default adds.
pub(crate) fn legacy_default(agents: &mut Vec<(String, Scope)>) {
    let Some(at) = agents.iter().position(|(id, _)| id == "default") else { return };
    let (_, old) = agents.remove(at);
    let Some((_, main)) = agents.iter_mut().find(|(id, _)| id == "main") else {
        agents.push(("main".into(), old));
        return;
    };
    fn or<T>(slot: &mut Option<T>, old: Option<T>) {
        if slot.is_none() {
            *slot = old;
        }
    }
    or(&mut main.security, old.security);
    or(&mut main.ask, old.ask);
    or(&mut main.ask_fallback, old.ask_fallback);
    or(&mut main.auto_allow_skills, old.auto_allow_skills);
    main.allowlist = match (main.allowlist.take(), old.allowlist) {
        (Some(main), Some(old)) => Some(main.clone().joined(&without(&old, &main))),
        (one, other) => one.or(other),
    };
    main.asklist = both(main.asklist.take(), old.asklist);
    main.denylist = both(main.denylist.take(), old.denylist);
}

fn both(main: Option<Vec<Entry>>, old: Option<Vec<Entry>>) -> Option<Vec<Entry>> {
    match (main, old) {
        (Some(mut main), Some(old)) => {
            for e in old {
                if !main.iter().any(|m| same(m, &e)) {
                    main.push(e);
                }
            }
            Some(main)
        }
        (one, other) => one.or(other),
    }
}

/// The entries of `old` that `main` does not have.
fn without(old: &AllowList, main: &AllowList) -> AllowList {
    let have = main.all();
    let mut out = AllowList::default();
    for part in old.parts() {
        if let Body::Parsed(entries) = &part.body {
            let kept = entries.iter().filter(|(_, e)| !have.iter().any(|m| same(m, e))).cloned().collect();
            out = out.joined(&AllowList::of(Part::new(part.base.clone(), Body::Parsed(kept))));
        }
    }
    out
}
