import { AppError } from "../../kernel/errors.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import type { Task } from "../../tasks/task.ts"
import { isSameState, type Quality, toQuality } from "../quality.ts"
import { findRound } from "./find-round.ts"

/** What a task is resolved as. */
export interface ResolvedState {
  readonly commit: string
  readonly tree: string | null
}

/**
 * A verdict of QA is for one commit and holds for that commit only: refuses a task that QA passed as another commit. The
 * task must be locked. `state` is undefined where there is no repository, and nothing that could be merged.
 */
export async function assertQaHolds(
  tx: Tx,
  team: StoredTeam,
  { task, state }: { readonly task: Task; readonly state: ResolvedState | undefined },
): Promise<void> {
  if (task.qa !== "passed") return
  const round = await findRound(tx, team.key, task)
  const passed = round?.status === "accepted" ? toQuality(round) : undefined
  const isWithoutCommit = passed !== undefined && passed.commit === null && state === undefined
  if (isWithoutCommit || (passed !== undefined && state !== undefined && isSameState(passed, state))) return
  const what = passed?.commit == null ? "no commit" : `commit ${short(passed.commit)}`
  const now =
    state === undefined ? "which commit it is at now is not known here" : `it is at ${short(state.commit)} now`
  throw new AppError(
    "qa.needed",
    `QA passed ${what} of task ${task.id}, and ${now}`,
    { taskId: task.id, qa: task.qa, passed: passed?.commit ?? null, commit: state?.commit ?? null },
    { remedy: { operation: "qa submit", fields: { id: task.id }, to: "hand it in with" } },
  )
}

function short(commit: string): string {
  return commit.slice(0, 12)
}

/** What QA has passed, the latest of each attempt, by `task/attempt`. */
export async function readPassed(tx: Tx, key: number): Promise<Map<string, Pick<Quality, "commit" | "tree">>> {
  const rounds = await tx.records.list(key, { kind: "quality", status: "accepted" })
  return new Map(
    rounds.map((round) => {
      const { commit, tree } = toQuality(round)
      return [`${round.taskId}/${round.attempt}`, { commit, tree }]
    }),
  )
}
