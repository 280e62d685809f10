import { PERSON } from "../domain/actor.ts"
import type { WavePlan } from "../domain/wave.ts"
import { lockTeam } from "./lookup.ts"
import { operation, teamFields } from "./operation.ts"
import { replanWaves } from "./plan-waves.ts"
import { changePhase } from "./task-moves.ts"
import { readWavePlan } from "./wave-status.ts"

export const calculateWaves = operation({
  name: "wave.calculate",
  summary: "Lay the tasks out in waves by their needs; verified waves stay",
  input: teamFields,
  async run({ store }, input): Promise<WavePlan> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const total = await replanWaves(tx, team)
      await tx.events.append(team.key, PERSON, { type: "waves.calculated", data: { total } })
      if (team.phase === "PLANNING" && total > 0) await changePhase(tx, team, "EXECUTION", PERSON)
      return readWavePlan(tx, team.key)
    })
  },
})
