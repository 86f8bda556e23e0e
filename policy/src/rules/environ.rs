//! Variables that change what runs: what a command may set, what an unattended run does not inherit.
//!
//! Assignments go by the allow list of [`crate::tables::environment`]: what is not known to be harmless asks.
//! Inherited variables go by the list of dangerous ones, since a normal environment must stay whole.
use crate::tables::words::words;
use std::collections::BTreeSet;

use crate::resolve::{join, normalise};
use crate::shell::Dialect;
use crate::tables::environment::{
    self as table, BASH_SPECIAL, ENDS, FOLDED, Group, INERT, Inert, SHELL_SPECIAL, ZSH_SPECIAL, is_name,
};
use crate::tables::words::WordList;

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
        return if harmless(inert, value, None) { EnvClass::Inert } else { EnvClass::Unlisted };
    }
    match group(name, true) {
        Some(group) if harmless(&group.inert, value, None) && exact(group, name) => EnvClass::Inert,
        Some(group) => EnvClass::Dangerous { reason: group.reason },
        None => EnvClass::Unlisted,
    }
}

/// The names of inherited variables that an unattended run must not have. `env` are entries `NAME=VALUE` as
/// the process got them; `trusted` are names the user vouches for. In order, each once.
pub fn scrub(env: &[Vec<u8>], trusted: &[String]) -> Vec<Vec<u8>> {
    let home = crate::judge::variable(env, b"HOME");
    // Sorted: whoever takes them out asks for each of what may be thousands of variables.
    let mut out: BTreeSet<&[u8]> = BTreeSet::new();
    for entry in env {
        let eq = entry.iter().position(|b| *b == b'=').unwrap_or(entry.len());
        let (name, value) = (entry.get(..eq).unwrap_or_default(), entry.get(eq + 1..).unwrap_or_default());
        let changes = match INERT.iter().find(|(names, _)| names.iter().any(|n| is_name(n, name, false))) {
            Some((_, inert)) => matches!(inert, Inert::Plain) && !harmless(inert, Some(value), home),
            None => group(name, false).is_some_and(|g| g.scrub && !harmless(&g.inert, Some(value), home)),
        };
        let drop = (changes || is_code(value)) && !trusted.iter().any(|t| t.as_bytes() == name);
        if drop {
            out.insert(name);
        }
    }
    out.into_iter().map(<[u8]>::to_vec).collect()
}

