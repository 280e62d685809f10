import { command, type Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Screen } from "../../lib/text/table.ts"
import type { Judged } from "../../quality/verdict.ts"
import { findResolvedState } from "../../quality/verify/resolved-state.ts"
import { getTask } from "../operations/get-task.ts"
import { resolveRun } from "../operations/lookup.ts"
import { type UpdateResult, updateTask } from "../operations/update-task.ts"

const { commit: _commit, tree: _tree, ...fields } = updateTask.input

/** QA passes one commit, so this looks at the repository after QA. */
export function taskUpdate(text: (result: UpdateResult, screen: Screen) => string | Promise<string>) {
  return command({
    summary: updateTask.summary,
    fields,
    positional: ["id"],
    example: 'teamwork task update --id 3 --owner w1 --status resolved --add-evidence "12 tests pass"',
    async run(session, input) {
      const result = await update(session, input)
      return { data: result.task, text: (screen) => text(result, screen), warnings: result.warnings }
    },
  })
}

type Input = Parameters<typeof updateTask.run>[1]

async function update(session: Session, input: Input): Promise<UpdateResult> {
  await assertNotFailed(input)
  const context = await session.context()
  try {
    return await updateTask.run(context, input)
  } catch (error) {
    const isUnknown = error instanceof AppError && error.code === "qa.needed" && error.details.qa === "passed"
    const state = isUnknown ? await findState(session, input) : undefined
    if (state === undefined) throw error
    return updateTask.run(context, { ...input, ...state })
  }
}

/** Refuses a result that reports a failure. */
async function assertNotFailed({ id, owner, status, result }: Input): Promise<void> {
  if ((status !== "resolved" && status !== "in_review") || result === undefined || !/failed|escalate/i.test(result))
    return
  // 1 ms to load, which most calls do not need.
  const { readClosingBlock } = await import("../closing-block.ts")
  const { outcome, reason } = readClosingBlock(result)
  if (outcome !== "failed" && outcome !== "escalate") return
  const fields = { id, ...(owner === undefined ? {} : { owner }), status: "failed", reason: "WHY" }
  const remedy = { operation: "task update", fields, to: "give it up with" } as const
  const says = outcome === "failed" ? "that it failed" : "that a person must decide"
  const message = `task ${id} cannot become ${status}: its result says ${says}${reason === "" ? "" : ` (${reason})`}`
  throw new AppError("task.transition", message, { taskId: id }, { remedy })
}

/** Undefined outside a repository. */
async function findState(session: Session, input: Input): Promise<Judged | undefined> {
  try {
    const context = await session.context()
    const name = await resolveRun(context, input)
    const task = await getTask.run(context, { ...name, id: input.id })
    const { repository } = await (await session.configured()).gates(session.host.io.cwd)
    return await findResolvedState(repository, name, task)
  } catch (error) {
    if (error instanceof AppError && /^(?:gate|workspace)\.no_/.test(error.code)) return undefined
    throw error
  }
}
