import { PERSON } from "../../kernel/actor.ts"
import { choice, number } from "../../lib/schema.ts"
import { operation, teamFields } from "../../store/operation.ts"
import { WAVE_STATUSES, type WavePlan } from "../wave.ts"
import { decideWave } from "./decide-wave.ts"
import { lockTeam } from "./lookup.ts"
import { readWavePlan } from "./wave-status.ts"

export const updateWave = operation({
  name: "wave.update",
  summary: "Say that a wave is verified or failed, or open a failed one again",
  input: {
    ...teamFields,
    wave: number("number of the wave", { isInteger: true, min: 1 }),
    status: choice(WAVE_STATUSES, "new status"),
  },
  async run({ store }, input): Promise<WavePlan> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      await decideWave(tx, team, { number: input.wave, to: input.status, by: PERSON })
      return readWavePlan(tx, team.key)
    })
  },
})
