//! All documents together: which value rules.
use proptest::prelude::*;

use super::*;
use crate::document::keys::{self, Shape, Strict};
use crate::document::{merge, presets};

#[test]
fn null_is_unset_and_scalars_fall_through() {
    let e = user(json!({"version": 1, "defaults": {"security": "full", "ask": "off", "askFallback": "full"},
        "agents": {"*": {"security": "deny", "ask": "always", "askFallback": "deny"},
                   "main": {"security": null, "ask": null, "askFallback": null, "allowlist": null}}}));
    assert_eq!(values(&e), (Security::Deny, Ask::Always, Security::Deny, false));
    assert_eq!(e.ask.from, "a.json:/agents/*/ask");
    assert!(e.allow.is_empty());
    let e = user(json!({"version": 1, "agents": {"*": {"security": "deny"}, "main": {"security": "full"}}}));
    assert_eq!(values(&e), (Security::Full, Ask::OnMiss, Security::Deny, false));
    assert_eq!((e.security.from.as_str(), e.ask.from.as_str()), ("a.json:/agents/main/security", "built in"));
}

#[test]
fn lists_join_within_a_document() {
    let e = user(json!({"version": 1,
        "defaults": {"allowlist": ["/d"], "denylist": ["dd"]},
        "agents": {"*": {"allowlist": ["/a"], "asklist": ["/aa"]}, "main": {"allowlist": ["/a", "/b"], "denylist": ["bb"]}}}));
    assert_eq!(patterns(&e), [["/a", "/a", "/b", "/d"]]);
    assert_eq!(e.asklist.len(), 1);
    assert_eq!(
        e.denylist.iter().map(|e| e.from.as_str()).collect::<Vec<_>>(),
        ["a.json:/agents/main/denylist/0", "a.json:/defaults/denylist/0"]
    );
}

#[test]
fn default_becomes_main() {
    let e = user(json!({"version": 1, "agents": {"default": {"security": "full", "ask": "always",
            "allowlist": ["/x", "/B", {"pattern": "/x", "args": ["1"]}], "denylist": ["n", {"pattern": "m", "args": ["1"]}]},
        "main": {"security": "allowlist", "allowlist": ["/b"], "denylist": ["m"]}}}));
    assert_eq!(values(&e).0, Security::Allowlist);
    assert_eq!(e.ask.from, "a.json:/agents/default/ask");
    assert_eq!(patterns(&e), [["/b", "/x", "/x"]]);
    assert_eq!(e.allow[0].all()[2].from, "a.json:/agents/default/allowlist/2");
    // A narrower refusal is no duplicate of a wider one's name.
    assert_eq!(e.denylist.len(), 3);
    let only =
        user(json!({"version": 1, "agents": {"default": {"allowlist": [{"pattern": "/bin/legacy"}]}}}));
    assert_eq!(patterns(&only), [["/bin/legacy"]]);
}

#[test]
fn config_speaks_where_approvals_are_silent_and_tightens_where_not() {
    let rules = |a: Value, c: Value| {
        Policy::new(Layer::default(), of(doc(a), json!({"tools": {"exec": c}})), Layer::default(), None)
            .effective("main")
    };
    let e = rules(json!({}), json!({"security": "full", "ask": "off", "autoAllowSkills": true}));
    assert_eq!(values(&e), (Security::Full, Ask::Off, Security::Deny, true));
    assert_eq!(e.security.from, "c.json:/tools/exec/security");
    let e = rules(
        json!({"security": "full", "ask": "always", "askFallback": "full"}),
        json!({"security": "allowlist", "ask": "always"}),
    );
    assert_eq!(values(&e), (Security::Allowlist, Ask::Always, Security::Allowlist, false));
    let e = rules(
        json!({"security": "deny", "autoAllowSkills": true}),
        json!({"security": "full", "autoAllowSkills": false}),
    );
    assert_eq!((e.security.value, e.auto_allow_skills.value), (Security::Deny, false));
    // An agent's own setting replaces the general one of the same document, in both directions.
    let c = config(&json!({"tools": {"exec": {"ask": "always", "safeBins": ["jq"]}},
        "agents": {"main": {"tools": {"exec": {"ask": "off", "safeBins": ["wc"]}}}}}));
    let policy = Policy::of_user(Some(approvals(&doc(json!({}))).unwrap()), Some(c));
    assert_eq!(
        (policy.effective("main").ask.value, policy.effective("x").ask.value),
        (Ask::Off, Ask::Always)
    );
    assert_eq!(policy.effective("main").safe_bins, ["wc", "jq"]);
    assert_eq!(policy.effective("main").ask.from, "c.json:/agents/main/tools/exec/ask");
}

