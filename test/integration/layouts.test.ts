// Every team that the readers of older formats find in the fixtures goes into a real store and comes out the same.
import { describe, expect, it } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { findTeams, parseTeam } from "../../src/files/layouts/layouts.ts"
import { readEvent } from "../../src/kernel/events.ts"
import { calculateWaves } from "../../src/tasks/operations/wave-status.ts"
import { examineTeam } from "../../src/teams/operations/examine-team.ts"
import { diskFolder } from "../support/folders.ts"
import { allEvents, context, run, STORES } from "../support/stores.ts"

const FIXTURES = join(import.meta.dir, "../fixtures/layouts")
const BROKEN = ["teamwork-v2/broken-main", "pm-project/broken-main", "empty/folder"]
const CONTEXT = { nowIso: "2026-01-02T03:04:05.000Z", defaultProject: "here", defaultTeam: "main" }

const cases = readdirSync(FIXTURES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap((layout) => readdirSync(join(FIXTURES, layout.name)).map((name) => `${layout.name}/${name}`))
  .filter((name) => !BROKEN.includes(name))

for (const kind of ["sqlite", "postgres"]) {
  describe(`fixtures of older formats into ${kind}`, () => {
    it.each(cases)("%s", async (name) => {
      const folder = diskFolder(join(FIXTURES, name))
      const places = findTeams(folder)
      expect(places).toHaveLength(1)
      const [place] = places
      expect(place?.layout as string).toBe(name.split("/")[0] ?? "")
      if (place === undefined) throw new Error("no team")
      const { snapshot, history } = parseTeam(folder, place, CONTEXT)
      for (const event of history) readEvent({ ...event, data: { ...event.data } })

      await using db = await (STORES[kind]?.() ?? Promise.reject(new Error(`no store ${kind}`)))
      const store = await db.connect()
      const key = await store.write((tx) => tx.archive.restore(snapshot, history))
      if (key === undefined) throw new Error("was not restored")
      expect(await store.read((tx) => tx.archive.read(key))).toEqual(snapshot)
      const events = (await allEvents(store, key)).map(({ seq: _, cursor: __, ...event }) => event)
      expect(events).toEqual([...history])

      const { project, team } = snapshot.team
      const findings = await examineTeam(context(store), { project, team }, false)
      expect(findings.filter((finding) => finding.status !== "ok")).toEqual([])
      if (snapshot.team.phase !== "COMPLETE" && snapshot.tasks.length > 0) {
        await run(context(store), calculateWaves, { project, team })
      }
    })
  })
}
