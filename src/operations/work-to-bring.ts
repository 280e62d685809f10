import { findWorkToBring, isFixId } from "../domain/fix-task.ts"
import type { TaskId } from "../domain/ids.ts"
import type { TeamName } from "../domain/team.ts"
import { listTasks } from "./list-tasks.ts"
import type { Context } from "./operation.ts"

/** The attempt that a task has to bring along, where it is a fix. */
export async function readWorkToBring(
  context: Context,
  { project, team }: TeamName,
  task: TaskId,
): Promise<ReturnType<typeof findWorkToBring>> {
  return isFixId(task) ? findWorkToBring(task, await listTasks.run(context, { project, team })) : undefined
}
