//! The shipped JSON Schemas are those of the sources, and say of real documents what the reader says.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
use std::path::PathBuf;

use policy::document::{Approvals, Config, PRESETS, schema};
use serde_json::{Value, json};

fn shipped(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/schema").join(name)
}

#[test]
fn shipped_schemas_are_up_to_date() {
    for (name, value) in
        [("exec-approvals.schema.json", schema::approvals()), ("config.schema.json", schema::config())]
    {
        let mut text = serde_json::to_string_pretty(&value).unwrap();
        text.push('\n');
        let path = shipped(name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let there: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        // Compared as values: the order of keys depends on features other crates turn on.
        assert_eq!(there, value, "{name}: run this test once with BLESS=1");
    }
}

/// The part of JSON Schema 2020-12 that the schemas use; a word it does not know is a failure, so that none is
/// passed over.
fn valid(schema: &Value, value: &Value) -> Result<(), String> {
    for (word, arg) in schema.as_object().ok_or("no schema")? {
        let ok = match word.as_str() {
            "$schema" | "$id" | "title" | "description" => true,
            "type" => {
                let is = |t: &Value| match t.as_str() {
                    Some("null") => value.is_null(),
                    Some("boolean") => value.is_boolean(),
                    Some("integer") => value.is_i64() || value.is_u64(),
                    Some("number") => value.is_number(),
                    Some("string") => value.is_string(),
                    Some("array") => value.is_array(),
                    Some("object") => value.is_object(),
                    _ => false,
                };
                arg.as_array().map_or_else(|| is(arg), |types| types.iter().any(is))
            }
            "enum" => arg.as_array().is_some_and(|a| a.contains(value)),
            "const" => arg == value,
            "minimum" => value.as_f64().is_none_or(|n| n >= arg.as_f64().unwrap_or(0.0)),
            "required" => arg
                .as_array()
                .is_some_and(|a| a.iter().all(|k| value.get(k.as_str().unwrap_or("")).is_some())),
            "anyOf" => arg.as_array().is_some_and(|a| a.iter().any(|s| valid(s, value).is_ok())),
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    valid(arg, item)?;
                }
                true
            }
            "properties" => {
                for (k, v) in value.as_object().into_iter().flatten() {
                    arg.get(k).map_or(Ok(()), |s| valid(s, v).map_err(|e| format!("{k}: {e}")))?;
                }
                true
            }
            "additionalProperties" => {
                for (k, v) in value.as_object().into_iter().flatten() {
                    valid(arg, v).map_err(|e| format!("{k}: {e}"))?;
                }
                true
            }
            other => return Err(format!("unknown word {other}")),
        };
        if !ok {
            return Err(format!("{word} {arg} against {value}"));
        }
    }
    Ok(())
}

#[test]
fn presets_are_valid() {
    for p in PRESETS {
        valid(&schema::approvals(), &serde_json::from_str(p.approvals).unwrap()).unwrap();
        valid(&schema::config(), &serde_json::from_str(p.config).unwrap()).unwrap();
    }
}

#[test]
fn schema_and_reader_agree() {
    let seed = json!({"version": 1, "socket": {"path": "~/.openclaw/exec-approvals.sock", "token": "base64url-token"},
        "defaults": {"security": "deny", "ask": "on-miss", "askFallback": "deny", "autoAllowSkills": false},
        "agents": {"main": {"security": "allowlist", "autoAllowSkills": true, "allowlist": [
            {"id": "B0C8C0B3-2C2D-4F8A-9A3C-5A4B3C2D1E0F", "pattern": "~/Projects/**/bin/rg", "lastUsedAt": 1737150000000u64,
             "lastUsedCommand": "rg -n TODO", "lastResolvedPath": "/Users/user/Projects/.../bin/rg"}]}}});
    let cases = [
        (seed, true),
        (json!({"version": 1, "odd": 1, "agents": {"a": {"allowlist": ["/bin/ls"]}}}), true),
        (json!({"version": 1, "defaults": {"ask": null}, "agents": null}), true),
        (json!({"version": 2}), false),
        (json!({}), false),
        (json!({"version": 1, "defaults": {"ask": "sometimes"}}), false),
        (json!({"version": 1, "defaults": {"autoAllowSkills": "yes"}}), false),
        (json!({"version": 1, "agents": {"a": {"allowlist": "ls"}}}), false),
        (json!({"version": 1, "agents": {"a": {"allowlist": [{"pattern": 1}]}}}), false),
        (json!({"version": 1, "agents": {"a": {"allowlist": [{"pattern": "/a", "expiresAt": -1}]}}}), false),
    ];
    for (doc, good) in cases {
        assert_eq!(Approvals::parse(doc.to_string().as_bytes(), "f").is_ok(), good, "{doc}");
        assert_eq!(
            valid(&schema::approvals(), &doc).is_ok(),
            good,
            "{doc}: {:?}",
            valid(&schema::approvals(), &doc)
        );
    }
    let forwarding = json!({"approvals": {"exec": {"enabled": true, "mode": "session", "agentFilter": ["main"],
        "sessionFilter": ["discord"], "targets": [{"channel": "slack", "to": "U1"}, {"channel": "telegram", "to": "1"}]}}});
    let cases = [
        (forwarding, true),
        (json!({"tools": {"exec": {"safeBins": [], "shell": {"accept": "checked"}}, "bash": {}}}), true),
        (json!({"skills": {"bins": {"rg": "/usr/bin/rg"}}}), true),
        (json!({"skills": {"bins": ["/opt/skills"]}}), true),
        (json!({"approvals": {"exec": {"mode": "all"}}}), false),
        (json!({"tools": {"exec": {"shell": {"accept": 1}}}}), false),
        (json!({"tools": {"exec": {"approvalTimeoutMs": "1"}}}), false),
    ];
    for (doc, good) in cases {
        assert_eq!(Config::parse(doc.to_string().as_bytes(), "f").is_ok(), good, "{doc}");
        assert_eq!(
            valid(&schema::config(), &doc).is_ok(),
            good,
            "{doc}: {:?}",
            valid(&schema::config(), &doc)
        );
    }
}
