//! One document: what is read, what is refused, what is noted.
use proptest::prelude::*;

use super::*;

#[test]
fn the_seeds_example_is_read() {
    let text = r#"{
  "version": 1,
  "socket": { "path": "~/.openclaw/exec-approvals.sock", "token": "base64url-token" },
  "defaults": { "security": "deny", "ask": "on-miss", "askFallback": "deny", "autoAllowSkills": false },
  "agents": {
    "main": {
      "security": "allowlist", "ask": "on-miss", "askFallback": "deny", "autoAllowSkills": true,
      "allowlist": [
        {
          "id": "B0C8C0B3-2C2D-4F8A-9A3C-5A4B3C2D1E0F",
          "pattern": "~/Projects/**/bin/rg",
          "lastUsedAt": 1737150000000,
          "lastUsedCommand": "rg -n TODO",
          "lastResolvedPath": "/Users/user/Projects/.../bin/rg"
        }
      ]
    }
  }
}"#;
    let doc = Approvals::parse(text.as_bytes(), "/h/.exec-guard/exec-approvals.json").unwrap();
    assert!(doc.notes.is_empty(), "{:?}", doc.notes);
    let policy = Policy::of_user(Some(doc), None);
    let e = policy.effective("main");
    assert_eq!(values(&e), (Security::Allowlist, Ask::OnMiss, Security::Deny, true));
    assert_eq!(e.security.from, "/h/.exec-guard/exec-approvals.json:/agents/main/security");
    let entry = e.allow[0].candidates(b"/home/u/Projects/x/bin/rg", b"/home/u/Projects/x/bin/rg");
    assert_eq!(entry[0].id.as_deref(), Some("B0C8C0B3-2C2D-4F8A-9A3C-5A4B3C2D1E0F"));
    assert_eq!(entry[0].from, "/h/.exec-guard/exec-approvals.json:/agents/main/allowlist/0");
    assert!(e.allow[0].candidates(b"/bin/ls", b"/bin/ls").is_empty());
    let other = policy.effective("other");
    assert_eq!(values(&other), (Security::Deny, Ask::OnMiss, Security::Deny, false));
    assert_eq!(policy.settings("main").socket.path.as_deref(), Some("~/.openclaw/exec-approvals.sock"));
    assert_eq!(policy.settings("main").socket.token.as_deref(), Some("base64url-token"));
}

#[test]
fn the_seeds_forwarding_example_is_read() {
    let text = r#"{
  approvals: {
    exec: {
      enabled: true,
      mode: "session", // "session" | "targets" | "both"
      agentFilter: ["main"],
      sessionFilter: ["discord"], // substring or regex
      targets: [
        { channel: "slack", to: "U12345678" },
        { channel: "telegram", to: "123456789" },
      ],
    },
  },
}"#;
    let c = Config::parse(text.as_bytes(), "c").unwrap();
    assert!(c.notes.is_empty(), "{:?}", c.notes);
    let policy = Policy::of_user(None, Some(c));
    let (_, v) = policy.section("approvals").unwrap();
    assert_eq!(v["exec"]["targets"][1]["to"], "123456789");
}

#[test]
fn the_second_seeds_configurations_are_read() {
    for text in [
        r#"{"security":{"mode":"always-require-approval","ownerId":"user:admin","sandbox":{"enabled":true,
            "timeout":30000,"maxOutput":10000,"blockedCommands":["rm",":",">"],
            "container":{"enabled":true,"image":"alpine:latest","timeout":60000}},
            "approval":{"timeout":300,"requireConfirmation":true,"autoApprovePatterns":[]}},
            "toolOverrides":{"bash":"always-require-approval","cron":"always-require-approval"}}"#,
        r#"{"security":{"mode":"yolo","sandbox":{"enabled":true}},"toolOverrides":{}}"#,
        r#"{"security":{"mode":"owner-only"},"allowlist":{"admins":["user:admin"]},"tools":{"sandbox":{}}}"#,
    ] {
        let c = Config::parse(text.as_bytes(), "c").unwrap();
        assert!(c.notes.is_empty(), "{:?}", c.notes);
        assert!(c.sections.iter().any(|(n, _)| *n == "security"));
    }
}

