import type { AsideResult } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { askException } from "../../ownership/operations/exceptions.ts"
import { waitForAnswer } from "../../ownership/operations/wait-for-answer.ts"
import type { Hold } from "./hold-claim.ts"
import type { Shift } from "./shift.ts"

/** Enough for an answer. The commit that was set aside shows the rest. */
const MOST_ASKED = 20
const OF_OTHERS: readonly string[] = ["not_owned", "owned_by_other"]

/**
 * A task that asked for files of another open task waits for the answer, and so does one whose whole work lies in such
 * files: another run would end the same way. What it did is pinned, and nothing of it is judged.
 */
export async function heedAsks(
  { ports, team, worker }: Shift,
  { task, token }: Hold,
  done: AsideResult,
): Promise<void> {
  const claim = { ...team, task: task.id, owner: worker, token }
  for (const path of wholeAside(done)) {
    const reason = "all the task did is in files of other tasks"
    await askException.run(ports.context, { ...claim, path, reason }).catch((error) => {
      // It may by now, or the name cannot be a pattern: the gate has the last word.
      if (!(error instanceof AppError && ["ownership.decided", "input.invalid"].includes(error.code))) throw error
    })
  }
  const asked = await waitForAnswer(ports.context, claim)
  if (asked.length === 0) return
  ports.say(`Task ${task.id} waits for an answer on ${asked.map(({ pattern }) => pattern).join(", ")}`)
  throw new AppError("claim.lost", `task ${task.id} waits for an answer on files that it does not own`)
}

function wholeAside({ kept, aside }: AsideResult): string[] {
  if (kept.length > 0 || aside === null || !aside.changes.every(({ reason }) => OF_OTHERS.includes(reason))) return []
  return aside.changes.slice(0, MOST_ASKED).map(({ path }) => path)
}
