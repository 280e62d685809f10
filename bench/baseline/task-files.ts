import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { withLock } from "./directory-lock.ts"

// The store of the system we replace: one JSON file per task (R003, R014-R017), claimed under the lock of its file (R049).

export interface TaskFile {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly role: string
  readonly complexity: string
  readonly status: "open" | "in_progress" | "resolved"
  readonly blocked_by: readonly string[]
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
  readonly claimed_by: string | null
  readonly claimed_at: string | null
  readonly completed_at: string | null
  readonly evidence: readonly string[]
}

/** Claims the first open task, by number, whose needs are all resolved. */
export async function claimNextFile(folder: string, owner: string): Promise<TaskFile | undefined> {
  const tasks = listTaskFiles(folder)
  const resolved = new Set(tasks.filter((task) => task.status === "resolved").map((task) => task.id))
  for (const task of tasks) {
    if (task.status !== "open" || !task.blocked_by.every((need) => resolved.has(need))) continue
    const claimed = await claimFile(`${folder}/${task.id}.json`, owner)
    if (claimed !== undefined) return claimed
  }
  return undefined
}

/** Reads, checks and writes under the lock; `undefined` when somebody else was faster. */
async function claimFile(file: string, owner: string): Promise<TaskFile | undefined> {
  return withLock(file, owner, () => {
    const task = readTaskFile(file)
    if (task.status !== "open") return undefined
    const now = new Date().toISOString()
    const change = { status: "in_progress", claimed_by: owner, claimed_at: now, updated_at: now } as const
    return writeTaskFile(file, { ...task, ...change, version: task.version + 1 })
  })
}

export async function releaseFile(file: string, owner: string): Promise<TaskFile> {
  return withLock(file, owner, () =>
    writeTaskFile(file, { ...readTaskFile(file), status: "open", claimed_by: null, claimed_at: null }),
  )
}

function listTaskFiles(folder: string): TaskFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => readTaskFile(`${folder}/${name}`))
    .sort((a, b) => Number(a.id) - Number(b.id))
}

function readTaskFile(file: string): TaskFile {
  return JSON.parse(readFileSync(file, "utf8"))
}

/** Nobody ever sees half a file: it is written beside and renamed. */
export function writeTaskFile(file: string, task: TaskFile): TaskFile {
  const beside = `${file}.${process.pid}.tmp`
  writeFileSync(beside, JSON.stringify(task, null, 2))
  renameSync(beside, file)
  return task
}
