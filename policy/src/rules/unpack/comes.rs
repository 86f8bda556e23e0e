//! Where `cd` may come to by a link, a pattern or a word known at run time only.
use super::place::{Place, is_above};
use super::{Judge, Scene, Writer, Writes, led, parts};
use crate::arg::Arg;
use crate::resolve::parent;

/// The guard's own folders, and those above them, that a word for `cd` may be. One of which nothing is known is none.
pub(crate) fn comes_to(word: &Arg, scene: &Scene) -> Vec<Vec<u8>> {
    let args = std::slice::from_ref(word);
    let Some(place) = Judge::new(args, scene).path(word.shown(), word.is_dynamic()) else {
        return Vec::new();
    };
    let exact = Place { only: true, gone: true, ..place };
    let places = led(Writer { name: "cd", writes: Writes::Touches }, vec![exact], scene);
    let mut out = Vec::new();
    for own in &scene.guard.own_paths {
        for own in [Some(own.clone()), scene.world.real(own)].into_iter().flatten() {
            let mut at = own.as_slice();
            loop {
                // In one of its own it may be any below.
                let deep = |path: &[u8]| at == own || parts(path).count() <= parts(at).count();
                let here = |p: &Place| p.path.as_deref().is_some_and(deep) && is_above(p, at);
                if places.iter().any(here) && !out.iter().any(|o| o == at) {
                    out.push(at.to_vec());
                }
                if at.len() < 2 {
                    break;
                }
                at = parent(at);
            }
        }
    }
    out
}
