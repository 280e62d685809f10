import type { Evidence } from "../../tasks/evidence.ts"
import { describeMissingWork, type FixedWork } from "../../tasks/fix-task.ts"
import { CHANGES_PRESENT } from "../verdict.ts"
import type { FileDiff } from "./diff-lines.ts"
import { checkCommands, checkThat, count, type Findings, join, skipped, warnings } from "./findings.ts"
import { judgeEvidence } from "./judge-evidence.ts"
import type { JudgedCommand } from "./judged-command.ts"
import { type ScanSettings, scanChanges } from "./scan-changes.ts"
import { findSuspicious } from "./suspicious-changes.ts"

export interface ScopedChange {
  readonly path: string
  readonly change: "added" | "modified" | "deleted" | "mode"
  readonly type: "file" | "link" | "repository"
  readonly target?: string
}

export type Scope = (changes: readonly ScopedChange[]) => readonly string[]

export interface TaskRange {
  readonly base: string
  readonly files: readonly FileDiff[]
  /** The history was not rewritten. */
  readonly isOnBase: boolean
  readonly merges: readonly string[]
}

export interface TaskFacts {
  readonly taskId: string
  readonly commit: string
  readonly uncommitted: readonly string[]
  /** Undefined: start not known. */
  readonly range: TaskRange | undefined
  /** A fix task must contain this work. */
  readonly fixed?: FixedWork & { readonly isContained: boolean }
  /** Such as a review. */
  readonly mayChangeNothing: boolean
  /** Empty without a reason. */
  readonly nothingToDo?: string | undefined
  /** The work of a task that only reads. */
  readonly answer?: string | undefined
  /** Work that cannot be delivered as it is. */
  readonly notDelivered?: readonly string[]
  readonly scope: Scope
  readonly judged: readonly JudgedCommand[]
  /** Files that the commands changed. */
  readonly leftBehind: readonly string[]
  readonly evidence: readonly Evidence[]
}

export function judgeTask(facts: TaskFacts, settings: ScanSettings): Findings {
  const { taskId, uncommitted, judged, evidence } = facts
  // A failed command has its own error, and one that cannot pass here proves nothing.
  const needsAttested = judged.length > 0 && judged.every(({ result }) => result?.hasPassed === true)
  const { errors, warnings } = judgeEvidence({ taskId, evidence, atLeast: 1, needsAttested }, settings)
  return join([
    checkCommitted(uncommitted),
    ...checkDelivered(facts),
    ...checkFixed(facts),
    ...judgeRange(facts, settings),
    runOrSkipped(facts),
    warnOfLeftovers(facts.leftBehind),
    checkThat("evidence_complete", { errors, warnings, evidence: count(evidence.length, "entry", "entries") }),
  ])
}

export function checkCommitted(uncommitted: readonly string[]): Findings {
  const errors = uncommitted.map((path) => `${path} has changes that are not committed`)
  return checkThat("work_committed", { errors })
}

/** An error if nothing else was committed, else a warning. */
function checkDelivered({ range, notDelivered = [] }: TaskFacts): Findings[] {
  if (notDelivered.length === 0) return []
  if (range !== undefined && range.files.length > 0) return [warnings(notDelivered)]
  return [checkThat("work_delivered", { errors: notDelivered })]
}

export function warnOfLeftovers(paths: readonly string[]): Findings {
  return warnings(paths.map((path) => `${path} was written by the commands, and is not committed`))
}

function checkFixed({ fixed }: TaskFacts): Findings[] {
  if (fixed === undefined) return []
  const errors = fixed.isContained ? [] : [describeMissingWork(fixed)]
  return [checkThat("work_merged", { errors, evidence: `the work of task ${fixed.taskId}` })]
}

function runOrSkipped({ judged, uncommitted }: TaskFacts): Findings {
  if (judged.length > 0) return checkCommands(judged)
  const why =
    uncommitted.length > 0
      ? "not run: there are changes that are not committed"
      : "the task and the project name no command"
  return skipped("acceptance_passes", why)
}

function checkPresent(facts: TaskFacts & { readonly range: TaskRange }): Findings {
  const { mayChangeNothing, nothingToDo, answer } = facts
  const { base, files } = facts.range
  const since = `since ${base.slice(0, 12)}`
  const reason = files.length === 0 && nothingToDo !== undefined && nothingToDo !== "" ? nothingToDo : undefined
  const told = nothingToDo === "" ? ", and NOTHING TO DO was said without a reason" : ""
  if (files.length === 0 && mayChangeNothing && answer !== undefined && !/[\p{L}\p{N}]/u.test(answer))
    return checkThat(CHANGES_PRESENT, { errors: ["its agent changed no file and answered nothing"] })
  return checkThat(CHANGES_PRESENT, {
    errors:
      files.length > 0 || mayChangeNothing || reason !== undefined ? [] : [`nothing was committed ${since}${told}`],
    evidence: reason === undefined ? `${count(files.length, "file")} changed ${since}` : `nothing to do: ${reason}`,
  })
}

function judgeRange(facts: TaskFacts, settings: ScanSettings): Findings[] {
  const { commit, range, mayChangeNothing, scope } = facts
  if (range === undefined) {
    // Without a start nothing can be checked, so the task fails.
    const why = "where the task started is not known; name it with --base, or work in a worktree of teamwork"
    const rest = ["files_owned", "no_suspicious_changes", "no_blocked_patterns"].map((name) => skipped(name, why))
    return [checkThat(CHANGES_PRESENT, { errors: mayChangeNothing ? [] : [why] }), ...rest]
  }
  const { base, files, isOnBase, merges } = range
  return [
    checkPresent({ ...facts, range }),
    checkThat("history_kept", {
      errors: isOnBase
        ? []
        : [`${commit.slice(0, 12)} does not contain ${base}, where the task started: history was rewritten`],
      warnings: merges.map((merge) => `commit ${merge.slice(0, 12)} is a merge`),
    }),
    checkThat("files_owned", { errors: scope(files.map(toScoped)) }),
    checkThat("no_suspicious_changes", findSuspicious(files)),
    checkThat("no_blocked_patterns", scanChanges(files, settings)),
  ]
}

const TYPES: Readonly<Record<string, ScopedChange["type"]>> = { "120000": "link", "160000": "repository" }

function toScoped({ path, status, oldMode, newMode, hunks }: FileDiff): ScopedChange {
  const type = TYPES[newMode ?? oldMode ?? ""] ?? "file"
  const target = type === "link" ? hunks[0]?.added[0]?.text : undefined
  const change = status === "modified" && hunks.length === 0 && oldMode !== newMode ? "mode" : status
  return { path, change, type, ...(target !== undefined && { target }) }
}
