import { jitter } from "../../lib/random.ts"
import { sleep } from "../../lib/sleep.ts"
import type { Param, Session } from "../rows/sql-session.ts"
import type { Address } from "./address.ts"
import { isConflict, translate } from "./driver-errors.ts"
import { type Link, openLink } from "./link.ts"
import { shareLinks } from "./links.ts"

/** A few links to one database, each with one transaction or statement at a time: none queues behind a lock. */
export interface Connection {
  /** One statement, in its own transaction. Repeated after a conflict. */
  readonly query: Query
  /** Repeated as a whole after a conflict. */
  transaction<T>(kind: keyof typeof BEGIN, work: Work<T>): Promise<T>
  close(): Promise<void>
}

export type Query = Link["query"]

const BEGIN = {
  read: "begin isolation level repeatable read read only",
  write: "begin isolation level read committed read write",
} as const

const ATTEMPTS = 8
const RETRY_WITHIN_MS = 10
const NOW = "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now"

export function connect(address: Address, maxLinks: number): Connection {
  const links = shareLinks(() => openLink(address), maxLinks)

  /** Returns a link that answers: idle links may have been lost. Nothing has run before `begin`, so it is safe to retry. */
  async function takeLink(begin?: string): Promise<Link> {
    for (;;) {
      const link = await links.take()
      try {
        await link.renew()
        if (begin !== undefined) await link.query(begin)
        return link
      } catch (error) {
        links.give(link)
        if (!link.isLost()) throw error
      }
    }
  }

  async function onLink<T>(begin: string | undefined, work: (link: Link) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const link = await takeLink(begin)
        try {
          return await work(link)
        } finally {
          links.give(link)
        }
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw translate(error, address.place)
      }
      await sleep(jitter(RETRY_WITHIN_MS * attempt))
    }
  }

  return {
    query: (text, params) => onLink(undefined, (link) => link.query(text, params)),
    transaction: (kind, work) => onLink(BEGIN[kind], (link) => finishTransaction(link, work)),
    close: links.close,
  }
}

type Work<T> = (session: Session, script: Link["script"]) => Promise<T>

async function finishTransaction<T>(link: Link, work: Work<T>): Promise<T> {
  const { session, end } = openSession(link.query)
  try {
    const result = await work(session, link.script).finally(end)
    await link.query("commit")
    return result
  } catch (error) {
    if (!link.isLost()) await link.query("rollback")
    throw error
  }
}

/** `end` throws when a statement failed, because the server turns a later `commit` into a silent rollback. */
function openSession(query: Query): { session: Session; end: () => void } {
  let failure: unknown
  let isOver = false
  let now: Promise<number> | undefined
  const all = async <Row>(text: string, params?: readonly Param[]) => {
    // By now the link may carry another transaction.
    if (isOver) throw new Error("a statement came after its transaction had ended")
    try {
      return await query<Row>(text, params)
    } catch (error) {
      failure ??= error
      throw error
    }
  }
  const session: Session = {
    all,
    get: async <Row>(text: string, params?: readonly Param[]) => (await all<Row>(text, params))[0],
    run: async (text, params) => void (await all(text, params)),
    now: () => {
      now ??= all<{ now: number }>(NOW).then(([row]) => row?.now ?? 0)
      return now
    },
    forUpdate: " for update",
    forShare: " for share",
  }
  const end = () => {
    isOver = true
    if (failure !== undefined) throw failure
  }
  return { session, end }
}
