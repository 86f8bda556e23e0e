//! Variables that change what runs: what a command may set, what an unattended run does not inherit.
//!
//! Assignments go by the allow list of [`crate::tables::environment`]: what is not known to be harmless asks.
//! Inherited variables go by the list of dangerous ones, since a normal environment must stay whole.
use std::collections::BTreeSet;

use crate::shell::Dialect;
use crate::tables::environment::{
    self as table, BASH_SPECIAL, FOLDED, Group, INERT, Inert, SHELL_SPECIAL, ZSH_SPECIAL, is_name,
};

/// What an assignment comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvClass {
    /// Known to change nothing that matters, with this value.
    Inert,
    /// Known to change what runs, what is read or where things go.
    Dangerous {
        /// What it does, for the person who is asked.
        reason: &'static str,
    },
    /// Not known.
    Unlisted,
}

/// What assigning `name` for a program comes to; `value` is `None` if it is known only at run time.
pub fn classify(name: &[u8], value: Option<&[u8]>) -> EnvClass {
    // The allow list is exact; the other list is read in any case, which can only make it longer.
    let listed = INERT.iter().find(|(names, _)| names.iter().any(|n| is_name(n, name, false)));
    if let Some((_, inert)) = listed {
        return if harmless(inert, value) { EnvClass::Inert } else { EnvClass::Unlisted };
    }
    match group(name, true) {
        Some(group) if harmless(&group.inert, value) && exact(group, name) => EnvClass::Inert,
        Some(group) => EnvClass::Dangerous { reason: group.reason },
        None => EnvClass::Unlisted,
    }
}

/// The names of inherited variables that an unattended run must not have. `env` are entries `NAME=VALUE` as
/// the process got them; `trusted` are names the user vouches for. In order, each once.
pub fn scrub(env: &[Vec<u8>], trusted: &[String]) -> Vec<Vec<u8>> {
    // Sorted: whoever takes them out asks for each of what may be thousands of variables.
    let mut out: BTreeSet<&[u8]> = BTreeSet::new();
    for entry in env {
        let eq = entry.iter().position(|b| *b == b'=').unwrap_or(entry.len());
        let (name, value) = (entry.get(..eq).unwrap_or_default(), entry.get(eq + 1..).unwrap_or_default());
        let drop = group(name, false).is_some_and(|g| g.scrub && !harmless(&g.inert, Some(value)))
            && !trusted.iter().any(|t| t.as_bytes() == name)
            && !INERT.iter().any(|(names, _)| names.iter().any(|n| is_name(n, name, false)));
        if drop {
            out.insert(name);
        }
    }
    out.into_iter().map(<[u8]>::to_vec).collect()
}

/// True if assigning the variable changes what the shell itself does, even if it is not exported. Names that
/// only programs obey are special too if no value of theirs is harmless: an `export` may follow.
pub fn special(name: &[u8], dialect: Dialect) -> bool {
    let own: &[&str] = match dialect {
        Dialect::Dash => &[],
        Dialect::Bash => BASH_SPECIAL,
        Dialect::Zsh => ZSH_SPECIAL,
    };
    if SHELL_SPECIAL.iter().chain(own).any(|n| is_name(n, name, false)) {
        return true;
    }
    group(name, false).is_some_and(|g| g.scrub && matches!(g.inert, Inert::Never))
}

/// PATH without its relative and empty entries, and those that are another folder for every process: they mean folders
/// that depend on the working folder; `None` if it has none. If nothing is left, the system's own folders: an empty PATH would mean the working folder.
pub fn clean_path(path: &[u8]) -> Option<Vec<u8>> {
    let absolute = |entry: &&[u8]| crate::resolve::is_fixed(entry);
    if path.split(|b| *b == b':').all(|e| absolute(&e)) {
        return None;
    }
    let kept: Vec<&[u8]> = path.split(|b| *b == b':').filter(absolute).collect();
    if kept.is_empty() {
        return Some(b"/usr/bin:/bin".to_vec());
    }
    Some(kept.join(&b':'))
}

/// The first group that has the name. `fold` reads every name in any case.
fn group(name: &[u8], fold: bool) -> Option<&'static Group> {
    // npm reads `npm_config_script-shell` and `NPM_CONFIG_SCRIPT_SHELL` alike.
    let npm = is_name("npm_config_*", name, true);
    let dashes: Vec<u8>;
    let name = if npm {
        dashes = name.iter().map(|b| if *b == b'-' { b'_' } else { *b }).collect();
        dashes.as_slice()
    } else {
        name
    };
    table::group(name, fold || npm || folded(name))
}

