import type { ReadyAgent } from "../agents/jobs/run-job.ts"
import type { AgentProgram } from "../agents/program.ts"
import { detectTeam, findGit } from "../app/config/detect-team.ts"
import { readEnvironment } from "../app/config/environment.ts"
import type { Config } from "../app/config/keys.ts"
import { loadConfig } from "../app/config/load-config.ts"
import { configPaths } from "../app/config/read-layers.ts"
import type { Configuration, Configured, GlobalFlags, Host, Io } from "../app/host.ts"
import type { Merging } from "../delivery/merge-queue/merging.ts"
import { runCli } from "../doors/cli/run-cli.ts"
import type { Git } from "../git/git.ts"
import type { Scopes } from "../git/port.ts"
import type { Ground } from "../git/workspaces/ground.ts"
import type { TeamName } from "../kernel/team.ts"
import { systemClock } from "../lib/clock.ts"
import { systemIds } from "../lib/make-ids.ts"
import { resolvePath } from "../lib/paths.ts"
import type { Processes } from "../lib/process/process.ts"
import { selfCommand } from "../lib/process/self-command.ts"
import type { GateSetup } from "../quality/verify/verifier.ts"
import type { Store } from "../store/port.ts"
import { openSqliteStore } from "../store/sqlite/store.ts"
import type { Owner } from "../workers/runtimes/runtime-setup.ts"
import type { Runtime, RuntimeName } from "../workers/swarm/worker-launch.ts"
import type { WorkspaceTools } from "../workers/swarm/worktrees.ts"

const VERSION = "0.1.0"

const { env } = process
const cwd = process.cwd()
// Asking `process.stdout` loads a whole stream library, which takes longer than a claim; what it asks in turn answers at once.
const { isTTY } = (process as unknown as { binding(name: "tty_wrap"): { isTTY(fd: number): boolean } }).binding(
  "tty_wrap",
)
const terminal = isTTY(1) ? process.stdout : undefined
const environment = readEnvironment(env, { stdoutIsTTY: terminal?.isTTY === true, columns: terminal?.columns })

async function configure(flags: GlobalFlags): Promise<Configured> {
  const git = findGit(cwd)
  const [{ config, all, home }, detected] = await Promise.all([
    loadConfig({ env, cwd, git, flags: configFlags(flags) }),
    detectTeam(cwd, git),
  ])
  const address = config.store === "" ? `sqlite:${home}/teamwork.db` : config.store
  const project = config["defaults.project"] || detected.project
  const team = config["defaults.team"] || detected.team
  return {
    settings: {
      leaseSeconds: config["claim.leaseSeconds"],
      freshStartIntervalSeconds: config["team.freshStartIntervalSeconds"],
      blockedPatterns: config["evidence.blockedPatterns"],
      warnPatterns: config["evidence.warnPatterns"],
      onOverlap: config["ownership.onOverlap"],
      sharedFiles: config["ownership.shared"],
      quality: { pass: config["quality.pass"], review: config["quality.review"], dimensions: config["qa.dimensions"] },
    },
    pollIntervalSeconds: config["team.pollIntervalSeconds"],
    project,
    team,
    terminalId: environment.terminalId,
    home,
    agentDefaults: {
      tier: config["team.defaultModel"],
      agentType: config["team.defaultAgentType"],
      timeoutSeconds: config["team.agentTimeoutSeconds"],
    },
    engine: async () => (await import("../app/config/engine-settings.ts")).engineSettings(await all()),
    worker: async () => (await import("../app/config/engine-settings.ts")).workerSettings(await all()),
    recordings: {
      maxMegabytes: config["recordings.maxMegabytes"],
      maxAgeDays: config["recordings.maxAgeDays"],
    },
    author: { name: config["git.authorName"], email: config["git.authorEmail"] },
    workspaces: async (request) => openWorkspaces(await all(), { ...request, home }),
    agents: async () => makeAgents(await all()),
    async promptLimits() {
      const [settings, { promptLimit }] = await Promise.all([all(), import("../app/config/agent-settings.ts")])
      return (agent) => promptLimit(settings, agent)
    },
    storeAddress: address,
    hasStore: async () => !address.startsWith("sqlite:") || (await Bun.file(address.slice("sqlite:".length)).exists()),
    gates: async (folder) => openGates(await all(), { home, folder, team: { project, team } }),
    merging: openMerging,
    runtime: async (of, name) => openRuntime(name ?? (await all())["engine.runtime"], [home, of.project, of.team]),
    storePlace: async () => (await import("../lib/text/mask-secrets.ts")).maskSecrets(address),
    openStore: () => openStore(address, home),
    strayPanes: async (isKnown, fix) =>
      (await import("../workers/runtimes/tmux/end-strays.ts")).endStrays({ home, env }, { isKnown, fix }),
  }
}

