import { WAVE_STATUSES, type WaveStatus } from "../kernel/event-words.ts"
import type { TaskId } from "../kernel/ids.ts"

export { WAVE_STATUSES, type WaveStatus }

/** All other states follow from the tasks. */
export type WaveVerdict = "verified" | "failed" | null

export interface Wave {
  readonly id: number
  readonly status: WaveStatus
  readonly tasks: readonly TaskId[]
  readonly startedAt: string | null
  readonly verifiedAt: string | null
}

export interface WavePlan {
  readonly version: "1.0"
  readonly totalWaves: number
  /** The first unverified wave; the last one if all are verified; 0 without waves. */
  readonly currentWave: number
  readonly waves: readonly Wave[]
}

export interface WaveFacts {
  readonly number: number
  readonly verdict: WaveVerdict
  readonly total: number
  readonly met: number
}

export function waveStatus(wave: WaveFacts, currentWave: number): WaveStatus {
  if (wave.verdict !== null) return wave.verdict
  if (wave.number > currentWave) return "planning"
  return wave.met === wave.total ? "completed" : "in_progress"
}

export function currentWave(waves: readonly Pick<WaveFacts, "number" | "verdict">[]): number {
  const first = waves.find((wave) => wave.verdict !== "verified")
  return first?.number ?? waves.at(-1)?.number ?? 0
}
