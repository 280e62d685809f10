// A team written down and brought back, into the same kind of store and the other one: nothing may differ.
import { describe, expect, it } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { importFolder } from "../../src/files/mirror/import-folder.ts"
import { exportTeam } from "../../src/files/mirror/mirror.ts"
import type { PastEvent, TeamSnapshot } from "../../src/files/snapshot.ts"
import type { Store } from "../../src/store/port.ts"
import { checkFile } from "../support/file-schemas.ts"
import { makeScratch } from "../support/sandbox.ts"
import { arbitrarySnapshot } from "../support/snapshots.ts"
import { allEvents, context, STORES, TEAM, type TestDatabase } from "../support/stores.ts"

interface Whole {
  readonly snapshot: TeamSnapshot
  readonly history: readonly PastEvent[]
}

async function readWhole(store: Store, name: { project: string; team: string }): Promise<Whole> {
  const team = await store.read((tx) => tx.teams.find(name))
  if (team === undefined) throw new Error("the team is not there")
  const history = (await allEvents(store, team.key)).map(({ seq: _, cursor: __, ...event }) => event)
  return { snapshot: await store.read((tx) => tx.archive.read(team.key)), history }
}

function contents(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path)]))
}

async function openStores(name: string): Promise<TestDatabase> {
  const make = STORES[name]
  if (make === undefined) throw new Error(`no store ${name}`)
  return make()
}

const RUNS = { sqlite: 60, postgres: 8 }

for (const [from, to] of [
  ["sqlite", "sqlite"],
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
] as const) {
  describe(`export from ${from}, import into ${to}`, () => {
    it("gives the same store and then the same bytes, whatever the team holds", async () => {
      const property = fc.asyncProperty(arbitrarySnapshot(), async ({ snapshot, history }) => {
        using scratch = makeScratch("round-trip")
        await using source = await openStores(from)
        await using target = await openStores(to)
        const [first, second] = [await source.connect(), await target.connect()]
        await first.write((tx) => tx.archive.restore(snapshot, history))
        const { project, team } = snapshot.team
        const [one, two] = [join(scratch.path, "one"), join(scratch.path, "two")]
        await exportTeam(context(first), { project, team }, { folder: one })
        for (const [path, bytes] of contents(one)) checkFile(path, bytes)
        const report = await importFolder(context(second), { path: one, defaults: TEAM, dryRun: false })
        expect(report).toMatchObject({ teams: [{ result: "imported" }], skipped: [], changed: [], refused: [] })
        expect(await readWhole(second, { project, team })).toEqual(await readWhole(first, { project, team }))
        await exportTeam(context(second), { project, team }, { folder: two })
        expect(contents(two)).toEqual(contents(one))
        const again = await importFolder(context(second), { path: two, defaults: TEAM, dryRun: false })
        expect(again.teams).toMatchObject([{ result: "unchanged" }])
      })
      await fc.assert(property, { numRuns: from === to ? RUNS.sqlite : RUNS.postgres })
    }, 120_000)
  })
}
