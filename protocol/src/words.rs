//! Words of the documents for values of the policy.
use policy::document::{Ask, Security};
use policy::shell::Dialect;

/// As in `"security": …`.
pub fn security(value: Security) -> &'static str {
    match value {
        Security::Deny => "deny",
        Security::Allowlist => "allowlist",
        Security::Full => "full",
    }
}

/// As in `"ask": …`.
pub fn ask(value: Ask) -> &'static str {
    match value {
        Ask::Off => "off",
        Ask::OnMiss => "on-miss",
        Ask::Always => "always",
    }
}

/// As in `check --json`.
pub fn dialect(value: Dialect) -> &'static str {
    match value {
        Dialect::Dash => "dash",
        Dialect::Bash => "bash",
        Dialect::Zsh => "zsh",
    }
}
