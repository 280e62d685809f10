import { chooseAgent } from "../../agents/choose/choose-agent.ts"
import type { LeftOut } from "../../agents/choose/survey-agents.ts"
import { findLeftOut } from "../../agents/choose/survey-agents.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { type AgentHealth, readAgentHealth } from "../../agents/operations/agent-health.ts"
import type { AgentJob } from "../../agents/port.ts"
import { programOf } from "../../agents/program-of.ts"
import { isScarce } from "../../agents/quota.ts"
import { skillsForTask } from "../../knowledge/effects/skills-for-task.ts"
import type { RoleDefinition } from "../../planning/roles/roles.ts"
import { getRole, modelFor } from "../../planning/roles/roles.ts"
import type { Route } from "../../planning/routing.ts"
import { type TaskPrompt, taskPrompt } from "../../prompts/effects/task-prompt.ts"
import type { History } from "../../reporting/history.ts"
import { isOnCriticalPath } from "../../tasks/critical-path.ts"
import { listTasks } from "../../tasks/operations/list-tasks.ts"
import { agentsToAvoid, agentsToSpare, type PastSetback } from "../../tasks/retry.ts"
import { hasEnded, type Task } from "../../tasks/task.ts"
import { reserve } from "./admit-run.ts"
import type { EarlierSession } from "./find-session.ts"
import type { Hold } from "./hold-claim.ts"
import { explainNobody, type GivenUp } from "./no-agent.ts"
import { serversFor } from "./reach-team.ts"
import { isScripted, SCRIPT } from "./script-variables.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"
import { endWait, type Wait, waitForAgent } from "./wait-for-agent.ts"

/** Who does a task, and how. */
export interface Doer extends Pick<AgentJob, "model" | "tier" | "effort" | "permission" | "allowedTools"> {
  readonly ready: ReadyAgent
  /** Null for the script agent, which reads none. */
  readonly prompt: TaskPrompt | null
}

/** Who did the work that is to be mended. */
type Known = Pick<EarlierSession, "agent" | "model">

/** Waits while every agent that could take it is rate-limited or left out. */
export async function chooseDoer(shift: Shift, hold: Hold, known?: Known): Promise<Doer> {
  if (isScripted(hold.task)) return chooseScript(shift, hold.task)
  const asked = { limit: false, agents: new Set<string>() }
  for (;;) {
    const chosen = await chooseNow(shift, hold, known)
    if ("retryAt" in chosen) {
      await waitForAgent(shift, hold, { ...chosen, asked })
      continue
    }
    if (!(await reserve(shift, hold, chosen.ready))) continue
    await endWait(shift, hold, asked)
    return chosen
  }
}

async function chooseScript({ ports, options }: Shift, task: Task): Promise<Doer> {
  const ready = (await ports.agents()).find(({ agent }) => agent.name === SCRIPT)
  if (ready === undefined) throw new Setback("not-found", `there is no agent ${SCRIPT}`, { agent: SCRIPT })
  const { effort } = task.work
  const how = {
    model: null,
    tier: options.settings.defaults.tier,
    effort,
    permission: "full",
    allowedTools: [],
  } as const
  return { ready, prompt: null, ...how }
}

async function chooseNow(shift: Shift, hold: Hold, known: Known | undefined): Promise<Doer | Wait> {
  const { ports, options } = shift
  const { task } = hold
  const roles = await ports.context.roles()
  const prompt = await makePrompt(shift, task, roles)
  const health = await readAgentHealth.run(ports.context, {})
  const setbacks = (await shift.history.read()).tasks.get(task.id)?.setbacks ?? []
  const all = await ports.agents()
  const able = all.filter(({ agent }) => !agentsToAvoid(setbacks).includes(agent.name))
  const { role } = prompt
  const how = {
    permission: role.writes ? options.settings.permission : ("ask" as const),
    allowedTools: role.tools,
    prompt,
  }
  const named = findNamed(task, { all, able, setbacks })
  if (named !== undefined && isFree(health, named)) {
    const tier = modelFor(role, task.complexity)
    const model = modelOf(shift, task, setbacks)
    return { ...how, ready: named, model, tier, effort: task.work.effort ?? role.effort }
  }
  const same = able.find((each) => each.isEnabled && each.agent.name === known?.agent)
  if (same !== undefined && known !== undefined && task.work.agent === null && isFree(health, same)) {
    const { model, effort } = task.work
    const tier = modelFor(role, task.complexity)
    return { ...how, ready: same, model: model ?? known.model, tier, effort: effort ?? role.effort }
  }
  const spared = agentsToSpare(setbacks, options.settings.retry)
  const others = able.filter(({ agent }) => !spared.includes(agent.name))
  const { scarcePercent } = options.settings
  const isCritical = await findCritical(shift, task, health)
  const choose = (ready: readonly ReadyAgent[]) =>
    chooseAgent({
      ...{ ready, health, roles, home: options.home, clock: ports.clock, defaults: options.settings.defaults },
      ...{ scarcePercent, asked: { ...prompt.asked(), isCritical } },
    })
  const first = await choose(others)
  // Who failed at it before is better than nobody.
  const { route, effort } = first.route.agent === null && spared.length > 0 ? await choose(able) : first
  const ready = able.find(({ agent }) => agent.name === route.agent)
  if (ready === undefined) {
    const ended = givenUp(await shift.history.read(), task, agentsToAvoid(setbacks))
    return whenNobodyCan(route, { health, able, ended })
  }
  const agentType = getRole(roles, route.agentType)
  return {
    ...{ ...how, ready, tier: route.tier },
    // A model belongs to the agent it was named with.
    model: task.work.agent === null ? task.work.model : null,
    effort: task.work.effort ?? effort ?? agentType.effort,
  }
}

