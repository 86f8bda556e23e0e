//! The attack corpus: what must never run unattended, by `check` and by the real thing.
//!
//! Tier *core*: nothing of it is allowed, under either accept level, and nothing runs. Tier *deep*: every program
//! is listed, but an option does something else; nine of ten ask with `strictInlineEval`. Tier *policy*: what our
//! defaults do is printed. What is given to a shell is run a second time by a link named after that shell.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::stage::corpus::{Scene, names, not_refused, rows, verdict};
use crate::stage::view::{Bins, View, impossible};
use crate::stage::{cannot, listed};

#[test]
fn the_corpus() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let rows = rows("attacks.jsonl");
    let names = names(&rows, "allow_config");
    let real = View::new("attacks", Bins::Real, &names);
    let scenes: Vec<Scene> = rows.iter().map(|r| Scene::new(&real, r)).collect();
    let setups: Vec<Value> = scenes.iter().zip(&rows).filter_map(|(s, r)| s.setup(r)).collect();
    real.run(&setups, 2);
    let view = View::new("attacks", Bins::Witnesses, &names);

    let mut jobs = Vec::new();
    for (s, r) in scenes.iter().zip(&rows).filter(|(s, _)| !s.nul) {
        let list = &r["allow_config"]["allowlist"];
        let eval = r["tier"] == "deep";
        for accept in ["strict", "checked"] {
            let exec = json!({"strictInlineEval": eval, "shell": {"accept": accept}});
            let home = s.documents(&view, accept, list, &exec);
            jobs.push(s.check(accept, &home));
            if accept == "strict" {
                jobs.push(s.execute("run", &home));
                jobs.extend(s.by_link("link", &home, &view));
            }
        }
    }
    let results = view.run(&jobs, 2);

    let mut bad = Vec::new();
    let mut tiers: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut passed = Vec::new();
    let mut linked = 0;
    for (s, r) in scenes.iter().zip(&rows).filter(|(s, _)| !s.nul) {
        let tier = r["tier"].as_str().expect("tier");
        let of = |what: &str| &results[&format!("{} {what}", s.id)];
        let shown = || {
            let t = r["command"].as_str().map_or_else(|| r["argv"].to_string(), |c| format!("{c:?}"));
            t.chars().take(200).collect::<String>()
        };
        let mut asked = true;
        for accept in ["strict", "checked"] {
            match verdict(of(accept)) {
                Err(e) => bad.push(format!("{} {accept}: {e}: {}", s.id, shown())),
                Ok((d, _)) if d == "allow" => {
                    if accept == "strict" {
                        asked = false;
                    }
                    if tier == "core" {
                        bad.push(format!("{} allowed by check, {accept}: {}", s.id, shown()));
                    } else {
                        passed.push(format!("{} {tier} allowed, {accept}: {}", s.id, shown()));
                    }
                }
                Ok(_) => {}
            }
        }
        // What ran and what was said must agree, whatever the tier.
        if asked && let Some(why) = not_refused(of("run")) {
            bad.push(format!("{} unattended: {why}: {}", s.id, shown()));
        }
        if let Some(result) = results.get(&format!("{} link", s.id)) {
            linked += 1;
            if let Some(why) = not_refused(result).filter(|_| asked) {
                bad.push(format!("{} by a link: {why}: {}", s.id, shown()));
            }
        }
        if asked && s.cwd.join("PWNED").exists() && !r["setup"].as_str().unwrap_or_default().contains("PWNED")
        {
            bad.push(format!("{} left PWNED: {}", s.id, shown()));
        }
        let count = tiers.entry(tier).or_default();
        count.0 += 1;
        count.1 += usize::from(asked);
    }
    println!("{}", passed.join("\n"));
    for (tier, (all, asked)) in &tiers {
        println!("{tier}: {asked} of {all} ask or are refused");
    }
    assert!(linked * 10 >= rows.len() * 9, "only {linked} of {} rows went by a link", rows.len());
    if let Some((all, asked)) = tiers.get("deep")
        && asked * 10 < all * 9
    {
        bad.push(format!("tier deep: only {asked} of {all} ask"));
    }
    assert!(bad.is_empty(), "{} faults:\n{}", bad.len(), listed(&bad));
}
