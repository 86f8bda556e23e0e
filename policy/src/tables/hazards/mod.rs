//! What makes a well-known, allowed program do more than its name announces.
use super::index::{self, Index};
use super::words::WordList;

/// Kinds of hazard; each can be turned off by `tools.exec.hazards.<category>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Runs another program.
    RunsProgram,
    /// Evaluates code given on the command line; follows `strictInlineEval`.
    InlineCode,
    /// Loads code from a file.
    LoadsCode,
    /// Overwrites or creates files.
    WritesFile,
    /// Deletes files.
    Deletes,
    /// Sends a file away.
    Uploads,
}

impl Category {
    /// Every category.
    pub const ALL: &'static [Category] = &[
        Category::RunsProgram,
        Category::InlineCode,
        Category::LoadsCode,
        Category::WritesFile,
        Category::Deletes,
        Category::Uploads,
    ];

    /// The word in documents and messages.
    pub fn word(self) -> &'static str {
        match self {
            Category::RunsProgram => "runs-program",
            Category::InlineCode => "inline-code",
            Category::LoadsCode => "loads-code",
            Category::WritesFile => "writes-file",
            Category::Deletes => "deletes",
            Category::Uploads => "uploads",
        }
    }
}

mod build;
mod check;
mod cloud;
mod cloud_subs;
mod data;
mod edit;
mod files;
mod git;
pub(crate) mod git_settings;
mod host;
mod lang;
mod lang_more;
mod net;
mod packages;
mod starters;
mod vcs;

/// Everything known of well-known programs, by family. A program may stand in more than one row: all that
/// bear its name apply.
pub const PROGRAMS: &[&[Program]] = &[
    git::PROGRAMS,
    vcs::PROGRAMS,
    files::PROGRAMS,
    build::PROGRAMS,
    packages::PROGRAMS,
    check::PROGRAMS,
    lang::PROGRAMS,
    lang_more::PROGRAMS,
    data::PROGRAMS,
    net::PROGRAMS,
    cloud::PROGRAMS,
    host::PROGRAMS,
    edit::PROGRAMS,
    starters::PROGRAMS,
];

/// How many there are.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const COUNT: usize = {
    let (mut n, mut family) = (0, 0);
    while family < PROGRAMS.len() {
        n += PROGRAMS[family].len();
        family += 1;
    }
    n
};

/// Each of them, in order.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
static ALL: [&Program; COUNT] = {
    let mut all = [&PROGRAMS[0][0]; COUNT];
    let (mut n, mut family) = (0, 0);
    while family < PROGRAMS.len() {
        let mut program = 0;
        while program < PROGRAMS[family].len() {
            all[n] = &PROGRAMS[family][program];
            n += 1;
            program += 1;
        }
        family += 1;
    }
    all
};

/// The names of each.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const NAMES: [&[&str]; COUNT] = index::names!(ALL, COUNT);

static INDEX: Index<{ index::count(&NAMES) }> = Index::new(&NAMES);

/// The places in the table of the programs that may have this name.
pub fn places(name: &[u8]) -> impl Iterator<Item = usize> {
    INDEX.of(name)
}

/// The program at a place of the table.
pub fn at(place: usize) -> Option<&'static Program> {
    ALL.get(place).copied()
}

/// One program, or several that share their options.
#[derive(Debug)]
pub struct Program {
    /// Last components of its path, without version suffix.
    pub names: &'static [&'static str],
    /// Its options (before the sub-command, where it has sub-commands).
    pub opts: Opts,
    /// What of them is hazardous.
    pub rows: &'static [Row],
    /// Its sub-commands. If there are any, the first operand is one.
    pub subs: &'static [Sub],
}

/// A sub-command with options of its own.
#[derive(Debug)]
pub struct Sub {
    /// Its names.
    pub names: &'static [&'static str],
    /// Its options.
    pub opts: Opts,
    /// What of them is hazardous.
    pub rows: &'static [Row],
}

