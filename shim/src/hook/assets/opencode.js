// exec-guard in OpenCode (follows 1.18.33): a plugin, ~/.config/opencode/plugins/exec-guard.js
//
// Before a tool runs that may run commands, `exec-guard hook opencode` is asked. Whatever is not its yes is a no: a program
// that cannot be started, no answer in time, an answer of another shape. Throwing is the only no that OpenCode takes.
import { spawn } from "node:child_process";

const AGENT = "opencode";
const GUARD = "@EXEC_GUARD@";
const LIMIT_MS = 115000;

// Its own tools that run nothing, as in protocol/src/hook/opencode.rs. Every other is asked about: what its input comes to,
// the guard knows.
const QUIET = new Set(
  (
    "codesearch edit glob grep invalid list lsp multiedit patch question read skill task todoread " +
    "todowrite webfetch websearch write"
  ).split(" "),
);

export const ExecGuard = async (plugin) => ({
  "tool.execute.before": async (input, output) => {
    const command = output?.args?.command;
    if (QUIET.has(input.tool)) return;
    const said = await ask({
      tool: input.tool,
      sessionID: input.sessionID,
      callID: input.callID,
      args: output.args,
      cwd: plugin?.directory || process.cwd(),
    });
    if (said.decision === "pass" && input.tool !== "bash") return;
    if (said.decision !== "allow" || output?.args?.command !== command) {
      throw new Error(said.reason || "exec-guard: denied");
    }
    // Only this is looked at; another object in place of the arguments is ignored.
    if (said.command !== undefined) output.args.command = said.command;
  },
});
