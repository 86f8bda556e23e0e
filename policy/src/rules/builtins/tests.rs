//! Every profile, in every shell, both ways.
use super::*;
use crate::tables::builtins::WRAPPERS;
use Dialect::{Bash, Dash, Zsh};

/// Words split at blanks; `$…` and `"…$…"` become dynamic as the parser makes them, `''` is empty.
fn words(line: &str) -> Vec<Arg> {
    line.split(' ')
        .filter(|w| !w.is_empty())
        .map(|w| match w.find('$') {
            Some(at) => Arg::Dynamic {
                source: w.as_bytes().to_vec(),
                prefix: w[..at].trim_start_matches('"').replace('"', "").into_bytes(),
                single: w.ends_with('"') && !w.contains("$@"),
            },
            None if w == "''" => Arg::lit(""),
            None => Arg::lit(w),
        })
        .collect()
}

fn verdict(line: &str, dialect: Dialect) -> BuiltinVerdict {
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    judge_builtin(name.as_bytes(), &words(rest), dialect, false)
}

const FREE_CALLS: &[&str] = &[
    ":",
    ": $x ${y}",
    "true a b",
    "false $x",
    "pwd",
    "pwd -P",
    "pwd -LP",
    "echo",
    "echo -n a $HOME",
    "echo \"$x\"",
    "echo ${x:-y}",
    "echo $?",
    "printf",
    "printf %s\\n a $x",
    "printf -- %s",
    "printf a%%b",
    "printf %5.2f 1.5",
    "printf %-10s|%d\\n a 3",
    "printf %b\\n x",
    "printf %*d 5 3",
    "printf %q x",
    "test",
    "test x",
    "[ ]",
    "[ x ]",
    "[ -f package.json ]",
    "[ ! -d x ]",
    "[ -n \"$x\" ]",
    "[ -z \"$x\" ]",
    "[ ! -e \"$x\" ]",
    "[ \"$x\" = y ]",
    "[ a == \"$x\" ]",
    "[ ! \"$x\" != y ]",
    "[ 1 -eq 2 ]",
    "[ $? -eq 0 ]",
    "[ \"$#\" -gt 1 ]",
    "[ -t 1 ]",
    "[ a -nt b ]",
    "[ ! = x ]",
    "[ ! ]",
    "[ -1 -lt 2 ]",
    "[ -L x ]",
    "exit",
    "exit 1",
    "exit $?",
    "exit \"$?\"",
    "set -e",
    "set -euo pipefail",
    "set -e -u -x",
    "set +x",
    "set -o pipefail",
    "set +o pipefail",
    "set -o errexit -o nounset",
    "command -v git",
    "command -V git ls",
    "type npm",
    "type a b",
    "wait",
    "wait 123",
    "wait $!",
    "wait \"$!\"",
    "wait %1",
    "umask",
    "umask -S",
    "umask 022",
    "umask 077",
    "umask 0027",
    "umask 2",
    "export A=b",
    "export A",
    "export A=b B C=",
    "export A=\"$x\"",
    "export _a1=x=y",
    "cd",
    "cd x",
    "cd /a/b",
    "cd -P x",
    "cd -- x",
    "cd \"$x\"",
    "cd $x",
    "cd -",
    "cd ..",
    "cd -L -P x/..",
    "cd ''",
    "export RANDOM=5",
    "cd -- -x",
    "local x",
    "local x=1 y z=",
    "local x=\"$1\"",
    "read -r line",
    "read -r a b _",
    "read -- x",
    "return 1",
    "return $?",
    "break 2",
    "continue",
    "shift 2",
    "hash git npm",
    "ulimit",
    "ulimit -n",
    "ulimit -Ha",
    "break",
    "readonly A=b",
    "local x=1",
    "return",
    "shift",
    "read x",
];

