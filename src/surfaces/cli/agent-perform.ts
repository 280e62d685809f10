import type { AgentResult } from "../../agents/port.ts"
import { AppError } from "../../domain/errors.ts"
import { findJobFolder, isCancelled, type JobRequest, writeProcess } from "../../engine/agent-jobs/job-folder.ts"
import { runJob } from "../../engine/agent-jobs/run-job.ts"
import { text } from "../../lib/fields.ts"
import { identityOf } from "../../lib/process-identity.ts"
import { noteAgentRun } from "../../operations/rate-limits.ts"
import type { Command } from "./command.ts"

export const agentPerform: Command = {
  summary: "Do a job, as the process that `agent exec` starts for it; not for people",
  fields: { jobId: text("the job; its request comes on standard input") },
  positional: ["jobId"],
  async run({ configured, context, host }, input) {
    const { home, recordings, agents, project, team, hasStore } = await configured()
    // From here on a request to end is a request to cancel.
    const asked = host.io.interrupted
    const folder = findJobFolder(home, String(input.jobId))
    writeProcess(folder, identityOf(process.pid))
    const signal = isCancelled(folder) ? AbortSignal.abort() : asked
    // Not from the folder, where secrets are masked.
    const request: JobRequest = JSON.parse(await host.io.input())
    const ready = (await agents()).find(({ agent }) => agent.name === request.agent)
    if (ready === undefined) throw new AppError("input.invalid", `there is no agent ${request.agent}`)
    host.io.out("started")
    const maxBytes = recordings.maxMegabytes * 1_000_000
    const onResult = async ({ reason, retryAt, durationMs }: AgentResult) => {
      // Where there is no store, nothing is remembered that could be over.
      if (reason !== "rate-limited" && !(reason === "done" && (await hasStore()))) return
      const waitMs = retryAt === null ? undefined : retryAt - host.clock.now()
      try {
        await noteAgentRun.run(await context(), {
          project,
          team,
          agent: request.agent,
          outcome: reason,
          waitMs,
          durationMs,
        })
      } catch (error) {
        // What the agent did counts, whatever becomes of our memory of its limits.
        host.io.err(`the outcome was not noted: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    await runJob({ folder, request, ready, clock: host.clock, signal, maxBytes, callerEnv: host.env, onResult })
    return { data: null, silent: true }
  },
}
