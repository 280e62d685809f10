import { deliver } from "../../delivery/target/deliver.ts"
import { preparePart } from "../../delivery/target/deliver-part.ts"
import { short } from "../../delivery/views/merge-view.ts"
import { renderPart, sayLeftOut } from "../../delivery/views/part-view.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { describeFinished, type FinishedPart, finishedPart } from "../../reporting/finished-part.ts"
import { lookAtTeam } from "../../reporting/operations/look-at-team.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import type { Session } from "../command.ts"
import { openDelivery } from "./deliver-here.ts"

interface Offer {
  readonly part: FinishedPart
  readonly lines: readonly string[]
}

/**
 * Offers to deliver the finished part of a run that is stuck: shows the changes and asks at a terminal, else prints
 * the command. Undefined if nothing is finished.
 */
export async function offerPart(
  session: Session,
  { name, sourceDir }: { readonly name: TeamName; readonly sourceDir: string | undefined },
): Promise<Offer | undefined> {
  const part = finishedPart(await lookAtTeam(await session.context(), name))
  if (part === undefined) return undefined
  const command = `${describeFinished(part)}; deliver what passes the final gate with: ${part.command}`
  const { io } = session.host
  if (!io.canAsk || session.isJsonAsked) return { part, lines: [command] }
  try {
    return { part, lines: await askAndDeliver(session, { name, sourceDir, command }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { part, lines: [`What is finished cannot be delivered by itself: ${error.message}`] }
  }
}

async function askAndDeliver(
  session: Session,
  { name, sourceDir, command }: { name: TeamName; sourceDir: string | undefined; command: string },
): Promise<string[]> {
  const { io } = session.host
  const ports = await openDelivery(session, { name, sourceDir, isPartial: true })
  const offered = await preparePart(ports, await resolveRun(await session.context(), name))
  if (offered === undefined) return []
  io.out(renderPart(offered, io))
  const answer = (await io.ask("\nDeliver it without the rest? [y/N] "))?.trim().toLowerCase() ?? ""
  if (answer !== "y" && answer !== "yes") return [command]
  const { target, from, to, leftOut } = await deliver(await session.context(), ports, name)
  return [
    `${target} moved from ${short(from)} to ${short(to)}; take it back with: teamwork undo`,
    ...sayLeftOut(leftOut),
  ]
}
