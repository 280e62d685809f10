import { type FoundSkills, findSkills } from "../../knowledge/effects/find-skills.ts"
import type { Session } from "../command.ts"

export function findSkillsHere({ userHome }: Session["host"], root: string): FoundSkills {
  return findSkills({ repository: root, home: userHome })
}
