// The plugin that `teamwork init` writes for OpenCode, called as OpenCode calls it; in place of the program one that
// writes down what it is asked and answers as told. The real OpenCode loads it in test/clis/init.test.ts.
import { expect, it } from "bun:test"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

const SOURCE = join(import.meta.dir, "../../src/engine/init/opencode-plugin.txt")

/** Runs `script` with the hooks of the plugin and a client that notes prompts; what it printed as JSON. */
function use(script: string, program: string | null) {
  using scratch = makeScratch()
  const at = (name: string) => join(scratch.path, name)
  writeFileSync(at("plugin.mjs"), readFileSync(SOURCE))
  const prompts =
    "const prompts = []; const client = { session: { prompt: async (asked) => void prompts.push(asked) } }"
  const start = `import { Teamwork } from "./plugin.mjs"; ${prompts}; const hooks = await Teamwork({ client, directory: ${JSON.stringify(scratch.path)} })`
  writeFileSync(at("use.mjs"), `${start}\n${script}`)
  if (program !== null) {
    writeFileSync(at("teamwork"), `#!/bin/sh\nread -r call; echo "$* $call" >>'${at("log")}'\n${program}\n`)
    chmodSync(at("teamwork"), 0o755)
  }
  const PATH = [scratch.path, "/usr/bin", "/bin"].join(delimiter)
  const { stdout, stderr } = Bun.spawnSync([process.execPath, at("use.mjs")], { env: sandboxEnv({ PATH }) })
  const log = program === null ? "" : readFileSync(at("log"), "utf8")
  const asked = log.split("\n").filter((line) => line !== "")
  return {
    said: stdout.toString() === "" ? stderr.toString() : JSON.parse(stdout.toString()),
    asked: asked.map((line) => {
      const call = JSON.parse(line.slice(line.indexOf("{")))
      return { ...call, command: line.slice(0, line.indexOf(" {")), isHere: call.cwd === scratch.path }
    }),
  }
}

const answer = (value: unknown) => `echo '${JSON.stringify(value)}'`

it("keeps a tool from being used, with the reason, and tells of those that were", () => {
  const deny = { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "not yours" } }
  const { said, asked } = use(
    `const use = { tool: "write", sessionID: "ses_1", callID: "c1", args: { filePath: "b" } }
    const why = await hooks["tool.execute.before"](use, { args: { filePath: "a" } }).catch((error) => error.message)
    await hooks["tool.execute.after"](use, { output: "done" })
    console.log(JSON.stringify(why))`,
    answer(deny),
  )
  expect(said).toBe("not yours")
  const known = { session_id: "ses_1", tool_name: "write", tool_use_id: "c1", isHere: true }
  expect(asked).toMatchObject([
    { ...known, command: "hook pre-tool-use --host opencode", tool_input: { filePath: "a" } },
    { ...known, command: "hook post-tool-use --host opencode", tool_input: { filePath: "b" }, tool_response: "done" },
  ])
})

it("sends a session on that comes to rest, says so the next time, and lets it rest in the end", () => {
  const script = `const idle = { event: { type: "session.idle", properties: { sessionID: "ses_1" } } }
    for (let round = 0; round < 3; round++) await hooks.event(idle)
    console.log(JSON.stringify(prompts))`
  const program = `case "$call" in *'"stop_hook_active":true'*) exit 0 ;; esac; ${answer({ decision: "block", reason: "task 2" })}`
  const { said, asked } = use(script, program)
  const prompt = { path: { id: "ses_1" }, body: { parts: [{ type: "text", text: "task 2" }] } }
  expect(said).toEqual([prompt, prompt])
  expect(asked.map((call) => call.stop_hook_active)).toEqual([false, true, false])
})

it("adds what the team has to say to what the person typed, and gives commands the session's id", () => {
  const { said, asked } = use(
    `const parts = [{ type: "file" }, { type: "text", text: "hello" }]; const env = {}
    await hooks["chat.message"]({ sessionID: "ses_1" }, { parts })
    await hooks["shell.env"]({ sessionID: "ses_1" }, { env })
    await hooks["shell.env"]({}, { env: {} })
    await hooks.event({ event: { type: "session.deleted", properties: { info: { id: "ses_1" } } } })
    console.log(JSON.stringify({ parts, env }))`,
    answer({ hookSpecificOutput: { additionalContext: "2 messages" } }),
  )
  expect(said).toEqual({
    parts: [{ type: "file" }, { type: "text", text: "hello\n\n2 messages" }],
    env: { TEAMWORK_TERMINAL_ID: "ses_1" },
  })
  expect(asked).toMatchObject([
    { command: "hook prompt --host opencode", prompt: "hello" },
    { command: "hook session-end --host opencode", session_id: "ses_1" },
  ])
})

it.each([
  ["there is no program", null],
  ["it fails", "exit 2"],
  ["it says nothing that can be read", "echo nonsense"],
  ["it does not listen", "exec <&-; exit 1"],
])("goes on when %s", (_, program) => {
  const { said } = use(
    `const use = { tool: "write", sessionID: "s", callID: "c", args: {} }
    await hooks["tool.execute.before"](use, { args: { content: "x".repeat(300_000) } })
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } })
    console.log(JSON.stringify(prompts))`,
    program,
  )
  expect(said).toEqual([])
})
