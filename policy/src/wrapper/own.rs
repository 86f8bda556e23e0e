//! Wrappers with a grammar of their own: env, nice, setarch, flock, su, script, multi-call programs, the guard.
use super::names::{ShellHit, base};
use super::walk::{Cx, Walked};
use super::words::{attached, away, fits};
use super::{Carried, DYNAMIC, FROM_ENVIRONMENT, Inner, Peel, ShellUse, UNKNOWN, shells};
use crate::arg::Arg;
use crate::getopt::longs;
use crate::getopt::{Item, Spec, Takes, parse};
use crate::tables::shells::{Grammar, SHELLS};
use crate::tables::words::{WordList, words};
use crate::tables::wrappers::{Kind, is_multicall};

/// env: options, a bare `-` for an empty environment, assignments, the command.
pub(super) fn env(cx: &Cx) -> Result<Peel, Peel> {
    let mut w = cx.walk()?;
    if !w.dashes && cx.literal(w.next) == Some(b"-") {
        w.carried.unset = None;
        w.next += 1;
    }
    let null = w.has(&["0", "null"]);
    let first = w.next;
    match cx.assigns(w)? {
        Peel::Carries(_) if null => Err(cx.refuse("env -0 takes no command", first)),
        peel => Ok(peel),
    }
}

/// nice: besides `-n N` the old forms `-N`, `-+N`, `--N`.
pub(super) fn nice(cx: &Cx) -> Result<Peel, Peel> {
    let old = |word: &[u8]| {
        let rest = word.strip_prefix(b"-")?;
        let rest = rest.strip_prefix(b"-").or(rest.strip_prefix(b"+")).unwrap_or(rest);
        (!rest.is_empty() && rest.iter().all(u8::is_ascii_digit)).then_some(())
    };
    let mut from = cx.from;
    while cx.literal(from).and_then(old).is_some() {
        from += 1;
    }
    let cx = cx.at(from);
    cx.command(cx.walk()?, &[], None)
}

/// setarch: under its own name the first word is the architecture, unless it is an option; a link named after
/// an architecture has none. Without a command it starts a shell.
pub(super) fn setarch(cx: &Cx) -> Result<Peel, Peel> {
    let own_name = base(cx.argv0).strip_suffix(b"setarch").is_some();
    let mut from = cx.from;
    if own_name {
        match cx.args.get(from) {
            Some(Arg::Literal(b)) if b.starts_with(b"-") => {}
            Some(Arg::Literal(b)) if ARCHITECTURES.iter().any(|a| a == b.as_slice()) => from += 1,
            Some(Arg::Literal(_)) => return Err(cx.refuse("an architecture that is not known here", from)),
            Some(_) => return Err(cx.refuse(DYNAMIC, from)),
            None => {}
        }
    }
    let cx = cx.at(from);
    cx.command(cx.walk()?, &[], Some(Inner::Stdin))
}

/// Source: setarch(8), `setarch --list`.
const ARCHITECTURES: WordList = words![
    "uname26",
    "linux32",
    "linux64",
    "i386",
    "i486",
    "i586",
    "i686",
    "athlon",
    "x86_64",
    "aarch64",
    "arm64",
    "arm",
    "armv6l",
    "armv7l",
    "armv8l",
    "armh",
    "ppc",
    "ppc32",
    "ppc64",
    "ppcle",
    "ppc64le",
    "s390",
    "s390x",
    "mips",
    "mips32",
    "mips64",
    "mipsel",
    "mipsel64",
    "sparc",
    "sparc64",
    "parisc",
    "parisc32",
    "parisc64",
    "ia64",
    "riscv32",
    "riscv64",
    "alpha",
    "loongarch",
    "loongarch64",
];

/// busybox, toybox, coreutils: the first operand is the program.
pub(super) fn multiplexer(cx: &Cx) -> Peel {
    let Some(word) = cx.args.get(cx.from) else { return Peel::Empty };
    let Some(applet) = word.literal() else { return cx.refuse(DYNAMIC, cx.from) };
    let rest = cx.args.get(cx.from + 1..).unwrap_or_default();
    // GNU's single binary names its applet in an option.
    if let Some(name) = applet.strip_prefix(b"--coreutils-prog=") {
        let words = std::iter::once(Arg::lit(name)).chain(rest.iter().cloned()).collect();
        return cx.carries(vec![Inner::Argv { words, range: cx.from..cx.args.len() }]);
    }
    if applet.starts_with(b"-") {
        return match applet {
            b"--help" | b"--list" | b"--list-full" | b"--version" if rest.is_empty() => Peel::Empty,
            _ => cx.refuse(UNKNOWN, cx.from),
        };
    }
    if is_multicall(base(applet)) {
        return cx.at(cx.from + 1).again();
    }
    if let Some(shell) = SHELLS.iter().find(|s| s.name.as_bytes() == base(applet)) {
        let grammar = shell.grammar.map(|_| Grammar::Dash);
        // `sh` and `ash` are its ash; what it does under another shell's name differs from build to build.
        let name = if matches!(shell.name, "sh" | "ash") { "ash" } else { shell.name };
        let hit = ShellHit { name: name.as_bytes().to_vec(), grammar, certain: true };
        return privileged(cx, shells::peel_from(&hit, applet, cx.args, cx.from + 1));
    }
    cx.carries(cx.argv(cx.from).into_iter().collect())
}

