//! The ways of being called: by another program's name, `--`, `-c`, `check`, `hook`, or with a word for exec-guardctl.
use policy::Form;
use store::caller::id;

/// What the caller wants of us, nothing of it believed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Called {
    /// `--version`.
    Version,
    /// `--help`.
    Help,
    /// Judge this and become it.
    Run(Claim),
    /// Judge this and say what would happen.
    Check(Claim, Check),
    /// Answer an agent's hook: the words after `hook`.
    Hook(Vec<Vec<u8>>),
    /// Judge this and do not wait for it.
    Submit(Claim),
    /// A word that is exec-guardctl's: all arguments as they are.
    Companion(Vec<Vec<u8>>),
}

/// A command, and who the caller says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The command.
    pub form: Form,
    /// `--agent ID`.
    pub agent: Option<String>,
    /// `--session KEY`.
    pub session: Option<String>,
}

/// What is special to `check`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// `--json`.
    pub json: bool,
    /// `--cwd DIR`.
    pub cwd: Option<Vec<u8>>,
}

/// Wrong use: what is wrong, one clause. Holds foreign bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage(pub String);

/// How it is used: for `--help` and after a usage error.
pub const HELP: &str = "\
usage: exec-guard [--agent ID] [--session KEY] -- COMMAND [ARG…]
       exec-guard [--agent ID] [--session KEY] -c TEXT [NAME [ARG…]]
       exec-guard check [--json] [--agent ID] [--session KEY] [--cwd DIR] [--shell SHELL]
                        (-c TEXT | -- COMMAND [ARG…])
       exec-guard submit [--agent ID] [--session KEY] (-c TEXT [NAME [ARG…]] | -- COMMAND [ARG…])
       exec-guard hook AGENT            answers an agent's hook: its call on standard input
       exec-guard WORD …                as exec-guardctl WORD …
       exec-guard --version | --help

Judges the command by policy, then becomes it, refuses it, or asks a person. Called through a link of another
name it judges that program with these arguments.

Exit status: the command's own; 126 refused or not executable, 127 not found, 125 the guard could not work,
2 wrong use.
check: 0 allow, 3 ask, 4 deny. hook: 0 as the answer says, 2 denied. submit: 0 it runs, 75 a person is asked.
";

/// Words of the guard that this version does not have: refused by name, since an agent's hook that is passed on
/// to another program would not fail closed.
const LATER: &[&str] = &["run"];

/// Reads the arguments.
///
/// # Errors
///
/// [`Usage`] if they make no sense.
pub fn read(argv: Vec<Vec<u8>>) -> Result<Called, Usage> {
    let name0 = argv.first().map(Vec::as_slice).unwrap_or_default();
    // A login shell's name has a dash in front.
    let name = name0.strip_prefix(b"-").unwrap_or(name0).rsplit(|b| *b == b'/').next().unwrap_or_default();
    if name.is_empty() {
        return Err(Usage("called without a name".into()));
    }
    if !name.starts_with(b"exec-guard") {
        return Ok(Called::Run(Claim {
            form: Form::Program { argv, by_link: true },
            agent: None,
            session: None,
        }));
    }
    let args = argv.get(1..).unwrap_or_default();
    let word = args.first().map(Vec::as_slice).unwrap_or_default();
    match word {
        b"" if args.is_empty() => Err(Usage("no command".into())),
        b"--version" | b"-V" => Ok(Called::Version),
        b"--help" | b"-h" => Ok(Called::Help),
        b"check" => {
            let (claim, check) = Reader::new(args, true).finish()?;
            Ok(Called::Check(claim, check))
        }
        b"submit" => {
            let words = args.get(1..).unwrap_or_default();
            Ok(Called::Submit(Reader::new(words, false).finish()?.0))
        }
        // Typed by a person: an agent names itself.
        b"hook" if matches!(args, [_, .., help] if help == b"--help" || help == b"-h") => Ok(Called::Help),
        b"hook" => Ok(Called::Hook(args.get(1..).unwrap_or_default().to_vec())),
        w if LATER.iter().any(|l| l.as_bytes() == w) => {
            Err(Usage(format!("`{}` is not part of this version", String::from_utf8_lossy(w))))
        }
        w if !w.starts_with(b"-") && !w.is_empty() => Ok(Called::Companion(args.to_vec())),
        _ => Ok(Called::Run(Reader::new(args, false).finish()?.0)),
    }
}

