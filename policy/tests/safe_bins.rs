//! Safe bins and free builtins against the corpora, and safe bins against the real programs.
//!
//! The corpora tell what must be refused and what must pass; the real programs tell whether a call that was let
//! through opens a file all the same.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
#![allow(missing_docs)]

/// Words of a simple command, and whether any of the text could not be one.
#[cfg(test)]
mod split {
    use policy::Arg;

    /// Splits a text at `;`, `&&`, `||`, `|` and newlines into simple commands. `None` if it has anything that this
    /// splitter does not know for certain: it is here to feed tests, not to judge.
    pub fn commands(text: &str) -> Option<Vec<Vec<Arg>>> {
        let mut out = vec![Vec::new()];
        let mut word: Option<(Vec<u8>, bool, bool)> = None;
        let bytes = text.as_bytes();
        let mut i = 0;
        let end = |word: &mut Option<(Vec<u8>, bool, bool)>, out: &mut Vec<Vec<Arg>>| {
            if let Some((bytes, dynamic, single)) = word.take() {
                let arg = if dynamic {
                    Arg::Dynamic { source: bytes, prefix: Vec::new(), single }
                } else {
                    Arg::Literal(bytes)
                };
                out.last_mut().unwrap().push(arg);
            }
        };
        while i < bytes.len() {
            let c = bytes[i];
            i += 1;
            match c {
                b' ' | b'\t' => end(&mut word, &mut out),
                b'\n' | b';' | b'|' | b'&' => {
                    end(&mut word, &mut out);
                    if c == b'&' && bytes.get(i) != Some(&b'&') {
                        return None;
                    }
                    if matches!(bytes.get(i), Some(b'|' | b'&')) {
                        i += 1;
                    }
                    out.push(Vec::new());
                }
                b'\'' => {
                    let len = bytes[i..].iter().position(|b| *b == b'\'')?;
                    word.get_or_insert_default().0.extend(&bytes[i..i + len]);
                    i += len + 1;
                }
                b'"' => {
                    let w = word.get_or_insert_with(|| (Vec::new(), false, true));
                    loop {
                        match *bytes.get(i)? {
                            b'"' => break,
                            b'`' => return None,
                            b'$' if bytes.get(i + 1) == Some(&b'(') => return None,
                            b'$' => {
                                *w = (std::mem::take(&mut w.0), true, true);
                                w.0.push(b'$');
                            }
                            b'\\' if matches!(bytes.get(i + 1), Some(b'"' | b'\\' | b'$' | b'`')) => {
                                i += 1;
                                w.0.push(bytes[i]);
                            }
                            b => w.0.push(b),
                        }
                        i += 1;
                    }
                    i += 1;
                }
                b'\\' => {
                    word.get_or_insert_default().0.push(*bytes.get(i)?);
                    i += 1;
                }
                b'`' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' => return None,
                b'#' if word.is_none() => return None,
                b'$' if matches!(bytes.get(i), Some(b'(' | b'\'' | b'"' | b'{')) => return None,
                b'$' | b'*' | b'?' | b'~' => {
                    let w = word.get_or_insert_default();
                    w.0.push(c);
                    (w.1, w.2) = (true, false);
                }
                _ => word.get_or_insert_default().0.push(c),
            }
        }
        end(&mut word, &mut out);
        out.retain(|c| !c.is_empty());
        (out.iter().all(|c| !c[0].is_dynamic())).then_some(out)
    }

    pub fn text(arg: &Arg) -> String {
        String::from_utf8_lossy(arg.shown()).into_owned()
    }
}

#[cfg(test)]
mod corpus {
    use policy::Arg;
    use policy::document::SafeBinProfile;
    use policy::rules::builtins::{BuiltinVerdict, judge_builtin};
    use policy::rules::safe_bins::{check_profile, judge};
    use policy::shell::Dialect;
    use policy::tables::safe_bins::DEFAULT;
    use serde_json::Value;

    use crate::split;

    fn rows(text: &str) -> Vec<Value> {
        text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }

    fn attacks() -> Vec<Value> {
        rows(include_str!("../../tests/corpus/attacks.jsonl"))
    }

