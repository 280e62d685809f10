import { statSync } from "node:fs"

/** Identifies the file at this path, not its content; undefined when there is none. */
export function fileIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
