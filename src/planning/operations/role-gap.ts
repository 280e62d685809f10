import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { choice } from "../../lib/schema.ts"
import { LEAD } from "../../messages/message.ts"
import {
  operation,
  ownerField,
  type Settings,
  taskIdField,
  teamFields,
  titleField,
  tokenField,
} from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { changeNeeds } from "../../tasks/operations/change-needs.ts"
import { addTask } from "../../tasks/operations/create-task.ts"
import { lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { releaseTask } from "../../tasks/operations/task-moves.ts"
import { GENERIC_ROLE, hasEnded, isHeld, isMet, NO_WORK, type Task } from "../../tasks/task.ts"
import { draftSpec, isOwned, MAX_ROLE_SPECS, type MadeRole, renderRoleSpec } from "../roles/role-spec.ts"
import { RESPONSIBILITIES } from "../roles/roles.ts"
import { putSpec, readSpecs } from "./role-specs.ts"

export interface GapAnswer {
  /** Null if none could be made. */
  readonly role: string | null
  readonly isNewRole: boolean
  /** The task that reported the gap waits for it. */
  readonly task: TaskId | null
  readonly why: string
}

/**
 * For a worker that lacks a capability: makes a role, if the team may have another one, and a task that the
 * worker's task waits for. Otherwise the lead gets the reason.
 */
export const reportGap = operation({
  name: "role.gap",
  summary: "Report that a task needs a missing capability: teamwork makes a role for it, and a task that comes first",
  input: {
    ...teamFields,
    task: taskIdField,
    capability: titleField("the missing capability, in a line"),
    responsibility: v.optional(
      choice(RESPONSIBILITIES, "what the role is responsible for; by default the same as the role of the task"),
    ),
    owner: v.optional(ownerField),
    token: v.optional(tokenField),
  },
  async run({ store, settings, ids }, input): Promise<GapAnswer> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const task = await lockTask(tx, team.key, input.task)
      if (input.owner !== undefined) assertHolds(task, input.owner, input.token)
      if (hasEnded(task.status)) {
        throw new AppError(
          "task.transition",
          `task ${task.id} is ${task.status} and needs nothing more`,
          { taskId: task.id },
          { remedy: { operation: "task reopen", fields: { id: task.id }, to: "work on it again with" } },
        )
      }
      const by = input.owner ?? PERSON
      const specs = await readSpecs(tx, team.key)
      const own = specs.find(({ name }) => name === task.agentType)?.responsibility
      const draft = draftSpec(input.capability, input.responsibility ?? own ?? "implementation", specs)
      const known = specs.find(({ name }) => name === draft.name)
      const before = await findAnswered(tx, team.key, { task, role: draft.name })
      const answer =
        before ??
        (known === undefined && specs.length >= MAX_ROLE_SPECS
          ? noRoom(specs)
          : await closeGap(tx, team, { task, by, settings, draft, isNew: known === undefined }))
      const message = `task ${task.id} lacks a capability (${input.capability}): ${answer.why}`
      const told = { id: ids.uuid(), from: by, to: LEAD, type: "text", payload: { message } } as const
      await tx.messages.send(team.key, by, told)
      return answer
    })
  },
})

/** Each gap of a task is closed once. */
async function findAnswered(
  tx: Tx,
  key: number,
  { task, role }: { readonly task: Task; readonly role: string },
): Promise<GapAnswer | undefined> {
  for (const id of task.blockedBy) {
    const need = await tx.tasks.find(key, id)
    if (need?.agentType !== role) continue
    const why = isMet(need.status) ? `task ${id} did it; continue with its result` : `it waits for ${id} already`
    return { role, isNewRole: false, task: null, why }
  }
  return undefined
}

function noRoom(specs: readonly MadeRole[]): GapAnswer {
  const names = specs.map(({ name }) => name).join(", ")
  const why = `no role was made: the team has ${specs.length} (${names}), and ${MAX_ROLE_SPECS} is the limit; give the work to one of them, or split the task`
  return { role: null, isNewRole: false, task: null, why }
}

interface Gap {
  readonly task: Task
  readonly by: string
  readonly settings: Settings
  readonly draft: ReturnType<typeof draftSpec>
  readonly isNew: boolean
}

async function closeGap(tx: Tx, team: StoredTeam, { task, by, settings, draft, isNew }: Gap): Promise<GapAnswer> {
  const { name, prefix, capability, responsibility } = draft
  if (isNew) await putSpec(tx, team.key, name, renderRoleSpec(draft, []))
  const added = await addTask(tx, team, settings, {
    id: await nextId(tx, team.key, prefix),
    by,
    brief: {
      title: capability,
      description: `Task ${task.id} (${task.title}) needs this and cannot do it itself:\n\n${capability}\n\nSay in your result all that it must know to go on.`,
      role: responsibility === "review" ? "review" : GENERIC_ROLE,
      complexity: task.complexity,
      agentType: name,
      blockedBy: [],
      acceptance: [`What task ${task.id} lacks is there: ${capability}`],
      checks: [],
      files: [],
      assignee: null,
      work: NO_WORK,
    },
  })
  const reason = `it waits for ${added.id}: ${capability}`
  const free = isHeld(task.status) ? await releaseTask(tx, team, { task, by, reason }) : task
  await changeNeeds(tx, team, free, { add: [added.id], remove: [], by, settings })
  const made = isNew ? `role ${name} was made` : `role ${name} is there`
  return { role: name, isNewRole: isNew, task: added.id, why: `${made}, and task ${added.id} comes first` }
}

async function nextId(tx: Tx, key: number, prefix: string): Promise<TaskId> {
  const own = (await tx.tasks.graph(key)).filter(({ id }) => isOwned(prefix, id))
  const numbers = own.map(({ id }) => Number(id.slice(prefix.length + 1))).filter(Number.isSafeInteger)
  return `${prefix}-${Math.max(0, ...numbers) + 1}` as TaskId
}
