// A look at a team that goes on from the one before sees the same as one that begins anew, on every store.

import { describe, expect, it } from "bun:test"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { beginFollowing, readEngine } from "../../src/orchestrator/operations/read-engine.ts"
import { type Look, lookAtTeam } from "../../src/reporting/operations/look-at-team.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { deleteTask } from "../../src/tasks/operations/delete-task.ts"
import { heartbeatTask } from "../../src/tasks/operations/heartbeat-task.ts"
import { noteStep } from "../../src/tasks/operations/note-run.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves } from "../../src/tasks/operations/wave-status.ts"
import { cleanTeam } from "../../src/teams/operations/clean-team.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { endLead, takeLead } from "../../src/teams/operations/lead-team.ts"
import { noteWorkerExited, noteWorkerStarted } from "../../src/workers/operations/worker-life.ts"
import { context, type MakeDatabase, run, STORES, TEAM } from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => lookContract(makeDatabase))

const [W1, W2] = [parseWorkerId("w1"), parseWorkerId("w2")]
const PROCESS = { ...TEAM, runtime: "child", machine: "here", pid: 1, process_start: "1" }

function lookContract(makeDatabase: MakeDatabase): void {
  it("goes on from the look before", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await run(here, createTeam, { goal: "Search page" })
    const steps: (() => Promise<unknown>)[] = [
      () => run(here, createTask, { id: "1", title: "Schema" }),
      () => run(here, createTask, { id: "2", title: "Page", blockedBy: ["1"] }),
      () => run(here, createTask, { id: "3", title: "Not needed" }),
      () => run(here, calculateWaves, {}),
      () => noteWorkerStarted(here, { ...PROCESS, worker: W1, role: "backend" }),
      () => noteWorkerStarted(here, { ...PROCESS, worker: W2, role: null }),
      () => run(here, claimTask, { id: "1", owner: "w1" }),
      () =>
        run(here, heartbeatTask, { id: "1", owner: "w1" }).then(() =>
          run(here, createTask, { id: "4", title: "More" }),
        ),
      () => noteStep(here, { ...TEAM, task: parseTaskId("1"), attempt: 1, worker: W1, step: "agent" }),
      () => noteWorkerExited(here, { ...TEAM, worker: W2, reason: "stopped", detail: null, by: "w2" }),
      () => run(here, updateTask, { id: "1", owner: "w1", status: "resolved" }),
      () => run(here, updateTask, { id: "2", title: "The page" }),
      () => run(here, deleteTask, { id: "3", force: true }),
    ]
    let look = await lookAtTeam(here, TEAM)
    const following = beginFollowing()
    for (const step of steps) {
      await step()
      const [{ now: _, ...facts }, { now: __, ...anew }] = [
        await readEngine(here, TEAM, following),
        await readEngine(here, TEAM, beginFollowing()),
      ]
      expect(facts).toEqual(anew)
      look = await lookAtTeam(here, TEAM, look)
      expect(comparable(look)).toEqual(comparable(await lookAtTeam(here, TEAM)))
      expect(look.events).not.toEqual([])
    }
    expect((await lookAtTeam(here, TEAM, look)).events).toEqual([])
    // The next run is empty, and is looked at from its beginning.
    await run(here, cleanTeam, {})
    const anew = await lookAtTeam(here, TEAM, look)
    expect(anew).toMatchObject({ team: { run: 2 }, stats: { total: 0 } })
    expect(comparable(anew)).toEqual(comparable(await lookAtTeam(here, TEAM)))
  })

  it("sees workers that live, and what they do", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await run(here, createTeam, { ...TEAM, goal: "Search page" })
    await run(here, createTask, { ...TEAM, id: "1", title: "Schema" })
    for (const worker of [W1, W2]) await noteWorkerStarted(here, { ...PROCESS, worker, role: "backend" })
    await run(here, claimTask, { ...TEAM, id: "1", owner: "w1" })
    await noteWorkerExited(here, { ...TEAM, worker: W2, reason: "stopped", detail: null, by: "w2" })
    const look = await lookAtTeam(here, TEAM)
    expect(look.workers).toMatchObject([{ id: "w1", currentTask: "1" }])
    expect(look).toMatchObject({ stats: { in_progress: 1, total: 1 }, lead: null })
  })

  it("sees who leads, and begins anew with a team of the same name", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await run(here, createTeam, { ...TEAM, goal: "Search page" })
    const request = { ...TEAM, holder: "here:1", leaseMs: 60_000, settings: "{}", isGone: () => false }
    const lead = await takeLead(here, request)
    const led = await lookAtTeam(here, TEAM)
    expect(led.lead).toMatchObject({ holder: "here:1" })
    await endLead(here, lead, "done")
    const left = await lookAtTeam(here, TEAM, led)
    expect(left).toMatchObject({ lead: null, history: { endReason: "done" } })
    await run(here, cleanTeam, { ...TEAM, purge: true, force: true })
    await run(here, createTeam, { ...TEAM, goal: "Another" })
    const anew = await lookAtTeam(here, TEAM, left)
    expect(anew).toMatchObject({ team: { goal: "Another" }, history: { endReason: null, startedAt: null } })
  })
}

/** Without what differs by the moment of the look, or by how much was new in it. */
function comparable({ now: _, events: __, tasks, history, ...rest }: Look) {
  const byId = <Item extends { readonly id: string }>(items: Iterable<Item>) =>
    [...items].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { ...rest, tasks: byId(tasks.values()), history: { ...history, workers: byId(history.workers.values()) } }
}
