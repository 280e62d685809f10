import type { TeamPhase } from "../../kernel/team.ts"
import { ROLES } from "../../tasks/task.ts"
import type { SnapshotMessage, SnapshotTeam } from "../snapshot.ts"
import { buildTeam, PAUSED_BEFORE } from "./build-team.ts"
import {
  as,
  asText,
  asWord,
  Fields,
  Ids,
  idOf,
  isRecord,
  type Json,
  JsonObject,
  List,
  parseJsonText,
  readTimes,
} from "./foreign-json.ts"
import { readMessages } from "./foreign-messages.ts"
import type { ParseContext, ParsedTeam } from "./found-team.ts"
import type { Source } from "./source.ts"
import { readTask, type TaskDraft } from "./task-draft.ts"

const MAIN = "team-session.json"
const ANALYSIS = "task-analysis.json"
const MESSAGES = ".msg/messages.jsonl"

/** A session of the coordinator with generated roles. */
export function parseTcSession(source: Source, context: ParseContext): ParsedTeam {
  const fields = new Fields(source.main(MAIN))
  const times = readTimes(fields, context.nowIso)
  const tasks = readTasks(source, fields)
  const given = fields.text("session_id") ?? source.folders[0] ?? fields.text("team_name") ?? context.defaultTeam
  const team = {
    project: context.defaultProject,
    team: source.nameOf(MAIN, given, { what: "session id", fallback: context.defaultTeam }),
    goal: fields.text("task_description", "goal", "requirement") ?? "",
    ...readProgress(source, fields, tasks),
    ...times,
  }
  source.noteWrong(MAIN, fields)
  return buildTeam(source, { team, tasks, messages: readLog(source, team) }, context)
}

function readProgress(
  source: Source,
  fields: Fields,
  tasks: readonly TaskDraft[],
): Pick<SnapshotTeam, "phase" | "status" | "pauseReason"> {
  const status = asWord(fields.text("status") ?? "active")
  const phase: TeamPhase = tasks.some((task) => task.state !== "open") ? "EXECUTION" : "PLANNING"
  switch (status) {
    case "completed":
      return { phase: "COMPLETE", status: "completed", pauseReason: null }
    case "paused":
      return { phase, status: "paused", pauseReason: PAUSED_BEFORE }
    case "active":
      return { phase, status: "active", pauseReason: null }
    default:
      source.change(MAIN, `the status ${status} is not known; the team is active`)
      return { phase, status: "active", pauseReason: null }
  }
}

function readTasks(source: Source, fields: Fields): TaskDraft[] {
  const analysis = source.files.includes(ANALYSIS) ? source.json(ANALYSIS) : undefined
  const pipeline = new Fields(fields.read(JsonObject, "pipeline") ?? {})
  const records = new Map<string, Json>()
  // The session is newer than the analysis, so it wins.
  const lists = [...findTaskLists(analysis), pipeline.any("dependency_graph", "tasks")]
  for (const record of lists.flatMap((list) => readGraph(list))) {
    const id = idOf(record) ?? ""
    records.set(id, { ...records.get(id), ...record })
  }
  const done = namedTasks(fields.read(List, "completed_tasks") ?? fields.read(List, "completedTasks"))
  for (const [id, record] of done) records.set(id, { ...records.get(id), ...record, id, status: "completed" })
  for (const [id, record] of namedTasks(fields.read(List, "active_workers"))) {
    const known = records.get(id)
    if (known !== undefined && !done.has(id)) records.set(id, { ...known, ...ownerOf(record), status: "in_progress" })
  }
  const roles = readRoles(fields.any("roles"))
  return [...records.values()].flatMap((record) => readNode(source, record, roles))
}

function findTaskLists(analysis: unknown): unknown[] {
  if (Array.isArray(analysis)) return [analysis]
  return isRecord(analysis) ? [analysis.dependency_graph, analysis.tasks ?? analysis.subtasks] : []
}

