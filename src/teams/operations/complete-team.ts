import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type Team, type TeamName } from "../../kernel/team.ts"
import { type Context, operation, teamFields, textField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { getTeam, lockTeam, publicTeam } from "../../tasks/operations/lookup.ts"
import { isMet } from "../../tasks/task.ts"
import { KEPT, SUMMARY_OF } from "../completion.ts"
import { findLeader } from "./lead-team.ts"

/** Throws while a process leads the team or tasks are left. */
export async function assertArchivable({ store }: Pick<Context, "store">, name: TeamName): Promise<void> {
  await store.read(async (tx) => assertOver(tx, await getTeam(tx, name)))
}

interface Archived extends TeamName {
  readonly summary: string
  readonly how: keyof typeof SUMMARY_OF
}

/** A second call only replaces the summary. */
export async function archiveTeam(
  { store }: Pick<Context, "store">,
  { summary, how, ...name }: Archived,
): Promise<Team> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    await assertOver(tx, team)
    await tx.documents.put(team.key, { path: SUMMARY_OF[how], content: summary, encoding: "utf8", by: PERSON })
    if (team.status !== "completed") {
      await tx.teams.update(team.key, { status: "completed", pauseReason: null })
      const data = { from: team.status, to: "completed", reason: `${how}d` } as const
      await tx.events.append(team.key, PERSON, { type: "team.status_changed", data })
    }
    return publicTeam(await getTeam(tx, name))
  })
}

/** Worktrees and branches stay until the team is resumed. */
export const keepTeam = operation({
  name: "team.keep",
  summary: "Keep a team for later: it is paused, with its worktrees and branches, until it is resumed",
  input: { ...teamFields, reason: v.optional(textField("why", 2000)) },
  async run({ store }, { reason, ...name }): Promise<Team> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const why = reason === undefined ? KEPT : `${KEPT}: ${reason}`
      if ((await findLeader(tx, team.key)) !== undefined) throw led(team)
      if (team.status !== "paused" || team.pauseReason !== why) {
        await tx.teams.update(team.key, { status: "paused", pauseReason: why })
        await tx.events.append(team.key, PERSON, { type: "team.paused", data: { reason: why } })
      }
      return publicTeam(await getTeam(tx, name))
    })
  },
})

async function assertOver(tx: Tx, team: StoredTeam): Promise<void> {
  if ((await findLeader(tx, team.key)) !== undefined) throw led(team)
  const left = (await tx.tasks.list(team.key)).filter(({ status }) => !isMet(status)).map(({ id }) => id)
  if (left.length === 0) return
  const some = `${left.slice(0, MOST_SHOWN).join(", ")}${left.length > MOST_SHOWN ? ` and ${left.length - MOST_SHOWN} more` : ""}`
  throw new AppError(
    "archive.refused",
    `${describeTeam(team)} is not done (${some})`,
    { tasks: left },
    {
      remedy: [
        { operation: "run", to: "finish them with" },
        { operation: "keep", to: "keep the team with" },
      ],
    },
  )
}

const MOST_SHOWN = 10

function led(team: TeamName): AppError {
  return new AppError(
    "archive.refused",
    `${describeTeam(team)} is being led by a teamwork run`,
    {},
    { remedy: { operation: "cancel", to: "wait for its end, or stop it with" } },
  )
}