fn folded(name: &[u8]) -> bool {
    // All of them begin so; most variables do not.
    name.first().is_some_and(|b| b"nhfaNHFA".contains(b)) && FOLDED.iter().any(|n| is_name(n, name, true))
}

/// The name stands in the group as it is written (or is read in any case by its programs).
fn exact(group: &Group, name: &[u8]) -> bool {
    folded(name) || group.names.iter().any(|n| is_name(n, name, false))
}

fn harmless(inert: &Inert, value: Option<&[u8]>) -> bool {
    let Some(value) = value else {
        return matches!(inert, Inert::Any);
    };
    let mut words = value.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty());
    match inert {
        Inert::Never => false,
        Inert::Any => true,
        Inert::Is(list) => list.iter().any(|v| v.as_bytes() == value),
        Inert::Word => is_word(value),
        Inert::Switch => {
            matches!(value, b"" | b"0" | b"1" | b"2" | b"true" | b"false" | b"yes" | b"no" | b"on" | b"off")
        }
        Inert::Zone => {
            value.first() != Some(&b'/') && value.first() != Some(&b':') && {
                value.split(|b| *b == b'/').all(is_word)
            }
        }
        Inert::Words(list) => words.all(|w| {
            list.iter().any(|known| match known.strip_suffix('*') {
                Some(start) => w.strip_prefix(start.as_bytes()).is_some_and(is_word),
                None => known.as_bytes() == w,
            })
        }),
        Inert::LessFlags => words.all(|w| {
            w.iter()
                .enumerate()
                .all(|(at, b)| (at == 0 && *b == b'-') || b"aABcCdeEfFgGiIJKLmMnNqQrRsSuUVwWX".contains(b))
        }),
        Inert::Warnings => value.iter().all(|b| b.is_ascii_alphanumeric() || b":,_ ".contains(b)),
        Inert::MakeFlags => words.all(make_flag),
    }
}

/// Letters, digits and `_.:@,+=%-`, and no way up.
fn is_word(value: &[u8]) -> bool {
    value.iter().all(|b| b.is_ascii_alphanumeric() || b"_.:@,+=%-".contains(b))
        && !value.windows(2).any(|w| w == b"..")
}

