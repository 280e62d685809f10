import { branchRef, integrationBranch } from "../../kernel/branches.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import { readHistory } from "../../reporting/operations/read-history.ts"
import { listTasks } from "../../tasks/operations/list-tasks.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { noteRecheck } from "../../tasks/operations/recheck-task.ts"
import { listDueRechecks } from "../../tasks/recheck.ts"
import type { Task } from "../../tasks/task.ts"
import { excerptFailure, explain } from "../failure-excerpt.ts"
import { checkCommands, type Findings, statusOf } from "../gates/findings.ts"
import { shellCommand } from "../gates/gate-command.ts"
import { type ChosenState, chooseState } from "./choose-state.ts"
import { judgeCommands } from "./judge-commands.ts"
import { hasWork, readWork } from "./task-work.ts"
import { testCommit } from "./test-commit.ts"
import { GATE, type Verifier } from "./verifier.ts"

/**
 * Checks tasks that build on a revised one, without an agent: their checks run on the merged tree. A task that
 * fails or cannot be judged is reopened with the reason.
 */
export async function recheckTasks(
  verifier: Verifier,
  { project, team, run }: TeamName,
  only?: readonly string[],
): Promise<void> {
  const name = await resolveRun(verifier.context, { project, team, run })
  const isAsked = (id: string) => only === undefined || only.includes(id)
  // The next task may wait for this one.
  for (;;) {
    const { history } = await readHistory(verifier.context, name, [
      "task.recheck_asked",
      "task.rechecked",
      "task.reopened",
    ])
    const asked = new Map(
      [...history.tasks.values()].flatMap(({ id, recheckOf }) =>
        recheckOf === null ? [] : [[id as string, recheckOf]],
      ),
    )
    if (asked.size === 0) return
    const due = listDueRechecks(await listTasks.run(verifier.context, name), asked).find(({ id }) => isAsked(id))
    if (due === undefined) return
    await recheck(verifier, name, { task: due, of: asked.get(due.id) ?? "" })
  }
}

async function recheck(
  verifier: Verifier,
  name: RunName,
  { task, of }: { readonly task: Task; readonly of: string },
): Promise<void> {
  const { context, repository } = verifier
  const state = await chooseState(repository, { branches: [branchRef(integrationBranch(name))] })
  const why = await whyItFails(verifier, name, { task, state })
  const failure = why === null ? null : `task ${of}, which it builds on, was revised: ${why}`
  const { id, attempt } = task
  await noteRecheck(context, { ...name, task: id, attempt, commit: state.commit, failure, by: GATE })
}

async function whyItFails(
  verifier: Verifier,
  name: RunName,
  { task, state }: { readonly task: Task; readonly state: ChosenState },
): Promise<string | null> {
  const work = (await readWork(verifier, name, [task])).get(task.id)
  if (work !== undefined && !(await hasWork(verifier, state.commit, work))) return "its work is not merged"
  const own = task.checks.map((line) => shellCommand("accept", line))
  if (own.length === 0) {
    const tested = await testCommit(verifier, name, state.commit)
    return tested.status === "skipped" ? "there is no command that shows whether it still holds" : reasonOf(tested)
  }
  return reasonOf(checkCommands((await judgeCommands(verifier, state, { commands: own, base: undefined })).judged))
}

function reasonOf(findings: Findings): string | null {
  const excerpt = excerptFailure({ ...findings, status: statusOf(findings) })
  return excerpt === undefined ? null : explain(excerpt)
}
