import * as v from "valibot"
import { command, fromOperation, type Outcome, type Session } from "../../app/command.ts"
import { findRoles } from "../../app/wiring/find-roles.ts"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { described } from "../../lib/schema.ts"
import { getRole, type RoleDefinition } from "../../planning/roles/roles.ts"
import { commaList, taskIdField, teamFields, textField } from "../../store/operation.ts"
import { byField } from "../../store/records.ts"
import type { FoundSkills } from "../effects/find-skills.ts"
import { findSkills } from "../effects/find-skills.ts"
import { skillsForTask } from "../effects/skills-for-task.ts"
import { approveSkills } from "../operations/skills.ts"
import { chooseSkills, type Skill } from "../skill.ts"
import { renderChosenSkills, renderSkills } from "../views/knowledge-view.ts"

const listInput = {
  ...teamFields,
  for: v.optional(textField("only those that suit a role or agent type", 100)),
  task: v.optional(described(taskIdField, "those of a task: as they were chosen, or would be")),
}

export const skillList = command({
  summary: "List the skills that agents have here",
  fields: listInput,
  example: "teamwork skill list --task 3",
  async run(session, { for: role, task, project, team }) {
    if (role !== undefined && task !== undefined)
      throw new AppError("usage", (say) => `use ${say.field("for")} or ${say.field("task")}, not both`)
    const { roles, root } = await findRoles(session)
    const found = findSkills({ repository: root, home: session.host.userHome })
    if (task !== undefined) return chosenFor(session, { project, team, id: task }, found)
    const skills = role === undefined ? found.skills : skillsForRole(found.skills, getRole(roles, role))
    return { data: skills, text: (screen) => renderSkills(skills, screen), warnings: found.warnings }
  },
})

function skillsForRole(skills: readonly Skill[], { name, expertise }: RoleDefinition): Skill[] {
  return chooseSkills(skills, { named: "", about: "", role: [name, ...expertise].join("\n") }).map(({ skill }) => skill)
}

const chooseInput = {
  ...teamFields,
  task: taskIdField,
  names: v.optional(commaList(textField("name", 100), "these; by default what suits role and task best")),
  by: byField("who chooses"),
}

export const skillChoose = command({
  summary: "Choose the skills for a task; the lead approves them, FULL_AUTO does so at once",
  fields: chooseInput,
  positional: ["task"],
  example: "teamwork skill choose 3 --names code-review --by w1",
  async run(session, { task, names, by = PERSON, ...team }) {
    const found = findSkills({ repository: (await findRoles(session)).root, home: session.host.userHome })
    return chosenFor(session, { ...team, id: task, by, ...(names && { names }) }, found)
  },
})

export const skillApprove = fromOperation(approveSkills, {
  positional: ["task"],
  example: "teamwork skill approve 3 --by orchestrator",
  text: renderChosenSkills,
})

type Which = TeamName & { readonly id: TaskId; readonly by?: string; readonly names?: readonly string[] }

async function chosenFor(session: Session, which: Which, found: FoundSkills): Promise<Outcome> {
  const { chosen, missing } = await skillsForTask(await session.context(), { ...which, skills: found.skills })
  return {
    data: chosen,
    text: (screen) => renderChosenSkills(chosen, screen),
    warnings: [
      ...found.warnings,
      ...missing.map((name) => `the skill ${name} is named, but agents here do not have it`),
    ],
  }
}
