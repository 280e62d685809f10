import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { readChanges } from "../changes.ts"
import type { Git } from "../git.ts"
import { type MoveLog, runLogged } from "../move-log.ts"
import { moveRefs } from "../move-refs.ts"
import type { Targets } from "../port.ts"
import { writeInto } from "../write-into.ts"
import { findCheckout } from "./find-branch-checkout.ts"
import { findInTheWay } from "./find-in-the-way.ts"

export function makeTargets(git: Git, log: MoveLog): Targets {
  return {
    findCheckout: (branch) => findCheckout(git, branch),
    async move({ branch, from, to, checkout }) {
      const ref = `refs/heads/${branch}`
      if (checkout === undefined) return moveRefs(git, log, [{ ref, from, to }])
      return moveCheckedOut(git, log, { folder: checkout.folder, ref, from, to })
    },
    assertWritable: () => assertWritable(git),
    findRemote: (branch) => findRemote(git, branch),
    async push(remote, branch) {
      const ref = `refs/heads/${branch}`
      const { exitCode, stderr } = await git.run(["push", "--quiet", "--", remote, `${ref}:${ref}`])
      if (exitCode === 0) return
      const why = stderr.split("\n").find((line) => /rejected|fatal|error/.test(line)) ?? stderr.split("\n")[0] ?? ""
      throw new AppError("deliver.failed", `${remote} refused ${branch}: ${why.trim()}`, { remote, branch })
    },
  }
}

interface CheckedOutMove {
  readonly folder: string
  readonly ref: string
  readonly from: string
  readonly to: string
}

/** Files first: everything can be undone until the branch moves. */
async function moveCheckedOut(git: Git, log: MoveLog, { folder, ref, from, to }: CheckedOutMove): Promise<boolean> {
  const here = git.in(folder)
  if ((await here.run(["rev-parse", "--verify", "--quiet", ref])).stdout.trim() !== from) return false
  const inTheWay = findInTheWay(folder, await readChanges(here, from, to))
  const [first, ...more] = inTheWay
  if (first !== undefined) {
    const others = more.length === 0 ? "" : ` and ${more.length} more`
    const message = `${JSON.stringify(first)}${others} in ${folder} is not tracked and would be overwritten; move it away first`
    throw new AppError("deliver.refused", message, { folder, paths: inTheWay })
  }
  return runLogged(git, log, { refs: [], checkout: { folder, from, to } }, async (options, index) => {
    const update = async (one: string, other: string) => {
      await here.read(["read-tree", "-m", "-u", one, other], { ...options, env: { ...options.env, ...index?.env } })
      index?.apply()
    }
    await update(from, to)
    const isMoved =
      (await here.read(["symbolic-ref", "--quiet", "HEAD"])) === ref && (await moveRefs(here, log, [{ ref, from, to }]))
    if (!isMoved) await update(to, from)
    return isMoved
  })
}

async function assertWritable(git: Git): Promise<void> {
  const { commonDir } = await git.places()
  for (const folder of [commonDir, join(commonDir, "objects"), join(commonDir, "refs")])
    writeInto(commonDir, folder, () => accessSync(folder, constants.W_OK))
}

/** The branch's configured remote, else the only one, else `origin`. */
async function findRemote(git: Git, branch: string): Promise<{ name: string; url: string } | undefined> {
  const set = await git.run(["config", "--get", `branch.${branch}.remote`])
  const all = (await git.read(["remote"])).split("\n").filter((name) => name !== "")
  const fallback = all.length === 1 ? all[0] : all.find((name) => name === "origin")
  const name = set.exitCode === 0 && all.includes(set.stdout.trim()) ? set.stdout.trim() : fallback
  return name === undefined ? undefined : { name, url: await git.read(["remote", "get-url", "--", name]) }
}
