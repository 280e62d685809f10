import type { TaskId } from "../../kernel/ids.ts"
import { sessionId } from "../../kernel/session-id.ts"
import { oneLine } from "../../lib/text/table.ts"
import { hasInnerLoop, readRoleSpec, specPath } from "../../planning/roles/role-spec.ts"
import { toFinding } from "../../quality/finding.ts"
import { shortTime } from "../../reporting/views/status-view.ts"
import { renderWhiteboard } from "../../reporting/views/whiteboard-view.ts"
import { lifecycleOf } from "../../tasks/qa-state.ts"
import { GENERIC_ROLE, hasEnded, isMet, ROLES, type Role } from "../../tasks/task.ts"
import { completionAction } from "../../teams/completion.ts"
import type { Worker } from "../../workers/worker.ts"
import type { SnapshotTask } from "../snapshot.ts"
import { projectPage } from "./document-files.ts"
import { compare, listWaves, listWorkers, reportSwarm, reportTeam, type TeamFacts } from "./facts.ts"
import type { OutFile } from "./folder.ts"
import { jsonFile, sortKeys } from "./json.ts"

/** Files for people and for readers of other formats. They are never read back. */
export function overviewFiles(facts: TeamFacts): OutFile[] {
  return [
    { path: "WHITEBOARD.md", content: `${whiteboard(facts)}\n` },
    { path: projectPage(facts.team.project), content: projectText(facts) },
    jsonFile("agent-status.json", agentStatus(facts)),
    jsonFile("team-session.json", teamSession(facts)),
  ]
}

function whiteboard(facts: TeamFacts): string {
  const events = facts.latestEvents.map((event) => ({ ...event, data: sortKeys(event.data) }))
  const findings = facts.records.filter(({ kind }) => kind === "finding").map(toFinding)
  return renderWhiteboard({ team: reportTeam(facts), swarm: reportSwarm(facts), events, findings })
}

function projectText(facts: TeamFacts): string {
  const { team } = facts
  const byWave = Map.groupBy(facts.tasks.values(), (task) => task.wave)
  const waves = listWaves(facts)
  const known = new Set<number | null>(waves.map((wave) => wave.id))
  const rest = [...byWave].filter(([wave]) => !known.has(wave)).flatMap(([, tasks]) => tasks)
  return [
    `# ${team.project}`,
    "",
    `Team ${team.team} · ${team.phase} · ${team.status}${team.pauseReason === null ? "" : `: ${oneLine(team.pauseReason)}`} · since ${shortTime(team.createdAt)}`,
    "",
    "## Goal",
    "",
    ...oneBlock(team.goal),
    "",
    ...waves.flatMap((wave) => [`## Wave ${wave.id}: ${wave.status}`, "", ...taskTable(byWave.get(wave.id) ?? []), ""]),
    ...(rest.length === 0 ? [] : [waves.length === 0 ? "## Tasks" : "## In no wave", "", ...taskTable(rest), ""]),
    ...(facts.workers.length === 0 ? [] : ["## Workers", "", ...workerTable(listWorkers(facts)), ""]),
  ].join("\n")
}

/** As a quote, so that no line becomes a heading. */
function oneBlock(text: string): string[] {
  return text.split("\n").map((line) => `> ${oneLine(line)}`.trimEnd())
}

function taskTable(tasks: readonly SnapshotTask[]): string[] {
  return markdownTable(
    ["id", "title", "role", "status", "owner", "needs"],
    tasks.map((task) => [
      task.id,
      task.title,
      task.role,
      task.status,
      task.claimedBy ?? "",
      task.blockedBy.toSorted(compare).join(", "),
    ]),
  )
}

function workerTable(workers: readonly Worker[]): string[] {
  return markdownTable(
    ["worker", "role", "status", "task", "done", "last heard"],
    workers.map((worker) => [
      worker.id,
      worker.role ?? "",
      worker.status,
      worker.currentTask ?? "",
      String(worker.tasksCompleted.length),
      shortTime(worker.lastHeartbeat),
    ]),
  )
}

