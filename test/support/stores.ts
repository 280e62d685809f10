// The stores under test, and short ways to the things every test of them needs.

import { join } from "node:path"
import { getSetting } from "../../src/app/config/settings.ts"
import { AppError, type ErrorCode } from "../../src/kernel/errors.ts"
import type { Event } from "../../src/kernel/events.ts"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import type { RunName, Team, TeamName } from "../../src/kernel/team.ts"
import { UNGUARDED } from "../../src/kernel/team.ts"
import { type Clock, systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { checkFields, type Fields, type InputOf } from "../../src/lib/schema.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import type { Context, Operation, Settings } from "../../src/store/operation.ts"
import type { ClaimRequest, FinishRequest, Store, StoredTeam } from "../../src/store/port.ts"
import { openPostgresStore } from "../../src/store/postgres/store.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import type { NewEvidence } from "../../src/tasks/evidence.ts"
import { NO_WORK, type Task, type TaskBrief } from "../../src/tasks/task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { freshSchema } from "./postgres.ts"
import { makeScratch } from "./sandbox.ts"

export interface TestDatabase extends AsyncDisposable {
  /** A new connection to the same database, closed with it. */
  connect(): Promise<Store>
  /** Leaves file or schema where it is, and says where that is. */
  keep(): string
}

export interface DatabaseOptions {
  /** The store's time, where a store lets itself be told: PostgreSQL goes by its own. */
  readonly clock?: Clock
}

export type MakeDatabase = (options?: DatabaseOptions) => Promise<TestDatabase>

export const STORES: { readonly [name: string]: MakeDatabase } = { sqlite: makeSqlite, postgres: makePostgres }

async function makeSqlite({ clock = systemClock }: DatabaseOptions = {}): Promise<TestDatabase> {
  const scratch = makeScratch("store")
  const path = join(scratch.path, "teamwork.db")
  return database(
    path,
    () => openSqliteStore({ path, clock }),
    () => scratch[Symbol.dispose](),
  )
}

async function makePostgres(): Promise<TestDatabase> {
  const { url, drop } = await freshSchema()
  // Few links: a test makes several of these stores, and the tests of one file share the server.
  return database(url, () => openPostgresStore({ url, maxConnections: 4 }), drop)
}

function database(place: string, open: () => Promise<Store>, remove: () => void | Promise<void>): TestDatabase {
  const stores: Store[] = []
  let kept = false
  return {
    async connect() {
      const store = await open()
      stores.push(store)
      return store
    },
    keep() {
      kept = true
      return place
    },
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]()
      if (!kept) await remove()
    },
  }
}

export const DEFAULT_SETTINGS: Settings = {
  leaseSeconds: getSetting("claim.leaseSeconds").default,
  freshStartIntervalSeconds: getSetting("team.freshStartIntervalSeconds").default,
  blockedPatterns: getSetting("evidence.blockedPatterns").default,
  warnPatterns: getSetting("evidence.warnPatterns").default,
  onOverlap: getSetting("ownership.onOverlap").default,
  sharedFiles: getSetting("ownership.shared").default,
  reviewRequired: false,
  quality: {
    pass: getSetting("quality.pass").default,
    review: getSetting("quality.review").default,
    dimensions: getSetting("qa.dimensions").default,
  },
}

export function context(store: Store, settings: Partial<Settings> = {}): Context {
  return { store, ids: systemIds, settings: { ...DEFAULT_SETTINGS, ...settings }, roles: async () => BUILT_IN_ROLES }
}

/** A store with one team in it, whose goal is a house. */
export async function openTestTeam(makeDatabase: MakeDatabase, settings: Partial<Settings> = {}) {
  const db = await makeDatabase()
  const store = await db.connect()
  const testTeam = context(store, settings)
  await run(testTeam, createTeam, { goal: "a house" })
  const key = (await store.read((tx) => tx.teams.find(TEAM)))?.key ?? 0
  return { db, store, testTeam, key }
}

/** Input as a caller gives it: ids are plain strings, and anything may be missing. */
export type Given<F extends Fields> = { readonly [K in keyof InputOf<F>]?: Loose<InputOf<F>[K]> }
type Loose<Value> = Value extends { readonly __id: string }
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Loose<Item>[]
    : Value

/** Asks for an operation the way a surface does: the input is checked first. The team is TEAM unless another is named. */
export async function run<F extends Fields, Result>(
  context: Context,
  operation: Operation<F, Result>,
  given: Given<F>,
): Promise<Result> {
  const checked = checkFields(operation.input, { ...TEAM, ...given })
  if (!checked.ok) throw new AppError("input.invalid", `${checked.field} ${checked.problem}`)
  return operation.run(context, checked.values)
}

