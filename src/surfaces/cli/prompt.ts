import { assertCapable, getRole, modelFor } from "../../domain/roles.ts"
import { chooseRoute } from "../../domain/routing.ts"
import type { Task } from "../../domain/task.ts"
import { type InputOf, optional, text } from "../../lib/fields.ts"
import { makeMask } from "../../lib/mask-secrets.ts"
import { idField } from "../../operations/operation.ts"
import { promptFacts } from "../../operations/prompt-facts.ts"
import { composePrompt, promptLimitOf } from "../../views/prompt/compose-prompt.ts"
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
  async run({ host, context }, raw) {
    const { agent: wanted, role: named, ...where } = raw as InputOf<typeof input>
    const facts = await promptFacts.run(await context(), where)
    const { task } = facts
    const { roles, root } = await findRoles(host)
    const role = getRole(roles, named ?? task.agentType ?? task.role)
    assertCapable(task, role)
    const agent = wanted ?? agentFor(task)
    const limit = promptLimitOf(agent)
    const taskRole = role.name === task.role ? undefined : getRole(roles, task.role)
    const mask = makeMask(host.env)
    const { text, sections, overBy } = composePrompt({ facts, role, taskRole, worker: where.worker, root, limit, mask })
    const model = modelFor(role, task.complexity)
    return {
      data: { prompt: text, sections, limit, overBy, agent, role: role.name, model, effort: role.effort },
      text: () => text,
      isDocument: true,
      warnings: overBy === 0 ? [] : [`the prompt is ${overBy} characters longer than ${agent} should get`],
    }
  },
}

function agentFor({ title, description }: Task): string {
  return chooseRoute({ text: `${title}\n${description}` }).agent ?? "claude"
}
