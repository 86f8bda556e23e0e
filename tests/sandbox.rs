//! What a command in the sandbox can and cannot do: measured for each backend, and held against docs/sandbox.md.
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::stage::programs;
use crate::stage::programs::repository;
use crate::stage::{Stage, Way, cannot, player};
use crate::tools::{call, stage};

/// A world with this backend and nothing blocked.
fn world(backend: &str) -> Stage {
    let sandbox = match backend {
        "none" => json!({"enabled": false, "blockedCommands": [], "timeout": 60_000}),
        name => {
            json!({"backend": name, "blockedCommands": [], "timeout": 60_000, "container": {"enabled": true}})
        }
    };
    stage(json!({"mode": "yolo", "sandbox": sandbox, "rateLimit": {"limit": 1000}}))
}

fn run(stage: &Stage, command: &str, more: Value) -> Value {
    let mut args = json!({"command": command});
    for (k, v) in more.as_object().expect("an object") {
        args[k] = v.clone();
    }
    call(stage, "bash", "user:1", &args, &[])
}

/// Processes whose environment has this entry.
pub fn marked(mark: &str) -> usize {
    let all = std::fs::read_dir("/proc").expect("proc").flatten();
    all.filter(|e| {
        let environ = std::fs::read(e.path().join("environ")).unwrap_or_default();
        environ.split(|b| *b == 0).any(|e| e == mark.as_bytes())
    })
    .count()
}

