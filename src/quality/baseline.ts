import * as v from "valibot"
import { validItems } from "../lib/schema.ts"
import { lastLines } from "../lib/text/last-lines.ts"
import { adviseInstall } from "./install-advice.ts"
import type { TestResults } from "./results/test-results.ts"

/** `accept`: a command of a task. */
export type CommandKind = "build" | "lint" | "test" | "accept"

export interface RanCommand {
  readonly command: { readonly kind: CommandKind; readonly line: string }
  readonly hasPassed: boolean
  /** Missing if the output does not name tests. */
  readonly tests?: TestResults
  /** The output says that no test ran. */
  readonly ranNoTest?: true
  /** The program that is not installed. */
  readonly missing?: string
  /** `limitMs`: the time limit that stopped it. */
  readonly stopped?: { readonly limitMs: number | null }
  /** Tests that failed and then passed on this tree. */
  readonly flaky?: readonly string[]
  readonly durationMs: number
  readonly outputFile: string
  readonly tail?: string
}

export const STATE_WORDS = {
  green: "green",
  red: "red",
  not_installed: "not installed",
  too_slow: "too slow",
  absent: "absent",
  off: "off",
} as const
type StandingState = keyof typeof STATE_WORDS
const STATES = Object.keys(STATE_WORDS) as readonly StandingState[]

const names = v.pipe(v.nullish(v.array(v.string()), null), v.readonly())

const Standing = v.object({
  kind: v.picklist(["build", "lint", "test", "accept"]),
  line: v.nullish(v.string(), null),
  state: v.picklist(STATES),
  /** The output says that no test ran. */
  ranNoTest: v.optional(v.literal(true)),
  /** Failing tests; null if the output does not name them. */
  failing: names,
  /** Tests that failed and then passed; null if not flaky. */
  flaky: names,
  program: v.nullish(v.string(), null),
  /** What to install or to type. */
  advice: v.nullish(v.string(), null),
  durationMs: v.nullish(v.number(), null),
  /** The end of the output, if it names no tests. */
  lastLines: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  outputFile: v.nullish(v.string(), null),
})

export type Standing = Readonly<v.InferOutput<typeof Standing>>

/** The gates on the base commit. Later verdicts are relative to it. */
export interface Baseline {
  readonly commit: string
  readonly tree: string
  readonly gates: readonly Standing[]
}

export function standingOf(result: RanCommand): Standing {
  const { command, durationMs, outputFile, missing = null, tests, flaky = null, ranNoTest, tail = "" } = result
  const { kind, line } = command
  const state = stateOf(result)
  // Without a failing test there is another reason, such as a compile error.
  const failing = state === "red" && tests !== undefined && tests.failed.length > 0 ? tests.failed : null
  const said = state === "red" && failing === null ? lastLines(tail, MAX_LINES) : []
  const program = state === "not_installed" ? missing : null
  const advice = adviceFor({ kind, state, program, line })
  return {
    kind,
    line,
    state,
    failing,
    flaky,
    program,
    advice,
    durationMs,
    outputFile,
    ...(said.length > 0 && { lastLines: said }),
    ...(ranNoTest && { ranNoTest }),
  }
}

const MAX_LINES = 5

/** No command was found, or it is switched off. */
export function standingWithout(kind: CommandKind, isEnabled: boolean): Standing {
  const state = isEnabled ? "absent" : "off"
  const advice = adviceFor({ kind, state, program: null, line: null })
  return v.parse(Standing, { kind, state, advice })
}

function stateOf({ hasPassed, missing, stopped }: RanCommand): StandingState {
  if (hasPassed) return "green"
  if (missing !== undefined) return "not_installed"
  return stopped !== undefined && stopped.limitMs !== null ? "too_slow" : "red"
}

function adviceFor(standing: Pick<Standing, "kind" | "state" | "program" | "line">): string | null {
  const { kind, state, program, line } = standing
  switch (state) {
    case "not_installed":
      return adviseInstall(program ?? "", line ?? "")
    case "too_slow":
      return "give it more time: teamwork config set gates.timeoutSeconds SECONDS"
    case "absent":
      return `name a command: teamwork config set gates.${kind} "COMMAND"`
    case "off":
      return `switch it on: teamwork config set gates.enable${kind[0]?.toUpperCase()}${kind.slice(1)} true`
    default:
      return null
  }
}

/** Only these show whether work made something worse. */
function canJudge({ state, failing }: Standing): boolean {
  return state === "green" || (state === "red" && failing !== null && failing.length > 0)
}

/** A warning if no gate can judge the work. */
export function describeMissingGates(gates: readonly Standing[]): string | undefined {
  if (gates.length === 0 || gates.some(canJudge)) return undefined
  const todo = 'repair one, or name one: teamwork config set gates.test "COMMAND"'
  return `No gate can judge the work here (${summarizeStandings(gates)}): nothing checks it but the acceptance of each task. To change that, ${todo}`
}

/** `build green, lint not installed (ruff), test red (3 failing)`. */
export function summarizeStandings(gates: readonly Standing[]): string {
  return gates.map((gate) => `${gate.kind} ${STATE_WORDS[gate.state]}${detailOf(gate)}`).join(", ")
}

function detailOf({ state, program, failing, flaky }: Standing): string {
  if (state === "not_installed") return ` (${program ?? "a program"})`
  if (state === "red" && failing !== null) return ` (${failing.length} failing)`
  return state === "green" && flaky !== null ? " (flaky)" : ""
}

/** The output has all of them. */
const MAX_RECORDED = 200

export function writeStandings(gates: readonly Standing[]): string {
  return JSON.stringify(
    gates.map(({ failing, ...rest }) => ({ ...rest, failing: failing?.slice(0, MAX_RECORDED) ?? null })),
  )
}

const StandingList = v.fallback(v.pipe(v.string(), v.parseJson(), validItems(Standing)), [])

/** Skips entries that another version wrote in another form. */
export function readStandings(text: string): readonly Standing[] {
  return v.parse(StandingList, text)
}
