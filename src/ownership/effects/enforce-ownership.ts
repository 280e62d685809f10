import type { AsideResult, Scopes } from "../../git/port.ts"
import { pinRef } from "../../kernel/branches.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { readWorkToBring } from "../../tasks/operations/work-to-bring.ts"
import { judgePath, type Ownership } from "../judge-path.ts"
import { ignoredFile, type NotDelivered, nestedRepositories, plainPaths } from "../not-delivered.ts"
import { askException } from "../operations/exceptions.ts"
import { ownershipFacts } from "../operations/ownership-facts.ts"
import { recordAside } from "../operations/record-aside.ts"
import { type FileChange, type JudgedChanges, judgeChanges } from "../scope.ts"

export type { Scopes }

export interface EnforceRequest extends TeamName {
  readonly task: TaskId
  readonly owner?: string
  readonly token?: number
  readonly folder: string
  readonly base?: string
  readonly message?: string
}

export interface EnforcedScope extends AsideResult {
  readonly notDelivered: readonly NotDelivered[]
}

/** Commits what is in scope and sets the rest aside. Records the same content only once. */
export async function enforceOwnership(
  context: Context,
  scopes: Scopes,
  request: EnforceRequest,
): Promise<EnforcedScope> {
  const { title, attempt, ownership } = await ownershipFacts.run(context, request)
  const fixed = await readWorkToBring(context, request, request.task)
  const name = await resolveRun(context, request)
  const judge = makeJudge(ownership)
  const result = await scopes.setAside({
    ...request,
    ...name,
    attempt,
    brings: fixed && pinRef(name, fixed, "head"),
    message: request.message ?? `${title}\n\nTask ${request.task}`,
    judge: judge.judge,
  })
  for (const path of judge.taken())
    await askException.run(context, {
      ...request,
      path,
      reason: "all changes of the task are in files that no open task owns",
    })
  const { aside } = result
  if (aside?.isNew === true)
    await recordAside(context, { ...request, ...aside, attempt, paths: aside.changes.map((change) => change.path) })
  const ignored = (await scopes.ignored?.(request.folder, plainPaths(ownership.task?.files ?? []))) ?? []
  return { ...result, notDelivered: [...nestedRepositories(aside?.changes ?? []), ...ignored.map(ignoredFile)] }
}

/** With more files, something else is wrong. */
const MOST_TAKEN = 50

/**
 * In a run, a task whose whole work is in files without an owner gets them: this asks for an exception, and the
 * engine grants it. The first call decides, because it sees all changes.
 */
function makeJudge(ownership: Ownership): {
  judge: (changes: readonly FileChange[]) => JudgedChanges
  taken(): readonly string[]
} {
  let taken: readonly string[] | undefined
  return {
    judge(changes) {
      const judged = judgeChanges(changes, ownership)
      taken ??= ownership.isCoordinated === true && judged.kept.length === 0 ? listUnowned(judged, ownership) : []
      if (taken.length === 0) return judged
      return judgeChanges(changes, { ...ownership, granted: [...ownership.granted, ...taken] })
    },
    taken: () => taken ?? [],
  }
}

/** None if one has an owner or is not a valid pattern. */
function listUnowned({ aside }: JudgedChanges, ownership: Ownership): readonly string[] {
  const isFree = ({ path, reason }: JudgedChanges["aside"][number]) =>
    reason === "not_owned" && judgePath(path, ownership).owner === null && !/[*?[\]{}\\]/.test(path)
  return aside.length <= MOST_TAKEN && aside.every(isFree) ? aside.map(({ path }) => path) : []
}
