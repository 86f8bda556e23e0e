//! jq as a safe bin: its arguments, parsed in its own way, and its program, tokenised.
//!
//! The program is not searched as text: `$ ENV` and `$#…⏎ENV` read the environment too, while `.env`, `{env: 1}`
//! and `"env"` do not. Where versions of jq read a text differently (comments that continue, blanks, numbers) the
//! reading with more code wins, or the text is refused.
//! Source: jq's manual, 1.6 to 1.8; behaviour of 1.6 tried with strace.
use crate::rules::safe_bins::SafeBinMiss;
use crate::tables::safe_bins::{JQ, JQ_FUNCTIONS, JQ_KEYWORDS, JQ_READS, Jq};

/// Judges the arguments (without `argv[0]`).
///
/// # Errors
///
/// Whatever opens a file or reads the environment, and every option that is not listed.
pub(crate) fn judge(words: &[&[u8]]) -> Result<(), SafeBinMiss> {
    let mut program = None;
    let mut data = false;
    let mut only_operands = false;
    let mut i = 0;
    while let Some(word) = words.get(i).copied() {
        let at = i;
        i += 1;
        if !only_operands && word == b"--" {
            only_operands = true;
            continue;
        }
        // jq takes a word for an option only if a dash or a letter follows the dash: `-5` is a program, or a file.
        let optish = matches!(word, [b'-', c, ..] if *c == b'-' || c.is_ascii_alphabetic());
        if only_operands || !optish {
            match program {
                None => program = Some(at),
                Some(_) if data || word == b"-" => {}
                Some(_) => return Err(SafeBinMiss::at(at, "an operand that names a file")),
            }
            continue;
        }
        for takes in
            options(word).ok_or_else(|| SafeBinMiss::at(at, "an option the profile does not list"))?
        {
            match takes {
                Jq::Flag | Jq::Help => {}
                Jq::Data => data = true,
                Jq::Number => {
                    let number = words.get(i).copied().unwrap_or_default();
                    if number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
                        return Err(SafeBinMiss::at(at, "--indent without a number"));
                    }
                    i += 1;
                }
                Jq::Named => {
                    if words.get(i + 1).is_none() {
                        return Err(SafeBinMiss::at(at, "an option without its name and value"));
                    }
                    i += 2;
                }
            }
        }
    }
    match program.and_then(|at| Some((at, words.get(at)?))) {
        Some((at, text)) => program_reads_input_only(text).map_err(|why| SafeBinMiss::at(at, why)),
        // Without a program jq copies its input, or prints its usage.
        None => Ok(()),
    }
}

/// What each option in the word takes; `None` if one is not listed. Long options are never shortened and have no
/// `=value`; of short ones only flags have a letter, so a cluster takes no further word.
fn options(word: &[u8]) -> Option<Vec<Jq>> {
    match word.strip_prefix(b"--") {
        Some(name) => JQ.iter().find(|(_, l, _)| l.as_bytes() == name).map(|(_, _, takes)| vec![*takes]),
        None => word
            .iter()
            .skip(1)
            .map(|c| JQ.iter().find(|(s, ..)| s == c && *c != 0).map(|(_, _, takes)| *takes))
            .collect(),
    }
}

/// A token of a jq program, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A name or keyword, possibly with `::`.
    Name(&'a [u8]),
    /// An opening bracket: `(`, `[`, `{`, or `"` for `\(` in a string.
    Open(u8),
    /// The bracket that closes it.
    Close,
    /// Any other character of an operator.
    Sign(u8),
    /// A field, number, format or piece of a string.
    Inert,
}

/// Proves that a program sees only its input and arguments.
///
/// # Errors
///
/// One clause naming what it reads, or why it cannot be told.
pub fn program_reads_input_only(text: &[u8]) -> Result<(), String> {
    let tokens = tokenise(text)?;
    let defined = defined(&tokens);
    let mut open = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token {
            Token::Open(c) => open.push(*c),
            Token::Close => {
                open.pop();
            }
            Token::Name(name) => {
                let before = i.checked_sub(1).and_then(|k| tokens.get(k));
                if before == Some(&Token::Sign(b'$')) {
                    variable(name)?;
                } else if !is_key(before, tokens.get(i + 1), open.last()) {
                    function(name, &defined)?;
                }
            }
            Token::Sign(_) | Token::Inert => {}
        }
    }
    Ok(())
}

