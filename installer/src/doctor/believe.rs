//! Which program a hook's command starts, told without starting anything: a settings file may be a repository's, and
//! what it names is run by nobody who only looks.
//!
//! One shape is believed: PATH `hook` AGENT, taken apart here and handed to no shell, where PATH is the guard that the
//! installer writes, or a file that is the very same.
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::install::shown;

/// The guard that a command line starts as the hook of an agent. `ours` is the one that is installed, `project` the
/// folder whose own settings hold the line.
///
/// # Errors
/// It is not certain to be the guard: why, as a clause.
pub fn command(id: &str, line: &str, ours: &Path, project: Option<&Path>) -> Result<PathBuf, String> {
    match words(line).as_deref() {
        Some([path, hook, agent]) if hook == "hook" && agent == id => {
            program(Path::new(path), ours, project).map(Path::to_path_buf)
        }
        _ => Err(format!(
            "is not just `PATH hook {id}`, so it was not tried: write the guard's own path there"
        )),
    }
}

/// The guard that the script of a hook becomes: nothing in it but comments and one `exec` of that.
///
/// # Errors
/// As [`command`].
pub fn script(text: &str) -> Result<&str, String> {
    let mut lines = text.lines();
    let shell = lines.next() == Some("#!/bin/sh");
    let mut rest = lines.map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    match (shell, rest.next().and_then(|l| l.strip_prefix("exec ")), rest.next()) {
        (true, Some(line), None) => Ok(line),
        _ => Err("is not as it was installed, so it was not tried".into()),
    }
}

/// That a program is the guard: by its path, or by being the same file or having the same bytes in a place that nobody
/// else can write.
///
/// # Errors
/// It is not, or somebody else could make it another one.
pub fn program<'p>(path: &'p Path, ours: &Path, project: Option<&Path>) -> Result<&'p Path, String> {
    if !path.is_absolute() {
        return Err(format!("{} is no absolute path: it is another program in every folder", shown(path)));
    }
    if path == ours {
        return owned([path, path.parent().unwrap_or(path)]).map(|()| path);
    }
    let real = fs::canonicalize(path).map_err(|e| format!("{}: {e}", shown(path)))?;
    for root in project.into_iter().flat_map(roots) {
        let there = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        if path.starts_with(root) || real.starts_with(&there) {
            return Err(format!("{} lies in the project, which may bring another one", shown(path)));
        }
    }
    owned(path.ancestors())?;
    owned(real.ancestors())?;
    let identity = |p: &Path| fs::metadata(p).ok().map(|m| (m.dev(), m.ino()));
    if identity(path).is_some_and(|id| identity(ours) == Some(id)) || same(path, ours) {
        return Ok(path);
    }
    Err(format!("{} is not the guard that is installed ({})", shown(path), shown(ours)))
}

/// The folder of a project and the tops of the working trees it lies in, but the home and what is above it.
fn roots(project: &Path) -> impl Iterator<Item = &Path> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let above = project.ancestors().take_while(move |dir| !home.starts_with(dir));
    std::iter::once(project).chain(above.filter(|dir| dir.join(".git").exists()))
}

/// That only we and root can change these.
fn owned<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), String> {
    for path in paths {
        let meta = fs::metadata(path).map_err(|e| format!("{}: {e}", shown(path)))?;
        if meta.uid() != 0 && meta.uid() != sys::ids::uid() {
            return Err(format!("{} belongs to somebody else", shown(path)));
        }
        // In a sticky folder nobody takes away what is not his.
        if meta.mode() & 0o022 != 0 && meta.mode() & 0o1000 == 0 {
            return Err(format!("{} can be written by others", shown(path)));
        }
    }
    Ok(())
}

/// True if two programs have the same bytes.
fn same(a: &Path, b: &Path) -> bool {
    let length = |p: &Path| fs::metadata(p).ok().filter(fs::Metadata::is_file).map(|m| m.len());
    let (Some(one), Some(other)) = (length(a), length(b)) else { return false };
    one == other && fs::read(a).is_ok_and(|bytes| fs::read(b).is_ok_and(|others| bytes == others))
}

