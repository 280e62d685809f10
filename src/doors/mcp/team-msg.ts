import * as v from "valibot"
import { command, type Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { choice, type InputOf, number, record } from "../../lib/schema.ts"
import { LEAD, type Message } from "../../messages/message.ts"
import { listMessages } from "../../messages/operations/message-log.ts"
import { sendMessage } from "../../messages/operations/send-message.ts"
import { teamStatus } from "../../reporting/operations/team-status.ts"
import { idField, teamFields, textField } from "../../store/operation.ts"
import { swarmStatus } from "../../workers/operations/swarm-status.ts"

const input = {
  ...teamFields,
  operation: choice(["send", "list", "status"], "what to do"),
  sessionId: v.optional(idField("the team, which this connection is for; may be left out")),
  from: v.optional(idField("who asks; sends or, unless it is the lead, sees its own only"), LEAD),
  to: v.optional(idField("with send: who receives")),
  message: v.optional(textField("with send: what to say")),
  data: v.optional(record("with send: facts that go with it")),
  last: v.optional(number("with list: at most this many, the newest", { isInteger: true, min: 1, max: 1000 }), 20),
}
type Input = InputOf<typeof input>

/** The team's messages as one bus, as in other systems. Inboxes read the same log. */
export const teamMsg = command({
  summary: "The team's message bus: send a message, list what was said, or see how the team stands",
  fields: input,
  async run(session, asked) {
    const { sessionId, team } = asked
    if (sessionId !== undefined && sessionId !== team)
      throw new AppError(
        "team.not_found",
        (say) => `this connection is for the team ${team}, not ${sessionId}; leave ${say.field("sessionId")} out`,
      )
    switch (asked.operation) {
      case "send":
        return { data: await send(session, asked) }
      case "list":
        return { data: { messages: await listMessages.run(await session.context(), { ...asked, who: asked.from }) } }
      case "status":
        return { data: await status(session, asked) }
    }
  },
})

async function send({ context }: Session, { to, message, data, ...rest }: Input): Promise<{ messages: Message[] }> {
  if (to === undefined || message === undefined)
    throw new AppError("usage", (say) => `${say.field(to === undefined ? "to" : "message")} is missing`)
  const payload = { ...data, message }
  return { messages: await sendMessage.run(await context(), { ...rest, to, type: "text", payload }) }
}

async function status({ context }: Session, { project, team }: Input) {
  const name = { project, team }
  const { goal, phase, status, stats } = await teamStatus.run(await context(), name)
  const { workers } = await swarmStatus.run(await context(), name)
  const members = workers.map(({ id, role, status: state, unread }) => ({ id, role, status: state, unread }))
  return { sessionId: team, project, goal, phase, status, stats, members }
}
