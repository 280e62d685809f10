import type { TaskId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"

export const ARTIFACT_KINDS = ["code", "document", "research", "design", "data"] as const
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number]

/** What the store keeps of one itself: it reads all of a team's documents for every prompt. */
export const MOST_BYTES_IN_STORE = 256 * 1024

/** Something a team made, and where it came from. */
export interface Artifact {
  readonly number: number
  readonly name: string
  readonly kind: ArtifactKind
  readonly taskId: TaskId | null
  readonly attempt: number | null
  readonly worker: string | null
  /** The commit that the repository was at. */
  readonly commit: string | null
  /** Where it lies in the repository, from its root. */
  readonly path: string | null
  readonly sha256: string
  readonly size: number
  /** `commit`: it is read from the repository, by commit and path. `document`: the store keeps it. */
  readonly keptIn: "commit" | "document"
  readonly by: string
  readonly createdAt: string
}

export function toArtifact({ number, taskId, attempt, data, by, createdAt }: TeamRecord): Artifact {
  const text = (key: string) => (typeof data[key] === "string" ? data[key] : null)
  return {
    ...{ number, taskId, attempt, by, createdAt },
    name: text("name") ?? "",
    kind: ARTIFACT_KINDS.find((each) => each === data.kind) ?? "data",
    worker: text("worker"),
    commit: text("commit"),
    path: text("path"),
    sha256: text("sha256") ?? "",
    size: typeof data.size === "number" ? data.size : 0,
    keptIn: data.keptIn === "commit" ? "commit" : "document",
  }
}

/** A name of its own and harmless on every disk: `3-report.md`. */
export function fileNameOf({ number, name }: Pick<Artifact, "number" | "name">): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "")
  return `${number}-${safe.slice(-80).replace(/^[.-]+/, "") || "artifact"}`
}

/** The document of the store that holds it. */
export function documentOf(artifact: Pick<Artifact, "number" | "name">): string {
  return `artifacts/${fileNameOf(artifact)}`
}

const BY_EXTENSION: Readonly<Record<string, ArtifactKind>> = {
  ...{ md: "document", txt: "document", rst: "document", adoc: "document", pdf: "document", html: "document" },
  ...{ json: "data", csv: "data", tsv: "data", xml: "data", yml: "data", yaml: "data", sql: "data" },
  ...{ svg: "design", png: "design", jpg: "design", fig: "design", drawio: "design", mmd: "design", puml: "design" },
}

/** What a file most likely is, where nobody says. */
export function kindOfFile(name: string): ArtifactKind {
  return BY_EXTENSION[/\.([^.]+)$/.exec(name.toLowerCase())?.[1] ?? ""] ?? "code"
}
