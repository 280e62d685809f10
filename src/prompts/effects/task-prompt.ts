import type { AgentChoice } from "../../agents/choose/choose-agent.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { TaskSkills } from "../../knowledge/skill.ts"
import { assertCapable, getRole, type RoleDefinition } from "../../planning/roles/roles.ts"
import { estimateTokens } from "../../planning/routing.ts"
import type { Context } from "../../store/operation.ts"
import { GENERIC_ROLE } from "../../tasks/task.ts"
import { promptFacts } from "../operations/read-prompt-facts.ts"
import type { PromptFacts } from "../prompt-facts.ts"
import { composePrompt } from "../views/compose-prompt.ts"
import type { FittedText } from "../views/fit-sections.ts"

export interface PromptRequest extends TeamName {
  readonly id: TaskId
  /** Its messages and folder are part of the prompt. */
  readonly worker?: WorkerId
  /** The agent is this worker of the team; otherwise it does the task in one run. */
  readonly isMember: boolean
  /** By default the task's. */
  readonly role?: string
  readonly roles: readonly RoleDefinition[]
  readonly skills?: TaskSkills
  /** Where the agent has our MCP server. */
  readonly server?: string
  readonly root: string
  readonly mask: (text: string) => string
}

export interface TaskPrompt {
  readonly facts: PromptFacts
  readonly role: RoleDefinition
  compose(limit: number): FittedText
  asked(): AgentChoice["asked"]
}

/** For any agent. */
export async function taskPrompt(context: Context, request: PromptRequest): Promise<TaskPrompt> {
  const { project, team, id, worker, roles, skills, server, root, mask } = request
  const facts = await promptFacts.run(context, { project, team, id, worker })
  const { task } = facts
  const role = getRole(roles, request.role ?? task.agentType ?? task.role)
  assertCapable(task, role)
  // A role that was made for the goal is enough for a generic task.
  const isEnough = role.name === task.role || (role.prefix !== undefined && task.role === GENERIC_ROLE)
  const taskRole = isEnough ? undefined : getRole(roles, task.role)
  const member = request.isMember ? worker : undefined
  const own = { facts, role, taskRole, worker: member, skills, server, root, mask }
  const compose = (limit: number) => composePrompt({ ...own, limit })
  return {
    facts,
    role,
    compose,
    asked: () => ({
      text: `${task.title}\n${task.description}`,
      agentType: role.name,
      complexity: task.complexity,
      contextTokens: estimateTokens(compose(Number.POSITIVE_INFINITY).text),
    }),
  }
}
