import { afterAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemIds } from "../lib/make-ids.ts"
import { sleep } from "../lib/sleep.ts"
import { ensureRepositoryId, renewRepositoryId } from "./repository-id.ts"

const root = mkdtempSync(join(tmpdir(), "repository-id-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
function gitDir(): string {
  const folder = join(root, String(++count))
  mkdirSync(folder)
  return folder
}
const { uuid } = systemIds

test("is made once and stays", () => {
  const folder = gitDir()
  const id = ensureRepositoryId({ gitDir: folder, uuid })
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(ensureRepositoryId({ gitDir: folder, uuid })).toBe(id)
  expect(readdirSync(join(folder, "teamwork"))).toEqual(["id"])
})

test("is the same for all processes that ask at once", async () => {
  const folder = gitDir()
  const script = `
    import { ensureRepositoryId } from ${JSON.stringify(join(import.meta.dir, "repository-id.ts"))}
    console.log(ensureRepositoryId({ gitDir: ${JSON.stringify(folder)}, uuid: () => crypto.randomUUID() }))`
  const children = Array.from({ length: 4 }, () => Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" }))
  const ids = await Promise.all(children.map((child) => child.stdout.text()))
  expect(new Set(ids).size).toBe(1)
  expect(readdirSync(join(folder, "teamwork"))).toEqual(["id"])
})

test("is made anew where the file is damaged", () => {
  const folder = gitDir()
  mkdirSync(join(folder, "teamwork"))
  writeFileSync(join(folder, "teamwork/id"), "nonsense")
  const id = ensureRepositoryId({ gitDir: folder, uuid })
  expect(readFileSync(join(folder, "teamwork/id"), "utf8")).toBe(`${id}\n`)
})

test("of a copy is renewed once, however many do it at once", async () => {
  const folder = gitDir()
  const from = ensureRepositoryId({ gitDir: folder, uuid })
  const renew = () => renewRepositoryId({ gitDir: folder, uuid, sleep, from })
  const renewed = await Promise.all([renew(), renew(), renew()])
  expect(new Set(renewed).size).toBe(1)
  expect(renewed[0]).not.toBe(from)
  expect(ensureRepositoryId({ gitDir: folder, uuid })).toBe(renewed[0] ?? from)
  expect(existsSync(join(folder, "teamwork/id"))).toBe(true)
})

test("F005: says what to do where something else is in its place", () => {
  const [asFolder, asFile] = [gitDir(), gitDir()]
  mkdirSync(join(asFolder, "teamwork/id"), { recursive: true })
  writeFileSync(join(asFile, "teamwork"), "")
  for (const folder of [asFolder, asFile])
    expect(() => ensureRepositoryId({ gitDir: folder, uuid })).toThrow(/something else is in its place; move .* away/)
  expect(readdirSync(join(asFolder, "teamwork"))).toEqual(["id"])
})
