//! The steps of a call, in their order: see the crate's head.
mod alone;
mod folder;

pub use alone::{Said, alone};

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use policy::document::{Details, LoadError, Policy};
use policy::{Answer, Choice, Decision, Evaluation, FileId, Finding, Form, Guard, Invocation, Permit};
use protocol::ask::{Asker, WireQuestion};
use protocol::{Shown, Token};
use store::journal::Journal;
use sys::world::Host;

use crate::auto::Pattern;
use crate::bash;
use crate::call::{Call, Command, Request, What};
use crate::config::Settings;
use crate::cron::{Crontab, Wish};
use crate::identity::{Caller, Who, who};
use crate::mode::{Mode, Requires, Tool, requires};
use crate::question::{self, Need};
use crate::rate::TooMany;
use crate::record::{self, Event};
use crate::result::{Code, Outcome, ToolResult};
use crate::sandbox::{self, Backend, How, Place};

/// The agent whose exec policy rules for tools.
pub const AGENT: &str = "main";

/// The documents in force, and what the machine is like. Having one tells you that every document was believed and
/// understood.
#[derive(Debug)]
pub struct Scene {
    /// The exec policy.
    pub policy: Policy,
    /// What is said of tools.
    pub settings: Settings,
    /// Folder of state.
    pub state: Option<PathBuf>,
    /// Where is written down what happens.
    pub journal: Option<Journal>,
    /// Nothing runs that cannot be written down.
    pub journal_required: bool,
    /// Secrets are kept in what is written down.
    pub journal_full: bool,
    /// The socket's token.
    pub token: Option<Token>,
    home: Option<Vec<u8>>,
    own: Vec<Vec<u8>>,
    guard: Option<(PathBuf, FileId)>,
    env: Vec<Vec<u8>>,
}

impl Scene {
    /// Reads the documents.
    ///
    /// # Errors
    /// What is wrong with one, as a result: nothing runs.
    pub fn load() -> Result<Scene, ToolResult> {
        let env = sys::environ::entries();
        let places = store::Places::known(&env).map_err(unusable)?;
        let loaded = store::load(&places).map_err(unusable)?;
        Scene::of(&places, loaded, env)
    }

    /// From documents that were read. `env` is our own environment.
    ///
    /// # Errors
    /// What they say of tools cannot be used.
    pub fn of(places: &store::Places, loaded: store::Loaded, env: Vec<Vec<u8>>) -> Result<Scene, ToolResult> {
        let settings = Settings::of(&loaded.policy).map_err(|e| ToolResult::no(Code::Settings, e.0))?;
        if settings.gateway_token.is_some()
            && let Some(file) = &settings.file
        {
            secret(Path::new(file)).map_err(|e| ToolResult::no(Code::Settings, e))?;
        }
        let s = loaded.policy.settings(AGENT);
        let bytes = |p: &Path| p.as_os_str().as_encoded_bytes().to_vec();
        let socket = s.socket.path.as_deref().and_then(|path| match path.strip_prefix("~/") {
            Some(rest) => places.home.as_deref().map(|home| home.join(rest)),
            None => Some(PathBuf::from(path)),
        });
        let folders = [places.named.clone(), places.user_folder(), Some(places.system.clone()), socket];
        Ok(Scene {
            journal: loaded.state.as_deref().map(|f| Journal::new(f, s.journal.max_bytes)),
            journal_required: s.journal.required,
            journal_full: s.journal.text == policy::document::JournalText::Full,
            token: s.socket.token.as_deref().and_then(Token::new),
            home: places.home.as_deref().map(bytes),
            own: folders.iter().flatten().map(|p| bytes(p)).collect(),
            guard: beside(),
            state: loaded.state,
            policy: loaded.policy,
            settings,
            env,
        })
    }
}

fn unusable(e: LoadError) -> ToolResult {
    let _: &Details = &e;
    ToolResult::no(Code::Settings, format!("{e}"))
}

/// A file with a secret is nobody else's to read.
///
/// # Errors
/// It is, or cannot be looked at.
pub fn secret(file: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let shown = Shown::text(file.as_os_str().as_encoded_bytes());
    let meta = std::fs::metadata(file).map_err(|e| format!("{shown}: {e}"))?;
    let own = meta.uid() == sys::ids::uid() || meta.uid() == 0;
    if !own || meta.mode() & 0o077 != 0 {
        return Err(format!("{shown} holds a secret and can be read by others; chmod 600 {shown}"));
    }
    Ok(())
}

