//! The tree of a script. Every node has a span into the source text; literal parts hold the bytes after
//! quote removal.
use crate::decision::Span;
use crate::shell::construct::Construct;

/// What parsing returned. Having one says nothing about safety: `noted` must be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The tree, as far as it was understood.
    pub script: Script,
    /// Every construct that is not plain, in source order. A text that does not parse to its end has a
    /// [`Construct::Syntax`] (or a limit) here.
    pub noted: Vec<Noted>,
    /// Plain parameters whose value is digits for certain where they stand.
    pub numbers: Vec<Span>,
    /// What may stand in the tree.
    pub holds: Holds,
}

/// Which kinds of command were met. What is false is nowhere in the tree; what is true mostly is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// Definitions of functions.
    pub functions: bool,
    /// `for` in any form.
    pub loops: bool,
    /// Commands that put a variable into an environment: `NAME=value command`, or with a word `export`.
    pub exports: bool,
}

/// A construct met, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// What it is.
    pub construct: Construct,
    /// Where.
    pub span: Span,
    /// The id of the innermost simple command it stands in, if any.
    pub command: Option<usize>,
}

/// A list of commands: the whole text, or the inside of a substitution, group, branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The and-or lists in order.
    pub lists: Vec<AndOr>,
}

/// `pipeline && pipeline || pipeline`, and what ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AndOr {
    /// The first pipeline.
    pub first: Pipeline,
    /// The others, each with the operator in front of it.
    pub rest: Vec<(AndOrOp, Pipeline)>,
    /// What ends the list.
    pub end: ListEnd,
    /// Where.
    pub span: Span,
}

/// The operator between pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AndOrOp {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// What ends an and-or list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// `;` or a newline.
    Sequence,
    /// `&` (and zsh's `&!`, `&|`).
    Background,
    /// The end of the text or of the enclosing construct.
    End,
}

/// Commands joined by `|`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Number of `!` in front, modulo nothing: `! ! a` has two.
    pub negations: usize,
    /// The `time` keyword (bash, zsh) in front, and whether it has `-p`.
    pub time: Option<bool>,
    /// The commands, at least one (a bare `!` or `time` has an empty simple command).
    pub commands: Vec<Command>,
    /// For each `|` between them: true if it was `|&`.
    pub stderr_too: Vec<bool>,
    /// Where.
    pub span: Span,
}

/// One command of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// Its redirections in order. Those of a simple command are here too.
    pub redirects: Vec<Redirect>,
    /// Where, redirections included.
    pub span: Span,
}

/// The kinds of command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Words and assignments.
    Simple(Simple),
    /// `( … )`
    Subshell(Script),
    /// `{ …; }`
    Group(Script),
    /// `if … then … elif … else … fi`: pairs of condition and body, and the else.
    If {
        /// Condition and body of `if` and each `elif`.
        arms: Vec<(Script, Script)>,
        /// The `else` body.
        otherwise: Option<Script>,
    },
    /// `while`/`until` condition and body.
    Loop {
        /// True for `until`.
        until: bool,
        /// The condition.
        condition: Script,
        /// The body.
        body: Script,
    },
    /// `for NAME in WORDS; do … done`; `words` is `None` without `in`.
    For {
        /// The loop variable.
        name: Vec<u8>,
        /// The words.
        words: Option<Vec<Word>>,
        /// The body.
        body: Script,
    },
    /// `for ((a; b; c)); do … done`, the three expressions as source text with their inner commands noted.
    ArithFor {
        /// The header between the parentheses.
        header: Vec<Part>,
        /// The body.
        body: Script,
    },
    /// `select NAME in WORDS; do … done`
    Select {
        /// The loop variable.
        name: Vec<u8>,
        /// The words.
        words: Option<Vec<Word>>,
        /// The body.
        body: Script,
    },
    /// `case WORD in PATTERN) … ;; esac`
    Case {
        /// The word.
        word: Word,
        /// Patterns, body, terminator (`;;`, `;&`, `;;&`).
        arms: Vec<(Vec<Word>, Script, Vec<u8>)>,
    },
    /// `name() body` or `function name body`.
    Function {
        /// The name as written.
        name: Vec<u8>,
        /// The body.
        body: Box<Command>,
    },
    /// `[[ … ]]`: its words and operators in order (operators as plain literal words).
    Cond(Vec<Word>),
    /// `(( … ))`, its expression with inner substitutions.
    Arith(Vec<Part>),
    /// `coproc [NAME] command`
    Coproc(Box<Command>),
}

