import { parseTaskId } from "../../src/domain/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { claimTask } from "../../src/operations/claim-task.ts"
import type { Context } from "../../src/operations/operation.ts"
import { updateTask } from "../../src/operations/update-task.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { timeProcess } from "./program.ts"
import { contextOf, type SeededHome, TEAM } from "./seed.ts"

/** The two things every task pays for: a claim, and a resolve with a line of evidence. */
export async function claimAndResolve(context: Context, owner: string, team = TEAM): Promise<void> {
  const { task } = await claimTask.run(context, { ...team, next: true, owner })
  await updateTask.run(context, { ...team, id: task.id, owner, status: "resolved", addEvidence: ["12 tests pass"] })
}

/** How long `task claim --next` takes as a process. Gives the task back afterwards, with nobody else on the file. */
export async function timeClaim(program: readonly string[], home: SeededHome): Promise<number> {
  const { ms, stdout } = await timeProcess([...program, "task", "claim", "--next", "--owner", "w1"], home)
  const { data } = JSON.parse(stdout)
  await using store = await openSqliteStore({ path: home.storePath, clock: systemClock })
  await updateTask.run(contextOf(store), { ...TEAM, id: parseTaskId(data.id), release: true })
  return ms
}
