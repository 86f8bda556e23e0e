//! Installing from outside: what is made, that it is taken back to the byte, and that `doctor` knows a guard that is
//! in the way from one that is not.
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::stage::run::wait;
use crate::stage::{Cast, Run, Stage, Way, cannot, programs};

/// The stage's environment, with our links first in PATH and the host's programs last.
pub fn environment(stage: &Stage) -> Vec<Vec<u8>> {
    let path = format!("PATH={}:{}:/usr/bin:/bin", stage.text("guard/bin"), stage.text("bin"));
    let mut env = stage.environment();
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(path.into_bytes());
    env
}

pub fn ctl<'a>(stage: &'a Stage, rest: &[&str]) -> Cast<'a> {
    let program = programs().ctl.to_str().expect("path");
    let words: Vec<&str> = std::iter::once(program).chain(rest.iter().copied()).collect();
    // The doctor starts dozens of programs.
    stage.cast(&words).way(Way::Path).env(environment(stage)).limit(Duration::from_secs(180))
}

#[track_caller]
pub fn done(run: &Run, code: i32) {
    assert!(run.code() == code, "not {code}: {run:?}");
}

/// Everything below a folder: files by content and mode, links by where they lead.
pub fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut todo = vec![root.to_path_buf()];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(&dir).expect("a folder").flatten() {
            let path = entry.path();
            let meta = fs::symlink_metadata(&path).expect("an entry");
            let rel = path.strip_prefix(root).expect("below").display().to_string();
            let what = if meta.is_symlink() {
                format!("-> {}", fs::read_link(&path).expect("a link").display())
            } else if meta.is_dir() {
                todo.push(path);
                "folder".to_owned()
            } else {
                let text = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
                format!("{:o} {text}", meta.permissions().mode() & 0o7777)
            };
            out.insert(rel, what);
        }
    }
    out
}

/// The homes without what stays on purpose: policy, locks, journal.
pub fn homes(stage: &Stage) -> BTreeMap<String, String> {
    let stays = |name: &str| {
        ["exec-approvals.json", "config.json", ".install.lock", "journal", "usage"]
            .iter()
            .any(|s| name.starts_with(s))
    };
    let mut out = tree(&stage.path("home"));
    let guard = tree(&stage.path("guard")).into_iter().filter(|(name, _)| !stays(name));
    out.extend(guard.map(|(name, what)| (format!("guard/{name}"), what)));
    out
}

const ALL: &[&str] =
    &["install", "--shims", "tool,other", "--shell", "bash,zsh,fish", "--links", "--completions", "--man"];

fn ready() -> Stage {
    let stage = Stage::new().tool("tool").tool("other");
    stage.write("home/.bashrc", b"# mine\r\nexport A=1 # no end", 0o640);
    stage.write("home/.zshrc", b"setopt x\n\n", 0o644);
    stage
}

#[test]
fn what_is_installed_stands_in_front_and_is_taken_back_to_the_byte() {
    let stage = ready();
    let before = homes(&stage);
    done(&ctl(&stage, &[ALL, &["--dry-run"]].concat()).run(), 0);
    assert_eq!(homes(&stage), before, "a dry run changes nothing");
    done(&ctl(&stage, ALL).run(), 0);
    let after = homes(&stage);
    for made in ["guard/bin/tool", "guard/shells/bash", ".zshenv", ".config/fish/conf.d/exec-guard.fish"] {
        assert!(after.contains_key(made), "no {made} in {:?}", after.keys());
    }
    assert!(
        after[".bashrc"].starts_with("640 # mine\r\nexport A=1 # no end\n# >>> "),
        "{}",
        after[".bashrc"]
    );
    // Judged, though the first policy allows nothing of the kind.
    let word = stage.text("guard/bin/tool");
    stage.cast(&[&word]).way(Way::Path).env(environment(&stage)).run().refused(126, "allowlist-miss");
    let real = stage.text("bin/tool");
    done(&ctl(&stage, &["approvals", "allowlist", "add", &real]).run(), 0);
    stage.cast(&[word.as_str(), "x"]).way(Way::Path).env(environment(&stage)).run().allowed();
    // Again: nothing to do, nothing changed.
    let again = ctl(&stage, ALL).run();
    done(&again, 0);
    assert!(again.stdout.contains("all of it is there already"), "{again:?}");
    assert_eq!(homes(&stage), after);
    done(&ctl(&stage, &["uninstall", "--dry-run"]).run(), 0);
    assert_eq!(homes(&stage), after, "a dry run changes nothing");
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    assert_eq!(homes(&stage), before);
    done(&ctl(&stage, &["uninstall"]).run(), 1);
}

