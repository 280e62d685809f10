import { expect, it } from "bun:test"
import { opencode } from "../../src/agents/opencode/program.ts"
import { owning } from "../support/agents.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY, makeWorld, NO_FILE, readIn } from "./cli-world.ts"
import { OWN_TOOLS } from "./own-tools.ts"

const CLI: Cli = {
  program: opencode,
  model: "fake/model",
  variables: () => ({ OPENAI_API_KEY: FAKE_KEY }),
  settings: (url) => ({
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "fake",
        options: { baseURL: `${url}/v1`, apiKey: FAKE_KEY },
        models: { model: { name: "model", tool_call: true, cost: { input: 1, output: 2 } } },
      },
    },
  }),
  ...OWN_TOOLS.opencode,
  structured: (value) => [{ text: JSON.stringify(value) }],
  unknownSession: "ses_0000000000000000000000000",
  startMs: 10_000,
  hasSandbox: false,
  tellsRetryTime: true,
  tellsUsageWhileRunning: true,
  brokenAnswer: "timed-out",
  keepsBrokenText: false,
  blockWord: "block",
}

cliSuite(CLI)

it("opencode writes only what is its own, by rules of its own", async () => {
  const paths = ["src/mine.txt", "src/a/b/deep.ts", "src/b.css", "other.txt", "src/locked/x.ts"]
  const steps = paths.map((path) => ({ tool: CLI.write(path, "x\n") }))
  await using world = makeWorld(CLI, { edit: [...steps, { text: "over" }] })
  const ownership = { ...owning("./src/mine.txt", "src/**/*.{ts,css}"), shared: ["src/locked/"] }
  const { result } = await world.run({ prompt: "[[edit]]", permission: "edit", ownership })
  expect(result).toMatchObject({ reason: "done", answer: "over", filesTouched: paths.slice(0, 3) })
  expect(paths.map((path) => readIn(world, path) !== NO_FILE)).toEqual([true, true, true, false, false])
})
