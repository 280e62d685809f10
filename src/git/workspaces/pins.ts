import { teamRefs } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName } from "../../kernel/team.ts"
import { isAncestor } from "../ancestry.ts"
import type { Git } from "../git.ts"
import type { ListedPin, Pin, PinKind, Pins, Place } from "../port.ts"
import { readRefs } from "../read-refs.ts"
import { earlierKind, parsePin, pinRef, placeRefs } from "./pin-refs.ts"

interface PinContext {
  readonly git: Git
  readonly commonDir: string
  readonly team: RunName
}

export function makePins(context: PinContext): Pins {
  const { git, commonDir, team } = context
  return {
    async find({ task, attempt }, kind) {
      const ref = pinRef(team, { place: { task, attempt }, number: attempt, kind })
      const commit = (await readRefs(git, commonDir, ref)).get(ref)
      return commit === undefined ? undefined : parsePin(team, ref, commit)
    },
    list: (filter) => listPins(context, filter),
    async recover({ commit }, branch) {
      const { exitCode } = await git.run(["check-ref-format", "--branch", branch])
      if (exitCode !== 0)
        throw new AppError("input.invalid", `${JSON.stringify(branch)} cannot be the name of a branch`)
      const ref = `refs/heads/${branch}`
      if ((await readRefs(git, commonDir, ref)).has(ref))
        throw new AppError(
          "branch.exists",
          (say) => `branch ${branch} exists; name another with ${say.field("branch")}`,
          { branch },
        )
      await git.read(["update-ref", "--stdin"], { input: `create ${ref} ${commit}\n` })
    },
    async purge(pins) {
      const lines = pins.map(({ ref, commit }) => `delete ${ref} ${commit}\n`)
      if (lines.length > 0) await git.read(["update-ref", "--stdin"], { input: lines.join("") })
    },
  }
}

export interface PinRequest {
  readonly place: Place
  readonly wanted: ReadonlyMap<PinKind, string>
  readonly also?: readonly string[]
}

/** Another process may pin the same attempt at the same time. */
const TRIES = 3

/** One transaction. Keeps a pin of the same kind that no new commit contains as `earlier/...`. Idempotent. */
export async function writePins({ git, commonDir, team }: PinContext, request: PinRequest): Promise<Pin[]> {
  for (let left = TRIES; ; left--) {
    const existing = await readRefs(git, commonDir, placeRefs(team, request.place))
    const number = numberOf(team, request, existing)
    const { pins, lines } = await plan(git, existing, { ...request, team, number })
    const all = [...lines, ...(request.also ?? [])]
    if (all.length === 0) return pins
    const { exitCode, stderr } = await git.run(["update-ref", "--stdin"], { input: `${all.join("\n")}\n` })
    if (exitCode === 0) return pins
    const isRace = /cannot lock ref .*(?:but expected|already exists)/.test(stderr)
    if (!isRace || left === 1)
      throw new AppError("git.failed", `git could not pin the work: ${stderr.split("\n", 1)[0]}`, { isRace })
  }
}

/** Work without a task gets the next number, unless the last one has the same commits. */
function numberOf(team: RunName, { place, wanted }: PinRequest, existing: ReadonlyMap<string, string>): number {
  if ("task" in place) return place.attempt
  const pins = [...existing].flatMap(([ref, commit]) => parsePin(team, ref, commit) ?? [])
  const last = pins.reduce((most, pin) => Math.max(most, pin.number), 0)
  const isSame = [...wanted].every(
    ([kind, commit]) => existing.get(pinRef(team, { place, number: last, kind })) === commit,
  )
  return last > 0 && isSame ? last : last + 1
}

async function plan(
  git: Git,
  existing: ReadonlyMap<string, string>,
  { team, place, number, wanted }: PinRequest & { readonly team: RunName; readonly number: number },
): Promise<{ pins: Pin[]; lines: string[] }> {
  const refOf = (kind: PinKind) => pinRef(team, { place, number, kind })
  const next = new Map(wanted)
  for (const [kind] of wanted) {
    const old = existing.get(refOf(kind))
    if (old !== undefined && !(await isContained(git, old, [...wanted.values()]))) next.set(earlierKind(old), old)
  }
  const lines = [...next].flatMap(([kind, commit]) => {
    const old = existing.get(refOf(kind))
    if (old === commit) return []
    return [old === undefined ? `create ${refOf(kind)} ${commit}` : `update ${refOf(kind)} ${commit} ${old}`]
  })
  const pins = [...next].map(([kind, commit]) => ({ ref: refOf(kind), place, number, kind, commit }))
  return { pins, lines }
}

async function isContained(git: Git, old: string, commits: readonly string[]): Promise<boolean> {
  for (const commit of commits) if (await isAncestor(git, old, commit)) return true
  return false
}

async function listPins(
  { git, team }: PinContext,
  { task, target = "main-worktree/HEAD" }: { readonly task?: string; readonly target?: string } = {},
): Promise<ListedPin[]> {
  const prefix = task === undefined ? `${teamRefs(team)}/` : placeRefs(team, { task, attempt: 0 })
  const format = "%(objectname)%00%(refname)%00%(committerdate:iso-strict)%00%(contents:subject)"
  const folder = prefix.slice(0, -1)
  const tip = await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${target}^{commit}`])
  const merged = tip.exitCode === 0 ? [`--merged=${tip.stdout.trim()}`] : undefined
  const [all, contained] = await Promise.all([
    git.read(["for-each-ref", `--format=${format}`, folder]),
    merged === undefined ? "" : git.read(["for-each-ref", "--format=%(refname)", ...merged, folder]),
  ])
  const inTarget = new Set(contained.split("\n"))
  return all.split("\n").flatMap((line) => {
    const [commit = "", ref = "", date = "", subject = ""] = line.split("\0")
    const pin = parsePin(team, ref, commit)
    return pin === undefined ? [] : [{ ...pin, date, subject, isContained: inTarget.has(ref) }]
  })
}
