// What follows stands behind the piece for each agent whose plugins run in its own process: how the guard is asked.

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
      child = spawn(GUARD, ["hook", AGENT], { stdio: ["pipe", "pipe", "ignore"] });
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
