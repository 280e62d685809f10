import { join } from "node:path"
import { runFolder } from "../../agents/jobs/record-run.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { makeAgentJob, NO_LIMITS } from "../../agents/make-agent-job.ts"
import type { AgentJob, McpServer, Session } from "../../agents/port.ts"
import { findProgram, SCRIPT } from "../../agents/programs.ts"
import type { Aside, Workspace } from "../../git/port.ts"
import { ownershipFacts } from "../../ownership/operations/ownership-facts.ts"
import { estimateTokens } from "../../planning/routing.ts"
import type { TaskPrompt } from "../../prompts/effects/task-prompt.ts"
import type { FittedText } from "../../prompts/views/fit-sections.ts"
import { mergePrompt } from "../../prompts/views/merge-prompt.ts"
import { repairPrompt } from "../../prompts/views/repair-prompt.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { CLOSING_SCHEMA } from "../../tasks/closing-block.ts"
import type { Task } from "../../tasks/task.ts"
import { budgetLeft } from "./budget-left.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import { agentMark } from "./orphans.ts"
import { stopAtBudget } from "./watch-run.ts"
import type { WorkerRun } from "./worker-ports.ts"

export interface AgentAssignment extends Pick<AgentJob, "model" | "tier" | "effort" | "permission" | "allowedTools"> {
  readonly ready: ReadyAgent
  /** Null for the script agent. */
  readonly prompt: TaskPrompt | null
}

export interface Turn {
  readonly assigned: AgentAssignment
  readonly workspace: Workspace
  /** 1 does the task, later turns repair it. */
  readonly number: number
  readonly fix: FixFacts | undefined
  readonly identity: Readonly<Record<string, string>>
  /** Of this claim: its folder has the agent's state. */
  readonly firstRun: string
  readonly run: string
  readonly session: Session | null
  readonly verdict: Verdict | null
  /** In the session of the agent that did the work. */
  readonly isMerge: boolean
  /** Changes outside the task's files. */
  readonly aside?: Aside | null
  /** To plan, read-only; with `isOver`, to begin with the approved plan. */
  readonly planning?: { readonly prompt: string; readonly isOver: boolean }
}

export async function makeTurnJob(claim: ClaimHandle, turn: Turn, prompt: string): Promise<AgentJob> {
  const { options, worker, history, task } = claim
  const { assigned, workspace, number, fix, identity } = turn
  const { model, tier, effort, allowedTools, ready } = assigned
  const { agentTimeoutSeconds, budget, patience } = options.settings
  const { usedUp, tokens, dollars } = budgetLeft(await history.read(), budget, { task: task.id, worker })
  if (usedUp !== null) throw await stopAtBudget(claim, usedUp, ready.agent.name)
  const program = findProgram(ready.agent.name)
  const permission = isReading(turn) ? "ask" : assigned.permission
  const timeMs = agentTimeoutSeconds === 0 ? null : agentTimeoutSeconds * 1000
  return makeAgentJob({
    ...(await commonJob(claim, { task, permission, token: claim.token, firstRun: turn.firstRun })),
    prompt,
    model,
    tier,
    effort,
    allowedTools,
    commands: commandsOf({ task, turn: number, fix }),
    workspace: workspace.path,
    deniedTools: isReading(turn) ? (program?.tools.writing ?? []) : [],
    resume: turn.session,
    ...(program?.closesBySchema === true && !isReading(turn) && { closingSchema: CLOSING_SCHEMA }),
    limits: { ...NO_LIMITS, timeMs, tokens, dollars, ...patience },
    env: taskEnvironment(claim, { task, workspace: workspace.path, identity, base: ready.env, turn: number, fix }),
  })
}

interface CommonFacts extends Pick<AgentJob, "permission"> {
  readonly task: Task
  readonly firstRun: string
  /** Without it the task is not claimed, and the guards use its declared files. */
  readonly token?: number
}

/** State, guards and server for all runs of a task, also when a person opens its session. */
export async function commonJob(run: WorkerRun, { task, permission, token, firstRun }: CommonFacts) {
  const { ports, options, team, worker } = run
  const owner = token === undefined ? {} : { owner: worker, token }
  const { ownership } = await ownershipFacts.run(ports.context, { ...team, task: task.id, ...owner })
  const store = options.reach?.store
  return {
    ownership,
    permission,
    stateFolder: join(runFolder(options.home, team, firstRun), "state"),
    mcpServers: serversFor(run, { env: reachVariables(run), permission }),
    ...(store !== undefined &&
      token !== undefined && { claim: { ...team, owner: worker, token, task: task.id, store } }),
  }
}

interface EnvironmentFacts {
  readonly task: Task
  readonly workspace: string
  readonly identity: Readonly<Record<string, string>>
  readonly base: Readonly<Record<string, string>>
  readonly turn: number
  readonly fix?: FixFacts
}

