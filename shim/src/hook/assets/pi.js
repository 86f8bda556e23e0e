// exec-guard in pi (follows 0.73.1): an extension, ~/.pi/agent/extensions/exec-guard.js
//
// Before a tool runs that may run commands, `exec-guard hook pi` is asked. Whatever is not its yes is a no: a program that
// cannot be started, no answer in time, an answer of another shape.
import { spawn } from "node:child_process";

const AGENT = "pi";
const GUARD = "@EXEC_GUARD@";
const LIMIT_MS = 115000;

// Its own tools that run nothing, as in protocol/src/hook/pi.rs. Every other is asked about: what its input comes to,
// the guard knows.
const QUIET = new Set("edit find grep ls read write".split(" "));

export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    const command = event.input?.command;
    if (QUIET.has(event.toolName)) return undefined;
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
