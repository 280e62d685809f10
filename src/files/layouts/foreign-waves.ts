import { isMet } from "../../tasks/task.ts"
import { currentWave, type WaveVerdict } from "../../tasks/wave.ts"
import type { SnapshotTask, SnapshotWave } from "../snapshot.ts"
import { as, asLine, asWord, Count, Fields, Ids, isRecord, List, Time } from "./foreign-json.ts"
import type { Source } from "./source.ts"

export interface WaveDraft {
  readonly file: string
  readonly waves: readonly SnapshotWave[]
  readonly waveOf: ReadonlyMap<string, number>
}

const VERSIONS = ["1", "1.0"]

/** Undefined without a usable file: the team has no waves. */
export function readWaves(source: Source, file: string): WaveDraft | undefined {
  if (!source.files.includes(file)) return undefined
  const content = source.json(file)
  if (content === undefined) return undefined
  const fields = new Fields(isRecord(content) ? content : { waves: content })
  const version = fields.text("version") ?? "1"
  const list = fields.read(List, "waves")
  if (!VERSIONS.includes(version)) source.skip(file, `has version ${version}; versions 1 and 1.0 are known`)
  else if (list === undefined) source.skip(file, "holds no list of waves")
  else {
    // Both follow from the list.
    fields.any("total_waves")
    fields.any("current_wave")
    return readList(source, file, { list, fields })
  }
  return undefined
}

function readList(
  source: Source,
  file: string,
  { list, fields }: { list: readonly unknown[]; fields: Fields },
): WaveDraft {
  const waves: SnapshotWave[] = []
  const waveOf = new Map<string, number>()
  const entries: Fields[] = []
  for (const [index, entry] of list.entries()) {
    const wave = new Fields(isRecord(entry) ? entry : {})
    const number = as(Count, asLine(wave.any("id", "wave", "wave_id", "number")).replace(/^wave-/i, "")) ?? 0
    if (number < 1) source.change(file, `wave number ${index + 1} of the list has no usable id and was left out`)
    else if (waves.some((each) => each.number === number)) source.change(file, `wave ${number} is there twice`)
    else waves.push(readWave(wave, number))
    const tasks = as(Ids, wave.any("tasks", "task_ids")) ?? []
    if (number >= 1) for (const id of tasks) if (!waveOf.has(id)) waveOf.set(id, number)
    entries.push(wave)
  }
  source.takeOver(file, fields, ...entries)
  return { file, waves: waves.sort((a, b) => a.number - b.number), waveOf }
}

function readWave(wave: Fields, number: number): SnapshotWave {
  // Any other status follows from the tasks.
  const status = asWord(wave.any("status"))
  const verdict: WaveVerdict = status === "verified" || status === "failed" ? status : null
  const startedAt = as(Time, wave.any("started_at", "startedAt")) ?? null
  return { number, verdict, startedAt, verifiedAt: as(Time, wave.any("verified_at", "verifiedAt")) ?? null }
}

export interface PlacedTasks {
  readonly tasks: readonly SnapshotTask[]
  readonly waves: readonly SnapshotWave[]
}

