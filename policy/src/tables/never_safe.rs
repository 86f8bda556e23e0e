//! Programs that cannot be safe bins whatever profile somebody writes: what they are told to do is the input's
//! or the argument's choice. Source: their manuals; GTFOBins has most of them.

/// Names, versions stripped, with the reason.
const NEVER: &[(&str, &str)] = &[
    ("ash", "a shell"),
    ("bash", "a shell"),
    ("csh", "a shell"),
    ("dash", "a shell"),
    ("elvish", "a shell"),
    ("fish", "a shell"),
    ("ksh", "a shell"),
    ("mksh", "a shell"),
    ("nu", "a shell"),
    ("pwsh", "a shell"),
    ("rbash", "a shell"),
    ("sh", "a shell"),
    ("tcsh", "a shell"),
    ("xonsh", "a shell"),
    ("yash", "a shell"),
    ("zsh", "a shell"),
    ("awk", "its language runs programs and writes files"),
    ("gawk", "its language runs programs and writes files"),
    ("mawk", "its language runs programs and writes files"),
    ("nawk", "its language runs programs and writes files"),
    ("original-awk", "its language runs programs and writes files"),
    ("sed", "its language runs programs and writes files"),
    ("gsed", "its language runs programs and writes files"),
    ("perl", "an interpreter"),
    ("python", "an interpreter"),
    ("pypy", "an interpreter"),
    ("ruby", "an interpreter"),
    ("node", "an interpreter"),
    ("nodejs", "an interpreter"),
    ("deno", "an interpreter"),
    ("bun", "an interpreter"),
    ("php", "an interpreter"),
    ("lua", "an interpreter"),
    ("luajit", "an interpreter"),
    ("tclsh", "an interpreter"),
    ("wish", "an interpreter"),
    ("expect", "an interpreter"),
    ("Rscript", "an interpreter"),
    ("guile", "an interpreter"),
    ("osascript", "an interpreter"),
    ("java", "an interpreter"),
    ("jshell", "an interpreter"),
    ("gdb", "an interpreter"),
    ("m4", "its language runs programs"),
    ("dc", "`!` runs programs"),
    ("ed", "`!` runs programs"),
    ("ex", "`!` runs programs"),
    ("vi", "`!` runs programs"),
    ("vim", "`!` runs programs"),
    ("nvim", "`!` runs programs"),
    ("emacs", "an interpreter"),
    ("less", "`!` runs programs"),
    ("more", "`!` runs programs"),
    ("man", "runs a pager"),
    ("sqlite", "`.shell` runs programs"),
    ("psql", "`\\!` runs programs"),
    ("mysql", "`system` runs programs"),
    ("git", "runs programs of its configuration"),
    ("make", "runs what a file says"),
    ("env", "runs a program"),
    ("xargs", "runs programs"),
    ("find", "runs programs"),
    ("parallel", "runs programs"),
    ("nice", "runs a program"),
    ("nohup", "runs a program"),
    ("timeout", "runs a program"),
    ("time", "runs a program"),
    ("stdbuf", "runs a program"),
    ("setsid", "runs a program"),
    ("watch", "runs a program"),
    ("script", "runs a program"),
    ("flock", "runs a program"),
    ("sudo", "runs a program as somebody else"),
    ("doas", "runs a program as somebody else"),
    ("su", "runs a program as somebody else"),
    ("ssh", "runs programs elsewhere"),
    ("busybox", "many programs in one"),
    ("toybox", "many programs in one"),
    ("tee", "writes the files it is given"),
    ("dd", "writes the files it is given"),
    ("tar", "runs programs and writes files"),
];

/// Why a program cannot be a safe bin; `None` if nothing speaks against it.
pub fn reason(name: &str) -> Option<&'static str> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let stem = if stem.is_empty() { name } else { stem };
    NEVER
        .iter()
        .find(|(n, _)| n.eq_ignore_ascii_case(stem) || n.eq_ignore_ascii_case(name))
        .map(|(_, why)| *why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_do_not_hide_an_interpreter() {
        for name in ["python3.11", "python3", "sqlite3", "SED", "perl5.36.0", "bash"] {
            assert!(reason(name).is_some(), "{name}");
        }
        for name in ["jq", "yq", "column", "7z", "sha256sum"] {
            assert_eq!(reason(name), None, "{name}");
        }
    }
}
