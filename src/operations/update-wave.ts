import * as v from "valibot"
import { PERSON } from "../domain/actor.ts"
import { WAVE_STATUSES, type WavePlan } from "../domain/wave.ts"
import { decideWave } from "./decide-wave.ts"
import { lockTeam } from "./lookup.ts"
import { operation, teamFields } from "./operation.ts"
import { readWavePlan } from "./wave-status.ts"

export const updateWave = operation({
  name: "wave.update",
  summary: "Say that a wave is verified or failed, or open a failed one again",
  input: v.object({
    ...teamFields,
    wave: v.pipe(v.number(), v.integer(), v.minValue(1), v.description("number of the wave")),
    status: v.pipe(v.picklist(WAVE_STATUSES), v.description(`new status: ${WAVE_STATUSES.join(", ")}`)),
  }),
  async run({ store }, input): Promise<WavePlan> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      await decideWave(tx, team, { number: input.wave, to: input.status, by: PERSON })
      return readWavePlan(tx, team.key)
    })
  },
})
