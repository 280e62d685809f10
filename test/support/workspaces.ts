// Workspaces of a team on a real repository, with a home of their own.
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeCheckoutSetup } from "../../src/checkouts/effects/set-up-checkout.ts"
import { makeGit } from "../../src/git/git.ts"
import type { Pins, Workspaces } from "../../src/git/port.ts"
import { makeWorkspaces } from "../../src/git/workspaces/make-workspaces.ts"
import { makePins } from "../../src/git/workspaces/pins.ts"
import { verifyWorkspace } from "../../src/git/workspaces/verify-workspace.ts"
import { placeIn } from "../../src/git/workspaces/view.ts"
import {
  openWorkspaceContext,
  type WorkspaceContext,
  type WorkspaceSettings,
} from "../../src/git/workspaces/workspace-context.ts"
import { findWorkspace } from "../../src/git/workspaces/workspace-record.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { capture } from "../../src/lib/process/capture.ts"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { makeRepository, type Repository, type RepositoryOptions } from "./repository.ts"
import { makeScratch, sandboxEnv } from "./sandbox.ts"

export interface WorkspaceSetup extends Disposable {
  readonly repository: Repository
  readonly home: string
  readonly workspaces: Workspaces
  readonly pins: Pins
  readonly context: WorkspaceContext
  /** The head of a workspace that is as it should be; throws otherwise. */
  verify(worker: string, base: string): Promise<string>
  /** The same team, called from another folder, with other settings or a changed environment. */
  from(source: string, options?: WorkspaceOptions): Promise<Opened>
  /** The repository as seen in the worktree of a worker. */
  tree(worker: string): Repository
  /** Our own git folder for the files of a worker. */
  view(worker: string): string
  /** Every pin as `place/kind`. */
  pinned(): Promise<Record<string, string>>
}

interface Opened {
  readonly workspaces: Workspaces
  readonly pins: Pins
  readonly context: WorkspaceContext
}

export interface WorkspaceOptions extends Partial<WorkspaceSettings> {
  readonly env?: Record<string, string>
  /** Worktrees are set up by themselves. */
  readonly isAutomatic?: boolean
}

export const WORKSPACE_TEAM = { project: "shop", team: "main" }
const SETTINGS: WorkspaceSettings = { setup: "", setupTimeoutSeconds: 20, copy: [], keep: [], remotes: [] }

export async function setUpWorkspaces(options: WorkspaceOptions & RepositoryOptions = {}): Promise<WorkspaceSetup> {
  const repository = makeRepository(options)
  const scratch = makeScratch("workspaces")
  const home = join(scratch.path, "home of worktrees")
  mkdirSync(home)
  const from: WorkspaceSetup["from"] = async (source, { env, isAutomatic = false, ...settings } = options) => {
    const ports = { processes: systemProcesses, clock: systemClock, sleep, env: sandboxEnv(env) }
    const git = makeGit(source, { capture, env: sandboxEnv(env), sleep })
    const own = { ...SETTINGS, ...settings }
    const makeCheckouts = (userRoots: readonly string[]) =>
      makeCheckoutSetup({ ...ports, home, userRoots, timeoutSeconds: own.setupTimeoutSeconds, portBase: 42_000 })
    const more = isAutomatic ? { makeCheckouts } : {}
    const context = await openWorkspaceContext({
      ...{ ...ports, ...more, source: git, home, team: { ...WORKSPACE_TEAM, run: 1 }, settings: own },
    })
    return { workspaces: makeWorkspaces(context), pins: makePins(context), context }
  }
  const { workspaces, pins, context } = await from(repository.path)
  return {
    ...{ repository, home, workspaces, pins, from, context },
    async verify(worker, base) {
      const found = findWorkspace(context, worker)
      if (found === undefined) throw new Error(`${worker} has no workspace`)
      return verifyWorkspace(context, found, { branch: workspaces.branchOf(worker), base })
    },
    tree: (worker) => repository.at(workspaces.pathOf(worker)),
    view: (worker) => placeIn(dirname(workspaces.pathOf(worker)), worker).view,
    async pinned() {
      const all = await pins.list()
      return Object.fromEntries(all.map((pin) => [pin.ref.replace("refs/teamwork/shop/main/", ""), pin.commit]))
    },
    [Symbol.dispose]() {
      scratch[Symbol.dispose]()
      repository[Symbol.dispose]()
    },
  }
}
