import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isBuilt } from "../../lib/process/self-command.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import { readPluginFiles } from "./read-plugin-files.ts" with { type: "macro" }

interface PluginFile {
  readonly path: string
  readonly text: string
  readonly isProgram: boolean
}

/**
 * A checkout has the folder. A built program carries it and writes it to the home, with a program beside it that
 * the plugin uses when none is on the PATH.
 */
export function ensurePluginFolder(home: string, self: readonly string[]): string {
  if (!isBuilt()) return join(import.meta.dir, "../../../plugin")
  const folder = join(home, "plugin")
  writeExactly(folder, readPluginFiles())
  const text = `#!/bin/sh\nexec ${self.map(quoteArgument).join(" ")} "$@"\n`
  writeFile(home, { path: "bin/teamwork", text, isProgram: true })
  return folder
}

/** Keeps equal files, since sessions may be reading them, and removes files of earlier versions. */
function writeExactly(folder: string, files: readonly PluginFile[]): void {
  for (const file of files) writeFile(folder, file)
  const known = new Set(files.map(({ path }) => path))
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (!entry.isDirectory() && !known.has(file.slice(folder.length + 1))) rmSync(file)
  }
}

function writeFile(folder: string, { path, text, isProgram }: PluginFile): void {
  const file = join(folder, path)
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  if (isProgram) chmodSync(file, 0o755)
}
