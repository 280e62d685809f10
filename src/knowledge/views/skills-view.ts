import { type Screen, table } from "../../lib/text/table.ts"
import type { Skill, TaskSkills } from "../skill.ts"

export function renderSkills(skills: readonly Skill[], screen: Screen): string {
  if (skills.length === 0) return "No skills."
  return table(
    [{ title: "NAME" }, { title: "FROM" }, { title: "DESCRIPTION", flexible: true }, { title: "FILE", flexible: true }],
    skills.map(({ name, origin, description, path }) => [name, origin, description, path]),
    screen,
  )
}

export function renderChosenSkills(skills: TaskSkills["chosen"], screen: Screen): string {
  if (skills.length === 0) return "No skills suit this task."
  return table(
    [{ title: "NAME" }, { title: "STATUS" }, { title: "WHY" }, { title: "DESCRIPTION", flexible: true }],
    skills.map(({ name, status, isMandatory, description, number }) => [
      ...[name, number === null ? `would be ${status}` : status],
      ...[isMandatory ? "the user named it" : "it suits the task", description],
    ]),
    screen,
  )
}
