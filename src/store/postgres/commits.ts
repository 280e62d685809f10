import { jitter } from "../../lib/random.ts"
import { sleep } from "../../lib/sleep.ts"
import type { Watch } from "../port.ts"
import type { Address } from "./address.ts"
import type { Connection } from "./connection.ts"
import { translate } from "./driver-errors.ts"
import { type Link, openLink } from "./link.ts"

/**
 * Notifies watchers of commits, in this process and in others. The notification is sent after the commit: inside the
 * transaction it would make all commits of the database wait for each other. It is lost when a process dies between the
 * two, so watchers also look for themselves now and then.
 *
 * Not listening -> (first watch) -> listening <-> broken, reconnecting -> closed.
 */
export interface Commits {
  /** Something was committed here. */
  announce(): void
  /** Resolves when no notification is being sent: it is a transaction, and readers would stop before it. */
  settled(): Promise<void>
  watch(): Promise<Watch>
  close(): Promise<void>
}

// Commits within this time share one notification.
const GATHER_MS = 10
const LOOK_ANYWAY_EVERY_MS = 5000
const LOOK_FOR_HIDDEN_EVERY_MS = 50
const RECONNECT_WITHIN_MS = 1000
// A server that no longer answers must not keep the store from closing.
const FLUSH_WITHIN_MS = 1000

// Needs no fsync of its own.
const NOTIFY = "select set_config('synchronous_commit', 'off', true), pg_notify(?, ?)"

// Any commit changes the snapshot. Events of a transaction that is younger than a running one are hidden until that one
// ends (see event-log.ts), and no notification is sent at that moment.
const LOOK = `select pg_current_snapshot()::text as snapshot, exists (select 1 from team where exists (
  select 1 from event where team_id = team.id and xid >= pg_snapshot_xmin(pg_current_snapshot()))) as hidden`

interface Sight {
  readonly snapshot: string
  readonly hidden: boolean
}

export function followCommits(connection: Connection, address: Address): Commits {
  // Marks our own notifications: watchers here were woken by the commit itself.
  const self = jitter(Number.MAX_SAFE_INTEGER).toString(36)
  const watchers = new Set<() => void>()
  const wakeAll = () => {
    for (const wake of watchers) wake()
  }
  const closing = new AbortController()
  let listening: Promise<void> | undefined
  let link: Link | undefined
  let gathering: ReturnType<typeof setTimeout> | undefined
  let sending: Promise<void> = Promise.resolve()

  function send(): void {
    gathering = undefined
    // A lost notification does no harm: watchers also look for themselves.
    sending = connection.query(NOTIFY, [address.schema, self]).then(ignore, ignore)
  }

  async function listen(): Promise<void> {
    const opened = await openLink(address, (payload) => {
      if (payload !== self) wakeAll()
    })
    await opened.query(`listen ${address.schema}`)
    link = opened
    opened.whenLost.then(listenAgain, ignore)
    if (closing.signal.aborted) await opened.close()
  }

  async function listenAgain(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await listen()
        wakeAll()
        return
      } catch {
        // The server is not reachable. Until it is, readers get its errors from their own queries.
        await sleep(jitter(RECONNECT_WITHIN_MS), closing.signal)
      }
    }
  }

  return {
    announce() {
      wakeAll()
      gathering ??= setTimeout(send, GATHER_MS)
    },
    settled: () => sending,
    async watch() {
      listening ??= listen()
      try {
        await listening
      } catch (error) {
        listening = undefined
        throw translate(error, address.place)
      }
      return startWatch(watchers, async () => (await connection.query<Sight>(LOOK))[0])
    },
    async close() {
      closing.abort()
      clearTimeout(gathering)
      if (gathering !== undefined) send()
      const sent = new AbortController()
      await Promise.race([sending.then(() => sent.abort()), sleep(FLUSH_WITHIN_MS, sent.signal)])
      await link?.close()
    },
  }
}

/** Notifications wake the watch; `look` finds the commits whose notification was lost. */
async function startWatch(watchers: Set<() => void>, look: () => Promise<Sight | undefined>): Promise<Watch> {
  let isNews = false
  let waiting: AbortController | undefined
  const wake = () => {
    isNews = true
    waiting?.abort()
  }
  watchers.add(wake)
  let seen = await look()
  let lookedAt = performance.now()

  /** True when a commit became visible without a notification. After a failed look the next one counts as new. */
  async function lookAgain(): Promise<boolean> {
    const before = seen
    seen = await look().catch(() => undefined)
    lookedAt = performance.now()
    if (seen === undefined) return false
    return before === undefined || (before.hidden ? !seen.hidden : before.snapshot !== seen.snapshot)
  }

  return {
    async next(timeoutMs, signal) {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        if (isNews) {
          isNews = false
          await lookAgain()
          return true
        }
        const now = performance.now()
        if (now >= deadline || signal?.aborted === true) return false
        const nextLook = lookedAt + (seen?.hidden === true ? LOOK_FOR_HIDDEN_EVERY_MS : LOOK_ANYWAY_EVERY_MS)
        if (now >= nextLook) {
          if (await lookAgain()) return true
          continue
        }
        waiting = new AbortController()
        const stop = signal === undefined ? waiting.signal : AbortSignal.any([waiting.signal, signal])
        await sleep(Math.min(deadline, nextLook) - now, stop)
      }
    },
    async [Symbol.asyncDispose]() {
      watchers.delete(wake)
      waiting?.abort()
    },
  }
}

function ignore(): void {}
