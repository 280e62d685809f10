import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { ownershipFacts } from "../../ownership/operations/ownership-facts.ts"
import { type FileChange, judgeChanges } from "../../ownership/scope.ts"
import type { Context } from "../../store/operation.ts"

/** Says, one line each, which changes a task may not make as things stand now. */
export async function scopeOf(
  context: Context,
  { project, team, run }: TeamName,
  task: TaskId,
): Promise<(changes: readonly FileChange[]) => readonly string[]> {
  const { ownership } = await ownershipFacts.run(context, { ...{ project, team, run }, task })
  return (changes) => judgeChanges(changes, ownership).aside.map((change) => change.message)
}
