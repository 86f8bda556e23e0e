use crate::arg::Arg;
use crate::tables::hazards::Category;
pub struct HazardHit {
    pub category: Category,
    pub at: Option<usize>,
    pub program: &'static str,
    pub why: &'static str,
    pub source: &'static str,
    pub dynamic: bool,
}
pub fn hazards(_n: &[&[u8]], _a: &[Arg]) -> Vec<HazardHit> {
    vec![]
}
