// A team whose work is done and merged in a real repository, to be reviewed.

import { join } from "node:path"
import type { ReadyAgent } from "../../src/agents/jobs/run-job.ts"
import { openGateRepository } from "../../src/git/gate-repository.ts"
import { branchRef, integrationBranch, integrationRef } from "../../src/kernel/branches.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import { type ReviewPorts, type ReviewRequest, reviewTeam } from "../../src/quality/effects/review-team.ts"
import { listVerdicts } from "../../src/quality/operations/record-verdict.ts"
import type { Verdict } from "../../src/quality/verdict.ts"
import type { Context } from "../../src/store/operation.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { noteRunEnded, noteRunStarted } from "../../src/tasks/operations/note-run.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { type MergeRepository, makeMergeRepository } from "./merge-repository.ts"
import { sandboxEnv } from "./sandbox.ts"
import { context, FIRST_RUN, run, STORES, TEAM } from "./stores.ts"

export interface ReviewSetup extends AsyncDisposable {
  readonly context: Context
  readonly repository: MergeRepository
  readonly home: string
  /** What the integration branch is at. */
  readonly tip: string
  /** Folders that were lent to reviewers, and what they were at. */
  readonly lent: { readonly folder: string; readonly commit: string }[]
  review(ready: readonly ReadyAgent[], more?: Partial<ReviewRequest>): Promise<Verdict>
  /** Until when agents are limited, by name. */
  limit(until: Record<string, string>): void
  verdicts(): Promise<Verdict[]>
}

/** Tasks `1`, `2`, ... were done by these agents; the first wrote `search.ts`. */
export async function setUpReview(agents: readonly string[], goal = "A search page"): Promise<ReviewSetup> {
  const repository = await makeMergeRepository("review")
  const database = await (STORES.sqlite as NonNullable<typeof STORES.sqlite>)()
  const here = context(await database.connect())
  await run(here, createTeam, { goal })
  for (const [index, agent] of agents.entries()) await workOn(here, String(index + 1), agent)
  const start = await repository.commit([], { "readme.md": "a shop\n" })
  const tip = await repository.commit([start], { "search.ts": "export const search = 1\n" })
  await repository.set("refs/heads/main", start)
  await repository.set(branchRef(integrationBranch(TEAM)), tip)
  await repository.set(integrationRef(FIRST_RUN, "start"), start)
  await repository.merges.nameBranch(integrationRef(FIRST_RUN, "target"), "refs/heads/main")
  const home = join(repository.folder, "../home")
  const gates = await openGateRepository(repository.git, { home, prepare: async () => undefined })
  if (gates === undefined) throw new Error("no repository")
  let limits: Record<string, string> = {}
  const lent: { folder: string; commit: string }[] = []
  const ports = (ready: readonly ReadyAgent[]): ReviewPorts => ({
    ...{ context: here, merges: repository.merges, promptLimit: () => 50_000 },
    checkedOut: (commit, use) =>
      gates.checkedOut(commit, (folder) => {
        lent.push({ folder, commit })
        return use(folder)
      }),
    openAsk: async () => ({
      ...{ ready, home, clock: systemClock, ids: systemIds, maxBytes: 1_000_000, callerEnv: sandboxEnv() },
      ...{ roles: BUILT_IN_ROLES, defaults: { agentType: "executor", tier: "sonnet" } },
      health: { now: new Date().toISOString(), until: limits, faults: {}, quotas: {} },
      hasStore: async () => true,
      openContext: async () => here,
    }),
  })
  return {
    ...{ context: here, repository, home, tip, lent },
    review: (ready, more = {}) => reviewTeam(ports(ready), { ...TEAM, timeoutMs: 60_000, patienceMs: 5000, ...more }),
    limit: (until) => {
      limits = until
    },
    verdicts: () => run(here, listVerdicts, {}),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      repository[Symbol.dispose]()
    },
  }
}

async function workOn(here: Context, id: string, agent: string): Promise<void> {
  const owner = `w${id}`
  await run(here, createTask, { id, title: `Title of ${id}`, files: [`part${id}/**`] })
  await run(here, claimTask, { id, owner })
  const who = { ...TEAM, run: `${id}-1-1`, task: parseTaskId(id), worker: owner, agent }
  await noteRunStarted(here, { ...who, attempt: 1, model: null, turn: 1 })
  await noteRunEnded(here, {
    ...{ ...who, reason: "done", error: null, session: null, duration_ms: 1, cached_tokens: 0 },
    ...{ input_tokens: 1, output_tokens: 1, dollars: null, dollars_are_estimated: false },
  })
  await run(here, updateTask, { id, owner, status: "resolved" })
}
