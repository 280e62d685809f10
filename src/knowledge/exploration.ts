import * as v from "valibot"
import type { TeamRecord } from "../kernel/record.ts"

const Content = v.object({
  angle: v.string(),
  summary: v.string(),
  /** For programs. */
  findings: v.optional(v.unknown()),
  commit: v.string(),
  /** Path -> git id of each file or folder read; `.` is the whole repository. */
  files: v.record(v.string(), v.string()),
  /** Hash of uncommitted changes; null without any. */
  uncommitted: v.nullable(v.string()),
})
export type ExplorationContent = Readonly<v.InferOutput<typeof Content>>

/** If this is equal, so are the files. */
export type TreeState = Pick<ExplorationContent, "commit" | "files" | "uncommitted">

/** What an agent learned about the repository from one angle, and the files it read. */
export type Exploration = ExplorationContent & Pick<TeamRecord, "number" | "by"> & { readonly exploredAt: string }

/** Adds a checksum, which detects corrupt entries. */
export function packExploration({ angle, summary, findings, ...state }: ExplorationContent): TeamRecord["data"] {
  const content = JSON.stringify({ angle, summary, findings, ...state })
  return { angle, content, sha256: sha256(content) }
}

const ExplorationData = v.pipe(
  v.object({ content: v.string(), sha256: v.string() }),
  v.check((data) => sha256(data.content) === data.sha256),
  v.transform(({ content }) => content),
  v.parseJson(),
  Content,
)

/** Undefined if corrupt. */
export function toExploration({ number, data, by, updatedAt }: TeamRecord): Exploration | undefined {
  const read = v.safeParse(ExplorationData, data)
  return read.success ? { number, ...read.output, by, exploredAt: updatedAt } : undefined
}

/** Undefined if up to date. */
export function whyStale(explored: TreeState, now: TreeState): string | undefined {
  const changed = Object.entries(explored.files).find(([path, id]) => now.files[path] !== id)
  if (changed !== undefined) return changed[0] === "." ? "the repository changed" : `${changed[0]} changed`
  return explored.uncommitted === now.uncommitted ? undefined : "files that are not committed changed"
}

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex")
}