async function scopes(folder: string): Promise<Scopes> {
  const [{ makeScopes }, git] = await Promise.all([import("../git/merges/scopes.ts"), openGit(folder)])
  return makeScopes(git)
}

let anyGit: Promise<Git> | undefined

/** All come from one, so that they share the processes of git that stay. */
async function openGit(folder: string): Promise<Git> {
  anyGit ??= import("../git/open-git.ts").then((git) => git.openGit(folder, env))
  return (await anyGit).in(folder)
}

async function makeAgents(config: Config): Promise<ReadyAgent[]> {
  const [{ makeAgent }, { agentSettings }, { buildEnvironment }, { findPrice, readPrices }, live, { sleep }] =
    await Promise.all([
      import("../agents/make-agent.ts"),
      import("../app/config/agent-settings.ts"),
      import("../agents/agent-environment.ts"),
      import("../agents/prices.ts"),
      import("../lib/process/live-process.ts"),
      import("../lib/sleep.ts"),
    ])
  const programs: AgentProgram[] = [
    (await import("../agents/claude/program.ts")).claude,
    (await import("../agents/codex/program.ts")).codex,
    (await import("../agents/gemini/program.ts")).gemini,
    (await import("../agents/opencode/program.ts")).opencode,
    (await import("../agents/acp/program.ts")).acp,
    (await import("../agents/script/program.ts")).script,
  ]
  const ports = { processes: live.systemLiveProcesses, commands: processes, clock: systemClock, sleep }
  const isRoot = process.getuid?.() === 0
  const judgeWrite = [...selfCommand(process), "hook", "pre-tool-use", "--managed"]
  const prices = readPrices(config["agents.prices"])
  return programs.map((program) => {
    const { isEnabled, ...own } = agentSettings(config, program)
    const settings = { ...own, isRoot, prices, judgeWrite }
    const model = (name: string) => ({ model: name || null, price: findPrice(prices, name) ?? null })
    const { haiku, sonnet, opus } = settings.models
    return {
      agent: makeAgent(program, settings, ports),
      env: buildEnvironment(env, program.variables),
      isEnabled,
      models: { haiku: model(haiku), sonnet: model(sonnet), opus: model(opus) },
    }
  })
}

async function openGates(config: Config, place: { home: string; folder: string; team: TeamName }): Promise<GateSetup> {
  const [{ openGateRepository }, { prepareCheckout }, { buildEnvironment }, gates, { makeMask }, { sleep }] =
    await Promise.all([
      import("../git/gate-repository.ts"),
      import("../git/workspaces/prepare-checkout.ts"),
      import("../agents/agent-environment.ts"),
      import("../quality/gates/gate-environment.ts"),
      import("../lib/text/mask-secrets.ts"),
      import("../lib/sleep.ts"),
    ])
  const { home, folder, team } = place
  const ground = await findGround(config, { home, sourceDir: folder, team })
  const prepare = (checkout: string) => prepareCheckout(ground, checkout)
  const repository = await openGateRepository(ground.source, { home, prepare })
  if (repository === undefined) throw await noCheckout(folder)
  const variables = [...gates.GATE_VARIABLES, ...config["gates.variables"]]
  return {
    repository,
    settings: {
      kinds: {
        build: { isEnabled: config["gates.enableBuild"], lines: config["gates.build"] },
        lint: { isEnabled: config["gates.enableLint"], lines: config["gates.lint"] },
        test: { isEnabled: config["gates.enableTest"], lines: config["gates.test"] },
      },
      blockedPatterns: config["evidence.blockedPatterns"],
      warnPatterns: config["evidence.warnPatterns"],
      ignoredFiles: config["gates.ignoredFiles"],
    },
    runner: {
      ...{ processes, clock: systemClock, sleep, home, mask: makeMask(env) },
      env: { ...buildEnvironment(env, variables), ...gates.GATE_CONSTANTS },
      timeoutMs: config["gates.timeoutSeconds"] * 1000,
      maxBytes: config["recordings.maxMegabytes"] * 1_000_000,
      preparation: JSON.stringify([config["workspace.setup"], config["workspace.copy"]]),
    },
  }
}

