//! Filters of system calls (seccomp(2)): what a command in a sandbox may not ask of the kernel.
//!
//! Two of them: one for a command that has namespaces of its own around it ([`inside`]), and a stricter one for a command
//! that shares them with everybody ([`alone`]). A call is refused with EPERM, as a kernel does that does not allow it, or
//! answered as by a kernel that does not know it, where programs then do without.
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use nix::errno::Errno;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use super::broker;

/// Calls that no tool needs: other processes, other file systems, the kernel itself.
const NEVER: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_kexec_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_syslog,
];

/// What reaches others where nothing is the command's own: memory and messages that stay (svipc(7), mq_overview(7)), watches
/// on what others do (inotify(7), fanotify(7)).
const SHARED: &[libc::c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
];

/// Calls about another process when their first argument is not 0, which is the caller.
const OF_A_PROCESS: &[libc::c_long] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Extended attributes (xattr(7)): a file system without them says this, and programs do without.
const ATTRIBUTES: &[libc::c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_fgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_flistxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    GETXATTRAT,
    LISTXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

// include/uapi/asm-generic/unistd.h: the same number everywhere. The library has no names for them yet.
const SETXATTRAT: libc::c_long = 463;
const GETXATTRAT: libc::c_long = 464;
const LISTXATTRAT: libc::c_long = 465;
const REMOVEXATTRAT: libc::c_long = 466;
const OPEN_TREE_ATTR: libc::c_long = 467;
const FILE_SETATTR: libc::c_long = 469;

/// Requests of ioctl(2) that change what a file is like with no more than a right to read it: include/uapi/linux/fs.h and
/// fscrypt.h.
const OF_A_FILE: &[u32] = &[
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x4008_7602, // FS_IOC_SETVERSION
    0x4004_7602, // FS_IOC32_SETVERSION
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
    0x4080_6685, // FS_IOC_ENABLE_VERITY
];

/// Requests of ioctl(2) by which a terminal is given what nobody typed.
const OF_A_TERMINAL: &[u32] = &[
    0x5412, // TIOCSTI
    0x541c, // TIOCLINUX
];

/// Requests of fcntl(2) that hold up or tell of what others do with a file.
const OF_OTHERS: &[libc::c_int] = &[libc::F_SETLEASE, libc::F_NOTIFY];

/// Families of sockets that end at the borders of a network namespace. Others lead out of it: a unix socket lies in a
/// folder that may be read (network_namespaces(7)), vsock(7) speaks to the machine underneath.
const OWN_NETWORK: &[libc::c_int] = &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Kinds of unix sockets that send to a path, whatever they are connected to: unix(7). The kernel makes the first of the
/// second.
const SENDS_ANYWHERE: &[libc::c_int] = &[libc::SOCK_DGRAM, libc::SOCK_RAW];
/// Of the kind of a socket, what is no flag: SOCK_TYPE_MASK.
const KIND: u64 = 0xf;

/// Namespaces that a clone could have of its own, and more rights in them than it should.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

fn other(e: impl ToString) -> io::Error {
    io::Error::other(e.to_string())
}

/// An argument of a call, by its place, as 32 bits: what the kernel looks at of a number of type `int`.
fn argument(at: u8, op: SeccompCmpOp, value: u64) -> io::Result<SeccompCondition> {
    SeccompCondition::new(at, SeccompCmpArgLen::Dword, op, value).map_err(other)
}

fn when(conditions: Vec<SeccompCondition>) -> io::Result<SeccompRule> {
    SeccompRule::new(conditions).map_err(other)
}

fn number(n: impl TryInto<u64>) -> io::Result<u64> {
    n.try_into().map_err(|_| other("a negative number"))
}

/// Calls that are refused, each with the arguments for which it is; without any it always is.
#[derive(Default)]
struct Refused(BTreeMap<i64, Vec<SeccompRule>>);

impl Refused {
    fn always(&mut self, calls: &[libc::c_long]) {
        for call in calls {
            self.0.insert(*call, Vec::new());
        }
    }

    fn when(&mut self, call: libc::c_long, conditions: Vec<SeccompCondition>) -> io::Result<()> {
        self.0.entry(call).or_default().push(when(conditions)?);
        Ok(())
    }

    /// What is refused wherever a command runs. Of sockets only those of these families can be made.
    fn everywhere(families: &[libc::c_int]) -> io::Result<Refused> {
        use SeccompCmpOp::{Eq, MaskedEq, Ne};
        let mut refused = Refused::default();
        refused.always(NEVER);
        if families.is_empty() {
            refused.always(&[libc::SYS_socket]);
        } else {
            let none = families.iter().map(|f| argument(0, Ne, number(*f)?)).collect::<io::Result<_>>()?;
            refused.when(libc::SYS_socket, none)?;
        }
        // A pair reaches nobody else, if it is not of those that can send to a path.
        refused.when(libc::SYS_socketpair, vec![argument(0, Ne, number(libc::AF_UNIX)?)?])?;
        for kind in SENDS_ANYWHERE {
            refused.when(libc::SYS_socketpair, vec![argument(1, MaskedEq(KIND), number(*kind)?)?])?;
        }
        for flag in NAMESPACES {
            let flag = number(*flag)?;
            refused.when(libc::SYS_clone, vec![argument(0, MaskedEq(flag), flag)?])?;
        }
        for request in OF_A_TERMINAL {
            refused.when(libc::SYS_ioctl, vec![argument(1, Eq, (*request).into())?])?;
        }
        Ok(refused)
    }

    /// What is refused besides to a command that shares all namespaces. `landlock` is the version of it in the kernel.
    fn also_alone(&mut self, landlock: i32) -> io::Result<()> {
        use SeccompCmpOp::{Eq, MaskedEq, Ne};
        self.always(SHARED);
        for call in OF_A_PROCESS {
            self.when(*call, vec![argument(0, Ne, 0)?])?;
        }
        // setpriority(2), ioprio_set(2): of somebody else, or of all processes of the user's.
        for (call, everybody) in [(libc::SYS_setpriority, PRIO_USER), (libc::SYS_ioprio_set, IOPRIO_WHO_USER)]
        {
            self.when(call, vec![argument(1, Ne, 0)?])?;
            self.when(call, vec![argument(0, Eq, everybody)?])?;
        }
        for request in OF_A_FILE {
            self.when(libc::SYS_ioctl, vec![argument(1, Eq, (*request).into())?])?;
        }
        for request in OF_OTHERS {
            self.when(libc::SYS_fcntl, vec![argument(1, Eq, number(*request)?)?])?;
        }
        // Landlock before its third version says nothing of this: open(2) cuts a file that is opened to be read.
        let mask = number(libc::O_TRUNC | libc::O_ACCMODE)?;
        let cut = number(libc::O_TRUNC)?;
        self.when(libc::SYS_openat, vec![argument(2, MaskedEq(mask), cut)?])?;
        #[cfg(target_arch = "x86_64")]
        self.when(libc::SYS_open, vec![argument(1, MaskedEq(mask), cut)?])?;
        if landlock < 3 {
            self.always(&[libc::SYS_truncate]);
        }
        Ok(())
    }

    fn program(self) -> io::Result<BpfProgram> {
        let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(other)?;
        let no = SeccompAction::Errno(Errno::EPERM as u32);
        let filter = SeccompFilter::new(self.0, SeccompAction::Allow, no, arch).map_err(other)?;
        filter.try_into().map_err(|e: seccompiler::BackendError| other(e))
    }
}

/// include/uapi/linux/resource.h
const PRIO_USER: u64 = 2;
/// include/uapi/linux/ioprio.h
const IOPRIO_WHO_USER: u64 = 3;

/// What the library has no words for: answers that differ from call to call. `struct seccomp_data`, linux/seccomp.h,
/// begins with the call's number.
struct Answers(BpfProgram);

impl Answers {
    fn new() -> Answers {
        // Loads it.
        let mut answers = Answers(vec![sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 }]);
        // A second set of numbers for the same calls, which no filter of one set knows: x32 of syscall(2).
        if cfg!(target_arch = "x86_64") {
            answers.0.push(sock_filter { code: 0x35, jt: 0, jf: 1, k: 0x4000_0000 });
            answers.ret(libc::SECCOMP_RET_ERRNO | Errno::EPERM as u32);
        }
        // What it asks for lies in memory, where no filter looks. Programs go on with clone(2) then.
        answers.call(libc::SYS_clone3, Errno::ENOSYS);
        answers
    }

    fn ret(&mut self, k: u32) {
        self.0.push(sock_filter { code: 0x06, jt: 0, jf: 0, k });
    }

    fn when(&mut self, call: libc::c_long, action: u32) {
        if let Ok(k) = u32::try_from(call) {
            self.0.push(sock_filter { code: 0x15, jt: 0, jf: 1, k });
            self.ret(action);
        }
    }

    fn call(&mut self, call: libc::c_long, errno: Errno) {
        self.when(call, libc::SECCOMP_RET_ERRNO | errno as u32);
    }
}

