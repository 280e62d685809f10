import { readdirSync, readFileSync } from "node:fs"

/** Whose environment holds the mark. Read here once more, and not by the code under test. */
export function processesWith(mark: string): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark)
    } catch {
      return false
    }
  })
}
