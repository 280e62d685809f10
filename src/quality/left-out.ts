import type { Check, Verdict } from "./verdict.ts"

/** The check that lists tasks outside of a partial final verdict. */
export const LEFT_OUT = "tasks_left_out"

export interface LeftOut {
  readonly task: string
  readonly why: string
}

/** Null if the verdict is about all tasks. */
export function listLeftOut({
  scope,
  checks,
}: Pick<Verdict, "scope"> & { checks: readonly Check[] }): LeftOut[] | null {
  if (scope !== "final") return null
  const check = checks.find(({ name }) => name === LEFT_OUT)
  if (check === undefined) return null
  return (check.evidence ?? "").split("\n").map((line) => {
    const at = line.indexOf(": ")
    return { task: line.slice(0, at), why: line.slice(at + 2) }
  })
}

/** `t3 (failed: npm test exited with 1), t5 (open, needs t3)` */
export function describeLeftOut(leftOut: readonly LeftOut[]): string {
  return leftOut.map(({ task, why }) => `${task} (${why})`).join(", ")
}
