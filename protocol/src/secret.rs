//! Secrets in commands, masked before they reach the journal or a chat.
//!
//! A net, not a wall: it knows the shapes that tokens have and the names that secrets bear. What is masked
//! stays recognisable by its beginning, so that a reader knows which kind of thing stood there.

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// The words of a command with secrets masked; also the word after `--password` and the like.
pub fn mask_words<W: AsRef<[u8]>>(words: &[W]) -> Vec<Vec<u8>> {
    let mut after = After::Nothing;
    words
        .iter()
        .map(|word| {
            let word = word.as_ref();
            let masked = match (after, field(word)) {
                (After::Option, _) if !word.starts_with(b"-") => MASK.into(),
                (After::Scheme, _) if !word.is_empty() => MASK.into(),
                // A word is a whole: `NAME=a b` and `Name: a b` are secrets to their end.
                (_, Some(head)) => [head, MASK.as_bytes()].concat(),
                _ => mask_text(word),
            };
            after = After::run(word);
            masked
        })
        .collect()
}

/// The beginning of a word `NAME=value` or `Name: value` up to the value, if the name is that of a secret and
/// the value is not empty.
fn field(word: &[u8]) -> Option<&[u8]> {
    let end = word.iter().position(|b| matches!(b, b'=' | b':'))?;
    let (name, value) = word.split_at_checked(end)?;
    let value = value.get(1..)?;
    let blanks = value.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let plain = name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    let has_value = value.len() > blanks && !value.starts_with(b"//");
    (plain && has_value && is_secret_name(name)).then(|| word.get(..end + 1 + blanks))?
}

/// Text with secrets masked: a shell command, a header, an address.
pub fn mask_text(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let key = find(text, b"-----BEGIN ");
    if let Some((before, _)) =
        key.and_then(|at| text.split_at_checked(at)).filter(|(_, k)| find(k, b"KEY-----").is_some())
    {
        // A private key: nothing after its head is for anybody.
        out.extend(mask_text(before));
        out.extend_from_slice(b"-----BEGIN KEY-----");
        out.extend_from_slice(MASK.as_bytes());
        return out;
    }
    let mut after = After::Nothing;
    let mut quote = None;
    let mut rest = text;
    while let Some(first) = rest.first().copied() {
        if separates(first) {
            out.push(first);
            rest = rest.get(1..).unwrap_or_default();
            match (first, quote) {
                (b'\'' | b'"', None) => {
                    quote = Some(first);
                    if after != After::Nothing {
                        let end = rest.iter().position(|b| *b == first).unwrap_or(rest.len());
                        out.extend_from_slice(MASK.as_bytes());
                        rest = rest.get(end..).unwrap_or_default();
                        after = After::Nothing;
                    }
                }
                (q, Some(open)) if q == open => (quote, after) = (None, After::Nothing),
                (b' ' | b'\t', _) if after != After::Value => {}
                _ => after = After::Nothing,
            }
            continue;
        }
        // What is masked or copied next. A header in quotes is secret to the end of the quotes, blanks included. (Looked
        // for only then: once for every run it would cost the square of a long list.)
        let ends = |b: &u8| match after {
            After::Header if quote.is_some() => matches!(b, b'\'' | b'"' | b'\n'),
            _ => separates(*b),
        };
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        let (run, next) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        match after {
            After::Option if run.starts_with(b"-") => run_masked(&mut out, run),
            After::Option | After::Scheme | After::Header => out.extend_from_slice(MASK.as_bytes()),
            After::Nothing | After::Value => run_masked(&mut out, run),
        }
        after = After::run(run);
        rest = next;
    }
    out
}

/// Bytes that end a run: blanks, quotes and operators of shells, commas of lists.
fn separates(b: u8) -> bool {
    b.is_ascii_whitespace() || b"'\"`;|<>(),".contains(&b)
}

