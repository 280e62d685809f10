import type { StoredResult } from "./result-store.ts"

/**
 * With `twice` a failure needs two runs, unless a program is missing. A killed command needs a second run; a
 * timeout counts only for limits up to that one.
 */
export function hasRunEnough(
  result: StoredResult,
  { twice, timeoutMs }: { readonly twice: boolean; readonly timeoutMs: number },
): boolean {
  const { exitCode, missing, stopped, runs = 1 } = result
  if (exitCode === 0 || missing !== undefined) return true
  if (stopped !== undefined && stopped.limitMs !== null && timeoutMs > stopped.limitMs) return false
  const isKilled = stopped !== undefined && stopped.limitMs === null
  return runs >= (twice || isKilled ? 2 : 1)
}

/**
 * Combines two runs on one tree. Failed, then passed: flaky, which passes. Failed twice: failed, with the tests
 * that failed in both runs, if any.
 */
export function settleRuns(first: StoredResult | undefined, second: StoredResult): StoredResult {
  if (first === undefined || first.exitCode === 0 || first.missing !== undefined) return second
  const runs = (first.runs ?? 1) + 1
  const before = first.tests?.failed ?? []
  if (second.exitCode === 0) return { ...second, runs, flaky: before }
  if (first.tests === undefined || second.tests === undefined) return { ...second, runs }
  const inBoth = second.tests.failed.filter((name) => before.includes(name))
  if (inBoth.length === 0) return { ...second, runs }
  const once = [...before, ...second.tests.failed].filter((name) => !inBoth.includes(name))
  return {
    ...second,
    runs,
    tests: { ...second.tests, failed: inBoth },
    ...(once.length > 0 && { flaky: once }),
  }
}
