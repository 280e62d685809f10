import { askForJson } from "../answer.ts"
import { hookEntries, type JobHooks, jobHooks } from "../job-hooks.ts"
import type { AgentJob } from "../port.ts"
import type { Launch, ProgramConfig } from "../program.ts"
import { placePrompt } from "../prompt-place.ts"

const APPROVAL = { edit: "auto_edit", full: "yolo", ask: "default" } as const

/** With a home of its own for settings and sessions; the login of the user is linked where no key is given. */
export function launchGemini(job: AgentJob, config: ProgramConfig): Launch {
  const users = `${job.env.HOME ?? ""}/.gemini`
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
      "gemini/.gemini/settings.json": JSON.stringify({ ...settings(job, hooks), ...config.settings }),
    },
    links: Object.fromEntries(
      ["oauth_creds.json", "google_accounts.json"].map((name) => [`gemini/.gemini/${name}`, `${users}/${name}`]),
    ),
    input,
    encodeMessage: null,
  }
}

function settings({ env, limits, allowedTools, deniedTools, mcpServers }: AgentJob, hooks: JobHooks) {
  const servers = Object.entries(mcpServers).map(([name, server]) => [name, { ...server, trust: true }])
  const all = { matcher: "*" }
  return {
    security: { auth: { selectedType: env.GEMINI_API_KEY === undefined ? "oauth-personal" : "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, maxAttempts: 3 },
    model: { maxSessionTurns: limits.turns ?? -1 },
    tools: { allowed: allowedTools, exclude: deniedTools },
    mcpServers: Object.fromEntries(servers),
    hooks: { BeforeTool: hookEntries(hooks.beforeTool, all), AfterAgent: hookEntries(hooks.beforeStop, all) },
  }
}
