//! Every row fires on its example; the corpus of attacks hits, the corpus of ordinary use does not.
use super::*;
use crate::tables::hazards::PROGRAMS;
use serde_json::Value;

const ATTACKS: &str = include_str!("../../../../tests/corpus/attacks.jsonl");
const BENIGN: &str = include_str!("../../../../tests/corpus/benign.jsonl");

fn rows(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|l| serde_json::from_str(l).unwrap())
}

/// Ends the word that is being read.
fn end_word(
    words: &mut Vec<Arg>,
    word: &mut Option<Vec<u8>>,
    prefix: &mut Option<Vec<u8>>,
    single: &mut bool,
) {
    if let Some(w) = word.take() {
        words.push(match prefix.take() {
            Some(prefix) => Arg::Dynamic { source: w, prefix, single: *single },
            None => Arg::Literal(w),
        });
    }
    *single = true;
}

/// Simple commands of simple text: quotes, variables, globs; redirections are dropped. Enough for examples
/// and corpus rows, and for nothing else.
fn split(text: &str) -> Vec<Vec<Arg>> {
    let b = text.as_bytes();
    let mut commands = vec![Vec::new()];
    let (mut word, mut prefix, mut single) = (None::<Vec<u8>>, None::<Vec<u8>>, true);
    let mut i = 0;
    let mut quoted = false;
    while i < b.len() {
        let c = b[i];
        match c {
            b'\\' if i + 1 < b.len() => {
                i += 1;
                word.get_or_insert_default().push(b[i]);
            }
            b'\'' if !quoted => {
                let end = b[i + 1..].iter().position(|c| *c == b'\'').unwrap() + i + 1;
                word.get_or_insert_default().extend(&b[i + 1..end]);
                i = end;
            }
            b'$' if !quoted && b.get(i + 1) == Some(&b'\'') => {}
            b'"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            b'$' => {
                let w = word.get_or_insert_default();
                prefix.get_or_insert_with(|| w.clone());
                single &= quoted;
                w.push(c);
            }
            b'*' | b'?' if !quoted => {
                let w = word.get_or_insert_default();
                prefix.get_or_insert_with(|| w.clone());
                single = false;
                w.push(c);
            }
            b' ' | b'\t' if !quoted => {
                end_word(commands.last_mut().unwrap(), &mut word, &mut prefix, &mut single);
            }
            b';' | b'|' | b'&' | b'\n' if !quoted => {
                end_word(commands.last_mut().unwrap(), &mut word, &mut prefix, &mut single);
                commands.push(Vec::new());
            }
            _ => word.get_or_insert_default().push(c),
        }
        i += 1;
    }
    end_word(commands.last_mut().unwrap(), &mut word, &mut prefix, &mut single);
    commands.retain(|c| !c.is_empty());
    commands
}

/// Hits of one simple command, its name found by nobody.
fn of_command(words: &[Arg]) -> Vec<HazardHit> {
    let skip = words.iter().take_while(|w| is_assignment(w.shown())).count();
    let Some(name) = words.get(skip).and_then(Arg::literal) else {
        return Vec::new();
    };
    let last = name.rsplit(|b| *b == b'/').next().unwrap_or(name);
    hazards(&[last], &words[skip + 1..])
}

