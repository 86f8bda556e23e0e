//! Programs that write files which no word names (they stand in an archive, a patch or a repository), set to work in a
//! folder that the guard's own folder lies in: they may write its policy.
use crate::arg::Arg;
use crate::invocation::Guard;
use crate::resolve::{join, last_component, normalise};

/// When such a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    /// However it is called.
    Always,
    /// With a word or a group of letters that asks for it: tar's `x`.
    Letter(u8, &'static str),
    /// By one of these sub-commands.
    Sub(&'static [&'static str]),
}

/// Name, when it writes, and what it writes. Source: the programs' manuals.
#[rustfmt::skip]
const ROWS: &[(&str, Writes, &str)] = &[
    ("tar", Writes::Letter(b'x', "extract get"), "what stands in the archive"),
    ("bsdtar", Writes::Letter(b'x', "extract"), "what stands in the archive"),
    ("cpio", Writes::Letter(b'i', "extract pass-through"), "what stands in the archive"),
    ("unzip", Writes::Always, "what stands in the archive"),
    ("7z", Writes::Sub(&["x", "e"]), "what stands in the archive"),
    ("7za", Writes::Sub(&["x", "e"]), "what stands in the archive"),
    ("unrar", Writes::Sub(&["x", "e"]), "what stands in the archive"),
    ("patch", Writes::Always, "the files that the patch names"),
    ("rsync", Writes::Always, "what lies in its source, by the same names"),
    ("git", Writes::Sub(&["apply", "am", "checkout-index", "read-tree"]), "the files that a patch or the index names"),
];

/// Sub-commands of git that write files of a working tree; which tree that is, its options say.
const GIT_TREE: &[&str] = &[
    "apply",
    "am",
    "checkout",
    "checkout-index",
    "switch",
    "restore",
    "reset",
    "stash",
    "pull",
    "merge",
    "rebase",
    "cherry-pick",
    "revert",
    "read-tree",
    "clean",
    "sparse-checkout",
    "submodule",
    "worktree",
    "init",
];

/// Why a command may write over the guard's own files without naming them; `None` if it does not.
pub(crate) fn unpacks(
    name: &[u8],
    args: &[Arg],
    cwd: Option<&[u8]>,
    home: Option<&[u8]>,
    guard: &Guard,
) -> Option<String> {
    let name = last_component(name);
    let (_, when, what) = ROWS.iter().find(|(n, ..)| n.as_bytes() == name)?;
    let word = |words: &[&str]| {
        args.iter().filter_map(Arg::literal).any(|a| words.iter().any(|w| w.as_bytes() == a))
    };
    let tree = name == b"git" && word(GIT_TREE);
    let writes = match when {
        Writes::Always => true,
        Writes::Letter(letter, words) => args.iter().any(|a| asks(a, *letter, words)),
        Writes::Sub(subs) => word(subs),
    };
    let above = |path: &[u8]| is_above(path, cwd, home, guard);
    // In a folder that is not known it may be that one.
    let here = writes && cwd.is_none_or(|cwd| is_above(cwd, Some(cwd), home, guard));
    let there = (writes || tree) && args.iter().any(|a| names(a, &above));
    (here || there).then(|| {
        format!(
            "{} writes {what}, in a folder that the guard's own files lie in",
            String::from_utf8_lossy(name)
        )
    })
}

/// True if an option asks for the letter's deed, or may.
fn asks(arg: &Arg, letter: u8, words: &str) -> bool {
    let Some(arg) = arg.literal() else { return true };
    match arg.strip_prefix(b"--") {
        // Any beginning of a long option stands for it.
        Some(long) => !long.is_empty() && words.split(' ').any(|w| w.as_bytes().starts_with(long)),
        // Old style too: the letters of tar's first word need no dash.
        None => !arg.contains(&b'/') && !arg.contains(&b'.') && arg.contains(&letter),
    }
}

/// True if a word, or what stands behind its `=` or its option letter, names such a folder, or may at run time.
fn names(arg: &Arg, above: &dyn Fn(&[u8]) -> bool) -> bool {
    match arg {
        Arg::Literal(word) => {
            let value = word.iter().position(|b| *b == b'=').and_then(|at| word.get(at + 1..));
            let short = word.strip_prefix(b"-").and_then(|w| w.get(1..)).filter(|w| !w.is_empty());
            [Some(word.as_slice()).filter(|w| looks_like_a_folder(w)), value, short]
                .into_iter()
                .flatten()
                .any(above)
        }
        // `-C "$HOME"`, `-C ~`.
        Arg::Dynamic { source, .. } => {
            let has = |needle: &[u8]| source.windows(needle.len()).any(|w| w == needle);
            (has(b"HOME") && !has(b"HOME/") && !has(b"HOME}/")) || source.as_slice() == b"~" || has(b"=~")
        }
    }
}

