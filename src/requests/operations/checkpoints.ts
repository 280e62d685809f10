import { ENGINE, PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import type { TeamName } from "../../kernel/team.ts"
import { choice } from "../../lib/schema.ts"
import { type Context, operation, teamFields } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import { isMet } from "../../tasks/task.ts"
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
import { listHolding, pauseTeam, resumeTeam } from "./escalation-holds.ts"

/** Before any work: what the goal means, and the plan of the team. */
const AT_START: readonly string[] = ["understanding", "team-plan"] satisfies Checkpoint[]

/** The latest question of each subject about the team. */
export async function readCheckpoints(tx: Tx, key: number): Promise<Map<string, Approval>> {
  const asked = (await tx.records.list(key, { kind: "approval", taskId: null })).map(toApproval)
  return new Map(asked.filter(({ status }) => status !== "withdrawn").map((approval) => [approval.subject, approval]))
}

/**
 * Pauses the team until the answer, in SUPERVISED mode. `final` does not pause: the delivery waits by itself. The
 * team must be locked.
 */
async function askCheckpoint(tx: Tx, team: StoredTeam, checkpoint: Checkpoint, by: string): Promise<Approval> {
  const scope = checkpoint === "team-plan" ? "plan" : "checkpoint"
  const question = await describe(tx, team, checkpoint)
  const asked = await askApproval(tx, team, { scope, subject: checkpoint, task: null, question, by })
  if (checkpoint !== "final") await pauseTeam(tx, team, { by, reason: WAITS_FOR_APPROVAL })
  return asked
}

/** Also whenever the plan changes before its approval. */
export async function askAtStart(tx: Tx, name: TeamName, by: string): Promise<void> {
  const team = await lockTeam(tx, name)
  if (team.mode !== "SUPERVISED") return
  if ((await tx.tasks.progress(team.key)).some(({ status }) => status !== "open")) return
  const known = await readCheckpoints(tx, team.key)
  for (const checkpoint of CHECKPOINTS.filter((each) => AT_START.includes(each)))
    if (known.get(checkpoint)?.status !== "approved") await askCheckpoint(tx, team, checkpoint, by)
}

/** After the first wave, before the rest is built on it. */
export async function askForDraft(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  if (team.mode !== "SUPERVISED" || (await readCheckpoints(tx, team.key)).has("draft")) return
  const isUnfinished = (await tx.tasks.progress(team.key)).some(({ status }) => !isMet(status))
  if (isUnfinished) await askCheckpoint(tx, team, "draft", by)
}

/** The error for resuming a team that waits for an approval. */
export async function findHoldError(tx: Tx, key: number): Promise<AppError | undefined> {
  for (const approval of (await readCheckpoints(tx, key)).values()) {
    const { number, subject, status } = approval
    const refuse = (message: string, remedy: Remedy | readonly Remedy[]) =>
      new AppError("approval.needed", message, { number }, { remedy })
    if (subject === "final") continue
    if (status === "pending") return refuse(`the team waits for ${nameApproval(approval)}`, waysToDecide(number))
    if (status === "rejected" && AT_START.includes(subject)) {
      const to = "change the tasks, then ask again with"
      return refuse(`${nameApproval(approval)} was rejected`, {
        operation: "checkpoint",
        fields: { name: subject },
        to,
      })
    }
  }
  return undefined
}

/** Only if nothing holds the team any more. The team must be locked. */
export async function resumeIfFree(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  if (team.status !== "paused" || (await findHoldError(tx, team.key)) !== undefined) return
  if ((await listHolding(tx, team.key, null)).length === 0) await resumeTeam(tx, team, by)
}

export const checkpoint = operation({
  name: "checkpoint",
  summary: "Ask for the approval of a checkpoint, as the engine does by itself in SUPERVISED mode",
  input: { ...teamFields, name: choice(CHECKPOINTS, "which one") },
  run: ({ store }, { name, ...team }): Promise<Approval> =>
    store.write(async (tx) => askCheckpoint(tx, await lockTeam(tx, team), name, PERSON)),
})

/** Before the work leaves the integration branch. */
export async function askForFinal({ store }: Context, name: TeamName): Promise<Approval> {
  return store.write(async (tx) => askCheckpoint(tx, await lockTeam(tx, name), "final", ENGINE))
}

/** In SUPERVISED mode, a person must have approved the work as it is now. */
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
