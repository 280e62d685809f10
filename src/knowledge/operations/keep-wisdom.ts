import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { foldText } from "../../kernel/words.ts"
import { choice, described, number } from "../../lib/schema.ts"
import { commaList, operation, runFields, taskIdField, teamFields, textField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { addRecord, byField, changeRecord, getRecord } from "../../store/records.ts"
import { getTask, getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import { ROLES } from "../../tasks/task.ts"
import { toWisdom, WISDOM_KINDS, WISDOM_STATUSES, type Wisdom } from "../wisdom.ts"

/** Counts a repeated text instead of keeping it twice; ignores case, spaces and punctuation. */
export const addWisdom = operation({
  name: "wisdom.add",
  summary: "Write down something that others in the team should know",
  input: {
    ...teamFields,
    text: textField("what was learned, decided or found wrong", 2000),
    kind: v.optional(choice(WISDOM_KINDS, "what it is"), "learning"),
    task: v.optional(described(taskIdField, "the task it was learned in")),
    role: v.optional(choice(ROLES, "the role it is meant for")),
    files: v.optional(commaList(textField("file"), "files it is about, from the repository's root")),
    by: byField("who says it"),
  },
  run: ({ store }, { task: id, by = PERSON, role = null, files = [], kind, text, ...name }): Promise<Wisdom> => {
    if (foldText(text) === "")
      throw new AppError("input.invalid", (say) => `${say.field("text")} is empty; write what others should know`)
    return store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const { task: _, ...where } = await findSubject(tx, team.key, id)
      return learn(tx, team, { kind, text: text.trim(), role, files, by, ...where })
    })
  },
})

/** With its current attempt. */
export async function findSubject(tx: Tx, key: number, id: TaskId | undefined) {
  const task = id === undefined ? null : await getTask(tx, key, id)
  return { task, taskId: task?.id ?? null, attempt: task?.attempt ?? null }
}

type NewWisdom = Omit<Wisdom, "number" | "count" | "createdAt" | "updatedAt">

/** The team must be locked. */
export async function learn(
  tx: Tx,
  team: StoredTeam,
  { kind, text, role, files, by, taskId, attempt }: NewWisdom,
): Promise<Wisdom> {
  const kept = await tx.records.list(team.key, { kind: "wisdom", status: "kept" })
  const folded = foldText(text)
  const known = kept.find((record) => {
    const wisdom = toWisdom(record)
    return wisdom.kind === kind && foldText(wisdom.text) === folded
  })
  if (known === undefined) {
    const data = { kind, text, role, files, count: 1 }
    const record = { kind: "wisdom" as const, taskId, attempt, status: "kept", data, by }
    return toWisdom(await addRecord(tx, team, record, kind))
  }
  const data = { ...known.data, count: toWisdom(known).count + 1 }
  const changed = await changeRecord(tx, team, { record: known, to: { status: "kept", data }, by, about: kind })
  return toWisdom(changed ?? known)
}

export const listWisdom = operation({
  name: "wisdom.list",
  summary: "List what the team learned, decided and found wrong",
  input: {
    ...runFields,
    kind: v.optional(choice(WISDOM_KINDS, "only this kind")),
    status: v.optional(choice(WISDOM_STATUSES, "only these"), "kept"),
  },
  run: ({ store }, { kind, status, ...name }): Promise<Wisdom[]> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, name)
      const all = (await tx.records.list(key, { kind: "wisdom", status })).map(toWisdom)
      return kind === undefined ? all : all.filter((wisdom) => wisdom.kind === kind)
    }),
})

export const removeWisdom = operation({
  name: "wisdom.remove",
  summary: "Remove what is no longer true; prompts no longer show it",
  input: {
    ...teamFields,
    number: number("which one; see: teamwork wisdom list", { isInteger: true, min: 1 }),
    by: byField("who removes it"),
  },
  run: ({ store }, { number, by = PERSON, ...name }): Promise<Wisdom> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const record = await getRecord(tx, team.key, "wisdom", number)
      if (record.status === "removed") return toWisdom(record)
      const about = toWisdom(record).kind
      return toWisdom((await changeRecord(tx, team, { record, to: { status: "removed" }, by, about })) ?? record)
    }),
})
