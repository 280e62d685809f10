import { describe, expect, it } from "bun:test"
import { roundOf, roundsWithoutConsensus, type Statement } from "./discussion.ts"

function roundsOf(speakers: readonly string[]): number[] {
  const statements: Statement[] = []
  for (const by of speakers) {
    const rounds = statements.at(-1)?.round ?? 0
    statements.push({ round: roundOf({ rounds, statements }, by), by, text: "x", at: "x" })
  }
  return statements.map(({ round }) => round)
}

describe("rounds", () => {
  it("begin when somebody speaks again", () => {
    expect(roundsOf(["w1", "w2", "w3", "w1", "w3", "w2", "w2"])).toEqual([1, 1, 1, 2, 2, 2, 3])
    expect(roundsOf(["w1", "w1", "w2"])).toEqual([1, 2, 2])
  })

  it("count as long as there is no consensus", () => {
    expect(roundsWithoutConsensus({ status: "open", rounds: 3 })).toBe(3)
    expect(roundsWithoutConsensus({ status: "consensus_blocked", rounds: 2 })).toBe(2)
    expect(roundsWithoutConsensus({ status: "consensus_reached", rounds: 3 })).toBe(0)
  })
})
