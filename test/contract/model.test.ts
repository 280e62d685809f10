// Random histories, played on a real store and on a model that is simple enough to be believed. The model is written
// from the documents and shares nothing with the code but the names of things.

import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { AppError } from "../../src/kernel/errors.ts"
import type { Event } from "../../src/kernel/events.ts"
import type { TeamPhase } from "../../src/kernel/team.ts"
import { unreachable } from "../../src/lib/unreachable.ts"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import { recordVerdict } from "../../src/quality/operations/record-verdict.ts"
import type { Context } from "../../src/store/operation.ts"
import type { Store } from "../../src/store/port.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { deleteTask } from "../../src/tasks/operations/delete-task.ts"
import { heartbeatTask } from "../../src/tasks/operations/heartbeat-task.ts"
import { addEvidence, withdrawEvidence } from "../../src/tasks/operations/record-evidence.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves, updateWave } from "../../src/tasks/operations/wave-status.ts"
import type { Role, TaskStatus } from "../../src/tasks/task.ts"
import { cleanTeam } from "../../src/teams/operations/clean-team.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { pause, resume } from "../../src/teams/operations/pause.ts"
import { updateTeam } from "../../src/teams/operations/update-team.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import { plainEvents } from "../support/plain-events.ts"
import { allEvents, context, type MakeDatabase, run, STORES, TEAM, until } from "../support/stores.ts"

const STEP_MS = 10
const LONG_LEASE_MS = 3_600_000
/** Runs out before the next step. */
const SHORT_LEASE_MS = 1
const START_MS = Date.UTC(2030, 0, 1)

// What happens in a history.

const owner = fc.constantFrom("w1", "w2", "w3")
const maybeOwner = fc.option(owner, { nil: undefined, freq: 2 })
const role = fc.constantFrom<Role | undefined>(undefined, undefined, "docs", "test", "worker")
const task = fc.nat(9)
const token = fc.constantFrom<"none" | "right" | "stale">("none", "none", "right", "right", "stale")
const leaseMs = fc.constantFrom(LONG_LEASE_MS, LONG_LEASE_MS, SHORT_LEASE_MS)
const word = fc.constantFrom("12 passed", "12 passed", "12 passed", "TODO")
const on = <Kind extends string, Rest extends object>(kind: Kind, rest: { [K in keyof Rest]: fc.Arbitrary<Rest[K]> }) =>
  fc.record({ kind: fc.constant(kind), ...rest }) as unknown as fc.Arbitrary<{ kind: Kind } & Rest>

const create = on("create", {
  needs: fc.array(task, { maxLength: 2 }),
  role: fc.constantFrom<Role>("docs", "test", "worker"),
  assignee: fc.option(owner, { nil: undefined, freq: 8 }),
  isTaken: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
})
const claim = on("claim", { task, owner, role, isStrict: fc.boolean(), leaseMs })
const next = on("next", { owner, role, leaseMs })
const heartbeat = on("heartbeat", { task, owner, token })
const release = on("release", { task, owner: maybeOwner, token })
const resolve = on("resolve", { task, owner: maybeOwner, token, text: fc.option(word, { nil: undefined }) })
const status = on("status", {
  task,
  owner: maybeOwner,
  to: fc.constantFrom<TaskStatus>("failed", "skipped", "in_review", "in_progress", "open", "paused"),
})
const reopen = on("reopen", { task })
const pausing = on("pausing", {
  what: fc.constantFrom<"team" | "task" | "worker">("team", "task", "worker"),
  isPaused: fc.boolean(),
  task,
  owner,
})
const needs = on("needs", { task, other: task, isAdded: fc.boolean() })
const calculate = on("calculate", {})
const judge = on("judge", {
  wave: fc.nat(4),
  to: fc.constantFrom<"verified" | "failed">("verified", "verified", "verified", "failed"),
})
const final = on("final", { status: fc.constantFrom<"passed" | "failed">("passed", "passed", "failed") })
const schedule = on("schedule", { to: fc.constantFrom<"waves" | "eager">("waves", "eager") })
const remove = on("remove", { task, isForced: fc.boolean() })
const evidence = on("evidence", { task, owner: maybeOwner, token, text: word })
const withdraw = on("withdraw", { task, number: fc.integer({ min: 1, max: 3 }) })
const send = on("send", { from: owner, to: owner })
const read = on("read", { inbox: owner, isUnreadOnly: fc.boolean(), isMarked: fc.boolean() })
const setup = on("setup", { owner: maybeOwner, role })
const clean = on("clean", { isForced: fc.boolean() })
const expire = on("expire", {})

