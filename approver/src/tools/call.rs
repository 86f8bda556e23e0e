//! A call, from its fields to its result.
use std::sync::{Arc, PoisonError};

use policy::Choice;
use protocol::Shown;
use protocol::ask::Asker as Facts;
use protocol::operator::{ToolCall, summary};
use tokio::sync::oneshot::{self, Receiver};
use tools::call::{Call, Request};
use tools::engine::{Admitted, Job, Judged, Scene, Where, admit, judge, too_many};
use tools::identity::{Caller, Who};
use tools::record::{self, Event};
use tools::result::{Code, Left, ToolResult};

use super::door::Peer;
use super::{Tools, worker};
use crate::desk::{Answer, Asker, Draft, Face, Outcome, is_yes};
use crate::handle::{Handle, Taken};
use crate::peer;
use crate::shares::Part;

/// A question of a call: when whoever waits for it is gone, so is the question.
struct Asked {
    handle: Handle,
    id: String,
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.handle.gone(&self.id);
    }
}

/// Ends when whoever called is gone.
pub type Gone = Receiver<()>;

/// Nobody is left to take the result.
pub const GONE: &str = "whoever called went away";

/// Why a caller at the port may not ask.
const UNSEEN: &str = "a person has to say yes, and the process that calls could not be found, so that it could be the one that \
                      answers; call tools.sock instead";

/// What a call came to so far.
enum Step {
    Done(ToolResult),
    Run(Box<Ready>),
    Wait(Box<Ready>, Asked, Receiver<Outcome>),
}

struct Ready {
    scene: Arc<Scene>,
    call: Call,
    who: Who,
    digest: String,
    id: String,
    left: Left,
    /// The user id that called, whose turn it is.
    uid: u32,
}

impl Tools {
    /// A whole call. `body` is the room that it takes until it is over.
    pub async fn call(
        &self,
        tool: String,
        request: Request,
        caller: Caller,
        peer: Peer,
        body: Part,
    ) -> ToolResult {
        let mut held = self.0.held.part(caller.uid, self.users(caller.uid));
        if !held.take(1) {
            return ToolResult::no(Code::Busy, "the approver holds as many calls of this user as it can");
        }
        let place = (held, body);
        let wait = request.wait;
        let Some(judging) = self.0.judging.next(caller.uid, self.users(caller.uid)).await else {
            return ToolResult::no(Code::Busy, "the approver ends");
        };
        let me = self.clone();
        // Files are looked at.
        let begun = tokio::task::spawn_blocking(move || {
            let _judging = judging;
            me.begin(&tool, request, &caller, peer)
        })
        .await;
        match begun {
            Ok(Step::Done(result)) => result,
            // By a task of its own, which sees its end whatever becomes of whoever called: what waits is withdrawn, what
            // runs is ended, and both are written down.
            Ok(Step::Run(ready)) => {
                let (_here, gone) = oneshot::channel();
                let me = self.clone();
                let task = tokio::spawn(async move {
                    let _place = place;
                    me.run(&ready, None, Some(gone)).await
                });
                task.await.unwrap_or_else(|_| ToolResult::no(Code::Failed, "it broke off"))
            }
            Ok(Step::Wait(ready, asked, receiver)) if wait => {
                let (_here, mut gone) = oneshot::channel();
                let me = self.clone();
                let task = tokio::spawn(async move {
                    let _place = place;
                    let outcome = tokio::select! {
                        outcome = receiver => outcome.ok(),
                        _ = &mut gone => Some(Outcome::Withdrawn),
                    };
                    drop(asked);
                    me.answered(&ready, outcome, Some(gone)).await
                });
                task.await.unwrap_or_else(|_| ToolResult::no(Code::Failed, "it broke off"))
            }
            Ok(Step::Wait(ready, asked, receiver)) => {
                let (id, left) = (ready.id.clone(), ready.left);
                self.later().begin(&id, &ready.who.user, ready.uid);
                let me = self.clone();
                tokio::spawn(async move {
                    let _place = place;
                    let outcome = receiver.await.ok();
                    drop(asked);
                    let result = me.answered(&ready, outcome, None).await;
                    me.later().end(&ready.id, result);
                });
                let error = "a person has to say yes; the result will be under the id";
                ToolResult::no(Code::ApprovalRequired, error).asked(&id).left(Some(left))
            }
            Err(_) => ToolResult::no(Code::Failed, "it broke off"),
        }
    }

