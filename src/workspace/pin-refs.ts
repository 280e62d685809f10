import type { TeamName } from "../domain/team.ts"
import type { Pin, PinKind, Place } from "./port.ts"

/**
 * `refs/teamwork/<project>/<team>/<task>/<attempt>/<kind>` for attempts at tasks,
 * `refs/teamwork/<project>/<team>/workers/<worker>/<n>/<kind>` for work without a task,
 * `refs/teamwork/<project>/<team>/delivered/<n>` for where the target stood before a delivery.
 */
export function teamRefs({ project, team }: TeamName): string {
  return `refs/teamwork/${project}/${team}/`
}

export function placeRefs(team: TeamName, place: Place): string {
  const own = "task" in place ? asComponent(place.task) : `workers/${place.worker}`
  return `${teamRefs(team)}${own}/`
}

export function pinRef(team: TeamName, { place, number, kind }: Pick<Pin, "place" | "number" | "kind">): string {
  return `${placeRefs(team, place)}${number}/${kind}`
}

/** Undefined for refs of the team that are no pins. */
export function parsePin(team: TeamName, ref: string, commit: string): Pin | undefined {
  const rest = ref.slice(teamRefs(team).length)
  const ofWorker = /^workers\/([^/]+)\/(\d+)\/(.+)$/.exec(rest)
  const match = ofWorker ?? /^([^/]+)\/(\d+)\/(.+)$/.exec(rest)
  const [, name = "", number = "", kind = ""] = match ?? []
  if (!isKind(kind)) return undefined
  const place = ofWorker ? { worker: name } : { task: fromComponent(name), attempt: Number(number) }
  return { ref, place, number: Number(number), kind, commit }
}

/** Tasks may be called like the two words that stand beside them; no id starts with an underscore. */
const RESERVED = ["workers", "delivered"]

function asComponent(task: string): string {
  return RESERVED.includes(task) ? `_${task}` : task
}

function fromComponent(name: string): string {
  return name.startsWith("_") ? name.slice(1) : name
}

function isKind(text: string): text is PinKind {
  return /^(?:base|head|leftovers|aside|earlier\/.+|nested\/.+)$/.test(text)
}

/** The kind under which something stays that a later pin of the same kind does not contain. */
export function earlierKind(commit: string): PinKind {
  return `earlier/${commit.slice(0, 16)}`
}