async function noCheckout(folder: string): Promise<Error> {
  const { AppError } = await import("../kernel/errors.ts")
  return new AppError("gate.no_checkout", `nothing is checked out in ${folder}; go to a checkout of the repository`)
}

async function openMerging(folder: string): Promise<Merging> {
  const [{ makeMerges }, { makeTargets }, { sleep }, git] = await Promise.all([
    import("../git/merges/git-merges.ts"),
    import("../git/merges/git-targets.ts"),
    import("../lib/sleep.ts"),
    openGit(folder),
  ])
  const log = { ids: systemIds, env, sleep }
  return { merges: makeMerges(git, log), targets: makeTargets(git, log) }
}

async function openRuntime(name: RuntimeName, owner: Owner): Promise<Runtime> {
  const setup = { owner, clock: systemClock, env }
  if (name === "tmux") return (await import("../workers/runtimes/tmux/make-tmux-runtime.ts")).makeTmuxRuntime(setup)
  return (await import("../workers/runtimes/child/make-child-runtime.ts")).makeChildRuntime(setup)
}

interface GroundRequest {
  readonly home: string
  readonly sourceDir: string
  readonly team: TeamName
}

async function openWorkspaces(config: Config, request: GroundRequest): Promise<WorkspaceTools> {
  const [{ makeWorkspaces }, { makePins }, ground] = await Promise.all([
    import("../git/workspaces/make-workspaces.ts"),
    import("../git/workspaces/pins.ts"),
    findGround(config, request),
  ])
  return { workspaces: makeWorkspaces(ground), pins: makePins(ground) }
}

async function findGround(config: Config, { home, sourceDir, team }: GroundRequest): Promise<Ground> {
  const [{ sleep }, { openGround }, source] = await Promise.all([
    import("../lib/sleep.ts"),
    import("../git/workspaces/ground.ts"),
    openGit(resolvePath(sourceDir)),
  ])
  return openGround({
    ...{ processes, clock: systemClock, sleep, env, home, team, source },
    settings: {
      setup: config["workspace.setup"],
      setupTimeoutSeconds: config["workspace.setupTimeoutSeconds"],
      copy: config["workspace.copy"],
      keep: config["workspace.keep"],
    },
  })
}

function configFlags({ project, team, store }: GlobalFlags) {
  return { "defaults.project": project, "defaults.team": team, store }
}

async function openStore(address: string, home: string): Promise<Store> {
  if (address.startsWith("sqlite:")) {
    let isNew = false
    const onNew = () => {
      isNew = true
    }
    const store = await openSqliteStore({ path: address.slice("sqlite:".length), clock: systemClock, onNew })
    if (isNew) await offerImport(home)
    return store
  }
  const { openPostgresStore } = await import("../store/postgres/store.ts")
  return openPostgresStore({ url: address })
}

/** Who comes from an earlier version has teams on disk and would otherwise find none. */
async function offerImport(home: string): Promise<void> {
  const { findOldTeams } = await import("../files/mirror/old-teams.ts")
  const count = findOldTeams(home)
  if (count > 0)
    io.err(
      `Note: ${home} holds ${count} ${count === 1 ? "team" : "teams"} in files; bring them in with: teamwork import ${home}`,
    )
}

