import { lstatSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import type { GateRepository } from "../../quality/gates/port.ts"
import type { TreeState } from "../exploration.ts"

/** A checkout with more is in the middle of a change, and hashing it each time takes too long. */
const MOST_UNCOMMITTED = 500
const MOST_BYTES = 50_000_000

/** Leaves out paths that the commit does not have. Undefined without a commit, or if too much is uncommitted. */
export async function readTreeState(
  repository: GateRepository,
  paths: readonly string[],
): Promise<TreeState | undefined> {
  const head = await repository.find("HEAD")
  if (head === undefined) return undefined
  const tree = repository.openTree(head.tree)
  const files: Record<string, string> = {}
  for (const path of paths) {
    const id = await tree.id(path === "." ? "" : path)
    if (id !== undefined) files[path] = id
  }
  const isRead = (file: string) => paths.some((path) => path === "." || file === path || file.startsWith(`${path}/`))
  const changed = (await repository.listUncommitted()).filter(isRead).sort()
  if (changed.length > MOST_UNCOMMITTED) return undefined
  const uncommitted = changed.length === 0 ? null : hashFiles(repository.folder, changed)
  return uncommitted === undefined ? undefined : { commit: head.commit, files, uncommitted }
}

function hashFiles(root: string, files: readonly string[]): string | undefined {
  const hasher = new Bun.CryptoHasher("sha256")
  let bytes = 0
  for (const file of files) {
    const path = join(root, file)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    bytes += stat?.size ?? 0
    if (bytes > MOST_BYTES) return undefined
    hasher.update(`${file}\0${stat === undefined ? "gone" : stat.isFile() ? "file" : "other"}\0${stat?.size ?? 0}\0`)
    if (stat?.isFile() === true) hasher.update(readFileSync(path))
    if (stat?.isSymbolicLink() === true) hasher.update(readlinkSync(path))
  }
  return hasher.digest("hex")
}

/** From the repository's root: `src/`, `./src` and `/repo/src` become `src`. */
export function cleanPaths(paths: readonly string[], root: string): string[] {
  const clean = paths.map((path) => {
    const inside = path === root ? "." : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
    const parts = inside.split("/").filter((part) => part !== "" && part !== ".")
    if (inside.startsWith("/") || parts.includes(".."))
      throw new AppError("input.invalid", `${quoteInput(path)} is not in the repository; name files from its root`)
    return parts.join("/") || "."
  })
  return [...new Set(clean)]
}
