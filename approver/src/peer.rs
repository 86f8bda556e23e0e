//! Who may ask and who may answer, by what the kernel says of a process and not by what it says of itself.
//!
//! Under one user id this is a hurdle and no wall: a process can leave its session, its parent and its environment
//! behind. It keeps an agent from answering its own question by the means at hand; docs/threat-model.md says what does
//! more.
use std::collections::HashSet;

use policy::tables::marks::Marks;
use protocol::code::Code;
use sys::proc::{Process, above, process};

use crate::desk::Asker;

/// The facts of a process that asks.
pub fn asker(uid: u32, pid: Option<i32>) -> Asker {
    let it = pid.and_then(process);
    let root = it.as_ref().and_then(|it| Work::of(it).root());
    Asker { uid, pid, session: it.map(|p| p.session), root }
}

/// The facts of the process that holds the socket with that number, by which a connection of this machine can be told.
/// `None` if there is none to be seen, or there are several that do not belong together: who asks is not known then.
pub fn holder(uid: u32, inode: u64) -> Option<Asker> {
    let pids = sys::proc::holders(uid, inode)?;
    let mut all: Vec<(u64, Asker)> = Vec::new();
    for pid in pids {
        let Some(it) = process(pid) else { continue };
        let facts = asker(uid, Some(pid));
        // It is looked at once more: what was read under its number was its own.
        if sys::proc::holds(pid, inode) && process(pid).is_some_and(|now| now.started == it.started) {
            all.push((it.started, facts));
        }
    }
    all.sort_by_key(|(started, asker)| (*started, asker.pid));
    let (_, first) = *all.first()?;
    // A shell and what it has started, for one.
    let root = all.iter().find_map(|(_, asker)| asker.root);
    let one = |asker: &Asker| asker.session == first.session && (asker.root.is_none() || asker.root == root);
    all.iter().all(|(_, asker)| one(asker)).then_some(Asker { root, ..first })
}

/// Whoever answers.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Who, for the journal and for whoever asked.
    pub by: String,
    /// The process; `None` for a person in a browser, whom an entry link let in.
    pub process: Option<Process>,
    /// Of a person in a browser: the work that whoever fetched the link belonged to.
    pub fetched: Work,
}

/// The processes that do one piece of work together: one and those above it, but not the shell at a terminal that they
/// were started from, nor what manages sessions and services, below which everything stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work(Vec<(i32, u64)>);

impl Work {
    /// That of a process.
    pub fn of(of: &Process) -> Work {
        let manages = |p: &Process| p.pid == 1 || p.comm == b"systemd";
        let starts = |p: &Process| p.pid == p.session && p.terminal;
        let all = std::iter::once(of.clone()).chain(above(of));
        Work(all.take_while(|p| !manages(p) && !starts(p)).map(|p| (p.pid, p.started)).collect())
    }

    /// The uppermost of them: pieces of work that share a process share that.
    fn root(&self) -> Option<(i32, u64)> {
        self.0.last().copied()
    }

    fn shares(&self, other: &Work) -> bool {
        self.0.iter().any(|p| other.0.contains(p))
    }
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
        Ok(Operator { by: format!("uid {uid} by cli"), process: Some(it), fetched: Work::default() })
    }

    /// A user for whom a gateway vouches. Whether that one may answer is for the caller to look at.
    pub fn gateway(user: &str) -> Operator {
        Operator { by: format!("{user} by gateway"), process: None, fetched: Work::default() }
    }

    /// A person in a browser, whose link was fetched by that work.
    pub fn panel(fetched: Work) -> Operator {
        Operator { by: "panel".into(), process: None, fetched }
    }

    /// Refuses an answer to one's own question.
    ///
    /// # Errors
    /// [`Code::OwnQuestion`]: it is the process that asked, stands below it, or shares its session; or a process above
    /// it does, so that a session of its own is no way around. In a browser: the link was fetched by a process that
    /// does one piece of work with it.
    pub fn may_answer(&self, asker: &Asker) -> Result<(), Code> {
        let Some(it) = &self.process else {
            let asks = if self.fetched.0.is_empty() { None } else { asker.pid.and_then(process) };
            let own = asks.is_some_and(|asks| self.fetched.shares(&Work::of(&asks)))
                // It may be gone by now.
                || asker.root.is_some() && self.fetched.root() == asker.root;
            return if own { Err(Code::OwnQuestion) } else { Ok(()) };
        };
        let own = owns(it, asker) || above(it).any(|p| owns(&p, asker));
        if own { Err(Code::OwnQuestion) } else { Ok(()) }
    }

    /// Those of these that are its own by [the same rule](Operator::may_answer) as far as processes go.
    pub fn own<'a>(&self, askers: &'a HashSet<Asker>) -> HashSet<&'a Asker> {
        let Some(it) = &self.process else { return HashSet::new() };
        let chain: Vec<Process> = std::iter::once(it.clone()).chain(above(it)).collect();
        askers.iter().filter(|asker| chain.iter().any(|p| owns(p, asker))).collect()
    }
}

