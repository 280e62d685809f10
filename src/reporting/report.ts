import { groupDeliverables, type MadeRoles } from "../delivery/deliverables.ts"
import type { RunName, Team } from "../kernel/team.ts"
import type { Exception } from "../ownership/exception.ts"
import type { WorkType } from "../planning/complexity/work-type.ts"
import { longestChain } from "../planning/longest-chain.ts"
import { describeMissingGates, type Standing } from "../quality/baseline.ts"
import { type Finding, sortBySeverity } from "../quality/finding.ts"
import { findingOf } from "../quality/finding-task.ts"
import type { Verdict, VerdictStatus } from "../quality/verdict.ts"
import type { Task, TaskStatus } from "../tasks/task.ts"
import { type AgentRun, type AgentUse, describeRun, listAgents } from "./agent-use.ts"
import { type Cost, type CostReport, reportCost } from "./cost.ts"
import { type Failure, listFailures } from "./failures.ts"
import type { History } from "./history.ts"
import type { TaskFact, WorkerFact } from "./history-facts.ts"
import { listLeft, type ToDo } from "./left-to-do.ts"
import { describeTask } from "./task-notes.ts"
import { beganAt, endOf, type TeamView } from "./team-view.ts"

export interface ReportFacts {
  readonly view: TeamView
  readonly verdicts: readonly Verdict[]
  readonly exceptions: readonly Exception[]
  readonly findings?: readonly Finding[]
  readonly madeRoles?: MadeRoles
}

export interface Report
  extends Pick<Team, "project" | "team" | "run" | "goal" | "phase" | "status" | "mode" | "schedule"> {
  /** `running`, `paused`, `waiting` for a worker or leader, or how it ended. */
  readonly outcome: string
  readonly template: string | null
  readonly startedAt: string | null
  /** Null while it goes on. */
  readonly endedAt: string | null
  readonly durationMs: number | null
  readonly done: number
  readonly total: number
  readonly tasks: readonly TaskReport[]
  readonly workers: readonly WorkerReport[]
  /** In the order of their starts. */
  readonly runs: readonly AgentRun[]
  /** Share of time without a task; null where no worker process ran. */
  readonly idleShare: number | null
  readonly results: readonly Result[]
  /** The baseline; null without a preflight. */
  readonly baseline: { readonly commit: string; readonly gates: readonly Standing[] } | null
  readonly deliverables: readonly { readonly type: WorkType; readonly tasks: readonly string[] }[]
  /** Most severe first. */
  readonly findings: readonly Finding[]
  readonly cascade: CascadeReport
  readonly notes: readonly string[]
  readonly cost: CostReport
  readonly criticalPath: CriticalPath
  readonly failures: readonly Failure[]
  /** Empty for a whole delivery, or none. */
  readonly deliveredWithout: readonly string[]
  readonly deliveryNotes: readonly string[]
  readonly left: readonly ToDo[]
}

export interface RunSummary
  extends RunName,
    Pick<Report, "goal" | "outcome" | "startedAt" | "endedAt" | "durationMs" | "done" | "total"> {
  /** The other runs are read-only. */
  readonly isCurrent: boolean
  readonly cost: Cost
  /** The delivered commit; null where there is none or it was undone. */
  readonly delivered: string | null
}

export const MARKS = {
  open: "OPEN",
  in_progress: "BUSY",
  in_review: "BUSY",
  paused: "HOLD",
  resolved: "DONE",
  failed: "FAIL",
  skipped: "SKIP",
} as const satisfies Record<TaskStatus, string>

export interface TaskReport {
  readonly id: string
  readonly title: string
  readonly status: TaskStatus
  readonly mark: (typeof MARKS)[TaskStatus]
  readonly role: string
  readonly worker: string | null
  readonly agents: readonly AgentUse[]
  readonly workMs: number
  readonly notes: readonly string[]
}

export interface WorkerReport {
  readonly id: string
  readonly role: string | null
  readonly agents: readonly AgentUse[]
  readonly done: number
  readonly busyMs: number
  readonly idleShare: number | null
  readonly crashes: number
  readonly setbacks: number
}

/** The last result of a check; null when it never ran. */
export interface Result {
  readonly what: "build" | "lint" | "tests" | "final" | "review"
  readonly status: VerdictStatus | null
  readonly detail: string | null
  /** Failing tests before the work and now; null where unknown, or nothing was red. */
  readonly before: number | null
  readonly now: number | null
}

export interface CascadeReport {
  readonly total: number
  readonly done: number
  readonly tasks: readonly { readonly id: string; readonly of: string; readonly status: TaskStatus }[]
}

export interface CriticalPath {
  readonly tasks: readonly { readonly id: string; readonly title: string; readonly workMs: number }[]
  readonly workMs: number
  readonly share: number | null
}

