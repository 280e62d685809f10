import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { ownershipFacts } from "../../ownership/operations/ownership-facts.ts"
import { type FileChange, judgeChanges } from "../../ownership/scope.ts"
import type { Context } from "../../store/operation.ts"

export async function scopeOf(
  context: Context,
  name: TeamName,
  task: TaskId,
): Promise<(changes: readonly FileChange[]) => readonly string[]> {
  const { ownership } = await ownershipFacts.run(context, { ...name, task })
  return (changes) => judgeChanges(changes, ownership).aside.map((change) => change.message)
}
