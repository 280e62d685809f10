import * as v from "valibot"
import type { Document } from "../../kernel/document.ts"
import { AppError } from "../../kernel/errors.ts"
import { type EventOf, ofType } from "../../kernel/events.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import { sessionId } from "../../kernel/session-id.ts"
import { documentOf, toArtifact } from "../../knowledge/artifact.ts"
import { listFeedback } from "../../knowledge/operations/give-feedback.ts"
import { relevantWisdom, toWisdom } from "../../knowledge/wisdom.ts"
import { inboxName } from "../../messages/message.ts"
import { isGranted } from "../../ownership/exception.ts"
import { matchesPattern } from "../../ownership/file-pattern.ts"
import { isCoordinated } from "../../ownership/operations/coordinator.ts"
import { isOwned, readRoleSpec, specPath } from "../../planning/roles/role-spec.ts"
import { type Finding, sortBySeverity } from "../../quality/finding.ts"
import { listOpen } from "../../quality/operations/record-findings.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { type Escalation, toEscalation } from "../../requests/escalation.ts"
import { operation, taskIdField, teamFields, workerIdField } from "../../store/operation.ts"
import type { Tx, WorkerNow } from "../../store/port.ts"
import { getTask, getTeam } from "../../tasks/operations/lookup.ts"
import { hasEnded, type Task } from "../../tasks/task.ts"
import { readEventsOf } from "../../teams/operations/follow-team.ts"
import type { PromptFacts, Setback } from "../prompt-facts.ts"

/** Changes nothing: messages stay unread, and the claim stays as it is. */
export const promptFacts = operation({
  name: "prompt.facts",
  summary: "Collect what an agent must know to do a task",
  input: { ...teamFields, id: taskIdField, worker: v.optional(workerIdField) },
  async run({ store }, input): Promise<PromptFacts> {
    return store.read(async (tx) => {
      const found = await getTeam(tx, input)
      const { key, project, team, goal } = found
      const task = await getTask(tx, key, input.id)
      const worker = await findWorker(tx, key, input.worker ?? null)
      const reader = worker?.id ?? task.workerId
      const documents = await tx.documents.list(key)
      return {
        team: { project, team, goal, session: sessionId(found), totalWaves: (await tx.waves.list(key)).length },
        task,
        worktree: worker?.worktree ?? null,
        needs: await listNeeds(tx, key, { task, documents }),
        artifacts: await listArtifactsOf(tx, key, { ids: task.blockedBy, documents }),
        others: await listOthers(tx, key, task),
        granted: (await tx.exceptions.list(key, task.id))
          .filter((each) => isGranted(each, task))
          .map((each) => each.pattern),
        isCoordinated: await isCoordinated(tx, key),
        messages: reader === null ? [] : await tx.messages.list(key, inboxName(reader), { unreadOnly: true }),
        wisdom: documents.filter(({ path, encoding }) => /^wisdom\/.*\.md$/.test(path) && encoding === "utf8"),
        learned: relevantWisdom((await tx.records.list(key, { kind: "wisdom", status: "kept" })).map(toWisdom), task),
        findings: await listFindingsFor(tx, key, task),
        evidence: withoutWithdrawn(await tx.evidence.list(key, task.id)),
        setbacks: await listSetbacks(tx, key, task),
        decisions: await listDecisions(tx, key, task),
        feedback: (await listFeedback(tx, key, task.id)).map(({ text }) => text),
      }
    })
  },
})

async function findWorker(tx: Tx, key: number, id: WorkerId | null): Promise<WorkerNow | undefined> {
  if (id === null) return undefined
  const worker = await tx.workers.find(key, id)
  if (worker !== undefined) return worker
  const remedy = { operation: "swarm status", to: "see" } as const
  throw new AppError("worker.not_found", `worker ${id} does not exist`, { worker: id }, { remedy })
}

interface Needing {
  readonly task: Task
  readonly documents: readonly Document[]
}

async function listNeeds(tx: Tx, key: number, { task, documents }: Needing): Promise<PromptFacts["needs"]> {
  const needs: PromptFacts["needs"][number][] = []
  const before = await ownBefore(tx, key, { task, documents })
  for (const id of [...before, ...task.blockedBy]) {
    const need = await getTask(tx, key, id)
    const evidence = withoutWithdrawn(await tx.evidence.list(key, id))
    needs.push({ ...need, evidence: evidence.filter((entry) => entry.attempt === need.attempt) })
  }
  return needs
}

/** Includes the content of artifacts that the store keeps as text. */
async function listArtifactsOf(
  tx: Tx,
  key: number,
  { ids, documents }: { readonly ids: readonly TaskId[]; readonly documents: readonly Document[] },
): Promise<PromptFacts["artifacts"]> {
  if (ids.length === 0) return []
  const made = (await tx.records.list(key, { kind: "artifact" })).map(toArtifact)
  const theirs = made.filter(({ taskId }) => taskId !== null && ids.includes(taskId))
  return theirs.map((artifact) => {
    const path = artifact.keptIn === "document" ? documentOf(artifact) : null
    const document = documents.find((each) => each.path === path && each.encoding === "utf8")
    return { ...artifact, content: document?.content ?? null }
  })
}

