import type { Clock } from "../lib/clock.ts"
import type { AgentEventBody } from "./port.ts"

interface Call {
  readonly key: string
  readonly name: string
  readonly input: string
  readonly at: number
}

/** A longer call waits, for example for a build, and may be repeated. */
const WAITING_CALL_MS = 5000
/** A loop may alternate between two calls, which needs more rounds to be sure. */
const MAX_DIFFERENT = 2
const ROUNDS = 3
const MAX_SHOWN = 120

export function findLoop(sameCalls: number, clock: Clock) {
  const open = new Map<string, Call>()
  const latest: string[] = []
  const longest = sameCalls * ROUNDS

  function countSame(): number {
    const last = latest.at(-1)
    const other = latest.findLastIndex((each) => each !== last)
    return latest.length - 1 - other
  }

  return {
    /** The repeated call; undefined while the agent makes progress. */
    see(body: AgentEventBody): string | undefined {
      if (body.type === "tool_use") {
        const { id, name, input, key = input } = body
        open.set(id, { key: `${name}\0${key}`, name, input, at: clock.now() })
      }
      if (body.type !== "tool_result") return undefined
      const call = open.get(body.id)
      open.delete(body.id)
      if (call === undefined || !Number.isFinite(sameCalls)) return undefined
      if (clock.now() - call.at >= WAITING_CALL_MS) {
        latest.length = 0
        return undefined
      }
      latest.push(`${call.key}\0${body.ok}\0${body.output}`)
      if (latest.length > longest) latest.shift()
      const same = countSame()
      const isInTurn = latest.length === longest && new Set(latest).size <= MAX_DIFFERENT
      if (same < sameCalls && !isInTurn) return undefined
      const times = same >= sameCalls ? `${same} times in a row` : `in turn with another one, ${longest} calls in a row`
      const shown = call.input.replaceAll(/\s+/g, " ").slice(0, MAX_SHOWN)
      return `made the same call with the same result ${times}: ${call.name} ${shown}`
    },
  }
}
