import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { describeTeam } from "../../kernel/team.ts"
import { operation, teamFields } from "../../store/operation.ts"
import type { WavePlan } from "../wave.ts"
import { lockTeam } from "./lookup.ts"
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
      if (team.phase === "COMPLETE") {
        throw new AppError("wave.transition", `project ${describeTeam(team)} is COMPLETE; add or reopen a task first`)
      }
      const total = await replanWaves(tx, team, PERSON)
      if (team.phase === "PLANNING" && total > 0) await changePhase(tx, team, { to: "EXECUTION", by: PERSON })
      return readWavePlan(tx, team.key)
    })
  },
})
