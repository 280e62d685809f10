import type { TeamRecord } from "../kernel/record.ts"

/** What somebody read, as git knows it: the files are the same as long as this is. */
export interface TreeState {
  readonly commit: string
  /** git's id of each file or folder in the commit; `.` is the whole repository. */
  readonly files: Readonly<Record<string, string>>
  /** A hash of what in them is not committed; null where all of it is. */
  readonly uncommitted: string | null
}

/** What somebody found out about the repository from one angle, and what it was read from. */
export interface Exploration extends TreeState {
  readonly number: number
  readonly angle: string
  readonly summary: string
  /** What programs go on with; null where there is only the summary. */
  readonly findings: unknown
  readonly by: string
  readonly exploredAt: string
}

export type ExplorationContent = TreeState & Pick<Exploration, "angle" | "summary" | "findings">

/** The data of a record, with a checksum: an entry that does not fit it is corrupt. */
export function packExploration({ angle, summary, findings, ...state }: ExplorationContent): TeamRecord["data"] {
  const content = JSON.stringify({ angle, summary, findings, ...state })
  return { angle, content, sha256: sha256(content) }
}

/** Undefined for one that is corrupt. */
export function toExploration({ number, data, by, updatedAt }: TeamRecord): Exploration | undefined {
  if (typeof data.content !== "string" || sha256(data.content) !== data.sha256) return undefined
  const content = JSON.parse(data.content) as ExplorationContent
  return { number, ...content, by, exploredAt: updatedAt }
}

/** Why an exploration does not hold any more; undefined while it does. */
export function whyStale(explored: TreeState, now: TreeState): string | undefined {
  const changed = Object.entries(explored.files).find(([path, id]) => now.files[path] !== id)
  if (changed !== undefined) return changed[0] === "." ? "the repository changed" : `${changed[0]} changed`
  return explored.uncommitted === now.uncommitted ? undefined : "files that are not committed changed"
}

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex")
}
