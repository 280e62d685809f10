import { describe, expect, it } from "bun:test"
import { type AgentRow, renderAgents, renderUsage } from "./agents-view.ts"

const SCREEN = { columns: 120, color: false }
const price = { input: 1.25, cached: 0.125, output: 10, asOf: "2026-06-04" }
const none = { model: null, price: null }

const claude: AgentRow = {
  name: "claude",
  detection: {
    isAvailable: true,
    version: "2.1",
    isLoggedIn: null,
    reach: "ANTHROPIC_API_KEY at http://127.0.0.1:1",
    missing: null,
    capabilities: { resume: true, structuredAnswer: true, mcp: false },
  },
  models: { haiku: { model: "haiku", price }, sonnet: { model: "mine", price: null }, opus: none },
  ...{ rateLimitedUntil: null, leftOut: null, quota: [] },
}

describe("agent list", () => {
  it("shows how each stands, and what its models cost", () => {
    const limited = { ...claude, name: "codex", rateLimitedUntil: "2026-01-01T12:30:00.000Z" }
    const missing = {
      ...{
        name: "acp",
        detection: { isAvailable: false, why: "x is not installed", missing: "install it with: y" } as const,
        rateLimitedUntil: null,
        leftOut: null,
        quota: [],
      },
      models: { haiku: none, sonnet: none, opus: none },
    }
    expect(renderAgents([claude, limited, missing], SCREEN)).toBe(
      [
        "AGENT   VERSION  LOGIN    ABILITIES",
        "claude  2.1      unknown  resume, structured answer",
        "codex   2.1      unknown  rate-limited until 2026-01-01T12:30:00.000Z; resume, structured answer",
        "acp     -        -        not available: x is not installed",
        "",
        "AGENT   REACHED BY",
        "claude  ANTHROPIC_API_KEY at http://127.0.0.1:1",
        "codex   ANTHROPIC_API_KEY at http://127.0.0.1:1",
        "acp     install it with: y",
        "",
        "AGENT   TIER    MODEL  INPUT  CACHED  OUTPUT  AS OF",
        "claude  haiku   haiku   1.25   0.125      10  2026-06-04",
        "claude  sonnet  mine       ?       ?       ?",
        "codex   haiku   haiku   1.25   0.125      10  2026-06-04",
        "codex   sonnet  mine       ?       ?       ?",
        "",
        "Prices in dollars per million tokens.",
      ].join("\n"),
    )
  })

  it("shows what to type in full on a narrow screen", () => {
    const missing = "not logged in; run: CLAUDE_CONFIG_DIR=~/.claude-work claude, and type /login there"
    const row = { ...claude, name: "claude@work", detection: { ...claude.detection, missing } }
    expect(renderAgents([row], { columns: 40, color: false }).split("\n")).toContain(`claude@work  ${missing}`)
  })
})

describe("usage", () => {
  const used = { inputTokens: 1200, outputTokens: 34 }

  it("says what it cost, what we reckon it cost, or that nobody knows", () => {
    expect(renderUsage({ ...used, dollars: 0.01234 })).toBe("1200 tokens in, 34 out, $0.0123")
    expect(renderUsage({ ...used, dollars: 0.01, dollarsAreEstimated: true })).toBe(
      "1200 tokens in, 34 out, $0.0100 (estimated)",
    )
    expect(renderUsage({ ...used, dollars: null })).toBe("1200 tokens in, 34 out, cost unknown")
    expect(renderUsage({ inputTokens: 0, outputTokens: 0, dollars: null })).toBe("")
  })
})
