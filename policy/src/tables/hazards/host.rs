//! Programs that steer this host, or watch it.
use super::Category::{Deletes, InlineCode, LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{DASH, EXACT, GNU, Opts, POSIX, Program, Test, When, row};
use crate::tables::words::words;

const WRITES: &str = "writes over a file of the caller's choice";

const PROGRAM: &str = "runs a program of the caller's choice";

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["mail", "mailx", "mutt", "neomutt", "sendmail", "msmtp", "swaks", "s-nail"],
        opts: Opts::new(EXACT, "a:A:b:c:C:e:E:f:F:H:i:r:s:S:u:q:", "exec= attach= file= config-verify"),
        rows: &[
            row(
                When::Opt("--exec -e -E -S -C -F"),
                RunsProgram,
                "runs mailer commands, of which some run a shell",
                "mail(1) --exec; GTFOBins mail",
                "--exec='!id'",
            ),
            row(When::Always, Uploads, "sends its input away", "mail(1)", "-s x a@b"),
        ],
        subs: &[],
    },
    Program {
        names: &["ip", "bridge", "tc"],
        opts: Opts::new(DASH, "", "b= batch= n= netns="),
        rows: &[
            row(
                When::Path("netns exec"),
                RunsProgram,
                PROGRAM,
                "ip-netns(8) exec; GTFOBins ip",
                "netns exec x id",
            ),
            row(When::Path("vrf exec"), RunsProgram, PROGRAM, "ip-vrf(8) exec", "vrf exec x id"),
            row(
                When::Opt("--b --batch --force"),
                Uploads,
                "runs, and shows, the lines of a file",
                "ip(8) -batch; GTFOBins ip",
                "-force -batch x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["iptables", "ip6tables", "nft", "iptables-restore"],
        opts: Opts::new(EXACT, "f:", "modprobe= file="),
        rows: &[row(
            When::Opt("--modprobe"),
            RunsProgram,
            PROGRAM,
            "iptables(8) --modprobe",
            "--modprobe=./x -L",
        )],
        subs: &[],
    },
    Program {
        names: &["code", "codium", "cursor", "subl", "atom", "zed"],
        opts: Opts::new(
            EXACT,
            "g:d:",
            "install-extension= extensions-dir= user-data-dir= extensionDevelopmentPath= command=",
        ),
        rows: &[row(
            When::Opt(
                "--install-extension --extensions-dir --user-data-dir --extensionDevelopmentPath --command",
            ),
            LoadsCode,
            "loads extensions, which are code",
            "code --help",
            "--install-extension x",
        )],
        subs: &[],
    },
    Program {
        names: &[
            "chrome",
            "google-chrome",
            "chromium",
            "chromium-browser",
            "firefox",
            "brave-browser",
            "msedge",
        ],
        opts: Opts::new(EXACT, "P:", "profile="),
        rows: &[row(
            When::Word(Test::Starts(words![
                "--renderer-cmd-prefix",
                "--gpu-launcher",
                "--utility-cmd-prefix",
                "--load-extension",
                "--remote-debugging",
                "--browser-subprocess-path",
                "--ppapi-plugin",
                "--register-pepper",
                "--print-to-pdf",
                "--screenshot=",
                "-screenshot",
            ])),
            RunsProgram,
            "runs a program, loads an extension, opens a control port or writes a file",
            "Chromium command line switches",
            "--gpu-launcher=x http://y",
        )],
        subs: &[],
    },
    Program {
        names: &["snap", "flatpak"],
        opts: Opts::new(EXACT, "", "command= devel shell dangerous"),
        rows: &[row(
            When::Opt("--shell --command --dangerous --devmode --classic --share --filesystem"),
            RunsProgram,
            "opens a shell, or loosens the box around an application",
            "snap run --shell; flatpak run --command",
            "run --shell x",
        )],
        subs: &[],
    },
    Program {
        names: &["systemctl", "loginctl", "machinectl"],
        opts: Opts::new(
            GNU,
            "H:M:t:p:n:o:s:",
            "host= machine= root= property= type= state= lines= output= job-mode=",
        ),
        rows: &[
            row(
                When::Path("edit|link|set-environment|import-environment|shell|login"),
                RunsProgram,
                "adds a unit, a variable of every unit, or opens a shell",
                "systemctl(1) link; GTFOBins systemctl",
                "link ./x.service",
            ),
            row(
                When::All(&[When::Path("enable|reenable|start"), When::From(1, Test::HasSlash)]),
                RunsProgram,
                "adds a unit from a file",
                "systemctl(1) enable",
                "enable /tmp/x.service",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["journalctl"],
        opts: Opts::new(
            GNU,
            "n:o:u:t:p:S:U:b::D:i:M:g:F:",
            "vacuum-size= vacuum-time= vacuum-files= cursor-file= output= unit=",
        ),
        rows: &[
            row(
                When::Opt("--vacuum-size --vacuum-time --vacuum-files"),
                Deletes,
                "deletes archived journals",
                "journalctl(1) --vacuum-size",
                "--vacuum-size=1K",
            ),
            row(
                When::Opt("--cursor-file"),
                WritesFile,
                WRITES,
                "journalctl(1) --cursor-file",
                "--cursor-file=x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["strace", "ltrace", "valgrind", "perf", "bpftrace", "dtrace"],
        opts: Opts::new(
            POSIX,
            "o:e:p:s:E:a:b:I:O:S:u:P:X:n:c:x:",
            "output= log-file= xml-file= db-command= trace-children= tool= suppressions= trace=",
        ),
        rows: &[
            row(
                When::Val("-o --output --log-file --xml-file", Test::File),
                WritesFile,
                WRITES,
                "strace(1) -o; valgrind(1) --log-file",
                "-o x id",
            ),
            row(
                When::Opt("--db-command"),
                RunsProgram,
                PROGRAM,
                "valgrind(1) --db-command",
                "--db-command=x id",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["bpftrace"],
        opts: Opts::new(POSIX, "e:c:p:f:o:", "unsafe"),
        rows: &[
            row(When::Opt("-e"), InlineCode, "evaluates a tracing program", "bpftrace(8) -e", "-e x"),
            row(
                When::Opt("-c --unsafe"),
                RunsProgram,
                "runs a program, or lets the tracing program do so",
                "bpftrace(8) -c, --unsafe",
                "-c ./x x.bt",
            ),
        ],
        subs: &[],
    },
];
