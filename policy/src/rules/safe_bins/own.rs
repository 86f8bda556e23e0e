//! Profiles of the document (`safeBinProfiles`): safe bins that do not ship with the guard.
//!
//! We do not know all options of such a program, so none may be shortened, and where it could mean a file a word
//! must not look like one.
use super::SafeBinMiss;
use crate::document::SafeBinProfile;
use crate::tables::safe_bins::NEVER;

/// True if the word looks like the name of a file: where one could be meant, it is one.
fn path_like(word: &[u8]) -> bool {
    word.contains(&b'/') || word.first() == Some(&b'~') || word == b"." || word == b".."
}

/// Judges the words of a call by an own profile.
pub(super) fn judge(profile: &SafeBinProfile, words: &[&[u8]]) -> Result<(), SafeBinMiss> {
    let listed = |list: &[String], option: &str| list.iter().any(|o| o == option);
    let value_ok = |at: usize, value: &[u8]| {
        if path_like(value) {
            Err(SafeBinMiss::at(at, "a value that looks like the name of a file"))
        } else if value.iter().any(|b| b"*?[".contains(b)) {
            Err(SafeBinMiss::at(at, "a value that looks like a pattern of file names"))
        } else {
            Ok(())
        }
    };
    let mut operands = 0;
    let mut only_operands = false;
    let mut i = 0;
    while let Some(word) = words.get(i).copied() {
        let at = i;
        i += 1;
        if !only_operands && word == b"--" {
            only_operands = true;
        } else if !only_operands && word.len() > 1 && word.first() == Some(&b'-') {
            let unknown = || SafeBinMiss::at(at, "an option its profile in safeBinProfiles does not list");
            let text = std::str::from_utf8(word).map_err(|_| unknown())?;
            let (name, attached) = match (text.starts_with("--"), text.split_once('=')) {
                (true, Some((name, value))) => (name, Some(value)),
                _ => (text, None),
            };
            if text.starts_with("--") {
                match (listed(&profile.flags, name), listed(&profile.value_flags, name), attached) {
                    // No abbreviations: we do not know all options of a program that is not ours.
                    _ if listed(&profile.denied_flags, name) => return Err(unknown()),
                    (true, _, None) => {}
                    (_, true, Some(value)) => value_ok(at, value.as_bytes())?,
                    (_, true, None) => {
                        value_ok(i, words.get(i).ok_or_else(unknown)?)?;
                        i += 1;
                    }
                    _ => return Err(unknown()),
                }
                continue;
            }
            for (k, letter) in text.char_indices().skip(1) {
                let option = format!("-{letter}");
                if listed(&profile.denied_flags, &option) {
                    return Err(unknown());
                } else if listed(&profile.value_flags, &option) {
                    let rest = text.get(k + letter.len_utf8()..).unwrap_or_default();
                    if rest.is_empty() {
                        value_ok(i, words.get(i).ok_or_else(unknown)?)?;
                        i += 1;
                    } else {
                        value_ok(at, rest.as_bytes())?;
                    }
                    break;
                } else if !listed(&profile.flags, &option) {
                    return Err(unknown());
                }
            }
        } else if word == b"-" {
            // Standard input, by the custom of programs that read it.
        } else if !profile.positional_is_data {
            return Err(SafeBinMiss::at(at, "an operand, and its profile has none"));
        } else if path_like(word) {
            return Err(SafeBinMiss::at(at, "an operand that looks like the name of a file"));
        } else {
            operands += 1;
            if operands > profile.max_positional {
                return Err(SafeBinMiss::at(at, "more operands than its profile lists"));
            }
        }
    }
    if operands < profile.min_positional {
        return Err(SafeBinMiss::whole("fewer operands than its profile lists"));
    }
    Ok(())
}

/// Checks a profile of `safeBinProfiles` when its document is loaded.
///
/// # Errors
///
/// One clause: the name is that of a program that can be no safe bin, or the profile contradicts itself.
pub fn check_profile(name: &str, profile: &SafeBinProfile) -> Result<(), String> {
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._+-[".contains(&b)) {
        return Err("a safe bin is named by its last path component alone".into());
    }
    if let Some(why) = never(name) {
        return Err(format!("`{name}` {why}: it can be no safe bin"));
    }
    let all = [&profile.flags, &profile.value_flags, &profile.denied_flags];
    for option in all.into_iter().flatten() {
        let body = option.trim_start_matches('-');
        let dashes = option.len() - body.len();
        let plain = body.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        let good = match dashes {
            1 => body.len() == 1 && plain,
            2 => body.len() > 1 && plain,
            _ => false,
        };
        if !good {
            return Err(format!("`{option}` is no option: write `-x` or `--name`"));
        }
        let times = all.into_iter().filter(|list| list.contains(option)).count();
        if times > 1 {
            return Err(format!("`{option}` stands in two lists"));
        }
    }
    if profile.min_positional > profile.max_positional {
        return Err("minPositional is more than maxPositional".into());
    }
    if !profile.positional_is_data && profile.max_positional > 0 {
        return Err("positional is \"none\", but maxPositional is not 0".into());
    }
    Ok(())
}

