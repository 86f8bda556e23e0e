//! What a command is made of, and whether the sandbox's lists let that run.
//!
//! Lists speak of programs. They are compared with the name of every command the text has (as written, and as the file it
//! resolves to), those behind wrappers, in substitutions and in functions too; never with pieces of the text. What cannot
//! be told (a name known only at run time, code that nobody sees) is refused where there is a list: it could be any.
use policy::document::{Accept, Ask, Effective, Security};
use policy::shell::{CommandKind, Dialect, Node, Part, RedirectOp, Script, Word};
use policy::{Arg, Evaluation, Form, Invocation, Reason, World, decide_as};

use crate::config::Sandbox;

/// Names in `blockedCommands` that are constructs.
const CONSTRUCTS: &[&str] = &[">", ">>", "|"];

/// Grounds that mean: there may be a command that was not seen.
const UNSEEN: &[Reason] = &[
    Reason::DynamicName,
    // Of a text for a shell; no entry looks at arguments here.
    Reason::DynamicArgument,
    Reason::Function,
    Reason::Construct,
    Reason::Syntax,
    Reason::Limit,
    Reason::Control,
    Reason::Wrapper,
    Reason::Code,
    Reason::Loop,
];

/// Builtins that run words as a text, now or later, or give a name to another program.
const RUN_TEXT: &[&[u8]] = &[
    b"eval",
    b".",
    b"source",
    b"trap",
    b"alias",
    b"hash",
    b"mapfile",
    b"readarray",
    b"complete",
    b"compgen",
];
/// How often such a text may hold another one.
const DEPTH: u32 = 8;

/// What a text has, found by its tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Names of commands as written; `None` for one that is known only at run time.
    pub names: Vec<Option<Vec<u8>>>,
    /// A file is opened for writing anew.
    pub writes: bool,
    /// A file is opened for appending.
    pub appends: bool,
    /// There is a pipe.
    pub pipes: bool,
    /// There is a redirection of any other kind, or an assignment.
    pub other: bool,
}

impl Shape {
    /// That of a text in a language.
    pub fn of(text: &[u8], dialect: Dialect) -> Shape {
        let parsed = policy::shell::parse(text, dialect);
        let mut shape = Shape::default();
        shape.pipelines(&parsed.script);
        parsed.script.walk(&mut |node| match node {
            Node::Command(command) => {
                for r in &command.redirects {
                    match r.op {
                        RedirectOp::Write
                        | RedirectOp::Clobber
                        | RedirectOp::Both
                        | RedirectOp::ReadWrite => {
                            shape.writes = true;
                        }
                        RedirectOp::Append | RedirectOp::BothAppend => shape.appends = true,
                        // `2>&1` opens nothing, but it is written with the sign.
                        RedirectOp::DupOut | RedirectOp::DupIn | RedirectOp::Read => shape.other = true,
                        RedirectOp::HereDoc | RedirectOp::HereString => shape.other = true,
                    }
                }
                match &command.kind {
                    CommandKind::Simple(simple) => {
                        shape.other |= !simple.assignments.is_empty();
                        shape.names.extend(simple.words.first().map(literal));
                    }
                    CommandKind::Function { name, .. } => shape.names.push(Some(name.clone())),
                    CommandKind::Subshell(s) | CommandKind::Group(s) => shape.pipelines(s),
                    CommandKind::If { arms, otherwise } => {
                        let all = arms.iter().flat_map(|(a, b)| [a, b]).chain(otherwise);
                        all.for_each(|s| shape.pipelines(s));
                    }
                    CommandKind::Loop { condition, body, .. } => {
                        shape.pipelines(condition);
                        shape.pipelines(body);
                    }
                    CommandKind::For { body, .. }
                    | CommandKind::ArithFor { body, .. }
                    | CommandKind::Select { body, .. } => shape.pipelines(body),
                    CommandKind::Case { arms, .. } => arms.iter().for_each(|(_, s, _)| shape.pipelines(s)),
                    CommandKind::Coproc(_) => shape.pipes = true,
                    CommandKind::Cond(_) | CommandKind::Arith(_) => {}
                }
            }
            Node::Part(Part::Command { script, .. } | Part::Process { script, .. }) => {
                shape.pipelines(script)
            }
            Node::Part(_) => {}
        });
        shape
    }

    fn pipelines(&mut self, script: &Script) {
        for list in &script.lists {
            let all = std::iter::once(&list.first).chain(list.rest.iter().map(|(_, p)| p));
            self.pipes |= all.into_iter().any(|p| p.commands.len() > 1);
        }
    }
}

