import type { Merges } from "../../git/port.ts"
import { branchRef, parsePinRef, pinRef, teamRefs, workerBranch, workerRefs } from "../../kernel/branches.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { RunName } from "../../kernel/team.ts"
import { isSameState } from "../../quality/quality.ts"
import type { CommittedByAttempt, CommittedWork } from "../../tasks/committed-work.ts"
import { type FixedWork, findWorkToBring, fixIdOf } from "../../tasks/fix-task.ts"
import { isHeld, type Task } from "../../tasks/task.ts"
import { type Attempt, attemptName, type Candidate, type Pinned } from "./candidate.ts"
import { type KnownWork, type RestoredPin, restorePins } from "./restore-pins.ts"

export interface Collection {
  readonly candidates: readonly Candidate[]
  /** Work that has a fix is merged with the fix. */
  readonly mended: readonly { readonly candidate: Candidate; readonly fix: TaskId }[]
  readonly heads: readonly string[]
  /** The commit of each attempt, where there was one. */
  readonly looked: ReadonlyMap<string, string>
  /** Resolved tasks that are no candidates, and why. */
  readonly left: readonly (Attempt & Missing)[]
  /** Tasks whose commit is not in this repository. They do not count as merged. */
  readonly elsewhere: readonly CommittedWork[]
  readonly restored: readonly RestoredPin[]
  /** Work that had no pin until now. */
  readonly pinnedNow: readonly (Attempt & Pinned)[]
}

interface Missing {
  readonly reason: string
  /** It has nothing to merge. */
  readonly isEmpty: boolean
}

/** The commit of an attempt that QA passed. */
export interface PassedState {
  readonly commit: string | null
  readonly tree: string | null
}

interface Request {
  readonly name: RunName
  readonly tasks: readonly Task[]
  readonly wanted: readonly Task[]
  /** The latest QA verdict of each attempt, by `task/attempt`. */
  readonly passed: ReadonlyMap<string, PassedState>
  readonly committed: CommittedByAttempt
  /** The tip of the integration branch. */
  readonly tip: string
}

/**
 * Lists the pinned work of each task in the order of waves and then of completion. Work without a pin gets one,
 * where the worker's branch holds nothing else.
 */
export async function collectCandidates(merges: Merges, request: Request): Promise<Collection> {
  const { name, tasks } = request
  const [refs, branches] = await Promise.all([merges.refs(teamRefs(name)), merges.refs(workerRefs(name))])
  const pins = parsePins(name, refs)
  const { known: works, missing, restored } = await restorePins(merges, { ...request, refs, pins })
  const elsewhere: CommittedWork[] = []
  const pinnedNow: (Attempt & Pinned)[] = []
  const found: Candidate[] = []
  const mended: { candidate: Candidate; fix: TaskId }[] = []
  const left: (Attempt & Missing)[] = []
  const wanted = request.wanted.toSorted(byWaveAndEnd)
  for (const task of wanted) {
    const own = { taskId: task.id, attempt: task.attempt }
    const key = attemptName(own)
    const work = works.get(key)
    if (pins.has(key)) continue
    if (work !== undefined && missing.has(key)) elsewhere.push(work)
    else if (work !== undefined) left.push({ ...own, reason: "it changed nothing", isEmpty: true })
    else {
      const pinned = await pinNow(merges, { ...request, refs, branches }, task)
      if ("reason" in pinned) left.push({ ...own, ...pinned })
      else {
        pins.set(key, pinned)
        pinnedNow.push({ ...own, ...pinned })
      }
    }
  }
  const fixes = findFixes(tasks, pins)
  const allowed = listAllowed(pins)
  for (const task of wanted) {
    const own = { taskId: task.id, attempt: task.attempt }
    const pinned = pins.get(attemptName(own))
    if (pinned === undefined) continue
    const unchecked = await findUnchecked(merges, request.passed, task, pinned)
    if (unchecked !== undefined) {
      left.push({ ...own, reason: unchecked, isEmpty: false })
      continue
    }
    const candidate = {
      ...own,
      ...pinned,
      ...known(task),
      mayContain: allowed(task),
      mustContain: listRequired(task, tasks, { pins, works }),
    }
    const fix = fixes.get(pinned.head)
    if (fix === undefined) found.push(candidate)
    else mended.push({ candidate, fix })
  }
  const heads = [...new Set([...pins.values()].map((pin) => pin.head))]
  const looked = new Map([...works].map(([key, { commit }]) => [key, commit]))
  for (const [key, { head }] of pins) looked.set(key, head)
  return { candidates: joinSame(found), mended, heads, looked, left, elsewhere, restored, pinnedNow }
}

/** A QA verdict holds for one commit. Returns why other work of such a task is not merged. */
async function findUnchecked(
  merges: Merges,
  passed: Request["passed"],
  { id, attempt, qa }: Task,
  { base, head }: Pinned,
): Promise<string | undefined> {
  if (qa === null || base === head) return undefined
  const known = passed.get(attemptName({ taskId: id, attempt }))
  if (known !== undefined && isSameState(known, { commit: head, tree: await merges.tree(head) })) return undefined
  const what = known?.commit == null ? "nothing of it" : known.commit.slice(0, 12)
  return `its work is at ${head.slice(0, 12)} and QA has passed ${what}; reopen it and hand it in with: teamwork qa submit ${id}`
}

