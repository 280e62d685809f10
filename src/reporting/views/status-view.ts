import { bar, cut, oneLine, paint, type Screen, table } from "../../lib/text/table.ts"
import type { Task } from "../../tasks/task.ts"
import type { WavePlan } from "../../tasks/wave.ts"
import type { SwarmReport, TeamReport } from "../status.ts"

export function renderTeam(report: TeamReport, screen: Screen): string {
  const { stats } = report
  const done = stats.resolved + stats.skipped
  const barWidth = Math.min(40, Math.max(10, screen.columns - 50))
  const others = (["in_review", "paused", "failed", "skipped"] as const).filter((status) => stats[status] > 0)
  const paused =
    report.status === "active"
      ? ""
      : `  ${report.status}${report.pauseReason === null ? "" : `: ${oneLine(report.pauseReason)}`}`
  const run = report.run === 1 ? "" : `, run ${report.run}`
  const lines = [
    paint(
      cut(`${report.project}/${report.team}${run}  ${report.phase}${paused}`, screen.columns),
      "bold",
      screen.color,
    ),
    cut(`Goal: ${oneLine(report.goal)}`, screen.columns),
    `${bar(done, stats.total, barWidth)} ${stats.progress}%  ${done}/${stats.total} done`,
    cut(
      [
        `open ${stats.open}`,
        `in progress ${stats.in_progress}`,
        `resolved ${stats.resolved}`,
        ...others.map((status) => `${status.replace("_", " ")} ${stats[status]}`),
        `workers ${report.workers.working} of ${report.workers.total} busy`,
      ].join("   "),
      screen.columns,
    ),
  ]
  for (const { command, what } of report.questions)
    lines.push(paint(cut(`Decide: ${command}  ${oneLine(what)}`, screen.columns), "yellow", screen.color))
  if (report.waves.length > 0) lines.push("", renderWaveSummaries(report, screen))
  if (report.tasks !== undefined) lines.push("", renderTasks(report.tasks, screen))
  return lines.join("\n")
}

function renderWaveSummaries(report: TeamReport, screen: Screen): string {
  return table(
    [{ title: "WAVE", align: "right" }, { title: "STATUS" }, { title: "DONE", align: "right" }, { title: "" }],
    report.waves.map((wave) => [
      wave.id === report.currentWave ? `>${wave.id}` : String(wave.id),
      wave.status,
      `${wave.done}/${wave.total}`,
      bar(wave.done, wave.total, 20),
    ]),
    screen,
  )
}

export function renderTasks(tasks: readonly Task[], screen: Screen): string {
  if (tasks.length === 0) return "No tasks."
  return table(
    [
      { title: "ID" },
      { title: "STATUS" },
      { title: "WAVE", align: "right" },
      { title: "ROLE" },
      { title: "OWNER", flexible: true },
      { title: "TITLE", flexible: true },
      { title: "NEEDS", flexible: true },
    ],
    tasks.map((task) => [
      task.id,
      task.status === "open" && task.unmet > 0 ? "blocked" : task.status,
      task.wave === null ? "-" : String(task.wave),
      task.role,
      task.claimedBy ?? "-",
      task.title,
      task.blockedBy.join(","),
    ]),
    screen,
  )
}

export function renderWaves(plan: WavePlan, screen: Screen): string {
  if (plan.totalWaves === 0) return "No waves yet. Lay the tasks out with: teamwork wave calculate"
  return table(
    [
      { title: "WAVE", align: "right" },
      { title: "STATUS" },
      { title: "STARTED" },
      { title: "VERIFIED" },
      { title: "TASKS", flexible: true },
    ],
    plan.waves.map((wave) => [
      wave.id === plan.currentWave ? `>${wave.id}` : String(wave.id),
      wave.status,
      shortTime(wave.startedAt),
      shortTime(wave.verifiedAt),
      wave.tasks.join(" "),
    ]),
    screen,
  )
}

export function renderSwarm(report: SwarmReport, screen: Screen): string {
  const head = `${report.session}  ${report.paused ? "paused" : report.status}  wave ${report.currentWave}`
  if (report.workers.length === 0) return `${head}\nNo workers yet.`
  return `${head}\n${table(
    [
      { title: "WORKER", flexible: true },
      { title: "ROLE" },
      { title: "STATUS" },
      { title: "TASK", flexible: true },
      { title: "DONE", align: "right" },
      { title: "UNREAD", align: "right" },
      { title: "LAST HEARD" },
    ],
    report.workers.map((worker) => [
      worker.id,
      worker.role ?? "-",
      worker.status,
      worker.currentTask ?? "-",
      String(worker.tasksCompleted.length),
      String(worker.unread),
      shortTime(worker.lastHeartbeat),
    ]),
    screen,
  )}`
}

/** Date and time to the second; Z says that it is UTC. */
export function shortTime(iso: string | null): string {
  return iso === null ? "-" : `${iso.slice(0, 19).replace("T", " ")}Z`
}
