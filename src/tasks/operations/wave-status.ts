import { countByWave, summarizeWaves } from "../../reporting/status.ts"
import { operation, runFields } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import type { Task } from "../task.ts"
import { currentWave, type WavePlan } from "../wave.ts"
import { getTeam } from "./lookup.ts"

export const waveStatus = operation({
  name: "wave.status",
  summary: "Show the waves and their tasks",
  input: runFields,
  run: ({ store }, input): Promise<WavePlan> =>
    store.read(async (tx) => readWavePlan(tx, (await getTeam(tx, input)).key)),
})

type Placed = Pick<Task, "id" | "wave">

/** A caller that has read the tasks passes them. */
export async function readWavePlan(
  tx: Tx,
  key: number,
  known?: readonly (Placed & Pick<Task, "status">)[],
): Promise<WavePlan> {
  const waves = await tx.waves.list(key)
  const summaries = summarizeWaves(waves, known === undefined ? await tx.tasks.progress(key) : countByWave(known))
  const tasks = Map.groupBy<number, Placed>(known ?? (await tx.tasks.graph(key)), (node) => node.wave ?? 0)
  return {
    version: "1.0",
    totalWaves: waves.length,
    currentWave: currentWave(waves),
    waves: waves.map((wave, index) => ({
      id: wave.number,
      status: summaries[index]?.status ?? "planning",
      tasks: (tasks.get(wave.number) ?? []).map((node) => node.id),
      startedAt: wave.startedAt,
      verifiedAt: wave.verifiedAt,
    })),
  }
}
