// The published schemas of the files of an export, for whoever has such files at hand.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

const SCHEMAS = join(import.meta.dir, "../../docs/schemas")

/** Which schema a path of an export has; the first that fits. Everything else is Markdown or a document. */
const SCHEMA_OF: readonly (readonly [RegExp, string])[] = [
  [/^project\.json$/, "project"],
  [/^waves\.json$/, "waves"],
  [/^tasks\/[^/]+\.json$/, "task"],
  [/^inboxes\/[^/]+\.json$/, "inbox"],
  [/^verification\/(?:wave-\d+|final)\.json$/, "verification"],
  [/^swarm\/swarm\.json$/, "swarm"],
  [/^swarm\/workers\/[^/]+\.json$/, "worker"],
  [/^\.loop-state\/[^/]+\.json$/, "loop-state"],
  [/^agent-status\.json$/, "agent-status"],
  [/^team-session\.json$/, "team-session"],
  [/^documents\.json$/, "documents"],
  [/^events\.jsonl$/, "event-line"],
  [/^messages\.jsonl$/, "message-line"],
  [/^verification\/verdicts\.jsonl$/, "verdict-line"],
  [/^records\.jsonl$/, "record-line"],
]
/** Here every file is one of the format, so one without a schema is misplaced. */
const OWN_FOLDERS = /^(?:tasks|inboxes|verification|swarm|\.loop-state)\//

/** The name of the schema for a path; `undefined` for Markdown and documents. */
export function schemaNameOf(path: string): string | undefined {
  const name = SCHEMA_OF.find(([pattern]) => pattern.test(path))?.[1]
  if (name === undefined && OWN_FOLDERS.test(path)) throw new Error(`${path} is no file of the format`)
  return name
}

/** Throws, with the words of the validator, unless a file of an export is as its schema says. */
export function checkFile(path: string, content: string | Uint8Array): void {
  const name = schemaNameOf(path)
  if (name === undefined) return
  const text = typeof content === "string" ? content : new TextDecoder("utf-8", { fatal: true }).decode(content)
  if (text !== "" && !text.endsWith("\n")) throw new Error(`${path} does not end with a line end`)
  if (path.endsWith(".jsonl")) {
    for (const [index, line] of text.split("\n").slice(0, -1).entries()) check(name, `${path}, line ${index + 1}`, line)
  } else check(name, path, text)
}

function check(schema: string, what: string, text: string): void {
  const validate = validatorOf(schema)
  if (validate(JSON.parse(text))) return
  throw new Error(`${what}: ${ajv.errorsText(validate.errors)}`)
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true })
const validators = new Map<string, ValidateFunction>()

function validatorOf(name: string): ValidateFunction {
  const known = validators.get(name)
  if (known !== undefined) return known
  const made = ajv.compile(JSON.parse(readFileSync(join(SCHEMAS, `${name}.schema.json`), "utf8")))
  validators.set(name, made)
  return made
}
