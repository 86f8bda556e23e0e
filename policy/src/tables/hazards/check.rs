//! Linters, test runners and bundlers.
use super::Category::{Deletes, LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{EXACT, GNU, Opts, Program, Test, When, row};
use crate::tables::words::words;

const CONFIG: &str = "the configuration it names is code, or names code to load";

const PLUGIN: &str = "loads the plugin it names";

const PROGRAM: &str = "runs a program of the caller's choice";

const WRITES: &str = "writes a report over a file";

const FETCHES: &str = "fetches packages, and runs what comes with them";

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["eslint", "stylelint", "tslint", "standard", "xo"],
        opts: Opts::new(
            EXACT,
            "c:o:f:",
            "config= rulesdir= resolve-plugins-relative-to= plugin= parser= format= formatter= output-file= \
             ext= rule= env= custom-formatter= custom-syntax= ignore-path= max-warnings= cache-location= cache-file= suppressions-location=",
        ),
        rows: &[
            row(When::Opt("-c --config"), LoadsCode, CONFIG, "eslint CLI: --config", "-c e.js ."),
            row(
                When::Opt(
                    "--rulesdir --resolve-plugins-relative-to --plugin --parser --custom-formatter \
--custom-syntax",
                ),
                LoadsCode,
                PLUGIN,
                "eslint CLI: --rulesdir",
                "--rulesdir x .",
            ),
            row(
                When::Val("-f --format --formatter", Test::Has(words!["/", ".js", ".cjs", ".mjs"])),
                LoadsCode,
                "loads the formatter it names",
                "eslint CLI: --format",
                "-f ./x.js .",
            ),
            row(
                When::Opt("-o --output-file --cache-location --cache-file --suppressions-location"),
                WritesFile,
                WRITES,
                "eslint CLI: --output-file",
                "-o x .",
            ),
            row(
                When::Opt("--init --mcp --inspect-config"),
                RunsProgram,
                FETCHES,
                "eslint CLI: --init",
                "--init",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["jest", "vitest", "mocha", "ava", "karma", "cypress", "playwright", "jasmine", "tap"],
        opts: Opts::new(
            EXACT,
            "c:r:t:w:g:R:u:",
            "config= plugin= require= import= setup-files= global-setup= reporter= reporters= runner= \
             test-runner= transform= resolver= preset= loader= ui= globalSetup= setupFiles= \
             setupFilesAfterEnv= testRunner= environment= outputFile= testNamePattern= rootDir= root=",
        ),
        rows: &[
            row(When::Opt("--config"), LoadsCode, CONFIG, "jest CLI: --config", "--config x.js"),
            row(
                When::Opt(
                    "--plugin --require --import --setup-files --global-setup --runner --test-runner \
                     --transform --resolver --preset --loader --globalSetup --setupFiles --setupFilesAfterEnv --testRunner",
                ),
                LoadsCode,
                "loads the module it names",
                "mocha CLI: --require",
                "--require ./x.js",
            ),
            row(When::Opt("-r"), LoadsCode, "loads the module it names", "mocha CLI: -r", "-r ./x.js"),
            row(
                When::Val("--reporter --reporters -R --environment", Test::Has(words!["/", ".js"])),
                LoadsCode,
                "loads the module it names",
                "mocha CLI: --reporter",
                "--reporter ./x.js",
            ),
            row(When::Opt("--outputFile"), WritesFile, WRITES, "jest CLI: --outputFile", "--outputFile=x"),
        ],
        subs: &[],
    },
    Program {
        names: &["jest", "vitest", "playwright", "webpack", "vite"],
        opts: Opts::new(EXACT, "c:t:p:w:g:u:d:o:", ""),
        rows: &[row(When::Opt("-c"), LoadsCode, CONFIG, "jest CLI: -c; webpack CLI: -c", "-c x.js")],
        subs: &[],
    },
    Program {
        names: &["prettier"],
        opts: Opts::new(
            EXACT,
            "",
            "config= plugin= plugin-search-dir= parser= ignore-path= log-level= stdin-filepath= cache-location=",
        ),
        rows: &[
            row(When::Opt("--config"), LoadsCode, CONFIG, "prettier CLI: --config", "--config x.js a"),
            row(
                When::Opt("--plugin --plugin-search-dir"),
                LoadsCode,
                PLUGIN,
                "prettier CLI: --plugin",
                "--plugin ./x.js a",
            ),
            row(
                When::Opt("--cache-location"),
                WritesFile,
                WRITES,
                "prettier CLI: --cache-location",
                "--cache-location x a",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["ruff"],
        opts: Opts::new(
            GNU,
            "o:",
            "output-file= cache-dir= config= output-format= select= ignore= extend-select= extend-ignore= exclude= \
             target-version= line-length= stdin-filename= fixable= unfixable= per-file-ignores= range= color=",
        ),
        rows: &[row(
            When::Opt("-o --output-file --cache-dir"),
            WritesFile,
            WRITES,
            "ruff check --output-file",
            "check -o x a.py",
        )],
        subs: &[],
    },
    Program {
        // Its options are read whatever their case and with one dash or two.
        names: &["tsc"],
        opts: Opts::new(EXACT, "", ""),
        rows: &[
            row(
                When::Word(Test::Fold(words![
                    "--generatetrace",
                    "-generatetrace",
                    "--generatecpuprofile",
                    "-generatecpuprofile",
                    "--tsbuildinfofile",
                    "-tsbuildinfofile",
                    "--init",
                    "-init",
                ])),
                WritesFile,
                WRITES,
                "tsc --all",
                "--generateTrace x",
            ),
            row(
                When::All(&[
                    When::Word(Test::Fold(words![
                        "--outdir",
                        "-outdir",
                        "--outfile",
                        "-outfile",
                        "--out",
                        "-out",
                        "--declarationdir",
                        "-declarationdir",
                    ])),
                    When::Word(Test::Starts(words!["/", "~", ".."])),
                ]),
                WritesFile,
                "writes what it makes elsewhere than in the project",
                "tsc --all",
                "--outDir /x a.ts",
            ),
            row(
                When::Word(Test::Starts(words!["@"])),
                WritesFile,
                "takes options from a file",
                "tsc --help",
                "@opts",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &[
            "webpack", "vite", "rollup", "esbuild", "parcel", "babel", "postcss", "tsup", "swc", "next",
            "nuxt",
        ],
        opts: Opts::new(
            EXACT,
            "c:p:o:d:r:",
            "config= plugin= presets= plugins= require= use= out-dir= outfile= outdir= mode= port= host=",
        ),
        rows: &[
            row(
                When::Opt("--config --config-file"),
                LoadsCode,
                CONFIG,
                "webpack CLI: --config",
                "--config x.js",
            ),
            row(
                When::Opt("--plugin --presets --plugins --require --use"),
                LoadsCode,
                PLUGIN,
                "rollup CLI: --plugin",
                "--plugin ./x.js",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["pytest", "py.test"],
        opts: Opts::new(
            GNU,
            "p:c:o:k:m:n:r:W:",
            "config-file= rootdir= override-ini= pdbcls= junitxml= junit-xml= log-file= basetemp= cov= \
             cov-report= cov-config= maxfail= tb= durations= ignore= deselect= import-mode= timeout= \
             numprocesses= dist= confcutdir= color= capture= pastebin= report-log= html= json-report-file= debug=? co",
        ),
        rows: &[
            row(When::Val("-p", Test::NotStarts(words!["no:"])), LoadsCode, PLUGIN, "pytest -p", "-p x"),
            row(When::Opt("-c --config-file"), LoadsCode, CONFIG, "pytest -c", "-c x.ini"),
            row(
                When::Val(
                    "-o --override-ini",
                    Test::Starts(words![
                        "addopts",
                        "pythonpath",
                        "python_files",
                        "usefixtures",
                        "log_file",
                        "cache_dir",
                    ]),
                ),
                LoadsCode,
                "sets options that load code",
                "pytest -o addopts",
                "-o addopts=-px",
            ),
            row(
                When::Word(Test::Starts(words!["@"])),
                LoadsCode,
                "takes options from a file",
                "pytest, Command-line Flags: @file",
                "@x",
            ),
            row(
                When::Opt("--pdbcls"),
                LoadsCode,
                "loads the debugger it names",
                "pytest --pdbcls",
                "--pdbcls=x:y",
            ),
            row(
                When::Val("--junitxml --junit-xml --log-file --report-log --html --debug", Test::File),
                WritesFile,
                WRITES,
                "pytest --junit-xml",
                "--junitxml=x",
            ),
            row(
                When::Opt("--pastebin"),
                Uploads,
                "sends the report to another host",
                "pytest --pastebin",
                "--pastebin=all",
            ),
            row(
                When::Opt("--basetemp"),
                Deletes,
                "empties the folder it names",
                "pytest --basetemp",
                "--basetemp=x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &[
            "pylint",
            "flake8",
            "mypy",
            "dmypy",
            "pyright",
            "bandit",
            "isort",
            "sphinx",
            "sphinx-build",
            "mkdocs",
            "tox",
            "nox",
            "pre-commit",
        ],
        opts: Opts::new(
            GNU,
            "c:f:j:d:e:r:p:b:D:",
            "load-plugins= init-hook= rcfile= config= config-file= plugin= python-executable= \
             custom-typeshed-dir= noxfile= conf= append-config= html-report= xml-report= junit-xml= output-file= \
             format= disable= enable= max-line-length= select= ignore= exclude= python-version= settings-path=",
        ),
        rows: &[
            row(
                When::Opt("--load-plugins --plugin"),
                LoadsCode,
                PLUGIN,
                "pylint --load-plugins",
                "--load-plugins=x a.py",
            ),
            row(
                When::Opt("--init-hook"),
                RunsProgram,
                "evaluates Python",
                "pylint --init-hook",
                "--init-hook='x' a.py",
            ),
            row(
                When::Opt("--rcfile --config-file --noxfile --append-config --config --conf"),
                LoadsCode,
                CONFIG,
                "mypy --config-file: plugins",
                "--config-file x.ini src",
            ),
            row(
                When::Opt("--install-types"),
                RunsProgram,
                FETCHES,
                "mypy --install-types",
                "--install-types src",
            ),
            row(
                When::Opt("--python-executable"),
                RunsProgram,
                PROGRAM,
                "mypy --python-executable",
                "--python-executable ./x src",
            ),
            row(
                When::Word(Test::Starts(words!["@"])),
                LoadsCode,
                "takes options from a file",
                "argparse, fromfile_prefix_chars",
                "@x",
            ),
            row(
                When::Opt(
                    "--html-report --xml-report --junit-xml --output-file --any-exprs-report --txt-report --linecount-report \
                     --linecoverage-report --lineprecision-report --cobertura-xml-report --xslt-html-report --xslt-txt-report \
                     --memory-xml-report --timing-stats --line-checking-stats --cache-dir --cache-map",
                ),
                WritesFile,
                WRITES,
                "mypy --html-report",
                "--html-report x src",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["tox"],
        opts: Opts::new(GNU, "c:e:x:r", "override= conf= root= workdir="),
        rows: &[row(
            When::Opt("-x --override"),
            RunsProgram,
            "sets a command that it runs",
            "tox --override",
            "-x testenv.commands=x",
        )],
        subs: &[],
    },
];