#[test]
fn what_is_refused_says_where() {
    use LoadErrorKind as K;
    for (text, kind, field) in [
        ("{}", K::Version, "/version"),
        (r#"{"version":2}"#, K::Version, "/version"),
        (r#"{"version":"1"}"#, K::Version, "/version"),
        (r#"{"version":null}"#, K::Version, "/version"),
        (r#"{"version":1.5}"#, K::Version, "/version"),
        ("[]", K::Type, ""),
        ("{invalid", K::Syntax, ""),
        (r#"{"version":1,"version":1}"#, K::DuplicateKey, "/version"),
        (r#"{"version":1,"defaults":{"security":"none"}}"#, K::Value, "/defaults/security"),
        (r#"{"version":1,"defaults":{"security":"FULL"}}"#, K::Value, "/defaults/security"),
        (r#"{"version":1,"defaults":{"ask":"never"}}"#, K::Value, "/defaults/ask"),
        (r#"{"version":1,"defaults":{"askFallback":["deny"]}}"#, K::Type, "/defaults/askFallback"),
        (r#"{"version":1,"defaults":{"ask":true}}"#, K::Type, "/defaults/ask"),
        (r#"{"version":1,"agents":{"a/b":{"security":42}}}"#, K::Type, "/agents/a~1b/security"),
        (r#"{"version":1,"agents":[]}"#, K::Type, "/agents"),
        (r#"{"version":1,"agents":{"main":{"allowlist":"ls"}}}"#, K::Type, "/agents/main/allowlist"),
        (
            r#"{"version":1,"agents":{"main":{"allowlist":[{"pattern":123}]}}}"#,
            K::Type,
            "/agents/main/allowlist/0/pattern",
        ),
        (r#"{"version":1,"agents":{"main":{"allowlist":[null]}}}"#, K::Type, "/agents/main/allowlist/0"),
        (
            r#"{"version":1,"agents":{"main":{"allowlist":[{"pattern":"/a","carries":"all"}]}}}"#,
            K::Value,
            "/agents/main/allowlist/0/carries",
        ),
        (
            r#"{"version":1,"agents":{"main":{"allowlist":[{"pattern":"/a","expiresAt":-1}]}}}"#,
            K::Value,
            "/agents/main/allowlist/0/expiresAt",
        ),
        (
            r#"{"version":1,"agents":{"main":{"allowlist":[{"pattern":"/a","args":"x"}]}}}"#,
            K::Type,
            "/agents/main/allowlist/0/args",
        ),
        (r#"{"version":1,"defaults":{"denylist":["/a[b"]}}"#, K::Pattern, "/defaults/denylist/0"),
        (r#"{"version":1,"defaults":{"denylist":[" "]}}"#, K::Pattern, "/defaults/denylist/0"),
        (r#"{"version":1,"defaults":{"denylist":[{}]}}"#, K::Pattern, "/defaults/denylist/0"),
        (
            r#"{"version":1,"defaults":{"asklist":[{"pattern":"git","argPattern":"("}]}}"#,
            K::Pattern,
            "/defaults/asklist/0",
        ),
        (
            r#"{"version":1,"defaults":{"asklist":[{"pattern":"git","args":["{a"]}]}}"#,
            K::Pattern,
            "/defaults/asklist/0",
        ),
        (r#"{"version":1,"userPolicy":"yes"}"#, K::Value, "/userPolicy"),
        (r#"{"version":1,"socket":{"allowUids":[-1]}}"#, K::Value, "/socket/allowUids/0"),
    ] {
        let e = Approvals::parse(text.as_bytes(), "a.json").unwrap_err();
        assert_eq!((e.kind, e.field.as_deref()), (kind, Some(field)), "{text}: {e}");
        assert_eq!(e.line, Some(1), "{text}: {e}");
        assert!(e.to_string().starts_with("a.json:1:"), "{e}");
        assert!(!e.remedy.is_empty(), "{e}");
    }
    let text = "{\n \"version\": 1,\n \"defaults\": {\n  \"ask\": \"sometimes\"\n }\n}";
    let e = Approvals::parse(text.as_bytes(), "a.json").unwrap_err();
    assert_eq!(e.line, Some(4));
    assert_eq!(
        e.to_string().replace(&format!("4:{}", e.column.unwrap()), "4:N"),
        "a.json:4:N: unknown value \"sometimes\" at /defaults/ask; use always, on-miss, off"
    );
}

#[test]
fn what_configurations_are_refused() {
    use LoadErrorKind as K;
    for (text, kind, field) in [
        (r#"{tools:{exec:{security:"all"}}}"#, K::Value, "/tools/exec/security"),
        (r#"{tools:{exec:{safeBins:"jq"}}}"#, K::Type, "/tools/exec/safeBins"),
        (r#"{tools:{exec:{safeBins:["jq","yq"]}}}"#, K::Value, "/tools/exec/safeBins/1"),
        (
            r#"{tools:{exec:{safeBins:["awk"],safeBinProfiles:{awk:{}}}}}"#,
            K::Value,
            "/tools/exec/safeBinProfiles/awk",
        ),
        (r#"{tools:{exec:{safeBins:["sed"]}}}"#, K::Value, "/tools/exec/safeBins/0"),
        (r#"{tools:{exec:{safeBins:["/bin/jq"]}}}"#, K::Value, "/tools/exec/safeBins/0"),
        (
            r#"{tools:{exec:{safeBinProfiles:{yq:{flags:["r"]}}}}}"#,
            K::Value,
            "/tools/exec/safeBinProfiles/yq/flags/0",
        ),
        (
            r#"{tools:{exec:{safeBinProfiles:{yq:{maxPositional:1}}}}}"#,
            K::Value,
            "/tools/exec/safeBinProfiles/yq",
        ),
        (r#"{tools:{exec:{safeBinTrustedDirs:["bin"]}}}"#, K::Value, "/tools/exec/safeBinTrustedDirs/0"),
        (r#"{tools:{exec:{shell:{program:"bash"}}}}"#, K::Value, "/tools/exec/shell/program"),
        (
            r#"{agents:{a:{tools:{exec:{shell:{accept:"loose"}}}}}}"#,
            K::Value,
            "/agents/a/tools/exec/shell/accept",
        ),
        (r#"{agents:{a:{tools:{exec:{safeBins:["yq"]}}}}}"#, K::Value, "/agents/a/tools/exec/safeBins/0"),
        (r#"{tools:{exec:{approvalTimeoutMs:"1s"}}}"#, K::Type, "/tools/exec/approvalTimeoutMs"),
        (r#"{tools:{exec:{approvalTimeoutMs:-5}}}"#, K::Value, "/tools/exec/approvalTimeoutMs"),
        (r#"{skills:{bins:{rg:"rg"}}}"#, K::Value, "/skills/bins/rg"),
        (r#"{version:3}"#, K::Version, "/version"),
        (r#"{journal:{text:"all"}}"#, K::Value, "/journal/text"),
    ] {
        let e = Config::parse(text.as_bytes(), "c.json").unwrap_err();
        assert_eq!((e.kind, e.field.as_deref()), (kind, Some(field)), "{text}: {e}");
        assert_eq!(e.line, Some(1), "{e}");
    }
}

#[test]
fn what_is_tolerated_is_noted() {
    let doc = approvals(&json!({"version": 1, "colour": 1, "defaults": {"securty": "full"},
        "agents": {"main": {"mcpTools": [], "allowlist": ["", "  ", "ls", {}, "/bin/ls", {"note": "x", "zz": 1}]}}}))
    .unwrap();
    assert_eq!(doc.notes.len(), 7, "{:?}", doc.notes);
    let e = Policy::of_user(Some(doc), None).effective("main");
    assert_eq!(patterns(&e), [["/bin/ls"]]);
    assert_eq!(e.allow[0].all()[0].from, "a.json:/agents/main/allowlist/4");
    assert!(e.notes.iter().any(|n| n.contains("/defaults/securty")), "{:?}", e.notes);
    assert_eq!(e.security.value, Security::Deny);
}

#[test]
fn words_fold_case_in_config_only() {
    let c = config(&json!({"tools": {"exec": {"security": " Allowlist ", "ask": "ALWAYS"}}}));
    let e = Policy::of_user(Some(approvals(&doc(json!({"askFallback": " full "}))).unwrap()), Some(c))
        .effective("main");
    assert_eq!(values(&e), (Security::Allowlist, Ask::Always, Security::Allowlist, false));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Approvals::parse(&bytes, "a");
        let _ = Config::parse(&bytes, "c");
    }

    #[test]
    fn arbitrary_text_like_json_never_panics(text in "[\\[\\]{}:,\"'a-f0-9 \\\\/*u\\n.-]{0,80}") {
        let _ = Approvals::parse(text.as_bytes(), "a");
        let _ = Config::parse(text.as_bytes(), "c");
    }
}
