import { ENGINE } from "../../kernel/actor.ts"
import type { TeamName } from "../../kernel/team.ts"
import { LEAD, type Message } from "../../messages/message.ts"
import type { Context } from "../../store/operation.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"

export interface Overlap {
  /** Sorted. */
  readonly workers: readonly [string, string]
  readonly paths: readonly string[]
}

const SHOWN_PATHS = 10

/** Messages both workers and the lead, once for the same workers and paths. Returns the messages. */
export async function warnOverlap({ store }: Context, name: TeamName, overlap: Overlap): Promise<Message[]> {
  const [one, other] = overlap.workers
  const messages = [
    { to: one, text: describe("Your branch", `${other}'s`, overlap, other) },
    { to: other, text: describe("Your branch", `${one}'s`, overlap, one) },
    { to: LEAD, text: describe(`The branch of ${one}`, `that of ${other}`, overlap) },
  ].map((message) => ({ ...message, id: idOf(overlap, message.to) }))
  return store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const known = new Set((await tx.messages.list(team.key, LEAD, {})).map((message) => message.id))
    if (messages.some(({ id }) => known.has(id))) return []
    const sent: Message[] = []
    for (const { id, to, text } of messages) {
      const payload = { message: text, overlap }
      sent.push(await tx.messages.send(team.key, ENGINE, { id, from: ENGINE, to, type: "text", payload }))
    }
    return sent
  })
}

function describe(ours: string, theirs: string, { paths }: Overlap, partner?: string): string {
  const shown = paths.slice(0, SHOWN_PATHS).map((path) => JSON.stringify(path))
  const more = paths.length > shown.length ? ` and ${paths.length - shown.length} more` : ""
  const advice = partner === undefined ? "" : ` Agree with ${partner} who changes what, to avoid a merge conflict.`
  return `${ours} and ${theirs} conflict in ${shown.join(", ")}${more}.${advice}`
}

/** Derived from the content, so that several processes send the same warning once. */
function idOf({ workers, paths }: Overlap, to: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([workers, paths, to])).digest("hex")
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")
}
