import type { AgentResult } from "../../agents/port.ts"
import type { Workspace } from "../../git/port.ts"
import { listFeedback } from "../../knowledge/operations/give-feedback.ts"
import { findRound } from "../../quality/operations/find-round.ts"
import { toQuality } from "../../quality/quality.ts"
import { toEscalation } from "../../requests/escalation.ts"
import { getTask, getTeam } from "../../tasks/operations/lookup.ts"
import type { QaState } from "../../tasks/qa-state.ts"
import type { Hold } from "./hold-claim.ts"
import type { Shift } from "./shift.ts"

export interface HandedInBefore {
  readonly agent: string
  readonly result: AgentResult
}

/** QA has the work, or has passed it. */
const WITH_QA: readonly QaState[] = ["pending", "planning", "validating", "passed"]
const NO_USAGE = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, dollars: null }

/**
 * What an agent did in this attempt and QA has already, where the workspace is at that very commit: the worker was
 * stopped, or QA gave no verdict. The agent need not do it again, unless a person has said something since.
 */
export async function findHandedIn(
  { ports, team }: Shift,
  hold: Hold,
  { head }: Workspace,
): Promise<HandedInBefore | undefined> {
  if (hold.task.qa === null) return undefined
  return ports.context.store.read(async (tx) => {
    const { key } = await getTeam(tx, team)
    const task = await getTask(tx, key, hold.task.id)
    const record = await findRound(tx, key, task)
    if (record === undefined || task.qa === null || !WITH_QA.includes(task.qa)) return undefined
    const { commit, answer, agent, submittedAt } = toQuality(record)
    if (commit === null || commit !== head || answer === null || agent === null) return undefined
    const decided = (await tx.records.list(key, { kind: "escalation", taskId: task.id, status: "decided" }))
      .map(toEscalation)
      .findLast(({ attempt }) => attempt === task.attempt)
    if (decided !== undefined && (decided.note !== null || decided.decision === "reassign")) return undefined
    const feedback = await listFeedback(tx, key, task.id)
    if (feedback.some(({ createdAt }) => createdAt > submittedAt)) return undefined
    const ended = { reason: "done", exitCode: 0, signal: null, error: "", durationMs: 0, filesTouched: [] } as const
    return { agent, result: { ...ended, answer, structured: null, session: null, retryAt: null, usage: NO_USAGE } }
  })
}
