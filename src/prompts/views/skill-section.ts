import type { Phase } from "../../kernel/phase.ts"
import type { TaskSkills } from "../../knowledge/skill.ts"
import { cut, oneLine } from "../../lib/text/table.ts"
import type { Section } from "./fit-sections.ts"

/** A skill says in its file what it is for; here a line has to do. */
const DESCRIPTION = 300

/**
 * Those that are approved; to whoever plans first also those that will be, with the plan. They are few, and what the user
 * named must not be lost: nothing of it is cut.
 */
export function skills(told: TaskSkills | undefined, phase: Phase | null): Section | undefined {
  const shown = told?.chosen.filter(({ status }) => status === "approved" || phase !== null) ?? []
  const missing = told?.missing ?? []
  if (shown.length === 0 && missing.length === 0) return undefined
  const lines = shown.map(({ name, description, path, isMandatory, status }) => {
    const waits = status === "proposed" ? " (proposed: go by it once your plan is approved)" : ""
    const must = isMandatory ? " (the user asks for it: you must use it)" : waits
    return `- ${oneLine(name)}${must}: ${cut(oneLine(description), DESCRIPTION)} [${oneLine(path)}]`
  })
  const lead = [
    ...(lines.length === 0
      ? []
      : ["Before you begin, read the file of each skill that helps, and go by it.", ...lines]),
    ...missing.map((name) => `- ${oneLine(name)}: the user asks for it, and it is not here. Say so in your result.`),
  ]
  const text = lead.join("\n")
  return { name: "skills", heading: "SKILLS", priority: null, lead: text, material: text.length }
}
