import { connectGates } from "../../delivery/merge-queue/connect-gates.ts"
import { mergeWave } from "../../delivery/merge-queue/merge-wave.ts"
import { recordRewritten } from "../../delivery/operations/record-delivery.ts"
import { latestLeftOut, type PartPorts } from "../../delivery/target/deliver-part.ts"
import { whyNotGreen } from "../../delivery/target/final-verdict.ts"
import { makeOwnIntegration } from "../../delivery/target/own-integration.ts"
import type { TeamName } from "../../kernel/team.ts"
import { resolvePath } from "../../lib/paths.ts"
import { listVerdicts } from "../../quality/operations/record-verdict.ts"
import type { Session } from "../command.ts"
import { lockMakerFor } from "./lock-maker-for.ts"
import { verifierFor } from "./verifier-for.ts"
import { renewHere } from "./workspace-tools.ts"

interface Place {
  readonly name: TeamName
  readonly sourceDir: string | undefined
  readonly isPartial: boolean
}

export async function openDelivery(session: Session, { name, sourceDir, isPartial }: Place): Promise<PartPorts> {
  const folder = resolvePath(sourceDir ?? ".", session.host.io.cwd)
  const merging = await (await session.configured()).merging(folder)
  const context = await session.context()
  const gates = connectGates(await verifierFor(session, { folder }), name)
  const verdicts = () => listVerdicts.run(context, name)
  const { merges } = merging
  const queue = { merges, gate: gates.gate, scope: gates.scope, makeLock: await lockMakerFor(session) }
  return {
    ...merging,
    own: makeOwnIntegration(context, merges, name),
    isPartial,
    finalGate: isPartial ? gates.partGate : gates.finalGate,
    listVerdicts: verdicts,
    noteRewritten: (rewritten) => recordRewritten(context, name, rewritten),
    leftOut: async () => latestLeftOut(await verdicts()),
    whyNotGreen: async (commit) => whyNotGreen(merges, await verdicts(), { commit, isPartial }),
    mergeFinished: () =>
      renewHere(session, {
        ...name,
        sourceDir,
        target: undefined,
        work: () => mergeWave(context, queue, { ...name, takesReviewed: true }),
      }),
  }
}
