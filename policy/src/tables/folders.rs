//! Options by which a program works in another folder than it was started in: an entry's `cwd` must hold there too.
//!
//! A value is a folder, or a file whose folder counts. Options are known by their whole names; what begins like one of
//! the long ones is doubt. Sources: the manuals of the programs.

/// One family of programs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Names, a version behind them allowed (`make-4.3`).
    pub(crate) names: &'static [&'static str],
    /// Options whose value is a folder: one letter, or a long name. Of programs that take long names behind one dash
    /// (go, terraform), too.
    pub(crate) folders: &'static [&'static str],
    /// Options whose value is a file that says what is done, or a folder that holds it.
    pub(crate) files: &'static [&'static str],
    /// Letters of short options with a value, behind which a cluster ends.
    pub(crate) values: &'static str,
    /// Only what stands before the first operand counts: `git -C x log`.
    pub(crate) before_operand: bool,
}

const fn row(
    names: &'static [&'static str],
    folders: &'static [&'static str],
    files: &'static [&'static str],
    values: &'static str,
) -> Row {
    Row { names, folders, files, values, before_operand: false }
}

/// Every row.
pub(crate) const ROWS: &[Row] = &[
    row(&["make", "gmake", "remake"], &["C", "directory"], &["f", "file", "makefile"], "IjlOoWE"),
    Row { before_operand: true, ..row(&["git"], &["C", "git-dir", "work-tree", "exec-path"], &[], "c") },
    row(
        &["npm", "npx", "pnpm", "pnpx"],
        &["C", "prefix", "dir", "local-prefix"],
        &["userconfig", "globalconfig"],
        "",
    ),
    row(&["yarn", "yarnpkg", "bun", "bunx"], &["cwd"], &["c", "config", "use-yarnrc"], ""),
    row(&["cargo"], &["C"], &["manifest-path", "config"], "Zjp"),
    row(&["go"], &["C"], &["modfile", "overlay"], ""),
    row(&["tar", "gtar", "bsdtar"], &["C", "directory", "cd"], &[], "bfgHIKLNTVXF"),
    row(
        &["docker", "docker-compose", "podman", "podman-compose", "nerdctl"],
        &["project-directory"],
        &["f", "file", "env-file"],
        "",
    ),
    row(&["terraform", "tofu"], &["chdir"], &[], ""),
    row(
        &["terragrunt"],
        &["working-dir", "terragrunt-working-dir", "chdir"],
        &["config", "terragrunt-config"],
        "",
    ),
    row(&["pulumi"], &["C", "cwd"], &[], ""),
    row(&["mvn", "mvnw", "mvnd"], &[], &["f", "file", "s", "settings", "gs", "global-settings"], "DPTl"),
    row(
        &["gradle", "gradlew"],
        &["p", "project-dir", "include-build", "g", "gradle-user-home"],
        &["b", "build-file", "c", "settings-file", "I", "init-script"],
        "PDx",
    ),
    row(&["ant"], &["find"], &["f", "file", "buildfile"], "Dl"),
    row(&["just"], &["d", "working-directory"], &["f", "justfile"], ""),
    row(&["task", "go-task"], &["d", "dir"], &["t", "taskfile"], "C"),
    row(&["mage"], &["d", "w"], &[], ""),
    row(
        &["poetry", "pipenv", "hatch", "rye", "pdm", "pixi"],
        &["C", "directory", "P", "p", "project"],
        &["manifest-path"],
        "",
    ),
    row(&["uv", "uvx"], &["directory", "project"], &["config-file", "env-file"], ""),
    row(&["tox"], &["root", "workdir"], &["c", "conf"], "ex"),
    row(&["nox"], &[], &["f", "noxfile"], ""),
    row(&["invoke", "inv", "fab"], &["r", "search-root"], &["f", "config"], ""),
    row(&["pytest", "py.test"], &["rootdir", "confcutdir"], &["c", "config-file"], "kmpnorW"),
    row(&["ninja", "samu"], &["C"], &["f"], "jkldtw"),
    row(&["meson"], &["C"], &[], ""),
    row(
        &["cmake", "ctest", "cpack"],
        &["S", "B", "H", "build", "install", "open", "test-dir"],
        &["P", "C"],
        "DUGTA",
    ),
    row(
        &["scons"],
        &["C", "directory", "Y", "repository", "srcdir"],
        &["f", "file", "makefile", "sconstruct"],
        "j",
    ),
    row(&["rake"], &["R", "rakelibdir", "rakelib", "I", "libdir"], &["f", "rakefile", "r", "require"], ""),
    row(&["bundle", "bundler"], &["path"], &["gemfile"], ""),
    row(&["composer"], &["d", "working-dir"], &[], ""),
    row(&["hg"], &["R", "repository", "cwd"], &["config-file"], ""),
    row(&["swift"], &["C", "package-path", "directory"], &[], ""),
    row(&["zig"], &[], &["build-file"], ""),
    row(&["dune"], &["root"], &["workspace"], ""),
    row(&["stack"], &["work-dir", "stack-root", "cwd"], &["stack-yaml"], ""),
    row(&["cabal"], &["project-dir"], &["project-file"], ""),
    row(&["dotnet"], &[], &["project", "p"], ""),
    row(&["tsc"], &["rootDir"], &["p", "project"], ""),
    row(&["jest", "vitest", "vite"], &["rootDir", "root", "r", "dir"], &["c", "config"], ""),
    row(&["nx", "turbo", "lerna"], &["cwd"], &[], ""),
    row(&["hugo", "jekyll"], &["s", "source", "d", "destination"], &["config"], ""),
    row(&["mise", "rtx"], &["C", "cd"], &[], ""),
    row(&["deno"], &[], &["c", "config", "import-map"], ""),
];

/// The row of a program, by one of its names.
pub(crate) fn find(name: &[u8]) -> Option<&'static Row> {
    let bare = |name: &'_ [u8]| -> usize {
        let version = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'_');
        name.iter().rposition(|b| !version(b)).map_or(0, |p| p + 1)
    };
    let stem = name.get(..bare(name)).unwrap_or_default();
    ROWS.iter().find(|r| r.names.iter().any(|n| n.as_bytes() == name || n.as_bytes() == stem))
}
