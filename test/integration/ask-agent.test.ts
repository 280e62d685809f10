// One question to an agent: which one is asked, what is kept of it, and what the team hears of it.

import { expect, it } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { askAgent } from "../../src/agents/choose/ask-agent.ts"
import { runFolder } from "../../src/agents/jobs/record-run.ts"
import { makeRunNotes } from "../../src/agents/jobs/run-notes.ts"
import { setUpAsk } from "../support/ask-setup.ts"
import { plainEvents } from "../support/plain-events.ts"
import { allEvents, makeTeam, refusal, TEAM } from "../support/stores.ts"

const _SCHEMA = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
const _NO_MODEL = { model: "m", price: null }

it("gives the answer by the schema, keeps a recording and tells the team", async () => {
  await using world = await setUpAsk([{ name: "bob" }])
  const { ports, question, written, store } = world
  const { key } = await makeTeam(store)
  const { structured, agent, tier, run } = await askAgent(ports, question)
  expect({ structured, agent, tier }).toEqual({ structured: { name: "bob" }, agent: "claude", tier: "haiku" })
  expect(written.prompt(1)).toBe("Who is it?")
  expect(written.args(1)).toContain("--permission-mode\ndefault")
  const folder = runFolder(ports.home, TEAM, run)
  expect(readFileSync(join(folder, "events.jsonl"), "utf8")).toContain('"finished"')
  expect(existsSync(join(folder, "state"))).toBe(false)
  const events = plainEvents(await allEvents(store, key)).filter(({ type }) => type.startsWith("run."))
  expect(events.map(({ type, by, data }) => [type, by, data.run, data.task, data.worker, data.agent])).toEqual([
    ["run.started", "planner", run, null, "planner", "claude"],
    ["run.ended", "planner", run, null, "planner", "claude"],
  ])
  expect(events[1]?.data).toMatchObject({ reason: "done", input_tokens: 200, output_tokens: 40, dollars: 0.0016 })
})

it("asks the next agent when one cannot answer, and remembers a rate limit", async () => {
  await using world = await setUpAsk(["!429 Too Many Requests", { name: "eve" }])
  await makeTeam(world.store)
  const { structured, agent } = await askAgent(world.ports, world.question)
  expect({ structured, agent }).toEqual({ structured: { name: "eve" }, agent: "codex" })
  const limits = await world.store.read((tx) => tx.rateLimits.list())
  expect(limits.map((limit) => limit.agent)).toEqual(["claude"])
})

it("says why nobody answered: each of them, or that there is nobody", async () => {
  await using world = await setUpAsk(["!500 broken", "no json at all"])
  const failed = await refusal(askAgent(world.ports, world.question))
  expect(failed.code).toBe("agent.failed")
  expect(failed.message).toMatch(
    /no answer from the planner \(claude: overloaded: .*; codex: protocol: gave no structured/,
  )
  const nobody = await refusal(askAgent({ ...world.ports, ready: [] }, world.question))
  expect(nobody.code).toBe("agent.unavailable")
})

it("asks only those that are allowed", async () => {
  await using world = await setUpAsk([{ name: "eve" }])
  const { agent } = await askAgent(world.ports, { ...world.question, agents: ["codex"] })
  expect(agent).toBe("codex")
})

it("keeps what it would tell until there is a team", async () => {
  await using world = await setUpAsk([{ name: "bob" }])
  const notes = makeRunNotes(world.ports)
  const { run } = await askAgent({ ...world.ports, notes }, world.question)
  expect(readdirSync(join(world.ports.home, "runs", TEAM.project, TEAM.team))).toEqual([run])
  const { key } = await makeTeam(world.store)
  await notes.flush()
  await notes.flush()
  const types = (await allEvents(world.store, key)).map(({ type }) => type)
  expect(types).toEqual(["run.started", "run.ended"])
})

it("gives a run what is left of the team's budget, and asks nobody when nothing is", async () => {
  await using world = await setUpAsk([{ name: "bob" }])
  const left = { tokens: null, dollars: 0.25, usedUp: null }
  await askAgent({ ...world.ports, budget: async () => left }, world.question)
  expect(world.written.args(1)).toContain("--max-budget-usd\n0.25")
  const budget = async () => ({ ...left, usedUp: "$5.00 of $5.00 are used up" })
  const refused = await refusal(askAgent({ ...world.ports, budget }, world.question))
  expect(refused).toMatchObject({ code: "agent.unavailable", message: expect.stringContaining("$5.00 of $5.00") })
  expect(world.written.prompt(2)).toBeUndefined()
})
