//! A control group of the command's own, where we may make one (cgroups(7)): it counts processes and memory, and finds
//! every process of the command wherever that has gone.
//!
//! Best effort: an ordinary user has none unless it was delegated.
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Where groups may be made: version 2, then the controllers of version 1.
const BASES: &[&str] = &["/sys/fs/cgroup", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/memory"];

/// The groups; removed when dropped.
#[derive(Debug)]
pub struct Fence(Vec<PathBuf>);

impl Fence {
    /// Groups that limit processes and memory; `None` where there can be none.
    pub fn new(processes: Option<u64>, memory: Option<u64>) -> Option<Fence> {
        let limits = [("pids.max", processes), ("memory.max", memory), ("memory.limit_in_bytes", memory)];
        let mut fence = Fence(Vec::new());
        for base in BASES {
            // In a folder that is no control group a file would be made.
            if !Path::new(base).join("cgroup.procs").exists() {
                continue;
            }
            let folder = Path::new(base).join(format!("exec-guard-{:032x}", crate::edit::unique()));
            if fs::create_dir(&folder).is_err() {
                continue;
            }
            let set = |(name, value): &(&str, Option<u64>)| {
                let path = folder.join(name);
                value.is_some_and(|v| path.exists() && fs::write(&path, v.to_string()).is_ok())
            };
            let took = limits.iter().filter(|l| set(l)).count();
            if took > 0 {
                fence.0.push(folder);
            } else {
                let _ = fs::remove_dir(&folder);
            }
        }
        (!fence.0.is_empty()).then_some(fence)
    }

    /// The files a process writes itself into.
    ///
    /// # Errors
    /// Those of open(2).
    pub fn doors(&self) -> io::Result<Vec<OwnedFd>> {
        let open = |folder: &PathBuf| {
            fs::OpenOptions::new().write(true).open(folder.join("cgroup.procs")).map(OwnedFd::from)
        };
        self.0.iter().map(open).collect()
    }

    /// Kills whoever is inside.
    pub fn kill(&self) {
        for folder in &self.0 {
            // One call where the kernel has it (Linux 5.14, version 2).
            let _ = fs::write(folder.join("cgroup.kill"), "1");
            let inside = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
            for pid in inside.lines().filter_map(|l| l.trim().parse::<i32>().ok()).filter(|p| *p > 1) {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
        }
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        for folder in &self.0 {
            // Whoever was killed is gone in a moment.
            for _ in 0..50 {
                self.kill();
                match fs::remove_dir(folder) {
                    Err(e) if e.kind() == io::ErrorKind::ResourceBusy => {
                        std::thread::sleep(std::time::Duration::from_millis(20))
                    }
                    _ => break,
                }
            }
        }
    }
}