#[test]
fn the_system_layer_is_a_floor() {
    let merge =
        |s: Value, u: Value| Policy::new(layer(s), layer(u), Layer::default(), None).effective("main");
    let e = merge(
        doc(json!({"security": "allowlist", "allowlist": ["/a"]})),
        doc(json!({"security": "full", "ask": "off", "allowlist": ["/b"], "denylist": ["x"]})),
    );
    assert_eq!(values(&e), (Security::Allowlist, Ask::Off, Security::Deny, false));
    assert_eq!(patterns(&e), [["/a"], ["/b"]]);
    assert_eq!(e.denylist.len(), 1);
    let e = merge(doc(json!({"security": "allowlist"})), doc(json!({"allowlist": ["/b"]})));
    assert_eq!(patterns(&e), [["/b"]]);
    let mut e = merge(doc(json!({"security": "allowlist", "allowlist": ["/a"]})), doc(json!({})));
    assert_eq!(patterns(&e), [["/a"]]);
    // What a person adds goes into a list of its own and does not widen the system's.
    e.add_user_entries(&[Entry { pattern: "/n".into(), ..Entry::default() }]);
    assert_eq!(patterns(&e), [["/a"], ["/n"]]);
    let mut s = doc(json!({"security": "allowlist", "allowlist": ["/a"]}));
    s["userPolicy"] = json!("merge");
    let mut e = merge(s.clone(), doc(json!({"security": "full", "allowlist": ["/b"]})));
    assert_eq!(
        (patterns(&e), e.security.value),
        (vec![vec!["/a".to_owned(), "/b".into()]], Security::Allowlist)
    );
    e.add_user_entries(&[Entry { pattern: "/n".into(), ..Entry::default() }]);
    assert_eq!(patterns(&e), [["/a", "/b", "/n"]]);
    // Only the system can say so.
    let e = merge(doc(json!({"allowlist": ["/a"]})), s);
    assert_eq!(patterns(&e), [["/a"], ["/a"]]);
}

#[test]
fn an_environment_variable_cannot_loosen() {
    let user = of(doc(json!({"security": "allowlist"})), json!({"tools": {"exec": {}}}));
    let home = of(
        json!({"version": 1, "socket": {"path": "/tmp/evil.sock", "token": "t"},
            "defaults": {"security": "full", "ask": "off", "askFallback": "full", "autoAllowSkills": true, "allowlist": ["/**"]}}),
        json!({"skills": {"bins": ["/tmp"]}, "run": {"writable": ["/"], "unixSockets": "allow"}, "hook": {"rewrite": false, "quiet": ["mcp__*"]},
            "elevated": "full",
            "tools": {"exec": {"safeBins": ["yq"], "safeBinProfiles": {"yq": {}}, "safeBinTrustedDirs": ["/tmp"],
            "safeBinConfinement": "off", "env": {"mode": "pass", "trusted": ["LD_PRELOAD"]}, "hazards": {"deletes": "allow"},
            "shell": {"accept": "checked", "redirections": "scoped", "writable": ["/**"], "program": "/tmp/sh", "login": "drop"}}}}),
    );
    let policy = Policy::new(Layer::default(), user.clone(), home, None)
        .with_call(Call { elevated: true, ..Call::default() });
    let alone = Policy::new(Layer::default(), user, Layer::default(), None);
    let (e, a) = (policy.effective("main"), alone.effective("main"));
    assert!(patterns(&e).iter().any(Vec::is_empty), "nothing may match: {:?}", patterns(&e));
    assert!(no_looser(&e, &a), "{e:#?}");
    assert_eq!((e.shell_program.as_str(), e.elevated), ("/bin/sh", false));
    let s = policy.settings("main");
    assert_ne!(s.socket.path.as_deref(), Some("/tmp/evil.sock"));
    assert_eq!((s.run.writable, s.run.unix_sockets), (None, DenyOrAllow::Deny));
    assert!(s.hook_quiet.is_empty(), "{:?}", s.hook_quiet);
    // It may tighten, and it stands alone where there is no other.
    let home =
        layer(doc(json!({"security": "full", "ask": "always", "denylist": ["x"], "allowlist": ["/b"]})));
    let user = layer(doc(json!({"security": "full", "allowlist": ["/a"]})));
    let e = Policy::new(Layer::default(), user, home.clone(), None).effective("main");
    assert_eq!(
        (e.ask.value, e.denylist.len(), patterns(&e)),
        (Ask::Always, 1, vec![vec!["/a".to_owned()], vec!["/b".into()]])
    );
    let e = Policy::new(Layer::default(), Layer::default(), home, None).effective("main");
    assert_eq!(values(&e).0, Security::Full);
}

