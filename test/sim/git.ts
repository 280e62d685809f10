// A git repository in memory, behind the ports that the engine works through. Each call takes a while, and is a point at
// which its process may die: what takes git several steps takes several moments here. `git.test.ts` shows that it answers
// as the real one does.

import type { Merges, Pins, Scopes, Targets, Workspaces } from "../../src/git/port.ts"
import type { GateRepository } from "../../src/quality/gates/port.ts"
import { makeSimGateRepository, type SimCheckouts } from "./git/gate-repository.ts"
import { makeSimMerges, makeSimTargets } from "./git/merges.ts"
import { makeSimPins } from "./git/pins.ts"
import { makeSimRepository, type RepositoryRequest, type SimRepository } from "./git/repository.ts"
import { makeSimScopes } from "./git/scopes.ts"
import { makeSimWorkspaces, type WorktreeLocks } from "./git/worktrees.ts"
import type { SimProcess, World } from "./world.ts"

export interface SimGit {
  readonly repository: SimRepository
  readonly checkouts: SimCheckouts
  /** As a process of one run of the team has it. */
  of(process: SimProcess, run?: number): GitPorts
}

export interface GitPorts {
  readonly workspaces: Workspaces
  readonly pins: Pins
  readonly scopes: Scopes
  readonly merges: Merges
  readonly targets: Targets
  gateRepository(folder?: string): GateRepository
}

export function makeSimGit(world: World, request: RepositoryRequest): SimGit {
  const repository = makeSimRepository(world, request)
  const checkouts: SimCheckouts = { lent: new Map() }
  const locks: WorktreeLocks = new Map()
  return {
    repository,
    checkouts,
    of(process, run = request.team.run) {
      const team = { value: { ...request.team, run } }
      const own: SimRepository = run === request.team.run ? repository : Object.create(repository, { team })
      return {
        workspaces: makeSimWorkspaces(own, process, locks),
        pins: makeSimPins(own, process),
        scopes: makeSimScopes(own, process),
        merges: makeSimMerges(own, process),
        targets: makeSimTargets(own, process),
        gateRepository: (folder) => makeSimGateRepository(own, process, checkouts, folder),
      }
    },
  }
}
