import { buildEnvironment } from "../agents/agent-environment.ts"
import { reportSetup } from "../checkouts/effects/report-setup.ts"
import { makeCheckoutSetup, type SetupPorts } from "../checkouts/effects/set-up-checkout.ts"
import type { SetupReport } from "../checkouts/setup-report.ts"
import type { Merging } from "../delivery/merge-queue/merging.ts"
import { listIgnored, openGateRepository } from "../git/gate-repository.ts"
import { type Git, makeGit } from "../git/git.ts"
import { makeMerges } from "../git/merges/git-merges.ts"
import { makeTargets } from "../git/merges/git-targets.ts"
import { makeScopes } from "../git/merges/scopes.ts"
import type { Scopes } from "../git/port.ts"
import { readRefs } from "../git/read-refs.ts"
import { ensureRepositoryId, renewRepositoryId } from "../git/repository-id.ts"
import { takeOverBranches } from "../git/take-over-branches.ts"
import { makeWorkspaces } from "../git/workspaces/make-workspaces.ts"
import { makePins } from "../git/workspaces/pins.ts"
import { prepareCheckout, setupMode } from "../git/workspaces/run-setup.ts"
import { type CheckoutPlace, gitInFolder } from "../git/workspaces/view.ts"
import { openWorkspaceContext, type WorkspaceContext } from "../git/workspaces/workspace-context.ts"
import { AppError } from "../kernel/errors.ts"
import type { RunName } from "../kernel/team.ts"
import { systemClock } from "../lib/clock.ts"
import { systemIds } from "../lib/make-ids.ts"
import { resolvePath } from "../lib/paths.ts"
import { capture } from "../lib/process/capture.ts"
import type { Processes } from "../lib/process/process.ts"
import { sleep } from "../lib/sleep.ts"
import { makeMask } from "../lib/text/mask-secrets.ts"
import { GATE_CONSTANTS, GATE_VARIABLES } from "../quality/gates/gate-environment.ts"
import type { GateSetup } from "../quality/verify/verifier.ts"
import type { WorkspaceTools } from "../workers/swarm/worktrees.ts"
import type { Config } from "./config/settings.ts"
import type { Machine } from "./host.ts"
import type { RepositoryWork } from "./projects-here.ts"

export interface Place {
  readonly home: string
  readonly sourceDir: string
  readonly team: RunName
}

export interface Repositories {
  scopes(folder: string): Scopes
  merging(folder: string, config: Config): Merging
  workspaces(config: Config, place: Place): Promise<WorkspaceTools>
  gates(config: Config, place: Place): Promise<GateSetup>
  readonly work: RepositoryWork
  setup(config: Config, place: Place): Promise<SetupReport>
}