    fn begin(&self, tool: &str, request: Request, caller: &Caller, peer: Peer) -> Step {
        let scene = match self.scene() {
            Ok(scene) => scene,
            Err(no) => return Step::Done(no),
        };
        let admitted = match admit(&scene, tool, request, caller) {
            Ok(admitted) => admitted,
            Err(no) => return Step::Done(no),
        };
        let id = sys::edit::uuid();
        let (call, who) = (admitted.call.clone(), admitted.who.clone());
        let refused = |no: ToolResult| {
            let _ = record::write(&scene, Event::Denied, &id, &call, &who, Some("policy"), Some(&no));
            Step::Done(no)
        };
        let left = match self.0.counter.take(scene.settings.rate, &who.user, call.tool.name()) {
            Ok(left) => left,
            Err(e) => return refused(too_many(e)),
        };
        match self.judged(&scene, admitted, &id, peer) {
            Err(no) => refused(no.left(Some(left))),
            Ok((digest, taken)) => {
                let (scene, id, uid) = (scene.clone(), id.clone(), caller.uid);
                let ready = Box::new(Ready { scene, call, who, digest, id: id.clone(), left, uid });
                match taken {
                    None => Step::Run(ready),
                    Some(receiver) => {
                        Step::Wait(ready, Asked { handle: self.0.handle.clone(), id }, receiver)
                    }
                }
            }
        }
    }

    /// Judges a call, and lays its question on the desk if it needs one.
    fn judged(
        &self,
        scene: &Scene,
        admitted: Admitted,
        id: &str,
        peer: Peer,
    ) -> Result<(String, Option<Receiver<Outcome>>), ToolResult> {
        let handle = &self.0.handle;
        let judged = judge(scene, admitted, handle.somebody_at_hand(), Where::There)?;
        let digest = judged.digest();
        if judged.need.is_none() {
            return Ok((digest, None));
        }
        let draft = draft(scene, &judged, id, self.asker(peer)?);
        match handle.ask(draft, None) {
            Ok(Taken::Waits(_, receiver)) => Ok((digest, Some(receiver))),
            // Nothing answers it beforehand: no grant and no override is for this question.
            Ok(Taken::Answered(..)) => {
                Err(ToolResult::no(Code::Failed, "it was answered before it was asked"))
            }
            Err(code) => {
                Err(ToolResult::no(Code::Busy, format!("the question was not taken: {}", code.meaning())))
            }
        }
    }

    /// Whoever asks, as a process. One that came by the port is looked for only now: it has shown the token, and a question
    /// is to be laid down.
    ///
    /// # Errors
    /// It is this user's, and cannot be found: then nobody could tell whether it answers its own question.
    fn asker(&self, peer: Peer) -> Result<Asker, ToolResult> {
        let uid = peer.asker.uid;
        match peer.port {
            // Of other users none can answer anything, but by the gateway's word.
            Some(port) if uid == sys::ids::uid() => {
                // One after the other: a search looks at everything this user has open.
                let _one = self.0.search.lock().unwrap_or_else(PoisonError::into_inner);
                peer::holder(uid, port.inode).ok_or_else(|| ToolResult::no(Code::Sender, UNSEEN))
            }
            _ => Ok(peer.asker),
        }
    }

