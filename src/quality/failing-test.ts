import type { TaskId } from "../kernel/ids.ts"
import type { Task } from "../tasks/task.ts"
import type { TestResults } from "./results/test-results.ts"
import type { Verdict } from "./verdict.ts"

/** Failing tests that tasks had to add, by command line. */
export type AskedTests = ReadonlyMap<string, readonly string[]>

/** `a failing test`, `a test that fails because of it`, `tests which fail until then`. */
const ASKED = /\b(?:failing|red)\s+(?:[\w-]+\s+){0,2}tests?\b|\btests?\s+(?:that|which)\s+(?:still\s+)?fails?\b/i
/** `no failing test`, `fix the failing tests`, `the failing test passes`. */
const NOT_ASKED =
  /\b(?:no|not|never|without|fix(?:es|ed)?|repair(?:s|ed)?|mend(?:s|ed)?)\b[^.;,]*\b(?:failing|red)\b|\b(?:failing|red)\s+(?:[\w-]+\s+){0,2}tests?\s+(?:now\s+)?(?:pass|is|are)/i

/** Whether the acceptance asks for a failing test, for example to reproduce a bug. */
export function asksForFailingTest({ acceptance }: Pick<Task, "acceptance">): boolean {
  return acceptance.some((line) => ASKED.test(line) && !NOT_ASKED.test(line))
}

/** All tests, if the output names none. */
export const ANY_TEST = "*"

/**
 * Requested failing tests that are not on the base. If the base output does not name its passing tests, all failing
 * tests count, but only if the task changed nothing but test files.
 */
export function findAskedTests(
  now: TestResults | undefined,
  base: TestResults | undefined,
  isOnlyTests: boolean,
): readonly string[] {
  const failed = now?.failed ?? []
  if (base === undefined || base.passed.length === 0 || failed.length === 0)
    return isOnlyTests ? (failed.length === 0 ? [ANY_TEST] : failed) : []
  const known = new Set([...base.passed, ...base.failed, ...base.skipped])
  return failed.filter((name) => !known.has(name))
}

export type AskingGate = { readonly task: TaskId } | "merged" | "final"

type KnownTask = Pick<Task, "id" | "blockedBy" | "status">

/**
 * Requested failing tests that a gate tolerates. Such a test must pass at the gate of the first task that needs its
 * task, and at the final gate.
 */
export function allowedTests(verdicts: readonly Verdict[], tasks: readonly KnownTask[], gate: AskingGate): AskedTests {
  const last = new Map<string, Verdict>()
  for (const verdict of verdicts)
    if (verdict.scope === "task" && verdict.subject !== null && verdict.status === "passed")
      last.set(verdict.subject, verdict)
  const allowed = new Map<string, string[]>()
  const byId = new Map<string, KnownTask>(tasks.map((task) => [task.id, task]))
  for (const [subject, { checks }] of last) {
    const asking = checks.flatMap(({ command, baseline }) =>
      command !== undefined && baseline !== undefined && baseline.asked.length > 0 ? [{ command, baseline }] : [],
    )
    if (asking.length === 0 || isDue(subject, byId, gate)) continue
    for (const { command, baseline } of asking)
      allowed.set(command, [...(allowed.get(command) ?? []), ...baseline.asked])
  }
  return allowed
}

type TasksById = ReadonlyMap<string, KnownTask>

function isDue(subject: string, byId: TasksById, gate: AskingGate): boolean {
  if (gate === "merged") return false
  if (gate !== "final") return needs(gate.task, subject, byId)
  return byId.values().some(({ id, status }) => status !== "skipped" && id !== subject && needs(id, subject, byId))
}

function needs(id: string, wanted: string, byId: TasksById): boolean {
  const seen = new Set<string>()
  const left = [...(byId.get(id)?.blockedBy ?? [])] as string[]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next === wanted) return true
    if (seen.has(next)) continue
    seen.add(next)
    left.push(...(byId.get(next)?.blockedBy ?? []))
  }
  return false
}
