import type { AgentEvent, Reason } from "../../agents/port.ts"

/** Times are those of the events. */
export interface RunTrace {
  readonly startedAt: number
  heardAt: number
  /** The last written file, or new call. */
  advancedAt: number
  /** It printed something, or used a tool. */
  isAtWork: boolean
  toolUses: number
  readonly files: Set<string>
  readonly calls: Set<string>
  /** Newest last. */
  readonly latest: { readonly id: string; readonly input: string; ok?: boolean; output?: string }[]
}

export interface Diagnosis {
  readonly cause: "hang" | "loop" | "dependency blocked" | "technical difficulty" | "no progress" | "scope too large"
  readonly seen: string
  readonly advice: string
}

const LATEST = 12
const MAX_OUTPUT = 2000

export function newTrace(now: number): RunTrace {
  const times = { startedAt: now, heardAt: now, advancedAt: now }
  return { ...times, isAtWork: false, toolUses: 0, files: new Set(), calls: new Set(), latest: [] }
}

export function traceEvent(trace: RunTrace, event: AgentEvent): void {
  // Waiting and ending are no signs of work.
  if (event.type !== "waiting" && event.type !== "finished") trace.heardAt = event.at
  if (event.type === "text" || event.type === "reasoning" || event.type === "tool_use") trace.isAtWork = true
  if (event.type === "tool_use") {
    const known = trace.files.size + trace.calls.size
    trace.toolUses++
    for (const file of event.files) trace.files.add(file)
    trace.calls.add(`${event.name} ${event.input}`)
    if (trace.files.size + trace.calls.size > known) trace.advancedAt = event.at
    trace.latest.push({ id: event.id, input: event.input })
    if (trace.latest.length > LATEST) trace.latest.shift()
  } else if (event.type === "tool_result") {
    const use = trace.latest.findLast((each) => each.id === event.id)
    if (use !== undefined) {
      use.ok = event.ok
      use.output = event.output.slice(-MAX_OUTPUT)
    }
  }
}

/** The task needs something that it cannot make itself. */
const MISSING =
  /cannot find (?:module|package)|module not found|no module named|unresolved import|could not resolve|command not found|connection refused|ECONNREFUSED|ENOTFOUND|ETIMEDOUT|network is unreachable|permission denied|EACCES|not authori[sz]ed|401 unauthorized|403 forbidden|no such (?:table|column|file)|does not exist|waiting for/i

const MANY_FILES = 8
/** Shorter silences are common: a model thinks, a build runs. */
const HANG_MS = 300_000
const STALL_MS = 120_000

interface End {
  readonly reason: Reason
  readonly at: number
}

export function diagnoseRun(trace: RunTrace, end: End): Diagnosis {
  const { toolUses, files, latest } = trace
  const seen = `${toolUses} uses of tools, ${files.size} files written${lastOf(latest)}`
  const hang = end.reason === "looping" ? undefined : findHang(trace, end)
  if (hang !== undefined) return { cause: "hang", ...hang, seen: `${hang.seen}; ${seen}` }
  const missing = end.reason === "looping" ? undefined : findMissing(latest)
  if (missing !== undefined) return { ...missing, seen }
  if (end.reason === "looping" || isRepeating(latest))
    return {
      cause: "loop",
      seen,
      advice: `It made the same call again and again (${clip(latest.at(-1)?.input ?? "")}), and each time the result was the same. Do not repeat it: read the result, and try another way.`,
    }
  const difficulty = findDifficulty(latest)
  if (difficulty !== undefined) return { ...difficulty, seen }
  const shareMs = (end.at - trace.startedAt) / 2
  const stalledMs = end.at - trace.advancedAt
  if (files.size === 0 && (toolUses === 0 || (stalledMs >= STALL_MS && stalledMs >= shareMs)))
    return {
      cause: "no progress",
      seen: `${seen}; nothing new for ${seconds(stalledMs)}`,
      advice:
        "It was busy and wrote no file. Begin with the smallest change that the acceptance asks for, and write it early.",
    }
  const wide = files.size >= MANY_FILES ? ` It had written ${files.size} files.` : ""
  return {
    cause: "scope too large",
    seen,
    advice: `It was still making progress when the time was up.${wide} Its work is in the worktree: continue from there, do what the acceptance asks for and nothing else, and commit in small steps.`,
  }
}

/** Silent for most of the time: its model does not answer, or a tool does not end. */
function findHang({ startedAt, heardAt, isAtWork, latest }: RunTrace, { reason, at }: End) {
  const silentMs = at - heardAt
  const isLong = !isAtWork || silentMs >= Math.min(HANG_MS, (at - startedAt) / 2)
  if (reason !== "hung" && !(reason === "timed-out" && isLong)) return undefined
  const open = latest.findLast((use) => use.ok === undefined)
  const seen = `no output for ${seconds(silentMs)}`
  if (open === undefined)
    return {
      seen: `${seen}, the model did not answer`,
      advice: "Its model stopped answering. Its work is in the worktree: continue from there.",
    }
  return {
    seen: `${seen}, a tool did not end`,
    advice: `This did not end: ${clip(open.input)}. Run commands that may wait for input, or never end, with a time limit and in the background.`,
  }
}

function findMissing(latest: RunTrace["latest"]): Pick<Diagnosis, "cause" | "advice"> | undefined {
  const tail = latest.filter((use) => use.ok !== undefined).slice(-3)
  const missing = tail.findLast((use) => use.ok === false && MISSING.test(use.output ?? ""))
  if (missing === undefined) return undefined
  const what = MISSING.exec(missing.output ?? "")?.[0] ?? ""
  return {
    cause: "dependency blocked",
    advice: `It was blocked by something it could not provide itself ("${what}" from: ${clip(missing.input)}). First check whether it is available now; if not, do what is possible without it and report what is missing.`,
  }
}

function findDifficulty(latest: RunTrace["latest"]): Pick<Diagnosis, "cause" | "advice"> | undefined {
  const ended = latest.filter((use) => use.ok !== undefined)
  const tail = ended.slice(-3)
  const failing = ended.filter((use) => use.ok === false)
  const isStuck = tail.length === 3 && tail.every((use) => use.ok === false)
  if (!isStuck && (failing.length === 0 || failing.length * 2 < ended.length)) return undefined
  return {
    cause: "technical difficulty",
    advice: `It kept failing at the same point (${clip((failing.at(-1) ?? latest.at(-1))?.input ?? "")}). Take another way: read the error in full, make the smallest case that shows it, and change one thing at a time.`,
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}

function isRepeating(latest: RunTrace["latest"]): boolean {
  const last = latest.at(-1)
  return latest.filter(({ input, output }) => input === last?.input && output === last.output).length >= 4
}

function lastOf(latest: RunTrace["latest"]): string {
  const last = latest.at(-1)
  if (last === undefined) return ""
  return `, the last: ${clip(last.input)}${last.ok === false ? " (failed)" : last.ok === undefined ? " (did not end)" : ""}`
}

const MAX_INPUT = 120

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > MAX_INPUT ? `${line.slice(0, MAX_INPUT)}...` : line
}
