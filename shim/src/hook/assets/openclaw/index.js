// exec-guard in OpenClaw (follows 2026.9.6): a plugin.
//
// Before the shell tool runs, `exec-guard hook openclaw` is asked. Whatever is not its yes is a no: a program that cannot
// be started, no answer in time, an answer of another shape.
import { spawn } from "node:child_process";
import os from "node:os";

const GUARD = "@EXEC_GUARD@";
const LIMIT_MS = 14500;

// Names of what a tool is handed that it may run, as in protocol/src/hook/handed.rs: another tool's calls, too.
const RUNS =
  /(commands?|cmds?|cmdlines?|commandlines?|argv|shell|bash)$|^(command(string|text|torun)|exec|execute|executable|program|run|sh|(shell|bash)?scripts?|script(body|text)|toexecute|zsh|code|javascript|powershell|pwsh|python|sourcecode|stdin|toolcalls)$/;
const inner = (v) => {
  if (typeof v !== "string" || !/^\s*[[{]/.test(v)) return v;
  try {
    return JSON.parse(v);
  } catch {
    return v;
  }
};
const runs = (v) =>
  v !== null &&
  typeof v === "object" &&
  ((!Array.isArray(v) && Object.keys(v).some((name) => RUNS.test(name.toLowerCase().replace(/[^a-z0-9]/g, "")))) ||
    Object.values(v).some((w) => runs(inner(w))));
// A shell by its name: what it is handed may be typed there.
const SHELLS = /(^|[^a-z])(bash|cmd|exec|powershell|pty|pwsh|sh|shell|ssh|stdin|terminal|tmux|tty|zsh)([^a-z]|$)/;
const shell = (tool) => SHELLS.test(String(tool).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase());

const no = (why) => ({ decision: "deny", reason: `exec-guard: ${why}` });

const read = (text, code) => {
  let said;
  try {
    said = JSON.parse(text);
  } catch {
    return no(`no answer, exit code ${code}; the command must not run`);
  }
  if (said === null || typeof said !== "object" || said.execGuard !== 1) return no("an answer of another shape");
  if (said.decision === "deny") return { decision: "deny", reason: String(said.reason || "exec-guard: denied") };
  const fine = code === 0 && (said.command === undefined || typeof said.command === "string");
  if (fine && ["allow", "ask", "pass"].includes(said.decision)) return said;
  return no("an answer of another shape");
};

const ask = (call) =>
  new Promise((done) => {
    let out = "";
    let child;
    try {
      child = spawn(GUARD, ["hook", "openclaw"], { stdio: ["pipe", "pipe", "ignore"] });
    } catch (e) {
      return done(no(`${GUARD} cannot be started: ${e.message}`));
    }
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      done(no("no answer in time"));
    }, LIMIT_MS);
    const end = (answer) => {
      clearTimeout(late);
      done(answer);
    };
    child.on("error", (e) => end(no(`${GUARD} cannot be started: ${e.message}`)));
    child.on("close", (code) => end(read(out, code)));
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (more) => {
      out += more;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(call));
  });

// The folder a command runs in that names none: the agent's workspace.
const workspace = (config, agent) => {
  const own = (config?.agents?.list || []).find((a) => a.id === agent)?.workspace;
  const dir = own || config?.agents?.defaults?.workspace || process.cwd();
  return dir === "~" || dir.startsWith("~/") ? os.homedir() + dir.slice(1) : dir;
};

export default {
  id: "exec-guard",
  name: "exec-guard",
  description: "Commands are judged by policy before they run",
  register(api) {
    api.on("before_tool_call", async (event, ctx) => {
      const command = event.params?.command;
      // Other tools are not asked about, unless they carry a command or are named like a shell.
      if (event.toolName !== "process" && !shell(event.toolName) && !runs(event.params)) return undefined;
      const block = (reason) => ({ block: true, blockReason: reason || "exec-guard: denied" });
      try {
        const said = await ask({
          event: { toolName: event.toolName, params: event.params },
          ctx: { agentId: ctx?.agentId, sessionKey: ctx?.sessionKey },
          cwd: workspace(api.config, ctx?.agentId),
        });
        if (event.params?.command !== command) return block("exec-guard: the command changed while it was judged");
        if (said.decision === "pass" && event.toolName !== "exec" && event.toolName !== "bash") return undefined;
        if (said.decision === "ask") {
          const description = command === undefined ? said.reason : `${said.reason}\n\n${command}`;
          const ends = { timeoutMs: 120000, timeoutBehavior: "deny" };
          return { requireApproval: { title: "exec-guard", description, severity: "warning", ...ends } };
        }
        if (said.decision !== "allow") return block(said.reason);
        return said.command === undefined ? undefined : { params: { ...event.params, command: said.command } };
      } catch (e) {
        return block(`exec-guard: ${e.message}`);
      }
    });
  },
};
