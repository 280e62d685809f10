import { hasFailures, type RanCommand, type Standing } from "./baseline.ts"
import { ANY_TEST } from "./failing-test.ts"
import { isKnownTool } from "./install-advice.ts"
import type { AgainstBaseline, VerdictStatus } from "./verdict.ts"

export interface Expectation {
  /** How the command stood on the base. Undefined where that is not known: then it counts as green. */
  readonly base: Standing | undefined
  /** The task's own acceptance names this command: it must pass, however it stood before. */
  readonly isNamed: boolean
  /** Failing tests that tasks were asked to add. */
  readonly asked: ReadonlySet<string>
}

/** What a result means next to how the command stood before the work began. */
export interface Comparison extends AgainstBaseline {
  readonly status: VerdictStatus
  /** Why a command that failed is not held against anybody, and what was red before. */
  readonly remark: string | null
  readonly isWarning: boolean
}

/** Of a command that took too long on the base: it is not run at all. */
export function compareTooSlow(base: Pick<Standing, "advice">): Comparison {
  const facts = { before: null, now: null, broken: [], asked: [], flaky: null }
  return { ...facts, status: "skipped", remark: tellTooSlow(base), isWarning: true }
}

/**
 * What was red before is not held against a task; what it breaks is. By test where both outputs tell them, by command
 * elsewhere. Nothing is excused that cannot be compared: results that can be read no more are a failure.
 */
export function compareResults(result: RanCommand, expectation: Expectation): Comparison {
  const { base } = expectation
  const { flaky = null } = result
  const facts = { before: countBefore(base), now: countNow(result), broken: [], asked: [], flaky }
  if (result.hasPassed && result.ranNoTest === true) return { ...facts, ...compareEmpty(expectation) }
  if (result.hasPassed) return { ...facts, ...comparePassed(result, base) }
  const excuse = excuseFor(result, expectation)
  if (excuse !== null) return { ...facts, ...excuse, isWarning: true }
  if (expectation.isNamed) return { ...facts, status: "failed", remark: tellNamed(base), isWarning: false }
  return { ...facts, ...compareFailed(result, expectation) }
}

type Outcome = Pick<Comparison, "status" | "remark" | "isWarning"> & Partial<Pick<Comparison, "broken" | "asked">>

function comparePassed({ flaky }: RanCommand, base: Standing | undefined): Outcome {
  if (flaky !== undefined) {
    const which = flaky.length === 0 ? "" : `: ${nameTests(flaky)}`
    return {
      status: "passed",
      remark: `it failed and then passed on the same files, so it is flaky${which}`,
      isWarning: true,
    }
  }
  if (base?.state !== "red") return { status: "passed", remark: null, isWarning: false }
  const before = base.failing === null ? "it was red before" : `${countTests(base.failing.length)} failed before`
  return { status: "passed", remark: `${before}, none now`, isWarning: false }
}

/** A command for tests that ran none has shown nothing. It fails where the acceptance names it, or where tests ran before. */
function compareEmpty({ base, isNamed }: Expectation): Outcome {
  if (isNamed)
    return { status: "failed", remark: "it ran no test, and the task's own acceptance names it", isWarning: false }
  const hadTests = (base?.state === "green" || base?.state === "red") && base.ranNoTest !== true
  if (hadTests)
    return { status: "failed", remark: "it ran no test, and ran some before the work began", isWarning: false }
  return { status: "skipped", remark: "it ran no test, so it says nothing about this work", isWarning: true }
}

/** What could not run on the base either, and still cannot. */
function excuseFor(
  { missing, stopped }: RanCommand,
  { base, isNamed }: Expectation,
): Pick<Outcome, "status" | "remark"> | null {
  // `python3 -m shop` in the acceptance of a task that writes `shop` must not be excused because there is no `shop`.
  const isExcused = missing !== undefined && (!isNamed || isKnownTool(missing))
  if (base?.state === "not_installed" && isExcused)
    return { status: "skipped", remark: `it is left out; ${base.advice ?? `install ${missing}`}` }
  if (base?.state === "too_slow" && stopped !== undefined && stopped.limitMs !== null)
    return { status: "skipped", remark: tellTooSlow(base) }
  return null
}

function tellTooSlow({ advice }: Pick<Standing, "advice">): string {
  return `it took too long before the work began; ${advice ?? "give it more time"}`
}

function tellNamed(base: Standing | undefined): string | null {
  if (base?.state === "not_installed")
    return "it was missing before too, but the task's own acceptance names it: the task may have to bring it"
  return base?.state === "red" ? "it was red before, and the task's own acceptance names it" : null
}

function compareFailed(result: RanCommand, { base, asked }: Expectation): Outcome {
  const isRed = base?.state === "red"
  if (isRed && base.failing === null)
    return {
      ...{ status: "skipped", isWarning: true },
      remark: "it was red before the work began, and what failed then cannot be read: it says nothing about this work",
    }
  // What did not come to its end has not shown the rest of its tests.
  if (result.stopped !== undefined) return { status: "failed", remark: "it did not come to its end", isWarning: false }
  if (asked.has(ANY_TEST) && result.missing === undefined)
    return { status: "passed", remark: "a task was asked for a test that fails", isWarning: true, asked: [ANY_TEST] }
  if (!hasFailures(result) || result.tests === undefined) {
    const remark = isRed ? "its results could be read before, and cannot be read now" : null
    return { status: "failed", remark, isWarning: false }
  }
  const before = new Set(isRed ? base.failing : [])
  const { failed } = result.tests
  const broken = failed.filter((name) => !before.has(name) && !asked.has(name))
  if (broken.length > 0) return { status: "failed", remark: tellBroken(broken, base), isWarning: false, broken }
  const wanted = failed.filter((name) => !before.has(name))
  const parts = [
    ...(isRed ? [`${countTests(before.size)} failed before, ${failed.length - wanted.length} of them now`] : []),
    ...(wanted.length === 0 ? [] : [`a task was asked for a test that fails: ${nameTests(wanted)}`]),
  ]
  return { status: "passed", remark: `nothing new fails: ${parts.join("; ")}`, isWarning: true, asked: wanted }
}

function tellBroken(broken: readonly string[], base: Standing | undefined): string | null {
  const verb = broken.length === 1 ? "fails" : "fail"
  const since = base === undefined ? "" : " that did not before"
  return `${countTests(broken.length)} ${verb}${since}: ${nameTests(broken)}`
}

function countBefore(base: Standing | undefined): number | null {
  if (base === undefined) return null
  if (base.state === "green") return 0
  return base.state === "red" ? (base.failing?.length ?? null) : null
}

function countNow(result: RanCommand): number | null {
  if (result.hasPassed) return 0
  return hasFailures(result) ? (result.tests?.failed.length ?? null) : null
}

/** More names help nobody in one line. */
const MAX_NAMES = 5

export function nameTests(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ")
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}

export function countTests(number: number): string {
  return `${number} ${number === 1 ? "test" : "tests"}`
}
