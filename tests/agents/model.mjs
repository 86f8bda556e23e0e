// A model that asks for given commands, one a turn, and then says that it is done. It speaks what agents speak: OpenAI's
// Responses and Chat Completions, Anthropic's Messages, Google's generateContent. Everything it is told is kept.
import http from "node:http";

// Names of the tools that run a shell command, and no other.
const TOOLS = ["exec_command", "shell_command", "shell", "bash", "Bash", "run_shell_command", "exec"];

const text = (x) => {
  if (typeof x === "string") return x;
  if (Array.isArray(x)) return x.map(text).join("\n");
  if (x && typeof x === "object") {
    for (const key of ["text", "output", "content", "error"]) if (key in x) return text(x[key]);
  }
  return JSON.stringify(x ?? null);
};

// Arguments of a call by the tool's schema: the command, and something for whatever else has to be there.
const argumentsOf = (schema, command) => {
  const properties = schema?.properties || {};
  const out = {};
  out["cmd" in properties ? "cmd" : "command"] = command;
  const filler = { boolean: false, integer: 60000, number: 60000, array: [], object: {} };
  for (const name of schema?.required || []) {
    const type = properties[name]?.type;
    out[name] ??= properties[name]?.enum?.[0] ?? filler[String(type).toLowerCase()] ?? "a command";
  }
  return out;
};

// What to say to a request with these tools, after these results.
const turn = (state, tools, results) => {
  const tool = TOOLS.map((name) => tools.find((t) => t.name === name)).find((t) => t);
  if (!tool) return { say: "done" };
  if (results.length > state.results.length) state.results = results;
  const command = state.commands[results.length];
  if (command === undefined) {
    state.finished?.();
    return { say: "done" };
  }
  return { tool: tool.name, args: argumentsOf(tool.schema, command), id: `call_${results.length}` };
};

const stream = (response, events, { named = false, end = false } = {}) => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const e of events) response.write(`${named ? `event: ${e.type}\n` : ""}data: ${JSON.stringify(e)}\n\n`);
  response.end(end ? "data: [DONE]\n\n" : "");
};

const json = (response, value) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};

const responses = (state, request, response) => {
  const tools = [];
  const add = (list) => {
    for (const t of list || []) {
      if (t.type === "function") tools.push({ name: t.name, schema: t.parameters });
      else if (t.type === "namespace") add(t.tools);
    }
  };
  add(request.tools);
  const input = Array.isArray(request.input) ? request.input : [];
  const does = turn(state, tools, input.filter((i) => i.type?.endsWith("_output")).map((i) => text(i.output ?? "")));
  const item = does.tool
    ? { type: "function_call", id: `f${does.id}`, call_id: does.id, name: does.tool, arguments: JSON.stringify(does.args), status: "completed" }
    : { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: does.say, annotations: [] }] };
  const base = { id: "resp_1", object: "response", created_at: 0, model: request.model, status: "in_progress", output: [] };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  const whole = { ...base, status: "completed", output: [item], usage };
  if (request.stream === false) return json(response, whole);
  return stream(response, [
    { type: "response.created", response: base },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: whole },
  ], { named: true });
};

const chat = (state, request, response) => {
  const tools = (request.tools || []).filter((t) => t.function).map((t) => ({ name: t.function.name, schema: t.function.parameters }));
  const results = (request.messages || []).filter((m) => m.role === "tool").map((m) => text(m.content ?? ""));
  const does = turn(state, tools, results);
  const calls = [{ index: 0, id: does.id, type: "function", function: { name: does.tool, arguments: JSON.stringify(does.args) } }];
  const delta = does.tool ? { role: "assistant", content: null, tool_calls: calls } : { role: "assistant", content: does.say };
  const finish_reason = does.tool ? "tool_calls" : "stop";
  const base = { id: "chat_1", created: 0, model: request.model };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  if (!request.stream) {
    return json(response, { ...base, object: "chat.completion", usage, choices: [{ index: 0, message: delta, finish_reason }] });
  }
  const chunk = { ...base, object: "chat.completion.chunk" };
  return stream(response, [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage },
  ], { end: true });
};

const messages = (state, request, response) => {
  const tools = (request.tools || []).map((t) => ({ name: t.name, schema: t.input_schema }));
  const parts = (request.messages || []).flatMap((m) => (Array.isArray(m.content) ? m.content : []));
  const does = turn(state, tools, parts.filter((p) => p.type === "tool_result").map((p) => text(p.content ?? "")));
  const block = does.tool ? { type: "tool_use", id: `toolu_${does.id}`, name: does.tool, input: does.args } : { type: "text", text: does.say };
  const stop_reason = does.tool ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: request.model, content: [], stop_reason: null, stop_sequence: null, usage };
  if (!request.stream) return json(response, { ...message, content: [block], stop_reason });
  const [start, delta] = does.tool
    ? [{ ...block, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(does.args) }]
    : [{ type: "text", text: "" }, { type: "text_delta", text: does.say }];
  return stream(response, [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: start },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ], { named: true });
};

const google = (state, request, response, path) => {
  const tools = (request.tools || []).flatMap((t) => t.functionDeclarations || []).map((f) => ({ name: f.name, schema: f.parametersJsonSchema || f.parameters }));
  const parts = (request.contents || []).flatMap((c) => c.parts || []);
  const results = parts.filter((p) => p.functionResponse).map((p) => text(p.functionResponse.response ?? ""));
  const shape = request.generationConfig?.responseJsonSchema || request.generationConfig?.responseSchema;
  let part;
  if (!tools.length && shape) {
    const filler = { boolean: true, number: 1, integer: 1, array: [] };
    const row = ([name, p]) => [name, p.enum?.[0] ?? filler[String(p.type).toLowerCase()] ?? "done"];
    part = { text: JSON.stringify(Object.fromEntries(Object.entries(shape.properties || {}).map(row))) };
  } else {
    const does = turn(state, tools, results);
    part = does.tool ? { functionCall: { name: does.tool, args: does.args } } : { text: does.say };
  }
  const value = {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: "mock",
  };
  return path.includes("stream") ? stream(response, [value]) : json(response, value);
};

const answer = (state, request, response, path) => {
  if (path.endsWith("/responses")) return responses(state, request, response);
  if (path.endsWith("/chat/completions")) return chat(state, request, response);
  if (path.endsWith("/messages/count_tokens")) return json(response, { input_tokens: 1 });
  if (path.endsWith("/messages")) return messages(state, request, response);
  if (path.includes(":countTokens")) return json(response, { totalTokens: 1 });
  if (/:(stream)?[gG]enerateContent/.test(path)) return google(state, request, response, path);
  if (path.endsWith("/models")) return json(response, { object: "list", models: [], data: [{ id: "mock-model", object: "model" }] });
  return json(response, {});
};

/** Starts it on a port of 127.0.0.1; `results` of the state it returns are what came of the commands. */
export const start = (port, commands) =>
  new Promise((ready, fail) => {
    const state = { commands, results: [], seen: [] };
    const server = http.createServer((request, response) => {
      const chunks = [];
      request.on("data", (c) => chunks.push(c));
      request.on("end", () => {
        const path = request.url.split("?")[0];
        state.seen.push(`${request.method} ${path}`);
        let value = {};
        try {
          value = JSON.parse(Buffer.concat(chunks).toString() || "{}");
        } catch {
          // A body that cannot be read asks for nothing.
        }
        answer(state, value, response, path);
      });
    });
    server.on("error", fail);
    server.listen(port, "127.0.0.1", () => ready(state));
  });
