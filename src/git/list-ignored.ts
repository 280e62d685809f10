import { lstatSync } from "node:fs"
import { join } from "node:path"
import type { Git } from "./git.ts"

/**
 * Those of the paths in a worktree that are there, are not tracked, and that git leaves out because they are ignored. `git`
 * is one that looks at the worktree by itself, whatever an agent made of the repository in it.
 */
export async function findIgnored(git: Git, folder: string, paths: readonly string[]): Promise<string[]> {
  const present = paths.filter((path) => lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined)
  if (present.length === 0) return []
  const input = `${present.join("\0")}\0`
  // Ends with 1 where none is ignored.
  const { exitCode, stdout } = await git.run(["check-ignore", "-z", "--stdin"], { input })
  return exitCode === 0 ? stdout.split("\0").filter((path) => path !== "") : []
}
