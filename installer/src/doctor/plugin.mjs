// Calls a plugin of an agent as the agent would, with one command; prints what came of it. Arguments: agent, file, command, folder.
const [agent, file, command, cwd] = process.argv.slice(-4);
const plugin = await import(file);
let no;
try {
  if (agent === "opencode") {
    const hooks = await plugin.ExecGuard({ directory: cwd });
    await hooks["tool.execute.before"]({ tool: "bash", sessionID: "doctor", callID: "probe" }, { args: { command } });
  } else if (agent === "pi") {
    let hook;
    plugin.default({ on: (name, f) => (hook = name === "tool_call" ? f : hook) });
    const said = await hook({ toolName: "bash", toolCallId: "probe", input: { command } }, { cwd });
    if (said?.block) no = said.reason;
  } else {
    let hook;
    plugin.default.register({ config: {}, on: (name, f) => (hook = name === "before_tool_call" ? f : hook) });
    const said = await hook({ toolName: "exec", params: { command } }, { agentId: "main", sessionKey: "doctor" });
    if (said?.block) no = said.blockReason;
  }
} catch (e) {
  no = e.message;
}
console.log(JSON.stringify({ no: no ?? null }));
