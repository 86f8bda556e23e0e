//! What changes what runs: variables by what they do.
use super::{Group, Inert};
use crate::tables::words::{WordList, words};

const fn scrub(names: WordList, inert: Inert, reason: &'static str) -> Group {
    Group { names, scrub: true, inert, reason }
}

const fn keep(names: WordList, inert: Inert, reason: &'static str) -> Group {
    Group { names, scrub: false, inert, reason }
}

/// Editors that end at once, pagers that only pass their input on, askers that answer nothing, no file.
#[rustfmt::skip]
const NO_EDITOR: Inert = Inert::Is(words![
    "", "true", ":", "false", "cat", "echo", "/bin/true", "/usr/bin/true", "/bin/false", "/bin/cat",
]);

#[rustfmt::skip]
const NO_PAGER: Inert = Inert::Is(words![
    "", "cat", "/bin/cat", "/usr/bin/cat", "less", "more", "less -R", "less -F", "less -FR", "less -FRX",
    "less -RFX", "false", "true", "head",
]);

#[rustfmt::skip]
const NO_ASKPASS: Inert = Inert::Is(words!["", "true", "echo", "false", "/bin/true", "/bin/echo", "/bin/false", "/usr/bin/true"]);

#[rustfmt::skip]
const NULL: Inert = Inert::Is(words!["", "/dev/null"]);

#[rustfmt::skip]
const JAVA: Inert = Inert::Words(words![
    "-Xmx*", "-Xms*", "-Xss*", "-Dfile.encoding=*", "-Duser.*", "-Djava.awt.headless=*",
    "-XX:MaxRAMPercentage=*", "-XX:+UseContainerSupport", "-XX:+UseG1GC", "-XX:+UseSerialGC",
    "-Dorg.gradle.daemon=*", "-Dstyle.color=*", "-XX:MaxMetaspaceSize=*", "-XX:MetaspaceSize=*",
    "-Djansi.force=*", "-XX:ActiveProcessorCount=*",
]);

/// Where tools, their plugins and what they installed lie if nobody says otherwise, and in the images of their makers.
#[rustfmt::skip]
const PLACES: WordList = words![
    ".asdf", ".asdfrc", ".asdf/installs/java/*", ".bun", ".cache/*", ".cargo", ".composer", ".config/*", ".deno", ".dotnet",
    ".gem/ruby/*", ".go", ".goenv", ".gradle", ".gvm/gos/*", ".jdks/*", ".jenv", ".local/share/*", ".m2", ".nodenv", ".nvm",
    ".pyenv", ".rbenv", ".rustup", ".rvm/gems/*", ".sdkman", ".sdkman/candidates/java/*", ".terraform.d/*", ".volta",
    "Android/Sdk", "go", "go/pkg/mod", "sdk/*", "/deno-dir", "/go", "/go/pkg/mod", "/home/gradle/.gradle", "/ms-playwright",
];

const PLACED: Inert = Inert::Installed(PLACES);

/// What variables with these ends hold, where no group that is removed has their name.
#[rustfmt::skip]
pub(crate) static ENDS: &[(WordList, Group)] = &[
    (
        words!["_PAGER", "_EDITOR", "_BROWSER", "_ASKPASS", "_SSH", "_RSH", "_LAUNCHER", "_WRAPPER", "_EXECUTABLE", "_BINARY",
          "_CREDENTIAL_PROVIDER"],
        scrub(WordList::NONE, Inert::Started, "names a program that another one starts"),
    ),
    (
        words!["_EXECUTABLE_PATH", "_BINARY_PATH", "_PLUGINS", "_PLUGIN_PATH", "_HOOK_PATH"],
        scrub(WordList::NONE, PLACED, "names a program that another one starts, or code that it loads"),
    ),
];