#[test]
fn tools_that_a_person_calls_quiet() {
    let said = |names: &[&str]| Layer::new(None, Some(config(&json!({"hook": {"quiet": names}}))));
    let quiet = |system: Layer, user: Layer, home: Layer| {
        Policy::new(system, user, home, None).settings("main").hook_quiet
    };
    let none = Layer::default;
    assert!(quiet(none(), none(), none()).is_empty());
    assert_eq!(quiet(none(), said(&["a*", "b"]), none()), ["a*", "b"]);
    assert_eq!(quiet(said(&["a*"]), none(), none()), ["a*"]);
    // Two that speak: what both say. The one that the environment names takes away only.
    assert_eq!(quiet(said(&["a*", "c"]), said(&["a*", "b"]), none()), ["a*"]);
    assert_eq!(quiet(none(), said(&["a*", "b"]), said(&["b", "c"])), ["b"]);
    assert!(quiet(none(), Layer::new(None, Some(config(&json!({})))), said(&["b"])).is_empty());
    // An agent's part has no such key, and what begins with any rest would be every tool.
    let of_agent = json!({"agents": {"*": {"hook": {"quiet": ["a"]}, "tools": {"hook": {"quiet": ["a"]}}}}});
    assert!(quiet(none(), Layer::new(None, Some(config(&of_agent))), none()).is_empty());
    for bad in ["", " ", "*", "*a", "**"] {
        let text = json!({"hook": {"quiet": ["a", bad]}}).to_string();
        let error = Config::parse(text.as_bytes(), "c.json").unwrap_err();
        assert!(error.to_string().contains("/hook/quiet/1"), "{bad:?}: {error}");
    }
    let names = ["mcp__jira__*", "exact", "a*b*c"].map(str::to_owned);
    for tool in ["mcp__jira__add", "mcp__jira__", "exact", "abc", "a1b2c", "abbcc"] {
        assert!(is_quiet(&names, tool), "{tool}");
    }
    for tool in
        ["mcp__jira", "mcp__jirax__add", "Mcp__jira__add", "exact1", "xexact", "ac", "acb", "abcd", ""]
    {
        assert!(!is_quiet(&names, tool), "{tool}");
    }
}

#[test]
fn openclaws_document_rules_where_there_is_no_other() {
    let claw = approvals(&doc(json!({"security": "full"}))).unwrap();
    let e = Policy::new(Layer::default(), Layer::default(), Layer::default(), Some(claw.clone()))
        .effective("main");
    assert_eq!(e.security.value, Security::Full);
    let e =
        Policy::new(Layer::default(), layer(doc(json!({}))), Layer::default(), Some(claw)).effective("main");
    assert_eq!(e.security.value, Security::Deny);
}

#[test]
fn without_documents_the_cautious_preset_rules() {
    let e = Policy::embedded().effective("main");
    assert_eq!(values(&e), (Security::Allowlist, Ask::OnMiss, Security::Deny, false));
    assert!(e.strict_inline_eval && e.echo_dynamic_ask && e.dynamic_option_ask);
    assert!(e.safe_bins.contains(&"jq".to_owned()) && e.allow.iter().all(|l| l.all().is_empty()));
    // A config alone changes what it names.
    let e = Policy::of_user(
        None,
        Some(config(&json!({"tools": {"exec": {"security": "full", "strictInlineEval": false}}}))),
    )
    .effective("main");
    assert_eq!((e.security.value, e.ask.value, e.strict_inline_eval), (Security::Full, Ask::OnMiss, false));
    // A document that says nothing rules by the built-in values.
    let e = user(json!({"version": 1}));
    assert_eq!(values(&e), (Security::Deny, Ask::OnMiss, Security::Deny, false));
}

