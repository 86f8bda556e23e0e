use super::*;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// A journal of sealed files with so many records each, and one file that grows.
fn sealed(dir: &Path, counts: &[u64]) -> (Journal, Vec<PathBuf>) {
    let j = Journal::new(dir, 1);
    let mut n = 0;
    let mut open = Vec::new();
    for (at, count) in counts.iter().enumerate() {
        let path = dir.join(format!("journal/journal-{:015}.jsonl", 1000 + at));
        for _ in 0..*count {
            n += 1;
            // Journal::append would rotate at its size.
            sys::edit::private_folder(j.folder()).unwrap();
            let line = format!("{}\n", json!({"v": 1, "ts": n, "text": format!("command {n}")}));
            sys::edit::append(&path, line.as_bytes()).unwrap();
        }
        open.push(path);
    }
    assert_eq!(seal(&j, Duration::ZERO).unwrap(), counts.len());
    let files = j.files().unwrap();
    assert!(files.iter().all(|f| stem(f).unwrap().1), "{files:?}");
    Journal::new(dir, 1 << 20).append(&json!({"v": 1, "ts": 99})).unwrap();
    (Journal::new(dir, 1 << 20), files)
}

#[track_caller]
fn faults(j: &Journal) -> Vec<String> {
    check(j, None).unwrap().faults.iter().map(ToString::to_string).collect()
}

fn edit(path: &Path, with: impl FnOnce(&mut Vec<String>)) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    with(&mut lines);
    fs::write(path, lines.iter().map(|l| format!("{l}\n")).collect::<String>()).unwrap();
}

#[test]
fn what_nobody_touched_holds() {
    let dir = tempfile::tempdir().unwrap();
    let (j, files) = sealed(dir.path(), &[3, 1, 5]);
    let c = check(&j, None).unwrap();
    assert_eq!(c.faults, []);
    assert_eq!(
        c.files.iter().map(|f| (f.n, f.lines)).collect::<Vec<_>>(),
        [(Some(1), 3), (Some(2), 1), (Some(3), 5), (None, 1)]
    );
    assert_eq!(c.head.as_ref().unwrap().n, 3);
    // The next one goes on where these end; records come back in order, and seals are none.
    assert_eq!(j.read().unwrap().records.len(), 10);
    assert!(j.read().unwrap().skipped.is_empty());
    assert_eq!(fs::metadata(&files[0]).unwrap().mode() & 0o777, 0o600);
    // An older link is still in the chain, and one that never was is not.
    let old = link(&look(&files[0]).unwrap()).unwrap();
    assert_eq!(check(&j, Some(&old.sha256)).unwrap().faults, []);
    assert_eq!(check(&j, Some(&c.head.unwrap().sha256)).unwrap().faults, []);
    assert_eq!(check(&j, Some(&"0".repeat(64))).unwrap().faults, [Fault::Anchor]);
    assert_eq!(seal(&j, Duration::ZERO).unwrap(), 0);
}

