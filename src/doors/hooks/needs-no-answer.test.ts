import { expect, it } from "bun:test"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { needsNoAnswer } from "./needs-no-answer.ts"

/** Nothing of what is asked here needs a look at the store. */
const never = () => Promise.reject(new Error("the store is asked"))

it.each([
  [["hook"]],
  [["hook", "--help"]],
  [["hook", "--host", "gemini", "stop"]],
  [["hook", "stop", "--help"]],
  [["hook", "pre-tool-use", "--managed", "rules.json"]],
  [["hook", "stop", "--host", "claude", "--store", "x"]],
  [["hook", "SessionStart"]],
  [["hook", "session-start", "--host", "gemini"]],
  [["task", "list"]],
  [[]],
])("leaves %p to the command, without reading its input", async (args) => {
  using scratch = makeScratch()
  expect(await needsNoAnswer(args, scratch.path, never)).toBe(false)
})

it.each([
  ['{"session_id": "nobody"}', true],
  ['{"session_id": ""}', true],
  ['{"session_id": "../seats/somebody"}', true],
  ['{"session_id": "somebody"}', false],
  ['{"session_id": 7}', false],
  ["null", false],
  ["{", false],
  ["", false],
])("of a call %p says %p", async (input, isNobody) => {
  using scratch = makeScratch()
  await Bun.write(join(scratch.path, "seats/somebody"), "{}")
  const ask = `import { needsNoAnswer } from "${join(import.meta.dir, "needs-no-answer.ts")}"
    console.log(await needsNoAnswer(["hook", "stop", "--host", "codex"], ${JSON.stringify(scratch.path)}, ${never}))`
  const { stdout } = Bun.spawnSync([process.execPath, "-e", ask], { stdin: new TextEncoder().encode(input) })
  expect(stdout.toString().trim()).toBe(String(isNobody))
})

const use = (tool: string, command: string, session: string) =>
  JSON.stringify({ session_id: session, tool_name: tool, tool_input: { command } })

it.each([
  ["PreToolUse", use("Bash", "npm test", "worker"), true],
  ["BeforeTool", use("read_file", "", "worker"), true],
  ["PreToolUse", use("Bash", "npm test", "strict"), false],
  ["PreToolUse", use("Bash", "npm test", "older"), false],
  ["PreToolUse", use("Bash", "apply_patch <<E\\n*** Begin Patch", "worker"), false],
  ["PreToolUse", use("Write", "", "worker"), false],
  ["PreToolUse", use("mcp__disk__put", "", "worker"), false],
  ["PostToolUse", use("Bash", "npm test", "worker"), false],
  ["Stop", use("Bash", "npm test", "worker"), false],
])("at %s of a session that joined, with %s, says %p", async (event, input, isLetGo) => {
  using scratch = makeScratch()
  for (const [name, marker] of Object.entries({ worker: { guards: "writes" }, strict: { guards: "all" }, older: {} }))
    await Bun.write(join(scratch.path, "seats", name), JSON.stringify(marker))
  const ask = `import { needsNoAnswer } from "${join(import.meta.dir, "needs-no-answer.ts")}"
    console.log(await needsNoAnswer(["hook", "${event}"], ${JSON.stringify(scratch.path)}, ${never}))`
  const { stdout } = Bun.spawnSync([process.execPath, "-e", ask], { stdin: new TextEncoder().encode(input) })
  expect(stdout.toString().trim()).toBe(String(isLetGo))
})