function readGraph(graph: unknown): Json[] {
  if (Array.isArray(graph)) return graph.flatMap((node) => toNode(node))
  if (!isRecord(graph)) return []
  if (Array.isArray(graph.tasks)) return readGraph(graph.tasks)
  if (Array.isArray(graph.nodes)) return addEdges(readGraph(graph.nodes), graph.edges)
  return Object.entries(graph).map(([id, node]) =>
    isRecord(node) ? { id, ...node } : { id, blocked_by: as(Ids, node) ?? [] },
  )
}

function toNode(node: unknown): Json[] {
  if (isRecord(node)) return [node]
  const id = asText(node)
  return id === undefined ? [] : [{ id }]
}

/** An edge goes from a task to one that needs it. */
function addEdges(nodes: readonly Json[], edges: unknown): Json[] {
  const needs = new Map<string, string[]>()
  for (const edge of Array.isArray(edges) ? edges : []) {
    const [from, to] = Array.isArray(edge)
      ? edge
      : isRecord(edge)
        ? [edge.from ?? edge.source, edge.to ?? edge.target]
        : []
    const [before, after] = [asText(from), asText(to)]
    if (before !== undefined && after !== undefined) needs.set(after, [...(needs.get(after) ?? []), before])
  }
  return nodes.map((node) => {
    const own = needs.get(idOf(node) ?? "")
    return own === undefined ? node : { ...node, blocked_by: own }
  })
}

function namedTasks(list: readonly unknown[] | undefined): Map<string, Json> {
  const named = new Map<string, Json>()
  for (const entry of list ?? []) {
    if (!isRecord(entry)) named.set(asText(entry) ?? "", {})
    else
      named.set(
        (asText(entry.task_id ?? entry.taskId ?? entry.task ?? entry.task_name ?? entry.id) ?? "").trim(),
        entry,
      )
  }
  named.delete("")
  return named
}

function ownerOf(record: Json): Json {
  const owner = asText(
    record.agent_id ?? record.worker_id ?? record.worker ?? record.name ?? record.owner ?? record.role,
  )
  return owner === undefined ? {} : { claimed_by: owner, claimed_at: record.started_at ?? record.spawned_at ?? null }
}

interface RoleName {
  readonly name: string
  readonly prefix: string
}

function readRoles(list: unknown): RoleName[] {
  const roles = (Array.isArray(list) ? list : []).filter(isRecord).map((role) => ({
    name: asText(role.name) ?? "",
    prefix: (asText(role.prefix) ?? "").toLowerCase(),
  }))
  const named = roles.filter((role) => role.name !== "" && role.prefix !== "")
  return named.sort((a, b) => b.prefix.length - a.prefix.length)
}

function readNode(source: Source, record: Json, roles: readonly RoleName[]): TaskDraft[] {
  const id = idOf(record) ?? ""
  const named = asText(record.role) ?? roles.find((role) => id.toLowerCase().startsWith(role.prefix))?.name
  const title = named === undefined ? id : `${id} (${named})`
  // Roles are made for each session and rarely match ours: they become the agent type.
  const role = ROLES.find((each) => each === asWord(named))
  const agentType = asText(record.agent_type ?? record.agentType) ?? named ?? null
  const read = readTask({ ...record, role, agent_type: agentType }, { file: MAIN, title })
  if (!read.ok) {
    source.change(MAIN, `a task was left out: it ${read.why}`)
    return []
  }
  source.noteWrong(MAIN, read.fields, `task ${id}: `)
  return [read.task]
}

/** One message per line. The last line may be cut off. */
function readLog(source: Source, team: Pick<SnapshotTeam, "project" | "team" | "createdAt">): SnapshotMessage[] {
  const bytes = source.files.includes(MESSAGES) ? source.bytes(MESSAGES) : undefined
  if (bytes === undefined) return []
  const entries: unknown[] = []
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue
    const parsed = parseJsonText(line)
    if (parsed.ok) entries.push(parsed.value)
    else source.change(MESSAGES, `line ${index + 1} ${parsed.why}; it was left out`)
  }
  const name = `${team.project}/${team.team}\n${MESSAGES}`
  const box = { file: MESSAGES, name, inbox: null, otherwise: team.createdAt, isRead: true }
  const { messages, parts } = readMessages(source, entries, { box, used: new Set() })
  source.takeOver(MESSAGES, ...parts)
  return messages
}
