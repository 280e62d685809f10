import type { Check, Verdict } from "./verdict.ts"

/** The check of a final verdict that says which tasks it leaves out. Only a verdict of a part has it. */
export const LEFT_OUT = "tasks_left_out"

/** A task that is not part of what is delivered, and why. */
export interface LeftOut {
  readonly task: string
  readonly why: string
}

/** The tasks that a final verdict leaves out; null for one of everything. */
export function leftOutOf({ scope, checks }: Pick<Verdict, "scope"> & { checks: readonly Check[] }): LeftOut[] | null {
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