impl Cx<'_> {
    /// The same multi-call program once more (`busybox busybox sh`).
    fn again(self) -> Peel {
        multiplexer(&self)
    }
}

fn privileged(cx: &Cx, mut peel: Peel) -> Peel {
    match &mut peel {
        Peel::Carries(c) => c.class = c.class.max(cx.class),
        Peel::Refused { class, .. } => *class = (*class).max(cx.class),
        Peel::No | Peel::Empty => {}
    }
    peel
}

/// The loader: a program by its path; a bare name is looked for among libraries, not in PATH.
pub(super) fn loader(cx: &Cx) -> Result<Peel, Peel> {
    let w = cx.walk()?;
    match cx.args.get(w.next) {
        Some(word) if !word.known_prefix().contains(&b'/') => {
            Err(cx.refuse("the loader does not look in PATH for a bare name", w.next))
        }
        _ => cx.command(w, &[], None),
    }
}

/// capsh: everything after `--` goes to bash.
pub(super) fn capsh(cx: &Cx) -> Peel {
    for at in cx.from..cx.args.len() {
        match cx.literal(at) {
            None => return cx.refuse(DYNAMIC, at),
            Some(b"--") => {
                let hit = ShellHit { name: b"bash".to_vec(), grammar: Some(Grammar::Bash), certain: true };
                return privileged(cx, shells::peel_from(&hit, b"bash", cx.args, at + 1));
            }
            Some(w) if w == b"==" || w.starts_with(b"--shell=") || w.starts_with(b"--chroot=") => {
                return cx.refuse("capsh starts another program than bash", at);
            }
            Some(w) if !w.starts_with(b"--") => return cx.refuse(UNKNOWN, at),
            Some(_) => {}
        }
    }
    Peel::Empty
}

const START_STOP: Spec = Spec {
    short: "SKTHVx:a:n:p:u:g:c:s:k:N:P:I:d:r:R:bmtovqC",
    long: longs![
        ("start", Takes::Nothing),
        ("stop", Takes::Nothing),
        ("status", Takes::Nothing),
        ("help", Takes::Nothing),
        ("version", Takes::Nothing),
        ("exec", Takes::Value),
        ("startas", Takes::Value),
        ("name", Takes::Value),
        ("pidfile", Takes::Value),
        ("user", Takes::Value),
        ("group", Takes::Value),
        ("chuid", Takes::Value),
        ("chdir", Takes::Value),
        ("umask", Takes::Value),
        ("retry", Takes::Value),
        ("signal", Takes::Value),
        ("nicelevel", Takes::Value),
        ("make-pidfile", Takes::Nothing),
        ("oknodo", Takes::Nothing),
        ("quiet", Takes::Nothing),
        ("verbose", Takes::Nothing),
        ("test", Takes::Nothing),
    ],
    permute: false,
    abbreviate: false,
    single_dash_long: false,
};

/// start-stop-daemon: the program stands in an option, its arguments after `--`.
pub(super) fn start_stop_daemon(cx: &Cx) -> Peel {
    let own = Cx { options: &START_STOP, effects: &[], ..*cx };
    let w = match own.walk() {
        Ok(w) => w,
        Err(peel) => return peel,
    };
    if !w.has(&["S", "start"]) {
        let known = w.has(&["K", "stop", "T", "status", "H", "help", "V", "version"]);
        return if known { Peel::Empty } else { cx.refuse("neither --start nor --stop", None) };
    }
    if w.has(&["b", "r", "C"]) {
        return cx.refuse("leaves its program running in the background, or changes its root", None);
    }
    let value =
        |names: &[&str]| w.seen.iter().rev().find(|(n, _)| names.contains(n)).and_then(|(_, v)| v.clone());
    let Some(program) = value(&["a", "startas"]).or_else(|| value(&["x", "exec"])) else {
        return cx.refuse("which program is started is not said", None);
    };
    let rest = cx.args.get(w.next..).unwrap_or_default();
    if !program.known_prefix().starts_with(b"/") {
        return cx.refuse("the program is not named by its whole path", None);
    }
    let words = std::iter::once(program).chain(rest.iter().cloned()).collect();
    let mut carried = Carried::new(cx.class, vec![Inner::Argv { words, range: w.next..cx.args.len() }]);
    carried.chdir = value(&["d", "chdir"]).or_else(|| Some(Arg::lit("/")));
    Peel::Carries(carried)
}

