import type { Team, TeamName } from "../../kernel/team.ts"
import { readMadeRoles } from "../../planning/operations/role-specs.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { getTeam, publicTeam } from "../../tasks/operations/lookup.ts"
import { isMet, type Task } from "../../tasks/task.ts"
import { type Deliverable, groupDeliverables } from "../deliverables.ts"

export interface DeliveredWork {
  readonly team: Team
  readonly deliverables: readonly Deliverable[]
  readonly unfinished: readonly string[]
}

/** What a team delivers: results, changed files, artifacts. */
export async function readDeliverables({ store }: Pick<Context, "store">, name: TeamName): Promise<DeliveredWork> {
  return store.read(async (tx) => {
    const team = await getTeam(tx, name)
    const tasks = await tx.tasks.list(team.key)
    const files = await listFiles(tx, team.key, tasks)
    const madeRoles = await readMadeRoles(tx, team.key)
    return {
      team: publicTeam(team),
      deliverables: groupDeliverables(tasks, { filesOf: ({ id }) => files.get(id) ?? [], madeRoles }),
      unfinished: tasks.filter(({ status }) => !isMet(status)).map(({ id }) => id),
    }
  })
}

async function listFiles(tx: Tx, key: number, tasks: readonly Task[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = new Map<string, Set<string>>()
  const add = (task: string, path: string) => files.set(task, (files.get(task) ?? new Set()).add(path))
  for (const { id, attempt, status } of tasks) {
    if (status !== "resolved") continue
    for (const { type, attempt: of, withdrawnAt, facts } of await tx.evidence.list(key, id)) {
      if (type !== "file" || of !== attempt || withdrawnAt !== null || facts.path === undefined) continue
      if (facts.action === "deleted") files.get(id)?.delete(facts.path)
      else add(id, facts.path)
    }
  }
  for (const { taskId, data } of await tx.records.list(key, { kind: "artifact" }))
    if (taskId !== null && typeof data.path === "string") add(taskId, data.path)
  return new Map([...files].map(([id, paths]) => [id, [...paths]]))
}
