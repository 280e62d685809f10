import { expect, it } from "bun:test"
import { toJsonSchema } from "@valibot/to-json-schema"
import * as v from "valibot"
import { SAMPLE_TEAM } from "../../../test/support/sample-team.ts"
import { filesOf } from "../../../test/support/snapshots.ts"
import { isId } from "../../kernel/ids.ts"
import { fields, list, time } from "./file-schema.ts"
import * as format from "./format.ts"

// `UPDATE_DOCS=1 npm test -- files/own/docs` writes examples and schemas again.
const PAGE = "docs/files.md"
const EXAMPLE = /^### `([^`]+)`\n```(\w+)\n([\s\S]*?)```$/gm

it("docs/files.md shows every file of an export as it is", async () => {
  const files = filesOf(SAMPLE_TEAM)
  const page = await Bun.file(PAGE).text()
  const shown: string[] = []
  const made = page.replaceAll(EXAMPLE, (_, path: string, language: string) => {
    shown.push(path)
    const file = files.find((each) => each.path === path)
    return `### \`${path}\`\n\`\`\`${language}\n${file?.content}\`\`\``
  })
  if (process.env.UPDATE_DOCS === "1") await Bun.write(PAGE, made)
  expect(await Bun.file(PAGE).text()).toBe(made)
  const kinds = (paths: readonly string[]) => new Set(paths.map(kindOf))
  const documents = ["wisdom/learnings.md", "documents/tasks%2Fold-plan.md"]
  expect(kinds(shown)).toEqual(kinds(files.map((file) => file.path).filter((path) => !documents.includes(path))))
})

/** One example is enough of the files that are named after what they hold. */
function kindOf(path: string): string {
  return path.replace(/^(tasks|swarm\/workers|inboxes|\.loop-state)\/.*/, "$1")
}

/** The schemas of `docs/schemas/`. Those of swarm.json, agent-status.json and team-session.json, which we never read, are written by hand. */
const SCHEMAS: Record<string, readonly [title: string, schema: v.GenericSchema]> = {
  project: ["project.json: the team as a whole", format.ProjectFile],
  waves: ["waves.json: the waves of the team", format.WavesFile],
  task: ["tasks/{id}.json: one task", format.TaskFile],
  worker: ["swarm/workers/{id}.json: one worker", format.WorkerFile],
  inbox: ["inboxes/{name}.json: the newest messages to one name", format.InboxFile],
  "loop-state": [".loop-state/{terminal_id}.json: a terminal that runs a worker loop", format.LoopFile],
  verification: [
    "verification/wave-{n}.json and verification/final.json: the latest verdict",
    v.union([format.WaveVerification, format.FinalVerification]),
  ],
  documents: ["documents.json: where the team's documents lie", fields({ documents: list(format.DocumentEntry) })],
  "event-line": ["A line of events.jsonl", format.EventLine],
  "message-line": ["A line of messages.jsonl", format.MessageLine],
  "verdict-line": ["A line of verification/verdicts.jsonl", format.VerdictLine],
  "record-line": ["A line of records.jsonl", format.RecordLine],
}

const ID = { maxLength: 64, pattern: "^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$" }
const TIME = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" }

it.each(Object.entries(SCHEMAS))("docs/schemas/%s.schema.json is the schema of the file", async (name, row) => {
  const [title, schema] = row
  const {
    $schema,
    $defs: _,
    ...rest
  } = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode: "input",
    errorMode: "ignore",
    definitions: { time },
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      if (valibotSchema.type === "object") return { ...jsonSchema, additionalProperties: false }
      return valibotSchema.type === "custom" ? { type: "object" } : undefined
    },
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction.type === "safe_integer") return { ...jsonSchema, type: "integer" }
      const isIdCheck = "requirement" in valibotAction && valibotAction.requirement === isId
      return isIdCheck ? { ...jsonSchema, ...ID } : undefined
    },
  })
  const whole = { $schema, $id: `${name}.schema.json`, title, ...rest, $defs: { time: TIME } }
  const made = `${JSON.stringify(whole, null, 2)}\n`
  const file = `docs/schemas/${name}.schema.json`
  if (process.env.UPDATE_DOCS === "1") await Bun.write(file, made)
  expect(await Bun.file(file).text()).toBe(made)
})