export function makeReport(facts: ReportFacts): Report {
  const { view, verdicts } = facts
  const { team, stats, history } = view
  const { project, run, goal, phase, status, mode, schedule } = team
  const began = beganAt(view)
  const ended = endOf(view) === null ? null : (history.endedAt ?? history.lastEventAt)
  const durationMs = began === null ? null : Math.max(0, (ended ?? view.now) - began)
  const workers = listWorkers(view, ended)
  const repairs = countRepairs(history)
  const tasks = [...view.tasks.values()].map((task) => taskReport(task, view, repairs.get(task.id) ?? 0))
  return {
    project,
    team: team.team,
    run,
    goal,
    phase,
    status,
    mode,
    schedule,
    durationMs,
    tasks,
    workers,
    outcome: outcomeOf(view),
    template: templateOf(history),
    startedAt: isoOf(began),
    endedAt: isoOf(ended),
    done: stats.resolved + stats.skipped - countMissing(view),
    total: stats.total,
    runs: [...history.runs.values()].map((each) => describeRun(each, view)),
    idleShare: idleShareOf([...history.workers.values()], ended ?? view.now),
    results: listResults(verdicts),
    baseline: history.preflight,
    deliverables: listDeliverables(facts),
    findings: sortBySeverity(facts.findings ?? []),
    cascade: cascadeOf(view),
    notes: [...history.foreignMoves, ...warningsOf(history), ...listNotes(verdicts)],
    cost: reportCost(history),
    criticalPath: criticalPathOf(view, durationMs),
    failures: listFailures(view, verdicts),
    deliveredWithout: history.deliveredWithout,
    deliveryNotes: history.deliveryNotes,
    left: listLeft(facts),
  }
}

/** Work in another repository does not count as done. */
function countMissing({ tasks, history }: TeamView): number {
  return [...tasks.values()].filter(
    ({ id, status, attempt }) => status === "resolved" && history.tasks.get(id)?.missing?.attempt === attempt,
  ).length
}

function warningsOf({ preflight }: History): string[] {
  const warning = describeMissingGates(preflight?.gates ?? [])
  return warning === undefined ? [] : [warning]
}

function listDeliverables({ view, madeRoles = new Map() }: ReportFacts): Report["deliverables"] {
  const found = groupDeliverables(view.tasks.values(), { filesOf: () => [], madeRoles })
  return found.map(({ type, tasks }) => ({ type, tasks: tasks.map(({ id }) => id) }))
}

function outcomeOf(view: TeamView): string {
  const { team, lead, stats } = view
  const end = endOf(view)
  if (end !== null) return end
  if (team.status === "paused") return "paused"
  return lead !== null || stats.in_progress > 0 ? "running" : "waiting"
}

function templateOf({ settings }: History): string | null {
  if (settings === null) return null
  try {
    const value: unknown = JSON.parse(settings)
    const named = typeof value === "object" && value !== null && "template" in value ? value.template : null
    return typeof named === "string" ? named : null
  } catch {
    return null // settings of another version say nothing of a template
  }
}

/** How often each task was sent back to its agent. */
function countRepairs({ runs }: History): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { task, turn } of runs.values())
    if (task !== null && turn > 1) counts.set(task, (counts.get(task) ?? 0) + 1)
  return counts
}

function taskReport(task: Task, { history, now }: TeamView, repairs: number): TaskReport {
  const fact = history.tasks.get(task.id)
  const { id, title, status } = task
  const notes = describeTask(task, fact, repairs)
  const agents = listAgents(history, (run) => run.task === id)
  const done = { worker: fact?.worker ?? null, agents, workMs: workMs(fact, now), notes }
  return { id, title, status, mark: MARKS[status], role: task.role, ...done }
}

function workMs(fact: TaskFact | undefined, now: number): number {
  if (fact === undefined) return 0
  return fact.workMs + (fact.claimedAt === null ? 0 : Math.max(0, now - fact.claimedAt))
}

function listWorkers({ history, now }: TeamView, ended: number | null): WorkerReport[] {
  const worked = [...history.workers.values()].filter(
    ({ starts, finished, busyMs, busySince }) => starts > 0 || finished > 0 || busyMs > 0 || busySince !== null,
  )
  return worked.map((worker) => ({
    id: worker.id,
    role: worker.role,
    done: worker.finished,
    busyMs: busyMs(worker, ended ?? now),
    crashes: worker.allCrashes,
    setbacks: worker.allSetbacks,
    idleShare: idleShareOf([worker], ended ?? now),
    agents: listAgents(history, (run) => run.worker === worker.id),
  }))
}

function busyMs({ busyMs, busySince }: WorkerFact, until: number): number {
  return busyMs + (busySince === null ? 0 : Math.max(0, until - busySince))
}

/** Only workers whose process start was recorded. */
function idleShareOf(workers: readonly WorkerFact[], until: number): number | null {
  let [alive, busy] = [0, 0]
  for (const worker of workers) {
    if (worker.starts === 0) continue
    const isAlive = worker.startedAt !== null && worker.exitedAt === null
    alive += worker.aliveMs + (isAlive ? Math.max(0, until - (worker.startedAt ?? until)) : 0)
    busy += busyMs(worker, until)
  }
  return alive === 0 ? null : Math.min(1, Math.max(0, 1 - busy / alive))
}

