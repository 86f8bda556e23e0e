//! Words that lead to the guard's own files by a link, a pattern, a value, or what another command prints or makes.
use super::*;

const PROGRAMS: &[&str] = &[
    "find", "xargs", "cp", "cat", "head", "echo", "git", "tee", "ls", "rm", "mv", "ln", "tar", "mkdir",
    "touch", "grep", "readlink", "realpath", "printf", "chmod", "mktemp", "date", "dirname", "tail", "sh",
];

/// In `/home/u/p`, where `linked`, `h` leads to the guard's folder, `hh` to the home, and `x.json` to the policy.
fn case(linked: bool) -> Case {
    let list: Vec<String> = PROGRAMS.iter().map(|p| format!("/usr/bin/{p}")).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let mut c = Case::new(&list).checked();
    for p in &list {
        c.world = c.world.program(p);
    }
    for file in ["pol.json", "dd/exec-approvals.json", "a/x", "b/x", "node_modules/x/y"] {
        c.world = c.world.file(&format!("/home/u/p/{file}"), b"");
    }
    c.world = c
        .world
        .link("/home/u/p/node_modules/.bin/x", "/home/u/p/node_modules/x/y")
        .link("/home/u/p/away", "/nowhere");
    c.world = c.world.file("/home/u/.exec-guard/exec-approvals.json", b"");
    if linked {
        c.world = c
            .world
            .link("/home/u/p/h", "/home/u/.exec-guard")
            .link("/home/u/p/hh", "/home/u")
            .link("/home/u/p/x.json", "/home/u/.exec-guard/exec-approvals.json");
    }
    c
}

