//! The list of steps, made without touching anything.
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use super::args::{Names, Shell};
use super::discover::Programs;
use super::manifest::Manifest;
use super::names;
use super::step::{Step, What};
use super::wanted::Wanted;
use crate::exit::Failure;

/// Where things are for this person. Every path is absolute and text.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// What shells and agents take for the home: `$HOME`.
    pub home: PathBuf,
    /// The guard's folder.
    pub folder: PathBuf,
    /// Folder of the programs that are running now.
    pub here: PathBuf,
    /// `PATH`.
    pub path: Vec<u8>,
    /// `$XDG_DATA_HOME`.
    pub data: PathBuf,
    /// `$XDG_CONFIG_HOME`.
    pub config: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`, where Claude Code has its settings.
    pub claude: PathBuf,
    /// `$CODEX_HOME`, where Codex has them.
    pub codex: PathBuf,
    /// Where the other agents are told to look, by the names of the variables.
    pub told: BTreeMap<&'static str, PathBuf>,
    /// `/etc`, where the administrator's settings of agents are.
    pub etc: PathBuf,
    /// `$ZDOTDIR`, where zsh looks for its files.
    pub zsh: PathBuf,
}

impl Surroundings {
    /// From the environment of this process.
    ///
    /// # Errors
    /// There is no home, or a path is no text.
    pub fn of_process() -> Result<Surroundings, Failure> {
        let env = sys::environ::entries();
        let places = crate::approvals::places();
        let value = |name: &[u8]| {
            let value = sys::environ::value(&env, name).filter(|v| v.starts_with(b"/"));
            value.map(|v| PathBuf::from(std::ffi::OsStr::from_bytes(v)))
        };
        let home = value(b"HOME").or_else(|| places.home.clone()).ok_or_else(|| {
            Failure::trouble("there is no home: HOME is not set, and the user database names none")
        })?;
        let here = std::env::current_exe()
            .and_then(std::fs::canonicalize)
            .ok()
            .and_then(|p| p.parent().map(Path::to_path_buf))
            .ok_or_else(|| Failure::trouble("the folder of exec-guardctl itself cannot be found"))?;
        let out = Surroundings {
            folder: crate::init::folder(&places)?,
            here,
            path: sys::environ::value(&env, b"PATH").unwrap_or_default().to_vec(),
            data: value(b"XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")),
            config: value(b"XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            claude: value(b"CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude")),
            codex: value(b"CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
            told: super::agents::VARIABLES
                .iter()
                .filter_map(|name| Some((*name, value(name.as_bytes())?)))
                .collect(),
            etc: PathBuf::from("/etc"),
            zsh: value(b"ZDOTDIR").unwrap_or_else(|| home.clone()),
            home,
        };
        let own =
            [&out.home, &out.folder, &out.here, &out.data, &out.config, &out.zsh, &out.claude, &out.codex];
        for path in own.into_iter().chain(out.told.values()) {
            let fine = path.to_str().is_some_and(|p| !p.contains(|c: char| c.is_control() || c == ':'));
            if !fine {
                let what = format!("{}: cannot stand in a PATH or a settings file", super::shown(path));
                return Err(Failure::trouble(what));
            }
        }
        Ok(out)
    }

    /// That the home of shells and agents is the one that the guard's folder lies in: else a throw-away `HOME` would point
    /// the links of the real one to programs that are gone tomorrow.
    ///
    /// # Errors
    /// They differ.
    pub fn one_home(&self) -> Result<(), Failure> {
        let real = |p: &Path| std::fs::canonicalize(p).unwrap_or_else(|_| p.to_path_buf());
        let Some(user) = crate::approvals::places().home.filter(|h| h.is_absolute()) else { return Ok(()) };
        let below = self.folder.starts_with(&user) || real(&self.folder).starts_with(real(&user));
        // Everything is below the home of who has none.
        if real(&self.home) == real(&user) || !below || user == Path::new("/") {
            return Ok(());
        }
        let [home, user, folder] = [&self.home, &user, &self.folder].map(|p| super::shown(p));
        Err(Failure::trouble(format!(
            "HOME is {home}, but the user database says {user}, where {folder} lies: one installation would be spread over both"
        ))
        .advise(format!("run it with HOME={user}, or with HOME unset; nothing was done")))
    }

    /// Folder of the links that stand in front of programs.
    pub fn shims(&self) -> PathBuf {
        self.folder.join("bin")
    }

    /// Folder of the links named after shells.
    pub fn links(&self) -> PathBuf {
        self.folder.join("shells")
    }

    /// The guard that links and hooks lead to.
    pub fn guard(&self, wanted: &Wanted) -> PathBuf {
        self.programs(wanted).join("exec-guard")
    }

    fn programs(&self, wanted: &Wanted) -> PathBuf {
        match &wanted.programs {
            Some(dir) => match dir.strip_prefix("~") {
                Ok(rest) => self.home.join(rest),
                Err(_) if dir.is_absolute() => dir.clone(),
                Err(_) => std::env::current_dir().unwrap_or_default().join(dir),
            },
            None => self.here.clone(),
        }
    }

    /// The same without what lies in the project that we stand in: that is not started to look at something.
    ///
    /// A working tree may lie within another, and a project need not be one: what is meant is the outermost, and below the
    /// home all that lies in the folder there.
    pub fn outside(&self) -> Programs {
        let here = std::env::current_dir().unwrap_or_default();
        let above = || here.ancestors().take_while(|dir| !self.home.starts_with(dir));
        let root = match here.starts_with(&self.home) {
            true => above().last(),
            false => above().filter(|dir| dir.join(".git").exists()).last().or(Some(here.as_path())),
        };
        let found = self.behind().without_any("node_modules/.bin");
        match root {
            Some(root) => found.without(root),
            None => found,
        }
    }

    /// What PATH finds behind our own folders.
    pub fn behind(&self) -> Programs {
        Programs::new(&self.path, &[self.shims(), self.links()], &self.here.join("exec-guard"))
    }
}

/// A plan: what is to be there, and what a person should know of it.
#[derive(Debug, Default)]
pub struct Plan {
    /// In the order of their making.
    pub steps: Vec<Step>,
    /// Lines for people.
    pub notes: Vec<String>,
}

impl Plan {
    /// One more step.
    pub fn add(&mut self, part: &str, path: PathBuf, what: What) {
        self.steps.push(Step { part: part.into(), path, what });
    }

    /// A folder that others may look into, unless it is there already, and those above it.
    pub fn folder(&mut self, part: &str, path: &Path, mode: u32) {
        let missing = path.ancestors().take_while(|p| !p.exists());
        for path in missing.collect::<Vec<_>>().into_iter().rev() {
            if !self.steps.iter().any(|s| s.path == path) {
                self.add(part, path.to_path_buf(), What::Folder(mode));
            }
        }
    }
}

/// Makes the plan for what is wanted. Touches nothing.
///
/// # Errors
/// Something that is wanted cannot be had at all: the guard or the approver is not there.
pub fn plan(wanted: &Wanted, s: &Surroundings, old: &Manifest) -> Result<Plan, Failure> {
    let mut plan = Plan::default();
    let guard = s.guard(wanted);
    programs(wanted, s, &mut plan)?;
    shims(wanted, s, &guard, &mut plan);
    if wanted.links {
        let folder = s.links();
        plan.folder("links", &folder, 0o700);
        let behind = s.behind();
        for name in names::SHELLS {
            match behind.find(name) {
                Some(_) => plan.add("links", folder.join(name), What::Link(guard.clone())),
                None => plan.notes.push(format!("{name}: not in PATH, so there is no link of that name")),
            }
        }
        plan.notes.push(format!(
            "an agent that takes $SHELL: start it with SHELL={}; one that looks bash up in PATH: put {} first in its PATH",
            super::shown(&folder.join("bash")),
            super::shown(&folder),
        ));
    }
    for agent in wanted.agents() {
        super::agents::plan(agent.id, agent.project, s, &guard, old, &mut plan)?;
    }
    for shell in wanted.shells() {
        path_lines(shell, wanted, s, &mut plan);
    }
    if wanted.completions {
        completions(s, &mut plan);
    }
    if wanted.units {
        units(wanted, s, &mut plan)?;
    }
    if wanted.man {
        for (name, text) in MANUAL {
            let section = name.rsplit('.').next().unwrap_or("1");
            let folder = s.data.join(format!("man/man{section}"));
            plan.folder("man", &folder, 0o755);
            plan.add("man", folder.join(name), What::File(text.as_bytes().to_vec(), 0o644));
        }
    }
    Ok(plan)
}

/// The manual, as it is in docs/man.
const MANUAL: &[(&str, &str)] = &[
    ("exec-guard.1", include_str!("../../../docs/man/exec-guard.1")),
    ("exec-guardctl.1", include_str!("../../../docs/man/exec-guardctl.1")),
    ("exec-guard.policy.5", include_str!("../../../docs/man/exec-guard.policy.5")),
    ("exec-guard-approver.8", include_str!("../../../docs/man/exec-guard-approver.8")),
];

/// The programs of this project; the guard alone has to be there.
const PROGRAMS: &[&str] = &["exec-guard", "exec-guardctl", "exec-guard-approver"];

fn programs(wanted: &Wanted, s: &Surroundings, plan: &mut Plan) -> Result<(), Failure> {
    let there = s.here.join("exec-guard");
    if !there.is_file() {
        let what = format!("{}: there is no exec-guard beside exec-guardctl", super::shown(&there));
        return Err(Failure::trouble(what).advise("put the programs into one folder"));
    }
    if wanted.programs.is_none() {
        return Ok(());
    }
    let to = s.programs(wanted);
    if to == s.here {
        return Ok(());
    }
    plan.folder("programs", &to, 0o755);
    for name in PROGRAMS {
        let from = s.here.join(name);
        match std::fs::read(&from) {
            Ok(bytes) => plan.add("programs", to.join(name), What::File(bytes, 0o755)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(Failure::trouble(format!("{}: {e}", super::shown(&from)))),
        }
    }
    if !s.path.split(|b| *b == b':').any(|f| f == to.as_os_str().as_bytes()) {
        let to = super::shown(&to);
        plan.notes.push(format!(
            "{to} is not in PATH: put it there, with `PATH={to}:$PATH` in your shell's start-up file"
        ));
    }
    Ok(())
}

fn shims(wanted: &Wanted, s: &Surroundings, guard: &Path, plan: &mut Plan) {
    if wanted.shims.is_empty() && wanted.presets.is_empty() {
        return;
    }
    let behind = s.behind();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for preset in wanted.presets() {
        match names::of(preset) {
            Some(list) => {
                names.extend(list.iter().filter(|n| behind.find(n).is_some()).map(|n| (*n).to_owned()))
            }
            None => {
                names.extend(behind.names().into_iter().filter(|n| !names::NOT_SHIMMED.contains(&n.as_str())))
            }
        }
        if preset == Names::AllOnPath {
            plan.notes.push(
                "every program is judged now: look at `exec-guardctl log show` for what that stops".into(),
            );
        }
    }
    for name in &wanted.shims {
        if behind.find(name).is_none() {
            plan.notes
                .push(format!("{name}: no such program in PATH now; the link says so until there is one"));
        }
        names.insert(name.clone());
    }
    plan.folder("shims", &s.shims(), 0o700);
    for name in names {
        plan.add("shims", s.shims().join(name), What::Link(guard.to_path_buf()));
    }
    if wanted.shells.is_empty() && !on_path(&s.path, &s.shims()) {
        let folder = super::shown(&s.shims());
        plan.notes.push(format!(
            "{folder} is not in PATH yet: `exec-guardctl install --shell bash` (or zsh, fish) puts it there, or start an agent with PATH={folder}:$PATH"
        ));
    }
}

/// True if the folder stands in front of everything else in this PATH.
pub fn on_path(path: &[u8], folder: &Path) -> bool {
    path.split(|b| *b == b':').next() == Some(folder.as_os_str().as_bytes())
}

fn path_lines(shell: Shell, wanted: &Wanted, s: &Surroundings, plan: &mut Plan) {
    let folder = s.shims();
    let folder = folder.to_str().unwrap_or_default();
    let quoted = quote(folder);
    // Not `PATH=…` alone: a shell started by a shell would put it there again.
    let lines = format!(
        "case \"$PATH:\" in\n    {quoted}:*) ;;\n    *) PATH={quoted}:\"$PATH\"; export PATH ;;\nesac\n"
    );
    match shell {
        Shell::Bash => {
            // A login reads the first of these that is there, and .bashrc only if that one says so.
            let login = [".bash_profile", ".bash_login", ".profile"].map(|f| s.home.join(f));
            let login = login.iter().find(|f| f.exists()).cloned().unwrap_or_else(|| s.home.join(".profile"));
            for file in [s.home.join(".bashrc"), login] {
                plan.add("shell:bash", file, What::Lines(lines.clone()));
            }
        }
        Shell::Zsh => {
            // .zshenv for every zsh; .zshrc since what comes between them (/etc/zprofile, .zprofile) may reorder PATH.
            let mut first = lines.clone();
            if wanted.completions {
                first.push_str(&format!(
                    "fpath=({} $fpath)\n",
                    quote(zsh_functions(s).to_str().unwrap_or_default())
                ));
            }
            plan.folder("shell:zsh", &s.zsh, 0o700);
            plan.add("shell:zsh", s.zsh.join(".zshenv"), What::Lines(first));
            plan.add("shell:zsh", s.zsh.join(".zshrc"), What::Lines(lines));
        }
        Shell::Fish => {
            let dir = s.config.join("fish/conf.d");
            plan.folder("shell:fish", &dir, 0o755);
            // Single quotes of fish know two escapes.
            let quoted = format!("'{}'", folder.replace('\\', "\\\\").replace('\'', "\\'"));
            let text = format!(
                "# Put here by exec-guardctl install; exec-guardctl uninstall takes it away.\nfish_add_path --global --prepend --move --path {quoted}\n"
            );
            plan.add("shell:fish", dir.join("exec-guard.fish"), What::File(text.into_bytes(), 0o644));
        }
    }
}

/// Units of systemd(1) for the approver, started when somebody first asks or answers.
///
/// Two sockets, since one unit gives all of its sockets one name. Enabled by the links that `systemctl enable` would
/// make, so that no running systemd is needed.
fn units(wanted: &Wanted, s: &Surroundings, plan: &mut Plan) -> Result<(), Failure> {
    let approver = s.programs(wanted).join("exec-guard-approver");
    if !s.here.join("exec-guard-approver").is_file() {
        let what = format!("{}: there is no approver to be started", super::shown(&approver));
        return Err(Failure::trouble(what).advise("put exec-guard-approver beside exec-guardctl"));
    }
    // systemd.unit(5), SPECIFIERS: a percent sign stands for itself when it is doubled.
    let text = |path: &Path| path.to_str().unwrap_or_default().replace('%', "%%");
    let folder = s.config.join("systemd/user");
    let service = format!(
        "[Unit]\nDescription=Answers questions of exec-guard\nDocumentation=man:exec-guardctl(1)\n\n[Service]\nExecStart=\"{}\"\n{}",
        text(&approver),
        // The folder of this person's documents, where it is not the one that everybody has.
        sys::environ::value(&sys::environ::entries(), b"EXEC_GUARD_HOME")
            .map(|_| format!("Environment=\"EXEC_GUARD_HOME={}\"\n", text(&s.folder)))
            .unwrap_or_default(),
    );
    let socket = |what: &str, name: &str, path: PathBuf| {
        format!(
            "[Unit]\nDescription={what}\n\n[Socket]\nListenStream={}\nFileDescriptorName={name}\nSocketMode=0600\nDirectoryMode=0700\nService=exec-guard-approver.service\n\n[Install]\nWantedBy=sockets.target\n",
            text(&path)
        )
    };
    let wants = folder.join("sockets.target.wants");
    plan.folder("units", &folder, 0o755);
    plan.folder("units", &wants, 0o755);
    let files = [
        ("exec-guard-approver.service", service),
        (
            "exec-guard-approver.socket",
            socket("Questions of exec-guard", "ask", s.folder.join("exec-approvals.sock")),
        ),
        (
            "exec-guard-operator.socket",
            socket("Answers to exec-guard", "operator", s.folder.join("operator/operator.sock")),
        ),
    ];
    for (name, text) in files {
        plan.add("units", folder.join(name), What::File(text.into_bytes(), 0o644));
        if name.ends_with(".socket") {
            plan.add("units", wants.join(name), What::Link(folder.join(name)));
        }
    }
    plan.notes.push("the sockets are there at the next login, or now: systemctl --user daemon-reload && systemctl --user start exec-guard-approver.socket exec-guard-operator.socket".into());
    Ok(())
}

fn zsh_functions(s: &Surroundings) -> PathBuf {
    s.data.join("zsh/site-functions")
}

fn completions(s: &Surroundings, plan: &mut Plan) {
    let rows = [
        (clap_complete::Shell::Bash, s.data.join("bash-completion/completions"), "exec-guardctl"),
        (clap_complete::Shell::Zsh, zsh_functions(s), "_exec-guardctl"),
        (clap_complete::Shell::Fish, s.config.join("fish/completions"), "exec-guardctl.fish"),
    ];
    for (shell, folder, name) in rows {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut crate::cli::Cli::command(), "exec-guardctl", &mut script);
        plan.folder("completions", &folder, 0o755);
        plan.add("completions", folder.join(name), What::File(script, 0o644));
    }
}

/// A word for a POSIX shell, zsh too.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