fn text_of(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn variable(name: &[u8]) -> Result<(), String> {
    if name == b"ENV" {
        return Err("its program reads the environment".into());
    }
    if name.contains(&b':') || (name.starts_with(b"__") && name != b"__loc__") {
        return Err(format!("its program uses ${}", text_of(name)));
    }
    Ok(())
}

/// `{env: 1}`, `{env}`, `{a, env}`: a name right behind `{` or `,` of an object and before `:`, `,` or `}` is a key.
fn is_key(before: Option<&Token>, after: Option<&Token>, inside: Option<&u8>) -> bool {
    inside == Some(&b'{')
        && matches!(before, Some(Token::Open(b'{') | Token::Sign(b',')))
        && matches!(after, Some(Token::Sign(b':' | b',') | Token::Close))
}

fn function(name: &[u8], defined: &[&[u8]]) -> Result<(), String> {
    if let Some((_, what)) = JQ_READS.iter().find(|(n, _)| n.as_bytes() == name) {
        return Err(format!("its program reads {what} (`{}`)", text_of(name)));
    }
    let known = JQ_KEYWORDS.iter().any(|k| k.as_bytes() == name)
        || JQ_FUNCTIONS.binary_search_by(|f| f.as_bytes().cmp(name)).is_ok()
        || defined.contains(&name);
    if known {
        Ok(())
    } else {
        Err(format!("its program uses `{}`, which is no function of jq", text_of(name)))
    }
}

/// Names that the program itself defines: behind `def`, and its parameters.
fn defined<'a>(tokens: &[Token<'a>]) -> Vec<&'a [u8]> {
    let mut out = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        if *token != Token::Name(b"def") {
            continue;
        }
        let rest = tokens.get(i + 1..).unwrap_or_default();
        let Some(Token::Name(name)) = rest.first() else { continue };
        out.push(*name);
        if rest.get(1) != Some(&Token::Open(b'(')) {
            continue;
        }
        for parameter in rest.iter().skip(2) {
            match parameter {
                Token::Name(name) => out.push(*name),
                Token::Sign(b'$' | b';') => {}
                _ => break,
            }
        }
    }
    out
}

fn tokenise(text: &[u8]) -> Result<Vec<Token<'_>>, String> {
    let mut out = Vec::new();
    // Open brackets, `"` standing for the `\(` of a string.
    let mut stack: Vec<u8> = Vec::new();
    let mut i = 0;
    while let Some(c) = text.get(i).copied() {
        let start = i;
        i += 1;
        match c {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'#' => i = comment(text, i)?,
            b'"' => i = string(text, i, &mut stack, &mut out)?,
            b'(' | b'[' | b'{' => {
                stack.push(c);
                out.push(Token::Open(c));
            }
            b')' | b']' | b'}' => {
                let opened = stack.pop();
                out.push(Token::Close);
                match (opened, c) {
                    (Some(b'('), b')') | (Some(b'['), b']') | (Some(b'{'), b'}') => {}
                    (Some(b'"'), b')') => i = string(text, i, &mut stack, &mut out)?,
                    _ => return Err("brackets of its program do not pair".into()),
                }
            }
            b'@' => {
                i = skip_name(text, i);
                out.push(Token::Inert);
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                i = skip_name(text, i);
                while text.get(i..i + 2) == Some(b"::") {
                    i = skip_name(text, i + 2);
                }
                out.push(Token::Name(text.get(start..i).unwrap_or_default()));
            }
            b'.' if text.get(i).is_some_and(|n| n.is_ascii_alphabetic() || *n == b'_') => {
                i = skip_name(text, i);
                out.push(Token::Inert);
            }
            b'.' | b'0'..=b'9' => {
                // Versions differ in how many dots a number may have: the longest reading leaves no `.name`
                // behind it, so what follows is a name and is looked at.
                while text.get(i).is_some_and(|n| n.is_ascii_digit() || *n == b'.') {
                    i += 1;
                }
                i = exponent(text, i);
                out.push(Token::Inert);
            }
            b'?' | b'=' | b';' | b',' | b':' | b'|' | b'+' | b'-' | b'*' | b'/' | b'%' | b'$' | b'<'
            | b'>' | b'!' => out.push(Token::Sign(c)),
            _ => return Err("its program has a character that jq's language does not".into()),
        }
    }
    if stack.is_empty() { Ok(out) } else { Err("brackets of its program do not pair".into()) }
}

