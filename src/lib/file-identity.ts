import { statSync } from "node:fs"

/** Which file has this name now, whatever is in it; undefined where there is none. */
export function fileIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
