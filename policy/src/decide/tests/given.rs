//! Words given to a text: each of them is one that a variable in it may become.
use super::*;

fn case() -> Case {
    let mut c = Case::new(&["/usr/bin/find", "/usr/bin/rg", "/usr/bin/git", "/usr/bin/sed"]).checked();
    for p in ["rg", "sed", "zsh"] {
        c.world = c.world.program(&format!("/usr/bin/{p}"));
    }
    c
}

#[test]
fn a_word_given_to_a_text_is_an_option_of_its_programs() {
    let mut c = case();
    for words in [
        &["bash", "-c", "find \"$0\"", "-delete"][..],
        &["bash", "-c", "find . $0", "-delete"],
        &["bash", "-c", "find . \"$1\"", "_", "-delete"],
        &["bash", "-c", "find . \"$@\"", "_", "-name", "x", "-delete"],
        &["bash", "-c", "find . \"$*\"", "_", "-delete"],
        &["bash", "-c", "find . ${1}", "_", "-delete"],
        &["bash", "-c", "find . $1", "_", "x -delete"],
        &["bash", "-c", "find . \"-$1\"", "_", "delete"],
        &["bash", "-c", "x=$1; find . \"$x\"", "_", "-delete"],
        &["bash", "-c", "for x in \"$@\"; do find . \"$x\"; done", "_", "-delete"],
        &["bash", "-c", "f() { find . \"$1\"; }; f \"$@\"", "_", "-delete"],
        &["bash", "-c", "bash -c 'find . \"$0\"' \"$0\"", "-delete"],
        &["bash", "-c", "rg \"$@\"", "x", "--pre", "./evil"],
        &["bash", "-c", "rg \"$@\"", "_", "--pre=./evil"],
        &["bash", "-c", "git \"$@\" status", "_", "-c", "core.fsmonitor=./evil"],
        &["bash", "-c", "git -c \"$1\" status", "_", "core.fsmonitor=./evil"],
        &["bash", "-c", "sed \"$1\" f", "_", "1e id"],
        &["bash", "-c", "shift; sed \"$1\" f", "_", "p", "1e id"],
        &["bash", "-c", "f() { sed \"$1\" f; }; f \"$2\"", "_", "p", "1e id"],
        &["bash", "-c", "bash -c 'sed \"$1\" f' \"$@\"", "_", "p", "1e id"],
        &["bash", "-c", "sed \"${10}\" f", "_", "1", "2", "3", "4", "5", "6", "7", "8", "9", "1e id"],
        &["bash", "-c", "sed -n -e \"$1\" f", "_", "w out"],
        &["sh", "-c", "find \"$0\"", "-delete"],
        &["zsh", "-c", "find $argv[1]", "_", "-delete"],
    ] {
        for e in [c.argv(words), c.link(words)] {
            assert_eq!(e.decision, Decision::Ask, "{words:?}");
            let ground = |f: &&str| matches!(*f, "hazard" | "dynamic-option" | "wrapper");
            assert!(codes(&e).iter().any(ground), "{words:?}: {:?}", e.findings);
        }
    }
    for text in [
        "f() { find . \"$@\"; }; f -delete",
        "f() { rg \"$1\" x; }; f --pre=./evil",
        "f() { rg \"$1\" x; }; y=--pre=./evil; f \"$y\"",
        "f() { rg \"$1\" x; }; f \"$(printf %s --pre=./evil)\"",
        "g() { find . \"$1\"; }; f() { g \"-$1\"; }; f delete",
        "y=--pre=./evil; bash -c 'rg \"$1\" x' _ \"$y\"",
        "bash -c 'rg \"$1\" x' _ \"$(printf %s --pre=./evil)\"",
    ] {
        assert_eq!(c.text(text).decision, Decision::Ask, "{text}");
    }
    c.inv.form = Form::Text { text: b"find \"$0\"".to_vec(), shell: None, args: vec![b"-delete".to_vec()] };
    let e = decide_as(c.policy.clone(), &c.inv, &c.world);
    assert_eq!(e.decision, Decision::Ask);
}

