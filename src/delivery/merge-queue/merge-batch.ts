import type { BranchHistory, Change, Merges } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { isFixId } from "../../tasks/fix-task.ts"
import type { MergedFile } from "../shared-files/shared-file.ts"
import { bisectBatch, makeGateRuns } from "./bisect-batch.ts"
import type { Candidate, Gate, GateResult, Outcome, Scope } from "./candidate.ts"
import { type Link, makeChain } from "./chain.ts"
import { judgeSizes } from "./judge-changes.ts"
import { makeRepairLine, type Repair } from "./repair-line.ts"
import type { SharedFiles } from "./settle-shared.ts"

export interface QueuePorts {
  readonly merges: Merges
  readonly gate: Gate
  readonly scope: Scope
  /** Merges shared files by rules; left out where the lead looks after them. */
  readonly shared?: SharedFiles
  /** Records merges with files that git alone would merge differently, before they reach a branch. */
  readonly noteShared?: (merges: readonly SharedMerge[]) => Promise<void>
  /** For tests that kill the process at a named place. */
  readonly checkpoint?: (name: "merge:before-gate" | "merge:before-move" | "merge:after-move") => Promise<void>
}

export interface SharedMerge {
  readonly candidate: Candidate
  readonly commit: string
  readonly files: readonly MergedFile[]
}

export interface BatchReport {
  readonly branch: string
  readonly before: string
  readonly after: string
  readonly outcomes: readonly { readonly candidate: Candidate; readonly outcome: Outcome }[]
  /** The gate's result on the branch as it is now; null when nothing was merged. */
  readonly gate: GateResult | null
  /** Checks that failed and then passed on the same files. */
  readonly flaky: readonly string[]
}

export interface BatchRequest {
  readonly branch: string
  /** The commit to build on in each round, since others may move the branch. */
  readonly tips?: (round: number) => Promise<string>
  readonly candidates: readonly Candidate[]
  readonly others: readonly string[]
  /** Repairs that are planned or under way, and not among the candidates. */
  readonly repairs?: readonly Repair[]
}

/** Other processes merge too. Losing this often in a row has another cause. */
const MAX_ROUNDS = 10

/**
 * Merges the candidates one by one in git's object store, tests the result once, and only then moves the branch. A
 * candidate that does not fit is left out. Nothing changes when it throws.
 */
export async function mergeBatch(
  ports: QueuePorts,
  { branch, tips, candidates, others, repairs = [] }: BatchRequest,
): Promise<BatchReport> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = await (tips?.(round) ?? ports.merges.find(branch))
    if (before === undefined) throw new AppError("merge.no_branch", `there is no branch ${branch} to merge into`)
    const report = await tryBatch(ports, { branch, before, candidates, others, repairs })
    if (report.after === before) return report
    await ports.checkpoint?.("merge:before-move")
    const isMoved = await ports.merges.move([{ ref: branch, from: before, to: report.after }])
    await ports.checkpoint?.("merge:after-move")
    if (isMoved) return report
  }
  throw new AppError("merge.race", `${branch} was moved by others ${MAX_ROUNDS} times meanwhile; try again`)
}

interface Batch extends Required<Omit<BatchRequest, "tips">> {
  readonly before: string
}

