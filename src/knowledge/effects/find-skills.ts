import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as v from "valibot"
import { readFrontMatter } from "../../lib/front-matter.ts"
import type { Skill } from "../skill.ts"

/** In the repository and in the user's home. */
const FOLDERS = [".claude/skills", ".agents/skills"]
/** A longer file is not a SKILL.md. */
const MOST_BYTES = 1_000_000

export interface FoundSkills {
  readonly skills: readonly Skill[]
  /** Invalid skill files, with the reason. */
  readonly warnings: readonly string[]
}

/** The repository's skill wins over the user's of the same name: it is about this work. */
export function findSkills(roots: { readonly repository: string; readonly home: string }): FoundSkills {
  const skills = new Map<string, Skill>()
  const warnings: string[] = []
  for (const origin of ["repository", "home"] as const) {
    for (const folder of FOLDERS) {
      const root = roots[origin]
      for (const name of namesIn(join(root, folder))) {
        const path = `${folder}/${name}/SKILL.md`
        const text = readText(join(root, path))
        if (text === undefined) continue
        const read = readSkillFile(text)
        if (typeof read === "string") warnings.push(`${join(root, path)} is not a skill: ${read}`)
        else if (!skills.has(read.name))
          skills.set(read.name, { ...read, path: origin === "home" ? join(root, path) : path, origin })
      }
    }
    if (roots.repository === roots.home) break
  }
  return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), warnings }
}

/** Joins lines of the file. */
const line = (rule: string, most: number) =>
  v.optional(
    v.pipe(
      v.string(rule),
      v.transform((text) => text.replaceAll(/\s+/g, " ").trim()),
      v.minLength(1, rule),
      v.maxLength(most, rule),
    ),
    "",
  )

const skillFileSchema = v.pipe(
  v.record(v.string(), v.unknown()),
  v.transform((keys) => Object.fromEntries(Object.entries(keys).map(([key, value]) => [key.toLowerCase(), value]))),
  v.object({
    name: line("a skill needs a name of at most 100 characters", 100),
    description: line("a skill needs a description", MOST_BYTES),
  }),
)

/** Returns name and description, or the problem. */
export function readSkillFile(text: string): Pick<Skill, "name" | "description"> | string {
  const read = readFrontMatter(text, skillFileSchema, { repair: true })
  return "problem" in read ? read.problem : read.value
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return [] // missing or not readable
  }
}

function readText(file: string): string | undefined {
  try {
    const stat = statSync(file)
    return stat.isFile() && stat.size <= MOST_BYTES ? readFileSync(file, "utf8") : undefined
  } catch {
    return undefined // a folder without a SKILL.md is not a skill
  }
}