#[test]
fn what_was_written_since_stays() {
    let stage = ready();
    done(&ctl(&stage, ALL).run(), 0);
    let add = |rel: &str| {
        let text = fs::read(stage.path(rel)).expect("a file");
        fs::write(stage.path(rel), [text, b"later\n".to_vec()].concat()).expect("written");
    };
    add("home/.bashrc");
    add("home/.profile");
    // A file of ours that somebody made theirs.
    add("home/.config/fish/conf.d/exec-guard.fish");
    let run = ctl(&stage, &["uninstall"]).run();
    done(&run, 0);
    assert!(run.stderr.contains("exec-guard.fish is left as it is"), "{run:?}");
    let after = homes(&stage);
    assert_eq!(after[".bashrc"], "640 # mine\r\nexport A=1 # no end\nlater\n");
    assert_eq!(after[".profile"], "644 later\n");
    assert!(after[".config/fish/conf.d/exec-guard.fish"].ends_with("later\n"));
}

/// Whoever writes between our marks loses nothing by it, and is told.
#[test]
fn what_was_written_between_the_marks_stays() {
    let stage = ready();
    done(&ctl(&stage, ALL).run(), 0);
    let edit = || {
        let text = fs::read_to_string(stage.path("home/.bashrc")).expect("a file");
        let text = text.replace("case \"$PATH:\"", "export THEIRS=1\ncase \"$PATH:\"");
        fs::write(stage.path("home/.bashrc"), text).expect("written");
    };
    edit();
    done(&ctl(&stage, &["refresh"]).run(), 0);
    let renewed = homes(&stage)[".bashrc"].clone();
    assert!(renewed.ends_with("# <<< exec-guard <<<\nexport THEIRS=1\n"), "{renewed}");
    edit();
    let run = ctl(&stage, &["uninstall"]).run();
    done(&run, 0);
    assert!(run.stderr.contains("between our marks stay"), "{run:?}");
    let after = &homes(&stage)[".bashrc"];
    assert_eq!(after, "640 # mine\r\nexport A=1 # no end\nexport THEIRS=1\nexport THEIRS=1\n");
}

#[test]
fn a_part_goes_alone() {
    let stage = ready();
    done(&ctl(&stage, ALL).run(), 0);
    done(&ctl(&stage, &["uninstall", "shell:zsh", "links"]).run(), 0);
    let after = homes(&stage);
    assert!(!after.contains_key(".zshenv") && !after.contains_key("guard/shells/bash"));
    assert!(after.contains_key("guard/bin/tool") && after[".bashrc"].contains("exec-guard"));
    // It is not wanted any more: refresh does not bring it back.
    done(&ctl(&stage, &["refresh"]).run(), 0);
    assert_eq!(homes(&stage), after);
    done(&ctl(&stage, &["uninstall", "nothing"]).run(), 2);
}

#[test]
fn what_is_in_the_way_is_told_and_nothing_is_done() {
    for (rel, bytes) in [
        ("guard/bin/tool", &b"#!/bin/sh\n"[..]),
        ("home/.config/fish/conf.d/exec-guard.fish", b"set x 1\n"),
        ("home/.zshrc", b"# >>> exec-guard >>>\nno end\n"),
    ] {
        let stage = ready();
        for dir in ["guard/bin", "home/.config/fish/conf.d"] {
            stage.folder(dir, 0o700);
        }
        for dir in ["home/.config", "home/.config/fish"] {
            crate::stage::own(&stage.path(dir));
        }
        stage.write(rel, bytes, 0o755);
        let before = homes(&stage);
        let run = ctl(&stage, ALL).run();
        done(&run, 1);
        assert!(run.stderr.contains(rel.rsplit('/').next().expect("a name")), "{run:?}");
        assert_eq!(homes(&stage), before);
        assert!(run.stderr.contains("nothing was done") && !run.stderr.contains("is written"), "{run:?}");
        assert!(!stage.path("guard/config.json").exists(), "no policy was made");
    }
    // What could not be replaced without losing something.
    for (what, word) in [("hard link", "more than one name"), ("large", "larger than 4 MiB")] {
        let stage = ready();
        let file = stage.path("home/.bashrc");
        match what {
            "large" => fs::write(&file, vec![b'\n'; 30 << 20]).expect("written"),
            _ => fs::hard_link(&file, stage.path("home/other")).expect("a link"),
        }
        let before = homes(&stage);
        let run = ctl(&stage, ALL).run();
        done(&run, 1);
        assert!(run.stderr.contains(word) && run.stderr.contains("nothing was done"), "{run:?}");
        assert_eq!(homes(&stage), before);
    }
}

