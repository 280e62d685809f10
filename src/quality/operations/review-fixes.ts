import { SCRIPT } from "../../agents/programs.ts"
import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { addTask } from "../../tasks/operations/create-task.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { GENERIC_ROLE, NO_WORK, type Task, type TaskBrief } from "../../tasks/task.ts"
import { type Finding, mustBeFixed, placeOf } from "../finding.ts"
import { findingId } from "../finding-task.ts"
import { change, listOpen } from "./record-findings.ts"

/**
 * One fix task per task with open findings, after the last wave. A finding gets no second fix task before the next
 * review. Safe to repeat.
 */
export async function makeReviewFixes(
  { store, settings }: Context,
  name: TeamName,
  numbers?: readonly number[],
): Promise<Task[]> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const isWanted = ({ number, fixTask }: Finding) => fixTask === null && (numbers?.includes(number) ?? true)
    const open = (await listOpen(tx, team.key)).filter((each) => mustBeFixed(each) && isWanted(each))
    const made: Task[] = []
    for (const [about, findings] of Map.groupBy(open, ({ taskId }) => taskId)) {
      const id = await freeId(tx, team.key, about)
      const task = about === null ? undefined : await tx.tasks.find(team.key, about)
      const brief = { ...(task === undefined ? ofWhole() : ofTask(task)), description: describe(task, findings) }
      // Tasks of different waves may own the same files, and so may their fixes.
      const addition = { id, brief, by: ENGINE, onOverlap: "serialise", grantShared: true } as const
      made.push(await addTask(tx, team, settings, addition))
      for (const finding of findings)
        await change(tx, team, finding, { status: "open", data: { fixTask: id, rounds: finding.rounds + 1 } })
    }
    return made
  })
}

async function freeId(tx: Tx, key: number, about: TaskId | null): Promise<TaskId> {
  for (let round = 1; ; round++) {
    const id = findingId(round, about)
    if ((await tx.tasks.find(key, id)) === undefined) return id
  }
}

const ACCEPTANCE = "what the review found is fixed, or shown to be no fault"

function ofWhole(): Omit<TaskBrief, "description"> {
  return {
    title: "Fix what the review found in the work as a whole",
    role: GENERIC_ROLE,
    complexity: "standard",
    blockedBy: [],
    acceptance: [ACCEPTANCE],
    checks: [],
    files: [],
    agentType: null,
    assignee: null,
    work: NO_WORK,
  }
}

function ofTask({ id, title, role, complexity, acceptance, checks, files, agentType, work }: Task) {
  return {
    title: `Fix what the review found in task ${id}: ${title}`.slice(0, 500),
    role,
    complexity,
    checks,
    files,
    agentType,
    blockedBy: [],
    acceptance: [...acceptance, ACCEPTANCE],
    assignee: null,
    // A script without repair commands would do the same again.
    work: {
      ...NO_WORK,
      agent: work.repair.length === 0 && work.agent === SCRIPT ? null : work.agent,
      model: work.model,
      effort: work.effort,
      commands: work.repair,
      repair: work.repair,
    },
  }
}

function describe(task: Task | undefined, findings: readonly Finding[]): string {
  const where = task === undefined ? "" : ` in the work of task ${task.id}`
  return [
    `Reviews found${where}:`,
    "",
    ...findings.map(describeOne),
    "",
    "Look at each of them: fix it, or say why it is no fault. A review checks each of them again.",
    ...(task === undefined || task.description === "" ? [] : ["", "What the task was:", "", task.description]),
  ].join("\n")
}

function describeOne(finding: Finding): string {
  const place = placeOf(finding)
  const by = finding.agent ?? finding.by
  const head = `finding ${finding.number}, ${finding.severity}, by ${by}${place === null ? "" : `, ${place}`}`
  const again = finding.rounds === 0 ? "" : " (a fix was tried before, and the review found it still open)"
  return `- ${head}${again}: ${finding.text.replaceAll("\n", "\n  ")}`
}
