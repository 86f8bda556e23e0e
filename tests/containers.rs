//! The guard as a container has it: one static file in an image, its policy read-only in `/etc/exec-guard`, and none of
//! what a machine has. No container engine is needed: bwrap makes the same view.
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use crate::stage::approver::{TOKEN, with_policy};
use crate::stage::programs::repository;
use crate::stage::service::Service;
use crate::stage::view::impossible;
use crate::stage::{Run, Stage, Way, cannot, player, programs};

/// A user that the image has no name for.
const UID: u32 = 4242;

/// What an image's policy says, if it speaks of the machine's own programs.
fn policy() -> Value {
    let list = ["/usr/bin/id", "/usr/bin/env", "/usr/bin/perl", "/usr/bin/touch", "/usr/bin/true"];
    let list: Vec<Value> = list.iter().map(|p| json!({"pattern": p})).collect();
    json!({"version": 1, "defaults":
        {"security": "allowlist", "ask": "on-miss", "askFallback": "deny", "allowlist": list}})
}

/// An image: a folder that becomes `/etc/exec-guard`, root's.
struct Image {
    stage: Stage,
    mounts: Vec<String>,
    proc: bool,
    user: u32,
}

impl Image {
    /// `None`, with a word, where no such view can be had.
    fn new(document: &Value) -> Option<Image> {
        if let Some(why) = impossible() {
            cannot(&why);
            return None;
        }
        if player().is_none() {
            cannot("only root can make a folder that is root's and run as somebody else");
            return None;
        }
        let stage = Stage::new();
        let image = Image { stage, mounts: Vec::new(), proc: true, user: UID };
        let folder = image.stage.path("etc");
        std::fs::create_dir(&folder).expect("folder");
        std::fs::write(folder.join("exec-approvals.json"), document.to_string()).expect("file");
        Some(image)
    }

    /// Runs `entrypoint WORDS` as process 1: no terminal, no name for the user, a root that cannot be written.
    fn run(&self, entrypoint: &[&str], words: &[&str]) -> Run {
        let etc = self.stage.text("etc");
        let guard = programs().guard.to_str().expect("path");
        let user = [format!("--reuid={}", self.user), format!("--regid={}", self.user)];
        let mut all = vec![
            "/usr/bin/bwrap",
            "--unshare-pid",
            "--as-pid-1",
            "--unshare-ipc",
            "--unshare-uts",
            "--clearenv",
        ];
        all.extend(["--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin"]);
        all.extend([
            "--ro-bind",
            "/usr",
            "/usr",
            "--dev",
            "/dev",
            "--tmpfs",
            "/tmp",
            "--chmod",
            "1777",
            "/tmp",
        ]);
        // What bwrap makes on the way to a mount is for root alone.
        for folder in ["/etc", "/run", "/run/exec-guard", "/guarded"] {
            all.extend(["--perms", "0755", "--dir", folder]);
        }
        all.extend(["--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"]);
        all.extend(["--symlink", "usr/lib64", "/lib64", "--ro-bind", guard, "/exec-guard"]);
        all.extend(["--ro-bind", &etc, "/etc/exec-guard", "--chdir", "/tmp"]);
        if self.proc {
            all.extend(["--proc", "/proc"]);
        }
        all.extend(self.mounts.iter().map(String::as_str));
        all.extend(["--remount-ro", "/", "--", "/usr/bin/setpriv"]);
        all.extend(user.iter().map(String::as_str));
        all.push("--clear-groups");
        all.extend(entrypoint);
        all.extend(words);
        self.stage.cast(&all).with_root().way(Way::Path).run()
    }
}

/// The two ways an image is told of the guard.
const ENTRYPOINT: &[&str] = &["/exec-guard", "--"];
const SHELL: &[&str] = &["/exec-guard", "-c"];

#[test]
fn becomes_process_one() {
    let Some(image) = Image::new(&policy()) else { return };
    let run = image.run(ENTRYPOINT, &["perl", "-e", "print qq($$ $<\n); exit 7"]);
    assert_eq!((run.code(), run.stdout.as_str(), run.stderr.as_str()), (7, "1 4242\n", ""), "{run:?}");
    let run = image.run(SHELL, &["id -u && perl -e 'exit 7'"]);
    assert_eq!((run.code(), run.stdout.as_str(), run.stderr.as_str()), (7, "4242\n", ""), "{run:?}");
    // No HOME is made up, and nothing else but the mark that ends loops.
    let run = image.run(ENTRYPOINT, &["env"]);
    let plain = image.run(&[], &["env"]);
    assert_eq!((run.code(), run.stdout), (0, plain.stdout + "EXEC_GUARD_DEPTH=1\n"));
}

#[test]
fn what_is_not_listed_does_not_run() {
    let Some(mut image) = Image::new(&policy()) else { return };
    for proc in [true, false] {
        image.proc = proc;
        for (entrypoint, words) in [
            (ENTRYPOINT, &["uname", "-s"][..]),
            (SHELL, &["uname"]),
            (SHELL, &["id -u; uname"]),
            (SHELL, &["id >/tmp/x && id"]),
        ] {
            let run = image.run(entrypoint, words);
            assert_eq!((run.code(), run.stdout.as_str()), (126, ""), "{words:?}: {run:?}");
            assert!(run.stderr.starts_with("exec-guard: denied ["), "{run:?}");
        }
        let run = image.run(SHELL, &["id -u | head -1 && true"]);
        assert_eq!((run.code(), run.stdout.as_str(), run.stderr.as_str()), (0, "4242\n", ""), "{run:?}");
    }
}

