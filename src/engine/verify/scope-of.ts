import type { TaskId } from "../../domain/ids.ts"
import { type FileChange, judgeChanges } from "../../domain/scope.ts"
import type { TeamName } from "../../domain/team.ts"
import type { Context } from "../../operations/operation.ts"
import { ownershipFacts } from "../../operations/ownership-facts.ts"

/** Says, one line each, which changes a task may not make as things stand now. */
export async function scopeOf(
  context: Context,
  { project, team }: TeamName,
  task: TaskId,
): Promise<(changes: readonly FileChange[]) => readonly string[]> {
  const { ownership } = await ownershipFacts.run(context, { project, team, task })
  return (changes) => judgeChanges(changes, ownership).aside.map((change) => change.message)
}
