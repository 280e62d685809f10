import { fromOperation } from "../../app/command.ts"
import { renderWaves } from "../../reporting/views/status-view.ts"
import { calculateWaves, updateWave, waveStatus } from "../operations/wave-status.ts"

export const waveCalculate = fromOperation(calculateWaves, { text: renderWaves })

export const waveUpdate = fromOperation(updateWave, {
  positional: ["wave"],
  example: "teamwork wave update --wave 1 --status verified",
  text: renderWaves,
})

export const waveShow = fromOperation(waveStatus, { text: renderWaves })