async function tryBatch(ports: QueuePorts, batch: Batch): Promise<BatchReport> {
  const { merges } = ports
  const { before, candidates } = batch
  const outcomes = new Map<Candidate, Outcome>()
  const gateRuns = makeGateRuns(ports.gate, merges)
  const chain = makeChain(ports, before)
  const isJoint = (path: string) => ports.shared?.hasRule(path) === true
  const line = makeRepairLine(merges, { repairs: batch.repairs, isJoint })
  const order = repairsFirst(candidates)
  const histories = await readHistories(merges, batch)
  const { links, gate } = await addAll()
  const notices = await sizeNotices(merges, links)
  const shared = links.filter((link) => link.shared.length > 0)
  if (shared.length > 0)
    await ports.noteShared?.(shared.map(({ candidate, commit, shared }) => ({ candidate, commit, files: shared })))
  for (const link of links) {
    const all = [...link.notices, ...(notices.get(link) ?? [])]
    outcomes.set(link.candidate, { kind: "merged", commit: link.commit, notices: all })
  }
  const ordered = candidates.map((candidate) => ({ candidate, outcome: outcomes.get(candidate) ?? UNKNOWN }))
  return {
    branch: batch.branch,
    before,
    after: links.at(-1)?.commit ?? before,
    outcomes: ordered,
    gate,
    flaky: gateRuns.flaky,
  }

  /** Adds what fits until the gate passes. Each round leaves one out or undoes one union, so it ends. */
  async function addAll(): Promise<{ links: readonly Link[]; gate: GateResult | null }> {
    let links: readonly Link[] = []
    const guilty = new Set<Candidate>()
    const goBackTo = (first: Candidate) => {
      const again = order.slice(order.indexOf(first)).filter((candidate) => !guilty.has(candidate))
      line.forget(again)
      links = links.slice(
        0,
        links.findIndex((link) => link.candidate === first),
      )
      return again
    }
    for (let rest: readonly Candidate[] = order; ; ) {
      for (const candidate of rest) links = await addOne(links, candidate)
      const last = links.at(-1)
      if (last === undefined) return { links, gate: null }
      await ports.checkpoint?.("merge:before-gate")
      const gate = await gateRuns.judge(last.commit)
      const unjudged = links.filter(({ isUnited }) => isUnited && !hasJudged(gate))
      if (gate.status !== "failed") {
        const [first] = unjudged
        if (first === undefined) return { links, gate }
        for (const { candidate } of unjudged) chain.refuseUnion(candidate)
        rest = goBackTo(first.candidate)
        continue
      }
      const start = await gateRuns.judge(before)
      if (start.status === "failed") {
        const reason = `the gate fails on ${batch.branch} without any of these as well: ${start.issues[0] ?? "no reason given"}`
        for (const link of links) outcomes.set(link.candidate, { kind: "untested", reason })
        return { links: [], gate: start }
      }
      const found = await bisectBatch({ chain, gateRuns, links, histories })
      const { candidate, isUnited } = found.link
      if (isUnited) chain.refuseUnion(candidate)
      else guilty.add(candidate)
      // Later candidates may have conflicted with this one or depended on it, so they are merged again.
      rest = goBackTo(candidate)
      if (isUnited) continue
      const outcome = { kind: "guilty", gate: found.gate, with: found.with } as const
      outcomes.set(candidate, await line.afterFailure(candidate, outcome))
    }
  }

  async function addOne(links: readonly Link[], candidate: Candidate): Promise<readonly Link[]> {
    const added = await chain.add(links, candidate, histories.get(candidate) ?? NO_HISTORY)
    const outcome =
      "link" in added ? await line.beforeMerge(candidate) : await line.afterFailure(candidate, added.outcome)
    if ("link" in added && outcome === undefined) return [...links, added.link]
    if (outcome !== undefined) outcomes.set(candidate, outcome)
    return links
  }
}

/** Repairs go first, since other work waits for them. */
function repairsFirst(candidates: readonly Candidate[]): readonly Candidate[] {
  const [repairs, rest] = [true, false].map((isFix) => candidates.filter(({ taskId }) => isFixId(taskId) === isFix))
  return [...(repairs ?? []), ...(rest ?? [])]
}

/** Without a command that read the files, nothing proves that a union of texts works. */
function hasJudged({ status, checks }: GateResult): boolean {
  return status === "passed" && checks.some((check) => check.status === "passed")
}

const UNKNOWN: Outcome = { kind: "waiting", reason: "it was not looked at" }
const NO_HISTORY: BranchHistory = { commits: [], foundation: [], hasBase: true, foreign: [] }

async function readHistories(merges: Merges, batch: Batch): Promise<Map<Candidate, BranchHistory>> {
  const branches = batch.candidates.map((candidate) => ({
    ...candidate,
    others: batch.others.filter((other) => !candidate.mayContain.includes(other)),
  }))
  const histories = await merges.histories(batch.before, branches)
  return new Map(batch.candidates.map((candidate, index) => [candidate, histories[index] ?? NO_HISTORY]))
}

async function sizeNotices(merges: Merges, links: readonly Link[]) {
  const changed = (changes: readonly Change[]) => changes.filter((change) => change.newMode !== null)
  const ids = links.flatMap((link) => changed(link.changes).map((change) => change.newId))
  const sizes = await merges.sizes([...new Set(ids)])
  return new Map(links.map((link) => [link, judgeSizes(link.changes, sizes)]))
}
