//! Words that a text puts together of pieces of its own.
use super::*;

fn case() -> Case {
    let list = [
        "find", "rg", "git", "sed", "awk", "make", "sort", "xargs", "cp", "cat", "head", "echo", "npm",
        "date", "printf", "mkdir", "touch", "ls", "rev", "cut", "tr", "stat", "basename", "rm", "bash", "cc",
        "diff", "grep", "uniq",
    ]
    .map(|p| format!("/usr/bin/{p}"));
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let mut c = Case::new(&list).checked();
    for p in &list {
        c.world = c.world.program(p);
    }
    c
}

/// Fails with all texts that are judged otherwise.
fn judged(allowed: bool, texts: &[&str]) {
    let mut c = case();
    let mut bad = Vec::new();
    for text in texts {
        let e = c.text(text);
        if (e.decision == Decision::Allow) != allowed {
            bad.push(format!("{text}: {:?}", e.findings.iter().map(|f| &f.message).collect::<Vec<_>>()));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn values_are_edited() {
    judged(
        false,
        &[
            "x=er; rg y --p${x#e}e=./evil",
            "x=prex; rg y --${x%x}=./evil",
            "x=prexx; rg y --${x%%x*}=./evil",
            "x=a/pre; rg y --${x##*/}=./evil",
            "x=pre.c; rg y --${x%.c}=./evil",
            "x=xpre; rg y --${x#[w-x]}=./evil",
            "x=xpre; y=x; rg y --${x#$y}=./evil",
            "x=xpre; y=${x#x}; rg y --$y=./evil",
            "x=xpre; y=--${x#x}=./evil; rg y $y",
            "x=xre; rg y --p\"${x#x}\"=./evil",
            "x=xpre; rg y --${NOPE:-${x#x}}=./evil",
            "for x in xpre; do rg y --${x#x}=./evil; done",
            "f() { rg y --${1#x}=./evil; }; f xpre",
            "bash -c 'rg y --${1#x}=./evil' _ xpre",
            "read x <<<xpre; rg y --${x#x}=./evil",
            "x=xSHELL; make ${x#x}=./evil test",
            "x=SHELLx; make ${x%x}=./evil test",
            "x=xsystem; awk \"BEGIN{${x#x}(\\\"./evil\\\")}\"",
            "x=xexec; git rebase --${x#x}=./evil HEAD~1",
            "x=xoutput; git log --${x#x}=out",
            "x=xoutput; sort --${x#x}=out f",
            "x=.exec-guardx; rm -rf ~/${x%x}",
            "x=z; rm -rf ${x:$NOPE} ~/.exec-guard",
            "awk \"BEGIN{sys${NOPE}tem(\\\"./evil\\\")}\"",
            "a=ELL; b=$a; c=$b; d=$c; e=$d; f=$e; g=$f; h=$g; i=$h; j=$i; make SH$j=./evil test",
        ],
    );
    judged(
        true,
        &[
            "for f in *.c; do cc -c \"$f\" -o \"${f%.c}.o\"; done",
            "v=1.2.3; git tag v${v%.*}",
            "b=feature/x; git log origin/${b##*/}",
            "f=src/a.c; git log -1 -- \"${f%.c}.h\"",
            "for f in *.orig; do diff \"$f\" \"${f%.orig}\"; done",
            "for a in x:1 y:2; do git log \"${a%%:*}\"; done",
            "B=$(git branch --show-current); git log origin/${B%-x}..HEAD --oneline",
            "sed -n \"${A},${B}p\" f",
            "sed \"/$PAT/d\" f",
        ],
    );
}

#[test]
fn what_is_read_is_cut() {
    judged(
        false,
        &[
            "IFS=, read a b <<<x,--pre=./evil; rg y $b",
            "IFS=: read a b <<<x:pre; rg y --$b=./evil",
            "IFS=, read -a a <<<x,--pre=./evil; rg y ${a[1]}",
            "IFS=, read -ra a <<<x,pre; rg y --${a[1]}=./evil",
            "IFS=, read a b <<<x,SHELL; make $b=./evil test",
            "while IFS=: read k v; do make $k=$v test; done <<<SHELL:./evil",
            "while IFS=: read k v; do make $k=$v test; done <<E\nSHELL:./evil\nE\n",
            "read -d: a <<<pre:x; rg y --$a=./evil",
            "read -d : a <<<pre:x; rg y --$a=./evil",
            "read -n3 a <<<prex; rg y --$a=./evil",
            "read -rN 3 a <<<prex; rg y --$a=./evil",
            "builtin read a <<<pre; rg y --$a=./evil",
            "n=a; read $n <<<pre; rg y --$a=./evil",
            "echo SHELL,x | { IFS=, read a b; make $a=./evil test; }",
            "echo x:pre | { IFS=: read a b; rg y --$b=./evil; }",
            "x=x:pre; echo $x | { IFS=: read a b; rg y --$b=./evil; }",
            "echo prex | { read -n3 a; rg y --$a=./evil; }",
            "printf 'ELL\\n' | { read x; make SH$x=./evil test; }",
            "xargs -d, git config <<<'alias.z,!./evil,'; git z",
            "xargs -d_ git config <<<'alias.z_!./evil_'; git z",
            "xargs -d , -n1 rg y <<<y,--pre=./evil,f",
            "xargs --delimiter=, make <<<x,SHELL=./evil,test",
            "xargs -n2 git config <<<'a.b c alias.z !./evil'",
            "xargs -E. git config <<<'alias.z !./evil . x'",
            "xargs -L1 git config <<E\na.b c\nalias.z !./evil\nE\n",
            "echo x,SHELL=./evil,test | xargs -d, make",
        ],
    );
    judged(
        true,
        &[
            "IFS=, read a b <<<x,y; git log $a",
            "git log | while IFS=, read -r a b; do echo \"$a\"; done",
            "git ls-files | while IFS= read -r l; do git log -1 -- \"$l\"; done",
            "xargs -d, rg foo <<<a,b",
            "xargs -n1 git log -1 -- <<<'a b'",
            "git ls-files | xargs -n 1 basename",
        ],
    );
}

#[test]
fn braces_make_words() {
    judged(
        false,
        &[
            // bash takes the braces of these away.
            "rg y {--pre=./evil..\"a,b\"}",
            "rg y {'--pre=./evil,b'..x}",
            "rg y {--pre=./evil..$(echo a,b)}",
            "make SHEL{K..M}=./evil test",
            "make {S..T}HELL=./evil test",
            "make {T..S}HELL=./evil test",
            "git grep -{O..O}./evil x",
            "git grep -{A..z..14}./evil x",
            "make {{S,T},x}HELL=./evil test",
            "make {x,{y,S}HELL}=./evil test",
            "x=EL; make SH$x{L..L}=./evil test",
            "make S{!..~}ELL=./evil test",
            "git -{b..c} core.fsmonitor=./evil status",
        ],
    );
    judged(
        true,
        &["make {A..C}", "rg foo {a..c}.txt", "for i in {1..3}; do make test$i; done", "rg x src/{a,b{c,d}}"],
    );
}

#[test]
fn names_of_files_are_words() {
    judged(
        false,
        &[
            "mkdir -p -- --pre=.; touch -- --pre=./evil; rg y *=*/*",
            "mkdir -p -- --pre=.; touch -- --pre=./evil; rg y -*/evil",
            "mkdir -p SHELL=.; touch SHELL=./evil; make */evil test",
            "mkdir -p SHELL=.; touch SHELL=./evil; make S*/evil test",
            "mkdir -p SHELL=.; cp evil SHELL=.; make S*/evil test",
            "mkdir SHELL=.; cd SHELL=.; touch evil; cd ..; make */evil test",
            "mkdir -p SHELL=.; touch SHELL=./evil; ls -d */evil | xargs make test",
            "mkdir -p SHELL=.; touch SHELL=./evil; for x in */evil; do make $x test; done",
            "mkdir -p SHELL=.; touch SHELL=./evil; x='*/evil'; make $x test",
            "mkdir -p SHELL=.; touch SHELL=./evil; bash -c 'make */evil test'",
            "x=SHELL=.; mkdir -p $x; touch $x/evil; make */evil test",
            "mkdir foreach; git submodule f*h ./evil",
            "touch {a,foreach}; git submodule ?oreac[h] ./evil",
            "cc -o foreach x.c; git submodule f*h ./evil",
            "mkdir foreach; git submodule $(ls f*) ./evil",
            "touch ELL; for x in E*; do make SH$x=./evil test; done",
            "f() { mkdir \"$1\"; }; f foreach; git submodule f*h ./evil",
            "echo foreach | xargs mkdir; git submodule f*h ./evil",
            "mkdir foreach; bash -c 'git submodule $1 ./evil' _ f*h",
        ],
    );
    judged(
        true,
        &[
            "touch a.txt; git add *.txt",
            "mkdir -p out; git add out/*",
            "mkdir -p a b; rg foo */",
            "touch foreach; git add *.c",
            "mkdir build; make *.o",
        ],
    );
}

#[test]
fn what_is_printed_is_changed() {
    judged(
        false,
        &[
            "x=`echo ELL`; make SH$x=./evil test",
            "make SH`echo ELL`=./evil test",
            "make S$(printf %s HE LL)=./evil test",
            "make S$(printf 'HELL\\n')=./evil test",
            "make S$(printf '\\x48ELL')=./evil test",
            "make S$(echo LLEH | rev)=./evil test",
            "make SH$(echo -ELL | tr -d -)=./evil test",
            "make SH$(sed 's/.*/ELL/' f)=./evil test",
            "make SH$(ls | sed 's/.*/ELL/')=./evil test",
            "make SH$(git log -1 --format=ELL)=./evil test",
            "make SH$(date +%nELL)=./evil test",
            "make SH$(awk 'BEGIN{print \"E\" \"LL\"}')=./evil test",
            "make SH$(stat -c ELL f)=./evil test",
            "x=ELL; make SH$(echo $x)=./evil test",
            "x=xELL; make SH$(echo \"$x\" | cut -c2-)=./evil test",
            "make SH$(tr a-z A-Z <<<ell)=./evil test",
            "x=EL; make $'SH'$x'L=./evil' test",
            "make $(basename x/SHELL=.) test",
            "make $(basename SHELLx x)=./evil test",
            "make S$(dirname HELL/x)=./evil test",
            "git tag foreach; git submodule $(git describe --tags) ./evil",
            "git checkout -qb ELL; make SH$(git branch --show-current)=./evil test",
            "git commit -m ELL; make SH$(git log -1 --format=%s)=./evil test",
            "git config a.b ELL; make SH$(git config a.b)=./evil test",
            "git tag ELL; git tag | xargs -I% make SH%=./evil test",
            "mkdir SHELL; cd SHELL; make ${PWD##*/}=./evil test",
            "mkdir SHELL; cd SHELL; make $(basename \"$(pwd)\")=./evil test",
            "echo ELL | xargs -I% make SH%=./evil test",
            "xargs -I{} make SH{}=./evil test <<<ELL",
            "echo SHELL | xargs --replace=@ make @=./evil test",
            "f() { for x; do make $x=./evil test; done; }; f SHELL",
            "bash -c 'for x; do make ${x%y}=./evil test; done' _ SHELLy",
        ],
    );
    judged(
        true,
        &[
            "make V=$(git rev-parse HEAD) test",
            "git tag -a v1 -m 'release 1'; make V=$(git describe) test",
            "git commit -m 'a b'; git log -1 --format=%h | xargs git show",
            "ls src | xargs -I% git log -1 -- src/%",
            "make D=$(date +%F) test",
            "git commit -m \"$(printf 'a\\n\\nb')\"",
            "git commit -m \"x $(echo a | tr a b)\"",
            "n=$(grep -c x f | cut -d: -f1); git log -1 -- \"x$n\"",
        ],
    );
}

#[test]
fn pieces_may_be_nothing_and_functions_say_words() {
    judged(
        false,
        &[
            "make SH${x:+a}ELL=./evil test",
            "make SH${HOME+}ELL=./evil test",
            "make SH$!ELL=./evil test",
            "make SHELL$(false)=./evil test",
            "make SHELL$(git diff)=./evil test",
            "make $(git diff)SHELL=./evil test",
            "d=SHELL; make ${d}$(echo q | grep z)=./evil test",
            "make SHELL${x}=./evil test; x=a",
            "make X$(case a in b) echo q;; esac)=./evil test",
            "g(){ echo LL; }; make SHE$(g)=./evil test",
            "g(){ echo \"SHE$1\"; }; make $(g LL)=./evil test",
            "g(){ x=$1; }; g LL; make SHE$x=./evil test",
            "g(){ x=$1; }; g SHELL=./evil; make $x test",
            "(echo SHELL=./evil; echo test) | xargs make",
            "(echo LL) | { read x; make SHE$x=./evil test; }",
        ],
    );
    judged(
        true,
        &["make V=$(git rev-parse HEAD) test", "make -j$(git rev-parse HEAD) test", "x=1; make V=$x test"],
    );
}

/// What is set, read, called and made inside a substitution.
#[test]
fn what_is_said_in_a_substitution_counts() {
    judged(
        false,
        &[
            "echo $(x=pre; rg y --$x=./evil)",
            "echo \"a$(x=./evil; y=SHELL; make $y=$x test)\"",
            "z=$(touch -- --pre=./evil); rg y *=*",
            "z=$(git tag nv); npm run e$(git tag) ./evil",
            "npm run e$(read i <<<nv; echo $i) ./evil",
            "f() { echo $1; }; npm run e$(f nv) ./evil",
            "f() { printf %s \"$@\"; }; git submodule fore$(f ach) ./evil",
            "f() { echo $1; }; if npm run e$(f nv) ./evil; then :; fi",
        ],
    );
    judged(
        true,
        &["echo $(x=a; rg y $x)", "f() { echo $1; }; echo $(f build)", "z=$(git tag v1); npm run build"],
    );
}

/// Words that are put together in a way that is not followed may be several, and so operands that write.
#[test]
fn words_that_are_not_followed_may_be_several() {
    judged(
        false,
        &[
            "uniq $(printf '%s\\n' f out)",
            "x=$(printf '%s %s' f out); uniq $x",
            "f() { for i in f out; do echo \"$i\"; done; }; uniq $(f)",
            "{ echo f; echo out; } | xargs uniq",
            "uniq $(echo f; echo out)",
            "f() { (echo f; printf %s out); }; uniq $(f)",
            "f() { if true; then echo 'f out'; fi; }; uniq $(f)",
            "printf '%s ' f out | { read x; uniq $x; }",
            "g() { echo 'f out'; }; f() { if true; then g; fi; }; uniq $(f)",
            "f() { echo f out; }; f | xargs uniq",
            "x=$(echo f out); uniq $x",
            "x=$(echo 'f' 'out'); y=$x; uniq $y",
            "echo 'f out' | { read x; uniq $x; }",
            "echo 'f out' | cat | while read x; do uniq $x; done",
            "if true; then echo 'f out'; fi | while read x; do uniq $x; done",
            "for i in f out; do echo \"$i\"; done | xargs uniq",
            "f() { for i in f out; do echo \"$i\"; done; }; f | xargs uniq",
            "echo 'f out' | sed '' | { read x; uniq $x; }",
            "f() { uniq $1; }; f 'f out'",
            "f() { uniq $@; }; f f out",
            "set -- f out; uniq $@",
            "x=(f out); uniq ${x[@]}",
            "x='f out'; y=\"$x\"; uniq $y",
            "x=f; y=\"$x out\"; uniq $y",
            "x=f; x+=' out'; uniq $x",
            "read x <<<'f out'; uniq $x",
            "cat <<<'f out' | xargs uniq",
            "uniq {f,out}",
            "echo 'f out' | sed '' | while read x; do uniq $x; done",
        ],
    );
    judged(
        true,
        &[
            "uniq $(git ls-files)",
            "uniq $(ls | head -1)",
            "uniq \"$(printf '%s' f)\"",
            "for f in $(git ls-files); do uniq \"$f\"; done",
            "uniq f",
        ],
    );
}
