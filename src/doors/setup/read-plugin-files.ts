import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** Imported as a macro: runs when the program is loaded or built, so that a built program carries the files. */
export function readPluginFiles(): { path: string; text: string; isProgram: boolean }[] {
  const root = join(import.meta.dir, "../../../plugin")
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: file.slice(root.length + 1),
      text: readFileSync(file, "utf8"),
      isProgram: (statSync(file).mode & 0o100) !== 0,
    }))
}
