import type { Merges } from "../../git/port.ts"
import type { Gate, GateResult } from "./candidate.ts"

/** The gate's word on commits, each asked for once. */
export interface Looks {
  at(commit: string): Promise<GateResult>
  readonly flaky: readonly string[]
}

/** A failure counts when it comes twice on the very same files: nobody is blamed for a test that fails by chance. */
export function makeLooks(gate: Gate, merges: Pick<Merges, "tree">): Looks {
  const known = new Map<string, Promise<GateResult>>()
  const flaky: string[] = []
  const look = async (commit: string): Promise<GateResult> => {
    const first = await gate(commit, { isSecondLook: false })
    if (first.status !== "failed") return first
    const second = await gate(commit, { isSecondLook: true })
    if (second.status === "failed") return second
    const failed = first.checks.filter((check) => check.status === "failed").map((check) => check.name)
    flaky.push(`${failed.length > 0 ? failed.join(", ") : "the gate"} failed and then passed on ${commit}`)
    return second
  }
  return {
    flaky,
    async at(commit) {
      const tree = await merges.tree(commit)
      const asked = known.get(tree) ?? look(commit)
      known.set(tree, asked)
      return asked
    },
  }
}
