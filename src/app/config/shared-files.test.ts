import { expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { loadConfig } from "./load-config.ts"
import { SHARED_BY_DEFAULT, sharedUnlessSet } from "./shared-files.ts"

it.each([
  ["nothing is set", undefined, {}, true],
  ["something else is set", '{"team": {"maxAgents": 2}}', {}, true],
  ["the file is broken", "{", {}, true],
  ["the file sets it", '{"ownership": {"shared": ["x"]}}', {}, false],
  ["the file sets it in other letters", '{"ownership": {"\\u0073hared": ["x"]}}', {}, false],
  ["a variable sets it", undefined, { TEAMWORK_OWNERSHIP_SHARED: "x" }, false],
  ["a variable is empty", undefined, { TEAMWORK_OWNERSHIP_SHARED: "" }, true],
])("when %s, it is known without loading the settings: %#", async (_, text, env, isKnown) => {
  using scratch = makeScratch()
  const file = join(scratch.path, "teamwork.json")
  if (text !== undefined) writeFileSync(file, text)
  const shared = sharedUnlessSet(env, [join(scratch.path, "config.json"), file])
  expect(shared).toEqual(isKnown ? SHARED_BY_DEFAULT : undefined)
  if (!isKnown || text === "{") return
  // What it says is what the settings say.
  const all = await loadConfig({ env: { ...env, HOME: scratch.path }, cwd: scratch.path })
  expect(all.config("ownership.shared")).toEqual([...SHARED_BY_DEFAULT])
})

it("a file that cannot be read may say anything", () => {
  using scratch = makeScratch()
  mkdirSync(join(scratch.path, "config.json"))
  expect(sharedUnlessSet({}, [join(scratch.path, "config.json")])).toBeUndefined()
})
