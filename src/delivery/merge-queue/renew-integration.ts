import { findIntegration } from "../../git/integration.ts"
import type { Merges, RefMove, Targets, Workspaces } from "../../git/port.ts"
import {
  begunRef,
  branchRef,
  integrationBranch,
  integrationRef,
  parsePinRef,
  pinRef,
  teamRefs,
  workerPinRef,
} from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { findLead } from "../../teams/operations/lead-team.ts"
import { type Beginning, readBeginning } from "../../teams/operations/team-beginning.ts"

import { noteIntegration } from "./open-integration.ts"

export interface RenewPorts {
  readonly merges: Merges
  readonly targets: Pick<Targets, "findCheckout">
  readonly workspaces: Pick<Workspaces, "list" | "disown" | "follow">
}

interface Request extends TeamName {
  readonly target?: string
}

/** Another process may begin at the same time. */
const TRIES = 5

/**
 * Call this before work begins: tasks then start from the target as it is now, unless merged work waits for
 * delivery. Work of an earlier team of this name is set aside. Every step is one git transaction and safe to
 * repeat. Returns notes for the user.
 */
export async function renewIntegration(context: Context, ports: RenewPorts, request: Request): Promise<string[]> {
  const name = await resolveRun(context, request)
  const beginning = await readBeginning(context, name)
  const told = await setEarlierAside(ports, name, beginning)
  await bringForward(context, ports, { ...name, target: request.target })
  return told
}

/**
 * The same around a command by hand. A refused command leaves nothing behind, so the first mark is written
 * afterwards. While an orchestrator leads, nothing changes.
 */
export async function renewAround<T>(
  context: Context,
  ports: RenewPorts,
  { work, ...request }: Request & { readonly work: () => Promise<T> },
): Promise<{ readonly result: T; readonly told: readonly string[] }> {
  await ports.workspaces.follow()
  if ((await findLead(context, request)) !== undefined) return { result: await work(), told: [] }
  const name = await resolveRun(context, request)
  const isMarked = async () => (await ports.merges.refs(begunRef(name))).size > 0
  // Set aside what the run before left.
  const wasMarked = name.run > 1 || (await isMarked())
  const told = wasMarked ? await renewIntegration(context, ports, request) : []
  if (!wasMarked) await bringForward(context, ports, { ...name, target: request.target })
  const result = await work()
  if (!(await isMarked())) await setEarlierAside(ports, name, await readBeginning(context, name))
  return { result, told }
}

async function setEarlierAside(ports: RenewPorts, name: RunName, beginning: Beginning): Promise<string[]> {
  const { merges } = ports
  const own = begunRef(name, beginning.at)
  for (let left = TRIES; left > 0; left--) {
    const refs = await merges.refs(teamRefs(name))
    const anchor = refs.has(own) ? undefined : await merges.find("HEAD")
    // A repository without a commit has nothing to work on.
    if (anchor === undefined) return []
    const marks = [...refs].filter(([ref]) => ref.startsWith(`${begunRef(name)}/`))
    const found = { name, refs, beginning }
    // A repository without a mark was used before marks existed: its work belongs to this team.
    const aside = marks.length > 0 ? await planAside(ports, found) : await planEarlierRun(ports, found)
    const remarked = [{ ref: own, from: null, to: anchor }, ...marks.map(([ref, from]) => ({ ref, from, to: null }))]
    // The mark changes in the same transaction, so a second process finds nothing to set aside.
    if (await merges.move([...remarked, ...aside.moves])) return aside.told
  }
  throw new AppError("merge.race", `the branches were moved by others ${TRIES} times meanwhile; try again`)
}

interface Found {
  readonly name: RunName
  readonly refs: ReadonlyMap<string, string>
  readonly beginning: Beginning
}

interface Aside {
  readonly moves: RefMove[]
  readonly told: string[]
}
const NOTHING: Aside = { moves: [], told: [] }

/** In a later run, the integration branch belongs to the run before. */
async function planEarlierRun(ports: RenewPorts, { name, refs }: Found): Promise<Aside> {
  if (name.run === 1 || refs.has(integrationRef(name, "start"))) return NOTHING
  const { merges } = ports
  await disownAll(ports)
  const earlier = await findOwner(merges, name)
  const branch = integrationBranch(name)
  const tip = await merges.find(branchRef(branch))
  if (tip === undefined) return NOTHING
  await assertNotCheckedOut(ports, branch)
  const moves: RefMove[] = [{ ref: branchRef(branch), from: tip, to: null }]
  if (await isDelivered(merges, earlier, tip)) return { moves, told: [] }
  const number = freeNumber(await merges.refs(teamRefs(earlier)), earlier)
  moves.push({ ref: workerPinRef(earlier, { worker: "integration", number }, "head"), from: null, to: tip })
  const recover = `teamwork recover --run ${earlier.run} --worker-id integration --attempt ${number}`
  return {
    moves,
    told: [`Run ${earlier.run} merged work that was not delivered; make a branch of it with: ${recover}`],
  }
}

