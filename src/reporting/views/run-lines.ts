import { PERSON } from "../../kernel/actor.ts"
import type { Event, EventType } from "../../kernel/events.ts"
import { oneLine } from "../../lib/text/table.ts"
import { wallTime } from "./amounts.ts"

export interface RunLine {
  readonly at: number
  readonly text: string
  readonly tone: "good" | "bad" | "plain"
}

/** A part of the data as harmless text; empty where there was nothing to say. */
type Say = (key: string) => string
type Told = Pick<RunLine, "text" | "tone"> | null
type Teller = (say: Say, event: Event) => Told

/** What happens, as people want to follow it: a line for what matters, nothing for the rest. */
export function runLines(events: readonly Event[], { steps }: { readonly steps: boolean }): RunLine[] {
  return events.flatMap((event, index) => {
    const teller = TELLERS[event.type] ?? (steps ? STEP_TELLERS[event.type] : undefined)
    if (teller === undefined || isToldAlready(event, events[index - 1])) return []
    const told = teller((key) => textOf(event.data[key]), event)
    return told === null ? [] : [{ ...told, at: Date.parse(event.timestamp) }]
  })
}

/** `[HH:MM:SS] task 3 claimed by w1`. */
export function stamped({ at, text }: RunLine): string {
  return `[${wallTime(at)}] ${text}`
}

/** A setback gives the task back with the same reason. */
function isToldAlready({ type, data }: Event, before: Event | undefined): boolean {
  return type === "task.released" && before?.type === "task.setback" && before.data.task === data.task
}

const plain = (text: string): Told => ({ text, tone: "plain" })
const good = (text: string): Told => ({ text, tone: "good" })
const bad = (text: string): Told => ({ text, tone: "bad" })
const because = (reason: string) => (reason === "" ? "" : `: ${reason}`)

