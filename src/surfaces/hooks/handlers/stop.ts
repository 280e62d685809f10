import { decideStop } from "../../../operations/decide-stop.ts"
import { sayFinish, sayNext, sayWait } from "../../../views/seat.ts"
import type { HookHandler } from "../handler.ts"
import { NO_ANSWER } from "../hook-call.ts"

/** The loop of a worker: its session does not end while there is work for it. */
export const stop: HookHandler = async ({ raw, isHeldBack }, { seat, context }) => {
  if (seat?.worker == null) return NO_ANSWER
  const { terminalId, project, team, worker } = seat
  const id = `stop-${Bun.hash(JSON.stringify(raw)).toString(36)}`
  const decision = await decideStop(context, { terminalId, id, isHeldBack })
  const who = { project, team, worker }
  switch (decision.kind) {
    case "end":
      return NO_ANSWER
    case "finish":
      return { kind: "goOn", reason: sayFinish(who, decision.task) }
    case "next":
      return { kind: "goOn", reason: sayNext(who, decision) }
    case "wait":
      return { kind: "goOn", reason: sayWait(who) }
  }
}
