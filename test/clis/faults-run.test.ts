// A whole team run with real programs, of which one meets a fault.
import { expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCli } from "../support/run-cli.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { commandOf, FAKE_KEY } from "./cli-world.ts"
import { type Scripts, startFakeModel } from "./fake-model.ts"
import { findPinned } from "./pinned.ts"
import { CLAUDE } from "./programs.ts"

const RUN_MS = 120_000

interface Programs {
  readonly claude?: Scripts
  readonly codex?: Scripts
}

/** One task that a backend program takes first, in a repository of its own. */
async function runTeam({ claude, codex }: Programs) {
  using scratch = makeScratch("team")
  const [home, cwd] = [join(scratch.path, "home"), join(scratch.path, "repository")]
  for (const folder of [home, cwd]) mkdirSync(folder)
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", ...args], { cwd, env: sandboxEnv() })
      .stdout.toString()
      .trim()
  git("init", "--quiet", "--initial-branch=main")
  writeFileSync(join(cwd, "greeting.txt"), "good day\n")
  git("add", ".")
  git("commit", "--quiet", "--message=first")
  await using claudesModel = startFakeModel(claude ?? {})
  await using codexModel = startFakeModel(codex ?? {})
  const provider = `{ name = "fake", base_url = "${codexModel.url}/v1", wire_api = "responses", env_key = "OPENAI_API_KEY" }`
  const withProvider = ["-c", 'model_provider="fake"', "-c", `model_providers.fake=${provider}`]
  const agents = {
    claude: claude === undefined ? { enabled: false } : { command: [commandOf(findPinned("claude"))] },
    codex: codex === undefined ? { enabled: false } : { command: [commandOf(findPinned("codex")), ...withProvider] },
    gemini: { enabled: false },
    opencode: { enabled: false },
  }
  writeFileSync(join(home, "config.json"), JSON.stringify({ agents, engine: { permission: "full" } }))
  const task = {
    id: "1",
    title: "Add an API endpoint",
    description: "[[fault]] Add the endpoint to made.txt",
    files: ["made.txt"],
    checks: ["grep made made.txt"],
  }
  writeFileSync(join(home, "plan.json"), JSON.stringify({ goal: "An endpoint", tasks: [task] }))
  const env = {
    ...{ ANTHROPIC_BASE_URL: claudesModel.url, ANTHROPIC_API_KEY: FAKE_KEY, OPENAI_API_KEY: FAKE_KEY },
    ...{ PATH: process.env.PATH, TEAMWORK_PROJECT: "shop", TEAMWORK_TEAM: "main" },
  }
  const flags = ["--workers", "1", "--no-review", "--no-cascade"]
  const ended = await runCli(["run", join(home, "plan.json"), ...flags], { home, cwd, env, timeoutMs: RUN_MS })
  return { ...ended, made: git("show", "main:made.txt") }
}

const WRITES = [{ tool: CLAUDE.write("made.txt", "made\n") }, { text: "made it" }]

it("F034: Claude takes over what Codex, which is limited, would wait for", async () => {
  const error = { status: 429, type: "rate_limit_error", message: "Rate limit", headers: { "retry-after": "300" } }
  const done = await runTeam({ claude: { fault: WRITES }, codex: { fault: [{ error }] } })
  expect(done).toMatchObject({ exitCode: 0, made: "made" })
  expect(done.stdout).toContain("codex is rate-limited until")
})

it("F031: a run in which Claude leaves a server running comes to its end", async () => {
  const serve = { name: "Bash", input: { command: "sleep 300", description: "serve", run_in_background: true } }
  const done = await runTeam({ claude: { fault: [{ tool: serve }, ...WRITES] } })
  expect(done).toMatchObject({ exitCode: 0, made: "made" })
})
