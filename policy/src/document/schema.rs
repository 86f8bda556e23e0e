//! JSON Schemas of both documents, made from the table of keys, so that editors complete and check them.
use serde_json::{Value, json};

use super::keys::{APPROVALS, CONFIG, Key, Shape, Strict};

/// The schema of `exec-approvals.json`.
pub fn approvals() -> Value {
    let mut schema = document("exec-approvals", "Approvals of exec-guard", APPROVALS);
    put(&mut schema, "required", json!(["version"]));
    schema
}

/// The schema of `config.json`.
pub fn config() -> Value {
    document("config", "Settings of exec-guard", CONFIG)
}

fn put(schema: &mut Value, key: &str, value: Value) {
    if let Some(o) = schema.as_object_mut() {
        o.insert(key.into(), value);
    }
}

fn document(name: &str, title: &str, keys: &[Key]) -> Value {
    let mut schema = object(keys);
    put(&mut schema, "$schema", json!("https://json-schema.org/draft/2020-12/schema"));
    put(&mut schema, "$id", json!(format!("https://exec-guard.invalid/schema/{name}.schema.json")));
    put(&mut schema, "title", json!(title));
    if let Some(version) = schema.pointer_mut("/properties/version") {
        put(version, "const", json!(1));
    }
    // The document itself is no optional value.
    put(&mut schema, "type", json!("object"));
    schema
}

fn object(keys: &[Key]) -> Value {
    let mut properties = serde_json::Map::new();
    for k in keys {
        let mut schema = shape(&k.shape);
        let text = match k.strict {
            Strict::Inside => k.text.to_owned(),
            strict => format!("{}. Where layers differ: {}.", k.text, strict.words()),
        };
        put(&mut schema, "description", json!(text));
        properties.insert(k.name.into(), schema);
    }
    // Other keys are kept, so they are no error here either.
    json!({ "type": ["object", "null"], "properties": properties })
}

fn shape(shape_: &Shape) -> Value {
    match shape_ {
        Shape::Bool => json!({ "type": ["boolean", "null"] }),
        Shape::Whole => json!({ "type": ["integer", "null"], "minimum": 0 }),
        Shape::Number => json!({ "type": ["number", "null"] }),
        Shape::Text => json!({ "type": ["string", "null"] }),
        Shape::Word(words) => {
            let mut all: Vec<Value> = words.iter().map(|w| json!(w)).collect();
            all.push(Value::Null);
            json!({ "enum": all })
        }
        Shape::Texts => json!({ "type": ["array", "null"], "items": { "type": "string" } }),
        Shape::Object(keys) | Shape::Open(keys) => object(keys),
        Shape::Map(inner) => json!({ "type": ["object", "null"], "additionalProperties": shape(inner) }),
        Shape::List(inner) => json!({ "type": ["array", "null"], "items": shape(inner) }),
        Shape::Either(a, b) => json!({ "anyOf": [shape(a), shape(b)] }),
        Shape::Any => json!({}),
    }
}
