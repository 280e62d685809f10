import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { getSetting } from "../../src/app/config/settings.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { UNGUARDED } from "../../src/kernel/team.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import type { Context } from "../../src/store/operation.ts"
import type { Store, StoredTeam, Tx } from "../../src/store/port.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { NO_WORK, type TaskBrief } from "../../src/tasks/task.ts"
import type { Place } from "./program.ts"
import type { Sandbox } from "./sandbox.ts"

export const TEAM = { project: "shop", team: "main" } as const

/** A plan of `total` tasks, the first `done` of them resolved. Each of the others needs one of those, if there is one. */
export interface Plan {
  readonly total: number
  readonly done: number
}

/** What most cases work on: half of the tasks are done and the other half is ready. */
export function halfDone(total: number): Plan {
  return { total, done: Math.floor(total / 2) }
}

export interface SeededTask {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly needs: readonly string[]
  readonly isDone: boolean
}

export function taskOf(plan: Plan, index: number): SeededTask {
  const needs = index >= plan.done && plan.done > 0 ? [String((index % plan.done) + 1)] : []
  const description = `Step ${index + 1} of the plan. ${"Read the code around it, change it, add a test. ".repeat(4)}`
  return { id: String(index + 1), title: `Step ${index + 1}`, description, needs, isDone: index < plan.done }
}

/** A repository folder and a home of teamwork with a store in it, as a user has them. */
export interface SeededHome extends Place {
  readonly storePath: string
}

export async function seedHome(sandbox: Sandbox, plan: Plan): Promise<SeededHome> {
  const home = sandbox.folder(`home-${plan.total}`)
  const cwd = join(home, TEAM.project)
  mkdirSync(join(cwd, ".git"), { recursive: true })
  writeFileSync(join(cwd, ".git/HEAD"), `ref: refs/heads/${TEAM.team}\n`)
  const storePath = join(home, "teamwork.db")
  await using store = await openSqliteStore({ path: storePath, clock: systemClock })
  await seedTeam(store, plan)
  return { cwd, env: sandbox.env({ TEAMWORK_HOME: home }), storePath }
}

const TASKS_PER_TRANSACTION = 5000

export async function seedTeam(store: Store, plan: Plan, name: { project: string; team: string } = TEAM) {
  const team = await store.write((tx) =>
    tx.teams.create({
      ...name,
      goal: "a shop",
      phase: "EXECUTION",
      status: "active",
      mode: "FULL_AUTO",
      schedule: "waves",
      ...UNGUARDED,
    }),
  )
  if (team === undefined) throw new Error("the team exists already")
  for (let from = 0; from < plan.total; from += TASKS_PER_TRANSACTION) {
    const to = Math.min(plan.total, from + TASKS_PER_TRANSACTION)
    await store.write((tx) => seedTasks(tx, team, plan, { from, to }))
  }
  await store.write((tx) => tx.teams.raiseTaskNumber(team.key, plan.total + 1))
  return team
}

async function seedTasks(tx: Tx, team: StoredTeam, plan: Plan, { from, to }: { from: number; to: number }) {
  for (let index = from; index < to; index++) {
    const { id: text, title, description, needs, isDone } = taskOf(plan, index)
    const id = parseTaskId(text)
    const brief: TaskBrief = {
      title,
      description,
      role: "worker",
      complexity: "standard",
      blockedBy: needs.map(parseTaskId),
      acceptance: [],
      checks: [],
      files: [`src/step-${id}/**`],
      agentType: null,
      assignee: null,
      work: NO_WORK,
    }
    await tx.tasks.create(team.key, id, brief, null)
    await tx.events.append(team.key, "human", {
      type: "task.created",
      data: { task: id, title, blocked_by: brief.blockedBy },
    })
    if (isDone) await tx.tasks.update(team.key, id, { status: "resolved", completedAt: await tx.now() })
  }
}

export function contextOf(store: Store): Context {
  return {
    store,
    ids: systemIds,
    roles: async () => [],
    settings: {
      leaseSeconds: getSetting("claim.leaseSeconds").default,
      freshStartIntervalSeconds: getSetting("team.freshStartIntervalSeconds").default,
      blockedPatterns: getSetting("evidence.blockedPatterns").default,
      warnPatterns: getSetting("evidence.warnPatterns").default,
      onOverlap: getSetting("ownership.onOverlap").default,
      sharedFiles: getSetting("ownership.shared").default,
      reviewRequired: false,
      quality: { pass: 80, review: 60, dimensions: [] },
    },
  }
}