/// Options up to `--` or `-c`.
struct Reader<'a> {
    rest: std::slice::Iter<'a, Vec<u8>>,
    check: bool,
}

impl<'a> Reader<'a> {
    fn new(args: &'a [Vec<u8>], check: bool) -> Reader<'a> {
        let mut rest = args.iter();
        if check {
            rest.next();
        }
        Reader { rest, check }
    }

    fn finish(mut self) -> Result<(Claim, Check), Usage> {
        let (mut agent, mut session, mut shell, mut check) = (None, None, None, Check::default());
        while let Some(arg) = self.rest.next() {
            let (name, inline) = match arg.iter().position(|b| *b == b'=').filter(|_| arg.starts_with(b"--"))
            {
                Some(at) => (arg.get(..at).unwrap_or_default(), arg.get(at + 1..)),
                None => (arg.as_slice(), None),
            };
            match (name, self.check) {
                (b"--agent", _) => set(&mut agent, name, self.text(name, inline)?)?,
                (b"--session", _) => set(&mut session, name, self.text(name, inline)?)?,
                (b"--json", true) if inline.is_none() => check.json = true,
                (b"--cwd", true) => set(&mut check.cwd, name, self.bytes(name, inline)?)?,
                (b"--shell", true) => set(&mut shell, name, self.bytes(name, inline)?)?,
                // A safe bin in a rendering: judged like any command, and confined if it is one.
                (b"--confined", false) => drop(self.bytes(name, inline)?),
                (b"--", _) if inline.is_none() => {
                    let argv: Vec<Vec<u8>> = self.rest.cloned().collect();
                    if argv.is_empty() {
                        return Err(Usage("no command after `--`".into()));
                    }
                    if shell.is_some() {
                        return Err(Usage("`--shell` goes with `-c` only".into()));
                    }
                    let form = Form::Program { argv, by_link: false };
                    return Ok((Claim { form, agent, session }, check));
                }
                (b"-c", _) => {
                    let mut text = self.rest.next();
                    // As in a shell, `--` may stand between.
                    if text.is_some_and(|t| t == b"--") {
                        text = self.rest.next();
                    }
                    let text = text.ok_or_else(|| Usage("`-c` needs the text".into()))?.clone();
                    let form = Form::Text { text, shell, args: self.rest.cloned().collect() };
                    return Ok((Claim { form, agent, session }, check));
                }
                _ => {
                    let shown = String::from_utf8_lossy(arg).into_owned();
                    let what =
                        if arg.starts_with(b"-") { "no such option" } else { "a command goes after `--`" };
                    return Err(Usage(format!("`{shown}`: {what}")));
                }
            }
        }
        Err(Usage("no command: it goes after `--` or `-c`".into()))
    }

    fn bytes(&mut self, name: &[u8], inline: Option<&[u8]>) -> Result<Vec<u8>, Usage> {
        let value = inline.map(Vec::from).or_else(|| self.rest.next().cloned());
        value
            .filter(|v| !v.is_empty())
            .ok_or_else(|| Usage(format!("`{}` needs a value", String::from_utf8_lossy(name))))
    }

    fn text(&mut self, name: &[u8], inline: Option<&[u8]>) -> Result<String, Usage> {
        let value = self.bytes(name, inline)?;
        id(&value)
            .ok_or_else(|| Usage(format!("`{}`: no such thing as this value", String::from_utf8_lossy(name))))
    }
}

fn set<T>(place: &mut Option<T>, name: &[u8], value: T) -> Result<(), Usage> {
    if place.replace(value).is_some() {
        return Err(Usage(format!("`{}` is given twice", String::from_utf8_lossy(name))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(s: &str) -> Vec<Vec<u8>> {
        s.split(' ').map(|w| w.as_bytes().to_vec()).collect()
    }

    fn run(s: &str) -> Claim {
        match read(words(s)) {
            Ok(Called::Run(claim)) => claim,
            other => panic!("{s}: {other:?}"),
        }
    }

    #[test]
    fn by_another_name() {
        for s in ["git status", "/home/u/.exec-guard/bin/git --version", "-bash", "bash -lc ls", "sh"] {
            let form = Form::Program { argv: words(s), by_link: true };
            assert_eq!(run(s), Claim { form, agent: None, session: None });
        }
    }

    #[test]
    fn by_our_own_name() {
        let program = |s: &str| Form::Program { argv: words(s), by_link: false };
        let text = |t: &str, args: &[&str]| Form::Text {
            text: t.into(),
            shell: None,
            args: args.iter().map(|a| a.as_bytes().to_vec()).collect(),
        };
        assert_eq!(run("exec-guard -- git -c x").form, program("git -c x"));
        assert_eq!(run("/opt/exec-guard-1.0 -c ls a b").form, text("ls", &["a", "b"]));
        assert_eq!(run("-exec-guard -c -- ls").form, text("ls", &[]));
        assert_eq!(run("exec-guard --confined jq -- /usr/bin/jq .").form, program("/usr/bin/jq ."));
        let claim = run("exec-guard --agent a --session=k=1 -- ls --agent b");
        assert_eq!((claim.agent.as_deref(), claim.session.as_deref()), (Some("a"), Some("k=1")));
        assert_eq!(claim.form, program("ls --agent b"));
    }

    #[test]
    fn check() {
        match read(words("exec-guard check --json --cwd /x --shell zsh --agent a -c ls")) {
            Ok(Called::Check(claim, check)) => {
                assert_eq!(check, Check { json: true, cwd: Some(b"/x".to_vec()) });
                let form =
                    Form::Text { text: b"ls".to_vec(), shell: Some(b"zsh".to_vec()), args: Vec::new() };
                assert_eq!(claim, Claim { form, agent: Some("a".into()), session: None });
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn submit() {
        match read(words("exec-guard submit --agent a --session s -c ls x")) {
            Ok(Called::Submit(claim)) => {
                let form = Form::Text { text: b"ls".to_vec(), shell: None, args: words("x") };
                assert_eq!(claim, Claim { form, agent: Some("a".into()), session: Some("s".into()) });
            }
            other => panic!("{other:?}"),
        }
        for wrong in ["exec-guard submit", "exec-guard submit ls", "exec-guard submit --json -- ls"] {
            assert!(read(words(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_rest() {
        assert_eq!(read(words("exec-guard --version x")), Ok(Called::Version));
        assert_eq!(read(words("exec-guard -h")), Ok(Called::Help));
        assert_eq!(read(words("exec-guard hook claude")), Ok(Called::Hook(words("claude"))));
        assert_eq!(read(words("exec-guard doctor -v")), Ok(Called::Companion(words("doctor -v"))));
        assert_eq!(read(words("exec-guard tool bash -")), Ok(Called::Companion(words("tool bash -"))));
    }

    #[test]
    fn wrong_use_has_a_word() {
        for s in [
            "exec-guard",
            "exec-guard --",
            "exec-guard -c",
            "exec-guard -x",
            "exec-guard --agent a",
            "exec-guard --agent",
            "exec-guard --agent a --agent b -- ls",
            "exec-guard --json -- ls",
            "exec-guard check ls",
            "exec-guard check",
            "exec-guard check --shell sh -- ls",
            "exec-guard check --confined x -- ls",
            "exec-guard check --json=1 -- ls",
            "exec-guard run -- ls",
        ] {
            assert!(matches!(read(words(s)), Err(Usage(_))), "{s}: {:?}", read(words(s)));
        }
        assert!(read(vec![]).is_err() && read(words("")).is_err());
        let bad = vec![
            b"exec-guard".to_vec(),
            b"--agent".to_vec(),
            b"\xff".to_vec(),
            b"--".to_vec(),
            b"ls".to_vec(),
        ];
        assert!(read(bad).is_err());
    }
}
