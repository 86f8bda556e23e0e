//! What a matcher of hooks covers, as the agent that reads it has it.
//!
//! Most agents read JavaScript's regular expressions, and the engine here reads Rust's. What only one of them knows, or
//! both read in different ways, is not understood, and does not count as covering anything.
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;

/// Agents that read them as Rust does.
const RUST: &[&str] = &["codex"];

/// True if what a matcher says covers the tool that ours names: everything, a choice with that name in it, or a regular
/// expression that is found in it. One that is broken matches nothing, as the agents have it.
pub fn covers(agent: &str, matcher: &str, wanted: &str) -> bool {
    let name = wanted.trim_start_matches('^').trim_end_matches('$');
    if matches!(matcher, "" | "*") {
        return true;
    }
    if plain(matcher) {
        // Measured with Claude Code 2.1.332: a comma parts names as well.
        let parts = |c: char| c == '|' || (c == ',' && agent == "claude");
        return matcher.split(parts).any(|m| m.trim() == name);
    }
    understood(agent, matcher)
        && thompson::pikevm::PikeVM::builder()
            .syntax(syntax::Config::new().unicode(false).utf8(false).nest_limit(64))
            .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(1 << 20)))
            .build(matcher)
            .is_ok_and(|re| re.is_match(&mut re.create_cache(), name))
}

/// True for names and choices of them.
fn plain(matcher: &str) -> bool {
    matcher.bytes().all(|b| b.is_ascii_alphanumeric() || b"_|, -".contains(&b))
}

/// True if the agent reads a matcher as it is read here, right or wrong.
pub fn understood(agent: &str, matcher: &str) -> bool {
    RUST.contains(&agent) || plain(matcher) || matcher == "*" || alike(matcher)
}

/// True if JavaScript (without the flags `u` and `v`) and Rust read an expression alike: characters, `.`, `^`, `$`,
/// `|`, groups, classes, the usual classes by a letter, and quantifiers behind something that can be repeated.
fn alike(text: &str) -> bool {
    if !text.is_ascii() {
        return false;
    }
    let mut rest = text;
    // Whether a quantifier may follow.
    let mut repeats = false;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '\\' => {
                let next = rest.chars().nth(1);
                repeats = next != Some('b');
                next.filter(|n| "bdwsDWS".contains(*n) || itself(*n)).map(|_| 2)
            }
            '[' => {
                repeats = true;
                class(rest)
            }
            '(' => {
                repeats = false;
                let inner = rest.get(1..).unwrap_or_default();
                if inner.starts_with("?:") { Some(3) } else { (!inner.starts_with('?')).then_some(1) }
            }
            '|' | '^' | '$' => {
                repeats = false;
                Some(1)
            }
            '*' | '+' | '?' | '{' => {
                let length = if c == '{' { count(rest) } else { Some(1) };
                let length = length.filter(|_| std::mem::take(&mut repeats));
                let lazy = |n: &usize| rest.get(*n..).is_some_and(|r| r.starts_with('?'));
                length.map(|n| n + usize::from(lazy(&n)))
            }
            // Bare, JavaScript takes them for themselves.
            ']' | '}' => None,
            _ => {
                repeats = true;
                Some(1)
            }
        };
        let Some(next) = taken.and_then(|n| rest.get(n..)) else { return false };
        rest = next;
    }
    true
}

/// True for what stands for itself behind a backslash; these two are ends of words in Rust.
fn itself(c: char) -> bool {
    c.is_ascii_punctuation() && !"<>".contains(c)
}

/// The length of `{2}`, `{2,}` or `{2,3}`.
fn count(text: &str) -> Option<usize> {
    let end = text.find('}')?;
    let (least, most) = match text.get(1..end)?.split_once(',') {
        Some((least, most)) => (least, most),
        None => (text.get(1..end)?, ""),
    };
    let digits = |w: &str| w.len() <= 3 && w.bytes().all(|b| b.is_ascii_digit());
    (!least.is_empty() && digits(least) && digits(most)).then_some(end + 1)
}

/// The length of a class, in which nothing has a meaning for one of them alone.
fn class(text: &str) -> Option<usize> {
    let from = if text.starts_with("[^") { 2 } else { 1 };
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        let mut chars = rest.chars();
        match (chars.next()?, chars.next()) {
            (']', _) => return (at > from).then_some(at + 1),
            ('[', _) | ('&', Some('&')) | ('~', Some('~')) | ('-', Some('-')) => return None,
            ('\\', Some(n)) if "dwsDWS".contains(n) || itself(n) => at += 2,
            ('\\', _) => return None,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matcher_covers_what_it_names() {
        for (matcher, is) in [
            ("", true),
            ("*", true),
            ("Bash", true),
            ("^Bash$", true),
            ("Edit|Bash", true),
            ("^(Bash|Edit)$", true),
            ("Edit", false),
            ("BashOutput", false),
            (".+", true),
            ("^.*$", true),
            ("Bash.*", true),
            ("^(?:Bash)$", true),
            ("Ba.h", true),
            ("B[a-z]+?h", true),
            (r"\w{4}", true),
            (r"\bBash\b", true),
            ("Edit|Bash ", true),
            (" Bash", true),
            ("mcp__.*", false),
            ("x(a|Bash)", false),
            ("(Bash", false),
            ("Bash)", false),
            ("Read(.*)|^Bash(x|Bash)", false),
        ] {
            for agent in ["claude", "codex", "gemini"] {
                assert_eq!(covers(agent, matcher, "Bash"), is, "{agent} {matcher}");
            }
        }
        for matcher in ["Bash,Edit", "Edit, Bash"] {
            assert!(covers("claude", matcher, "Bash"), "{matcher}");
            assert!(!covers("gemini", matcher, "Bash"), "{matcher}");
        }
    }

    /// Measured: with these Claude Code calls no hook, or would call it where the engine here would not.
    #[test]
    fn what_one_dialect_alone_knows_is_not_understood() {
        for matcher in [
            "(?i)Bash",
            "(?i)bash",
            "(?-i)Bash",
            r"\ABash",
            r"Bash\z",
            "[[:alpha:]]+",
            "(?P<x>Bash)",
            "(?<x>Bash)",
            r"Bas\u{68}",
            r"Ba\x{73}h",
            r"\p{L}+",
            "(?x) Ba sh",
            "[a-zA-Z&&[^x]]+",
            "[a-z--x]+",
            "Bash]",
            "Bash{,2}",
            "B{}ash",
            "*Bash",
            "Ba**sh",
            "Ba*+sh",
            "^*Bash",
            "(*)Bash",
            "(?!x)Bash",
            "(?=Bash)",
            "^(?!Read).*$",
            "[^]+",
            "[]a]+",
            r"(B)ash\1?",
            r"\QBash\E",
            r"[\b]|Bash",
            r"\<Bash\>",
            "B\u{e4}sh|Bash.",
        ] {
            for agent in ["claude", "gemini", "qwen", "copilot"] {
                assert!(!understood(agent, matcher), "{matcher}");
                assert!(!covers(agent, matcher, "Bash"), "{matcher}");
            }
        }
        // Codex is written in Rust.
        assert!(covers("codex", "(?i)bash", "Bash"));
    }
}
