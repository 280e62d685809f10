/** Chance that a seed decides: the same seed gives the same numbers, on every machine. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number; both ends may come. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
  /** Of its own, so that what one part draws changes nothing for another. */
  fork(name: string): Random
}

export function makeRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    // Mulberry32: one multiplication more than a counter, and good enough to choose faults.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick(items) {
      if (items.length === 0) throw new Error("nothing to pick from")
      return items[int(0, items.length - 1)] as (typeof items)[number]
    },
    shuffle(items) {
      const all = [...items]
      for (let at = all.length - 1; at > 0; at--) {
        const other = int(0, at)
        ;[all[at], all[other]] = [all[other] as (typeof all)[number], all[at] as (typeof all)[number]]
      }
      return all
    },
    fork: (name) => makeRandom(hash(`${seed}/${name}`)),
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}
