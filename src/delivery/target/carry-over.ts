import type { Integration } from "../../git/integration.ts"
import type { LineCommit, Merges, RefMove } from "../../git/port.ts"
import {
  branchRef,
  integrationBranch,
  integrationRef,
  type ParsedPin,
  parsePinRef,
  pinRef,
  teamRefs,
  workerPinRef,
} from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { RunName } from "../../kernel/team.ts"

/** The team's work on the user's present target, without the commits that the user dropped. */
export interface CarriedOver {
  /** The target itself where nothing was merged. */
  readonly tip: string
  /** The dropped commits in words, newest first. */
  readonly dropped: readonly string[]
  /** Pins the former integration branch. */
  readonly former: string
  readonly moves: readonly RefMove[]
  readonly works: readonly CarriedWork[]
}

export interface CarriedWork {
  readonly taskId: TaskId
  readonly attempt: number
  readonly base: string
  readonly commit: string
}

/**
 * Undefined if the target still has all its commits that the integration branch has. Otherwise the user dropped
 * some by a reset, amend or rebase, and delivering would bring them back: the merges are repeated on the present
 * target. Moves no ref. Throws `deliver.refused` where work does not fit without the dropped commits.
 */
export async function carryOver(
  merges: Merges,
  { name, integration, head }: { readonly name: RunName; readonly integration: Integration; readonly head: string },
): Promise<CarriedOver | undefined> {
  const { start, tip, target, ref } = integration
  const line = (await merges.line(start, tip)).toReversed()
  const attempts = new Set((await merges.mergedAttempts(start, tip)).values())
  const isTakenIn = ({ commit, parents, subject }: LineCommit) =>
    parents.length > 1 && !attempts.has(commit) && subject === takeInSubject(target, name)
  const own = [start, ...line.filter(isTakenIn).map(({ parents }) => parents[1] ?? "")]
  const gone: string[] = []
  for (const commit of own) if (!(await merges.contains(head, commit))) gone.push(commit)
  if (gone.length === 0) return undefined
  const dropped = await describeDropped(merges, head, gone)
  const made: Remade[] = []
  let onto = head
  for (const each of line.filter((commit) => !isTakenIn(commit))) {
    const again = await remake(merges, each, { onto, isTask: attempts.has(each.commit) })
    if ("paths" in again)
      throw doesNotFit({ each, paths: again.paths, integration, dropped, lost: gone.at(-1) ?? start })
    made.push(again)
    onto = again.commit
  }
  const refs = await merges.refs(teamRefs(name))
  const former = formerRef(refs, name)
  const pins = await planPins(merges, { name, refs, made, head })
  const moves = [
    { ref, from: tip, to: onto },
    { ref: integrationRef(name, "start"), from: start, to: head },
    { ref: former, from: null, to: tip },
    ...pins.moves,
  ]
  return { tip: onto, dropped, former, moves, works: pins.works }
}

/** The subject of the merge that brings a moved target into the integration branch. */
export function takeInSubject(target: string, name: RunName): string {
  return `Merge branch '${target}' into ${integrationBranch(name)}`
}

interface Remade {
  readonly commit: string
  readonly was: string
  readonly before: string
  /** Of a task's merge: its work on top of `before`. */
  readonly head: string | undefined
}

async function remake(
  merges: Merges,
  { commit, parents }: LineCommit,
  { onto, isTask }: { readonly onto: string; readonly isTask: boolean },
): Promise<Remade | { readonly paths: readonly string[] }> {
  const whole = await merges.replay({ commit, onto })
  if ("conflicts" in whole) return { paths: whole.conflicts.map(({ path }) => path) }
  const [first = "", second] = parents
  if (!isTask || second === undefined) return { commit: whole.commit, was: commit, before: onto, head: undefined }
  const tree = await merges.tree(whole.commit)
  const line = await replayLine(merges, { commits: (await merges.line(first, second)).toReversed(), onto })
  const isSame = line !== undefined && line !== onto && (await merges.tree(line)) === tree
  // Commits that do not apply one by one become one commit.
  const head = isSame ? line : await merges.commit({ tree, parents: [onto], message: `Work of ${second}\n` })
  const again = await merges.replay({ commit, onto, and: [head] })
  if ("conflicts" in again) return { paths: again.conflicts.map(({ path }) => path) }
  return { commit: again.commit, was: commit, before: onto, head }
}

