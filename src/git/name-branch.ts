import { branchIn } from "../kernel/branches.ts"
import type { Git } from "./git.ts"
import { logged, type MoveLog } from "./move-log.ts"

/** Replaces whatever the ref was, also a symbolic one, and never what that pointed to. */
export async function nameBranch(git: Git, log: MoveLog, { ref, branch }: { ref: string; branch: string }) {
  const object = await git.read(["hash-object", "-w", "--stdin"], { input: `${branch}\n` })
  await logged(git, log, { refs: [{ ref, to: object }] }, (options) =>
    git.read(["update-ref", "--no-deref", "-m", "teamwork", ref, object], options),
  )
}

/** Earlier versions kept the names of branches as symbolic refs. Replaces all of them; safe to repeat. */
export async function replaceSymbolicRefs(git: Git, log: MoveLog): Promise<void> {
  const lines = await git.read(["for-each-ref", "--format=%(refname) %(symref)", "refs/teamwork/"])
  for (const line of lines.split("\n")) {
    const [ref = "", target = ""] = line.split(" ")
    const branch = branchIn(target)
    if (branch !== undefined) await nameBranch(git, log, { ref, branch })
  }
}
