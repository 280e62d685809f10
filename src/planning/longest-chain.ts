export interface ChainLink {
  readonly id: string
  /** Unknown names are ignored. */
  readonly needs: readonly string[]
  readonly ms: number
}

/** First link first. */
export function longestChain(links: readonly ChainLink[]): { readonly ids: readonly string[]; readonly ms: number } {
  const byId = new Map(links.map((link) => [link.id, link]))
  const ends = new Map<string, { readonly ms: number; readonly before: string | null }>()
  for (const first of links) {
    if (ends.has(first.id)) continue
    // No recursion: a chain may be thousands long. A link on the path is not entered again, so a cycle ends.
    const path = [first]
    const begun = new Set([first.id])
    for (let link = path.at(-1); link !== undefined; link = path.at(-1)) {
      const next = link.needs.find((need) => !ends.has(need) && byId.has(need) && !begun.has(need))
      const found = next === undefined ? undefined : byId.get(next)
      if (found === undefined) {
        ends.set(link.id, endOf(link, ends))
        path.pop()
      } else {
        path.push(found)
        begun.add(found.id)
      }
    }
  }
  return walkBack(ends)
}

type Ends = ReadonlyMap<string, { readonly ms: number; readonly before: string | null }>

function endOf({ needs, ms }: ChainLink, ends: Ends): { ms: number; before: string | null } {
  let longest: { ms: number; before: string | null } = { ms: 0, before: null }
  for (const need of needs) {
    const end = ends.get(need)
    if (end !== undefined && end.ms > longest.ms) longest = { ms: end.ms, before: need }
  }
  return { ms: ms + longest.ms, before: longest.before }
}

function walkBack(ends: Ends): { ids: readonly string[]; ms: number } {
  let last: string | null = null
  let ms = 0
  for (const [id, end] of ends) {
    if (end.ms <= ms) continue
    last = id
    ms = end.ms
  }
  const ids: string[] = []
  for (let id = last; id !== null; id = ends.get(id)?.before ?? null) ids.unshift(id)
  return { ids, ms }
}