/// By name: links in a folder of the image that comes first in PATH.
#[test]
fn links_of_the_image() {
    let Some(mut image) = Image::new(&policy()) else { return };
    let links = ["--symlink", "/exec-guard", "/guarded/id", "--symlink", "/exec-guard", "/guarded/uname"];
    image.mounts.extend(links.map(str::to_owned));
    image.mounts.extend(["--setenv", "PATH", "/guarded:/usr/bin"].map(str::to_owned));
    let run = image.run(&[], &["/usr/bin/env", "id", "-u"]);
    assert_eq!((run.code(), run.stdout.as_str()), (0, "4242\n"), "{run:?}");
    let run = image.run(&[], &["/usr/bin/env", "uname"]);
    assert_eq!((run.code(), run.stdout.as_str(), run.reason()), (126, "", Some("allowlist-miss")), "{run:?}");
}

/// Without a policy in the image the embedded one holds, and what is mounted wrongly is not believed.
#[test]
fn a_policy_that_is_not_the_images() {
    let Some(image) = Image::new(&policy()) else { return };
    let document = image.stage.path("etc/exec-approvals.json");
    let refused = |what: &str, code: i32| {
        let run = image.run(ENTRYPOINT, &["id", "-u"]);
        assert_eq!((run.code(), run.stdout.as_str()), (code, ""), "{what}: {run:?}");
        assert!(run.stderr.starts_with("exec-guard: "), "{what}: {run:?}");
    };
    std::fs::set_permissions(&document, PermissionsExt::from_mode(0o666)).expect("mode");
    refused("everybody may write it", 125);
    std::fs::set_permissions(&document, PermissionsExt::from_mode(0o644)).expect("mode");
    std::os::unix::fs::chown(&document, Some(UID), Some(UID)).expect("chown");
    refused("the container's own user may write it", 125);
    std::fs::remove_file(&document).expect("removed");
    refused("there is none", 126);
    let run = image.run(SHELL, &["echo b | tr b a"]);
    assert_eq!((run.code(), run.stdout.as_str()), (0, "a\n"), "{run:?}");
}

/// The socket of an approver outside, mounted in: a person out there answers for what is in here.
#[test]
fn an_approver_outside() {
    let approver_uid = player().map_or(0, |p| p.0);
    let socket = json!({"path": "/run/exec-guard/ask.sock", "token": TOKEN, "allowUids": [approver_uid]});
    let mut document = policy();
    document["socket"] = socket;
    let Some(mut image) = Image::new(&document) else { return };
    let outside = with_policy(&json!({"allowUids": [UID]}), &json!({}));
    outside.folder("guard", 0o711);
    let service = Service::start(&outside);
    let from = outside.text("guard/exec-approvals.sock");
    image.mounts = ["--ro-bind", &from, "/run/exec-guard/ask.sock"].map(str::to_owned).to_vec();
    for (choice, code, out) in [("allow-once", 0, "Linux\n"), ("deny", 126, "")] {
        let _person = service.person(choice);
        for words in [(ENTRYPOINT, &["uname", "-s"][..]), (SHELL, &["uname -s | cat"])] {
            let run = image.run(words.0, words.1);
            assert_eq!((run.code(), run.stdout.as_str()), (code, out), "{choice}: {run:?}");
        }
    }
    // Only the question's socket is in there, and nobody in there is listed to answer.
    drop(service);
    let run = image.run(ENTRYPOINT, &["uname", "-s"]);
    assert_eq!((run.code(), run.stdout.as_str()), (126, ""), "{run:?}");
}

/// What docs/containers.md shows is read by a linter of such files.
#[test]
fn the_examples_are_clean() {
    let text = std::fs::read_to_string(repository().join("docs/containers.md")).expect("docs/containers.md");
    let examples: Vec<&str> = text
        .split("```dockerfile\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    assert!(examples.len() >= 3, "{}", examples.len());
    let dir = tempfile::tempdir().expect("folder");
    for (n, example) in examples.iter().enumerate() {
        let file = dir.path().join(format!("Dockerfile.{n}"));
        std::fs::write(&file, example).expect("file");
        // What a version is pinned to is the reader's to say.
        let words = ["--no-color", "--ignore", "DL3008", "--ignore", "DL3006"];
        match Command::new("hadolint").args(words).arg(&file).output() {
            Err(e) => match std::env::var("EXEC_GUARD_NO_HADOLINT") {
                Ok(why) => return eprintln!("SKIPPED: no hadolint: {why}"),
                Err(_) => return cannot(&format!("hadolint: {e}")),
            },
            Ok(out) => {
                let said = String::from_utf8_lossy(&out.stdout);
                assert!(out.status.success() && said.is_empty(), "example {n}: {said}{example}");
            }
        }
        let from = example.lines().find(|l| l.starts_with("FROM ")).expect("a base");
        assert!(from.contains(':') || from.ends_with("scratch"), "a base without a version: {from}");
    }
}