/// The guard that this program belongs to lies beside it.
fn beside() -> Option<(PathBuf, FileId)> {
    // Its own file may have been replaced meanwhile.
    let me = std::env::current_exe().ok()?;
    let path = me.with_file_name("exec-guard");
    let id = sys::world::identity(path.as_os_str().as_encoded_bytes())?;
    Some((path, id))
}

/// A call that may be made, as far as its fields and whoever makes it are concerned.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The call.
    pub call: Call,
    /// Whose it is.
    pub who: Who,
}

/// Identity, sender, tool, fields.
///
/// # Errors
/// Why nothing runs.
pub fn admit(scene: &Scene, tool: &str, request: Request, caller: &Caller) -> Result<Admitted, ToolResult> {
    let who = who(&scene.settings, caller, request.user.as_deref())?;
    let call = Call::of(tool, request, &scene.settings)?;
    Ok(Admitted { call, who })
}

/// Where a command would be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// By this process: its place is made ready.
    Here,
    /// By another one, which judges it again: nothing is made ready, and [`Judged::carry`] does nothing for a command.
    There,
}

/// A call that was judged. Nothing of it has happened.
#[derive(Debug)]
pub struct Judged {
    /// Who must say yes, and why.
    pub need: Need,
    admitted: Admitted,
    exec: Option<Exec>,
}

#[derive(Debug)]
struct Exec {
    place: Option<Place>,
    inv: Invocation,
    eval: Evaluation,
    cwd: Option<PathBuf>,
    /// Device and inode of that folder: another one of the same name is not what somebody said yes to.
    folder: Option<(u64, u64)>,
    /// What is said of the sandbox it runs in, if it runs in one.
    sandbox: Option<String>,
}

/// Mode, exec policy, lists, patterns. `at_hand`: a person could confirm an owner's own call.
///
/// # Errors
/// Why nothing runs.
pub fn judge(scene: &Scene, admitted: Admitted, at_hand: bool, run: Where) -> Result<Judged, ToolResult> {
    let s = &scene.settings;
    let (tool, owner) = (admitted.call.tool, admitted.who.owner);
    let over = s.over(tool.name());
    let required = requires(s.mode, over, tool, owner);
    if required == Requires::Refused {
        let error = format!("security.toolOverrides.{} is deny", tool.name());
        return Err(ToolResult::no(Code::ToolDenied, error));
    }
    if tool == Tool::Cron {
        Wish::of(&admitted.call.args)?;
    }
    let exec = match &admitted.call.command {
        Some(command) => Some(exec(scene, tool, command, run)?),
        None => None,
    };
    let parts = exec.as_ref().and_then(|e| bash::parts(&e.inv, &e.eval));
    let covers = |p: &Pattern| p.covers(tool.name(), &admitted.call.args, parts.as_deref());
    let auto = s.auto_approve.iter().any(covers);
    let mode = over.unwrap_or(s.mode);
    let confirm =
        s.require_confirmation && at_hand && owner && tool.is_dangerous() && mode == Mode::OwnerOnly;
    let need = Need {
        tool: required == Requires::Approval && !auto,
        confirm: confirm && !auto,
        exec: exec.as_ref().is_some_and(|e| e.eval.decision == Decision::Ask),
    };
    Ok(Judged { need, admitted, exec })
}

