//! What an *always allow* writes down.
use policy::{Evaluation, Invocation, Scope};
use store::edit::{self, List};
use sys::world::Host;

use crate::locate::Settings;

/// Whether anything can be stored.
///
/// # Errors
/// Why not, one clause for the prompt.
pub fn possible(settings: &Settings, agent: &str) -> Result<(), String> {
    if agent == "*" {
        return Err("no agent to store it for".into());
    }
    if settings.editable.is_none() { Err("there is no folder for policy documents".into()) } else { Ok(()) }
}

/// Stores the entries of an *always allow*, all or none, for the asking agent.
///
/// # Errors
/// Why they were not stored.
pub fn store(
    eval: &Evaluation,
    inv: &Invocation,
    world: &Host,
    settings: &Settings,
    scope: Scope,
) -> Result<(), String> {
    let agent = eval.effective.agent.as_str();
    possible(settings, agent)?;
    let Some(target) = &settings.editable else { return possible(settings, agent) };
    let mut entries: Vec<_> = entries(eval, inv, world, scope)?.iter().map(edit::entry_value).collect();
    for entry in entries.iter_mut().filter_map(|e| e.as_object_mut()) {
        entry.insert("source".into(), "allow-always".into());
        entry.insert("lastUsedAt".into(), inv.now_ms.into());
    }
    edit::add_entries(target, Some(agent), List::Allow, &entries).map(drop).map_err(|e| e.to_string())
}

fn entries(
    eval: &Evaluation,
    inv: &Invocation,
    world: &Host,
    scope: Scope,
) -> Result<Vec<policy::document::Entry>, String> {
    let proposals = policy::proposals(eval, inv, world)?;
    let chosen = proposals.into_iter().find(|p| p.scope == scope);
    chosen.map(|p| p.entries).ok_or_else(|| "that scope is not offered".to_owned())
}
