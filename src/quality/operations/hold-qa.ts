import { AppError } from "../../kernel/errors.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import type { Task } from "../../tasks/task.ts"
import { isSameState, type Quality, toQuality } from "../quality.ts"
import { findRound } from "./find-round.ts"
import { moveQa } from "./move-qa.ts"

export interface ResolvedState {
  readonly commit: string
  readonly tree: string | null
}

/**
 * QA passes one commit: refuses to resolve the task as another one. The task must be locked. `state` is undefined
 * without a repository.
 */
export async function assertQaHolds(
  tx: Tx,
  team: StoredTeam,
  { task, state }: { readonly task: Task; readonly state: ResolvedState | undefined },
): Promise<void> {
  if (task.qa !== "passed") return
  const round = await findRound(tx, team.key, task)
  const passed = round?.status === "accepted" ? toQuality(round) : undefined
  if (passed !== undefined && (state === undefined ? passed.commit === null : isSameState(passed, state))) return
  const what = passed?.commit == null ? "no commit" : `commit ${passed.commit.slice(0, 12)}`
  const now = state === undefined ? "its present commit is not known here" : `it is at ${state.commit.slice(0, 12)} now`
  throw new AppError(
    "qa.needed",
    `QA passed ${what} of task ${task.id}, and ${now}`,
    { taskId: task.id, qa: task.qa, passed: passed?.commit ?? null, commit: state?.commit ?? null },
    { remedy: { operation: "qa submit", fields: { id: task.id }, to: "hand it in with" } },
  )
}

/** Work that changed after QA needs QA again. The task must be locked. */
export async function requireQaAgain(
  tx: Tx,
  team: StoredTeam,
  { task, tree, by }: { readonly task: Task; readonly tree: string; readonly by: string },
): Promise<void> {
  if (task.qa !== "passed") return
  const round = await findRound(tx, team.key, task)
  const known = round && toQuality(round).tree
  if (known !== undefined && known !== null && known !== tree) await moveQa(tx, team, { task, to: "needed", by })
}

export async function readPassed(tx: Tx, key: number): Promise<Map<string, Pick<Quality, "commit" | "tree">>> {
  const rounds = await tx.records.list(key, { kind: "quality", status: "accepted" })
  return new Map(
    rounds.map((round) => {
      const { commit, tree } = toQuality(round)
      return [`${round.taskId}/${round.attempt}`, { commit, tree }]
    }),
  )
}
