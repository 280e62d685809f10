import type { RanCommand, Standing } from "./baseline.ts"
import { ANY_TEST } from "./failing-test.ts"
import { isKnownTool } from "./install-advice.ts"
import type { AgainstBaseline, VerdictStatus } from "./verdict.ts"

export interface Expectation {
  /** Undefined counts as green. */
  readonly base: Standing | undefined
  /** The acceptance names this command: it must pass even if it failed before. */
  readonly isNamed: boolean
  /** Failing tests that tasks had to add. */
  readonly asked: ReadonlySet<string>
}

export interface Comparison extends AgainstBaseline {
  readonly status: VerdictStatus
  /** Why a failure is tolerated, and what was red before. */
  readonly remark: string | null
  readonly isWarning: boolean
}

const NO_FACTS = { before: null, now: null, broken: [], asked: [], flaky: null }

/** Not run: too slow on the base. */
export function compareTooSlow(base: Pick<Standing, "advice">): Comparison {
  return { ...NO_FACTS, ...skipTooSlow(base) }
}

export function compareUnrun(status: "failed" | "skipped", remark: string): Comparison {
  return { ...NO_FACTS, ...(status === "failed" ? failed(remark) : skipped(remark)) }
}

/**
 * A task is only to blame for what it breaks, not for what was red before. Compares tests if both outputs name
 * them, else the command. If only the earlier result names tests, that is a failure.
 */
export function compareResults(result: RanCommand, expectation: Expectation): Comparison {
  const { base, isNamed } = expectation
  const facts = { ...NO_FACTS, before: countBefore(base), now: countNow(result), flaky: result.flaky ?? null }
  if (result.hasPassed)
    return { ...facts, ...(result.ranNoTest === true ? compareEmpty(expectation) : comparePassed(result, base)) }
  const outcome = excuseFor(result, expectation) ?? (isNamed ? compareNamed(base) : compareFailed(result, expectation))
  return { ...facts, ...outcome }
}

type Outcome = Pick<Comparison, "status" | "remark" | "isWarning"> & Partial<Pick<Comparison, "broken" | "asked">>

function passed(remark: string | null, isWarning = false): Outcome {
  return { status: "passed", remark, isWarning }
}
function failed(remark: string | null): Outcome {
  return { status: "failed", remark, isWarning: false }
}
function skipped(remark: string): Outcome {
  return { status: "skipped", remark, isWarning: true }
}

function comparePassed({ flaky }: RanCommand, base: Standing | undefined): Outcome {
  if (flaky !== undefined) {
    const which = flaky.length === 0 ? "" : `: ${nameTests(flaky)}`
    return passed(`it failed and then passed on the same files, so it is flaky${which}`, true)
  }
  if (base?.state !== "red") return passed(null)
  const before = base.failing === null ? "it was red before" : `${countTests(base.failing.length)} failed before`
  return passed(`${before}, none now`)
}

/** No test ran: fails if the acceptance names the command, or if tests ran before. */
function compareEmpty({ base, isNamed }: Expectation): Outcome {
  if (isNamed) return failed("it ran no test, and the task's own acceptance names it")
  const hadTests = (base?.state === "green" || base?.state === "red") && base.ranNoTest !== true
  if (hadTests) return failed("it ran no test, and ran some before the work began")
  return skipped("it ran no test, so it says nothing about this work")
}

function excuseFor({ missing, stopped }: RanCommand, { base, isNamed }: Expectation): Outcome | undefined {
  // `python3 -m shop` is not excused: `shop` may be the work of the task.
  const isExcused = missing !== undefined && (!isNamed || isKnownTool(missing))
  if (base?.state === "not_installed" && isExcused)
    return skipped(`it is left out; ${base.advice ?? `install ${missing}`}`)
  return base?.state === "too_slow" && stopped !== undefined && stopped.limitMs !== null ? skipTooSlow(base) : undefined
}

function skipTooSlow({ advice }: Pick<Standing, "advice">): Outcome {
  return skipped(`it took too long before the work began; ${advice ?? "give it more time"}`)
}

function compareNamed(base: Standing | undefined): Outcome {
  if (base?.state === "not_installed")
    return failed("it was missing before too, but the task's own acceptance names it: the task may have to bring it")
  return failed(base?.state === "red" ? "it was red before, and the task's own acceptance names it" : null)
}

function compareFailed({ stopped, missing, tests }: RanCommand, { base, asked }: Expectation): Outcome {
  const isRed = base?.state === "red"
  if (isRed && base.failing === null)
    return skipped(
      "it was red before the work began, and what failed then cannot be read: it says nothing about this work",
    )
  // A stopped command skipped some tests.
  if (stopped !== undefined) return failed("it did not come to its end")
  if (asked.has(ANY_TEST) && missing === undefined)
    return { ...passed("a task was asked for a test that fails", true), asked: [ANY_TEST] }
  if (tests === undefined || tests.failed.length === 0)
    return failed(isRed ? "its results could be read before, and cannot be read now" : null)
  const before = new Set(isRed ? base.failing : [])
  const broken = tests.failed.filter((name) => !before.has(name) && !asked.has(name))
  if (broken.length > 0) {
    const since = base === undefined ? "" : " that did not before"
    const verb = broken.length === 1 ? "fails" : "fail"
    return { ...failed(`${countTests(broken.length)} ${verb}${since}: ${nameTests(broken)}`), broken }
  }
  const wanted = tests.failed.filter((name) => !before.has(name))
  const parts = [
    ...(isRed ? [`${countTests(before.size)} failed before, ${tests.failed.length - wanted.length} of them now`] : []),
    ...(wanted.length === 0 ? [] : [`a task was asked for a test that fails: ${nameTests(wanted)}`]),
  ]
  return { ...passed(`nothing new fails: ${parts.join("; ")}`, true), asked: wanted }
}

function countBefore(base: Standing | undefined): number | null {
  if (base === undefined) return null
  if (base.state === "green") return 0
  return base.state === "red" ? (base.failing?.length ?? null) : null
}

function countNow({ hasPassed, tests }: RanCommand): number | null {
  return hasPassed ? 0 : tests?.failed.length || null
}

const MAX_NAMES = 5

export function nameTests(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ")
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}

export function countTests(number: number): string {
  return `${number} ${number === 1 ? "test" : "tests"}`
}
