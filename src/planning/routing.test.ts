import { describe, expect, it } from "bun:test"
import { builtInProfile, chooseRoute as chooseAmong, type RouteInput } from "./routing.ts"

const AGENT_PROFILES = ["claude", "codex", "gemini"].map(builtInProfile)
type Input = Partial<RouteInput> & Pick<RouteInput, "text">
const chooseRoute = (input: Input) => chooseAmong({ agents: AGENT_PROFILES, ...input })

const BACKEND = "Add an endpoint to the server"
const FRONTEND = "Add a button to the page"
const BOTH = "Link the API to the UI"
const NEITHER = "Rename the variable"

const NOW = "2026-01-01T12:00:00.000Z"
const LATER = "2026-01-01T12:30:00.000Z"
const LATEST = "2026-01-01T13:00:00.000Z"
const EARLIER = "2026-01-01T11:00:00.000Z"

const route = (text: string, input: Omit<Input, "text"> = {}) => {
  const { agent, agentType } = chooseRoute({ text, ...input })
  return `${agent} ${agentType}`
}
const without = (...names: string[]) => ({
  unavailable: Object.fromEntries(names.map((name) => [name, "not installed"])),
})

describe("the domain", () => {
  it.each([
    ["backend goes to codex", BACKEND, {}, "codex executor"],
    ["frontend goes to gemini", FRONTEND, {}, "gemini designer"],
    ["backend without codex goes to claude", BACKEND, without("codex"), "claude executor"],
    ["frontend without gemini goes to claude", FRONTEND, without("gemini"), "claude designer"],
    ["a tie goes to claude", BOTH, {}, "claude executor"],
    ["no signal at all goes to claude", NEITHER, {}, "claude executor"],
    [
      "a tie stays with claude, whatever the kind of work",
      "Refactor the auth module and the UI",
      {},
      "claude executor",
    ],
  ])("%s", (_, text, input, expected) => {
    expect(route(text, input)).toBe(expected)
  })

  it("leaves the model to the complexity", () => {
    const heavy = "Debug the crash of the auth server"
    expect(chooseRoute({ text: BACKEND })).toMatchObject({ agent: "codex", tier: "sonnet" })
    expect(chooseRoute({ text: "Fix a typo in the API" })).toMatchObject({ agent: "codex", tier: "haiku" })
    expect(chooseRoute({ text: heavy })).toMatchObject({ agent: "codex", tier: "sonnet" })
    expect(chooseRoute({ text: heavy, ...without("codex") })).toMatchObject({ agent: "claude", tier: "sonnet" })
    expect(chooseRoute({ text: heavy, complexity: "complex" })).toMatchObject({ tier: "opus" })
    expect(chooseRoute({ text: heavy, complexity: "complex", tier: "haiku" })).toMatchObject({ tier: "haiku" })
  })
})

describe("the kind of work", () => {
  it.each([
    ["Review the pull request", "codex code-reviewer"],
    ["Do a code review of the last commit", "codex code-reviewer"],
    ["Perform a security audit of the payment module", "codex security-reviewer"],
    ["Evaluate the architecture of the project", "codex architect"],
    ["Refactor the date parsing function", "codex executor"],
    ["Summarize the documentation", "gemini executor"],
    ["Translate the whole manual", "gemini executor"],
    ["Fix the failing tests until everything passes", "claude executor"],
    ["Run the test suite and make it green", "claude executor"],
    ["Coordinate the release", "claude executor"],
    ["Fix a word in the docs", "claude executor"],
    ["Refactor every file", "claude executor"], // not a scoped one
    ["Let people review what they bought", "claude executor"],
  ])("decides where no word names a domain: %j", (text, expected) => {
    expect(route(text)).toBe(expected)
  })

  it("takes large documents by their size too", () => {
    expect(route("Check the docs", { contextTokens: 150_000 })).toBe("gemini executor")
    expect(route("Check the docs", { contextTokens: 1_000 })).toBe("claude executor")
  })

  it("gives a review to a type that reviews, in any domain and with any agent", () => {
    expect(route("Review the API", {})).toBe("codex code-reviewer")
    expect(route("Review the API", without("codex"))).toBe("claude code-reviewer")
    expect(route("Review the start page", {})).toBe("gemini code-reviewer")
  })

  it("decides among those that are left", () => {
    expect(route(FRONTEND, without("gemini", "claude"))).toBe("codex designer")
    const agents = [...AGENT_PROFILES, { name: "opencode", kinds: ["ui" as const] }]
    expect(route(FRONTEND, { agents, ...without("gemini", "claude") })).toBe("opencode designer")
  })
})

