// Stands in for an agent that holds a plugin of exec-guard: node plugins.mjs KIND PLUGIN COMMAND [TOOL ARGUMENTS]
// Prints what the agent would do, as the agent was seen to read its plugin's answers.
const [kind, file, command, tool, other] = process.argv.slice(2);
const args = other === undefined ? { command } : JSON.parse(other);
const plugin = await import(file);
const say = (runs, reason, command) => console.log(JSON.stringify({ runs, reason, command }));
if (kind === "opencode") {
  const hooks = await plugin.ExecGuard({ directory: process.cwd() });
  const output = { args };
  try {
    await hooks["tool.execute.before"]({ tool: tool ?? "bash", sessionID: "s", callID: "c" }, output);
    say(true, null, output.args.command);
  } catch (e) {
    say(false, e.message);
  }
} else if (kind === "pi") {
  let handler;
  plugin.default({ on: (event, f) => (handler = event === "tool_call" ? f : handler) });
  const event = { type: "tool_call", toolName: tool ?? "bash", toolCallId: "c", input: args };
  const said = await handler(event, { cwd: process.cwd(), hasUI: false });
  if (said?.block) say(false, said.reason);
  else say(true, null, event.input.command);
} else {
  let handler;
  const api = { config: { agents: { defaults: { workspace: process.cwd() } } }, on: (e, f) => (handler = f) };
  plugin.default.register(api);
  const event = { toolName: tool ?? "exec", params: args };
  const said = await handler(event, { agentId: "main", sessionKey: "k" });
  if (said?.block) say(false, said.blockReason);
  else if (said?.requireApproval) say(false, said.requireApproval.description);
  else say(true, null, said?.params?.command ?? command);
}
