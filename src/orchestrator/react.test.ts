import { expect, it } from "bun:test"
import { LIMITS, makeSnapshot, NOW, openTask } from "../../test/support/engine.ts"
import { parseTaskId, parseWorkerId } from "../kernel/ids.ts"
import { emptyHistory } from "../reporting/history.ts"
import { react } from "./react.ts"

const needing = (id: string, need: string, unmet: number) =>
  openTask(id, { blockedBy: [parseTaskId(need)], unmet, assignee: parseWorkerId("w1") })

it("gives what each rule asks for, and nothing where nothing happened", () => {
  const history = emptyHistory()
  history.runs.set("r", {
    ...{
      id: "r",
      task: parseTaskId("1"),
      attempt: 1,
      worker: "w1",
      agent: "claude",
      model: null,
      turn: 1,
      startedAt: NOW,
    },
    ...{
      endedAt: NOW,
      reason: "done",
      error: null,
      session: null,
      inputTokens: 0,
      cachedTokens: 0,
      tokens: 10,
      dollars: null,
    },
    dollarsAreEstimated: false,
  })
  const tasks = [
    openTask("1", { title: "Build it", status: "resolved" }),
    needing("2", "1", 0),
    openTask("3", { status: "failed" }),
    needing("4", "3", 1),
  ]
  const limits = { ...LIMITS, onBlockerFailed: "retry", budget: { tokens: 10, dollars: 0 } } as const
  expect(react(makeSnapshot({ tasks, history }), limits).map(({ type }) => type)).toEqual([
    "pause-team",
    "settle-blocker",
    "cascade",
    "notify-unblocked",
  ])
  expect(react(makeSnapshot({ tasks: [openTask("1")] }), limits)).toEqual([])
})
