import { fromOperation } from "../../app/command.ts"
import type { Screen } from "../../lib/text/table.ts"
import { calculateWaves } from "../operations/calculate-waves.ts"
import { updateWave } from "../operations/update-wave.ts"
import { waveStatus } from "../operations/wave-status.ts"
import type { WavePlan } from "../wave.ts"

/** Loaded for people only. */
const text = async (plan: WavePlan, screen: Screen) =>
  (await import("../../reporting/views/status-view.ts")).renderWaves(plan, screen)

export const waveCalculate = fromOperation(calculateWaves, { text })

export const waveUpdate = fromOperation(updateWave, {
  positional: ["wave"],
  example: "teamwork wave update --wave 1 --status verified",
  text,
})

export const waveShow = fromOperation(waveStatus, { text })
