// exec-guard in OpenClaw (follows 2026.9.6): a plugin.
//
// Before a tool runs that may run commands, `exec-guard hook openclaw` is asked. Whatever is not its yes is a no: a program
// that cannot be started, no answer in time, an answer of another shape.
import { spawn } from "node:child_process";
import os from "node:os";

const AGENT = "openclaw";
const GUARD = "@EXEC_GUARD@";
const LIMIT_MS = 14500;

// Its own tools that run nothing, as in protocol/src/hook/openclaw.rs. Every other is asked about: what its input comes to,
// the guard knows.
const QUIET = new Set(
  (
    "agents_list apply_patch browser canvas edit image memory_get memory_search message read " +
    "session_status sessions_history sessions_list sessions_send tts web_fetch web_search write"
  ).split(" "),
);

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
      if (QUIET.has(event.toolName)) return undefined;
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
