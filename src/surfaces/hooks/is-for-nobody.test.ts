import { expect, it } from "bun:test"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { isForNobody } from "./is-for-nobody.ts"

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
  expect(await isForNobody(args, scratch.path)).toBe(false)
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
  const ask = `import { isForNobody } from "${join(import.meta.dir, "is-for-nobody.ts")}"
    console.log(await isForNobody(["hook", "stop", "--host", "codex"], ${JSON.stringify(scratch.path)}))`
  const { stdout } = Bun.spawnSync([process.execPath, "-e", ask], { stdin: new TextEncoder().encode(input) })
  expect(stdout.toString().trim()).toBe(String(isNobody))
})
