import { followLinks } from "../../lib/follow-links.ts"
import { findWriteProblem } from "../../ownership/owned-files.ts"
import type { AgentJob } from "../port.ts"
import { acpFacts } from "./facts.ts"

export interface Wish {
  readonly name: string
  /** As the agent reports it: read, edit, delete, move, search, execute, think, fetch, switch_mode, other. */
  readonly kind: string
  /** Where the agent names it. */
  readonly server: string
  /** As far as the agent names them. */
  readonly files: readonly string[]
}

const WRITING_KINDS: ReadonlySet<string> = new Set(acpFacts.tools.writing)
const READING_KINDS = new Set(["read", "search", "think"])

export function isWritingKind(kind: string): boolean {
  return WRITING_KINDS.has(kind)
}

export function isFree({ permission, ownership, deniedTools }: AgentJob): boolean {
  return permission === "full" && ownership === null && deniedTools.length === 0
}

/** Undefined when the job permits the call. */
export function findObjection(job: AgentJob, wish: Wish): string | undefined {
  const { name, kind, files } = wish
  if (isNamed(job.deniedTools.map(withoutRule), wish)) return `${name} is denied`
  const isWriting = isWritingKind(kind) || files.length > 0
  const foreign = isWriting ? findObjectionToWrite(job, files) : undefined
  if (foreign !== undefined) return foreign
  if (job.permission === "full" || isNamed(job.allowedTools, wish)) return undefined
  if (isWriting) return job.permission === "edit" ? undefined : "writing files is not permitted"
  if (READING_KINDS.has(kind) || isOfServer(job, wish)) return undefined
  return `${name} is not among the allowed tools`
}

/** We cannot check "Bash(rm *)", so the whole tool is denied. */
function withoutRule(tool: string): string {
  return tool.replace(/\(.*\)$/, "")
}

function isNamed(tools: readonly string[], { name, kind }: Wish): boolean {
  return tools.some((tool) => tool === name || tool === kind || new Bun.Glob(tool).match(name))
}

/**
 * Refuses files that the task does not own. Without ownership, `edit` ends at the workspace and `full` has no
 * limit.
 */
function findObjectionToWrite(job: AgentJob, files: readonly string[]): string | undefined {
  const { ownership, permission, workspace } = job
  if (ownership === null && permission === "full") return undefined
  if (files.length === 0 && ownership !== null) return "it does not say which files it writes"
  return findWriteProblem({ workspace, ownership }, files, followLinks)
}

const OUR_SERVERS_KINDS = new Set(["other", "read", "search", "think", ""])

/** mcp__notes__add, mcp_notes_add, notes_add, notes.add: agents join server and tool differently. */
function isOfServer({ mcpServers }: AgentJob, { name, kind, server: named }: Wish): boolean {
  if (named !== "") return Object.hasOwn(mcpServers, named)
  if (!OUR_SERVERS_KINDS.has(kind)) return false
  const plain = name.replace(/^mcp__?/, "")
  return Object.keys(mcpServers).some(
    (server) => plain.startsWith(server) && "_./:".includes(plain.charAt(server.length) || " "),
  )
}