describe("context limits", () => {
  it("are about 128K tokens for codex and 1M for gemini", () => {
    const limits = Object.fromEntries(AGENT_PROFILES.map(({ name, contextTokens }) => [name, contextTokens]))
    expect(limits).toMatchObject({ codex: 128_000, gemini: 1_000_000 })
  })

  it("pass an agent over whose context is too small", () => {
    expect(route(BACKEND, { contextTokens: 128_000 })).toBe("codex executor")
    expect(route(BACKEND, { contextTokens: 128_001 })).toBe("claude executor")
    expect(route(BACKEND, { contextTokens: 900_000 })).toBe("gemini executor")
    expect(chooseRoute({ text: BACKEND, contextTokens: 2_000_000 })).toMatchObject({ agent: null, retryAt: null })
  })

  it("do not hold for an agent of which none is known", () => {
    const agents = [...AGENT_PROFILES, { name: "opencode", kinds: [] }]
    expect(route(BACKEND, { agents, contextTokens: 2_000_000 })).toBe("opencode executor")
  })
})

describe("rate limits", () => {
  const until = (times: Record<string, string>) => ({ rateLimits: { now: NOW, until: times } })

  it("are remembered until they end", () => {
    expect(route(BACKEND, until({ codex: LATER }))).toBe("claude executor")
    expect(route(BACKEND, until({ codex: NOW }))).toBe("codex executor")
    expect(route(BACKEND, until({ codex: EARLIER }))).toBe("codex executor")
    expect(route(FRONTEND, until({ codex: LATER }))).toBe("gemini designer")
  })

  it("tell when to ask again if nobody is left", () => {
    const all = until({ codex: LATEST, claude: LATEST, gemini: LATER })
    expect(chooseRoute({ text: BACKEND, ...all })).toMatchObject({ agent: null, retryAt: LATER })
    // An agent that is missing as well does not come back by waiting.
    expect(chooseRoute({ text: BACKEND, ...all, ...without("gemini") })).toMatchObject({ retryAt: LATEST })
    expect(chooseRoute({ text: BACKEND, ...without("gemini", "codex", "claude") })).toMatchObject({
      agent: null,
      retryAt: null,
    })
  })
})

describe("the price", () => {
  const agents = [...AGENT_PROFILES, { name: "opencode", domain: "backend" as const, kinds: [] }]
  const prices = { codex: { haiku: 2, sonnet: 5 }, opencode: { haiku: 1, sonnet: 9 }, claude: { haiku: 0.1 } }

  it("decides between two equal ones, at the tier that is needed", () => {
    expect(route(BACKEND, { agents })).toBe("codex executor")
    expect(route(BACKEND, { agents, prices, tier: "haiku" })).toBe("opencode executor")
    expect(route(BACKEND, { agents, prices, tier: "sonnet" })).toBe("codex executor")
  })

  it("does not make up for a worse fit", () => {
    expect(route(BACKEND, { prices })).toBe("codex executor")
  })

  it("counts as the highest where it is unknown", () => {
    expect(route(BACKEND, { agents, prices: { opencode: { haiku: 50 } }, tier: "haiku" })).toBe("opencode executor")
    expect(route(BACKEND, { agents, prices: { opencode: { opus: 50 } } })).toBe("codex executor")
  })

  it("is named as a reason", () => {
    const { because } = chooseRoute({ text: BACKEND, agents, prices, tier: "haiku" })
    expect(because.at(-1)).toBe("opencode takes backend tasks, at the lower price")
  })
})

