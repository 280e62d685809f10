import { findProgram, PROGRAMS } from "../agents/programs.ts"
import { findCheck } from "./check-command.ts"
import type { Evidence, FileAction, NewEvidence } from "./evidence.ts"

export interface SeenUse {
  readonly run: SeenRun | null
  readonly files: readonly { readonly path: string; readonly action: FileAction }[]
}

export interface SeenRun {
  readonly line: string
  /** Undefined if the program did not report it. */
  readonly exitCode: number | undefined
  readonly output: string
}

/** The end of the output, in characters. */
export const KEPT_OUTPUT = 4000

/** Per attempt. */
const MOST_SEEN = 50

/** A check whose outcome differs from the last one, and each written file once. */
export function observedEvidence(
  { run, files }: SeenUse,
  task: { readonly attempt: number; readonly checks: readonly string[] },
  known: readonly Evidence[],
): NewEvidence[] {
  const now = known.filter(({ attempt, withdrawnAt }) => attempt === task.attempt && withdrawnAt === null)
  const left = MOST_SEEN - now.filter(({ trust }) => trust === "observed").length
  const entries = [...(run === null ? [] : checkOf(run, task.checks)), ...files.map(fileOf)]
  return entries.filter((entry) => !isKnown(entry, now)).slice(0, Math.max(0, left))
}

function checkOf({ line: given, exitCode, output }: SeenRun, checks: readonly string[]): NewEvidence[] {
  const check = findCheck(given, checks)
  if (check === undefined) return []
  const code = check.tellsOutcome && exitCode !== undefined ? { exitCode } : {}
  return [{ ...OBSERVED, type: "command", facts: { command: check.line, ...code, output: output.slice(-KEPT_OUTPUT) } }]
}

function fileOf(facts: SeenUse["files"][number]): NewEvidence {
  return { ...OBSERVED, type: "file", facts }
}

const OBSERVED = { trust: "observed", text: "", blockedPattern: null } as const

function isKnown(entry: NewEvidence, known: readonly Evidence[]): boolean {
  if (entry.type === "file") return known.some(({ type, facts }) => type === "file" && facts.path === entry.facts.path)
  const last = known.findLast(({ type, facts }) => type === "command" && facts.command === entry.facts.command)
  return last !== undefined && last.facts.exitCode === entry.facts.exitCode
}

/** As printed. Some programs report a failed command as a failed call; then success means 0. */
export function exitCodeOf({
  output,
  ok,
  program,
}: {
  output: string
  ok: boolean
  program: string
}): number | undefined {
  const told = /^(?:Error: )?Exit code:? (\d{1,3})\b/.exec(output) ?? /^Exit Code: (\d{1,3})$/m.exec(output)
  if (told !== null) return Number(told[1])
  return ok && findProgram(program)?.tools.reportsExitCode === true ? 0 : undefined
}

/** Names of the shell tool. */
export const SHELL_TOOLS: ReadonlySet<string> = new Set(PROGRAMS.flatMap(({ tools }) => tools.shell))
