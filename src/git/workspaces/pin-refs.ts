import { taskOfRef, taskRefs, teamRefs } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Pin, PinKind, Place } from "../port.ts"

export function placeRefs(team: RunName, place: Place): string {
  return `${"task" in place ? taskRefs(team, place.task) : `${teamRefs(team)}/workers/${place.worker}`}/`
}

export function pinRef(team: RunName, { place, number, kind }: Pick<Pin, "place" | "number" | "kind">): string {
  return `${placeRefs(team, place)}${number}/${kind}`
}

/** Undefined if the ref is not a pin of this run. */
export function parsePin(team: RunName, ref: string, commit: string): Pin | undefined {
  const rest = ref.slice(teamRefs(team).length + 1)
  // The prefix of the first run contains those of later runs.
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

/** For a pin that a later one replaces without containing it. */
export function earlierKind(commit: string): PinKind {
  return `earlier/${commit.slice(0, 16)}`
}
