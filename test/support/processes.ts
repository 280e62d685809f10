import { readdirSync, readFileSync } from "node:fs"

/** Whose group or session is one of these; what has ended and only waits for its parent does not count. */
export function processesIn(groups: ReadonlySet<number>): string[] {
  return readdirSync("/proc").filter((pid) => {
    const { state, group, session } = /^\d+$/.test(pid) ? readProcessStat(pid) : GONE
    return state !== "Z" && (groups.has(group) || groups.has(session))
  })
}

const GONE = { state: "Z", group: 0, session: 0 }

/** A process or `self`. The name, in parentheses, may hold anything. */
export function readProcessStat(pid: string): { state: string; group: number; session: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const [state = "", , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { state, group: Number(group), session: Number(session) }
  } catch {
    return GONE
  }
}

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
