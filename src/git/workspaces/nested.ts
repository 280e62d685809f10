import { existsSync, statSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { type Git, withVariables } from "../git.ts"
import { readStatus, type Status } from "../read-status.ts"
import type { Ground } from "./ground.ts"
import { commitLeftovers, IDENTITY } from "./leftovers.ts"

const LEFTOVERS = "refs/heads/teamwork-leftovers"

/** The git repositories inside of a worktree, as far as git sees them: what is ignored is not kept anyway. */
export function listNested(path: string, status: Pick<Status, "changes"> | null): string[] {
  const folders = (status?.changes ?? [])
    .filter((change) => change.isRepository)
    .map((change) => `${path}/${change.path}`)
  // Somebody may have made a repository of the worktree's own folder.
  const own = statSync(`${path}/.git`, { throwIfNoEntry: false })?.isDirectory() === true ? [path] : []
  return [...folders, ...own].filter((folder) => existsSync(`${folder}/.git`))
}

/**
 * Brings everything of such repositories, uncommitted files too, below `refs/.../nested/<n>/` of the repository around
 * them: git itself would keep no more of them than a name.
 */
export async function pinNested(ground: Pick<Ground, "git" | "source">, nested: readonly string[], prefix: string) {
  for (const [index, folder] of nested.entries()) await bringOver(ground, folder, `${prefix}nested/${index + 1}/`)
}

async function bringOver({ git, source }: Pick<Ground, "git" | "source">, nested: string, prefix: string) {
  const inside = withVariables(source.in(nested), { GIT_DIR: `${nested}/.git`, GIT_WORK_TREE: nested })
  const fetch = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--update-shallow",
  ]
  try {
    const gitDir = await inside.read(["rev-parse", "--absolute-git-dir"])
    await keepLeftovers(inside, nested, gitDir)
    if ((await inside.read(["for-each-ref", "--count=1"])) === "") return
    await git.read([...fetch, "--", gitDir, `+refs/*:${prefix}*`])
  } catch (error) {
    if (!(error instanceof AppError && error.code === "git.failed")) throw error
    throw new AppError(
      "workspace.unsaved",
      `${nested} is a git repository of its own and cannot be kept (${error.message}); nothing was removed: move it away`,
      { folder: nested },
      { cause: error },
    )
  }
}

/** As a branch of the nested repository, which comes over with its others. */
async function keepLeftovers(git: Git, path: string, gitDir: string): Promise<void> {
  const status = await readStatus(git, gitDir)
  const head = status.commit ?? (await emptyCommit(git))
  const commit = await commitLeftovers({
    ...{ git, path, adminDir: gitDir, head, status },
    ...{ ignoreMissing: false, known: undefined },
  })
  const kept = commit ?? status.commit
  if (kept !== null) await git.read(["update-ref", LEFTOVERS, kept])
}

async function emptyCommit(git: Git): Promise<string> {
  const tree = await git.read(["mktree"], { input: "" })
  return git.read(["commit-tree", tree, "-m", "Nothing was committed"], { env: IDENTITY })
}
