import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { findWorkToBring, isFixId } from "../fix-task.ts"
import { listTasks } from "./list-tasks.ts"

/** Undefined if the task is no fix. */
export async function readWorkToBring(
  context: Context,
  { project, team, run }: TeamName,
  task: TaskId,
): Promise<ReturnType<typeof findWorkToBring>> {
  return isFixId(task) ? findWorkToBring(task, await listTasks.run(context, { project, team, run })) : undefined
}
