import { AppError } from "../../kernel/errors.ts"
import type { Processes } from "../../lib/process/process.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"

export const PLUGIN_SCOPES = ["user", "project"] as const
export type PluginScope = (typeof PLUGIN_SCOPES)[number]

const PLUGIN = "teamwork@teamwork"
const MARKETPLACE = "teamwork"
const STEP_TIMEOUT_MS = 60_000

type Steps = readonly (readonly string[])[]

/** Arguments for Claude Code. Safe to repeat. */
export function installSteps(folder: string, scope: PluginScope): Steps {
  return [
    ["plugin", "marketplace", "add", "--scope", scope, "--", folder],
    ["plugin", "install", "--scope", scope, "--", PLUGIN],
  ]
}

export function removeSteps(scope: PluginScope): Steps {
  return [
    ["plugin", "uninstall", "--scope", scope, "--", PLUGIN],
    ["plugin", "marketplace", "remove", "--scope", scope, "--", MARKETPLACE],
  ]
}

export interface ClaudeCode {
  readonly processes: Processes
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Record<string, string | undefined>
}

/** Takes every step, even after a failed one: that completes an earlier attempt that stopped halfway. */
export async function askClaude(claude: ClaudeCode, steps: Steps): Promise<void> {
  const failures: AppError[] = []
  for (const step of steps) {
    const command = [...claude.command, ...step]
    const { cwd, env } = claude
    const { reason, exitCode, tail } = await claude.processes.run({ command, cwd, env, timeoutMs: STEP_TIMEOUT_MS })
    if (reason === "not-found") throw noClaude(claude)
    if (exitCode !== 0) failures.push(failed(command, { reason, tail }))
  }
  if (failures[0] !== undefined) throw failures[0]
}

function noClaude({ command }: ClaudeCode): AppError {
  return new AppError(
    "agent.unavailable",
    `${command[0]} is not there`,
    { command },
    {
      remedy: {
        operation: "config set",
        fields: { key: "agents.claude.command", value: "PATH" },
        to: "install Claude Code, or name it with",
      },
    },
  )
}

function failed(command: readonly string[], { reason, tail }: { reason: string; tail: string }): AppError {
  const said = Bun.stripANSI(tail).trim().split("\n").at(-1) ?? ""
  const why = reason === "exited" ? said : `${reason}${said === "" ? "" : `, ${said}`}`
  return new AppError("plugin.failed", `${command.map(quoteArgument).join(" ")}: ${why}`, { command })
}
