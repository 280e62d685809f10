import type { AsideResult, Scopes } from "../../git/port.ts"
import { pinRef } from "../../kernel/branches.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { readWorkToBring } from "../../tasks/operations/work-to-bring.ts"
import { ownershipFacts } from "../operations/ownership-facts.ts"
import { recordAside } from "../operations/record-aside.ts"
import { judgeChanges } from "../scope.ts"

export type { Scopes }

export interface EnforceRequest extends TeamName {
  readonly task: TaskId
  readonly owner?: string
  readonly token?: number
  /** The worktree that the work was done in. */
  readonly folder: string
  readonly base?: string
  readonly message?: string
}

/** Commits what a task may deliver, sets the rest aside, and tells of it. What was told before is not told again. */
export async function enforceOwnership(
  context: Context,
  scopes: Scopes,
  request: EnforceRequest,
): Promise<AsideResult> {
  const { title, attempt, ownership } = await ownershipFacts.run(context, request)
  const fixed = await readWorkToBring(context, request, request.task)
  const name = await resolveRun(context, request)
  const result = await scopes.setAside({
    ...request,
    ...name,
    attempt,
    brings: fixed && pinRef(name, fixed, "head"),
    message: request.message ?? `${title}\n\nTask ${request.task}`,
    judge: (changes) => judgeChanges(changes, ownership),
  })
  const { aside } = result
  if (aside?.isNew === true)
    await recordAside(context, { ...request, ...aside, attempt, paths: aside.changes.map((change) => change.path) })
  return result
}
