import { chooseAgent } from "../../agents/choose/choose-agent.ts"
import type { LeftOut } from "../../agents/choose/survey-agents.ts"
import { findLeftOut } from "../../agents/choose/survey-agents.ts"
import { remedyFor } from "../../agents/heal-agent.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { type AgentHealth, readAgentHealth } from "../../agents/operations/agent-health.ts"
import { programOf } from "../../agents/program-of.ts"
import { SCRIPT } from "../../agents/programs.ts"
import { isScarce } from "../../agents/quota.ts"
import { skillsForTask } from "../../knowledge/effects/skills-for-task.ts"
import { firstLine } from "../../lib/text/last-lines.ts"
import type { RoleDefinition } from "../../planning/roles/roles.ts"
import { getRole, modelFor } from "../../planning/roles/roles.ts"
import type { Route } from "../../planning/routing.ts"
import { type TaskPrompt, taskPrompt } from "../../prompts/effects/task-prompt.ts"
import type { History } from "../../reporting/history.ts"
import { isOnCriticalPath } from "../../tasks/layers.ts"
import { listTasks } from "../../tasks/operations/list-tasks.ts"
import { agentsToAvoid, agentsToSpare, type PastSetback, type SetbackKind } from "../../tasks/retry.ts"
import { hasEnded, type Task } from "../../tasks/task.ts"
import { reserve } from "./admit-run.ts"
import { type AgentAssignment, isScripted, serversFor } from "./agent-job.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import type { EarlierSession } from "./earlier-runs.ts"
import { Setback } from "./setback.ts"
import { endWait, type Wait, waitForAgent } from "./wait-for-agent.ts"

type Known = Pick<EarlierSession, "agent" | "model">

/** Waits while every suitable agent is rate-limited or failing. */
export async function assignAgent(claim: ClaimHandle, known?: Known): Promise<AgentAssignment> {
  if (isScripted(claim.task)) return assignScript(claim)
  const asked = { limit: false, agents: new Set<string>() }
  for (;;) {
    const chosen = await chooseNow(claim, known)
    if ("retryAt" in chosen) {
      await waitForAgent(claim, { ...chosen, asked })
      continue
    }
    if (!(await reserve(claim, chosen.ready))) continue
    await endWait(claim, asked)
    return chosen
  }
}

async function assignScript({ ports, options, task }: ClaimHandle): Promise<AgentAssignment> {
  const ready = (await ports.agents()).find(({ agent }) => agent.name === SCRIPT)
  if (ready === undefined) throw new Setback("not-found", `there is no agent ${SCRIPT}`, { agent: SCRIPT })
  const { tier } = options.settings.defaults
  return { ready, prompt: null, model: null, tier, effort: task.work.effort, permission: "full", allowedTools: [] }
}

async function chooseNow(claim: ClaimHandle, known: Known | undefined): Promise<AgentAssignment | Wait> {
  const { ports, options, task } = claim
  const { settings } = options
  const roles = await ports.context.roles()
  const prompt = await preparePrompt(claim, roles)
  const health = await readAgentHealth.run(ports.context, {})
  const history = await claim.history.read()
  const setbacks = history.tasks.get(task.id)?.setbacks ?? []
  const avoided = agentsToAvoid(setbacks)
  const all = await ports.agents()
  const able = all.filter(({ agent }) => !avoided.includes(agent.name))
  const { role } = prompt
  const permission = role.writes ? settings.permission : ("ask" as const)
  const how = { permission, allowedTools: role.tools, prompt }
  const tier = modelFor(role, task.complexity)
  const effort = task.work.effort ?? role.effort
  const named = findNamed(task, { all, able, setbacks })
  if (named !== undefined && isFree(health, named))
    return { ...how, ready: named, model: modelOf(claim, setbacks), tier, effort }
  const same = able.find((each) => each.isEnabled && each.agent.name === known?.agent)
  if (same !== undefined && known !== undefined && task.work.agent === null && isFree(health, same))
    return { ...how, ready: same, model: task.work.model ?? known.model, tier, effort }
  const spared = agentsToSpare(setbacks, settings.retry)
  const asked = { ...prompt.asked(), isCritical: await findCritical(claim, health) }
  const { scarcePercent, defaults } = settings
  const common = { health, roles, home: options.home, clock: ports.clock, defaults, scarcePercent, asked }
  const choose = (ready: readonly ReadyAgent[]) => chooseAgent({ ...common, ready })
  const first = await choose(able.filter(({ agent }) => !spared.includes(agent.name)))
  // An agent that failed at this task before is better than none.
  const { route, effort: routed } = first.route.agent === null && spared.length > 0 ? await choose(able) : first
  const ready = able.find(({ agent }) => agent.name === route.agent)
  if (ready === undefined) return waitOrThrow(route, { health, able, givenUp: listGivenUp(history, task, avoided) })
  return {
    ...how,
    ready,
    tier: route.tier,
    // A model belongs to the agent it was named with.
    model: task.work.agent === null ? task.work.model : null,
    effort: task.work.effort ?? routed ?? getRole(roles, route.agentType).effort,
  }
}

