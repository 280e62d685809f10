// A team, a real repository and real commands to judge: `await using world = await setUpVerifier(...)`.
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { getSetting } from "../../src/app/config/settings.ts"
import { openGateRepository } from "../../src/git/gate-repository.ts"
import { branchRef, integrationBranch, pinRef } from "../../src/kernel/branches.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { makeMask } from "../../src/lib/text/mask-secrets.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import type { Verdict } from "../../src/quality/verdict.ts"
import type { Verifier } from "../../src/quality/verify/verifier.ts"
import type { Context } from "../../src/store/operation.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { makeRepository, type Repository } from "./repository.ts"
import { makeScratch, sandboxEnv } from "./sandbox.ts"
import { context, FIRST_RUN, type Given, getTask, makeTeam, run, STORES, TEAM } from "./stores.ts"

export interface VerifierSetup extends AsyncDisposable {
  readonly repository: Repository
  readonly context: Context
  readonly key: number
  readonly home: string
  verifier(more?: Partial<Verifier>): Promise<Verifier>
  create(id: string, more?: Given<typeof createTask.input>): Promise<void>
  /** Claims and resolves a task, with a note as evidence. */
  resolve(id: string): Promise<void>
  /** Remembers what a task's present attempt started from and came to. */
  pin(id: string, base: string, head: string): Promise<void>
  integrate(commit: string): void
  /** How often a command that calls `COUNT` ran. */
  count(): number
}

/** A command that notes each of its runs outside of the repository. */
export const COUNT = 'echo run >> "$COUNTER"'

export async function setUpVerifier(
  files: Readonly<Record<string, string>> = { "a.txt": "a\n" },
): Promise<VerifierSetup> {
  const scratch = makeScratch("verify")
  const [home, counter] = [join(scratch.path, "home"), join(scratch.path, "counter")]
  mkdirSync(home)
  const repository = makeRepository({ files })
  const database = await (STORES.sqlite as NonNullable<typeof STORES.sqlite>)()
  const store = await database.connect()
  const ctx = context(store)
  const { key } = await makeTeam(store)
  const kind = { isEnabled: true, lines: [] }
  return {
    ...{ repository, context: ctx, key, home },
    async verifier(more = {}) {
      const gates = await openGateRepository(repository.git, { home, prepare: async () => undefined })
      if (gates === undefined) throw new Error(`${repository.path} is no repository`)
      return {
        ...{ context: ctx, repository: gates, roles: BUILT_IN_ROLES },
        place: { machine: "here", folder: repository.path, repository: null },
        settings: {
          ...{ kinds: { build: kind, lint: kind, test: kind }, ...ctx.settings },
          ignoredFiles: getSetting("gates.ignoredFiles").default,
        },
        runner: {
          ...{ processes: systemProcesses, clock: systemClock, sleep, home, mask: makeMask({}) },
          env: { ...sandboxEnv(), COUNTER: counter },
          ...{
            timeoutMs: 20_000,
            preparation: "",
            maxBytes: 1_000_000,
            again: false,
            signal: new AbortController().signal,
          },
        },
        ...more,
      }
    },
    create: async (id, more = {}) => void (await run(ctx, createTask, { id, title: `Task ${id}`, ...more })),
    async resolve(id) {
      await run(ctx, claimTask, { id, owner: "w1" })
      await run(ctx, updateTask, { id, owner: "w1", status: "resolved", addEvidence: ["done as asked"] })
    },
    async pin(id, base, head) {
      const task = await getTask(store, key, id)
      repository.run("update-ref", pinRef(FIRST_RUN, { taskId: task.id, attempt: task.attempt }, "base"), base)
      repository.run("update-ref", pinRef(FIRST_RUN, { taskId: task.id, attempt: task.attempt }, "head"), head)
    },
    integrate: (commit) => void repository.run("update-ref", branchRef(integrationBranch(TEAM)), commit),
    count: () => (existsSync(counter) ? readFileSync(counter, "utf8").trim().split("\n").length : 0),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      repository[Symbol.dispose]()
      scratch[Symbol.dispose]()
    },
  }
}

/** `name: status` of each check. */
export function statuses({ checks }: Verdict): Record<string, string> {
  return Object.fromEntries(checks.map(({ name, status }) => [name, status]))
}
