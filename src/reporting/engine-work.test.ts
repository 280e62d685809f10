import { describe, expect, it } from "bun:test"
import { BEGIN, claimed, eventAt, makeView, runStarted } from "../../test/support/sample-view.ts"
import type { Event } from "../kernel/events.ts"
import { engineWork } from "./engine-work.ts"

const COMMIT = "a016404189a0deadbeef"
const led = (seconds: number) => eventAt(seconds, "team.led", { holder: "here:1", token: 1, settings: "{}" })
const merging = (seconds: number, ...tasks: string[]) => eventAt(seconds, "merge.started", { tasks, wave: 2 })
const merged = (seconds: number, ...tasks: string[]) => eventAt(seconds, "merge.ended", { tasks, wave: 2 })
const judging = (seconds: number, scope: string, subject: string | null, checks: string[] = []) =>
  eventAt(seconds, "gate.started", { scope, subject, task: scope === "task" ? subject : null, commit: COMMIT, checks })
const judged = (seconds: number, scope: string, subject: string | null) =>
  eventAt(seconds, "verdict.recorded", { scope, subject, status: "passed" })

const view = (...events: Event[]) => makeView({ tasks: [], events })
const work = (...events: Event[]) => engineWork(view(...events))

describe("what the engine does", () => {
  it("is a merge from its start to its end", () => {
    expect(work(led(0), merging(5, "1", "2"))).toEqual([{ what: "merging 1, 2", since: BEGIN + 5000 }])
    expect(work(led(0), merging(5, "1"), merged(6, "1"))).toEqual([])
  })

  it("is a gate of a wave, of all or of a reviewer, until its verdict", () => {
    const begun = [led(0), judging(1, "wave", "2", ["npm run build", "npm test"]), judging(2, "cross-agent", null)]
    expect(work(...begun)).toEqual([
      { what: "gate of wave 2 at a016404189a0: npm run build; npm test", since: BEGIN + 1000 },
      { what: "review by another agent at a016404189a0", since: BEGIN + 2000 },
    ])
    expect(work(...begun, judged(3, "wave", "1"))).toHaveLength(2)
    expect(work(...begun, judged(3, "wave", "2"), judged(4, "cross-agent", null))).toEqual([])
  })

  it("is forgotten when the next one of the same kind begins", () => {
    expect(work(led(0), merging(1, "1"), merging(9, "2"))).toEqual([{ what: "merging 2", since: BEGIN + 9000 }])
    const again = work(led(0), judging(1, "final", null), judging(9, "final", null))
    expect(again).toEqual([{ what: "final gate at a016404189a0", since: BEGIN + 9000 }])
  })

  it("is forgotten with whoever led, or is not known when nobody leads", () => {
    const begun = [led(0), merging(1, "1"), judging(2, "final", null)]
    expect(work(...begun, led(9))).toEqual([])
    expect(work(...begun, eventAt(9, "team.left", { holder: "here:1", token: 1, reason: "lost" }))).toEqual([])
    expect(engineWork({ ...view(...begun), lead: null })).toEqual([])
  })
})

describe("the gate of a task", () => {
  const gates = (...events: Event[]) => [...view(...events).history.gates.keys()]

  it("is its worker's: it outlives who leads, and ends with its verdict or with the claim", () => {
    const begun = [led(0), claimed(1, "3", "w1"), runStarted(2, "3-1-1"), judging(3, "task", "3", ["true"])]
    expect(gates(...begun)).toEqual(["task 3"])
    expect(work(...begun)).toEqual([])
    expect(gates(...begun, led(9))).toEqual(["task 3"])
    expect(gates(...begun, judged(9, "task", "3"))).toEqual([])
    expect(gates(...begun, eventAt(9, "task.released", { task: "3", owner: "w1", reason: "" }))).toEqual([])
    expect(gates(led(0), judging(1, "task", "3"), led(2))).toEqual([])
  })
})