/** Claims often, and often something that can end well. */
const action = fc.oneof(
  { weight: 8, arbitrary: create },
  { weight: 6, arbitrary: claim },
  { weight: 10, arbitrary: next },
  { weight: 3, arbitrary: heartbeat },
  { weight: 3, arbitrary: release },
  { weight: 10, arbitrary: resolve },
  { weight: 5, arbitrary: status },
  { weight: 3, arbitrary: reopen },
  { weight: 4, arbitrary: pausing },
  { weight: 4, arbitrary: needs },
  { weight: 3, arbitrary: calculate },
  { weight: 6, arbitrary: judge },
  { weight: 1, arbitrary: final },
  { weight: 1, arbitrary: schedule },
  { weight: 2, arbitrary: remove },
  { weight: 3, arbitrary: evidence },
  { weight: 2, arbitrary: withdraw },
  { weight: 3, arbitrary: send },
  { weight: 3, arbitrary: read },
  { weight: 2, arbitrary: setup },
  { weight: 1, arbitrary: clean },
  { weight: 1, arbitrary: expire },
)
type Action = typeof action extends fc.Arbitrary<infer Each> ? Each : never

/** A task that is claimed and done, or nearly: otherwise few projects would ever come to an end. */
const work = fc.tuple(next, resolve)
const finish = fc
  .tuple(fc.array(work, { minLength: 2, maxLength: 5 }), fc.array(judge, { maxLength: 2 }), final)
  .map(([works, words, end]): Action[] => [...works.flat(), ...words, ...(words.length === 0 ? [end] : [])])

/** Begins with a plan of some tasks, laid out in waves or not. */
const history = fc
  .tuple(
    fc.array(create, { minLength: 3, maxLength: 7, size: "max" }),
    fc.array(calculate, { maxLength: 1 }),
    fc.array(
      fc.oneof(
        { weight: 8, arbitrary: action.map((each): Action[] => [each]) },
        { weight: 2, arbitrary: work },
        { weight: 1, arbitrary: finish },
      ),
      { minLength: 15, maxLength: 50, size: "max" },
    ),
  )
  .map(([plan, layout, rest]): Action[] => [...plan, ...layout, ...rest.flat()])

// The model.

interface ModelTask {
  id: string
  seq: number
  role: Role
  assignee: string | null
  status: TaskStatus
  pausedFrom: TaskStatus | null
  needs: string[]
  wave: number
  height: number
  attempt: number
  owner: string | null
  token: number
  leaseUntil: number | null
  leaseMs: number
  evidence: { attempt: number; isBlocked: boolean; isWithdrawn: boolean }[]
}

interface Model {
  now: number
  phase: TeamPhase
  status: "active" | "paused" | "completed"
  schedule: "waves" | "eager"
  waves: { number: number; verdict: "verified" | "failed" | null }[]
  tasks: Map<string, ModelTask>
  workers: Map<string, { role: Role | null; isPaused: boolean }>
  senders: Set<string>
  inboxes: Map<string, { text: string; isRead: boolean }[]>
  created: number
  nextTask: number
  nextWorker: number
  sent: number
}

class Refused extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

function refuse(code: string): never {
  throw new Refused(code)
}

function newModel(): Model {
  return {
    now: START_MS,
    phase: "PLANNING",
    status: "active",
    schedule: "waves",
    waves: [],
    tasks: new Map(),
    workers: new Map(),
    senders: new Set(),
    inboxes: new Map(),
    created: 0,
    nextTask: 1,
    nextWorker: 1,
    sent: 0,
  }
}

/** What an action is aimed at, found before anything changes. */
interface Aim {
  id: string
  owner: string | undefined
  other: string
  needs: string[]
  token: number | undefined
  wave: number
}

const NOWHERE = "99"

function aim(model: Model, action: Action): Aim {
  const ids = [...model.tasks.keys()]
  const likely = [...model.tasks.values()].filter((each) => isLikely(each, action)).map((each) => each.id)
  const pick = (number: number, from: string[]) => (number === 9 ? NOWHERE : (from[number % from.length] ?? NOWHERE))
  const id = "task" in action ? pick(action.task, action.task < 7 && likely.length > 0 ? likely : ids) : NOWHERE
  const { token: held, owner: holder } = model.tasks.get(id) ?? { token: 0, owner: null }
  const asked = "owner" in action ? action.owner : undefined
  const kind = "token" in action ? action.token : "none"
  return {
    id,
    owner: asked !== undefined && holder !== null && "task" in action && action.task < 6 ? holder : asked,
    other: "other" in action ? pick(action.other, ids) : NOWHERE,
    needs: "needs" in action ? action.needs.filter(() => ids.length > 0).map((need) => pick(need, ids)) : [],
    token: kind === "none" ? undefined : kind === "right" ? Math.max(1, held) : held + 1,
    wave: "wave" in action && action.wave < 4 ? Math.max(1, openWave(model)) : 4,
  }
}

/** Whether the action could mean this task: histories full of refusals show little. */
function isLikely(each: ModelTask, action: Action): boolean {
  const isHeld = each.status === "in_progress" || each.status === "in_review"
  switch (action.kind) {
    case "claim":
      return each.status === "open" || each.status === "in_progress"
    case "heartbeat":
    case "release":
    case "resolve":
    case "evidence":
      return isHeld
    case "status":
      return action.owner === undefined || isHeld
    case "reopen":
      return isEnded(each)
    case "withdraw":
      return each.evidence.length > 0
    default:
      return false
  }
}

