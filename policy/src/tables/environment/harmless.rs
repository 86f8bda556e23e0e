//! What a command may set without a person, and what the shells themselves obey.
use super::Inert;
use crate::tables::words::{WordList, words};

/// An allow list: everything else asks.
#[rustfmt::skip]
pub const INERT: &[(WordList, Inert)] = &[
    (
        words!["LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "LC_ADDRESS", "LC_IDENTIFICATION",
          "LC_MEASUREMENT", "LC_NAME", "LC_PAPER", "LC_TELEPHONE", "LANGUAGE"],
        Inert::Word,
    ),
    (
        words!["TZ"],
        Inert::Zone,
    ),
    (
        words!["TERM", "COLORTERM", "COLUMNS", "LINES", "COLORFGBG"],
        Inert::Word,
    ),
    (
        words![
            "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS", "GREP_COLOR",
            "GREP_COLORS", "LS_COLORS", "GCC_COLORS", "JQ_COLORS", "TERM_PROGRAM", "ANSI_COLORS_DISABLED",
            "NO_PROXY", "no_proxy",
        ],
        Inert::Any,
    ),
    (
        words![
            "CI", "PORT", "DEBUG", "VERBOSE", "V", "QUIET", "LOG_LEVEL", "LOGLEVEL", "NODE_DEBUG",
            "RUST_LOG",
        ],
        // Makefiles write these into their recipes.
        Inert::Plain,
    ),
    (
        words![
            "NODE_ENV", "HOST", "RAILS_ENV", "RACK_ENV", "APP_ENV", "FLASK_ENV", "FLASK_DEBUG", "MIX_ENV",
            "GO_ENV", "DENO_ENV", "BABEL_ENV", "ENVIRONMENT", "TEST_ENV", "NODE_NO_WARNINGS",
            "NODE_DISABLE_COLORS", "NODE_PENDING_DEPRECATION", "JEST_WORKER_ID",
        ],
        Inert::Word,
    ),
    (
        words!["VITE_*", "REACT_APP_*", "NEXT_PUBLIC_*"],
        Inert::Any,
    ),
    (
        words![
            "RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "RUST_TEST_THREADS", "RUST_TEST_NOCAPTURE",
            "RUST_MIN_STACK", "SQLX_OFFLINE", "PROPTEST_CASES", "INSTA_UPDATE",
        ],
        Inert::Word,
    ),
    (
        words![
            "GOOS", "GOARCH", "CGO_ENABLED", "GOARM", "GOAMD64", "GOMAXPROCS", "GOGC", "GOMEMLIMIT",
            "GO111MODULE", "GOTRACEBACK",
        ],
        Inert::Word,
    ),
    (
        words![
            "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8",
            "PYTHONHASHSEED", "PYTHONFAULTHANDLER", "PYTHONASYNCIODEBUG", "PYTHONNOUSERSITE",
            "PYTHONSAFEPATH", "PYTHONTRACEMALLOC", "PYTHONDEVMODE", "PYTHONOPTIMIZE", "PYTHONVERBOSE",
            "PIP_DISABLE_PIP_VERSION_CHECK", "PIP_NO_INPUT", "PIP_NO_COLOR", "PIP_NO_CACHE_DIR",
            "PIP_PROGRESS_BAR", "PIP_QUIET", "UV_NO_PROGRESS", "UV_OFFLINE", "UV_NO_CACHE",
            "TOKENIZERS_PARALLELISM", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
            "OPENBLAS_NUM_THREADS", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "WANDB_MODE",
            "TF_CPP_MIN_LOG_LEVEL",
        ],
        Inert::Word,
    ),
    (
        words![
            "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME",
            "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
        ],
        Inert::Any,
    ),
    (
        words![
            "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_MERGE_AUTOEDIT", "GIT_LFS_SKIP_SMUDGE",
            "GIT_CURL_VERBOSE", "GIT_PAGER_IN_USE", "GIT_FLUSH", "GIT_ADVICE", "HGPLAIN",
        ],
        Inert::Switch,
    ),
    (
        words![
            "HUSKY", "HUSKY_SKIP_HOOKS", "LEFTHOOK", "SKIP", "PRE_COMMIT_ALLOW_NO_CONFIG",
            "SKIP_PREFLIGHT_CHECK",
        ],
        Inert::Word,
    ),
    (
        words![
            "SOURCE_DATE_EPOCH", "MAKELEVEL", "DEBIAN_FRONTEND", "NEEDRESTART_MODE", "NEEDRESTART_SUSPEND",
            "HOMEBREW_NO_*", "DO_NOT_TRACK", "NEXT_TELEMETRY_DISABLED", "DOTNET_CLI_TELEMETRY_OPTOUT",
            "DOTNET_NOLOGO", "GATSBY_TELEMETRY_DISABLED", "ASTRO_TELEMETRY_DISABLED", "DISABLE_TELEMETRY",
            "TURBO_TELEMETRY_DISABLED", "CHECKPOINT_DISABLE", "GH_PROMPT_DISABLED", "GH_NO_UPDATE_NOTIFIER",
            "GH_FORCE_TTY", "NO_UPDATE_NOTIFIER", "ADBLOCK", "OPEN_SOURCE_CONTRIBUTOR", "SYSTEMD_COLORS",
            "SYSTEMD_LOG_LEVEL", "LESSSECURE", "LESSCHARSET", "QUOTING_STYLE", "BLOCK_SIZE", "BLOCKSIZE",
            "DU_BLOCK_SIZE", "DF_BLOCK_SIZE", "TIME_STYLE", "PGTZ", "PGCLIENTENCODING", "PGUSER",
            "PGDATABASE", "PGPORT", "PGCONNECT_TIMEOUT", "GENERATE_SOURCEMAP", "TEST", "UPDATE_SNAPSHOTS",
            "DOCKER_BUILDKIT", "BUILDKIT_PROGRESS", "COMPOSE_DOCKER_CLI_BUILD",
        ],
        Inert::Word,
    ),
    (
        words!["NINJA_STATUS"],
        Inert::Any,
    ),
];

