import { fileIdentity } from "../../lib/file-identity.ts"
import type { Context } from "../../store/operation.ts"

type Store = Context["store"]

export interface HeldStore extends AsyncDisposable {
  get(): Promise<Store>
}

/**
 * The store of a process that lives for hours: opened at the first use. One that could not be opened, or whose file is
 * gone or another one by now, is opened anew by the next call: a file that was deleted would go on taking writes which
 * nobody ever sees.
 */
export function holdStore(open: () => Promise<Store>, address: string): HeldStore {
  let held: Promise<Store> | undefined
  let heldFile: string | undefined
  const opened: Store[] = []
  const openOne = async () => {
    const store = await open()
    opened.push(store)
    heldFile = identityOf(address) ?? ""
    return store
  }
  return {
    async get() {
      if (heldFile !== undefined && heldFile !== identityOf(address)) held = heldFile = undefined
      held ??= openOne()
      const mine = held
      try {
        return await mine
      } catch (error) {
        if (held === mine) held = undefined
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      for (const store of opened) await store[Symbol.asyncDispose]()
    },
  }
}

/** What is no file stays what it is. */
function identityOf(address: string): string | undefined {
  return address.startsWith("sqlite:") ? fileIdentity(address.slice("sqlite:".length)) : address
}

/** The store for one call: once that is cancelled nothing is written any more, and nothing waits. */
export function untilCancelled(store: Store, signal: AbortSignal): Store {
  const unless = <T>(work: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted()
    return work()
  }
  return {
    read: async (work) => unless(() => store.read(work)),
    write: async (work) => unless(() => store.write(work)),
    claimTask: async (request) => unless(() => store.claimTask(request)),
    finishTask: async (request) => unless(() => store.finishTask(request)),
    inspect: () => store.inspect(),
    async watch() {
      const watch = await store.watch()
      return {
        next: (timeoutMs, own) => watch.next(timeoutMs, own ?? signal),
        [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
      }
    },
    // It belongs to the server, which has other calls.
    [Symbol.asyncDispose]: async () => {},
  }
}
