import * as v from "valibot"
import { command, fromOperation, type Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { resolvePath } from "../../lib/paths.ts"
import { choice, described } from "../../lib/schema.ts"
import { taskIdField, teamFields, textField, titleField } from "../../store/operation.ts"
import { byField } from "../../store/records.ts"
import { ARTIFACT_KINDS } from "../artifact.ts"
import { exportArtifacts, keepFile, readArtifact } from "../effects/artifact-files.ts"
import { getArtifact, listArtifacts } from "../operations/artifacts.ts"
import { artifactLine, renderArtifact, renderArtifacts } from "../views/knowledge-view.ts"

const addInput = {
  ...teamFields,
  file: textField("the file", 4000),
  kind: v.optional(choice(ARTIFACT_KINDS, "what it is; by default what its name says")),
  name: v.optional(titleField("what to call it; by default the name of the file")),
  task: v.optional(described(taskIdField, "the task it was made for")),
  by: byField("who adds it"),
}

export const artifactAdd = command({
  summary: "Keep a file that the team made, and where it came from",
  fields: addInput,
  positional: ["file"],
  example: "teamwork artifact add report.md --kind research --task 3 --by w1",
  async run(session, { file, ...given }) {
    const absolute = resolvePath(file, session.host.io.cwd)
    const added = await keepFile(await session.context(), finder(session), { ...given, file: absolute })
    return { data: added, text: () => artifactLine(added) }
  },
})

export const artifactList = fromOperation(listArtifacts, { text: renderArtifacts })

export const artifactShow = command({
  summary: "Show an artifact: its content and where it came from",
  fields: getArtifact.input,
  positional: ["number"],
  example: "teamwork artifact show 2",
  async run(session, which) {
    const { artifact, text } = await readArtifact(await session.context(), finder(session), which)
    return { data: { ...artifact, text: text ?? null }, text: () => renderArtifact(artifact, text) }
  },
})

const exportInput = { ...listArtifacts.input, to: textField("folder", 4000) }

export const artifactExport = command({
  summary: "Write artifacts as files, with an index of where they came from; never replaces a file of other content",
  fields: exportInput,
  example: "teamwork artifact export --to out/artifacts",
  async run(session, { to, ...which }) {
    const folder = resolvePath(to, session.host.io.cwd)
    const files = await exportArtifacts(await session.context(), finder(session), { ...which, folder })
    const count = files.length - 1
    return {
      data: { folder, files },
      text: () => `Wrote ${count} ${count === 1 ? "artifact" : "artifacts"} to ${folder}`,
    }
  },
})

const NOT_HERE: readonly string[] = ["workspace.no_repository", "project.elsewhere"]

/** Undefined outside of a repository: artifacts in the store need none. */
function finder({ host, configured }: Session) {
  return async () => {
    try {
      return (await (await configured()).gates(host.io.cwd)).repository
    } catch (error) {
      if (error instanceof AppError && NOT_HERE.includes(error.code)) return undefined
      throw error
    }
  }
}