    fn commands(row: &Value) -> Option<Vec<Vec<Arg>>> {
        match row["argv"].as_array() {
            Some(argv) => Some(vec![argv.iter().map(|w| Arg::lit(w.as_str().unwrap())).collect()]),
            None => split::commands(row["command"].as_str()?),
        }
    }

    fn word(value: &Value) -> Arg {
        match value.as_str() {
            Some(w) => Arg::lit(w),
            None => Arg::Dynamic { source: b"$x".to_vec(), prefix: Vec::new(), single: false },
        }
    }

    #[test]
    fn attacks_through_a_safe_bin_are_refused() {
        let mut tried = 0;
        for row in attacks() {
            let class = row["class"].as_str().unwrap();
            // Tier policy is about the cost of patterns and programs, which no profile can tell.
            if !class.starts_with("safebin-") || row["tier"] == "policy" {
                continue;
            }
            let Some(commands) = commands(&row) else { continue };
            let bins: Vec<_> =
                commands.iter().filter(|c| DEFAULT.contains(&split::text(&c[0]).as_str())).collect();
            if bins.is_empty() {
                continue;
            }
            tried += 1;
            let refused = bins.iter().any(|c| judge(&split::text(&c[0]), &c[1..], None).is_err());
            assert!(refused, "{}: {}", row["id"], row["command"]);
        }
        assert!(tried > 100, "only {tried} rows were understood");
    }

    #[test]
    fn what_people_pipe_through_passes() {
        let mut tried = 0;
        for row in rows(include_str!("../../tests/corpus/benign.jsonl")) {
            if row["acceptable"] != serde_json::json!(["allow"]) {
                continue;
            }
            for segment in row["segments"].as_array().unwrap() {
                let words: Vec<Arg> = segment.as_array().unwrap().iter().map(word).collect();
                let name = words.first().map(split::text).unwrap_or_default();
                if DEFAULT.contains(&name.as_str()) {
                    tried += 1;
                    assert_eq!(judge(&name, &words[1..], None), Ok(()), "{}: {segment}", row["id"]);
                }
                if !["jq", "grep"].contains(&name.as_str()) && row["expect_with"]["safe_bins"] == "default" {
                    for dialect in [Dialect::Bash, Dialect::Dash, Dialect::Zsh] {
                        let got = judge_builtin(name.as_bytes(), &words[1..], dialect, false);
                        let refused = matches!(got, BuiltinVerdict::Refused { .. });
                        assert!(!refused, "{}: {segment} {got:?}", row["id"]);
                    }
                }
            }
        }
        assert!(tried > 80, "only {tried} segments were safe bins");
    }

    /// Where we differ from OpenClaw's own tests, and why. `true` = we allow.
    const DIFFERS: &[(&str, bool, &str)] = &[
        ("sbv-grep-158", true, "--color only colours; boolean options are in our profiles"),
        ("sbv-grep-163", true, "a pattern is data, however much it looks like a path"),
        ("sbv-head-115", true, "boolean options are in our profiles"),
        ("sbv-head-117", true, "boolean options are in our profiles"),
        ("sbv-jq-172", true, "boolean options are in our profiles"),
        ("sbv-jq-175", false, "import reads a file"),
        ("sbv-jq-181", true, "a program is data: a question mark is no glob in it"),
        ("sbv-sort-165", true, "boolean options are in our profiles"),
        ("sbv-tail-123", false, "--pid waits for another process"),
        ("sbv-tr-145", true, "boolean options are in our profiles"),
        ("sbv-uniq-135", true, "boolean options are in our profiles"),
        ("sbv-wc-147", true, "boolean options are in our profiles"),
        ("sbv-wc-152", true, "boolean options are in our profiles"),
        ("sb-008", true, "the folder is judged by `trusted`, not by the words"),
    ];