/// The value of a word, if it has no part that is known only at run time.
fn literal(word: &Word) -> Option<Vec<u8>> {
    fn parts(list: &[Part], out: &mut Vec<u8>) -> Option<()> {
        for part in list {
            match part {
                Part::Bare(b) | Part::Quoted(b) => out.extend_from_slice(b),
                Part::Double(inner) => parts(inner, out)?,
                _ => return None,
            }
        }
        Some(())
    }
    let mut out = Vec::new();
    parts(&word.parts, &mut out)?;
    Some(out)
}

/// Whether the lists let a command run. `text` is what a shell of `dialect` would be given, if one is.
///
/// # Errors
/// What stands in the way, one sentence.
pub fn lists(
    sandbox: &Sandbox,
    policy: &Effective,
    inv: &Invocation,
    world: &dyn World,
    eval: &Evaluation,
) -> Result<(), String> {
    nested(sandbox, policy, inv, world, eval, DEPTH)
}

fn nested(
    sandbox: &Sandbox,
    policy: &Effective,
    inv: &Invocation,
    world: &dyn World,
    eval: &Evaluation,
    depth: u32,
) -> Result<(), String> {
    if sandbox.allowed.is_empty() && sandbox.blocked.is_empty() {
        return Ok(());
    }
    let shape = shape(inv, eval);
    let blocked = |construct: &str| sandbox.blocked.iter().any(|b| b == construct);
    for (construct, is_there) in CONSTRUCTS.iter().zip([shape.writes, shape.appends, shape.pipes]) {
        if is_there && blocked(construct) {
            return Err(format!("`{construct}` is blocked (sandbox.blockedCommands)"));
        }
    }
    // The same evaluator once more, told to follow everything and to leave nothing out: under `full` it does not say
    // what it could not see.
    let mut strict = policy.clone();
    strict.security.value = Security::Allowlist;
    strict.ask.value = Ask::OnMiss;
    strict.shell_accept = Accept::Checked;
    strict.elevated = false;
    strict.allow.clear();
    strict.asklist.clear();
    strict.denylist.clear();
    let seen = decide_as(strict, inv, world);
    if let Some(f) = seen.findings.iter().find(|f| UNSEEN.contains(&f.reason)) {
        return Err(format!(
            "not every program of it is known, and the sandbox's lists speak of programs: {}",
            f.message
        ));
    }
    for name in &shape.names {
        match name {
            Some(name) => one(sandbox, &[name])?,
            None => return Err("the name of a command is known only at run time".into()),
        }
    }
    for segment in &seen.segments {
        let Some(first) = segment.argv.first().and_then(Arg::literal) else {
            return Err("the name of a command is known only at run time".into());
        };
        let mut names = vec![first];
        if let Some(exe) = &segment.exe {
            names.extend([exe.name(), exe.real_name()]);
        }
        one(sandbox, &names)?;
        if !RUN_TEXT.contains(&base(first)) {
            continue;
        }
        let words: Option<Vec<&[u8]>> = segment.argv.iter().skip(1).map(Arg::literal).collect();
        let Some((words, below)) = words.zip(depth.checked_sub(1)) else {
            return Err(format!("what `{}` would run is known only at run time", shown(first)));
        };
        for text in texts(base(first), &words) {
            let form = Form::Text { text, shell: None, args: Vec::new() };
            let inv = Invocation { form, ..inv.clone() };
            let eval = decide_as(policy.clone(), &inv, world);
            nested(sandbox, policy, &inv, world, &eval, below)?;
        }
    }
    Ok(())
}

/// Texts that a builtin runs, now or later.
fn texts(builtin: &[u8], words: &[&[u8]]) -> Vec<Vec<u8>> {
    let option = |letter: u8| {
        let at = words.iter().position(|w| w.starts_with(b"-") && w.contains(&letter));
        let attached = at.and_then(|at| words.get(at)?.splitn(2, |b| *b == letter).nth(1));
        let next = at.and_then(|at| words.get(at + 1).copied());
        attached.filter(|a| !a.is_empty()).or(next)
    };
    let found: Vec<Vec<u8>> = match builtin {
        b"eval" => vec![words.join(&b' ')],
        b"trap" => words.iter().find(|w| !w.starts_with(b"-")).map(|w| w.to_vec()).into_iter().collect(),
        b"alias" => {
            let value = |w: &&[u8]| w.splitn(2, |b| *b == b'=').nth(1).map(<[u8]>::to_vec);
            words.iter().filter_map(value).collect()
        }
        b"hash" => option(b'p').map(<[u8]>::to_vec).into_iter().collect(),
        b"mapfile" | b"readarray" | b"complete" | b"compgen" => {
            option(b'C').map(<[u8]>::to_vec).into_iter().collect()
        }
        _ => Vec::new(),
    };
    found.into_iter().filter(|text| !text.trim_ascii().is_empty()).collect()
}

