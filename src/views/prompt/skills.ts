import type { TaskSkills } from "../../domain/skill.ts"
import { cut, oneLine } from "../table.ts"
import type { Section } from "./fit-sections.ts"

/** A skill says in its file what it is for; here a line has to do. */
const DESCRIPTION = 300

/** Those that are approved. They are few, and what the user named must not be lost: nothing of it is cut. */
export function skills(told: TaskSkills | undefined): Section | undefined {
  const approved = told?.chosen.filter(({ status }) => status === "approved") ?? []
  const missing = told?.missing ?? []
  if (approved.length === 0 && missing.length === 0) return undefined
  const lines = approved.map(({ name, description, path, isMandatory }) => {
    const must = isMandatory ? " (the user asks for it: you must use it)" : ""
    return `- ${oneLine(name)}${must}: ${cut(oneLine(description), DESCRIPTION)} [${oneLine(path)}]`
  })
  const lead = [
    ...(lines.length === 0
      ? []
      : ["Before you begin, read the file of each skill that helps, and go by it.", ...lines]),
    ...missing.map((name) => `- ${oneLine(name)}: the user asks for it, and it is not here. Say so in your result.`),
  ]
  return { name: "skills", heading: "SKILLS", priority: null, lead: lead.join("\n") }
}