const REFUSED_CALLS: &[&str] = &[
    "pwd x",
    "pwd $x",
    "pwd -x",
    "echo $API_KEY",
    "echo \"$GITHUB_TOKEN\"",
    "echo ${db_password}",
    "echo ${#MY_SECRET}",
    "echo ${x:-$AWS_SECRET_ACCESS_KEY}",
    "echo $((api_key+1))",
    "printf %s $api_token",
    "echo a\"${PASSWD}\"b",
    "printf $x",
    "printf %s$x",
    "printf -v x y",
    "printf -vx y",
    "printf -v",
    "printf %n PATH",
    "printf %1$s a",
    "printf %hhn x",
    "printf -- %n x",
    "printf %(%F x",
    "printf %",
    "printf %y x",
    "test $x",
    "[ $x ]",
    "[ \"$x\" ]",
    "[ x",
    "[",
    "[ -v x ]",
    "[ -v a[$(x)] ]",
    "[ -R x ]",
    "[ -o x ]",
    "[ ! -v x ]",
    "[ -a x ]",
    "[ a -a b ]",
    "[ -f x -a -f y ]",
    "[ ( x ) ]",
    "[ x < y ]",
    "[ x > y ]",
    "[ a -eq 1 ]",
    "[ a[0] -eq 1 ]",
    "[ 1 -lt $x ]",
    "[ -n $x ]",
    "[ $x = y ]",
    "[ $op y ]",
    "[ a $op b ]",
    "[ -L \"$x\" ]",
    "[ -t \"$x\" ]",
    "[ -t x ]",
    "[ \"$x\" -nt y ]",
    "[ a =~ b ]",
    "[ a = b c ]",
    "[ ! ! x ]",
    "test -v x",
    "exit x",
    "exit 1 2",
    "exit a[0]",
    "set",
    "set -a",
    "set --",
    "set -- x",
    "set x",
    "set -",
    "set -o",
    "set -eo",
    "set -o posix",
    "set +o",
    "set -ea",
    "set -k",
    "set $x",
    "set -o $x",
    "set -oe pipefail x",
    "command -v $x",
    "command -V -p x",
    "type $x",
    "type -P x",
    "wait x",
    "wait -n",
    "wait -p x",
    "wait $x",
    "umask 000",
    "umask 020",
    "umask -",
    "umask 9",
    "umask u=rwx",
    "umask $x",
    "umask 00022",
    "umask 022 x",
    "umask -p",
    "export",
    "export -p",
    "export -n A",
    "export -f f",
    "export A+=b",
    "export a[0]=b",
    "export 1=b",
    "export $x",
    "export =b",
    "export A-B",
    "export -- A=b",
    "export RANDOM=a[0]",
    "export OPTIND=\"$x\"",
    "export SECONDS=x",
    "cd a b",
    "cd -e x",
    "cd -2x",
    "cd -@",
    "cd \"$x\" y",
    "exec",
    "eval x",
    ". x",
    "alias a=b",
    "unset x",
    "trap x 0",
    "ulimit -f 0",
    "kill -9 1",
    "hash -r",
    "hash",
    "hash -p /x ls",
    "hash ls=/x",
    "hash $x",
    "ulimit -n 5",
    "ulimit 0",
    "ulimit -n $x",
    "local",
    "local -n x=y",
    "local -i x=1",
    "local x[0]=1",
    "local $x",
    "local RANDOM=a[0]",
    "readonly",
    "readonly -p",
    "readonly -a x",
    "read a[0]",
    "read a[$(x)]",
    "read $x",
    "read -r \"$x\"",
    "read -u 3 x",
    "read -e x",
    "read -i y x",
    "read x?y",
    "read RANDOM",
    "read -r a-b",
    "return x",
    "return a[0]",
    "return 1 2",
    "break x",
    "break $x",
    "continue -1",
    "shift x",
    "shift $x",
    "shift a[0]",
    "times",
    "getopts a x",
    "jobs",
    "unalias x",
    "if",
    "while",
    "!",
];

#[test]
fn free_and_refused_in_every_shell() {
    for dialect in [Dash, Bash, Zsh] {
        for line in FREE_CALLS {
            if matches!(*line, "export A=\"$x\"") || (dialect == Zsh && *line == "cd -2x") {
                continue;
            }
            let got = verdict(line, dialect);
            assert!(matches!(got, BuiltinVerdict::Free(_)), "{dialect:?} {line}: {got:?}");
        }
        for line in REFUSED_CALLS {
            let got = verdict(line, dialect);
            assert!(matches!(got, BuiltinVerdict::Refused { .. }), "{dialect:?} {line}: {got:?}");
        }
    }
}

