import { askForJson } from "../answer.ts"
import { hookEntries, type JobHooks, jobHooks } from "../job-hooks.ts"
import type { AgentJob } from "../port.ts"
import type { Launch, ProgramConfig } from "../program.ts"
import { findInstructions } from "../project-setup.ts"
import { placePrompt } from "../prompt-place.ts"
import { geminiHome } from "./account.ts"
import { PROJECT_SETTINGS, PROJECT_VARIABLES, problemWithSettings } from "./project-settings.ts"

const APPROVAL = { edit: "auto_edit", full: "yolo", ask: "default" } as const

/**
 * With a home of its own for settings and sessions; the login of the user is linked. It reads the project's settings
 * before ours, so it is not started where those could run programs or change what it may do (`project-settings.ts`).
 */
export function launchGemini(job: AgentJob, config: ProgramConfig): Launch {
  const users = `${geminiHome(job.env)}/.gemini`
  const context = findInstructions(job.workspace, ["GEMINI.md"], config.files.has) ?? "GEMINI.md"
  const { argument, input } = placePrompt(askForJson(job))
  const hooks = jobHooks(job, config)
  const model = job.model ?? config.models[job.tier]
  return {
    command: [
      ...config.command,
      ...["-o", "stream-json", "-m", model, "--approval-mode", APPROVAL[job.permission]],
      ...(job.resume === null ? [] : ["--resume", job.resume.id]),
      ...config.args,
      ...(argument === null ? [] : ["-p", argument]),
    ],
    env: {
      GEMINI_CLI_HOME: `${job.stateFolder}/gemini`,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      // Otherwise the program that we stop is not the one that works.
      GEMINI_CLI_NO_RELAUNCH: "true",
    },
    files: {
      ...hooks.files,
      "gemini/.gemini/settings.json": JSON.stringify({
        ...config.account.settings,
        ...settings(job, { hooks, config, context }),
        ...config.settings,
      }),
      [`gemini/.gemini/${context}`]: userInstructions(config),
    },
    links: {
      ...Object.fromEntries(LOGIN_FILES.map((name) => [`gemini/.gemini/${name}`, `${users}/${name}`])),
      // It finds those in .gemini and .agents by itself.
      "gemini/.gemini/skills": `${job.workspace}/.claude/skills`,
    },
    ...refusal(job, config),
    input,
    encodeMessage: null,
  }
}

const LOGIN_FILES = ["oauth_creds.json", "google_accounts.json", "gemini-credentials.json"]

function refusal({ workspace }: AgentJob, { files, isAgreed }: ProgramConfig): Pick<Launch, "whyNot"> {
  const whyNot =
    problemWithSettings(files.read(`${workspace}/${PROJECT_SETTINGS}`), isAgreed) ??
    (files.has(`${workspace}/${PROJECT_VARIABLES}`) ? VARIABLES_REFUSED : undefined)
  return whyNot === undefined ? {} : { whyNot }
}

const VARIABLES_REFUSED = `${PROJECT_VARIABLES} of the project could send your key elsewhere; use another agent or remove it`

/** Its own file for all projects; empty where the user's is not wanted. */
function userInstructions({ account, hasUserExtras, files }: ProgramConfig): string {
  return hasUserExtras ? account.own.instructions.map((path) => files.read(path) ?? "").join("\n\n") : ""
}

interface Given {
  readonly hooks: JobHooks
  readonly config: ProgramConfig
  /** The name of the file with instructions. */
  readonly context: string
}

function settings(job: AgentJob, { hooks, config, context }: Given) {
  const { limits, allowedTools, deniedTools, mcpServers } = job
  const own = Object.entries(config.hasUserExtras ? config.account.own.servers : {})
  const servers = [...own, ...Object.entries(mcpServers)].map(([name, server]) => [
    name,
    { ...Object(server), trust: true },
  ])
  const all = { matcher: "*" }
  return {
    context: { fileName: context },
    // Variables of the project could name another server, which would get the key of the user.
    advanced: { ignoreLocalEnv: true },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, maxAttempts: 3 },
    model: { maxSessionTurns: limits.turns ?? -1 },
    tools: { allowed: allowedTools, exclude: deniedTools },
    mcpServers: Object.fromEntries(servers),
    hooks: { BeforeTool: hookEntries(hooks.beforeTool, all), AfterAgent: hookEntries(hooks.beforeStop, all) },
  }
}
