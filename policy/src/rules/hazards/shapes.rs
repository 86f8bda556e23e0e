//! Questions about one value, and the expression of find(1).
use super::Met;
use super::git;
use super::scan::{Seen, Val};
use crate::arg::Arg;
use crate::tables::hazards::Test;
use crate::tables::words::{WordList, words};

/// True of `link-arg=WORD`, `link-args=WORDS` and their kind, if a word is more than a choice among what is known: a linker
/// runs and reads what its own options name.
fn link_args(v: &[u8]) -> bool {
    const KNOWN: WordList = words![
        "-fuse-ld=lld",
        "-fuse-ld=mold",
        "-fuse-ld=gold",
        "-fuse-ld=bfd",
        "-fuse-ld=wild",
        "-s",
        "-static",
        "-static-pie",
        "-pie",
        "-no-pie",
        "-rdynamic",
        "-nostartfiles",
        "-nostdlib",
        "-undefined",
        "dynamic_lookup",
        "-Wl,--as-needed",
        "-Wl,--gc-sections",
        "-Wl,-s",
        "-Wl,-undefined,dynamic_lookup",
    ];
    let Some(at) = v.windows(8).position(|w| w == b"link-arg") else { return false };
    let given = v.get(at..).unwrap_or_default();
    let Some(eq) = given.iter().position(|b| *b == b'=') else { return true };
    let words = given.get(eq + 1..).unwrap_or_default().split(u8::is_ascii_whitespace);
    let library = |w: &[u8]| {
        w.strip_prefix(b"-l").is_some_and(|n| !n.is_empty() && n.iter().all(u8::is_ascii_alphanumeric))
    };
    !words.filter(|w| !w.is_empty()).all(|w| KNOWN.has(w) || library(w))
}

/// Whether `test` holds of a value; `None` if that is known only at run time.
pub(super) fn holds(test: &Test, value: Val) -> Option<bool> {
    let (v, known) = match value {
        Val::Known(v) => (v, true),
        Val::Dynamic(v) => (v, false),
    };
    // A prefix that meets the test already is enough, one that does not says nothing.
    let by_prefix = |yes: bool| if yes || known { Some(yes) } else { None };
    match test {
        Test::Any => Some(true),
        Test::Is(list) if known => Some(list.has(v)),
        Test::Is(list) => may(list.iter().any(|s| s.starts_with(v))),
        Test::Fold(list) if known => Some(list.iter().any(|s| s.eq_ignore_ascii_case(v))),
        Test::Fold(_) => None,
        Test::Not(list) => Some(!known || !list.has(v)),
        Test::File => Some(!known || !is_stream(v)),
        Test::Starts(list) => starts(*list, v, known),
        Test::StartsFold(list) => starts(*list, &v.to_ascii_lowercase(), known),
        Test::Has(list) => by_prefix(list.iter().any(|s| contains(v, s))),
        Test::HasFold(list) => {
            let lower = v.to_ascii_lowercase();
            by_prefix(list.iter().any(|s| contains(&lower, s)))
        }
        Test::HasNot(list) if known => Some(!list.iter().any(|s| contains(v, s))),
        Test::HasNot(_) => None,
        Test::Ends(list) if known => Some(list.iter().any(|s| v.ends_with(s))),
        Test::Ends(_) => None,
        Test::DdOutput => by_prefix(v.strip_prefix(b"of=").is_some_and(|f| !known || !is_stream(f))),
        Test::NotStarts(list) => Some(!list.iter().any(|s| v.starts_with(s))),
        Test::CargoSetting => {
            let harmless = ["term.", "net.", "profile.", "http.timeout", "future-incompat-report."];
            Some(!harmless.iter().any(|s| v.starts_with(s.as_bytes())))
        }
        Test::AtFile => match v.strip_prefix(b"@") {
            Some(file) => Some(!known || file != b"-"),
            None => by_prefix(false),
        },
        Test::NameAtFile => {
            let mark = v.iter().position(|b| b"@=".contains(b));
            match mark.and_then(|p| v.get(p..)) {
                Some(rest) => Some(rest.first() == Some(&b'@') && rest != b"@-"),
                None => by_prefix(false),
            }
        }
        Test::Clock => Some(known && v.len() >= 8 && v.iter().all(|b| b.is_ascii_digit() || *b == b'.')),
        Test::LinkArgs => by_prefix(link_args(v)),
        Test::Dashes(list) => Some(dashes(*list, v, known)),
        Test::HasSlash => by_prefix(v.contains(&b'/')),
        Test::WordFold(list) => {
            let lower = v.to_ascii_lowercase();
            by_prefix(list.iter().any(|w| has_word(&lower, w)))
        }
        Test::GitSetting => by_prefix(git::setting(v, known)),
        Test::GitTransport => by_prefix(git::transport(v)),
        Test::GitHost => by_prefix(git::host(v)),
        Test::SharedFolder => by_prefix(shared(v)),
        Test::MakeVariable if !known && !v.contains(&b'=') && v.contains(&b'/') => Some(false),
        Test::MakeVariable => by_prefix(make_variable(v, known)),
        Test::CMakeProgram => by_prefix(cmake_program(v)),
        Test::VimCommand if known => Some(vim_command(v)),
        Test::VimCommand => None,
        Test::VimPlus | Test::LessPlus => match v.strip_prefix(b"+") {
            Some(command) if matches!(test, Test::VimPlus) => {
                if known {
                    Some(!command.is_empty() && vim_command(command))
                } else {
                    None
                }
            }
            Some(command) => by_prefix(less_command(command)),
            None => may(!known && v.is_empty()),
        },
        Test::LessCommand => by_prefix(less_command(v)),
        Test::Sqlite => by_prefix(sqlite(v)),
        Test::SshOption => by_prefix(ssh_option(v)),
        Test::HostMount if known => Some(host_mount(v)),
        Test::HostMount => None,
    }
}

