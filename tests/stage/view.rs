//! A private view of the file system in which every program is a witness.
//!
//! The host's root, read-only, in namespaces of its own; `/usr/bin`, `/usr/sbin` and `/usr/local` hold witnesses
//! under all names that matter, with the links a Debian has. Nothing that runs there can touch the machine, and
//! whatever runs is seen, be it a shell.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{own, player, programs};

/// What lies in `/usr/bin` there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bins {
    /// The host's own.
    Real,
    /// Witnesses only.
    Witnesses,
    /// Witnesses, but the shells are real.
    Shells,
}

/// Shells that stay real in [`Bins::Shells`].
const SHELLS: &[&str] = &["bash", "dash", "sh", "zsh"];

/// Names that link to another name, as on Debian.
const LINKS: &[(&str, &str)] = &[
    ("sh", "dash"),
    ("rbash", "bash"),
    ("python3", "python3.11"),
    ("awk", "mawk"),
    ("nawk", "mawk"),
    ("vi", "vim.basic"),
    ("vim", "vim.basic"),
    ("view", "vim.basic"),
    ("ex", "vim.basic"),
    ("editor", "nano"),
    ("pager", "less"),
    ("nc", "nc.openbsd"),
    ("lua", "lua5.4"),
];

/// A view, with a folder for the jobs run in it.
pub struct View {
    /// Folder of this view; bound at the same path inside.
    pub dir: PathBuf,
    bins: Bins,
}

/// Why no view can be had here; `None` if one can.
pub fn impossible() -> Option<String> {
    let out = Command::new("bwrap").args(["--ro-bind", "/", "/", "--unshare-pid", "true"]).output();
    match out {
        Err(e) => Some(format!("bwrap: {e}")),
        Ok(o) if !o.status.success() => Some(String::from_utf8_lossy(&o.stderr).into_owned()),
        Ok(_) => None,
    }
}

impl Drop for View {
    /// Thousands of names: the next test run should not have to sweep them away.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}

impl View {
    /// A view in which these names exist besides the usual ones. Absolute paths below `/usr/local` count too.
    pub fn new(name: &str, bins: Bins, names: &BTreeSet<String>) -> View {
        let dir = programs().base.join(name);
        for d in ["bin", "sbin", "local/bin", "control/replies", "rows"] {
            fs::create_dir_all(dir.join(d)).expect("folder");
        }
        // One file with many names, none of which is made while something runs.
        let one = dir.join("witness");
        if !one.exists() {
            fs::copy(&programs().witness, &one).expect("a witness");
        }
        let witness = |to: PathBuf| {
            if !to.exists() && fs::symlink_metadata(&to).is_err() {
                fs::create_dir_all(to.parent().expect("folder")).expect("folder");
                fs::hard_link(&one, &to).expect("a witness");
            }
        };
        let bin = dir.join("bin");
        if bins == Bins::Shells {
            for s in SHELLS.iter().filter(|s| **s != "sh") {
                let real = Path::new("/usr/bin").join(s);
                if real.exists() {
                    fs::copy(real, bin.join(s)).expect("a shell");
                }
            }
        }
        for (link, target) in LINKS {
            witness(bin.join(target));
            if fs::symlink_metadata(bin.join(link)).is_err() {
                symlink(target, bin.join(link)).expect("link");
            }
        }
        for n in names {
            match n.strip_prefix("/usr/local/") {
                Some(rest) => witness(dir.join("local").join(rest)),
                None => witness(bin.join(n)),
            }
        }
        let host = |d: &str| -> Vec<String> {
            let entries = fs::read_dir(d).into_iter().flatten().flatten();
            entries.filter_map(|e| e.file_name().into_string().ok()).collect()
        };
        for n in host("/usr/bin") {
            witness(bin.join(n));
        }
        for n in host("/usr/sbin").into_iter().chain(["runuser".into(), "chroot".into()]) {
            witness(dir.join("sbin").join(n));
        }
        View { dir, bins }
    }

    /// Runs jobs of [`batch`](../../props/batch.rs), `lanes` views side by side; results by id.
    pub fn run(&self, jobs: &[Value], lanes: usize) -> BTreeMap<String, Value> {
        let share = jobs.len().div_ceil(lanes).max(1);
        let mut out = BTreeMap::new();
        std::thread::scope(|s| {
            let running: Vec<_> =
                jobs.chunks(share).enumerate().map(|(i, part)| s.spawn(move || self.lane(i, part))).collect();
            for r in running {
                out.extend(r.join().expect("a lane"));
            }
        });
        assert_eq!(out.len(), jobs.len(), "every job has one result");
        out
    }

