//! The folders a program works in, as its options say: `make -C ../x` is not what an entry for one project speaks of.
use crate::arg::Arg;
use crate::resolve::{join, parent};
use crate::tables::folders::{Row, find};
use crate::tables::words::WordList;
use crate::world::{FileKind, World};

/// What an option names.
enum Named<'a> {
    Folder(&'a [u8]),
    File(&'a [u8]),
}

/// Every folder that a program works in besides the one it is started in (`cwd`, canonical); `None` if that cannot be
/// told. `names` are those it is known by, `args` the words behind them.
pub(crate) fn elsewhere(
    names: &[&[u8]],
    args: &[Arg],
    cwd: &[u8],
    world: &dyn World,
) -> Option<Vec<Vec<u8>>> {
    let mut out = Vec::new();
    for row in names.iter().filter_map(|n| find(n)) {
        // Several are taken one from another by some programs, and each by itself by others.
        let mut last = cwd.to_vec();
        let named = scan(row, args)?;
        for n in &named {
            if let Named::Folder(to) = n {
                let next = world.real(&join(&last, to))?;
                let from = std::mem::replace(&mut last, next);
                if from != cwd {
                    out.push(world.real(&join(cwd, to))?);
                }
                out.push(last.clone());
            }
        }
        for n in &named {
            if let Named::File(path) = n {
                out.push(folder_of(&join(cwd, path), world)?);
                if last != cwd {
                    out.push(folder_of(&join(&last, path), world)?);
                }
            }
        }
    }
    Some(out)
}

/// The folder of a file, wherever it really lies; a folder is its own.
fn folder_of(path: &[u8], world: &dyn World) -> Option<Vec<u8>> {
    match world.real(path) {
        Some(real) if world.info(&real).is_some_and(|i| i.kind == FileKind::Directory) => Some(real),
        Some(real) => Some(parent(&real).to_vec()),
        None if world.link(path) => None,
        None => world.real(parent(path)),
    }
}

/// The values of the options of the table; `None` if a word may be one of them and cannot be read.
fn scan<'a>(row: &Row, args: &'a [Arg]) -> Option<Vec<Named<'a>>> {
    let mut out = Vec::new();
    // An option may take the next word for its value.
    let mut after_option = false;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let Some(word) = arg.literal() else {
            if arg.may_be_option() {
                return None;
            }
            continue;
        };
        if word == b"--" {
            break;
        }
        let Some(name) = word.strip_prefix(b"-").filter(|n| !n.is_empty()) else {
            // The first word of tar may be a bundle of letters without a dash.
            if at == 1 && row.names.contains(&"tar") && word.contains(&b'C') {
                return None;
            }
            if row.before_operand && !after_option {
                break;
            }
            after_option = false;
            continue;
        };
        after_option = true;
        let long = name.strip_prefix(b"-");
        let (name, attached) = match name.iter().position(|b| *b == b'=') {
            Some(p) => (name.get(..p).unwrap_or_default(), name.get(p + 1..)),
            None => (name, None),
        };
        let bare = name.strip_prefix(b"-").unwrap_or(name);
        let is = |list: WordList| list.iter().any(|n| n == bare && (n.len() > 1 || long.is_none()));
        let (folder, file) = (is(row.folders), is(row.files));
        let value = match (folder || file, attached, long) {
            (true, Some(value), _) => Some(value),
            (true, None, _) => match args.get(at) {
                // The program would complain.
                None => break,
                Some(next) => {
                    at += 1;
                    after_option = false;
                    Some(next.literal().filter(|v| !v.starts_with(b"-") && !v.is_empty())?)
                }
            },
            // An abbreviation, as GNU's and others' option parsers take it.
            (false, _, Some(_))
                if row.folders.iter().chain(row.files.iter()).any(|n| n.starts_with(bare)) =>
            {
                return None;
            }
            (false, _, Some(_)) => None,
            (false, _, None) => match cluster(row, word.get(1..).unwrap_or_default())? {
                Some((folder, value)) => {
                    out.push(if folder { Named::Folder(value) } else { Named::File(value) });
                    None
                }
                None => None,
            },
        };
        match value {
            Some(value) if folder => out.push(Named::Folder(value)),
            Some(value) => out.push(Named::File(value)),
            None => {}
        }
    }
    Some(out)
}

