import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { addTask } from "../../tasks/operations/create-task.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { GENERIC_ROLE, NO_WORK, type Task, type TaskBrief } from "../../tasks/task.ts"
import { findingId } from "../finding-task.ts"
import { findingsOf } from "../review.ts"

/**
 * Makes tasks of what the last review by another agent found: one for each task that it is about, behind the last wave.
 * Once for each review; none when it did not fail. Safe to repeat.
 */
export async function makeReviewFixes({ store, settings }: Context, name: TeamName): Promise<Task[]> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const reviews = (await tx.verdicts.list(team.key)).filter(({ scope }) => scope === "cross-agent")
    const last = reviews.at(-1)
    if (last?.status !== "failed") return []
    const round = reviews.filter(({ status }) => status === "failed").length
    const made: Task[] = []
    for (const { task: about, text } of findingsOf(last.checks)) {
      const id = findingId(round, about)
      if ((await tx.tasks.find(team.key, id)) !== undefined) continue
      const task = about === null ? undefined : await tx.tasks.find(team.key, about as TaskId)
      const brief = { ...(task === undefined ? ofWhole() : ofTask(task)), description: describe(last.by, task, text) }
      // Tasks that came one after the other may own the same files; their fixes do so too.
      const addition = { id, brief, by: ENGINE, onOverlap: "serialise", grantShared: true } as const
      made.push(await addTask(tx, team, settings, addition))
    }
    return made
  })
}

const ACCEPTANCE = "what the review found is mended, or it is shown to be no fault"

function ofWhole(): Omit<TaskBrief, "description"> {
  return {
    ...{ title: "Fix what the review found in the work as a whole", role: GENERIC_ROLE, complexity: "standard" },
    ...{
      blockedBy: [],
      acceptance: [ACCEPTANCE],
      checks: [],
      files: [],
      agentType: null,
      assignee: null,
      work: NO_WORK,
    },
  }
}

function ofTask({ id, title, role, complexity, acceptance, checks, files, agentType, work }: Task) {
  return {
    ...{
      title: `Fix what the review found in task ${id}: ${title}`.slice(0, 500),
      role,
      complexity,
      checks,
      files,
      agentType,
    },
    ...{ blockedBy: [], acceptance: [...acceptance, ACCEPTANCE], assignee: null },
    // Commands that did the task would do it no better; those for repairs may.
    work: {
      ...NO_WORK,
      agent: work.repair.length > 0 ? work.agent : otherThanScript(work.agent),
      model: work.model,
      effort: work.effort,
      commands: work.repair,
      repair: work.repair,
    },
  }
}

function otherThanScript(agent: string | null): string | null {
  return agent === "script" ? null : agent
}

function describe(by: string, task: Task | undefined, findings: string): string {
  const where = task === undefined ? "" : ` in the work of task ${task.id}`
  return [
    `All tasks are done and merged. A review of all of it by ${by} found${where}:`,
    "",
    findings,
    "",
    "Look at each of them: mend what is right, and say of what is wrong why it is no fault.",
    ...(task === undefined || task.description === "" ? [] : ["", "What the task was:", "", task.description]),
  ].join("\n")
}
