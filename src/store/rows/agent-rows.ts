import type { AgentFault } from "../../agents/agent-fault.ts"
import type { AgentQuota } from "../../agents/quota.ts"
import type { RateLimit } from "../../agents/rate-limit.ts"
import type { AgentFaultStore, AgentQuotaStore, RateLimitStore } from "../port.ts"
import { insertRow, replaced, type Session } from "./sql-session.ts"
import { flag, json, table } from "./sql-table.ts"

type FaultRow = Omit<AgentFault, "probe"> & { readonly probeBy: string | null; readonly probeUntil: number | null }

const FAULT = table<FaultRow>("agent_fault", {
  agent: "agent",
  reason: "reason",
  error: "error",
  faults: "faults",
  until: "until",
  fingerprint: "fingerprint",
  isOpen: flag("is_open"),
  notedAt: "noted_at",
  probeBy: "probe_by",
  probeUntil: "probe_until",
  hasAnswered: flag("has_answered"),
})

export function agentFaultStore(session: Session): AgentFaultStore {
  return {
    list: async () => (await FAULT.list(session, "order by agent")).map(toFault),
    async lock(agent) {
      const row = await FAULT.find(session, `where agent = ?${session.forUpdate}`, [agent])
      return row && toFault(row)
    },
    async put({ probe, ...fault }) {
      // Usually the caller has locked the row. Two callers that found none meet here, and the later one wins.
      const row = FAULT.toRow({ ...fault, probeBy: probe?.by ?? null, probeUntil: probe?.until ?? null })
      await insertRow(session, "agent_fault", row, `on conflict (agent) do update set ${replaced(...Object.keys(row))}`)
    },
    remove: (agent) => removeAgent(session, "agent_fault", agent),
  }
}

function toFault({ probeBy, probeUntil, hasAnswered, ...fault }: FaultRow): AgentFault {
  const probe = probeBy === null || probeUntil === null ? null : { by: probeBy, until: probeUntil }
  return { ...fault, probe, hasAnswered }
}

const QUOTA = table<AgentQuota>("agent_quota", { agent: "agent", notedAt: "noted_at", windows: json("windows") })

export function agentQuotaStore(session: Session): AgentQuotaStore {
  return {
    list: () => QUOTA.list(session, "order by agent"),
    async put(quota) {
      const update = `on conflict (agent) do update set ${replaced("noted_at", "windows")}`
      await insertRow(session, "agent_quota", QUOTA.toRow(quota), update)
    },
    remove: (agent) => removeAgent(session, "agent_quota", agent),
  }
}

const LIMIT = table<RateLimit>("rate_limit", { agent: "agent", notedAt: "noted_at", until: "until", times: "times" })

export function rateLimitStore(session: Session): RateLimitStore {
  return {
    list: () => LIMIT.list(session, "order by agent"),
    lock: (agent) => LIMIT.find(session, `where agent = ?${session.forUpdate}`, [agent]),
    async put(limit) {
      const later = (column: string) =>
        `${column} = case when rate_limit.${column} > excluded.${column} then rate_limit.${column} else excluded.${column} end`
      const update = `${replaced("times")}, ${later("noted_at")}, ${later("until")}`
      await insertRow(session, "rate_limit", LIMIT.toRow(limit), `on conflict (agent) do update set ${update}`)
    },
    remove: (agent, notedBefore) => removeAgent(session, "rate_limit", agent, notedBefore),
  }
}

/** Returns whether there was a row to remove. */
async function removeAgent(session: Session, from: string, agent: string, notedBefore?: number): Promise<boolean> {
  const older = notedBefore === undefined ? "" : " and noted_at < ?"
  const params = notedBefore === undefined ? [agent] : [agent, notedBefore]
  return (await session.get(`delete from ${from} where agent = ?${older} returning agent`, params)) !== undefined
}