fn may(maybe: bool) -> Option<bool> {
    if maybe { None } else { Some(false) }
}

fn starts(list: WordList, v: &[u8], known: bool) -> Option<bool> {
    if list.iter().any(|s| v.starts_with(s)) {
        return Some(true);
    }
    if known { Some(false) } else { may(list.iter().any(|s| s.starts_with(v))) }
}

/// See [`Test::Dashes`]. The name of a dynamic word is known where an equals sign ends it.
fn dashes(list: WordList, word: &[u8], known: bool) -> bool {
    let mut halves = word.splitn(2, |b| *b == b'=');
    let (Some(name), value) = (halves.next().filter(|n| n.starts_with(b"-")), halves.next()) else {
        return false;
    };
    let mut name: Vec<u8> = name.to_ascii_lowercase();
    name.retain(|b| !b"-_".contains(b));
    let name = name.strip_prefix(b"config.").unwrap_or(&name);
    // One letter is a short option.
    (known || value.is_some()) && name.len() > 1 && list.iter().any(|l| l.starts_with(name))
}

/// Standard streams and the null device: writing there overwrites nothing.
pub(super) fn is_stream(v: &[u8]) -> bool {
    matches!(v, b"-" | b"/dev/null" | b"/dev/stdout" | b"/dev/stderr" | b"/dev/tty")
}

pub(super) fn contains(hay: &[u8], needle: &[u8]) -> bool {
    !needle.is_empty() && hay.windows(needle.len()).any(|w| w == needle)
}

/// `needle` stands in `hay` with no letter, digit or underscore beside its word-like ends.
fn has_word(hay: &[u8], needle: &[u8]) -> bool {
    let wordy = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    (0..hay.len()).any(|at| {
        hay.get(at..).is_some_and(|rest| rest.starts_with(needle))
            && !(wordy(needle.first()) && at > 0 && wordy(hay.get(at - 1)))
            && !(wordy(needle.last()) && wordy(hay.get(at + needle.len())))
    })
}

