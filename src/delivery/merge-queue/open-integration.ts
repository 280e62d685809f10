// The integration branch as teamwork left it. Foreign changes to its refs are undone, kept, reported, and never built
// on.
import { ensureIntegration, findIntegration, type Integration } from "../../git/integration.ts"
import type { LineCommit, Merges, RefMove } from "../../git/port.ts"
import { branchRef, integrationRef, teamRefs, workerPinRef } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { NewEvent } from "../../kernel/events.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import {
  type IntegrationMemory,
  noteRefs,
  noteTargetMoved,
  readIntegrationMemory,
} from "../operations/integration-memory.ts"
import { readMergeCommits } from "../operations/record-merges.ts"
import { readPins } from "./collect-candidates.ts"
import { findForeignCommits } from "./find-foreign-commits.ts"

export interface OpenedIntegration extends Integration {
  /** Commits that teamwork did not make; they are off the branch now. */
  readonly strangers: readonly LineCommit[]
}

interface Request {
  readonly name: RunName
  /** Given by a person; by default the present target, or what is checked out. */
  readonly target?: string
}

/** Others may move the branch at the same time. */
const TRIES = 5

/** Undefined where nothing was merged yet. */
export async function findOwnIntegration(
  context: Context,
  merges: Merges,
  name: RunName,
): Promise<OpenedIntegration | undefined> {
  const isKnown = (await readIntegrationMemory(context, name, await merges.place())) !== undefined
  if (!isKnown && (await findIntegration(merges, name)) === undefined) return undefined
  return openIntegration(context, merges, { name })
}

/** Records where teamwork moved the branch. */
export async function noteIntegration(
  context: Context,
  merges: Merges,
  { name, integration }: { readonly name: RunName; readonly integration: Integration },
): Promise<void> {
  const { tip: commit, start, target } = integration
  const data = { commit, start, target, ...(await merges.place()) }
  await noteRefs(context, name, [{ type: "integration.moved", data }])
}

/**
 * Returns the integration branch with teamwork's own commits only. The store knows where teamwork left it. For a
 * run of an earlier version, teamwork repeats its merges to tell them from foreign commits.
 */
export async function openIntegration(
  context: Context,
  merges: Merges,
  { name, target }: Request,
  tries = TRIES,
): Promise<OpenedIntegration> {
  const here = await merges.place()
  const memory = await readIntegrationMemory(context, name, here)
  const events: NewEvent[] = []
  const refs = memory === undefined ? [] : await changedRefs(merges, name, { memory, target })
  const found = await ensureIntegration(merges, name, target ?? memory?.target)
  const judged = await judgeTip(context, merges, { name, found, memory })
  const { to, strangers } = judged
  const moves: RefMove[] = []
  if (to !== found.tip) {
    const kept = await planKept(merges, name, { tip: found.tip, to })
    moves.push({ ref: found.ref, from: found.tip, to }, ...kept)
    const commits = strangers.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`)
    const data = {
      branch: found.ref.replace("refs/heads/", ""),
      from: found.tip,
      to,
      kept: kept[0]?.ref ?? null,
      commits,
    }
    events.push({ type: "integration.restored", data })
  }
  // If the target contains everything, the branch starts at the target.
  const start = memory === undefined || judged.isForward ? found.start : memory.start
  if (start !== found.start) moves.push({ ref: integrationRef(name, "start"), from: found.start, to: start })
  if (start !== found.start || refs.length > 0)
    events.push({
      type: "integration.refs_restored",
      data: { refs: [...new Set([...refs, ...(start === found.start ? [] : [integrationRef(name, "start")])])] },
    })
  if (moves.length > 0 && !(await merges.move(moves))) {
    if (tries > 1) return openIntegration(context, merges, { name, target }, tries - 1)
    throw new AppError("merge.race", `${found.ref} was moved by others ${TRIES} times meanwhile; try again`)
  }
  const now = { ...found, tip: to, start }
  if (memory?.commit !== to || memory.start !== start || memory.target !== found.target)
    events.push({ type: "integration.moved", data: { commit: to, start, target: found.target, ...here } })
  await noteRefs(context, name, events)
  await tellTarget(context, merges, { name, integration: now })
  return { ...now, strangers }
}

/** Refs beside the branch that others changed. A person may name another target. */
async function changedRefs(
  merges: Merges,
  name: RunName,
  { memory, target }: { memory: IntegrationMemory; target: string | undefined },
): Promise<string[]> {
  const [start, named] = await Promise.all([
    merges.find(integrationRef(name, "start")),
    merges.findNamed(integrationRef(name, "target")),
  ])
  const isOther = named !== branchRef(memory.target) && (named === undefined || target === undefined)
  return [
    ...(start === undefined ? [integrationRef(name, "start")] : []),
    ...(isOther ? [integrationRef(name, "target")] : []),
  ]
}

interface Judged {
  readonly to: string
  readonly strangers: readonly LineCommit[]
  /** It is at a commit of the target that has everything. */
  readonly isForward: boolean
}

async function judgeTip(
  context: Context,
  merges: Merges,
  { name, found, memory }: { name: RunName; found: Integration; memory: IntegrationMemory | undefined },
): Promise<Judged> {
  const { tip } = found
  if (tip === memory?.commit) return { to: tip, strangers: [], isForward: false }
  const known = memory !== undefined && (await merges.find(memory.commit)) !== undefined ? memory : undefined
  const last = known?.commit ?? found.start
  if (!(await merges.contains(tip, last)))
    return { to: last, strangers: await merges.line(last, tip), isForward: false }
  const target = await merges.find(branchRef(found.target))
  if (target !== undefined && (await merges.contains(target, tip))) return { to: tip, strangers: [], isForward: true }
  const heads = [...(await readPins(merges, name)).values()].map(({ head }) => head)
  const line = await merges.line(last, tip)
  const strangers = await findForeignCommits(
    merges,
    { ...found, start: last },
    { heads, known: await readMergeCommits(context, name) },
  )
  const first = strangers.at(-1)
  if (first === undefined) return { to: tip, strangers, isForward: false }
  // Everything on top of a foreign commit is merged again without it.
  const since = line.slice(0, line.findIndex(({ commit }) => commit === first.commit) + 1)
  return { to: first.parents[0] || last, strangers: since, isForward: false }
}

/** Keeps what was on the branch under the next free number. */
async function planKept(
  merges: Merges,
  name: RunName,
  { tip, to }: { readonly tip: string; readonly to: string },
): Promise<RefMove[]> {
  if (await merges.contains(to, tip)) return []
  const refs = await merges.refs(teamRefs(name))
  let number = 1
  while (refs.has(workerPinRef(name, { worker: "integration", number }, "head"))) number++
  return [{ ref: workerPinRef(name, { worker: "integration", number }, "head"), from: null, to: tip }]
}

/** People may commit to their branch meanwhile; that is only reported. */
async function tellTarget(
  context: Context,
  merges: Merges,
  { name, integration }: { readonly name: RunName; readonly integration: Integration },
): Promise<void> {
  const { target, start, tip } = integration
  const head = await merges.find(branchRef(target))
  if (head === undefined || head === start || (await merges.contains(tip, head))) return
  const commits = (await merges.line(tip, head)).map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`)
  const from = (await merges.mergeBase(tip, head)) ?? start
  await noteTargetMoved(context, name, { target, from, to: head, commits })
}
