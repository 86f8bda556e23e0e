//! Which folder a command runs in: whatever may have moved it is known to the walk.
use super::*;

/// Entries that hold in `/home/u/p` only, for a program of PATH.
fn here() -> Case {
    let mut c = Case::new(&[]).checked();
    let e = Entry { cwd: Some("/home/u/p".into()), ..entry("/usr/bin/git") };
    c.policy.allow = vec![AllowList::new(vec![e, entry("/home/u/q/tool")])];
    c.world = c
        .world
        .link("/home/u/p/link", "/home/u/q")
        .link("/home/u/p/in", "/home/u/p/sub")
        .program("/home/u/p/sub/x");
    c
}

#[test]
fn whatever_moves_the_shell_is_followed() {
    let mut c = here();
    for text in [
        "git status",
        "cd in && git status",
        "command cd in && git status",
        "cd link && cd /home/u/p && git log",
    ] {
        allowed(&c.text(text));
    }
    // A builtin that is run by another one moves the shell all the same, and is written with the folder it was judged as.
    for cd in ["cd", "command cd", "command -- cd", "command command cd", "\\cd", "c''d", "'cd'"] {
        asks(&c.text(&format!("{cd} link && git status")), "args-miss");
        asks(&c.text(&format!("{cd} link; git status")), "args-miss");
        asks(&c.text(&format!("{cd} .. && env ./tool")), "unresolved");
    }
    for cd in ["builtin cd", "command builtin cd", "chdir", "pushd", "eval cd"] {
        asks(&c.text(&format!("{cd} link && ls")), if cd == "chdir" { "unresolved" } else { "builtin" });
    }
    let p = allowed(&c.text("command cd ../q && ./tool"));
    assert!(
        words(&p)[5].contains("'cd' '/home/u/q'") || words(&p)[5].contains("cd '/home/u/q'"),
        "{:?}",
        words(&p)
    );
}

#[test]
fn a_folder_that_is_not_certain_is_not_known() {
    let mut c = here();
    for text in [
        "cd in && { true; } || git status",
        "cd in && { true; }; git status",
        "cd in && if true; then true; fi || git status",
        "cd in && for x in a; do true; done; git status",
        "if command cd link; then git status; fi",
        "if true; then command cd link; fi; git status",
        "{ command cd link; }; git status",
        "{ \\cd link; } && git status",
        "for x in a b; do git status; \\cd link; done",
        "while git status; do c''d link; done",
        "until git status; do { {cd,link}; }; done",
        "f() { command cd link; }; f; git status",
        "f() { c\\d link; }; while git status; do f; done",
        "true | command cd link; git status",
        "case x in x) command cd link ;; esac; git status",
        "! command cd in && git status",
        "command cd in || git status",
        "command cd && git status",
        "command cd - && git status",
        "command cd \"$x\" && git status",
        "cd in && cd \"$x\" && git status",
    ] {
        asks(&c.text(text), "args-miss");
    }
    for text in [
        "cd in && (cd /home/u/q && ls) | wc -l",
        "for x in a b; do (cd in && ls); done; git status",
        "cd in && { git status; }",
        "if git status; then (cd link); fi; git log",
    ] {
        let mut c = here();
        c.policy.allow.push(AllowList::new(vec![entry("/usr/bin/git"), entry("/usr/bin/ls")]));
        c.policy.allow[0] = AllowList::new(vec![
            Entry { cwd: Some("/home/u/p".into()), ..entry("/usr/bin/git") },
            entry("/usr/bin/ls"),
        ]);
        allowed(&c.text(text));
    }
}

#[test]
fn functions_that_zsh_calls_are_no_functions_of_the_text() {
    for name in ["chpwd", "precmd", "preexec", "zshexit", "TRAPDEBUG", "TRAPZERR", "TRAPEXIT"] {
        let mut c = here();
        c.policy.shell_program = "/usr/bin/zsh".into();
        c.world = c.world.program("/usr/bin/zsh");
        asks(&c.text(&format!("{name}() {{ true; }}; git status")), "function");
        allowed(&c.text("f() { true; }; f; git status"));
        allowed(&here().text(&format!("{name}() {{ true; }}; git status")));
    }
}

