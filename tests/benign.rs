//! The benign corpus: what people and agents really run must pass without a question where the contract lets it.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::stage::corpus::{Scene, names, rows, verdict};
use crate::stage::view::{Bins, View, impossible};
use crate::stage::{cannot, listed};

#[test]
fn the_corpus() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let rows = rows("benign.jsonl");
    let view = View::new("benign", Bins::Witnesses, &names(&rows, "expect_with"));
    let scenes: Vec<Scene> = rows.iter().map(|r| Scene::new(&view, r)).collect();
    let mut jobs = Vec::new();
    for (s, r) in scenes.iter().zip(&rows) {
        for accept in ["strict", "checked"] {
            let exec = json!({"shell": {"accept": accept}});
            let home = s.documents(&view, accept, &r["expect_with"]["allowlist"], &exec);
            jobs.push(s.check(accept, &home));
        }
    }
    let results = view.run(&jobs, 2);

    let mut bad = Vec::new();
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for (s, r) in scenes.iter().zip(&rows) {
        let shown = r["command"].as_str().expect("command");
        for (accept, column) in [("strict", "acceptable"), ("checked", "acceptable_checked")] {
            let (decision, v) = match verdict(&results[&format!("{} {accept}", s.id)]) {
                Ok(x) => x,
                Err(e) => {
                    bad.push(format!("{} {accept}: {e}: {shown:?}", s.id));
                    continue;
                }
            };
            *counts.entry((accept, format!("{} → {decision}", r[column]))).or_default() += 1;
            let acceptable: Vec<&str> =
                r[column].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            // Stricter than a mere `ask` is still a refusal; only a lone `allow` and a lone `ask` bind.
            let right = match acceptable.as_slice() {
                ["allow"] => decision == "allow",
                ["ask"] => decision != "allow",
                _ => true,
            };
            if !right {
                let why: Vec<String> = v["findings"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|f| {
                        format!(
                            "[{}] {}",
                            f["code"].as_str().unwrap_or("?"),
                            f["message"].as_str().unwrap_or("?")
                        )
                    })
                    .collect();
                bad.push(format!("{} {accept} {decision}: {shown:?}: {}", s.id, why.join("; ")));
            }
            if accept == "strict"
                && let Some(why) = segments_differ(r, &v)
            {
                bad.push(format!("{} segments: {why}: {shown:?}", s.id));
            }
        }
    }
    for ((accept, what), n) in &counts {
        println!("{accept}: {what}: {n}");
    }
    assert!(bad.is_empty(), "{} faults:\n{}", bad.len(), listed(&bad));
}

/// Where the segments that `check` names are not the commands that bash runs; `None` if they agree.
fn segments_differ(row: &Value, check: &Value) -> Option<String> {
    let expected: Vec<Vec<Option<&str>>> = row["segments"]
        .as_array()
        .expect("segments")
        .iter()
        .map(|s| s.as_array().expect("words").iter().map(Value::as_str).collect())
        .collect();
    let all = check["segments"].as_array()?;
    // What stands in a wrapper is an argument to the shell that reads the text; what stands in a substitution is
    // a command of the text.
    let wrapper_child = |s: &Value| -> bool {
        let Some(parent) = s["within"].as_u64().and_then(|i| all.get(i as usize)) else { return false };
        let own = s["text"].as_str().unwrap_or_default();
        !substitutions(parent["text"].as_str().unwrap_or_default()).iter().any(|t| t.contains(own))
    };
    let seen: Vec<Vec<Option<&str>>> = all
        .iter()
        .filter(|s| !wrapper_child(s))
        .map(|s| {
            let dynamic = s["dynamic"].as_array();
            let words = s["argv"].as_array().map(Vec::as_slice).unwrap_or_default();
            words
                .iter()
                .enumerate()
                .map(|(i, w)| match dynamic.and_then(|d| d.get(i)).and_then(Value::as_bool) {
                    Some(true) => None,
                    _ => w.as_str(),
                })
                .collect()
        })
        .collect();
    // A word with braces is several words to bash and one unknown word to us.
    let braces = row["features"].as_array().is_some_and(|f| f.iter().any(|f| f == "brace-expansion"));
    let same = if braces {
        let first = |l: &[Vec<Option<&str>>]| -> Vec<Option<String>> {
            l.iter().map(|s| s.first().copied().flatten().map(str::to_owned)).collect()
        };
        first(&expected) == first(&seen)
    } else {
        // A leading tilde is one thing to the shell and known to nobody before.
        expected == seen
    };
    (!same).then(|| format!("{} against {}", show(&expected), show(&seen)))
}

/// The insides of substitutions in a text, roughly: the texts of the corpus nest them, but quote no brackets.
fn substitutions(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices('(').filter(|(at, _)| text[..*at].ends_with(['$', '<', '>'])) {
        let mut depth = 0;
        let end = text[at..].find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        out.push(&text[at + 1..end.map_or(text.len(), |e| at + e)]);
    }
    out.extend(text.split('`').skip(1).step_by(2));
    out
}

fn show(list: &[Vec<Option<&str>>]) -> String {
    let segment = |s: &Vec<Option<&str>>| s.iter().map(|w| w.unwrap_or("·")).collect::<Vec<_>>().join(" ");
    list.iter().map(|s| format!("‹{}›", segment(s))).collect::<Vec<_>>().join(" ")
}
