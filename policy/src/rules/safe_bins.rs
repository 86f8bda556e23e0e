use crate::arg::Arg;
use crate::document::SafeBinProfile;
use crate::world::World;
pub struct SafeBinMiss {
    pub why: String,
    pub at: Option<usize>,
}
pub fn judge(_b: &str, _a: &[Arg], _o: Option<&SafeBinProfile>) -> Result<(), SafeBinMiss> {
    Err(SafeBinMiss { why: String::new(), at: None })
}
pub fn trusted(_f: &[u8], _r: &[u8], _d: &[String], _w: &dyn World) -> bool {
    true
}
