// What must hold in the end, counted from the store's own record and from what the workers were told.
import type { Worker } from "./workers.ts"

export interface Check {
  readonly what: string
  readonly isRight: boolean
}

interface Task {
  id: string
  status: string
  claim_token: number
}

interface Event {
  type: string
  data: { task?: string; taken_over_from?: string | null; ids?: string[] }
}

export async function checkCounts({
  tasks,
  waves,
  workers,
  ask,
}: {
  tasks: number
  waves: number
  workers: readonly Worker[]
  ask: <Data>(args: readonly string[]) => Promise<Data>
}): Promise<Check[]> {
  const list = await ask<Task[]>(["task", "list"])
  const { events } = await ask<{ events: Event[] }>(["events", "tail", "--limit", "10000"])
  const project = await ask<{ phase: string; waves: { status: string }[] }>(["project", "status"])
  const of = (type: string) => events.filter((event) => event.type === type)
  const once = (all: readonly unknown[]) => new Set(all).size === all.length
  const resolvedEvents = of("task.resolved").map((event) => event.data.task)
  const told = workers.flatMap((worker) => worker.resolved)
  const takenOver = of("task.claimed").filter((event) => event.data.taken_over_from === "ben")
  const claims = of("task.claimed").length
  const tokens = list.reduce((sum, task) => sum + task.claim_token, 0)
  const read = of("message.read").flatMap((event) => event.data.ids ?? [])
  const swarm = await ask<{ workers: { id: string; unread: number }[] }>(["swarm", "status"])
  const living = ["ann", "cleo", "dan"]
  const unread = swarm.workers
    .filter((worker) => living.includes(worker.id))
    .reduce((sum, { unread }) => sum + unread, 0)
  const resolved = list.filter((task) => task.status === "resolved").length
  const verified = project.waves.filter((wave) => wave.status === "verified").length
  const check = (what: string, isRight: boolean): Check => ({ what, isRight })
  return [
    check(`${resolved} of ${tasks} tasks are resolved`, resolved === tasks && list.length === tasks),
    check(
      `${resolvedEvents.length} times a task was resolved, each exactly once`,
      resolvedEvents.length === tasks && once(resolvedEvents),
    ),
    check(`${told.length} of them by the workers, 1 by hand, none lost`, told.length === tasks - 1 && once(told)),
    check(`${takenOver.length} task was taken over from the killed worker`, takenOver.length === 1),
    check(`${claims} claims, every one with an event of its own`, claims === tokens && claims > tasks),
    check(
      `${read.length} messages were read, none of them twice, ${unread} left unread`,
      read.length >= 4 * living.length && once(read) && unread === 0,
    ),
    check(
      `${verified} of ${waves} waves are verified, phase ${project.phase}`,
      verified === waves && project.phase === "COMPLETE",
    ),
  ]
}
