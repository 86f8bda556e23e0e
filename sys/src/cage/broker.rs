//! Calls that give a file another mode, owner or time, done for a command by the process that watches it
//! (seccomp_unotify(2)).
//!
//! Landlock says nothing of them, and a filter cannot look at a path. So the kernel hands them here, and each is done if
//! the file lies in a folder that is the command's own; else it is refused. What is looked at is a hold on the file
//! itself (`O_PATH`), and what is done is done by that hold: a path or a link that changes meanwhile changes nothing. No
//! file comes into such a folder from outside, since Landlock lets nothing be linked or moved there.
//!
//! It works in a thread of its own, so that a file system that does not answer holds up that call, and not the end of
//! the command's time.
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg, sendmsg,
    socketpair,
};
use nix::sys::stat::{FchmodatFlags, Mode, UtimensatFlags, fchmodat, utimensat};
use nix::sys::time::TimeSpec;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::{Gid, Pid, Uid, fchownat};

/// include/uapi/asm-generic/unistd.h: the same number everywhere. Not every library has a name for it.
const FCHMODAT2: libc::c_long = 452;

/// The calls, of every machine that has them.
pub const CALLS: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
];

/// Longest path, bytes: PATH_MAX, limits.h.
const LONGEST: usize = 4096;
/// Memory is read in pieces that end where one of its pages does.
const PAGE: usize = 4096;

/// Where the child hands over what it was given by the kernel.
#[derive(Debug)]
pub struct Door(OwnedFd);

impl Door {
    /// Hands it over. For the child, before it becomes the command.
    ///
    /// # Errors
    /// Those of sendmsg(2).
    pub fn hand_over(&self, listener: &OwnedFd) -> io::Result<()> {
        let fds = [listener.as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&fds)];
        sendmsg::<()>(self.0.as_raw_fd(), &[IoSlice::new(b"!")], &rights, MsgFlags::MSG_NOSIGNAL, None)?;
        Ok(())
    }
}

/// Whoever does these calls, for files in its folders.
#[derive(Debug)]
pub struct Broker {
    door: OwnedFd,
    folders: Vec<PathBuf>,
}

impl Broker {
    /// One that is not at work yet, and the door for the child.
    ///
    /// # Errors
    /// Those of the calls; a folder that is not there.
    pub fn new(folders: &[PathBuf]) -> io::Result<(Broker, Door)> {
        let folders = folders.iter().map(std::fs::canonicalize).collect::<io::Result<_>>()?;
        let (ours, theirs) = socketpair(AddressFamily::Unix, SockType::Stream, None, SockFlag::SOCK_CLOEXEC)?;
        Ok((Broker { door: ours, folders }, Door(theirs)))
    }

    /// Goes to work, until the last process of the command is gone. The child has handed over before.
    ///
    /// # Errors
    /// It did not, or there is no thread to be had.
    pub fn start(self) -> io::Result<()> {
        let listener = self.taken()?;
        let work = move || while serve(&listener, &self.folders).is_ok() {};
        std::thread::Builder::new().name("broker".into()).spawn(work)?;
        Ok(())
    }

