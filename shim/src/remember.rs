//! What an *always allow* writes down.
use policy::{Evaluation, Invocation, Scope};
use sys::world::Host;

/// Whether anything can be stored.
///
/// # Errors
/// Why not, one clause for the prompt.
pub fn possible(_: &Invocation) -> Result<(), String> {
    // Editing documents comes with the store.
    Err("this version does not write policy documents".into())
}

/// Stores the entries of an *always allow*.
///
/// # Errors
/// Why they were not stored.
pub fn store(eval: &Evaluation, inv: &Invocation, world: &Host, scope: Scope) -> Result<(), String> {
    let _entries = entries(eval, inv, world, scope)?;
    possible(inv)
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
