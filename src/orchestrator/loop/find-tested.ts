import { attemptName } from "../../delivery/merge-queue/candidate.ts"
import { readPins } from "../../delivery/merge-queue/collect-candidates.ts"
import { isTestFile } from "../../delivery/merge-queue/judge-changes.ts"
import type { RunName } from "../../kernel/team.ts"
import { followUpOf, mayCascade } from "../../tasks/follow-up.ts"
import type { Task } from "../../tasks/task.ts"
import type { OrchestratorPorts } from "./engine-ports.ts"

/** Finished work with its own tests needs no follow-up that writes them. */
export interface TestedWork {
  readonly tested: ReadonlySet<string>
  look(tasks: readonly Task[]): Promise<void>
}

/** Asks git once for each attempt. Without an answer the work counts as untested. */
export function findTested({ merging: { merges } }: Pick<OrchestratorPorts, "merging">, name: RunName): TestedWork {
  const tested = new Set<string>()
  const known = new Set<string>()
  return {
    tested,
    async look(tasks) {
      const fresh = tasks
        .filter((task) => task.status === "resolved" && mayCascade(task) && followUpOf(task) === "test")
        .map(({ id, attempt }) => attemptName({ taskId: id, attempt }))
        .filter((attempt) => !known.has(attempt))
      if (fresh.length === 0) return
      const pins = await readPins(merges, name).catch(() => undefined)
      for (const attempt of fresh) {
        known.add(attempt)
        const pin = pins?.get(attempt)
        const changes = pin === undefined ? [] : await merges.changes(pin.base, pin.head).catch(() => [])
        if (changes.some(({ path, status }) => status !== "deleted" && isTestFile(path))) tested.add(attempt)
      }
    },
  }
}