/// systemd-run: a service starts in the manager's folder, unless it is told otherwise.
pub(super) fn systemd_run(cx: &Cx) -> Result<Peel, Peel> {
    let w = cx.walk()?;
    let here = w.has(&["scope", "d", "same-dir"]) || w.carried.chdir.is_some();
    let peel = cx.command(w, &[], None)?;
    Ok(if here { peel } else { away(peel) })
}

/// flock: a file, then `-c TEXT` or a command.
pub(super) fn flock(cx: &Cx) -> Result<Peel, Peel> {
    let w = cx.walk()?;
    match cx.args.get(w.next) {
        None => return Ok(Peel::Empty),
        Some(file) if !fits(Kind::Any, file) => return Err(cx.refuse(DYNAMIC, w.next)),
        Some(_) => {}
    }
    let at = w.next + 1;
    if matches!(cx.literal(at), Some(b"-c" | b"--command")) {
        return match cx.args.len() - at {
            2 => Ok(cx.carries(vec![of_environment(cx, cx.literal(at + 1), at + 1)])),
            _ => Err(cx.refuse("flock -c takes exactly one text", at)),
        };
    }
    cx.command(Walked { next: at, ..w }, &[], None)
}

/// A text for whatever shell the variable SHELL names.
fn of_environment(cx: &Cx, word: Option<&[u8]>, at: usize) -> Inner {
    Inner::Text {
        text: word.map(<[u8]>::to_vec),
        at,
        shell: ShellUse { name: FROM_ENVIRONMENT.to_vec(), ..ShellUse::default() },
        positional: cx.args.len()..cx.args.len(),
    }
}

/// su and runuser: a text for a shell, or (`runuser -u`) a command.
pub(super) fn su(cx: &Cx) -> Peel {
    let (mut text, mut shell, mut user) = (None, None, false);
    // A login shell starts in the home of its user.
    let mut login = false;
    let mut at = cx.from;
    while let Some(word) = cx.args.get(at) {
        let Some(w) = word.literal() else { return cx.refuse(DYNAMIC, at) };
        let letters = w.strip_prefix(b"-").filter(|l| !l.starts_with(b"-"));
        match w {
            b"--help" | b"--version" | b"-h" | b"-V" => return Peel::Empty,
            b"-c" | b"--command" | b"--session-command" => {
                text = Some(at + 1);
                at += 1;
            }
            b"-s" | b"--shell" => {
                at += 1;
                shell = cx.literal(at).map(<[u8]>::to_vec);
            }
            b"-g" | b"-G" | b"-w" | b"--group" | b"--supp-group" | b"--whitelist-environment" => at += 1,
            b"-u" | b"--user" if base(cx.argv0).starts_with(b"runuser") => {
                let command = if cx.literal(at + 2) == Some(b"--") { at + 3 } else { at + 2 };
                return match cx.args.get(at + 1) {
                    Some(Arg::Literal(_)) => cx
                        .at(command)
                        .argv(command)
                        .map_or(cx.refuse("no command", at), |inner| command_of(cx, inner, command)),
                    _ => cx.refuse(DYNAMIC, at + 1),
                };
            }
            b"-" | b"-l" | b"--login" => login = true,
            b"-m" | b"-p" | b"-P" | b"-f" | b"--preserve-environment" | b"--fast" | b"--pty" => {}
            _ => match letters.and_then(<[u8]>::split_last) {
                // `-lc TEXT`
                Some((b'c', rest)) if rest.iter().all(|l| b"lmpPf".contains(l)) => {
                    login |= rest.contains(&b'l');
                    text = Some(at + 1);
                    at += 1;
                }
                Some(_) => return cx.refuse(UNKNOWN, at),
                None if w.starts_with(b"-") => return cx.refuse(UNKNOWN, at),
                None if user => return cx.refuse("words for a shell that is not known here", at),
                None => user = true,
            },
        }
        at += 1;
    }
    let Some(at) = text else { return cx.carries(vec![Inner::Stdin]) };
    let Some(shell) = shell else {
        return cx.refuse("which shell runs the text is the choice of the user's account", at);
    };
    if cx.args.get(at).is_none() {
        return cx.refuse("-c without a text", at);
    }
    let peel = cx.carries(vec![Inner::Text {
        text: cx.literal(at).map(<[u8]>::to_vec),
        at,
        shell: ShellUse { name: base(&shell).to_vec(), startup: true, keep: Vec::new() },
        positional: at + 1..at + 1,
    }]);
    if login { away(peel) } else { peel }
}