#[test]
fn what_is_another_folder_for_every_process_is_not_known() {
    let mut c = here();
    c.policy.redirections = Redirections::Scoped;
    c.policy.shell_writable = vec!["/home/u/p/**".into()];
    c.world = c.world.link("/home/u/p/me", "/proc/self/cwd").link("/dev/fd", "/proc/self/fd");
    for text in [
        "cd in && cd /proc/self/cwd && git status",
        "cd in && cd /proc/self/cwd/in && git status",
        "cd in && cd ../me && git status",
        "cd me && git status",
        "env -C me git status",
        "env -C /proc/self/cwd git status",
        "env -C /proc/1/cwd git status",
        "cd /dev/fd/../cwd && git status",
    ] {
        asks(&c.text(text), "args-miss");
    }
    for text in
        ["git status > /proc/self/cwd/out", "cd in && ls > ../me/out", "git status 2>> /dev/fd/../cwd/out"]
    {
        asks(&c.text(text), "redirection");
    }
    allowed(&c.text("git status 2> /dev/null"));
    c.inv.cwd = Some(b"/usr/bin".to_vec());
    for text in ["env /proc/self/cwd/wc", "cd /tmp && /proc/self/cwd/wc", "nice /proc/thread-self/cwd/wc; ls"]
    {
        asks(&c.text(text), "cwd-unknown");
    }
    asks(&c.argv(&["env", "-C", "/tmp", "/proc/self/cwd/wc"]), "cwd-unknown");
    // The shell's own word for the folder counts only if it is one for everybody.
    let mut c = here().env("PWD=/proc/self/cwd");
    let p = allowed(&c.text("cd in && cd .. && git status; true"));
    assert!(words(&p)[5].contains("cd '/home/u/p' && "), "{:?}", words(&p));
    let mut c = Case::new(&["/usr/bin/git"]);
    c.inv.env[0] = b"PATH=/proc/self/cwd:/usr/bin".to_vec();
    asks(&c.text("cd /tmp && timeout 5 git status"), "environment");
}

/// The text or the words that run.
fn runs(e: &Evaluation) -> String {
    words(&allowed(e)).join(" ")
}

#[test]
fn a_word_that_a_wrapper_looks_up_again_is_written_as_it_was_judged() {
    let mut c = Case::new(&[
        "/home/u/q/tool",
        "/home/u/p/sub/x",
        "/usr/bin/xargs",
        "/usr/bin/find",
        "/home/u/q/run.sh",
        "/usr/bin/ls",
        "/usr/bin/sh",
    ]);
    c.world = here().world.script("/home/u/q/run.sh", b"#!/bin/sh\n").link("/home/u/p/wc", "/usr/bin/wc");
    for text in [
        "cd ../q && env ./tool",
        "cd ../q && timeout 5 nice ./tool",
        "cd ../q && env -C . ./tool",
        "cd ../q && find . -exec ./tool {} ';'",
        "cd ../q && ls | xargs ./tool",
        "cd ../q && sh -c './tool; true'",
        "cd ../q && sh -c 'env ./tool; true'",
        "cd ../q && ls | xargs -n 1 sh -c './tool \"$1\"; true' _",
        "env -C ../q ./tool",
        "env -C link ./tool",
        "env link/tool; true",
        "env /home/u/p/link/tool; true",
        "ls | xargs link/tool",
        "cd ../q && exec ./tool",
    ] {
        let ran = runs(&c.text(text));
        assert!(
            ran.contains("/home/u/q/tool") && !ran.contains("'./tool'") && !ran.contains("link/tool"),
            "{text}: {ran}"
        );
    }
    for text in [
        "cd ../q && sh ./run.sh",
        "cd ../q && sh run.sh a",
        "sh link/run.sh",
        "cd ../q && ls | xargs sh run.sh",
    ] {
        let ran = runs(&c.text(text));
        assert!(ran.contains("/home/u/q/run.sh"), "{text}: {ran}");
    }
    // Nothing is written anew where nothing can have changed.
    for text in ["env sub/x a", "nice /bin/wc", "env ./sub/x"] {
        let ran = runs(&c.text(text));
        assert!(ran.ends_with(text.split_once(' ').unwrap().1), "{text}: {ran}");
    }
}

#[test]
fn a_program_changes_its_folder_by_the_kernel_and_not_by_spelling() {
    let mut c = here();
    c.world = c
        .world
        .link("/home/u/p/deep", "/home/u/q/deep/er")
        .program("/home/u/q/deep/er/x")
        .program("/home/u/q/deep/tool");
    allowed(&c.argv(&["env", "-C", "in", "git", "status"]));
    allowed(&c.argv(&["env", "-C", "sub/..", "git", "status"]));
    allowed(&c.argv(&["env", "-C", "deep/../../../p", "git", "status"]));
    allowed(&c.text("cd deep && env -C /home/u/p git status"));
    for text in [
        "env -C deep/.. git status",
        "env -C deep/../.. git status",
        "cd deep && env -C .. git status",
        "env -C deep nice env -C .. git status",
        "env -C deep/.. sh -c 'git status; true'",
        "env -C deep sh -c 'cd .. && git status'",
        "env -C '' git status",
        "env -C \"$x\" git status",
    ] {
        asks(&c.text(text), "args-miss");
    }
    let mut c = here().env("PWD=/home/u/p/deep");
    c.world = c.world.link("/home/u/p/deep", "/home/u/q/deep/er").program("/home/u/q/deep/er/x");
    c.inv.cwd = Some(b"/home/u/q/deep/er".to_vec());
    asks(&c.argv(&["env", "-C", "..", "git", "status"]), "args-miss");
    allowed(&c.text("cd .. && git status"));
}