#[test]
fn words_that_lead_to_the_guard() {
    let many: Vec<String> = (0..80).map(|n| format!("a{n}")).collect();
    let many = format!("for x in {} h; do cp dd/exec-approvals.json $x; done", many.join(" "));
    let mut bad = Vec::new();
    for text in [
        "ls -a ~ | grep guard | xargs -I% rm -rf ~/%",
        "find ~ -maxdepth 1 -name '.e*' | xargs rm -rf",
        "find ~/.exec* -type f | xargs rm",
        "ls -dA ~/.e* | xargs -I% mv % gone",
        "xargs touch <<<'\"/home/u/.exec\"-guard/zz'",
        "xargs touch <<<'/home/u/.exec\\-guard/zz'",
        "rm -f $(find ~ -name 'exec-a*')",
        "for f in x.*; do cp pol.json $f; done",
        "for f in x.*; do cp pol.json \"${f%.json}.json\"; done",
        "cp dd/exec-approvals.json $(ls -d h)",
        "cp dd/exec-approvals.json $(echo h)",
        "cp dd/exec-approvals.json $(readlink h)",
        "cp dd/exec-approvals.json \"`readlink h`\"",
        "cp pol.json \"$(realpath x.json)\"",
        "rm -rf $(readlink h)",
        "x=$(ls -d h); cp dd/exec-approvals.json \"$x\"",
        "p=h; q=$p; cp dd/exec-approvals.json $(echo $q)",
        "realpath x.json | xargs cp pol.json",
        "ls -d h | xargs cp dd/exec-approvals.json",
        "ls | xargs -n1 cp pol.json",
        "xargs cp pol.json <<<x.json",
        "for f in $(ls); do cp pol.json $f; done",
        "find . -type l | xargs cp pol.json",
        "find . -name 'x.j*' | while read f; do cp pol.json \"$f\"; done",
        "find . -maxdepth 1 -type l -exec cp dd/exec-approvals.json {} \\;",
        "touch $(ls -d h)/zz",
        "ls -d h | xargs -I% touch %/zz",
        "mkdir $(ls -d h)/zz",
        "mv h yy; cp dd/exec-approvals.json yy",
        "cp -P x.json yy; cp pol.json yy",
        "mv hh y1; mv y1 y2; rm -rf y2/.e*",
        "ln -s ~/.exec* z; cp dd/exec-approvals.json z",
        "ln -s $HOME z; rm -rf z/.e*",
        "git clone -q . cc; cp pol.json cc/x.json",
        "git clone -q . cc; touch cc/h/zz",
        "git worktree add -q wt; touch wt/h/zz",
        "tar cf a.tar h; mkdir t; tar xf a.tar -C t; cp dd/exec-approvals.json t/h",
        "f() { cp pol.json yy; }; mv x.json yy; f",
        "for i in 1 2; do cp pol.json yy; mv x.json yy; done",
        "cp -a . /w; cp pol.json /w/x.json",
        "f() { cp pol.json \"$1\"; }; f x.json",
        "f() { cp pol.json \"$1\"; }; f x.*",
        "f() { cp pol.json \"$@\"; }; f $(ls x.*)",
        "sh -c 'cp pol.json \"$1\"' _ x.j*",
        "find . -type l -exec sh -c 'cp pol.json \"$1\"' _ {} \\;",
        "ls | xargs -I{} sh -c 'cp pol.json \"$1\"' _ {}",
        "printf '%s.json' x | xargs cp pol.json",
        "ls -d $PWD/h/* | xargs rm",
        "rm -rf \"$PWD/h\"/*",
        many.as_str(),
    ] {
        let mut c = case(true);
        c.world = c.world.program("/home/u/p/.git/HEAD");
        let e = c.text(text);
        if e.decision != Decision::Ask || !codes(&e).contains(&"self-protection") {
            bad.push(format!("{text}: {:?}", e.findings));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A value that is too long to be cut to the byte, or cut by a pattern that is known at run time only, may be any piece of
/// itself.
#[test]
fn words_that_are_cut_out_of_long_ones() {
    let own = format!("{}/home/u/.exec-guard", "a".repeat(1100));
    let mut bad = Vec::new();
    for text in [
        "x=OWN/zz; touch ${x##*a}",
        "x=OWN/zz; y=${x#*a}; touch $y",
        "x=OWN/zz; touch $(echo ${x##*a})",
        "x=OWN/zz; echo ${x##*a} | xargs touch",
        "x=OWN/zz; echo ${x##*a} | while read -r y; do touch \"$y\"; done",
        "x=OWN/zz; f() { touch \"$1\"; }; f ${x##*a}",
        "f() { touch ${1##*a}; }; f OWN/zz",
        "for x in OWN/zz; do touch ${x##*a}; done",
        "read -r x <<<OWN/zz; touch ${x##*a}",
        "echo OWN/zz | { read -r x; touch ${x##*a}; }",
        "x=OWN; cd ${x##*a} && touch zz",
        "x=OWN; cd ${x##*a}; touch zz",
        "x=OWN; for d in ${x##*a}; do touch $d/zz; done",
        "for x in MANY b/home/u/.exec-guard/zz; do touch ${x#?}; done",
    ] {
        let many: Vec<String> = (0..70).map(|n| format!("a{n}")).collect();
        let text = text.replace("OWN", &own).replace("MANY", &many.join(" "));
        let e = case(false).text(&text);
        if e.decision == Decision::Allow {
            bad.push(text.chars().rev().take(60).collect::<String>().chars().rev().collect::<String>());
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
    // Long as it may be, what is not cut is what it is.
    let text =
        format!("x={}; touch $x \"${{x:-y}}\"; v=$(git describe); touch \"${{v#v}}.txt\"", "b".repeat(1100));
    allowed(&case(false).text(&text));
}

#[test]
fn ordinary_words_lead_elsewhere() {
    let mut bad = Vec::new();
    for text in [
        "rm -rf node_modules/*",
        "cp -r node_modules x",
        "rm -rf */build",
        "rm -rf */*",
        "for d in */; do rm -rf \"$d/target\"; done",
        "find . -name '*.o' | xargs rm",
        "rm -rf build && mkdir -p build",
        "mv a b; cp c b",
        "mkdir -p out && cp dd/* out/",
        "for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done",
        "for f in *.c; do cp \"$f\" /w/; done",
        "git ls-files -z | xargs -0 rm",
        "ls *.log | xargs rm",
        "ls -t *.log | tail -n +5 | xargs rm -f",
        "cat list | xargs rm -f",
        "find ~ -name '*.pyc' | xargs rm",
        "find . -name '*.bak' -exec rm {} \\;",
        "find . -name '*.sh' -exec chmod +x {} +",
        "find . -name node_modules -prune -exec rm -rf {} +",
        "rm $(git ls-files --deleted)",
        "D=$(mktemp -d); cp pol.json \"$D/x\"; rm -rf \"$D\"",
        "touch $(date +%F).log",
        "tar cf a.tar dd; tar xf a.tar",
        "tar xf a.tar; mkdir -p out",
        "cp pol.json out; tar xf a.tar",
        "git clone -q https://example.org/x.git && cp pol.json x/",
        "git worktree add ../wt && cp pol.json ../wt/",
        "cp pol.json \"$(dirname dd/x)/y\"",
        "chmod +x node_modules/.bin/*",
        "for f in $(git diff --name-only); do cp \"$f\" dd/; done",
        "cp pol.json{,.bak}",
        "rm -rf \"$PWD/build\"",
        "rm -rf ~/proj/build",
        "ln -s ../dd dd2",
        "for d in */; do git -C \"$d\" pull; done",
        "for d in a b; do git -C $d pull; done",
        "f() { rm -rf \"$1\"; }; f build",
        "for f in *; do touch \"$f\"; done",
        "chmod +x *; touch away; cp dd/* .",
        "mv dd/* .",
        "git diff --name-only | xargs touch",
        "ls *.tar.gz | xargs -n1 tar xzf",
        "f() { cp \"$1\" dd/; }; for i in *.c; do f \"$i\"; done",
        "find . -name '*.c' -exec sh -c 'cp \"$1\" dd/' _ {} \\;",
        "find . -name '*.c' -exec sh -c 'mv \"$1\" \"${1%.c}.d\"' _ {} \\;",
        "ls | xargs -I{} sh -c 'rm -f \"$1\"' _ {}",
        "f() { mkdir -p out; touch out/x; }; f",
        "f() { git mv a/x dd/; }; f && f",
    ] {
        let e = case(false).text(text);
        if e.decision != Decision::Allow {
            bad.push(format!("{text}: {:?}", e.findings));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// The guard's own files named by a program that is none of those known to write, whatever the spelling.
#[test]
fn names_of_the_guard_are_seen_in_every_spelling() {
    let mut bad = Vec::new();
    for text in [
        "v=~/.exec-guard; WORD $v",
        "v=~/.exec-guard; WORD --dir=$v",
        "v=~/.exec-guard/x; u=$v; WORD \"$u\"",
        "for v in ~/.exec-guard; do WORD $v; done",
        "v=~/.exec-guardx; WORD ${v%x}",
        "v=(~/.exec-guard); WORD ${v[0]}",
        "v=~/.exe; WORD \"$v\"c-guard",
        "f() { WORD $v; }; v=~/.exec-guard; f",
        "f() { WORD $1; }; f ~/.exec-guard",
        "v=~/.exec-guard; bash -c 'WORD $1' _ $v",
        "WORD ~/.exe''c-guard",
        "WORD ~/.exec\\-guard/x",
        "WORD ~/\".exec-guard\"",
        "case a in a) v=~/.exec-guard;; esac; WORD $v",
    ] {
        let mut c = case(false).env("HOME=/home/u");
        let text = text.replace("WORD", "date");
        let e = c.text(&text);
        if e.decision == Decision::Allow || !codes(&e).contains(&"self-protection") {
            bad.push(format!("{text}: {:?}", codes(&e)));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
    for text in ["v=~/proj; date $v", "date ~/.exec''utor", "v='~/x'; date \"$v\""] {
        allowed(&case(false).env("HOME=/home/u").text(text));
    }
}

/// Words for `cd` that may be the guard's folder, or one above it.
#[test]
fn folders_that_a_cd_may_come_to() {
    let mut c = case(true);
    let mut bad = Vec::new();
    for text in [
        "cd ~/.exec-g*; touch zz",
        "cd ~/.e* && rm -f exec-approvals.json",
        "cd \"$(ls -dA ~/.e*)\"; touch zz",
        "cd $(ls -d h); touch zz",
        "cd [h] && touch zz",
        "d=h; cd $d; touch zz",
        "f(){ cd $1; touch zz; }; f h",
        "read d <<<h; cd $d; touch zz",
        "for d in */; do (cd $d; touch zz); done",
        "for d in */; do touch \"$d/zz\"; done",
        "cd ~/.exec${x:+a}-guard; touch zz",
        "for i in 1 2; do touch zz; cd h; done",
        "touch ~/.exec${x:+a}-guard/zz",
        "g(){ echo .exec-guard; }; touch ~/$(g)/zz",
        "cp pol.json ${x:+a}x.json",
        "f() { touch zz; }; cd h && f",
        "f() { touch zz; }; (cd h; f)",
        "f() { touch zz; }; echo $(cd h; f)",
        "f() { touch zz; }; g() { cd h; f; }; g",
        "f() { touch zz; }; pushd h; f",
        "f() { touch zz; }; command cd h; f",
        "cd h; f() { touch zz; }; f",
        "cd h && f() { touch zz; } && f",
        "f() { echo x; } >zz; cd h; f",
    ] {
        if c.text(text).decision == Decision::Allow {
            bad.push(text);
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
    let mut c = case(false);
    for text in [
        "for d in */; do (cd $d && git status); done",
        "for d in */; do (cd $d && touch zz); done",
        "cd a* && touch zz",
        "cd $(git rev-parse --show-toplevel) && git status",
        "cd \"$d\" && touch zz",
        "d=a; cd $d && touch zz",
    ] {
        allowed(&c.text(text));
    }
}