#[test]
fn the_call_only_tightens() {
    let policy = Policy::of_user(
        Some(approvals(&doc(json!({"security": "allowlist", "ask": "on-miss"}))).unwrap()),
        None,
    );
    let call = |security, ask| {
        policy.clone().with_call(Call { security, ask, from: "me", ..Call::default() }).effective("main")
    };
    let e = call(Some(Security::Full), Some(Ask::Off));
    assert_eq!(values(&e), (Security::Allowlist, Ask::OnMiss, Security::Deny, false));
    let e = call(Some(Security::Deny), Some(Ask::Always));
    assert_eq!(values(&e), (Security::Deny, Ask::Always, Security::Deny, false));
    assert_eq!(e.security.from, "me");
}

#[test]
fn an_operator_skips_approvals_by_the_systems_leave_only() {
    let call = Call { elevated: true, ..Call::default() };
    let user = of(doc(json!({"denylist": ["rm"], "asklist": ["git"]})), json!({"elevated": "full"}));
    let e = Policy::new(Layer::default(), user.clone(), Layer::default(), None)
        .with_call(call.clone())
        .effective("main");
    assert_eq!((e.elevated, e.security.value), (false, Security::Deny));
    let system = Layer::new(None, Some(config(&json!({"elevated": "full"}))));
    let e =
        Policy::new(system.clone(), user.clone(), Layer::default(), None).with_call(call).effective("main");
    assert_eq!(
        (e.elevated, values(&e).0, e.ask.value, e.denylist.len()),
        (true, Security::Full, Ask::Off, 1)
    );
    assert!(e.asklist.is_empty());
    let e = Policy::new(system, user, Layer::default(), None).effective("main");
    assert!(!e.elevated);
}

#[test]
fn candidates_lose_nothing() {
    let entries: Vec<Entry> =
        ["/usr/bin/ls", "/bin/LS", "/usr/bin/*", "/opt/**", "/usr/bin/py*", "~/x/{a,b}"]
            .iter()
            .map(|p| Entry { pattern: (*p).into(), ..Entry::default() })
            .collect();
    let list = AllowList::new(entries);
    let got = |found: &str, real: &str| -> Vec<String> {
        list.candidates(found.as_bytes(), real.as_bytes()).iter().map(|e| e.pattern.clone()).collect()
    };
    assert_eq!(got("/bin/ls", "/bin/ls"), ["/usr/bin/ls", "/bin/LS", "/usr/bin/*", "/opt/**", "~/x/{a,b}"]);
    assert_eq!(
        got("/usr/bin/python3", "/usr/bin/python3.11"),
        ["/usr/bin/*", "/opt/**", "/usr/bin/py*", "~/x/{a,b}"]
    );
}

#[test]
fn presets_are_what_they_say() {
    for p in PRESETS {
        let a = Approvals::parse(p.approvals.as_bytes(), p.name).unwrap();
        let c = Config::parse(p.config.as_bytes(), p.name).unwrap();
        assert!(a.notes.is_empty() && c.notes.is_empty(), "{}: {:?} {:?}", p.name, a.notes, c.notes);
        let e = Policy::of_user(Some(a), Some(c)).effective("main");
        let want = match p.name {
            "deny-all" => (Security::Deny, Ask::Off, Security::Deny, false),
            "cautious" | "developer" => (Security::Allowlist, Ask::OnMiss, Security::Deny, false),
            "yolo" => (Security::Full, Ask::Off, Security::Full, false),
            other => panic!("{other}"),
        };
        assert_eq!(values(&e), want, "{}", p.name);
    }
    let from = presets::embedded();
    assert!(from.approvals.is_some() && from.config.is_some());
}

#[test]
fn every_setting_has_a_strict_side() {
    let all = keys::all();
    assert!(all.len() > 100, "{}", all.len());
    for (pointer, key) in &all {
        let container = matches!(key.shape, Shape::Object(_) | Shape::Open(_));
        let entry =
            pointer.contains("list/-/") || pointer.contains("/targets/-/") || pointer.contains("Profiles/*/");
        let other =
            ["$schema", "version", "mcpTools", "host", "agents", "allowlist", "sandbox"].contains(&key.name);
        assert_eq!(
            key.strict == Strict::Inside,
            container || entry || other && key.strict == Strict::Inside,
            "{pointer} says nothing of its strict side"
        );
        assert!(!key.text.is_empty(), "{pointer} is not explained");
        match key.strict {
            Strict::First => {
                let inner = if let Shape::Map(s) = key.shape { *s } else { key.shape };
                assert!(matches!(inner, Shape::Word(_)), "{pointer}");
            }
            Strict::True | Strict::False => assert!(matches!(key.shape, Shape::Bool), "{pointer}"),
            Strict::Least => assert!(matches!(key.shape, Shape::Whole), "{pointer}"),
            _ => {}
        }
    }
}

