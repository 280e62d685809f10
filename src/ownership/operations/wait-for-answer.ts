import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { raiseEscalation } from "../../requests/operations/raise-escalation.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { moveTask } from "../../tasks/operations/task-moves.ts"
import type { Task } from "../../tasks/task.ts"
import type { Exception } from "../exception.ts"
import { isCoordinated } from "./coordinator.ts"

/** Marks an escalation that the answer to an exception settles. */
export const ABOUT_OWNERSHIP = "ownership"

export interface WaitingTask extends TeamName {
  readonly task: TaskId
  readonly owner: string
  readonly token: number
}

const MOST_NAMED = 5

/**
 * Pauses a task that asked for files of another open task until a person answers, so that no agent runs in vain.
 * Returns the open exceptions; none if the task need not wait, as when a lead answers while it goes on.
 */
export async function waitForAnswer({ store }: Context, waiting: WaitingTask): Promise<Exception[]> {
  const { task: id, owner, token } = waiting
  return store.write(async (tx) => {
    const team = await lockTeam(tx, waiting)
    const task = await lockTask(tx, team.key, id)
    assertHolds(task, owner, token)
    const asked = (await tx.exceptions.list(team.key, id)).filter(
      ({ status, attempt }) => status === "asked" && attempt === task.attempt,
    )
    if (asked.length === 0 || !(await isCoordinated(tx, team.key))) return []
    if (await wasLetGoOn(tx, team, task)) return []
    const summary = describe(id, asked)
    const paused = await moveTask(tx, team, { task, to: "paused", by: owner, reason: summary })
    await raiseEscalation(tx, team, {
      trigger: "scope_change",
      summary,
      task: paused,
      by: owner,
      about: ABOUT_OWNERSHIP,
    })
    return asked
  })
}

/** A person let this attempt go on without a grant: asking again would cost run after run. */
async function wasLetGoOn(tx: Tx, { key }: StoredTeam, { id, attempt }: Task): Promise<boolean> {
  const decided = await tx.records.list(key, { kind: "escalation", status: "decided", taskId: id })
  return decided.some((record) => record.attempt === attempt && record.data.about === ABOUT_OWNERSHIP)
}

function describe(task: TaskId, asked: readonly Exception[]): string {
  const files = asked.slice(0, MOST_NAMED).map(({ pattern }) => pattern)
  const more = asked.length > files.length ? ` and ${asked.length - files.length} more` : ""
  const ways = asked
    .slice(0, MOST_NAMED)
    .map(({ number }) => `teamwork ownership grant ${task} ${number}`)
    .join("; ")
  const why = asked[0]?.reason ?? ""
  return `task ${task} asks to write ${files.join(", ")}${more}, which other open tasks own: ${why}. Answer with: ${ways}; or with ownership deny`
}
