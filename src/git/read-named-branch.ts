import { branchIn } from "../kernel/branches.ts"
import type { Git } from "./git.ts"

/**
 * Our ref points to a blob with the full name of the branch. A symbolic ref would be dangerous: git follows it, so
 * deleting or moving our ref would delete or move the user's branch.
 */
export async function findNamedBranch(git: Git, ref: string): Promise<string | undefined> {
  const object = await (await git.objects()).read(ref)
  if (object?.type === "blob") return branchIn(object.content.toString("utf8"))
  // Earlier versions used symbolic refs.
  const { exitCode, stdout } = await git.run(["symbolic-ref", "--quiet", ref])
  return exitCode === 0 ? branchIn(stdout) : undefined
}

export function readNamedBranch(gitDir: string, id: string): string | undefined {
  const { exitCode, stdout } = Bun.spawnSync(["git", `--git-dir=${gitDir}`, "cat-file", "blob", id], {
    stderr: "ignore",
  })
  return exitCode === 0 ? branchIn(stdout.toString()) : undefined
}
