import { readFileSync } from "node:fs"
import { codeOf } from "../error-code.ts"

/** A process and its start time, because process ids are reused. */
export interface ProcessIdentity {
  readonly pid: number
  /** The start time in the system's own format; empty when it is unknown. */
  readonly start: string
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, start: startOf(pid) ?? "" }
}

export function isRunning({ pid, start }: ProcessIdentity): boolean {
  return start !== "" && startOf(pid) === start
}

/** Undefined when there is no such process, or only a zombie. */
function startOf(pid: number): string | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  } catch (error) {
    return process.platform === "linux" && isMissing(error) ? undefined : startByPs(pid)
  }
  // The name in parentheses may contain anything. After it come the state and, 19 fields later, the start since boot.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields[0] === "Z" || fields[0] === "X" ? undefined : `${bootId()} ${fields[19]}`
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ESRCH"].includes(codeOf(error) ?? "")
}

let knownBootId: string | undefined

function bootId(): string {
  knownBootId ??= readBootId()
  return knownBootId
}

function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return ""
  }
}

function startByPs(pid: number): string | undefined {
  try {
    const { stdout } = Bun.spawnSync(["ps", "-o", "stat=,lstart=", "-p", String(pid)], { stderr: "ignore" })
    const [, state = "", start] = /^\s*(\S+)\s+(.+?)\s*$/.exec(stdout.toString()) ?? []
    return state.startsWith("Z") ? undefined : start
  } catch {
    return undefined
  }
}
