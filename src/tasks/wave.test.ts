import { describe, expect, it } from "bun:test"
import { currentWave, type WaveFacts, waveStatus } from "./wave.ts"

const wave = (number: number, change: Partial<WaveFacts> = {}): WaveFacts => ({
  number,
  verdict: null,
  total: 2,
  met: 0,
  ...change,
})

describe("waveStatus", () => {
  it.each([
    ["planning behind the current wave", wave(2), 1, "planning"],
    ["planning behind it even when its tasks are done", wave(2, { met: 2 }), 1, "planning"],
    ["in progress while tasks are left", wave(1, { met: 1 }), 1, "in_progress"],
    ["completed when all its tasks are done", wave(1, { met: 2 }), 1, "completed"],
    ["completed when it has no tasks left", wave(1, { total: 0 }), 1, "completed"],
    ["verified when a gate said so", wave(1, { met: 2, verdict: "verified" }), 2, "verified"],
    ["failed when a gate said so, whatever the tasks say", wave(1, { met: 2, verdict: "failed" }), 1, "failed"],
  ] as const)("is %s", (_, facts, current, status) => {
    expect(waveStatus(facts, current)).toBe(status)
  })
})

describe("currentWave", () => {
  it.each([
    ["0 without waves", [], 0],
    ["the first when none is verified", [wave(1), wave(2)], 1],
    ["the first that is not verified", [wave(1, { verdict: "verified" }), wave(2), wave(3)], 2],
    [
      "a failed one until it is verified",
      [wave(1, { verdict: "verified" }), wave(2, { verdict: "failed" }), wave(3)],
      2,
    ],
    ["an earlier one whose verdict was withdrawn", [wave(1), wave(2, { verdict: "verified" })], 1],
    ["the last when all are verified", [wave(1, { verdict: "verified" }), wave(2, { verdict: "verified" })], 2],
  ] as const)("is %s", (_, waves, number) => {
    expect(currentWave(waves)).toBe(number)
  })
})
