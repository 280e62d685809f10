import { AppError } from "../kernel/errors.ts"
import type { RunResult } from "../lib/process/process.ts"
import { maskSecrets } from "../lib/text/mask-secrets.ts"

const SHOWN_LINES = 10
/** Last lines of npm and pip that give no reason. */
const NO_REASON =
  /A complete log of this run|^npm (?:error|ERR!)\s*$|^npm error Run "npm help|This error originates from a subprocess|^\s*(?:hint|note|warning):|\[end of output\]|^\[notice\]/i
/** npm prints its code, the reason, then advice; pip and others start the reason with a word. */
const REASON: readonly RegExp[] = [
  /npm (?:error|ERR!) code \S+\n(?:npm (?:error|ERR!)[ \t]*\n)*npm (?:error|ERR!) (?:notarget )?(\S.*)/,
  /^(?:ERROR|error|fatal): (?!subprocess-exited-with-error)(.+)/m,
  /^\s+(?:ERROR|error|fatal): (?!subprocess-exited-with-error)(.+)/m,
]

export interface FailedSetup {
  /** As a person would write it. */
  readonly what: string
  readonly result: RunResult
  /** Output file. */
  readonly log: string
  readonly timeoutSeconds: number
}

export function setupFailed({ what, result, log, timeoutSeconds }: FailedSetup): AppError {
  const how =
    result.reason === "timed-out"
      ? `was stopped after ${timeoutSeconds} s (workspace.setupTimeoutSeconds)`
      : `ended with ${result.exitCode ?? result.signal ?? result.reason}`
  const lines = maskSecrets(result.tail.trimEnd())
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .slice(-SHOWN_LINES)
  const found = REASON.map((pattern) => pattern.exec(result.tail)?.[1]?.trim()).find((reason) => reason !== undefined)
  const reason = found === undefined ? undefined : maskSecrets(found)
  const last = reason ?? lines.findLast((line) => !NO_REASON.test(line)) ?? lines.at(-1)
  return new AppError(
    "workspace.setup_failed",
    `${what} ${how}${last === undefined ? "" : `: ${last}`}; its output is in ${log}`,
    { log, exitCode: result.exitCode, reason: result.reason, command: what, lines },
    {
      remedy: {
        operation: "config set",
        fields: { key: "workspace.setup", value: "none" },
        to: "set your own command with workspace.setup, or continue without a set-up with",
      },
    },
  )
}
