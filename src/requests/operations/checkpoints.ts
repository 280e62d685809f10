import { ENGINE, PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import type { TeamName } from "../../kernel/team.ts"
import { choice } from "../../lib/schema.ts"
import { type Context, operation, teamFields } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import {
  type Approval,
  CHECKPOINTS,
  type Checkpoint,
  describeFinal,
  listForApproval,
  nameApproval,
  toApproval,
  WAITS_FOR_APPROVAL,
  waysToDecide,
} from "../approval.ts"
import { askApproval } from "./ask-approval.ts"
import { listHolding } from "./escalation-holds.ts"

/** Before anything is done: what the goal means, and how the team goes about it. */
const AT_START: readonly Checkpoint[] = ["understanding", "team-plan"]

/** The questions about the team as a whole, the latest of each subject. */
export async function readCheckpoints(tx: Tx, key: number): Promise<Map<string, Approval>> {
  const asked = (await tx.records.list(key, { kind: "approval", taskId: null })).map(toApproval)
  return new Map(asked.filter(({ status }) => status !== "withdrawn").map((approval) => [approval.subject, approval]))
}

/**
 * Asks a person at one of the places of SUPERVISED mode, and holds the team there: nobody gets a task before it is
 * approved. The final delivery is held by itself. The team must be locked.
 */
export async function askCheckpoint(
  tx: Tx,
  team: StoredTeam,
  { checkpoint, by }: { readonly checkpoint: Checkpoint; readonly by: string },
): Promise<Approval> {
  const scope = checkpoint === "team-plan" ? "plan" : "checkpoint"
  const question = await describe(tx, team, checkpoint)
  const asked = await askApproval(tx, team, { scope, subject: checkpoint, task: null, question, by })
  if (checkpoint !== "final") await hold(tx, team, by)
  return asked
}

/** At the start, and again whenever the plan is another one before it was approved. */
export async function askAtStart(tx: Tx, name: TeamName, by: string): Promise<void> {
  const team = await lockTeam(tx, name)
  if (team.mode !== "SUPERVISED" || (await isBegun(tx, team.key))) return
  const known = await readCheckpoints(tx, team.key)
  for (const checkpoint of AT_START) {
    if (known.get(checkpoint)?.status !== "approved") await askCheckpoint(tx, team, { checkpoint, by })
  }
}

async function isBegun(tx: Tx, key: number): Promise<boolean> {
  return (await tx.tasks.progress(key)).some(({ status }) => status !== "open")
}

/** After the first wave: what there is so far, before the rest is built on it. */
export async function askForDraft(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  if (team.mode !== "SUPERVISED" || (await readCheckpoints(tx, team.key)).has("draft")) return
  const left = (await tx.tasks.progress(team.key)).some(({ status }) => !["resolved", "skipped"].includes(status))
  if (left) await askCheckpoint(tx, team, { checkpoint: "draft", by })
}

/** Why a person cannot simply let the team go on; undefined when nothing was asked of them. */
export async function whyHeld(tx: Tx, key: number): Promise<AppError | undefined> {
  for (const approval of (await readCheckpoints(tx, key)).values()) {
    const name = nameApproval(approval)
    if (approval.subject === "final") continue
    if (approval.status === "pending")
      return new AppError(
        "approval.needed",
        `the team waits for ${name}`,
        { number: approval.number },
        { remedy: waysToDecide(approval.number) },
      )
    if (approval.status === "rejected" && AT_START.includes(approval.subject as Checkpoint))
      return new AppError(
        "approval.needed",
        `${name} was rejected`,
        { number: approval.number },
        {
          remedy: {
            operation: "checkpoint",
            fields: { name: approval.subject },
            to: "change the tasks, then ask again with",
          },
        },
      )
  }
  return undefined
}

/** Lets a team go on that was held for approvals, once none of them is open. The team must be locked. */
export async function letGoOn(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  if (team.status !== "paused" || (await whyHeld(tx, team.key)) !== undefined) return
  if ((await listHolding(tx, team.key, null)).length > 0) return
  await tx.teams.update(team.key, { status: "active", pauseReason: null })
  await tx.events.append(team.key, by, { type: "team.resumed", data: {} })
}

export const checkpoint = operation({
  name: "checkpoint",
  summary: "Ask for the approval of a checkpoint, as the engine does by itself in SUPERVISED mode",
  input: { ...teamFields, name: choice(CHECKPOINTS, "which one") },
  run: ({ store }, { name, ...team }): Promise<Approval> =>
    store.write(async (tx) => askCheckpoint(tx, await lockTeam(tx, team), { checkpoint: name, by: PERSON })),
})

/** Before the work leaves the integration branch. */
export async function askForFinal({ store }: Context, name: TeamName): Promise<Approval> {
  return store.write(async (tx) => askCheckpoint(tx, await lockTeam(tx, name), { checkpoint: "final", by: ENGINE }))
}

/** Refuses to deliver what a person wanted to see first and has not approved as it is now. */
export async function assertDeliverable({ store }: Context, name: TeamName): Promise<void> {
  await store.read(async (tx) => {
    const team = await getTeam(tx, name)
    if (team.mode !== "SUPERVISED") return
    const final = (await readCheckpoints(tx, team.key)).get("final")
    const isOutdated = final?.question !== describeFinal(await tx.tasks.list(team.key))
    if (final?.status === "approved" && !isOutdated) return
    const remedy: Remedy =
      final?.status === "pending" && !isOutdated
        ? { operation: "approve", fields: { number: final.number } }
        : { operation: "checkpoint", fields: { name: "final" }, to: "ask for it with" }
    throw new AppError("approval.needed", "the final delivery waits for an approval", {}, { remedy })
  })
}

async function hold(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  if (team.status !== "active") return
  const reason = WAITS_FOR_APPROVAL
  await tx.teams.update(team.key, { status: "paused", pauseReason: reason })
  await tx.events.append(team.key, by, { type: "team.paused", data: { reason } })
}

async function describe(tx: Tx, team: StoredTeam, checkpoint: Checkpoint): Promise<string> {
  if (checkpoint === "understanding") return `Goal: ${team.goal}`
  if (checkpoint === "final") return describeFinal(await tx.tasks.list(team.key))
  const tasks = await tx.tasks.graph(team.key)
  if (checkpoint === "draft")
    return `The first wave is merged and verified; the rest will be built on it. See: teamwork diff\n${listForApproval(tasks)}`
  const planned = tasks.map(({ status: _, ...task }) => task)
  const count = tasks.length === 1 ? "1 task" : `${tasks.length} tasks`
  return `Goal: ${team.goal}\n${count}:\n${listForApproval(planned)}`
}
