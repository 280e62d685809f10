import { PERSON } from "../../kernel/actor.ts"
import type { Document } from "../../kernel/document.ts"
import type { Source } from "./source.ts"

const MAX_BYTES = 5_000_000

/** Folders whose files keep their place, and our name for each. */
const PLACES: Readonly<Record<string, string>> = {
  wisdom: "wisdom",
  "role-specs": "role-specs",
  artifacts: "artifacts",
  explorations: "explorations",
  discussions: "discussions",
  deliverables: "artifacts",
  issues: "issues",
}

export function readDocuments(source: Source, times: Pick<Document, "createdAt" | "updatedAt">): Document[] {
  const documents = new Map<string, Document>()
  for (const file of source.listKept()) {
    const bytes = source.bytes(file)
    if (bytes === undefined) continue
    if (bytes.length > MAX_BYTES) {
      source.skip(file, `is larger than ${MAX_BYTES / 1_000_000} MB`)
      continue
    }
    const wanted = placeOf(file)
    const path = documents.has(wanted) ? `imported/${file}` : wanted
    documents.set(path, { path, ...encode(bytes), by: PERSON, ...times })
  }
  return [...documents.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function placeOf(file: string): string {
  const slash = file.indexOf("/")
  const place = slash === -1 ? undefined : PLACES[file.slice(0, slash)]
  return place === undefined ? `imported/${file}` : place + file.slice(slash)
}

/** As text if it is UTF-8 without NUL, which no store accepts in a text. */
function encode(bytes: Uint8Array): Pick<Document, "content" | "encoding"> {
  try {
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!content.includes("\0")) return { content, encoding: "utf8" }
  } catch {
    // Not UTF-8: kept as bytes below.
  }
  return { content: Buffer.from(bytes).toString("base64"), encoding: "base64" }
}