fn shared(v: &[u8]) -> bool {
    ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"].iter().any(|folder| {
        v.strip_prefix(folder.as_bytes()).is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
    })
}

/// Variables of make that name a program its recipes or itself run.
const MAKE_PROGRAMS: WordList = words![
    "SHELL",
    ".SHELLFLAGS",
    "MAKE",
    "MAKEFLAGS",
    "MFLAGS",
    "GNUMAKEFLAGS",
    "MAKEFILES",
    "CC",
    "CXX",
    "CPP",
    "LD",
    "AR",
    "AS",
    "NM",
    "RANLIB",
    "STRIP",
    "OBJCOPY",
    "OBJDUMP",
    "FC",
    "F77",
    "PC",
    "M2C",
    "CO",
    "GET",
    "LEX",
    "YACC",
    "LINT",
    "MAKEINFO",
    "TEX",
    "TEXI2DVI",
    "WEAVE",
    "CWEAVE",
    "TANGLE",
    "CTANGLE",
    "RM",
    "INSTALL",
    "CROSS_COMPILE",
    "HOSTCC",
    "HOSTCXX",
    "PKG_CONFIG",
    "PYTHON",
    "NODE",
    "SED",
    "AWK",
    "GIT",
    "RUSTC",
    "RUSTC_WRAPPER",
    "PATH",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
];

/// The compilers people choose between on the command line.
const COMPILERS: WordList = words!["cc", "gcc", "clang", "c++", "g++", "clang++", "musl-gcc", "tcc"];

/// Programs that recipes start by a variable of their name.
#[rustfmt::skip]
const ELSEWHERE: WordList = words![
    "BASH", "GO", "CARGO", "RUSTC", "NPM", "NPX", "YARN", "PNPM", "NODE", "PIP", "PIP3", "UV", "DOCKER", "PODMAN", "KUBECTL",
    "PYTHON3", "PERL", "RUBY", "GIT", "CMAKE", "CURL", "SUDO",
];

fn make_variable(word: &[u8], known: bool) -> bool {
    if runs_in_make(word) {
        return true;
    }
    let Some(eq) = word.iter().position(|b| *b == b'=') else {
        return false;
    };
    let (name, value) = (word.get(..eq).unwrap_or_default(), word.get(eq + 1..).unwrap_or_default());
    // `:=`, `::=`, `+=`, `?=` and `!=`, which runs its value.
    if name.last() == Some(&b'!') {
        return true;
    }
    let end = name.iter().rposition(|b| !b":+? \t".contains(b)).map_or(0, |p| p + 1);
    let name = name.get(..end).unwrap_or_default().trim_ascii();
    if matches!(name, b"CC" | b"CXX" | b"HOSTCC" | b"HOSTCXX") {
        return !known || !COMPILERS.has(value);
    }
    // By their bare names people choose between versions.
    if value.contains(&b'/') && ELSEWHERE.has(name) {
        return true;
    }
    // `COMPILE.c`, `LINK.o` and their like are the commands of make's own rules, and names with a dot are no others.
    let own_rule = name.contains(&b'.') || name == b"OUTPUT_OPTION";
    // bison(1): a skeleton is a program for m4.
    let skeleton = name == b"YFLAGS" && (contains(value, b"-S") || contains(value, b"--sk"));
    own_rule || skeleton || MAKE_PROGRAMS.has(name) || names_program(name) || compiler_plugin(value)
}

/// What is more than text to make or to the shell of a recipe it stands in, however that quotes it.
fn runs_in_make(word: &[u8]) -> bool {
    word.iter().any(|b| b";|&<>$`\n".contains(b))
}

/// Ends of names of variables that hold a program, in make's and cmake's projects.
const PROGRAM_ENDS: WordList = words![
    "_COMPILER",
    "_LINKER",
    "_AR",
    "_RANLIB",
    "_STRIP",
    "_NM",
    "_EXECUTABLE",
    "_PROGRAM",
    "_COMMAND",
    "_CMD",
    "_SHELL",
    "_WRAPPER",
    "_LAUNCHER",
    "_CLANG_TIDY",
    "_CPPCHECK",
    "_CPPLINT",
    "_MT",
    "_OBJCOPY",
    "_OBJDUMP",
    "_READELF",
    "_ADDR2LINE",
    "_TOOL",
    "_DLLTOOL",
];

