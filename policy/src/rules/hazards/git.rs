//! Values of git: settings, transports, writes of its configuration.
use super::Met;
use super::scan::{Name, Seen, Val};
use crate::arg::Arg;
use crate::tables::hazards::git_settings::{HARMLESS, HARMLESS_SECTIONS, INERT_VALUES};

/// True if `KEY=VALUE` (or `KEY`, which means true) is more than a harmless setting: every key that is not
/// known to be harmless is, since many of them name programs and new ones come with every release.
pub(super) fn setting(text: &[u8], known: bool) -> bool {
    let (key, value) = match text.iter().position(|b| *b == b'=') {
        Some(eq) => (text.get(..eq).unwrap_or_default(), text.get(eq + 1..)),
        // The key itself goes on at run time.
        None if !known => return !text.is_empty() && !harmless(&unended(text)),
        None => (text, None),
    };
    let inert = known && value.is_some_and(|v| inert(key, v));
    !inert && !harmless(key)
}

/// Sections and last components are case-insensitive to git, so folding can only widen what is known.
fn harmless(key: &[u8]) -> bool {
    let key = key.to_ascii_lowercase();
    let section = key.split(|b| *b == b'.').next().unwrap_or_default();
    HARMLESS.has(&key) || (key.len() > section.len() && HARMLESS_SECTIONS.has(section))
}

/// The beginning of a key whose end is not known: no key itself, but in its section if that is known.
fn unended(prefix: &[u8]) -> Vec<u8> {
    [prefix, b"*"].concat()
}

fn inert(key: &[u8], value: &[u8]) -> bool {
    let key = key.to_ascii_lowercase();
    INERT_VALUES
        .iter()
        .any(|(k, values)| k.as_bytes() == key && values.split(' ').any(|v| v.as_bytes() == value))
}

/// `helper::address`: git runs `git-remote-helper`, and `ext::` runs the address itself.
pub(super) fn transport(v: &[u8]) -> bool {
    let end =
        v.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'-' && *b != b'_').unwrap_or(v.len());
    end > 0 && v.get(end..).is_some_and(|rest| rest.starts_with(b"::"))
}

/// An address with a host, rather than the name of a remote or a folder.
pub(super) fn host(v: &[u8]) -> bool {
    if super::shapes::contains(v, b"://") {
        return !v.starts_with(b"file://");
    }
    // scp-like `user@host:path`; `HEAD:refs/heads/x` has no `@` before its colon, `HEAD@{1}:x` has a brace.
    match v.iter().position(|b| *b == b':') {
        Some(colon) => {
            let before = v.get(..colon).unwrap_or_default();
            before.contains(&b'@') && !before.contains(&b'{') && !before.contains(&b'/')
        }
        None => false,
    }
}

/// `git config …` that writes something other than harmless settings.
pub(super) fn config(seen: &Seen) -> Met {
    let has = |names: &[&str]| {
        seen.opts.iter().any(|o| match o.name {
            Name::Long(n) => names.iter().any(|full| !n.is_empty() && full.as_bytes().starts_with(n)),
            Name::Short(c) => c == b'l' && names.contains(&"list"),
        })
    };
    let mut words = seen.operands.iter().copied();
    let verb = seen.operands.first().and_then(|at| seen.word(*at));
    let reads = has(&["get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool", "list"])
        || matches!(verb, Some(Val::Known(b"get" | b"list")));
    if reads {
        return Met::No;
    }
    let verbal = matches!(verb, Some(Val::Known(b"set" | b"unset" | b"rename-section" | b"remove-section")));
    if verbal {
        words.next();
    }
    let writes = verbal
        || has(&["add", "replace-all", "unset", "unset-all", "rename-section", "remove-section"])
        || seen.operands.len() > 1
        // One that may become several: a key and its value.
        || seen.operands.first().and_then(|at| seen.args.get(*at)).is_some_and(may_be_several);
    let Some(at) = words.next().filter(|_| writes) else {
        return Met::No;
    };
    let takes_away = has(&["unset", "unset-all", "remove-section"])
        || matches!(verb, Some(Val::Known(b"unset" | b"remove-section")));
    if takes_away {
        return Met::No;
    }
    let section = has(&["rename-section"]) || verb == Some(Val::Known(b"rename-section"));
    let mut text = match seen.word(at) {
        Some(Val::Known(key)) => key.to_vec(),
        // `alias.z$x`: what its known beginning may become is as good as written.
        Some(Val::Dynamic(prefix)) if !prefix.is_empty() => unended(prefix),
        // Any: it may name a program.
        _ => return Met::Yes(Some(at)),
    };
    let known = match words.next().and_then(|at| seen.word(at)) {
        Some(Val::Known(value)) => {
            text.push(b'=');
            text.extend_from_slice(value);
            true
        }
        Some(Val::Dynamic(_)) => {
            text.push(b'=');
            false
        }
        None => true,
    };
    if section || setting(&text, known) { Met::Yes(Some(at)) } else { Met::No }
}

/// True if a word may become more than one.
fn may_be_several(word: &Arg) -> bool {
    matches!(word, Arg::Dynamic { single: false, .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings() {
        for (text, expected) in [
            ("color.ui=always", false),
            ("user.name=x", false),
            ("core.quotepath=off", false),
            ("Core.QuotePath=off", false),
            ("advice.detachedHead=false", false),
            ("core.pager=cat", false),
            ("core.pager=", false),
            ("core.pager=touch x", true),
            ("core.editor=true", false),
            ("core.editor=vim", true),
            ("alias.x=!id", true),
            ("commit.gpgsign=false", false),
            ("core.fsmonitor=id", true),
            ("core.fsmonitor=false", false),
            ("core.hooksPath=/dev/null", false),
            ("safe.bareRepository=explicit", false),
            ("safe.bareRepository=all", true),
            ("safe.directory=*", true),
            ("core.hookspath=h", true),
            ("diff.x.textconv=id", true),
            ("diff.external=id", true),
            ("rebase.instructionFormat=%s%nexec ./evil", true),
            ("rebase.autoSquash=true", false),
            ("core.commentString=exec ./evil #", true),
            ("core.commentChar=x", true),
            ("core.commentChar=;", false),
            ("i18n.logOutputEncoding=ASCII//TRANSLIT", true),
            ("i18n.commitEncoding=utf-8", false),
            ("pull.twohead=../evil", true),
            ("pull.rebase=true", false),
            ("format.outputDirectory=/x", true),
            ("fetch.bundleURI=http://x", true),
            ("color.", false),
            ("colorx", true),
            ("anything.new=1", true),
        ] {
            assert_eq!(setting(text.as_bytes(), true), expected, "{text}");
        }
    }

    #[test]
    fn addresses() {
        for (v, is_transport, is_host) in [
            ("ext::sh -c id", true, false),
            ("origin", false, false),
            ("https://x/y", false, true),
            ("git@github.com:a/b", false, true),
            ("HEAD:refs/heads/x", false, false),
            ("HEAD@{1}:x", false, false),
            ("../other", false, false),
        ] {
            assert_eq!((transport(v.as_bytes()), host(v.as_bytes())), (is_transport, is_host), "{v}");
        }
    }
}
