import { type Dirent, readdirSync, readFileSync } from "node:fs"

/** Empty if the file cannot be read. */
export function readText(path: string): string {
  return readBytes(path)?.toString("utf8") ?? ""
}

/** Undefined if the file cannot be read. */
export function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** Empty if the folder cannot be read. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
