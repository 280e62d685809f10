import postgres from "postgres"
import type { Param } from "../rows/sql-session.ts"
import type { Address } from "./address.ts"
import { isConnectionLoss } from "./driver-errors.ts"

/**
 * One connection to the server. Open -> lost (by an error or `close`), and never open again.
 *
 * The driver would reconnect by itself and run the rest of a broken transaction outside of it, and it throws an uncaught
 * error when it writes to a dead connection. So it gets one pinned connection, and nothing is written after it is lost;
 * the holder of the link takes a new one.
 */
export interface Link {
  query<Row>(text: string, params?: readonly Param[]): Promise<Row[]>
  /** Several statements at once, without parameters. */
  script(text: string): Promise<void>
  /** Drops query plans that are too old, which also shows whether the server still answers. */
  renew(): Promise<void>
  isLost(): boolean
  /** Resolves when the connection breaks, not when we close it. */
  readonly whenLost: Promise<void>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_S = 5
const CLOSE_TIMEOUT_S = 1

// Every statement is a lookup by key whose plan does not depend on the values, so it is planned once. While a table is
// small all its indexes look alike, so plans are dropped after a while: the table may have grown. The timeouts keep a
// process that freezes in a transaction from blocking the others for ever.
const SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_bitmapscan = off;
  set jit = off; set lock_timeout = '60s'; set idle_in_transaction_session_timeout = '60s'`
const PLANS_LAST_MS = 5000

const NUMBER_FROM_INT8 = { to: 20, from: [20], serialize: String, parse: Number }

/** `onNotice` gets the payload of every notification that the link listens for. */
export async function openLink({ url, schema }: Address, onNotice?: (payload: string) => void): Promise<Link> {
  let lost: unknown
  const { promise: whenLost, resolve: resolveLost } = Promise.withResolvers<void>()
  const waiting = new Set<(error: unknown) => void>()
  const lose = (error: unknown) => {
    if (lost !== undefined) return
    lost = error
    for (const reject of waiting) reject(error)
    resolveLost()
  }
  const options = {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_S,
    max_lifetime: null,
    fetch_types: false,
    connection: { application_name: "teamwork", search_path: schema },
    types: { bigint: NUMBER_FROM_INT8 },
    onnotice: () => {},
    onnotify: (_channel: string, payload: string) => onNotice?.(payload),
    onclose: () => lose(closedError("CONNECTION_CLOSED")),
  }
  const client = postgres(url, options)
  try {
    await client.unsafe(SETTINGS)
  } catch (error) {
    await client.end({ timeout: 0 })
    throw error
  }
  const pinned = await client.reserve()
  let plannedAt = performance.now()

  const send = <Result>(start: () => PromiseLike<Result>) =>
    new Promise<Result>((resolve, reject) => {
      if (lost !== undefined) return reject(lost)
      waiting.add(reject)
      start().then(
        (result) => {
          waiting.delete(reject)
          resolve(result)
        },
        (error) => {
          waiting.delete(reject)
          if (isConnectionLoss(error)) lose(error)
          reject(error)
        },
      )
    })
  return {
    query: <Row>(text: string, params: readonly Param[] = []) =>
      send<Row[]>(() => pinned.unsafe(numbered(text), [...params], { prepare: true })),
    script: async (text) => void (await send(() => pinned.unsafe(text).simple())),
    async renew() {
      if (performance.now() - plannedAt < PLANS_LAST_MS) return
      await send(() => pinned.unsafe("discard plans"))
      plannedAt = performance.now()
    },
    isLost: () => lost !== undefined,
    whenLost,
    async close() {
      if (lost !== undefined) return client.end({ timeout: 0 })
      lost = closedError("CONNECTION_ENDED")
      pinned.release()
      await client.end({ timeout: CLOSE_TIMEOUT_S })
    },
  }
}

function closedError(code: string): Error {
  return Object.assign(new Error("the connection was closed"), { code })
}

const numberedTexts = new Map<string, string>()

/** Statements for both databases write a parameter as `?`. */
function numbered(text: string): string {
  let result = numberedTexts.get(text)
  if (result === undefined) {
    let count = 0
    result = text.replaceAll("?", () => `$${++count}`)
    numberedTexts.set(text, result)
  }
  return result
}
