import { isId } from "../../kernel/ids.ts"
import { TEAM_MODES, type TeamPhase } from "../../kernel/team.ts"
import type { PastEvent, SnapshotTeam } from "../snapshot.ts"
import { buildTeam, PAUSED_BEFORE } from "./build-team.ts"
import { logEntry, pastEntry } from "./foreign-history.ts"
import { asText, asWord, choice, Fields, idOf, isRecord, type Json, readTimes, Time } from "./foreign-json.ts"
import type { ParseContext, ParsedTeam } from "./found-team.ts"
import { makeId, type Source } from "./source.ts"
import { firstLine, readTask, type TaskDraft } from "./task-draft.ts"

const MAIN = "state.json"
const mode = choice(TEAM_MODES)

/**
 * A project of the project manager with executors and QA. `state.json` has everything, in an undocumented shape.
 * The other files are derived from it or are deliverables.
 */
export function parsePmProject(source: Source, context: ParseContext): ParsedTeam {
  const fields = new Fields(source.main(MAIN))
  const { createdAt, updatedAt } = readTimes(fields, context.nowIso)
  const members = ["team", "teamMembers", "team_members", "members", "agents"].reduce<readonly Member[]>(
    (known, name) => mergeMembers(known, readMembers(fields.any(name))),
    [],
  )
  const listed = readListed(source, fields.any("tasks"))
  const tasks = listed.length > 0 ? listed : makeTasks(members)
  const named = fields.text("id", "projectId", "project_id")
  const given = named ?? source.folders[0] ?? fields.text("name", "title") ?? context.defaultProject
  const team = {
    project: source.nameOf(MAIN, given, { what: "project id", fallback: context.defaultProject }),
    team: context.defaultTeam,
    goal: fields.text("goal", "requirement", "requirements", "description", "name", "title") ?? "",
    ...readProgress(fields, tasks),
    mode: fields.read(mode, "mode", "operatingMode") ?? "FULL_AUTO",
    createdAt,
    updatedAt,
  }
  const history = [
    ...readLog(fields.any("logs", "log", "history"), createdAt, ""),
    ...readLog(fields.any("approvals"), createdAt, "approval: "),
    ...members.flatMap((member) => describeMember(member, updatedAt)),
  ]
  source.noteWrong(MAIN, fields)
  return buildTeam(source, { team, tasks, history }, context)
}

interface Member {
  readonly role: string
  readonly record: Json
}

/** A list, or an object with one or several members under each role. */
function readMembers(given: unknown): Member[] {
  if (Array.isArray(given)) return given.flatMap((entry, index) => toMembers(entry, `member-${index + 1}`))
  if (!isRecord(given)) return []
  return Object.entries(given).flatMap(([role, entry]) => {
    if (Array.isArray(entry)) return entry.flatMap((each, index) => toMembers(each, `${role}-${index + 1}`))
    return isRecord(entry) ? toMembers(entry, role) : []
  })
}

function toMembers(entry: unknown, otherwise: string): Member[] {
  if (typeof entry === "string") return entry.trim() === "" ? [] : [{ role: entry.trim(), record: {} }]
  if (!isRecord(entry)) return []
  return [{ role: asText(entry.role ?? entry.name ?? entry.agentId ?? entry.id) ?? otherwise, record: entry }]
}

/** The same role in two places is one member. */
function mergeMembers(known: readonly Member[], more: readonly Member[]): Member[] {
  const merged = known.map(({ role, record }) => {
    const twin = more.find((each) => each.role === role)
    return { role, record: { ...record, ...twin?.record } }
  })
  return [...merged, ...more.filter((each) => !known.some(({ role }) => role === each.role))]
}

function isManager(member: Member): boolean {
  return /^(?:pm|lead|coordinator|project_?manager)$/.test(asWord(member.role))
}

function isQa(member: Member): boolean {
  return /(?:^|_)qa(?:_|$)|quality/.test(asWord(member.role))
}

function readListed(source: Source, given: unknown): TaskDraft[] {
  const list = isRecord(given)
    ? Object.entries(given).map(([id, entry]) => (isRecord(entry) ? { id, ...entry } : entry))
    : Array.isArray(given)
      ? given
      : []
  const taken = new Set(list.map((entry) => (isRecord(entry) ? idOf(entry) : undefined)))
  const tasks = new Map<string, TaskDraft>()
  for (const [index, entry] of list.entries()) {
    const place = String(index + 1)
    const hints = { file: MAIN, id: taken.has(place) ? `task-${place}` : place }
    const read = readTask(isRecord(entry) ? withOwner(entry) : { title: asText(entry) }, hints)
    if (!read.ok) source.change(MAIN, `task ${index + 1} of the list was left out: it ${read.why}`)
    else if (tasks.has(read.task.id)) source.change(MAIN, `task ${read.task.id} is there twice; the first one counts`)
    else {
      source.noteWrong(MAIN, read.fields, `task ${read.task.id}: `)
      tasks.set(read.task.id, read.task)
    }
  }
  return [...tasks.values()]
}