/// What its text has, if a shell is given one.
fn shape(inv: &Invocation, eval: &Evaluation) -> Shape {
    match (&inv.form, eval.dialect) {
        (Form::Text { text, .. }, Some(dialect)) => Shape::of(text, dialect),
        _ => Shape::default(),
    }
}

fn shown(name: &[u8]) -> String {
    protocol::Shown::text(name).into_string()
}

fn base(name: &[u8]) -> &[u8] {
    name.rsplit(|b| *b == b'/').next().unwrap_or(name)
}

/// One program by all its names.
fn one(sandbox: &Sandbox, names: &[&[u8]]) -> Result<(), String> {
    let is = |listed: &String, name: &[u8]| {
        // `mkfs` is also `mkfs.ext4`, which is that program for one file system.
        let listed = listed.as_bytes();
        name == listed
            || base(name) == listed
            || base(name).strip_prefix(listed).is_some_and(|rest| rest.starts_with(b"."))
    };
    for name in names {
        if let Some(b) = sandbox.blocked.iter().find(|b| is(b, name)) {
            return Err(format!("`{}` is blocked (sandbox.blockedCommands: {b})", shown(name)));
        }
    }
    let allowed = |name: &&[u8]| sandbox.allowed.iter().any(|a| is(a, name));
    // The first name is how it was written; a link of that name to another program is that program too.
    if !sandbox.allowed.is_empty() && !names.iter().take(1).all(allowed) {
        let name = names.first().copied().unwrap_or_default();
        return Err(format!("`{}` is not among sandbox.allowedCommands", shown(name)));
    }
    Ok(())
}

