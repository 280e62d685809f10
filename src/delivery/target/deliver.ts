import { findIntegration, type Integration } from "../../git/integration.ts"
import type { LineCommit, Merges, Targets } from "../../git/port.ts"
import { branchRef, integrationBranch } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import type { LeftOut } from "../../quality/left-out.ts"
import { assertNoCritical } from "../../quality/operations/hold-findings.ts"
import { assertDeliverable } from "../../requests/operations/checkpoints.ts"
import type { Context } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { recordDelivery, recordRewritten, type TargetRewritten } from "../operations/record-delivery.ts"
import { assertContained } from "./assert-contained.ts"
import { assertReviewed, sayUnreviewed } from "./assert-reviewed.ts"
import { type CarriedOver, carryOver, takeInSubject } from "./carry-over.ts"
import { forgetDelivery, noteDelivery } from "./delivery-records.ts"
import type { NotGreen } from "./final-verdict.ts"

export interface DeliveryPorts {
  readonly merges: Merges
  readonly targets: Targets
  /** Undefined only when the final gate passed on these files. */
  readonly whyNotGreen: (commit: string) => Promise<NotGreen | undefined>
  /** Runs the final gate on a commit and records its verdict. */
  readonly finalGate?: (commit: string) => Promise<void>
  /** The integration branch as teamwork left it; without this, the branch is taken as it is. */
  readonly own?: OwnIntegration
  /** Deliver only finished work. */
  readonly isPartial?: boolean
  readonly noteRewritten?: (rewritten: TargetRewritten) => Promise<void>
  /** Tasks that the passed final gate left out. */
  readonly leftOut?: () => Promise<readonly LeftOut[]>
}

/** Keeps foreign commits on the integration branch from being delivered. */
export interface OwnIntegration {
  /** Undefined where nothing was merged yet. */
  find(): Promise<(Integration & { readonly strangers: readonly LineCommit[] }) | undefined>
  moved(integration: Integration): Promise<void>
}

