//! The interface for programs, described from the types that travel.
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::Request;
use crate::result::ToolResult;

/// A call that waits for a yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    /// The question's id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Who wants it.
    pub user: String,
    /// The channel it was said in.
    pub channel: Option<String>,
    /// The message it was said with.
    pub message: Option<String>,
    /// What is wanted, in one line, the beginning of it.
    pub summary: String,
    /// When it was asked, milliseconds since 1970.
    pub asked_at_ms: u64,
    /// Until when it can be answered.
    pub expires_at_ms: u64,
}

/// An owner's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resolution {
    /// Who answers.
    pub user: Option<String>,
    /// Yes or no.
    pub approved: bool,
    /// Words for whoever called.
    #[serde(default)]
    pub reason: Option<String>,
}

/// How a call stands that was not waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The question's id.
    pub id: String,
    /// True as long as nothing came of it: nobody has answered, or it runs.
    pub waiting: bool,
    /// What came of it.
    pub result: Option<ToolResult>,
}

/// The description: OpenAPI 3.1.
pub fn document() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    let request = generator.subschema_for::<Request>();
    let result = generator.subschema_for::<ToolResult>();
    let pending = generator.subschema_for::<Vec<Pending>>();
    let resolution = generator.subschema_for::<Resolution>();
    let status = generator.subschema_for::<Status>();
    let content = |s: &schemars::Schema| json!({"application/json": {"schema": s}});
    let says = |what: &str, s: &schemars::Schema| json!({"description": what, "content": content(s)});
    let parameter = |name: &str, place: &str, what: &str| json!({"name": name, "in": place, "required": place == "path", "description": what, "schema": {"type": "string"}});
    let input = json!({"required": true, "content": content(&request)});
    let answer = json!({"required": true, "content": content(&resolution)});
    let id = parameter("id", "path", "the question's id");
    let user = parameter("user", "query", "who looks; believed only from a gateway");
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tools of exec-guard",
            "version": "1",
            "description": "Spoken over the unix socket tools/tools.sock in the approver's state folder, and at security.port of 127.0.0.1 and ::1, where every request needs the token.",
        },
        "security": [{}, {"gateway": []}],
        "paths": {
            "/v1/tools/{name}": {"post": {
                "operationId": "callTool",
                "summary": "Call a tool",
                "parameters": [parameter("name", "path", "bash, cron, browser, canvas, image or file")],
                "requestBody": input,
                "responses": {
                    "200": says("what came of it", &result),
                    "202": says("a person has to say yes, and wait was false", &result),
                    "400": says("a field is wrong", &result),
                    "403": says("whoever calls may not", &result),
                    "404": says("there is no such tool", &result),
                    "429": says("too many calls", &result),
                    "503": says("the approver is full, or ends", &result),
                },
            }},
            "/v1/requests": {"get": {
                "operationId": "listRequests",
                "summary": "The calls that wait for a yes: all for an owner, their own for others",
                "parameters": [user.clone()],
                "responses": {"200": says("those that wait", &pending), "403": says("not for you", &result)},
            }},
            "/v1/requests/{id}": {
                "get": {
                    "operationId": "requestStatus",
                    "summary": "What became of a call that was not waited for",
                    "parameters": [id.clone(), user],
                    "responses": {"200": says("how it stands", &status), "404": says("none has that id", &result)},
                },
                "post": {
                    "operationId": "resolveRequest",
                    "summary": "An owner's answer, by a gateway",
                    "parameters": [id],
                    "requestBody": answer,
                    "responses": {
                        "200": {"description": "it counts"},
                        "403": says("no owner, or no gateway", &result),
                        "404": says("none has that id", &result),
                        "409": says("it was answered already, or is over", &result),
                    },
                },
            },
        },
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": {"gateway": {
                "type": "http",
                "scheme": "bearer",
                "description": "security.gatewayToken; a user id in security.gatewayUids needs none",
            }},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written anew with `BLESS=1 cargo test -p exec-guard-tools`.
    #[test]
    fn the_description_is_what_is_spoken() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/tools.openapi.json");
        let want = format!("{:#}\n", document());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &want).unwrap();
        }
        let have = std::fs::read_to_string(&path).unwrap_or_default();
        let (have, want): (Value, Value) =
            (serde_json::from_str(&have).unwrap_or_default(), serde_json::from_str(&want).unwrap());
        assert_eq!(have, want, "docs/schema/tools.openapi.json is stale: BLESS=1 writes it");
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let doc = document();
        let text = doc.to_string();
        let mut refs = 0;
        for target in text.split("\"#/").skip(1).filter_map(|r| r.split('"').next()) {
            refs += 1;
            assert!(doc.pointer(&format!("/{target}")).is_some(), "{target}");
        }
        assert!(refs > 10);
    }
}
