import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Processes } from "../lib/process/process.ts"
import { makeMask } from "../lib/text/mask-secrets.ts"
import { carrySession } from "./carry-session.ts"
import { deliverAfterRun } from "./deliver-after-run.ts"
import { makeAgentJob, NO_LIMITS } from "./make-agent-job.ts"
import type { Agent, AgentJob, AgentResult, Detection, RunOptions } from "./port.ts"
import { findPrice, type PriceTable } from "./prices.ts"
import type { AgentProgram, Launch, Probe, ProgramConfig } from "./program.ts"
import { fingerprintOf } from "./program-files.ts"
import { type RunnerPorts, runAgent } from "./run-agent.ts"

export interface AgentPorts extends RunnerPorts {
  /** For questions such as the version, which end by themselves. */
  readonly commands: Processes
}

export interface AgentSettings extends Partial<ProgramConfig> {
  /** By default that of the program; another one for a profile of it. */
  readonly name?: string
  readonly isRoot: boolean
  /** Between asking the agent to end and ending its process tree. */
  readonly graceMs?: number
  /** For agents that tell their tokens and no cost. */
  readonly prices?: PriceTable
}

/** A program as an agent, with what configuration says about it. */
export function makeAgent(program: AgentProgram, settings: AgentSettings, ports: AgentPorts): Agent {
  const config: ProgramConfig = {
    command: settings.command ?? program.command,
    models: { ...program.models, ...settings.models },
    args: settings.args ?? [],
    settings: settings.settings ?? {},
    isRoot: settings.isRoot,
    judgeWrite: settings.judgeWrite ?? [],
  }
  const runOnce = async (given: AgentJob, options: RunOptions): Promise<AgentResult> => {
    const job = { ...given, model: given.model ?? (config.models[given.tier] || null) }
    const launch = prepare(program.launch(job, config), job.stateFolder)
    const translator = program.translate(job, ports.clock, config.settings)
    const { graceMs, prices = new Map() } = settings
    const priceOf = (model: string) => findPrice(prices, model)
    return runAgent({ job, launch, translator, options, graceMs, priceOf }, ports)
  }
  return {
    name: settings.name ?? program.name,
    closesBySchema: program.closesBySchema === true,
    fingerprint: (env) => {
      const files = fingerprintOf(config.command, env)
      return files === null ? null : `${files} ${isLoggedIn(program, env)}`
    },
    detect: (env) =>
      program.probe === undefined
        ? detect(program, { config, env, commands: ports.commands })
        : detectByProbe(program.probe(config), env, ports),
    open(given) {
      if (program.open === undefined || given.resume === null) return null
      const job = { ...given, model: given.model ?? (config.models[given.tier] || null) }
      const { carry, ...launch } = program.open(job, config)
      const { command, env } = prepare({ ...launch, input: null, encodeMessage: null }, job.stateFolder)
      if (carry !== undefined) carrySession(carry)
      return { command, env }
    },
    run(job, options = {}) {
      const { messages } = options
      const { capabilities } = program
      if (messages === undefined || capabilities.messages || !capabilities.resume) return runOnce(job, options)
      return deliverAfterRun(runOnce, job, { ...options, messages })
    },
  }
}

/** Makes its files, only for us: the settings of a server may hold its password. */
function prepare(launch: Launch, stateFolder: string): Launch {
  const { files, links, env, envWithoutLinks } = launch
  for (const [path, text] of Object.entries(files)) {
    const file = place(stateFolder, path)
    writeFileSync(file, text, { mode: 0o600 })
  }
  for (const [path, target] of Object.entries(links)) {
    const link = place(stateFolder, path)
    // A file that is there instead of a link is the agent's own.
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(link)
    if (existsSync(target) && !existsSync(link)) symlinkSync(target, link)
  }
  const hasLinks = Object.keys(links).some((path) => existsSync(join(stateFolder, path)))
  return hasLinks ? launch : { ...launch, env: { ...env, ...envWithoutLinks } }
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
}

async function detect(program: AgentProgram, { config, env, commands }: Question): Promise<Detection> {
  const command = [...config.command, ...program.versionArgs]
  const { reason, exitCode, tail } = await commands.run({ command, cwd: "/", env, timeoutMs: MAX_DETECTION_MS })
  const named = config.command.join(" ")
  if (reason === "not-found") return { isAvailable: false, why: `${named} is not installed` }
  if (reason !== "exited" || exitCode !== 0) {
    const said = makeMask(env)(tail).trim().split("\n").at(-1) ?? ""
    return { isAvailable: false, why: `${command.join(" ")} ${reason} with ${exitCode}: ${said}` }
  }
  const version = /\d+\.\d+[\w.+-]*/.exec(tail)?.[0] ?? tail.trim().slice(0, 100)
  return { isAvailable: true, version, isLoggedIn: isLoggedIn(program, env), capabilities: program.capabilities }
}

async function detectByProbe(probe: Probe, env: AgentJob["env"], ports: AgentPorts): Promise<Detection> {
  const { launch, translator } = probe
  const limits = { ...NO_LIMITS, timeMs: MAX_DETECTION_MS, outputBytes: 1024 * 1024 }
  const job = makeAgentJob({ prompt: "", workspace: "/", stateFolder: "/", env, limits })
  const { reason, error } = await runAgent({ job, launch, translator, options: {}, graceMs: 500 }, ports)
  const found = probe.found()
  // Whether it is logged in shows only when it is given work.
  if (found !== undefined) return { isAvailable: true, isLoggedIn: null, ...found }
  const named = launch.command.join(" ")
  return { isAvailable: false, why: reason === "not-found" ? `${named} is not installed` : `${named}: ${error}` }
}

/** Where a program keeps its login in a keychain we cannot see it, and say so. */
function isLoggedIn({ login }: AgentProgram, env: Readonly<Record<string, string>>): boolean | null {
  if (login.variables.some((name) => env[name] !== undefined)) return true
  const paths = login.files.map((file) => file.replace(/^\$(\w+)/, (_, name: string) => env[name] ?? "/nowhere"))
  if (paths.some((path) => existsSync(path.startsWith("/") ? path : join(env.HOME ?? "/", path)))) return true
  return process.platform === "darwin" ? null : false
}
