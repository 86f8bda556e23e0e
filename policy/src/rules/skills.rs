//! Skills: programs that an agent's known skills bring along.
use crate::document::Effective;
use crate::resolve::{Executable, last_component, parent};
use crate::world::World;

/// True if the word is a listed skill: a bare name whose file is exactly the listed one, or an executable of a
/// listed folder.
pub(crate) fn covers(policy: &Effective, typed: &[u8], exe: &Executable, world: &dyn World) -> bool {
    if !policy.auto_allow_skills.value || typed.contains(&b'/') {
        return false;
    }
    let listed = policy.skill_bins.iter().any(|(name, path)| {
        let path = path.as_bytes();
        name.as_bytes() == typed
            && (path == exe.found
                || path == exe.real
                || world
                    .real(parent(path))
                    .is_some_and(|d| crate::resolve::join(&d, last_component(path)) == exe.found))
    });
    listed
        || policy
            .skill_dirs
            .iter()
            .any(|dir| world.real(dir.as_bytes()).is_some_and(|d| d == parent(&exe.found)))
}