/// The words of a line in which a shell would find nothing but words: plain ones, and quoted ones without an
/// expansion. `None` for any other.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut out, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut chars = line.trim().chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => out.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        end if end == c => break,
                        '$' | '`' | '\\' | '!' if c == '"' => return None,
                        inner if inner.is_control() => return None,
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => word
                .get_or_insert_default()
                .push(chars.next().filter(|c| *c == ' ' || c.is_ascii_punctuation())?),
            c if c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c) => {
                word.get_or_insert_default().push(c);
            }
            _ => return None,
        }
    }
    out.extend(word);
    Some(out)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_words_are_words() {
        for (line, is) in [
            ("/g/exec-guard hook claude", Some(vec!["/g/exec-guard", "hook", "claude"])),
            (" '/a b/x'  hook\tclaude ", Some(vec!["/a b/x", "hook", "claude"])),
            (r"'/it'\''s' hook x", Some(vec!["/it's", "hook", "x"])),
            ("\"/a b\"/x '' y", Some(vec!["/a b/x", "", "y"])),
            (r"/a\ b x", Some(vec!["/a b", "x"])),
            ("touch /p; /g hook claude", None),
            ("/g hook claude\ntouch /p", None),
            ("/g hook claude & x", None),
            ("/g hook claude >/x", None),
            ("$HOME/g hook claude", None),
            ("\"$HOME/g\" hook claude", None),
            ("`x` hook claude", None),
            ("~/g hook claude", None),
            ("/g* hook claude", None),
            ("/g hook claude # x", None),
            ("'/g hook claude", None),
            ("(/g)", None),
            ("/\u{e9} x", None),
        ] {
            let is = is.map(|l| l.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(words(line), is, "{line:?}");
        }
    }

    #[test]
    fn a_command_is_the_guard_itself_or_is_not_tried() {
        let dir = tempfile::tempdir().unwrap();
        let at = |rel: &str| dir.path().join(rel);
        for folder in ["g", "other", "open", "repo/.git", "repo/sub"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for (file, text) in [
            ("g/exec-guard", "guard"),
            ("other/exec-guard", "guard"),
            ("other/wrong", "guerd"),
            ("other/writable", "guard"),
            ("open/exec-guard", "guard"),
            ("repo/exec-guard", "guard"),
        ] {
            fs::write(at(file), text).unwrap();
            fs::set_permissions(at(file), fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::set_permissions(at("other/writable"), fs::Permissions::from_mode(0o777)).unwrap();
        fs::set_permissions(at("open"), fs::Permissions::from_mode(0o777)).unwrap();
        std::os::unix::fs::symlink("../g/exec-guard", at("other/link")).unwrap();
        std::os::unix::fs::symlink("../repo/exec-guard", at("other/astray")).unwrap();
        let (ours, project) = (at("g/exec-guard"), at("repo/sub"));
        for (rel, is) in [
            ("g/exec-guard", true),
            ("other/exec-guard", true),
            ("other/link", true),
            ("other/astray", false),
            ("other/wrong", false),
            ("other/writable", false),
            ("open/exec-guard", false),
            ("repo/exec-guard", false),
            ("repo/sub/../exec-guard", false),
            ("nowhere", false),
        ] {
            let line = format!("{} hook claude", at(rel).display());
            let said = command("claude", &line, &ours, Some(&project));
            assert_eq!(said.is_ok(), is, "{rel}: {said:?}");
            assert!(command("codex", &line, &ours, None).is_err(), "{rel}");
            assert!(command("claude", &format!("X=1 {line}"), &ours, None).is_err(), "{rel}");
            assert!(command("claude", &format!("{line} x"), &ours, None).is_err(), "{rel}");
        }
        assert!(command("claude", "g/exec-guard hook claude", &ours, None).is_err());
        // The guard itself, where others can write it.
        fs::set_permissions(at("g"), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(program(&ours, &ours, None).is_err());
    }

    #[test]
    fn a_script_that_does_more_is_not_tried() {
        let ours = "#!/bin/sh\n# Put here\nexec /g/exec-guard hook cline\n";
        assert_eq!(script(ours), Ok("/g/exec-guard hook cline"));
        for text in [
            "",
            "exec /g/exec-guard hook cline\n",
            "#!/tmp/x\nexec /g/exec-guard hook cline\n",
            "#!/bin/sh\ntouch /p\nexec /g/exec-guard hook cline\n",
            "#!/bin/sh\nexec /g/exec-guard hook cline\ntouch /p\n",
            "#!/bin/sh\n/g/exec-guard hook cline\n",
        ] {
            assert!(script(text).is_err(), "{text:?}");
        }
    }
}
