//! What is written below a folder: the guard's own, a repository's, and all others.
use super::*;
use crate::world::FakeWorld;

/// Words with `*`, `?`, `[` or `$` in them, or a tilde in front, are the shell's.
fn words(line: &str) -> Vec<Arg> {
    let word = |w: &str| match w.starts_with('~') || w.contains(['*', '?', '[', '$', '{']) {
        true => {
            let end = w.find(['*', '?', '[', '$', '~', '{']).unwrap_or_default();
            Arg::Dynamic { source: w.into(), prefix: w[..end].into(), single: false }
        }
        false => Arg::lit(w),
    };
    line.split(' ').map(word).collect()
}

fn with<T>(cwd: &str, line: &str, f: impl FnOnce(&[&[u8]], &[Arg], &Scene) -> Option<T>) -> bool {
    let guard = Guard { own_paths: vec![b"/home/u/.exec-guard".to_vec(), b"/etc/exec-guard".to_vec()] };
    let world = FakeWorld::new()
        .program("/home/u/p/.git/HEAD")
        .program("/home/d/.git/HEAD")
        .program("/home/u/bare/HEAD")
        .program("/home/u/bare/objects/x");
    let words = words(line);
    let cwd = (cwd != "?").then_some(cwd.as_bytes());
    let scene = Scene {
        cwd,
        begun: cwd,
        home: Some(b"/home/u"),
        guard: &guard,
        world: &world,
        looked: &Cell::new(0),
    };
    f(&[words[0].literal().unwrap()], &words[1..], &scene).is_some()
}

fn asks(cwd: &str, line: &str) -> bool {
    with(cwd, line, |names, args, scene| unpacks(writer(names)?, args, scene))
}

