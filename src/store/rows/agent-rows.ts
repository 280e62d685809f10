import type { AgentFault } from "../../agents/agent-fault.ts"
import type { AgentQuota } from "../../agents/quota.ts"
import type { AgentFaultStore, AgentQuotaStore } from "../port.ts"
import type { Session } from "./sql-session.ts"

interface FaultRow {
  agent: string
  reason: string
  error: string
  faults: number
  is_open: number
  noted_at: number
  until: number
  fingerprint: string | null
  probe_by: string | null
  probe_until: number | null
  has_answered: number
}

const FAULT = "agent, reason, error, faults, is_open, noted_at, until, fingerprint, probe_by, probe_until, has_answered"
const REPLACED = ["reason", "error", "faults", "is_open", "fingerprint", "probe_by", "probe_until", "has_answered"]

export function agentFaultStore(session: Session): AgentFaultStore {
  return {
    async list() {
      return (await session.all<FaultRow>(`select ${FAULT} from agent_fault order by agent`)).map(toFault)
    },
    async lock(agent) {
      const query = `select ${FAULT} from agent_fault where agent = ?${session.forUpdate}`
      const row = await session.get<FaultRow>(query, [agent])
      return row && toFault(row)
    },
    async put({ agent, reason, error, faults, isOpen, notedAt, until, fingerprint, probe, hasAnswered }) {
      // Whoever locked the row writes it as it is to be. Only two that found none meet here without a lock.
      await session.run(
        `insert into agent_fault (${FAULT}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         on conflict (agent) do update set noted_at = excluded.noted_at, until = excluded.until,
           ${REPLACED.map((column) => `${column} = excluded.${column}`).join(", ")}`,
        [
          ...[agent, reason, error, faults, isOpen ? 1 : 0, notedAt, until, fingerprint],
          ...[probe?.by ?? null, probe?.until ?? null, hasAnswered ? 1 : 0],
        ],
      )
    },
    async remove(agent) {
      return (await session.get("delete from agent_fault where agent = ? returning agent", [agent])) !== undefined
    },
  }
}

function toFault(row: FaultRow): AgentFault {
  const { agent, reason, error, faults, until, fingerprint, probe_by: by, probe_until: probeUntil } = row
  return {
    ...{ agent, reason, error, faults, until, fingerprint, isOpen: row.is_open === 1, notedAt: row.noted_at },
    probe: by === null || probeUntil === null ? null : { by, until: probeUntil },
    hasAnswered: row.has_answered === 1,
  }
}

export function agentQuotaStore(session: Session): AgentQuotaStore {
  return {
    async list() {
      const rows = await session.all<{ agent: string; noted_at: number; windows: string }>(
        "select agent, noted_at, windows from agent_quota order by agent",
      )
      return rows.map(({ agent, noted_at: notedAt, windows }) => ({ agent, notedAt, windows: JSON.parse(windows) }))
    },
    async put({ agent, notedAt, windows }: AgentQuota) {
      await session.run(
        `insert into agent_quota (agent, noted_at, windows) values (?, ?, ?)
         on conflict (agent) do update set noted_at = excluded.noted_at, windows = excluded.windows`,
        [agent, notedAt, JSON.stringify(windows)],
      )
    },
    async remove(agent) {
      return (await session.get("delete from agent_quota where agent = ? returning agent", [agent])) !== undefined
    },
  }
}
