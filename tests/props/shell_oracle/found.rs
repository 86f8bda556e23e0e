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
    // A script is looked for in PATH by bash only.
    "sh w3 a",
    "dash - w3 a",
    "bash w3",
    "zsh w1",
    "nohup sh exec -c 'w2 a'",
    // bash does not see its own marks where it looks for the end of what begins with a dollar.
    "w4 \"$\u{1}( ' \" ; w2 ' ) \" ; w9 # '",
    "w4 \"$\u{7f}( ' \" ; w2 ' ) \" ; w9 # '",
    "w4 \"$\u{1}(w2 |& w3)\"",
    // It looks for the end of a process substitution where there is none.
    "w1 \"${x:-<(a}\" ; w2 '\" ) }\" ; w9 # '",
    "w5 \"${x:-$y<(}</dev/null\" a,b",
    "w5 \"${x#>(}\" a",
    // zsh does not see quotes between the dots of a sequence.
    "w1 {1.''.3} {1.\\.3} {'1'..3} {1\".\".3} {1.$UNSET.3}",
    // In a parenthesis all patterns are one word to zsh.
    "case q in (=|--x=y) w1;; esac; w2",
    "case $HOME in (b|~) w1;; *) w2;; esac; w3",
    // After an error in arithmetic bash goes on with the next line.
    "w2 <<\\E || w5 $((0x1f /)); w1 a\nb\nE\nw3",
    // A dollar and what follows the braces.
    "w1 {$,b}b %",
    "w1 {$,b}'b' {$,b}{x}",
    // bash writes a substitution down and reads it again.
    "x=$(if w2 \\&\nthen w1; fi; w3)",
    "w1 $({ w1 $({ w2 \\&; }; w3); }; w4)",
    // A sequence in what looks like one.
    "w2 {3..{3..1}1} {{1..3}..4} {1..{2..3}..4} {{1..3}a}",
    // zsh looks for a redirection behind a name in braces, blanks or not.
    "w5 if {w1a} \\\n >&2 a",
    "w1 {x} </dev/null; w2 {1}>&2; w3 {x1} &>/dev/null",
    // No digit at the end.
    "umask 02-",
    "umask -",
    // zsh expands no braces behind some that are not closed.
    "w4 a{\"x\"{{1..3} {{{a,b}",
    // bash takes a tilde behind a colon of a here-string for the home.
    "w2 if<<< a:~ ''",
    "w3<<<  a:~",
    // It leaves a parameter as it stands that follows a tilde in what looks like an assignment.
    "w5 x=~$1x=~",
    "w5 x=a:~`w1`",
    // It takes braces away although their comma is quoted.
    "w1 {1..\"a,b\"}",
    "w2 {1..'a,b'}x",
    // Behind a redirection of a group no word ends what stands around it.
    "until w4\ndo [[ -n a ]] >>/dev/null  done",
    "while w1; do if w2; then w3; fi 2>&1 >&2 done",
    "if w1; then f() { w2; } >&2 fi",
];
