import { branchIn } from "../kernel/branches.ts"
import { AppError } from "../kernel/errors.ts"
import type { Git } from "./git.ts"
import { type MoveLog, runLogged } from "./move-log.ts"
import type { RefMove } from "./port.ts"
import { isWriteRefused, readOnly } from "./write-into.ts"

/** Compare and swap: moves all refs, or none if one does not have its expected value. */
export async function moveRefs(git: Git, log: MoveLog, moves: readonly RefMove[]): Promise<boolean> {
  if (moves.length === 0) return true
  const lines = moves.map(({ ref, from, to }) => {
    if (to === null) return `delete ${ref}\0${from ?? ""}\0`
    return from === null ? `create ${ref}\0${to}\0` : `update ${ref}\0${to}\0${from}\0`
  })
  const input = lines.join("")
  const result = await runLogged(git, log, { refs: moves }, (options) =>
    git.run([...UPDATE_REF, "--stdin", "-z"], { ...options, input }),
  )
  if (result.exitCode === 0) return true
  if (await wasOvertaken(git, moves)) return false
  if (isWriteRefused(result.stderr)) throw readOnly((await git.places()).commonDir, result.stderr)
  const refs = moves.map((move) => move.ref).join(", ")
  throw new AppError("git.failed", `git cannot move ${refs}: ${result.stderr.split("\n")[0]}`, { refs })
}

const UPDATE_REF = ["update-ref", "--no-deref", "-m", "teamwork"]

async function wasOvertaken(git: Git, moves: readonly RefMove[]): Promise<boolean> {
  for (const { ref, from } of moves) {
    const { exitCode, stdout } = await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", ref])
    if ((exitCode === 0 ? stdout.trim() : null) !== from) return true
  }
  return false
}

/** Replaces the ref, even a symbolic one, never the branch behind it. See `read-named-branch.ts`. */
export async function nameBranch(git: Git, log: MoveLog, { ref, branch }: { ref: string; branch: string }) {
  const object = await git.read(["hash-object", "-w", "--stdin"], { input: `${branch}\n` })
  await runLogged(git, log, { refs: [{ ref, to: object }] }, (options) =>
    git.read([...UPDATE_REF, ref, object], options),
  )
}

/** Earlier versions kept branch names in symbolic refs. Idempotent. */
export async function replaceSymbolicRefs(git: Git, log: MoveLog): Promise<void> {
  const lines = await git.read(["for-each-ref", "--format=%(refname) %(symref)", "refs/teamwork/"])
  for (const line of lines.split("\n")) {
    const [ref = "", target = ""] = line.split(" ")
    const branch = branchIn(target)
    if (branch !== undefined) await nameBranch(git, log, { ref, branch })
  }
}
