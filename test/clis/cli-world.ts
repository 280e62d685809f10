// One real CLI in a world of its own: temporary home and temp folder, a repository with a worktree, a scripted model.
import { expect } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { buildEnvironment } from "../../src/agents/agent-environment.ts"
import { type AgentPorts, type AgentSettings, makeAgent } from "../../src/agents/make-agent.ts"
import type { Agent, AgentJob, Limits, Reason, RunOptions } from "../../src/agents/port.ts"
import type { AgentProgram } from "../../src/agents/program.ts"
import { AGENT_PORTS, JUDGE_WRITE, makeJob, NO_LIMITS, type Recorded, record } from "../support/agents.ts"
import { processesWith } from "../support/processes.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { type FakeModel, type Scripts, startFakeModel } from "./fake-model.ts"
import type { Reply } from "./model-protocols.ts"
import type { OwnTools } from "./own-tools.ts"
import { findPinned, type Pinned, programFile } from "./pinned.ts"

export interface Cli extends OwnTools {
  readonly program: AgentProgram
  /** The pinned program that is started, and what it is started with; else the one that bears the adapter's name. */
  readonly pinned?: Pinned["name"]
  readonly args?: readonly string[]
  readonly model: string
  /** How it finds the scripted model: by its environment, by settings that its adapter writes, or by files at home. */
  variables(url: string): Readonly<Record<string, string>>
  settings?(url: string): AgentSettings["settings"]
  home?(url: string): Readonly<Record<string, unknown>>
  /** How its model gives a structured answer. */
  structured(value: unknown): readonly Reply[]
  /** More than it takes until it asks its model, on a machine that is not busy. */
  readonly startMs: number
  /** Where it may edit it runs commands too, but in a sandbox. */
  readonly hasSandbox: boolean
  /** Passes on when the server wants to be asked again. */
  readonly tellsRetryTime: boolean
  readonly tellsUsageWhileRunning: boolean
  /** How it ends when every answer breaks off: some try again until their time is up. */
  readonly brokenAnswer: Reason
  /** When it asks again it does not tell, and what it heard before stays in its answer. */
  readonly keepsBrokenText: boolean
  /** What its hook says to send it back to work. */
  readonly blockWord: "block" | "deny"
  /** Only where it differs from what its adapter says in general. */
  readonly tellsCost?: boolean
  /** While it runs it tells how long its conversation is, and only at the end what it has used. */
  readonly tellsContextWhileRunning?: boolean
  /** Shortens a conversation that is too long by itself, and goes on. */
  readonly shortensByItself?: boolean
  /** Does not end with its input, so that it has to be ended. */
  readonly lingers?: boolean
  /** This machine does not let it make the sandbox without which, where it may edit, it writes and runs nothing. */
  readonly lacksSandbox?: boolean
  /** What it is permitted to write it can write only into folders that are there. */
  readonly needsFolders?: boolean
  /** An id in the form of its own. */
  readonly unknownSession?: string
  /** What has to happen before a session that has just begun can be resumed. */
  beforeResume?(home: string): void
}

/** What is special about a job. The limit on time stays unless another one is given. */
type Change = Partial<Omit<AgentJob, "limits">> & { readonly limits?: Partial<Limits> }

export interface World extends AsyncDisposable {
  readonly agent: Agent
  readonly model: FakeModel
  readonly worktree: string
  readonly env: Readonly<Record<string, string>>
  run(change: Change, options?: RunOptions): Promise<Recorded>
  git(...args: string[]): string
  readonly noteFile: string
}

export const IS_ROOT = process.getuid?.() === 0
/** Who has no rights anywhere, on any Unix: "nobody". */
export const UNPRIVILEGED_USER = 65534
export const NO_FILE = "(no such file)"
export const FAKE_KEY = "fake-key-0123456789abcdef"
/** Longer than any run needs, shorter than the limit of a test. */
export const MAX_RUN_MS = 90_000

export function pinnedOf({ pinned, program }: Cli): Pinned {
  return findPinned(pinned ?? program.name)
}

/** As a person would call it: `gemini --acp 0.61.0`. */
export function titleOf(cli: Cli): string {
  const { name, version } = pinnedOf(cli)
  return [name, ...(cli.args ?? []), version].join(" ")
}

