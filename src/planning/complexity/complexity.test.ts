import { describe, expect, it } from "bun:test"
import { COMPLEXITIES } from "../../tasks/task.ts"
import { analyzeComplexity, chooseTier, tierOf } from "./complexity.ts"
import { COMPLEXITY_OF, MODEL_TIERS, TIER_OF } from "./model-tier.ts"

const pointsOf = (text: string, facts = {}) =>
  Object.fromEntries(analyzeComplexity(text, facts).explanation.map(({ what, points }) => [what, points]))

describe("analyzeComplexity", () => {
  it("explains every point", () => {
    expect(analyzeComplexity("Why does the auth worker crash?")).toEqual({
      tier: "sonnet",
      score: 6,
      explanation: [
        { what: "debug", points: 2, because: '"crash"' },
        { what: "risk", points: 2, because: '"auth"' },
        { what: "why", points: 2, because: '"why"' },
      ],
    })
  })

  // One sentence that has nothing else in it, per weight.
  it.each([
    ["architecture", 3, "Sketch the architecture"],
    ["architecture", 3, "Make it event-driven"],
    ["debug", 2, "Look at the flaky thing"],
    ["debug", 2, "It stopped working"],
    ["risk", 2, "Rotate the credentials"],
    ["risk", 2, "It runs in production"],
    ["refactor", 2, "Restructure it"],
    ["refactor", 2, "Pay back the technical debt"],
    ["why", 2, "Why is it so?"],
    ["why", 2, "Explain why it is so"],
    ["long text", 1, "so ".repeat(100)],
    ["long text", 1, "so ".repeat(249)],
    ["long text", 2, "so ".repeat(250)],
    ["code", 1, "Look\n```\nx\n```"],
    ["subtasks", 3, "Paint the wall, the door and the fence"],
    ["subtasks", 3, "- a\n- b\n- c\n- d\n- e"],
    ["subtasks", 4, "- a\n- b\n- c\n- d\n- e\n- f"],
    ["cross-file", 2, "Merge a.ts into b.ts"],
    ["cross-file", 2, "It is spread across modules"],
    ["tests", 1, "Raise the coverage"],
    ["system-wide", 3, "Rename it in the whole repository"],
    ["multi-domain", 2, "Link the API to the UI"],
    ["multi-domain", 3, "Link the API to the UI in Docker"],
    ["irreversible", 1, "Purge the archive"],
    ["irreversible", 1, "Drop the old users table"],
    ["irreversible", 1, "This cannot be undone"],
  ])("gives %s %d points: %j", (what, points, text) => {
    expect(pointsOf(text)).toEqual({ [what]: points })
  })

  it.each([
    ["two parts", "Paint the wall and the door"],
    ["99 words", "so ".repeat(99)],
    ["a single file", "Change a.ts"],
    ["a reason that is known already", "That is why it was removed"],
    ["tests that are not wanted", "Do it without tests"],
    ["a list with one item", "- only this"],
    ["prose between commas", "In the end, which nobody saw coming, because it was late, it went well"],
    ["a question with a list", "Is it red, green or blue, or none of them?"],
    ["inline code", "Rename `a` to `b`"],
  ])("gives no point for %s", (_, text) => {
    expect(pointsOf(text)).toEqual({})
  })

  it("gives each kind of points once", () => {
    expect(pointsOf("Debug the crash, and debug the deadlock")).toEqual({ debug: 2 })
  })

  it("does not take a word in passing for a second domain", () => {
    expect(pointsOf("The page layout has a button that calls the API")).toEqual({})
  })

  it("goes by facts before it guesses", () => {
    const text = "Paint the wall, the door and the fence of a.ts and b.ts, with tests"
    expect(pointsOf(text)).toEqual({ subtasks: 3, "cross-file": 2, tests: 1 })
    expect(pointsOf(text, { subtasks: 1, files: 1, hasTests: false })).toEqual({})
    expect(pointsOf("Paint", { subtasks: 6, files: 2, hasTests: true })).toEqual({
      subtasks: 4,
      "cross-file": 2,
      tests: 1,
    })
    expect(pointsOf("Paint", { subtasks: 2, files: 0 })).toEqual({})
  })
})

