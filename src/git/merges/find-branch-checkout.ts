import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { resolvePath } from "../../lib/paths.ts"
import type { Git } from "../git.ts"
import type { Checkout } from "../port.ts"

export async function findCheckout(git: Git, branch: string): Promise<Checkout | undefined> {
  const ref = `refs/heads/${branch}`
  const found: Checkout[] = []
  for (const { folder, head } of await listWorktrees(git)) {
    if (folder === undefined) {
      const obstacle = `${branch} is checked out in a folder that git does not know, because the git folder is elsewhere; run teamwork in that folder`
      if (head === ref) found.push({ folder: (await git.places()).commonDir, obstacle })
      continue
    }
    const here = git.in(folder)
    const { gitDir } = await here.places()
    // During a rebase or bisect another commit is checked out, and at the end git moves the branch.
    const names = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"].map((name) =>
      readLine(gitDir, name),
    )
    if (names.includes(ref) || names.includes(branch))
      found.push({ folder, obstacle: `a rebase or bisect of ${branch} is in progress in ${folder}` })
    else if (head === ref) found.push({ folder, obstacle: await findObstacle(here, folder, gitDir) })
  }
  const [first, second] = found
  if (first === undefined || second === undefined) return first
  const obstacle = `${branch} is checked out in ${first.folder} and in ${second.folder}, and only one of them would be updated; check out another branch in one of them`
  return { folder: first.folder, obstacle }
}

interface Worktree {
  readonly folder: string | undefined
  readonly head: string | undefined
}

async function listWorktrees(git: Git): Promise<Worktree[]> {
  const output = await git.read(["worktree", "list", "--porcelain", "-z"])
  const found: Worktree[] = []
  for (const [number, entry] of output.split("\0\0").entries()) {
    const lines = entry.split("\0")
    const find = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1)
    const folder = find("worktree")
    if (folder === undefined || lines.includes("bare") || !existsSync(folder)) continue
    const isFolderOfGit = number === 0 && folder === (await git.places()).commonDir
    found.push({ folder: isFolderOfGit ? await findMain(git, folder) : folder, head: find("branch") })
  }
  return found
}

/** With `--separate-git-dir` git lists its own folder instead, and knows the checkout only from inside. */
async function findMain(git: Git, commonDir: string): Promise<string | undefined> {
  const { exitCode, stdout } = await git.run(["config", "--get", "core.worktree"])
  if (exitCode === 0) return resolvePath(stdout.trim(), commonDir)
  if ((await git.places()).gitDir !== commonDir) return undefined
  const top = await git.run(["rev-parse", "--show-toplevel"])
  return top.exitCode === 0 ? top.stdout.trim() : undefined
}

async function findObstacle(git: Git, folder: string, gitDir: string): Promise<string | null> {
  const going = { MERGE_HEAD: "merge", CHERRY_PICK_HEAD: "cherry-pick", REVERT_HEAD: "revert" }
  for (const [file, what] of Object.entries(going)) {
    if (existsSync(join(gitDir, file))) return `a ${what} is in progress in ${folder}`
  }
  const status = ["status", "--porcelain", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=dirty"]
  const changed = await withoutSubmodules(git, await git.list(status))
  if (changed.length === 0) return null
  const [first = ""] = changed
  const more = changed.length === 1 ? "" : ` and ${changed.length - 1} more`
  return `${folder} has uncommitted changes: ${JSON.stringify(first.slice(3))}${more}`
}

/** A submodule at another commit is no obstacle, because we do not touch it. */
async function withoutSubmodules(git: Git, changed: readonly string[]): Promise<readonly string[]> {
  const paths = changed.filter((line) => line.startsWith(" M ")).map((line) => line.slice(3))
  if (paths.length === 0) return changed
  const literal = paths.map((path) => `:(top,literal)${path}`)
  const entries = await git.list(["ls-files", "--stage", "--full-name", "-z", "--", ...literal])
  const submodules = new Set(
    entries.flatMap((line) => (line.startsWith("160000 ") ? [line.slice(line.indexOf("\t") + 1)] : [])),
  )
  return changed.filter((line) => !line.startsWith(" M ") || !submodules.has(line.slice(3)))
}

function readLine(folder: string, name: string): string | undefined {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined
}
