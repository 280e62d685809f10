// Roles that are made for a team: kept with it, reused, limited in number, made for a capability that somebody misses.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { applyPlan } from "../../src/planning/operations/apply-plan.ts"
import { reportGap } from "../../src/planning/operations/role-gap.ts"
import { listRoleSpecs } from "../../src/planning/operations/role-specs.ts"
import type { RoleSpec } from "../../src/planning/roles/role-spec.ts"
import { promptFacts } from "../../src/prompts/operations/read-prompt-facts.ts"
import type { Store } from "../../src/store/port.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { planOf } from "../support/plans.ts"
import {
  allEvents,
  context,
  getTask,
  type MakeDatabase,
  refusal,
  run,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"

setDefaultTimeout(60_000)

const spec = (name: string, prefix = name.toUpperCase(), change: Partial<RoleSpec> = {}) => ({
  ...{ name, prefix, responsibility: "implementation", capability: `Able to ${name}` },
  ...change,
})
const PLAN = planOf(
  [
    { id: "SCAN-1", agentType: "scan" },
    { id: "MEND-1", agentType: "mend", needs: ["SCAN-1"] },
    { id: "SCAN-2", agentType: "scan", needs: ["MEND-1"] },
  ],
  { roleSpecs: [spec("scan"), spec("mend")] },
)
const keyOf = (store: Store) => store.read(async (tx) => (await tx.teams.find(TEAM))?.key ?? 0)

async function resolve(store: Store, id: string, result: string): Promise<void> {
  await run(context(store), claimTask, { id, owner: "w1" })
  await run(context(store), updateTask, { id, owner: "w1", status: "resolved", result })
}

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => roleContract(makeDatabase))

