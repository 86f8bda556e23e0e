//! The documents as written, and what they mean together for one agent.
//!
//! [`Approvals`] and [`Config`] are one document each, as written; [`keys`] is the table both are read by;
//! [`Policy`] is all of them, layer by layer, and [`Policy::effective`] what they come to for one agent.
mod allowlist;
mod approvals;
mod check;
mod config;
mod entries;
mod error;
pub mod index;
mod json;
pub mod keys;
mod merge;
mod migrate;
mod policy;
mod presets;
pub mod schema;

#[cfg(test)]
mod tests;

pub use allowlist::AllowList;
pub use approvals::{Approvals, Socket};
pub use config::Config;
pub use error::{Details, LoadError, LoadErrorKind};
pub use policy::{
    Call, JournalSettings, Layer, Policy, RunSettings, Settings, SocketSettings, SubmitSettings, is_quiet,
};
pub use presets::{CAUTIOUS, PRESETS, Preset, preset};

use crate::tables::hazards::Category;

/// The value of a text that is JSON5, with the checks that documents get (no key twice, bounded depth and size):
/// for programs that take a document as a person wrote it and keep it as JSON.
///
/// # Errors
/// It is neither JSON nor JSON5, or fails a check.
pub fn json5(text: &[u8], file: &str) -> Result<serde_json::Value, LoadError> {
    let text = json::text(text, file)?;
    Ok(json::parse(text, file, json::Dialect::Json5)?.to_value())
}

/// The value of a text that is plain JSON, with the checks that documents get: for what other programs send.
///
/// # Errors
/// It is no JSON, or fails a check.
pub fn plain_json(text: &[u8], name: &str) -> Result<serde_json::Value, LoadError> {
    let text = json::text(text, name)?;
    Ok(json::parse(text, name, json::Dialect::Json)?.to_value())
}

/// What the policy lets run at all. Ordered from strict to loose: layers combine by minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Security {
    /// Nothing.
    Deny,
    /// What the allowlist, safe bins and skills cover.
    Allowlist,
    /// Everything the denylist does not name.
    Full,
}

/// When a person is asked. Ordered from quiet to eager: layers combine by maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// Never.
    Off,
    /// When the allowlist does not cover the command.
    OnMiss,
    /// Always.
    Always,
}

/// A value with the place it came from: `<file>:<json pointer>` or `built in`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub from: String,
}

/// One entry of an allowlist, asklist or denylist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Stable id (UUID), if it has one.
    pub id: Option<String>,
    /// Glob over the executable's path; `~/` at the start is the user's home.
    pub pattern: String,
    /// One glob for each argument; a last `...` = any rest.
    pub args: Option<Vec<String>>,
    /// Regular expression over the arguments joined by one space (by NUL if it contains NUL).
    pub arg_pattern: Option<String>,
    /// Glob the working folder must lie under.
    pub cwd: Option<String>,
    /// `"carries": "anything"`: what a wrapper, carrier or shell runs is not judged.
    pub carries_anything: bool,
    /// `"hazards": "allow"`: hazards of this program are no finding.
    pub hazards_allow: bool,
    /// Milliseconds since 1970 after which it no longer matches.
    pub expires_at: Option<u64>,
    /// Where it was written: `<file>:<json pointer>`.
    pub from: String,
    /// Commands by which it proves itself.
    pub examples: Examples,
}

/// Commands an entry proves itself by; `policy test` runs them, a plain run never does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examples {
    /// Must be allowed.
    pub allows: Vec<Example>,
    /// Must not be allowed.
    pub refuses: Vec<Example>,
}

/// One example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Example {
    /// Text for a shell.
    Text(String),
    /// The words of one command.
    Words(Vec<String>),
}

/// Which constructs of the shell can be satisfied without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Accept {
    /// The seed's letter.
    Strict,
    /// Everything that can be proved.
    Checked,
}

/// Which redirections can be satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Redirections {
    /// None.
    Ban,
    /// Descriptors, `/dev/null`, data on stdin.
    Harmless,
    /// Also files inside `shell.readable` and `shell.writable`.
    Scoped,
}

/// What happens to inherited variables that change what runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvMode {
    /// They are removed from unattended runs.
    Scrub,
    /// They are a finding.
    Ask,
    /// They are left alone.
    Pass,
}

/// A yes or no of a person, as configuration: what to do without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AskOrAllow {
    /// Ask.
    Ask,
    /// Let it pass.
    Allow,
}

/// What becomes of a shell's login options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    /// They are a finding.
    Ask,
    /// They are left out, start-up files with them.
    Drop,
}

/// What becomes of text that cannot be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// A person is asked.
    Ask,
    /// It runs under the supervisor and is judged exec by exec.
    Supervise,
}

/// Whether the terminal is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tty {
    /// Never.
    Never,
    /// If it is ours and no agent's.
    Auto,
    /// If there is one.
    Always,
}

/// How to speak to the approver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketDialect {
    /// With challenge and MAC.
    Own,
    /// As OpenClaw's companion app does.
    OpenClaw,
}

/// A switch whose strict side is deny.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DenyOrAllow {
    /// Denied.
    Deny,
    /// Allowed.
    Allow,
}

/// What the journal keeps of a command's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalText {
    /// Likely secrets are masked.
    Masked,
    /// Everything, so that it can be replayed.
    Full,
}

