import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "../../lib/paths.ts"
import type { Processes, RunResult } from "../../lib/process/process.ts"
import { withoutGitPlaces } from "../../lib/process/without-git-places.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import type { Environment } from "../port.ts"
import { setupFailed } from "../setup-failure.ts"

export interface SetupRunner {
  /** Output goes to the log. */
  run(command: readonly string[], options: { readonly cwd: string; readonly env: Environment }): Promise<RunResult>
  fail(command: readonly string[], result: RunResult): Error
  /** Returns the file; null if nothing ran. */
  writeLog(): string | null
}

interface RunnerPorts {
  readonly processes: Processes
  readonly timeoutSeconds: number
  readonly log: string
}

export function makeSetupRunner({ processes, timeoutSeconds, log }: RunnerPorts): SetupRunner {
  const chunks: Uint8Array[] = []
  const lineOf = (command: readonly string[]) => command.map(quoteArgument).join(" ")
  const writeLog = () => {
    if (chunks.length === 0) return null
    mkdirSync(dirname(log), { recursive: true })
    writeFileSync(log, Buffer.concat(chunks), { mode: 0o600 })
    return log
  }
  return {
    async run(command, { cwd, env }) {
      chunks.push(Buffer.from(`$ ${lineOf(command)}\n`))
      return processes.run({
        command,
        cwd,
        env: withoutGitPlaces(env),
        timeoutMs: timeoutSeconds * 1000,
        onOutput: (chunk) => chunks.push(chunk),
      })
    },
    fail(command, result) {
      writeLog()
      return setupFailed({ what: lineOf(command), result, log, timeoutSeconds })
    },
    writeLog,
  }
}