/// Words and assignments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// A number that no other simple command of the text has, in source order from 0.
    pub id: usize,
    /// The assignments in front.
    pub assignments: Vec<Assignment>,
    /// The words, the command's name first; empty for a pure assignment.
    pub words: Vec<Word>,
}

/// `NAME=value`, `NAME+=value`, `NAME[sub]=value`, `NAME=(…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: Vec<u8>,
    /// True for `+=`.
    pub append: bool,
    /// True if it has a subscript or an array value: never plain.
    pub array: bool,
    /// The value; of an array, the parts of all its words.
    pub value: Word,
    /// The words of `NAME=(…)` if none of them has a subscript of its own.
    pub elements: Option<Vec<Word>>,
    /// Where.
    pub span: Span,
}

/// One word: its parts, joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The parts; an empty list is an empty word only if quotes made it one.
    pub parts: Vec<Part>,
    /// Where.
    pub span: Span,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Unquoted literal bytes (backslash escapes already removed are [`Part::Quoted`]).
    Bare(Vec<u8>),
    /// Bytes that were quoted: by `'…'`, `\x`, the literal pieces of `"…"`, or `$'…'`.
    Quoted(Vec<u8>),
    /// `"…"`: inner parts are `Quoted` or expansions.
    Double(Vec<Part>),
    /// `$NAME`, `${NAME}`, `$1`, `$?`, `$@` …: a plain expansion; `braced` keeps the form.
    Param {
        /// The name, digit or special character.
        name: Vec<u8>,
        /// The operator and its word, for `${NAME:-word}` and its kind; `None` if plain.
        op: Option<ParamOp>,
        /// Where.
        span: Span,
    },
    /// `$(…)` or backticks.
    Command {
        /// The commands inside.
        script: Script,
        /// True for backticks.
        backtick: bool,
        /// Where.
        span: Span,
    },
    /// `<(…)`, `>(…)`, zsh `=(…)`.
    Process {
        /// The commands inside.
        script: Script,
        /// `<`, `>` or `=`.
        direction: u8,
        /// Where.
        span: Span,
    },
    /// `$((…))`, `$[…]`: parts of the expression; substitutions inside it are parts of their own.
    Arith {
        /// The expression.
        expr: Vec<Part>,
        /// Where.
        span: Span,
    },
    /// An active glob character or bracket expression (`*`, `?`, `[…]`, extglob), as source bytes.
    Glob(Vec<u8>),
    /// An active `~` or `~user` at a place where it expands, as source bytes.
    Tilde(Vec<u8>),
    /// An active brace expansion `{a,b}` or `{1..3}` as source bytes (its inner parts flattened, substitutions
    /// inside it noted and also listed in `inner`).
    Brace {
        /// The source bytes.
        source: Vec<u8>,
        /// Substitutions and expansions inside.
        inner: Vec<Part>,
        /// The words it expands to, if it is literal throughout and there are at most 64 of them.
        expanded: Option<Vec<Vec<u8>>>,
    },
}

/// `${NAME op word}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamOp {
    /// The operator: `:-`, `-`, `:+`, `+`, `:=`, `=`, `:?`, `?`, `#` (prefix form `${#x}` is `len`), `##`, `%`, `%%`,
    /// or the first bytes of anything else.
    pub op: Vec<u8>,
    /// The word behind it.
    pub word: Vec<Part>,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The descriptor in front, if written; `{name}` forms are noted and have `None`.
    pub fd: Option<u32>,
    /// What it does.
    pub op: RedirectOp,
    /// The target: file name, descriptor, `-`, or the here-string's word; the delimiter for a here-document.
    pub target: Word,
    /// For a here-document: its body.
    pub body: Option<HereDoc>,
    /// Where.
    pub span: Span,
}

/// The kinds of redirection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOp {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DupIn,
    /// `>&` with a descriptor or `-`
    DupOut,
    /// `&>` and `>&` with a file name
    Both,
    /// `&>>`
    BothAppend,
    /// `<<` and `<<-`
    HereDoc,
    /// `<<<`
    HereString,
}

impl RedirectOp {
    /// True if it opens its target for writing.
    pub fn writes(self) -> bool {
        matches!(
            self,
            RedirectOp::Write
                | RedirectOp::Clobber
                | RedirectOp::Append
                | RedirectOp::ReadWrite
                | RedirectOp::Both
                | RedirectOp::BothAppend
        )
    }
}

/// The body of a here-document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HereDoc {
    /// True if the delimiter was quoted, or the body has no `$`, backtick or backslash.
    pub literal: bool,
    /// True for `<<-`.
    pub strip_tabs: bool,
    /// The parts of the body (one `Quoted` if literal).
    pub parts: Vec<Part>,
    /// Where the body stands.
    pub span: Span,
}
