import { branchRef, parsePinRef, pinRef, teamRefs, workerBranch } from "../../domain/branches.ts"
import { fixIdOf } from "../../domain/fix-task.ts"
import { isHeld, type Task } from "../../domain/task.ts"
import type { TeamName } from "../../domain/team.ts"
import type { Merges } from "../../workspace/port.ts"
import { type Attempt, attemptName, type Candidate } from "./candidate.ts"

export interface Collection {
  readonly candidates: readonly Candidate[]
  /** The heads of every attempt that is pinned. */
  readonly heads: readonly string[]
  /** Resolved tasks that are no candidates, and why. */
  readonly left: readonly (Attempt & { readonly reason: string })[]
}

interface Request {
  readonly name: TeamName
  readonly tasks: readonly Task[]
  /** Those of them that are to be merged. */
  readonly wanted: readonly Task[]
  /** The commit that the integration branch is at. */
  readonly tip: string
}

/**
 * The pinned work of each task, in the order of the waves and then of their ends. Work that nobody pinned is pinned now,
 * where the worker's branch surely holds nothing else.
 */
export async function collectCandidates(merges: Merges, request: Request): Promise<Collection> {
  const { name, tasks } = request
  const pins = await readPins(merges, name)
  const found: Candidate[] = []
  const mended: Candidate[] = []
  const left: (Attempt & { reason: string })[] = []
  const wanted = request.wanted.toSorted(byWaveAndEnd)
  for (const task of wanted) {
    const own = { taskId: task.id, attempt: task.attempt }
    const pinned = pins.get(attemptName(own)) ?? (await pinNow(merges, request, task))
    if ("base" in pinned) pins.set(attemptName(own), pinned)
    else left.push({ ...own, reason: pinned.reason })
  }
  const fixes = findFixes(tasks, pins)
  for (const task of wanted) {
    const own = { taskId: task.id, attempt: task.attempt }
    const pinned = pins.get(attemptName(own))
    if (pinned === undefined) continue
    const candidate = { ...own, ...pinned, ...known(task), mayContain: mayContain(task, tasks, pins) }
    const fix = fixes.get(pinned.head)
    if (fix === undefined) found.push(candidate)
    // It comes with its fix or not at all.
    else if (await isBrought(merges, fix, pinned.head, request.tip)) mended.push(candidate)
    else left.push({ ...own, reason: `${fix.task.id} mends it` })
  }
  const heads = [...new Set([...pins.values()].map((pin) => pin.head))]
  return { candidates: joinSame([...found, ...mended]), heads, left }
}

interface FixWork {
  readonly task: Task
  readonly head: string | undefined
}

/** The fix, if there is one, of each head that could not be merged. */
function findFixes(tasks: readonly Task[], pins: PinsByAttempt): Map<string, FixWork> {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  return new Map(
    tasks.flatMap((task) => {
      const [fix, pin] = [byId.get(fixIdOf(task)), pins.get(`${task.id}/${task.attempt}`)]
      if (fix === undefined || pin === undefined) return []
      return [[pin.head, { task: fix, head: pins.get(`${fix.id}/${fix.attempt}`)?.head }] as const]
    }),
  )
}

async function isBrought(merges: Merges, fix: FixWork, head: string, tip: string): Promise<boolean> {
  if (await merges.contains(tip, head)) return true
  return fix.task.status === "resolved" && fix.head !== undefined && (await merges.contains(fix.head, head))
}

interface Pinned {
  readonly base: string
  readonly head: string
}
type PinsByAttempt = ReadonlyMap<string, Pinned>

export async function readPins(merges: Merges, name: TeamName): Promise<Map<string, Pinned>> {
  const partial = new Map<string, { base?: string; head?: string }>()
  for (const [ref, commit] of await merges.refs(teamRefs(name))) {
    const pin = parsePinRef(name, ref)
    if (pin === undefined) continue
    const key = `${pin.taskId}/${pin.attempt}`
    partial.set(key, { ...partial.get(key), [pin.kind]: commit })
  }
  return new Map(
    [...partial].flatMap(([key, { base, head }]) =>
      base === undefined || head === undefined ? [] : [[key, { base, head }] as const],
    ),
  )
}

function byWaveAndEnd(a: Task, b: Task): number {
  const [one, other] = [a, b].map((task) => `${String(task.wave ?? 0).padStart(9, "0")} ${task.completedAt ?? ""}`)
  return (one ?? "") < (other ?? "") ? -1 : one === other ? 0 : 1
}

function known(task: Task): { title: string; worker: string | null; alsoFor: readonly Attempt[] } {
  return { title: task.title, worker: task.workerId ?? task.claimedBy, alsoFor: [] }
}

async function pinNow(merges: Merges, { name, tasks, tip }: Request, task: Task): Promise<Pinned | { reason: string }> {
  const worker = task.workerId ?? task.claimedBy
  const head = worker === null ? undefined : await merges.find(branchRef(workerBranch(name, worker)))
  if (worker === null || head === undefined) return { reason: "it has no commits: neither a pin nor a branch" }
  const other = tasks.find((each) => isHeld(each.status) && (each.workerId ?? each.claimedBy) === worker)
  if (other !== undefined) {
    return { reason: `it has no pin, and ${worker} works on task ${other.id} on the same branch` }
  }
  const base = (await merges.mergeBase(tip, head)) ?? tip
  const own = { taskId: task.id, attempt: task.attempt }
  const isPinned = await merges.move([
    { ref: pinRef(name, own, "base"), from: null, to: base },
    { ref: pinRef(name, own, "head"), from: null, to: head },
  ])
  if (isPinned) return { base, head }
  // Somebody pinned it in this very moment.
  return (await readPins(merges, name)).get(attemptName(own)) ?? { reason: "somebody else pins it; try again" }
}

/** Earlier attempts of its own, and for a fix the work that it mends. */
function mayContain(task: Task, tasks: readonly Task[], pins: PinsByAttempt): string[] {
  const heads: string[] = []
  for (const each of tasks) {
    for (let attempt = 1; attempt <= each.attempt; attempt++) {
      const isOwn = each.id === task.id && attempt < task.attempt
      const isMended = fixIdOf({ id: each.id, attempt }) === task.id
      const pin = isOwn || isMended ? pins.get(`${each.id}/${attempt}`) : undefined
      if (pin !== undefined) heads.push(pin.head)
    }
  }
  return heads
}

/** Several tasks of one head are one piece of work: it is merged once, for all of them. */
function joinSame(candidates: readonly Candidate[]): Candidate[] {
  return [...Map.groupBy(candidates, (candidate) => candidate.head).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, alsoFor: others.map(({ taskId, attempt }) => ({ taskId, attempt })) }],
  )
}
