import { lstatSync } from "node:fs"
import { entriesOf, readText } from "../../lib/read-files.ts"
import { inFolder, type SetupFiles } from "../setup-unit.ts"

/** Leaves out installed folders, and links, which may lead anywhere. */
export function diskFiles(root: string, installed: readonly string[] = []): SetupFiles {
  return {
    list: async (folder) =>
      entriesOf(inFolder(root, folder))
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .filter((entry) => !installed.includes(inFolder(folder, entry.name)))
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)),
    async read(path) {
      const file = `${root}/${path}`
      return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? readText(file) : ""
    },
  }
}