/// Every scalar key of `tools.exec` merged in both orders comes to its strict side.
#[test]
fn the_strict_side_is_the_one_that_rules() {
    fn put(pointer: &str, value: &Value) -> Config {
        let doc =
            pointer.split('/').rev().filter(|k| !k.is_empty()).fold(value.clone(), |v, k| json!({ k: v }));
        config(&doc)
    }
    let mut tried = 0;
    for (pointer, key) in keys::all() {
        let Some(path) = pointer.strip_prefix("config.json:") else { continue };
        let values: Vec<Value> = match (key.shape, key.strict) {
            _ if !path.starts_with("/tools/exec/")
                || path.contains('*')
                || path.contains('-') && !path.contains("hazards") =>
            {
                continue;
            }
            (Shape::Word(words), Strict::First) => words.iter().map(|w| json!(w)).collect(),
            (Shape::Bool, Strict::True) => vec![json!(true), json!(false)],
            (Shape::Bool, Strict::False) => vec![json!(false), json!(true)],
            (Shape::Whole, Strict::Least) => vec![json!(1), json!(2)],
            _ => continue,
        };
        tried += 1;
        let print = |e: Effective, s: Settings| {
            format!(
                "{:?}",
                (
                    e.security.value,
                    e.ask.value,
                    e.ask_fallback.value,
                    e.auto_allow_skills.value,
                    e.safe_bin_confinement,
                    e.strict_inline_eval,
                    e.case_sensitive,
                    e.shell_accept,
                    e.redirections,
                    (
                        e.login_ask,
                        e.unproven,
                        e.echo_dynamic_ask,
                        e.dynamic_option_ask,
                        e.env_mode,
                        e.hazards
                    ),
                    (s.approval_timeout_ms, s.ticket_ttl_ms, s.tty)
                )
            )
        };
        let rules = |system: Option<&Value>, user: Option<&Value>| {
            let l = |v: Option<&Value>, base| Layer::new(base, v.map(|v| put(path, v)));
            // Fallback is capped, so nothing else may hold it down.
            let base = approvals(&if path.ends_with("askFallback") {
                doc(json!({"security": "full"}))
            } else {
                doc(json!({}))
            });
            let p = Policy::new(l(system, None), l(user, Some(base.unwrap())), Layer::default(), None);
            print(p.effective("main"), p.settings("main"))
        };
        for (i, strict) in values.iter().enumerate() {
            for loose in &values[i + 1..] {
                let want = rules(Some(strict), None);
                assert_ne!(want, rules(Some(loose), None), "{path} has no effect");
                assert_eq!(rules(Some(strict), Some(loose)), want, "{path}: {strict} over {loose}");
                assert_eq!(rules(Some(loose), Some(strict)), want, "{path}: {strict} under {loose}");
            }
        }
    }
    assert!(tried >= 20, "{tried}");
}

