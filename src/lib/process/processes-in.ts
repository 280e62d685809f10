import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/**
 * Processes of this name whose working folder or arguments are in one of the folders; undefined where the system has no
 * `/proc`.
 */
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
      if (!name.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim())) return false
      if (isInside(readlinkSync(`/proc/${pid}/cwd`))) return true
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").some(isInside)
    } catch {
      // It ended meanwhile, or belongs to another user.
      return false
    }
  }
  return pids.filter(isMeant).map(Number)
}