/** Where a pinned program lies. */
export function commandOf(pinned: Pinned): string {
  const cache = process.env.CLI_TEST_CACHE
  if (cache === undefined) throw new Error("no CLIs here: run 'npm run test:clis'")
  const command = programFile(cache, pinned)
  if (!existsSync(command)) throw new Error(`${command} is missing: run 'npm run test:clis'`)
  return command
}

/** With `isUnprivileged` root gives the CLI, and all it finds in its world, to a user without rights. */
export function makeWorld(cli: Cli, scripts: Scripts, { isUnprivileged = false } = {}): World {
  const command = [commandOf(pinnedOf(cli)), ...(cli.args ?? [])]
  const scratch = makeScratch(cli.program.name)
  const model = startFakeModel(scripts)
  const worktree = makeWorktree(scratch.path)
  const mark = `CLI_MARK_${crypto.randomUUID().replaceAll("-", "")}`
  const variables = {
    PATH: process.env.PATH,
    LANG: "C.UTF-8",
    ...homeIn(scratch.path, cli.home?.(model.url) ?? {}),
    ...cli.variables(model.url),
    GIT_AUTHOR_NAME: "Test",
    GIT_AUTHOR_EMAIL: "test@example.invalid",
    GIT_COMMITTER_NAME: "Test",
    GIT_COMMITTER_EMAIL: "test@example.invalid",
    NOT_FOR_AGENTS: "leaked",
  }
  const env = { ...buildEnvironment(variables, cli.program.variables), [mark]: "1" }
  const isRoot = IS_ROOT && !isUnprivileged
  const settings = {
    command,
    isRoot,
    judgeWrite: JUDGE_WRITE,
    settings: cli.settings?.(model.url),
    models: { haiku: cli.model, sonnet: cli.model, opus: cli.model },
    graceMs: 2000,
  }
  const agent = makeAgent(cli.program, settings, isUnprivileged ? unprivilegedPorts(scratch.path) : AGENT_PORTS)
  return {
    agent,
    model,
    worktree,
    env,
    noteFile: join(scratch.path, "notes"),
    git: (...args) => git(worktree, ...args),
    async run(change, options = {}) {
      const limits = { ...NO_LIMITS, timeMs: MAX_RUN_MS, ...change.limits }
      const job = makeJob(worktree, {
        stateFolder: join(scratch.path, "state"),
        model: cli.model,
        env,
        ...change,
        limits,
      })
      const recorded = await record(agent, job, options)
      expect(processesWith(`${mark}=1`)).toEqual([])
      return recorded
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

/** Settings are written just before the start, so only then everything is handed over. */
function unprivilegedPorts(folder: string): AgentPorts {
  const id = UNPRIVILEGED_USER
  const drop = ["setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups", "--"]
  return {
    ...AGENT_PORTS,
    processes: {
      start(request) {
        if (!Bun.spawnSync(["chown", "--recursive", `${id}:${id}`, folder]).success) throw new Error("chown failed")
        return AGENT_PORTS.processes.start({ ...request, command: [...drop, ...request.command] })
      },
    },
  }
}

function homeIn(folder: string, files: Readonly<Record<string, unknown>>): { HOME: string; TMPDIR: string } {
  const [HOME, TMPDIR] = [join(folder, "home"), join(folder, "tmp")]
  for (const path of [HOME, TMPDIR]) mkdirSync(path)
  for (const [name, content] of Object.entries(files)) {
    const file = join(HOME, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  }
  return { HOME, TMPDIR }
}

/** As agents get it: a branch of its own in a folder beside the repository. */
function makeWorktree(folder: string): string {
  const [repository, worktree] = [join(folder, "repository"), join(folder, "worktree")]
  mkdirSync(repository)
  git(repository, "init", "--quiet", "--initial-branch=main")
  writeFileSync(join(repository, "greeting.txt"), "good day\n")
  git(repository, "add", ".")
  git(repository, "commit", "--quiet", "--message=first")
  git(repository, "worktree", "add", "--quiet", "-b", "work", worktree)
  return worktree
}

function git(cwd: string, ...args: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd, env: sandboxEnv() })
  if (!success) throw new Error(`git ${args.join(" ")}: ${stderr}`)
  return stdout.toString().trim()
}

export function readIn({ worktree }: World, path: string): string {
  const file = join(worktree, path)
  return existsSync(file) ? readFileSync(file, "utf8") : NO_FILE
}