fn skip_name(text: &[u8], mut i: usize) -> usize {
    while text.get(i).is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_') {
        i += 1;
    }
    i
}

fn exponent(text: &[u8], i: usize) -> usize {
    if !matches!(text.get(i), Some(b'e' | b'E')) {
        return i;
    }
    let sign = usize::from(matches!(text.get(i + 1), Some(b'+' | b'-')));
    let digits = i + 1 + sign;
    let mut end = digits;
    while text.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    if end > digits { end } else { i }
}

/// From behind `#` to the end of the line. Since 1.7 a comment continues behind a backslash, and since 1.6 a
/// carriage return ends it in some versions: either is refused rather than guessed.
fn comment(text: &[u8], mut i: usize) -> Result<usize, String> {
    loop {
        match (text.get(i), text.get(i + 1)) {
            (None | Some(b'\n'), _) => return Ok(i),
            (Some(b'\r'), Some(b'\n') | None) => return Ok(i),
            (Some(b'\r'), _) => return Err("a comment of its program holds a carriage return".into()),
            (Some(b'\\'), Some(b'\n' | b'\r') | None) => {
                return Err("a comment of its program ends in a backslash".into());
            }
            _ => i += 1,
        }
    }
}

/// From inside a string to behind its end, or to behind the `\(` that interrupts it.
fn string<'a>(
    text: &'a [u8],
    mut i: usize,
    stack: &mut Vec<u8>,
    out: &mut Vec<Token<'a>>,
) -> Result<usize, String> {
    out.push(Token::Inert);
    loop {
        match (text.get(i), text.get(i + 1)) {
            (None, _) | (Some(b'\\'), None) => return Err("a string of its program does not end".into()),
            (Some(b'"'), _) => return Ok(i + 1),
            (Some(b'\\'), Some(b'(')) => {
                stack.push(b'"');
                out.push(Token::Open(b'"'));
                return Ok(i + 2);
            }
            (Some(b'\\'), Some(_)) => i += 2,
            (Some(_), _) => i += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_see_their_input_only() {
        for text in [
            ".",
            ".env",
            ".a.env.b",
            ".[0].env",
            ".include",
            ".import",
            "{env: 1}",
            "{env}",
            "{a, env}",
            "{a: 1, env: 2}",
            "{env : .x}",
            "{include: 1}",
            "\"env\"",
            "ltrimstr(\"env\")",
            "\"\\(.env)\"",
            "\"a \\(\"b \\(.c)\") env\"",
            "# env\n.",
            ".a # $ENV",
            "$env",
            "$__loc__",
            ".[$env]",
            "map(select(.env == \"prod\"))",
            "@base64 \"x\\(.y)\"",
            ".[] | @tsv",
            "getpath([\"env\"])",
            "debug",
            "stderr",
            "input_line_number",
            "[inputs]",
            "def f(x): x; f(.)",
            "def f($a; g): g; f(1; .)",
            "reduce .[] as $x (0; . + $x)",
            "foreach .[] as [$a, {b: $c}] (0; 1; .)",
            "label $out | break $out",
            "try error(\"x\") catch .",
            "if . then 1 elif . then 2 else 3 end",
            ". as {env: $x} | $x",
            "..|.a?",
            "1.5e3",
            ".[-1:]",
            ".a // \"none\"",
            "[.[]|tostring]|join(\", \")",
            "with_entries(.value |= tostring)",
            "test(\"(env)\"; \"x\")",
            "\"\\u0065nv\"",
            "\"\\\\\"",
            ".\"env\"",
            ".a[\"env\"]?",
            "-5",
            "",
            "limit(3; .[])",
            "$ARGS.positional",
            "$ARGS.named.env",
            "splits(\"a\")",
            "ascii_downcase",
            "path(..)",
            "{\"env\": 1, (.k): 2}",
            "{$env}",
            ".a?//\"x\"",
            "# a \\ b\n.",
            "# a\r\n.",
            "not",
            "null,true,false",
        ] {
            assert_eq!(program_reads_input_only(text.as_bytes()), Ok(()), "{text}");
        }
    }

    #[test]
    fn programs_that_read_more_or_might() {
        for text in [
            "env",
            "$ENV",
            "$ ENV",
            "$\nENV",
            "$#x\nENV",
            "($ENV).A",
            "env.A",
            ".,env",
            ". , env",
            "{\"a\":env}",
            "{a:env}",
            "{(env): 1}",
            "{a: 1 | env}",
            "{env as $x | 1}",
            "[env]",
            "\"\\(env)\"",
            "\"a\\(\"b\\(env)\")\"",
            "def f: env; f",
            "def env: 1; env",
            "env as {A: $x} | $x",
            "reduce env as $e (0; $e)",
            "{$ENV}",
            ". as [$ENV] | 1",
            "import \"a\" as a; .",
            "import \"d\" as $d {search:\".\"}; $d",
            "include \"m\"; f",
            "include \"m\" {search:\"./\"}; .",
            "modulemeta",
            "\"m\"|modulemeta",
            "input_filename",
            "get_search_list",
            "module {}; .",
            "a::f",
            "$d::d",
            "nosuch",
            "env::x",
            "\"",
            "\"\\(",
            "(",
            ")",
            "[}",
            "\"\\(1]",
            "'.a'",
            "`",
            "\\",
            "1.env",
            "..env",
            "...env",
            "1env",
            "# a \\\nenv\n.",
            "# a \\\n\"\n.",
            "# a\renv",
            "$__prog_args",
            ". env",
            "@base64 \"\\(env)\"",
            "def f(env): 1; f(1)",
            "try env catch .",
            "if env then 1 else 2 end",
            "..|env",
            ".a|env",
            "{a: {b: env}}",
            "{a: 1, b: (1, env)}",
            "$__env",
            "\u{a0}.",
            "label $ENV | 1",
            "\"\\u(env)",
            "&",
            "~",
            "^",
        ] {
            assert!(program_reads_input_only(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn arguments() {
        for (line, good) in [
            ("", true),
            (".", true),
            ("-r .", true),
            ("-rcS .", true),
            (". -r", true),
            ("-nrjaCMesSR .", true),
            ("--raw-output --tab --indent 3 .", true),
            ("--indent x .", false),
            ("--indent .", false),
            ("--indent=3 .", false),
            ("--arg a b .", true),
            (". --arg a b", true),
            ("--arg a", false),
            ("--argjson a 1 .a", true),
            ("--arg a b -R . secret", false),
            ("-n --args . a b", true),
            (". --args a b -r", true),
            (". --jsonargs 1 --args a", true),
            (". a --args", false),
            (". -- --args a", false),
            (". --args -- a", true),
            ("-- .", true),
            ("-- . a", false),
            (". -", true),
            (". f", false),
            (". ./f", false),
            (". -5", false),
            ("-5", true),
            ("-0 .", false),
            ("-f f", false),
            ("f -f", false),
            (". --args x -f", false),
            ("-nf f", false),
            ("-rf", false),
            ("--from-file f", false),
            ("-L d .", false),
            ("-Ld .", false),
            ("--library-path d .", false),
            ("--slurpfile a f .", false),
            ("--rawfile a f .", false),
            ("--argfile a f .", false),
            ("--run-tests f", false),
            ("--run-tests", false),
            ("--stream-errors .", false),
            ("--debug-trace .", false),
            ("--raw .", false),
            ("--arg=a b .", false),
            ("-i .", false),
            ("-r1 .", false),
            ("--seq --stream .", true),
            ("-h", true),
            ("--version", true),
            ("-V", true),
            ("-n env", false),
        ] {
            let words: Vec<&[u8]> = line.split_ascii_whitespace().map(str::as_bytes).collect();
            assert_eq!(judge(&words).is_ok(), good, "jq {line}");
        }
    }
}