/// A command that is itself no option.
fn command_of(cx: &Cx, inner: Inner, at: usize) -> Peel {
    match cx.args.get(at) {
        Some(word) if word.may_be_option() => cx.refuse(UNKNOWN, at),
        _ => cx.carries(vec![inner]),
    }
}

/// script: `-c TEXT` and a file, in any order; without a text it starts a shell.
pub(super) fn script(cx: &Cx) -> Result<Peel, Peel> {
    let spec = Spec { permute: true, ..*cx.options };
    let (mut text, mut files) = (None, 0);
    let mut writes = true;
    for item in parse(&spec, cx.args.get(cx.from..).unwrap_or_default()) {
        match item {
            Item::ShortValue(b'c', i, v) | Item::LongValue("command", i, v) => {
                let name = if matches!(cx.literal(cx.from + i), Some(w) if w.starts_with(b"--")) {
                    "command"
                } else {
                    "c"
                };
                if cx.args.get(cx.from + i).is_none_or(|w| attached(w, name)) {
                    return Err(cx.refuse("a text in the same word as its option", cx.from + i));
                }
                text = Some((v, cx.from + i + 1));
            }
            Item::Short(b'h' | b'V', _) | Item::Long("help" | "version", _) => return Ok(Peel::Empty),
            Item::Operand(i) => {
                files += 1;
                writes = cx.literal(cx.from + i) != Some(b"/dev/null");
                if files > 1 {
                    return Err(
                        cx.refuse("more than one operand: script differs between systems here", cx.from + i)
                    );
                }
            }
            Item::End(i) => return Err(cx.refuse("script differs between systems after --", cx.from + i)),
            Item::Unknown(i) => return Err(cx.refuse(UNKNOWN, cx.from + i)),
            Item::DynamicOption(i) => return Err(cx.refuse(DYNAMIC, cx.from + i)),
            Item::ShortValue(b'B' | b'I' | b'O' | b'T', i, _) | Item::LongValue(_, i, _) => {
                return Err(cx.refuse("script writes another file", cx.from + i));
            }
            _ => {}
        }
    }
    let inner = match text {
        Some((word, at)) => of_environment(cx, word.literal(), at),
        None => Inner::Stdin,
    };
    let mut carried = Carried::new(cx.class, vec![inner]);
    if writes {
        carried.also_ask = Some("script writes a file".into());
    }
    Ok(Peel::Carries(carried))
}

/// The guard itself: judged for the agent that asked, whatever it says of agents.
pub(super) fn guard(cx: &Cx) -> Peel {
    let mut at = cx.from;
    let mut run = false;
    while let Some(word) = cx.args.get(at) {
        let Some(w) = word.literal() else { return cx.refuse(DYNAMIC, at) };
        match w {
            b"--" => {
                return match cx.argv(at + 1) {
                    Some(inner) => cx.carries(vec![inner]),
                    None => Peel::Empty,
                };
            }
            b"-c" => {
                return match cx.args.get(at + 1) {
                    Some(text) => {
                        let mut inner = cx.text(text.literal(), at + 1);
                        if let Inner::Text { positional, .. } = &mut inner {
                            *positional = at + 2..cx.args.len();
                        }
                        cx.carries(vec![inner])
                    }
                    None => cx.refuse("-c without a text", at),
                };
            }
            b"--session" => at += 1,
            b"--help" | b"--version" | b"-h" | b"-V" => return Peel::Empty,
            _ if w.starts_with(b"--session=") => {}
            _ if w.starts_with(b"--agent") => {
                return cx.refuse("another agent is named for what is judged here", at);
            }
            _ if w.starts_with(b"-") => return cx.refuse(UNKNOWN, at),
            b"run" | b"submit" if !run => run = true,
            _ if run => return cx.carries(cx.argv(at).into_iter().collect()),
            b"check" | b"hook" | b"tool" => return Peel::Empty,
            // Handed to exec-guardctl: the guard's protection of itself judges that.
            _ => return Peel::No,
        }
        at += 1;
    }
    Peel::Empty
}
