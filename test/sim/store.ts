// The real store of a run, in memory, by the clock of the simulated machine; and how each process sees it.
import type { Store, Watch } from "../../src/store/port.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import type { SimProcess, World } from "./world.ts"

export interface SimStore extends AsyncDisposable {
  /** Read by the simulation itself: takes no time, and nobody dies of it. */
  readonly real: Store
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
  return {
    real,
    get commits() {
      return commits
    },
    get isBusy() {
      return asked > 0
    },
    of(process) {
      return {
        read: (work) => process.call("store.read", () => busy(() => real.read(work))),
        write: (work) => process.call("store.write", () => committing(() => real.write(work))),
        claimTask: (request) => process.call("store.claim", () => committing(() => real.claimTask(request))),
        finishTask: (request) => process.call("store.finish", () => committing(() => real.finishTask(request))),
        watch: async () => makeWatch(process),
        inspect: () => process.call("store.inspect", () => busy(() => real.inspect())),
        async [Symbol.asyncDispose]() {},
      }
    },
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
