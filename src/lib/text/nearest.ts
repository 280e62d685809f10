/** The candidate that a mistyped word most likely means; undefined when none is close enough. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    // More than two wrong letters in five is another word.
    const limit = Math.floor(Math.max(word.length, candidate.length) * 0.4)
    if (distance <= limit && distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Insertions, deletions, replacements and swaps of neighbours, each counted as one error. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let cost = Math.min(
        cell(previous, column) + 1,
        cell(current, column - 1) + 1,
        cell(previous, column - 1) + (same ? 0 : 1),
      )
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (swapped && row > 1 && column > 1) cost = Math.min(cost, cell(beforePrevious, column - 2) + 1)
      current.push(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return cell(previous, to.length)
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
