import * as v from "valibot"
import { profileOf, programOf } from "../agents/program-of.ts"
import { ID_RULE, isId, MAX_ID_LENGTH, quoteInput, type TaskId, type WorkerId } from "../kernel/ids.ts"
import type { Ids } from "../lib/make-ids.ts"
import { choice, type Field, type Fields, flag, type InputOf, list, number, text } from "../lib/schema.ts"
import type { RoleDefinition } from "../planning/roles/roles.ts"
import type { Thresholds } from "../quality/quality.ts"
import { MAX_PRIORITY, problemWithText, problemWithTitle, ROLES, type Role } from "../tasks/task.ts"
import type { Store } from "./port.ts"

/** What an operation works with. */
export interface Context {
  readonly store: Store
  readonly ids: Ids
  readonly settings: Settings
  /** Called before a team is created: ties a project whose name was detected to this repository. */
  ownProject?(project: string): Promise<void>
  /** The roles and agent types of this repository, including its role files. */
  roles(): Promise<readonly RoleDefinition[]>
}

/** The part of the configuration that operations read. */
export interface Settings {
  readonly leaseSeconds: number
  readonly freshStartIntervalSeconds: number
  readonly blockedPatterns: readonly string[]
  readonly warnPatterns: readonly string[]
  readonly onOverlap: OnOverlap
  /** Patterns of files that several tasks may change: the engine merges them, or the lead does. */
  readonly sharedFiles: readonly string[]
  /** Whether a delivery needs a review of what is delivered. */
  readonly reviewRequired: boolean
  /** Which score passes QA, which goes to the lead, and what QA scores unless the type of the task decides. */
  readonly quality: Thresholds & { readonly dimensions: readonly string[] }
}

/** What to do with a task whose files overlap with those of another. */
export const ON_OVERLAP = ["refuse", "serialise"] as const
export type OnOverlap = (typeof ON_OVERLAP)[number]

/** Something that a person, an agent or the engine may call: one table of fields for all surfaces, and what it does. */
export interface Operation<F extends Fields, Result> {
  readonly name: string
  readonly summary: string
  readonly input: F
  readonly run: (context: Context, input: InputOf<F>) => Promise<Result>
}

export function operation<F extends Fields, Result>(definition: Operation<F, Result>): Operation<F, Result> {
  return definition
}

/** An id of any kind that a caller types. */
export function idField<Id extends string = string>(description: string): Field<Id> {
  return text(description, (value) =>
    isId(value) ? undefined : `${quoteInput(value)} is not valid; use ${ID_RULE}`,
  ) as Field<Id>
}

/** The name of an agent: a program, or `program@profile` for a second account of it. */
export function agentField(description: string): Field<string> {
  return text(description, (value) => {
    const isValid = isId(programOf(value)) && isId(profileOf(value) ?? "none") && value.length <= MAX_ID_LENGTH
    return isValid ? undefined : `${quoteInput(value)} is not the name of an agent; see: teamwork agent list`
  })
}

export function textField(description: string, maxLength?: number): Field<string> {
  return text(description, (value) => problemWithText(value, maxLength))
}

export function titleField(description: string): Field<string> {
  return text(description, problemWithTitle)
}

export const teamFields = {
  project: idField("project name; the repository's folder by default"),
  team: idField("team name; the branch by default"),
} satisfies Fields

/** For operations that only read: they can read an earlier run. Changes always go to the current run. */
export const runFields = {
  ...teamFields,
  run: v.optional(
    number("which run of the team, from 1; the current one by default, see: teamwork runs", {
      min: 1,
      isInteger: true,
    }),
  ),
} satisfies Fields

export const taskIdField = idField<TaskId>("id of the task")
export const workerIdField = idField<WorkerId>("id of the worker")
export const priorityField = number(
  "what comes first among ready tasks, the highest before all other order; 0 by default",
  {
    min: -MAX_PRIORITY,
    max: MAX_PRIORITY,
    isInteger: true,
  },
)

export const ownerField = idField("who claims or holds the task; without it a person acts")
export const roleField: Field<Role> = choice(ROLES, "role")
export const tokenField = number("fencing token of the claim", { min: 1, isInteger: true })

/** How overlaps between the files of tasks are resolved. */
export const planFields = {
  onOverlap: v.optional(
    choice(ON_OVERLAP, "when its files overlap with those of a task that could run at the same time"),
  ),
  grantShared: flag("as the lead: let it own the shared files that its patterns name"),
} satisfies Fields

/** A list whose items contain no comma, so that a command line may separate them by commas. */
export function commaList<Item>(item: Field<Item>, description: string): Field<readonly Item[]> {
  return list(item, description, ",")
}
