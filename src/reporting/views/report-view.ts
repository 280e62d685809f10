import { sayBudget } from "../../kernel/budget.ts"
import { type Column, cut, manyLines, oneLine, paint, type Screen, table, width } from "../../lib/text/table.ts"
import { summarizeStandings } from "../../quality/baseline.ts"
import { countFindings, FINDING_STATUSES, placeOf } from "../../quality/finding.ts"
import type { AgentUse } from "../agent-use.ts"
import type { NamedCost } from "../cost.ts"
import type { Report, Result, TaskReport } from "../report.ts"
import { amount, describeCost, exactDuration, percent, shortCost } from "./amounts.ts"
import { shortTime } from "./status-view.ts"

type Fact = readonly [name: string, text: string]

interface Grid {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
}

export function renderReport(report: Report, screen: Screen): string {
  const facts = listFacts(report)
  const size = Math.max(...facts.map(([name]) => name.length)) + 2
  const title = (text: string) => paint(text, "bold", screen.color)
  const section = (name: string, lines: readonly string[]) => (lines.length === 0 ? [] : ["", title(name), ...lines])
  const grid = ({ columns, rows }: Grid) => (rows.length === 0 ? [] : [table(columns, rows, screen)])
  return [
    title(cut(`TEAM REPORT  ${nameOf(report)}`, screen.columns)),
    ...facts.flatMap(([name, text]) => hang(name.padEnd(size), text, screen.columns)),
    ...section("WORKERS", listWorkers(report, screen)),
    ...section("TASKS", listTasks(report, screen)),
    ...section("FAILED", listFailed(report, screen)),
    ...section("FINDINGS", grid(findingGrid(report))),
    ...section("COST", grid(costGrid(report))),
    ...section(
      "NOTES",
      report.notes.flatMap((note) => hang("- ", oneLine(note), screen.columns)),
    ),
    ...section(
      "LEFT TO DO",
      report.left.flatMap(({ what, command }) => [...hang("- ", oneLine(what), screen.columns), `    ${command}`]),
    ),
  ].join("\n")
}

export function renderReportMarkdown(report: Report): string {
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `## ${name}`, "", ...lines]
  return [
    `# Report of ${nameOf(report)}`,
    "",
    manyLines(report.goal),
    "",
    ...listFacts(report)
      .filter(([name]) => name !== "Goal")
      .map(([name, text]) => `- **${name}:** ${cellText(text)}`),
    ...section("Workers", markdownTable(withAgents(workerGrid(report), report))),
    ...section("Tasks", markdownTable(taskGrid(report))),
    ...section("Failed", report.failures.flatMap(markdownFailure)),
    ...section("Findings", markdownTable(findingGrid(report))),
    ...section("Cost", markdownTable(costGrid(report))),
    ...section(
      "Notes",
      report.notes.map((note) => `- ${cellText(note)}`),
    ),
    ...section(
      "Left to do",
      report.left.map(({ what, command }) => `- ${cellText(what)}: \`${command}\``),
    ),
  ].join("\n")
}

function nameOf({ project, team, run }: Report): string {
  return `${project}/${team}${run === 1 ? "" : `, run ${run}`}`
}

function listFacts(report: Report): Fact[] {
  const { outcome, phase, template, startedAt, durationMs, done, total, workers, idleShare, cascade, cost } = report
  const took =
    durationMs === null ? "" : `, ${report.endedAt === null ? "so far" : "took"} ${exactDuration(durationMs)}`
  const count = (status: string) => report.tasks.filter((task) => task.status === status).length
  const others = (["failed", "skipped", "paused", "in_progress", "in_review", "open"] as const).filter(
    (each) => count(each) > 0,
  )
  const idle = idleShare === null ? "" : `, idle ${percent(idleShare)} of their time`
  return [
    ["Goal", oneLine(report.goal)],
    ["Outcome", `${outcome}, phase ${phase}`],
    ...(template === null ? [] : [["Template", oneLine(template)] as const]),
    ["Started", startedAt === null ? "not yet" : `${shortTime(startedAt)}${took}`],
    [
      "Tasks",
      [`${done}/${total} done`, ...others.map((each) => `${each.replace("_", " ")} ${count(each)}`)].join(", "),
    ],
    ["Workers", `${workers.length}${idle}`],
    ...deliverableFact(report),
    ...(report.deliveredWithout.length === 0
      ? []
      : [["Delivered", `without ${report.deliveredWithout.map(oneLine).join("; ")}`] as const]),
    ...report.deliveryNotes.map((note): Fact => ["Target", oneLine(note)]),
    ...baselineFact(report),
    ...report.results.map((result): Fact => [NAMES[result.what], describeResult(result)]),
    ...findingFact(report),
    ...(cascade.total === 0 ? [] : [["Cascade", `${cascade.done}/${cascade.total} follow-up tasks done`] as const]),
    [
      "Cost",
      cost.total.runs === 0 ? "no run of an agent" : `${describeCost(cost.total)} in ${plural(cost.total.runs, "run")}`,
    ],
    ...ownWordsFact(report),
    ...(cost.budget === null ? [] : [["Budget", sayBudget(cost.budget)] as const]),
    ...pathFact(report),
  ]
}

