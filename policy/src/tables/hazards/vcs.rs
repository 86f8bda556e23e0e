//! Version control besides git.
use super::Category::{LoadsCode, RunsProgram};
use super::{GNU, Opts, Program, Test, When, row};

const PROGRAM: &str = "runs a program of the caller's choice";

const SETTING: &str = "a setting given to it can name a program, a hook or an extension";

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["hg", "chg"],
        opts: Opts::new(
            GNU,
            "R:r:b:e:t:m:l:u:d:p:o:",
            "config= cwd= repository= ssh= remotecmd= tool= filter= program= command= rev= branch= message= logfile= \
             user= date= style= template= color= pager= include= exclude=",
        ),
        rows: &[
            row(
                When::Opt("--config"),
                RunsProgram,
                SETTING,
                "hgrc(5); hg help config",
                "--config alias.x=!y x",
            ),
            row(
                When::Opt("-e --ssh --remotecmd --tool --filter --program --command"),
                RunsProgram,
                PROGRAM,
                "hg(1) --ssh, --remotecmd, --tool",
                "pull --ssh ./x",
            ),
            row(
                When::Path("extdiff|bisect|histedit|view|serve|debugshell|debugcommands"),
                RunsProgram,
                PROGRAM,
                "hg help extdiff, bisect --command",
                "extdiff -p ./x",
            ),
            row(
                When::Val("-R --repository --cwd", Test::SharedFolder),
                LoadsCode,
                "a repository's hooks and aliases run from a folder that everyone can write",
                "hgrc(5)",
                "-R /tmp/x status",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["svn", "svnlook", "svnsync", "cvs", "bzr", "brz", "darcs", "fossil", "quilt"],
        opts: Opts::new(
            GNU,
            "r:m:F:N:d:",
            "diff-cmd= diff3-cmd= merge-cmd= editor-cmd= config-option= config-dir= using= posthook= prehook= \
             external-merge= diff-command= command= diff= quiltrc= sendmail= revision= message= file= depth= username= \
             password= extensions= targets= changelist= limit= accept=",
        ),
        rows: &[
            row(
                When::Opt(
                    "--diff-cmd --diff3-cmd --merge-cmd --editor-cmd --using --posthook --prehook --external-merge \
                     --diff-command --command --diff --sendmail",
                ),
                RunsProgram,
                PROGRAM,
                "svn help diff: --diff-cmd; darcs(1) --posthook; quilt(1) --diff",
                "--diff-cmd ./x diff",
            ),
            row(
                When::Opt("--config-option --config-dir --quiltrc"),
                RunsProgram,
                SETTING,
                "svn help: --config-option, --config-dir",
                "--config-option config:helpers:editor-cmd=x ci",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["cvs"],
        opts: Opts::new(GNU, "e:d:T:z:s:", ""),
        rows: &[row(When::Opt("-e"), RunsProgram, PROGRAM, "cvs(1) -e", "-e ./x commit")],
        subs: &[],
    },
];
