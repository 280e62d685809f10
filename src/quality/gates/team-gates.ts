import type { Evidence } from "../../tasks/evidence.ts"
import { isFixId } from "../../tasks/fix-task.ts"
import { isMet, type Task } from "../../tasks/task.ts"
import type { FileDiff } from "./diff-lines.ts"
import { findConflicts, type TaskChanges } from "./find-conflicts.ts"
import { checkThat, count, type Findings, join, skipped } from "./findings.ts"
import { isProof, judgeEvidence } from "./judge-evidence.ts"
import { type ScanSettings, scanChanges } from "./scan-changes.ts"
import { findSuspicious } from "./suspicious-changes.ts"

export type GatedTask = Pick<Task, "id" | "status" | "wave" | "blockedBy">

export function checkResolved(tasks: readonly GatedTask[]): Findings {
  const left = tasks.filter((task) => !isMet(task.status))
  const errors =
    tasks.length === 0 ? ["there are no tasks"] : left.map((task) => `task ${task.id} is ${task.status}, not resolved`)
  return checkThat("all_tasks_resolved", { errors, evidence: count(tasks.length, "task") })
}

/** `unknown`: tasks without pinned changes. */
export function checkConflicts(changes: readonly TaskChanges[], unknown: readonly string[]): Findings {
  if (changes.length === 0) return skipped("no_file_conflicts", "what each task changed is not known")
  const { critical, warnings } = findConflicts(changes)
  return checkThat("no_file_conflicts", {
    errors: critical.map((each) => `critical: ${each}`),
    warnings: [...warnings, ...unknown.map((id) => `what task ${id} changed is not known`)],
    evidence: `${count(changes.length, "task")} compared`,
  })
}

export interface DeliveredTask {
  readonly taskId: string
  readonly head: string
  readonly isMerged: boolean
  /** Where the commit is, if not here. */
  readonly elsewhere: string | null
}

/** Tests say nothing about work that is not merged. */
export function checkMerged(tasks: readonly DeliveredTask[]): Findings {
  if (tasks.length === 0) return skipped("work_merged", "what each task committed is not known")
  const missing = tasks.filter((task) => !task.isMerged)
  return checkThat("work_merged", {
    errors: missing.map(
      ({ taskId, head, elsewhere }) =>
        `the work of task ${taskId}, ${head.slice(0, 12)}, is not part of the commit${elsewhere === null ? "" : `: ${elsewhere}`}`,
    ),
    evidence: count(tasks.length, "task"),
  })
}

export function checkWaves(waves: readonly { readonly id: number; readonly status: string }[]): Findings {
  if (waves.length === 0) return skipped("all_waves_verified", "there are no waves")
  const open = waves.filter((wave) => wave.status !== "verified")
  return checkThat("all_waves_verified", {
    errors: open.map((wave) => `wave ${wave.id} is ${wave.status}, not verified`),
    evidence: count(waves.length, "wave"),
  })
}

/** Every need is met, in an earlier wave. */
export function checkNeeds(tasks: readonly GatedTask[]): Findings {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const errors = tasks.flatMap((task) =>
    task.blockedBy.flatMap((id) => {
      const need = byId.get(id)
      if (need === undefined) return [`task ${task.id} needs ${id}, which does not exist`]
      if (!isMet(need.status)) return [`task ${task.id} needs ${id}, which is ${need.status}`]
      // A fix joins the wave of the work it fixes and may need tasks of that wave.
      const from = isFixId(task.id) ? 1 : 0
      const isLate = need.wave !== null && task.wave !== null && need.wave >= task.wave + from
      return isLate ? [`task ${task.id} of wave ${task.wave} needs ${id} of wave ${need.wave}`] : []
    }),
  )
  return checkThat("needs_met", { errors, evidence: count(tasks.length, "task") })
}

/** Undefined if the start of the run is not known. */
export function checkAdded(files: readonly FileDiff[] | undefined, settings: ScanSettings): Findings {
  if (files === undefined)
    return skipped("no_blocked_patterns", "where the run started is not known; name it with --base")
  return join([
    checkThat("no_suspicious_changes", findSuspicious(files)),
    checkThat("no_blocked_patterns", {
      ...scanChanges(files, settings),
      evidence: `${count(files.length, "file")} changed`,
    }),
  ])
}

export interface EvidencedTask extends GatedTask {
  readonly evidence: readonly Evidence[]
  /** The task or the project has a command to prove it. */
  readonly isProvable: boolean
  /** Commands that its gate accepted, even if red before. */
  readonly accepted?: ReadonlySet<string>
  /** Finished before the import. */
  readonly isImported?: boolean
}

/**
 * Each task needs two entries, one of them attested; only one if there is no command to run. Skipped and imported
 * tasks need none.
 */
export function checkEvidence(tasks: readonly EvidencedTask[], settings: ScanSettings): Findings {
  const due = tasks.filter((task) => task.status !== "skipped" && task.isImported !== true)
  const imported = tasks.filter((task) => task.isImported === true).length
  const judged = due.map(({ isProvable, ...task }) =>
    judgeEvidence({ ...task, taskId: task.id, atLeast: isProvable ? 2 : 1, needsAttested: isProvable }, settings),
  )
  const unproven = due.filter((task) => !task.isProvable && !task.evidence.some((entry) => isProof(entry))).length
  const remark = `${count(unproven, "task")} could not be proven: there is no command to run; name one with: teamwork config set gates.test COMMAND`
  return checkThat("evidence_complete", {
    errors: judged.flatMap((each) => each.errors),
    warnings: [...judged.flatMap((each) => each.warnings), ...(unproven === 0 ? [] : [remark])],
    evidence: `${count(judged.length, "task")}${imported === 0 ? "" : `; ${imported} more done before the import`}`,
  })
}
