// The one place that chooses implementations. It loads on demand: git and worktrees (3.5 ms in the built binary),
// agents (1.2 ms), PostgreSQL (3.8 ms), tmux (0.9 ms), listing settings (1.4 ms) and editing them (2 ms).
import { AppError } from "../kernel/errors.ts"
import type { RepositoryPlace } from "../kernel/repository.ts"
import { systemClock } from "../lib/clock.ts"
import { keepPrivate } from "../lib/keep-private.ts"
import { systemIds } from "../lib/make-ids.ts"
import { resolvePath } from "../lib/paths.ts"
import type { Processes } from "../lib/process/process.ts"
import type { Store } from "../store/port.ts"
import { openSqliteStore } from "../store/sqlite/store.ts"
import type { Owner } from "../workers/runtimes/port.ts"
import type { Runtime, RuntimeName } from "../workers/swarm/worker-launch.ts"
import { detectProject, detectTeamOf, findGit } from "./config/detect-team.ts"
import { engineSettings, workerSettings } from "./config/engine-settings.ts"
import { readEnvironment } from "./config/environment.ts"
import { configPaths, loadConfig } from "./config/load-config.ts"
import type { ConfigScope, Configuration, Configured, GlobalFlags, Host, Machine, ShareStore } from "./host.ts"
import type { Repositories } from "./open-repository.ts"
import { makeProjectsHere, type ProjectsHere } from "./projects-here.ts"

const VERSION = "0.1.0"

export function makeHost(machine: Machine): Host {
  const { env, cwd, io } = machine
  const { terminalId, userHome, home, isDebugging } = readEnvironment(env, { stdoutIsTTY: io.isTerminal })
  let opened: Promise<Repositories> | undefined
  const repositories = () =>
    (opened ??= import("./open-repository.ts").then((each) => each.openRepositories(machine, processes, home)))
  return {
    io,
    env,
    userHome,
    home,
    isDebugging,
    processes,
    ids: systemIds,
    clock: systemClock,
    version: VERSION,
    get self() {
      return machine.self
    },
    configure: (flags, share) => configure(machine, { flags, share, terminalId, repositories }),
    scopes: async (folder) => (await repositories()).scopes(folder),
    configuration: makeConfiguration(env, cwd),
  }
}

const processes: Processes = {
  run: async (request) => (await import("../lib/process/process.ts")).systemProcesses.run(request),
}

interface Configuring {
  readonly flags: GlobalFlags
  readonly share: ShareStore | undefined
  readonly terminalId: string
  readonly repositories: () => Promise<Repositories>
}

async function configure(
  machine: Machine,
  { flags, share, terminalId, repositories }: Configuring,
): Promise<Configured> {
  const { env, cwd, io } = machine
  const git = findGit(cwd)
  const [{ config, home, needTrust, untrusted, repositoryFile }, detected] = await Promise.all([
    loadConfig({ env, cwd, git, flags: configFlags(flags) }),
    git.then((found) => detectProject(cwd, found)),
  ])
  const address = config("store") === "" ? `sqlite:${home}/teamwork.db` : config("store")
  const hasStore = async () =>
    !address.startsWith("sqlite:") || (await Bun.file(address.slice("sqlite:".length)).exists())
  const open = async () => {
    const opened = await openStore(address, () => offerImport(home, io.err))
    // The user's home has files of other programs, which other users may need to read.
    if (home !== env.HOME) keepPrivate(home)
    return opened
  }
  const projects =
    share &&
    makeProjectsHere({
      store: () => share(open),
      repositories: async () => (await repositories()).work,
      say: (line) => io.err(`Note: ${line}`),
    })
  const known = async () => (projects && (await hasStore()) ? projects : undefined)
  const named = config("defaults.project") || detected.project
  const project = named || (await nameHere(detected.repository, await known()))
  const team = config("defaults.team") || (await detectTeamOf(await git, project))
  /** Without a store, no project can belong to another repository. */
  const own = async (of: string, folder: string) => (await known())?.own(of, resolvePath(folder, cwd))
  return {
    projects,
    ownDetected: async (of) => (named || of !== project ? undefined : projects?.own(of, cwd)),
    settings: {
      leaseSeconds: config("claim.leaseSeconds"),
      freshStartIntervalSeconds: config("team.freshStartIntervalSeconds"),
      blockedPatterns: config("evidence.blockedPatterns"),
      warnPatterns: config("evidence.warnPatterns"),
      onOverlap: config("ownership.onOverlap"),
      sharedFiles: config("ownership.shared"),
      reviewRequired: config("review.required"),
      quality: { pass: config("quality.pass"), review: config("quality.review"), dimensions: config("qa.dimensions") },
    },
    pollIntervalSeconds: config("team.pollIntervalSeconds"),
    project,
    team,
    terminalId,
    home,
    ownSettings: { file: repositoryFile, needTrust, untrusted },
    agentDefaults: {
      tier: config("team.defaultModel"),
      agentType: config("team.defaultAgentType"),
      timeoutSeconds: config("team.agentTimeoutSeconds"),
    },
    engine: async () => engineSettings(config),
    worker: async () => workerSettings(config),
    recordings: {
      maxMegabytes: config("recordings.maxMegabytes"),
      maxAgeDays: config("recordings.maxAgeDays"),
    },
    author: { name: config("git.authorName"), email: config("git.authorEmail") },
    async workspaces(place) {
      await own(place.team.project, place.sourceDir)
      return (await repositories()).workspaces(config, { ...place, home })
    },
    async agents() {
      const { openAgents } = await import("./open-agents.ts")
      return openAgents(config, { ...machine, commands: processes, home, repositoryFile })
    },
    async promptLimits() {
      const { promptLimit } = await import("./config/agent-settings.ts")
      return (agent) => promptLimit(config, agent)
    },
    storeAddress: address,
    hasStore,
    async gates(sourceDir) {
      await own(project, sourceDir)
      return (await repositories()).gates(config, { home, sourceDir, team: { project, team, run: 1 } })
    },
    async merging(folder) {
      await own(project, folder)
      return (await repositories()).merging(folder, config)
    },
    setupMegabytes: async () => config("workspace.cacheMegabytes"),
    setup: async (sourceDir) =>
      (await repositories()).setup(config, { home, sourceDir, team: { project, team, run: 1 } }),
    runtime: async (of, name) =>
      openRuntime(name ?? config("engine.runtime"), { owner: [home, of.project, of.team], env }),
    storePlace: async () => (await import("../lib/text/mask-secrets.ts")).maskSecrets(address),
    openStore: open,
    strayPanes: async (isKnown, fix) =>
      (await import("../workers/runtimes/tmux/server.ts")).findStrayPanes({ home, env }, { isKnown, fix }),
  }
}