fn is_assignment(word: &[u8]) -> bool {
    word.iter()
        .position(|b| *b == b'=')
        .is_some_and(|eq| eq > 0 && word[..eq].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_'))
}

fn sure(hits: Vec<HazardHit>) -> Vec<HazardHit> {
    hits.into_iter().filter(|h| !h.dynamic).collect()
}

#[test]
fn every_row_fires_on_its_example() {
    let mut bad = Vec::new();
    for program in PROGRAMS.iter().flat_map(|f| f.iter()) {
        let subs = program.subs.iter().flat_map(|s| s.rows.iter().map(move |r| (Some(s), r)));
        for (sub, row) in program.rows.iter().map(|r| (None, r)).chain(subs) {
            assert!(!row.why.is_empty() && !row.source.is_empty(), "{:?}", program.names);
            for name in program.names {
                // A sub-command's example begins with one of its names.
                let lines = match sub {
                    None => vec![row.example.to_string()],
                    Some(sub) => {
                        let tail = match row.example.split_once(' ') {
                            Some((first, tail)) if sub.names.contains(&first) => format!(" {tail}"),
                            None if sub.names.contains(&row.example) => String::new(),
                            _ => format!(" {}", row.example),
                        };
                        sub.names.iter().map(|n| format!("{n}{tail}")).collect()
                    }
                };
                for line in lines {
                    let words = split(&line.replace(';', "\\;")).pop().unwrap_or_default();
                    let hits = hazards(&[name.as_bytes()], &words);
                    let fires = |h: &HazardHit| h.why == row.why && h.category == row.category && !h.dynamic;
                    if !hits.iter().any(fires) {
                        bad.push(format!("{name} {line}: {}", row.why));
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{} rows do not fire:\n{}", bad.len(), bad.join("\n"));
}

#[test]
fn a_toolchain_in_front_hides_nothing() {
    let mut seen = 0;
    for program in PROGRAMS.iter().flat_map(|f| f.iter()) {
        for (name, row) in program.names.iter().flat_map(|n| program.rows.iter().map(move |r| (n, r))) {
            if !RUST.contains(name) || row.example.starts_with('+') {
                continue;
            }
            let words = split(&format!("+nightly {}", row.example)).pop().unwrap();
            let hits = hazards(&[name.as_bytes()], &words);
            assert!(hits.iter().any(|h| h.why == row.why && !h.dynamic), "{name} +nightly {}", row.example);
            let known = |h: &HazardHit| h.at.is_none_or(|at| at > 0 && at < words.len());
            assert!(hits.iter().all(known), "{name} +nightly {}: {hits:?}", row.example);
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
    for line in
        ["cargo +nightly build --release", "cargo +1.89 clippy -- -D warnings", "rustc +stable --version"]
    {
        assert!(of_command(&split(line).pop().unwrap()).is_empty(), "{line}");
    }
}

/// What a wrapper carries is judged by the wrapper rule, not here.
const CARRIERS: &[&str] = &[
    "-exec",
    "-execdir",
    "-ok",
    "fd",
    "strace",
    "tmux",
    "systemd-run",
    "parallel",
    "kubectl",
    "npx",
    "bash",
    "sh",
];

#[test]
fn deep_attacks_hit() {
    let (mut all, mut missed) = (0, Vec::new());
    for row in rows(ATTACKS) {
        let class = row["class"].as_str().unwrap();
        // Planted files are the evaluator's to see.
        if row["tier"] != "deep" || class == "state-toctou" || class == "shell-interpreter" {
            continue;
        }
        let commands = match row["command"].as_str() {
            Some(text) => split(text),
            None => {
                vec![row["argv"].as_array().unwrap().iter().map(|w| Arg::lit(w.as_str().unwrap())).collect()]
            }
        };
        let carried = |w: &Arg| CARRIERS.iter().any(|c| c.as_bytes() == w.shown());
        if commands.iter().flatten().any(carried) {
            continue;
        }
        all += 1;
        if sure(commands.iter().flat_map(|c| of_command(c)).collect()).is_empty() {
            missed.push(format!("{}: {}", row["id"], row["command"]));
        }
    }
    println!("{} of {all} missed:\n{}", missed.len(), missed.join("\n"));
    assert!(all > 80 && missed.len() * 10 <= all, "{} of {all} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn ordinary_use_does_not() {
    let mut bad = Vec::new();
    for row in rows(BENIGN) {
        let only_allow = row["acceptable"].as_array().unwrap().iter().all(|v| v == "allow");
        let may = row["acceptable_checked"].as_array().unwrap().iter().any(|v| v == "allow");
        for segment in row["segments"].as_array().unwrap() {
            let words: Vec<Arg> = segment
                .as_array()
                .unwrap()
                .iter()
                .map(|w| match w.as_str() {
                    Some(w) => Arg::lit(w),
                    None => Arg::Dynamic { source: b"$x".to_vec(), prefix: Vec::new(), single: true },
                })
                .collect();
            let hits = sure(of_command(&words));
            // `sed -i` is the one hazard that people may also let pass.
            let in_place = words.first().and_then(Arg::literal) == Some(b"sed");
            if !hits.is_empty() && (only_allow || (may && !in_place)) {
                bad.push(format!("{}: {segment}: {}", row["id"], hits[0].why));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn a_value_may_be_an_option() {
    for line in [
        "git ls-remote -b --upload-pack=./evil .",
        "git ls-remote -b --exec=./evil .",
        "git ls-remote -b ext::./evil",
        "git ls-remote --branch ext::./evil",
        "git fetch --t ext::./evil",
        "git push --de ext::./evil",
        "git fetch -o --upload-pack=./evil .",
        "git pull -- --upload-pack=./evil .",
        "git pull . -- -u --upload-pack=./evil",
        "git pull . -- --upl ./evil",
        "git bisect view difftool -y -x ./evil",
        "git bisect visualize ls-remote --upload-pack=./evil .",
        "git bisect view --output=out",
        "git bisect view -p --output=out",
        "git log -1 --format=%B --decorate --output=out",
        "git show --word-diff --output out",
        "git reflog --word-diff --output=out",
        "git range-diff a b --word-diff --output=out",
        "git diff-tree --word-diff --output=out HEAD",
        "git shortlog -n --output=out HEAD",
        "git log --format --output=out",
        "git log -n --decorate --output=out",
        "rg --engine --pre=./evil x f",
        "cargo package -p --config=evil.toml",
        "npm test --tag --script-shell=./evil",
        "git config alias.z$x '!./evil'",
        "git config core.fsmonitor$x ./evil",
        "git config core.abbrev$x ./evil",
        "git -c alias.z$x='!./evil' z",
        // Any name of a setting.
        "git config $x y",
    ] {
        let words = split(line).pop().unwrap();
        assert!(!sure(of_command(&words)).is_empty(), "{line}");
    }
    for line in [
        "git ls-remote -b $x .",
        "git log --decorate $x",
        "git log --word-diff $x",
        "git shortlog -n $x",
        "git pull -- $x",
    ] {
        let hits = of_command(&split(line).pop().unwrap());
        assert!(!hits.is_empty() && hits.iter().all(|h| h.dynamic), "{line}: {hits:?}");
    }
}

#[test]
fn what_git_joins_to_a_name_and_what_it_writes() {
    let mut bad = Vec::new();
    for line in [
        "git cherry-pick --strategy=../evil o",
        "git cherry-pick --strategy ../evil o",
        "git revert --strat=evil o",
        "git rebase -s ../evil o",
        "git rebase -s../evil o",
        "git merge -s evil o",
        "git merge -s \"$x\" o",
        "git pull --strategy=../evil . o",
        "git pull -s ../evil . o",
        "git init-db --template=t zz",
        "git init-db --tem=t zz",
        "git stage --edit x",
        "git submodule--helper foreach ./evil",
        "git subtree add -P x ext::./evil main",
        "git annotate --contents secret a.txt",
        "git bugreport -o out",
        "git diagnose --output-directory=out",
        "git mailinfo out out2",
        "git mailsplit -oout",
        "git merge-file f base other",
        "git fast-import --allow-unsafe-features",
        "git pack-objects out",
        "git repack -a --filter=blob:none --filter-to=out",
        "git format-patch -o x/../.. HEAD~1",
        "git format-patch -o .git/hooks HEAD~1",
        "git --work-tree=x checkout y",
        "git -c 'rebase.instructionFormat=%s%nexec ./evil' rebase --force-rebase HEAD~1",
        "git config rebase.instructionFormat '%s%nexec ./evil'",
        "git config core.commentString 'exec ./evil #'",
    ] {
        if !split(line).iter().any(|c| !sure(of_command(c)).is_empty()) {
            bad.push(line);
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// An option in front of the sub-command that no table knows may take the next word.
#[test]
fn an_unknown_option_in_front_hides_no_sub_command() {
    for line in [
        "git --shallow-file log grep -O./evil x",
        "git --shallow-file status -c alias.z=!./evil z",
        "git --made-up log grep -O./evil x",
        "git --made-up log --oneline grep -O./evil x",
        "docker --made-up ps run -v /:/x alpine",
    ] {
        assert!(!sure(of_command(&split(line).pop().unwrap())).is_empty(), "{line}");
    }
    for line in [
        "git --no-pager log --oneline x",
        "git --made-up=log status",
        "git -P diff --stat",
        "npm --silent run build",
    ] {
        assert!(of_command(&split(line).pop().unwrap()).is_empty(), "{line}");
    }
}

/// npm's own script `env` runs what stands behind it, wherever options and their values leave it.
#[test]
fn npm_runs_env_behind_whatever_may_be_a_value() {
    for line in [
        "npm run env ./evil",
        "npm run -s env",
        "npm -s run env ./evil",
        "npm run -- env ./evil",
        "npm run --color always env ./evil",
        "npm run --yes false env ./evil",
        "npm run --searchlimit 5 env ./evil",
        "npm run --heading x env ./evil",
        "npm --heading x run --made-up env ./evil",
        "npm run ${NOPE}env ./evil",
        "npm run \"e$NOPE\"nv ./evil",
        "npm run e?v ./evil",
        "npm run $x env ./evil",
        "npm rum --if-present --silent env ./evil",
    ] {
        assert!(!sure(of_command(&split(line).pop().unwrap())).is_empty(), "{line}");
    }
    for line in [
        "npm run build env",
        "npm run --silent build",
        "npm run test:env",
        "npm run $x-env",
        "npm run environment",
        "npm run \"$x\"",
        "npm run lint:$x",
        "npm test env",
        "npm ci run env",
    ] {
        assert!(sure(of_command(&split(line).pop().unwrap())).is_empty(), "{line}");
    }
}

#[test]
fn more_ordinary_use() {
    let mut bad = Vec::new();
    for line in ORDINARY.lines() {
        for command in split(line) {
            for hit in sure(of_command(&command)) {
                bad.push(format!("{line}: {}", hit.why));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Each line must be free of hazards.
const ORDINARY: &str = r#"git -c color.ui=always log --oneline
git -c core.pager=cat log -p -3
git --no-pager diff --stat HEAD~3
git -c user.name=x -c user.email=y commit -m msg
git -c core.editor=true rebase --continue
git -c advice.detachedHead=false checkout v1
git --git-dir=.git --work-tree=. status
git push -u origin main
git push --force-with-lease origin HEAD:refs/heads/x
git clone --depth 1 https://example.org/x.git dir
git clone -b main git@github.com:a/b.git
git fetch --all --prune
git remote add upstream https://example.org/x
git config user.name x
git config --global init.defaultBranch main
git config --list --show-origin
git config core.pager
git config --unset core.pager
git log --format=%H -S foo -G bar -- src
git diff -U5 --word-diff -O orderfile
git show HEAD:src/main.rs
git grep -e foo --or -e bar
git grep -n -f patterns
git rebase -i HEAD~3 --autosquash
git rebase --onto main a b
git stash push -m wip
git worktree add ../x main
git submodule update --init --recursive
git archive --format=tar HEAD
git apply -p1 x.patch
git log --decorate --oneline --graph
git log --word-diff -p -n 3
git log -n -1 --format=%B
git log -S -x -- a
git shortlog -sn HEAD
git ls-remote -b origin
git ls-remote --heads origin main
git pull --rebase -- origin main
git bisect view
git bisect view --stat -p
git bisect visualize --oneline
git config log.$x yes
git config --unset alias.$x
date -d '-2 hours'
git bisect start
git branch -d x
git merge --no-ff -s ort -X theirs feature/x
git pull -s recursive origin main
git cherry-pick -s -x HEAD~2
git revert --no-edit HEAD
git rebase --strategy=ort -X ours main
git merge-file -p a b c
git format-patch -o out HEAD~3
git gc --prune=now
git stage a
find . -name -delete -o -path ./x -prune
find . -type f -printf '%p\n'
find . -fprint /dev/stderr
find . -newermt 2024-01-01 -size +1M
tar czf out.tgz dir
tar -xzf a.tgz -C dir --strip-components=1
tar tvf a.tar
tar --exclude=node_modules -cf a.tar .
tar xf a.tar --to-stdout
tar -I zstd -cf a.tar.zst dir
zip -qr a.zip dir -x '*.o'
unzip -q a.zip -d dir
rsync -avz -e ssh a/ h:b
ssh -o StrictHostKeyChecking=no -o ConnectTimeout=5 h ls -F
ssh h grep -F x -R y
scp -r -P 22 a h:b
curl -s https://example.org
curl -sSfL -o /dev/null -w '%{http_code}' https://example.org
curl -X POST -H 'Content-Type: application/json' -d '{"a":"b@c"}' http://localhost:3000
curl -d @- http://localhost
curl -F name=value http://localhost
curl --data-urlencode q=a@b http://localhost
curl -u user:pass -b a=b -A agent -I https://example.org
wget -q https://example.org/x
wget -qO- https://example.org/x
wget -nc -nv https://example.org/x
sed -n 1,5p a
sed -e s/a/b/ -e s/c/d/ a
sed -E 's/^([a-z]+)=(.*)$/\1/' a
sed '/^$/d;s/x/y/g' a
sed -n '/a/,/b/{/x/!p}' a
awk -F: '$3 > 1000 {print $1}' /etc/passwd
awk -v x=1 'BEGIN{print x/2}'
awk '{s+=$1} END {print s/NR}'
awk 'NR>1 && $2 ~ /a|b/ {printf "%s\n", $1}'
sort -t: -k3 -n
sort -u -o - a
shuf -n 5 a
split -l 100 a
xxd a
xxd a -
uniq a
uniq -c a -
uniq - -
dd if=a of=/dev/null bs=1M
rg -n --pre-glob x y
rg -e a -e b -g '!x' src
vim +12 a
vim a
vim '+/foo' a
less -R a
less +F a
less +G a
less -p pattern a
man ls
man 3 printf
python3 x.py -c y
python3 -m pytest -q -p no:cacheprovider
python3 -m venv .venv
python3 -m pip install -r requirements.txt
python3 -m json.tool a
python3 --version
python3 -W error x.py
node x.js -e y
node --test
node --version
node --max-old-space-size=4096 x.js
perl x.pl -e y
ruby x.rb
php -v
php -d memory_limit=-1 x.php
java -jar x.jar -javaagent:y
java -cp a:b Main
make -j8 -C sub all
make CC=clang CFLAGS=-O2
make -s -k test V=1
npm run build -- --config x
npm ci
npm install --save-dev x
npm config get registry
npm --prefix frontend test
npm version patch
yarn add x
pnpm -r build
cargo +nightly fmt
cargo test --manifest-path x/Cargo.toml -- -c
cargo build --release --features a,b
cargo --config net.git-fetch-with-cli=true build
go build -o bin/x ./cmd/x
go test -race -run X -count=1 ./...
go env GOPATH
pip install -U x
pip install -r requirements.txt -e .
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -GNinja
cmake --build build -j 8
cmake -E make_directory x
eslint . --fix --ext .ts
prettier --write .
prettier -c .
jest -t 'a b' --coverage
vitest run
mocha --timeout 5000
tsc --noEmit -p .
rollup -c
vite build
pytest -k 'a and b' -x -n 4 --maxfail=1
mypy src --strict
pylint src
gcc -O2 -Wall -Iinclude -o x a.c -lm
gcc -Wl,-rpath,/x a.o
docker ps -a
docker run --rm -v /home/me/app:/app -w /app -e A=b -p 80:80 node:20 npm test -v /:/x
docker build -t x -f Dockerfile .
docker compose up -d
kubectl get pods -n x -o json
kubectl logs -f pod/x -c y
terraform plan -out=x
psql -c 'select 1'
psql -l
mysql -e 'select 1'
sqlite3 a.db .tables
sqlite3 a.db 'select * from t'
sqlite3 -json a.db .schema
redis-cli get x
gh pr view 1 --json title
gh api repos/a/b --jq .x
gh repo clone a/b
aws s3 ls
openssl version
openssl x509 -in a.pem -noout -text
gpg --verify a.sig a
apt-get install -y x
apt-get -o Dpkg::Options::=--force-confold install x
ffmpeg -i a.mp4 b.webm
convert a.png b.jpg
gdb -batch -ex bt -p 123
date +%s
date -d yesterday
file a
ip addr
journalctl -u x -n 50
systemctl status x
patch -p1 -i x.diff
tmux ls"#;

#[test]
fn a_dynamic_word_is_said_to_be_one() {
    let dynamic = |prefix: &str| Arg::Dynamic {
        source: b"$x".to_vec(),
        prefix: prefix.as_bytes().to_vec(),
        single: true,
    };
    for (name, args) in [
        ("git", vec![dynamic("")]),
        ("git", vec![Arg::lit("log"), dynamic("")]),
        ("tar", vec![Arg::lit("cf"), Arg::lit("a"), dynamic("")]),
        ("sed", vec![dynamic("s/a/")]),
        ("awk", vec![dynamic("")]),
        ("curl", vec![Arg::lit("-d"), dynamic("")]),
        ("vim", vec![dynamic("+")]),
    ] {
        let hits = hazards(&[name.as_bytes()], &args);
        assert!(!hits.is_empty() && hits.iter().all(|h| h.dynamic), "{name} {args:?}: {hits:?}");
    }
    // What is certain already is no question of run time.
    for (name, args) in [
        ("curl", vec![Arg::lit("-o"), dynamic("")]),
        ("curl", vec![dynamic("file://")]),
        ("curl", vec![dynamic("--output=")]),
        ("git", vec![Arg::lit("push"), dynamic("--receive-pack=")]),
        ("git", vec![Arg::lit("-c"), dynamic("core.pager=")]),
        ("ssh", vec![Arg::lit("-o"), dynamic("ProxyCommand=")]),
    ] {
        assert!(!sure(hazards(&[name.as_bytes()], &args)).is_empty(), "{name} {args:?}");
    }
    // A word that is certainly no option, or stands behind `--`.
    for (name, args) in [
        ("git", vec![Arg::lit("checkout"), Arg::lit("--"), dynamic("")]),
        ("make", vec![dynamic("x/")]),
        ("cat", vec![dynamic("")]),
    ] {
        assert_eq!(hazards(&[name.as_bytes()], &args), [], "{name} {args:?}");
    }
}

#[test]
fn names_are_read_without_versions() {
    for name in ["python3.11", "python3", "python", "pypy3", "python.exe"] {
        let hits = hazards(&[name.as_bytes()], &[Arg::lit("-c"), Arg::lit("x")]);
        assert_eq!(hits.first().map(|h| h.category), Some(Category::InlineCode), "{name}");
    }
    for name in ["gcc-12", "x86_64-linux-gnu-gcc-13", "clang++-15"] {
        assert!(!hazards(&[name.as_bytes()], &[Arg::lit("-fplugin=x")]).is_empty(), "{name}");
    }
    assert!(!hazards(&[b"vim.basic"], &[Arg::lit("-c"), Arg::lit("!x")]).is_empty());
    assert!(!hazards(&[b"editor", b"editor", b"vim.basic"], &[Arg::lit("-c"), Arg::lit("!x")]).is_empty());
    assert!(hazards(&[b"mygit"], &[Arg::lit("-c"), Arg::lit("alias.x=!y")]).is_empty());
}

#[test]
fn the_place_is_that_of_the_word() {
    let words = split("push --force --receive-pack=x origin").pop().unwrap();
    assert_eq!(hazards(&[b"git"], &words)[0].at, Some(2));
    let words = split("-s http://x -o y").pop().unwrap();
    assert_eq!(hazards(&[b"curl"], &words)[0].at, Some(2));
}

#[test]
fn a_program_is_found_by_the_beginning_of_any_name() {
    for program in PROGRAMS.iter().flat_map(|f| f.iter()) {
        for name in program.names {
            let mut places = table::places(name.as_bytes());
            assert!(places.any(|p| table::at(p).is_some_and(|p| p.names == program.names)), "{name}");
        }
    }
}

#[test]
fn npm_takes_any_number_of_dashes() {
    for line in [
        "test -script-shell=./x",
        "test ---script-shell=./x",
        "test -script-shell ./x",
        "test -scr=./x",
        "test --config.scriptShell=./x",
        "test --tag --script-shell=./x",
        "--scope --node-options=--require=./x test",
        "run --log -userconfig=./x y",
        "install -registry=https://x y",
    ] {
        assert!(!sure(hazards(&[b"npm"], &split(line)[0])).is_empty(), "{line}");
    }
    let dynamic = Arg::Dynamic {
        source: b"-script-shell=$PWD/x".to_vec(),
        prefix: b"-script-shell=".to_vec(),
        single: false,
    };
    assert!(!sure(hazards(&[b"npm"], &[Arg::lit("test"), dynamic])).is_empty());
    for line in [
        "test -s",
        "install -g x",
        "install --save-dev x",
        "install -D x",
        "run build --workspace=a --if-present",
        "version patch --no-git-tag-version",
        "ci --ignore-scripts --no-audit",
        "run x -- -script-shell=./x --browser",
        "test --silent --loglevel=error",
        "-w a test",
    ] {
        assert_eq!(hazards(&[b"npm"], &split(line)[0]), [], "{line}");
    }
}

#[test]
fn a_variable_hides_nothing_of_a_script() {
    let word = |source: &str| {
        let literal = |s: &str| Arg::lit(s.trim_matches('\''));
        let open = source.contains('$') && !source.starts_with('\'');
        let known = source.split('$').next().unwrap_or_default().trim_start_matches('"');
        let dynamic = || Arg::Dynamic {
            source: source.into(),
            prefix: known.replace('\\', "").into(),
            single: source.starts_with('"') || source.starts_with("-e"),
        };
        if open { dynamic() } else { literal(source) }
    };
    for (name, words) in [
        ("sed", vec!["-e", r#""s|$HOME|x|""#, "-e", "'1e./evil'", "f"]),
        ("sed", vec!["-e", "'1e./evil'", "-e", r#""s|$HOME|x|""#, "f"]),
        ("sed", vec![r#""1${y}e./evil""#, "f"]),
        ("sed", vec!["1${y}e./evil", "f"]),
        ("sed", vec![r#""$((1))e./evil""#, "f"]),
        ("sed", vec![r#""1${y}wout""#, "f"]),
        ("sed", vec![r#""${y:-1e./evil}""#, "f"]),
        ("sed", vec![r#""s/$a/$b/e""#, "f"]),
        ("sed", vec![r#""s/$a/$b/gw out""#, "f"]),
        ("sed", vec![r#""${y}x/e""#, "f"]),
        ("sed", vec![r#""$(echo ")")e./evil""#, "f"]),
        ("sed", vec!["$y", "'1e./evil'", "f"]),
        ("sed", vec![r#"-e"$y;e./evil""#, "f"]),
        ("awk", vec![r#""BEGIN{system(\"./evil\")}$x""#]),
        ("awk", vec![r#""BEGIN{sys${y}tem(\"./evil\")}""#]),
        ("awk", vec![r#""{print \$1 | \"$cmd\"}""#]),
        ("awk", vec![r#""{print $x > \"out\"}""#]),
        ("awk", vec!["$y", "'BEGIN{system(\"./evil\")}'"]),
    ] {
        let args: Vec<Arg> = words.iter().map(|w| word(w)).collect();
        assert!(!sure(hazards(&[name.as_bytes()], &args)).is_empty(), "{name} {words:?}");
    }
    for (name, words) in [
        ("sed", vec![r#""s|$HOME|x|g""#, "f"]),
        ("sed", vec!["-n", r#""${n}p""#, "f"]),
        ("sed", vec!["-n", r#""${a},${b}p""#, "f"]),
        ("sed", vec!["-n", r#""$a,\$p""#, "words.txt"]),
        ("sed", vec!["-n", r#""$((a + 1)),$((b))p""#, "f"]),
        ("sed", vec!["-e", r#""s/$a/$b/""#, "-e", "'s/x/y/'", "f"]),
        ("sed", vec![r#""s#^#$(basename "$f"): #""#]),
        ("sed", vec![r#""/$a/,/$b/d""#, "f"]),
        ("sed", vec![r#""s|^$PWD/||""#, "extra.txt"]),
        ("sed", vec![r#""$x""#, "extra.txt"]),
        ("sed", vec![r#""${n}q;d""#, "f"]),
        ("sed", vec![r#""/$x/!d;s/e/w/""#, "f"]),
        ("awk", vec!["-v", r#"x="$y""#, "'{print x}'"]),
        ("awk", vec![r#""{print \$$n}""#, "f"]),
        ("awk", vec![r#""NR==$n""#, "f"]),
        ("awk", vec![r#""/$x/ {print \"a|b\"}""#, "f"]),
        ("awk", vec![r#""\$1 > $n""#, "f"]),
        ("awk", vec![r#""BEGIN{print $a/$b}""#]),
    ] {
        let args: Vec<Arg> = words.iter().map(|w| word(w)).collect();
        let hits = sure(hazards(&[name.as_bytes()], &args));
        assert_eq!(hits, [], "{name} {words:?}");
    }
}

#[test]
fn each_runner_reads_dashes_in_its_own_way() {
    for (name, line) in [
        ("pnpm", "install --pnpmfile=./x"),
        ("pnpm", "-pnpmfile=./x install"),
        ("pnpx", "---script-shell=./x y"),
        ("npx", "-script-shell=./x y"),
        ("yarn", "node ./x.js"),
        ("yarn", "run node ./x.js"),
        ("yarn", "workspace a exec ./x"),
        ("yarn", "workspaces foreach -A exec ./x"),
        ("yarn", "policies set-version ./x"),
        ("yarnpkg", "run --require ./x jest"),
        ("bun", "run -r ./x.ts test"),
        ("bun", "-r ./x.ts run test"),
        ("bun", "run --cwd a -r ./x.ts test"),
        ("bun", "run --preload=./x.ts test"),
        ("bunx", "-r ./x.ts tsc"),
        ("uv", "run -p ./x y"),
        ("uv", "run --python=/tmp/x y"),
        ("uv", "tool run --python ./x y"),
        ("uv", "venv -p./x"),
        ("uv", "run --project /tmp/x y"),
        ("uv", "--directory /tmp/x run y"),
        ("uvx", "-p ./x y"),
    ] {
        assert!(!sure(hazards(&[name.as_bytes()], &split(line)[0])).is_empty(), "{name} {line}");
    }
    for (name, line) in [
        ("pnpm", "exec tsc -p tsconfig.json"),
        ("npx", "tsc -p a/tsconfig.json"),
        ("yarn", "run test --watch"),
        ("yarn", "workspace a run build"),
        ("yarn", "workspaces info"),
        ("bun", "run test -r dot"),
        ("bun", "test --bail"),
        ("bunx", "mocha -r dot"),
        ("uv", "run -p 3.12 y"),
        ("uv", "run mkdir -p a/b"),
        ("uv", "run pytest --project a/b"),
        ("uv", "tool run ruff -p a/b"),
        ("uv", "venv --python /usr/bin/python3.12"),
        ("uv", "run --with a pytest -p no:x"),
        ("uvx", "--from a b -p c/d"),
    ] {
        assert_eq!(hazards(&[name.as_bytes()], &split(line)[0]), [], "{name} {line}");
    }
}

#[test]
fn what_can_only_be_a_pattern_is_no_option() {
    for (name, line) in [
        ("rg", "-e --pre src"),
        ("rg", "-ne --pre=./x src"),
        ("rg", "--regexp --pre src"),
        ("git", "grep -e --open-files-in-pager src"),
        ("git", "grep -n -e -O src"),
    ] {
        assert_eq!(hazards(&[name.as_bytes()], &split(line)[0]), [], "{name} {line}");
    }
    for (name, line) in [
        ("rg", "-e x --pre ./y"),
        ("rg", "-e --pre --pre ./y"),
        ("rg", "-ex --pre ./y"),
        ("rg", "-re --pre=./y"),
        ("rg", "--engine --pre=./y"),
        ("git", "grep -e x -O./y"),
        ("git", "grep -O -e x"),
    ] {
        assert!(!sure(hazards(&[name.as_bytes()], &split(line)[0])).is_empty(), "{name} {line}");
    }
}

#[test]
fn what_builds_and_checks_run_besides() {
    for (name, line) in [
        ("make", "'SHELL =./x'"),
        ("cmake", "-DCMAKE_C_CLANG_TIDY=/tmp/x -B b ."),
        ("cmake", "-DCMAKE_C_COMPILE_OBJECT=/tmp/x ."),
        ("cmake", "-DCMAKE_USER_MAKE_RULES_OVERRIDE=x.cmake ."),
        ("cmake", "--build b -- --makefile=../x.mk"),
        ("cmake", "--build b -- --file=../x.mk"),
        ("cmake", "--build b -- -C ../x"),
        ("ctest", "-T Build --overwrite MakeCommand=/tmp/x"),
        ("ctest", "--output-junit x"),
        ("python3", "-m pytest -p evil"),
        ("python3.12", "-W error -Im pytest -p evil"),
        ("python", "-mmypy --python-exec ./x m.py"),
        ("mypy", "--python-exec ./x m.py"),
        ("mypy", "@opts"),
        ("mypy", "--config-f x.ini m.py"),
        ("mypy", "--txt-report x m.py"),
        ("pylint", "--init-h=x a.py"),
        ("rustc", "-L . u.rs"),
        ("rustc", "-Clink-arg=@x u.rs"),
        ("rustdoc", "--test --test-runtool ./x f.rs"),
        ("cargo", "rustc --bin c -- -Clink-arg=-wrapper -Clink-arg=/tmp/x"),
        ("cargo", "rustdoc --lib -- --test --test-runtool /tmp/x"),
        ("cargo", "clippy -- --sysroot x"),
        ("pytest", "--debug=x"),
        ("pytest", "-o log_file=x"),
        ("mawk", "-We p.awk"),
        ("awk", "-W ex p.awk"),
        ("mawk", "-W interactive,exec p.awk"),
        ("gawk", "-W load=./x.so 1"),
        ("xxd", "-r -ps hex out"),
        ("xxd", "-bits f out"),
        ("xxd", "-c 8 f out"),
    ] {
        assert!(!sure(hazards(&[name.as_bytes()], &split(line)[0])).is_empty(), "{name} {line}");
    }
    for (name, line) in [
        ("make", "'PREFIX = /usr' all"),
        ("cmake", "-DCMAKE_ARCHIVE_OUTPUT_DIRECTORY=b ."),
        ("cmake", "-DCMAKE_CXX_CLANG_TIDY=clang-tidy ."),
        ("cmake", "--build b --target all --config Release --parallel 4"),
        ("cmake", "--build b -- -j4 -k"),
        ("ctest", "--test-dir b --output-on-failure -j4"),
        ("python3", "-m pytest -q -p no:cacheprovider"),
        ("python3", "-m json.tool"),
        ("python3", "x.py -m pytest -p evil"),
        ("mypy", "--strict --pretty src"),
        ("mypy", "--python-version 3.12 src"),
        ("pylint", "--disable=all --output-format=text src"),
        ("isort", "--profile black --check-only ."),
        ("cargo", "clippy -- -D warnings -W clippy::pedantic"),
        ("cargo", "rustc -- -C opt-level=3 -Clink-arg=-fuse-ld=lld"),
        ("pytest", "--debug"),
        ("pytest", "-o junit_family=xunit2"),
        ("awk", "-W version"),
        ("xxd", "-ps f"),
        ("xxd", "-l 16 -s 4 f"),
        ("xxd", "-cols 8 -len 4 f"),
    ] {
        assert_eq!(hazards(&[name.as_bytes()], &split(line)[0]), [], "{name} {line}");
    }
}

#[test]
fn a_word_that_may_be_none_hides_nothing() {
    let word = |w: &str| match w.starts_with('$') {
        true => Arg::Dynamic { source: w.into(), prefix: Vec::new(), single: false },
        false => Arg::lit(w.replace('_', " ")),
    };
    for (name, line) in [
        ("git", "config $x alias.z !./evil"),
        ("git", "config --add $x alias.z !./evil"),
        ("git", "config $x user.name"),
        ("sed", "-e $x 1e_./evil f"),
        ("sed", "-n --expression $x 1e_./evil f"),
        ("git", "bisect $x run ./evil"),
        ("xxd", "-r $x hex out"),
    ] {
        let args: Vec<Arg> = line.split(' ').map(word).collect();
        assert!(!sure(hazards(&[name.as_bytes()], &args)).is_empty(), "{name} {line}");
    }
    for (name, line) in [
        ("python3", "$x"),
        ("node", "$x"),
        ("git", "log $x --oneline"),
        ("sed", "-n $x 5p f"),
        ("find", "$x -name y"),
    ] {
        let args: Vec<Arg> = line.split(' ').map(word).collect();
        assert_eq!(sure(hazards(&[name.as_bytes()], &args)), [], "{name} {line}");
    }
}

#[test]
fn lists_of_the_table_are_separated_by_single_blanks() {
    fn lists(when: &When, out: &mut Vec<&'static str>) {
        match when {
            When::Opt(names) | When::Val(names, _) | When::Bare(names) | When::Without(names) => {
                out.push(names)
            }
            When::All(all) => all.iter().for_each(|when| lists(when, out)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    for program in PROGRAMS.iter().copied().flatten() {
        all.push(program.opts.long);
        program.rows.iter().for_each(|row| lists(&row.when, &mut all));
        for sub in program.subs {
            all.push(sub.opts.long);
            sub.rows.iter().for_each(|row| lists(&row.when, &mut all));
        }
    }
    assert!(all.len() > 500, "{}", all.len());
    for list in all {
        let words: Vec<&[u8]> = list.split_ascii_whitespace().map(str::as_bytes).collect();
        assert_eq!(words, super::words(list).collect::<Vec<_>>(), "{list:?}");
    }
}