function findFixes(tasks: readonly Task[], pins: PinsByAttempt): Map<string, TaskId> {
  const ids = new Set(tasks.map((task) => task.id))
  return new Map(
    tasks.flatMap((task) => {
      const [fix, pin] = [fixIdOf(task), pins.get(`${task.id}/${task.attempt}`)]
      return pin !== undefined && ids.has(fix) ? [[pin.head, fix] as const] : []
    }),
  )
}

type PinsByAttempt = ReadonlyMap<string, Pinned>

export async function readPins(merges: Merges, name: RunName): Promise<Map<string, Pinned>> {
  return parsePins(name, await merges.refs(teamRefs(name)))
}

function parsePins(name: RunName, refs: ReadonlyMap<string, string>): Map<string, Pinned> {
  const pins = new Map<string, Pinned>()
  for (const [ref, head] of refs) {
    const pin = parsePinRef(name, ref)
    const base = pin?.kind === "head" ? refs.get(pinRef(name, pin, "base")) : undefined
    if (pin !== undefined && base !== undefined) pins.set(`${pin.taskId}/${pin.attempt}`, { base, head })
  }
  return pins
}

function byWaveAndEnd(a: Task, b: Task): number {
  const [one, other] = [a, b].map((task) => `${String(task.wave ?? 0).padStart(9, "0")} ${task.completedAt ?? ""}`)
  return (one ?? "") < (other ?? "") ? -1 : one === other ? 0 : 1
}

function known(task: Task): { title: string; worker: string | null; alsoFor: readonly Attempt[] } {
  return { title: task.title, worker: task.workerId ?? task.claimedBy, alsoFor: [] }
}

interface Surroundings extends Request {
  readonly refs: ReadonlyMap<string, string>
  readonly branches: ReadonlyMap<string, string>
}

async function pinNow(merges: Merges, around: Surroundings, task: Task): Promise<Pinned | Missing> {
  const { name, tasks, tip, refs, branches } = around
  const worker = task.workerId ?? task.claimedBy
  const head = worker === null ? undefined : branches.get(branchRef(workerBranch(name, worker)))
  if (worker === null || head === undefined) {
    return { reason: "it has no commits: neither a pin nor a branch", isEmpty: true }
  }
  const other = tasks.find(
    (each) => each !== task && isHeld(each.status) && (each.workerId ?? each.claimedBy) === worker,
  )
  if (other !== undefined) {
    return { reason: `it has no pin, and ${worker} works on task ${other.id} on the same branch`, isEmpty: false }
  }
  const own = { taskId: task.id, attempt: task.attempt }
  // One of the two may exist already: from an attempt that began, or from an interrupted call.
  const [baseRef, headRef] = [pinRef(name, own, "base"), pinRef(name, own, "head")]
  const known = { base: refs.get(baseRef), head: refs.get(headRef) }
  const base = known.base ?? (await merges.mergeBase(tip, head)) ?? tip
  const isPinned = await merges.move([
    { ref: baseRef, from: known.base ?? null, to: base },
    { ref: headRef, from: known.head ?? null, to: known.head ?? head },
  ])
  if (isPinned) return { base, head: known.head ?? head }
  // Another process pinned it at the same time.
  const pinned = (await readPins(merges, name)).get(attemptName(own))
  return pinned ?? { reason: "another process is pinning it; try again", isEmpty: false }
}

/** What each task may contain: its own earlier attempts, and for a fix the work that it repairs. */
function listAllowed(pins: PinsByAttempt): (task: Task) => string[] {
  const heads = [...pins].map(([key, { head }]) => {
    const [id = "", attempt = ""] = key.split("/")
    return { id: id as TaskId, attempt: Number(attempt), head }
  })
  const ofTask = Map.groupBy(heads, ({ id }) => id)
  const ofFix = Map.groupBy(heads, fixIdOf)
  return ({ id, attempt }) => {
    const earlier = (ofTask.get(id) ?? []).filter((each) => each.attempt < attempt)
    return [...earlier, ...(ofFix.get(id) ?? [])].map((each) => each.head)
  }
}

function listRequired(
  { id }: Task,
  tasks: readonly Task[],
  { pins, works }: { readonly pins: PinsByAttempt; readonly works: KnownWork["known"] },
): FixedWork[] {
  const fixed = findWorkToBring(id, tasks)
  const head = fixed && (works.get(attemptName(fixed))?.commit ?? pins.get(attemptName(fixed))?.head)
  return fixed === undefined || head === undefined ? [] : [{ taskId: fixed.taskId, head }]
}

/** Several tasks with the same head are merged once, for all of them. */
function joinSame(candidates: readonly Candidate[]): Candidate[] {
  return [...Map.groupBy(candidates, (candidate) => candidate.head).values()].flatMap((same) => {
    const [first, ...others] = same
    if (first === undefined) return []
    const alsoFor = others.map(({ taskId, attempt }) => ({ taskId, attempt }))
    return [{ ...first, alsoFor, mustContain: same.flatMap((candidate) => candidate.mustContain) }]
  })
}
