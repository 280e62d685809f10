import type { AgentEvent } from "../../agents/port.ts"

/** What was seen of a run that did not come to its end in time. */
export interface RunTrace {
  toolUses: number
  readonly files: Set<string>
  /** The latest uses of tools, newest last. */
  readonly latest: { readonly id: string; readonly input: string; ok?: boolean; output?: string }[]
}

export interface Diagnosis {
  readonly cause: "scope too large" | "dependency blocked" | "technical difficulty"
  /** How far it got. */
  readonly seen: string
  readonly advice: string
}

const LATEST = 12
const MAX_OUTPUT = 2000

export function newTrace(): RunTrace {
  return { toolUses: 0, files: new Set(), latest: [] }
}

export function traceEvent(trace: RunTrace, event: AgentEvent): void {
  if (event.type === "tool_use") {
    trace.toolUses++
    for (const file of event.files) trace.files.add(file)
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

/** Something that the task cannot do without, and that is not the task's to make. */
const MISSING =
  /cannot find (?:module|package)|module not found|no module named|unresolved import|could not resolve|command not found|connection refused|ECONNREFUSED|ENOTFOUND|ETIMEDOUT|network is unreachable|permission denied|EACCES|not authori[sz]ed|401 unauthorized|403 forbidden|no such (?:table|column|file)|does not exist|waiting for/i

const MANY_FILES = 8

/** Why it took too long, by what it did last, and what whoever tries next should do otherwise. */
export function diagnoseTimeout({ toolUses, files, latest }: RunTrace): Diagnosis {
  const seen = `${toolUses} uses of tools, ${files.size} files written${lastOf(latest)}`
  const ended = latest.filter((use) => use.ok !== undefined)
  const tail = ended.slice(-3)
  const failing = ended.filter((use) => use.ok === false)
  const missing = tail.findLast((use) => use.ok === false && MISSING.test(use.output ?? ""))
  if (missing !== undefined) {
    const what = MISSING.exec(missing.output ?? "")?.[0] ?? ""
    return {
      cause: "dependency blocked",
      seen,
      advice: `It was held up by something it could not make itself ("${what}" from: ${clip(missing.input)}). Find out first whether that is there now; if not, do what can be done without it and say what is missing.`,
    }
  }
  const isStuck = tail.length === 3 && tail.every((use) => use.ok === false)
  if (isStuck || isRepeating(latest) || (failing.length > 0 && failing.length * 2 >= ended.length)) {
    return {
      cause: "technical difficulty",
      seen,
      advice: `It kept failing at the same point (${clip((failing.at(-1) ?? latest.at(-1))?.input ?? "")}). Take another way: read the error in full, make the smallest case that shows it, and change one thing at a time.`,
    }
  }
  const wide = files.size >= MANY_FILES ? ` It had written ${files.size} files.` : ""
  return {
    cause: "scope too large",
    seen,
    advice: `It was still getting on when the time was up.${wide} What it did is in the worktree: go on from there, do what the acceptance asks for and nothing else, and commit in small steps.`,
  }
}

function isRepeating(latest: RunTrace["latest"]): boolean {
  const last = latest.at(-1)?.input
  return last !== undefined && latest.filter(({ input }) => input === last).length >= 4
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
