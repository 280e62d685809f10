import { branchIn } from "../kernel/branches.ts"
import type { Git } from "./git.ts"

/**
 * A ref of ours can name a branch: it points to a small object that holds the branch's full name. It is no symbolic ref on
 * purpose: git follows one, so deleting or moving ours would delete or move the user's branch.
 */
export async function findNamedBranch(git: Git, ref: string): Promise<string | undefined> {
  const object = await (await git.objects()).read(ref)
  if (object?.type === "blob") return branchIn(object.content.toString("utf8"))
  // As earlier versions kept it, or nothing.
  const { exitCode, stdout } = await git.run(["symbolic-ref", "--quiet", ref])
  return exitCode === 0 ? branchIn(stdout) : undefined
}

/** The same of the object, read by one git process that is waited for; undefined where it names none. */
export function readNamedBranch(gitDir: string, id: string): string | undefined {
  const { exitCode, stdout } = Bun.spawnSync(["git", `--git-dir=${gitDir}`, "cat-file", "blob", id], {
    stderr: "ignore",
  })
  return exitCode === 0 ? branchIn(stdout.toString()) : undefined
}
