import { watchOverlaps } from "../../delivery/merge-queue/watch-overlaps.ts"
import type { OrchestratorOptions, OrchestratorPorts } from "./engine-ports.ts"

export interface EarlyWarning {
  /** Unless one runs or ended a moment ago. */
  look(): void
  /** No look runs. */
  readonly ended: Promise<void>
}

/** Looks, beside the loop, for conflicts between unfinished branches, and warns the workers by message. */
export function makeEarlyWarning(ports: OrchestratorPorts, options: OrchestratorOptions): EarlyWarning {
  const { context, merging, workspaces, clock, say } = ports
  const name = { project: options.project, team: options.team, run: options.run }
  const overlaps = watchOverlaps(context, merging.merges, name)
  let ended: Promise<void> | undefined
  let lookedAt = clock.now()
  const work = async () => {
    try {
      await workspaces.workspaces.follow()
      await overlaps.look()
    } catch (error) {
      // A branch may go away meanwhile. The merge will find any conflict.
      say(`Not looked for conflicts: ${error instanceof Error ? error.message : error}`)
    }
  }
  return {
    look() {
      if (ended !== undefined || clock.now() - lookedAt < options.monitorIntervalMs) return
      lookedAt = clock.now()
      ended = work().finally(() => {
        ended = undefined
      })
    },
    get ended() {
      return ended ?? Promise.resolve()
    },
  }
}
