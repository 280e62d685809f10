import type { Merges } from "../../git/port.ts"
import type { Gate, GateResult } from "./candidate.ts"

/** The gate's word on commits, each asked for once. */
export interface Looks {
  at(commit: string): Promise<GateResult>
  /** What failed and then passed on the very same files. */
  readonly flaky: readonly string[]
}

export function makeLooks(gate: Gate, merges: Pick<Merges, "tree">): Looks {
  const known = new Map<string, Promise<GateResult>>()
  const flaky: string[] = []
  const look = async (commit: string): Promise<GateResult> => {
    const result = await gate(commit)
    flaky.push(...(result.flaky ?? []))
    return result
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
