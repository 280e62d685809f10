import * as v from "valibot"
import { command, fromOperation, type Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { text } from "../../lib/schema.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import type { GateRepository } from "../gates/port.ts"
import { acceptQa, listQuality, type QaReported, recordQa, returnQa } from "../operations/report-qa.ts"
import { planQa, submitQa } from "../operations/submit-qa.ts"
import type { Judged } from "../verdict.ts"
import { assertHasWork } from "../verify/assert-work.ts"
import { getCommit } from "../verify/choose-state.ts"
import { describeQa, renderQualities } from "../views/quality-view.ts"

const { tree: _tree, answer: _answer, agent: _agent, ...submitted } = submitQa.input
const input = {
  ...submitted,
  base: v.optional(text("where the task started; by default what is known of it, else when it was claimed")),
  commit: v.optional(
    text("what is handed in; by default what is checked out here", (value) =>
      value === "" ? "is no commit" : undefined,
    ),
  ),
}

export const qaSubmit = command({
  summary: submitQa.summary,
  fields: input,
  positional: ["id"],
  example: "teamwork qa submit 3 --owner w1",
  async run(session, { commit: revision, base, ...given }) {
    const state = await findState(session, revision)
    if (state !== undefined) {
      const context = await session.context()
      const name = await resolveRun(context, given)
      const task = await getTask.run(context, { ...name, id: given.id })
      await assertHasWork(context, state.repository, { ...state, name, task, base, state: state.judged })
    }
    const result = await submitQa.run(await session.context(), { ...given, ...state?.judged })
    return {
      data: { ...result.quality, qa: result.task.qa },
      text: () => describeQa(result),
      ...(state === undefined || state.uncommitted === 0
        ? {}
        : { warnings: [`${state.uncommitted} changed files are not committed, and no part of what was handed in`] }),
    }
  },
})

/** Outside a repository work has no commit. */
async function findState(
  session: Session,
  revision: string | undefined,
): Promise<{ judged: Judged; uncommitted: number; repository: GateRepository } | undefined> {
  try {
    const { repository } = await (await session.configured()).gates(session.host.io.cwd)
    const judged = await getCommit(repository, revision ?? "HEAD")
    const uncommitted = revision === undefined ? (await repository.listUncommitted()).length : 0
    return { judged, uncommitted, repository }
  } catch (error) {
    const isNoPlace = error instanceof AppError && /^(?:gate|workspace)\.no_/.test(error.code)
    if (revision === undefined && isNoPlace) return undefined
    throw error
  }
}

export const qaPlan = fromOperation(planQa, {
  positional: ["id"],
  example: "teamwork qa plan 3",
  data: ({ quality: round, approval, task }) => ({ ...round, approval, qa: task.qa }),
  text: ({ approval, ...planned }) =>
    `${describeQa(planned)}\nApproval ${approval.number} is ${approval.status}:\n${approval.question}`,
})

const reported = {
  positional: ["id"],
  data: ({ task, quality: round }: QaReported) => ({ ...round, qa: task.qa, taskStatus: task.status }),
  text: (result: QaReported) => describeQa(result, result.verdict),
}

export const qaRecord = fromOperation(recordQa, {
  ...reported,
  example: 'teamwork qa record 3 --score "correctness=90: all cases hold" --score "tests=70: none for the empty list"',
})

export const qaAccept = fromOperation(acceptQa, { ...reported, example: "teamwork qa accept 3" })

export const qaReturn = fromOperation(returnQa, {
  ...reported,
  example: 'teamwork qa return 3 --reason "the empty list is not covered"',
})

export const quality = fromOperation(listQuality, { positional: ["task"], text: renderQualities })
