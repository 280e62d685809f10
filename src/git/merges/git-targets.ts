import { existsSync, lstatSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { readChanges } from "../changes.ts"
import type { Git } from "../git.ts"
import { logged, type MoveLog } from "../move-log.ts"
import { moveRefs } from "../move-refs.ts"
import type { Change, Checkout, Targets } from "../port.ts"

export function makeTargets(git: Git, log: MoveLog): Targets {
  return {
    findCheckout: (branch) => findCheckout(git, branch),
    async move({ branch, from, to, checkout }) {
      const ref = `refs/heads/${branch}`
      if (checkout === undefined) return moveRefs(git, log, [{ ref, from, to }])
      return moveCheckedOut(git, log, { folder: checkout.folder, ref, from, to })
    },
    findRemote: (branch) => findRemote(git, branch),
    async push(remote, branch) {
      const ref = `refs/heads/${branch}`
      const { exitCode, stderr } = await git.run(["push", "--quiet", "--", remote, `${ref}:${ref}`])
      if (exitCode === 0) return
      const why = stderr.split("\n").find((line) => /rejected|fatal|error/.test(line)) ?? stderr.split("\n")[0] ?? ""
      throw new AppError("deliver.failed", `${remote} did not take ${branch}: ${why.trim()}`, { remote, branch })
    },
  }
}

async function findCheckout(git: Git, branch: string): Promise<Checkout | undefined> {
  const ref = `refs/heads/${branch}`
  const output = await git.read(["worktree", "list", "--porcelain", "-z"])
  for (const entry of output.split("\0\0")) {
    const lines = entry.split("\0")
    const folder = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length)
    if (folder === undefined || lines.includes("bare") || !existsSync(folder)) continue
    const here = git.in(folder)
    const gitDir = await here.read(["rev-parse", "--path-format=absolute", "--git-dir"])
    // While one of these goes on another commit may be checked out, and at its end git moves the branch.
    const names = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"].map((name) =>
      readLine(gitDir, name),
    )
    if (names.includes(ref) || names.includes(branch)) {
      return { folder, obstacle: `a rebase or bisect of ${branch} goes on in ${folder}` }
    }
    if (lines.includes(`branch ${ref}`)) return { folder, obstacle: await findObstacle(here, folder, gitDir) }
  }
  return undefined
}

async function findObstacle(git: Git, folder: string, gitDir: string): Promise<string | null> {
  const going = { MERGE_HEAD: "merge", CHERRY_PICK_HEAD: "cherry-pick", REVERT_HEAD: "revert" }
  for (const [file, what] of Object.entries(going)) {
    if (existsSync(join(gitDir, file))) return `a ${what} goes on in ${folder}`
  }
  const status = ["status", "--porcelain", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=dirty"]
  const changed = await git.list(status)
  if (changed.length === 0) return null
  const [first = ""] = changed
  const more = changed.length === 1 ? "" : ` and ${changed.length - 1} more`
  return `${folder} has changes that are not committed: ${JSON.stringify(first.slice(3))}${more}`
}

function readLine(folder: string, name: string): string | undefined {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined
}

interface CheckedOutMove {
  readonly folder: string
  readonly ref: string
  readonly from: string
  readonly to: string
}

/** First the files, then the branch: until the branch is moved, everything can be taken back. */
async function moveCheckedOut(git: Git, log: MoveLog, { folder, ref, from, to }: CheckedOutMove): Promise<boolean> {
  const here = git.in(folder)
  if ((await here.run(["rev-parse", "--verify", "--quiet", ref])).stdout.trim() !== from) return false
  const inTheWay = (await readChanges(here, from, to)).flatMap((change) => findInTheWay(folder, change))
  const [first, ...more] = inTheWay
  if (first !== undefined) {
    const others = more.length === 0 ? "" : ` and ${more.length} more`
    const message = `${JSON.stringify(first)}${others} in ${folder} is not tracked and would be overwritten; move it away`
    throw new AppError("deliver.refused", message, { folder, paths: inTheWay })
  }
  return logged(git, log, { refs: [ref], checkout: { folder, from, to } }, async (env) => {
    await here.read(["read-tree", "-m", "-u", from, to], { env })
    const isMoved =
      (await here.read(["symbolic-ref", "--quiet", "HEAD"])) === ref && (await moveRefs(here, log, [{ ref, from, to }]))
    if (!isMoved) await here.read(["read-tree", "-m", "-u", to, from], { env })
    return isMoved
  })
}

/** Git would not ask before it replaces an ignored file. */
function findInTheWay(folder: string, { path, status, newMode }: Change): string[] {
  if (newMode === null || (status !== "added" && status !== "renamed")) return []
  const parts = path.split("/")
  for (let count = 1; count < parts.length; count++) {
    const parent = parts.slice(0, count).join("/")
    const stat = lstatSync(join(folder, parent), { throwIfNoEntry: false })
    if (stat === undefined) return []
    if (!stat.isDirectory()) return [parent]
  }
  return lstatSync(join(folder, path), { throwIfNoEntry: false }) === undefined ? [] : [path]
}

/** The one that is set for the branch, else the only one there is, else the one that clones have. */
async function findRemote(git: Git, branch: string): Promise<{ name: string; url: string } | undefined> {
  const set = await git.run(["config", "--get", `branch.${branch}.remote`])
  const all = (await git.read(["remote"])).split("\n").filter((name) => name !== "")
  const fallback = all.length === 1 ? all[0] : all.find((name) => name === "origin")
  const name = set.exitCode === 0 && all.includes(set.stdout.trim()) ? set.stdout.trim() : fallback
  return name === undefined ? undefined : { name, url: await git.read(["remote", "get-url", "--", name]) }
}