async function findOwner(merges: Merges, name: RunName): Promise<RunName> {
  for (let run = name.run - 1; run > 1; run--) {
    const earlier = { ...name, run }
    if ((await merges.find(integrationRef(earlier, "start"))) !== undefined) return earlier
  }
  return { ...name, run: 1 }
}

/** Otherwise leftovers of a worktree would be pinned as an attempt of the new team. */
async function disownAll({ workspaces }: RenewPorts): Promise<void> {
  for (const { worker, attempt } of await workspaces.list())
    if (attempt !== null) await workspaces.disown({ worker, attempt })
}

async function assertNotCheckedOut({ targets }: RenewPorts, branch: string): Promise<void> {
  const checkout = await targets.findCheckout(branch)
  if (checkout === undefined) return
  const message = `${branch} has work from before the team started over, and is checked out in ${checkout.folder}; switch to another branch there first`
  throw new AppError("branch.exists", message, { branch, folder: checkout.folder })
}

function freeNumber(refs: ReadonlyMap<string, string>, name: RunName): number {
  let number = 1
  while (refs.has(workerPinRef(name, { worker: "integration", number }, "head"))) number++
  return number
}

async function planAside(ports: RenewPorts, found: Found): Promise<Aside> {
  const { merges } = ports
  const { name, refs } = found
  await disownAll(ports)
  const moves = await planPins(merges, found)
  const branch = integrationBranch(name)
  const tip = await merges.find(branchRef(branch))
  if (tip === undefined) return { moves, told: [] }
  await assertNotCheckedOut(ports, branch)
  moves.push({ ref: branchRef(branch), from: tip, to: null })
  const start = refs.get(integrationRef(name, "start"))
  if (start !== undefined) moves.push({ ref: integrationRef(name, "start"), from: start, to: null })
  if (await isDelivered(merges, name, tip)) return { moves, told: [] }
  const number = freeNumber(refs, name)
  moves.push({ ref: workerPinRef(name, { worker: "integration", number }, "head"), from: null, to: tip })
  const run = name.run === 1 ? "" : ` --run ${name.run}`
  const recover = `teamwork recover${run} --worker-id integration --attempt ${number}`
  return { moves, told: [`What was merged before the team started over is set aside; see it with: ${recover}`] }
}

async function isDelivered(merges: Merges, name: RunName, tip: string): Promise<boolean> {
  const target = await merges.findNamed(integrationRef(name, "target"))
  const head = target === undefined ? undefined : await merges.find(target)
  return head !== undefined && merges.contains(head, tip)
}

/** Pins of attempts that have not happened yet belong to an earlier team. */
async function planPins(merges: Merges, { name, refs, beginning }: Found): Promise<RefMove[]> {
  const moves = new Map<string, RefMove>()
  for (const [ref, commit] of refs) {
    const pin = parsePinRef(name, ref)
    if (pin === undefined || pin.attempt < (beginning.attempts.get(pin.taskId) ?? 1)) continue
    moves.set(ref, { ref, from: commit, to: null })
    const head = refs.get(pinRef(name, pin, "head"))
    if (pin.kind === "base" && head !== undefined && (await merges.contains(head, commit))) continue
    const earlier = pinRef(name, pin, `earlier/${commit.slice(0, 16)}`)
    if (!refs.has(earlier)) moves.set(earlier, { ref: earlier, from: null, to: commit })
  }
  return [...moves.values()]
}

async function isBegun(merges: Merges, name: RunName): Promise<boolean> {
  return [...(await merges.refs(teamRefs(name))).keys()].some((ref) => parsePinRef(name, ref) !== undefined)
}

/** If merged work waits for delivery, the delivery merges the target in and tests it. */
async function bringForward(
  context: Context,
  { merges, targets }: RenewPorts,
  { target, ...name }: RunName & { readonly target: string | undefined },
): Promise<void> {
  const found = await findIntegration(merges, name)
  if (found === undefined) return
  const head = await merges.find(branchRef(target ?? found.target))
  if (head === undefined || head === found.tip) return
  // Before work begins, follow the target backwards too: dropped commits are no base.
  const isForward = await merges.contains(head, found.tip)
  if (!isForward && (found.tip !== found.start || (await isBegun(merges, name)))) return
  // A checkout of the branch would keep the old files.
  if ((await targets.findCheckout(integrationBranch(name))) !== undefined) return
  // If another process was faster, its merge stays.
  const isMoved = await merges.move([
    { ref: found.ref, from: found.tip, to: head },
    { ref: integrationRef(name, "start"), from: found.start, to: head },
  ])
  if (isMoved && !isForward)
    await noteIntegration(context, merges, { name, integration: { ...found, tip: head, start: head } })
}
