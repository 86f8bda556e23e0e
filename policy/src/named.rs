//! Programs that the words of a question name in ways that were not judged: behind `eval`, in a text for a shell, in a
//! variable. A yes is bound to them as to those that were: who says it sees their names, and time goes by.
//!
//! A net, and no reading: it may take in more than runs, and what no word spells it cannot find. Files of data are left
//! out, since those may change.
use std::sync::Arc;

use crate::resolve::{Executable, join, look};
use crate::world::{FileKind, World};

/// Words that are looked at, at most; a text of so many is read by nobody.
const WORDS: usize = 4096;
/// Folders that the words move to, at most.
const FOLDERS: usize = 16;

/// What words and their parts name of programs, from the working folder and from those that a `cd` names.
pub fn programs(argv: &[Vec<u8>], cwd: Option<&[u8]>, world: &dyn World) -> Vec<Arc<Executable>> {
    let ends = |b: &u8| b.is_ascii_whitespace() || b";&|()<>{}\"'`$=,:".contains(b);
    let mut folders: Vec<Vec<u8>> = cwd.iter().map(|c| c.to_vec()).collect();
    let mut found: Vec<Arc<Executable>> = Vec::new();
    let mut before: &[u8] = b"";
    let words = argv.iter().flat_map(|w| w.split(ends)).filter(|w| !w.is_empty()).take(WORDS);
    for word in words {
        let moves = matches!(before, b"cd" | b"chdir" | b"pushd" | b"-C");
        before = word;
        let paths: Vec<Vec<u8>> = match word.first() {
            Some(b'/') => vec![word.to_vec()],
            _ => folders.iter().map(|f| join(f, word)).collect(),
        };
        for path in paths {
            let Some(info) = world.info(&path) else { continue };
            if info.kind == FileKind::Directory
                && moves
                && folders.len() < FOLDERS
                && !folders.contains(&path)
            {
                folders.push(path);
            } else if info.kind == FileKind::Regular
                && (info.executable || is_script(word, &path, world))
                && !found.iter().any(|f| f.id == info.id)
                && let Some(program) = look(&path, world, false)
            {
                found.push(Arc::new(program));
            }
        }
    }
    found
}

fn is_script(word: &[u8], path: &[u8], world: &dyn World) -> bool {
    word.ends_with(b".sh") || world.head(path).is_some_and(|head| head.starts_with(b"#!"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::FakeWorld;

    #[test]
    fn whatever_stands_around_them() {
        let world = FakeWorld::new()
            .program("/w/run")
            .program("/w/d/other")
            .file("/w/s.sh", b"echo")
            .file("/w/script", b"#!/bin/sh\n")
            .file("/w/log", b"text");
        for (text, want) in [
            ("eval './run' log", &["/w/run"][..]),
            ("x=./s.sh;$x", &["/w/s.sh"]),
            ("sh<script log", &["/w/script"]),
            ("cd d && eval other", &["/w/d/other"]),
            ("trap '. ./s.sh;/w/run' EXIT;./run", &["/w/s.sh", "/w/run"]),
            ("cat log; echo run.sh", &[]),
        ] {
            let found = programs(&[b"sh".to_vec(), b"-c".to_vec(), text.into()], Some(b"/w"), &world);
            let found: Vec<_> =
                found.iter().map(|e| String::from_utf8_lossy(&e.found).into_owned()).collect();
            assert_eq!(found, want, "{text}");
        }
    }
}