/// True if assigning the variable changes what the shell itself does, even if it is not exported. Names that
/// only programs obey are special too if no value of theirs is harmless: an `export` may follow.
pub fn special(name: &[u8], dialect: Dialect) -> bool {
    let own = match dialect {
        Dialect::Dash => WordList::NONE,
        Dialect::Bash => BASH_SPECIAL,
        Dialect::Zsh => ZSH_SPECIAL,
    };
    if SHELL_SPECIAL.iter().chain(own.iter()).any(|n| is_name(n, name, false)) {
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
    // npm reads `npm_config_script-shell` and `NPM_CONFIG_SCRIPT_SHELL` alike, and so do yarn and pnpm.
    let npm = [&b"npm_config_*"[..], b"pnpm_config_*", b"yarn_*"].iter().any(|n| is_name(n, name, true));
    let dashes: Vec<u8>;
    let name = if npm {
        dashes = name.iter().map(|b| if *b == b'-' { b'_' } else { *b }).collect();
        dashes.as_slice()
    } else {
        name
    };
    let by_end = || {
        let ends = ENDS.iter().find(|(ends, _)| ends.iter().any(|end| name.ends_with(end)));
        ends.map(|(_, group)| group)
    };
    let named = table::group(name, fold || npm || folded(name));
    if named.is_some_and(|g| g.scrub) { named } else { by_end().or(named) }
}

fn folded(name: &[u8]) -> bool {
    // All of them begin so; most variables do not.
    name.first().is_some_and(|b| b"nhfapyNHFAPY".contains(b)) && FOLDED.iter().any(|n| is_name(n, name, true))
}

/// The name stands in the group as it is written (or is read in any case by its programs).
fn exact(group: &Group, name: &[u8]) -> bool {
    folded(name) || group.names.iter().any(|n| is_name(n, name, false))
}

/// True of a locale in whose text every byte below 128 is a character by itself. In those of GBK, Big5 and Shift-JIS a backslash
/// may be the second byte of another one, and scripts are read otherwise than they are judged. Source: locale(7), charsets(7).
fn is_plain_locale(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let name = lower.split(|b| *b == b'@').next().unwrap_or_default();
    match name.iter().position(|b| *b == b'.') {
        Some(dot) => {
            let charset = name.get(dot + 1..).unwrap_or_default();
            ["utf-8", "utf8"].iter().any(|c| charset == c.as_bytes())
                || ["iso-8859", "iso8859", "koi8", "cp125", "ascii", "ansi_x3.4"]
                    .iter()
                    .any(|c| charset.starts_with(c.as_bytes()))
        }
        // Without one it is the language's own.
        None => !["zh", "ja", "ko", "chinese", "japanese", "korean", "tchinese"]
            .iter()
            .any(|l| name.starts_with(l.as_bytes())),
    }
}

/// `home` is the HOME of the same environment, where that is known.
fn harmless(inert: &Inert, value: Option<&[u8]>, home: Option<&[u8]>) -> bool {
    let Some(value) = value else {
        return false;
    };
    let mut words = value.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty());
    match inert {
        Inert::Never => false,
        Inert::Any => !value.iter().any(|b| b"$`\n".contains(b)),
        Inert::Plain => words.all(|w| w.split(|b| *b == b'*').all(is_word)) && !value.contains(&b'\n'),
        Inert::Is(list) => list.has(value),
        Inert::Word => is_word(value),
        Inert::Locale => is_word(value) && is_plain_locale(value),
        Inert::Switch => {
            matches!(value, b"" | b"0" | b"1" | b"2" | b"true" | b"false" | b"yes" | b"no" | b"on" | b"off")
        }
        Inert::Zone => {
            value.first() != Some(&b'/') && value.first() != Some(&b':') && {
                value.split(|b| *b == b'/').all(is_word)
            }
        }
        Inert::Words(list) => words.all(|w| {
            list.iter().any(|known| match known.strip_suffix(b"*") {
                Some(start) => w.strip_prefix(start).is_some_and(is_word),
                None => known == w,
            })
        }),
        Inert::LessFlags => words.all(|w| {
            w.iter()
                .enumerate()
                .all(|(at, b)| (at == 0 && *b == b'-') || b"aABcCdeEfFgGiIJKLmMnNqQrRsSuUVwWX".contains(b))
        }),
        Inert::Warnings => value.iter().all(|b| b.is_ascii_alphanumeric() || b":,_ ".contains(b)),
        Inert::MakeFlags => words.all(make_flag),
        Inert::OfHome(folder) => {
            value.is_empty()
                || (value.first() == Some(&b'/')
                    && home.is_some_and(|h| normalise(&join(h, folder.as_bytes())) == normalise(value)))
        }
        Inert::SystemFolders => value.split(|b| *b == b':').all(|f| f.is_empty() || is_the_systems(f)),
        Inert::Installed(places) => installed(value, *places, home),
        Inert::Version(places) => is_word(value) || installed(value, *places, home),
        Inert::Started => {
            words.next().is_none_or(|first| is_word(first) || is_the_systems(first))
                && words.all(|w| w.first() == Some(&b'-') && is_word(w))
        }
    }
}

/// A folder that only the system's administrator writes.
fn is_the_systems(folder: &[u8]) -> bool {
    const ROOTS: WordList = words!["/etc/", "/usr/", "/opt/", "/bin/", "/nix/store/", "/run/current-system/"];
    ROOTS.iter().any(|r| folder.starts_with(r)) && !folder.windows(2).any(|w| w == b"..")
}

