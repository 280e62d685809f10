import { expect, it } from "bun:test"
import { chmodSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { readMarker, removeMarker, writeMarker } from "./seat-marker.ts"

const MARKER = { project: "shop", team: "main", store: "postgres://ann:secret@db/x" }

it("is there from joining to leaving, for its own session only", async () => {
  using home = makeScratch()
  expect(readMarker(home.path, "s-1")).toBeUndefined()
  writeMarker(home.path, "s-1", MARKER)
  expect(readMarker(home.path, "s-1")).toEqual(MARKER)
  expect(readMarker(home.path, "s-2")).toBeUndefined()
  writeMarker(home.path, "s-1", { project: "shop", team: "other" })
  expect(readMarker(home.path, "s-1")).toEqual({ project: "shop", team: "other" })
  for (let time = 0; time < 2; time++) removeMarker(home.path, "s-1")
  expect(readdirSync(join(home.path, "seats"))).toEqual([])
})

it("can be read by nobody else, since an address may have a password in it", async () => {
  using home = makeScratch()
  writeMarker(home.path, "s-1", MARKER)
  const file = join(home.path, "seats/s-1")
  chmodSync(file, 0o644)
  writeMarker(home.path, "s-1", MARKER)
  expect((statSync(file).mode & 0o777).toString(8)).toBe("600")
  expect((statSync(join(home.path, "seats")).mode & 0o777).toString(8)).toBe("700")
})

it.each(["", ".", "..", "../teamwork.db", "a/b", ".s-1", "x".repeat(200)])("takes %p for no session", async (name) => {
  using home = makeScratch()
  await Bun.write(join(home.path, "teamwork.db"), "{}")
  await Bun.write(join(home.path, "seats/.s-1"), "{}")
  expect(readMarker(home.path, name)).toBeUndefined()
  removeMarker(home.path, name)
  expect(readdirSync(home.path).sort()).toEqual(["seats", "teamwork.db"])
  expect(readdirSync(join(home.path, "seats"))).toEqual([".s-1"])
})
