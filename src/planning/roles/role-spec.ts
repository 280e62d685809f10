import * as v from "valibot"
import type { Document } from "../../kernel/document.ts"
import { AppError } from "../../kernel/errors.ts"
import { ID_RULE, isId, quoteInput } from "../../kernel/ids.ts"
import { choice, type Fields, type InputOf, text } from "../../lib/schema.ts"
import { listReachable } from "../../tasks/layers.ts"
import { problemWithText, problemWithTitle } from "../../tasks/task.ts"
import { parseRoleFile, prefixField, type RoleFile } from "./role-file.ts"
import {
  BUILT_IN_ROLES,
  type Capability,
  EFFORT_OF,
  RESPONSIBILITIES,
  type Responsibility,
  type RoleDefinition,
} from "./roles.ts"

export const MAX_ROLE_SPECS = 5
/** An agent reads it with every task. */
const MAX_PHASE_CHARACTERS = 4000
const FOLDER = "role-specs/"

const phase = (description: string) => text(description, (value) => problemWithText(value, MAX_PHASE_CHARACTERS))

/** Made for one goal. Phases 1 (claim) and 5 (report) are the same for all. */
export const ROLE_SPEC_FIELDS = {
  name: text("its name, by which tasks ask for it", (value) =>
    isId(value) ? undefined : `${quoteInput(value)} is not valid; use ${ID_RULE}`,
  ),
  prefix: prefixField("what the ids of its tasks begin with, before a dash"),
  responsibility: choice(RESPONSIBILITIES, "what it is responsible for; the model's effort follows from it"),
  capability: text("what it is able to do, in a line", problemWithTitle),
  context: v.optional(
    phase("phase 2: what it reads before it begins"),
    "Read the task, the results of its needs, and the files they name. Note what is missing before you begin.",
  ),
  work: v.optional(
    phase("phase 3: what it does"),
    "Do what the task asks for within your capability, and nothing else.",
  ),
  validation: v.optional(
    phase("phase 4: how it makes sure of its work"),
    "Compare the outcome with the acceptance of the task, point by point, and run its checks. Fix what does not pass.",
  ),
} satisfies Fields

export type RoleSpec = InputOf<typeof ROLE_SPEC_FIELDS>

export function specPath(name: string): string {
  return `${FOLDER}${name}.md`
}

function isSpecPath(path: string): boolean {
  return /^role-specs\/[^/]+\.md$/.test(path)
}

export type MadeRole = RoleFile & Required<Pick<RoleFile, "prefix">>

/** Undefined for other documents: imported teams may have files of other systems in this folder. */
export function readRoleSpec({ path, content, encoding }: SpecDocument): MadeRole | undefined {
  if (!isSpecPath(path) || encoding !== "utf8") return undefined
  try {
    const role = parseRoleFile(path, content)
    const { prefix } = role
    return prefix === undefined || role.extends !== undefined || path !== specPath(role.name)
      ? undefined
      : { ...role, prefix }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

type SpecDocument = Pick<Document, "path" | "content" | "encoding">

export function renderRoleSpec(spec: RoleSpec, tasks: readonly OwnedTask[]): string {
  const { name, kind, responsibility, innerLoop } = defineSpec(spec, tasks)
  return `---
name: ${name}
kind: ${kind}
prefix: ${spec.prefix}
responsibility_type: ${responsibility}
inner_loop: ${innerLoop}
---
${bodyOf(spec)}
`
}

export interface OwnedTask {
  readonly id: string
  readonly agentType?: string | null
  readonly files: readonly string[]
  readonly needs: readonly string[]
}

export function defineSpec(
  spec: RoleSpec,
  tasks: readonly OwnedTask[],
): RoleDefinition & { readonly innerLoop: boolean } {
  const { name, prefix, responsibility } = spec
  const kind = kindOf(
    responsibility,
    tasks.some((task) => task.agentType === name && task.files.length > 0),
  )
  return {
    name,
    kind,
    responsibility,
    prefix,
    effort: EFFORT_OF[responsibility],
    model: "dynamic",
    expertise: [],
    writes: kind === "implementation",
    tools: [],
    instructions: bodyOf(spec),
    innerLoop: hasInnerLoop(prefix, tasks),
  }
}

/** With files to write it must be able to write. */
function kindOf(responsibility: Responsibility, ownsFiles: boolean): Capability {
  if (responsibility === "review") return "review"
  return !ownsFiles && (responsibility === "exploration" || responsibility === "analysis")
    ? "exploration"
    : "implementation"
}

/** Two of its tasks depend on each other, directly or not. */
export function hasInnerLoop(prefix: string, tasks: readonly Pick<OwnedTask, "id" | "needs">[]): boolean {
  const needsOf = new Map(tasks.map(({ id, needs }) => [id, needs]))
  const needsOwn = (id: string) =>
    [...listReachable(id, (each) => needsOf.get(each) ?? [])].some((each) => isOwned(prefix, each))
  return tasks.some(({ id }) => isOwned(prefix, id) && needsOwn(id))
}

export function isOwned(prefix: string, taskId: string): boolean {
  return taskId.startsWith(`${prefix}-`)
}

function bodyOf({ name, capability, context, work, validation }: RoleSpec): string {
  const phases = ["## Phase 2: Context", context, "## Phase 3: Work", work, "## Phase 4: Validation", validation]
  return [`# ${name}`, capability, ...phases].map((part) => part.trim()).join("\n\n")
}

const MAX_NAME = 40
const MAX_PREFIX = 8

/** For a missing capability. An existing role keeps its prefix. */
export function draftSpec(
  capability: string,
  responsibility: Responsibility,
  others: readonly { readonly name: string; readonly prefix?: string }[],
): RoleSpec {
  const words = capability.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.join("-").slice(0, MAX_NAME).replace(/-$/, "")
  const name = slug === "" || BUILT_IN_ROLES.some((role) => role.name === slug) ? `made-${slug || "role"}` : slug
  const known = others.find((each) => each.name === name)?.prefix
  const { context, work, validation } = ROLE_SPEC_FIELDS
  return {
    name,
    responsibility,
    capability,
    prefix: known ?? freePrefix(words, others),
    context: v.getDefault(context),
    work: v.getDefault(work),
    validation: v.getDefault(validation),
  }
}

function freePrefix(words: readonly string[], others: readonly { readonly prefix?: string }[]): string {
  const letters = (words.find((word) => /^[a-z]/.test(word) && word.length > 1) ?? "role").toUpperCase()
  const base = letters.slice(0, MAX_PREFIX)
  const taken = others.map(({ prefix }) => prefix)
  for (let number = 1; ; number++) {
    const prefix = number === 1 ? base : `${base}${number}`
    if (!taken.includes(prefix)) return prefix
  }
}
