import * as v from "valibot"
import { readRecord, type TeamRecord } from "../kernel/record.ts"

export const ARTIFACT_KINDS = ["code", "document", "research", "design", "data"] as const
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number]

/** Per artifact: every prompt reads all documents of the team. */
export const MOST_BYTES_IN_STORE = 256 * 1024

const orNull = v.fallback(v.nullable(v.string()), null)

const ArtifactData = v.object({
  name: v.fallback(v.string(), ""),
  kind: v.fallback(v.picklist(ARTIFACT_KINDS), "data"),
  worker: orNull,
  commit: orNull,
  /** From the repository's root. */
  path: orNull,
  sha256: v.fallback(v.string(), ""),
  size: v.fallback(v.number(), 0),
  /** `commit`: the repository has it, by commit and path. `document`: the store has it. */
  keptIn: v.fallback(v.picklist(["commit", "document"]), "document"),
})

/** Something a team made, and its origin. */
export type Artifact = Readonly<v.InferOutput<typeof ArtifactData>> &
  Pick<TeamRecord, "number" | "taskId" | "attempt" | "by" | "createdAt">

export function toArtifact(record: TeamRecord): Artifact {
  const { number, taskId, attempt, by, createdAt } = record
  return { number, taskId, attempt, by, createdAt, ...readRecord(ArtifactData, record) }
}

/** Unique and safe on every disk: `3-report.md`. */
export function fileNameOf({ number, name }: Pick<Artifact, "number" | "name">): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "")
  return `${number}-${safe.slice(-80).replace(/^[.-]+/, "") || "artifact"}`
}

export function documentOf(artifact: Pick<Artifact, "number" | "name">): string {
  return `artifacts/${fileNameOf(artifact)}`
}

const EXTENSIONS: Partial<Record<ArtifactKind, string>> = {
  document: "md txt rst adoc pdf html",
  data: "json csv tsv xml yml yaml sql",
  design: "svg png jpg fig drawio mmd puml",
}

export function kindOfFile(name: string): ArtifactKind {
  const extension = /\.([^.]+)$/.exec(name.toLowerCase())?.[1] ?? ""
  return ARTIFACT_KINDS.find((kind) => EXTENSIONS[kind]?.split(" ").includes(extension)) ?? "code"
}
