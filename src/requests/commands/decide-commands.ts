import { command, fromOperation, type Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { decide as decideEscalation } from "../operations/escalations.ts"

const plain = fromOperation(decideEscalation, {
  positional: ["number", "option"],
  example: 'teamwork decide 1 retry --note "Prices are in euro"',
  data: ({ escalation, outcome }) => ({ ...escalation, outcome }),
  text: ({ escalation, outcome }) => `Decided escalation ${escalation.number}: ${escalation.decision}; ${outcome}`,
})

export const decide = command({
  ...plain,
  async run(session, input) {
    if (typeof input.agent === "string") await assertAgent(session, input.agent)
    return plain.run(session, input)
  },
})

/** A decision cannot be changed, so it must name an agent that exists. */
async function assertAgent({ configured }: Session, name: string): Promise<void> {
  const known = (await (await configured()).agents()).map(({ agent }) => agent.name)
  if (!known.includes(name))
    throw new AppError("input.invalid", `there is no agent ${quoteInput(name)}; there are ${known.join(", ")}`)
}
