import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import { ID_RULE, isId, quoteInput } from "../../kernel/ids.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { readFrontMatter } from "../../lib/front-matter.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { EFFORTS } from "../../tasks/effort.ts"
import { MODEL_TIERS } from "../complexity/model-tier.ts"
import { CAPABILITIES, RESPONSIBILITIES, type RoleDefinition } from "./roles.ts"

/** A role as its file says it. What is left out comes from the role it extends, or from its kind. */
export interface RoleFile
  extends Partial<
      Pick<RoleDefinition, "kind" | "responsibility" | "model" | "effort" | "tools" | "writes" | "prefix" | "innerLoop">
    >,
    Pick<RoleDefinition, "name" | "instructions"> {
  readonly file: string
  readonly extends?: string
  /** The line of `extends`, for errors that show only when all files are read. */
  readonly extendsLine: number
}

/** What the ids of the role's tasks begin with, before a dash. */
export const PREFIX_RULE = "2 to 16 capital letters and digits, the first a letter"
export const isPrefix = (text: string) => /^[A-Z][A-Z0-9]{1,15}$/.test(text)

const word = v.pipe(v.string("takes one value and not a list"), v.nonEmpty("has no value"))
const matching = (isValid: (text: string) => boolean, rule: string) =>
  v.pipe(
    word,
    v.check(isValid, ({ input }) => `${quoteInput(input)} is not valid; use ${rule}`),
  )
const oneOf = <const Choice extends string>(choices: readonly Choice[]) =>
  v.pipe(
    word,
    v.picklist(choices, ({ input }) => notOneOf(String(input), choices)),
  )
const yesOrNo = v.pipe(
  word,
  v.picklist(["true", "false"], ({ input }) => `${quoteInput(String(input))} is neither true nor false`),
  v.transform((text) => text === "true"),
)

const KEYS = {
  name: v.optional(matching(isId, ID_RULE)),
  extends: v.optional(matching(isId, ID_RULE)),
  kind: v.optional(oneOf(CAPABILITIES)),
  model: v.optional(oneOf([...MODEL_TIERS, "dynamic"])),
  effort: v.optional(oneOf(EFFORTS)),
  tools: v.optional(
    v.union(
      [
        v.array(v.string()),
        v.pipe(
          word,
          v.transform((tool) => [tool]),
        ),
      ],
      "has no value",
    ),
  ),
  writes: v.optional(yesOrNo),
  prefix: v.optional(matching(isPrefix, PREFIX_RULE)),
  responsibility_type: v.optional(oneOf(RESPONSIBILITIES)),
  inner_loop: v.optional(yesOrNo),
}

type Table = Record<string, unknown>

// `v.strictObject` and `v.record` pass keys such as `constructor`.
const FrontMatter = v.pipe(
  v.custom<Table>(() => true),
  v.rawCheck(refuseUnknownKeys),
  v.object(KEYS),
)

/** Reads a role: Markdown instructions below a front matter. `file` is for errors. */
export function parseRoleFile(file: string, text: string): RoleFile {
  const front = readFrontMatter(text, FrontMatter)
  if ("problem" in front) throw bad(file, front.line, front.problem)
  const { responsibility_type: responsibility, inner_loop: innerLoop, ...rest } = front.value
  const name = rest.name ?? file.slice(file.lastIndexOf("/") + 1).replace(/\.md$/, "")
  if (!isId(name)) throw bad(file, 1, `name: the file's name is no name for a role; add one of ${ID_RULE}`)
  const instructions = front.body.trim()
  if (rest.extends === undefined) {
    if (rest.kind === undefined) throw bad(file, 1, `kind: is missing; use ${CAPABILITIES.join(", ")}, or extends:`)
    const lastLine = text.split("\n").length - front.body.split("\n").length
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

function refuseUnknownKeys({ dataset, addIssue }: v.RawCheckContext<Table>): void {
  const input = dataset.value as Table
  const known = Object.keys(KEYS)
  for (const key of Object.keys(input)) {
    if (known.includes(key)) continue
    const close = nearest(key, known)
    const hint = close === undefined ? `use ${known.join(", ")}` : `did you mean ${close}?`
    addIssue({
      message: `is no field of a role; ${hint}`,
      path: [{ type: "object", origin: "key", input, key, value: key }],
    })
  }
}

function notOneOf(text: string, choices: readonly string[]): string {
  const close = nearest(text, choices)
  return `${quoteInput(text)} is not one of ${choices.join(", ")}${close === undefined ? "" : `; did you mean ${close}?`}`
}

export function bad(file: string, line: number, problem: string, remedy?: Remedy): AppError {
  return new AppError("role.bad_file", `${file}:${line}: ${problem}`, { file, line }, { remedy })
}
