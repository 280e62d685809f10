// What a team learned, found out, discussed, made and chose: as operations, on every store (R240-R242, R263-R265).
import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../../src/kernel/ids.ts"
import type { TeamMode } from "../../src/kernel/team.ts"
import { MOST_BYTES_IN_STORE } from "../../src/knowledge/artifact.ts"
import { addArtifact, getArtifact, listArtifacts } from "../../src/knowledge/operations/artifacts.ts"
import {
  closeDiscussion,
  listDiscussions,
  openDiscussion,
  showDiscussion,
  speak,
} from "../../src/knowledge/operations/discussions.ts"
import { clearExplorations, keepExploration, readExplorations } from "../../src/knowledge/operations/explorations.ts"
import { addWisdom, listWisdom, removeWisdom } from "../../src/knowledge/operations/keep-wisdom.ts"
import { approveSkills, proposeSkills, readSkillFacts } from "../../src/knowledge/operations/skills.ts"
import type { ChosenSkill, Skill } from "../../src/knowledge/skill.ts"
import { promptFacts } from "../../src/prompts/operations/read-prompt-facts.ts"
import { approve, listApprovals, reject } from "../../src/requests/operations/approvals.ts"
import { listEscalations } from "../../src/requests/operations/escalations.ts"
import { advancePhase } from "../../src/requests/operations/phases.ts"
import type { Context } from "../../src/store/operation.ts"
import type { Store, StoredTeam } from "../../src/store/port.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { getTask } from "../../src/tasks/operations/get-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { updateTeam } from "../../src/teams/operations/update-team.ts"
import {
  allEvents,
  context,
  type MakeDatabase,
  makeTeam,
  refusal,
  run,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => {
    describe("wisdom", () => wisdomContract(makeDatabase))
    describe("explorations", () => explorationContract(makeDatabase))
    describe("discussions", () => discussionContract(makeDatabase))
    describe("artifacts", () => artifactContract(makeDatabase))
    describe("skills", () => skillContract(makeDatabase))
  })
}

interface House extends AsyncDisposable {
  readonly store: Store
  readonly team: StoredTeam
  readonly ctx: Context
  /** Through a connection of its own. */
  readonly other: Context
}

