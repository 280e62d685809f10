import type { GraphTask, TaskGraph } from "./task-graphs.ts"

export interface ReadyTask extends GraphTask {
  /** Its place among all tasks, in the order in which they were made. */
  readonly seq: number
  readonly readyAt: number
}

/** Who gives out tasks: which of the ready ones is next; undefined when none may be taken yet. */
export type Choose = (ready: readonly ReadyTask[]) => ReadyTask | undefined | Promise<ReadyTask | undefined>

export interface Simulation {
  readonly makespan: number
  /** In the order in which they were taken. */
  readonly taken: readonly string[]
}

/** Workers take a task whenever they are free, and nobody knows how long it will take. */
export async function simulate(
  { tasks, workers }: Pick<TaskGraph, "tasks" | "workers">,
  choose: Choose,
  onDone?: (id: string) => Promise<void>,
): Promise<Simulation> {
  const waiting = new Map(tasks.map((task) => [task.id, task.needs.length]))
  const dependants = Map.groupBy(
    tasks.flatMap(({ id, needs }) => needs.map((need) => ({ id, need }))),
    ({ need }) => need,
  )
  const known = new Map(tasks.map((task, seq) => [task.id, { ...task, seq }]))
  const ready = new Map<string, ReadyTask>()
  const offer = (id: string, readyAt: number) => {
    const task = known.get(id)
    if (task !== undefined) ready.set(id, { ...task, readyAt })
  }
  for (const { id, needs } of tasks) if (needs.length === 0) offer(id, 0)
  let running: { readonly id: string; readonly end: number }[] = []
  const taken: string[] = []
  let now = 0
  while (taken.length < tasks.length || running.length > 0) {
    while (running.length < workers) {
      const next = await choose([...ready.values()])
      if (next === undefined) break
      ready.delete(next.id)
      taken.push(next.id)
      running.push({ id: next.id, end: now + next.duration })
    }
    if (running.length === 0) throw new Error("nobody works, and nothing may be taken")
    now = Math.min(...running.map(({ end }) => end))
    for (const { id } of running.filter(({ end }) => end <= now)) {
      await onDone?.(id)
      for (const dependant of dependants.get(id) ?? []) {
        const left = (waiting.get(dependant.id) ?? 0) - 1
        waiting.set(dependant.id, left)
        if (left === 0) offer(dependant.id, now)
      }
    }
    running = running.filter(({ end }) => end > now)
  }
  return { makespan: now, taken }
}

/** The first by what comes before what; ties go to the older task. */
export function firstBy(compare: (a: ReadyTask, b: ReadyTask) => number): Choose {
  return (ready) => {
    let best: ReadyTask | undefined
    for (const task of ready) {
      if (best === undefined || (compare(task, best) || task.seq - best.seq) < 0) best = task
    }
    return best
  }
}

/** As the store gives tasks out in an eager team: the longest chain behind it first. */
export const eager = firstBy((a, b) => b.height - a.height)
export const firstCome = firstBy((a, b) => a.readyAt - b.readyAt)

/** As in a team with waves: nothing of a wave before all of the one before it are done. */
export function inWaves(tasks: readonly GraphTask[]): { readonly choose: Choose; onDone(id: string): Promise<void> } {
  const left = new Map<number, number>()
  for (const { wave } of tasks) left.set(wave, (left.get(wave) ?? 0) + 1)
  const waveOf = new Map(tasks.map(({ id, wave }) => [id, wave]))
  let open = 1
  return {
    choose: (ready) => eager(ready.filter(({ wave }) => wave <= open)),
    async onDone(id) {
      const wave = waveOf.get(id) ?? 0
      left.set(wave, (left.get(wave) ?? 0) - 1)
      while (left.get(open) === 0) open++
    },
  }
}