export interface DeliveryReport {
  readonly target: string
  readonly from: string
  readonly to: string
  /** False when the target had everything. */
  readonly isMoved: boolean
  /** The target had moved, so it was merged into the integration branch first. */
  readonly tookTargetIn: boolean
  /** Commits that the user dropped from the target. */
  readonly dropped: readonly string[]
  readonly mended: readonly string[]
  /** For the person, such as that commits are not signed. */
  readonly notes: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

const MAX_ROUNDS = 10

/**
 * Moves the target to the integration branch: forward only, only after a green final gate, and only if no checkout
 * of the target is in the way. Otherwise nothing changes and the error says what to do.
 */
export async function deliver(context: Context, ports: DeliveryPorts, asked: TeamName): Promise<DeliveryReport> {
  const { merges, targets } = ports
  const name = await resolveRun(context, asked)
  await assertDeliverable(context, name)
  const mended = [...(await merges.recover())]
  let tookTargetIn = false
  let dropped: readonly string[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const ready = await makeReady({ noteRewritten: (data) => recordRewritten(context, name, data), ...ports }, name)
    tookTargetIn ||= ready.tookTargetIn
    mended.push(...ready.strangers.map(sayStranger))
    if (ready.dropped.length > 0) dropped = ready.dropped
    const { target, from, to } = ready
    if (ports.isPartial !== true) await assertContained(context, merges, { name, commit: to })
    if (from === to) return { target, from, to, isMoved: false, tookTargetIn, dropped, mended, notes: [], leftOut: [] }
    await assertNoCritical(context, name, ports.isPartial === true)
    await assertReviewed(context, merges, { name, commit: to })
    const checkout = await targets.findCheckout(target)
    if (checkout !== undefined && checkout.obstacle !== null) throw inTheWay(checkout, name, target)
    const noted = await noteDelivery(merges, name, { target, before: from, after: to })
    const isMoved = await targets.move({ branch: target, from, to, checkout }).catch(async (error) => {
      // A killed git may have moved it.
      if ((await merges.find(branchRef(target))) === from) await forgetDelivery(merges, name, noted)
      throw error
    })
    if (!isMoved) {
      await forgetDelivery(merges, name, noted)
      continue
    }
    const leftOut = (await ports.leftOut?.()) ?? []
    const notes = [...(await merges.notes()), ...(await sayUnreviewed(context, name))]
    await recordDelivery(context, { ...name, type: "target.delivered", target, from, to, leftOut, notes })
    return { target, from, to, isMoved: true, tookTargetIn, dropped, mended, notes, leftOut }
  }
  throw new AppError("merge.race", `the branches were moved by others ${MAX_ROUNDS} times meanwhile; try again`)
}

export interface Ready {
  readonly integration: Integration
  readonly target: string
  readonly from: string
  /** Equals `from` when there is nothing to deliver. */
  readonly to: string
  readonly tookTargetIn: boolean
  /** Foreign commits that were set aside. */
  readonly strangers: readonly LineCommit[]
  readonly dropped: readonly string[]
}

export function sayStranger({ commit, subject }: Pick<LineCommit, "commit" | "subject">): string {
  return `Set aside and not delivered, as teamwork did not put it on the integration branch: ${commit.slice(0, 10)} ${subject}`
}

/** The integration branch on top of the target, after a green final gate. */
export async function makeReady(ports: DeliveryPorts, name: RunName): Promise<Ready> {
  const { merges } = ports
  const own = await ports.own?.find()
  const integration = ports.own === undefined ? await findIntegration(merges, name) : own
  const strangers = own?.strangers ?? []
  if (integration === undefined) {
    const remedy = { operation: "swarm merge", to: "merge what is resolved with" } as const
    throw new AppError("merge.no_branch", "nothing is merged yet", {}, { remedy })
  }
  const { target } = integration
  const from = await merges.find(branchRef(target))
  if (from === undefined) throw new AppError("merge.no_target", `the branch ${target} that is to get the work is gone`)
  const still = { integration, target, from, to: from, tookTargetIn: false, strangers, dropped: [] }
  if (await merges.contains(from, integration.tip)) return still
  const carried = await carryOver(merges, { name, integration, head: from })
  if (carried !== undefined) {
    const { tip: to, dropped } = carried
    await takeCarried(ports, integration, { ...carried, from })
    if (to !== from) await assertGreen(ports, to)
    return { ...still, to, dropped }
  }
  const isBehind = !(await merges.contains(integration.tip, from))
  const to = isBehind ? await takeIn(ports, { name, integration, from }) : integration.tip
  await assertGreen(ports, to)
  return { integration, target, from, to, tookTargetIn: isBehind, strangers, dropped: [] }
}

/** Tested on the branch, since the gate looks up the work of each task by its commit. */
async function takeCarried(
  ports: DeliveryPorts,
  { ref, start, target }: Integration,
  { tip, moves, works, dropped, former, from }: CarriedOver & { readonly from: string },
): Promise<void> {
  // Recorded before the branch moves, so a crash in between leaves nothing open.
  const place = await ports.merges.place()
  await ports.noteRewritten?.({ target, from: start, to: from, dropped, former, tip, works, place })
  if (!(await ports.merges.move(moves))) throw new AppError("merge.race", `another process moved ${ref}; try again`)
  if (tip !== from) await ports.finalGate?.(tip)
}

async function assertGreen({ whyNotGreen }: DeliveryPorts, commit: string): Promise<void> {
  const not = await whyNotGreen(commit)
  if (not !== undefined) throw new AppError("deliver.refused", not.why, { commit }, { remedy: not.remedy })
}

/** With a gate, tested before it joins the branch; otherwise a person tests it there. */
async function takeIn(
  ports: DeliveryPorts,
  { name, integration, from }: { readonly name: RunName; readonly integration: Integration; readonly from: string },
): Promise<string> {
  const { merges, finalGate } = ports
  const { ref, tip, target } = integration
  const merged = await merges.merge(tip, from)
  const branch = ref.replace("refs/heads/", "")
  if (!merged.isClean) {
    const paths = merged.conflicts.map((conflict) => conflict.path)
    const shown = paths
      .slice(0, 5)
      .map((path) => JSON.stringify(path))
      .join(", ")
    const message = `${target} has moved and does not fit to ${branch} in ${shown}; merge it by hand on your branch: git switch ${quoteWord(target)} && git merge ${branch}`
    throw new AppError("deliver.refused", message, { target, paths })
  }
  const message = `${takeInSubject(target, name)}\n`
  const commit = await merges.commit({ tree: merged.tree, parents: [tip, from], message })
  if (finalGate !== undefined) {
    await finalGate(commit)
    await assertGreen(ports, commit)
  }
  if (await merges.move([{ ref, from: tip, to: commit }])) {
    await ports.own?.moved({ ...integration, tip: commit })
    return commit
  }
  throw new AppError("merge.race", `another process moved ${branch}; try again`)
}

function inTheWay(
  { folder, obstacle }: { folder: string; obstacle: string | null },
  name: TeamName,
  target: string,
): AppError {
  const command = ["git", "-C", folder, "merge", "--ff-only", integrationBranch(name)]
  const line = command.map(quoteWord).join(" ")
  return new AppError("deliver.refused", `${target} was left as it is: ${obstacle}; when that is done, run: ${line}`, {
    target,
    folder,
    command,
  })
}

function quoteWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
