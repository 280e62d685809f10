import * as v from "valibot"
import { command, fromOperation, type Outcome, type Session } from "../../app/command.ts"
import { findRoles } from "../../app/wiring/find-roles.ts"
import { findSkillsHere } from "../../app/wiring/skills-here.ts"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { described } from "../../lib/schema.ts"
import { getRole } from "../../planning/roles/roles.ts"
import { commaList, taskIdField, teamFields, textField } from "../../store/operation.ts"
import { byField } from "../../store/records.ts"
import type { FoundSkills } from "../effects/find-skills.ts"
import { skillsForTask } from "../effects/skills-for-task.ts"
import { approveSkills } from "../operations/skills.ts"
import { chooseSkills, type TaskSkills } from "../skill.ts"
import { renderChosenSkills, renderSkills } from "../views/skills-view.ts"

const listInput = {
  ...teamFields,
  for: v.optional(textField("only those that suit a role or agent type", 100)),
  task: v.optional(described(taskIdField, "those of a task: as they were chosen, or would be")),
}

export const skillList = command({
  summary: "List the skills that agents have here, looked up now",
  fields: listInput,
  example: "teamwork skill list --task 3",
  async run(session, { for: role, task, project, team }) {
    if (role !== undefined && task !== undefined)
      throw new AppError("usage", (say) => `use ${say.field("for")} or ${say.field("task")}, not both`)
    const { roles, root } = await findRoles(session)
    const found = findSkillsHere(session.host, root)
    if (task !== undefined) return chosenFor(session, { project, team, id: task }, found)
    if (role === undefined)
      return { data: found.skills, text: (screen) => renderSkills(found.skills, screen), warnings: found.warnings }
    const { name, expertise } = getRole(roles, role)
    const suited = chooseSkills(found.skills, { named: "", about: "", role: [name, ...expertise].join("\n") })
    const skills = suited.map(({ skill }) => skill)
    return { data: skills, text: (screen) => renderSkills(skills, screen), warnings: found.warnings }
  },
})

const chooseInput = {
  ...teamFields,
  task: taskIdField,
  names: v.optional(commaList(textField("name", 100), "these; by default what suits role and task best")),
  by: byField("who chooses"),
}

export const skillChoose = command({
  summary: "Choose the skills for a task and write them down; the lead approves, in FULL_AUTO at once",
  fields: chooseInput,
  positional: ["task"],
  example: "teamwork skill choose 3 --names code-review --by w1",
  async run(session, { task, names, by = PERSON, ...team }) {
    const found = findSkillsHere(session.host, (await findRoles(session)).root)
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
  const told: TaskSkills = await skillsForTask(await session.context(), { ...which, skills: found.skills })
  const missing = told.missing.map((name) => `the skill ${name} is asked for, and is not here`)
  return {
    data: told.chosen,
    text: (screen) => renderChosenSkills(told.chosen, screen),
    warnings: [...found.warnings, ...missing],
  }
}
