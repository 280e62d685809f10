import { chooseAgent } from "../../agents/choose/choose-agent.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { type KnownRateLimits, listRateLimits } from "../../agents/operations/rate-limits.ts"
import type { AgentJob } from "../../agents/port.ts"
import { programOf } from "../../agents/program-of.ts"
import { skillsForTask } from "../../knowledge/effects/skills-for-task.ts"
import { LEAD } from "../../messages/message.ts"
import { sendMessage } from "../../messages/operations/send-message.ts"
import { getRole, modelFor } from "../../planning/roles/roles.ts"
import type { Route } from "../../planning/routing.ts"
import { type TaskPrompt, taskPrompt } from "../../prompts/effects/task-prompt.ts"
import type { History } from "../../reporting/history.ts"
import { askAboutLimit, endAskAboutLimit } from "../../requests/operations/wait-for-limit.ts"
import { noteActivity } from "../../tasks/operations/note-run.ts"
import { agentsToAvoid } from "../../tasks/retry.ts"
import type { Task } from "../../tasks/task.ts"
import type { EarlierSession } from "./find-session.ts"
import type { Hold } from "./hold-claim.ts"
import { explainNobody, type GivenUp } from "./no-agent.ts"
import { serversFor } from "./reach-team.ts"
import { isScripted, SCRIPT } from "./script-variables.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"

/** Who does a task, and how. */
export interface Doer extends Pick<AgentJob, "model" | "tier" | "effort" | "permission" | "allowedTools"> {
  readonly ready: ReadyAgent
  /** Null for the script agent, which reads none. */
  readonly prompt: TaskPrompt | null
}

/** Whoever waits longer for something tells the lead. */
const TELL_AFTER_MS = 120_000
const SIGN_OF_LIFE_MS = 60_000

/** Who did the work that is to be mended. */
type Known = Pick<EarlierSession, "agent" | "model">

/** Waits while every agent that could take it is rate-limited. */
export async function chooseDoer(shift: Shift, hold: Hold, known?: Known): Promise<Doer> {
  if (isScripted(hold.task)) return chooseScript(shift, hold.task)
  const toldAt: { ms?: number } = {}
  for (;;) {
    const chosen = await chooseNow(shift, hold, known)
    if (!("retryAt" in chosen)) {
      if (toldAt.ms !== undefined) await endAskAboutLimit(shift.ports.context, questionOf(shift, hold))
      return chosen
    }
    await waitFor(shift, hold, { ...chosen, toldAt })
  }
}

function questionOf({ team, worker }: Shift, { task }: Hold) {
  return { ...team, task: task.id, worker }
}

