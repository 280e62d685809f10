import * as v from "valibot"
import { command } from "../../app/command.ts"
import { lockMakerFor } from "../../app/wiring/lock-maker-for.ts"
import { trustHere } from "../../app/wiring/trust-here.ts"
import { verifierFor } from "../../app/wiring/verifier-for.ts"
import { renewHere, sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { resolvePath } from "../../lib/paths.ts"
import { number, text } from "../../lib/schema.ts"
import { unreachable } from "../../lib/unreachable.ts"
import type { Overlap } from "../../ownership/operations/warn-overlap.ts"
import { teamFields } from "../../store/operation.ts"
import type { Outcome as MergeOutcome } from "../merge-queue/candidate.ts"
import { connectGates } from "../merge-queue/connect-gates.ts"
import { mergeWave, type WaveReport } from "../merge-queue/merge-wave.ts"
import { watchOverlaps } from "../merge-queue/watch-overlaps.ts"
import { sayStranger } from "../target/deliver.ts"
import { type MergeLine, renderMerge, short } from "../views/merge-view.ts"

const input = {
  ...teamFields,
  wave: v.optional(number("only the tasks of this wave; without it, every resolved task", { isInteger: true, min: 1 })),
  target: v.optional(text("the branch that gets the work in the end; at first the one that is checked out")),
  sourceDir: sourceDirField,
}

export const swarmMerge = command({
  summary: "Merge the work of resolved tasks into the team's integration branch; what does not fit becomes a fix task",
  fields: input,
  positional: ["wave"],
  example: "teamwork swarm merge --wave 1",
  async run(session, { sourceDir, ...request }) {
    const folder = resolvePath(sourceDir ?? ".", session.host.io.cwd)
    await trustHere(session, { folder })
    const { merges } = await (await session.configured()).merging(folder)
    const { gate, scope } = connectGates(await verifierFor(session, { folder }), request)
    const context = await session.context()
    const { project, team, target } = request
    const makeLock = await lockMakerFor(session)
    const work = () => mergeWave(context, { merges, gate, scope, makeLock }, request)
    const { result: report, told } = await renewHere(session, { project, team, sourceDir, target, work })
    const overlaps = await watchOverlaps(context, merges, request).look()
    const lines = linesOf(report)
    const isWhole =
      report.outcomes.every(({ outcome }) => !FAILURES.includes(outcome.kind)) && report.elsewhere.length === 0
    return {
      data: { ...dataOf(report), overlaps },
      text: (screen) =>
        renderMerge({ ...report, lines, notes: [...told, ...notesOf(report), ...overlaps.map(sayOverlap)] }, screen),
      exitCode: isWhole ? 0 : 1,
    }
  },
})

const FAILURES: readonly MergeOutcome["kind"][] = ["refused", "conflict", "guilty", "untested", "asked", "queued"]

function dataOf({ outcomes, gate, looked: _, ...report }: WaveReport) {
  return {
    ...report,
    gate: gate && { status: gate.status, checks: gate.checks, issues: gate.issues },
    outcomes: outcomes.map(({ candidate, outcome }) => {
      const { taskId, attempt, alsoFor, worker, base, head } = candidate
      return { taskId, attempt, alsoFor, worker, base, head, ...outcome }
    }),
  }
}

function linesOf({ outcomes, left, elsewhere }: WaveReport): MergeLine[] {
  return [
    ...outcomes.map(({ candidate, outcome }) => {
      const task = [candidate, ...candidate.alsoFor].map((each) => each.taskId).join(", ")
      return { task, outcome: outcome.kind, detail: detailOf(outcome) }
    }),
    ...left.map(({ taskId, reason }) => ({ task: taskId, outcome: "left", detail: reason })),
    ...elsewhere.map(({ taskId, reason }) => ({ task: taskId, outcome: "elsewhere", detail: reason })),
  ]
}

function detailOf(outcome: MergeOutcome): string {
  switch (outcome.kind) {
    case "merged":
      return [short(outcome.commit), ...outcome.notices.map((notice) => notice.message)].join("; ")
    case "contained":
      return "it is merged already"
    case "empty":
      return "it has no commit to merge"
    case "waiting":
    case "untested":
      return outcome.reason
    case "refused":
      return outcome.notices.map((notice) => notice.message).join("; ")
    case "queued":
      return `it is merged after ${outcome.behind}, which mends the same files`
    case "conflict":
      return outcome.conflicts.map(({ path, kind }) => `${JSON.stringify(path)} (${kind})`).join(", ")
    case "asked":
      return `${outcome.questions.map(({ subject }) => subject).join(", ")}; see: teamwork approvals`
    case "guilty": {
      const partner = outcome.with.length === 0 ? "" : ` together with ${outcome.with.join(", ")}`
      return `the gate fails with it${partner}: ${outcome.gate.issues[0] ?? "see its fix task"}`
    }
    default:
      return unreachable(outcome)
  }
}

function sayOverlap({ workers, paths }: Overlap): string {
  const shown = paths.map((path) => JSON.stringify(path)).join(", ")
  return `The branches of ${workers.join(" and ")} do not fit together in ${shown}`
}

const NOT_TESTED =
  "Nothing was tested: there is no command for it; name one with: teamwork config set gates.test COMMAND"

function notesOf(report: WaveReport): string[] {
  const { fixes, pending, mended, gate, flaky, strangers, restored, elsewhere } = report
  return [
    ...elsewhere.map(({ taskId, command }) => `To bring the work of task ${taskId} here: ${command}`),
    ...(gate?.status === "skipped" ? [NOT_TESTED] : []),
    ...flaky,
    ...strangers.map(sayStranger),
    ...restored.map(({ ref, to }) => `${ref} was moved by others, and is back at ${short(to)}`),
    ...fixes.map(({ taskId, fix }) => `Task ${fix} mends ${taskId === fix ? "it in a new attempt" : `task ${taskId}`}`),
    ...(pending.length === 0 ? [] : [`Not resolved yet: ${pending.join(", ")}`]),
    ...mended,
  ]
}
