//! Programs that no table knows as writers, and words that lead to the guard's own files all the same.
use super::*;

/// In `/home/u/p`, where `lnk` leads to the guard's folder, `file` to its policy and `top` to the home.
fn case() -> Case {
    let programs = [
        "git", "cat", "cp", "tee", "tar", "sort", "make", "find", "ln", "mv", "rm", "ls", "xargs", "mkdir",
        "touch", "rustc", "rustfmt", "gcc", "zip", "gzip", "prettier", "npm", "cargo", "pwd", "echo",
        "dirname", "sed", "awk", "rg", "tsc", "gofmt",
    ];
    let list: Vec<String> = programs.iter().map(|p| format!("/usr/bin/{p}")).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let mut c = Case::new(&list).checked().with(|p| {
        p.redirections = Redirections::Scoped;
        p.shell_readable = vec!["/**".into()];
        p.shell_writable = vec!["/home/u/p/**".into(), "/home/u/.claude/**".into()];
    });
    for p in &list {
        c.world = c.world.program(p);
    }
    for file in ["a.rs", "src/x", ".git/config", ".git/HEAD", "target", ".npmrc", "out/y"] {
        c.world = c.world.file(&format!("/home/u/p/{file}"), b"");
    }
    c.world = c
        .world
        .file("/home/u/.exec-guard/exec-approvals.json", b"")
        .file("/home/u/.exec-guard/config.json", b"")
        .link("/home/u/p/lnk", "/home/u/.exec-guard")
        .link("/home/u/p/file", "/home/u/.exec-guard/exec-approvals.json")
        .link("/home/u/p/top", "/home/u");
    c
}

