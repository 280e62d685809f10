import type { TaskId } from "./ids.ts"
import type { RunName, TeamName } from "./team.ts"

/**
 * Where a team's work is in git. Ids are safe as parts of a ref.
 *
 * `refs/heads/teamwork/<project>/<team>/<worker>` and `.../integration` are branches. Pins are below
 * `refs/teamwork/<project>/<team>/`: `<task>/<attempt>/<kind>` for attempts at tasks, `workers/<worker>/<n>/<kind>` for
 * work without a task, `delivered/<n>/...` and `integration/...` for the target. Pins of run 2 and later are below
 * `runs/<run>/`, in the same order.
 */

export function integrationBranch(name: TeamName): string {
  return `${teamBranches(name)}/integration`
}

export function workerBranch(name: TeamName, worker: string): string {
  return `${teamBranches(name)}/${worker}`
}

/** All branches of the team's workers, and its integration branch. */
export function workerRefs(name: TeamName): string {
  return branchRef(teamBranches(name))
}

function teamBranches({ project, team }: TeamName): string {
  return `teamwork/${project}/${team}`
}

export function branchRef(branch: string): string {
  return `refs/heads/${branch}`
}

/** The full name of the branch that is stored in one of our refs. */
export function branchIn(text: string): string | undefined {
  const name = text.trim()
  return /^refs\/heads\/\S+$/.test(name) ? name : undefined
}

/** Pins of the first run have no prefix, those of later runs are below `runs/<run>`. */
export function teamRefs({ project, team, run }: RunName): string {
  const all = `refs/teamwork/${project}/${team}`
  return run === 1 ? all : `${all}/runs/${run}`
}

export function pinRef(name: RunName, { taskId, attempt }: { taskId: string; attempt: number }, kind: string): string {
  return `${taskRefs(name, taskId)}/${attempt}/${kind}`
}

/** All pins of a task. */
export function taskRefs(name: RunName, taskId: string): string {
  return `${teamRefs(name)}/${RESERVED.includes(taskId) ? `_${taskId}` : taskId}`
}

/** Names that are used beside the tasks. No id starts with an underscore. */
const RESERVED = ["workers", "delivered", "integration", "runs"]

/** The task id in a part of a ref. */
export function taskOfRef(part: string): string {
  return part.replace(/^_/, "")
}

export interface ParsedPin {
  readonly taskId: TaskId
  readonly attempt: number
  readonly kind: "base" | "head" | "leftovers" | "aside"
}

/** The attempt that a ref pins; undefined for other refs. */
export function parsePinRef(name: RunName, ref: string): ParsedPin | undefined {
  const rest = ref.slice(teamRefs(name).length + 1)
  const [, task = "", attempt = "", kind] = /^([^/]+)\/(\d+)\/(base|head|leftovers|aside)$/.exec(rest) ?? []
  if (kind === undefined) return undefined
  return { taskId: taskOfRef(task) as TaskId, attempt: Number(attempt), kind: kind as ParsedPin["kind"] }
}

/** A pin of work without a task. */
export function workerPinRef(name: RunName, of: { worker: string; number: number }, kind: string): string {
  return `${teamRefs(name)}/workers/${of.worker}/${of.number}/${kind}`
}

/** Marks that a repository has work of the team that was created or cleaned at this time; without a time, all marks. */
export function begunRef(name: RunName, at?: number): string {
  const all = `${teamRefs(name)}/integration/begun`
  return at === undefined ? all : `${all}/${at}`
}

/** `start`: where the integration branch began. `target`: names the branch that it is delivered to. */
export function integrationRef(name: RunName, what: "start" | "target"): string {
  return `${teamRefs(name)}/integration/${what}`
}

/** Of the nth delivery: the target before and after, and its branch. */
export function deliveredRef(name: RunName, number: number, what: "before" | "after" | "target" | "undone"): string {
  return `${teamRefs(name)}/delivered/${number}/${what}`
}
