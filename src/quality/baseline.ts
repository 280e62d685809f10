import { lastLines } from "../lib/text/last-lines.ts"
import { adviseInstall } from "./install-advice.ts"
import type { TestResults } from "./results/test-results.ts"

/** Of a gate's command; `accept` for one that a task brings along. */
export type CommandKind = "build" | "lint" | "test" | "accept"

/** What a command on one tree came to, as far as it is compared. */
export interface RanCommand {
  readonly command: { readonly kind: CommandKind; readonly line: string }
  readonly hasPassed: boolean
  /** Each test by its name, where the output tells. */
  readonly tests?: TestResults
  /** It ended well and says that it ran no test. */
  readonly ranNoTest?: true
  /** The program that is not installed, where that is why it failed. */
  readonly missing?: string
  /** It did not end by itself. `limitMs` is the time limit that it reached. */
  readonly stopped?: { readonly limitMs: number | null }
  /** It failed and then passed on this tree; the tests that did, where the output tells. */
  readonly flaky?: readonly string[]
  readonly durationMs: number
  readonly outputFile: string
  /** The end of what it printed. */
  readonly tail?: string
}

export const STANDINGS = ["green", "red", "not_installed", "too_slow", "absent", "off"] as const
export type StandingState = (typeof STANDINGS)[number]

/** How one gate command stood on the base commit, before any work began. */
export interface Standing {
  readonly kind: CommandKind
  /** Null where there is no command of the kind. */
  readonly line: string | null
  readonly state: StandingState
  /** Of a green one: it says that it ran no test. */
  readonly ranNoTest?: true
  /** Of a red one: the tests that fail. Null where the output does not tell them. */
  readonly failing: readonly string[] | null
  /** It failed and then passed on the base: the tests that did, where the output tells; null for a steady one. */
  readonly flaky: readonly string[] | null
  /** The program that is not installed. */
  readonly program: string | null
  /** What to install or to type. */
  readonly advice: string | null
  readonly durationMs: number | null
  /** Of a red one whose output tells no tests: the last lines of it. */
  readonly lastLines?: readonly string[]
  /** All that the command printed. */
  readonly outputFile: string | null
}

/** How every gate stood on the base commit. Later verdicts are relative to it. */
export interface Baseline {
  readonly commit: string
  readonly tree: string
  readonly gates: readonly Standing[]
}

const NOTHING = {
  ...{ line: null, failing: null, flaky: null, program: null, advice: null, durationMs: null, outputFile: null },
} as const

/** What a run of a command on the base commit says. */
export function standingOf(result: RanCommand): Standing {
  const { command, durationMs, outputFile, missing = null } = result
  const { kind, line } = command
  const state = stateOf(result)
  const failing = state === "red" && hasFailures(result) ? (result.tests?.failed ?? null) : null
  const said = state === "red" && failing === null ? lastLines(result.tail ?? "", MOST_LINES) : []
  const program = state === "not_installed" ? missing : null
  return {
    ...{ kind, line, state, failing, flaky: result.flaky ?? null, program, durationMs, outputFile },
    ...(said.length === 0 ? {} : { lastLines: said }),
    ...(result.ranNoTest === true ? { ranNoTest: true } : {}),
    advice: adviceFor({ kind, state, program, line }),
  }
}

const MOST_LINES = 5

/** A kind without a command: none was found, or it is switched off. */
export function standingWithout(kind: CommandKind, isEnabled: boolean): Standing {
  const state = isEnabled ? "absent" : "off"
  return { ...NOTHING, kind, state, advice: adviceFor({ kind, state, program: null, line: null }) }
}

function stateOf({ hasPassed, missing, stopped }: RanCommand): StandingState {
  if (hasPassed) return "green"
  if (missing !== undefined) return "not_installed"
  return stopped !== undefined && stopped.limitMs !== null ? "too_slow" : "red"
}

/** A command that failed and names no failing test failed for another reason, such as a file that does not compile. */
export function hasFailures({ tests }: Pick<RanCommand, "tests">): boolean {
  return tests !== undefined && tests.failed.length > 0
}

function adviceFor({
  kind,
  state,
  program,
  line,
}: Pick<Standing, "kind" | "state" | "program" | "line">): string | null {
  const setting = `teamwork config set gates.${kind} "COMMAND"`
  switch (state) {
    case "not_installed":
      return adviseInstall(program ?? "", line ?? "")
    case "too_slow":
      return "give it more time: teamwork config set gates.timeoutSeconds SECONDS"
    case "absent":
      return `name a command: ${setting}`
    case "off":
      return `switch it on: teamwork config set gates.enable${kind[0]?.toUpperCase()}${kind.slice(1)} true`
    default:
      return null
  }
}

/** Green, or red by tests that can be told apart: only these show whether work made something worse. */
function canJudge({ state, failing }: Standing): boolean {
  return state === "green" || (state === "red" && failing !== null && failing.length > 0)
}

/** What a person should know where no gate can judge the work; undefined where one can, or nothing is known. */
export function warnOfNoGate(gates: readonly Standing[]): string | undefined {
  if (gates.length === 0 || gates.some(canJudge)) return undefined
  const todo = 'repair one, or name one: teamwork config set gates.test "COMMAND"'
  return `No gate can judge the work here (${summarizeStandings(gates)}): nothing checks it but the acceptance of each task. To change that, ${todo}`
}

/** How people read them. */
export const STATE_WORDS = {
  ...{ green: "green", red: "red", not_installed: "not installed", too_slow: "too slow", absent: "absent", off: "off" },
} as const satisfies Record<StandingState, string>

/** `build green, lint not installed (ruff), test red (3 failing)`. */
export function summarizeStandings(gates: readonly Standing[]): string {
  return gates.map((gate) => `${gate.kind} ${STATE_WORDS[gate.state]}${detailOf(gate)}`).join(", ")
}

function detailOf({ state, program, failing, flaky }: Standing): string {
  if (state === "not_installed") return ` (${program ?? "a program"})`
  if (state === "red" && failing !== null) return ` (${failing.length} failing)`
  return state === "green" && flaky !== null ? " (flaky)" : ""
}

/** The longest list of failing tests that is written down; all of them are in the output. */
const MAX_RECORDED = 200

/** As an event keeps it. */
export function writeStandings(gates: readonly Standing[]): string {
  return JSON.stringify(
    gates.map(({ failing, ...rest }) => ({ ...rest, failing: failing?.slice(0, MAX_RECORDED) ?? null })),
  )
}

/** What an event kept; nothing where another version wrote it otherwise. */
export function readStandings(text: string): readonly Standing[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isStanding) : []
  } catch {
    return []
  }
}

function isStanding(value: unknown): value is Standing {
  return (
    typeof value === "object" && value !== null && "state" in value && STANDINGS.some((each) => each === value.state)
  )
}
