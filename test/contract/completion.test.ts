// What becomes of a team that is done: put away with a summary, or kept; and what it delivers.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { readDeliverables } from "../../src/delivery/operations/read-deliverables.ts"
import { addRecord } from "../../src/store/records.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { lockTeam } from "../../src/tasks/operations/lookup.ts"
import { addEvidence } from "../../src/tasks/operations/record-evidence.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { archiveTeam, assertArchivable, keepTeam } from "../../src/teams/operations/complete-team.ts"
import { takeLead } from "../../src/teams/operations/lead-team.ts"
import { resume } from "../../src/teams/operations/pause.ts"
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

setDefaultTimeout(60_000)

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => completionContract(makeDatabase))

function completionContract(makeDatabase: MakeDatabase): void {
  it("a team that is done is completed with a summary, once", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    const { key } = await makeTeam(store)
    const request = { ...TEAM, summary: "All done", how: "archive" } as const
    expect(await archiveTeam({ store }, request)).toMatchObject({ status: "completed" })
    await archiveTeam({ store }, { ...request, summary: "All done again" })
    const documents = await store.read((tx) => tx.documents.list(key))
    expect(documents.map(({ path, content }) => [path, content])).toEqual([["completion/archive.md", "All done again"]])
    const changed = (await allEvents(store, key)).filter(({ type }) => type === "team.status_changed")
    expect(changed.map(({ data }) => data)).toEqual([{ from: "active", to: "completed", reason: "archived" }])
  })

  it("is not put away while tasks are open or somebody leads it, and nothing changes", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    const { key } = await makeTeam(store)
    await run(context(store), createTask, { id: "1", title: "One" })
    const before = await snapshot(store, key)
    const request = { ...TEAM, summary: "All done", how: "archive" } as const
    const refused = await refusal(archiveTeam({ store }, request))
    expect([refused.code, refused.message]).toEqual([
      "archive.refused",
      "house/main is not done (1); finish them with: teamwork run, or keep the team with: teamwork keep",
    ])
    expect(await snapshot(store, key)).toEqual(before)
    await run(context(store), updateTask, { id: "1", status: "skipped" })
    await assertArchivable({ store }, TEAM)
    await takeLead(context(store), { ...TEAM, holder: "h", leaseMs: 60_000, settings: "{}", isGone: () => false })
    expect((await refusal(archiveTeam({ store }, request))).message).toContain("is being led by a teamwork run")
    expect((await refusal(run(context(store), keepTeam, {}))).code).toBe("archive.refused")
  })

  it("is kept as paused, with the reason, until it is resumed", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    const { key } = await makeTeam(store, { status: "completed", phase: "COMPLETE" })
    expect(await run(context(store), keepTeam, { reason: "the disk is full" })).toMatchObject({ status: "paused" })
    const stored = await store.read((tx) => tx.teams.find(TEAM))
    expect(stored).toMatchObject({ pauseReason: "kept for later: the disk is full" })
    const count = (await allEvents(store, key)).length
    await run(context(store), keepTeam, { reason: "the disk is full" })
    expect(await allEvents(store, key)).toHaveLength(count)
    await run(context(store), resume, {})
    expect(await store.read((tx) => tx.teams.find(TEAM))).toMatchObject({ status: "active", pauseReason: null })
  })

  it("delivers what its tasks left behind: results, files that are still there, and artifacts", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    await makeTeam(store)
    for (const [id, title] of [
      ["1", "Add the endpoint"],
      ["2", "Write the guide"],
      ["3", "Add the page"],
    ])
      await run(context(store), createTask, { id, title })
    for (const id of ["1", "2"]) await run(context(store), claimTask, { id, owner: "w1" })
    const file = async (path: string, action: "created" | "modified" | "deleted") =>
      run(context(store), addEvidence, { id: "1", owner: "w1", evidenceType: "file", path, action })
    await file("src/a.ts", "created")
    await file("src/old.ts", "created")
    await file("src/old.ts", "deleted")
    await store.write(async (tx) => {
      const team = await lockTeam(tx, TEAM)
      const record = { kind: "artifact", taskId: "2" as never, attempt: 1, status: "kept", by: "w1" } as const
      await addRecord(tx, team, { ...record, data: { path: "docs/guide.md" } }, "the guide")
    })
    for (const id of ["1", "2"])
      await run(context(store), updateTask, { id, owner: "w1", status: "resolved", result: `did ${id}` })
    const { deliverables, unfinished } = await readDeliverables({ store }, TEAM)
    expect(deliverables).toEqual([
      { type: "code", tasks: [{ id: "1", title: "Add the endpoint", result: "did 1", files: ["src/a.ts"] }] },
      { type: "document", tasks: [{ id: "2", title: "Write the guide", result: "did 2", files: ["docs/guide.md"] }] },
    ] as never)
    expect(unfinished).toEqual(["3"])
  })
}