describe("tiers", () => {
  it("are haiku below 4, sonnet below 8, and opus from 8 on", () => {
    expect([0, 3, 4, 7, 8, 30].map(tierOf)).toEqual(["haiku", "haiku", "sonnet", "sonnet", "opus", "opus"])
  })

  it("match the complexities of tasks both ways", () => {
    expect(COMPLEXITIES.map((complexity) => TIER_OF[complexity])).toEqual(["haiku", "sonnet", "opus"])
    expect(MODEL_TIERS.map((tier) => TIER_OF[COMPLEXITY_OF[tier]])).toEqual([...MODEL_TIERS])
  })
})

describe("chooseTier", () => {
  const text = "Fix the typo"

  it("takes what was named, then the plan's word, then what the text shows", () => {
    expect(chooseTier({ text, tier: "opus", complexity: "standard" })).toMatchObject({
      tier: "opus",
      because: "it was asked for",
    })
    expect(chooseTier({ text, complexity: "standard" })).toMatchObject({
      tier: "sonnet",
      because: "the task is planned as standard",
    })
    expect(chooseTier({ text })).toMatchObject({ tier: "haiku", score: 0, because: 'words ("typo") makes it simple' })
  })

  it("F040: gives hard work to the largest model, however short its title is", () => {
    for (const [hard, because] of [
      ["Deadlock in the connection pool", 'concurrency ("Deadlock") makes it complex'],
      ["Memory leak in the websocket server", 'cause ("Memory leak") makes it complex'],
      ["Port from Python to Rust", 'port ("Port") makes it complex'],
      ["SQL injection in the report filter", 'security ("SQL injection") makes it complex'],
      ["Migrate the accounts to PostgreSQL", 'migration ("Migrate") makes it complex'],
    ] as const)
      expect(chooseTier({ text: hard })).toMatchObject({ tier: "opus", because })
  })

  it("F040: never lowers what the beginning of a text shows when more text follows", () => {
    const more = " Nobody has touched this part since, and the people who wrote it have left.".repeat(60)
    for (const start of ["Deadlock in the pool", "Add a page", "The worker loses stored data", "Fix the typo"]) {
      const rank = (each: string) => MODEL_TIERS.indexOf(chooseTier({ text: each }).tier)
      expect(rank(`${start}\n${more}`)).toBeGreaterThanOrEqual(rank(start))
    }
  })

  it("F040: takes team.defaultModel where the text shows nothing", () => {
    const because = "no words show that it is simple or complex, and team.defaultModel is sonnet"
    for (const unknown of [
      "",
      "  ",
      "修复登录页面的错误",
      "Füge bitte noch einen Knopf zur Profilseite hinzu",
      "Add a page",
    ])
      expect(chooseTier({ text: unknown })).toMatchObject({ tier: "sonnet", because })
    expect(chooseTier({ text: "Add a page", defaultModel: "haiku" }).tier).toBe("haiku")
    expect(chooseTier({ text: "Add a page", defaultModel: "opus" }).tier).toBe("opus")
    expect(chooseTier({ text, defaultModel: "opus" }).tier).toBe("haiku")
    expect(chooseTier({ text: "Deadlock", defaultModel: "haiku" }).tier).toBe("opus")
  })

  it("never goes below the score", () => {
    const facts = { subtasks: 6, files: 4 }
    expect(chooseTier({ text: "重构JWT", facts, defaultModel: "haiku" })).toMatchObject({ score: 8, tier: "opus" })
    const medium = chooseTier({ text: "Add a page", facts: { subtasks: 9 }, defaultModel: "haiku" })
    expect(medium).toMatchObject({ tier: "sonnet", because: "the score is 4" })
  })

  it("holds to the worked example of a login", () => {
    expect(chooseTier({ text: "Add user authentication with JWT" }).tier).toBe("sonnet")
    expect(chooseTier({ text: "Refactor auth module and update login UI" }).tier).toBe("sonnet")
  })

  it("does not take words about a hard subject for hard work", () => {
    expect(chooseTier({ text: "Typo in the deadlock chapter" }).tier).toBe("haiku")
    expect(chooseTier({ text: "Show a hint when caps lock is on" }).tier).toBe("sonnet")
  })

  it("goes by the role where that has a model of its own", () => {
    const role = { name: "final-verifier", model: "opus" as const }
    expect(chooseTier({ text, role, complexity: "simple" })).toMatchObject({
      tier: "opus",
      because: "final-verifier always gets it",
    })
    expect(chooseTier({ text, role, tier: "haiku" })).toMatchObject({ tier: "haiku", because: "it was asked for" })
    expect(chooseTier({ text, role: { name: "executor", model: undefined }, complexity: "complex" }).tier).toBe("opus")
  })
})
