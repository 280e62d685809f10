import { decideStop, type StopDecision } from "../../../sessions/operations/decide-stop.ts"
import { sayFinish, sayMessages, sayNext, sayWait } from "../../../sessions/views/seat-view.ts"
import type { HookHandler } from "../handler.ts"
import { NO_ANSWER } from "../hook-call.ts"

/** The loop of a worker: its session does not end while there is work for it. */
export const stop: HookHandler = async ({ raw, isHeldBack }, { seat, context }) => {
  if (seat?.worker == null) return NO_ANSWER
  const { terminalId, project, team, worker } = seat
  const id = `stop-${Bun.hash(JSON.stringify(raw)).toString(36)}`
  const { decision, messages } = await decideStop(context, { terminalId, id, isHeldBack })
  const todo = say({ project, team, worker }, decision)
  if (todo === undefined) return NO_ANSWER
  return { kind: "goOn", reason: [todo, sayMessages(messages)].filter(Boolean).join("\n\n") }
}

function say(who: Parameters<typeof sayWait>[0], decision: StopDecision): string | undefined {
  switch (decision.kind) {
    case "end":
      return undefined
    case "finish":
      return sayFinish(who, decision.task)
    case "next":
      return sayNext(who, decision)
    case "wait":
      return sayWait(who)
  }
}
