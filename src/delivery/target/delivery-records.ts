import type { Merges } from "../../git/port.ts"
import { deliveredRef, teamRefs } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"

/** A delivery as its refs record it, so that `undo` needs no database. */
export interface Delivery {
  readonly number: number
  /** Without `refs/heads/`. */
  readonly target: string
  readonly before: string
  readonly after: string
}

/** The newest delivery that was not undone, and the next number. */
export async function readDeliveries(
  merges: Merges,
  name: RunName,
): Promise<{ readonly last: Delivery | undefined; readonly next: number }> {
  const prefix = `${teamRefs(name)}/delivered`
  const refs = await merges.refs(prefix)
  const numbers = [...refs.keys()].flatMap((ref) => {
    const number = /^(\d+)\/(?:before|after|undone)$/.exec(ref.slice(prefix.length + 1))?.[1]
    return number === undefined ? [] : [Number(number)]
  })
  const next = Math.max(0, ...numbers) + 1
  for (const number of [...new Set(numbers)].sort((a, b) => b - a)) {
    const before = refs.get(deliveredRef(name, number, "before"))
    const after = refs.get(deliveredRef(name, number, "after"))
    const target = await merges.findNamed(deliveredRef(name, number, "target"))
    if (before === undefined || after === undefined || target === undefined) continue
    return { last: { number, target: target.replace(/^refs\/heads\//, ""), before, after }, next }
  }
  return { last: undefined, next }
}

/** Write this before the target moves: an interrupted delivery is one whose target did not move. */
export async function noteDelivery(
  merges: Merges,
  name: RunName,
  delivery: Omit<Delivery, "number">,
): Promise<Delivery> {
  const { last, next } = await readDeliveries(merges, name)
  const { target, before, after } = delivery
  if (last?.target === target && last.before === before && last.after === after) return last
  await merges.nameBranch(deliveredRef(name, next, "target"), `refs/heads/${target}`)
  await merges.move([
    { ref: deliveredRef(name, next, "before"), from: null, to: before },
    { ref: deliveredRef(name, next, "after"), from: null, to: after },
  ])
  return { number: next, target, before, after }
}

/** The delivery failed, with a reported reason. */
export async function forgetDelivery(
  merges: Merges,
  name: RunName,
  { number, before, after }: Delivery,
): Promise<void> {
  await merges.move([
    { ref: deliveredRef(name, number, "before"), from: before, to: null },
    { ref: deliveredRef(name, number, "after"), from: after, to: null },
  ])
}

/** The delivered commits stay reachable. */
export async function noteUndone(merges: Merges, name: RunName, { number, before, after }: Delivery): Promise<void> {
  await merges.move([
    { ref: deliveredRef(name, number, "undone"), from: null, to: after },
    { ref: deliveredRef(name, number, "before"), from: before, to: null },
    { ref: deliveredRef(name, number, "after"), from: after, to: null },
  ])
}