/// A user-defined safe-bin profile (`safeBinProfiles.<name>`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SafeBinProfile {
    /// Fewest operands.
    pub min_positional: usize,
    /// Most operands.
    pub max_positional: usize,
    /// Options without a value, with their dashes.
    pub flags: Vec<String>,
    /// Options with a value, with their dashes.
    pub value_flags: Vec<String>,
    /// Options that are refused although known, with their dashes.
    pub denied_flags: Vec<String>,
    /// True if operands are data, never file names.
    pub positional_is_data: bool,
}

/// Everything that rules for one agent, all layers merged. Made once, then only read.
#[derive(Clone, Debug)]
pub struct Effective {
    /// The agent it was made for.
    pub agent: String,
    /// What may run at all.
    pub security: Sourced<Security>,
    /// When to ask.
    pub ask: Sourced<Ask>,
    /// What to do when nobody can be asked; never looser than `security`.
    pub ask_fallback: Sourced<Security>,
    /// Whether skills are satisfied.
    pub auto_allow_skills: Sourced<bool>,
    /// Allowlists: an executable must match an entry of EVERY list (one list a layer that has the
    /// key); no list = nothing matches.
    pub allow: Vec<AllowList>,
    /// Which of them the user's own entries stand in; `None` if none does.
    pub user_allow: Option<usize>,
    /// Entries that ask.
    pub asklist: Vec<Entry>,
    /// Entries that deny.
    pub denylist: Vec<Entry>,
    /// Names of safe bins.
    pub safe_bins: Vec<String>,
    /// Own profiles by name.
    pub safe_bin_profiles: Vec<(String, SafeBinProfile)>,
    /// Folders besides `/bin` and `/usr/bin` in which a safe bin is trusted.
    pub safe_bin_trusted_dirs: Vec<String>,
    /// `safeBinConfinement`.
    pub safe_bin_confinement: Confinement,
    /// `skills.bins` with names: name → absolute path.
    pub skill_bins: Vec<(String, String)>,
    /// `skills.bins` folders: their executables count.
    pub skill_dirs: Vec<String>,
    /// Inline code of interpreters asks.
    pub strict_inline_eval: bool,
    /// Patterns of allowlists distinguish case.
    pub case_sensitive: bool,
    /// Patterns of asklist and denylist distinguish case: only where every layer wants it, since there it loosens.
    pub refusals_case_sensitive: bool,
    /// Constructs that can be satisfied.
    pub shell_accept: Accept,
    /// Redirections that can be satisfied.
    pub redirections: Redirections,
    /// The shell that runs text when no other is named.
    pub shell_program: String,
    /// Globs of files that may be read by redirection.
    pub shell_readable: Vec<String>,
    /// Globs of files that may be written by redirection.
    pub shell_writable: Vec<String>,
    /// Login options: dropped, or asked about.
    pub login_ask: bool,
    /// `echo` of a variable asks.
    pub echo_dynamic_ask: bool,
    /// A dynamic word in an option's place of a program with hazards asks.
    pub dynamic_option_ask: bool,
    /// What becomes of text that cannot be proved.
    pub unproven: Unproven,
    /// Inherited variables.
    pub env_mode: EnvMode,
    /// Names of inherited variables that are trusted.
    pub env_trusted: Vec<String>,
    /// What each category of hazard does.
    pub hazards: Vec<(Category, AskOrAllow)>,
    /// An operator skips approvals (never the denylist), by the system layer's leave.
    pub elevated: bool,
    /// Notes for `check` and `doctor`: ignored entries and the like.
    pub notes: Vec<String>,
}

/// `safeBinConfinement`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// Refuse to run a safe bin that cannot be confined.
    Require,
    /// Confine where the kernel can.
    BestEffort,
    /// Do not.
    Off,
}

impl Effective {
    /// What rules when nothing is written anywhere in a document that exists: deny / on-miss / deny.
    pub fn built_in(agent: &str) -> Effective {
        fn s<T>(value: T) -> Sourced<T> {
            Sourced { value, from: "built in".into() }
        }
        Effective {
            agent: agent.into(),
            security: s(Security::Deny),
            ask: s(Ask::OnMiss),
            ask_fallback: s(Security::Deny),
            auto_allow_skills: s(false),
            allow: Vec::new(),
            user_allow: None,
            asklist: Vec::new(),
            denylist: Vec::new(),
            safe_bins: crate::tables::safe_bins::DEFAULT.iter().map(|n| (*n).to_owned()).collect(),
            safe_bin_profiles: Vec::new(),
            safe_bin_trusted_dirs: Vec::new(),
            safe_bin_confinement: Confinement::BestEffort,
            skill_bins: Vec::new(),
            skill_dirs: Vec::new(),
            strict_inline_eval: false,
            case_sensitive: false,
            refusals_case_sensitive: false,
            shell_accept: Accept::Strict,
            redirections: Redirections::Ban,
            shell_program: "/bin/sh".into(),
            shell_readable: Vec::new(),
            shell_writable: Vec::new(),
            login_ask: false,
            echo_dynamic_ask: false,
            dynamic_option_ask: false,
            unproven: Unproven::Ask,
            env_mode: EnvMode::Scrub,
            env_trusted: Vec::new(),
            hazards: Vec::new(),
            elevated: false,
            notes: Vec::new(),
        }
    }
}

impl Effective {
    /// Adds entries as if they stood in the user's document, for what *always allow* would come to.
    pub fn add_user_entries(&mut self, entries: &[Entry]) {
        let added = AllowList::new(entries.to_vec());
        match self.user_allow.and_then(|i| self.allow.get_mut(i)) {
            Some(list) => *list = std::mem::take(list).joined(&added),
            None => {
                self.user_allow = Some(self.allow.len());
                self.allow.push(added);
            }
        }
    }
}
