//! Operands that a text makes: several words of one substitution, of a list, of a pipe to xargs.
use super::*;

const PROGRAMS: &[&str] = &[
    "xargs", "echo", "cat", "git", "ls", "printf", "find", "sort", "uniq", "xxd", "make", "npm", "rg",
    "mkdir", "wc", "touch", "head", "tail", "cp", "seq", "date", "basename",
];

/// In `/home/u/p`, a repository.
fn case() -> Case {
    let list: Vec<String> = PROGRAMS.iter().map(|p| format!("/usr/bin/{p}")).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let mut c = Case::new(&list).checked();
    for p in &list {
        c.world = c.world.program(p);
    }
    c.world = c.world.program("/home/u/p/.git/HEAD").program("/home/u/p/.git/hooks/x.sample");
    c.policy.dynamic_option_ask = false;
    c
}

/// Fails with all texts that are judged otherwise.
fn judged(allowed: bool, texts: &[&str]) {
    let mut bad = Vec::new();
    for text in texts {
        let e = case().text(text);
        if (e.decision == Decision::Allow) != allowed {
            bad.push(format!("{text}: {:?}", e.findings.iter().map(|f| &f.message).collect::<Vec<_>>()));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_setting_of_git_that_nobody_knows_is_asked_about() {
    judged(
        false,
        &[
            "git config $(echo alias.z '!./evil')",
            "git config --global $(echo alias.z '!./evil')",
            "git config $(cat <<<'alias.z !./evil')",
            "echo alias.z '!./evil' | xargs git config",
            "echo core.fsmonitor ./evil | xargs git config",
            "echo core.hooksPath . | xargs git config",
            "git config $(echo core.hooksPath .)",
            "echo \"'alias.z' '!./evil'\" | xargs git config",
            "echo 'co\"re.fsmonitor\" ./evil' | xargs git config",
            "echo '\"include.path\" ../cfg' | xargs git config",
            "echo '\"remote.origin.uploadpack\" ./evil' | xargs git config",
            "xargs git config <<<'alias.z !./evil'",
            "f(){ git config \"$@\"; }; f alias.z '!./evil'",
            "x=(alias.z '!./evil'); git config \"${x[@]}\"",
            "x='alias.z !./evil'; git config $x",
            "cat f | xargs git config",
            "git config \"$k\" \"$v\"",
            "git config $x user.name y",
            "echo alias.z | xargs -I% git config % '!./evil'",
            "echo config alias.z '!./evil' | xargs git",
            "git $(echo config alias.z '!./evil')",
            "git $(echo -c alias.z='!./evil' z)",
            "git config set $(echo alias.z '!./evil')",
        ],
    );
    judged(
        true,
        &[
            "git config user.name \"$NAME\"",
            "git config user.name $NAME",
            "git config --get \"$k\"",
            "git config --get $k",
            "git config \"$k\"",
            "git config \"branch.$b.merge\"",
            "git config --unset \"$k\"",
            "git config get \"$k\"",
            "git config --list | xargs echo",
            "git config color.ui $(echo auto)",
            "echo x | xargs git config --get",
        ],
    );
}

#[test]
fn words_that_are_made_together_are_operands_together() {
    judged(
        false,
        &[
            "uniq $(echo f out)",
            "uniq `echo f out`",
            "echo f out | xargs uniq",
            "x='f out'; uniq $x",
            "x=(f out); uniq \"${x[@]}\"",
            "set -- f out; uniq \"$@\"",
            "uniq <<<x $(cat <<<'f out')",
            "xargs uniq <<<'f out'",
            "echo hex out | xargs xxd -r -p",
            "echo '\"-rp\" hex out' | xargs xxd",
            "echo '\"-o\" out f' | xargs sort",
            "echo -o out f | xargs sort",
            "sort $(echo -o out f)",
            "echo -f log test | xargs make",
            "make $(echo -f log test)",
            "echo env ./evil | xargs npm run",
            "npm run $(echo env ./evil)",
            "echo \"'env' ./evil\" | xargs npm run",
            "printf '%s %s' f out | xargs uniq",
            "echo f out | cat | xargs uniq",
            "echo 'f\\ x out' | xargs uniq",
            "git symbolic-ref HEAD refs/heads/env; npm run $(git branch --show-current) ./evil",
            "git commit -qm env --allow-empty; npm run $(git cat-file -p HEAD | tail -1) ./evil",
        ],
    );
    judged(
        true,
        &[
            "uniq $(echo f)",
            "echo f | xargs uniq",
            "ls | xargs -n1 echo",
            "git branch --format='%(refname:short)' | xargs -n1 git log -1",
            "git ls-files | xargs wc -l",
            "git ls-files '*.rs' | xargs wc -l",
            "echo a b c | xargs -n1 echo",
            "echo a b | xargs sort",
            "sort $(echo a b)",
            "make $(echo build test)",
            "echo build test | xargs make",
            "npm run $(echo build)",
            "git add $(echo a b)",
            "git log --oneline -- $(echo a b)",
        ],
    );
}

#[test]
fn what_git_puts_somewhere_is_looked_at_where_the_text_says_it() {
    judged(
        false,
        &[
            "echo pre-commit .git/hooks/pre-commit | xargs git mv",
            "echo '\"pre-commit\" .git/hooks/pre-commit' | xargs git mv",
            "git mv $(echo pre-commit .git/hooks/)",
            "git mv pre-commit $(ls -d .git)/hooks/",
            "echo .git/hooks/ | xargs git mv pre-commit",
            "find . -name hooks | xargs git mv pre-commit",
            "find . -name '*oks' | xargs git mv pre-commit",
            "find . -path '*/hoo*' | xargs git mv pre-commit",
            "find . -regex '.*h.oks' | xargs git mv pre-commit",
            "find . -type d | xargs git mv pre-commit",
            "find . -name hooks | xargs cp evil",
            "find . -name hooks -exec cp evil {} \\;",
            "find . -type d -exec cp evil {} \\;",
            "find . -path '*/hoo*' -exec cp evil {}/pre-commit \\;",
            "find . -name config -exec cp evil {} +",
            "git mv pre-commit \"$(find . -name hooks)\"",
            "ls -d .git/hooks | xargs git mv pre-commit",
            "git clone -q . $(ls -d .git)/hooks/x",
            "git worktree add $(ls -d .git)/hooks/x",
            "d=.git/hooks; git mv x $d",
            "f(){ git mv \"$@\"; }; f x .git/hooks/y",
        ],
    );
    judged(
        true,
        &[
            "for f in *.c; do git mv \"$f\" src/; done",
            "for f in *.c; do git mv \"$f\" \"${f%.c}.cc\"; done",
            "git mv \"$f\" dir/",
            "ls *.c | xargs -I% git mv % src/",
            "git ls-files '*.c' | xargs -I% git mv % src/",
            "find src -name '*.c' | xargs -I% git mv % lib/",
            "find . -name '*.c' -not -path './.git/*' | xargs -I% cp % out/",
            "find . -type f -name '*.txt' | xargs -I% cp % out/",
            "find . -type f -name '*.txt' -exec cp {} out/ \\;",
            "find . -type f -exec cp {} out/ \\;",
            "find . -name config -exec cp {} out/ \\;",
            "find src -name '*.orig' -exec cp {} /w/ \\;",
            "git rm $(git ls-files --deleted)",
            "git checkout $(git rev-parse HEAD)",
            "git restore $(git diff --name-only)",
        ],
    );
}

#[test]
fn folders_that_git_makes_have_files_in_them() {
    judged(
        false,
        &["git clone -q . 'SHELL=.'; make S*/evil test", "git clone -q . -- '--pre=.'; rg y *=*/evil"],
    );
    judged(true, &["git clone -q . x; wc -l x/*.c", "mkdir -p out; wc -l */x"]);
}
