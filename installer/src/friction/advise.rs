//! Which few entries would save the most questions.
//!
//! What an *always allow* would store for each question tells which entries answer it; the entry that answers most,
//! with those already chosen, is taken, and again. What it really saves is found by judging those questions anew.
use policy::document::Entry;
use policy::{Decision, Scope, decide_as};

use super::Judged;
use crate::court::Court;
use crate::exit::Failure;

/// An entry, and how many questions it saves besides those that the entries before it save.
pub struct Advice {
    /// The entry.
    pub entry: Entry,
    /// Questions, as often as they stand in what was read.
    pub saves: usize,
}

/// The best few entries, the best first.
///
/// # Errors
/// A file could not be looked at.
pub fn entries(court: &Court, agent: &str, judged: &[Judged], most: usize) -> Result<Vec<Advice>, Failure> {
    // For each question the sets of entries that answer it; an entry for exactly these arguments saves a question once.
    let questions: Vec<(&Judged, Vec<&[Entry]>)> = judged
        .iter()
        .filter(|j| j.decision == Decision::Ask)
        .map(|j| {
            let wide = j.proposals.iter().filter(|p| p.scope != Scope::Arguments);
            (j, wide.map(|p| p.entries.as_slice()).collect::<Vec<_>>())
        })
        .filter(|(_, sets)| !sets.is_empty())
        .collect();
    let mut chosen: Vec<Entry> = Vec::new();
    let mut out: Vec<Advice> = Vec::new();
    let mut open: Vec<&(&Judged, Vec<&[Entry]>)> = questions.iter().collect();
    while out.len() < most {
        let Some(entry) = best(&open, &chosen) else { break };
        chosen.push(entry.clone());
        // Judged anew: what a set promises is not believed.
        let mut policy = court.policy.effective(agent);
        policy.add_user_entries(&chosen);
        let mut saves = 0;
        let mut left = Vec::with_capacity(open.len());
        for question in open {
            let (j, sets) = question;
            let named = sets.iter().any(|set| set.iter().any(|e| covers(&entry, e)));
            let answered = named && {
                let host = court.host();
                let inv = court.invocation_of(agent, j.command.form.form(), j.command.cwd.clone());
                decide_as(policy.clone(), &inv, &host).decision == Decision::Allow
            };
            if answered {
                saves += j.times;
            } else {
                left.push(question);
            }
        }
        open = left;
        out.push(Advice { entry, saves });
    }
    // One that was a step towards a question that the last entry did not finish saves nothing.
    out.retain(|a| a.saves > 0);
    Ok(out)
}

/// True if one entry says all that another says.
fn covers(wide: &Entry, narrow: &Entry) -> bool {
    wide.pattern == narrow.pattern && (wide.args.is_none() || wide.args == narrow.args)
}

/// The entry that answers the most questions at once; where none answers one alone, the one that is needed most.
fn best(open: &[&(&Judged, Vec<&[Entry]>)], chosen: &[Entry]) -> Option<Entry> {
    let mut scores: Vec<(Entry, usize, usize)> = Vec::new();
    for (j, sets) in open {
        let mut seen: Vec<&Entry> = Vec::new();
        for set in sets {
            let lacking: Vec<&Entry> = set.iter().filter(|e| !chosen.iter().any(|c| covers(c, e))).collect();
            for e in &lacking {
                if seen.contains(e) {
                    continue;
                }
                seen.push(e);
                let alone = if lacking.len() == 1 { j.times } else { 0 };
                match scores.iter_mut().find(|(known, _, _)| known == *e) {
                    Some((_, answers, needed)) => {
                        *answers += alone;
                        *needed += j.times;
                    }
                    None => scores.push(((*e).clone(), alone, j.times)),
                }
            }
        }
    }
    // Of equals the narrower, then the one met first.
    scores
        .into_iter()
        .rev()
        .max_by(|a, b| {
            let rank = |s: &(Entry, usize, usize)| (s.1, s.2, s.0.args.is_some());
            rank(a).cmp(&rank(b))
        })
        .map(|(entry, _, _)| entry)
}