/// Why a program of that name can be no safe bin, whatever its profile; `None` if it can.
pub fn never(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    // python3.11, lua5.4, gawk-5.2: the version says nothing of what it is.
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    NEVER
        .iter()
        .find(|(_, names)| names.contains(&lower.as_str()) || (!bare.is_empty() && names.contains(&bare)))
        .map(|(why, _)| *why)
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use super::{SafeBinProfile, check_profile};
    use crate::arg::Arg;

    fn words(line: &str) -> (String, Vec<Arg>) {
        let mut words = line.split_ascii_whitespace().map(|w| if w == "''" { "" } else { w });
        (words.next().unwrap().to_owned(), words.map(Arg::lit).collect())
    }

    fn profile() -> SafeBinProfile {
        let list = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        SafeBinProfile {
            min_positional: 0,
            max_positional: 1,
            flags: list(&["-r", "-c", "--raw"]),
            value_flags: list(&["-w", "--width"]),
            denied_flags: list(&["-o", "--out"]),
            positional_is_data: true,
        }
    }

    #[test]
    fn own_profiles() {
        let own = profile();
        for (line, good) in [
            ("fmt", true),
            ("fmt -", true),
            ("fmt -rc --raw", true),
            ("fmt -w 5", true),
            ("fmt -rw5", true),
            ("fmt --width=5 --width 6", true),
            ("fmt data", true),
            ("fmt -- data", true),
            ("fmt -- -data", true),
            ("fmt a b", false),
            ("fmt /etc/passwd", false),
            ("fmt a/b", false),
            ("fmt ~x", false),
            ("fmt ..", false),
            ("fmt -o", false),
            ("fmt -ro", false),
            ("fmt --out=x", false),
            ("fmt --ra", false),
            ("fmt --raw=1", false),
            ("fmt --width", false),
            ("fmt -w", false),
            ("fmt -w /x", false),
            ("fmt -w*", false),
            ("fmt --width=../x", false),
            ("fmt -x", false),
        ] {
            let (bin, args) = words(line);
            assert_eq!(judge(&bin, &args, Some(&own)).is_ok(), good, "{line}");
        }
        let (_, args) = words("fmt -r x");
        let none = SafeBinProfile { max_positional: 0, positional_is_data: false, ..profile() };
        assert!(judge("fmt", &args, Some(&none)).is_err());
        let one = SafeBinProfile { min_positional: 1, ..profile() };
        assert!(judge("fmt", &[], Some(&one)).is_err());
    }

    #[test]
    fn an_own_profile_of_a_built_in_name_only_tightens() {
        let loose = SafeBinProfile { flags: vec!["-r".into(), "-o".into()], ..profile() };
        let loose = SafeBinProfile { denied_flags: vec![], max_positional: 9, ..loose };
        assert!(judge("sort", &[Arg::lit("-r")], Some(&loose)).is_ok());
        assert!(judge("sort", &[Arg::lit("-n")], Some(&loose)).is_err());
        assert!(judge("sort", &[Arg::lit("-ro")], Some(&loose)).is_err());
        assert!(judge("sort", &[Arg::lit("file")], Some(&loose)).is_err());
    }

    #[test]
    fn profiles_are_checked() {
        assert_eq!(check_profile("fmt", &profile()), Ok(()));
        for name in [
            "python3",
            "python3.11",
            "AWK",
            "gawk-5",
            "sed",
            "bash",
            "perl5.36",
            "node",
            "xargs",
            "",
            "a/b",
            "yq",
        ] {
            assert!(check_profile(name, &SafeBinProfile::default()).is_err(), "{name}");
        }
        let bad = [
            SafeBinProfile { min_positional: 2, ..profile() },
            SafeBinProfile { positional_is_data: false, ..profile() },
            SafeBinProfile { flags: vec!["r".into()], ..profile() },
            SafeBinProfile { flags: vec!["-ab".into()], ..profile() },
            SafeBinProfile { flags: vec!["--a=b".into()], ..profile() },
            SafeBinProfile { flags: vec!["-o".into()], ..profile() },
            SafeBinProfile { flags: vec!["--".into()], ..profile() },
        ];
        for b in bad {
            assert!(check_profile("fmt", &b).is_err(), "{b:?}");
        }
        assert!(judge("python3", &[], Some(&SafeBinProfile::default())).is_err());
    }
}
