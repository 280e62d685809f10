import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { choice, flag, type InputOf } from "../../lib/schema.ts"
import { idField, operation, roleField, teamFields, textField, workerIdField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { lockWorking } from "../../tasks/operations/held-tasks.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { releaseTask } from "../../tasks/operations/task-moves.ts"
import type { Role } from "../../tasks/task.ts"
import { registerWorker } from "../../workers/operations/setup-worker.ts"
import { DELEGATIONS, nameOf, type Seat } from "../seat.ts"

const terminalField = idField("which session or terminal; this one by default")

export interface Joined extends Seat {
  readonly role: Role | null
  readonly loop: boolean
}

const joinInput = {
  ...teamFields,
  terminalId: terminalField,
  lead: flag("as the lead of the team instead of a worker"),
  role: v.optional(roleField),
  workerId: v.optional(workerIdField),
  loop: flag("as a worker: go on to the next task until none is left"),
  delegation: v.optional(
    choice(DELEGATIONS, "as the lead: strict leaves all work on the project to workers, lead is the default"),
  ),
  takeOver: flag("from a session that is gone: take its place"),
}

export const join = operation({
  name: "join",
  summary: "Take part in the team with this session: as a worker, or as its lead",
  input: joinInput,
  async run({ store }, input): Promise<Joined> {
    const isLead = input.lead === true
    checkPart(input)
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const { terminalId } = input
      const now = await tx.seats.find(terminalId)
      if (now !== undefined && (now.project !== team.project || now.team !== team.team))
        throw new AppError(
          "seat.taken",
          `this session takes part in ${now.project}/${now.team}`,
          {},
          { remedy: { operation: "leave", to: "leave there first with" } },
        )
      const asked = isLead ? undefined : (input.workerId ?? now?.worker ?? undefined)
      await makeRoom(tx, team, input, asked)
      const worker = isLead
        ? null
        : await registerWorker(tx, team, { workerId: asked, role: input.role, sessionId: terminalId })
      const delegation = input.delegation ?? "lead"
      const part = isLead ? ("lead" as const) : ("worker" as const)
      const isSame = now?.part === part && now.worker === (worker?.id ?? null) && now.delegation === delegation
      if (!isSame && now?.worker && now.worker !== worker?.id) await giveBack(tx, team, now, "joined as another worker")
      const seat = isSame
        ? now
        : await tx.seats.put(team.key, { terminalId, part, worker: worker?.id ?? null, delegation })
      const { project, team: name } = team
      // The loop belonged to the previous part.
      if (!isSame) await tx.loops.remove(terminalId)
      if (input.loop === true)
        await tx.loops.put({ active: true, project, team: name, role: worker?.role ?? null, terminalId })
      if (!isSame)
        await tx.events.append(team.key, nameOf(seat), {
          type: "seat.taken",
          data: { terminal: terminalId, part, worker: seat.worker, delegation },
        })
      return { ...seat, role: worker?.role ?? null, loop: (await tx.loops.find(terminalId))?.active === true }
    })
  },
})

function checkPart({ lead, role, workerId, loop, delegation }: InputOf<typeof joinInput>): void {
  const isLead = lead === true
  if (isLead && (role !== undefined || workerId !== undefined || loop === true))
    throw new AppError(
      "usage",
      (say) =>
        `${say.field("lead")} goes without ${say.field("role")}, ${say.field("workerId")} and ${say.field("loop")}, which are for workers`,
    )
  if (!isLead && delegation !== undefined)
    throw new AppError("usage", (say) => `${say.field("delegation")} is for the lead; add ${say.field("lead")}`)
}

/** One lead, and one session per worker: two would work on the same tasks. */
async function makeRoom(
  tx: Tx,
  team: StoredTeam,
  { terminalId, lead, takeOver }: InputOf<typeof joinInput>,
  worker: string | undefined,
): Promise<void> {
  const others = (await tx.seats.list(team.key)).filter((seat) => seat.terminalId !== terminalId)
  const holder = others.find((seat) =>
    lead === true ? seat.part === "lead" : worker !== undefined && seat.worker === worker,
  )
  if (holder === undefined) return
  const who = lead === true ? "the lead" : `worker ${worker}`
  if (takeOver !== true)
    throw new AppError(
      "seat.taken",
      (say) =>
        `${who} of ${team.project}/${team.team} is session ${holder.terminalId}, since ${holder.joinedAt}; if that one is gone, add ${say.field("takeOver")}`,
      { terminalId: holder.terminalId },
    )
  // The worker keeps its tasks; it only moves to another session.
  await removeSeat(tx, team, holder, { released: [], reason: "taken over" })
}

export interface Left {
  readonly seat: Seat
  readonly released: readonly string[]
}

export const leave = operation({
  name: "leave",
  summary: "Leave the team with this session, and give back what it holds",
  input: { terminalId: terminalField, reason: v.optional(textField("why", 2000), "left") },
  run: ({ store }, { terminalId, reason }): Promise<Left> =>
    store.write(async (tx) => {
      const seat = await tx.seats.find(terminalId)
      if (seat === undefined)
        throw new AppError(
          "seat.not_found",
          "this session takes part in no team",
          {},
          { remedy: { operation: "join", to: "join one with" } },
        )
      const team = await lockTeam(tx, seat)
      const released = await giveBack(tx, team, seat, reason)
      await removeSeat(tx, team, seat, { released, reason })
      return { seat, released }
    }),
})

async function removeSeat(
  tx: Tx,
  team: StoredTeam,
  { terminalId, part, worker }: Seat,
  { released, reason }: { readonly released: readonly TaskId[]; readonly reason: string },
): Promise<void> {
  await tx.seats.remove(terminalId)
  await tx.loops.remove(terminalId)
  await tx.events.append(team.key, nameOf({ worker }), {
    type: "seat.left",
    data: { terminal: terminalId, part, worker, released: [...released], reason },
  })
}

async function giveBack(tx: Tx, team: StoredTeam, { worker }: Seat, reason: string): Promise<TaskId[]> {
  if (worker === null) return []
  const held = await lockWorking(tx, team.key, worker)
  for (const task of held) await releaseTask(tx, team, { task, by: worker, reason })
  // Leaving does not end a quarantine.
  const isQuarantined = (await tx.workers.find(team.key, worker))?.status === "quarantined"
  if (!isQuarantined) await tx.workers.put(team.key, worker, { availability: "stopped" })
  return held.map((task) => task.id)
}