#[test]
fn programs_that_start_their_command_elsewhere_say_so() {
    let all = [
        "fd",
        "systemd-run",
        "pkexec",
        "start-stop-daemon",
        "su",
        "npm",
        "pnpm",
        "hatch",
        "poetry",
        "lerna",
        "tox",
        "foreman",
        "bun",
    ];
    let mut c =
        Case::new(&all.map(|n| format!("/usr/bin/{n}")).iter().map(String::as_str).collect::<Vec<_>>());
    for n in all {
        c.world = c.world.program(&format!("/usr/bin/{n}"));
    }
    c.policy.allow[0] = {
        let mut entries: Vec<Entry> = all.iter().map(|n| entry(&format!("/usr/bin/{n}"))).collect();
        entries.push(entry("/home/u/p/tool"));
        entries.push(entry("/usr/bin/bash"));
        AllowList::new(entries)
    };
    for text in [
        "fd -x ./tool",
        "fd -C . x -x ./tool",
        "fd --base-directory=../p -x ./tool",
        "systemd-run --scope ./tool",
        "systemd-run -d ./tool",
        "npm exec -- ./tool",
        "pnpm exec ./tool",
        "poetry run ./tool",
        "poetry -C ../p run ./tool",
        "start-stop-daemon -S -x /home/u/p/tool -- x",
    ] {
        allowed(&c.text(text));
    }
    for text in [
        "fd -C ../q x -x ./tool",
        "fd -HC../q x -x ./tool",
        "fd --base-directory ../q -x ./tool",
        "fd --base-directory=../q -X ./tool",
        "fd -C \"$x\" -x ./tool",
        "systemd-run ./tool",
        "pkexec ./tool",
        "start-stop-daemon -S -x ./tool",
        "start-stop-daemon -S -x tool",
        "su -l -s /bin/bash -c './tool; true' u",
        "su -s /bin/bash - -c './tool; true' u",
        "su -s /bin/bash -lc './tool; true' u",
        "npm exec -w a -- ./tool",
        "npm --prefix ../q exec -- ./tool",
        "pnpm -r exec ./tool",
        "pnpm --filter a exec ./tool",
        "hatch run ./tool",
        "lerna exec -- ./tool",
        "tox exec -- ./tool",
        "foreman run ./tool",
    ] {
        let e = c.text(text);
        assert_eq!(e.decision, Decision::Ask, "{text}: {:?}", e.findings);
    }
}

#[test]
fn an_entry_for_one_folder_holds_where_the_program_works() {
    let mut c = here();
    c.world = c.world.program("/usr/bin/make");
    let make = Entry { cwd: Some("~/p".into()), ..entry("/usr/bin/make") };
    let git = Entry { cwd: Some("/home/u/p".into()), ..entry("/usr/bin/git") };
    c.policy.allow = vec![AllowList::new(vec![make.clone(), git])];
    for text in ["make", "make -C sub test", "make -C in", "git -C sub status", "env -C sub make -C .."] {
        allowed(&c.text(text));
    }
    for text in [
        "make -C ../q",
        "make -kC ../q test",
        "make --directory=link test",
        "make -f ../q/Makefile",
        "make \"$x\"",
        "git -C ../q status",
        "git --work-tree ../q status",
        "env -C sub make -C ../link",
        "cd /home/u/q && make -C ../p",
    ] {
        let e = c.text(text);
        assert_eq!(e.decision, Decision::Ask, "{text}: {:?}", e.findings);
        assert!(e.findings.iter().any(|f| f.reason == Reason::ArgsMiss), "{text}: {:?}", e.findings);
    }
    // A list that tightens holds as soon as one of the folders is its own.
    let mut c = Case::new(&["/usr/bin/make"]);
    c.world = c.world.program("/usr/bin/make").program("/home/u/p/sub/x");
    c.policy.denylist = vec![Entry { cwd: Some("/home/u/q".into()), ..entry("/usr/bin/make") }];
    allowed(&c.text("make -C sub"));
    for text in ["make -C ../q", "make -C /home/u/q/x", "cd ../q && make -C ../p", "make -C none"] {
        assert_eq!(c.text(text).decision, Decision::Deny, "{text}");
    }
}