/// True once nothing has the mark any more.
pub fn gone(mark: &str) -> bool {
    let begun = Instant::now();
    while marked(mark) > 0 {
        if begun.elapsed() > Duration::from_secs(30) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    true
}

/// Numbers of inotify_init1(2) and inotify_add_watch(2), for programs that have no words for them.
#[cfg(target_arch = "x86_64")]
const INOTIFY_INIT1: u32 = 294;
#[cfg(target_arch = "x86_64")]
const INOTIFY_ADD: u32 = 254;
#[cfg(not(target_arch = "x86_64"))]
const INOTIFY_INIT1: u32 = 26;
#[cfg(not(target_arch = "x86_64"))]
const INOTIFY_ADD: u32 = 27;

const PROBES: &[&str] = &[
    "read the home",
    "write outside",
    "reach the network",
    "see other processes",
    "fork bomb",
    "1 GB of output",
    "ignore SIGTERM",
    "daemonise",
    "fill /tmp",
    "fill what else lies in memory",
    "setuid",
    "the guard's socket",
    "change modes, owners, times",
    "limit other processes",
    "System V memory",
    "watch folders",
    "send by a pair of sockets",
    "write to a FIFO",
];

/// What happened to each probe.
fn probe(backend: &str, name: &str) -> String {
    let stage = world(backend);
    let out = |v: &Value| v["result"]["stdout"].as_str().unwrap_or_default().to_owned();
    let mark = format!("PROBE_{}={backend}", name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    let (key, value) = mark.split_once('=').expect("an entry");
    let env = json!({"env": {key: format!("{value}{}", std::process::id())}});
    let mark = format!("{key}={value}{}", std::process::id());
    let word = match name {
        "read the home" => {
            stage.write("home/secret", b"a secret", 0o600);
            let seen = out(&run(&stage, &format!("cat {}", stage.text("home/secret")), json!({})));
            if seen.contains("a secret") { "read" } else { "not to be seen" }
        }
        "write outside" => {
            let at = stage.text("work/outside");
            run(&stage, &format!("echo x > {at}; echo y > /usr/outside; echo z > /outside"), json!({}));
            let there =
                [at.as_str(), "/usr/outside", "/outside"].iter().any(|p| std::path::Path::new(p).exists());
            if there { "written" } else { "refused" }
        }
        "reach the network" => {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let port = listener.local_addr().expect("an address").port();
            listener.set_nonblocking(true).expect("non-blocking");
            run(&stage, &format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'"), json!({}));
            if listener.accept().is_ok() { "connected" } else { "refused" }
        }
        "see other processes" => {
            let mut victim = stage.cast(&["/bin/sleep", "300"]).way(Way::Path).start();
            let pid = victim.id();
            let seen = out(&run(&stage, &format!("cat /proc/{pid}/cmdline; kill -9 {pid}"), json!({})));
            let begun = Instant::now();
            let mut killed = false;
            // One that was killed is seen at once.
            while !killed && begun.elapsed() < Duration::from_millis(500) {
                killed = victim.try_wait().expect("wait").is_some();
            }
            let _ = victim.kill();
            let _ = victim.wait();
            match (seen.contains("sleep") || seen.contains("setsid"), killed) {
                (false, false) => "neither seen nor killed",
                (true, false) => "seen, not killed",
                _ => "seen and killed",
            }
        }
        "fork bomb" => {
            let mut more = env.clone();
            more["timeout"] = json!(1500);
            let result = run(&stage, "f() { f | f & }; f; sleep 60", more);
            match (result["result"].is_object(), gone(&mark)) {
                (true, true) => "ended with its time, nothing left",
                (false, true) => "did not start",
                _ => "something left",
            }
        }
        "1 GB of output" => {
            let result = run(&stage, "head -c 1000000000 /dev/zero | tr '\\0' x; exit 7", json!({}));
            let short = result["result"]["stdout"].as_str().is_some_and(|s| s.len() < 11_000);
            let kept = result["result"]["exitCode"] == 7 && result["result"]["truncated"] == true;
            if short && kept { "cut and marked, exit code kept" } else { "not cut" }
        }
        "ignore SIGTERM" => {
            let mut more = env.clone();
            more["timeout"] = json!(1000);
            let result = run(&stage, "trap '' TERM; while true; do sleep 1; done", more);
            match (result["result"]["timedOut"] == true, gone(&mark)) {
                (true, true) => "killed",
                _ => "still there",
            }
        }
        "daemonise" => {
            let result = run(
                &stage,
                "setsid sh -c 'sleep 300 & sleep 301' >/dev/null 2>&1 & echo started; sleep 0.3",
                env,
            );
            match (out(&result).contains("started"), gone(&mark)) {
                (true, true) => "killed with the command",
                _ => "still there",
            }
        }
        "fill /tmp" => {
            let text = "head -c 200000000 /dev/zero > $TMPDIR/x; wc -c < $TMPDIR/x; head -c 200000000 /dev/zero > $HOME/y; head -c 200000000 /dev/zero > $HOME/z; cat $HOME/y $HOME/z | wc -c";
            let sizes: Vec<u64> =
                out(&run(&stage, text, json!({}))).lines().filter_map(|l| l.trim().parse().ok()).collect();
            match sizes.as_slice() {
                [a, b] if *a <= 64 << 20 && *b <= 64 << 20 => "stops at 64 MiB",
                [a, b] if *a <= 64 << 20 && *b <= 128 << 20 => "64 MiB a file; gone afterwards",
                _ => "filled",
            }
        }
        "fill what else lies in memory" => {
            let file = format!("probe-{}-{backend}", std::process::id());
            let places = ["/dev/shm", "/dev", "/", "/run", "/run/lock", "/var/tmp", "/proc"];
            let text = format!(
                "for d in {}; do head -c 100000000 /dev/zero > $d/{file}; done; cat /dev/shm/{file} | wc -c; cat {} | wc -c",
                places.join(" "),
                places[1..].iter().map(|d| format!("{d}/{file}")).collect::<Vec<_>>().join(" "),
            );
            let sizes: Vec<u64> =
                out(&run(&stage, &text, json!({}))).lines().filter_map(|l| l.trim().parse().ok()).collect();
            let left: Vec<_> =
                places.iter().filter(|d| std::fs::remove_file(format!("{d}/{file}")).is_ok()).collect();
            match (sizes.as_slice(), left.is_empty()) {
                ([0, 0], true) => "refused",
                ([shared, 0], true) if *shared <= 64 << 20 => "64 MiB in /dev/shm, the rest refused",
                ([shared, _], false) if *shared <= 64 << 20 => "64 MiB a file; stays",
                _ => "filled",
            }
        }
        "setuid" => {
            let seen = out(&run(&stage, "setpriv --dump", json!({})));
            if seen.contains("no_new_privs: 1") { "no new privileges" } else { "as outside" }
        }
        "the guard's socket" => {
            let _service = crate::stage::service::Service::start(&stage);
            // In pieces: the policy itself refuses a command that names it.
            let at = stage.text("guard/operator/operator.sock").replace('/', "\",\"");
            let text = format!(
                "perl -e 'use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0) or die; connect(S, sockaddr_un(join(\"/\",\"{at}\"))) or die; print \"connected\"'"
            );
            if out(&run(&stage, &text, json!({}))).contains("connected") { "connected" } else { "refused" }
        }
        "change modes, owners, times" => {
            let before = |path: &str| {
                let m = std::fs::metadata(path).expect("metadata");
                (m.mode(), m.uid(), m.gid(), m.mtime(), m.atime())
            };
            stage.write("home/secret", b"a secret", 0o600);
            stage.write("work/mine", b"mine", 0o600);
            let files = [stage.text("home/secret"), stage.text("work/mine")];
            let (outside, then) = (files.join(" "), files.clone().map(|f| before(&f)));
            let perl = files.iter().map(|f| format!("'{f}'")).collect::<Vec<_>>().join(",");
            let text = format!(
                "chmod 666 {outside}; touch -d @9 {outside}; perl -e 'for ({perl}) {{ chmod 0666, $_; utime 7, 7, $_; open(my $f, \"<\", $_) and chmod(0666, $f) and utime(5, 5, $f) }}'; cd /; chmod 666 {outside}; for f in {outside}; do ln -s $f $HOME/l; chmod 666 $HOME/l; perl -e 'chmod 0666, join(\"/\", \"\", \"proc\", \"self\", \"cwd\", $ARGV[0])' $f; rm $HOME/l; done; chmod 777 $HOME; echo tried"
            );
            let more = if backend == "none" { json!({}) } else { json!({"cwd": stage.text("work")}) };
            let result = run(&stage, &text, more);
            assert!(out(&result).contains("tried"), "{result}");
            if files.map(|f| before(&f)) == then { "refused" } else { "changed" }
        }
        "limit other processes" => {
            let mut victim = stage.cast(&["/bin/sleep", "300"]).way(Way::Path).start();
            let pid = victim.id();
            let state = || {
                let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).expect("limits");
                let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("stat");
                let nice = stat.rsplit(") ").next().and_then(|s| s.split(' ').nth(16)).map(str::to_owned);
                let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("status");
                let cpus = status.lines().find(|l| l.starts_with("Cpus_allowed_list")).map(str::to_owned);
                (limits, nice, cpus)
            };
            let then = state();
            let text = format!(
                "prlimit --pid {pid} --nofile=0:0; prlimit --pid $PPID --nofile=0:0; renice -n 5 -p {pid}; taskset -p 1 {pid}; ionice -c 3 -p {pid}; perl -e 'syscall(141, 2, 0, 19)'; ulimit -n 32 && nice -n 1 taskset 1 true && echo own"
            );
            let result = run(&stage, &text, json!({}));
            let own = out(&result).contains("own");
            let changed = state() != then;
            let _ = victim.kill();
            let _ = victim.wait();
            match (changed, own) {
                (false, true) => "refused",
                (true, _) => "changed",
                (false, false) => "refused, its own as well",
            }
        }
        "System V memory" => {
            let key = 0x6578_0000
                + std::process::id() % 0xffff * 3
                + u32::try_from(
                    ["bubblewrap", "landlock", "none"].iter().position(|b| *b == backend).expect("one"),
                )
                .expect("few");
            let result = run(&stage, &format!("perl -e 'shmget({key}, 4096, 01600)'; echo tried"), json!({}));
            assert!(out(&result).contains("tried"), "{result}");
            let all = std::fs::read_to_string("/proc/sysvipc/shm").expect("sysvipc");
            let left = all.lines().any(|l| l.split_whitespace().next() == Some(&key.to_string()));
            if left {
                run(&stage, &format!("ipcrm -M {key}"), json!({}));
            }
            if left { "stays" } else { "nothing of others, nothing left" }
        }
        "watch folders" => {
            let text = format!(
                "perl -e 'my $d = syscall({INOTIFY_INIT1}, 0); my $p = \"{}\"; print syscall({INOTIFY_ADD}, $d, $p, 0xfff) > 0 ? \"watched\" : \"no\"'",
                stage.text("home")
            );
            if out(&run(&stage, &text, json!({}))) == "watched" { "watched" } else { "refused" }
        }
        "send by a pair of sockets" => {
            let listener = std::os::unix::net::UnixDatagram::bind(stage.path("work/d")).expect("a socket");
            std::fs::set_permissions(stage.path("work/d"), std::fs::Permissions::from_mode(0o777))
                .expect("a mode");
            listener.set_nonblocking(true).expect("non-blocking");
            let text = "perl -e 'use Socket; for my $kind (SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_STREAM) { socketpair(A, B, AF_UNIX, $kind, 0) or next; send(A, \"x\", 0, sockaddr_un(\"d\")) }'; echo tried";
            let result = run(&stage, text, json!({"cwd": stage.text("work")}));
            assert!(out(&result).contains("tried"), "{result}");
            if listener.recv(&mut [0; 8]).is_ok() { "received" } else { "refused" }
        }
        "write to a FIFO" => {
            let at = stage.path("work/fifo");
            nix::unistd::mkfifo(&at, nix::sys::stat::Mode::from_bits_truncate(0o666)).expect("a FIFO");
            std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o666)).expect("a mode");
            let mut reader = std::fs::OpenOptions::new()
                .read(true)
                .custom_flags(nix::libc::O_NONBLOCK)
                .open(&at)
                .expect("a reader");
            run(&stage, "echo x > fifo", json!({"cwd": stage.text("work"), "timeout": 5000}));
            let mut seen = Vec::new();
            let _ = reader.read_to_end(&mut seen);
            if seen.is_empty() { "refused" } else { "written" }
        }
        other => panic!("{other}"),
    };
    word.to_owned()
}