async function makeHouse(makeDatabase: MakeDatabase, mode: TeamMode = "FULL_AUTO"): Promise<House> {
  const database = await makeDatabase()
  const store = await database.connect()
  const team = await makeTeam(store, { mode })
  const [ctx, other] = [context(store), context(await database.connect())]
  await run(ctx, createTask, { id: "1", title: "Endpoint for items", role: "backend", files: ["src/api/**"] })
  await run(ctx, createTask, { id: "2", title: "Page", role: "frontend" })
  return { store, team, ctx, other, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

const recordsOf = async ({ store, team }: House) =>
  (await allEvents(store, team.key)).flatMap(({ type, by, data }) =>
    type.startsWith("record.") ? [{ type, by, data }] : [],
  )

function wisdomContract(makeDatabase: MakeDatabase): void {
  it("that means the same is counted and not kept twice, also when two say it at once (R263)", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx, other } = house
    const first = await run(ctx, addWisdom, { text: "Tests need a clean database.", task: "1", by: "w1" })
    expect(first).toMatchObject({ number: 1, kind: "learning", count: 1, taskId: "1", attempt: 1, by: "w1" })
    await Promise.all([
      run(ctx, addWisdom, { text: "tests need a clean   DATABASE!", by: "w2" }),
      run(other, addWisdom, { text: "Tests need a -- clean database" }),
    ])
    expect(await run(ctx, addWisdom, { text: "Tests need a clean database", kind: "issue" })).toMatchObject({
      number: 2,
    })
    const all = await run(ctx, listWisdom, {})
    expect(all.map(({ number, text, count }) => [number, text, count])).toEqual([
      [1, "Tests need a clean database.", 3],
      [2, "Tests need a clean database", 1],
    ])
    expect(await run(ctx, listWisdom, { kind: "issue" })).toHaveLength(1)
    expect((await recordsOf(house)).slice(0, 2)).toEqual([
      {
        type: "record.added",
        by: "w1",
        data: { kind: "wisdom", number: 1, task: "1", status: "kept", about: "learning" },
      },
      expect.objectContaining({ type: "record.changed" }),
    ])
  })

  it("that is taken back reaches nobody, and may be learned again", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx } = house
    await run(ctx, addWisdom, { text: "Use port 80" })
    await run(ctx, removeWisdom, { number: 1, by: "w1" })
    await run(ctx, removeWisdom, { number: 1 })
    expect(await run(ctx, listWisdom, {})).toEqual([])
    expect(await run(ctx, listWisdom, { status: "removed" })).toMatchObject([{ number: 1 }])
    expect((await run(ctx, promptFacts, { id: "1" })).learned).toEqual([])
    expect(await run(ctx, addWisdom, { text: "use port 80" })).toMatchObject({ number: 2, count: 1 })
    expect((await recordsOf(house)).map(({ type }) => type)).toEqual(["record.added", "record.changed", "record.added"])
  })

  it("is told in prompts, the most relevant first, beside what an import brought", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx, store, team } = house
    await run(ctx, addWisdom, { text: "Items have text ids", kind: "decision" })
    await run(ctx, addWisdom, { text: "Buttons are blue" })
    await run(ctx, addWisdom, { text: "Answers are JSON", role: "backend" })
    const document = { path: "wisdom/old.md", content: "From before", encoding: "utf8", by: "w1" } as const
    await store.write((tx) => tx.documents.put(team.key, document))
    const facts = await run(ctx, promptFacts, { id: "1" })
    expect(facts.learned.map(({ number }) => number)).toEqual([1, 3, 2])
    expect(facts.wisdom).toMatchObject([{ path: "wisdom/old.md", content: "From before" }])
  })

  it("is refused when it says nothing, or speaks of what is not there", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx, store, team } = house
    const before = await snapshot(store, team.key)
    expect((await refusal(run(ctx, addWisdom, { text: " ... " }))).message).toStartWith("text is empty")
    expect((await refusal(run(ctx, addWisdom, { text: "x", task: "9" }))).code).toBe("task.not_found")
    expect((await refusal(run(ctx, addWisdom, { text: "x".repeat(2001) }))).code).toBe("input.invalid")
    expect((await refusal(run(ctx, removeWisdom, { number: 4 }))).message).toBe(
      "there is no wisdom 4; see: teamwork wisdom list",
    )
    expect(await snapshot(store, team.key)).toEqual(before)
  })
}

const STATE = { commit: "c".repeat(40), files: { src: "a".repeat(40) }, uncommitted: null }

function explorationContract(makeDatabase: MakeDatabase): void {
  const explored = (angle: string, summary: string) => ({
    ...TEAM,
    ...STATE,
    angle,
    summary,
    findings: { a: [1] },
    by: "w1",
  })

  it("are one for each angle, and the later takes the place of the earlier", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx } = house
    await keepExploration(ctx, explored("How errors are told", "one"))
    await keepExploration(ctx, explored("Tests", "two"))
    const again = await keepExploration(ctx, explored("how errors are told?", "three"))
    expect(again).toMatchObject({ number: 1, summary: "three", findings: { a: [1] }, ...STATE })
    const { explorations, cleared } = await readExplorations(ctx, TEAM)
    expect({ summaries: explorations.map(({ summary }) => summary), cleared }).toEqual({
      summaries: ["three", "two"],
      cleared: [],
    })
    expect((await readExplorations(ctx, { ...TEAM, angle: "TESTS" })).explorations).toMatchObject([{ summary: "two" }])
  })

  it("that are corrupt are cleared and told, and the others stay (R264)", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx, store, team } = house
    await keepExploration(ctx, explored("Errors", "one"))
    await keepExploration(ctx, explored("Tests", "two"))
    await store.write(async (tx) => {
      const record = await tx.records.find(team.key, "exploration", 1)
      if (record === undefined) throw new Error("it is not there")
      const content = String(record.data.content).replace("one", "won")
      await tx.records.change(team.key, record, { status: "kept", data: { ...record.data, content } })
    })
    expect(await readExplorations(ctx, TEAM)).toMatchObject({ explorations: [{ angle: "Tests" }], cleared: ["Errors"] })
    expect((await readExplorations(ctx, TEAM)).cleared).toEqual([])
    expect((await recordsOf(house)).at(-1)).toMatchObject({ type: "record.removed", data: { kind: "exploration" } })
    await keepExploration(ctx, explored("Errors", "again"))
    expect((await readExplorations(ctx, TEAM)).explorations).toHaveLength(2)
  })

  it("are forgotten by angle, or all of them", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx } = house
    for (const angle of ["a b", "c d", "e f"]) await keepExploration(ctx, explored(angle, "x"))
    expect(await run(ctx, clearExplorations, { angle: "A, b" })).toEqual({ cleared: 1 })
    expect(await run(ctx, clearExplorations, {})).toEqual({ cleared: 2 })
    expect(await run(ctx, clearExplorations, {})).toEqual({ cleared: 0 })
  })
}

