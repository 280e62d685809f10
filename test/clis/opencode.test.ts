import { expect, it } from "bun:test"
import { opencode } from "../../src/agents/opencode/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY, makeWorld, NO_FILE, readIn } from "./cli-world.ts"

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
  write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
  run: (command) => ({ name: "bash", input: { command, description: "a step" } }),
  note: (text) => ({ name: "tiny_team_note", input: { text } }),
  structured: (value) => [{ text: JSON.stringify(value) }],
  overflow: {
    status: 400,
    type: "context_length_exceeded",
    message: "This model's maximum context length is 128000 tokens. Your messages resulted in 200000 tokens.",
  },
  startMs: 20_000,
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
  const ownedFiles = ["./src/mine.txt", "src/**/*.{ts,css}", "!src/locked/"]
  const { result } = await world.run({ prompt: "[[edit]]", permission: "edit", ownedFiles })
  expect(result).toMatchObject({ reason: "done", answer: "over", filesTouched: paths.slice(0, 3) })
  expect(paths.map((path) => readIn(world, path) !== NO_FILE)).toEqual([true, true, true, false, false])
})
