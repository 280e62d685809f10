import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { importFolder } from "../../src/files/mirror/import-folder.ts"
import { exportTeam } from "../../src/files/mirror/mirror.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { seedFiles } from "../baseline/seed-files.ts"
import type { BenchCase, Finding } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import type { Sandbox } from "../lib/sandbox.ts"
import { contextOf, halfDone, seedTeam, TEAM } from "../lib/seed.ts"

const TASKS = 10_000
const ROUNDS = 7

export const importTasks: BenchCase = {
  name: "import",
  summary: "import of 10,000 tasks, against reading and parsing their files",
  async run({ sandbox, say }) {
    say(`making ${TASKS} tasks, twice`)
    const old = oldTeam(sandbox)
    const own = await exportedTeam(sandbox)
    say(`${ROUNDS} rounds`)
    const times = await takeTurns(
      {
        readOld: async () => timeReading(old),
        old: () => timeImport(sandbox, old),
        readOwn: async () => timeReading(own),
        own: () => timeImport(sandbox, own),
      },
      ROUNDS,
    )
    const finding = (what: string, ours: number, bare: number): Finding => ({
      what,
      value: ours / bare,
      unit: "x",
      figures: `${show(ours)} ms against ${show(bare)} ms`,
    })
    return [
      finding("10,000 tasks of an old folder", median(times.old), median(times.readOld)),
      finding("10,000 tasks of an export, with events", median(times.own), median(times.readOwn)),
    ]
  },
}

function oldTeam(sandbox: Sandbox): string {
  const folder = sandbox.folder("old")
  const { project, team } = TEAM
  const time = new Date().toISOString()
  const main = { project, team, goal: "a shop", phase: "EXECUTION", created_at: time, updated_at: time }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "project.json"), JSON.stringify(main))
  renameSync(seedFiles(sandbox, halfDone(TASKS)), join(folder, "tasks"))
  return folder
}

async function exportedTeam(sandbox: Sandbox): Promise<string> {
  await using store = await openSqliteStore({ path: join(sandbox.folder("source"), "a.db"), clock: systemClock })
  await seedTeam(store, halfDone(TASKS))
  const folder = join(sandbox.folder("export"), "team")
  await exportTeam(contextOf(store), TEAM, { folder })
  return folder
}

/** The least an import has to do: find the files, read them, parse what is JSON. */
function timeReading(folder: string): number {
  const start = performance.now()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const text = readFileSync(join(entry.parentPath, entry.name), "utf8")
    if (entry.name.endsWith(".json")) JSON.parse(text)
    if (!entry.name.endsWith(".jsonl")) continue
    for (const line of text.split("\n")) if (line !== "") JSON.parse(line)
  }
  return performance.now() - start
}

async function timeImport(sandbox: Sandbox, path: string): Promise<number> {
  const home = sandbox.folder("target")
  await using store = await openSqliteStore({ path: join(home, "a.db"), clock: systemClock })
  const start = performance.now()
  const report = await importFolder(contextOf(store), { path, defaults: TEAM, dryRun: false })
  const ms = performance.now() - start
  const [team] = report.teams
  if (team?.result !== "imported" || team.counts.tasks !== TASKS) throw new Error(JSON.stringify(report).slice(0, 500))
  rmSync(home, { recursive: true, force: true })
  return ms
}
