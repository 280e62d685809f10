import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import type { Processes } from "../lib/process/process.ts"
import { makeMask } from "../lib/text/mask-secrets.ts"
import { type Account, diskFiles, NO_ACCOUNT } from "./account.ts"
import { deliverAfterRun } from "./deliver-after-run.ts"
import { makeAgentJob, NO_LIMITS } from "./make-agent-job.ts"
import type { Agent, AgentJob, AgentResult, Detection, RunOptions } from "./port.ts"
import { findPrice, type PriceTable } from "./prices.ts"
import type { AgentProgram, Launch, OpenLaunch, Probe, ProgramConfig } from "./program.ts"
import { profileOf } from "./program-of.ts"
import { type RunnerPorts, runAgent } from "./run-agent.ts"

export interface AgentPorts extends RunnerPorts {
  /** For short commands such as the version. */
  readonly commands: Processes
}

export interface AgentSettings extends Partial<ProgramConfig> {
  /** By default the program's; a profile has another. */
  readonly name?: string
  readonly isRoot: boolean
  readonly graceMs?: number
  /** For agents that report tokens but no cost. */
  readonly prices?: PriceTable
}

export function makeAgent(program: AgentProgram, settings: AgentSettings, ports: AgentPorts): Agent {
  const files = settings.files ?? diskFiles
  const config: ProgramConfig = {
    command: settings.command ?? program.command,
    models: { ...program.models, ...settings.models },
    args: settings.args ?? [],
    settings: settings.settings ?? {},
    isRoot: settings.isRoot,
    judgeWrite: settings.judgeWrite ?? [],
    files,
    account: NO_ACCOUNT,
    hasUserExtras: settings.hasUserExtras ?? false,
    isAgreed: settings.isAgreed ?? (() => false),
  }
  const name = settings.name ?? program.name
  const accountOf = (env: AgentJob["env"]) => program.account?.(env, files, profileOf(name) !== null) ?? NO_ACCOUNT
  const runOnce = async (given: AgentJob, options: RunOptions): Promise<AgentResult> => {
    // Read for each run: logins and providers may change meanwhile.
    const account = accountOf(given.env)
    const env = { ...given.env, ...account.env }
    const job = { ...given, env, model: given.model ?? (config.models[given.tier] || null) }
    const launch = prepare(program.launch(job, { ...config, account }), job.stateFolder)
    const translator = program.translate(job, ports.clock, config.settings)
    const { graceMs, prices = new Map() } = settings
    const priceOf = (model: string) => findPrice(prices, model)
    return runAgent({ job, launch, translator, options, graceMs, priceOf }, ports)
  }
  return {
    name,
    fingerprint: (env) => {
      const { reach, missing, isLoggedIn } = accountOf(env)
      const found = fingerprintOf(config.command, env)
      return found === null ? null : JSON.stringify([found, reach, missing, isLoggedIn])
    },
    detect: (env) =>
      program.probe === undefined
        ? detect(program, { config, env, commands: ports.commands, account: accountOf(env) })
        : detectByProbe(program, program.probe(config), { env, ports }),
    open(given) {
      if (program.open === undefined || given.resume === null) return null
      const account = accountOf(given.env)
      const job = { ...given, model: given.model ?? (config.models[given.tier] || null) }
      const { carry, ...launch } = program.open(job, { ...config, account })
      const { command, env } = prepare({ ...launch, input: null, encodeMessage: null }, job.stateFolder)
      if (carry !== undefined) carrySession(carry)
      return { command, env: { ...account.env, ...env } }
    },
    run(job, options = {}) {
      const { messages } = options
      const { capabilities } = program
      if (messages === undefined || capabilities.messages || !capabilities.resume) return runOnce(job, options)
      return deliverAfterRun(runOnce, job, { ...options, messages })
    },
  }
}

/** Only the user may read the files: settings of servers may hold passwords. */
function prepare(launch: Launch, stateFolder: string): Launch {
  const { files, links } = launch
  for (const [path, text] of Object.entries(files)) {
    const file = place(stateFolder, path)
    writeFileSync(file, text, { mode: 0o600 })
  }
  for (const [path, target] of Object.entries(links)) {
    const link = place(stateFolder, path)
    // A file in place of the link belongs to the agent.
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(link)
    if (target !== null && existsSync(target) && !existsSync(link)) symlinkSync(target, link)
  }
  return launch
}