#[test]
fn each_kind_of_tampering_is_named() {
    type Edit = fn(&[PathBuf]);
    let cases: &[(&str, Edit, &[&str])] = &[
        (
            "a record changed",
            |f| edit(&f[1], |l| l[1] = l[1].replace("command", "kommando")),
            &["1.sealed.jsonl:2: changed"],
        ),
        (
            "two changed",
            |f| {
                edit(&f[1], |l| {
                    l[0].push(' ');
                    l[3].push(' ')
                })
            },
            &["1.sealed.jsonl:1: changed", "1.sealed.jsonl:4: changed"],
        ),
        ("a record gone", |f| edit(&f[1], |l| drop(l.remove(2))), &["line 3 of what was sealed is gone"]),
        (
            "the first and the last gone",
            |f| {
                edit(&f[1], |l| {
                    l.remove(3);
                    l.remove(0);
                })
            },
            &["line 1 of", "line 4 of"],
        ),
        (
            "a record added",
            |f| edit(&f[1], |l| l.insert(1, "{\"v\":1}".into())),
            &["1.sealed.jsonl:2: was not there"],
        ),
        ("reordered", |f| edit(&f[1], |l| l.swap(1, 2)), &["lines 2 to 3 stand in another order"]),
        (
            "behind the seal",
            |f| edit(&f[1], |l| l.push("{\"v\":1}".into())),
            &["1 lines stand behind the seal"],
        ),
        (
            "cut in a record",
            |f| {
                let t = fs::read(&f[1]).unwrap();
                fs::write(&f[1], &t[..60]).unwrap()
            },
            &["its end is gone, with the seal: 2 of 4 lines"],
        ),
        ("cut to nothing", |f| fs::write(&f[1], "").unwrap(), &["0 of 4 lines"]),
        (
            "the last cut",
            |f| {
                let t = fs::read(&f[2]).unwrap();
                fs::write(&f[2], &t[..60]).unwrap()
            },
            &["2.sealed.jsonl: its end is gone, with the seal: 2 of 2 lines"],
        ),
        (
            "a file gone",
            |f| fs::remove_file(&f[1]).unwrap(),
            &["file 2 of the chain is gone; the last of them was journal-000000000001001"],
        ),
        ("the first gone", |f| fs::remove_file(&f[0]).unwrap(), &["file 1 of the chain is gone"]),
        (
            "the last gone",
            |f| fs::remove_file(&f[2]).unwrap(),
            &["file 3 of the chain is gone; the last of them was journal-000000000001002"],
        ),
        (
            "two gone",
            |f| f[..2].iter().for_each(|f| fs::remove_file(f).unwrap()),
            &["files 1 to 2 of the chain are gone"],
        ),
        (
            "all gone",
            |f| f.iter().for_each(|f| fs::remove_file(f).unwrap()),
            &["files 1 to 3 of the chain are gone"],
        ),
        (
            "files swapped",
            |f| {
                let t = f[0].with_extension("t");
                fs::rename(&f[0], &t).unwrap();
                fs::rename(&f[1], &f[0]).unwrap();
                fs::rename(&t, &f[1]).unwrap()
            },
            &[
                "0.sealed.jsonl: has the seal of journal-000000000001001",
                "1.sealed.jsonl: has the seal of journal-000000000001000",
            ],
        ),
        (
            "a copy",
            |f| {
                fs::copy(&f[0], f[0].with_file_name("journal-000000000009999.sealed.jsonl")).unwrap();
            },
            &["has the seal of journal-000000000001000", "number 1 of the chain is there twice"],
        ),
        ("head gone", |f| fs::remove_file(f[0].with_file_name(HEAD)).unwrap(), &["head.json is gone"]),
        (
            "head torn",
            |f| fs::write(f[0].with_file_name(HEAD), "{\"n\":3,").unwrap(),
            &["head.json is gone or damaged"],
        ),
        (
            "a line end changed",
            |f| {
                let t = fs::read_to_string(&f[1]).unwrap();
                fs::write(&f[1], t.replacen("}\n", "}\r\n", 1)).unwrap()
            },
            &[":1: changed"],
        ),
    ];
    for (name, tamper, said) in cases {
        let dir = tempfile::tempdir().unwrap();
        let (j, files) = sealed(dir.path(), &[3, 4, 2]);
        tamper(&files);
        let found = faults(&j);
        assert_eq!(found.len(), said.len(), "{name}: {found:?}");
        for (fault, word) in found.iter().zip(*said) {
            assert!(fault.contains(word), "{name}: {found:?}");
        }
    }
}

/// Whoever makes the seal anew as well is found out by the file after it, or by the head.
#[test]
fn a_forged_seal_breaks_the_chain() {
    for at in [1, 2] {
        let dir = tempfile::tempdir().unwrap();
        let (j, files) = sealed(dir.path(), &[3, 4, 2]);
        let prev = link(&look(&files[at - 1]).unwrap());
        let head = fs::read(j.folder().join(HEAD)).unwrap();
        let stem = stem(&files[at]).unwrap().0;
        let open = j.folder().join(format!("{stem}.jsonl"));
        fs::rename(&files[at], &open).unwrap();
        edit(&open, |l| {
            l.pop();
            l[0] = l[0].replace("command", "forged");
        });
        one(j.folder(), &open, &stem, prev).unwrap();
        fs::write(j.folder().join(HEAD), head).unwrap();
        let found = faults(&j);
        assert!(found.len() == 1 && found[0].contains("its seal is not the one"), "{at}: {found:?}");
    }
}

#[test]
fn a_crash_at_any_step_is_finished_by_the_next_sealer() {
    type Undo = fn(&Path, &Path);
    let steps: &[(&str, Undo)] = &[
        ("before the head", |_, head| {
            fs::write(head, fs::read(head.with_extension("old")).unwrap()).unwrap()
        }),
        ("before the new name", |file, head| {
            fs::write(head, fs::read(head.with_extension("old")).unwrap()).unwrap();
            fs::rename(file, file.with_file_name(format!("{}.jsonl", stem(file).unwrap().0))).unwrap();
        }),
        ("in the middle of the seal", |file, head| {
            fs::write(head, fs::read(head.with_extension("old")).unwrap()).unwrap();
            let text = fs::read(file).unwrap();
            fs::write(
                file.with_file_name(format!("{}.jsonl", stem(file).unwrap().0)),
                &text[..text.len() - 30],
            )
            .unwrap();
            fs::remove_file(file).unwrap();
        }),
        ("the first head was never written", |_, head| fs::remove_file(head).unwrap()),
    ];
    for (name, undo) in steps {
        let dir = tempfile::tempdir().unwrap();
        let (j, _) = sealed(dir.path(), &[3, 2]);
        let head = j.folder().join(HEAD);
        fs::copy(&head, head.with_extension("old")).unwrap();
        let third = j.folder().join("journal-000000000002000.jsonl");
        sys::edit::append(&third, b"{\"v\":1,\"ts\":1}\n{\"v\":1,\"ts\":2}\n").unwrap();
        seal(&j, Duration::ZERO).unwrap();
        undo(&third.with_file_name("journal-000000000002000.sealed.jsonl"), &head);
        // What a crash leaves is no sign of tampering, but for a head that never was.
        assert_eq!(faults(&j).len(), usize::from(!head.exists()), "{name}: {:?}", faults(&j));
        sys::edit::append(&third.with_file_name("journal-000000000003000.jsonl"), b"{\"v\":1,\"ts\":3}\n")
            .unwrap();
        seal(&j, Duration::ZERO).unwrap();
        let c = check(&j, None).unwrap();
        assert_eq!((c.faults, c.head.unwrap().n), (vec![], 4), "{name}");
        let text = j.read().unwrap();
        assert_eq!(text.records.len(), 5 + 1 + 3, "{name}: no record is lost, no seal is one: {text:?}");
    }
}

