import { expect, it } from "bun:test"
import { heldTask, LIMITS, makeSnapshot, makeWorker, NOW, openTask } from "../../test/support/engine.ts"
import { decide } from "./decide.ts"

const failed = openTask("1", { status: "failed" })
const waiting = openTask("2", { blockedBy: [failed.id], unmet: 1 })

it("does not end a team for which a rule still has something to do", () => {
  const snapshot = makeSnapshot({ tasks: [failed, waiting] })
  const types = (limits: typeof LIMITS) => decide(snapshot, limits).actions.map(({ type }) => type)
  expect(types({ ...LIMITS, onBlockerFailed: "retry" })).toEqual(["settle-blocker"])
  expect(types({ ...LIMITS, onBlockerFailed: "ask" })).toEqual(["end"])
})

it("ends a team that was cancelled, whatever else there is to do", () => {
  const team = { ...makeSnapshot().team, status: "cancelled" as const }
  const { actions } = decide(makeSnapshot({ team, tasks: [failed, waiting], busy: "merge" }), LIMITS)
  expect(actions).toContainEqual({ type: "end", outcome: "cancelled", reason: "the team was cancelled" })
})

it("looks again at the earliest time that any rule names", () => {
  const tasks = [heldTask("1", "w1")]
  const { actions, wakeAt } = decide(makeSnapshot({ tasks, workers: [makeWorker("w1")] }), LIMITS)
  expect({ actions, wakeAt }).toEqual({ actions: [], wakeAt: NOW + LIMITS.watchdogWarningMs })
})
