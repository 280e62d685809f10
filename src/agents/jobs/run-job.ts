import { join } from "node:path"
import type { Clock } from "../../lib/clock.ts"
import type { Processes } from "../../lib/process/process.ts"
import type { ModelStanding } from "../choose/survey-agents.ts"
import { makeAgentJob, NO_LIMITS } from "../make-agent-job.ts"
import type { Agent, AgentResult, Tier } from "../port.ts"
import { type Author, gitIdentity } from "./git-identity.ts"
import { type JobFolder, type JobRequest, writeResult } from "./job-folder.ts"
import { EMPTY_RESULT, markOf } from "./job-state.ts"
import { recordRun } from "./record-run.ts"

export interface ReadyAgent {
  readonly agent: Agent
  readonly env: Readonly<Record<string, string>>
  readonly isEnabled: boolean
  readonly models: Readonly<Record<Tier, ModelStanding>>
}

export interface JobRun {
  readonly folder: JobFolder
  /** With the unmasked prompt. */
  readonly request: JobRequest
  readonly ready: ReadyAgent
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly processes: Processes
  /** Of commits. */
  readonly author: Author
  /** Its secrets are masked in all files. */
  readonly callerEnv: Readonly<Record<string, string | undefined>>
  /** Called before the result is written; must not fail. */
  onResult?(result: AgentResult): Promise<void>
}

/** In its own process. The folder gets a result in every case. */
export async function runJob({ folder, request, ready, clock, ...run }: JobRun): Promise<void> {
  const startedAt = clock.now()
  const finishedAt = () => new Date(clock.now()).toISOString()
  try {
    const identity = await gitIdentity(run.processes, {
      workspace: request.workspace,
      env: run.callerEnv,
      configured: run.author,
      worker: request.agent,
    })
    const { prompt, workspace, model, tier, permission, effort, timeMs } = request
    const job = makeAgentJob({
      prompt,
      commands: [prompt],
      workspace,
      model,
      tier,
      permission,
      effort,
      limits: { ...NO_LIMITS, timeMs },
      env: { ...ready.env, ...identity, [markOf(request.jobId)]: "1" },
      stateFolder: join(folder.path, "state"),
    })
    const result = await recordRun({
      agent: ready.agent,
      job,
      folder: folder.path,
      maxBytes: run.maxBytes,
      options: { signal: run.signal, secrets: run.callerEnv },
    })
    await run.onResult?.(result)
    writeResult(folder, { ...result, finishedAt: finishedAt() })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const durationMs = clock.now() - startedAt
    writeResult(folder, { ...EMPTY_RESULT, reason: "crashed", error: message, durationMs, finishedAt: finishedAt() })
    throw error
  }
}
