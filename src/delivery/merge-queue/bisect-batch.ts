import type { BranchHistory, Merges } from "../../git/port.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Candidate, Gate, GateResult } from "./candidate.ts"
import type { Chain, Link } from "./chain.ts"

export interface Culprit {
  readonly link: Link
  readonly gate: GateResult
  /** The partner it fails with; empty when it fails alone. */
  readonly with: readonly TaskId[]
}

interface Search {
  readonly chain: Chain
  readonly gateRuns: GateRuns
  /** The gate fails on the last link and passes before the first. */
  readonly links: readonly Link[]
  readonly histories: ReadonlyMap<Candidate, BranchHistory>
}

/**
 * Bisects the links for one that passes without and fails with it. Takes about log2(n) gate runs, and as many again
 * to name a partner.
 */
export async function bisectBatch({ chain, gateRuns, links, histories }: Search): Promise<Culprit> {
  const fails = async (commit: string | undefined) =>
    commit !== undefined && (await gateRuns.judge(commit)).status === "failed"
  const index = (await halve(links.length, (count) => fails(links[count - 1]?.commit))) - 1
  const link = links[index]
  if (link === undefined) throw new Error("a gate that fails has something that makes it fail")
  const gate = await gateRuns.judge(link.commit)
  // The smallest number of links before it with which it fails; none when it fails alone.
  const failsBehind = async (count: number) => {
    if (count === index) return true
    const history = histories.get(link.candidate)
    const added = history && (await chain.add(links.slice(0, count), link.candidate, history))
    return added !== undefined && "link" in added && fails(added.link.commit)
  }
  if (index === 0 || (await failsBehind(0))) return { link, gate, with: [] }
  const partner = links[(await halve(index, failsBehind)) - 1]
  return { link, gate, with: partner === undefined ? [] : [partner.candidate.taskId] }
}

/** Finds a number from 1 to `count` that fails while the number before passes. */
async function halve(count: number, fails: (count: number) => Promise<boolean>): Promise<number> {
  let [good, bad] = [0, count]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (await fails(middle)) bad = middle
    else good = middle
  }
  return bad
}

/** Runs the gate once for each tree. */
export interface GateRuns {
  judge(commit: string): Promise<GateResult>
  readonly flaky: readonly string[]
}

export function makeGateRuns(gate: Gate, merges: Pick<Merges, "tree">): GateRuns {
  const known = new Map<string, Promise<GateResult>>()
  const flaky: string[] = []
  const run = async (commit: string): Promise<GateResult> => {
    const result = await gate(commit)
    flaky.push(...(result.flaky ?? []))
    return result
  }
  return {
    flaky,
    async judge(commit) {
      const tree = await merges.tree(commit)
      const asked = known.get(tree) ?? run(commit)
      known.set(tree, asked)
      return asked
    },
  }
}