fn names_program(name: &[u8]) -> bool {
    PROGRAM_ENDS.iter().any(|end| name.ends_with(end))
}

fn cmake_program(v: &[u8]) -> bool {
    let Some(eq) = v.iter().position(|b| *b == b'=') else { return false };
    let (name, value) = (v.get(..eq).unwrap_or_default(), v.get(eq + 1..).unwrap_or_default());
    let name = name.split(|b| *b == b':').next().unwrap_or_default();
    let system = ["/usr/bin/", "/bin/", "/usr/local/bin/"].iter().any(|d| value.starts_with(d.as_bytes()));
    compiler_plugin(value)
        || (names_program(name) && value.contains(&b'/') && (!system || contains(value, b"..")))
}

/// Flags that make a compiler load or run something.
fn compiler_plugin(value: &[u8]) -> bool {
    // `-Wl,@f` and `-Wp,@f` as well: each program takes options from such a file.
    ["-fplugin", "-specs", "-wrapper", "-Xclang", "-load", "-fuse-ld=/", "-fuse-ld=.", "-plugin", ",@"]
        .iter()
        .any(|f| contains(value, f.as_bytes()))
        || value.split(u8::is_ascii_whitespace).any(|w| {
            let elsewhere = |d: &[u8]| !d.starts_with(b"/usr/") || contains(d, b"..");
            // A configure script has such an option too.
            w.starts_with(b"-B") || w.starts_with(b"@") || w.strip_prefix(b"--prefix=").is_some_and(elsewhere)
        })
}

/// Words of vi that only move, look at or leave the file.
const VIM_INERT: WordList = words![
    "q",
    "q!",
    "qa",
    "qa!",
    "qall",
    "qall!",
    "quit",
    "quit!",
    "cq",
    "cq!",
    "noh",
    "nohlsearch",
    "syntax on",
    "syntax off",
    "syn on",
    "$",
];

fn vim_command(v: &[u8]) -> bool {
    let v = v.strip_prefix(b":").unwrap_or(v);
    if VIM_INERT.has(v) || v.iter().all(u8::is_ascii_digit) {
        return false;
    }
    // A search: ex takes more commands after the closing slash, `|` or `;`.
    if let Some(pattern) = v.strip_prefix(b"/").or_else(|| v.strip_prefix(b"?")) {
        return pattern.iter().any(|b| b"/?|;\n".contains(b));
    }
    if let Some(option) = v.strip_prefix(b"set ") {
        // `set shell=`, `set makeprg=` and their like, and `|`, need more than an option's name.
        return !option.iter().all(|b| b.is_ascii_alphanumeric() || *b == b' ');
    }
    true
}

/// less runs the rest of the text as if typed: only motions, searches and leaving are known to do nothing.
fn less_command(v: &[u8]) -> bool {
    let v = v.strip_prefix(b"+").unwrap_or(v);
    let search = v.strip_prefix(b"/").or_else(|| v.strip_prefix(b"?"));
    match search {
        Some(pattern) => pattern.contains(&b'\n') || pattern.contains(&b'\r'),
        None => !v.iter().all(|b| b.is_ascii_digit() || b"gGFpq%bdu jk".contains(b)),
    }
}

/// Dot commands of sqlite3 that reach outside the database; any prefix is taken by the program.
const SQLITE_DOTS: WordList = words![
    "archive", "backup", "cd", "clone", "excel", "import", "load", "log", "once", "output", "read",
    "restore", "save", "sha3sum", "shell", "system", "testcase", "trace", "www", "open",
];

