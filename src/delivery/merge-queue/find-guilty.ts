import type { BranchHistory } from "../../git/port.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Candidate, GateResult } from "./candidate.ts"
import type { Chain, Link } from "./chain.ts"
import type { Looks } from "./looks.ts"

export interface Guilty {
  readonly link: Link
  readonly gate: GateResult
  /** The one it does not get along with; empty when it fails all by itself. */
  readonly with: readonly TaskId[]
}

interface Search {
  readonly chain: Chain
  readonly looks: Looks
  /** The gate fails on the last of them and passes before the first. */
  readonly links: readonly Link[]
  readonly histories: ReadonlyMap<Candidate, BranchHistory>
}

/**
 * Halves the links until one is left that passes without and fails with: there is such a place, whatever each of them
 * does alone. Takes about log2 of their number looks, and as many again to name a partner.
 */
export async function findGuilty({ chain, looks, links, histories }: Search): Promise<Guilty> {
  const fails = async (commit: string | undefined) =>
    commit !== undefined && (await looks.at(commit)).status === "failed"
  const index = (await halve(links.length, (count) => fails(links[count - 1]?.commit))) - 1
  const link = links[index]
  if (link === undefined) throw new Error("a gate that fails has something that makes it fail")
  const gate = await looks.at(link.commit)
  // The smallest number of those before it with which it fails already; none means that it fails by itself.
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

/** A number from 1 to `count` for which it fails while it does not for the one before: `count` fails, 0 does not. */
async function halve(count: number, fails: (count: number) => Promise<boolean>): Promise<number> {
  let [good, bad] = [0, count]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (await fails(middle)) bad = middle
    else good = middle
  }
  return bad
}
