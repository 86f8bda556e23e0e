//! The entry that came nearest to covering a command, and why it did not: for explaining, never for deciding.
//!
//! Slow on purpose: it looks at every entry of the lists, where a judgement looks at the few that could match.
use crate::arg::Arg;
use crate::document::Entry;
use crate::evaluation::Evaluation;
use crate::glob::{ArgGlob, PathGlob};
use crate::invocation::Invocation;
use crate::judge::visible;
use crate::resolve::last_component;
use crate::rules::entry::{Match, Subject, allows};
use crate::world::World;

/// An entry of an allowlist that does not cover a segment, but nearly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The entry, with its place.
    pub entry: Entry,
    /// Why it does not cover the segment: one clause, foreign bytes made visible.
    pub why: String,
}

/// The entry that came nearest to covering a segment of an evaluation; `None` if the segment has no program, nothing
/// comes near, or every list covers it (then an entry was not what it lacked).
pub fn nearest(
    evaluation: &Evaluation,
    inv: &Invocation,
    world: &dyn World,
    segment: usize,
) -> Option<Nearest> {
    let policy = &evaluation.effective;
    let s = evaluation.segments.get(segment)?;
    let exe = s.exe.as_ref()?;
    let (first, args) = s.argv.split_first()?;
    let subject = Subject {
        typed: first.literal(),
        exe: Some(exe),
        args,
        cwd: evaluation.cwd.as_deref(),
        now_ms: inv.now_ms,
        home: inv.home.as_deref(),
        case_sensitive: policy.case_sensitive,
    };
    for list in &policy.allow {
        // The first of the best: of a program's entries the one written first is the one thought of first.
        let mut best: Option<(Rank, Nearest)> = None;
        let mut covered = false;
        for entry in list.all() {
            let (rank, why) = match allows(&entry, &subject, world) {
                Match::Full if entry.cwd.is_none() => {
                    covered = true;
                    break;
                }
                // The folder of the whole text; a `cd` may have left it.
                Match::Full => (Rank::Folder, folder(&entry)),
                Match::Expired => (Rank::Expired, "it has expired".to_owned()),
                Match::Restricted => restricted(&entry, args),
                Match::Dynamic => {
                    (Rank::Arguments(usize::MAX), "it looks at a word that is known only at run time".into())
                }
                Match::No => match elsewhere(&entry, &subject) {
                    Some(why) => (Rank::Elsewhere, why),
                    None => continue,
                },
            };
            if best.as_ref().is_none_or(|(r, _)| rank > *r) {
                best = Some((rank, Nearest { entry: entry.into_owned(), why }));
            }
        }
        if !covered && best.is_some() {
            return best.map(|(_, n)| n);
        }
    }
    None
}

/// How near: the order is the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A program of that name in another place.
    Elsewhere,
    /// The program, and so many of the arguments.
    Arguments(usize),
    /// Everything but the folder.
    Folder,
    /// Everything but the time.
    Expired,
}

fn folder(entry: &Entry) -> String {
    let under = visible(entry.cwd.as_deref().unwrap_or_default().as_bytes());
    format!("it holds under `{under}`, and the command would not run there")
}

/// Why an entry for the program does not match these arguments, and how many of them it does.
fn restricted(entry: &Entry, args: &[Arg]) -> (Rank, String) {
    if let Some(globs) = &entry.args {
        let (globs, open) = match globs.split_last() {
            Some((last, rest)) if last == "..." => (rest, true),
            _ => (globs.as_slice(), false),
        };
        for (at, glob) in globs.iter().enumerate() {
            let no = at + 1;
            let glob_shown = visible(glob.as_bytes());
            match args.get(at) {
                Some(arg) => {
                    let fits =
                        arg.literal().is_some_and(|word| ArgGlob::new(glob).is_ok_and(|g| g.matches(word)));
                    if !fits && (glob != "*" || arg.literal().is_some()) {
                        let word = visible(arg.shown());
                        return (
                            Rank::Arguments(at),
                            format!("its argument {no} is `{glob_shown}`, not `{word}`"),
                        );
                    }
                }
                None => {
                    return (
                        Rank::Arguments(at),
                        format!("it needs an argument {no}, `{glob_shown}`, and there is none"),
                    );
                }
            }
        }
        if !open && args.len() > globs.len() {
            let (most, given) = (globs.len(), args.len());
            return (
                Rank::Arguments(most),
                format!("it is for {most} words behind the name, and here are {given}"),
            );
        }
    }
    if entry.cwd.is_some() && entry.arg_pattern.is_none() {
        return (Rank::Folder, folder(entry));
    }
    match &entry.arg_pattern {
        Some(p) => (Rank::Arguments(0), format!("its argPattern `{}` does not match", visible(p.as_bytes()))),
        None => (Rank::Arguments(0), "its restrictions do not hold".into()),
    }
}

