//! Texts that once ran something else than was judged, or did something else when rendered: looked at first, in every
//! shell.

/// One a line of the history.
pub const FOUND: &[&str] = &[
    // dash has no `builtin`: a program of that name runs.
    "builtin w3 a",
    // zsh runs builtins behind `exec`, and programs behind `command`.
    "exec eval 'w2 a'",
    "exec w1 a",
    "command echo a",
    "command eval 'w2 a'",
    "f() { w1; }; exec f",
    // zsh takes the braces off what begins as a sequence.
    "w1 {1..} {..3} {1..3..} {01..}",
    // bash lets a second `}` close a group that had no comma.
    "w4 {'a,b'}./aa,b}",
    "w3 {a,'b c'}$]{x}\\{a,b}",
    "w1 {a}b,c} x{a},b}",
    // What stands unquoted in a bracket expression stays so, quotes beside it or not.
    "w1 [-b\\\"]*",
    "w3 [-a}!a]",
    "w4 [$!a] [a-\"c\"]* [\"a\"-c]*",
    // bash takes long options first.
    "bash --posix -c 'w1 a'",
    // A keyword of zsh ends at a blank.
    "time((1))",
    "if true; then :; else(w1); fi",
    // dash reads the body of a here-document behind the next newline but this one.
    "w2 <<'E'; for i in a\ndo w9; done\nE\ndo w1; done",
    "w2 <<'E'; for i in a; do w1\ndo w9; done\nE\ndone",
    // bash does not know `time` at the start of a substitution, and takes the first `)` for its end.
    "w1 \"$( time case x in a) w2 '\" ; w9 ; \"' ;; esac )\"",
    "w1 \"`time case x in a) w2 '\\\" ; w9 ; \\\"' ;; esac`\"",
    "w1 $( ! time case x in x) w2;; esac)",
    // Words that end something are no patterns everywhere.
    "{ case a in\n} ) w1;; *) w2;; esac\n}",
    "w1 $(case a in b) ;; (esac) w2;; a) w3;; esac)",
    "case / in =+x) w1;; *) w2;; esac",
    "w1 [[{1..3} [a:b{3..1} [a{b,c}d{01..03} [{a,b}-\"c\"]*",
    // Once the braces are expanded, `=` stands at the start of a word.
    "w5 {,}=w1 {a,b}=w2 {=w1,a}",
    "! time h() { w4; }; h 'a b'",
    "w1 $11 \"$11\" ${11}",
    "w1 $UNSET{,}a?c $x{,}b",
    // A lone dollar keeps bash from splitting.
    "w1 $(w2)$ x$(w3)'$' `w2 \"a\"`$+=HOME",
    // What `..` takes back has to be there.
    "cd .]./.. && w1",
    // A tilde after an equals sign is one in patterns too.
    "case x=~ in x=~$i) w2;; x=~) w3;; *) w4;; esac",
    // `-` ends the redirection: what touches it is a word.
    "w2 <&-''",
    "w2 >&-a 2>& -b",
    "w3 {01..{a,b}03} {1..{2,3}} {x{a,b}y}",
    "w2 1\n\n  time [[ ! -n a ]]",
    // A tilde before a colon.
    "w3 ~:/x a=~:/x",
    // A lone bracket as a pattern is an error of zsh.
    "case [ in ([) w1 ;; esac",
];
