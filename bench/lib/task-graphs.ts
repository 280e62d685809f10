import { layerTasks } from "../../src/tasks/layers.ts"

/** A plan whose durations nobody knows beforehand. */
export interface TaskGraph {
  readonly tasks: readonly GraphTask[]
  readonly workers: number
  /** No schedule can be shorter: the longest chain, or all work shared out evenly. */
  readonly lowerBound: number
}

export interface GraphTask {
  readonly id: string
  readonly needs: readonly string[]
  readonly duration: number
  /** As `wave calculate` gives them. */
  readonly wave: number
  readonly height: number
}

const TASKS = { least: 20, most: 200 }
const WORKERS = { least: 2, most: 8 }
const EDGES = { least: 0.02, most: 0.32 }
/** Of the logarithm: of a hundred tasks the longest takes about eight times as long as the one in the middle. */
const SPREAD = 0.8

/**
 * The layer-by-layer method ("layrprob") of the Standard Task Graph Set (Tobita and Kasahara, 2002): first the number of
 * layers, then the tasks of each, then an edge from any task to any of a later layer with the same probability. Durations
 * are log-normal. The same seed gives the same graph.
 */
export function makeGraph(seed: number): TaskGraph {
  const random = makeRandom(seed)
  const between = ({ least, most }: { least: number; most: number }) => least + random() * (most - least)
  const count = Math.round(between(TASKS))
  const layers = Math.round(between({ least: 2, most: 2 * Math.sqrt(count) }))
  const layerOf = Array.from({ length: count }, (_, index) => (index < layers ? index : Math.floor(random() * layers)))
  const probability = between(EDGES)
  // The order in which tasks are made says nothing of their layers.
  shuffle(layerOf, random)
  const nodes = layerOf.map((layer, index) => ({
    id: String(index + 1),
    blockedBy: layerOf.flatMap((other, need) => (other < layer && random() < probability ? [String(need + 1)] : [])),
  }))
  const { layers: waves, height } = layerTasks(nodes)
  const waveOf = new Map(waves.flatMap((ids, index) => ids.map((id) => [id, index + 1] as const)))
  const tasks = nodes.map(({ id, blockedBy }) => ({
    ...{ id, needs: blockedBy, duration: Math.exp(SPREAD * normal(random)) },
    ...{ wave: waveOf.get(id) ?? 0, height: height.get(id) ?? 0 },
  }))
  const workers = Math.round(between(WORKERS))
  const work = tasks.reduce((sum, { duration }) => sum + duration, 0)
  return { tasks, workers, lowerBound: Math.max(work / workers, Math.max(...measureTails(tasks).values())) }
}

/** The longest way from the start of each task to the end of everything, by durations. */
export function measureTails(tasks: readonly GraphTask[]): Map<string, number> {
  const tails = new Map(tasks.map((task) => [task.id, task.duration]))
  for (const task of tasks.toSorted((a, b) => b.wave - a.wave)) {
    const tail = tails.get(task.id) ?? 0
    for (const need of task.needs) {
      const duration = tasks[Number(need) - 1]?.duration ?? 0
      tails.set(need, Math.max(tails.get(need) ?? 0, duration + tail))
    }
  }
  return tails
}

/** Marsaglia's xorshift with 32 bits: numbers from 0 to 1. */
function makeRandom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  for (let turn = 0; turn < 10; turn++) next() // the first numbers of neighbouring seeds are alike
  return next
}

/** Box and Muller's method. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function shuffle(values: number[], random: () => number): void {
  for (let last = values.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[values[last], values[other]] = [values[other] ?? 0, values[last] ?? 0]
  }
}