/** What the model says of an action: the code of the refusal, which changes nothing, or what came out. */
function predict(model: Model, action: Action, target: Aim): string {
  const before = structuredClone(model)
  try {
    return `ok ${act(model, action, target)}`
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    Object.assign(model, before)
    return error.code
  }
}

const MOVES: Record<TaskStatus, TaskStatus[]> = {
  open: ["in_progress", "paused", "skipped"],
  in_progress: ["in_review", "resolved", "open", "paused", "failed"],
  in_review: ["resolved", "in_progress", "open", "paused", "failed"],
  paused: ["open", "in_progress", "in_review", "skipped"],
  failed: ["open", "skipped"],
  resolved: ["open"],
  skipped: ["open"],
}

function act(model: Model, action: Action, target: Aim): string {
  switch (action.kind) {
    case "create":
      return actCreate(model, action, target)
    case "claim":
    case "next":
      return actClaim(model, action, target)
    case "heartbeat": {
      const held = find(model, target.id)
      assertHolds(held, target.owner, target.token)
      renew(model, held)
      return ""
    }
    case "release": {
      const held = find(model, target.id)
      assertHolds(held, target.owner, target.token)
      if (isEnded(held)) refuse("task.transition")
      if (held.status !== "open") free(held)
      return ""
    }
    case "resolve":
      return actResolve(model, action, target)
    case "status": {
      const moved = find(model, target.id)
      assertHolds(moved, target.owner, undefined)
      if (target.owner !== undefined) renew(model, moved)
      if (action.to === moved.status) return ""
      if (action.to === "open" && isEnded(moved)) restart(model, moved)
      else if (action.to === "open") free(moved)
      else move(model, moved, action.to)
      return ""
    }
    case "reopen": {
      const ended = find(model, target.id)
      if (!isEnded(ended)) refuse("task.transition")
      restart(model, ended)
      return ""
    }
    case "pausing":
      return actPause(model, action, target)
    case "needs":
      return actNeeds(model, action, target)
    case "calculate":
      if (model.phase === "COMPLETE") refuse("wave.transition")
      layOut(model)
      if (model.phase === "PLANNING" && model.waves.length > 0) model.phase = "EXECUTION"
      return String(model.waves.length)
    case "judge":
      return actJudge(model, action, target)
    case "final": {
      if (action.status === "failed") {
        if (model.phase !== "PLANNING") setPhase(model, "EXECUTION")
      } else if (model.tasks.size === 0) refuse("task.not_ready")
      else if ([...model.tasks.values()].some((each) => !isMet(each))) refuse("task.not_ready")
      else if (model.waves.some((wave) => wave.verdict !== "verified")) refuse("wave.transition")
      else setPhase(model, "COMPLETE")
      return ""
    }
    case "schedule":
      model.schedule = action.to
      return ""
    case "remove": {
      const gone = find(model, target.id)
      const dependants = [...model.tasks.values()].filter((each) => each.needs.includes(gone.id))
      const isPlain = model.phase === "PLANNING" && dependants.length === 0 && gone.status === "open"
      if (!action.isForced && !isPlain) refuse("task.delete_refused")
      for (const each of dependants) each.needs = each.needs.filter((need) => need !== gone.id)
      model.tasks.delete(gone.id)
      if (gone.wave > 0) layOut(model)
      return ""
    }
    case "evidence": {
      const shown = find(model, target.id)
      assertHolds(shown, target.owner, target.token)
      if (target.owner !== undefined) renew(model, shown)
      prove(shown, action.text)
      return String(shown.evidence.length)
    }
    case "withdraw": {
      const entry = find(model, target.id).evidence[action.number - 1] ?? refuse("evidence.not_found")
      entry.isWithdrawn = true
      return ""
    }
    case "send":
      if (!isKnown(model, action.to)) refuse("message.no_recipient")
      model.senders.add(action.from)
      addMessage(model, action.to, `m${++model.sent}`)
      return ""
    case "read": {
      const inbox = (model.inboxes.get(action.inbox) ?? []).filter((each) => !action.isUnreadOnly || !each.isRead)
      const shown = inbox.map((each) => `${each.text}${each.isRead ? "" : " new"}`).join(", ")
      if (action.isMarked) for (const each of inbox) each.isRead = true
      return shown
    }
    case "setup":
      return actSetup(model, action)
    case "clean":
      return actClean(model, action)
    case "expire":
      model.now += 2 * LONG_LEASE_MS
      return ""
    default:
      return unreachable(action)
  }
}

