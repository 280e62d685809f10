import { flag } from "../../lib/schema.ts"
import { readQuestions } from "../../requests/operations/questions.ts"
import { operation, runFields } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { describeProgress, type TeamReport } from "../status.ts"

/** The store counts the tasks; they are read only when asked for. */
export const teamStatus = operation({
  name: "project.status",
  summary: "Show how far a project is",
  input: { ...runFields, verbose: flag("list every task") },
  async run({ store }, input): Promise<TeamReport> {
    return store.read(async (tx) => {
      const { key, isCurrent: _, ...team } = await getTeam(tx, input)
      const counts = await tx.tasks.progress(key)
      const waves = await tx.waves.list(key)
      return {
        ...team,
        ...describeProgress({ waves, counts, questions: await readQuestions(tx, key) }),
        workers: await tx.workers.count(key),
        ...(input.verbose === true ? { tasks: await tx.tasks.list(key) } : {}),
      }
    })
  },
})