/// The commands of a command, each in one line, for patterns; `None` where they are not all known for certain, or where
/// there is more to it than commands.
pub fn parts(inv: &Invocation, eval: &Evaluation) -> Option<Vec<String>> {
    let shape = shape(inv, eval);
    if shape.writes || shape.appends || shape.other {
        return None;
    }
    if eval.findings.iter().any(|f| UNSEEN.contains(&f.reason)) {
        return None;
    }
    let line = |argv: &[Arg]| -> Option<String> {
        let words: Option<Vec<&[u8]>> = argv.iter().map(Arg::literal).collect();
        Some(protocol::Shown::argv(&words?).into_string())
    };
    let all: Option<Vec<String>> = eval.segments.iter().map(|s| line(&s.argv)).collect();
    // A name in the text that no segment has was not followed.
    let followed = shape.names.len() <= eval.segments.len();
    all.filter(|a| !a.is_empty() && followed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use policy::FakeWorld;

    fn names(text: &str) -> Vec<String> {
        let shape = Shape::of(text.as_bytes(), Dialect::Dash);
        shape
            .names
            .iter()
            .map(|n| n.as_ref().map_or("?".into(), |n| String::from_utf8_lossy(n).into()))
            .collect()
    }

    #[test]
    fn every_command_of_a_text_is_named() {
        for (text, want) in [
            ("ls; rm x", vec!["ls", "rm"]),
            (r"\rm x", vec!["rm"]),
            ("r''m x", vec!["rm"]),
            ("echo $(rm x) `su`", vec!["echo", "rm", "su"]),
            ("f() { rm x; }; f", vec!["f", "rm", "f"]),
            ("if a; then b; else c; fi", vec!["a", "b", "c"]),
            ("for x in a; do rm $x; done", vec!["rm"]),
            ("$X y", vec!["?"]),
        ] {
            assert_eq!(names(text), want, "{text}");
        }
        let shape = |t: &str| {
            let s = Shape::of(t.as_bytes(), Dialect::Dash);
            (s.writes, s.appends, s.pipes)
        };
        for (text, want) in [
            ("a > b", (true, false, false)),
            ("a >> b", (false, true, false)),
            ("a | b", (false, false, true)),
            ("echo '> >> |'", (false, false, false)),
            ("a 2>&1", (false, false, false)),
            ("( a | b )", (false, false, true)),
            ("echo $(a | b > c)", (true, false, true)),
        ] {
            assert_eq!(shape(text), want, "{text}");
        }
    }

    fn check(allowed: &[&str], blocked: &[&str], text: &str) -> Result<(), String> {
        let mut world = FakeWorld::new().link("/usr/bin/sh", "/usr/bin/dash");
        for name in [
            "bash",
            "dash",
            "ls",
            "rm",
            "git",
            "format-it",
            "env",
            "timeout",
            "xargs",
            "echo",
            "mkfs.ext4",
            "busybox",
        ] {
            world = world.program(&format!("/usr/bin/{name}"));
        }
        let list = |l: &[&str]| l.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let sandbox = Sandbox {
            allowed: list(allowed),
            blocked: list(blocked),
            ..crate::config::Settings::default().sandbox
        };
        let mut policy = Effective::built_in("main");
        policy.security.value = Security::Full;
        policy.ask.value = Ask::Off;
        policy.shell_program = "/usr/bin/sh".into();
        let inv = Invocation {
            form: Form::Text { text: text.into(), shell: None, args: vec![] },
            env: vec![b"PATH=/usr/bin".to_vec()],
            cwd: Some(b"/workdir".to_vec()),
            agents: vec!["main".into()],
            session: None,
            now_ms: 1,
            home: None,
            unattended: true,
            guard: policy::Guard::default(),
        };
        let eval = decide_as(policy.clone(), &inv, &world);
        lists(&sandbox, &policy, &inv, &world, &eval)
    }

    #[test]
    fn lists_speak_of_programs_not_of_letters() {
        let default: Vec<&str> = crate::config::BLOCKED.to_vec();
        for text in [
            // Each of these held a blocked word for the seed.
            "echo format the farm",
            "git add rm.txt",
            "ls subdir",
            "format-it x",
            "git skill",
            "echo 'sudo rm -rf /'",
            "ls | git x",
            "ls > f",
            "eval 'ls x'",
            "eval",
            "trap 'ls x' EXIT",
            "trap - EXIT",
            "trap '' TERM",
            "alias ls='git x'",
            "bash -c 'hash -r; mapfile -t a < f'",
        ] {
            assert_eq!(check(&[], &default, text), Ok(()), "{text}");
        }
        for text in [
            "rm x",
            r"\rm x",
            "'r'm x",
            "/usr/bin/rm x",
            "git x; rm y",
            "ls && rm x",
            "echo $(rm x)",
            "timeout 5 rm x",
            "env A=b rm x",
            "sh -c 'rm x'",
            "xargs rm",
            "f() { rm x; }; f",
            "$X y",
            "eval \"$X\"",
            "echo x | sh",
            "mkfs.ext4 /dev/x",
            "bash -c \"$X\"",
            "ls `",
            "if ls; then rm x; fi",
            "( ( rm x ) )",
            "eval 'rm x'",
            "trap 'rm x' EXIT",
            "trap \"$X\" EXIT",
            "alias l=rm",
            "eval eval eval rm x",
            "eval 'eval \"rm x\"'",
            "alias ls='rm x'; ls",
            "bash -c 'hash -p /usr/bin/rm ls; ls x'",
            "bash -c 'mapfile -C \"rm x\" -c 1 a < f'",
            "bash -c 'mapfile -C \"$X\" -c 1 a < f'",
            "bash -c 'hash -p \"$X\" ls; ls x'",
        ] {
            assert!(check(&[], &default, text).is_err(), "{text}");
        }
    }

    #[test]
    fn constructs_and_the_only_ones_allowed() {
        let strict = ["rm", ":", ">", ">>", "|"];
        for (text, ok) in [
            ("ls", true),
            ("ls | git x", false),
            ("ls > f", false),
            ("ls >> f", false),
            (": x", false),
            (":(){ :|:& };:", false),
            ("echo '|' '>'", true),
            ("echo a:b", true),
            ("ls 2>&1", true),
        ] {
            assert_eq!(check(&[], &strict, text).is_ok(), ok, "{text}");
        }
        for (text, ok) in [
            ("git x", true),
            ("git x && ls", true),
            ("git x; rm y", false),
            ("env git x", false),
            ("/usr/bin/git x", true),
            ("echo x", false),
            ("$X", false),
        ] {
            assert_eq!(check(&["git", "ls"], &[], text).is_ok(), ok, "{text}");
        }
        assert_eq!(check(&[], &[], "rm x"), Ok(()));
    }
}