const CHECKS = { build: "build_succeeds", lint: "lint_passes", tests: "tests_pass" } as const

function listResults(verdicts: readonly Verdict[]): Result[] {
  const ofAll = verdicts.filter(({ scope }) => scope === "wave" || scope === "final")
  const ofCommands = (Object.keys(CHECKS) as (keyof typeof CHECKS)[]).map((what): Result => {
    const last = ofAll.findLast(({ checks }) => checks.some(({ name }) => name === CHECKS[what]))
    const checks = last?.checks.filter(({ name }) => name === CHECKS[what]) ?? []
    const worst = (["failed", "skipped", "passed"] as const).find((status) =>
      checks.some((check) => check.status === status),
    )
    const told = checks.find(({ status }) => status === worst && status !== "passed")
    const { before, now } = countFailing(checks)
    const red = before === null || now === null ? null : `red before: ${before}, now ${now}`
    return { what, status: worst ?? null, detail: firstLine(told?.evidence) ?? red, before, now }
  })
  const final = verdicts.findLast(({ scope }) => scope === "final")
  const review = verdicts.findLast(({ scope }) => scope === "cross-agent")
  const reviewer = review === undefined ? null : review.status === "skipped" ? "NOT REVIEWED" : `by ${review.by}`
  return [
    ...ofCommands,
    { what: "final", ...resultOf(final, null), ...NOT_COUNTED },
    { what: "review", ...resultOf(review, reviewer), ...NOT_COUNTED },
  ]
}

const NOT_COUNTED = { before: null, now: null } as const

function countFailing(checks: Verdict["checks"]): Pick<Result, "before" | "now"> {
  const counted = checks.flatMap(({ baseline }) => baseline ?? [])
  const sum = (of: "before" | "now") => {
    const numbers = counted.flatMap((each) => each[of] ?? [])
    return numbers.length === 0 ? null : numbers.reduce((total, number) => total + number, 0)
  }
  const [before, now] = [sum("before"), sum("now")]
  return before === 0 && now === 0 ? NOT_COUNTED : { before, now }
}

function resultOf(verdict: Verdict | undefined, by: string | null): Pick<Result, "status" | "detail"> {
  if (verdict === undefined) return { status: null, detail: null }
  const { status, issues } = verdict
  const first = status === "passed" ? null : firstLine(issues[0])
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : ""
  const parts = [by, first === null ? null : `${first}${more}`].flatMap((part) => part ?? [])
  return { status, detail: parts.length === 0 ? null : parts.join(", ") }
}

function cascadeOf({ tasks }: TeamView): CascadeReport {
  const followed = [...tasks.values()].flatMap(({ id, status, work }) =>
    work.cascadeOf === null ? [] : [{ id, of: work.cascadeOf, status }],
  )
  return {
    total: followed.length,
    done: followed.filter(({ status }) => status === "resolved").length,
    tasks: followed,
  }
}

/** Skipped checks and warnings of the latest verdicts. */
function listNotes(verdicts: readonly Verdict[]): string[] {
  const last = new Map<string, Verdict>()
  for (const verdict of verdicts) last.set(`${verdict.scope} ${verdict.subject ?? ""}`.trim(), verdict)
  const places = new Map<string, string[]>()
  for (const [place, verdict] of last)
    if (verdict.scope !== "task" && verdict.scope !== "qa")
      for (const text of remarksOf(verdict)) places.set(text, [...(places.get(text) ?? []), place])
  return [...places].map(([text, where]) => `${text} (${where.join(", ")})`)
}

/** Without what the results show already. */
function remarksOf({ checks, issues, status }: Verdict): string[] {
  const told: readonly string[] = [...Object.values(CHECKS), "review"]
  const unjudged = checks.filter((check) => check.status === "skipped" && !told.includes(check.name))
  return [
    ...unjudged.map(({ name, evidence }) => `${name} skipped${evidence === undefined ? "" : `: ${evidence}`}`),
    ...(status === "passed" ? issues : []),
  ]
}

function criticalPathOf({ tasks, history, now }: TeamView, durationMs: number | null): CriticalPath {
  const links = [...tasks.values()].map(({ id, blockedBy, work }) => {
    const fact = history.tasks.get(id)
    // Fixes and follow-ups came after their task, though they need not wait for it.
    const after = [work.cascadeOf, fact?.fixOf ?? null, findingOf(id)?.task ?? null]
    return { id, needs: [...blockedBy, ...after.flatMap((each) => each ?? [])], ms: workMs(fact, now) }
  })
  const { ids, ms } = longestChain(links)
  const named = ids.map((id) => ({ id, title: tasks.get(id)?.title ?? "", workMs: workMs(history.tasks.get(id), now) }))
  const share = durationMs === null || durationMs === 0 ? null : Math.min(1, ms / durationMs)
  return { tasks: named, workMs: ms, share }
}

function firstLine(text: string | undefined): string | null {
  return text?.split("\n")[0] ?? null
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
