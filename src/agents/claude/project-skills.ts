import { parseDocument } from "yaml"
import { type Files, isTable } from "../account.ts"
import type { ServerProgram } from "../project-setup.ts"

/** Claude Code gets the first that exists. */
export const SKILL_FOLDERS = [".claude/skills", ".agents/skills"] as const

export const SKILL_FILE = "SKILL.md"

interface Reading {
  readonly workspace: string
  readonly files: Files
  readonly isAgreed: (program: ServerProgram) => boolean
}

/** By name. Null for a skill with hooks without a person's consent: Claude Code would run them without asking. */
export function projectSkills({ workspace, files, isAgreed }: Reading): Map<string, string | null> {
  const folder = SKILL_FOLDERS.find((name) => files.has(`${workspace}/${name}`))
  if (folder === undefined) return new Map()
  return new Map(
    files.list(`${workspace}/${folder}`).map((name) => {
      const path = `${folder}/${name}/${SKILL_FILE}`
      const program = skillProgram(path, files.read(`${workspace}/${path}`))
      return [name, program === undefined || isAgreed(program) ? `${workspace}/${folder}/${name}` : null]
    }),
  )
}

/** The whole skill, for a person's consent; undefined without hooks. */
export function skillProgram(path: string, text: string | undefined): ServerProgram | undefined {
  if (text === undefined || !hasHooks(text)) return undefined
  return { what: "hooks of a skill", line: path, from: path, script: text.trim() }
}

/** Claude Code accepts front matter that ends with a line or in the middle of one. */
const FRONT_MATTER = [/^---\s*\n([\s\S]*?)\n---[ \t]*\r?(?:\n|$)/, /^---\s*\n([\s\S]*?)---/]

function hasHooks(text: string): boolean {
  const skill = text.replace(/^\uFEFF/, "").trimStart()
  return FRONT_MATTER.some((pattern) => namesHooks(pattern.exec(skill)?.[1] ?? ""))
}

function namesHooks(matter: string): boolean {
  const value = parse(matter)
  // Claude Code repairs some invalid YAML, and a key may contain escapes.
  return value === undefined ? /hooks|\\/i.test(matter) : isTable(value) && "hooks" in value
}

function parse(matter: string): unknown {
  const document = parseDocument(matter, { prettyErrors: false, merge: true })
  if (document.errors.length + document.warnings.length > 0) return undefined
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}