/** An estimate; what the agents' programs add is unknown. */
function ownWordsFact({ cost: { ownWords } }: Report): Fact[] {
  const { runs, tokens, sentTokens } = ownWords
  if (runs === 0 || sentTokens === 0) return []
  const share = percent(tokens / sentTokens)
  return [
    ["Own words", `${amount(tokens)} tokens of teamwork in ${plural(runs, "run")}, ${share} of what it sent them`],
  ]
}

function findingFact({ findings }: Report): Fact[] {
  const counts = FINDING_STATUSES.flatMap((status) => {
    const some = findings.filter((finding) => finding.status === status)
    return some.length === 0 ? [] : [`${status}: ${countFindings(some)}`]
  })
  return counts.length === 0 ? [] : [["Findings", counts.join("; ")]]
}

/** Without fixed ones. */
function findingGrid({ findings }: Report): Grid {
  const shown = findings.filter(({ status }) => status !== "fixed")
  return {
    columns: [
      ...[
        { title: "NO" },
        { title: "SEVERITY" },
        { title: "STATUS" },
        { title: "TASK" },
        { title: "PLACE", flexible: true },
      ],
      { title: "FINDING", flexible: true },
    ],
    rows: shown.map((finding) => [
      ...[String(finding.number), finding.severity, finding.status, finding.taskId ?? "-", placeOf(finding) ?? "-"],
      `${finding.text}${finding.status === "waived" ? ` (waived by ${finding.waivedBy}: ${finding.reason})` : ""}`,
    ]),
  }
}

function deliverableFact({ deliverables }: Report): Fact[] {
  if (deliverables.length === 0) return []
  return [
    ["Deliverables", deliverables.map(({ type, tasks }) => `${type} of ${plural(tasks.length, "task")}`).join(", ")],
  ]
}

/** Only where something was not green. */
function baselineFact({ baseline }: Report): Fact[] {
  const gates = baseline?.gates.filter(({ state }) => state !== "absent" && state !== "off") ?? []
  if (gates.every(({ state, flaky }) => state === "green" && flaky === null)) return []
  return [["Before", oneLine(summarizeStandings(gates))]]
}

const NAMES = { build: "Build", lint: "Lint", tests: "Tests", final: "Final gate", review: "Review" } as const

function describeResult({ status, detail }: Result): string {
  if (status === null) return "not run"
  return detail === null ? status : `${status}: ${oneLine(detail)}`
}

function pathFact({ criticalPath: { tasks, workMs, share } }: Report): Fact[] {
  if (tasks.length === 0) return []
  const chain = tasks.map(({ id, workMs: ms }) => `${id} (${exactDuration(ms)})`).join(" > ")
  const part = share === null ? "" : `, ${percent(share)} of the time`
  return [["Critical path", `${chain}: ${exactDuration(workMs)}${part}`]]
}

function workerGrid({ workers, cost }: Report): Grid {
  const spent = new Map(cost.byWorker.map((each) => [each.name, each]))
  const right = { align: "right" } as const
  return {
    columns: [
      ...[
        { title: "WORKER", flexible: true },
        { title: "ROLE" },
        { title: "DONE", ...right },
        { title: "BUSY", ...right },
      ],
      ...[
        { title: "IDLE", ...right },
        { title: "CRASHES", ...right },
        { title: "SETBACKS", ...right },
      ],
      { title: "COST", flexible: true },
    ],
    rows: workers.map((worker) => [
      ...[worker.id, worker.role ?? "-", String(worker.done), exactDuration(worker.busyMs)],
      ...[worker.idleShare === null ? "-" : percent(worker.idleShare), String(worker.crashes), String(worker.setbacks)],
      describeSpent(spent.get(worker.id)),
    ]),
  }
}

/** Programs and models go below each worker, for lack of room. */
function listWorkers(report: Report, screen: Screen): string[] {
  const { columns, rows } = workerGrid(report)
  if (rows.length === 0) return []
  const [head = "", ...lines] = table(columns, rows, screen).split("\n")
  const named = lines.flatMap((line, index) => {
    const agents = report.workers[index]?.agents ?? []
    return [line, ...(agents.length === 0 ? [] : hang("        ", oneLine(describeAgents(agents)), screen.columns))]
  })
  return [head, ...named]
}

function withAgents({ columns, rows }: Grid, { workers }: Report): Grid {
  return {
    columns: [...columns, { title: "AGENT" }],
    rows: rows.map((row, index) => [...row, describeAgents(workers[index]?.agents ?? [])]),
  }
}

