import { ENGINE } from "../../kernel/actor.ts"
import { ofType } from "../../kernel/events.ts"
import type { WorkPlace } from "../../kernel/repository.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { bringCommand, type CommittedByAttempt, type CommittedWork } from "../committed-work.ts"
import { getTeam } from "./lookup.ts"

const ALL = 1_000_000

/** If an attempt was taken over, the last report counts. */
export async function readCommitted(tx: Tx, key: number): Promise<CommittedByAttempt> {
  const { events } = await tx.events.list(key, { type: "task.committed", limit: ALL })
  return new Map(
    ofType(events, "task.committed").map(({ data }) => {
      const { task: taskId, attempt, token, base, commit, machine, folder, repository } = data
      const place = { machine, folder, repository: repository as WorkPlace["repository"] }
      return [`${taskId}/${attempt}`, { taskId, attempt, token, base, commit, place }]
    }),
  )
}

/** Merged work that no worker reported, such as work by hand. */
export async function noteCommitted({ store }: Context, name: RunName, works: readonly CommittedWork[]): Promise<void> {
  if (works.length === 0) return
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, name)
    for (const { taskId: task, attempt, token, base, commit, place } of works)
      await tx.events.append(key, ENGINE, {
        type: "task.committed",
        data: { task, attempt, token, base, commit, ...place },
      })
  })
}

/** Records once that the merging repository lacks the work of an attempt. */
export async function noteMissing(
  { store }: Context,
  name: RunName,
  { works, here }: { readonly works: readonly CommittedWork[]; readonly here: WorkPlace },
): Promise<void> {
  if (works.length === 0) return
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, name)
    for (const work of works) {
      const { taskId: task, attempt, commit, place } = work
      const { events } = await tx.events.list(key, { type: "task.work_missing", task, limit: ALL })
      const command = bringCommand(name, work, here)
      const isTold = ofType(events, "task.work_missing").some(
        ({ data }) => data.attempt === attempt && data.commit === commit && data.command === command,
      )
      if (isTold) continue
      const data = { task, attempt, commit, ...place, command }
      await tx.events.append(key, ENGINE, { type: "task.work_missing", data })
    }
  })
}
