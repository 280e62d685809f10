import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { choice, list } from "../../lib/schema.ts"
import { planFiles } from "../../ownership/operations/plan-files.ts"
import { assertCapable, getRole } from "../../planning/roles/roles.ts"
import { askAtStart } from "../../requests/operations/checkpoints.ts"
import {
  agentField,
  commaList,
  type OnOverlap,
  operation,
  planFields,
  priorityField,
  roleField,
  type Settings,
  taskIdField,
  teamFields,
  textField,
  titleField,
  workerIdField,
} from "../../store/operation.ts"
import type { GraphNode, StoredTeam, Tx } from "../../store/port.ts"
import { EFFORTS } from "../effort.ts"
import { cycleError, missingNeedError } from "../layers.ts"
import { COMPLEXITIES, GENERIC_ROLE, type Task, type TaskBrief, workOf } from "../task.ts"
import { currentWave } from "../wave.ts"
import { lockTeam } from "./lookup.ts"
import { leaveComplete, withdrawWaveVerdict } from "./task-moves.ts"
import { tellAssigned } from "./tell-assignee.ts"

const input = {
  ...teamFields,
  id: v.optional(taskIdField),
  title: titleField("the work, in a line"),
  description: v.optional(textField("the work, in full"), ""),
  role: v.optional(roleField, GENERIC_ROLE),
  complexity: v.optional(choice(COMPLEXITIES, "complexity"), "standard"),
  blockedBy: v.optional(commaList(taskIdField, "ids of the tasks it needs, as 1,2"), []),
  acceptance: v.optional(
    list(textField("what must be true at the end"), "what must be true at the end; may be repeated"),
    [],
  ),
  check: v.optional(list(textField("command"), "command that must exit with 0 at the end; may be repeated"), []),
  files: v.optional(list(textField("glob"), "pattern of the files it owns; may be repeated"), []),
  ...planFields,
  agentType: v.optional(textField("kind of agent it asks for", 100)),
  assignee: v.optional(workerIdField),
  priority: v.optional(priorityField),
  agent: v.optional(
    agentField("the agent that does it, such as codex or script; by default what teamwork route names"),
  ),
  model: v.optional(textField("the model by name; by default what the agent's settings say for its complexity", 200)),
  effort: v.optional(choice(EFFORTS, "how hard the model should think; by default what its role asks for")),
  run: v.optional(list(textField("command"), "command that the script agent runs; may be repeated"), []),
  repair: v.optional(
    list(textField("command"), "command it runs instead after the work was refused; may be repeated"),
    [],
  ),
}

export const createTask = operation({
  name: "task.create",
  summary: "Create a task",
  input,
  async run({ store, settings, roles, ids }, input): Promise<Task> {
    if (input.agentType !== undefined) assertCapable(input, getRole(await roles(), input.agentType))
    const { id, check: checks, onOverlap, grantShared, agentType = null, assignee = null, ...given } = input
    // `run` is what the task runs, not the run of the team.
    const name = { project: input.project, team: input.team }
    return store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const task = await addTask(tx, team, settings, {
        id,
        by: PERSON,
        onOverlap,
        grantShared,
        brief: { ...given, checks, agentType, assignee, work: workOf(input) },
      })
      await tellAssigned(tx, team.key, { task, before: null, ids })
      if (team.mode === "SUPERVISED") await askAtStart(tx, name, PERSON)
      return task
    })
  },
})

export interface TaskAddition {
  /** The next free number by default. */
  readonly id?: TaskId
  readonly brief: TaskBrief
  readonly by: string
  readonly onOverlap?: OnOverlap
  readonly grantShared?: boolean
}

/** Also separates its files from others, and sets wave and phase. The team must be locked. */
export async function addTask(
  tx: Tx,
  team: StoredTeam,
  settings: Settings,
  { brief, by, ...addition }: TaskAddition,
): Promise<Task> {
  const id = addition.id ?? (await freeId(tx, team))
  const given = [...new Set(brief.blockedBy)]
  const placed = { ...addition, id, blockedBy: given, files: brief.files }
  const { files, waitsFor } = await placeFiles(tx, team, settings, placed)
  const blockedBy = [...given, ...waitsFor]
  const wave = await placeInWaves(tx, team, { needs: await checkNeeds(tx, team, id, blockedBy), by })
  const task = await tx.tasks.create(team.key, id, { ...brief, blockedBy, files }, wave)
  if (task === undefined) {
    throw new AppError(
      "task.exists",
      (say) => `task ${id} exists already; choose another id, or leave ${say.field("id")} out`,
      { taskId: id },
    )
  }
  if (/^\d{1,9}$/.test(id)) await tx.teams.raiseTaskNumber(team.key, Number(id) + 1)
  const data = { task: id, title: brief.title, blocked_by: blockedBy }
  await tx.events.append(team.key, by, { type: "task.created", data })
  await leaveComplete(tx, team, by)
  return task
}

async function placeFiles(
  tx: Tx,
  team: StoredTeam,
  settings: Settings,
  { id, blockedBy, files, onOverlap = settings.onOverlap, grantShared = false }: Placed,
): Promise<{ files: readonly string[]; waitsFor: readonly TaskId[] }> {
  if (files.length === 0) return { files, waitsFor: [] }
  // An existing task would overlap with itself; the caller reports that it exists.
  if ((await tx.tasks.find(team.key, id)) !== undefined) return { files, waitsFor: [] }
  return planFiles(tx, team, settings, { id, status: "open", blockedBy, files, onOverlap, grantShared })
}

interface Placed {
  readonly id: TaskId
  readonly blockedBy: readonly TaskId[]
  readonly files: readonly string[]
  readonly onOverlap?: OnOverlap
  readonly grantShared?: boolean
}

async function freeId(tx: Tx, team: StoredTeam): Promise<TaskId> {
  for (;;) {
    const id = String(await tx.teams.takeTaskNumber(team.key)) as TaskId
    if ((await tx.tasks.find(team.key, id)) === undefined) return id
  }
}

/** No older task can need a new one, so only a task that needs itself makes a cycle. */
async function checkNeeds(
  tx: Tx,
  team: StoredTeam,
  id: TaskId,
  needs: readonly TaskId[],
): Promise<Pick<GraphNode, "wave">[]> {
  if (needs.includes(id)) throw cycleError([id, id])
  return Promise.all(
    needs.map(async (need) => {
      const task = await tx.tasks.find(team.key, need)
      if (task === undefined) throw missingNeedError(id, need)
      return task
    }),
  )
}

/** Joins the open wave, or the one after the last wave it needs. */
async function placeInWaves(
  tx: Tx,
  team: StoredTeam,
  { needs, by }: { readonly needs: readonly Pick<GraphNode, "wave">[]; readonly by: string },
): Promise<number | null> {
  const waves = await tx.waves.list(team.key)
  const last = waves.at(-1)
  if (last === undefined) return null
  const open = waves.every((wave) => wave.verdict === "verified") ? last.number + 1 : currentWave(waves)
  const number = Math.max(open, ...needs.map((need) => (need.wave ?? 0) + 1))
  if (number > last.number) {
    const startedAt = number === open ? await tx.now() : null
    await tx.waves.put(team.key, { number, verdict: null, startedAt, verifiedAt: null })
  }
  await withdrawWaveVerdict(tx, team, { wave: number, by })
  return number
}
