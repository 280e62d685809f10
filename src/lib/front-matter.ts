import * as v from "valibot"
import { isMap, isScalar, LineCounter, parseDocument } from "yaml"

/** The values of a front matter, as its schema made them, and the text below it. */
export interface FrontMatter<Value> {
  readonly value: Value
  readonly body: string
  /** The line of a key, from 1; the line of the opening `---` for a key that is not there. */
  lineOf(key: string): number
}

/** What is wrong with a front matter. `problem` begins with `KEY:` when it is about one key. */
export interface FrontMatterProblem {
  readonly problem: string
  readonly line: number
}

interface Options {
  /** Accept values that are not YAML (`description: Use it: always`) as text, and repeated keys: agent programs do. */
  readonly repair?: boolean
}

/** Reads the YAML between two lines of `---` at the top of a file. Every single value is a string: `true`, `12` and an empty one too. */
export function readFrontMatter<const Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
  { repair = false }: Options = {},
): FrontMatter<v.InferOutput<Schema>> | FrontMatterProblem {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  if (lines[0]?.trimEnd() !== "---") return { problem: "the file does not begin with a line ---", line: 1 }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
  if (end === -1) return { problem: "the front matter is not closed with a line ---", line: lines.length }
  // An empty line stands for the opening ---, so the parser counts lines as the file does.
  const source = ["", ...lines.slice(1, end)].join("\n")
  const { value, lineOf, problem } = parse(repair ? quoteBadValues(source) : source, !repair)
  if (problem !== undefined) return problem
  const checked = v.safeParse(schema, value, { abortEarly: true })
  if (checked.success) return { value: checked.output, body: lines.slice(end + 1).join("\n"), lineOf }
  const [{ path, message }] = checked.issues
  const key = path?.[0]?.key
  return typeof key === "string" ? { problem: `${key}: ${message}`, line: lineOf(key) } : { problem: message, line: 1 }
}

function parse(source: string, uniqueKeys: boolean) {
  const lineCounter = new LineCounter()
  const document = parseDocument(source, { schema: "failsafe", prettyErrors: false, lineCounter, uniqueKeys })
  const lineAt = (offset: number) => lineCounter.linePos(offset).line
  const lineOf = (key: string): number => {
    const pairs = isMap(document.contents) ? document.contents.items : []
    const found = pairs.map((pair) => pair.key).find((each) => isScalar(each) && each.value === key)
    return isScalar(found) && found.range ? lineAt(found.range[0]) : 1
  }
  const [error] = document.errors
  if (error !== undefined) return { lineOf, problem: { problem: error.message, line: lineAt(error.pos[0]) } }
  if (document.contents !== null && !isMap(document.contents))
    return { lineOf, problem: { problem: "the front matter is not of the form key: value", line: 2 } }
  try {
    return { lineOf, value: document.toJS() ?? {} }
  } catch (error) {
    // Too many aliases, or one without its anchor.
    return { lineOf, problem: { problem: error instanceof Error ? error.message : String(error), line: 1 } }
  }
}

/** Quotes each top-level value that is no YAML by itself. Lines keep their numbers. */
function quoteBadValues(source: string): string {
  return source.replaceAll(/^([\w-]+)[ \t]*:(.*(?:\n(?![\w-]+[ \t]*:).*)*)/gm, (entry, key: string, value: string) => {
    if (parse(entry, false).problem === undefined) return entry
    const lines = value.split("\n")
    return `${key}: ${JSON.stringify(
      lines
        .map((line) => line.trim())
        .join(" ")
        .trim(),
    )}${"\n".repeat(lines.length - 1)}`
  })
}
