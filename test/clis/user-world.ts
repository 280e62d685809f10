// A user with a home and a repository of their own who calls teamwork, with the real CLIs and a scripted model.
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type CliResult, runCli } from "../support/run-cli.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { commandOf } from "./cli-world.ts"
import { type FakeModel, type Scripts, startFakeModel } from "./fake-model.ts"
import { findPinned } from "./pinned.ts"

export type ProgramName = "claude" | "codex" | "gemini" | "opencode"
const PROGRAMS: readonly ProgramName[] = ["claude", "codex", "gemini", "opencode"]

/** Files by their paths: text, or what is written as JSON. */
type FileTexts = Readonly<Record<string, unknown>>

export interface Given {
  /** In the user's home; `{{URL}}` stands for the address of the model. */
  readonly home?: FileTexts
  /** Committed in the repository; `{{URL}}` as well, and `{{MARKS}}` for a folder outside of it. */
  readonly project?: FileTexts
  readonly env?: Readonly<Record<string, string>>
  readonly scripts?: Scripts
}

export interface User extends AsyncDisposable {
  readonly model: FakeModel
  readonly home: string
  readonly repository: string
  /** Files that programs of the project left here, by their names. */
  has(mark: string): boolean
  teamwork(...args: string[]): Promise<CliResult>
  /** One job for an agent, to its end. */
  exec(agent: string, prompt: string, ...args: string[]): Promise<Readonly<Record<string, unknown>>>
  /** Whether the model was told this. */
  wasTold(words: string): boolean
}

/** Longer than a slow CLI takes on a busy machine. */
const MAX_MS = 120_000

export function makeUser({ home: own = {}, project = {}, env = {}, scripts = {} }: Given): User {
  const scratch = makeScratch("user")
  const model = startFakeModel(scripts)
  const [home, repository, marks] = ["home", "repository", "marks"].map((name) => join(scratch.path, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [home, repository, marks]) mkdirSync(folder)
  const fill = (text: string) => text.replaceAll("{{URL}}", model.url).replaceAll("{{MARKS}}", marks)
  const write = (folder: string, files: FileTexts) => {
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, fill(typeof content === "string" ? content : JSON.stringify(content)), { mode: 0o755 })
    }
  }
  write(home, own)
  write(repository, { "greeting.txt": "good day\n", ...project })
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    ["commit", "--quiet", "-m", "first"],
  ]) {
    const { success, stderr } = Bun.spawnSync(["git", ...args], { cwd: repository, env: sandboxEnv() })
    if (!success) throw new Error(`git ${args.join(" ")}: ${stderr}`)
  }
  const commands = Object.fromEntries(
    PROGRAMS.map((name) => [`TEAMWORK_AGENTS_${name.toUpperCase()}_COMMAND`, commandOf(findPinned(name))]),
  )
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]))
  const teamwork = (...args: string[]) =>
    runCli(args, {
      home,
      cwd: repository,
      env: { TEAMWORK_TRUST: undefined, ...commands, ...variables },
      timeoutMs: MAX_MS,
    })
  return {
    ...{ model, home, repository, teamwork },
    has: (mark) => existsSync(join(marks, mark)),
    async exec(agent, prompt, ...args) {
      const result = await teamwork("agent", "exec", "--agent", agent, ...args, "--wait", "--json", prompt)
      return result.json<{ data: Record<string, unknown> }>().data
    },
    wasTold: (words) => model.asked.some(({ body }) => body.includes(words)),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}
