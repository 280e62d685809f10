// The real store of a run, in memory, by the clock of the simulated machine; and how each process sees it.
import type { Store, Watch } from "../../src/store/port.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import type { SimProcess, World } from "./world.ts"

export interface SimStore extends AsyncDisposable {
  /** For the simulation itself: takes no time, and nobody dies of it. */
  readonly direct: Store
  /** Goes up with every commit. */
  readonly commits: number
  /** Whether it is asked something right now. */
  readonly isBusy: boolean
  /** The store as one process has it. */
  of(process: SimProcess): Store
}

/** How long it takes until somebody is told of a commit. */
const MAX_NOTICE_MS = 5

export async function openSimStore(world: World): Promise<SimStore> {
  const real = await openSqliteStore({ path: ":memory:", clock: world.clock })
  const random = world.random.fork("store")
  const waiting = new Set<() => void>()
  let commits = 0
  let asked = 0
  const busy = async <T>(work: () => Promise<T>): Promise<T> => {
    asked++
    try {
      return await work()
    } finally {
      asked--
    }
  }
  const committing = async <T>(work: () => Promise<T>): Promise<T> => {
    const result = await busy(work)
    commits++
    for (const wake of [...waiting]) wake()
    return result
  }
  const seenBy = (process: SimProcess | undefined): Store => {
    const call = <T>(label: string, work: () => Promise<T>) =>
      process === undefined ? work() : process.call(`store.${label}`, work)
    return {
      read: (work) => call("read", () => busy(() => real.read(work))),
      write: (work) => call("write", () => committing(() => real.write(work))),
      claimTask: (request) => call("claim", () => committing(() => real.claimTask(request))),
      finishTask: (request) => call("finish", () => committing(() => real.finishTask(request))),
      watch: async () => (process === undefined ? real.watch() : makeWatch(process)),
      inspect: () => call("inspect", () => busy(() => real.inspect())),
      async [Symbol.asyncDispose]() {},
    }
  }
  return {
    direct: seenBy(undefined),
    get commits() {
      return commits
    },
    get isBusy() {
      return asked > 0
    },
    of: seenBy,
    [Symbol.asyncDispose]: () => real[Symbol.asyncDispose](),
  }

  function makeWatch(process: SimProcess): Watch {
    let seen = commits
    return {
      async next(timeoutMs, signal) {
        if (signal?.aborted === true) return false
        const woken = new AbortController()
        const stop = () => woken.abort()
        // Whoever has died or hangs is not told, or not yet.
        const tell = () => {
          waiting.delete(tell)
          void process.sleep(random.next() * MAX_NOTICE_MS).then(stop)
        }
        if (commits !== seen) tell()
        else waiting.add(tell)
        signal?.addEventListener("abort", stop)
        await process.sleep(timeoutMs, woken.signal)
        signal?.removeEventListener("abort", stop)
        waiting.delete(tell)
        const hasChanged = commits !== seen
        seen = commits
        return hasChanged
      },
      async [Symbol.asyncDispose]() {},
    }
  }
}