/// True if everything `a` lets pass `b` lets pass too, as far as values tell.
fn no_looser(a: &Effective, b: &Effective) -> bool {
    fn within<T: PartialEq>(a: &[T], b: &[T]) -> bool {
        a.iter().all(|x| b.contains(x))
    }
    let lists = |e: &Effective| patterns(e);
    let env = |m| match m {
        EnvMode::Ask => 0,
        EnvMode::Scrub => 1,
        EnvMode::Pass => 2,
    };
    let hazard = |e: &Effective, c| e.hazards.iter().find(|(d, _)| *d == c).map(|(_, v)| *v);
    a.security.value <= b.security.value
        && a.ask.value >= b.ask.value
        && a.ask_fallback.value <= b.ask_fallback.value
        && (!a.auto_allow_skills.value || b.auto_allow_skills.value)
        // Every list of b still has to match, or nothing matches.
        && (lists(a).is_empty() || lists(a).iter().any(Vec::is_empty) || lists(b).iter().all(|l| lists(a).contains(l)) && !lists(b).is_empty())
        && b.asklist.iter().all(|e| a.asklist.contains(e))
        && b.denylist.iter().all(|e| a.denylist.contains(e))
        && within(&a.safe_bins, &b.safe_bins)
        && within(&a.safe_bin_trusted_dirs, &b.safe_bin_trusted_dirs)
        && within(&a.safe_bin_profiles, &b.safe_bin_profiles)
        && within(&a.skill_dirs, &b.skill_dirs)
        && within(&a.skill_bins, &b.skill_bins)
        && within(&a.env_trusted, &b.env_trusted)
        && within(&a.shell_readable, &b.shell_readable)
        && within(&a.shell_writable, &b.shell_writable)
        && a.shell_accept <= b.shell_accept
        && a.redirections <= b.redirections
        && env(a.env_mode) <= env(b.env_mode)
        && (a.strict_inline_eval || !b.strict_inline_eval)
        && crate::tables::hazards::Category::ALL.iter().all(|c| hazard(a, *c) != Some(AskOrAllow::Allow) || hazard(b, *c) == Some(AskOrAllow::Allow))
}

fn word(words: &'static [&'static str]) -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), proptest::sample::select(words).prop_map(|w| json!(w))]
}

fn some_list() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        proptest::collection::vec(proptest::sample::select(&["/a", "/b", "/c/*"][..]), 0..3)
            .prop_map(|l| json!(l))
    ]
}

prop_compose! {
    fn some_layer()(
        security in word(keys::SECURITY), ask in word(keys::ASK), fallback in word(keys::SECURITY),
        allow in some_list(), deny in some_list(), agent in word(keys::SECURITY), agent_allow in some_list(),
        c_security in word(keys::SECURITY), accept in word(&["strict", "checked"]), redirections in word(&["ban", "harmless", "scoped"]),
        bins in prop_oneof![Just(Value::Null), Just(json!([])), Just(json!(["jq"])), Just(json!(["jq", "wc"]))],
        dirs in some_list(), env in word(&["ask", "scrub", "pass"]), hazard in word(keys::ASK_OR_ALLOW), inline: bool,
        skip in 0..3,
    ) -> Layer {
        let a = json!({"version": 1, "defaults": {"security": security, "ask": ask, "askFallback": fallback, "allowlist": allow, "denylist": deny},
            "agents": {"main": {"security": agent, "allowlist": agent_allow}}});
        let c = json!({"tools": {"exec": {"security": c_security, "safeBins": bins, "safeBinTrustedDirs": dirs, "strictInlineEval": inline,
            "shell": {"accept": accept, "redirections": redirections, "readable": dirs}, "env": {"mode": env, "trusted": dirs}, "hazards": {"deletes": hazard}}}});
        Layer::new((skip != 1).then(|| approvals(&a).unwrap()), (skip != 2).then(|| config(&c)))
    }
}

proptest! {
    #[test]
    fn another_layer_never_loosens(user in some_layer(), home in some_layer()) {
        let both = |home| Policy::new(Layer::default(), user.clone(), home, None).effective("main");
        if user.approvals.is_some() && user.config.is_some() {
            let (with, without) = (both(home), both(Layer::default()));
            prop_assert!(no_looser(&with, &without), "{with:#?}\n{without:#?}");
        }
    }

    #[test]
    fn a_user_never_goes_below_what_the_system_set(system in some_layer(), user in some_layer()) {
        let e = Policy::new(system.clone(), user, Layer::default(), None).effective("main");
        let floor = merge::View::of(&system, "main");
        prop_assert!(floor.security.is_none_or(|s| e.security.value <= s.value));
        prop_assert!(floor.ask.is_none_or(|s| e.ask.value >= s.value));
        prop_assert!(floor.ask_fallback.is_none_or(|s| e.ask_fallback.value <= s.value));
        prop_assert!(e.ask_fallback.value <= e.security.value);
        for l in &floor.allow {
            let want: Vec<String> = l.all().iter().map(|e| e.pattern.clone()).collect();
            prop_assert!(patterns(&e).contains(&want));
        }
        for d in &floor.denylist {
            prop_assert!(e.denylist.contains(d));
        }
        prop_assert!(floor.exec.accept.is_none_or(|s| e.shell_accept <= s));
        prop_assert!(floor.exec.safe_bins.is_none_or(|s| e.safe_bins.iter().all(|b| s.contains(b))));
    }
}
