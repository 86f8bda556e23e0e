//! What a person is asked about a call: the same question as about a command, with the tool and who wants it as its ground.
use policy::Evaluation;
use protocol::Shown;
use protocol::ask::{Asker, WireFinding, WireQuestion, WireSegment};
use serde_json::Value;

use crate::call::Call;
use crate::identity::Who;

/// Code of the ground *a tool's call needs a yes*.
pub const TOOL: &str = "tool-approval";
/// Code of the ground *an owner confirms a call of their own*.
pub const CONFIRM: &str = "tool-confirmation";

/// Why somebody has to say yes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// The mode says so.
    pub tool: bool,
    /// It is an owner's own dangerous call, and a person is at hand.
    pub confirm: bool,
    /// The exec policy says so.
    pub exec: bool,
}

impl Need {
    /// True if nobody has to.
    pub fn is_none(self) -> bool {
        self == Need::default()
    }
}

/// Who wants what, in one sentence; every foreign byte made visible.
fn sentence(call: &Call, who: &Who) -> String {
    let shown = |text: &str| Shown::text(text.as_bytes()).into_string();
    let mut out = format!("`{}` asks for the tool {}", shown(&who.user), call.tool.name());
    for (word, value) in [("channel", &call.request.channel), ("message", &call.request.message)] {
        if let Some(value) = value {
            out.push_str(&format!(", {word} {}", shown(value)));
        }
    }
    if let Some(claimed) = &who.claimed {
        out.push_str(&format!(" (claims to be `{}`, which nobody vouches for)", shown(claimed)));
    }
    out
}

fn finding(code: &str, message: String) -> WireFinding {
    WireFinding { code: code.into(), message, advice: None, segment: None }
}

/// The question. Of a command it shows what the exec policy found; of another tool its arguments.
pub fn wire(
    call: &Call,
    who: &Who,
    need: Need,
    judged: Option<(&Evaluation, &policy::Invocation)>,
    asker: Asker<'_>,
    digest: &str,
) -> WireQuestion {
    let always = Err("a call of a tool is allowed once".to_owned());
    let of_exec = judged.and_then(|(eval, inv)| WireQuestion::of(eval, inv, always.clone(), asker));
    let mut q = of_exec.unwrap_or_else(|| other(call, asker));
    q.agent.clone_from(&who.user);
    let code = if need.confirm && !need.tool { CONFIRM } else { TOOL };
    let ground = finding(code, sentence(call, who));
    let before = std::mem::replace(&mut q.ground, ground);
    if !before.code.is_empty() {
        q.findings.insert(0, before);
    }
    q.always = always;
    digest.clone_into(&mut q.digest);
    q
}

/// The question about a tool that runs nothing here: its name and each argument as words.
fn other(call: &Call, asker: Asker<'_>) -> WireQuestion {
    let mut words = vec![call.tool.name().as_bytes().to_vec()];
    for (name, value) in &call.args {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        words.push(format!("{name}={value}").into_bytes());
    }
    let name = call.tool.name().as_bytes().to_vec();
    let segment = WireSegment {
        text: Shown::argv(&words).into_string().into_bytes(),
        dynamic: vec![false; words.len()],
        argv: words.clone(),
        found: None,
        real: None,
        kind: "builtin".into(),
        within: None,
        satisfied_by: None,
    };
    WireQuestion {
        agent: "main".into(),
        agents: vec!["main".into()],
        session: None,
        host: Shown::text(asker.host).into_string(),
        uid: asker.uid,
        user: asker.user.map(|u| Shown::text(u).into_string()),
        cwd: None,
        is_text: false,
        argv: words,
        found: name.clone(),
        real: name,
        text: None,
        said: None,
        shell: None,
        segments: vec![segment],
        security: "full".into(),
        security_from: "no program is run".into(),
        ask: "off".into(),
        ask_from: "no program is run".into(),
        ground: WireFinding::default(),
        findings: Vec::new(),
        asked_at_ms: sys::time::now_ms(),
        timeout_ms: asker.timeout_ms,
        digest: String::new(),
        always: Ok(Vec::new()),
        detached: false,
    }
}