describe("what somebody asked for", () => {
  it("wins over everything", () => {
    expect(route(BACKEND, { agent: "gemini" })).toBe("gemini executor")
    expect(route(BACKEND, { agentType: "debugger" })).toBe("codex debugger")
    expect(route(BACKEND, { agent: "my-acp-agent", contextTokens: 5_000_000 })).toBe("my-acp-agent executor")
  })

  it("is a type of agent by default only where neither domain nor kind names one", () => {
    const defaultAgentType = "debugger"
    expect(route(BACKEND, { defaultAgentType })).toBe("codex debugger")
    expect(route(FRONTEND, { defaultAgentType })).toBe("gemini designer")
    expect(route("Review the API", { defaultAgentType })).toBe("codex code-reviewer")
  })

  it("includes the model that its type of agent always gets", () => {
    const modelOf = (type: string) => (type === "code-reviewer" ? ("opus" as const) : undefined)
    expect(chooseRoute({ text: "Review the API", modelOf, complexity: "simple" }).tier).toBe("opus")
    expect(chooseRoute({ text: "Review the API", modelOf, tier: "haiku" }).tier).toBe("haiku")
    expect(chooseRoute({ text: BACKEND, modelOf, complexity: "simple" }).tier).toBe("haiku")
  })

  it("wins even over what speaks against it, which is told", () => {
    const { agent, because } = chooseRoute({ text: BACKEND, agent: "gemini", ...without("gemini") })
    expect(agent).toBe("gemini")
    expect(because).toEqual(["gemini was asked for, although it is not available: not installed"])
  })
})

describe("the explanation", () => {
  it("has a sentence for every step", () => {
    const { because, passedOver } = chooseRoute({
      text: BACKEND,
      unavailable: { codex: "not logged in" },
      rateLimits: { now: NOW, until: { claude: LATER } },
    })
    expect(because).toEqual([
      "backend: 2 backend against 0 frontend signals",
      "codex was passed over: it is not available: not logged in",
      `claude was passed over: it is rate-limited until ${LATER}`,
      "gemini is what is left",
    ])
    expect(passedOver.map(({ agent }) => agent)).toEqual(["codex", "claude"])
  })

  it("tells when there is nothing to go by, and when nobody is left", () => {
    expect(chooseRoute({ text: NEITHER }).because).toEqual([
      "no word names a domain",
      "claude takes what has no better agent",
    ])
    expect(chooseRoute({ text: BACKEND, contextTokens: 2e6 }).because.at(-1)).toBe("no agent can take it now")
  })
})

describe("F035: programs that failed, and scarce quotas", () => {
  const now = "2026-01-01T00:00:00.000Z"
  const rateLimits = { now, until: {} }
  const leftOut = { codex: { until: "2026-01-01T00:05:00.000Z", cause: "crashed: exit code 3" } }
  const text = "Add a database migration for the API"

  it("leaves out a program that failed, says why, and knows when to ask again", () => {
    const route = chooseRoute({ text, rateLimits, leftOut })
    expect(route.agent).toBe("claude")
    expect(route.because.join("\n")).toContain(
      "codex was passed over: it is left out until 2026-01-01T00:05:00.000Z: crashed",
    )
    const unavailable = { claude: "not installed", gemini: "not installed" }
    expect(chooseRoute({ text, rateLimits, leftOut, unavailable })).toMatchObject({
      ...{ agent: null, retryAt: leftOut.codex.until },
    })
    // A program that vanished may come back.
    const gone = { ...unavailable, codex: "not installed" }
    expect(chooseRoute({ text, rateLimits, leftOut, unavailable: gone }).retryAt).toBe(leftOut.codex.until)
    const over = { ...rateLimits, now: "2026-01-01T00:06:00.000Z" }
    expect(chooseRoute({ text, rateLimits: over, leftOut }).agent).toBe("codex")
  })

  it("keeps a scarce program for the critical path, unless no other can take the task", () => {
    const scarce = { codex: "82 % of 5 h window" }
    expect(chooseRoute({ text, scarce, isCritical: true }).agent).toBe("codex")
    expect(chooseRoute({ text, scarce }).agent).toBe("codex")
    const spared = chooseRoute({ text, scarce, isCritical: false })
    expect(spared.agent).toBe("claude")
    expect(spared.because.join("\n")).toContain(
      "its quota is scarce (82 % of 5 h window) and kept for the critical path",
    )
    const unavailable = { claude: "not installed", gemini: "not installed" }
    const last = chooseRoute({ text, scarce, isCritical: false, unavailable })
    expect(last.agent).toBe("codex")
    expect(last.because.at(-1)).toContain("no other can take it")
  })
})
