import { join } from "node:path"
import { runFolder } from "../../agents/jobs/record-run.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { makeAgentJob } from "../../agents/make-agent-job.ts"
import type { AgentJob } from "../../agents/port.ts"
import { ownershipFacts } from "../../ownership/operations/ownership-facts.ts"
import type { Task } from "../../tasks/task.ts"
import type { EarlierSession } from "../loop/find-session.ts"
import { pathTo, reachVariables, serversFor } from "../loop/reach-team.ts"
import { taskVariables } from "../loop/script-variables.ts"
import type { Shift } from "../loop/shift.ts"

export interface OpenRequest {
  readonly task: Task
  readonly ready: ReadyAgent
  readonly earlier: EarlierSession
  readonly workspace: string
  readonly identity: Readonly<Record<string, string>>
  /** Without it nothing is claimed, and the guards go by what the task says. */
  readonly token?: number
}

/** What an agent gets when a person opens its session: the state, settings and guards that its runs had. */
export async function makeOpenJob(shift: Shift, request: OpenRequest): Promise<AgentJob> {
  const { ports, options, team, worker } = shift
  const { task, ready, earlier, workspace, token } = request
  const claim = token === undefined ? {} : { owner: worker, token }
  const { ownership } = await ownershipFacts.run(ports.context, { ...team, task: task.id, ...claim })
  const { permission } = options.settings
  const told = reachVariables(shift)
  const env = environmentOf(shift, { ...request, base: ready.env })
  return makeAgentJob({
    prompt: "",
    workspace,
    ownership,
    permission,
    model: earlier.model,
    resume: earlier.session,
    stateFolder: join(runFolder(options.home, team, earlier.firstRun), "state"),
    mcpServers: serversFor(shift, { env: told, permission }),
    ...(options.reach === undefined || token === undefined
      ? {}
      : { claim: { ...team, owner: worker, token, task: task.id, store: options.reach.store } }),
    env,
  })
}

/** What every program in the workspace of a task gets, an ordinary shell too. */
export function environmentOf(
  shift: Shift,
  {
    task,
    workspace,
    identity,
    base,
  }: Pick<OpenRequest, "task" | "workspace" | "identity"> & {
    readonly base: Readonly<Record<string, string>>
  },
): Record<string, string> {
  const { ports, worker } = shift
  const integration = ports.workspaces.integrationBranch
  const variables = taskVariables({ task, worker, integration, turn: 1 })
  const env = { ...base, ...identity, ...variables, ...reachVariables(shift) }
  const around = ports.surround?.(env, workspace) ?? env
  return { ...around, ...pathTo(shift, around) }
}
