import type { Change, Conflict, Merged, Merges } from "../../git/port.ts"
import { type FileRule, findRule, findRuleFor, unionRule } from "../shared-files/find-rule.ts"
import { isLockFile, isManifest } from "../shared-files/lock-files.ts"
import type { MergedFile, Sides, Undecided } from "../shared-files/shared-file.ts"
import type { Candidate } from "./candidate.ts"
import { type LockMaker, settleLocks } from "./settle-locks.ts"

export interface SharedQuestion {
  /** The file, and the place in it. */
  readonly subject: string
  /** The same text for the same matter: an answer counts only for what was asked. */
  readonly question: string
  /** More facts; may differ the next time. */
  readonly note: string
}

export type Settled =
  | { readonly kind: "merged"; readonly tree: string; readonly told: readonly MergedFile[] }
  /** Git's conflict stays. */
  | { readonly kind: "conflict" }
  | { readonly kind: "asked"; readonly questions: readonly SharedQuestion[] }

/** Merges shared files by rules, one task after the other. */
export interface SharedFiles {
  settle(request: SettleRequest): Promise<Settled>
  hasRule(path: string): boolean
}

export interface SettleRequest {
  readonly candidate: Candidate
  readonly onto: string
  readonly merged: Merged
  /** From `onto` to the merged tree; empty with conflicts. */
  readonly changes: readonly Change[]
  /** Without a rule: whether both sides' additions may be taken. */
  readonly mayUnite: boolean
}

export interface SharedPorts {
  readonly merges: Merges
  /** Left out where no program may run. */
  readonly makeLock?: LockMaker
  readonly answer: (candidate: Candidate, question: SharedQuestion) => "ours" | "theirs" | undefined
}

export function makeSharedFiles(ports: SharedPorts): SharedFiles {
  return {
    hasRule: (path) => isLockFile(path) || findRule(path) !== undefined,
    async settle(request) {
      const { merged, changes } = request
      const paths = merged.isClean ? changes.map(({ path }) => path) : merged.conflicts.map(({ path }) => path)
      const isOfInterest = paths.some((path) => isLockFile(path) || isManifest(path) || findRule(path) !== undefined)
      if (merged.isClean && !isOfInterest) return { kind: "merged", tree: merged.tree, told: [] }
      return settle(ports, request)
    },
  }
}

async function settle(ports: SharedPorts, request: SettleRequest): Promise<Settled> {
  const { candidate, onto, merged, changes, mayUnite } = request
  const { merges } = ports
  const base = (await merges.mergeBase(onto, candidate.head)) ?? candidate.base
  const place = { onto, base, head: candidate.head }
  const asked: SharedQuestion[] = []
  const decide = (path: string) => (undecided: Undecided) => {
    const question = describe(path, undecided, candidate)
    const side = ports.answer(candidate, question)
    if (side === undefined) asked.push(question)
    return side
  }
  const texts = new Map<string, string>()
  const told: MergedFile[] = []
  const conflicts = merged.isClean ? [] : merged.conflicts
  const broken = merged.isClean ? await listBroken(merges, { ...place, tree: merged.tree, changes }) : []
  const locks = conflicts.filter(({ path }) => isLockFile(path) && findRule(path) === undefined)
  for (const { path } of [...conflicts.filter((each) => !locks.includes(each)), ...broken]) {
    const sides = isOfText(conflicts, path) ? await readSides(merges, place, path) : undefined
    const united = mayUnite ? findUnion(conflicts, path) : undefined
    const rule = sides && (findRuleFor(path, sides) ?? united)
    const result = sides && rule?.merge(sides, decide(path))
    if (result === undefined || rule === undefined) return { kind: "conflict" }
    if (!("text" in result)) continue
    if (!rule.isValid(result.text)) return { kind: "conflict" }
    texts.set(path, result.text)
    told.push({ path, how: rule.how })
  }
  if (asked.length > 0) return { kind: "asked", questions: asked }
  const tree = await merges.write(merged.tree, texts)
  const settled = await settleLocks(ports, { ...place, tree, conflicted: locks.map(({ path }) => path), decide })
  if (settled === undefined) return { kind: "conflict" }
  if (asked.length > 0) return { kind: "asked", questions: asked }
  return { kind: "merged", tree: settled.tree, told: [...told, ...settled.told] }
}

/** A person must look at a file that one side removed, renamed or replaced. */
function isOfText(conflicts: readonly Conflict[], path: string): boolean {
  const found = conflicts.find((conflict) => conflict.path === path)
  return found === undefined || found.kind === "content" || found.kind === "add/add"
}

/** Not for a new file on both sides, and not where git marks no lines, as in binary files and links. */
function findUnion(conflicts: readonly Conflict[], path: string): FileRule | undefined {
  const isText = conflicts.some((each) => each.path === path && each.kind === "content" && each.hunks.length > 0)
  return isText ? unionRule(path) : undefined
}

interface Place {
  readonly onto: string
  readonly base: string
  readonly head: string
}

async function readSides(merges: Merges, { onto, base, head }: Place, path: string): Promise<Sides | undefined> {
  const [was, ours, theirs] = await Promise.all([base, onto, head].map((commit) => merges.read(commit, path)))
  return ours === undefined || theirs === undefined ? undefined : { base: was ?? "", ours, theirs }
}

/** Finds files that were valid on both sides and are broken after git's merge, such as JSON with a duplicate key. */
async function listBroken(
  merges: Merges,
  { tree, changes, ...place }: Place & { readonly tree: string; readonly changes: readonly Change[] },
): Promise<{ readonly path: string }[]> {
  const broken: { path: string }[] = []
  for (const { path, status } of changes) {
    const rule = status === "modified" ? findRule(path) : undefined
    const text = rule === undefined ? undefined : await merges.read(tree, path)
    if (rule === undefined || text === undefined || rule.isValid(text)) continue
    const sides = await readSides(merges, place, path)
    if (sides !== undefined && rule.isValid(sides.ours) && rule.isValid(sides.theirs)) broken.push({ path })
  }
  return broken
}

const MAX_VALUE = 200

function describe(path: string, { key, base, ours, theirs, note }: Undecided, { taskId }: Candidate): SharedQuestion {
  const subject = key === "" ? path : `${path}: ${key}`
  const show = (value: string | null) => (value === null ? "nothing" : shorten(value))
  const lines = [
    `${subject} was changed by task ${taskId} and by others, and no rule says which of both is right.`,
    `merged already: ${show(ours)}`,
    `task ${taskId}: ${show(theirs)}`,
    ...(base === null ? [] : [`before: ${show(base)}`]),
    `Approve to take what task ${taskId} has; reject to keep what is merged already.`,
  ]
  return { subject, question: lines.join("\n"), note: note ?? "" }
}

function shorten(value: string): string {
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}...` : value
}
