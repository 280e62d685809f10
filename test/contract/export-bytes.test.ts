// Whichever store a team lies in, its files are the same to the byte.
import { expect, it } from "bun:test"
import fc from "fast-check"
import { parseExport } from "../../src/files/own/parse.ts"
import { arbitrarySnapshot, filesOf, folderOf, type WholeTeam } from "../support/snapshots.ts"
import { allEvents, STORES } from "../support/stores.ts"

const RUNS = 40

for (const [name, makeDatabase] of Object.entries(STORES)) {
  it(`${name}: a team that was restored has the files it was made from`, async () => {
    await using db = await makeDatabase()
    const store = await db.connect()
    const throughStore = async (whole: WholeTeam): Promise<WholeTeam> => {
      const key = await store.write((tx) => tx.archive.restore(whole.snapshot, whole.history))
      if (key === undefined) throw new Error("was not restored")
      const snapshot = await store.read((tx) => tx.archive.read(key))
      const history = (await allEvents(store, key)).map(({ seq: _, cursor: __, ...event }) => event)
      await store.write(async (tx) => {
        await tx.teams.remove(key)
        for (const loop of snapshot.loops) await tx.loops.remove(loop.terminalId)
      })
      return { snapshot, history }
    }
    const contents = (whole: WholeTeam) => new Map(filesOf(whole).map((file) => [file.path, file.content]))
    await fc.assert(
      fc.asyncProperty(arbitrarySnapshot(), async (whole) => {
        const restored = await throughStore(whole)
        expect(contents(restored)).toEqual(contents(whole))
        expect(parseExport(folderOf(filesOf(restored)))).toMatchObject({ ...whole, skipped: [], changed: [] })
      }),
      { numRuns: RUNS },
    )
  })
}
