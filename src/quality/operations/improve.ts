import * as v from "valibot"
import { SCRIPT } from "../../agents/programs.ts"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput, type TaskId } from "../../kernel/ids.ts"
import { text } from "../../lib/schema.ts"
import { operation, teamFields } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { addTask } from "../../tasks/operations/create-task.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { hasEnded, NO_WORK, type Task, type TaskBrief } from "../../tasks/task.ts"
import { DIMENSION_ASKS } from "../qa-plan.ts"
import { isVerdict, type Quality, toQuality, weakest } from "../quality.ts"

export interface Improvement {
  readonly dimension: string | null
  readonly mean: number | null
  readonly tasks: readonly Task[]
}

const MAX_TASKS = 5

/** Creates tasks for the weakest dimension, by the latest scores. Safe to repeat. */
export const improve = operation({
  name: "improve",
  summary: "Find the weakest dimension of the work by the scores of QA, and create tasks that improve it",
  input: { ...teamFields, dimension: v.optional(text("this dimension, such as tests; by default the weakest")) },
  run: ({ store, settings }, { dimension, ...name }): Promise<Improvement> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const latest = await latestRounds(tx, team)
      const found = weakest(latest, settings.quality, dimension)
      if (found === undefined && dimension !== undefined && latest.length > 0) throw unknown(dimension, latest)
      if (found === undefined) return { dimension: null, mean: null, tasks: [] }
      const tasks: Task[] = []
      for (const id of found.tasks.slice(0, MAX_TASKS)) {
        const about = await tx.tasks.find(team.key, id)
        const round = latest.find(({ taskId }) => taskId === id)
        const free = about && (await freeId(tx, team, `improve-${found.name}-${id}`))
        if (about === undefined || free === undefined) continue
        const brief = briefOf(about, round, found.name)
        const addition = { id: free, brief, by: PERSON, onOverlap: "serialise", grantShared: true } as const
        tasks.push(await addTask(tx, team, settings, addition))
      }
      return { dimension: found.name, mean: found.mean, tasks }
    }),
})

async function latestRounds(tx: Tx, team: StoredTeam): Promise<Quality[]> {
  const latest = new Map<TaskId, Quality>()
  for (const record of await tx.records.list(team.key, { kind: "quality" })) {
    const quality = toQuality(record)
    if (quality.taskId !== null && isVerdict(quality)) latest.set(quality.taskId, quality)
  }
  return [...latest.values()]
}

function unknown(dimension: string, rounds: readonly Quality[]): AppError {
  const known = [...new Set(rounds.flatMap(({ scores }) => scores.map(({ name }) => name)))]
  return new AppError("input.invalid", `nothing was scored for ${quoteInput(dimension)}; there is ${known.join(", ")}`)
}

/** Undefined while the last such task is not done. */
async function freeId(tx: Tx, team: StoredTeam, name: string): Promise<TaskId | undefined> {
  for (let number = 1; ; number++) {
    const id = (number === 1 ? name : `${name}-${number}`) as TaskId
    const known = await tx.tasks.find(team.key, id)
    if (known === undefined) return id
    if (!hasEnded(known.status)) return undefined
  }
}

function briefOf(task: Task, round: Quality | undefined, dimension: string): TaskBrief {
  const score = round?.scores.find(({ name }) => name === dimension)
  const asks = DIMENSION_ASKS[dimension] ?? dimension
  return {
    title: `Improve the ${dimension} of task ${task.id}: ${task.title}`.slice(0, 500),
    description: [
      `QA gave the work of task ${task.id} ${score?.score ?? "few"} of 100 for ${dimension}: ${score?.reason ?? ""}`.trim(),
      ...(round?.guidance ?? []).map((each) => `- ${each}`),
      ...(task.description === "" ? [] : ["", "What the task was:", "", task.description]),
    ].join("\n"),
    role: task.role,
    complexity: task.complexity,
    checks: task.checks,
    files: task.files,
    agentType: task.agentType,
    assignee: null,
    blockedBy: hasEnded(task.status) ? [] : [task.id],
    acceptance: [`${dimension}: ${asks}`, ...task.acceptance],
    // A script would do the same again.
    work: { ...NO_WORK, agent: task.work.agent === SCRIPT ? null : task.work.agent },
  }
}