/// The environment is known as well.
#[test]
fn a_variable_from_outside_is_an_option_of_its_programs() {
    let list = ["find", "rg", "git", "sed", "awk", "tar", "bash", "xargs"].map(|p| format!("/usr/bin/{p}"));
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let with = |value: &str| {
        let mut c = Case::new(&list).checked().env(&format!("x={value}"));
        for p in ["rg", "sed", "awk", "tar"] {
            c.world = c.world.program(&format!("/usr/bin/{p}"));
        }
        c
    };
    for (value, text) in [
        ("-ne1e id", "sed \"$x\" f"),
        ("1e id", "sed \"$x\" f"),
        ("1e id", "sed -e \"$x\" f"),
        ("y-ne1e id", "sed \"${x#y}\" f"),
        ("-ne1e id", "sed \"${x:-p}\" f"),
        ("-ne1e id", "y=$x; sed \"$y\" f"),
        ("-ne1e id", "for y in \"$x\"; do sed \"$y\" f; done"),
        ("-ne1e id", "f() { sed \"$1\" f; }; f \"$x\""),
        ("-ne1e id", "bash -c 'sed \"$x\" f'"),
        ("-ne1e id", "bash -c 'sed \"$1\" f' _ \"$x\""),
        ("BEGIN{system(\"id\")}", "awk \"$x\" f"),
        ("-fevil", "awk \"$x\" f"),
        ("-delete", "find . \"$x\""),
        ("--pre=./evil", "rg y \"$x\""),
        ("--pre ./evil", "rg y $x"),
        ("-ccore.pager=./evil", "git \"$x\" log"),
        ("--to-command=./evil", "tar xf a \"$x\""),
        ("--pre=./evil", "echo \"$x\" | xargs rg y"),
    ] {
        assert_eq!(with(value).text(text).decision, Decision::Ask, "x='{value}' {text}");
    }
    for (value, text) in [
        ("s/a/b/", "sed \"$x\" f"),
        ("/home/a-b", "rg y \"$x\""),
        ("/home/a-b", "rg y \"${x:-/root}/src\""),
        ("main", "git log \"${x:-HEAD}\""),
        ("-n", "rg y \"$x\""),
        ("--pre=./evil", "rg y \"$PWD\""),
    ] {
        let e = with(value).text(text);
        assert_eq!(e.decision, Decision::Allow, "x='{value}' {text}: {:?}", e.findings);
    }
}

/// More words than are tried are as good as unknown.
#[test]
fn too_many_words_ask() {
    let mut c = case();
    for (count, ask) in [(100, false), (300, true)] {
        let mut words = vec!["bash", "-c", "rg \"$x\" x", "_"];
        let many: Vec<String> = (0..count).map(|n| n.to_string()).collect();
        words.extend(many.iter().map(String::as_str));
        assert_eq!(c.argv(&words).decision == Decision::Ask, ask, "{count}");
    }
}

#[test]
fn harmless_words_pass_and_so_does_what_is_not_given() {
    let mut c = case();
    for words in [
        &["bash", "-c", "find \"$0\"", "src"][..],
        &["bash", "-c", "rg x \"$@\"", "--", "src", "lib"],
        &["bash", "-c", "git log \"$1\"", "_", "a -delete"],
        &["bash", "-c", "sed -n \"$1\" \"$2\"", "_", "5p", "file"],
        &["bash", "-c", "find src -name \"$1\"", "_", "x", "-delete"],
        &["bash", "-c", "rg -n \"$1\" src", "_", "fn main"],
        &["bash", "-c", "rg x *.rs", "_", "--pre"],
        &["bash", "-c", "find src -name x", "_", "-delete"],
        &["bash", "-c", "f() { rg x $y; }; f a", "_"],
        &["bash", "-c", "f() { g \"$1/x\" \"$@\"; }; g() { rg x \"$1\"; }; f a", "_"],
        &["bash", "-c", "f() { rg x \"$1\"; }; y=a; f \"$y\" \"$(pwd)\" *.c", "_"],
    ] {
        for e in [c.argv(words), c.link(words)] {
            assert_eq!(e.decision, Decision::Allow, "{words:?}: {:?}", e.findings);
        }
    }
    // What is not written beside it stays what `dynamicOption` says.
    allowed(&c.text("rg $x y"));
    allowed(&c.text("f() { rg \"$1\" z; }; f x; rg $y z -- -x"));
}

