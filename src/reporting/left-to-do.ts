import type { Exception } from "../ownership/exception.ts"
import { type Finding, nameFinding } from "../quality/finding.ts"
import type { Verdict } from "../quality/verdict.ts"
import { isHeld, type Task } from "../tasks/task.ts"
import { describeFinished, finishedPart } from "./finished-part.ts"
import { endOf, type TeamView } from "./team-view.ts"

/** Something that only a person can do or decide. */
export interface ToDo {
  readonly what: string
  readonly command: string
}

export function listLeft(facts: {
  readonly view: TeamView
  readonly verdicts: readonly Verdict[]
  readonly exceptions: readonly Exception[]
  readonly findings?: readonly Finding[]
}): ToDo[] {
  const { view, findings = [] } = facts
  return [
    ...ofQuestions(view),
    ...ofTeam(view),
    ...ofTasks(view),
    ...ofWorkers(view),
    ...ofFindings(findings),
    ...ofExceptions(facts),
    ...ofPart(facts.view),
    ...ofEnd(facts),
  ]
}

function ofQuestions({ questions }: TeamView): ToDo[] {
  return questions.map(({ what, command }) => ({ what: firstLine(what), command }))
}

/** A question covers it already. */
function isAsked({ questions }: TeamView, task: string | null): boolean {
  return questions.some(({ kind, taskId }) => kind === "escalation" && taskId === task)
}

function ofTeam(view: TeamView): ToDo[] {
  const { team } = view
  if (team.status !== "paused" || isAsked(view, null)) return []
  return [{ what: `the team is paused${because(team.pauseReason)}`, command: "teamwork resume" }]
}

function ofTasks(view: TeamView): ToDo[] {
  const { tasks, history } = view
  return [...tasks.values()].flatMap(({ id, status, attempt, pauseReason }) => {
    if (isAsked(view, id)) return []
    const missing = history.tasks.get(id)?.missing
    if (missing?.attempt === attempt && (status === "resolved" || status === "in_review")) {
      const what = `task ${id} is done in ${missing.folder} on ${missing.machine} and not merged: commit ${missing.commit.slice(0, 12)} is not here`
      return [{ what, command: missing.command }]
    }
    if (status === "failed") {
      const what = `task ${id} failed${because(history.tasks.get(id)?.reason ?? null)}`
      return [{ what, command: `teamwork task reopen ${id}` }]
    }
    if (status !== "paused") return []
    return [{ what: `task ${id} is paused${because(pauseReason)}`, command: `teamwork resume --task ${id}` }]
  })
}

function ofFindings(findings: readonly Finding[]): ToDo[] {
  return findings
    .filter(({ status, severity }) => status === "open" && severity === "critical")
    .map((finding) => ({
      what: `${nameFinding(finding)} holds the delivery`,
      command: `teamwork findings waive ${finding.number} --reason "WHY"`,
    }))
}

function ofWorkers({ workers }: TeamView): ToDo[] {
  return workers
    .filter(({ status }) => status === "quarantined" || status === "paused")
    .map(({ id, status }) => ({ what: `worker ${id} is ${status}`, command: `teamwork resume --worker-id ${id}` }))
}

function ofExceptions({ view, exceptions }: { view: TeamView; exceptions: readonly Exception[] }): ToDo[] {
  return exceptions
    .filter(({ status, taskId, attempt }) => status === "asked" && view.tasks.get(taskId)?.attempt === attempt)
    .map(({ taskId, number, pattern, reason }) => ({
      what: `task ${taskId} asks to write ${pattern}: ${reason}`,
      command: `teamwork ownership grant ${taskId} ${number}`,
    }))
}

/** Finished work need not wait for the rest. */
function ofPart(view: TeamView): ToDo[] {
  const part = view.lead === null && view.stats.failed + view.stats.paused > 0 ? finishedPart(view) : undefined
  return part === undefined ? [] : [{ what: describeFinished(part), command: part.command }]
}

/** How to go on without a leader, and how to take what is done. */
function ofEnd({ view, verdicts }: { view: TeamView; verdicts: readonly Verdict[] }): ToDo[] {
  const { stats, history, team, lead } = view
  if (lead !== null) return []
  const open = stats.open + stats.in_progress + stats.in_review
  const wasLed = history.ledAt !== null
  if (open > 0) {
    const isHeldUp = stats.failed + stats.paused > 0 && ![...view.tasks.values()].some(canGoOn)
    // Failed and paused tasks are named above.
    const rest = `${open + stats.failed + stats.paused} of ${stats.total} tasks are not done`
    const what = isHeldUp ? `${rest}, ${open} of them wait for what is named above; after that` : rest
    return wasLed ? [{ what, command: "teamwork run --resume" }] : []
  }
  const isDelivered = history.deliveredAt !== null && history.deliveredAt >= (history.mergedAt ?? 0)
  if (team.phase === "COMPLETE" && history.mergedAt !== null && !isDelivered) {
    return [{ what: "the work is verified and not delivered", command: "teamwork deliver" }]
  }
  const final = verdicts.findLast(({ scope }) => scope === "final")
  const isLeft = stats.total > 0 && stats.failed === 0 && stats.paused === 0 && team.phase !== "COMPLETE"
  if (!isLeft || endOf(view) === "cancelled") return []
  const why =
    final?.status === "failed" ? `the final gate failed${because(final.issues[0] ?? null)}` : "not verified yet"
  return [{ what: why, command: "teamwork project verify" }]
}

/** A run could go on with the task. */
function canGoOn({ status, unmet }: Task): boolean {
  return isHeld(status) || (status === "open" && unmet === 0)
}

function because(reason: string | null): string {
  return reason === null || reason === "" ? "" : `: ${firstLine(reason)}`
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? ""
}