function actCreate(model: Model, action: Extract<Action, { kind: "create" }>, target: Aim): string {
  const taken = [...model.tasks.keys()][0]
  const id = action.isTaken && taken !== undefined ? taken : String(model.nextTask)
  const needs = [...new Set(target.needs)]
  if (needs.includes(id)) refuse("need.cycle")
  if (needs.some((need) => !model.tasks.has(need))) refuse("need.missing")
  if (model.tasks.has(id)) refuse("task.exists")
  model.nextTask += 1
  let wave = 0
  const last = model.waves.at(-1)
  if (last !== undefined) {
    const isAllDone = model.waves.every((each) => each.verdict === "verified")
    const open = isAllDone ? last.number + 1 : openWave(model)
    wave = Math.max(open, ...needs.map((need) => find(model, need).wave + 1))
    if (wave > last.number) model.waves.push({ number: wave, verdict: null })
    takeBack(model, wave)
  }
  model.tasks.set(id, {
    id,
    seq: ++model.created,
    role: action.role,
    assignee: action.assignee ?? null,
    status: "open",
    pausedFrom: null,
    needs,
    wave,
    height: 0,
    attempt: 1,
    owner: null,
    token: 0,
    leaseUntil: null,
    leaseMs: 0,
    evidence: [],
  })
  goOn(model)
  if (action.assignee !== undefined) {
    const way = `claim it when it is ready with: teamwork task claim --id ${id} --owner ${action.assignee}`
    addMessage(model, action.assignee, `NEW ASSIGNMENT: task #${id}: t; ${way}`)
  }
  return id
}

/** Workers, those who hold or held a task or shall do one, and those who wrote before. */
function isKnown({ workers, senders, tasks }: Model, name: string): boolean {
  const isNamed = tasks.values().some(({ owner, assignee }) => owner === name || assignee === name)
  return workers.has(name) || senders.has(name) || isNamed
}

function addMessage(model: Model, to: string, text: string): void {
  model.inboxes.set(to, [...(model.inboxes.get(to) ?? []), { text, isRead: false }])
}

function actClaim(model: Model, action: Extract<Action, { kind: "claim" | "next" }>, target: Aim): string {
  const worker = model.workers.get(action.owner)
  const mine = action.role ?? null
  if (model.phase === "COMPLETE") refuse("task.not_ready")
  if (model.status !== "active") refuse("team.paused")
  if (worker?.isPaused === true) refuse("worker.unavailable")
  if (mine !== null && worker?.role != null && worker.role !== "worker" && worker.role !== mine) refuse("role.locked")

  const closed =
    model.schedule === "eager" ? undefined : model.waves.find((wave) => wave.verdict !== "verified")?.number
  const mayStart = (each: ModelTask) =>
    unmet(model, each) === 0 &&
    (closed === undefined || each.wave <= closed) &&
    (each.assignee === null || each.assignee === action.owner)
  const fits = (each: ModelTask) => mine === null || mine === "worker" || each.role === mine || each.role === "worker"
  const isAbandoned = (each: ModelTask) => each.status === "in_progress" && (each.leaseUntil ?? model.now) < model.now

  const take = (each: ModelTask): string => {
    const before = each.status === "in_progress" ? each.owner : null
    if (before !== action.owner) each.token += 1
    each.status = "in_progress"
    each.owner = action.owner
    each.leaseMs = action.leaseMs
    renew(model, each)
    model.workers.set(action.owner, { role: worker?.role ?? mine, isPaused: false })
    if (model.phase === "PLANNING") model.phase = "EXECUTION"
    return `${each.id} token ${each.token} ${before === action.owner ? "renewed" : `from ${before}`}`
  }

  if (action.kind === "claim") {
    const named = find(model, target.id)
    const isHeld = named.status === "in_progress" && named.owner === action.owner
    const isFree = (named.status === "open" || isAbandoned(named)) && mayStart(named)
    if ((isHeld || isFree) && (!action.isStrict || fits(named))) return take(named)
    if (named.status === "in_progress" || named.status === "in_review") refuse("task.already_claimed")
    refuse(named.status === "open" && action.isStrict && !fits(named) ? "role.mismatch" : "task.not_ready")
  }
  const all = [...model.tasks.values()].filter(mayStart)
  const open = all
    .filter((each) => each.status === "open")
    .toSorted((a, b) => (model.schedule === "eager" ? 0 : a.wave - b.wave) || b.height - a.height || a.seq - b.seq)
  const unassigned = open.filter((each) => each.assignee === null)
  const best =
    all
      .filter((each) => isAbandoned(each) && fits(each))
      .toSorted((a, b) => (a.leaseUntil ?? 0) - (b.leaseUntil ?? 0))[0] ??
    open.find((each) => each.assignee === action.owner) ??
    unassigned.find((each) => (mine === null || mine === "worker" ? true : each.role === mine)) ??
    unassigned.find(fits)
  return best === undefined ? refuse("task.none_available") : take(best)
}

