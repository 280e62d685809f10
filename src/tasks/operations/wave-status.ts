import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { describeTeam } from "../../kernel/team.ts"
import { choice, number } from "../../lib/schema.ts"
import { countByWave, summarizeWaves } from "../../reporting/status.ts"
import { operation, runFields, teamFields } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import type { Task } from "../task.ts"
import { currentWave, WAVE_STATUSES, type WavePlan } from "../wave.ts"
import { decideWave } from "./decide-wave.ts"
import { getTeam, lockTeam } from "./lookup.ts"
import { replanWaves } from "./plan-waves.ts"
import { changePhase } from "./task-moves.ts"

export const waveStatus = operation({
  name: "wave.status",
  summary: "Show the waves and their tasks",
  input: runFields,
  run: ({ store }, input): Promise<WavePlan> =>
    store.read(async (tx) => readWavePlan(tx, (await getTeam(tx, input)).key)),
})

type Placed = Pick<Task, "id" | "wave">

/** Pass the tasks if you have read them. */
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
