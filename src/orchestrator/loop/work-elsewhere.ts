import type { WaveReport } from "../../delivery/merge-queue/merge-wave.ts"
import type { Merges } from "../../git/port.ts"

/** Work that could not be merged because its commit is in another repository, until it is brought here. */
export function makeWorkElsewhere(merges: Merges) {
  const missing = new Map<string, { readonly commit: string; readonly where: string }>()
  return {
    /** By `task/attempt`: where it is and what brings it here, in words. */
    get known(): ReadonlyMap<string, string> {
      return new Map([...missing].map(([attempt, { where }]) => [attempt, where]))
    },
    add({ elsewhere }: Pick<WaveReport, "elsewhere">): void {
      for (const { taskId, attempt, commit, reason, command } of elsewhere)
        missing.set(`${taskId}/${attempt}`, { commit, where: `${reason}; bring it here with: ${command}` })
    },
    async look(): Promise<void> {
      for (const [attempt, { commit }] of missing)
        if ((await merges.find(commit)) !== undefined) missing.delete(attempt)
    },
  }
}
