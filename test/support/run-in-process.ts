// Runs a command line in this process: the same doors, host, store and git as `runCli`, without starting a program. For
// tests about what a command answers. What is about the process itself (signals, pipes, exit codes of a crash, files that
// only a start touches) belongs to `runCli`.
import { join } from "node:path"
import type { Machine } from "../../src/app/host.ts"
import { makeHost } from "../../src/app/make-host.ts"
import { runCli as runCommandLine } from "../../src/doors/cli/run-cli.ts"
import { type CliResult, homeVariables, parseOutput, type RunCliOptions } from "./run-cli.ts"
import { sandboxEnv } from "./sandbox.ts"

/** What a command that starts this program anew starts. */
const SELF = [process.execPath, join(import.meta.dir, "../../src/bin/main.ts")]

type Options = Pick<RunCliOptions, "home" | "cwd" | "env" | "input">

export async function runInProcess(args: readonly string[], options: Options = {}): Promise<CliResult> {
  const written = { out: "", err: "" }
  const host = makeHost(machineOf(options, written))
  const exitCode = await runCommandLine(args, host)
  const { out: stdout, err: stderr } = written
  return { exitCode, signal: null, stdout, stderr, json: () => parseOutput(stdout, stderr, exitCode) }
}

/** A pipe on both sides, where nobody sits and nothing interrupts. */
function machineOf(options: Options, written: { out: string; err: string }): Machine {
  const cwd = options.cwd ?? options.home ?? process.env.HOME ?? "/"
  const env = sandboxEnv({ ...homeVariables(options.home), ...options.env })
  const never = new AbortController().signal
  const decoder = new TextDecoder()
  const columns = Number.POSITIVE_INFINITY
  return {
    ...{ env, cwd, self: SELF, isRoot: process.getuid?.() === 0 },
    io: {
      ...{ cwd, columns, isTerminal: false, color: false, canAsk: false, interrupted: never, interruptedAgain: never },
      size: () => ({ columns, rows: 24 }),
      onResize: () => () => {},
      input: async () => options.input ?? "",
      out: (text) => {
        written.out += `${text}\n`
      },
      outParts(parts) {
        for (const part of parts) written.out += part
      },
      err: (text) => {
        written.err += `${text}\n`
      },
      errBytes: (chunk) => {
        written.err += decoder.decode(chunk, { stream: true })
      },
      ask: async () => null,
      interactive: () => Promise.reject(new Error("nobody sits at a terminal in a test")),
      wallClock: () => "12:00:00",
    },
  }
}
