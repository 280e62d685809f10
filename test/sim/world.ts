// Time, order and processes of the simulation. Nothing in it takes real time, and nothing happens but by its queue.
//
// A step takes the first entry of the queue, sets the time to it, does what it says, and waits until the code that this
// woke up has nothing more to do: one turn of the event loop, before which every promise that can go on has gone on. That
// is exact as long as nobody waits for anything real; `forbidRealTimers` makes whoever tries fail. SQLite answers at
// once, and its transaction is part of the step that asks for it.
//
// A process is code that gets ports of its own, all made of `call`. Killed, its calls stay unanswered for ever, and what
// they would have done does not happen: nothing of it ever runs again, as after `kill -9`.
import type { Clock } from "../../src/lib/clock.ts"
import { makeRandom, type Random } from "./random.ts"

export interface World {
  readonly seed: number
  readonly random: Random
  /** How long it has gone on; no jump changes it. */
  elapsedMs(): number
  /** What the machine's clock shows. */
  readonly clock: Clock
  /** Sets the machine's clock forward or back; whoever sleeps is not woken. */
  jumpClock(ms: number): void
  /** Does it after that time, whatever happens to processes; unless it is called off. */
  after(ms: number, what: What): CallOff
  spawn(name: string, main: (process: SimProcess) => Promise<void>): SimProcess
  readonly processes: readonly SimProcess[]
  /** One step; false when there is nothing to come. */
  step(): Promise<boolean>
  /** Steps until the promise is settled; throws when nothing is left that could settle it. */
  settle<T>(promise: Promise<T>): Promise<T>
}

export interface SimProcess {
  readonly name: string
  readonly pid: number
  readonly startedAt: number
  readonly state: ProcessState
  /** What made it fail; undefined unless it did. */
  readonly error: unknown
  /** Fires when it is asked to end. */
  readonly signal: AbortSignal
  /** Fires when it is asked a second time. */
  readonly secondSignal: AbortSignal
  /** Its ports: after a while the effect happens, at one moment, and then its answer comes. */
  call<T>(label: string, effect: () => T | Promise<T>, maxMs?: number): Promise<T>
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Ends it between one moment and the next, as `kill -9` does. */
  kill(): void
  /** Asks it to end. */
  terminate(): void
  /** Nothing of it happens for so long. */
  hang(ms: number): void
  /** Does it when the process has ended in whatever way. */
  onEnd(what: () => void): void
}

export type What = () => void | Promise<void>
export type CallOff = () => void

export type ProcessState = "running" | "ended" | "failed" | "killed"

/**
 * What may happen to a process at a call: it dies before the effect or right after it, it is held for some time, or the
 * call fails without an effect.
 */
export type CallFault = "die-before" | "die-after" | { readonly hangMs: number } | { readonly error: Error }

export interface WorkspaceOptions {
  readonly seed: number
  /** Asked at every call of a process. */
  readonly faultAt?: (process: SimProcess, label: string) => CallFault | undefined
  /** Told of every call that took effect. */
  readonly onEffect?: (process: SimProcess, label: string) => void
}

const START = Date.UTC(2026, 0, 1)
const MAX_CALL_MS = 3

export function makeWorld({ seed, faultAt, onEffect }: WorkspaceOptions): World {
  const random = makeRandom(seed)
  const paces = random.fork("pace")
  const queue = makeQueue()
  const processes: MadeProcess[] = []
  let time = 0
  let jumped = 0
  const after = (ms: number, what: What) => queue.push(time + Math.max(0, ms), what)

  async function step(): Promise<boolean> {
    const next = queue.pop()
    if (next === undefined) return false
    time = Math.max(time, next.at)
    await next.what()
    await quiet()
    return true
  }

  const world: World = {
    ...{ seed, random, processes, step, after },
    elapsedMs: () => time,
    clock: { now: () => START + Math.floor(time) + jumped },
    jumpClock(ms) {
      jumped += ms
    },
    spawn(name, main) {
      const process = makeProcess({
        ...{ name, pid: 1000 + processes.length, startedAt: time, after, paces, faultAt, onEffect },
        now: () => time,
      })
      processes.push(process)
      after(paces.next() * MAX_CALL_MS, () => process.start(main))
      return process
    },
    async settle(promise) {
      let isSettled = false
      const settled = () => {
        isSettled = true
      }
      promise.then(settled, settled)
      await quiet()
      while (!isSettled) if (!(await step())) throw new Error("everything waits, and nothing is left to come")
      return promise
    },
  }
  return world
}

