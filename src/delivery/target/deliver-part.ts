import { findIntegration } from "../../git/integration.ts"
import { branchRef } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import { type LeftOut, listLeftOut } from "../../quality/left-out.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { OfferedPart } from "../offered-part.ts"
import { type DeliveryPorts, makeReady } from "./deliver.ts"

export interface PartPorts extends DeliveryPorts {
  readonly finalGate: (commit: string) => Promise<void>
  readonly mergeFinished: () => Promise<unknown>
  readonly listVerdicts: () => Promise<readonly Verdict[]>
}

/**
 * Merges finished work and runs the final gate on it. The target does not change. Undefined when the target has all
 * of it.
 */
export async function preparePart(ports: PartPorts, name: RunName): Promise<OfferedPart | undefined> {
  const { merges } = ports
  await ports.mergeFinished()
  const integration = await findIntegration(merges, name)
  if (integration !== undefined) {
    const at = await merges.find(branchRef(integration.target))
    if (at !== undefined && (await merges.contains(at, integration.tip))) return undefined
    await ports.finalGate(integration.tip)
  }
  const { target, from, to } = await makeReady(ports, name)
  if (from === to) return undefined
  return { target, files: await merges.changes(from, to), leftOut: latestLeftOut(await ports.listVerdicts()) }
}

export function latestLeftOut(verdicts: readonly Verdict[]): readonly LeftOut[] {
  const last = verdicts.findLast(({ scope, status }) => scope === "final" && status !== "skipped")
  return last === undefined ? [] : (listLeftOut(last) ?? [])
}
