import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** Processes of this name that work in one of the folders or below; undefined where the system does not tell. */
export function processesIn(folders: readonly string[], name: RegExp): number[] | undefined {
  let pids: string[]
  try {
    pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))
  } catch {
    return undefined
  }
  const isInside = (path: string) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
  const isMeant = (pid: string) => {
    try {
      return name.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim()) && isInside(readlinkSync(`/proc/${pid}/cwd`))
    } catch {
      // It ended meanwhile, or is somebody else's.
      return false
    }
  }
  return pids.filter(isMeant).map(Number)
}
