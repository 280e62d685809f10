import {
  hookEntries,
  type JobHooks,
  jobHooks,
  joinFiles,
  placePrompt,
  userExtras,
  withoutFlags,
} from "../launch-parts.ts"
import type { AgentJob } from "../port.ts"
import type { Launch, OpenLaunch, ProgramConfig } from "../program.ts"
import { findInstructions } from "../project-setup.ts"
import { geminiHome } from "./account.ts"
import { PROJECT_SETTINGS, PROJECT_VARIABLES, problemWithSettings } from "./project-settings.ts"

const APPROVAL = { edit: "auto_edit", full: "yolo", ask: "default" } as const
const LOGIN_FILES = ["oauth_creds.json", "google_accounts.json", "gemini-credentials.json"]

/**
 * Gemini CLI gets its own home for settings and sessions; we link the user's login. It reads the project's settings
 * before ours, so it does not start where those could run programs or change permissions.
 */
export function launchGemini(job: AgentJob, config: ProgramConfig): Launch {
  const users = `${geminiHome(job.env)}/.gemini`
  const context = findInstructions(job.workspace, ["GEMINI.md"], config.files.has) ?? "GEMINI.md"
  const { argument, input } = placePrompt(job)
  const hooks = jobHooks(job, config)
  const whyNot = problemWithProject(job, config)
  return {
    command: [
      ...config.command,
      "-o",
      "stream-json",
      "-m",
      job.model ?? config.models[job.tier],
      "--approval-mode",
      APPROVAL[job.permission],
      ...(job.resume === null ? [] : ["--resume", job.resume.id]),
      ...config.args,
      ...(argument === null ? [] : ["-p", argument]),
    ],
    env: {
      GEMINI_CLI_HOME: `${job.stateFolder}/gemini`,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      // Otherwise we would stop a process other than the one that works.
      GEMINI_CLI_NO_RELAUNCH: "true",
    },
    files: {
      ...hooks.files,
      "gemini/.gemini/settings.json": JSON.stringify({
        ...config.account.settings,
        ...settings(job, config, { hooks, context }),
        ...config.settings,
      }),
      [`gemini/.gemini/${context}`]: joinFiles(userExtras(config).instructions, config),
    },
    links: {
      ...Object.fromEntries(LOGIN_FILES.map((name) => [`gemini/.gemini/${name}`, `${users}/${name}`])),
      // Gemini finds those in .gemini and .agents by itself.
      "gemini/.gemini/skills": `${job.workspace}/.claude/skills`,
    },
    ...(whyNot !== undefined && { whyNot }),
    input,
    encodeMessage: null,
  }
}

export function openGemini(job: AgentJob, config: ProgramConfig): OpenLaunch {
  const { command, env, files, links } = launchGemini({ ...job, prompt: "", answerSchema: null }, config)
  return { command: withoutFlags(command, { withValue: ["-o", "-p"] }), env, files, links }
}

function problemWithProject({ workspace }: AgentJob, { files, isAgreed }: ProgramConfig): string | undefined {
  const problem = problemWithSettings(files.read(`${workspace}/${PROJECT_SETTINGS}`), isAgreed)
  if (problem !== undefined || !files.has(`${workspace}/${PROJECT_VARIABLES}`)) return problem
  return `${PROJECT_VARIABLES} of the project could send your key elsewhere; use another agent or remove it`
}

interface Given {
  readonly hooks: JobHooks
  readonly context: string
}

function settings({ limits, allowedTools, deniedTools, mcpServers }: AgentJob, config: ProgramConfig, given: Given) {
  const { hooks, context } = given
  const servers = Object.entries({ ...userExtras(config).servers, ...mcpServers }).map(([name, server]) => [
    name,
    { ...Object(server), trust: true },
  ])
  const all = { matcher: "*" }
  return {
    context: { fileName: context },
    // Variables of the project could name another server, which would get the user's key.
    advanced: { ignoreLocalEnv: true },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, maxAttempts: 3 },
    model: { maxSessionTurns: limits.turns ?? -1 },
    tools: { allowed: allowedTools, exclude: deniedTools },
    mcpServers: Object.fromEntries(servers),
    hooks: { BeforeTool: hookEntries(hooks.beforeTool, all), AfterAgent: hookEntries(hooks.beforeStop, all) },
  }
}
