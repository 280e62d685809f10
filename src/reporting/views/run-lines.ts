import { renderCause } from "../../agents/agent-fault.ts"
import { PERSON } from "../../kernel/actor.ts"
import { EVENTS, type Event, type EventData, type EventOf, type EventType, UNRECOGNIZED } from "../../kernel/events.ts"
import { firstLine, lastLines, splitReason } from "../../lib/text/last-lines.ts"
import { oneLine } from "../../lib/text/table.ts"
import { unreachable } from "../../lib/unreachable.ts"
import { readStandings, summarizeStandings } from "../../quality/baseline.ts"
import { describeForeignMove } from "../foreign-moves.ts"
import { wallTime } from "./amounts.ts"

export interface RunLine {
  readonly at: number
  readonly text: string
  readonly tone: "good" | "bad" | "plain"
  /** The last output of a failing check or agent, shown below the line. */
  readonly detail?: readonly string[]
}

type Line = Omit<RunLine, "at"> | null
type Lines = { readonly [T in EventType]?: (event: EventOf<T>) => Line }

/** A line for each event that matters to people. */
export function runLines(events: readonly Event[], { steps }: { readonly steps: boolean }): RunLine[] {
  return events.flatMap((event, index) => {
    if (event.type === UNRECOGNIZED || isRepeated(event, events[index - 1])) return []
    const told =
      describeWith(LINES, event.type, event) ??
      fillLine(event) ??
      (steps ? describeWith(STEP_LINES, event.type, event) : null)
    return told === null ? [] : [{ ...told, at: Date.parse(event.timestamp) }]
  })
}

function describeWith<T extends EventType>(lines: Lines, type: T, event: EventOf<T>): Line {
  return lines[type]?.(event) ?? null
}

/** The line of a simple event, which stands in its row in `events.ts`. */
function fillLine({ type, data, by }: EventOf<EventType>): Line {
  const { line } = EVENTS[type]
  const values: Readonly<Record<string, unknown>> = { by, ...data }
  return line === undefined ? null : plain(line.replaceAll(/\{(\w+)\}/g, (_, field) => say(values[field])))
}

/** `[HH:MM:SS] task 3 claimed by w1`. */
export function stamped({ at, text }: RunLine): string {
  return `[${wallTime(at)}] ${text}`
}

export function stampedLines(line: RunLine): string[] {
  return [stamped(line), ...(line.detail ?? []).map((each) => `    ${each}`)]
}

/** A setback releases the task with the same reason. */
function isRepeated({ type, data }: Event, before: Event | undefined): boolean {
  return type === "task.released" && before?.type === "task.setback" && before.data.task === data.task
}

const plain = (text: string): Line => ({ text, tone: "plain" })
const good = (text: string, detail: readonly string[] = []): Line => ({
  text,
  tone: "good",
  ...(detail.length === 0 ? {} : { detail }),
})
const bad = (text: string, detail: readonly string[] = []): Line => ({
  text,
  tone: "bad",
  ...(detail.length === 0 ? {} : { detail }),
})
const because = (reason: string) => (reason === "" ? "" : `: ${reason}`)
/** Later lines of a reason are output, which is shown once. */
const head = (reason: string | null) => say(firstLine(reason))
const rest = (reason: string | null) => splitReason(reason ?? "").lines