/** For every program in the workspace of a task, even an ordinary shell. */
export function taskEnvironment(run: WorkerRun, facts: EnvironmentFacts): Record<string, string> {
  const { ports, options, worker } = run
  const { task, workspace, identity, base, turn, fix } = facts
  const integration = ports.workspaces.integrationBranch
  const variables = taskVariables({ task, worker, integration, turn, fix })
  const env = { ...base, ...identity, ...variables, ...reachVariables(run) }
  const around = ports.surround?.(env, workspace) ?? env
  // Makes our own command available where it is not installed.
  const { PATH = "" } = around
  const bin = options.reach?.bin
  return bin === undefined ? around : { ...around, PATH: PATH === "" ? bin : `${bin}:${PATH}` }
}

/**
 * With these `teamwork` finds the same team wherever an agent calls it, independent of folder, branch and settings.
 * The mark identifies the worker's processes.
 */
function reachVariables({ options, team, worker }: WorkerRun): Readonly<Record<string, string>> {
  const { home, reach } = options
  const mark = { [agentMark({ ...team, home, worker })]: "1" }
  if (reach === undefined) return mark
  return {
    ...mark,
    TEAMWORK_HOME: home,
    TEAMWORK_STORE: reach.store,
    TEAMWORK_PROJECT: team.project,
    TEAMWORK_TEAM: team.team,
  }
}

const OUR_SERVER = "teamwork"

/**
 * Our MCP server, as the worker. Some agents pass almost no environment to a server, so it gets what it needs. It
 * runs outside an agent's sandbox, so it runs commands only for agents that may run anything. It never claims or
 * ends the task: the worker does that, after it commits and judges.
 */
export function serversFor(
  { options, worker }: WorkerRun,
  { env, permission }: Pick<AgentJob, "env" | "permission">,
): Readonly<Record<string, McpServer>> {
  const [command, ...self] = options.reach?.self ?? []
  if (command === undefined || !options.settings.mcp) return {}
  const args = [...self, "mcp", "--as", worker, "--no-claims", ...(permission === "full" ? [] : ["--no-commands"])]
  return { [OUR_SERVER]: { command, args, env } }
}

function isReading({ planning }: Turn): boolean {
  return planning?.isOver === false
}

/** A resumed session needs only what is new. */
export function makePrompt({ ports, task }: ClaimHandle, turn: Turn): Pick<FittedText, "text" | "own"> {
  const { assigned, verdict, session, planning, isMerge, aside = null } = turn
  const { prompt, ready } = assigned
  if (prompt === null) return { text: "", own: 0 }
  const limit = ports.promptLimit(ready.agent.name)
  if (isMerge) return mergePrompt(task, { mask: ports.mask, limit })
  if (verdict === null && planning === undefined) return prompt.compose(limit)
  const more =
    verdict === null
      ? { text: planning?.prompt ?? "", own: isReading(turn) ? (planning?.prompt.length ?? 0) : 0 }
      : repairPrompt(verdict, { mask: ports.mask, limit: Math.floor(limit / 2), aside })
  if (session !== null) return more
  const { text, own } = prompt.compose(limit - more.text.length)
  return { text: `${text}\n\n${more.text}`, own: own + more.own }
}

/** For the definitions of our MCP tools. A test compares it with their text. */
export const TOOLS_TOKENS = 2700

/** Estimates for the report: the input at the start of a run, and teamwork's own share of it. */
export function countSent({ prompt, closingSchema, mcpServers }: AgentJob, ownCharacters: number) {
  const schema = closingSchema === undefined ? 0 : estimateTokens(JSON.stringify(closingSchema))
  const around = schema + (OUR_SERVER in mcpServers ? TOOLS_TOKENS : 0)
  return { sent_tokens: estimateTokens(prompt) + around, own_tokens: Math.ceil(ownCharacters / 4) + around }
}

/** For a task that repairs a merge. */
export interface FixFacts {
  readonly of: string
  readonly head: string
}

interface TurnFacts extends Pick<EnvironmentFacts, "task" | "turn" | "fix"> {
  readonly worker: string
  readonly integration: string
}

export function taskVariables({ task, worker, integration, turn, fix }: TurnFacts): Record<string, string> {
  return {
    TEAMWORK_TASK: task.id,
    TEAMWORK_ATTEMPT: String(task.attempt),
    TEAMWORK_TURN: String(turn),
    TEAMWORK_WORKER: worker,
    TEAMWORK_INTEGRATION: integration,
    ...(fix === undefined ? {} : { TEAMWORK_FIX_OF: fix.of, TEAMWORK_FIX_HEAD: fix.head }),
  }
}

/** No other agent could follow the commands. */
export function isScripted({ work }: Task): boolean {
  return work.agent === SCRIPT || (work.agent === null && work.commands.length > 0)
}

/** A task may have other commands for a repair. */
export function commandsOf({ task: { work }, turn, fix }: Pick<TurnFacts, "task" | "turn" | "fix">): readonly string[] {
  const isRepair = turn > 1 || fix !== undefined
  return isRepair && work.repair.length > 0 ? work.repair : work.commands
}
