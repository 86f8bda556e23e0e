use crate::shell::Dialect;
pub enum EnvClass {
    Inert,
    Dangerous { reason: &'static str },
    Unlisted,
}
pub fn classify(_n: &[u8], _v: Option<&[u8]>) -> EnvClass {
    EnvClass::Unlisted
}
pub fn scrub(_e: &[Vec<u8>], _t: &[String]) -> Vec<Vec<u8>> {
    vec![]
}
pub fn special(_n: &[u8], _d: Dialect) -> bool {
    false
}
pub fn clean_path(_p: &[u8]) -> Option<Vec<u8>> {
    None
}
