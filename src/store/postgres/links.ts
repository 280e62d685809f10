import { AppError } from "../../kernel/errors.ts"
import type { Link } from "./link.ts"

/** At most `max` links, opened on demand, kept, and handed out in the order of the requests. */
export interface Links {
  take(): Promise<Link>
  give(link: Link): void
  /** Waiting requests are rejected; running statements have a moment to end. */
  close(): Promise<void>
}

interface Waiter {
  resolve(link: Link): void
  reject(error: unknown): void
}

export function shareLinks(open: () => Promise<Link>, max: number): Links {
  const links = new Set<Link>()
  const idle: Link[] = []
  const queue: Waiter[] = []
  let places = max
  let isClosed = false

  async function openOne(): Promise<Link> {
    places -= 1
    try {
      const link = await open()
      links.add(link)
      return link
    } catch (error) {
      freePlace()
      throw error
    }
  }

  function freePlace(): void {
    places += 1
    const next = queue.shift()
    if (next !== undefined) openOne().then(next.resolve, next.reject)
  }

  function drop(link: Link): void {
    links.delete(link)
    // It is lost already; closing only frees the timers of the driver.
    link.close().catch(() => {})
    freePlace()
  }

  return {
    async take() {
      if (isClosed) throw closed()
      for (let link = idle.pop(); link !== undefined; link = idle.pop()) {
        if (!link.isLost()) return link
        drop(link)
      }
      return places > 0 ? openOne() : new Promise((resolve, reject) => queue.push({ resolve, reject }))
    },
    give(link) {
      if (link.isLost()) return drop(link)
      const next = queue.shift()
      if (next === undefined) idle.push(link)
      else next.resolve(link)
    },
    async close() {
      isClosed = true
      for (const waiter of queue.splice(0)) waiter.reject(closed())
      await Promise.all([...links].map((link) => link.close()))
    },
  }
}

function closed(): AppError {
  return new AppError("store.unavailable", "the store was closed; open it again")
}
