import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Clock } from "../../lib/clock.ts"
import { builtInProfile, type RouteInput } from "../../planning/routing.ts"
import { leftOutUntil, sayCause } from "../agent-fault.ts"
import type { ReadyAgent } from "../jobs/run-job.ts"
import type { AgentHealth } from "../operations/agent-health.ts"
import type { Detection, Tier } from "../port.ts"
import { type DatedPrice, typicalCost } from "../prices.ts"
import { programOf } from "../program-of.ts"
import { isScarce, type QuotaWindow, sayQuota } from "../quota.ts"

/** An agent as it stands now, for whoever chooses one. */
export interface AgentStanding {
  readonly name: string
  readonly detection: Detection
  readonly models: Readonly<Record<Tier, ModelStanding>>
  readonly rateLimitedUntil: string | null
  /** The program failed, and is not used before that time; null when it may be used. */
  readonly leftOut: LeftOut | null
  /** What it last reported of its quota, as far as that still holds. */
  readonly quota: readonly QuotaWindow[]
}

export interface LeftOut {
  readonly until: string
  /** `crashed: exit code 3` */
  readonly cause: string
  /** It failed again and again, or waiting cannot heal it; otherwise it is used again in seconds. */
  readonly isOpen: boolean
}

export interface ModelStanding {
  /** Null where the agent takes its own. */
  readonly model: string | null
  readonly price: DatedPrice | null
}

export interface Survey {
  readonly ready: readonly ReadyAgent[]
  readonly home: string
  readonly clock: Clock
  readonly health: AgentHealth
  /** Ask every program again instead of going by what is remembered. */
  readonly isAnew?: boolean
}

/** Looks at all agents at once. What a program said of itself is remembered for a while, since asking takes seconds. */
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

/** A program that was installed, replaced or logged in since it failed is tried again at once. */
export function findLeftOut(health: AgentHealth, { agent, env }: Pick<ReadyAgent, "agent" | "env">): LeftOut | null {
  const fault = health.faults[agent.name]
  const until = fault && leftOutUntil(fault, Date.parse(health.now), agent.fingerprint(env))
  if (fault === undefined || until === undefined || until === null) return null
  return { until: new Date(until).toISOString(), cause: sayCause(fault), isOpen: fault.isOpen }
}

function switchedOff(name: string): Detection {
  const key = `agents.${programOf(name)}.enabled`
  return { isAvailable: false, why: `it is switched off by ${key}`, missing: `teamwork config set ${key} true` }
}

/** Installing, replacing and removing shows at once; these are for what no file tells. */
const MAX_AGE_MS = { available: 10 * 60_000, unavailable: 30_000 } as const

interface Remembered {
  readonly fingerprint: string
  readonly at: number
  readonly detection: Detection
}

async function detect({ agent, env }: ReadyAgent, how: Omit<Survey, "ready" | "health">): Promise<Detection> {
  const { home, clock, isAnew = false } = how
  const fingerprint = agent.fingerprint(env)
  // Found out without starting anything, so there is nothing to remember.
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
    const known: Partial<Remembered> = JSON.parse(readFileSync(file, "utf8"))
    const isWhole = typeof known.at === "number" && typeof known.detection?.isAvailable === "boolean"
    return isWhole ? (known as Remembered) : undefined
  } catch {
    return undefined // none yet, or damaged: then we ask
  }
}

function remember(file: string, known: Remembered): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}.tmp`
    writeFileSync(draft, `${JSON.stringify(known)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  } catch {
    // A home that cannot be written to costs time, and nothing else.
  }
}

/** What a choice among these agents goes by. */
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
    scarce: pick(({ quota }) => (isScarce(quota, scarcePercent) ? sayQuota(quota, sayTime) : undefined)),
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

/** Without a login a run would end before it began. Where that cannot be told, it may have one. */
function whyNot({ detection }: AgentStanding): string | undefined {
  if (!detection.isAvailable) return detection.why
  if (detection.isLoggedIn !== false) return undefined
  // What is missing goes on with the way out, which is for a person.
  return detection.missing?.split("; ")[0] ?? "nobody is logged in"
}