/// SQL that reaches outside the database.
const SQLITE_FUNCTIONS: WordList = words![
    "writefile",
    "readfile",
    "edit(",
    "load_extension",
    "fsdir",
    "vacuum into",
    "attach",
    "lsdir",
    "zipfile",
    "fts3_tokenizer",
];

fn sqlite(v: &[u8]) -> bool {
    let lower = v.to_ascii_lowercase();
    if SQLITE_FUNCTIONS.iter().any(|f| contains(&lower, f)) {
        return true;
    }
    lower.split(|b| *b == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        let Some(dot) = line.strip_prefix(b".") else {
            return false;
        };
        let word = dot.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
        let exact = matches!(word, b"dump" | b"schema" | b"stats" | b"show" | b"separator" | b"scanstats");
        !word.is_empty() && !exact && SQLITE_DOTS.iter().any(|d| d.starts_with(word))
    })
}

/// Keywords of ssh_config(5) that run a program, load code, or read another configuration.
const SSH_KEYWORDS: WordList = words![
    "proxycommand",
    "localcommand",
    "permitlocalcommand",
    "knownhostscommand",
    "include",
    "pkcs11provider",
    "securitykeyprovider",
    "smartcarddevice",
    "xauthlocation",
    "sendenv",
];

fn ssh_option(v: &[u8]) -> bool {
    let lower: Vec<u8> = v.trim_ascii().to_ascii_lowercase();
    let end = lower.iter().position(|b| b" \t=\"".contains(b)).unwrap_or(lower.len());
    let (key, value) = (lower.get(..end).unwrap_or_default(), lower.get(end..).unwrap_or_default());
    let value: Vec<u8> = value.iter().copied().skip_while(|b| b" \t=\"".contains(b)).collect();
    match key {
        b"proxycommand" | b"localcommand" | b"knownhostscommand" if value == b"none" => false,
        b"permitlocalcommand" if value == b"no" => false,
        _ => SSH_KEYWORDS.has(key),
    }
}

/// Folders of the host whose mount gives a container the host.
fn host_mount(v: &[u8]) -> bool {
    let source = match v.strip_prefix(b"type=") {
        // --mount type=bind,source=/,target=/x
        Some(fields) => fields
            .split(|b| *b == b',')
            .find_map(|f| f.strip_prefix(b"source=").or_else(|| f.strip_prefix(b"src=")))
            .unwrap_or_default(),
        None => v.split(|b| *b == b':').next().unwrap_or_default(),
    };
    let folders =
        ["/etc", "/root", "/proc", "/sys", "/dev", "/boot", "/usr", "/bin", "/lib", "/var/run", "/run"];
    source == b"/"
        || contains(source, b"docker.sock")
        || contains(source, b"/..")
        || folders.iter().any(|f| {
            source.strip_prefix(f.as_bytes()).is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
        })
}

/// Predicates of find(1) that take a value, and how many words of it.
/// Source: findutils find(1).
const FIND_VALUES: WordList = words![
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-context",
    "-ctime",
    "-D",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
    "-fprint",
    "-fprint0",
    "-fls",
    "-files0-from",
    "-flags",
];

/// Where npm is told to run its own script `env`, which runs env(1) with the words behind; they may come from xargs. Which
/// options take the next word differs by version, and one that is a flag takes `true` and `false` as well (nopt, README):
/// so a word behind an option is the script, or its value and the next one is.
pub(super) fn npm_env(seen: &Seen) -> Met {
    let (mut out, mut run, mut behind_option, mut ended) = (Met::No, false, false, false);
    for (at, arg) in seen.args.iter().enumerate() {
        let prefix = arg.known_prefix();
        if !ended && prefix.first() == Some(&b'-') {
            // Nothing but dashes ends the options.
            ended = arg.literal().is_some_and(|w| w.len() > 1 && w.iter().all(|b| *b == b'-'));
            behind_option = !ended && !prefix.contains(&b'=');
            continue;
        }
        let word = arg.literal();
        if !run {
            match word {
                Some(b"run" | b"run-script" | b"rum" | b"urn") => run = true,
                _ if behind_option || word.is_none() => {}
                _ => return out,
            }
        } else {
            let marks = starred(arg.shown()).filter(|_| word.is_none());
            match (word, marks) {
                (Some(word), _) if word == b"env" => return Met::Yes(Some(at)),
                (Some(_), _) => {}
                // `e$x`: all but what is not known is there.
                (None, Some(word)) if fits(&word, b"env") => return Met::Yes(Some(at)),
                (None, _) if b"env".starts_with(prefix) => out = out.or(Met::Maybe(at)),
                (None, _) => {}
            }
            if !behind_option && !matches!(arg, Arg::Dynamic { single: false, .. }) {
                return out;
            }
        }
        behind_option = false;
    }
    out
}

