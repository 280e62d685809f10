import { type Lead, renewLead } from "../../teams/operations/lead-team.ts"
import type { OrchestratorPorts } from "./engine-ports.ts"

type Ports = Pick<OrchestratorPorts, "context" | "sleep">

/** Renews the lease in time until disposed of. `lost` fires when somebody else leads. */
export function keepLead(ports: Ports, lead: Lead): AsyncDisposable & { readonly lost: AbortSignal } {
  const ended = new AbortController()
  const lost = new AbortController()
  const renewing = renewUntil(ports, lead, { ended: ended.signal, lose: () => lost.abort() })
  return {
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await renewing
    },
  }
}

async function renewUntil(
  { context, sleep }: Ports,
  lead: Lead,
  { ended, lose }: { readonly ended: AbortSignal; readonly lose: () => void },
): Promise<void> {
  while (!ended.aborted) {
    await sleep(lead.leaseMs / 3, ended)
    if (ended.aborted) return
    // A store that cannot be reached now may be there again before the lease ends; if not, somebody else takes over,
    // and the next renewal tells.
    const isOurs = await renewLead(context, lead).catch(() => true)
    if (!isOurs) return lose()
  }
}