function actResolve(model: Model, action: Extract<Action, { kind: "resolve" }>, target: Aim): string {
  if (action.text === "TODO") refuse("evidence.blocked")
  const done = find(model, target.id)
  const isMine = target.owner === undefined || done.owner === target.owner
  const isToken = target.token === undefined || done.token === target.token
  if (done.status === "resolved" && isMine && isToken) return ""
  assertHolds(done, target.owner, target.token)
  if (!MOVES[done.status].includes("resolved")) refuse("task.transition")
  if (done.evidence.some((entry) => entry.attempt === done.attempt && entry.isBlocked && !entry.isWithdrawn))
    refuse("evidence.blocked")
  done.status = "resolved"
  done.leaseUntil = null
  if (action.text !== undefined) prove(done, action.text)
  return ""
}

function actPause(model: Model, action: Extract<Action, { kind: "pausing" }>, target: Aim): string {
  if (action.what === "team") {
    if (model.status === "completed") refuse("team.paused")
    model.status = action.isPaused ? "paused" : "active"
  } else if (action.what === "worker") {
    const worker = model.workers.get(action.owner) ?? refuse("worker.not_found")
    worker.isPaused = action.isPaused
  } else {
    const each = find(model, target.id)
    if (action.isPaused && each.status !== "paused") move(model, each, "paused")
    else if (!action.isPaused && each.status !== "paused") refuse("task.transition")
    else if (!action.isPaused) move(model, each, each.pausedFrom ?? "open")
  }
  return ""
}

function actNeeds(model: Model, action: Extract<Action, { kind: "needs" }>, target: Aim): string {
  const each = find(model, target.id)
  if (!action.isAdded && !each.needs.includes(target.other)) refuse("need.missing")
  if (action.isAdded && !model.tasks.has(target.other)) refuse("need.missing")
  if (action.isAdded && reaches(model, target.other, each.id)) refuse("need.cycle")
  each.needs = action.isAdded
    ? [...new Set([...each.needs, target.other])]
    : each.needs.filter((need) => need !== target.other)
  if (model.waves.length > 0) layOut(model)
  return ""
}

function actJudge(model: Model, action: Extract<Action, { kind: "judge" }>, target: Aim): string {
  const wave = model.waves.find((each) => each.number === target.wave) ?? refuse("wave.not_found")
  if (wave.verdict === action.to) return ""
  if (wave.verdict === "verified") refuse("wave.transition")
  if (model.waves.some((each) => each.number < wave.number && each.verdict !== "verified")) refuse("wave.transition")
  const isDone = [...model.tasks.values()].every((each) => each.wave !== wave.number || isMet(each))
  if (action.to === "verified" && !isDone) refuse("wave.transition")
  wave.verdict = action.to
  if (model.waves.every((each) => each.verdict === "verified")) setPhase(model, "VERIFICATION")
  return ""
}

function actSetup(model: Model, action: Extract<Action, { kind: "setup" }>): string {
  let id: string | undefined = action.owner
  while (id === undefined) {
    const name = `w${model.nextWorker++}`
    if (!model.workers.has(name)) id = name
  }
  const known = model.workers.get(id)
  if (known?.role != null && action.role !== undefined && known.role !== action.role) refuse("role.locked")
  model.workers.set(id, { role: action.role ?? known?.role ?? null, isPaused: known?.isPaused ?? false })
  const overdue = [...model.tasks.values()].filter(
    (each) => each.status === "in_progress" && (each.leaseUntil ?? 0) < model.now,
  )
  for (const each of overdue) free(each)
  return `${id} freed ${overdue.map((each) => each.id).join(", ")}`
}

function actClean(model: Model, action: Extract<Action, { kind: "clean" }>): string {
  const tasks = [...model.tasks.values()]
  if (!action.isForced && tasks.some((each) => each.status === "in_progress" || each.status === "in_review"))
    refuse("team.busy")
  // The next run is empty. Only the numbers of workers go on.
  model.tasks.clear()
  model.senders.clear()
  model.inboxes.clear()
  model.waves = []
  model.created = 0
  model.nextTask = 1
  const numbers = [...model.workers.keys()].map((id) => Number(id.slice(1)))
  model.nextWorker = Math.max(model.nextWorker, ...numbers.map((number) => number + 1))
  model.workers.clear()
  model.phase = "PLANNING"
  model.status = "active"
  return ""
}

function find(model: Model, id: string): ModelTask {
  return model.tasks.get(id) ?? refuse("task.not_found")
}

function assertHolds(each: ModelTask, owner: string | undefined, token: number | undefined): void {
  if (owner === undefined && token === undefined) return
  const isHeld = each.status === "in_progress" || each.status === "in_review"
  if (!isHeld || (owner !== undefined && owner !== each.owner)) refuse("claim.lost")
  if (token !== undefined && token !== each.token) refuse("claim.lost")
}

function isMet(each: ModelTask): boolean {
  return each.status === "resolved" || each.status === "skipped"
}

function isEnded(each: ModelTask): boolean {
  return isMet(each) || each.status === "failed"
}

function unmet(model: Model, each: ModelTask): number {
  return each.needs.filter((need) => !isMet(find(model, need))).length
}

