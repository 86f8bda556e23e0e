//! Package managers.
use super::Category::{LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{EXACT, EXACT_POSIX, GNU, HOST, Opts, Program, Row, Sub, Test, When, row};
use crate::tables::words::words;

const CONFIG: &str = "the configuration it names is code, or names code to load";

const PLUGIN: &str = "loads the plugin it names";

const PROGRAM: &str = "runs a program of the caller's choice";

const WRITES: &str = "writes a report over a file";

const SETS: &str = "writes a setting that can name a program which runs later";

const SHARED: &str = "builds a project from a folder that everyone can write";

const INDEX: &str = "takes packages, which are code, from another place";

const UV_RUN: Opts = Opts::new(
    EXACT_POSIX,
    "p:P:w:i:f:C:",
    "python= project= directory= with= with-editable= with-requirements= extra= no-extra= group= no-group= only-group= \
     env-file= package= from= index= default-index= index-url= extra-index-url= color= cache-dir= config-file=",
);

const UV_PYTHON: &[Row] = &[
    row(
        When::All(&[
            When::Val("-p --python", Test::HasSlash),
            When::Val("-p --python", Test::NotStarts(words!["/usr/", ".venv/"])),
        ]),
        RunsProgram,
        PROGRAM,
        "uv help run: --python",
        "-p ./x y",
    ),
    row(
        When::Val("--project --directory", Test::SharedFolder),
        LoadsCode,
        SHARED,
        "uv help run: --project",
        "--project /tmp/x y",
    ),
];

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["rustup"],
        opts: Opts::new(EXACT, "", "toolchain= profile="),
        rows: &[
            row(
                When::Path("toolchain|override|self link|set|update"),
                RunsProgram,
                "chooses another compiler for later runs",
                "rustup(1) toolchain link",
                "toolchain link x ./y",
            ),
            row(
                When::All(&[When::Path("default"), When::Nth(1, Test::HasSlash)]),
                RunsProgram,
                "chooses another compiler for later runs",
                "rustup(1) default",
                "default ./y",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["npm", "pnpm", "yarn", "yarnpkg", "bun", "cnpm"],
        opts: Opts::new(
            GNU,
            "w:C:",
            "git= node-gyp= python= prefix= script-shell= node-options= userconfig= globalconfig= registry= workspace= filter= cwd= \
             dir= tag= shell= editor= viewer= browser= loglevel= cache= logs-dir= init-module= use-yarnrc= onload-script= \
             otp= scope= depth= omit= include= preid= production preload= eval= print= modules-folder= mutex= cache-folder= \
             global-folder= link-folder= preferred-cache-folder=",
        ),
        rows: &[
            row(
                When::Nth(0, Test::Is(words!["true", "false", "null", "undefined"])),
                RunsProgram,
                "takes the word for a switch's value, and the next one for its command",
                "nopt; npm(1)",
                "--version false exec ./x",
            ),
            row(
                When::Opt(
                    "--modules-folder --mutex --cache-folder --global-folder --link-folder --preferred-cache-folder",
                ),
                RunsProgram,
                "takes programs from the folder, or writes there",
                "yarn 1: --modules-folder",
                "run --modules-folder=. x",
            ),
            row(
                When::Opt("--script-shell --shell --config.script-shell --git --node-gyp --python"),
                RunsProgram,
                "runs the scripts with another shell, or another program in place of a tool",
                "npm-config(7) script-shell",
                "test --script-shell=./x",
            ),
            row(
                When::Opt("--node-options --onload-script --init-module --preload"),
                LoadsCode,
                "loads a module into node or npm",
                "npm-config(7) node-options",
                "test --node-options=--require=./x",
            ),
            row(
                When::Opt("--userconfig --globalconfig --use-yarnrc"),
                RunsProgram,
                SETS,
                "npm-config(7) userconfig",
                "test --userconfig ./x",
            ),
            row(
                When::Opt("--editor --viewer --browser"),
                RunsProgram,
                PROGRAM,
                "npm-config(7) editor",
                "help x --viewer=./y",
            ),
            row(
                When::Val("--registry", Test::HasNot(words!["registry.npmjs.org", "registry.yarnpkg.com"])),
                LoadsCode,
                INDEX,
                "npm-config(7) registry",
                "install x --registry=https://y",
            ),
            row(
                When::Val("--prefix --cwd --dir -C", Test::SharedFolder),
                LoadsCode,
                SHARED,
                "npm-config(7) prefix",
                "--prefix /tmp/x test",
            ),
            row(
                When::Anywhere(Test::Has(words!["$(", "`"])),
                RunsProgram,
                "older versions hand it to the script's shell in double quotes",
                "npm 6 and pnpm 8, run",
                "run x -- '$(y)'",
            ),
            row(
                When::Path("config|c set|edit|delete|import"),
                RunsProgram,
                SETS,
                "npm-config(1)",
                "config set script-shell ./x",
            ),
            row(When::Path("set"), RunsProgram, SETS, "npm-config(1)", "set script-shell=./x"),
            row(
                When::All(&[
                    When::Path("pkg|set-script"),
                    When::Operand(Test::Has(words!["scripts"])),
                    When::Operand(Test::Is(words!["set"])),
                ]),
                RunsProgram,
                "writes a script that runs later",
                "npm-pkg(1)",
                "pkg set scripts.test=./x",
            ),
            row(
                When::Path("explore|edit|set-script"),
                RunsProgram,
                "opens a shell or an editor",
                "npm-explore(1)",
                "explore x",
            ),
            row(
                When::All(&[When::Path("init|create|innit"), When::More(1)]),
                LoadsCode,
                "fetches and runs a package",
                "npm-init(1)",
                "init foo",
            ),
            row(
                When::NpmEnv,
                RunsProgram,
                "without a script of that name it runs env(1) with the words behind",
                "npm-run(1), env",
                "run env -- ./x",
            ),
            row(
                When::Val("--cache --logs-dir", Test::Starts(words!["/", "..", "~"])),
                WritesFile,
                "writes its files into another folder",
                "npm-config(7) cache, logs-dir",
                "test --logs-dir=/x",
            ),
            row(When::Path("plugin import"), LoadsCode, PLUGIN, "yarn plugin import", "plugin import ./x.js"),
        ],
        subs: &[],
    },
    // nopt takes any number of dashes, and none of what begins with one for a value.
    Program {
        names: &["npm", "npx", "cnpm", "pnpm", "pnpx", "pnx"],
        opts: Opts::new(EXACT, "", ""),
        rows: &[
            row(
                When::Word(Test::Dashes(words![
                    "scriptshell",
                    "shell",
                    "git",
                    "nodegyp",
                    "python",
                    "editor",
                    "viewer",
                    "browser",
                    "npmpath",
                ])),
                RunsProgram,
                "runs the scripts with another shell, or another program in place of a tool",
                "npm-config(7) script-shell; nopt, README",
                "test -script-shell=./x",
            ),
            row(
                When::Word(Test::Dashes(words![
                    "nodeoptions",
                    "onloadscript",
                    "initmodule",
                    "userconfig",
                    "pnpmfile",
                    "globalpnpmfile",
                ])),
                LoadsCode,
                "loads a module into node or npm",
                "npm-config(7) node-options; nopt, README",
                "test ---node-options=--require=./x",
            ),
            row(
                When::Word(Test::Starts(words!["---", "-registry", "-prefix", "-globalc"])),
                RunsProgram,
                PROGRAM,
                "nopt, README",
                "test -prefix=/tmp/x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["yarn", "yarnpkg"],
        opts: Opts::new(EXACT, "", "cwd= require="),
        rows: &[
            row(
                When::Path("node|policies"),
                RunsProgram,
                "runs node with these words, or chooses another yarn",
                "yarn node; yarn policies set-version",
                "node ./x.js",
            ),
            row(
                When::All(&[
                    When::Path("run|workspace|workspaces"),
                    When::Operand(Test::Is(words!["exec", "dlx", "node"])),
                ]),
                RunsProgram,
                PROGRAM,
                "yarn workspace; yarn workspaces foreach",
                "workspace a exec ./x",
            ),
            row(When::Opt("--require"), LoadsCode, PLUGIN, "yarn run --require", "run --require ./x jest"),
        ],
        subs: &[],
    },
    Program {
        names: &["bun"],
        opts: Opts::new(EXACT_POSIX, "", ""),
        rows: &[],
        subs: &[Sub {
            names: &["run", "x", "test"],
            opts: Opts::new(EXACT_POSIX, "r:", "cwd= filter="),
            rows: &[row(When::Opt("-r"), LoadsCode, PLUGIN, "bun --help: -r", "run -r ./x.ts test")],
        }],
    },
    Program {
        names: &["bunx"],
        opts: Opts::new(EXACT_POSIX, "r:", ""),
        rows: &[row(
            When::Opt("-r --preload --require --import"),
            LoadsCode,
            PLUGIN,
            "bun --help: -r",
            "-r ./x.ts y",
        )],
        subs: &[],
    },
    Program {
        names: &["pip", "pipx"],
        opts: Opts::new(
            GNU,
            "i:f:r:c:e:t:d:w:b:",
            "index-url= extra-index-url= find-links= trusted-host= proxy= python= target= log= report= prefix= \
             root= requirement= constraint= editable= config-settings= global-option= upgrade-strategy= pypi-url= index=",
        ),
        rows: &[
            row(
                When::Val("-i --index-url --index --pypi-url", Test::HasNot(words!["https://pypi.org/"])),
                LoadsCode,
                INDEX,
                "pip install --index-url",
                "install -i https://x y",
            ),
            row(
                When::Opt("--extra-index-url -f --find-links --trusted-host"),
                LoadsCode,
                INDEX,
                "pip install --extra-index-url",
                "install --extra-index-url https://x y",
            ),
            row(When::Opt("--python"), RunsProgram, PROGRAM, "pip --python", "--python ./x list"),
            row(
                When::Opt("--config-settings --global-option"),
                LoadsCode,
                "passes options to the build backend",
                "pip install --config-settings",
                "install --config-settings=x=y .",
            ),
            row(
                When::Val("--log --report", Test::File),
                WritesFile,
                WRITES,
                "pip --log",
                "install --log x y",
            ),
            row(
                When::Path("config set|edit"),
                LoadsCode,
                SETS,
                "pip config",
                "config set global.index-url https://x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["uv"],
        opts: Opts::new(
            EXACT,
            "p:",
            "index-url= extra-index-url= default-index= index= find-links= python= config-file=",
        ),
        rows: &[row(
            When::All(&[
                When::Path("pip|add|sync|lock"),
                When::Opt("--index-url --extra-index-url --default-index --index --find-links --config-file"),
            ]),
            LoadsCode,
            INDEX,
            "uv help: --index-url",
            "pip install --index-url https://x y",
        )],
        subs: &[],
    },
    // An interpreter by its path, or the project of somebody else.
    Program {
        names: &["uv"],
        opts: Opts::new(EXACT_POSIX, "", "project= directory= color= cache-dir= config-file="),
        rows: &[row(
            When::Val("--project --directory", Test::SharedFolder),
            LoadsCode,
            SHARED,
            "uv help: --project",
            "--project /tmp/x run y",
        )],
        subs: &[
            Sub { names: &["run", "venv", "sync"], opts: UV_RUN, rows: UV_PYTHON },
            Sub { names: &["tool"], opts: Opts::new(HOST, UV_RUN.short, UV_RUN.long), rows: UV_PYTHON },
        ],
    },
    Program { names: &["uvx"], opts: UV_RUN, rows: UV_PYTHON, subs: &[] },
    Program {
        names: &["apt", "apt-get", "apt-cache", "aptitude"],
        opts: Opts::new(GNU, "o:c:t:a:q::", "option= config-file= target-release="),
        rows: &[
            row(
                When::Val(
                    "-o --option",
                    Test::HasFold(words![
                        "invoke",
                        "dpkg::pre",
                        "dpkg::post",
                        "update::",
                        "autodetect",
                        "dir",
                        "solver",
                        "pager",
                        "changelog",
                        "::methods",
                        "apt::get::download",
                    ]),
                ),
                RunsProgram,
                "a setting given to apt can name a command that it runs",
                "apt.conf(5); GTFOBins apt-get",
                "update -o APT::Update::Pre-Invoke::=x",
            ),
            row(
                When::Opt("-c --config-file"),
                RunsProgram,
                CONFIG,
                "apt-get(8) -c; GTFOBins apt-get",
                "update -c x",
            ),
            row(
                When::Path("changelog"),
                RunsProgram,
                "opens a pager, which takes commands",
                "apt-get(8) changelog; GTFOBins apt-get",
                "changelog apt",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["dpkg"],
        opts: Opts::new(GNU, "", "pre-invoke= post-invoke= root= admindir= instdir= status-logger= log="),
        rows: &[row(
            When::Opt("--pre-invoke --post-invoke --status-logger --root --admindir --instdir"),
            RunsProgram,
            "runs a command, or works on another system root",
            "dpkg(1) --pre-invoke; GTFOBins dpkg",
            "--pre-invoke=x -i y.deb",
        )],
        subs: &[],
    },
    Program {
        names: &["rpm", "rpmbuild", "rpmspec"],
        opts: Opts::new(EXACT, "E:D:", "eval= define= pipe= load= macros= rcfile= root="),
        rows: &[row(
            When::Opt("-E --eval -D --define --pipe --load --macros --rcfile"),
            RunsProgram,
            "expands macros, which can run commands, or pipes its output to one",
            "rpm(8) --eval, --pipe; GTFOBins rpm",
            "--eval '%(id)'",
        )],
        subs: &[],
    },
    Program {
        names: &["yum", "dnf", "zypper"],
        opts: Opts::new(EXACT, "c:x:R:", "config= setopt= installroot= repofrompath= plus-repo= root="),
        rows: &[row(
            When::Opt("-c --config --setopt --installroot --repofrompath --plus-repo --root"),
            LoadsCode,
            INDEX,
            "dnf(8) --setopt; GTFOBins yum",
            "install -c x y",
        )],
        subs: &[],
    },
    Program {
        names: &["gem", "bundle", "bundler", "composer"],
        opts: Opts::new(GNU, "e:s:d:", "editor= source= config-file= gemfile= working-dir= clear-sources"),
        rows: &[
            row(
                When::All(&[When::Path("open"), When::Opt("-e --editor")]),
                RunsProgram,
                PROGRAM,
                "gem open --editor",
                "open -e ./x y",
            ),
            row(
                When::Opt("--gemfile --config-file"),
                LoadsCode,
                CONFIG,
                "bundle install --gemfile",
                "install --gemfile=x",
            ),
            row(
                When::Opt("--source"),
                LoadsCode,
                INDEX,
                "gem install --source",
                "install --source https://x y",
            ),
            row(
                When::All(&[When::Path("config"), When::More(2)]),
                RunsProgram,
                SETS,
                "bundle config; composer config",
                "config set path x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["brew"],
        opts: Opts::new(EXACT, "e:", ""),
        rows: &[
            row(
                When::Path("ruby|sh|irb"),
                RunsProgram,
                "evaluates Ruby or opens a shell",
                "brew(1) ruby",
                "ruby -e x",
            ),
            row(When::Path("tap-new|edit|create"), RunsProgram, "opens an editor", "brew(1) edit", "edit x"),
        ],
        subs: &[],
    },
    Program {
        names: &["twine", "vsce", "semantic-release"],
        opts: Opts::new(GNU, "r:u:p:", "repository= repository-url= config-file="),
        rows: &[row(
            When::Opt("--repository-url --config-file"),
            Uploads,
            "sends the package to another place",
            "twine upload --repository-url",
            "upload --repository-url https://x y",
        )],
        subs: &[],
    },
];
