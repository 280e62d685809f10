import * as v from "valibot"
import { validItems } from "../lib/schema.ts"
import { lastLines } from "../lib/text/last-lines.ts"
import { adviseInstall } from "./install-advice.ts"
import type { TestResults } from "./results/test-results.ts"

/** Of a gate's command; `accept` for one that a task brings along. */
export type CommandKind = "build" | "lint" | "test" | "accept"

/** The result of a command on one tree. */
export interface RanCommand {
  readonly command: { readonly kind: CommandKind; readonly line: string }
  readonly hasPassed: boolean
  /** Left out where the output does not name tests. */
  readonly tests?: TestResults
  /** It passed, and its output says that it ran no test. */
  readonly ranNoTest?: true
  /** It failed because this program is not installed. */
  readonly missing?: string
  /** It was stopped. `limitMs`: by this time limit. */
  readonly stopped?: { readonly limitMs: number | null }
  /** It failed and then passed on this tree; the tests that did. */
  readonly flaky?: readonly string[]
  readonly durationMs: number
  readonly outputFile: string
  /** The end of what it printed. */
  readonly tail?: string
}

/** The states of a gate on the base commit, as people read them. */
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
  /** Null: there is no command of the kind. */
  line: v.nullish(v.string(), null),
  state: v.picklist(STATES),
  /** Of a green one: its output says that it ran no test. */
  ranNoTest: v.optional(v.literal(true)),
  /** The failing tests of a red one; null where the output does not name them. */
  failing: names,
  /** The tests that failed and then passed on the base; null when it is not flaky. */
  flaky: names,
  /** The program that is not installed. */
  program: v.nullish(v.string(), null),
  /** What to install or to type. */
  advice: v.nullish(v.string(), null),
  durationMs: v.nullish(v.number(), null),
  /** Of a red one that names no tests: the end of its output. */
  lastLines: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  outputFile: v.nullish(v.string(), null),
})

/** How one gate command stood on the base commit, before any work began. */
export type Standing = Readonly<v.InferOutput<typeof Standing>>

/** How every gate stood on the base commit. Later verdicts are relative to it. */
export interface Baseline {
  readonly commit: string
  readonly tree: string
  readonly gates: readonly Standing[]
}

export function standingOf(result: RanCommand): Standing {
  const { command, durationMs, outputFile, missing = null, tests, flaky = null, ranNoTest, tail = "" } = result
  const { kind, line } = command
  const state = stateOf(result)
  // A command that failed without a failing test failed for another reason, such as a compile error.
  const failing = state === "red" && tests !== undefined && tests.failed.length > 0 ? tests.failed : null
  const said = state === "red" && failing === null ? lastLines(tail, MAX_LINES) : []
  const program = state === "not_installed" ? missing : null
  const advice = adviceFor({ kind, state, program, line })
  return {
    ...{ kind, line, state, failing, flaky, program, advice, durationMs, outputFile },
    ...(said.length > 0 && { lastLines: said }),
    ...(ranNoTest && { ranNoTest }),
  }
}

const MAX_LINES = 5

/** A kind without a command: none was found, or it is switched off. */
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

/** Green, or red with named tests: only these show whether work made something worse. */
function canJudge({ state, failing }: Standing): boolean {
  return state === "green" || (state === "red" && failing !== null && failing.length > 0)
}

/** The warning when no gate can judge the work; undefined when one can, or nothing is known. */
export function warnOfNoGate(gates: readonly Standing[]): string | undefined {
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

/** An event lists at most so many failing tests; the output has all of them. */
const MAX_RECORDED = 200

export function writeStandings(gates: readonly Standing[]): string {
  return JSON.stringify(
    gates.map(({ failing, ...rest }) => ({ ...rest, failing: failing?.slice(0, MAX_RECORDED) ?? null })),
  )
}

const StandingList = v.fallback(v.pipe(v.string(), v.parseJson(), validItems(Standing)), [])

/** Reads what an event keeps. Entries that another version wrote in another form are left out. */
export function readStandings(text: string): readonly Standing[] {
  return v.parse(StandingList, text)
}