    fn taken(&self) -> io::Result<OwnedFd> {
        let mut byte = [0; 1];
        let mut space = nix::cmsg_space!(RawFd);
        let mut into = [IoSliceMut::new(&mut byte)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC | MsgFlags::MSG_DONTWAIT;
        let message = recvmsg::<()>(self.door.as_raw_fd(), &mut into, Some(&mut space), flags)?;
        for control in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(fds) = control
                && let Some(fd) = fds.first()
            {
                // SAFETY: the kernel made it for us with this message, and nobody else has it.
                return Ok(unsafe { OwnedFd::from_raw_fd(*fd) });
            }
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Waits for one call and answers it.
///
/// # Errors
/// Nobody is left who could call.
fn serve(listener: &OwnedFd, folders: &[PathBuf]) -> io::Result<()> {
    let mut entry = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
    match poll(&mut entry, PollTimeout::NONE) {
        Ok(_) => {}
        Err(Errno::EINTR) => return Ok(()),
        Err(e) => return Err(e.into()),
    }
    if !entry.iter().any(|e| e.revents().is_some_and(|r| r.contains(PollFlags::POLLIN))) {
        return Err(Errno::EPIPE.into());
    }
    // SAFETY: a structure of numbers, for which zero is a value; the kernel wants it empty.
    let mut asked: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: writes into a structure of ours, of the size that is in the request's number.
    let n = unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut asked) };
    if n != 0 {
        return match Errno::last() {
            // It was killed in between, or a signal came.
            Errno::ENOENT | Errno::EINTR => Ok(()),
            e => Err(e.into()),
        };
    }
    // The process may have ended, and its number be another's, before its memory was opened: then nothing is done.
    let still = || {
        // SAFETY: reads a number of ours.
        let n = unsafe {
            libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const asked.id)
        };
        if n == 0 { Ok(()) } else { Err(Errno::ESRCH) }
    };
    let done = Call::read(&asked).and_then(|call| {
        let file = call.file()?;
        still()?;
        call.carry_out(&file, folders)
    });
    let error = done.err().map_or(0, |e| -(e as i32));
    let answer = libc::seccomp_notif_resp { id: asked.id, val: 0, error, flags: 0 };
    // SAFETY: reads a structure of ours, of the size that is in the request's number. That nobody waits for it any more
    // is no error of ours.
    let _ = unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer) };
    Ok(())
}

/// What a file is to be given.
#[derive(Debug)]
enum Gift {
    Mode(Mode),
    Owner(Option<Uid>, Option<Gid>),
    Times([TimeSpec; 2]),
}

/// How a call names the file.
#[derive(Debug)]
enum Named {
    /// By a descriptor.
    Fd(RawFd),
    /// By a path, from that folder (`AT_FDCWD`: the working folder), with the flags of the call.
    Path(RawFd, Vec<u8>, AtFlags),
}

/// A call, its arguments read.
#[derive(Debug)]
struct Call {
    pid: i32,
    named: Named,
    gift: Gift,
}