#[test]
fn refresh_follows_the_programs() {
    let stage = ready().tool("git");
    done(&ctl(&stage, &["install", "--preset", "git,node"]).run(), 0);
    assert!(homes(&stage).contains_key("guard/bin/git"));
    let stage = stage.tool("npm");
    let gh = stage.path("bin/npm");
    done(&ctl(&stage, &["refresh"]).run(), 0);
    assert!(homes(&stage).contains_key("guard/bin/npm"));
    fs::remove_file(gh).expect("removed");
    // Unless the host has one as well, which then is what the name stands for.
    if !["/usr/bin/npm", "/bin/npm"].iter().any(|p| Path::new(p).exists()) {
        done(&ctl(&stage, &["refresh"]).run(), 0);
        assert!(!homes(&stage).contains_key("guard/bin/npm"));
    }
    done(&ctl(&stage, &["uninstall"]).run(), 0);
    assert!(!homes(&stage).keys().any(|k| k.starts_with("guard/bin")), "{:?}", homes(&stage).keys());
}

#[test]
fn an_approver_that_runs_on_is_told() {
    let stage = crate::stage::approver::stage();
    done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
    let mut service = crate::stage::service::Service::start(&stage);
    let run = ctl(&stage, &["uninstall"]).run();
    done(&run, 0);
    let told = |run: &Run| run.stderr.contains("exec-guardctl approver stop");
    assert!(told(&run) && run.stderr.contains("is still running"), "{run:?}");
    // It was only told.
    done(&ctl(&stage, &["approver", "status"]).run(), 0);
    service.end(Some(nix::sys::signal::Signal::SIGTERM));
    done(&ctl(&stage, &["install", "--agent", "claude"]).run(), 0);
    let run = ctl(&stage, &["uninstall"]).run();
    assert!(run.code() == 0 && !told(&run), "{run:?}");
}

#[test]
fn the_policy_s_name_behind_the_wrong_option_is_told() {
    let stage = Stage::new();
    for (words, hint) in [
        (&["install", "--preset", "cautious"][..], true),
        (&["install", "--preset=developer", "--man"], true),
        (&["install", "--preset", "nothing"], false),
    ] {
        let run = ctl(&stage, words).run();
        done(&run, 2);
        assert_eq!(run.stderr.contains("did you mean: --policy "), hint, "{run:?}");
    }
}

#[test]
fn killed_half_way_and_run_again_it_ends_right() {
    killed_half_way(&ready(), ALL, 24);
}

/// Kills an installation at this many moments, and either takes it back from there or runs it again: the homes are in
/// the end as they were, or as a whole one makes them.
pub fn killed_half_way(stage: &Stage, words: &[&str], steps: u32) {
    let before = homes(stage);
    let began = Instant::now();
    done(&ctl(stage, words).run(), 0);
    let whole = began.elapsed();
    let after = homes(stage);
    done(&ctl(stage, &["uninstall"]).run(), 0);
    assert_eq!(homes(stage), before);
    let mut halves = 0;
    for step in 0..steps {
        let mut child = ctl(stage, words).start();
        std::thread::sleep(whole * step / steps);
        let _ = nix::sys::signal::kill(
            nix::unistd::Pid::from_raw(i32::try_from(child.id()).expect("pid")),
            nix::sys::signal::Signal::SIGKILL,
        );
        wait(&mut child, Instant::now(), Duration::from_secs(60));
        let half = homes(stage);
        halves += usize::from(half != before && half != after);
        if step % 2 == 0 {
            // Taken back from where it stopped.
            let run = ctl(stage, &["uninstall"]).run();
            assert!(matches!(run.code(), 0 | 1), "{run:?}");
        } else {
            done(&ctl(stage, words).run(), 0);
            // What was on its way stays beside the file until the next one goes there.
            let now: BTreeMap<_, _> =
                homes(stage).into_iter().filter(|(n, _)| !n.ends_with(".tmp")).collect();
            assert_eq!(now, after);
            done(&ctl(stage, &["uninstall"]).run(), 0);
        }
        assert_eq!(homes(stage), before, "after {step}");
    }
    println!("{halves} of {steps} runs were killed between the first change and the last");
}