/** The command that needs the store reports why it does not open. */
async function nameHere(repository: RepositoryPlace | undefined, projects: ProjectsHere | undefined): Promise<string> {
  if (repository === undefined) return ""
  try {
    return (await projects?.name(repository)) ?? repository.name
  } catch (error) {
    if (error instanceof AppError) return repository.name
    throw error
  }
}

function configFlags({ project, team, store }: GlobalFlags) {
  return { "defaults.project": project, "defaults.team": team, store }
}

async function openRuntime(
  name: RuntimeName,
  { owner, env }: { readonly owner: Owner; readonly env: Machine["env"] },
): Promise<Runtime> {
  const setup = { owner, clock: systemClock, env }
  if (name === "tmux") return (await import("../workers/runtimes/tmux/make-tmux-runtime.ts")).makeTmuxRuntime(setup)
  return (await import("../workers/runtimes/child/make-child-runtime.ts")).makeChildRuntime(setup)
}

async function openStore(address: string, onNew: () => Promise<void>): Promise<Store> {
  if (address.startsWith("sqlite:")) {
    let isNew = false
    const store = await openSqliteStore({
      path: address.slice("sqlite:".length),
      clock: systemClock,
      onNew: () => {
        isNew = true
      },
    })
    if (isNew) await onNew()
    return store
  }
  const { openPostgresStore } = await import("../store/postgres/store.ts")
  return openPostgresStore({ url: address })
}

/** Earlier versions kept teams in files. */
async function offerImport(home: string, say: (line: string) => void): Promise<void> {
  const { findOldTeams } = await import("../files/mirror/old-teams.ts")
  const count = findOldTeams(home)
  if (count > 0)
    say(
      `Note: ${home} holds ${count} ${count === 1 ? "team" : "teams"} in files; bring them in with: teamwork import ${home}`,
    )
}

function makeConfiguration(env: Machine["env"], cwd: string): Configuration {
  const path = async () => {
    const { homeFile, repositoryFile } = await configPaths({ env, cwd })
    return { home: homeFile, repository: repositoryFile }
  }
  const fileOf = async (scope: ConfigScope) => (await path())[scope]
  return {
    path,
    list: async (flags) =>
      (await import("./config/list-config.ts")).listConfig({ env, cwd, flags: configFlags(flags) }),
    set: async (scope, key, value) => {
      const { setChecked } = await import("./config/edit-config.ts")
      return setChecked({ env, cwd }, { file: await fileOf(scope), key, value, isRepository: scope === "repository" })
    },
    unset: async (scope, key) =>
      (await import("./config/edit-config.ts")).unsetConfig({ file: await fileOf(scope), key }),
    schema: async () => (await import("./config/json-schema.ts")).configJsonSchema(),
  }
}
