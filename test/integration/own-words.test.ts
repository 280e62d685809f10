// The words that teamwork itself adds to what an agent reads are paid for with every run. These are their limits, in
// tokens of four characters each.
import { describe, expect, it } from "bun:test"
import { COMMANDS } from "../../src/doors/cli/commands.ts"
import { listTools } from "../../src/doors/mcp/list-tools.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { BUILT_IN_ROLES, getRole } from "../../src/planning/roles/roles.ts"
import { estimateTokens as tokensOf } from "../../src/planning/routing.ts"
import { plannerPrompt } from "../../src/planning/views/planning-prompt.ts"
import type { PromptFacts } from "../../src/prompts/prompt-facts.ts"
import { composePrompt } from "../../src/prompts/views/compose-prompt.ts"
import { CLOSING_SCHEMA } from "../../src/tasks/closing-block.ts"
import { ROLES } from "../../src/tasks/task.ts"
import { TOOLS_TOKENS } from "../../src/workers/loop/agent-job.ts"
import { makeTask } from "../support/tasks.ts"

const FACTS: PromptFacts = {
  team: { project: "p", team: "t", goal: "x", session: "s", totalWaves: 1 },
  task: makeTask({ id: parseTaskId("1"), title: "", description: "", acceptance: [], checks: [], files: [] }),
  ...{ worktree: null, needs: [], artifacts: [], others: [], granted: [], messages: [], wisdom: [], learned: [] },
  ...{ isCoordinated: true, evidence: [], setbacks: [], decisions: [], feedback: [], findings: [] },
}
const prompt = (role: string) =>
  composePrompt({
    ...{ facts: FACTS, role: getRole(BUILT_IN_ROLES, role), server: "teamwork", root: "/", limit: 1_000_000 },
    mask: (text) => text,
  }).text

describe("F047: teamwork's own words", () => {
  it.each(BUILT_IN_ROLES.map(({ name }) => name))("in the prompt of a %s are at most 710 tokens", (role) => {
    expect(tokensOf(prompt(role)) + tokensOf(JSON.stringify(CLOSING_SCHEMA))).toBeLessThanOrEqual(710)
  })

  it("in the prompt of an agent that is a worker itself are at most 885 tokens", () => {
    const role = getRole(BUILT_IN_ROLES, "executor")
    const { text } = composePrompt({
      facts: FACTS,
      role,
      worker: "w1",
      root: "/",
      limit: 1_000_000,
      mask: (each) => each,
    })
    expect(tokensOf(text)).toBeLessThanOrEqual(885)
  })

  it("are told apart from what the user and others wrote", () => {
    const mine = "the user's own words ".repeat(50)
    const compose = (facts: PromptFacts) =>
      composePrompt({
        facts,
        role: getRole(BUILT_IN_ROLES, "executor"),
        root: "/",
        limit: 1_000_000,
        mask: (text) => text,
      })
    const empty = compose(FACTS)
    const full = compose({
      ...FACTS,
      team: { ...FACTS.team, goal: mine },
      task: { ...FACTS.task, title: "x", description: mine, checks: [mine], files: ["a/**"] },
      feedback: [mine],
    })
    expect(full.text.length - full.own).toBeGreaterThan(4 * (mine.length - 1))
    // A section more has a heading, a lead and fences.
    expect(full.own - empty.own).toBeLessThan(450)
    expect(empty.text.length - empty.own).toBeLessThan(50)
  })

  it("explain the closing block once, with one rule for open decisions", () => {
    const words = prompt("code-reviewer")
    for (const marker of ["FAILED", "ESCALATE", "NOTHING TO DO", "LEARNED", "DECIDED", "ISSUE", "FINDING"])
      expect({ marker, count: words.split(marker).length - 1 }).toEqual({ marker, count: 1 })
    expect(words.match(/\b[Dd]ecide yourself\b/g)).toHaveLength(1)
    expect(prompt("executor")).not.toContain("FINDING")
  })

  it("in the prompt of a planner are at most 825 tokens", () => {
    const repository = { files: [], isCut: false, commands: [] }
    const roles = BUILT_IN_ROLES.filter(({ kind }) => kind !== "coordination" && kind !== "verification")
    const facts = { goal: "x", repository, shared: [], map: {}, roles, taskRoles: ROLES }
    expect(tokensOf(plannerPrompt(facts))).toBeLessThanOrEqual(825)
  })

  it("in the MCP tools of a worker are at most 2800 tokens", async () => {
    const who = { project: "p", team: "t", worker: "w1", isFixed: true, isLost: false, strict: null }
    const tools = await listTools({ ...who, mayRun: true, mayHold: false }, COMMANDS)
    const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    const tokens = tokensOf(JSON.stringify(read))
    expect(tokens).toBeLessThanOrEqual(2800)
    // What the report counts for them.
    expect(Math.abs(tokens - TOOLS_TOKENS)).toBeLessThan(150)
  })
})
