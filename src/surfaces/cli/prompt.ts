import { assertCapable, getRole, modelFor } from "../../domain/roles.ts"
import { estimateTokens } from "../../domain/routing.ts"
import { type InputOf, optional, text } from "../../lib/fields.ts"
import { makeMask } from "../../lib/mask-secrets.ts"
import { idField } from "../../operations/operation.ts"
import { promptFacts } from "../../operations/prompt-facts.ts"
import { composePrompt } from "../../views/prompt/compose-prompt.ts"
import { chooseHere } from "./choose-here.ts"
import type { Command } from "./command.ts"
import { findRoles } from "./role.ts"

const input = {
  ...promptFacts.input,
  worker: { ...promptFacts.input.worker, description: "the worker it takes part in the team as; without it, one run" },
  agent: optional(idField("which agent; by default the one that teamwork route names")),
  role: optional(text("role or agent type; by default what the task asks for")),
}

export const prompt: Command = {
  summary: "Print exactly what an agent would get for a task",
  fields: input,
  positional: ["id"],
  example: "teamwork prompt 3 --agent codex",
  async run(session, raw) {
    const { host, configured } = session
    const { agent: wanted, role: named, ...where } = raw as InputOf<typeof input>
    const facts = await promptFacts.run(await session.context(), where)
    const { task } = facts
    const { roles, root } = await findRoles(host)
    const role = getRole(roles, named ?? task.agentType ?? task.role)
    assertCapable(task, role)
    const taskRole = role.name === task.role ? undefined : getRole(roles, task.role)
    const mask = makeMask(host.env)
    const compose = (limit: number) => composePrompt({ facts, role, taskRole, worker: where.worker, root, limit, mask })
    const asked = { text: `${task.title}\n${task.description}`, agentType: role.name, complexity: task.complexity }
    const choose = async () => {
      const contextTokens = estimateTokens(compose(Number.POSITIVE_INFINITY).text)
      return (await chooseHere(session, { ...asked, contextTokens })).route.agent
    }
    const agent = wanted ?? (await choose()) ?? "claude"
    const limit = (await (await configured()).promptLimits())(agent)
    const { text, sections, overBy } = compose(limit)
    const model = modelFor(role, task.complexity)
    return {
      data: { prompt: text, sections, limit, overBy, agent, role: role.name, model, effort: role.effort },
      text: () => text,
      isDocument: true,
      warnings: overBy === 0 ? [] : [`the prompt is ${overBy} characters longer than ${agent} should get`],
    }
  },
}
