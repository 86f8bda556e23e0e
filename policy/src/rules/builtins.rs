use crate::arg::Arg;
use crate::shell::Dialect;
pub enum Effect {
    None,
    Chdir(Arg),
    Export(Vec<(Vec<u8>, Option<Arg>)>),
}
pub enum BuiltinVerdict {
    NotBuiltin,
    Free(Effect),
    Refused { why: String, at: Option<usize> },
}
pub fn judge_builtin(_n: &[u8], _a: &[Arg], _d: Dialect, _e: bool) -> BuiltinVerdict {
    BuiltinVerdict::NotBuiltin
}
pub fn is_builtin(_n: &[u8], _d: Dialect) -> bool {
    false
}