/// Judges a command as it would run in its place.
fn exec(scene: &Scene, tool: Tool, command: &Command, run: Where) -> Result<Exec, ToolResult> {
    let s = &scene.settings.sandbox;
    let host = Host::beside_guard(scene.guard.as_ref().map(|(_, id)| *id));
    let place = match (tool, run) {
        (Tool::Bash, Where::Here) => {
            let chosen = sandbox::choose(s, &scene.env).map_err(|e| ToolResult::no(Code::NoSandbox, e))?;
            let place = Place::new(chosen);
            Some(place.map_err(|e| ToolResult::no(Code::Failed, format!("no private folder: {e}")))?)
        }
        // It runs later, and not in here.
        _ => None,
    };
    let cwd = command.cwd.as_deref().map(|c| folder::of(scene, &host, c)).transpose()?;
    let env = match &place {
        Some(place) => place.environment(&command.env),
        None if tool == Tool::Bash => sandbox::nominal(&command.env),
        None => {
            let mut env = vec![format!("PATH={}", sandbox::PATH).into_bytes()];
            env.extend(scene.home.iter().map(|h| [b"HOME=", h.as_slice()].concat()));
            env
        }
    };
    let inside = match (&cwd, &place) {
        (Some(cwd), _) => Some(cwd.as_os_str().as_encoded_bytes().to_vec()),
        // An empty folder of its own, by the same name in every backend: nothing relative is there.
        (None, _) if tool == Tool::Bash => Some(b"/workdir".to_vec()),
        (None, _) => scene.home.clone(),
    };
    let form = match &command.what {
        What::Text(text) => Form::Text { text: text.clone().into_bytes(), shell: None, args: Vec::new() },
        What::Words(words) => {
            let argv = words.iter().map(|w| w.clone().into_bytes()).collect();
            Form::Program { argv, by_link: false }
        }
    };
    let inv = Invocation {
        form,
        env,
        cwd: inside,
        agents: vec![AGENT.to_owned()],
        session: None,
        now_ms: sys::time::now_ms(),
        home: scene.home.clone(),
        unattended: true,
        guard: Guard { own_paths: scene.own.clone() },
    };
    let eval = policy::decide(&scene.policy, &inv, &host);
    if eval.decision == Decision::Deny {
        let ground = eval.ground().map(|f| format!("[{}] {}", f.reason.code(), f.message));
        return Err(ToolResult::no(Code::PolicyDenied, ground.unwrap_or_else(|| "denied".into())));
    }
    if let Some((path, e)) = host.fault() {
        let error = format!("{} could not be looked at: {e}", Shown::text(&path));
        return Err(ToolResult::no(Code::Failed, error));
    }
    bash::lists(s, &scene.policy.effective(AGENT), &inv, &host, &eval)
        .map_err(|e| ToolResult::no(Code::BlockedCommand, e))?;
    let folder = cwd.as_ref().and_then(|c| c.metadata().ok()).map(|m| (m.dev(), m.ino()));
    let sandbox = (tool == Tool::Bash).then(|| s.strength());
    Ok(Exec { place, inv, eval, cwd, folder, sandbox })
}

impl Judged {
    /// The call.
    pub fn call(&self) -> &Call {
        &self.admitted.call
    }

    /// Whose it is.
    pub fn who(&self) -> &Who {
        &self.admitted.who
    }

    /// What a yes is bound to: the call, whose it is, what the exec policy would have run, and in what sandbox.
    pub fn digest(&self) -> String {
        let a = &self.admitted;
        let exec = self.exec.as_ref().map(|e| policy::digest(&e.eval)).unwrap_or_default();
        let folder = self.exec.as_ref().and_then(|e| e.folder);
        let sandbox = self.exec.as_ref().and_then(|e| e.sandbox.as_ref());
        let all = serde_json::json!([a.call.tool.name(), a.who.user, a.call.args, exec, folder, sandbox]);
        protocol::mac::sha256(all.to_string().as_bytes())
    }

    /// The question for a person.
    pub fn question(&self, asker: Asker<'_>) -> WireQuestion {
        let judged = self.exec.as_ref().map(|e| (&e.eval, &e.inv));
        let a = &self.admitted;
        question::wire(&a.call, &a.who, self.need, judged, asker, &self.digest())
    }

    /// Does it. `yes` is the digest that somebody said yes to, and who; without one only what needs none is done. `id` is
    /// for the journal.
    pub fn carry(self, scene: &Scene, yes: Option<(&str, &str)>, id: &str) -> ToolResult {
        let (call, who) = (self.admitted.call.clone(), self.admitted.who.clone());
        let by = yes.map(|(_, by)| by.to_owned());
        let by = Some(by.unwrap_or_else(|| "policy".into()));
        let write = |event, result: Option<&ToolResult>| {
            record::write(scene, event, id, &call, &who, by.as_deref(), result)
        };
        let ready = match self.ready(yes) {
            Ok(ready) => ready,
            Err(no) => {
                let _ = write(Event::Denied, Some(&no));
                return no;
            }
        };
        if let Err(e) = write(Event::Started, None)
            && scene.journal_required
        {
            return ToolResult::no(Code::Journal, format!("the journal could not be written: {e}"));
        }
        let result = ready.done(scene, &call);
        let _ = write(if result.result.is_some() { Event::Finished } else { Event::Denied }, Some(&result));
        result
    }