#[test]
fn above_the_guards_folder() {
    let mut bad = Vec::new();
    for (cwd, line) in [
        ("/home/u", "git apply p.patch"),
        ("/home/u", "git am x"),
        ("/home/u/p", "git -C /home/u apply p.patch"),
        ("/home/u/p", "git -C .. apply p.patch"),
        ("/home/u/p", "git -C ../ checkout evil"),
        ("/home/u/p", "git --work-tree=/home/u reset --hard"),
        ("/home/u/p", "git --work-tree /home reset --hard"),
        ("/home/u/p", "git checkout-index -f -a --prefix /home/u/"),
        ("/home/u/p", "git checkout-index -f -a --prefix=/home/u/"),
        ("/home/u", "tar xf a.tar"),
        ("/home/u", "tar -xzf a.tgz"),
        ("/", "tar --extract -f a.tar"),
        ("/", "tar --ext -f a.tar"),
        ("/home/u/p", "tar xf a.tar -C /home/u"),
        ("/home/u/p", "tar xf a.tar -C/home/u"),
        ("/home/u/p", "tar xf a.tar --directory=/home/u"),
        ("/home/u/p", "unzip -o a.zip -d /home/u"),
        ("/home/u", "patch -p1"),
        ("/home/u/p", "patch -d /home/u -p1"),
        ("/home/u/p", "rsync -a x/ /home/u/"),
        ("/home/u/.exec-guard", "patch -p1"),
        ("/home/u/p", "7z x a.7z -o/home/u"),
        ("/home/u", "git reset -q --hard FETCH_HEAD"),
        ("/home/u", "git checkout -f FETCH_HEAD"),
        ("/home/u", "git -c a=b co main"),
        ("/home/u", "git pull -q /w"),
        ("/home", "git checkout main"),
        ("/home/u", "git -C p -C .. pull"),
        ("/home/u/p", "git -C $HOME reset --hard"),
        ("/home/u/p", "git -C ~ reset --hard"),
        ("/home/u/p", "git -C ~u reset --hard"),
        ("/home/u/p", "git --work-tree=$HOME reset --hard"),
        ("/home/u/p", "git --work-tree=.. mv -f proj/pol.json .exec-guard/exec-approvals.json"),
        ("/home/u/p", "git --work-tree=/home/u rm -rfq .exec-guard"),
        ("/home/u/p", "git --work-tree=/home/u bisect start HEAD HEAD~2"),
        ("/home/u/p", "git clone x .."),
        ("/home/u", "git worktree add .exec-guard HEAD"),
        ("?", "git apply p"),
        ("?", "git pull"),
        ("/w", "git -C $x pull"),
        ("?", "git -C p reset --hard"),
        ("?", "cp -r /w/. ."),
        ("?", "cp -r x ../u"),
        ("?", "mv /w/.exec-guard ."),
        ("?", "rm -rf .e*"),
        ("?", "rm -rf u"),
        ("?", "rm -rf *"),
        ("/w", "cp -r . ~"),
        ("/w", "cp -r .exec-guard ~"),
        ("/w", "cp -rT . ~"),
        ("/w", "cp -r --parents .exec-guard ~"),
        ("/w", "cp -r -t ~ .exec-guard"),
        ("/w", "cp -rt ~ .exec-guard"),
        ("/w", "cp -r --target=/home/u .exec-guard"),
        ("/w", "cp -r $x ~"),
        ("/w", "cp -r {} ~"),
        ("/w", "cp -r .e* ~"),
        ("/home/u", "cp -r /w/. ."),
        ("/home/u", "mv /w/.exec-guard ."),
        ("/home", "mv u v"),
        ("/home", "mv -t v u"),
        ("/home/u", "ln -s /w/.exec-guard"),
        ("/w", "install -t ~ .exec-guard"),
        ("/w", "scp -r host:.exec-guard ~"),
        ("/w", "rsync -aR ./.exec-guard ~"),
        ("/w", "rsync -a .exec-guard ~"),
        ("/w", "rm -rf ~"),
        ("/w", "rm -rf /etc/*"),
        ("/w", "rm -rf $HOME/.e*"),
        ("/home/u", "rm -rf .*"),
        ("/home/u", "rm -rf .e*"),
        ("/home/u", "rm -rf .[a-z]*"),
        ("/home/u", "rm -rf .??????????"),
        ("/home/u", "rm -rf *(D)"),
        ("/w", "rm -rf /home/*/.*guard"),
        ("/w", "chmod -R 0 ~"),
        ("/w", "dpkg-deb -x a.deb ~"),
    ] {
        if !asks(cwd, line) {
            bad.push(format!("{cwd}: {line}"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn ordinary_work() {
    let mut bad = Vec::new();
    for (cwd, line) in [
        ("/home/u/p", "git apply p.patch"),
        ("/home/u/p", "git -C sub apply p.patch"),
        ("/home/u/p", "git checkout -- ."),
        ("/home/u/p", "git pull"),
        ("/home/u", "git clone https://example.org/x"),
        ("/home/u", "git -C p pull"),
        ("/home/u", "git status"),
        ("/home/u/p", "git -C .. status"),
        ("/home/u/p", "tar xf a.tar"),
        ("/home/u", "tar cf a.tar p"),
        ("/home/u", "tar -czf x.tgz p"),
        ("/home/u/p", "rsync -a dist/ host:/srv/x"),
        ("/home/u/p", "unzip a.zip -d out"),
        ("/home/u/p", "ls /home/u"),
        ("/home/u/p", "git checkout main"),
        ("/home/u/p/sub", "git rm -r x"),
        ("/home/u/p", "git init"),
        ("/home/u", "git init p"),
        ("/home/u", "git --version"),
        ("/home/u/p", "git worktree add ../q"),
        ("?", "git -C p clone x"),
        ("?", "git -C $x fetch"),
        ("?", "rm -rf build"),
        ("?", "cp -r a b"),
        ("?", "cp a ."),
        ("?", "mv a /w/b"),
        ("/home/u/p", "cp -r a b"),
        ("/home/u/p", "cp -r a ~"),
        ("/home/u", "cp a b"),
        ("/home/u", "cp -r a ."),
        ("/home/u/p", "mv a b ~"),
        ("/home/u/p", "cp -r * ~"),
        ("/home/u/p", "rm -rf build"),
        ("/home/u", "rm -rf p"),
        ("/home/u", "rm -rf *"),
        ("/home/u", "rm -f .*.bak"),
        ("/home/u/p", "rm -rf .*"),
        ("/home/u/p", "rm -rf $x"),
        ("/home/u", "rm -f **/*.pyc"),
        ("/home/u", "ln -s p/x"),
        ("/home/u", "rsync -a p/ q/"),
        ("/home/u/p", "chmod -R u+w ."),
        ("/home/u/p", "install -m 755 x /usr/local/bin"),
    ] {
        if asks(cwd, line) {
            bad.push(format!("{cwd}: {line}"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn the_top_of_the_tree_counts() {
    let guard = Guard { own_paths: vec![b"/home/d/.exec-guard".to_vec()] };
    let world = FakeWorld::new().program("/home/d/.git/HEAD").program("/home/d/p/x/.git/HEAD");
    let asks = |cwd: &str| {
        let scene = Scene {
            cwd: Some(cwd.as_bytes()),
            begun: None,
            home: None,
            guard: &guard,
            world: &world,
            looked: &Cell::new(0),
        };
        unpacks(writer(&[b"git"]).unwrap(), &[Arg::lit("reset")], &scene).is_some()
    };
    assert!(asks("/home/d") && asks("/home/d/p") && !asks("/home/d/p/x") && !asks("/home/d/p/x/y"));
}

#[test]
fn what_git_runs() {
    let mut bad = Vec::new();
    for (cwd, line) in [
        ("/home/u/p", "git --work-tree=.git/hooks checkout HEAD -- pre-commit"),
        ("/home/u/p", "git --work-tree .git/hooks restore pre-commit"),
        ("/home/u/p", "git -C .git/hooks --work-tree=. reset --hard"),
        ("/home/u/p/.git/hooks", "git checkout HEAD -- pre-commit"),
        ("/home/u/p", "git checkout-index --prefix=.git/hooks/ pre-commit"),
        ("/home/u/p", "git merge-file .git/config .git/config evilcfg"),
        ("/home/u/p", "git mv pre-commit .git/hooks/pre-commit"),
        ("/home/u/p", "git clone . x/.git/hooks"),
        ("/home/u/p", "git -C .git clone .. hooks"),
        ("/home/u/p", "git -C x worktree add .git/hooks HEAD"),
        ("/home/u", "git clone p bare/hooks"),
        ("/home/u/bare", "git worktree add hooks HEAD"),
        ("/home/u/bare", "git --work-tree=. checkout x"),
        ("/home/u/p", "git -C ../bare --work-tree . checkout x"),
        ("/home/u/p", "cp pre-commit .git/hooks"),
        ("/home/u/p", "cp -t .GIT/hooks pre-commit"),
        ("/home/u/p", "cp -r x/.git ."),
        ("/home/u/p", "mv d .git"),
        ("/home/u/p", "ln -s ../../x .g?t/hooks/pre-commit"),
        ("/home/u/p/.git/hooks", "install ../../x pre-commit"),
        ("/home/u/p", "tar xf a.tar -C .git"),
        ("/home/u", "cp x bare/hooks"),
        ("?", "cp ../x config"),
        ("?", "tee .bashrc"),
    ] {
        if !with(cwd, line, |names, args, scene| controls(writer(names)?, args, scene)) {
            bad.push(format!("{cwd}: {line}"));
        }
    }
    for (cwd, line) in [
        ("/home/u/p", "git checkout HEAD -- .github/x .gitignore"),
        ("/home/u/p", "git pull"),
        ("/home/u/p", "git clone https://example.org/x/.git y"),
        ("/home/u/p", "git clone https://example.org/x.git"),
        ("/home/u/p", "git mv a hooks/a"),
        ("/home/u/p", "git worktree add ../hooks"),
        ("/home/u/p", "git add .git/x"),
        ("/home/u/bare", "git worktree add main"),
        ("/home/u/p", "git --work-tree=. checkout x"),
        ("/home/u/p", "cp .git/HEAD x"),
        ("/home/u/p", "cp x .gitignore"),
        ("/home/u/p", "cp {} backup/{}"),
        ("/home/u/p", "rm .git/index.lock"),
        ("/home/u/p", "mv .git/x y"),
        ("/home/u/p", "cp ../x config"),
        ("?", "cp ../x y"),
        ("?", "cp ../x src/config"),
        ("/home/u/p", "tar xf a.tar"),
    ] {
        if with(cwd, line, |names, args, scene| controls(writer(names)?, args, scene)) {
            bad.push(format!("not {cwd}: {line}"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A tree with links: `h` into the guard's folder, `hh` to the home, `g` into a repository's, `x.json` to its policy,
/// `new` to a file of it that is not there yet, `out` to a folder of nobody's.
fn linked(line: &str, f: impl FnOnce(&[&[u8]], &[Arg], &Scene) -> bool) -> bool {
    let guard = Guard { own_paths: vec![b"/home/u/.exec-guard".to_vec()] };
    let world = FakeWorld::new()
        .program("/home/u/.exec-guard/exec-approvals.json")
        .program("/home/u/p/.git/hooks/x")
        .program("/home/u/p/dd/x")
        .program("/srv/out/x")
        .link("/home/u/p/h", "/home/u/.exec-guard")
        .link("/home/u/p/hh", "/home/u")
        .link("/home/u/p/g", "/home/u/p/.git/hooks")
        .link("/home/u/p/x.json", "/home/u/.exec-guard/exec-approvals.json")
        .link("/home/u/p/new", "/home/u/.exec-guard/config.json")
        .link("/home/u/p/out", "/srv/out")
        .link("/home/u/p/away", "/no/where")
        .link("/home/u/p/newer", "/home/u/p/new")
        .link("/dev/stderr", "/proc/self/fd/2");
    let words = words(line);
    let scene = Scene {
        cwd: Some(b"/home/u/p"),
        begun: None,
        home: Some(b"/home/u"),
        guard: &guard,
        world: &world,
        looked: &Cell::new(0),
    };
    f(&[words[0].literal().unwrap()], &words[1..], &scene)
}

#[test]
fn links_are_followed() {
    let asks = |line: &str| {
        linked(line, |names, args, scene| writer(names).is_some_and(|w| unpacks(w, args, scene).is_some()))
    };
    let mut bad = Vec::new();
    for line in [
        "git checkout-index -f --prefix=h/ exec-approvals.json",
        "git checkout-index -f --prefix=./h/ exec-approvals.json",
        "git checkout-index -f --prefix=hh/.exec-guard/ exec-approvals.json",
        "git format-patch -o h -1",
        "git format-patch -oh -1",
        "git format-patch --output-directory=h -1",
        "git -C h format-patch -1",
        "git -C h init",
        "git init h/x",
        "git clone -q . h/x",
        "git clone -q --separate-git-dir=h/g . zz",
        "git init --separate-git-dir h/g zz",
        "git worktree add h/wt",
        "touch x.json",
        "touch h/zz",
        "touch new",
        "touch newer",
        "touch newe?",
        "mkdir -p h/a/b",
        "mktemp -p h",
        "mktemp h/XXX",
        "tee x.json",
        "tee -a h/exec-approvals.json",
        "tee dd/../h/x",
        "tee h/../.exec-guard/x",
        "dd if=a of=h/exec-approvals.json",
        "truncate -s0 x.json",
        "split a h/x",
        "cp pol.json x.json",
        "cp dd/x h",
        "cp dd/* hh/.e*/",
        "cp dd/x hh/.e*",
        "cp -r dd/. hh/.exec*",
        "cp pol.json hh/.e*/e*s.json",
        "cp pol.json new",
        "cp -t h a",
        "mv hh/.exec-guard gone",
        "mv h/exec-approvals.json .",
        "rm -rf hh/.exec-guard",
        "rm -rf hh/.e*",
        "rm -rf h/*",
        "rm -rf h/",
        "chmod 777 x.json",
        "chmod 000 hh",
        "tar xf a.tar -C h",
        "tar xf a.tar -C hh",
        "unzip a.zip -d hh",
        "rsync -a dd/ h",
        "ln -sf ../../dd/x h",
        "find h/ -exec touch {}x ;",
        "find h/ -name *s.json -exec cp pol.json {} ;",
        "find hh -name exec-a* -exec cp pol.json {} ;",
        "find hh/ -name .exec-guard -exec rm -rf {} +",
        "find -H hh -delete",
        "find ~ -maxdepth 1 -name .e* -exec git checkout-index --prefix={}/ x ;",
        "find /home/u -type f -exec chmod 644 {} +",
        "touch ~/.$x-guard/zz",
        "git clone -q . ~/.$x-guard/y",
        "git worktree add ~/.$x-guard/w",
        "git checkout-index --prefix=$HOME/.${x}-guard/ x",
        "cp dd/x ~/.$x-guard",
        "cp dd/x ~/.$(xx)-guard",
        "cp dd/x /home/$USER/.e$(x)",
    ] {
        if !asks(line) {
            bad.push(line);
        }
    }
    for line in [
        "rm h",
        "touch away away/x awa?",
        "rm -f x.json new hh",
        "mv h h2",
        "unlink x.json",
        "touch out/x",
        "cp dd/x out",
        "cp x.json dd/y",
        "tee log",
        "tee /dev/stderr",
        "dd if=/dev/zero of=out/img bs=1M",
        "mkdir -p a/b/c ~",
        "mktemp -d",
        "mktemp -t XXX",
        "mkdir -p build/$x ~/src/$x ~/$x",
        "touch $x",
        "cp a $x",
        "cp a /tmp/$x",
        "cp {} backup/{}",
        "git status",
        "git add h",
        "git checkout main",
        "git checkout -b feature/$x",
        "git init",
        "git init sub",
        "git format-patch -1",
        "git format-patch -o patches main",
        "git clone https://example.org/x ~/src/$x",
        "git clone https://example.org/x out/x",
        "tar xf a.tar -C out",
        "rsync -a dd/ out",
        "find . -name *.o -delete",
        "find . -type f -exec chmod 644 {} +",
        "find ~ -name *.pyc -exec rm {} +",
        "find ~ -name *.c -exec grep x {} +",
        "find ~ -type f -exec git log {} ;",
        "find h/ -type f",
    ] {
        if asks(line) {
            bad.push(line);
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn what_is_run_later_is_found_behind_links() {
    let mut bad = Vec::new();
    for (line, want) in [
        ("cp dd/x g", true),
        ("cp dd/config g/..", true),
        ("tar xf a.tar -C g", true),
        ("cp .bashrc ~", true),
        ("cp x ~/.bashrc", true),
        ("cp x $HOME/.bashrc", true),
        ("cp x ~/.bash*", true),
        ("cp x hh/.bashrc", true),
        ("cp x hh/.ssh/config", true),
        ("install -t ~ a/.profile", true),
        ("tee -a .git/./config", true),
        ("tee ~/.zshrc", true),
        ("dd if=a of=.git/hooks/../config", true),
        ("find .git -name config -exec cp cfg {} ;", true),
        ("find g -exec tee {} ;", true),
        ("mv dd .git/hooks", true),
        ("cp ~/.bashrc x", false),
        ("cp hh/.bashrc dd", false),
        ("cp dd/x out", false),
        ("touch ~/.bashrc", false),
        ("tee .git-log", false),
        ("find .git -name x -exec cat {} ;", false),
        ("find .git -name *.lock -delete", false),
        ("git checkout -- .npmrc", false),
        ("mv ~/.bashrc old", false),
    ] {
        let hit = linked(line, |names, args, scene| {
            writer(names).is_some_and(|w| controls(w, args, scene).is_some())
        });
        if hit != want {
            bad.push(format!("{line}: {hit}"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_home_that_is_a_link() {
    let guard = Guard { own_paths: vec![b"/home/u/.exec-guard".to_vec()] };
    let world = FakeWorld::new().program("/data/u/.exec-guard/x").link("/home/u", "/data/u");
    let looked = Cell::new(0);
    let scene = |cwd| Scene {
        cwd: Some(cwd),
        begun: None,
        home: Some(b"/home/u"),
        guard: &guard,
        world: &world,
        looked: &looked,
    };
    let asks = |cwd: &'static str| {
        let writer = writer(&[b"patch"]).unwrap();
        unpacks(writer, &[Arg::lit("-p1")], &scene(cwd.as_bytes())).is_some()
    };
    assert!(asks("/data/u") && asks("/home/u") && !asks("/data/u/p"));
}

#[test]
fn words_known_in_part() {
    for (text, want) in [
        ("a$x/b", Some("a*/b")),
        ("a${x:-y}b", Some("a*b")),
        ("~/$(echo (x) {y})z", Some("~/*z")),
        ("a`b`c", Some("a*c")),
        ("a{}", Some("a*")),
        ("a$$", Some("a*")),
        ("*.c", Some("*.c")),
        ("$x/a", None),
        ("{}/a", None),
        ("`a`", None),
    ] {
        let (got, open) = starred(text.as_bytes()).map_or((None, true), |(t, open)| (Some(t), open));
        assert_eq!(got.as_deref(), want.map(str::as_bytes), "{text}");
        assert_eq!(open, text != "*.c", "{text}");
    }
}

#[test]
fn patterns_are_followed_wherever_they_may_be_a_link() {
    let asks = |line: &str| {
        linked(line, |names, args, scene| writer(names).is_some_and(|w| unpacks(w, args, scene).is_some()))
    };
    let mut bad = Vec::new();
    for line in [
        "cp pol.json ?.json",
        "cp pol.json [x].json",
        "tee x.jso?",
        "cp dd/exec-approvals.json [h]",
        "rm -rf */",
        "rm -rf ?/*",
        "rm -rf -- */.e*",
        "rm -rf */.exec-guard/x",
        "cp dd/x ../p/?/exec-approvals.json",
        "chmod 777 *",
        "touch *",
        "touch ne?",
        "cp dd/x dd/../h?/.exec-guard",
        "find . -maxdepth 1 -type l -exec cp dd/exec-approvals.json {} ;",
        "find . -maxdepth 1 -name x.json -exec cp pol.json {} ;",
        "find . -maxdepth 1 -type l -exec rm -rf {}/ ;",
        "find -L . -name exec-approvals.json -exec rm {} +",
        "find . -name h -exec touch {}/zz ;",
        "find . -follow -type f -exec chmod 777 {} +",
        "find . -name n?w -exec tee {} ;",
        "find ~ ! -name zz -delete",
        "find ~ -name zz -o -type f -delete",
        "find ~ ! ( -name zz ) -exec rm {} +",
    ] {
        if !asks(line) {
            bad.push(line);
        }
    }
    for line in [
        "rm -rf *",
        "rm -rf dd/*",
        "rm -f *.json",
        "cp *.json dd",
        "cp dd/* out",
        "mv *.c dd",
        "chmod +x d*/*",
        "touch d*/x",
        "cp x.json d?/y",
        "find . -name *.o -exec rm {} +",
        "find . -name *.sh -exec chmod +x {} +",
        "find . -type f -exec chmod 644 {} +",
        "find . -type d -exec chmod 755 {} +",
        "find . -name *.c -exec cp {} dd/ ;",
        "find . -name *.orig -exec mv {} dd ;",
        "find . -name *.c -exec cp {} {}.bak ;",
        "find . -type d -name build -exec rm -rf {} +",
        "find . -type d -name build -exec rm -rf {}/x ;",
        "find ~ -name *.pyc -o -name *.pyo -delete",
        "find ~ -name *.pyc ! -name x -delete",
        "find . ( -name *.o -o -name *.a ) -delete",
    ] {
        if asks(line) {
            bad.push(line);
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn git_is_idle_where_nothing_unknown_stands_in_front_of_what_only_reads() {
    let git = writer(&[b"git"]).unwrap();
    for (line, idle) in [
        ("push origin $x", true),
        ("-C /x --git-dir=y log $x", true),
        ("-c a.b=c tag", true),
        ("-c $x tag", false),
        ("$x log", false),
        ("-C", false),
        ("-C log", false),
        ("", false),
        ("pull $x", false),
        ("pu$x", false),
    ] {
        let word = |word: &str| match word.contains('$') {
            true => Arg::Dynamic { source: word.into(), prefix: Vec::new(), single: false },
            false => Arg::lit(word),
        };
        let args: Vec<Arg> = line.split_ascii_whitespace().map(word).collect();
        assert_eq!(git.is_idle(&args), idle, "{line}");
    }
    assert!(!writer(&[b"tar"]).unwrap().is_idle(&[Arg::lit("log")]));
}
