import { expect, it } from "bun:test"
import { acp } from "../../src/agents/acp/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, commandOf, FAKE_KEY, makeWorld, readIn } from "./cli-world.ts"
import { OWN_TOOLS } from "./own-tools.ts"
import { findPinned } from "./pinned.ts"

const CLI: Cli = {
  program: acp,
  pinned: "codex-acp",
  model: "gpt-5.5",
  variables: () => ({ OPENAI_API_KEY: FAKE_KEY, CODEX_PATH: commandOf(findPinned("codex")) }),
  home: (url) => ({
    ".codex/config.toml": `
model = "gpt-5.5"
model_provider = "fake"
[features]
plugins = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
`,
  }),
  ...OWN_TOOLS.codex,
  structured: (value) => [{ text: JSON.stringify(value) }],
  startMs: 6_000,
  hasSandbox: false,
  tellsRetryTime: false,
  tellsUsageWhileRunning: false,
  tellsContextWhileRunning: true,
  tellsCost: false,
  lingers: true,
  needsFolders: true,
  brokenAnswer: "crashed",
  keepsBrokenText: false,
  blockWord: "block",
}

cliSuite(CLI)

it("codex-acp makes folders in a mode in which it need not ask", async () => {
  const cli: Cli = { ...CLI, settings: () => ({ modes: { edit: "workspace-write" } }) }
  await using world = makeWorld(cli, { edit: [{ tool: cli.write("new/made.txt", "made\n") }, { text: "over" }] })
  const { result } = await world.run({ prompt: "[[edit]]", permission: "edit" })
  expect(result).toMatchObject({ reason: "done", filesTouched: ["new/made.txt"] })
  expect(readIn(world, "new/made.txt")).toBe("made\n")
})