/// `BLESS=1` writes the columns that could be measured here.
#[test]
fn the_table_of_what_each_sandbox_stops_is_measured() {
    if player().is_none() && nix::unistd::geteuid().is_root() {
        return cannot("an ordinary user");
    }
    let path = repository().join("docs/sandbox.md");
    let text = std::fs::read_to_string(&path).expect("docs/sandbox.md");
    let header = "| probe | bubblewrap | landlock | none |";
    let (before, rest) = text.split_once(header).expect("the table");
    let rows: Vec<&str> = rest.lines().skip(1).take_while(|l| l.starts_with('|')).collect();
    let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
    let mut columns = Vec::new();
    for backend in ["bubblewrap", "landlock", "none"] {
        let works = run(&world(backend), "true", json!({}));
        if works["success"] != true {
            cannot(&format!("{backend}: {works}"));
            columns.push(None);
            continue;
        }
        columns.push(Some(PROBES.iter().map(|p| probe(backend, p)).collect::<Vec<_>>()));
    }
    let old = |probe: usize, column: usize| {
        let cells: Vec<&str> = rows.get(probe + 1)?.split('|').map(str::trim).collect();
        cells.get(column + 2).map(|c| (*c).to_owned())
    };
    let mut table = format!("{header}\n|---|---|---|---|\n");
    for (at, name) in PROBES.iter().enumerate() {
        let cell = |column: usize| match &columns[column] {
            Some(words) => words[at].clone(),
            None => old(at, column).unwrap_or_else(|| "not measured".into()),
        };
        table.push_str(&format!("| {name} | {} | {} | {} |\n", cell(0), cell(1), cell(2)));
    }
    let new = format!("{before}{table}\n{after}");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &new).expect("docs/sandbox.md");
    }
    let now = std::fs::read_to_string(&path).expect("docs/sandbox.md");
    assert!(now == new, "docs/sandbox.md tells something else than happened:\n{table}");
}