/** An agent that does the tasks of a role in a loop continues from its earlier results. */
async function ownBefore(tx: Tx, key: number, { task, documents }: Needing): Promise<TaskId[]> {
  const spec = documents.find(({ path }) => task.agentType !== null && path === specPath(task.agentType))
  const role = spec && readRoleSpec(spec)
  if (role?.innerLoop !== true) return []
  const { prefix } = role
  const done = (await tx.tasks.list(key)).filter(({ id, status }) => isOwned(prefix, id) && status === "resolved")
  return done.map(({ id }) => id).filter((id) => id !== task.id && !task.blockedBy.includes(id))
}

/** A fix has its own findings in its description. */
async function listFindingsFor(tx: Tx, key: number, { id, files }: Task): Promise<Finding[]> {
  const touches = ({ file, fixTask }: Finding) =>
    file !== null && fixTask !== id && files.some((pattern) => matchesPattern(file, pattern))
  return sortBySeverity((await listOpen(tx, key)).filter(touches))
}

async function listOthers(tx: Tx, key: number, task: Task): Promise<PromptFacts["others"]> {
  const tasks = await tx.tasks.list(key)
  const owning = tasks.filter((each) => each.id !== task.id && each.files.length > 0 && !hasEnded(each.status))
  return owning.map(({ id, title, files }) => ({ id, title, files }))
}

function withoutWithdrawn<E extends { readonly withdrawnAt: string | null }>(entries: readonly E[]): E[] {
  return entries.filter((entry) => entry.withdrawnAt === null)
}

const MAX_DECISIONS = 3

async function listDecisions(tx: Tx, key: number, { id }: Task): Promise<PromptFacts["decisions"]> {
  const records = await tx.records.list(key, { kind: "escalation", status: "decided", taskId: id })
  const byTime = (a: Escalation, b: Escalation) => compare(a.decidedAt ?? "", b.decidedAt ?? "")
  return records.map(toEscalation).toSorted(byTime).slice(-MAX_DECISIONS)
}

const TELLING = ["task.reopened", "task.released", "task.status_changed", "task.setback"] as const
type TellingEvent = EventOf<(typeof TELLING)[number]>

async function listSetbacks(tx: Tx, key: number, task: Task): Promise<Setback[]> {
  const events = ofType(await readEventsOf(tx, key, task.id), ...TELLING).sort((a, b) => a.seq - b.seq)
  const reopened = ofType(events, "task.reopened")
  const verdicts = (await tx.verdicts.list(key)).filter(
    ({ scope, subject, status }) => (scope === "task" || scope === "qa") && subject === task.id && status === "failed",
  )
  // A verdict in the same millisecond caused the new attempt.
  const attemptAt = (timestamp: string) => 1 + reopened.filter((event) => event.timestamp < timestamp).length
  const attemptOf = ({ seq }: TellingEvent) => 1 + reopened.filter((event) => event.seq < seq).length
  return [
    ...verdicts.map((verdict) => ofVerdict(verdict, attemptAt(verdict.timestamp))),
    ...withoutEchoes(events).flatMap((event) => ofEvent(event, attemptOf(event))),
  ].toSorted((a, b) => a.attempt - b.attempt || compare(a.timestamp, b.timestamp) || placeOf(a) - placeOf(b))
}

/** Within a millisecond: the event, then the verdict, then its consequences. */
function placeOf({ what }: Setback): number {
  return what === "verdict" ? 1 : what === "reopened" ? 2 : 0
}

/** Events that follow from a setback repeat its reason. */
function withoutEchoes(events: readonly TellingEvent[]): TellingEvent[] {
  return events.filter((event, index) => {
    const before = events[index - 1]
    return before?.type !== "task.setback" || before.by !== event.by || before.data.reason !== event.data.reason
  })
}

function ofVerdict({ by, timestamp, issues, checks }: Verdict, attempt: number): Setback {
  const failed = checks.filter((check) => check.status === "failed")
  const reasons = [
    ...issues,
    ...failed.map(({ name, evidence }) => `check ${name} failed${evidence === undefined ? "" : `: ${evidence}`}`),
  ]
  return { attempt, what: "verdict", by, timestamp, reason: reasons.join("\n") }
}

/** Changes without a reason are no help, except a new attempt. */
function ofEvent({ type, by, timestamp, data }: TellingEvent, attempt: number): Setback[] {
  const base = { attempt, by, timestamp, reason: data.reason ?? "" }
  if (type === "task.reopened") return [{ ...base, what: "reopened" }]
  if (base.reason === "") return []
  if (type === "task.setback")
    return [{ ...base, what: "setback", ...(data.advice === null ? {} : { advice: data.advice }) }]
  if (type === "task.released") return [{ ...base, what: "released" }]
  if (data.to === "failed") return [{ ...base, what: "failed" }]
  return data.from === "in_review" && data.to !== "resolved" ? [{ ...base, what: "rejected" }] : []
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