    #[test]
    fn openclaw_cases() {
        let mut tried = 0;
        let mut differs = Vec::new();
        for row in rows(include_str!("../../tests/corpus/openclaw-cases.jsonl")) {
            if row["kind"] != "safebin" {
                continue;
            }
            let id = row["id"].as_str().unwrap();
            let expect = row["expect"]["valid"].as_bool().or(row["expect"]["allowed"].as_bool());
            let (Some(expect), Some(argv)) = (expect, row["argv"].as_array()) else { continue };
            let name = argv[0].as_str().unwrap();
            let own = row["config"]["safeBinProfiles"][name].is_object().then(SafeBinProfile::default);
            let args: Vec<Arg> = argv[1..].iter().map(word).collect();
            let got = judge(name, &args, own.as_ref()).is_ok();
            tried += 1;
            if let Some((_, ours, _)) = DIFFERS.iter().find(|(d, ..)| *d == id) {
                assert_eq!(got, *ours, "{id}");
                assert_ne!(*ours, expect, "{id} differs no more");
                differs.push(id.to_owned());
            } else {
                assert_eq!(got, expect, "{id}: {argv:?}");
            }
        }
        assert_eq!(differs.len(), DIFFERS.len(), "{differs:?}");
        assert!(tried > 60, "only {tried} cases");
        assert!(check_profile("sed", &SafeBinProfile::default()).is_err(), "sb-006");
    }

    /// No attack through a builtin is made of free builtins alone.
    #[test]
    fn attacks_through_a_builtin_are_not_free() {
        let mut tried = 0;
        for row in attacks() {
            let class = row["class"].as_str().unwrap();
            if !["shell-builtin", "arithmetic-subscript", "shell-dialect"].contains(&class) {
                continue;
            }
            let Some(commands) = commands(&row) else { continue };
            let dialect = match row["shell"].as_str() {
                Some("dash") => Dialect::Dash,
                Some("zsh") => Dialect::Zsh,
                _ => Dialect::Bash,
            };
            tried += 1;
            let all_free = commands.iter().all(|c| {
                let name = split::text(&c[0]);
                let free = judge_builtin(name.as_bytes(), &c[1..], dialect, false);
                matches!(free, BuiltinVerdict::Free(_))
            });
            assert!(!all_free, "{}: {}", row["id"], row["command"]);
            if class == "arithmetic-subscript"
                && commands.len() == 1
                && !split::text(&commands[0][0]).contains('=')
            {
                let name = split::text(&commands[0][0]);
                let got = judge_builtin(name.as_bytes(), &commands[0][1..], dialect, false);
                assert!(matches!(got, BuiltinVerdict::Refused { .. }), "{}", row["command"]);
            }
        }
        assert!(tried > 30, "only {tried} rows were understood");
    }
}