#[test]
fn what_cannot_be_written_as_it_was_judged_asks() {
    let mut c = Case::new(&[
        "/home/u/a=b/tool",
        "/home/u/{}/tool",
        "/usr/bin/xargs",
        "/usr/bin/find",
        "/usr/bin/git",
    ]);
    c.world =
        c.world.program("/home/u/a=b/tool").program("/home/u/{}/tool").program("/usr/bin/start-stop-daemon");
    for text in [
        // env would take it for an assignment.
        "cd ../a=b && env ./tool git",
        // find would put a name there, and xargs what it reads.
        "cd ../{} && find . -exec ./tool ';'",
        "echo x | xargs -I usr sh -c 'git status; true'",
        "echo x | xargs -I bin sh -c 'git status; true'",
    ] {
        let e = c.text(text);
        asks(&e, "wrapper");
        assert!(e.findings.iter().any(|f| f.message.contains("as it was judged")), "{:?}", e.findings);
    }
    allowed(&c.text("cd ../a=b && nice ./tool git"));
    allowed(&c.text("cd ../{} && nice ./tool git"));
    allowed(&c.text("echo x | xargs -I % sh -c 'git status; true'"));
}

#[test]
fn a_redirection_is_opened_before_its_command_moves() {
    let mut c = here();
    c.policy.redirections = Redirections::Scoped;
    c.policy.shell_writable = vec!["/home/u/p/**".into()];
    c.world = c.world.file("/home/u/other/x", b"");
    allowed(&c.text("cd in > out"));
    allowed(&c.text("cd /home/u/p && git status > out"));
    c.inv.cwd = Some(b"/home/u/other".to_vec());
    allowed(&c.text("cd /home/u/p && git status > out"));
    for text in [
        "cd /home/u/p > out",
        "command cd /home/u/p 2>> out",
        "{ cd /home/u/p; } > out",
        "if true; then cd /home/u/p; fi > out",
        "cd /home/u/p && { true; } || echo x > out",
    ] {
        asks(&c.text(text), "redirection");
    }
    asks(&here().with(|p| p.redirections = Redirections::Scoped).text("f() { ls; } > out; f"), "redirection");
    // The same for what a here-document and a target expand to.
    let mut c = here();
    c.inv.cwd = Some(b"/home/u/q".to_vec());
    asks(&c.text("cd /home/u/p > \"$(git status)\""), "args-miss");
}

/// A program that may copy is not thereby one that may choose what git or a login runs.
#[test]
fn what_runs_later_is_no_ordinary_file() {
    let mut c = Case::new(&["/usr/bin/cp", "/usr/bin/tee", "/usr/bin/git"]).checked();
    for file in ["/usr/bin/cp", "/usr/bin/tee", "/home/u/p/.git/hooks/x", "/home/u/p/sub/x"] {
        c.world = c.world.program(file);
    }
    for text in [
        "cd .git; cp ../config .",
        "cd .git/hooks; cp ../../pre-commit .",
        "cd sub; cd ../.git; cp ../cfg config",
        "cp x ~/.bashrc",
        "cp x \"$HOME/.bashrc\"",
        "tee -a .git/./config",
        "git init --separate-git-dir=out z",
        "git clone -q --separate-git-dir out . z",
        "git checkout-index --prefix=out/ x",
        "git checkout-index --prefix=\"$x\" x",
    ] {
        asks(&c.text(text), "hazard");
    }
    for text in ["cd sub; cp ../config .", "cp ~/.bashrc x", "tee log", "git init z", "git checkout-index x"]
    {
        allowed(&c.text(text));
    }
}

/// Where a `cd` may have failed the shell is in one of two folders, and not in any.
#[test]
fn a_folder_that_is_one_of_a_few() {
    let mut c = Case::new(&["/usr/bin/git", "/usr/bin/env"]).checked();
    c.inv.guard.own_paths = vec![b"/home/u/.exec-guard".to_vec()];
    c.world = c.world.program("/home/u/p/sub/x").link("/home/u/p/up", "/home/u");
    for text in [
        "cd sub; git checkout main",
        "cd /home/u/q && git fetch\ngit checkout main || git pull",
        "cd sub || cd /home/u/q; git reset --hard",
        "cd sub\n{ git checkout x; }",
        "(cd ~); git checkout main",
        "(cd sub; git checkout main)",
        "env -C sub git checkout main",
    ] {
        allowed(&c.text(text));
    }
    for text in [
        "cd ~; git checkout main",
        "cd; git checkout main",
        "cd up; git checkout main",
        "cd sub || cd ~; git checkout main",
        "cd sub; cd ..; cd ..; git checkout main",
        "cd nowhere; git checkout main",
        "cd $x; git checkout main",
        "cd sub; cd $x; git checkout main",
        "f() { git checkout main; }; cd ~; f",
        "while git fetch; do git checkout main; cd ~; done",
        "if cd ~; then :; fi; git checkout main",
        "cd sub; env -C nowhere git checkout main",
    ] {
        asks(&c.text(text), "self-protection");
    }
}
