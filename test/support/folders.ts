// Folders as readers of formats see them: of a disk, and made up.
import { readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import type { Folder } from "../../src/files/own/folder.ts"

/** Every file below a real folder; links and special files are left out. */
export function diskFolder(path: string): Folder {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return {
    paths: files.map((file) => relative(path, join(file.parentPath, file.name)).split(sep).join("/")).sort(),
    read: (file) => new Uint8Array(readFileSync(join(path, file))),
  }
}

/** Files by path; whatever is neither text nor bytes is written as JSON, and an error is thrown by whoever reads it. */
export function memoryFolder(files: Readonly<Record<string, unknown>>): Folder {
  return {
    paths: Object.keys(files).sort(),
    read(path) {
      if (!Object.hasOwn(files, path)) throw new Error(`no such file: ${path}`)
      const content = files[path]
      if (content instanceof Error) throw content
      if (content instanceof Uint8Array) return content
      return new TextEncoder().encode(typeof content === "string" ? content : JSON.stringify(content, null, 2))
    },
  }
}