/// The groups. Where two have a name, the first speaks.
#[rustfmt::skip]
pub const DANGEROUS: &[Group] = &[
    // The loader and the C library.
    scrub(
        words!["LD_*", "DYLD_*", "_RLD*", "LIBPATH", "SHLIB_PATH", "LDR_*"],
        Inert::Never,
        "the dynamic loader loads other code into every program",
    ),
    scrub(
        words!["GCONV_PATH", "LOCPATH", "NLSPATH", "GETCONF_DIR"],
        Inert::Never,
        "the C library loads modules or message files from it",
    ),
    scrub(
        words!["GLIBC_TUNABLES", "MALLOC_TRACE", "HOSTALIASES", "RES_OPTIONS", "LOCALDOMAIN",
            "MEMUSAGE_*", "PCPROFILE_OUTPUT", "SEGFAULT_OUTPUT_NAME", "GMON_OUT_PREFIX", "RESOLV_*",
            "QEMU_LD_PREFIX", "QEMU_SET_ENV",],
        Inert::Never,
        "changes the C library, writes a file or redirects host names",
    ),
    scrub(
        words!["LANG", "LC_ALL", "LC_CTYPE"],
        Inert::Locale,
        "characters of several bytes may hold a backslash or a quote",
    ),
    // Shells.
    scrub(
        words!["BASH_ENV", "BASH_FUNC_*", "BASH_LOADABLES_PATH"],
        Inert::Never,
        "a shell runs it before its script",
    ),
    scrub(
        words!["ENV"],
        Inert::Is(words![
            "production", "development", "staging", "test", "testing", "dev", "prod", "local", "ci", "",
        ]),
        "a shell runs the file it names at its start",
    ),
    scrub(
        words!["SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "BASH_XTRACEFD", "KSH_VERSION", "POSIXLY_CORRECT"],
        Inert::Never,
        "switches a shell's or a program's ways of parsing",
    ),
    scrub(
        words!["PS4", "PROMPT_COMMAND", "PS0"],
        Inert::Never,
        "a shell evaluates it",
    ),
    scrub(
        words!["IFS", "GLOBIGNORE", "EXECIGNORE", "FIGNORE"],
        Inert::Never,
        "changes how a shell splits and finds words",
    ),
    scrub(
        words!["ZDOTDIR", "FPATH", "CDPATH", "MODULE_PATH"],
        Inert::Never,
        "a shell looks for files and folders there",
    ),
    keep(
        words!["PATH"],
        Inert::Never,
        "programs are looked up in it",
    ),
    scrub(
        words!["XDG_CONFIG_HOME"],
        Inert::OfHome(".config"),
        "programs read their configuration, which names programs, from it",
    ),
    scrub(
        words!["XDG_CONFIG_DIRS"],
        Inert::SystemFolders,
        "programs read their configuration, which names programs, from it",
    ),
    keep(
        words!["HOME", "USERPROFILE", "XDG_*"],
        Inert::Never,
        "programs read their configuration from it",
    ),
    keep(
        words!["PWD", "OLDPWD"],
        Inert::Never,
        "`cd` and programs believe it",
    ),
    scrub(
        words!["SHELL"],
        Inert::Is(words![
            "/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/bin/ash", "/bin/fish", "/bin/ksh", "/bin/tcsh",
            "/usr/bin/sh", "/usr/bin/bash", "/usr/bin/dash", "/usr/bin/zsh", "/usr/bin/fish", "/usr/bin/ksh",
            "/usr/bin/tcsh", "/sbin/nologin", "/usr/sbin/nologin", "/bin/false", "/usr/bin/false",
            "/usr/local/bin/bash", "/usr/local/bin/zsh", "/usr/local/bin/fish", "/opt/homebrew/bin/bash",
            "/opt/homebrew/bin/zsh", "/opt/homebrew/bin/fish", "/run/current-system/sw/bin/bash",
            "/run/current-system/sw/bin/zsh", "/run/current-system/sw/bin/fish", "",
        ]),
        "programs run it to run commands",
    ),
    scrub(
        words!["PARALLEL", "PARALLEL_*", "STTY"],
        Inert::Never,
        "parallel runs its jobs with it, zsh gives it to stty",
    ),
    keep(
        words!["TMPDIR", "TMP", "TEMP", "TMPPREFIX"],
        Inert::Is(words!["/tmp", "/var/tmp"]),
        "programs write their temporary files there",
    ),
    keep(
        words!["HISTFILE", "INPUTRC", "MAIL", "MAILPATH"],
        NULL,
        "a shell reads or writes the file",
    ),
    keep(
        words!["EXEC_GUARD_*"],
        Inert::Never,
        "steers the guard",
    ),
    // git and other version control.
    scrub(
        words!["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND"],
        Inert::Is(words!["ssh"]),
        "git runs it as its transport",
    ),
    scrub(
        words!["GIT_EXTERNAL_DIFF", "GIT_DIFFTOOL_*", "GIT_MERGETOOL_*", "GIT_SHELL_PATH", "GIT_MAN_VIEWER", "TIG_EDITOR", "TIG_SCRIPT",
          "GIT_SVN_*", "GITWEB_CONFIG*", "GITPERLLIB", "GIT_TEXTDOMAINDIR", "GIT_GUI_LIB_DIR", "ARCH_CLIENT", "GIT_COMMAND", "DEB_GAIN_ROOT_CMD", "DEB_CHECK_COMMAND"],
        Inert::Is(words![""]),
        "git runs it",
    ),
    scrub(
        words!["GIT_CONFIG_NOSYSTEM"],
        Inert::Switch,
        "git leaves out the system's configuration",
    ),
    scrub(
        words!["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"],
        NULL,
        "git reads its configuration, which names programs, from it",
    ),
    scrub(
        words!["GIT_CONFIG", "GIT_CONFIG_*"],
        Inert::Never,
        "sets git's configuration, which names programs",
    ),
    scrub(
        words!["GIT_EXEC_PATH"],
        Inert::Is(words![
            "/usr/lib/git-core", "/usr/libexec/git-core", "/usr/local/libexec/git-core",
            "/usr/local/lib/git-core",
        ]),
        "git takes its sub-programs from it",
    ),
    scrub(
        words!["GIT_TEMPLATE_DIR"],
        Inert::Is(words![""]),
        "git copies hooks from it",
    ),
    scrub(
        words!["GIT_DIR", "GIT_COMMON_DIR"],
        Inert::Is(words![".git"]),
        "git uses another repository's configuration and hooks",
    ),
    scrub(
        words!["GIT_INDEX_FILE"],
        Inert::Is(words![".git/index", ".git/index.lock"]),
        "git uses another index",
    ),
    scrub(
        words!["GIT_WORK_TREE"],
        Inert::Is(words!["."]),
        "git writes into another folder",
    ),
    scrub(
        words![
            "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE",
            "GIT_REPLACE_REF_BASE", "GIT_ATTR_*",
        ],
        Inert::Never,
        "git takes objects or attributes from another place",
    ),
    scrub(
        words!["GIT_ALLOW_PROTOCOL", "GIT_PROTOCOL_FROM_USER"],
        Inert::Never,
        "opens transports of git that run commands",
    ),
    scrub(
        words!["GIT_TRACE*", "GIT_TR2_*", "GIT_REDIRECT_*"],
        Inert::Switch,
        "git writes a log into the file it names",
    ),
    keep(
        words!["GIT_SSL_*", "GIT_PROXY_SSL_*", "GIT_CURL_*", "GIT_HTTP_*"],
        Inert::Is(words![""]),
        "weakens or redirects git's connections",
    ),
    scrub(
        words!["HGRCPATH", "HG", "HGMERGE", "HGUSER*"],
        NULL,
        "Mercurial reads its configuration, which names programs, from it",
    ),
    scrub(
        words!["SVN_SSH", "CVS_RSH", "CVS_SERVER", "BZR_SSH", "BZR_PLUGIN_PATH", "JJ_CONFIG", "SVN_MERGE",
          "TIGRC_USER", "TIGRC_SYSTEM", "RCSINIT", "GIT_ANNEX_*"],
        Inert::Is(words!["ssh"]),
        "a version control program runs it",
    ),
    // Editors, pagers, askers.
    scrub(
        words![
            "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "SUDO_EDITOR", "KUBE_EDITOR",
            "HGEDITOR", "SVN_EDITOR", "FCEDIT", "BUNDLER_EDITOR", "GEM_EDITOR", "SYSTEMD_EDITOR",
            "PSQL_EDITOR", "LESSEDIT", "TEXEDIT", "CVSEDITOR", "JJ_EDITOR", "GH_EDITOR", "GLAB_EDITOR",
            "ALTERNATE_EDITOR", "CRONTAB_EDITOR", "DIFFPROG", "HOMEBREW_EDITOR", "ESHELL", "SPELL",
        ],
        NO_EDITOR,
        "programs run it as the editor",
    ),
    scrub(
        words![
            "PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "BAT_PAGER", "DELTA_PAGER", "PSQL_PAGER",
            "AWS_PAGER", "GH_PAGER", "GLAB_PAGER", "JJ_PAGER", "HGPAGER", "PERLDOC_PAGER", "KUBECTL_PAGER",
            "PSQL_WATCH_PAGER", "PERF_PAGER", "RI_PAGER", "PERLDOC_PAGER_*", "METAMAIL_PAGER", "MYSQL_PAGER",
            "NULLCMD", "READNULLCMD",
        ],
        NO_PAGER,
        "programs pipe their output to it",
    ),
    scrub(
        words!["LESSOPEN", "LESSCLOSE"],
        Inert::Is(words![
            "", "| /usr/bin/lesspipe %s", "||/usr/bin/lesspipe.sh %s", "/usr/bin/lesspipe %s %s",
        ]),
        "less runs it for every file",
    ),
    scrub(
        words!["LESS", "MORE", "SYSTEMD_LESS"],
        Inert::LessFlags,
        "options of less can write files and run commands",
    ),
    scrub(
        words!["LESSKEY*", "LESS_TERMCAP_DEBUG", "LESSGLOBALTAGS", "LESSMETA*", "LESSECHO"],
        Inert::Never,
        "less takes commands from it",
    ),
    scrub(
        words!["LESSHISTFILE", "LESSHST"],
        // less(1): `-` is no file.
        Inert::Is(words!["", "/dev/null", "-"]),
        "less writes the file",
    ),
    scrub(
        words![
            "MANOPT", "MANROFFOPT", "MAN_KEEP_FORMATTING", "GROFF_COMMAND_PREFIX", "GROFF_BIN_PATH",
            "GROFF_TYPESETTER", "GROFF_TMAC_PATH", "GROFF_FONT_PATH", "MANLESS",
        ],
        Inert::Never,
        "man passes it on as options",
    ),
    keep(
        words!["MANPATH", "INFOPATH"],
        Inert::Never,
        "manual pages, which are programs of roff, come from it",
    ),
    scrub(
        words![
            "BROWSER", "HELP_BROWSER", "GH_BROWSER", "GLAB_BROWSER", "HOMEBREW_BROWSER", "CARGO_DOC_BROWSER",
            "R_BROWSER", "R_PDFVIEWER", "DESKTOP_LAUNCH",
        ],
        Inert::Is(words!["", "true", "false", "none", "echo", ":"]),
        "programs run it to show a page",
    ),
    scrub(
        words!["GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS", "SSH_ASKPASS_REQUIRE", "WGET_ASKPASS"],
        NO_ASKPASS,
        "programs run it to ask for a password",
    ),
    scrub(
        words![
            "VIMINIT", "EXINIT", "GVIMINIT", "NEXINIT", "VIMRUNTIME", "VIM", "MYVIMRC", "NVIM_APPNAME",
            "EMACSLOADPATH", "EMACSDATA", "EMACSPATH", "NVIM_RPLUGIN_MANIFEST", "MICRO_CONFIG_HOME", "KAKOUNE_*",
        ],
        Inert::Never,
        "an editor runs it at its start",
    ),
    // Where tools find themselves, each other and what they installed.
    scrub(
        words![
            "CARGO_HOME", "RUSTUP_HOME", "GOROOT", "GOPATH", "GOMODCACHE", "JAVA_HOME", "GRADLE_USER_HOME", "GRADLE_HOME", "M2_HOME",
            "MAVEN_HOME", "MAVEN_USER_HOME", "ANT_HOME", "GEM_HOME", "GEM_PATH", "COMPOSER_HOME", "DENO_DIR", "BUN_INSTALL", "NVM_DIR",
            "PYENV_ROOT", "RBENV_ROOT", "NODENV_ROOT", "GOENV_ROOT", "JENV_ROOT", "ASDF_DIR", "ASDF_DATA_DIR", "ASDF_CONFIG_FILE",
            "VOLTA_HOME", "MISE_DATA_DIR", "MISE_CONFIG_DIR", "SDKMAN_DIR", "ANDROID_HOME", "ANDROID_SDK_ROOT", "DOTNET_ROOT*",
            "PLAYWRIGHT_BROWSERS_PATH", "PUPPETEER_CACHE_DIR", "PRE_COMMIT_HOME", "HELM_DATA_HOME", "HELM_CONFIG_HOME", "GH_CONFIG_DIR",
            "GLAB_CONFIG_DIR", "TF_PLUGIN_CACHE_DIR", "MIX_HOME",
        ],
        PLACED,
        "a tool takes programs or code from it",
    ),
    scrub(
        words!["MISE_TRUSTED_*", "MISE_GLOBAL_*", "MISE_OVERRIDE_*", "MISE_YES"],
        Inert::Never,
        "mise trusts files that run commands",
    ),
    // `path:/tmp/x` is a version for asdf and mise.
    scrub(
        words!["ASDF_*", "MISE_*", "PYENV_*", "RBENV_*", "NODENV_*", "GOENV_*", "JENV_*"],
        Inert::Version(PLACES),
        "chooses the program that runs under a name",
    ),
    scrub(
        words!["USE_BAZEL_VERSION"],
        Inert::Word,
        "bazelisk runs it",
    ),
    scrub(
        words!["NIX_CONFIG", "NIX_CONF_DIR", "NIX_USER_CONF_FILES", "NIX_SSHOPTS", "NIX_BUILD_*", "NIX_BIN_DIR", "DIRENV_CONFIG", "DIRENV_BASH"],
        Inert::Never,
        "names programs that are run, or a configuration that does",
    ),
    // Python.
    scrub(
        words![
            "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONEXECUTABLE",
            "PYTHONPLATLIBDIR", "PYTHONCASEOK", "PYTHONPYCACHEPREFIX", "__PYVENV_LAUNCHER__",
        ],
        Inert::Is(words![""]),
        "Python loads code from it",
    ),
    scrub(
        words!["PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHON_PRESITE"],
        Inert::Is(words!["", "0"]),
        "Python runs or imports it",
    ),
    scrub(
        words!["PYTHONWARNINGS"],
        Inert::Warnings,
        "Python imports the class a filter names",
    ),
    scrub(
        words![
            "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "COVERAGE_PROCESS_START", "IPYTHONDIR", "PYLINTRC",
            "MYPYPATH", "COVERAGE_RCFILE", "TOX_OVERRIDE", "GUNICORN_CMD_ARGS", "SCONSFLAGS", "MATPLOTLIBRC",
            "JUPYTER_CONFIG_DIR", "JUPYTER_CONFIG_PATH", "JUPYTER_PATH",
        ],
        Inert::Words(words!["-q", "-v", "--color=*", "--tb=*", "-ra", "-x"]),
        "loads plugins or options into Python tools",
    ),
    keep(
        words!["PYTHON_HISTORY", "PYTHONDUMPREFSFILE"],
        Inert::Never,
        "Python writes files there",
    ),
    scrub(
        words!["MPLBACKEND"],
        Inert::Word,
        "Matplotlib imports the module it names",
    ),
    scrub(
        words!["PIP_PYTHON", "UV_PYTHON", "PIPX_DEFAULT_PYTHON", "PIPENV_PYTHON"],
        Inert::Word,
        "a package manager runs it as Python",
    ),
    scrub(
        words!["PYTHON", "PYTHON3", "NODE_GYP_FORCE_PYTHON", "NODE", "PERL", "RUBY", "SPHINXBUILD", "PIPENV_SHELL",
          "VIRTUALENVWRAPPER_PYTHON", "CHROME_PATH", "CHROMEDRIVER_PATH", "KUBECTL_EXTERNAL_DIFF", "TERRAGRUNT_TFPATH", "TG_TF_PATH",
          "CDK_DOCKER", "LLVM_COV", "LLVM_PROFDATA", "CROSS_CONTAINER_ENGINE", "LEIN_JAVA_CMD", "BAZEL_REAL", "BUILDAH_RUNTIME",
          "CHROME_DEVEL_SANDBOX", "SWIFT_EXEC", "DOTNET_HOST_PATH", "npm_execpath", "npm_node_execpath"],
        Inert::Started,
        "names a program that another one starts",
    ),
    scrub(
        words!["UV_ENV_FILE"],
        Inert::Never,
        "sets the environment of what it runs",
    ),
    scrub(
        words!["PIP_CONFIG_FILE", "UV_CONFIG_FILE", "POETRY_CONFIG_DIR"],
        NULL,
        "a package manager reads its configuration from it",
    ),
    keep(
        words!["PIP_*", "UV_*", "POETRY_*", "PIPX_*", "PDM_*", "CONDA_*", "TWINE_*", "VIRTUAL_ENV*"],
        Inert::Never,
        "packages, which are code, come from where it says",
    ),
    // JavaScript.
    scrub(
        words!["NODE_OPTIONS"],
        Inert::Words(words![
            "--max-old-space-size=*", "--no-warnings", "--no-deprecation", "--trace-warnings",
            "--trace-deprecation", "--enable-source-maps", "--unhandled-rejections=*",
            "--max-semi-space-size=*", "--dns-result-order=*", "--openssl-legacy-provider",
            "--experimental-vm-modules",
        ]),
        "node loads code before the program",
    ),
    scrub(
        words![
            "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "NODE_REDIRECT_WARNINGS", "NODE_ICU_DATA",
            "NODE_REPL_HISTORY", "NODE_COMPILE_CACHE", "BUN_RUNTIME_TRANSPILER_CACHE_PATH", "BABEL_CACHE_PATH",
        ],
        Inert::Is(words![""]),
        "node loads code from it or writes the file",
    ),
    keep(
        words![
            "NODE_V8_COVERAGE", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED",
            "NODE_CHANNEL_FD",
        ],
        Inert::Is(words!["1"]),
        "node writes files there, or trusts other hosts",
    ),
    scrub(
        words![
            "TS_NODE_COMPILER", "TS_NODE_COMPILER_OPTIONS", "TS_NODE_PROJECT", "ELECTRON_RUN_AS_NODE",
            "YARN_YARN_PATH", "YARN_PLUGINS", "YARN_RC_FILENAME", "BUN_INSPECT*", "BUN_OPTIONS",
            
            "PRISMA_QUERY_ENGINE_*", "PRISMA_SCHEMA_ENGINE_*", "PRISMA_MIGRATION_ENGINE_*",
            "PRISMA_INTROSPECTION_ENGINE_*", "PRISMA_FMT_*", "CYPRESS_RUN_BINARY", "ELECTRON_OVERRIDE_DIST_PATH",
            "CHROME_BIN", "CHROMIUM_BIN", "FIREFOX_BIN", "pnpm_config_*", "NAPI_RS_NATIVE_LIBRARY_PATH",
            "NODE_BINDINGS_COMPILED_DIR", "NODE_CONFIG_DIR", "DENO_PERMISSION_*", "DENO_WEBGPU_TRACE",
        ],
        Inert::Never,
        "loads code into a JavaScript tool",
    ),
    keep(
        words![
            "npm_config_loglevel", "npm_config_progress", "npm_config_color", "npm_config_fund",
            "npm_config_audit", "npm_config_update_notifier", "npm_config_legacy_peer_deps",
            "npm_config_offline", "npm_config_yes",
        ],
        Inert::Word,
        "sets npm",
    ),
    keep(
        words![
            "npm_config_registry", "npm_config_proxy", "npm_config_https_proxy", "npm_config_noproxy",
            "npm_config_cafile", "npm_config_ca", "npm_config__auth*", "npm_config_user_agent",
            "npm_config_npm_version", "npm_config_jobs", "npm_config_maxsockets", "npm_config_fetch_*",
            "npm_config_prefer_*", "npm_config_engine_strict", "npm_config_save_*", "npm_config_omit",
            "npm_config_include", "npm_config_production", "npm_config_only", "npm_config_strict_ssl",
            "npm_config_unsafe_perm", "npm_config_foreground_scripts", "npm_config_package_lock",
            "npm_config_target_arch", "npm_config_arch",
        ],
        Inert::Never,
        "sets where a package manager fetches code from, and how",
    ),
    scrub(
        words!["npm_config_ignore_scripts"],
        Inert::Is(words!["true"]),
        "npm runs the scripts of packages",
    ),
    // What else it can be set by the environment: a shell, a configuration, folders from which code is run.
    scrub(
        words!["npm_config_*"],
        Inert::Never,
        "npm runs it, or runs code from it",
    ),
    scrub(
        words!["YARN_SCRIPT_SHELL", "YARN_USE_YARNRC", "YARN_PREFIX", "YARN_GLOBAL_FOLDER", "COREPACK_ROOT", "COREPACK_HOME"],
        Inert::Never,
        "a package manager runs it, or runs code from it",
    ),
    scrub(
        words!["DENO_V8_FLAGS"],
        Inert::Words(words!["--max-old-space-size=*", "--max-heap-size=*", "--stack-size=*"]),
        "V8 writes files, or is made less safe",
    ),
    keep(
        words!["YARN_*", "PNPM_*", "COREPACK_*", "DENO_*"],
        Inert::Never,
        "sets a package manager, which runs programs and fetches code",
    ),
    // Perl, Ruby, PHP, Lua and others.
    scrub(
        words![
            "PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "PERL5SHELL", "PERL_MM_OPT", "PERL_MB_OPT",
            "PERL5DB_THREADED",
            "PERLDB_OPTS", "PERLIO_DEBUG", "PERLDOC", "PERL_CPANM_OPT", "PERLTIDY", "PERLCRITIC", "HARNESS_*",
            "PERL_TEST_HARNESS_*", "AUTOM4TE_CFG", "autom4te_perllibdir",
        ],
        Inert::Never,
        "Perl loads code from it",
    ),
    scrub(
        words!["RUBYOPT"],
        Inert::Words(words!["-W0", "-W1", "-W2", "-w", "-W:*", "-rbundler/setup", "--yjit", "--jit"]),
        "Ruby loads code before the program",
    ),
    scrub(
        words![
            "RUBYLIB", "RUBYPATH", "RUBYSHELL", "RUBY_DEBUG_*", "RUBY_CRASH_REPORT", "RUBYDB_OPTS", "IRBRC",
            "PRYRC", "RAKEOPT", "SPEC_OPTS", "RUBYGEMS_GEMDEPS", "GEMRC", "THOR_*", "RI",
        ],
        Inert::Is(words![""]),
        "Ruby loads code from it",
    ),
    keep(
        words!["GEM_*", "BUNDLE_*", "BUNDLER_*"],
        Inert::Never,
        "gems, which are code, come from it",
    ),
    scrub(
        words!["PHPRC", "PHP_INI_SCAN_DIR", "XDEBUG_CONFIG", "PHP_BINARY"],
        Inert::Never,
        "PHP reads settings that load code",
    ),
    keep(
        words!["COMPOSER_*"],
        Inert::Never,
        "packages, which are code, come from where it says",
    ),
    scrub(
        words!["LUA_INIT*", "LUA_PATH*", "LUA_CPATH*", "LUAROCKS_CONFIG"],
        Inert::Never,
        "Lua runs or loads it",
    ),
    scrub(
        words!["R_PROFILE*", "R_ENVIRON*", "R_HOME", "R_STARTUP*", "R_LIBS*", "RHOME",
          "R_DEFAULT_PACKAGES", "R_TESTS"],
        Inert::Never,
        "R runs it at its start",
    ),
    scrub(
        words!["JULIA_LOAD_PATH", "JULIA_BINDIR", "JULIA_EDITOR", "JULIA_PROJECT"],
        Inert::Is(words!["@.", "."]),
        "Julia loads code from it",
    ),
    scrub(
        words!["ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS", "ERL_LIBS", "ERL_INETRC", "ELIXIR_ERL_OPTIONS",
          "ERL_COMPILER_OPTIONS", "ERLC_EMULATOR", "ERLC_USE_SERVER", "EMU", "REBAR_CONFIG",
          "REBAR_GLOBAL_CONFIG_DIR", "MIX_EXS", "MIX_PATH"],
        Inert::Words(words!["-kernel", "shell_history", "enabled"]),
        "Erlang runs it at its start",
    ),
    scrub(
        words![
            "GUILE_*", "RACKET*", "PLTUSERHOME", "PLTCOLLECTS", "SBCL_HOME", "TCLLIBPATH", "TCL_LIBRARY",
            "TK_LIBRARY", "GHCRTS", "GHC_PACKAGE_PATH", "GHC_ENVIRONMENT", "OCAMLLIB", "OCAMLPATH",
            "OCAMLRUNPARAM", "CAML_LD_LIBRARY_PATH", "SWIPL", "OCTAVE_*", "MONO_*", "PSMODULEPATH", "PSModulePath",
            "STACK_YAML", "CABAL_CONFIG", "XONSHRC", "NU_LIB_DIRS", "MLRRC",
            "AWKPATH", "AWKLIBPATH", "GAWK_*", "M4PATH", "M4",
        ],
        Inert::Never,
        "an interpreter loads code from it",
    ),
    scrub(
        words![
            "DOTNET_STARTUP_HOOKS", "DOTNET_ADDITIONAL_DEPS", "DOTNET_SHARED_STORE", "CORECLR_*", "COR_*",
            "COMPlus_*", "MSBuildSDKsPath",
            "MSBuildExtensionsPath*", "CustomBefore*", "CustomAfter*", "DirectoryBuildPropsPath",
            "DirectoryBuildTargetsPath", "AlternateCommonProps",
        ],
        Inert::Never,
        ".NET loads code from it",
    ),
    // Java.
    scrub(
        words![
            "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS", "MAVEN_OPTS",
            "MAVEN_ARGS", "MAVEN_BASEDIR", "GRADLE_OPTS", "SBT_OPTS", "ANT_OPTS", "ANT_ARGS", "JRUBY_OPTS", "SCALA_OPTS",
            "CATALINA_OPTS", "LEIN_JVM_OPTS", "JAVACMD", "JRE_OPTS", "MAVEN_DEBUG_OPTS", "MAVEN_CONFIG",
            "IBM_JAVA_OPTIONS", "OPENJ9_JAVA_OPTIONS", "JAVA_OPTIONS", "JVM_OPTS", "KOTLIN_COMPILER", "CLJ_CONFIG",
            "GROOVY_CONF", "STARTER_CONF", "BOOT_JVM_OPTIONS", "KAFKA_OPTS", "ES_JAVA_OPTS",
        ],
        JAVA,
        "Java loads an agent or runs a command",
    ),
    scrub(
        words!["CLASSPATH"],
        Inert::Is(words!["", "."]),
        "Java loads code from it",
    ),
    // Compilers and build tools.
    scrub(
        words![
            "RUSTC", "RUSTDOC", "RUSTFMT", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_LINKER",
            "CLIPPY_DRIVER_PATH", "CLIPPY_ARGS", "RUST_GDB", "RUST_LLDB", "CARGO_BUILD_RUSTC*", "CARGO_BUILD_RUSTDOC*",
        ],
        Inert::Is(words!["", "sccache", "rustc"]),
        "cargo runs it",
    ),
    scrub(
        words!["RUSTFLAGS", "RUSTDOCFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS"],
        Inert::Words(words![
            "-D", "-Dwarnings", "warnings", "-A", "-W", "-C", "debuginfo=*", "target-cpu=*", "opt-level=*",
            "--cfg=*", "-Cdebuginfo=*", "-Ctarget-cpu=*", "-Copt-level=*",
        ]),
        "names the linker or loads code into the compiler",
    ),
    keep(
        words!["CARGO_TARGET_DIR"],
        Inert::Is(words!["target"]),
        "cargo writes and runs what it builds there",
    ),
    scrub(
        words!["CARGO_TARGET_*", "CARGO_ALIAS_*", "CARGO_UNSTABLE_*", "CARGO_HOST_*",
          "CARGO_CREDENTIAL_ALIAS_*", "CARGO_REGISTRY_CREDENTIAL_PROVIDER",
          "CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS", "RUST_TARGET_PATH"],
        Inert::Never,
        "cargo runs it as a linker, a runner or an alias",
    ),
    keep(
        words![
            "CARGO_TERM_*", "CARGO_INCREMENTAL", "CARGO_NET_OFFLINE", "CARGO_NET_RETRY", "CARGO_BUILD_JOBS",
            "CARGO_PROFILE_*",
        ],
        Inert::Word,
        "sets cargo",
    ),
    scrub(
        words!["CARGO"],
        Inert::Started,
        "cargo's own commands run it as cargo",
    ),
    // A file of that name chooses the linker.
    scrub(
        words!["CARGO_BUILD_TARGET"],
        Inert::Word,
        "chooses what is built, and the linker",
    ),
    keep(
        words!["CARGO_*"],
        Inert::Never,
        "sets cargo, which runs programs and fetches code",
    ),
    // A name is one of the installed; a path may be anything.
    scrub(
        words!["RUSTUP_TOOLCHAIN"],
        Inert::Word,
        "chooses the compiler",
    ),
    keep(
        words!["RUSTUP_*"],
        Inert::Never,
        "compilers come from where it says",
    ),
    scrub(
        words!["GOFLAGS"],
        Inert::Words(words![
            "-mod=mod", "-mod=vendor", "-mod=readonly", "-v", "-race", "-count=1", "-trimpath",
            "-buildvcs=false", "-short", "-p=*",
        ]),
        "go runs a program in place of its tools",
    ),
    scrub(
        words![
            "GOCACHEPROG", "GOPACKAGESDRIVER", "GOAUTH", "GO_EXTLINK*", "GOEXPERIMENT", "GOROOT_FINAL",
            "GOENV", "GOTOOLDIR", "GCCGO", "GCCGOTOOLDIR", "GOWORK",
            "GOLANGCI_LINT_*",
        ],
        Inert::Is(words!["", "off"]),
        "go runs it",
    ),
    keep(
        words!["GOTOOLCHAIN"],
        Inert::Is(words!["local", "auto"]),
        "go fetches and runs another compiler",
    ),
    keep(
        words!["GOPROXY", "GOSUMDB", "GOVCS"],
        Inert::Is(words!["off", "direct", "https://proxy.golang.org,direct", "sum.golang.org"]),
        "modules, which are code, come from where it says",
    ),
    keep(
        words![
            "GOBIN", "GOINSECURE", "GONOSUM*", "GONOPROXY", "GOPRIVATE", "GOCACHE", "GOTMPDIR", "GODEBUG", "CGO_CFLAGS*", "CGO_CPPFLAGS*",
            "CGO_CXXFLAGS*", "CGO_FFLAGS*", "CGO_LDFLAGS*",
        ],
        Inert::Is(words!["", "off"]),
        "go takes code or settings from it",
    ),
    scrub(
        words!["MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS"],
        Inert::MakeFlags,
        "make expands it, which can run commands",
    ),
    scrub(
        words!["MAKE"],
        Inert::Is(words!["", "make", "gmake", "/usr/bin/make", "/usr/bin/gmake", "/usr/local/bin/gmake"]),
        "make runs it in place of itself",
    ),
    scrub(
        words![
            "MAKEFILES", "MAKESHELL", "MAKE_COMMAND", "MAKEOVERRIDES", "PROTOC", "LIBCLANG_PATH", "LLVM_CONFIG_PATH", "CLANG_PATH",
            "BINDGEN_EXTRA_CLANG_ARGS*", "CONFIG_SITE", "CONFIG_SHELL", "BISON_PKGDATADIR", "AUTOM4TE",
            "ACLOCAL", "AUTOCONF", "AUTOMAKE", "LIBTOOLIZE", "QMAKESPEC", "QMAKEFEATURES", "CMAKE_CROSSCOMPILING_EMULATOR", "EM_CONFIG",
        ],
        Inert::Never,
        "make or configure runs it",
    ),
    scrub(
        words![
            "GCC_EXEC_PREFIX", "COMPILER_PATH", "CCC_*", "CCACHE_PREFIX*", "CCACHE_COMPILER", "CCACHE_PATH",
            "CCACHE_CONFIGPATH", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "ASAN_SYMBOLIZER_PATH",
            "LLVM_SYMBOLIZER_PATH", "LLVM_PROFILE_FILE", "GCOV_PREFIX*", "COLLECT_*", "ICECC_*", "DISTCC_SSH", "DISTCC_CMDLIST",
            "CLANG_CONFIG_FILE_*", "CCACHE_LOGFILE", "CCACHE_DIR",         ],
        Inert::Never,
        "the compiler runs programs from it or writes the file",
    ),
    scrub(
        words!["ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "MSAN_OPTIONS"],
        Inert::Is(words![
            "", "detect_leaks=0", "detect_leaks=1", "halt_on_error=1", "halt_on_error=0", "abort_on_error=1",
            "print_stacktrace=1", "print_stacktrace=1:halt_on_error=1", "detect_leaks=0:abort_on_error=1",
        ]),
        "a sanitizer runs a symbolizer or writes its log where it says",
    ),
    scrub(
        words!["VALGRIND_OPTS", "VALGRIND_LIB", "PERF_EXEC_PATH", "SYSTEMD_SSH", "AUTOSSH_PATH"],
        Inert::Never,
        "a program takes the programs it starts from it",
    ),
    scrub(
        words!["CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_CUDA_COMPILER_LAUNCHER"],
        Inert::Is(words!["", "ccache", "sccache", "/usr/bin/ccache", "/usr/bin/sccache"]),
        "the build runs it",
    ),
    scrub(
        words!["CMAKE_TOOLCHAIN_FILE"],
        Inert::Is(words![""]),
        "cmake runs the file",
    ),
    keep(
        words![
            "CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "STRIP", "OBJCOPY", "FC", "F77",
            "CC_*", "CXX_*", "AR_*", "HOSTCC", "HOSTCXX", "TARGET_CC", "PKG_CONFIG", "PKG_CONFIG_*",
            "CMAKE_*", "CROSS_COMPILE", "NINJA", "CONAN_*", "VCPKG_*", "BAZEL*", "YACC", "LEX",
        ],
        Inert::Never,
        "the build runs it",
    ),
    keep(
        words![
            "CFLAGS*", "CXXFLAGS*", "CPPFLAGS*", "LDFLAGS*", "FFLAGS", "CPATH", "LIBRARY_PATH",
            "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH",
        ],
        Inert::Never,
        "options of the compiler can load code",
    ),
    keep(
        words![
            "NVM_*", "VOLTA_*", "SDKMAN_*", "ANDROID_*",
            "NIX_*", "HOMEBREW_PREFIX", "PUPPETEER_*", "CHROME_*", "PLAYWRIGHT_*",
        ],
        Inert::Never,
        "programs are taken from it",
    ),
    // Options that programs read from the environment.
    scrub(
        words![
            "TAR_OPTIONS", "GREP_OPTIONS", "ZIPOPT", "ZIP", "LZOP", "RARINISWITCHES", "BAT_CONFIG_DIR", "CTAGS",
            "ETAGS", "SHELLCHECK_OPTS", "UNZIP", "UNZIPOPT", "ZIPINFO", "GZIP", "XZ_OPT",
            "XZ_DEFAULTS", "BZIP2", "BZIP", "ACK_OPTIONS", "BAT_OPTS", "FD_OPTIONS", "FZF_DEFAULT_*", "LS_OPTIONS", "TAPE", "RMT",
        ],
        Inert::Is(words!["", "-T0", "--no-messages"]),
        "a program reads options from it",
    ),
    // Files: no value but these is none.
    scrub(
        words!["ACKRC", "RIPGREP_CONFIG_PATH", "BAT_CONFIG_PATH", "INDENT_PROFILE", "ASPELL_CONF"],
        NULL,
        "a program reads options from the file",
    ),
    scrub(
        words![
            "RSYNC_RSH", "RSYNC_CONNECT_PROG", "RSYNC_SHELL", "RSH", "RSYNC_PROXY", "RSYNC_PARTIAL_DIR",
            "RSYNC_OLD_ARGS", "BORG_RSH",
        ],
        Inert::Is(words!["ssh"]),
        "rsync runs it as its transport",
    ),
    scrub(
        words![
            "RESTIC_PASSWORD_COMMAND", "BORG_PASSCOMMAND", "BORG_REMOTE_PATH", "RCLONE_PASSWORD_COMMAND",
            "RCLONE_SFTP_SSH", "RCLONE_METADATA_MAPPER", "GH_PATH", "HOMEBREW_GIT_PATH", "HOMEBREW_CURL_PATH",
            "HOMEBREW_BAT*", "HOMEBREW_FORCE_BREWED_*", "PASSWORD_STORE_EXTENSIONS_DIR", "FFREPORT", "GVBINDIR",
            "GNUPLOT_DRIVER_DIR", "GDAL_DRIVER_PATH", "HDF5_PLUGIN_PATH", "OMPI_MCA_*", "PMIX_MCA_*", "PRTE_MCA_*",
            "ODBCINI", "ODBCSYSINI", "ODBCINSTINI", "LIBXSLT_PLUGINS_PATH", "ENCHANT_MODULE_PATH", "LADSPA_PATH",
            "LV2_PATH", "FREI0R_PATH", "LIBVA_DRIVERS_PATH", "VDPAU_DRIVER_PATH", "ALSA_CONFIG_PATH",
        ],
        Inert::Never,
        "a program runs or loads it, or writes the file",
    ),
    scrub(
        words![
            "CURL_HOME", "WGETRC", "SYSTEM_WGETRC", "NETRC", "APT_CONFIG", "PSQLRC", "PGSYSCONFDIR",
            "PGSERVICEFILE", "MYSQL_HOME", "LIBMYSQL_PLUGIN*", "SCREENRC", "SYSSCREENRC", "MAILRC",
            "MAILCAPS", "NMAPDIR", "WIRESHARK_*", "GDBINIT", "RPM_CONFIGDIR", "DPKG_ROOT", "DPKG_ADMINDIR",
        ],
        NULL,
        "a program reads its configuration, which can name programs, from it",
    ),
    scrub(
        words!["OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "OPENSSL_CONF_INCLUDE"],
        NULL,
        "OpenSSL loads code that the configuration names",
    ),
    scrub(
        words!["SSLKEYLOGFILE"],
        Inert::Is(words![""]),
        "TLS keys are written to it",
    ),
    scrub(
        words![
            "SSH_SK_PROVIDER", "SSH_SK_HELPER", "SSH_PKCS11_HELPER", "PKCS11_*", "SASL_PATH",
            "SASL_CONF_PATH", "KRB5_CONFIG", "KRB5_TRACE", "LDAPCONF", "LDAPRC", "OPENSC_CONF", "TSS2_*",
        ],
        Inert::Never,
        "a program loads code from it",
    ),
    keep(
        words![
            "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE",
            "CURL_SSL_*",
        ],
        Inert::Never,
        "programs trust other hosts",
    ),
    keep(
        words!["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "socks_proxy", "rsync_proxy"],
        Inert::Is(words![""]),
        "everything is sent through the host it names",
    ),
    keep(
        words![
            "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GNUPGHOME", "GPG_AGENT_INFO", "PASSWORD_STORE_*",
            "DBUS_SESSION_BUS_ADDRESS",
        ],
        Inert::Never,
        "programs take keys or services from it",
    ),
    scrub(
        words![
            "TEXMFCNF", "TEXMF*", "TEXINPUTS*", "shell_escape*", "openout_any", "openin_any",
            "MAGICK_CONFIGURE_PATH", "MAGICK_CODER_MODULE_PATH", "MAGICK_FILTER_MODULE_PATH", "MAGICK_CODER_FILTER_PATH", "MAGICK_HOME",
            "MAGICK_GHOSTSCRIPT_PATH", "GS_OPTIONS",
            "GS_LIB", "GS_DEVICE",
        ],
        Inert::Never,
        "a document tool reads settings that let it run programs",
    ),
    scrub(
        words![
            "GTK_MODULES", "GTK3_MODULES", "GTK_PATH", "GIO_EXTRA_MODULES", "GIO_MODULE_DIR",
            "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "GST_PLUGIN_PATH*", "GST_PLUGIN_SCANNER*",
            "GDK_PIXBUF_MODULE*", "GI_TYPELIB_PATH", "LIBGL_DRIVERS_PATH", "VK_ICD_FILENAMES",
            "VK_LAYER_PATH", "OCL_ICD_*",
        ],
        Inert::Never,
        "a library loads code from it",
    ),
    scrub(
        words!["CLOUDSDK_PYTHON*", "CLOUDSDK_ROOT_DIR"],
        Inert::Never,
        "a cloud tool runs it",
    ),
    // Where things are sent, and with whose rights.
    scrub(
        words!["DOCKER_CLI_PLUGIN_EXTRA_DIRS", "KREW_ROOT", "AZURE_EXTENSION_DIR", "KUSTOMIZE_PLUGIN_HOME",
          "CONTAINERS_CONF*", "CONTAINERS_STORAGE_CONF", "CONTAINERS_HELPER_BINARY_DIR", "PACKER_CONFIG*", "NUGET_PLUGIN_PATHS",
          "NUGET_CREDENTIALPROVIDERS_PATH"],
        Inert::Never,
        "a tool takes plugins, which are programs, from it",
    ),
    scrub(
        words!["TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG", "TF_REATTACH_PROVIDERS", "TF_CLI_ARGS*"],
        Inert::Words(words!["-no-color", "-input=false"]),
        "Terraform takes providers, which are programs, from where it says",
    ),
    scrub(
        words![
            "ANSIBLE_CONFIG", "ANSIBLE_LIBRARY", "ANSIBLE_MODULE_UTILS",
            "ANSIBLE_SSH_ARGS", "ANSIBLE_SSH_COMMON_ARGS",
        ],
        Inert::Is(words![""]),
        "Ansible runs it, or loads code from it",
    ),
    scrub(
        words!["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"],
        Inert::Is(words!["", "0"]),
        "lets a file of credentials name a program",
    ),
    keep(
        words!["DOCKER_*", "COMPOSE_*", "BUILDX_*", "CONTAINER_HOST", "PODMAN_*"],
        Inert::Never,
        "chooses the daemon, or what it runs",
    ),
    keep(
        words!["KUBECONFIG", "HELM_*", "KUBE_*"],
        Inert::Never,
        "the configuration names credential programs",
    ),
    keep(
        words!["TF_IN_AUTOMATION", "TF_INPUT"],
        Inert::Word,
        "sets Terraform",
    ),
    keep(
        words!["TF_*", "TERRAGRUNT_*", "PULUMI_*", "VAGRANT_*", "ANSIBLE_*", "PACKER_*", "CDK_*"],
        Inert::Never,
        "sets a tool that runs programs",
    ),
    keep(
        words!["AWS_*", "GOOGLE_*", "CLOUDSDK_*", "AZURE_*", "ARM_*"],
        Inert::Never,
        "chooses the account, or the file that names a credential program",
    ),
    keep(
        words!["TERMINFO", "TERMINFO_DIRS", "TERMCAP", "TERMPATH"],
        Inert::Never,
        "what a terminal is told comes from it",
    ),
    keep(
        words!["PGHOST*", "PGPASSFILE", "PGOPTIONS", "PGSSL*", "MYSQL_*", "REDISCLI_*"],
        Inert::Never,
        "chooses the database, and who gets the password",
    ),
];