/// The filter of a command with namespaces of its own.
///
/// # Errors
/// There is none for this machine.
pub fn inside() -> io::Result<BpfProgram> {
    let mut program = Answers::new().0;
    program.extend(Refused::everywhere(OWN_NETWORK)?.program()?);
    Ok(program)
}

/// The filters of a command that shares all namespaces, ready to be put on.
#[derive(Debug)]
pub struct Alone {
    refused: BpfProgram,
    answers: BpfProgram,
}

/// They let no socket be made. `landlock` is the version of it in the kernel.
///
/// # Errors
/// There are none for this machine.
pub fn alone(landlock: i32) -> io::Result<Alone> {
    let mut refused = Refused::everywhere(&[])?;
    refused.also_alone(landlock)?;
    let mut answers = Answers::new();
    for call in ATTRIBUTES {
        answers.call(*call, Errno::EOPNOTSUPP);
    }
    if landlock < 3 {
        // What it asks for lies in memory; open(2) is looked at.
        answers.call(libc::SYS_openat2, Errno::ENOSYS);
    }
    for call in broker::CALLS {
        answers.when(*call, libc::SECCOMP_RET_USER_NOTIF);
    }
    answers.ret(libc::SECCOMP_RET_ALLOW);
    Ok(Alone { refused: refused.program()?, answers: answers.0 })
}

impl Alone {
    /// Puts them on this process, for good. What comes back tells of the calls that somebody else has to do
    /// ([`broker`]); without anybody they fail.
    ///
    /// # Errors
    /// Those of seccomp(2): the process must not go on.
    pub fn put_on(&self) -> io::Result<OwnedFd> {
        seccompiler::apply_filter(&self.refused).map_err(|_| io::Error::last_os_error())?;
        let program = libc::sock_fprog {
            len: u16::try_from(self.answers.len()).map_err(other)?,
            filter: self.answers.as_ptr().cast_mut().cast(),
        };
        // SAFETY: takes a pointer to that many instructions, which live until it returns and are only read; the
        // library's instruction is the kernel's (`repr(C)`).
        let fd = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
                &raw const program,
            )
        };
        match RawFd::try_from(fd) {
            // SAFETY: the call made it, and nobody else has it.
            Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
