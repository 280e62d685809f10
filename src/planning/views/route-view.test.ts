import { expect, it } from "bun:test"
import type { AgentRow } from "../../agents/views/agents-view.ts"
import { builtInProfile, chooseRoute, type RouteInput } from "../routing.ts"
import { type RouteView, renderRoute, routeFacts } from "./route-view.ts"

const LATER = "2026-01-01T12:30:00.000Z"
const price = { input: 5, cached: 0.5, output: 30, asOf: "2026-06-04" }
const unknown = { model: null, price: null }
const models = { haiku: { model: "tiny", price }, sonnet: { model: "mine", price: null }, opus: unknown }

function agent(name: string, change: Partial<AgentRow> = {}): AgentRow {
  const detection = {
    isAvailable: true,
    version: "1.0",
    isLoggedIn: true,
    reach: "",
    missing: null,
    capabilities: {},
  } as const
  return { name, detection, models, rateLimitedUntil: null, leftOut: null, quota: [], ...change }
}

const standings = [
  agent("claude", { rateLimitedUntil: LATER }),
  agent("codex"),
  agent("gemini", { detection: { isAvailable: false, why: "gemini is not\n\u001b[31minstalled", missing: null } }),
]

function view(change: Partial<RouteInput> = {}, text = "Fix a typo in the API"): RouteView {
  const agents = standings.map(({ name }) => builtInProfile(name))
  return { route: chooseRoute({ text, agents, ...change }), effort: "high", standings }
}

it("shows agent, model, price and effort", () => {
  expect(renderRoute(view(), false)).toBe(
    [
      "Domain      backend",
      "Complexity  0, simple",
      "Agent       codex as executor",
      "Model       haiku: tiny, $5 in, $0.5 cached, $30 out per million tokens (2026-06-04)",
      "Effort      high",
    ].join("\n"),
  )
  expect(renderRoute(view({ tier: "sonnet" }), false)).toContain("\nModel       sonnet: mine, price unknown\n")
  expect(renderRoute(view({ tier: "opus" }), false)).toContain("\nModel       opus\n")
  expect(routeFacts(view(), false)).toEqual({
    ...{ domain: "backend", score: 0, tier: "haiku", complexity: "simple", agent: "codex", agentType: "executor" },
    ...{ model: "tiny", price, effort: "high", passedOver: [], retryAt: null },
  })
})

it("shows who was passed over, and when nobody is left until when", () => {
  const until = { codex: LATER, claude: LATER }
  const nobody = view({ unavailable: { gemini: "no key" }, rateLimits: { now: "2026-01-01T12:00:00.000Z", until } })
  expect(renderRoute(nobody, false)).toContain(`\nAgent       none before ${LATER} as executor\nModel       haiku\n`)
  expect(renderRoute(nobody, false)).toEndWith(
    [
      "",
      "",
      `codex was passed over: it is rate-limited until ${LATER}`,
      `claude was passed over: it is rate-limited until ${LATER}`,
      "gemini was passed over: it is not available: no key",
    ].join("\n"),
  )
  expect(routeFacts(nobody, false)).toMatchObject({ agent: null, model: null, price: null, retryAt: LATER })
  const unavailable = { claude: "x", codex: "x", gemini: "x" }
  expect(renderRoute(view({ unavailable }), true)).toContain("\nAgent       none as executor\n")
})

it("explains how every agent stands", () => {
  expect(renderRoute(view(), true)).toContain(
    [
      "",
      "Agents",
      `  claude    rate-limited until ${LATER}, $5 in, $0.5 cached, $30 out per million tokens (2026-06-04)`,
      "  codex     available, $5 in, $0.5 cached, $30 out per million tokens (2026-06-04)",
      "  gemini    not available: gemini is not [31minstalled, $5 in, $0.5 cached, $30 out per million tokens (2026-06-04)",
      "",
    ].join("\n"),
  )
  expect(routeFacts(view(), true)).toMatchObject({
    agents: [
      { name: "claude", isAvailable: true, why: null, rateLimitedUntil: LATER, model: "tiny", price },
      { name: "codex", isAvailable: true, isLoggedIn: true, rateLimitedUntil: null },
      { name: "gemini", isAvailable: false, why: expect.stringContaining("installed"), isLoggedIn: null },
    ],
  })
})

it("keeps every line of what it quotes harmless", () => {
  expect(renderRoute(view({}, "Fix src/a\u001b[31m.ts and src/b.ts"), true)).not.toContain("\u001b")
})
