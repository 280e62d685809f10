import * as v from "valibot"
import { command } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { identityOf } from "../../lib/process/process-identity.ts"
import { text } from "../../lib/schema.ts"
import { findJobFolder, isCancelled, JobRequest, writeProcess } from "../jobs/job-folder.ts"
import { noteRun } from "../jobs/note-agent-run.ts"
import { type JobRun, runJob } from "../jobs/run-job.ts"

export const agentPerform = command({
  summary: "Do a job, as the process that `agent exec` starts for it; not for people",
  fields: { jobId: text("the job; its request comes on standard input") },
  positional: ["jobId"],
  async run({ configured, context, host }, input) {
    const { home, recordings, agents, author, project, team, hasStore, worker } = await configured()
    // From here on an interrupt cancels the job.
    const asked = host.io.interrupted
    const folder = findJobFolder(home, input.jobId)
    writeProcess(folder, identityOf(process.pid))
    const signal = isCancelled(folder) ? AbortSignal.abort() : asked
    // The request in the folder is masked.
    const request = v.parse(JobRequest, JSON.parse(await host.io.input()))
    const ready = (await agents()).find(({ agent }) => agent.name === request.agent)
    if (ready === undefined) throw new AppError("input.invalid", `there is no agent ${request.agent}`)
    host.io.out("started")
    const maxBytes = recordings.maxMegabytes * 1_000_000
    const { clock, processes, env: callerEnv } = host
    const fingerprint = ready.agent.fingerprint(ready.env)
    const store = { hasStore, openContext: context, faultLimits: (await worker()).faults }
    const note = { agent: request.agent, runId: request.jobId, fingerprint, project, team, clock, ...store }
    const onResult: JobRun["onResult"] = async (result) => {
      const problem = await noteRun({ ...note, result })
      if (problem !== undefined) host.io.err(problem)
    }
    await runJob({ folder, request, ready, clock, processes, signal, maxBytes, author, callerEnv, onResult })
    return { data: null, silent: true }
  },
})
