/** A smaller part is only named. */
const MIN_PART = 200
const NOTE_LENGTH = 80

/** Keeps small files whole and the beginning of large ones, and names what is left out. */
export function fitDiff(patch: string, maxLength: number): string {
  if (patch.length <= maxLength) return patch
  const parts = patch.split(/^(?=diff --git )/m)
  const share = shareOf(
    parts.map((part) => part.length),
    maxLength,
  )
  const shown: string[] = []
  const named: string[] = []
  for (const part of parts) {
    if (part.length <= share) shown.push(part)
    else if (share < MIN_PART) named.push(part.slice(0, part.indexOf("\n")).replace(/^diff --git /, ""))
    else shown.push(cutPart(part, share))
  }
  if (named.length === 0) return shown.join("")
  const list = named.join("\n").slice(0, Math.max(0, maxLength - shown.join("").length - NOTE_LENGTH))
  return `${shown.join("")}[${named.length} more files changed; their lines are left out here, read the files:]\n${list}\n`
}

function shareOf(sizes: readonly number[], limit: number): number {
  let left = limit
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = left / (sizes.length - index)
    if (size > share) return Math.floor(share)
    left -= size
  }
  return limit
}

function cutPart(part: string, size: number): string {
  const end = part.lastIndexOf("\n", size - NOTE_LENGTH)
  const kept = part.slice(0, end === -1 ? size - NOTE_LENGTH : end)
  const more = Math.max(1, part.slice(kept.length + 1).split("\n").length - 1)
  return `${kept}\n[${more} more lines of this diff are left out here; read the file]\n`
}