/// Calls that [`judge`] lets through, run in a folder full of files named like their words.
#[cfg(test)]
mod real {
    use std::collections::BTreeSet;
    use std::fs;
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};

    use policy::Arg;
    use policy::rules::safe_bins::judge;

    const CANARY: &str = "CANARY-FILE-7f3a";
    const SECRET: &str = "CANARY-ENV-91bc";

    /// Numbers that are the same in every run.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % n
        }
        fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
            list[self.below(list.len())]
        }
    }

    const COMMON: &[&str] =
        &["-", "--", "f", "secret.txt", "1", "-1", "+1", "-5", "-z", "--help", "-n", "-c", "-f", "-o"];

    const POOLS: &[(&str, &[&str])] = &[
        (
            "grep",
            &[
                "x",
                "-e",
                "-ex",
                "-i",
                "-ie",
                "-f",
                "-fx",
                "-r",
                "-A",
                "-A1",
                "-m1",
                "-5",
                "--color",
                "--col",
                "--regexp=a",
                "--reg",
                "-nH",
                "-c",
                "-L",
                "-d",
                "read",
                "--label=f",
                "--in",
                "-P",
                "-F",
                "--file=f",
                "--fi=f",
                "--max=1",
                "-E",
                "''",
                "-hx",
            ],
        ),
        (
            "sort",
            &[
                "-o",
                "-of",
                "-to",
                "-t",
                "-t,",
                "-k1",
                "-k",
                "1,1",
                "-ru",
                "-uo",
                "-m",
                "-c",
                "-S",
                "1k",
                "-S1M",
                "--o=f",
                "--ke=1",
                "--files0-from=-",
                "--rev",
                "-T",
                "--compress-program=f",
                "--comp=f",
                "-R",
                "--parallel=1",
                "--par",
                "2",
                "-C",
                "--ch",
                "--check=quiet",
                "--sort=month",
                "-y",
                "-n1",
            ],
        ),
        (
            "uniq",
            &[
                "-c",
                "-d",
                "-D",
                "-f1",
                "-f",
                "-s",
                "-w",
                "-w1",
                "--group",
                "--group=both",
                "--gr",
                "-u",
                "--all=none",
                "--skip-f=1",
            ],
        ),
        (
            "head",
            &["-n", "-n1", "-c", "2", "-qn", "-5q", "--lines=1", "--li", "--by=1", "-v", "-nf", "-q", "-c1k"],
        ),
        (
            "tail",
            &[
                "-n",
                "-n1",
                "-c",
                "2",
                "+2",
                "-qn",
                "-5c",
                "--lines=1",
                "--li",
                "--by=1",
                "-v",
                "-nf",
                "-n+1",
                "-c+0",
            ],
        ),
        (
            "cut",
            &[
                "-b1",
                "-c1-",
                "-f1",
                "-f",
                "-d",
                "-d,",
                "-d/",
                "-s",
                "--fields=1",
                "--out=f",
                "--output-d",
                "--co",
                "-sf1",
                "-nb1",
                "2-",
            ],
        ),
        ("tr", &["a", "b", "-d", "-s", "-cd", "a-z", "A-Z", "/", "-t", "--del", "--sq"]),
        (
            "wc",
            &[
                "-l",
                "-w",
                "-c",
                "-L",
                "--lines",
                "--fi=f",
                "--files0-from=-",
                "--max",
                "-lw",
                "--by",
                "--files0-from",
                "--l",
            ],
        ),
        (
            "jq",
            &[
                ".",
                "-r",
                "-n",
                "-f",
                "-rf",
                "--arg",
                "a",
                "--args",
                "--jsonargs",
                "--argjson",
                "-R",
                "-s",
                "--slurpfile",
                "--rawfile",
                "--indent",
                "2",
                "-L",
                "--tab",
                "env",
                "$ENV",
                ".env",
                "import \"data\" as $d {search:\".\"}; $d",
                "$__loc__",
                "input_filename",
                "{env}",
                "{$ENV}",
                "\"\\(env)\"",
                "[inputs]",
                "$ENV.CANARY_ENV",
                "--seq",
                "-e",
                "-rn",
                "--run-tests",
                "include \"m\" {search:\"./\"}; f",
                ".a",
                "\"env\"",
                "debug",
                "-h",
                "--stream",
                "def f: .; f",
                "[1,2]|add",
                "$ENV as $x|1",
            ],
        ),
    ];

    fn stage(dir: &Path) -> BTreeSet<PathBuf> {
        fs::create_dir_all(dir.join("home")).unwrap();
        let mut made = BTreeSet::new();
        let names = POOLS.iter().flat_map(|(_, pool)| *pool).chain(COMMON);
        for name in names.copied().chain(["data.json", "m.jq", "data"]) {
            if name.is_empty() || name == "." || name == "-" || name == "--" || name.contains('/') {
                continue;
            }
            let text = match name {
                "m.jq" => format!("def f: \"{CANARY}\";\n"),
                "data.json" => format!("{{\"k\":\"{CANARY}\"}}\n"),
                _ => format!("\"{CANARY}\"\nx\n"),
            };
            fs::write(dir.join(name), text).unwrap();
            made.insert(dir.join(name));
        }
        made
    }

    fn listing(dir: &Path) -> BTreeSet<PathBuf> {
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_file()).collect()
    }

    /// Paths of successful and failed opens that do not lie in the system's folders.
    fn opened(trace: &str) -> Vec<String> {
        trace
            .lines()
            .filter(|l| l.contains("open") || l.contains("creat"))
            .filter_map(|l| l.split('"').nth(1).map(str::to_owned))
            .filter(|p| {
                // jq looks for `$HOME/.jq` unasked, sort puts what does not fit into TMPDIR.
                !["/etc/", "/lib", "/usr/", "/proc/", "/sys/", "/dev/null"].iter().any(|s| p.starts_with(s))
                    && !p.ends_with("/home/.jq")
                    && !p.contains("/tmpdir/")
            })
            .collect()
    }

    #[test]
    fn no_call_that_passes_opens_a_file_or_shows_a_secret() {
        let dir = std::env::temp_dir().join(format!("exec-guard-safe-bins-{}", std::process::id()));
        let made = stage(&dir);
        fs::create_dir_all(dir.join("tmpdir")).unwrap();
        let strace = Command::new("strace").arg("-V").output().is_ok_and(|o| o.status.success());
        let mut dice = Dice(4);
        let (mut ran, mut refused) = (0, 0);
        for (bin, pool) in POOLS {
            let path = format!("/usr/bin/{bin}");
            if !Path::new(&path).exists() {
                continue;
            }
            let mut seen = BTreeSet::new();
            for _ in 0..4000 {
                if seen.len() == 45 {
                    break;
                }
                let len = 1 + dice.below(5);
                let args: Vec<&str> = (0..len)
                    .map(|_| if dice.below(5) == 0 { dice.of(COMMON) } else { dice.of(pool) })
                    .map(|w| if w == "''" { "" } else { w })
                    .collect();
                let words: Vec<Arg> = args.iter().map(Arg::lit).collect();
                if judge(bin, &words, None).is_err() {
                    refused += 1;
                    continue;
                }
                if !seen.insert(args.clone()) {
                    continue;
                }
                ran += 1;
                let mut command = if strace {
                    let mut c = Command::new("strace");
                    c.args([
                        "-f",
                        "-qq",
                        "-e",
                        "trace=open,openat,openat2,creat,execve",
                        "-o",
                        "tmpdir/trace",
                        &path,
                    ]);
                    c
                } else {
                    Command::new(&path)
                };
                let mut child = command
                    .args(&args)
                    .current_dir(&dir)
                    .env_clear()
                    .envs([("HOME", dir.join("home")), ("TMPDIR", dir.join("tmpdir"))])
                    .envs([("CANARY_ENV", SECRET), ("PATH", "/usr/bin")])
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap();
                // The names in the data are those of the files: a program that takes names from its input reads them.
                let _ = child.stdin.take().unwrap().write_all(b"f\0secret.txt\0{\"a\":1}\n");
                let output = child.wait_with_output().unwrap();
                let shown = [output.stdout, output.stderr].concat();
                let shown = String::from_utf8_lossy(&shown);
                assert!(!shown.contains(CANARY) && !shown.contains(SECRET), "{bin} {args:?}: {shown}");
                if strace {
                    let trace = fs::read_to_string(dir.join("tmpdir/trace")).unwrap();
                    assert_eq!(opened(&trace), Vec::<String>::new(), "{bin} {args:?}");
                    assert_eq!(trace.matches("execve(").count(), 1, "{bin} {args:?}");
                }
            }
            assert!(seen.len() >= 30, "{bin}: only {} calls passed", seen.len());
        }
        assert_eq!(listing(&dir), made, "a file was made or removed");
        assert!(ran > 300 && refused > ran, "{ran} ran, {refused} refused");
        fs::remove_dir_all(&dir).unwrap();
    }

    /// The stage can tell: a call that is refused, run all the same, is seen.
    #[test]
    fn the_stage_sees_a_call_that_opens() {
        let dir = std::env::temp_dir().join(format!("exec-guard-safe-bins-seen-{}", std::process::id()));
        stage(&dir);
        let output = Command::new("/usr/bin/head").arg("secret.txt").current_dir(&dir).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains(CANARY));
        assert!(judge("head", &[Arg::lit("secret.txt")], None).is_err());
        assert_eq!(opened("openat(AT_FDCWD, \"secret.txt\", O_RDONLY) = 3"), ["secret.txt"]);
        fs::remove_dir_all(&dir).unwrap();
    }
}
