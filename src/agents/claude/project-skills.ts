import { parseDocument } from "yaml"
import { type Files, isTable } from "../account.ts"
import type { ServerProgram } from "../project-setup.ts"

/** Where a project keeps skills. Claude Code gets the first folder that is there. */
export const SKILL_FOLDERS = [".claude/skills", ".agents/skills"] as const

/** The only file of a skill whose front matter Claude Code reads. */
export const SKILL_FILE = "SKILL.md"

interface Reading {
  readonly workspace: string
  readonly files: Files
  readonly isAgreed: (program: ServerProgram) => boolean
}

/**
 * The project's skills by their names, each with its folder. Null instead of the folder for a skill that must not reach
 * the agent: Claude Code runs the hooks of a skill without asking, and no person agreed to this one.
 */
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

/** The whole skill, as a person agrees to it; undefined where it has no hooks. */
export function skillProgram(path: string, text: string | undefined): ServerProgram | undefined {
  if (text === undefined || !hasHooks(text)) return undefined
  return { what: "hooks of a skill", line: path, from: path, script: text.trim() }
}

/** Claude Code knows both: a front matter that ends with a line, and one that ends in the middle of a line. */
const FRONT_MATTER = [/^---\s*\n([\s\S]*?)\n---[ \t]*\r?(?:\n|$)/, /^---\s*\n([\s\S]*?)---/]

function hasHooks(text: string): boolean {
  const skill = text.replace(/^\uFEFF/, "").trimStart()
  return FRONT_MATTER.some((pattern) => namesHooks(pattern.exec(skill)?.[1] ?? ""))
}

function namesHooks(matter: string): boolean {
  const value = parse(matter)
  // Claude Code repairs some YAML that cannot be read, and a key may be written with escapes.
  return value === undefined ? /hooks|\\/i.test(matter) : isTable(value) && "hooks" in value
}

/** Undefined where it cannot be read. */
function parse(matter: string): unknown {
  const document = parseDocument(matter, { prettyErrors: false, merge: true })
  if (document.errors.length + document.warnings.length > 0) return undefined
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}