function withOwner(entry: Json): Json {
  const owner = entry.claimed_by ?? entry.owner ?? entry.assignedTo ?? entry.assignee ?? entry.agentId
  return typeof owner === "string" && isId(owner) ? { ...entry, claimed_by: owner } : entry
}

/** Without a list of tasks, each executor is one, and QA is one that needs them. */
function makeTasks(members: readonly Member[]): TaskDraft[] {
  const workers = members.filter((member) => !isManager(member))
  const ids = new Map<Member, string>()
  for (const member of workers) {
    const id = makeId(member.role, "task")
    const taken = [...ids.values()].filter((each) => each === id || each.startsWith(`${id}-`)).length
    ids.set(member, taken === 0 ? id : `${id.slice(0, 60)}-${taken + 1}`)
  }
  const executors = workers.filter((member) => !isQa(member)).map((member) => ids.get(member))
  return workers.flatMap((member) => {
    const { record } = member
    const work = asText(record.task ?? record.assignment ?? record.description) ?? ""
    const read = readTask(
      {
        id: ids.get(member),
        title: firstLine(work) || `Work of ${member.role}`,
        description: work,
        role: isQa(member) ? "review" : member.role,
        agent_type: member.role,
        blocked_by: isQa(member) ? executors : [],
        status: statusOf(record),
        pause_reason: record.pauseReason ?? record.reason,
        claimed_by: record.agentId,
        updated_at: record.lastUpdate,
        completed_at: record.completedAt,
      },
      { file: MAIN },
    )
    return read.ok ? [{ ...read.task, foreignRole: null }] : []
  })
}

/** A member at the end of the last phase is done, whatever its status says. */
function statusOf(record: Json): unknown {
  // Also "40%" and 12.5.
  const progress = Number.parseFloat(asText(record.progress) ?? "")
  const isComplete = asWord(record.phase) === "completion" && progress >= 100
  const hasBegun = progress > 0
  return isComplete ? "completed" : (record.status ?? (hasBegun ? "running" : "open"))
}

const PHASES: Readonly<Record<string, TeamPhase>> = {
  skill_discovery: "PLANNING",
  requirement: "PLANNING",
  skill_research: "PLANNING",
  plan_design: "PLANNING",
  awaiting_approval: "PLANNING",
  execution: "EXECUTION",
  executing: "EXECUTION",
  verification: "VERIFICATION",
  qa: "VERIFICATION",
  completion: "VERIFICATION",
  complete: "COMPLETE",
  completed: "COMPLETE",
  delivered: "COMPLETE",
}

function readProgress(
  fields: Fields,
  tasks: readonly TaskDraft[],
): Pick<SnapshotTeam, "phase" | "status" | "pauseReason"> {
  const status = asWord(fields.text("status"))
  const isDone = tasks.length > 0 && tasks.every((task) => task.state === "resolved" || task.state === "skipped")
  const given = asWord(fields.text("phase", "currentPhase"))
  const phase =
    PHASES[given] ?? PHASES[status] ?? (tasks.some((task) => task.state !== "open") ? "EXECUTION" : "PLANNING")
  const isComplete = PHASES[status] === "COMPLETE" || phase === "COMPLETE" || (given === "completion" && isDone)
  if (isComplete) return { phase: "COMPLETE", status: "completed", pauseReason: null }
  const pauseReason = fields.text("pauseReason") ?? PAUSED_BEFORE
  if (status === "paused") return { phase, status: "paused", pauseReason }
  const ended = (["failed", "cancelled"] as const).find((each) => each === status)
  return { phase, status: ended ?? "active", pauseReason: null }
}

function describeMember({ role, record }: Member, otherwise: string): PastEvent[] {
  const fields = new Fields(record)
  const by = fields.text("agentId")
  const timestamp = fields.read(Time, "lastUpdate", "updatedAt") ?? otherwise
  const status = fields.text("status")
  const [phase, progress] = [fields.text("phase"), fields.text("progress")]
  const said = [status === undefined ? "" : `was ${status}`, phase === undefined ? "" : `in phase ${phase}`]
  if (progress !== undefined) said.push(`at ${progress} %`)
  const parts = said.filter((part) => part !== "")
  const state = parts.length === 0 ? [] : [pastEntry(`${role} ${parts.join(" ")}`, timestamp, by)]
  return [...readLog(fields.any("timeoutHistory"), timestamp, `${role} timed out: `), ...state]
}

function readLog(given: unknown, otherwise: string, prefix: string): PastEvent[] {
  const entries = Array.isArray(given) ? given : []
  return entries.flatMap((entry) => logEntry(entry, otherwise, prefix) ?? [])
}
