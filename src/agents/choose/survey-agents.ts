import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as v from "valibot"
import type { Clock } from "../../lib/clock.ts"
import { builtInProfile, type RouteInput } from "../../planning/routing.ts"
import { leftOutUntil, renderCause } from "../agent-fault.ts"
import type { ReadyAgent } from "../jobs/run-job.ts"
import type { AgentHealth } from "../operations/agent-health.ts"
import type { Detection, Tier } from "../port.ts"
import { type DatedPrice, typicalCost } from "../prices.ts"
import { programOf } from "../program-of.ts"
import { isScarce, type QuotaWindow, renderQuota } from "../quota.ts"

export interface AgentStanding {
  readonly name: string
  readonly detection: Detection
  readonly models: Readonly<Record<Tier, ModelStanding>>
  readonly rateLimitedUntil: string | null
  /** Null when it may be used. */
  readonly leftOut: LeftOut | null
  readonly quota: readonly QuotaWindow[]
}

export interface LeftOut {
  readonly until: string
  /** `crashed: exit code 3` */
  readonly cause: string
  /** It failed repeatedly, or waiting cannot help; otherwise it is used again in seconds. */
  readonly isOpen: boolean
}

export interface ModelStanding {
  /** Null where the agent chooses. */
  readonly model: string | null
  readonly price: DatedPrice | null
}

export interface Survey {
  readonly ready: readonly ReadyAgent[]
  readonly home: string
  readonly clock: Clock
  readonly health: AgentHealth
  /** Ignore the cache. */
  readonly isAnew?: boolean
}

/** Caches the answers of programs for a while, because asking takes seconds. */
export function surveyAgents({ ready, health, ...how }: Survey): Promise<AgentStanding[]> {
  return Promise.all(
    ready.map(async (each) => ({
      name: each.agent.name,
      detection: each.isEnabled ? await detect(each, how) : switchedOff(each.agent.name),
      models: each.models,
      rateLimitedUntil: health.until[each.agent.name] ?? null,
      leftOut: findLeftOut(health, each),
      quota: health.quotas[each.agent.name] ?? [],
    })),
  )
}

/** A program with a new installation or login since its fault is tried again at once. */
export function findLeftOut(health: AgentHealth, { agent, env }: Pick<ReadyAgent, "agent" | "env">): LeftOut | null {
  const fault = health.faults[agent.name]
  const until = fault && leftOutUntil(fault, Date.parse(health.now), agent.fingerprint(env))
  if (fault === undefined || until === undefined || until === null) return null
  return { until: new Date(until).toISOString(), cause: renderCause(fault), isOpen: fault.isOpen }
}

function switchedOff(name: string): Detection {
  const key = `agents.${programOf(name)}.enabled`
  return { isAvailable: false, why: `it is switched off by ${key}`, missing: `teamwork config set ${key} true` }
}

/** A new installation shows at once; this is for changes that no file shows. */
const MAX_AGE_MS = { available: 10 * 60_000, unavailable: 30_000 } as const

const remembered = v.looseObject({
  fingerprint: v.string(),
  at: v.number(),
  detection: v.custom<Detection>((value) => v.is(v.looseObject({ isAvailable: v.boolean() }), value)),
})
type Remembered = v.InferOutput<typeof remembered>

async function detect({ agent, env }: ReadyAgent, how: Omit<Survey, "ready" | "health">): Promise<Detection> {
  const { home, clock, isAnew = false } = how
  const fingerprint = agent.fingerprint(env)
  // Starts nothing, so needs no cache.
  if (fingerprint === null) return agent.detect(env)
  const file = join(home, "agents", `${agent.name}.json`)
  const known = isAnew ? undefined : recall(file)
  if (known?.fingerprint === fingerprint && isYoung(known, clock.now())) return known.detection
  const detection = await agent.detect(env)
  remember(file, { fingerprint, at: clock.now(), detection })
  return detection
}

function isYoung({ at, detection }: Remembered, now: number): boolean {
  const age = now - at
  return age >= 0 && age < MAX_AGE_MS[detection.isAvailable ? "available" : "unavailable"]
}

function recall(file: string): Remembered | undefined {
  try {
    return v.parse(remembered, JSON.parse(readFileSync(file, "utf8")))
  } catch {
    return undefined // missing or damaged: ask the program
  }
}

function remember(file: string, known: Remembered): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}.tmp`
    writeFileSync(draft, `${JSON.stringify(known)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  } catch {
    // The cache only saves time.
  }
}

export function routeInputOf(
  standings: readonly AgentStanding[],
  now: string,
  scarcePercent = 0,
): Required<Pick<RouteInput, "agents" | "unavailable" | "rateLimits" | "leftOut" | "scarce" | "prices">> {
  const pick = <T>(valueIn: (each: AgentStanding) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      standings.flatMap((each) => {
        const value = valueIn(each)
        return value === undefined ? [] : [[each.name, value]]
      }),
    )
  return {
    agents: standings.map(({ name }) => builtInProfile(name)),
    unavailable: pick(whyNot),
    rateLimits: { now, until: pick((each) => each.rateLimitedUntil ?? undefined) },
    leftOut: pick((each) => each.leftOut ?? undefined),
    scarce: pick(({ quota }) => (isScarce(quota, scarcePercent) ? renderQuota(quota, sayTime) : undefined)),
    prices: pick(({ models }) =>
      Object.fromEntries(
        Object.entries(models).flatMap(([tier, { price }]) => (price === null ? [] : [[tier, typicalCost(price)]])),
      ),
    ),
  }
}

function sayTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Without a login a run would fail at once. An unknown login may exist. */
function whyNot({ detection }: AgentStanding): string | undefined {
  if (!detection.isAvailable) return detection.why
  if (detection.isLoggedIn !== false) return undefined
  // The rest is advice for a person.
  return detection.missing?.split("; ")[0] ?? "not logged in"
}