pub fn doctor(stage: &Stage) -> (i32, Vec<(String, String)>) {
    let run = ctl(stage, &["doctor", "--json"]).run();
    let value: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    let rows = value["findings"].as_array().expect("findings");
    let word = |r: &Value, k: &str| r[k].as_str().expect("a word").to_owned();
    for row in rows {
        let bad = matches!(word(row, "state").as_str(), "broken" | "not in the way");
        assert!(!bad || !row["mend"].is_null(), "no word how to mend {row}");
    }
    (run.code(), rows.iter().map(|r| (word(r, "area"), word(r, "state"))).collect())
}

#[track_caller]
pub fn says(stage: &Stage, code: i32, area: &str, state: &str) {
    let (got, rows) = doctor(stage);
    assert!(rows.iter().any(|(a, s)| a == area && s == state), "no {area} {state}: {rows:?}");
    assert_eq!(got, code, "{rows:?}");
}

#[test]
fn the_doctor_tells_what_is_in_the_way() {
    let missing: Vec<_> = ["bash", "zsh", "fish"]
        .into_iter()
        .filter(|s| !Path::new("/usr/bin").join(s).exists() && !Path::new("/bin").join(s).exists())
        .collect();
    if !missing.is_empty() {
        return cannot(&format!("no {missing:?} to be started by the doctor"));
    }
    let stage = ready();
    says(&stage, 1, "layers", "not in the way");
    done(&ctl(&stage, ALL).run(), 0);
    for area in ["shims", "shell:bash", "shell:zsh", "shell:fish", "link:bash", "link:sh", "link:zsh"] {
        says(&stage, 0, area, "live");
    }

    // A link guards whoever starts it; who that is is said.
    let nobody = "neither SHELL nor PATH names it here";
    let told = |env: Vec<Vec<u8>>| {
        let run = ctl(&stage, &["doctor"]).env(env).run();
        run.stdout.lines().filter(|l| l.contains(nobody)).map(str::to_owned).collect::<Vec<_>>()
    };
    let links = told(environment(&stage));
    let bash = links.iter().flat_map(|l| l.split_whitespace()).find(|w| w.ends_with("/bash"));
    let mut env = environment(&stage);
    env.retain(|e| !e.starts_with(b"SHELL="));
    env.push(format!("SHELL={}", bash.expect("the link's path")).into_bytes());
    assert_eq!(told(env).len() + 1, links.len(), "the one that SHELL names is in the way: {links:?}");

    // Another program of the name in front.
    stage.folder("first", 0o755);
    fs::copy(stage.path("bin/other"), stage.path("first/other")).expect("a copy");
    let path = format!("PATH={}:{}:/usr/bin:/bin", stage.text("first"), stage.text("guard/bin"));
    let mut env = environment(&stage);
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(path.into_bytes());
    let run = ctl(&stage, &["doctor"]).env(env).run();
    done(&run, 1);
    assert!(run.stdout.contains("first/other first"), "{run:?}");
    assert_eq!(run.records.len(), 0, "a program that is not the guard was given the probe");

    // The folder taken out of PATH.
    let mut env = environment(&stage);
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(b"PATH=/usr/bin:/bin".to_vec());
    done(&ctl(&stage, &["doctor"]).env(env).run(), 1);

    // A start-up file that puts something else first.
    let zshrc = fs::read(stage.path("home/.zshrc")).expect("a file");
    let more = format!("PATH={}:$PATH\n", stage.text("bin"));
    fs::write(stage.path("home/.zshrc"), [zshrc.clone(), more.into_bytes()].concat()).expect("written");
    says(&stage, 1, "shell:zsh", "not in the way");
    fs::write(stage.path("home/.zshrc"), zshrc).expect("written");

    // Another program in place of a link.
    fs::remove_file(stage.path("guard/shells/bash")).expect("removed");
    std::os::unix::fs::symlink("/bin/true", stage.path("guard/shells/bash")).expect("a link");
    says(&stage, 1, "link:bash", "not in the way");
    done(&ctl(&stage, &["refresh"]).run(), 1);
    fs::remove_file(stage.path("guard/shells/bash")).expect("removed");
    says(&stage, 1, "links", "not in the way");
    done(&ctl(&stage, &["refresh"]).run(), 0);

    // A policy that anybody could have written.
    fs::set_permissions(stage.path("guard/exec-approvals.json"), fs::Permissions::from_mode(0o666))
        .expect("mode");
    says(&stage, 1, "policy", "broken");
    fs::set_permissions(stage.path("guard/exec-approvals.json"), fs::Permissions::from_mode(0o600))
        .expect("mode");
    says(&stage, 0, "policy", "ok");
}