const configuration: Configuration = {
  list: async (flags) => {
    const { listConfig } = await import("../app/config/list-config.ts")
    return listConfig({ env, cwd, flags: configFlags(flags) })
  },
  set: async (scope, key, value) =>
    (await import("../app/config/set-fitting.ts")).setFitting(
      { env, cwd },
      { ...{ file: await fileOf(scope), key, value }, isRepository: scope === "repository" },
    ),
  unset: async (scope, key) =>
    (await import("../app/config/edit-config.ts")).unsetConfig({ file: await fileOf(scope), key }),
  async path() {
    const { homeFile, repositoryFile } = await configPaths({ env, cwd })
    return { home: homeFile, repository: repositoryFile }
  },
  schema: async () => (await import("../app/config/json-schema.ts")).configJsonSchema(),
}

async function fileOf(scope: "home" | "repository"): Promise<string> {
  return (await configuration.path())[scope]
}

const interruption = new AbortController()
const secondInterruption = new AbortController()
let isListening = false
let isSecondHeard = false

/** Only what asks for it ends by itself when interrupted; everything else ends at once, as a program does. */
function interrupted(): AbortSignal {
  if (!isListening) {
    isListening = true
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (!interruption.signal.aborted) interruption.abort()
        // The second time somebody means it, and the third time for sure.
        else if (isSecondHeard && !secondInterruption.signal.aborted) secondInterruption.abort()
        else process.exit(130)
      })
    }
  }
  return interruption.signal
}

function interruptedAgain(): AbortSignal {
  interrupted()
  isSecondHeard = true
  return secondInterruption.signal
}

/** Written at once and whole, also into a pipe. */
function write(stream: 1 | 2, data: string | Uint8Array): void {
  const { writeSync } = process.getBuiltinModule("node:fs")
  const bytes = typeof data === "string" ? Buffer.from(data) : data
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(stream, bytes, at)
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined
      if (code === "EAGAIN") Bun.sleepSync(1)
      // The reader is gone, as with `| head`, or the terminal: there is nobody left to tell. Whoever has something to
      // bring to an end does so.
      else if (code !== "EPIPE" && code !== "EIO") throw error
      else if (!isListening) process.exit(0)
      else {
        interruption.abort()
        return
      }
    }
  }
}

let hasPrinted = false

/** Most commands print once, and that is faster without `node:fs`; whoever goes on printing must notice a closed pipe. */
function print(text: string): void {
  if (hasPrinted) write(1, `${text}\n`)
  else console.log(text)
  hasPrinted = true
}

const io: Io = {
  isTerminal: terminal?.isTTY === true,
  columns: environment.columns,
  color: !environment.noColor,
  size: () => ({ columns: terminal?.columns || environment.columns, rows: terminal?.rows || 24 }),
  onResize(listener) {
    terminal?.on("resize", listener)
    return () => void terminal?.off("resize", listener)
  },
  cwd,
  input: async () => (await import("../lib/process/standard-input.ts")).standardInput(),
  out: print,
  outParts(parts) {
    for (const part of parts) write(1, part)
  },
  err: (text) => write(2, `${text}\n`),
  errBytes: (chunk) => write(2, chunk),
  get interrupted() {
    return interrupted()
  },
  get interruptedAgain() {
    return interruptedAgain()
  },
  get canAsk() {
    return isTTY(0) && io.isTerminal
  },
  async ask(question) {
    const { createInterface } = await import("node:readline/promises")
    const line = createInterface({ input: process.stdin, output: process.stdout })
    const ended = new Promise<null>((resolve) => line.once("close", () => resolve(null)))
    try {
      return await Promise.race([line.question(question), ended])
    } finally {
      line.close()
    }
  },
  interactive: (command) =>
    Bun.spawn([...command], { env, cwd, stdin: "inherit", stdout: "inherit", stderr: "inherit" }).exited,
  wallClock: () => new Date().toTimeString().slice(0, 8),
}

/** Few commands start programs. */
const processes: Processes = {
  run: async (request) => (await import("../lib/process/process.ts")).systemProcesses.run(request),
}

const host: Host = {
  io,
  ids: systemIds,
  processes,
  clock: systemClock,
  get self() {
    return selfCommand(process)
  },
  env,
  version: VERSION,
  ...{ userHome: environment.userHome, home: environment.home, isDebugging: environment.isDebugging },
  ...{ configure, scopes, configuration },
}
process.exit(await runCli(process.argv.slice(2), host))
