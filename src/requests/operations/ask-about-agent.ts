import { ENGINE } from "../../kernel/actor.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { aboutAgent } from "../escalation.ts"
import { withdrawEscalations } from "./escalation-holds.ts"
import { raiseEscalation } from "./raise-escalation.ts"

interface AgentMatter extends TeamName {
  readonly agent: string
}

/** The program is excluded, and no other one can do the tasks. Asked once per program. */
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

/** The program is used again. */
export async function withdrawAgentQuestion({ store }: Context, { agent, ...name }: AgentMatter): Promise<void> {
  const about = aboutAgent(agent)
  // Called after every agent run, so it locks only if there is something to withdraw.
  const isOpen = await store.read(async (tx) => {
    const team = await tx.teams.find(name)
    if (team === undefined) return false
    const open = await tx.records.list(team.key, { kind: "escalation", status: "open" })
    return open.some(({ data }) => data.about === about)
  })
  if (!isOpen) return
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    await withdrawEscalations(tx, team, { by: ENGINE, isMeant: (each) => each.about === about })
  })
}
