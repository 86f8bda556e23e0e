//! What `config.json` says of tools.
//!
//! ```text
//! security { mode, toolOverrides, ownerId, owners, sandbox, approval, rateLimit, validation, gatewayToken, gatewayUids }
//! toolOverrides, tools.sandbox, allowlist.admins      the same in other places; both and different is an error
//! approvals.senders                                   who may ask at all
//! ```
//!
//! All of it is taken from one document: the outermost that says anything of it. So a user's document loosens nothing
//! that the system's has set.
use std::collections::{BTreeMap, BTreeSet};

use policy::document::Policy;
use serde_json::{Map, Value};

use crate::auto::Pattern;
use crate::mode::Mode;

/// Programs that are never run by default, wherever they stand in a command.
pub const BLOCKED: &[&str] = &[
    "rm", "del", "erase", "dd", "format", "mkfs", "chmod", "chown", "useradd", "userdel", "passwd", "sudo",
    "su", "kill", "pkill", "reboot", "shutdown", "halt", "poweroff",
];

/// Everything that rules for tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Everybody's mode.
    pub mode: Mode,
    /// By the tool's name.
    pub overrides: BTreeMap<String, Mode>,
    /// Users whose own calls need no yes where the mode says so, and who may answer.
    pub owners: BTreeSet<String>,
    /// Where commands run.
    pub sandbox: Sandbox,
    /// Seconds a question waits.
    pub approval_timeout_s: u64,
    /// An owner's own dangerous call is confirmed by a person where one is at hand.
    pub require_confirmation: bool,
    /// Calls that need no question.
    pub auto_approve: Vec<Pattern>,
    /// Calls of one tool by one user in a window.
    pub rate: Rate,
    /// Largest values of fields.
    pub validation: Validation,
    /// The secret by which a gateway proves itself.
    pub gateway_token: Option<String>,
    /// User ids that are gateways.
    pub gateway_uids: Vec<u32>,
    /// A port of 127.0.0.1 at which gateways with the token are listened to as well.
    pub port: Option<u16>,
    /// The program that keeps the user's crontab, an absolute path; the system's without.
    pub crontab: Option<std::path::PathBuf>,
    /// Who may ask at all; `None`: owners and gateways.
    pub senders: Option<Vec<String>>,
    /// The document it comes from; `None` if none says anything.
    pub file: Option<String>,
}

/// `security.sandbox`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// Commands are confined.
    pub enabled: bool,
    /// They are refused where that is impossible.
    pub require: bool,
    /// This one and no other.
    pub backend: Option<String>,
    /// Milliseconds a command may run.
    pub timeout_ms: u64,
    /// Bytes of each of its streams that are kept.
    pub max_output: usize,
    /// If not empty: only these programs.
    pub allowed: Vec<String>,
    /// None of these programs, and none of the constructs `:` `>` `>>` `|` that stand here.
    pub blocked: Vec<String>,
    /// Docker or podman.
    pub container: Container,
}

impl Sandbox {
    /// What of it decides how much a command can do: another one is not what somebody said yes to.
    pub(crate) fn strength(&self) -> String {
        let c = &self.container;
        format!("{:?}", (self.enabled, self.require, &self.backend, c.enabled, &c.program, &c.image))
    }
}

/// `security.sandbox.container`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// Use one where an engine answers.
    pub enabled: bool,
    /// The engine's program, an absolute path; docker or podman of the system without.
    pub program: Option<std::path::PathBuf>,
    /// The image.
    pub image: String,
    /// Milliseconds a command may run in it.
    pub timeout_ms: u64,
}

/// `security.rateLimit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Calls in a window.
    pub limit: u64,
    /// The window, milliseconds.
    pub window_ms: u64,
}

/// `security.validation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validation {
    /// Characters of a command.
    pub command: usize,
    /// Milliseconds a call may ask for.
    pub timeout_ms: u64,
    /// Bytes of output a call may ask for.
    pub output: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            mode: Mode::OwnerOnly,
            overrides: BTreeMap::new(),
            owners: BTreeSet::new(),
            sandbox: Sandbox {
                enabled: true,
                require: false,
                backend: None,
                timeout_ms: 30_000,
                max_output: 10_000,
                allowed: Vec::new(),
                blocked: BLOCKED.iter().map(|b| (*b).to_owned()).collect(),
                container: Container {
                    enabled: false,
                    program: None,
                    image: "alpine:latest".into(),
                    timeout_ms: 60_000,
                },
            },
            approval_timeout_s: 300,
            require_confirmation: true,
            auto_approve: Vec::new(),
            rate: Rate { limit: 10, window_ms: 60_000 },
            validation: Validation { command: 1_000, timeout_ms: 60_000, output: 100_000 },
            gateway_token: None,
            gateway_uids: Vec::new(),
            port: None,
            crontab: None,
            senders: None,
            file: None,
        }
    }
}