/// A word that is put together of what the text says is looked at as a whole.
#[test]
fn a_word_that_the_text_puts_together() {
    let list = [
        "find", "rg", "git", "sed", "awk", "make", "sort", "xargs", "cp", "cat", "head", "echo", "npm",
        "date", "printf",
    ]
    .map(|p| format!("/usr/bin/{p}"));
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let mut c = Case::new(&list).checked();
    c.inv.guard.own_paths = vec![b"/home/u/.exec-guard".to_vec()];
    for p in &list {
        c.world = c.world.program(p);
    }
    let mut bad = Vec::new();
    for text in [
        "x=pre; rg y --$x=./evil",
        "x=e; rg y --pr$x=./evil",
        "x=O; git grep -$x./evil x",
        "x=exec; git rebase --$x=./evil HEAD~1",
        "x=upload-pack; git fetch --$x=./evil . HEAD",
        "x=output; git log --$x=out",
        "x=put; git log --out$x=out",
        "x=output; sort --$x=out f",
        "for x in pre; do rg y --$x=./evil; done",
        "f() { rg y --$1=./evil; }; f pre",
        "bash -c 'rg y --$1=./evil' _ pre",
        "echo pre | xargs -I% rg y --%=./evil",
        "xargs -I% rg y --%=./evil <<<pre",
        "read x <<<pre; rg y --$x=./evil",
        "echo pre | while read x; do rg y --$x=./evil; done",
        "rg y --$(echo pre)=./evil",
        "rg y --${NOPE:-pre}=./evil",
        "x=pre; y=--$x=./evil; rg y $y",
        "x=pre; rg y -{-,x}$x=./evil",
        "rg y $(cat <<<--pre=./evil)",
        "rg y $(head -n1 <<<--pre=./evil)",
        "git grep $(cat <<<-O./evil) x",
        "x=SHELL; make $x=./evil test",
        "make $(echo SHELL)=./evil test",
        "make $(date +SHELL=./evil) test",
        "xargs make <<<SHELL=./evil",
        "xargs sed -n <<<'1e./evil f'",
        "xargs git config <<<'alias.z !./evil'; git z",
        "x=core; git -c $x.fsmonitor=./evil status",
        "x=core.fsmonitor; git -c $x=./evil status",
        "x=alias; git config $x.z '!./evil'; git z",
        "x=system; awk \"BEGIN{$x(\\\"./evil\\\")}\"",
        "x='\"./evil\"|getline'; awk \"BEGIN{$x}\"",
        "awk \"BEGIN{$(echo system)(\\\"./evil\\\")}\"",
        "awk \"$(cat s)\" f",
        "sed -e \"$(cat s)\" f",
        "x=e; sed \"1s/x/.\\/evil/$x\" f",
        "x='w out'; sed \"s/x/y/$x\" f",
        "x=exec; cp p ~/.$x-guard/exec-approvals.json",
        "x=exec; cp p $HOME/.$x-guard/exec-approvals.json",
        "x=.git; git checkout-index --prefix=$x/hooks/ pre-commit",
        "x=.git; cp cfg $x/config",
        "x=config; cp cfg .git/$x",
    ] {
        if c.text(text).decision == Decision::Allow {
            bad.push(text);
        }
    }
    for text in [
        "for app in web api; do git log --oneline -- \"apps/$app\"; done",
        "V=$(git describe --tags); git tag -a \"v$V\" -m \"deployed $V\"",
        "n=5; git log -n$n --format='%h %s'",
        "for f in a.txt b.txt; do sed -n \"1,5p\" \"src/$f\"; done",
        "d=src; rg -n \"TODO|FIXME\" \"$d/lib\"",
        "x=foo; sed \"s/$x/bar/\" f",
        "x=3; awk \"NR==$x\" f",
        "rg y \"$(git rev-parse --show-toplevel)/src\"",
        "git commit -m \"$(printf 'a\\n\\nb')\"",
        "git log --format=%h | head -n 3 | xargs -n1 git show --stat",
        "git log -1 --format=%H | xargs git show",
        "git log --since=$(date +%F)",
        "dest=build; cp a.txt \"$dest/\"",
    ] {
        let e = c.text(text);
        if e.decision != Decision::Allow {
            bad.push(text);
            eprintln!("{text}: {:?}", e.findings);
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}
