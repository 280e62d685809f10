import { choice, type InputOf, number, optional } from "../../lib/fields.ts"
import { agentField, operation, teamFields } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { nextRateLimit } from "../rate-limit.ts"

/** What is remembered of rate limits, with the store's time to compare it with. */
export interface KnownRateLimits {
  readonly now: string
  /** Until when, by agent; one that is over is not among them. */
  readonly until: Readonly<Record<string, string>>
}

export const listRateLimits = operation({
  name: "agent.rate-limits",
  summary: "Tell which agents are rate-limited, and until when",
  input: {},
  run: ({ store }): Promise<KnownRateLimits> =>
    store.read(async (tx) => {
      const now = await tx.now()
      const limits = (await tx.rateLimits.list()).filter(({ until }) => until > now)
      const until = Object.fromEntries(limits.map((limit) => [limit.agent, iso(limit.until)]))
      return { now: iso(now), until }
    }),
})

const input = {
  ...teamFields,
  agent: agentField("which agent ran"),
  outcome: choice(["done", "rate-limited"], "how the run ended"),
  waitMs: optional(number("how long to wait, by the agent's word")),
  durationMs: number("how long the run took", { min: 0 }),
}

/**
 * Remembers that an agent ran into its rate limit, and forgets it when a run that began later went well. Durations and
 * not times, since the store's clock is not the one of whoever ran the agent. The team hears of it where there is one.
 */
export const noteAgentRun = operation({
  name: "agent.note-run",
  summary: "Note how a run of an agent ended, for whoever chooses one next",
  input,
  run: ({ store }, given): Promise<{ readonly until: string | null }> =>
    store.write(async (tx) => {
      const now = await tx.now()
      const { agent, waitMs = null } = given
      if (given.outcome === "done") {
        const isLifted = await tx.rateLimits.remove(agent, now - given.durationMs)
        if (isLifted) await tell(tx, given, { type: "agent.rate_limit_lifted", data: { agent } })
        return { until: null }
      }
      const limit = nextRateLimit(await tx.rateLimits.lock(agent), { agent, now, waitMs })
      await tx.rateLimits.put(limit)
      const until = iso(limit.until)
      await tell(tx, given, { type: "agent.rate_limited", data: { agent, until } })
      return { until }
    }),
})

async function tell(tx: Tx, { agent, ...name }: InputOf<typeof input>, event: Parameters<Tx["events"]["append"]>[2]) {
  const team = await tx.teams.find(name)
  if (team !== undefined) await tx.events.append(team.key, agent, event)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