function discussionContract(makeDatabase: MakeDatabase): void {
  it("keep who said what in which round, and what came of it (R265)", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx } = house
    await run(ctx, openDiscussion, { topic: "REST or GraphQL", task: "1", by: "w1" })
    const say = (by: string, text: string) => run(ctx, speak, { number: 1, text, by })
    await say("w1", "REST")
    await say("w2", "GraphQL")
    expect(await say("w1", "REST is simpler")).toMatchObject({ rounds: 2, roundsWithoutConsensus: 2 })
    await say("w2", "It is not")
    expect(await say("w2", "Still not")).toMatchObject({ rounds: 3, status: "open", roundsWithoutConsensus: 3 })
    // Those who do not agree in three rounds stop, and a person decides.
    expect((await run(ctx, getTask, { id: "1" })).status).toBe("paused")
    expect(await run(ctx, listEscalations, {})).toMatchObject([{ trigger: "disagreement", taskId: "1" }])
    const close = { number: 1, outcome: "consensus_blocked", severity: "high", conclusion: "Nobody gives way" } as const
    await run(ctx, closeDiscussion, { ...close, by: "w1" })
    const shown = await run(ctx, showDiscussion, { number: 1 })
    expect(shown).toMatchObject({
      ...{ topic: "REST or GraphQL", taskId: "1", status: "consensus_blocked", severity: "high", rounds: 3 },
      ...{ openedBy: "w1", closedBy: "w1", conclusion: "Nobody gives way" },
    })
    expect(shown.statements.map(({ round, by, text }) => `${round} ${by}: ${text}`)).toEqual([
      "1 w1: REST",
      "1 w2: GraphQL",
      "2 w1: REST is simpler",
      "2 w2: It is not",
      "3 w2: Still not",
    ])
    expect(await run(ctx, listWisdom, {})).toMatchObject([
      { kind: "issue", text: "no consensus on REST or GraphQL: Nobody gives way", taskId: "1", by: "w1" },
    ])
    expect(await run(ctx, listDiscussions, { status: "open" })).toEqual([])
    expect(await run(ctx, listDiscussions, {})).toHaveLength(1)
  })

  it("lose no word when several speak at once", async () => {
    await using house = await makeHouse(makeDatabase)
    await run(house.ctx, openDiscussion, { topic: "Colours" })
    const speakers = ["w1", "w2", "w3", "w4", "w5", "w6"]
    const contexts = [house.ctx, house.other]
    await Promise.all(
      speakers.map((by, index) => run(contexts[index % 2] ?? house.ctx, speak, { number: 1, text: "blue", by })),
    )
    const { statements, rounds } = await run(house.ctx, showDiscussion, { number: 1 })
    expect(statements.map(({ by }) => by).toSorted()).toEqual(speakers)
    expect(rounds).toBe(1)
  })

  it("are closed once, and say how much depends on what is blocked", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx, other } = house
    await run(ctx, openDiscussion, { topic: "Colours" })
    const wrong = (given: object) =>
      refusal(run(ctx, closeDiscussion, { number: 1, outcome: "consensus_reached", conclusion: "blue", ...given }))
    expect((await wrong({ outcome: "consensus_blocked" })).message).toStartWith("severity is missing")
    expect((await wrong({ severity: "low" })).code).toBe("usage")
    expect((await wrong({ conclusion: " " })).code).toBe("input.invalid")
    expect((await wrong({ number: 2 })).code).toBe("record.not_found")
    const closing = { number: 1, outcome: "consensus_reached", conclusion: "blue" } as const
    const ends = await Promise.allSettled([run(ctx, closeDiscussion, closing), run(other, closeDiscussion, closing)])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    expect(await run(ctx, listWisdom, {})).toMatchObject([{ kind: "decision", text: "Colours: blue", count: 1 }])
    expect((await refusal(run(ctx, speak, { number: 1, text: "red" }))).message).toBe(
      "discussion 1 was closed by person as consensus_reached; open another one with: teamwork discuss open --topic TOPIC",
    )
  })
}

