import { AppError } from "../kernel/errors.ts"
import type { Git } from "./git.ts"
import { logged, type MoveLog } from "./move-log.ts"
import type { RefMove } from "./port.ts"
import { isWriteRefused, readOnly } from "./write-into.ts"

/** Compare and swap: all refs move, or none when one of them is not where it was said to be. */
export async function moveRefs(git: Git, log: MoveLog, moves: readonly RefMove[]): Promise<boolean> {
  if (moves.length === 0) return true
  const lines = moves.map(({ ref, from, to }) => {
    if (to === null) return `delete ${ref}\0${from ?? ""}\0`
    return from === null ? `create ${ref}\0${to}\0` : `update ${ref}\0${to}\0${from}\0`
  })
  const input = lines.join("")
  const result = await logged(git, log, { refs: moves }, (options) =>
    git.run(["update-ref", "--no-deref", "-m", "teamwork", "--stdin", "-z"], { ...options, input }),
  )
  if (result.exitCode === 0) return true
  if (await wasOvertaken(git, moves)) return false
  if (isWriteRefused(result.stderr)) throw readOnly((await git.places()).commonDir, result.stderr)
  const refs = moves.map((move) => move.ref).join(", ")
  throw new AppError("git.failed", `git cannot move ${refs}: ${result.stderr.split("\n")[0]}`, { refs })
}

async function wasOvertaken(git: Git, moves: readonly RefMove[]): Promise<boolean> {
  for (const { ref, from } of moves) {
    const { exitCode, stdout } = await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", ref])
    if ((exitCode === 0 ? stdout.trim() : null) !== from) return true
  }
  return false
}