#[test]
fn whatever_may_write_there_is_asked_about() {
    let mut bad = Vec::new();
    for text in [
        // By a link that lies there.
        "rustc -o lnk/x a.rs",
        "rustc -o file a.rs",
        "rustc --emit dep-info=lnk/y a.rs",
        "rustc -olnk/x a.rs",
        "gcc -MF lnk/x a.c",
        "zip lnk/x src",
        "gzip lnk/config.json",
        "tar cf lnk/x src",
        "tar xf a.tar --transform 's,^,lnk/,'",
        "npm test --cache=lnk",
        "prettier --write lnk/config.json",
        "make CFLAGS='-O2 -o lnk/x' x",
        "rustc -o top/.exec-guard/x a.rs",
        "x=lnk/y; rustc -o $x a.rs",
        "cat < lnk/config.json | tee x",
        // By a pattern, or where a `cd` by one may come to.
        "rustc -o ~/.e*/x a.rs",
        "rustfmt --check /home/u/.e*/config.json",
        "gofmt -w /home/u/.[e]xec-guard/x",
        "cd ~/.e* && rustc -o exec-approvals.json a.rs",
        "cd /home/u/.exec* && gzip config.json",
        // Through what is another thing for every process.
        "git -C /proc/self/root/home/u/.exec-guard init -q",
        "touch /proc/self/root/home/u/.exec-guard/x",
        "cp a.rs /proc/self/cwd/lnk",
        "cp a.rs /proc/thread-self/cwd/../.e*/",
        "rustc -o /dev/fd/../cwd/lnk/x a.rs",
        "x=/proc/self/root; cp a.rs $x/home/u/.e*/config.json",
        // By other words for the home and the working folder.
        "cp x ~u/.e*",
        "cp x ~someone/.exec*/",
        "cp -r d/.exec-guard ~someone",
        "cp x ${HOME%x}/.e*",
        "cp x \"${HOME:-x}\"/.e*",
        "cp x $(dirname ~/x)/.e*",
        "cp x $(pwd)/lnk",
        "cp x `pwd`/lnk/",
        "cp x \"$(pwd -P)/lnk\"",
        "cp x ${PWD%y}/lnk",
        "x=$(pwd); cp y $x/lnk",
        "for x in $(pwd)/l*; do cp y $x; done",
        "ls -d $(pwd)/l* | xargs cp x",
        "pwd | xargs -I% cp x %/lnk",
        "rustc -o $(pwd)/lnk/x a.rs",
        // What is linked has another name from then on.
        "cp -al ~/. y",
        "cp --link ~/.e*/*approvals.json y",
        "ln ~/.e*/*approvals.json y",
        "ln file y",
        "find ~ -name '*approvals.json' -exec ln {} y \\;",
        "find ~/ -name '*approvals.json' -exec cp -l {} y \\;",
        // What they write below a folder.
        "tsc --rootDir d --outDir ~ d/index.ts",
        "cd ~ && tsc --outDir . d/index.ts",
    ] {
        let e = case().text(text);
        if e.decision == Decision::Allow || !codes(&e).contains(&"self-protection") {
            bad.push(format!("{text}: {:?}", codes(&e)));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn what_others_run_or_obey_is_not_written_without_a_question() {
    let mut bad = Vec::new();
    for text in [
        "git clone -q . ~/.config/git",
        "git clone -q . ~/.CARGO/bin",
        "git worktree add ~/.ssh/x",
        "git clone -q x .claude",
        "cp x ~/.config/git/config",
        "cp x ~someone/.gitconfig",
        "tar xf a.tar -C ~/.local/lib",
        "cat x > .git/config",
        "cat x > .git/hooks/pre-commit",
        "cat x >> .npmrc",
        "cat x > ~/.claude/x",
        "cp x .git/info/attributes",
        "rustc a.rs -o .git/hooks/pre-commit",
        "rustc --print cfg=.git/config",
        "rustc a.rs -o ~/.cargo/bin/rustfmt",
        "gcc -o/home/u/.local/bin/x a.c",
        "prettier --output=.git/config a",
    ] {
        let e = case().text(text);
        if e.decision == Decision::Allow
            || !codes(&e).iter().any(|c| matches!(*c, "hazard" | "self-protection"))
        {
            bad.push(format!("{text}: {:?}", codes(&e)));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A program that opens `/dev/stdout` writes the file that standard output is.
#[test]
fn what_is_opened_to_be_read_is_no_output() {
    let mut bad = Vec::new();
    for text in [
        "sort -o /dev/stdin a.rs < target",
        "sort -o /dev/stderr a.rs 2< target",
        "sort -o /dev/stdout a.rs 1< target",
        "sort -o /dev/stdout a.rs 3< target 1>&3",
        "sort -o /dev/stdout a.rs 3< target 4>&3 1>&4",
        "sort -o /dev/stderr a.rs < target 2>&0",
        "{ sort -o /dev/stdout a.rs 1>&3; } 3< target",
        "exec 1< target; sort -o /dev/stdout a.rs",
        "find . -fprintf /dev/stdin x < target",
    ] {
        if case().text(text).decision == Decision::Allow {
            bad.push(text);
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
    for text in [
        "sort a.rs 2>&1 | cat",
        "sort -o /dev/stdout a.rs < target",
        "sort -o - a.rs 2>/dev/null",
        "{ sort a.rs; cat x >&2; } 2>&1",
        "sort a.rs 3>&1 1>&2 2>&3",
        "cat < target > out/y",
    ] {
        allowed(&case().text(text));
    }
}

#[test]
fn everyday_words_are_no_doubt() {
    for text in [
        "rustc -o out/x a.rs",
        "rustc -C link-arg=-fuse-ld=lld a.rs",
        "cargo test -p x -- src/x",
        "prettier --check 'src/**/*.ts' src/*",
        "gofmt -l src/*.go",
        "npm test -- $TEST",
        "for f in src/*; do rustfmt --check $f; done",
        "make CFLAGS='-O2 -g' -C src all",
        "tsc --outDir out",
        "tar cf out/x.tar src",
        "cp a.rs \"$(pwd)/out\"",
        "cd $(pwd)/src && cargo test",
        "x=$(pwd); cargo test --manifest-path $x/Cargo.toml",
        "ln -s ../p/src y",
        "ln -s src y",
        "cp -l a.rs y",
        "git clone https://example.org/x ~/src/x",
        "git mv a.rs b.rs && git commit -m x",
        "gcc -o out/x a.c",
        "cat a.rs > out/y",
        "cp a.rs ~/.cache/x",
        "cd src && cargo build",
    ] {
        allowed(&case().text(text));
    }
    // A project may lie below such a folder.
    let mut c = case();
    c.inv.cwd = Some(b"/home/u/.openclaw/workspace/p".to_vec());
    for text in ["cp a b", "rustc -o out/x a.rs", "git mv a b", "tar xf a.tar"] {
        allowed(&c.text(text));
    }
}

#[test]
fn names_that_are_no_values() {
    for text in [
        "GIT_CONFIG_GLOBAL=- git status",
        "export GIT_CONFIG_SYSTEM=-; git status",
        "RIPGREP_CONFIG_PATH=-T0 rg x",
        "RIPGREP_CONFIG_PATH=--no-messages rg x",
        "OPENSSL_CONF=- npm test",
        "LC_ALL=zh_CN.GBK sed 's/a/b/' a.rs",
        "LANG=ja_JP.SJIS awk '{print}' a.rs",
        "LC_CTYPE=zh_TW sed 's/a/b/' a.rs",
    ] {
        asks(&case().text(text), "assignment");
    }
    for text in
        ["LC_ALL=C.UTF-8 sed 's/a/b/' a.rs", "LANG=en_US rg x", "LC_ALL=zh_CN.UTF-8 rg x", "LC_ALL=C rg x"]
    {
        allowed(&case().text(text));
    }
    // What was inherited does not come in.
    let mut c = case().env("RIPGREP_CONFIG_PATH=-T0").env("LANG=zh_CN.GBK").env("LC_TIME=C");
    let permit = allowed(&c.text("rg x"));
    let env = permit.env().concat();
    assert!(!env.windows(3).any(|w| w == b"-T0" || w == b"GBK"), "{:?}", permit.env());
}

/// Each is looked for in a folder, and each beside all the others: what that costs has an end.
#[test]
fn thousands_of_patterns_are_a_question_and_no_wait() {
    let begun = std::time::Instant::now();
    for text in [
        format!("mv {} out", "[a]x ".repeat(2_000)),
        format!("tar c {}", "a?x ".repeat(2_000)),
        format!("find . {}", "[a]--x ".repeat(5_000)),
        format!("tar x{}", "$# ".repeat(2_000)),
        format!("rustc {}", "[a]x ".repeat(2_000)),
    ] {
        assert_ne!(case().plain(&text).decision, Decision::Deny, "{}", &text[..20]);
    }
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    assert_eq!(case().plain(&format!("rm -f {}", "[a]x ".repeat(500))).decision, Decision::Ask);
    allowed(&case().plain(&format!("rm -f {}", "[a]*x ".repeat(20))));
    allowed(&case().plain(&format!("gofmt -l {}", "src/*x ".repeat(20))));
}
