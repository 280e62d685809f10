import { AppError } from "../../domain/errors.ts"
import type { Context } from "../../operations/operation.ts"
import type { Session } from "../cli/command.ts"
import type { Io } from "../cli/host.ts"
import { holdStore, untilCancelled } from "./hold-store.ts"
import type { Who } from "./who.ts"

/** One client of one server: for whom it acts, and what its calls work with. */
export interface Connection extends AsyncDisposable {
  readonly session: Session
  who(): Promise<Who>
  /** The session of one call. */
  sessionFor(call: Call): Session
  /** The claims that were made here, so that a write for one that was lost since is refused: token by task. */
  readonly tokens: Map<string, number>
}

export interface Call {
  readonly signal: AbortSignal
  /** What a program that the call runs prints. */
  readonly onOutput: (chunk: Uint8Array) => void
}

export async function openConnection(session: Session, as: string | null): Promise<Connection> {
  const { openStore, hasStore, settings } = await session.configured()
  const stores = holdStore(openStore, hasStore)
  return {
    session,
    tokens: new Map(),
    who: async () => ({ worker: as, isFixed: as !== null }),
    sessionFor(call) {
      const host = { ...session.host, io: ioOf(session.host.io, call) }
      const { configured } = session
      const context = async (): Promise<Context> => {
        const store = untilCancelled(await stores.get(), call.signal)
        const roles = async () =>
          (await (await import("../cli/role.ts")).findRoles({ host, configured, context })).roles
        return { store, ids: host.ids, settings, roles }
      }
      return { ...session, host, context, isJson: true, isJsonAsked: true, cancelled: call.signal }
    },
    [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose](),
  }
}

/** Standard input and output belong to the protocol, and nobody sits at a terminal. */
function ioOf(io: Io, { signal, onOutput }: Call): Io {
  return {
    ...{ isTerminal: false, columns: 120, color: false, cwd: io.cwd, canAsk: false },
    ...{ interrupted: signal, interruptedAgain: signal, wallClock: io.wallClock },
    size: () => ({ columns: 120, rows: 40 }),
    onResize: () => () => {},
    input: () => Promise.reject(new AppError("input.invalid", "there is no standard input here; give the text itself")),
    out: () => {},
    outParts: () => {},
    err: () => {},
    errBytes: onOutput,
    ask: async () => null,
    interactive: () => Promise.reject(new AppError("usage", "nobody sits at a terminal here")),
  }
}
