// The plugin that `teamwork init` writes for OpenCode, called as OpenCode calls it; in place of the program one that
// writes down what it is asked and answers as told. The real OpenCode loads it in test/clis.
import { expect, it } from "bun:test"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

const SOURCE = join(import.meta.dir, "../../src/doors/setup/opencode-plugin.txt")

/** Runs `script` with the hooks of the plugin and a client that notes prompts; what it printed as JSON. */
function use(script: string, program: string | null) {
  using scratch = makeScratch()
  const at = (name: string) => join(scratch.path, name)
  writeFileSync(at("plugin.mjs"), readFileSync(SOURCE))
  const prompts =
    "const prompts = []; const client = { session: { promptAsync: async (asked) => void prompts.push(asked) } }"
  const start = `import { Teamwork } from "./plugin.mjs"; ${prompts}; const hooks = await Teamwork({ client, directory: ${JSON.stringify(scratch.path)} })`
  writeFileSync(at("use.mjs"), `${start}\n${script}`)
  if (program !== null) {
    writeFileSync(at("teamwork"), `#!/bin/sh\nread -r call; echo "$* $call" >>'${at("log")}'\n${program}\n`)
    chmodSync(at("teamwork"), 0o755)
  }
  const PATH = [scratch.path, "/usr/bin", "/bin"].join(delimiter)
  const { stdout, stderr } = Bun.spawnSync([process.execPath, at("use.mjs")], { env: sandboxEnv({ PATH }) })
  const log = existsSync(at("log")) ? readFileSync(at("log"), "utf8") : ""
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
const context = (text: string) => answer({ hookSpecificOutput: { additionalContext: text } })

it("keeps a tool from being used, with the reason, and tells of those that were", () => {
  const deny = { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "not yours" } }
  const { said, asked } = use(
    `const use = { tool: "bash", sessionID: "ses_1", callID: "c1", args: { command: "b" } }
    const why = await hooks["tool.execute.before"](use, { args: { command: "a" } }).catch((error) => error.message)
    await hooks["tool.execute.after"](use, { output: "done", metadata: { exit: 3 } })
    console.log(JSON.stringify(why))`,
    answer(deny),
  )
  expect(said).toBe("not yours")
  const known = { session_id: "ses_1", tool_name: "bash", tool_use_id: "c1", isHere: true }
  expect(asked).toMatchObject([
    { ...known, command: "hook pre-tool-use --host opencode", tool_input: { command: "a" } },
    {
      ...{ ...known, command: "hook post-tool-use --host opencode" },
      ...{ tool_input: { command: "b" }, tool_response: { output: "done", exit: 3 } },
    },
  ])
})

it("sends a session on that comes to rest, says so the next time, and lets it rest in the end", () => {
  const script = `const idle = { event: { type: "session.idle", properties: { sessionID: "ses_1" } } }
    const typed = (text) => hooks["chat.message"]({ sessionID: "ses_1" }, { message: {}, parts: [{ type: "text", text }] })
    for (let round = 0; round < 3; round++) await hooks.event(idle)
    await typed("task 2"); await hooks.event(idle)
    await hooks.event(idle); await typed("something else"); await hooks.event(idle)
    console.log(JSON.stringify(prompts))`
  const program = `case "$call" in *'"prompt"'* | *'"source"'* | *'"stop_hook_active":true'*) exit 0 ;; esac; ${answer({ decision: "block", reason: "task 2" })}`
  const { said, asked } = use(script, program)
  const prompt = { path: { id: "ses_1" }, body: { parts: [{ type: "text", text: "task 2" }] } }
  expect(said).toEqual([prompt, prompt, prompt, prompt])
  const stops = asked.filter(({ command }) => command.startsWith("hook stop"))
  // What teamwork said itself comes back as a prompt; what a person types begins anew.
  expect(stops.map((call) => call.stop_hook_active)).toEqual([false, true, false, true, false, false])
})

it("adds what the team has to say, unseen, and begins and ends a session once", () => {
  const { said, asked } = use(
    `const parts = []; const env = {}
    const say = async (text) => {
      const turn = [{ type: "file" }, { type: "text", text }]
      await hooks["chat.message"]({ sessionID: "ses_1" }, { message: { id: "msg_1" }, parts: turn })
      parts.push(turn)
    }
    await say("hello"); await say("again")
    await hooks["shell.env"]({ sessionID: "ses_1" }, { env })
    await hooks["shell.env"]({}, { env: {} })
    const gone = { event: { type: "session.deleted", properties: { info: { id: "ses_1" } } } }
    await hooks.event(gone); await hooks.event(gone); await hooks.dispose()
    console.log(JSON.stringify({ parts, env }))`,
    context("2 messages"),
  )
  const added = { sessionID: "ses_1", messageID: "msg_1", type: "text", text: "2 messages", synthetic: true }
  expect(said).toMatchObject({
    parts: [
      [{ type: "file" }, { type: "text", text: "hello" }, added, added],
      [{ type: "file" }, { type: "text", text: "again" }, added],
    ],
    env: { TEAMWORK_TERMINAL_ID: "ses_1" },
  })
  expect(asked.map(({ command, session_id, prompt }) => [command.split(" ")[1], session_id, prompt])).toEqual([
    ["session-start", "ses_1", undefined],
    ["prompt", "ses_1", "hello"],
    ["prompt", "ses_1", "again"],
    ["session-end", "ses_1", undefined],
  ])
})

it("takes the sessions of subagents for those that started them, and ends with the program", () => {
  const { said, asked } = use(
    `const created = (id, parentID) => hooks.event({ event: { type: "session.created", properties: { sessionID: id, info: { id, parentID } } } })
    await created("ses_1"); await created("ses_2", "ses_1"); await created("ses_3", "ses_2")
    const say = (sessionID) => hooks["chat.message"]({ sessionID }, { message: { id: "m" }, parts: [] })
    await say("ses_1"); await say("ses_3")
    const result = { output: "done" }; const env = {}
    await hooks["tool.execute.after"]({ tool: "write", sessionID: "ses_3", callID: "c", args: {} }, result)
    await hooks["shell.env"]({ sessionID: "ses_3" }, { env })
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "ses_3" } } })
    await hooks.dispose()
    console.log(JSON.stringify({ result, env, prompts }))`,
    context("mind it"),
  )
  expect(said).toEqual({ result: { output: "done\n\nmind it" }, env: { TEAMWORK_TERMINAL_ID: "ses_1" }, prompts: [] })
  expect(asked.map(({ command, session_id }) => `${command.split(" ")[1]} ${session_id}`)).toEqual(
    ["session-start", "prompt", "post-tool-use", "subagent-stop", "session-end"].map((event) => `${event} ses_1`),
  )
})

it.each([
  ["there is no program", null],
  ["it fails", "exit 2"],
  ["it says nothing that can be read", "echo nonsense"],
  ["it says nothing at all", "echo null"],
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