/// What a run says about what follows it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// Nothing.
    Nothing,
    /// `--password`: the next word is the secret.
    Option,
    /// `Bearer`: the next word is the secret.
    Scheme,
    /// `X-Api-Key:`: what follows, after a blank, is the secret.
    Header,
    /// `TOKEN=`: what follows in quotes, at once, is the secret.
    Value,
}

impl After {
    fn run(run: &[u8]) -> After {
        let last = run.rsplit(|b| separates(*b)).next().unwrap_or_default();
        if last.eq_ignore_ascii_case(b"bearer") {
            return After::Scheme;
        }
        match last.split_last() {
            Some((b':', name)) if is_secret_name(name) => After::Header,
            Some((b'=', name)) if is_secret_name(name) => After::Value,
            _ if last.strip_prefix(b"--").is_some_and(is_secret_name) => After::Option,
            _ => After::Nothing,
        }
    }
}

/// Masks the value of a field with a secret's name at the beginning of a run, and returns what follows it, from an
/// ampersand on; `None` if there is no such field.
fn field_masked<'a>(out: &mut Vec<u8>, run: &'a [u8]) -> Option<&'a [u8]> {
    let (name, value) = run.split_at_checked(run.iter().position(|b| matches!(b, b'=' | b':'))?)?;
    let value = value.get(1..)?;
    let name_only = name.rsplit(|b| matches!(b, b'?' | b'&' | b'{' | b'/')).next()?;
    if value.is_empty() || value.starts_with(b"//") || !is_secret_name(name_only.trim_ascii_start()) {
        return None;
    }
    out.extend_from_slice(run.get(..=name.len())?);
    out.extend_from_slice(MASK.as_bytes());
    let end = value.iter().position(|b| *b == b'&').unwrap_or(value.len());
    value.get(end..)
}

