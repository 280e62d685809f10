// What a preflight leaves in the store, on every store.
import { describe, expect, it } from "bun:test"
import { type RanCommand, standingOf, standingWithout } from "../../src/quality/baseline.ts"
import { recordPreflight } from "../../src/quality/operations/record-preflight.ts"
import { lookAtTeam } from "../../src/reporting/operations/look-at-team.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { context, refusal, run, STORES, TEAM } from "../support/stores.ts"

const RED: RanCommand = {
  ...{ command: { kind: "test", line: "npm test" }, hasPassed: false, durationMs: 5, outputFile: "/out" },
  tests: { format: "tap", passed: [], failed: ["a | b", 'c "d"\n'], skipped: [] },
}

for (const [name, makeDatabase] of Object.entries(STORES))
  describe(name, () => {
    it("F003: keeps how the gates stood before the latest run", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      const house = context(store)
      await run(house, createTeam, { goal: "a house" })
      expect((await lookAtTeam(house, TEAM)).history.preflight).toBeNull()
      const gates = [standingWithout("build", true), standingOf(RED)]
      await recordPreflight(house, TEAM, { commit: "c1", tree: "t1", gates: [] })
      await recordPreflight(house, TEAM, { commit: "c2", tree: "t2", gates })
      expect((await lookAtTeam(house, TEAM)).history.preflight).toEqual({ commit: "c2", gates })
    })

    it("refuses a team that is not there, and writes nothing", async () => {
      await using database = await makeDatabase()
      const house = context(await database.connect())
      const asked = recordPreflight(house, { ...TEAM, team: "nobody" }, { commit: "c", tree: "t", gates: [] })
      expect((await refusal(asked)).code).toBe("team.not_found")
    })
  })
