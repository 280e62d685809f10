import { countTasks, summarizeWaves, type TeamReport } from "../domain/status.ts"
import { currentWave } from "../domain/wave.ts"
import { flag } from "../lib/fields.ts"
import { getTeam } from "./lookup.ts"
import { operation, teamFields } from "./operation.ts"
import { readQuestions } from "./questions.ts"

/** Counted by the store; the tasks themselves are read only when asked for. */
export const teamStatus = operation({
  name: "project.status",
  summary: "Show how far a project is",
  input: { ...teamFields, verbose: flag("list every task") },
  async run({ store }, input): Promise<TeamReport> {
    return store.read(async (tx) => {
      const { key, ...team } = await getTeam(tx, input)
      const counts = await tx.tasks.progress(key)
      const waves = await tx.waves.list(key)
      return {
        ...team,
        stats: countTasks(counts),
        currentWave: currentWave(waves),
        waves: summarizeWaves(waves, counts),
        workers: await tx.workers.count(key),
        questions: await readQuestions(tx, key),
        ...(input.verbose === true ? { tasks: await tx.tasks.list(key) } : {}),
      }
    })
  },
})
