import { ENGINE } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { unreachable } from "../../lib/unreachable.ts"
import { LEAD } from "../../messages/message.ts"
import { sendMessage } from "../../messages/operations/send-message.ts"
import { makeGateFix } from "../../quality/operations/gate-fixes.ts"
import { makeReviewFixes } from "../../quality/operations/review-fixes.ts"
import type { Approval } from "../../requests/approval.ts"
import { askForFinal } from "../../requests/operations/checkpoints.ts"
import { cascadeTask } from "../../tasks/operations/cascade-task.ts"
import { releaseTask } from "../../tasks/operations/release-task.ts"
import { settleBlocker } from "../../tasks/operations/settle-blocker.ts"
import { notifyAssignee } from "../../tasks/operations/tell-assignee.ts"
import { updateTask } from "../../tasks/operations/update-task.ts"
import { pauseByEngine } from "../../teams/operations/steer-team.ts"
import { noteStatusCheck, quarantineWorker } from "../../workers/operations/worker-life.ts"
import type { ShortAction } from "../actions.ts"
import type { OrchestratorOptions, OrchestratorPorts } from "./engine-ports.ts"
import type { WorkerPool } from "./engine-workers.ts"

interface ShortWork {
  readonly action: Exclude<ShortAction, { type: "end" }>
  readonly pool: WorkerPool
  readonly judge: (approval: Approval) => void
}

const OUTDATED: readonly string[] = [
  "task.not_found",
  "task.transition",
  "task.exists",
  "claim.lost",
  "worker.not_found",
  "team.paused",
]

/** Drops an action that no longer fits: the next look decides again. */
export async function carryOut(ports: OrchestratorPorts, options: OrchestratorOptions, work: ShortWork): Promise<void> {
  try {
    await perform(ports, options, work)
  } catch (error) {
    if (!(error instanceof AppError && OUTDATED.includes(error.code))) throw error
  }
}

async function perform(
  { context }: OrchestratorPorts,
  options: OrchestratorOptions,
  { action, pool, judge }: ShortWork,
): Promise<unknown> {
  const name = { project: options.project, team: options.team, run: options.run }
  switch (action.type) {
    case "start-worker":
      return pool.start(action.worker, action.role)
    case "stop-worker": {
      const { worker, reason, isKilled } = action
      if (isKilled) return pool.stop(worker, { how: "unresponsive", reason, graceMs: 0 })
      // The team goes on while it ends.
      return pool.dismiss(worker, { how: "stopped", reason, graceMs: options.shutdownTimeoutMs })
    }
    case "record-worker-death": {
      const { worker, reason, hasCrashed } = action
      return pool.stop(worker, { how: hasCrashed ? "crashed" : "stopped", reason, graceMs: 0 })
    }
    case "quarantine-worker":
      return quarantineWorker(context, { ...name, by: ENGINE, worker: action.worker, reason: action.reason })
    case "check-status": {
      const { worker, task, silentMs } = action
      await noteStatusCheck(context, { ...name, by: ENGINE, worker, task })
      const message = `STATUS CHECK: task ${task} saw no work for ${Math.round(silentMs / 1000)} s; tell how far you are`
      return sendMessage.run(context, { ...name, from: LEAD, to: worker, type: "text", message })
    }
    case "release-task":
      return releaseTask.run(context, { ...name, id: action.task as TaskId, reason: action.reason })
    case "free-task":
      return updateTask.run(context, { ...name, id: action.task as TaskId, assignee: "" })
    case "notify-unblocked":
      return notifyAssignee(context, { ...name, task: action.task as TaskId, by: action.by as TaskId })
    case "cascade":
      return cascadeTask(context, { ...name, of: action.of as TaskId, kind: action.kind })
    case "settle-blocker":
      return settleBlocker(context, { ...name, task: action.task as TaskId, choice: action.choice })
    case "pause-team":
      return pauseByEngine(context, name, action)
    case "judge-approval":
      return judge(action.approval)
    case "ask-final":
      return askForFinal(context, name)
    case "fix-gate":
      return makeGateFix(context, { ...name, scope: action.scope, wave: action.wave })
    case "fix-findings":
      return makeReviewFixes(context, name, action.numbers)
    default:
      return unreachable(action)
  }
}