const TELLERS: Partial<Record<EventType, Teller>> = {
  "team.led": (say) =>
    plain(`led by process ${say("holder").split(":")[1] ?? ""} on ${say("holder").split(":")[0] ?? ""}`),
  "team.left": (say) => (say("reason") === "done" ? good("the run is done") : bad(`the run ended: ${say("reason")}`)),
  "team.phase_changed": (say) => plain(`phase ${say("to")}`),
  "team.status_changed": (say) => plain(`the team is ${say("to")}${because(say("reason"))}`),
  "team.paused": (say) => bad(`the team is paused${because(say("reason"))}`),
  "team.resumed": () => plain("the team goes on"),
  // Those of a plan come all at once, and are shown with it.
  "task.created": (say, { by }) => (by === PERSON ? null : plain(`task ${say("task")} created: ${say("title")}`)),
  "task.claimed": (say, { by }) => {
    const from = say("taken_over_from")
    return plain(`task ${say("task")} claimed by ${by}${from === "" ? "" : `, taken over from ${from}`}`)
  },
  "task.released": (say) => plain(`task ${say("task")} released${because(say("reason"))}`),
  "task.resolved": (say, { by }) => good(`task ${say("task")} resolved by ${by}`),
  "task.status_changed": (say) => {
    const text = `task ${say("task")} ${say("to").replace("_", " ")}${because(say("reason"))}`
    return say("to") === "failed" || say("to") === "paused" ? bad(text) : plain(text)
  },
  "task.reopened": (say) => plain(`task ${say("task")} reopened, attempt ${say("attempt")}${because(say("reason"))}`),
  "task.setback": (say) => bad(`task ${say("task")} set back by ${say("worker")} (${say("kind")}): ${say("reason")}`),
  "task.merged": (say) => good(`task ${say("task")} merged`),
  "task.merge_failed": (say) =>
    bad(
      say("fix") === say("task")
        ? `task ${say("task")} does not merge (${say("reason")}) and is done once more`
        : `task ${say("task")} does not merge (${say("reason")}); task ${say("fix")} mends it`,
    ),
  "task.deleted": (say) => plain(`task ${say("task")} deleted`),
  "run.started": (say) => (say("task") === "" ? plain(`${say("worker")} asks ${agentOf(say)}`) : null),
  "run.ended": (say) =>
    say("reason") === "done"
      ? null
      : bad(`${say("agent")} of ${say("worker")} ended: ${say("reason")}${because(say("error"))}`),
  "agent.rate_limited": (say) => bad(`${say("agent")} is rate-limited until ${say("until")}`),
  "agent.rate_limit_lifted": (say) => plain(`${say("agent")} can be had again`),
  "ownership.asked": (say) => bad(`task ${say("task")} asks for ${say("pattern")}: ${say("reason")}`),
  "ownership.set_aside": (say, { data }) =>
    bad(`task ${say("task")}: set aside what it does not own (${(data.paths as readonly unknown[]).length} files)`),
  "wave.updated": (say) => {
    const text = `wave ${say("wave")} ${say("to").replace("_", " ")}`
    return say("to") === "verified" ? good(text) : say("to") === "failed" ? bad(text) : plain(text)
  },
  "verdict.recorded": tellVerdict,
  "record.added": (say) => tellQuestion(say),
  "record.changed": (say) =>
    say("kind") === "escalation" && say("status") !== "open" ? plain(`${say("about")}, ${say("status")}`) : null,
  "target.delivered": (say) => good(`${say("target")} moved to ${say("to").slice(0, 12)}`),
  "target.undone": (say) => plain(`${say("target")} moved back to ${say("to").slice(0, 12)}`),
  "worker.started": (say) => plain(`${say("worker")} started${say("role") === "" ? "" : ` (${say("role")})`}`),
  "worker.exited": (say) => {
    const text = `${say("worker")} ended: ${say("reason")}${say("detail") === "" ? "" : `, ${say("detail")}`}`
    return ["done", "stopped"].includes(say("reason")) ? plain(text) : bad(text)
  },
  "worker.quarantined": (say) => bad(`${say("worker")} gets no more tasks${because(say("reason"))}`),
  "worker.paused": (say) => plain(`${say("worker")} paused${because(say("reason"))}`),
  "worker.resumed": (say) => plain(`${say("worker")} goes on`),
  "worker.status_checked": (say) => bad(`${say("worker")} shows no sign of work on task ${say("task")}, asked for one`),
}

/** What a worker does between two of the above. */
const STEP_TELLERS: Partial<Record<EventType, Teller>> = {
  "task.step": (say) => plain(`task ${say("task")}: ${say("step")} (${say("worker")})`),
}

/** That a wave is verified or failed tells of itself, and that a task passed shows in what comes next. */
function tellVerdict(say: Say): Told {
  const [scope, status] = [say("scope"), say("status")]
  if (scope === "wave") return status === "skipped" ? plain(`gate of wave ${say("subject")}: skipped`) : null
  const isOfTask = scope === "task" || scope === "qa"
  if (isOfTask && status === "passed") return null
  const what = isOfTask
    ? `${scope === "qa" ? "QA" : "gate"} of task ${say("subject")}`
    : scope === "final"
      ? "final gate"
      : "review by another agent"
  const text = `${what}: ${status}`
  return status === "passed" ? good(text) : status === "failed" ? bad(text) : plain(text)
}

/** Only what waits for somebody; the rest is looked up by whoever needs it. */
function tellQuestion(say: Say): Told {
  if (say("kind") === "escalation") return bad(`escalation ${say("number")} waits for a decision: ${say("about")}`)
  return say("kind") === "approval" && say("status") === "pending"
    ? bad(`approval ${say("number")} is asked for: ${say("about")}`)
    : null
}

function agentOf(say: Say): string {
  return say("model") === "" ? say("agent") : `${say("agent")} (${say("model")})`
}

/** Reasons may quote whole outputs. */
const MAX_TEXT = 200

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ""
  const text = oneLine(typeof value === "string" ? value : JSON.stringify(value))
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text
}
