//! Locks that a process puts on itself before it becomes the command: files by Landlock (landlock(7)), system calls by
//! seccomp (seccomp(2), [`super::calls`]).
use std::io;
use std::path::PathBuf;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::{Locks, abi, filter_file, only_standard_descriptors};

/// What files may be used for.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Folders and files that may be read, listed and executed.
    pub read: Vec<PathBuf>,
    /// Folders in which everything may be done.
    pub write: Vec<PathBuf>,
    /// Devices that may be read and written.
    pub devices: Vec<PathBuf>,
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux {
    use std::os::fd::{AsRawFd, OwnedFd};

    use super::super::broker::{Broker, Door};
    use super::super::calls;
    use super::{Files, PathBuf, io};
    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
        RulesetAttr, RulesetCreatedAttr, Scope,
    };

    /// Version of Landlock in the kernel that runs; 0 for none.
    pub fn abi() -> i32 {
        // SAFETY: with this flag the call takes no structure and makes no descriptor (landlock_create_ruleset(2)).
        let n = unsafe {
            libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, 1_u32)
        };
        i32::try_from(n).unwrap_or(0).max(0)
    }

    /// Locks that are ready to be put on.
    #[derive(Debug)]
    pub struct Locks {
        files: OwnedFd,
        calls: calls::Alone,
        own: Vec<PathBuf>,
        door: Option<Door>,
    }

    impl Locks {
        /// Both locks: only these files, no network, no unix socket, none of the calls that no tool needs.
        ///
        /// # Errors
        /// The kernel has no Landlock, or one of the locks cannot be made.
        pub fn new(files: &Files) -> io::Result<Locks> {
            let fd = ruleset(files).map_err(|e| io::Error::other(e.to_string()))?;
            let fd = fd.ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
            Ok(Locks { files: fd, calls: calls::alone(abi())?, own: files.write.clone(), door: None })
        }

        /// Whoever does for the command what no lock can judge, in the folders that are its own. To be started once it runs.
        ///
        /// # Errors
        /// There can be none.
        pub fn broker(&mut self) -> io::Result<Broker> {
            let (broker, door) = Broker::new(&self.own)?;
            self.door = Some(door);
            Ok(broker)
        }

        /// Puts them on this process, for good.
        ///
        /// # Errors
        /// Those of the calls: the process must not go on.
        pub fn put_on(&self) -> io::Result<()> {
            nix::sys::prctl::set_no_new_privs()?;
            // SAFETY: takes a descriptor of a ruleset, which is ours and open, and flags.
            let n = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.files.as_raw_fd(), 0_u32) };
            if n != 0 {
                return Err(io::Error::last_os_error());
            }
            let asks = self.calls.put_on()?;
            self.door.as_ref().map_or(Ok(()), |door| door.hand_over(&asks))
        }
    }

    fn ruleset(files: &Files) -> Result<Option<OwnedFd>, landlock::RulesetError> {
        let newest = ABI::V6;
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(newest))?
            .handle_access(AccessNet::from_all(newest))?
            .scope(Scope::from_all(newest))?
            .create()?;
        let device: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::WriteFile;
        let all = [
            (&files.read, AccessFs::from_read(newest)),
            (&files.write, AccessFs::from_all(newest)),
            (&files.devices, device),
        ];
        for (paths, access) in all {
            for path in paths {
                // What is not there cannot be used either.
                if let Ok(fd) = PathFd::new(path) {
                    let access = if path.is_dir() { access } else { access & AccessFs::from_file(newest) };
                    rules = rules.add_rule(PathBeneath::new(fd, access))?;
                }
            }
        }
        Ok(rules.into())
    }

    /// The filter as a file, for a program that takes one by descriptor (bubblewrap's `--seccomp`). It is passed on to what
    /// is started, at that number.
    ///
    /// # Errors
    /// Those of making it.
    pub fn filter_file() -> io::Result<OwnedFd> {
        use std::io::Write;
        let program = calls::inside()?;
        let fd = nix::sys::memfd::memfd_create(c"filter", nix::sys::memfd::MFdFlags::empty())?;
        let mut file = std::fs::File::from(fd);
        for i in &program {
            // struct sock_filter, linux/filter.h: u16 code, u8 jt, u8 jf, u32 k, in the machine's order.
            file.write_all(&i.code.to_ne_bytes())?;
            file.write_all(&[i.jt, i.jf])?;
            file.write_all(&i.k.to_ne_bytes())?;
        }
        std::io::Seek::rewind(&mut file)?;
        Ok(file.into())
    }

    /// Closes, at the exec, every descriptor but the standard ones and these: close_range(2).
    ///
    /// # Errors
    /// Those of the calls.
    pub fn only_standard_descriptors(but: &[i32]) -> io::Result<()> {
        // SAFETY: takes three numbers; with this flag nothing is closed before the exec.
        let n = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
        for fd in but {
            // SAFETY: takes three numbers; a descriptor that is none is an error.
            if unsafe { libc::fcntl(*fd, libc::F_SETFD, 0) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        if n == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub use elsewhere::Locks;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod elsewhere {
    use super::{Files, io};

    /// There are none.
    #[derive(Debug)]
    pub struct Locks;

    impl Locks {
        /// There are none.
        ///
        /// # Errors
        /// Always.
        pub fn new(_: &Files) -> io::Result<Locks> {
            Err(io::ErrorKind::Unsupported.into())
        }

        /// There are none.
        ///
        /// # Errors
        /// Always.
        pub fn put_on(&self) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}