function place(folder: string, path: string): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return file
}

const MAX_DETECTION_MS = 20_000

interface Question {
  readonly config: ProgramConfig
  readonly env: Readonly<Record<string, string>>
  readonly commands: Processes
  readonly account: Account
}

async function detect(program: AgentProgram, { config, env, commands, account }: Question): Promise<Detection> {
  const command = [...config.command, ...program.versionArgs]
  const { reason, exitCode, tail } = await commands.run({ command, cwd: "/", env, timeoutMs: MAX_DETECTION_MS })
  const named = config.command.join(" ")
  if (reason === "not-found") {
    const missing = program.install === undefined ? null : `install it with: ${program.install}`
    return { isAvailable: false, why: `${named} is not installed`, missing }
  }
  if (reason !== "exited" || exitCode !== 0) {
    const lastLine = makeMask(env)(tail).trim().split("\n").at(-1) ?? ""
    return { isAvailable: false, why: `${command.join(" ")} ${reason} with ${exitCode}: ${lastLine}`, missing: null }
  }
  const version = /\d+\.\d+[\w.+-]*/.exec(tail)?.[0] ?? tail.trim().slice(0, 100)
  const { isLoggedIn, reach, missing } = account
  return { isAvailable: true, version, isLoggedIn, reach, missing, capabilities: program.capabilities }
}

async function detectByProbe(
  { name }: AgentProgram,
  probe: Probe,
  { env, ports }: { readonly env: AgentJob["env"]; readonly ports: AgentPorts },
): Promise<Detection> {
  const { launch, translator } = probe
  const limits = { ...NO_LIMITS, timeMs: MAX_DETECTION_MS, outputBytes: 1024 * 1024 }
  const job = makeAgentJob({ prompt: "", workspace: "/", stateFolder: "/", env, limits })
  const { reason, error } = await runAgent({ job, launch, translator, options: {}, graceMs: 500 }, ports)
  const found = probe.found()
  // Only a run shows whether it is logged in.
  if (found !== undefined) return { isAvailable: true, isLoggedIn: null, reach: "", missing: null, ...found }
  const named = launch.command.join(" ")
  const why = reason === "not-found" ? `${named} is not installed` : `${named}: ${error}`
  return {
    isAvailable: false,
    why,
    missing: reason === "not-found" ? `name its command in agents.${name}.command` : null,
  }
}

/** The program, its scripts and when each last changed. Null without a program. */
function fingerprintOf(command: readonly string[], env: AgentJob["env"]): string | null {
  const [name = "", ...args] = command
  const program = Bun.which(name, { PATH: env.PATH ?? "", cwd: "/" })
  if (program === null) return null
  const scripts = args.filter((arg) => arg.startsWith("/"))
  return [...[program, ...scripts].map(describeFile), JSON.stringify(command)].join(" ")
}

/** An installer may keep the old times of a file, but not its ctime. */
function describeFile(path: string): string {
  try {
    const real = realpathSync(path)
    const { ino, size, mtimeMs, ctimeMs } = statSync(real)
    return [real, ino, size, mtimeMs, ctimeMs].join(":")
  } catch {
    return `${path}:gone`
  }
}

/** Copies the newest matching session to where its program looks for it. Without one, the program reports it. */
function carrySession({ from, to }: NonNullable<OpenLaunch["carry"]>): void {
  const found = [...new Bun.Glob(from.replace(/^\//, "")).scanSync({ cwd: "/", absolute: true, dot: true })]
  const [newest] = found.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  if (newest === undefined || newest === to) return
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  copyFileSync(newest, to)
  // A session may keep more beside its file, such as long outputs of tools.
  const beside = newest.replace(/\.jsonl$/, "")
  if (beside !== newest && statSync(beside, { throwIfNoEntry: false })?.isDirectory() === true)
    cpSync(beside, to.replace(/\.jsonl$/, ""), { recursive: true })
}