/// See [`Inert::Installed`].
fn installed(value: &[u8], places: WordList, home: Option<&[u8]>) -> bool {
    value.split(|b| *b == b':').filter(|path| !path.is_empty()).all(|path| {
        if is_the_systems(path) {
            return true;
        }
        if path.first() != Some(&b'/') || path.windows(2).any(|w| w == b"..") {
            return false;
        }
        let path = normalise(path);
        let below = home.and_then(|h| path.strip_prefix(normalise(h).as_slice())?.strip_prefix(b"/"));
        places.iter().any(|place| match place {
            [b'/', ..] => path == place,
            [start @ .., b'*'] => below.and_then(|b| b.strip_prefix(start)).is_some_and(is_word),
            _ => below == Some(place),
        })
    })
}

/// Functions of make that run a command, read a text as a makefile, or call what a text names.
const MAKE_FUNCTIONS: WordList = words!["shell", "eval", "file", "call", "guile"];

/// True for a value that is code to a program which expands its variables, whatever the name: make does so with every
/// variable of its environment (GNU make manual, "Variables from the Environment"), and a shell's arithmetic evaluates
/// a command in a subscript.
fn is_code(value: &[u8]) -> bool {
    let mut subscript = false;
    value.iter().enumerate().any(|(at, b)| match b {
        b'[' => {
            subscript = true;
            false
        }
        b'`' => subscript,
        b'$' => {
            let rest = value.get(at + 1..).unwrap_or_default();
            let Some(inner) = rest.strip_prefix(b"(").or_else(|| rest.strip_prefix(b"{")) else {
                return false;
            };
            (subscript && rest.starts_with(b"(")) || MAKE_FUNCTIONS.iter().any(|f| inner.starts_with(f))
        }
        _ => false,
    })
}

/// Letters, digits and `_.:@,+=%-`, and no way up.
fn is_word(value: &[u8]) -> bool {
    value.iter().all(|b| b.is_ascii_alphanumeric() || b"_.:@,+=%-".contains(b))
        && !value.windows(2).any(|w| w == b"..")
}