/// A word that begins or ends with something known, with a star for what is not; `None` for others.
fn starred(source: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut rest) = (Vec::new(), source);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' | b'\'' | b'\\' => {}
            b'$' => {
                let name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
                let length = match after.first() {
                    Some(b'{') => after.iter().position(|b| *b == b'}')? + 1,
                    Some(b'(') => return None,
                    _ => after.iter().take_while(name).count(),
                };
                rest = after.get(length..)?;
                if out.last() != Some(&b'*') {
                    out.push(b'*');
                }
            }
            b'`' | b'{' => return None,
            _ => out.push(*byte),
        }
    }
    out.iter().any(|b| !b"*?".contains(b)).then_some(out)
}

/// True if a pattern of `*`, `?` and letters (a set counts as any letter) can be this name.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            fits(rest, name) || name.split_first().is_some_and(|(_, name)| fits(pattern, name))
        }
        (Some((b'[', rest)), Some((_, name))) => {
            let end = rest.iter().position(|b| *b == b']').map_or(rest.len(), |end| end + 1);
            fits(rest.get(end..).unwrap_or_default(), name)
        }
        (Some((b'?', rest)), Some((_, name))) => fits(rest, name),
        (Some((p, rest)), Some((n, name))) => p == n && fits(rest, name),
        _ => false,
    }
}