/// What is wrong with the settings: the file, the place in it, and what to do. Then no tool runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl Settings {
    /// What the documents in force say.
    ///
    /// # Errors
    /// A value that is none, or two places that say different things.
    pub fn of(policy: &Policy) -> Result<Settings, Fault> {
        const OURS: [&str; 5] = ["security", "toolOverrides", "tools", "allowlist", "approvals"];
        let says = |name: &str| policy.section(name).filter(|(_, v)| speaks(name, v));
        let found: Vec<(&str, (&str, &Value))> =
            OURS.iter().filter_map(|name| Some((*name, says(name)?))).collect();
        // The documents stand in their order, the outermost first.
        let files: Vec<&str> = policy.documents().into_iter().map(|(_, file)| file).collect();
        let place = |file: &str| files.iter().position(|f| *f == file).unwrap_or(usize::MAX);
        let Some(file) = found.iter().map(|(_, (file, _))| *file).min_by_key(|f| place(f)) else {
            return Ok(Settings::default());
        };
        let of = |name: &str| found.iter().find(|(n, (f, _))| *n == name && *f == file).map(|(_, (_, v))| *v);
        let null = Value::Null;
        let tree = serde_json::json!({
            "security": of("security").unwrap_or(&null),
            "toolOverrides": of("toolOverrides").unwrap_or(&null),
            "tools": of("tools").unwrap_or(&null),
            "allowlist": of("allowlist").unwrap_or(&null),
            "approvals": of("approvals").unwrap_or(&null),
        });
        Settings::read(&tree, file)
    }

    /// The same from the value of one document.
    ///
    /// # Errors
    /// As [`Settings::of`].
    pub fn read(document: &Value, file: &str) -> Result<Settings, Fault> {
        let r = Reader { file };
        let mut s = Settings { file: Some(file.to_owned()), ..Settings::default() };
        let empty = Map::new();
        let security = r.object(document.get("security"), "/security")?.unwrap_or(&empty);
        if let Some(mode) = r.text(security.get("mode"), "/security/mode")? {
            s.mode = match Mode::of(&mode) {
                Some(Mode::Deny) | None => {
                    return Err(r.fault("/security/mode", "is no mode", "write owner-only"));
                }
                Some(mode) => mode,
            };
        }
        let outer = document.get("toolOverrides").filter(|v| !v.is_null());
        let inner = security.get("toolOverrides").filter(|v| !v.is_null());
        let (value, at) = r.either(inner, "/security/toolOverrides", outer, "/toolOverrides")?;
        for (tool, mode) in r.object(value, at)?.unwrap_or(&empty) {
            let at = format!("{at}/{tool}");
            let Some(word) = r.text(Some(mode), &at)? else { continue };
            let mode = Mode::of(&word).ok_or_else(|| r.fault(&at, "is no mode", "write one, or deny"))?;
            s.overrides.insert(tool.trim().to_owned(), mode);
        }
        s.owners = r.owners(security, document)?;
        let tools = document.get("tools").and_then(|t| t.get("sandbox")).filter(|v| !v.is_null());
        let own = security.get("sandbox").filter(|v| !v.is_null());
        let (value, at) = r.either(own, "/security/sandbox", tools, "/tools/sandbox")?;
        r.sandbox(value, at, &mut s.sandbox)?;
        r.approval(security.get("approval"), &mut s)?;
        if let Some(rate) = r.object(security.get("rateLimit"), "/security/rateLimit")? {
            r.whole(rate, "/security/rateLimit", "limit", &mut s.rate.limit)?;
            r.whole(rate, "/security/rateLimit", "windowMs", &mut s.rate.window_ms)?;
            if s.rate.window_ms == 0 {
                return Err(r.fault("/security/rateLimit/windowMs", "is no time", "write milliseconds"));
            }
        }
        if let Some(v) = r.object(security.get("validation"), "/security/validation")? {
            let at = "/security/validation";
            r.size(v, at, "maxCommand", &mut s.validation.command)?;
            r.whole(v, at, "maxTimeout", &mut s.validation.timeout_ms)?;
            r.size(v, at, "maxOutput", &mut s.validation.output)?;
        }
        s.gateway_token = r.text(security.get("gatewayToken"), "/security/gatewayToken")?;
        if s.gateway_token.as_ref().is_some_and(|t| t.len() < 16) {
            let what = "is shorter than 16 characters, so that it can be guessed";
            return Err(r.fault("/security/gatewayToken", what, "make one: openssl rand -hex 32"));
        }
        if let Some(uids) = r.list(security.get("gatewayUids"), "/security/gatewayUids")? {
            let uid = |v: &Value| v.as_u64().and_then(|n| u32::try_from(n).ok());
            let all: Option<Vec<u32>> = uids.iter().map(uid).collect();
            s.gateway_uids = all.ok_or_else(|| {
                r.fault("/security/gatewayUids", "holds what is no user id", "write numbers")
            })?;
        }
        if let Some(port) = security.get("port").filter(|v| !v.is_null()) {
            let number = port.as_u64().and_then(|n| u16::try_from(n).ok()).filter(|n| *n > 0);
            if number.is_none() {
                return Err(r.fault("/security/port", "is no port", "write a number up to 65535"));
            }
            if s.gateway_token.is_none() {
                let what = "opens a door that nobody could prove himself at";
                return Err(r.fault("/security/port", what, "write security.gatewayToken as well"));
            }
            s.port = number;
        }
        if let Some(path) = r.text(security.get("crontab"), "/security/crontab")? {
            if !path.starts_with('/') {
                return Err(r.fault("/security/crontab", "is no absolute path", "write one"));
            }
            s.crontab = Some(path.into());
        }
        let approvals = r.object(document.get("approvals"), "/approvals")?;
        s.senders = r.texts(approvals.and_then(|a| a.get("senders")), "/approvals/senders")?;
        Ok(s)
    }

    /// What is said of one tool alone.
    pub fn over(&self, tool: &str) -> Option<Mode> {
        self.overrides.get(tool).copied()
    }

    /// True for an owner.
    pub fn is_owner(&self, user: &str) -> bool {
        self.owners.contains(user)
    }

    /// The user ids of this machine that are named: gateways, owners, senders.
    pub fn uids(&self) -> BTreeSet<u32> {
        let named = self.owners.iter().chain(self.senders.iter().flatten());
        let named = named.filter_map(|user| user.strip_prefix("uid:")?.parse().ok());
        self.gateway_uids.iter().copied().chain(named).collect()
    }

    /// True if that user id is one of them.
    pub fn names(&self, uid: u32) -> bool {
        let name = format!("uid:{uid}");
        let sends = || self.senders.as_ref().is_some_and(|all| all.contains(&name));
        self.gateway_uids.contains(&uid) || self.is_owner(&name) || sends()
    }
}

