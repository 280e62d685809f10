import { lstatSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { join } from "node:path"
import { readChanges } from "../changes.ts"
import type { Git } from "../git.ts"
import type { Change } from "../port.ts"

/**
 * A git that was killed while it brought a checkout from one commit to another has written some files and moved no
 * branch. Each of those files is as it was before, or gone, or the beginning of the new one: such a file goes back to how
 * it was. Anything else somebody wrote since, and it stays.
 */
export async function restoreCheckout(
  git: Git,
  { folder, from, to }: { readonly folder: string; readonly from: string; readonly to: string },
): Promise<string[]> {
  const here = git.in(folder)
  const { stdout: head } = await here.run(["rev-parse", "--verify", "--quiet", "HEAD"])
  if (head.trim() !== from) return []
  const told = [`restored ${folder}, whose files a killed git process was replacing`]
  if ((await here.run(["diff-index", "--cached", "--quiet", to])).exitCode === 0) {
    // All files are there, and only the branch is not: they go back as they came, and nothing of the user's is touched.
    return (await here.run(["read-tree", "-m", "-u", to, from])).exitCode === 0 ? told : []
  }
  const paths: string[] = []
  let hasRestored = false
  for (const change of await readChanges(here, from, to)) {
    if (!(await isOurs(here, folder, change))) continue
    hasRestored = true
    if (change.status === "added" || change.status === "renamed") rmSync(join(folder, change.path), { force: true })
    const isMissing = lstatSync(join(folder, change.oldPath), { throwIfNoEntry: false }) === undefined
    if (change.oldMode !== null && (change.status !== "renamed" || isMissing)) paths.push(change.oldPath)
  }
  // The index is as it was: git writes a new one beside it, which went with the lock.
  if (paths.length > 0)
    await here.read(["checkout-index", "--force", "-z", "--stdin"], { input: `${paths.join("\0")}\0` })
  await here.run(["update-index", "--refresh", "-q"])
  return hasRestored ? told : []
}

async function isOurs(git: Git, folder: string, change: Change): Promise<boolean> {
  const file = join(folder, change.path)
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return true
  if (change.newMode === null || change.newMode === "160000" || stat.isDirectory()) return false
  const now = stat.isSymbolicLink() ? Buffer.from(readlinkSync(file)) : readFileSync(file)
  const { stdout, exitCode } = await git.run(["cat-file", "blob", change.newId])
  return exitCode === 0 && Buffer.from(stdout).subarray(0, now.length).equals(now)
}