/// Variables that a shell itself obeys, exported or not: assigning one changes what the rest of the text
/// means. Source: bash(1) "Shell Variables", dash(1), zshparam(1).
#[rustfmt::skip]
pub const SHELL_SPECIAL: WordList = words![
    "IFS", "PATH", "CDPATH", "HOME", "ENV", "PS1", "PS2", "PS4", "OPTIND", "OPTARG", "OPTERR", "PWD",
    "OLDPWD", "LINENO", "PPID", "FPATH", "SHELLOPTS", "POSIXLY_CORRECT", "RANDOM", "SECONDS", "MAIL",
    "MAILPATH", "MAILCHECK", "HISTFILE", "HISTSIZE", "FCEDIT", "TMOUT", "UID", "EUID", "_", "ENV_FILE",
];

/// More of bash.
#[rustfmt::skip]
pub const BASH_SPECIAL: WordList = words![
    "BASH*", "COMP_*", "COMPREPLY", "COPROC", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EXECIGNORE",
    "FIGNORE", "FUNCNAME", "FUNCNEST", "GLOBIGNORE", "GLOBSORT", "GROUPS", "HISTCMD", "HISTCONTROL",
    "HISTIGNORE", "HISTTIMEFORMAT", "HOSTFILE", "IGNOREEOF", "INPUTRC", "INSIDE_EMACS", "MAPFILE",
    "PIPESTATUS", "PROMPT_COMMAND", "PROMPT_DIRTRIM", "PS0", "PS3", "READLINE_*", "REPLY", "SHELL", "SHLVL",
    "SRANDOM", "TIMEFORMAT", "TMPDIR", "auto_resume", "histchars",
];

/// More of zsh, which ties arrays in lower case to the variables and has parameters that are the shell's state.
#[rustfmt::skip]
pub const ZSH_SPECIAL: WordList = words![
    "path", "fpath", "cdpath", "manpath", "mailpath", "module_path", "fignore", "watch", "psvar", "prompt",
    "argv", "status", "pipestatus", "signals", "options", "aliases", "galiases", "saliases", "dis_*",
    "functions", "functions_source", "commands", "builtins", "parameters", "modules", "nameddirs",
    "userdirs", "dirstack", "historywords", "history", "jobdirs", "jobtexts", "jobstates", "reswords",
    "patchars", "usergroups", "widgets", "keymaps", "zsh_*", "ZSH_*", "ZDOTDIR", "MODULE_PATH", "MANPATH",
    "PROMPT*", "RPROMPT*", "RPS1", "RPS2", "SPROMPT", "PSVAR", "NULLCMD", "READNULLCMD", "POSTEDIT", "STTY",
    "TMPPREFIX", "TMPSUFFIX", "TIMEFMT", "WORDCHARS", "HISTCHARS", "histchars", "SAVEHIST", "REPORTTIME",
    "REPORTMEMORY", "REPLY", "reply", "KEYTIMEOUT", "LISTMAX", "FUNCNEST", "ARGC", "ARGV0", "ERRNO", "EGID",
    "GID", "USERNAME", "TTYIDLE", "TRY_BLOCK_*", "SHELL", "SHLVL", "MATCH", "MBEGIN", "MEND", "match",
    "mbegin", "mend", "zle_*", "WATCH", "WATCHFMT", "LOGCHECK", "DIRSTACKSIZE", "BAUD", 
    "PROMPT_EOL_MARK", "ZLE_*", "EPOCH*", "epochtime", "funcstack", "functrace", "funcfiletrace",
    "funcsourcetrace", "langinfo", "errnos", "sysparams", "mapfile", "terminfo", "termcap", "color",
    "vcs_info_*",
];