/** Everything that needs git. All repositories share the long-running git processes. */
export function openRepositories({ env, cwd }: Machine, processes: Processes, ownHome: string): Repositories {
  let any: Git | undefined
  const gitIn = (folder: string): Git => {
    any ??= makeGit(folder, { capture, env, sleep })
    return gitInFolder(any.in(folder), ownHome)
  }
  const setupPorts = (config: Config, home: string, userRoots: readonly string[]): SetupPorts => ({
    processes,
    clock: systemClock,
    sleep,
    env,
    home,
    userRoots,
    timeoutSeconds: config("workspace.setupTimeoutSeconds"),
    portBase: config("workspace.portBase"),
  })
  const contextOf = (config: Config, { home, sourceDir, team }: Place): Promise<WorkspaceContext> =>
    openWorkspaceContext({
      makeCheckouts: (userRoots) => makeCheckoutSetup(setupPorts(config, home, userRoots)),
      processes,
      clock: systemClock,
      sleep,
      env,
      home,
      team,
      source: gitIn(resolvePath(sourceDir, cwd)),
      settings: workspaceSettings(config),
    })
  return {
    work: {
      ensureId: (gitDir) => ensureRepositoryId({ gitDir, uuid: systemIds.uuid }),
      renewId: (gitDir, from) => renewRepositoryId({ gitDir, uuid: systemIds.uuid, sleep, from }),
      hasRefs: async (gitDir, project) => (await readRefs(gitIn(gitDir), gitDir, `refs/teamwork/${project}/`)).size > 0,
      takeOver: (gitDir, project, teams) => takeOverBranches(gitIn(gitDir), project, teams),
    },
    scopes: (folder) => makeScopes(gitIn(folder), ownHome),
    merging(folder, config) {
      const log = { ids: systemIds, env, sleep }
      const git = gitIn(folder)
      const policy = { signs: config("delivery.sign"), runsHooks: config("delivery.commitHooks") }
      return { merges: makeMerges(git, log, policy), targets: makeTargets(git, log) }
    },
    async workspaces(config, place) {
      const context = await contextOf(config, place)
      const surround: WorkspaceTools["surround"] = (variables, folder) =>
        context.checkouts?.surround(variables, folder) ?? variables
      return { workspaces: makeWorkspaces(context), pins: makePins(context), surround }
    },
    async setup(config, place) {
      const { source, mainRoot, userRoots } = await contextOf(config, place)
      const repository = await openGateRepository(source, { home: place.home, prepare: async () => undefined })
      const head = await repository?.find("HEAD")
      const globs = config("workspace.copy").map((glob) => new Bun.Glob(glob))
      return reportSetup(setupPorts(config, place.home, userRoots), {
        mode: setupMode(config("workspace.setup")),
        command: config("workspace.setup"),
        files: head === undefined || repository === undefined ? NO_FILES : repository.openTree(head.tree),
        ignored: mainRoot === null ? [] : await listIgnored(source.in(mainRoot)),
        isCopied: (path) => globs.some((glob) => glob.match(path)),
      })
    },
    async gates(config, place) {
      const { home, sourceDir: folder } = place
      const context = await contextOf(config, place)
      const prepare = (checkout: CheckoutPlace) => prepareCheckout(context, checkout)
      const isAutomatic = setupMode(config("workspace.setup")) === "automatic"
      const setup = isAutomatic ? context.checkouts : undefined
      const repository = await openGateRepository(context.source, { home, context, prepare, setup })
      if (repository === undefined)
        throw new AppError(
          "gate.no_checkout",
          `nothing is checked out in ${folder}; go to a checkout of the repository`,
        )
      const variables = buildEnvironment(env, [...GATE_VARIABLES, ...config("gates.variables")])
      return {
        repository,
        settings: gateSettings(config),
        runner: {
          processes,
          clock: systemClock,
          sleep,
          home,
          mask: makeMask(env),
          env: { ...variables, ...GATE_CONSTANTS },
          timeoutMs: config("gates.timeoutSeconds") * 1000,
          maxBytes: config("recordings.maxMegabytes") * 1_000_000,
          preparation: JSON.stringify([config("workspace.setup"), config("workspace.copy")]),
          surround: (variables, checkout, inside) =>
            context.checkouts?.surround(variables, checkout, inside) ?? variables,
        },
      }
    },
  }
}

const NO_FILES = { list: async () => [], read: async () => "" }

function workspaceSettings(config: Config) {
  return {
    setup: config("workspace.setup"),
    setupTimeoutSeconds: config("workspace.setupTimeoutSeconds"),
    copy: config("workspace.copy"),
    keep: config("workspace.keep"),
    remotes: config("workspace.remote"),
  }
}

function gateSettings(config: Config): GateSetup["settings"] {
  return {
    kinds: {
      build: { isEnabled: config("gates.enableBuild"), lines: config("gates.build") },
      lint: { isEnabled: config("gates.enableLint"), lines: config("gates.lint") },
      test: { isEnabled: config("gates.enableTest"), lines: config("gates.test") },
    },
    blockedPatterns: config("evidence.blockedPatterns"),
    warnPatterns: config("evidence.warnPatterns"),
    ignoredFiles: config("gates.ignoredFiles"),
  }
}
