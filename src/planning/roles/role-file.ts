import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import { ID_RULE, isId, quoteInput } from "../../kernel/ids.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { readFrontMatter } from "../../lib/front-matter.ts"
import { anyRecord, choice, type Fields, list, text } from "../../lib/schema.ts"
import { EFFORTS } from "../../tasks/effort.ts"
import { MODEL_TIERS } from "../complexity/model-tier.ts"
import { readFields } from "../read-fields.ts"
import { CAPABILITIES, RESPONSIBILITIES, type RoleDefinition } from "./roles.ts"

/** Missing fields come from the extended role, or from the kind. */
export interface RoleFile
  extends Partial<
      Pick<RoleDefinition, "kind" | "responsibility" | "model" | "effort" | "tools" | "writes" | "prefix" | "innerLoop">
    >,
    Pick<RoleDefinition, "name" | "instructions"> {
  readonly file: string
  readonly extends?: string
  /** For errors that show only after all files are read. */
  readonly extendsLine: number
}

/** Ids of the role's tasks begin with this and a dash. */
export const prefixField = (description: string) =>
  text(description, (value) =>
    /^[A-Z][A-Z0-9]{1,15}$/.test(value)
      ? undefined
      : `${quoteInput(value)} is not valid; use 2 to 16 capital letters and digits, the first a letter`,
  )

const idField = text("", (value) => (isId(value) ? undefined : `${quoteInput(value)} is not valid; use ${ID_RULE}`))
const tool = text("", (value) => (value === "" ? "has no value" : undefined))
const yesOrNo = v.pipe(
  v.picklist(["true", "false"]),
  v.transform((word) => word === "true"),
)

const FRONT_MATTER = {
  name: v.optional(idField),
  extends: v.optional(idField),
  kind: v.optional(choice(CAPABILITIES, "")),
  model: v.optional(choice([...MODEL_TIERS, "dynamic"], "")),
  effort: v.optional(choice(EFFORTS, "")),
  tools: v.optional(list(tool)),
  writes: v.optional(yesOrNo),
  prefix: v.optional(prefixField("")),
  responsibility_type: v.optional(choice(RESPONSIBILITIES, "")),
  inner_loop: v.optional(yesOrNo),
} satisfies Fields

/** Markdown below a front matter. `file` is for errors. */
export function parseRoleFile(file: string, source: string): RoleFile {
  const front = readFrontMatter(source, anyRecord)
  if ("problem" in front) throw bad(file, front.line, front.problem)
  const { values, problems } = readFields(FRONT_MATTER, front.value)
  const [wrong] = problems
  if (wrong !== undefined) {
    const key = String(wrong.path[0])
    throw bad(file, front.lineOf(key), `${key}: ${wrong.message}`)
  }
  const { responsibility_type: responsibility, inner_loop: innerLoop, ...rest } = values
  const name = rest.name ?? file.slice(file.lastIndexOf("/") + 1).replace(/\.md$/, "")
  if (!isId(name)) throw bad(file, 1, `name: the file's name is not a valid role name; add a name of ${ID_RULE}`)
  const instructions = front.body.trim()
  if (rest.extends === undefined) {
    if (rest.kind === undefined) throw bad(file, 1, `kind: is missing; use ${CAPABILITIES.join(", ")}, or extends:`)
    const lastLine = source.split("\n").length - front.body.split("\n").length
    if (instructions === "") throw bad(file, lastLine, "the instructions are missing; write them below the second ---")
  }
  return {
    ...rest,
    ...(responsibility !== undefined && { responsibility }),
    ...(innerLoop !== undefined && { innerLoop }),
    name,
    instructions,
    file,
    extendsLine: front.lineOf("extends"),
  }
}

export function bad(file: string, line: number, problem: string, remedy?: Remedy): AppError {
  return new AppError("role.bad_file", `${file}:${line}: ${problem}`, { file, line }, { remedy })
}