impl Call {
    fn read(asked: &libc::seccomp_notif) -> Result<Call, Errno> {
        let pid = i32::try_from(asked.pid).ok().filter(|pid| *pid > 0).ok_or(Errno::EPERM)?;
        let [a, b, c, d, ..] = asked.data.args;
        let path = |folder: RawFd, at: u64, flags: AtFlags| Ok(Named::Path(folder, text(pid, at)?, flags));
        #[cfg(target_arch = "x86_64")]
        let here = libc::AT_FDCWD;
        let follow = AtFlags::empty();
        let (named, gift) = match libc::c_long::from(asked.data.nr) {
            #[cfg(target_arch = "x86_64")]
            libc::SYS_chmod => (path(here, a, follow)?, mode(b)),
            libc::SYS_fchmod => (Named::Fd(int(a)), mode(b)),
            libc::SYS_fchmodat => (path(int(a), b, follow)?, mode(c)),
            FCHMODAT2 => (path(int(a), b, flags(d)?)?, mode(c)),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_chown => (path(here, a, follow)?, owner(b, c)),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_lchown => (path(here, a, AtFlags::AT_SYMLINK_NOFOLLOW)?, owner(b, c)),
            libc::SYS_fchown => (Named::Fd(int(a)), owner(b, c)),
            libc::SYS_fchownat => {
                let [.., last, _] = asked.data.args;
                (path(int(a), b, flags(last)?)?, owner(c, d))
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_utime => (path(here, a, follow)?, times(pid, b, Clock::Seconds)?),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_utimes => (path(here, a, follow)?, times(pid, b, Clock::Micro)?),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_futimesat if b == 0 => (Named::Fd(int(a)), times(pid, c, Clock::Micro)?),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_futimesat => (path(int(a), b, follow)?, times(pid, c, Clock::Micro)?),
            libc::SYS_utimensat if b == 0 => (Named::Fd(int(a)), times(pid, c, Clock::Nano)?),
            libc::SYS_utimensat => (path(int(a), b, flags(d)?)?, times(pid, c, Clock::Nano)?),
            _ => return Err(Errno::ENOSYS),
        };
        Ok(Call { pid, named, gift })
    }

    /// A hold on the file it names.
    fn file(&self) -> Result<OwnedFd, Errno> {
        let process = format!("/proc/{}", self.pid);
        // Whoever gave rights away is not given them back by us.
        let theirs = std::fs::metadata(&process).map_err(|_| Errno::ESRCH)?;
        if theirs.uid() != nix::unistd::geteuid().as_raw() {
            return Err(Errno::EPERM);
        }
        let hold = OFlag::O_PATH | OFlag::O_CLOEXEC;
        let fd = |n: RawFd| -> Result<OwnedFd, Errno> {
            let link = format!("{process}/fd/{n}");
            openat(AT_FDCWD, link.as_str(), hold, Mode::empty()).map_err(|e| match e {
                Errno::ENOENT => Errno::EBADF,
                e => e,
            })
        };
        let (folder, path, flags) = match &self.named {
            Named::Fd(n) => return fd(*n),
            Named::Path(folder, path, flags) => (*folder, path, flags),
        };
        let last = match flags.contains(AtFlags::AT_SYMLINK_NOFOLLOW) {
            true => hold | OFlag::O_NOFOLLOW,
            false => hold,
        };
        // What they call themselves is not what we are.
        let own = [&b"/proc/self/"[..], b"/proc/thread-self/"].iter().find_map(|p| path.strip_prefix(*p));
        let path = match own {
            Some(rest) => [process.as_bytes(), b"/", rest].concat(),
            None => path.clone(),
        };
        if path.first() == Some(&b'/') {
            return openat(AT_FDCWD, path.as_slice(), last, Mode::empty());
        }
        let base = match folder {
            libc::AT_FDCWD => openat(AT_FDCWD, format!("{process}/cwd").as_str(), hold, Mode::empty())?,
            n => fd(n)?,
        };
        match (path.is_empty(), flags.contains(AtFlags::AT_EMPTY_PATH)) {
            (true, true) => Ok(base),
            (true, false) => Err(Errno::ENOENT),
            (false, _) => openat(&base, path.as_slice(), last, Mode::empty()),
        }
    }

    /// Does it by that hold, if it may be.
    fn carry_out(&self, file: &OwnedFd, folders: &[PathBuf]) -> Result<(), Errno> {
        let by = format!("/proc/self/fd/{}", file.as_raw_fd());
        let lies = std::fs::read_link(&by).map_err(|_| Errno::EPERM)?;
        // The folder itself stays as it is: what lies in it may be anybody's to run but for its mode.
        if !folders.iter().any(|f| lies.starts_with(f) && lies != *f) {
            return Err(Errno::EPERM);
        }
        let by = Path::new(&by);
        match &self.gift {
            Gift::Mode(mode) => fchmodat(AT_FDCWD, by, *mode, FchmodatFlags::FollowSymlink),
            Gift::Owner(uid, gid) => fchownat(file, "", *uid, *gid, AtFlags::AT_EMPTY_PATH),
            Gift::Times([accessed, changed]) => {
                utimensat(AT_FDCWD, by, accessed, changed, UtimensatFlags::FollowSymlink)
            }
        }
    }
}

/// An argument of type `int`.
#[expect(clippy::cast_possible_truncation, reason = "the kernel looks at no more of it")]
fn int(argument: u64) -> i32 {
    argument as i32
}

#[expect(clippy::cast_possible_truncation, reason = "the kernel looks at no more of it")]
fn mode(argument: u64) -> Gift {
    Gift::Mode(Mode::from_bits_truncate(argument as libc::mode_t))
}

/// An id of all ones stays as it is.
#[expect(clippy::cast_possible_truncation, reason = "the kernel looks at no more of it")]
fn owner(uid: u64, gid: u64) -> Gift {
    let given = |id: u64| Some(id as u32).filter(|id| *id != u32::MAX);
    Gift::Owner(given(uid).map(Uid::from_raw), given(gid).map(Gid::from_raw))
}

fn flags(argument: u64) -> Result<AtFlags, Errno> {
    let known = AtFlags::AT_SYMLINK_NOFOLLOW | AtFlags::AT_EMPTY_PATH;
    AtFlags::from_bits(int(argument)).filter(|f| known.contains(*f)).ok_or(Errno::EINVAL)
}

/// In what a call tells parts of a second.
#[derive(Clone, Copy)]
enum Clock {
    #[cfg(target_arch = "x86_64")]
    Seconds,
    #[cfg(target_arch = "x86_64")]
    Micro,
    Nano,
}

/// Two times that lie there; without any, now.
fn times(pid: i32, at: u64, clock: Clock) -> Result<Gift, Errno> {
    let now = TimeSpec::new(0, libc::UTIME_NOW);
    if at == 0 {
        return Ok(Gift::Times([now, now]));
    }
    let mut bytes = [0; 32];
    let length = match clock {
        #[cfg(target_arch = "x86_64")]
        Clock::Seconds => 16,
        _ => 32,
    };
    let into = bytes.get_mut(..length).ok_or(Errno::EFAULT)?;
    if memory(pid, at, into)? < length {
        return Err(Errno::EFAULT);
    }
    let mut numbers = bytes.chunks_exact(8).map(|b| i64::from_ne_bytes(b.try_into().unwrap_or_default()));
    let mut next = || numbers.next().unwrap_or_default();
    let mut time = || match clock {
        #[cfg(target_arch = "x86_64")]
        Clock::Seconds => Ok(TimeSpec::new(next(), 0)),
        #[cfg(target_arch = "x86_64")]
        Clock::Micro => {
            let (seconds, micro) = (next(), next());
            let good = (0..1_000_000).contains(&micro);
            if good { Ok(TimeSpec::new(seconds, micro * 1000)) } else { Err(Errno::EINVAL) }
        }
        Clock::Nano => Ok(TimeSpec::new(next(), next())),
    };
    Ok(Gift::Times([time()?, time()?]))
}

/// As many bytes of a process's memory as can be read there.
fn memory(pid: i32, at: u64, into: &mut [u8]) -> Result<usize, Errno> {
    let base = usize::try_from(at).map_err(|_| Errno::EFAULT)?;
    let remote = [RemoteIoVec { base, len: into.len() }];
    process_vm_readv(Pid::from_raw(pid), &mut [IoSliceMut::new(into)], &remote)
}

/// The text that ends with a zero there.
fn text(pid: i32, at: u64) -> Result<Vec<u8>, Errno> {
    let mut out = Vec::new();
    let mut at = at;
    while out.len() < LONGEST {
        let page = PAGE as u64;
        let left = usize::try_from(page - at % page).map_err(|_| Errno::EFAULT)?;
        let mut piece = vec![0; left.min(LONGEST - out.len())];
        let n = memory(pid, at, &mut piece)?;
        let piece = piece.get(..n).filter(|p| !p.is_empty()).ok_or(Errno::EFAULT)?;
        if let Some(end) = piece.iter().position(|b| *b == 0) {
            out.extend_from_slice(piece.get(..end).unwrap_or_default());
            return Ok(out);
        }
        out.extend_from_slice(piece);
        at = at.checked_add(n as u64).ok_or(Errno::EFAULT)?;
    }
    Err(Errno::ENAMETOOLONG)
}
