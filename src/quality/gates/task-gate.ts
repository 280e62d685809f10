import type { Evidence } from "../../tasks/evidence.ts"
import { type FixedWork, tellMissingWork } from "../../tasks/fix-task.ts"
import { CHANGES_PRESENT } from "../verdict.ts"
import type { FileDiff } from "./diff-lines.ts"
import { checkCommands, checkThat, count, type Findings, join, skipped, warnings } from "./findings.ts"
import { judgeEvidence } from "./judge-evidence.ts"
import type { JudgedCommand } from "./judged-command.ts"
import { type ScanSettings, scanChanges } from "./scan-changes.ts"
import { findSuspicious } from "./suspicious-changes.ts"

/** A change of a path, as those who know whose files they are judge it. */
export interface ScopedChange {
  readonly path: string
  readonly change: "added" | "modified" | "deleted" | "mode"
  readonly type: "file" | "link" | "repository"
  /** Where a link leads. */
  readonly target?: string
}

/** Says what is wrong with a task making these changes. */
export type Scope = (changes: readonly ScopedChange[]) => readonly string[]

/** What the task changed since it started. */
export interface TaskRange {
  readonly base: string
  readonly files: readonly FileDiff[]
  /** The commit contains its base: nothing of the history was rewritten. */
  readonly isOnBase: boolean
  readonly merges: readonly string[]
}

export interface TaskFacts {
  readonly taskId: string
  readonly commit: string
  /** Files with changes that the judged commit does not have. */
  readonly uncommitted: readonly string[]
  /** Undefined when nobody knows where the task started. */
  readonly range: TaskRange | undefined
  /** Of a fix: the work that it has to bring along. */
  readonly fixed?: FixedWork & { readonly isContained: boolean }
  /** A task that only looks, as a review. */
  readonly mayChangeNothing: boolean
  /** Why it changed nothing, as its agent said; empty where it gave no reason. */
  readonly nothingToDo?: string | undefined
  /** What its agent answered; undefined where no agent did. For a task that only looks this is its work. */
  readonly answer?: string | undefined
  /** What is the task's own and cannot be delivered as it is, in words. */
  readonly notDelivered?: readonly string[]
  readonly scope: Scope
  /** Empty when there is nothing to run, or nothing could be run. */
  readonly judged: readonly JudgedCommand[]
  /** Files that the commands left changed. */
  readonly leftBehind: readonly string[]
  readonly evidence: readonly Evidence[]
}

export function judgeTask(facts: TaskFacts, settings: ScanSettings): Findings {
  const { taskId, uncommitted, judged, evidence } = facts
  // A command that failed says enough for itself, and one that cannot pass here is no proof.
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

/** Where nothing else was committed, this is why. What a task leaves out beside its work a person should know. */
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
  const errors = fixed.isContained ? [] : [tellMissingWork(fixed)]
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
    // Nobody can say then what the task changed, so nothing of it may pass unseen.
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
  return { path, change, type, ...(target === undefined ? {} : { target }) }
}
