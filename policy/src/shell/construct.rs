//! Every construct of the shell we know, and what can be satisfied without a person: one table.

use crate::reason::Reason;

/// What a level does with a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// Satisfied if every command in it is.
    Judge,
    /// A person is asked.
    Ask,
}

macro_rules! constructs {
    ($($variant:ident $name:literal $strict:ident $checked:ident $reason:ident;)*) => {
        /// A construct that is not a plain word, quote, pipeline, `&&`, `||`, `;`, newline or comment.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Construct { $(#[doc = $name] $variant,)* }

        impl Construct {
            /// Every construct.
            pub const ALL: &'static [Construct] = &[$(Construct::$variant,)*];
            /// Its name in messages.
            pub fn name(self) -> &'static str { match self { $(Construct::$variant => $name,)* } }
            /// What `strict` does with it.
            pub fn strict(self) -> Treatment { match self { $(Construct::$variant => Treatment::$strict,)* } }
            /// What `checked` does with it.
            pub fn checked(self) -> Treatment { match self { $(Construct::$variant => Treatment::$checked,)* } }
            /// The reason code of a refusal.
            pub fn reason(self) -> Reason { match self { $(Construct::$variant => Reason::$reason,)* } }
        }
    };
}

constructs! {
    CommandSubstitution "command substitution `$(…)`" Ask Judge Substitution;
    Backticks "command substitution in backticks" Ask Judge Substitution;
    ProcessSubstitution "process substitution" Ask Ask Substitution;
    If "if" Ask Judge Compound;
    For "for" Ask Judge Compound;
    ArithFor "for (( … )) with names whose values are not known to be numbers" Ask Ask Compound;
    ArithForPlain "for (( … )) with numbers" Ask Judge Compound;
    While "while or until" Ask Judge Compound;
    Case "case" Ask Judge Compound;
    Select "select" Ask Ask Compound;
    Group "group { … }" Ask Judge Compound;
    Subshell "subshell ( … )" Ask Judge Compound;
    Function "function definition" Ask Judge Function;
    Cond "conditional [[ … ]]" Ask Judge Compound;
    Arith "arithmetic command (( … ))" Ask Judge Compound;
    ArithSubscript "arithmetic with a subscript or a substitution" Ask Ask Substitution;
    ArithExpansion "arithmetic expansion `$((…))` of digits and operators" Judge Judge Substitution;
    ArithName "arithmetic with names whose values are not known to be numbers" Ask Ask Substitution;
    Coproc "coproc" Ask Ask Background;
    Background "background `&`" Ask Ask Background;
    Time "time keyword" Judge Judge Compound;
    TimeOptions "time keyword with options" Ask Ask Compound;
    PipeStderr "`|&`" Ask Judge Redirection;
    Redirection "redirection" Ask Judge Redirection;
    RedirectName "redirection with `{name}`" Ask Ask Redirection;
    HereDocLiteral "here-document (literal)" Ask Judge HereDocument;
    HereDocExpanding "here-document whose body is expanded" Ask Ask HereDocument;
    HereString "here-string" Ask Judge HereDocument;
    AnsiQuote "`$'…'`" Judge Judge Construct;
    AnsiQuoteNul "`$'…'` with NUL, or with an escape that is not the same everywhere" Ask Ask Construct;
    LocaleQuote "`$\"…\"`" Ask Ask Construct;
    ParamDefault "`${NAME:-word}` and its kind, with literal words" Judge Judge Construct;
    ParamAssign "`${NAME:=word}`" Ask Ask Construct;
    ParamIndirect "`${!NAME}`" Ask Ask Construct;
    ParamElement "`${NAME[0]}`, `${NAME[@]}`" Ask Judge Construct;
    ParamOther "`${…}` with an operator that is not followed" Ask Ask Construct;
    ArrayPlain "array of words `NAME=(a b)`" Ask Judge Construct;
    ArrayAssign "array or subscript assignment" Ask Ask Construct;
    AssignAppend "`NAME+=value`" Ask Ask Construct;
    ContinuationInWord "line continuation inside a word" Ask Ask Construct;
    Continuation "line continuation between words" Judge Judge Construct;
    History "history expansion `!`" Ask Ask Construct;
    Alias "a word that could be an alias" Ask Ask Construct;
    ExtGlob "extended glob" Ask Ask Construct;
    ZshGlob "a glob or expansion of zsh that runs code or reads files" Ask Ask Construct;
    UnicodeBlank "a blank that is not a blank of the shell, or a character that shows nothing, outside quotes" Ask Ask Control;
    Nul "NUL" Ask Ask Control;
    CarriageReturn "lone carriage return" Ask Ask Control;
    ControlCharacter "control character outside quotes" Ask Ask Control;
    InvalidUtf8 "invalid UTF-8 outside quotes" Ask Ask Control;
    Unknown "a construct that is not known" Ask Ask Construct;
    Syntax "text that does not parse to its end" Ask Ask Syntax;
    LimitLength "more than 128 KiB of text" Ask Ask Limit;
    LimitDepth "nesting deeper than 32" Ask Ask Limit;
    LimitSegments "more than 4,096 commands" Ask Ask Limit;
    LimitBraces "brace expansion to more than 4,096 words" Ask Ask Limit;
    LimitSteps "more than 1,000,000 steps" Ask Ask Limit;
}

impl Construct {
    /// True if what runs can still be told although the construct asks: every command in it is named by the tree.
    /// Under `security: full` with a denylist only the others ask, since a denied name could hide in them.
    pub fn commands_are_named(self) -> bool {
        use Construct as C;
        self.checked() == Treatment::Judge
            || matches!(
                self,
                C::ProcessSubstitution
                    | C::ArithFor
                    | C::Select
                    | C::Coproc
                    | C::Background
                    | C::TimeOptions
                    | C::RedirectName
                    | C::HereDocExpanding
                    | C::LocaleQuote
                    | C::ParamAssign
                    | C::AssignAppend
                    | C::ExtGlob
            )
    }
}