function artifactContract(makeDatabase: MakeDatabase): void {
  it("have their provenance, and their content where no commit holds it", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx, store, team } = house
    await run(ctx, claimTask, { id: "1", owner: "w1" })
    const report = { name: "report.md", kind: "research", task: "1", content: "# Report\n" } as const
    const sha256 = new Bun.CryptoHasher("sha256").update(report.content).digest("hex")
    expect(await run(ctx, addArtifact, report)).toMatchObject({
      ...{ number: 1, name: "report.md", kind: "research", taskId: "1", attempt: 1, worker: "w1", by: "person" },
      ...{ sha256, size: 9, keptIn: "document", commit: null, path: null },
    })
    expect((await run(ctx, getArtifact, { number: 1 })).document).toMatchObject({ content: "# Report\n" })
    const documents = await store.read((tx) => tx.documents.list(team.key))
    expect(documents.map(({ path }) => path)).toEqual(["artifacts/1-report.md"])
    const commit = "d".repeat(40)
    const code = { name: "a.ts", kind: "code", commit, path: "src/a.ts", sha256: "0", size: 1, by: "w2" } as const
    expect(await run(ctx, addArtifact, code)).toMatchObject({ number: 2, keptIn: "commit", commit, worker: "w2" })
    expect((await run(ctx, getArtifact, { number: 2 })).document).toBeNull()
    expect((await run(ctx, listArtifacts, { task: "1" })).map(({ number }) => number)).toEqual([1])
    expect((await run(ctx, listArtifacts, { kind: "code" })).map(({ number }) => number)).toEqual([2])
  })

  it("of the tasks that a task needs are told in its prompt", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx } = house
    await run(ctx, createTask, { id: "3", title: "Docs", blockedBy: ["1"] })
    await run(ctx, addArtifact, { name: "report.md", kind: "research", task: "1", content: "# Report" })
    await run(ctx, addArtifact, { name: "d.bin", kind: "data", task: "1", content: "AP8=", encoding: "base64" })
    await run(ctx, addArtifact, { name: "other.md", kind: "research", task: "2", content: "of another" })
    const { artifacts } = await run(ctx, promptFacts, { id: "3" })
    expect(artifacts.map(({ name, content }) => [name, content])).toEqual([
      ["report.md", "# Report"],
      ["d.bin", null],
    ])
    expect((await run(ctx, promptFacts, { id: "2" })).artifacts).toEqual([])
  })

  it("are kept once for an attempt, and anew for the next", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx } = house
    const report = { name: "report.md", kind: "research", task: "1", content: "x" } as const
    await run(ctx, addArtifact, report)
    expect((await run(ctx, addArtifact, report)).number).toBe(1)
    expect((await run(ctx, addArtifact, { ...report, content: "y" })).number).toBe(2)
    await run(ctx, claimTask, { id: "1", owner: "w1" })
    await run(ctx, updateTask, { id: "1", owner: "w1", status: "resolved" })
    await run(ctx, reopenTask, { id: "1", reason: "again" })
    expect(await run(ctx, addArtifact, report)).toMatchObject({ number: 3, attempt: 2 })
  })

  it("are refused when they are too large, or nowhere", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx, store, team } = house
    const before = await snapshot(store, team.key)
    const big = { name: "big", kind: "data", content: "x".repeat(MOST_BYTES_IN_STORE + 1) } as const
    expect((await refusal(run(ctx, addArtifact, big))).code).toBe("artifact.too_large")
    expect((await refusal(run(ctx, addArtifact, { name: "x", kind: "data" }))).message).toContain("give the content")
    expect((await refusal(run(ctx, getArtifact, { number: 1 }))).code).toBe("record.not_found")
    expect(await snapshot(store, team.key)).toEqual(before)
    expect(await store.read((tx) => tx.documents.list(team.key))).toEqual([])
  })
}

