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
import { tellUnblocked } from "../../tasks/operations/tell-assignee.ts"
import { updateTask } from "../../tasks/operations/update-task.ts"
import { pauseByEngine } from "../../teams/operations/steer-team.ts"
import { noteStatusCheck, quarantineWorker } from "../../workers/operations/worker-life.ts"
import type { ShortAction } from "../actions.ts"
import type { OrchestratorOptions, OrchestratorPorts } from "./engine-ports.ts"
import type { WorkerPool } from "./engine-workers.ts"

interface ShortWork {
  readonly action: Exclude<ShortAction, { type: "end" }>
  readonly pool: WorkerPool
  /** Begins to decide on an approval. */
  readonly judge: (approval: Approval) => void
}

/** Does what was decided. Whatever changed meanwhile so that it no longer fits is left alone: the next look sees it. */
export async function carryOut(
  ports: OrchestratorPorts,
  options: OrchestratorOptions,
  { action, pool, judge }: ShortWork,
): Promise<void> {
  try {
    await perform(ports, options, { action, pool, judge })
  } catch (error) {
    if (!(error instanceof AppError && OUTDATED.includes(error.code))) throw error
  }
}

const OUTDATED: readonly string[] = [
  ...["task.not_found", "task.transition", "task.exists", "claim.lost", "worker.not_found", "team.paused"],
]

async function perform(
  { context }: OrchestratorPorts,
  options: OrchestratorOptions,
  { action, pool, judge }: ShortWork,
): Promise<void> {
  const name = { project: options.project, team: options.team, run: options.run }
  const tell = (to: string, message: string) =>
    sendMessage.run(context, { ...name, from: LEAD, to, type: "text", message })
  switch (action.type) {
    case "start-worker":
      return pool.start(action.worker, action.role)
    case "stop-worker": {
      const { worker, reason, isKilled } = action
      if (isKilled) return pool.stop(worker, { how: "unresponsive", reason, graceMs: 0 })
      // It may take its time, and the team goes on meanwhile.
      pool.dismiss(worker, { how: "stopped", reason, graceMs: options.shutdownTimeoutMs })
      return
    }
    case "record-worker-death":
      return pool.stop(action.worker, {
        how: action.hasCrashed ? "crashed" : "stopped",
        reason: action.reason,
        graceMs: 0,
      })
    case "quarantine-worker":
      return quarantineWorker(context, { ...name, by: ENGINE, worker: action.worker, reason: action.reason })
    case "check-status": {
      const { worker, task, silentMs } = action
      await noteStatusCheck(context, { ...name, by: ENGINE, worker, task })
      await tell(
        worker,
        `STATUS CHECK: task ${task} saw no work for ${Math.round(silentMs / 1000)} s; tell how far you are`,
      )
      return
    }
    case "release-task":
      await releaseTask.run(context, { ...name, id: action.task as TaskId, reason: action.reason })
      return
    case "free-task":
      await updateTask.run(context, { ...name, id: action.task as TaskId, assignee: "" })
      return
    case "notify-unblocked":
      return tellUnblocked(context, { ...name, task: action.task as TaskId, by: action.by as TaskId })
    case "cascade":
      await cascadeTask(context, { ...name, of: action.of as TaskId, kind: action.kind })
      return
    case "settle-blocker":
      await settleBlocker(context, { ...name, task: action.task as TaskId, choice: action.choice })
      return
    case "pause-team":
      return pauseByEngine(context, name, action)
    case "judge-approval":
      return judge(action.approval)
    case "ask-final":
      await askForFinal(context, name)
      return
    case "fix-gate":
      await makeGateFix(context, { ...name, scope: action.scope, wave: action.wave })
      return
    case "fix-findings":
      await makeReviewFixes(context, name, action.numbers)
      return
    default:
      return unreachable(action)
  }
}
