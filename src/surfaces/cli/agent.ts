import { AppError } from "../../domain/errors.ts"
import { cancelJob, waitForJob } from "../../engine/agent-jobs/cancel-job.ts"
import { findJobFolder, listJobFolders } from "../../engine/agent-jobs/job-folder.ts"
import { type JobState, readJobState } from "../../engine/agent-jobs/job-state.ts"
import { checkWorkspace, startJob } from "../../engine/agent-jobs/start-job.ts"
import { choice, flag, type InputOf, number, optional, text, withDefault } from "../../lib/fields.ts"
import { resolvePath } from "../../lib/paths.ts"
import { table } from "../../views/table.ts"
import type { Command, Session } from "./command.ts"

const notEmpty = (value: string) => (value.trim() === "" ? "is empty" : undefined)
const jobField = { jobId: text("the job, as `agent exec` named it") }

export const agentList: Command = {
  summary: "List the agents there are, each with version, login and abilities, or why it is not available",
  fields: {},
  async run({ configured }) {
    const ready = await (await configured()).agents()
    const agents = await Promise.all(
      ready.map(async ({ agent, env }) => ({ name: agent.name, ...(await agent.detect(env)) })),
    )
    return {
      data: agents,
      text: (screen) =>
        table(
          [{ title: "AGENT" }, { title: "VERSION" }, { title: "LOGIN" }, { title: "ABILITIES", flexible: true }],
          agents.map((each) =>
            each.isAvailable
              ? [each.name, each.version, sayLogin(each.isLoggedIn), sayAbilities(each.capabilities)]
              : [each.name, "-", "-", `not available: ${each.why}`],
          ),
          screen,
        ),
    }
  },
}

function sayLogin(isLoggedIn: boolean | null): string {
  return isLoggedIn === null ? "unknown" : isLoggedIn ? "yes" : "no"
}

function sayAbilities(capabilities: object): string {
  const words = Object.entries(capabilities).flatMap(([name, has]) => (has === true ? [name] : []))
  return words.map((word) => word.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)).join(", ") || "-"
}

const execFields = {
  agent: text("who does it; see: teamwork agent list"),
  prompt: text("what it is to do, - to read it from standard input; for the agent script a shell command", notEmpty),
  workingDirectory: optional(text("the folder it works in; the current one when left out", notEmpty)),
  model: optional(text("the model, in the agent's own name for it", notEmpty)),
  tier: optional(choice(["haiku", "sonnet", "opus"], "how able a model")),
  permission: withDefault(choice(["edit", "full", "ask"], "what it may do by itself"), "edit"),
  timeout: optional(number("seconds it may take; 0 for no limit", { min: 0, max: 2_147_483 })),
  wait: flag("wait for its end and show the result"),
}

export const agentExec: Command = {
  summary: "Give an agent one job, in the background; it goes on when this call or its caller ends",
  fields: execFields,
  positional: ["prompt"],
  example: 'teamwork agent exec --agent codex "Add a test for the empty cart"',
  async run(session, raw) {
    const input = raw as InputOf<typeof execFields>
    const { host } = session
    const { home, agentDefaults, agents } = await session.configured()
    const names = (await agents()).map(({ agent }) => agent.name)
    if (!names.includes(input.agent))
      throw new AppError("input.invalid", `--agent ${JSON.stringify(input.agent)} is not one of ${names.join(", ")}`)
    const workspace = resolvePath(input.workingDirectory ?? ".", host.io.cwd)
    checkWorkspace(workspace)
    const seconds = input.timeout ?? agentDefaults.timeoutSeconds
    const prompt = input.prompt === "-" ? await host.io.input() : input.prompt
    if (prompt.trim() === "") throw new AppError("input.invalid", "--prompt is empty")
    const { agent, permission, model = null, tier = agentDefaults.tier } = input
    const request = {
      ...{ jobId: host.ids.uuid(), agent, prompt, workspace, model, tier, permission },
      timeMs: seconds === 0 ? null : Math.round(seconds * 1000),
      createdAt: new Date(host.clock.now()).toISOString(),
    }
    const command = [...host.self, "agent", "perform"]
    const folder = await startJob({ home, request, command, cwd: host.io.cwd, env: host.env })
    if (input.wait === true) return outcomeOf(await waitForJob(folder, host))
    return { data: { jobId: request.jobId }, text: () => `Started job ${request.jobId}` }
  },
}

export const agentStatus: Command = {
  summary: "Show how a job stands, and the end of what its agent said",
  fields: jobField,
  positional: ["jobId"],
  async run(session, input) {
    const state = await readJobState(await findJob(session, input), session.host)
    return { data: state, text: () => sayState(state) }
  },
}

export const agentCancel: Command = {
  summary: "End a job with all that its agent started; one that has ended stays as it is",
  fields: jobField,
  positional: ["jobId"],
  async run(session, input) {
    const state = await cancelJob(await findJob(session, input), session.host)
    return { data: state, text: () => sayState(state) }
  },
}

export const agentJobs: Command = {
  summary: "List all jobs, the newest first",
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
}

async function findJob({ configured }: Session, input: Record<string, unknown>) {
  return findJobFolder((await configured()).home, String(input.jobId))
}

function outcomeOf(state: JobState) {
  return { data: state, text: () => sayState(state), exitCode: state.status === "completed" ? 0 : 1 }
}

function sayState({ jobId, agent, status, output, isOutputCut }: JobState): string {
  const head = `Job ${jobId} of ${agent}: ${status}`
  return [head, ...(isOutputCut ? ["[the beginning is left out]"] : []), ...(output === "" ? [] : [output])].join("\n")
}
