import type { Session } from "../../app/command.ts"
import type { Io } from "../../app/host.ts"
import { makeContext } from "../../app/open-session.ts"
import { AppError } from "../../kernel/errors.ts"
import { markedStore, readMarker } from "../../sessions/effects/seat-marker.ts"
import { readSeat } from "../../sessions/operations/read-seat.ts"
import { isTeamOver } from "../../sessions/operations/seat-rules.ts"
import { type HeldStore, holdStore, untilCancelled } from "./hold-store.ts"
import { leadOf, type Who } from "./who.ts"

export interface Connection extends AsyncDisposable {
  readonly session: Session
  who(): Promise<Who>
  sessionFor(call: Call): Session
  /** Claims made here, token by task: a write for a lost claim is refused. */
  readonly tokens: Map<string, number>
}

export interface Call {
  readonly signal: AbortSignal
  readonly onOutput: (chunk: Uint8Array) => void
}

export interface Terms {
  readonly as: string | null
  readonly mayRun: boolean
  readonly mayHold: boolean
}

export async function openConnection(session: Session, terms: Terms): Promise<Connection> {
  const { openStore, storeAddress } = await session.configured()
  const stores = holdStore(openStore, storeAddress)
  return {
    session,
    tokens: new Map(),
    who: () => findWho(session, terms, stores),
    sessionFor(call) {
      const host = { ...session.host, io: ioOf(session.host.io, call) }
      const context = async () =>
        makeContext(host, await session.configured(), untilCancelled(await stores.get(), call.signal))
      return { ...session, host, context, isJson: true, isJsonAsked: true, cancelled: call.signal }
    },
    [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose](),
  }
}

/** The worker that the server was started as, or the role that the session has joined as, which may change. */
async function findWho({ configured, flags }: Session, { as, ...may }: Terms, stores: HeldStore): Promise<Who> {
  const { project, team, terminalId, home, storeAddress } = await configured()
  const lead = { ...leadOf({ project, team }), ...may }
  if (as !== null) return { ...lead, worker: as, isFixed: true }
  const marker = readMarker(home, terminalId)
  if (marker === undefined || marker.store !== markedStore(storeAddress, flags.store)) return lead
  const store = await stores.get()
  const seat = await readSeat({ store }, terminalId)
  if (seat === undefined) return { ...lead, isLost: true }
  const joined = { ...lead, project: seat.project, team: seat.team, worker: seat.worker }
  if (seat.part !== "lead" || seat.delegation !== "strict") return joined
  return { ...joined, strict: { isOver: await isTeamOver({ store }, seat) } }
}

/** The protocol uses standard input and output, and there is no terminal. */
function ioOf(io: Io, { signal, onOutput }: Call): Io {
  return {
    isTerminal: false,
    columns: 120,
    color: false,
    cwd: io.cwd,
    canAsk: false,
    interrupted: signal,
    interruptedAgain: signal,
    wallClock: io.wallClock,
    size: () => ({ columns: 120, rows: 40 }),
    onResize: () => () => {},
    input: () => Promise.reject(new AppError("input.invalid", "there is no standard input here; give the text itself")),
    out: () => {},
    outParts: () => {},
    err: () => {},
    errBytes: onOutput,
    ask: async () => null,
    interactive: () => Promise.reject(new AppError("usage", "there is no terminal here")),
  }
}