const LINES: Lines = {
  "team.led": ({ data }) =>
    plain(`led by process ${say(data.holder).split(":")[1] ?? ""} on ${say(data.holder).split(":")[0] ?? ""}`),
  "team.left": ({ data }) =>
    data.reason === "done" ? good("the run is done") : bad(`the run ended: ${say(data.reason)}`),
  "team.status_changed": ({ data }) => plain(`the team is ${say(data.to)}${because(say(data.reason))}`),
  "team.paused": ({ data }) => bad(`the team is paused${because(say(data.reason))}`),
  "team.resumed": () => plain("the team goes on"),
  "team.closed": ({ data }) => plain(`the team goes on with run ${say(data.next)}`),
  // Tasks of a plan are shown with the plan.
  "task.created": ({ data, by }) =>
    by === PERSON ? null : plain(`task ${say(data.task)} created: ${say(data.title)}`),
  "task.claimed": ({ data, by }) => {
    const from = say(data.taken_over_from)
    return plain(`task ${say(data.task)} claimed by ${by}${from === "" ? "" : `, taken over from ${from}`}`)
  },
  "task.released": ({ data }) => plain(`task ${say(data.task)} released${because(head(data.reason))}`),
  "task.resolved": ({ data, by }) => good(`task ${say(data.task)} resolved by ${by}`),
  "task.status_changed": ({ data }) => {
    const text = `task ${say(data.task)} ${say(data.to).replace("_", " ")}${because(head(data.reason))}`
    return data.to === "failed" || data.to === "paused" ? bad(text) : plain(text)
  },
  "task.reopened": ({ data }) =>
    plain(`task ${say(data.task)} reopened, attempt ${say(data.attempt)}${because(say(data.reason))}`),
  "task.recheck_asked": ({ data }) =>
    plain(`task ${say(data.task)} is checked again once task ${say(data.of)} is done anew`),
  "task.rechecked": ({ data }) =>
    data.holds
      ? good(`task ${say(data.task)} still holds`)
      : bad(`task ${say(data.task)} no longer holds${because(head(data.reason))}`, rest(data.reason)),
  "task.setback": ({ data }) =>
    bad(`task ${say(data.task)} set back by ${say(data.worker)} (${say(data.kind)}): ${head(data.reason)}`),
  "task.work_missing": ({ data }) =>
    bad(
      `task ${say(data.task)} is not merged: its commit ${say(data.commit).slice(0, 12)} is in ${say(data.folder)} on ${say(data.machine)}, and not in the repository of this run`,
      [`bring it here with: ${say(data.command)}`],
    ),
  "task.pin_restored": (event) => bad(say(describeForeignMove(event) ?? "")),
  "integration.restored": (event) => bad(say(describeForeignMove(event) ?? "")),
  "integration.refs_restored": (event) => bad(say(describeForeignMove(event) ?? "")),
  "target.moved": (event) => plain(say(describeForeignMove(event) ?? "")),
  "task.merged": ({ data }) => good(`task ${say(data.task)} merged`),
  "task.merge_failed": ({ data }) =>
    bad(
      data.fix === data.task
        ? `task ${say(data.task)} does not merge (${say(data.reason)}) and is done once more`
        : `task ${say(data.task)} does not merge (${say(data.reason)}); task ${say(data.fix)} mends it`,
    ),
  "run.started": ({ data }) => (say(data.task) === "" ? plain(`${say(data.worker)} asks ${agentOf(data)}`) : null),
  "run.ended": ({ data }) =>
    data.reason === "done"
      ? null
      : bad(
          `${say(data.agent)} of ${say(data.worker)} ended: ${say(data.reason)}${because(head(data.error))}`,
          rest(data.error),
        ),
  "agent.rate_limited": ({ data }) => bad(`${say(data.agent)} is rate-limited until ${say(data.until)}`),
  "agent.rate_limit_lifted": ({ data }) => plain(`${say(data.agent)} can be had again`),
  "agent.left_out": ({ data }) =>
    bad(`${say(data.agent)} is left out until ${say(data.until)}: ${say(renderCause(data))}`),
  "agent.taken_back": ({ data }) => plain(`${say(data.agent)} is used again`),
  "ownership.asked": ({ data }) => bad(`task ${say(data.task)} asks for ${say(data.pattern)}: ${say(data.reason)}`),
  "ownership.set_aside": ({ data }) =>
    data.paths.length === 0
      ? bad(`task ${say(data.task)}: its commits did not follow from where it began, and were made one; they are kept`)
      : bad(`task ${say(data.task)}: set aside what it does not own: ${say(data.paths.slice(0, 5).join(", "))}`),
  "task.shared_files_merged": ({ data }) =>
    plain(`task ${say(data.task)}: ${say(data.paths.map((path, at) => `${path} ${data.how[at]}`).join("; "))}`),
  "merge.started": ({ data }) =>
    plain(`merging task${data.tasks.length === 1 ? "" : "s"} ${say(data.tasks.join(", "))}`),
  "workspace.noted": ({ data }) => plain(`set-up: ${say(data.note)}`),
  "preflight.done": ({ data }) =>
    plain(`preflight of ${say(data.commit).slice(0, 12)}: ${say(summarizeStandings(readStandings(data.gates)))}`),
  "gate.started": (event) => (event.data.scope === "task" ? null : describeGate(event)),
  "wave.updated": ({ data }) => {
    const text = `wave ${say(data.wave)} ${say(data.to).replace("_", " ")}`
    return data.to === "verified" ? good(text) : data.to === "failed" ? bad(text) : plain(text)
  },
  "verdict.recorded": describeVerdict,
  "finding.recorded": ({ data }) => {
    const text = `${say(data.about)}${data.is_again === true ? ", again" : ""}`
    return data.severity === "minor" ? plain(text) : bad(text)
  },
  "finding.fixed": ({ data }) => good(`finding ${say(data.number)} is fixed in ${say(data.commit).slice(0, 12)}`),
  "finding.waived": ({ data, by }) => plain(`finding ${say(data.number)} was waived by ${by}: ${head(data.reason)}`),
  "finding.reopened": ({ data, by }) => plain(`finding ${say(data.number)} was opened again by ${by}`),
  "record.added": describeQuestion,
  "record.changed": ({ data }) =>
    data.kind === "escalation" && data.status !== "open" ? plain(`${say(data.about)}, ${say(data.status)}`) : null,
  "target.delivered": ({ data }) => {
    const without = (data.left_out ?? []).map((each) => say(each)).join("; ")
    return good(
      `${say(data.target)} moved to ${say(data.to).slice(0, 12)}${without === "" ? "" : `, without ${without}`}`,
    )
  },
  "target.undone": ({ data }) => plain(`${say(data.target)} moved back to ${say(data.to).slice(0, 12)}`),
  "target.rewritten": ({ data }) =>
    plain(
      `${say(data.target)} no longer has ${data.dropped.map((each) => say(each)).join(", ")}: your history counts, and the team's work was carried over without; as it was before: ${say(data.former)}`,
    ),
  "worker.started": ({ data }) =>
    plain(`${say(data.worker)} started${say(data.role) === "" ? "" : ` (${say(data.role)})`}`),
  "worker.exited": ({ data }) => {
    const text = `${say(data.worker)} ended: ${say(data.reason)}${say(data.detail) === "" ? "" : `, ${say(data.detail)}`}`
    return ["done", "stopped"].includes(data.reason) ? plain(text) : bad(text)
  },
  "worker.quarantined": ({ data }) => bad(`${say(data.worker)} gets no more tasks${because(say(data.reason))}`),
  "worker.paused": ({ data }) => plain(`${say(data.worker)} paused${because(say(data.reason))}`),
  "worker.resumed": ({ data }) => plain(`${say(data.worker)} goes on`),
  "worker.status_checked": ({ data }) =>
    bad(`${say(data.worker)} shows no sign of work on task ${say(data.task)}, asked for one`),
}

