/** Code points as ranges, both ends included, in order and apart from one another. */
export type CharSet = readonly (readonly [from: number, to: number])[]

const LAST = 0x10ffff

export function charSet(ranges: Iterable<readonly [number, number]>): CharSet {
  const sorted = [...ranges].filter(([from, to]) => from <= to).sort((a, b) => a[0] - b[0])
  const merged: [number, number][] = []
  for (const [from, to] of sorted) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

export function complement(set: CharSet): CharSet {
  const rest: [number, number][] = []
  let next = 0
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1])
    next = to + 1
  }
  if (next <= LAST) rest.push([next, LAST])
  return rest
}

export function intersect(a: CharSet, b: CharSet): CharSet {
  const common: [number, number][] = []
  for (const [from, to] of a) {
    for (const [otherFrom, otherTo] of b) {
      const [low, high] = [Math.max(from, otherFrom), Math.min(to, otherTo)]
      if (low <= high) common.push([low, high])
    }
  }
  return common
}

export function has(set: CharSet, point: number): boolean {
  for (const [from, to] of set) if (from <= point && point <= to) return true
  return false
}
