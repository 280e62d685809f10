import type { Document } from "../../kernel/document.ts"
import { compare, type TeamFacts } from "./facts.ts"
import { toFile } from "./file-schema.ts"
import type { OutFile } from "./folder.ts"
import { DocumentEntry } from "./format.ts"
import { jsonFile } from "./json.ts"
import { caseSafeName, fileName } from "./names.ts"

/** No document may replace these files. Lower case, see `placeDocuments`. */
const OWN_FILES = [
  "project.json",
  "waves.json",
  "documents.json",
  "agent-status.json",
  "team-session.json",
  "whiteboard.md",
  "events.jsonl",
  "messages.jsonl",
  "records.jsonl",
]
/** Including folders where a mirror moves files to. */
const OWN_FOLDERS = [
  "tasks",
  "swarm",
  "inboxes",
  "verification",
  "documents",
  "worktrees",
  ".loop-state",
  "edited",
  "replaced",
  ".git",
]
const OWN_PREFIX = ".teamwork"
const MAX_PATH_BYTES = 1000
const MAX_PART_BYTES = 200

/** Every document at its own path, and `documents.json` with authors and times. */
export function documentFiles(facts: TeamFacts): OutFile[] {
  if (facts.documents.length === 0) return []
  const documents = facts.documents.toSorted((a, b) => compare(a.path, b.path))
  const places = placeDocuments(facts)
  const fileOf = (document: Document) => places.get(document.path) ?? document.path
  const index = documents.map((document) => toFile(DocumentEntry, { ...document, file: fileOf(document) }))
  return [
    ...documents.map((document) => ({
      path: fileOf(document),
      content: document.encoding === "base64" ? Buffer.from(document.content, "base64") : document.content,
    })),
    jsonFile("documents.json", { documents: index }),
  ]
}

/**
 * Place by path. A document that collides with a file of the format or an older document goes below `documents/`.
 * Ignores case, as some disks do.
 */
function placeDocuments(facts: TeamFacts): Map<string, string> {
  const own = new Set([...OWN_FILES, projectPage(facts.team.project).toLowerCase()])
  const files = new Set<string>()
  const folders = new Set<string>()
  const places = new Map<string, string>()
  const byAge = facts.documents.toSorted(
    (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || compare(a.path, b.path),
  )
  for (const { path } of byAge) {
    const key = path.toLowerCase()
    const above = foldersAbove(key)
    const isTaken = own.has(key) || files.has(key) || folders.has(key)
    const isFree = isPlain(path) && !isTaken && !above.some((folder) => own.has(folder) || files.has(folder))
    if (isFree) {
      files.add(key)
      for (const folder of above) folders.add(folder)
    }
    places.set(path, isFree ? path : `documents/${caseSafeName(path)}`)
  }
  return places
}

/** `whiteboard.md` is taken. */
export function projectPage(project: string): string {
  const name = fileName(project)
  return name.toLowerCase() === "whiteboard" ? `project-${name}.md` : `${name}.md`
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/")
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"))
}

/** Whether every disk accepts the path, and it is outside of the format's own folders. */
function isPlain(path: string): boolean {
  const parts = path.split("/")
  const [first = ""] = parts
  if (OWN_FOLDERS.includes(first.toLowerCase()) || first.toLowerCase().startsWith(OWN_PREFIX)) return false
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || path !== path.normalize("NFC")) return false
  return parts.every(
    (part) => !/^\.*$|[\p{Cc}\\:*?"<>|]|[. ]$/u.test(part) && Buffer.byteLength(part) <= MAX_PART_BYTES,
  )
}