/// True if a section says something of tools: `tools` and `approvals` are others' as well.
fn speaks(name: &str, value: &Value) -> bool {
    let key = match name {
        "tools" => "sandbox",
        "approvals" => "senders",
        "allowlist" => "admins",
        _ => return !value.is_null(),
    };
    value.get(key).is_some_and(|v| !v.is_null())
}

struct Reader<'a> {
    file: &'a str,
}

type Read<T> = Result<T, Fault>;

impl Reader<'_> {
    fn fault(&self, at: &str, what: &str, remedy: &str) -> Fault {
        Fault(format!("{}: {at} {what}; {remedy}", self.file))
    }

    fn object<'v>(&self, value: Option<&'v Value>, at: &str) -> Read<Option<&'v Map<String, Value>>> {
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(_) => Err(self.fault(at, "is no object", "write { … }")),
        }
    }

    fn list<'v>(&self, value: Option<&'v Value>, at: &str) -> Read<Option<&'v Vec<Value>>> {
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(self.fault(at, "is no list", "write [ … ]")),
        }
    }

    fn text(&self, value: Option<&Value>, at: &str) -> Read<Option<String>> {
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(s)) => Ok(Some(s.clone())),
            Some(_) => Err(self.fault(at, "is no text", "write a string")),
        }
    }

    fn texts(&self, value: Option<&Value>, at: &str) -> Read<Option<Vec<String>>> {
        let Some(list) = self.list(value, at)? else { return Ok(None) };
        let all: Option<Vec<String>> = list.iter().map(|v| Some(v.as_str()?.trim().to_owned())).collect();
        all.map(Some).ok_or_else(|| self.fault(at, "holds what is no text", "write strings"))
    }

    fn flag(&self, map: &Map<String, Value>, at: &str, key: &str, out: &mut bool) -> Read<()> {
        match map.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::Bool(b)) => *out = *b,
            Some(_) => {
                return Err(self.fault(&format!("{at}/{key}"), "is neither true nor false", "write one"));
            }
        }
        Ok(())
    }

    fn whole(&self, map: &Map<String, Value>, at: &str, key: &str, out: &mut u64) -> Read<()> {
        match map.get(key) {
            None | Some(Value::Null) => {}
            Some(v) => {
                *out = v.as_u64().ok_or_else(|| {
                    self.fault(&format!("{at}/{key}"), "is no whole number", "write a number, not negative")
                })?;
            }
        }
        Ok(())
    }

    fn size(&self, map: &Map<String, Value>, at: &str, key: &str, out: &mut usize) -> Read<()> {
        let mut n = *out as u64;
        self.whole(map, at, key, &mut n)?;
        *out = usize::try_from(n).unwrap_or(usize::MAX);
        Ok(())
    }

    /// One of two places, if they do not contradict each other.
    fn either<'v, 'p>(
        &self,
        a: Option<&'v Value>,
        at: &'p str,
        b: Option<&'v Value>,
        bt: &'p str,
    ) -> Read<(Option<&'v Value>, &'p str)> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => {
                let what = format!("and {bt} say different things");
                Err(self.fault(at, &what, "keep one of them"))
            }
            (Some(a), _) => Ok((Some(a), at)),
            (None, b) => Ok((b, bt)),
        }
    }

    fn owners(&self, security: &Map<String, Value>, document: &Value) -> Read<BTreeSet<String>> {
        let one = self.text(security.get("ownerId"), "/security/ownerId")?;
        let list = self.texts(security.get("owners"), "/security/owners")?;
        let admins = document.get("allowlist").and_then(|a| a.get("admins"));
        let admins = self.texts(admins, "/allowlist/admins")?;
        let set = |l: &[String]| l.iter().filter(|o| !o.is_empty()).cloned().collect::<BTreeSet<_>>();
        let mut own: BTreeSet<String> = set(&list.clone().unwrap_or_default());
        own.extend(one.iter().filter(|o| !o.trim().is_empty()).map(|o| o.trim().to_owned()));
        match admins {
            Some(admins) if one.is_some() || list.is_some() => {
                if set(&admins) == own {
                    return Ok(own);
                }
                let what = "and /allowlist/admins name different people";
                Err(self.fault("/security/owners", what, "keep one of them"))
            }
            Some(admins) => Ok(set(&admins)),
            None => Ok(own),
        }
    }

    fn sandbox(&self, value: Option<&Value>, at: &str, s: &mut Sandbox) -> Read<()> {
        let Some(map) = self.object(value, at)? else { return Ok(()) };
        self.flag(map, at, "enabled", &mut s.enabled)?;
        self.flag(map, at, "require", &mut s.require)?;
        if let Some(name) = self.text(map.get("backend"), &format!("{at}/backend"))? {
            if !crate::sandbox::NAMES.contains(&name.as_str()) {
                let remedy = format!("write one of {}", crate::sandbox::NAMES.join(", "));
                return Err(self.fault(&format!("{at}/backend"), "is no sandbox", &remedy));
            }
            s.backend = Some(name);
        }
        self.whole(map, at, "timeout", &mut s.timeout_ms)?;
        self.size(map, at, "maxOutput", &mut s.max_output)?;
        if let Some(list) = self.texts(map.get("allowedCommands"), &format!("{at}/allowedCommands"))? {
            s.allowed = list;
        }
        if let Some(list) = self.texts(map.get("blockedCommands"), &format!("{at}/blockedCommands"))? {
            s.blocked = list;
        }
        let at = format!("{at}/container");
        if let Some(c) = self.object(map.get("container"), &at)? {
            self.flag(c, &at, "enabled", &mut s.container.enabled)?;
            self.whole(c, &at, "timeout", &mut s.container.timeout_ms)?;
            if let Some(path) = self.text(c.get("program"), &format!("{at}/program"))? {
                if !path.starts_with('/') {
                    return Err(self.fault(&format!("{at}/program"), "is no absolute path", "write one"));
                }
                s.container.program = Some(path.into());
            }
            if let Some(image) = self.text(c.get("image"), &format!("{at}/image"))? {
                // An image that looks like an option would be one.
                if image.is_empty() || image.starts_with('-') || image.contains(char::is_whitespace) {
                    return Err(self.fault(&format!("{at}/image"), "is no image's name", "correct it"));
                }
                s.container.image = image;
            }
        }
        Ok(())
    }

    fn approval(&self, value: Option<&Value>, s: &mut Settings) -> Read<()> {
        let at = "/security/approval";
        let Some(map) = self.object(value, at)? else { return Ok(()) };
        self.whole(map, at, "timeout", &mut s.approval_timeout_s)?;
        self.flag(map, at, "requireConfirmation", &mut s.require_confirmation)?;
        let at = format!("{at}/autoApprovePatterns");
        for (i, v) in self.list(map.get("autoApprovePatterns"), &at)?.into_iter().flatten().enumerate() {
            let pattern = Pattern::of(v);
            s.auto_approve.push(
                pattern.map_err(|what| {
                    self.fault(&format!("{at}/{i}"), &what, "write \"command: git status*\"")
                })?,
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(v: Value) -> Settings {
        Settings::read(&v, "config.json").unwrap()
    }

    #[test]
    fn the_strict_example() {
        let s = read(json!({
            "security": {
                "mode": "always-require-approval",
                "ownerId": "user:admin",
                "sandbox": {
                    "enabled": true, "timeout": 30000, "maxOutput": 10000,
                    "blockedCommands": ["rm", ":", ">", ">>", "|"],
                    "container": {"enabled": true, "image": "alpine:latest", "timeout": 60000}
                },
                "approval": {"timeout": 300, "requireConfirmation": true, "autoApprovePatterns": []}
            },
            "toolOverrides": {"bash": "always-require-approval", "cron": "always-require-approval"}
        }));
        assert_eq!(
            (s.mode, s.over("bash")),
            (Mode::AlwaysRequireApproval, Some(Mode::AlwaysRequireApproval))
        );
        assert!(s.is_owner("user:admin") && !s.is_owner("user:1"));
        assert!(s.sandbox.container.enabled && s.sandbox.blocked.len() == 5);
        assert_eq!((s.approval_timeout_s, s.require_confirmation), (300, true));
    }

    #[test]
    fn the_owner_only_and_yolo_examples() {
        let s = read(json!({
            "security": {
                "mode": "owner-only", "ownerId": "user:admin",
                "sandbox": {"enabled": true, "timeout": 30000, "maxOutput": 10000},
                "approval": {"timeout": 600, "requireConfirmation": false}
            },
            "toolOverrides": {}
        }));
        assert_eq!((s.mode, s.approval_timeout_s, s.require_confirmation), (Mode::OwnerOnly, 600, false));
        assert!(s.sandbox.blocked.iter().any(|b| b == "rm"), "the list there is without one");
        let s = read(json!({"security": {"mode": "yolo"}, "toolOverrides": {}}));
        assert_eq!((s.mode, s.owners.len()), (Mode::Yolo, 0));
        assert_eq!(Settings { file: None, ..read(json!({})) }, Settings::default());
    }

    #[test]
    fn the_other_places_are_read_and_must_not_contradict() {
        let s = read(json!({"tools": {"sandbox": {"timeout": 7}}, "allowlist": {"admins": ["a", "b"]}}));
        assert_eq!((s.sandbox.timeout_ms, s.owners.len()), (7, 2));
        let same =
            json!({"security": {"toolOverrides": {"bash": "yolo"}}, "toolOverrides": {"bash": "yolo"}});
        assert_eq!(read(same).over("bash"), Some(Mode::Yolo));
        for (v, place) in [
            (
                json!({"security": {"toolOverrides": {"bash": "deny"}}, "toolOverrides": {"bash": "yolo"}}),
                "toolOverrides",
            ),
            (
                json!({"security": {"sandbox": {"timeout": 1}}, "tools": {"sandbox": {"timeout": 2}}}),
                "sandbox",
            ),
            (json!({"security": {"ownerId": "a"}, "allowlist": {"admins": ["b"]}}), "owners"),
            (json!({"security": {"mode": "most"}}), "/security/mode"),
            (json!({"security": {"mode": "deny"}}), "/security/mode"),
            (json!({"toolOverrides": {"bash": "maybe"}}), "/toolOverrides/bash"),
            (json!({"security": {"sandbox": {"timeout": -1}}}), "/security/sandbox/timeout"),
            (json!({"security": {"sandbox": {"container": {"image": "--privileged"}}}}), "image"),
            (json!({"security": {"gatewayToken": "short"}}), "gatewayToken"),
            (json!({"security": {"gatewayUids": ["x"]}}), "gatewayUids"),
            (json!({"security": {"port": 4000}}), "gatewayToken"),
            (json!({"security": {"port": 0, "gatewayToken": "0123456789abcdef"}}), "/security/port"),
            (json!({"security": {"port": 65536, "gatewayToken": "0123456789abcdef"}}), "/security/port"),
            (json!({"security": {"rateLimit": {"windowMs": 0}}}), "windowMs"),
            (json!({"security": {"approval": {"autoApprovePatterns": [7]}}}), "autoApprovePatterns/0"),
        ] {
            let e = Settings::read(&v, "config.json").unwrap_err().to_string();
            assert!(e.contains(place) && e.starts_with("config.json: "), "{e}");
        }
    }
}
