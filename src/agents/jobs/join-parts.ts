import type { AgentEvent, Speech } from "../port.ts"

/** For text without line breaks. */
const MAX_WAITING = 16 * 1024

/** A piece is often less than a word. */
export function joinParts(see: (event: AgentEvent) => void): { push(event: AgentEvent): void } {
  let open: ({ readonly at: number } & Speech) | undefined
  const close = () => {
    if (open !== undefined) see(open)
    open = undefined
  }
  const say = ({ at, type, text, part }: { readonly at: number } & Speech) => {
    if (part === "first" || open?.type !== type) close()
    const said = { at: open?.at ?? at, type }
    const all = (open?.text ?? "") + text
    const end = all.length > MAX_WAITING ? all.length : all.lastIndexOf("\n")
    if (end > 0) see({ ...said, text: all.slice(0, end) })
    const rest = all.slice(end === all.length ? end : end + 1)
    // Without a line break the old line goes on; otherwise the rest began with this piece.
    open = rest === "" ? undefined : { ...said, at: end < 0 ? said.at : at, text: rest }
  }
  return {
    push(event) {
      if ((event.type === "text" || event.type === "reasoning") && event.part !== undefined) return say(event)
      // These do not end a line.
      if (event.type !== "usage" && event.type !== "unknown") close()
      see(event)
    },
  }
}
