import * as v from "valibot"
import { command, type Session } from "../../app/command.ts"
import { chooseHere, surveyAll } from "../../app/wiring/survey.ts"
import { AppError } from "../../kernel/errors.ts"
import { resolvePath } from "../../lib/paths.ts"
import { choice, flag, type InputOf, number, text } from "../../lib/schema.ts"
import { table } from "../../lib/text/table.ts"
import { MODEL_TIERS } from "../../planning/complexity/model-tier.ts"
import { estimateTokens } from "../../planning/routing.ts"
import { withdrawAgentQuestion } from "../../requests/operations/ask-about-agent.ts"
import { EFFORTS } from "../../tasks/effort.ts"
import { renderCause } from "../agent-fault.ts"
import { cancelJob, waitForJob } from "../jobs/cancel-job.ts"
import { findJobFolder, listJobFolders } from "../jobs/job-folder.ts"
import { type JobState, readJobState } from "../jobs/job-state.ts"
import type { ReadyAgent } from "../jobs/run-job.ts"
import { checkWorkspace, startJob } from "../jobs/start-job.ts"
import { type Reset, resetAgent } from "../operations/agent-health.ts"
import { programOf } from "../program-of.ts"
import { agentFacts, renderAgents, renderUsage } from "../views/agents-view.ts"

const notEmpty = (value: string) => (value.trim() === "" ? "is empty" : undefined)
const jobField = { jobId: text("the job, as `agent exec` named it") }

export const agentList = command({
  summary: "List the agents: version, login, abilities, models and prices, or why one is not available",
  fields: {},
  async run(session) {
    const { standings, warnings } = await surveyAll(session)
    return {
      data: standings.map(agentFacts),
      text: (screen) => renderAgents(standings, screen),
      warnings,
    }
  },
})

export const agentReset = command({
  summary: "Use an agent again that is left out or rate-limited: forget its faults and its limit",
  fields: { agent: text("the agent, as agent list names it") },
  positional: ["agent"],
  example: "teamwork agent reset codex",
  async run(session, { agent }) {
    await findAgent(session, agent)
    const { hasStore, project, team } = await session.configured()
    if (!(await hasStore())) return sayReset({ agent, fault: null, limitedUntil: null })
    const context = await session.context()
    const reset = await resetAgent.run(context, { project, team, agent })
    await withdrawAgentQuestion(context, { project, team, agent })
    return sayReset(reset)
  },
})

function sayReset({ agent, fault, limitedUntil }: Reset) {
  const leftOut = fault && {
    until: new Date(fault.until).toISOString(),
    cause: renderCause(fault),
    faults: fault.faults,
  }
  const was = [
    ...(leftOut === null ? [] : [`It was left out until ${leftOut.until}: ${leftOut.cause}`]),
    ...(limitedUntil === null ? [] : [`It was rate-limited until ${limitedUntil}`]),
  ]
  return {
    data: { agent, leftOut, rateLimitedUntil: limitedUntil },
    text: () =>
      was.length === 0
        ? `${agent} is neither left out nor rate-limited; nothing was changed`
        : [`${agent} is used again`, ...was].join("\n"),
  }
}

const execFields = {
  agent: v.optional(text("which agent; by default the one that teamwork route names, with its tier")),
  prompt: text("what to do, - reads it from standard input; for the agent script a shell command", notEmpty),
  workingDirectory: v.optional(text("the folder to work in; by default the current one", notEmpty)),
  model: v.optional(text("the model, in the agent's own name for it", notEmpty)),
  tier: v.optional(choice(MODEL_TIERS, "how able a model; for a named agent team.defaultModel by default")),
  effort: v.optional(choice(EFFORTS, "how hard the model should think; by default the agent decides")),
  permission: v.optional(choice(["edit", "full", "ask"], "what it may do by itself"), "edit"),
  timeout: v.optional(number("seconds it may take; 0 for no limit", { min: 0, max: 2_147_483 })),
  wait: flag("wait for its end and show the result"),
}

export const agentExec = command({
  summary: "Give an agent one job in the background; it goes on when this call ends",
  fields: execFields,
  positional: ["prompt"],
  example: 'teamwork agent exec --agent codex "Add a test for the empty cart"',
  async run(session, input) {
    const { host } = session
    const { home, agentDefaults } = await session.configured()
    const workspace = resolvePath(input.workingDirectory ?? ".", host.io.cwd)
    if (input.agent !== undefined) await checkAgent(session, input.agent)
    checkWorkspace(workspace)
    const seconds = input.timeout ?? agentDefaults.timeoutSeconds
    const prompt = input.prompt === "-" ? await host.io.input() : input.prompt
    if (prompt.trim() === "") throw new AppError("input.invalid", (say) => `${say.field("prompt")} is empty`)
    const { agent, tier } = await chooseFor(session, { ...input, prompt })
    const { permission, model = null, effort = null } = input
    const request = {
      jobId: host.ids.uuid(),
      agent,
      prompt,
      workspace,
      model,
      tier,
      effort,
      permission,
      timeMs: seconds === 0 ? null : Math.round(seconds * 1000),
      createdAt: new Date(host.clock.now()).toISOString(),
    }
    const command = [...host.self, "agent", "perform"]
    const folder = await startJob({
      home,
      request,
      command,
      cwd: host.io.cwd,
      env: { ...host.env, ...inherited(session) },
    })
    if (input.wait === true) return outcomeOf(await waitForJob(folder, host, session.cancelled))
    return { data: { jobId: request.jobId, agent }, text: () => `Started job ${request.jobId} of ${agent}` }
  },
})

