import { branchRef } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type RunName, type TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { recordDelivery } from "../operations/record-delivery.ts"
import type { DeliveryPorts } from "./deliver.ts"
import { type Delivery, noteUndone, readDeliveries } from "./delivery-records.ts"

export interface UndoReport {
  readonly target: string
  readonly from: string
  readonly to: string
}

/** Moves the target back to before the last delivery, unless it has moved on. */
export async function undo(
  context: Context,
  { merges, targets }: Pick<DeliveryPorts, "merges" | "targets">,
  asked: TeamName,
): Promise<UndoReport> {
  const name = await resolveRun(context, asked)
  await merges.recover()
  for (;;) {
    const { last } = await readDeliveries(merges, name)
    if (last === undefined) throw await nothingToUndo(merges, name)
    const { target, before, after } = last
    const now = await merges.find(branchRef(target))
    if (now === before) {
      // An interrupted delivery or undo. An earlier delivery is not meant.
      await noteUndone(merges, name, last)
      return { target, from: before, to: before }
    }
    if (now !== after) {
      const message = `${target} has gone on since the delivery; take the changes back on top of it with: ${takeBack(last)}`
      throw new AppError("deliver.refused", message, { target, before, after, now: now ?? null })
    }
    const checkout = await targets.findCheckout(target)
    if (checkout !== undefined && checkout.obstacle !== null) {
      throw new AppError("deliver.refused", `${target} was left as it is: ${checkout.obstacle}`, { target })
    }
    if (!(await targets.move({ branch: target, from: after, to: before, checkout }))) continue
    await noteUndone(merges, name, last)
    await recordDelivery(context, { ...name, type: "target.undone", target, from: after, to: before })
    return { target, from: after, to: before }
  }
}

function takeBack({ before, after }: Delivery): string {
  return `git diff --binary ${after} ${before} | git apply --3way --index`
}

/** An earlier run is closed, but its delivery may be the one that the person means. */
async function nothingToUndo(merges: DeliveryPorts["merges"], name: RunName): Promise<AppError> {
  for (let run = name.run - 1; run >= 1; run--) {
    const { last } = await readDeliveries(merges, { ...name, run })
    if (last === undefined) continue
    const message = `run ${name.run} of ${describeTeam(name)} delivered nothing, so there is nothing to take back; what run ${run} delivered to ${last.target} can be taken back with: ${takeBack(last)}`
    return new AppError("merge.nothing", message, { run: name.run, delivered: run })
  }
  return new AppError("merge.nothing", "nothing was delivered, so there is nothing to take back")
}
