import { existsSync, writeFileSync } from "node:fs"
import type { Git } from "../git.ts"
import { excludeFromCommits } from "./copy-files.ts"
import type { Ground } from "./ground.ts"

/**
 * What the set-up of a worktree wrote is nobody's work. Tracked files go back to what they are in the commit. New folders
 * get a file by which they ignore themselves; only single files that are left are added to the list that the whole
 * repository shares.
 */
export async function tidyAfterSetup(ground: Ground, git: Git, path: string): Promise<void> {
  const status = ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames"]
  const entries = (await git.list(status)).map((entry) => ({ isNew: entry.startsWith("??"), file: entry.slice(3) }))
  const changed = entries.filter(({ isNew }) => !isNew).map(({ file }) => file)
  if (changed.length > 0) {
    const input = changed.map((file) => `${file}\0`).join("")
    await git.read(["checkout", "--quiet", "HEAD", "--pathspec-from-file=-", "--pathspec-file-nul"], { input })
  }
  const files = entries.filter(({ isNew }) => isNew).map(({ file }) => file)
  for (const folder of files.filter((file) => file.endsWith("/"))) {
    const ignore = `${path}/${folder}.gitignore`
    if (!existsSync(ignore)) writeFileSync(ignore, "*\n")
  }
  const single = files.filter((file) => !file.endsWith("/"))
  await excludeFromCommits(ground, git, single)
}
