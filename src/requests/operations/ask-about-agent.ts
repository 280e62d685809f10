import { ENGINE } from "../../kernel/actor.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { aboutAgent } from "../escalation.ts"
import { withdrawEscalation } from "./escalation-holds.ts"
import { raiseEscalation } from "./raise-escalation.ts"

interface AgentMatter extends TeamName {
  readonly agent: string
}

/** Tasks wait for a program that is left out, and no other can take them. Asked once for each program. */
export async function askAboutAgent(
  { store }: Context,
  { agent, summary, ...name }: AgentMatter & { summary: string },
) {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const about = aboutAgent(agent)
    await raiseEscalation(tx, team, { trigger: "tool_unavailable", summary, task: null, by: ENGINE, about })
  })
}

/** The program is used again: nobody has to decide any more. */
export async function endAskAboutAgent({ store }: Context, { agent, ...name }: AgentMatter): Promise<void> {
  const isOpen = await store.read(async (tx) => {
    const team = await tx.teams.find(name)
    return team !== undefined && (await listAbout(tx, team.key, agent)).length > 0
  })
  if (!isOpen) return
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    for (const record of await listAbout(tx, team.key, agent))
      await withdrawEscalation(tx, team, { record, by: ENGINE })
  })
}

async function listAbout(tx: Tx, key: number, agent: string) {
  const open = await tx.records.list(key, { kind: "escalation", status: "open" })
  return open.filter(({ data }) => data.about === aboutAgent(agent))
}