fn owns(p: &Process, asker: &Asker) -> bool {
    Some(p.pid) == asker.pid || Some(p.session) == asker.session
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
        Operator { by: "t".into(), process: Some(process), fetched: Work::default() }
    }

    #[test]
    fn nobody_answers_their_own_question() {
        let me = me();
        let parent = process(me.parent).unwrap();
        let asker =
            |pid: i32, session: i32| Asker { uid: 1, pid: Some(pid), session: Some(session), root: None };
        let o = operator(me.clone());
        for (asked, own) in [
            (asker(me.pid, -7), true),
            (asker(parent.pid, -7), true),
            (asker(-7, me.session), true),
            (asker(-7, -7), false),
            (Asker { uid: 1, pid: None, session: None, root: None }, false),
        ] {
            assert_eq!(o.may_answer(&asked).is_err(), own, "{asked:?}");
        }
        // A new session does not help below somebody who is in the old one.
        let elsewhere = operator(Process { session: -9, ..me.clone() });
        assert!(elsewhere.may_answer(&asker(-7, parent.session)).is_err());
        assert!(Operator::panel(Work::default()).may_answer(&asker(me.pid, me.session)).is_ok());
    }

    #[test]
    fn a_link_is_no_way_to_ones_own_question() {
        let asker = |pid: i32| Asker { uid: 1, pid: Some(pid), session: None, root: None };
        let mut child = std::process::Command::new("/bin/sleep").arg("600").spawn().unwrap();
        let below = i32::try_from(child.id()).unwrap();
        // What we start asks over a link that we fetched, and the other way round.
        let ours = Operator::panel(Work::of(&me()));
        let its = Operator::panel(Work::of(&process(below).unwrap()));
        let answers = [ours.may_answer(&asker(below)), its.may_answer(&asker(sys::ids::pid()))];
        // One that has asked and is gone is known by where it stood; another's is not taken for it.
        let gone = |pid| Asker { pid: None, session: None, ..super::asker(1, Some(pid)) };
        let gone = [ours.may_answer(&gone(below)), its.may_answer(&gone(below))];
        let elsewhere = Asker { root: Some((i32::MAX, 1)), ..asker(i32::MAX) };
        let elsewhere = ours.may_answer(&elsewhere);
        // Who is gone, or cannot be seen, is nobody's.
        let strangers = [ours.may_answer(&asker(i32::MAX)), ours.may_answer(&asker(1))];
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(answers, [Err(Code::OwnQuestion); 2]);
        assert_eq!(strangers, [Ok(()); 2]);
        assert_eq!((gone, elsewhere), ([Err(Code::OwnQuestion); 2], Ok(())));
    }

    #[test]
    fn a_connection_is_known_by_who_holds_it() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let ours = std::net::TcpStream::connect(here).unwrap();
        let (accepted, theirs) = listener.accept().unwrap();
        let end = sys::socket::tcp_end(theirs, accepted.local_addr().unwrap()).unwrap();
        let me = me();
        let found = holder(end.uid, end.inode).unwrap();
        assert_eq!((found.pid, found.session), (Some(me.pid), Some(me.session)));
        assert_eq!(found.root, asker(end.uid, Some(me.pid)).root);
        // Also by another's hand: one of its session is the same work, one that has left it is nobody's.
        let held = |program: &str, args: &[&str]| {
            let stdin = std::process::Stdio::from(std::os::fd::OwnedFd::from(ours.try_clone().unwrap()));
            let mut child = std::process::Command::new(program).args(args).stdin(stdin).spawn().unwrap();
            let pid = i32::try_from(child.id()).unwrap();
            let begun = std::time::Instant::now();
            let sleeps = |p: Process| p.comm == b"sleep";
            while !process(pid).is_some_and(sleeps) && begun.elapsed().as_secs() < 60 {
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            let found = holder(end.uid, end.inode);
            child.kill().unwrap();
            child.wait().unwrap();
            found
        };
        assert_eq!(held("/bin/sleep", &["600"]).unwrap().pid, Some(me.pid));
        assert_eq!(held("setsid", &["/bin/sleep", "600"]), None);
        drop(ours);
        assert_eq!(holder(end.uid, end.inode), None);
    }

    #[test]
    fn the_shell_at_a_terminal_is_nobodys_work() {
        let p = |terminal: bool, comm: &[u8]| {
            let me = me();
            Process { session: me.pid, terminal, comm: comm.to_vec(), ..me }
        };
        assert_eq!(Work::of(&p(true, b"bash")), Work::default());
        assert_eq!(Work::of(&p(false, b"systemd")), Work::default());
        assert!(!Work::of(&p(false, b"agent")).0.is_empty());
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