    /// The last look: is there a yes for what needs one.
    fn ready(self, yes: Option<(&str, &str)>) -> Result<Ready, ToolResult> {
        let answered = match yes {
            Some((digest, _)) if digest == self.digest() => true,
            Some(_) => {
                let error = "what was said yes to is not what would run any more; ask again";
                return Err(ToolResult::no(Code::Rejected, error));
            }
            None => false,
        };
        if (self.need.tool || self.need.confirm) && !answered {
            return Err(nobody(self.exec.as_ref().and_then(|e| e.eval.ground())));
        }
        let permit = match &self.exec {
            None => None,
            Some(e) => Some(permit(&e.eval, answered).ok_or_else(|| nobody(e.eval.ground()))?),
        };
        Ok(Ready { exec: self.exec, permit })
    }
}

fn permit(eval: &Evaluation, answered: bool) -> Option<Permit> {
    match eval.decision {
        Decision::Allow => eval.permit(),
        Decision::Ask if answered => {
            eval.permit_of(&Answer::new(Choice::AllowOnce, policy::digest(eval), None))
        }
        // What the policy does where nobody can be asked.
        Decision::Ask => eval.fallback(),
        Decision::Deny => None,
    }
}

/// Nobody said yes; `ground` = what the exec policy asks about, if it does.
fn nobody(ground: Option<&Finding>) -> ToolResult {
    let mut error = String::new();
    if let Some(f) = ground.filter(|f| f.decision == Decision::Ask) {
        error = format!("[{}] {}", f.reason.code(), f.message);
        if let Some(advice) = &f.advice {
            error = format!("{error} ({advice})");
        }
        error.push_str(": ");
    }
    error.push_str(
        "a person has to say yes and none can be reached; start the approver: exec-guardctl approver start",
    );
    ToolResult::no(Code::NobodyToAsk, error)
}

struct Ready {
    exec: Option<Exec>,
    permit: Option<Permit>,
}

impl Ready {
    fn done(self, scene: &Scene, call: &Call) -> ToolResult {
        match call.tool {
            Tool::Bash => self.bash(scene, call),
            Tool::Cron => cron(scene, call),
            Tool::Canvas => {
                let commands = call.args.get("commands").cloned().unwrap_or_default();
                ToolResult::yes(Outcome::Passed { commands })
            }
            Tool::Browser | Tool::Image | Tool::File => ToolResult::yes(Outcome::Delegated {
                delegate: call.tool.name().to_owned(),
                args: serde_json::Value::Object(call.args.clone()),
            }),
        }
    }

    fn bash(self, scene: &Scene, call: &Call) -> ToolResult {
        let internal = || ToolResult::no(Code::Failed, "nothing to run");
        let (Some(exec), Some(permit), Some(command)) = (self.exec, self.permit, &call.command) else {
            return internal();
        };
        let Some(place) = exec.place else { return internal() };
        let s = &scene.settings.sandbox;
        let contained = matches!(place.backend(), Backend::Docker | Backend::Podman);
        let most = if contained { s.timeout_ms.min(s.container.timeout_ms) } else { s.timeout_ms };
        let how = How {
            timeout_ms: command.timeout_ms.unwrap_or(most).min(most),
            max_output: command.max_output.unwrap_or(s.max_output).min(s.max_output),
            cwd: exec.cwd.as_deref(),
            image: &s.container.image,
            client: &scene.env,
        };
        match place.run(&permit, &how) {
            Ok(ran) => {
                let (code, timed_out, told) = (ran.exit_code, ran.timed_out, ran.told);
                let mut result = ToolResult::yes(Outcome::Ran(ran));
                if told {
                    result.error = Some("nobody waits for the command any more: it was ended".into());
                } else if timed_out {
                    result.error = Some(format!("the command was ended after {} ms", how.timeout_ms));
                } else if code != 0 {
                    result.error = Some(format!("the command ended with exit code {code}"));
                }
                result.success = result.error.is_none();
                let code = if told { Code::Cancelled } else { Code::ExitCode };
                result.code = result.error.is_some().then_some(code);
                result
            }
            Err(e) => ToolResult::no(Code::Failed, format!("it was not started: {e}")),
        }
    }
}