    async fn answered(&self, ready: &Ready, outcome: Option<Outcome>, gone: Option<Gone>) -> ToolResult {
        let no = |code, error: String, by: &str| {
            let no = ToolResult::no(code, error).asked(&ready.id).left(Some(ready.left));
            let (scene, id) = (&ready.scene, &ready.id);
            let _ = record::write(scene, Event::Denied, id, &ready.call, &ready.who, Some(by), Some(&no));
            no
        };
        match outcome {
            Some(Outcome::Answered(answer)) if is_yes(answer.choice) => {
                self.run(ready, Some(answer), gone).await
            }
            Some(Outcome::Answered(Answer { reason, by, .. })) => {
                let reason = reason.unwrap_or_else(|| "no reason given".into());
                no(Code::Rejected, format!("rejected by {by}: {reason}"), &by)
            }
            Some(Outcome::Expired) => {
                let s = ready.scene.settings.approval_timeout_s;
                no(Code::TimedOut, format!("nobody answered within {s} s: that is a no"), "nobody")
            }
            Some(Outcome::Withdrawn) => no(Code::Cancelled, GONE.into(), "nobody"),
            None => no(Code::Busy, "the approver ends".into(), "nobody"),
        }
    }

    async fn run(&self, ready: &Ready, answer: Option<Answer>, gone: Option<Gone>) -> ToolResult {
        let job = Job {
            tool: ready.call.tool.name().to_owned(),
            request: ready.call.request.clone(),
            user: ready.who.user.clone(),
            sender: ready.who.sender.clone(),
            vouched: ready.who.vouched,
            claimed: ready.who.claimed.clone(),
            digest: answer.as_ref().map(|_| ready.digest.clone()),
            by: answer.as_ref().map(|a| a.by.clone()),
            id: ready.id.clone(),
            at_ms: 0,
            hmac: String::new(),
        };
        let result = match ready.call.command.is_some() || ready.call.tool == tools::mode::Tool::Cron {
            true => match worker::carry(self, job, ready.uid, gone).await {
                Ok(result) => result,
                // It did not come so far as to write it down itself.
                Err(no) => {
                    let (scene, id, by) = (&ready.scene, &ready.id, answer.as_ref().map(|a| a.by.as_str()));
                    let by = by.or(Some("policy"));
                    let _ = record::write(scene, Event::Denied, id, &ready.call, &ready.who, by, Some(&no));
                    no
                }
            },
            // Nothing is started for these: they are written down and handed on.
            false => {
                let scene = ready.scene.clone();
                let done = tokio::task::spawn_blocking(move || tools::engine::hand_on(&scene, job)).await;
                done.unwrap_or_else(|_| ToolResult::no(Code::Failed, "it broke off"))
            }
        };
        let result = result.left(Some(ready.left));
        if answer.is_some() { result.asked(&ready.id) } else { result }
    }
}

/// The question of a call as it is laid on the desk.
fn draft(scene: &Scene, judged: &Judged, id: &str, asker: Asker) -> Draft {
    let shown = |text: &str| Shown::text(text.as_bytes()).into_string();
    let timeout_ms = scene.settings.approval_timeout_s.saturating_mul(1000);
    let host = sys::time::hostname();
    let facts = Facts { host: &host, uid: asker.uid, user: None, timeout_ms, detached: false };
    let question = judged.question(facts);
    let (call, who) = (judged.call(), judged.who());
    let what = match &call.command {
        Some(command) => command.what.shown(),
        None => shown(&serde_json::Value::Object(call.args.clone()).to_string()),
    };
    let (command, cut) = summary(&Shown::text(format!("{}: {what}", call.tool.name()).as_bytes()));
    let visible = |text: &Option<String>| text.as_deref().map(shown);
    let tool = ToolCall {
        name: call.tool.name().to_owned(),
        user: shown(&who.user),
        channel: visible(&call.request.channel),
        message: visible(&call.request.message),
    };
    Draft {
        id: id.to_owned(),
        // Nobody's late yes is for a call: each is a question of its own.
        key: protocol::mac::sha256(id.as_bytes()),
        hook: None,
        agent: shown(&who.user),
        session: None,
        asker,
        face: Arc::new(Face {
            command,
            cut,
            cwd: question.cwd.as_deref().map(|d| Shown::text(d).into_string()),
            ground: question.ground.code.clone(),
            scopes: Vec::new(),
            tool: Some(tool),
        }),
        body: Arc::from(question.to_text()),
        timeout_ms,
        ticket_ttl_ms: 0,
    }
}

/// The answer to a question of a call, by an owner for whom a gateway vouches.
pub fn choice(approved: bool) -> Choice {
    if approved { Choice::AllowOnce } else { Choice::Deny }
}