async function makePrompt(shift: Shift, task: Task, roles: readonly RoleDefinition[]): Promise<TaskPrompt> {
  const { ports, options, team, worker } = shift
  const server = Object.keys(serversFor(shift, { env: {}, permission: "ask" }))[0]
  const where = { ...team, id: task.id, worker, isMember: false, server }
  const skills = await skillsForTask(ports.context, { ...team, id: task.id, skills: ports.findSkills(), by: worker })
  for (const name of skills.missing) ports.say(`Task ${task.id}: the skill ${name} is asked for, and is not here`)
  return taskPrompt(ports.context, { ...where, roles, skills, root: options.root, mask: ports.mask })
}

interface Choices {
  readonly all: readonly ReadyAgent[]
  /** Without those that would not do better at this task. */
  readonly able: readonly ReadyAgent[]
  readonly setbacks: readonly PastSetback[]
}

/** The agent that the task names; undefined where it names none, or one that cannot take it. Told once as a setback. */
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

/** A model that the provider does not know is replaced by the one of the tier, once. */
function modelOf({ ports }: Shift, { id, work: { agent, model } }: Task, setbacks: readonly PastSetback[]) {
  if (model === null || !setbacks.some((each) => each.kind === "unknown-model" && each.agent === agent)) return model
  ports.say(`Task ${id}: ${agent} has no model ${model}; it takes the one that is configured`)
  return null
}

function isFree(health: AgentHealth, ready: ReadyAgent): boolean {
  return health.until[ready.agent.name] === undefined && findLeftOut(health, ready) === null
}

/** Only looked at where it makes a difference. */
async function findCritical({ ports, team, options }: Shift, task: Task, { quotas }: AgentHealth) {
  if (!Object.values(quotas).some((windows) => isScarce(windows, options.settings.scarcePercent))) return undefined
  const left = (await listTasks.run(ports.context, team)).filter(({ status }) => !hasEnded(status))
  return isOnCriticalPath(left, task.id)
}

function whenNobodyCan(
  { because, passedOver, retryAt }: Pick<Route, "because" | "passedOver" | "retryAt">,
  { health, able, ended }: Pick<Wait, "health" | "able"> & { readonly ended: readonly GivenUp[] },
): Wait {
  // What was seen of each agent says more than the words by which the task was routed.
  const seen = explainNobody(ended, passedOver)
  if (retryAt === null) throw new Setback(ended.at(-1)?.kind ?? "not-found", `no agent can take it: ${seen}`)
  const leftOut = able.flatMap((ready): [string, LeftOut][] => {
    const found = findLeftOut(health, ready)
    return found === null ? [] : [[ready.agent.name, found]]
  })
  return { retryAt: Date.parse(retryAt), health, why: because.join("; "), leftOut: new Map(leftOut), able }
}

/** How the agents ended that the task is not given to again. */
function givenUp({ tasks, runs }: History, { id, attempt }: Task, avoided: readonly string[]): GivenUp[] {
  const setbacks = tasks.get(id)?.setbacks ?? []
  return avoided.flatMap((agent) => {
    const kind = setbacks.findLast((each) => each.agent === agent)?.kind
    const run = [...runs.values()].findLast(
      (each) => each.task === id && each.attempt === attempt && each.agent === agent && each.error !== null,
    )
    return kind === undefined ? [] : [{ agent, kind, error: run?.error ?? "" }]
  })
}
