import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Leadership, Tx } from "../../store/port.ts"
import { getTeam, lockTeam } from "../../tasks/operations/lookup.ts"

export interface Lead extends TeamName {
  /** A unique name of the process. */
  readonly holder: string
  readonly token: number
  readonly leaseMs: number
}

export interface LeadRequest extends Omit<Lead, "token"> {
  /** As JSON; a process that takes over continues with them. */
  readonly settings: string
  /** Whether the leader is known to be dead before its lease has expired. */
  isGone(holder: string): boolean
}

/** Only one of several orchestrators leads. After a dead leader, the next one continues its work. */
export async function takeLead({ store }: Context, request: LeadRequest): Promise<Lead> {
  const { project, team, run, holder, leaseMs, settings } = request
  const current = await findLead({ store }, request)
  // Outside of the transaction, which may run more than once.
  const isGone = current !== undefined && request.isGone(current.holder)
  const token = await store.write(async (tx) => {
    const { key } = await lockTeam(tx, request)
    const leader = await findLeader(tx, key)
    if (leader !== undefined && !(isGone && leader.token === current.token)) throw ledByOther(request, leader)
    if (leader !== undefined)
      await tx.events.append(key, leader.holder, {
        type: "team.left",
        data: { holder: leader.holder, token: leader.token, reason: "lost" },
      })
    const taken = await tx.leaders.take(key, { holder, leaseMs })
    await tx.events.append(key, holder, { type: "team.led", data: { holder, token: taken.token, settings } })
    return taken.token
  })
  return { project, team, run, holder, token, leaseMs }
}

/** A cheap check before expensive work. A team that does not exist yet has no leader. */
export async function assertNotLed(context: Context, request: TeamName & Pick<LeadRequest, "isGone">): Promise<void> {
  const leader = await findLead(context, request).catch((error) => {
    if (!(error instanceof AppError && error.code === "team.not_found")) throw error
  })
  if (leader !== undefined && !request.isGone(leader.holder)) throw ledByOther(request, leader)
}

export async function findLead({ store }: Pick<Context, "store">, name: TeamName): Promise<Leadership | undefined> {
  return store.read(async (tx) => findLeader(tx, (await getTeam(tx, name)).key))
}

export async function findLeader(tx: Tx, key: number): Promise<Leadership | undefined> {
  const leader = await tx.leaders.find(key)
  return leader !== undefined && leader.leaseUntil > (await tx.now()) ? leader : undefined
}

/** False when another process leads by now. */
export async function renewLead({ store }: Context, lead: Lead): Promise<boolean> {
  return store.write(async (tx) => tx.leaders.renew((await getTeam(tx, lead)).key, lead))
}

export async function endLead({ store }: Context, lead: Lead, reason: string): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, lead)
    if (!(await tx.leaders.end(key, lead.token))) return
    const { holder, token } = lead
    await tx.events.append(key, holder, { type: "team.left", data: { holder, token, reason } })
  })
}

function ledByOther(name: TeamName, { holder }: Leadership): AppError {
  return new AppError(
    "team.led",
    `${describeTeam(name)} is led by another teamwork run (${holder})`,
    { holder },
    { remedy: { operation: "watch", to: "stop that one first, or watch it with" } },
  )
}