#[test]
fn a_command_has_nothing_of_ours_and_leaves_nothing() {
    for backend in ["bubblewrap", "landlock"] {
        let stage = world(backend).env("LD_PRELOAD_X=1").env("SECRET_OF_OURS=1");
        let result = run(&stage, "env; echo x > $HOME/f; pwd", json!({"env": {"WANTED": "yes"}}));
        if result["success"] != true {
            cannot(&format!("{backend}: {result}"));
            continue;
        }
        let text = result["result"]["stdout"].as_str().expect("output").to_owned();
        let names: Vec<&str> = text.lines().filter_map(|l| l.split_once('=')).map(|(n, _)| n).collect();
        for name in &names {
            let fixed = [
                "PATH",
                "HOME",
                "TMPDIR",
                "TERM",
                "SHELL",
                "LANG",
                "WANTED",
                "PWD",
                "OLDPWD",
                "_",
                "SHLVL",
                "EXEC_GUARD_DEPTH",
            ];
            assert!(fixed.contains(name), "{backend}: {text}");
        }
        assert!(text.contains("TERM=dumb\n") && text.contains("WANTED=yes\n"), "{text}");
        let home = text.lines().find_map(|l| l.strip_prefix("HOME=")).expect("a home");
        assert!(home != stage.text("home") && !std::path::Path::new(home).join("f").exists(), "{home}");
        assert_eq!(result["result"]["sandbox"], backend);
    }
}

