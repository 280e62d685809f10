import { watchOverlaps } from "../../delivery/merge-queue/watch-overlaps.ts"
import type { OrchestratorOptions, OrchestratorPorts } from "./engine-ports.ts"

export interface EarlyWarning {
  /** Looks whether branches that are worked on still fit together, beside the loop, unless it did so a moment ago. */
  look(): void
  /** Resolves when nothing of it is under way. */
  readonly ended: Promise<void>
}

/** Whom it concerns is told by a message, long before the two would be merged. */
export function makeEarlyWarning(ports: OrchestratorPorts, options: OrchestratorOptions): EarlyWarning {
  const { context, merging, workspaces, clock, say } = ports
  const name = { project: options.project, team: options.team, run: options.run }
  const overlaps = watchOverlaps(context, merging.merges, name)
  let ended: Promise<void> | undefined
  let lookedAt = clock.now()
  return {
    look() {
      if (ended !== undefined || clock.now() - lookedAt < options.monitorIntervalMs) return
      lookedAt = clock.now()
      ended = workspaces.workspaces
        .follow()
        .then(() => overlaps.look())
        .then(() => undefined)
        // A branch may go while it is looked at; the merge will tell whatever this could not.
        .catch((error) => say(`Not looked for conflicts: ${error instanceof Error ? error.message : error}`))
        .finally(() => {
          ended = undefined
        })
    },
    get ended() {
      return ended ?? Promise.resolve()
    },
  }
}