/** `claude opus, codex gpt-5.5 (2 runs)` */
function describeAgents(agents: readonly AgentUse[]): string {
  const names = agents.map(({ agent, model, runs }) =>
    [agent, ...(model === null ? [] : [model]), ...(runs === 1 ? [] : [`(${runs} runs)`])].join(" "),
  )
  return names.join(", ") || "-"
}

function describeSpent(cost: NamedCost | undefined): string {
  return cost === undefined ? "-" : describeCost(cost)
}

/** `[DONE] 1 Schema of items  w1  58s  $0.25`, with notes below. */
function listTasks({ tasks, cost }: Report, screen: Screen): string[] {
  if (tasks.length === 0) return []
  const spent = new Map(cost.byTask.map((each) => [each.name, each]))
  const [head = "", ...lines] = table(
    [
      { title: "" },
      { title: "TASK", flexible: true },
      { title: "WORKER", flexible: true },
      { title: "ROLE" },
      { title: "AGENT", flexible: true },
      { title: "TIME", align: "right" },
      { title: "COST" },
    ],
    tasks.map(({ id, title, mark, worker, role, agents, workMs }) => [
      ...[`[${mark}]`, `${id} ${title}`, worker ?? "-", role, describeAgents(agents)],
      ...[workMs === 0 ? "-" : exactDuration(workMs), shortCost(spent.get(id))],
    ]),
    screen,
  ).split("\n")
  const noted = lines.flatMap((line, index) => {
    const { mark, notes } = tasks[index] as TaskReport
    const colored = line.replace(`[${mark}]`, paint(`[${mark}]`, MARK_STYLES[mark], screen.color))
    return [colored, ...hang("        ", notes.map((note) => `[${oneLine(note)}]`).join(" "), screen.columns)]
  })
  return [head, ...noted]
}

const MARK_STYLES = { DONE: "green", FAIL: "red", SKIP: "dim", OPEN: "dim", BUSY: "cyan", HOLD: "yellow" } as const

function taskGrid({ tasks, cost }: Report): Grid {
  const spent = new Map(cost.byTask.map((each) => [each.name, each]))
  return {
    columns: [
      { title: "" },
      { title: "TASK" },
      { title: "WORKER" },
      { title: "ROLE" },
      { title: "AGENT" },
      { title: "TIME" },
      { title: "COST" },
      { title: "NOTES" },
    ],
    rows: tasks.map(({ id, title, mark, worker, role, agents, workMs, notes }) => [
      ...[`[${mark}]`, `${id} ${title}`, worker ?? "-", role, describeAgents(agents)],
      workMs === 0 ? "-" : exactDuration(workMs),
      ...[describeSpent(spent.get(id)), notes.map((note) => `[${note}]`).join(" ")],
    ]),
  }
}

function listFailed({ failures }: Report, { columns }: Screen): string[] {
  return failures.flatMap(({ of, reason, output }) => [
    ...hang("- ", `${of}: ${oneLine(reason)}`, columns),
    ...output.map((line) => cut(`      ${manyLines(line)}`, columns)),
  ])
}

function markdownFailure({ of, reason, output }: Report["failures"][number]): string[] {
  const lines = output.map((line) => `      ${manyLines(line)}`)
  return [`- ${of}: ${cellText(reason)}`, ...(lines.length === 0 ? [] : ["", ...lines, ""])]
}

function costGrid({ cost }: Report): Grid {
  return {
    columns: [
      { title: "AGENT", flexible: true },
      { title: "RUNS", align: "right" },
      { title: "COST", flexible: true },
    ],
    rows: cost.byAgent.map((each) => [each.name, String(each.runs), describeCost(each)]),
  }
}

/** Wraps words; later lines are indented. */
function hang(begin: string, text: string, columns: number): string[] {
  if (text === "") return []
  const room = Math.max(8, columns - width(begin))
  const lines: string[] = []
  let line = ""
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (width(longer) <= room) line = longer
    else {
      if (line !== "") lines.push(line)
      line = cut(word, room)
    }
  }
  return [...lines, line].map((each, index) => `${index === 0 ? begin : " ".repeat(width(begin))}${each}`)
}

function markdownTable({ columns, rows }: Grid): string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) => `| ${cells.map(cellText).join(" | ")} |`
  const titles = columns.map(({ title }) => `${title.slice(0, 1)}${title.slice(1).toLowerCase()}`)
  return [
    line(titles),
    `|${columns.map(({ align }) => (align === "right" ? "---:|" : "---|")).join("")}`,
    ...rows.map(line),
  ]
}

/** Foreign text must not end a cell or begin a tag. */
function cellText(text: string): string {
  return oneLine(text).replaceAll("|", "\\|").replaceAll("<", "&lt;")
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`
}