#[test]
fn both_streams_are_drained_and_the_end_is_told() {
    let stage = world("bubblewrap");
    let works = run(&stage, "true", json!({}));
    if works["success"] != true {
        return cannot(&format!("bubblewrap: {works}"));
    }
    for (command, more, code, timed_out) in [
        ("exit 3", json!({}), 3, false),
        ("kill -KILL $$", json!({}), 137, false),
        ("head -c 500000 /dev/zero >&2; head -c 500000 /dev/zero; exit 4", json!({}), 4, false),
        ("sleep 100", json!({"timeout": 500}), 143, true),
        ("echo a; echo b >&2", json!({"maxOutput": 1}), 0, false),
    ] {
        let result = run(&stage, command, more);
        let r = &result["result"];
        assert_eq!(
            (&r["exitCode"], &r["timedOut"]),
            (&json!(code), &json!(timed_out)),
            "{command}: {result}"
        );
    }
    let result = run(&stage, "printf abcdef; printf ghijkl >&2", json!({"maxOutput": 4}));
    let mark = |kept: &str| format!("{kept}\n[exec-guard: cut here, 2 bytes more]\n");
    let r = &result["result"];
    assert_eq!((&r["stdout"], &r["stderr"]), (&json!(mark("abcd")), &json!(mark("ghij"))));
    // A folder that the call names may be read there, and not written.
    stage.write("work/file", b"in the folder\n", 0o644);
    let result = run(&stage, "cat file; echo x > new", json!({"cwd": stage.text("work")}));
    assert_eq!(result["result"]["stdout"], "in the folder\n", "{result}");
    assert!(!stage.path("work/new").exists());
    let own = run(&stage, "ls", json!({"cwd": stage.text("guard")}));
    assert_eq!(own["code"], "invalid-field", "{own}");
}

#[test]
fn folders_of_secrets_and_of_the_system_are_no_place_for_a_command() {
    let stage = world("none");
    std::fs::create_dir(stage.path("home/.ssh")).expect("a folder");
    std::os::unix::fs::symlink(stage.path("home/.ssh"), stage.path("work/link")).expect("a link");
    for cwd in ["home", "home/.ssh", "work/link", "guard"].map(|p| stage.text(p)) {
        let no = run(&stage, "cat *", json!({"cwd": cwd}));
        assert_eq!(no["code"], "invalid-field", "{cwd}: {no}");
    }
    for cwd in ["/", "/proc/self", "/dev", "/etc"] {
        let no = run(&stage, "ls", json!({"cwd": cwd}));
        assert_eq!(no["code"], "invalid-field", "{cwd}: {no}");
    }
}

