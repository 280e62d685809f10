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
  /** A shell script in the place of Codex, for all but its version. */
  readonly brokenCodex?: string
}

/** One task that a backend program takes first, in a repository of its own. */
async function runTeam({ claude, codex, brokenCodex }: Programs) {
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
  const wrapper = join(scratch.path, "codex")
  const script = `#!/bin/sh\ncase "$*" in *--version*) echo codex-cli 9.9.9;; *) ${brokenCodex};; esac\n`
  writeFileSync(wrapper, script, { mode: 0o755 })
  const commandOfCodex = brokenCodex === undefined ? [commandOf(findPinned("codex")), ...withProvider] : [wrapper]
  const hasCodex = codex !== undefined || brokenCodex !== undefined
  const agents = {
    claude: claude === undefined ? { enabled: false } : { command: [commandOf(findPinned("claude"))] },
    codex: hasCodex ? { command: commandOfCodex } : { enabled: false },
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

it("F035: Claude takes over from a broken wrapper of Codex, from the commit where that stopped", async () => {
  const add = { name: "Bash", input: { command: "echo made >> made.txt", description: "add a line" } }
  const done = await runTeam({
    claude: { fault: [{ tool: add }, { text: "made it" }] },
    brokenCodex: "echo half >> made.txt; exit 3",
  })
  expect(done).toMatchObject({ exitCode: 0, made: "half\nmade" })
  expect(done.stdout).toMatch(/codex is left out until .*: crashed/)
  expect(done.stdout).not.toContain("gets no more tasks")
})

it("F035: Claude whose server fails for a while is waited for, and the task keeps its tries", async () => {
  const error = { status: 500, type: "api_error", message: "Internal server error" }
  const [first, ...rest] = WRITES
  const done = await runTeam({ claude: { fault: [{ ...first, error, forMs: 25_000 }, ...rest] } })
  expect(done).toMatchObject({ exitCode: 0, made: "made" })
  expect(done.stdout).toMatch(/claude is left out until .*: overloaded/)
})
