import { ENGINE } from "../../kernel/actor.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Finding } from "../../teams/operations/examine-team.ts"
import type { Runtime } from "../runtimes/port.ts"
import { endWorker } from "./stop-workers.ts"
import type { RuntimeName } from "./worker-launch.ts"
import { listKnownWorkers } from "./worker-processes.ts"
import type { WorkspaceTools } from "./worktrees.ts"

export interface WorkerCheck extends TeamName {
  readonly fix: boolean
  readonly machine: string
  readonly runtime: (name: RuntimeName) => Promise<Runtime>
  /** Undefined when the team belongs to another repository. */
  readonly workspaces: WorkspaceTools | undefined
}

/** Finds unrecorded deaths of workers, and what dead workers left. */
export async function checkWorkers(context: Context, request: WorkerCheck): Promise<Finding[]> {
  const { fix, machine: here } = request
  const check = `${describeTeam(request)}: workers`
  const known = (await listKnownWorkers(context, request, here)).filter(
    ({ machine }) => machine === null || machine === here,
  )
  const findings: Finding[] = []
  const lost = known.filter(({ state }) => state === "gone")
  if (lost.length > 0) {
    for (const worker of fix ? lost : []) {
      const end = { by: ENGINE, reason: "lost", detail: "found by doctor", graceMs: 0 } as const
      await endWorker(context, { ...request, workspaces: request.workspaces ?? null, ...end }, worker)
    }
    const detail = `died and did not report it: ${lost.map(({ id }) => id).join(", ")}`
    findings.push({ check, status: "warning", detail, fixed: fix })
  }
  const ended = known.filter(({ state }) => state === "ended").map(({ id }) => id)
  if (ended.length > 0) {
    // Only tmux has panes; both runtimes find processes.
    await using runtime = await request.runtime("tmux")
    for (const [worker, left] of await runtime.findLeft(ended)) {
      if (fix) await runtime.stop(worker, null, { graceMs: 0 })
      findings.push({ check, status: "warning", detail: `${worker} ended and left ${left.join(", ")}`, fixed: fix })
    }
  }
  if (findings.length > 0) return findings
  const running = known.filter(({ state }) => state === "running" || state === "spawning").length
  return known.length === 0
    ? []
    : [{ check, status: "ok", detail: `${running} at work here, nothing left over`, fixed: false }]
}