    fn lane(&self, lane: usize, jobs: &[Value]) -> BTreeMap<String, Value> {
        let at = self.dir.join(format!("lane{lane}"));
        let control = at.join("control");
        fs::create_dir_all(&control).expect("folder");
        fs::write(control.join("records"), b"").expect("records");
        own(&control.join("records"));
        let list: String = jobs
            .iter()
            .map(|j| {
                let mut j = j.clone();
                if let Some((uid, gid)) = player() {
                    j["uid"] = uid.into();
                    j["gid"] = gid.into();
                }
                format!("{j}\n")
            })
            .collect();
        fs::write(at.join("jobs"), list).expect("jobs");
        let p = programs();
        let mut cmd = Command::new("bwrap");
        cmd.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"]);
        cmd.args(["--tmpfs", "/tmp", "--tmpfs", "/root", "--tmpfs", "/home"]);
        if self.bins != Bins::Real {
            for (from, to) in [("bin", "/usr/bin"), ("sbin", "/usr/sbin"), ("local", "/usr/local")] {
                cmd.arg("--ro-bind").arg(self.dir.join(from)).arg(to);
            }
            // Where the root was never merged, the old folders are real ones.
            for (from, to) in [("bin", "/bin"), ("sbin", "/sbin")] {
                if !fs::symlink_metadata(to).is_ok_and(|m| m.is_symlink()) {
                    cmd.arg("--ro-bind").arg(self.dir.join(from)).arg(to);
                }
            }
            cmd.arg("--bind").arg(&control).arg("/run/witness");
        }
        cmd.arg("--ro-bind").arg(&p.base).arg(&p.base).arg("--bind").arg(&self.dir).arg(&self.dir);
        cmd.args(["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent"]);
        if player().is_some() {
            cmd.args(["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_KILL"]);
        }
        cmd.arg("--chdir")
            .arg(&self.dir)
            .arg("--")
            .arg(&p.batch)
            .arg(at.join("jobs"))
            .arg(at.join("results"));
        if self.bins != Bins::Real {
            cmd.arg("/run/witness/records");
        }
        let out = cmd.env_clear().output().expect("bwrap");
        assert!(out.status.success(), "lane {lane}: {out:?}");
        let results = fs::read_to_string(at.join("results")).expect("results");
        let parse = |l: &str| serde_json::from_str::<Value>(l).expect("a result");
        results.lines().map(parse).map(|r| (r["id"].as_str().expect("id").to_owned(), r)).collect()
    }

    /// What every witness answers from now on: a status, then output.
    pub fn reply(&self, lanes: usize, text: &str) {
        for lane in 0..lanes {
            let dir = self.dir.join(format!("lane{lane}/control/replies"));
            fs::create_dir_all(&dir).expect("folder");
            fs::write(dir.join("default"), text).expect("reply");
        }
    }
}

/// Bytes as JSON text of one character each, the way jobs and records are written.
pub fn wide(bytes: &[u8]) -> Value {
    Value::String(bytes.iter().map(|b| char::from(*b)).collect())
}

/// A job.
pub fn job(id: &str, cwd: &Path, argv: &[Vec<u8>], env: &[(String, Vec<u8>)]) -> Value {
    let env: serde_json::Map<String, Value> = env.iter().map(|(k, v)| (k.clone(), wide(v))).collect();
    json!({
        "id": id,
        "cwd": cwd.to_str().expect("path"),
        "argv": argv.iter().map(|a| wide(a)).collect::<Vec<_>>(),
        "env": env,
        "timeout_ms": 10_000,
    })
}

/// The view shows what runs, shells included, and jobs end.
#[test]
fn nothing_but_witnesses() {
    if let Some(why) = impossible() {
        return super::cannot(&why);
    }
    let view = View::new(
        "view-test",
        Bins::Witnesses,
        &BTreeSet::from(["/usr/local/go/bin/go".into(), "rg".into()]),
    );
    let env = vec![("PATH".to_owned(), b"/usr/bin".to_vec())];
    let make = |id: &str, words: &[&str]| {
        let words: Vec<Vec<u8>> = words.iter().map(|w| w.as_bytes().to_vec()).collect();
        job(id, &view.dir.join("rows"), &words, &env)
    };
    let jobs = [
        make("shell", &["/bin/sh", "-c", "exit 7"]),
        make("tool", &["/usr/bin/rg", "x"]),
        make("local", &["/usr/local/go/bin/go"]),
    ];
    let results = view.run(&jobs, 2);
    for (id, argv) in [("shell", "[\"/bin/sh\",\"-c\",\"exit 7\"]"), ("tool", "[\"/usr/bin/rg\",\"x\"]")] {
        assert_eq!(results[id]["records"][0]["argv"].to_string(), argv, "{:?}", results[id]);
        assert_eq!(results[id]["status"], 0);
        if player().is_some() {
            let uid = results[id]["records"][0]["status"]["Uid"].as_str().unwrap_or_default();
            assert_eq!(uid, "65534\t65534\t65534\t65534", "an ordinary user");
        }
    }
    assert_eq!(results["local"]["records"].as_array().map(Vec::len), Some(1), "{:?}", results["local"]);
    assert!(matches!(view.bins, Bins::Witnesses));
}
