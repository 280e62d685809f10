import { firstLine } from "../../lib/text/last-lines.ts"
import { bar, manyLines, oneLine } from "../../lib/text/table.ts"
import { type Finding, nameFinding, sortBySeverity } from "../../quality/finding.ts"
import { findWait } from "../../tasks/readiness.ts"
import type { Task } from "../../tasks/task.ts"
import type { SwarmReport, TeamReport } from "../status.ts"
import { describeEvent, type ShownEvent } from "./events-view.ts"

export interface WhiteboardFacts {
  readonly team: TeamReport
  readonly swarm: SwarmReport
  readonly events: readonly ShownEvent[]
  readonly findings?: readonly Finding[]
}

export function renderWhiteboard({ team, swarm, events, findings = [] }: WhiteboardFacts): string {
  const tasks = team.tasks ?? []
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${title}`, "", ...lines, ""]
  const open = tasks.filter((task) => task.status === "open")
  const isReady = (task: Task) => findWait(task, team) === undefined
  const named = (status: string) => tasks.filter((task) => task.status === status)
  const item = (task: Task) => `- **${task.id}** ${oneLine(task.title)}`
  return [
    `# ${team.project}/${team.team}`,
    "",
    manyLines(team.goal),
    "",
    `**${team.phase}** · ${team.status} · ${bar(team.stats.resolved + team.stats.skipped, team.stats.total, 20)} ${team.stats.progress}% of ${team.stats.total} tasks`,
    "",
    ...section(
      "Waits for a person",
      team.questions.map(({ what, command }) => `- ${oneLine(firstLine(what))}: \`${command}\``),
    ),
    ...section(
      "Open findings",
      sortBySeverity(findings.filter(({ status }) => status === "open")).map((each) => `- ${nameFinding(each)}`),
    ),
    ...section(
      "In progress",
      [...named("in_progress"), ...named("in_review")].map(
        (task) => `${item(task)}: ${task.claimedBy}, since ${task.claimedAt}`,
      ),
    ),
    ...section(
      "Ready",
      open.filter(isReady).map((task) => `${item(task)} (${task.role})`),
    ),
    ...section(
      "Blocked",
      open
        .filter((task) => !isReady(task))
        .map((task) => `${item(task)}: waits for ${task.unmet > 0 ? task.blockedBy.join(", ") : `wave ${task.wave}`}`),
    ),
    ...section(
      "Paused",
      named("paused").map(
        (task) => `${item(task)}${task.pauseReason === null ? "" : `: ${oneLine(task.pauseReason)}`}`,
      ),
    ),
    ...section("Failed", named("failed").map(item)),
    ...section(
      "Waves",
      team.waves.map((wave) => `- wave ${wave.id}: ${wave.status}, ${wave.done}/${wave.total}`),
    ),
    ...section(
      "Workers",
      swarm.workers.map(
        (worker) =>
          `- **${worker.id}** ${worker.role ?? "any role"}: ${worker.status}${worker.currentTask === null ? "" : ` on ${worker.currentTask}`}, ${worker.tasksCompleted.length} done`,
      ),
    ),
    ...section(
      "Lately",
      events.map((event) => `- ${describeEvent(event)}`),
    ),
  ]
    .join("\n")
    .trimEnd()
}