#[test]
fn a_torn_last_record_is_sealed_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let (j, _) = sealed(dir.path(), &[1]);
    let file = j.folder().join("journal-000000000002000.jsonl");
    sys::edit::append(&file, b"{\"v\":1,\"ts\":1}\n{\"v\":1,\"te").unwrap();
    seal(&j, Duration::ZERO).unwrap();
    let c = check(&j, None).unwrap();
    assert_eq!(c.faults, []);
    assert_eq!(c.files[1].odd, [2]);
    let r = j.read().unwrap();
    assert_eq!((r.records.len(), r.skipped.len()), (3, 1));
}

#[test]
fn two_sealers_and_many_writers_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let j = Journal::new(dir.path(), 600);
    std::thread::scope(|s| {
        for t in 0..4 {
            let j = &j;
            s.spawn(move || (0..60).for_each(|n| j.append(&json!({"v": 1, "t": t, "n": n})).unwrap()));
        }
        for _ in 0..2 {
            let j = &j;
            s.spawn(move || {
                for _ in 0..20 {
                    // Without grace a writer may come between; that is said and tried again.
                    match seal(j, Duration::from_millis(50)) {
                        Err(e) => assert_eq!(e.kind(), io::ErrorKind::ResourceBusy),
                        Ok(_) => std::thread::yield_now(),
                    }
                }
            });
        }
    });
    std::thread::sleep(Duration::from_millis(60));
    seal(&j, Duration::ZERO).unwrap();
    let r = j.read().unwrap();
    assert_eq!((r.records.len(), r.skipped.len()), (240, 0));
    let c = check(&j, None).unwrap();
    // A writer that was held up longer than the grace shows, and is no lost record; nothing else may.
    assert!(c.faults.iter().all(|f| matches!(f, Fault::Behind(..))), "{:?}", c.faults);
    let numbers: Vec<u64> = c.files.iter().filter_map(|f| f.n).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}

#[test]
fn a_file_is_left_alone_while_a_guard_may_write() {
    let dir = tempfile::tempdir().unwrap();
    let j = Journal::new(dir.path(), 5);
    j.append(&json!({"v": 1})).unwrap();
    j.append(&json!({"v": 1})).unwrap();
    assert_eq!(seal(&j, Duration::from_secs(3600)).unwrap(), 0);
    // Names are made to differ, so that the second may lie a moment ahead.
    let until = std::time::Instant::now() + Duration::from_secs(30);
    let mut done = 0;
    while done < 2 && std::time::Instant::now() < until {
        done += seal(&j, Duration::ZERO).unwrap();
    }
    assert_eq!(done, 2);
}

#[test]
fn a_sealed_file_is_never_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let (j, files) = sealed(dir.path(), &[2]);
    let before = fs::read(&files[0]).unwrap();
    let again = files[0].with_file_name("journal-000000000001000.jsonl");
    sys::edit::append(&again, b"{\"v\":1,\"ts\":3}\n").unwrap();
    assert_eq!(seal(&j, Duration::ZERO).unwrap(), 1);
    assert_eq!(fs::read(&files[0]).unwrap(), before);
    assert_eq!((faults(&j).len(), j.read().unwrap().records.len()), (0, 4));
}

#[test]
fn hostile_names_and_numbers_lead_nowhere() {
    for name in ["journal-1/../../x", "journal-", "journal-1.sealed", "x", "journal-123456789012345678901"] {
        assert!(!is_stem(name), "{name}");
    }
    let dir = tempfile::tempdir().unwrap();
    let (j, files) = sealed(dir.path(), &[1, 1]);
    edit(&files[1], |l| {
        let s = l.pop().unwrap();
        l.push(s.replace("\"n\":2}}", &format!("\"n\":{}}}}}", u64::MAX)))
    });
    assert!(!faults(&j).is_empty());
    for seal in
        ["{}", "[]", "{\"v\":1,\"seal\":{\"n\":1}}", "{\"v\":1,\"seal\":{\"sums\":\"0\",\"prev\":null}}"]
    {
        assert!(Seal::read(seal.as_bytes()).is_none(), "{seal}");
    }
    assert_eq!(from_hex("00ff10abcdef"), Some(vec![[0, 0xff, 0x10, 0xab, 0xcd, 0xef]]));
    assert_eq!(from_hex("00ff10abcdeg"), None);
}
