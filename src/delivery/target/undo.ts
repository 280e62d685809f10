import { branchRef } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { recordDelivery } from "../operations/record-delivery.ts"
import type { DeliveryPorts } from "./deliver.ts"
import { noteUndone, readDeliveries } from "./delivery-records.ts"

export interface UndoReport {
  readonly target: string
  readonly from: string
  readonly to: string
}

/** Takes the last delivery back: the target returns to where it was, unless it has gone on since. */
export async function undo(
  context: Context,
  { merges, targets }: Pick<DeliveryPorts, "merges" | "targets">,
  asked: TeamName,
): Promise<UndoReport> {
  const name = await resolveRun(context, asked)
  await merges.recover()
  for (;;) {
    const { last } = await readDeliveries(merges, name)
    if (last === undefined)
      throw new AppError("merge.nothing", "nothing was delivered, so there is nothing to take back")
    const { target, before, after } = last
    const now = await merges.find(branchRef(target))
    if (now === before) {
      // Interrupted: either it never came, or it was taken back and that was not noted. An earlier one is not meant.
      await noteUndone(merges, name, last)
      return { target, from: before, to: before }
    }
    if (now !== after) {
      const command = `git diff --binary ${after} ${before} | git apply --3way --index`
      const message = `${target} has gone on since the delivery; take the changes back on top of it with: ${command}`
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