function renew(model: Model, each: ModelTask): void {
  if (each.status === "in_progress") each.leaseUntil = model.now + each.leaseMs
}

function prove(each: ModelTask, text: string): void {
  each.evidence.push({ attempt: each.attempt, isBlocked: text === "TODO", isWithdrawn: false })
}

function free(each: ModelTask): void {
  Object.assign(each, { status: "open", owner: null, leaseUntil: null, pausedFrom: null })
}

function restart(model: Model, each: ModelTask): void {
  free(each)
  each.attempt += 1
  takeBack(model, each.wave)
  goOn(model)
}

function move(model: Model, each: ModelTask, to: TaskStatus): void {
  if (!MOVES[each.status].includes(to)) refuse("task.transition")
  if ((to === "in_progress" || to === "in_review") && each.owner === null) refuse("task.transition")
  each.pausedFrom = to === "paused" ? each.status : null
  each.status = to
  if (to === "in_review" || to === "failed" || to === "skipped" || to === "paused") each.leaseUntil = null
  renew(model, each)
}

/** The wave that gets work is no longer judged. */
function takeBack(model: Model, number: number): void {
  const wave = model.waves.find((each) => each.number === number)
  if (wave !== undefined) wave.verdict = null
}

function goOn(model: Model): void {
  if (model.phase === "COMPLETE" || model.phase === "VERIFICATION") setPhase(model, "EXECUTION")
}

function setPhase(model: Model, to: TeamPhase): void {
  if (model.phase === to) return
  model.phase = to
  if (to === "COMPLETE") model.status = "completed"
  else if (model.status === "completed") model.status = "active"
}

function openWave(model: Model): number {
  return model.waves.find((wave) => wave.verdict !== "verified")?.number ?? model.waves.at(-1)?.number ?? 0
}

function reaches(model: Model, from: string, to: string): boolean {
  return from === to || find(model, from).needs.some((need) => reaches(model, need, to))
}

/** By the definition: a wave behind the last of its needs, and the longest chain of those that wait. */
function layOut(model: Model): void {
  const last = model.waves.findLast((wave) => wave.verdict === "verified")?.number ?? 0
  const isFixed = (each: ModelTask) => each.wave !== 0 && each.wave <= last
  const tasks = [...model.tasks.values()]
  const moved = tasks.filter((each) => !isFixed(each))
  const movedIds = new Set(moved.map((each) => each.id))
  const place = (each: ModelTask): number =>
    Math.max(last, ...each.needs.filter((need) => movedIds.has(need)).map((need) => place(find(model, need)))) + 1
  const height = (each: ModelTask): number =>
    Math.max(-1, ...tasks.filter((other) => other.needs.includes(each.id)).map(height)) + 1
  const places = moved.map((each) => [each, place(each), height(each)] as const)
  for (const [each, wave, high] of places) Object.assign(each, { wave, height: high })
  const total = Math.max(last, ...places.map(([, wave]) => wave))
  model.waves = model.waves.filter((wave) => wave.number <= last)
  for (let number = last + 1; number <= total; number++) model.waves.push({ number, verdict: null })
}

// The real thing.

