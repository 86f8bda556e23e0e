//! Who may ask and who may answer, by what the kernel says of a process and not by what it says of itself.
//!
//! Under one user id this is a hurdle and no wall: a process can leave its session, its parent and its environment
//! behind. It keeps an agent from answering its own question by the means at hand; docs/threat-model.md says what does
//! more.
use policy::tables::marks::Marks;
use protocol::code::Code;
use sys::proc::{Process, above, process};

use crate::desk::Asker;

/// The facts of a process that asks.
pub fn asker(uid: u32, pid: Option<i32>) -> Asker {
    Asker { uid, pid, session: pid.and_then(process).map(|p| p.session) }
}

/// Whoever answers.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Who, for the journal and for whoever asked.
    pub by: String,
    /// The process; `None` for a person in a browser, whom an entry link let in.
    pub process: Option<Process>,
}

impl Operator {
    /// A process on the operator's socket, if it may speak there at all.
    ///
    /// # Errors
    /// [`Code::Peer`]: another user, or it cannot be looked at. [`Code::Confined`]: it is traced, so that another could
    /// speak through it, or has given up privileges, as those do that are run under confinement. [`Code::Marked`]: it,
    /// or a process above it up to its session's leader, bears an agent's mark.
    pub fn of(uid: u32, pid: Option<i32>, marks: &Marks) -> Result<Operator, Code> {
        if uid != sys::ids::uid() && uid != 0 {
            return Err(Code::Peer);
        }
        let Some(it) = pid.and_then(process) else { return Err(Code::Peer) };
        match it.held() {
            None => return Err(Code::Peer),
            Some(held) if held.traced || held.no_new_privs => return Err(Code::Confined),
            Some(_) => {}
        }
        // Its own environment has to be readable, that of those above it may be another user's.
        let environ = it.environ().ok_or(Code::Peer)?;
        if bears(marks, &it, Some(environ)) || session(&it).any(|p| bears(marks, &p, p.environ())) {
            return Err(Code::Marked);
        }
        Ok(Operator { by: format!("uid {uid} by cli"), process: Some(it) })
    }

    /// A user for whom a gateway vouches. Whether that one may answer is for the caller to look at.
    pub fn gateway(user: &str) -> Operator {
        Operator { by: format!("{user} by gateway"), process: None }
    }

    /// A person in a browser.
    pub fn panel() -> Operator {
        Operator { by: "panel".into(), process: None }
    }

    /// Refuses an answer to one's own question.
    ///
    /// # Errors
    /// [`Code::OwnQuestion`]: it is the process that asked, stands below it, or shares its session; or a process above
    /// it does, so that a session of its own is no way around.
    pub fn may_answer(&self, asker: &Asker) -> Result<(), Code> {
        let Some(it) = &self.process else { return Ok(()) };
        let own = |p: &Process| Some(p.pid) == asker.pid || Some(p.session) == asker.session;
        if own(it) || above(it).any(|p| own(&p)) { Err(Code::OwnQuestion) } else { Ok(()) }
    }
}

/// The processes above one, up to and with the leader of its session.
fn session(of: &Process) -> impl Iterator<Item = Process> {
    let sid = of.session;
    let mut done = of.pid == sid;
    above(of).take_while(move |p| {
        let inside = !done && p.session == sid;
        done |= p.pid == sid;
        inside
    })
}

fn bears(marks: &Marks, p: &Process, environ: Option<Vec<Vec<u8>>>) -> bool {
    let environ = environ.unwrap_or_default();
    !marks.of_environment(environ.iter().map(Vec::as_slice)).is_empty()
        || marks.of_program(&p.comm, || p.argv()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn me() -> Process {
        process(sys::ids::pid()).unwrap()
    }

    fn operator(process: Process) -> Operator {
        Operator { by: "t".into(), process: Some(process) }
    }

    #[test]
    fn nobody_answers_their_own_question() {
        let me = me();
        let parent = process(me.parent).unwrap();
        let asker = |pid: i32, session: i32| Asker { uid: 1, pid: Some(pid), session: Some(session) };
        let o = operator(me.clone());
        for (asked, own) in [
            (asker(me.pid, -7), true),
            (asker(parent.pid, -7), true),
            (asker(-7, me.session), true),
            (asker(-7, -7), false),
            (Asker { uid: 1, pid: None, session: None }, false),
        ] {
            assert_eq!(o.may_answer(&asked).is_err(), own, "{asked:?}");
        }
        // A new session does not help below somebody who is in the old one.
        let elsewhere = operator(Process { session: -9, ..me.clone() });
        assert!(elsewhere.may_answer(&asker(-7, parent.session)).is_err());
        assert!(Operator::panel().may_answer(&asker(me.pid, me.session)).is_ok());
    }

    #[test]
    fn other_users_and_the_unknown_may_not_answer() {
        let marks = Marks::default();
        let mine = Some(sys::ids::pid());
        assert_eq!(Operator::of(sys::ids::uid() + 1, mine, &marks).unwrap_err(), Code::Peer);
        assert_eq!(Operator::of(sys::ids::uid(), None, &marks).unwrap_err(), Code::Peer);
        assert_eq!(Operator::of(sys::ids::uid(), Some(i32::MAX), &marks).unwrap_err(), Code::Peer);
    }

    #[test]
    fn a_mark_is_seen_in_the_environment_and_in_the_name() {
        let plain = Process { comm: b"x".to_vec(), ..me() };
        let marks = Marks::with(&[("MY_BOT".into(), "bot".into())], &[("mybot".into(), "bot".into())]);
        let env = |e: &str| Some(vec![e.as_bytes().to_vec()]);
        assert!(!bears(&marks, &plain, env("PATH=/bin")));
        assert!(bears(&marks, &plain, env("MY_BOT=1")));
        assert!(bears(&marks, &plain, env("CLAUDECODE=1")));
        assert!(bears(&marks, &Process { comm: b"mybot".to_vec(), ..plain.clone() }, None));
        assert!(!bears(&marks, &plain, None));
    }
}