function roleContract(makeDatabase: MakeDatabase): void {
  it("come with the plan, in the same transaction, and one that is there is kept", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    expect(await listRoleSpecs({ store }, TEAM)).toEqual([])
    const applied = await run(context(store), applyPlan, { plan: PLAN })
    expect(applied.roleSpecs).toEqual(["scan", "mend"])
    const made = await listRoleSpecs({ store }, TEAM)
    expect(
      made.map(({ file, name, prefix, responsibility, innerLoop }) => [file, name, prefix, responsibility, innerLoop]),
    ).toEqual([
      ["role-specs/mend.md", "mend", "MEND", "implementation", false],
      ["role-specs/scan.md", "scan", "SCAN", "implementation", true],
    ])
    const other = planOf([{ id: "SCAN-9", agentType: "scan" }], {
      roleSpecs: [spec("scan", "SCAN", { capability: "Something else" })],
    })
    expect((await run(context(store), applyPlan, { plan: other })).roleSpecs).toEqual([])
    expect(await listRoleSpecs({ store }, TEAM)).toEqual(made)
  })

  it("are at most five, whatever plans they come with; a sixth changes nothing", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    await run(context(store), applyPlan, { plan: PLAN })
    const key = await keyOf(store)
    const before = await snapshot(store, key)
    const more = ["c", "d", "e", "f"].map((letter) => spec(letter, `${letter.toUpperCase()}X`))
    const refused = await refusal(run(context(store), applyPlan, { plan: planOf([{ id: "x" }], { roleSpecs: more }) }))
    expect(refused.code).toBe("role.limit")
    expect(refused.message).toBe(
      "the team has 2 made roles (mend, scan) and may have 5; give the work to one of them, or make it part of another team",
    )
    expect(await snapshot(store, key)).toEqual(before)
  })

  it("for a missing capability a role is made, and a task that comes before the one that misses it", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    await run(context(store), applyPlan, { plan: PLAN })
    const key = await keyOf(store)
    const held = await run(context(store), claimTask, { id: "SCAN-1", owner: "w1" })
    const gap = { task: "SCAN-1", capability: "Read Latin", responsibility: "analysis", owner: "w1" } as const
    const stale = await refusal(run(context(store), reportGap, { ...gap, token: held.task.claimToken + 1 }))
    expect(stale.code).toBe("claim.lost")
    const answer = await run(context(store), reportGap, { ...gap, token: held.task.claimToken })
    expect(answer).toEqual({
      ...{ role: "read-latin", isNewRole: true, task: "READ-1" as never },
      why: "role read-latin was made, and task READ-1 comes first",
    })
    expect(await getTask(store, key, "SCAN-1")).toMatchObject({
      status: "open",
      claimedBy: null,
      blockedBy: ["READ-1"],
      unmet: 1,
      wave: 2,
    })
    expect(await getTask(store, key, "READ-1")).toMatchObject({
      status: "open",
      agentType: "read-latin",
      wave: 1,
      title: "Read Latin",
    })
    expect((await listRoleSpecs({ store }, TEAM)).find(({ name }) => name === "read-latin")).toMatchObject({
      ...{ prefix: "READ", responsibility: "analysis" },
    })
    const types = (await allEvents(store, key)).map(({ type }) => type)
    expect(types.slice(-5)).toEqual(
      expect.arrayContaining(["task.created", "task.released", "task.needs_changed", "message.sent"]),
    )
    const [message] = await run(context(store), readMailbox, { inbox: "orchestrator", unreadOnly: true })
    expect(message?.payload).toEqual({ message: `task SCAN-1 lacks a capability (Read Latin): ${answer.why}` })
    // The same capability again is no other role.
    expect(await run(context(store), reportGap, { ...gap, task: "MEND-1", owner: undefined })).toMatchObject({
      ...{ role: "read-latin", isNewRole: false, task: "READ-2" },
    })
  })

  it("beyond five roles the answer is why not, and the task stays with who holds it", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    const roleSpecs = ["a", "b", "c", "d", "e"].map((letter) => spec(`role-${letter}`, `R${letter.toUpperCase()}`))
    await run(context(store), applyPlan, { plan: planOf([{ id: "RA-1", agentType: "role-a" }], { roleSpecs }) })
    await run(context(store), claimTask, { id: "RA-1", owner: "w1" })
    const answer = await run(context(store), reportGap, { task: "RA-1", owner: "w1", capability: "Read Latin" })
    expect(answer).toMatchObject({ role: null, task: null })
    expect(answer.why).toContain("the team has 5 (role-a, role-b, role-c, role-d, role-e)")
    expect(await getTask(store, await keyOf(store), "RA-1")).toMatchObject({ status: "in_progress", claimedBy: "w1" })
    expect(await listRoleSpecs({ store }, TEAM)).toHaveLength(5)
  })

  it("what was done for a task once is not done again", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    await run(context(store), applyPlan, { plan: { ...PLAN, schedule: "eager" } })
    const gap = { task: "SCAN-1", capability: "Read Latin" }
    await run(context(store), reportGap, gap)
    expect(await run(context(store), reportGap, gap)).toMatchObject({ task: null, why: "it waits for READ-1 already" })
    await resolve(store, "READ-1", "It says hello")
    await run(context(store), claimTask, { id: "SCAN-1", owner: "w1" })
    expect(await run(context(store), reportGap, { ...gap, owner: "w1" })).toMatchObject({
      ...{ role: "read-latin", task: null, why: "task READ-1 did it; continue with its result" },
    })
    expect(await getTask(store, await keyOf(store), "SCAN-1")).toMatchObject({ status: "in_progress", claimedBy: "w1" })
  })

  it("documents of other systems in the same place are no roles, and stay", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    await run(context(store), applyPlan, { plan: PLAN })
    const key = await keyOf(store)
    const foreign = "---\nrole: analyst\nmessage_types: x\n---\nTheirs"
    await store.write((tx) =>
      tx.documents.put(key, { path: "role-specs/analyst.md", content: foreign, encoding: "utf8", by: "w1" }),
    )
    expect((await listRoleSpecs({ store }, TEAM)).map(({ name }) => name)).toEqual(["mend", "scan"])
    await run(context(store), promptFacts, { id: "SCAN-1" })
  })

  it("nothing is missing for a task that has ended", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    await run(context(store), applyPlan, { plan: PLAN })
    await resolve(store, "SCAN-1", "found")
    const before = await snapshot(store, await keyOf(store))
    const refused = await refusal(run(context(store), reportGap, { task: "SCAN-1", capability: "Read Latin" }))
    expect(refused.code).toBe("task.transition")
    expect(await snapshot(store, await keyOf(store))).toEqual(before)
  })

  it("a role in a loop is told what it found before, others only what they needed", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    await run(context(store), applyPlan, { plan: PLAN })
    await run(context(store), createTask, { id: "other", title: "Another" })
    await resolve(store, "SCAN-1", "three faults")
    await resolve(store, "other", "nothing to do with it")
    const mend = await run(context(store), promptFacts, { id: "MEND-1" })
    expect(mend.needs.map(({ id, result }) => [id, result])).toEqual([["SCAN-1", "three faults"]] as never)
    const scan = await run(context(store), promptFacts, { id: "SCAN-2" })
    expect(scan.needs.map(({ id }) => String(id))).toEqual(["SCAN-1", "MEND-1"])
    expect(scan.team).toMatchObject({ totalWaves: 3, session: expect.stringMatching(/^TC-build-it-\d{8}$/) as never })
  })
}
