//! A whole call where no approver runs.
use protocol::ask::{Asker, WireQuestion};

use super::{Judged, Scene, Where, admit, judge, too_many};
use crate::call::Request;
use crate::identity::Caller;
use crate::rate::Shelf;
use crate::record::{self, Event};
use crate::result::{Code, ToolResult};

/// What a person said who was asked at once, at a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Yes; who.
    Yes(String),
    /// No: who, and why.
    No(String, Option<String>),
    /// Nothing, in that time.
    Late,
    /// Nothing that counts, or nobody is there any more: why.
    Nothing(String),
}

/// What needs nobody's yes is done; what needs one is asked of `person`, if there is one, and refused without.
pub fn alone(
    scene: &Scene,
    tool: &str,
    request: Request,
    caller: &Caller,
    person: Option<&mut dyn FnMut(&WireQuestion) -> Said>,
) -> ToolResult {
    let id = sys::edit::uuid();
    let admitted = match admit(scene, tool, request, caller) {
        Ok(admitted) => admitted,
        Err(no) => return no,
    };
    let Some(state) = &scene.state else {
        return ToolResult::no(Code::Settings, "there is no folder for state: calls cannot be counted");
    };
    let (call, who) = (admitted.call.clone(), admitted.who.clone());
    let refused = |no: ToolResult, by: &str| {
        let _ = record::write(scene, Event::Denied, &id, &call, &who, Some(by), Some(&no));
        no
    };
    let left = match Shelf::of(state).take(scene.settings.rate, &who.user, call.tool.name()) {
        Ok(Ok(left)) => left,
        Ok(Err(e)) => return refused(too_many(e), "policy"),
        Err(e) => {
            let no = ToolResult::no(Code::RateLimited, format!("calls cannot be counted: {e}"));
            return refused(no, "policy");
        }
    };
    let judged = match judge(scene, admitted, person.is_some(), Where::Here) {
        Ok(judged) => judged,
        Err(no) => return refused(no, "policy").left(Some(left)),
    };
    let result = match person {
        Some(person) if !judged.need.is_none() => match asked(scene, &judged, caller, person) {
            Ok(by) => {
                let digest = judged.digest();
                judged.carry(scene, Some((&digest, &by)), &id).asked(&id)
            }
            Err((no, by)) => refused(no.asked(&id), &by),
        },
        _ => judged.carry(scene, None, &id),
    };
    result.left(Some(left))
}

/// Who said yes; else what the call comes to, and who brought that about.
fn asked(
    scene: &Scene,
    judged: &Judged,
    caller: &Caller,
    person: &mut dyn FnMut(&WireQuestion) -> Said,
) -> Result<String, (ToolResult, String)> {
    let s = scene.settings.approval_timeout_s;
    let host = sys::time::hostname();
    let timeout_ms = s.saturating_mul(1000);
    let question =
        judged.question(Asker { host: &host, uid: caller.uid, user: None, timeout_ms, detached: false });
    let nobody = |code, error: String| Err((ToolResult::no(code, error), "nobody".to_owned()));
    match person(&question) {
        Said::Yes(by) => Ok(by),
        Said::No(by, reason) => {
            let reason = reason.unwrap_or_else(|| "no reason given".into());
            Err((ToolResult::no(Code::Rejected, format!("rejected by {by}: {reason}")), by))
        }
        Said::Late => nobody(Code::TimedOut, format!("nobody answered within {s} s: that is a no")),
        Said::Nothing(why) => nobody(Code::NobodyToAsk, format!("a person has to say yes: {why}")),
    }
}