async function replayLine(
  merges: Merges,
  { commits, onto }: { readonly commits: readonly LineCommit[]; readonly onto: string },
): Promise<string | undefined> {
  let at = onto
  for (const { commit, parents } of commits) {
    if (parents.length > 1) return undefined
    const again = await merges.replay({ commit, onto: at })
    if ("conflicts" in again) return undefined
    at = again.commit
  }
  return at
}

/** Pins of merged heads move along; the former commits stay pinned. */
async function planPins(
  merges: Merges,
  {
    name,
    refs,
    made,
    head,
  }: {
    readonly name: RunName
    readonly refs: ReadonlyMap<string, string>
    readonly made: readonly Remade[]
    readonly head: string
  },
): Promise<{ readonly moves: RefMove[]; readonly works: CarriedWork[] }> {
  const moves: RefMove[] = []
  const works: CarriedWork[] = []
  for (const [ref, commit] of refs) {
    const pin = parsePinRef(name, ref)
    if (pin?.kind !== "head" || (await merges.contains(head, commit))) continue
    const by = await findFirst(made, (each) => merges.contains(each.was, commit))
    if (by?.head === undefined) continue
    moves.push({ ref, from: commit, to: by.head }, ...keepEarlier(refs, name, { pin, commit }))
    const base = pinRef(name, pin, "base")
    const from = refs.get(base)
    if (from !== undefined) moves.push({ ref: base, from, to: by.before })
    works.push({ taskId: pin.taskId, attempt: pin.attempt, base: by.before, commit: by.head })
  }
  return { moves, works }
}

function keepEarlier(
  refs: ReadonlyMap<string, string>,
  name: RunName,
  { pin, commit }: { readonly pin: ParsedPin; readonly commit: string },
): RefMove[] {
  const ref = pinRef(name, pin, `earlier/${commit.slice(0, 16)}`)
  return refs.has(ref) ? [] : [{ ref, from: null, to: commit }]
}

async function findFirst<T>(list: readonly T[], test: (each: T) => Promise<boolean>): Promise<T | undefined> {
  for (const each of list) if (await test(each)) return each
  return undefined
}

function formerRef(refs: ReadonlyMap<string, string>, name: RunName): string {
  let number = 1
  while (refs.has(workerPinRef(name, { worker: "integration", number }, "head"))) number++
  return workerPinRef(name, { worker: "integration", number }, "head")
}

const MOST_NAMED = 5

async function describeDropped(merges: Merges, head: string, gone: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>()
  for (const commit of gone)
    for (const each of await merges.line(head, commit))
      found.set(each.commit, `${each.commit.slice(0, 10)} (${each.subject.slice(0, 60)})`)
  const all = [...found.values()]
  const more = all.length - MOST_NAMED
  return more > 0 ? [...all.slice(0, MOST_NAMED), `${more} more`] : all
}

function doesNotFit({
  each,
  paths,
  integration: { target, ref },
  dropped,
  lost,
}: {
  readonly each: LineCommit
  readonly paths: readonly string[]
  readonly integration: Integration
  readonly dropped: readonly string[]
  readonly lost: string
}): AppError {
  const shown = paths.slice(0, 5).map((path) => JSON.stringify(path))
  const branch = ref.replace(branchRef(""), "")
  const message = `${target} was left as it is: it no longer has ${dropped.join(", ")}, and "${each.subject}" does not fit without in ${shown.join(", ")}; to have those commits again, run: git merge ${lost.slice(0, 12)}; to go on without them, take the work by hand with: git diff ${lost.slice(0, 12)} ${branch} | git apply --3way --index`
  return new AppError("deliver.refused", message, { target, paths, dropped })
}