/// How a program reads its options.
///
/// Not a closed list as for a safe bin: an option that is not named is taken for a flag, since here only the
/// hazardous ones are looked for. What must be complete is the list of those that take a value, or a value
/// would be taken for an option.
#[derive(Clone, Copy, Debug)]
pub struct Opts {
    /// Short options that take a value, in getopt(3) notation (`o:` a value, `i::` an attached one), and
    /// `l#` for one that takes attached digits only (perl's `-0777`), `c!` for one that takes a value and ends
    /// the options (python's `-c`), and `e:+` for one whose value may look like an option in every version of it.
    pub short: &'static str,
    /// Long options separated by blanks: `name=` takes a value, `name=?` only an attached one, `name=!` one that
    /// ends the options, `name=+` one like `e:+`, `name` none.
    /// Plain ones need listing only where they begin another name in the list. With
    /// [`Style::single_dash`] these are the only ones there are, and rows write them `--name` too.
    pub long: &'static str,
    /// The manner of parsing.
    pub style: Style,
}

/// A manner of parsing options.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The options end at the operand of this number, from 1 (2 = ssh, options may follow the host).
    pub stop: u16,
    /// Long options may be shortened.
    pub abbreviate: bool,
    /// One dash introduces long options (go, java, find).
    pub single_dash: bool,
    /// The first word may be a bundle of letters without a dash (tar, ar).
    pub bundle: bool,
}

/// GNU: options anywhere, long ones may be shortened.
pub const GNU: Style = Style { stop: u16::MAX, abbreviate: true, single_dash: false, bundle: false };
/// Options end at the first operand.
pub const POSIX: Style = Style { stop: 1, abbreviate: true, single_dash: false, bundle: false };
/// Options anywhere, long ones in full only.
pub const EXACT: Style = Style { stop: u16::MAX, abbreviate: false, single_dash: false, bundle: false };
/// Options end at the first operand, long ones in full only.
pub const EXACT_POSIX: Style = Style { stop: 1, abbreviate: false, single_dash: false, bundle: false };
/// `-name value`, anywhere.
pub const DASH: Style = Style { stop: u16::MAX, abbreviate: false, single_dash: true, bundle: false };
/// `-name value`, until the first operand.
pub const DASH_POSIX: Style = Style { stop: 1, abbreviate: false, single_dash: true, bundle: false };
/// ssh's: options before the host and after it, then the remote command.
pub const HOST: Style = Style { stop: 2, abbreviate: false, single_dash: false, bundle: false };
/// tar's: GNU, and the first word may lack its dash.
pub const BUNDLE: Style = Style { stop: u16::MAX, abbreviate: true, single_dash: false, bundle: true };

impl Opts {
    /// The options of a program.
    pub const fn new(style: Style, short: &'static str, long: &'static str) -> Opts {
        Opts { short, long, style }
    }
}

/// One hazard.
#[derive(Debug)]
pub struct Row {
    /// The shape that is hazardous.
    pub when: When,
    /// What it does.
    pub category: Category,
    /// One sentence for the person who is asked.
    pub why: &'static str,
    /// Where that is written. For the reader of the table, and not shipped: it was a hundredth of the guard.
    #[cfg(test)]
    pub source: &'static str,
    /// A command line that has it, without the program's name. The tests run it; it is not shipped.
    #[cfg(test)]
    pub example: &'static str,
}

/// A row; short, because the tables are long.
pub(crate) const fn row(
    when: When,
    category: Category,
    why: &'static str,
    #[cfg_attr(not(test), expect(unused_variables, reason = "for the tests"))] source: &'static str,
    #[cfg_attr(not(test), expect(unused_variables, reason = "for the tests"))] example: &'static str,
) -> Row {
    Row {
        when,
        category,
        why,
        #[cfg(test)]
        source,
        #[cfg(test)]
        example,
    }
}

