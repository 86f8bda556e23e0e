//! What makes a well-known, allowed program do more than its name announces.

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