const STEP_LINES: Lines = {
  "gate.started": (event) => (event.data.scope === "task" ? describeGate(event) : null),
  "task.step": ({ data }) => plain(`task ${say(data.task)}: ${say(data.step)} (${say(data.worker)})`),
}

function describeGate({ data }: EventOf<"gate.started">): Line {
  const runs = data.checks.length === 0 ? "" : `: ${say(data.checks.join("; "))}`
  return plain(`${gateOf(data)} begins${runs}`)
}

function gateOf({ scope, subject }: Pick<EventData<"gate.started">, "scope" | "subject">): string {
  switch (scope) {
    case "task":
      return `gate of task ${say(subject)}`
    case "qa":
      return `QA of task ${say(subject)}`
    case "wave":
      return `gate of wave ${say(subject)}`
    case "final":
      return "final gate"
    case "cross-agent":
      return "review by another agent"
    default:
      return unreachable(scope)
  }
}

/** A passed wave or task has a line of its own. */
function describeVerdict({ data }: EventOf<"verdict.recorded">): Line {
  const { scope, status } = data
  if (scope === "wave" && status === "passed") return null
  const isOfTask = scope === "task" || scope === "qa"
  if (isOfTask && status === "passed") return null
  const [why = "", ...output] = data.failure ?? []
  const text = `${gateOf(data)}: ${status}${because(say(why))}`
  const warnings = (data.warnings ?? []).map((each) => harmless(`warning: ${each}`))
  return status === "passed"
    ? good(text, warnings)
    : status === "failed"
      ? bad(text, output.map(harmless))
      : plain(text)
}

/** Only what waits for a person. */
function describeQuestion({ data }: EventOf<"record.added">): Line {
  if (data.kind === "escalation") return bad(`escalation ${say(data.number)} waits for a decision: ${head(data.about)}`)
  return data.kind === "approval" && data.status === "pending"
    ? bad(`approval ${say(data.number)} is asked for: ${say(data.about)}`)
    : null
}

function agentOf(data: EventData<"run.started">): string {
  return say(data.model) === "" ? say(data.agent) : `${say(data.agent)} (${say(data.model)})`
}

function harmless(line: string): string {
  return lastLines(line)[0] ?? ""
}

/** Reasons may quote whole outputs. */
const MAX_TEXT = 200

/** Empty for null. */
function say(value: unknown): string {
  if (value === null || value === undefined) return ""
  const text = oneLine(typeof value === "string" ? value : JSON.stringify(value))
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text
}