/// One run without separators: `NAME=value`, `--name=value`, `scheme://user:secret@host`, a bare token.
fn run_masked(out: &mut Vec<u8>, run: &[u8]) {
    let mut run = run;
    // `a?token=x&b=y`: what follows a secret is judged again.
    while let Some(rest) = field_masked(out, run) {
        match rest.split_first() {
            Some((amp, next)) => {
                out.push(*amp);
                run = next;
            }
            None => return,
        }
    }
    if let Some(at) = find(run, b"://") {
        let (scheme, rest) = run.split_at_checked(at + 3).unwrap_or((run, &[]));
        let host = rest.iter().position(|b| *b == b'/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(host).unwrap_or((rest, &[]));
        out.extend_from_slice(scheme);
        match authority.iter().rposition(|b| *b == b'@').and_then(|at| authority.split_at_checked(at)) {
            Some((user, host)) => {
                let name = user.split(|b| *b == b':').next().unwrap_or_default();
                if user.contains(&b':') {
                    tokens_masked(out, name);
                    out.push(b':');
                    out.extend_from_slice(MASK.as_bytes());
                } else {
                    tokens_masked(out, user);
                }
                out.extend_from_slice(host);
            }
            None => out.extend_from_slice(authority),
        }
        match path
            .iter()
            .position(|b| matches!(b, b'?' | b'#' | b'&'))
            .and_then(|at| path.split_at_checked(at + 1))
        {
            Some((path, query)) => {
                tokens_masked(out, path);
                for (at, field) in query.split(|b| *b == b'&').enumerate() {
                    if at > 0 {
                        out.push(b'&');
                    }
                    run_masked(out, field);
                }
            }
            None => tokens_masked(out, path),
        }
        return;
    }
    tokens_masked(out, run);
}

/// Beginnings of tokens: the prefix that is kept, and how many more token characters make it one.
const TOKENS: &[(&[u8], usize)] = &[
    // OpenAI, Anthropic, Stripe.
    (b"sk-", 16),
    (b"sk_live_", 10),
    (b"sk_test_", 10),
    (b"rk_live_", 10),
    (b"pk_live_", 10),
    (b"whsec_", 16),
    // GitHub, GitLab.
    (b"ghp_", 16),
    (b"gho_", 16),
    (b"ghu_", 16),
    (b"ghs_", 16),
    (b"ghr_", 16),
    (b"github_pat_", 16),
    (b"glpat-", 16),
    // Slack.
    (b"xoxb-", 10),
    (b"xoxp-", 10),
    (b"xoxa-", 10),
    (b"xoxr-", 10),
    (b"xoxs-", 10),
    (b"xapp-", 10),
    // AWS key ids, Google.
    (b"AKIA", 16),
    (b"ASIA", 16),
    (b"AIza", 30),
    (b"ya29.", 16),
    // npm, PyPI, Hugging Face, DigitalOcean, Docker, Vault, age, JSON web tokens.
    (b"npm_", 20),
    (b"pypi-", 20),
    (b"hf_", 20),
    (b"dop_v1_", 20),
    (b"dckr_pat_", 16),
    (b"hvs.", 16),
    (b"AGE-SECRET-KEY-", 20),
    (b"eyJ", 30),
];

/// Tokens anywhere in a run, at the start or after a character that no token has inside.
fn tokens_masked(out: &mut Vec<u8>, run: &[u8]) {
    let is_token = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let mut rest = run;
    let mut fresh = true;
    while let Some(first) = rest.first() {
        let found = TOKENS.iter().filter(|_| fresh).find_map(|(prefix, least)| {
            let body = rest.strip_prefix(*prefix)?;
            let len = body.iter().take_while(|b| is_token(b)).count();
            (len >= *least).then_some((*prefix, body.get(len..).unwrap_or_default()))
        });
        match found {
            Some((prefix, next)) => {
                out.extend_from_slice(prefix);
                out.extend_from_slice(MASK.as_bytes());
                rest = next;
            }
            None => {
                out.push(*first);
                fresh = !first.is_ascii_alphanumeric();
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }
}

/// Names that secrets bear, lower case, without dashes and underscores: whole, or as the end of a longer name.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "credential",
    "credentials",
    "authorization",
    "authtoken",
    "clientsecret",
    "signingkey",
    "encryptionkey",
];

/// True if the name of an option, variable, field or header says that its value is a secret.
pub fn is_secret_name(name: &[u8]) -> bool {
    let name: Vec<u8> =
        name.iter().filter(|b| !matches!(b, b'-' | b'_' | b'.')).map(u8::to_ascii_lowercase).collect();
    // `PWD` and `OLDPWD` are folders.
    if matches!(name.as_slice(), b"pwd" | b"oldpwd") {
        return false;
    }
    NAMES.iter().any(|n| name.ends_with(n.as_bytes()))
        || matches!(name.as_slice(), b"pass" | b"dbpass" | b"pgpass")
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|w| w == what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(s: &str) -> String {
        String::from_utf8(mask_text(s.as_bytes())).unwrap()
    }

    #[test]
    fn long_texts_cost_in_proportion() {
        // Each of these was, or would be, the square of its length if one of its pieces were looked at from there to the
        // end: minutes at this size.
        for piece in
            ["(", "a ", "a,", "'", "\"a\" ", "token=x&", "x:", "sk-", "://", "X-Api-Key: '", "=", "?a=b&"]
        {
            let long = piece.repeat(100_000 / piece.len());
            let began = std::time::Instant::now();
            mask_text(long.as_bytes());
            mask_words(&[long.as_bytes()]);
            let took = began.elapsed();
            assert!(took.as_secs() < 10, "{piece:?} takes {took:?}");
        }
    }

    #[test]
    fn secrets_are_masked() {
        let gh = format!("ghp_{}", "a1".repeat(18));
        let sk = format!("sk-ant-api03-{}", "Zz9".repeat(10));
        let jwt = format!("eyJ{}.eyJ{}.x", "a".repeat(30), "b".repeat(30));
        let cases = [
            (format!("git clone https://x:{gh}@github.com/a/b"), "git clone https://x:***@github.com/a/b"),
            (format!("git clone https://{gh}@github.com/a/b"), "git clone https://ghp_***@github.com/a/b"),
            (format!("echo {sk};ls"), "echo sk-***;ls"),
            (format!("curl -H 'Authorization: Bearer {jwt}' x"), "curl -H 'Authorization: ***' x"),
            ("curl -H \"X-Api-Key: abc\" y".into(), "curl -H \"X-Api-Key: ***\" y"),
            ("bash -c 'curl -H \"X-Api-Key: a b\" y'".into(), "bash -c 'curl -H \"X-Api-Key: ***\" y'"),
            ("x Bearer abc def".into(), "x Bearer *** def"),
            ("mysql --password 'a b' c".into(), "mysql --password '***' c"),
            ("TOKEN= cmd 'a b'".into(), "TOKEN= cmd 'a b'"),
            ("curl -H X-Api-Key:abc y".into(), "curl -H X-Api-Key:*** y"),
            ("GITHUB_TOKEN=abc DB_PASSWORD='x y' npm t".into(), "GITHUB_TOKEN=*** DB_PASSWORD='***' npm t"),
            ("mysql --password=hunter2 -u me".into(), "mysql --password=*** -u me"),
            ("mysql --password hunter2 -u me".into(), "mysql --password *** -u me"),
            ("vault login --token s.1 x".into(), "vault login --token *** x"),
            (
                "curl 'http://h/p?a=1&access_token=zz&b=2'".into(),
                "curl 'http://h/p?a=1&access_token=***&b=2'",
            ),
            ("aws AKIAIOSFODNN7EXAMPLE".into(), "aws AKIA***"),
            ("psql postgres://u:p@h:5432/db".into(), "psql postgres://u:***@h:5432/db"),
            ("echo '-----BEGIN RSA PRIVATE KEY-----\nabc'".into(), "echo '-----BEGIN KEY-----***"),
        ];
        for (given, want) in cases {
            assert_eq!(text(&given), want, "{given}");
        }
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for s in [
            "git commit -m 'fix token parser: a b'",
            "ls -la ~/src; cd $PWD",
            "PWD=/tmp make -j4 test",
            "sk-ip me",
            "risk-assessment-of-the-year-2025",
            "curl https://example.org/a?b=c#d",
            "ssh git@github.com",
            "docker run -p 80:80 nginx:latest",
            "grep -rn 'eyJ' .",
        ] {
            assert_eq!(text(s), s);
        }
    }

    #[test]
    fn the_word_after_an_option_is_masked() {
        let words = |w: &[&str]| -> Vec<String> {
            mask_words(w).into_iter().map(|w| String::from_utf8(w).unwrap()).collect()
        };
        assert_eq!(words(&["x", "--password", "a b", "c"]), ["x", "--password", "***", "c"]);
        assert_eq!(words(&["x", "--token", "--verbose"]), ["x", "--token", "--verbose"]);
        assert_eq!(words(&["x", "DB_PASSWORD=a b"]), ["x", "DB_PASSWORD=***"]);
        assert_eq!(words(&["curl", "-H", "X-Api-Key: abc def"]), ["curl", "-H", "X-Api-Key: ***"]);
        assert_eq!(words(&["curl", "-H", "Authorization: Basic YWJj"]), ["curl", "-H", "Authorization: ***"]);
    }

    proptest! {
        #[test]
        fn masking_is_total(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = mask_text(&bytes);
            let _ = mask_words(&[bytes]);
        }

        #[test]
        fn a_token_never_survives(before in "[ -~]{0,20} ", body in "[A-Za-z0-9]{36}", after in " [ -~]{0,20}") {
            let masked = text(&format!("{before}ghp_{body}{after}"));
            prop_assert!(!masked.contains(&body), "{}", masked);
        }
    }
}
