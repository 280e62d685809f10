import { taskOfRef, taskRefs, teamRefs } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Pin, PinKind, Place } from "../port.ts"

/** Everything that is pinned of a task, or of a worker without one. */
export function placeRefs(team: RunName, place: Place): string {
  return `${"task" in place ? taskRefs(team, place.task) : `${teamRefs(team)}/workers/${place.worker}`}/`
}

export function pinRef(team: RunName, { place, number, kind }: Pick<Pin, "place" | "number" | "kind">): string {
  return `${placeRefs(team, place)}${number}/${kind}`
}

/** Undefined for refs of the team that are no pins. */
export function parsePin(team: RunName, ref: string, commit: string): Pin | undefined {
  const rest = ref.slice(teamRefs(team).length + 1)
  // What later runs pinned stands below what the first one did.
  if (rest.startsWith("runs/")) return undefined
  const ofWorker = /^workers\/([^/]+)\/(\d+)\/(.+)$/.exec(rest)
  const match = ofWorker ?? /^([^/]+)\/(\d+)\/(.+)$/.exec(rest)
  const [, name = "", number = "", kind = ""] = match ?? []
  if (!isKind(kind)) return undefined
  const place = ofWorker ? { worker: name } : { task: taskOfRef(name), attempt: Number(number) }
  return { ref, place, number: Number(number), kind, commit }
}

function isKind(text: string): text is PinKind {
  return /^(?:base|head|leftovers|aside|earlier\/.+|nested\/.+)$/.test(text)
}

/** The kind under which something stays that a later pin of the same kind does not contain. */
export function earlierKind(commit: string): PinKind {
  return `earlier/${commit.slice(0, 16)}`
}
