//! git: options, settings and sub-commands that reach further than their name says.
use super::Category::{LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{EXACT_POSIX, GNU, Opts, Program, Row, Sub, Test, When, row};
use crate::tables::words::words;

/// The family.
pub(super) const PROGRAMS: &[Program] = &[Program {
    names: &["git"],
    opts: Opts::new(
        EXACT_POSIX,
        "c:C:",
        "git-dir= work-tree= namespace= super-prefix= config-env= exec-path=? attr-source= shallow-file= list-cmds=?",
    ),
    rows: GLOBAL,
    subs: SUBS,
}];

const SETTING: &str = "a setting given to git can name a program that git runs";
const TRANSPORT: &str = "names the program that git runs as the other side of the transport";
const HELPER: &str = "an address of the form helper::address makes git run that helper, `ext::` any command";
const OUTPUT: &str = "writes the output over a file";

const GLOBAL: &[Row] = &[
    row(When::Val("-c", Test::GitSetting), RunsProgram, SETTING, "git-config(1)", "-c core.pager=x log"),
    row(
        When::Val("--config-env", Test::GitSetting),
        RunsProgram,
        SETTING,
        "git(1) --config-env",
        "--config-env=core.pager=X log",
    ),
    row(
        When::Val("--exec-path", Test::Any),
        RunsProgram,
        "takes git's own sub-programs from another folder",
        "git(1) --exec-path",
        "--exec-path=. status",
    ),
    row(
        When::Nth(0, Test::HasSlash),
        RunsProgram,
        "runs a program of that name behind `git-`, in a folder of the caller's",
        "git(1), `git help -a`: external commands",
        "x/evil",
    ),
    row(
        When::Val("--git-dir", Test::Not(words![".git", "./.git"])),
        RunsProgram,
        "uses another repository's configuration, which can name programs",
        "git(1) --git-dir",
        "--git-dir=b status",
    ),
    row(
        When::Val("--work-tree", Test::Not(words![".", "./"])),
        WritesFile,
        "works in another folder than the one whose history it is",
        "git(1) --work-tree",
        "--work-tree=x checkout y",
    ),
];

/// What merges: git joins the name to `git-merge-` and runs that program. Source: git-merge(1), MERGE STRATEGIES.
const STRATEGIES: Test = Test::Not(words!["ort", "recursive", "resolve", "octopus", "ours", "subtree"]);

const STRATEGY: &str = "a strategy that git does not know is a program";

const TEMPLATE: Row = row(
    When::Val("--template", Test::Not(words!["", "/dev/null"])),
    RunsProgram,
    "copies hooks from a folder; git runs them",
    "git-init(1) --template",
    "--template=t x",
);

/// Options of everything that shows differences.
const DIFF: Opts = Opts::new(
    GNU,
    "S:G:O:l:n:L:U::M::C::B::X::W",
    "output= format=? pretty=? grep= author= committer= since= until= after= before= max-count= skip= \
     diff-filter= word-diff-regex= stat=? ext-diff no-ext-diff exit-code output-indicator-new= \
     output-indicator-old= output-indicator-context= orderfile= decorate-refs= glob= exclude= date=",
);

/// Those of format-patch, where `-o` is a folder.
const DIFF_TO_FOLDER: Opts = Opts::new(
    GNU,
    "o:v:U::M::C::B::n::",
    "output-directory= start-number= subject-prefix= suffix= to= cc= from=? in-reply-to= base= reroll-count= \
     range-diff= interdiff= cover-from-description= signature= signature-file= output=",
);

const DIFF_ROWS: &[Row] = &[
    row(When::Val("--output", Test::File), WritesFile, OUTPUT, "git-diff(1) --output", "--output=x HEAD"),
    row(
        When::Opt("--ext-diff"),
        RunsProgram,
        "runs the difference program the configuration or attributes name",
        "git-log(1) --ext-diff",
        "-p --ext-diff",
    ),
];

const TRANSPORT_ROWS: &[Row] = &[
    row(
        When::Opt("--upload-pack --receive-pack --exec"),
        RunsProgram,
        TRANSPORT,
        "git-fetch(1) --upload-pack, git-push(1) --receive-pack",
        "ls-remote --upload-pack=x .",
    ),
    row(
        When::Operand(Test::GitTransport),
        RunsProgram,
        HELPER,
        "gitremote-helpers(7), git-remote-ext(1)",
        "clone 'ext::sh -c id'",
    ),
    row(
        When::Val("--repo", Test::GitTransport),
        RunsProgram,
        HELPER,
        "git-push(1) --repo",
        "push --repo=ext::x",
    ),
];

const OUTSIDE_OUTPUT: &str = "writes files outside the working folder";

const OUTSIDE: &str = "reads files outside the repository";

const SEPARATE: Row = row(
    When::Opt("--separate-git-dir"),
    WritesFile,
    "makes a repository's folder wherever the word says",
    "git-init(1) --separate-git-dir",
    "--separate-git-dir=x y",
);

const SUBS: &[Sub] = &[
    Sub {
        names: &[
            "diff",
            "show",
            "log",
            "whatchanged",
            "pickaxe",
            "diff-tree",
            "diff-index",
            "diff-files",
            "range-diff",
            "format-patch",
            "stash",
            "reflog",
            "rev-list",
            "cherry",
            "merge-tree",
            "blame",
            "annotate",
        ],
        opts: DIFF,
        rows: DIFF_ROWS,
    },
    Sub {
        names: &["shortlog"],
        // `-n` and `-s` are flags here.
        opts: Opts::new(GNU, "w::", "output= format=? group= date= decorate=? word-diff=?"),
        rows: DIFF_ROWS,
    },
    Sub {
        names: &["diff"],
        opts: DIFF,
        rows: &[row(
            When::Opt("--no-index"),
            Uploads,
            OUTSIDE,
            "git-diff(1) --no-index",
            "diff --no-index /dev/null secret",
        )],
    },
    Sub {
        names: &[
            "fetch",
            "pull",
            "clone",
            "fetch-pack",
            "push",
            "send-pack",
            "remote",
            "submodule",
            "subtree",
        ],
        opts: Opts::new(
            GNU,
            "j:b:o:",
            "upload-pack= receive-pack= exec= depth= deepen= jobs= filter= server-option= push-option= \
             refmap= negotiation-tip= branch= origin= config= template= reference= reference-if-able= \
             separate-git-dir= shallow-since= shallow-exclude= bundle-uri= repo= sort= name=",
        ),
        rows: TRANSPORT_ROWS,
    },
    Sub {
        names: &["ls-remote"],
        // `-b` and `--branches` are flags since 2.46.
        opts: Opts::new(GNU, "o:", "upload-pack= exec= server-option= sort="),
        rows: TRANSPORT_ROWS,
    },
    Sub {
        names: &["pull"],
        opts: Opts::new(EXACT_POSIX, "", ""),
        rows: &[row(
            // The operands go to `git fetch` without the `--` before them.
            When::Anywhere(Test::Starts(words!["--upl"])),
            RunsProgram,
            TRANSPORT,
            "builtin/pull.c: run_fetch",
            "pull -- --upload-pack=x .",
        )],
    },
    Sub {
        names: &["clone"],
        opts: Opts::new(
            GNU,
            "j:b:o:u:c:",
            "upload-pack= depth= jobs= filter= server-option= branch= origin= config= template= reference= \
             reference-if-able= separate-git-dir= shallow-since= shallow-exclude= bundle-uri=",
        ),
        rows: &[
            row(When::Opt("-u"), RunsProgram, TRANSPORT, "git-clone(1) -u", "clone -u x . c"),
            row(
                When::Val("-c --config", Test::GitSetting),
                RunsProgram,
                SETTING,
                "git-clone(1) -c",
                "clone -c core.hooksPath=h . c",
            ),
            TEMPLATE,
            SEPARATE,
        ],
    },
    Sub {
        names: &["init", "init-db"],
        opts: Opts::new(GNU, "b:", "template= separate-git-dir= object-format= initial-branch= ref-format="),
        rows: &[TEMPLATE, SEPARATE],
    },
    Sub {
        names: &["push"],
        opts: Opts::new(GNU, "o:", "receive-pack= exec= push-option= repo= recurse-submodules="),
        rows: &[row(
            When::Nth(0, Test::GitHost),
            Uploads,
            "sends the repository to an address that is none of its remotes",
            "git-push(1)",
            "push https://example.org/x main",
        )],
    },
    Sub {
        names: &["remote"],
        opts: Opts::new(GNU, "t:m:", ""),
        rows: &[row(
            When::Path("set-url"),
            Uploads,
            "later pushes go to another address",
            "git-remote(1) set-url",
            "remote set-url origin https://example.org/x",
        )],
    },
    Sub {
        names: &["grep"],
        opts: Opts::new(
            GNU,
            "e:+f:A:B:C:m:O::",
            "open-files-in-pager=? max-depth= threads= after-context= before-context= context= max-count= or",
        ),
        rows: &[
            row(
                When::Opt("-O --open-files-in-pager"),
                RunsProgram,
                "opens the matching files in a program",
                "git-grep(1) -O",
                "grep -Ox q",
            ),
            row(
                When::Opt("--no-index"),
                Uploads,
                OUTSIDE,
                "git-grep(1) --no-index",
                "grep --no-index x /etc",
            ),
        ],
    },
    Sub {
        names: &["archive"],
        opts: Opts::new(
            GNU,
            "o:",
            "output= format= prefix= remote= exec= add-file= add-virtual-file= mtime=",
        ),
        rows: &[
            row(
                When::Val("-o --output", Test::File),
                WritesFile,
                OUTPUT,
                "git-archive(1) -o",
                "archive -o x HEAD",
            ),
            row(
                When::Opt("--exec"),
                RunsProgram,
                TRANSPORT,
                "git-archive(1) --exec",
                "archive --exec=x --remote=. HEAD",
            ),
            row(
                When::Val("--remote", Test::GitTransport),
                RunsProgram,
                HELPER,
                "git-archive(1) --remote",
                "archive --remote=ext::x HEAD",
            ),
            row(
                When::Opt("--add-file"),
                Uploads,
                OUTSIDE,
                "git-archive(1) --add-file",
                "archive --add-file=/etc/passwd HEAD",
            ),
        ],
    },
    Sub {
        names: &["rebase"],
        opts: Opts::new(
            GNU,
            "x:s:X:S::C:",
            "exec= onto= strategy= strategy-option= whitespace= empty= gpg-sign=? rebase-merges=?",
        ),
        rows: &[
            row(
                When::Opt("-x --exec"),
                RunsProgram,
                "runs a shell line after each commit",
                "git-rebase(1) --exec",
                "rebase --exec x HEAD~1",
            ),
            row(
                When::Val("-s --strategy", STRATEGIES),
                RunsProgram,
                STRATEGY,
                "git-rebase(1) --strategy",
                "rebase -s ../x o",
            ),
        ],
    },
    Sub {
        names: &["merge", "pull"],
        opts: Opts::new(
            GNU,
            "s:X:m:F:S::j:o:",
            "strategy= strategy-option= file= cleanup= into-name= gpg-sign=? upload-pack= depth= deepen= jobs= \
             server-option= refmap= negotiation-tip= shallow-since= shallow-exclude= message",
        ),
        rows: &[row(
            When::Val("-s --strategy", STRATEGIES),
            RunsProgram,
            STRATEGY,
            "git-merge(1) --strategy",
            "merge -s ../x o",
        )],
    },
    Sub {
        // `-s` signs off here.
        names: &["cherry-pick", "revert"],
        opts: Opts::new(GNU, "m:X:S::", "mainline= strategy= strategy-option= cleanup= gpg-sign=?"),
        rows: &[row(
            When::Val("--strategy", STRATEGIES),
            RunsProgram,
            STRATEGY,
            "git-cherry-pick(1) --strategy",
            "cherry-pick --strategy=../x o",
        )],
    },
    Sub {
        names: &["bisect"],
        opts: Opts::new(EXACT_POSIX, "", ""),
        rows: &[
            row(
                When::Path("run"),
                RunsProgram,
                "runs a command for each step",
                "git-bisect(1) run",
                "bisect run ./x.sh",
            ),
            row(
                // What follows is any sub-command of git, or options of log.
                When::All(&[
                    When::Path("view|visualize"),
                    When::From(
                        1,
                        Test::Not(words!["--stat", "--oneline", "--graph", "-p", "--patch", "log"]),
                    ),
                ]),
                RunsProgram,
                "runs any command of git, or log with any option",
                "builtin/bisect.c: bisect_visualize",
                "bisect view difftool -y -x ./evil",
            ),
        ],
    },
    Sub {
        names: &["submodule"],
        opts: Opts::new(EXACT_POSIX, "", ""),
        rows: &[row(
            When::Path("foreach"),
            RunsProgram,
            "runs a shell line in each submodule",
            "git-submodule(1) foreach",
            "submodule foreach id",
        )],
    },
    Sub {
        names: &["for-each-repo"],
        opts: Opts::new(GNU, "", "config="),
        rows: &[row(
            When::Always,
            RunsProgram,
            "runs git in repositories that a setting lists",
            "git-for-each-repo(1)",
            "for-each-repo --config=x status",
        )],
    },
    Sub {
        names: &["filter-branch"],
        opts: Opts::new(EXACT_POSIX, "d:", ""),
        rows: &[row(
            When::Always,
            RunsProgram,
            "runs its filters as shell text for each commit",
            "git-filter-branch(1)",
            "filter-branch --msg-filter x HEAD",
        )],
    },
    Sub {
        names: &["config"],
        opts: Opts::new(
            GNU,
            "f:t:",
            "file= blob= type= default= comment= value= url= get-colorbool= get-color=",
        ),
        rows: &[
            row(
                When::GitConfig,
                RunsProgram,
                "writes a setting that can name a program which git runs later",
                "git-config(1)",
                "config alias.st '!x'",
            ),
            row(
                When::Path("edit"),
                RunsProgram,
                "opens the configuration in an editor",
                "git-config(1) edit",
                "config edit",
            ),
            row(
                When::Opt("-e --edit"),
                RunsProgram,
                "opens the configuration in an editor",
                "git-config(1) --edit",
                "config --global --edit",
            ),
            row(
                When::All(&[When::Opt("-f --file"), When::More(1)]),
                WritesFile,
                "writes a setting into a file of the caller's choice",
                "git-config(1) --file",
                "config -f x user.name y",
            ),
        ],
    },
    Sub {
        names: &["difftool", "mergetool"],
        opts: Opts::new(GNU, "t:x:", "tool= extcmd= output="),
        rows: &[
            row(
                When::Opt("-x --extcmd"),
                RunsProgram,
                "runs a command for each file",
                "git-difftool(1) --extcmd",
                "difftool -x cat",
            ),
            row(
                When::Opt("-t --tool"),
                RunsProgram,
                "chooses the program by a setting",
                "git-difftool(1) --tool",
                "mergetool --tool=x",
            ),
            row(
                When::Val("--output", Test::File),
                WritesFile,
                OUTPUT,
                "git-difftool(1): as git-diff(1)",
                "difftool --output=x HEAD",
            ),
        ],
    },
    Sub {
        names: &["bundle"],
        opts: Opts::new(EXACT_POSIX, "", ""),
        rows: &[row(
            When::Path("create"),
            WritesFile,
            "writes the history into a file",
            "git-bundle(1) create",
            "bundle create x HEAD",
        )],
    },
    Sub {
        names: &["fast-export", "fast-import"],
        opts: Opts::new(GNU, "", "export-marks= import-marks= export-pack-edges= allow-unsafe-features"),
        rows: &[row(
            // The last lets the stream name such a file.
            When::Opt("--export-marks --export-pack-edges --allow-unsafe-features"),
            WritesFile,
            OUTPUT,
            "git-fast-export(1) --export-marks",
            "fast-export --export-marks=x HEAD",
        )],
    },
    Sub {
        names: &["hook"],
        opts: Opts::new(EXACT_POSIX, "", ""),
        rows: &[row(When::Path("run"), RunsProgram, "runs a hook", "git-hook(1) run", "hook run pre-commit")],
    },
    Sub {
        names: &["maintenance"],
        opts: Opts::new(GNU, "", "scheduler= task= schedule="),
        rows: &[row(
            When::Path("start|register"),
            RunsProgram,
            "schedules runs in the background",
            "git-maintenance(1) start",
            "maintenance start",
        )],
    },
    Sub {
        names: &[
            "daemon",
            "gui",
            "citool",
            "gitk",
            "instaweb",
            "web--browse",
            "cvsserver",
            "cvsimport",
            "cvsexportcommit",
            "shell",
            "http-backend",
            "upload-pack",
            "receive-pack",
            "upload-archive",
            "upload-archive--writer",
            "remote-ext",
            "remote-fd",
            "remote-ftp",
            "remote-ftps",
            "remote-http",
            "remote-https",
            "http-fetch",
            "http-push",
            "submodule--helper",
            "fsmonitor--daemon",
            "p4",
            "svn",
            "quiltimport",
            "merge-one-file",
            "merge-index",
            "sh-setup",
            "credential-cache--daemon",
            "difftool--helper",
            "mergetool--lib",
        ],
        opts: Opts::new(GNU, "", ""),
        rows: &[row(
            When::Always,
            RunsProgram,
            "serves others, opens windows, or runs a foreign version control program",
            "git(1)",
            "daemon --base-path=.",
        )],
    },
    Sub {
        names: &["send-email", "imap-send", "request-pull"],
        opts: Opts::new(GNU, "", "sendmail-cmd= to-cmd= cc-cmd= header-cmd= smtp-server="),
        rows: &[
            row(
                When::Opt("--sendmail-cmd --to-cmd --cc-cmd --header-cmd --smtp-server"),
                RunsProgram,
                "runs a command for each mail",
                "git-send-email(1) --sendmail-cmd",
                "send-email --to-cmd=x a.patch",
            ),
            row(When::Always, Uploads, "sends commits by mail", "git-send-email(1)", "imap-send"),
        ],
    },
    Sub {
        names: &["credential", "credential-store", "credential-cache"],
        opts: Opts::new(GNU, "", "file= socket= timeout="),
        rows: &[row(
            When::Always,
            Uploads,
            "prints or stores passwords",
            "git-credential(1)",
            "credential fill",
        )],
    },
    Sub {
        names: &["apply"],
        opts: Opts::new(
            GNU,
            "p:C:",
            "unsafe-paths directory= exclude= include= whitespace= build-fake-ancestor=",
        ),
        rows: &[
            row(
                When::Opt("--unsafe-paths"),
                WritesFile,
                "lets a patch write outside the working folder",
                "git-apply(1) --unsafe-paths",
                "apply --unsafe-paths x.patch",
            ),
            row(
                When::Opt("--build-fake-ancestor"),
                WritesFile,
                OUTPUT,
                "git-apply(1) --build-fake-ancestor",
                "apply --build-fake-ancestor=x a.patch",
            ),
        ],
    },
    Sub {
        names: &["branch"],
        opts: Opts::new(
            GNU,
            "u:",
            "set-upstream-to= contains= no-contains= merged= points-at= sort= format= edit-description",
        ),
        rows: &[row(
            When::Opt("--edit-description"),
            RunsProgram,
            "opens an editor",
            "git-branch(1) --edit-description",
            "branch --edit-description",
        )],
    },
    Sub {
        names: &["blame", "annotate"],
        opts: Opts::new(GNU, "L:S:M::C::", "contents= ignore-rev= ignore-revs-file= date= abbrev="),
        rows: &[row(
            When::Val("--contents", Test::Not(words!["-"])),
            Uploads,
            OUTSIDE,
            "git-blame(1) --contents",
            "blame --contents secret a.txt",
        )],
    },
    Sub {
        names: &["hash-object"],
        opts: Opts::new(GNU, "t:", "path="),
        rows: &[row(
            When::Opt("--stdin-paths"),
            Uploads,
            "opens the files named on its input",
            "git-hash-object(1) --stdin-paths",
            "hash-object --stdin-paths",
        )],
    },
    Sub {
        names: &["checkout-index", "read-tree"],
        opts: Opts::new(GNU, "", "prefix= stage= index-output="),
        rows: &[row(
            When::Opt("--index-output"),
            WritesFile,
            OUTSIDE_OUTPUT,
            "git-read-tree(1) --index-output",
            "read-tree --index-output=x HEAD",
        )],
    },
    Sub {
        names: &["checkout-index"],
        opts: Opts::new(GNU, "", "prefix= stage="),
        // It follows links, and writes with `-f` over what is there.
        rows: &[row(
            When::Val("--prefix", Test::Not(words!["", "./"])),
            WritesFile,
            "writes the files of the index wherever the word says",
            "git-checkout-index(1) --prefix",
            "checkout-index --prefix=x/ -a",
        )],
    },
    Sub {
        names: &["interpret-trailers"],
        opts: Opts::new(GNU, "", "trailer= where= if-exists= if-missing="),
        rows: &[row(
            When::Opt("--in-place"),
            WritesFile,
            "rewrites the file",
            "git-interpret-trailers(1) --in-place",
            "interpret-trailers --in-place x",
        )],
    },
    Sub {
        names: &["index-pack", "bugreport", "diagnose"],
        opts: Opts::new(GNU, "o:s:", "output-directory= suffix= mode="),
        rows: &[
            row(
                When::Opt("-o --output-directory"),
                WritesFile,
                OUTPUT,
                "git-index-pack(1) -o, git-bugreport(1) -o",
                "index-pack -o x y.pack",
            ),
            row(
                When::Val("-s --suffix", Test::HasSlash),
                WritesFile,
                OUTPUT,
                "git-bugreport(1) -s",
                "bugreport -s /../x",
            ),
        ],
    },
    Sub {
        names: &["pack-objects", "mailinfo", "mailsplit"],
        opts: Opts::new(GNU, "", ""),
        rows: &[row(
            When::Without("--stdout"),
            WritesFile,
            "writes the files that its words name",
            "git-pack-objects(1), git-mailinfo(1), git-mailsplit(1)",
            "mailinfo x y",
        )],
    },
    Sub {
        names: &["merge-file"],
        opts: Opts::new(GNU, "L:", "marker-size= diff-algorithm="),
        rows: &[row(
            When::Without("-p --stdout"),
            WritesFile,
            OUTPUT,
            "git-merge-file(1)",
            "merge-file x y z",
        )],
    },
    Sub {
        names: &["repack", "gc"],
        opts: Opts::new(GNU, "", "filter= filter-to= expire-to="),
        rows: &[row(
            When::Opt("--filter-to --expire-to"),
            WritesFile,
            "writes objects into another folder",
            "git-repack(1) --filter-to",
            "repack --filter=blob:none --filter-to=x",
        )],
    },
    Sub {
        names: &["help"],
        opts: Opts::new(GNU, "", "web"),
        rows: &[row(
            When::Opt("-w --web"),
            RunsProgram,
            "opens a browser that a setting names",
            "git-help(1) --web",
            "help -w log",
        )],
    },
    Sub {
        names: &["cat-file"],
        opts: Opts::new(GNU, "", "path= batch=? batch-check=? batch-command=? textconv filters"),
        rows: &[row(
            When::Opt("--textconv --filters"),
            RunsProgram,
            "runs the filter the configuration or attributes name",
            "git-cat-file(1) --filters",
            "cat-file --filters HEAD:x",
        )],
    },
    Sub {
        names: &["add", "stage", "replace", "notes"],
        opts: Opts::new(GNU, "m:F:C:c:", "edit chmod= pathspec-from-file= ref= format="),
        rows: &[row(
            When::Opt("--edit"),
            RunsProgram,
            "opens an editor",
            "git-add(1) --edit",
            "add --edit x",
        )],
    },
    Sub {
        names: &["format-patch"],
        opts: DIFF_TO_FOLDER,
        rows: &[
            row(
                When::Val("-o --output-directory", Test::Starts(words!["/"])),
                WritesFile,
                OUTSIDE_OUTPUT,
                "git-format-patch(1) -o",
                "format-patch -o /x HEAD~1",
            ),
            row(
                When::Val("-o --output-directory", Test::HasFold(words!["..", ".git"])),
                WritesFile,
                OUTSIDE_OUTPUT,
                "git-format-patch(1) -o",
                "format-patch -o x/../../y HEAD~1",
            ),
        ],
    },
    Sub {
        names: &["lfs"],
        opts: Opts::new(EXACT_POSIX, "", ""),
        rows: &[row(
            When::Path("install|standalone-file|filter-process"),
            LoadsCode,
            "writes hooks and filters into the configuration",
            "git-lfs-install(1)",
            "lfs install",
        )],
    },
];