fn cron(scene: &Scene, call: &Call) -> ToolResult {
    let Some(state) = &scene.state else {
        return ToolResult::no(Code::Failed, "there is no folder for state");
    };
    let wish = match Wish::of(&call.args) {
        Ok(wish) => wish,
        Err(no) => return no,
    };
    let guard = scene.guard.as_ref().map(|(path, _)| path.clone());
    match Crontab::new(scene.settings.crontab.as_deref(), guard, state) {
        Ok(tab) => tab.grant(&wish, call.command.as_ref().map(|c| &c.what)),
        Err(no) => no,
    }
}

/// A call that is one too many.
pub fn too_many(TooMany(left): TooMany) -> ToolResult {
    let error = "too many calls of this tool by this user; rateLimit tells until when";
    ToolResult::no(Code::RateLimited, error).left(Some(left))
}

/// What the approver has carried out: a call it admitted, and the yes it was given. Nobody without the socket's token can
/// make one.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Job {
    /// The tool.
    pub tool: String,
    /// The call.
    pub request: Request,
    /// Whose it is, as the approver found.
    pub user: String,
    /// Who sent it.
    pub sender: String,
    /// True if a gateway vouches for the name.
    pub vouched: bool,
    /// What was claimed and is not believed.
    pub claimed: Option<String>,
    /// What somebody said yes to: [`Judged::digest`].
    pub digest: Option<String>,
    /// Who.
    pub by: Option<String>,
    /// The question's id, or the call's.
    pub id: String,
    /// When, milliseconds since 1970: it is good for a minute.
    pub at_ms: u64,
    /// The MAC.
    #[serde(default)]
    pub hmac: String,
}

/// How long a job is good, milliseconds.
const FRESH_MS: u64 = 60_000;

impl Job {
    /// From text.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Job, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }

    fn body(&self) -> String {
        let bare = Job { hmac: String::new(), ..self.clone() };
        protocol::mac::sha256(serde_json::to_string(&bare).unwrap_or_default().as_bytes())
    }

    /// With its MAC, as text.
    pub fn signed(mut self, token: &Token) -> String {
        self.hmac = protocol::mac::sign(token, &["tool-job", &self.body()]);
        serde_json::to_string(&self).unwrap_or_default()
    }

    fn is_true(&self, token: &Token) -> bool {
        protocol::mac::verify(token, &["tool-job", &self.body()], &self.hmac)
    }
}

/// The call of a job that needs no process: another tool's. The job never left this process, so that it needs no proof.
pub fn hand_on(scene: &Scene, job: Job) -> ToolResult {
    match Tool::of(&job.tool) {
        Some(Tool::Bash | Tool::Cron) | None => ToolResult::no(Code::Failed, "not done here"),
        Some(_) => done(scene, job),
    }
}

/// Does a job.
pub fn work(scene: &Scene, job: Job) -> ToolResult {
    let proved = scene.token.as_ref().is_some_and(|t| job.is_true(t));
    if !proved {
        return ToolResult::no(Code::BadToken, "the job is not the approver's");
    }
    if sys::time::now_ms().saturating_sub(job.at_ms) > FRESH_MS {
        return ToolResult::no(Code::Failed, "the job is too old");
    }
    // The approver waits for us; without it nobody does.
    if let Err(e) = sys::cage::told::with_parent() {
        return ToolResult::no(Code::Failed, e.to_string());
    }
    done(scene, job)
}

fn done(scene: &Scene, job: Job) -> ToolResult {
    let call = match Call::of(&job.tool, job.request, &scene.settings) {
        Ok(call) => call,
        Err(no) => return no,
    };
    let owner = scene.settings.is_owner(&job.user);
    let who = Who { user: job.user, sender: job.sender, vouched: job.vouched, claimed: job.claimed, owner };
    match judge(scene, Admitted { call, who }, false, Where::Here) {
        Ok(judged) => judged.carry(scene, job.digest.as_deref().zip(job.by.as_deref()), &job.id),
        Err(no) => no,
    }
}
