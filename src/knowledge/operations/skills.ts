import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamMode, TeamName } from "../../kernel/team.ts"
import { inboxName, LEAD } from "../../messages/message.ts"
import { type Context, operation, taskIdField, teamFields, textField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { addRecord, byField, changeRecord } from "../../store/records.ts"
import { getTask, getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import { type ChosenSkill, type SkillChoice, type SkillStatus, toChosenSkill } from "../skill.ts"

export interface SkillFacts {
  readonly goal: string
  readonly mode: TeamMode
  readonly task: Task
  /** For the current attempt. */
  readonly chosen: readonly ChosenSkill[]
}

export async function readSkillFacts(
  { store }: Context,
  { id, ...name }: TeamName & { id: TaskId },
): Promise<SkillFacts> {
  return store.read(async (tx) => {
    const { key, goal, mode } = await getTeam(tx, name)
    const task = await getTask(tx, key, id)
    return { goal, mode, task, chosen: await listChosen(tx, key, task) }
  })
}

async function listChosen(tx: Tx, key: number, task: Task): Promise<ChosenSkill[]> {
  const records = await tx.records.list(key, { kind: "skill", taskId: task.id })
  return records.filter(({ attempt }) => attempt === task.attempt).map(toChosenSkill)
}

/** Skills that the user named need no approval. The lead approves others; FULL_AUTO does it at once. */
export function statusOf(mode: TeamMode, isMandatory: boolean): SkillStatus {
  return isMandatory || mode === "FULL_AUTO" ? "approved" : "proposed"
}

interface Proposal extends TeamName {
  readonly id: TaskId
  readonly choices: readonly SkillChoice[]
  readonly by: string
}

/** For the current attempt. Earlier choices stay. */
export async function proposeSkills(
  { store, ids }: Context,
  { id, choices, by, ...name }: Proposal,
): Promise<ChosenSkill[]> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const task = await getTask(tx, team.key, id)
    const known = new Set((await listChosen(tx, team.key, task)).map((each) => each.name))
    const waiting: string[] = []
    for (const { skill, isMandatory } of choices) {
      if (known.has(skill.name)) continue
      const status = statusOf(team.mode, isMandatory)
      const approvedBy = status === "proposed" ? null : isMandatory ? PERSON : LEAD
      const { origin: _, ...what } = skill
      const record = { kind: "skill" as const, taskId: task.id, attempt: task.attempt, status, by }
      await addRecord(tx, team, { ...record, data: { ...what, isMandatory, approvedBy } }, skill.name)
      if (status === "proposed") waiting.push(skill.name)
    }
    if (waiting.length > 0 && inboxName(by) !== LEAD) {
      const message = `SKILLS: ${by} wants to use ${waiting.join(", ")} for task ${task.id} (teamwork skill approve ${task.id})`
      await tx.messages.send(team.key, by, { id: ids.uuid(), from: by, to: LEAD, type: "text", payload: { message } })
    }
    return listChosen(tx, team.key, task)
  })
}

export const approveSkills = operation({
  name: "skill.approve",
  summary: "As the lead: approve the skills that were chosen for a task",
  input: {
    ...teamFields,
    task: taskIdField,
    name: v.optional(textField("only this one", 100)),
    by: byField(`who approves: ${LEAD}`),
  },
  run: ({ store }, { task: id, name, by, ...team }): Promise<ChosenSkill[]> =>
    store.write(async (tx) => {
      const decider = assertLead(by)
      const stored = await lockTeam(tx, team)
      const task = await getTask(tx, stored.key, id)
      const chosen = await approveChosen(tx, stored, { task, name, by: decider })
      if (chosen.some((each) => name === undefined || each.name === name)) return chosen
      throw new AppError(
        "skill.not_found",
        `${name ?? "no skill"} was ${name === undefined ? "" : "not "}chosen for task ${task.id}`,
        { task: task.id, name: name ?? null },
        { remedy: { operation: "skill choose", fields: { task: task.id }, to: "choose with" } },
      )
    }),
})

/** All skills of the current attempt, or one. Approving a plan calls this too. The team must be locked. */
export async function approveChosen(
  tx: Tx,
  team: StoredTeam,
  { task, name, by }: { readonly task: Task; readonly name?: string; readonly by: string },
): Promise<ChosenSkill[]> {
  const waiting = await tx.records.list(team.key, { kind: "skill", taskId: task.id, status: "proposed" })
  for (const record of waiting) {
    const about = toChosenSkill(record).name
    if (record.attempt !== task.attempt || (name !== undefined && about !== name)) continue
    const data = { ...record.data, approvedBy: by }
    await changeRecord(tx, team, { record, to: { status: "approved", data }, by, about })
  }
  return listChosen(tx, team.key, task)
}

function assertLead(by: string | undefined): string {
  if (by === undefined || by === PERSON) return PERSON
  if (inboxName(by) === LEAD) return LEAD
  throw new AppError(
    "skill.not_allowed",
    (say) => `only the lead (${say.field("by")} ${LEAD}) or a person approves skills`,
  )
}
