//! Every row by its use: words → what is found inside.
use super::*;
use crate::tables::wrappers::{Form, rows};

/// Words of a line: single quotes hold a word together, `$X` is dynamic, `"$X"` dynamic and single, `A=$X` has
/// a literal beginning.
pub(super) fn words(line: &str) -> Vec<Arg> {
    let mut out = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (mut word, mut end) = (String::new(), rest.len());
        let (mut single, mut double) = (false, false);
        let mut dynamic: Option<(usize, bool)> = None;
        for (i, c) in rest.char_indices() {
            match c {
                '\'' if !double => single = !single,
                '"' if !single => double = !double,
                ' ' if !single && !double => {
                    end = i;
                    break;
                }
                '$' if !single => {
                    let (at, one) = dynamic.unwrap_or((word.len(), true));
                    dynamic = Some((at, one && double));
                    word.push(c);
                }
                '\\' if !single => {}
                c => word.push(c),
            }
        }
        out.push(match dynamic {
            Some((at, one)) => Arg::Dynamic {
                source: word.clone().into_bytes(),
                prefix: word.as_bytes()[..at].to_vec(),
                single: one,
            },
            None => Arg::lit(&word),
        });
        rest = rest[end..].trim_start();
    }
    out
}

fn shown(arg: &Arg) -> String {
    let text = String::from_utf8_lossy(arg.shown()).into_owned();
    if arg.is_dynamic() { format!("<{text}>") } else { text }
}

/// A peel in one line.
pub(super) fn summary(peel: &Peel) -> String {
    let c = match peel {
        Peel::No => return "no".into(),
        Peel::Empty => return "empty".into(),
        Peel::Refused { .. } => return "refused".into(),
        Peel::Carries(c) => c,
    };
    let class = match c.class {
        Class::Transparent => "T",
        Class::Carrier => "C",
        Class::Privileged => "P",
        Class::Remote => "R",
    };
    let mut out = vec![class.to_string()];
    for inner in &c.inner {
        out.push(match inner {
            Inner::Argv { words, .. } => {
                format!("[{}]", words.iter().map(shown).collect::<Vec<_>>().join(" "))
            }
            Inner::Elsewhere { words, .. } => {
                format!("far[{}]", words.iter().map(shown).collect::<Vec<_>>().join(" "))
            }
            Inner::Text { text, shell, positional, .. } => {
                let text = text.as_ref().map_or("?".into(), |t| String::from_utf8_lossy(t).into_owned());
                let mut s = format!("{}:'{text}'", String::from_utf8_lossy(&shell.name));
                if !shell.keep.is_empty() {
                    s += &format!(" keep={}", String::from_utf8_lossy(&shell.keep.join(&b',')));
                }
                if shell.startup {
                    s += " startup";
                }
                if !positional.is_empty() {
                    s += &format!(" +{}", positional.len());
                }
                s
            }
            Inner::Script { word, .. } => format!("script:{}", shown(word)),
            Inner::Stdin => "stdin".into(),
        });
    }
    for (name, value) in &c.assignments {
        out.push(format!("{}={}", String::from_utf8_lossy(name), shown(value)));
    }
    match &c.unset {
        None => out.push("clear".into()),
        Some(names) => out.extend(names.iter().map(|n| format!("-{}", String::from_utf8_lossy(n)))),
    }
    out.extend(c.chdir.iter().map(|d| format!("cd={}", shown(d))));
    out.extend(c.also_ask.iter().map(|_| "ask".to_string()));
    out.join(" ")
}

/// Peels a line, as if the program were found under the name it was typed with.
pub(super) fn of(line: &str) -> Peel {
    let words = words(line);
    let name = words[0].shown().to_vec();
    peel(
        &[&name],
        &name,
        &words[1..],
        &[b"/bin/sh".to_vec(), b"/usr/bin/tmux".to_vec(), b"/bin/qsh".to_vec()],
    )
}

fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(line, want)| {
            let got = summary(&of(line));
            (got != *want).then(|| format!("{line}\n   want {want}\n   got  {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

const TRANSPARENT: &[(&str, &str)] = &[
    ("env ls -l", "T [ls -l]"),
    ("env", "empty"),
    ("env -u X", "empty"),
    ("env A=1", "empty"),
    ("env A=1 B=2 ls", "T [ls] A=1 B=2"),
    ("env -i ls", "T [ls] clear"),
    ("env - ls", "T [ls] clear"),
    ("env - A=1 ls", "T [ls] A=1 clear"),
    ("env -i -u X ls", "T [ls] clear"),
    ("env -u X -uY --unset=Z ls", "T [ls] -X -Y -Z"),
    ("env -C /tmp ls", "T [ls] cd=/tmp"),
    ("env --chdir=/tmp ls", "T [ls] cd=/tmp"),
    ("env -C \"$D\" ls", "T [ls] cd=<$D>"),
    ("env -C $D ls", "refused"),
    ("env -v --debug --block-signal --default-signal=PIPE --ignore-signal ls", "T [ls]"),
    ("env -- ls", "T [ls]"),
    ("env -- A=1 ls", "T [ls] A=1"),
    ("env -S 'ls -l'", "refused"),
    ("env -vS 'ls -l'", "refused"),
    ("env -S'ls -l'", "refused"),
    ("env --split-string='ls -l'", "refused"),
    ("env --split 'ls -l'", "refused"),
    ("env -a x ls", "refused"),
    ("env -P /tmp ls", "refused"),
    ("env -0", "empty"),
    ("env -0 ls", "refused"),
    ("env --null ls", "refused"),
    ("env --bogus ls", "refused"),
    ("env -x ls", "refused"),
    ("env $X ls", "refused"),
    ("env A=1 $X", "refused"),
    ("env \"$X\"", "refused"),
    ("env A=$X ls", "refused"),
    ("env A=\"$X\" ls", "T [ls] A=<A=$X>"),
    ("env PATH=\"$PWD/p\" git status", "T [git status] PATH=<PATH=$PWD/p>"),
    ("env --help", "empty"),
    ("env --version", "empty"),
    ("genv ls", "T [ls]"),
    ("/usr/bin/env ls", "T [ls]"),
    ("nice ls", "T [ls]"),
    ("nice", "empty"),
    ("nice -n 5 ls", "T [ls]"),
    ("nice -n5 ls", "T [ls]"),
    ("nice -n -5 ls", "T [ls]"),
    ("nice -5 ls", "T [ls]"),
    ("nice --5 ls", "T [ls]"),
    ("nice -+5 -n 3 ls", "T [ls]"),
    ("nice --adjustment=1 ls", "T [ls]"),
    ("nice -n x ls", "refused"),
    ("nice -n \"$N\" ls", "refused"),
    ("nice --bogus ls", "refused"),
    ("nohup ls", "T [ls]"),
    ("nohup -- ls", "T [ls]"),
    ("nohup", "empty"),
    ("nohup --help", "empty"),
    ("nohup -x ls", "refused"),
    ("nohup $X", "refused"),
    ("nohup -- \"$X\" a", "T [<$X> a]"),
    ("timeout 5 ls", "T [ls]"),
    ("timeout 1.5m ls", "T [ls]"),
    ("timeout .5 ls", "T [ls]"),
    ("timeout 120s cargo test", "T [cargo test]"),
    ("timeout -k 1 5 ls", "T [ls]"),
    ("timeout -k5 -s KILL --foreground --preserve-status -v 5 ls", "T [ls]"),
    ("timeout --signal=TERM --kill-after=2s 5 ls", "T [ls]"),
    ("timeout 5", "empty"),
    ("timeout", "empty"),
    ("timeout x ls", "refused"),
    ("timeout 5x ls", "refused"),
    ("timeout . ls", "refused"),
    ("timeout '' ls", "refused"),
    ("timeout $T ls", "refused"),
    ("timeout \"$T\" ls", "refused"),
    ("timeout -s $S 5 ls", "refused"),
    ("timeout --bogus 5 ls", "refused"),
    ("timeout -k 5 ls", "refused"),
    ("time ls", "T [ls]"),
    ("time -p ls", "T [ls]"),
    ("time -v -f %e ls", "T [ls]"),
    ("time --format=%e --portability --verbose ls", "T [ls]"),
    ("time -o f ls", "T [ls] ask"),
    ("time -of ls", "T [ls] ask"),
    ("time --output=f -a ls", "T [ls] ask"),
    ("time -o /dev/null ls", "T [ls]"),
    ("time", "empty"),
    ("time --bogus ls", "refused"),
    ("stdbuf -oL ls", "T [ls]"),
    ("stdbuf -o L -e0 -i 4K ls", "T [ls]"),
    ("stdbuf --output=L ls", "T [ls]"),
    ("stdbuf -o X ls", "refused"),
    ("stdbuf -x ls", "refused"),
    ("setsid ls", "T [ls]"),
    ("setsid -w -c ls", "T [ls]"),
    ("setsid -f ls", "refused"),
    ("setsid --fork ls", "refused"),
    ("ionice -c 3 ls", "T [ls]"),
    ("ionice -c3 -n 4 -t ls", "T [ls]"),
    ("ionice -p 1", "empty"),
    ("ionice -c 3 -n x ls", "refused"),
    ("chrt -b 0 ls", "T [ls]"),
    ("chrt --idle 0 ls", "T [ls]"),
    ("chrt -m", "empty"),
    ("chrt -p 1", "empty"),
    ("chrt ls", "refused"),
    ("taskset 1 ls", "T [ls]"),
    ("taskset -c 0-3,5 ls", "T [ls]"),
    ("taskset 0xff ls", "T [ls]"),
    ("taskset -p 1", "empty"),
    ("taskset ls x", "refused"),
    ("command ls", "T [ls]"),
    ("command -- ls", "T [ls]"),
    ("command -v ls", "empty"),
    ("command -V ls", "empty"),
    ("command -p ls", "refused"),
    ("command env ls", "T [env ls]"),
    ("builtin echo a", "T [echo a]"),
    ("exec", "empty"),
    ("exec ls", "T [ls]"),
    ("exec -- ls", "T [ls]"),
    ("exec -a x ls", "refused"),
    ("exec -c ls", "refused"),
    ("exec -l ls", "refused"),
    ("exec-guard -- ls", "T [ls]"),
    ("exec-guard --session k -- ls -l", "T [ls -l]"),
    ("exec-guard -c 'ls; id' a b", "T sh:'ls; id' +2"),
    ("exec-guard run -- ls", "T [ls]"),
    ("exec-guard run ls", "T [ls]"),
    ("exec-guard --agent x -- ls", "refused"),
    ("exec-guard run --agent=x -- ls", "refused"),
    ("exec-guard --bogus -- ls", "refused"),
    ("exec-guard $X -- ls", "refused"),
    ("exec-guard check -c ls", "empty"),
    ("exec-guard approvals get", "no"),
    ("exec-guardctl approvals set x", "no"),
    ("exec-guard-approver", "refused"),
];

#[test]
fn transparent() {
    check(TRANSPARENT);
}

const SHELLS: &[(&str, &str)] = &[
    ("sh -c ls", "T sh:'ls'"),
    ("sh -c ''", "empty"),
    ("sh -c", "refused"),
    ("bash -c 'a && b'", "T bash:'a && b'"),
    ("bash -lc ls", "T bash:'ls' startup"),
    ("bash -l -c ls", "T bash:'ls' startup"),
    ("bash -c -l ls", "T bash:'ls' startup"),
    ("bash -lic ls", "T bash:'ls' startup"),
    ("bash --login -c ls", "T bash:'ls' startup"),
    ("bash -login -c ls", "T bash:'ls' startup"),
    ("bash -ec ls", "T bash:'ls' keep=-e"),
    ("bash -xc ls", "T bash:'ls' keep=-x"),
    ("bash -cx ls", "T bash:'ls' keep=-x"),
    ("bash -euo pipefail -c ls", "T bash:'ls' keep=-e,-u,-o,pipefail"),
    ("bash -ceuo pipefail ls", "T bash:'ls' keep=-e,-u,-o,pipefail"),
    ("bash -o pipefail -c ls", "T bash:'ls' keep=-o,pipefail"),
    ("bash -o errexit -c ls", "T bash:'ls' keep=-o,errexit"),
    ("bash -O extglob -c ls", "T bash:'ls' keep=-O,extglob"),
    ("bash +O extglob -c ls", "T bash:'ls' keep=+O,extglob"),
    ("bash +x -c ls", "T bash:'ls' keep=+x"),
    ("bash --norc --noprofile -c ls", "T bash:'ls'"),
    ("bash --posix -c ls", "T bash:'ls' keep=--posix"),
    ("bash -c -- ls", "T bash:'ls'"),
    ("bash -c - ls", "T bash:'ls'"),
    ("bash -- x.sh", "C script:x.sh"),
    ("bash -cls", "refused"),
    ("bash -k -c ls", "refused"),
    ("bash -a -c ls", "refused"),
    ("bash -H -c ls", "refused"),
    ("bash -o history -c ls", "refused"),
    ("bash -O lastpipe -c ls", "refused"),
    ("bash -O expand_aliases -c ls", "refused"),
    ("bash -o $X -c ls", "refused"),
    ("bash -r -c ls", "refused"),
    ("bash +c ls", "refused"),
    ("bash -c --norc ls", "refused"),
    ("bash --rcfile f -c ls", "refused"),
    ("bash --init-file f -ic :", "refused"),
    ("bash --bogus -c ls", "refused"),
    ("bash -help -c ls", "refused"),
    ("bash -version -c ls", "refused"),
    ("bash -z -c ls", "refused"),
    ("bash -c -s ls", "refused"),
    ("bash -c $X", "T bash:'?'"),
    ("bash -c \"$X\" a b", "T bash:'?' +2"),
    ("bash $X -c ls", "refused"),
    ("bash $X", "refused"),
    ("sh -c '$0 \"$@\"' ls -l", "T sh:'$0 \"$@\"' +2"),
    ("dash -c ls a0 a1", "T dash:'ls' +2"),
    ("dash --login -c ls", "refused"),
    ("dash -O extglob -c ls", "refused"),
    ("ash -lc 'echo hi'", "T ash:'echo hi' startup"),
    ("zsh -lc 'git status'", "T zsh:'git status' startup"),
    ("zsh -fc ls", "T zsh:'ls' keep=-f"),
    ("zsh -oNULL_GLOB -c ls", "T zsh:'ls' keep=-o,NULL_GLOB"),
    ("zsh -o extendedglob -c ls", "refused"),
    ("zsh -y -c ls", "refused"),
    ("-bash -c ls", "T bash:'ls' startup"),
    ("bash", "C stdin"),
    ("bash -l", "C stdin"),
    ("bash -i", "C stdin"),
    ("bash -s", "C stdin"),
    ("bash -s -- a b", "C stdin"),
    ("bash -", "C stdin"),
    ("sh /dev/stdin", "C stdin"),
    ("bash x.sh", "C script:x.sh"),
    ("bash ./x.sh -c ls", "C script:./x.sh"),
    ("bash -x x.sh", "C script:x.sh"),
    ("bash -o errexit decoy real.sh", "C script:decoy"),
    ("bash -n x.sh", "empty"),
    ("bash -n", "C stdin"),
    ("bash -n +n x.sh", "C script:x.sh"),
    ("bash -ni x.sh", "C script:x.sh"),
    ("bash a$X", "refused"),
    ("bash \"a$X\"", "C script:<a$X>"),
    ("bash --version", "empty"),
    ("bash --version -c ls", "refused"),
    ("fish -c ls", "refused"),
    ("fish --command=ls", "refused"),
    ("fish -C ls", "refused"),
    ("fish", "refused"),
    ("fish x.fish", "C script:x.fish"),
    ("fish --version", "empty"),
    ("rbash -c ls", "refused"),
    ("ksh -c ls", "refused"),
    ("ksh93 -c ls", "refused"),
    ("mksh x.sh", "C script:x.sh"),
    ("csh -c ls", "refused"),
    ("tcsh", "refused"),
    ("nu -c ls", "refused"),
    ("xonsh -c ls", "refused"),
    ("elvish -c ls", "refused"),
    ("yash -c ls", "refused"),
    ("pwsh -ec ZQ==", "refused"),
    ("pwsh /c ls", "refused"),
    ("cmd.exe /d /c ls", "refused"),
    ("qsh -c ls", "refused"),
    ("qsh x.q", "C script:x.q"),
    ("BASH -c ls", "C bash:'ls'"),
    ("bash-5.2 -c ls", "C bash:'ls'"),
    ("zsh5 x", "C script:x"),
];

#[test]
fn shell_forms() {
    check(SHELLS);
}

/// What is known of a word ends where a mark begins, or may begin.
#[test]
fn a_mark_in_a_word_known_in_part() {
    let begins = |line: &str| {
        let Peel::Carries(c) = of(line) else { panic!("{line}") };
        let Inner::Argv { words, .. } = &c.inner[0] else { panic!("{line}") };
        let word = words.iter().rfind(|w| w.shown().ends_with(b"$X")).expect("the word");
        String::from_utf8_lossy(word.known_prefix()).into_owned()
    };
    for (line, known) in [
        ("xargs -I{} rg \"{}$X\"", ""),
        ("xargs -I{} rg \"a{}b$X\"", "a"),
        ("xargs -I{} rg \"a{$X\"", "a"),
        ("xargs -I{} rg \"a}$X\"", "a}"),
        ("xargs -I ABAC rg \"xABAABA$X\"", "xABA"),
        ("find . -exec rg \"a{}$X\" ;", "a"),
        ("fd y -x rg \"a{$X\"", "a"),
        ("entr rg \"a/$X\"", "a"),
    ] {
        assert_eq!(begins(line), known, "{line}");
    }
}

const CARRIERS: &[(&str, &str)] = &[
    ("xargs rm -f", "C [rm -f <...>]"),
    ("xargs", "C [echo <...>]"),
    ("xargs -0", "C [echo <...>]"),
    ("xargs -0 -r -t -n1 -P2 sh -c 'touch x'", "C [sh -c touch x <...>]"),
    ("xargs -I{} cp {} /d/{}.bak", "C [cp <{}> </d/{}.bak>]"),
    ("xargs -I {} {} x", "C [<{}> x]"),
    ("xargs -I% sh -c 'id %'", "C [sh -c <id %>]"),
    ("xargs -i echo {}", "C [echo <{}>]"),
    ("xargs --replace id", "C [id]"),
    ("xargs --replace=X mv X y", "C [mv <X> y]"),
    ("xargs -I{} -n1 cp {} d", "C [cp <{}> d <...>]"),
    ("xargs -J % cp % d", "C [cp <%> d <...>]"),
    ("xargs -a list rm", "C [rm <...>] ask"),
    ("xargs --arg-file=list rm", "C [rm <...>] ask"),
    ("xargs -d '\n' -L 1 -s 100 -x -E eof -p rm", "C [rm <...>]"),
    ("xargs -e -l rm", "C [rm <...>]"),
    ("xargs --max-args=1 --max-procs=4 --no-run-if-empty --null rm", "C [rm <...>]"),
    ("xargs -P0 -n1 sleep", "refused"),
    ("xargs -P 0 sleep", "refused"),
    ("xargs -n1 -P65 sleep", "refused"),
    ("xargs --max-procs=0 sleep", "refused"),
    ("xargs -P -1 sleep", "refused"),
    ("xargs -P 99999999999 sleep", "refused"),
    ("xargs -P64 -n1 sleep", "C [sleep <...>]"),
    ("xargs --process-slot-var=LD_PRELOAD ls", "refused"),
    ("xargs -I $X rm", "refused"),
    ("xargs --bogus rm", "refused"),
    ("xargs -Z rm", "refused"),
    ("xargs $X", "refused"),
    ("xargs -n x rm", "refused"),
    ("xargs --version", "empty"),
    ("find . -name '*.c'", "no"),
    ("find $D -name x", "refused"),
    ("find \"$D\" -name x", "no"),
    ("find . \"$D\" touch x ;", "refused"),
    ("fd $D", "refused"),
    ("fd \"$D\" src", "refused"),
    ("fd -- \"$D\"", "no"),
    ("find . -exec wc -l {} +", "C [wc -l <{}>]"),
    ("find . -exec rm {} \\;", "C [rm <{}>]"),
    ("find . -exec rm {} \\; -exec id \\;", "C [rm <{}>] [id]"),
    ("find . -execdir sh -c 'x {}' \\;", "C [sh -c <x {}>] cd=<{}>"),
    ("find . -ok rm a{}b \\;", "C [rm <a{}b>]"),
    ("find . -okdir id \\;", "C [id] cd=<{}>"),
    ("find . -exec {} \\;", "C [<{}>]"),
    ("find . -exec rm a + \\;", "C [rm a +]"),
    ("find . -exec rm", "refused"),
    ("find . -exec \\;", "refused"),
    ("find . -exec grep $X {} \\;", "refused"),
    ("find . -exec grep \"$X\" {} \\;", "C [grep <$X> <{}>]"),
    ("find . -exec echo \"$X\" -exec id \\;", "refused"),
    ("fd foo", "no"),
    ("fd -e c -x rm {}", "C [rm <{}>]"),
    ("fd -ec -X wc -l", "C [wc -l <...>]"),
    ("fd -ex", "no"),
    ("fd -e x", "no"),
    ("fd -Hx rm", "C [rm <...>]"),
    ("fd --exec=rm", "C [rm <...>]"),
    ("fd --exec-batch vim", "C [vim <...>]"),
    ("fdfind . -x mv {} {.}.txt", "C [mv <{}> <{.}.txt>]"),
    ("fd . -x", "refused"),
    ("parallel touch ::: a b", "C [touch <...>]"),
    ("parallel -j4 --bar gzip {} ::: a", "C [gzip <{}> <...>]"),
    ("parallel -j 4 -k echo {1} {2} ::: a ::: b", "C [echo <{1}> <{2}> <...>]"),
    ("parallel -j0 sleep ::: 1", "refused"),
    ("parallel --jobs 1000 sleep ::: 1", "refused"),
    ("parallel -j 1000% sleep ::: 1", "refused"),
    ("sem -j0 sleep 1", "refused"),
    ("parallel -j +2 ls ::: a", "C [ls <...>]"),
    ("parallel -j 50% ls ::: a", "C [ls <...>]"),
    ("parallel", "C stdin"),
    ("parallel ::: id", "C stdin"),
    ("parallel {} ::: id", "refused"),
    ("parallel 'id; ls' ::: a", "refused"),
    ("parallel --bogus echo ::: a", "refused"),
    ("parallel -a f rm", "C [rm <...>] ask"),
    ("parallel $X ::: a", "refused"),
    ("sem -j 2 ls", "C [ls <...>]"),
    ("watch ls -l", "C [ls -l]"),
    ("watch ls '-l;id'", "refused"),
    ("watch 'ls' A=b", "refused"),
    ("watch -n 1 -g touch x", "C [touch x]"),
    ("watch -n1 'id; ls'", "C sh:'id; ls'"),
    ("watch -x ls -l", "C [ls -l]"),
    ("watch --exec ls", "C [ls]"),
    ("watch ls $X", "refused"),
    ("watch -- \"$X\"", "C sh:'?'"),
    ("watch --bogus ls", "refused"),
    ("watch", "empty"),
    ("watchexec -e rs cargo test", "C [cargo test]"),
    ("entr -r ls /_", "C [ls </_>]"),
    ("entr -s 'id'", "refused"),
    ("hyperfine 'sleep 1' 'ls -l'", "C sh:'sleep 1' sh:'ls -l'"),
    ("hyperfine -w 3 --prepare 'rm x' ls", "C sh:'rm x' sh:'ls'"),
    ("hyperfine -N ls", "refused"),
    ("hyperfine ls --prepare 'rm x'", "refused"),
    ("hyperfine --export-json f ls", "C sh:'ls' ask"),
    ("concurrently 'a b' c", "C sh:'a b' sh:'c'"),
    ("strace -f -e trace=open ls", "C [ls]"),
    ("strace -o /dev/null touch x", "C [touch x]"),
    ("strace -o out ls", "C [ls] ask"),
    ("strace -E A=1 ls", "C [ls] A=1"),
    ("strace -p 1", "empty"),
    ("strace --bogus ls", "refused"),
    ("ltrace -o out ls", "C [ls] ask"),
    ("valgrind --leak-check=full ls", "C [ls]"),
    ("valgrind --log-file=x ls", "C [ls] ask"),
    ("perf stat -e cycles ls", "C [ls]"),
    ("perf record -g -o x -- ls", "C [ls] ask"),
    ("perf report", "no"),
    ("rr record ls", "C [ls]"),
    ("rr replay", "no"),
    ("heaptrack ls", "C [ls]"),
    ("py-spy record -o x -- python a.py", "C [python a.py]"),
    ("py-spy top", "refused"),
    ("faketime '2020-01-01' ls", "C [ls]"),
    ("fakeroot ls", "C [ls]"),
    ("fakeroot -- ls", "C [ls]"),
    ("fakeroot", "C stdin"),
    ("fakeroot -l x ls", "refused"),
    ("xvfb-run -a -s '-screen 0' ls", "C [ls]"),
    ("dbus-run-session -- ls", "C [ls]"),
    ("dbus-run-session --dbus-daemon=x ls", "refused"),
    ("dbus-launch ls", "C [ls]"),
    ("unbuffer -p ls", "C [ls]"),
    ("expect -c 'spawn id'", "refused"),
    ("expect x.exp", "no"),
    ("expect", "C stdin"),
    ("chronic ls", "C [ls]"),
    ("caffeinate -d -w 42 bash -lc 'echo hi'", "C [bash -lc echo hi]"),
    ("sandbox-exec -p '(allow default)' ls", "C [ls]"),
    ("arch", "empty"),
    ("arch -arm64 ls", "C [ls]"),
    ("arch -e A=b ls", "refused"),
    ("xcrun ls", "C [ls]"),
    ("catchsegv ls", "C [ls]"),
    ("torsocks ls", "C [ls]"),
    ("proxychains4 -q ls", "C [ls]"),
    ("proxychains4 -f x ls", "refused"),
    ("trickle -s ls", "C [ls]"),
    ("rlwrap ls", "C [ls]"),
    ("grc ls", "C [ls]"),
    ("numactl -N 0 ls", "C [ls]"),
    ("cpulimit -l 50 -- ls", "C [ls]"),
    ("choom -n 1 -- touch x", "C [touch x]"),
    ("choom -p 1", "empty"),
    ("cgexec -g cpu:x ls", "C [ls]"),
    ("sshpass -p x ssh h", "C [ssh h]"),
    ("ssh-agent ls", "C [ls]"),
    ("ssh-agent -s", "empty"),
    ("systemd-inhibit --what=idle ls", "C [ls]"),
    ("systemd-cat -t x ls", "C [ls]"),
    ("logsave f ls", "C [ls] ask"),
    ("multitime -n 3 ls", "C [ls]"),
    ("setlock -n f ls", "C [ls]"),
    ("run-parts .", "refused"),
    ("run-parts --regex '^x$' .", "refused"),
    ("run-parts --test .", "empty"),
    ("ip addr show", "no"),
    ("ip netns exec n ls", "P [ls]"),
    ("ip netns list", "no"),
    ("ccache gcc -c a.c", "C [gcc -c a.c]"),
    ("ccache -s", "empty"),
    ("dtach -n s ls", "refused"),
    ("zellij run -- ls", "C [ls]"),
    ("zellij ls", "no"),
    ("keyctl session - ls", "C [ls]"),
];

#[test]
fn carriers() {
    check(CARRIERS);
}

const RUNNERS: &[(&str, &str)] = &[
    ("npx -y tsx ./a.ts", "C [tsx ./a.ts]"),
    ("npx --yes cowsay hi", "C [cowsay hi]"),
    ("npx -p evil tsx", "C [tsx]"),
    ("npx -c 'tsx a.ts'", "C sh:'tsx a.ts'"),
    ("npx --call 'tsx a.ts'", "C sh:'tsx a.ts'"),
    ("npx -yc 'tsx a.ts'", "refused"),
    ("npx -yp evil tsx", "C [tsx]"),
    // nopt: -call is --call, -C./x is an option of that name, and no value begins with a dash.
    ("npx -call=./evil", "refused"),
    ("npx -call ./evil", "refused"),
    ("npx '-call=x; ./evil'", "refused"),
    ("npm exec -call=./evil", "refused"),
    ("npm exec --package -c ./evil", "refused"),
    ("npx --registry -c ./evil ls", "refused"),
    ("npx -p -c ./evil", "refused"),
    ("npx -C./x ./tool", "refused"),
    ("pnpm -C/x exec ./tool", "refused"),
    ("pnpm -C=/x exec tsx", "C [tsx] cd=/x"),
    ("pnpm -C -F x exec ./tool", "refused"),
    ("pnpm -dir /x exec tsx", "C [tsx] cd=/x"),
    ("pnpm -shell-mode exec 'id; ls'", "refused"),
    ("npx --call='tsx a.ts'", "refused"),
    ("npx -c'tsx a.ts'", "refused"),
    ("npx -- tsx", "C [tsx]"),
    ("npx", "C stdin"),
    ("npm exec", "C stdin"),
    ("npx --bogus x", "refused"),
    ("npx $X", "refused"),
    ("npm exec -- tsx ./a.ts", "C [tsx ./a.ts]"),
    ("npm x tsx", "C [tsx]"),
    ("npm exe tsx", "C [tsx]"),
    ("npm --silent exec tsx", "C [tsx]"),
    ("npm --prefix sub exec tsx", "C [tsx] cd=<elsewhere>"),
    ("npm -c 'id' exec", "C sh:'id'"),
    ("npm exec -c 'id'", "C sh:'id'"),
    ("npm run x", "no"),
    ("npm test", "no"),
    ("npm --foo test", "no"),
    ("npm --foo exec tsx", "refused"),
    ("npm --foo=bar exec tsx", "C [tsx]"),
    ("npm $X", "refused"),
    ("npm run $X", "no"),
    ("npm init -y", "no"),
    ("npm init vite app", "refused"),
    ("npm create vite", "refused"),
    ("npm explore x -- id", "refused"),
    ("npm --version", "empty"),
    ("pnpm exec tsx a.ts", "C [tsx a.ts]"),
    ("pnpm dlx tsx a.ts", "C [tsx a.ts]"),
    ("pnpm -C /x exec tsx", "C [tsx] cd=/x"),
    ("pnpm -r exec -c 'id'", "refused"),
    ("pnpm --filter a exec ls", "C [ls] cd=<elsewhere>"),
    ("pnpm test", "no"),
    ("pnpm build", "no"),
    ("pnpm ls", "no"),
    ("pnpm rm left-pad", "no"),
    ("pnpm touch x", "C [touch x]"),
    ("pnpm run touch x", "C [touch x]"),
    ("pnpm node -e 1", "C [node -e 1]"),
    ("pnpm create vite", "refused"),
    ("pnpx cowsay", "C [cowsay]"),
    ("bun run --env-file=x touch y", "C [touch y] ask"),
    ("bunx --env-file x tsc", "C [tsc] ask"),
    ("uv run --env-file x ls", "C [ls] ask"),
    ("yarn exec ls", "C [ls]"),
    ("yarn dlx -p x tsx", "C [tsx]"),
    ("yarn build", "no"),
    ("yarn", "no"),
    ("bun x cowsay", "C [cowsay]"),
    ("bun run build", "no"),
    ("bun run touch x", "C [touch x]"),
    ("bun run -", "C stdin"),
    ("bun test", "no"),
    ("bun install", "no"),
    ("bun exec 'id'", "refused"),
    ("bunx --bun cowsay", "C [cowsay]"),
    ("uv run pytest -q", "C [pytest -q]"),
    ("uv run touch x", "C [touch x]"),
    ("uv run --with x -p 3.12 pytest", "C [pytest]"),
    ("uv run x.py a", "C [python x.py a]"),
    ("uv run -m pytest", "C [python -m pytest]"),
    ("uv run -s x", "C [python x]"),
    ("uv run -", "C stdin"),
    ("uv run", "empty"),
    ("uv run --bogus x", "refused"),
    ("uv --directory d run ls", "C [ls] cd=d"),
    ("uv tool run ruff", "C [ruff]"),
    ("uv pip install x", "no"),
    ("uv sync", "no"),
    ("uvx ruff check", "C [ruff check]"),
    ("uvx --from x y", "C [y]"),
    ("pipx run black .", "C [black .]"),
    ("pipx list", "no"),
    ("poetry run pytest -q", "C [pytest -q]"),
    ("poetry -C d run pytest", "C [pytest] cd=d"),
    ("poetry install", "no"),
    ("poetry shell", "C stdin"),
    ("pipenv run x", "C [x]"),
    ("hatch run test", "C [test] cd=<elsewhere>"),
    ("hatch env run x", "C [x] cd=<elsewhere>"),
    ("hatch env show", "no"),
    ("pdm run x", "C [x]"),
    ("conda run -n e python x.py", "C [python x.py]"),
    ("conda list", "no"),
    ("bundle exec rspec", "C [rspec]"),
    ("bundle install", "no"),
    ("gem exec x", "C [x]"),
    ("gem list", "no"),
    ("mise exec -- touch x", "C [touch x]"),
    ("mise x node@20 -- node a.js", "C [node a.js]"),
    ("mise exec -c 'id'", "C sh:'id'"),
    ("mise exec node@20 --command id", "C sh:'id'"),
    ("mise exec node id", "refused"),
    ("mise install", "no"),
    ("direnv exec . ls", "C [ls]"),
    ("direnv allow", "no"),
    ("pyenv exec python x", "C [python x]"),
    ("volta run --node 20 node x", "C [node x]"),
    ("fnm exec --using=20 node x", "C [node x]"),
    ("rustup run nightly cargo b", "C [cargo b]"),
    ("rustup run --install nightly cargo b", "C [cargo b]"),
    ("rustup update", "no"),
    ("opam exec -- dune b", "C [dune b] cd=<elsewhere>"),
    ("opam install x", "no"),
    ("lerna exec -- ls", "C [ls] cd=<elsewhere>"),
    ("dotenv -e .env -- ls", "C [ls]"),
    ("dotenv run -- ls", "C [ls]"),
    ("dotenv list", "no"),
    ("dotenv ls", "no"),
    ("cross-env A=1 ls", "C [ls] A=1"),
    ("cross-env-shell 'ls'", "refused"),
    ("env-cmd -f x ls", "C [ls]"),
    ("envchain x ls", "C [ls]"),
    ("op run -- ls", "C [ls]"),
    ("op item list", "no"),
    ("doppler run --command 'ls'", "C sh:'ls'"),
    ("sops exec-env f 'ls'", "refused"),
    ("sops -d f", "no"),
    ("foreman run ls", "C [ls] cd=<elsewhere>"),
    ("nix-shell -p hello --run 'hello'", "C bash:'hello' startup"),
    ("nix-shell", "C stdin"),
    ("nix run x", "R"),
    ("nix build", "no"),
    ("guix shell x -- ls", "R"),
    ("tox exec -- ls", "C [ls] cd=<elsewhere>"),
    ("tox -e py", "no"),
];

#[test]
fn runners() {
    check(RUNNERS);
}

const PRIVILEGED: &[(&str, &str)] = &[
    ("sudo ls", "P [ls]"),
    ("sudo -n -u root -- touch x", "P [touch x]"),
    ("sudo A=1 ls", "P [ls] A=1"),
    ("sudo -D /tmp ls", "P [ls] cd=/tmp"),
    ("sudo -E --preserve-env=PATH ls", "P [ls]"),
    ("sudo -s touch x", "refused"),
    ("sudo -i", "refused"),
    ("sudo -b ls", "refused"),
    ("sudo -e f", "refused"),
    ("sudo -l", "empty"),
    ("sudo -h other touch x", "refused"),
    ("sudo -R / ls", "refused"),
    ("sudo --bogus ls", "refused"),
    ("sudo $X", "refused"),
    ("sudo", "empty"),
    ("sudoedit f", "refused"),
    ("doas -u root touch x", "P [touch x]"),
    ("doas -s", "refused"),
    ("su -c 'touch x'", "refused"),
    ("su root -s /bin/sh -c 'ls'", "P sh:'ls' startup"),
    ("su", "P stdin"),
    ("su - root", "P stdin"),
    ("su root x.sh", "refused"),
    ("su --bogus", "refused"),
    ("runuser -u root touch x", "P [touch x]"),
    ("runuser -u root -- touch x", "P [touch x]"),
    ("runuser -u root -c ls", "refused"),
    ("sg g -c ls", "refused"),
    ("pkexec --user root ls", "P [ls] cd=<elsewhere>"),
    ("pkexec", "P stdin cd=<elsewhere>"),
    ("gosu root ls", "P [ls]"),
    ("envdir d ls", "refused"),
    ("softlimit -m 1 ls", "P [ls]"),
    ("chpst -u x ls", "P [ls]"),
    ("chpst -b x ls", "refused"),
    ("setpriv --nnp ls", "P [ls]"),
    ("setpriv touch x", "P [touch x]"),
    ("setpriv -d", "empty"),
    ("unshare -r -n ls", "P [ls]"),
    ("unshare --mount-proc -fp ls", "P [ls]"),
    ("unshare", "P stdin"),
    ("unshare -R / ls", "refused"),
    ("firejail --net=none ls", "P [ls]"),
    ("firejail -c ls", "refused"),
    ("systemd-run --user --wait touch x", "P [touch x] cd=<elsewhere>"),
    ("systemd-run -p ExecStartPre=x ls", "refused"),
    ("systemd-run --setenv=A=1 ls", "P [ls] A=1 cd=<elsewhere>"),
    ("capsh --print", "empty"),
    ("capsh -- -c 'ls'", "P bash:'ls'"),
    ("capsh --drop=x -- -c 'ls'", "P bash:'ls'"),
    ("capsh --shell=/x -- -c ls", "refused"),
    ("capsh --", "P stdin"),
    ("tini -s -- ls", "P [ls]"),
    ("dumb-init ls", "P [ls]"),
    ("start-stop-daemon --start --exec /bin/x -- -a", "P [/bin/x -a] cd=/"),
    ("start-stop-daemon -S -b -x /bin/x", "refused"),
    ("start-stop-daemon --stop --name x", "empty"),
    ("prlimit --cpu=1 ls", "P [ls]"),
    ("prlimit -p 1", "empty"),
    ("setarch x86_64 touch x", "P [touch x]"),
    ("setarch -R ls", "P [ls]"),
    ("setarch x86_64 -R ls", "P [ls]"),
    ("setarch ls", "refused"),
    ("setarch $A ls", "refused"),
    ("setarch", "P stdin"),
    ("setarch --list", "empty"),
    ("linux32 ls", "P [ls]"),
    ("i386 ls", "P [ls]"),
    ("script -qc 'touch x' /dev/null", "P $SHELL:'touch x'"),
    ("script -q -e -c 'touch x' /dev/null", "P $SHELL:'touch x'"),
    ("script -q /dev/null -c 'x'", "P $SHELL:'x'"),
    ("script --command=x f", "refused"),
    ("script -cx f", "refused"),
    ("script --command x /dev/null", "P $SHELL:'x'"),
    ("script -c 'x'", "P $SHELL:'x' ask"),
    ("script -q /dev/null bash -lc 'echo hi'", "refused"),
    ("script", "P stdin ask"),
    ("script --bogus", "refused"),
    ("flock l touch x", "P [touch x]"),
    ("flock -n -E 9 l touch x", "P [touch x]"),
    ("flock -w 1.5 l ls", "P [ls]"),
    ("flock l -c 'touch x'", "P $SHELL:'touch x'"),
    ("flock l -c a b", "refused"),
    ("flock -c ls l", "refused"),
    ("flock -u 9", "empty"),
    ("flock $L ls", "refused"),
    ("/lib64/ld-linux-x86-64.so.2 /usr/bin/touch x", "P [/usr/bin/touch x]"),
    ("ld.so /usr/bin/touch x", "P [/usr/bin/touch x]"),
    ("ld-musl-x86_64.so.1 /bin/ls", "P [/bin/ls]"),
    ("ld-2.31.so /bin/ls", "P [/bin/ls]"),
    ("ld.so ls", "refused"),
    ("ld.so --preload ./x.so /bin/ls", "refused"),
    ("ld.so --library-path . /bin/ls", "refused"),
    ("ld.so --list /bin/ls", "empty"),
    ("busybox", "empty"),
    ("busybox --list", "empty"),
    ("busybox ls -l", "P [ls -l]"),
    ("busybox sh -c 'ls'", "P ash:'ls'"),
    ("busybox ash x.sh", "P script:x.sh"),
    ("busybox sh", "P stdin"),
    ("busybox busybox sh -c ls", "P ash:'ls'"),
    ("busybox --install -s", "refused"),
    ("busybox $X", "refused"),
    ("busybox.static wget x", "P [wget x]"),
    ("toybox ash -lc 'echo hi'", "P ash:'echo hi' startup"),
    ("coreutils ls", "P [ls]"),
    ("coreutils --coreutils-prog=env rm x", "P [env rm x]"),
    ("runcon ctx ls", "P [ls]"),
    ("aa-exec -p x -- ls", "P [ls]"),
    ("openvt -- ls", "P [ls]"),
    ("systemctl status x", "no"),
    ("systemctl --user edit x", "refused"),
];

#[test]
fn privileged() {
    check(PRIVILEGED);
}

const REMOTE: &[(&str, &str)] = &[
    ("ssh host ls -l", "R far[ls -l]"),
    ("ssh -p 22 -o StrictHostKeyChecking=no u@host 'ls; id'", "R far[ls; id]"),
    ("ssh host -p 22 ls", "R far[ls]"),
    ("ssh host", "R"),
    ("ssh -N -L 1:h:2 host", "R"),
    ("ssh -V", "empty"),
    ("ssh --bogus host", "R"),
    ("ssh $H ls", "R"),
    ("ssh -F cfg x", "R"),
    ("mosh host", "R"),
    ("docker run --rm alpine ls", "R far[ls]"),
    ("docker run -v /:/mnt alpine touch x", "R far[touch x]"),
    ("docker run alpine", "R"),
    ("docker run --bogus alpine ls", "R"),
    ("docker exec -it c sh -c 'ls'", "R far[sh -c ls]"),
    ("docker --context x exec c ls", "R far[ls]"),
    ("docker compose run svc ls", "R far[ls]"),
    ("docker compose -f x.yml exec svc ls", "R far[ls]"),
    ("docker compose up -d", "no"),
    ("docker ps", "no"),
    ("docker build -t a .", "no"),
    ("docker --version", "empty"),
    ("podman run x", "R"),
    ("docker $X", "R"),
    ("kubectl exec pod -- touch x", "R far[touch x]"),
    ("kubectl -n ns exec -it pod -- sh", "R far[sh]"),
    ("kubectl run x --image=y", "R"),
    ("kubectl get pods", "no"),
    ("kubectl -v 6 exec pod -- sh", "R far[sh]"),
    ("kubectl --insecure-skip-tls-verify get pods", "no"),
    ("kubectl --foo exec p", "R"),
    ("lxc exec c -- ls", "R"),
    ("lxc list", "no"),
    ("vagrant ssh -c ls", "R"),
    ("vagrant up", "no"),
    ("gh pr list", "no"),
    ("gh cs ssh", "R"),
    ("gh alias set x '!id'", "refused"),
    ("gcloud compute ssh h", "R"),
    ("gcloud compute list", "no"),
    ("flatpak run x", "R"),
    ("systemd-nspawn -D x ls", "R"),
    ("chroot / ls", "R far[ls]"),
    ("chroot /x", "R stdin"),
    ("bwrap --bind / / ls", "R"),
    ("nsenter -t 1 -m ls", "R far[ls]"),
    ("nsenter -t 1", "R stdin"),
    ("at now", "R stdin"),
    ("at -l", "no"),
    ("at -f x now", "R"),
    ("batch", "R stdin"),
    ("crontab -l", "no"),
    ("crontab -e", "refused"),
    ("crontab -", "R stdin"),
    ("crontab", "R stdin"),
    ("crontab x", "R"),
    ("tmux new-session -d 'touch x'", "R"),
    ("tmux -L t new-session -d 'touch x'", "R"),
    ("tmux send-keys -t a 'id' Enter", "R"),
    ("tmux ls", "no"),
    ("tmux capture-pane -p -t a", "no"),
    ("tmux ls ';' run-shell id", "R"),
    ("tmux display-message -p '#(id)'", "R"),
    ("tmux -f x ls", "R"),
    ("tmux", "R stdin"),
    ("screen -ls", "no"),
    ("screen -r x", "no"),
    ("screen -dmS x ls", "R"),
    ("screen", "R stdin"),
    ("gdb -nx -batch -ex 'shell id'", "R"),
    ("gdb x", "R stdin"),
    ("gdb --args ls -l", "R far[ls -l] stdin"),
    ("gdb --version", "empty"),
    ("ansible all -m shell -a id", "R"),
    ("ansible --version", "empty"),
    ("xterm -e id", "R"),
    ("bpftrace -e 'BEGIN{}'", "R"),
];

#[test]
fn elsewhere() {
    check(REMOTE);
}

const INTERPRETERS: &[(&str, &str)] = &[
    ("python3 -", "C stdin"),
    ("python3", "C stdin"),
    ("python3 -u", "C stdin"),
    ("python3 -i x.py", "C stdin"),
    ("python3 /dev/stdin", "C stdin"),
    ("python3.11 - a b", "C stdin"),
    ("python3.12-dbg -", "C stdin"),
    ("python3 x.py -", "no"),
    ("python3 -c 'print(1)'", "no"),
    ("python3 -Bc 'print(1)'", "no"),
    ("python3 -m pytest -q", "no"),
    ("python3 -X dev -W error x.py", "no"),
    ("python3 -V", "no"),
    ("python3 --version", "no"),
    ("python3 $X", "refused"),
    ("python3 x.py $X", "no"),
    ("python3 -Z x", "refused"),
    ("pypy3 -", "C stdin"),
    ("python3-config --libs", "no"),
    ("node", "C stdin"),
    ("node -", "C stdin"),
    ("node -i", "C stdin"),
    ("node x.js", "no"),
    ("node -e 1", "no"),
    ("node -pe 1", "no"),
    ("node --test", "no"),
    ("node --version", "no"),
    ("node --import ./x.mjs a.js", "no"),
    ("node --import ./x.mjs", "C stdin"),
    ("node --max-old-space-size=4096 x.js", "no"),
    ("node --no-warnings x.js", "no"),
    ("node --no-warnings", "C stdin"),
    ("node --weird x", "refused"),
    ("node --weird x y.js", "no"),
    ("nodejs -", "C stdin"),
    ("perl", "C stdin"),
    ("perl -", "C stdin"),
    ("perl -w", "C stdin"),
    ("perl x.pl", "no"),
    ("perl -pe s/a/b/ f", "no"),
    ("perl -i.bak -pe s/a/b/ f", "no"),
    ("perl -lane 'print' f", "no"),
    ("perl -0777 -ne 'print' f", "no"),
    ("perl -MJSON -e 1", "no"),
    ("perl -v", "no"),
    ("ruby", "C stdin"),
    ("ruby -", "C stdin"),
    ("ruby -v", "no"),
    ("ruby -v -", "C stdin"),
    ("lua -v -", "C stdin"),
    ("expect -f -", "C stdin"),
    ("expect -f x", "no"),
    ("irb -f", "refused"),
    ("psql -c x -f -", "C stdin"),
    ("psql \"$URL\" -c 'select 1'", "no"),
    ("sqlite3 \"$DB\" 'select 1'", "no"),
    ("python3 -c 'print(1)' -", "no"),
    ("ruby -ne 'puts 1'", "no"),
    ("ruby x.rb", "no"),
    ("php", "C stdin"),
    ("php -r '1;'", "no"),
    ("php -f -", "C stdin"),
    ("php x.php", "no"),
    ("lua -", "C stdin"),
    ("lua5.4 x.lua", "no"),
    ("R", "C stdin"),
    ("R --no-save", "C stdin"),
    ("R -e 1", "no"),
    ("R CMD build .", "no"),
    ("R -f -", "C stdin"),
    ("Rscript -e 1", "no"),
    ("Rscript x.R", "no"),
    ("deno run -", "C stdin"),
    ("deno run --allow-net x.ts", "no"),
    ("deno repl", "C stdin"),
    ("deno", "C stdin"),
    ("bun -", "C stdin"),
    ("tsx x.ts", "no"),
    ("tsx", "C stdin"),
    ("ts-node -e 1", "no"),
    ("julia", "C stdin"),
    ("tclsh", "C stdin"),
    ("irb", "C stdin"),
    ("sqlite3 db", "C stdin"),
    ("sqlite3", "C stdin"),
    ("sqlite3 db 'select 1'", "no"),
    ("sqlite3 -json db 'select 1'", "no"),
    ("sqlite3 -version", "no"),
    ("psql -c 'select 1'", "no"),
    ("psql -l", "no"),
    ("psql db", "C stdin"),
    ("psql -f x.sql", "no"),
    ("psql -f -", "C stdin"),
    ("mysql -e 'select 1'", "no"),
    ("mysql db", "C stdin"),
    ("ed x", "C stdin"),
    ("dc", "C stdin"),
    ("dc -e '1 p'", "no"),
    ("awk '{print $1}' f", "no"),
    ("awk -f - f", "C stdin"),
    ("awk -f /dev/stdin f", "C stdin"),
    ("gawk -f x.awk", "no"),
    ("sed -f - x", "C stdin"),
    ("sed -n 1p x", "no"),
    ("sed --bogus x", "no"),
    ("make", "no"),
    ("make -f - all", "C stdin"),
    ("make -C d test", "no"),
    ("make -j4 $T", "no"),
];

#[test]
fn interpreters() {
    check(INTERPRETERS);
}

#[test]
fn ordinary_programs() {
    check(&[
        ("ls -l", "no"),
        ("git -c alias.x=!id x", "no"),
        ("cargo run", "no"),
        ("go run .", "no"),
        ("g++-12 x.cc", "no"),
        ("ldd /bin/ls", "no"),
        ("ldapsearch.so x", "no"),
        ("dockerd", "no"),
    ]);
}

/// A row nobody exercises is a row nobody knows to work.
#[test]
fn every_row_has_a_case() {
    let cases = [TRANSPARENT, CARRIERS, RUNNERS, PRIVILEGED, REMOTE].concat();
    for row in rows() {
        let used = cases.iter().any(|(line, _)| {
            let word = line.split(' ').next().unwrap();
            row.names.iter().any(|n| word == *n || word.ends_with(&format!("/{n}")) || word.contains(".so"))
        });
        assert!(used, "{:?}", row.names);
        assert!(!row.reason.is_empty(), "{:?}", row.names);
    }
}

/// An option that no manual knows never leads to a judgement, and neither does a dynamic word in its place.
#[test]
fn unknown_and_dynamic_are_refused() {
    for row in rows() {
        let taken = !matches!(row.form, Form::Subs(_) | Form::Own(_) | Form::Opaque | Form::Dashes);
        if !taken || row.class == Class::Remote {
            continue;
        }
        for line in ["--no-such-option x", "$X x", "\"$X\" x"] {
            let args = words(line);
            for name in row.names {
                let got = peel(&[name.as_bytes()], name.as_bytes(), &args, &[]);
                assert!(matches!(got, Peel::Refused { .. } | Peel::No), "{name} {line}: {got:?}");
                let ordinary = matches!(row.form, Form::Ordinary);
                assert!(ordinary || got != Peel::No, "{name} {line}");
            }
        }
    }
}

#[test]
fn no_name_is_in_two_rows() {
    let mut seen = std::collections::BTreeSet::new();
    for row in rows() {
        for name in row.names {
            assert!(seen.insert(*name), "{name}");
        }
    }
}

fn named(names: &[&str], line: &str) -> String {
    let names: Vec<&[u8]> = names.iter().map(|n| n.as_bytes()).collect();
    summary(&peel(&names, names[0], &words(line), &[]))
}

#[test]
fn several_names() {
    // The shell that runs is the one it really is.
    assert_eq!(named(&["sh", "sh", "dash"], "-c ls"), "T dash:'ls'");
    assert_eq!(named(&["sh", "sh", "bash"], "-c ls"), "T bash:'ls'");
    assert_eq!(named(&["sh", "sh", "mksh"], "-c ls"), "refused");
    assert_eq!(named(&["sh", "sh", "busybox"], "-c ls"), "T ash:'ls'");
    assert_eq!(named(&["rbash", "rbash", "bash"], "-c ls"), "refused");
    assert_eq!(named(&["zsh", "zsh", "zsh-5.9"], "-c ls"), "T zsh:'ls'");
    // A link to a wrapper is that wrapper; a link named like one is not trusted as it.
    assert_eq!(named(&["x", "x", "env"], "ls"), "T [ls]");
    assert_eq!(named(&["nice", "nice", "evil"], "ls"), "C [ls]");
    assert_eq!(named(&["env2"], "ls"), "C [ls]");
    assert_eq!(named(&["python3", "python3", "python3.11"], "-"), "C stdin");
    // Multi-call programs go by the name they are started with.
    assert_eq!(named(&["ls", "ls", "busybox"], "rm -rf x"), "no");
    assert_eq!(named(&["ls", "ls", "coreutils"], "rm -rf x"), "no");
    assert_eq!(named(&["foo", "foo", "coreutils"], "rm -rf x"), "refused");
    assert_eq!(named(&["env", "env", "coreutils"], "ls"), "T [ls]");
    assert_eq!(named(&["env", "env", "gnuenv"], "ls"), "T [ls]");
    assert_eq!(named(&["linux32", "linux32", "setarch"], "ls"), "P [ls]");
    assert_eq!(named(&["bunx", "bunx", "bun"], "cowsay"), "C [cowsay]");
    assert_eq!(named(&["timeout.exe"], "5 ls"), "C [ls]");
    assert_eq!(named(&["/tmp/nice"], "ls"), "T [ls]");
}

#[test]
fn classes_and_learning() {
    assert_eq!(class_of(&[b"env"]), Some(Class::Transparent));
    assert_eq!(class_of(&[b"env", b"xargs"]), Some(Class::Carrier));
    assert_eq!(class_of(&[b"sudo"]), Some(Class::Privileged));
    assert_eq!(class_of(&[b"fish"]), Some(Class::Privileged));
    assert_eq!(class_of(&[b"ssh"]), Some(Class::Remote));
    assert_eq!(class_of(&[b"ls"]), None);
    assert!(is_shell(b"bash", &[]) && is_shell(b"pwsh.exe", &[]) && is_shell(b"/bin/zsh", &[]));
    assert!(is_shell(b"qsh", &[b"/bin/qsh".to_vec()]) && !is_shell(b"qsh", &[]));
    assert!(!is_shell(b"nologin", &[b"/usr/sbin/nologin".to_vec()]));
    assert!(!is_shell(b"tmux", &[b"/usr/bin/tmux".to_vec()]));
    assert_eq!(known_for(&[b"dash"]), Some("dash(1)"));
    assert!(known_for(&[b"env"]).is_some() && known_for(&[b"ls"]).is_none());
    for name in ["ls", "git", "npm", "docker", "find", "make", "kubectl", "sed", "cargo"] {
        assert!(learnable(&[name.as_bytes()]), "{name}");
    }
    for name in [
        "sh",
        "bash",
        "fish",
        "env",
        "xargs",
        "sudo",
        "python3.11",
        "node",
        "busybox",
        "npx",
        "ssh",
        "awk",
        "timeout",
        "ld-linux-x86-64.so.2",
        "perl",
    ] {
        assert!(!learnable(&[name.as_bytes()]), "{name}");
    }
}

#[test]
fn ranges_point_at_the_words() {
    let args = words("-n 5 ls -l");
    let Peel::Carries(c) = peel(&[b"nice"], b"nice", &args, &[]) else { panic!() };
    let Inner::Argv { range, .. } = &c.inner[0] else { panic!() };
    assert_eq!(*range, 2..4);
    let args = words("sh -e -c ls a b");
    let Peel::Carries(c) = peel(&[b"busybox"], b"busybox", &args, &[]) else { panic!() };
    let Inner::Text { at, positional, .. } = &c.inner[0] else { panic!() };
    assert_eq!((*at, positional.clone()), (3, 4..6));
}

#[test]
fn every_name_of_the_tables_is_found() {
    use crate::tables::interpreters::{self, INTERPRETERS};
    use crate::tables::wrappers::{find, rows};
    for name in rows().flat_map(|row| row.names) {
        assert!(find(name.as_bytes()).is_some(), "{name}");
    }
    for name in INTERPRETERS.iter().flat_map(|row| row.names) {
        assert!(interpreters::find(name.as_bytes()).is_some(), "{name}");
    }
    for name in ["git", "ls", "cat", "grep", "jq", ""] {
        assert!(interpreters::find(name.as_bytes()).is_none(), "{name}");
    }
}
