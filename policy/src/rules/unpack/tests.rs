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
    let scene = Scene { cwd, home: Some(b"/home/u"), guard: &guard, world: &world };
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
        let scene = Scene { cwd: Some(cwd.as_bytes()), home: None, guard: &guard, world: &world };
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
        ("/home/u/p", "tar xf a.tar"),
    ] {
        if with(cwd, line, |names, args, scene| controls(writer(names)?, args, scene)) {
            bad.push(format!("not {cwd}: {line}"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}