/** The refusal `work` ends in; anything else fails the test. */
export async function refusal(work: Promise<unknown>): Promise<AppError> {
  try {
    await work
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error("was not refused")
}

export async function refusalCode(work: Promise<unknown>): Promise<ErrorCode> {
  return (await refusal(work)).code
}

export const TEAM = { project: "house", team: "main" } satisfies TeamName
/** For git, where the runs of a team lie beside each other. */
export const FIRST_RUN = { ...TEAM, run: 1 } satisfies RunName

export async function makeTeam(store: Store, change: Partial<Team> = {}): Promise<StoredTeam> {
  const team = await store.write((tx) =>
    tx.teams.create({
      ...TEAM,
      goal: "build it",
      phase: "PLANNING",
      status: "active",
      mode: "FULL_AUTO",
      schedule: "waves",
      ...UNGUARDED,
      ...change,
    }),
  )
  if (team === undefined) throw new Error("the team exists already")
  return team
}

export function brief(
  change: Omit<Partial<TaskBrief>, "blockedBy"> & { blockedBy?: readonly string[] } = {},
): TaskBrief {
  return {
    title: "paint",
    description: "",
    role: "worker",
    complexity: "standard",
    acceptance: [],
    checks: [],
    files: [],
    agentType: null,
    assignee: null,
    work: NO_WORK,
    ...change,
    blockedBy: (change.blockedBy ?? []).map(parseTaskId),
  }
}

export async function makeTask(
  store: Store,
  key: number,
  id: string,
  change: Parameters<typeof brief>[0] & { wave?: number } = {},
): Promise<Task> {
  const { wave, ...rest } = change
  const task = await store.write((tx) => tx.tasks.create(key, parseTaskId(id), brief(rest), wave ?? null))
  if (task === undefined) throw new Error(`task ${id} exists already`)
  return task
}

const HOUR_MS = 3_600_000

/** A claim of the best ready task; `taskId` names one instead. */
export function claimRequest(
  owner: string,
  change: Omit<Partial<ClaimRequest>, "taskId" | "workerId"> & { taskId?: string; workerId?: string } = {},
): ClaimRequest {
  const { taskId, workerId, ...rest } = change
  return {
    ...TEAM,
    owner,
    role: null,
    strictRole: false,
    leaseMs: HOUR_MS,
    ...rest,
    taskId: taskId === undefined ? null : parseTaskId(taskId),
    workerId: parseWorkerId(workerId ?? owner),
  }
}

export function finishRequest(taskId: string, change: Omit<Partial<FinishRequest>, "taskId"> = {}): FinishRequest {
  const nothing = { owner: null, token: null, workerId: null, result: null, evidence: [], notice: null }
  return { ...TEAM, ...nothing, ...change, taskId: parseTaskId(taskId) }
}

export function note(text: string, blockedPattern: string | null = null): NewEvidence {
  return { type: "note", trust: "reported", text, facts: {}, blockedPattern }
}

export async function getTask(store: Store, key: number, id: string): Promise<Task> {
  const task = await store.read((tx) => tx.tasks.find(key, parseTaskId(id)))
  if (task === undefined) throw new Error(`no task ${id}`)
  return task
}

export async function allEvents(store: Store, key: number): Promise<Event[]> {
  return store.read(async (tx) => (await tx.events.list(key, { limit: 100_000 })).events)
}

/** Everything the store knows of a team, to show that nothing changed. */
export async function snapshot(store: Store, key: number): Promise<Record<string, unknown>> {
  return store.read(async (tx) => {
    const team = (await tx.teams.list()).find((each) => each.key === key)
    const inboxes = ["orchestrator", ...(await tx.workers.list(key)).map((worker) => worker.id)]
    const tasks = await tx.tasks.list(key)
    return {
      team,
      tasks,
      waves: await tx.waves.list(key),
      workers: await tx.workers.list(key),
      messages: await Promise.all(inboxes.map((inbox) => tx.messages.list(key, inbox, {}))),
      unread: await tx.messages.countUnread(key),
      evidence: await Promise.all(tasks.map((task) => tx.evidence.list(key, task.id))),
      exceptions: await tx.exceptions.list(key),
      verdicts: await tx.verdicts.list(key),
      events: (await tx.events.list(key, { limit: 100_000 })).events,
    }
  })
}

const PATIENCE_MS = 25_000

/** Asks again until the answer is there; a test never waits for a fixed time. */
export async function until<T>(ask: () => Promise<T | undefined | false>, what = "it"): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() > deadline) throw new Error(`${what} did not happen in ${PATIENCE_MS / 1000} s`)
    await Bun.sleep(1)
  }
}

/** Waits until the store's own clock says that the lease of a task ran out. */
export async function untilExpired(store: Store, key: number, id: string): Promise<void> {
  const { leaseUntil } = await getTask(store, key, id)
  if (leaseUntil === null) throw new Error(`task ${id} has no lease`)
  await until(
    async () => (await store.read((tx) => tx.now())) > Date.parse(leaseUntil),
    `the lease of task ${id} to run out`,
  )
}