async function preparePrompt(claim: ClaimHandle, roles: readonly RoleDefinition[]): Promise<TaskPrompt> {
  const { ports, options, team, worker, task } = claim
  const server = Object.keys(serversFor(claim, { env: {}, permission: "ask" }))[0]
  const where = { ...team, id: task.id, worker, isMember: false, server }
  const skills = await skillsForTask(ports.context, { ...team, id: task.id, skills: ports.findSkills(), by: worker })
  for (const name of skills.missing) ports.say(`Task ${task.id}: the skill ${name} is required, but not installed`)
  return taskPrompt(ports.context, { ...where, roles, skills, root: options.root, mask: ports.mask })
}

interface Choices {
  readonly all: readonly ReadyAgent[]
  readonly able: readonly ReadyAgent[]
  readonly setbacks: readonly PastSetback[]
}

/** Undefined where that agent cannot do the task. Throws once for a missing agent. */
function findNamed({ work: { agent: named } }: Task, { all, able, setbacks }: Choices): ReadyAgent | undefined {
  if (named === null) return undefined
  const found = all.find(({ agent }) => agent.name === named)
  if (found?.isEnabled === true) return able.find((each) => each === found)
  if (setbacks.some(({ kind, agent }) => kind === "not-found" && agent === named)) return undefined
  const why =
    found === undefined
      ? `there is no agent ${named}`
      : `${named} is switched off by agents.${programOf(named)}.enabled`
  throw new Setback("not-found", why, { agent: named })
}

/** The model of the tier replaces one that the provider does not have. */
function modelOf({ ports, task: { id, work } }: ClaimHandle, setbacks: readonly PastSetback[]) {
  const { agent, model } = work
  if (model === null || !setbacks.some((each) => each.kind === "unknown-model" && each.agent === agent)) return model
  ports.say(`Task ${id}: ${agent} has no model ${model}; it takes the one that is configured`)
  return null
}

function isFree(health: AgentHealth, ready: ReadyAgent): boolean {
  return health.until[ready.agent.name] === undefined && findLeftOut(health, ready) === null
}

/** Undefined when no quota is scarce and it makes no difference. */
async function findCritical({ ports, team, options, task }: ClaimHandle, { quotas }: AgentHealth) {
  if (!Object.values(quotas).some((windows) => isScarce(windows, options.settings.scarcePercent))) return undefined
  const left = (await listTasks.run(ports.context, team)).filter(({ status }) => !hasEnded(status))
  return isOnCriticalPath(left, task.id)
}

function waitOrThrow(
  { because, passedOver, retryAt }: Pick<Route, "because" | "passedOver" | "retryAt">,
  { health, able, givenUp }: Pick<Wait, "health" | "able"> & { readonly givenUp: readonly GivenUp[] },
): Wait {
  if (retryAt === null) {
    const why = explainNoAgent(givenUp, passedOver)
    throw new Setback(givenUp.at(-1)?.kind ?? "not-found", `no agent can take it: ${why}`)
  }
  const leftOut = able.flatMap((ready): [string, LeftOut][] => {
    const found = findLeftOut(health, ready)
    return found === null ? [] : [[ready.agent.name, found]]
  })
  return { retryAt: Date.parse(retryAt), health, why: because.join("; "), leftOut: new Map(leftOut), able }
}

interface GivenUp {
  readonly agent: string
  readonly kind: SetbackKind
  readonly error: string
}

function listGivenUp({ tasks, runs }: History, { id, attempt }: Task, avoided: readonly string[]): GivenUp[] {
  const setbacks = tasks.get(id)?.setbacks ?? []
  return avoided.flatMap((agent) => {
    const kind = setbacks.findLast((each) => each.agent === agent)?.kind
    const run = [...runs.values()].findLast(
      (each) => each.task === id && each.attempt === attempt && each.agent === agent && each.error !== null,
    )
    return kind === undefined ? [] : [{ agent, kind, error: run?.error ?? "" }]
  })
}

const MAX_ERROR = 300

export function explainNoAgent(givenUp: readonly GivenUp[], passedOver: Route["passedOver"]): string {
  const ended = givenUp.map(({ agent, kind, error }) => {
    const help = remedyFor(agent, kind)
    const line = firstLine(error.trim())
    const short = line.length > MAX_ERROR ? `${line.slice(0, MAX_ERROR)}...` : line
    return `${agent} ended with ${kind} (${short || "no message"})${help === undefined ? "" : `; ${help}`}`
  })
  const others = passedOver
    .filter(({ agent }) => givenUp.every((each) => each.agent !== agent))
    .map(({ agent, because }) => `${agent}: ${because}`)
  return [...ended, ...others].join(". ") || "no agent is installed"
}
