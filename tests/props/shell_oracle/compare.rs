//! Two runs side by side.
use crate::stage::{ROOT, Ran};

/// What a run with the guard did otherwise than one without.
pub fn difference(p: &Ran, g: &Ran, racy: bool) -> Option<String> {
    let cleaned = |bytes: &[u8]| {
        // A rendering names files; `$_`, messages and `command -v` tell.
        let text = String::from_utf8_lossy(bytes).replace(&format!("{ROOT}/bin/"), "");
        let text: String = text
            .split_inclusive('\n')
            .filter(|l| {
                !l.contains("arithmetic expression") && !l.contains("error token") && !l.contains("cd")
            })
            .collect();
        // Messages count lines, and a rendering has fewer.
        let mut out = String::with_capacity(text.len());
        for piece in text.split_inclusive(':') {
            let kept =
                piece.strip_suffix(':').map_or(piece, |p| p.trim_end_matches(|c: char| c.is_ascii_digit()));
            out.push_str(kept);
        }
        out
    };
    let records = |r: &Ran| {
        let mut out: Vec<String> = r.records.iter().map(|r| cleaned(r)).collect();
        if racy {
            // Who of those that read the same input comes first has it all.
            for record in &mut out {
                *record = record.replace("<one two\nthree\n\n", "<");
            }
            out.sort();
        }
        out
    };
    let said = |r: &Ran| {
        let out = cleaned(&r.stdout);
        let mut lines: Vec<String> = out.lines().map(str::to_owned).collect();
        if racy {
            lines.sort();
        }
        lines
    };
    if !g.ended {
        return Some("does not end".into());
    }
    if records(p) != records(g) {
        return Some(format!("ran {:?}\n  not {:?}", records(g), records(p)));
    }
    if said(p) != said(g) {
        return Some(format!("said {:?}\n  not {:?}", said(g), said(p)));
    }
    if p.status != g.status {
        return Some(format!("ended {} not {}", g.status, p.status));
    }
    (p.files != g.files).then(|| "made files".into())
}

/// True if commands of the text may run side by side.
pub fn racy(text: &[u8]) -> bool {
    let text =
        String::from_utf8_lossy(text).replace("&&", "").replace("||", "").replace(">&", "").replace("&>", "");
    text.contains(['|', '&'])
}
