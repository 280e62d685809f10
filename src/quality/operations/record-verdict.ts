import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { parseTaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { choice, list } from "../../lib/schema.ts"
import { unreachable } from "../../lib/unreachable.ts"
import { countTasks } from "../../reporting/status.ts"
import { type Context, idField, operation, runFields, teamFields, textField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { decideWave, waveNotFound } from "../../tasks/operations/decide-wave.ts"
import { getTask, getTeam, lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { changePhase } from "../../tasks/operations/task-moves.ts"
import type { Task } from "../../tasks/task.ts"
import { failureForEvent, warningsForEvent } from "../failure-excerpt.ts"
import type { NewFinding } from "../finding.ts"
import { listLeftOut } from "../left-out.ts"
import { readProse } from "../read-findings.ts"
import { type Check, VERDICT_SCOPES, VERDICT_STATUSES, type Verdict } from "../verdict.ts"
import { requireQaAgain } from "./hold-qa.ts"
import { recordFindings } from "./record-findings.ts"

const input = {
  ...teamFields,
  scope: choice(VERDICT_SCOPES, "what was judged"),
  subject: v.optional(idField("task id or wave number")),
  status: choice(VERDICT_STATUSES, "outcome"),
  check: v.optional(list(textField("check"), "name=passed|failed|skipped[:evidence]; may be repeated"), []),
  issue: v.optional(list(textField("issue"), "what is wrong; may be repeated"), []),
  by: v.optional(idField("who judged")),
}

/** Also applies it: a wave becomes verified or failed, a project COMPLETE. */
export const recordVerdict = operation({
  name: "verdict.record",
  summary: "Record the verdict of a check on a task, a wave or the whole project",
  input,
  async run(context, { project, team, check, issue, ...input }): Promise<Verdict> {
    const checks = check.map(parseCheck)
    const failed = checks.find((each) => each.status === "failed")
    if (input.status === "passed" && failed !== undefined) {
      throw new AppError("input.invalid", `a verdict cannot be passed while its check ${failed.name} failed`)
    }
    const { scope, subject = null, status, by = PERSON } = input
    return addVerdict(context, { project, team }, { scope, subject, status, checks, issues: issue, by })
  },
})

function findingsOf(issues: readonly string[]): NewFinding[] {
  const texts =
    issues.length === 0 ? ["a review failed and names no finding: look for what is wrong as a whole"] : issues
  return texts.flatMap((text): NewFinding[] => {
    const read = readProse(text)
    if (read.length > 0) return read.map((each) => ({ ...each, task: null }))
    return [{ severity: "major", task: null, file: null, line: null, text }]
  })
}

/** For our gates, with the tree they judged. */
export async function addVerdict(
  { store }: Context,
  name: TeamName,
  verdict: Omit<Verdict, "timestamp">,
): Promise<Verdict> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const { scope, status, issues, commit = null, by } = verdict
    // A failed review always leaves something to fix, even if a person recorded it.
    if (scope === "cross-agent" && status === "failed")
      await recordFindings(tx, team, { findings: findingsOf(issues), source: "person", commit, by, agent: null })
    return addVerdictIn(tx, team, verdict)
  })
}

/** The team must be locked. */
export async function addVerdictIn(tx: Tx, team: StoredTeam, verdict: Omit<Verdict, "timestamp">): Promise<Verdict> {
  const { scope, subject, status, by } = verdict
  await takeEffect(tx, team, verdict)
  const added = await tx.verdicts.add(team.key, verdict)
  const data = { scope, subject, status, ...failureForEvent(verdict), ...warningsForEvent(verdict) }
  await tx.events.append(team.key, by, { type: "verdict.recorded", data })
  return added
}

async function takeEffect(
  tx: Tx,
  team: StoredTeam,
  input: Pick<Verdict, "scope" | "subject" | "status" | "checks" | "by" | "tree">,
): Promise<void> {
  switch (input.scope) {
    case "task":
    case "qa":
      if (input.subject === null)
        throw new AppError("usage", (say) => `a verdict on a ${input.scope} names it with ${say.field("subject")}`)
      return judgeTask(tx, team, { ...input, task: await getTask(tx, team.key, parseTaskId(input.subject)) })
    case "wave": {
      if (!/^[1-9]\d*$/.test(input.subject ?? "")) {
        throw new AppError("usage", (say) => `a verdict on a wave names its number with ${say.field("subject")}`)
      }
      const number = Number(input.subject)
      if (input.status === "skipped") return getWave(tx, team, number)
      return decideWave(tx, team, { number, to: input.status === "passed" ? "verified" : "failed", by: input.by })
    }
    case "final":
      // A partial verdict completes nothing.
      if (listLeftOut(input) !== null) return
      if (input.status === "failed")
        return team.phase === "PLANNING" ? undefined : changePhase(tx, team, { to: "EXECUTION", by: input.by })
      if (input.status === "passed") return complete(tx, team, input.by)
      return
    case "cross-agent":
      return
    default:
      return unreachable(input.scope)
  }
}

/** QA passed one tree; another one needs QA again. */
async function judgeTask(
  tx: Tx,
  team: StoredTeam,
  { task, scope, tree, by }: Pick<Verdict, "scope" | "by" | "tree"> & { readonly task: Task },
): Promise<void> {
  if (scope !== "task" || tree === undefined || task.qa !== "passed" || task.status !== "in_progress") return
  await requireQaAgain(tx, team, { task: await lockTask(tx, team.key, task.id), tree, by })
}

async function getWave(tx: Tx, team: StoredTeam, number: number): Promise<void> {
  const waves = await tx.waves.list(team.key)
  if (!waves.some((wave) => wave.number === number)) throw waveNotFound(number, waves.length)
}

/** All tasks must be done and all waves verified. */
async function complete(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  const refuse = (code: "task.not_ready" | "wave.transition", why: string) =>
    new AppError(code, `${why}; the final verdict cannot be passed`)
  const { total, resolved, skipped } = countTasks(await tx.tasks.progress(team.key))
  if (total === 0) throw refuse("task.not_ready", "there are no tasks")
  const left = total - resolved - skipped
  if (left > 0) throw refuse("task.not_ready", `${left} of ${total} tasks are not resolved`)
  const open = (await tx.waves.list(team.key)).find((wave) => wave.verdict !== "verified")
  if (open !== undefined) throw refuse("wave.transition", `wave ${open.number} is not verified`)
  return changePhase(tx, team, { to: "COMPLETE", by })
}

function parseCheck(text: string): Check {
  const match = /^([^=]+)=(passed|failed|skipped)(?::([\s\S]*))?$/.exec(text)
  const [, name, status, evidence] = match ?? []
  if (name === undefined || status === undefined) {
    throw new AppError(
      "usage",
      `check ${JSON.stringify(text.slice(0, 60))} is not of the form name=passed, name=failed or name=skipped`,
    )
  }
  return { name, status: status as Check["status"], ...(evidence === undefined ? {} : { evidence }) }
}

export const listVerdicts = operation({
  name: "verdict.list",
  summary: "List the verdicts",
  input: runFields,
  run: ({ store }, input): Promise<Verdict[]> =>
    store.read(async (tx) => tx.verdicts.list((await getTeam(tx, input)).key)),
})