/// Looks for one of `predicates` in a find expression. The commands of `-exec` are the wrapper rule's.
pub(super) fn find(seen: &Seen, predicates: WordList) -> Met {
    let mut out = Met::No;
    let mut at = 0;
    while let Some(value) = seen.word(at) {
        let here = at;
        at += 1;
        let word = match value {
            Val::Known(w) => w,
            Val::Dynamic(prefix) => {
                if prefix.is_empty() || predicates.iter().any(|p| p.starts_with(prefix)) {
                    out = out.or(Met::Maybe(here));
                }
                continue;
            }
        };
        if matches!(word, b"-exec" | b"-execdir" | b"-ok" | b"-okdir") {
            while let Some(inner) = seen.word(at) {
                at += 1;
                if inner == Val::Known(b";") || inner == Val::Known(b"+") {
                    break;
                }
            }
            continue;
        }
        let takes = FIND_VALUES.has(word) || word.starts_with(b"-newer");
        let target = seen.word(at);
        if takes {
            at += 1;
        } else if word == b"-fprintf" {
            at += 2;
        }
        let writes = word.starts_with(b"-fprint") || word == b"-fls";
        let inert = writes && matches!(target, Some(Val::Known(t)) if is_stream(t));
        if predicates.has(word) && !inert {
            out = out.or(Met::Yes(Some(here)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn make_variables_that_run_something() {
        for (word, expected) in [
            ("CFLAGS=-O2 -g", false),
            ("VERBOSE=1", false),
            ("all", false),
            ("CC=clang", false),
            ("CC=./evil.sh", true),
            ("SHELL=/tmp/x", true),
            ("SHELL =./evil", true),
            ("COMPILE.c=./evil", true),
            ("LINK.o=./evil", true),
            ("OUTPUT_OPTION=--prefix=./", true),
            ("CFLAGS=-O2 --prefix=./", true),
            ("LDLIBS=-Wl,@f", true),
            ("CFLAGS=-Wp,@g", true),
            ("YFLAGS=-d -S./x", true),
            ("YFLAGS=-d", false),
            ("CONFIGURE_FLAGS=--prefix=/usr/local", false),
            ("LDLIBS=-lm -Wl,--as-needed", false),
            ("BASH=./evil", true),
            ("PYTHON3=/tmp/x", true),
            ("PIP=pip3", false),
            ("\tSHELL\t=./evil", true),
            ("SHELL :=./evil", true),
            (" CMAKE_COMMAND =/tmp/x", true),
            ("PREFIX = /usr", false),
            ("X=$(shell id)", true),
            ("X:=${ shell id}", true),
            ("X!=id", true),
            ("CFLAGS=; ./evil #", true),
            ("PREFIX=;./evil;", true),
            ("X=a|b", true),
            ("X=a&b", true),
            ("X=a<b", true),
            ("X=a>b", true),
            ("X=$(Y)", true),
            ("X=$$Y", true),
            ("X=`id`", true),
            ("X=a\nb", true),
            ("$(shell id)=x", true),
            ("a;./evil", true),
            ("$(X)", true),
            ("START_CMD=./evil", true),
            ("CFLAGS=-fuse-ld=./x", true),
            ("CFLAGS=-DNAME=\"a b\" -I'x y'", false),
            ("ARGS=-k 'a or (b)'", false),
            ("V=1", false),
            ("CFLAGS=-fplugin=./x.so", true),
            ("PREFIX=/usr/local", false),
        ] {
            assert_eq!(make_variable(word.as_bytes(), true), expected, "{word}");
        }
    }

    #[test]
    fn cmake_settings_that_name_a_program() {
        for (setting, expected) in [
            ("CMAKE_C_COMPILER=/tmp/evil", true),
            ("CMAKE_C_COMPILER:FILEPATH=evil/cc", true),
            ("CMAKE_C_COMPILER=/usr/bin/../../tmp/evil", true),
            ("Python3_EXECUTABLE=./python", true),
            ("CMAKE_C_CLANG_TIDY=/tmp/x", true),
            ("CMAKE_MT=./evil", true),
            ("CMAKE_C_FLAGS=@file", true),
            ("CMAKE_CXX_CLANG_TIDY=clang-tidy", false),
            ("CMAKE_C_FLAGS=-fplugin=./x.so", true),
            ("CMAKE_C_COMPILER=/usr/bin/clang-15", false),
            ("CMAKE_C_COMPILER=clang", false),
            ("CMAKE_INSTALL_PREFIX=/tmp/x", false),
            ("CMAKE_BUILD_TYPE=Release", false),
        ] {
            assert_eq!(cmake_program(setting.as_bytes()), expected, "{setting}");
        }
    }

    #[test]
    fn editor_commands() {
        for (command, expected) in [
            ("12", false),
            ("/foo", false),
            ("/foo/|!id", true),
            ("q!", false),
            ("set number", false),
            ("set shell=./x", true),
            ("!id", true),
            ("wq", true),
            ("py3 x", true),
        ] {
            assert_eq!(vim_command(command.as_bytes()), expected, "{command}");
        }
    }

    #[test]
    fn database_shells_and_ssh() {
        assert!(sqlite(b".sh id") && sqlite(b"select 1;\n .system id") && sqlite(b"SELECT WriteFile('x',1)"));
        assert!(!sqlite(b".tables") && !sqlite(b".schema") && !sqlite(b"select * from shell"));
        assert!(ssh_option(b"ProxyCommand=id") && ssh_option(b"proxycommand id"));
        assert!(!ssh_option(b"StrictHostKeyChecking=no") && !ssh_option(b"ProxyCommand=none"));
        assert!(!ssh_option(b"ConnectTimeout=5"));
        assert!(host_mount(b"/:/mnt") && host_mount(b"type=bind,source=/etc,target=/x"));
        assert!(!host_mount(b"/home/me/app:/app") && !host_mount(b"data:/var/lib/x"));
    }
}