/// A word of MAKEFLAGS that make itself writes: flag letters, the jobserver, `-j`. Not `e`, which lets the environment
/// win over the makefile, nor `R`, without which `$(RM) x` is `x`.
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
    letters.iter().all(|b| b"bBdikLmnpqrsStwO".contains(b))
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
        assert!(inert("DEBUG=app:*,-app:x *:y"));
        assert!(inert("LS_COLORS=*.c=01;32:*.h=33"));
        assert!(inert("VITE_API=https://h/x?a=1&b=2"));
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
            "MAKEFLAGS=e",
            "MAKEFLAGS=-e",
            "GNUMAKEFLAGS=w -ke",
            "MAKEFLAGS=R",
            "MAKEFLAGS=--environment-overrides",
            "MAKEFLAGS=--no-builtin-variables",
            "MAKEFLAGS=-Cx",
            "MAKEFLAGS=--directory=x",
            "MAKEFLAGS=-Ix",
            "MAKEFLAGS=w -- CC=x",
            "MAKEFLAGS=CC=x",
            "MAKEFLAGS=-E x",
            "MAKEFLAGS=--file=x",
            "MAKEFLAGS=-Wx",
            "V=$(shell id)",
            "VERBOSE=${shell id}",
            "CI=`id`",
            "QUIET=; id",
            "PORT=1|id",
            "DEBUG=a\nb",
            "LOG_LEVEL=x/y",
            "NO_COLOR=$(shell id)",
            "LS_COLORS=`id`",
            "GIT_AUTHOR_NAME=$X",
            "VITE_X=${shell id}",
            "NEXT_PUBLIC_X=a\nb",
            "NINJA_STATUS=$x",
            "XDG_CONFIG_HOME=/home/x/.config",
            "npm_config_userconfig=x",
            "yarn_script_shell=x",
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
        // What is known only at run time may be anything.
        for name in ["LC_ALL", "PORT", "V", "NO_COLOR", "GIT_AUTHOR_NAME"] {
            assert_ne!(classify(name.as_bytes(), None), EnvClass::Inert, "{name}");
        }
        assert_ne!(classify(b"PAGER", None), EnvClass::Inert);
    }

    #[test]
    fn every_group_has_a_name_that_is_found_there() {
        for g in table::DANGEROUS {
            assert!(!g.reason.is_empty());
            for n in g.names.iter().map(|n| String::from_utf8_lossy(n)) {
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
            "CARGO_HOME=/usr/local/cargo",
            "RUSTUP_HOME=/home/x/.rustup",
            "RUSTUP_TOOLCHAIN=stable",
            "JAVA_HOME=/opt/java/openjdk",
            "VIRTUAL_ENV=/v",
            "NVM_DIR=/home/x/.nvm",
            "NVM_BIN=/home/x/.nvm/versions/node/v20.11.0/bin",
            "GOPATH=/go",
            "GOROOT=/usr/local/go",
            "PYENV_ROOT=/home/x/.pyenv",
            "PYENV_VERSION=3.12.1",
            "PYENV_SHELL=bash",
            "ASDF_NODEJS_VERSION=20.1.0",
            "GEM_HOME=/usr/local/bundle",
            "GEM_PATH=/home/x/.gem/ruby/3.2.0:/usr/lib/ruby/gems/3.2.0",
            "GRADLE_USER_HOME=/home/x/.gradle",
            "ANDROID_HOME=/home/x/Android/Sdk",
            "PLAYWRIGHT_BROWSERS_PATH=/ms-playwright",
            "PUPPETEER_EXECUTABLE_PATH=/usr/bin/chromium",
            "PUPPETEER_SKIP_DOWNLOAD=true",
            "CARGO_BUILD_TARGET=x86_64-unknown-linux-musl",
            "CARGO_REGISTRIES_OURS_TOKEN=x",
            "CARGO_REGISTRIES_OURS_INDEX=sparse+https://r/i/",
            "DENO_DIR=/deno-dir/",
            "DENO_V8_FLAGS=--max-old-space-size=4096",
            "PYTHON=python3",
            "NODE=/usr/bin/node",
            "X_PAGER=/usr/bin/less -R",
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
            "XDG_CONFIG_HOME=/home/x/.config",
            "XDG_CONFIG_DIRS=/etc/xdg/xdg-ubuntu:/etc/xdg",
            "XDG_DATA_DIRS=/usr/share",
            "XDG_CACHE_HOME=/c",
            "npm_config_registry=https://r",
            "npm_config__auth=x",
            "npm_config_user_agent=npm/10.2.4 node/v20.11.0 linux x64 workspaces/false",
            "npm_config_ignore_scripts=true",
            "YARN_CACHE_FOLDER=/c",
            "PNPM_HOME=/p",
            "MAKE=gmake",
            "UV_PYTHON=3.12",
            "TF_CLI_ARGS=-no-color",
            "V=1",
            "VERBOSE=",
            "DEBUG=app:*",
            "PS1=\\u@${debian_chroot:+x}\\$ ",
            "MSG=costs 5$ or `so`, (see [1])",
            "FORMAT=${level} $(date)",
            "npm_lifecycle_event=test",
            "npm_package_name=x",
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
            "CARGO=cargo",
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
    fn tools_come_from_where_they_are_installed() {
        for name in [
            "CARGO_HOME",
            "RUSTUP_HOME",
            "GOROOT",
            "GOPATH",
            "JAVA_HOME",
            "GRADLE_USER_HOME",
            "GEM_PATH",
            "COMPOSER_HOME",
            "DENO_DIR",
            "PYENV_ROOT",
            "ASDF_DATA_DIR",
            "VOLTA_HOME",
            "ANDROID_HOME",
            "PLAYWRIGHT_BROWSERS_PATH",
            "PUPPETEER_EXECUTABLE_PATH",
            "ANSIBLE_TERMINAL_PLUGINS",
            "MADE_UP_PLUGINS",
            "ASDF_NODEJS_VERSION",
        ] {
            for value in [
                "/tmp/x",
                "x/y",
                "./x",
                "/home/x/src/.cargo",
                "/home/x/.cargo/registry/src/x",
                "/home/x/.cargo/../work",
                "home/x/.cargo",
                "/usr/../tmp/x",
                "/optx/y",
                "/usr/lib/x:/tmp/x",
                "path:/tmp/x",
            ] {
                assert_eq!(
                    scrubbed(&["HOME=/home/x", &format!("{name}={value}")]).len(),
                    1,
                    "{name}={value}"
                );
            }
            assert_eq!(scrubbed(&[&format!("{name}=/home/x/.cargo")]).len(), 1, "{name} without HOME");
            assert!(scrubbed(&["HOME=/home/x/", &format!("{name}=/home/x/.cargo")]).is_empty(), "{name}");
            assert_ne!(classify(name.as_bytes(), Some(b"/tmp/x")), EnvClass::Inert, "{name}");
        }
        // A bare name is a folder here.
        assert_eq!(scrubbed(&["RUSTUP_HOME=x"]).len(), 1);
        for entry in [
            "CARGO=/tmp/x",
            "CARGO=./cargo",
            "PYTHON=./x",
            "PYTHON=python3 x.py",
            "X_EDITOR=sh x",
            "NODE=x/node",
            "npm_execpath=/tmp/x.js",
            "KUBECTL_EXTERNAL_DIFF=./x",
            "GIT_PYTHON_GIT_EXECUTABLE=/tmp/git",
            "CARGO_REGISTRIES_OURS_CREDENTIAL_PROVIDER=./x",
            "CARGO_BUILD_TARGET=./x.json",
            "RUST_TARGET_PATH=x",
            "CMAKE_OBJC_COMPILER_LAUNCHER=./x",
            "GITPERLLIB=x",
            "GIT_TEXTDOMAINDIR=x",
            "DENO_V8_FLAGS=--logfile=x",
            "DENO_PERMISSION_BROKER_PATH=x",
            "NAPI_RS_NATIVE_LIBRARY_PATH=./x.node",
            "UV_ENV_FILE=x",
            "GOWORK=x",
            "MISE_TRUSTED_CONFIG_PATHS=/",
            "RBENV_HOOK_PATH=/tmp/x",
            "NIX_CONFIG=plugin-files = /tmp/x.so",
            "CONTAINERS_CONF=/tmp/x",
            "USE_BAZEL_VERSION=/tmp/x",
        ] {
            assert_eq!(scrubbed(&[entry]).len(), 1, "{entry}");
        }
    }

    #[test]
    fn configuration_comes_from_where_it_is_without_the_variable() {
        let both = |home: &str, value: &str| scrubbed(&[home, value]).len();
        for value in ["/h/.config", "/h/.config/", "/h/x/../.config", ""] {
            assert_eq!(both("HOME=/h", &format!("XDG_CONFIG_HOME={value}")), 0, "{value}");
        }
        for value in ["/t/.config", "/h", ".config", "h/.config", "/h/.config/../x"] {
            assert_eq!(both("HOME=/h", &format!("XDG_CONFIG_HOME={value}")), 1, "{value}");
        }
        assert_eq!(scrubbed(&["XDG_CONFIG_HOME=/h/.config"]).len(), 1);
        for value in ["/t:/etc/xdg", "/etc/../t", "x", "/etcx", "/home/x/.config"] {
            assert_eq!(scrubbed(&[&format!("XDG_CONFIG_DIRS={value}")]).len(), 1, "{value}");
        }
    }

    #[test]
    fn package_managers_take_no_program_from_the_environment() {
        for key in [
            "userconfig",
            "globalconfig",
            "script-shell",
            "prefix",
            "node-options",
            "cache",
            "init-module",
            "git",
            "shell",
            "call",
            "package",
            "global",
            "nodedir",
            "pnpmfile",
            "ignore-scripts",
            "location",
            "workspace",
            "unknown-key",
        ] {
            for start in ["npm_config_", "NPM_CONFIG_", "Npm_Config_"] {
                for key in [key.to_owned(), key.replace('-', "_"), key.to_uppercase()] {
                    assert_eq!(scrubbed(&[&format!("{start}{key}=/t/x")]).len(), 1, "{start}{key}");
                }
            }
        }
        for name in
            ["yarn_script_shell", "YARN_SCRIPT_SHELL", "yarn_yarn-path", "Yarn_Rc_Filename", "PNPM_CONFIG_X"]
        {
            assert_eq!(scrubbed(&[&format!("{name}=/t/x")]).len(), 1, "{name}");
        }
    }

    #[test]
    fn programs_and_flags_of_builds_are_not_inherited() {
        for entry in [
            "MAKEFLAGS=e",
            "MAKEFLAGS=w -ke",
            "GNUMAKEFLAGS=e",
            "GNUMAKEFLAGS=--eval=x",
            "MFLAGS=-e",
            "MAKEFLAGS= -- CC=x",
            "MAKEFLAGS=-C/t",
            "MAKE=/t/x",
            "MAKE_COMMAND=/t/x",
            "MAKEOVERRIDES=x",
            "CMAKE_C_COMPILER_LAUNCHER=/t/x",
            "CMAKE_TOOLCHAIN_FILE=/t/x",
            "PIP_PYTHON=/t/x",
            "UV_PYTHON=/t/x",
            "PIP_CONFIG_FILE=/t/x",
            "HELM_PLUGINS=/t",
            "TF_CLI_CONFIG_FILE=/t/x",
            "TF_CLI_ARGS_plan=-auto-approve",
            "ANSIBLE_CALLBACK_PLUGINS=/t",
        ] {
            assert_eq!(scrubbed(&[entry]).len(), 1, "{entry}");
        }
    }

    #[test]
    fn a_variable_that_sounds_like_a_program_names_none_of_the_callers() {
        for name in [
            "ARCH_CLIENT",
            "DPKG_PAGER",
            "CSCOPE_EDITOR",
            "MADE_UP_SSH",
            "MADE_UP_RSH",
            "X_ASKPASS",
            "X_WRAPPER",
        ] {
            for value in ["./evil", "/tmp/evil", "sh -c 'x y'", "x; y"] {
                assert_eq!(scrubbed(&[&format!("{name}={value}")]).len(), 1, "{name}={value}");
            }
            assert_ne!(classify(name.as_bytes(), Some(b"less")), EnvClass::Inert, "{name}");
        }
        for entry in [
            "MADE_UP_PAGER=less -R",
            "X_EDITOR=code --wait",
            "MADE_UP_BROWSER=firefox",
            "SSH_CLIENT=10.0.0.1 5 22",
            "X_WRAPPER=",
        ] {
            assert!(scrubbed(&[entry]).is_empty(), "{entry}");
        }
    }

    #[test]
    fn a_value_that_is_code_is_not_inherited() {
        for value in [
            "$(shell id)",
            "x${shell id}",
            "$(or a,$(shell id))",
            "$(eval x:=$(shell id))",
            "${call a,b}",
            "$(file >x)",
            "$(guile x)",
            "x[$(id)]",
            "path[`id`]",
        ] {
            for name in ["V", "FOO", "GIT_AUTHOR_NAME", "CFLAGS", "VITE_X"] {
                assert_eq!(scrubbed(&[&format!("{name}={value}")]).len(), 1, "{name}={value}");
            }
            assert!(scrubbed(&[&format!("LD_LIBRARY_PATH={value}")]).is_empty(), "trusted");
        }
        for entry in ["V=; id", "VERBOSE=x/y", "CI=a|b", "PORT=`id`"] {
            assert_eq!(scrubbed(&[entry]).len(), 1, "{entry}");
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
