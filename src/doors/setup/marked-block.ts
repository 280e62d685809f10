/**
 * Our part of a text file, between two marker lines. Works on bytes (one character each), so the rest of the file
 * stays as it is. In a file that does not end with a line break, neither does the block: so removing it restores
 * the file.
 */
export interface Marks {
  readonly begin: string
  readonly end: string
}

export class BlockRefusal extends Error {}

/** `bytes` is null where there is no file. */
export function putBlock(bytes: string | null, { begin, end }: Marks, lines: readonly string[]): string {
  const block = [begin, ...lines, end].join("\n")
  if (bytes === null) return `${block}\n`
  const place = findBlock(bytes, { begin, end })
  if (place !== undefined) return bytes.slice(0, place.from) + block + bytes.slice(place.to)
  if (bytes === "") return block
  return bytes.endsWith("\n") ? `${bytes}${block}\n` : `${bytes}\n${block}`
}

/** Null when the file had nothing else, so that it can be deleted. */
export function takeBlock(bytes: string, marks: Marks): string | null {
  const place = findBlock(bytes, marks)
  if (place === undefined) return bytes
  const { from, to } = place
  const hasBreak = bytes[to] === "\n"
  if (from === 0 && hasBreak && to + 1 === bytes.length) return null
  const isJoined = to === bytes.length && from > 0
  return bytes.slice(0, isJoined ? from - 1 : from) + bytes.slice(hasBreak ? to + 1 : to)
}

function findBlock(bytes: string, { begin, end }: Marks): { from: number; to: number } | undefined {
  const [from, last] = [lineAt(bytes, begin), lineAt(bytes, end)]
  if (from === -1 && last === -1) return undefined
  const isWhole =
    from !== -1 && last > from && lineAt(bytes, begin, from + 1) === -1 && lineAt(bytes, end, last + 1) === -1
  if (!isWhole) throw new BlockRefusal(`the lines "${begin}" and "${end}" must both be there, once`)
  return { from, to: last + end.length }
}

/** The start of a line that is exactly this. */
function lineAt(bytes: string, line: string, from = 0): number {
  for (let at = bytes.indexOf(line, from); at !== -1; at = bytes.indexOf(line, at + 1)) {
    const after = at + line.length
    const isEnd = after === bytes.length || bytes[after] === "\n"
    if (isEnd && (at === 0 || bytes[at - 1] === "\n")) return at
  }
  return -1
}