/// `-Cdir` is an option with its value (`true` = a folder); a letter of the table later in a cluster is doubt.
fn cluster<'a>(row: &Row, letters: &'a [u8]) -> Option<Option<(bool, &'a [u8])>> {
    let listed = |list: WordList, letter: u8| list.iter().any(|n| n == [letter]);
    for (i, letter) in letters.iter().enumerate() {
        let folder = listed(row.folders, *letter);
        if folder || listed(row.files, *letter) {
            let rest = letters.get(i + 1..).unwrap_or_default();
            return if i == 0 && !rest.is_empty() { Some(Some((folder, rest))) } else { None };
        }
        if row.values.as_bytes().contains(letter) {
            break;
        }
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::FakeWorld;

    fn of(line: &str) -> String {
        let world = FakeWorld::new()
            .program("/p/x")
            .program("/p/sub/x")
            .program("/q/x")
            .link("/p/link", "/q")
            .link("/p/l.mk", "/q/x")
            .link("/p/me", "/proc/self/cwd");
        let words: Vec<Arg> = line
            .split(' ')
            .map(|w| match w.strip_prefix('$') {
                Some(_) => Arg::Dynamic { source: w.into(), prefix: Vec::new(), single: true },
                None => Arg::lit(w),
            })
            .collect();
        let name = words[0].literal().unwrap();
        match elsewhere(&[name], &words[1..], b"/p", &world) {
            None => "?".to_owned(),
            Some(all) => all.iter().map(|f| String::from_utf8_lossy(f)).collect::<Vec<_>>().join(" "),
        }
    }

    #[test]
    fn options_name_folders() {
        for (line, want) in [
            ("make", ""),
            ("make test -j4 V=1", ""),
            ("make -C ../q", "/q"),
            ("make -C../q", "/q"),
            ("make -C link", "/q"),
            ("make -C sub", "/p/sub"),
            ("make -kC ../q", "?"),
            ("make -kC../q", "?"),
            ("make -j4C", ""),
            ("make --directory ../q", "/q"),
            ("make --directory=../q", "/q"),
            ("make --direct=../q", "?"),
            ("make --dir ../q", "?"),
            ("make test -C ../q", "/q"),
            ("make -C sub -C ..", "/p/sub / /p"),
            ("make -C none", "?"),
            ("make -C me", "?"),
            ("make -C /proc/self/cwd", "?"),
            ("make -C $x", "?"),
            ("make $x", "?"),
            ("make -f ../q/m", "/q"),
            ("make -f l.mk", "/q"),
            ("make -f m", "/p"),
            ("make -f -", "?"),
            ("make --makefile=../q/m", "/q"),
            ("gmake-4.3 -C ../q", "/q"),
            ("make -- -C ../q", ""),
            ("git -C ../q status", "/q"),
            ("git -c a=b -C ../q status", "/q"),
            ("git --namespace a -C ../q status", "/q"),
            ("git --git-dir=../q status", "/q"),
            ("git --work-tree ../q status", "/q"),
            ("git log -C", ""),
            ("git commit -m $x", ""),
            ("git $x", "?"),
            ("npm test --prefix ../q", "/q"),
            ("npm --pre ../q test", "?"),
            ("npm test -C ../q", "/q"),
            ("npm --prefix -C ../q test", "?"),
            ("npm test -- --prefix ../q", ""),
            ("npm run build --production", ""),
            ("pnpm --dir ../q test", "/q"),
            ("yarn --cwd ../q test", "/q"),
            ("cargo build --manifest-path ../q/Cargo.toml", "/q"),
            ("cargo -C ../q build", "/q"),
            ("cargo run --release -- --manifest-path ../q/x", ""),
            ("go test -C ../q ./...", "/q"),
            ("go build -mod=mod -race ./...", ""),
            ("tar xf a -C ../q", "/q"),
            ("tar -xzf a --directory=../q", "/q"),
            ("tar Cxf ../q a", "?"),
            ("tar -czf a b", ""),
            ("docker compose --project-directory ../q up", "/q"),
            ("docker compose -f ../q/c.yml up", "/q"),
            ("docker compose logs -f", ""),
            ("terraform -chdir=../q plan", "/q"),
            ("mvn -f ../q/pom.xml test", "/q"),
            ("mvn -DskipTests test", ""),
            ("gradle -p ../q test", "/q"),
            ("gradle -Pp=1 test", ""),
            ("just -d ../q x", "/q"),
            ("just --working-directory ../q x", "/q"),
            ("task --dir ../q x", "/q"),
            ("poetry -C ../q run x", "/q"),
            ("uv --directory ../q run x", "/q"),
            ("uv --project ../q run x", "/q"),
            ("cat -C ../q", ""),
        ] {
            assert_eq!(of(line), want, "{line}");
        }
    }
}