/** Drops waves that contradict the needs; calculating new ones is quick. */
export function placeTasks(
  source: Source,
  tasks: readonly SnapshotTask[],
  plan: { draft: WaveDraft | undefined; updatedAt: string },
): PlacedTasks {
  const withoutWaves = () => ({ tasks: tasks.map((task) => ({ ...task, wave: null })), waves: [] })
  const { draft } = plan
  if (draft === undefined) return withoutWaves()
  const known = new Set<string>(tasks.map((task) => task.id))
  for (const [id, wave] of draft.waveOf) {
    if (!known.has(id)) source.change(draft.file, `wave ${wave} names task ${id}, which was not imported`)
  }
  const waveOf = new Map<string, number>()
  for (const task of tasks) {
    const wave = task.wave === null || task.wave < 1 ? draft.waveOf.get(task.id) : task.wave
    if (wave !== undefined) waveOf.set(task.id, wave)
  }
  const waves = fillWaves(draft.waves, waveOf)
  const problem = findGap(waves) ?? findContradiction(tasks, waveOf)
  if (problem !== undefined) {
    source.change(draft.file, `${problem}, so its waves were left out; make new ones with: teamwork wave calculate`)
    return withoutWaves()
  }
  for (const task of placeRest(tasks, waves, waveOf)) {
    source.change(draft.file, `task ${task.id} was in no wave; it is in wave ${waveOf.get(task.id)} now`)
  }
  const placed = tasks.map((task) => ({ ...task, wave: waveOf.get(task.id) ?? null }))
  return { tasks: placed, waves: keepVerdicts(source, { tasks: placed, waves, ...plan, file: draft.file }) }
}

function fillWaves(waves: readonly SnapshotWave[], waveOf: ReadonlyMap<string, number>): SnapshotWave[] {
  const numbers = new Set([...waves.map((wave) => wave.number), ...waveOf.values()])
  return [...numbers]
    .sort((a, b) => a - b)
    .map((number) => waves.find((wave) => wave.number === number) ?? newWave(number))
}

function newWave(number: number): SnapshotWave {
  return { number, verdict: null, startedAt: null, verifiedAt: null }
}

function findGap(waves: readonly SnapshotWave[]): string | undefined {
  const gap = waves.findIndex((wave, index) => wave.number !== index + 1)
  return gap === -1 ? undefined : `there is no wave ${gap + 1}`
}

function findContradiction(tasks: readonly SnapshotTask[], waveOf: ReadonlyMap<string, number>): string | undefined {
  for (const task of tasks) {
    const wave = waveOf.get(task.id) ?? Number.POSITIVE_INFINITY
    const late = task.blockedBy.find((need) => (waveOf.get(need) ?? 0) > wave)
    if (late !== undefined) return `task ${task.id} of wave ${wave} needs task ${late} of wave ${waveOf.get(late)}`
  }
  return undefined
}

/** Tasks without a wave join the current one, or the latest wave of their needs. */
function placeRest(
  tasks: readonly SnapshotTask[],
  waves: SnapshotWave[],
  waveOf: Map<string, number>,
): readonly SnapshotTask[] {
  const rest = tasks.filter((task) => !waveOf.has(task.id))
  if (rest.length > 0 && waves.every((wave) => wave.verdict === "verified")) waves.push(newWave(waves.length + 1))
  const current = currentWave(waves)
  for (const task of rest.toSorted((a, b) => b.height - a.height)) {
    const wave = task.blockedBy.reduce((latest, need) => Math.max(latest, waveOf.get(need) ?? 0), current)
    waveOf.set(task.id, wave)
  }
  return rest
}

/** A wave stays verified only after verified ones and with all its tasks done. */
function keepVerdicts(
  source: Source,
  {
    tasks,
    waves,
    updatedAt,
    file,
  }: { tasks: readonly SnapshotTask[]; waves: readonly SnapshotWave[]; updatedAt: string; file: string },
): SnapshotWave[] {
  const unfinished = new Map(tasks.filter((task) => !isMet(task.status)).map((task) => [task.wave, task.id]))
  let isOpen = false
  return waves.map((wave) => {
    const left = unfinished.get(wave.number)
    if (wave.verdict === "verified" && (isOpen || left !== undefined)) {
      const why = left === undefined ? "a wave before it is not" : `its task ${left} is not done`
      source.change(file, `wave ${wave.number} is not verified any more: ${why}`)
      isOpen = true
      return { ...wave, verdict: null, verifiedAt: null }
    }
    if (wave.verdict === "verified") return { ...wave, verifiedAt: wave.verifiedAt ?? updatedAt }
    isOpen = true
    return { ...wave, verifiedAt: null }
  })
}