/// A word of MAKEFLAGS that make itself writes: flag letters, the jobserver, `-j`.
fn make_flag(word: &[u8]) -> bool {
    if let Some(jobs) = word.strip_prefix(b"-j").or_else(|| word.strip_prefix(b"-l")) {
        return jobs.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    }
    if let Some(server) =
        word.strip_prefix(b"--jobserver-auth=").or_else(|| word.strip_prefix(b"--jobserver-fds="))
    {
        return server.iter().all(|b| b.is_ascii_digit() || *b == b',' || *b == b'-');
    }
    if let Some(long) = word.strip_prefix(b"--") {
        return matches!(
            long,
            b"" | b"no-print-directory"
                | b"print-directory"
                | b"silent"
                | b"keep-going"
                | b"output-sync"
                | b"output-sync=target"
                | b"no-builtin-rules"
        );
    }
    let letters = word.strip_prefix(b"-").unwrap_or(word);
    letters.iter().all(|b| b"bBdeikLmnpqrRsStwO".contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const ATTACKS: &str = include_str!("../../../tests/corpus/attacks.jsonl");
    const BENIGN: &str = include_str!("../../../tests/corpus/benign.jsonl");

    fn inert(entry: &str) -> bool {
        let (name, value) = entry.split_once('=').unwrap();
        classify(name.as_bytes(), Some(value.as_bytes())) == EnvClass::Inert
    }

    #[test]
    fn harmless_assignments_pass() {
        for entry in [
            "LC_ALL=C",
            "LANG=en_US.UTF-8",
            "TZ=Europe/Berlin",
            "TZ=UTC",
            "TERM=dumb",
            "NO_COLOR=1",
            "CI=true",
            "RUST_LOG=debug,hyper=info",
            "NODE_ENV=test",
            "PORT=3001",
            "DEBUG=app:*",
            "GOOS=linux",
            "GOARCH=amd64",
            "CGO_ENABLED=0",
            "FORCE_COLOR=0",
            "PYTHONUNBUFFERED=1",
            "PYTHONDONTWRITEBYTECODE=1",
            "RUST_BACKTRACE=full",
            "PAGER=cat",
            "GIT_PAGER=cat",
            "EDITOR=true",
            "GIT_EDITOR=true",
            "GIT_SEQUENCE_EDITOR=:",
            "GIT_TERMINAL_PROMPT=0",
            "GIT_AUTHOR_NAME=A B",
            "NODE_OPTIONS=--max-old-space-size=4096",
            "npm_config_loglevel=error",
            "NPM_CONFIG_LOGLEVEL=silent",
            "CARGO_TERM_COLOR=always",
            "CARGO_INCREMENTAL=0",
            "RUSTFLAGS=-D warnings",
            "GOFLAGS=-mod=mod",
            "DEBIAN_FRONTEND=noninteractive",
            "LESS=-FRX",
            "PYTHONWARNINGS=ignore::DeprecationWarning",
            "JAVA_TOOL_OPTIONS=-Xmx2g -Dfile.encoding=UTF-8",
            "GIT_CONFIG_NOSYSTEM=1",
            "GIT_CONFIG_GLOBAL=/dev/null",
            "GIT_TRACE=1",
            "ENV=production",
            "SSH_ASKPASS=true",
        ] {
            assert!(inert(entry), "{entry}");
        }
        assert_eq!(classify(b"PORT", None), EnvClass::Inert);
    }

    #[test]
    fn others_ask() {
        for entry in [
            "LD_PRELOAD=./x.so",
            "ld_preload=x",
            "DYLD_INSERT_LIBRARIES=x",
            "GIT_SSH_COMMAND=touch x",
            "GIT_PAGER=touch x",
            "PAGER=touch x",
            "EDITOR=./x",
            "GIT_TRACE=/tmp/x",
            "GIT_DIR=./g",
            "NODE_OPTIONS=--require ./x.js",
            "NODE_OPTIONS=--max-old-space-size=1 -r ./x",
            "npm_config_script_shell=./x",
            "NPM_CONFIG_SCRIPT-SHELL=./x",
            "MAKEFLAGS=$(shell id)",
            "MAKEFLAGS=--eval=x",
            "MAKEFLAGS=-f x",
            "LANG=../x",
            "LC_ALL=/tmp/x",
            "TZ=:/etc/passwd",
            "TZ=../../x",
            "TERM=../x",
            "RUSTFLAGS=-C linker=./x",
            "RUSTFLAGS=-Clinker=x",
            "GOFLAGS=-toolexec=./x",
            "ENV=./x",
            "JAVA_TOOL_OPTIONS=-javaagent:x.jar",
            "LESS=-k x",
            "LESS=+!id",
            "PYTHONWARNINGS=error::x.Y",
            "BASH_FUNC_ls%%=() { x; }",
            "CC=gcc",
            "CFLAGS=-O2",
            "PYTHONPATH=src",
            "AWS_PROFILE=x",
            "PATH=/x",
            "HOME=/x",
            "IFS=x",
            "http_proxy=http://x",
            "HTTPS_PROXY=http://x",
            "TMPDIR=/home/x",
            "FOO=bar",
            "GIT_CONFIG_COUNT=1",
            "pager=cat",
            "PYTEST_ADDOPTS=-p x",
            "KUBECONFIG=x",
            "DOCKER_HOST=x",
            "CARGO_HOME=x",
            "RUSTUP_TOOLCHAIN=./x",
            "VIMINIT=x",
            "EXEC_GUARD_AGENT=x",
            "TAR_OPTIONS=--to-command=x",
            "SHELLOPTS=xtrace",
            "PS4=$(id)",
        ] {
            assert!(!inert(entry), "{entry}");
        }
        assert_ne!(classify(b"LC_ALL", None), EnvClass::Inert);
        assert_ne!(classify(b"PAGER", None), EnvClass::Inert);
    }

    #[test]
    fn every_group_has_a_name_that_is_found_there() {
        for g in table::DANGEROUS {
            assert!(!g.reason.is_empty());
            for n in g.names {
                let name = n.replace('*', "");
                let found = group(name.as_bytes(), false).map(|f| f.reason);
                assert!(found.is_some(), "{n}");
                // An earlier, narrower group may speak first, but never one that lets more pass.
                if found != Some(g.reason) {
                    panic!("{n} is hidden by another group: {found:?}");
                }
            }
        }
    }

    #[test]
    fn the_attacks_of_the_corpus_ask() {
        let mut seen = 0;
        for row in ATTACKS.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()) {
            let Some(text) = row["command"].as_str().filter(|_| row["class"] == "assignment-prefix") else {
                continue;
            };
            let text = text.replace("\\\n", "");
            let names: Vec<&str> = text
                .split(|c: char| c.is_whitespace() || c == ';' || c == '\'')
                .filter_map(|w| w.split_once('=').map(|(n, _)| n))
                .filter(|n| n.starts_with(|c: char| c.is_ascii_alphabetic()))
                .collect();
            assert!(!names.is_empty(), "{text}");
            seen += 1;
            let asks = |n: &&str| classify(n.as_bytes(), Some(b"./evil.sh")) != EnvClass::Inert;
            assert!(names.iter().any(asks), "{text}");
            let told =
                |n: &&str| matches!(classify(n.as_bytes(), Some(b"./evil.sh")), EnvClass::Dangerous { .. });
            assert!(names.iter().any(told), "not in the table: {text}");
        }
        assert!(seen > 20);
    }

    #[test]
    fn the_ordinary_assignments_of_the_corpus_pass() {
        let mut seen = 0;
        for row in BENIGN.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()) {
            let may = row["acceptable"].as_array().unwrap().iter().any(|v| v == "allow");
            let text = row["command"].as_str().unwrap();
            for (n, names) in row["assignment_prefixes"].as_array().into_iter().flatten().enumerate() {
                for name in names.as_array().unwrap() {
                    let name = name.as_str().unwrap();
                    let rest = &text[text.find(&format!("{name}=")).unwrap() + name.len() + 1..];
                    let value = rest.split(char::is_whitespace).next().unwrap();
                    let class = classify(name.as_bytes(), Some(value.as_bytes()));
                    seen += 1;
                    if may {
                        assert_eq!(class, EnvClass::Inert, "{text} ({n})");
                    } else {
                        assert_ne!(class, EnvClass::Inert, "{text} ({n})");
                    }
                }
            }
        }
        assert!(seen > 5);
    }

    fn scrubbed(env: &[&str]) -> Vec<String> {
        let env: Vec<Vec<u8>> = env.iter().map(|e| e.as_bytes().to_vec()).collect();
        scrub(&env, &["LD_LIBRARY_PATH".to_owned()])
            .into_iter()
            .map(|n| String::from_utf8(n).unwrap())
            .collect()
    }

    #[test]
    fn an_ordinary_environment_stays_whole() {
        let env = [
            "PATH=/usr/bin",
            "HOME=/home/x",
            "LANG=C.UTF-8",
            "TERM=xterm",
            "USER=x",
            "LOGNAME=x",
            "SHELL=/bin/bash",
            "PWD=/x",
            "OLDPWD=/y",
            "SSH_AUTH_SOCK=/s",
            "http_proxy=http://p",
            "HTTPS_PROXY=http://p",
            "no_proxy=localhost",
            "CARGO_HOME=/c",
            "RUSTUP_HOME=/r",
            "RUSTUP_TOOLCHAIN=stable",
            "JAVA_HOME=/j",
            "VIRTUAL_ENV=/v",
            "NVM_DIR=/n",
            "GOPATH=/g",
            "GOROOT=/g",
            "PYENV_ROOT=/p",
            "TMPDIR=/t",
            "XDG_RUNTIME_DIR=/run/user/1",
            "DISPLAY=:0",
            "CI=true",
            "GITHUB_TOKEN=x",
            "GITHUB_ENV=/x",
            "GIT_COMMIT=abc",
            "GIT_BRANCH=main",
            "AWS_PROFILE=x",
            "KUBECONFIG=/k",
            "DOCKER_HOST=unix:///x",
            "npm_config_cache=/c",
            "npm_config_user_agent=npm",
            "npm_lifecycle_event=test",
            "NODE_ENV=test",
            "CC=gcc",
            "CFLAGS=-O2",
            "MAKEFLAGS=w -j4 --jobserver-auth=3,4",
            "MAKEFLAGS=",
            "MAKELEVEL=1",
            "PAGER=cat",
            "GIT_PAGER=cat",
            "EDITOR=true",
            "GIT_EDITOR=:",
            "SHLVL=1",
            "_=/usr/bin/env",
            "LS_COLORS=x",
            "CARGO=/c/bin/cargo",
            "CARGO_MANIFEST_DIR=/x",
            "CARGO_PKG_NAME=x",
            "SSL_CERT_FILE=/c",
            "TERMINFO=/t",
            "GIT_EXEC_PATH=/usr/lib/git-core",
            "GIT_DIR=.git",
            "GIT_INDEX_FILE=.git/index",
            "GIT_PREFIX=",
            "ENV=production",
            "CLAUDECODE=1",
            "EXEC_GUARD_DEPTH=1",
            "TF_VAR_x=1",
            "CONDA_PREFIX=/c",
            "LESS=-R",
            "CARGO_TARGET_DIR=/t",
            "UV_CACHE_DIR=/u",
        ];
        assert_eq!(scrubbed(&env), Vec::<String>::new());
    }

    #[test]
    fn dangerous_ones_are_not_inherited() {
        let env = [
            "LD_PRELOAD=x",
            "LD_LIBRARY_PATH=/trusted",
            "BASH_ENV=x",
            "ENV=/x",
            "BASH_FUNC_ls%%=() { x; }",
            "GIT_SSH_COMMAND=x",
            "GIT_CONFIG_COUNT=1",
            "GIT_CONFIG_KEY_0=core.pager",
            "PAGER=x",
            "EDITOR=vim",
            "PYTHONPATH=x",
            "PERL5OPT=-Mx",
            "NODE_OPTIONS=-r x",
            "RUBYOPT=-rx",
            "JAVA_TOOL_OPTIONS=-javaagent:x",
            "RUSTC_WRAPPER=x",
            "MAKEFLAGS=--eval=x",
            "NPM_CONFIG_SCRIPT_SHELL=x",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=x",
            "LESSOPEN=|x %s",
            "OPENSSL_CONF=x",
            "LD_PRELOAD=twice",
            "GIT_DIR=/x",
        ];
        let mut expected: Vec<&str> = env.iter().map(|e| e.split('=').next().unwrap()).collect();
        expected.retain(|n| *n != "LD_LIBRARY_PATH");
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(scrubbed(&env), expected);
    }

    #[test]
    fn ordinary_names_with_odd_values_are_not_inherited() {
        for entry in [
            "SHELL=./x",
            "PARALLEL=--shebang",
            "RUSTUP_TOOLCHAIN=/x",
            "GOENV=x",
            "PYTHONPYCACHEPREFIX=x",
            "MPLBACKEND=module://x",
            "CARGO_REGISTRY_CREDENTIAL_PROVIDER=x",
            "ESBUILD_BINARY_PATH=x",
            "RESTIC_PASSWORD_COMMAND=x",
            "ASAN_OPTIONS=external_symbolizer_path=x",
            "CustomBeforeMicrosoftCommonTargets=x",
            "ZIP=-TT x",
        ] {
            assert_eq!(scrubbed(&[entry]).len(), 1, "{entry}");
        }
        for entry in [
            "SHELL=/bin/bash",
            "RUSTUP_TOOLCHAIN=stable-x86_64-unknown-linux-gnu",
            "GOENV=off",
            "MPLBACKEND=Agg",
        ] {
            assert!(scrubbed(&[entry]).is_empty(), "{entry}");
        }
    }

    #[test]
    fn variables_that_the_shell_obeys() {
        for name in
            ["IFS", "PATH", "CDPATH", "PS4", "ENV", "HOME", "OPTIND", "RANDOM", "LD_PRELOAD", "BASH_ENV"]
        {
            for d in [Dialect::Dash, Dialect::Bash, Dialect::Zsh] {
                assert!(special(name.as_bytes(), d), "{name} {d:?}");
            }
        }
        assert!(special(b"path", Dialect::Zsh) && !special(b"path", Dialect::Bash));
        assert!(special(b"BASH_CMDS", Dialect::Bash) && special(b"options", Dialect::Zsh));
        for name in ["X", "VERSION", "PAGER", "GIT_EDITOR", "n", "PORT", "LC_ALL", "CI", "DEBUG"] {
            assert!(!special(name.as_bytes(), Dialect::Bash), "{name}");
        }
    }

    #[test]
    fn paths_lose_what_depends_on_the_folder() {
        for (path, expected) in [
            ("/usr/bin:/bin", None),
            ("/usr/bin::/bin", Some("/usr/bin:/bin")),
            (":/usr/bin", Some("/usr/bin")),
            ("/usr/bin:", Some("/usr/bin")),
            (".:/usr/bin:node_modules/.bin", Some("/usr/bin")),
            ("~/bin:/bin", Some("/bin")),
            ("", Some("/usr/bin:/bin")),
            (".", Some("/usr/bin:/bin")),
        ] {
            assert_eq!(clean_path(path.as_bytes()).as_deref(), expected.map(str::as_bytes), "{path}");
        }
    }
}
