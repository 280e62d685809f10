import { type Screen, table } from "../../lib/text/table.ts"
import { MODEL_TIERS, type ModelTier } from "../../planning/complexity/model-tier.ts"
import { describeRemedy } from "../heal-agent.ts"
import type { DatedPrice } from "../prices.ts"
import { type QuotaWindow, renderQuota } from "../quota.ts"

export interface AgentRow {
  readonly name: string
  readonly detection:
    | {
        readonly isAvailable: true
        readonly version: string
        readonly isLoggedIn: boolean | null
        readonly reach: string
        readonly missing: string | null
        readonly capabilities: object
      }
    | { readonly isAvailable: false; readonly why: string; readonly missing: string | null }
  readonly models: Readonly<Record<ModelTier, { readonly model: string | null; readonly price: DatedPrice | null }>>
  readonly rateLimitedUntil: string | null
  readonly leftOut: { readonly until: string; readonly cause: string; readonly isOpen: boolean } | null
  readonly quota: readonly QuotaWindow[]
}

export function agentFacts({ name, detection, rateLimitedUntil, leftOut, quota, models }: AgentRow) {
  const windows = quota.map(({ resetsAt, ...window }) => ({
    ...window,
    resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString(),
  }))
  return { name, ...detection, rateLimitedUntil, leftOut, quota: windows, models }
}

export function renderAgents(agents: readonly AgentRow[], screen: Screen): string {
  const abilities = table(
    [{ title: "AGENT" }, { title: "VERSION" }, { title: "LOGIN" }, { title: "ABILITIES", flexible: true }],
    agents.map(({ name, detection: found, rateLimitedUntil: until }) => {
      if (!found.isAvailable) return [name, "-", "-", `not available: ${found.why}`]
      const limit = until === null ? "" : `rate-limited until ${until}; `
      return [name, found.version, sayLogin(found.isLoggedIn), limit + sayAbilities(found.capabilities)]
    }),
    screen,
  )
  const models = table(
    [
      { title: "AGENT" },
      { title: "TIER" },
      { title: "MODEL", flexible: true },
      ...["INPUT", "CACHED", "OUTPUT"].map((title) => ({ title, align: "right" as const })),
      { title: "AS OF" },
    ],
    agents.flatMap(({ name, models }) =>
      MODEL_TIERS.flatMap((tier) => {
        const { model, price } = models[tier]
        return model === null ? [] : [[name, tier, model, ...priceCells(price)]]
      }),
    ),
    screen,
  )
  const reached = table(
    [{ title: "AGENT" }, { title: "REACHED BY" }],
    agents.map((agent) => [agent.name, renderReach(agent)]),
    // Never cut: a cut command cannot be typed.
    { ...screen, columns: Number.POSITIVE_INFINITY },
  )
  const notes = agents.flatMap(healthLines)
  const parts = [abilities, reached, ...(notes.length === 0 ? [] : [notes.join("\n")]), models]
  return `${parts.join("\n\n")}\n\nPrices in dollars per million tokens.`
}

export function renderReach({ detection }: Pick<AgentRow, "detection">): string {
  if (detection.missing !== null) return detection.missing
  if (!detection.isAvailable) return "-"
  return detection.reach || "-"
}

/** `codex is left out until ...: crashed: exit code 3. ...`, `claude: 82 % of 5 h window, resets 14:05` */
function healthLines({ name, leftOut, quota }: Pick<AgentRow, "name" | "leftOut" | "quota">): string[] {
  const windows = renderQuota(quota, (ms) => new Date(ms).toTimeString().slice(0, 5))
  return [
    ...(leftOut === null
      ? []
      : [`${name} is left out until ${leftOut.until}: ${leftOut.cause}. ${describeRemedy(name, leftOut.cause)}`]),
    ...(windows === "" ? [] : [`${name}: ${windows}`]),
  ]
}

function sayLogin(isLoggedIn: boolean | null): string {
  return isLoggedIn === null ? "unknown" : isLoggedIn ? "yes" : "no"
}

function sayAbilities(capabilities: object): string {
  const words = Object.entries(capabilities).flatMap(([name, has]) => (has === true ? [name] : []))
  return words.map((word) => word.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)).join(", ") || "-"
}

function priceCells(price: DatedPrice | null): string[] {
  if (price === null) return ["?", "?", "?", ""]
  return [price.input, price.cached, price.output].map(String).concat(price.asOf)
}

export function renderPrice(price: DatedPrice | null): string {
  if (price === null) return "price unknown"
  const { input, cached, output, asOf } = price
  return `$${input} in, $${cached} cached, $${output} out per million tokens${asOf === "" ? "" : ` (${asOf})`}`
}

export interface UsageFacts {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly dollars: number | null
  readonly dollarsAreEstimated?: boolean
}

/** Empty without usage. */
export function renderUsage({ inputTokens, outputTokens, dollars, dollarsAreEstimated }: UsageFacts): string {
  if (inputTokens + outputTokens === 0) return ""
  const cost = dollars === null ? "cost unknown" : `$${dollars.toFixed(4)}`
  return `${inputTokens} tokens in, ${outputTokens} out, ${cost}${dollarsAreEstimated === true ? " (estimated)" : ""}`
}