async function chooseScript({ ports, options }: Shift, task: Task): Promise<Doer> {
  const ready = await findAgent(ports, SCRIPT)
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

interface Wait {
  readonly retryAt: number
  readonly now: number
  readonly why: string
}

async function chooseNow(shift: Shift, hold: Hold, known: Known | undefined): Promise<Doer | Wait> {
  const { ports, options, team, worker } = shift
  const { task } = hold
  const roles = await ports.context.roles()
  const server = Object.keys(serversFor(shift, { env: {}, permission: "ask" }))[0]
  const where = { ...team, id: task.id, worker, isMember: false, server }
  const skills = await skillsForTask(ports.context, { ...team, id: task.id, skills: ports.findSkills(), by: worker })
  for (const name of skills.missing) ports.say(`Task ${task.id}: the skill ${name} is asked for, and is not here`)
  const prompt = await taskPrompt(ports.context, { ...where, roles, skills, root: options.root, mask: ports.mask })
  const rateLimits = await listRateLimits.run(ports.context, {})
  const avoided = avoidedAgents(await shift.history.read(), shift, task)
  const { role } = prompt
  const how = {
    permission: role.writes ? options.settings.permission : ("ask" as const),
    allowedTools: role.tools,
    prompt,
  }
  const named = task.work.agent
  if (named !== null && !avoided.includes(named) && rateLimits.until[named] === undefined) {
    const { model, effort } = task.work
    const ready = await findAgent(ports, named)
    return { ...how, ready, model, tier: modelFor(role, task.complexity), effort: effort ?? role.effort }
  }
  const ready = (await ports.agents()).filter(({ agent }) => !avoided.includes(agent.name))
  const same = named === null ? ready.find((each) => each.isEnabled && each.agent.name === known?.agent) : undefined
  if (same !== undefined && known !== undefined && rateLimits.until[known.agent] === undefined) {
    const { model, effort } = task.work
    const tier = modelFor(role, task.complexity)
    return { ...how, ready: same, model: model ?? known.model, tier, effort: effort ?? role.effort }
  }
  const { route, effort } = await chooseAgent({
    ...{ ready, rateLimits, roles, home: options.home, clock: ports.clock, defaults: options.settings.defaults },
    asked: prompt.asked(),
  })
  if (route.agent === null) return whenNobodyCan(route, rateLimits, givenUp(await shift.history.read(), task, avoided))
  const agentType = getRole(roles, route.agentType)
  return {
    ...{ ...how, ready: await findAgent(ports, route.agent), tier: route.tier },
    // A model belongs to the agent it was named with.
    model: named === null ? task.work.model : null,
    effort: task.work.effort ?? effort ?? agentType.effort,
  }
}

function avoidedAgents(history: History, { options }: Shift, { id }: Task): string[] {
  return agentsToAvoid(history.tasks.get(id)?.setbacks ?? [], options.settings.retry)
}

async function findAgent(ports: Shift["ports"], name: string): Promise<ReadyAgent> {
  const found = (await ports.agents()).find(({ agent }) => agent.name === name)
  if (found === undefined) throw new Setback("not-found", `there is no agent ${name}`, { agent: name })
  if (!found.isEnabled)
    throw new Setback("not-found", `${name} is switched off by agents.${programOf(name)}.enabled`, { agent: name })
  return found
}

function whenNobodyCan(
  { because, passedOver, retryAt }: Pick<Route, "because" | "passedOver" | "retryAt">,
  { now }: KnownRateLimits,
  ended: readonly GivenUp[],
): Wait {
  // What was seen of each agent says more than the words by which the task was routed.
  const why = explainNobody(ended, passedOver)
  if (retryAt === null) throw new Setback(ended.at(-1)?.kind ?? "not-found", `no agent can take it: ${why}`)
  return { retryAt: Date.parse(retryAt), now: Date.parse(now), why: because.join("; ") }
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

/** By the store's clock until then, with the claim kept and a sign of life now and then. */
async function waitFor(
  { ports, team, worker }: Shift,
  { task, cut }: Hold,
  { retryAt, now, why, toldAt }: Wait & { readonly toldAt: { ms?: number } },
): Promise<void> {
  const { context, clock, sleep, say } = ports
  const startedAt = clock.now()
  const waitMs = Math.max(0, retryAt - now) + 1
  if (waitMs > TELL_AFTER_MS && toldAt.ms === undefined) {
    toldAt.ms = startedAt
    const reason = `task ${task.id} waits until ${new Date(retryAt).toISOString()}: ${why}`
    const message = `STATUS: ${reason}`
    await sendMessage.run(context, { ...team, from: worker, to: LEAD, type: "text", message })
    await askAboutLimit(context, { ...team, task: task.id, worker, reason })
  }
  say(`Task ${task.id} waits ${Math.ceil(waitMs / 1000)} s: ${why}`)
  for (let left = waitMs; left > 0 && !cut.aborted; left = startedAt + waitMs - clock.now()) {
    await sleep(Math.min(left, SIGN_OF_LIFE_MS), cut)
    if (!cut.aborted) await noteActivity(context, { ...team, worker })
  }
  if (cut.aborted) throw new Setback("interrupted", "the worker was stopped while it waited for an agent")
}
