import { fileIdentity } from "../../lib/file-identity.ts"
import type { Context } from "../../store/operation.ts"

type Store = Context["store"]

export interface HeldStore extends AsyncDisposable {
  get(): Promise<Store>
}

/**
 * The store of a process that runs for hours, opened at first use. The next call opens it again when opening failed
 * or the file was removed or replaced: writes to a deleted file would be lost.
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

/** An address that is not a file never changes. */
function identityOf(address: string): string | undefined {
  return address.startsWith("sqlite:") ? fileIdentity(address.slice("sqlite:".length)) : address
}

/** The store for one call: after a cancel it neither writes nor waits. */
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
    // The server's other calls still use it.
    [Symbol.asyncDispose]: async () => {},
  }
}