/** Until nothing can go on by itself: promises all go on before the event loop takes its next turn. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

interface MadeProcess extends SimProcess {
  start(main: (process: SimProcess) => Promise<void>): void
}

interface ProcessRequest extends Pick<WorkspaceOptions, "faultAt" | "onEffect"> {
  readonly name: string
  readonly pid: number
  readonly startedAt: number
  readonly paces: Random
  now(): number
  after(ms: number, what: What): CallOff
}

function makeProcess(request: ProcessRequest): MadeProcess {
  const { name, pid, startedAt, paces, now, after, faultAt, onEffect } = request
  const asked = new AbortController()
  const askedAgain = new AbortController()
  const atEnd: (() => void)[] = []
  let state: ProcessState = "running"
  let error: unknown
  let heldUntil = 0
  const end = (how: ProcessState) => {
    if (state !== "running") return
    state = how
    for (const what of atEnd.splice(0)) what()
  }
  /** Runs it after that time, or when the process is no longer held; not at all once it has ended. */
  const later = (ms: number, what: What): CallOff => {
    let callOff = after(ms, () => {
      if (state !== "running") return
      if (heldUntil <= now()) return what()
      callOff = later(heldUntil - now(), what)
    })
    return () => callOff()
  }
  const call = <T>(label: string, effect: () => T | Promise<T>, maxMs = MAX_CALL_MS): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const happen = async () => {
        const fault = faultAt?.(process, label)
        if (fault === "die-before") return end("killed")
        if (typeof fault === "object" && "error" in fault) return reject(fault.error)
        if (typeof fault === "object") {
          heldUntil = now() + fault.hangMs
          later(fault.hangMs, happen)
          return
        }
        const [answer] = await Promise.allSettled([(async () => effect())()])
        onEffect?.(process, label)
        if (fault === "die-after") return end("killed")
        if (state !== "running") return
        if (answer.status === "fulfilled") resolve(answer.value)
        else reject(answer.reason)
      }
      later(paces.next() * maxMs, happen)
    })
  const process: MadeProcess = {
    ...{ name, pid, startedAt, call },
    signal: asked.signal,
    secondSignal: askedAgain.signal,
    get state() {
      return state
    },
    get error() {
      return error
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve()
        const done = () => {
          signal?.removeEventListener("abort", done)
          callOff()
          resolve()
        }
        const callOff = later(ms, done)
        signal?.addEventListener("abort", done)
      }),
    kill: () => end("killed"),
    terminate: () => void later(0, () => (asked.signal.aborted ? askedAgain : asked).abort()),
    hang(ms) {
      heldUntil = Math.max(heldUntil, now() + ms)
    },
    onEnd(what) {
      if (state === "running") atEnd.push(what)
      else what()
    },
    start(main) {
      if (state !== "running") return
      main(process).then(
        () => end("ended"),
        (reason) => {
          if (state !== "running") return
          error = reason
          end("failed")
        },
      )
    },
  }
  return process
}

interface Entry {
  readonly at: number
  readonly number: number
  /** Undefined once it is called off. */
  what: What | undefined
}

/** By time, and at one time in the order they came. */
function makeQueue() {
  const heap: Entry[] = []
  let count = 0
  const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.number < b.number)
  return {
    push(at: number, what: What): CallOff {
      const entry: Entry = { at, number: count++, what }
      let place = heap.length
      heap.push(entry)
      while (place > 0) {
        const above = (place - 1) >> 1
        const parent = heap[above] as Entry
        if (!isBefore(entry, parent)) break
        heap[place] = parent
        place = above
      }
      heap[place] = entry
      return () => {
        entry.what = undefined
      }
    },
    pop,
  }

  /** The first that is not called off. */
  function pop(): { readonly at: number; readonly what: What } | undefined {
    for (let first = take(); first !== undefined; first = take())
      if (first.what !== undefined) return { at: first.at, what: first.what }
    return undefined
  }

  function take(): Entry | undefined {
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let place = 0
    for (;;) {
      let below = place * 2 + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Entry, heap[below] as Entry)) below++
      const child = heap[below] as Entry
      if (!isBefore(child, last)) break
      heap[place] = child
      place = below
    }
    heap[place] = last
    return first
  }
}

/** While it lasts, code that waits for real time fails instead; only inside of the store it may. */
export function forbidRealTimers(isAllowed: () => boolean): Disposable {
  const { setTimeout: real, setInterval: realInterval } = globalThis
  const guard =
    (name: string, timer: (...args: never[]) => unknown) =>
    (...args: never[]) => {
      if (isAllowed()) return timer(...args)
      throw new Error(`${name} in the simulation: real time must come in through a port`)
    }
  globalThis.setTimeout = guard("setTimeout", real as never) as never
  globalThis.setInterval = guard("setInterval", realInterval as never) as never
  return {
    [Symbol.dispose]() {
      globalThis.setTimeout = real
      globalThis.setInterval = realInterval
    },
  }
}
