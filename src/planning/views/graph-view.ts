import { cut, oneLine, paint, type Screen } from "../../lib/text/table.ts"
import type { Task } from "../../tasks/task.ts"

const MARKS = {
  open: "[ ]",
  in_progress: "[>]",
  in_review: "[?]",
  paused: "[=]",
  resolved: "[x]",
  failed: "[!]",
  skipped: "[-]",
} as const satisfies Record<Task["status"], string>

export function renderGraph(tasks: readonly Task[], screen: Screen): string {
  if (tasks.length === 0) return "No tasks."
  const waves = Map.groupBy(tasks, (task) => task.wave)
  const order = [...waves].toSorted(([a], [b]) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY))
  const known = waves.size > 1 || !waves.has(null)
  return order
    .map(([wave, some]) => {
      const title = wave === null ? "In no wave" : `Wave ${wave}`
      const lines = some.map((task) => `${known ? "  " : ""}${cut(lineOf(task), screen.columns - 2)}`)
      return [...(known ? [paint(title, "bold", screen.color)] : []), ...lines].join("\n")
    })
    .join("\n")
}

function lineOf({ id, status, title, claimedBy, blockedBy, unmet, qa }: Task): string {
  const isWorkedOn = status === "in_progress" || status === "in_review" || status === "paused"
  const words = [
    ...(isWorkedOn && claimedBy !== null ? [claimedBy] : []),
    ...(status === "open" && unmet > 0 ? ["blocked"] : status === "open" ? [] : [status.replace("_", " ")]),
    ...(isWorkedOn && qa !== null && qa !== "needed" ? [`QA ${qa}`] : []),
  ]
  const after = blockedBy.length === 0 ? "" : ` <- ${blockedBy.join(", ")}`
  return `${MARKS[status]} ${id} ${oneLine(title)}${words.length === 0 ? "" : ` (${words.join(", ")})`}${after}`
}
