import { expect, it } from "bun:test"
import { owning } from "../support/agents.ts"
import { cliSuite } from "./cli.suite.ts"
import { makeWorld, NO_FILE, readIn } from "./cli-world.ts"
import { OPENCODE } from "./programs.ts"

cliSuite(OPENCODE)

it("opencode writes only what is its own, by rules of its own", async () => {
  const paths = ["src/mine.txt", "src/a/b/deep.ts", "src/b.css", "other.txt", "src/locked/x.ts"]
  const steps = paths.map((path) => ({ tool: OPENCODE.write(path, "x\n") }))
  await using world = makeWorld(OPENCODE, { edit: [...steps, { text: "over" }] })
  const ownership = { ...owning("./src/mine.txt", "src/**/*.{ts,css}"), shared: ["src/locked/"] }
  const { result } = await world.run({ prompt: "[[edit]]", permission: "edit", ownership })
  expect(result).toMatchObject({ reason: "done", answer: "over", filesTouched: paths.slice(0, 3) })
  expect(paths.map((path) => readIn(world, path) !== NO_FILE)).toEqual([true, true, true, false, false])
})
