import type { Pin, PinKind, Pins, Place } from "../../../src/git/port.ts"
import { earlierKind, parsePin, pinRef, placeRefs } from "../../../src/git/workspaces/pin-refs.ts"
import { teamRefs } from "../../../src/kernel/branches.ts"
import { AppError } from "../../../src/kernel/errors.ts"
import type { SimProcess } from "../world.ts"
import { askingGit, subjectOf } from "./merges.ts"
import type { SimRepository } from "./repository.ts"

export function makeSimPins(repository: SimRepository, process: SimProcess): Pins {
  const { objects, team } = repository
  const git = askingGit(process)
  return {
    find: ({ task, attempt }, kind) =>
      git("find-pin", () => {
        const ref = pinRef(team, { place: { task, attempt }, number: attempt, kind })
        const commit = repository.refs.get(ref)
        return commit === undefined ? undefined : parsePin(team, ref, commit)
      }),
    list: ({ task, target = "HEAD" } = {}) =>
      git("list-pins", () => {
        const prefix = task === undefined ? `${teamRefs(team)}/` : placeRefs(team, { task, attempt: 0 })
        const tip = repository.resolve(target)
        return [...repository.listRefs(prefix)].flatMap(([ref, commit]) => {
          const pin = parsePin(team, ref, commit)
          if (pin === undefined) return []
          const { at, message } = objects.commit(commit)
          const isContained = tip !== undefined && objects.contains(tip, commit)
          return [{ ...pin, date: new Date(at * 1000).toISOString(), subject: subjectOf(message), isContained }]
        })
      }),
    recover: ({ commit }, branch) =>
      git("recover-pin", () => {
        if (repository.move([{ ref: `refs/heads/${branch}`, from: null, to: commit }])) return
        throw new AppError("branch.exists", `branch ${branch} exists; name another with --branch`, { branch })
      }),
    purge: (pins) =>
      git("purge-pins", () => void repository.move(pins.map(({ ref, commit }) => ({ ref, from: commit, to: null })))),
  }
}

/** What is pinned afterwards. What the new ones of the place do not contain stays, as an earlier one. */
export function writePins(repository: SimRepository, place: Place, wanted: ReadonlyMap<PinKind, string>): Pin[] {
  const { objects, refs, team } = repository
  const number = numberOf(repository, place, wanted)
  const refOf = (kind: PinKind) => pinRef(team, { place, number, kind })
  const next = new Map(wanted)
  for (const [kind] of wanted) {
    const old = refs.get(refOf(kind))
    if (old !== undefined && ![...wanted.values()].some((commit) => objects.contains(commit, old)))
      next.set(earlierKind(old), old)
  }
  for (const [kind, commit] of next) if (refs.get(refOf(kind)) !== commit) repository.setRef(refOf(kind), commit)
  return [...next].map(([kind, commit]) => ({ ref: refOf(kind), place, number, kind, commit }))
}

function numberOf({ refs, team, listRefs }: SimRepository, place: Place, wanted: ReadonlyMap<PinKind, string>): number {
  if ("task" in place) return place.attempt
  const pins = [...listRefs(placeRefs(team, place))].flatMap(([ref, commit]) => parsePin(team, ref, commit) ?? [])
  const last = pins.reduce((most, pin) => Math.max(most, pin.number), 0)
  const isSame = [...wanted].every(([kind, commit]) => refs.get(pinRef(team, { place, number: last, kind })) === commit)
  return last > 0 && isSame ? last : last + 1
}