#[test]
fn what_differs_between_shells() {
    use BuiltinVerdict::{Free, NotBuiltin, Refused};
    let refused = |line: &str, d| matches!(verdict(line, d), Refused { .. });
    let free = |line: &str, d| matches!(verdict(line, d), Free(_));
    // zsh evaluates these as arithmetic; bash and dash read digits.
    for line in [
        "printf %d x",
        "printf %d path[$(x)]",
        "printf %s%d a b",
        "printf %d $x",
        "printf %*s x y",
        "exit \"$x\"",
        "exit $x",
        "return $x",
        "[ \"$x\" -eq 1 ]",
        "test 1 -lt \"$x\"",
    ] {
        assert!(refused(line, Zsh), "{line}");
        assert!(free(line, Bash) && free(line, Dash), "{line}");
    }
    assert!(free("printf %d,%s 1 a 2 b", Zsh) && refused("printf %d,%s 1 a b 2", Zsh));
    assert!(free("printf %d $?", Zsh) && refused("printf %s%d $x 1 $y 2", Zsh));
    assert!(refused("printf %(%F)T x", Zsh) && free("printf %(%F)T 1", Bash));
    for line in ["cd +1", "cd +", "cd -1"] {
        assert!(refused(line, Zsh), "{line}");
    }
    assert!(free("cd +1", Bash) && refused("cd -1", Bash));
    // bash keeps the value of an assignment together, dash may not.
    assert!(free("export A=$x", Bash) && refused("export A=$x", Dash) && free("export A=$x", Zsh));
    assert!(
        refused("export \"A\"=$x", Dash) && refused("export \"A\"=$x", Bash) && refused("export A=$@", Bash)
    );
    for line in ["read -a x", "read -rp ask: x", "read -t 2.5 -n 1 x", "read -d x -r y", "read -rd x y"] {
        assert!(free(line, Bash), "{line}");
    }
    for line in ["read -a a[0]", "read -n x y", "read -t", "read -p \"$x\" y", "read -ux y"] {
        assert!(refused(line, Bash), "{line}");
    }
    assert!(free("read -p ask x", Dash) && refused("read -p x", Zsh) && refused("read -d x y", Dash));
    assert!(free("local x=$y", Bash) && refused("local x=$y", Dash));
    assert!(free("which git", Zsh) && refused("which $x", Zsh) && refused("which -m x", Zsh));
    assert!(free("type -a x", Bash) && refused("type -a x", Dash));
    for (line, dialect) in [
        ("git status", Bash),
        ("source x", Bash),
        ("time x", Bash),
        ("declare x", Bash),
        ("noglob x", Zsh),
        ("- x", Zsh),
        ("print x", Zsh),
        ("builtin x", Bash),
        ("mapfile x", Bash),
        ("[[ x ]]", Bash),
        ("emulate sh", Zsh),
        ("source x", Dash),
        ("nocorrect x", Zsh),
        ("coproc x", Bash),
        ("let x=1", Bash),
        ("typeset x", Zsh),
    ] {
        let want_program = line.starts_with("git");
        assert_eq!(verdict(line, dialect) == NotBuiltin, want_program, "{line}");
    }
    for line in ["print x", "declare x", "time x", "which ls", "select x", "builtin x", "git"] {
        assert_eq!(verdict(line, Dash), NotBuiltin, "{line}");
    }
    for line in
        ["command ls", "command", "command -p ls", "command -pv ls", "command $x", "exec ls", "exec -a x ls"]
    {
        assert_eq!(verdict(line, Bash), NotBuiltin, "{line}");
    }
}

#[test]
fn effects() {
    let free = |line, effect| assert_eq!(verdict(line, Bash), BuiltinVerdict::Free(effect), "{line}");
    free("cd x", Effect::Chdir(Arg::lit("x")));
    free("cd -P -- x", Effect::Chdir(Arg::lit("x")));
    free("cd -P x/..", Effect::Chdir(unknown(b"x/..")));
    free("cd -L x/..", Effect::Chdir(Arg::lit("x/..")));
    free("cd -", Effect::Chdir(unknown(b"$OLDPWD")));
    free("cd", Effect::Chdir(unknown(b"$HOME")));
    free("umask 022", Effect::Umask);
    free("umask", Effect::None);
    free("exit 3", Effect::Exit);
    free("set -e", Effect::Set);
    free(
        "export A=b C D=\"x$y\"",
        Effect::Export(vec![
            (b"A".to_vec(), Some(Arg::lit("b"))),
            (b"C".to_vec(), None),
            (
                b"D".to_vec(),
                Some(Arg::Dynamic { source: b"D=\"x$y\"".to_vec(), prefix: b"x".to_vec(), single: true }),
            ),
        ]),
    );
}

#[test]
fn echo_dynamic_asks_when_the_policy_says_so() {
    for (line, free) in [("a", true), ("$x", false), ("a $x", false)] {
        let got = judge_builtin(b"echo", &words(line), Bash, true);
        assert_eq!(matches!(got, BuiltinVerdict::Free(_)), free, "{line}");
    }
    assert!(matches!(
        judge_builtin(b"printf", &words("%s $x"), Dash, true),
        BuiltinVerdict::Refused { at: Some(1), .. }
    ));
}

#[test]
fn free_builtins_are_builtins_everywhere() {
    for dialect in [Dash, Bash, Zsh] {
        for name in crate::tables::builtins::FREE.iter().chain(WRAPPERS) {
            assert!(is_builtin(name.as_bytes(), dialect), "{name}");
        }
        let list: Vec<&str> = names(dialect).iter().map(|n| std::str::from_utf8(n).unwrap()).collect();
        let unique: std::collections::BTreeSet<_> = list.iter().collect();
        assert_eq!(unique.len(), list.len());
        // No name outside the free list is ever free.
        let zsh_too = |n: &str| dialect == Zsh && n == crate::tables::builtins::FREE_ZSH;
        for name in list.iter().filter(|n| !crate::tables::builtins::FREE.contains(n) && !zsh_too(n)) {
            for args in [&[][..], &[Arg::lit("x")], &[Arg::lit("-v"), Arg::lit("x")]] {
                let lookup = *name == "command" && args.len() == 2;
                let free =
                    matches!(judge_builtin(name.as_bytes(), args, dialect, false), BuiltinVerdict::Free(_));
                assert_eq!(free, lookup, "{name}");
            }
        }
    }
}
