import { parseTaskId } from "../../src/kernel/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import type { Context } from "../../src/store/operation.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { timeProcess } from "./program.ts"
import { contextOf, type SeededHome, TEAM } from "./seed.ts"

/** The two things every task pays for: a claim and a resolve, each with its event; and what most bring along, evidence. */
export async function claimAndResolve(
  context: Context,
  owner: string,
  addEvidence: readonly string[] = [],
): Promise<void> {
  const { task } = await claimTask.run(context, { ...TEAM, next: true, owner })
  await updateTask.run(context, { ...TEAM, id: task.id, owner, status: "resolved", addEvidence })
}

export const EVIDENCE = ["12 tests pass"]

/** How long `task claim --next` takes as a process. Gives the task back afterwards, with nobody else on the file. */
export async function timeClaim(program: readonly string[], home: SeededHome): Promise<number> {
  const { ms, stdout } = await timeProcess([...program, "task", "claim", "--next", "--owner", "w1"], home)
  const { data } = JSON.parse(stdout)
  await using store = await openSqliteStore({ path: home.storePath, clock: systemClock })
  await updateTask.run(contextOf(store), { ...TEAM, id: parseTaskId(data.id), release: true })
  return ms
}
