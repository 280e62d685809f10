import { expect, it } from "bun:test"
import type { Candidate, Outcome } from "../../delivery/merge-queue/candidate.ts"
import { parseTaskId } from "../../kernel/ids.ts"
import { emptyHistory, taskOf } from "../../reporting/history.ts"
import { makeMergeMemory } from "./merge-memory.ts"

it("F024: keeps what is merged after a repair, and what may come with one, until a merge says otherwise", () => {
  const memory = makeMergeMemory({ find: async () => undefined }, () => 0)
  const fix = parseTaskId("fix-2-1")
  const keep = (outcomes: Record<string, Outcome>, repairs = [fix]) =>
    memory.keep(
      {
        ...{ before: "a", after: "a", left: [], repairs, looked: new Map(), elsewhere: [] },
        outcomes: Object.entries(outcomes).map(([id, outcome]) => ({ candidate: candidate(id), outcome })),
      },
      0,
    )
  const waiting = { kind: "waiting", reason: "it was begun on b" } as const
  keep({ 3: { kind: "queued", behind: fix }, 4: waiting })
  expect([...memory.queued]).toEqual([
    ["3/1", "fix-2-1"],
    ["4/1", "fix-2-1"],
  ])
  keep({ 3: { kind: "contained" }, 4: waiting }, [])
  expect([...memory.queued]).toEqual([])
  expect([...memory.settled]).toEqual(["3/1"])
})

it("I14: a settled attempt is open again once its worker names another commit than the one looked at", async () => {
  const memory = makeMergeMemory({ find: async () => undefined }, () => 0)
  const outcomes = [{ candidate: candidate("1"), outcome: { kind: "empty" } as const }]
  const looked = new Map([["1/1", "h"]])
  memory.keep({ before: "a", after: "a", left: [], repairs: [], looked, outcomes, elsewhere: [] }, 0)
  const tasks = [{ id: parseTaskId("1"), attempt: 1, claimToken: 4 }]
  const said = async (commit: string, token = 4) => {
    const history = emptyHistory()
    taskOf(history, "1").committed = { attempt: 1, token, commit }
    await memory.update(tasks, history)
    return [...memory.settled]
  }
  expect(await said("h")).toEqual(["1/1"])
  expect(await said("other", 3)).toEqual(["1/1"])
  expect(await said("other")).toEqual([])
})

function candidate(id: string): Candidate {
  const more = { title: id, worker: null, alsoFor: [], mayContain: [], mustContain: [] }
  return { taskId: parseTaskId(id), attempt: 1, base: "b", head: "h", ...more }
}
