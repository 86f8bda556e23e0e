//! Options by which a program works in another folder than it was started in: an entry's `cwd` must hold there too.
//!
//! A value is a folder, or a file whose folder counts. Options are known by their whole names; what begins like one of
//! the long ones is doubt. Sources: the manuals of the programs.
use crate::tables::words::{WordList, words};

/// One family of programs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Names, a version behind them allowed (`make-4.3`).
    pub(crate) names: &'static [&'static str],
    /// Options whose value is a folder: one letter, or a long name. Of programs that take long names behind one dash
    /// (go, terraform), too.
    pub(crate) folders: WordList,
    /// Options whose value is a file that says what is done, or a folder that holds it.
    pub(crate) files: WordList,
    /// Letters of short options with a value, behind which a cluster ends.
    pub(crate) values: &'static str,
    /// Only what stands before the first operand counts: `git -C x log`.
    pub(crate) before_operand: bool,
}

const fn row(
    names: &'static [&'static str],
    folders: WordList,
    files: WordList,
    values: &'static str,
) -> Row {
    Row { names, folders, files, values, before_operand: false }
}

/// Every row.
pub(crate) const ROWS: &[Row] = &[
    row(&["make", "gmake", "remake"], words!["C", "directory"], words!["f", "file", "makefile"], "IjlOoWE"),
    Row {
        before_operand: true,
        ..row(&["git"], words!["C", "git-dir", "work-tree", "exec-path"], WordList::NONE, "c")
    },
    row(
        &["npm", "npx", "pnpm", "pnpx"],
        words!["C", "prefix", "dir", "local-prefix"],
        words!["userconfig", "globalconfig"],
        "",
    ),
    row(&["yarn", "yarnpkg", "bun", "bunx"], words!["cwd"], words!["c", "config", "use-yarnrc"], ""),
    row(&["cargo"], words!["C"], words!["manifest-path", "config"], "Zjp"),
    row(&["go"], words!["C"], words!["modfile", "overlay"], ""),
    row(&["tar", "gtar", "bsdtar"], words!["C", "directory", "cd"], WordList::NONE, "bfgHIKLNTVXF"),
    row(
        &["docker", "docker-compose", "podman", "podman-compose", "nerdctl"],
        words!["project-directory"],
        words!["f", "file", "env-file"],
        "",
    ),
    row(&["terraform", "tofu"], words!["chdir"], WordList::NONE, ""),
    row(
        &["terragrunt"],
        words!["working-dir", "terragrunt-working-dir", "chdir"],
        words!["config", "terragrunt-config"],
        "",
    ),
    row(&["pulumi"], words!["C", "cwd"], WordList::NONE, ""),
    row(
        &["mvn", "mvnw", "mvnd"],
        WordList::NONE,
        words!["f", "file", "s", "settings", "gs", "global-settings"],
        "DPTl",
    ),
    row(
        &["gradle", "gradlew"],
        words!["p", "project-dir", "include-build", "g", "gradle-user-home"],
        words!["b", "build-file", "c", "settings-file", "I", "init-script"],
        "PDx",
    ),
    row(&["ant"], words!["find"], words!["f", "file", "buildfile"], "Dl"),
    row(&["just"], words!["d", "working-directory"], words!["f", "justfile"], ""),
    row(&["task", "go-task"], words!["d", "dir"], words!["t", "taskfile"], "C"),
    row(&["mage"], words!["d", "w"], WordList::NONE, ""),
    row(
        &["poetry", "pipenv", "hatch", "rye", "pdm", "pixi"],
        words!["C", "directory", "P", "p", "project"],
        words!["manifest-path"],
        "",
    ),
    row(&["uv", "uvx"], words!["directory", "project"], words!["config-file", "env-file"], ""),
    row(&["tox"], words!["root", "workdir"], words!["c", "conf"], "ex"),
    row(&["nox"], WordList::NONE, words!["f", "noxfile"], ""),
    row(&["invoke", "inv", "fab"], words!["r", "search-root"], words!["f", "config"], ""),
    row(&["pytest", "py.test"], words!["rootdir", "confcutdir"], words!["c", "config-file"], "kmpnorW"),
    row(&["ninja", "samu"], words!["C"], words!["f"], "jkldtw"),
    row(&["meson"], words!["C"], WordList::NONE, ""),
    row(
        &["cmake", "ctest", "cpack"],
        words!["S", "B", "H", "build", "install", "open", "test-dir"],
        words!["P", "C"],
        "DUGTA",
    ),
    row(
        &["scons"],
        words!["C", "directory", "Y", "repository", "srcdir"],
        words!["f", "file", "makefile", "sconstruct"],
        "j",
    ),
    row(
        &["rake"],
        words!["R", "rakelibdir", "rakelib", "I", "libdir"],
        words!["f", "rakefile", "r", "require"],
        "",
    ),
    row(&["bundle", "bundler"], words!["path"], words!["gemfile"], ""),
    row(&["composer"], words!["d", "working-dir"], WordList::NONE, ""),
    row(&["hg"], words!["R", "repository", "cwd"], words!["config-file"], ""),
    row(&["swift"], words!["C", "package-path", "directory"], WordList::NONE, ""),
    row(&["zig"], WordList::NONE, words!["build-file"], ""),
    row(&["dune"], words!["root"], words!["workspace"], ""),
    row(&["stack"], words!["work-dir", "stack-root", "cwd"], words!["stack-yaml"], ""),
    row(&["cabal"], words!["project-dir"], words!["project-file"], ""),
    row(&["dotnet"], WordList::NONE, words!["project", "p"], ""),
    row(&["tsc"], words!["rootDir"], words!["p", "project"], ""),
    row(&["jest", "vitest", "vite"], words!["rootDir", "root", "r", "dir"], words!["c", "config"], ""),
    row(&["nx", "turbo", "lerna"], words!["cwd"], WordList::NONE, ""),
    row(&["hugo", "jekyll"], words!["s", "source", "d", "destination"], words!["config"], ""),
    row(&["mise", "rtx"], words!["C", "cd"], WordList::NONE, ""),
    row(&["deno"], WordList::NONE, words!["c", "config", "import-map"], ""),
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