/** What the store says of the same action, in the same words. */
async function perform(ctx: Context, team: string, action: Action, target: Aim, model: Model): Promise<string> {
  try {
    return `ok ${await ask(ctx, { team, id: target.id }, action, target, model)}`
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

async function ask(
  ctx: Context,
  at: { team: string; id: string },
  action: Action,
  { token, owner, needs, other, wave }: Aim,
  model: Model,
): Promise<string> {
  const { team } = at
  switch (action.kind) {
    case "create": {
      const id = action.isTaken ? [...model.tasks.keys()][0] : undefined
      const made = await run(ctx, createTask, {
        team,
        id,
        title: "t",
        blockedBy: needs,
        role: action.role,
        assignee: action.assignee,
      })
      return made.id
    }
    case "claim":
    case "next": {
      const which = action.kind === "next" ? { next: true } : { id: at.id, strictRole: action.isStrict }
      const who = { owner: action.owner, role: action.role, leaseSeconds: action.leaseMs / 1000 }
      const { task, renewed, takenOverFrom } = await run(ctx, claimTask, { team, ...which, ...who })
      return `${task.id} token ${task.claimToken} ${renewed ? "renewed" : `from ${takenOverFrom}`}`
    }
    case "heartbeat":
      await run(ctx, heartbeatTask, { ...at, owner, token })
      return ""
    case "release":
      await run(ctx, releaseTask, { ...at, owner, token })
      return ""
    case "resolve": {
      const addEvidence = action.text === undefined ? undefined : [action.text]
      await run(ctx, updateTask, { ...at, owner, token, status: "resolved", addEvidence })
      return ""
    }
    case "status":
      await run(ctx, updateTask, { ...at, owner, status: action.to })
      return ""
    case "reopen":
      await run(ctx, reopenTask, at)
      return ""
    case "pausing": {
      const what = { team: {}, task: { task: at.id }, worker: { workerId: action.owner } }[action.what]
      await run(ctx, action.isPaused ? pause : resume, { team, ...what })
      return ""
    }
    case "needs":
      await run(ctx, updateTask, {
        ...at,
        ...(action.isAdded ? { addBlockedBy: [other] } : { removeBlockedBy: [other] }),
      })
      return ""
    case "calculate":
      return String((await run(ctx, calculateWaves, { team })).totalWaves)
    case "judge":
      await run(ctx, updateWave, { team, wave, status: action.to })
      return ""
    case "final":
      await run(ctx, recordVerdict, { team, scope: "final", status: action.status })
      return ""
    case "schedule":
      await run(ctx, updateTeam, { team, schedule: action.to })
      return ""
    case "remove":
      await run(ctx, deleteTask, { ...at, force: action.isForced })
      return ""
    case "evidence": {
      const { evidence } = await run(ctx, addEvidence, {
        ...at,
        owner,
        token,
        addEvidence: [action.text],
      })
      return String(evidence[0]?.number)
    }
    case "withdraw":
      await run(ctx, withdrawEvidence, { ...at, number: action.number })
      return ""
    case "send":
      await run(ctx, sendMessage, { team, from: action.from, to: action.to, message: `m${model.sent + 1}` })
      return ""
    case "read": {
      const how = { unreadOnly: action.isUnreadOnly, markRead: action.isMarked }
      const messages = await run(ctx, readMailbox, { team, inbox: action.inbox, ...how })
      return messages.map((each) => `${each.payload.message}${each.read ? "" : " new"}`).join(", ")
    }
    case "setup": {
      const done = await run(ctx, setupWorker, {
        team,
        workerId: action.owner,
        role: action.role,
        freshStartInterval: 0,
      })
      return `${done.worker.id} freed ${done.released.join(", ")}`
    }
    case "clean":
      await run(ctx, cleanTeam, { team, force: action.isForced })
      return ""
    case "expire":
      return ""
    default:
      return unreachable(action)
  }
}

/** Both sides in the same shape. */
function stateOfModel(model: Model) {
  return {
    team: [model.phase, model.status, model.schedule].join(" "),
    waves: model.waves.map((wave) => `${wave.number} ${wave.verdict}`),
    tasks: [...model.tasks.values()].map((each) => ({
      id: each.id,
      status: each.status,
      pausedFrom: each.pausedFrom,
      owner: each.owner,
      token: each.token,
      unmet: unmet(model, each),
      needs: each.needs.toSorted(),
      wave: each.wave,
      attempt: each.attempt,
      hasLease: each.leaseUntil !== null,
      evidence: each.evidence.map((entry) => `${entry.attempt} ${entry.isBlocked} ${entry.isWithdrawn}`),
    })),
    workers: [...model.workers].map(([id, worker]) => `${id} ${worker.role} ${worker.isPaused}`).toSorted(),
    inboxes: ["w1", "w2", "w3"].map((inbox) =>
      (model.inboxes.get(inbox) ?? []).map((each) => `${each.text} ${each.isRead}`),
    ),
  }
}

async function stateOfStore(store: Store, team: string): Promise<ReturnType<typeof stateOfModel>> {
  return store.read(async (tx) => {
    const found = await tx.teams.find({ ...TEAM, team })
    if (found === undefined) throw new Error("the team is gone")
    const tasks = await tx.tasks.list(found.key)
    const evidence = await Promise.all(tasks.map((each) => tx.evidence.list(found.key, each.id)))
    return {
      team: [found.phase, found.status, found.schedule].join(" "),
      waves: (await tx.waves.list(found.key)).map((wave) => `${wave.number} ${wave.verdict}`),
      tasks: tasks.map((each, index) => ({
        id: String(each.id),
        status: each.status,
        pausedFrom: each.pausedFrom,
        owner: each.claimedBy,
        token: each.claimToken,
        unmet: each.unmet,
        needs: each.blockedBy.map(String).toSorted(),
        wave: each.wave ?? 0,
        attempt: each.attempt,
        hasLease: each.leaseUntil !== null,
        evidence: (evidence[index] ?? []).map(
          (entry) => `${entry.attempt} ${entry.blockedPattern !== null} ${entry.withdrawnAt !== null}`,
        ),
      })),
      workers: (await tx.workers.list(found.key))
        .map((worker) => `${worker.id} ${worker.role} ${worker.status === "paused"}`)
        .toSorted(),
      inboxes: await Promise.all(
        ["w1", "w2", "w3"].map(async (inbox) =>
          (await tx.messages.list(found.key, inbox, {})).map((each) => `${each.payload.message} ${each.read}`),
        ),
      ),
    }
  })
}

/** What the events alone say of the tasks and the team; throws when they tell of something that cannot be. */
function replay(events: readonly Event[]) {
  const tasks = new Map<string, { status: string; owner: string | null; token: number; attempt: number }>()
  let phase = "PLANNING"
  for (const { type, data, by } of plainEvents(events)) {
    if (type === "team.phase_changed") {
      expect(data.from).toBe(phase)
      phase = String(data.to)
    }
    if (type === "task.created") tasks.set(String(data.task), { status: "open", owner: null, token: 0, attempt: 1 })
    const task = tasks.get(String(data.task))
    if (task === undefined) continue
    if (type === "task.claimed") {
      // At most one live claim: whoever takes a held task says from whom, and is somebody else.
      expect(data.taken_over_from).toBe(task.status === "in_progress" ? task.owner : null)
      expect(data.taken_over_from).not.toBe(by)
      expect(data.token).toBe(task.token + 1)
      Object.assign(task, { status: "in_progress", owner: by, token: task.token + 1 })
    }
    if (type === "task.released") {
      expect(data.owner).toBe(task.owner)
      Object.assign(task, { status: "open", owner: null })
    }
    if (type === "task.resolved") {
      expect(["in_progress", "in_review"]).toContain(task.status)
      expect([data.token, data.attempt]).toEqual([task.token, task.attempt])
      task.status = "resolved"
    }
    if (type === "task.status_changed") {
      expect(data.from).toBe(task.status)
      task.status = String(data.to)
    }
    if (type === "task.reopened") {
      expect(data.attempt).toBe(task.attempt + 1)
      Object.assign(task, { status: "open", owner: null, attempt: task.attempt + 1 })
    }
    if (type === "task.deleted") tasks.delete(String(data.task))
  }
  return { phase, tasks: [...tasks].map(([id, task]) => ({ id, ...task })) }
}

interface Pace {
  /** Lets the time of the store go on by this much. */
  readonly pass?: (ms: number) => void
  readonly runs: number
}

async function playHistories(makeDatabase: MakeDatabase, pace: Pace, clock?: { now(): number }): Promise<void> {
  await using db = await makeDatabase({ clock })
  const store = await db.connect()
  const ctx = context(store)
  let histories = 0

  async function play(actions: readonly Action[]): Promise<void> {
    const team = `t${++histories}`
    await run(ctx, createTeam, { team, goal: "a history" })
    const model = newModel()
    for (const action of actions) {
      if (action.kind === "expire" && pace.pass === undefined) continue
      const target = aim(model, action)
      const real = await perform(ctx, team, action, target, model)
      const expected = predict(model, action, target)
      expect({ action, target, outcome: real }).toEqual({ action, target, outcome: expected })
      model.now += STEP_MS
      if (pace.pass !== undefined) pace.pass(action.kind === "expire" ? 2 * LONG_LEASE_MS + STEP_MS : STEP_MS)
      else if ([...model.tasks.values()].some((each) => each.leaseUntil !== null && each.leaseUntil < model.now))
        await untilNoneIsShort(await keyOf(team))
    }
    const state = await stateOfStore(store, team)
    expect(state).toEqual(stateOfModel(model))
    const key = await keyOf(team)
    expect(await store.write((tx) => tx.tasks.repairUnmet(key))).toEqual([])
    const told = replay(await allEvents(store, key))
    expect(told.phase).toBe(model.phase)
    expect(told.tasks).toEqual(
      state.tasks.map(({ id, status, owner, token, attempt }) => ({ id, status, owner, token, attempt })),
    )
  }

  async function keyOf(team: string): Promise<number> {
    return (await store.read((tx) => tx.teams.find({ ...TEAM, team })))?.key ?? 0
  }

  /** Of two short leases the later one must end later, so time passes between them. */
  async function untilNoneIsShort(key: number): Promise<void> {
    const ends = await store.read(async (tx) =>
      (await tx.tasks.list(key)).map((each) => Date.parse(each.leaseUntil ?? "")),
    )
    await until(async () => {
      const now = await store.read((tx) => tx.now())
      return ends.every((end) => Number.isNaN(end) || end < now || end > now + LONG_LEASE_MS / 2)
    }, "a short lease to run out")
  }

  // On a failure fast-check prints seed, path and the shortest history that shows it.
  await fc.assert(fc.asyncProperty(history, play), {
    numRuns: pace.runs,
  })
}

/** Long enough to shrink a failing history; a good run takes a fraction of it. */
const TEST_TIMEOUT_MS = 180_000

describe("random histories come out as the model says", () => {
  it(
    "on sqlite, whose clock we turn",
    async () => {
      let now = START_MS
      const pass = (ms: number) => {
        now += ms
      }
      await playHistories(makeOf("sqlite"), { pass, runs: 300 }, { now: () => now })
    },
    TEST_TIMEOUT_MS,
  )

  it(
    "on postgres, which goes by its own clock",
    () => playHistories(makeOf("postgres"), { runs: 100 }),
    TEST_TIMEOUT_MS,
  )
})

function makeOf(name: string): MakeDatabase {
  const make = STORES[name]
  if (make === undefined) throw new Error(`no store ${name}`)
  return make
}
