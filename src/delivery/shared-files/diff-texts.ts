/** The lines of the base from `start` to before `end` are replaced. */
export interface Hunk {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** More would take too long. No file that is merged by lines is this long. */
const MOST_PAIRS = 16_000_000

/** Undefined where the texts are too long to compare. */
export function diffLines(base: readonly string[], side: readonly string[]): Hunk[] | undefined {
  let head = 0
  while (head < base.length && head < side.length && base[head] === side[head]) head++
  let tail = 0
  const most = Math.min(base.length, side.length) - head
  while (tail < most && base[base.length - 1 - tail] === side[side.length - 1 - tail]) tail++
  const [old, now] = [base.slice(head, base.length - tail), side.slice(head, side.length - tail)]
  if (old.length * now.length > MOST_PAIRS) return undefined
  return toHunks(old, now, head)
}

function toHunks(old: readonly string[], now: readonly string[], offset: number): Hunk[] {
  const lengths = commonLengths(old, now)
  const width = now.length + 1
  const hunks: Hunk[] = []
  let [at, to] = [0, 0]
  while (at < old.length || to < now.length) {
    if (at < old.length && to < now.length && old[at] === now[to]) {
      at++
      to++
      continue
    }
    const [from, begin] = [at, to]
    while ((at < old.length || to < now.length) && !(at < old.length && to < now.length && old[at] === now[to])) {
      const without = at < old.length ? (lengths[(at + 1) * width + to] ?? 0) : -1
      const withNew = to < now.length ? (lengths[at * width + to + 1] ?? 0) : -1
      if (without >= withNew) at++
      else to++
    }
    hunks.push({ start: offset + from, end: offset + at, lines: now.slice(begin, to) })
  }
  return hunks
}

/** For each pair of positions: the length of the longest common subsequence from there. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let at = old.length - 1; at >= 0; at--)
    for (let to = now.length - 1; to >= 0; to--)
      lengths[at * width + to] =
        old[at] === now[to]
          ? (lengths[(at + 1) * width + to + 1] ?? 0) + 1
          : Math.max(lengths[(at + 1) * width + to] ?? 0, lengths[at * width + to + 1] ?? 0)
  return lengths
}