/// Why an entry that names such a program does not name this one.
fn elsewhere(entry: &Entry, s: &Subject<'_>) -> Option<String> {
    let exe = s.exe?;
    let glob = PathGlob::new(&entry.pattern, s.home, s.case_sensitive).ok()?;
    let pattern = visible(entry.pattern.as_bytes());
    if glob.matches(&exe.real) {
        let name = visible(exe.name());
        return Some(format!("`{pattern}` is the file behind it, but it was called by another name, {name}"));
    }
    let last = last_component(entry.pattern.as_bytes());
    if last.eq_ignore_ascii_case(exe.name()) || last.eq_ignore_ascii_case(exe.real_name()) {
        return Some(format!("it is for `{pattern}`, and this is {}", visible(&exe.found)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Approvals, Policy};
    use crate::{FakeWorld, Form, Guard, decide};

    fn why(entry: &str, argv: &[&str]) -> Option<String> {
        let doc = format!(
            r#"{{"version":1,"defaults":{{"security":"allowlist"}},"agents":{{"main":{{"allowlist":[{entry}]}}}}}}"#
        );
        let policy = Policy::of_user(Some(Approvals::parse(doc.as_bytes(), "f").unwrap()), None);
        let world = FakeWorld::new()
            .program("/usr/bin/git")
            .program("/usr/bin/vim.basic")
            .link("/usr/bin/editor", "/usr/bin/vim.basic");
        let inv = Invocation {
            form: Form::Program {
                argv: argv.iter().map(|w| w.as_bytes().to_vec()).collect(),
                by_link: false,
            },
            env: vec![b"PATH=/usr/bin".to_vec()],
            cwd: Some(b"/work".to_vec()),
            agents: vec!["main".into()],
            session: None,
            now_ms: 10,
            home: Some(b"/home/u".to_vec()),
            unattended: true,
            guard: Guard::default(),
        };
        let eval = decide(&policy, &inv, &world);
        nearest(&eval, &inv, &world, 0).map(|n| format!("{}: {}", n.entry.from, n.why))
    }

    #[test]
    fn says_what_it_lacked() {
        for (entry, argv, part) in [
            (
                r#"{"pattern":"/usr/bin/git","args":["log","..."]}"#,
                &["git", "push"][..],
                "argument 1 is `log`, not `push`",
            ),
            (
                r#"{"pattern":"/usr/bin/git","args":["log","-1"]}"#,
                &["git", "log"],
                "needs an argument 2, `-1`",
            ),
            (
                r#"{"pattern":"/usr/bin/git","args":["log"]}"#,
                &["git", "log", "-1"],
                "for 1 words behind the name, and here are 2",
            ),
            (r#"{"pattern":"/usr/bin/git","expiresAt":5}"#, &["git"], "has expired"),
            (r#"{"pattern":"/usr/bin/git","cwd":"/src"}"#, &["git"], "holds under `/src`"),
            (r#"{"pattern":"/usr/bin/git","argPattern":"^x$"}"#, &["git", "y"], "argPattern `^x$`"),
            (r#"{"pattern":"/opt/bin/git"}"#, &["git"], "and this is /usr/bin/git"),
            (r#"{"pattern":"/usr/bin/vim.basic"}"#, &["editor"], "called by another name, editor"),
        ] {
            let got = why(entry, argv).unwrap_or_default();
            assert!(got.starts_with("f:/agents/main/allowlist/0: ") && got.contains(part), "{entry}: {got}");
        }
    }

    #[test]
    fn the_best_of_several() {
        let two = r#"{"pattern":"/opt/git"},{"pattern":"/usr/bin/git","args":["a"]},{"pattern":"/usr/bin/git","args":["push","x"]}"#;
        let got = why(two, &["git", "push"]).unwrap();
        assert!(got.starts_with("f:/agents/main/allowlist/2: "), "{got}");
    }

    #[test]
    fn nothing_near_is_nothing() {
        assert_eq!(why(r#"{"pattern":"/usr/bin/make"}"#, &["git"]), None);
        assert_eq!(why(r#"{"pattern":"/usr/bin/git"}"#, &["git"]), None);
        assert_eq!(why(r#"{"pattern":"/usr/bin/git","args":["a"]}"#, &["missing"]), None);
    }
}
