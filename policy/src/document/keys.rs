//! Every key of both documents: its shape, what it is for, and which of two values is the stricter.
//!
//! One table serves the reader (types and words are checked against it), the merge (a key without a strict
//! direction does not compile), the JSON Schemas and the manual.
use super::json::push_pointer;

/// Which of two values rules where layers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    /// The word that stands first in the list of its words.
    First,
    /// `true`.
    True,
    /// `false`.
    False,
    /// The smaller number.
    Least,
    /// A list that loosens: what both have. (Joined with the system's under `"userPolicy": "merge"`.)
    Intersect,
    /// A list that tightens: both together.
    Join,
    /// No value is stricter; the outermost layer that has the document rules.
    Outermost,
    /// Not a setting: identity, history, or the container of keys below it.
    Inside,
}

impl Strict {
    /// The rule in the words of the manual.
    pub fn words(self) -> &'static str {
        match self {
            Strict::First => "the word named first",
            Strict::True => "true",
            Strict::False => "false",
            Strict::Least => "the smaller",
            Strict::Intersect => "what every layer has",
            Strict::Join => "all layers together",
            Strict::Outermost => "the outermost layer's",
            Strict::Inside => "",
        }
    }
}

/// What a value may look like. `null` always means unset.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// `true` or `false`.
    Bool,
    /// A whole number, not negative.
    Whole,
    /// Any number.
    Number,
    /// A string.
    Text,
    /// One of these words, strict ones first.
    Word(&'static [&'static str]),
    /// A list of strings.
    Texts,
    /// An object with known keys; others are kept and noted.
    Object(&'static [Key]),
    /// An object with known keys; others are none of our business.
    Open(&'static [Key]),
    /// An object with any keys and values of one shape.
    Map(&'static Shape),
    /// A list of values of one shape.
    List(&'static Shape),
    /// One of two shapes.
    Either(&'static Shape, &'static Shape),
    /// Anything.
    Any,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// Which of two values is the stricter.
    pub strict: Strict,
    /// What it is for: one line for manual and schema.
    pub text: &'static str,
}

const fn key(name: &'static str, shape: Shape, strict: Strict, text: &'static str) -> Key {
    Key { name, shape, strict, text }
}

/// Words of `security` and `askFallback`.
pub(crate) const SECURITY: &[&str] = &["deny", "allowlist", "full"];
/// Words of `ask`.
pub(crate) const ASK: &[&str] = &["always", "on-miss", "off"];
/// Words of whatever can be asked about or let pass.
pub(crate) const ASK_OR_ALLOW: &[&str] = &["ask", "allow"];

const EXAMPLES: &[Key] = &[
    key(
        "allows",
        Shape::List(&Shape::Either(&Shape::Text, &Shape::Texts)),
        Strict::Inside,
        "commands (text, or a list of words) that must be allowed",
    ),
    key(
        "refuses",
        Shape::List(&Shape::Either(&Shape::Text, &Shape::Texts)),
        Strict::Inside,
        "commands that must not be allowed",
    ),
];

const ENTRY: &[Key] = &[
    key("id", Shape::Text, Strict::Inside, "stable id (UUID); given when the document is next edited"),
    key("pattern", Shape::Text, Strict::Inside, "glob over the executable's path"),
    key(
        "args",
        Shape::Texts,
        Strict::Inside,
        "one glob for each argument; a last \"...\" stands for any rest",
    ),
    key(
        "argPattern",
        Shape::Text,
        Strict::Inside,
        "regular expression over the arguments joined by one space",
    ),
    key("cwd", Shape::Text, Strict::Inside, "glob the working folder must lie under"),
    key(
        "carries",
        Shape::Word(&["anything"]),
        Strict::Inside,
        "what this wrapper or shell runs is not judged",
    ),
    key(
        "hazards",
        Shape::Word(ASK_OR_ALLOW),
        Strict::Inside,
        "whether hazards of this program are a finding",
    ),
    key(
        "expiresAt",
        Shape::Whole,
        Strict::Inside,
        "milliseconds since 1970 after which it no longer matches",
    ),
    key("note", Shape::Text, Strict::Inside, "why it is there"),
    key("examples", Shape::Object(EXAMPLES), Strict::Inside, "commands by which the entry proves itself"),
    key("source", Shape::Text, Strict::Inside, "who wrote it, e.g. \"allow-always\""),
    key("lastUsedAt", Shape::Number, Strict::Inside, "milliseconds since 1970"),
    key("lastUsedCommand", Shape::Text, Strict::Inside, "the last command it covered"),
    key("lastResolvedPath", Shape::Text, Strict::Inside, "the file that command was"),
];

/// A list of entries; a bare string is an entry with that pattern.
pub(crate) const ENTRIES: Shape = Shape::List(&Shape::Either(&Shape::Text, &Shape::Open(ENTRY)));

const SCOPE: &[Key] = &[
    key("security", Shape::Word(SECURITY), Strict::First, "what may run at all"),
    key("ask", Shape::Word(ASK), Strict::First, "when a person is asked"),
    key("askFallback", Shape::Word(SECURITY), Strict::First, "what happens when nobody can be asked"),
    key("autoAllowSkills", Shape::Bool, Strict::False, "whether programs of skills need no entry"),
    key("allowlist", ENTRIES, Strict::Intersect, "what may run without a question"),
    key("asklist", ENTRIES, Strict::Join, "what is always asked about"),
    key("denylist", ENTRIES, Strict::Join, "what never runs"),
    key("mcpTools", Shape::Any, Strict::Inside, "kept for OpenClaw, not read here"),
];

const SOCKET: &[Key] = &[
    key("path", Shape::Text, Strict::Outermost, "the approver's socket"),
    key("token", Shape::Text, Strict::Outermost, "the secret both ends share"),
    key("allowUids", Shape::List(&Shape::Whole), Strict::Outermost, "other users whose approver is believed"),
    key("dialect", Shape::Word(&["exec-guard", "openclaw"]), Strict::Outermost, "how to speak to it"),
];

const USER_POLICY: Key = key(
    "userPolicy",
    Shape::Word(&["tighten", "merge"]),
    Strict::Outermost,
    "system layer only: whether a user's lists may add to the system's",
);

/// `exec-approvals.json`.
pub const APPROVALS: &[Key] = &[
    key("version", Shape::Any, Strict::Inside, "1"),
    key("socket", Shape::Object(SOCKET), Strict::Inside, "where questions go"),
    USER_POLICY,
    key("defaults", Shape::Object(SCOPE), Strict::Inside, "what holds for every agent"),
    key("agents", Shape::Map(&Shape::Object(SCOPE)), Strict::Inside, "by agent id; `*` is every agent"),
];

const PROFILE: &[Key] = &[
    key("minPositional", Shape::Whole, Strict::Inside, "fewest operands"),
    key("maxPositional", Shape::Whole, Strict::Inside, "most operands"),
    key("flags", Shape::Texts, Strict::Inside, "options without a value"),
    key("valueFlags", Shape::Texts, Strict::Inside, "options with a value"),
    key("deniedFlags", Shape::Texts, Strict::Inside, "options that are refused"),
    key("positional", Shape::Word(&["none", "data"]), Strict::Inside, "what operands are"),
];

const ECHO: Key =
    key("echoDynamic", Shape::Word(ASK_OR_ALLOW), Strict::First, "whether echo of a variable is asked about");
const OPTION: Key = key(
    "dynamicOption",
    Shape::Word(ASK_OR_ALLOW),
    Strict::First,
    "whether a word known only at run time may stand in an option's place",
);

const SHELL: &[Key] = &[
    key(
        "accept",
        Shape::Word(&["strict", "checked"]),
        Strict::First,
        "which constructs pass without a person",
    ),
    key(
        "redirections",
        Shape::Word(&["ban", "harmless", "scoped"]),
        Strict::First,
        "which redirections pass; unset = ban at strict, harmless at checked",
    ),
    key("readable", Shape::Texts, Strict::Intersect, "globs of files that may be read by redirection"),
    key("writable", Shape::Texts, Strict::Intersect, "globs of files that may be written by redirection"),
    key("program", Shape::Text, Strict::Outermost, "the shell that runs text when no other is named"),
    key("login", Shape::Word(&["ask", "drop"]), Strict::First, "what becomes of login options"),
    key(
        "unproven",
        Shape::Word(&["ask", "supervise"]),
        Strict::First,
        "what becomes of text that cannot be proved",
    ),
    ECHO,
    OPTION,
];

const ENV: &[Key] = &[
    key(
        "mode",
        Shape::Word(&["ask", "scrub", "pass"]),
        Strict::First,
        "inherited variables that change what runs",
    ),
    key("trusted", Shape::Texts, Strict::Intersect, "names of such variables that are left alone"),
];

const HAZARD: Shape = Shape::Word(ASK_OR_ALLOW);
const HAZARDS: &[Key] = &[
    key("runs-program", HAZARD, Strict::First, "an option that runs another program"),
    key("inline-code", HAZARD, Strict::First, "code on the command line"),
    key("loads-code", HAZARD, Strict::First, "code from a file"),
    key("writes-file", HAZARD, Strict::First, "an option that writes a file"),
    key("deletes", HAZARD, Strict::First, "an option that deletes"),
    key("uploads", HAZARD, Strict::First, "an option that sends a file away"),
];

const EXEC: &[Key] = &[
    key("security", Shape::Word(SECURITY), Strict::First, "what may run at all"),
    key("ask", Shape::Word(ASK), Strict::First, "when a person is asked"),
    key("askFallback", Shape::Word(SECURITY), Strict::First, "what happens when nobody can be asked"),
    key("autoAllowSkills", Shape::Bool, Strict::False, "whether programs of skills need no entry"),
    key(
        "safeBins",
        Shape::Texts,
        Strict::Intersect,
        "programs that run without an entry on their input alone",
    ),
    key(
        "safeBinProfiles",
        Shape::Map(&Shape::Object(PROFILE)),
        Strict::Intersect,
        "what further safe bins may be given, by name",
    ),
    key(
        "safeBinTrustedDirs",
        Shape::Texts,
        Strict::Intersect,
        "folders besides /bin and /usr/bin they may lie in",
    ),
    key(
        "safeBinConfinement",
        Shape::Word(&["require", "best-effort", "off"]),
        Strict::First,
        "whether the kernel confines them",
    ),
    key(
        "strictInlineEval",
        Shape::Bool,
        Strict::True,
        "whether code on an interpreter's command line is asked about",
    ),
    key("caseSensitive", Shape::Bool, Strict::True, "whether patterns of allowlists distinguish case"),
    key("shell", Shape::Object(SHELL), Strict::Inside, "how shell text is judged"),
    key("env", Shape::Object(ENV), Strict::Inside, "inherited variables"),
    key("hazards", Shape::Object(HAZARDS), Strict::Inside, "what allowed programs can be told to do"),
    key("approvalTimeoutMs", Shape::Whole, Strict::Least, "how long a person has to answer"),
    key("approvalRunningNoticeMs", Shape::Whole, Strict::Outermost, "when a long run is announced"),
    key("ticketTtlMs", Shape::Whole, Strict::Least, "how long a late yes stays good"),
    key("tty", Shape::Word(&["never", "auto", "always"]), Strict::First, "whether the terminal is asked"),
    key("host", Shape::Text, Strict::Inside, "kept for OpenClaw, not read here"),
    ECHO,
    OPTION,
];

const TARGET: &[Key] = &[
    key("channel", Shape::Text, Strict::Inside, "telegram, slack, …"),
    key("to", Shape::Either(&Shape::Text, &Shape::Number), Strict::Inside, "whom"),
];

const FORWARD: &[Key] = &[
    key("enabled", Shape::Bool, Strict::Outermost, "whether questions go to chat"),
    key("mode", Shape::Word(&["session", "targets", "both"]), Strict::Outermost, "where they go"),
    key("agentFilter", Shape::Texts, Strict::Outermost, "only of these agents"),
    key(
        "sessionFilter",
        Shape::Texts,
        Strict::Outermost,
        "only of sessions that match (substring or expression)",
    ),
    key("targets", Shape::List(&Shape::Open(TARGET)), Strict::Outermost, "channels and people"),
];

const APPROVALS_FORWARD: &[Key] = &[
    key("exec", Shape::Open(FORWARD), Strict::Inside, "forwarding of questions to chat"),
    key("desktop", Shape::Bool, Strict::Outermost, "whether questions are announced on the desktop"),
];

const RUN: &[Key] = &[
    key("writable", Shape::Texts, Strict::Intersect, "folders a tree under `run` may write"),
    key("readable", Shape::Texts, Strict::Intersect, "folders it may read"),
    key("secret", Shape::Texts, Strict::Join, "folders it may not read"),
    key("network", Shape::Word(&["deny", "allow"]), Strict::First, "whether it may use TCP"),
    key("unixSockets", Shape::Word(&["deny", "allow"]), Strict::First, "whether it may open unix sockets"),
    key(
        "require",
        Shape::Word(&["full", "partial"]),
        Strict::First,
        "the grade below which it does not start",
    ),
];

const JOURNAL: &[Key] = &[
    key("required", Shape::Bool, Strict::True, "whether nothing runs that cannot be recorded"),
    key(
        "text",
        Shape::Word(&["masked", "full"]),
        Strict::First,
        "whether secrets are masked in what is recorded",
    ),
    key("maxBytes", Shape::Whole, Strict::Outermost, "size at which the journal is moved aside"),
];

const SUBMIT: &[Key] = &[
    key("maxOutput", Shape::Whole, Strict::Outermost, "bytes of each output stream that are kept"),
    key("keep", Shape::Whole, Strict::Outermost, "how many runs that are over are kept"),
    key("keepDays", Shape::Whole, Strict::Outermost, "how long they are kept"),
];

const TOOL_MODE: Shape = Shape::Word(&["deny", "always-require-approval", "owner-only", "yolo"]);

const CONTAINER: &[Key] = &[
    key("enabled", Shape::Bool, Strict::True, "whether tools run in a container"),
    key("image", Shape::Text, Strict::Outermost, "its image"),
    key("timeout", Shape::Whole, Strict::Least, "milliseconds it may run"),
];

const SANDBOX: &[Key] = &[
    key("enabled", Shape::Bool, Strict::True, "whether tools run confined"),
    key("require", Shape::Bool, Strict::True, "whether they are refused where that is impossible"),
    key("timeout", Shape::Whole, Strict::Least, "milliseconds a tool may run"),
    key("maxOutput", Shape::Whole, Strict::Least, "bytes of output kept"),
    key("allowedCommands", Shape::Texts, Strict::Intersect, "only these"),
    key("blockedCommands", Shape::Texts, Strict::Join, "none of these"),
    key("container", Shape::Open(CONTAINER), Strict::Inside, "docker or podman"),
];

const TOOL_APPROVAL: &[Key] = &[
    key("timeout", Shape::Whole, Strict::Least, "seconds a person has to answer"),
    key("requireConfirmation", Shape::Bool, Strict::True, "whether an owner confirms own dangerous calls"),
    key("autoApprovePatterns", Shape::Any, Strict::Intersect, "calls that need no question"),
];

const RATE: &[Key] = &[
    key("limit", Shape::Whole, Strict::Least, "calls per window"),
    key("windowMs", Shape::Whole, Strict::Outermost, "the window"),
];

const TOOL_SECURITY: &[Key] = &[
    key(
        "mode",
        Shape::Word(&["always-require-approval", "owner-only", "yolo"]),
        Strict::First,
        "whose dangerous tool calls are asked about",
    ),
    key("toolOverrides", Shape::Map(&TOOL_MODE), Strict::First, "the same for one tool"),
    key("ownerId", Shape::Text, Strict::Outermost, "the owner"),
    key("owners", Shape::Texts, Strict::Intersect, "all owners"),
    key("sandbox", Shape::Open(SANDBOX), Strict::Inside, "how tools run"),
    key("approval", Shape::Open(TOOL_APPROVAL), Strict::Inside, "how their questions are asked"),
    key("rateLimit", Shape::Open(RATE), Strict::Inside, "how often"),
    key("validation", Shape::Any, Strict::Outermost, "limits of a call's fields"),
    key("gatewayToken", Shape::Text, Strict::Outermost, "secret by which a gateway proves itself"),
    key("gatewayUids", Shape::List(&Shape::Whole), Strict::Intersect, "users that are gateways"),
];

const SKILLS: &[Key] = &[key(
    "bins",
    Shape::Either(&Shape::Map(&Shape::Text), &Shape::Texts),
    Strict::Intersect,
    "name to absolute path, or a list of folders",
)];

const HOOK: &[Key] = &[
    key("rewrite", Shape::Bool, Strict::True, "whether a hook has the agent run what was judged"),
    key(
        "quiet",
        Shape::Texts,
        Strict::Intersect,
        "tools from elsewhere that run nothing here, by the names that agents say; * stands for any characters",
    ),
];

const MARKS: &[Key] = &[
    key("env", Shape::Map(&Shape::Text), Strict::Join, "NAME or NAME=VALUE to agent"),
    key("programs", Shape::Map(&Shape::Text), Strict::Join, "program name to agent"),
];

const TOOLS: &[Key] = &[
    key("exec", Shape::Object(EXEC), Strict::Inside, "what commands may do"),
    key("sandbox", Shape::Any, Strict::Inside, "the same as security.sandbox"),
];

const AGENT_TOOLS: &[Key] = &[key("exec", Shape::Object(EXEC), Strict::Inside, "tools.exec for this agent")];

const AGENT: &[Key] = &[key("tools", Shape::Open(AGENT_TOOLS), Strict::Inside, "settings of this agent")];

/// `config.json`.
pub const CONFIG: &[Key] = &[
    key("$schema", Shape::Text, Strict::Inside, "for editors"),
    key("version", Shape::Any, Strict::Inside, "1"),
    USER_POLICY,
    key(
        "elevated",
        Shape::Word(&["off", "full"]),
        Strict::Outermost,
        "system layer only: whether an operator may skip approvals",
    ),
    key("tools", Shape::Open(TOOLS), Strict::Inside, "settings by tool"),
    key("agents", Shape::Map(&Shape::Open(AGENT)), Strict::Inside, "settings by agent"),
    key("skills", Shape::Open(SKILLS), Strict::Inside, "programs of skills"),
    key("approvals", Shape::Open(APPROVALS_FORWARD), Strict::Inside, "how questions travel"),
    key("run", Shape::Object(RUN), Strict::Inside, "`exec-guard run`"),
    key("journal", Shape::Object(JOURNAL), Strict::Inside, "what is recorded"),
    key("submit", Shape::Object(SUBMIT), Strict::Inside, "`exec-guard submit`"),
    key("hook", Shape::Object(HOOK), Strict::Inside, "agents' hooks"),
    key("marks", Shape::Object(MARKS), Strict::Inside, "how a caller is known for an agent"),
    key("security", Shape::Open(TOOL_SECURITY), Strict::Inside, "tool approvals"),
    key("toolOverrides", Shape::Map(&TOOL_MODE), Strict::First, "the same as security.toolOverrides"),
    key("allowlist", Shape::Any, Strict::Inside, "allowlist.admins is the same as security.owners"),
];

/// Every key of both documents with its pointer (`*` for any name, `-` for any place in a list), for the manual
/// and the tests.
pub fn all() -> Vec<(String, &'static Key)> {
    fn walk(shape: &'static Shape, pointer: &str, out: &mut Vec<(String, &'static Key)>) {
        match shape {
            Shape::Object(keys) | Shape::Open(keys) => {
                for k in keys.iter() {
                    let mut p = pointer.to_owned();
                    push_pointer(&mut p, k.name);
                    out.push((p.clone(), k));
                    walk(&k.shape, &p, out);
                }
            }
            Shape::Map(inner) => walk(inner, &format!("{pointer}/*"), out),
            Shape::List(inner) => walk(inner, &format!("{pointer}/-"), out),
            Shape::Either(a, b) => {
                walk(a, pointer, out);
                walk(b, pointer, out);
            }
            _ => {}
        }
    }
    const DOCUMENTS: [(&str, Shape); 2] =
        [("exec-approvals.json:", Shape::Object(APPROVALS)), ("config.json:", Shape::Object(CONFIG))];
    static SHAPES: [(&str, Shape); 2] = DOCUMENTS;
    let mut out = Vec::new();
    for (name, shape) in &SHAPES {
        walk(shape, name, &mut out);
    }
    out
}
