import { lstatSync, readdirSync, readFileSync } from "node:fs"
import type { SetupFiles } from "../setup-unit.ts"

/** The files of a checkout on disk, but for folders that were installed there. Links are left out: they may lead anywhere. */
export function diskFiles(root: string, installed: readonly string[] = []): SetupFiles {
  return {
    async list(folder) {
      try {
        const entries = readdirSync(folder === "" ? root : `${root}/${folder}`, { withFileTypes: true })
        return entries
          .filter((entry) => entry.isFile() || entry.isDirectory())
          .filter((entry) => !installed.includes(folder === "" ? entry.name : `${folder}/${entry.name}`))
          .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      } catch {
        return [] // not there, or not a folder
      }
    },
    async read(path) {
      const file = `${root}/${path}`
      return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, "utf8") : ""
    },
  }
}
