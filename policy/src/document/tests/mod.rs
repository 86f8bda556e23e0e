//! The documents from outside: what is read and refused, and what rules.
mod merge;
mod read;

use serde_json::{Value, json};

use super::*;

fn approvals(v: &Value) -> Result<Approvals, LoadError> {
    Approvals::parse(serde_json::to_string_pretty(v).unwrap().as_bytes(), "a.json")
}

fn config(v: &Value) -> Config {
    Config::parse(v.to_string().as_bytes(), "c.json").unwrap()
}

fn of(a: Value, c: Value) -> Layer {
    Layer::new(Some(approvals(&a).unwrap()), Some(config(&c)))
}

fn layer(a: Value) -> Layer {
    Layer::new(Some(approvals(&a).unwrap()), None)
}

fn doc(defaults: Value) -> Value {
    json!({"version": 1, "defaults": defaults})
}

fn user(a: Value) -> Effective {
    Policy::of_user(Some(approvals(&a).unwrap()), None).effective("main")
}

fn patterns(e: &Effective) -> Vec<Vec<String>> {
    e.allow.iter().map(|l| l.all().iter().map(|e| e.pattern.clone()).collect()).collect()
}

fn values(e: &Effective) -> (Security, Ask, Security, bool) {
    (e.security.value, e.ask.value, e.ask_fallback.value, e.auto_allow_skills.value)
}
