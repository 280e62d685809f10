import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import type { TeamName } from "../../kernel/team.ts"
import { nearest } from "../../lib/text/nearest.ts"
import type { Context } from "../../store/operation.ts"
import { proposeSkills, readSkillFacts, type SkillFacts, statusOf } from "../operations/skills.ts"
import { chooseSkills, findMissing, type Skill, type SkillChoice, type TaskSkills } from "../skill.ts"

export interface TaskSkillsRequest extends TeamName {
  readonly id: TaskId
  /** Installed now. */
  readonly skills: readonly Skill[]
  /** Without it, nothing is recorded. */
  readonly by?: string
  /** Replaces the best matches. Skills that the user named are chosen anyway. */
  readonly names?: readonly string[]
}

/** Chooses once for each attempt; an earlier choice stays. */
export async function skillsForTask(context: Context, request: TaskSkillsRequest): Promise<TaskSkills> {
  const { project, team, id, skills, by, names } = request
  const facts = await readSkillFacts(context, { project, team, id })
  const missing = findMissing(`${facts.goal}\n${facts.task.title}\n${facts.task.description}`, skills)
  if (facts.chosen.length > 0 && names === undefined) return { chosen: facts.chosen, missing }
  const best = await chooseFor(context, facts, skills)
  const choices = names === undefined ? best : [...best.filter((each) => each.isMandatory), ...named(names, skills)]
  if (by !== undefined && choices.length > 0)
    return { chosen: await proposeSkills(context, { project, team, id, choices: unique(choices), by }), missing }
  return { chosen: choices.map((choice) => asChosen(choice, facts)), missing }
}

async function chooseFor(
  context: Context,
  { goal, task }: SkillFacts,
  skills: readonly Skill[],
): Promise<SkillChoice[]> {
  const roles = await context.roles()
  const own = roles.filter(({ name }) => name === task.role || name === task.agentType)
  return chooseSkills(skills, {
    named: [goal, task.title, task.description].join("\n"),
    about: [task.title, task.description, ...task.acceptance, ...task.files].join("\n"),
    role: own.flatMap(({ name, expertise }) => [name, ...expertise]).join("\n"),
  })
}

function named(names: readonly string[], skills: readonly Skill[]): SkillChoice[] {
  return names.map((name) => {
    const skill = skills.find((each) => each.name === name)
    if (skill !== undefined) return { skill, isMandatory: false }
    const known = skills.map((each) => each.name)
    const close = nearest(name, known)
    const hint = close === undefined ? "" : `; did you mean ${close}?`
    const remedy: Remedy[] = close === undefined ? [{ operation: "skill list", to: "see" }] : []
    throw new AppError("skill.not_found", `there is no skill ${name} here${hint}`, { name }, { remedy })
  })
}

function unique(choices: readonly SkillChoice[]): SkillChoice[] {
  return choices.filter((each, index) => choices.findIndex(({ skill }) => skill.name === each.skill.name) === index)
}

function asChosen({ skill: { origin: _, ...skill }, isMandatory }: SkillChoice, { task, mode }: SkillFacts) {
  const status = statusOf(mode, isMandatory)
  const { id: taskId, attempt } = task
  return { ...skill, number: null, taskId, attempt, status, isMandatory, chosenBy: "", approvedBy: null }
}