#[test]
fn a_probe_is_refused_by_a_policy_that_allows_everything() {
    let stage = ready();
    done(&ctl(&stage, &["install", "--shims", "tool", "--policy", "yolo"]).run(), 0);
    says(&stage, 0, "shims", "live");
    says(&stage, 0, "policy", "note");
}

#[test]
fn a_link_that_leads_nowhere_is_told_and_mended() {
    let stage = ready();
    let words = ["install", "--programs", &stage.text("guard/programs"), "--shims", "tool"];
    let run = ctl(&stage, &words).run();
    done(&run, 0);
    assert!(run.stderr.contains("guard/programs is not in PATH"), "{run:?}");
    says(&stage, 0, "shims", "live");
    fs::remove_file(stage.path("guard/programs/exec-guard")).expect("removed");
    let run = ctl(&stage, &["doctor"]).run();
    done(&run, 1);
    assert!(
        run.stdout.contains("where nothing is") && run.stdout.contains("exec-guardctl refresh"),
        "{run:?}"
    );
    done(&ctl(&stage, &["refresh"]).run(), 0);
    says(&stage, 0, "shims", "live");
}

/// What is gone and cannot be wanted any more is forgotten by refresh, so that the doctor's advice is one.
#[test]
fn refresh_forgets_what_cannot_be_there() {
    let stage = ready().tool("zsh");
    let mut env = environment(&stage);
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(format!("PATH={}", stage.text("bin")).into_bytes());
    let run = |words: &[&str]| ctl(&stage, words).env(env.clone()).run();
    done(&run(&["install", "--links", "--shims", "tool"]), 0);
    fs::remove_file(stage.path("bin/zsh")).expect("removed");
    fs::remove_file(stage.path("guard/shells/zsh")).expect("removed");
    let word = "shells/zsh was installed and is gone";
    assert!(run(&["doctor"]).stdout.contains(word));
    done(&run(&["refresh"]), 0);
    let told = run(&["doctor"]);
    assert!(!told.stdout.contains(word), "{told:?}");
}

/// A home for one afternoon must not take the links of the real one with it.
#[test]
fn another_home_than_the_users_own_is_refused() {
    let stage = ready();
    let uid =
        crate::stage::player().map_or_else(nix::unistd::getuid, |(uid, _)| nix::unistd::Uid::from_raw(uid));
    let user = nix::unistd::User::from_uid(uid).expect("the user database").map(|u| u.dir);
    let Some(user) = user.filter(|d| d.is_absolute() && d != Path::new("/")) else {
        return cannot("this user has no home");
    };
    let with = |home: &str| {
        let mut env = environment(&stage);
        env.retain(|e| !e.starts_with(b"HOME=") && !e.starts_with(b"EXEC_GUARD_HOME="));
        env.push(format!("HOME={home}").into_bytes());
        env
    };
    let user = user.to_str().expect("text");
    for words in [&["install", "--shims", "tool", "--dry-run"][..], &["uninstall", "--dry-run"]] {
        let run = ctl(&stage, words).env(with(&stage.text("home"))).run();
        assert_ne!(run.code(), 0, "{run:?}");
        let both = [format!("HOME is {}", stage.text("home")), format!("the user database says {user}")];
        assert!(both.iter().all(|w| run.stderr.contains(w.as_str())), "{run:?}");
        let run = ctl(&stage, words).env(with(user)).run();
        assert!(!run.stderr.contains("the user database says"), "{run:?}");
    }
}

/// `allowlist add "$(command -v tool)"` with links in front means the program behind them.
#[test]
fn an_entry_with_a_link_of_the_guards_is_for_the_program_behind() {
    let stage = ready();
    done(&ctl(&stage, &["install", "--shims", "tool,ghost"]).run(), 0);
    let run = ctl(&stage, &["approvals", "allowlist", "add", &stage.text("guard/bin/tool")]).run();
    done(&run, 0);
    assert!(run.stderr.contains(&format!("behind it is {}", stage.text("bin/tool"))), "{run:?}");
    let policy = fs::read_to_string(stage.path("guard/exec-approvals.json")).expect("a policy");
    assert!(policy.contains(&stage.text("bin/tool")) && !policy.contains("guard/bin/tool"), "{policy}");
    let run = ctl(&stage, &["approvals", "allowlist", "add", &stage.text("guard/bin/ghost")]).run();
    done(&run, 2);
    assert!(run.stderr.contains("no program is behind it"), "{run:?}");
}