function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`
  return [line(titles), `|${"---|".repeat(titles.length)}`, ...rows.map(line)]
}

function cell(text: string): string {
  return oneLine(text).replaceAll(/[\\|]/g, "\\$&")
}

function agentStatus(facts: TeamFacts): unknown[] {
  const words = new Map<string, string>()
  for (const task of facts.tasks.values()) {
    const lifecycle = hasEnded(task.status) ? undefined : lifecycleOf(task)
    if (lifecycle !== undefined && task.workerId !== null) words.set(task.workerId, lifecycle.executor)
  }
  const inReview = new Set(
    [...facts.tasks.values()].filter((task) => task.status === "in_review").map((task) => task.workerId),
  )
  const timeouts = timeoutsByWorker(facts)
  return listWorkers(facts).map((worker) => {
    const isInReview = inReview.has(worker.id)
    const phase = agentPhase(worker, isInReview)
    return {
      agentId: worker.id,
      role: worker.role ?? "worker",
      status: words.get(worker.id) ?? agentWord(worker, isInReview),
      phase,
      progress: PROGRESS[phase],
      lastUpdate: worker.lastHeartbeat,
      timeoutHistory: timeouts.get(worker.id) ?? [],
    }
  })
}

function timeoutsByWorker({ setbacks }: TeamFacts): Map<string, unknown[]> {
  const restarts = new Map<TaskId, number>()
  const found = new Map<string, unknown[]>()
  for (const { timestamp, data } of setbacks) {
    if (data.kind !== "timed-out") continue
    const restartCount = restarts.get(data.task) ?? 0
    restarts.set(data.task, restartCount + 1)
    const { worker, reason } = data
    found.set(worker, [...(found.get(worker) ?? []), { timestamp, reason, restartCount }])
  }
  return found
}

const PROGRESS = { skill_discovery: 5, execution: 40, completion: 100 } as const

function agentPhase(worker: Worker, isInReview: boolean): keyof typeof PROGRESS {
  if (worker.currentTask !== null) return "execution"
  return isInReview || worker.tasksCompleted.length > 0 ? "completion" : "skill_discovery"
}

function agentWord(worker: Worker, isInReview: boolean): string {
  if (worker.status !== "idle" && worker.status !== "working" && worker.status !== "spawning") return "PAUSED"
  return isInReview && worker.currentTask === null ? "PENDING_VERIFICATION" : "RUNNING"
}

const RESPONSIBILITY = {
  frontend: "implementation",
  backend: "implementation",
  devops: "implementation",
  test: "implementation",
  docs: "synthesis",
  security: "analysis",
  review: "review",
  worker: "implementation",
} as const satisfies Record<Role, string>

function teamSession(facts: TeamFacts): unknown {
  const { team } = facts
  const tasks = [...facts.tasks.values()]
  const done = tasks.filter((task) => isMet(task.status)).map((task) => task.id)
  return {
    session_id: sessionId(team),
    task_description: team.goal,
    status: sessionStatus(facts),
    team_name: team.team,
    roles: listRoles(facts),
    pipeline: {
      dependency_graph: Object.fromEntries(tasks.map((task) => [task.id, task.blockedBy.toSorted(compare)])),
      tasks_total: tasks.length,
      tasks_completed: done.length,
    },
    active_workers: listWorkers(facts)
      .filter((worker) => worker.status === "working")
      .map((worker) => worker.id),
    completed_tasks: done,
    completion_action: completionAction(facts),
    created_at: team.createdAt,
  }
}

function sessionStatus({ team }: TeamFacts): "active" | "paused" | "completed" {
  if (team.status === "paused") return "paused"
  const isOver = team.phase === "COMPLETE" || ["completed", "failed", "cancelled"].includes(team.status)
  return isOver ? "completed" : "active"
}

function listRoles(facts: TeamFacts): unknown[] {
  const tasks = [...facts.tasks.values()]
  const made = facts.documents.flatMap((document) => readRoleSpec(document) ?? [])
  const isMade = ({ agentType }: SnapshotTask) => made.some(({ name }) => name === agentType)
  const used = new Set([...tasks.filter((task) => !isMade(task)), ...facts.workers].map((each) => each.role))
  if (tasks.length > 0 && tasks.every(isMade)) used.delete(GENERIC_ROLE)
  const paths = new Set(facts.documents.map((document) => document.path))
  const isSerial = (role: Role) =>
    tasks.some((task) => task.role === role && task.blockedBy.some((need) => facts.tasks.get(need)?.role === role))
  const graph = tasks.map(({ id, blockedBy }) => ({ id, needs: blockedBy }))
  return [
    ...ROLES.filter((role) => used.has(role)).map((role) => ({
      name: role,
      prefix: role.toUpperCase(),
      responsibility_type: RESPONSIBILITY[role],
      inner_loop: isSerial(role),
      role_spec: paths.has(specPath(role)) ? specPath(role) : null,
    })),
    ...made.map(({ name, prefix, responsibility = null }) => ({
      name,
      prefix,
      responsibility_type: responsibility,
      inner_loop: hasInnerLoop(prefix, graph),
      role_spec: specPath(name),
    })),
  ]
}
