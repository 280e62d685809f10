import type { WavePlan } from "../../domain/wave.ts"
import { calculateWaves } from "../../operations/calculate-waves.ts"
import { updateWave } from "../../operations/update-wave.ts"
import { waveStatus } from "../../operations/wave-status.ts"
import type { Screen } from "../../views/table.ts"
import { fromOperation } from "./command.ts"

/** Loaded for people only. */
const text = async (plan: WavePlan, screen: Screen) => (await import("../../views/status.ts")).renderWaves(plan, screen)

export const waveCalculate = fromOperation(calculateWaves, { text })

export const waveUpdate = fromOperation(updateWave, {
  positional: ["wave"],
  example: "teamwork wave update --wave 1 --status verified",
  text,
})

export const waveShow = fromOperation(waveStatus, { text })