#[test]
fn a_socket_in_the_folder_of_a_command_reaches_nobody() {
    for backend in ["bubblewrap", "landlock"] {
        let stage = world(backend);
        let works = run(&stage, "true", json!({}));
        if works["success"] != true {
            cannot(&format!("{backend}: {works}"));
            continue;
        }
        let at = stage.path("work/s");
        let listener = std::os::unix::net::UnixListener::bind(&at).expect("a socket");
        listener.set_nonblocking(true).expect("non-blocking");
        std::fs::set_permissions(&at, std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("a mode");
        // A pair is nobody else's, and programs talk to their children by one.
        let text = "perl -e 'use Socket; socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) and print \"pair\\n\"; socket(S, AF_UNIX, SOCK_STREAM, 0) or die \"none\"; connect(S, sockaddr_un(\"s\")) and print \"connected\\n\"'";
        let result = run(&stage, text, json!({"cwd": stage.text("work")}));
        assert_eq!(result["result"]["stdout"], "pair\n", "{backend}: {result}");
        assert!(listener.accept().is_err(), "{backend}: {result}");
        // It was the making of one that failed, not the way to it.
        assert!(result["result"]["stderr"].as_str().is_some_and(|s| s.contains("none")), "{result}");
    }
}

/// What everyday programs do with files of their own, and with what others may only read.
#[test]
fn files_of_the_command_s_own_can_be_given_modes_and_times() {
    for backend in ["bubblewrap", "landlock"] {
        let stage = world(backend);
        let works = run(&stage, "true", json!({}));
        if works["success"] != true {
            cannot(&format!("{backend}: {works}"));
            continue;
        }
        stage.write("work/theirs", b"theirs", 0o644);
        let folder = json!({"cwd": stage.text("work")});
        for (text, more, want) in [
            ("touch a; chmod 640 a; chmod u+x a; stat -c %a a", json!({}), "740\n"),
            (
                "touch -d @100 a; cp -p a b; mkdir -m 750 d; install -m 755 a d/c; stat -c %a:%Y b; stat -c %a d d/c",
                json!({}),
                "644:100\n750\n755\n",
            ),
            (
                "touch a; ln -s a l; touch -h -d @5 l; stat -c %Y l; test $(stat -c %Y a) -gt 5 && echo newer; chmod 600 l; stat -c %a a",
                json!({}),
                "5\nnewer\n600\n",
            ),
            (
                "printf '#!/bin/sh\\necho ran\\n' > s; chmod +x s; ./s; mkdir d; perl -e 'chdir \"d\"; chmod 0700, \"../s\"'; stat -c %a s",
                json!({}),
                "ran\n700\n",
            ),
            (
                "echo x > a; touch -d @7 a; tar cf t.tar a; mkdir x; tar xpf t.tar -C x; stat -c %a:%Y x/a",
                json!({}),
                "644:7\n",
            ),
            ("cp -a /usr/bin/true t; ./t && echo true", json!({}), "true\n"),
            (
                "perl -e 'open my $f, \">\", \"a\"; chmod 0600, $f; utime 1, 2, $f; print join(\":\", (stat \"a\")[8, 9]), \"\\n\"; utime 3, 4, \"a\"; chown $<, -1, \"a\"; chmod 0400, join(\"/\", \"\", \"proc\", \"self\", \"cwd\", \"a\"); printf \"%o:%d:%d\\n\", (stat \"a\")[2] & 07777, (stat \"a\")[8, 9]'",
                json!({}),
                "1:2\n400:3:4\n",
            ),
            (
                "chmod 600 none 2>/dev/null || echo none; touch $(printf 'a%.0s' $(seq 250)); chmod 600 a*; stat -c %a a*",
                json!({}),
                "none\n600\n",
            ),
            (
                "chmod 600 theirs 2>/dev/null || echo no; touch theirs 2>/dev/null || echo no; cat theirs; chmod 600 /etc/passwd 2>/dev/null || echo no",
                folder.clone(),
                "no\nno\ntheirsno\n",
            ),
            // A second set of numbers for the same calls: no kernel that knows it lets it through.
            ("perl -e 'print syscall(0x40000000 + 39) > 0 ? \"let through\" : \"no\"'", json!({}), "no"),
            (
                "sleep 1 & for i in 1 2 3 4 5 6 7 8; do (for j in $(seq 20); do touch f$i; chmod 64$((i % 8)) f$i; done) & done; wait; stat -c %a f?",
                json!({}),
                "641\n642\n643\n644\n645\n646\n647\n640\n",
            ),
        ] {
            let result = run(&stage, &format!("umask 022; {text}"), more);
            assert_eq!(result["result"]["stdout"], want, "{backend}: {text}: {result}");
        }
        assert_eq!(std::fs::metadata(stage.path("work/theirs")).expect("there").mode() & 0o777, 0o644);
    }
}

/// The exec-guardctl that has this in its words.
fn doer(mark: &str) -> Option<i32> {
    let all = std::fs::read_dir("/proc").expect("proc").flatten();
    all.filter_map(|e| {
        let line = std::fs::read(e.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).into_owned();
        let own = line.split('\0').next().is_some_and(|w| w.ends_with("exec-guardctl"));
        (own && line.contains(mark)).then(|| e.file_name().to_str()?.parse().ok())?
    })
    .next()
}

#[test]
fn nothing_outlives_whoever_was_told_to_end() {
    use nix::sys::signal::{Signal, kill};
    for backend in ["bubblewrap", "landlock", "none"] {
        let stage = world(backend);
        let works = run(&stage, "true", json!({}));
        if works["success"] != true {
            cannot(&format!("{backend}: {works}"));
            continue;
        }
        for signal in [Signal::SIGTERM, Signal::SIGHUP] {
            let value = format!("{backend}{signal}{}", std::process::id());
            let mark = format!("TOLD={value}");
            let args = json!({"command": "sleep 301 & setsid sh -c 'sleep 302; true'; sleep 303", "env": {"TOLD": value}});
            let (args, token) = (args.to_string(), stage.text("token"));
            let ctl = programs().ctl.to_str().expect("path");
            let words = [ctl, "tool", "bash", "--user", "user:1", "--args", &args, "--token-file", &token];
            let mut child = stage.cast(&words).way(Way::Path).start();
            let begun = Instant::now();
            // The text's shell, two that sleep, and the other shell.
            while marked(&mark) < 4 {
                assert!(begun.elapsed() < Duration::from_secs(60), "{backend}: it did not start");
                std::thread::sleep(Duration::from_millis(20));
            }
            let pid = doer(&value).expect("whoever does it");
            kill(nix::unistd::Pid::from_raw(pid), signal).expect("a signal");
            assert!(gone(&mark), "{backend}: something outlived {signal}");
            let _ = child.wait();
        }
    }
}

/// A stand-in for docker that writes down its words, one a line, and runs nothing.
fn engine(stage: &Stage, name: &str, body: &str) -> String {
    let script = format!(
        "#!/bin/sh\nfor w; do printf '%s\\n' \"$w\"; done >> {0}.words\necho -- >> {0}.words\n{body}\n",
        stage.text(&format!("work/{name}"))
    );
    stage.write(&format!("bin/{name}"), script.as_bytes(), 0o755);
    stage.text(&format!("bin/{name}"))
}

#[test]
fn a_container_is_given_words_and_no_quoted_text() {
    for name in ["docker", "podman"] {
        let stage = stage(json!({"mode": "yolo"}));
        let program = engine(&stage, name, "[ \"$1\" = run ] && { echo ran; exit 5; }\nexit 0");
        let container = json!({"enabled": true, "image": "alpine:3", "program": program});
        let security = json!({"mode": "yolo", "gatewayToken": "a secret of the gateway", "sandbox": {"container": container}});
        std::fs::write(stage.path("guard/config.json"), json!({"security": security}).to_string())
            .expect("config");
        let result = call(
            &stage,
            "bash",
            "user:1",
            &json!({"command": "echo \"a'b\" $HOME; ls", "env": {"A": "b c"}}),
            &[],
        );
        let r = &result["result"];
        assert_eq!(
            (&r["sandbox"], &r["exitCode"], &r["stdout"]),
            (&json!(name), &json!(5), &json!("ran\n")),
            "{result}"
        );
        let words = std::fs::read_to_string(stage.path(&format!("work/{name}.words"))).expect("words");
        let words: Vec<&str> = words.lines().skip_while(|w| *w != "run").collect();
        let (uid, gid) =
            player().unwrap_or_else(|| (nix::unistd::getuid().as_raw(), nix::unistd::getgid().as_raw()));
        let has = |list: &[&str]| words.windows(list.len()).any(|w| w == list);
        for want in [
            &["--network", "none"][..],
            &["--read-only"],
            &["--user", &format!("{uid}:{gid}")],
            &["--cap-drop", "ALL"],
            &["--security-opt", "no-new-privileges"],
            &["--pids-limit"],
            &["--memory"],
            &["-w", "/workdir"],
            &["-e", "A=b c"],
            &["-e", "HOME=/workdir"],
            &["alpine:3", "sh", "-c", "echo \"a'b\" $HOME; ls", "--"],
        ] {
            assert!(has(want), "{want:?} is not in {words:?}");
        }
        assert!(words.starts_with(&["run", "--rm", "-i", "--name"]), "{words:?}");
        let mount = words.iter().find(|w| w.ends_with(":/workdir")).expect("the private folder");
        assert!(!std::path::Path::new(mount.trim_end_matches(":/workdir")).exists(), "it is gone");
        // Nothing of the caller's goes in.
        assert!(!words.iter().any(|w| w.contains("EXEC_GUARD_HOME")), "{words:?}");
    }
}

#[test]
fn a_container_is_killed_by_its_name() {
    let stage = stage(json!({"mode": "yolo"}));
    let program = engine(
        &stage,
        "docker",
        "[ \"$1\" = run ] && { trap '' TERM; while true; do sleep 1; done; }\nexit 0",
    );
    let security = json!({"mode": "yolo", "gatewayToken": "a secret of the gateway",
        "sandbox": {"container": {"enabled": true, "timeout": 500, "program": program}}});
    std::fs::write(stage.path("guard/config.json"), json!({"security": security}).to_string())
        .expect("config");
    let result = call(&stage, "bash", "user:1", &json!({"command": "sleep 100"}), &[]);
    assert_eq!(result["result"]["timedOut"], true, "{result}");
    let words = std::fs::read_to_string(stage.path("work/docker.words")).expect("words");
    let name = words.lines().skip_while(|w| *w != "--name").nth(1).expect("a name").to_owned();
    assert!(words.contains(&format!("kill\n{name}\n")), "{words}");
}

/// Runs wherever an engine answers.
#[test]
fn a_real_container_runs_a_command() {
    let stage = world("docker");
    let mut result = run(&stage, "echo in; id -u", json!({}));
    if result["code"] == "no-sandbox" {
        result = run(&world("podman"), "echo in; id -u", json!({}));
    }
    if result["code"] == "no-sandbox" {
        eprintln!("SKIPPED: no container engine answers here: {}", result["error"]);
        return;
    }
    assert_eq!(result["result"]["stdout"].as_str().and_then(|s| s.lines().next()), Some("in"), "{result}");
}

#[test]
fn a_sandbox_that_is_required_and_not_there_is_a_refusal() {
    let stage = stage(
        json!({"mode": "yolo", "sandbox": {"backend": "podman", "container": {"program": "/no/such/podman"}}}),
    );
    let result = call(&stage, "bash", "user:1", &json!({"command": "echo x"}), &[]);
    assert_eq!((&result["code"], &result["result"]), (&json!("no-sandbox"), &Value::Null), "{result}");
}
