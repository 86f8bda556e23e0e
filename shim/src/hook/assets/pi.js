// exec-guard in pi (follows 0.73.1): an extension, ~/.pi/agent/extensions/exec-guard.js
//
// Before the shell tool runs, `exec-guard hook pi` is asked. Whatever is not its yes is a no: a program that cannot be
// started, no answer in time, an answer of another shape.
import { spawn } from "node:child_process";

const GUARD = "@EXEC_GUARD@";
const LIMIT_MS = 115000;

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
      child = spawn(GUARD, ["hook", "pi"], { stdio: ["pipe", "pipe", "ignore"] });
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

export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    const command = event.input?.command;
    // Other tools are not asked about, unless they carry a command or are named like a shell.
    if (event.toolName !== "bash" && !shell(event.toolName) && !runs(event.input)) return undefined;
    const block = (reason) => ({ block: true, reason: reason || "exec-guard: denied" });
    try {
      const said = await ask({
        toolName: event.toolName,
        toolCallId: event.toolCallId,
        input: event.input,
        cwd: ctx?.cwd || process.cwd(),
      });
      if (event.input?.command !== command) return block("exec-guard: the command changed while it was judged");
      if (said.decision === "pass" && event.toolName !== "bash") return undefined;
      if (said.decision === "ask") {
        const yes = ctx?.hasUI && (await ctx.ui.confirm("exec-guard", `${said.reason}\n\n${command ?? JSON.stringify(event.input)}`));
        return yes === true ? undefined : block(said.reason);
      }
      if (said.decision !== "allow") return block(said.reason);
      if (said.command !== undefined) event.input.command = said.command;
      return undefined;
    } catch (e) {
      return block(`exec-guard: ${e.message}`);
    }
  });
}
