import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { codeOf } from "../../lib/error-code.ts"
import type { Folder } from "../own/folder.ts"

/** Never part of a team, and often huge. */
const PASSED_OVER = new Set(["node_modules", ".git", "worktrees"])
const MOST_FILES = 200_000
const HINT = "name the folder of a team, or one that holds teams"

/** Reads names at once, contents on demand. */
export function openDiskFolder(path: string): Folder & { readonly path: string } {
  const root = folderOf(path)
  const paths: string[] = []
  const look = (folder: string, prefix: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) look(join(folder, entry.name), `${prefix}${entry.name}/`)
      else if (entry.isFile()) paths.push(prefix + entry.name)
      if (paths.length > MOST_FILES) throw tooMany(root)
    }
  }
  try {
    look(root, "")
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(root, error)
  }
  return { path: root, paths: paths.sort(), read: (file) => readFileSync(join(root, file)) }
}

/** Accepts the marker file of a team instead of its folder. */
function folderOf(path: string): string {
  let stats: Stats
  try {
    stats = lstatSync(path.endsWith("/") ? path : `${path}/`)
  } catch (error) {
    if (codeOf(error) !== "ENOTDIR") throw unreadable(path, error)
    const folder = dirname(resolve(path))
    return basename(folder) === ".forge" ? dirname(folder) : folder
  }
  if (!stats.isDirectory()) throw unreadable(path, new Error("it is not a folder"))
  return resolve(path)
}

function unreadable(path: string, error: unknown): AppError {
  const code = codeOf(error)
  const why = code === "ENOENT" ? "does not exist" : code === "EACCES" ? "may not be read" : "cannot be read"
  const rest = code === undefined && error instanceof Error ? ` (${error.message})` : ""
  return new AppError("import.unreadable", `${path} ${why}${rest}; ${HINT}`, { path })
}

function tooMany(path: string): AppError {
  return new AppError("import.unreadable", `${path} holds more than ${MOST_FILES} files; ${HINT}`, { path })
}
