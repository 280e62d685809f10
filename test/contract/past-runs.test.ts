// What earlier runs of agents took, as estimates read it. On every store.
import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { readPastRuns } from "../../src/planning/operations/read-past-runs.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { noteRunEnded, noteRunStarted } from "../../src/tasks/operations/note-run.ts"
import { type MakeDatabase, makeTeam, openTestTeam, run, STORES, TEAM } from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => pastRunsContract(makeDatabase))

function pastRunsContract(makeDatabase: MakeDatabase): void {
  it("F017: gives the runs that came to an end, of all teams of the project, with role and complexity", async () => {
    const { db, store, testTeam } = await openTestTeam(makeDatabase)
    await using _ = db
    await makeTeam(store, { project: TEAM.project, team: "other", schedule: "eager" })
    await makeTeam(store, { project: "elsewhere", team: "main" })
    const note = async (team: { project: string; team: string }, id: string, change: Record<string, unknown> = {}) => {
      const about = { run: id, task: parseTaskId("1"), worker: "w1", agent: "claude" }
      await noteRunStarted(testTeam, { ...team, ...about, attempt: 1, model: "sonnet", turn: 1 })
      await noteRunEnded(testTeam, {
        ...{ ...team, ...about, reason: "done", error: null, session: null, duration_ms: 1000 },
        ...{ input_tokens: 90, output_tokens: 10, cached_tokens: 5, dollars: 0.5, dollars_are_estimated: false },
        ...change,
      })
    }
    await run(testTeam, createTask, { id: "1", title: "Paint", role: "docs", complexity: "complex" })
    await note(TEAM, "a")
    await note(TEAM, "b", { dollars: null })
    await note(TEAM, "c", { reason: "crashed" })
    await note({ ...TEAM, team: "other" }, "d", { agent: "script", input_tokens: 0, output_tokens: 0, dollars: null })
    await note({ project: "elsewhere", team: "main" }, "e")
    const priceOf = (model: string) => (model === "sonnet" ? 0.25 : undefined)
    const { runs, schedule } = await readPastRuns(testTeam, { ...TEAM, team: "other" }, priceOf)
    expect(schedule).toBe("eager")
    const known = { role: "docs", complexity: "complex" } as const
    const byDollars = runs.toSorted((a, b) => (b.dollars ?? 0) - (a.dollars ?? 0))
    expect(byDollars).toEqual([
      { agent: "claude", ...known, ms: 1000, tokens: 100, dollars: 0.5 },
      { agent: "claude", ...known, ms: 1000, tokens: 100, dollars: 0.25 },
      { agent: "script", role: null, complexity: null, ms: 1000, tokens: 0, dollars: 0 },
    ])
    const nobody = await readPastRuns(testTeam, { ...TEAM, team: "new" }, () => undefined)
    expect(nobody.schedule).toBeNull()
    expect(nobody.runs.filter(({ dollars }) => dollars === null)).toHaveLength(1)
    expect(await readPastRuns(testTeam, { project: "none", team: "main" }, priceOf)).toEqual({
      schedule: null,
      runs: [],
    })
  })
}
