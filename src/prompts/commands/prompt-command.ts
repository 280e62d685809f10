import * as v from "valibot"
import { GENERAL_AGENT } from "../../agents/programs.ts"
import { command } from "../../app/command.ts"
import { findRoles } from "../../app/wiring/find-roles.ts"
import { chooseHere } from "../../app/wiring/survey.ts"
import { findSkills } from "../../knowledge/effects/find-skills.ts"
import { skillsForTask } from "../../knowledge/effects/skills-for-task.ts"
import { described, text } from "../../lib/schema.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"
import { modelFor } from "../../planning/roles/roles.ts"
import { agentField } from "../../store/operation.ts"
import { taskPrompt } from "../effects/task-prompt.ts"
import { promptFacts } from "../operations/read-prompt-facts.ts"

const input = {
  ...promptFacts.input,
  worker: described(promptFacts.input.worker, "the worker it takes part in the team as; without it, one run"),
  agent: v.optional(agentField("which agent; by default the one that teamwork route names")),
  role: v.optional(text("role or agent type; by default what the task asks for")),
}

export const prompt = command({
  summary: "Print exactly what an agent would get for a task",
  fields: input,
  positional: ["id"],
  example: "teamwork prompt 3 --agent codex",
  async run(session, { agent: wanted, ...where }) {
    const { host, configured } = session
    const known = { ...(await findRoles(session)), mask: makeMask(host.env) }
    const context = await session.context()
    const { project, team, id } = where
    const skills = await skillsForTask(context, {
      project,
      team,
      id,
      ...findSkills({ repository: known.root, home: host.userHome }),
    })
    const request = { ...where, ...known, skills, isMember: true }
    const { facts, role, compose, asked } = await taskPrompt(context, request)
    const agent = wanted ?? (await chooseHere(session, asked())).route.agent ?? GENERAL_AGENT
    const limit = (await (await configured()).promptLimits())(agent)
    const { text, sections, overBy } = compose(limit)
    const model = modelFor(role, facts.task.complexity)
    return {
      data: { prompt: text, sections, limit, overBy, agent, role: role.name, model, effort: role.effort },
      text: () => text,
      isDocument: true,
      warnings: overBy === 0 ? [] : [`the prompt is ${overBy} characters longer than ${agent} should get`],
    }
  },
})