function skillContract(makeDatabase: MakeDatabase): void {
  const skill = (name: string): Skill => ({ name, description: `does ${name}`, path: `p/${name}`, origin: "home" })
  const choices = [
    { skill: skill("pdf"), isMandatory: true },
    { skill: skill("sql"), isMandatory: false },
  ]
  const id = parseTaskId("1")
  const propose = (ctx: Context) => proposeSkills(ctx, { ...TEAM, id, choices, by: "w1" })
  const states = (chosen: readonly ChosenSkill[]) =>
    chosen.map(({ name, status, isMandatory, approvedBy }) => [name, status, isMandatory, approvedBy])

  it("are approved at once in FULL_AUTO, and written down once for each attempt (R241)", async () => {
    await using house = await makeHouse(makeDatabase)
    const { ctx } = house
    const chosen = await propose(ctx)
    expect(states(chosen)).toEqual([
      ["pdf", "approved", true, "person"],
      ["sql", "approved", false, "orchestrator"],
    ])
    expect(chosen[0]).toMatchObject({ taskId: "1", attempt: 1, path: "p/pdf", chosenBy: "w1" })
    expect(await propose(ctx)).toEqual(chosen)
    expect(await recordsOf(house)).toHaveLength(2)
    await run(ctx, claimTask, { id: "1", owner: "w1" })
    await run(ctx, updateTask, { id: "1", owner: "w1", status: "resolved" })
    await run(ctx, reopenTask, { id: "1", reason: "again" })
    expect((await readSkillFacts(ctx, { ...TEAM, id })).chosen).toEqual([])
  })

  it("are approved with the plan of their task", async () => {
    await using house = await makeHouse(makeDatabase, "SUPERVISED")
    const { ctx } = house
    await run(ctx, updateTeam, { protocol: "planned" })
    await run(ctx, createTask, { id: "3", title: "Planned" })
    // Goal and plan of the team are asked about before anything else.
    for (const { number } of await run(ctx, listApprovals, {})) await run(ctx, approve, { number })
    await run(ctx, claimTask, { id: "3", owner: "w1" })
    const planned = parseTaskId("3")
    const chosen = async () => states((await readSkillFacts(ctx, { ...TEAM, id: planned })).chosen)
    await proposeSkills(ctx, { ...TEAM, id: planned, choices, by: "w1" })
    for (const to of ["requirement", "skill_research", "plan_design", "awaiting_approval"] as const)
      await run(ctx, advancePhase, { id: "3", to, report: "done", owner: "w1" })
    const first = (await run(ctx, listApprovals, {}))[0]?.number ?? 0
    await run(ctx, reject, { number: first, reason: "too long" })
    expect((await chosen())[1]).toEqual(["sql", "proposed", false, null])
    await run(ctx, advancePhase, { id: "3", to: "awaiting_approval", report: "shorter", owner: "w1" })
    await run(ctx, approve, { number: first + 1 })
    expect((await chosen())[1]).toEqual(["sql", "approved", false, "person"])
  })

  it("wait for the lead in SUPERVISED, but for those that the user named", async () => {
    await using house = await makeHouse(makeDatabase, "SUPERVISED")
    const { ctx, store, team } = house
    expect(states(await propose(ctx))).toEqual([
      ["pdf", "approved", true, "person"],
      ["sql", "proposed", false, null],
    ])
    const messages = await store.read((tx) => tx.messages.list(team.key, "orchestrator", {}))
    expect(messages.map(({ payload }) => payload)).toEqual([
      { message: "SKILLS: w1 wants to use sql for task 1 (teamwork skill approve 1)" },
    ])
    const refused = await refusal(run(ctx, approveSkills, { task: "1", by: "w1" }))
    expect(refused.message).toBe("only the lead (by orchestrator) or a person approves skills")
    expect((await refusal(run(ctx, approveSkills, { task: "1", name: "css" }))).message).toStartWith(
      "css was not chosen for task 1",
    )
    expect((await refusal(run(ctx, approveSkills, { task: "2" }))).message).toStartWith(
      "no skill was chosen for task 2",
    )
    expect(states(await run(ctx, approveSkills, { task: "1", name: "sql", by: "lead" }))).toEqual([
      ["pdf", "approved", true, "person"],
      ["sql", "approved", false, "orchestrator"],
    ])
    const before = await recordsOf(house)
    await run(ctx, approveSkills, { task: "1" })
    expect(await recordsOf(house)).toEqual(before)
  })
}