/// A shape of arguments. Option names are written with their dashes and separated by blanks.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// However it is called.
    Always,
    /// One of the options is there.
    Opt(&'static str),
    /// One of the options is there with such a value.
    Val(&'static str, Test),
    /// Some operand is such.
    Operand(Test),
    /// The operand of that number (from 0) is such.
    Nth(usize, Test),
    /// Some operand after that number of them is such.
    From(usize, Test),
    /// Some word at all, option or operand, is such.
    Word(Test),
    /// There are fewer operands than that.
    Fewer(usize),
    /// Some word, even behind `--`, is such.
    Anywhere(Test),
    /// There are more operands than that.
    More(usize),
    /// There is no operand, and none of the options.
    Bare(&'static str),
    /// None of the options is there.
    Without(&'static str),
    /// The first operands are these; alternatives are separated by `|`.
    Path(&'static str),
    /// All of them; the place is that of the last.
    All(&'static [When]),
    /// The expression of find(1) has one of these predicates, with a value that is not a standard stream.
    Find(WordList),
    /// The script of sed(1) has such a command.
    Sed(Deed),
    /// The program text of awk(1) has such a statement.
    Awk(Deed),
    /// A write of git's configuration that is more than a harmless setting.
    GitConfig,
    /// The script that npm is to run is, or may be, its own `env`.
    NpmEnv,
}

/// What a piece of program text does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Runs a program.
    Runs,
    /// Writes a file.
    Writes,
    /// Loads code from a file.
    Loads,
}

/// A question about one value.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// Any value.
    Any,
    /// One of these.
    Is(WordList),
    /// One of these, whatever the case (the list is lower case).
    Fold(WordList),
    /// None of these (so a value known only at run time is a hit).
    Not(WordList),
    /// Begins with one of these.
    Starts(WordList),
    /// Contains one of these.
    Has(WordList),
    /// Contains one of these, whatever the case (the list is lower case).
    HasFold(WordList),
    /// Begins with one of these, whatever the case (the list is lower case).
    StartsFold(WordList),
    /// Ends with one of these.
    Ends(WordList),
    /// A file that is no standard stream and no null device.
    File,
    /// `KEY=VALUE` (or `KEY`) for git that is not a harmless setting.
    GitSetting,
    /// `HELPER::ADDRESS`, git's way to name a transport program.
    GitTransport,
    /// A git address that names a host.
    GitHost,
    /// A folder that every user of the machine can write.
    SharedFolder,
    /// A word for make that its recipes' shells or itself may run, or `NAME=VALUE` where the name is a program.
    MakeVariable,
    /// `NAME=VALUE` of cmake where the name is a program and the value one elsewhere than in the system's folders.
    CMakeProgram,
    /// A command of an editor of the vi family that is more than a motion, a search or leaving.
    VimCommand,
    /// `+COMMAND` of such an editor.
    VimPlus,
    /// A command of less that is more than a motion or a search.
    LessCommand,
    /// `+COMMAND` of less.
    LessPlus,
    /// A dot command of sqlite3 that reaches outside the database, or an SQL function that does.
    Sqlite,
    /// An option of ssh_config(5) that runs a program or loads code.
    SshOption,
    /// Text in which one of these stands as a word (the list is lower case).
    WordFold(WordList),
    /// A folder of the host that gives the host away (docker's `-v SOURCE:TARGET`).
    HostMount,
    /// `of=FILE` of dd, where the file is no standard stream and no null device.
    DdOutput,
    /// Begins with none of these.
    NotStarts(WordList),
    /// `KEY=VALUE` for cargo that is not a harmless setting, or a file of them.
    CargoSetting,
    /// `@FILE`, not `@-`.
    AtFile,
    /// `NAME@FILE`: an at-sign before any equals sign.
    NameAtFile,
    /// A long option of that name behind any number of dashes, or short for it, as nopt reads it (npm, pnpm); case
    /// and dashes within do not count (the list has none).
    Dashes(WordList),
    /// A path with a slash in it.
    HasSlash,
    /// Contains none of these.
    HasNot(WordList),
    /// A time of date(1): digits alone. One that is known at run time only is taken for none, since root alone sets it.
    Clock,
    /// What rustc is to hand its linker (`link-arg=WORD`), other than what chooses one of the known ones or a library.
    LinkArgs,
}
