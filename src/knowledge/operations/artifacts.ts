import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import type { Document } from "../../kernel/document.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import { choice, described, type InputOf, number } from "../../lib/schema.ts"
import { operation, runFields, taskIdField, teamFields, textField, titleField } from "../../store/operation.ts"
import { addRecord, byField, getRecord } from "../../store/records.ts"
import { getTask, getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import { ARTIFACT_KINDS, type Artifact, documentOf, MOST_BYTES_IN_STORE, toArtifact } from "../artifact.ts"
import { findSubject } from "./keep-wisdom.ts"

const addInput = {
  ...teamFields,
  name: titleField("what it is called, such as the name of its file"),
  kind: choice(ARTIFACT_KINDS, "what it is"),
  task: v.optional(described(taskIdField, "the task it was made for")),
  content: v.optional(textField("the artifact itself, where the repository does not hold it", 2 * MOST_BYTES_IN_STORE)),
  encoding: v.optional(choice(["utf8", "base64"], "how the content is written"), "utf8"),
  commit: v.optional(textField("the commit of the repository it was made at")),
  path: v.optional(textField("where it lies in that commit, from the repository's root", 4000)),
  sha256: v.optional(textField("of its bytes, where there is no content")),
  size: v.optional(number("in bytes, where there is no content", { isInteger: true, min: 0 })),
  by: byField("who adds it"),
}

/** Takes the content, or commit, path, sha256 and size. Idempotent. */
export const addArtifact = operation({
  name: "artifact.add",
  summary: "Keep something the team made, and where it came from",
  input: addInput,
  async run({ store }, input): Promise<Artifact> {
    const { by = PERSON, name, kind } = input
    const { content, ...facts } = readContent(input)
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const { task, ...where } = await findSubject(tx, team.key, input.task)
      const { commit = null, path = null } = input
      // Without a named worker, the task's holder made it.
      const worker = by === PERSON ? (task?.workerId ?? null) : by
      const data = { name, kind, worker, commit, path, ...facts }
      const all = await tx.records.list(team.key, { kind: "artifact" })
      const known = all.find((record) => isSame(record, where, data))
      if (known !== undefined) return toArtifact(known)
      const record = { kind: "artifact" as const, ...where, status: "kept", data, by }
      const added = toArtifact(await addRecord(tx, team, record, name))
      const document = { path: documentOf(added), encoding: input.encoding, by }
      if (content !== null) await tx.documents.put(team.key, { ...document, content })
      return added
    })
  },
})

function readContent({ content, encoding, commit, path, sha256, size }: InputOf<typeof addInput>) {
  if (content === undefined) {
    if (commit === undefined || path === undefined || sha256 === undefined || size === undefined)
      throw new AppError("usage", "give the content, or commit, path, sha256 and size")
    return { content: null, sha256, size, keptIn: "commit" as const }
  }
  const bytes = Buffer.from(content, encoding)
  if (bytes.length > MOST_BYTES_IN_STORE)
    throw new AppError(
      "artifact.too_large",
      `the artifact has ${bytes.length} bytes, and the store keeps at most ${MOST_BYTES_IN_STORE}; commit it and add it again`,
      { size: bytes.length, most: MOST_BYTES_IN_STORE },
    )
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
  return { content, sha256: hash, size: bytes.length, keptIn: "document" as const }
}

function isSame(record: TeamRecord, where: Pick<TeamRecord, "taskId" | "attempt">, data: TeamRecord["data"]): boolean {
  const isThere = record.taskId === where.taskId && record.attempt === where.attempt
  return isThere && ["name", "path", "sha256"].every((key) => record.data[key] === data[key])
}

export const listArtifacts = operation({
  name: "artifact.list",
  summary: "List what the team made, and where each came from",
  input: {
    ...runFields,
    task: v.optional(described(taskIdField, "only those of this task")),
    kind: v.optional(choice(ARTIFACT_KINDS, "only this kind")),
  },
  run: ({ store }, { task, kind, ...name }): Promise<Artifact[]> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, name)
      if (task !== undefined) await getTask(tx, key, task)
      const filter = { kind: "artifact", ...(task === undefined ? {} : { taskId: task }) } as const
      const all = (await tx.records.list(key, filter)).map(toArtifact)
      return kind === undefined ? all : all.filter((artifact) => artifact.kind === kind)
    }),
})

export interface KeptArtifact {
  readonly artifact: Artifact
  /** Null if it is in a commit. */
  readonly document: Pick<Document, "content" | "encoding"> | null
}

export const getArtifact = operation({
  name: "artifact.get",
  summary: "Get an artifact, with its content where the store keeps it",
  input: { ...runFields, number: number("which one; see: teamwork artifact list", { isInteger: true, min: 1 }) },
  run: ({ store }, { number, ...name }): Promise<KeptArtifact> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, name)
      const artifact = toArtifact(await getRecord(tx, key, "artifact", number))
      if (artifact.keptIn === "commit") return { artifact, document: null }
      const path = documentOf(artifact)
      return { artifact, document: (await tx.documents.list(key)).find((each) => each.path === path) ?? null }
    }),
})
