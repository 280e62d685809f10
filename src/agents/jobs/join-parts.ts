import type { AgentEvent, Speech } from "../port.ts"

/** Longer than any line that a person reads: what has none is handed on in pieces of this length. */
const MAX_WAITING = 16 * 1024

/** Makes lines of what is said in pieces, for whoever reads it later: a piece is often less than a word. */
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
    // Without an end of a line it is still the one that began then; else the rest of it began with this piece.
    open = rest === "" ? undefined : { ...said, at: end < 0 ? said.at : at, text: rest }
  }
  return {
    push(event) {
      if ((event.type === "text" || event.type === "reasoning") && event.part !== undefined) return say(event)
      // Told beside what is said, and no end of it.
      if (event.type !== "usage" && event.type !== "unknown") close()
      see(event)
    },
  }
}