/** For the job's process. As variables, because a command line would show passwords. */
function inherited({ flags: { project, team, store } }: Session): Record<string, string> {
  const given = Object.entries({ TEAMWORK_PROJECT: project, TEAMWORK_TEAM: team, TEAMWORK_STORE: store })
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

async function findAgent({ configured }: Session, name: string): Promise<ReadyAgent> {
  const ready = await (await configured()).agents()
  const names = ready.map(({ agent }) => agent.name)
  const found = ready.find(({ agent }) => agent.name === name)
  if (found !== undefined) return found
  throw new AppError(
    "input.invalid",
    (say) => `${say.field("agent")} ${JSON.stringify(name)} is not one of ${names.join(", ")}`,
  )
}

async function checkAgent(session: Session, name: string): Promise<void> {
  const found = await findAgent(session, name)
  if (!found.isEnabled)
    throw new AppError(
      "agent.unavailable",
      `${name} is switched off`,
      {},
      {
        remedy: {
          operation: "config set",
          fields: { key: `agents.${programOf(name)}.enabled`, value: "true" },
          to: "switch it on with",
        },
      },
    )
}

/** The text decides what was left out. */
async function chooseFor(session: Session, asked: Pick<InputOf<typeof execFields>, "agent" | "tier" | "prompt">) {
  const { agent, tier, prompt: text } = asked
  const { agentDefaults } = await session.configured()
  if (agent !== undefined) return { agent, tier: tier ?? agentDefaults.tier }
  const { route } = await chooseHere(session, { text, tier, contextTokens: estimateTokens(text) })
  if (route.agent !== null) return { agent: route.agent, tier: route.tier }
  const why = route.passedOver.map((each) => `${each.agent}: ${each.because}`).join("; ")
  const when = route.retryAt === null ? "" : `; try again at ${route.retryAt}`
  const { retryAt, passedOver } = route
  throw new AppError("agent.unavailable", `no agent can take it now (${why})${when}`, { retryAt, passedOver })
}

export const agentStatus = command({
  summary: "Show the state of a job and the end of its answer",
  fields: jobField,
  positional: ["jobId"],
  example: "teamwork agent status JOB",
  async run(session, input) {
    const state = await readJobState(await findJob(session, input), session.host)
    return { data: state, text: () => sayState(state) }
  },
})

export const agentCancel = command({
  summary: "Cancel a job and end everything that its agent started",
  fields: jobField,
  positional: ["jobId"],
  example: "teamwork agent cancel JOB",
  async run(session, input) {
    const state = await cancelJob(await findJob(session, input), session.host)
    return { data: state, text: () => sayState(state) }
  },
})

export const agentJobs = command({
  summary: "List all jobs, newest first",
  fields: {},
  async run({ configured, host }) {
    const folders = listJobFolders((await configured()).home)
    const jobs: (Omit<JobState, "output" | "isOutputCut"> & { prompt: string })[] = []
    for (const folder of folders) {
      const { output: _, isOutputCut: __, ...rest } = await readJobState(folder, host)
      jobs.push({ ...rest, prompt: folder.job.prompt })
    }
    return {
      data: jobs,
      text: (screen) =>
        jobs.length === 0
          ? "No jobs"
          : table(
              [
                { title: "JOB" },
                { title: "AGENT" },
                { title: "STATUS" },
                { title: "REASON" },
                { title: "PROMPT", flexible: true },
              ],
              jobs.map((job) => [job.jobId, job.agent, job.status, job.reason ?? "", job.prompt]),
              screen,
            ),
    }
  },
})

async function findJob({ configured }: Session, { jobId }: InputOf<typeof jobField>) {
  return findJobFolder((await configured()).home, jobId)
}

function outcomeOf(state: JobState) {
  return { data: state, text: () => sayState(state), exitCode: state.status === "completed" ? 0 : 1 }
}

function sayState({ jobId, agent, status, usage, output, isOutputCut }: JobState): string {
  const used = usage === null ? "" : renderUsage(usage)
  const head = `Job ${jobId} of ${agent}: ${status}${used === "" ? "" : `, ${used}`}`
  return [head, ...(isOutputCut ? ["[the beginning is left out]"] : []), ...(output === "" ? [] : [output])].join("\n")
}