/// A word that cannot be a sub-command or a name of a revision alone.
fn looks_like_a_folder(word: &[u8]) -> bool {
    word.contains(&b'/') || word.starts_with(b"~") || matches!(word, b"." | b"..")
}

/// True if the guard's own folders lie in this one, or it lies in them.
fn is_above(path: &[u8], cwd: Option<&[u8]>, home: Option<&[u8]>, guard: &Guard) -> bool {
    let full = match (path.first(), path.strip_prefix(b"~"), home, cwd) {
        (_, Some(rest), Some(home), _) if rest.is_empty() || rest.first() == Some(&b'/') => {
            normalise(&join(home, rest.strip_prefix(b"/").unwrap_or(rest)))
        }
        (Some(b'/'), ..) => normalise(path),
        (Some(_), _, _, Some(cwd)) => normalise(&join(cwd, path)),
        _ => return false,
    };
    let within = |a: &[u8], b: &[u8]| {
        b == b"/" || a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.first() == Some(&b'/'))
    };
    guard.own_paths.iter().any(|own| within(own, &full) || within(&full, own))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(cwd: &str, words: &[&str]) -> bool {
        let guard = Guard { own_paths: vec![b"/home/u/.exec-guard".to_vec()] };
        let args: Vec<Arg> = words.iter().skip(1).map(Arg::lit).collect();
        unpacks(words[0].as_bytes(), &args, Some(cwd.as_bytes()), Some(b"/home/u"), &guard).is_some()
    }

    #[test]
    fn above_the_guards_folder() {
        let split = |s: &'static str| s.split(' ').collect::<Vec<_>>();
        for (cwd, line) in [
            ("/home/u", "git apply p.patch"),
            ("/home/u", "git am x"),
            ("/home/u/p", "git -C /home/u apply p.patch"),
            ("/home/u/p", "git -C .. apply p.patch"),
            ("/home/u/p", "git -C ../ checkout evil"),
            ("/home/u/p", "git --work-tree=/home/u reset --hard"),
            ("/home/u/p", "git --work-tree /home reset --hard"),
            ("/home/u/p", "git checkout-index -f -a --prefix /home/u/"),
            ("/home/u/p", "git checkout-index -f -a --prefix=/home/u/"),
            ("/home/u", "tar xf a.tar"),
            ("/home/u", "tar -xzf a.tgz"),
            ("/", "tar --extract -f a.tar"),
            ("/", "tar --ext -f a.tar"),
            ("/home/u/p", "tar xf a.tar -C /home/u"),
            ("/home/u/p", "tar xf a.tar -C/home/u"),
            ("/home/u/p", "tar xf a.tar --directory=/home/u"),
            ("/home/u/p", "unzip -o a.zip -d /home/u"),
            ("/home/u", "patch -p1"),
            ("/home/u/p", "patch -d /home/u -p1"),
            ("/home/u/p", "rsync -a x/ /home/u/"),
            ("/home/u/.exec-guard", "patch -p1"),
            ("/home/u/p", "7z x a.7z -o/home/u"),
        ] {
            assert!(asks(cwd, &split(line)), "{cwd}: {line}");
        }
    }

    #[test]
    fn ordinary_work() {
        let split = |s: &'static str| s.split(' ').collect::<Vec<_>>();
        for (cwd, line) in [
            ("/home/u/p", "git apply p.patch"),
            ("/home/u/p", "git -C sub apply p.patch"),
            ("/home/u/p", "git checkout -- ."),
            ("/home/u/p", "git pull"),
            ("/home/u", "git clone https://example.org/x"),
            ("/home/u", "git -C p pull"),
            ("/home/u", "git status"),
            ("/home/u/p", "git -C .. status"),
            ("/home/u/p", "tar xf a.tar"),
            ("/home/u", "tar cf a.tar p"),
            ("/home/u", "tar -czf x.tgz p"),
            ("/home/u/p", "rsync -a dist/ host:/srv/x"),
            ("/home/u/p", "unzip a.zip -d out"),
            ("/home/u/p", "ls /home/u"),
        ] {
            assert!(!asks(cwd, &split(line)), "{cwd}: {line}");
        }
    }
}
