//! What the tests of several rooms need.
use policy::Scope;
use protocol::ask::{WireFinding, WireQuestion, WireSegment};

/// A question about one program with these words, which nothing covers.
pub fn question(argv: &[&str]) -> WireQuestion {
    let words: Vec<Vec<u8>> = argv.iter().map(|w| w.as_bytes().to_vec()).collect();
    let path = format!("/usr/bin/{}", argv.first().copied().unwrap_or_default());
    let segment = WireSegment {
        text: argv.join(" ").into_bytes(),
        argv: words.clone(),
        dynamic: vec![false; words.len()],
        found: Some(path.clone().into_bytes()),
        real: Some(path.clone().into_bytes()),
        kind: "program".into(),
        within: None,
        satisfied_by: None,
    };
    WireQuestion {
        agent: "main".into(),
        agents: vec!["main".into()],
        session: None,
        host: "h".into(),
        uid: sys::ids::uid(),
        user: None,
        cwd: Some(b"/w".to_vec()),
        is_text: false,
        argv: words,
        found: path.clone().into_bytes(),
        real: path.clone().into_bytes(),
        text: None,
        said: None,
        shell: None,
        segments: vec![segment],
        security: "allowlist".into(),
        security_from: "built in".into(),
        ask: "on-miss".into(),
        ask_from: "built in".into(),
        ground: WireFinding {
            code: "allowlist-miss".into(),
            message: "nothing covers it".into(),
            advice: None,
            segment: Some(0),
        },
        findings: Vec::new(),
        asked_at_ms: 1,
        timeout_ms: 120_000,
        digest: "0".repeat(64),
        always: Ok(vec![policy::Proposal {
            scope: Scope::Program,
            entries: vec![policy::document::Entry { pattern: path, ..Default::default() }],
        }]),
        detached: false,
    }
}

/// Runs a test that waits.
pub fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

/// A home with a policy document, and what an approver makes in it.
pub struct Stage(tempfile::TempDir);

impl Stage {
    /// A document with a token; the agent `main` may run nothing, and somebody is asked.
    pub fn new() -> Stage {
        let stage = Stage(tempfile::tempdir().unwrap());
        let agent = r#"{"security":"allowlist","ask":"on-miss"}"#;
        stage.put(&format!(r#"{{"version":1,"socket":{{"token":"t"}},"agents":{{"main":{agent}}}}}"#));
        stage
    }

    /// The state folder.
    pub fn state(&self) -> std::path::PathBuf {
        self.0.path().join("home/.exec-guard")
    }

    /// Writes the document.
    pub fn put(&self, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.state().join("exec-approvals.json");
        std::fs::create_dir_all(self.state()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    }

    /// The document as it stands.
    pub fn document(&self) -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(self.state().join("exec-approvals.json")).unwrap()).unwrap()
    }

    /// The records of the journal.
    pub fn journal(&self) -> Vec<serde_json::Value> {
        store::journal::Journal::new(&self.state(), 1 << 20).read().unwrap().records
    }

    /// A desk on this state.
    pub fn handle(&self) -> crate::Handle {
        let places = store::Places {
            system: self.0.path().join("etc"),
            home: Some(self.0.path().join("home")),
            named: None,
            uid: sys::ids::uid(),
        };
        crate::Handle::new(crate::handle::Parts {
            rules: crate::rules::Rules::new(places),
            keeper: crate::keeper::Keeper::open(&self.state()).unwrap(),
            journal: Some(store::journal::Journal::new(&self.state(), 1 << 20)),
            socket: "/s".into(),
            limits: crate::desk::Limits::default(),
        })
        .unwrap()
    }
}
