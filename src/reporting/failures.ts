import { splitReason } from "../lib/text/last-lines.ts"
import { excerptFailure } from "../quality/failure-excerpt.ts"
import type { Verdict } from "../quality/verdict.ts"
import type { TeamView } from "./team-view.ts"

/** A failure that still stands, with its last output. */
export interface Failure {
  /** `task 3`, `gate of wave 1`, `final gate` */
  readonly of: string
  readonly task: string | null
  readonly reason: string
  readonly output: readonly string[]
}

export function listFailures(view: TeamView, verdicts: readonly Verdict[]): Failure[] {
  return [...ofTasks(view), ...ofGates(verdicts)]
}

function ofTasks({ tasks, history }: TeamView): Failure[] {
  return [...tasks.values()].flatMap(({ id, status, pauseReason }) => {
    if (status !== "failed" && status !== "paused") return []
    const why = status === "failed" ? history.tasks.get(id)?.reason : pauseReason
    if (why === null || why === undefined || why === "") return []
    const { what, lines } = splitReason(why)
    return [{ of: `task ${id}`, task: id, reason: what, output: lines }]
  })
}

/** The latest verdict of each gate on the whole. */
function ofGates(verdicts: readonly Verdict[]): Failure[] {
  const ofAll = verdicts.filter(({ scope }) => scope === "wave" || scope === "final")
  const last = new Map(ofAll.map((verdict) => [`${verdict.scope} ${verdict.subject}`, verdict]))
  return [...last.values()].flatMap((verdict) => {
    const excerpt = excerptFailure(verdict)
    if (excerpt === undefined) return []
    const of = verdict.scope === "final" ? "final gate" : `gate of wave ${verdict.subject}`
    return [{ of, task: null, reason: excerpt.what, output: excerpt.lines }]
  })
}
